// SPDX-License-Identifier: Apache-2.0
// Matrix instructions. Products become steps of the smallest mma of their type (PTX_MMA), the only
// matrix instruction that oracle and compiler support. A step is D = A * B + C with A of 16 or 8
// rows and B of 8 columns. A row of A is as long as four words. PTX does not define which element
// of a wmma fragment a thread holds. This implementation uses the layout of mma, with m8n32k* as
// its transpose (B' * A'). If a fragment has more registers than elements, elements are duplicated.
// Loads and stores of fragments and ldmatrix become loads, stores and shuffles, as ptxas does.
#include "ptx/expand.h"

enum { MAX_WORDS = 16, STEP_COLUMNS = 8, ALL_LANES = 31 };

typedef struct Matrix {
    Expansion x;
    InstText *t;
    const Mods *mods;
    PtxMatrix kind;
    int m, n, k;  // m8n32 is turned round: 32, 8
    bool turned;
    PtxInst step;              // fields of PTX_MMA
    int rows, columns, depth;  // steps in each direction
} Matrix;

static bool has_modifier(const Mods *mods, const char *word) {
    for (int i = 0; i < mods->n; i++)
        if (lex_is_word(&mods->tok[i], TOKEN_DOT, word)) return true;
    return false;
}

static bool fail_matrix(const Matrix *x, const char *what) {
    return check_fail(x->x.p, x->t, NULL, "%s", what);
}

// ---- types and shapes ----

typedef struct TypeRow {
    const char *word;
    PtxMatrix kind;
    int bits;
    bool is_signed;
} TypeRow;
static const TypeRow type_rows[] = {
    {"f16", PTX_MATRIX_F16, 16, false},   {"bf16", PTX_MATRIX_BF16, 16, false},
    {"tf32", PTX_MATRIX_TF32, 32, false}, {"s8", PTX_MATRIX_I8, 8, true},
    {"u8", PTX_MATRIX_I8, 8, false},      {"s4", PTX_MATRIX_I4, 4, true},
    {"u4", PTX_MATRIX_I4, 4, false},      {"b1", PTX_MATRIX_XOR, 1, false},
    {"f64", PTX_MATRIX_F64, 64, false},   {"f32", PTX_MATRIX_NONE, 32, false},
    {"s32", PTX_MATRIX_NONE, 32, false}};

static const TypeRow *type_row(const Token *tok) {
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++)
        if (lex_is_word(tok, TOKEN_DOT, type_rows[i].word)) return &type_rows[i];
    return NULL;
}

// The types among the modifiers, in their order.
static int types_of(const Mods *mods, const TypeRow *found[4]) {
    int n = 0;
    for (int i = 0; i < mods->n; i++) {
        const TypeRow *row = type_row(&mods->tok[i]);
        if (row && n < 4) found[n++] = row;
        else if (row) return 5;
    }
    return n;
}

static int bits_of(PtxMatrix kind) {
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++)
        if (type_rows[i].kind == kind) return type_rows[i].bits;
    return 1;  // PTX_MATRIX_AND
}

static bool shape_of(Matrix *x) {
    for (int i = 0; i < x->mods->n; i++) {
        const Token *tok = &x->mods->tok[i];
        char text[16], rest;
        snprintf(text, sizeof text, "%.*s", tok->len, tok->text);
        if (sscanf(text, "m%dn%dk%d%c", &x->m, &x->n, &x->k, &rest) == 3) return true;
    }
    return fail_matrix(x, "expected a shape like .m16n8k16");
}

// Steps of the shape; false with t->why: none of ours.
static bool plan_steps(Matrix *x) {
    const int depth = x->kind == PTX_MATRIX_F64 ? 4 : 128 / bits_of(x->kind);
    x->turned = x->m == 8 && x->n == 32;
    if (x->turned) x->m = 32, x->n = 8;
    x->step.tall = x->m >= 16 && x->kind != PTX_MATRIX_F64;
    const int rows = x->step.tall ? 16 : 8;
    x->rows = x->m / rows;
    x->columns = x->n / STEP_COLUMNS;
    x->depth = x->k / depth;
    const bool even =
        x->m == x->rows * rows && x->n == x->columns * STEP_COLUMNS && x->k == x->depth * depth;
    if (!even || x->rows < 1 || x->columns < 1 || x->depth < 1 || x->m > 32 || x->n > 16 ||
        x->depth > 4)
        x->t->why = "tensor: a shape that this type has no steps for";
    return true;
}

