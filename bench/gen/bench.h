// SPDX-License-Identifier: Apache-2.0
// Inputs and expected results of the kernels: the interface for every kernels/<name>/data.c.
//
// A data.c holds one function <name>_data(Bench *). It makes the inputs from the seeded generator
// and computes the expected results with a plain sequential reference. It saves both under the
// names that the launch files use. bench_size() gives the sizes; launch.<size>.yaml repeats them as
// numbers. The launch reader and the checks of results notice when the two disagree.
#ifndef SMCOSIM_BENCH_GEN_BENCH_H
#define SMCOSIM_BENCH_GEN_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One number per expression: the order in which C evaluates two calls is not defined.
typedef struct Bench {
    const char *name;    // of the kernel
    const char *folder;  // where the files go
    bool paper;          // the larger size
    uint64_t
        state;  // of the generator: from name and size, so that kernels do not depend on each other
} Bench;

// The number that belongs to this size.
static inline uint32_t bench_size(const Bench *b, uint32_t small, uint32_t paper) {
    return b->paper ? paper : small;
}

// Zeroed; ends the program (status 7) when there is no memory.
void *bench_alloc(size_t count, size_t size);
#define BENCH_ARRAY(T, n) ((T *)bench_alloc((n), sizeof(T)))

uint32_t bench_u32(Bench *b);
uint32_t bench_below(Bench *b, uint32_t n);          // 0 .. n-1
float bench_float(Bench *b, float low, float high);  // low <= x < high, 24 random bits
double bench_double(Bench *b, double low, double high);
void bench_floats(Bench *b, float *out, size_t n, float low, float high);

// Writes folder/file completely or not at all (temporary file, then rename). Ends the program with
// status 7 and a message when that fails.
void bench_save(const Bench *b, const char *file, const void *data, size_t bytes);

#endif
