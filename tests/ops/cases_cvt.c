// SPDX-License-Identifier: Apache-2.0
// cvt between all types with every rounding, .ftz, .sat; cvta, isspacep.
#include "cases.h"

#include "launch/memory.h"

static const char *const rounds[] = {"", ".rn",  ".rz",  ".rm",  ".rp",
                                     "", ".rni", ".rzi", ".rmi", ".rpi"};

// Register that holds a value of type t: 8-bit values live in wider ones.
static PtxType carrier(PtxType t) {
    if (ptx_type_bytes(t) == 1) return PTX_B32;
    return t == PTX_F16 || t == PTX_BF16 ? PTX_B16 : t;
}

static void ref_convert(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = ref_cvt(c->t, c->t2, c->rnd, c->ftz, c->sat, in[i][0]);
}

static void convert(CaseList *l, PtxType d, PtxType s, PtxRound r, bool ftz, bool sat) {
    Case c = {.t = d,
              .t2 = s,
              .rnd = r,
              .ftz = ftz,
              .sat = sat,
              .in = {carrier(s)},
              .out = {carrier(d)},
              .ref = ref_convert};
    if (r == PTX_RND_NONE) c.rnd = ptx_type_is_float(d) ? PTX_RN : PTX_RZI;
    // Bits above an 8-bit source are noise that the conversion must ignore: the carrier is loaded
    // whole.
    if (s == PTX_F16 || s == PTX_BF16) c.draw[0] = DRAW_BITS;
    case_add(l, &c, "cvt%s%s%s.%s.%s", rounds[r], ftz ? ".ftz" : "", sat ? ".sat" : "",
             ptx_type_name(d), ptx_type_name(s));
}

static void with_flags(CaseList *l, PtxType d, PtxType s, PtxRound r) {
    bool f32 = d == PTX_F32 || s == PTX_F32;
    for (int sat = 0; sat < 2; sat++)
        for (int ftz = 0; ftz < (f32 ? 2 : 1); ftz++) convert(l, d, s, r, ftz, sat);
}

static void pair(CaseList *l, PtxType d, PtxType s) {
    bool fd = ptx_type_is_float(d), fs = ptx_type_is_float(s);
    if (!fd && !fs) {
        convert(l, d, s, PTX_RND_NONE, false, false);
        convert(l, d, s, PTX_RND_NONE, false, true);
    } else if (!fd || d == s) {                            // to an integer, or to integral
        for (int r = PTX_RNI; r <= PTX_RPI; r++) with_flags(l, d, s, (PtxRound)r);
        if (fd) with_flags(l, d, s, PTX_RND_NONE);
    } else if (fs && ptx_type_bytes(d) > ptx_type_bytes(s)) {
        with_flags(l, d, s, PTX_RND_NONE);                 // exact
    } else if (d == PTX_F16) {
        with_flags(l, d, s, PTX_RN);
        with_flags(l, d, s, PTX_RZ);
        with_flags(l, d, s, PTX_RM);
        with_flags(l, d, s, PTX_RP);
    } else {
        for (int r = PTX_RN; r <= PTX_RP; r++) with_flags(l, d, s, (PtxRound)r);
    }
}

static void ref_cvta(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    static const uint64_t base[] = {[PTX_CONST] = DEVICE_CONST_BASE,
                                    [PTX_GLOBAL] = 0,
                                    [PTX_LOCAL] = DEVICE_LOCAL_BASE,
                                    [PTX_PARAM] = DEVICE_PARAM_BASE,
                                    [PTX_SHARED] = DEVICE_SHARED_BASE};
    out[0] = c->flag ? in[i][0] - base[c->k] : in[i][0] + base[c->k];
}

// Generic address of shared + (a mod 4096), global, and below all windows; in which space is it?
static void ref_isspacep(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint64_t a = in[i][0] & 0xfff;
    out[0] = c->k == PTX_SHARED;
    out[1] = device_space_of(DEVICE_GLOBAL_BASE + a) == (PtxSpace)c->k;
}

static void addresses(CaseList *l) {
    static const PtxSpace spaces[] = {PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_SHARED, PTX_PARAM};
    for (int k = 0; k < 5; k++)
        for (int to = 0; to < 2; to++)
            case_add(l,
                     &(Case){.k = spaces[k],
                             .flag = to,
                             .in = {PTX_U64},
                             .out = {PTX_U64},
                             .ref = ref_cvta,
                             .body = case_text(l, "cvta%s.%s.u64 %%d, %%a;", to ? ".to" : "",
                                               ptx_space_name(spaces[k]))},
                     "cvta%s.%s.u64", to ? ".to" : "", ptx_space_name(spaces[k]));
    for (int k = 0; k < 4; k++)
        case_add(
            l,
            &(Case){.k = spaces[k],
                    .in = {PTX_U64},
                    .out = {PTX_U32, PTX_U32},
                    .ref = ref_isspacep,
                    .body = case_text(
                        l,
                        ".reg .pred %%p, %%o; .reg .b64 %%z, %%y; and.b64 %%z, %%a, 4095;"
                        "cvta.shared.u64 %%y, %%z; isspacep.%s %%p, %%y;"
                        "add.u64 %%z, %%z, %u; isspacep.%s %%o, %%z; selp.u32 %%d, 1, 0, %%p;"
                        "selp.u32 %%q, 1, 0, %%o;",
                        ptx_space_name(spaces[k]), DEVICE_GLOBAL_BASE, ptx_space_name(spaces[k]))},
            "isspacep.%s", ptx_space_name(spaces[k]));
}

void cases_cvt(CaseList *l) {
    static const PtxType types[] = {PTX_U8,  PTX_S8,  PTX_U16, PTX_S16, PTX_U32, PTX_S32,
                                    PTX_U64, PTX_S64, PTX_F16, PTX_BF16, PTX_F32, PTX_F64};
    for (int d = 0; d < 12; d++)
        for (int s = 0; s < 12; s++) pair(l, types[d], types[s]);
    addresses(l);
}
