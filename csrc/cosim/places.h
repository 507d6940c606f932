// SPDX-License-Identifier: Apache-2.0
// Places in a block's observed state, by name: "bank2.entry17.lane3.bit5" is a bit of the word at
// an observation address. Tables of names per block in places.c; any block takes "ADDRESS.BIT".
#ifndef SMCOSIM_COSIM_PLACES_H
#define SMCOSIM_COSIM_PLACES_H

#include "cosim/ports.h"

typedef struct Place {
    uint32_t addr;
    int bit;
} Place;

// Reads `text`, n characters. EXIT_USAGE (message begins with `option`) when it names nothing, or
// nothing that exists in this shape: at observation addresses below obs_count, words of obs_words.
bool place_parse(const BlockDesc *desc, const int *params, uint32_t obs_count, const char *text,
                 size_t n, const char *option, Place *place, Diag *d);

// "bank 2 entry 17 lane 3 bit 5"; "" for a block without names. bit -1: of the whole word.
void place_name(const BlockDesc *desc, const int *params, Place place, char *buf, size_t size);

#endif
