// SPDX-License-Identifier: Apache-2.0
// PTX in memory. One section per source file of this folder:
//   `lex.c`     text -> tokens, interned names.
//   `parse*.c`  tokens -> PtxModule; every register, variable and label becomes an index.
//   `check*.c`  modifiers, operand counts, types, register widths against ptx_rules.def.
//   `names.c`   short names of C++ functions.
//   `uses.c`    variables that kernels read and write.
//   `print.c`   PtxModule -> text that parses to the same module.
// The oracle interprets this form; csrc/compile lowers it. The form is independent of the machine.
//
// Sizes are bytes and indices count from 0 unless a comment says otherwise.
#ifndef SMCOSIM_PTX_PTX_H
#define SMCOSIM_PTX_PTX_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdio.h>

// ---- types ----

typedef enum PtxType {
    PTX_NOTYPE,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_TF32,
    PTX_E4M3X2,
    PTX_E5M2X2,  // types of cvt: bits in .b32 and .b16 registers
    PTX_U2,
    PTX_U4,
    PTX_S2,
    PTX_S4,  // of cvt.pack
    PTX_PRED,
    PTX_TYPE_COUNT
} PtxType;

int ptx_type_bytes(PtxType t);  // 1..16; PTX_PRED counts 1
bool ptx_type_is_signed(PtxType t);
bool ptx_type_is_float(PtxType t);     // f16, bf16, f32, f64
bool ptx_type_is_half(PtxType t);      // f16, bf16 and pairs of them
bool ptx_type_is_int(PtxType t);       // u*, s*, b*, but not .u2 .u4 .s2 .s4
bool ptx_type_is_fp8(PtxType t);       // pairs of 8-bit numbers: e4m3x2, e5m2x2
const char *ptx_type_name(PtxType t);  // "u32"

// State space of a variable or an access. GENERIC is an access without a space.
typedef enum PtxSpace {
    PTX_GENERIC,
    PTX_CONST,
    PTX_GLOBAL,
    PTX_LOCAL,
    PTX_PARAM,
    PTX_SHARED,
    PTX_SPACE_COUNT
} PtxSpace;
const char *ptx_space_name(PtxSpace s);

// ---- modifiers: only those an instruction was written with are set ----

typedef enum PtxRound {
    PTX_RND_NONE,
    PTX_RN,
    PTX_RZ,
    PTX_RM,
    PTX_RP,
    PTX_RNA,
    PTX_RNI,
    PTX_RZI,
    PTX_RMI,
    PTX_RPI
} PtxRound;
typedef enum PtxCmp {
    PTX_CMP_NONE,
    PTX_EQ,
    PTX_NE,
    PTX_LT,
    PTX_LE,
    PTX_GT,
    PTX_GE,
    PTX_LO,
    PTX_LS,
    PTX_HI_CMP,
    PTX_HS,  // unsigned spellings
    PTX_EQU,
    PTX_NEU,
    PTX_LTU,
    PTX_LEU,
    PTX_GTU,
    PTX_GEU,  // true when unordered
    PTX_NUM,
    PTX_NAN
} PtxCmp;
typedef enum PtxBool { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR } PtxBool;
typedef enum PtxMulPart { PTX_PART_NONE, PTX_PART_LO, PTX_PART_HI, PTX_PART_WIDE } PtxMulPart;
typedef enum PtxShfMode { PTX_SHF_NONE, PTX_SHF_CLAMP, PTX_SHF_WRAP } PtxShfMode;
typedef enum PtxShfl {
    PTX_SHFL_NONE,
    PTX_SHFL_UP,
    PTX_SHFL_DOWN,
    PTX_SHFL_BFLY,
    PTX_SHFL_IDX
} PtxShfl;
typedef enum PtxVote {
    PTX_VOTE_NONE,
    PTX_VOTE_ALL,
    PTX_VOTE_ANY,
    PTX_VOTE_UNI,
    PTX_VOTE_BALLOT
} PtxVote;
typedef enum PtxAtom {
    PTX_ATOM_NONE,
    PTX_ATOM_ADD,
    PTX_ATOM_MIN,
    PTX_ATOM_MAX,
    PTX_ATOM_INC,
    PTX_ATOM_DEC,
    PTX_ATOM_AND,
    PTX_ATOM_OR,
    PTX_ATOM_XOR,
    PTX_ATOM_EXCH,
    PTX_ATOM_CAS
} PtxAtom;
typedef enum PtxPrmt {
    PTX_PRMT_NONE,
    PTX_PRMT_F4E,
    PTX_PRMT_B4E,
    PTX_PRMT_RC8,
    PTX_PRMT_ECL,
    PTX_PRMT_ECR,
    PTX_PRMT_RC16
} PtxPrmt;
typedef enum PtxTestp {
    PTX_TESTP_NONE,
    PTX_TESTP_FINITE,
    PTX_TESTP_INFINITE,
    PTX_TESTP_NUMBER,
    PTX_TESTP_NOTANUMBER,
    PTX_TESTP_NORMAL,
    PTX_TESTP_SUBNORMAL
} PtxTestp;
typedef enum PtxSem {
    PTX_SEM_NONE,
    PTX_SEM_WEAK,
    PTX_SEM_RELAXED,
    PTX_SEM_ACQUIRE,
    PTX_SEM_RELEASE,
    PTX_SEM_ACQ_REL,
    PTX_SEM_SC,
    PTX_SEM_VOLATILE,
    PTX_SEM_MMIO
} PtxSem;
typedef enum PtxScope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_GPU, PTX_SCOPE_SYS } PtxScope;
typedef enum PtxCache {
    PTX_CACHE_NONE,
    PTX_CACHE_CA,
    PTX_CACHE_CG,
    PTX_CACHE_CS,
    PTX_CACHE_LU,
    PTX_CACHE_CV,
    PTX_CACHE_WB,
    PTX_CACHE_WT
} PtxCache;
// L1 eviction hint of a load or store; has no effect on values.
typedef enum PtxEvict {
    PTX_EVICT_NONE,
    PTX_EVICT_NORMAL,
    PTX_EVICT_UNCHANGED,
    PTX_EVICT_FIRST,
    PTX_EVICT_LAST,
    PTX_EVICT_NO_ALLOCATE
} PtxEvict;

