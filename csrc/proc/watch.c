// SPDX-License-Identifier: Apache-2.0
#include "proc/watch.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static Watch *watched;  // of this process, for its signal handler; set once after the fork

static void on_watch(int number) {
    (void)number;
    if (watched->alive != watched->seen) {
        watched->seen = watched->alive;
        return;
    }
    watched->stuck = true;
    _exit(1);
}

void watch_start(Watch *w, int seconds) {
    watched = w;
    struct sigaction act = {.sa_handler = on_watch, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &act, NULL);
    const struct itimerval every = {{seconds, 0}, {seconds, 0}};
    setitimer(ITIMER_PROF, &every, NULL);
}
