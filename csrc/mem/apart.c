// SPDX-License-Identifier: Apache-2.0
// Several SMs, each with its LSU, L1 and links in a system of its own (near), and what they share, L2 and DRAM, in
// another one (far).
//
// A packet takes xbar.latency cycles at least from one side to the other. So what is sent in a window of that many
// cycles arrives behind its end, and each side can be simulated through the window without the others. Then
// mem_exchange makes events of what was sent: by port, and of one port in the order in which it was sent, which no
// thread can change. Three things that took no time in one piece wait for the end of the window, as wires of that
// length would have them: credits come back (each SM has xbar.latency of them more), atomics are performed and their
// SMs told, and L2 learns of nothing else.
//
// The near side keeps a packet until its answer or acknowledgement is there, so the pool of the far side is never short
// of one.
#include "mem/internal.h"

enum { LONGEST_WINDOW = 16 };   // longer ones cost more memory and gain nothing

int mem_window(const MachineConfig *cfg) {
    return cfg->xbar_latency < LONGEST_WINDOW ? cfg->xbar_latency : LONGEST_WINDOW;
}

MemSystem *mem_near(const MemSystem *m, int port) { return m->apart.near[port]; }

static Crossing *crossing(MemSystem *m) {
    panic_if(m->apart.nout == m->apart.most_out, "more packets cross than there are");
    return &m->apart.out[m->apart.nout++];
}

void apart_request(MemSystem *m, int port, int32_t packet, int64_t delay) {
    *crossing(m) = (Crossing){.at = m->now + delay, .packet = m->packets[packet], .home = packet, .port = (int16_t)port,
                              .kind = EV_L2_ARRIVE};
}

void apart_response(MemSystem *m, int32_t packet, int64_t delay) {
    const Packet *k = &m->packets[packet];
    *crossing(m) = (Crossing){.at = m->now + delay, .home = k->home, .port = k->port, .kind = EV_RESPONSE};
    mem_packet_free(m, packet);
}

void apart_acknowledge(MemSystem *m, int32_t packet, int64_t delay) {
    const Packet *k = &m->packets[packet];
    *crossing(m) = (Crossing){.at = m->now + delay, .home = k->home, .slot = k->slot, .port = k->port,
                              .kind = EV_SLOT_PART};
    mem_packet_free(m, packet);
}

void apart_performed(MemSystem *m, const Packet *k) {
    m->apart.performed[m->apart.nperformed++] = (Performed){.slot = k->slot, .lanes = k->lanes, .port = k->port};
}

// ---- the end of a window ----

static void to_far(MemSystem *m, const Crossing *c) {
    const int32_t packet = mem_packet_new(m);
    panic_if(packet == NONE, "a packet that a port has is one too many behind the crossbar");
    m->packets[packet] = c->packet;
    m->packets[packet].home = c->home;
    mem_event(m, EV_L2_ARRIVE, c->port, packet, c->at - m->now);
}

static void to_near(MemSystem *m, const Crossing *c) {
    if (c->kind == EV_RESPONSE) {
        mem_event(m, EV_RESPONSE, c->port, c->home, c->at - m->now);
        return;
    }
    mem_event(m, EV_SLOT_PART, c->port, c->slot, c->at - m->now);
    mem_packet_free(m, c->home);
}

static void exchange_port(MemSystem *m, int port) {
    MemSystem *near = m->apart.near[port];
    panic_if(near->now != m->now, "the sides of the crossbar are in different cycles");
    for (int i = 0; i < near->apart.nout; i++) to_far(m, &near->apart.out[i]);
    near->apart.nout = 0;
    near->ports[port].credits += m->ports[port].credits;
    m->ports[port].credits = 0;
}

void mem_exchange(MemSystem *m) {
    Apart *a = &m->apart;
    for (int i = 0; i < a->nperformed; i++) {
        const Performed *p = &a->performed[i];
        const Port *port = &a->near[p->port]->ports[p->port];
        if (m->perform) m->perform(m->perform_ctx, p->port, port->slots[p->slot].token, p->lanes);
    }
    a->nperformed = 0;
    for (int i = 0; i < a->nout; i++) to_near(a->near[a->out[i].port], &a->out[i]);
    a->nout = 0;
    for (int i = 0; i < m->nports; i++) exchange_port(m, i);
}

// ---- open ----

static MemSystem *open_system(MemPlace place) {
    Arena arena = {0};
    MemSystem *m = ARENA_NEW(&arena, MemSystem);
    m->arena = arena;
    m->apart.place = place;
    return m;
}

static MemSystem *open_near(const MachineConfig *cfg, Port *ports, int nports, int port, Counters *counters) {
    MemSystem *m = open_system(PLACE_NEAR);
    mem_open_common(m, cfg, nports);
    m->ports = ports;
    m->first_port = port;
    m->end_port = port + 1;
    mem_open_port(m, &ports[port], counters);
    mem_open_pools(m, 1);
    m->apart.most_out = mem_window(cfg);
    m->apart.out = ARENA_ARRAY(&m->arena, Crossing, m->apart.most_out);
    return m;
}

MemSystem *mem_open_apart(const MachineConfig *cfg, int nports, Counters *const *counters, Counters *const *far) {
    MemSystem *m = open_system(PLACE_FAR);
    mem_open_common(m, cfg, nports);
    m->ports = ARENA_ARRAY(&m->arena, Port, nports);
    for (int i = 0; i < nports; i++) {
        m->ports[i].counters = far[i];
        m->ports[i].responses = m->ports[i].held = m->ports[i].trips = m->ports[i].returns = (List){NONE, NONE};
    }
    mem_open_far(m);
    mem_open_pools(m, nports);
    m->apart.most_out = mem_packets(cfg) * nports;
    m->apart.out = ARENA_ARRAY(&m->arena, Crossing, m->apart.most_out);
    m->apart.performed = ARENA_ARRAY(&m->arena, Performed, m->apart.most_out);
    m->apart.near = ARENA_ARRAY(&m->arena, MemSystem *, nports);
    Port *ports = ARENA_ARRAY(&m->arena, Port, nports);
    for (int i = 0; i < nports; i++) m->apart.near[i] = open_near(cfg, ports, nports, i, counters[i]);
    return m;
}
