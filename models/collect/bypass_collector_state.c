// SPDX-License-Identifier: Apache-2.0
#include "models/collect/bypass_collector.h"
#include "models/params.h"
#include "models/state.h"

enum { BYPASS_COLLECTOR_PARAMS(BLOCK_INDEX) };

// BOC, slot, row and register as the contract numbers them.
int bypass_collector_state(const int *params, StateField *f) {
    const int coll = params[P_NumColl], ops = params[P_NumOps], alloc = params[P_NumAlloc],
              units = params[P_NumDisp], writers = params[P_NumWr], window = params[P_Window],
              values = params[P_Values];
    const int row_bits = block_bits(values), slot_bits = block_bits(window),
              coll_bits = block_bits(coll);
    const uint32_t of_rows = (uint32_t)coll, pool = (uint32_t)(coll * (2 + values));
    const StateStep c = STEP_ADDR("boc", coll, 1), slot = STEP_BIT("slot", window, 32),
                    row = STEP_BIT("row", values, 32);
    int n = 0;
    f[n++] = STATE(0, 0, slot_bits, c, STEP("head"));
    f[n++] = STATE(0, 3, row_bits, c, STEP("read"));
    f[n++] = STATE(0, 8, row_bits, c, STEP("next"));
    f[n++] = STATE(0, 13, STATE_FLAG, c, STEP("coming"));
    f[n++] = STATE(0, 14, row_bits, c, STEP("from"));
    f[n++] = STATE(0, 19, STATE_FLAG, c, STEP("held"));
    f[n++] = STATE(0, 20, STATE_FLAG, c, STEP_BIT("refused", units, 1));
    f[n++] = STATE(0, 28, STATE_FLAG, c, STEP("pressed"));
    f[n++] = STATE(0, 32, STATE_FLAG, c, slot, STEP("waiting"));
    f[n++] = STATE(0, 32 + 1, block_bits(units), c, slot, STEP("unit"));
    f[n++] = STATE(0, 32 + 4, STATE_FLAG, c, slot, STEP_BIT("need", ops, 1));
    f[n++] = STATE(0, 32 + 7, STATE_FLAG, c, slot, STEP_BIT("follows", window, 1));
    f[n++] = STATE(0, 32 + 16, row_bits, c, slot, STEP_BIT("operand", ops, 5));
    f[n++] = STATE(0, 8 * 32, STATE_FLAG, c, slot, STEP_BIT("awaited", BOW_WORDS, 1));
    f[n++] = STATE(0, 8 * 32 + 4, 6, c, slot, STEP("base"));
    f[n++] = STATE(of_rows, 0, STATE_FLAG, c, row, STEP("window"));
    f[n++] = STATE(of_rows, 1, STATE_FLAG, c, row, STEP("ask"));
    f[n++] = STATE(of_rows, 2, STATE_FLAG, c, row, STEP("dirty"));
    f[n++] = STATE(of_rows, 3, STATE_FLAG, c, row, STEP("only"));
    f[n++] = STATE(of_rows, 4, STATE_FLAG, c, row, STEP("save"));
    f[n++] = STATE(of_rows, 5, STATE_FLAG, c, row, STEP("reserved"));
    f[n++] = STATE(of_rows, 6, STATE_FLAG, c, row, STEP("empty"));
    f[n++] = STATE(of_rows, 8, slot_bits, c, row, STEP("slot"));
    f[n++] = STATE(of_rows, 16, 6, c, row, STEP("register"));
    f[n++] = STATE(2 * of_rows, 0, STATE_ROW, STEP_ADDR("boc", coll, values),
                   STEP_ADDR("row", values, 1), STEP("value"));
    f[n++] = STATE_DERIVED(pool, 0, coll_bits, STEP_BIT("unit", units, 32), STEP("pointer"));
    f[n++] =
        STATE_DERIVED(pool, 8 * 32, coll_bits, STEP_BIT("writer", writers, 32), STEP("pointer"));
    f[n++] =
        STATE_DERIVED(pool, 12 * 32, STATE_FLAG, STEP_BIT("writer", writers, 32), STEP("turn"));
    f[n++] = STATE_DERIVED(pool, 16 * 32, coll_bits, STEP("first"));
    f[n++] = STATE_DERIVED(pool, 17 * 32, STATE_FLAG, STEP_BIT("port", alloc, 32),
                           STEP_BIT("forwarded", ops, 1));
    return n;
}
