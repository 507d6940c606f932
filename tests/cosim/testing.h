// SPDX-License-Identifier: Apache-2.0
#ifndef SMCOSIM_TESTS_COSIM_TESTING_H
#define SMCOSIM_TESTS_COSIM_TESTING_H

#include "bench.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_BINARY_DIR "/data"
#define CACHE TEST_BINARY_DIR "/test-variants"

#endif
