// SPDX-License-Identifier: Apache-2.0
// The machine instruction set: csrc/compile emits it and csrc/sm executes it. isa.def lists the
// opcodes with their meaning. This comment applies to all opcodes.
//
// State. A thread has up to 63 general registers R0..R62 of 32 bits; RZ reads as zero and ignores
// writes. 64-bit values are aligned pairs (Rn, Rn+1), n even, low word first; 128-bit memory data
// are aligned quads. Seven predicates P0..P6 and PT (always true) are in the SM, not in the
// register file.
//
// Instructions. An instruction has at most three register sources, each of 1, 2 or 4 words, and one
// destination. It also has two predicate destinations, three predicate sources and a guard
// predicate. A lane whose guard is false has no effect. A source may also be an immediate or a
// constant-bank operand: bank 0 holds the kernel parameters, bank 3 the module's .const variables.
// An instruction that reads more than three different warp registers passes through the operand
// collector in two micro-operations and executes after the second. An instruction occupies 8 bytes
// of the program counter.
//
// Arithmetic. csrc/isa/lane.h defines NaN, .ftz, .sat, division by zero, shifts by too much and
// conversions out of range. Source modifiers - and |x| act on floating-point sources of arithmetic,
// comparison, MUFU and CVT, the absolute value first. On IADD, IMUL, IMAD and LEA they act as two's
// complement.
// Carries. Without .x an IADD or IMAD (lo, hi) adds 1 for a negated source. Its carry out is that
// of the 33-bit sum, so a - b has carry out 1 if it did not borrow. With .x the carry in replaces
// the added ones. 64-bit addition is iadd Rl|P, a, b then iadd.x Rh, a', b', {P}.
// Lanes. SHFL returns a lane's own value if the source lane does not execute. VOTE, MATCH and REDUX
// use the executing lanes that are in the member mask.
//
// Control. BRA sends the lanes whose guard holds to its target. Diverged lanes reconverge at
// `reconv`, the immediate post-dominator, or end separately (exit). BRX branches to entry a of a
// table. A warp arrives at a barrier as a whole. EXIT ends lanes.
//
// Registers divided into two sets (RegMutex). When a program's base_regs is not 0, registers from
// base_regs on are extended. A warp may use extended registers only between ACQ and REL, which act
// on the whole warp and ignore its active lanes. A program for pairs of warps that share extended
// registers (OWF) has neither ACQ nor REL. Its first instruction that uses an extended register
// acquires them.
//
// Scalar threads. A CTA may have one scalar thread in addition to its warps, with its own program
// (IsaProgram.scalar). The thread runs in one lane, as thread 0 of the CTA. It has its own
// registers and predicates and accesses the CTA's shared memory. It has no operation between lanes,
// no local memory and no system call. A barrier with k = 1 (with_scalar) expects warps and thread,
// a barrier without it only the warps.
//
// Scalar registers. In a program for the scalar unit's warp mode, the last scalar_regs registers
// are in a scalar file, one word each for all lanes. An instruction with_scalar executes once for
// the warp: all its registers are scalar, words or pairs. All lanes of the warp execute it, with
// the same operands. It is arithmetic, or a load of memory that no store writes. Any other
// instruction reads at most one scalar register or pair, and writes none.
//
// Memory. Addresses are one word (offset in .shared or .local, or a 32-bit address) or a pair.
// Atomics are performed at L2 (global) or in shared memory. SYSCALL passes a block in the thread's
// local memory, fields naturally aligned:
//   vprintf     {u64 format, u64 arguments} -> number of conversions
//   assertfail  {u64 message, u64 file, u32 line, u64 function, u64 charsize}
//   malloc      {u64 bytes} -> pair
//   free        {u64 address}
//
// Assembler syntax (isa_print, isa_parse; one instruction per line, // comments):
//   [@[!]Pn] mnemonic{.modifier}{.key=number} destination[|Pn[|Pn]], source, ..., [{predicates}]
//   destination  R4  R4.64 (pair)  R4.128 (quad)  RZ  _ (none)
//   source       R4  R4.64  -R4  |R4|  0x10  0x10.64  c[0][0x8]  c[3][0x10].64  _ (left out)
//   address [R4.64+16] [_+4] first source of ld st atom ldc prefetch syscall
//   modifiers    types u8..f64, bf16, f16x2, bf16x2, tf32, e4m3, e5m2 (cvt: destination, source),
//                comparison and combination of setp,
//                lo hi wide, function of mufu, operation of atom, global shared local line, cg cs
//                cv, rz rm rp rni rzi rmi rpi rna, ftz sat approx ordered nc, x (carry in),
//                b8..b128 (bits of an access)
//                all any uni ballot (vote, match)
//   names        and R1, R2, R3    or    xor    not R1, R2: lop3 with that truth table, sources
//                omitted are RZ
//   keys         lut shift mode bank last write; homeless and scalar (bar with k = 1, or on the
//                scalar unit) take no number
//   branches     bra _, L12, L20 (target, reconvergence; `exit`: none)   brx _, R4, T0, L20
//   L12:         label of instruction 12
//
// A kernel starts with .kernel NAME and these header lines:
//   `.regs`, `.preds`, `.local`, `.spill BYTES LOADS STORES`, `.shared`, `.params` and `.barriers`.
//   `.split BASE EXTENDED GIVEN` if registers are split.
//   `.scalars N` if the last N registers are scalar.
//   `.window PLACES ROWS HOMES` if results have write bits.
//   `.table` with labels, one line per branch table.
#ifndef SMCOSIM_ISA_ISA_H
#define SMCOSIM_ISA_ISA_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdio.h>

