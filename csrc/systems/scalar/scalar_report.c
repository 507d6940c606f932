// SPDX-License-Identifier: Apache-2.0
#include "systems/systems.h"

// Scalar threads, or instructions of warps on scalar units (GCN mode).
void summary_scalar(FILE *out, const SummaryRun *run) {
    const uint64_t *v = run->counters->v, instructions = v[CTR_SCALAR_INSTS];
    if (!instructions) return;
    fprintf(out, "scalar units\n");
    summary_row(out, "threads", v[CTR_SCALAR_THREADS], "mean %.1f",
                summary_ratio(v[CTR_SCALAR_RESIDENT], v[CTR_CYCLES]), "resident");
    summary_row(out, "instructions", instructions, "%.2f %% of warp instructions",
                100 * summary_ratio(instructions, v[CTR_WARP_INSTS]), NULL);
    summary_row(out, "... beside the threads'", instructions, "%.3f %% of thread instructions",
                100 * summary_ratio(instructions, v[CTR_THREAD_INSTS]), NULL);
    summary_row(out, "words read and written", v[CTR_SCALAR_RF_READS] + v[CTR_SCALAR_RF_WRITES],
                "%.2f per instruction",
                summary_ratio(v[CTR_SCALAR_RF_READS] + v[CTR_SCALAR_RF_WRITES], instructions),
                NULL);
    summary_row(out, "operations", v[CTR_SCALAR_ALU] + v[CTR_SCALAR_SFU],
                "%.3f %% of those of lanes",
                100 * summary_ratio(v[CTR_SCALAR_ALU] + v[CTR_SCALAR_SFU], v[CTR_ALU_LANES]), NULL);
    summary_row(out, "requests to memory", v[CTR_SCALAR_REQUESTS], NULL, 0, NULL);
    summary_row(out, "touches", v[CTR_TOUCHES], "%.1f %% outside of allocations",
                100 * summary_ratio(v[CTR_TOUCHES_DROPPED], v[CTR_TOUCHES]), NULL);
    summary_row(out, "barriers with the thread", v[CTR_SCALAR_BARRIERS],
                "%.1f %% after the end of one side",
                100 * summary_ratio(v[CTR_SCALAR_BARRIERS_ALONE], v[CTR_SCALAR_BARRIERS]), NULL);
    summary_row(out, "waits for the thread", v[CTR_SCALAR_WAIT], "%.1f %% of warp cycles",
                100 * summary_ratio(v[CTR_SCALAR_WAIT], v[CTR_WARPS_RESIDENT]), NULL);
    summary_energy(out, scalar_energy_of(run->counters, run->cfg->rf_banks * run->cfg->rf_entries));
}
