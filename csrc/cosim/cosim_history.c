// SPDX-License-Identifier: Apache-2.0
// Ring of the last cycles with activity. Records are plain copies of the port structs; text is made
// only when a mismatch is printed. 1024-bit inputs are copied if their valid bit is set. 1024-bit
// outputs are not kept: they follow from the inputs, and copying them would take most of the time.
#include "cosim/cosim_internal.h"

#include <stdlib.h>
#include <string.h>

static void *record_base(const Instance *x, char *record, const Port *p) {
    return record + (p->dir == PORT_IN ? 0 : x->history.out_offset);
}

static const Port *gate_of(const Instance *x, const Port *p) {
    return p->gate >= 0 ? &x->ports[p->gate] : NULL;
}

// Text shows only a few elements of a port without a valid port, so long ports are not kept.
static bool is_kept(const Port *p) {
    if (p->words == 32) return p->dir == PORT_IN;
    return p->gate >= 0 || p->count <= 4;
}

static void add_segment(Instance *x, int port) {
    History *h = &x->history;
    const Port *p = &x->ports[port];
    bool in = p->dir == PORT_IN;
    Segment next = {p->offset + (in ? 0 : h->out_offset), p->offset,
                    (size_t)p->count * sizeof(uint32_t), in};
    Segment *last = h->nsegments ? &h->segments[h->nsegments - 1] : NULL;
    // One copy across a short gap takes less time than two copies.
    if (last && last->in == in && next.to - (last->to + last->bytes) <= 192)
        last->bytes = next.to + next.bytes - last->to;
    else h->segments[h->nsegments++] = next;
}

// Groups rows of 1024 bits by the bits of their gate. Several rows may share a gate: three operands
// of one allocation.
static void add_row(Instance *x, int port) {
    History *h = &x->history;
    const Port *p = &x->ports[port], *g = gate_of(x, p);
    panic_if(!g, "%s.%s: a 1024-bit input without a valid port", x->desc->name, p->name);
    h->rows[h->nrows++] = (Row){p->offset, g->offset, g->dir == PORT_IN, p->count / g->width,
                                g->width == 32 ? UINT32_MAX : (1u << g->width) - 1};
}

void history_init(Instance *x, Arena *arena, int size) {
    History *h = &x->history;
    h->size = size;
    h->out_offset = (x->desc->in_size + 63) & ~(size_t)63;
    h->record_bytes = (h->out_offset + x->desc->out_size + 63) & ~(size_t)63;
    h->cycles = ARENA_ARRAY(arena, uint64_t, size);
    h->records = arena_alloc(arena, h->record_bytes * (size_t)size);
    h->segments = ARENA_ARRAY(arena, Segment, x->nports);
    h->last = -1;
    for (int i = 0; i < x->nports; i++) {
        const Port *p = &x->ports[i];
        size_t length = strlen(p->name);
        if (p->words == 1 && p->count == 1 && length > 6 && !strcmp(p->name + length - 6, "_valid"))
            h->valids[h->nvalids++] =
                port_element(p, p->dir == PORT_IN ? x->block.in : x->block.out, 0);
        if (!is_kept(p)) continue;
        if (p->words == 32) add_row(x, i);
        else add_segment(x, i);
    }
}

// Activity: any *_valid port set.
static bool is_active(const History *h) {
    uint32_t any = 0;
    for (int i = 0; i < h->nvalids; i++) any |= *h->valids[i];
    return any != 0;
}

static void copy_record(const Instance *x, char *record) {
    const History *h = &x->history;
    const char *in = x->block.in, *out = x->block.out;
    for (int i = 0; i < h->nsegments; i++) {
        const Segment *s = &h->segments[i];
        memcpy(record + s->to, (s->in ? in : out) + s->from, s->bytes);
    }
    for (int i = 0; i < h->nrows; i++) {
        const Row *r = &h->rows[i];
        uint32_t bits = *(const uint32_t *)((r->gate_in ? in : out) + r->gate) & r->mask;
        for (; bits; bits &= bits - 1) {
            size_t at = r->offset + (size_t)(__builtin_ctz(bits) * r->per) * 128;
            for (int e = 0; e < r->per; e++, at += 128) memcpy(record + at, in + at, 128);
        }
    }
}

void history_push(Instance *x) {
    History *h = &x->history;
    const Cosim *c = x->c;
    if (!h->size) return;
    bool again = h->last >= 0 && h->cycles[h->last] == c->now;
    // After a mismatch the ring is unchanged; the tick completes the cycle of the mismatch.
    if (c->mismatched &&
        !(c->mismatch_block == x && c->mismatch.cycle == c->now && c->mismatch.element >= 0))
        return;
    if (!again && !c->mismatched && !is_active(h)) return;
    if (!again) {
        h->last = h->last + 1 < h->size ? h->last + 1 : 0;
        if (h->used < h->size) h->used++;
    }
    h->cycles[h->last] = c->now;
    copy_record(x, h->records + h->record_bytes * (size_t)h->last);
}

// A 1024-bit value by lanes: one number when all lanes agree, else the first differing lanes.
static void print_row(FILE *f, const uint32_t slices[32]) {
    uint32_t lanes[32];
    rf_lanes_from_slices(lanes, slices);
    bool uniform = true;
    for (int i = 1; i < 32; i++) uniform &= lanes[i] == lanes[0];
    if (uniform) fprintf(f, "{0x%x in all lanes}", lanes[0]);
    else fprintf(f, "{0x%x 0x%x 0x%x .. 0x%x}", lanes[0], lanes[1], lanes[2], lanes[31]);
}

