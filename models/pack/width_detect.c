// SPDX-License-Identifier: Apache-2.0
// Golden model of width_detect: lanes as signed integers. The magnitude of a lane (its complement
// when it is negative) says how many bits it has beside the sign; the widest lane decides.
#include "models/pack/width_detect.h"
#include "models/params.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH_DETECT_PARAMS(BLOCK_INDEX) };

typedef struct WidthDetect {
    int ports;
} WidthDetect;

static void *wd_open(const int *params) {
    WidthDetect *m = calloc(1, sizeof *m);
    if (m) m->ports = params[P_NumPorts];
    return m;
}

static void wd_close(void *self) { free(self); }
static void wd_reset(void *self) { (void)self; }
static void wd_tick(void *self, const void *in) { (void)self, (void)in; }

// All magnitudes of the written lanes, ORed: its highest bit is that of the widest lane.
static uint32_t wd_magnitudes(const uint32_t row[32], uint32_t lanes) {
    uint32_t words[32], all = 0;
    rf_lanes_from_slices(words, row);
    // 0 needs no bit
    for (int l = 0; lanes != UINT32_MAX && l < 32; l++) words[l] &= 0u - (lanes >> l & 1);
    for (int l = 0; l < 32; l++) {
        const int32_t v = (int32_t)words[l];
        all |= (uint32_t)(v < 0 ? -(v + 1) : v);
    }
    return all;
}

static void wd_eval(void *self, const void *inputs, void *outputs) {
    const WidthDetect *m = self;
    const WidthDetectIn *in = inputs;
    WidthDetectOut *out = outputs;
    for (int p = 0; p < m->ports; p++) {
        out->wd_wide[p] = out->wd_size[p] = 0;
        if (!(in->wd_valid[0] >> p & 1)) continue;
        const uint32_t all = wd_magnitudes(in->wd_data[p], in->wd_lane[p]);
        // Below 2^7 one byte is enough, below 2^15 two, below 2^23 three.
        uint32_t size = all < 1u << 7 ? 1 : all < 1u << 15 ? 2 : all < 1u << 23 ? 3 : 4;
        if (in->wd_lane[p] != UINT32_MAX && in->wd_old[p] > size) size = in->wd_old[p];
        out->wd_size[p] = size;
        for (int i = 0; i < 3; i++)
            out->wd_wide[p] |= (uint32_t)((all >> (7 + 8 * i) & 0xff) != 0) << i;
    }
}

static uint32_t wd_obs_count(void *self) {
    (void)self;
    return 0;
}

static void wd_observe(void *self, uint32_t addr, uint32_t *words) {
    const WidthDetect *m = self;
    words[0] = addr == BLOCK_OBS_PARAM ? (uint32_t)m->ports : 0;
}

const BlockModel width_detect_model = {"width_detect", wd_open,      wd_close,   wd_reset, wd_eval,
                                       wd_tick,        wd_obs_count, wd_observe, 1};
