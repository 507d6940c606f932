// SPDX-License-Identifier: Apache-2.0
// Valid PTX with a few tokens changed (mutate_tokens.c): parsed, printed, parsed again, and every
// entry compiled, in a process of its own. A signal, an internal error or a process that does not
// end is a finding, and its text is kept. With --ptxas PATH each text is given to ptxas, too. If
// the two disagree, the text is kept with both messages.
#include "compile/compile.h"
#include "mutate_tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20, ACCEPTED = 0, REFUSED = 10, MISPRINTED = 11, WORDS = 4096 };

typedef struct Options {
    const char *ptxas, *keep, *around, *forms;
    uint64_t first, count;
    double seconds;
    bool expect_failure;
} Options;

// Result of the child, sent to the parent.
typedef struct Verdict {
    int status;        // of the process, as the shell gives it
    char text[WORDS];  // the refusal, or the last output of the process
} Verdict;

// ---- the front end and the compiler ----

static void defaults(MachineConfig *cfg) {
    *cfg = (MachineConfig){0};
#define CFG(field, key, def, least, most, unit, meaning) cfg->field = def;
#define CFGENUM(field, key, def, words, meaning)
#include "config/config.def"
#undef CFG
#undef CFGENUM
}

static int print_again(Arena *arena, const PtxModule *m, Diag *d) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    ptx_print(out, m);
    fclose(out);
    const bool same = ptx_parse(arena, "printed.ptx", text, len, d);
    return same ? ACCEPTED : MISPRINTED;
}

static bool compile_entry(Arena *arena, const PtxModule *m, const PtxFunc *f,
                          const ModuleLayout *layout, const CompileOptions *o, Diag *d) {
    SharedLayout shared;
    return ptx_entry(m, f->name, d) && layout_shared(&shared, arena, m, f, d) &&
        compile_kernel(arena, m, f, layout, &shared, o, d);
}

static int compile_text(Arena *arena, const char *text, uint64_t seed, Diag *d) {
    const PtxModule *m = ptx_parse(arena, "input.ptx", text, strlen(text), d);
    if (!m) return REFUSED;
    if (print_again(arena, m, d) == MISPRINTED) return MISPRINTED;
    MachineConfig cfg;
    defaults(&cfg);
    cfg.compiler_addr_bits = seed & 1 ? 64 : 32;
    cfg.regmutex_es = (int)(seed >> 4 & 3) * 2;
    cfg.owf_threshold = seed & 128 ? 5 : -1;
    const CompileOptions o = {.max_regs = seed & 2 ? 16 : 63,
                              .cfg = &cfg,
                              .hints = seed & 4 ? 7 : 0,
                              .regions = seed & 8,
                              .shared = seed & 64};
    DeviceMemory memory;
    ModuleLayout layout;
    if (!device_open(&memory, arena, d)) return REFUSED;
    bool ok = layout_module(&layout, arena, m, &memory, d);
    for (int i = 0; i < m->nfuncs && ok; i++)
        if (m->funcs[i].is_entry && !m->funcs[i].is_prototype_only)
            ok = compile_entry(arena, m, &m->funcs[i], &layout, &o, d);
    device_close(&memory);
    return ok ? ACCEPTED : REFUSED;
}

// ---- processes ----

// Runs in a child whose standard output and error are kept in v->text.
static bool child_begins(pid_t *pid, int *from, unsigned long seconds) {
    int fd[2];
    fflush(NULL);  // the child has nothing to write but its own
    if (pipe(fd) != 0 || (*pid = fork()) < 0) {
        perror("tokens");
        exit(7);
    }
    if (*pid) {
        close(fd[1]);
        *from = fd[0];
        return false;
    }
    const struct rlimit cpu = {seconds, seconds + 1}, core = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
    dup2(fd[1], STDERR_FILENO);
    dup2(fd[1], STDOUT_FILENO);
    close(fd[0]);
    close(fd[1]);
    return true;
}

static void child_ends(pid_t pid, int from, Verdict *v) {
    size_t used = 0;
    char rest[512];
    for (ssize_t n;
         (n = used + 1 < sizeof v->text ? read(from, v->text + used, sizeof v->text - 1 - used)
                                        : read(from, rest, sizeof rest)) > 0;)
        if (used + 1 < sizeof v->text) used += (size_t)n;
    v->text[used] = '\0';
    close(from);
    int status;
    if (waitpid(pid, &status, 0) != pid) exit(7);
    v->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static Verdict try_text(const char *text, uint64_t seed) {
    Verdict v;
    pid_t pid;
    int from = -1;
    if (child_begins(&pid, &from, SECONDS)) {
        Arena arena = {0};
        Diag d = {0};
        const int status = compile_text(&arena, text, seed, &d);
        if (status) fprintf(stderr, "%s\n", d.text);
        fflush(NULL);
        _exit(status);
    }
    child_ends(pid, from, &v);
    return v;
}

// Always for sm_90: the ptxas at hand may not support the target of the text.
static Verdict ask_ptxas(const char *ptxas, const char *path) {
    Verdict v;
    pid_t pid;
    int from = -1;
    if (child_begins(&pid, &from, SECONDS)) {
        execl(ptxas, ptxas, "-arch", "sm_90", "-o", "/dev/null", path, (char *)NULL);
        _exit(127);
    }
    child_ends(pid, from, &v);
    if (v.status == 127) {
        fprintf(stderr, "tokens: %s cannot be executed\n", ptxas);
        exit(7);
    }
    return v;
}

// ---- what is kept ----

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) {
        perror(path);
        exit(7);
    }
}

