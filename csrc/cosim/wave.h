// SPDX-License-Identifier: Apache-2.0
// A wave being written, shared by wave.c and gtkw.c.
#ifndef SMCOSIM_COSIM_WAVE_H
#define SMCOSIM_COSIM_WAVE_H

#include "base/output.h"
#include "cosim/cosim_internal.h"

// Port structs of one block as shown in the wave, sampled when all inputs of the cycle are set.
typedef struct WaveBlock {
    Instance *x;
    void *in, *golden, *rtl;            // golden or rtl NULL if that side does not run
    uint32_t differs[BLOCK_MAX_PORTS];  // per output port: elements that differ
} WaveBlock;

struct Wave {
    char *path;
    Output output;
    uint64_t from, to;  // cycles
    ShimSignal *signals;
    int nsignals, cap_signals, nsm;  // the first nsm are the SM's
    WaveBlock blocks[COSIM_MAX_BLOCKS];
    int nblocks;
    void *file;  // NULL before the first cycle of the range
    uint32_t cycle, marker;
    const char *meaning;  // meaning of the mismatch, from its cycle on
    uint64_t base, last, first_time, mismatch_time;
    bool dumped, edge, done, complete;
    int error;  // errno of the first failure
};

char *wave_element_name(Arena *arena, const Port *p, int element);
// The GTKWave save file F.gtkw beside F.fst.
bool wave_save_beside(Cosim *c, Diag *d);

#endif
