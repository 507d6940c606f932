// SPDX-License-Identifier: Apache-2.0
// Golden model of bypass_collector. Written from the contract with instruction numbers and lists: a
// BOC counts its warp's instructions, a value remembers the number of the last one that named it,
// and is in the window while that number is less than Window behind. Values stand in a list in order
// of allocation, waiting instructions in a list in program order. What follows from a BOC's state
// alone (offers, what can be taken) is worked out when the state is new, for the BOCs that changed.
#include "models/collect/bypass_collector.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { BYPASS_COLLECTOR_PARAMS(BLOCK_INDEX) PARAMS };

enum { NONE = -1, ALL_LANES = -1 };
typedef enum Reading { READ_NOT, READ_ASK, READ_COMING } Reading;

typedef struct Value {
    uint32_t place;          // bank << 16 | entry of the register
    int64_t last;            // number of the last instruction that named it, NONE: out of the window
    int8_t entry;
    uint8_t reading;         // Reading
    bool dirty, dead, save;
} Value;

typedef struct Waiting {
    int64_t number;
    uint32_t dst;            // place, or UINT32_MAX
    uint8_t unit, need;
    int8_t entry[BOW_MAX_OPS];
} Waiting;

typedef struct Awaited { int64_t number; uint32_t place; } Awaited;

typedef struct Boc {
    int64_t count;           // instructions entered so far; the next one's number
    int nvalues, nwaiting, nawaited, read_pointer;
    Value value[BOW_MAX_VALUES];
    Waiting waiting[BOW_MAX_WINDOW];
    Awaited awaited[BOW_MAX_WINDOW];
    // Worked out of the above.
    int8_t entry_asked, entry_saved;          // offered to the register file, NONE
    int8_t offer[BOW_MAX_DISP];               // index into waiting, NONE
    int ntake;
    int8_t take[BOW_MAX_VALUES];              // entries that can be taken, in this order
    uint32_t place_asked, place_saved;
    bool unsaved;
} Boc;

// What becomes of the result on a port.
typedef struct Plan {
    bool served, drop, kept, merge, now, dead, done;
    int entry;               // that it takes or is for, NONE
    int64_t number;          // of the instruction that awaits it, NONE
} Plan;

typedef struct BypassCollector {
    int params[PARAMS];
    int num_coll, num_ops, num_alloc, num_disp, num_wr, window, values, banks;
    Boc boc[BOW_MAX_COLL];
    int order[BOW_MAX_COLL];                  // BOCs, the one granted least recently first
    uint32_t older[BOW_MAX_COLL];
    int disp_pointer[BOW_MAX_DISP], wr_pointer[BOW_MAX_WR];
    bool turn[BOW_MAX_WR];
    uint32_t asks, offers[BOW_MAX_DISP], saves, unsaved;  // BOCs that do, bit per BOC
    int disp_coll[BOW_MAX_DISP], save_coll[BOW_MAX_WR];   // chosen by the ports, NONE
    uint32_t row[BOW_MAX_COLL][BOW_MAX_VALUES][32];
} BypassCollector;

// ---- what follows from the state of a BOC ----------------------------------------------------------

static Value *value_in(Boc *b, int entry) {
    for (int i = 0; i < b->nvalues; i++)
        if (b->value[i].entry == entry) return &b->value[i];
    return NULL;
}

static Value *value_of(Boc *b, uint32_t place) {
    for (int i = 0; i < b->nvalues; i++)
        if (b->value[i].place == place) return &b->value[i];
    return NULL;
}

static bool needed(const Boc *b, int ops, int entry) {
    for (int i = 0; i < b->nwaiting; i++)
        for (int o = 0; o < ops; o++)
            if (b->waiting[i].need >> o & 1 && b->waiting[i].entry[o] == entry) return true;
    return false;
}

// Whether waiting instruction i has to let an older one read what it is going to overwrite.
static bool follows(Boc *b, int ops, int i, int older) {
    const Waiting *w = &b->waiting[older];
    for (int o = 0; o < ops; o++) {
        if (!(w->need >> o & 1)) continue;
        const Value *v = value_in(b, w->entry[o]);
        if (v && v->place == b->waiting[i].dst) return true;
    }
    return false;
}

