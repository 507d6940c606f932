// SPDX-License-Identifier: Apache-2.0
// --dump hints: write bits of the program for an architecture with a window.
#include "compile/hints/hints.h"
#include "compile/hints/window_hints.h"

#include <string.h>

static const char *const bits_text[] = {"00", "01", "10", "11"};

static bool ends_block(const IsaProgram *p, int i, const bool *target) {
    const IsaOp op = p->insts[i].op;
    return op == ISA_BRA || op == ISA_BRX || i + 1 >= p->ninsts || target[i + 1] ||
        isa_successor(p, i, 0) < 0;
}

// Places from the result to its first read, from that to the next, and so on in its block; + marks
// reads elsewhere.
static void print_gaps(FILE *out, const IsaProgram *p, const Liveness *l, const bool *target,
                       int def, int reg) {
    int gap = 0;
    fprintf(out, " R%d", reg);
    for (int i = def; !ends_block(p, i, target);) {
        uint8_t list[ISA_MAX_SRC_WORDS];
        const IsaInst *in = &p->insts[++i];
        bool read = false,
             written = in->dst != ISA_RZ && reg >= in->dst && reg < in->dst + in->dst_width;
        gap += in->op != ISA_HINT;
        for (int n = isa_reads(in, list); n > 0;) read |= list[--n] == reg;
        if (read) fprintf(out, " %d", gap), gap = 0;
        if (written && in->guard.reg == ISA_PT) return;
        if (ends_block(p, i, target) && l->after[i] >> reg & 1) fprintf(out, " +");
    }
    if (ends_block(p, def, target) && l->after[def] >> reg & 1) fprintf(out, " +");
}

static void print_line(FILE *out, const IsaProgram *p, const WindowNotes *w, const Liveness *l,
                       const bool *target, int i) {
    char text[512];
    IsaInst in = p->insts[i];
    const bool result = in.dst != ISA_RZ, homeless = in.homeless;
    const uint8_t bits = in.write;
    in.write = 0;
    in.homeless = false;
    isa_print_inst(text, sizeof text, &in);
    char *comment = strstr(text, " // ");
    if (comment) *comment = '\0';
    fprintf(out, "%5d  %s  held %2d  %-60s", i, result ? bits_text[bits] : "  ",
            __builtin_popcountll(w->held[i]), text);
    if (result) fprintf(out, "  gaps");
    for (int k = 0; result && k < in.dst_width; k++) print_gaps(out, p, l, target, i, in.dst + k);
    fprintf(out, "%s%s\n", homeless ? "  no home" : "", w->bounded[i] ? "  by the row bound" : "");
}

static void mark_targets(const IsaProgram *p, bool *target) {
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        if (in->op != ISA_BRA && in->op != ISA_BRX) continue;
        if (in->reconv >= 0) target[in->reconv] = true;
        for (int k = 0, s; (s = isa_successor(p, i, k)) != -2; k++)
            if (s >= 0) target[s] = true;
    }
}

void window_print(FILE *out, const IsaProgram *p, const WindowNotes *w) {
    Arena scratch = {0};
    Liveness l;
    bool *target = ARENA_ARRAY(&scratch, bool, p->ninsts + 1);
    int class[4] = {0}, bounded = 0;
    liveness_of(&l, p, &scratch);
    mark_targets(p, target);
    for (int i = 0; i < p->ninsts; i++) {
        if (p->insts[i].dst != ISA_RZ) class[p->insts[i].write]++;
        bounded += w->bounded[i];
    }
    fprintf(out,
            "window of %d places, %d rows: results 01 %d, 10 %d, 11 %d, 00 %d; the row bound made "
            "%d of them 11\nregisters with a home %d, names without one %d, for %d live "
            "ranges; %d would suffice, %d if all had one\n",
            p->window, p->rows, class[ISA_WRITE_RF], class[ISA_WRITE_BOC],
            class[ISA_WRITE_BOC | ISA_WRITE_RF], class[0], bounded, p -> home_regs,
            p -> nregs - p -> home_regs, w -> ranges, w -> least, w -> all);
    for (int i = 0; i < p->ninsts; i++) print_line(out, p, w, &l, target, i);
    arena_free(&scratch);
}
