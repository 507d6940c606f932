// SPDX-License-Identifier: Apache-2.0
// Findings of a run about the program: each place once, with a count.
#include "oracle/interp.h"

#include <string.h>

const char *oracle_kind_name(OracleKind kind) {
    static const char *const names[] = {[ORACLE_RACE] = "race",
                                        [ORACLE_SAME_VALUE] = "same-value store",
                                        [ORACLE_UNSET_REGISTER] = "unset register",
                                        [ORACLE_UNSET_SHARED] = "unset shared memory",
                                        [ORACLE_UNSET_LOCAL] = "unset local memory",
                                        [ORACLE_BLANK_VARIABLE] = "blank variable",
                                        [ORACLE_ABSENT_LANE] = "absent lane",
                                        [ORACLE_SPLIT_BARRIER] = "split barrier"};
    return names[kind];
}

bool oracle_is_undefined(OracleKind kind) {
    return kind != ORACLE_RACE && kind != ORACLE_SAME_VALUE && kind != ORACLE_BLANK_VARIABLE;
}

bool o_first(const OWarp *w, OracleKind kind, int line, int other) {
    const Oracle *o = w->cta->o;
    OracleFindings *f = o->found;
    for (int i = 0; i < f->nitems; i++) {
        OracleFinding *it = &f->items[i];
        if (it->kind != kind || it->line != line || it->other != other ||
            it->kernel != o->run->entry)
            continue;
        it->count++;
        return false;
    }
    if (f->nitems == ORACLE_MAX_FINDINGS) return false;
    *ARENA_PUSH(f->arena, f->items, f->nitems, f->cap_items) =
        (OracleFinding){.kind = kind,
                        .kernel = o->run->entry,
                        .line = line,
                        .other = other,
                        .count = 1,
                        .text = ""};
    return true;
}

void o_thread_name(const Oracle *o, uint64_t cta, uint32_t thread, char *text, size_t size) {
    const uint32_t *g = o->run->grid, *b = o->run->block;
    snprintf(text, size, "CTA (%u,%u,%u), thread (%u,%u,%u)", (uint32_t)(cta % g[0]),
             (uint32_t)(cta / g[0] % g[1]), (uint32_t)(cta / g[0] / g[1]), thread % b[0],
             thread / b[0] % b[1], thread / b[0] / b[1]);
}

void o_describe(const OWarp *w, const OInst *oi, uint32_t lane, const char *format, ...) {
    char text[1024], thread[96];
    const Oracle *o = w->cta->o;
    OracleFindings *f = o->found;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    o_thread_name(o, w->cta->number, (uint32_t)w->index * O_LANES + lane, thread, sizeof thread);
    f->items[f->nitems - 1].text =
        arena_printf(f->arena, "%s:%d: kernel %s, %s: %s", o->run->module->src.path, oi->in->line,
                     o->run->entry->name, thread, text);
}
