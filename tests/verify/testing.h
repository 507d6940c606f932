// SPDX-License-Identifier: Apache-2.0
#ifndef SMCOSIM_TESTS_VERIFY_TESTING_H
#define SMCOSIM_TESTS_VERIFY_TESTING_H

#include "verify/verify_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_BINARY_DIR "/data"
#define CACHE TEST_BINARY_DIR "/test-variants"

// A block in the shape of a machine.
typedef struct Fixture {
    Arena arena;
    MachineConfig cfg;
    int params[BLOCK_MAX_PARAMS];
    VerifyOptions o;
    VerifyResult r;
    Diag d;
} Fixture;

static inline void fixture_open(Fixture *x, const char *block, const char *machine) {
    *x = (Fixture){.o = {.seed = 1, .transactions = 20000, .jobs = 1}};
    if (!config_load(&x->cfg, &x->arena, DATA, machine, &x->d)) fail_msg("%s", x->d.text);
    const BlockDesc *desc = block_desc_find(block);
    if (!desc) fail_msg("no block %s", block);
    if (!block_params_from_config(desc, &x->cfg, x->params, &x->d)) fail_msg("%s", x->d.text);
    x->o.harness =
        (HarnessOptions){.desc = desc, .params = x->params, .data_dir = DATA, .cache_dir = CACHE};
}

static inline void fixture_run(Fixture *x) {
    if (!verify_block(&x->arena, &x->o, &x->r, &x->d))
        fail_msg("%s: %s", x->o.harness.desc->name, x->d.text);
}

static inline void fixture_close(Fixture *x) { arena_free(&x->arena); }

static inline VerifyReport fixture_report(Fixture *x) {
    static const char *reproduce[] = {"smcosim verify block"};
    return (VerifyReport){.version = "v",
                          .command = "c",
                          .cfg = &x->cfg,
                          .results = &x->r,
                          .reproduce = reproduce,
                          .nresults = 1,
                          .jobs = x->o.jobs};
}

#endif
