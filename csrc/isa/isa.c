// SPDX-License-Identifier: Apache-2.0
// Properties of machine instructions: their reads and writes, and the check of a whole program.
#include "isa/isa.h"

#include "isa/mma.h"

const IsaOpInfo isa_op_info[ISA_OP_COUNT] = {
#define ISA_OP(id, name, unit, timing, nsrc, meaning) \
    [ISA_##id] = {name, ISA_UNIT_##unit, ISA_TIME_##timing, nsrc},
#include "isa/isa.def"
#undef ISA_OP
};

int isa_type_bytes(IsaType t) {
    static const uint8_t bytes[ISA_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 2,
                                                  4, 8, 2, 4, 4, 4, 1, 1};
    return bytes[t];
}

int isa_reads(const IsaInst *in, uint8_t regs[ISA_MAX_SRC_WORDS]) {
    int n = 0;
    for (int i = 0; i < 3; i++) {
        const IsaSrc *s = &in->src[i];
        if (s->kind != ISA_SRC_REG || s->reg == ISA_RZ) continue;
        for (int w = 0; w < s->width && n < ISA_MAX_SRC_WORDS; w++)
            regs[n++] = (uint8_t)(s->reg + w);
    }
    return n;
}

int isa_writes(const IsaInst *in, uint8_t regs[ISA_MAX_DST_WORDS]) {
    if (in->dst == ISA_RZ) return 0;
    int n = 0;
    for (int w = 0; w < in->dst_width && n < ISA_MAX_DST_WORDS; w++)
        regs[n++] = (uint8_t)(in->dst + w);
    return n;
}

uint8_t isa_pred_reads(const IsaInst *in) {
    uint8_t mask = 0;
    if (in->guard.reg < ISA_PREDS) mask |= (uint8_t)(1u << in->guard.reg);
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg < ISA_PREDS) mask |= (uint8_t)(1u << in->psrc[i].reg);
    return mask;
}

uint8_t isa_pred_writes(const IsaInst *in) {
    uint8_t mask = 0;
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] < ISA_PREDS) mask |= (uint8_t)(1u << in->pdst[i]);
    return mask;
}

int isa_distinct_reads(const IsaInst *in, uint8_t regs[ISA_MAX_SRC_WORDS]) {
    uint8_t all[ISA_MAX_SRC_WORDS];
    int total = isa_reads(in, all);
    uint64_t seen = 0;
    int n = 0;
    for (int i = 0; i < total; i++) {
        uint64_t bit = 1ull << (all[i] & 63);
        if (seen & bit) continue;
        seen |= bit;
        regs[n++] = all[i];
    }
    return n;
}

int isa_successor(const IsaProgram *p, int i, int k) {
    const IsaInst *in = &p->insts[i];
    bool always = in->guard.reg == ISA_PT && !in->guard.neg;
    bool leaves =
        in->op == ISA_BRA || in->op == ISA_BRX || in->op == ISA_EXIT || in->op == ISA_TRAP;
    int taken = in->op == ISA_BRA ? 1 : in->op == ISA_BRX ? p->table_len[in->target] : 0;
    if (k < taken) return in->op == ISA_BRA ? in->target : p->tables[in->target][k];
    if (k > taken) return -2;
    return (leaves && always) || i + 1 >= p->ninsts ? -1 : i + 1;
}

// ---- isa_check ----

typedef struct Check {
    const IsaProgram *p;
    int index;
    Diag *d;
} Check;

static bool fail_inst(const Check *c, const char *what) {
    char text[256];
    isa_print_inst(text, sizeof text, &c->p->insts[c->index]);
    return diag_fail(c->d, EXIT_USAGE, "%s: instruction %d `%s`: %s", c->p->name, c->index, text,
                     what);
}

static bool check_reg(const Check *c, uint8_t reg, int width) {
    if (reg == ISA_RZ) return true;
    if (reg >= ISA_MAX_REGS || reg + width > c->p->nregs)
        return fail_inst(c, "register number beyond the registers of the kernel");
    if (width > 1 && reg % width) return fail_inst(c, "register of a pair or quad is not aligned");
    return true;
}

static bool width_ok(int width) { return width == 1 || width == 2 || width == 4; }

// Width that an operation on `type` needs.
static int type_words(IsaType t) { return isa_type_bytes(t) == 8 ? 2 : 1; }

