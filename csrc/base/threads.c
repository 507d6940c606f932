// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"

#include <sched.h>
#include <signal.h>

enum { PAUSES = 64 };  // then another thread may have the core

void thread_pause(int i) {
#if defined __x86_64__
    if (i % PAUSES) __builtin_ia32_pause();
    else
#endif
        sched_yield();
}

int thread_begin(pthread_t *thread, void *(*work)(void *ctx), void *ctx) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(thread, NULL, work, ctx);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void bell_open(Bell *b) {
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->rung, NULL);
}

void bell_close(Bell *b) {
    pthread_cond_destroy(&b->rung);
    pthread_mutex_destroy(&b->mutex);
}

// A sleeper counts itself before its last look at the condition. The ringer changes the condition
// before it looks at the sleepers. So one of the two sees the other.
void bell_ring(Bell *b) {
    if (!atomic_load(&b->sleepers)) return;
    pthread_mutex_lock(&b->mutex);
    pthread_cond_broadcast(&b->rung);
    pthread_mutex_unlock(&b->mutex);
}

void bell_wait(Bell *b, int spins, bool (*ready)(void *ctx), void *ctx) {
    for (int i = 0; i < spins; i++) {
        if (ready(ctx)) return;
        thread_pause(i);
    }
    pthread_mutex_lock(&b->mutex);
    atomic_fetch_add(&b->sleepers, 1);
    while (!ready(ctx)) pthread_cond_wait(&b->rung, &b->mutex);
    atomic_fetch_sub(&b->sleepers, 1);
    pthread_mutex_unlock(&b->mutex);
}
