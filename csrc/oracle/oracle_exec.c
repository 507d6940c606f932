// SPDX-License-Identifier: Apache-2.0
// Handlers of instructions: the loop over lanes, predicates, carry, and operations across a warp.
#include "oracle/interp.h"

#include <string.h>

// ---- operands ----

static uint64_t special_value(const OWarp *w, int sreg, uint32_t lane) {
    const OracleRun *r = w->cta->o->run;
    uint32_t t = (uint32_t)w->index * O_LANES + lane;
    const uint32_t *b = r->block, *g = r->grid;
    switch ((PtxSreg)sreg) {
    case PTX_SREG_TID_X: return t % b[0];
    case PTX_SREG_TID_Y: return t / b[0] % b[1];
    case PTX_SREG_TID_Z: return t / b[0] / b[1];
    case PTX_SREG_NTID_X: return b[0];
    case PTX_SREG_NTID_Y: return b[1];
    case PTX_SREG_NTID_Z: return b[2];
    case PTX_SREG_CTAID_X: return w->cta->id[0];
    case PTX_SREG_CTAID_Y: return w->cta->id[1];
    case PTX_SREG_CTAID_Z: return w->cta->id[2];
    case PTX_SREG_NCTAID_X: return g[0];
    case PTX_SREG_NCTAID_Y: return g[1];
    case PTX_SREG_NCTAID_Z: return g[2];
    case PTX_SREG_LANEID: return lane;
    case PTX_SREG_WARPID: return (uint32_t)w->index;
    case PTX_SREG_NWARPID: return (uint32_t)w->cta->nwarps;
    case PTX_SREG_NSMID: return 1;
    case PTX_SREG_LANEMASK_EQ: return 1u << lane;
    case PTX_SREG_LANEMASK_LT: return (1u << lane) - 1;
    case PTX_SREG_LANEMASK_LE: return (2u << lane) - 1;
    case PTX_SREG_LANEMASK_GT: return ~((2u << lane) - 1);
    case PTX_SREG_LANEMASK_GE: return ~((1u << lane) - 1);
    case PTX_SREG_CLOCK:
    case PTX_SREG_GLOBALTIMER_LO: return (uint32_t)r->insts;
    case PTX_SREG_CLOCK_HI:
    case PTX_SREG_GLOBALTIMER_HI: return r->insts >> 32;
    case PTX_SREG_CLOCK64:
    case PTX_SREG_GLOBALTIMER: return r->insts;
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return r->shared_bytes;
    case PTX_SREG_TOTAL_SMEM_SIZE: return w->cta->shared_bytes;
    case PTX_SREG_ENVREG2: return r->layout->workspace;
    default: return 0;  // one SM, one grid
    }
}

// %tid.x of all lanes.
static void thread_columns(const OWarp *w, uint64_t hold[O_LANES]) {
    const uint32_t row = w->cta->o->run->block[0];
    uint32_t x = (uint32_t)w->index * O_LANES % row;
    for (uint32_t l = 0; l < O_LANES; l++, x = x + 1 == row ? 0 : x + 1) hold[l] = x;
}

static bool same_in_all_lanes(int sreg) {
    switch ((PtxSreg)sreg) {
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z: return true;
    default: return false;
    }
}

OValues o_values(const OWarp *w, const OSrc *s, uint64_t hold[O_LANES]) {
    const OFrame *f = o_frame(w);
    switch (s->kind) {
    case OSRC_REG: return (OValues){f->regs + (size_t)s->index * O_LANES, 1};
    case OSRC_CONST: return (OValues){&s->value, 0};
    case OSRC_LOCAL: hold[0] = s->value + f->local_base; return (OValues){hold, 0};
    case OSRC_SREG:
        if (same_in_all_lanes(s->index))
            return hold[0] = special_value(w, s->index, 0), (OValues){hold, 0};
        if (s->index == PTX_SREG_TID_X) thread_columns(w, hold);
        else
            for (uint32_t l = 0; l < O_LANES; l++) hold[l] = special_value(w, s->index, l);
        return (OValues){hold, 1};
    case OSRC_PRED: {
        uint32_t p = o_pred(w, s);
        for (int l = 0; l < O_LANES; l++) hold[l] = p >> l & 1;
        return (OValues){hold, 1};
    }
    case OSRC_NONE: break;
    }
    hold[0] = 0;
    return (OValues){hold, 0};
}

