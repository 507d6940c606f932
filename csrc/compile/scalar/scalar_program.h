// SPDX-License-Identifier: Apache-2.0
// The scalar thread of a CTA, which the compiler derives from the SIMT kernel. The method is that
// of "A Case for a Flexible Scalar Unit in SIMT Architecture", sections III and IV. Files:
//   `scalar_program.c` chooses a paradigm and reports.
//   `prefetch.c`, `extract.c` and `diverge.c` are the three paradigms.
//   `uniform_ops.c` and `split.c` belong to extraction.
//   `values.c` determines which values a separate thread can compute.
//   `slice.c` and `loop_path.c` copy computations and the control around them into its program.
//
// All work on SSA form with branches (before if conversion), addresses narrowed. A paradigm leaves
// unsupported candidates unchanged. A note per candidate names the PTX line and the reason.
#ifndef SMCOSIM_COMPILE_SCALAR_H
#define SMCOSIM_COMPILE_SCALAR_H

#include "compile/ir.h"

typedef enum ScalarNoteKind { SCALAR_NOTE_DONE, SCALAR_NOTE_REFUSED } ScalarNoteKind;
typedef struct ScalarNote {
    ScalarNoteKind kind;
    const char *paradigm;
    int line;  // of the PTX text, 0: none
    const char *text;
} ScalarNote;

// Launch parameters, and the place of notes and results.
typedef struct ScalarJob {
    const CompileOptions *o;
    CompileScalar paradigm;  // the one being tried
    Ir *ir;                  // the SIMT program; changed only when the paradigm applies
    Ir *thread;              // the scalar program, when there is one
    bool half_grid;          // the threads do the work of the second half of the CTAs
    int64_t scratch;         // bytes of shared memory beyond the kernel's
    int64_t scratch_at;      // their offset, behind the static and the dynamic bytes
    const char *summary;     // one line: the result
    bool changed;            // ir was changed, and is no longer in SSA form; `thread` never is
    ScalarNote *notes;
    int nnotes, cap_notes;
} ScalarJob;

