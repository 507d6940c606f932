// SPDX-License-Identifier: Apache-2.0
// Runs random programs (ptxgen.c) through the program itself, under the architectures of `list
// archs --all` in turn. Each runs on a preset that accepts it, always against the PTX oracle and
// with every retired instruction checked. All run on golden models, some in lockstep too, where
// every counter must be the same. The programs of a batch share a process. One that fails is made
// smaller and kept with its seed.

#include "programs.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNKNOWN, ACCEPTS, REFUSES, MOST_KINDS = 1000 };

// Failures so far, by architecture, status and message without its numbers.
typedef struct Seen {
    const char *arch;
    int status;
    char plain[200];
} Seen;

typedef struct Campaign {
    Options o;
    const char **archs, **machines;
    int narchs, nmachines, step;
    char *accepts;                      // of [arch][machine] and mode: UNKNOWN, ..
    uint64_t runs[2], failed, skipped;  // runs: model, lockstep
    bool expected;                      // the first failure says Options.expect
    Seen seen[MOST_KINDS];
    int nseen;
    FILE *log;
} Campaign;

static uint64_t hash(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int find_name(const char **names, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], name)) return i;
    fprintf(stderr, "programs: no %s\n", name);
    exit(2);
}

// ---- where a batch runs ----

// Any two architectures that follow each other are far apart in the list, so that a few batches see
// all kinds.
static int arch_of_batch(const Campaign *c, uint64_t batch) {
    return (int)(batch * (uint64_t)c->step % (uint64_t)c->narchs);
}

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }

static int step_for(int n) {
    int step = n * 3 / 8 + 1;
    while (gcd(step, n) != 1) step++;
    return step;
}

static bool is_lockstep(const Campaign *c, uint64_t batch) {
    const uint64_t every = (uint64_t)c->o.lockstep_every, round = batch / (uint64_t)c->narchs;
    return every && (batch + round) % every == 0;
}

// Keys that give the parts of an architecture work, which most programs do not need by themselves.
// shape: blocks depend on them.
typedef struct Key {
    const char *part, *sets[3];
    bool shape;
} Key;
static const Key KEYS[] = {
    {"regmutex", {"regmutex.es=4", "regmutex.es=6", "regmutex.es=8"}, false},
    {"owf", {"owf.threshold=4", "owf.threshold=8", "owf.pairs=all"}, false},
    {"pmode", {"pmode.queue=2", "pmode.registers=16", "pmode.partial=skip"}, true},
    {"bow", {"bow.window=2", "bow.window=4", "blocks.registered=bypass_collector"}, true},
    {"rfv", {"blocks.registered=rfv_throttle", "rename.free_ports=2", "rename.shrink=hold"}, true},
    {"larf", {"larf.admission=live", "larf.row_bits=2", "larf.waiters=5"}, true},
};

// Keys that no variant of a block depends on in lockstep, others on golden models.
static void draw_sets(Way *way, uint64_t batch) {
    static const char *const regs[] = {NULL,
                                       NULL,
                                       NULL,
                                       "sm.regs_per_thread=16",
                                       "sm.regs_per_thread=20",
                                       "sm.regs_per_thread=24",
                                       "sm.regs_per_thread=32",
                                       "sm.regs_per_thread=40"};
    const uint64_t h = hash(batch + 1);
    int n = 0;
    if (h % 100 < 40) way->sets[n++] = "compiler.addr_bits=64";
    if (h / 100 % 100 < 25) way->sets[n++] = "compiler.schedule=source";
    if (!way->lockstep && regs[h / 10000 % 8]) way->sets[n++] = regs[h / 10000 % 8];
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
        if (strstr(way->arch, KEYS[i].part) && !(way->lockstep && KEYS[i].shape) &&
            hash(h + i) % 100 < 60 && n < MOST_SETS)
            way->sets[n++] = KEYS[i].sets[hash(h + i) / 100 % 3];
    if (n < MOST_SETS && !way->lockstep && h / 100000 % 100 < 20)
        way->sets[n++] = h / 10000000 % 2 ? "sm.scheduler=lrr" : "sm.scheduler=two-level";
}

// ---- failures ----

static bool is_new(Campaign *c, const char *arch, const Outcome *got) {
    for (int i = 0; i < c->nseen; i++)
        if (c->seen[i].arch == arch && c->seen[i].status == got->status &&
            !strcmp(c->seen[i].plain, got->plain))
            return false;
    if (c->nseen == MOST_KINDS) return false;
    Seen *s = &c->seen[c->nseen++];
    *s = (Seen){.arch = arch, .status = got->status};
    memcpy(s->plain, got->plain, sizeof s->plain);
    return true;
}

