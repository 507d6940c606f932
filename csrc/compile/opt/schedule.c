// SPDX-License-Identifier: Apache-2.0
// List scheduling inside each block, on SSA form before register allocation.
//
// requires  SSA, legalize, cfg_analyze
//
// provides  long-latency instructions early, within the register budget
//
// A warp issues in order and waits only for missing operands, so the order determines the latency
// that one warp hides. Instructions are ordered by the longest latency path that starts at them.
// While more words are live than the budget, instructions that free registers go first, otherwise
// in the original order. If the result still requires too many registers, the block keeps its old
// order.
// The budget is the smallest that removes most of the waiting. With half of the permitted
// registers, coloring keeps its freedom. But a loop whose loads do not all find registers waits for
// memory several times instead of once. Latency that the resident warps hide is no waiting. Then
// loads of shared memory need not move before their readers. Loads may pass loads; no access may
// pass a store, atomic or barrier that may touch the same memory.
#include "compile/ir.h"
#include "config/exec_time.h"

#include <stdlib.h>
#include <string.h>

enum {
    // cycles from issue to the execution unit and back to a reader, in addition to its latency
    PIPELINE = 6,
    WINDOW = 3000,     // instructions scheduled at a time
    MOST_BUDGET = 32,  // number of live words that justify their registers in any case
    SAVES = 8,         // a larger budget has to save more than this part of the waiting
    ISSUE_EVERY = 2,   // cycles in which a scheduler issues once, as most kernels do
    MOST_PREDS = 5,    // live predicates before comparisons have to wait
};

typedef struct Node {
    IrInst *in;
    int *succ, nsucc, cap_succ;
    int *delay, cap_delay;  // of each edge
    int npred;              // edges to it
    int waiting;            // those from instructions not scheduled yet
    int height;             // cycles of the longest path from here
    int earliest;
    int *use, nuse;  // canonical units read, each once
    int *def, ndef;
} Node;

typedef struct Scheduler {
    Ir *ir;
    const MachineConfig *cfg;
    int room;  // number of registers for live words
    Arena scratch;
    Live live;
    int *canon;   // per unit: the unit whose value it copies (SPLIT, JOIN), otherwise itself
    int *left;    // per unit: readers not scheduled yet
    bool *out;    // per unit: live at the end of the block
    int *writer;  // per register: node that defines it in this window, + 1
    Node *node;
    bool *pred;  // per unit: a predicate
    bool *seen;  // scratch
    uint64_t *set;
    int n, words, most;  // live words now and at most
    int preds;           // live predicates
    int half, budget;    // live words: smallest budget, and the current one
    int hidden;          // cycles of a wait in which other warps issue
    int waits;           // cycles beyond that
} Scheduler;

// ---- latency ----

static int latency_of(const Scheduler *s, const IrInst *in) {
    const MachineConfig *c = s->cfg;
    switch (in->op) {
    case IR_JOIN:
    case IR_SPLIT:
    case IR_PHI: return 0;
    case ISA_LD:
        return PIPELINE + (in->mod.space == ISA_SHARED ? c->shared_latency : c->l2_latency);
    case ISA_ATOM:
        return PIPELINE + (in->mod.space == ISA_SHARED ? c->shared_latency : c->l2_latency);
    case ISA_TEX: return PIPELINE + c->l2_latency;
    case ISA_LDC: return PIPELINE + c->const_latency;
    default: break;
    }
    return PIPELINE + config_exec_time(c, ir_timing(in->op)).latency;
}

// ---- values ----

static void find_copies(Scheduler *s) {
    Ir *ir = s->ir;
    s->canon = ARENA_ARRAY(&s->scratch, int, s->live.nunits + 1);
    for (int u = 0; u < s->live.nunits; u++) s->canon[u] = u;
    for (int i = 0; i < ir->norder; i++) {
        const IrBlock *b = &ir->blocks[ir->order[i]];
        for (int k = 0; k < b->ninsts; k++) {
            const IrInst *in = b->insts[k];
            if (in->op == IR_SPLIT && in->src[0].kind == ISA_SRC_REG)
                for (int w = 0; w < ir->width[in->dst]; w++)
                    s->canon[s->live.unit[in->dst] + w] =
                        s->canon[s->live.unit[in->src[0].reg] + in->mod.mode + w];
            for (int j = 0, at = 0; in->op == IR_JOIN && j < in->nsrc; at += in->src[j].width, j++)
                for (int w = 0; in->src[j].kind == ISA_SRC_REG && w < in->src[j].width; w++)
                    s->canon[s->live.unit[in->dst] + at + w] =
                        s->canon[s->live.unit[in->src[j].reg] + w];
        }
    }
}

