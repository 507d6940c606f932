// SPDX-License-Identifier: Apache-2.0
// Remembers the variant of a request, so that a run starts no shell to hash the same sources again.
// A memo is valid while every listed file and folder has its recorded size, time and inode.
#ifndef SMCOSIM_COSIM_MEMO_H
#define SMCOSIM_COSIM_MEMO_H

#include "cosim/variant.h"

#include <time.h>

char *memo_read(Arena *arena, const VariantRequest *r);  // path of the variant; NULL: unknown
// files: one path per line; since: time before the files were read. A file that cannot be written
// is no error.
void memo_write(Arena *arena, const VariantRequest *r, const char *path, const char *files,
                time_t since);

#endif
