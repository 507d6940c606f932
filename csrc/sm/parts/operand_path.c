// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/operand_path.h"

#include "sm/parts/units.h"
#include "sm/stages/writeback.h"
#include "sm/state.h"

void path_open(Sm *sm, Arena *arena) {
    const Arch *a = &sm->gpu->arch;
    sm->path = a->path;
    sm->path_self = a->path->open(sm, arena, a->mode, &sm->ports);
    sm->hazards.war = a->path->orders && a->path->orders(sm) ? 0 : ~0ull;
}

bool path_check(const Sm *sm, Diag *d) {
    return !sm->path->check || sm->path->check(sm, sm->path_self, d);
}

void path_launch(Sm *sm) {
    slots_launch(sm->ports.slots);
    if (sm->path->launch) sm->path->launch(sm, sm->path_self);
}

bool path_fits(const Sm *sm, int warp, const InstStream *stream, const SmInst *in, int uop) {
    return sm->path->fits(sm, sm->path_self, warp, stream, in, uop);
}

WarpSet path_each_fits(const Sm *sm, const void *self, WarpSet warps) {
    WarpSet fit = 0;
    for (WarpSet left = warps; left; left &= left - 1) {
        const InstStream *own = &sm->warps[lowest(left)].own;
        if (sm->path->fits(sm, self, lowest(left), own, &own->insts[own->pc], 0))
            fit |= left & -left;
    }
    return fit;
}

WarpSet path_room_to_pass(const Sm *sm, WarpSet warps) {
    WarpSet metadata = 0;
    for (WarpSet left = warps; left; left &= left - 1) {
        const InstStream *own = &sm->warps[lowest(left)].own;
        if (own->insts[own->pc].isa->op == ISA_HINT) metadata |= left & -left;
    }
    return metadata | sm->path->room(sm, sm->path_self, warps & ~metadata);
}

void path_accept(Sm *sm, Flight *f, int uop) {
    unit_enters(sm, f->inst->unit);
    f->uops_sent++;
    if (sm->places && sm->places->enters) sm->places->enters(sm, sm->places_self, f, uop);
    sm->path->accept(sm, sm->path_self, f, uop);
}

void path_passes(Sm *sm, int warp, const InstStream *stream, const SmInst *in, uint32_t active) {
    if (in->isa->op != ISA_HINT) sm->path->passes(sm, sm->path_self, warp, stream, in, active);
}

uint64_t path_arriving(const Sm *sm, int warp) {
    return sm->path->arriving ? sm->path->arriving(sm, sm->path_self, warp) : 0;
}

void path_tell_refused(Sm *sm, uint32_t reads, uint32_t writes) {
    for (uint32_t left = reads; left; left &= left - 1) {
        const Waiting *w = slots_at(sm->ports.slots, __builtin_ctz(left));
        notify_refused(sm, (RefusedEvent){w ? w->flight : NULL, false});
    }
    for (uint32_t left = writes; left; left &= left - 1)
        notify_refused(sm, (RefusedEvent){writeback_offered(sm, __builtin_ctz(left)), true});
}

void path_kill(Sm *sm, int warp, uint64_t regs) {
    if (sm->path->kill) sm->path->kill(sm, sm->path_self, warp, regs);
}
