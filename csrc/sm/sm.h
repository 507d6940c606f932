// SPDX-License-Identifier: Apache-2.0
// The streaming multiprocessor (SM). It runs one compiled kernel to its end on the pipeline of the
// README, cycle by cycle. The register file and the operand collectors are behind the block
// boundary.
//
// Values reside only in the register file block. At dispatch the operand collector delivers the
// operands of an instruction; its result enters a write port.
#ifndef SMCOSIM_SM_SM_H
#define SMCOSIM_SM_SM_H

#include "config/config.h"
#include "cosim/cosim.h"
#include "counters/counters.h"
#include "isa/isa.h"
#include "launch/device_memory.h"
#include "mem/codec.h"

#include <stdio.h>

typedef struct Gpu Gpu;  // SMs and the memory system behind them

enum { GPU_MAX_SMS = 15 };

// The state of a resident warp, as hooks and waves show it.
typedef enum SmWarpState {
    SM_WARP_NONE,     // slot empty
    SM_WARP_READY,    // has an instruction that passes the scoreboard
    SM_WARP_LONG,     // waits for a global or local load or an atomic
    SM_WARP_SHORT,    // waits for another register or predicate
    SM_WARP_FETCH,    // instruction buffer empty
    SM_WARP_BARRIER,  // waits at a barrier or membar
    SM_WARP_CONTROL,  // waits for its own branch or barrier operands, or sleeps
    SM_WARP_DRAIN,    // all threads ended, results or stores still in flight
    SM_WARP_GATE,     // an issue gate refused its instruction
    SM_WARP_STATE_COUNT
} SmWarpState;
extern const char *const sm_warp_state_name[SM_WARP_STATE_COUNT];

// A step in the life of a warp instruction. It begins; enters a collector (`place`: slot); has its
// operands; leaves the collector. Its unit accepts it (port; `unit`: its name); its result is
// available. A word is at a write port (port); the word is written; the instruction ends.
typedef enum SmStepKind {
    SM_STEP_BEGUN,
    SM_STEP_COLLECTING,
    SM_STEP_OPERANDS,
    SM_STEP_DISPATCHED,
    SM_STEP_EXECUTING,
    SM_STEP_RESULT,
    SM_STEP_WRITING,
    SM_STEP_WRITTEN,
    SM_STEP_ENDED
} SmStepKind;
enum { SM_STEP_RECORDS = 1088 };
typedef struct SmStep {
    SmStepKind kind;
    // below SM_STEP_RECORDS: equal in all steps of an instruction, reused afterwards
    int record;
    int warp, pc, place;
    const IsaInst *inst;
    const char *unit;
    uint32_t lanes;  // that execute
    int n;           // OPERANDS, WRITING: registers with the values of all lanes
    const uint8_t *regs;
    const uint32_t (*values)[ISA_LANES];
} SmStep;

// Callbacks for tracing. Any may be NULL. `cycle` counts from gpu_open over all kernels.
typedef struct SmHooks {
    void *ctx;
    void (*cta_launched)(void *ctx, uint64_t cycle, int slot, const uint32_t ctaid[3]);
    void (*cta_ended)(void *ctx, uint64_t cycle, int slot);
    void (*warp_launched)(void *ctx, uint64_t cycle, int warp, int cta_slot, int warp_in_cta);
    void (*warp_ended)(void *ctx, uint64_t cycle, int warp);
    void (*issued)(void *ctx, uint64_t cycle, int scheduler, int warp, int pc);
    void (*warp_state)(void *ctx, uint64_t cycle, int warp, SmWarpState state);
    // The class of every scheduler cycle: CTR_ISSUED .. CTR_STALL_NONE_LEFT. Called when it
    // changes.
    void (*scheduler_class)(void *ctx, uint64_t cycle, int scheduler, CounterId what);
    void (*step)(void *ctx, uint64_t cycle, const SmStep *step);
    // A part of the memory system works on a line; `from` and `to` in 1/1000 cycles.
    void (*memory)(void *ctx, uint64_t from_m, uint64_t to_m, const MemWork *work);
    void (*bank_access)(void *ctx, uint64_t cycle, int bank, bool write);
    // From now on the warp holds n shared registers, first to last; n 0: none.
    void (*registers_held)(void *ctx, uint64_t cycle, int warp, int n, int first, int last);
    // Each cycle: registers per thread times resident warps; physical registers in use, if the path
    // renames (otherwise 0).
    void (*registers)(void *ctx, uint64_t cycle, unsigned architected, unsigned physical);
    // From now on the warp runs ahead of its program (P-mode), or stops. `results` wait for the
    // program, and `renamed` registers are renamed.
    void (*ahead)(void *ctx, uint64_t cycle, int warp, bool ahead, int results, int renamed);
} SmHooks;

