// SPDX-License-Identifier: Apache-2.0
// Surfaces and cube maps. An access of a surface becomes loads of its record (base/surface.h),
// arithmetic, and a load, store or reduction in global memory. Its x counts bytes. An access
// outside ends the kernel (.trap), is moved to the edge (.clamp), or reads zero and is not written
// (.zero). A fetch from a cube map becomes a fetch from the layer of its face, by the table of the
// CUDA programming guide.
#include "base/surface.h"
#include "ptx/expand.h"

enum { GEOMETRY_3D = 2, GEOMETRY_A1D = 3, GEOMETRY_A2D = 4 };
typedef enum Outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO } Outside;

typedef struct Surface {
    Expansion x;
    InstText *t;
    PtxOp op;  // LD, ST or RED
    PtxType type;
    int geometry, vec;
    PtxAtom atom;
    Outside outside;
    PtxOperand object, coord[4], value;
    PtxOperand at[3];  // x, y, z
    int directions;
} Surface;

// ---- text ----

typedef struct Word {
    const char *text;
    int value;
} Word;

static int find_mod(const Word *words, const Mods *mods, int *seen) {
    for (int i = 0; i < mods->n; i++)
        for (const Word *w = words; w->text; w++)
            if (lex_is_word(&mods->tok[i], TOKEN_DOT, w->text)) {
                *seen += 1;
                return w->value;
            }
    return -1;
}

static const Word geometries[] = {{"1d", 0}, {"2d", 1}, {"3d", 2}, {"a1d", 3}, {"a2d", 4}, {0}};
static const Word outsides[] = {
    {"trap", OUTSIDE_TRAP}, {"clamp", OUTSIDE_CLAMP}, {"zero", OUTSIDE_ZERO}, {0}};
static const Word types[] = {{"b8", PTX_B8},   {"b16", PTX_B16}, {"b32", PTX_B32},
                             {"b64", PTX_B64}, {"u32", PTX_U32}, {"s32", PTX_S32},
                             {"u64", PTX_U64}, {"s64", PTX_S64}, {0}};
static const Word vectors[] = {{"v2", 2}, {"v4", 4}, {0}};
static const Word atoms[] = {{"add", PTX_ATOM_ADD}, {"min", PTX_ATOM_MIN}, {"max", PTX_ATOM_MAX},
                             {"and", PTX_ATOM_AND}, {"or", PTX_ATOM_OR},   {0}};
static const Word bytes_only[] = {{"b", 1}, {0}};
static const Word caches[] = {{"ca", 0}, {"cg", 0}, {"cs", 0}, {"cv", 0},
                              {"wb", 0}, {"wt", 0}, {0}};

bool surface_is(const InstText *t) {
    return lex_is_word(&t->at, TOKEN_NAME, "suld") || lex_is_word(&t->at, TOKEN_NAME, "sust") ||
        lex_is_word(&t->at, TOKEN_NAME, "sured");
}

static bool parse_modifiers(Surface *s, const Mods *mods) {
    int seen = 0;
    const bool red = s->op == PTX_RED;
    if (find_mod(bytes_only, mods, &seen) < 0) {  // .p: formatted
        s->t->why = "surface";
        return true;
    }
    s->geometry = find_mod(geometries, mods, &seen);
    const int outside = find_mod(outsides, mods, &seen), type = find_mod(types, mods, &seen),
              vec = find_mod(vectors, mods, &seen);
    const int atom = red ? find_mod(atoms, mods, &seen) : PTX_ATOM_NONE;
    find_mod(caches, mods, &seen);
    if (s->geometry < 0 || seen != mods->n) {
        s->t->why = "surface";
        return true;
    }
    if (outside < 0) return check_fail(s->x.p, s->t, NULL, "expected .trap, .clamp or .zero");
    if (type < 0 || (red ? type < PTX_B32 : type > PTX_B64) || atom < 0 || (red && vec > 0))
        return check_fail(s->x.p, s->t, NULL, "expected %s",
                          red ? "an operation and a type of 32 or 64 bits" : "a type .b8 to .b64");
    s->outside = (Outside)outside;
    s->type = type == PTX_B32 && red ? PTX_U32 : (PtxType)type;
    s->vec = vec > 0 ? vec : 1;
    s->atom = (PtxAtom)atom;
    return true;
}

