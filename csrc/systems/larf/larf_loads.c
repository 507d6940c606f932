// SPDX-License-Identifier: Apache-2.0
// From the addresses of a load to its answer. A load that dispatches in cycle t has its shape in
// t+2..t+5 (block load_shape). The table is queried in t+5 and answers in t+8 (addr_map_table). A
// load of n words queries n times, one word per cycle. The load is served when all its words are
// served. A register serves a word if it holds the word (HIT) or will hold it (WAITS, block
// wait_table). Two registers serve it if they hold its parts (MERGES). Otherwise the load goes to
// the memory system, and the table enters the missing words.
//
// Look-ups, stores, atomics (when they are performed) and flushes pass through one queue, in the
// order of their effect on memory. A look-up therefore finds the contents of memory at the time the
// load dispatched. If stores occupy the table and the look-up is late, the load goes to memory and
// is not entered.
//
// The thesis counts no time for an exact hit, and larf.md specifies the answer in t+5. The three
// further cycles are those of load_shape, which checks 32 addresses and needs them to meet the
// clock. Their cost is measured with larf.latency (bench/repro/larf.md). With larf.ideal the table
// is queried in t+1 and answers in t+4, the end of the address pipe.
#include "systems/larf/larf.h"

#include "systems/larf/larf_flat.h"

#include <string.h>

enum { TAG_WORD = 2, TAG_FLIGHT = 11, IN_GLOBAL = 0, QUESTION = -1 };
_Static_assert(SM_FLIGHTS <= 1 << TAG_FLIGHT, "a tag names any instruction in flight");

static void fifo_open(Fifo *f, Arena *arena, int size) {
    *f = (Fifo){.at = ARENA_ARRAY(arena, int, (size_t)size), .size = size};
}

void loads_open(Larf *s, const Sm *sm, Arena *arena) {
    (void)sm;
    s->waiter = arena_alloc(arena, sizeof *s->waiter * SM_MAX_WARPS);
    s->requests = ARENA_ARRAY(arena, Request, LARF_REQUESTS);
    s->loads = ARENA_ARRAY(arena, Load, SM_FLIGHTS);
    Fifo *const fifos[] = {&s->to_shape, &s->in_shape, &s->waiting, &s->pinned};
    for (unsigned i = 0; i < sizeof fifos / sizeof *fifos; i++)
        fifo_open(fifos[i], arena, SM_FLIGHTS);
    fifo_open(&s->asked, arena, SM_FLIGHTS * LARF_WORDS);
    fifo_open(&s->written, arena, SM_FLIGHTS * LARF_WORDS);
}

void loads_launch(Larf *s) {
    Fifo *const fifos[] = {&s->to_shape, &s->in_shape, &s->waiting,
                           &s->pinned,   &s->asked,    &s->written};
    for (unsigned i = 0; i < sizeof fifos / sizeof *fifos; i++) fifo_clear(fifos[i]);
    s->preferred = 0;
    s->first = s->nrequests = 0;
    s->last_due = s->last_flush = s->next_lookup = 0;
    for (int i = 0; i < SM_FLIGHTS; i++)
        for (int w = 0; w < LARF_WORDS; w++) s->loads[i].kept[w] = LARF_NOWHERE;
}

static int count_ones(uint32_t v) { return __builtin_popcount(v); }

// ---- requests ----

static Request *push_request(Larf *s, const Sm *sm, RequestKind kind) {
    panic_if(s->nrequests == LARF_REQUESTS, "more than %d requests to the table", LARF_REQUESTS);
    const bool ideal = sm->cfg->larf_ideal;
    const uint64_t soon = sm->cycle + (ideal ? 1 : LARF_TABLE_AT), next = s->last_due + !ideal;
    Request *r = &s->requests[(s->first + s->nrequests++) % LARF_REQUESTS];
    s->last_due = next > soon ? next : soon;
    *r = (Request){.kind = kind, .due = s->last_due};
    return r;
}

static Request *front_request(Larf *s) { return &s->requests[s->first]; }

static void pop_request(Larf *s) {
    s->first = (s->first + 1) % LARF_REQUESTS;
    s->nrequests--;
}

bool loads_room(const Larf *s) { return s->nrequests < LARF_BACKLOG; }

