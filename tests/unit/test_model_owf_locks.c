// SPDX-License-Identifier: Apache-2.0
// Golden model of owf_locks against scenarios written by hand from its contract, and kernels whose
// warps take locks and wait at barriers. They end; with a lock for the first requester they do not.
#include "models/regmutex/owf_locks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Bench {
    void *m;
    OwfLocksIn in;
    OwfLocksOut out;
} Bench;

static Bench bench(int warps, int ctas, uint32_t per_cta, uint32_t pairs) {
    Bench b = {.m = owf_locks_model.open((const int[]){warps, ctas, 2})};
    b.in.cfg_valid[0] = 1, b.in.cfg_warps[0] = per_cta, b.in.cfg_pairs[0] = pairs;
    owf_locks_model.tick(b.m, &b.in);
    b.in = (OwfLocksIn){0};
    return b;
}

static uint32_t cycle(Bench *b) {
    owf_locks_model.eval(b->m, &b->in, &b->out);
    owf_locks_model.tick(b->m, &b->in);
    b->in = (OwfLocksIn){0};
    return b->out.acq_grant[0];
}

static void start(Bench *b, int from, int to) {
    for (int w = from; w <= to; w++) b->in.start_mask[w] = 1;
    cycle(b);
}

static uint32_t acquire(Bench *b, uint32_t warp) {
    b->in.acq_valid[0] = 1, b->in.acq_warp[0] = warp;
    return cycle(b);
}

static void drain(Bench *b, int warp) {
    b->in.exit_mask[warp] = 1;
    cycle(b);
}

// Two CTAs of two warps: 0, 1 and 2, 3.
static void test_one_way(void **unused) {
    (void)unused;
    Bench b = bench(4, 2, 2, 1);
    start(&b, 0, 3);
    assert_int_equal(acquire(&b, 3), 1);  // its CTA is the owner
    assert_int_equal(acquire(&b, 3), 1);
    assert_int_equal(acquire(&b, 0), 0);  // the lock is free, but the owner's warp is live
    assert_int_equal(b.out.may[0] | b.out.may[1], 0);
    assert_int_equal(b.out.may[2] & b.out.owner[2] & b.out.owner[3] & b.out.held[3], 1);
    assert_int_equal(acquire(&b, 2), 1);
    drain(&b, 2);
    assert_int_equal(acquire(&b, 0), 1);  // its partner has drained
    assert_int_equal(acquire(&b, 1), 0);
    drain(&b, 3);  // the owner CTA has ended: the other one is
    assert_int_equal(acquire(&b, 1), 1);
    assert_int_equal(b.out.owner[0] & b.out.owner[1], 1);
    start(&b, 2, 3);  // a CTA in the free slot is not
    assert_int_equal(acquire(&b, 2) | acquire(&b, 3), 0);
    drain(&b, 1);
    assert_int_equal(acquire(&b, 3), 1);
    drain(&b, 0);
    assert_int_equal(acquire(&b, 2), 1);
    owf_locks_model.close(b.m);
}

static void test_ports(void **unused) {
    (void)unused;
    Bench b = bench(6, 3, 2, 1);
    start(&b, 0, 5);
    b.in.acq_valid[0] = 3, b.in.acq_warp[0] = 1, b.in.acq_warp[1] = 2;
    assert_int_equal(cycle(&b), 1);  // the first port made its CTA the owner
    b.in.acq_valid[0] = 3, b.in.acq_warp[0] = 2, b.in.acq_warp[1] = 0;
    assert_int_equal(cycle(&b), 2);
    b.in.acq_valid[0] = 3, b.in.acq_warp[0] = 5, b.in.acq_warp[1] = 4;
    assert_int_equal(cycle(&b), 3);  // a CTA without partner
    assert_int_equal(b.out.held[4] | b.out.owner[4], 0);
    for (int w = 0; w < 6; w++) b.in.exit_mask[w] = 1;
    cycle(&b);
    start(&b, 0, 3);  // nothing left: again the first one that asks
    b.in.acq_valid[0] = 3, b.in.acq_warp[0] = 2, b.in.acq_warp[1] = 3;
    assert_int_equal(cycle(&b), 3);
    b.in.cfg_valid[0] = 1, b.in.cfg_warps[0] = 3, b.in.acq_valid[0] = 1, b.in.acq_warp[0] = 2;
    assert_int_equal(cycle(&b), 0);
    start(&b, 0, 5);
    assert_int_equal(acquire(&b, 5) & acquire(&b, 0), 1);  // no pairs
    owf_locks_model.close(b.m);
}

