// SPDX-License-Identifier: Apache-2.0
// The engine: the verdict does not depend on the number of jobs, a failing chunk repeats alone,
// failures are sorted by port. A golden model that crashes or hangs is a failure with its seed.
#include "testing.h"

#include <signal.h>
#include <sys/wait.h>

static const char *const blocks[] = {"banked_rf", "operand_collector"};

static void same_results(const VerifyResult *a, const VerifyResult *b) {
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->message, b->message);
    assert_int_equal(a->cycles, b->cycles);
    assert_int_equal(a->driven, b->driven);
    assert_int_equal(a->compared, b->compared);
    assert_int_equal(a->nbins, b->nbins);
    assert_memory_equal(a->hits, b->hits, sizeof *a->hits * (size_t)a->nbins);
    assert_int_equal(a->nfailures, b->nfailures);
    for (int i = 0; i < a->nfailures; i++) {
        assert_int_equal(a->failures[i].seed, b->failures[i].seed);
        assert_memory_equal(&a->failures[i].mismatch, &b->failures[i].mismatch,
                            sizeof a->failures[i].mismatch);
    }
    assert_int_equal(a->nbuckets, b->nbuckets);
    for (int i = 0; i < a->nbuckets; i++) {
        assert_string_equal(a->buckets[i].port, b->buckets[i].port);
        assert_int_equal(a->buckets[i].count, b->buckets[i].count);
    }
}

static void jobs_do_not_matter(void **state) {
    (void)state;
    static const int faults[] = {0, 22, 31};  // none, one that few chunks see, one that all see
    for (int b = 0; b < 2; b++) {
        for (int f = 0; f < 3; f++) {
            Fixture one, many;
            fixture_open(&one, blocks[b], "fermi");
            fixture_open(&many, blocks[b], "fermi");
            one.o.transactions = many.o.transactions = 75000;  // the last chunk is a part
            one.o.harness.testbug = many.o.harness.testbug = b ? (f ? 40 + f : 0) : faults[f];
            many.o.jobs = 3;
            fixture_run(&one);
            fixture_run(&many);
            assert_int_equal(one.r.status, f ? EXIT_MISMATCH : EXIT_PASS);
            same_results(&one.r, &many.r);
            fixture_close(&one);
            fixture_close(&many);
        }
    }
}

static void a_failure_repeats_alone(void **state) {
    (void)state;
    Fixture x, alone;
    fixture_open(&x, "banked_rf", "fermi");
    x.o.harness.testbug = 22;
    x.o.transactions = 55000;
    fixture_run(&x);
    assert_true(x.r.nfailures > 1);
    const VerifyFailure *last = &x.r.failures[x.r.nfailures - 1];
    assert_true(last->seed > x.o.seed);
    fixture_open(&alone, "banked_rf", "fermi");
    alone.o.harness.testbug = 22;
    alone.o.seed = last->seed, alone.o.transactions = last->transactions;
    fixture_run(&alone);
    assert_int_equal(alone.r.chunks, 1);
    assert_int_equal(alone.r.nfailures, 1);
    assert_memory_equal(&alone.r.failures[0].mismatch, &last->mismatch, sizeof last->mismatch);
    fixture_close(&x);
    fixture_close(&alone);
}

