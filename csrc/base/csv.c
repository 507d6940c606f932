// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <math.h>
#include <string.h>

void csv_text(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void csv_number(FILE *out, double v) {
    if (isfinite(v)) fprintf(out, ",%.10g", v);
    else fputc(',', out);
}
