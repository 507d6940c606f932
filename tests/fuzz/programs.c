// SPDX-License-Identifier: Apache-2.0
// Runs random programs (ptxgen.c) through the program itself: with blocks as models, every third one also with all
// blocks in lockstep on every architecture, always against the PTX oracle and with every retired instruction
// checked. A program that fails is made smaller and kept with its seed.
#include "ptxgen.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGS = 24, RUN_SECONDS = 120, SHRINK_RUNS = 400, ARCHS = 10, VACUOUS = 5 };

// An architecture, and keys that give its blocks work in most programs: in the others such a run is vacuous.
typedef struct Way { const char *arch, *sets[2]; } Way;
static const Way WAYS[ARCHS] = {
    {"baseline", {0}}, {"packing", {0}}, {"corf", {0}}, {"corf++", {0}}, {"rfv", {0}}, {"corf++:rfv", {0}},
    {"regmutex", {"regmutex.es=4", NULL}}, {"regmutex-paired", {"regmutex.es=6", NULL}},
    {"owf", {"owf.threshold=4", "owf.pairs=all"}}, {"rfv", {"rf.entries=128", NULL}}};

typedef struct Options {
    const char *smcosim, *keep;
    uint64_t first, programs;
    double seconds;
    int lockstep_every;        // 0: never
    bool expect_failure;       // status 0 when one was found
} Options;

typedef struct Outcome {
    int status;                // as the shell gives it
    char text[160];            // the message without its numbers
} Outcome;

static char dir[] = "/tmp/smcosim-programs-XXXXXX";

static void die(const char *what) {
    perror(what);
    exit(7);
}

static FILE *open_in(const char *name, const char *mode) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, mode);
    if (!f) die(path);
    return f;
}

static double cpu_seconds(void) {
    struct rusage r;
    getrusage(RUSAGE_CHILDREN, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

// ---- one run ----

// The last message of the program, digits left out: tells one failure from another.
static void read_message(Outcome *o) {
    FILE *f = open_in("output", "r");
    char line[1024];
    o->text[0] = '\0';
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "error: ") ? strstr(line, "error: ") : line;
        if (strncmp(line, "smcosim:", 8) && !strstr(line, "ERROR")) continue;
        size_t n = 0;
        while (*at && *at != '\n' && n + 1 < sizeof o->text)
            if (isdigit((unsigned char)*at)) {
                while (isalnum((unsigned char)*at)) at++;
            } else o->text[n++] = *at++;
        o->text[n] = '\0';
    }
    fclose(f);
}

static void child(const Options *o, const PtxgenOptions *p, const Way *way) {
    char regs[48], bits[48];
    snprintf(regs, sizeof regs, "sm.regs_per_thread=%d", p->regs_per_thread);
    snprintf(bits, sizeof bits, "compiler.addr_bits=%d", p->addr_bits);
    const char *args[MOST_ARGS] = {o->smcosim, "run", "launch.yaml", "--check", "retire,oracle", "--set", regs,
                                   "--set", bits, "--max-cycles", "20000000"};
    int n = 11;
    args[n++] = way ? "--arch" : "--blocks";
    args[n++] = way ? way->arch : "model";
    for (int i = 0; way && i < 2 && way->sets[i]; i++) {
        args[n++] = "--set";
        args[n++] = way->sets[i];
    }
    args[n] = NULL;
    struct rlimit limit = {RUN_SECONDS, RUN_SECONDS};
    setrlimit(RLIMIT_CPU, &limit);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    int fd = chdir(dir) ? -1 : open("output", O_CREAT | O_TRUNC | O_WRONLY, 0644);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0) _exit(126);
    execv(o->smcosim, (char *const *)args);
    _exit(127);
}

static Outcome run_once(const Options *o, const PtxgenOptions *p, const Way *way) {
    Outcome r = {0};
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) die("fork");
    if (!pid) child(o, p, way);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) die("waitpid");
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127)) {
        fprintf(stderr, "programs: %s cannot be executed\n", o->smcosim);
        exit(7);
    }
    r.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (r.status == VACUOUS && way && way->sets[0]) r.status = 0;  // nothing to split, or no CTA more to let in
    if (r.status) read_message(&r);
    if (r.status == 7) {  // nothing about the program
        fprintf(stderr, "programs: %s\n", r.text);
        exit(7);
    }
    return r;
}

// ---- files ----

static PtxgenOptions write_files(uint64_t seed) {
    FILE *f = open_in("k.ptx", "w");
    PtxgenOptions p = ptxgen_program(f, seed);
    fclose(f);
    f = open_in("launch.yaml", "w");
    ptxgen_launch(f, &p);
    fclose(f);
    uint8_t bytes[PTXGEN_INPUT_BYTES];
    ptxgen_input(bytes, seed);
    f = open_in("in.bin", "w");
    fwrite(bytes, 1, sizeof bytes, f);
    fclose(f);
    return p;
}

static char *read_program(char ***lines, int *n) {
    FILE *f = open_in("k.ptx", "r");
    struct stat st;
    if (fstat(fileno(f), &st)) die("k.ptx");
    char *text = calloc(1, (size_t)st.st_size + 1);
    *lines = calloc((size_t)st.st_size + 1, sizeof **lines);
    if (!text || !*lines || fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size) die("k.ptx");
    fclose(f);
    *n = 0;
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) (*lines)[(*n)++] = at;
    return text;
}