// ---- special registers ----

// clang-format off
#define PTX_ENVREGS(X) \
    X(ENVREG0, "%envreg0") X(ENVREG1, "%envreg1") X(ENVREG2, "%envreg2") X(ENVREG3, "%envreg3") \
    X(ENVREG4, "%envreg4") X(ENVREG5, "%envreg5") X(ENVREG6, "%envreg6") X(ENVREG7, "%envreg7") \
    X(ENVREG8, "%envreg8") X(ENVREG9, "%envreg9") X(ENVREG10, "%envreg10") \
    X(ENVREG11, "%envreg11") X(ENVREG12, "%envreg12") X(ENVREG13, "%envreg13") \
    X(ENVREG14, "%envreg14") X(ENVREG15, "%envreg15") X(ENVREG16, "%envreg16") \
    X(ENVREG17, "%envreg17") X(ENVREG18, "%envreg18") X(ENVREG19, "%envreg19") \
    X(ENVREG20, "%envreg20") X(ENVREG21, "%envreg21") X(ENVREG22, "%envreg22") \
    X(ENVREG23, "%envreg23") X(ENVREG24, "%envreg24") X(ENVREG25, "%envreg25") \
    X(ENVREG26, "%envreg26") X(ENVREG27, "%envreg27") X(ENVREG28, "%envreg28") \
    X(ENVREG29, "%envreg29") X(ENVREG30, "%envreg30") X(ENVREG31, "%envreg31")
#define PTX_SREGS(X) \
    X(TID_X, "%tid.x") X(TID_Y, "%tid.y") X(TID_Z, "%tid.z") \
    X(NTID_X, "%ntid.x") X(NTID_Y, "%ntid.y") X(NTID_Z, "%ntid.z") \
    X(CTAID_X, "%ctaid.x") X(CTAID_Y, "%ctaid.y") X(CTAID_Z, "%ctaid.z") \
    X(NCTAID_X, "%nctaid.x") X(NCTAID_Y, "%nctaid.y") X(NCTAID_Z, "%nctaid.z") \
    X(LANEID, "%laneid") X(WARPID, "%warpid") X(NWARPID, "%nwarpid") \
    X(SMID, "%smid") X(NSMID, "%nsmid") X(GRIDID, "%gridid") \
    X(LANEMASK_EQ, "%lanemask_eq") X(LANEMASK_LT, "%lanemask_lt") X(LANEMASK_LE, "%lanemask_le") \
    X(LANEMASK_GT, "%lanemask_gt") X(LANEMASK_GE, "%lanemask_ge") \
    X(CLOCK, "%clock") X(CLOCK_HI, "%clock_hi") X(CLOCK64, "%clock64") \
    X(GLOBALTIMER, "%globaltimer") X(GLOBALTIMER_LO, "%globaltimer_lo") \
    X(GLOBALTIMER_HI, "%globaltimer_hi") \
    X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size") X(TOTAL_SMEM_SIZE, "%total_smem_size") \
    X(RESERVED_SMEM_BEGIN, "%reserved_smem_offset_begin") \
    X(RESERVED_SMEM_END, "%reserved_smem_offset_end") \
    X(RESERVED_SMEM_CAP, "%reserved_smem_offset_cap") \
    X(RESERVED_SMEM_0, "%reserved_smem_offset_0") X(RESERVED_SMEM_1, "%reserved_smem_offset_1") \
    PTX_ENVREGS(X)