static bool word_register(Surface *s, const PtxOperand *o, int bytes) {
    const PtxFunc *f = s->x.p->f;
    if (o->kind == PTX_OPND_IMM ||
        (o->kind == PTX_OPND_REG && f->regs[o->index].type != PTX_PRED &&
         ptx_type_bytes(f->regs[o->index].type) == bytes))
        return true;
    return check_fail(s->x.p, s->t, o, "expected a register of %d bits or a constant", 8 * bytes);
}

// [object, {x, y}]: layered ones have the layer first. Padding of a vector of four is ignored.
static bool parse_place(Surface *s) {
    Parser *p = s->x.p;
    PtxOperand c;
    const bool layered = s->geometry >= GEOMETRY_A1D;
    s->directions = s->geometry == 0 || s->geometry == GEOMETRY_A1D ? 1
        : s->geometry == GEOMETRY_3D                                ? 3
                                                                    : 2;
    const int wanted = s->directions + layered, written = wanted == 3 ? 4 : wanted;
    if (!lex_expect(p, '[', "before the surface") || !parse_operand(p, s->t, &s->object) ||
        !lex_expect(p, ',', "after the surface") || !parse_operand(p, s->t, &c))
        return false;
    if (s->t->why) return true;
    if (!lex_expect(p, ']', "after the coordinates") || !word_register(s, &s->object, 8))
        return false;
    const int n = c.kind == PTX_OPND_VEC ? c.nelements : 1;
    if (n != written)
        return check_fail(p, s->t, &c, "expected %d coordinates, found %d", written, n);
    for (int i = 0; i < wanted; i++) {
        s->coord[i] = c.kind == PTX_OPND_VEC ? c.elements[i] : c;
        if (!word_register(s, &s->coord[i], 4)) return false;
        if (s->coord[i].kind == PTX_OPND_REG &&
            ptx_type_is_float(p->f->regs[s->coord[i].index].type))
            return check_fail(p, s->t, &s->coord[i], "a coordinate is an integer");
    }
    const PtxOperand nothing = expand_number(&s->x, 0);
    for (int d = 0; d < 3; d++) s->at[d] = d < s->directions ? s->coord[d + layered] : nothing;
    if (layered) s->at[2] = s->coord[0];
    return true;
}

static bool parse_data(Surface *s) {
    const int bytes = ptx_type_bytes(s->type);
    if (!parse_operand(s->x.p, s->t, &s->value)) return false;
    if (s->t->why) return true;
    const int n = s->value.kind == PTX_OPND_VEC ? s->value.nelements : 1;
    if (n != s->vec)
        return check_fail(s->x.p, s->t, &s->value, "expected %d elements, found %d", s->vec, n);
    for (int i = 0; i < n; i++) {
        const PtxOperand *e = s->value.kind == PTX_OPND_VEC ? &s->value.elements[i] : &s->value;
        if (e->kind == PTX_OPND_IMM && s->op == PTX_LD)
            return check_fail(s->x.p, s->t, e, "a constant is no destination");
        if (!word_register(s, e, bytes == 1 ? 2 : bytes)) return false;
    }
    if (s->value.kind == PTX_OPND_VEC && n == 1) s->value = s->value.elements[0];
    return true;
}

// ---- what becomes of it ----

static PtxOperand load_field(const Surface *s, int at_byte, PtxType type) {
    PtxOperand r = expand_temporary(&s->x, type);
    PtxOperand m = expand_locate(&s->x,
                                 (PtxOperand){.kind = PTX_OPND_MEM,
                                              .base = PTX_BASE_REG,
                                              .index = s->object.index,
                                              .offset = at_byte});
    PUT(&s->x, PTX_LD, type, r, m)->space = PTX_GLOBAL;
    return r;
}

static PtxOperand emit_arithmetic(const Expansion *e, PtxOp op, PtxType type, PtxOperand a,
                                  PtxOperand b) {
    PtxOperand r = expand_temporary(e, type);
    PUT(e, op, type, r, a, b);
    return r;
}

