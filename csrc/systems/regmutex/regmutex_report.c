// SPDX-License-Identifier: Apache-2.0
#include "systems/systems.h"

// Acquired and released extended registers (thesis chapter 4).
void summary_regmutex(FILE *out, const SummaryRun *run) {
    const uint64_t *v = run->counters->v, granted = v[CTR_ACQ_GRANTED],
                   attempts = granted + v[CTR_ACQ_REFUSED];
    if (!attempts) return;
    fprintf(out, "register sections\n");
    summary_row(out, "acquires", granted, "%.1f %% granted at once",
                100 * summary_ratio(v[CTR_ACQ_FIRST], granted), NULL);
    summary_row(out, "attempts refused", v[CTR_ACQ_REFUSED], "%.1f %% of attempts",
                100 * summary_ratio(v[CTR_ACQ_REFUSED], attempts), NULL);
    summary_row(out, "compaction moves", v[CTR_COMPACT_MOVES], "%.2f %% of instructions",
                100 * summary_ratio(v[CTR_COMPACT_MOVES], v[CTR_WARP_INSTS]), NULL);
    summary_row(out, "nested acquires", v[CTR_ACQ_NESTED], NULL, 0, NULL);
    summary_row(out, "released", v[CTR_REL_RELEASED], NULL, 0, NULL);
    summary_row(out, "given back at exit", v[CTR_SECTIONS_BY_EXIT], NULL, 0, NULL);
    summary_row(out, "sections held", (uint64_t)summary_ratio(v[CTR_SECTION_CYCLES], v[CTR_CYCLES]),
                "mean %.2f", summary_ratio(v[CTR_SECTION_CYCLES], v[CTR_CYCLES]), NULL);
}

// Registers that two warps share (OWF).
void summary_shared(FILE *out, const SummaryRun *run) {
    const uint64_t *v = run->counters->v, taken = v[CTR_SHARED_TAKEN];
    if (!taken) return;
    fprintf(out, "shared registers\n");
    summary_row(out, "warps that took them", taken, NULL, 0, NULL);
    summary_row(out, "after their partner's end", v[CTR_SHARED_TAKEN_BEHIND], "%.1f %%",
                100 * summary_ratio(v[CTR_SHARED_TAKEN_BEHIND], taken), NULL);
    summary_row(out, "attempts refused", v[CTR_SHARED_REFUSED], NULL, 0, NULL);
    summary_row(out, "warps that have them",
                (uint64_t)summary_ratio(v[CTR_SHARED_CYCLES], v[CTR_CYCLES]), "mean %.2f",
                summary_ratio(v[CTR_SHARED_CYCLES], v[CTR_CYCLES]), NULL);
}