// clang-format on
typedef enum PtxSreg {
#define X(id, text) PTX_SREG_##id,
    PTX_SREGS(X)
#undef X
        PTX_SREG_COUNT
} PtxSreg;
const char *ptx_sreg_name(PtxSreg s);

// ---- opcodes (ptx_ops.def: PTX_OP(ID, "name", ...) one line each) ----

typedef enum PtxOp {
#define PTX_OP(id, name, ...) PTX_##id,
#include "ptx/ptx_ops.def"
#undef PTX_OP
    PTX_OP_COUNT
} PtxOp;
// Type of A and B of an mma; XOR, AND: bits, combined so and counted.
typedef enum PtxMatrix {
    PTX_MATRIX_NONE,
    PTX_MATRIX_F16,
    PTX_MATRIX_BF16,
    PTX_MATRIX_TF32,
    PTX_MATRIX_I8,
    PTX_MATRIX_I4,
    PTX_MATRIX_XOR,
    PTX_MATRIX_AND,
    PTX_MATRIX_F64
} PtxMatrix;
enum { PTX_GEOMETRIES = 5 };
extern const char *const ptx_geometries[PTX_GEOMETRIES];  // suffixes of tex, by TextureGeometry
static inline bool ptx_geometry_is_layered(int geometry) { return geometry >= 3; }  // a1d, a2d
const char *ptx_op_name(PtxOp op);

// Operation of a video instruction on each element; `lanes` 1 (scalar), 2 or 4.
typedef enum PtxVideoKind {
    PTX_VIDEO_NONE,
    PTX_VIDEO_ADD,
    PTX_VIDEO_SUB,
    PTX_VIDEO_AVRG,
    PTX_VIDEO_ABSDIFF,
    PTX_VIDEO_MIN,
    PTX_VIDEO_MAX,
    PTX_VIDEO_SET,
    PTX_VIDEO_SHL,
    PTX_VIDEO_SHR,
    PTX_VIDEO_MAD
} PtxVideoKind;
typedef struct PtxVideo {
    PtxVideoKind kind;
    int lanes;
} PtxVideo;
PtxVideo ptx_video(PtxOp op);  // NONE: another instruction

// ---- operands ----

typedef enum PtxOperandKind {
    PTX_OPND_NONE,
    PTX_OPND_SINK,   // `_`
    PTX_OPND_REG,    // index into PtxFunc.regs
    PTX_OPND_IMM,    // imm.bits, already converted to the operand type of the instruction
    PTX_OPND_SREG,   // special register
    PTX_OPND_VAR,    // address of variable `index` + offset (mov, cvta), not an access
    PTX_OPND_MEM,    // access: base is a register, a variable or nothing (absolute), + offset
    PTX_OPND_LABEL,  // index into PtxFunc.labels
    PTX_OPND_FUNC,   // index into PtxModule.funcs
    PTX_OPND_VEC,    // {a, b} or {a, b, c, d}: elements are REG, IMM or SINK
} PtxOperandKind;

typedef enum PtxMemBase { PTX_BASE_NONE, PTX_BASE_REG, PTX_BASE_VAR } PtxMemBase;

typedef struct PtxOperand {
    PtxOperandKind kind;
    PtxMemBase base;  // MEM only
    bool negated;     // !p, and -%r where clang writes it or vmad has it
    // REG of a video instruction: 'b' or 'h' with a selector (.b3, .h10), 0: the whole register
    char part;
    uint8_t nparts;     // number of digits of the selector
    uint16_t parts;     // the digits, four bits each, the last one lowest
    int index;          // register, variable, label, function or special register number
    bool module_scope;  // VAR, MEM with BASE_VAR: index into PtxModule.vars, else PtxFunc.vars
    int64_t offset;     // VAR, MEM
    uint64_t bits;      // IMM
    struct PtxOperand *elements;  // VEC
    int nelements;
    int line, col;  // for messages
} PtxOperand;

enum { PTX_MAX_OPERANDS = 6 };

