// SPDX-License-Identifier: Apache-2.0
// What pool.c needs of store.c.
#ifndef SMCOSIM_RESULTS_STORE_H
#define SMCOSIM_RESULTS_STORE_H

#include "results/results.h"

bool store_folder(const Results *r, Diag *d);
// Keeps what a command printed, if that is a result.
bool store_write(const Results *r, const ResultCommand *c, int status, const char *text, size_t n, bool *kept, Diag *d);

#endif
