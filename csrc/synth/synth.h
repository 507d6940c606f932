// SPDX-License-Identifier: Apache-2.0
// Area and timing of a block from the verified RTL. Yosys and its abc map the RTL to the cells of a
// Liberty library, and OpenSTA times the mapped netlist.
//   liberty.c   the library's data that the flow requires: NAND2, flip-flops, node
//   liberty_parse.c, liberty_write.c, liberty_try.c
//               a Liberty file as a tree, its normalized copy for the tools, and a test whether
//               they accept it
//   activity.c  toggle rates of the RTL's bits, from a wave
//   power.c     power of the mapped netlist with these rates
//   fo4.c       delay of the library's inverter that drives four others
//   synth_memory.c    memories that become macros: their estimates and their Liberty file
//   synth_flow.c      the Yosys scripts
//   timing.c    OpenSTA, path groups, names in terms of the RTL
//   cache.c     results by the hash of all their inputs
//   overhead.c  storage against the papers' figures
//   area_baseline.c  checked-in results, and differences from them
//   synth_report.c    table, JSON, CSV
//
// The measured netlist is stored in `dir` for the 4-state gate-level run of verify/fourstate.h.
// Areas are in the library's unit (um2 in all known libraries). The netlist is not placed, so it
// has no wires. The clock is ideal. Inputs arrive at a clock edge and outputs are sampled at the
// next.
#ifndef SMCOSIM_SYNTH_SYNTH_H
#define SMCOSIM_SYNTH_SYNTH_H

#include "cosim/ports.h"

#include <stdio.h>

// The default library is that of Debian's package qflow-tech-osu018.
#define SYNTH_DEFAULT_LIBERTY "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
#define SYNTH_DEFAULT_CLOCK "5"
enum { SYNTH_MAX_GROUPS = 4, SYNTH_MAX_MACROS = 64 };

// ---- library -----------------------------------------------------------------------------------

// cell; its data pin, NULL: not one pin
typedef struct LibertyFlop {
    const char *name, *data;
} LibertyFlop;

// A cell that the copy omits: the unsupported statement, its position, and the reason.
typedef struct LibertyNote {
    const char *cell, *path;
    int line, col;
    const char *why;
} LibertyNote;

typedef struct Liberty {
    const char *path, *name;
    const char *link;  // name of the copy in scripts; NULL outside of synth_block
    uint64_t hash;     // hash of the unpacked text of the file and of the files that it includes
    const char *copy;  // the normalized text, which the tools read instead of the file
    size_t copy_bytes;
    uint64_t copy_hash;
    const struct LibertyItem **lines;  // the file's statement for each line of the copy
    int nlines;
    LibertyNote *left_out;
    int nleft_out;
    int nm;  // node; 0: not known
    double volts;
    // the library names operating conditions, OpenSTA's only source of the voltage for power
    bool conditions;
    // model by which OpenSTA estimates wires; NULL: the library names none, so wires count as 0
    const char *wire_load;
    const char *nand2, *buffer;
    const char *inverter, *inverter_in, *inverter_out;  // the smallest one and its pins; NULL: none
    // delay in ns of this inverter driving four copies; 0: not measured (liberty_fo4)
    double fo4;
    double nand2_area;   // area of the smallest two-input NAND
    double cap_pf;       // picofarads in its unit of capacitance
    LibertyFlop *flops;  // cells with a state
    int nflops;
    int ncells;  // including the omitted cells
} Liberty;

// Reads a library. nm: its node in nanometers, 0: derived from its name. EXIT_USAGE: the library
// does not parse, or has no flip-flop or no NAND2. l->left_out is filled in every case.
bool liberty_read(Liberty *l, Arena *arena, const char *path, int nm, Diag *d);
// Writes the copy as library.lib into `folder`. Returns its path, NULL after EXIT_ENVIRONMENT.
const char *liberty_copy(const Liberty *l, Arena *arena, const char *folder, Diag *d);
// Maps a small design to the library and times it, once per library (in the cache). EXIT_USAGE
// names the statement of the user's file that a tool rejects.
bool liberty_try(const Liberty *l, Arena *arena, const char *cache_dir, Diag *d);
// Measures l->fo4 with OpenSTA, or reads it from the cache. It remains 0 if the library has no
// inverter. EXIT_ENVIRONMENT.
bool liberty_fo4(Liberty *l, Arena *arena, const char *cache_dir, Diag *d);

