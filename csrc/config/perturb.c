// SPDX-License-Identifier: Apache-2.0
#include "config/perturb.h"

enum { DRAM_DRAW, START_DRAW };  // a CTA has the draw START_DRAW + its number

// The draw of this number in the sequence of the run's seed.
static uint64_t draw_number(int run, uint64_t number) {
    uint64_t z = ((uint64_t)run << 40) + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int perturb_dram(const MachineConfig *cfg) {
    const uint64_t values = 2 * (uint64_t)cfg->perturb_dram + 1;
    if (!cfg->perturb_run) return 0;
    return (int)(draw_number(cfg->perturb_run, DRAM_DRAW) % values) - cfg->perturb_dram;
}

int perturb_start(const MachineConfig *cfg, uint64_t cta) {
    if (!cfg->perturb_run) return 0;
    return (int)(draw_number(cfg->perturb_run, START_DRAW + cta) %
                 ((uint64_t)cfg->perturb_start + 1));
}
