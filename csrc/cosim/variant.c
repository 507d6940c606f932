// SPDX-License-Identifier: Apache-2.0
// Loads the shared Verilator runtime and the Verilated variants of blocks. If a variant does not
// exist, verilate.sh makes it.
#include "cosim/cosim_internal.h"

#include "base/plain.h"
#include "cosim/memo.h"
#include "cosim/stims.h"
#include "cosim/variant.h"
#include "proc/child.h"
#include "proc/clock.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *read_line_of(Arena *arena, const char *path, const char *key) {
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    char line[2048], *found = NULL;
    size_t n = strlen(key);
    while (!found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, key, n) && line[n] == '=')
            found = arena_printf(arena, "%s", line + n + 1);
    }
    fclose(f);
    return found;
}

static void *symbol_of(void *library, const char *path, const char *name, Diag *d) {
    void *symbol = dlsym(library, name);
    if (!symbol)
        diag_fail(d, EXIT_ENVIRONMENT, "%s: not made by this version of smcosim (no %s)", path,
                  name);
    return symbol;
}

const RuntimeApi *runtime_open(Arena *arena, const char *data_dir, const char **toolchain,
                               Diag *d) {
    if (!data_dir)
        return diag_fail(d, EXIT_ENVIRONMENT, "no data folder was given for the RTL"), NULL;
    char *dir = arena_printf(arena, "%s/variants", data_dir);
    char *path = arena_printf(arena, "%s/libsmcosim_rt.so", dir);
    if (toolchain)
        *toolchain = read_line_of(arena, arena_printf(arena, "%s/toolchain", dir), "version");
    // Global: the variants find the Verilator runtime in it.
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return diag_fail(d, EXIT_ENVIRONMENT, "the Verilator runtime cannot be loaded: %s",
                         dlerror()),
               NULL;
    RuntimeEntry *entry;
    *(void **)&entry = symbol_of(library, path, RUNTIME_ENTRY, d);
    if (!entry) return NULL;
    const RuntimeApi *runtime = entry();
    if (runtime->abi == RUNTIME_ABI) return runtime;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: made by another version of smcosim", path), NULL;
}

bool runtime_load(Cosim *c, Diag *d) {
    c->runtime = runtime_open(c->arena, c->options.data_dir, &c->toolchain, d);
    if (!c->runtime) return false;
    const char **arguments = NULL;
    int n = 0, cap = 0;
    for (const char *const *p = c->options.plusargs; p && *p; p++)
        *ARENA_PUSH(c->arena, arguments, n, cap) = arena_printf(c->arena, "+%s", *p);
    for (int i = 0; i < c->nblocks; i++)
        if (c->blocks[i]->testbug)
            *ARENA_PUSH(c->arena, arguments, n, cap) =
                arena_printf(c->arena, "+testbug=%d", c->blocks[i]->testbug);
    c->context = c->runtime->context_open(n, arguments);
    c->errors_seen = *c->runtime->error_count;
    return true;
}

// --- running verilate.sh
// ----------------------------------------------------------------------------------

typedef struct Arguments {
    char *items[256];
    int n;
} Arguments;

static void add_argument(Arguments *a, char *item) {
    panic_if(a->n + 1 >= (int)(sizeof a->items / sizeof *a->items), "too many arguments");
    a->items[a->n++] = item;
}

static void add_option(Arena *arena, Arguments *a, const char *option, const char *value) {
    add_argument(a, arena_printf(arena, "%s", option));
    add_argument(a, arena_printf(arena, "%s", value));
}

static void build_arguments(Arguments *a, Arena *arena, const VariantRequest *r, bool find) {
    const BlockDesc *desc = r->desc;
    add_argument(a, "sh");
    add_argument(a, arena_printf(arena, "%s/cosim/verilate.sh", r->data_dir));
    add_option(arena, a, "--data", r->data_dir);
    char *have = arena_printf(arena, "%s/variants", r->data_dir);
    add_option(arena, a, "--toolchain", arena_printf(arena, "%s/toolchain", have));
    add_option(arena, a, "--have", have);
    add_option(arena, a, "--out", r->out_dir ? r->out_dir : have);
    add_option(arena, a, "--block", desc->name);
    add_option(arena, a, "--upper", desc->upper);
    add_option(arena, a, "--camel", desc->camel);
    add_option(arena, a, "--obs", arena_printf(arena, "%d", desc->model->obs_words));
    if (r->testbug) add_argument(a, "--testbug");
    if (r->cover) add_argument(a, "--cover");
    if (r->flat) add_argument(a, "--flat");
    if (find) add_argument(a, "--find");
    for (const char *p = r->rtl; p && *p; p += strcspn(p, ","), p += *p == ',') {
        add_argument(a, arena_printf(arena, "--rtl"));
        add_argument(a, arena_strndup(arena, p, strcspn(p, ",")));
    }
    for (int i = 0; i < desc->nparams; i++)
        add_option(arena, a, "--param",
                   arena_printf(arena, "%s=%d", desc->params[i].name, r->params[i]));
    Port ports[BLOCK_MAX_PORTS];
    int n = block_ports(desc, r->params, ports);
    for (int i = 0; i < n; i++) {
        const Port *p = &ports[i];
        bool in = p->dir == PORT_IN;
        add_option(arena, a, "--port",
                   arena_printf(arena, "%s:%s_%c:%d:%dx%d", in ? "in" : "out", p->name,
                                in ? 'i' : 'o', p->count * p->width, p->count, p->width));
    }
}

