// SPDX-License-Identifier: Apache-2.0
// One block under Icarus: compiled once, stimuli replayed on it. For each cycle a replay file holds
// the inputs, the golden model's outputs, and the mask of compared elements.
#include "verify/fourstate_internal.h"

#include "base/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COMPILE_SECONDS = 300, REPLAY_SECONDS = 900 };

struct FourState {
    Arena arena;
    FourStateOptions o;
    const BlockStim *stim;
    Layout layout;
    char *folder, *vvp;
    NetlistSize size;
};

// ---- compiling ----------------------------------------------------------------------------------

static bool write_bench(FourState *f, const char *path, bool fault_port, Diag *d) {
    FILE *file = fopen(path, "w");
    if (!file) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
    bench_write(file, f->o.desc, f->o.params, &f->layout, !f->o.netlist, fault_port);
    const bool bad = ferror(file) != 0;
    if (fclose(file) || bad) return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written", path);
    return true;
}

static bool keep_copy(Arena *arena, const char *from, const char *to, Diag *d) {
    char *text;
    size_t n;
    if (!file_read(arena, from, &text, &n, d)) return false;
    return output_text(to, text, n, d);
}

static bool find_sources(FourState *f, RtlFiles *files, Diag *d) {
    const FourStateOptions *o = &f->o;
    if (!o->netlist) return rtl_files(&f->arena, o->data_dir, o->desc->name, o->rtl, files, d);
    if (o->gates) {
        int n = 0;
        for (const char *const *p = o->gates; *p; p++) n++;
        *files = (RtlFiles){.paths = ARENA_ARRAY(&f->arena, const char *, n), .n = n};
        for (int i = 0; i < n; i++)
            if (!(files->paths[i] =
                      tool_link(&f->arena, f->folder, arena_printf(&f->arena, "gates%d.v", i),
                                o->gates[i], d)))
                return false;
        return true;
    }
    const NetlistRequest r = {.desc = o->desc,
                              .params = o->params,
                              .testbug = o->testbug,
                              .rtl = o->rtl,
                              .data_dir = o->data_dir,
                              .work_dir = f->folder};
    const char *path = arena_printf(&f->arena, "%s/netlist.v", f->folder);
    if (!netlist_make(&f->arena, &r, path, &f->size, d)) return false;
    if (o->netlist_file && !keep_copy(&f->arena, path, o->netlist_file, d)) return false;
    *files = (RtlFiles){.paths = ARENA_NEW(&f->arena, const char *), .n = 1};
    files->paths[0] = path;
    return true;
}

static bool compile_bench(FourState *f, Diag *d) {
    RtlFiles files;
    const bool testbug = f->o.testbug && !f->o.netlist;
    const char *bench = arena_printf(&f->arena, "%s/bench.v", f->folder);
    const char *log = arena_printf(&f->arena, "%s/iverilog.log", f->folder);
    if (!find_sources(f, &files, d)) return false;
    if (testbug && !rtl_seed(&f->arena, f->o.data_dir, f->o.desc->name, f->folder, 0, &files, d))
        return false;
    if (!write_bench(f, bench, testbug && files.fault_port, d)) return false;
    f->vvp = arena_printf(&f->arena, "%s/sim.vvp", f->folder);
    const char *argv[256] = {"iverilog", "-g2012", "-s", "smcosim_bench", "-o", f->vvp};
    int n = 6;
    // the spelling in which bits can be flipped
    if (testbug) argv[n++] = "-DTESTBUG", argv[n++] = "-DRF_MERGE";
    argv[n++] = arena_printf(&f->arena, "-I%s/rtl", f->o.data_dir);
    argv[n++] = bench;
    panic_if(n + files.n > 255, "%s: too many RTL files", f->o.desc->name);
    for (int i = 0; i < files.n; i++) argv[n++] = files.paths[i];
    const int status = tool_run(argv, log, COMPILE_SECONDS);
    if (status == 0) return true;
    if (!tool_ended(status, f->o.desc->name, "iverilog", "iverilog", COMPILE_SECONDS, d))
        return false;
    return diag_fail(d, f->o.rtl ? EXIT_USAGE : EXIT_ENVIRONMENT,
                     "block %s: iverilog does not accept it, %s", f->o.desc->name,
                     tool_last_words(&f->arena, status, log, 20));
}

