// SPDX-License-Identifier: Apache-2.0
// smcosim internal reference: pages of reference, from the tables that the program itself uses.
// ci/reference writes them, ci/lint compares them.
#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "cli/cli.h"
#include "cli/keys_table.h"
#include "cosim/ports.h"
#include "counters/counters.h"
#include "systems/systems.h"

#include <string.h>
#include <unistd.h>

typedef struct Page {
    FILE *out;
    Arena *arena;
    const char *source;  // the source tree
    Diag *d;
} Page;

static void begin_page(const Page *p, const char *title, const char *from, const char *what) {
    fprintf(p->out,
            "# %s\n\nGenerated from %s: `ci/reference` writes this page and `ci/lint` compares it. "
            "Do not edit.\n\n%s\n",
            title, from, what);
}

// Text of a table's cell.
static void put_cell(const Page *p, const char *text) {
    for (; *text; text++) {
        if (*text == '|') fputc('\\', p->out);
        fputc(*text == '\n' ? ' ' : *text, p->out);
    }
}

// As a sentence: with a capital and a period.
static const char *make_sentence(Arena *arena, const char *text) {
    const size_t n = strlen(text);
    if (!n) return "";
    char *s = (char *)arena_printf(arena, "%s%s", text, strchr(".!?", text[n - 1]) ? "" : ".");
    if (s[1] >= 'a' && s[1] <= 'z' && s[0] >= 'a' && s[0] <= 'z') s[0] = (char)(s[0] - 'a' + 'A');
    return s;
}

// ---- keys --------------------------------------------------------------------------------------

static size_t group_length(const char *key) { return strcspn(key, "."); }

static void put_key(const Page *p, const KeysTable *t, int key) {
    const ConfigInfo k = config_key_info(p->arena, key);
    int rows = 0;
    fprintf(p->out, "\n### %s\n\n%s\n\nDefault `%s`, range `%s`.\n", k.name,
            make_sentence(p->arena, k.meaning), k.usual, k.range);
    for (int i = 0; i < t->npresets; i++) {
        const char *source = config_key_source(p->arena, t->data_dir, t->names[i], key);
        if (!keys_differ(t, key, i) && (strcmp(t->names[i], "fermi") != 0 || !*source)) continue;
        if (!rows++) fputc('\n', p->out);
        fprintf(p->out, "- %s `%s`%s%s\n", t->names[i],
                config_key_value(p->arena, key, &t->presets[i]), *source ? ": " : "", source);
    }
}

static bool page_keys(const Page *p) {
    KeysTable t;
    const char *group = "";
    if (!keys_load(&t, p->arena, arena_printf(p->arena, "%s/csrc/config", p->source), p->d))
        return false;
    begin_page(
        p, "Configuration keys",
        "`csrc/config/config.def`, `csrc/systems/*/keys.def` and `csrc/config/machines`",
        "A key is a parameter of a machine: a number or a word. `--set KEY=VALUE` changes it for a "
        "run, a\nmachine file for all runs. `smcosim help KEY` and `smcosim list config PREFIX "
        "--sources` print the\nsame. Each key lists the machines with another value, and the "
        "source that the machine's file names.\nThe values of `fermi` are the defaults.");
    for (int i = 0; i < config_key_count(); i++) {
        const char *name = config_key_info(p->arena, i).name;
        const size_t n = group_length(name);
        if (n != group_length(group) || strncmp(group, name, n) != 0)
            fprintf(p->out, "\n## %.*s\n", (int)n, name);
        group = name;
        put_key(p, &t, i);
    }
    return true;
}

// ---- counters ----------------------------------------------------------------------------------

static bool page_counters(const Page *p) {
    const char *group = "";
    begin_page(
        p, "Counters", "`csrc/counters/counters.def` and `csrc/systems/*/counters.def`",
        "Every counter of a report of `smcosim run --json`, by group. `smcosim help COUNTER` "
        "prints one.");
    for (int i = 0; i < CTR_COUNT; i++) {
        const CounterInfo *c = &counter_info[i];
        if (strcmp(group, c->group) != 0)
            fprintf(p->out, "\n## %s\n\n| counter | unit | meaning |\n|---|---|---|\n", c->group);
        group = c->group;
        fprintf(p->out, "| `%s` | %s | ", c->name, c->unit);
        put_cell(p, c->meaning);
        fputs(" |\n", p->out);
    }
    return true;
}

// ---- statuses ----------------------------------------------------------------------------------

