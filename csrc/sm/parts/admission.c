// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/admission.h"

#include "sm/state.h"

void admission_bind(Sm *sm, const Admission *part, void *self) {
    AdmissionSet *a = &sm->admissions;
    panic_if(a->n == SM_MAX_PARTS, "more than %d admissions", SM_MAX_PARTS);
    a->of[a->n++] = (BoundAdmission){part, self};
}

#define EACH(sm, b) \
    for (const BoundAdmission *b = (sm)->admissions.of; \
         b < (sm)->admissions.of + (sm)->admissions.n; b++)

int admission_homes(const Sm *sm, int regs) {
    int homes = regs;
    EACH(sm, b) {
        const int wants = b->part->homes ? b->part->homes(sm, b->self, regs) : regs;
        if (wants > homes) homes = wants;
    }
    return homes;
}

uint64_t admission_ctas(const Sm *sm, CtaNeed need, CtaLimit *limit) {
    const int regs = need.regs;
    EACH(sm, b) {
        const int charged = b->part->registers ? b->part->registers(sm, b->self, regs) : regs;
        if (charged < need.regs) need.regs = charged;
    }
    uint64_t least = occupancy_ctas(sm->cfg, &need, limit);
    EACH(sm, b) {
        CtaLimit own;
        const uint64_t fits = b->part->ctas ? b->part->ctas(sm, b->self, &need, &own) : least;
        if (fits >= least) continue;
        least = fits;
        *limit = own;
    }
    return least;
}

bool admission_may_start(const Sm *sm, int slot) {
    EACH(sm, b)
        if (b->part->may_start && !b->part->may_start(sm, b->self, slot)) return false;
    return true;
}

bool admission_rests(const Sm *sm) {
    EACH(sm, b)
        if (b->part->rests && !b->part->rests(sm, b->self)) return false;
    return true;
}

void admission_warp_begins(Sm *sm, int warp) {
    EACH(sm, b)
        if (b->part->warp_begins) b->part->warp_begins(sm, b->self, warp);
}

void admission_warp_ends(Sm *sm, int warp) {
    EACH(sm, b)
        if (b->part->warp_ends) b->part->warp_ends(sm, b->self, warp);
    if (sm->path->warp_ended) sm->path->warp_ended(sm, sm->path_self, warp);
}

bool admission_slot_free(const Sm *sm, int warp) {
    EACH(sm, b)
        if (b->part->slot_free && !b->part->slot_free(sm, b->self, warp)) return false;
    return !sm->path->warp_free || sm->path->warp_free(sm, sm->path_self, warp);
}
