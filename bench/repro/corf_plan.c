// SPDX-License-Identifier: Apache-2.0
// What is measured: the figures of the thesis' chapter 2 with its numbers, and experiments that
// vary one thing at a time.
#include "corf.h"

#include <math.h>
#include <stddef.h>

// What the paper's machine has and the preset leaves open.
const char corf_base_sets[] =
    "oc.collectors=4 rf.banks=4 rf.entries=256 sm.schedulers=2 compiler.addr_bits=32";
const char corf_figure_archs[] = "baseline,packing,firstfit,corf,corf++,rfv,packing:rfv,corf:rfv,corf++:rfv";
// As many of each class as in the paper's mix, of its suites' kinds.
const char corf_experiment_kernels[] =
    "bfs btree sad histogram pathfinder nw gaussian scan bitonic conv_int8 elim_int rle median3 "
    "search_short matmul_short sgemm blackscholes nbody hotspot kmeans";

const CorfConfig corf_configs[] = {
    {"As the paper: 4 collectors, two-level scheduler, 32-bit addresses", ""},
    {"64-bit addresses", "compiler.addr_bits=64"},
    {"16 collectors, GTO scheduler", "oc.collectors=16 sm.scheduler=gto"},
};
const int corf_nconfigs = sizeof corf_configs / sizeof *corf_configs;

// ---- figures ----

