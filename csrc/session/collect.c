// SPDX-License-Identifier: Apache-2.0
// Collects the counts of SMs and blocks for the report.
#include "session/run_parts.h"

#include <string.h>

void collect_counters(const Machine *m, LaunchReport *r) {
    r->counters = *gpu_counters(m->gpu);
    r->retire_compared = gpu_retire_compared(m->gpu);
    r->sms = m->nsms;
    if (m->nsms == 1) return;
    Counters *of = ARENA_ARRAY(m->arena, Counters, m->nsms);
    for (int i = 0; i < m->nsms; i++) of[i] = gpu_counters_of(m->gpu, i);
    r->of_sm = of;
}

static void add_ports(LaunchReport *r, const CosimPortCount *more, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < r->nports; j++)
            if (!strcmp(r->ports[j].block, more[i].block) &&
                !strcmp(r->ports[j].port, more[i].port))
                r->ports[j].compared += more[i].compared;
}

// Sums the comparisons of all SMs. An SM with only golden models has none.
static void count_ports(const Machine *m, LaunchReport *r) {
    r->nports = cosim_counts(m->cosim, m->arena, &r->ports);
    for (int k = 0; k < m->nsms; k++) {
        CosimPortCount *more;
        if (m->cosims[k] == m->cosim) continue;
        const int n = cosim_counts(m->cosims[k], m->arena, &more);
        add_ports(r, more, n);
    }
}

void collect_compared(const Machine *m, LaunchReport *r) {
    count_ports(m, r);
    for (int i = 0; i < r->nblocks; i++) {
        BlockReport *b = &r->blocks[i];
        b->states = cosim_states(m->cosim, b->block);
        for (int k = 0; k < m->nsms && b->states >= 0; k++)
            if (m->cosims[k] != m->cosim && cosim_mode(m->cosims[k], b->block) == BLOCK_LOCKSTEP)
                b->states += cosim_states(m->cosims[k], b->block);
    }
}

static BlockReport report_block(const Machine *m, const char *block) {
    BlockReport b = {
        .block = block, .mode = cosim_mode(m->cosim, block), .rtl = cosim_rtl(m->cosim, block)};
    for (int k = 0; k < m->nsms; k++) {
        b.worked += cosim_worked(m->cosims[k], block);
        b.idle |= cosim_idle(m->cosims[k], block);
    }
    b.idle &= !b.worked;
    return b;
}

void collect_blocks(const Machine *m, LaunchReport *r) {
    const char *blocks[64];
    r->nblocks = cosim_open_blocks(m->cosim, blocks);
    r->blocks = ARENA_ARRAY(m->arena, BlockReport, r->nblocks);
    for (int i = 0; i < r->nblocks; i++) r->blocks[i] = report_block(m, blocks[i]);
    r->unclocked = cosim_unclocked(m->cosim);
    r->start_seed = cosim_start_seed(m->cosim);
    count_ports(m, r);
    for (int k = 0; k < m->nsms; k++) {
        double times[TIME_COUNT] = {0};
        cosim_times(m->cosims[k], times);
        for (int t = 0; t < TIME_COUNT; t++) r->times[t] += times[t];
    }
}

CosimFault collect_fault(const Machine *m, LaunchReport *r) {
    char text[500];
    const CosimFault fault = cosim_fault(m->cosim, text, sizeof text);
    if (fault != COSIM_FAULT_NONE) r->fault = arena_printf(m->arena, "%s", text);
    return fault;
}
