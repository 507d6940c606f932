// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/summary.h"

#include <inttypes.h>

double summary_ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

// printf-style `format` is always a literal of the caller.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

void summary_row(FILE *out, const char *name, uint64_t value, const char *format, double extra,
                 const char *unit) {
    fprintf(out, "  %-28s %14" PRIu64, name, value);
    if (format) {
        fputs("   ", out);
        fprintf(out, format, extra);
    }
    fprintf(out, "%s%s\n", unit ? " " : "", unit ? unit : "");
}

void summary_energy(FILE *out, Energy e) {
    const double dynamic = e.dynamic + e.dynamic_added, leakage = e.leakage + e.leakage_added;
    summary_row(out, "RF energy, dynamic, nJ", (uint64_t)dynamic, "%.1f %% of it added structures",
                dynamic > 0 ? 100 * e.dynamic_added / dynamic : 0, NULL);
    summary_row(out, "RF energy, leakage, nJ", (uint64_t)leakage, "%.1f %%",
                leakage > 0 ? 100 * e.leakage_added / leakage : 0, NULL);
}
