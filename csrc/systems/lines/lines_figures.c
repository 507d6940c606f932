// SPDX-License-Identifier: Apache-2.0
// Figures of the paper on assist warps (CABA): compressed lines, by hardware or by assist warps.
// The paper's means are of its programs that are bound by bandwidth.
#include "systems/systems.h"

static double burst_ratio(const FigureRun *r, const FigureRun *base) {
    const double moved = figure_counter(r, CTR_MOVED_BURSTS);
    (void)base;
    return moved > 0 ? figure_counter(r, CTR_RAW_BURSTS) / moved : NAN;
}
static double stored_share(const FigureRun *r, const FigureRun *base) {
    const uint64_t *v = r->counters->v;
    (void)base;
    return figure_share(v[CTR_LINES_STORED_COMPRESSED], v[CTR_LINES_STORED]);
}

const FigureRow figures_lines[] = {
    {"caba 8",
     "IPC improvement, compressed lines",
     "%",
     "the paper's: programs that are bound by bandwidth",
     false,
     true,
     false,
     {{"hw-bdi-mem", "hw-bdi-mem", figure_ipc_gain, FIGURE_PAPER(NAN)},
      {"hw-bdi", "hw-bdi", figure_ipc_gain, FIGURE_PAPER(NAN)},
      {"ideal-bdi", "ideal-bdi", figure_ipc_gain, FIGURE_PAPER(NAN)},
      {"caba-bdi", "caba-bdi", figure_ipc_gain, FIGURE_PAPER(41.7)},
      {"caba-fpc", "caba-fpc", figure_ipc_gain, FIGURE_PAPER(20.7)},
      {"caba-cpack", "caba-cpack", figure_ipc_gain, FIGURE_PAPER(35.2)},
      {"caba-best", "caba-best", figure_ipc_gain, FIGURE_PAPER(NAN)}}},
    {"caba 9",
     "Cycles in which the DRAM bus is busy",
     "% of cycles",
     "the paper's: programs that are bound by bandwidth",
     false,
     false,
     false,
     {{"baseline", "baseline", figure_dram_busy, FIGURE_PAPER(53.6)},
      {"hw-bdi", "hw-bdi", figure_dram_busy, FIGURE_PAPER(NAN)},
      {"caba-bdi", "caba-bdi", figure_dram_busy, FIGURE_PAPER(35.6)},
      {"caba-best", "caba-best", figure_dram_busy, FIGURE_PAPER(NAN)}}},
    {"caba 1",
     "Bursts of raw lines over bursts that moved",
     "ratio",
     "metadata apart; the paper's: traffic of programs that are bound by bandwidth",
     false,
     false,
     true,
     {{"hw-bdi", "hw-bdi", burst_ratio, FIGURE_PAPER(NAN)},
      {"caba-bdi", "caba-bdi", burst_ratio, FIGURE_PAPER(2.1)},
      {"caba-fpc", "caba-fpc", burst_ratio, FIGURE_PAPER(NAN)},
      {"caba-cpack", "caba-cpack", burst_ratio, FIGURE_PAPER(NAN)},
      {"caba-best", "caba-best", burst_ratio, FIGURE_PAPER(NAN)}}},
    {"lines stored",
     "Whole lines that left the SM compressed",
     "% of lines stored",
     "",
     false,
     false,
     true,
     {{NULL, NULL, stored_share, FIGURE_PAPER(NAN)}}},
    {0},
};
