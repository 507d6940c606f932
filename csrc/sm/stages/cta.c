// SPDX-License-Identifier: Apache-2.0
// Occupancy and CTA dispatch.
//
// A warp slot owns the registers that csrc/isa/place.h assigns to it. CTA slot c owns warp slots
// c*W .. c*W + W - 1 and its part of shared memory. At most one CTA starts per cycle.
#include "sm/stages/cta.h"

#include "config/perturb.h"
#include "sm/parts/admission.h"
#include "sm/parts/barrier_state.h"
#include "sm/parts/hazards.h"
#include "sm/parts/order.h"
#include "sm/stages/barrier_stage.h"
#include "sm/stages/fetch.h"
#include "sm/stages/sched_stage.h"
#include "sm/state.h"

#include <string.h>

enum { MAX_THREADS = 1024, MAX_GRID_YZ = 65535, MAX_BLOCK_Z = 64 };

static bool check_shape(const GpuLaunch *l, Diag *d) {
    const char axis[3] = {'x', 'y', 'z'};
    const uint32_t grid_most[3] = {0x7fffffff, MAX_GRID_YZ, MAX_GRID_YZ};
    const uint32_t block_most[3] = {MAX_THREADS, MAX_THREADS, MAX_BLOCK_Z};
    for (int i = 0; i < 3; i++) {
        if (l->grid[i] == 0 || l->grid[i] > grid_most[i])
            return diag_fail(d, EXIT_USAGE, "kernel %s: grid.%c is %u, expected 1 to %u",
                             l->program->name, axis[i], l->grid[i], grid_most[i]);
        if (l->block[i] == 0 || l->block[i] > block_most[i])
            return diag_fail(d, EXIT_USAGE, "kernel %s: block.%c is %u, expected 1 to %u",
                             l->program->name, axis[i], l->block[i], block_most[i]);
    }
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (threads > MAX_THREADS)
        return diag_fail(d, EXIT_USAGE,
                         "kernel %s: a block of %ux%ux%u has %llu threads, expected at most %d",
                         l->program->name, l->block[0], l->block[1], l->block[2],
                         (unsigned long long)threads, MAX_THREADS);
    return true;
}

bool cta_plan(Sm *sm, Diag *d) {
    const MachineConfig *cfg = sm->cfg;
    const GpuLaunch *l = sm->launch;
    const IsaProgram *p = l->program;
    if (!check_shape(l, d)) return false;
    sm->threads_per_cta = l->block[0] * l->block[1] * l->block[2];
    sm->warps_per_cta = (int)(sm->threads_per_cta + ISA_LANES - 1) / ISA_LANES;
    const int homes = admission_homes(sm, p->home_regs);
    sm->layout = reg_layout(cfg->rf_banks, cfg->rf_granularity, homes);
    sm->gpu->ncta = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (p->half_grid) sm->gpu->ncta = (sm->gpu->ncta + 1) / 2;
    uint64_t shared = occupancy_shared((uint64_t)p->shared_bytes + l->shared_bytes);
    if (homes > cfg->sm_regs_per_thread)
        return diag_fail(d, EXIT_USAGE,
                         "kernel %s uses %d registers per thread, the machine allows %d", p->name,
                         homes, cfg->sm_regs_per_thread);
    if (p->max_barrier > cfg->sm_barriers)
        return diag_fail(d, EXIT_USAGE,
                         "kernel %s uses barrier %d, the machine has barriers 0 to %d", p->name,
                         p->max_barrier - 1, cfg->sm_barriers - 1);
    if (shared > (uint64_t)cfg->shared_bytes)
        return diag_fail(d, EXIT_USAGE,
                         "kernel %s requires %llu bytes of shared memory per CTA (%lld static, %u "
                         "dynamic), the SM has %d",
                         p->name, (unsigned long long)shared, (long long)p->shared_bytes,
                         l->shared_bytes, cfg->shared_bytes);
    sm->shared_per_cta = (uint32_t)shared;
    const CtaNeed need = {(int)sm->threads_per_cta, homes,
                          (uint64_t)p->shared_bytes + l->shared_bytes};
    CtaLimit limit;
    uint64_t fits = admission_ctas(sm, need, &limit);
    if (fits == 0)
        return diag_fail(d, EXIT_USAGE,
                         "kernel %s: one CTA of %u threads does not fit the SM: it requires %llu "
                         "%s, the SM has %llu %s",
                         p->name, sm->threads_per_cta, (unsigned long long)limit.needed, limit.need,
                         (unsigned long long)limit.there, limit.have);
    sm->gpu->info.limited_by = sm->gpu->info.room_limited_by = limit.what;
    sm->cta_room = (int)fits;
    const uint64_t most = (sm->gpu->ncta + (unsigned)sm->gpu->nsms - 1) / (unsigned)sm->gpu->nsms;
    if (most < fits) {
        fits = most;
        sm->gpu->info.limited_by = "grid";
    }
    sm->cta_limit = (int)fits;
    return true;
}

