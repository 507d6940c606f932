// SPDX-License-Identifier: Apache-2.0
// 32-bit device addresses: 64-bit values that serve only as addresses become words.
//
// requires  SSA, before lower_expand.c
//
// provides  addresses of one word at global and generic accesses
//
// Every device address is below 4 GiB, so an access requires only the low word of its address. The
// low word of a sum, product, shift left or bitwise function depends only on the low words of its
// operands. A pair is narrowed if each of its readers is an address or the low-word part of another
// narrowed pair. A value that is compared, stored, converted, shifted right, divided, passed to a
// call or read by halves remains a pair. The optimistic set shrinks until these rules hold.
//
// The high word must be zero, so only addresses within reach are narrowed: sums of pointers and
// extended words. Pointers are kernel parameters, whose high words the launch checks
// (Ir.zero_params), and results of malloc. Constants above 4 GiB and pairs from memory, from halves
// or from other operations remain pairs, and the access checks their high word. The pass assumes
// that a 32-bit index leads to an address below 4 GiB. The sum of a pointer and its offset is
// computed modulo 2^32.
#include "compile/ir.h"

#include <string.h>

typedef struct Narrower {
    Ir *ir;
    int known;         // registers before the pass; the arrays cover these
    bool *narrow;      // per register: a pair whose low word suffices
    uint8_t *reach;    // per register: kind of the pair, see Reach
    int *word;         // per register: its replacement
    IrInst **def;      // per register: the instruction that defines it
    int *work, nwork;  // registers whose readers or sources must be examined again
    IrInst **out;      // instructions of the block being rewritten
    int nout, cap_out;
} Narrower;

static bool has_address(const IrInst *in) {
    bool access = in->op == ISA_LD || in->op == ISA_ST || in->op == ISA_ATOM ||
        in->op == ISA_PREFETCH || in->op == ISA_TOUCH || in->op == ISA_TEX;
    return access && (in->mod.space == ISA_GLOBAL || in->mod.space == ISA_GENERIC);
}

// Can the low word of the result be computed from the low words of the pairs it reads?
static bool low_from_low(const IrInst *in) {
    switch (in->op) {
    case IR_PHI:
    case IR_COPY:
    case IR_JOIN:
    case IR_ADD64:
    case IR_MUL64:
    case IR_LOP64:
    case IR_SEXT64:
    case ISA_MOV:
    case ISA_SEL: return true;
    case IR_SHL64: return true;
    case ISA_IMUL:
    case ISA_IMAD: return in->mod.part == ISA_WIDE && !in->mod.has_cin;
    default: return false;
    }
}

// ---- addresses within reach ----

// Origin of a pair. Sums may contain one pointer, products and shifts none.
typedef enum Reach { REACH_OPEN, REACH_POINTER, REACH_OFFSET } Reach;

static Reach source_reach(const Narrower *n, const IrSrc *s) {
    if (s->width != 2) return REACH_OFFSET;
    bool word = s->imm <= UINT32_MAX || s->imm >= (uint64_t)(int64_t)INT32_MIN;
    switch (s->kind) {
    case ISA_SRC_IMM: return word ? REACH_OFFSET : REACH_OPEN;
    case ISA_SRC_CONST: return s->cbank == 0 ? REACH_POINTER : REACH_OPEN;  // a kernel parameter
    default: return n->reach[s->reg];
    }
}

static bool source_in_reach(const Narrower *n, const IrSrc *s) {
    return source_reach(n, s) != REACH_OPEN;
}

static bool is_mask(const IrInst *in) {
    return in->mod.lut == ISA_LUT_AND && in->src[1].kind == ISA_SRC_IMM &&
        in->src[1].imm <= UINT32_MAX;
}

static Reach least_reach(const Narrower *n, const IrInst *in) {
    Reach least = REACH_OFFSET;
    for (int i = 0; i < in->nsrc; i++) {
        Reach r = source_reach(n, &in->src[i]);
        if (r < least) least = r;
    }
    return least;
}

static Reach result_reach(const Narrower *n, const IrInst *in) {
    switch (in->op) {
    case IR_SEXT64: return REACH_OFFSET;
    case ISA_SYSCALL: return REACH_POINTER;  // malloc
    case IR_JOIN: return in->nsrc == 2 && ir_is_imm(&in->src[1], 0) ? REACH_OFFSET : REACH_OPEN;
    case IR_LOP64: return is_mask(in) ? REACH_OFFSET : least_reach(n, in);
    case ISA_IMUL:
    case ISA_IMAD:
        return in->mod.part == ISA_WIDE && !in->mod.has_cin ? least_reach(n, in) : REACH_OPEN;
    case IR_MUL64:
    case IR_SHL64: return least_reach(n, in) == REACH_OFFSET ? REACH_OFFSET : REACH_OPEN;
    case IR_PHI:
    case IR_COPY:
    case ISA_MOV:
    case ISA_SEL:
    case IR_ADD64: return least_reach(n, in);
    default: return REACH_OPEN;
    }
}

