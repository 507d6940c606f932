// SPDX-License-Identifier: Apache-2.0
// Part "admission": how many CTAs the SM takes, what a warp that starts or ends takes and gives
// back, and from when on a warp's slot is free again. The machine's own rule is
// csrc/config/occupancy.h (threads, registers, shared memory, slots); of all limits the smallest
// counts, and a slot is free when all parts say so. Any function may be NULL: the part has no
// opinion.
#ifndef SMCOSIM_SM_PARTS_ADMISSION_H
#define SMCOSIM_SM_PARTS_ADMISSION_H

#include "config/occupancy.h"
#include "sm/flight.h"

typedef struct Admission {
    // Registers per thread that a warp is charged for, of the kernel's `regs`.
    int (*registers)(const Sm *sm, const void *self, int regs);
    // Registers per thread that lie in the register file, of the kernel's `regs` that do: at least
    // so many.
    int (*homes)(const Sm *sm, const void *self, int regs);
    // CTAs of the kernel that are resident at once as far as this part goes. It fills *limit with
    // what there is least of; 0: not even one fits, and the launch is refused with that.
    uint64_t (*ctas)(const Sm *sm, const void *self, const CtaNeed *need, CtaLimit *limit);
    // a CTA into this free slot, in this cycle
    bool (*may_start)(const Sm *sm, const void *self, int slot);
    void (*warp_begins)(Sm *sm, void *self, int warp);
    // all lanes ended, nothing of it in flight
    void (*warp_ends)(Sm *sm, void *self, int warp);
    // nothing of the warp that ended is left here
    bool (*slot_free)(const Sm *sm, const void *self, int warp);
    // nothing of the kernel is left here: it may end
    bool (*rests)(const Sm *sm, const void *self);
} Admission;

void admission_bind(Sm *sm, const Admission *part, void *self);
int admission_homes(const Sm *sm, int regs);
// CTAs that are resident at once, by the machine and all parts.
uint64_t admission_ctas(const Sm *sm, CtaNeed need, CtaLimit *limit);
bool admission_rests(const Sm *sm);
bool admission_may_start(const Sm *sm, int slot);
void admission_warp_begins(Sm *sm, int warp);
void admission_warp_ends(Sm *sm, int warp);
// The warp's slot is drained: no part, and not the operand path, holds anything of it.
bool admission_slot_free(const Sm *sm, int warp);

#endif