static PtxOperand emit_mad(const Expansion *e, PtxOperand a, PtxOperand by, PtxOperand plus) {
    PtxOperand r = expand_temporary(e, PTX_U32);
    PUT(e, PTX_MAD, PTX_U32, r, a, by, plus)->part = PTX_PART_LO;
    return r;
}

// p = p or a cmp b; the first has no p yet.
static void wrong_if(const Expansion *e, PtxOperand *p, PtxCmp cmp, PtxOperand a, PtxOperand b) {
    PtxOperand now = expand_temporary(e, PTX_PRED);
    PtxInst *in = p->kind == PTX_OPND_NONE ? PUT(e, PTX_SETP, PTX_U32, now, a, b)
                                           : PUT(e, PTX_SETP, PTX_U32, now, a, b, *p);
    in->cmp = cmp;
    if (p->kind != PTX_OPND_NONE) in->boolop = PTX_BOOL_OR;
    *p = now;
}

// A predicate that is false where the instruction does not execute.
static PtxOperand where_executed(const Expansion *e, PtxOperand p) {
    if (e->in->guard < 0) return p;
    PtxOperand r = expand_temporary(e, PTX_PRED);
    PUT(e, PTX_MOV, PTX_PRED, r, expand_number(e, 0))->guard = -1;
    PUT(e, PTX_MOV, PTX_PRED, r, p);
    return r;
}

static void trap_if(const Expansion *e, PtxOperand p) {
    PtxOperand all = where_executed(e, p);
    PtxInst *in = expand_emit(e, PTX_TRAP, PTX_NOTYPE, 0, &p);
    in->guard = all.index;
    in->guard_negated = false;
}

static PtxOperand emit_clamp(const Expansion *e, PtxOperand a, PtxOperand most) {
    PtxOperand low = emit_arithmetic(e, PTX_MAX, PTX_S32, a, expand_number(e, 0));
    return emit_arithmetic(e, PTX_MIN, PTX_S32, low, most);
}

// Compares the coordinates with the bounds, clamps those that the mode clamps and traps where it
// traps. `wrong`: the object is no surface of this kind. `beyond` becomes the condition that a
// coordinate is outside (OUTSIDE_ZERO).
static void check_bounds(Surface *s, bool layered, const bool used[3], PtxOperand wrong,
                         PtxOperand *beyond) {
    const Expansion *e = &s->x;
    const uint64_t size = (uint64_t)(ptx_type_bytes(s->type) * s->vec);
    PtxOperand last[3];  // the greatest coordinate in each direction
    last[0] = emit_arithmetic(e, PTX_SUB, PTX_U32, load_field(s, SURFACE_AT_ROW_BYTES, PTX_U32),
                              expand_number(e, size));
    last[1] = emit_arithmetic(e, PTX_SUB, PTX_U32, load_field(s, SURFACE_AT_HEIGHT, PTX_U32),
                              expand_number(e, 1));
    last[2] = emit_arithmetic(e, PTX_SUB, PTX_U32, load_field(s, SURFACE_AT_DEPTH, PTX_U32),
                              expand_number(e, 1));
    PtxOperand *outside = s->outside == OUTSIDE_TRAP ? &wrong : beyond;
    if (s->outside != OUTSIDE_TRAP) trap_if(e, wrong);
    for (int d = 0; d < 3; d++) {
        if (!used[d]) continue;
        if (s->outside == OUTSIDE_CLAMP && d == 2 && layered)  // a layer's number is unsigned
            s->at[d] = emit_arithmetic(e, PTX_MIN, PTX_U32, s->at[d], last[d]);
        else if (s->outside == OUTSIDE_CLAMP) s->at[d] = emit_clamp(e, s->at[d], last[d]);
        else wrong_if(e, outside, PTX_GT, s->at[d], last[d]);
    }
    if (s->outside == OUTSIDE_TRAP) trap_if(e, wrong);
}

