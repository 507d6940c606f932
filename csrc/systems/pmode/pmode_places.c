// SPDX-License-Identifier: Apache-2.0
// Renaming of P-mode and N-mode (blocks pmode_rename and avail_vector), and the places of
// registers. A micro-operation looks up its registers when it issues and stores the places, so a
// later change of the tables does not affect it. If an operand read of a released id is
// outstanding, the id is freed when that read is done.
#include "systems/pmode/pmode.h"

static PModeFlight *flight_of(const Sm *sm, PMode *s, const Flight *f) {
    return &s->flight[flight_index(sm, f)];
}

static RegPlace place_of_id(const Sm *sm, const PMode *s, int id) {
    const MachineConfig *cfg = sm->cfg;
    return (RegPlace){avail_vector_bank(cfg->rf_banks, cfg->rf_entries, s->ids, id),
                      avail_vector_entry(cfg->rf_banks, cfg->rf_entries, s->ids, id)};
}

// ---- frees ----

void pmode_free(PMode *s, int id) {
    s->limbo[id / 64] |= word_bit(id % 64);
    s->driven = true;
}

static void free_at(PMode *s, int port, int id) {
    if (s->reads_of[id]) {
        pmode_free(s, id);
        return;
    }
    s->avail_in->free_valid[0] |= 1u << port;
    s->avail_in->free_phy[port] = (uint32_t)id;
    s->held--;
}

// Frees one retained id whose reads are complete.
static void free_held(PMode *s, int port) {
    for (int i = 0; i < PMODE_MAX_IDS / 64; i++)
        for (uint64_t left = s->limbo[i]; left; left &= left - 1) {
            const int id = 64 * i + lowest(left);
            if (s->reads_of[id]) continue;
            s->limbo[i] &= ~(left & -left);
            free_at(s, port, id);
            return;
        }
}

void pmode_frees(PMode *s) {
    const int from_rename = 2 * s->ports + 1;
    for (uint32_t left = s->rename_out->free_valid[0]; left; left &= left - 1)
        free_at(s, __builtin_ctz(left), (int)s->rename_out->free_phy[__builtin_ctz(left)]);
    if (s->queue && s->queue_out->free_valid[0])
        free_at(s, from_rename, (int)s->queue_out->free_phy[0]);
    free_held(s, from_rename + 1);
}

// ---- mappings ----

// Removes the first register or aligned pair of a set, as a port of pmode_rename accepts it.
static uint64_t take_first(uint64_t *regs) {
    const int reg = lowest(*regs);
    const uint64_t words = *regs & (reg & 1 ? word_bit(reg) : 3ull << reg);
    *regs &= ~words;
    return words;
}

// Only one port per cycle may name a warp, because the block ignores the second of two ports that
// set its mappings.
void pmode_name_words(PMode *s, int port, int warp, bool pmode, uint64_t words) {
    PmodeRenameIn *in = s->rename_in;
    for (int i = 0; i < port; i++)
        panic_if(in->set_valid[0] >> i & 1 && (int)in->lk_warp[i] == warp,
                 "two ports rename registers of warp %d", warp);
    in->lk_warp[port] = (uint32_t)warp;
    in->lk_pmode[0] = (in->lk_pmode[0] & ~(1u << port)) | (uint32_t)pmode << port;
    in->lk_dst[port] = (uint32_t)lowest(words);
    in->lk_pair[0] =
        (in->lk_pair[0] & ~(1u << port)) | (uint32_t)(words >> lowest(words) > 1) << port;
    s->driven = true;
}

static void unmap_words(PMode *s, int port, int warp, bool pmode, uint64_t words) {
    pmode_name_words(s, port, warp, pmode, words);
    s->rename_in->set_valid[0] |= 1u << port;
    s->rename_in->set_kill[0] |= 1u << port;
    s->warp[warp].mapped[pmode] &= ~words;
}

// A port handles one register or pair in a cycle. The rest of the set follows in the next cycles,
// before the warp issues again. Therefore every mapping has ended, and every place is known, before
// a reader of the result looks it up.
static void leave_rest(PMode *s, int warp, PModeRest rest) {
    if (!rest.regs) return;
    s->warp[warp].rest = rest;
    s->unfinished |= word_bit(warp);
}

void pmode_unmap(PMode *s, int port, int warp, bool pmode, uint64_t regs) {
    regs &= s->warp[warp].mapped[pmode];
    if (!regs) return;
    unmap_words(s, port, warp, pmode, take_first(&regs));
    leave_rest(s, warp, (PModeRest){regs, NULL, pmode});
}

