// SPDX-License-Identifier: Apache-2.0
#ifndef SMCOSIM_BENCH_SPEED_BLOCKS_H
#define SMCOSIM_BENCH_SPEED_BLOCKS_H

// Measures the named blocks (none: all), prints a line per block; returns the exit status.
int speed_blocks(const char *program, char *const *names, int nnames, int repeat);

#endif
