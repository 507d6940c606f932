// SPDX-License-Identifier: Apache-2.0
// --threads: how many threads simulate one run.
#include "cli/cli.h"
#include "session/session.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

// Number of running and runnable processes, including this one; 1 if the system does not report it.
static int count_running(void) {
    int n = 1;
    FILE *f = fopen("/proc/loadavg", "r");
    if (!f) return 1;
    if (fscanf(f, "%*s %*s %*s %d/", &n) != 1 || n < 1) n = 1;
    fclose(f);
    return n;
}

static uint64_t idle_cores(void) {
    cpu_set_t set;
    const int mine = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    const int idle = mine - (count_running() - 1);
    return idle < 1 ? 1 : idle > MOST ? MOST : (uint64_t)idle;
}

bool session_set_threads(SessionOptions *o, const char *value, Diag *d) {
    o->threads_auto = !strcmp(value, "auto");
    if (!o->threads_auto) return cli_number("threads", value, 1, MOST, &o->threads, d);
    o->threads = idle_cores();
    return true;
}