static int keep_distinct(int *list, int n) {
    int m = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < m && list[k] != list[i]) k++;
        if (k == m) list[m++] = list[i];
    }
    return m;
}

static void collect_units(Scheduler *s, Node *n) {
    int units[IR_MAX_UNITS], count = 0;
    const IrInst *in = n->in;
    for (int i = 0; i < in->nsrc; i++) {
        const IrSrc *a = &in->src[i];
        if (a->kind != ISA_SRC_REG) continue;
        int first = in->op == IR_SPLIT ? in->mod.mode : 0;
        int words = in->op == IR_SPLIT ? s->ir->width[in->dst] : ir_units(s->ir->width[a->reg]);
        for (int w = 0; w < words; w++) units[count++] = s->canon[s->live.unit[a->reg] + first + w];
    }
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg != IR_PT) units[count++] = s->canon[s->live.unit[in->psrc[i].reg]];
    if (in->guard.reg != IR_PT) units[count++] = s->canon[s->live.unit[in->guard.reg]];
    n->nuse = keep_distinct(units, count);
    n->use = ARENA_ARRAY(&s->scratch, int, n->nuse + 1);
    memcpy(n->use, units, sizeof(int) * (size_t)n->nuse);
    count = 0;
    int defs[3], nd = ir_defs(in, defs);
    for (int i = 0; i < nd; i++)
        for (int w = 0; w < ir_units(s->ir->width[defs[i]]); w++) {
            int u = s->live.unit[defs[i]] + w;
            if (s->canon[u] == u) units[count++] = u;
        }
    n->ndef = count;
    n->def = ARENA_ARRAY(&s->scratch, int, count + 1);
    memcpy(n->def, units, sizeof(int) * (size_t)count);
}

// ---- dependences ----

static void add_edge(Scheduler *s, int from, int to, int delay) {
    if (from == to) return;
    Node *a = &s->node[from];
    for (int i = a->nsucc - 1; i >= 0 && i >= a->nsucc - 8; i--)
        if (a->succ[i] == to) {
            if (a->delay[i] < delay) a->delay[i] = delay;
            return;
        }
    *ARENA_PUSH(&s->scratch, a->succ, a->nsucc, a->cap_succ) = to;
    int n = a->nsucc - 1;
    *ARENA_PUSH(&s->scratch, a->delay, n, a->cap_delay) = delay;
    s->node[to].npred++;
}

enum { TOUCHES_GLOBAL = 1, TOUCHES_SHARED = 2, TOUCHES_LOCAL = 4 };

static int spaces_of(const IrInst *in) {
    switch (in->mod.space) {
    case ISA_GLOBAL: return TOUCHES_GLOBAL;
    case ISA_SHARED: return TOUCHES_SHARED;
    case ISA_LOCAL: return TOUCHES_LOCAL;
    default: return TOUCHES_GLOBAL | TOUCHES_SHARED | TOUCHES_LOCAL;
    }
}

// No access to memory and no operation between lanes moves across it.
static bool is_fence(const IrInst *in) {
    switch (in->op) {
    case ISA_BAR:
    case ISA_MEMBAR:
    case ISA_SYSCALL:
    case ISA_WARPSYNC:
    case ISA_NANOSLEEP:
    case ISA_EXIT:
    case ISA_TRAP: return true;
    case ISA_S2R: return !ir_is_repeatable(in);
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM: return in->mod.ordered;
    default: return false;
    }
}

static bool is_write(const IrInst *in) { return in->op == ISA_ST || in->op == ISA_ATOM; }
static bool is_access(const IrInst *in) {
    return in->op == ISA_LD || in->op == ISA_ST || in->op == ISA_ATOM || in->op == ISA_PREFETCH ||
        in->op == ISA_TOUCH || in->op == ISA_TEX;
}

