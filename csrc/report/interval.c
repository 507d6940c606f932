// SPDX-License-Identifier: Apache-2.0
#include "report/interval.h"

#include "base/diag.h"
#include "base/json.h"

#include <math.h>

// ---- Student's t ----

// The probability that |T| is at most t, as a finite sum (Abramowitz and Stegun, 26.7.3, 26.7.4).
static double probability_within(double t, int freedom) {
    const double angle = atan2(t, sqrt(freedom)), c = cos(angle), s = sin(angle);
    const bool odd = freedom % 2;
    double sum = 0, term = odd ? c : 1;
    for (int k = odd ? 3 : 2; k <= freedom; k += 2) {
        sum += term;
        term *= c * c * (k - 1) / k;
    }
    return odd ? 2 / M_PI * (angle + s * sum) : s * sum;
}

// Its 97.5 % quantile with so many degrees of freedom, at least 1.
static double find_quantile(int freedom) {
    double low = 0, high = 16;  // 12.7 with one degree of freedom
    panic_if(freedom < 1, "Student's t with %d degrees of freedom", freedom);
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (probability_within(middle, freedom) < 0.95) low = middle;
        else high = middle;
    }
    return high;
}

// ---- means ----

static double transform_value(double v, IntervalKind kind) {
    if (kind == INTERVAL_ARITHMETIC) return v;
    if (v <= 0) return NAN;
    return kind == INTERVAL_GEOMETRIC ? log(v) : 1 / v;
}

static double transform_back(double v, IntervalKind kind) {
    if (kind == INTERVAL_ARITHMETIC) return v;
    if (kind == INTERVAL_GEOMETRIC) return exp(v);
    return v > 0 ? 1 / v : NAN;
}

Interval interval_of(const double *values, int n, IntervalKind kind) {
    double sum = 0, squares = 0;
    int used = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(values[i])) sum += transform_value(values[i], kind), used++;
    const double mean = sum / used;
    if (!used || !isfinite(mean)) return (Interval){NAN, NAN, NAN, used};
    for (int i = 0; i < n; i++)
        if (isfinite(values[i])) squares += pow(transform_value(values[i], kind) - mean, 2);
    Interval r = {transform_back(mean, kind), NAN, NAN, used};
    if (used < 2) return r;
    const double half = find_quantile(used - 1) * sqrt(squares / (used - 1) / used);
    r.low = transform_back(mean - half, kind);
    r.high = transform_back(mean + half, kind);
    if (kind != INTERVAL_HARMONIC) return r;
    const double low = r.high;  // reciprocals reverse the order
    r.high = r.low;
    r.low = low;
    return r;
}

double interval_half(Interval i) { return (i.high - i.low) / 2; }

const char *interval_text(Arena *arena, Interval i, int digits) {
    if (!isfinite(i.low) || !isfinite(i.high)) return "-";
    return arena_printf(arena, "%.*f to %.*f", digits, i.low, digits, i.high);
}

json_t *interval_json(Interval i) {
    return json_pack("{s:o, s:o, s:o, s:i}", "mean", json_real_or_null(i.mean), "low",
                     json_real_or_null(i.low), "high", json_real_or_null(i.high), "n", i.n);
}

double interval_moves(const double *values, int n) {
    double least = INFINITY, most = -INFINITY;
    const double mean = interval_of(values, n, INTERVAL_ARITHMETIC).mean;
    for (int i = 0; i < n; i++) {
        if (values[i] < least) least = values[i];
        if (values[i] > most) most = values[i];
    }
    return 100 * (most - least) / mean;
}