void loads_flush(Sm *sm, Larf *s) { push_request(s, sm, REQUEST_FLUSH); }

// Invalidates the bytes that these lanes write, one range per line of 128 bytes.
static void kill_ranges(Sm *sm, Larf *s, const Flight *f, uint32_t lanes) {
    const uint32_t bytes = f->inst->isa->mem_bytes;
    if (s->nrequests > LARF_REQUESTS / 2) {  // atomics are performed when L2 performs them
        loads_flush(sm, s);
        return;
    }
    while (lanes) {
        const uint32_t line = f->access.addr[__builtin_ctz(lanes)] / 128;
        uint32_t low = ~0u, high = 0;
        for (uint32_t left = lanes; left; left &= left - 1) {
            const uint32_t at = f->access.addr[__builtin_ctz(left)];
            if (at / 128 != line) continue;
            low = at < low ? at : low;
            high = at + bytes - 1 > high ? at + bytes - 1 : high;
            lanes &= ~(left & -left);
        }
        Request *r = push_request(s, sm, REQUEST_STORE);
        r->low = low;
        r->high = high;
        sm->count->v[CTR_LARF_STORES]++;
    }
}

// May the load query the table (larf.md 3.1)? Its shape is checked later.
static bool is_weak(const IsaInst *in) {
    return !in->ordered && in->cache != ISA_CACHE_L2 && in->cache != ISA_CACHE_VOLATILE;
}

static bool may_ask(const Flight *f) {
    return is_weak(f->inst->isa) && f->inst->isa->mem_bytes >= 4 &&
        f->access.lanes_of[IN_GLOBAL] == f->active && f->inst->nwrites;
}

static void count_not_asking(Sm *sm, const Flight *f) {
    const IsaInst *in = f->inst->isa;
    if (!f->access.lanes_of[IN_GLOBAL]) return;
    sm->count->v[CTR_LARF_NOT_ASKED]++;
    if (!is_weak(in)) sm->count->v[CTR_LARF_NOT_WEAK]++;
    else sm->count->v[CTR_LARF_NOT_WORDS] += in->mem_bytes < 4;
}

static void shape_now(Load *l, const Flight *f) {
    uint32_t code = 0;
    l->shaped = true;
    l->mask = f->active;
    l->ok = flat_shape(f->access.addr, f->active, &l->base, &code);
    l->code = (uint8_t)code;
}

static void begin_load(Sm *sm, Larf *s, const Flight *f) {
    Load *l = &s->loads[flight_index(sm, f)];
    if (!may_ask(f)) {
        count_not_asking(sm, f);
        return;
    }
    l->asks = true;
    l->shaped = false;
    l->since = sm->cycle;
    l->whole = regs_whole(sm, f->warp, f->active);
    l->nwords = f->inst->nwrites;
    if (sm->cfg->larf_ideal) shape_now(l, f);
    else fifo_push(&s->to_shape, flight_index(sm, f));
    for (int i = 0; i < l->nwords; i++) {
        Request *r = push_request(s, sm, REQUEST_LOAD);
        r->flight = (uint16_t)flight_index(sm, f);
        r->word = (uint16_t)i;
        r->generation = l->generation;
        l->state[i] = WORD_ASKED;
        l->deadline = sm->cfg->larf_ideal ? UINT64_MAX
                                          : r->due + AMT_CYCLES + (unsigned)sm->cfg->larf_latency;
    }
}

void loads_begun(Sm *sm, Larf *s, const Flight *f) {
    Load *l = &s->loads[flight_index(sm, f)];
    l->generation++;
    l->asks = false;
    l->preferred = s->preferred >> f->warp & 1;
    for (int w = 0; w < LARF_WORDS; w++) l->kept[w] = LARF_NOWHERE;
}

void loads_access(Sm *sm, Larf *s, const Flight *f) {
    if (f->inst->isa->op == ISA_LD) begin_load(sm, s, f);
    else if (f->inst->isa->op == ISA_ST && f->access.lanes_of[IN_GLOBAL])
        kill_ranges(sm, s, f, f->access.lanes_of[IN_GLOBAL]);
    else if (f->inst->isa->op == ISA_SYSCALL) loads_flush(sm, s);
}

void loads_performed(Sm *sm, Larf *s, const Flight *f, uint32_t lanes) {
    if (lanes) kill_ranges(sm, s, f, lanes);
}

