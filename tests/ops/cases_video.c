// SPDX-License-Identifier: Apache-2.0
// Video instructions: four of a kind in a case. ref_video.c computes their results from their text.
#include "cases.h"

#include <stdlib.h>
#include <string.h>

// Instruction k stores %d, %q, %r or %s: the text up to its semicolon.
static void ref_texts(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const char *at = c->body, *fault = getenv("OPS_VIDEO_FAULT");
    for (int k = 0; k < c->nout; k++) {
        const char *end = strchr(at, ';');
        out[k] = ref_video(at, (size_t)(end - at), (uint32_t)in[i][0], (uint32_t)in[i][1],
                           (uint32_t)in[i][2]);
        if (fault && strstr(c->name, fault)) out[k] ^= 1;
        at = end + 2;
    }
}

static void four(CaseList *l, const char *name, const char *const text[4], Draw b) {
    const char *body = case_text(l, "%s; %s; %s; %s;", text[0], text[1], text[2], text[3]);
    const bool registers = strstr(body, "%b.") || strstr(body, "-%b");
    case_add(l,
             &(Case){.in = {PTX_B32, PTX_B32, PTX_B32},
                     .out = {PTX_B32, PTX_B32, PTX_B32, PTX_B32},
                     .ref = ref_texts,
                     .body = body,
                     .no_immediate = registers,
                     .draw = {DRAW_VALUE, b, DRAW_VALUE}},
             "%s", name);
}

