// SPDX-License-Identifier: Apache-2.0
// The parts' fields, then collectors, entries and writers, in the order of the contract.
#include "models/state.h"

BlockState rename_table_state, alloc_unit_state, banked_rf_state;

typedef struct Shape {
    int warps, regs, banks, entries, coll, ops, alloc, units, wr, kernels;
} Shape;

// A mapping in the format of rename_table.
static int place(StateField *f, uint32_t addr, int bit, const Shape *s, StateStep first,
                 StateStep second) {
    f[0] = STATE_DERIVED(addr, bit, block_bits(s->entries), first, second, STEP("entry"));
    f[1] = STATE_DERIVED(addr, bit + 16, block_bits(s->banks), first, second, STEP("bank"));
    f[2] = STATE_DERIVED(addr, bit + 24, STATE_FLAG, first, second, STEP_BIT("slice", 4, 1));
    f[3] = STATE_DERIVED(addr, bit + 31, STATE_FLAG, first, second, STEP("mapped"));
    return 4;
}

static int collectors(StateField *f, uint32_t addr, const Shape *s) {
    const StateStep c = STEP_ADDR("coll", s->coll, 1), read = STEP_BIT("read", s->ops, 96);
    const struct {
        const char *word;
        int bit;
    } sets[] = {{"need", 1}, {"pending", 5}, {"asks", 8}, {"missing", 12}, {"unmapped", 15}};
    int n = 0;
    f[n++] = STATE_DERIVED(addr, 0, STATE_FLAG, c, STEP("busy"));
    f[n++] = STATE_DERIVED(addr, 11, STATE_FLAG, c, STEP("granted"));
    for (int i = 0; i < 5; i++)
        f[n++] = STATE_DERIVED(addr, sets[i].bit, STATE_FLAG, c, STEP_BIT(sets[i].word, s->ops, 1));
    f[n++] = STATE_DERIVED(addr, 18, block_bits(s->units), c, STEP("unit"));
    f[n++] = STATE_DERIVED(addr, 32, STATE_FLAG, c, STEP_BIT("older", s->coll, 1));
    f[n++] = STATE_DERIVED(addr, 64, block_bits(s->entries), c, read, STEP("entry"));
    f[n++] = STATE_DERIVED(addr, 80, block_bits(s->banks), c, read, STEP("bank"));
    f[n++] = STATE_DERIVED(addr, 96, block_bits(s->entries), c, read, STEP("entry2"));
    f[n++] = STATE_DERIVED(addr, 128, 4, c, read, STEP("sel"));
    f[n++] = STATE_DERIVED(addr, 132, 4, c, read, STEP("mask1"));
    f[n++] = STATE_DERIVED(addr, 136, 4, c, read, STEP("mask2"));
    f[n++] = STATE_DERIVED(addr, 140, s->ops, c, read, STEP("ops1"));
    f[n++] = STATE_DERIVED(addr, 144, s->ops, c, read, STEP("ops2"));
    f[n++] = STATE_DERIVED(addr + (uint32_t)s->coll, 0, STATE_ROW,
                           STEP_ADDR("coll", s->coll, s->ops), STEP_ADDR("row", s->ops, 1));
    return n;
}

static int entries(StateField *f, uint32_t addr, const Shape *s) {
    const StateStep entry = STEP_ADDR("entry", s->alloc, 1);
    int n = 0;
    f[n++] = STATE_DERIVED(addr, 0, STATE_FLAG, entry, STEP("busy"));
    f[n++] = STATE_DERIVED(addr, 1, STATE_FLAG, entry, STEP_BIT("again", s->ops, 1));
    f[n++] = STATE_DERIVED(addr, 4, STATE_FLAG, entry, STEP_BIT("known", s->ops, 1));
    f[n++] = STATE_DERIVED(addr, 7, STATE_FLAG, entry, STEP_BIT("need", s->ops, 1));
    f[n++] = STATE_DERIVED(addr, 10, 3, entry, STEP("dsts"));
    f[n++] = STATE_DERIVED(addr, 13, 3, entry, STEP("dsts_done"));
    f[n++] = STATE_DERIVED(addr, 16, block_bits(s->warps), entry, STEP("warp"));
    f[n++] = STATE_DERIVED(addr, 24, block_bits(s->units), entry, STEP("unit"));
    f[n++] = STATE_DERIVED(addr, 32, block_bits(s->regs), entry, STEP_BIT("reg", s->ops, 64));
    f[n++] = STATE_DERIVED(addr, 7 * 32, block_bits(s->regs), entry, STEP_BIT("dst", 4, 8));
    n += place(f + n, addr, 64, s, entry, STEP_BIT("place", s->ops, 64));
    f[n++] = STATE_DERIVED(addr, 27, STATE_FLAG, entry, STEP("late"), STEP("busy"));
    f[n++] = STATE_DERIVED(addr, 8 * 32, 3, entry, STEP("late"), STEP("dsts"));
    f[n++] = STATE_DERIVED(addr, 8 * 32 + 3, 3, entry, STEP("late"), STEP("dsts_done"));
    f[n++] =
        STATE_DERIVED(addr, 8 * 32 + 8, block_bits(s->warps), entry, STEP("late"), STEP("warp"));
    f[n++] = STATE_DERIVED(addr, 9 * 32, block_bits(s->regs), entry, STEP("late"),
                           STEP_BIT("dst", 4, 8));
    const uint32_t rest = addr + (uint32_t)s->alloc;
    f[n++] = STATE_DERIVED(rest, 0, block_bits(s->alloc), STEP("entry_first"));
    f[n++] = STATE_DERIVED(rest, 32, 2, STEP("config"), STEP("policy"));
    f[n++] = STATE_DERIVED(rest, 34, 2, STEP("config"), STEP("mode"));
    f[n++] = STATE_DERIVED(rest, 36, STATE_FLAG, STEP("config"), STEP("pack"));
    f[n++] = STATE_DERIVED(rest, 37, STATE_FLAG, STEP("config"), STEP("table"));
    f[n++] = STATE_DERIVED(rest, 38, STATE_FLAG, STEP("config"), STEP("grow"));
    f[n++] = STATE_DERIVED(rest, 39, STATE_FLAG, STEP("config"), STEP("order"));
    f[n++] = STATE_DERIVED(rest, 43, STATE_FLAG, STEP("config"), STEP("shrink"));
    f[n++] = STATE_DERIVED(rest, 40, block_bits(s->kernels), STEP("config"), STEP("kernel"));
    return n;
}