FourState *fourstate_open(const FourStateOptions *o, Diag *d) {
    Arena arena = {0};
    FourState *f = ARENA_NEW(&arena, FourState);
    f->arena = arena;
    f->o = *o;
    int *params = ARENA_ARRAY(&f->arena, int, BLOCK_MAX_PARAMS);
    memcpy(params, o->params, sizeof *params * (size_t)o->desc->nparams);
    f->o.params = params;
    f->stim = block_stim(o->desc->name);
    layout_init(&f->layout, o->desc, params);
    f->folder = tool_folder(&f->arena, d);
    if (f->folder && compile_bench(f, d)) return f;
    fourstate_close(f);
    return NULL;
}

void fourstate_close(FourState *f) {
    if (!f) return;
    tool_remove(f->folder);
    Arena arena = f->arena;  // f is on its own arena
    arena_free(&arena);
}

const NetlistSize *fourstate_netlist(const FourState *f) { return f->o.netlist ? &f->size : NULL; }

// ---- the replay file ----------------------------------------------------------------------------

// A bit vector, lowest bit first; `bits` are in use.
typedef struct Bits {
    uint32_t *words;
    int bits;
} Bits;

static void bits_add(Bits *b, uint32_t value, int width) {
    const int word = b->bits / 32, shift = b->bits % 32;
    if (width < 32) value &= (1u << width) - 1;
    if (shift == 0) b->words[word] = value;
    else {
        b->words[word] |= value << shift;
        if (shift + width > 32) b->words[word + 1] = value >> (32 - shift);
    }
    b->bits += width;
}

static void bits_element(Bits *b, const Port *p, const uint32_t *value, bool shown) {
    for (int i = 0; i < p->words; i++)
        bits_add(b, shown ? value[i] : 0, p->words == 1 ? p->width : 32);
}

static void bits_print(FILE *f, const Bits *b, char end) {
    char text[4096];
    int n = 0;
    for (int i = (b->bits + 3) / 4 - 1; i >= 0; i--) {
        text[n++] = "0123456789abcdef"[b->words[i / 8] >> 4 * (i % 8) & 15];
        if (n == sizeof text) fwrite(text, 1, sizeof text, f), n = 0;
    }
    fwrite(text, 1, (size_t)n, f);
    fputc(end, f);
}

// A replay being written.
typedef struct Replay {
    FILE *file;
    const Layout *l;
    Bits in, out, shown;
    uint64_t lines, cycles, compared, worked;
} Replay;

static void write_line(Replay *w, ReplayKind kind, const void *in, const void *out) {
    const Layout *l = w->l;
    bool any_when = false, work = false;
    w->in.bits = w->out.bits = w->shown.bits = 0;
    for (int i = 0; i < l->nports; i++) {
        const Port *p = &l->ports[i];
        for (int e = 0; e < p->count; e++) {
            if (p->dir == PORT_IN) {
                bits_element(&w->in, p, port_element(p, in, e), true);
                continue;
            }
            const bool shown =
                kind == REPLAY_COMPARE && (p->valid < 0 || port_bit(&l->ports[p->valid], out, e));
            bits_element(&w->out, p, port_element(p, out, e), shown);
            bits_add(&w->shown, shown, 1);
            any_when |= p->cls == PORT_WHEN;
            w->compared += shown && p->cls == PORT_WHEN;
            work |= shown && p->cls == PORT_WORK && *port_element(p, out, e);
        }
    }
    w->compared += kind == REPLAY_COMPARE && !any_when;
    w->worked += work;
    w->cycles += kind == REPLAY_COMPARE;
    w->lines++;
    fprintf(w->file, "%d ", kind);
    bits_print(w->file, &w->in, ' ');
    bits_print(w->file, &w->out, ' ');
    bits_print(w->file, &w->shown, '\n');
}

static void write_fill(Replay *w, const FourState *f, void *in, void *out) {
    void *environment = f->stim->open(f->o.params);
    panic_if(!environment, "out of memory");
    for (uint32_t i = 0;; i++) {
        memset(in, 0, f->o.desc->in_size);
        if (!f->stim->fill || !f->stim->fill(environment, i, in)) break;
        write_line(w, REPLAY_SILENT, in, out);
    }
    f->stim->close(environment);
}

