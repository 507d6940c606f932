// SPDX-License-Identifier: Apache-2.0
// Several SMs, each with its LSU, L1 and links in its own system (near). Their shared L2 and DRAM
// are in another system (far).
//
// A packet takes at least xbar.latency cycles from one side to the other. A quantum has at most
// that many cycles. A packet sent within it arrives after it, so each side can simulate the quantum
// without the other sides. Sent packets wait in boxes. Each side has two boxes for each port, for
// quanta of even and of odd number. Therefore it can send while the other side empties the box of
// the previous quantum. `mem_begin` turns that box into events, ordered by port and, within a port,
// by the time of sending. Threads cannot change this order. In a system of one piece, three events
// take no time: credits return, atomics are performed, and their SMs receive the notice. Here they
// wait for the end of the quantum, like signals on wires of that length. Each SM has xbar.latency
// more credits to compensate.
//
// The near side keeps a packet until its answer or acknowledgement arrives, so the far side always
// has packets left.
#include "mem/mem_internal.h"

enum { LONGEST_QUANTUM = 16 };  // longer quanta cost more memory and save no time

int mem_quantum(const MachineConfig *cfg) {
    return cfg->xbar_latency < LONGEST_QUANTUM ? cfg->xbar_latency : LONGEST_QUANTUM;
}

MemSystem *mem_near(const MemSystem *m, int port) { return m->apart.near[port]; }

void apart_request(MemSystem *m, int port, int32_t packet, int64_t delay) {
    Requests *box = &m->apart.requests[m->apart.turn];
    panic_if(box->n == box->most, "more packets cross than there are");
    box->of[box->n++] = (Request){
        .at = m->now + delay, .packet = m->packets[packet], .home = packet, .port = (int16_t)port};
}

static void put_answer(MemSystem *m, int32_t packet, EventKind kind, int64_t delay) {
    const Packet *k = &m->packets[packet];
    Answers *box = &m->apart.answers[k->port][m->apart.turn];
    panic_if(box->n == box->most, "more packets cross than there are");
    box->of[box->n++] =
        (Answer){.at = m->now + delay, .home = k->home, .slot = k->slot, .kind = kind};
    mem_packet_free(m, packet);
}

void apart_response(MemSystem *m, int32_t packet, int64_t delay) {
    put_answer(m, packet, EV_RESPONSE, delay);
}
void apart_acknowledge(MemSystem *m, int32_t packet, int64_t delay) {
    put_answer(m, packet, EV_SLOT_PART, delay);
}

void apart_performed(MemSystem *m, const Packet *k) {
    m->apart.performed[m->apart.nperformed++] =
        (Performed){.slot = k->slot, .lanes = k->lanes, .port = k->port};
    m->apart.answers[k->port][m->apart.turn].performed = true;
}

// ---- a quantum ----

static int turn_of(const MemSystem *m) { return (int)(m->now / mem_quantum(m->cfg) & 1); }

static void take_requests(MemSystem *m, Requests *box) {
    for (int i = 0; i < box->n; i++) {
        const Request *r = &box->of[i];
        const int32_t packet = mem_packet_new(m);
        panic_if(packet == NONE, "a packet that a port has is one too many behind the crossbar");
        m->packets[packet] = r->packet;
        m->packets[packet].home = r->home;
        mem_event(m, EV_L2_ARRIVE, r->port, packet, r->at - m->now);
    }
    if (box->n) box->n = 0;
}

// An empty box is not written, because its cache line would have to return to the core that fills
// it.
static void take_answers(MemSystem *m, int port, Answers *box) {
    for (int i = 0; i < box->n; i++) {
        const Answer *a = &box->of[i];
        mem_event(m, a->kind, port, a->kind == EV_RESPONSE ? a->home : a->slot, a->at - m->now);
        if (a->kind == EV_SLOT_PART) mem_packet_free(m, a->home);
    }
    m->ports[port].credits += box->credits;
    if (!box->n && !box->credits && !box->performed) return;
    box->n = box->credits = 0;
    box->performed = false;
}