static void access_surface(Surface *s) {
    const Expansion *e = &s->x;
    const bool layered = s->geometry >= GEOMETRY_A1D;
    if (s->object.kind == PTX_OPND_IMM) {
        PtxOperand r = expand_temporary(e, PTX_U64);
        PUT(e, PTX_MOV, PTX_U64, r, s->object);
        s->object = r;
    }
    PtxOperand wrong = {.kind = PTX_OPND_NONE}, none = wrong;
    wrong_if(e, &wrong, PTX_NE, load_field(s, SURFACE_AT_MAGIC, PTX_U32),
             expand_number(e, SURFACE_MAGIC));
    wrong_if(e, &wrong, PTX_NE,
             emit_arithmetic(e, PTX_SHR, PTX_U32, load_field(s, SURFACE_AT_FORMAT, PTX_U32),
                             expand_number(e, 24)),
             expand_number(e, (uint64_t)s->geometry));
    const bool used[3] = {true, s->directions > 1, s->directions > 2 || layered};
    PtxOperand beyond = none;
    check_bounds(s, layered, used, wrong, &beyond);
    PtxOperand offset = s->at[0], where = expand_temporary(e, PTX_U64),
               wide = expand_temporary(e, PTX_U64);
    if (used[1]) offset = emit_mad(e, s->at[1], load_field(s, SURFACE_AT_PITCH, PTX_U32), offset);
    if (used[2]) offset = emit_mad(e, s->at[2], load_field(s, SURFACE_AT_SLICE, PTX_U32), offset);
    PUT(e, PTX_CVT, PTX_U64, wide, offset)->type2 = PTX_U32;
    PUT(e, PTX_ADD, PTX_U64, where, wide, load_field(s, SURFACE_AT_ADDR, PTX_U64));
    PtxOperand memory = expand_locate(
        e, (PtxOperand){.kind = PTX_OPND_MEM, .base = PTX_BASE_REG, .index = where.index});
    PtxInst *in;
    PtxOperand inside = none;
    if (s->outside == OUTSIDE_ZERO) {
        PtxOperand p = expand_temporary(e, PTX_PRED);
        PUT(e, PTX_NOT, PTX_PRED, p, beyond);
        inside = where_executed(e, p);
    }
    for (int i = 0; i < s->vec && s->outside == OUTSIDE_ZERO && s->op == PTX_LD; i++) {
        PtxOperand v = s->value.kind == PTX_OPND_VEC ? s->value.elements[i] : s->value;
        const int bytes = ptx_type_bytes(e->p->f->regs[v.index].type);
        PUT(e, PTX_MOV,
            bytes == 2       ? PTX_B16
                : bytes == 4 ? PTX_B32
                             : PTX_B64,
            v, expand_number(e, 0));
    }
    if (s->op == PTX_LD) in = PUT(e, PTX_LD, s->type, s->value, memory);
    else in = PUT(e, s->op, s->type, memory, s->value);
    in->space = PTX_GLOBAL;
    in->vec = s->vec;
    in->atom = s->atom;
    if (s->op == PTX_RED) in->sem = PTX_SEM_RELAXED, in->scope = PTX_SCOPE_GPU;
    if (s->outside == OUTSIDE_ZERO) {
        in->guard = inside.index;
        in->guard_negated = false;
    }
}

bool surface_parse(Parser *p, PtxInst *in, InstText *t, const Mods *mods) {
    Surface s = {.x = {p, in}, .t = t};
    s.op = lex_is_word(&t->at, TOKEN_NAME, "suld") ? PTX_LD
        : lex_is_word(&t->at, TOKEN_NAME, "sust")  ? PTX_ST
                                                   : PTX_RED;
    if (!parse_modifiers(&s, mods)) return false;
    if (t->why) return true;
    if (s.op == PTX_LD &&
        (!parse_data(&s) || (!t->why && !lex_expect(p, ',', "after the destination"))))
        return false;
    if (t->why) return true;
    if (!parse_place(&s)) return false;
    if (t->why) return true;
    if (s.op != PTX_LD && (!lex_expect(p, ',', "after the surface") || !parse_data(&s)))
        return false;
    if (t->why) return true;
    access_surface(&s);
    return true;
}

// ---- cube maps ----