// ---- queries ----

static void take_shape(Larf *s) {
    const LoadShapeOut *o = s->shape_out;
    const int index = fifo_pop(&s->in_shape);
    if (index >= SM_FLIGHTS) {
        s->shaped.valid = o->out_ok[0];
        s->shaped.warp = index - SM_FLIGHTS;
        s->shaped.base = o->out_base[0], s->shaped.mask = o->out_mask[0],
        s->shaped.code = (uint8_t)o->out_code[0];
        return;
    }
    Load *l = &s->loads[index];
    l->shaped = true;
    l->ok = o->out_ok[0];
    l->base = o->out_base[0], l->mask = o->out_mask[0], l->code = (uint8_t)o->out_code[0];
}

bool loads_shape_question(Larf *s, const uint32_t addr[32], uint32_t mask, int warp) {
    if (s->shape_in->in_valid[0]) return false;
    s->shape_in->in_valid[0] = 1;
    rf_slices_from_lanes(s->shape_in->in_addr[0], addr);
    s->shape_in->in_mask[0] = mask;
    s->shape_in->in_tag[0] = (uint32_t)warp;
    fifo_push(&s->in_shape, SM_FLIGHTS + warp);
    return true;
}

bool loads_question(Larf *s, uint32_t base, uint32_t code, uint32_t mask) {
    if (s->amt_in->lk_valid[0]) return false;
    s->amt_in->lk_valid[0] = s->amt_in->lk_question[0] = 1;
    s->amt_in->lk_base[0] = base;
    s->amt_in->lk_code[0] = code;
    s->amt_in->lk_mask[0] = mask;
    larf_ask_table(s);
    if (!s->amt_out->lk_ready[0]) {
        s->amt_in->lk_valid[0] = 0;
        return false;
    }
    fifo_push(&s->asked, QUESTION);
    return true;
}

static void drive_shapes(Sm *sm, Larf *s) {
    if (s->shape_out->out_valid[0]) take_shape(s);
    if (!s->to_shape.n || s->loads[fifo_front(&s->to_shape)].since + LARF_SHAPE_AT > sm->cycle)
        return;
    const Flight *f = &sm->flights[fifo_front(&s->to_shape)];
    s->shape_in->in_valid[0] = 1;
    rf_slices_from_lanes(s->shape_in->in_addr[0], f->access.addr);
    s->shape_in->in_mask[0] = f->active;
    s->shape_in->in_tag[0] = (uint32_t)f->warp;
    fifo_push(&s->in_shape, fifo_pop(&s->to_shape));
}

static void ask_word(Sm *sm, Larf *s, const Request *r) {
    const Load *l = &s->loads[r->flight];
    s->amt_in->lk_valid[0] = 1;
    s->amt_in->lk_question[0] = 0;
    s->amt_in->lk_base[0] = l->base + 4u * sm->flights[r->flight].inst->dst_word[r->word];
    s->amt_in->lk_code[0] = l->code;
    s->amt_in->lk_mask[0] = l->mask;
    fifo_push(&s->asked,
              (int)(r->generation << (TAG_FLIGHT + TAG_WORD) | r->flight << TAG_WORD | r->word));
    s->next_lookup = sm->cycle + (unsigned)sm->cfg->larf_interval;
    sm->count->v[CTR_LARF_LOOKUPS]++;
}

// True: the request was issued, or is void.
static bool make_request(Sm *sm, Larf *s, const Request *r) {
    Load *l = &s->loads[r->flight];
    switch (r->kind) {
    case REQUEST_FLUSH:
        if (s->flat) flat_flush(s->flat);
        else s->amt_in->fl_valid[0] = 1;
        s->last_flush = sm->cycle;
        sm->count->v[CTR_LARF_FLUSHES]++;
        return true;
    case REQUEST_STORE:
        if (s->flat) {
            sm->count->v[CTR_LARF_KILLED] += (unsigned)flat_kill(s->flat, r->low, r->high);
            return true;
        }
        s->amt_in->st_valid[0] = 1;
        s->amt_in->st_low[0] = r->low;
        s->amt_in->st_high[0] = r->high;
        larf_ask_table(s);
        return s->amt_out->st_ready[0];
    default:
        if (!l->asks || l->generation != r->generation) return true;
        if (!l->shaped) return false;
        if (!l->ok) l->state[r->word] = WORD_MISS, sm->count->v[CTR_LARF_NOT_SHAPED]++;
        else if (sm->cycle < s->next_lookup) return false;
        else ask_word(sm, s, r);
        return true;
    }
}