// The script and its tools split names at spaces, so names must be plain.
static bool plain_names(Arena *arena, const VariantRequest *r, Diag *d) {
    if (!plain_path(r->data_dir, "the data folder", EXIT_ENVIRONMENT, d)) return false;
    if (r->out_dir && !plain_path(r->out_dir, "the cache folder", EXIT_ENVIRONMENT, d))
        return false;
    for (const char *p = r->rtl; p && *p; p += strcspn(p, ","), p += *p == ',') {
        const char *file = arena_strndup(arena, p, strcspn(p, ","));
        if (!plain_path(file, arena_printf(arena, "--rtl %s:", r->desc->name), EXIT_USAGE, d))
            return false;
    }
    return true;
}

enum { OUT_BYTES = 65536, ERR_BYTES = 3800 };

// The script's answer. NULL: d has the reason. find: a missing variant is "" and no error.
static char *ask_script(Arena *arena, const VariantRequest *r, bool find, Diag *d) {
    Arguments a = {0};
    if (!plain_names(arena, r, d)) return NULL;
    build_arguments(&a, arena, r, find);
    char *out = arena_alloc(arena, OUT_BYTES), err[ERR_BYTES];
    const Child script = {
        .argv = (const char *const *)a.items, .death = SIGTERM, .group = r->stop != NULL};
    ChildEnd end;
    if (!child_ask(&script, (ChildText){out, OUT_BYTES}, &(ChildText){err, ERR_BYTES}, r->stop,
                   &end)) {
        diag_fail(d, EXIT_ENVIRONMENT, "%s: sh cannot be run: %s", r->desc->name, strerror(errno));
        return NULL;
    }
    if (end.status == 0) {
        if (r->notes && err[0]) *r->notes = arena_strndup(arena, err, strlen(err));
        return out;
    }
    if (find && end.status == 3) return arena_printf(arena, "%s", "");
    const ExitStatus code = end.status >= 128 ? EXIT_INTERRUPTED
        : end.status == 2                     ? EXIT_USAGE
                                              : EXIT_ENVIRONMENT;
    if (code == EXIT_INTERRUPTED)
        return diag_fail(d, code, "interrupted: the RTL of block %s was being verilated",
                         r->desc->name),
               NULL;
    diag_fail(d, code, "%s",
              err[0] ? err
                     : arena_printf(arena, "%s: verilate.sh ended with status %d", r->desc->name,
                                    end.status));
    return NULL;
}

static char *shape_text(Arena *arena, const VariantRequest *r) {
    char *text = arena_printf(arena, "%s", "");
    for (int i = 0; i < r->desc->nparams; i++)
        text = arena_printf(arena, "%s%s%s=%d", text, i ? " " : "", r->desc->params[i].name,
                            r->params[i]);
    return text;
}

// Finds the variant. Otherwise makes it, and reports the beginning and the duration.
static char *ask_and_tell(Arena *arena, const VariantRequest *r, Diag *d) {
    char *answer = ask_script(arena, r, true, d);
    if (!answer || answer[0]) return answer;
    r->notice(arena_printf(arena, "verilating %s (%s), once; this can take a minute", r->desc->name,
                           shape_text(arena, r)));
    const double since = clock_seconds(), cpu = clock_children();
    answer = ask_script(arena, r, false, d);
    if (answer)
        r->notice(arena_printf(arena, "verilated %s in %.0f s (%.0f s of CPU time)", r->desc->name,
                               clock_seconds() - since, clock_children() - cpu));
    return answer;
}

char *variant_path(Arena *arena, const VariantRequest *r, Diag *d) {
    char *known = memo_read(arena, r);
    if (known) return known;
    time_t since = time(NULL);
    char *answer = r->notice ? ask_and_tell(arena, r, d) : ask_script(arena, r, false, d);
    if (!answer) return NULL;
    char *files = answer + strcspn(answer, "\n");
    if (*files) *files++ = '\0';
    memo_write(arena, r, answer, files, since);
    return answer;
}

// --- loading
// ------------------------------------------------------------------------------------------------

// A user's module without observation ports is not queried, because its ports have the right
// widths.
static bool params_agree(const BlockDesc *desc, const int *params, const ShimApi *shim, void *rtl,
                         int *which, uint32_t *found) {
    uint32_t words[32];
    if (!shim->observe) return true;
    for (int i = 0; i < desc->nparams; i++) {
        shim->observe(rtl, (uint32_t)BLOCK_OBS_PARAM + (uint32_t)i, words);
        *which = i, *found = words[0];
        if (words[0] != (uint32_t)params[i]) return false;
    }
    return true;
}

