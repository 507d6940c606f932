// SPDX-License-Identifier: Apache-2.0
#include "systems/systems.h"

// Effects of packing, renaming and coalescing (thesis chapter 2).
void summary_packing(FILE *out, const SummaryRun *run) {
    const uint64_t *v = run->counters->v;
    if (!v[CTR_PHYS_USED]) return;
    const uint64_t operands =
        v[CTR_OPERANDS_1B] + v[CTR_OPERANDS_2B] + v[CTR_OPERANDS_3B] + v[CTR_OPERANDS_4B];
    const uint64_t pairs = v[CTR_PAIR_FIT] + v[CTR_PAIR_MISSED];
    const Energy e = energy_of(run->counters, run->cfg->rf_banks * run->cfg->rf_entries);
    fprintf(out, "packing\n");
    summary_row(out, "physical registers in use",
                (uint64_t)summary_ratio(v[CTR_PHYS_USED], v[CTR_CYCLES]),
                "%.1f %% of the architected ones",
                100 * summary_ratio(v[CTR_PHYS_USED], v[CTR_ARCH_USED]), NULL);
    summary_row(out, "operands of 1 byte", v[CTR_OPERANDS_1B], "%.1f %% of operands",
                100 * summary_ratio(v[CTR_OPERANDS_1B], operands), NULL);
    summary_row(out, "operands of 2 or 3 bytes", v[CTR_OPERANDS_2B] + v[CTR_OPERANDS_3B], "%.1f %%",
                100 * summary_ratio(v[CTR_OPERANDS_2B] + v[CTR_OPERANDS_3B], operands), NULL);
    summary_row(out, "coalesced reads", v[CTR_COALESCED], "%.1f %% of multi-operand passes",
                100 * summary_ratio(v[CTR_COALESCED], v[CTR_MULTI_OPERAND]), NULL);
    summary_row(out, "could be coalesced", v[CTR_MULTI_FIT], "%.1f %%",
                100 * summary_ratio(v[CTR_MULTI_FIT], v[CTR_MULTI_OPERAND]), NULL);
    summary_row(out, "pairs that fit", v[CTR_PAIR_FIT], "%.1f %%",
                100 * summary_ratio(v[CTR_PAIR_FIT], pairs), NULL);
    summary_row(out, "first allocations", v[CTR_ALLOC_FIRST], NULL, 0, NULL);
    summary_row(out, "values that grew", v[CTR_ALLOC_GROW], "%.1f %% of writes",
                100 * summary_ratio(v[CTR_ALLOC_GROW], v[CTR_RF_WRITES]), NULL);
    summary_row(out, "values that shrank", v[CTR_ALLOC_SHRINK], "%.1f %%",
                100 * summary_ratio(v[CTR_ALLOC_SHRINK], v[CTR_RF_WRITES]), NULL);
    summary_row(out, "kept wider than needed", v[CTR_WIDTH_BOUND], "%.2f %%",
                100 * summary_ratio(v[CTR_WIDTH_BOUND], v[CTR_RF_WRITES]), NULL);
    summary_row(out, "freed at their last use", v[CTR_REGS_FREED], NULL, 0, NULL);
    summary_row(out, "renaming table lookups", v[CTR_RT_LOOKUPS], "%.1f %% refused",
                100 * summary_ratio(v[CTR_RT_CONFLICTS], v[CTR_RT_LOOKUPS] + v[CTR_RT_CONFLICTS]),
                NULL);
    summary_row(out, "hint instructions", v[CTR_HINT_INSTS], NULL, 0, NULL);
    summary_energy(out, e);
}
