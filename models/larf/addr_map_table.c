// SPDX-License-Identifier: Apache-2.0
// Golden model of addr_map_table. Every question searches a flat array of entries from end to end,
// lanes one by one. Strides are in bytes, addresses are 64-bit numbers, windows use division. Rows
// matter only for the placement of an entry. Pipeline stages are two records that move. Releases
// and arrivals are a list of events with their cycles.
#include "models/larf/addr_map_table.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { ADDR_MAP_TABLE_PARAMS(BLOCK_INDEX) PARAMS };

enum { MAX_SLOTS = AMT_BANKS * AMT_MAX_ROWS * AMT_MAX_WAYS, LANES = 32, WORD = 4, NONE = -1 };
enum { MOST_CODE = 128, MOST_SHIFT = LANES - 1, LINE = 128, MAX_WR = 4, STEPS = AMT_CLASSES + 1 };

typedef struct Entry {
    bool valid, data;
    uint32_t base, mask, phys;
    int stride;
} Entry;

typedef struct Lookup {
    bool here, question, fits, barred;  // barred: a flush, or a store that waits
    uint32_t base, mask;
    int code;
} Lookup;

typedef struct Part {
    int shift;
    uint32_t phys, lanes;
} Part;

typedef struct Answer {
    bool here, wait, enter;
    int kind, parts;
    Part part[2];
    Lookup ask;
} Answer;

typedef struct Store {
    uint32_t low, high;
    int age;  // cycles since it was accepted, no more than 3
} Store;

typedef struct Step {
    bool here;
    Store store;
    int number;
} Step;

// A register's news: 1 cycle old it reaches the table, 3 cycles old it is done.
typedef struct News {
    bool release, arrival[MAX_WR];
    uint32_t released, arrived[MAX_WR];
} News;

typedef struct AddrMapTable {
    int rows, ways, slots, num_wr;
    int params[PARAMS];
    Entry entry[MAX_SLOTS];
    int fill[AMT_BANKS * AMT_MAX_ROWS];
    bool class_met[AMT_CLASSES];
    Store queue[AMT_PENDING];
    int queued;
    bool todo[STEPS], armed;  // steps of the oldest store
    // steps of the last cycle and of the one before, whose victims die in this one
    Step step[2];
    Lookup look[2];       // accepted in the last two cycles
    Answer answer;        // of this cycle
    News news[AMT_DONE];  // of the last three cycles, the youngest first
} AddrMapTable;

static void amt_reset(void *self) {
    AddrMapTable *m = self;
    const AddrMapTable old = {
        .rows = m->rows, .ways = m->ways, .slots = m->slots, .num_wr = m->num_wr};
    int params[PARAMS];
    memcpy(params, m->params, sizeof params);
    memset(m, 0, sizeof *m);
    m->rows = old.rows, m->ways = old.ways, m->slots = old.slots, m->num_wr = old.num_wr;
    memcpy(m->params, params, sizeof params);
}

static void *amt_open(const int *params) {
    AddrMapTable *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->rows = 1 << params[P_RowBits], m->ways = params[P_Ways], m->num_wr = params[P_NumWr];
    m->slots = AMT_BANKS * m->rows * m->ways;
    return m;
}

static void amt_close(void *self) { free(self); }

// ---- where things lie ---------------------------------------------------------------------------

static int class_of(int stride) {
    int class = 0;
    for (int reach = WORD; stride; reach *= 2) {
        class ++;
        if (stride <= reach) break;
    }
    return class;
}

static uint32_t window_bytes(int class) {
    return class == 0 ? LANES : (uint32_t)LANES * WORD << (class - 1);
}

static int row_of(const AddrMapTable *m, uint32_t base, int stride) {
    const uint32_t window = base / window_bytes(class_of(stride));
    uint32_t folded = 0;
    if (m->rows > 1)
        for (uint32_t rest = window; rest; rest /= (uint32_t)m->rows)
            folded ^= rest % (uint32_t)m->rows;
    return (int)(window % AMT_BANKS) * m->rows + (int)folded;
}

static int64_t last_byte(uint32_t base, int stride) {
    return (int64_t)base + (LANES - 1) * stride + WORD - 1;
}

// ---- searching ----------------------------------------------------------------------------------

static bool power_of_two(int stride) { return stride && (stride & (stride - 1)) == 0; }

static bool reaches(const Entry *e, const Lookup *q, int *shift) {
    const int64_t distance = (int64_t)q->base - e->base;
    if (e->stride != WORD * q->code) return false;
    *shift = 0;
    if (distance == 0) return true;
    if (!power_of_two(e->stride) || distance % e->stride != 0) return false;
    if (distance / e->stride < -MOST_SHIFT || distance / e->stride > MOST_SHIFT) return false;
    *shift = (int)(distance / e->stride);
    return true;
}

