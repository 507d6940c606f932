// SPDX-License-Identifier: Apache-2.0
// Bits: logic, shifts, fields, counting, permutation.
#include "cases.h"

static void ref_bits(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint64_t a = in[i][0], b = in[i][1], z = in[i][2], e = in[i][3], r = 0;
    int bits = 8 * ptx_type_bytes(c->t);
    switch (c->op) {
    case PTX_AND: r = a & b; break;
    case PTX_OR: r = a | b; break;
    case PTX_XOR: r = a ^ b; break;
    case PTX_NOT: r = ~a; break;
    case PTX_CNOT: r = ref_low(c->t, a) == 0; break;
    case PTX_SHL: r = ref_shift(c->t, true, ref_low(c->t, a), (uint32_t)b); break;
    case PTX_SHR: r = ref_shift(c->t, false, ref_low(c->t, a), (uint32_t)b); break;
    case PTX_SHF: r = ref_shf(c->flag, c->sat, (uint32_t)a, (uint32_t)b, (uint32_t)z); break;
    case PTX_BFE: r = ref_bfe(c->t, ref_low(c->t, a), (uint32_t)b, (uint32_t)z); break;
    case PTX_BFI: r = ref_bfi(bits, a, ref_low(c->t, b), (uint32_t)z, (uint32_t)e); break;
    case PTX_BFIND: r = ref_bfind(c->t, c->flag, ref_low(c->t, a)); break;
    case PTX_POPC:
        for (int k = 0; k < bits; k++) r += a >> k & 1;
        break;
    case PTX_CLZ:
        while (r < (uint64_t)bits && !(a >> (bits - 1 - (int)r) & 1)) r++;
        break;
    case PTX_BREV:
        for (int k = 0; k < bits; k++) r |= (a >> k & 1) << (bits - 1 - k);
        break;
    case PTX_PRMT: r = ref_prmt((PtxPrmt)c->k, (uint32_t)a, (uint32_t)b, (uint32_t)z); break;
    case PTX_LOP3: r = ref_lop3((uint32_t)a, (uint32_t)b, (uint32_t)z, (uint8_t)c->k); break;
    case PTX_FNS: r = ref_fns((uint32_t)a, (uint32_t)b, (int32_t)z); break;
    case PTX_BMSK: r = ref_bmsk(c->flag, (uint32_t)a, (uint32_t)b); break;
    case PTX_SZEXT: r = ref_szext(c->t == PTX_S32, c->flag, (uint32_t)a, (uint32_t)b); break;
    default: break;
    }
    out[0] = r;
}

// lop3 with a predicate: (result != 0) combined with (b odd).
static void ref_lop3_pred(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = ref_lop3((uint32_t)in[i][0], (uint32_t)in[i][1], (uint32_t)in[i][2], (uint8_t)c->k);
    bool p = out[0] != 0, q = in[i][1] & 1;
    out[1] = c->boolop == PTX_BOOL_AND ? p && q : p || q;
}

static void ref_prmt_constant(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = ref_prmt(PTX_PRMT_NONE, (uint32_t)in[i][0], (uint32_t)in[i][1], (uint32_t)c->k);
}

static void ref_pred(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    bool p = in[i][0] & 1, q = in[i][1] & 1;
    out[0] = c->op == PTX_AND ? p && q
        : c->op == PTX_OR     ? p || q
        : c->op == PTX_XOR    ? p != q
        : c->op == PTX_NOT    ? !p
                              : p;
}

