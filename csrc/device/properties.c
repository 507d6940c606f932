// SPDX-License-Identifier: Apache-2.0
// The machine as a CUDA device.
#include "device/context_parts.h"

#include <stdlib.h>

enum { USUAL_ARCH = 75 };
enum { CLOCK_KHZ = 1000000 };  // machines have no clock: a cycle counts as a nanosecond

void properties_answer(const Context *c, Answer *answer) {
    const MachineConfig *cfg = c->run.setup.cfg;
    CudaDevice *d = calloc(1, sizeof *d);
    panic_if(!d, "out of memory");
    const int known = registered_arch(c), arch = known ? known : USUAL_ARCH;
    snprintf(d->name, sizeof d->name, "smcosim %s", c->o->session.machine);
    d->memory = DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE;
    d->l2_bytes = (uint64_t)cfg->l2_bytes;
    d->shared_per_block = d->shared_per_sm = (uint64_t)cfg->shared_bytes;
    d->registers_per_sm = (uint64_t)cfg->rf_banks * (uint64_t)cfg->rf_entries * ISA_LANES;
    d->major = arch / 10, d->minor = arch % 10;
    d->sms = c->run.machine.nsms;
    d->warps_per_sm = cfg->sm_warps, d->threads_per_sm = cfg->sm_threads,
    d->ctas_per_sm = cfg->sm_ctas;
    d->clock_khz = CLOCK_KHZ;
    d->memory_clock_khz = CLOCK_KHZ / 1000 * cfg->dram_clock_permille;
    d->bus_bits = cfg->dram_channels * 64;
    answer->reply.bytes = sizeof *d;
    answer->payload = (uint8_t *)d;
}