// Looks up the sources of a micro-operation, and its destination.
static void look_up(const Sm *sm, PMode *s, int port, const Flight *f, int uop, int dst) {
    PmodeRenameIn *in = s->rename_in;
    const int per = SM_OPERANDS;
    int n;
    const uint8_t *regs = path_sources(f->inst, uop, per, &n);
    in->lk_warp[port] = (uint32_t)f->warp;
    in->lk_pmode[0] = (in->lk_pmode[0] & ~(1u << port)) | (uint32_t)pmode_of(sm, f) << port;
    for (int o = 0; o < per; o++)
        in->lk_src[port * per + o] = o < n ? regs[o] : (uint32_t)sm->cfg->sm_regs_per_thread;
    in->lk_dst[port] = dst >= 0 ? (uint32_t)dst : (uint32_t)sm->cfg->sm_regs_per_thread;
    in->lk_pair[0] =
        (in->lk_pair[0] & ~(1u << port)) | (uint32_t)(dst >= 0 && f->inst->nwrites > 1) << port;
    s->driven = true;
    block_eval(s->rename_block);
}

static void place_sources(const Sm *sm, PMode *s, PModeFlight *p, int port, const Flight *f,
                          int uop) {
    const int per = SM_OPERANDS;
    int n;
    const uint8_t *regs = path_sources(f->inst, uop, per, &n);
    for (int o = 0; o < n; o++) {
        const int op = uop * per + o, i = port * per + o;
        if (!(s->rename_out->src_renamed[0] >> i & 1)) {
            p->src[op] = reg_place(&sm->layout, f->warp, regs[o]);
            continue;
        }
        p->src_id[op] = (int16_t)s->rename_out->src_phy[i];
        p->src[op] = place_of_id(sm, s, p->src_id[op]);
        p->src_given[op] = s->given[p->src_id[op]];
        s->reads_of[p->src_id[op]]++;
    }
}

// ---- N-mode ----

// The words of a partial write are written to the places of the old values.
static void follow_words(const Sm *sm, PMode *s, PModeFlight *p, int port, const Flight *f,
                         uint64_t words) {
    const SmInst *in = f->inst;
    pmode_name_words(s, port, f->warp, false, words);
    block_eval(s->rename_block);
    for (int i = 0; i < in->nwrites; i++) {
        const int k = in->dst_reg[i] - lowest(words);
        if (k < 0 || k > 1 || !(words >> in->dst_reg[i] & 1)) continue;
        if (!(s->rename_out->dst_renamed[0] >> (2 * port + k) & 1)) continue;
        p->dst[i] = place_of_id(sm, s, (int)s->rename_out->dst_phy[2 * port + k]);
    }
}

// A write of all lanes goes to the register's own place and ends its mapping. A partial write goes
// to the place of the old value.
static void n_destination(const Sm *sm, PMode *s, PModeFlight *p, int port, const Flight *f) {
    const SmInst *in = f->inst;
    for (int i = 0; i < in->nwrites; i++)
        p->dst[i] = reg_place(&sm->layout, f->warp, in->dst_reg[i]);
    uint64_t regs = in->writes & s->warp[f->warp].mapped[0];
    if (f->active == pmode_live(f->stream)) {
        pmode_unmap(s, port, f->warp, false, regs);
    } else if (regs) {
        follow_words(sm, s, p, port, f, take_first(&regs));
        leave_rest(s, f->warp, (PModeRest){regs, f, false});
    }
}

// A result without a preceding micro-operation: of a barrier without register sources.
void pmode_place_result(const Sm *sm, PMode *s, const Flight *f) {
    const int port = s->nact++;
    panic_if(port >= s->ports, "more instructions are renamed in a cycle than there are ports");
    n_destination(sm, s, flight_of(sm, s, f), port, f);
}

void pmode_finish(const Sm *sm, PMode *s) {
    for (uint64_t left = s->unfinished; left; left &= left - 1) {
        const int warp = lowest(left), port = s->nact++;
        PModeRest *rest = &s->warp[warp].rest;
        panic_if(port >= s->ports, "more instructions are renamed in a cycle than there are ports");
        const uint64_t words = take_first(&rest->regs);
        if (rest->follows)
            follow_words(sm, s, flight_of(sm, s, rest->follows), port, rest->follows, words);
        else unmap_words(s, port, warp, rest->pmode, words);
        if (rest->regs) continue;
        *rest = (PModeRest){0};
        s->finishing |= word_bit(warp);
    }
}

// ---- P-mode ----

static void allocate_registers(Sm *sm, PMode *s, PModeFlight *p, const Flight *f) {
    const SmInst *in = f->inst;
    const int port = s->nalloc++;
    s->avail_in->alloc_valid[0] |= 1u << port;
    s->avail_in->alloc_pair[0] |= (uint32_t)(in->nwrites > 1) << port;
    for (int k = 0; k < in->nwrites; k++)
        s->avail_in->alloc_bank[2 * port + k] =
            (uint32_t)reg_place(&sm->layout, f->warp, in->dst_reg[k]).bank;
    block_eval(s->avail_block);
    panic_if(!(s->avail_out->alloc_ok[0] >> port & 1),
             "P-mode of warp %d issues without a register", f->warp);
    for (int k = 0; k < in->nwrites; k++) {
        p->dst_id[k] = (int16_t)s->avail_out->alloc_phy[2 * port + k];
        p->dst[k] = place_of_id(sm, s, p->dst_id[k]);
        s->given[p->dst_id[k]]++;
    }
    s->nids += in->nwrites;
    s->held += in->nwrites;
    sm->count->v[CTR_PMODE_RENAMED] += in->nwrites;
}

