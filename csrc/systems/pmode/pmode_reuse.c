// SPDX-License-Identifier: Apache-2.0
// Reuse of P-mode's results in N-mode. At fetch an instruction is looked up at the head of its
// warp's P-queue (block p_queue) by PC and number. A hit moves into the instruction buffer and
// needs neither decode nor a unit. When it issues, P-mode's register becomes the mapping of its
// destination.
#include "systems/pmode/pmode.h"

#include <string.h>

static bool leaves_sequence(const SmInst *in) {
    return in->isa->op == ISA_BRA || in->isa->op == ISA_BRX || in->isa->op == ISA_EXIT;
}

// Is there a branch, or a point of reconvergence, between the head of the buffer and fetch_pc? If
// so, the instruction at fetch_pc is not looked up. It is not fetched either while the queue has
// entries, because a skipped head would block the queue.
static bool has_unresolved(const InstStream *own) {
    for (int pc = (int)own->pc; pc < own->fetch_pc; pc++)
        if (leaves_sequence(&own->insts[pc])) return true;
    return own->depth && own->fetch_pc == own->reconv && own->fetch_pc != (int)own->pc;
}

static bool ask_queue(PMode *s, int port, int warp, int pc, int seq) {
    PQueueIn *q = s->queue_in;
    q->fetch_valid[0] |= 1u << port;
    q->fetch_warp[port] = (uint32_t)warp;
    q->fetch_pc[port] = (uint32_t)pc * ISA_INST_BYTES;
    q->fetch_seq[port] = (uint32_t)seq;
    s->driven = true;
    block_eval(s->queue_block);
    return s->queue_out->fetch_hit[0] >> port & 1;
}

static void withdraw_lookup(PMode *s, int port) { s->queue_in->fetch_valid[0] &= ~(1u << port); }

static void pop_entry(const Sm *sm, PMode *s, int warp, int port) {
    PModeWarp *w = &s->warp[warp];
    const PQueueOut *q = s->queue_out;
    panic_if(w->npopped == PMODE_BUFFER, "warp %d has too many reused instructions in its buffer",
             warp);
    PModePopped *p = &w->popped[w->npopped++];
    const bool pair = q->fetch_pair[0] >> port & 1, pred = q->fetch_pred[0] >> port & 1;
    *p = (PModePopped){.entry = w->first, .dst = (int)q->fetch_dst[port], .pair = pair};
    if (p->dst >= sm->cfg->sm_regs_per_thread) p->dst = -1;
    else p->phy[0] = (int)q->fetch_phy[port];
    if (pair) p->phy[1] = (int)q->fetch_phy2[port];
    if (pred) p->first = q->fetch_first[port], p->second = q->fetch_second[port];
    w->first = (w->first + 1) % s->queue;
    w->count--;
    s->popping |= word_bit(warp);
}

InstStreamLookup pmode_lookup(Sm *sm, void *self, int warp, int port, int n) {
    PMode *s = self;
    PModeWarp *w = &s->warp[warp];
    const InstStream *own = &sm->warps[warp].own;
    const InstStreamLookup fetch_all = {0, n}, wait = {0, 0};
    if (pmode_in(sm, warp) || !w->count) return fetch_all;
    if (has_unresolved(own) || port >= sm->cfg->sm_schedulers) return wait;
    if (pmode_registered(sm) && (w->asked != own->fetch_pc || w->asked_at == sm->cycle)) {
        w->asked = own->fetch_pc;
        w->asked_at = sm->cycle;
        return wait;  // the answer arrives in the next cycle
    }
    const int seq = w->nseq + own->fetch_pc - (int)own->pc;
    if (seq > PMODE_LAST_SEQ) return fetch_all;
    if (ask_queue(s, port, warp, own->fetch_pc, seq)) {
        if (!(s->queue_out->fetch_rdy[0] >> port & 1)) {
            sm->count->v[CTR_PMODE_READY_WAITS]++;
            return wait;
        }
        pop_entry(sm, s, warp, port);
        return (InstStreamLookup){1, 0};
    }
    if (s->queue_out->fetch_clash[0] >> port & 1)
        sm_fail(sm, EXIT_MISMATCH,
                "warp %d: instruction %d of a session is at pc %d in N-mode and elsewhere in the "
                "P-queue",
                warp, seq, own->fetch_pc);
    withdraw_lookup(s, port);
    const bool alone = n == 1 || leaves_sequence(&own->insts[own->fetch_pc]) ||
        (own->depth && own->fetch_pc + 1 == own->reconv);
    if (alone || ask_queue(s, port, warp, own->fetch_pc + 1, seq + 1)) n = 1;
    withdraw_lookup(s, port);
    return (InstStreamLookup){0, n};
}

static void set_mapping(PMode *s, PModeWarp *w, int warp, const PModePopped *p) {
    PmodeRenameIn *r = s->rename_in;
    const int port = s->nact++;
    panic_if(port >= s->ports, "more instructions are renamed in a cycle than there are ports");
    const uint64_t words = (p->pair ? 3ull : 1ull) << p->dst;
    pmode_name_words(s, port, warp, false, words);
    r->set_valid[0] |= 1u << port;
    for (int k = 0; k < 2; k++) r->set_phy[2 * port + k] = (uint32_t)p->phy[k];
    w->mapped[0] |= words;
}

void pmode_give(Sm *sm, void *self, int warp, const SmInst *in) {
    PMode *s = self;
    PModeWarp *w = &s->warp[warp];
    InstStream *own = &sm->warps[warp].own;
    panic_if(!w->npopped, "warp %d reuses a result that was not popped", warp);
    const PModePopped p = w->popped[0];
    memmove(w->popped, w->popped + 1, sizeof p * (size_t)--w->npopped);
    if (p.dst >= 0) set_mapping(s, w, warp, &p);
    const uint32_t active = pmode_active(own, in), value[2] = {p.first, p.second};
    for (int i = 0; i < 2; i++) {
        const int to = in->isa->pdst[i];
        if (to != ISA_PT) own->pred[to] = (own->pred[to] & ~active) | (value[i] & active);
    }
    sm->count->v[CTR_PMODE_REUSED]++;
    if (p.entry == w->faulty) {
        sm_fail(sm, EXIT_WRONG_RESULT, "%s", s->fault[warp]);
        return;
    }
    const PModeEntry *e = pmode_entry(s, warp, p.entry);
    const bool loads = in->mem != SM_MEM_NOT;
    notify_given(
        sm, (GivenEvent){warp, in, &e->out, loads ? e->addr : NULL, loads ? e->lanes_of : NULL});
}

void pmode_drop(PMode *s, int warp) {
    PModeWarp *w = &s->warp[warp];
    for (int i = 0; i < w->npopped; i++) {
        const PModePopped *p = &w->popped[i];
        if (p->dst >= 0) pmode_free(s, p->phy[0]);
        if (p->pair) pmode_free(s, p->phy[1]);
    }
    w->npopped = 0;
}