// Registers of a thread, without duplicates.
static int words_a(const Matrix *x) { return x->rows * x->depth * (x->step.tall ? 2 : 1); }
static int words_b(const Matrix *x) { return x->columns * x->depth; }
static int sums_of_step(const Matrix *x) {
    return (x->step.tall ? 4 : 2) / (x->step.half_sum ? 2 : 1);
}
static int words_c(const Matrix *x) { return x->rows * x->columns * sums_of_step(x); }

// ---- registers ----

static PtxType word_type(const Matrix *x) { return x->kind == PTX_MATRIX_F64 ? PTX_B64 : PTX_B32; }

// Operand o as registers: `least` of them, or the same again, up to `most`.
static bool check_registers(Matrix *x, const PtxOperand *o, int least, int most, PtxOperand *to,
                            int *count) {
    const PtxOperand *e = o->kind == PTX_OPND_VEC ? o->elements : o;
    const int n = o->kind == PTX_OPND_VEC ? o->nelements : 1, bytes = ptx_type_bytes(word_type(x));
    if (n != least && n != most) {
        return check_fail(x->x.p, x->t, o, "this fragment has %d register%s, found %d", most,
                          most == 1 ? "" : "s", n);
    }
    for (int i = 0; i < n; i++) {
        const PtxFunc *f = x->x.p->f;
        if (e[i].kind != PTX_OPND_REG || e[i].negated || f->regs[e[i].index].type == PTX_PRED ||
            ptx_type_bytes(f->regs[e[i].index].type) != bytes)
            return check_fail(x->x.p, x->t, &e[i], "expected a register of %d bits", 8 * bytes);
        to[i] = e[i];
    }
    if (count) *count = n;
    return true;
}

static void emit_move(const Expansion *e, PtxOperand to, PtxOperand from) {
    PtxType t = e->p->f->regs[to.index].type;
    if (from.kind == PTX_OPND_REG && ptx_type_is_float(t))
        t = ptx_type_bytes(t) == 8 ? PTX_B64 : PTX_B32;
    PUT(e, PTX_MOV, t, to, from);
}

// ---- products ----

static void emit_steps(const Matrix *x, PtxOperand *a, PtxOperand *b, PtxOperand *c,
                       PtxOperand *d) {
    const int each = sums_of_step(x), high = x->step.tall ? 2 : 1;
    // otherwise an earlier step might overwrite the operand of a later step
    const bool alone = x->rows * x->columns * x->depth == 1;
    PtxOperand result[MAX_WORDS];
    for (int r = 0; r < x->rows; r++)
        for (int j = 0; j < x->columns; j++) {
            const int first = (r * x->columns + j) * each;
            PtxOperand sum[4];
            for (int i = 0; i < each; i++) sum[i] = c[first + i];
            for (int k = 0; k < x->depth; k++) {
                // f64 has steps of 8 rows: those of both halves alternate in A
                const int at_a =
                    x->kind == PTX_MATRIX_F64 ? k * x->rows + r : (r * x->depth + k) * high;
                PtxOperand next[4];
                for (int i = 0; i < each; i++)
                    next[i] = alone ? d[i] : expand_temporary(&x->x, word_type(x));
                PtxInst *in = PUT(&x->x, PTX_MMA, PTX_NOTYPE, expand_vector(&x->x, next, each),
                                  expand_vector(&x->x, a + at_a, high), b[j * x->depth + k],
                                  expand_vector(&x->x, sum, each));
                in->matrix = x->step.matrix;
                in->tall = x->step.tall;
                in->half_sum = x->step.half_sum;
                in->a_signed = x->step.a_signed;
                in->b_signed = x->step.b_signed;
                in->sat = x->step.sat;
                memcpy(sum, next, sizeof sum);
            }
            for (int i = 0; i < each; i++) result[first + i] = sum[i];
        }
    for (int i = 0; i < words_c(x) && !alone; i++) emit_move(&x->x, d[i], result[i]);
}

