// SPDX-License-Identifier: Apache-2.0
// Compares the papers' storage of the systems with the registers and memories that Yosys finds in
// our RTL at the papers' sizes. Also compares the papers' logic area with ours, scaled by the
// square of the node.
#include "synth/synth_internal.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

// One term of a sum: state of a module, all of it or of the registers and memories whose name ends
// in `part`.
typedef struct Term {
    const char *module, *params, *part;
    int times;
} Term;

typedef struct Figure {
    const char *system, *what;
    long paper;  // bits
    Term terms[3];
    const char *why;
} Figure;

static const Figure figures[] = {
    {"P-mode",
     "P-queues, 48 x 334",
     48 * 334,
     {{"p_queue", "", NULL, 1}, {"p_queue", "", "pred_q", -1}},
     "per entry a sequence number (8), a second register (7) with its ready bit, predicates said "
     "to come and ready (2); a bit "
     "that says that the warp drains; Yosys pads some arrays that are reset to 64 rows"},
    {"P-mode",
     "predicate results in the P-queues",
     0,
     {{"p_queue", "", "pred_q", 1}},
     "PTX lives on predicates: two of 32 lanes per entry"},
    {"P-mode",
     "N- and P-rename tables, 48 x 1008",
     48 * 1008,
     {{"pmode_rename", "", NULL, 1}},
     "a bit more per register (own_q) and two per warp"},
    {"P-mode",
     "availability vector",
     128,
     {{"avail_vector", "", NULL, 1}},
     "two more bits per register (a write is pending; the register is free after it) and the "
     "number "
     "of registers that the launch uses itself"},
    {"P-mode",
     "P-scoreboard, 48 x 126",
     48 * 126,
     {{"dual_scoreboard", "", "p_pend_q", 1}, {"dual_scoreboard", "", "p_long_q", 1}},
     "as the paper's; the N-scoreboard is the baseline's"},
    {"P-mode",
     "long bits of the N-scoreboard",
     0,
     {{"dual_scoreboard", "", "n_long_q", 1}},
     "described by the paper, not in its sum"},
    {"P-mode",
     "scoreboards of predicates",
     0,
     {{"dual_scoreboard", "", "pn_wait_q", 1},
      {"dual_scoreboard", "", "pp_wait_q", 1},
      {"dual_scoreboard", "", "pp_skip_q", 1}},
     "7 columns; no load writes one, so N has no long bit"},
    {"P-mode",
     "mode and trigger",
     0,
     {{"dual_scoreboard", "", "trig_q", 1}, {"dual_scoreboard", "", "mode_q", 1}},
     "the paper does not count the mode bit and the register whose arrival ends P-mode"},
    {"P-mode",
     "P-SIMT stack, 48 x 768",
     48 * 768,
     {{NULL, NULL, NULL, 0}},
     "not RTL of ours: the stacks are in the SM model"},
    {"P-mode",
     "P-predicates, counters, flags",
     0,
     {{NULL, NULL, NULL, 0}},
     "not RTL of ours: 7 x 32 predicates, two sequence counters of 8 bits, four flags per warp are "
     "in the SM model: 11712 bits"},
    {"CORF",
     "rename table, 3024 x 14",
     3024 * 14,
     {{"rename_table", "", NULL, 1}},
     "4 banks of 768 rows: 48 spare; a live bit per row, which makes a reset possible; registers "
     "of the stages"},
    {"CORF",
     "rename table, memory alone",
     3024 * 14,
     {{"rename_table", "", "mem_q", 1}},
     "4 banks of 768 rows: 48 spare"},
    {"CORF",
     "free register map, 1024 x 4",
     1024 * 4,
     {{"alloc_bank", "", "mem_q", 4}},
     "a fifth bit per register: one that is reserved for the other half of a pair"},
    {"CORF",
     "the rest of the banks' allocation",
     0,
     {{"alloc_bank", "", NULL, 4}, {"alloc_bank", "", "mem_q", -4}},
     "the paper counts none: the open rows of each bank, which of the words have a free register, "
     "registers of the stages"},
    {"BOW",
     "one BOC, 12 entries",
     12 * 1024,
     {{"boc_rows", "Values=12", "row_q", 1}},
     "as the paper's"},
    {"BOW",
     "all BOCs over baseline collectors",
     36 * 8192,
     {{"boc_rows", "Values=12", "row_q", 32}, {"boc_rows", "Values=3", "row_q", -32}},
     "as the paper's"},
    {"BOW",
     "the same, half size",
     12 * 8192,
     {{"boc_rows", "Values=6", "row_q", 32}, {"boc_rows", "Values=3", "row_q", -32}},
     "as the paper's"},
    {"BOW",
     "control of all BOCs",
     0,
     {{"boc", "Window=3,Values=12", NULL, 32}, {"boc_rows", "Values=12", "row_q", -32}},
     "the paper counts none: registers of the rows, their states, last uses, slots"},
    {"RegMutex",
     "status, bit mask, LUT",
     384,
     {{"srp_allocator", "", NULL, 1}},
     "one bit chooses paired warps"},
    {"LARF",
     "address mapping table, 400 x 83",
     400 * 83,
     {{"addr_map_table", "", NULL, 1}},
     "384 entries of the paper's bits (register numbers of 10), valid and data bits, the queue of "
     "stores, four stages"},
};

