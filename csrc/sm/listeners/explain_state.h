// SPDX-License-Identifier: Apache-2.0
// Errors, hangs and mismatches in the words of the program.
#ifndef SMCOSIM_SM_LISTENERS_EXPLAIN_H
#define SMCOSIM_SM_LISTENERS_EXPLAIN_H

#include "cosim/cosim.h"

typedef struct Sm Sm;
typedef struct InstStream InstStream;

void explain_open(Sm *sm, Arena *arena);
void explain_thread(const Sm *sm, int warp, int lane, char *buf, size_t size);
void explain_hang(Sm *sm, const char *what);
void explain_deadlock(Sm *sm, int cta);
// Called in the cycle of the mismatch, while the collectors' contents are available. Only the first
// mismatch is recorded.
void explain_remember(Sm *sm, const Mismatch *m);
void explain_mismatch(void *ctx, const Mismatch *m, char *buf, size_t size);

#endif