// Everything before record 0: a reset, memories filled, another reset. Returns the lines written.
static void write_replay(Replay *w, const FourState *f, const Stimulus *s, uint64_t *before) {
    const BlockModel *model = f->o.desc->model;
    void *in = calloc(1, f->o.desc->in_size), *out = calloc(1, f->o.desc->out_size),
         *golden = model->open(f->o.params);
    panic_if(!in || !out || !golden, "out of memory");
    write_line(w, REPLAY_RESET, in, out);
    write_fill(w, f, in, out);
    memset(in, 0, f->o.desc->in_size);
    write_line(w, REPLAY_RESET, in, out);
    *before = w->lines;
    model->reset(golden);
    for (size_t i = 0; i < s->ncycles; i++) {
        if (stimulus_get(s, i, in)) {
            write_line(w, REPLAY_RESET, in, out);
            model->reset(golden);
            continue;
        }
        model->eval(golden, in, out);
        write_line(w, REPLAY_COMPARE, in, out);
        model->tick(golden, in);
    }
    model->close(golden);
    free(in);
    free(out);
}

static bool make_replay(FourState *f, Arena *arena, const Stimulus *s, const char *path, Replay *w,
                        uint64_t *before, Diag *d) {
    const Layout *l = &f->layout;
    *w = (Replay){.file = fopen(path, "w"), .l = l};
    if (!w->file) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", path, strerror(errno));
    w->in.words = ARENA_ARRAY(arena, uint32_t, l->in_bits / 32 + 2);
    w->out.words = ARENA_ARRAY(arena, uint32_t, l->out_bits / 32 + 2);
    w->shown.words = ARENA_ARRAY(arena, uint32_t, l->out_elements / 32 + 2);
    write_replay(w, f, s, before);
    const bool bad = ferror(w->file) != 0;
    if (fclose(w->file) || bad)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written", path);
    return true;
}

// ---- running ------------------------------------------------------------------------------------

// "1011" as 0xb; as it is when a bit is X or Z.
static void value_text(char *to, size_t size, const char *bits) {
    const size_t n = strlen(bits);
    if (strspn(bits, "01") != n) {
        snprintf(to, size, "%zu'b%s", n, bits);
        return;
    }
    size_t used = (size_t)snprintf(to, size, "0x");
    for (size_t i = 0; i < n;) {
        const size_t take = (n - i) % 4 ? (n - i) % 4 : 4;
        int digit = 0;
        for (size_t k = 0; k < take; k++) digit = digit * 2 + (bits[i + k] == '1');
        if (used + 1 < size) to[used++] = "0123456789abcdef"[digit];
        i += take;
    }
    to[used] = '\0';
}

static bool read_verdict(FourState *f, const char *text, const Replay *w, uint64_t before,
                         FourStateResult *r) {
    unsigned long long cycle;
    int port, element;
    char expected[1100], found[1100];
    const char *line = strstr(text, "differs ");
    if (line &&
        sscanf(line, "differs %llu %d %d %1099s %1099s", &cycle, &port, &element, expected,
               found) == 5) {
        if (port < 0 || port >= f->layout.nports || cycle < before) return false;
        r->differs = true;
        r->port = &f->layout.ports[port];
        r->element = element;
        r->cycle = cycle - before;
        r->unknown = strspn(found, "01") != strlen(found);
        value_text(r->expected, sizeof r->expected, expected);
        value_text(r->found, sizeof r->found, found);
        return true;
    }
    line = strstr(text, "agree ");
    return line && sscanf(line, "agree %llu", &cycle) == 1 && cycle == w->lines;
}

bool fourstate_replay(FourState *f, const Stimulus *s, int lane, FourStateResult *r, Diag *d) {
    Arena arena = {0};
    Replay w;
    uint64_t before = 0;
    const char *path = arena_printf(&arena, "%s/replay-%d", f->folder, lane);
    const char *log = arena_printf(&arena, "%s/vvp-%d.log", f->folder, lane);
    *r = (FourStateResult){0};
    bool good = make_replay(f, &arena, s, path, &w, &before, d);
    if (good) {
        const char *argv[6] = {"vvp", "-n", f->vvp, arena_printf(&arena, "+replay=%s", path)};
        if (f->o.testbug && !f->o.netlist)
            argv[4] = arena_printf(&arena, "+testbug=%d", f->o.testbug);
        const int status = tool_run(argv, log, REPLAY_SECONDS);
        r->cycles = w.cycles;
        r->compared = w.compared;
        r->worked = w.worked;
        if (status && !tool_ended(status, f->o.desc->name, "vvp", "iverilog", REPLAY_SECONDS, d))
            good = false;
        else if (!read_verdict(f, tool_log(&arena, log, 200), &w, before, r))
            good = diag_fail(d, EXIT_ENVIRONMENT, "block %s: vvp reached no verdict, %s",
                             f->o.desc->name, tool_last_words(&arena, status, log, 10));
    }
    remove(path);
    arena_free(&arena);
    return good;
}
