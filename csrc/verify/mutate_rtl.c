// SPDX-License-Identifier: Apache-2.0
// Mutants of the RTL. Yosys flattens the block and lists candidates. The requested number is chosen
// evenly over instances and source lines. All chosen mutants are in one module, whose input mutsel
// activates one of them. A wrapper with the block's name sets mutsel from +mutant=N.
#include "verify/fourstate.h"
#include "verify/mutate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_FACTOR = 8 /* candidates per mutant */,
    LIST_MORE = 500,
    YOSYS_SECONDS = 900,
    SELECT_BITS = 16
};

// ---- yosys --------------------------------------------------------------------------------------

static bool run_yosys(const Campaign *c, const char *script, const char *what, Diag *d) {
    const char *log = arena_printf(c->arena, "%s/%s.log", c->dir, what);
    const char *argv[] = {"yosys", "-q", "-s", script, NULL};
    const int status = tool_run(argv, log, YOSYS_SECONDS);
    if (status == 0) return true;
    if (!tool_ended(status, c->o->desc->name, "yosys", "yosys", YOSYS_SECONDS, d)) return false;
    return diag_fail(d, EXIT_ENVIRONMENT, "block %s: %s: yosys fails, %s", c->o->desc->name, what,
                     tool_last_words(c->arena, status, log, 10));
}

static FILE *script_open(const char *path, Diag *d) {
    FILE *f = fopen(path, "w");
    if (!f) diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
    return f;
}

static bool script_close(FILE *f, const char *path, Diag *d) {
    const bool bad = ferror(f) != 0;
    if (fclose(f) || bad) return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written", path);
    return true;
}

// Blocks inside this block have campaigns of their own. They remain instances of our RTL source,
// which compiles many times faster than a netlist of the whole block. A mutant is only in this
// block's own logic.
static void black_boxes(FILE *f, Campaign *c, const RtlFiles *files) {
    const BlockDesc *desc = c->o->desc;
    for (int k = 0; k < block_desc_count(); k++) {
        const BlockDesc *inner = block_desc(k);
        if (inner == desc) continue;
        for (int i = 0; i < files->n; i++) {
            const char *slash = strrchr(files->paths[i], '/'),
                       *file = slash ? slash + 1 : files->paths[i];
            const size_t n = strlen(inner->name);
            if (strncmp(file, inner->name, n) || strcmp(file + n, ".sv")) continue;
            fprintf(f, "\nblackbox %s", inner->name);
            c->inner = true;
        }
    }
}

// RF_MERGE: a memory word is written as a whole, because Verilator is slow with one enable per bit.
// Memory ports remain separate cells, so that those of the observation can be omitted.
static bool list_candidates(Campaign *c, const char *list, Diag *d) {
    const BlockDesc *desc = c->o->desc;
    const char *script = arena_printf(c->arena, "%s/list.ys", c->dir);
    RtlFiles files;
    if (!rtl_files(c->arena, c->o->data_dir, desc->name, NULL, &files, d)) return false;
    FILE *f = script_open(script, d);
    if (!f) return false;
    rtl_read_verilog(f, &files, " -D RF_OBS -D RF_MERGE");
    black_boxes(f, c, &files);
    for (int i = 0; i < desc->nparams; i++)
        fprintf(f, "%s -set %s %d", i ? "" : "\nchparam", desc->params[i].name, c->o->params[i]);
    fprintf(f, "%s%s\n", desc->nparams ? " " : "", desc->nparams ? desc->name : "");
    fprintf(f, "hierarchy -check -top %s\nproc\nflatten\nopt_expr\nopt_clean\n", desc->name);
    // Enables of memories as few signals instead of one selection per bit, each of which would
    // become a statement.
    fprintf(f, "select -set en t:$memwr_v2 %%ci*:+$mux[A,B,Y]:+$memwr_v2[EN] t:$mux %%i\n");
    fprintf(f, "simplemap @en\nopt_merge\nopt_expr -mux_bool\nopt_clean -purge\n");
    // `expose`, on which the proofs are based, silently omits objects without a public name.
    fprintf(f,
            "rename -enumerate -pattern port_%% t:$memrd* t:$memwr*\nrename -enumerate -pattern "
            "net_%% w:$*\n");
    fprintf(f, "write_rtlil %s\n", c->base);
    fprintf(f, "select -set func o:*_o o:obs_data_o %%d %%ci*\n");
    fprintf(f, "mutate -list %d -seed %llu -o %s @func\n",
            c->o->rtl_mutants * LIST_FACTOR + LIST_MORE, (unsigned long long)c->o->seed, list);
    return script_close(f, script, d) && run_yosys(c, script, "list", d);
}