uint32_t o_pred(const OWarp *w, const OSrc *s) {
    uint32_t p = ~0u;  // absent: true
    if (s->kind == OSRC_PRED) p = o_frame(w)->preds[s->index];
    if (s->kind == OSRC_CONST) p = s->value ? ~0u : 0;
    return s->negated ? ~p : p;
}

void o_put_pred(OWarp *w, int slot, uint32_t active, uint32_t value) {
    if (slot < 0) return;
    uint32_t *p = &o_frame(w)->preds[slot];
    *p = (*p & ~active) | (value & active);
}

static uint64_t *destination_of(const OWarp *w, const OInst *oi) {
    return oi->dst < 0 ? NULL : o_frame(w)->regs + (size_t)oi->dst * O_LANES;
}

// ---- lane by lane ----

bool o_lanes(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[4][O_LANES], *d = destination_of(w, oi);
    OValues v[4];
    if (!d) return true;
    for (int i = 0; i < 4; i++) v[i] = o_values(w, &oi->src[i], hold[i]);
    O_FOR_LANES(l, active) {
        uint64_t r =
            oi->eval(oi->in, v[0].v[l * (uint32_t)v[0].stride], v[1].v[l * (uint32_t)v[1].stride],
                     v[2].v[l * (uint32_t)v[2].stride], v[3].v[l * (uint32_t)v[3].stride]);
        d[l] = r & oi->mask;
    }
    return true;
}

static bool exec_lop3(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[4][O_LANES], *d = destination_of(w, oi);
    OValues v[4];
    uint32_t p = 0, q = o_pred(w, &oi->src[4]);
    for (int i = 0; i < 4; i++) v[i] = o_values(w, &oi->src[i], hold[i]);
    O_FOR_LANES(l, active) {
        uint32_t r = lane_lop3((uint32_t)o_at(v[0], l), (uint32_t)o_at(v[1], l),
                               (uint32_t)o_at(v[2], l), (uint8_t)o_at(v[3], l));
        if (d) d[l] = r;
        p |= (uint32_t)(r != 0) << l;
    }
    PtxBool b = oi->in->boolop;
    if (b != PTX_BOOL_NONE) o_put_pred(w, oi->pdst2, active, b == PTX_BOOL_AND ? p & q : p | q);
    return true;
}

// mov between a register and a vector of its parts.
static bool exec_mov_vector(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    OFrame *f = o_frame(w);
    bool pack = in->opnd[1].kind == PTX_OPND_VEC;
    const PtxOperand *vec = &in->opnd[pack ? 1 : 0];
    int n = vec->nelements, bits = 8 * ptx_type_bytes(in->type) / n;
    uint64_t hold[O_LANES], *d = destination_of(w, oi), whole[O_LANES] = {0};
    if (!pack) {
        OValues v = o_values(w, &oi->src[0], hold);
        for (uint32_t l = 0; l < O_LANES; l++) whole[l] = o_at(v, l);
    }
    for (int i = 0; i < n; i++) {
        const PtxOperand *e = &vec->elements[i];
        if (e->kind == PTX_OPND_SINK) continue;
        uint64_t *r =
            e->kind == PTX_OPND_REG ? f->regs + (size_t)f->func->slot[e->index] * O_LANES : NULL;
        O_FOR_LANES(l, active) {
            if (pack) whole[l] |= lane_zext(r ? r[l] : e->bits, bits) << (bits * i);
            else r[l] = lane_zext(whole[l] >> (bits * i), bits);
        }
    }
    if (pack && d)
        O_FOR_LANES(l, active) d[l] = whole[l] & oi->mask;
    return true;
}

// ---- predicates ----

