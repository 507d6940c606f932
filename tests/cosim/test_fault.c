// SPDX-License-Identifier: Apache-2.0
// Faults injected through fault_i change the state bit that their name says, at the clock edge that
// was asked for, and nothing else.
#include "testing.h"

typedef struct Case {
    const char *block, *place;
    uint32_t addr;
    int bit;
} Case;

// Observation addresses of the fermi shape: 4 banks x 256 entries; 16 collectors of 3 operands.
static const Case cases[] = {
    {"banked_rf", "bank0.entry0.lane0.bit0", 0, 0},
    {"banked_rf", "bank2.entry3.lane9.bit21", 2 * 256 + 3, 2 * 256 + 9 * 8 + 5},
    {"banked_rf", "bank3.entry255.lane31.bit31", 3 * 256 + 255, 1023},
    {"banked_rf", "bank1.first.bit0", 1024 + 1, 0},
    {"banked_rf", "0x102.77", 0x102, 77},
    {"operand_collector", "coll2.busy", 2, 0},
    {"operand_collector", "coll2.need1", 2, 2},
    {"operand_collector", "coll2.granted0", 2, 4},
    {"operand_collector", "coll2.arrived2", 2, 9},
    {"operand_collector", "coll2.next.bit0", 2, 10},
    {"operand_collector", "coll2.next.bit1", 2, 11},
    {"operand_collector", "coll2.unit.bit1", 2, 13},
    {"operand_collector", "coll2.older5", 2, 37},
    {"operand_collector", "coll2.entry1.bit7", 2, 3 * 32 + 7},
    {"operand_collector", "coll2.bank2.bit1", 2, 4 * 32 + 16 + 1},
    {"operand_collector", "coll2.row1.lane4.bit9", 16 + 2 * 3 + 1, 256 + 4 * 8 + 1},
    {"operand_collector", "23.300", 23, 300},
};

// Difference of the observed state one cycle after the injection in cycle `at`; false: none is seen
// (a free collector shows no state).
static bool injected(const Case *k, const char *kind, uint64_t at, Mismatch *m) {
    bool oc = k->block[0] == 'o';
    char spec[128];
    snprintf(spec, sizeof spec, "%s:%s:%s@%llu", k->block, k->place, kind, (unsigned long long)at);
    Bench b = {.kind = BENCH_CONNECTED};
    Diag d = {0};
    CosimOptions o = {.blocks =
                          oc ? "model,operand_collector=lockstep" : "model,banked_rf=lockstep",
                      .fault = spec,
                      .cache_dir = CACHE};
    if (!bench_open(&b, DATA, "fermi", &o, 21, &d)) fail_msg("%s", d.text);
    bench_cycles(&b, at);
    assert_null(cosim_mismatch(b.cosim));
    bench_cycles(&b, 1);
    assert_null(cosim_mismatch(b.cosim));  // the outputs of that cycle are from before the edge
    bool same = cosim_finish(b.cosim, &d);
    if (!same) *m = *cosim_mismatch(b.cosim);
    char text[400];
    assert_true(cosim_fault(b.cosim, text, sizeof text));
    assert_non_null(strstr(text, same ? "not observed" : "found by the comparison of state"));
    bench_close(&b);
    return !same;
}

static uint32_t bit_of(const uint32_t *words, int bit) { return words[bit / 32] >> (bit % 32) & 1; }

static void flips_the_bit(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Case *k = &cases[i];
        bool seen = false;
        for (uint64_t at = 300; at < 340 && !seen; at++) {
            Mismatch m;
            if (!injected(k, "flip", at, &m)) continue;
            if (m.obs_addr != k->addr || bit_of(m.expected, k->bit) == bit_of(m.actual, k->bit))
                continue;
            seen = true;
            // A state that is shown in one piece (a free collector, an operand not needed) changes
            // more than one bit.
            bool alone = !strstr(k->place, "busy") && !strstr(k->place, "need");
            for (int w = 0; w < 32 && alone; w++)
                assert_int_equal(m.expected[w] ^ m.actual[w],
                                 w == k->bit / 32 ? 1u << (k->bit % 32) : 0);
        }
        if (!seen)
            fail_msg("%s:%s: bit %d of address 0x%x was never seen flipped", k->block, k->place,
                     k->bit, k->addr);
    }
}

