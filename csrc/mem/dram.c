// SPDX-License-Identifier: Apache-2.0
// DRAM channels of the share, scheduled by FR-FCFS. The oldest request whose row is open receives a
// column command. The oldest request of each other bank receives row commands (activate,
// precharge). A row is closed when a request needs another row of the bank and no queued request
// needs the open row. After some number of bypasses only the oldest request may use its bank, so
// that a stream of row hits cannot starve it.
//
// A line takes dram.access bytes per column command (0: one command for all its bytes). Consecutive
// commands are tCCD apart, or tCCDL within one bank group. Read data start tCL after the command,
// write data tWL. Between data of opposite directions the bus is idle. From write to read the idle
// time is tCL + tCDLR, because the read command is issued tCDLR after the end of the data. From
// read to write it is 2 clocks. The choice is still first-ready: a command in the bus's direction
// is ready earlier, so reads and writes form batches by themselves. When the oldest request is
// starved, the channel serves only its direction.
//
// The share. A modeled channel is a real channel accelerated by `stretch` (GTX480: 15 SMs on 6
// channels, 2.5). In the real channel `stretch` SMs send traffic like this SM's; foreign requests
// are not modeled. Times that occupy the data bus are stretched: the burst of a line and the idle
// time at a change of direction. The reason: in that time the real bus also carries data of other
// SMs, and it changes direction as often per line. Changes of direction therefore cost the same
// part of the bandwidth as in the real channel with an equal queue. Times that occupy one bank or
// bank group (tRCD, tRP, tRAS, tRC, tWR, tCCD, tCCDL) are not stretched. The reason: in between,
// other SMs use other banks. The delays of one request (tCL, tWL) are not stretched either. So bank
// groups bind only in two cases. The channel is nearly whole (stretch below 1.6 with GDDR5's 3
// clocks instead of 2), or there is a single stream.
//
// Bench kernels, paper's size. On fermi saxpy uses 94 % of the bus and vecadd 95 %, both 99 % with
// dram.twl: 0. With a whole channel for one SM (gpu.sms: 6) saxpy uses 76 %, but 57 % with 64 L1
// MSHRs instead of 96. On gtx480 saxpy uses 54 % (56 % without turnaround), vecadd 62 %. There the
// number of lines in flight limits, and row conflicts with their longer latency. Turnaround and
// bank groups cost 2 to 5 points.
#include "mem/mem_internal.h"

#include <string.h>

enum { INTERLEAVE_LINES = 2, BYPASS_FACTOR = 4 };

// ---- address: channel, row, bank ----

int dram_channel(const MemSystem *m, uint32_t line) {
    return (int)(line / INTERLEAVE_LINES % (uint32_t)m->nchannels);
}

uint32_t dram_nth(const MemSystem *m, uint32_t line) {
    return line / INTERLEAVE_LINES / (uint32_t)m->nchannels * INTERLEAVE_LINES +
        line % INTERLEAVE_LINES;
}

uint32_t mem_codec_line(const MemSystem *m, int channel, uint32_t nth) {
    const uint32_t group = nth / INTERLEAVE_LINES * (uint32_t)m->nchannels + (uint32_t)channel;
    return group * INTERLEAVE_LINES + nth % INTERLEAVE_LINES;
}

// Consecutive lines of a channel fill a row, then the next bank. The row number shifts the bank, so
// that strides of whole rows spread over banks. With bank groups, two banks of different groups are
// filled together, so that tCCDL does not delay a stream.
static void locate_line(const MemSystem *m, uint32_t line, int32_t *bank, int32_t *row) {
    uint32_t columns = (uint32_t)m->cfg->dram_row >> m->line_shift,
             banks = (uint32_t)m->cfg->dram_banks;
    uint32_t chunk = line / INTERLEAVE_LINES / (uint32_t)m->nchannels;
    uint32_t together = m->cfg->dram_groups > 1 ? 2 : 1;
    uint32_t index = chunk / together * INTERLEAVE_LINES + line % INTERLEAVE_LINES;
    uint32_t block = index / columns;
    banks /= together;
    *row = (int32_t)(block / banks);
    *bank = (int32_t)((block + block / banks) % banks * together + chunk % together);
}

