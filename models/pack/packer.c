// SPDX-License-Identifier: Apache-2.0
// Golden model of packer: a loop over the slices assigns the bytes in order.
#include "models/pack/packer.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { PACKER_PARAMS(BLOCK_INDEX) };

typedef struct Packer {
    int ports;
} Packer;

static void *pk_open(const int *params) {
    Packer *m = calloc(1, sizeof *m);
    if (m) m->ports = params[P_NumPorts];
    return m;
}

static void pk_close(void *self) { free(self); }
static void pk_reset(void *self) { (void)self; }
static void pk_tick(void *self, const void *in) { (void)self, (void)in; }

static void pk_eval(void *self, const void *inputs, void *outputs) {
    const Packer *m = self;
    const PackerIn *in = inputs;
    PackerOut *out = outputs;
    out->pk_out_valid[0] = 0;
    for (int p = 0; p < m->ports; p++) {
        out->pk_slice[p] = 0;
        if (!(in->pk_valid[0] >> p & 1) || in->pk_mask[p] == 0) continue;
        out->pk_out_valid[0] |= 1u << p;
        out->pk_slice[p] = in->pk_mask[p];
        const uint32_t *byte = in->pk_data[p];  // next byte of all lanes: 8 words
        for (int slice = 0; slice < 4; slice++) {
            if (in->pk_mask[p] >> slice & 1) {
                memcpy(out->pk_out[p] + 8 * slice, byte, 32);
                byte += 8;
            } else {
                memset(out->pk_out[p] + 8 * slice, 0, 32);
            }
        }
    }
}

static uint32_t pk_obs_count(void *self) {
    (void)self;
    return 0;
}

static void pk_observe(void *self, uint32_t addr, uint32_t *words) {
    const Packer *m = self;
    words[0] = addr == BLOCK_OBS_PARAM ? (uint32_t)m->ports : 0;
}

const BlockModel packer_model = {"packer", pk_open,      pk_close,   pk_reset, pk_eval,
                                 pk_tick,  pk_obs_count, pk_observe, 1};
