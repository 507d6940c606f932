// SPDX-License-Identifier: Apache-2.0
// Values of the 32 threads of a warp, computed from known launch parameters. Estimates use them to
// count the threads that take a branch.
//
// requires  SSA of the SIMT program. The untransformed program must not require them, because an
//           answer may be unknown.
//
// Instructions are executed by isa_exec, as in the SM. Loads, PHIs and 64-bit products are not
// followed.
#include "compile/scalar/scalar_program.h"
#include "ptx/ptx.h"

#include <string.h>

typedef enum LaneState { LANE_OPEN, LANE_KNOWN, LANE_UNKNOWN } LaneState;

typedef struct Lanes {
    const CtaLanes *c;
    LaneState *state;  // per register
    // per register: its words; of a predicate the mask, in the first word
    uint32_t (**word)[ISA_LANES];
    Arena *arena;
} Lanes;

static bool is_known(Lanes *l, int reg);

static uint32_t thread_of(const CtaLanes *c, int dim, int lane) {
    uint32_t t = (uint32_t)(c->warp * ISA_LANES + lane);
    for (int d = 0; d < dim; d++) t /= c->v->block[d];
    return dim < 2 ? t % c->v->block[dim] : t;
}

static bool read_sreg(const CtaLanes *c, int sreg, uint32_t out[ISA_LANES]) {
    const int tid = sreg - PTX_SREG_TID_X, ntid = sreg - PTX_SREG_NTID_X,
              cta = sreg - PTX_SREG_CTAID_X, ncta = sreg - PTX_SREG_NCTAID_X;
    for (int lane = 0; lane < ISA_LANES; lane++) {
        if (tid >= 0 && tid < 3) out[lane] = thread_of(c, tid, lane);
        else if (ntid >= 0 && ntid < 3) out[lane] = c->v->block[ntid];
        else if (cta >= 0 && cta < 3 && c->grid[cta]) out[lane] = c->cta[cta];
        else if (ncta >= 0 && ncta < 3 && c->grid[ncta]) out[lane] = c->grid[ncta];
        else return false;
    }
    return true;
}

static bool read_parameter(const CtaLanes *c, const IrSrc *s, uint32_t out[4][ISA_LANES]) {
    if (s->cbank || !c->params || (int64_t)s->imm + 4 * s->width > c->param_bytes) return false;
    for (int w = 0; w < s->width; w++) {
        memcpy(&out[w][0], c->params + s->imm + 4 * w, 4);
        for (int lane = 1; lane < ISA_LANES; lane++) out[w][lane] = out[w][0];
    }
    return true;
}

static bool read_source(Lanes *l, const IrSrc *s, uint32_t out[4][ISA_LANES]) {
    memset(out, 0, sizeof(uint32_t[4][ISA_LANES]));
    if (s->kind == ISA_SRC_CONST) return read_parameter(l->c, s, out);
    if (s->kind == ISA_SRC_REG) {
        if (!is_known(l, s->reg)) return false;
        const int words = l->c->v->ir->width[s->reg];
        memcpy(out, l->word[s->reg], sizeof(uint32_t[ISA_LANES]) * (size_t)(words ? words : 1));
        return true;
    }
    for (int lane = 0; lane < ISA_LANES; lane++) {
        out[0][lane] = (uint32_t)s->imm;
        out[1][lane] = (uint32_t)(s->imm >> 32);
    }
    return true;
}

static bool read_predicate(Lanes *l, IrPred p, uint32_t *mask) {
    *mask = ~0u;
    if (p.reg != IR_PT && !is_known(l, p.reg)) return false;
    if (p.reg != IR_PT) *mask = l->word[p.reg][0][0];
    if (p.neg) *mask = ~*mask;
    return true;
}

// Moves between words, and sums of two words: the operations that form addresses and indices.
static bool compute_pseudo(Lanes *l, const IrInst *in, uint32_t out[4][ISA_LANES]) {
    uint32_t a[4][ISA_LANES], b[4][ISA_LANES];
    const int width = l->c->v->ir->width[in->dst];
    if (in->op == IR_PHI || !width || !read_source(l, &in->src[0], a) || in->src[0].neg ||
        in->src[0].abs)
        return false;
    memset(b, 0, sizeof b);
    if (in->nsrc > 1 && (in->nsrc > 2 || in->src[1].neg || !read_source(l, &in->src[1], b)))
        return false;
    for (int lane = 0; lane < ISA_LANES; lane++) switch (in->op) {
        case IR_COPY:
            for (int w = 0; w < width; w++) out[w][lane] = a[w][lane];
            break;
        case IR_SPLIT:
            for (int w = 0; w < width; w++) out[w][lane] = a[in->mod.mode + w][lane];
            break;
        case IR_JOIN: out[0][lane] = a[0][lane], out[1][lane] = b[0][lane]; break;
        case IR_SEXT64: out[0][lane] = a[0][lane], out[1][lane] = a[0][lane] >> 31 ? ~0u : 0; break;
        case IR_ADD64: {
            const uint64_t sum = ((uint64_t)a[1][lane] << 32 | a[0][lane]) +
                ((uint64_t)b[1][lane] << 32 | b[0][lane]);
            out[0][lane] = (uint32_t)sum, out[1][lane] = (uint32_t)(sum >> 32);
            break;
        }
        default: return false;
        }
    return true;
}

