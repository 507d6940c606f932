// SPDX-License-Identifier: Apache-2.0
// smcosim compress: how far each line codec compresses given data.
#include "cli/cli.h"
#include "cli/kernels.h"
#include "launch/launch.h"
#include "mem/line_compress.h"

#include <string.h>
#include <unistd.h>

typedef struct Tally {
    uint64_t lines, bursts[COMPRESS_CODECS], raw[COMPRESS_CODECS];
} Tally;

// The last line is filled up with zeros, as it is in device memory.
static void add_line(Tally *t, const char *text, size_t bytes) {
    uint8_t line[COMPRESS_LINE] = {0}, image[COMPRESS_IMAGE];
    memcpy(line, text, bytes < sizeof line ? bytes : sizeof line);
    t->lines++;
    for (int c = 0; c < COMPRESS_CODECS; c++) {
        const int length = compress_line((CompressCodec)c, line, image);
        t->bursts[c] += (uint64_t)compress_bursts(length);
        t->raw[c] += !length;
    }
}

static void add_tally(Tally *sum, const Tally *t) {
    sum->lines += t->lines;
    for (int c = 0; c < COMPRESS_CODECS; c++)
        sum->bursts[c] += t->bursts[c], sum->raw[c] += t->raw[c];
}

static void print_tally(const char *name, const Tally *t) {
    printf("%-36s %8llu", name, (unsigned long long)t->lines);
    for (int c = 0; c < COMPRESS_CODECS; c++)
        printf("  %5.2f", (double)(t->lines * COMPRESS_RAW_BURSTS) / (double)t->bursts[c]);
    for (int c = 0; c < COMPRESS_CODECS; c++)
        printf("  %5.1f", 100.0 * (double)t->raw[c] / (double)t->lines);
    printf("\n");
}

static void print_head(void) {
    printf("%-36s %8s  %-26s  %s\n%-36s %8s", "", "", "ratio", "% of lines raw", "data", "lines");
    for (int i = 0; i < 2 * COMPRESS_CODECS; i++)
        printf("  %5s", compress_name[i % COMPRESS_CODECS]);
    printf("\n");
}

static bool data_file(const char *path, const char *shown, Tally *sum, Diag *d) {
    Arena file = {0};
    char *text;
    size_t bytes;
    Tally t = {0};
    bool ok = file_read(&file, path, &text, &bytes, d);
    if (ok && !bytes) ok = diag_fail(d, EXIT_USAGE, "%s: no data", path);
    for (size_t at = 0; ok && at < bytes; at += COMPRESS_LINE) add_line(&t, text + at, bytes - at);
    arena_free(&file);
    if (!ok) return false;
    if (!sum->lines) print_head();
    print_tally(shown, &t);
    add_tally(sum, &t);
    return true;
}

// A file is data unless its name is that of a launch file. An operand that is no file may be a
// kernel.
static bool is_launch(const char *operand) {
    const char *dot = strrchr(operand, '.');
    if (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".json")))
        return true;
    return access(operand, F_OK) && !(dot && !strchr(dot, '/'));
}

// Each buffer with initial data.
static bool launch_file(Arena *arena, const char *operand, Tally *sum, Diag *d) {
    const char *path = kernels_launch(arena, operand, d);
    const Launch *l = path ? launch_load(arena, path, d) : NULL;
    if (!l) return false;
    int n = 0;
    for (int i = 0; i < l->nbuffers; i++) {
        char name[80];
        if (!l->buffers[i].init) continue;
        snprintf(name, sizeof name, "%s: %s", l->name, l->buffers[i].name);
        if (!data_file(l->buffers[i].init, name, sum, d)) return false;
        n++;
    }
    return n || diag_fail(d, EXIT_USAGE, "%s: no buffer has initial data", path);
}

static int run_compress(int argc, char **argv) {
    Diag d = {0};
    Arena arena = {0};
    Tally sum = {0};
    int first;
    bool done;
    if (!cli_parse(&command_compress, argc, argv, NULL, &first, &done, &d)) return cli_fail(&d);
    if (done) return EXIT_PASS;
    if (first == argc) {
        diag_fail(&d, EXIT_USAGE, "compress: expected data files or launch files, found none");
        return cli_fail(&d);
    }
    bool ok = true;
    for (int i = first; ok && i < argc; i++)
        ok = is_launch(argv[i]) ? launch_file(&arena, argv[i], &sum, &d)
                                : data_file(argv[i], argv[i], &sum, &d);
    if (ok) print_tally("all", &sum);
    arena_free(&arena);
    return ok ? EXIT_PASS : cli_fail(&d);
}

static const CliExample examples[] = {
    {"smcosim compress a.bin b.bin", "compress the lines of two files"},
    {"smcosim compress nw bfs my.yaml",
     "compress the buffers with initial data of three launch files"},
    {0},
};

const Command command_compress = {
    .name = "compress",
    .synopsis = "FILE|LAUNCH|KERNEL...",
    .operand = "FILE",
    .summary = "show the compression ratios of line codecs",
    .about = "Compresses each line of 128 bytes with BDI, FPC, C-Pack, and the best of the three, "
             "as CABA's assist warps do. The ratio is the number of raw bursts (32 bytes each, 4 "
             "per line) divided by the number of compressed bursts.",
    .examples = examples,
    .run = run_compress,
};