#define P(x) (x), NAN, NAN
#define PLAIN CORF_ARITHMETIC
const CorfFigure corf_figures[] = {
    {"2.2", "registers accessed of 1 byte, %", "baseline", corf_width1, PLAIN, P(33)},
    {"2.2", "of 2 bytes, %", "baseline", corf_width2, PLAIN, P(NAN)},
    {"2.2", "of 3 bytes, %", "baseline", corf_width3, PLAIN, P(NAN)},
    {"2.2", "of 4 bytes, %", "baseline", corf_width4, PLAIN, P(35)},
    {"2.3", "unused bits of reads, %", "baseline", corf_unused, PLAIN, P(NAN)},
    {"2.4", "passes with several operands that could be one read, %", "baseline", corf_could, PLAIN, P(69)},
    {"2.4", "such passes per 100 instructions", "baseline", corf_multi_insts, PLAIN, P(40)},
    {"2.4", "their registers, % of all registers read", "baseline", corf_multi_reads, PLAIN, P(70)},
    {"2.4", "coalesced, % of such passes", "firstfit", corf_coalesced, PLAIN, P(4)},
    {"2.13", "coalesced, % of such passes", "corf", corf_coalesced, PLAIN, P(23)},
    {"2.13", "", "corf:rfv", corf_coalesced, PLAIN, P(23)},
    {"2.13", "", "corf++", corf_coalesced, PLAIN, P(48)},
    {"2.13", "", "corf++:rfv", corf_coalesced, PLAIN, P(48)},
    {"2.13", "coalesced, % of those that could", "corf:rfv", corf_coalesced_of_fit, PLAIN, P(33)},
    {"2.13", "", "corf++:rfv", corf_coalesced_of_fit, PLAIN, P(70)},
    {"2.6", "second registers of pairs that went to their buddy, % of events", "corf", corf_pairs, PLAIN, P(80)},
    {"2.6", "", "corf:rfv", corf_pairs, PLAIN, P(80)},
    {"2.14", "RF accesses saved, %", "corf:rfv", corf_accesses, PLAIN, 10, 12, 4.5},
    {"2.14", "", "corf++:rfv", corf_accesses, PLAIN, 23, 27, 9.9},
    {"2.14", "", "corf", corf_accesses, PLAIN, 10, 12, 4.5},
    {"2.14", "", "corf++", corf_accesses, PLAIN, 23, 27, 9.9},
    {"2.14", "RF reads saved, %", "corf:rfv", corf_reads, PLAIN, P(10)},
    {"2.14", "", "corf++:rfv", corf_reads, PLAIN, P(23)},
    {"2.15", "IPC gain, %, harmonic mean", "packing", corf_ipc_gain, CORF_HARMONIC_GAIN, P(0)},
    {"2.15", "", "rfv", corf_ipc_gain, CORF_HARMONIC_GAIN, P(NAN)},
    {"2.15", "", "packing:rfv", corf_ipc_gain, CORF_HARMONIC_GAIN, P(0)},
    {"2.15", "", "firstfit", corf_ipc_gain, CORF_HARMONIC_GAIN, P(NAN)},
    {"2.15", "", "corf", corf_ipc_gain, CORF_HARMONIC_GAIN, 4, 4.9, 1.7},
    {"2.15", "", "corf:rfv", corf_ipc_gain, CORF_HARMONIC_GAIN, 4, 4.9, 1.7},
    {"2.15", "", "corf++", corf_ipc_gain, CORF_HARMONIC_GAIN, 9, 10.5, 3.6},
    {"2.15", "", "corf++:rfv", corf_ipc_gain, CORF_HARMONIC_GAIN, 9, 10.5, 3.6},
    {"2.16", "physical registers saved, % of architected, over time", "packing", corf_allocated, PLAIN, P(34)},
    {"2.16", "", "rfv", corf_allocated, PLAIN, P(35)},
    {"2.16", "", "packing:rfv", corf_allocated, PLAIN, P(54)},
    {"2.16", "", "corf++:rfv", corf_allocated, PLAIN, P(54)},
    {"2.17", "dynamic energy saved, %, additions included", "corf:rfv", corf_dynamic, PLAIN, P(8.5)},
    {"2.17", "", "corf++:rfv", corf_dynamic, PLAIN, P(17)},
    {"2.18", "leakage saved, %, additions included", "packing", corf_leakage, PLAIN, P(33)},
    {"2.18", "", "corf++:rfv", corf_leakage, PLAIN, P(52)},
    {"2.18", "architected registers in the file, % of its rows", "baseline", corf_fill, PLAIN, P(93)},
    {"2.19", "growth of static code, %", "corf", corf_code, PLAIN, P(1.3)},
    {"2.19", "", "corf++", corf_code, PLAIN, P(NAN)},
    {"T2.1", "IPC", "packing", corf_ipc_ratio, CORF_HARMONIC, P(1)},
    {"T2.1", "", "packing:rfv", corf_ipc_ratio, CORF_HARMONIC, P(1)},
    {"T2.1", "", "corf:rfv", corf_ipc_ratio, CORF_HARMONIC, P(1.04)},
    {"T2.1", "", "corf++:rfv", corf_ipc_ratio, CORF_HARMONIC, P(1.09)},
    {"T2.1", "reads", "packing", corf_read_ratio, PLAIN, P(1)},
    {"T2.1", "", "packing:rfv", corf_read_ratio, PLAIN, P(1)},
    {"T2.1", "", "corf:rfv", corf_read_ratio, PLAIN, P(0.9)},
    {"T2.1", "", "corf++:rfv", corf_read_ratio, PLAIN, P(0.77)},
    {"T2.1", "dynamic energy", "packing", corf_energy_ratio, PLAIN, P(1)},
    {"T2.1", "", "packing:rfv", corf_energy_ratio, PLAIN, P(1)},
    {"T2.1", "", "corf:rfv", corf_energy_ratio, PLAIN, P(0.92)},
    {"T2.1", "", "corf++:rfv", corf_energy_ratio, PLAIN, P(0.83)},
    {"T2.1", "size", "packing", corf_size_ratio, PLAIN, P(0.65)},
    {"T2.1", "", "packing:rfv", corf_size_ratio, PLAIN, P(0.43)},
    {"T2.1", "", "corf:rfv", corf_size_ratio, PLAIN, P(0.43)},
    {"T2.1", "", "corf++:rfv", corf_size_ratio, PLAIN, P(0.43)},
    {"text", "growth, % of writes", "packing", corf_growth, PLAIN, P(0.3)},
    {"text", "", "packing:rfv", corf_growth, PLAIN, P(0.3)},
    {"text", "", "corf:rfv", corf_growth, PLAIN, P(0.3)},
    {"text", "", "corf++:rfv", corf_growth, PLAIN, P(0.3)},
    {"text", "growth, per mapping", "packing", corf_growth_life, PLAIN, P(NAN)},
    {"text", "", "packing:rfv", corf_growth_life, PLAIN, P(NAN)},
    {"text", "first writes, % of writes", "packing", corf_first, PLAIN, P(NAN)},
    {"text", "", "packing:rfv", corf_first, PLAIN, P(NAN)},
    {"text", "shrinks, % of writes", "packing", corf_shrink, PLAIN, P(NAN)},
    {"text", "", "packing:rfv", corf_shrink, PLAIN, P(NAN)},
    {"text", "lookups refused a port, % of lookups", "packing", corf_refused, PLAIN, P(NAN)},
    {"text", "", "corf++:rfv", corf_refused, PLAIN, P(NAN)},
};
const int corf_nfigures = sizeof corf_figures / sizeof *corf_figures;

