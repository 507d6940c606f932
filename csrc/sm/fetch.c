// SPDX-License-Identifier: Apache-2.0
// Fetch, decode and the instruction buffers.
//
// Each cycle one warp is fetched for: 16 bytes, two instructions; warps with an empty buffer first, in
// turn. Decode puts them into the buffer one cycle later, so an instruction can issue two cycles after
// its fetch. The instruction cache always hits. A buffer holds consecutive instructions from the warp's
// pc on, so its state is a count.
#include "sm/core.h"

// Recomputes whether the warp wants instructions.
void fetch_wants(Sm *sm, int warp) {
    const Warp *w = &sm->warps[warp];
    uint64_t me = bit64(warp);
    int out = sm->fetch_warp == warp ? sm->fetch_count : 0;
    bool wants = (sm->resident & ~sm->ended & ~sm->control & me) && w->fetch_pc < sm->ninsts &&
                 w->ib_count + out < sm->cfg->sm_ibuffer;
    sm->fetch_empty &= ~me;
    sm->fetch_room &= ~me;
    if (wants) *(w->ib_count + out == 0 ? &sm->fetch_empty : &sm->fetch_room) |= me;
    if (w->ib_count) sm->has_inst |= me; else sm->has_inst &= ~me;
    sm->dirty |= me;
}

// Drops buffer and fetch of a warp whose next instruction is elsewhere.
void fetch_redirect(Sm *sm, int warp) {
    Warp *w = &sm->warps[warp];
    w->ib_count = 0;
    w->fetch_pc = (int32_t)w->pc;
    if (sm->fetch_warp == warp) sm->fetch_warp = SM_NONE;
    fetch_wants(sm, warp);
}

void decode_stage(Sm *sm) {
    int warp = sm->fetch_warp;
    if (warp == SM_NONE) return;
    Warp *w = &sm->warps[warp];
    w->ib_count = (uint8_t)(w->ib_count + sm->fetch_count);
    sm->fetch_warp = SM_NONE;
    panic_if(w->ib_count > sm->cfg->sm_ibuffer || (int)w->pc + w->ib_count != w->fetch_pc,
             "instruction buffer of warp %d does not follow its pc", warp);
    fetch_wants(sm, warp);
}

void fetch_stage(Sm *sm) {
    uint64_t want = sm->fetch_empty ? sm->fetch_empty : sm->fetch_room;
    if (!want) return;
    uint64_t above = want & ~(bit64(sm->rotate_fetch) - 1);
    int warp = lowest(above ? above : want);
    sm->rotate_fetch = (warp + 1) % SM_MAX_WARPS;
    Warp *w = &sm->warps[warp];
    int n = sm->cfg->sm_ibuffer - w->ib_count;
    if (n > SM_FETCH_WIDTH) n = SM_FETCH_WIDTH;
    if (n > sm->ninsts - w->fetch_pc) n = sm->ninsts - w->fetch_pc;
    sm->fetch_warp = warp;
    sm->fetch_count = n;
    w->fetch_pc += n;
    fetch_wants(sm, warp);
}
