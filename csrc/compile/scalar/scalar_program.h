// SPDX-License-Identifier: Apache-2.0
// The scalar thread of a CTA, which the compiler derives from the SIMT kernel. The method is that
// of "A Case for a Flexible Scalar Unit in SIMT Architecture", sections III and IV. Files:
//   `scalar_program.c` chooses a paradigm and reports.
//   `prefetch.c`, `extract.c` and `diverge.c` are the three paradigms.
//   `uniform_ops.c` and `split.c` belong to extraction.
//   `values.c` determines the values that a separate thread can compute.
//   `slice.c` and `loop_path.c` copy computations and the surrounding control flow into its
//   program.
//
// All files work on SSA form with branches (before if conversion) and with narrowed addresses. A
// paradigm leaves unsupported candidates unchanged. A note per candidate names the PTX line and the
// reason.
#ifndef SMCOSIM_COMPILE_SCALAR_H
#define SMCOSIM_COMPILE_SCALAR_H

#include "compile/ir.h"

typedef enum ScalarNoteKind { SCALAR_NOTE_DONE, SCALAR_NOTE_REFUSED } ScalarNoteKind;
typedef struct ScalarNote {
    ScalarNoteKind kind;
    const char *paradigm;
    int line;  // line of the PTX text; 0: none
    const char *text;
} ScalarNote;

// Launch parameters; receives notes and results.
typedef struct ScalarJob {
    const CompileOptions *o;
    CompileScalar paradigm;  // the paradigm in progress
    Ir *ir;                  // the SIMT program; changed only when the paradigm applies
    Ir *thread;              // the scalar program, or NULL
    bool half_grid;          // the threads do the work of the second half of the CTAs
    int64_t scratch;         // bytes of shared memory beyond the kernel's
    int64_t scratch_at;      // their offset, after the static and the dynamic bytes
    const char *summary;     // one line: the result
    // ir was changed and is no longer in SSA form; `thread` never is in SSA form
    bool changed;
    ScalarNote *notes;
    int nnotes, cap_notes;
} ScalarJob;

