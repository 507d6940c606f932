// SPDX-License-Identifier: Apache-2.0
// Shapes that a block declares besides the machine's, and the required share of functional bins.
#include "testing.h"

#include "verify/fourstate.h"

static void parse(const BlockDesc *desc, const char *machine, const StimShape *shape, int *params) {
    Arena arena = {0};
    MachineConfig cfg;
    Diag d = {0};
    if (!config_load(&cfg, &arena, DATA, machine, &d) ||
        !verify_shape_params(desc, &cfg, shape, params, &d))
        fail_msg("%s: %s", desc->name, d.text);
    arena_free(&arena);
}

// Chunk by chunk the stimuli of smcosim verify, golden model only; so many percent of the bins are
// hit.
static void bins_hit(const BlockDesc *desc, const int *params, const char *shape,
                     uint64_t transactions, uint64_t chunk, int percent) {
    Arena arena = {0};
    Diag d = {0};
    const HarnessOptions o = {.desc = desc, .params = params, .model_only = true};
    const BlockStim *stim = block_stim(desc->name);
    VerifyResult r = {.desc = desc, .bins = ARENA_ARRAY(&arena, CoverBin, VERIFY_MAX_BINS)};
    memcpy(r.params, params, sizeof *params * (size_t)desc->nparams);
    r.nbins = verify_bins(stim, params, r.bins);
    r.hits = ARENA_ARRAY(&arena, uint64_t, r.nbins + 1);
    Harness *h = harness_open(&o, &d);
    if (!h) fail_msg("%s: %s", desc->name, d.text);
    for (uint64_t done = 0; done < transactions; done += chunk)
        verify_run_chunk(
            h, 1 + done / chunk, transactions - done < chunk ? transactions - done : chunk,
            chunk == VERIFY_CHUNK && done / chunk % VERIFY_LONG_EVERY == VERIFY_LONG_EVERY - 1
                ? VERIFY_LONG_CYCLES
                : 0,
            r.hits, NULL, NULL);
    harness_close(h);
    verify_count_bins(&arena, stim, &r);
    verify_judge_bins(&arena, &r, percent);
    for (int i = 0; i < r.nbins; i++)
        if (percent == 100 && !r.hits[i] && !r.waivers[i])
            print_error("%s, %s: missing %s, %s\n", desc->name, shape, r.bins[i].group,
                        r.bins[i].name);
    if (r.status != EXIT_PASS) fail_msg("%s, %s: %s", desc->name, shape, r.message);
    arena_free(&arena);
}

// A run of the default length hits every bin, so that one that does not says something about a
// change.
static void default_runs_hit_every_bin(void **state) {
    (void)state;
    for (int i = 0; i < block_desc_count(); i++) {
        const BlockDesc *desc = block_desc(i);
        const BlockStim *stim = block_stim(desc->name);
        int params[BLOCK_MAX_PARAMS];
        assert_true(verify_nshapes(stim) >= 1);
        parse(desc, "fermi", &(StimShape){"", ""}, params);
        bins_hit(desc, params, "fermi", VERIFY_DEFAULT_TRANSACTIONS, VERIFY_CHUNK, 100);
        for (int k = 0; k < verify_nshapes(stim); k++) {
            parse(desc, VERIFY_SHAPE_MACHINE, &stim->shapes[k], params);
            bins_hit(desc, params, stim->shapes[k].params, VERIFY_DEFAULT_TRANSACTIONS,
                     VERIFY_CHUNK, 100);
        }
    }
}

// The short runs of the other simulators exceed the share below which they are no evidence.
static void short_runs_hit_enough_bins(void **state) {
    (void)state;
    for (int i = 0; i < block_desc_count(); i++) {
        int params[BLOCK_MAX_PARAMS];
        parse(block_desc(i), "fermi", &(StimShape){"", ""}, params);
        bins_hit(block_desc(i), params, "fermi", NETLIST_DEFAULT_TRANSACTIONS, FOURSTATE_CHUNK,
                 FOURSTATE_LEAST_BINS);
        bins_hit(block_desc(i), params, "fermi", FOURSTATE_DEFAULT_TRANSACTIONS, FOURSTATE_CHUNK,
                 FOURSTATE_LEAST_BINS);
    }
}

static int same_params(const BlockDesc *desc, const int *a, const int *b) {
    return !memcmp(a, b, sizeof *a * (size_t)desc->nparams);
}

// Shapes differ, state their purpose, and waivers name bins that are there.
static void declarations_make_sense(void **state) {
    (void)state;
    for (int i = 0; i < block_desc_count(); i++) {
        const BlockDesc *desc = block_desc(i);
        const BlockStim *stim = block_stim(desc->name);
        static CoverBin bins[COVER_MAX_BINS];
        int params[8][BLOCK_MAX_PARAMS];
        const int n = verify_nshapes(stim);
        assert_in_range(n, 1, 8);
        for (int k = 0; k < n; k++) {
            parse(desc, VERIFY_SHAPE_MACHINE, &stim->shapes[k], params[k]);
            assert_true(strlen(stim->shapes[k].why) > 5);
            for (int j = 0; j < k; j++) assert_false(same_params(desc, params[j], params[k]));
        }
        for (const StimWaiver *w = stim->waivers; w && w->reason; w++) {
            bool used = false;
            for (int k = 0; k < n; k++) {
                const int nbins = stim->bins(params[k], bins);
                for (int b = 0; b < nbins; b++) {
                    const char *reason = verify_waiver(stim, desc, params[k], &bins[b]);
                    used |= reason && !strcmp(reason, w->reason);
                }
            }
            if (!used)
                fail_msg("%s: the waiver of %s, %s fits no bin of any shape", desc->name, w->group,
                         w->name);
        }
    }
}

