// SPDX-License-Identifier: Apache-2.0
// CABA: assist warps decompress lines on their way to L1, and compress lines that stores have
// completed (paper: sections 4 and 5). Block assist_ctrl implements the table and its controller.
// Its outputs are the entries in use, the held parents and the deployed instruction. Its inputs
// from the SM are issues, free room, and the completion of the last instruction. Files:
//   caba.c          the systems                      caba_lines.c    lines, from memory and to it
//   caba_table.c    routines in flight               caba_store.c    the assist warp store
//   caba_ctrl.c     the controller                   routines/*.isa  .. and its routines
//   caba_deploy.c   deployment of instructions
//
// A routine is machine code of this ISA and runs on the SM's pipelines, with registers behind the
// kernel's and predicates of its own. It accesses its line in the line buffer `line`, bytes 0 to
// 127, and no other memory. The bytes that it has written there become the line in L1, or the image
// for L2.
#ifndef SMCOSIM_SYSTEMS_CABA_H
#define SMCOSIM_SYSTEMS_CABA_H

#include "models/lines/assist_ctrl.h"

#include "cosim/cosim.h"
#include "mem/line_compress.h"
#include "sm/parts/scoreboard.h"
#include "sm/state.h"

typedef struct LineTable LineTable;    // line_table.h
typedef struct LineBlocks LineBlocks;  // line_blocks.h
typedef struct Caba Caba;

// SR.ID: decompression by the head byte of the image (BDI: by encoding), compression by codec, and
// by one encoding of BDI (bdi.trial last-first).
typedef enum CabaRoutineId {
    CABA_BDI_LOAD = 0,
    CABA_FPC_LOAD = 8,
    CABA_CPACK_LOAD,
    CABA_BDI_STORE,
    CABA_FPC_STORE,
    CABA_CPACK_STORE,
    CABA_BDI_TRY,
    CABA_ROUTINES = CABA_BDI_TRY + 8
} CabaRoutineId;

enum {
    CABA_PROGRAMS = 32,      // the store's routines, by SR.ID (5 bits)
    CABA_STORE_WORDS = 640,  // instructions of the assist warp store
    CABA_ENTRIES = 15,       // lines of waiting stores
    CABA_LOW_ENTRIES = 2,    // staged instructions of low priority (paper: section 4.2)
    CABA_STAGED = 8,         // limit of one entry
    CABA_LOAD_REGS = 16,
    CABA_STORE_REGS = 16,  // limit of a routine
    CABA_ALIGN = 4,        // the first register of a routine: quads
    CABA_RESERVE = CABA_LOAD_REGS + CABA_STORE_REGS + CABA_ALIGN - 1,
};

// text: assembler (csrc/isa), registers from R0 on. `NAME:` in front of an instruction is a label.
// `bra NAME` jumps to the label and must be taken by all lanes together; `bra END` ends the
// routine. The text is generated from routines/*.isa by csrc/isa/embed.awk.
typedef struct CabaRoutine {
    const char *name;
    uint32_t mask;
    const char *text;
} CabaRoutine;
typedef struct CabaStore {
    CabaRoutine of[CABA_ROUTINES];
} CabaStore;
extern const CabaStore caba_store;
// The text in which the numbers of a kernel replace @NAME@.
typedef struct CabaNumber {
    const char *name;
    uint32_t value;
} CabaNumber;
const char *caba_fill(Arena *arena, const char *text, const CabaNumber *numbers, int n);

// The routines of the store that a machine uses, assembled.
typedef struct CabaProgram {
    const char *name;
    uint32_t mask;     // lanes
    IsaProgram *text;  // registers from R0 on; NULL: the machine has no such text
    int ninsts, nregs;
    SmProgram of_kernel;  // registers behind the kernel's
} CabaProgram;
// Routines of `codec`; tries: also those of one encoding. False: the text is wrong (EXIT_USAGE).
bool caba_assemble(Arena *arena, const CabaStore *store, CompressCodec codec, bool tries,
                   CabaProgram programs[CABA_ROUTINES], Diag *d);