static void put_words(const Page *p, const StatusRow *rows, int n, int group) {
    const bool status = group == STATUS_ANY;
    fprintf(
        p->out,
        "\n## Words of %s\n\n| word | exit status | meaning | what to do |\n|---|--:|---|---|\n",
        status ? "the exit statuses" : status_group(group));
    for (int i = 0; i < n; i++) {
        if (rows[i].group != group) continue;
        fprintf(p->out, "| %s | %s | ", rows[i].word,
                rows[i].status == STATUS_ANY ? "" : arena_printf(p->arena, "%d", rows[i].status));
        put_cell(p, rows[i].meaning);
        fputs(" | ", p->out);
        put_cell(p, rows[i].cure);
        fputs(" |\n", p->out);
    }
}

static bool page_status(const Page *p) {
    const StatusRow *rows;
    const int n = status_rows(&rows);
    begin_page(p, "Verdicts and exit statuses", "`csrc/base/status.def`",
               "Every word for an outcome that the program prints, with the exit status when it "
               "decides. `smcosim\nhelp WORD` prints one. Of several outcomes the first one other "
               "than a pass decides.");
    for (int i = 0; i < n; i++)
        if (!i || rows[i].group != rows[i - 1].group) put_words(p, rows, n, rows[i].group);
    return true;
}

// ---- commands ----------------------------------------------------------------------------------

static void put_options(const Page *p, const Command *c) {
    if (c->noptions) fputs("\n| option | meaning | default |\n|---|---|---|\n", p->out);
    for (int i = 0; i < c->noptions; i++) {
        const CliOption *o = &c->options[i];
        fputs("| `", p->out);
        if (o->letter) fprintf(p->out, "-%c`, `", o->letter);
        fprintf(p->out, "--%s%s", o->name, o->argument ? " " : "");
        put_cell(p, o->argument ? o->argument : "");
        fputs("` | ", p->out);
        put_cell(p, o->help);
        fputs(" | ", p->out);
        put_cell(p, o->fallback ? o->fallback : "");
        fputs(" |\n", p->out);
    }
}

static bool page_commands(const Page *p) {
    const Command *const *commands;
    const int n = cli_commands(&commands);
    begin_page(p, "Commands", "the option tables in `csrc/cli`",
               "`smcosim COMMAND --help` prints the same. Options are not abbreviated, and `--` "
               "ends them.\n\n"
               "Exit statuses: [base/STATUS.md](../base/STATUS.md).");
    for (int i = 0; i < n; i++) {
        const Command *c = commands[i];
        fprintf(p->out, "\n## %s\n\n    smcosim %s %s\n\n%s\n", c->name, c->name, c->synopsis,
                c->about);
        put_options(p, c);
        if (c->examples) fputc('\n', p->out);
        for (const CliExample *e = c->examples; e && e->command; e++)
            fprintf(p->out, "- `%s`: %s\n", e->command, e->what);
    }
    return true;
}

// ---- systems -----------------------------------------------------------------------------------

static bool page_archs(const Page *p) {
    const System *s;
    begin_page(p, "Architectures", "the table in `csrc/systems/systems.c`",
               "The systems for `--arch`, alone or joined by colons. The [pages of the "
               "families](README.md) describe them.\n"
               "`smcosim help NAME` prints one, `smcosim list archs --all` every combination.\n\n"
               "| system | what it does | parts | combines with |\n|---|---|---|---|");
    for (int i = 0; (s = systems_row(i)); i++) {
        const char *partners = systems_partners(p->arena, i), *parts = systems_parts(p->arena, s);
        fprintf(p->out, "| `%s` | %s | %s | %s%s |\n", s->name, s->what, *parts ? parts : "-",
                s->needs ? "only " : "", *partners ? partners : "nothing");
    }
    return true;
}

// ---- blocks ------------------------------------------------------------------------------------

// Rows of FAULTS that begin a fault: a number, two blanks, its description.
static int count_faults(const Page *p, const BlockDesc *b) {
    Diag ignored = {0};
    char *text;
    size_t size;
    int n = 0;
    if (!file_read(p->arena,
                   arena_printf(p->arena, "%s/rtl/%s/%s.faults", p->source, b->family, b->name),
                   &text, &size, &ignored))
        return 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL)
        n += *line >= '0' && *line <= '9';
    return n;
}

static void put_ports(const Page *p, const BlockDesc *b, const int *params) {
    Port ports[BLOCK_MAX_PORTS];
    const int n = block_hardware_ports(b, params, ports);
    fputs("\n| port | bits | compared | meaning |\n|---|--:|---|---|\n", p->out);
    for (int i = 0; i < n; i++) {
        const Port *x = &ports[i];
        const char *bits = x->count > 1 ? arena_printf(p->arena, "%d x %d", x->count, x->width)
                                        : arena_printf(p->arena, "%d", x->width);
        const char *when = x->dir == PORT_IN ? ""
            : x->valid < 0                   ? "always"
                           : arena_printf(p->arena, "with `%s`", ports[x->valid].name);
        fprintf(p->out, "| `%s_%c` | %s | %s | ", x->name, x->dir == PORT_IN ? 'i' : 'o', bits,
                when);
        put_cell(p, x->meaning);
        fputs(" |\n", p->out);
    }
}