static bool exec_setp(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    uint64_t ha[O_LANES], hb[O_LANES];
    OValues a = o_values(w, &oi->src[0], ha), b = o_values(w, &oi->src[1], hb);
    uint32_t r = 0, c = o_pred(w, &oi->src[2]);
    const bool pair = in->type == PTX_F16X2 || in->type == PTX_BF16X2;
    const PtxType t = in->type == PTX_F16X2 ? PTX_F16 : pair ? PTX_BF16 : in->type;
    uint32_t high = 0;
    O_FOR_LANES(l, active) {
        r |= (uint32_t)o_compare(in, t, o_at(a, l), o_at(b, l)) << l;
        if (pair) high |= (uint32_t)o_compare(in, t, o_at(a, l) >> 16, o_at(b, l) >> 16) << l;
    }
    uint32_t p = r, q = pair ? high : ~r;
    if (in->boolop == PTX_BOOL_AND) p &= c, q &= c;
    if (in->boolop == PTX_BOOL_OR) p |= c, q |= c;
    if (in->boolop == PTX_BOOL_XOR) p ^= c, q ^= c;
    o_put_pred(w, oi->pdst, active, p);
    o_put_pred(w, oi->pdst2, active, q);
    return true;
}

static bool exec_pred_logic(OWarp *w, const OInst *oi, uint32_t active) {
    uint32_t a = o_pred(w, &oi->src[0]), b = o_pred(w, &oi->src[1]), r = a;
    switch (oi->in->op) {
    case PTX_AND: r = a & b; break;
    case PTX_OR: r = a | b; break;
    case PTX_XOR: r = a ^ b; break;
    case PTX_NOT: r = ~a; break;
    default: break;  // mov
    }
    o_put_pred(w, oi->pdst, active, r);
    return true;
}

static bool test_float(PtxTestp test, PtxType t, uint64_t a) {
    int bits = 8 * ptx_type_bytes(t), fraction = t == PTX_F64 ? 52 : 23;
    uint64_t ones = (1ull << (bits - 1 - fraction)) - 1;
    uint64_t e = a >> fraction & ones, f = a & ((1ull << fraction) - 1);
    switch (test) {
    case PTX_TESTP_FINITE: return e != ones;
    case PTX_TESTP_INFINITE: return e == ones && !f;
    case PTX_TESTP_NUMBER: return e != ones || !f;
    case PTX_TESTP_NOTANUMBER: return e == ones && f;
    case PTX_TESTP_NORMAL: return e != ones && (e || !f);  // zeros are normal numbers, too
    default: return e == 0 && f;
    }
}

static bool exec_test(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[O_LANES];
    OValues a = o_values(w, &oi->src[0], hold);
    uint32_t r = 0;
    const PtxInst *in = oi->in;
    O_FOR_LANES(l, active) {
        bool t = in->op == PTX_ISSPACEP ? device_space_of(o_at(a, l)) == in->space
                                        : test_float(in->testp, in->type, o_at(a, l));
        r |= (uint32_t)t << l;
    }
    o_put_pred(w, oi->pdst, active, r);
    return true;
}

// ---- carry chains ----

// CC.CF after an addition is its carry. After a subtraction it is 1 if nothing was borrowed. A
// subtraction that uses CC.CF subtracts one if it is 0. Chains of one kind behave as PTX defines
// them, mixed chains as the hardware does.
static bool exec_carry(OWarp *w, const OInst *oi, uint32_t active) {
    const PtxInst *in = oi->in;
    OFrame *f = o_frame(w);
    int bits = 8 * ptx_type_bytes(in->type);
    bool mad = in->op == PTX_MAD || in->op == PTX_MADC,
         sub = in->op == PTX_SUB || in->op == PTX_SUBC;
    bool carries_in = in->op == PTX_ADDC || in->op == PTX_SUBC || in->op == PTX_MADC;
    uint64_t hold[3][O_LANES], *d = destination_of(w, oi);
    OValues v[3];
    PtxInst product = *in;
    product.op = PTX_MUL;
    for (int i = 0; i < 3; i++) v[i] = o_values(w, &oi->src[i], hold[i]);
    uint32_t out = 0;
    O_FOR_LANES(l, active) {
        uint64_t x = o_at(v[0], l), y = o_at(v[1], l), carry = carries_in ? f->carry >> l & 1 : 0;
        if (mad) {
            x = o_eval_of(&product)(&product, x, y, 0, 0);
            y = o_at(v[2], l);
        }
        x = lane_zext(x, bits);
        y = lane_zext(y, bits);
        const uint64_t borrow = carries_in && !carry;
        __int128 r = sub ? (__int128)x - y - borrow : (__int128)x + y + carry;
        if (d) d[l] = (uint64_t)r & oi->mask;
        const bool flag = sub ? r >= 0 : r >> bits != 0;
        out |= (uint32_t)flag << l;
    }
    if (in->cc) f->carry = (f->carry & ~active) | out;
    return true;
}

