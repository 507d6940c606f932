// SPDX-License-Identifier: Apache-2.0
// Instructions and flights in words, for errors, hangs and mismatches.
#ifndef SMCOSIM_SM_PARTS_EXPLAIN_INST_H
#define SMCOSIM_SM_PARTS_EXPLAIN_INST_H

#include "base/bounded_text.h"
#include "sm/flight.h"

// "kernel k (k.ptx:31)" of the instruction at pc of the stream.
void explain_place(const Sm *sm, const InstStream *s, int pc, char *buf, size_t size);
void text_instruction(Text *t, const InstStream *s, int pc);  // "pc 12 `iadd R4, ...` (line 31)"
void text_wave(Text *t, const Sm *sm, int warp, int pc);      // "w3 pc 12 iadd R4, ..  (line 31)"
// " of pc 9 `ld ..`, at .."
void text_writer(Text *t, const Sm *sm, int warp, uint64_t registers, unsigned preds);

#endif
