// SPDX-License-Identifier: Apache-2.0
// Describes in words the event that an instruction waits for. It searches queues and pools, so only
// reports of hangs call it.
#include "mem/mem_internal.h"

#include <stdio.h>

static const char *kind_words(MemKind kind) {
    static const char *const WORDS[] = {[MEM_LOAD] = "load",
                                        [MEM_STORE] = "store",
                                        [MEM_ATOMIC] = "atomic",
                                        [MEM_RED] = "reduction",
                                        [MEM_SHARED_LOAD] = "shared load",
                                        [MEM_SHARED_STORE] = "shared store",
                                        [MEM_SHARED_ATOMIC] = "shared atomic",
                                        [MEM_CONST_LOAD] = "constant load",
                                        [MEM_PREFETCH] = "prefetch"};
    return WORDS[kind];
}

static bool is_in_list(const Port *p, const List *l, int32_t slot) {
    for (int32_t s = l->head; s != NONE; s = p->slots[s].next)
        if (s == slot) return true;
    return false;
}

static bool explain_queued(const MemSystem *m, const Port *p, int32_t slot, char *buf,
                           size_t size) {
    for (int i = 0; i < p->lsu_count; i++) {
        const LsuEntry *e = &p->lsu[(p->lsu_head + i) % m->cfg->lsu_queue];
        if (e->slot != slot) continue;
        if (i > 0) {
            const LsuEntry *head = &p->lsu[p->lsu_head];
            snprintf(buf, size,
                     "%s in the LSU queue behind %d, whose first is a %s at access %d of %d",
                     kind_words(e->kind), i, kind_words(head->kind), head->next + 1, head->n);
        } else {
            const char *why = p->free_mshr == NONE   ? "no L1 MSHR free"
                : p->missq_count == m->cfg->l1_queue ? "L1 miss queue full"
                                                     : "being issued";
            snprintf(buf, size, "%s in the LSU at access %d of %d (%s)", kind_words(e->kind),
                     e->next + 1, e->n, why);
        }
        return true;
    }
    return false;
}

static const char *line_place(const MemSystem *m, int port, uint32_t line) {
    for (int c = 0; c < m->nchannels; c++)
        for (int i = 0; i < m->channels[c].count; i++)
            if (m->channels[c].queue[i].line == line && m->channels[c].queue[i].mshr >= 0)
                return "in the DRAM queue";
    for (int i = 0; m->l2_mshrs && i < m->cfg->l2_mshrs * m->nports; i++)
        if (m->l2_mshrs[i].used && m->l2_mshrs[i].line == line) return "on its way from DRAM to L2";
    for (int b = 0; b < m->nbanks; b++)
        for (int i = 0; i < m->banks[b].count; i++)
            if (m->packets[m->banks[b].queue[(m->banks[b].head + i) % m->bank_queue]].line == line)
                return "in the L2 queue";
    for (int i = 0; i < m->ports[port].missq_count; i++)
        if (m->packets[m->ports[port].missq[(m->ports[port].missq_head + i) % m->cfg->l1_queue]]
                .line == line)
            return "in the L1 miss queue";
    return m->apart.place == PLACE_NEAR ? "behind the crossbar" : "between L1 and L2";
}

// The line of an access of the slot that is outstanding through an MSHR or through a packet of its
// own.
static bool outstanding_line(const MemSystem *m, int port, int32_t slot, uint32_t *line) {
    const Port *p = &m->ports[port];
    for (int i = 0; i < m->cfg->l1_mshrs; i++)
        for (int32_t t = p->mshrs[i].used ? p->mshrs[i].targets : NONE; t != NONE;
             t = p->targets[t].next)
            if (p->targets[t].slot == slot) {
                *line = p->mshrs[i].line;
                return true;
            }
    int packets = mem_packets(m->cfg) * (m->end_port - m->first_port);
    for (int i = 0; i < packets; i++)
        if (m->packets[i].used && m->packets[i].port == port && m->packets[i].slot == slot) {
            *line = m->packets[i].line;
            return true;
        }
    return false;
}

void mem_explain(const MemSystem *m, int port, uint32_t token, char *buf, size_t size) {
    const Port *p = &m->ports[port];
    int32_t slot = 0;
    while (slot < p->nslots && !(p->slots[slot].used && p->slots[slot].token == token)) slot++;
    if (slot == p->nslots) {
        snprintf(buf, size, "not in the memory system");
        return;
    }
    const Slot *s = &p->slots[slot];
    uint32_t line;
    if (is_in_list(p, &p->done_loads, slot) || is_in_list(p, &p->done_stores, slot))
        snprintf(buf, size, "%s is done and waits to be taken by the SM", kind_words(s->kind));
    else if (explain_queued(m, p, slot, buf, size)) return;
    else if (outstanding_line(m, port, slot, &line))
        snprintf(buf, size, "%s with %d of %d lines outstanding: 0x%x is %s", kind_words(s->kind),
                 s->left, s->total, line << m->line_shift, line_place(m, port, line));
    else snprintf(buf, size, "%s in its pipeline", kind_words(s->kind));
}