// ---- across the warp ----

static bool exec_shfl(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[4][O_LANES], copy[O_LANES], *d = destination_of(w, oi);
    OValues a = o_values(w, &oi->src[0], hold[0]), b = o_values(w, &oi->src[1], hold[1]),
            c = o_values(w, &oi->src[2], hold[2]);
    for (uint32_t l = 0; l < O_LANES; l++) copy[l] = o_at(a, l);
    uint32_t in_range = 0;
    if (oi->in->sync) o_check_members(w, oi, active, o_values(w, &oi->src[3], hold[3]));
    O_FOR_LANES(l, active) {
        int lane = (int)l, bval = (int)(o_at(b, l) & 31), cval = (int)(o_at(c, l) & 31), j;
        int seg = (int)(o_at(c, l) >> 8 & 31), last = (lane & seg) | (cval & ~seg);
        bool ok;
        switch (oi->in->shfl) {
        case PTX_SHFL_UP:
            j = lane - bval;
            ok = j >= last;
            break;
        case PTX_SHFL_DOWN:
            j = lane + bval;
            ok = j <= last;
            break;
        case PTX_SHFL_BFLY:
            j = lane ^ bval;
            ok = j <= last;
            break;
        default:
            j = (lane & seg) | (bval & ~seg);
            ok = j <= last;
            break;
        }
        // PTX does not define the value for a lane that does not take part. Here the lane keeps its
        // own value.
        if (ok) o_check_source_lane(w, oi, active, l, j & 31);
        if (d) d[l] = ok && (active >> (j & 31) & 1) ? copy[j & 31] : copy[l];
        in_range |= (uint32_t)ok << l;
    }
    o_put_pred(w, oi->pdst2, active, in_range);
    return true;
}

static bool exec_vote(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[O_LANES], *d = destination_of(w, oi);
    uint32_t p = o_pred(w, &oi->src[0]), result = 0;
    OValues mask = o_values(w, &oi->src[1], hold);
    bool masked = oi->src[1].kind != OSRC_NONE;
    if (masked) o_check_members(w, oi, active, mask);
    O_FOR_LANES(l, active) {
        uint32_t members = masked ? active & (uint32_t)o_at(mask, l) : active, ballot = members & p;
        bool r = oi->in->vote == PTX_VOTE_ALL ? ballot == members
            : oi->in->vote == PTX_VOTE_ANY    ? ballot != 0
                                              : ballot == members || !ballot;
        if (d) d[l] = ballot;
        result |= (uint32_t)r << l;
    }
    o_put_pred(w, oi->pdst, active, result);
    return true;
}

static bool exec_match(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[2][O_LANES], copy[O_LANES], *d = destination_of(w, oi);
    OValues a = o_values(w, &oi->src[0], hold[0]), mask = o_values(w, &oi->src[1], hold[1]);
    uint32_t all = 0;
    o_check_members(w, oi, active, mask);
    for (uint32_t l = 0; l < O_LANES; l++) copy[l] = o_at(a, l);
    O_FOR_LANES(l, active) {
        uint32_t members = active & (uint32_t)o_at(mask, l), same = 0;
        O_FOR_LANES(k, members) same |= (uint32_t)(copy[k] == copy[l]) << k;
        bool everyone = same == members;
        if (d) d[l] = oi->in->vote == PTX_VOTE_ALL && !everyone ? 0 : same;
        all |= (uint32_t)everyone << l;
    }
    o_put_pred(w, oi->pdst2, active, all);
    return true;
}

