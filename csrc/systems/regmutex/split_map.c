// SPDX-License-Identifier: Apache-2.0
#include "systems/regmutex/split_map.h"

#include "sm/listeners/explain_state.h"
#include "sm/parts/explain_inst.h"

void split_map_open(SplitMap *m, const Sm *sm) {
    m->block = cosim_block(sm->cosim, "arch_to_phys");
    m->in = m->block->in;
    m->out = m->block->out;
}

void split_map_launch(SplitMap *m, bool on, int base, int ext, int first) {
    m->on = on;
    m->base = base;
    m->ext = ext;
    m->first = first;
    m->in->cfg_base[0] = (uint32_t)base;
    m->in->cfg_ext[0] = (uint32_t)ext;
    m->in->cfg_srp[0] = ext ? (uint32_t)first : 0;
}

// The look-up of the port that names the register. Write ports follow the allocation ports.
static int look_up(const Sm *sm, PlaceUse use, int at) {
    return use == PLACE_RESULT ? sm->cfg->oc_alloc_ports + at : at / SM_OPERANDS;
}

static int register_of(PlaceUse use, int at) { return use == PLACE_RESULT ? 0 : at % SM_OPERANDS; }

int split_map_ask(SplitMap *m, const Sm *sm, PlaceUse use, int at, int warp, int reg) {
    if (!m->on) {
        m->answer[use][at] = reg_place(&sm->layout, warp, reg);
        return -1;
    }
    const int l = look_up(sm, use, at), per = SM_OPERANDS, k = register_of(use, at);
    m->in->at_warp[l] = (uint32_t)warp;
    m->in->at_valid[0] |= 1u << l;
    m->in->at_need[l] |= 1u << k;
    m->in->at_reg[l * per + k] = (uint32_t)reg;
    return l;
}

static void no_place(const SplitMap *m, Sm *sm, int l, int k) {
    const int warp = (int)m->in->at_warp[l], reg = (int)m->in->at_reg[l * SM_OPERANDS + k];
    char place[256];
    explain_place(sm, &sm->warps[warp].own, (int)sm->warps[warp].own.pc, place, sizeof place);
    sm_fail(sm, EXIT_WRONG_RESULT,
            "%s: warp %d, which is resident, used R%d, which is not allocated: it has %d registers "
            "of its own, %d %s ones, and %s",
            place, warp, reg, m->base, m->ext, m->others,
            m->in->at_held[0] >> l & 1 ? m->has : m->has_not);
}

const RegPlace *split_map_answer(SplitMap *m, Sm *sm, PlaceUse use) {
    if (!m->on) return m->answer[use];
    const int first = look_up(sm, use, 0), per = SM_OPERANDS;
    const uint32_t here = m->in->at_valid[0] &
        (use == PLACE_RESULT ? ~0u << first : (1u << sm->cfg->oc_alloc_ports) - 1);
    for (uint32_t left = here; left; left &= left - 1) {
        const int l = __builtin_ctz(left);
        for (uint32_t need = m->in->at_need[l]; need; need &= need - 1) {
            const int k = __builtin_ctz(need), i = l * per + k,
                      at = use == PLACE_RESULT ? l - first : i;
            if (m->out->at_fault[0] >> i & 1) no_place(m, sm, l, k);
            else m->answer[use][at] = (RegPlace){(int)m->out->at_bank[i], (int)m->out->at_entry[i]};
        }
    }
    return m->answer[use];
}

RegPlace split_map_now(const SplitMap *m, const Sm *sm, int warp, int reg, int set) {
    const int banks = sm->cfg->rf_banks;
    if (!m->on) return reg_place(&sm->layout, warp, reg);
    if (reg >= m->base && set < 0) return (RegPlace){-1, -1};
    const int at = reg < m->base ? m->base * warp + reg : m->first + m->ext * set + reg - m->base;
    const int entry = at / banks;
    return (RegPlace){(at + entry + entry / banks) % banks, entry};
}

void split_map_tick(SplitMap *m) {
    for (uint32_t left = m->in->at_valid[0]; left; left &= left - 1)
        m->in->at_need[__builtin_ctz(left)] = 0;
    m->in->at_valid[0] = 0;
}
