// SPDX-License-Identifier: Apache-2.0
// Results of a GPU beside smcosim's, case by case; and the kept ones (h100.txt), which need no GPU.
//
// A line of the kept file, in the order of the cases:
//   = INPUTS OUTPUTS NAME      # equal: digest of kernel text and operands, digest of all results
//   ~ INPUTS WORDS NAME        # approximate: the results of the first threads, hexadecimal, in the
//                              lines that follow
//   x INPUTS OUTPUTS NAME      # the GPU's results differ: a line that begins with a blank says why
//   ! INPUTS - NAME            # has not run there; a line that begins with a blank says why
#ifndef SMCOSIM_TESTS_OPS_SEEN_H
#define SMCOSIM_TESTS_OPS_SEEN_H

#include "cases.h"

enum { SEEN_THREADS = 512, SEEN_FORMS = 2, SEEN_WORDS = SEEN_FORMS * SEEN_THREADS * CASE_OUTPUTS };

// All results of one case, in the order of its forms, threads and outputs.
typedef struct Seen {
    const Case *c;
    uint64_t inputs;  // digest
    uint64_t ours[SEEN_WORDS], gpu[SEEN_WORDS];
    PtxType types[CASE_OUTPUTS];
    uint64_t operands[SEEN_FORMS][SEEN_THREADS][CASE_INPUTS];
    int nforms, noutputs;
    const char *fail;  // why there are no results of the GPU
} Seen;

typedef struct SeenCounts {
    int equal, nan, bound, known, different, missing, changed;
} SeenCounts;

void seen_begin(Seen *s, const Case *c, int noutputs, const PtxType *types);
void seen_inputs(Seen *s, const char *text, const uint64_t (*operands)[CASE_INPUTS]);
// The slots that a form's threads stored.
void seen_results(Seen *s, bool gpu, const uint8_t *slots);
void seen_form_done(Seen *s);

// Says in a line how the GPU's results compare, counts it, and writes the line to keep (NULL:
// none). False: different.
bool seen_compare(const Seen *s, SeenCounts *n, FILE *keep);

typedef struct SeenKept SeenKept;
SeenKept *seen_load(Arena *arena, const char *path, Diag *d);
// Our results beside the kept ones. False: different.
bool seen_check(const Seen *s, SeenKept *k, SeenCounts *n);

#endif