static void logic(CaseList *l) {
    static const PtxType types[] = {PTX_B16, PTX_B32, PTX_B64};
    static const PtxOp two[] = {PTX_AND, PTX_OR, PTX_XOR}, one[] = {PTX_NOT, PTX_CNOT};
    for (int k = 0; k < 3; k++) {
        PtxType t = types[k];
        for (int o = 0; o < 3; o++)
            case_add(l, &(Case){.op = two[o], .t = t, .in = {t, t}, .out = {t}, .ref = ref_bits},
                     "%s.%s", ptx_op_name(two[o]), ptx_type_name(t));
        for (int o = 0; o < 2; o++)
            case_add(l, &(Case){.op = one[o], .t = t, .in = {t}, .out = {t}, .ref = ref_bits},
                     "%s.%s", ptx_op_name(one[o]), ptx_type_name(t));
    }
    static const PtxOp preds[] = {PTX_AND, PTX_OR, PTX_XOR, PTX_NOT, PTX_MOV};
    for (int o = 0; o < 5; o++)
        case_add(
            l,
            &(Case){.op = preds[o],
                    .in = {PTX_U32, PTX_U32},
                    .out = {PTX_U32},
                    .ref = ref_pred,
                    .no_immediate = true,
                    .body = case_text(
                        l,
                        ".reg .pred %%p1, %%p2, %%p3; and.b32 %%a, %%a, 1; and.b32 %%b, %%b, 1;"
                        "setp.ne.u32 %%p1, %%a, 0; setp.ne.u32 %%p2, %%b, 0; %s.pred %%p3, %%p1%s;"
                        "selp.u32 %%d, 1, 0, %%p3;",
                        ptx_op_name(preds[o]), o < 3 ? ", %p2" : "")},
            "%s.pred", ptx_op_name(preds[o]));
}

static void shifts(CaseList *l) {
    static const PtxType types[] = {PTX_B16, PTX_B32, PTX_B64, PTX_U16, PTX_U32,
                                    PTX_U64, PTX_S16, PTX_S32, PTX_S64};
    for (int k = 0; k < 9; k++) {
        Case c = {.op = PTX_SHR,
                  .t = types[k],
                  .in = {types[k], PTX_U32},
                  .draw = {0, DRAW_AMOUNT},
                  .out = {types[k]},
                  .ref = ref_bits};
        case_add(l, &c, "shr.%s", ptx_type_name(types[k]));
        c.op = PTX_SHL;
        if (k < 3) case_add(l, &c, "shl.%s", ptx_type_name(types[k]));
    }
    for (int k = 0; k < 4; k++)
        case_add(l,
                 &(Case){.op = PTX_SHF,
                         .t = PTX_B32,
                         .flag = k & 1,
                         .sat = k & 2,
                         .in = {PTX_B32, PTX_B32, PTX_U32},
                         .draw = {0, 0, DRAW_AMOUNT},
                         .out = {PTX_B32},
                         .ref = ref_bits},
                 "shf.%c.%s.b32", k & 1 ? 'l' : 'r', k & 2 ? "wrap" : "clamp");
}

static void fields(CaseList *l) {
    static const PtxType types[] = {PTX_U32, PTX_S32, PTX_U64, PTX_S64};
    for (int k = 0; k < 4; k++) {
        PtxType t = types[k], b = k < 2 ? PTX_B32 : PTX_B64;
        case_add(l,
                 &(Case){.op = PTX_BFE,
                         .t = t,
                         .in = {t, PTX_U32, PTX_U32},
                         .draw = {0, DRAW_AMOUNT, DRAW_AMOUNT},
                         .out = {t},
                         .ref = ref_bits},
                 "bfe.%s", ptx_type_name(t));
        for (int s = 0; s < 2; s++)
            case_add(l,
                     &(Case){.op = PTX_BFIND,
                             .t = t,
                             .flag = s,
                             .in = {t},
                             .out = {PTX_U32},
                             .ref = ref_bits},
                     "bfind.%s%s", s ? "shiftamt." : "", ptx_type_name(t));
        if (k & 1) continue;
        case_add(l,
                 &(Case){.op = PTX_BFI,
                         .t = b,
                         .in = {b, b, PTX_U32, PTX_U32},
                         .draw = {0, 0, DRAW_AMOUNT, DRAW_AMOUNT},
                         .out = {b},
                         .ref = ref_bits},
                 "bfi.%s", ptx_type_name(b));
        static const PtxOp count[] = {PTX_POPC, PTX_CLZ, PTX_BREV};
        for (int o = 0; o < 3; o++)
            case_add(l,
                     &(Case){.op = count[o],
                             .t = b,
                             .in = {b},
                             .out = {o == 2 ? b : PTX_U32},
                             .ref = ref_bits},
                     "%s.%s", ptx_op_name(count[o]), ptx_type_name(b));
    }
    for (int wrap = 0; wrap < 2; wrap++) {
        const char *mode = wrap ? "wrap" : "clamp";
        Case c = {.op = PTX_BMSK,
                  .t = PTX_B32,
                  .flag = wrap,
                  .in = {PTX_U32, PTX_U32},
                  .draw = {DRAW_AMOUNT, DRAW_AMOUNT},
                  .out = {PTX_B32},
                  .ref = ref_bits};
        case_add(l, &c, "bmsk.%s.b32", mode);
        for (int s = 0; s < 2; s++) {
            PtxType t = s ? PTX_S32 : PTX_U32;
            case_add(l,
                     &(Case){.op = PTX_SZEXT,
                             .t = t,
                             .flag = wrap,
                             .in = {t, PTX_U32},
                             .draw = {0, DRAW_AMOUNT},
                             .out = {t},
                             .ref = ref_bits},
                     "szext.%s.%s", mode, ptx_type_name(t));
        }
    }
    case_add(l,
             &(Case){.op = PTX_FNS,
                     .t = PTX_B32,
                     .in = {PTX_B32, PTX_B32, PTX_S32},
                     .draw = {0, DRAW_AMOUNT, DRAW_AMOUNT},
                     .out = {PTX_B32},
                     .ref = ref_bits},
             "fns.b32");
    case_add(l,
             &(Case){.op = PTX_FNS,
                     .t = PTX_B32,
                     .in = {PTX_B32, PTX_B32, PTX_S32},
                     .draw = {0, DRAW_FEW, DRAW_FEW},
                     .out = {PTX_B32},
                     .ref = ref_bits,
                     .no_immediate = true},
             "fns.b32");
}

