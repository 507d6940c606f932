// SPDX-License-Identifier: Apache-2.0
// --dump hints: what the final program's registers do: words live before each instruction and which
// registers are read for the last time by it.
#include "compile/ir.h"

#include <string.h>

typedef struct Sets {
    uint64_t regs;   // R0..R62
    uint8_t preds;
} Sets;

static Sets reads(const IsaInst *in) {
    uint8_t list[ISA_MAX_SRC_WORDS];
    Sets s = {0, isa_pred_reads(in)};
    int n = isa_reads(in, list);
    for (int i = 0; i < n; i++) s.regs |= 1ull << list[i];
    return s;
}

// What the instruction certainly overwrites in every lane that lives on.
static Sets kills(const IsaInst *in) {
    uint8_t list[ISA_MAX_DST_WORDS];
    if (in->guard.reg != ISA_PT) return (Sets){0, 0};
    Sets s = {0, isa_pred_writes(in)};
    int n = isa_writes(in, list);
    for (int i = 0; i < n; i++) s.regs |= 1ull << list[i];
    return s;
}

static void join(Sets *to, Sets from) {
    to->regs |= from.regs;
    to->preds |= from.preds;
}

// Live after instruction i, from what is live before its successors.
static Sets live_after(const IsaProgram *p, const Sets *before, int i) {
    const IsaInst *in = &p->insts[i];
    Sets s = {0, 0};
    bool always = in->guard.reg == ISA_PT && !in->guard.neg;
    bool leaves =
        in->op == ISA_BRA || in->op == ISA_BRX || in->op == ISA_EXIT || in->op == ISA_TRAP;
    if (in->op == ISA_BRA) join(&s, before[in->target]);
    for (int k = 0; in->op == ISA_BRX && k < p->table_len[in->target]; k++)
        join(&s, before[p->tables[in->target][k]]);
    if ((!leaves || !always) && i + 1 < p->ninsts) join(&s, before[i + 1]);
    return s;
}

static void print_line(FILE *out, const IsaInst *in, int i, Sets before, Sets after) {
    char text[512];
    Sets r = reads(in);
    isa_print_inst(text, sizeof text, in);
    char *comment = strstr(text, " // ");
    if (comment) *comment = '\0';
    fprintf(out, "%5d  live %2d+%d  %-60s", i, __builtin_popcountll(before.regs),
            __builtin_popcount(before.preds), text);
    uint64_t last = r.regs & ~after.regs;
    uint8_t last_preds = (uint8_t)(r.preds & ~after.preds);
    if (last || last_preds) fprintf(out, "  last use");
    for (uint64_t m = last; m; m &= m - 1) fprintf(out, " R%d", __builtin_ctzll(m));
    for (int k = 0; k < ISA_PREDS; k++)
        if (last_preds >> k & 1) fprintf(out, " P%d", k);
    fprintf(out, "\n");
}

void hints_print(FILE *out, const IsaProgram *p) {
    Arena scratch = {0};
    Sets *before = ARENA_ARRAY(&scratch, Sets, p->ninsts + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = p->ninsts - 1; i >= 0; i--) {
            Sets s = live_after(p, before, i), k = kills(&p->insts[i]);
            s.regs &= ~k.regs;
            s.preds &= (uint8_t)~k.preds;
            join(&s, reads(&p->insts[i]));
            changed |= s.regs != before[i].regs || s.preds != before[i].preds;
            before[i] = s;
        }
    }
    fprintf(
        out,
        "kernel %s: %d registers, %d predicates, %d instructions; live = words + predicates before "
        "the instruction\n",
        p->name, p->nregs, p->npreds, p->ninsts);
    for (int i = 0; i < p->ninsts; i++)
        print_line(out, &p->insts[i], i, before[i], live_after(p, before, i));
    arena_free(&scratch);
}
