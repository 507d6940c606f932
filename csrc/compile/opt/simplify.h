// SPDX-License-Identifier: Apache-2.0
// Inside of simplification: simplify.c walks, rules_*.c rewrite single instructions with
// simplify_tools.c, number.c finds equal ones.
#ifndef SMCOSIM_COMPILE_SIMPLIFY_H
#define SMCOSIM_COMPILE_SIMPLIFY_H

#include "compile/ir.h"

typedef struct Equal {  // value numbering: instructions with equal hash
    IrInst *in;
    int block, next;
} Equal;

typedef struct Simplifier {
    Ir *ir;
    Arena *scratch;
    IrInst **def;  // instructions with an equal hash, for value numbering
    int *def_block;
    int *uses;       // per register: number of reading operands
    IrSrc *value;    // per register: its replacement; kind NONE: itself
    IrPred *pvalue;  // per predicate
    bool *preplaced;
    int cap;    // number of registers for which these tables have room
    int block;  // block that is being rewritten
    Equal *equal;
    int nequal, cap_equal, *bucket, nbuckets;
    bool changed;
    IrInst **out;  // instructions of the block so far
    int nout, cap_out;
} Simplifier;

// The instruction that defines an unmodified register source, otherwise NULL.
IrInst *si_def(const Simplifier *s, const IrSrc *src);
bool si_single_use(const Simplifier *s, const IrSrc *src);
void si_replace(Simplifier *s, int reg, IrSrc by);  // uses of `reg` read `by` from now on
void si_replace_pred(Simplifier *s, int reg, IrPred by);
// Inserts before the instruction that is being rewritten.
IrInst *si_emit(Simplifier *s, int op, int nsrc, int line);
void si_put(Simplifier *s, IrInst *in);  // next instruction of the block
int si_vreg(Simplifier *s, int width);
// Turns `in` into a plain copy of src to its destination, which copy propagation removes.
bool si_becomes(Simplifier *s, IrInst *in, IrSrc src);

// Rules; they return true if the instruction was changed or its result replaced.
bool rules_int(Simplifier *s, IrInst *in);
bool rules_wide(Simplifier *s, IrInst *in);
bool rules_logic(Simplifier *s, IrInst *in);
bool rules_pred(Simplifier *s, IrInst *in);
bool rules_float(Simplifier *s, IrInst *in);
bool rules_address(Simplifier *s, IrInst *in);
bool fold_constants(Simplifier *s, IrInst *in);
// An earlier instruction that dominates this one and has the same result replaces it.
bool number_value(Simplifier *s, IrInst *in);

#endif