static bool ready(Boc *b, int ops, int i) {
    const Waiting *w = &b->waiting[i];
    for (int o = 0; o < ops; o++) {
        if (!(w->need >> o & 1)) continue;
        const Value *v = value_in(b, w->entry[o]);
        if (!v || v->reading != READ_NOT) return false;
    }
    for (int older = 0; older < i; older++)
        if (w->dst != UINT32_MAX && follows(b, ops, i, older)) return false;
    return true;
}

// Entries in the order in which they are taken: free ones by number, then clean ones nobody waits
// for by age.
static void list_room(const BypassCollector *m, Boc *b) {
    uint32_t used = 0;
    b->ntake = 0;
    for (int i = 0; i < b->nvalues; i++) used |= 1u << b->value[i].entry;
    for (int e = 0; e < m->values; e++)
        if (!(used >> e & 1)) b->take[b->ntake++] = (int8_t)e;
    for (int i = 0; i < b->nvalues; i++)
        if (!b->value[i].dirty && !needed(b, m->num_ops, b->value[i].entry))
            b->take[b->ntake++] = b->value[i].entry;
}

static void choose_read(const BypassCollector *m, Boc *b) {
    int best = m->values;
    b->entry_asked = NONE;
    for (int i = 0; i < b->nvalues; i++) {
        if (b->value[i].reading != READ_ASK) continue;
        const int behind = (b->value[i].entry - b->read_pointer + m->values) % m->values;
        if (behind >= best) continue;
        best = behind;
        b->entry_asked = b->value[i].entry;
        b->place_asked = b->value[i].place;
    }
}

static void choose_save(const BypassCollector *m, Boc *b) {
    int dirty = 0;
    const Value *first = NULL, *oldest = NULL;
    for (int i = b->nvalues - 1; i >= 0; i--) {
        const Value *v = &b->value[i];
        if (v->dirty) dirty++, oldest = v;
        if (v->save) first = v;
    }
    b->unsaved = dirty > 0;
    if (!first && dirty > m->values - m->num_ops) first = oldest;
    b->entry_saved = first ? first->entry : NONE;
    b->place_saved = first ? first->place : 0;
}

static uint32_t with_bit(uint32_t set, int bit, bool value) {
    return (set & ~(1u << bit)) | (uint32_t)value << bit;
}

static void boc_refresh(BypassCollector *m, int c) {
    Boc *b = &m->boc[c];
    list_room(m, b);
    choose_read(m, b);
    choose_save(m, b);
    for (int d = 0; d < m->num_disp; d++) b->offer[d] = NONE;
    for (int i = 0; i < b->nwaiting; i++) {
        const int d = b->waiting[i].unit;
        if (d < m->num_disp && b->offer[d] == NONE && ready(b, m->num_ops, i)) b->offer[d] = (int8_t)i;
    }
    m->asks = with_bit(m->asks, c, b->entry_asked != NONE);
    m->saves = with_bit(m->saves, c, b->entry_saved != NONE);
    m->unsaved = with_bit(m->unsaved, c, b->unsaved);
    for (int d = 0; d < m->num_disp; d++) m->offers[d] = with_bit(m->offers[d], c, b->offer[d] != NONE);
}

// ---- the pool --------------------------------------------------------------------------------------

// The first BOC of the set at or after `from`, cyclically.
static int next_of(const BypassCollector *m, uint32_t set, int from) {
    for (int i = 0, c = from; set && i < m->num_coll; i++, c = c + 1 < m->num_coll ? c + 1 : 0)
        if (set >> c & 1) return c;
    return NONE;
}

static void pool_refresh(BypassCollector *m) {
    for (int d = 0; d < m->num_disp; d++)
        m->disp_coll[d] = next_of(m, m->offers[d], m->disp_pointer[d]);
    uint32_t mine[BOW_MAX_WR] = {0};
    for (uint32_t left = m->saves; left; left &= left - 1)
        mine[__builtin_ctz(left) % m->num_wr] |= left & -left;
    for (int p = 0; p < m->num_wr; p++) m->save_coll[p] = next_of(m, mine[p], m->wr_pointer[p]);
}

