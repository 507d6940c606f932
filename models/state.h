// SPDX-License-Identifier: Apache-2.0
// Names of a block's observed state: the field of each bit of its observation words.
//
// A block's contract (models/<family>/<name>.h) describes the words. Beside it,
// models/<family>/<name>_state.c has one function that fills a table of fields for a shape. Three
// clients use the table: --fault takes its places, a report of mismatched state takes its names,
// and a test finds bits of the RTL without a name.
//
// A field's name is a path of steps. In "warp3.entry2.offset.bit4" the steps are "warp" with number
// 3, "entry" with number 2, "offset" without a number, and a bit of the field. A number moves the
// field's address and bit.
#ifndef SMCOSIM_MODELS_STATE_H
#define SMCOSIM_MODELS_STATE_H

#include "models/block.h"

enum { STATE_STEPS = 6, STATE_MAX_FIELDS = 128 };

// Numbers 0..count-1 (count 0: no number). Number n adds n / per * addr to the address and n % per
// * bit to the bit; per 0: n * addr and n * bit.
typedef struct StateStep {
    const char *word;
    int count, addr, bit, per;
} StateStep;

// A flag is one bit without a number; a row is 1024 bits, named by lane and bit or by slice, lane
// and bit.
enum { STATE_FLAG = 0, STATE_ROW = -1 };

typedef struct StateField {
    uint32_t addr;
    int bit;       // its lowest, in the word at addr
    int width;     // bits, STATE_FLAG or STATE_ROW
    bool derived;  // shown, but fault_i does not reach it
    StateStep steps[STATE_STEPS];
} StateField;

// Fills f for a shape; returns the number of fields, 0 for a block without state.
typedef int BlockState(const int *params, StateField *f);

// Rows of the tables.
#define STATE(addr, bit, width, ...) ((StateField){addr, bit, width, false, {__VA_ARGS__}})
#define STATE_DERIVED(addr, bit, width, ...) ((StateField){addr, bit, width, true, {__VA_ARGS__}})
#define STEP(word) ((StateStep){word, 0, 0, 0, 0})
#define STEP_ADDR(word, count, addr) ((StateStep){word, count, addr, 0, 0})
#define STEP_BIT(word, count, bit) ((StateStep){word, count, 0, bit, 0})

// For a block that holds others: `count` fields of a part move to addresses from `base` on, below
// the step `part`.
int state_part(StateField *f, int count, uint32_t base, const char *part);

#endif