static int tell_failures(Campaign *c, const Way *way, const Program *programs, int n,
                         const Outcome *outcomes) {
    int failed = 0;
    for (int i = 0; i < n; i++) {
        c->skipped += outcomes[i].skipped;
        if (!outcomes[i].status) continue;
        if (!c->failed && !failed)
            c->expected = c->o.expect && strstr(outcomes[i].text, c->o.expect);
        failed++;
        keep_failure(&c->o, way, &programs[i], &outcomes[i],
                     !c->o.whole && is_new(c, way->arch, &outcomes[i]));
    }
    return failed;
}

// ---- batches ----

static void account(Campaign *c, const Way *way, const Program *programs, int n, int failed,
                    double seconds) {
    c->runs[0] += (uint64_t)n;
    if (way->lockstep) c->runs[1] += (uint64_t)n;
    c->failed += (uint64_t)failed;
    if (!c->log) return;
    fprintf(c->log, "%llu\t%s\t%s\t%s\t%d\t%d\t%.2f\n", (unsigned long long)programs[0].seed,
            way->arch, way->machine, way->lockstep ? "lockstep" : "model", n, failed, seconds);
    fflush(c->log);
}

// The k-th preset to be asked. In lockstep the presets that share most blocks are first, so that
// few are Verilated.
static int machine_at(const Campaign *c, uint64_t batch, bool lockstep, int k) {
    static const char *const usual[] = {"fermi", "pascal", "fermi-caba"};
    if (c->o.machine) return find_name(c->machines, c->nmachines, c->o.machine);
    if (lockstep && k < 3) return find_name(c->machines, c->nmachines, usual[k]);
    return (int)((hash(batch) + (uint64_t)k) % (uint64_t)c->nmachines);
}

// The programs under one architecture: on the first preset that accepts it.
static void run_arch(Campaign *c, int arch, uint64_t batch, bool lockstep, const Program *programs,
                     int n) {
    Way way = {.arch = c->archs[arch], .lockstep = lockstep};
    Outcome outcomes[MOST_BATCH];
    draw_sets(&way, batch);
    for (int k = 0; k < (c->o.machine ? 1 : c->nmachines + 3); k++) {
        const int machine = machine_at(c, batch, lockstep, k);
        char *accepts = &c->accepts[(arch * c->nmachines + machine) * 2 + lockstep];
        way.machine = c->machines[machine];
        const Way bare = {.arch = way.arch, .machine = way.machine, .lockstep = lockstep};
        if (*accepts == UNKNOWN) *accepts = run_accepts(&c->o, &bare) ? ACCEPTS : REFUSES;
        if (*accepts == REFUSES) continue;
        const double since = run_cpu_seconds();
        if (!run_batch(&c->o, &way, programs, n, outcomes)) continue;
        const double seconds = run_cpu_seconds() - since;
        account(c, &way, programs, n, tell_failures(c, &way, programs, n, outcomes), seconds);
        return;
    }
    fprintf(stderr, "programs: no machine accepts %s: %s\n", way.arch, run_error);
    exit(2);
}

static void remove_programs(const Program *programs, int n) {
    static const char *const ends[] = {"ptx", "yaml", "bin"};
    char path[300];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            run_path(path, programs[i].seed, ends[k]);
            unlink(path);
        }
}

static void run_programs(Campaign *c, uint64_t seed, int n) {
    const uint64_t batch = seed / (uint64_t)c->o.batch;
    Program programs[MOST_BATCH];
    for (int i = 0; i < n; i++) run_write(&programs[i], seed + (uint64_t)i);
    if (!c->o.each) run_arch(c, arch_of_batch(c, batch), batch, is_lockstep(c, batch), programs, n);
    else
        for (int a = 0; a < c->narchs; a++)
            run_arch(c, a, batch + (uint64_t)a, is_lockstep(c, batch + (uint64_t)a), programs, n);
    remove_programs(programs, n);
}

