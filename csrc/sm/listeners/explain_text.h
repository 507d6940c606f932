// SPDX-License-Identifier: Apache-2.0
// Text with a limit, and the words that explanations of errors, hangs and mismatches share.
#ifndef SMCOSIM_SM_LISTENERS_TEXT_H
#define SMCOSIM_SM_LISTENERS_TEXT_H

#include "cosim/cosim.h"
#include "sm/flight.h"

typedef struct Text Text;

struct Text {
    char *buf;
    size_t size, used;
};

void text_add(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_instruction(Text *t, const InstStream *s, int pc);  // "pc 12 `iadd R4, ...` (line 31)"
void text_wave(Text *t, const Sm *sm, int warp, int pc);      // "w3 pc 12 iadd R4, ..  (line 31)"
void text_collector(Text *t, const Sm *sm, int slot);         // "collector 3: warp 7, pc 12 ..."
// " of pc 9 `ld ..`, at .."
void text_writer(Text *t, const Sm *sm, int warp, uint64_t registers, unsigned preds);
// of a 1024-bit row: lanes, slice, values
void text_first_byte(Text *t, const Mismatch *m);
// Flight of a collector, NULL when it is free.
const Flight *text_flight(const Sm *sm, int slot);
static inline int text_lowest_difference(const Mismatch *m) {
    uint32_t differ = m->expected[0] ^ m->actual[0];
    return differ ? __builtin_ctz(differ) : 0;
}

#endif