static uint32_t lanes_covered(const Entry *e, const Lookup *q, int shift) {
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++) {
        const int from = i + shift;
        if (q->mask >> i & 1 && from >= 0 && from < LANES && e->mask >> from & 1) lanes |= 1u << i;
    }
    return lanes;
}

// Lanes of `asked` from one end (up: from the lowest) to the first that is not in `have`.
static int run_of(uint32_t asked, uint32_t have, bool up) {
    int run = 0;
    for (int n = 0; n < LANES; n++) {
        const int i = up ? n : LANES - 1 - n;
        if (!(asked >> i & 1)) continue;
        if (!(have >> i & 1)) break;
        run++;
    }
    return run;
}

static uint32_t lowest_lanes(uint32_t mask, int count) {
    uint32_t lanes = 0;
    for (int i = 0; i < LANES && count > 0; i++)
        if (mask >> i & 1) lanes |= 1u << i, count--;
    return lanes;
}

static bool search_hit(const AddrMapTable *m, const Lookup *q, bool data, uint32_t *phys) {
    for (int s = 0; s < m->slots; s++) {
        const Entry *e = &m->entry[s];
        if (!e->valid || e->data != data || e->base != q->base || e->stride != WORD * q->code)
            continue;
        if (q->mask & ~e->mask) continue;
        *phys = e->phys;
        return true;
    }
    return false;
}

static void search_merge(const AddrMapTable *m, const Lookup *q, Answer *a) {
    Part low = {0, 0, 0}, high = {0, 0, 0};
    int longest_low = 0, longest_high = 0, lanes = __builtin_popcount(q->mask);
    for (int s = 0; s < m->slots; s++) {
        const Entry *e = &m->entry[s];
        int shift;
        if (!e->valid || !e->data || !reaches(e, q, &shift)) continue;
        const uint32_t covered = lanes_covered(e, q, shift);
        const int up = run_of(q->mask, covered, true), down = run_of(q->mask, covered, false);
        if (up > longest_low)
            low = (Part){shift, e->phys, lowest_lanes(q->mask, up)}, longest_low = up;
        if (down > longest_high) high = (Part){shift, e->phys, 0}, longest_high = down;
    }
    if (longest_low + longest_high < lanes) return;
    if (longest_low == 0) return;
    a->kind = AMT_MERGE;
    a->part[0] = low;
    a->parts = 1;
    if (!(q->mask & ~low.lanes)) return;
    high.lanes = q->mask & ~low.lanes;
    a->part[1] = high;
    a->parts = 2;
}

// The answer to the look-up accepted in the last cycle; `entered`: the load that is entered in this
// one, or NULL.
static Answer search(const AddrMapTable *m, const Lookup *q, const Entry *entered) {
    Answer a = {.here = q->here, .ask = *q, .kind = AMT_MISS};
    if (!q->here || !q->fits || q->barred) return a;
    const Part whole = {0, 0, q->mask};
    a.part[0] = whole;
    bool hit = search_hit(m, q, true, &a.part[0].phys);
    if (!hit) {
        hit = a.wait = search_hit(m, q, false, &a.part[0].phys);
        if (!hit && entered && entered->base == q->base && entered->stride == WORD * q->code &&
            !(q->mask & ~entered->mask)) {
            hit = a.wait = true;
            a.part[0].phys = entered->phys;
        }
    }
    if (hit) {
        a.kind = AMT_HIT;
        a.parts = 1;
    } else if (power_of_two(WORD * q->code)) {
        search_merge(m, q, &a);
    }
    a.enter = a.kind == AMT_MISS && !q->question;
    return a;
}

// ---- outputs ------------------------------------------------------------------------------------

static bool meets(const Entry *e, const Store *s) {
    return e->base <= s->high && (int64_t)s->low <= last_byte(e->base, e->stride);
}

// Class 0 takes two steps: bases from the window of low - 3 on, and those three windows further.
static int class_of_step(int step) { return step < 2 ? 0 : step - 1; }

// The first window behind those of the first step of class 0.
static uint32_t second_window(const Store *s) {
    return (uint32_t)(((int64_t)s->low - (WORD - 1) + AMT_BANKS * LANES) / LANES);
}

static bool dies(const Entry *e, const Store *s, int step) {
    if (!e->valid || class_of(e->stride) != class_of_step(step) || !meets(e, s)) return false;
    if (step > 1) return true;
    return (e->base / LANES < second_window(s)) == (step == 0);
}

