// SPDX-License-Identifier: Apache-2.0
// The contents of each warp's bypassing collector, by register names (thesis chapter 3). The book
// is updated by every entry and exit. It reports the outcome of each value and the rows that the
// windows use. It also detects a read of a value that was neither retained nor written. The block
// holds the rows themselves. The book does not record the clean rows that the block evicts, and
// detects such an eviction when the register is read again.
#ifndef SMCOSIM_SYSTEMS_BYPASS_BOOK_H
#define SMCOSIM_SYSTEMS_BYPASS_BOOK_H

#include "sm/flight.h"
#include "sm/warp.h"

enum { BYPASS_MAX_WINDOW = 7 };

// Sets of a warp's registers.
typedef struct WarpBook {
    uint64_t rows;      // with a row
    uint64_t dirty;     // newer than the register file
    uint64_t only;      // ... and never saved
    uint64_t save;      // dirty registers that are always saved
    uint64_t reserved;  // the row waits for a result
    // registers saved in cycle saved_in - 1; those among them whose save bit was set; that cycle +
    // 1
    uint64_t saved, marked, saved_in;
    // named last by the instruction in that slot of the window
    uint64_t named[BYPASS_MAX_WINDOW];
    uint64_t awaited[BYPASS_MAX_WINDOW];  // results of the instruction in that slot
    unsigned slot;                        // slot of the next instruction
    bool begun;                           // an instruction of the warp has entered
    uint64_t since;                       // cycle since which the window is unchanged
    // lanes missing in the register file: in a row; lost
    uint32_t only_lanes[64], lost[64];
} WarpBook;

typedef struct BypassBook {
    int rule;  // BypassRule (bypass_path.h)
    unsigned window;
    WarpBook warp[SM_MAX_WARPS];
    // sources, reads, writes, forwards at the start of the kernel
    uint64_t before[4];
} BypassBook;

void book_launch(Sm *sm, BypassBook *b);
// Limit of the rows that the micro-operation uses: its sources and the reservations of its results,
// except those whose row is certain to stay.
int book_needs(const BypassBook *b, int warp, const SmInst *in, int uop);
// An entry into a collector: a micro-operation of the instruction. pass: the instruction only
// occupies a slot of the window.
typedef struct BookEntry {
    const SmInst *in;
    const InstStream *stream;
    int pc, uop;
    uint32_t active;
    bool pass;
} BookEntry;
// Returns the sources that the collector should contain, as bits by source of the micro-operation.
uint32_t book_enter(Sm *sm, BypassBook *b, int warp, const BookEntry *e);
// Reports the subset that the block has forwarded.
void book_forwarded(Sm *sm, const BypassBook *b, uint32_t expected, uint32_t found);
// A result of the collector is done; direct: it is written to the register file now.
typedef struct BookResult {
    int reg;
    uint32_t lanes;
    uint8_t bits;
    bool homeless, direct;
} BookResult;
void book_result(Sm *sm, BypassBook *b, int warp, BookResult r);
void book_saved(Sm *sm, BypassBook *b, int warp, int reg);
void book_killed(Sm *sm, BypassBook *b, int warp, uint64_t regs);
void book_dropped(Sm *sm, BypassBook *b, int warp);
// At the end of a kernel that passed: compares the sums of the counters.
void book_check(Sm *sm, const BypassBook *b);

#endif