static void campaign(Campaign *c) {
    uint64_t seed = c->o.first;
    const uint64_t end = c->o.programs ? seed + c->o.programs : UINT64_MAX;
    while (seed < end && (c->o.seconds <= 0 || run_cpu_seconds() < c->o.seconds) &&
           !(c->o.expect && c->failed)) {
        // batches begin at the same seeds always
        const uint64_t left = (uint64_t)c->o.batch - seed % (uint64_t)c->o.batch;
        const int n = (int)(end - seed < left ? end - seed : left);
        run_programs(c, seed, n);
        seed += (uint64_t)n;
    }
    printf("%llu program runs from seed %llu to %llu on %d architectures, %llu of them also in "
           "lockstep, ",
           (unsigned long long)c->runs[0], (unsigned long long)c->o.first,
           (unsigned long long)seed - 1, c->narchs, (unsigned long long)c->runs[1]);
    printf("%llu failed, %llu left out for want of registers (%.0f CPU seconds)\n",
           (unsigned long long)c->failed, (unsigned long long)c->skipped, run_cpu_seconds());
}

// ---- command line ----

static int usage(void) {
    fprintf(stderr,
            "usage: programs SMCOSIM [--first SEED] [--programs N] [--seconds CPU] [--batch N] "
            "[--lockstep-every N] [--each 0|1]\n"
            "                [--arch ARCH,..] [--machine MACHINE] [--keep FOLDER] [--smaller 0|1] "
            "[--log FILE] [--expect TEXT]\n"
            "       programs --print SEED\n");
    return 2;
}

static bool parse(int argc, char **argv, Options *o) {
    for (int i = 2; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        i++;
        if (!strcmp(argv[i - 1], "--first")) o->first = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--programs")) o->programs = strtoull(value, NULL, 10);
        else if (!strcmp(argv[i - 1], "--seconds")) o->seconds = atof(value);
        else if (!strcmp(argv[i - 1], "--batch")) o->batch = atoi(value);
        else if (!strcmp(argv[i - 1], "--lockstep-every")) o->lockstep_every = atoi(value);
        else if (!strcmp(argv[i - 1], "--each")) o->each = atoi(value);
        else if (!strcmp(argv[i - 1], "--smaller")) o->whole = !atoi(value);
        else if (!strcmp(argv[i - 1], "--arch")) o->arch = value;
        else if (!strcmp(argv[i - 1], "--machine")) o->machine = value;
        else if (!strcmp(argv[i - 1], "--keep")) o->keep = value;
        else if (!strcmp(argv[i - 1], "--expect")) o->expect = value;
        else if (!strcmp(argv[i - 1], "--log")) o->log = value;
        else return false;
    }
    return (o->programs || o->seconds > 0) && o->batch > 0 && o->batch <= MOST_BATCH;
}

// Those of the list "a,b,c".
static void choose_archs(Campaign *c) {
    char *list = strdup(c->o.arch);
    const char **chosen = calloc((size_t)c->narchs, sizeof *chosen);
    int n = 0;
    if (!list || !chosen) die("programs");
    for (char *name = strtok(list, ","); name && n < c->narchs; name = strtok(NULL, ","))
        chosen[n++] = c->archs[find_name(c->archs, c->narchs, name)];
    free(list);
    c->archs = chosen;
    c->narchs = n;
}

static void open_campaign(Campaign *c) {
    char *absolute = realpath(c->o.smcosim, NULL);  // the run begins in the scratch folder
    if (!absolute) die(c->o.smcosim);
    c->o.smcosim = absolute;
    run_make_dir();
    c->narchs = run_list(&c->o, "archs", &c->archs);
    if (c->o.arch) choose_archs(c);
    c->nmachines = run_list(&c->o, "machines", &c->machines);
    c->step = step_for(c->narchs);
    c->accepts = calloc((size_t)(c->narchs * c->nmachines), 2);
    if (!c->accepts) die("programs");
    if (c->o.log && !(c->log = fopen(c->o.log, "a"))) die(c->o.log);
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--print")) {
        ptxgen_program(stdout, strtoull(argv[2], NULL, 10));
        return 0;
    }
    Campaign c = {.o = {.smcosim = argc > 1 ? argv[1] : NULL,
                        .keep = "fuzz-programs",
                        .first = 1,
                        .batch = 12,
                        .lockstep_every = 3}};
    if (argc < 2 || !parse(argc, argv, &c.o)) return usage();
    open_campaign(&c);
    campaign(&c);
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", run_dir);
    if (system(command) != 0) perror(run_dir);
    if (c.log) fclose(c.log);
    const bool few = c.skipped * 5 > c.runs[0];
    if (few) fprintf(stderr, "programs: more than a fifth of the runs was left out\n");
    return c.o.expect ? !c.expected : c.failed != 0 || few;
}
