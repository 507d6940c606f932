// SPDX-License-Identifier: Apache-2.0
// The compiler's own form: machine instructions on virtual registers, in basic blocks.
//
// A virtual register has a width: 1, 2 or 4 words, or 0 for a predicate. Any source may be an
// immediate or a constant-bank operand until legalize.c moves operands that the machine does not
// accept into registers. IrPseudo adds pseudo opcodes to the machine's opcodes; each entry names
// the pass that removes it.
//
// 8- and 16-bit values occupy the low bits of one word. The bits above them are NOT defined. An
// operation that reads them (compare, shift right, divide, convert, extend) extends the value first
// (ISA_EXT). simplify.c removes extensions of values that are already extended.
#ifndef SMCOSIM_COMPILE_IR_H
#define SMCOSIM_COMPILE_IR_H

#include "compile/compile.h"
#include "config/occupancy.h"

typedef enum IrPseudo {
    IR_PHI =
        ISA_OP_COUNT,  // one source per predecessor, in its order (ssa.c makes, destruct.c removes)
    IR_COPY,           // d = a, any width or predicate (copies left at the end are MOV or PLOP3)
    IR_JOIN,           // d = sources joined, low first (alloc turns the rest into moves)
    IR_SPLIT,          // d = words [mode, mode + width of d) of a
    IR_ADD64,          // d = (+-)a + (+-)b                              these go in lower_expand.c:
    IR_MUL64,          // d = low 64 bits of a * b
    IR_SHL64,          // d = a << min(b, 64)
    IR_SHR64,          // d = a >> min(b, 64), type u64/s64
    IR_LOP64,          // d = two-input function of a and b by truth table `lut` (c plays no part)
    IR_SEXT64,         // d = a, one word sign-extended to two
    IR_SETP64,         // d = two-input function of a and b by truth table `lut` (c is ignored)
    IR_FNEG,  // d = -a, type f32/f64, ftz                      (opt/ into sources, lower_expand.c)
    IR_FABS,  // d = |a|
    IR_RELOAD,  // d = spill slot at `offset` of local memory     (spill.c makes, emit.c: LD)
    IR_SAVE,    // spill slot = a                                  (emit.c: ST)
    IR_OP_COUNT
} IrPseudo;

enum { IR_NONE = -1, IR_PT = -1 };  // no register; the predicate that is always true

typedef struct IrSrc {
    IsaSrcKind kind;
    uint8_t width;  // words; 0: predicate (PHI and COPY only)
    bool neg, abs;  // on a predicate: neg is the complement
    uint8_t cbank;
    int reg;
    uint64_t imm;  // IMM: value; CONST: byte offset
} IrSrc;

typedef struct IrPred {
    int reg;  // IR_PT: true
    bool neg;
} IrPred;

typedef struct IrInst {
    int op;       // IsaOp or IrPseudo
    int dst;      // register or IR_NONE
    int pdst[2];  // predicates or IR_NONE
    IrPred guard, psrc[3];
    IrSrc *src;
    int nsrc;
    IsaInst mod;  // modifiers: type, cmp, mode, offset ... ; its operand fields are not used
    int id;       // scratch number of a pass
} IrInst;

// The last instruction of a block selects the successor. BRA with a guard selects succ[0] if the
// guard is true, otherwise succ[1]. BRX selects succ[table[i]]. Unguarded EXIT or TRAP ends the
// program. Any other instruction selects succ[0].
typedef struct IrBlock {
    IrInst **insts;
    int ninsts, cap_insts;
    int *succ, nsucc;
    int *pred, npred;
    int *table, ntable;  // BRX: indices into succ
    int seq;             // order in the PTX text (lower.c)
    int idom;            // immediate dominator, -1 for the entry (cfg.c)
    int ipdom;           // immediate post-dominator, -1: the exit
    int loop_depth;
    int rpo;              // position in reverse postorder, -1: unreachable
    int dom_in, dom_out;  // preorder interval in the dominator tree
} IrBlock;