// Words of source i for opcodes whose sources are fixed; 0: any.
static int source_words(const IsaInst *in, int i) {
    switch (in->op) {
    case ISA_MOV:
    case ISA_SEL: return in->dst_width;
    case ISA_IMAD: return in->part == ISA_WIDE && i == 2 ? 2 : 1;
    case ISA_IDIV: return type_words(in->type);
    case ISA_CVT: return type_words(in->stype);
    case ISA_DADD:
    case ISA_DMUL:
    case ISA_DFMA:
    case ISA_DMNMX:
    case ISA_DSETP:
    case ISA_DDIV:
    case ISA_DRCP:
    case ISA_DSQRT:
    case ISA_DMUFU: return 2;
    case ISA_MATCH: return i == 0 ? 0 : 1;
    case ISA_MMA: return mma_words(in->mode, i);
    case ISA_LD:
    case ISA_ST:
    case ISA_ATOM:
    case ISA_LDC:
    case ISA_PREFETCH:
    case ISA_TOUCH:
    case ISA_SYSCALL:
    case ISA_TEX: return 0;
    case ISA_HINT: return 2;
    default: return 1;
    }
}

// Words of the destination for opcodes with a fixed one; 0: any.
static int dest_words(const IsaInst *in) {
    switch (in->op) {
    case ISA_IMUL:
    case ISA_IMAD: return in->part == ISA_WIDE ? 2 : 1;
    case ISA_IDIV:
    case ISA_CVT: return type_words(in->type);
    case ISA_DADD:
    case ISA_DMUL:
    case ISA_DFMA:
    case ISA_DMNMX:
    case ISA_DDIV:
    case ISA_DRCP:
    case ISA_DSQRT:
    case ISA_DMUFU: return 2;
    case ISA_MOV:
    case ISA_SEL:
    case ISA_LD:
    case ISA_ATOM:
    case ISA_LDC:
    case ISA_S2R:
    case ISA_SYSCALL: return 0;
    case ISA_TEX: return 4;
    case ISA_MMA: return mma_words(in->mode, 3);
    default: return 1;
    }
}

// May source i carry - (abs: |x|)?
static bool takes_sign(const IsaInst *in, bool abs) {
    switch (in->op) {
    case ISA_IADD:
    case ISA_IMUL:
    case ISA_IMAD:
    case ISA_LEA: return !abs;
    case ISA_FADD:
    case ISA_FMUL:
    case ISA_FFMA:
    case ISA_FMNMX:
    case ISA_FSETP:
    case ISA_FDIV:
    case ISA_FRCP:
    case ISA_FSQRT:
    case ISA_MUFU:
    case ISA_DADD:
    case ISA_DMUL:
    case ISA_DFMA:
    case ISA_DMNMX:
    case ISA_DSETP:
    case ISA_DDIV:
    case ISA_DRCP:
    case ISA_DSQRT:
    case ISA_DMUFU:
    case ISA_HADD:
    case ISA_HMUL:
    case ISA_HFMA: return true;
    case ISA_CVT: return in->stype >= ISA_F16;
    default: return false;
    }
}

static bool check_sources(const Check *c, const IsaInst *in) {
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const IsaSrc *s = &in->src[i];
        if (s->kind == ISA_SRC_NONE) continue;
        count = i + 1;
        if ((s->neg && !takes_sign(in, false)) || (s->abs && !takes_sign(in, true)))
            return fail_inst(c, "the opcode has no - or |x| on this source");
        if (!width_ok(s->width)) return fail_inst(c, "source width is not 1, 2 or 4 words");
        int words = source_words(in, i);
        if (words && s->width != words) return fail_inst(c, "source has the wrong width");
        if (s->kind == ISA_SRC_REG && !check_reg(c, s->reg, s->width)) return false;
        if (s->kind == ISA_SRC_IMM && s->width == 1 && s->imm >> 32)
            return fail_inst(c, "immediate does not fit in 32 bits");
        if (s->kind == ISA_SRC_CONST && s->cbank != 0 && s->cbank != 3)
            return fail_inst(c, "constant bank is neither 0 nor 3");
        if (s->kind == ISA_SRC_CONST && s->imm % (4u * s->width))
            return fail_inst(c, "constant operand is not aligned to its width");
    }
    if (in->last >> count) return fail_inst(c, "last use of a source that is not there");
    if (in->op == ISA_HINT &&
        (in->mode > ISA_HINT_RELEASE || in->src[0].kind != ISA_SRC_IMM || in->src[0].imm >> 54))
        return fail_inst(c, "metadata is not an immediate of 54 bits with a known mode");
    int most = isa_op_info[in->op].nsrc + (in->op == ISA_P2R);
    if (count > most) return fail_inst(c, "more sources than the opcode has");
    return true;
}