// Granted BOCs go to the end of the order, the others close up.
static void order_grant(BypassCollector *m, uint32_t granted) {
    if (!granted) return;
    int moved[BOW_MAX_COLL], nmoved = 0, kept = 0;
    for (int i = 0; i < m->num_coll; i++) {
        const int c = m->order[i];
        if (granted >> c & 1) moved[nmoved++] = c;
        else m->order[kept++] = c;
    }
    for (int i = 0; i < nmoved; i++) m->order[kept + i] = moved[i];
    uint32_t before = 0;
    for (int i = 0; i < m->num_coll; i++) m->older[m->order[i]] = before, before |= 1u << m->order[i];
}

// ---- results ---------------------------------------------------------------------------------------

static Plan plan_result(const BypassCollector *m, const BypassCollectorIn *in, int p) {
    Plan plan = {.entry = NONE, .number = NONE};
    if (!(in->res_valid[0] >> p & 1) || in->res_coll[p] >= (uint32_t)m->num_coll) return plan;
    for (int lower = 0; lower < p; lower++)
        if (in->res_valid[0] >> lower & 1 && in->res_coll[lower] == in->res_coll[p]) return plan;
    plan.served = true;
    Boc *b = (Boc *)&m->boc[in->res_coll[p]];
    const uint32_t place = in->res_bank[p] << 16 | in->res_entry[p];
    for (int i = 0; i < b->nawaited; i++)
        if (b->awaited[i].place == place) plan.number = b->awaited[i].number;
    const uint32_t mode = in->mode[0] & 3, bits = in->res_write[p] & 3;
    const bool full = in->res_lane[p] == (uint32_t)ALL_LANES;
    plan.drop = in->res_lane[p] == 0 || (mode >= BOW_COMPILER && bits == 0);
    if (plan.drop) return plan;
    bool keep = mode < BOW_COMPILER || bits >> 1;
    plan.now = mode == BOW_WRITE_THROUGH || (mode >= BOW_COMPILER && bits == 1);
    plan.dead = mode >= BOW_COMPILER && bits == 2;
    if (plan.number == NONE) keep = plan.dead = false, plan.now = true;

    const Value *v = value_of(b, place);
    if (v) {
        plan.entry = v->entry;
        plan.merge = !full && v->dirty;
        plan.kept = keep || plan.merge;
        if (plan.merge) plan.now = false;
        else if (!keep) plan.now = true;
    } else if (keep && full && b->ntake > 0) {
        plan.entry = b->take[0];
        plan.kept = true;
    } else {
        plan.now = true;
    }
    return plan;
}

// The write ports: who uses them, what is done.
typedef struct Ports {
    Plan plan[BOW_MAX_WR];
    uint32_t res_ready, wr_res, wr_valid;
} Ports;

static void plan_ports(const BypassCollector *m, const BypassCollectorIn *in, Ports *w) {
    w->res_ready = w->wr_res = w->wr_valid = 0;
    for (int p = 0; p < m->num_wr; p++) {
        Plan *plan = &w->plan[p];
        *plan = in->res_valid[0] >> p & 1 ? plan_result(m, in, p) : (Plan){.entry = NONE, .number = NONE};
        const bool save = m->save_coll[p] != NONE, writes = plan->served && plan->now;
        const bool mine = writes && (!save || !m->turn[p]);
        if (plan->served && (!writes || mine)) w->res_ready |= 1u << p;
        if (mine) w->wr_res |= 1u << p;
        if (mine || save) w->wr_valid |= 1u << p;
        plan->done = w->res_ready >> p & 1 && (!mine || in->wr_ready[0] >> p & 1);
    }
}

// ---- life ------------------------------------------------------------------------------------------

static void bow_reset(void *self) {
    BypassCollector *m = self;
    memset(m->boc, 0, sizeof m->boc);
    for (int c = 0; c < m->num_coll; c++) {
        m->order[c] = c;
        m->older[c] = (1u << c) - 1;
        boc_refresh(m, c);
    }
    memset(m->disp_pointer, 0, sizeof m->disp_pointer);
    memset(m->wr_pointer, 0, sizeof m->wr_pointer);
    memset(m->turn, 0, sizeof m->turn);
    pool_refresh(m);
}