typedef struct Ir {
    Arena *arena;
    const char *name;
    const SourceText *source;  // for messages; NULL after parsing IR text
    IrBlock *blocks;           // block 0 is the entry; the array order is the layout order
    int nblocks, cap_blocks;
    uint8_t *width;  // per virtual register: 0 (predicate), 1, 2, 4
    int nvregs, cap_vregs;
    int *order;  // blocks in reverse postorder (cfg.c)
    int norder;
    int64_t local_bytes, spill_bytes, shared_bytes, param_bytes;
    int *zero_params, nzero_params, cap_zero_params;  // see IsaProgram
    int spill_loads, spill_stores;
    int max_barrier;
} Ir;

// ---- ir.c: building and walking ----

int ir_vreg(Ir *ir, int width);
int ir_block(Ir *ir);
IrInst *ir_inst(Ir *ir, int op, int nsrc);  // no operands set, not in any block
IrInst *ir_append(Ir *ir, int block, int op, int nsrc);
// inserts before the instruction at index `at`
void ir_insert(Ir *ir, int block, int at, IrInst *in);
IrInst *ir_clone(Ir *ir, const IrInst *in);
void ir_set_succ(Ir *ir, int block, int n, const int *succ);
int ir_terminator(const IrBlock *b);  // index of the last BRA/BRX/EXIT/TRAP, or ninsts

IrSrc ir_reg(const Ir *ir, int vreg);
IrSrc ir_imm(uint32_t value);
IrSrc ir_imm64(uint64_t value);
IrSrc ir_const(int bank, uint64_t offset, int width);
bool ir_is_imm(const IrSrc *s, uint64_t value);
bool ir_same_src(const IrSrc *a, const IrSrc *b);

const char *ir_op_name(int op);
bool ir_is_pseudo(int op);
bool ir_is_clock(int sreg);  // a special register that holds the time
// May the instruction be removed if no instruction reads its results?
bool ir_is_pure(const IrInst *in);
// Do equal operands give an equal result at any position? (a candidate of value numbering)
bool ir_is_repeatable(const IrInst *in);
bool ir_is_terminator(const IrInst *in);  // ends its block: BRA, BRX, unguarded EXIT and TRAP
bool ir_is_memory(const IrInst *in);
bool ir_is_convergent(const IrInst *in);  // depends on other lanes or on the set of active lanes
IsaTiming ir_timing(int op);