void loads_ask(Sm *sm, Larf *s) {
    drive_shapes(sm, s);
    while (s->nrequests && front_request(s)->due <= sm->cycle) {
        const Request r = *front_request(s);
        const bool idle = r.kind == REQUEST_LOAD &&
            !(s->loads[r.flight].asks && s->loads[r.flight].generation == r.generation);
        if (!make_request(sm, s, &r)) return;
        pop_request(s);
        // one request per cycle
        if (!idle && !(sm->cfg->larf_ideal && r.kind != REQUEST_LOAD)) return;
    }
}

// ---- answers ----

static bool pin_registers(Larf *s, int use) {
    for (int i = 0; i < use; i++) {
        if (regs_count(s, (int)s->amt_out->ans_phys[i])) continue;
        while (i--) regs_drop(s, (int)s->amt_out->ans_phys[i]);
        return false;
    }
    return true;
}

// Builds the value from the contents of one or two registers.
static WordState merge_word(Sm *sm, Larf *s, uint32_t tag) {
    const int use = s->amt_out->ans_use[0] == 3 ? 2 : 1;
    block_eval(s->rr);
    if (s->rr_in->mg_valid[0] || !s->rr_out->mg_ready[0]) {
        sm->count->v[CTR_LARF_MERGE_FULL]++;
        return WORD_MISS;
    }
    if (!pin_registers(s, use)) return WORD_MISS;
    s->rr_in->mg_valid[0] = 1;
    s->rr_in->mg_use[0] = s->amt_out->ans_use[0];
    for (int i = 0; i < use; i++) {
        s->rr_in->mg_phys[i] = s->amt_out->ans_phys[i];
        s->rr_in->mg_shift[i] = s->amt_out->ans_shift[i];
        s->rr_in->mg_mask[i] = s->amt_out->ans_mask[i];
        fifo_push(&s->pinned, true);
    }
    s->rr_in->mg_tag[0] = tag & 0x7fffff;
    sm->count->v[use == 2 ? CTR_LARF_MERGES : CTR_LARF_SHIFTS]++;
    return WORD_MERGES;
}

static WordState share_register(Sm *sm, Larf *s, Load *l, const Flight *f, int word) {
    const int phys = (int)s->amt_out->ans_phys[0];
    const bool waits = s->amt_out->ans_wait[0];
    if (waits && !sm->cfg->larf_ideal && (s->wt_in->en_valid[0] || !s->wt_out->en_ready[0])) {
        sm->count->v[CTR_LARF_WAIT_FULL]++;
        return WORD_MISS;
    }
    if (!regs_count(s, phys)) {
        sm->count->v[CTR_LARF_COUNT_FULL]++;
        return WORD_MISS;
    }
    l->shared[word] = phys;
    sm->count->v[CTR_LARF_WAITS] += waits;
    if (!waits) return WORD_HIT;
    if (sm->cfg->larf_ideal) return WORD_WAITS;  // without a limit
    s->wt_in->en_valid[0] = 1;
    s->wt_in->en_phys[0] = (uint32_t)phys;
    s->wt_in->en_warp[0] = (uint32_t)f->warp;
    s->wt_in->en_reg[0] = f->inst->dst_reg[word];
    s->waiter[f->warp][f->inst->dst_reg[word]] = flight_index(sm, f);
    return WORD_WAITS;
}

// Enters the load with its destination register.
static void enter_word(Sm *sm, Larf *s, Load *l, const Flight *f, int word) {
    if (!s->amt_out->ans_enter[0] || !l->whole || sm->cycle - AMT_CYCLES <= s->last_flush) return;
    const int reg = f->inst->dst_reg[word], old = s->map[f->warp][reg];
    const int phys = regs_alone(s, old) ? old : regs_allocate(s, sm, f, reg);
    if (phys == LARF_NOWHERE) return;
    s->amt_in->ins_valid[0] = 1;
    s->amt_in->ins_phys[0] = (uint32_t)phys;
    s->rc_in->mk_valid[0] = 1;
    s->rc_in->mk_phys[0] = (uint32_t)phys;
    s->entered[phys] = true;
    s->there[phys] = false;
    l->kept[word] = phys;
    if (phys != old) regs_map(s, f->warp, reg, phys);
    sm->count->v[CTR_LARF_ENTERED]++;
    sm->count->v[CTR_LARF_EVICTED] += s->amt_out->ans_evicts[0];
}

