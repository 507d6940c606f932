// SPDX-License-Identifier: Apache-2.0
// Names of the bits of a block's observed state: "bank2.entry17.lane3.bit5" is a bit of the word at
// an observation address. The names are those of models/<family>/<block>_state.c; "ADDRESS.BIT"
// also names any bit.
#ifndef SMCOSIM_COSIM_STATE_BITS_H
#define SMCOSIM_COSIM_STATE_BITS_H

#include "cosim/ports.h"

typedef struct StateBit {
    uint32_t addr;
    int bit;
} StateBit;

// How the RTL holds a bit.
typedef enum StateBitKind {
    STATE_BIT_NONE,     // no field has this bit
    STATE_BIT_DERIVED,  // observable, but fault_i does not reach it
    STATE_BIT_STATE,
} StateBitKind;
StateBitKind state_bit_kind(const BlockDesc *desc, const int *params, StateBit at);

// Reads `text`, n characters. EXIT_USAGE (message begins with `option`) if the text names no state
// bit of this shape, or a bit that a fault cannot change. The shape has obs_count observation
// addresses with words of obs_words.
bool state_bit_parse(const BlockDesc *desc, const int *params, uint32_t obs_count, const char *text,
                     size_t n, const char *option, StateBit *at, Diag *d);

// "bank 2 entry 17 lane 3 bit 5"; "" for a bit without a name. bit -1: the common prefix of all
// fields of the word.
void state_bit_name(const BlockDesc *desc, const int *params, StateBit at, char *buf, size_t size);

#endif
