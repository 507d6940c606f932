// SPDX-License-Identifier: Apache-2.0
// The line codec of a memory system: binding it, and images that the SM decompresses.
#include "mem/mem_internal.h"

static void more_tags(MemSystem *m) {
    m->l1_ways = m->cfg->l1_ways * m->caches.l1_tags;
    m->l2_ways = m->cfg->l2_ways * m->caches.l2_tags;
    for (int i = 0; i < m->nports && m->caches.l1_tags > 1; i++)
        m->ports[i].l1 = ARENA_ARRAY(&m->arena, L1Line, (int64_t)m->cfg->l1_sets * m->l1_ways);
    for (int i = 0; i < m->nbanks && m->caches.l2_tags > 1; i++)
        m->banks[i].lines = ARENA_ARRAY(&m->arena, L2Line, (int64_t)m->l2_sets * m->l2_ways);
}

void mem_set_codec(MemSystem *m, const MemCodec *codec, void *self) {
    panic_if(!mem_idle(m), "the line codec changes while requests are in flight");
    panic_if(m->apart.place != PLACE_WHOLE, "a line codec serves one SM");
    m->codec = codec;
    m->codec_self = self;
    if (codec && codec->caches) {
        codec->caches(self, &m->caches);
        more_tags(m);
    }
    for (int i = 0; i < m->nports; i++)
        if (codec && codec->stores) pending_open(m, &m->ports[i], codec->stores);
}

void mem_set_watch(MemSystem *m, const MemWatch *watch, void *ctx) {
    m->watch = watch;
    m->watch_ctx = ctx;
}

// ---- images that the SM decompresses ----

void codec_leaves(const MemSystem *m, int32_t packet) {
    const Packet *k = &m->packets[packet];
    if (k->image && m->codec->leaves) m->codec->leaves(m->codec_self, k->port, packet, k->line);
}

void codec_arrived(MemSystem *m, int32_t packet) {
    const Packet *k = &m->packets[packet];
    const Port *p = &m->ports[k->port];
    MemArrival a = {
        .id = packet, .line = k->line, .bursts = k->image, .trip = k->trip, .wanted = true};
    if (k->trip) {
        a.warp = p->slots[k->slot].warp;
    } else {
        const L1Mshr *mshr = &p->mshrs[k->mshr];
        a.wanted = mshr->targets != NONE;
        a.warp = a.wanted ? p->slots[p->targets[mshr->targets].slot].warp : mshr->warp;
    }
    m->codec->arrived(m->codec_self, k->port, &a);
}

void mem_codec_done(MemSystem *m, int port, int32_t id, bool wrong) {
    const Packet *k = &m->packets[id];
    if (k->trip) {
        mem_packet_push(m, &m->ports[port].returns, id);
        return;
    }
    L1Mshr *mshr = &m->ports[port].mshrs[k->mshr];
    mshr->wrong = wrong;
    mshr->image = m->caches.l1_images || m->caches.l1_cycles ? k->image : 0;
    if (m->caches.l2_raw) images_send_copy(m, port, k->line);
    mem_event(m, EV_RESPONSE, port, id, 1 + m->caches.l1_cycles);
}

void mem_codec_drop(MemSystem *m, int port, int32_t id) {
    panic_if(m->packets[id].trip, "the image of a trip is dropped");
    lsu_drop(m, port, m->packets[id].mshr);
    mem_packet_free(m, id);
}

bool mem_codec_wanted(const MemSystem *m, int port, int32_t id, int *warp) {
    const Port *p = &m->ports[port];
    const L1Mshr *mshr = &p->mshrs[m->packets[id].mshr];
    if (mshr->targets == NONE) return false;
    *warp = p->slots[p->targets[mshr->targets].slot].warp;
    return true;
}

int mem_codec_packets(const MemSystem *m) { return mem_packets(m->cfg) * m->nports; }

void mem_take_l1(MemSystem *m, int port) { m->ports[port].l1_taken++; }