static void *bow_open(const int *params) {
    BypassCollector *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    memcpy(m->params, params, sizeof m->params);
    m->num_coll = params[P_NumColl], m->num_ops = params[P_NumOps], m->num_alloc = params[P_NumAlloc];
    m->num_disp = params[P_NumDisp], m->num_wr = params[P_NumWr];
    m->window = params[P_Window], m->values = params[P_Values];
    m->banks = params[P_Banks];
    bow_reset(m);
    return m;
}

static void bow_close(void *self) { free(self); }

// ---- outputs ---------------------------------------------------------------------------------------

static void eval_enter(const BypassCollector *m, const Ports *w, const BypassCollectorIn *in,
                       BypassCollectorOut *out) {
    out->alloc_ready[0] = 0;
    for (int c = 0; c < m->num_coll; c++) {
        const Boc *b = &m->boc[c];
        const bool waits = b->nwaiting > 0 && b->waiting[0].number == b->count - m->window;
        if (!waits) out->alloc_ready[0] |= 1u << c;
        out->alloc_slot[c] = (uint32_t)(b->count % m->window);
        out->alloc_room[c] = (uint32_t)(b->ntake < m->num_ops ? b->ntake : m->num_ops);
    }
    for (uint32_t left = in->res_valid[0]; left; left &= left - 1) {
        const Plan *plan = &w->plan[__builtin_ctz(left)];
        if (!plan->served || plan->entry == NONE) continue;
        const uint32_t c = in->res_coll[__builtin_ctz(left)];
        const Boc *b = &m->boc[c];
        int room = 0;
        for (int i = 0; i < b->ntake; i++) room += b->take[i] != plan->entry;
        out->alloc_room[c] = (uint32_t)(room < m->num_ops ? room : m->num_ops);
    }
}

static void eval_dispatch(const BypassCollector *m, BypassCollectorOut *out) {
    out->disp_valid[0] = out->disp_need[0] = 0;
    for (int d = 0; d < m->num_disp; d++) {
        const int c = m->disp_coll[d];
        if (c == NONE) continue;
        const Waiting *i = &m->boc[c].waiting[m->boc[c].offer[d]];
        out->disp_valid[0] |= 1u << d;
        out->disp_coll[d] = (uint32_t)c;
        out->disp_slot[d] = (uint32_t)(i->number % m->window);
        out->disp_need[0] |= (uint32_t)i->need << d * m->num_ops;
        for (int o = 0; o < m->num_ops; o++)
            if (i->need >> o & 1)
                memcpy(out->disp_data[d * m->num_ops + o], m->row[c][i->entry[o]], 128);
    }
}

static void eval_writes(const BypassCollector *m, const Ports *w, const BypassCollectorIn *in,
                        BypassCollectorOut *out) {
    out->res_ready[0] = w->res_ready, out->wr_res[0] = w->wr_res, out->wr_valid[0] = w->wr_valid;
    for (uint32_t left = w->wr_valid; left; left &= left - 1) {
        const int p = __builtin_ctz(left);
        const bool result = w->wr_res >> p & 1;
        const Boc *b = &m->boc[result ? 0 : m->save_coll[p]];
        out->wr_bank[p] = result ? in->res_bank[p] : b->place_saved >> 16;
        out->wr_entry[p] = result ? in->res_entry[p] : b->place_saved & 0xffff;
        out->wr_lane[p] = result ? in->res_lane[p] : (uint32_t)ALL_LANES;
        memcpy(out->wr_data[p], result ? in->res_data[p] : m->row[m->save_coll[p]][b->entry_saved], 128);
    }
}

static void bow_eval(void *self, const void *inputs, void *outputs) {
    const BypassCollector *m = self;
    const BypassCollectorIn *in = inputs;
    BypassCollectorOut *out = outputs;
    Ports w;
    plan_ports(m, in, &w);
    eval_enter(m, &w, in, out);
    eval_dispatch(m, out);
    eval_writes(m, &w, in, out);
    out->rd_valid[0] = m->asks;
    for (uint32_t left = m->asks; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        out->rd_bank[c] = m->boc[c].place_asked >> 16;
        out->rd_entry[c] = m->boc[c].place_asked & 0xffff;
    }
    memcpy(out->older, m->older, sizeof *m->older * (unsigned)m->num_coll);
    out->unsaved[0] = m->unsaved;
}

// ---- a cycle ---------------------------------------------------------------------------------------

