// SPDX-License-Identifier: Apache-2.0
#include "systems/systems.h"

// Compressed lines (CABA).
void summary_lines(FILE *out, const SummaryRun *run) {
    const uint64_t *v = run->counters->v, moved = v[CTR_MOVED_BURSTS];
    if (!moved) return;
    fprintf(out, "compressed lines\n");
    summary_row(out, "DRAM bursts, lines", moved, "ratio %.2f",
                summary_ratio(v[CTR_RAW_BURSTS], moved), NULL);
    summary_row(out, "DRAM bursts, metadata", v[CTR_MD_READS] + v[CTR_MD_WRITES],
                "%.1f %% of lookups missed",
                100 * summary_ratio(v[CTR_MD_READS], v[CTR_MD_LOOKUPS]), NULL);
    summary_row(out, "lines stored whole", v[CTR_LINES_STORED], "%.1f %% compressed",
                100 * summary_ratio(v[CTR_LINES_STORED_COMPRESSED], v[CTR_LINES_STORED]), NULL);
    summary_row(out, "lines retrieved", v[CTR_LINES_RETRIEVED], NULL, 0, NULL);
}