// ---- memories ----------------------------------------------------------------------------------

// A memory within these limits of words, bits and ports is a macro; other memories are flip-flops.
// A macro with clocked reads and at most two ports is an SRAM. Other macros are register files (of
// latches or multi-port cells) with combinational reads.
enum {
    SYNTH_MACRO_WORDS = 16,
    SYNTH_MACRO_BITS = 1024,
    SYNTH_MACRO_READS = 32,
    SYNTH_MACRO_WRITES = 8
};

typedef struct SynthMacro {
    const char *name, *rtl;  // name in the netlist; "module.memory" in the RTL
    int width, words, reads, writes;
    bool clocked;                       // reads
    int count;                          // instances
    double area, access_ns, energy_pj;  // values of one macro; an access transfers one word
} SynthMacro;

// Computes the estimate (synth_memory.c has the constants and their sources).
void macro_estimate(SynthMacro *m, int nm, double volts);
// Prints every constant with its source.
void macro_constants(FILE *f);

// Above this number of gates before mapping, abc computes no structural choices (synth_flow.c).
enum { SYNTH_FAST_CELLS = 150000 };

// ---- one block ----------------------------------------------------------------------------------

typedef enum SynthGroup { GROUP_REG2REG, GROUP_IN2REG, GROUP_REG2OUT, GROUP_IN2OUT } SynthGroup;
extern const char *const synth_group_names[SYNTH_MAX_GROUPS];

typedef struct SynthPath {
    bool present;
    double slack, delay;    // ns; delay = clock - slack
    int cells;              // cells of the path between its ends
    const char *from, *to;  // RTL names of ports, registers and memories
} SynthPath;

typedef enum SynthFlatten { FLATTEN_ON = 1, FLATTEN_OFF = 2, FLATTEN_BOTH = 3 } SynthFlatten;

typedef struct SynthRequest {
    const BlockDesc *desc;
    const int *params;
    const char *rtl;  // the user's files, NULL: ours
    const Liberty *liberty;
    double clock;  // ns
    SynthFlatten flatten;
    // map each module, then flatten; otherwise flatten, then map
    bool bottom_up;
    const char *data_dir, *cache_dir;
} SynthRequest;

typedef struct SynthResult {
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    long cells, flops;  // standard cells, and the sequential ones among them
    // area of standard cells, flattened unless only the hierarchical netlist was made
    double area;
    double area_hier;                // area with the hierarchy kept; < 0: not measured
    double area_macros, area_total;  // estimate; area + area_macros
    double gates;                    // area / area of a NAND2
    long macro_bits;
    int depth;  // cells on the longest path between registers and ports
    SynthMacro macros[SYNTH_MAX_MACROS];
    int nmacros;
    bool timed;  // false: --flatten off
    SynthPath groups[SYNTH_MAX_GROUPS];
    int worst;              // group of the worst path, -1: none
    double fmax_reg, fmax;  // MHz; of reg2reg, of all groups; 0: no such path
    double area_delay;      // area_total x delay of the worst path, area unit x ns
    bool bottom_up;         // as requested
    bool fast;              // mapped without structural choices, because the block is too large
    double seconds;         // time of the tools
    bool cached;
    const char *dir;  // netlist.v, macros.v, macros.lib
} SynthResult;

// Synthesizes and times a block, or reads the result from the cache. EXIT_USAGE: the RTL is
// rejected. EXIT_ENVIRONMENT: a tool is missing or fails.
bool synth_block(SynthResult *result, Arena *arena, const SynthRequest *r, Diag *d);

