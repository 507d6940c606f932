// SPDX-License-Identifier: Apache-2.0
// A warp's execution of machine programs, path by path, independent of any analysis: a SIMT stack,
// a few lanes, and a decision of each lane at each branch and guard. Values are hashes of their
// computation.
#ifndef SMCOSIM_TESTS_COMPILE_WARP_PATHS_H
#define SMCOSIM_TESTS_COMPILE_WARP_PATHS_H

#include "isa/isa.h"

enum { PATH_LANES = 3, PATH_EVENTS = 64 };

typedef struct PathRun {
    // out: the violation of a split program, NULL: none
    const char *wrong;
    int at;                                    // .. at which instruction
    uint64_t stored[PATH_LANES][PATH_EVENTS];  // .. stores of each lane, in order
    int nstored[PATH_LANES];
} PathRun;

// decisions: bit (lane * 10 + n mod 10) is the n-th decision of a lane; sides: which side of a
// branch runs first.
void path_run(PathRun *run, const IsaProgram *p, uint32_t decisions, uint32_t sides);
// Did lanes store the same as far as both went?
bool path_same(const PathRun *a, const PathRun *b);

// A random program without reconvergence points wrong or missing. It has phases with few and with
// many values, branches, tables, loops that lanes leave apart, early exits, pairs and quads,
// guards, barriers.
IsaProgram *path_program(Arena *arena, uint32_t seed);

#endif
