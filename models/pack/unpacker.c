// SPDX-License-Identifier: Apache-2.0
// Golden model of unpacker: collects the bytes of a mask from the lowest slice up, then repeats the
// sign of the last one.
#include "models/pack/unpacker.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { UNPACKER_PARAMS(BLOCK_INDEX) };

typedef struct Unpacker {
    int rows;
} Unpacker;

static void *up_open(const int *params) {
    Unpacker *m = calloc(1, sizeof *m);
    if (m) m->rows = params[P_NumRows];
    return m;
}

static void up_close(void *self) { free(self); }
static void up_reset(void *self) { (void)self; }
static void up_tick(void *self, const void *in) { (void)self, (void)in; }

// mask is not 0.
static void up_value(uint32_t value[32], const uint32_t row[32], uint32_t mask) {
    int8_t bytes[4][32], sign[32];
    int n = 0;
    for (int slice = 0; slice < 4; slice++)
        if (mask >> slice & 1) memcpy(bytes[n++], row + 8 * slice, 32);
    for (int l = 0; l < 32; l++) sign[l] = bytes[n - 1][l] < 0 ? -1 : 0;
    while (n < 4) memcpy(bytes[n++], sign, 32);
    memcpy(value, bytes, 128);
}

static void up_eval(void *self, const void *inputs, void *outputs) {
    const Unpacker *m = self;
    const UnpackerIn *in = inputs;
    UnpackerOut *out = outputs;
    out->up_first_valid[0] = out->up_second_valid[0] = 0;
    for (int r = 0; r < m->rows; r++) {
        if (!(in->up_valid[0] >> r & 1)) continue;
        if (in->up_mask1[r]) {
            out->up_first_valid[0] |= 1u << r;
            up_value(out->up_first[r], in->up_row[r], in->up_mask1[r]);
        }
        if (in->up_mask2[r]) {
            out->up_second_valid[0] |= 1u << r;
            up_value(out->up_second[r], in->up_row[r], in->up_mask2[r]);
        }
    }
}

static uint32_t up_obs_count(void *self) {
    (void)self;
    return 0;
}

static void up_observe(void *self, uint32_t addr, uint32_t *words) {
    const Unpacker *m = self;
    words[0] = addr == BLOCK_OBS_PARAM ? (uint32_t)m->rows : 0;
}

const BlockModel unpacker_model = {"unpacker", up_open,      up_close,   up_reset, up_eval,
                                   up_tick,    up_obs_count, up_observe, 1};
