// SPDX-License-Identifier: Apache-2.0
// Code coverage of a block's RTL. Verilator counts lines and branches. The variant made with
// --cover reports toggles of every net. Points that are not part of the design are not counted.
// These are nets named obs_* and statements whose first line contains obs_ (observation ports and
// their logic). Parameters, variables of the simulation and the clock are not counted either.
//
// rtl/<family>/<module>.waive holds waivers, one per line: a point that cannot be hit, then the
//     reason.
//     rf_bank.sv:123: reason                   a line and the branches at it
//     rf_bank.sv "text of the line": reason    the same, independent of the number
//     net u_arbiter.g_wr[*].first: reason      toggles; * matches anything; bits: net[3],
//                                              net[0,4-7]
// A waiver of the block itself that matches no missing point is an error. A waiver of an inner
// module may be unused in one of the blocks that instantiate the module.
#ifndef SMCOSIM_VERIFY_COVER_H
#define SMCOSIM_VERIFY_COVER_H

#include "verify/verify_report.h"

typedef enum CodeKind { CODE_LINE, CODE_BRANCH, CODE_TOGGLE, CODE_KINDS } CodeKind;

// A point that coverage counts. Toggle: one bit of one net, hit when it rose and fell.
typedef struct CodePoint {
    CodeKind kind;
    const char *file;  // "rtl/rf/rf_bank.sv"; toggle: ""
    int line, column;
    const char *what;    // line: ""; branch: "if", "else", ..; toggle: "u_arbiter.first_q"
    int bit;             // toggle: bit of the net
    uint64_t hits;       // toggle: bit 0 rose, bit 1 fell
    const char *waived;  // reason; NULL: the point counts
} CodePoint;

static inline bool code_hit(const CodePoint *p) {
    return p->kind == CODE_TOGGLE ? p->hits == 3 : p->hits != 0;
}

struct VerifyCode {
    CodePoint *points;  // sorted by kind, then file, line, column or net, bit
    int npoints;
    struct {
        int hit, all, waived;
    } kinds[CODE_KINDS];  // all: points without the waived ones
};

// Counts of the workers of a run, in shared memory.
typedef struct CodeCounts {
    int jobs;
    struct CodeLine *lines;  // Verilator's points
    int nlines;
    uint64_t *counts;       // per worker and line point
    uint32_t *rose, *fell;  // per worker and net word
    uint32_t nwords;
    void *memory;
    size_t bytes;
    const char *data_dir;
} CodeCounts;

// Creates dir if it does not exist.
bool code_open(CodeCounts *c, Arena *arena, const Harness *h, const VerifyOptions *o, int jobs,
               Diag *d);
// Adds the harness's coverage since its restart. Scratch files are written to dir. False: these
// files cannot be written.
bool code_add(CodeCounts *c, int worker, const Harness *h, const char *dir);
// Merges the workers and applies the waivers of the block (none for a user's RTL).
bool code_finish(CodeCounts *c, Arena *arena, const Harness *h, const VerifyOptions *o,
                 const VerifyCode **code, Diag *d);
void code_close(CodeCounts *c);

// waive.c. If `strict`, a waiver of the block itself that matches no missing point is an error. A
// waiver of an inner module that names an absent line is an error too.
bool code_waive(Arena *arena, const char *data_dir, const BlockDesc *desc, bool strict,
                VerifyCode *code, Diag *d);

// cover_html.c. code_write writes <dir>/<name>.info (lcov) and <dir>/<name>.toggles.txt of a block,
// or of a block's own shape. code_html writes <dir>/html/index.html with a row for each, and a page
// for each: bins, lines, branches, toggles, with waivers.
bool code_write(Arena *arena, const char *dir, const char *data_dir, const char *name,
                const VerifyCode *code, Diag *d);
bool code_html(Arena *arena, const char *dir, const char *data_dir, const VerifyReport *report,
               Diag *d);

#endif
