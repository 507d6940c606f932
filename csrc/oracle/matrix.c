// SPDX-License-Identifier: Apache-2.0
// A step of a matrix product, element by element. D(i, j) is the sum over k of A(i, k) B(k, j).
// Each element is fetched from the thread that holds it in PTX's layout.
#include "oracle/interp.h"

enum { MATRIX_SIDE = 8 };

typedef struct OMatrix {
    const OFrame *f;
    const PtxInst *in;
    uint32_t active;
    int bits, per;  // bits of an element of A and B; elements of a register
} OMatrix;

// Register `index` of operand o in a lane; 0 if the lane does not execute.
static uint64_t in_lane(const OMatrix *m, const PtxOperand *o, int index, int lane) {
    const PtxOperand *e = o->kind == PTX_OPND_VEC ? &o->elements[index] : o;
    return m->active >> lane & 1 ? m->f->regs[m->f->func->slot[e->index] * O_LANES + lane] : 0;
}

static uint64_t cut_bits(uint64_t word, int from, int bits) {
    return bits == 64 ? word : word >> from & ((1ull << bits) - 1);
}

// A(row, k) and B(k, column) as they lie in the registers.
static uint64_t of_a(const OMatrix *m, int row, int k) {
    const int lane = row % MATRIX_SIDE * 4 + k / m->per;
    return cut_bits(in_lane(m, &m->in->opnd[1], row / MATRIX_SIDE, lane), k % m->per * m->bits,
                    m->bits);
}
static uint64_t of_b(const OMatrix *m, int k, int column) {
    return cut_bits(in_lane(m, &m->in->opnd[2], 0, column * 4 + k / m->per), k % m->per * m->bits,
                    m->bits);
}

static uint64_t single_of(PtxMatrix kind, uint64_t e) {
    switch (kind) {
    case PTX_MATRIX_F16: return lane_cvt(ISA_F32, ISA_F16, ISA_RN, false, false, e);
    case PTX_MATRIX_BF16: return lane_cvt(ISA_F32, ISA_BF16, ISA_RN, false, false, e);
    default: return lane_f32_is_nan((uint32_t)e) ? LANE_NAN32 : e >> 13 << 13;
    }
}

static int64_t integer_of(uint64_t e, int bits, bool is_signed) {
    return is_signed ? (int64_t)(e << (64 - bits)) >> (64 - bits) : (int64_t)e;
}

static uint64_t sum_products(const OMatrix *m, int row, int column, int depth, uint64_t c) {
    const PtxMatrix kind = m->in->matrix;
    int64_t total = (int32_t)c;
    for (int k = 0; k < depth; k++) {
        const uint64_t a = of_a(m, row, k), b = of_b(m, k, column);
        if (kind == PTX_MATRIX_F64) c = lane_f64_fma(a, b, c, ISA_RN);
        else if (kind <= PTX_MATRIX_TF32)
            c = lane_f32_fma((uint32_t)single_of(kind, a), (uint32_t)single_of(kind, b),
                             (uint32_t)c, ISA_RN, false, false);
        else if (kind == PTX_MATRIX_XOR) total += a != b;
        else if (kind == PTX_MATRIX_AND) total += a && b;
        else
            total +=
                integer_of(a, m->bits, m->in->a_signed) * integer_of(b, m->bits, m->in->b_signed);
    }
    if (kind <= PTX_MATRIX_TF32 || kind == PTX_MATRIX_F64) return c;
    if (m->in->sat && total > INT32_MAX) return INT32_MAX;
    if (m->in->sat && total < INT32_MIN) return (uint32_t)INT32_MIN;
    return (uint32_t)total;
}

bool o_matrix(OWarp *w, const OInst *oi, uint32_t active) {
    static const int bits_of[] = {0, 16, 16, 32, 8, 4, 1, 1, 64};
    const PtxInst *in = oi->in;
    const OFrame *f = o_frame(w);
    OMatrix m = {f, in, active, bits_of[in->matrix], 1};
    if (m.bits < 32) m.per = 32 / m.bits;
    const int nd = in->opnd[0].nelements ? in->opnd[0].nelements : 1;
    uint64_t result[4][O_LANES];
    const uint64_t all = UINT32_MAX;
    if (!active) return true;
    o_check_members(w, oi, active, (OValues){&all, 0});
    O_FOR_LANES(l, active) {
        for (int i = 0; i < nd * (in->half_sum ? 2 : 1); i++) {
            const int row = (int)l / 4 + i / 2 * MATRIX_SIDE, column = (int)(l % 4) * 2 + i % 2;
            const int word = in->half_sum ? i / 2 : i, shift = in->half_sum ? i % 2 * 16 : 0;
            uint64_t c = in_lane(&m, &in->opnd[3], word, (int)l) >> shift;
            if (in->half_sum) c = lane_cvt(ISA_F32, ISA_F16, ISA_RN, false, false, c & 0xffff);
            uint64_t d = sum_products(&m, row, column, 4 * m.per, c);
            if (in->half_sum) d = lane_cvt(ISA_F16, ISA_F32, ISA_RN, false, false, d) << shift;
            result[word][l] = shift ? result[word][l] | d : d;
        }
    }
    for (int i = 0; i < nd; i++) {
        const PtxOperand *e =
            in->opnd[0].kind == PTX_OPND_VEC ? &in->opnd[0].elements[i] : &in->opnd[0];
        uint64_t *to = f->regs + (size_t)f->func->slot[e->index] * O_LANES;
        O_FOR_LANES(l, active) to[l] = result[i][l];
    }
    return true;
}
