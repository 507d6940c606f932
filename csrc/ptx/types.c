// SPDX-License-Identifier: Apache-2.0
// Names and sizes of types, spaces, special registers and opcodes.
#include "ptx/ptx.h"

static const struct {
    const char *name;
    int bytes;
} type_table[PTX_TYPE_COUNT] = {
    [PTX_NOTYPE] = {"", 0},       [PTX_B8] = {"b8", 1},         [PTX_B16] = {"b16", 2},
    [PTX_B32] = {"b32", 4},       [PTX_B64] = {"b64", 8},       [PTX_B128] = {"b128", 16},
    [PTX_U8] = {"u8", 1},         [PTX_U16] = {"u16", 2},       [PTX_U32] = {"u32", 4},
    [PTX_U64] = {"u64", 8},       [PTX_S8] = {"s8", 1},         [PTX_S16] = {"s16", 2},
    [PTX_S32] = {"s32", 4},       [PTX_S64] = {"s64", 8},       [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4},   [PTX_BF16] = {"bf16", 2},     [PTX_BF16X2] = {"bf16x2", 4},
    [PTX_F32] = {"f32", 4},       [PTX_F64] = {"f64", 8},       [PTX_TF32] = {"tf32", 4},
    [PTX_E4M3X2] = {"e4m3x2", 2}, [PTX_E5M2X2] = {"e5m2x2", 2}, [PTX_U2] = {"u2", 1},
    [PTX_U4] = {"u4", 1},         [PTX_S2] = {"s2", 1},         [PTX_S4] = {"s4", 1},
    [PTX_PRED] = {"pred", 1}};

int ptx_type_bytes(PtxType t) { return type_table[t].bytes; }
const char *ptx_type_name(PtxType t) { return type_table[t].name; }
bool ptx_type_is_signed(PtxType t) { return t >= PTX_S8 && t <= PTX_S64; }
bool ptx_type_is_fp8(PtxType t) { return t == PTX_E4M3X2 || t == PTX_E5M2X2; }
bool ptx_type_is_int(PtxType t) { return t >= PTX_B8 && t <= PTX_S64; }
bool ptx_type_is_float(PtxType t) {
    return t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64;
}

bool ptx_type_is_half(PtxType t) {
    return t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2;
}

const char *ptx_space_name(PtxSpace s) {
    static const char *const names[PTX_SPACE_COUNT] = {
        [PTX_GENERIC] = "generic", [PTX_CONST] = "const", [PTX_GLOBAL] = "global",
        [PTX_LOCAL] = "local",     [PTX_PARAM] = "param", [PTX_SHARED] = "shared"};
    return names[s];
}

const char *ptx_sreg_name(PtxSreg s) {
    static const char *const names[PTX_SREG_COUNT] = {
#define X(id, text) text,
        PTX_SREGS(X)
#undef X
    };
    return names[s];
}

const char *ptx_op_name(PtxOp op) {
    static const char *const names[PTX_OP_COUNT] = {
#define PTX_OP(id, name, ...) name,
#include "ptx/ptx_ops.def"
#undef PTX_OP
    };
    return names[op];
}

PtxVideo ptx_video(PtxOp op) {
    switch (op) {
    case PTX_VADD: return (PtxVideo){PTX_VIDEO_ADD, 1};
    case PTX_VADD2: return (PtxVideo){PTX_VIDEO_ADD, 2};
    case PTX_VADD4: return (PtxVideo){PTX_VIDEO_ADD, 4};
    case PTX_VSUB: return (PtxVideo){PTX_VIDEO_SUB, 1};
    case PTX_VSUB2: return (PtxVideo){PTX_VIDEO_SUB, 2};
    case PTX_VSUB4: return (PtxVideo){PTX_VIDEO_SUB, 4};
    case PTX_VAVRG2: return (PtxVideo){PTX_VIDEO_AVRG, 2};
    case PTX_VAVRG4: return (PtxVideo){PTX_VIDEO_AVRG, 4};
    case PTX_VABSDIFF: return (PtxVideo){PTX_VIDEO_ABSDIFF, 1};
    case PTX_VABSDIFF2: return (PtxVideo){PTX_VIDEO_ABSDIFF, 2};
    case PTX_VABSDIFF4: return (PtxVideo){PTX_VIDEO_ABSDIFF, 4};
    case PTX_VMIN: return (PtxVideo){PTX_VIDEO_MIN, 1};
    case PTX_VMIN2: return (PtxVideo){PTX_VIDEO_MIN, 2};
    case PTX_VMIN4: return (PtxVideo){PTX_VIDEO_MIN, 4};
    case PTX_VMAX: return (PtxVideo){PTX_VIDEO_MAX, 1};
    case PTX_VMAX2: return (PtxVideo){PTX_VIDEO_MAX, 2};
    case PTX_VMAX4: return (PtxVideo){PTX_VIDEO_MAX, 4};
    case PTX_VSET: return (PtxVideo){PTX_VIDEO_SET, 1};
    case PTX_VSET2: return (PtxVideo){PTX_VIDEO_SET, 2};
    case PTX_VSET4: return (PtxVideo){PTX_VIDEO_SET, 4};
    case PTX_VSHL: return (PtxVideo){PTX_VIDEO_SHL, 1};
    case PTX_VSHR: return (PtxVideo){PTX_VIDEO_SHR, 1};
    case PTX_VMAD: return (PtxVideo){PTX_VIDEO_MAD, 1};
    default: return (PtxVideo){PTX_VIDEO_NONE, 0};
    }
}

bool ptx_falls_through(const PtxInst *in) {
    switch (in->op) {
    case PTX_BRA:
    case PTX_RET:
    case PTX_EXIT: return in->guard >= 0;
    case PTX_BRX_IDX:
    case PTX_TRAP: return in->guard >= 0;
    default: return true;
    }
}
