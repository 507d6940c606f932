// SPDX-License-Identifier: Apache-2.0
// Frame of the lane tests. SMCOSIM_TEST_FAULT=<name> flips the lowest bit of the named function's
// result: the test that holds it must then fail (tests/ops/faults.sh).
#ifndef SMCOSIM_TESTS_OPS_LANETEST_H
#define SMCOSIM_TESTS_OPS_LANETEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/lane.h"
#include "ptx/ptx.h"
#include "ref.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *lanetest_fault;

static inline uint64_t faulty(const char *name, uint64_t value) {
    return lanetest_fault && !strcmp(lanetest_fault, name) ? value ^ 1 : value;
}

#define EXPECT(name, got_, want_, ...) \
    do { \
        uint64_t got__ = faulty(name, got_), want__ = (want_); \
        if (got__ != want__) { \
            printf("%s: got 0x%" PRIx64 ", want 0x%" PRIx64 " for ", name, got__, want__); \
            printf(__VA_ARGS__); \
            printf("\n"); \
            if (lanetest_fault) exit(1); /* noticed: no need to run the rest */ \
            fail(); \
        } \
    } while (0)

#endif