static bool in_window(const BypassCollector *m, const Boc *b, const Value *v) {
    return v->last != NONE && v->last >= b->count - m->window;
}

// Takes the value at index i out of the list.
static void value_remove(Boc *b, int i) {
    memmove(&b->value[i], &b->value[i + 1], sizeof *b->value * (unsigned)(b->nvalues - i - 1));
    b->nvalues--;
}

static void value_free(Boc *b, int entry) {
    for (int i = 0; i < b->nvalues; i++)
        if (b->value[i].entry == entry) {
            value_remove(b, i);
            return;
        }
}

static Value *value_new(Boc *b, int entry, uint32_t place, int64_t number) {
    value_free(b, entry);
    b->value[b->nvalues] = (Value){.place = place, .last = number, .entry = (int8_t)entry};
    return &b->value[b->nvalues++];
}

// Values that are out of the window and not to be saved are gone.
static void sweep(const BypassCollector *m, Boc *b) {
    int kept = 0;
    for (int i = 0; i < b->nvalues; i++) {
        Value *v = &b->value[i];
        if (!in_window(m, b, v)) v->last = NONE;
        if (v->last != NONE || v->save) b->value[kept++] = *v;
    }
    b->nvalues = kept;
}

static uint32_t collect(BypassCollector *m, const BypassCollectorIn *in) {
    uint32_t touched = 0;
    for (int k = 0; k < m->banks; k++) {
        const uint32_t c = in->rd_data_coll[k];
        if (!(in->rd_data_valid[0] >> k & 1) || c >= (uint32_t)m->num_coll) continue;
        Boc *b = &m->boc[c];
        for (int i = 0; i < b->nvalues; i++) {
            if (b->value[i].reading != READ_COMING) continue;
            memcpy(m->row[c][b->value[i].entry], in->rd_data[k], 128);
            b->value[i].reading = READ_NOT;
            touched |= 1u << c;
        }
    }
    // Presented ones after the data, so that what is granted now does not take the data of before.
    for (uint32_t left = m->asks; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        Boc *b = &m->boc[c];
        b->read_pointer = (b->entry_asked + 1) % m->values;
        if (in->rd_grant[0] >> c & 1) value_in(b, b->entry_asked)->reading = READ_COMING;
    }
    order_grant(m, m->asks & in->rd_grant[0]);
    return touched | m->asks;
}

static uint32_t dispatch(BypassCollector *m, const BypassCollectorIn *in) {
    uint32_t touched = 0, gone[BOW_MAX_COLL];
    for (int d = 0; d < m->num_disp; d++) {
        const int c = m->disp_coll[d];
        if (c == NONE || !(in->disp_ready[0] >> d & 1)) continue;
        if (!(touched >> c & 1)) gone[c] = 0;
        touched |= 1u << c;
        gone[c] |= 1u << m->boc[c].offer[d];
        m->disp_pointer[d] = (c + 1) % m->num_coll;
    }
    for (uint32_t left = touched; left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        Boc *b = &m->boc[c];
        int kept = 0;
        for (int i = 0; i < b->nwaiting; i++)
            if (!(gone[c] >> i & 1)) b->waiting[kept++] = b->waiting[i];
        b->nwaiting = kept;
    }
    return touched;
}

static uint32_t save(BypassCollector *m, const BypassCollectorIn *in, const Ports *w) {
    uint32_t touched = 0;
    for (int p = 0; p < m->num_wr; p++) {
        const bool taken = in->wr_ready[0] >> p & 1 && w->wr_valid >> p & 1;
        const bool result = w->wr_res >> p & 1;
        const bool conflict = w->plan[p].served && w->plan[p].now && m->save_coll[p] != NONE;
        if (conflict && taken) m->turn[p] = result;
        if (!taken || result) continue;
        const int c = m->save_coll[p];
        Value *v = value_in(&m->boc[c], m->boc[c].entry_saved);
        v->dirty = v->save = false;
        m->wr_pointer[p] = (c + 1) % m->num_coll;
        touched |= 1u << c;
    }
    return touched;
}

static void store(uint32_t row[32], const uint32_t data[32], uint32_t lanes) {
    for (int i = 0; i < 32; i++) {
        uint32_t mask = 0;
        for (int k = 0; k < 4; k++)
            if (lanes >> (i % 8 * 4 + k) & 1) mask |= 0xffu << 8 * k;
        row[i] = (row[i] & ~mask) | (data[i] & mask);
    }
}