static void write_lines(char *const *lines, int n, int skip, int count) {
    FILE *f = open_in("k.ptx", "w");
    for (int i = 0; i < n; i++)
        if (i < skip || i >= skip + count) fprintf(f, "%s\n", lines[i]);
    fclose(f);
}

// ---- a failure ----

// Leaves out lines, in halves, quarters and so on, as long as the same failure stays.
static int shrink(const Options *o, const PtxgenOptions *p, const Way *way, const Outcome *want) {
    char **lines;
    int n, runs = 0;
    char *text = read_program(&lines, &n);
    for (int size = n / 2; size > 0 && runs < SHRINK_RUNS; size /= 2)
        for (int at = 0; at + size <= n && runs < SHRINK_RUNS; runs++) {
            write_lines(lines, n, at, size);
            Outcome got = run_once(o, p, way);
            if (got.status != want->status || strcmp(got.text, want->text)) {
                at += size;
                continue;
            }
            memmove(lines + at, lines + at + size, sizeof *lines * (size_t)(n - at - size));
            n -= size;
        }
    write_lines(lines, n, n, 0);
    free(lines);
    free(text);
    return n;
}

static void keep(const Options *o, uint64_t seed, const PtxgenOptions *p, const Way *way, const Outcome *got) {
    printf("seed %llu: status %d%s%s: %s\n", (unsigned long long)seed, got->status,
           way ? ", lockstep, architecture " : "", way ? way->arch : "", got->text);
    if (o->expect_failure) return;
    int lines = shrink(o, p, way, got);
    char command[1024];
    snprintf(command, sizeof command, "mkdir -p '%s/%llu' && cp %s/k.ptx %s/launch.yaml %s/in.bin '%s/%llu'", o->keep,
             (unsigned long long)seed, dir, dir, dir, o->keep, (unsigned long long)seed);
    if (system(command) != 0) fprintf(stderr, "programs: cannot be kept: %s\n", command);
    printf("  %d lines are left: %s run %s/%llu/launch.yaml --check retire,oracle --set sm.regs_per_thread=%d --set "
           "compiler.addr_bits=%d %s %s", lines, o->smcosim, o->keep, (unsigned long long)seed, p->regs_per_thread,
           p->addr_bits, way ? "--arch" : "--blocks", way ? way->arch : "model");
    for (int i = 0; way && i < 2 && way->sets[i]; i++) printf(" --set %s", way->sets[i]);
    printf("\n");
    fflush(stdout);
}

// Whether the program passes everywhere.
static bool run_seed(const Options *o, uint64_t seed, uint64_t *lockstep) {
    PtxgenOptions p = write_files(seed);
    Outcome got = run_once(o, &p, NULL);
    const Way *way = NULL;
    if (!got.status && o->lockstep_every && seed % (uint64_t)o->lockstep_every == 0) {
        p.regs_per_thread = 63;  // the shapes of blocks that are built with the project
        for (int a = 0; a < ARCHS && !got.status; a++) got = run_once(o, &p, way = &WAYS[a]);
        *lockstep += 1;
    }
    if (!got.status) return true;
    keep(o, seed, &p, way, &got);
    return false;
}

// ---- command line ----

static int usage(void) {
    fprintf(stderr, "usage: programs SMCOSIM [--first SEED] [--programs N] [--seconds CPU] [--lockstep-every N]\n"
                    "                [--keep FOLDER] [--expect-failure] | programs --print SEED\n");
    return 2;
}

static bool parse(int argc, char **argv, Options *o) {
    for (int i = 2; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--expect-failure")) {
            o->expect_failure = true;
            continue;
        }
        i++;
        if (!strcmp(argv[i - 1], "--first")) o->first = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--programs")) o->programs = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--seconds")) o->seconds = atof(value);
        else if (!strcmp(argv[i - 1], "--lockstep-every")) o->lockstep_every = atoi(value);
        else if (!strcmp(argv[i - 1], "--keep")) o->keep = value;
        else return false;
    }
    return o->programs || o->seconds > 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--print")) {
        ptxgen_program(stdout, strtoull(argv[2], NULL, 10));
        return 0;
    }
    Options o = {.smcosim = argc > 1 ? argv[1] : NULL, .keep = "fuzz-programs", .first = 1, .lockstep_every = 3};
    if (argc < 2 || !parse(argc, argv, &o)) return usage();
    char *absolute = realpath(o.smcosim, NULL);  // the run begins in the scratch folder
    if (!absolute) die(o.smcosim);
    o.smcosim = absolute;
    if (!mkdtemp(dir)) die(dir);
    uint64_t done = 0, failed = 0, lockstep = 0;
    while ((!o.programs || done < o.programs) && (o.seconds <= 0 || cpu_seconds() < o.seconds)) {
        failed += !run_seed(&o, o.first + done, &lockstep);
        done++;
        if (o.expect_failure && failed) break;
    }
    printf("%llu programs, %llu of them in lockstep on %d architectures, %llu failed (%.0f CPU seconds, ",
           (unsigned long long)done, (unsigned long long)lockstep, ARCHS, (unsigned long long)failed, cpu_seconds());
    printf("seeds from %llu)\n", (unsigned long long)o.first);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    if (system(command) != 0) perror(dir);
    free(absolute);
    return (failed != 0) != o.expect_failure;
}