// Its stimulus, recorded, written and read again, ends in the same mismatch; without the fault in
// none.
static void a_failure_is_recorded(void **state) {
    (void)state;
    Fixture x;
    char path[] = "/tmp/smcosim-stimulus-XXXXXX";
    fixture_open(&x, "operand_collector", "fermi");
    x.o.harness.testbug = 46;
    fixture_run(&x);
    assert_true(x.r.nfailures > 0);
    Stimulus *s = verify_record_failure(&x.o, &x.r.failures[0], &x.d);
    if (!s) fail_msg("%s", x.d.text);
    close(mkstemp(path));
    assert_true(verify_dump(path, s, &x.d));
    Stimulus *read = stimulus_load(&x.arena, path, &x.d);
    unlink(path);
    if (!read) fail_msg("%s", x.d.text);
    assert_int_equal(read->ncycles, s->ncycles);
    assert_int_equal(read->nwords, s->nwords);
    assert_memory_equal(read->words, s->words, sizeof *s->words * s->nwords);
    for (int bug = 46; bug >= 0; bug -= 46) {
        x.o.harness.testbug = bug;
        Harness *h = harness_open(&x.o.harness, &x.d);
        const Mismatch *m = verify_run_stimulus(h, read);
        if (bug) assert_memory_equal(m, &x.r.failures[0].mismatch, sizeof *m);
        else assert_null(m);
        harness_close(h);
    }
    stimulus_free(s);
    stimulus_free(read);
    fixture_close(&x);
}

static void failures_end_the_run(void **state) {
    (void)state;
    Fixture x;
    fixture_open(&x, "banked_rf", "tiny");
    x.o.harness.testbug = 3;
    x.o.transactions = 5000000;  // 500 chunks
    x.o.jobs = 2;
    fixture_run(&x);
    assert_int_equal(x.r.status, EXIT_MISMATCH);
    assert_true(x.r.nfailures >= VERIFY_MAX_FAILURES);
    assert_true(x.r.chunks_run < x.r.chunks);
    int sum = 0;
    for (int i = 0; i < x.r.nbuckets; i++) sum += x.r.buckets[i].count;
    assert_int_equal(sum, x.r.nfailures);
    fixture_close(&x);
}

// ---- golden models that misbehave ---------------------------------------------------------------

static const BlockModel *good;
static volatile uint64_t ticks;

static void *ill_open(const int *params) {
    ticks = 0;
    return good->open(params);
}
static void crash_tick(void *self, const void *in) {
    if (++ticks == 500) raise(SIGSEGV);
    good->tick(self, in);
}
static void hang_tick(void *self, const void *in) {
    while (ticks >= 500) ticks = 501;
    ticks++;
    good->tick(self, in);
}

static void run_ill(Fixture *x, void (*tick)(void *, const void *)) {
    static BlockModel ill;
    fixture_open(x, "banked_rf", "fermi");
    good = x->o.harness.desc->model;
    ill = *good;
    ill.open = ill_open;
    ill.tick = tick;
    x->o.harness.model = &ill;
    x->o.stuck_seconds = 1;
    fixture_run(x);
}

static void a_crash_is_a_failure(void **state) {
    (void)state;
    Fixture x;
    run_ill(&x, crash_tick);
    assert_int_equal(x.r.status, EXIT_MISMATCH);
    assert_int_equal(x.r.nfailures, 2);  // both chunks: a new worker takes the second
    for (int i = 0; i < 2; i++) {
        assert_string_equal(x.r.failures[i].mismatch.port, "crash");
        assert_int_equal(x.r.failures[i].seed, 1 + i);
        assert_non_null(strstr(x.r.failures[i].rule, "signal 11"));
    }
    fixture_close(&x);
}

static void a_hang_is_a_failure(void **state) {
    (void)state;
    Fixture x;
    run_ill(&x, hang_tick);
    assert_int_equal(x.r.status, EXIT_HANG);
    assert_int_equal(x.r.nfailures, 2);
    assert_string_equal(x.r.failures[0].mismatch.port, "hang");
    fixture_close(&x);
}

// A model that gives other values when it runs a second time.
static void moody_tick(void *self, const void *in) {
    if (++ticks == 400) good->reset(self);
    good->tick(self, in);
}
static void *moody_open(const int *params) {
    static int opened;
    ticks = opened++ % 2 ? 1000 : 0;
    return good->open(params);
}

