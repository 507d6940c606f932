// SPDX-License-Identifier: Apache-2.0
// cvt between all types with every rounding, .ftz, .sat; cvta, isspacep.
#include "cases.h"

#include "launch/device_memory.h"

#include <string.h>

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

// .sat does not go with bf16, nor with integers that cannot be out of range.
static bool takes_sat(PtxType d, PtxType s) {
    const bool ints = !ptx_type_is_float(d) && !ptx_type_is_float(s);
    const int less = ptx_type_bytes(s) - ptx_type_bytes(d);
    if (d == PTX_BF16 || s == PTX_BF16) return false;
    if (!ints) return true;
    if (ptx_type_is_signed(d) == ptx_type_is_signed(s)) return less > 0;
    return ptx_type_is_signed(s) || less >= 0;
}

static void convert(CaseList *l, PtxType d, PtxType s, PtxRound r, bool ftz, bool sat) {
    const bool bf = d == PTX_BF16 || s == PTX_BF16;
    if ((sat && !takes_sat(d, s)) || (bf && (ptx_type_bytes(d) == 1 || ptx_type_bytes(s) == 1))) {
        l->left_out++;
        return;
    }
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
    } else if (!fd || d == s) {  // to an integer, or to integral
        for (int r = PTX_RNI; r <= PTX_RPI; r++) with_flags(l, d, s, (PtxRound)r);
        if (fd) with_flags(l, d, s, PTX_RND_NONE);
    } else if (fs && ptx_type_bytes(d) > ptx_type_bytes(s)) {
        with_flags(l, d, s, PTX_RND_NONE);  // exact
    } else if (d == PTX_F16) {
        with_flags(l, d, s, PTX_RN);
        with_flags(l, d, s, PTX_RZ);
        with_flags(l, d, s, PTX_RM);
        with_flags(l, d, s, PTX_RP);
    } else {
        for (int r = PTX_RN; r <= PTX_RP; r++) with_flags(l, d, s, (PtxRound)r);
    }
}

// ---- small numbers ----

// Elements of a pair; two operands: the first is the upper element.
static void ref_small(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const bool bytes = c->t == PTX_E4M3X2 || c->t == PTX_E5M2X2,
               from_bytes = c->t2 == PTX_E4M3X2 || c->t2 == PTX_E5M2X2;
    const PtxType d = c->t == PTX_F16X2 ? PTX_F16 : c->t == PTX_BF16X2 ? PTX_BF16 : c->t;
    const PtxType s = c->t2 == PTX_F16X2 ? PTX_F16 : c->t2;
    const bool pair = c->t != d || bytes;
    const uint64_t a = in[i][0], high = c->nin == 2 ? a : a >> (from_bytes ? 8 : 16),
                   low = c->nin == 2 ? in[i][1] : a;
    out[0] = ref_cvt_small(d, s, c->rnd, c->flag, c->sat, pair ? low : a);
    if (pair) out[0] |= ref_cvt_small(d, s, c->rnd, c->flag, c->sat, high) << (bytes ? 8 : 16);
    if (c->t == PTX_TF32) out[0] = out[0] == 0x3ffff ? 0x7fffffff : out[0] << 13;
}

static void small(CaseList *l, PtxType d, PtxType s, const char *mods, PtxRound r) {
    const bool pair =
        s == PTX_F32 && (d == PTX_F16X2 || d == PTX_BF16X2 || d == PTX_E4M3X2 || d == PTX_E5M2X2);
    const Case c = {.t = d,
                    .t2 = s,
                    .rnd = r,
                    .flag = strstr(mods, "relu"),
                    .sat = strstr(mods, "satfinite"),
                    .in = {s == PTX_E4M3X2 || s == PTX_E5M2X2 ? PTX_B16 : s, pair ? s : PTX_NOTYPE},
                    .out = {d == PTX_TF32                           ? PTX_B32
                                : d == PTX_F16X2 || d == PTX_BF16X2 ? d
                                                                    : PTX_B16},
                    .ref = ref_small,
                    .draw = {s == PTX_E4M3X2 || s == PTX_E5M2X2 ? DRAW_BITS : DRAW_VALUE}};
    case_add(l, &c, "cvt%s%s.%s.%s", r == PTX_RNA ? ".rna" : rounds[r], mods, ptx_type_name(d),
             ptx_type_name(s));
}