// C as f32, of C as f16; or D as f16 of f32. A register holds two columns of a row.
static void convert_halves(const Matrix *x, PtxOperand *half, PtxOperand *single, int words,
                           bool narrow) {
    for (int i = 0; i < words; i++) {
        PtxOperand h[2] = {expand_temporary(&x->x, PTX_B16), expand_temporary(&x->x, PTX_B16)};
        if (!narrow) PUT(&x->x, PTX_MOV, PTX_B32, expand_vector(&x->x, h, 2), half[i]);
        for (int k = 0; k < 2; k++) {
            PtxInst *cvt = narrow ? PUT(&x->x, PTX_CVT, PTX_F16, h[k], single[2 * i + k])
                                  : PUT(&x->x, PTX_CVT, PTX_F32, single[2 * i + k], h[k]);
            cvt->type2 = narrow ? PTX_F32 : PTX_F16;
            if (narrow) cvt->rnd = PTX_RN;
        }
        if (narrow) PUT(&x->x, PTX_MOV, PTX_B32, half[i], expand_vector(&x->x, h, 2));
    }
}

static bool element_types(Matrix *x, bool wmma, bool *c_half, bool *d_half) {
    const TypeRow *type[4];
    const int n = types_of(x->mods, type);
    const bool halves = wmma && n == 2;  // D and C of wmma.mma on f16
    if (!halves && n != 4) return fail_matrix(x, "expected the types of D, A, B and C");
    const TypeRow *d = type[0], *c = type[n - 1], *a = halves ? &type_rows[0] : type[1],
                  *b = halves ? a : type[2];
    x->kind = a->kind;
    if (!a->kind || a->kind != b->kind) {
        x->t->why = "tensor: types of A and B";
        return true;
    }
    const bool whole =
        a->kind == PTX_MATRIX_I8 || a->kind == PTX_MATRIX_I4 || a->kind == PTX_MATRIX_XOR;
    *c_half = c->kind == PTX_MATRIX_F16;
    *d_half = d->kind == PTX_MATRIX_F16;
    const char *sum = a->kind == PTX_MATRIX_F64 ? "f64" : whole ? "s32" : "f32";
    const bool may_be_half = a->kind == PTX_MATRIX_F16;
    if ((strcmp(c->word, sum) && !(may_be_half && *c_half)) ||
        (strcmp(d->word, sum) && !(may_be_half && *d_half)))
        return fail_matrix(x, "C and D do not have a type that goes with A and B");
    if (a->kind == PTX_MATRIX_XOR) {
        if (!has_modifier(x->mods, "popc"))
            return fail_matrix(x, "expected .xor.popc or .and.popc");
        if (has_modifier(x->mods, "and")) x->kind = PTX_MATRIX_AND;
        else if (!has_modifier(x->mods, "xor"))
            return fail_matrix(x, "expected .xor.popc or .and.popc");
    }
    x->step.matrix = x->kind;
    x->step.a_signed = a->is_signed;
    x->step.b_signed = b->is_signed;
    x->step.sat = has_modifier(x->mods, "satfinite");
    x->step.half_sum = *c_half && *d_half;
    return true;
}

static bool parse_product(Matrix *x, bool wmma) {
    PtxOperand o[4], a[MAX_WORDS], b[MAX_WORDS], c[MAX_WORDS], d[MAX_WORDS], wide_c[MAX_WORDS],
        wide_d[MAX_WORDS];
    bool c_half = false, d_half = false;
    Parser *p = x->x.p;
    if (!element_types(x, wmma, &c_half, &d_half)) return false;
    if (x->t->why) return true;
    if (!shape_of(x) || !plan_steps(x)) return false;
    if (x->kind == PTX_MATRIX_F16 && x->k == 4) x->t->why = "tensor: mma.m8n8k4 of f16";
    if (c_half != d_half && !wmma) x->t->why = "tensor: C and D of different types";
    if (x->t->why) return true;
    for (int i = 0; i < 4; i++)
        if ((i && !lex_expect(p, ',', "between the operands")) || !parse_operand(p, x->t, &o[i]))
            return false;
    if (x->t->why) return true;
    // fragments of A and B that have room for more
    const int most = wmma && x->kind == PTX_MATRIX_F16 ? 8 : 0;
    const bool mixed = c_half != d_half;
    const int sums = x->rows * x->columns * (x->step.tall ? 4 : 2);
    PtxOperand *from = x->turned ? b : a, *other = x->turned ? a : b;
    if (!check_registers(x, &o[1], x->turned ? words_b(x) : words_a(x),
                         most            ? most
                             : x->turned ? words_b(x)
                                         : words_a(x),
                         from, NULL) ||
        !check_registers(x, &o[2], x->turned ? words_a(x) : words_b(x),
                         most            ? most
                             : x->turned ? words_a(x)
                                         : words_b(x),
                         other, NULL) ||
        !check_registers(x, &o[3], c_half ? sums / 2 : sums, c_half ? sums / 2 : sums, c, NULL) ||
        !check_registers(x, &o[0], d_half ? sums / 2 : sums, d_half ? sums / 2 : sums, d, NULL))
        return false;
    if (x->turned) {  // B' * A'
        const bool s = x->step.a_signed;
        x->step.a_signed = x->step.b_signed;
        x->step.b_signed = s;
    }
    if (!mixed) {
        emit_steps(x, a, b, c, d);
        return true;
    }
    for (int i = 0; i < sums; i++)
        wide_c[i] = expand_temporary(&x->x, PTX_F32), wide_d[i] = expand_temporary(&x->x, PTX_F32);
    if (c_half) convert_halves(x, c, wide_c, sums / 2, false);
    emit_steps(x, a, b, c_half ? wide_c : c, d_half ? wide_d : d);
    if (d_half) convert_halves(x, d, wide_d, sums / 2, true);
    return true;
}

