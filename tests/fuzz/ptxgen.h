// SPDX-License-Identifier: Apache-2.0
// Random PTX programs: the same seed, the same program on every machine. A program reads and writes only what
// belongs to its thread, except through barriers, shuffles and atomics whose order does not matter, so that every
// correct machine computes the same memory.
#ifndef SMCOSIM_TESTS_FUZZ_PTXGEN_H
#define SMCOSIM_TESTS_FUZZ_PTXGEN_H

#include <stdint.h>
#include <stdio.h>

typedef struct PtxgenOptions {
    int threads, ctas;         // of the launch
    int regs_per_thread;       // 16..63
    int addr_bits;             // 32 or 64
} PtxgenOptions;

// Writes the program, one instruction per line; returns how it wants to be launched.
PtxgenOptions ptxgen_program(FILE *out, uint64_t seed);
// The launch file for k.ptx and in.bin beside it, and the bytes of in.bin.
enum { PTXGEN_INPUT_BYTES = 4096 };
void ptxgen_launch(FILE *out, const PtxgenOptions *o);
void ptxgen_input(uint8_t bytes[PTXGEN_INPUT_BYTES], uint64_t seed);

#endif
