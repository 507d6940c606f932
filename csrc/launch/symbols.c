// SPDX-License-Identifier: Apache-2.0
// Module variables of a launch file: their initial values, addresses in them and in buffers, and
// files written after the run.
#include "launch/reader.h"

#include "base/output.h"

#include <inttypes.h>
#include <string.h>

#define MEMORY_BYTES ((int64_t)DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE)
enum { ADDRESS_BYTES = 8 };

// ---- reading ----

static int symbol_of(LaunchReader *r, const YamlNode *n, const char *name) {
    Launch *l = r->l;
    for (int i = 0; i < l->nsymbols; i++)
        if (!strcmp(l->symbols[i].name, name)) return i;
    *ARENA_PUSH(r->arena, l->symbols, l->nsymbols, l->cap_symbols) =
        (LaunchSymbol){.name = name, .line = n->line, .col = n->col};
    return l->nsymbols - 1;
}

bool read_symbol_name(LaunchReader *r, const YamlNode *n, int *index) {
    const char *name;
    if (!read_text(r, n, "symbol", &name)) return false;
    *index = symbol_of(r, n, name);
    return true;
}

static bool read_address(LaunchReader *r, const YamlNode *map, LaunchAddress *a) {
    int64_t offset = 0;
    *a = (LaunchAddress){.buffer = -1,
                         .symbol = -1,
                         .count = 1,
                         .stride = ADDRESS_BYTES,
                         .line = map->line,
                         .col = map->col};
    if (!read_is(r, map, YAML_MAP, "an address") ||
        !ONLY_KEYS(r, map, "an address", "offset", "buffer", "symbol", "plus", "count", "stride",
                   "step"))
        return false;
    const YamlNode *buffer = yaml_get(map, "buffer"), *symbol = yaml_get(map, "symbol");
    if (!!buffer + !!symbol != 1)
        return READ_FAIL(r, map, "an address requires one of `buffer`, `symbol`");
    if (!(buffer ? read_buffer_name(r, buffer, &a->buffer)
                 : read_symbol_name(r, symbol, &a->symbol)) ||
        !read_int_key(r, map, "offset", 0, MEMORY_BYTES, &offset) ||
        !read_int_key(r, map, "plus", -MEMORY_BYTES, MEMORY_BYTES, &a->plus) ||
        !read_int_key(r, map, "count", 1, MEMORY_BYTES / ADDRESS_BYTES, &a->count) ||
        !read_int_key(r, map, "stride", ADDRESS_BYTES, MEMORY_BYTES, &a->stride) ||
        !read_int_key(r, map, "step", -MEMORY_BYTES, MEMORY_BYTES, &a->step))
        return false;
    a->offset = (uint64_t)offset;
    return true;
}

bool read_addresses(LaunchReader *r, const YamlNode *list, LaunchAddresses *a) {
    if (!list) return true;
    if (!read_is(r, list, YAML_LIST, "addresses")) return false;
    LaunchAddresses all = {.items = ARENA_ARRAY(r->arena, LaunchAddress, list->nitems)};
    for (; all.n < list->nitems; all.n++)
        if (!read_address(r, list->items[all.n], &all.items[all.n])) return false;
    *a = all;
    return true;
}

static bool read_symbol(LaunchReader *r, const YamlNode *key, const YamlNode *map) {
    LaunchSymbol s = {.name = key->text};
    LaunchAddresses addresses = {0};
    int64_t offset = 0;
    if (!read_is(r, map, YAML_MAP, "a symbol") ||
        !ONLY_KEYS(r, map, "a symbol", "init", "hex", "values", "type", "offset", "save",
                   "addresses"))
        return false;
    const bool begins = yaml_get(map, "init") || yaml_get(map, "hex") || yaml_get(map, "values");
    if (!begins && !yaml_get(map, "save") && !yaml_get(map, "addresses"))
        return READ_FAIL(r, key,
                         "symbol %s requires one of `init`, `hex`, `values`, `addresses`, `save`",
                         s.name);
    if (begins && !read_bytes(r, map, "a symbol", "init", (uint64_t)MEMORY_BYTES, &s.data))
        return false;
    if (!read_int_key(r, map, "offset", 0, MEMORY_BYTES, &offset) ||
        !read_save_key(r, map, &s.save) ||
        !read_addresses(r, yaml_get(map, "addresses"), &addresses))
        return false;
    const int index = symbol_of(r, key, s.name);
    LaunchSymbol *to = &r->l->symbols[index];
    to->data = s.data;
    to->offset = (uint64_t)offset;
    to->save = s.save;
    to->addresses = addresses;
    to->line = key->line;
    to->col = key->col;
    return true;
}