// Same base register, bytes that do not overlap.
static bool are_apart(const IrInst *a, const IrInst *b) {
    const IrSrc *x = &a->src[0], *y = &b->src[0];
    if (a->op == ISA_ATOM && b->op == ISA_ATOM) return false;
    if (a->mod.space != b->mod.space || !ir_same_src(x, y)) return false;
    return a->mod.offset + a->mod.mem_bytes <= b->mod.offset ||
        b->mod.offset + b->mod.mem_bytes <= a->mod.offset;
}

static bool accesses_conflict(const IrInst *a, const IrInst *b) {
    if (a->mod.readonly || b->mod.readonly) return false;
    if (!is_write(a) && !is_write(b)) return false;
    return (spaces_of(a) & spaces_of(b)) && !are_apart(a, b);
}

static void memory_edges(Scheduler *s) {
    int fence = -1, *access = ARENA_ARRAY(&s->scratch, int, s->n + 1), naccess = 0;
    int *lanes = ARENA_ARRAY(&s->scratch, int, s->n + 1),
        nlanes = 0;  // convergent since the last fence
    for (int i = 0; i < s->n; i++) {
        const IrInst *in = s->node[i].in;
        if (is_fence(in)) {
            if (fence >= 0) add_edge(s, fence, i, 1);
            for (int k = 0; k < naccess; k++) add_edge(s, access[k], i, 1);
            for (int k = 0; k < nlanes; k++) add_edge(s, lanes[k], i, 1);
            naccess = nlanes = 0;
            fence = i;
        } else if (is_access(in)) {
            bool free = in->mod.readonly && in->op == ISA_LD;
            bool leaves = fence >= 0 &&
                (s->node[fence].in->op == ISA_EXIT || s->node[fence].in->op == ISA_TRAP);
            if (fence >= 0 && (!free || leaves)) add_edge(s, fence, i, 1);
            for (int k = 0; k < naccess; k++)
                if (accesses_conflict(s->node[access[k]].in, in)) add_edge(s, access[k], i, 1);
            access[naccess++] = i;
        } else if (ir_is_convergent(in)) {
            if (fence >= 0) add_edge(s, fence, i, 1);
            lanes[nlanes++] = i;
        }
    }
}

static void value_edges(Scheduler *s) {
    for (int i = 0; i < s->n; i++) {
        const IrInst *in = s->node[i].in;
        IR_FOR_USES(in, r) {
            int w = s->writer[r] - 1;
            if (w >= 0) add_edge(s, w, i, latency_of(s, s->node[w].in));
        }
        int defs[3], nd = ir_defs(in, defs);
        for (int d = 0; d < nd; d++) s->writer[defs[d]] = i + 1;
    }
    for (int i = 0; i < s->n; i++) {
        int defs[3], nd = ir_defs(s->node[i].in, defs);
        for (int d = 0; d < nd; d++) s->writer[defs[d]] = 0;
    }
}

static void compute_heights(Scheduler *s) {
    for (int i = s->n - 1; i >= 0; i--) {
        Node *a = &s->node[i];
        a->height = latency_of(s, a->in);
        for (int k = 0; k < a->nsucc; k++) {
            int h = a->delay[k] + s->node[a->succ[k]].height;
            if (h > a->height) a->height = h;
        }
    }
}

// ---- registers ----

// Words that start to live minus words that die; *preds: the same for predicates.
static int pressure_change(const Scheduler *s, const Node *a, int *preds) {
    int d[2] = {0, 0};
    for (int i = 0; i < a->ndef; i++)
        d[s->pred[a->def[i]]] += s->left[a->def[i]] > 0 || s->out[a->def[i]];
    for (int i = 0; i < a->nuse; i++)
        d[s->pred[a->use[i]]] -= s->left[a->use[i]] == 1 && !s->out[a->use[i]];
    *preds = d[1];
    return d[0];
}

static void account_node(Scheduler *s, const Node *a) {
    int dead = 0, preds, words;
    words = pressure_change(s, a, &preds);
    for (int i = 0; i < a->nuse; i++) s->left[a->use[i]]--;
    for (int i = 0; i < a->ndef; i++)
        dead += !s->pred[a->def[i]] && !s->left[a->def[i]] && !s->out[a->def[i]];
    s->words += words;
    s->preds += preds;
    if (s->words + dead > s->most) s->most = s->words + dead;
}

