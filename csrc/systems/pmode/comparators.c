// SPDX-License-Identifier: Apache-2.0
// Machines and limits for the comparison with P-mode (Kim et al., HPCA 2016, sections 3 and 6).
// They have no parts and change only sizes:
//   2xtlp  doubles register file, shared memory, threads, warps and CTAs (figure 17).
//   2xbw   crossbar, L2 and DRAM at twice the clock (figure 18): twice the transfers per cycle. The
//          timings of DRAM and the round trips without load take half of the time.
//
// OptTB, the number of resident CTAs with the fastest baseline (figure 3), is a value of sm.ctas:
// smcosim sweep --best.
#include "systems/systems.h"

static bool change_key(MachineConfig *cfg, const char *arch, const char *how, const char *key,
                       int now, int then, Diag *d) {
    char assignment[64];
    snprintf(assignment, sizeof assignment, "%s=%d", key, then);
    Diag out_of_range = {0};
    if (config_set(cfg, assignment, &out_of_range)) return true;
    return diag_fail(d, EXIT_USAGE, "--arch: '%s' %s %s of %d: %s", arch, how, key, now,
                     out_of_range.text);
}

static bool double_key(MachineConfig *cfg, const char *arch, const char *key, int now, Diag *d) {
    return change_key(cfg, arch, "doubles", key, now, 2 * now, d);
}

static bool halve_key(MachineConfig *cfg, const char *arch, const char *key, int now, Diag *d) {
    return change_key(cfg, arch, "halves", key, now, (now + 1) / 2, d);
}

static bool double_threads(MachineConfig *c, Diag *d) {
    return double_key(c, "2xtlp", "sm.warps", c->sm_warps, d) &&
        double_key(c, "2xtlp", "sm.threads", c->sm_threads, d) &&
        double_key(c, "2xtlp", "sm.ctas", c->sm_ctas, d) &&
        double_key(c, "2xtlp", "rf.entries", c->rf_entries, d) &&
        double_key(c, "2xtlp", "shared.bytes", c->shared_bytes, d);
}

static bool double_bandwidth(MachineConfig *c, Diag *d) {
    return double_key(c, "2xbw", "xbar.flit", c->xbar_flit, d) &&
        double_key(c, "2xbw", "l2.bank_width", c->l2_bank_width, d) &&
        double_key(c, "2xbw", "dram.bytes_per_kcycle", c->dram_bytes_per_kcycle, d) &&
        double_key(c, "2xbw", "dram.clock_permille", c->dram_clock_permille, d) &&
        halve_key(c, "2xbw", "xbar.latency", c->xbar_latency, d) &&
        halve_key(c, "2xbw", "l2.latency", c->l2_latency, d) &&
        halve_key(c, "2xbw", "dram.latency", c->dram_latency, d);
}

const System system_2xtlp = {.name = "2xtlp",
                             .what = "doubled registers, shared memory, threads and CTAs",
                             .group = SYSTEM_TLP,
                             .with = SYSTEM_BANDWIDTH,
                             .reason = "it is a comparator of P-mode only",
                             .figures = figures_pmode,
                             .machine = double_threads};

const System system_2xbw = {.name = "2xbw",
                            .what = "crossbar, L2 and DRAM with twice the clock",
                            .group = SYSTEM_BANDWIDTH,
                            .with = SYSTEM_PMODE | SYSTEM_PREFETCH | SYSTEM_TLP,
                            .reason = "it was measured with P-mode and its comparators",
                            .figures = figures_pmode,
                            .machine = double_bandwidth};