// ---- fragments in memory ----

// Registers from which addresses are computed.
typedef struct Place {
    PtxOperand memory;       // base register + offset
    PtxOperand lane_offset;  // 32 bits: of the thread's first element
    PtxOperand pitch;        // bytes from one row (column) in memory to the next
    int bits;
    bool rows_apart;  // elements of a row of the fragment follow each other in memory
} Place;

static PtxOperand compute_u32(const Expansion *e, PtxOp op, PtxOperand a, PtxOperand b) {
    PtxOperand r = expand_temporary(e, PTX_U32);
    PtxInst *in = PUT(e, op, op == PTX_AND || op == PTX_SHL ? PTX_B32 : PTX_U32, r, a, b);
    if (op == PTX_MUL) in->part = PTX_PART_LO;
    return r;
}

static PtxOperand multiply_add(const Expansion *e, PtxOperand a, PtxOperand b, PtxOperand c) {
    PtxOperand r = expand_temporary(e, PTX_U32);
    PUT(e, PTX_MAD, PTX_U32, r, a, b, c)->part = PTX_PART_LO;
    return r;
}

static PtxOperand read_lane(const Expansion *e) {
    PtxOperand r = expand_temporary(e, PTX_U32);
    PUT(e, PTX_MOV, PTX_U32, r,
        expand_locate(e, (PtxOperand){.kind = PTX_OPND_SREG, .index = PTX_SREG_LANEID}));
    return r;
}

// The address `offset` (32 bits) bytes after a memory operand.
static PtxOperand compute_address(const Expansion *e, PtxOperand memory, PtxOperand offset) {
    const bool narrow =
        memory.base == PTX_BASE_REG && ptx_type_bytes(e->p->f->regs[memory.index].type) == 4;
    const PtxType t = narrow ? PTX_U32 : PTX_U64;
    PtxOperand base, wide = offset, sum = expand_temporary(e, t);
    if (memory.base == PTX_BASE_REG) base = expand_reg(e, memory.index);
    else if (memory.base == PTX_BASE_NONE) base = expand_number(e, 0);
    else {
        base = expand_temporary(e, t);
        PUT(e, PTX_MOV, t, base,
            expand_locate(e,
                          (PtxOperand){.kind = PTX_OPND_VAR,
                                       .index = memory.index,
                                       .module_scope = memory.module_scope}));
    }
    if (!narrow) {
        wide = expand_temporary(e, PTX_U64);
        PUT(e, PTX_CVT, PTX_U64, wide, offset)->type2 = PTX_U32;
    }
    PUT(e, PTX_ADD, t, sum, wide, base);
    PtxOperand to = expand_locate(
        e, (PtxOperand){.kind = PTX_OPND_MEM, .base = PTX_BASE_REG, .index = sum.index});
    to.offset = memory.offset;
    return to;
}

