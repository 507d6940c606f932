// SPDX-License-Identifier: Apache-2.0
// --dump hints, and metadata in the program: the hints of a kernel for the register path.
#include "compile/hints/hints.h"

#include "compile/ir.h"

#include <inttypes.h>
#include <string.h>

// ---- text ----

static void print_line(FILE *out, const IsaInst *in, int i, const Liveness *l, const Releases *r) {
    char text[512];
    isa_print_inst(text, sizeof text, in);
    char *comment = strstr(text, " // ");
    if (comment) *comment = '\0';
    fprintf(out, "%5d  live %2d+%d  %-60s", i, __builtin_popcountll(l->before[i]),
            __builtin_popcount(l->preds_before[i]), text);
    uint8_t list[ISA_MAX_SRC_WORDS];
    uint64_t read = 0;
    int n = isa_reads(in, list);
    for (int k = 0; k < n; k++) read |= 1ull << list[k];
    uint64_t last = read & ~l->after[i];
    uint8_t last_preds = (uint8_t)(isa_pred_reads(in) & ~l->preds_after[i]);
    if (last || last_preds) fprintf(out, "  last use");
    for (uint64_t m = last; m; m &= m - 1) {
        int reg = __builtin_ctzll(m);
        // in brackets: other lanes may still read it, see release.c
        fprintf(out, r->operand[i] >> reg & 1 ? " R%d" : " (R%d)", reg);
    }
    for (int k = 0; k < ISA_PREDS; k++)
        if (last_preds >> k & 1) fprintf(out, " P%d", k);
    if (r->before[i]) fprintf(out, "  dead before");
    for (uint64_t m = r->before[i]; m; m &= m - 1) fprintf(out, " R%d", __builtin_ctzll(m));
    fprintf(out, "\n");
}

static const char *const side_names[] = {"any", "left", "right"};

static void print_graph(FILE *out, const IsaProgram *p) {
    Affinity a;
    int partner[ISA_MAX_REGS];
    IsaAlign side[ISA_MAX_REGS];
    int64_t total = 0;
    int edges = 0;
    affinity_build(&a, p);
    int64_t paired = pairs_choose(&a, partner, NULL), apart = align_choose(&a, side, NULL);
    for (int i = 0; i < a.nregs; i++)
        for (int j = i + 1; j < a.nregs; j++) total += a.weight[i][j], edges += a.weight[i][j] > 0;
    fprintf(out, "affinity: %d edges, weight %" PRId64 "\n", edges, total);
    for (int i = 0; i < a.nregs; i++)
        for (int j = i + 1; j < a.nregs; j++)
            if (a.weight[i][j])
                fprintf(out, "  R%-2d R%-2d  %" PRId64 "%s%s\n", i, j, a.weight[i][j],
                        partner[i] == j ? "  pair" : "", side[i] != side[j] ? "  apart" : "");
    fprintf(out, "pairs: weight %" PRId64 " of %" PRId64 "\n ", paired, total);
    for (int i = 0; i < a.nregs; i++)
        if (partner[i] > i) fprintf(out, " (R%d, R%d)", i, partner[i]);
    fprintf(out, "\nsides: weight %" PRId64 " of %" PRId64 " apart\n", apart, total);
    for (int s = ISA_ALIGN_ANY; s <= ISA_ALIGN_RIGHT; s++) {
        fprintf(out, "  %-5s", side_names[s]);
        for (int i = 0; i < a.nregs; i++)
            if ((int)side[i] == s) fprintf(out, " R%d", i);
        fprintf(out, "\n");
    }
}

void hints_print(FILE *out, const IsaProgram *p) {
    Arena scratch = {0};
    Liveness l;
    Releases r;
    liveness_of(&l, p, &scratch);
    release_find(&r, p, &scratch);
    fprintf(
        out,
        "kernel %s: %d registers, %d predicates, %d instructions; live = words + predicates before "
        "the instruction\n",
        p->name, p->nregs, p->npreds, p->ninsts);
    for (int i = 0; i < p->ninsts; i++) print_line(out, &p->insts[i], i, &l, &r);
    print_graph(out, p);
    arena_free(&scratch);
}