static bool step_needed(const AddrMapTable *m, const Store *s, int step) {
    if (!m->class_met[class_of_step(step)]) return false;
    return step != 1 || s->high / LANES >= second_window(s);
}

static void amt_eval(void *self, const void *inputs, void *outputs) {
    const AddrMapTable *m = self;
    const AddrMapTableIn *in = inputs;
    AddrMapTableOut *out = outputs;
    const Answer *a = &m->answer;
    const News *done = &m->news[AMT_DONE - 1];
    memset(out, 0, sizeof *out);
    out->lk_ready[0] = !in->lk_question[0] || !(m->queued || in->st_valid[0]);
    out->st_ready[0] = m->queued < AMT_PENDING;
    if (m->step[1].here)
        for (int s = 0; s < m->slots; s++)
            if (dies(&m->entry[s], &m->step[1].store, m->step[1].number))
                out->obs_died[0] |= 1u << (s / (m->rows * m->ways) * m->ways + s % m->ways);
    out->rel_done[0] = done->release;
    out->rel_done_phys[0] = done->released;
    for (int w = 0; w < m->num_wr; w++) {
        out->arr_done[0] |= (uint32_t)done->arrival[w] << w;
        out->arr_done_phys[w] = done->arrived[w];
    }
    out->ans_valid[0] = a->here;
    if (!a->here) return;
    out->ans_kind[0] = (uint32_t)a->kind;
    out->ans_wait[0] = a->wait;
    out->ans_enter[0] = a->enter;
    out->ans_use[0] = (1u << a->parts) - 1;
    for (int p = 0; p < a->parts; p++) {
        out->ans_phys[p] = a->part[p].phys;
        out->ans_shift[p] = (uint32_t)a->part[p].shift & 63;
        out->ans_mask[p] = a->part[p].lanes;
    }
    if (!a->enter) return;
    const int row = row_of(m, a->ask.base, WORD * a->ask.code);
    out->ans_evicts[0] = m->entry[row * m->ways + m->fill[row]].valid;
}

// ---- the clock edge -----------------------------------------------------------------------------

// The entry for the load that enters in this cycle, NULL: none.
static Entry *place(AddrMapTable *m, const AddrMapTableIn *in) {
    const Answer *a = &m->answer;
    if (!in->ins_valid[0] || !a->here || !a->enter || in->fl_valid[0]) return NULL;
    const int row = row_of(m, a->ask.base, WORD * a->ask.code);
    Entry *e = &m->entry[row * m->ways + m->fill[row]];
    m->fill[row] = (m->fill[row] + 1) % m->ways;
    return e;
}

static bool line_touched(const AddrMapTable *m, const Lookup *q) {
    for (int i = 0; i < m->queued; i++)
        if (q->base / LINE <= m->queue[i].low / LINE &&
            m->queue[i].low / LINE <= last_byte(q->base, WORD * q->code) / LINE)
            return true;
    return false;
}

// Announcements of the last cycle reach the entries that were valid at the start of this one.
static void hear(AddrMapTable *m, const News *news, const Entry *fresh) {
    for (int w = 0; w < m->num_wr; w++)
        for (int s = 0; news->arrival[w] && s < m->slots; s++)
            if (news->arrived[w] == m->entry[s].phys && &m->entry[s] != fresh)
                m->entry[s].data = true;
    for (int s = 0; news->release && s < m->slots; s++)
        if (news->released == m->entry[s].phys && &m->entry[s] != fresh) m->entry[s].valid = false;
}

static void leave(AddrMapTable *m) {
    m->armed = false;
    m->queued--;
    memmove(m->queue, m->queue + 1, (size_t)m->queued * sizeof m->queue[0]);
}

// The oldest store: is armed, or takes a step, or leaves.
static Step take_step(AddrMapTable *m, bool port_free) {
    Step step = {false, m->queue[0], STEPS};
    int left = 0;
    if (!m->queued || m->queue[0].age < AMT_CYCLES || (m->armed && !port_free)) return step;
    for (int i = STEPS - 1; i >= 0; i--) {
        if (!m->armed) m->todo[i] = step_needed(m, &m->queue[0], i);
        if (m->todo[i]) step.number = i, left++;
    }
    if (m->armed) {
        step.here = true;
        m->todo[step.number] = false;
        left--;
    }
    m->armed = true;
    if (!left) leave(m);
    return step;
}

static Lookup accept(const AddrMapTableIn *in, bool ready) {
    Lookup q = {.here = in->lk_valid[0] && ready,
                .question = in->lk_question[0],
                .base = in->lk_base[0],
                .mask = in->lk_mask[0],
                .code = (int)in->lk_code[0]};
    q.fits = q.mask && q.code <= MOST_CODE && last_byte(q.base, WORD * q.code) <= UINT32_MAX;
    return q;
}