// Length of the part before "_valid", 0 when a name does not end so.
static int stem_length(const char *name) {
    size_t n = strlen(name);
    return n > 6 && !strcmp(name + n - 6, "_valid") ? (int)n - 6 : 0;
}

static const char *short_name(const Instance *x, const Port *p) {
    const Port *g = gate_of(x, p);
    int n = g ? stem_length(g->name) : 0;
    return n && !strncmp(p->name, g->name, (size_t)n + 1) ? p->name + n + 1 : p->name;
}

// Each item of a record is a separate line until print_wrapped joins them. Golden outputs are
// marked.
static void print_separator(FILE *f, const Port *p, bool first) {
    fprintf(f, "%s%s", first ? "" : "\n", p->dir == PORT_OUT ? ">" : "");
}

// "rd[3] bank=2 entry=17" for bit 3 of rd_valid, with every port gated by that valid port, one item
// per set bit.
static bool print_gate(FILE *f, const Instance *x, char *record, int gate, bool first) {
    const Port *g = &x->ports[gate];
    uint32_t bits = *port_element(g, record_base(x, record, g), 0);
    for (; bits; bits &= bits - 1) {
        int bit = __builtin_ctz(bits);
        print_separator(f, g, first);
        fprintf(f, "%.*s[%d]", stem_length(g->name) ? stem_length(g->name) : (int)strlen(g->name),
                g->name, bit);
        first = false;
        for (int i = 0; i < x->nports; i++) {
            const Port *p = &x->ports[i];
            if (p->gate != gate || i == gate || (p->words == 32 && p->dir == PORT_OUT)) continue;
            int per = p->valid >= 0 ? 1 : p->count / g->width;
            for (int e = bit * per; e < (bit + 1) * per && e < p->count; e++) {
                const uint32_t *v = port_element(p, record_base(x, record, p), e);
                fprintf(f, " %s", short_name(x, p));
                if (per > 1) fprintf(f, "%d", e - bit * per);
                fputc('=', f);
                if (p->words == 32) print_row(f, v);
                else fprintf(f, *v < 10 ? "%u" : "0x%x", *v);
            }
        }
    }
    return first;
}

static bool is_gate(const Instance *x, int port) {
    for (int i = 0; i < x->nports; i++)
        if (x->ports[i].gate == port && (x->ports[i].words == 1 || x->ports[i].dir == PORT_IN))
            return true;
    return false;
}

// A port without a valid port: the elements that are not 0, at most four.
static bool print_plain(FILE *f, const Instance *x, char *record, const Port *p, bool first) {
    int printed = 0;
    for (int e = 0; e < p->count; e++) {
        uint32_t v = *port_element(p, record_base(x, record, p), e);
        if (!v) continue;
        if (printed == 4) {
            fputs(" ..", f);
            break;
        }
        if (!printed) print_separator(f, p, first);
        fputs(printed++ ? " " : p->name, f);
        if (p->count > 1) fprintf(f, "[%d]", e);
        fprintf(f, "=0x%x", v);
    }
    return first && !printed;
}

static void print_record(FILE *f, const Instance *x, char *record) {
    bool first = true;
    for (int i = 0; i < x->nports; i++) {
        const Port *p = &x->ports[i];
        if (is_gate(x, i)) first = print_gate(f, x, record, i, first);
        else if (p->gate < 0 && is_kept(p)) first = print_plain(f, x, record, p, first);
    }
    if (first) fputs("(idle)", f);
}

enum { HISTORY_INDENT = 12, HISTORY_WIDTH = 110 };

// Joins items with "; " into lines that fit a terminal; the first begins in column HISTORY_INDENT.
static void print_wrapped(FILE *f, const char *items) {
    int column = HISTORY_INDENT;
    for (const char *item = items; *item;) {
        int n = (int)strcspn(item, "\n");
        bool first = item == items;
        if (!first && column + 2 + n > HISTORY_WIDTH) {
            fprintf(f, ";\n%*s", HISTORY_INDENT, "");
            column = HISTORY_INDENT;
        } else if (!first) {
            column += fprintf(f, "; ");
        }
        column += fprintf(f, "%.*s", n, item);
        item += n + (item[n] == '\n');
    }
}

static void print_cycle(FILE *f, const Instance *x, char *record) {
    char *items = NULL;
    size_t size;
    FILE *to = open_memstream(&items, &size);
    if (!to) panic("out of memory");
    print_record(to, x, record);
    fclose(to);
    print_wrapped(f, items);
    free(items);
}

// The newest `last` records, oldest first; the newest is marked.
void history_print(FILE *f, const Instance *x, int last) {
    const History *h = &x->history;
    int n = last < h->used ? last : h->used;
    for (int i = n; i > 0; i--) {
        int slot = (h->last + 1 - i + h->size * 2) % h->size;
        fprintf(f, "  %8llu  ", (unsigned long long)h->cycles[slot]);
        print_cycle(f, x, h->records + h->record_bytes * (size_t)slot);
        fprintf(f, "%s\n", i == 1 && h->cycles[slot] == x->c->mismatch.cycle ? "  <--" : "");
    }
}
