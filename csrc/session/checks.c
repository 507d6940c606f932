// SPDX-License-Identifier: Apache-2.0
// Checks of an ended run: memory against the oracle's, empty comparisons, seeded faults.
#include "session/run_parts.h"
#include "base/status.h"

#include "launch/launch.h"
#include "session/findings.h"

#include <string.h>

// ---- the oracle ----

bool checks_memory(Run *r, Diag *d) {
    for (int i = 0; i < r->pristine.nallocs; i++) {
        const DeviceAlloc *a = &r->pristine.allocs[i];
        const uint8_t *want = r->pristine.base + a->addr, *got = r->memory.base + a->addr;
        if (a->heap || a->addr == r->unordered)
            continue;  // their contents are private to the program
        r->report->oracle_compared += a->bytes;
        if (!memcmp(want, got, a->bytes)) continue;
        uint32_t at = 0, differing = 0;
        for (uint32_t b = a->bytes; b-- > 0;)
            if (want[b] != got[b]) differing++, at = b;
        return diag_fail(d, EXIT_WRONG_RESULT,
                         "%s: %s differs from the PTX oracle in %u bytes, first at "
                         "byte %u: oracle 0x%02x, SM 0x%02x",
                         r->name, a->name, differing, at, want[at], got[at]);
    }
    return true;
}

// Restores the memory before the first step, because the oracle has changed the first copy.
static bool place_again(Run *r, Diag *d) {
    Arena *arena = r->setup.arena;
    const Program *p = &r->program;
    device_close(&r->pristine);
    if (!device_open(&r->pristine, arena, d) || !launch_place(r->launch, &r->pristine, d))
        return false;
    for (int i = 0; i < p->nmodules; i++)
        if (!layout_module(&p->modules[i]->layout, arena, p->modules[i]->module, &r->pristine, d))
            return false;
    return launch_fill(r->launch, &r->pristine, d);
}

bool checks_program(Run *r, Diag *d) {
    const SessionOptions *o = r->setup.o;
    Arena *arena = r->setup.arena;
    const bool wrong = !diag_ok(d);
    Diag pass = {0};
    r->found = (OracleFindings){.arena = arena, .races = o->check_race || wrong};
    if (!run_steps(r, step_on_oracle, &r->pristine, &pass)) {
        if (!wrong) *d = pass;
        findings_judge(r->report, &r->found, o, arena, d);
        return false;
    }
    if (!wrong && o->check_oracle && !checks_memory(r, d) && !r->found.races) {
        r->found = (OracleFindings){.arena = arena, .races = true};
        if (!place_again(r, &pass) || !run_steps(r, step_on_oracle, &r->pristine, &pass))
            return false;
    }
    return findings_judge(r->report, &r->found, o, arena, d);
}

bool checks_compared(const LaunchReport *r, const SessionOptions *o, Diag *d) {
    if (o->check_retire && !r->retire_compared)
        return diag_fail(d, EXIT_VACUOUS,
                         "vacuous: --check retire compared nothing: no warp issued an instruction");
    if (o->check_oracle && !r->oracle_compared)
        return diag_fail(d, EXIT_VACUOUS,
                         "vacuous: --check oracle compared nothing: global memory has no buffer "
                         "and no variable");
    if (o->check_codec && !r->counters.v[CTR_ASSIST_CHECKED])
        return diag_fail(
            d, EXIT_VACUOUS,
            "vacuous: --check codec compared nothing: no assist warp compressed a line");
    return true;
}

// ---- faults ----

// Fails a passing run with a requested fault, because no check observed the fault.
static bool miss_fault(LaunchReport *report, CosimFault fault, Diag *d) {
    report->verdict =
        status_word(fault == COSIM_FAULT_NEVER_INJECTED ? WORD_NEVER_INJECTED : WORD_NOT_OBSERVED);
    return diag_fail(d, EXIT_VACUOUS, "fault in %s", report->fault);
}

// Reports a seeded fault only when no comparison showed it, because the text of a mismatch already
// names it.
bool checks_fault(Run *r, CosimFault injected, Diag *d) {
    char text[500];
    if (injected != COSIM_FAULT_NONE) return miss_fault(r->report, injected, d);
    const CosimFault seeded = cosim_testbug(r->machine.cosim, text, sizeof text);
    if (seeded != COSIM_FAULT_NOT_OBSERVED) return true;
    r->report->fault = arena_printf(r->setup.arena, "%s", text);
    return miss_fault(r->report, seeded, d);
}