enum {
    ISA_LANES = 32,
    ISA_MAX_REGS = 63,
    ISA_RZ = 255,
    ISA_PT = 7,
    ISA_PREDS = 7,  // P0..P6
    ISA_INST_BYTES = 8,
    ISA_MAX_SRC_WORDS = 8,  // registers read by one instruction: ST.128 reads 2 + 4
    ISA_MAX_DST_WORDS = 4,
};

typedef enum IsaUnit { ISA_UNIT_SP, ISA_UNIT_SFU, ISA_UNIT_LDST, ISA_UNIT_CTRL } IsaUnit;

// Timing classes; each has exec.<name>.latency and exec.<name>.interval in the machine presets.
typedef enum IsaTiming {
    ISA_TIME_INT,
    ISA_TIME_CMP,
    ISA_TIME_SHIFT,
    ISA_TIME_IMUL,
    ISA_TIME_IDIV,
    ISA_TIME_FP32,
    ISA_TIME_FDIV,
    ISA_TIME_FP64,
    ISA_TIME_DDIV,
    ISA_TIME_SFU,
    ISA_TIME_CVT,
    ISA_TIME_SHFL,
    ISA_TIME_MEM,
    ISA_TIME_MMA,
    ISA_TIME_COUNT
} IsaTiming;

typedef enum IsaOp {
#define ISA_OP(id, name, unit, timing, nsrc, meaning) ISA_##id,
#include "isa/isa.def"
#undef ISA_OP
    ISA_OP_COUNT
} IsaOp;

typedef struct IsaOpInfo {
    const char *name;
    IsaUnit unit;
    IsaTiming timing;
    int nsrc;
} IsaOpInfo;
extern const IsaOpInfo isa_op_info[ISA_OP_COUNT];

typedef enum IsaType {
    ISA_U8,
    ISA_S8,
    ISA_U16,
    ISA_S16,
    ISA_U32,
    ISA_S32,
    ISA_U64,
    ISA_S64,
    ISA_F16,
    ISA_F32,
    ISA_F64,
    ISA_BF16,
    ISA_F16X2,
    ISA_BF16X2,
    ISA_TF32,
    ISA_E4M3,
    ISA_E5M2,  // of CVT
    ISA_TYPE_COUNT
} IsaType;
int isa_type_bytes(IsaType t);

