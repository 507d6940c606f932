// SPDX-License-Identifier: Apache-2.0
// Every block in the small shape: RTL and golden model agree and every declared bin is hit. A
// stimulus that never drives anything is found out.
#include "testing.h"

static void check_block(const BlockDesc *desc) {
    Fixture x;
    fixture_open(&x, desc->name, "tiny");
    x.o.transactions = VERIFY_DEFAULT_TRANSACTIONS;
    x.o.jobs = 2;
    fixture_run(&x);
    print_message("%-18s %8llu cycles, %5.0f kcycle/s, %d of %d bins\n", desc->name,
                  (unsigned long long)x.r.cycles, (double)x.r.cycles / x.r.seconds / 1000,
                  x.r.nbins - x.r.missing, x.r.nbins);
    VerifyReport report = fixture_report(&x);
    if (x.r.status != EXIT_PASS) fail_msg("%s", verify_failure_text(&x.arena, &report, 0));
    for (int i = 0; i < x.r.nbins; i++)
        if (!x.r.hits[i] && !x.r.waivers[i])
            fail_msg("%s: bin %s, %s is not hit", desc->name, x.r.bins[i].group, x.r.bins[i].name);
    assert_true(x.r.nbins > 0);
    fixture_close(&x);
}

static void every_block_agrees(void **state) {
    (void)state;
    for (int i = 0; i < block_desc_count(); i++) check_block(block_desc(i));
}

// The environment of a block with everything taken back.
static const BlockStim *whole;
static size_t in_bytes;
static void take_all_back(void *self, void *in, const void *out) {
    (void)self, (void)out;
    memset(in, 0, in_bytes);
}

static void nothing_driven_is_vacuous(void **state) {
    (void)state;
    Fixture x;
    fixture_open(&x, "banked_rf", "fermi");
    whole = block_stim("banked_rf");
    in_bytes = x.o.harness.desc->in_size;
    BlockStim idle = *whole;
    idle.constrain = take_all_back;
    x.o.harness.stim = &idle;
    x.o.transactions = 100;
    fixture_run(&x);
    assert_int_equal(x.r.status, EXIT_VACUOUS);
    assert_non_null(strstr(x.r.message, "vacuous"));
    assert_int_equal(x.r.driven, 0);
    assert_true(x.r.missing > 0);
    fixture_close(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_block_agrees),
                                       cmocka_unit_test(nothing_driven_is_vacuous)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