// Bytes from row to row, and the offset of row g, element t * per.
static void place_fragment(const Matrix *x, Place *w, PtxOperand stride, int per) {
    const Expansion *e = &x->x;
    PtxOperand id = read_lane(e), g = compute_u32(e, PTX_SHR, id, expand_number(e, 2)),
               t = compute_u32(e, PTX_AND, id, expand_number(e, 3));
    w->pitch = compute_u32(e, PTX_MUL, stride, expand_number(e, (uint64_t)w->bits));
    w->pitch = compute_u32(e, PTX_SHR, w->pitch, expand_number(e, 3));
    PtxOperand along = w->rows_apart ? t : g, across = w->rows_apart ? g : t;
    along = compute_u32(e, PTX_MUL, along,
                        expand_number(e, (uint64_t)((w->rows_apart ? per : 1) * w->bits / 8)));
    if (!w->rows_apart) across = compute_u32(e, PTX_MUL, across, expand_number(e, (uint64_t)per));
    w->lane_offset = multiply_add(e, across, w->pitch, along);
}

// Element `column` of row `row`, counted from the thread's first.
static PtxOperand locate_element(const Matrix *x, const Place *w, int row, int column) {
    const int across = w->rows_apart ? row : column, along = w->rows_apart ? column : row;
    PtxOperand offset = w->lane_offset;
    if (across)
        offset = multiply_add(&x->x, w->pitch, expand_number(&x->x, (uint64_t)across), offset);
    return expand_displace(compute_address(&x->x, w->memory, offset), along * w->bits / 8);
}

static PtxInst *emit_access(const Matrix *x, PtxOp op, PtxType type, PtxOperand memory,
                            PtxOperand value) {
    PtxInst *in =
        op == PTX_ST ? PUT(&x->x, op, type, memory, value) : PUT(&x->x, op, type, value, memory);
    in->space = x->x.in->space;
    return in;
}

// The register that holds `n` elements of a row, from (row, column) on, loaded or stored.
static void transfer_elements(const Matrix *x, PtxOp op, const Place *w, int row, int column, int n,
                              PtxOperand value) {
    const Expansion *e = &x->x;
    if (w->rows_apart || n == 1) {
        emit_access(x, op, word_type(x), locate_element(x, w, row, column), value);
        return;
    }
    const bool bytes = n == 4;
    PtxOperand part[4];
    for (int i = 0; i < n; i++) part[i] = expand_temporary(e, PTX_B16);
    // halves: nobody stores bytes
    if (op == PTX_ST) PUT(e, PTX_MOV, PTX_B32, expand_vector(e, part, n), value);
    for (int i = 0; i < n; i++)
        emit_access(x, op, bytes ? PTX_U8 : PTX_B16, locate_element(x, w, row, column + i),
                    part[i]);
    if (op == PTX_ST) return;
    for (int i = 0; i < n && bytes; i += 2) {
        PtxOperand high = expand_temporary(e, PTX_B16);
        PUT(e, PTX_SHL, PTX_B16, high, part[i + 1], expand_number(e, 8));
        PUT(e, PTX_OR, PTX_B16, part[i / 2], part[i], high);
    }
    PUT(e, PTX_MOV, PTX_B32, value, expand_vector(e, part, 2));
}

static void fragment_ab(const Matrix *x, const Place *w, bool is_a, PtxOperand *to) {
    const int n = w->bits >= 32 ? 1 : 32 / w->bits,
              depth = x->kind == PTX_MATRIX_F64 ? 4 : 128 / w->bits;
    const int blocks = is_a ? x->rows : x->columns, high = is_a && x->step.tall ? 2 : 1;
    for (int r = 0; r < blocks; r++)
        for (int k = 0; k < x->depth; k++)
            for (int h = 0; h < high; h++)
                transfer_elements(x, PTX_LD, w, 8 * (high * r + h), k * depth, n,
                                  to[(r * x->depth + k) * high + h]);
}

static void fragment_c(const Matrix *x, PtxOp op, const Place *w, PtxOperand *value) {
    const int high = x->step.tall ? 2 : 1, per = x->step.half_sum ? 1 : 2;  // registers of a row
    for (int r = 0; r < x->rows; r++)
        for (int j = 0; j < x->columns; j++)
            for (int h = 0; h < high; h++)
                for (int i = 0; i < per; i++)
                    transfer_elements(x, op, w, 8 * (high * r + h), STEP_COLUMNS * j + i, 2 / per,
                                      value[((r * x->columns + j) * high + h) * per + i]);
}