static void keep_text(Arena *arena, const Options *o, const char *kind, uint64_t seed,
                      const char *text, const char *words) {
    if (!o->keep) return;
    mkdir(o->keep, 0777);
    const char *path =
        arena_printf(arena, "%s/%s-%llu.ptx", o->keep, kind, (unsigned long long)seed);
    write_text(path, text);
    write_text(arena_printf(arena, "%s.txt", path), words);
}

typedef struct Counts {
    uint64_t accepted, refused, findings, too_much, too_little;
} Counts;

static const char *first_line(Arena *arena, const char *text) {
    return arena_strndup(arena, text, strcspn(text, "\n"));
}

// ptxas ends with a signal on some texts and fails to link others: no verdict.
static void compare(Arena *arena, const Options *o, uint64_t seed, const char *text,
                    const Verdict *ours, Counts *n) {
    const char *path = arena_printf(arena, "%s/input.ptx", o->keep);
    mkdir(o->keep, 0777);
    write_text(path, text);
    const Verdict theirs = ask_ptxas(o->ptxas, path);
    if (theirs.status > 128 && theirs.status != 255) return;
    const bool accepts = theirs.status == 0, mine = ours->status == ACCEPTED;
    if (accepts == mine) return;
    n->too_much += mine;
    n->too_little += accepts;
    keep_text(arena, o, mine ? "accepted" : "refused", seed, text, mine ? theirs.text : ours->text);
    printf("%s %llu: %s\n", mine ? "accepted" : "refused", (unsigned long long)seed,
           first_line(arena, mine ? theirs.text : ours->text));
}

static void try_seed(const PtxSources *s, const Options *o, uint64_t seed, Counts *n) {
    Arena arena = {0};
    const char *text = mutate_tokens(s, &arena, seed);
    const Verdict v = try_text(text, seed);
    n->accepted += v.status == ACCEPTED;
    n->refused += v.status == REFUSED;
    if (v.status != ACCEPTED && v.status != REFUSED) {
        n->findings++;
        keep_text(&arena, o, "finding", seed, text, v.text);
        printf("finding %llu: status %d%s: %s\n", (unsigned long long)seed, v.status,
               v.status == MISPRINTED ? ", what was printed does not parse" : "",
               first_line(&arena, v.text));
    } else if (o->ptxas) compare(&arena, o, seed, text, &v, n);
    arena_free(&arena);
}

// ---- command line ----

static int usage(void) {
    fprintf(stderr,
            "usage: tokens --forms AROUND FORMS [--first SEED] [--count N] [--seconds CPU] [--keep "
            "FOLDER] "
            "[--ptxas PATH] [--expect-failure] [FILE.ptx...]\n");
    return 2;
}

static bool parse_options(int argc, char **argv, Options *o, int *files) {
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *name = argv[i] + 2;
        if (!strcmp(name, "expect-failure")) {
            o->expect_failure = true;
            continue;
        }
        if (i + 1 + !strcmp(name, "forms") >= argc) return false;
        const char *value = argv[++i];
        if (!strcmp(name, "forms")) o->around = value, o->forms = argv[++i];
        else if (!strcmp(name, "first")) o->first = strtoull(value, NULL, 10);
        else if (!strcmp(name, "count")) o->count = strtoull(value, NULL, 10);
        else if (!strcmp(name, "seconds")) o->seconds = strtod(value, NULL);
        else if (!strcmp(name, "keep")) o->keep = value;
        else if (!strcmp(name, "ptxas")) o->ptxas = value;
        else return false;
    }
    *files = i;
    return o->around && (!o->ptxas || o->keep);
}

static double cpu_seconds(void) {
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
        1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

int main(int argc, char **argv) {
    Options o = {.first = 1, .count = 1000};
    int file;
    if (!parse_options(argc, argv, &o, &file)) return usage();
    Arena arena = {0};
    Diag d = {0};
    PtxSources s = {0};
    bool ok = sources_forms(&s, &arena, o.around, o.forms, &d);
    for (; ok && file < argc; file++) ok = sources_add(&s, &arena, argv[file], &d);
    if (!ok) {
        fprintf(stderr, "tokens: %s\n", d.text);
        return 2;
    }
    Counts n = {0};
    uint64_t tried = 0;
    while (tried < o.count && (o.seconds == 0 || cpu_seconds() < o.seconds))
        try_seed(&s, &o, o.first + tried++, &n);
    printf("%llu texts: %llu accepted, %llu refused, %llu findings", (unsigned long long)tried,
           (unsigned long long)n.accepted, (unsigned long long)n.refused,
           (unsigned long long)n.findings);
    if (o.ptxas)
        printf("; %llu accepted that ptxas refuses, %llu refused that it accepts",
               (unsigned long long)n.too_much, (unsigned long long)n.too_little);
    puts("");
    arena_free(&arena);
    // the changes are too small or too large to test anything
    if (!n.accepted || !n.refused) return 1;
    return (n.findings > 0) != o.expect_failure;
}