typedef enum IsaCmp {
    ISA_EQ,
    ISA_NE,
    ISA_LT,
    ISA_LE,
    ISA_GT,
    ISA_GE,
    ISA_EQU,
    ISA_NEU,
    ISA_LTU,
    ISA_LEU,
    ISA_GTU,
    ISA_GEU,  // or unordered
    ISA_NUM,
    ISA_NAN
} IsaCmp;
// isa_cmp_swapped(c) of (b, a) equals c of (a, b).
static inline IsaCmp isa_cmp_swapped(IsaCmp c) {
    switch (c) {
    case ISA_LT: return ISA_GT;
    case ISA_LE: return ISA_GE;
    case ISA_GT: return ISA_LT;
    case ISA_GE: return ISA_LE;
    case ISA_LTU: return ISA_GTU;
    case ISA_LEU: return ISA_GEU;
    case ISA_GTU: return ISA_LTU;
    case ISA_GEU: return ISA_LEU;
    default: return c;
    }
}
typedef enum IsaBool { ISA_AND, ISA_OR, ISA_XOR } IsaBool;
typedef enum IsaBar { ISA_BAR_SYNC, ISA_BAR_ARRIVE, ISA_BAR_RED } IsaBar;  // mode of BAR
// Truth tables of LOP3 and PLOP3: inputs a, b, c are bits 4, 2, 1 of the index. ANDN: a & ~b.
enum {
    ISA_LUT_A = 0xf0,
    ISA_LUT_B = 0xcc,
    ISA_LUT_C = 0xaa,
    ISA_LUT_AND = 0xc0,
    ISA_LUT_OR = 0xfc,
    ISA_LUT_XOR = 0x3c,
    ISA_LUT_ANDN = 0x30,
    ISA_LUT_NOT = 0x0f
};
typedef enum IsaPart { ISA_LO, ISA_HI, ISA_WIDE } IsaPart;
// Rounding: to nearest even, towards zero, down, up; the I forms round to integral (cvt); RNA: to
// nearest, ties away from zero (cvt to tf32).
typedef enum IsaRound {
    ISA_RN,
    ISA_RZ_,
    ISA_RM,
    ISA_RP,
    ISA_RNI,
    ISA_RZI,
    ISA_RMI,
    ISA_RPI,
    ISA_RNA
} IsaRound;
static inline bool isa_round_is_integral(IsaRound r) { return r >= ISA_RNI && r <= ISA_RPI; }
typedef enum IsaMufu {
    ISA_MUFU_RCP,
    ISA_MUFU_SQRT,
    ISA_MUFU_RSQ,
    ISA_MUFU_SIN,
    ISA_MUFU_COS,
    ISA_MUFU_EX2,
    ISA_MUFU_LG2,
    ISA_MUFU_TANH
} IsaMufu;
// ISA_LINE: the 128 bytes of the line that an assist warp processes; kernels cannot access it.
typedef enum IsaSpace { ISA_GENERIC, ISA_GLOBAL, ISA_SHARED, ISA_LOCAL, ISA_LINE } IsaSpace;
typedef enum IsaSyscall {
    ISA_SYS_VPRINTF,
    ISA_SYS_ASSERTFAIL,
    ISA_SYS_MALLOC,
    ISA_SYS_FREE
} IsaSyscall;
enum { ISA_CVT_RELU = 1, ISA_CVT_SATFINITE = 2 };  // bits of the mode of CVT
// Mode of the TRAP that ends a kernel whose recursion has exhausted the stack.
enum { ISA_TRAP_STACK = 1 };
// Cache operator of a load or store, timing only.
typedef enum IsaCacheOp {
    ISA_CACHE_ALL,
    ISA_CACHE_L2,
    ISA_CACHE_STREAM,
    ISA_CACHE_VOLATILE
} IsaCacheOp;

// Metadata (HINT): systems of register packing, thesis section 2.4.2 and 2.5.1.
typedef enum IsaHint { ISA_HINT_PAIRS, ISA_HINT_ALIGN, ISA_HINT_RELEASE } IsaHint;
typedef enum IsaAlign { ISA_ALIGN_ANY, ISA_ALIGN_LEFT, ISA_ALIGN_RIGHT } IsaAlign;
enum {
    ISA_HINT_NONE = 63,         // no register in a 6-bit field
    ISA_HINT_PAIR_COUNT = 4,    // pairs of one HINT
    ISA_HINT_ALIGN_COUNT = 27,  // registers of one HINT
    ISA_HINT_RELEASE_COUNT = 9,
};

// Destination of a result on machines whose collectors keep results (BOW-WR): bits {BOC, RF}. Used
// in a program with a window.
enum {
    ISA_WRITE_RF = 1,   // the register file, immediately or when it leaves the collector
    ISA_WRITE_BOC = 2,  // the collector of the warp
};