static bool stride_of(Matrix *x, bool by_row, char use, PtxOperand *stride) {
    Parser *p = x->x.p;
    bool found;
    // As long as a row (column) of the matrix is. x->m and x->n are those of the shape as written.
    const int row = use == 'a' ? x->k : x->n, column = use == 'b' ? x->k : x->m;
    *stride = expand_number(&x->x, (uint64_t)(by_row ? row : column));
    if (!lex_accept(p, ',', &found)) return false;
    if (!found) return true;
    if (!parse_operand(p, x->t, stride) || x->t->why) return x->t->why != NULL;
    if (stride->kind == PTX_OPND_IMM) return true;
    if (stride->kind != PTX_OPND_REG || ptx_type_bytes(p->f->regs[stride->index].type) != 4)
        return check_fail(p, x->t, stride, "the stride is a register of 32 bits or a constant");
    return true;
}

static bool kind_of_shape(Matrix *x, const TypeRow *type) {
    x->kind = type->kind;
    if (type->kind == PTX_MATRIX_F64) return true;
    // The shape, not the type of C and D, determines the types of A and B; f16 and bf16 have the
    // same layout.
    if (!strcmp(type->word, "f32")) x->kind = x->k == 8 ? PTX_MATRIX_TF32 : PTX_MATRIX_F16;
    if (!strcmp(type->word, "s32"))
        x->kind = x->k == 32 ? PTX_MATRIX_I4 : x->k == 128 ? PTX_MATRIX_XOR : PTX_MATRIX_I8;
    return true;
}

// wmma.load.a/b/c r, [p], stride; wmma.store.d [p], r, stride
static bool parse_fragment(Matrix *x, char use, bool store) {
    const TypeRow *type[4];
    PtxOperand memory, regs, value[MAX_WORDS], stride;
    Parser *p = x->x.p;
    int n;
    const bool by_row = has_modifier(x->mods, "row"), sums = use == 'c' || use == 'd';
    if (types_of(x->mods, type) != 1) return fail_matrix(x, "expected one type");
    if (by_row == has_modifier(x->mods, "col")) return fail_matrix(x, "expected .row or .col");
    if (!shape_of(x) || !kind_of_shape(x, type[0])) return false;
    x->step.half_sum = sums && type[0]->kind == PTX_MATRIX_F16;
    if (!parse_operand(p, x->t, store ? &memory : &regs) ||
        !lex_expect(p, ',', "between the operands") ||
        !parse_operand(p, x->t, store ? &regs : &memory) || !stride_of(x, by_row, use, &stride))
        return false;
    if (x->t->why || !plan_steps(x)) return x->t->why != NULL;
    if (x->t->why) return true;
    if (memory.kind != PTX_OPND_MEM)
        return check_fail(p, x->t, &memory, "expected an address in brackets");
    if (memory.base == PTX_BASE_REG && !has_modifier(x->mods, "shared") &&
        ptx_type_bytes(p->f->regs[memory.index].type) * 8 < p->m->address_bits)
        return check_fail(p, x->t, &memory, "%s is a .%s register; the address needs %d bits",
                          p->f->regs[memory.index].name,
                          ptx_type_name(p->f->regs[memory.index].type), p->m->address_bits);
    const bool is_a = (use == 'a') != x->turned;
    const int words = sums ? words_c(x) : is_a ? words_a(x) : words_b(x);
    const bool room = !sums && x->kind == PTX_MATRIX_F16;
    if (words > MAX_WORDS) return fail_matrix(x, "a fragment has at most 16 registers");
    if (!check_registers(x, &regs, words, room ? 8 : words, value, &n)) return false;
    // Rows of the fragment: of A, columns of B, rows of C; of the transpose where it is turned.
    Place w = {.memory = memory, .bits = type[0]->bits};
    w.rows_apart = (use == 'b' ? !by_row : by_row) != (sums && x->turned);
    if (w.bits < 8 && !w.rows_apart)
        return fail_matrix(x, "elements of less than a byte have A by rows and B by columns");
    place_fragment(x, &w, stride, sums ? 2 : w.bits >= 32 ? 1 : 32 / w.bits);
    if (sums) fragment_c(x, store ? PTX_ST : PTX_LD, &w, value);
    else fragment_ab(x, &w, is_a, value);
    for (int i = words; i < n; i++) emit_move(&x->x, value[i], value[i % words]);
    return true;
}