// Registers and memories of a module: names and bits.
typedef struct State {
    const char *module, *params, **names;
    long *bits;
    int n;
} State;

static long int_param(json_t *cell, const char *name) {
    const char *text =
        json_string_value(json_object_get(json_object_get(cell, "parameters"), name));
    return text ? strtol(text, NULL, 2) : 0;
}

static bool count_script(Arena *arena, const char *dir, const Term *t, const SynthRequest *base,
                         Diag *d) {
    RtlFiles files;
    const char *path = arena_printf(arena, "%s/count.ys", dir);
    if (!rtl_files(arena, base->data_dir, t->module, NULL, &files, d)) return false;
    FILE *f = synth_create(path, d);
    if (!f) return false;
    rtl_read_verilog(f, &files, "");
    if (t->params[0]) {
        fprintf(f, "\nchparam");
        for (const char *p = t->params; *p; p += strcspn(p, ","), p += *p == ',')
            fprintf(f, " -set %.*s %d", (int)strcspn(p, "="), p, atoi(p + strcspn(p, "=") + 1));
        fprintf(f, " %s", t->module);
    }
    fprintf(f,
            "\nhierarchy -check -top %s\nproc\nflatten\nopt_expr\nopt_clean\nopt\nmemory "
            "-nomap\nopt_clean\n"
            "rename -wire -suffix _reg t:$*dff*\njson -o %s/count.json t:$mem_v2 t:$*dff*\n",
            t->module, dir);
    return synth_close(f, path, d);
}

static bool count_state(State *s, Arena *arena, const Term *t, const SynthRequest *base, Diag *d) {
    json_error_t error;
    json_t *root = NULL, *module, *cell;
    const char *key, *name;
    int cap_names = 0, cap_bits = 0, nbits = 0;
    *s = (State){.module = t->module, .params = t->params};
    char *dir = tool_folder(arena, d);
    bool good = dir && count_script(arena, dir, t, base, d) &&
        synth_tool(arena, "yosys", "count.ys", dir, t->module, false, d);
    if (good && !(root = json_load_file(arena_printf(arena, "%s/count.json", dir), 0, &error)))
        good = diag_fail(d, EXIT_ENVIRONMENT, "count.json: %s", error.text);
    json_object_foreach(json_object_get(root, "modules"), key, module)
        json_object_foreach(json_object_get(module, "cells"), name, cell) {
        const long width = int_param(cell, "WIDTH"), words = int_param(cell, "SIZE");
        const bool memory = !strcmp(json_string_value(json_object_get(cell, "type")), "$mem_v2");
        *ARENA_PUSH(arena, s->names, s->n, cap_names) = arena_strndup(arena, name, strlen(name));
        *ARENA_PUSH(arena, s->bits, nbits, cap_bits) = memory ? width * words : width;
    }
    json_decref(root);
    tool_remove(dir);
    return good;
}

// Does "g_warp[3].p_pend_q_reg" or "p_pend_q[3]_reg" name the part p_pend_q?
static bool is_part(const char *name, const char *part) {
    const size_t n = strlen(part);
    for (const char *at = name; (at = strstr(at, part)); at++) {
        const bool begins = at == name || at[-1] == '.' || at[-1] == '\\' || at[-1] == ']';
        if (begins && (!at[n] || at[n] == '[' || !strncmp(at + n, "_reg", 4))) return true;
    }
    return false;
}

static long bits_of(const State *s, const char *part) {
    long sum = 0;
    for (int i = 0; i < s->n; i++)
        if (!part || is_part(s->names[i], part)) sum += s->bits[i];
    return sum;
}

// The counts, each module and shape counted once.
typedef struct Counts {
    State states[64];
    int n;
} Counts;

static bool sum_terms(const Figure *f, Counts *c, Arena *arena, const SynthRequest *base, long *sum,
                      Diag *d) {
    *sum = 0;
    for (int i = 0; i < 3 && f->terms[i].module; i++) {
        const Term *t = &f->terms[i];
        int k = 0;
        while (k < c->n &&
               (strcmp(c->states[k].module, t->module) || strcmp(c->states[k].params, t->params)))
            k++;
        if (k == c->n && !count_state(&c->states[c->n++], arena, t, base, d)) return false;
        *sum += t->times * bits_of(&c->states[k], t->part);
    }
    return true;
}