// mode of MOV: makes room for a REL, inserted by csrc/compile/regions
enum { ISA_MOV_COMPACTS = 1 };

typedef enum IsaSrcKind { ISA_SRC_NONE, ISA_SRC_REG, ISA_SRC_IMM, ISA_SRC_CONST } IsaSrcKind;

typedef struct IsaSrc {
    IsaSrcKind kind;
    uint8_t reg;    // REG: first register, ISA_RZ for zero
    uint8_t width;  // words: 1, 2 or 4
    bool neg, abs;  // floating point: sign handling before the operation; integer: see the opcode
    uint8_t cbank;  // CONST: 0 launch parameters, 3 module constants
    uint64_t imm;   // IMM: value (64 bits wide for width 2); CONST: byte offset in the bank
} IsaSrc;

typedef struct IsaPred {
    uint8_t reg;  // 0..6, ISA_PT
    bool neg;
} IsaPred;

typedef struct IsaInst {
    IsaOp op;
    IsaPred guard;      // ISA_PT, not negated: always
    uint8_t dst;        // first destination register, ISA_RZ for none
    uint8_t dst_width;  // words written: 0, 1, 2, 4
    IsaSrc src[3];
    IsaPred psrc[3];  // ISA_PT where unused
    uint8_t pdst[2];  // ISA_PT where unused
    bool has_cin;     // IADD, IMAD: psrc[0] is the carry in
    IsaType type, stype;
    IsaCmp cmp;
    IsaBool boolop;
    IsaPart part;
    IsaRound rnd;
    IsaMufu mufu;
    IsaSpace space;
    IsaCacheOp cache;
    bool ftz, sat, approx;
    bool ordered;   // volatile, relaxed, acquire, release: bypasses L1
    bool readonly;  // ld.global.nc
    uint8_t lut;    // LOP3, PLOP3
    uint8_t shift;  // LEA
    uint8_t mode;   // see isa.def
    uint8_t last;   // bit i: the registers of source i are dead after this read
    uint8_t write;  // ISA_WRITE_*, with a result in a program with a window, else 0
    bool homeless;  // the result's registers are not allocated in the register file
    // BAR: k = 1, the barrier also expects the CTA's scalar thread; others: runs on the scalar unit
    bool with_scalar;
    uint8_t atom;            // PtxAtom number (ATOM, BAR red, REDUX)
    uint8_t sreg;            // PtxSreg number (S2R)
    uint8_t cbank;           // LDC
    uint8_t mem_bytes;       // bytes per lane: 1, 2, 4, 8, 16
    int32_t offset;          // memory: byte offset added to the address
    int32_t target, reconv;  // BRA: instruction index; BRX: table number; reconv -1: at exit
    int32_t ptx_line;        // PTX source line
} IsaInst;

// Special registers of scalar threads, which PTX does not have, numbered after PTX's (PtxSreg).
enum {
    ISA_SREG_CTA_LINEAR = 192,  // number of the thread's CTA in the grid, x first
    // SMs times CTAs that are resident at the same time; fixed at launch and independent of the
    // grid
    ISA_SREG_NCTA_RESIDENT,
};

// A computation that assist warps memoize: instructions first..after-1 of one basic block. They
// read only registers and constants. Inputs that vary within the kernel are the registers in[].
// Later code reads only `out` of their results.
enum { ISA_MOST_REGIONS = 8, ISA_REGION_INPUTS = 2 };
typedef struct IsaRegion {
    int first, after;
    uint8_t nin, in[ISA_REGION_INPUTS], out;
} IsaRegion;

