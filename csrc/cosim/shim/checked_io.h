// SPDX-License-Identifier: Apache-2.0
// Included before all other headers when Verilator's runtime is compiled. The runtime's writers
// ignore errors of the file system, and it prints to stdout. This header intercepts both. The wave
// writer's scratch files are in memory, because it maps them. A mapping cut off by a full disk or a
// file size limit would end the program with SIGBUS.
#ifndef SMCOSIM_COSIM_CHECKED_IO_H
#define SMCOSIM_COSIM_CHECKED_IO_H

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

// First errno of a failed write since the last smcosim_io_error(true), 0 while none.
int smcosim_io_error(bool clear);
size_t smcosim_fwrite(const void *data, size_t size, size_t n, FILE *f);
int smcosim_fflush(FILE *f);
int smcosim_fclose(FILE *f);
FILE *smcosim_fopen(const char *path, const char *mode);
FILE *smcosim_tmpfile();
void *smcosim_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
int smcosim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef SMCOSIM_IO_CHECKED  // the wave writer
#define fwrite smcosim_fwrite
#define fflush smcosim_fflush
#define fclose smcosim_fclose
#define fopen smcosim_fopen
#define tmpfile smcosim_tmpfile
#define mmap smcosim_mmap
#endif
#define VL_PRINTF smcosim_print

#endif
