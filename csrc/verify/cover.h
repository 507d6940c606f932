// SPDX-License-Identifier: Apache-2.0
// Code coverage of a block's RTL: lines and branches as Verilator counts them, toggles of every net as
// the variant made with --cover reports them.
#ifndef SMCOSIM_VERIFY_COVER_H
#define SMCOSIM_VERIFY_COVER_H

#include "verify/verify.h"

typedef enum CodeKind { CODE_LINE, CODE_BRANCH, CODE_TOGGLE, CODE_KINDS } CodeKind;

// A point that can be hit. Toggle: one bit of one net, hit when it rose and fell.
typedef struct CodePoint {
    CodeKind kind;
    const char *file;        // "rtl/rf/rf_bank.sv"; toggle: ""
    int line;
    const char *what;        // "else", "if", "block"; toggle: "banked_rf.u_arbiter.first_q"
    int bit;                 // toggle: of the net
    uint64_t hits;
    const char *waived;      // reason, NULL: it counts
} CodePoint;

struct VerifyCode {
    CodePoint *points;       // by kind, file or name, line or bit
    int npoints;
    struct { int hit, all, waived; } kinds[CODE_KINDS];
    const char **skipped;    // what the tools left out because of its size
    int nskipped;
};

// Counts of the workers of a run, in shared memory.
typedef struct CodeCounts {
    int jobs, nlines;
    uint64_t *lines;         // per worker and point
    CodePoint *points;       // names of the line points
    uint32_t *rose, *fell;   // per worker and net word
    size_t nwords;
    size_t bytes;
    void *memory;
} CodeCounts;

bool code_open(CodeCounts *c, Arena *arena, Harness *h, const char *dir, int jobs, Diag *d);
// Adds what the harness saw since its restart; scratch files go to dir. False: they cannot be written.
bool code_add(CodeCounts *c, int worker, Harness *h, const char *dir);
// Merges the workers, applies the waivers of the block. An unused waiver is EXIT_USAGE.
bool code_finish(CodeCounts *c, Arena *arena, Harness *h, const VerifyCode **code, Diag *d);
void code_close(CodeCounts *c);

#endif
