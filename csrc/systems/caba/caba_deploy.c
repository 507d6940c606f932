// SPDX-License-Identifier: Apache-2.0
// CABA deployment: in each cycle, one or two instructions of one routine are copied from the store
// into the instruction buffer. Two low-priority instructions are deployed in a cycle only if
// neither waits and both places are free (the paper is silent).
#include "systems/caba/caba.h"

static bool can_stage(const Sm *sm, const Caba *s, const Assist *a) {
    if (a->dying || a->next >= a->stream.ninsts) return false;
    if (sm->cfg->caba_ctrl_cycles > 1 && a->jumped == sm->cycle)
        return false;  // the controller has not received its target yet
    if (a->high || a->storing) return a->staged < sm->cfg->sm_ibuffer && a->staged < CABA_STAGED;
    return !s->throttled && !a->staged &&
        hazards_query(sm, a->warp, &a->stream, caba_inst(a, a->next)) == HAZARD_NONE;
}

// The second instruction has no hazard with the first.
static bool can_pair(const IsaInst *first, const IsaInst *second) {
    const uint8_t written = isa_pred_writes(first), touched = written | isa_pred_reads(first);
    uint8_t of_first[ISA_MAX_SRC_WORDS + ISA_MAX_DST_WORDS],
        of_second[ISA_MAX_SRC_WORDS + ISA_MAX_DST_WORDS];
    const int nwritten = isa_writes(first, of_first),
              n = nwritten + isa_reads(first, of_first + nwritten);
    const int mwritten = isa_writes(second, of_second),
              m = mwritten + isa_reads(second, of_second + mwritten);
    if (first->op == ISA_BRA || (written & isa_pred_reads(second)) ||
        (touched & isa_pred_writes(second)))
        return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            if (of_first[i] == of_second[k] && of_first[i] != ISA_RZ &&
                (i < nwritten || k < mwritten))
                return false;
    return true;
}

// Can the next two instructions be staged? At low priority, the second instruction must not wait
// either. It occupies the other place of the buffer.
static bool can_stage_both(const Sm *sm, const Caba *s, const Assist *a) {
    if (sm->cfg->caba_deploy < 2 || sm->cfg->sm_schedulers < 2 || a->next + 2 > a->stream.ninsts)
        return false;
    if (a->high || a->storing)
        return a->staged + 2 <= sm->cfg->sm_ibuffer && a->staged + 2 <= CABA_STAGED;
    const SmInst *first = caba_inst(a, a->next), *second = caba_inst(a, a->next + 1);
    return !s->low_staged && can_pair(first->isa, second->isa) &&
        hazards_query(sm, a->warp, &a->stream, second) == HAZARD_NONE;
}

void caba_offer(const Sm *sm, Caba *s) {
    for (int p = CABA_LOW; p <= CABA_HIGH; p++)
        for (uint64_t left = s->valid[p]; left; left &= left - 1) {
            const Assist *a = &s->of[p][lowest(left)];
            if (!can_stage(sm, s, a)) continue;
            caba_put(s->in->ok, a);
            if (can_stage_both(sm, s, a)) caba_put(s->in->ok2, a);
        }
    s->in->low_room[0] = s->low_staged < CABA_LOW_ENTRIES;
}

void caba_stage(Sm *sm, Caba *s) {
    const AssistCtrlOut *out = s->out;
    Assist *a = &s->of[out->dep_high[0]][out->dep_warp[0]];
    const CabaProgram *p = out->dep_sr[0] < CABA_PROGRAMS ? &s->program[out->dep_sr[0]] : NULL;
    const int at = (int)out->dep_inst[0], n = 1 + (int)out->dep_two[0];
    if (!a->valid || a->staged + n > CABA_STAGED || !p || !p->text || at + n > p->ninsts) {
        sm_fail(sm, EXIT_MISMATCH,
                "assist_ctrl deploys instruction %d of routine %u for warp %u, which has no place "
                "for it",
                at, out->dep_sr[0], out->dep_warp[0]);
        return;
    }
    a->stream.insts = p->of_kernel.insts;
    a->stream.mask = out->dep_mask[0];
    if (!a->staged) a->stream.pc = (uint32_t)at;
    for (int i = 0; i < n; i++) a->buffer[a->staged++] = (uint8_t)(at + i);
    a->next = at + n;
    if (!a->high && !a->storing) s->low_staged += n;
    caba_update(s, a->warp);
}
