// SPDX-License-Identifier: Apache-2.0
// Counters of waits and of banks: for each a program that causes this wait and hardly another.
#include "loops.h"

#include "report/report.h"

#define APART(step) "lop3.lut=0xc0 R3, R2, 0x1f, RZ\nimul.lo.u32 R3, R3, " step "\n"
#define FFMA "ffma R4, R0, R1, R2\nffma R5, R0, R1, R2\nffma R6, R0, R1, R2\nffma R7, R0, R1, R2\n"
#define MUFU "mufu.ex2 R4, R0\nmufu.ex2 R5, R0\nmufu.ex2 R6, R0\nmufu.ex2 R7, R0\n"
#define LOADS \
    "ld.shared.b32.u32 R8, [R3]\nld.shared.b32.u32 R9, [R3]\nld.shared.b32.u32 R10, " \
    "[R3]\nld.shared.b32.u32 R11, [R3]\n"
#define LRR "sm.scheduler=lrr "
#define ONE_BANK LRR "rf.banks=1 rf.entries=1024 rf.write_ports=1 "

typedef struct Wait {
    CounterId what;
    double share;  // of the scheduler cycles without issue, at least
    const char *sets, *setup, *body;
    int warps;
} Wait;

// Units of an even interval serve both schedulers: one whose warps ended long before the other's
// would have no instruction left.
static const Wait waits[] = {
    {CTR_STALL_MEMORY, 0.9, LRR, APART("0x80"), LOADS, 48},
    {CTR_STALL_PIPE, 0.9, LRR "exec.mem.interval=8", APART("0x4"), LOADS, 48},
    {CTR_STALL_ORDER, 0.5, "sm.schedulers=1", APART("0x4"), "st.shared.b32 _, [R3], R0\n", 1},
    {CTR_STALL_SFU, 0.9, LRR, "", MUFU, 48},
    {CTR_STALL_SP, 0.9, ONE_BANK, "", FFMA, 48},
    {CTR_STALL_LDST, 0.4, ONE_BANK "oc.mem_share=100", APART("0x4"), FFMA LOADS, 48},
};

static void test_stalls(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        const Wait *w = &waits[i];
        const Loop loop = {
            .sets = w->sets, .setup = w->setup, .body = w->body, .copies = 10, .warps = w->warps};
        Counters c;
        loop_run(&loop, 4, &c);
        uint64_t stalls = 0;
        for (int k = CTR_ISSUED + 1; k <= CTR_STALL_NONE_LEFT; k++) stalls += c.v[k];
        if ((double)c.v[w->what] < w->share * (double)stalls) {
            for (int k = CTR_ISSUED + 1; k <= CTR_STALL_NONE_LEFT; k++)
                print_error("%-26s %llu\n", counter_info[k].name, (unsigned long long)c.v[k]);
            fail_msg("%s: less than %.2f of the cycles without issue", counter_info[w->what].name,
                     w->share);
        }
    }
}

// Port cycles in which an instruction with its operands waits. Of a saturated unit these are all
// but one of each interval, of a unit that takes an instruction in each cycle none.
static void test_dispatch(void **state) {
    (void)state;
    static const struct {
        CounterId what;
        const char *sets, *body;
        int ports;
    } units[] = {
        {CTR_WAIT_SP, LRR "exec.fp32.interval=8", FFMA, 2},
        {CTR_WAIT_SFU, LRR, MUFU, 1},
        {CTR_WAIT_LDST, LRR, LOADS, 1},
    };
    for (int i = 0; i < 3; i++) {
        const Loop loop = {.sets = units[i].sets,
                           .setup = APART("0x80"),
                           .body = units[i].body,
                           .copies = 10,
                           .warps = 48};
        Counters c;
        const double cycles = (double)loop_run(&loop, 2, &c) * units[i].ports;
        for (CounterId k = CTR_WAIT_SP; k <= CTR_WAIT_LDST; k++) {
            const double share = (double)c.v[k] / cycles;
            if (k == units[i].what ? share < 0.7 : share > 0.03)
                fail_msg("%s is %.2f of the port cycles where %s is saturated",
                         counter_info[k].name, share, counter_info[units[i].what].name);
        }
    }
}

// One warp: register r is in bank r mod 4.
static void test_banks(void **state) {
    (void)state;
    Counters c;
    loop_run(&(Loop){.sets = "rf.banks=4",
                     .setup = "",
                     .body = "iadd R5, R1, R17\n",
                     .copies = 100,
                     .warps = 1},
             2, &c);
    assert_in_range(c.bank_reads[1], 400, 410);
    assert_in_range(c.bank_writes[1], 200, 210);
    for (int b = 0; b < COUNTER_BANKS; b++)
        if (b != 1) assert_in_range(c.bank_reads[b] + c.bank_writes[b], 0, 20);
    uint64_t reads = 0, writes = 0;
    for (int b = 0; b < 4; b++) reads += c.bank_reads[b], writes += c.bank_writes[b];
    assert_int_equal(reads, c.v[CTR_RF_READS]);
    assert_int_equal(writes, c.v[CTR_RF_WRITES]);
    const BankUse use = report_bank_use(&c, 4);
    assert_int_equal(use.most_accesses, c.bank_reads[1] + c.bank_writes[1]);
    assert_true(use.least_accesses < 20 && use.most > 0.3 && use.mean < 0.3 * use.most &&
                use.least < 0.1 * use.most);
    // A bank that has something to do in every cycle.
    loop_run(&(Loop){.sets = ONE_BANK, .setup = "", .body = FFMA, .copies = 10, .warps = 48}, 4,
             &c);
    assert_true(report_bank_use(&c, 1).mean > 0.97);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stalls),
                                       cmocka_unit_test(test_dispatch),
                                       cmocka_unit_test(test_banks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