static uint32_t source_of(const Sm *sm, const SmInst *in, int i) {
    return i < in->nops ? in->op_reg[i] : (uint32_t)sm->cfg->sm_regs_per_thread;
}

static void push_entry(Sm *sm, PMode *s, PModeFlight *p, const Flight *f) {
    const SmInst *in = f->inst;
    PModeWarp *w = &s->warp[f->warp];
    PQueueIn *q = s->queue_in;
    const int port = s->npush++;
    q->push_valid[0] |= 1u << port;
    q->push_warp[port] = (uint32_t)f->warp;
    q->push_pc[port] = (uint32_t)f->pc * ISA_INST_BYTES;
    q->push_seq[port] = (uint32_t)w->seq;
    q->push_dst[port] = in->nwrites ? in->dst_reg[0] : (uint32_t)sm->cfg->sm_regs_per_thread;
    q->push_src0[port] = source_of(sm, in, 0);
    q->push_src1[port] = source_of(sm, in, 1);
    if (in->nwrites) q->push_phy[port] = (uint32_t)p->dst_id[0];
    q->push_pair[0] |= (uint32_t)(in->nwrites > 1) << port;
    if (in->nwrites > 1) q->push_phy2[port] = (uint32_t)p->dst_id[1];
    q->push_pred[0] |= (uint32_t)(in->pred_writes != 0) << port;
    s->driven = true;
    block_eval(s->queue_block);
    if (!(s->queue_out->push_ok[0] >> port & 1)) return;
    p->entry = (int16_t)s->queue_out->push_idx[port];
    w->base_queued |= w->seq == 0;
    if (!w->count++) w->first = p->entry;
}

// The first micro-operation allocates the registers and the queue entry, the last one sets the
// mapping.
static void p_begins(Sm *sm, PMode *s, PModeFlight *p, Flight *f) {
    f->kept = pmode_live(f->stream) & ~f->active;
    sm->count->v[CTR_PMODE_MERGED] += f->kept && f->inst->nwrites;
    if (!f->inst->nwrites) f->kept = 0;
    if (f->inst->nwrites) allocate_registers(sm, s, p, f);
    if (s->queue) push_entry(sm, s, p, f);
    sm->count->v[p->entry >= 0 ? CTR_PMODE_QUEUED : CTR_PMODE_UNQUEUED]++;
}

static void p_destination(PMode *s, const PModeFlight *p, int port, const Flight *f) {
    const SmInst *in = f->inst;
    PmodeRenameIn *r = s->rename_in;
    pmode_name_words(s, port, f->warp, true, in->writes);
    r->set_valid[0] |= 1u << port;
    r->set_own[0] |= (uint32_t)(p->entry < 0) << port;
    for (int k = 0; k < in->nwrites; k++) r->set_phy[2 * port + k] = (uint32_t)p->dst_id[k];
    s->warp[f->warp].mapped[1] |= in->writes;
}

static void enters(Sm *sm, void *self, Flight *f, int uop) {
    PMode *s = self;
    PModeFlight *p = flight_of(sm, s, f);
    const SmInst *in = f->inst;
    const bool pmode = pmode_of(sm, f), last = uop + 1 == in->nuops,
               runs = pmode && !p->pre && !in->is_control;
    if (uop == 0) {
        for (int i = 0; i < ISA_MAX_SRC_WORDS; i++) p->src_id[i] = -1;
        if (runs) p_begins(sm, s, p, f);
    }
    const int port = s->nact++;
    panic_if(port >= s->ports, "more instructions are renamed in a cycle than there are ports");
    s->sent |= 1u << f->warp % sm->cfg->sm_schedulers;
    look_up(sm, s, port, f, uop, last && in->nwrites ? in->dst_reg[0] : -1);
    place_sources(sm, s, p, port, f, uop);
    if (!last || !in->nwrites) return;
    if (!pmode) n_destination(sm, s, p, port, f);
    else if (runs) p_destination(s, p, port, f);
    else pmode_unmap(s, port, f->warp, true, in->writes);
}

// ---- places ----

static void source(Sm *sm, void *self, int at, const Flight *f, int op) {
    PMode *s = self;
    s->answer[PLACE_SOURCE][at] = flight_of(sm, s, f)->src[op];
}

static void result(Sm *sm, void *self, int port, const Flight *f, int word) {
    PMode *s = self;
    s->answer[PLACE_RESULT][port] = flight_of(sm, s, f)->dst[word];
}

// `source` and `result` have already set the answer.
static void ask(Sm *sm, void *self, PlaceUse use, int at, int warp, int reg) {
    (void)sm, (void)self, (void)use, (void)at, (void)warp, (void)reg;
}

static const RegPlace *answer(Sm *sm, void *self, PlaceUse use) {
    (void)sm;
    return ((PMode *)self)->answer[use];
}

static RegPlace now(const Sm *sm, const void *self, int warp, int reg) {
    (void)self;
    return reg_place(&sm->layout, warp, reg);
}

const Places pmode_places = {
    .ask = ask, .source = source, .result = result, .answer = answer, .now = now, .enters = enters};