// Notes of one line each; `format` without a full stop.
void scalar_refuse(ScalarJob *j, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void scalar_done(ScalarJob *j, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Transforms `ir` for options->scalar. Returns false if no transformation was possible: `ir` is
// then unchanged. `out` must outlive the compilation. (scalar_program.c)
bool scalar_transform(Ir *ir, const CompileOptions *o, ScalarJob *out);
// Notes, summary and both programs' text. (scalar_program.c)
void scalar_print(FILE *out, const ScalarJob *j);
// The reason why no transformation was possible, in one line. (scalar_program.c)
const char *scalar_first_refusal(const ScalarJob *j);

// ---- values.c: what the threads of a CTA have in common ----

// Dependence of a value on the thread, best first. Every kind but OTHER can be computed by the
// scalar thread: from parameters, constants, coordinates of the CTA and read-only memory.
typedef enum CtaKind {
    CTA_OPEN,    // not determined yet
    CTA_AFFINE,  // u + sum of c[i] * tid[i], with u equal in all threads of the CTA
    CTA_TID,     // a function of tid and of uniform values of the CTA
    CTA_OTHER,   // depends on memory, lanes or time
} CtaKind;

enum { CTA_SYM_NONE = -1 };
typedef struct TidCoef {
    // CTA_SYM_NONE, or the uniform value by which k is multiplied (register or constant)
    int sym;
    int64_t k;
} TidCoef;

typedef struct CtaValue {
    CtaKind kind;
    TidCoef c[3];
} CtaValue;

typedef struct Loop {
    int header, latch;  // latch -1: several
    int parent;         // enclosing loop; -1: none
    int depth;          // 1: outermost
    bool *in;           // per block
} Loop;

typedef struct CtaValues {
    const Ir *ir;
    uint32_t block[3];  // dimensions of the launch; 0: unknown
    CtaValue *value;    // per register
    IrInst **def;       // per register
    int *def_block;
    Loop *loop;  // outer loops first
    int nloops;
    int *loop_of;     // per block: innermost loop, -1: none
    CtaKind *branch;  // per block: dependence of its branch; AFFINE: independent of the thread
} CtaValues;

// requires  SSA, cfg_analyze
void cta_values(CtaValues *v, const Ir *ir, const uint32_t block[3], Arena *arena);
// the value as read in this block
CtaValue cta_source(const CtaValues *v, const IrSrc *s, int block);
// AFFINE: equal in all threads
CtaKind cta_predicate(const CtaValues *v, IrPred p, int block);
bool cta_uniform(const CtaValue *v);
// Do all threads of the CTA that have not ended execute block b equally often? If not, `line` and
// `reason` (may be NULL) describe the cause. Branches of blocks in `without` (may be NULL) are
// ignored.
bool cta_all_pass(const CtaValues *v, int b, const bool *without, int *line, const char **reason);

// ---- lanes.c: what follows from the dimensions of a launch ----

typedef struct CtaLanes {
    const CtaValues *v;
    const uint8_t *params;  // NULL: unknown
    int64_t param_bytes;
    uint32_t grid[3], cta[3];  // grid 0: unknown, and then also `cta`
    int warp;                  // index of the warp in the CTA
} CtaLanes;
// The first warp of a grid of unknown CTAs: its values hold for all CTAs.
CtaLanes cta_launch(const CtaValues *v, const CompileOptions *o);
// The threads of the warp for which `p` holds. False: unknown.
bool cta_lanes(const CtaLanes *c, IrPred p, uint32_t *mask);
// A word that is equal in all threads of the warp. False: it is not equal, or unknown.
bool cta_word(const CtaLanes *c, const IrSrc *s, uint32_t *word);
// trips.c: the maximum number of iterations of a loop, up to 4096; 0: unknown.
int64_t cta_trips(const CtaLanes *c, const Loop *l);

// ---- slice.c: computations copied into another program ----

// Registers of `from` as seen at one position of `to`. Values that are fixed in `outer` are
// computed in `outer`.
typedef struct Slice {
    const CtaValues *v;
    Ir *to;
    int *map;                // per register of `from`: register of `to`, -1: not copied yet
    int block;               // block of `to` that receives the copies
    struct Slice *outer;     // NULL: the outermost slice
    IrSrc tid[3], ctaid[3];  // kind NONE: the machine's value
    const int *vary;         // registers bound here but not in `outer` (phis of a loop)
    int nvary;
} Slice;
void slice_open(Slice *s, const CtaValues *v, Ir *to, int block, Arena *arena);
void slice_open_inner(Slice *s, Slice *outer, int block, const int *vary, int nvary, Arena *arena);
IrSrc slice_source(Slice *s, const IrSrc *src);
int slice_register(Slice *s, int reg);
// PHIs from which a copy of `reg` is computed, in `phis` (room for `most`). -1: more PHIs.
int slice_phis(const CtaValues *v, int reg, int *phis, int most, Arena *arena);

// ---- loop_path.c: what all threads of the CTA pass, followed by the thread ----

typedef struct ThreadPath {
    const Ir *ir;
    uint32_t tid[3];  // the thread for which values are computed
    bool *needed;     // per block: the path follows its branch
    // per block (NULL: in none): at its guarded exits all threads of the CTA end, or none
    bool *together;
    int alive;  // predicate of the thread: `tid` has not ended; IR_PT: not required
} ThreadPath;
// Can the copy compute `reg` at `block`? It can use pure values, and PHIs of enclosing loops.
bool path_computes(const CtaValues *v, int reg, int block, Arena *arena);
// Adds to `needed` the branches that decide whether block b is reached, except those of blocks in
// `without` (may be NULL).
// False: one of them is not computable.
bool path_control(const CtaValues *v, int b, const bool *without, bool *needed, Arena *arena);
// Edges were split: blocks from number `nblocks` on contain no decision.
void path_grow(ThreadPath *p, int nblocks, Arena *arena);
Ir *path_copy(const Ir *ir);  // a copy with the same registers and with empty blocks
// Copies a block up to `until` (NULL: its end): values, and the needed branches.
void path_block(const ThreadPath *p, Ir *t, int block, const IrInst *until);
// the instruction as thread `tid` executes it
IrInst *path_inst(const ThreadPath *p, Ir *t, const IrInst *in);
// reason why the scalar thread cannot execute this instruction for a thread of the CTA; NULL: it
// can
const char *path_refuses(const IrInst *in, const Ir *ir);
void thread_put(Ir *t, int block, IrInst *in);

// ---- what paradigms share (scalar_program.c) ----
Ir *thread_new(const Ir *ir, const char *suffix);
// Appends an instruction with a new result of `width`; width -1: no result.
IrInst *thread_op(Ir *t, int block, int op, int width, int nsrc, int line);
IrSrc thread_sreg(Ir *t, int block, int sreg);
IrSrc thread_op2(Ir *t, int block, int op, int width, IrSrc a, IrSrc b);
IrPred thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b);
void thread_branch(Ir *t, int block, IrPred p, int yes, int no);
void thread_goto(Ir *t, int block, int to);
// creates a bar.scalar, not inserted yet
IrInst *thread_bar(Ir *t, int number);
IrSrc thread_grid(const ScalarJob *j, Ir *t, int block, int dim);  // number of CTAs of the launch
// coordinates of a CTA by its number
void thread_cta(const ScalarJob *j, Ir *t, int block, IrSrc linear, IrSrc id[3]);
// Splits the block before instruction `at`; returns the block of the instructions that follow.
int thread_cut(Ir *t, int block, int at);
int block_index_of(const Ir *ir, int block, const IrInst *in);

// ---- paradigms: true when done; ir, thread, scratch and summary are then set. False: ir is unchan
bool scalar_prefetch(ScalarJob *j);
bool scalar_extract(ScalarJob *j);
// The other kind of extraction (uniform_ops.c), if it saves more than `least` warp instructions per
// CTA.
bool scalar_uniform(ScalarJob *j, int64_t least);
// The last transformation (split.c): CTAs of one thread are divided among warps and scalar threads.
bool scalar_split(ScalarJob *j);
bool scalar_diverge(ScalarJob *j);

#endif
