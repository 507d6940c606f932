// SPDX-License-Identifier: Apache-2.0
// setp, set, selp, slct.
#include "cases.h"

static const char *const cmps[] = {"",    "eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                   "lo",  "ls",  "hi",  "hs",  "equ", "neu", "ltu",
                                   "leu", "gtu", "geu", "num", "nan"};
static const char *const bools[] = {"", ".and", ".or", ".xor"};

static bool combine(PtxBool b, bool r, bool p) {
    return b == PTX_BOOL_AND ? r && p : b == PTX_BOOL_OR ? r || p : b == PTX_BOOL_XOR ? r != p : r;
}

// The predicate operand is "c is odd", negated when c->flag.
static void ref_setp(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    PtxType t = c->t;
    if (c->cmp >= PTX_LO && c->cmp <= PTX_HS)
        t = ptx_type_bytes(t) == 8 ? PTX_U64 : ptx_type_bytes(t) == 4 ? PTX_U32 : PTX_U16;
    bool r = ref_compare(t, c->cmp, c->ftz, in[i][0], in[i][1]), p = (in[i][2] & 1) != c->flag;
    out[0] = combine(c->boolop, r, p);
    out[1] = combine(c->boolop, !r, p);
}

static bool exists(PtxType t, PtxCmp cmp) {
    if (ptx_type_is_float(t)) return cmp < PTX_LO || cmp > PTX_HS;
    if (t == PTX_B16 || t == PTX_B32 || t == PTX_B64) return cmp <= PTX_NE;
    if (ptx_type_is_signed(t)) return cmp <= PTX_GE;
    return cmp <= PTX_HS;
}

static void setp(CaseList *l, PtxType t, PtxCmp cmp, bool ftz) {
    const char *n = ptx_type_name(t), *z = ftz ? ".ftz" : "";
    Case c = {.t = t,
              .cmp = cmp,
              .ftz = ftz,
              .in = {t, t, PTX_U32},
              .out = {PTX_U32, PTX_U32},
              .ref = ref_setp};
    if (cmp == PTX_EQ || cmp == PTX_NE) c.draw[0] = c.draw[1] = DRAW_FEW;
    c.body =
        case_text(l,
                  ".reg .pred %%p, %%o; setp.%s%s.%s %%p|%%o, %%a, %%b; selp.u32 %%d, 1, 0, %%p;"
                  "selp.u32 %%q, 1, 0, %%o;",
                  cmps[cmp], z, n);
    case_add(l, &c, "setp.%s%s.%s", cmps[cmp], z, n);
    PtxBool b = (PtxBool)(1 + (int)cmp % 3);  // each comparison with one of the combinations
    c.boolop = b;
    c.flag = cmp & 1;
    c.no_immediate = true;
    c.body = case_text(
        l,
        ".reg .pred %%p, %%o, %%i; .reg .b32 %%t; and.b32 %%t, %%c, 1; setp.ne.u32 %%i, %%t, 0;"
        "setp.%s%s%s.%s %%p|%%o, %%a, %%b, %s%%i; selp.u32 %%d, 1, 0, %%p; selp.u32 %%q, 1, 0, "
        "%%o;",
        cmps[cmp], bools[b], z, n, c.flag ? "!" : "");
    case_add(l, &c, "setp.%s%s%s.%s", cmps[cmp], bools[b], z, n);
}

static void ref_set(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint64_t both[4];
    Case s = *c;
    s.t = c->t2;
    ref_setp(&s, in, i, both);
    out[0] = !both[0] ? 0 : c->t == PTX_F32 ? 0x3f800000 : 0xffffffff;
}

static void set(CaseList *l, PtxType d, PtxType t, PtxCmp cmp) {
    Case c = {.t = d, .t2 = t, .cmp = cmp, .in = {t, t, PTX_U32}, .out = {d}, .ref = ref_set};
    c.body =
        case_text(l, "set.%s.%s.%s %%d, %%a, %%b;", cmps[cmp], ptx_type_name(d), ptx_type_name(t));
    case_add(l, &c, "set.%s.%s.%s", cmps[cmp], ptx_type_name(d), ptx_type_name(t));
    c.boolop = (PtxBool)(1 + ((int)cmp + (int)d) % 3);
    c.no_immediate = true;
    c.body =
        case_text(l,
                  ".reg .pred %%i; .reg .b32 %%t; and.b32 %%t, %%c, 1; setp.ne.u32 %%i, %%t, 0;"
                  "set.%s%s.%s.%s %%d, %%a, %%b, %%i;",
                  cmps[cmp], bools[c.boolop], ptx_type_name(d), ptx_type_name(t));
    case_add(l, &c, "set.%s%s.%s.%s", cmps[cmp], bools[c.boolop], ptx_type_name(d),
             ptx_type_name(t));
}

static void ref_select(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint64_t z = in[i][2];
    bool first = z & 1;
    if (c->op == PTX_SLCT) {
        uint64_t zf = c->ftz && !(z & 0x7f800000) ? z & 0x80000000 : z;
        first = c->t2 == PTX_S32 ? (int32_t)z >= 0 : ref_compare(PTX_F32, PTX_GE, false, zf, 0);
    }
    out[0] = first ? in[i][0] : in[i][1];
}

static void selections(CaseList *l) {
    static const PtxType types[] = {PTX_B16, PTX_B32, PTX_B64, PTX_U16, PTX_U32, PTX_U64,
                                    PTX_S16, PTX_S32, PTX_S64, PTX_F32, PTX_F64};
    for (int k = 0; k < 11; k++) {
        PtxType t = types[k];
        Case c = {.op = PTX_SELP, .t = t, .in = {t, t, PTX_U32}, .out = {t}, .ref = ref_select};
        c.body = case_text(l,
                           ".reg .pred %%i; and.b32 %%c, %%c, 1; setp.ne.u32 %%i, %%c, 0; selp.%s "
                           "%%d, %%a, %%b, %%i;",
                           ptx_type_name(t));
        case_add(l, &c, "selp.%s", ptx_type_name(t));
        for (int f = 0; f < 3; f++) {
            Case s = {.op = PTX_SLCT,
                      .t = t,
                      .t2 = f ? PTX_F32 : PTX_S32,
                      .ftz = f == 2,
                      .in = {t, t, f ? PTX_F32 : PTX_S32},
                      .out = {t},
                      .ref = ref_select};
            case_add(l, &s, "slct%s.%s.%s", f == 2 ? ".ftz" : "", ptx_type_name(t),
                     f ? "f32" : "s32");
        }
    }
}

void cases_compare(CaseList *l) {
    static const PtxType types[] = {PTX_B16, PTX_B32, PTX_B64, PTX_U16, PTX_U32, PTX_U64,
                                    PTX_S16, PTX_S32, PTX_S64, PTX_F32, PTX_F64};
    static const PtxType dests[] = {PTX_U32, PTX_S32, PTX_F32};
    for (int k = 0; k < 11; k++)
        for (int c = PTX_EQ; c <= PTX_NAN; c++) {
            if (!exists(types[k], (PtxCmp)c)) continue;
            setp(l, types[k], (PtxCmp)c, false);
            if (types[k] == PTX_F32) setp(l, types[k], (PtxCmp)c, true);
            set(l, dests[(c + k) % 3], types[k], (PtxCmp)c);
        }
    selections(l);
}