// was_saved: whether the value was to be saved at the start of the cycle.
static void result_keep(BypassCollector *m, const BypassCollectorIn *in, int p, const Plan *plan,
                        bool was_saved) {
    const uint32_t c = in->res_coll[p], lanes = in->res_lane[p];
    Boc *b = &m->boc[c];
    Value *v = value_of(b, in->res_bank[p] << 16 | in->res_entry[p]);
    if (!v) v = value_new(b, plan->entry, in->res_bank[p] << 16 | in->res_entry[p], plan->number);
    if (lanes == (uint32_t)ALL_LANES) memcpy(m->row[c][v->entry], in->res_data[p], 128);
    else store(m->row[c][v->entry], in->res_data[p], lanes);
    if (plan->number != NONE) v->last = plan->number;
    v->dead = plan->dead && (v->dead || !plan->merge);
    v->dirty = !plan->now;
    v->save = plan->merge && was_saved;
}

static uint32_t results(BypassCollector *m, const BypassCollectorIn *in, const Ports *w,
                        const bool *was_saved) {
    uint32_t touched = 0;
    for (int p = 0; p < m->num_wr; p++) {
        const Plan *plan = &w->plan[p];
        if (!plan->done) continue;
        Boc *b = &m->boc[in->res_coll[p]];
        touched |= 1u << in->res_coll[p];
        for (int i = 0; i < b->nawaited; i++)
            if (b->awaited[i].number == plan->number) {
                b->awaited[i] = b->awaited[--b->nawaited];
                break;
            }
        if (plan->drop) continue;
        if (plan->kept) result_keep(m, in, p, plan, was_saved[p]);
        else if (plan->entry != NONE) value_free(b, plan->entry);
    }
    return touched;
}

// pinned: entries needed at the start of the cycle.
static void flush(Boc *b, uint32_t pinned) {
    b->nawaited = 0;
    for (int i = 0; i < b->nvalues; i++) {
        Value *v = &b->value[i];
        v->save = v->dirty;
        v->dead = false;
        if (!(pinned >> v->entry & 1)) v->last = NONE;
    }
}

static uint32_t flushes(BypassCollector *m, const BypassCollectorIn *in, const uint32_t *pinned) {
    const uint32_t all = UINT32_MAX >> (32 - m->num_coll);
    const uint32_t drops = in->drop[0] & all, flushed = in->flush[0] & ~drops & all;
    for (uint32_t left = drops; left; left &= left - 1) {
        Boc *b = &m->boc[__builtin_ctz(left)];
        b->nvalues = b->nwaiting = b->nawaited = 0;
    }
    for (uint32_t left = flushed; left; left &= left - 1)
        flush(&m->boc[__builtin_ctz(left)], pinned[__builtin_ctz(left)]);
    return drops | flushed;
}

// The needed operands get entries: those of the BOC, then new ones from the list of the start of the
// cycle without `except`.
static void enter_operands(const BypassCollector *m, Boc *b, const BypassCollectorIn *in, int a,
                           uint32_t except, Waiting *w) {
    const uint32_t *bank = &in->alloc_bank[a * m->num_ops], *entry = &in->alloc_entry[a * m->num_ops];
    for (int o = 0; o < m->num_ops; o++) {
        const Value *v = w->need >> o & 1 ? value_of(b, bank[o] << 16 | entry[o]) : NULL;
        if (v) except |= 1u << v->entry;
    }
    for (int o = 0, next = 0; o < m->num_ops; o++) {
        if (!(w->need >> o & 1)) continue;
        Value *v = value_of(b, bank[o] << 16 | entry[o]);
        if (!v) {
            while (except >> b->take[next] & 1) next++;
            v = value_new(b, b->take[next++], bank[o] << 16 | entry[o], w->number);
            v->reading = READ_ASK;
        }
        v->last = w->number;
        w->entry[o] = v->entry;
    }
}

