// SPDX-License-Identifier: Apache-2.0
// Speed of the simulator: runs kernels in the modes model, rtl and lockstep by turns and takes the
// median of each. It prints simulated cycles per second, the ratios between the modes, the ratio to
// a reference simulator and the parts that take the time. Nothing here passes or fails by time.
#include "speed_blocks.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MODES = 3, MAX_RUNS = 99, MAX_PARTS = 12, EXIT_BAD_USAGE = 2, EXIT_FAILED = 1 };
enum { MODEL, RTL, LOCKSTEP };
static const char *const mode_name[MODES] = {"model", "rtl", "lockstep"};

// Cycles per second of GPGPU-Sim 4.2.0 on one core of a machine like that of the development
// (GTX480 configuration, one SM, one memory channel, no RTL). Kernels are its own vecadd, sgemm,
// spmv and bfs.
typedef struct SpeedMark {
    const char *kernel;
    double kcycles;
} SpeedMark;
static const SpeedMark marks[] = {{"vecadd", 28}, {"sgemm", 79}, {"spmv", 86}, {"bfs", 70}};
enum { MARKS = sizeof marks / sizeof *marks };

typedef struct SpeedRun {
    double cycles, warp_insts, thread_insts, resident;
    int launches;
    char registers[64];  // per thread, kernel by kernel
    double seconds;      // processor time of the cycle loop
    double share;        // of a processor that the program got
    char part_name[MAX_PARTS][24];
    double part[MAX_PARTS];  // seconds
    int nparts;
} SpeedRun;

typedef struct SpeedOptions {
    const char *program, *data, *size;
    const char *against;  // another program; NULL: none
    int repeat;
    bool table, blocks;
} SpeedOptions;

static const char *const all_kernels[] = {
#define BENCH_KERNEL(name) #name,
#include "kernels.def"
#undef BENCH_KERNEL
};
enum { ALL_KERNELS = sizeof all_kernels / sizeof *all_kernels };

static _Noreturn void die(const char *format, const char *a, const char *b) {
    fprintf(stderr, "bench/speed: ");
    fprintf(stderr, format, a, b);
    fprintf(stderr, "\n");
    exit(EXIT_FAILED);
}