// ---- choice -------------------------------------------------------------------------------------

typedef struct Candidate {
    const char *recipe;         // options without documentation
    const char *path, *source;  // instances; "file:line" of the cell
    const char *what;
    const char *mode, *cell, *port;
    int bit;
} Candidate;

// Copies the value of an option at *p; moves *p behind it.
static char *word_at(Arena *arena, const char **p) {
    while (**p == ' ') ++*p;
    const size_t n = strcspn(*p, " \n");
    char *word = arena_strndup(arena, *p, n);
    *p += n;
    return word;
}

// "data/rtl/rf/rf_bank.sv:89.45-108.14" as "rf_bank.sv:89"
static char *short_source(Arena *arena, const char *src) {
    const char *slash = strrchr(src, '/'), *from = slash ? slash + 1 : src;
    size_t n = strcspn(from, ":");
    if (from[n]) n += 1 + strspn(from + n + 1, "0123456789");
    return arena_strndup(arena, from, n);
}

// The instances in a flattened name: "$flatten\g_bank[1].u_bank.\g_slice[2].." as "u_bank.".
static char *instance_path(Arena *arena, const char *cell) {
    char *path = arena_strndup(arena, "", 0);
    for (const char *p = cell; (p = strstr(p, "u_")); p += 2) {
        if (p > cell && p[-1] != '.' && p[-1] != '\\') continue;
        const size_t n = strcspn(p, ".[");
        if (p[n] != '\0') path = arena_printf(arena, "%s%.*s.", path, (int)n, p);
    }
    return path;
}

// "$flatten\u_arbiter.$ternary$data/rtl/rf/rf_arbiter.sv:120$810" as "ternary"
static char *cell_kind(Arena *arena, const char *cell) {
    const char *dot = strrchr(cell, '.');
    const char *kind = NULL;
    for (const char *p = cell; (p = strchr(p, '$')); p++)
        if (strncmp(p, "$flatten", 8) != 0) {
            kind = p + 1;
            break;
        }
    if (kind) return arena_strndup(arena, kind, strcspn(kind, "$"));
    return arena_printf(arena, "%s", dot ? dot + 1 : cell);
}

static bool parse_candidate(Arena *arena, const char *line, Candidate *k) {
    const char *p = line;
    char *ctrl = NULL, *sources = NULL;
    *k = (Candidate){.recipe = "", .bit = -1};
    if (strncmp(p, "mutate ", 7) != 0) return false;
    for (p += 7; *p && *p != '\n';) {
        char *option = word_at(arena, &p);
        if (!*option) break;
        char *value = word_at(arena, &p);
        if (!strcmp(option, "-src")) {
            char *s = short_source(arena, value);
            if (!sources) sources = s;
            else if (!strstr(sources, s)) sources = arena_printf(arena, "%s %s", sources, s);
            continue;
        }
        if (!strncmp(option, "-wire", 5)) continue;
        k->recipe = arena_printf(arena, "%s %s %s", k->recipe, option, value);
        if (!strcmp(option, "-mode")) k->mode = value;
        else if (!strcmp(option, "-cell")) k->cell = value;
        else if (!strcmp(option, "-port")) k->port = value;
        else if (!strcmp(option, "-portbit")) k->bit = atoi(value);
        else if (!strcmp(option, "-ctrlbit")) ctrl = value;
    }
    if (!k->mode || !k->cell || !k->port || !strcmp(k->port, "CLK")) return false;
    // observation of a block inside
    if (!strncmp(k->port, "\\obs_", 5) || !strncmp(k->port, "obs_", 4)) return false;
    k->path = instance_path(arena, k->cell);
    k->source = sources ? sources : "";
    k->what =
        arena_printf(arena, "%s of %s%s %s[%d]%s%s%s", k->mode, k->path, cell_kind(arena, k->cell),
                     k->port, k->bit, ctrl ? " by [" : "", ctrl ? ctrl : "", ctrl ? "]" : "");
    return true;
}