// Starts with offsets everywhere and lowers them until nothing changes.
static void find_reach(Narrower *n) {
    Ir *ir = n->ir;
    for (int r = 0; r < n->known; r++)
        n->reach[r] = ir->width[r] == 2 && n->def[r] ? REACH_OFFSET : REACH_OPEN;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < ir->norder; i++) {
            const IrBlock *b = &ir->blocks[ir->order[i]];
            for (int k = 0; k < b->ninsts; k++) {
                const IrInst *in = b->insts[k];
                if (in->dst == IR_NONE || n->reach[in->dst] == REACH_OPEN) continue;
                Reach now = result_reach(n, in);
                changed = changed || now != n->reach[in->dst];
                n->reach[in->dst] = (uint8_t)now;
            }
        }
    }
}

static void note_param(Ir *ir, const IrSrc *s) {
    if (s->kind != ISA_SRC_CONST || s->width != 2) return;
    for (int i = 0; i < ir->nzero_params; i++)
        if (ir->zero_params[i] == (int)s->imm + 4) return;
    *ARENA_PUSH(ir->arena, ir->zero_params, ir->nzero_params, ir->cap_zero_params) =
        (int)s->imm + 4;
}

// The parameters that narrowed addresses are made of.
static void note_params(Narrower *n, Arena *scratch) {
    Ir *ir = n->ir;
    bool *seen = ARENA_ARRAY(scratch, bool, n->known + 1);
    n->nwork = 0;
    for (int b = 0; b < ir->nblocks; b++)
        for (int k = 0; k < ir->blocks[b].ninsts; k++) {
            const IrInst *in = ir->blocks[b].insts[k];
            if (!has_address(in)) continue;
            note_param(ir, &in->src[0]);
            int r = in->src[0].kind == ISA_SRC_REG ? in->src[0].reg : IR_NONE;
            if (r != IR_NONE && n->narrow[r] && !seen[r]) seen[n->work[n->nwork++] = r] = true;
        }
    while (n->nwork) {
        const IrInst *in = n->def[n->work[--n->nwork]];
        for (int i = 0; i < in->nsrc; i++) {
            note_param(ir, &in->src[i]);
            int r = in->src[i].kind == ISA_SRC_REG ? in->src[i].reg : IR_NONE;
            if (r != IR_NONE && n->narrow[r] && !seen[r]) seen[n->work[n->nwork++] = r] = true;
        }
    }
}

// ---- pairs that become words ----

// Does the instruction read no more than the low word of source i?
static bool reads_low(const Narrower *n, const IrInst *in, int i) {
    if (has_address(in) && i == 0) return source_in_reach(n, &in->src[0]);
    if (in->op == IR_SPLIT) return in->mod.mode == 0 && n->ir->width[in->dst] == 1;
    if (!low_from_low(in) || in->dst == IR_NONE || !n->narrow[in->dst]) return false;
    return in->op != IR_JOIN || i == 0;
}

// Sources of which `in` reads more than the low word remain pairs.
static void refuse_sources(Narrower *n, const IrInst *in) {
    for (int i = 0; i < in->nsrc; i++) {
        const IrSrc *s = &in->src[i];
        if (s->kind != ISA_SRC_REG || s->reg < 0 || !n->narrow[s->reg] || reads_low(n, in, i))
            continue;
        n->narrow[s->reg] = false;
        n->work[n->nwork++] = s->reg;
    }
}

static void find_narrow(Narrower *n) {
    Ir *ir = n->ir;
    for (int b = 0; b < ir->nblocks; b++)
        for (int k = 0; k < ir->blocks[b].ninsts; k++) {
            const IrInst *in = ir->blocks[b].insts[k];
            if (in->dst != IR_NONE && ir->width[in->dst] == 2 && low_from_low(in) &&
                (in->op != IR_JOIN || (in->nsrc == 2 && in->src[0].width == 1)))
                n->narrow[in->dst] = true;
        }
    for (int b = 0; b < ir->nblocks; b++)
        for (int k = 0; k < ir->blocks[b].ninsts; k++) refuse_sources(n, ir->blocks[b].insts[k]);
    while (n->nwork) refuse_sources(n, n->def[n->work[--n->nwork]]);
}

static void put_inst(Narrower *n, IrInst *in) {
    *ARENA_PUSH(n->ir->arena, n->out, n->nout, n->cap_out) = in;
}

// The low word of a source that may be a pair; an unnarrowed pair is split first, in n->out.
static IrSrc low_word(Narrower *n, IrSrc s, int line) {
    if (s.width != 2) return s;
    IrSrc r = s;
    r.width = 1;
    if (s.kind == ISA_SRC_IMM) {
        r.imm = (uint32_t)s.imm;
    } else if (s.kind == ISA_SRC_REG && n->word[s.reg] != IR_NONE) {
        r.reg = n->word[s.reg];
    } else if (s.kind == ISA_SRC_REG) {
        IrInst *split = ir_inst(n->ir, IR_SPLIT, 1);
        split->src[0] = s;
        split->src[0].neg = split->src[0].abs = false;
        split->mod.ptx_line = line;
        split->dst = ir_vreg(n->ir, 1);
        put_inst(n, split);
        r.reg = split->dst;
    }
    return r;
}