// The window moves on by one instruction; returns that one's number.
static int64_t move_window(const BypassCollector *m, Boc *b) {
    const int64_t number = b->count++;
    for (int i = 0; i < b->nvalues; i++) {
        Value *v = &b->value[i];
        if (v->last != NONE && !in_window(m, b, v) && v->dirty && !v->dead) v->save = true;
    }
    sweep(m, b);
    for (int i = 0; i < b->nawaited;) {
        if (b->awaited[i].number < b->count - m->window) b->awaited[i] = b->awaited[--b->nawaited];
        else i++;
    }
    return number;
}

static void enter(const BypassCollector *m, Boc *b, const BypassCollectorIn *in, int a, uint32_t except) {
    const bool pass = in->alloc_pass[0] >> a & 1, writes = in->alloc_dst[0] >> a & 1;
    Waiting w = {.dst = UINT32_MAX, .unit = (uint8_t)in->alloc_unit[a]};
    w.number = move_window(m, b);
    if (!pass) w.need = (uint8_t)(in->alloc_need[a] & ((1u << m->num_ops) - 1));
    enter_operands(m, b, in, a, except, &w);
    if (writes) {
        w.dst = in->alloc_dst_bank[a] << 16 | in->alloc_dst_entry[a];
        Value *v = value_of(b, w.dst);
        if (v) v->last = w.number;
        b->awaited[b->nawaited++] = (Awaited){w.number, w.dst};
    }
    if (!pass) b->waiting[b->nwaiting++] = w;
}

// Entries of BOC c that are promised to its result of this cycle, as a set.
static uint32_t promised(const BypassCollector *m, const BypassCollectorIn *in, const Ports *w, int c) {
    for (int p = 0; p < m->num_wr; p++)
        if (w->plan[p].served && in->res_coll[p] == (uint32_t)c && w->plan[p].entry != NONE)
            return 1u << w->plan[p].entry;
    return 0;
}

static bool may_enter(const BypassCollector *m, const BypassCollectorIn *in, int a, uint32_t except,
                      const bool *slot_waits) {
    const int c = (int)in->alloc_coll[a];
    const Boc *b = &m->boc[c];
    const bool pass = in->alloc_pass[0] >> a & 1;
    const uint32_t need = pass ? 0 : in->alloc_need[a] & ((1u << m->num_ops) - 1);
    int room = 0;
    for (int i = 0; i < b->ntake; i++) room += !(except >> b->take[i] & 1);
    return !slot_waits[a] && __builtin_popcount(need) <= room;
}

static void bow_tick(void *self, const void *inputs) {
    BypassCollector *m = self;
    const BypassCollectorIn *in = inputs;
    // Decided on the state at the start.
    Ports w;
    plan_ports(m, in, &w);
    bool was_saved[BOW_MAX_WR] = {false}, slot_waits[BOW_MAX_ALLOC] = {false};
    uint32_t pinned[BOW_MAX_COLL], seen = 0;
    for (int p = 0; p < m->num_wr; p++) {
        if (w.plan[p].entry == NONE) continue;
        const Value *v = value_in(&m->boc[in->res_coll[p]], w.plan[p].entry);
        was_saved[p] = v && v->save;
    }
    for (uint32_t left = (in->flush[0] | in->drop[0]) & UINT32_MAX >> (32 - m->num_coll); left; left &= left - 1) {
        const int c = __builtin_ctz(left);
        pinned[c] = 0;
        for (int e = 0; e < m->values; e++)
            if (needed(&m->boc[c], m->num_ops, e)) pinned[c] |= 1u << e;
    }
    for (int a = 0; a < m->num_alloc; a++) {
        if (!(in->alloc_valid[0] >> a & 1) || in->alloc_coll[a] >= (uint32_t)m->num_coll) continue;
        const Boc *b = &m->boc[in->alloc_coll[a]];
        slot_waits[a] = b->nwaiting > 0 && b->waiting[0].number == b->count - m->window;
    }

    uint32_t touched = collect(m, in);
    touched |= dispatch(m, in);
    touched |= save(m, in, &w);
    touched |= results(m, in, &w, was_saved);
    touched |= flushes(m, in, pinned);
    for (uint32_t left = touched; left; left &= left - 1)
        sweep(m, &m->boc[__builtin_ctz(left)]);
    for (int a = 0; a < m->num_alloc; a++) {
        const uint32_t c = in->alloc_coll[a];
        if (!(in->alloc_valid[0] >> a & 1) || c >= (uint32_t)m->num_coll || seen >> c & 1) continue;
        seen |= 1u << c;
        const uint32_t except = promised(m, in, &w, (int)c);
        if (!may_enter(m, in, a, except, slot_waits)) continue;
        enter(m, &m->boc[c], in, a, except);
        touched |= 1u << c;
    }
    for (uint32_t left = touched; left; left &= left - 1) boc_refresh(m, __builtin_ctz(left));
    pool_refresh(m);
}