static void permutations(CaseList *l) {
    static const char *const modes[] = {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
    for (int m = 0; m < 7; m++)
        case_add(l,
                 &(Case){.op = PTX_PRMT,
                         .t = PTX_B32,
                         .k = m,
                         .in = {PTX_B32, PTX_B32, PTX_B32},
                         .out = {PTX_B32},
                         .ref = ref_bits},
                 "prmt.b32%s", modes[m]);
    for (int m = 0; m < 8; m++) {  // constant selectors take another way through a compiler
        static const int selectors[] = {0x3210, 0x7610, 0x5410, 0x0123,
                                        0x4440, 0xba98, 0x8888, 0x3340};
        Case c = {.k = selectors[m],
                  .in = {PTX_B32, PTX_B32},
                  .out = {PTX_B32},
                  .ref = ref_prmt_constant};
        c.body = case_text(l, "prmt.b32 %%d, %%a, %%b, %d;", selectors[m]);
        case_add(l, &c, "prmt.b32");
    }
    static const uint8_t luts[] = {0x00, 0xff, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0xd8,
                                   0xc0, 0xfc, 0x3c, 0x0f, 0x33, 0x55, 0xf0, 0xcc,
                                   0xaa, 0x1e, 0x78, 0x7f, 0x01, 0x6a};
    for (size_t k = 0; k < sizeof luts; k++) {
        Case c = {.op = PTX_LOP3,
                  .t = PTX_B32,
                  .k = luts[k],
                  .in = {PTX_B32, PTX_B32, PTX_B32},
                  .out = {PTX_B32},
                  .ref = ref_bits};
        c.body = case_text(l, "lop3.b32 %%d, %%a, %%b, %%c, %d;", luts[k]);
        case_add(l, &c, "lop3.b32");
    }
    static const char *const bools[] = {"", "and", "or"};
    for (int b = PTX_BOOL_AND; b <= PTX_BOOL_OR; b++) {
        Case c = {.op = PTX_LOP3,
                  .k = 0x96,
                  .boolop = (PtxBool)b,
                  .in = {PTX_B32, PTX_B32, PTX_B32},
                  .draw = {DRAW_FEW, DRAW_FEW, DRAW_FEW},
                  .out = {PTX_B32, PTX_U32},
                  .ref = ref_lop3_pred,
                  .no_immediate = true};
        c.body = case_text(
            l,
            ".reg .pred %%p, %%o; .reg .b32 %%t; and.b32 %%t, %%b, 1; setp.ne.u32 %%o, %%t, 0;"
            "lop3.%s.b32 %%d|%%p, %%a, %%b, %%c, 0x96, %%o; selp.u32 %%q, 1, 0, %%p;",
            bools[b]);
        case_add(l, &c, "lop3.%s.b32", bools[b]);
    }
}

void cases_bits(CaseList *l) {
    logic(l);
    shifts(l);
    fields(l);
    permutations(l);
}
