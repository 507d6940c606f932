// SPDX-License-Identifier: Apache-2.0
// smcosim help WORD: the meaning of a key, a counter, a word of a verdict, a system or a block.
#include "base/plain.h"
#include "base/status.h"
#include "cli/cli.h"
#include "cli/keys_table.h"
#include "cosim/ports.h"
#include "counters/counters.h"
#include "systems/systems.h"

#include <string.h>

// Prints the word's meaning if the word is of this kind. Returns whether it is.
typedef bool Explain(FILE *out, Arena *arena, const char *word);

static bool explain_key(FILE *out, Arena *arena, const char *word) {
    Diag d = {0};
    KeysTable t;
    const int key = config_key_index(word);
    if (key < 0) return false;
    const ConfigInfo k = config_key_info(arena, key);
    fprintf(out,
            "%s: configuration key (--set %s=VALUE, machine files)\n  %s\n  default %s, range %s\n",
            k.name, k.name, *k.meaning ? k.meaning : "-", k.usual, k.range);
    if (keys_load(&t, arena, cli_data_dir(), &d)) keys_sources(out, &t, key);
    else fprintf(out, "  machines: %s\n", d.text);
    return true;
}

static bool explain_counter(FILE *out, Arena *arena, const char *word) {
    (void)arena;
    for (int i = 0; i < CTR_COUNT; i++) {
        const CounterInfo *c = &counter_info[i];
        if (strcmp(c->name, word) != 0) continue;
        fprintf(out, "%s: counter, group %s, in %s\n  %s\n", c->name, c->group, c->unit,
                *c->meaning ? c->meaning : "-");
        return true;
    }
    return false;
}

static bool explain_status(FILE *out, Arena *arena, const char *word) {
    const StatusRow *rows;
    const int n = status_rows(&rows);
    bool found = false;
    for (int i = 0; i < n; i++) {
        const StatusRow *r = &rows[i];
        if (strcmp(r->word, word) != 0) continue;
        fprintf(out, "%s: %s%s\n  %s\n  what to do: %s\n", r->word,
                r->group == STATUS_ANY ? "verdict, or end of the program"
                                       : arena_printf(arena, "word of %s", status_group(r->group)),
                r->status == STATUS_ANY ? "" : arena_printf(arena, "; exit status %d", r->status),
                r->meaning, r->cure);
        found = true;
    }
    return found;
}

static bool explain_system(FILE *out, Arena *arena, const char *word) {
    const System *s;
    for (int i = 0; (s = systems_row(i)); i++) {
        if (strcmp(s->name, word) != 0) continue;
        const char *parts = systems_parts(arena, s), *partners = systems_partners(arena, i);
        fprintf(out, "%s: architecture (--arch)\n  %s\n", s->name, s->what);
        if (*parts) fprintf(out, "  parts: %s\n", parts);
        fprintf(out, "  %s %s\n", s->needs ? "only with" : "combines with",
                *partners ? partners : "nothing");
        return true;
    }
    return false;
}

static bool explain_block(FILE *out, Arena *arena, const char *word) {
    const BlockDesc *b = block_desc_find(word);
    (void)arena;
    if (!b) return false;
    fprintf(out, "%s: block of family %s (rtl/%s/%s.sv)\n  %s\n", b->name, b->family, b->family,
            b->name, b->what);
    for (int i = 0; i < b->nparams; i++)
        fprintf(out, "    %-14s %d, %d..%d  %s (%s)\n", b->params[i].name, b->params[i].def,
                b->params[i].least, b->params[i].most, b->params[i].meaning, b->params[i].key);
    return true;
}

static const char *find_nearest(Arena *arena, const char *word) {
    const Command *const *commands;
    const StatusRow *rows;
    const int ncommands = cli_commands(&commands), nrows = status_rows(&rows),
              nkeys = config_key_count(), nblocks = block_desc_count();
    const char **names =
        ARENA_ARRAY(arena, const char *, ncommands + nrows + nkeys + nblocks + CTR_COUNT + 64);
    int n = 0;
    for (int i = 0; i < ncommands; i++) names[n++] = commands[i]->name;
    for (int i = 0; i < nrows; i++) names[n++] = rows[i].word;
    for (int i = 0; i < nkeys; i++) names[n++] = config_key_info(arena, i).name;
    for (int i = 0; i < nblocks; i++) names[n++] = block_desc(i)->name;
    for (int i = 0; i < CTR_COUNT; i++) names[n++] = counter_info[i].name;
    for (int i = 0; i < 64 && systems_row(i); i++) names[n++] = systems_row(i)->name;
    return name_suggest(word, names, n);
}

int cli_help_word(const char *word) {
    static Explain *const explains[] = {explain_key, explain_counter, explain_status,
                                        explain_system, explain_block};
    Arena arena = {0};
    bool found = false;
    for (size_t i = 0; i < sizeof explains / sizeof *explains; i++)
        found |= explains[i](stdout, &arena, word);
    if (!found) {
        const char *near = find_nearest(&arena, word);
        fprintf(
            stderr,
            "smcosim: help: no command, key, counter, verdict, architecture or block '%s'%s%s%s\n",
            plain_text(&arena, word), near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "; see smcosim --help");
    }
    arena_free(&arena);
    return found ? EXIT_PASS : EXIT_USAGE;
}
