// SPDX-License-Identifier: Apache-2.0
// Speed of the blocks alone, in cycles per second of processor time. In each cycle smcosim verify
// draws stimuli, evaluates golden model and RTL, compares, and counts bins.
#include "speed_blocks.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_BLOCKS = 64, MAX_REPEAT = 99, MAX_ARGUMENTS = MAX_BLOCKS + 16 };

typedef struct BlockSpeed {
    char name[64];
    double cycles, compared, kcycles[MAX_REPEAT];
} BlockSpeed;

static json_t *run_verify(const char *program, char *const *names, int nnames) {
    int ends[2], n = 0, status;
    const char *argv[MAX_ARGUMENTS];
    argv[n++] = program, argv[n++] = "verify";
    for (int i = 0; i < nnames && i < MAX_BLOCKS; i++) argv[n++] = names[i];
    argv[n++] = "--shapes", argv[n++] = "machine", argv[n++] = "--transactions",
    argv[n++] = "1000000", argv[n++] = "--json", argv[n++] = "-", argv[n] = NULL;
    if (pipe(ends) != 0) return NULL;
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]), close(ends[1]);
        execv(program, (char *const *)argv);
        fprintf(stderr, "bench/speed: %s: %s\n", program, strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    json_t *root = pid > 0 && out ? json_loadf(out, 0, NULL) : NULL;
    if (out) fclose(out);
    if (pid > 0) waitpid(pid, &status, 0);
    if (root && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) json_decref(root), root = NULL;
    return root;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int speed_blocks(const char *program, char *const *names, int nnames, int repeat) {
    static BlockSpeed blocks[MAX_BLOCKS];
    int nblocks = 0;
    if (repeat > MAX_REPEAT) repeat = MAX_REPEAT;
    for (int k = 0; k < repeat; k++) {
        json_t *root = run_verify(program, names, nnames), *block;
        size_t i;
        if (!root) {
            fprintf(stderr, "bench/speed: %s verify failed\n", program);
            return 1;
        }
        json_t *host = json_object_get(json_object_get(root, "host"), "blocks");
        json_array_foreach(json_object_get(root, "blocks"), i, block) {
            if (i == MAX_BLOCKS) break;
            const char *name = json_string_value(json_object_get(block, "name"));
            BlockSpeed *b = &blocks[i];
            snprintf(b->name, sizeof b->name, "%s", name);
            b->cycles = json_number_value(json_object_get(block, "cycles"));
            b->compared = json_number_value(json_object_get(block, "compared"));
            b->kcycles[k] = json_number_value(
                                json_object_get(json_object_get(host, name), "cycles_per_second")) /
                1000;
            nblocks = (int)i + 1;
        }
        json_decref(root);
    }
    printf("blocks alone in lockstep, random stimuli, shapes of the default machine; median of %d "
           "runs\n",
           repeat);
    printf("%-20s %10s %12s %10s %10s\n", "block", "cycles", "compared", "kcycle/s", "best");
    for (int i = 0; i < nblocks; i++) {
        qsort(blocks[i].kcycles, (size_t)repeat, sizeof blocks[i].kcycles[0], by_value);
        printf("%-20s %10.0f %12.0f %10.0f %10.0f\n", blocks[i].name, blocks[i].cycles,
               blocks[i].compared, blocks[i].kcycles[repeat / 2], blocks[i].kcycles[repeat - 1]);
    }
    return 0;
}
