// SPDX-License-Identifier: Apache-2.0
// Figures of the thesis, chapter 2: register packing, CORF, CORF++, virtualization.
#include "systems/systems.h"

#include "counters/energy.h"

static double width_share(const FigureRun *r, int bytes) {
    const uint64_t *v = r->counters->v;
    uint64_t all = 0;
    for (int i = 0; i < 4; i++) all += v[CTR_OPERANDS_1B + i] + v[CTR_RESULTS_1B + i];
    return figure_share(v[CTR_OPERANDS_1B + bytes - 1] + v[CTR_RESULTS_1B + bytes - 1], all);
}
#define WIDTH(n) \
    static double width_##n(const FigureRun *r, const FigureRun *b) { \
        (void)b; \
        return width_share(r, n); \
    }
WIDTH(1)
WIDTH(2)
WIDTH(3)
WIDTH(4)

static double fit_share(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_share(r->counters->v[CTR_MULTI_FIT], r->counters->v[CTR_MULTI_OPERAND]);
}
static double coalesced_share(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_share(r->counters->v[CTR_COALESCED], r->counters->v[CTR_MULTI_OPERAND]);
}
static double paired_share(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_share(r->counters->v[CTR_PAIR_FIT],
                        r->counters->v[CTR_PAIR_FIT] + r->counters->v[CTR_PAIR_MISSED]);
}
static double access_savings(const FigureRun *r, const FigureRun *base) {
    double then = figure_counter(base, CTR_RF_READS) + figure_counter(base, CTR_RF_WRITES);
    return 100 * (1 - (figure_counter(r, CTR_RF_READS) + figure_counter(r, CTR_RF_WRITES)) / then);
}
static double allocation_savings(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return 100 * (1 - figure_counter(r, CTR_PHYS_USED) / figure_counter(r, CTR_ARCH_USED));
}
static double dynamic_energy(const FigureRun *r, const FigureRun *base) {
    Energy e = energy_of(r->counters, figure_registers(r)),
           then = energy_of(base->counters, figure_registers(base));
    return 100 * (1 - (e.dynamic + e.dynamic_added) / then.dynamic);
}
static double leakage_energy(const FigureRun *r, const FigureRun *base) {
    Energy e = energy_of(r->counters, figure_registers(r)),
           then = energy_of(base->counters, figure_registers(base));
    return 100 * (1 - (e.leakage + e.leakage_added) / then.leakage);
}
static double code_size(const FigureRun *r, const FigureRun *base) {
    return base->insts ? 100.0 * (r->insts - base->insts) / base->insts : NAN;
}
static double size_changes(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_share(r->counters->v[CTR_ALLOC_GROW], r->counters->v[CTR_RF_WRITES]);
}

const FigureRow figures_packing[] = {
    {"2.2",
     "Width of the registers accessed",
     "% of accesses",
     "all 32 lanes of operands, active lanes of results",
     true,
     false,
     false,
     {{"1 byte", "baseline", width_1, FIGURE_PAPER(33)},
      {"2 bytes", "baseline", width_2, FIGURE_PAPER(NAN)},
      {"3 bytes", "baseline", width_3, FIGURE_PAPER(NAN)},
      {"4 bytes", "baseline", width_4, FIGURE_PAPER(35)}}},
    {"2.4",
     "Passes with several operands whose reads could be, and are, one read",
     "% of multi-operand passes",
     "could fit: by the widths of the baseline's registers"
     "; firstfit: coalesces registers that share one by chance",
     false,
     false,
     false,
     {{"firstfit", "firstfit", coalesced_share, FIGURE_PAPER(4)},
      {"could fit", "baseline", fit_share, FIGURE_PAPER(69)}}},
    {"2.6",
     "Pairs chosen by the compiler that fit one physical register",
     "% of second registers",
     "",
     false,
     false,
     false,
     {{"corf", "corf", paired_share, FIGURE_PAPER(80)}}},
    {"2.13",
     "Coalesced passes",
     "% of multi-operand passes",
     "",
     false,
     false,
     false,
     {{"firstfit", "firstfit", coalesced_share, FIGURE_PAPER(4)},
      {"corf", "corf", coalesced_share, FIGURE_PAPER(23)},
      {"corf++", "corf++", coalesced_share, FIGURE_PAPER(48)}}},
    {"2.14",
     "Reduction of register file accesses",
     "%",
     "reads and writes",
     false,
     false,
     false,
     {{"corf", "corf", access_savings, 10, 12, 4.5},
      {"corf++", "corf++", access_savings, 23, 27, 9.9}}},
    {"2.15",
     "IPC improvement",
     "%",
     "metadata instructions cost cycles and are not counted; harmonic mean of IPC ratios",
     false,
     true,
     false,
     {{"corf", "corf", figure_ipc_gain, 4, 4.9, 1.7},
      {"corf++", "corf++", figure_ipc_gain, 9, 10.5, 3.6}}},
    {"2.16",
     "Reduction of allocated physical registers",
     "%",
     "of registers per thread x resident warps, over time",
     false,
     false,
     false,
     {{"packing", "packing", allocation_savings, FIGURE_PAPER(34)},
      {"rfv", "rfv", allocation_savings, FIGURE_PAPER(35)},
      {"packing:rfv", "packing:rfv", allocation_savings, FIGURE_PAPER(54)},
      {"corf++:rfv", "corf++:rfv", allocation_savings, FIGURE_PAPER(54)}}},
    {"2.17",
     "Reduction of dynamic energy of the register file",
     "%",
     "added structures included",
     false,
     false,
     false,
     {{"corf", "corf", dynamic_energy, FIGURE_PAPER(8.5)},
      {"corf++", "corf++", dynamic_energy, FIGURE_PAPER(17)}}},
    {"2.18",
     "Reduction of leakage energy of the register file",
     "%",
     "unused registers gated, added structures included",
     false,
     false,
     false,
     {{"packing", "packing", leakage_energy, FIGURE_PAPER(33)},
      {"corf++:rfv", "corf++:rfv", leakage_energy, FIGURE_PAPER(52)}}},
    {"2.19",
     "Increase of static code size",
     "%",
     "metadata instructions",
     false,
     false,
     false,
     {{"corf", "corf", code_size, FIGURE_PAPER(1.3)},
      {"corf++", "corf++", code_size, FIGURE_PAPER(NAN)},
      {"corf++:rfv", "corf++:rfv", code_size, FIGURE_PAPER(NAN)}}},
    {"sizes",
     "Writes that move a register because its value grew",
     "% of writes",
     "section 2.6: less than 0.3 %",
     false,
     false,
     false,
     {{"packing", "packing", size_changes, FIGURE_PAPER(0.3)},
      {"corf++", "corf++", size_changes, FIGURE_PAPER(0.3)}}},
    {0},
};