bool dram_room(const MemSystem *m, uint32_t line) {
    const DramChannel *c = &m->channels[dram_channel(m, line)];
    return c->count + c->reserved < m->cfg->dram_queue;
}

uint8_t dram_sectors(const MemSystem *m, uint8_t sectors) {
    int each = m->cfg->dram_access / SECTOR_BYTES;
    if (each < 2) return sectors;
    uint8_t command = (uint8_t)((1u << each) - 1), moved = 0;
    for (int s = 0; s < MAX_SECTORS; s += each)
        if (sectors >> s & command) moved |= (uint8_t)(command << s);
    return moved;
}

static int32_t keep_next(MemSystem *m, DramChannel *c, const DramNext *next) {
    int32_t id = 0;
    while (m->nexts[id].used) id++;  // a place is free, because places are reserved
    m->nexts[id] = *next;
    m->nexts[id].used = true;
    m->nexts[id].channel = (int16_t)(c - m->channels);
    c->reserved++;
    return id;
}

// Counts a request that enters (one: 1) or leaves (-1) the bank's queue. hit: it needs the open
// row.
static void count_queued(DramChannel *c, int bank, int one, bool hit) {
    DramBank *b = &c->banks[bank];
    const uint64_t bit = (uint64_t)1 << bank;
    b->queued += one;
    if (hit) b->hits += one;
    c->queued = b->queued ? c->queued | bit : c->queued & ~bit;
    c->hit = b->hits ? c->hit | bit : c->hit & ~bit;
}

// The bank has another open row, or none.
static void open_row(DramChannel *c, int bank, int32_t row) {
    DramBank *b = &c->banks[bank];
    b->open_row = row;
    b->hits = 0;
    for (int i = 0; i < c->count; i++)
        b->hits += c->queue[i].bank == bank && c->queue[i].row == row;
    count_queued(c, bank, 0, false);
}

void dram_request(MemSystem *m, int channel, const DramNext *r, const DramNext *next) {
    DramChannel *c = &m->channels[channel];
    panic_if(c->count + c->reserved >= m->nnexts, "DRAM queue overflow");
    DramRequest *q = &c->queue[c->count++];
    *q = (DramRequest){.line = r->line,
                       .mshr = r->mshr,
                       .next = NONE,
                       .bytes = r->bytes,
                       .port = r->port,
                       .arrival_m = (m->now + 1 + r->delay) * 1000};
    if (next) q->next = keep_next(m, c, next);
    locate_line(m, r->line, &q->bank, &q->row);
    count_queued(c, q->bank, 1, c->banks[q->bank].open_row == q->row);
    c->wake_m = 0;
    m->dram_waiting++;
}

void dram_next(MemSystem *m, int32_t id) {
    DramNext *next = &m->nexts[id];
    next->used = false;
    m->channels[next->channel].reserved--;
    dram_request(m, next->channel, next, NULL);
}

void dram_push(MemSystem *m, int port, uint32_t line, int32_t mshr, uint8_t sectors) {
    uint64_t *count = m->ports[port].counters->v;
    bool is_write = mshr == DRAM_WRITE;
    const uint32_t bytes = sector_bytes(dram_sectors(m, sectors));
    const DramNext request = {
        .line = line, .mshr = mshr, .bytes = (uint16_t)bytes, .port = (int16_t)port};
    dram_request(m, dram_channel(m, line), &request, NULL);
    if (m->codec) {
        count[CTR_RAW_BURSTS] += bytes / SECTOR_BYTES;
        count[CTR_MOVED_BURSTS] += bytes / SECTOR_BYTES;
    }
    count[is_write ? CTR_DRAM_WRITES : CTR_DRAM_READS]++;
    count[is_write ? CTR_DRAM_WRITE_SECTORS : CTR_DRAM_READ_SECTORS] += bytes / SECTOR_BYTES;
}

// ---- commands ----

static int64_t later_of(int64_t a, int64_t b) { return a > b ? a : b; }

