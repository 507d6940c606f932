// SPDX-License-Identifier: Apache-2.0
// One request and one response link per SM. A packet occupies its link for as many cycles as it has
// flits. Its header travels on wires beside the data, so a read request and a one-sector store are
// one flit (at 32 bytes). Credits limit the requests in flight to the capacity of L2's queue and
// the link's stages.
#include "mem/mem_internal.h"

int xbar_flits(const MemSystem *m, uint32_t bytes) {
    int flits = (int)((bytes + (uint32_t)m->cfg->xbar_flit - 1) / (uint32_t)m->cfg->xbar_flit);
    return flits ? flits : 1;
}

void xbar_requests(MemSystem *m, int port) {
    Port *p = &m->ports[port];
    if (p->returns.head != NONE && images_return(m, port)) return;
    if (!p->missq_count || !p->credits || p->request_free > m->now) return;
    int32_t packet = p->missq[p->missq_head];
    p->missq_head = ring_at(p->missq_head + 1, m->cfg->l1_queue);
    p->missq_count--;
    p->credits--;
    int flits = m->packets[packet].request_flits;
    p->request_free = m->now + flits;
    int64_t delay = flits - 1 + m->cfg->xbar_latency;
    if (m->packets[packet].image) delay += image_cycles(m, true);
    if (m->apart.place == PLACE_NEAR) apart_request(m, port, packet, delay);
    else mem_event(m, EV_L2_ARRIVE, port, packet, delay);
}

void xbar_responses(MemSystem *m, int port) {
    Port *p = &m->ports[port];
    if (p->responses.head == NONE || p->response_free > m->now) return;
    int32_t packet = mem_packet_pop(m, &p->responses);
    const Packet *k = &m->packets[packet];
    int flits = k->response_flits;
    if (k->image && (k->trip || k->kind == MEM_LOAD))
        flits = xbar_flits(m, k->image * SECTOR_BYTES);
    p->response_free = m->now + flits;
    int64_t delay = flits - 1 + m->cfg->xbar_latency;
    if (m->apart.place == PLACE_FAR) {
        apart_response(m, packet, delay);
        return;
    }
    if (k->image) delay += image_cycles(m, false);
    const bool image = k->image && (k->trip || k->kind == MEM_LOAD);
    if (image && m->codec->arrived) mem_event(m, EV_ARRIVED, port, packet, delay);
    else if (k->trip) mem_event(m, EV_TRIP, port, packet, delay);
    else mem_event(m, EV_RESPONSE, port, packet, delay);
}
