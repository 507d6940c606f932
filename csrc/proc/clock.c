// SPDX-License-Identifier: Apache-2.0
#include "proc/clock.h"

#include <sys/resource.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_seconds(void) { return read_clock(CLOCK_MONOTONIC); }
double clock_processor(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

double clock_children(void) {
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return clock_of_usage(&u);
}

double clock_of_usage(const struct rusage *u) {
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
        1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

const char *clock_utc(char text[24]) {
    const time_t t = time(NULL);
    struct tm utc;
    strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    return text;
}
