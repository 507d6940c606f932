// SPDX-License-Identifier: Apache-2.0
// The text of a mismatch and the bundle directory.
#include "cosim/cosim_internal.h"

#include "base/output.h"
#include "cosim/state_compare.h"
#include "cosim/state_bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATE_LINES = 12 };  // differing addresses that are printed

// A 1024-bit difference: the words that differ, each with its byte slice and lanes.
static void print_row_difference(FILE *f, const Mismatch *m) {
    fprintf(f, "  differing 32-bit words of the 1024-bit value (slice = byte of each lane):\n");
    for (int w = 0; w < 32; w++) {
        if (m->expected[w] == m->actual[w]) continue;
        fprintf(f, "    bits %4d..%-4d slice %d lanes %2d..%-2d  expected 0x%08x  actual 0x%08x\n",
                32 * w + 31, 32 * w, w / 8, w % 8 * 4, w % 8 * 4 + 3, m->expected[w], m->actual[w]);
    }
    uint32_t expected[32], actual[32];
    rf_lanes_from_slices(expected, m->expected);
    rf_lanes_from_slices(actual, m->actual);
    int differ = 0;
    for (int l = 0; l < 32; l++) differ += expected[l] != actual[l];
    fprintf(f, "  as lane values, %d lane%s differ:\n", differ, differ == 1 ? "" : "s");
    int printed = 0;
    for (int l = 0; l < 32 && printed < 4; l++) {
        if (expected[l] == actual[l]) continue;
        fprintf(f, "    lane %2d  expected 0x%08x  actual 0x%08x\n", l, expected[l], actual[l]);
        printed++;
    }
    if (differ > printed) fprintf(f, "    (%d more)\n", differ - printed);
}

void mismatch_print_value(FILE *f, const Mismatch *m) {
    if (m->words == 1) {
        fprintf(f, "  expected (golden model) 0x%x\n  actual   (RTL)          0x%x\n",
                m->expected[0], m->actual[0]);
        return;
    }
    bool row = m->element >= 0;
    int high = 0;
    for (int w = 0; w < m->words; w++)
        if (m->expected[w] || m->actual[w]) high = w;
    if (row || high > 0) print_row_difference(f, m);
    else
        fprintf(f, "  expected (golden model) 0x%x\n  actual   (RTL)          0x%x\n",
                m->expected[0], m->actual[0]);
}

// Where in the state an observed difference is.
static void print_observed(FILE *f, const Cosim *c) {
    const Mismatch *m = &c->mismatch;
    const Instance *x = c->mismatch_block;
    char name[128];
    state_bit_name(x->desc, x->params, (StateBit){m->obs_addr, -1}, name, sizeof name);
    fprintf(f, "%s at observation address 0x%x%s%s%s", m->port, m->obs_addr, name[0] ? " (" : "",
            name, name[0] ? ")" : "");
}

// "that is: a; b; c" with one clause per line, so that a clause fits a line of a terminal.
static void print_clauses(FILE *f, const char *words) {
    fprintf(f, "  that is: ");
    for (const char *end; (end = strstr(words, "; ")); words = end + 2)
        fprintf(f, "%.*s;\n           ", (int)(end - words), words);
    fprintf(f, "%s\n", words);
}

static void print_place(FILE *f, const Cosim *c) {
    const Mismatch *m = &c->mismatch;
    const Instance *x = c->mismatch_block;
    if (c->rule) {
        fprintf(f,
                "mismatch: block %s, cycle %llu, the RTL stopped itself (instance rtl.%s)\n  %s\n",
                m->block, (unsigned long long)m->cycle, x->desc->name, c->rule);
        return;
    }
    fprintf(f, "mismatch: block %s, cycle %llu, ", m->block, (unsigned long long)m->cycle);
    if (m->element < 0) print_observed(f, c);
    else fprintf(f, "port %s_o[%d]", m->port, m->element);
    fprintf(f, " (instance rtl.%s)\n", x->desc->name);
    for (int i = 0; i < x->nports && m->element >= 0; i++)
        if (!strcmp(x->ports[i].name, m->port)) fprintf(f, "  meaning: %s\n", x->ports[i].meaning);
    if (c->decode) {
        char words[1024] = "";
        c->decode(c->decode_ctx, m, words, sizeof words);
        if (words[0]) print_clauses(f, words);
    }
}

