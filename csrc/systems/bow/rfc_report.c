// SPDX-License-Identifier: Apache-2.0
#include "systems/systems.h"

// Accesses that the register file cache saved the register file (thesis section 3.6).
void summary_cache(FILE *out, const SummaryRun *run) {
    const uint64_t *v = run->counters->v;
    const uint64_t stored = v[CTR_RFC_ALLOCATED] + v[CTR_RFC_OVERWRITTEN] + v[CTR_RFC_MERGED];
    const uint64_t results = stored + v[CTR_RFC_THROUGH];
    if (!results) return;
    fprintf(out, "register file cache\n");
    summary_row(out, "operands from the cache", v[CTR_RFC_READS], "%.1f %% of operands",
                100 * summary_ratio(v[CTR_RFC_READS], v[CTR_RFC_READS] + v[CTR_RF_READS]), NULL);
    summary_row(
        out, "read waits", v[CTR_RFC_READ_WAITS], "%.1f %% of request cycles",
        100 * summary_ratio(v[CTR_RFC_READ_WAITS], v[CTR_RFC_READS] + v[CTR_RFC_READ_WAITS]), NULL);
    summary_row(out, "results stored", stored, "%.1f %% of results",
                100 * summary_ratio(stored, results), NULL);
    summary_row(out, "... overwritten", v[CTR_RFC_OVERWRITTEN], "%.1f %%",
                100 * summary_ratio(v[CTR_RFC_OVERWRITTEN], stored), NULL);
    summary_row(out, "... merged", v[CTR_RFC_MERGED], "%.1f %%",
                100 * summary_ratio(v[CTR_RFC_MERGED], stored), NULL);
    summary_row(out, "... written back", v[CTR_RFC_WRITTEN_BACK], "%.1f %%",
                100 * summary_ratio(v[CTR_RFC_WRITTEN_BACK], stored), NULL);
    summary_row(out, "... dead", v[CTR_RFC_DEAD], "%.1f %%",
                100 * summary_ratio(v[CTR_RFC_DEAD], stored), NULL);
    summary_row(out, "... dropped at the warp's end", v[CTR_RFC_DROPPED], "%.1f %%",
                100 * summary_ratio(v[CTR_RFC_DROPPED], stored), NULL);
    summary_row(out, "results that went past it", v[CTR_RFC_THROUGH], "%.1f %% of results",
                100 * summary_ratio(v[CTR_RFC_THROUGH], results), NULL);
    summary_row(out, "result waits", v[CTR_RFC_RESULT_WAITS], NULL, 0, "port cycles");
    summary_row(out, "rows in use", (uint64_t)summary_ratio(v[CTR_RFC_ROWS], v[CTR_CYCLES]),
                "mean %.1f", summary_ratio(v[CTR_RFC_ROWS], v[CTR_CYCLES]), NULL);
}
