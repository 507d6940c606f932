// SPDX-License-Identifier: Apache-2.0
// What the bypassing collector of each warp holds, by register names (thesis chapter 3): kept from
// what goes in and comes out, so that it says what became of each value, how many rows the windows
// need, and whether a value is read that was neither kept nor written. The rows themselves are the
// block's; of these the book does not know which clean ones it gave away, and finds out when they
// are read again.
#ifndef SMCOSIM_SYSTEMS_BYPASS_BOOK_H
#define SMCOSIM_SYSTEMS_BYPASS_BOOK_H

#include "sm/flight.h"
#include "sm/warp.h"

enum { BYPASS_MAX_WINDOW = 7 };

// Sets of a warp's registers.
typedef struct WarpBook {
    uint64_t rows;      // with a row
    uint64_t dirty;     // newer than the register file
    uint64_t only;      // ... and never to be saved
    uint64_t save;      // ... and to be saved whatever comes
    uint64_t reserved;  // whose row waits for a result
    // registers saved in cycle saved_in - 1; those whose save bit was set; that cycle + 1
    uint64_t saved, marked, saved_in;
    // named last by the instruction in that slot of the window
    uint64_t named[BYPASS_MAX_WINDOW];
    uint64_t awaited[BYPASS_MAX_WINDOW];  // results of the instruction in that slot
    unsigned slot;                        // of the next instruction
    bool begun;                           // something of the warp has entered
    uint64_t since;                       // cycle from which on it is as it is
    // lanes that the register file does not have: in a row; nowhere
    uint32_t only_lanes[64], lost[64];
} WarpBook;

typedef struct BypassBook {
    int rule;  // BypassRule (bypass_path.h)
    unsigned window;
    WarpBook warp[SM_MAX_WARPS];
    // sources, reads, writes, forwards when the kernel began
    uint64_t before[4];
} BypassBook;

void book_launch(Sm *sm, BypassBook *b);
// Rows that the micro-operation takes at most: of its sources and of what its results reserve,
// those without a row that stays for sure.
int book_needs(const BypassBook *b, int warp, const SmInst *in, int uop);
// What enters a collector: a micro-operation of the instruction; pass: the instruction only takes
// its place.
typedef struct BookEntry {
    const SmInst *in;
    const InstStream *stream;
    int pc, uop;
    uint32_t active;
    bool pass;
} BookEntry;
// Returns the sources that should be there, by their place among the micro-operation's.
uint32_t book_enter(Sm *sm, BypassBook *b, int warp, const BookEntry *e);
// Of those, the ones that were.
void book_forwarded(Sm *sm, const BypassBook *b, uint32_t expected, uint32_t found);
// A result of the collector is done; direct: it was written to the register file now.
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
// At the end of a kernel that passed: does it all add up?
void book_check(Sm *sm, const BypassBook *b);

#endif
