// SPDX-License-Identifier: Apache-2.0
// Switching activity of a block's RTL from a VCD file: the changes of each bit, and the amount of
// work.
#include "synth/synth_internal.h"

#include "base/hash.h"
#include "cosim/cosim.h"

#include <stdlib.h>
#include <string.h>

// A counted variable of the file: one below the block's module (its bits are counted), or a port of
// class WORK.
typedef struct Signal {
    const char *code;  // its identifier in the file
    int width, first;  // bits; of its counts
    int work;          // bits of an element; 0: no such port
    int same;          // next of the same code, -1: none
    char *now;         // '0', '1', .. highest bit first
} Signal;

typedef struct Vcd {
    Arena *arena;
    const char *path, *p;
    int line;
    Diag *d;
    Signal *signals;
    int nsignals, cap;
    int *table;  // by hash of the code; -1: nothing there
    unsigned mask;
    bool clock;  // the block has one
    Activity *a;
    int bits_cap;
} Vcd;

static bool refuse_vcd(Vcd *v, const char *expected) {
    return diag_fail(v->d, EXIT_ENVIRONMENT, "%s:%d: no VCD file of a block: expected %s", v->path,
                     v->line, expected);
}

static char *next_line(Vcd *v) {
    if (!*v->p) return NULL;
    char *line = (char *)v->p;
    const size_t n = strcspn(line, "\n");
    v->p += n + (line[n] == '\n');
    line[n] = '\0';
    v->line++;
    return line;
}

static const Port *work_port(const Port *ports, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(ports[i].name);
        if (ports[i].cls == PORT_WORK && !strncmp(name, ports[i].name, length) &&
            !strcmp(name + length, "_o"))
            return &ports[i];
    }
    return NULL;
}

static Signal *new_signal(Vcd *v, const char *code, int width) {
    Signal *s = ARENA_PUSH(v->arena, v->signals, v->nsignals, v->cap);
    *s = (Signal){.code = arena_strndup(v->arena, code, strlen(code)),
                  .width = width,
                  .first = -1,
                  .same = -1,
                  .now = ARENA_ARRAY(v->arena, char, width)};
    memset(s->now, 'x', (size_t)width);
    return s;
}

static void name_bits(Vcd *v, const char *scope, const char *name, int width) {
    for (int b = 0; b < width; b++) {
        ActivityBit *bit = ARENA_PUSH(v->arena, v->a->bits, v->a->nbits, v->bits_cap);
        *bit = (ActivityBit){width > 1 ? arena_printf(v->arena, "%s%s[%d]", scope, name, b)
                                       : arena_printf(v->arena, "%s%s", scope, name),
                             0};
    }
}

// The declarations. `block`: the scope rtl.BLOCK holds its ports, rtl.BLOCK.BLOCK its module.
static bool read_declarations(Vcd *v, const char *block, const Port *ports, int nports) {
    enum { MOST = 64 };
    char *names[MOST], *line;
    int depth = 0;
    const char *scope = "";
    while ((line = next_line(v))) {
        char code[32], name[256];
        int width;
        if (!strncmp(line, "$enddefinitions", 15))
            return v->clock || refuse_vcd(v, "the block's clock");
        if (!strncmp(line, "$scope", 6)) {
            if (depth == MOST || sscanf(line, "$scope %*s %255s", name) != 1)
                return refuse_vcd(v, "$scope");
            names[depth++] = arena_strndup(v->arena, name, strlen(name));
        } else if (!strncmp(line, "$upscope", 8)) {
            if (!depth--) return refuse_vcd(v, "fewer $upscope");
        }
        const bool ours = depth >= 2 && !strcmp(names[0], "rtl") && !strcmp(names[1], block);
        const bool inside = ours && depth >= 3 && !strcmp(names[2], block);
        if (*line == '$' && (line[1] == 's' || line[1] == 'u') && inside) {
            scope = "";
            for (int i = 3; i < depth; i++)
                scope = arena_printf(v->arena, "%s%s.", scope, names[i]);
        }
        if (!ours || sscanf(line, "$var %*s %d %31s %255s", &width, code, name) != 3) continue;
        if (width < 1 || width > 1 << 20) return refuse_vcd(v, "a width of at least 1");
        if (inside) {
            Signal *s = new_signal(v, code, width);
            s->first = v->a->nbits;
            name_bits(v, scope, name, width);
        } else if (depth == 2) {
            const Port *port = work_port(ports, nports, name);
            if (port) new_signal(v, code, width)->work = port->width;
            v->clock |= !strcmp(name, "clk_i");
        }
    }
    return refuse_vcd(v, "$enddefinitions");
}