// Starts the program with its standard output in *out.
static pid_t start(const SpeedOptions *o, const char *path, const char *mode, FILE **out) {
    int ends[2];
    if (pipe(ends) != 0) die("pipe: %s%s", strerror(errno), "");
    pid_t pid = fork();
    if (pid < 0) die("fork: %s%s", strerror(errno), "");
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(o->program, o->program, "run", path, "--blocks", mode, "--threads", "1", "--json",
              "-", (char *)NULL);
        fprintf(stderr, "bench/speed: %s: %s\n", o->program, strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    *out = fdopen(ends[0], "r");
    return pid;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static SpeedRun run_once(const SpeedOptions *o, const char *path, const char *mode) {
    FILE *out;
    double begin = now();
    pid_t pid = start(o, path, mode, &out);
    json_error_t error;
    json_t *root = json_loadf(out, 0, &error);
    fclose(out);
    int status;
    struct rusage used;
    wait4(pid, &status, 0, &used);
    double elapsed = now() - begin;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) die("%s --blocks %s failed", path, mode);
    if (!root) die("%s: no JSON: %s", path, error.text);
    SpeedRun r = {0};
    json_t *launch = json_array_get(json_object_get(root, "launches"), 0), *value;
    json_t *sm = json_object_get(json_object_get(launch, "counters"), "sm");
    r.cycles = json_number_value(json_object_get(launch, "cycles"));
    // On a busy machine the program gets only a share of a processor; that share is not its speed.
    r.share = (seconds(used.ru_utime) + seconds(used.ru_stime)) / elapsed;
    r.seconds = json_number_value(json_object_get(launch, "seconds")) * r.share;
    r.warp_insts = json_number_value(json_object_get(sm, "warp_instructions"));
    r.thread_insts = json_number_value(json_object_get(sm, "thread_instructions"));
    size_t at = 0, i;
    json_array_foreach(json_object_get(launch, "kernels"), i, value) {
        int n = snprintf(r.registers + at, sizeof r.registers - at, i ? "/%d" : "%d",
                         (int)json_integer_value(json_object_get(value, "registers")));
        at = at + (size_t)n < sizeof r.registers ? at + (size_t)n : sizeof r.registers - 1;
        r.launches += (int)json_integer_value(json_object_get(value, "launches"));
    }
    r.resident = json_number_value(json_object_get(sm, "resident_warp_cycles"));
    const char *name;
    json_object_foreach(json_object_get(launch, "time"), name, value) {
        if (r.nparts == MAX_PARTS) break;
        snprintf(r.part_name[r.nparts], sizeof r.part_name[0], "%s", name);
        r.part[r.nparts++] = json_number_value(value);
    }
    json_decref(root);
    if (r.cycles <= 0 || r.seconds <= 0)
        die("%s --blocks %s: no cycles or no time in the JSON", path, mode);
    return r;
}

static int by_seconds(const void *a, const void *b) {
    double x = ((const SpeedRun *)a)->seconds, y = ((const SpeedRun *)b)->seconds;
    return (x > y) - (x < y);
}

// Fills the median runs of a kernel; the modes take turns, so that a slow phase of the machine hits
// all of them.
static void measure(const SpeedOptions *o, const char *kernel, SpeedRun median[MODES]) {
    static SpeedRun runs[MODES][MAX_RUNS];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s/launch.yaml", o->data, kernel, o->size);
    for (int i = 0; i < o->repeat; i++)
        for (int m = 0; m < MODES; m++) runs[m][i] = run_once(o, path, mode_name[m]);
    for (int m = 0; m < MODES; m++) {
        qsort(runs[m], (size_t)o->repeat, sizeof(SpeedRun), by_seconds);
        median[m] = runs[m][o->repeat / 2];
        if (median[m].cycles != median[MODEL].cycles)
            die("%s: cycle count differs in mode %s", kernel, mode_name[m]);
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Golden models alone, this program and the other by turns: rates of each and of pairs, as median,
// least and greatest.
static void print_pairs(const SpeedOptions *o, const char *kernel) {
    static double rate[2][MAX_RUNS], ratio[MAX_RUNS];
    const SpeedOptions other = {.program = o->against};
    char path[4096];
    double share = 1;
    SpeedRun r[2] = {0};
    snprintf(path, sizeof path, "%s/%s/%s/launch.yaml", o->data, kernel, o->size);
    for (int i = 0; i < o->repeat; i++) {
        for (int k = 0; k < 2; k++) {
            const int which = (i + k) % 2;  // .. and each is the first as often
            r[which] = run_once(which ? o : &other, path, mode_name[MODEL]);
            rate[which][i] = r[which].cycles / r[which].seconds / 1000;
            share = r[which].share < share ? r[which].share : share;
        }
        if (r[0].cycles != r[1].cycles)
            die("%s: cycle count differs from that of %s", kernel, o->against);
        ratio[i] = rate[1][i] / rate[0][i];
    }
    for (int which = 0; which < 2; which++)
        qsort(rate[which], (size_t)o->repeat, sizeof(double), by_value);
    qsort(ratio, (size_t)o->repeat, sizeof(double), by_value);
    printf("%-14s %9.0f %9.1f %9.1f %9.2f %9.2f %9.2f %9.0f %%\n", kernel, r[0].cycles,
           rate[0][o->repeat / 2], rate[1][o->repeat / 2], ratio[o->repeat / 2], ratio[0],
           ratio[o->repeat - 1], 100 * share);
}

static double kcycles(const SpeedRun *r) { return r->cycles / r->seconds / 1000; }

static void print_speed(const char *kernel, const SpeedRun median[MODES]) {
    const SpeedRun *m = median;
    printf("%-14s %9.0f %6.1f %5.2f %9.1f %9.1f %9.1f %9.2f %9.2f", kernel, m->cycles,
           m->resident / m->cycles, m->warp_insts / m->cycles, kcycles(&m[MODEL]), kcycles(&m[RTL]),
           kcycles(&m[LOCKSTEP]), m[LOCKSTEP].seconds / m[RTL].seconds,
           m[LOCKSTEP].seconds / m[MODEL].seconds);
    double mark = 0;
    for (int i = 0; i < MARKS; i++)
        if (!strcmp(marks[i].kernel, kernel)) mark = marks[i].kcycles;
    if (mark > 0) printf(" %9.2f", kcycles(&m[LOCKSTEP]) / mark);
    else printf(" %9s", "-");
    printf("\n");
}

static void print_parts(const char *kernel, const SpeedRun median[MODES]) {
    for (int m = 0; m < MODES; m++) {
        const SpeedRun *r = &median[m];
        double sum = 0;
        for (int p = 0; p < r->nparts; p++) sum += r->part[p];
        printf("%-14s %-9s %8.3f s ", m ? "" : kernel, mode_name[m], r->seconds);
        for (int p = 0; p < r->nparts; p++)
            printf(" %s %4.1f %%", r->part_name[p], sum > 0 ? 100 * r->part[p] / sum : 0.0);
        printf("\n");
    }
}

// The table of bench/sizes.md.
static void print_table(const SpeedOptions *o, const char *const *kernels, int n) {
    static const char *const sizes[2] = {"small", "paper"};
    printf("| kernel | thread instructions, small | cycles, small | thread instructions, paper | "
           "cycles, paper | IPC |"
           " active lanes | launches | registers |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int k = 0; k < n; k++) {
        SpeedRun r = {0};
        printf("| %s |", kernels[k]);
        for (int s = 0; s < 2; s++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s/%s/launch.yaml", o->data, kernels[k], sizes[s]);
            r = run_once(o, path, mode_name[MODEL]);
            printf(" %.0f | %.0f |", r.thread_insts, r.cycles);
        }
        printf(" %.2f | %.1f | %d | %s |\n", r.warp_insts / r.cycles, r.thread_insts / r.warp_insts,
               r.launches, r.registers);
        fflush(stdout);
    }
}

static void warn_if_busy(const SpeedRun *runs, int n) {
    double least = 1;
    for (int i = 0; i < n; i++)
        if (runs[i].share < least) least = runs[i].share;
    if (least < 0.9)
        printf("\nThe machine was busy (a run got %.0f %% of a processor); figures are of "
               "processor time.\n",
               100 * least);
}

static void usage(FILE *to) {
    fprintf(to,
            "usage: bench/speed [--program FILE] [--data FOLDER] [--size small|paper] "
            "[--repeat N] [KERNEL...]\n"
            "       bench/speed --table [KERNEL...]    instructions and cycles of all kernels, "
            "in Markdown\n"
            "       bench/speed --against FILE [--repeat N] [KERNEL...]    mode model, by turns "
            "with another smcosim\n"
            "       bench/speed --blocks [--repeat N] [BLOCK...]    blocks alone, as in smcosim "
            "verify\n"
            "Kernels: vecadd sgemm spmv bfs when none is named. N: odd, default 3.\n");
}

int main(int argc, char **argv) {
    SpeedOptions o = {
        .program = "build/smcosim", .data = "build/bench", .size = "paper", .repeat = 3};
    static const char *const usual[] = {"vecadd", "sgemm", "spmv", "bfs"};
    const char *const *kernels = usual;
    int nkernels = 4, i = 1;
    while (i < argc && argv[i][0] == '-') {
        if (!strcmp(argv[i], "--help")) {
            usage(stdout);
            return 0;
        }
        if (!strcmp(argv[i], "--table")) {
            o.table = true;
            i++;
            continue;
        }
        if (!strcmp(argv[i], "--blocks")) {
            o.blocks = true;
            i++;
            continue;
        }
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value && !strcmp(argv[i], "--program")) o.program = value;
        else if (value && !strcmp(argv[i], "--against")) o.against = value;
        else if (value && !strcmp(argv[i], "--data")) o.data = value;
        else if (value && !strcmp(argv[i], "--size")) o.size = value;
        else if (value && !strcmp(argv[i], "--repeat")) o.repeat = atoi(value);
        else o.repeat = 0;
        if (o.repeat < 1 || o.repeat > MAX_RUNS) {
            usage(stderr);
            return EXIT_BAD_USAGE;
        }
        i += 2;
    }
    if (o.blocks) return speed_blocks(o.program, argv + i, argc - i, o.repeat);
    if (o.table) {
        kernels = all_kernels;
        nkernels = ALL_KERNELS;
    }
    if (i < argc) {
        kernels = (const char *const *)argv + i;
        nkernels = argc - i;
    }
    if (o.table) {
        print_table(&o, kernels, nkernels);
        return 0;
    }
    if (o.against) {
        printf("%d pairs, size %s, mode model, thousand simulated cycles per second of processor "
               "time; ratio: of the rates\n",
               o.repeat, o.size);
        printf("%-14s %9s %9s %9s %9s %9s %9s %11s\n", "kernel", "cycles", "the other", "this",
               "ratio", "least", "greatest", "processor");
        for (int k = 0; k < nkernels; k++) print_pairs(&o, kernels[k]), fflush(stdout);
        return 0;
    }
    SpeedRun *median = calloc((size_t)nkernels, MODES * sizeof *median);
    if (!median) die("%s%s", "out of memory", "");
    printf("median of %d runs, size %s, thousand simulated cycles per second; ratios are of time "
           "per cycle\n",
           o.repeat, o.size);
    printf("%-14s %9s %6s %5s %9s %9s %9s %9s %9s %9s\n", "", "", "warps", "", "", "", "",
           "lockstep", "lockstep", "lockstep");
    printf("%-14s %9s %6s %5s %9s %9s %9s %9s %9s %9s\n", "kernel", "cycles", "on SM", "IPC",
           "model", "rtl", "lockstep", "/ rtl", "/ model", "x mark");
    for (int k = 0; k < nkernels; k++) {
        measure(&o, kernels[k], median + k * MODES);
        print_speed(kernels[k], median + k * MODES);
        fflush(stdout);
    }
    printf("\nmark: k cycles/s of GPGPU-Sim 4.2.0 without RTL:");
    for (int k = 0; k < MARKS; k++) printf(" %s %g", marks[k].kernel, marks[k].kcycles);
    printf("\n\nwhere the time goes (of the cycle loop)\n");
    for (int k = 0; k < nkernels; k++) print_parts(kernels[k], median + k * MODES);
    warn_if_busy(median, nkernels * MODES);
    free(median);
    return 0;
}