// Notes of one line each; `format` without a full stop.
void scalar_refuse(ScalarJob *j, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void scalar_done(ScalarJob *j, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Transforms `ir` for options->scalar. Returns false when nothing was done: `ir` is then unchanged.
// `out` must outlive the compilation. (scalar_program.c)
bool scalar_transform(Ir *ir, const CompileOptions *o, ScalarJob *out);
// Notes, summary and both programs' text. (scalar_program.c)
void scalar_print(FILE *out, const ScalarJob *j);
// Why nothing was done, in one line. (scalar_program.c)
const char *scalar_first_refusal(const ScalarJob *j);

// ---- values.c: what the threads of a CTA have in common ----

// How a value depends on the thread, best first. Every kind but OTHER can be computed by the scalar
// thread: from parameters, constants, coordinates of the CTA and read-only memory.
typedef enum CtaKind {
    CTA_OPEN,    // not known yet
    CTA_AFFINE,  // u + sum of c[i] * tid[i], u the same in all threads of the CTA
    CTA_TID,     // a function of tid and of values of the CTA
    CTA_OTHER,   // of memory, lanes, time
} CtaKind;

enum { CTA_SYM_NONE = -1 };
typedef struct TidCoef {
    // CTA_SYM_NONE, or the value of the CTA that k is to be multiplied with (register or constant)
    int sym;
    int64_t k;
} TidCoef;

typedef struct CtaValue {
    CtaKind kind;
    TidCoef c[3];
} CtaValue;

typedef struct Loop {
    int header, latch;  // latch -1: several
    int parent;         // loop around it, -1: none
    int depth;          // 1: outermost
    bool *in;           // per block
} Loop;

typedef struct CtaValues {
    const Ir *ir;
    uint32_t block[3];  // of the launch; 0: unknown
    CtaValue *value;    // per register
    IrInst **def;       // per register
    int *def_block;
    Loop *loop;  // outer ones first
    int nloops;
    int *loop_of;     // per block: innermost loop, -1: none
    CtaKind *branch;  // per block: dependence of its branch; AFFINE: independent of the thread
} CtaValues;

// requires  SSA, cfg_analyze
void cta_values(CtaValues *v, const Ir *ir, const uint32_t block[3], Arena *arena);
CtaValue cta_source(const CtaValues *v, const IrSrc *s, int block);  // as read in this block
// AFFINE: the same in all threads
CtaKind cta_predicate(const CtaValues *v, IrPred p, int block);
bool cta_uniform(const CtaValue *v);
// Is block b executed by all threads of the CTA that have not ended, as often by each? `line` and
// `reason` (may be NULL) say why not. Branches of blocks in `without` (may be NULL) do not count.
bool cta_all_pass(const CtaValues *v, int b, const bool *without, int *line, const char **reason);

// ---- lanes.c: what follows from the dimensions of a launch ----

typedef struct CtaLanes {
    const CtaValues *v;
    const uint8_t *params;  // NULL: unknown
    int64_t param_bytes;
    uint32_t grid[3], cta[3];  // grid 0: unknown, and `cta` then too
    int warp;                  // of the CTA
} CtaLanes;
// The first warp of a grid of unknown CTAs: its values hold for all CTAs.
CtaLanes cta_launch(const CtaValues *v, const CompileOptions *o);
// The threads of the warp for which `p` holds. False: unknown.
bool cta_lanes(const CtaLanes *c, IrPred p, uint32_t *mask);
// One word, the same in all threads of the warp. False: it is not, or not known.
bool cta_word(const CtaLanes *c, const IrSrc *s, uint32_t *word);
// trips.c: the most iterations of a loop, up to 4096; 0: not known.
int64_t cta_trips(const CtaLanes *c, const Loop *l);

// ---- slice.c: computations copied into another program ----

// Registers of `from` as seen in one place of `to`. Values that are fixed in `outer` are computed
// there.
typedef struct Slice {
    const CtaValues *v;
    Ir *to;
    int *map;                // per register of `from`: register of `to`, -1: not copied yet
    int block;               // of `to`: gets the copies
    struct Slice *outer;     // NULL: this is the outermost
    IrSrc tid[3], ctaid[3];  // kind NONE: as the machine says
    const int *vary;         // registers bound here and not in `outer` (phis of a loop)
    int nvary;
} Slice;
void slice_open(Slice *s, const CtaValues *v, Ir *to, int block, Arena *arena);
void slice_open_inner(Slice *s, Slice *outer, int block, const int *vary, int nvary, Arena *arena);
IrSrc slice_source(Slice *s, const IrSrc *src);
int slice_register(Slice *s, int reg);
// Registers that a copy of `reg` is made of and that are PHIs, in `phis` (room for `most`). -1:
// more than that.
int slice_phis(const CtaValues *v, int reg, int *phis, int most, Arena *arena);

// ---- loop_path.c: what all threads of the CTA pass, followed by the thread ----

typedef struct ThreadPath {
    const Ir *ir;
    uint32_t tid[3];  // the thread whose values are computed
    bool *needed;     // per block: its branch is followed
    // per block (NULL: in none): at its guarded exits all threads of the CTA end, or none
    bool *together;
    int alive;  // predicate of the thread: `tid` has not ended; IR_PT: nobody asks
} ThreadPath;
// Can the copy compute `reg` at `block`? From pure values, and from PHIs of loops around it.
bool path_computes(const CtaValues *v, int reg, int block, Arena *arena);
// Adds to `needed` the branches that decide whether block b is reached, but those of blocks in
// `without` (NULL: none).
// False: one of them cannot be computed.
bool path_control(const CtaValues *v, int b, const bool *without, bool *needed, Arena *arena);
// Edges were split: the blocks behind the first `nblocks` decide nothing.
void path_grow(ThreadPath *p, int nblocks, Arena *arena);
Ir *path_copy(const Ir *ir);  // with the same registers and blocks, which are empty
// Copies a block up to `until` (NULL: its end): values, and the branches that are needed.
void path_block(const ThreadPath *p, Ir *t, int block, const IrInst *until);
IrInst *path_inst(const ThreadPath *p, Ir *t, const IrInst *in);  // as thread `tid` executes it
// why the thread cannot execute it for one of the CTA's
const char *path_refuses(const IrInst *in, const Ir *ir);
void thread_put(Ir *t, int block, IrInst *in);

// ---- what paradigms share (scalar_program.c) ----
Ir *thread_new(const Ir *ir, const char *suffix);
// new result of `width`; width -1: none
IrInst *thread_op(Ir *t, int block, int op, int width, int nsrc, int line);
IrSrc thread_sreg(Ir *t, int block, int sreg);
IrSrc thread_op2(Ir *t, int block, int op, int width, IrSrc a, IrSrc b);
IrPred thread_setp(Ir *t, int block, IsaCmp cmp, IsaType type, IrSrc a, IrSrc b);
void thread_branch(Ir *t, int block, IrPred p, int yes, int no);
void thread_goto(Ir *t, int block, int to);
IrInst *thread_bar(Ir *t, int number);                             // bar.scalar, not placed yet
IrSrc thread_grid(const ScalarJob *j, Ir *t, int block, int dim);  // CTAs of the launch
// coordinates of a CTA by its number
void thread_cta(const ScalarJob *j, Ir *t, int block, IrSrc linear, IrSrc id[3]);
// before instruction `at`; returns the block of the instructions that follow
int thread_cut(Ir *t, int block, int at);
int block_index_of(const Ir *ir, int block, const IrInst *in);

// ---- paradigms: true when done; ir, thread, scratch and summary are then set. False: ir is unchan
bool scalar_prefetch(ScalarJob *j);
bool scalar_extract(ScalarJob *j);
// The other kind of extraction (uniform_ops.c), where it saves more than `least` warp instructions
// per CTA.
bool scalar_uniform(ScalarJob *j, int64_t least);
// ... and the last (split.c): CTAs of one thread are divided among warps and scalar threads.
bool scalar_split(ScalarJob *j);
bool scalar_diverge(ScalarJob *j);

#endif