static void warp_launch(Sm *sm, int slot, int number) {
    int warp = slot * sm->warps_per_cta + number;
    Warp *w = &sm->warps[warp];
    uint32_t left = sm->threads_per_cta - (uint32_t)number * ISA_LANES;
    uint32_t lanes = left >= ISA_LANES ? ~0u : (1u << left) - 1;
    panic_if(sm->resident & warp_bit(warp), "warp slot %d is in use", warp);
    memset(w, 0, sizeof *w);
    w->cta = (uint8_t)slot;
    w->threads = w->own.mask = lanes;
    w->front = &w->own;
    w->own.insts = sm->program.insts;
    w->own.ninsts = sm->program.ninsts;
    w->own.first_line = sm->program.first_line;
    w->own.reconv = SM_NONE;
    w->own.stack = sm->stacks[warp];
    w->own.pred[ISA_PT] = ~0u;
    w->number = number;
    w->first_thread = number * ISA_LANES;
    sm->resident |= warp_bit(warp);
    sm->nwarps_resident++;
    hazards_warp_begins(sm, warp);
    admission_warp_begins(sm, warp);
    order_warp_begins(sm, warp);
    sched_warp_begins(sm, warp);
    fetch_wants(sm, warp);
    notify_warp_begin(sm, (WarpEvent){warp, slot, number, lanes});
}

// A CTA slot is free when all its warps have left it. A path may release their registers some
// cycles after their end.
static bool slot_free(const Sm *sm, int slot) {
    if (sm->ctas[slot].used) return false;
    for (int i = 0; i < sm->warps_per_cta; i++)
        if (!admission_slot_free(sm, slot * sm->warps_per_cta + i)) return false;
    return admission_may_start(sm, slot);
}

static bool any_cta(const Sm *sm) {
    return sm->quantum ? sm->nhanded != 0 : sm->gpu->next_cta < sm->gpu->ncta;
}

static uint64_t take_cta(Sm *sm) {
    if (!sm->quantum) return sm->gpu->next_cta++;
    const uint64_t n = sm->handed[0];
    memmove(sm->handed, sm->handed + 1, (size_t)--sm->nhanded * sizeof *sm->handed);
    return n;
}

// In a perturbed run the next CTA waits some cycles after a slot is free.
static bool starts_late(Sm *sm) {
    if (!sm->cfg->perturb_run) return false;
    const uint64_t cta = sm->quantum ? sm->handed[0] : sm->gpu->next_cta;
    if (!sm->start_drawn) {
        sm->start_drawn = true;
        sm->start_at = sm->cycle + (uint64_t)perturb_start(sm->cfg, cta);
    }
    return sm->cycle < sm->start_at;
}

void cta_dispatch(Sm *sm) {
    if (!any_cta(sm) || sm->ctas_used == sm->cta_limit) return;
    int slot = 0;
    while (slot < sm->cta_limit && !slot_free(sm, slot)) slot++;
    if (slot >= sm->cta_limit || starts_late(sm)) return;
    sm->start_drawn = false;
    Cta *cta = &sm->ctas[slot];
    memset(cta, 0, sizeof *cta);
    const uint64_t n = take_cta(sm);
    const uint32_t *grid = sm->launch->grid;
    cta->used = true;
    sm->ctas_used++;
    cta->linear = n;
    cta->id[0] = (uint32_t)(n % grid[0]);
    cta->id[1] = (uint32_t)(n / grid[0] % grid[1]);
    cta->id[2] = (uint32_t)(n / grid[0] / grid[1]);
    cta->live = cta->resident = sm->warps_per_cta;
    barrier_cta_begins(sm, slot);
    notify_cta_begin(sm, (CtaEvent){slot});
    for (int i = 0; i < sm->warps_per_cta; i++) {
        cta->warps |= warp_bit(slot * sm->warps_per_cta + i);
        warp_launch(sm, slot, i);
    }
}

void cta_warp_done(Sm *sm, int warp) {
    Warp *w = &sm->warps[warp];
    Cta *cta = &sm->ctas[w->cta];
    WarpSet me = warp_bit(warp);
    panic_if(!hazards_idle(sm, warp) || !order_idle(sm, warp),
             "warp %d ends with results outstanding", warp);
    sm->resident &= ~me;
    sm->ended &= ~me;
    sm->nwarps_resident--;
    sm->parked &= ~me;
    hazards_recheck(sm, warp);
    fetch_wants(sm, warp);
    sched_warp_ends(sm, warp);
    admission_warp_ends(sm, warp);
    notify_warp_end(sm, (WarpEvent){warp, w->cta, w->number, w->threads});
    if (--cta->resident > 0) return;
    cta->used = false;
    sm->ctas_used--;
    sm->ctas_done++;
    notify_cta_end(sm, (CtaEvent){w->cta});
}
