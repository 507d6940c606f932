// SPDX-License-Identifier: Apache-2.0
// bench_gen FOLDER small|paper [NAME...]: writes FOLDER/<name>/<size>/*.bin of the named or all
// kernels.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct BenchKernel {
    const char *name;
    void (*data)(Bench *b);
} BenchKernel;

#define BENCH_KERNEL(name) void name##_data(Bench *b);
#include "kernels.def"
#undef BENCH_KERNEL

static const BenchKernel kernels[] = {
#define BENCH_KERNEL(name) {#name, name##_data},
#include "kernels.def"
#undef BENCH_KERNEL
};
enum { BENCH_KERNELS = sizeof kernels / sizeof kernels[0], BENCH_ENVIRONMENT = 7, BENCH_USAGE = 2 };

static _Noreturn void fail(const char *what, const char *path) {
    fprintf(stderr, "bench_gen: cannot %s %s: %s\n", what, path, strerror(errno));
    exit(BENCH_ENVIRONMENT);
}

void *bench_alloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) fail("allocate", "memory");
    return p;
}

// A counter passed through a mixing function (the constants are those of the SplitMix64 generator).
static uint64_t next64(Bench *b) {
    uint64_t z = b->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t bench_u32(Bench *b) { return (uint32_t)(next64(b) >> 32); }

uint32_t bench_below(Bench *b, uint32_t n) {
    return (uint32_t)(((uint64_t)bench_u32(b) * n) >> 32);
}

float bench_float(Bench *b, float low, float high) {
    return low + (high - low) * ((float)(bench_u32(b) >> 8) * 0x1p-24f);
}

double bench_double(Bench *b, double low, double high) {
    return low + (high - low) * ((double)(next64(b) >> 11) * 0x1p-53);
}

void bench_floats(Bench *b, float *out, size_t n, float low, float high) {
    for (size_t i = 0; i < n; i++) out[i] = bench_float(b, low, high);
}

void bench_save(const Bench *b, const char *file, const void *data, size_t bytes) {
    char path[4096], temp[4200];
    if (snprintf(path, sizeof path, "%s/%s", b->folder, file) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        fail("write", b->folder);
    }
    snprintf(temp, sizeof temp, "%s.%ld.part", path, (long)getpid());
    FILE *f = fopen(temp, "wb");
    if (!f) fail("create", temp);
    // A full disk may show at the write, at the flush or at the close.
    bool ok = fwrite(data, 1, bytes, f) == bytes && fflush(f) == 0 && fsync(fileno(f)) == 0;
    int first_error = errno;
    if (fclose(f) != 0 && ok) {
        ok = false;
        first_error = errno;
    }
    if (!ok) {
        unlink(temp);
        errno = first_error;
        fail("write", path);
    }
    if (rename(temp, path) != 0) {
        first_error = errno;
        unlink(temp);
        errno = first_error;
        fail("rename to", path);
    }
}

static void make_folder(const char *path) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST) fail("create folder", path);
}

static void generate(const BenchKernel *k, const char *root, const char *size) {
    char folder[4000];
    if (snprintf(folder, sizeof folder - 64, "%s/%s", root, k->name) >= (int)sizeof folder - 64) {
        errno = ENAMETOOLONG;
        fail("write below", root);
    }
    make_folder(root);
    make_folder(folder);
    strcat(strcat(folder, "/"), size);
    make_folder(folder);
    Bench b = {.name = k->name, .folder = folder, .paper = strcmp(size, "paper") == 0};
    for (const char *c = k->name; *c; c++) b.state = b.state * 131 + (unsigned char)*c;
    b.state += b.paper;
    k->data(&b);
}

int main(int argc, char **argv) {
    bool bad = argc < 3 || (strcmp(argv[2], "small") != 0 && strcmp(argv[2], "paper") != 0);
    for (int i = 3; i < argc && !bad; i++) {
        bool known = false;
        for (int k = 0; k < BENCH_KERNELS; k++) known |= strcmp(argv[i], kernels[k].name) == 0;
        if (!known) fprintf(stderr, "bench_gen: unknown kernel '%s'\n", argv[i]);
        bad |= !known;
    }
    if (bad) {
        fprintf(stderr, "usage: bench_gen FOLDER small|paper [NAME...]\nkernels:");
        for (int k = 0; k < BENCH_KERNELS; k++) fprintf(stderr, " %s", kernels[k].name);
        fprintf(stderr, "\n");
        return BENCH_USAGE;
    }
    for (int k = 0; k < BENCH_KERNELS; k++) {
        bool wanted = argc == 3;
        for (int i = 3; i < argc; i++) wanted |= strcmp(argv[i], kernels[k].name) == 0;
        if (wanted) generate(&kernels[k], argv[1], argv[2]);
    }
    return 0;
}
