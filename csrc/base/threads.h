// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other for microseconds: a waiting thread polls some thousand times,
// then sleeps.
#ifndef SMCOSIM_BASE_THREADS_H
#define SMCOSIM_BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

// A bell wakes sleeping threads. A thread rings the bell after it makes a condition true; this
// costs one load while no thread sleeps.
typedef struct Bell {
    pthread_mutex_t mutex;
    pthread_cond_t rung;
    _Atomic int sleepers;
} Bell;

void bell_open(Bell *b);
void bell_close(Bell *b);
void bell_ring(Bell *b);
// Waits until ready(ctx); polls it `spins` times before the thread sleeps.
void bell_wait(Bell *b, int spins, bool (*ready)(void *ctx), void *ctx);

// Pauses in a loop that polls a value of another thread; i: number of polls so far.
void thread_pause(int i);
// Starts a thread that takes no signals: signals must interrupt the waiting of the starting thread.
// Returns errno.
int thread_begin(pthread_t *thread, void *(*work)(void *ctx), void *ctx);

#endif