typedef struct PtxInst {
    PtxOp op;
    PtxType type;   // first type suffix: the result's (cvt: destination, setp: compared,
                    // ld/st/atom: accessed)
    PtxType type2;  // second type suffix: cvt, set and slct source
    PtxType type3;  // third, e.g. dp4a.atype.btype keeps type = atype, type2 = btype
    int guard;      // register index of @p, -1 for none
    bool guard_negated;
    PtxSpace space;                           // ld/st/atom/red/cvta/prefetch/isspacep
    int vec;                                  // elements of ld/st: 1, 2, 4
    int geometry;                             // tex: TextureGeometry
    PtxMatrix matrix;                         // mma, and the next line
    bool tall, half_sum, a_signed, b_signed;  // 16 rows, not 8; C and D are f16; of I8 and I4
    bool to;                                  // cvta.to
    bool nan, xorsign, relu, noftz;  // min, max: .NaN, .xorsign.abs; fma, cvt; atom on halves
    bool satfinite;                  // cvt
    bool po;                         // vmad: plus one
    int scale;                       // vmad: 7 or 15, bits of the product that are shifted out
    bool ftz, sat, approx, full, uni, cc, sync, nc, is_volatile, aligned, pack, shiftamt, noret;
    PtxRound rnd;
    PtxCmp cmp;
    PtxBool boolop;   // setp/set: combine with the last source predicate
    PtxMulPart part;  // mul/mad lo, hi, wide
    bool left;        // shf.l (true) or shf.r
    PtxShfMode shf;
    PtxShfl shfl;
    PtxVote vote;  // vote; match uses ALL/ANY
    PtxAtom atom;  // atom, red; bar.red uses AND/OR and ADD for popc
    PtxPrmt prmt;
    PtxTestp testp;
    PtxSem sem;        // ld/st/atom/red/fence; is_volatile is set too for .volatile
    PtxScope scope;    // the same and membar (.gl is GPU)
    PtxCache cache;    // ld/st
    PtxEvict evict;    // ld/st
    int l2_prefetch;   // ld: bytes of the .L2::64B hints, else 0
    int level;         // prefetch: 1 or 2
    const char *text;  // PTX_UNSUPPORTED: the instruction as written, on one line
    // also as written, but with the names of registers and variables in the function
    const char *resolved;
    const char *why;                    // PTX_UNSUPPORTED: the unsupported feature
    PtxOperand opnd[PTX_MAX_OPERANDS];  // as written, destination first
    int nopnd;
    PtxOperand dst2;  // second destination: setp p|q, shfl r|p, match d|p; kind NONE if absent
    // call only
    PtxOperand *call_rets, *call_args;  // REG or, for .param variables, MEM with BASE_VAR offset 0
    int ncall_rets, ncall_args;
    // brx.idx only: labels of the .branchtargets list
    int *targets;
    int ntargets;
    int line, col;  // position of the mnemonic in the PTX text
    int src_line;   // line of the CUDA source by .loc, 0 if unknown
} PtxInst;

// ---- declarations ----

// A relocation in an initializer: the word at `offset` is the address of variable `var` + `addend`
// (generic(x) gives the generic address).
typedef struct PtxReloc {
    int offset, bytes;
    int var;  // index into PtxModule.vars; -1: function
    int func;
    int64_t addend;
    bool generic;
} PtxReloc;

typedef struct PtxVar {
    const char *name;
    PtxSpace space;
    PtxType type;  // element type
    int vec;       // .v2/.v4, else 1
    int align;
    int64_t bytes;  // 0 for `.extern .shared x[]`
    bool is_extern, is_visible, is_array, is_weak;
    bool is_texref;  // .texref: the bytes of a texture record
    bool is_reg;     // parameter of a .func in register `reg`, not in .param space
    int reg;
    // element of a vector of registers, which becomes that many parameters: vec for .x down to 1;
    // otherwise 0
    int element;
    uint8_t *init;  // NULL: zero
    PtxReloc *relocs;
    int nrelocs;
    int64_t offset;  // offset in its space, set by the parser: params and rets of a function
                     // offset in its block of param_bytes; .param variables of call sequences in
                     // its block of call_bytes; .local in its frame of local_bytes.
                     // Module scope and .shared: see csrc/launch.
    int line, col;
} PtxVar;

typedef struct PtxReg {
    const char *name;  // "%r12"
    PtxType type;
} PtxReg;

typedef struct PtxLabel {
    const char *name;
    int inst;  // index of the instruction after it; == ninsts at the end
    int line;
} PtxLabel;