// Assembles one routine. A text may name registers of its warp, CABA_LIVE and above, which are not
// its own.
enum { CABA_LIVE = 40, CABA_LIVES = 3 };
bool caba_assemble_one(Arena *arena, const CabaRoutine *r, CabaProgram *to, Diag *d);
// Relocates a routine for a kernel: its own registers from `first` on; live[i] is the register
// named CABA_LIVE + i (NULL: none).
bool caba_relocate(Sm *sm, CabaProgram *program, int first, const uint8_t *live, Diag *d);

typedef enum AssistJob {
    ASSIST_LOAD,
    ASSIST_TRIP,
    ASSIST_STORE,
    ASSIST_LOOKUP,
    ASSIST_INSERT,
    ASSIST_STRIDE
} AssistJob;

// An entry of the assist warp table (paper: figure 5), with the line bound to it.
typedef struct Assist {
    bool valid, high;
    bool storing;  // a store has issued: the routine completes, as if of high priority
    bool dying;    // killed: instructions in flight complete
    uint8_t job;
    int warp, routine;
    // killed in the cycle of its trigger, before the controller received it
    bool untold;
    int next;                     // next instruction to deploy
    uint64_t jumped;              // cycle of its last taken branch
    int staged;                   // instructions in the buffer
    uint8_t buffer[CABA_STAGED];  // numbers of these instructions; the first is at stream.pc
    int flights;
    uint64_t since, progress;  // cycles of its trigger and of its last issue
    InstStream stream;
    int32_t id;                   // number of the packet, or of the entry of the store buffer
    uint32_t number;              // of the line
    uint8_t line[COMPRESS_LINE];  // the line buffer
    uint8_t was[COMPRESS_LINE];   // the line at the trigger
} Assist;

typedef struct CabaOverlay {
    uint32_t line;
    uint8_t made[COMPRESS_LINE], right[COMPRESS_LINE];
} CabaOverlay;

enum { CABA_IMAGES = 256, CABA_OVERLAYS = 64 };

// A use of assist warps. Functions may be NULL.
typedef struct CabaUse {
    // called before the work of a cycle: requested kills
    void (*before)(Sm *sm, Caba *s);
    void (*ended)(Sm *sm, Caba *s, Assist *a);    // the last instruction has been performed
    void (*gave_up)(Sm *sm, Caba *s, Assist *a);  // killed, for lack of idle slots
    // routines may begin: one of each priority in a cycle
    void (*begin)(Sm *sm, Caba *s);
    void (*behind)(Sm *sm, Caba *s);  // called after the controller's decision
    bool (*rests)(const Caba *s);     // no routine waits to begin
} CabaUse;

struct Caba {
    Sm *sm;
    const CabaUse *use;
    void *user;  // its state
    Arena *arena;
    // first member for the line codec's functions of line_table.h
    LineTable *table;
    LineBlocks *blocks;
    bool bdi;  // the blocks of BDI also process the lines of BDI
    CompressCodec codec;
    CompressPrices prices;  // caba.best=cycles
    bool check;             // compare with the codec
    CabaProgram program[CABA_PROGRAMS];
    int load_regs, store_regs;
    Assist of[2][SM_MAX_WARPS];  // low, high
    Board *boards;
    uint8_t preds[2][SM_MAX_WARPS];
    Block *ctrl;  // the table and its controller
    AssistCtrlIn *in;
    const AssistCtrlOut *out;  // outputs of its state, since the last clock edge
    int nissued;               // issues in this cycle
    bool works;                // the block has been triggered
    uint64_t valid[2];         // entries bound to a line
    uint64_t hold;             // parents that are held
    // warps with a staged instruction that issues in the warp's place; in idle slots
    uint64_t in_place, beside;
    int low_staged;
    // throttle
    int idle_slots, slots_left;
    bool throttled;
    // lines
    MemArrival *waiting;  // images at the SM, oldest first
    int nwaiting;
    uint8_t (*moving)[COMPRESS_IMAGE];  // image of each packet, since it left L2
    uint8_t (*held)[COMPRESS_IMAGE];    // images of L2 and DRAM, by line
    uint32_t nheld, cap_held;
    int nallocs;                                  // allocations of the device's memory covered by
                                                  // `held`
    uint8_t images[CABA_IMAGES][COMPRESS_IMAGE];  // in flight to L2
    uint64_t image_used[CABA_IMAGES / 64];
    // caba.ideal: images of this cycle
    struct CabaImage {
        int32_t entry;
        int bursts, handle;
    } * made;
    int nmade;
    // bdi.trial last-first: encoding of the last image; -1: none, or another trial
    int last;
    CabaOverlay overlay[CABA_OVERLAYS];
    int noverlays;
};

