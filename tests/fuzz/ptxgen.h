// SPDX-License-Identifier: Apache-2.0
// Random PTX programs: the same seed, the same program on every machine. A program accesses only
// data of its own thread, except through barriers, shuffles and atomics whose order does not
// matter. Every correct machine therefore computes the same memory.
#ifndef SMCOSIM_TESTS_FUZZ_PTXGEN_H
#define SMCOSIM_TESTS_FUZZ_PTXGEN_H

#include <stdint.h>
#include <stdio.h>

enum { PTXGEN_INPUT_BYTES = 4096, PTXGEN_MOST_RESULTS = 110 };

typedef struct PtxgenOptions {
    int threads, rows, ctas;  // of the launch; a CTA's threads lie in so many rows
    int launches;             // 2: once more with one CTA
    int results;              // places of 8 bytes that each thread writes at the end
    uint32_t number;          // the third argument
} PtxgenOptions;

// Writes the program, one instruction per line; returns how it wants to be launched.
PtxgenOptions ptxgen_program(FILE *out, uint64_t seed);
// The launch file, and the bytes of the input.
void ptxgen_launch(FILE *out, const PtxgenOptions *o, const char *ptx, const char *input);
void ptxgen_input(uint8_t bytes[PTXGEN_INPUT_BYTES], uint64_t seed);

#endif