// Pairs are drawn bold, edges within one side dashed, the sides in two colors.
void hints_print_dot(FILE *out, const IsaProgram *p) {
    Affinity a;
    int partner[ISA_MAX_REGS];
    IsaAlign side[ISA_MAX_REGS];
    static const char *const color[] = {"white", "lightblue", "lightsalmon"};
    affinity_build(&a, p);
    pairs_choose(&a, partner, NULL);
    align_choose(&a, side, NULL);
    fprintf(out, "graph \"%s\" {\n  node [shape=circle style=filled];\n", p->name);
    for (int i = 0; i < a.nregs; i++)
        if (side[i] != ISA_ALIGN_ANY)
            fprintf(out, "  R%d [fillcolor=%s tooltip=\"%s\"];\n", i, color[side[i]],
                    side_names[side[i]]);
    for (int i = 0; i < a.nregs; i++)
        for (int j = i + 1; j < a.nregs; j++)
            if (a.weight[i][j])
                fprintf(out, "  R%d -- R%d [label=%" PRId64 "%s%s];\n", i, j, a.weight[i][j],
                        partner[i] == j          ? " style=bold"
                            : side[i] == side[j] ? " style=dashed"
                                                 : "",
                        partner[i] == j && side[i] == side[j] ? " color=gray" : "");
    fprintf(out, "}\n");
}

// ---- metadata instructions ----

typedef struct Builder {
    Arena *arena;
    IsaInst *insts;
    int n, cap;
} Builder;

static void put_hint(Builder *b, IsaHint mode, int part, uint64_t payload, int line) {
    IsaInst *in = ARENA_PUSH(b->arena, b->insts, b->n, b->cap);
    *in = (IsaInst){.op = ISA_HINT,
                    .guard = {ISA_PT, false},
                    .dst = ISA_RZ,
                    .mode = (uint8_t)mode,
                    .shift = (uint8_t)part,
                    .ptx_line = line};
    for (int i = 0; i < 3; i++) in->psrc[i].reg = ISA_PT;
    for (int i = 0; i < 2; i++) in->pdst[i] = ISA_PT;
    in->src[0] = (IsaSrc){.kind = ISA_SRC_IMM, .width = 2, .imm = payload};
}

// Lists of 6-bit register numbers, `most` to an instruction.
static void put_lists(Builder *b, IsaHint mode, const uint8_t *regs, int n, int most, int line) {
    for (int first = 0; first < n; first += most) {
        uint64_t payload = 0;
        for (int i = 0; i < most; i++)
            payload |= (uint64_t)(first + i < n ? regs[first + i] : ISA_HINT_NONE) << (6 * i);
        put_hint(b, mode, 0, payload, line);
    }
}

static void put_kernel_hints(Builder *b, const IsaProgram *p, unsigned kinds) {
    Affinity a;
    affinity_build(&a, p);
    int line = p->ninsts ? p->insts[0].ptx_line : 0;
    if (kinds & COMPILE_HINT_PAIRS) {
        int partner[ISA_MAX_REGS], n = 0;
        uint8_t list[2 * ISA_MAX_REGS];
        pairs_choose(&a, partner, NULL);
        for (int i = 0; i < a.nregs; i++)
            if (partner[i] > i) list[n++] = (uint8_t)i, list[n++] = (uint8_t)partner[i];
        put_lists(b, ISA_HINT_PAIRS, list, n, 2 * ISA_HINT_PAIR_COUNT, line);
    }
    if (kinds & COMPILE_HINT_ALIGN) {
        IsaAlign side[ISA_MAX_REGS];
        align_choose(&a, side, NULL);
        // 128 bits for any kernel: three instructions.
        for (int part = 0; part * ISA_HINT_ALIGN_COUNT < ISA_MAX_REGS; part++) {
            uint64_t payload = 0;
            for (int i = 0;
                 i < ISA_HINT_ALIGN_COUNT && part * ISA_HINT_ALIGN_COUNT + i < ISA_MAX_REGS; i++)
                payload |= (uint64_t)side[part * ISA_HINT_ALIGN_COUNT + i] << (2 * i);
            put_hint(b, ISA_HINT_ALIGN, part, payload, line);
        }
    }
}