static void count_readers(Scheduler *s, int sign) {
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->node[i].nuse; k++) s->left[s->node[i].use[k]] += sign;
}

// Most live words of an order.
static int order_pressure(Scheduler *s, const int *order, int words) {
    count_readers(s, 1);
    s->words = s->most = words;
    for (int i = 0; i < s->n; i++) account_node(s, &s->node[order ? order[i] : i]);
    return s->most;
}

// ---- list scheduling ----

static bool is_free(const IrInst *in) { return in->op == IR_JOIN || in->op == IR_SPLIT; }

// Would it exceed the permitted registers?
static bool exceeds_budget(const Scheduler *s, int words, int preds) {
    return (words > 0 && s->words + words > s->budget) ||
        (preds > 0 && s->preds + preds > MOST_PREDS);
}

static int choose_node(const Scheduler *s, const int *ready, int nready, int now) {
    int best = -1, best_words = 0;
    bool best_over = false;
    for (int i = 0; i < nready; i++) {
        const Node *a = &s->node[ready[i]];
        if (is_free(a->in)) return i;
        int preds, words = pressure_change(s, a, &preds);
        bool much = exceeds_budget(s, words, preds), better = best < 0;
        if (!better) {
            const Node *b = &s->node[ready[best]];
            bool can = a->earliest <= now, best_can = b->earliest <= now;
            if (much != best_over) better = best_over;
            else if (s->words >= s->budget && (words < 0) != (best_words < 0)) better = words < 0;
            else if (much || s->words >= s->budget) better = ready[i] < ready[best];
            else if (can != best_can) better = can;
            else if (!can && a->earliest != b->earliest) better = a->earliest < b->earliest;
            else better = a->height != b->height ? a->height > b->height : ready[i] < ready[best];
        }
        if (!better) continue;
        best = i;
        best_words = words;
        best_over = much;
    }
    return best;
}

static void list_schedule(Scheduler *s, int *order) {
    int *ready = ARENA_ARRAY(&s->scratch, int, s->n + 1), nready = 0, now = 0, done = 0;
    s->waits = 0;
    for (int i = 0; i < s->n; i++) {
        s->node[i].waiting = s->node[i].npred;
        s->node[i].earliest = 0;
        if (!s->node[i].npred) ready[nready++] = i;
    }
    while (nready) {
        int i = choose_node(s, ready, nready, now), k = ready[i];
        Node *a = &s->node[k];
        memmove(ready + i, ready + i + 1, sizeof(int) * (size_t)(nready - 1 - i));
        nready--;
        order[done++] = k;
        account_node(s, a);
        if (a->earliest > now + s->hidden) s->waits += a->earliest - now - s->hidden;
        if (a->earliest > now) now = a->earliest;
        for (int e = 0; e < a->nsucc; e++) {
            Node *b = &s->node[a->succ[e]];
            if (now + a->delay[e] > b->earliest) b->earliest = now + a->delay[e];
            if (--b->waiting == 0) ready[nready++] = a->succ[e];
        }
        if (!is_free(a->in)) now++;
    }
    panic_if(done != s->n, "scheduler lost instructions");
}

// ---- blocks ----

static void set_live_out(Scheduler *s, const IrBlock *b, int block, int first, int last,
                         bool value) {
    const uint64_t *out = s->live.out + (size_t)s->live.words * (size_t)block;
    for (int u = 0; u < s->live.nunits; u++) {
        if (!(u & 63) && !out[u >> 6]) {
            u += 63;
            continue;
        }
        if (bit_get(out, u)) s->out[s->canon[u]] = value;
    }
    // values that the rest of the block reads
    int units[IR_MAX_UNITS];
    for (int i = last; i < b->ninsts; i++) {
        int n = live_uses(&s->live, s->ir, b->insts[i], units);
        for (int k = 0; k < n; k++) s->out[s->canon[units[k]]] = value;
    }
    (void)first;
}