static bool can_execute(const IrInst *in) {
    const IsaUnit unit = isa_op_info[in->op].unit;
    if (unit != ISA_UNIT_SP && unit != ISA_UNIT_SFU) return false;
    return ir_is_repeatable(in) && !ir_is_memory(in) && in->guard.reg == IR_PT && in->nsrc <= 3;
}

static bool execute_inst(Lanes *l, const IrInst *in, IsaExecOut *out) {
    uint32_t words[3][4][ISA_LANES];
    IsaExecIn x = {.active = ~0u, .present = ~0u};
    IsaInst m = in->mod;
    if (!can_execute(in)) return false;
    memset(words, 0, sizeof words);
    for (int i = 0; i < 3; i++) {
        if (!read_predicate(l, in->psrc[i], &x.psrc[i])) return false;
        for (int w = 0; w < 4; w++) x.src[i][w] = words[i][w];
        if (i >= in->nsrc) continue;
        if (!read_source(l, &in->src[i], words[i])) return false;
        const IsaSrcKind kind = in->src[i].kind == ISA_SRC_IMM ? ISA_SRC_IMM : ISA_SRC_REG;
        m.src[i] = (IsaSrc){.kind = kind,
                            .width = in->src[i].width,
                            .neg = in->src[i].neg,
                            .abs = in->src[i].abs,
                            .imm = in->src[i].imm};
    }
    m.op = (IsaOp)in->op;
    m.dst = 0;
    m.dst_width = in->dst == IR_NONE ? 0 : l->c->v->ir->width[in->dst];
    for (int i = 0; i < 2; i++) m.pdst[i] = in->pdst[i] == IR_NONE ? ISA_PT : (uint8_t)i;
    isa_exec(&m, &x, out);
    return true;
}

static bool compute_inst(Lanes *l, const IrInst *in, IsaExecOut *out) {
    memset(out, 0, sizeof *out);
    if (in->op == ISA_S2R) return read_sreg(l->c, in->mod.sreg, out->dst[0]);
    if (ir_is_pseudo(in->op))
        return in->guard.reg == IR_PT && in->dst != IR_NONE && compute_pseudo(l, in, out->dst);
    return execute_inst(l, in, out);
}

static bool is_known(Lanes *l, int reg) {
    if (l->state[reg] != LANE_OPEN) return l->state[reg] == LANE_KNOWN;
    const IrInst *in = l->c->v->def[reg];
    IsaExecOut out;
    l->state[reg] = LANE_UNKNOWN;
    if (!in || !compute_inst(l, in, &out)) return false;
    l->state[reg] = LANE_KNOWN;
    l->word[reg] = arena_alloc(l->arena, sizeof(uint32_t[4][ISA_LANES]));
    memcpy(l->word[reg], out.dst, sizeof(uint32_t[4][ISA_LANES]));
    for (int i = 0; i < 2; i++)
        if (in->pdst[i] == reg) l->word[reg][0][0] = out.pdst[i];
    return true;
}

static Lanes begin_lanes(const CtaLanes *c, Arena *scratch) {
    const int n = c->v->ir->nvregs + 1;
    Lanes l = {.c = c, .arena = scratch, .state = ARENA_ARRAY(scratch, LaneState, n)};
    l.word = arena_alloc(scratch, sizeof *l.word * (size_t)n);
    return l;
}

CtaLanes cta_launch(const CtaValues *v, const CompileOptions *o) {
    return (CtaLanes){.v = v, .params = o->params, .param_bytes = v->ir->param_bytes};
}

bool cta_word(const CtaLanes *c, const IrSrc *s, uint32_t *word) {
    Arena scratch = {0};
    Lanes l = begin_lanes(c, &scratch);
    uint32_t out[4][ISA_LANES];
    bool ok = !s->neg && !s->abs && s->width == 1 && read_source(&l, s, out);
    for (int lane = 1; lane < ISA_LANES && ok; lane++) ok = out[0][lane] == out[0][0];
    if (ok) *word = out[0][0];
    arena_free(&scratch);
    return ok;
}

bool cta_lanes(const CtaLanes *c, IrPred p, uint32_t *mask) {
    Arena scratch = {0};
    Lanes l = begin_lanes(c, &scratch);
    const bool ok = read_predicate(&l, p, mask);
    const int threads =
        (int)(c->v->block[0] * c->v->block[1] * c->v->block[2]) - c->warp * ISA_LANES;
    if (threads < ISA_LANES) *mask &= (1u << threads) - 1;
    arena_free(&scratch);
    return ok;
}