// Flags sources whose registers all die; other dying registers are returned to the caller.
static uint64_t flag_last_uses(IsaInst *in, uint64_t dead) {
    uint64_t flagged = 0;
    for (int i = 0; i < 3; i++) {
        const IsaSrc *s = &in->src[i];
        if (s->kind != ISA_SRC_REG || s->reg == ISA_RZ) continue;
        uint64_t regs = ((1ull << s->width) - 1) << s->reg;
        if ((dead & regs) != regs) continue;
        in->last |= (uint8_t)(1 << i);
        flagged |= regs;
    }
    return dead & ~flagged;
}

static void put_release(Builder *b, uint64_t regs, int line) {
    uint8_t list[ISA_MAX_REGS];
    int n = 0;
    for (uint64_t m = regs; m; m &= m - 1) list[n++] = (uint8_t)__builtin_ctzll(m);
    if (n) put_lists(b, ISA_HINT_RELEASE, list, n, ISA_HINT_RELEASE_COUNT, line);
}

// Instructions that are the target or the reconvergence point of a branch.
static void find_entries(const IsaProgram *p, bool *entry) {
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        if (in->op == ISA_BRA) entry[in->target] = true;
        if ((in->op == ISA_BRA || in->op == ISA_BRX) && in->reconv >= 0) entry[in->reconv] = true;
    }
    for (int t = 0; t < p->ntables; t++)
        for (int i = 0; i < p->table_len[t]; i++) entry[p->tables[t][i]] = true;
}

IsaProgram *hints_attach(const IsaProgram *p, Arena *arena, unsigned kinds) {
    Releases r = {0};
    Builder b = {.arena = arena};
    int *start = ARENA_ARRAY(arena, int, p->ninsts + 1);
    bool *entry = ARENA_ARRAY(arena, bool, p->ninsts + 1);
    // words of a wide source that die alone: released before the next instruction
    uint64_t late = 0;
    find_entries(p, entry);
    put_kernel_hints(&b, p, kinds);
    if (kinds & COMPILE_HINT_RELEASE) release_find(&r, p, arena);
    // other registers are not allocated and need no release
    const uint64_t homes = (1ull << p->home_regs) - 1;
    for (int i = 0; r.before && i < p->ninsts; i++) r.before[i] &= homes, r.operand[i] &= homes;
    for (int i = 0; i < p->ninsts; i++) {
        // Registers that the previous instruction left for release are dead on the path from it,
        // but not on a jump.
        if (entry[i]) put_release(&b, late, p->insts[i].ptx_line), late = 0;
        start[i] = b.n;
        if (r.before) put_release(&b, r.before[i] | late, p->insts[i].ptx_line);
        IsaInst *in = ARENA_PUSH(arena, b.insts, b.n, b.cap);
        *in = p->insts[i];
        late = r.operand ? flag_last_uses(in, r.operand[i]) : 0;
        if (in->op == ISA_BRA || in->op == ISA_BRX || in->op == ISA_EXIT) late = 0;
    }
    IsaProgram *q = ARENA_NEW(arena, IsaProgram);
    *q = *p;
    q->insts = b.insts;
    q->ninsts = b.n;
    for (int i = 0; i < q->ninsts; i++) {
        IsaInst *in = &q->insts[i];
        if (in->op == ISA_BRA) in->target = start[in->target];
        if ((in->op == ISA_BRA || in->op == ISA_BRX) && in->reconv >= 0)
            in->reconv = start[in->reconv];
    }
    q->tables = ARENA_ARRAY(arena, int *, p->ntables + 1);
    for (int t = 0; t < p->ntables; t++) {
        q->tables[t] = ARENA_ARRAY(arena, int, p->table_len[t]);
        for (int i = 0; i < p->table_len[t]; i++) q->tables[t][i] = start[p->tables[t][i]];
    }
    return q;
}