static void holds_the_bit(void **state) {
    (void)state;
    static const Case cell = {"banked_rf", "bank1.entry2.lane5.bit3", 256 + 2, 5 * 8 + 3};
    int ones = 0, zeros = 0;
    for (uint64_t at = 300; at < 312; at++) {
        Mismatch m;
        if (injected(&cell, "sa1", at, &m)) ones++, assert_int_equal(bit_of(m.actual, cell.bit), 1);
        if (injected(&cell, "sa0", at, &m))
            zeros++, assert_int_equal(bit_of(m.actual, cell.bit), 0);
    }
    assert_int_equal(ones + zeros, 12);  // exactly one of them differs from the stored value
}

// Held for good: the bit is wrong again after it was written.
static void keeps_holding(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF};
    Diag d = {0};
    CosimOptions o = {.blocks = "model,banked_rf=lockstep",
                      .fault = "banked_rf:bank0.entry1.lane0.bit0:sa1@20",
                      .cache_dir = CACHE};
    assert_true(bench_open(&b, DATA, "fermi", &o, 4, &d));
    bench_cycles(&b, 5000);
    const Mismatch *m = cosim_mismatch(b.cosim);
    assert_non_null(m);
    assert_string_equal(m->port, "rd_data");
    assert_int_equal(m->element, 0);
    assert_int_equal(m->expected[0] ^ m->actual[0], 1);
    assert_int_equal(m->actual[0] & 1, 1);
    bench_close(&b);
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        CosimOptions o;
        const char *piece;
    } bad[] = {
        {{.fault = "banked_rf"}, "expected BLOCK:PLACE:flip|sa0|sa1"},
        {{.fault = "banked_rf:1.1"}, "expected BLOCK:PLACE"},
        {{.fault = "banked_rf:1.1:set"}, "expected BLOCK:PLACE"},
        {{.fault = "banked_rf:1.1:flip@"}, "expected BLOCK:PLACE"},
        {{.fault = "banked_rf:1.1:flip@3x"}, "expected BLOCK:PLACE"},
        {{.fault = "bank_rf:1.1:flip"}, "did you mean 'banked_rf'?"},
        {{.fault = "banked_rf:1.1:flip", .blocks = "model"}, "runs as model"},
        {{.fault = "banked_rf:bank4.entry0.lane0.bit0:flip"},
         "bank is out of range, expected 0 to 3"},
        {{.fault = "banked_rf:bank0.entry0.lane0.bit32:flip"},
         "bit is out of range, expected 0 to 31"},
        {{.fault = "banked_rf:bank0.entry0:flip"}, "expected ADDRESS.BIT, bankN.entryN.laneN.bitN"},
        {{.fault = "banked_rf:1028.0:flip"}, "addresses 0 to 1027 with bits 0 to 1023"},
        {{.fault = "banked_rf:1027.1024:flip"}, "addresses 0 to 1027"},
        {{.fault = "operand_collector:coll16.busy:flip"}, "coll is out of range, expected 0 to 15"},
        {{.fault = "operand_collector:coll1.busy3:flip"}, "expected ADDRESS.BIT, collN.busy"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Bench b = {0};
        Diag d = {0};
        CosimOptions o = bad[i].o;
        o.cache_dir = CACHE;
        if (bench_open(&b, DATA, "fermi", &o, 1, &d)) fail_msg("%s was accepted", o.fault);
        assert_int_equal(d.status, EXIT_USAGE);
        if (!strstr(d.text, bad[i].piece)) fail_msg("'%s' is not in: %s", bad[i].piece, d.text);
        arena_free(&b.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flips_the_bit),
                                       cmocka_unit_test(holds_the_bit),
                                       cmocka_unit_test(keeps_holding), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