static void print_origin(FILE *f, const Cosim *c) {
    const Instance *x = c->mismatch_block;
    fprintf(f, "\nparameters: ");
    for (int i = 0; i < x->desc->nparams; i++)
        fprintf(f, "%s%s=%d", i ? " " : "", x->desc->params[i].name, x->params[i]);
    fprintf(f, "\nmachine: %s, configuration hash %016llx\n",
            c->cfg->machine ? c->cfg->machine : "(none)", (unsigned long long)config_hash(c->cfg));
    if (x->rtl_files) fprintf(f, "RTL: %s (%s)\n", x->rtl_files, x->library_path);
    else fprintf(f, "RTL: %s\n", x->library_path ? x->library_path : "(none)");
    fprintf(f, "tools: %s\n", c->toolchain ? c->toolchain : "(none)");
    const char *line = c->options.command_line;
    if (!line) return;
    fprintf(f, "reproduce: %s\n", line);
    if (c->options.replay_line) fprintf(f, "replay:    %s\n", c->options.replay_line);
}

// Some of the words at one address that differ.
static void print_words(FILE *f, const uint32_t *golden, const uint32_t *rtl, int words) {
    int differ = 0;
    for (int w = 0; w < words; w++) {
        if (golden[w] == rtl[w] || differ++ >= 3) continue;
        if (words > 1) fprintf(f, "%s word %d", differ > 1 ? ";" : "", w);
        fprintf(f, " expected 0x%x actual 0x%x", golden[w], rtl[w]);
    }
    if (differ > 3) fprintf(f, "; %d more words", differ - 3);
}

// Names of the differing bits, if they are few, as a suffix of the word's name: "(busy, need 1)".
static void print_bits(FILE *f, const Instance *x, uint32_t addr, const char *word,
                       const uint32_t *golden, const uint32_t *rtl) {
    enum { FEW = 6 };
    int bits = 0, printed = 0;
    for (int w = 0; w < x->desc->model->obs_words; w++)
        bits += __builtin_popcount(golden[w] ^ rtl[w]);
    if (bits > FEW) return;
    for (int b = 0; b < 32 * x->desc->model->obs_words; b++) {
        char name[128];
        if (!((golden[b / 32] ^ rtl[b / 32]) >> (b % 32) & 1)) continue;
        state_bit_name(x->desc, x->params, (StateBit){addr, b}, name, sizeof name);
        size_t n = strlen(word);
        if (name[0])
            fprintf(f, "%s%s", printed++ ? ", " : " (",
                    !strncmp(name, word, n) ? name + n + (name[n] == ' ') : name);
    }
    if (printed) fputc(')', f);
}

// State words of the block that differ between the two sides, at most STATE_LINES addresses.
static void print_state(FILE *f, const Instance *x) {
    const BlockModel *model = x->desc->model;
    if (!x->golden || !x->rtl || !x->shim->observe) return;
    uint32_t count = model->obs_count(x->golden), golden[32] = {0}, rtl[32] = {0};
    int differ = 0;
    for (uint32_t addr = 0; addr < count; addr++) {
        model->observe(x->golden, addr, golden);
        x->shim->observe(x->rtl, addr, rtl);
        if (!memcmp(golden, rtl, (size_t)model->obs_words * sizeof *golden)) continue;
        if (differ++ >= STATE_LINES) continue;
        char name[128];
        state_bit_name(x->desc, x->params, (StateBit){addr, -1}, name, sizeof name);
        fprintf(f, "  0x%x%s%s:", addr, name[0] ? " " : "", name);
        print_words(f, golden, rtl, model->obs_words);
        print_bits(f, x, addr, name, golden, rtl);
        fputc('\n', f);
    }
    if (differ > STATE_LINES)
        fprintf(f, "  (%d more of %u addresses)\n", differ - STATE_LINES, count);
}

void mismatch_keep_state(Cosim *c) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) panic("out of memory");
    print_state(f, c->mismatch_block);
    fclose(f);
    c->mismatch_state = arena_strndup(c->arena, text, size);
    free(text);
}

static void print_history(FILE *f, const Instance *x, int transactions) {
    int kept = x->history.used < transactions ? x->history.used : transactions;
    if (!kept) return;
    fprintf(f, "\nlast %d cycles with activity at %s (> marks outputs of the golden model):\n",
            kept, x->desc->name);
    history_print(f, x, kept);
}