static bool parse_wmma(Matrix *x) {
    if (has_modifier(x->mods, "mma")) return parse_product(x, true);
    const bool store = has_modifier(x->mods, "store");
    for (int i = 0; i < x->mods->n; i++) {
        const Token *tok = &x->mods->tok[i];
        if (tok->len == 1 && strchr(store ? "d" : "abc", tok->text[0]))
            return parse_fragment(x, tok->text[0], store);
    }
    return fail_matrix(x, "expected wmma.load.a, .b or .c, wmma.store.d or wmma.mma");
}

// ---- 8 x 8 matrices of halves: ldmatrix, stmatrix, movmatrix ----

static PtxOperand from_lane(const Expansion *e, PtxOperand value, PtxOperand source) {
    PtxOperand r = expand_temporary(e, PTX_B32);
    PtxInst *in = PUT(e, PTX_SHFL, PTX_B32, r, value, source, expand_number(e, ALL_LANES),
                      expand_number(e, UINT32_MAX));
    in->shfl = PTX_SHFL_IDX;
    in->sync = true;
    return r;
}

// Lanes 8i .. 8i + 7 supply the row addresses of matrix i. Each thread has two neighbors of row
// lane / 4.
static bool parse_rows(Matrix *x, bool store) {
    Parser *p = x->x.p;
    const Expansion *e = &x->x;
    PtxOperand memory, regs, value[4];
    const bool turned = has_modifier(x->mods, "trans");
    const int n = has_modifier(x->mods, "x4") ? 4
        : has_modifier(x->mods, "x2")         ? 2
        : has_modifier(x->mods, "x1")         ? 1
                                              : 0;
    if (!n || !has_modifier(x->mods, "m8n8") || !has_modifier(x->mods, "b16")) {
        x->t->why = "tensor: matrices other than 8 x 8 of 16 bits";
        return true;
    }
    if (!parse_operand(p, x->t, store ? &memory : &regs) ||
        !lex_expect(p, ',', "between the operands") ||
        !parse_operand(p, x->t, store ? &regs : &memory))
        return false;
    if (x->t->why) return true;
    if (memory.kind != PTX_OPND_MEM)
        return check_fail(p, x->t, &memory, "expected an address in brackets");
    if (!check_registers(x, &regs, n, n, value, NULL)) return false;
    // Shared memory: 32 bits of the address say where.
    PtxOperand mine = compute_address(e, memory, expand_number(e, 0)),
               start = expand_temporary(e, PTX_U32), id = read_lane(e);
    mine.kind = PTX_OPND_REG;
    if (ptx_type_bytes(p->f->regs[mine.index].type) == 4)
        PUT(e, PTX_MOV, PTX_U32, start, expand_reg(e, mine.index));
    else PUT(e, PTX_CVT, PTX_U32, start, expand_reg(e, mine.index))->type2 = PTX_U64;
    PtxOperand g = compute_u32(e, PTX_SHR, id, expand_number(e, 2)),
               t = compute_u32(e, PTX_AND, id, expand_number(e, 3));
    PtxOperand along = compute_u32(e, PTX_SHL, turned ? g : t, expand_number(e, turned ? 1 : 2)),
               row = turned ? compute_u32(e, PTX_SHL, t, expand_number(e, 1)) : g, found[4];
    for (int i = 0; i < n; i++) {
        PtxOperand half[2] = {expand_temporary(e, PTX_B16), expand_temporary(e, PTX_B16)};
        found[i] = store ? value[i] : expand_temporary(e, PTX_B32);
        if (turned && store) PUT(e, PTX_MOV, PTX_B32, expand_vector(e, half, 2), value[i]);
        for (int k = 0; k < (turned ? 2 : 1); k++) {
            PtxOperand whose =
                compute_u32(e, PTX_ADD, row, expand_number(e, (uint64_t)(8 * i + k)));
            PtxOperand to = compute_u32(e, PTX_ADD, from_lane(e, start, whose), along);
            PtxOperand where = expand_locate(
                e, (PtxOperand){.kind = PTX_OPND_MEM, .base = PTX_BASE_REG, .index = to.index});
            where.offset = memory.offset;
            emit_access(x, store ? PTX_ST : PTX_LD, turned ? PTX_B16 : PTX_B32, where,
                        turned ? half[k] : found[i]);
        }
        if (turned && !store) PUT(e, PTX_MOV, PTX_B32, found[i], expand_vector(e, half, 2));
    }
    // one of the registers may hold the address
    for (int i = 0; i < n && !store; i++) emit_move(e, value[i], found[i]);
    return true;
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
static bool parse_transpose(Matrix *x) {
    Parser *p = x->x.p;
    const Expansion *e = &x->x;
    PtxOperand o[2], d, a, half[2], both[2];
    if (!parse_operand(p, x->t, &o[0]) || !lex_expect(p, ',', "between the operands") ||
        !parse_operand(p, x->t, &o[1]))
        return false;
    if (x->t->why) return true;
    if (!check_registers(x, &o[0], 1, 1, &d, NULL) || !check_registers(x, &o[1], 1, 1, &a, NULL))
        return false;
    PtxOperand id = read_lane(e), g = compute_u32(e, PTX_SHR, id, expand_number(e, 2)),
               t = compute_u32(e, PTX_AND, id, expand_number(e, 3));
    PtxOperand column = compute_u32(e, PTX_SHR, g, expand_number(e, 1)),
               odd = compute_u32(e, PTX_AND, g, expand_number(e, 1));
    PtxOperand amount = compute_u32(e, PTX_SHL, odd, expand_number(e, 4)),
               row = compute_u32(e, PTX_SHL, t, expand_number(e, 3));
    for (int k = 0; k < 2; k++) {
        PtxOperand whose = compute_u32(e, PTX_ADD, compute_u32(e, PTX_ADD, row, column),
                                       expand_number(e, (uint64_t)(4 * k)));
        PtxOperand word = compute_u32(e, PTX_SHR, from_lane(e, a, whose), amount);
        half[k] = expand_temporary(e, PTX_B16);
        PUT(e, PTX_CVT, PTX_U16, half[k], word)->type2 = PTX_U32;
        both[k] = half[k];
    }
    PUT(e, PTX_MOV, PTX_B32, d, expand_vector(e, both, 2));
    return true;
}

// ---- entry ----

bool matrix_is(const InstText *t) {
    static const char *const names[] = {"mma", "wmma", "ldmatrix", "stmatrix", "movmatrix"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lex_is_word(&t->at, TOKEN_NAME, names[i])) return true;
    return false;
}

static bool known_mod(const Token *tok) {
    static const char *const words[] = {
        "sync", "aligned", "row",  "col",    "load",   "store",       "mma",  "a",   "b",
        "c",    "d",       "x1",   "x2",     "x4",     "trans",       "m8n8", "b16", "satfinite",
        "xor",  "and",     "popc", "global", "shared", "shared::cta", "rn"};
    char text[16], rest;
    int m, n, k;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (lex_is_word(tok, TOKEN_DOT, words[i])) return true;
    snprintf(text, sizeof text, "%.*s", tok->len, tok->text);
    return type_row(tok) || sscanf(text, "m%dn%dk%d%c", &m, &n, &k, &rest) == 3;
}

bool matrix_parse(Parser *p, PtxInst *in, InstText *t, const Mods *mods) {
    Matrix x = {.x = {p, in}, .t = t, .mods = mods};
    for (int i = 0; i < mods->n; i++)
        if (!known_mod(&mods->tok[i])) t->why = "tensor";
    if (t->why) return true;
    if (!has_modifier(mods, "sync") || !has_modifier(mods, "aligned"))
        return fail_matrix(&x, "expected .sync.aligned");
    if (has_modifier(mods, "shared") || has_modifier(mods, "shared::cta")) in->space = PTX_SHARED;
    if (has_modifier(mods, "global")) in->space = PTX_GLOBAL;
    if (lex_is_word(&t->at, TOKEN_NAME, "mma")) return parse_product(&x, false);
    if (lex_is_word(&t->at, TOKEN_NAME, "wmma")) return parse_wmma(&x);
    x.kind = PTX_MATRIX_F16;
    if (lex_is_word(&t->at, TOKEN_NAME, "movmatrix")) return parse_transpose(&x);
    return parse_rows(&x, lex_is_word(&t->at, TOKEN_NAME, "stmatrix"));
}
