// SPDX-License-Identifier: Apache-2.0
// Included before everything when Verilator's runtime is compiled: its writers ignore errors of the
// file system and it prints to stdout. Both are caught here.
#ifndef SMCOSIM_COSIM_CHECKED_IO_H
#define SMCOSIM_COSIM_CHECKED_IO_H

#include <cstdio>
#include <cstdlib>

// First errno of a failed write since the last smcosim_io_error(true), 0 while none.
int smcosim_io_error(bool clear);
size_t smcosim_fwrite(const void *data, size_t size, size_t n, FILE *f);
int smcosim_fflush(FILE *f);
int smcosim_fclose(FILE *f);
int smcosim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef SMCOSIM_IO_CHECKED  // the wave writer
#define fwrite smcosim_fwrite
#define fflush smcosim_fflush
#define fclose smcosim_fclose
#endif
#define VL_PRINTF smcosim_print

#endif