// Words live before instruction `first`.
static int live_words_before(Scheduler *s, const IrBlock *b, int block, int first) {
    const uint64_t *out = s->live.out + (size_t)s->live.words * (size_t)block;
    int units[IR_MAX_UNITS];
    uint64_t *set = s->set;
    memcpy(set, out, sizeof(uint64_t) * (size_t)s->live.words);
    for (int i = b->ninsts - 1; i >= first; i--) {
        int n = live_defs(&s->live, s->ir, b->insts[i], units);
        for (int k = 0; k < n; k++) bit_clear(set, units[k]);
        n = live_uses(&s->live, s->ir, b->insts[i], units);
        for (int k = 0; k < n; k++) bit_set(set, units[k]);
    }
    int words = 0;
    s->preds = 0;
    memset(s->seen, 0, (size_t)s->live.nunits);
    for (int w = 0; w < s->live.words; w++)
        for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
            int u = 64 * w + __builtin_ctzll(rest), c = s->canon[u];
            if (s->seen[c]) continue;
            s->seen[c] = true;
            if (s->pred[c]) s->preds++;
            else words++;
        }
    return words;
}

// The order with the smallest budget that pays off; NULL: the old order, which requires `before`
// words.
static const int *choose_order(Scheduler *s, int words, int preds, int before) {
    int *order = ARENA_ARRAY(&s->scratch, int, s->n), *best = NULL, least = 0;
    int most = s->room < MOST_BUDGET ? s->room : MOST_BUDGET;
    for (s->budget = s->half; s->budget == s->half || s->budget <= most; s->budget++) {
        count_readers(s, 1);
        s->words = s->most = words;
        s->preds = preds;
        list_schedule(s, order);
        if (s->most > s->room && s->most > before) continue;
        if (best && s->waits >= least - least / SAVES) continue;
        least = s->waits;
        if (!best) best = ARENA_ARRAY(&s->scratch, int, s->n);
        memcpy(best, order, sizeof(int) * (size_t)s->n);
    }
    return best;
}

static void schedule_window(Scheduler *s, int block, int first, int last) {
    IrBlock *b = &s->ir->blocks[block];
    s->n = last - first;
    if (s->n < 2) return;
    s->node = ARENA_ARRAY(&s->scratch, Node, s->n);
    for (int i = 0; i < s->n; i++) {
        s->node[i].in = b->insts[first + i];
        collect_units(s, &s->node[i]);
    }
    value_edges(s);
    memory_edges(s);
    compute_heights(s);
    set_live_out(s, b, block, first, last, true);
    int words = live_words_before(s, b, block, first);
    const int preds = s->preds, before = order_pressure(s, NULL, words);
    const int *order = choose_order(s, words, preds, before);
    for (int i = 0; order && i < s->n; i++) b->insts[first + i] = s->node[order[i]].in;
    set_live_out(s, b, block, first, last, false);
}

static void schedule_block(Scheduler *s, int block) {
    IrBlock *b = &s->ir->blocks[block];
    int first = 0, last = ir_terminator(b);
    while (first < last && b->insts[first]->op == IR_PHI) first++;
    for (int at = first; at < last; at += WINDOW)
        schedule_window(s, block, at, at + WINDOW < last ? at + WINDOW : last);
}

void ir_schedule(Ir *ir, const MachineConfig *cfg, const RegLimit *limit) {
    Scheduler s = {.ir = ir,
                   .cfg = cfg,
                   .half = limit->most / 2 + 1,
                   .room = limit->most - 3,
                   .hidden = ISSUE_EVERY * limit->warps / cfg->sm_schedulers};
    live_compute(&s.live, ir, &s.scratch);
    find_copies(&s);
    s.left = ARENA_ARRAY(&s.scratch, int, s.live.nunits + 1);
    s.out = ARENA_ARRAY(&s.scratch, bool, s.live.nunits + 1);
    s.writer = ARENA_ARRAY(&s.scratch, int, ir->nvregs + 1);
    s.seen = ARENA_ARRAY(&s.scratch, bool, s.live.nunits + 1);
    s.set = ARENA_ARRAY(&s.scratch, uint64_t, s.live.words + 1);
    s.pred = ARENA_ARRAY(&s.scratch, bool, s.live.nunits + 1);
    for (int v = 0; v < ir->nvregs; v++) s.pred[s.live.unit[v]] = ir->width[v] == 0;
    for (int b = 0; b < ir->nblocks; b++) schedule_block(&s, b);
    arena_free(&s.scratch);
}