static bool exec_redux(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t hold[2][O_LANES], copy[O_LANES], *d = destination_of(w, oi);
    OValues a = o_values(w, &oi->src[0], hold[0]), mask = o_values(w, &oi->src[1], hold[1]);
    for (uint32_t l = 0; l < O_LANES; l++) copy[l] = o_at(a, l);
    o_check_members(w, oi, active, mask);
    if (!d) return true;
    O_FOR_LANES(l, active) {
        uint32_t members = active & (uint32_t)o_at(mask, l);
        uint64_t r = 0;
        bool first = true;
        O_FOR_LANES(k, members) {
            r = first ? copy[k]
                      : lane_atomic((uint8_t)oi->in->atom, o_isa_type(oi->in->type), false, r,
                                    copy[k], 0);
            first = false;
        }
        d[l] = r & oi->mask;
    }
    return true;
}

static bool exec_activemask(OWarp *w, const OInst *oi, uint32_t active) {
    uint64_t *d = destination_of(w, oi);
    if (d)
        O_FOR_LANES(l, active) d[l] = active;
    return true;
}

// ---- choice ----

static bool exec_nothing(OWarp *w, const OInst *oi, uint32_t active) {
    (void)w, (void)oi, (void)active;
    return true;
}

static bool exec_fence(OWarp *w, const OInst *oi, uint32_t active) {
    (void)oi;
    if (active) o_race_fence(w);
    return true;
}

static bool exec_trap(OWarp *w, const OInst *oi, uint32_t active) {
    if (!active) return true;
    return o_fail(w, oi, (uint32_t)__builtin_ctz(active), EXIT_WRONG_RESULT, "trap");
}

static bool is_vector(const PtxInst *in) {
    return in->opnd[0].kind == PTX_OPND_VEC || in->opnd[1].kind == PTX_OPND_VEC;
}

OHandler o_handler_of(const PtxInst *in) {
    switch (in->op) {
    case PTX_LD:
    case PTX_LDU: return o_load;
    case PTX_ST: return o_store;
    case PTX_ATOM:
    case PTX_RED: return o_atomic;
    case PTX_TEX: return o_texture;
    case PTX_MMA: return o_matrix;
    case PTX_BRA: return o_branch;
    case PTX_BRX_IDX: return o_branch_table;
    case PTX_CALL: return o_call;
    case PTX_RET: return o_return;
    case PTX_EXIT: return o_exit;
    case PTX_TRAP: return exec_trap;
    case PTX_BAR:
    case PTX_BAR_ARRIVE:
    case PTX_BAR_RED: return o_barrier;
    case PTX_SETP: return exec_setp;
    case PTX_TESTP:
    case PTX_ISSPACEP: return exec_test;
    case PTX_LOP3: return exec_lop3;
    case PTX_SHFL: return exec_shfl;
    case PTX_VOTE: return exec_vote;
    case PTX_MATCH: return exec_match;
    case PTX_REDUX: return exec_redux;
    case PTX_ACTIVEMASK: return exec_activemask;
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_MADC: return exec_carry;
    case PTX_MOV:
        if (is_vector(in)) return exec_mov_vector;
        break;
    default: break;
    }
    if (in->cc) return exec_carry;
    if (in->type == PTX_PRED) return exec_pred_logic;
    switch (in->op) {  // order and timing only
    case PTX_MEMBAR:
    case PTX_FENCE: return exec_fence;
    case PTX_PREFETCH:
    case PTX_PREFETCHU:
    case PTX_NANOSLEEP:
    case PTX_BAR_WARP_SYNC:
    case PTX_BRKPT: return exec_nothing;
    default: break;
    }
    panic_if(!o_eval_of(in), "the oracle has no handler for %s", ptx_op_name(in->op));
    return o_lanes;
}