static void put_block(const Page *p, const BlockDesc *b, json_t *areas) {
    int params[64];
    const char *place = arena_printf(p->arena, "%s/%s", b->family, b->name);
    const char *proof = arena_printf(p->arena, "%s.formal.svh", place);
    fprintf(p->out,
            "\n### %s\n\n%s Contract: [models/%s.h](../models/%s.h), Verilog: [%s.sv](%s.sv).\n\n",
            b->name, make_sentence(p->arena, b->what), place, place, place, place);
    const bool proved = !access(arena_printf(p->arena, "%s/rtl/%s", p->source, proof), R_OK);
    fprintf(p->out, "- proof: %s\n- seeded faults: %d\n",
            proved ? arena_printf(p->arena, "[%s](%s)", proof, proof) : "none", count_faults(p, b));
    json_t *area = json_object_get(json_object_get(areas, "blocks"), b->name);
    if (area)
        fprintf(
            p->out, "- area and worst path, at the defaults: %.0f um2, %.2f ns (%s)\n",
            json_number_value(json_object_get(area, "area")),
            json_number_value(json_object_get(area, "path_ns")),
            json_string_value(json_object_get(json_object_get(area, "fingerprint"), "library")));
    if (b->nparams)
        fputs("\n| parameter | default | range | key | meaning |\n|---|--:|---|---|---|\n", p->out);
    for (int i = 0; i < b->nparams; i++) {
        const BlockParam *x = &b->params[i];
        params[i] = x->def;
        fprintf(p->out, "| `%s` | %d | %d..%d | %s | ", x->name, x->def, x->least, x->most, x->key);
        put_cell(p, x->meaning);
        fputs(" |\n", p->out);
    }
    put_ports(p, b, params);
}

static bool page_blocks(const Page *p) {
    json_error_t error;
    const char *path = arena_printf(p->arena, "%s/bench/area/baselines.json", p->source);
    json_t *areas = json_load_file(path, 0, &error);
    if (!areas) return diag_fail(p->d, EXIT_USAGE, "%s:%d: %s", path, error.line, error.text);
    begin_page(p, "Blocks",
               "the contracts in `models`, the files in `rtl` and `bench/area/baselines.json`",
               "Every block with its parameters, ports, proof and area. The column of bits is for "
               "the default shape:\nelements x bits per element. A number in place of a key is "
               "fixed. `smcosim help BLOCK` prints the\nparameters.");
    for (int i = 0; i < block_desc_count(); i++) {
        const BlockDesc *b = block_desc(i);
        bool known = false;
        for (int k = 0; k < i; k++) known |= !strcmp(block_desc(k)->family, b->family);
        if (known) continue;
        fprintf(p->out, "\n## %s\n", b->family);
        for (int k = i; k < block_desc_count(); k++)
            if (!strcmp(block_desc(k)->family, b->family)) put_block(p, block_desc(k), areas);
    }
    json_decref(areas);
    return true;
}

// ---- the command -------------------------------------------------------------------------------

static const struct {
    const char *path;
    bool (*write)(const Page *);
} pages[] = {
    {"csrc/base/STATUS.md", page_status},  {"csrc/cli/COMMANDS.md", page_commands},
    {"csrc/config/KEYS.md", page_keys},    {"csrc/counters/COUNTERS.md", page_counters},
    {"csrc/systems/ARCHS.md", page_archs}, {"rtl/BLOCKS.md", page_blocks},
};
enum { NPAGES = sizeof pages / sizeof *pages };

int cli_reference(int argc, char **argv) {
    Arena arena = {0};
    Diag d = {0};
    const Page p = {.out = stdout, .arena = &arena, .source = argc > 1 ? argv[1] : "", .d = &d};
    for (int i = 0; i < NPAGES; i++) {
        if (argc == 1) printf("%s\n", pages[i].path);
        if (argc != 3 || strcmp(argv[2], pages[i].path) != 0) continue;
        const bool ok = pages[i].write(&p);
        arena_free(&arena);
        return ok ? EXIT_PASS : cli_fail(&d);
    }
    if (argc == 1) return EXIT_PASS;
    fprintf(stderr,
            "smcosim: internal reference: expected SOURCE and a page, or nothing for the "
            "list of pages\n");
    return EXIT_USAGE;
}