// Candidates of one place: same instances (array indices aside), same source lines.
typedef struct Group {
    const char *path, *source;
    Candidate **items;
    int n, cap, taken;
} Group;

static int cmp_group(const void *a, const void *b) {
    const Group *x = a, *y = b;
    const int byPath = strcmp(x->path, y->path);
    return byPath ? byPath : strcmp(x->source, y->source);
}

static Group *group_all(Arena *arena, Candidate *all, int n, int *ngroups) {
    Group *groups = NULL;
    int count = 0, cap = 0;
    for (int i = 0; i < n; i++) {
        int g = 0;
        while (g < count &&
               (strcmp(groups[g].path, all[i].path) || strcmp(groups[g].source, all[i].source)))
            g++;
        if (g == count)
            *ARENA_PUSH(arena, groups, count, cap) =
                (Group){.path = all[i].path, .source = all[i].source};
        *ARENA_PUSH(arena, groups[g].items, groups[g].n, groups[g].cap) = &all[i];
    }
    qsort(groups, (size_t)count, sizeof *groups, cmp_group);
    *ngroups = count;
    return groups;
}

static void add_mutant(Campaign *c, const Candidate *k) {
    Mutant *m = ARENA_PUSH(c->arena, c->r->mutants, c->r->n, c->cap);
    *m = (Mutant){.side = MUTANT_RTL, .recipe = k->recipe, .where = k->source, .what = k->what};
    m->number = c->r->n;
    // Without the folder that names of cells carry.
    const char *id = arena_printf(c->arena, "rtl%s", k->recipe);
    for (const char *data; (data = strstr(id, c->o->data_dir));)
        id = arena_printf(c->arena, "%.*s%s", (int)(data - id), id, data + strlen(c->o->data_dir));
    m->id = id;
}

// Round by round: each module in turn gives one mutant of its next source line.
static void choose_mutants(Campaign *c, Group *groups, int ngroups) {
    StimRandom random = {c->o->seed * 0x9e3779b97f4a7c15ull + 0x1234567};
    // per first group of a path: the group whose turn it is
    int *next = ARENA_ARRAY(c->arena, int, ngroups + 1);
    for (bool any = true; any && c->r->n < c->o->rtl_mutants;) {
        any = false;
        for (int first = 0, last; first < ngroups && c->r->n < c->o->rtl_mutants; first = last) {
            for (last = first; last < ngroups && !strcmp(groups[last].path, groups[first].path);)
                last++;
            for (int tried = 0; tried < last - first; tried++) {
                Group *g = &groups[first + next[first]];
                next[first] = (next[first] + 1) % (last - first);
                if (g->taken == g->n) continue;
                const int pick = g->taken + (int)stim_below(&random, (uint32_t)(g->n - g->taken));
                Candidate *k = g->items[pick];
                g->items[pick] = g->items[g->taken];
                g->items[g->taken++] = k;
                add_mutant(c, k);
                any = true;
                break;
            }
        }
    }
}