enum { CABA_LOW, CABA_HIGH };
static inline Assist *caba_of(Caba *s, bool high, int warp) { return &s->of[high][warp]; }
// Sets of warps at the block's ports: low priority, then high.
static inline uint64_t caba_set(const uint32_t words[2]) {
    return words[0] | (uint64_t)words[1] << 32;
}
static inline void caba_put(uint32_t *set, const Assist *a) {
    set[2 * a->high + a->warp / 32] |= 1u << a->warp % 32;
}
static inline const SmInst *caba_inst(const Assist *a, int at) { return &a->stream.insts[at]; }
static inline const SmInst *caba_head(const Assist *a) { return caba_inst(a, (int)a->stream.pc); }

// ---- caba.c ----
void *caba_open(Sm *sm, Arena *arena, const CabaStore *store, CompressCodec codec);
int caba_aligned(int regs);  // first register at which a routine's registers may begin

// ---- caba_table.c ----
// Parts of every system with assist warps.
extern const InstStreamPart caba_stream;
extern const Hazards caba_hazards;
// Can a routine begin for the warp in this cycle?
bool caba_free(const Caba *s, int warp, bool high);
// Begins a routine in these lanes. If it processes a line, the caller then writes the line into
// a->line.
Assist *caba_trigger(Caba *s, int warp, bool high, int routine, AssistJob job, uint32_t lanes);
// Kills a routine before its first store; true: killed.
bool caba_kill(Caba *s, Assist *a);
// kills routines without idle slots: their lines leave raw
void caba_give_up_slow(Sm *sm, Caba *s);
// frees entries whose last instruction has been performed
void caba_end_routines(Sm *sm, Caba *s);
void caba_unstage(Caba *s, Assist *a);  // drops the staged instructions
void caba_update(Caba *s, int warp);    // call after a change of the warp's staged instructions

// ---- caba_ctrl.c ----
// Table and controller alone, for another use.
Caba *caba_core_open(Sm *sm, Arena *arena, const CabaUse *use, void *user);
void caba_core_launch(Caba *s);
void caba_issued(Sm *sm, Caba *s, Assist *a);  // the entry's first staged instruction
bool caba_rests(const Sm *sm, const void *self);
// Events that every system with assist warps observes.
void caba_on_class(Sm *sm, void *self, const ClassEvent *e);
void caba_on_cycle_end(Sm *sm, void *self, const CycleEvent *e);
void caba_on_begun(Sm *sm, void *self, const FlightEvent *e);
void caba_on_ended(Sm *sm, void *self, const FlightEvent *e);

// ---- caba_deploy.c ----
void caba_offer(const Sm *sm, Caba *s);  // reports to the block the entries with room
void caba_stage(Sm *sm, Caba *s);        // puts the deployed instructions into the buffer

// ---- caba_lines.c ----
void caba_lines_open(Caba *s);
void caba_lines_launch(Sm *sm, Caba *s);
// images that wait for an entry of the table; those made without an entry
void caba_lines_arrivals(Sm *sm, Caba *s);
void caba_line_made(Sm *sm, Caba *s, Assist *a);   // the routine has ended
void caba_store_raw(Sm *sm, Caba *s, Assist *a);   // it was killed: the line of stores leaves raw
void caba_execute(Sm *sm, void *self, Flight *f);  // an access of the line buffer

extern const MemCodec caba_codec;

// ---- caba_memo.c, caba_prefetch.c: their routines; a test opens them with faulty ones ----
// texts by number of inputs: one, two
typedef struct CabaMemoText {
    const char *lookup[2], *insert[2];
} CabaMemoText;
extern const CabaMemoText caba_memo;
extern const char *const caba_stride;
void *caba_memo_open(Sm *sm, Arena *arena, const CabaMemoText *text);
void *caba_prefetch_open(Sm *sm, Arena *arena, const char *text);

#endif