static const char *const signs[] = {"u32", "s32"};
static const char *const parts[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
static const char *const outs[] = {"%d", "%q", "%r", "%s"};

static const char *types3(CaseList *l, int t) {
    return case_text(l, "%s.%s.%s", signs[t & 1], signs[t >> 1 & 1], signs[t >> 2]);
}

// Two cases: selectors and merging, and second operations.
static void scalar(CaseList *l, const char *op, const char *types, const char *mode, int turn,
                   Draw b) {
    const char *p[4];
    for (int k = 0; k < 4; k++) p[k] = parts[(turn + 5 * k + k / 2) % 6];
    const char *head = case_text(l, "%s.%s%s", op, types, mode);
    four(l, case_text(l, "%s parts", head),
         (const char *[]){case_text(l, "%s %%d, %%a%s, %%b%s", head, p[0], p[1]),
                          case_text(l, "%s.sat %%q%s, %%a%s, %%b%s, %%c", head, p[2], p[3], p[0]),
                          case_text(l, "%s.sat %%r%s, %%a, %%b%s, %%c", head, p[1], p[2]),
                          case_text(l, "%s %%s%s, %%a%s, %%b, %%c", head, p[3], p[1])},
         b);
    four(l, case_text(l, "%s second", head),
         (const char *[]){
             case_text(l, "%s.add %%d, %%a, %%b, %%c", head),
             case_text(l, "%s.min %%q, %%a, %%b, %%c", head),
             case_text(l, "%s.max %%r, %%a%s, %%b, %%c", head, p[0]),
             case_text(l, "%s.sat.%s %%s, %%a, %%b, %%c", head, turn % 2 ? "min" : "max")},
         b);
    four(l, case_text(l, "%s words", head),
         (const char *[]){case_text(l, "%s %%d, %%a, %%b", head),
                          case_text(l, "%s.sat %%q, %%a, %%b", head),
                          case_text(l, "%s.sat.add %%r, %%a, %%b, %%c", head),
                          case_text(l, "%s.max %%s, %%a%s, %%b%s, %%c", head, p[2], p[3])},
         b);
}

static void scalars(CaseList *l) {
    static const char *const ops[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
    static const char *const modes[] = {".clamp", ".wrap"};
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    int turn = 0;
    for (int o = 0; o < 5; o++)
        for (int t = 0; t < 8; t++) scalar(l, ops[o], types3(l, t), "", turn++, DRAW_VALUE);
    for (int o = 0; o < 8; o++)
        scalar(l, o & 1 ? "vshr" : "vshl", types3(l, o >> 2 | (o & 2)), modes[0], turn++,
               DRAW_AMOUNT),
            scalar(l, o & 1 ? "vshr" : "vshl", types3(l, o >> 2 | (o & 2)), modes[1], turn++,
                   DRAW_AMOUNT);
    for (int o = 0; o < 24; o++, turn++) {
        const char *head =
            case_text(l, "vset.%s.%s.%s", signs[o & 1], signs[o >> 1 & 1], compares[o / 4]);
        four(l, head,
             (const char *[]){
                 case_text(l, "%s %%d, %%a, %%b", head),
                 case_text(l, "%s.add %%q, %%a%s, %%b%s, %%c", head, parts[turn % 6], parts[o % 5]),
                 case_text(l, "%s.max %%r, %%a, %%b%s, %%c", head, parts[turn % 6]),
                 case_text(l, "%s %%s%s, %%a%s, %%b, %%c", head, parts[o % 6], parts[turn % 6])},
             DRAW_FEW);
    }
}

static void mads(CaseList *l) {
    static const char *const scales[] = {"", ".shr7", ".shr15"};
    static const char *const sign[] = {"", "-"};
    for (int t = 0; t < 8; t++)
        for (int k = 0; k < 4; k++) {  // the sign of the product, or of the addend, or .po
            const char *text[4];
            const bool product = k == 1, addend = k == 2;
            for (int i = 0; i < 4; i++) {
                const int turn = t + k + i;
                const char *a = i == 2 ? parts[turn % 6] : "", *b = i == 3 ? parts[turn % 5] : "";
                const bool both = addend && i % 2, first = both || (product && i % 2),
                           second = both || (product && !first);
                text[i] = case_text(l, "vmad.%s%s%s%s %s, %s%%a%s, %s%%b%s, %s%%c", types3(l, t),
                                    k == 3 ? ".po" : "", i % 2 ? ".sat" : "", scales[turn % 3],
                                    outs[i], sign[first], a, sign[second], b, sign[addend]);
            }
            four(l,
                 case_text(l, "vmad.%s %s", types3(l, t),
                           product      ? "-a*b"
                               : addend ? "-c"
                               : k      ? "po"
                                        : "plain"),
                 text, DRAW_VALUE);
        }
}

static const char *simd_parts(int lanes, int turn) {
    static const char *const two[] = {"", ".h10", ".h31", ".h02", ".h22", ".h13"};
    static const char *const four_bytes[] = {"", ".b3210", ".b7654", ".b0527", ".b4444", ".b1632"};
    return lanes == 2 ? two[turn % 6] : four_bytes[turn % 6];
}

static const char *simd_mask(int lanes, int turn) {
    static const char *const two[] = {".h0", ".h1", ".h10"};
    static const char *const bytes[] = {".b0",   ".b1",   ".b10",  ".b2",   ".b20",
                                        ".b21",  ".b210", ".b3",   ".b30",  ".b31",
                                        ".b310", ".b32",  ".b320", ".b321", ".b3210"};
    return lanes == 2 ? two[turn % 3] : bytes[turn % 15];
}

static void vectors(CaseList *l) {
    static const char *const ops[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    int turn = 0;
    for (int k = 0; k < 96; k++, turn += 5) {
        const int lanes = k & 1 ? 4 : 2;
        const char *head = case_text(l, "%s%d.%s", ops[k / 16], lanes, types3(l, k / 2 % 8)), *p[4],
                   *m = simd_mask(lanes, turn);
        for (int i = 0; i < 4; i++) p[i] = simd_parts(lanes, turn + 3 * i + i / 2);
        four(l, case_text(l, "%s lanes", head),
             (const char *[]){case_text(l, "%s %%d, %%a%s, %%b%s, %%c", head, p[0], p[1]),
                              case_text(l, "%s.sat %%q%s, %%a%s, %%b%s, %%c", head, m, p[2], p[3]),
                              case_text(l, "%s.add %%r%s, %%a%s, %%b, %%c", head,
                                        simd_mask(lanes, turn + 1), p[1]),
                              case_text(l, "%s.sat %%s, %%a, %%b%s, %%c", head, p[0])},
             DRAW_VALUE);
    }
    for (int k = 0; k < 48; k++, turn += 7) {
        const int lanes = k & 1 ? 4 : 2;
        const char *head = case_text(l, "vset%d.%s.%s.%s", lanes, signs[k >> 1 & 1],
                                     signs[k >> 2 & 1], compares[k / 8]);
        four(l, head,
             (const char *[]){
                 case_text(l, "%s %%d, %%a%s, %%b%s, %%c", head, simd_parts(lanes, turn),
                           simd_parts(lanes, turn + 1)),
                 case_text(l, "%s %%q%s, %%a, %%b%s, %%c", head, simd_mask(lanes, turn),
                           simd_parts(lanes, turn + 2)),
                 case_text(l, "%s.add %%r, %%a%s, %%b, %%c", head, simd_parts(lanes, turn + 3)),
                 case_text(l, "%s.add %%s%s, %%a, %%b, %%c", head, simd_mask(lanes, turn + 4))},
             DRAW_FEW);
    }
}

void cases_video(CaseList *l) {
    scalars(l);
    mads(l);
    vectors(l);
}