static bool is_starved(const MemSystem *m, const DramChannel *c) {
    return c->passed >= BYPASS_FACTOR * m->cfg->dram_queue;
}

// Banks that only the oldest request may use: its own bank, if it is starved.
static uint64_t kept_banks(const MemSystem *m, const DramChannel *c) {
    return is_starved(m, c) ? (uint64_t)1 << c->queue[0].bank : 0;
}

static bool may_use_bank(const DramChannel *c, uint64_t kept, int i) {
    return i == 0 || !(kept >> c->queue[i].bank & 1);
}

// A starved request also decides the direction of the bus.
static bool may_use_bus(const MemSystem *m, const DramChannel *c, int i) {
    return i == 0 || !m->cfg->dram_twl || !is_starved(m, c) ||
        (c->queue[i].mshr == DRAM_WRITE) == (c->queue[0].mshr == DRAM_WRITE);
}

// When the bus may carry data of this direction.
static int64_t bus_free(const DramChannel *c, const DramTimes *t, bool is_write) {
    if (c->wrote == is_write) return c->bus_m;
    return c->bus_m + (is_write ? t->to_write : t->to_read);
}

static int64_t *group_of(const MemSystem *m, DramChannel *c, int bank) {
    return &c->group_m[bank & (m->cfg->dram_groups - 1)];
}

static void count_data(Port *p, int64_t busy) {
    p->dram_busy_m += busy;
    p->counters->v[CTR_DRAM_BUSY] += (uint64_t)(p->dram_busy_m / 1000);
    p->dram_busy_m %= 1000;
}

static void request_done(MemSystem *m, DramChannel *c, int i) {
    const DramRequest *q = &c->queue[i];
    const int64_t arrives = (c->bus_m + 999) / 1000 - m->now;
    if (q->mshr == DRAM_READ_FIRST)
        mem_event(m, EV_DRAM_NEXT, q->port, q->next, later_of(1, arrives));
    else if (q->mshr >= 0)
        mem_event(m, EV_FILL, q->port, q->mshr, later_of(1, arrives + m->fixed.dram_pipe));
    if (!q->opened) m->ports[q->port].counters->v[CTR_DRAM_ROW_HITS]++;
    if (i > 0) c->passed++;
    count_queued(c, q->bank, -1, true);
    c->count--;
    m->dram_waiting--;
    memmove(&c->queue[i], &c->queue[i + 1], (size_t)(c->count - i) * sizeof *c->queue);
}

static void column_command(MemSystem *m, DramChannel *c, int i, int64_t at) {
    DramRequest *q = &c->queue[i];
    DramBank *b = &c->banks[q->bank];
    const DramTimes *t = &m->dram;
    bool is_write = q->mshr == DRAM_WRITE;
    int bytes = m->cfg->dram_access ? m->cfg->dram_access : q->bytes;
    int64_t start = later_of(at + (is_write ? t->wl : t->cl), bus_free(c, t, is_write));
    int64_t busy = t->burst * bytes >> m->line_shift;
    Port *p = &m->ports[q->port];
    p->counters->v[CTR_DRAM_TURNAROUNDS] += c->wrote != is_write;
    c->wrote = is_write;
    c->bus_m = start + busy;
    c->col_m = at + t->ccd;
    b->col_m = at + t->ccd;
    *group_of(m, c, q->bank) = at + (m->cfg->dram_groups > 1 ? t->ccdl : t->ccd);
    if (is_write) b->pre_m = later_of(b->pre_m, c->bus_m + t->wr);
    else if (t->rtp) b->pre_m = later_of(b->pre_m, at + t->rtp);
    if (i == 0) c->passed = 0;
    mem_worked(m,
               &(MemWork){.part = MEM_PART_DRAM,
                          .number = (int)(c - m->channels),
                          .port = q->port,
                          .warp = -1,
                          .kind = is_write ? MEM_STORE : MEM_LOAD,
                          .line = q->line,
                          .from_m = start - m->now * 1000,
                          .to_m = c->bus_m - m->now * 1000});
    q->bytes = (uint16_t)(q->bytes > bytes ? q->bytes - bytes : 0);
    if (!q->bytes) request_done(m, c, i);
    count_data(p, busy);
}

