// SPDX-License-Identifier: Apache-2.0
// Places in a block's observed state, by name: "bank2.entry17.lane3.bit5" is a bit of the word at
// an observation address. The names are those of models/<family>/<block>_state.c; "ADDRESS.BIT"
// names any of them too.
#ifndef SMCOSIM_COSIM_PLACES_H
#define SMCOSIM_COSIM_PLACES_H

#include "cosim/ports.h"

typedef struct Place {
    uint32_t addr;
    int bit;
} Place;

// What a place is to the RTL.
typedef enum PlaceKind {
    PLACE_NONE,     // no field has this bit
    PLACE_DERIVED,  // shown, but fault_i does not reach it
    PLACE_STATE,
} PlaceKind;
PlaceKind place_kind(const BlockDesc *desc, const int *params, Place place);

// Reads `text`, n characters. EXIT_USAGE (message begins with `option`) when it names nothing,
// nothing that exists in this shape (observation addresses below obs_count, words of obs_words), or
// nothing that a fault can change.
bool place_parse(const BlockDesc *desc, const int *params, uint32_t obs_count, const char *text,
                 size_t n, const char *option, Place *place, Diag *d);

// "bank 2 entry 17 lane 3 bit 5"; "" for a bit without a name. bit -1: of the whole word, what its
// fields share.
void place_name(const BlockDesc *desc, const int *params, Place place, char *buf, size_t size);

#endif
