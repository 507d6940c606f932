// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/units.h"

#include "sm/state.h"

#include <limits.h>

// Limit for shared collectors: the unit's own collectors plus an entry register per dispatch port,
// or its share of all collectors.
static int most_waiting(const Sm *sm, const UnitRow *row, int nports) {
    if (row->own > 0) return row->own + (sm->cfg->oc_entry ? nports : 0);
    return row->share < 100 ? (sm->ports.slots->nslots * row->share + 99) / 100 : INT_MAX;
}

static void add_unit(Sm *sm, int index, const UnitRow *row, void *self, int first_port,
                     int nports) {
    const int most = sm->path->shared ? most_waiting(sm, row, nports) : INT_MAX;
    sm->units[index] =
        (Unit){.row = row, .self = self, .first_port = first_port, .nports = nports, .most = most};
    for (int w = 0; nports && w < SM_MAX_WARPS; w++)
        sm->units[index].port[w] = (uint8_t)(first_port + w % sm->cfg->sm_schedulers % nports);
}

// The last dispatch port belongs to LD/ST, the last but one to SFU, the ports below to SP.
void units_open(Sm *sm, Arena *arena, const UnitRow *memory) {
    UnitRow *rows = ARENA_ARRAY(arena, UnitRow, UNIT_FIRST_ADDED);
    const int sp_ports = sm->ndisp - 2;
    rows[UNIT_SP] = (UnitRow){.name = "SP",
                              .own = sm->cfg->oc_sp,
                              .share = 100,
                              .stall = CTR_STALL_SP,
                              .wait = CTR_WAIT_SP,
                              .done = CTR_EXEC_SP};
    rows[UNIT_SFU] = (UnitRow){.name = "SFU",
                               .own = sm->cfg->oc_sfu,
                               .share = sm->cfg->oc_sfu_share,
                               .stall = CTR_STALL_SFU,
                               .wait = CTR_WAIT_SFU,
                               .done = CTR_EXEC_SFU};
    rows[UNIT_LDST] = (UnitRow){.name = "LD/ST",
                                .own = sm->cfg->oc_mem,
                                .share = sm->cfg->oc_mem_share,
                                .stall = CTR_STALL_LDST,
                                .wait = CTR_WAIT_LDST,
                                .done = CTR_EXEC_LDST,
                                .held = memory->held,
                                .ready = memory->ready};
    // Only a policy can stall an instruction that needs no unit.
    rows[UNIT_AT_ISSUE] = (UnitRow){.name = "issue", .share = 100, .stall = CTR_STALL_SP};
    add_unit(sm, UNIT_SP, &rows[UNIT_SP], NULL, 0, sp_ports);
    add_unit(sm, UNIT_SFU, &rows[UNIT_SFU], NULL, sp_ports, 1);
    add_unit(sm, UNIT_LDST, &rows[UNIT_LDST], NULL, sp_ports + 1, 1);
    add_unit(sm, UNIT_AT_ISSUE, &rows[UNIT_AT_ISSUE], NULL, 0, 0);
    sm->nunits = UNIT_FIRST_ADDED;
}

void units_bind(Sm *sm, const UnitRow *rows, int n, void *self) {
    for (int i = 0; i < n; i++) {
        const Unit *beside = &sm->units[rows[i].beside];
        panic_if(sm->nunits == SM_MAX_UNITS, "more than %d units", SM_MAX_UNITS);
        panic_if(!beside->nports, "unit %s stands beside none", rows[i].name);
        add_unit(sm, sm->nunits++, &rows[i], self, beside->first_port, beside->nports);
    }
}

void units_launch(Sm *sm) {
    sm->units_full = 0;
    for (int i = 0; i < sm->nunits; i++) {
        sm->units[i].waiting = 0;
        if (!unit_has_share(&sm->units[i])) sm->units_full |= 1u << i;
    }
}

void units_assign(const Sm *sm, SmInst *in) {
    for (int i = UNIT_FIRST_ADDED; i < sm->nunits; i++) {
        const Unit *u = &sm->units[i];
        if (!u->row->takes(sm, u->self, in)) continue;
        in->unit = (uint8_t)i;
        if (u->row->latency) in->latency = u->row->latency;
        if (u->row->interval) in->interval = u->row->interval;
        return;
    }
}

int units_port(const Sm *sm, int unit, int warp) { return sm->units[unit].port[warp]; }
