// SPDX-License-Identifier: Apache-2.0
// DRAM channels of the share. First-ready, first-come: a column command for the oldest request
// whose row is open, row commands (activate, precharge) for the oldest request of each other bank.
// A row stays open until a request needs another row of the bank and none is queued for the open
// one. So that a stream of row hits cannot starve the oldest request, after some number of bypasses
// only that one may use its bank.
//
// The bank timing is that of the memory; the data bus is the share's: a line holds it for `burst`.
#include "mem/internal.h"

#include <string.h>

enum { INTERLEAVE_LINES = 2, BYPASS_FACTOR = 4 };

// ---- address: channel, row, bank ----

static uint32_t channel_of(const MemSystem *m, uint32_t line) {
    return line / INTERLEAVE_LINES % (uint32_t)m->nchannels;
}

// Consecutive lines of a channel fill a row, then the next bank; the row number shifts the bank,
// so that strides of whole rows spread over banks.
static void locate(const MemSystem *m, uint32_t line, int32_t *bank, int32_t *row) {
    uint32_t columns = (uint32_t)m->cfg->dram_row >> m->line_shift,
             banks = (uint32_t)m->cfg->dram_banks;
    uint32_t index = line / INTERLEAVE_LINES / (uint32_t)m->nchannels * INTERLEAVE_LINES +
                     line % INTERLEAVE_LINES;
    uint32_t block = index / columns;
    *row = (int32_t)(block / banks);
    *bank = (int32_t)((block + block / banks) % banks);
}

bool dram_room(const MemSystem *m, uint32_t line) {
    return m->channels[channel_of(m, line)].count < m->cfg->dram_queue;
}

void dram_push(MemSystem *m, int port, uint32_t line, int32_t mshr, uint32_t bytes) {
    DramChannel *c = &m->channels[channel_of(m, line)];
    DramRequest *q = &c->queue[c->count++];
    *q = (DramRequest){.line = line, .mshr = mshr, .bytes = (uint16_t)bytes, .port = (int16_t)port,
                       .arrival_m = (m->now + 1) * 1000};
    locate(m, line, &q->bank, &q->row);
    c->wake_m = 0;
    m->dram_waiting++;
    m->ports[port].counters->v[mshr == NONE ? CTR_DRAM_WRITES : CTR_DRAM_READS]++;
}

// ---- commands ----

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static bool is_starved(const MemSystem *m, const DramChannel *c) {
    return c->passed >= BYPASS_FACTOR * m->cfg->dram_queue;
}

static bool may_use_bank(const MemSystem *m, const DramChannel *c, int i) {
    return i == 0 || !is_starved(m, c) || c->queue[i].bank != c->queue[0].bank;
}

static void column_command(MemSystem *m, DramChannel *c, int i, int64_t at) {
    DramRequest q = c->queue[i];
    DramBank *b = &c->banks[q.bank];
    const DramTimes *t = &m->dram;
    int64_t start = later(at + t->cl, c->bus_m), busy = t->burst * q.bytes >> m->line_shift;
    c->bus_m = start + busy;
    c->col_m = at + t->ccd;
    b->col_m = at + t->ccd;
    if (q.mshr == NONE) b->pre_m = later(b->pre_m, c->bus_m + t->wr);
    else
        mem_event(m, EV_FILL, q.port, q.mshr,
                  later(1, (c->bus_m + 999) / 1000 - m->now + m->fixed.dram_pipe));
    c->passed = i == 0 ? 0 : c->passed + 1;
    c->count--;
    m->dram_waiting--;
    memmove(&c->queue[i], &c->queue[i + 1], (size_t)(c->count - i) * sizeof *c->queue);

    Port *p = &m->ports[q.port];
    if (!q.opened) p->counters->v[CTR_DRAM_ROW_HITS]++;
    p->dram_busy_m += busy;
    p->counters->v[CTR_DRAM_BUSY] += (uint64_t)(p->dram_busy_m / 1000);
    p->dram_busy_m %= 1000;
}

// Gives the column command of the oldest row hit that may go now. *wake: earliest time of any.
static bool column_step(MemSystem *m, DramChannel *c, int64_t low, int64_t now_m, int64_t *wake) {
    for (int i = 0; i < c->count; i++) {
        const DramRequest *q = &c->queue[i];
        const DramBank *b = &c->banks[q->bank];
        if (b->open_row != q->row || !may_use_bank(m, c, i)) continue;
        int64_t at = later(later(low, q->arrival_m), later(c->col_m, b->col_m));
        // Not more than a cycle ahead of the bus, so that the choice stays open.
        at = later(at, c->bus_m - m->dram.cl - 999);
        if (at <= now_m) {
            column_command(m, c, i, at);
            return true;
        }
        if (at < *wake) *wake = at;
    }
    return false;
}

static void activate(MemSystem *m, DramChannel *c, DramRequest *q, int64_t at) {
    DramBank *b = &c->banks[q->bank];
    b->open_row = q->row;
    b->col_m = later(b->col_m, at + m->dram.rcd);
    b->pre_m = later(b->pre_m, at + m->dram.ras);
    b->act_m = at + m->dram.rc;
    c->act_m = at + m->dram.rrd;
    q->opened = true;
}

// The row command that request i needs for its bank, when it may go now.
static bool row_command(MemSystem *m, DramChannel *c, int i, int64_t low, int64_t now_m,
                        int64_t *wake) {
    DramRequest *q = &c->queue[i];
    DramBank *b = &c->banks[q->bank];
    bool closed = b->open_row == NONE;
    int64_t at = later(later(low, q->arrival_m), closed ? later(c->act_m, b->act_m) : b->pre_m);
    if (at > now_m) {
        if (at < *wake) *wake = at;
        return false;
    }
    if (closed) {
        activate(m, c, q, at);
    } else {
        b->open_row = NONE;
        b->act_m = later(b->act_m, at + m->dram.rp);
    }
    return true;
}

// One row command for each bank whose oldest waiting request needs one.
static bool row_step(MemSystem *m, DramChannel *c, int64_t low, int64_t now_m, int64_t *wake) {
    uint64_t settled = 0;   // banks with a queued row hit, or already looked at
    for (int i = 0; i < c->count; i++) {
        const DramRequest *q = &c->queue[i];
        if (c->banks[q->bank].open_row == q->row && may_use_bank(m, c, i))
            settled |= (uint64_t)1 << q->bank;
    }
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        uint64_t bit = (uint64_t)1 << c->queue[i].bank;
        if (settled & bit || !may_use_bank(m, c, i)) continue;
        settled |= bit;
        any = row_command(m, c, i, low, now_m, wake) || any;
    }
    return any;
}

void dram_cycle(MemSystem *m, DramChannel *c) {
    int64_t now_m = m->now * 1000, low = now_m - 999, wake = INT64_MAX;
    if (!c->count || c->wake_m > now_m) return;
    bool any = false;
    while (column_step(m, c, low, now_m, &wake)) any = true;
    if (row_step(m, c, low, now_m, &wake)) any = true;
    c->wake_m = any ? 0 : wake;
}