void mem_begin(MemSystem *m) {
    Apart *a = &m->apart;
    a->turn = turn_of(m);
    const int port = m->first_port;
    if (a->place == PLACE_NEAR) take_answers(m, port, &a->far->apart.answers[port][!a->turn]);
    for (int i = 0; a->place == PLACE_FAR && i < m->nports; i++)
        take_requests(m, &a->near[i]->apart.requests[!a->turn]);
}

void mem_end(MemSystem *m) {
    for (int i = 0; m->apart.place == PLACE_FAR && i < m->nports; i++) {
        if (m->ports[i].credits) m->apart.answers[i][m->apart.turn].credits = m->ports[i].credits;
        m->ports[i].credits = 0;
    }
}

bool mem_performs(const MemSystem *m) {
    return m->apart.far->apart.answers[m->first_port][!turn_of(m)].performed;
}

void mem_perform(MemSystem *m) {
    Apart *a = &m->apart;
    for (int i = 0; i < a->nperformed; i++) {
        const Performed *p = &a->performed[i];
        const Port *port = &a->near[p->port]->ports[p->port];
        if (m->perform) m->perform(m->perform_ctx, p->port, port->slots[p->slot].token, p->lanes);
    }
    a->nperformed = 0;
}

bool apart_idle(const MemSystem *m) {
    for (int i = 0; i < 2; i++) {
        if (m->apart.place == PLACE_NEAR && m->apart.requests[i].n) return false;
        for (int port = 0; m->apart.place == PLACE_FAR && port < m->nports; port++)
            if (m->apart.answers[port][i].n) return false;
    }
    return true;
}

// ---- open ----

static MemSystem *open_system(MemPlace place) {
    Arena arena = {0};
    MemSystem *m = ARENA_NEW(&arena, MemSystem);
    m->arena = arena;
    m->apart.place = place;
    return m;
}

static MemSystem *open_near(const MemSystem *far, Port *ports, int port, Counters *counters) {
    const MachineConfig *cfg = far->cfg;
    MemSystem *m = open_system(PLACE_NEAR);
    m->apart.far = far;
    mem_open_common(m, cfg, far->nports);
    m->ports = ports;
    m->first_port = port;
    m->end_port = port + 1;
    mem_open_port(m, &ports[port], counters);
    mem_open_pools(m, 1);
    const int requests = mem_quantum(cfg);
    for (int i = 0; i < 2; i++)
        m->apart.requests[i] =
            (Requests){.of = ARENA_ARRAY(&m->arena, Request, requests), .most = requests};
    return m;
}

MemSystem *mem_open_apart(const MachineConfig *cfg, int nports, Counters *const *counters,
                          Counters *const *far) {
    MemSystem *m = open_system(PLACE_FAR);
    mem_open_common(m, cfg, nports);
    m->ports = ARENA_ARRAY(&m->arena, Port, nports);
    for (int i = 0; i < nports; i++) {
        m->ports[i].counters = far[i];
        m->ports[i].responses = m->ports[i].trips = m->ports[i].returns = (List){NONE, NONE};
    }
    mem_open_far(m);
    mem_open_pools(m, nports);
    m->apart.performed = ARENA_ARRAY(&m->arena, Performed, mem_packets(cfg) * nports);
    m->apart.answers = arena_alloc(&m->arena, sizeof *m->apart.answers * (size_t)nports);
    const int packets = mem_packets(cfg);
    for (int i = 0; i < 2 * nports; i++)
        m->apart.answers[i / 2][i % 2] =
            (Answers){.of = ARENA_ARRAY(&m->arena, Answer, packets), .most = packets};
    m->apart.near = ARENA_ARRAY(&m->arena, MemSystem *, nports);
    Port *ports = ARENA_ARRAY(&m->arena, Port, nports);
    for (int i = 0; i < nports; i++) m->apart.near[i] = open_near(m, ports, i, counters[i]);
    return m;
}
