// SPDX-License-Identifier: Apache-2.0
// Golden model of merge_unit. Rows are 32 lane words, and each lane of the result is looked up in
// both. Results are in a list, the oldest in front.
#include "models/larf/merge_unit.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { MERGE_UNIT_PARAMS(BLOCK_INDEX) };

enum { LANES = 32 };

typedef struct Result {
    uint32_t lanes, row[32];  // row: slice-major
} Result;

typedef struct MergeUnit {
    int slots, held;
    int head;  // place of the oldest, as the ring of the contract has it
    Result result[MU_MAX_SLOTS];
} MergeUnit;

static void mu_reset(void *self) {
    MergeUnit *m = self;
    m->held = m->head = 0;
}

static void *mu_open(const int *params) {
    MergeUnit *m = calloc(1, sizeof *m);
    if (m) m->slots = params[P_Slots];
    return m;
}

static void mu_close(void *self) { free(self); }

static void mu_eval(void *self, const void *inputs, void *outputs) {
    const MergeUnit *m = self;
    const MergeUnitIn *in = inputs;
    MergeUnitOut *out = outputs;
    out->op_ready[0] = m->held < m->slots || in->res_ready[0];
    out->res_valid[0] = m->held > 0;
    if (!m->held) return;
    out->res_lane[0] = m->result[0].lanes;
    memcpy(out->res_row[0], m->result[0].row, sizeof out->res_row[0]);
}

static void mu_merge(const MergeUnitIn *in, Result *to) {
    uint32_t merged[LANES] = {0}, lanes[LANES];
    to->lanes = 0;
    for (int r = 0; r < MU_ROWS; r++) {
        if (!(in->op_valid[0] >> r & 1)) continue;
        const int shift = (int)in->op_shift[r] - (in->op_shift[r] & 32 ? 64 : 0);
        rf_lanes_from_slices(lanes, in->op_row[r]);
        for (int i = 0; i < LANES; i++) {
            if (!(in->op_mask[r] >> i & 1) || i + shift < 0 || i + shift >= LANES) continue;
            merged[i] |= lanes[i + shift];
            to->lanes |= 1u << i;
        }
    }
    rf_slices_from_lanes(to->row, merged);
}

static void mu_tick(void *self, const void *inputs) {
    MergeUnit *m = self;
    const MergeUnitIn *in = inputs;
    if (m->held && in->res_ready[0]) {
        m->held--;
        m->head = m->head + 1 < m->slots ? m->head + 1 : 0;
        memmove(m->result, m->result + 1, (size_t)m->held * sizeof m->result[0]);
    }
    if (in->op_valid[0] && m->held < m->slots) mu_merge(in, &m->result[m->held++]);
}

static uint32_t mu_obs_count(void *self) {
    const MergeUnit *m = self;
    return 1 + (uint32_t)m->slots;
}

static void mu_observe(void *self, uint32_t addr, uint32_t *words) {
    const MergeUnit *m = self;
    memset(words, 0, 128);
    if (addr == 0) {
        words[0] = (uint32_t)m->held;
        words[1] = (uint32_t)m->head;
    } else if (addr == BLOCK_OBS_PARAM) {
        words[0] = (uint32_t)m->slots;
    }
    for (int i = 0; i < m->held; i++) {
        const int place = (m->head + i) % m->slots;
        if (addr == 0) words[2 + place] = m->result[i].lanes;
        if (addr == 1 + (uint32_t)place) memcpy(words, m->result[i].row, 128);
    }
}

const BlockModel merge_unit_model = {"merge_unit", mu_open,      mu_close,   mu_reset, mu_eval,
                                     mu_tick,      mu_obs_count, mu_observe, 32};