static PtxOperand emit_select(const Expansion *e, PtxType type, PtxOperand a, PtxOperand b,
                              PtxOperand p) {
    PtxOperand r = expand_temporary(e, type);
    PUT(e, PTX_SELP, type, r, a, b, p);
    return r;
}
static PtxOperand one_of(const Expansion *e, PtxOp op, PtxOperand a) {
    PtxOperand r = expand_temporary(e, PTX_F32);
    PUT(e, op, PTX_F32, r, a);
    return r;
}
static PtxOperand test_negative(const Expansion *e, PtxOperand a) {
    PtxOperand p = expand_temporary(e, PTX_PRED);
    PUT(e, PTX_SETP, PTX_F32, p, a, expand_number(e, 0))->cmp = PTX_LT;
    return p;
}
static PtxOperand at_least(const Expansion *e, PtxOperand a, PtxOperand b) {
    PtxOperand p = expand_temporary(e, PTX_PRED);
    PUT(e, PTX_SETP, PTX_F32, p, a, b)->cmp = PTX_GE;
    return p;
}

// (s / m + 1) / 2
static PtxOperand on_face(const Expansion *e, PtxOperand s, PtxOperand m) {
    enum { HALF = 0x3f000000 };
    PtxOperand q = expand_temporary(e, PTX_F32), r = expand_temporary(e, PTX_F32);
    PUT(e, PTX_DIV, PTX_F32, q, s, m)->rnd = PTX_RN;
    PUT(e, PTX_FMA, PTX_F32, r, q, expand_number(e, HALF), expand_number(e, HALF))->rnd = PTX_RN;
    return r;
}

// coord: x, y, z, with the layer of an array of cubes in front.
void texture_cube(Parser *p, const PtxInst *in, bool array) {
    const Expansion ex = {p, in}, *e = &ex;
    const PtxOperand *c = in->opnd[2].elements + array, x = c[0], y = c[1], z = c[2];
    PtxOperand ax = one_of(e, PTX_ABS, x), ay = one_of(e, PTX_ABS, y), az = one_of(e, PTX_ABS, z);
    PtxOperand nx = one_of(e, PTX_NEG, x), ny = one_of(e, PTX_NEG, y), nz = one_of(e, PTX_NEG, z);
    PtxOperand x_neg = test_negative(e, x), y_neg = test_negative(e, y),
               z_neg = test_negative(e, z);
    PtxOperand y_wins = at_least(e, ay, az), x_wins = expand_temporary(e, PTX_PRED);
    PtxOperand yz = emit_select(e, PTX_F32, ay, az, y_wins);
    PUT(e, PTX_SETP, PTX_F32, x_wins, ax, yz)->cmp = PTX_GE;
    // of y and z
    PtxOperand s = emit_select(e, PTX_F32, nx, x, z_neg), t = ny;
    PtxOperand face = emit_select(e, PTX_U32, expand_number(e, 5), expand_number(e, 4), z_neg);
    PtxOperand face_y = emit_select(e, PTX_U32, expand_number(e, 3), expand_number(e, 2), y_neg),
               m = emit_select(e, PTX_F32, ax, yz, x_wins);
    PtxOperand face_x = emit_select(e, PTX_U32, expand_number(e, 1), expand_number(e, 0), x_neg);
    s = emit_select(e, PTX_F32, x, s, y_wins);
    t = emit_select(e, PTX_F32, emit_select(e, PTX_F32, nz, z, y_neg), t, y_wins);
    face = emit_select(e, PTX_U32, face_y, face, y_wins);
    // of all three
    s = emit_select(e, PTX_F32, emit_select(e, PTX_F32, z, nz, x_neg), s, x_wins);
    t = emit_select(e, PTX_F32, ny, t, x_wins);
    face = emit_select(e, PTX_U32, face_x, face, x_wins);
    if (array) {
        PtxOperand layer = expand_temporary(e, PTX_U32);
        PUT(e, PTX_MAD, PTX_U32, layer, in->opnd[2].elements[0], expand_number(e, 6), face)->part =
            PTX_PART_LO;
        face = layer;
    }
    PtxOperand v = on_face(e, t, m), at_layer[4] = {face, on_face(e, s, m), v, v};
    PtxInst *fetch =
        PUT(e, PTX_TEX, in->type, in->opnd[0], in->opnd[1], expand_vector(e, at_layer, 4));
    fetch->type2 = in->type2;
    fetch->vec = in->vec;
    fetch->geometry = GEOMETRY_A2D;
}