static bool check_dests(const Check *c, const IsaInst *in) {
    if (in->dst != ISA_RZ) {
        if (!width_ok(in->dst_width))
            return fail_inst(c, "destination width is not 1, 2 or 4 words");
        int words = dest_words(in);
        if (words && in->dst_width != words) return fail_inst(c, "destination has the wrong width");
        if (!check_reg(c, in->dst, in->dst_width)) return false;
    }
    if (in->guard.reg > ISA_PT) return fail_inst(c, "guard predicate does not exist");
    for (int i = 0; i < 3; i++)
        if (in->psrc[i].reg > ISA_PT) return fail_inst(c, "source predicate does not exist");
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] > ISA_PT) return fail_inst(c, "destination predicate does not exist");
    return true;
}

static bool check_write_bits(const Check *c, const IsaInst *in) {
    const bool result = in->dst != ISA_RZ;
    if (!c->p->window)
        return (!in->write && !in->homeless) ||
            fail_inst(c, "write bits in a program without a window");
    if (in->write > (ISA_WRITE_RF | ISA_WRITE_BOC))
        return fail_inst(c, "write bits are not 0 to 3");
    if (!result && (in->write || in->homeless)) return fail_inst(c, "write bits without a result");
    if (result && in->homeless != (in->dst + in->dst_width > c->p->home_regs))
        return fail_inst(c,
                         "a result has no home, or is marked so, and its register says otherwise");
    if (in->homeless && (in->dst < c->p->home_regs || in->write != ISA_WRITE_BOC))
        return fail_inst(c, "a result without a home is not for the collector alone");
    return true;
}

static bool check_memory(const Check *c, const IsaInst *in) {
    if (in->op != ISA_LD && in->op != ISA_ST && in->op != ISA_ATOM && in->op != ISA_LDC)
        return true;
    int bytes = in->mem_bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
        return fail_inst(c, "memory access is not 1, 2, 4, 8 or 16 bytes");
    int words = bytes <= 4 ? 1 : bytes / 4;
    if (in->op != ISA_ST && in->dst != ISA_RZ && in->dst_width != words)
        return fail_inst(c, "destination width does not match the bytes accessed");
    if ((in->op == ISA_ST || in->op == ISA_ATOM) && in->src[1].kind != ISA_SRC_NONE &&
        in->src[1].width != words)
        return fail_inst(c, "data width does not match the bytes accessed");
    if (in->src[0].kind != ISA_SRC_NONE && in->src[0].width > 2)
        return fail_inst(c, "address is wider than 64 bits");
    return true;
}

static bool check_barrier(const Check *c, const IsaInst *in) {
    if (!in->with_scalar || c->p->scalar_regs) return true;
    if (in->op != ISA_BAR) return fail_inst(c, "only a barrier expects the scalar thread");
    return (in->mode != ISA_BAR_RED && in->src[1].kind == ISA_SRC_NONE) ||
        fail_inst(c,
                  "a barrier with the scalar thread takes neither a reduction nor a thread count");
}

// Operands that are scalar registers, each counted once; those wider than a pair count as two, as
// no unit reads them.
static int scalar_operands(const IsaInst *in, int first) {
    int n = 0;
    for (int s = 0; s < 3; s++) {
        const IsaSrc *x = &in->src[s];
        if (x->kind != ISA_SRC_REG || x->reg == ISA_RZ || x->reg + x->width <= first) continue;
        bool again = false;
        for (int k = 0; k < s; k++)
            again |= in->src[k].kind == ISA_SRC_REG && in->src[k].reg == x->reg &&
                in->src[k].width == x->width;
        n += x->width > 2 ? 2 : !again;
    }
    return n;
}