static int *place_of(Vcd *v, const char *code) {
    unsigned i = (unsigned)hash_bytes(HASH_START, code, strlen(code)) & v->mask;
    while (v->table[i] >= 0 && strcmp(v->signals[v->table[i]].code, code)) i = (i + 1) & v->mask;
    return &v->table[i];
}

static void index_codes(Vcd *v) {
    for (v->mask = 1023; v->mask < 2u * (unsigned)v->nsignals; v->mask = 2 * v->mask + 1) {}
    v->table = ARENA_ARRAY(v->arena, int, v->mask + 1);
    memset(v->table, 0xff, (v->mask + 1) * sizeof *v->table);
    for (int i = 0; i < v->nsignals; i++) {
        int *at = place_of(v, v->signals[i].code);
        v->signals[i].same = *at;
        *at = i;
    }
}

// At the end of the first half of a cycle: counts the nonzero elements of work ports. The clock
// itself does not mark cycles. It is constant when the block is not clocked, and low again when a
// block is evaluated after its edge.
static void count_cycle(Vcd *v) {
    v->a->cycles++;
    for (const Signal *s = v->signals; s < v->signals + v->nsignals; s++)
        for (int low = 0; s->work && low < s->width; low += s->work)
            for (int b = low; b < low + s->work && b < s->width; b++)
                if (s->now[s->width - 1 - b] == '1') {
                    v->a->work++;
                    break;
                }
}

// A value: shorter than the signal, it is extended on the left with 0 (with x after x).
static void set_signal(Vcd *v, Signal *s, const char *value, size_t n) {
    const char left = *value == '1' ? '0' : *value;
    for (int i = 0; i < s->width; i++) {
        const long at = i - (s->width - (long)n);
        const char c = at < 0 ? left : value[at];
        // A transition from x is no change.
        if (s->first >= 0 && s->now[i] != c && s->now[i] != 'x')
            v->a->bits[s->first + s->width - 1 - i].changes++;
        s->now[i] = c;
    }
}

static bool read_change(Vcd *v, char *line) {
    char *code = line + 1, *value = line;
    size_t n = 1;
    if (*line == 'b') {
        value = line + 1;
        n = strspn(value, "01xz");
        code = value + n;
        if (!n || *code++ != ' ') return refuse_vcd(v, "a value and a code");
    }
    for (int i = *place_of(v, code); i >= 0; i = v->signals[i].same) {
        Signal *s = &v->signals[i];
        if (n > (size_t)s->width) return refuse_vcd(v, "a value that fits");
        set_signal(v, s, value, n);
    }
    return true;
}

static bool read_changes(Vcd *v) {
    bool first_half = false;
    for (char *line; (line = next_line(v));) {
        if (*line == '#') {
            if (first_half) count_cycle(v);
            first_half = strtoull(line + 1, NULL, 10) % COSIM_TIME_UNITS == 0;
        } else if (*line && strchr("01xzb", *line)) {
            if (!read_change(v, line)) return false;
        } else if (*line && !strchr("$rs", *line)) return refuse_vcd(v, "a time or a value");
    }
    if (first_half) count_cycle(v);
    return v->a->cycles > 0 || refuse_vcd(v, "a cycle");
}

bool activity_read(Activity *a, Arena *arena, const char *path, const BlockDesc *desc,
                   const int *params, Diag *d) {
    Port ports[BLOCK_MAX_PORTS];
    char *text;
    size_t n;
    *a = (Activity){0};
    const int nports = block_ports(desc, params, ports);
    if (!file_read(arena, path, &text, &n, d)) return false;
    Vcd v = {.arena = arena, .path = path, .p = text, .d = d, .a = a};
    if (!read_declarations(&v, desc->name, ports, nports)) return false;
    index_codes(&v);
    return read_changes(&v);
}
