// SPDX-License-Identifier: Apache-2.0
// Input of a GPU and its output (gpu_run.c): two files of lines. Some lines are followed by as many
// bytes as they say and a line feed.
//
// Pack:
//   job NAME
//   header VERSION TARGET             # a head that the modules' texts lack; the first one that the
//                                     driver takes
//   module BYTES                      # a PTX text; numbered from 0
//   buffer BYTES FILL SAVE INIT       # INIT bytes follow, the rest is FILL; SAVE 1: it goes into
//                                     the results
//   object tex|cube|acube|surf|surfsave
//                                     # of the record in module 0's variable `record`
//                                     (csrc/isa/texture.h), a texture # or surface object is made
//                                     and put into its place; surfsave: its array goes # into the
//                                     results
//   repeat BUFFER OFFSET MAX .. until # launches are repeated while the word, cleared before each
//   pass, is not 0
//   patch OFFSET BUFFER PLUS          # an address in the parameters of the next launch
//   launch MODULE ENTRY GX GY GZ BX BY BZ SHARED BYTES     # the parameters follow
//   end
// Results, in any order:
//   device NAME
//   job NAME
//   header VERSION TARGET             # that was taken
//   fail STAGE ERROR TEXT
//   buffer N BYTES, array 0 BYTES
//   end
#ifndef SMCOSIM_TESTS_GPU_PACK_H
#define SMCOSIM_TESTS_GPU_PACK_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void pack_job(FILE *f, const char *name);
void pack_header(FILE *f, const char *version, const char *target);
void pack_module(FILE *f, const char *text, size_t n);
void pack_buffer(FILE *f, uint64_t bytes, int filled, bool save, const void *init, size_t ninit);
void pack_object(FILE *f, const char *kind);
void pack_patch(FILE *f, uint64_t offset, int buffer, uint64_t plus);
void pack_launch(FILE *f, int module, const char *entry, const uint32_t grid[3],
                 const uint32_t block[3], uint32_t shared, const void *params, size_t n);
void pack_end(FILE *f);

enum { PACK_BUFFERS = 64 };
typedef struct PackResult {
    const char *name, *header, *fail;  // NULL: none
    struct PackBytes {
        const uint8_t *at;
        size_t n;
    } buffers[PACK_BUFFERS], array;
} PackResult;

typedef struct PackResults {
    const char *device;
    PackResult *items;
    int nitems, cap_items;
    int *buckets, nbuckets;  // by name
} PackResults;

bool pack_load(PackResults *r, Arena *arena, const char *path, Diag *d);
const PackResult *pack_find(const PackResults *r, const char *name);

#endif