// ---- columns of the experiments ----

const CorfColumn corf_columns[] = {
    {"IPC", corf_ipc, CORF_HARMONIC, CORF_ALL, 2},
    {"gain %", corf_ipc_gain, CORF_HARMONIC_GAIN, CORF_ALL, 1},
    {"int", corf_ipc_gain, CORF_HARMONIC_GAIN, CORF_INT, 1},
    {"float", corf_ipc_gain, CORF_HARMONIC_GAIN, CORF_FLOAT, 1},
    {"15:5", corf_ipc_gain, CORF_HARMONIC_GAIN, CORF_MIX, 1},
    {"to packing %", corf_to_packing, CORF_HARMONIC_GAIN, CORF_ALL, 1},
    {"access / bank, cycle", corf_utilisation, PLAIN, CORF_ALL, 2},
    {"multi-operand %", corf_multi_insts, PLAIN, CORF_ALL, 0},
    {"accesses saved %", corf_accesses, PLAIN, CORF_ALL, 1},
    {"growth %", corf_growth, PLAIN, CORF_ALL, 1},
    {"RT refused %", corf_refused, PLAIN, CORF_ALL, 1},
};
const int corf_ncolumns = sizeof corf_columns / sizeof *corf_columns;

enum { X_WIDTH1, X_WIDTH4, X_COULD, X_COALESCED, X_PAIRS, X_UPDATES, X_LIFE, X_FILL, X_LEAKAGE, X_SIZE, X_CONFLICTS };
#define X(n) (1u << X_##n)
const CorfColumn corf_extra_columns[] = {
    [X_WIDTH1] = {"1 byte %", corf_width1, PLAIN, CORF_ALL, 1},
    [X_WIDTH4] = {"4 bytes %", corf_width4, PLAIN, CORF_ALL, 1},
    [X_COULD] = {"could %", corf_could, PLAIN, CORF_ALL, 1},
    [X_COALESCED] = {"coalesced %", corf_coalesced, PLAIN, CORF_ALL, 1},
    [X_PAIRS] = {"pairs fit %", corf_pairs, PLAIN, CORF_ALL, 1},
    [X_UPDATES] = {"RT updates % of writes", corf_updates, PLAIN, CORF_ALL, 1},
    [X_LIFE] = {"growths per mapping", corf_growth_life, PLAIN, CORF_ALL, 2},
    [X_FILL] = {"fill %", corf_fill, PLAIN, CORF_ALL, 1},
    [X_LEAKAGE] = {"leakage saved %", corf_leakage, PLAIN, CORF_ALL, 1},
    [X_SIZE] = {"registers saved %", corf_allocated, PLAIN, CORF_ALL, 1},
    [X_CONFLICTS] = {"reads refused a bank %", corf_conflicts, PLAIN, CORF_ALL, 1},
    {0},
};

// ---- experiments ----