static void ill_shapes_are_refused(void **state) {
    (void)state;
    static const StimShape ill[] = {
        {"Dept=5", "x"}, {"Depth=99", "x"}, {"Depth", "x"}, {"Depth=", "x"}, {"Depth=5x", "x"}};
    Arena arena = {0};
    MachineConfig cfg;
    Diag none = {0};
    const BlockDesc *desc = block_desc_find("p_queue");
    assert_true(config_load(&cfg, &arena, DATA, VERIFY_SHAPE_MACHINE, &none));
    for (size_t i = 0; i < sizeof ill / sizeof *ill; i++) {
        int params[BLOCK_MAX_PARAMS];
        Diag d = {0};
        assert_false(verify_shape_params(desc, &cfg, &ill[i], params, &d));
        assert_int_equal(d.status, EXIT_USAGE);
        assert_non_null(strstr(d.text, ill[i].params));
    }
    arena_free(&arena);
}

// ---- verdicts of bins ---------------------------------------------------------------------------

static const StimWaiver waivers[] = {
    {"Depth=5", "ring", "wr*", "no power of two"}, {"", "never", "*", "cannot be"}, {0}};
static const BlockStim waiving = {.waivers = waivers};

// Four bins with these hits, in a p_queue of that depth.
static VerifyResult bins_of(Arena *arena, int depth, const uint64_t hits[4]) {
    static CoverBin bins[] = {
        {"ring", "wraps"}, {"ring", "full"}, {"never", "seen"}, {"other", "wraps"}};
    static uint64_t counted[4];
    VerifyResult r = {.desc = block_desc_find("p_queue"),
                      .bins = bins,
                      .hits = counted,
                      .nbins = 4,
                      .message = ""};
    memcpy(counted, hits, sizeof counted);
    for (int i = 0; i < r.desc->nparams; i++)
        r.params[i] = strcmp(r.desc->params[i].name, "Depth") ? 2 : depth;
    verify_count_bins(arena, &waiving, &r);
    return r;
}

static void bins_decide(void **state) {
    (void)state;
    Arena arena = {0};
    VerifyResult r = bins_of(&arena, 5, (uint64_t[]){0, 1, 0, 1});
    assert_int_equal(r.waived, 2);
    assert_int_equal(r.missing, 0);
    verify_judge_bins(&arena, &r, 100);
    assert_int_equal(r.status, EXIT_PASS);

    r = bins_of(&arena, 4, (uint64_t[]){0, 1, 0, 1});  // there the ring must wrap
    assert_int_equal(r.missing, 1);
    verify_judge_bins(&arena, &r, 0);  // a short run
    assert_int_equal(r.status, EXIT_PASS);
    verify_judge_bins(&arena, &r, 66);
    assert_int_equal(r.status, EXIT_PASS);
    verify_judge_bins(&arena, &r, 100);
    assert_int_equal(r.status, EXIT_VACUOUS);
    assert_string_equal(verify_word(&r), "bins");
    assert_string_equal(r.message, "p_queue: 1 of 3 functional bins were never hit");

    r = bins_of(&arena, 4, (uint64_t[]){0, 1, 0, 0});
    verify_judge_bins(&arena, &r, 40);  // 33 %
    assert_int_equal(r.status, EXIT_VACUOUS);
    assert_non_null(strstr(r.message, "vacuous: 1 of 3 functional bins were hit; at least 40 %"));
    arena_free(&arena);
}

static void a_stale_waiver_is_reported(void **state) {
    (void)state;
    Arena arena = {0};
    VerifyResult r = bins_of(&arena, 5, (uint64_t[]){3, 1, 0, 1});
    verify_judge_bins(&arena, &r, 0);
    assert_int_equal(r.status, EXIT_VACUOUS);
    assert_string_equal(verify_word(&r), "bins");
    assert_non_null(strstr(r.message, "ring, wraps is waived (no power of two) and was hit"));
    r = bins_of(&arena, 5, (uint64_t[]){3, 1, 0, 1});
    r.status = EXIT_MISMATCH;  // a failure is not hidden
    verify_judge_bins(&arena, &r, 100);
    assert_int_equal(r.status, EXIT_MISMATCH);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(declarations_make_sense),
                                       cmocka_unit_test(ill_shapes_are_refused),
                                       cmocka_unit_test(bins_decide),
                                       cmocka_unit_test(a_stale_waiver_is_reported),
                                       cmocka_unit_test(default_runs_hit_every_bin),
                                       cmocka_unit_test(short_runs_hit_enough_bins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