static bool read_candidates(Campaign *c, const char *list, Diag *d) {
    char *text;
    size_t n;
    Candidate *all = NULL;
    int count = 0, cap = 0, ngroups;
    if (!file_read(c->arena, list, &text, &n, d)) return false;
    for (char *line = text; *line;) {
        Candidate k;
        if (parse_candidate(c->arena, line, &k)) *ARENA_PUSH(c->arena, all, count, cap) = k;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    Group *groups = group_all(c->arena, all, count, &ngroups);
    choose_mutants(c, groups, ngroups);
    return true;
}

// ---- build --------------------------------------------------------------------------------------

// Removes tracing, because trace code for thousands of wires would be most of the compiled code and
// waves of a mutant are not used.
static bool without_trace(Campaign *c, const char *netlist, const char *path, Diag *d) {
    char *text;
    size_t n;
    if (!file_read(c->arena, netlist, &text, &n, d)) return false;
    FILE *f = script_open(path, d);
    if (!f) return false;
    fputs("/* verilator tracing_off */\n", f);
    fwrite(text, 1, n, f);
    return script_close(f, path, d);
}

static bool write_mutated(Campaign *c, const char *path, Diag *d) {
    const char *script = arena_printf(c->arena, "%s/mutated.ys", c->dir), *name = c->o->desc->name;
    const char *netlist = arena_printf(c->arena, "%s/netlist.v", c->dir);
    FILE *f = script_open(script, d);
    if (!f) return false;
    fprintf(f, "read_rtlil %s\n", c->base);
    for (int i = 0; i < c->r->n; i++)
        if (c->r->mutants[i].side == MUTANT_RTL)
            fprintf(f, "mutate -ctrl mutsel %d %d%s\n", SELECT_BITS, c->r->mutants[i].number,
                    c->r->mutants[i].recipe);
    fprintf(f, "memory_collect\nopt_clean -purge\nrename %s %s_mutated\nwrite_verilog -noattr %s\n",
            name, name, netlist);
    return script_close(f, script, d) && run_yosys(c, script, "mutated", d) &&
        without_trace(c, netlist, path, d);
}

static void wrapper_port(FILE *f, bool in, const char *name, int bits, const char *comma) {
    fprintf(f, "    %s [%d:0] %s_%c%s\n", in ? "input  wire" : "output wire", bits - 1, name,
            in ? 'i' : 'o', comma);
}

static bool write_wrapper(const Campaign *c, const char *path, Diag *d) {
    const BlockDesc *desc = c->o->desc;
    Port ports[BLOCK_MAX_PORTS];
    const int n = block_ports(desc, c->o->params, ports);
    FILE *f = script_open(path, d);
    if (!f) return false;
    fprintf(f, "module %s", desc->name);
    for (int i = 0; i < desc->nparams; i++)
        fprintf(f, "%s    parameter int %s = %d", i ? ",\n" : " #(\n", desc->params[i].name,
                c->o->params[i]);
    fprintf(f, "%s (\n    input  wire clk_i,\n    input  wire rst_ni,\n",
            desc->nparams ? "\n)" : "");
    for (int i = 0; i < n; i++)
        wrapper_port(f, ports[i].dir == PORT_IN, ports[i].name, ports[i].count * ports[i].width,
                     ",");
    wrapper_port(f, true, "obs_addr", 32, ",");
    wrapper_port(f, false, "obs_data", 32 * desc->model->obs_words, "");
    fprintf(f,
            ");\n    integer mutant;\n    initial if ($value$plusargs(\"mutant=%%d\", mutant) == "
            "0) mutant = 0;\n");
    fprintf(f,
            "    %s_mutated u_mutated (\n        .mutsel(mutant[%d:0]), .clk_i, .rst_ni, "
            ".obs_addr_i, .obs_data_o",
            desc->name, SELECT_BITS - 1);
    for (int i = 0; i < n; i++)
        fprintf(f, ",\n        .%s_%c", ports[i].name, ports[i].dir == PORT_IN ? 'i' : 'o');
    fprintf(f, ");\nendmodule\n");
    return script_close(f, path, d);
}

bool mutate_rtl_prepare(Campaign *c, Diag *d) {
    const char *list = arena_printf(c->arena, "%s/list", c->dir);
    const char *mutated = arena_printf(c->arena, "%s/mutated.v", c->dir);
    const char *wrapper = arena_printf(c->arena, "%s/wrapper.sv", c->dir);
    c->base = arena_printf(c->arena, "%s/base.il", c->dir);
    if (!list_candidates(c, list, d) || !read_candidates(c, list, d)) return false;
    if (!write_mutated(c, mutated, d) || !write_wrapper(c, wrapper, d)) return false;
    c->rtl = arena_printf(c->arena, "%s,%s", wrapper, mutated);
    return true;
}