static void amt_flush(AddrMapTable *m) {
    for (int s = 0; s < m->slots; s++) m->entry[s].valid = false;
    memset(m->class_met, 0, sizeof m->class_met);
    m->queued = 0;
    m->armed = false;
    m->step[0].here = m->step[1].here = false;
    m->look[0].barred = m->look[1].barred = true;
}

static void amt_tick(void *self, const void *inputs) {
    AddrMapTable *m = self;
    const AddrMapTableIn *in = inputs;
    const bool room = m->queued < AMT_PENDING;
    const bool ready = !in->lk_question[0] || !(m->queued || in->st_valid[0]);
    const Lookup now = accept(in, ready);
    const Step killing = m->step[1];

    m->look[0].barred = m->look[0].barred || (m->look[0].fits && line_touched(m, &m->look[0]));
    m->look[1].barred = m->look[1].barred || in->fl_valid[0];
    Entry *fresh = place(m, in), entered = {0};
    bool doomed[MAX_SLOTS];
    for (int s = 0; killing.here && s < m->slots; s++)
        doomed[s] = dies(&m->entry[s], &killing.store, killing.number);
    if (fresh) {
        const Lookup *ask = &m->answer.ask;
        entered = (Entry){true, false, ask->base, ask->mask, in->ins_phys[0], WORD * ask->code};
        fresh->valid = false;  // evicted
    }
    m->answer = search(m, &m->look[1], fresh ? &entered : NULL);
    for (int s = 0; killing.here && s < m->slots; s++)
        if (doomed[s]) m->entry[s].valid = false;
    hear(m, &m->news[0], fresh);
    m->step[1] = m->step[0];
    m->step[0] = take_step(m, !now.here);
    if (fresh) {
        *fresh = entered;
        m->class_met[class_of(entered.stride)] = true;
    }
    for (int i = 0; i < m->queued; i++) m->queue[i].age += m->queue[i].age < AMT_CYCLES;
    m->look[1] = m->look[0];
    m->look[0] = now;
    if (in->fl_valid[0]) amt_flush(m);
    else if (in->st_valid[0] && room)
        m->queue[m->queued++] = (Store){in->st_low[0], in->st_high[0], 1};

    memmove(m->news + 1, m->news, (AMT_DONE - 1) * sizeof m->news[0]);
    m->news[0] = (News){.release = in->rel_valid[0], .released = in->rel_phys[0]};
    for (int w = 0; w < m->num_wr; w++) {
        m->news[0].arrival[w] = in->arr_valid[0] >> w & 1;
        m->news[0].arrived[w] = in->arr_phys[w];
    }
}

// ---- observation --------------------------------------------------------------------------------

static uint32_t amt_obs_count(void *self) {
    const AddrMapTable *m = self;
    return (uint32_t)(m->slots + AMT_BANKS * m->rows + 1 + AMT_PENDING);
}

static void amt_observe(void *self, uint32_t addr, uint32_t *words) {
    const AddrMapTable *m = self;
    const uint32_t slots = (uint32_t)m->slots, rows = (uint32_t)(AMT_BANKS * m->rows);
    memset(words, 0, 16);
    if (addr >= BLOCK_OBS_PARAM) {
        if (addr - BLOCK_OBS_PARAM < PARAMS) words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    } else if (addr < slots) {
        const Entry *e = &m->entry[addr];
        if (!e->valid) return;
        words[0] = 1u << 31 | (uint32_t)e->data << 30 | (uint32_t)e->stride / WORD << 16 | e->phys;
        words[1] = e->base;
        words[2] = e->mask;
    } else if (addr < slots + rows) {
        words[0] = (uint32_t)m->fill[addr - slots];
    } else if (addr == slots + rows) {
        words[0] = (uint32_t)m->queued;
        for (int i = 0; i < STEPS; i++) words[0] |= (uint32_t)(m->armed && m->todo[i]) << (16 + i);
        for (int c = 0; c < AMT_CLASSES; c++) words[0] |= (uint32_t)m->class_met[c] << (4 + c);
    } else if (addr - slots - rows - 1 < (uint32_t)m->queued) {
        const Store *s = &m->queue[addr - slots - rows - 1];
        words[0] = 1u << 31 | (uint32_t)s->age << 28 | s->high % LINE;
        words[1] = s->low;
    }
}

const BlockModel addr_map_table_model = {"addr_map_table", amt_open,    amt_close,
                                         amt_reset,        amt_eval,    amt_tick,
                                         amt_obs_count,    amt_observe, 4};