typedef struct PtxFunc {
    const char *name;
    bool is_entry, is_extern, is_visible, is_prototype_only, is_weak;
    PtxVar *params;  // entry: kernel parameters with .offset in the parameter block
    int nparams, cap_params;
    int64_t param_bytes;
    PtxVar *rets;  // .func return parameters
    int nrets, cap_rets;
    PtxVar *vars;         // function scope: .local, .shared, .param; params and rets are copied
    int nvars, cap_vars;  //   here first (params, then rets), so operands use one index space
    int64_t local_bytes;  // frame of .local variables
    int64_t call_bytes;   // block of the .param variables declared in the body (call sequences)
    PtxReg *regs;
    int nregs, cap_regs;
    PtxLabel *labels;
    int nlabels, cap_labels;
    PtxInst *insts;
    int ninsts, cap_insts;
    int maxntid[3], reqntid[3];  // 0 if absent
    int minnctapersm, maxnreg;   // 0 if absent
    int address_bits;            // the module's
    const char *refused;         // reason why it cannot run (.explicitcluster ...); NULL if it can
    int refused_line, refused_col;
    int line, col;
} PtxFunc;

typedef struct PtxModule {
    Arena *arena;
    SourceText src;
    int version_major, version_minor;
    const char *target;  // "sm_75"
    // the target is sm_10 to sm_13: .f32 instructions flush subnormal numbers to zero
    bool sm_1x;
    bool map_f64;        // .target map_f64_to_f32: .f64 instructions became .f32 ones
    const char *source;  // first .file, NULL without debug data
    // 64, or 32: the default of PTX, in which a register of either width is an address
    int address_bits;
    PtxVar *vars;  // module scope .global, .const, .shared (also extern shared)
    int nvars, cap_vars;
    PtxFunc *funcs;
    int nfuncs, cap_funcs;
} PtxModule;

static inline int ptx_version(const PtxModule *m) {
    return 10 * m->version_major + m->version_minor;
}

// ---- parse.c, check.c, print.c ----

// Parses and checks PTX text. All memory is the arena's. NULL on error (d names file:line:col).
PtxModule *ptx_parse(Arena *arena, const char *path, const char *text, size_t len, Diag *d);

// Loads a file and calls ptx_parse.
PtxModule *ptx_load(Arena *arena, const char *path, Diag *d);

// Does `name` match a C++ name? It matches the name itself, or its parts without template arguments
// and parameters, qualified or the last part alone (_ZN3app4scanIfEEvPT_: app::scan, scan).
bool ptx_name_is(const char *mangled, const char *name);
// A C++ name without template arguments and parameters; other names are unchanged.
void ptx_plain_name(const char *mangled, char *buf, size_t size);

// The entry of that name, or the only entry with that short name (ptx_name_is). NULL with a message
// that lists the entries if none matches. Also NULL if the entry or a function that it calls
// contains an unsupported instruction, or calls a function without a body.
//
// ptx_parse itself accepts modules in which other kernels use unsupported features: such an
// instruction becomes PTX_UNSUPPORTED and is refused here.
const PtxFunc *ptx_entry(const PtxModule *m, const char *name, Diag *d);

// Can a kernel call the function? The function and all its callees must have a body without
// unsupported instructions.
bool ptx_callable(const PtxModule *m, const PtxFunc *f, Diag *d);

// Reports the refusal of a PTX_UNSUPPORTED instruction. Returns false.
bool ptx_refuse(const PtxModule *m, const PtxInst *in, Diag *d);

// Finds the module's variables that the entry and its callees read, and those that they may write,
// also through pointers. Sets read[v] and written[v], but never clears them; sets `written` in
// doubtful cases.
void ptx_variable_uses(const PtxModule *m, const PtxFunc *entry, bool *read, bool *written);

// The address of function i of a module: above all memory addresses.
static inline uint64_t ptx_function_address(int i) {
    return 0x5c00000000ull + 16ull * ((uint64_t)i + 1);
}

// Is `name` one of the functions the simulated runtime provides (vprintf, malloc, ...)?
bool ptx_is_runtime_function(const char *name);

// Prints the module as PTX that parses to an equal module (same registers, instructions, data).
void ptx_print(FILE *out, const PtxModule *m);
// One instruction as text, without newline, into buf.
void ptx_print_inst(char *buf, size_t size, const PtxModule *m, const PtxFunc *f,
                    const PtxInst *in);

// Can control continue from instruction i to i+1? (false after bra without guard, ret, exit, trap)
bool ptx_falls_through(const PtxInst *in);

#endif