bool read_symbols(LaunchReader *r, const YamlNode *map) {
    if (!map) return true;
    if (!read_is(r, map, YAML_MAP, "symbols")) return false;
    for (int i = 0; i < map->nitems; i++)
        if (!read_symbol(r, map->keys[i], map->items[i])) return false;
    return true;
}

// ---- finding ----

static bool is_named(const PtxVar *v, const char *name) {
    return (v->space == PTX_GLOBAL || v->space == PTX_CONST) && ptx_name_is(v->name, name);
}

// The variable of a module that a name means, -1: none, -2: more than one.
static int find_variable(const PtxModule *m, const char *name) {
    int found = -1;
    for (int i = 0; i < m->nvars; i++) {
        if (!is_named(&m->vars[i], name)) continue;
        if (!strcmp(m->vars[i].name, name)) return i;
        found = found == -1 ? i : -2;
    }
    return found;
}

static bool no_symbol(const Launch *l, const LaunchSymbol *s, ModuleLayout *const *modules,
                      int nmodules, Diag *d) {
    const char *near = NULL;
    for (int k = 0; k < nmodules && !near; k++) {
        const PtxModule *m = modules[k]->module;
        const char **names = ARENA_ARRAY(l->arena, const char *, m->nvars + 1);
        int n = 0;
        for (int i = 0; i < m->nvars; i++)
            if (m->vars[i].space == PTX_GLOBAL || m->vars[i].space == PTX_CONST)
                names[n++] = m->vars[i].name;
        near = name_suggest(s->name, names, n);
    }
    return diag_fail_at(d, &l->src, s->line, s->col,
                        "no PTX file here has a .global or .const variable %s%s%s%s", s->name,
                        near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static int64_t bytes_of(const LaunchSymbol *s, int place) {
    return s->places[place].layout->module->vars[s->places[place].var].bytes;
}

static bool symbol_fits(const Launch *l, const LaunchSymbol *s, Diag *d) {
    for (int i = 0; i < s->nplaces; i++) {
        const uint64_t bytes = (uint64_t)bytes_of(s, i);
        if (s->offset > bytes || (uint64_t)s->data.count > bytes - s->offset)
            return diag_fail_at(d, &l->src, s->line, s->col,
                                "variable %s has %" PRIu64 " bytes, found %d from offset %" PRIu64,
                                s->name, bytes, s->data.count, s->offset);
    }
    return true;
}

bool launch_bind(Launch *l, ModuleLayout *const *modules, int nmodules, Diag *d) {
    for (int i = 0; i < l->nsymbols; i++) {
        LaunchSymbol *s = &l->symbols[i];
        for (int k = 0; k < nmodules; k++) {
            const int var = find_variable(modules[k]->module, s->name);
            if (var == -2)
                return diag_fail_at(
                    d, &l->src, s->line, s->col,
                    "%s: %s matches several variables: expected a name as in the PTX file",
                    modules[k]->module->src.path, s->name);
            if (var >= 0)
                *ARENA_PUSH(l->arena, s->places, s->nplaces, s->cap_places) =
                    (struct LaunchPlace){modules[k], var};
        }
        if (!s->nplaces) return no_symbol(l, s, modules, nmodules, d);
        if (!symbol_fits(l, s, d)) return false;
    }
    for (int i = 0; i < l->nexpects; i++) {
        const LaunchExpect *e = &l->expects[i];
        const LaunchSymbol *s = e->symbol >= 0 ? &l->symbols[e->symbol] : NULL;
        if (s && e->offset + e->bytes > (uint64_t)bytes_of(s, 0))
            return diag_fail_at(d, &l->src, e->line, e->col,
                                "expected file %s: %" PRIu64 " bytes from offset %" PRIu64
                                " are to be compared, variable %s has %" PRId64,
                                e->file, e->bytes, e->offset, s->name, bytes_of(s, 0));
    }
    return true;
}

bool launch_sets(const Launch *l, const ModuleLayout *layout, int var) {
    for (int i = 0; i < l->nsymbols; i++) {
        const LaunchSymbol *s = &l->symbols[i];
        for (int k = 0; k < s->nplaces; k++)
            if (s->places[k].layout == layout && s->places[k].var == var)
                return s->data.count || s->addresses.n;
    }
    return false;
}

// ---- filling ----

// Host bytes of a variable, and its address as a kernel sees it.
static uint8_t *variable_bytes(const struct LaunchPlace *p, const DeviceMemory *m) {
    const uint32_t at = p->layout->var_addr[p->var];
    return p->layout->module->vars[p->var].space == PTX_CONST ? p->layout->const_image + at
                                                              : m->base + at;
}

static uint64_t variable_address(const struct LaunchPlace *p) {
    const uint32_t at = p->layout->var_addr[p->var];
    return p->layout->module->vars[p->var].space == PTX_CONST ? (uint64_t)at + DEVICE_CONST_BASE
                                                              : at;
}

static void variable_set(const struct LaunchPlace *p, DeviceMemory *m) {
    PtxVar *v = &p->layout->module->vars[p->var];
    if (v->space == PTX_GLOBAL) device_allocation(m, p->layout->var_addr[p->var])->blank = false;
    else if (!v->init) v->init = variable_bytes(p, m);
}

// Writes the addresses into `bytes` bytes at `to`, which are called `what`.
static bool write_addresses(const Launch *l, const LaunchAddresses *all, uint8_t *to,
                            uint64_t bytes, const char *what, int place, Diag *d) {
    for (int i = 0; i < all->n; i++) {
        const LaunchAddress *a = &all->items[i];
        const LaunchSymbol *s = a->symbol >= 0 ? &l->symbols[a->symbol] : NULL;
        uint64_t value = (uint64_t)a->plus;
        if (s) value += variable_address(&s->places[place < s->nplaces ? place : 0]);
        else value += l->buffers[a->buffer].addr;
        const uint64_t last = a->offset + (uint64_t)(a->count - 1) * (uint64_t)a->stride;
        if (last > bytes || bytes - last < ADDRESS_BYTES)
            return diag_fail_at(d, &l->src, a->line, a->col,
                                "%" PRId64 " address%s from offset %" PRIu64
                                " of %s reach%s beyond its "
                                "%" PRIu64 " bytes",
                                a->count, a->count > 1 ? "es" : "", a->offset, what,
                                a->count > 1 ? "" : "es", bytes);
        for (int64_t k = 0; k < a->count; k++, value += (uint64_t)a->step)
            memcpy(to + a->offset + (uint64_t)k * (uint64_t)a->stride, &value, ADDRESS_BYTES);
    }
    return true;
}

bool launch_fill(Launch *l, DeviceMemory *m, Diag *d) {
    for (int i = 0; i < l->nsymbols; i++) {
        LaunchSymbol *s = &l->symbols[i];
        for (int k = 0; k < s->nplaces; k++) {
            if (!bytes_of(s, k)) continue;
            uint8_t *to = variable_bytes(&s->places[k], m);
            if (s->data.count) memcpy(to + s->offset, s->data.bytes, (size_t)s->data.count);
            if (!write_addresses(l, &s->addresses, to, (uint64_t)bytes_of(s, k), s->name, k, d))
                return false;
            if (s->data.count || s->addresses.n) variable_set(&s->places[k], m);
        }
    }
    for (int i = 0; i < l->nbuffers; i++) {
        LaunchBuffer *b = &l->buffers[i];
        if (b->record) memcpy(m->base + b->addr, b->record, (size_t)b->bytes);
        if (!write_addresses(l, &b->addresses, m->base + b->addr, b->bytes, b->name, 0, d))
            return false;
    }
    return true;
}

// ---- after the run ----

bool launch_save(const Launch *l, DeviceMemory *m, Diag *d) {
    for (int i = 0; i < l->nbuffers; i++) {
        const LaunchBuffer *b = &l->buffers[i];
        if (b->save && !output_text(b->save, m->base + b->addr, (size_t)b->bytes, d)) return false;
    }
    for (int i = 0; i < l->nsymbols; i++) {
        const LaunchSymbol *s = &l->symbols[i];
        if (s->save &&
            !output_text(s->save, variable_bytes(&s->places[0], m), (size_t)bytes_of(s, 0), d))
            return false;
    }
    return true;
}

const uint8_t *launch_compared(const Launch *l, const LaunchExpect *e, const DeviceMemory *m,
                               const char **name) {
    *name = e->symbol >= 0 ? l->symbols[e->symbol].name : l->buffers[e->buffer].name;
    const uint8_t *from = e->symbol >= 0 ? variable_bytes(&l->symbols[e->symbol].places[0], m)
                                         : m->base + l->buffers[e->buffer].addr;
    return from + e->offset;
}
