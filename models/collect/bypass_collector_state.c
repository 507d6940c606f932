// SPDX-License-Identifier: Apache-2.0
#include "models/collect/bypass_collector.h"
#include "models/params.h"
#include "models/state.h"

enum { BYPASS_COLLECTOR_PARAMS(BLOCK_INDEX) };

// BOC, slot, entry ("value") and register as the contract numbers them.
int bypass_collector_state(const int *params, StateField *f) {
    const int coll = params[P_NumColl], ops = params[P_NumOps],
              units = params[P_NumDisp], writers = params[P_NumWr], window = params[P_Window],
              values = params[P_Values], banks = params[P_Banks], entries = params[P_Entries];
    const int value_bits = block_bits(values), rows = 3 * coll + coll * values;
    const StateStep c = STEP_ADDR("boc", coll, 1), slot = STEP_BIT("slot", window, 32),
                    value = STEP_BIT("value", values, 32);
    int n = 0;
    f[n++] = STATE(0, 0, block_bits(window), c, STEP("head"));
    f[n++] = STATE(0, 8, value_bits, c, STEP("pointer"));
    f[n++] = STATE(0, 16, STATE_FLAG, c, STEP("coming"));
    f[n++] = STATE(0, 17, value_bits, c, STEP("from"));
    f[n++] = STATE(0, 32, STATE_FLAG, c, slot, STEP("waiting"));
    f[n++] = STATE(0, 33, STATE_FLAG, c, slot, STEP("awaits"));
    f[n++] = STATE(0, 34, block_bits(units), c, slot, STEP("unit"));
    f[n++] = STATE(0, 37, STATE_FLAG, c, slot, STEP_BIT("need", ops, 1));
    f[n++] = STATE(0, 40, STATE_FLAG, c, slot, STEP_BIT("follows", window, 1));
    f[n++] = STATE(0, 48, value_bits, c, slot, STEP_BIT("operand", ops, 5));
    f[n++] = STATE(0, 8 * 32, block_bits(entries), c, slot, STEP("entry"));
    f[n++] = STATE(0, 8 * 32 + 16, block_bits(banks), c, slot, STEP("bank"));
    f[n++] = STATE(0, 16 * 32, STATE_FLAG, c, slot, STEP_BIT("last", values, 1));
    const uint32_t of_values = (uint32_t)coll;
    f[n++] = STATE_DERIVED(of_values, 0, STATE_FLAG, c, value, STEP("window"));
    f[n++] = STATE(of_values, 1, STATE_FLAG, c, value, STEP("ask"));
    f[n++] = STATE(of_values, 2, STATE_FLAG, c, value, STEP("dirty"));
    f[n++] = STATE(of_values, 3, STATE_FLAG, c, value, STEP("dead"));
    f[n++] = STATE(of_values, 4, STATE_FLAG, c, value, STEP("save"));
    f[n++] = STATE(of_values, 16, block_bits(entries), c, value, STEP("entry"));
    f[n++] = STATE(of_values, 26, block_bits(banks), c, value, STEP("bank"));
    f[n++] = STATE((uint32_t)(2 * coll), 0, STATE_FLAG, c, value, STEP_BIT("older", values, 1));
    f[n++] = STATE((uint32_t)(3 * coll), 0, STATE_ROW, STEP_ADDR("boc", coll, values), STEP_ADDR("value", values, 1),
                   STEP("row"));
    f[n++] = STATE_DERIVED((uint32_t)rows, 0, block_bits(coll), STEP_BIT("unit", units, 32), STEP("pointer"));
    f[n++] = STATE_DERIVED((uint32_t)rows, 8 * 32, block_bits(coll), STEP_BIT("writer", writers, 32), STEP("pointer"));
    f[n++] = STATE_DERIVED((uint32_t)rows, 12 * 32, STATE_FLAG, STEP_BIT("writer", writers, 32), STEP("turn"));
    return n;
}