// One compiled kernel. Owned by the arena it was made on.
typedef struct IsaProgram {
    const char *name;
    IsaInst *insts;
    int ninsts;
    int nregs;  // general registers per thread, 1..63
    // registers from R0 on that are allocated in the register file
    int home_regs;
    // window and rows of a collector for which write bits were computed; 0: no write bits
    int window, rows;
    int npreds;
    int64_t local_bytes;  // per thread: local frame, then spill slots
    int64_t spill_bytes;
    int spill_loads, spill_stores;  // static count
    int64_t shared_bytes;           // static shared memory per CTA
    int64_t param_bytes;
    int *zero_params;  // byte offsets of parameter words that the code assumes to be zero: the
    int nzero_params;  // high words of pointers, with addresses of 32 bits
    int **tables;      // branch tables of BRX: instruction indices
    int *table_len;
    int ntables;
    int max_barrier;  // highest barrier number + 1, 0 if none
    // Registers that a warp owns, and registers that it acquires with ACQ. Both 0: not split.
    // ext_regs 0: all nregs are base registers.
    int base_regs, ext_regs;
    // a loop that ends only when another warp has written executes with a section held
    bool spins;
    // The last registers are words of a scalar file: one for all lanes of the warp. home_regs
    // counts the registers before them.
    int scalar_regs;
    // R: registers that a thread gets without a split; base_regs + ext_regs with a split
    int given_regs;
    IsaRegion *regions;  // computations that assist warps memoize
    int nregions;
    int *strided;  // loads for which assist warps prefetch: instruction indices
    int nstrided;
    const struct IsaProgram *scalar;  // program of the scalar thread of each CTA; NULL: none.
                                      //   It shares this program's parameters and shared memory
    // Only the first ceil(G / 2) of G CTAs start; their scalar threads do the others' work
    bool half_grid;
    // describes the use of the scalar unit or the reason for none; NULL: not requested
    const char *scalar_note;
} IsaProgram;

// ---- properties (isa.c) ----

// Registers that an instruction reads, one entry per word, in the order a, b, c, low word first.
// Immediate, constant and RZ sources give no entry. Returns the count (0..8).
int isa_reads(const IsaInst *in, uint8_t regs[ISA_MAX_SRC_WORDS]);
// Registers that it writes; returns the count (0..4).
int isa_writes(const IsaInst *in, uint8_t regs[ISA_MAX_DST_WORDS]);
uint8_t isa_pred_reads(const IsaInst *in);   // bit mask of P0..P6, guard included
uint8_t isa_pred_writes(const IsaInst *in);  // bit mask of P0..P6
// Distinct registers that it reads: a register in several sources counts once; returns the count.
int isa_distinct_reads(const IsaInst *in, uint8_t regs[ISA_MAX_SRC_WORDS]);
// Successor k of instruction i: an instruction, -1 for no successor at this k, -2 after the last.
int isa_successor(const IsaProgram *p, int i, int k);
// Can the operation be with_scalar in a program with scalar registers?
bool isa_scalar_unit_has(const IsaInst *in);

// Text of one instruction in assembler syntax, without newline; isa_parse_inst reads it back.
void isa_print_inst(char *buf, size_t size, const IsaInst *in);
void isa_print(FILE *out, const IsaProgram *p);
// Parses the output of isa_print, with labels, tables and header lines. NULL on error.
IsaProgram *isa_parse(Arena *arena, const char *path, const char *text, size_t len, Diag *d);
// Checks widths, alignment, register numbers, targets. Returns false with a message for the first
// fault.
bool isa_check(const IsaProgram *p, Diag *d);

// ---- lane arithmetic of a warp instruction (alu.c, on csrc/isa/lane.h) ----

// Inputs of one execution besides registers. Arrays are indexed by lane.
typedef struct IsaExecIn {
    const uint32_t *src[3][4];  // src[i][w]: 32 lane words of word w of source i; immediates and
                                //   constants are already broadcast by the caller
    uint32_t psrc[3];           // lane masks of the source predicates, negation applied
    uint32_t active;            // lanes that execute (guard applied)
    uint32_t present;           // lanes of the warp that are converged here (guard not applied)
} IsaExecIn;
// Results must not overlap any source.
typedef struct IsaExecOut {
    uint32_t dst[4][ISA_LANES] __attribute__((aligned(64)));
    uint32_t pdst[2];
} IsaExecOut;

// Executes one SP or SFU instruction or SHFL on all 32 lanes. Lanes outside `active` get
// unspecified but deterministic values; the caller writes only active lanes. Source modifiers
// neg/abs are applied here. Not for memory instructions, control flow and S2R.
void isa_exec(const IsaInst *in, const IsaExecIn *x, IsaExecOut *out);

// The new value of one atomic operation on one lane's memory word. old and operands as 64-bit
// patterns of `type`; returns the value to store. In global memory, sums of f32 flush subnormal
// numbers.
uint64_t isa_atomic(uint8_t atom, IsaType type, bool global, uint64_t old, uint64_t b, uint64_t c);

#endif
