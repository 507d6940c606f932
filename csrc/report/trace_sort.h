// SPDX-License-Identifier: Apache-2.0
// Lines sorted by time in bounded memory. Lines that do not fit are written to temporary files in
// sorted runs, which are merged.
#ifndef SMCOSIM_REPORT_TRACE_SORT_H
#define SMCOSIM_REPORT_TRACE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct TraceSort TraceSort;

// bytes: size of the lines kept in memory; no line is longer, and no line is empty.
TraceSort *trace_sort_open(size_t bytes);
void trace_sort_put(TraceSort *s, uint64_t key, const char *line, size_t n);
// Writes all lines with ",\n" between them, sorted by key; lines with equal keys keep their order.
// False: a temporary file could not be written (errno).
bool trace_sort_write(TraceSort *s, FILE *out);
void trace_sort_close(TraceSort *s);

// A stream that writes its text to `inner` compressed (gzip); fclose ends it and leaves inner open.
// EOF from fclose: a write failed.
FILE *gzip_open(FILE *inner);

#endif