// ---- observation -------------------------------------------------------------------------------------

static uint32_t bow_obs_count(void *self) {
    const BypassCollector *m = self;
    return (uint32_t)(m->num_coll * (3 + m->values) + 1);
}

static void observe_window(BypassCollector *m, Boc *b, uint32_t *words) {
    words[0] = (uint32_t)(b->count % m->window) | (uint32_t)b->read_pointer << 8;
    for (int i = 0; i < b->nvalues; i++) {
        const Value *v = &b->value[i];
        if (v->reading == READ_COMING) words[0] |= 1u << 16 | (uint32_t)v->entry << 17;
        if (v->last != NONE) words[16 + v->last % m->window] |= 1u << v->entry;
    }
    for (int i = 0; i < b->nawaited; i++) {
        const int s = (int)(b->awaited[i].number % m->window);
        words[1 + s] |= 2;
        words[8 + s] = b->awaited[i].place;
    }
    for (int i = 0; i < b->nwaiting; i++) {
        const Waiting *w = &b->waiting[i];
        uint32_t *word = &words[1 + w->number % m->window];
        *word |= 1u | (uint32_t)w->unit << 2 | (uint32_t)w->need << 5;
        for (int older = 0; older < i; older++)
            if (w->dst != UINT32_MAX && follows(b, m->num_ops, i, older))
                *word |= 1u << (8 + b->waiting[older].number % m->window);
        for (int o = 0; o < m->num_ops; o++)
            if (w->need >> o & 1) *word |= (uint32_t)w->entry[o] << (16 + 5 * o);
    }
}

static void observe_entries(const BypassCollector *m, const Boc *b, uint32_t *words) {
    for (int i = 0; i < b->nvalues; i++) {
        const Value *v = &b->value[i];
        words[v->entry] = (uint32_t)in_window(m, b, v) | (uint32_t)(v->reading == READ_ASK) << 1 |
                          (uint32_t)v->dirty << 2 | (uint32_t)(v->dirty && v->dead) << 3 |
                          (uint32_t)v->save << 4 | (v->place & 0xffff) << 16 | v->place >> 16 << 26;
    }
}

static void bow_observe(void *self, uint32_t addr, uint32_t *words) {
    BypassCollector *m = self;
    const uint32_t n = (uint32_t)m->num_coll, rows = n * (uint32_t)m->values;
    memset(words, 0, 128);
    if (addr < n) {
        observe_window(m, &m->boc[addr], words);
    } else if (addr < 2 * n) {
        observe_entries(m, &m->boc[addr - n], words);
    } else if (addr < 3 * n) {
        const Boc *b = &m->boc[addr - 2 * n];
        uint32_t before = 0;
        for (int i = 0; i < b->nvalues; i++) words[b->value[i].entry] = before, before |= 1u << b->value[i].entry;
    } else if (addr < 3 * n + rows) {
        const uint32_t c = (addr - 3 * n) / (uint32_t)m->values, e = (addr - 3 * n) % (uint32_t)m->values;
        const Value *v = value_in(&m->boc[c], (int)e);
        if (v && v->reading == READ_NOT) memcpy(words, m->row[c][e], 128);
    } else if (addr == 3 * n + rows) {
        for (int d = 0; d < m->num_disp; d++) words[d] = (uint32_t)m->disp_pointer[d];
        for (int p = 0; p < m->num_wr; p++) words[8 + p] = (uint32_t)m->wr_pointer[p], words[12 + p] = m->turn[p];
    } else if (addr - BLOCK_OBS_PARAM < PARAMS) {
        words[0] = (uint32_t)m->params[addr - BLOCK_OBS_PARAM];
    }
}

const BlockModel bypass_collector_model = {
    "bypass_collector", bow_open, bow_close,     bow_reset,   bow_eval,
    bow_tick,           bow_obs_count, bow_observe, 32,
};
