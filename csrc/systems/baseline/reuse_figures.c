// SPDX-License-Identifier: Apache-2.0
// How near to each other instructions name a register (stats.reuse; thesis chapter 3), of the
// baseline.
#include "systems/systems.h"

// Of windows of 2 to 7 instructions (stats.reuse), and instructions by their number of sources.
static double reuse_share(const FigureRun *r, CounterId first, int window, CounterId of) {
    return figure_share(r->counters->v[first + (unsigned)window - 2], r->counters->v[of]);
}
#define WINDOW(n) \
    static double hits_##n(const FigureRun *r, const FigureRun *b) { \
        (void)b; \
        return reuse_share(r, CTR_REUSE_HITS_2, n, CTR_REUSE_SOURCES); \
    } \
    static double bypassed_##n(const FigureRun *r, const FigureRun *b) { \
        (void)b; \
        return reuse_share(r, CTR_REUSE_BYPASSED_2, n, CTR_REUSE_RESULTS); \
    }
WINDOW(2)
WINDOW(3)
WINDOW(4)
WINDOW(5)
WINDOW(6)
WINDOW(7)
#define SOURCES(n) \
    static double sources_##n(const FigureRun *r, const FigureRun *b) { \
        uint64_t all = 0; \
        (void)b; \
        for (int i = 0; i < 4; i++) all += r->counters->v[CTR_REUSE_WITH_0 + i]; \
        return figure_share(r->counters->v[CTR_REUSE_WITH_0 + n], all); \
    }
SOURCES(0)
SOURCES(1)
SOURCES(2)
SOURCES(3)

const FigureRow figures_reuse[] = {
    {"3.3 r",
     "Source registers that a window of a warp's last instructions holds",
     "% of sources",
     "",
     false,
     false,
     true,
     {{"IW 2", "baseline", hits_2, FIGURE_PAPER(45)},
      {"IW 3", "baseline", hits_3, FIGURE_PAPER(59)},
      {"IW 4", "baseline", hits_4, FIGURE_PAPER(NAN)},
      {"IW 5", "baseline", hits_5, FIGURE_PAPER(NAN)},
      {"IW 6", "baseline", hits_6, FIGURE_PAPER(NAN)},
      {"IW 7", "baseline", hits_7, FIGURE_PAPER(70)}}},
    {"3.3 w",
     "Results that need no place outside of it",
     "% of results",
     "an upper bound, because it uses the reads that follow",
     false,
     false,
     true,
     {{"IW 2", "baseline", bypassed_2, FIGURE_PAPER(35)},
      {"IW 3", "baseline", bypassed_3, FIGURE_PAPER(52)},
      {"IW 4", "baseline", bypassed_4, FIGURE_PAPER(NAN)},
      {"IW 5", "baseline", bypassed_5, FIGURE_PAPER(NAN)},
      {"IW 6", "baseline", bypassed_6, FIGURE_PAPER(NAN)},
      {"IW 7", "baseline", bypassed_7, FIGURE_PAPER(NAN)}}},
    {"3.8",
     "Instructions by their different source registers",
     "% of instructions",
     "",
     true,
     false,
     true,
     {{"none", "baseline", sources_0, FIGURE_PAPER(NAN)},
      {"one", "baseline", sources_1, FIGURE_PAPER(NAN)},
      {"two", "baseline", sources_2, FIGURE_PAPER(NAN)},
      {"three or more", "baseline", sources_3, FIGURE_PAPER(2)}}},
    {0},
};