static void print_figure(FILE *f, json_t *list, const char *system, const char *what, long paper,
                         long ours, bool rtl, const char *why) {
    char ratio[16] = "-", mine[24] = "-";
    if (rtl) snprintf(mine, sizeof mine, "%ld", ours);
    if (rtl && paper) snprintf(ratio, sizeof ratio, "%.2f", (double)ours / (double)paper);
    if (f) fprintf(f, "%-9s %-36s %10ld %10s %6s  %s\n", system, what, paper, mine, ratio, why);
    if (f) fflush(f);
    json_t *o = json_pack("{s:s, s:s, s:I, s:s}", "system", system, "what", what, "paper_bits",
                          (json_int_t)paper, "why", why);
    if (rtl) json_object_set_new(o, "our_bits", json_integer(ours));
    json_array_append_new(list, o);
}

// CORF's logic. The paper's synthesis at 45 nm has 0.05 mm2.
static bool logic_area(FILE *f, json_t **area, Arena *arena, const SynthRequest *base, Diag *d) {
    static const char *const blocks[] = {"width_detect", "packer", "unpacker", "coalescer",
                                         "alloc_unit"};
    const double paper = 0.05e6, node = 45;
    double sum = 0;
    long flops = 0, memories = 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        SynthRequest r = *base;
        SynthResult x;
        int params[BLOCK_MAX_PARAMS];
        r.desc = block_desc_find(blocks[i]);
        for (int k = 0; k < r.desc->nparams; k++) params[k] = r.desc->params[k].def;
        r.params = params, r.flatten = FLATTEN_ON, r.bottom_up = !strcmp(blocks[i], "alloc_unit");
        if (!synth_block(&x, arena, &r, d)) return false;
        sum += x.area, flops += x.flops, memories += x.macro_bits;
        if (f)
            fprintf(f, "  %-14s %9.0f um2, %6.0f gates, %5ld flip-flops\n", blocks[i], x.area,
                    x.gates, x.flops);
    }
    const double scale =
        base->liberty->nm ? node * node / ((double)base->liberty->nm * base->liberty->nm) : 0;
    if (f && scale > 0)
        fprintf(f,
                "CORF logic with allocation: %.0f um2 in %s, %.4f mm2 scaled to 45 nm; paper: %.2f "
                "mm2; ratio %.2f\n"
                "  cells alone: free map and hints are memories, %ld bits that are not in this "
                "sum; in flip-flops are the open rows and the\n"
                "  scanner of each bank; ours moves 1024-bit values at 2 writers and 4 rows per "
                "cycle; no wires, no energy-optimal sizing\n",
                sum, base->liberty->name, sum * scale * 1e-6, paper * 1e-6, sum * scale / paper,
                memories);
    *area = json_pack("{s:f, s:I, s:I, s:f, s:f}", "our_um2", sum, "our_flip_flops",
                      (json_int_t)flops, "our_memory_bits", (json_int_t)memories, "our_um2_at_45nm",
                      sum * scale, "paper_um2", paper);
    return true;
}

bool synth_overheads(FILE *f, const char *json, Arena *arena, const SynthRequest *base, Diag *d) {
    Counts *c = ARENA_NEW(arena, Counts);
    json_t *list = json_array(), *area = NULL;
    long pmode_paper = 0, pmode_ours = 0;
    bool good = true;
    if (json && !strcmp(json, "-")) f = NULL;
    if (f)
        fprintf(f, "%-9s %-36s %10s %10s %6s  %s\n", "system", "structure", "paper bit", "ours bit",
                "ratio", "why it differs");
    for (size_t i = 0; i < sizeof figures / sizeof *figures && good; i++) {
        const Figure *g = &figures[i];
        long ours;
        good = sum_terms(g, c, arena, base, &ours, d);
        if (!good) break;
        print_figure(f, list, g->system, g->what, g->paper, ours, g->terms[0].module != NULL,
                     g->why);
        if (!strcmp(g->system, "P-mode"))
            pmode_paper += g->paper, pmode_ours += g->terms[0].module ? ours : g->paper;
        if (!strcmp(g->system, "P-mode") && strcmp(figures[i + 1].system, "P-mode")) {
            print_figure(f, list, "P-mode", "all structures of an SM", pmode_paper, pmode_ours,
                         true, "the paper's 13.1 KB; ours with the paper's SIMT stacks");
        }
    }
    good = good && logic_area(f, &area, arena, base, d);
    json_t *o = json_pack("{s:o, s:o*}", "storage", list, "corf_logic", area);
    if (good && json) {
        const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(10);
        good = json_write(json, o, flags, d);
    }
    json_decref(o);
    return good;
}