// The earliest column command in a direction that channel and bus allow. It is at most a cycle
// ahead of the bus, so that a later request can still be chosen.
static int64_t column_ready(const DramChannel *c, const DramTimes *t, int64_t low, bool is_write) {
    return later_of(later_of(low, c->col_m),
                    bus_free(c, t, is_write) - (is_write ? t->wl : t->cl) - 999);
}

// Issues the column command of the oldest row hit that is possible now. *wake: earliest time of
// any.
static bool column_step(MemSystem *m, DramChannel *c, int64_t low, int64_t now_m, int64_t *wake) {
    const DramTimes *t = &m->dram;
    int64_t ready[2] = {column_ready(c, t, low, false), column_ready(c, t, low, true)};
    int64_t soonest = ready[0] < ready[1] ? ready[0] : ready[1];
    if (soonest > now_m) {
        if (soonest < *wake) *wake = soonest;
        return false;
    }
    if (!c->hit) return false;
    const uint64_t kept = kept_banks(m, c);
    for (int i = 0; i < c->count; i++) {
        const DramRequest *q = &c->queue[i];
        const DramBank *b = &c->banks[q->bank];
        if (b->open_row != q->row || !may_use_bank(c, kept, i) || !may_use_bus(m, c, i)) continue;
        int64_t at = later_of(ready[q->mshr == DRAM_WRITE], q->arrival_m);
        at = later_of(at, later_of(b->col_m, *group_of(m, c, q->bank)));
        if (at <= now_m) {
            column_command(m, c, i, at);
            return true;
        }
        if (at < *wake) *wake = at;
    }
    return false;
}

static void activate_row(MemSystem *m, DramChannel *c, DramRequest *q, int64_t at) {
    DramBank *b = &c->banks[q->bank];
    open_row(c, q->bank, q->row);
    b->col_m = later_of(b->col_m, at + m->dram.rcd);
    b->pre_m = later_of(b->pre_m, at + m->dram.ras);
    b->act_m = at + m->dram.rc;
    c->act_m = at + m->dram.rrd;
    q->opened = true;
}

// The row command that request i needs for its bank, if that command is possible now.
static bool row_command(MemSystem *m, DramChannel *c, int i, int64_t low, int64_t now_m,
                        int64_t *wake) {
    DramRequest *q = &c->queue[i];
    DramBank *b = &c->banks[q->bank];
    bool closed = b->open_row == NONE;
    int64_t at =
        later_of(later_of(low, q->arrival_m), closed ? later_of(c->act_m, b->act_m) : b->pre_m);
    if (at > now_m) {
        if (at < *wake) *wake = at;
        return false;
    }
    if (closed) {
        activate_row(m, c, q, at);
    } else {
        open_row(c, q->bank, NONE);
        b->act_m = later_of(b->act_m, at + m->dram.rp);
    }
    return true;
}

// One row command for each bank whose oldest waiting request needs one.
static bool row_step(MemSystem *m, DramChannel *c, int64_t low, int64_t now_m, int64_t *wake) {
    const uint64_t kept = kept_banks(m, c);
    uint64_t left = c->queued & ~c->hit;  // banks with requests, none of them for the open row
    // If only the oldest request may use a bank, other requests for that bank do not count.
    if (kept && c->banks[c->queue[0].bank].open_row != c->queue[0].row) left |= kept;
    bool any = false;
    for (int i = 0; left; i++) {
        const uint64_t bit = (uint64_t)1 << c->queue[i].bank;
        if (!(left & bit)) continue;
        left &= ~bit;
        any = row_command(m, c, i, low, now_m, wake) || any;
    }
    return any;
}

void dram_cycle(MemSystem *m, DramChannel *c) {
    int64_t now_m = m->now * 1000, low = now_m - 999, wake = INT64_MAX;
    if (!c->count || c->wake_m > now_m) return;
    while (column_step(m, c, low, now_m, &wake)) {}
    // Sleep until the earliest time found above, unless a row command or a request occurs first.
    c->wake_m = row_step(m, c, low, now_m, &wake) ? 0 : wake;
}
