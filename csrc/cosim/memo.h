// SPDX-License-Identifier: Apache-2.0
// Remembers which variant a request led to, so that a run does not start a shell to hash the same
// sources again. A memo is good while every file and folder it lists has its size, time and inode.
#ifndef SMCOSIM_COSIM_MEMO_H
#define SMCOSIM_COSIM_MEMO_H

#include "cosim/variant.h"

#include <time.h>

char *memo_read(Arena *arena, const VariantRequest *r);  // path of the variant, NULL: not known
// files: one path per line; since: when they were begun to be read. A place that cannot be written
// is no error.
void memo_write(Arena *arena, const VariantRequest *r, const char *path, const char *files,
                time_t since);

#endif
