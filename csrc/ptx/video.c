// SPDX-License-Identifier: Apache-2.0
// Video instructions: selectors of bytes and halfwords behind registers, and the forms.
#include "ptx/front.h"

#include <string.h>

bool video_select(Parser *p, PtxOperand *o) {
    const Token tok = p->tok;
    const char *s = tok.text;
    bool good = tok.len >= 2 && tok.len <= 5 && (s[0] == 'b' || s[0] == 'h');
    for (int i = 1; good && i < tok.len; i++) {
        good = s[i] >= '0' && s[i] <= (s[0] == 'b' ? '7' : '3');
        o->parts = (uint16_t)(o->parts << 4 | (s[i] - '0'));
    }
    if (!good)
        return lex_fail(p, &tok, "expected a selector such as .b0 or .h1, found %s",
                        lex_describe(p, &tok));
    o->part = s[0];
    o->nparts = (uint8_t)(tok.len - 1);
    return lex_next(p);
}

static int digit_of(const PtxOperand *o, int i) { return o->parts >> (4 * i) & 15; }

// Of a scalar instruction: one byte or halfword of the register.
static bool check_scalar_part(Parser *p, InstText *t, const PtxOperand *o) {
    if (!o->part || (o->nparts == 1 && digit_of(o, 0) < (o->part == 'b' ? 4 : 2))) return true;
    return check_fail(p, t, o, "expected one of the selectors .b0 .b1 .b2 .b3 .h0 .h1");
}

// Of a SIMD instruction: as many bytes or halfwords as the result has, out of both sources.
static bool check_source_parts(Parser *p, InstText *t, const PtxOperand *o, int lanes) {
    if (!o->part || (o->part == (lanes == 2 ? 'h' : 'b') && o->nparts == lanes)) return true;
    return check_fail(p, t, o, "expected a selector of %s",
                      lanes == 2 ? "two halfwords such as .h10" : "four bytes such as .b3210");
}

// The elements of a SIMD result that are written: digits that fall.
static bool check_mask(Parser *p, InstText *t, const PtxOperand *o, int lanes) {
    bool good =
        !o->part || (o->part == (lanes == 2 ? 'h' : 'b') && digit_of(o, o->nparts - 1) < lanes);
    for (int i = 1; good && i < o->nparts; i++) good = digit_of(o, i) > digit_of(o, i - 1);
    if (good) return true;
    return check_fail(p, t, o, "expected a mask such as %s",
                      lanes == 2 ? ".h0, .h1 or .h10" : ".b0, .b31 or .b3210");
}

static bool check_parts(Parser *p, InstText *t, const PtxInst *in, PtxVideo v) {
    const PtxOperand *d = &in->opnd[0];
    if (in->nopnd > 3 && in->opnd[3].part)
        return check_fail(p, t, &in->opnd[3], "the last operand has no selector");
    if (v.kind == PTX_VIDEO_MAD && d->part)
        return check_fail(p, t, d, "the result of 'vmad' has no selector");
    if (v.lanes > 1)
        return check_mask(p, t, d, v.lanes) && check_source_parts(p, t, &in->opnd[1], v.lanes) &&
            check_source_parts(p, t, &in->opnd[2], v.lanes);
    return check_scalar_part(p, t, d) && check_scalar_part(p, t, &in->opnd[1]) &&
        check_scalar_part(p, t, &in->opnd[2]);
}

// Negation of vmad: of the product or of the addend, and not with .po.
static bool check_negation(Parser *p, InstText *t, const PtxInst *in) {
    const bool product = in->opnd[1].negated != in->opnd[2].negated, addend = in->opnd[3].negated;
    if (product && addend)
        return check_fail(p, t, NULL, "only the product or the addend can be negated");
    if (in->po && (product || addend))
        return check_fail(p, t, NULL, ".po and a negation exclude each other");
    return true;
}

static bool check_second_operation(Parser *p, InstText *t, const PtxInst *in, PtxVideo v) {
    const bool scalar = v.lanes == 1;
    const bool has = in->atom == PTX_ATOM_ADD ||
        (scalar && (in->atom == PTX_ATOM_MIN || in->atom == PTX_ATOM_MAX));
    if (in->atom && !has)
        return check_fail(p, t, NULL, ".%s does not belong to '%s'", mod_spelling(M_ATOM, in->atom),
                          ptx_op_name(in->op));
    if (!scalar && in->atom && in->sat)
        return check_fail(p, t, NULL, ".sat and .add exclude each other");
    if (scalar && in->atom && in->opnd[0].part)
        return check_fail(p, t, &in->opnd[0],
                          "a second operation and a selector of the result exclude each other");
    const bool needs_c = scalar && v.kind != PTX_VIDEO_MAD && (in->atom || in->opnd[0].part);
    if (needs_c && in->nopnd != 4)
        return check_fail(p, t, NULL, "expected 4 operands, found %d", in->nopnd);
    return true;
}

bool video_check(Parser *p, PtxInst *in, InstText *t) {
    const PtxVideo v = ptx_video(in->op);
    const bool set = v.kind == PTX_VIDEO_SET,
               shift = v.kind == PTX_VIDEO_SHL || v.kind == PTX_VIDEO_SHR;
    if (!set && in->type3 != PTX_U32 && in->type3 != PTX_S32)
        return check_fail(p, t, NULL, "the third type is .u32 or .s32");
    if (shift && in->type3 != PTX_U32) return check_fail(p, t, NULL, "the third type is .u32");
    if (set && in->cmp > PTX_GE)
        return check_fail(p, t, NULL, ".%s does not belong to '%s'", mod_spelling(M_CMP, in->cmp),
                          ptx_op_name(in->op));
    if (!check_second_operation(p, t, in, v) || !check_parts(p, t, in, v)) return false;
    if (v.kind == PTX_VIDEO_MAD && !check_negation(p, t, in)) return false;
    if (!check_dest(p, in, t, &in->opnd[0], PTX_U32, false)) return false;
    for (int i = 1; i < in->nopnd; i++) {
        const bool negated = in->opnd[i].negated && in->opnd[i].kind == PTX_OPND_REG;
        if (negated) in->opnd[i].negated = false;
        if (!check_source(p, in, t, &in->opnd[i], PTX_U32, false)) return false;
        if (negated) in->opnd[i].negated = true;
    }
    return true;
}