// Checks that the file is complete. A truncated shared object would be loaded, and would end the
// program at the first access to its missing part. The section headers are the end of the file.
static bool is_whole(const char *path) {
    Elf64_Ehdr h;
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (!f) return true;  // dlopen reports why
    const bool whole = fread(&h, sizeof h, 1, f) == 1 && !memcmp(h.e_ident, ELFMAG, SELFMAG) &&
        !fstat(fileno(f), &st) &&
        h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize <= (uint64_t)st.st_size;
    fclose(f);
    return whole;
}

// Loads the variant at `path`. NULL without a Diag: the file is damaged.
static void *load_variant(const char *path, ShimEntry **entry, Diag *d) {
    if (!is_whole(path)) return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s cannot be loaded: %s", path, dlerror()), NULL;
    *(void **)entry = dlsym(library, SHIM_ENTRY);
    return *entry ? library : NULL;
}

const ShimApi *variant_open(Arena *arena, const VariantRequest *r, const char **path_found,
                            Diag *d) {
    char *path = variant_path(arena, r, d);
    if (!path) return NULL;
    ShimEntry *entry;
    // a damaged variant is made again, once
    for (int attempt = 0; !load_variant(path, &entry, d); attempt++) {
        if (!diag_ok(d)) return NULL;
        if (attempt || unlink(path))
            return diag_fail(d, EXIT_ENVIRONMENT,
                             "%s: damaged, or no variant of a block; delete it", path),
                   NULL;
        if (r->notice) r->notice(arena_printf(arena, "%s was damaged and is made again", path));
        if (!(path = variant_path(arena, r, d))) return NULL;
    }
    if (path_found) *path_found = path;
    const ShimApi *shim = entry();
    if (shim->abi == SHIM_ABI && !strcmp(shim->block, r->desc->name)) return shim;
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: made by another version of smcosim; delete it",
                     path),
           NULL;
}

bool variant_check(const VariantRequest *r, const ShimApi *shim, void *rtl, const char *error,
                   Diag *d) {
    const BlockDesc *desc = r->desc;
    if (error)
        return diag_fail(d, EXIT_USAGE, "block %s: the RTL stopped at its start: %s", desc->name,
                         error);
    int which;
    uint32_t found;
    if (params_agree(desc, r->params, shim, rtl, &which, &found)) return true;
    return diag_fail(
        d, EXIT_USAGE, "block %s: parameter %s is %u in the RTL, but %d in the configuration (%s)",
        desc->name, desc->params[which].name, found, r->params[which], desc->params[which].key);
}

typedef struct Opening {
    const ShimApi *shim;
    void *context, *rtl;
    const char *name;
} Opening;

static void *open_rtl(void *ctx) {
    Opening *o = ctx;
    o->rtl = o->shim->open(o->context, o->name);
    return NULL;
}

// If another thread will evaluate the RTL, another thread also opens it. Its memory is then from
// another heap and shares no cache line with data that the SM writes.
static void *open_apart(Cosim *c, const ShimApi *shim, const char *name) {
    Opening o = {.shim = shim, .context = c->context, .name = name};
    pthread_t thread;
    if (c->options.threads < 2 || pthread_create(&thread, NULL, open_rtl, &o)) open_rtl(&o);
    else pthread_join(thread, NULL);
    return o.rtl;
}

static VariantRequest request_of(Cosim *c, const Instance *x) {
    return (VariantRequest){.desc = x->desc,
                            .params = x->params,
                            .testbug = x->testbug || c->fault.block == x,
                            .data_dir = c->options.data_dir,
                            .out_dir = c->options.cache_dir,
                            .flat = c->options.flat,
                            .rtl = x->rtl_files,
                            .notes = &c->notes,
                            .notice = c->options.notice,
                            .stop = c->options.stop};
}

size_t variant_bytes(Cosim *c, const Instance *x) {
    const VariantRequest r = request_of(c, x);
    Diag untold = {0};
    struct stat st;
    const char *path = variant_path(c->arena, &r, &untold);
    return path && !stat(path, &st) ? (size_t)st.st_size : 0;
}

bool variant_load(Cosim *c, Instance *x, Diag *d) {
    const VariantRequest r = request_of(c, x);
    x->shim = variant_open(c->arena, &r, &x->library_path, d);
    if (!x->shim) return false;
    c->runtime->context_start(c->context, c->options.start_seed);
    x->rtl = open_apart(c, x->shim, arena_printf(c->arena, "rtl %s", x->desc->name));
    if (x->rtl_files && c->options.start_seed) stims_fill(x->desc, x->params, x->shim, x->rtl);
    return variant_check(&r, x->shim, x->rtl, c->runtime->context_error(c->context), d);
}

void variant_check_params(Instance *x) {
    Mismatch m = {.block = x->desc->name, .element = -1, .words = 1};
    int which;
    if (params_agree(x->desc, x->params, x->shim, x->rtl, &which, &m.actual[0])) return;
    m.port = arena_printf(x->c->arena, "parameter %s", x->desc->params[which].name);
    m.obs_addr = (uint32_t)BLOCK_OBS_PARAM + (uint32_t)which;
    m.expected[0] = (uint32_t)x->params[which];
    cosim_record(x->c, x, &m);
}