// The simulation of cycles without work for the blocks: no collector is busy and no write port
// holds a result. The outputs and state of golden models do not change in such a cycle, so it may
// be skipped. RTL must be verified in such a cycle too.
typedef enum GpuIdle {
    // If a block runs RTL, the blocks are evaluated and clocked in each cycle.
    GPU_IDLE_CLOCK_RTL,
    GPU_IDLE_SKIP,  // cycles without work are skipped in all modes
    // The blocks are clocked in each cycle in all modes. No result differs; a test checks this.
    GPU_IDLE_CLOCK,
} GpuIdle;

typedef struct Arch Arch;

typedef struct GpuOptions {
    const MachineConfig *cfg;
    const Arch *arch;      // sm/parts/system.h
    Cosim *cosim;          // holds the blocks of the architecture
    int sms;               // simulated on one memory system; 0, 1: one
    int threads;           // limit of the threads that simulate several SMs; 0, 1: one
    int shown;             // the SM of `hooks`
    Cosim *const *cosims;  // blocks of each SM, the first is `cosim`; with one SM NULL
    DeviceMemory *memory;  // global memory; written by kernels
    const SmHooks *hooks;  // NULL: none
    bool check_retire;     // --check retire
    bool count_lines;      // gpu_lines
    GpuIdle idle;
    FILE *print_to;            // printf of kernels; NULL: nowhere
    uint64_t max_cycles;       // limit of one launch; 0: run.max_cycles of the configuration
    volatile const int *stop;  // set by a signal handler: end with EXIT_INTERRUPTED; may be NULL
} GpuOptions;

// Can the machine run the architecture with this number of SMs on one memory system? EXIT_USAGE.
bool gpu_check(const Arch *arch, const MachineConfig *cfg, int sms, Diag *d);

// Registers the SM signals for waves and the mismatch decoder with the harness, and resets the
// blocks. NULL on error.
Gpu *gpu_open(Arena *arena, const GpuOptions *options, Diag *d);
void gpu_close(Gpu *g);
// Disables hooks and the text of kernels: a copy of the process continues alone.
void gpu_quiet(Gpu *g);

typedef struct GpuLaunch {
    const IsaProgram *program;
    const PtxModule *module;     // for messages: path of the PTX text; may be NULL
    const ModuleLayout *layout;  // constant bank 3; may be NULL when the program does not use it
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;  // dynamic shared memory
    const uint8_t *params;  // program->param_bytes; may be NULL when that is 0
} GpuLaunch;

// Runs one kernel to its end: last thread ended, memory system empty. False: launch refused
// (EXIT_USAGE), bad access, trap or assertion (EXIT_WRONG_RESULT), no progress, deadlock or cycle
// limit (EXIT_HANG), retire check failed (EXIT_MISMATCH), EXIT_INTERRUPTED. True with
// cosim_mismatch() set: the harness asked to stop, and cosim_finish reports the mismatch.
bool gpu_run(Gpu *g, const GpuLaunch *launch, Diag *d);

// After the last kernel: drains the operand path and checks it once more (EXIT_MISMATCH: freed
// registers are still in use). Changes no counter.
bool gpu_finish(Gpu *g, Diag *d);

// The resources that one kernel occupied (of the last gpu_run).
typedef struct GpuKernelInfo {
    const char *name;
    int regs_per_thread, warps_per_cta;
    uint32_t threads_per_cta, shared_per_cta;
    int ctas_per_sm;         // resident CTAs that fit
    const char *limited_by;  // "warps", "threads", "CTAs", "registers", "shared memory", "grid"
    int room;                // CTAs that fit, however small the grid is
    const char *room_limited_by;  // limit of room, never "grid"
    int regs_given;               // registers allocated per thread, including the system's
    uint64_t ctas, cycles, warp_insts, thread_insts;
} GpuKernelInfo;
const GpuKernelInfo *gpu_kernel_info(const Gpu *g);

// Adds the counts of the last gpu_run, of all SMs, to n rows (sm/line_counts.h). Each instruction
// of the program has a row, and the last row has all else. Only with count_lines.
typedef struct LineCounts LineCounts;
void gpu_lines(const Gpu *g, LineCounts *rows, int n);

// Sum over all kernels since gpu_open and over all SMs, except that cycles are those of the
// machine.
const Counters *gpu_counters(const Gpu *g);
// Counters of one SM, including the work of L2 and DRAM for it.
Counters gpu_counters_of(const Gpu *g, int sm);
uint64_t gpu_cycle(const Gpu *g);            // cycles since gpu_open
uint64_t gpu_retire_compared(const Gpu *g);  // warp instructions compared by --check retire

#endif