#define LONG "pathfinder_long histogram_long sad_long stencil2d_long"
#define NARROW "conv_int8 elim_int rle median3 search_short matmul_short"
#define MAIN "baseline,packing,corf:rfv,corf++:rfv"
#define AT(name, keys, ...) {.label = name, .sets = keys, __VA_ARGS__}
const CorfExperiment corf_experiments[] = {
    {1, "What renaming costs in time, each made free in the golden models (rename.ideal, a bound, not a machine)",
     "with lookups free packing is within 1 % of the baseline", MAIN, NULL, 0, NULL,
     {AT("as built", ""), AT("lookups", "rename.ideal=1"), AT("buddies' lookups", "rename.ideal=2"),
      AT("merging", "rename.ideal=4"), AT("freeing of a warp that ended", "rename.ideal=8"),
      AT("new places", "rename.ideal=16"), AT("all of it", "rename.ideal=31")}},
    {2, "Operand collectors", "the gain of CORF++ rises as collectors fall; 4 is the paper's figure 2.1",
     MAIN, NULL, X(COALESCED) | X(CONFLICTS), NULL,
     {AT("4 collectors", "oc.collectors=4"), AT("6", "oc.collectors=6"), AT("8", "oc.collectors=8"),
      AT("16", "oc.collectors=16")}},
    {3, "Banks, the file's size being equal", "the gain falls with banks; at 16 only the collectors' port matters",
     MAIN, NULL, X(COALESCED) | X(CONFLICTS), NULL,
     {AT("2 banks", "rf.banks=2 rf.entries=512"), AT("4", ""), AT("8", "rf.banks=8 rf.entries=128"),
      AT("16", "rf.banks=16 rf.entries=64")}},
    {4, "Ports and banks of the renaming table", "conflicts cost less than 1 %: unlimited ports are the bound", MAIN, NULL, 0, NULL,
     {AT("bank (register + warp) mod banks", "rename.table=register"), AT("bank warp mod banks", "rename.table=warp"),
      AT("ports unlimited", "rename.ideal=1")}},
    {5, "Shrinking, growing, freeing at death", "growth and table updates: each reading of the paper, with and without rfv",
     "baseline,packing,packing:rfv,corf++,corf++:rfv", NULL, X(UPDATES) | X(LIFE) | X(SIZE), NULL,
     {AT("shrink free, grow in place", "rename.shrink=free rename.grow=inplace"),
      AT("shrink hold, grow in place", "rename.shrink=hold rename.grow=inplace"),
      AT("shrink free, grow moves", "rename.shrink=free rename.grow=move"),
      AT("shrink hold, grow moves", "rename.shrink=hold rename.grow=move")}},
    {6, "Registers by width class", "growth below 1 %, pairs fit more often; the file is fuller",
     MAIN, NULL, X(PAIRS) | X(LIFE) | X(FILL), "registers without bound: a thread has 63 at most",
     {AT("one colour for any width", "compiler.widths=never"), AT("a colour for a width class, where it costs no warp", "compiler.widths=packing")}},
    {7, "Width and merging under divergence", "merging costs time and accesses where warps diverge",
     "baseline,packing,packing:rfv,corf++:rfv", NULL, X(UPDATES),
     "the true width of 32 lanes: the block knows the written lanes and the width before",
     {AT("as built", ""), AT("merging free", "rename.ideal=4")}},
    {8, "Widths: address width, and kernels on bytes and 16-bit integers",
     "figure 2.2's 33 % of one byte and 35 % of four; what can be coalesced follows", MAIN, NULL,
     X(WIDTH1) | X(WIDTH4) | X(COULD) | X(COALESCED), "16- and 24-bit multiplies of the simulator's first-generation code",
     {AT("32-bit addresses", ""), AT("64-bit addresses", "compiler.addr_bits=64"),
      AT("32 bits, without the narrow kernels", "", .without = NARROW)}},
    {9, "Scheduler and machine", "a smaller active set exposes the time in the collectors: the gain rises", MAIN, NULL, 0, NULL,
     {AT("two-level, 6 active", "sm.active_warps=6"), AT("8 active", "sm.active_warps=8"),
      AT("all active", "sm.active_warps=24"), AT("gto", "sm.scheduler=gto"), AT("lrr", "sm.scheduler=lrr"),
      AT("machine fermi, two-level, 8 active", "sm.scheduler=two-level", .machine = "fermi")}},
    {10, "Write ports", "writers' conflicts show where all operands of a warp are in one bank", MAIN, NULL, X(CONFLICTS), NULL,
     {AT("2 write ports", ""), AT("4", "rf.write_ports=4")}},
    {11, "Places and banks of CORF++ without coalescing", "no cost on average: what CORF++ gains is not lost to its mapping",
     "baseline,packing,corf++-map,corf++", NULL, X(COALESCED) | X(CONFLICTS), NULL,
     {AT("bank = warp mod banks", ""), AT("16 collectors", "oc.collectors=16")}},
    {12, "Order in which first fit tries places", "`lowest` lets neighbours share a row: first fit coalesces 4 % instead of none",
     "baseline,packing,firstfit,corf:rfv", NULL, X(COALESCED) | X(PAIRS), NULL,
     {AT("rotate", "rename.order=rotate"), AT("lowest", "rename.order=lowest")}},
    {13, "Length of loops", "a growth that happens once in a register's life falls as 1 / n",
     "baseline,packing,packing:rfv,corf++:rfv", LONG, X(LIFE) | X(UPDATES), NULL,
     {AT("1/16 of the iterations", "", .loops = 16), AT("1/4", "", .loops = 4), AT("all", "", .loops = 1)}},
    {14, "Fill of the register file: the same kernels in a smaller file",
     "leakage saved falls towards the paper's 33 and 52 % at a fill of 93 %", "baseline,packing,corf++:rfv", NULL,
     X(FILL) | X(SIZE) | X(LEAKAGE), NULL,
     {AT("256 rows per bank", ""), AT("192", "rf.entries=192"), AT("160", "rf.entries=160"), AT("128", "rf.entries=128")}},
};
const int corf_nexperiments = sizeof corf_experiments / sizeof *corf_experiments;