// A scalar register is no place for the lanes' own values, and an instruction of the lanes has one
// way to it.
static bool check_scalar_regs(const Check *c, const IsaInst *in) {
    const int first = c->p->nregs - c->p->scalar_regs;
    const bool on_unit = in->with_scalar && in->op != ISA_BAR;
    uint8_t regs[ISA_MAX_SRC_WORDS], written[ISA_MAX_DST_WORDS];
    const int n = isa_distinct_reads(in, regs), w = isa_writes(in, written);
    int scalars = 0;
    if (!c->p->scalar_regs) return true;
    for (int k = 0; k < n; k++) scalars += regs[k] >= first;
    if (!on_unit) {
        if (scalar_operands(in, first) > 1)
            return fail_inst(c, "it reads more than one scalar register or pair");
        return !w || written[w - 1] < first ||
            fail_inst(c, "it writes a scalar register, and is not of the scalar unit");
    }
    if (!isa_scalar_unit_has(in)) return fail_inst(c, "the scalar unit has no such instruction");
    if (scalars != n || (w && (w > 2 || written[0] < first)))
        return fail_inst(c, "the scalar unit reads and writes scalar registers and pairs");
    return true;
}

static bool check_control(const Check *c, const IsaInst *in) {
    const IsaProgram *p = c->p;
    if ((in->op == ISA_ACQ || in->op == ISA_REL) &&
        (in->guard.reg != ISA_PT || in->guard.neg || isa_pred_reads(in) || in->dst != ISA_RZ ||
         isa_pred_writes(in)))
        return fail_inst(c, "acq and rel take neither guard nor operands");
    if (in->op != ISA_BRA && in->op != ISA_BRX) return true;
    if (in->reconv < -1 || in->reconv >= p->ninsts)
        return fail_inst(c, "reconvergence point is outside the kernel");
    if (in->op == ISA_BRA)
        return (in->target >= 0 && in->target < p->ninsts) ||
            fail_inst(c, "branch target is outside the kernel");
    if (in->target < 0 || in->target >= p->ntables || p->table_len[in->target] < 1)
        return fail_inst(c, "branch table does not exist");
    for (int i = 0; i < p->table_len[in->target]; i++) {
        int t = p->tables[in->target][i];
        if (t < 0 || t >= p->ninsts)
            return fail_inst(c, "branch table entry is outside the kernel");
    }
    return true;
}

bool isa_scalar_unit_has(const IsaInst *in) {
    const IsaUnit unit = isa_op_info[in->op].unit;
    if (in->op == ISA_LDC) return true;
    if (in->op == ISA_LD) return in->space == ISA_GLOBAL && !in->ordered;
    return unit == ISA_UNIT_SP || unit == ISA_UNIT_SFU;
}

bool isa_check(const IsaProgram *p, Diag *d) {
    if (p->ninsts < 1) return diag_fail(d, EXIT_USAGE, "%s: no instructions", p->name);
    if (p->nregs < 1 || p->nregs > ISA_MAX_REGS)
        return diag_fail(d, EXIT_USAGE, "%s: %d registers, expected 1 to %d", p->name, p->nregs,
                         ISA_MAX_REGS);
    if (p->window && (p->home_regs < 1 || p->home_regs > p->nregs))
        return diag_fail(d, EXIT_USAGE, "%s: %d of %d registers have a home, expected 1 to all",
                         p->name, p->home_regs, p->nregs);
    if (p->scalar_regs < 0 || p->scalar_regs >= p->nregs)
        return diag_fail(d, EXIT_USAGE,
                         "%s: %d of %d registers are scalar, expected fewer than all", p->name,
                         p->scalar_regs, p->nregs);
    for (int i = 0; i < p->ninsts; i++) {
        const IsaInst *in = &p->insts[i];
        Check c = {p, i, d};
        if ((unsigned)in->op >= ISA_OP_COUNT)
            return diag_fail(d, EXIT_USAGE, "%s: instruction %d: opcode %d does not exist", p->name,
                             i, (int)in->op);
        if (!check_sources(&c, in) || !check_dests(&c, in) || !check_write_bits(&c, in) ||
            !check_memory(&c, in) || !check_barrier(&c, in) || !check_scalar_regs(&c, in) ||
            !check_control(&c, in))
            return false;
    }
    const IsaInst *last = &p->insts[p->ninsts - 1];
    bool ends = (last->op == ISA_EXIT || last->op == ISA_BRA || last->op == ISA_BRX ||
                 last->op == ISA_TRAP) &&
        last->guard.reg == ISA_PT && !last->guard.neg;
    if (!ends)
        return diag_fail(d, EXIT_USAGE, "%s: control runs past the last instruction", p->name);
    return true;
}
