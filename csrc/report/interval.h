// SPDX-License-Identifier: Apache-2.0
// Means with their 95 % interval (Student's t), over kernels or over perturbed runs (--spread).
#ifndef SMCOSIM_REPORT_INTERVAL_H
#define SMCOSIM_REPORT_INTERVAL_H

#include "base/arena.h"

#include <jansson.h>

// The mean is taken of the values, of their logarithms or of their reciprocals.
typedef enum IntervalKind {
    INTERVAL_ARITHMETIC,
    INTERVAL_GEOMETRIC,
    INTERVAL_HARMONIC
} IntervalKind;

typedef struct Interval {
    double mean, low, high;  // NaN: too few values; low and high require two
    int n;                   // values
} Interval;

// Of the values that are numbers. A geometric or harmonic mean requires positive ones; if one is
// not, all results are NaN.
Interval interval_of(const double *values, int n, IntervalKind kind);
// Half of its width; NaN: unknown.
double interval_half(Interval i);
// "4.2 to 6.8", "-" if unknown.
const char *interval_text(Arena *arena, Interval i, int digits);
// {"mean", "low", "high", "n"}; unknown numbers are null.
json_t *interval_json(Interval i);

// By how much the values move: (largest - smallest) / mean, in per cent.
double interval_moves(const double *values, int n);
// A kernel whose baseline moves by more is marked: gains of this size are noise.
#define INTERVAL_MARK 3.0

#endif