static void what_does_not_repeat_is_reported(void **state) {
    (void)state;
    Fixture x;
    Diag d = {0};
    static BlockModel moody;
    fixture_open(&x, "operand_collector", "fermi");
    good = x.o.harness.desc->model;
    moody = *good;
    moody.open = moody_open, moody.tick = moody_tick;
    x.o.harness.model = &moody;
    x.o.transactions = 10000;
    VerifyFailure f = {.seed = 1,
                       .transactions = 10000,
                       .mismatch = {.block = "operand_collector", .port = "older"}};
    assert_null(verify_record_failure(&x.o, &f, &d));
    assert_int_equal(d.status, EXIT_NONDETERMINISTIC);
    fixture_close(&x);
}

// ---- the state ----------------------------------------------------------------------------------

// A model whose state is wrong for a while, and whose outputs never are.
static uint64_t edges, since_reset, wrong_from, wrong_to;
static bool right_after_reset;

static void *astray_open(const int *params) {
    edges = since_reset = 0;
    return good->open(params);
}
static void astray_tick(void *self, const void *in) {
    edges++, since_reset++;
    good->tick(self, in);
}
static void astray_reset(void *self) {
    edges++, since_reset = 0;
    good->reset(self);
}
static void astray_observe(void *self, uint32_t addr, uint32_t *words) {
    good->observe(self, addr, words);
    const bool spared = right_after_reset && since_reset == 0;
    if (addr == 0 && edges >= wrong_from && edges < wrong_to && !spared) words[0] ^= 1;
}

static void run_astray(Fixture *x, uint64_t from, uint64_t to, bool after_reset) {
    static BlockModel astray;
    fixture_open(x, "operand_collector", "fermi");
    good = x->o.harness.desc->model;
    astray = *good;
    astray.open = astray_open, astray.tick = astray_tick;
    astray.reset = astray_reset, astray.observe = astray_observe;
    wrong_from = from, wrong_to = to, right_after_reset = after_reset;
    x->o.harness.model = &astray;
    x->o.transactions = 10 * VERIFY_CHUNK;
    fixture_run(x);
    for (int i = 0; i < x->r.nfailures; i++) {
        assert_string_equal(x->r.failures[i].mismatch.port, "state");
        assert_true(x->r.failures[i].mismatch.cycle < to);
    }
}

// State that a reset overwrites is seen in the cycle before it, in the chunks that have resets
// early.
static void the_state_is_compared_before_a_reset(void **state) {
    (void)state;
    Fixture x;
    run_astray(&x, 0, 400, true);
    assert_true(x.r.nfailures >= 2);
    fixture_close(&x);
}

static void the_state_is_compared_now_and_then(void **state) {
    (void)state;
    Fixture x;
    run_astray(&x, 490, 530, false);
    assert_int_equal(x.r.nfailures, x.r.chunks);
    fixture_close(&x);
}

// ---- stopping -----------------------------------------------------------------------------------

static volatile int stop;
static void stop_at_once(void *ctx, const char *block, int done, int chunks) {
    (void)ctx, (void)block, (void)done, (void)chunks;
    stop = 1;
}

static void a_run_can_be_stopped(void **state) {
    (void)state;
    Fixture x;
    fixture_open(&x, "banked_rf", "fermi");
    x.o.transactions = 10000000000;
    x.o.jobs = 2;
    x.o.stop = &stop;
    x.o.progress = stop_at_once;
    fixture_run(&x);
    assert_int_equal(x.r.status, EXIT_INTERRUPTED);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);  // no child is left
    fixture_close(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_do_not_matter),
                                       cmocka_unit_test(a_failure_repeats_alone),
                                       cmocka_unit_test(a_failure_is_recorded),
                                       cmocka_unit_test(failures_end_the_run),
                                       cmocka_unit_test(a_crash_is_a_failure),
                                       cmocka_unit_test(a_hang_is_a_failure),
                                       cmocka_unit_test(what_does_not_repeat_is_reported),
                                       cmocka_unit_test(the_state_is_compared_before_a_reset),
                                       cmocka_unit_test(the_state_is_compared_now_and_then),
                                       cmocka_unit_test(a_run_can_be_stopped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
