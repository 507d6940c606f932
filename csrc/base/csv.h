// SPDX-License-Identifier: Apache-2.0
// Fields of a CSV file (RFC 4180).
#ifndef SMCOSIM_BASE_CSV_H
#define SMCOSIM_BASE_CSV_H

#include <stdio.h>

// A text, in quotes where its characters require them.
void csv_text(FILE *out, const char *text);
// A comma and a number; NaN and infinities: an empty field.
void csv_number(FILE *out, double v);

#endif
