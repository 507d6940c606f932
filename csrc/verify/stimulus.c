// SPDX-License-Identifier: Apache-2.0
// Recorded inputs of a block in memory: only nonzero elements, cycle by cycle.
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

static void *grow_items(void *items, size_t size, size_t need, size_t *cap) {
    if (need <= *cap) return items;
    *cap = need > 2 * *cap ? need + 64 : 2 * *cap;
    items = realloc(items, size * *cap);
    panic_if(!items, "out of memory");
    return items;
}

Stimulus *stimulus_new(const BlockDesc *desc, const int *params, uint64_t seed) {
    Stimulus *s = calloc(1, sizeof *s);
    panic_if(!s, "out of memory");
    s->desc = desc;
    s->seed = seed;
    s->fault = NO_FAULT;
    memcpy(s->params, params, sizeof *params * (size_t)desc->nparams);
    s->nports = block_ports(desc, params, s->ports);
    s->start = grow_items(NULL, sizeof *s->start, 1, &s->cap_cycles);
    s->start[0] = 0;
    return s;
}

void stimulus_free(Stimulus *s) {
    if (!s) return;
    free(s->words);
    free(s->start);
    free(s);
}

static bool all_zero(const uint32_t *words, int n) {
    uint32_t any = 0;
    for (int i = 0; i < n; i++) any |= words[i];
    return any == 0;
}

void stimulus_add(Stimulus *s, bool reset, const void *in) {
    size_t need = s->nwords + 1;
    for (int p = 0; p < s->nports; p++)
        if (s->ports[p].dir == PORT_IN)
            need += (size_t)s->ports[p].count * (size_t)(s->ports[p].words + 1);
    s->words = grow_items(s->words, sizeof *s->words, need, &s->cap_words);
    uint32_t *to = s->words + s->nwords;
    *to++ = reset;
    for (int p = 0; p < s->nports; p++) {
        const Port *port = &s->ports[p];
        for (int e = 0; port->dir == PORT_IN && e < port->count; e++) {
            const uint32_t *from = port_element(port, in, e);
            if (all_zero(from, port->words)) continue;
            *to++ = (uint32_t)p << 16 | (uint32_t)e;
            memcpy(to, from, sizeof *to * (size_t)port->words);
            to += port->words;
        }
    }
    s->nwords = (size_t)(to - s->words);
    s->start = grow_items(s->start, sizeof *s->start, ++s->ncycles + 1, &s->cap_cycles);
    s->start[s->ncycles] = s->nwords;
}

bool stimulus_get(const Stimulus *s, size_t i, void *in) {
    panic_if(i >= s->ncycles, "stimulus: no cycle %zu", i);
    const uint32_t *at = s->words + s->start[i], *end = s->words + s->start[i + 1];
    const bool reset = *at++ != 0;
    memset(in, 0, s->desc->in_size);
    while (at < end) {
        const Port *p = &s->ports[*at >> 16];
        uint32_t *to = (uint32_t *)port_element(p, in, (int)(*at & 0xffff));
        at++;
        memcpy(to, at, sizeof *to * (size_t)p->words);
        at += p->words;
    }
    return reset;
}

int verify_valid_ports(const Port *ports, int nports, int found[BLOCK_MAX_PORTS]) {
    int n = 0;
    for (int i = 0; i < nports; i++) {
        const Port *p = &ports[i];
        const size_t length = strlen(p->name);
        const bool named = length >= 5 && !strcmp(p->name + length - 5, "valid") &&
            (length == 5 || p->name[length - 6] == '_');
        if (p->dir == PORT_IN && named && p->words == 1 && p->count == 1) found[n++] = i;
    }
    return n;
}

int stimulus_transactions(const Stimulus *s, const void *in) {
    int valid[BLOCK_MAX_PORTS], found = verify_valid_ports(s->ports, s->nports, valid), n = 0;
    if (!found) return 1;
    for (int i = 0; i < found; i++)
        n += __builtin_popcount(*port_element(&s->ports[valid[i]], in, 0));
    return n;
}

// A port of count elements behind a valid port of width bits: count / width elements per bit.
void stimulus_clear_ungated(const Stimulus *s, void *in) {
    for (int i = 0; i < s->nports; i++) {
        const Port *p = &s->ports[i];
        if (p->dir != PORT_IN || p->gate < 0 || s->ports[p->gate].dir != PORT_IN) continue;
        const Port *gate = &s->ports[p->gate];
        const int per = p->count / gate->width;
        for (int e = 0; e < p->count; e++)
            if (!port_bit(gate, in, per > 0 ? e / per : e))
                memset((uint32_t *)port_element(p, in, e), 0, sizeof(uint32_t) * (size_t)p->words);
    }
}

// ---- text ---------------------------------------------------------------------------------------

static void write_element(FILE *f, const Port *p, int e, const uint32_t *value) {
    fprintf(f, " %s", p->name);
    if (p->max > 1) fprintf(f, "[%d]", e);
    int top = p->words - 1;
    while (top > 0 && !value[top]) top--;
    fprintf(f, "=0x%x", value[top]);
    while (top-- > 0) fprintf(f, "%08x", value[top]);
}

void stimulus_write(FILE *f, const Stimulus *s) {
    fprintf(f, "smcosim stimulus 1\nblock %s\nparameters", s->desc->name);
    for (int i = 0; i < s->desc->nparams; i++)
        fprintf(f, " %s=%d", s->desc->params[i].name, s->params[i]);
    fprintf(f, "\nseed %llu\n", (unsigned long long)s->seed);
    if (s->start_seed) fprintf(f, "start %llu\n", (unsigned long long)s->start_seed);
    for (size_t i = 0; i < s->ncycles; i++) {
        const uint32_t *at = s->words + s->start[i], *end = s->words + s->start[i + 1];
        const bool reset = *at++ != 0;
        if (!reset && at == end && i != s->fault) continue;
        fprintf(f, "%zu%s%s", i, reset ? " reset" : "", i == s->fault ? " fault" : "");
        for (; at < end; at += 1 + s->ports[*at >> 16].words)
            write_element(f, &s->ports[*at >> 16], (int)(*at & 0xffff), at + 1);
        fputc('\n', f);
    }
    fprintf(f, "%zu end\n", s->ncycles);
}