// "yosys 0.23, sta 2.0.17". NULL after EXIT_ENVIRONMENT, which says how to install a missing tool.
const char *synth_tools(Arena *arena, Diag *d);

// Verilog models of the library's cells for the gate-level run; generated once into the cache. NULL
// after a Diag.
const char *synth_cell_models(Arena *arena, const SynthRequest *r, Diag *d);

// ---- power --------------------------------------------------------------------------------------

// Power of the standard cells in mW at the clock of the request. Wires are estimated by the
// library's wire_load. The clock tree and memories are not included (SynthMacro has the energy of
// an access).
typedef struct SynthPower {
    double registers, gates, leakage;  // dynamic power of registers and gates; leakage of all cells
    // cycles of the wave; work during these cycles (nonzero elements of ports of class WORK)
    uint64_t cycles, work;
    // registers and inputs with activity in the wave; all registers and inputs. Other bits count as
    // constant.
    int known, bits;
} SynthPower;
// `vcd`: a VCD wave of the block's RTL, as from `run --wave`. It has the activity of registers and
// inputs; OpenSTA derives the activity of the gates between them. EXIT_ENVIRONMENT: a tool fails,
// or the wave is not of this block. EXIT_USAGE: the library names no operating conditions.
bool synth_power(SynthPower *p, Arena *arena, const SynthResult *x, const SynthRequest *r,
                 const char *vcd, Diag *d);

// ---- reports ------------------------------------------------------------------------------------

// The measurements of a kernel at a point of a sweep.
typedef struct SynthKernel {
    bool present;
    uint64_t cycles;
    double ipc, energy_nj;  // RF energy; < 0: unknown for the architecture
} SynthKernel;

typedef struct SynthRow {
    const char *point;  // "iw=3"; NULL: no sweep
    SynthResult result;
    SynthKernel kernel;
    SynthPower power;   // bits 0: not requested
    const char *gates;  // verdict of the gate-level run, NULL: not requested
    ExitStatus status;
    // verdict that the status does not distinguish: timeout, bins; otherwise NULL
    const char *word;
    const char *message;  // set if status is not EXIT_PASS
} SynthRow;

typedef struct SynthReport {
    const char *version, *command, *tools;
    const Liberty *liberty;
    double clock;
    SynthFlatten flatten;
    const char *kernel, *power;  // launch files, NULL: none
    const char *const *notes;    // missing columns with the reasons
    int nnotes;
    SynthRow *rows;
    int nrows;
} SynthReport;

void synth_table(FILE *f, const SynthReport *r);
void synth_macro_table(FILE *f, const SynthReport *r);
bool synth_json(const char *path, const SynthReport *r, Diag *d);
bool synth_csv(const char *path, const SynthReport *r, Diag *d);

// ---- baselines ----------------------------------------------------------------------------------

// A figure has moved if it differs by more than 5 % from the baseline: area_total, or delay of the
// worst path.
typedef enum SynthVerdict { VERDICT_SAME, VERDICT_MOVED, VERDICT_STALE, VERDICT_NEW } SynthVerdict;
#define SYNTH_TOLERANCE 0.05
// EXIT_MISMATCH: a figure moved (REGRESSION, also for an improvement, because the baseline must be
// updated). EXIT_VACUOUS: all blocks are STALE, so nothing was checked. Otherwise EXIT_PASS. Prints
// a line per block.
ExitStatus baseline_check(const char *path, const SynthReport *r, FILE *f, Diag *d);
// Writes the rows into the file; other blocks are unchanged.
bool baseline_update(const char *path, const SynthReport *r, Diag *d);

// ---- storage against the papers -----------------------------------------------------------------

// Measures the blocks of the systems at the papers' sizes and prints the paper's value, ours,
// ratio, reason.
bool synth_overheads(FILE *f, const char *json, Arena *arena, const SynthRequest *base, Diag *d);

#endif
