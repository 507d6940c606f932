// SPDX-License-Identifier: Apache-2.0
// Part "admission": the number of CTAs that the SM accepts, and the resources that a warp allocates
// when it starts and releases when it ends. It also decides when a warp slot is free again. The
// machine's own rule is csrc/config/occupancy.h (threads, registers, shared memory, slots). The
// smallest of all limits applies. A slot is free when every part agrees. A function may be NULL
// when the part does not restrict that step.
#ifndef SMCOSIM_SM_PARTS_ADMISSION_H
#define SMCOSIM_SM_PARTS_ADMISSION_H

#include "config/occupancy.h"
#include "sm/flight.h"

typedef struct Admission {
    // Registers per thread that a warp is charged for. regs: the kernel's.
    int (*registers)(const Sm *sm, const void *self, int regs);
    // Registers per thread that occupy the register file: at least `regs`, the kernel's own.
    int (*homes)(const Sm *sm, const void *self, int regs);
    // CTAs of the kernel that this part allows to be resident at once. It sets *limit to its
    // scarcest resource. If the result is 0, the launch is refused with that limit.
    uint64_t (*ctas)(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit);
    // Can a CTA start in this free slot in this cycle?
    bool (*may_start)(const Sm *sm, const void *self, int slot);
    void (*warp_begins)(Sm *sm, void *self, int warp);
    // All lanes have ended and the warp has nothing in flight.
    void (*warp_ends)(Sm *sm, void *self, int warp);
    // The part holds nothing of the warp that ended.
    bool (*slot_free)(const Sm *sm, const void *self, int warp);
    // The part holds nothing of the kernel: the kernel may end.
    bool (*rests)(const Sm *sm, const void *self);
} Admission;

void admission_bind(Sm *sm, const Admission *part, void *self);
int admission_homes(const Sm *sm, int regs);
// CTAs that are resident at once, by the limits of the machine and all parts.
uint64_t admission_ctas(const Sm *sm, CtaNeed need, CtaLimit *limit);
bool admission_rests(const Sm *sm);
bool admission_may_start(const Sm *sm, int slot);
void admission_warp_begins(Sm *sm, int warp);
void admission_warp_ends(Sm *sm, int warp);
// The warp's slot is drained: no part, and not the operand path, holds anything of it.
bool admission_slot_free(const Sm *sm, int warp);

#endif