static void narrow_op(Narrower *n, IrInst *in) {
    switch (in->op) {
    case IR_ADD64: in->op = ISA_IADD; break;
    case IR_MUL64:
        in->op = ISA_IMUL;
        in->mod.part = ISA_LO;
        in->mod.type = ISA_U32;
        break;
    case IR_SHL64: in->op = ISA_SHL; break;
    case IR_LOP64: {
        IrSrc *src = ARENA_ARRAY(n->ir->arena, IrSrc, 3);
        memcpy(src, in->src, 2 * sizeof *src);
        src[2] = ir_imm(0);
        in->src = src;
        in->nsrc = 3;
        in->op = ISA_LOP3;
        break;
    }
    case IR_SEXT64: in->op = IR_COPY; break;
    case IR_JOIN:
        in->op = IR_COPY;
        in->nsrc = 1;
        break;
    case ISA_IMUL:
    case ISA_IMAD: in->mod.part = ISA_LO; break;
    default: break;  // PHI, COPY, MOV, SEL: the width follows the destination
    }
    if (in->op == ISA_IADD || in->op == ISA_SHL) in->mod.type = 0;
}

static void rewrite_inst(Narrower *n, IrInst *in) {
    bool narrowed = in->dst != IR_NONE && n->word[in->dst] != IR_NONE;
    if (narrowed) {
        if (in->op != IR_PHI)
            for (int i = 0; i < in->nsrc; i++)
                if (in->op != IR_JOIN || i == 0)
                    in->src[i] = low_word(n, in->src[i], in->mod.ptx_line);
        in->dst = n->word[in->dst];
        narrow_op(n, in);
    } else if (has_address(in) && source_in_reach(n, &in->src[0])) {
        in->src[0] = low_word(n, in->src[0], in->mod.ptx_line);
    } else if (in->op == IR_SPLIT && in->src[0].kind == ISA_SRC_REG &&
               n->word[in->src[0].reg] != IR_NONE) {
        in->op = IR_COPY;
        in->src[0] = ir_reg(n->ir, n->word[in->src[0].reg]);
    }
    put_inst(n, in);
}

// Sources of narrowed PHIs: unnarrowed pairs are split at the end of the predecessor.
static void rewrite_phis(Narrower *n) {
    Ir *ir = n->ir;
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        for (int i = 0; i < k->ninsts && k->insts[i]->op == IR_PHI; i++) {
            IrInst *phi = k->insts[i];
            if (ir->width[phi->dst] != 1) continue;
            for (int p = 0; p < phi->nsrc; p++) {
                if (phi->src[p].width != 2) continue;
                int from = k->pred[p];
                n->out = NULL;
                n->nout = n->cap_out = 0;
                phi->src[p] = low_word(n, phi->src[p], phi->mod.ptx_line);
                for (int j = 0; j < n->nout; j++)
                    ir_insert(ir, from, ir_terminator(&ir->blocks[from]), n->out[j]);
            }
        }
    }
}

static void collect_defs(Narrower *n, Arena *scratch) {
    Ir *ir = n->ir;
    n->narrow = ARENA_ARRAY(scratch, bool, n->known + 1);
    n->reach = ARENA_ARRAY(scratch, uint8_t, n->known + 1);
    n->word = ARENA_ARRAY(scratch, int, n->known + 1);
    n->work = ARENA_ARRAY(scratch, int, n->known + 1);
    n->def = ARENA_ARRAY(scratch, IrInst *, n->known + 1);
    for (int b = 0; b < ir->nblocks; b++)
        for (int k = 0; k < ir->blocks[b].ninsts; k++) {
            IrInst *in = ir->blocks[b].insts[k];
            if (in->dst != IR_NONE) n->def[in->dst] = in;
        }
}

void narrow_addresses(Ir *ir) {
    Arena scratch = {0};
    Narrower n = {.ir = ir, .known = ir->nvregs};
    collect_defs(&n, &scratch);
    find_reach(&n);
    find_narrow(&n);
    note_params(&n, &scratch);
    for (int r = 0; r < n.known; r++) n.word[r] = n.narrow[r] ? ir_vreg(ir, 1) : IR_NONE;
    for (int b = 0; b < ir->nblocks; b++) {
        IrBlock *k = &ir->blocks[b];
        n.out = NULL;
        n.nout = n.cap_out = 0;
        for (int i = 0; i < k->ninsts; i++) rewrite_inst(&n, k->insts[i]);
        k->insts = n.out;
        k->ninsts = n.nout;
        k->cap_insts = n.cap_out;
    }
    rewrite_phis(&n);
    arena_free(&scratch);
}