static void print_mismatch(FILE *f, Cosim *c, int transactions) {
    const Instance *x = c->mismatch_block;
    print_place(f, c);
    if (!c->rule) mismatch_print_value(f, &c->mismatch);
    fault_print(f, c);
    print_origin(f, c);
    if (c->mismatch_state[0])
        fprintf(f, "\nstate of %s that differs in cycle %llu:\n%s", x->desc->name,
                (unsigned long long)c->mismatch.cycle, c->mismatch_state);
    print_history(f, x, transactions);
}

void cosim_print_history(FILE *f, const Cosim *c) {
    if (c->mismatched)
        print_history(f, c->mismatch_block, c->options.history > 0 ? c->options.history : 32);
}

static char *text_of(Cosim *c, int transactions) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) panic("out of memory");
    print_mismatch(f, c, transactions);
    fclose(f);
    char *copy = arena_strndup(c->arena, text, size);
    free(text);
    return copy;
}

static bool copy_bytes(const char *from, FILE *out) {
    FILE *in = fopen(from, "rb");
    char buffer[65536];
    bool ok = in;
    for (size_t n; ok && (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        ok = fwrite(buffer, 1, n, out) == n;
    if (in) ok = !ferror(in) && ok, fclose(in);
    return ok;
}

static bool link_or_copy(Arena *arena, const char *from, const char *to, Diag *d) {
    Output o;
    if (access(from, R_OK))
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be read: %s", from, strerror(errno));
    unlink(to);
    if (link(from, to) == 0) return true;
    FILE *out = output_open(&o, arena, to, d);
    return out && output_close(&o, out, copy_bytes(from, out), d);
}

// Links or copies the finished wave into the bundle, and writes its save file there.
static bool bundle_wave(const Cosim *c, const char *dir, Diag *d) {
    const char *wave = wave_path(c);
    if (!wave || !cosim_has_wave(c)) return true;
    char *to = arena_printf(c->arena, "%s/mismatch.fst", dir);
    return link_or_copy(c->arena, wave, to, d) &&
        wave_save_file(c, arena_printf(c->arena, "%s/mismatch.gtkw", dir), "mismatch.fst", d);
}

static bool bundle_config(const Cosim *c, const char *dir, Diag *d) {
    Output o;
    FILE *f = output_open(&o, c->arena, arena_printf(c->arena, "%s/config.yaml", dir), d);
    if (!f) return false;
    config_print(f, c->cfg);
    return output_close(&o, f, true, d);
}

// Each file is complete or absent. Returns a line per missing file; "": none is missing.
static const char *bundle_write(Cosim *c, const char *text) {
    const char *dir = c->options.bundle_dir;
    Diag failed[3] = {0};
    if (!output_folders(dir))
        return arena_printf(c->arena, "\n%s: cannot be made: %s", dir, strerror(errno));
    // Remove the files of an earlier mismatch.
    static const char *const names[] = {"mismatch.txt",  "config.yaml", "mismatch.fst",
                                        "mismatch.gtkw", "replay.yaml", "stimulus.txt",
                                        "shrunk.txt",    "shrunk.fst",  "shrunk.gtkw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(arena_printf(c->arena, "%s/%s", dir, names[i]));
    output_text(arena_printf(c->arena, "%s/mismatch.txt", dir), text, strlen(text), &failed[0]);
    bundle_config(c, dir, &failed[1]);
    bundle_wave(c, dir, &failed[2]);
    const char *missing = "";
    for (size_t i = 0; i < sizeof failed / sizeof *failed; i++)
        if (!diag_ok(&failed[i]))
            missing = arena_printf(c->arena, "%s\n%s", missing, failed[i].text);
    return missing;
}

// A Diag has limited space, so it receives as many of the newest transactions as fit.
bool mismatch_report(Cosim *c, const char *wave_error, Diag *d) {
    char *text = text_of(c, c->options.history > 0 ? c->options.history : 32);
    const char *where = "";
    if (c->options.bundle_dir) {
        const char *missing = bundle_write(c, text);
        where = *missing ? arena_printf(c->arena, "\nthe bundle %s is not complete:%s",
                                        c->options.bundle_dir, missing)
                         : arena_printf(c->arena, "\nbundle: %s", c->options.bundle_dir);
    }
    if (wave_error[0]) where = arena_printf(c->arena, "%s\n%s", where, wave_error);
    const size_t taken = strlen(where) + 1,
                 room = sizeof d->text > taken ? sizeof d->text - taken : 0;
    for (int n = 24; strlen(text) > room && n >= 0; n--) text = text_of(c, n);
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n') text[--length] = '\0';
    return diag_fail(d, EXIT_MISMATCH, "%s%s", text, where);
}
