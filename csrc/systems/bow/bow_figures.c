// SPDX-License-Identifier: Apache-2.0
// Figures of the thesis, chapter 3: operand bypassing.
#include "systems/systems.h"

#include "counters/energy.h"

// Of bypassing collectors.
static double forwarded_share(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return figure_share(r->counters->v[CTR_BOW_FORWARDS], r->counters->v[CTR_BOW_SOURCES]);
}
static double unwritten_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return v[CTR_BOW_RESULTS] ? 100 - figure_share(v[CTR_RF_WRITES], v[CTR_BOW_RESULTS]) : NAN;
}
#define BITS(n) \
    static double bits_##n(const FigureRun *r, const FigureRun *b) { \
        uint64_t all = 0; \
        (void)b; \
        for (int i = 0; i < 4; i++) all += r->counters->v[CTR_BOW_BITS_00 + i]; \
        return figure_share(r->counters->v[CTR_BOW_BITS_00 + n], all); \
    }
BITS(0)
BITS(1)
BITS(2)
BITS(3)
// More registers of the window in the collector than half of its rows, 2 of 4 per instruction.
static double fuller_share(const FigureRun *r, const FigureRun *base) {
    uint64_t more = 0;
    (void)base;
    for (int i = CTR_BOW_ROWS_0 + 2 * r->cfg->bow_window + 1; i <= CTR_BOW_ROWS_28; i++)
        more += r->counters->v[i];
    return figure_share(more, r->counters->v[CTR_BOW_WINDOW_CYCLES]);
}
// Cycles from entering a collector to dispatch, of an arithmetic instruction.
static double collection_cycles(const FigureRun *r) {
    return figure_counter(r, CTR_COLLECT_ALU) /
        (figure_counter(r, CTR_EXEC_SP) + figure_counter(r, CTR_EXEC_SFU));
}
static double collected_sooner(const FigureRun *r, const FigureRun *base) {
    return 100 * (1 - collection_cycles(r) / collection_cycles(base));
}
// Cycles in collection, of those from issue to the last write, of an arithmetic instruction.
static double collecting_share(const FigureRun *r, const FigureRun *base) {
    (void)base;
    return 100 * figure_counter(r, CTR_COLLECT_ALU) / figure_counter(r, CTR_FLIGHT_ALU);
}
// Dynamic energy saved.
static double bow_energy(const FigureRun *r, const FigureRun *base) {
    const Energy e = bow_energy_of(r->counters, figure_registers(r), r->cfg->oc_collectors, 0);
    return 100 *
        (1 -
         (e.dynamic + e.dynamic_added) /
             bow_energy_of(base->counters, figure_registers(base), 0, 0).dynamic);
}

const FigureRow figures_bypassing[] = {
    {"3.4",
     "Share of operand collection in the time from issue to finish",
     "%",
     "of arithmetic instructions",
     false,
     false,
     true,
     {{"baseline", "baseline", collecting_share, FIGURE_PAPER(25)},
      {"bow", "bow", collecting_share, FIGURE_PAPER(NAN)},
      {"bow-wr", "bow-wr", collecting_share, FIGURE_PAPER(NAN)}}},
    {"bow r",
     "Sources that the collectors forward",
     "% of sources",
     "machine's window (bow.window)",
     false,
     false,
     true,
     {{"bow", "bow", forwarded_share, FIGURE_PAPER(59)},
      {"bow-wb", "bow-wb", forwarded_share, FIGURE_PAPER(NAN)},
      {"bow-wr", "bow-wr", forwarded_share, FIGURE_PAPER(NAN)},
      {"bow-wr-half", "bow-wr-half", forwarded_share, FIGURE_PAPER(NAN)}}},
    {"bow w",
     "Results that the register file never gets",
     "% of results",
     "",
     false,
     false,
     true,
     {{"bow-wb", "bow-wb", unwritten_share, FIGURE_PAPER(NAN)},
      {"bow-wr", "bow-wr", unwritten_share, FIGURE_PAPER(52)},
      {"bow-wr-half", "bow-wr-half", unwritten_share, FIGURE_PAPER(NAN)}}},
    {"3.7",
     "Results by their write bits",
     "% of results",
     "",
     true,
     false,
     true,
     {{"nowhere", "bow-wr", bits_0, FIGURE_PAPER(NAN)},
      {"register file", "bow-wr", bits_1, FIGURE_PAPER(21)},
      {"collector", "bow-wr", bits_2, FIGURE_PAPER(52)},
      {"both", "bow-wr", bits_3, FIGURE_PAPER(27)}}},
    {"3.9",
     "Cycles of a collector with more than half of its rows in use",
     "% of cycles",
     "registers of the window",
     false,
     false,
     true,
     {{"bow-wb", "bow-wb", fuller_share, FIGURE_PAPER(3)},
      {"bow-wr", "bow-wr", fuller_share, FIGURE_PAPER(NAN)}}},
    {"3.10",
     "IPC improvement",
     "%",
     "bow-nofwd: collectors per warp without forwarding; harmonic mean of IPC ratios",
     false,
     true,
     true,
     {{"bow", "bow", figure_ipc_gain, FIGURE_PAPER(11)},
      {"bow-wb", "bow-wb", figure_ipc_gain, FIGURE_PAPER(NAN)},
      {"bow-wr", "bow-wr", figure_ipc_gain, FIGURE_PAPER(13)},
      {"bow-nofwd", "bow-nofwd", figure_ipc_gain, FIGURE_PAPER(NAN)},
      {"rfc", "rfc", figure_ipc_gain, FIGURE_PAPER(NAN)}}},
    {"3.11",
     "IPC improvement with half of the rows",
     "%",
     "",
     false,
     true,
     true,
     {{"bow-wr-half", "bow-wr-half", figure_ipc_gain, FIGURE_PAPER(11)}}},
    {"3.12",
     "Reduction of the cycles in operand collection",
     "%",
     "of arithmetic instructions, from entering a collector to dispatch",
     false,
     false,
     true,
     {{"bow", "bow", collected_sooner, FIGURE_PAPER(60)},
      {"bow-wr", "bow-wr", collected_sooner, FIGURE_PAPER(NAN)},
      {"bow-nofwd", "bow-nofwd", collected_sooner, FIGURE_PAPER(NAN)}}},
    {"3.13",
     "Reduction of dynamic energy of the register file, operand bypassing",
     "%",
     "added structures included",
     false,
     false,
     true,
     {{"bow", "bow", bow_energy, FIGURE_PAPER(36)},
      {"bow-wr", "bow-wr", bow_energy, FIGURE_PAPER(55)},
      {"bow-wr-half", "bow-wr-half", bow_energy, FIGURE_PAPER(NAN)}}},
    {0},
};