static void smalls(CaseList *l) {
    static const PtxType halves[] = {PTX_F16, PTX_BF16, PTX_F16X2, PTX_BF16X2},
                         bytes[] = {PTX_E4M3X2, PTX_E5M2X2};
    static const char *const mods[] = {".relu", ".satfinite", ".satfinite.relu"};
    for (int k = 0; k < 24; k++)
        small(l, halves[k / 6], PTX_F32, mods[k % 3], k / 3 % 2 ? PTX_RZ : PTX_RN);
    for (int k = 0; k < 4; k++)
        small(l, PTX_TF32, PTX_F32, k & 1 ? ".relu" : "", k & 2 ? PTX_RZ : PTX_RN);
    small(l, PTX_TF32, PTX_F32, ".satfinite", PTX_RNA);
    for (int k = 0; k < 4; k++) {
        const PtxType t = bytes[k / 2];
        small(l, t, PTX_F32, mods[1 + k % 2], PTX_RN);
        small(l, t, PTX_F16X2, mods[1 + k % 2], PTX_RN);
        small(l, PTX_F16X2, t, k % 2 ? ".relu" : "", PTX_RN);
    }
}

// cvt.pack by single bits: the lowest are b's, above them a's, above them c's.
static void ref_pack(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const int n = c->k;
    int32_t v[2] = {(int32_t)in[i][1], (int32_t)in[i][0]};
    uint32_t r = 0;
    for (int k = 0; k < 2; k++) {
        while (c->flag ? v[k] > (1 << (n - 1)) - 1 : v[k] > (1 << n) - 1)
            v[k] = (1 << (c->flag ? n - 1 : n)) - 1;
        if (v[k] < (c->flag ? -(1 << (n - 1)) : 0)) v[k] = c->flag ? -(1 << (n - 1)) : 0;
        for (int j = 0; j < n; j++) r |= ((uint32_t)v[k] >> j & 1) << (k * n + j);
    }
    for (int j = 0; 2 * n + j < 32; j++) r |= (uint32_t)(in[i][2] >> j & 1) << (2 * n + j);
    out[0] = r;
}

static void packs(CaseList *l) {
    for (int k = 0; k < 8; k++) {
        const int n = 2 << (k / 2);
        const Case c = {.k = n,
                        .flag = k & 1,
                        .in = {PTX_S32, PTX_S32, n == 16 ? PTX_NOTYPE : PTX_B32},
                        .out = {PTX_B32},
                        .ref = ref_pack};
        case_add(l, &c, "cvt.pack.sat.%c%d.s32%s", c.flag ? 's' : 'u', n, n == 16 ? "" : ".b32");
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
    static const PtxType types[] = {PTX_U8,  PTX_S8,  PTX_U16, PTX_S16,  PTX_U32, PTX_S32,
                                    PTX_U64, PTX_S64, PTX_F16, PTX_BF16, PTX_F32, PTX_F64};
    for (int d = 0; d < 12; d++)
        for (int s = 0; s < 12; s++) pair(l, types[d], types[s]);
    addresses(l);
}

void cases_small(CaseList *l) {
    smalls(l);
    packs(l);
    for (int r = PTX_RN; r <= PTX_RP; r++) {  // exact, with a rounding mode
        convert(l, PTX_F32, PTX_BF16, (PtxRound)r, false, false);
        convert(l, PTX_F32, PTX_BF16, (PtxRound)r, true, false);
        convert(l, PTX_F64, PTX_BF16, (PtxRound)r, false, false);
    }
    convert(l, PTX_F16, PTX_BF16, PTX_RND_NONE, false, false);
    convert(l, PTX_BF16, PTX_F16, PTX_RND_NONE, false, false);
}