// ---- kernels ------------------------------------------------------------------------------------

enum { PER_CTA = 3, WARPS = 4 * PER_CTA, STEPS = 3, CTAS = 8 };

// A kernel on two pairs of CTAs: each warp names a shared register before and after barriers, at
// its own step.
typedef struct Kernel {
    uint64_t random;
    // of STEPS barriers; the step from which on it names a shared register
    int step[WARPS], wants[WARPS];
    bool live[WARPS], naive_held[WARPS];
    int started, ended;
} Kernel;

static uint32_t draw(Kernel *k, uint32_t n) {
    k->random = k->random * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((k->random >> 33) % n);
}

static bool at_barrier_all(const Kernel *k, int slot) {
    for (int w = slot * PER_CTA; w < (slot + 1) * PER_CTA; w++)
        if (k->live[w] && !(k->step[w] & 1)) return false;
    return true;
}

// The lock, by the block or by a naive rule.
static bool granted(Kernel *k, Bench *b, int warp, bool naive) {
    const int partner = warp / PER_CTA & 1 ? warp - PER_CTA : warp + PER_CTA;
    if (!naive) return acquire(b, (uint32_t)warp);
    if (k->naive_held[partner]) return false;
    return k->naive_held[warp] = true;
}

// Even steps: between barriers; odd steps: at one. True: the warp moved.
static bool move(Kernel *k, Bench *b, int w, bool naive) {
    const int slot = w / PER_CTA;
    if (!k->live[w]) return false;
    if (k->step[w] & 1) {
        if (!at_barrier_all(k, slot)) return false;
        for (int i = slot * PER_CTA; i < (slot + 1) * PER_CTA; i++) k->step[i]++;
        return true;
    }
    if (k->step[w] >= k->wants[w] && !granted(k, b, w, naive)) return false;
    if (k->step[w] < 2 * STEPS) return k->step[w]++, true;
    drain(b, w);
    k->live[w] = k->naive_held[w] = false;
    for (int i = slot * PER_CTA; i < (slot + 1) * PER_CTA; i++)
        if (k->live[i]) return true;
    return k->ended++, true;
}

static void launch(Kernel *k, Bench *b, int slot) {
    for (int w = slot * PER_CTA; w < (slot + 1) * PER_CTA; w++)
        if (k->live[w]) return;
    start(b, slot * PER_CTA, (slot + 1) * PER_CTA - 1);
    k->started++;
    for (int w = slot * PER_CTA; w < (slot + 1) * PER_CTA; w++)
        k->live[w] = true, k->step[w] = 0, k->wants[w] = 2 * (int)draw(k, STEPS);
}

static bool ends(uint64_t seed, bool naive) {
    Kernel k = {.random = seed};
    Bench b = bench(WARPS, 4, PER_CTA, 2);
    for (int still = 0; k.ended < CTAS && still < 2000; still++) {
        if (k.started < CTAS) launch(&k, &b, (int)draw(&k, 4));
        if (move(&k, &b, (int)draw(&k, WARPS), naive)) still = 0;
    }
    owf_locks_model.close(b.m);
    return k.ended == CTAS;
}

static void test_kernels_end(void **unused) {
    (void)unused;
    int stuck = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        assert_true(ends(seed, false));
        stuck += !ends(seed, true);
    }
    assert_true(stuck > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_way), cmocka_unit_test(test_ports),
                                       cmocka_unit_test(test_kernels_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