// Calls `f` for every register that an instruction reads, predicates and guard included.
#define IR_FOR_USES(in, name) \
    for (IrUseIter it_##name = {(in), 0, IR_NONE}; ir_next_use(&it_##name);) \
        for (int name = it_##name.reg, once_##name = 1; once_##name; once_##name = 0)
typedef struct IrUseIter {
    const IrInst *in;
    int at, reg;
} IrUseIter;
bool ir_next_use(IrUseIter *it);
// Registers written: at most 3. Returns the count.
int ir_defs(const IrInst *in, int defs[3]);

// ---- text (irtext.c) ----
void ir_print(FILE *out, const Ir *ir);
void ir_print_inst(char *buf, size_t size, const Ir *ir, const IrInst *in);
Ir *ir_parse(Arena *arena, const char *path, const char *text, size_t len, Diag *d);

// A piece of a program as text, with names for registers, blocks and numbers. The caller supplies
// some of them. (irtext.c)
typedef struct IrName {
    const char *name;
    int64_t value;
} IrName;
typedef struct IrPiece {
    Ir *ir;
    IrName *names;
    int nnames, cap_names;
    // a line `= HOLE` of the block
    void (*fill)(struct IrPiece *p, void *ctx, const char *hole, int block);
    void *ctx;
} IrPiece;
void ir_name(IrPiece *p, const char *name, int64_t value);
int ir_named(const IrPiece *p, const char *name);
// Adds text to the program; the text is part of the compiler, so an error in it is a panic.
void ir_add(IrPiece *p, const char *text);

// ---- passes; each file's head says what it requires, provides and destroys ----
typedef struct CompileUnit {  // inputs of lowering besides the entry
    const PtxModule *module;
    const ModuleLayout *layout;
    const SharedLayout *shared;
    int stack_bytes;  // stack bytes per thread, for recursive functions
} CompileUnit;
// Registers that a kernel may use, and limits of its launches from its bounds (.minnctapersm and
// the like). (limit.c)
typedef struct RegLimit {
    int most;     // registers per thread
    int warps;    // number of warps that are resident if the bounds hold; 0: unknown
    CtaNeed cta;  // threads 0: unknown
    bool widths;  // one register shall keep values of one width
} RegLimit;
RegLimit register_limit(const PtxFunc *f, int64_t shared_bytes, const CompileOptions *o);
// The entry up to allocation: in SSA form, optimized and scheduled. NULL: refused. (compile.c)
Ir *compile_to_ir(Arena *arena, const CompileUnit *u, const PtxFunc *entry, const CompileOptions *o,
                  const RegLimit *limit, Diag *d);
bool lower_entry(Ir *ir, const CompileUnit *u, const PtxFunc *entry, Diag *d);
void cfg_clean(Ir *ir);  // drops unreachable blocks, merges chains, threads empty blocks
// index of the successor that its BRA or BRX always takes; -1: the successor varies
int cfg_decided(const IrBlock *k);
void cfg_analyze(Ir *ir);  // preds, order, idom, ipdom, loop_depth
bool cfg_dominates(const Ir *ir, int a, int b);
// Control dependence: block b post-dominates a successor of block `branch` and not `branch` itself.
bool cfg_depends(const Ir *ir, int b, int branch);
void cfg_split_edges(Ir *ir);
void exits_guarded(Ir *ir);  // ifconvert.c
bool if_convert(Ir *ir);
void merge_blocks(Ir *ir);
void ssa_build(Ir *ir);
// An EXIT or TRAP that every lane executes ends its block; one that no lane executes is removed.
// Decided branches are treated in the same way. True if a block lost successors.
bool ir_cut_decided(Ir *ir, Arena *scratch);
bool ir_simplify(Ir *ir);       // one round; true when something changed
void narrow_addresses(Ir *ir);  // narrow.c
void ir_remove_dead(Ir *ir);
void ir_expand(Ir *ir);
void ir_legalize(Ir *ir);
void ir_schedule(Ir *ir, const MachineConfig *cfg, const RegLimit *limit);
void ssa_destruct(Ir *ir);
// The physical register of each virtual register.
typedef struct AllocResult {
    uint8_t *reg;   // per virtual register: first register or predicate number; ISA_RZ: unused
    int *value_of;  // per virtual register: the register whose value it holds (spill temporaries),
                    // otherwise itself
    int nregs, npreds;
} AllocResult;
bool alloc_registers(Ir *ir, const RegLimit *limit, const MachineConfig *cfg, AllocResult *out,
                     Diag *d);
bool alloc_check(const Ir *ir, const AllocResult *a, Diag *d);
IsaProgram *emit_program(Arena *arena, Ir *ir, const AllocResult *a, Diag *d);

// Verifier; `ssa` demands one definition per register that dominates its uses. Panics with the pass
// name.
void ir_verify(const Ir *ir, bool ssa, const char *after);

// Liveness per block as bit sets of units; a unit is one word of a register or one predicate.
typedef struct Live {
    int nunits, words;   // units; 64-bit words per set
    int *unit;           // per virtual register: its first unit
    uint64_t *in, *out;  // [block * words]
} Live;
void live_compute(Live *l, const Ir *ir, Arena *scratch);
int ir_units(int width);  // units of a register of this width: 1 for a predicate
// Units that an instruction reads (not PHI) and writes; arrays of IR_MAX_UNITS. Return the count.
enum { IR_MAX_UNITS = 24 };
int live_uses(const Live *l, const Ir *ir, const IrInst *in, int *units);
int live_defs(const Live *l, const Ir *ir, const IrInst *in, int *units);
static inline bool bit_get(const uint64_t *set, int i) { return set[i >> 6] >> (i & 63) & 1; }
static inline void bit_set(uint64_t *set, int i) { set[i >> 6] |= 1ull << (i & 63); }
static inline void bit_clear(uint64_t *set, int i) { set[i >> 6] &= ~(1ull << (i & 63)); }

#endif