static void take_answer(Sm *sm, Larf *s) {
    const uint32_t tag = (uint32_t)fifo_pop(&s->asked);
    if (tag == (uint32_t)QUESTION) {
        s->question_answered = true;
        s->question_serves = s->amt_out->ans_kind[0] != AMT_MISS;
        return;
    }
    const int index = (int)(tag >> TAG_WORD) & ((1 << TAG_FLIGHT) - 1),
              word = (int)tag & (LARF_WORDS - 1);
    Load *l = &s->loads[index];
    const Flight *f = &sm->flights[index];
    if (!l->asks || l->generation != tag >> (TAG_FLIGHT + TAG_WORD)) return;
    WordState state = WORD_MISS;
    if (s->amt_out->ans_kind[0] == AMT_HIT && l->whole) state = share_register(sm, s, l, f, word);
    else if (s->amt_out->ans_kind[0] != AMT_MISS && !s->amt_out->ans_wait[0])
        state = merge_word(sm, s, tag);
    if (s->amt_out->ans_kind[0] == AMT_MISS || state == WORD_MERGES) enter_word(sm, s, l, f, word);
    l->state[word] = (uint8_t)state;
}

// Wakes the waiter (warp, register) if the value is available.
static void wake_waiter(const Sm *sm, Larf *s, int warp, int reg) {
    Load *l = &s->loads[s->waiter[warp][reg]];
    const Flight *f = &sm->flights[s->waiter[warp][reg]];
    if (!l->asks || f->warp != warp) return;
    for (int w = 0; w < l->nwords; w++)
        if (f->inst->dst_reg[w] == reg && l->state[w] == WORD_WAITS && s->there[l->shared[w]])
            l->state[w] = WORD_HIT;
}

void loads_answers(Sm *sm, Larf *s) {
    for (uint32_t left = s->amt_out->arr_done[0]; left; left &= left - 1)
        s->there[s->amt_out->arr_done_phys[__builtin_ctz(left)]] = true;
    s->wt_in->arr_valid[0] = s->amt_out->arr_done[0];
    memcpy(s->wt_in->arr_phys, s->amt_out->arr_done_phys, sizeof s->wt_in->arr_phys);
    for (uint32_t left = s->wt_out->wk_valid[0]; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        wake_waiter(sm, s, (int)s->wt_out->wk_warp[k], (int)s->wt_out->wk_reg[k]);
    }
    sm->count->v[CTR_LARF_KILLED] += (unsigned)count_ones(s->amt_out->obs_died[0]);
    if (s->amt_out->ans_valid[0]) take_answer(sm, s);
}

void loads_merged(Larf *s, uint32_t tag, const uint32_t row[32], Sm *sm) {
    const int index = (int)(tag >> TAG_WORD) & ((1 << TAG_FLIGHT) - 1),
              word = (int)tag & (LARF_WORDS - 1);
    Load *l = &s->loads[index];
    Flight *f = &sm->flights[index];
    if (!l->asks || (l->generation & 0x7ff) != tag >> (TAG_FLIGHT + TAG_WORD) ||
        l->state[word] != WORD_MERGES)
        return;
    uint32_t lanes[32];
    rf_lanes_from_slices(lanes, row);
    for (uint32_t left = f->active; left; left &= left - 1)
        f->out.dst[f->inst->dst_word[word]][__builtin_ctz(left)] = lanes[__builtin_ctz(left)];
    l->state[word] = WORD_MERGED;
}

// ---- the decision of a load by the table's answers ----

static bool every_word_is(const Load *l, bool (*is)(uint8_t state)) {
    for (int w = 0; w < l->nwords; w++)
        if (!is(l->state[w])) return false;
    return true;
}
static bool is_answered(uint8_t state) { return state != WORD_ASKED; }
static bool is_served(uint8_t state) { return state == WORD_HIT || state == WORD_MERGED; }