static int writers(StateField *f, uint32_t addr, const Shape *s) {
    const StateStep w = STEP_ADDR("writer", s->wr, 2);
    int n = 0;
    for (int stage = 0; stage < 2; stage++) {
        const StateStep at = STEP(stage ? "stage2" : "stage1");
        const uint32_t here = addr + (uint32_t)stage, data = here + (uint32_t)(2 * s->wr);
        f[n++] = STATE_DERIVED(here, 0, STATE_FLAG, w, at, STEP("busy"));
        f[n++] = STATE_DERIVED(here, 8, block_bits(s->regs), w, at, STEP("reg"));
        f[n++] = STATE_DERIVED(here, 16, block_bits(s->warps), w, at, STEP("warp"));
        f[n++] = STATE_DERIVED(here, 64, STATE_FLAG, w, at, STEP_BIT("lane", 32, 1));
        n += place(f + n, here, 32, s, w, at);
        f[n++] = STATE_DERIVED(data, 0, STATE_ROW, w, at, STEP("row"));
    }
    const StateStep one = STEP("stage1"), two = STEP("stage2");
    f[n++] = STATE_DERIVED(addr, 1, 3, w, one, STEP("step"));
    f[n++] = STATE_DERIVED(addr, 24, 3, w, one, STEP("need"));
    f[n++] = STATE_DERIVED(addr, 96, STATE_FLAG, w, one, STEP("paired"));
    f[n++] = STATE_DERIVED(addr, 97, 2, w, one, STEP("align"));
    f[n++] = STATE_DERIVED(addr, 99, STATE_FLAG, w, one, STEP("seeks"));
    f[n++] = STATE_DERIVED(addr, 100, 2, w, one, STEP("kind"));
    f[n++] = STATE_DERIVED(addr, 104, 6, w, one, STEP("buddy"));
    f[n++] = STATE_DERIVED(addr, 110, STATE_FLAG, w, one, STEP("comes"));
    f[n++] = STATE_DERIVED(addr + 1, 1, STATE_FLAG, w, two, STEP("bank_done"));
    f[n++] = STATE_DERIVED(addr + 1, 2, STATE_FLAG, w, two, STEP("update_done"));
    return n + place(f + n, addr, 128, s, w, STEP("buddy"));
}

int rf_datapath_state(const int *params, StateField *f) {
    const Shape s = {params[0], params[1], params[2], params[3], params[4],
                     params[5], params[6], params[7], params[8], params[9]};
    const int kernels = params[9], freed = s.banks < 8 ? s.banks : 8;
    const int table[] = {s.warps, s.regs, s.banks, s.entries, s.alloc, s.ops, s.wr};
    const int alloc[] = {s.banks, s.entries, s.warps, s.wr, freed, kernels, s.alloc};
    const int rf[] = {s.banks, s.entries, s.coll + 1, s.wr};
    const uint32_t at_alloc = (uint32_t)(s.warps * s.regs + 1 + freed);
    const uint32_t at_rf =
        at_alloc + (uint32_t)(s.banks * ((s.entries + 15) / 16) + s.banks * 6 + kernels * 64 + 1);
    const uint32_t at_coll = at_rf + (uint32_t)(s.banks * s.entries + s.banks);
    const uint32_t at_entry = at_coll + (uint32_t)(s.coll * (1 + s.ops)),
                   at_wr = at_entry + (uint32_t)s.alloc + 1;
    int n = state_part(f, rename_table_state(table, f), 0, "table");
    n += state_part(f + n, alloc_unit_state(alloc, f + n), at_alloc, "alloc");
    n += state_part(f + n, banked_rf_state(rf, f + n), at_rf, "rf");
    n += collectors(f + n, at_coll, &s);
    n += entries(f + n, at_entry, &s);
    return n + writers(f + n, at_wr, &s);
}