static bool any_missed(const Load *l) {
    for (int w = 0; w < l->nwords; w++)
        if (l->state[w] == WORD_MISS) return true;
    return false;
}

// Sends the load to memory and releases the registers counted for it.
static LoadAnswer refuse_load(Sm *sm, Larf *s, Load *l, bool late) {
    for (int w = 0; w < l->nwords; w++)
        if (l->state[w] == WORD_HIT || l->state[w] == WORD_WAITS) regs_drop(s, l->shared[w]);
    sm->count->v[late ? CTR_LARF_UNASKED : CTR_LARF_MISSES]++;
    sm->count->v[CTR_LAS_STALE] += l->preferred;
    l->asks = false;
    return (LoadAnswer){.from = LOAD_MEMORY};
}

// The load delivers the contents of the register.
static void take_row(const Sm *sm, const Larf *s, Flight *f, int word, int phys) {
    uint32_t row[32], lanes[32];
    if (!sm->path->peek(sm, sm->path_self, regs_place(s, phys), row)) return;
    rf_lanes_from_slices(lanes, row);
    for (uint32_t left = f->active; left; left &= left - 1)
        f->out.dst[f->inst->dst_word[word]][__builtin_ctz(left)] = lanes[__builtin_ctz(left)];
}

static LoadAnswer serve_words(Sm *sm, Larf *s, Load *l, Flight *f) {
    LoadAnswer answer = {.from = LOAD_SERVED, .cycles = 1};
    for (int w = 0; w < l->nwords; w++) {
        if (l->state[w] != WORD_HIT) continue;
        sm->count->v[CTR_LARF_HITS]++;
        answer.placed |= (uint8_t)(1u << w);
        regs_map(s, f->warp, f->inst->dst_reg[w], l->shared[w]);
        take_row(sm, s, f, w, l->shared[w]);
    }
    sm->count->v[CTR_LARF_SERVED]++;
    l->asks = false;
    return answer;
}

// larf.ideal: registers that wait for a value are in no table.
static void wake_word(const Larf *s, Load *l) {
    for (int w = 0; w < l->nwords; w++)
        if (l->state[w] == WORD_WAITS && s->there[l->shared[w]]) l->state[w] = WORD_HIT;
}

static LoadAnswer decide_load(Sm *sm, Larf *s, Load *l, Flight *f) {
    if (sm->cfg->larf_ideal) wake_word(s, l);
    if (!every_word_is(l, is_answered)) {
        if (sm->cycle <= l->deadline) return (LoadAnswer){.from = LOAD_WAIT};
        return refuse_load(sm, s, l, true);
    }
    const int more = sm->cfg->larf_latency;
    if (more && sm->cycle < l->since + LARF_TABLE_AT + AMT_CYCLES + (unsigned)more)
        return (LoadAnswer){.from = LOAD_WAIT};
    if (any_missed(l)) return refuse_load(sm, s, l, false);
    if (every_word_is(l, is_served)) return serve_words(sm, s, l, f);
    return (LoadAnswer){.from = LOAD_WAIT};
}

LoadAnswer loads_probe(Sm *sm, Larf *s, Flight *f) {
    Load *l = &s->loads[flight_index(sm, f)];
    if (!l->asks) return (LoadAnswer){.from = LOAD_MEMORY};
    const LoadAnswer answer = decide_load(sm, s, l, f);
    if (answer.from == LOAD_WAIT) fifo_push(&s->waiting, flight_index(sm, f));
    return answer;
}

void loads_decide(Sm *sm, Larf *s) {
    for (int n = s->waiting.n; n; n--) {
        const int index = fifo_pop(&s->waiting);
        Flight *f = &sm->flights[index];
        const LoadAnswer answer = decide_load(sm, s, &s->loads[index], f);
        if (answer.from == LOAD_WAIT) fifo_push(&s->waiting, index);
        else load_answer(sm, f, answer);
    }
}

// ---- arrivals ----

void loads_written(Larf *s, Sm *sm, const Flight *f, int word) {
    const Load *l = &s->loads[flight_index(sm, f)];
    if (f->inst->isa->op == ISA_LD && l->kept[word] != LARF_NOWHERE)
        fifo_push(&s->written, l->kept[word]);
}
