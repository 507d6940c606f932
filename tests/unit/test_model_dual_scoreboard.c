// SPDX-License-Identifier: Apache-2.0
// Golden model of dual_scoreboard against scenarios written by hand from its contract and the
// P-mode paper.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/pmode/dual_scoreboard.h"

enum { WARPS = 3, REGS = 63 };
typedef enum Board { N, P } Board;

typedef struct Bench {
    void *model;
    DualScoreboardIn in;
    DualScoreboardOut out;
} Bench;

static void bench_open(Bench *b) {
    const int params[] = {WARPS, REGS, 2, 2};
    memset(b, 0, sizeof *b);
    b->model = dual_scoreboard_model.open(params);
    assert_non_null(b->model);
    dual_scoreboard_model.reset(b->model);
}
static void bench_close(Bench *b) { dual_scoreboard_model.close(b->model); }
static void bench_cycle(Bench *b) {
    dual_scoreboard_model.eval(b->model, &b->in, &b->out);
    dual_scoreboard_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
}

static uint64_t r(int reg) { return 1ull << reg; }

static void query(Bench *b, int port, uint32_t warp, Board board, uint64_t src, uint64_t dst,
                  uint32_t act) {
    b->in.q_warp[port] = warp;
    b->in.q_board[0] |= (uint32_t)board << port;
    b->in.q_src[2 * port] = (uint32_t)src, b->in.q_src[2 * port + 1] = (uint32_t)(src >> 32);
    b->in.q_dst[2 * port] = (uint32_t)dst, b->in.q_dst[2 * port + 1] = (uint32_t)(dst >> 32);
    b->in.q_act[port] = act;
}
// One instruction on port 0: "ready", "wait", or "long" / "skip" / "held".
static const char *verdict(const Bench *b, int port) {
    const uint32_t ready = b->out.q_ready[0] >> port & 1, depends = b->out.q_long[0] >> port & 1,
                   skip = b->out.q_skip[0] >> port & 1;
    assert_true(ready + depends < 2 && skip <= depends);
    return ready ? "ready" : skip ? "skip" : depends ? "long" : "wait";
}
static void says(Bench *b, uint32_t warp, Board board, uint64_t src, uint64_t dst,
                 const char *expected) {
    query(b, 0, warp, board, src, dst, DS_ACT_NONE);
    dual_scoreboard_model.eval(b->model, &b->in, &b->out);
    assert_string_equal(verdict(b, 0), expected);
    memset(&b->in, 0, sizeof b->in);
}
static void issue(Bench *b, uint32_t warp, Board board, uint64_t src, uint64_t dst, uint32_t act,
                  const char *expected) {
    query(b, 0, warp, board, src, dst, act);
    bench_cycle(b);
    assert_string_equal(verdict(b, 0), expected);
}
static void written(Bench *b, int port, uint32_t warp, Board by, uint32_t reg) {
    b->in.wb_valid[0] |= 1u << port;
    b->in.wb_pmode[0] |= (uint32_t)by << port;
    b->in.wb_warp[port] = warp, b->in.wb_reg[port] = reg;
}
static void switches(Bench *b, uint32_t warp, uint32_t reg) {
    b->in.sw_valid[0] = 1, b->in.sw_warp[0] = warp, b->in.sw_reg[0] = reg;
}

// Figure 5: ld r0; add r2; mul r3 = r0, r2 stalls. P-mode: sub r1 = r2, r5; set.lt r4 = r1, r2; the
// branch on r4. Then ld r0 again, a pre-load; add r2; mul is skipped again.
static void figure_5(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    issue(&b, 0, N, r(1), r(0), DS_ACT_LONG, "ready");
    issue(&b, 0, N, r(2), r(2), DS_ACT_ISSUE, "ready");
    says(&b, 0, N, r(0) | r(2), r(3), "long");
    switches(&b, 0, 0);
    written(&b, 0, 0, N, 2);  // the add, in the cycle of the switch
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 1);
    assert_int_equal(b.out.mode[0], 0);
    issue(&b, 0, P, r(0) | r(2), r(3), DS_ACT_LONG, "skip");
    assert_int_equal(b.out.mode[0], 1);
    issue(&b, 0, P, r(2) | r(5), r(1), DS_ACT_ISSUE, "ready");
    says(&b, 0, P, r(1) | r(2), r(4), "wait");
    written(&b, 0, 0, P, 1);
    bench_cycle(&b);
    issue(&b, 0, P, r(1) | r(2), r(4), DS_ACT_ISSUE, "ready");
    written(&b, 1, 0, P, 4);
    bench_cycle(&b);
    says(&b, 0, P, r(4), 0, "ready");                   // the branch is independent
    issue(&b, 0, P, r(1), r(0), DS_ACT_LONG, "ready");  // pre-load
    issue(&b, 0, P, r(2), r(2), DS_ACT_ISSUE, "ready");
    issue(&b, 0, P, r(0) | r(2), r(3), DS_ACT_LONG, "skip");
    says(&b, 0, P, r(3), 0, "skip");  // a branch on it halts P-mode
    written(&b, 0, 0, N, 0);          // the first load
    bench_cycle(&b);
    assert_int_equal(b.out.back[0], 1);
    says(&b, 0, N, r(0) | r(2), r(3), "ready");
    assert_int_equal(b.out.mode[0], 0);
    says(&b, 0, P, r(0) | r(3), 0, "ready");  // nothing is unknown any more
    says(&b, 0, P, r(2), 0, "wait");          // the renamed add is on its way
    bench_close(&b);
}

static void n_mode(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    query(&b, 0, 1, N, 0, r(62) | r(31), DS_ACT_ISSUE), query(&b, 1, 2, N, 0, r(62), DS_ACT_LONG);
    bench_cycle(&b);
    says(&b, 1, N, r(62), 0, "wait");
    says(&b, 1, N, 0, r(31), "wait");
    says(&b, 2, N, 0, r(62), "long");  // write after a load
    says(&b, 2, N, r(31), r(61), "ready");
    says(&b, 0, N, r(62), 0, "ready");
    says(&b, 0, N, r(63), r(63), "ready");  // there is no such register
    written(&b, 0, 1, N, 62), written(&b, 1, 2, N, 62);
    bench_cycle(&b);
    assert_int_equal(b.out.back[0], 0);
    says(&b, 1, N, r(62), 0, "ready");
    says(&b, 1, N, r(62), r(31), "wait");
    says(&b, 2, N, r(62), 0, "ready");
    bench_close(&b);
}

// Warp 0 in P-mode because of a load to r0, with a load to r1 and a short result to r2 outstanding.
static void open_in_p_mode(Bench *b) {
    bench_open(b);
    issue(b, 0, N, 0, r(0), DS_ACT_LONG, "ready");
    issue(b, 0, N, 0, r(1), DS_ACT_LONG, "ready");
    issue(b, 0, N, 0, r(2), DS_ACT_ISSUE, "ready");
    switches(b, 0, 0);
    bench_cycle(b);
    assert_int_equal(b->out.sw_ok[0], 1);
}

static void results_of_n_reach_p_where_it_waits_for_them(void **state) {
    (void)state;
    Bench b;
    open_in_p_mode(&b);
    says(&b, 0, P, r(1), r(5), "skip");
    says(&b, 0, P, r(2), r(5), "wait");
    says(&b, 0, P, 0, r(2), "wait");
    says(&b, 0, P, r(1), r(2), "long");  // would be skipped, but r2 is to be written
    written(&b, 0, 0, N, 1), written(&b, 1, 0, N, 2);
    bench_cycle(&b);
    assert_int_equal(b.out.back[0], 0);  // not the trigger
    says(&b, 0, P, r(1) | r(2), r(5), "ready");
    says(&b, 0, P, r(0), 0, "skip");
    bench_close(&b);
}

static void results_of_n_do_not_touch_what_p_renamed(void **state) {
    (void)state;
    Bench b;
    open_in_p_mode(&b);
    issue(&b, 0, P, 0, r(1), DS_ACT_ISSUE, "ready");  // over the load, renamed
    says(&b, 0, P, r(1), 0, "wait");
    written(&b, 0, 0, N, 1);  // the load: to the old r1
    bench_cycle(&b);
    says(&b, 0, P, r(1), 0, "wait");
    says(&b, 0, N, r(1), 0, "ready");
    written(&b, 0, 0, P, 1);
    bench_cycle(&b);
    says(&b, 0, P, r(1), 0, "ready");
    bench_close(&b);

    open_in_p_mode(&b);
    issue(&b, 0, P, r(0), r(1), DS_ACT_LONG, "skip");
    written(&b, 0, 0, N, 1);
    bench_cycle(&b);
    says(&b, 0, P, r(1), 0, "skip");  // the skipped instruction would have written it
    issue(&b, 0, P, 0, r(1), DS_ACT_ISSUE, "ready");
    written(&b, 0, 0, P, 1);
    bench_cycle(&b);
    says(&b, 0, P, r(1), 0, "ready");  // known again
    bench_close(&b);

    open_in_p_mode(&b);
    query(&b, 0, 0, P, 0, r(1), DS_ACT_ISSUE);
    written(&b, 0, 0, N, 1);  // in the cycle of the issue
    bench_cycle(&b);
    says(&b, 0, P, r(1), 0, "wait");
    bench_close(&b);
}

static void back_keeps_renamed_writes_only(void **state) {
    (void)state;
    Bench b;
    open_in_p_mode(&b);
    issue(&b, 0, P, 0, r(4), DS_ACT_ISSUE, "ready");
    issue(&b, 0, P, 0, r(1), DS_ACT_ISSUE, "ready");
    issue(&b, 0, P, r(0), r(5), DS_ACT_LONG, "skip");
    written(&b, 0, 0, N, 0);
    query(&b, 0, 0, P, 0, r(6), DS_ACT_ISSUE);  // issued in the last cycle of P-mode
    bench_cycle(&b);
    assert_int_equal(b.out.back[0], 1);
    for (int reg = 0; reg < 8; reg++)
        says(&b, 0, P, r(reg), 0, reg == 4 || reg == 1 || reg == 6 ? "wait" : "ready");
    says(&b, 0, N, r(1), 0, "long");  // N's own load goes on
    says(&b, 0, N, r(2), 0, "wait");
    says(&b, 0, N, r(4) | r(5) | r(6), 0, "ready");
    switches(&b, 0, 1);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 0);  // renamed writes of the session before
    written(&b, 0, 0, P, 4), written(&b, 1, 0, P, 1);
    bench_cycle(&b);
    written(&b, 0, 0, P, 6), switches(&b, 0, 1);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 0);  // seen from the next cycle on
    switches(&b, 0, 1);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 1);
    says(&b, 0, P, r(1), 0, "skip");
    bench_close(&b);
}

static void switches_that_nobody_would_end(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    switches(&b, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 0);  // nothing outstanding
    issue(&b, 0, N, 0, r(0), DS_ACT_ISSUE, "ready");
    switches(&b, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 0);  // not long
    issue(&b, 0, N, 0, r(1), DS_ACT_LONG, "ready");
    switches(&b, 0, 1), written(&b, 1, 0, N, 1);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 0);  // written now
    bench_cycle(&b);
    assert_int_equal(b.out.mode[0], 0);
    bench_close(&b);
}

static void an_instruction_that_waits_for_two_loads(void **state) {
    (void)state;
    Bench b;
    open_in_p_mode(&b);
    issue(&b, 0, P, r(0), r(9), DS_ACT_LONG, "skip");
    written(&b, 0, 0, N, 0), switches(&b, 0, 1);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 1);
    assert_int_equal(b.out.back[0], 0);
    says(&b, 0, P, r(9), 0, "skip");  // nothing was copied again
    says(&b, 0, P, r(0), 0, "ready");
    assert_int_equal(b.out.mode[0], 1);
    written(&b, 0, 0, N, 1);
    bench_cycle(&b);
    assert_int_equal(b.out.back[0], 1);
    bench_close(&b);
}

static void clear_wins(void **state) {
    (void)state;
    Bench b;
    open_in_p_mode(&b);
    query(&b, 0, 0, P, 0, r(8), DS_ACT_ISSUE);
    written(&b, 0, 0, N, 0), switches(&b, 0, 1);
    b.in.clr_valid[0] = 1, b.in.clr_warp[0] = 0;
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 0);
    assert_int_equal(b.out.back[0], 0);
    for (int board = N; board <= P; board++) says(&b, 0, (Board)board, ~0ull, ~0ull, "ready");
    assert_int_equal(b.out.mode[0], 0);
    bench_close(&b);
}

static void observation(void **state) {
    (void)state;
    Bench b;
    uint32_t words[10];
    open_in_p_mode(&b);
    issue(&b, 0, P, 0, r(40), DS_ACT_ISSUE, "ready");
    issue(&b, 0, P, r(0), r(33), DS_ACT_LONG, "skip");
    assert_int_equal(dual_scoreboard_model.obs_count(b.model), WARPS);
    dual_scoreboard_model.observe(b.model, 0, words);
    const uint32_t expected[10] = {7, 0, 3, 0, 7, 1u << 8, 3, 1u << 1, 1};
    assert_memory_equal(words, expected, sizeof words);
    dual_scoreboard_model.reset(b.model);
    dual_scoreboard_model.observe(b.model, 0, words);
    const uint32_t nothing[10] = {0};
    assert_memory_equal(words, nothing, sizeof words);
    dual_scoreboard_model.observe(b.model, BLOCK_OBS_PARAM + 1, words);
    assert_int_equal(words[0], REGS);
    bench_close(&b);
}

static void preds(Bench *b, int port, uint32_t src, uint32_t dst) {
    b->in.q_psrc[port] = src, b->in.q_pdst[port] = dst;
}
static void preds_written(Bench *b, int port, uint32_t warp, Board by, uint32_t mask) {
    b->in.pw_valid[0] |= 1u << port;
    b->in.pw_pmode[0] |= (uint32_t)by << port;
    b->in.pw_warp[port] = warp, b->in.pw_mask[port] = mask;
}
static const char *pred_verdict(Bench *b, Board board, uint32_t src, uint32_t dst) {
    query(b, 0, 0, board, 0, 0, DS_ACT_NONE);
    preds(b, 0, src, dst);
    dual_scoreboard_model.eval(b->model, &b->in, &b->out);
    memset(&b->in, 0, sizeof b->in);
    return verdict(b, 0);
}

// A SETP is outstanding at the switch: its result reaches P-mode. One that P-mode skips makes its
// predicate unknown, one that it executes is P-mode's alone; a late one holds the next session up.
static void predicates(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    issue(&b, 0, N, 0, r(0), DS_ACT_LONG, "ready");
    query(&b, 0, 0, N, 0, 0, DS_ACT_ISSUE), preds(&b, 0, 0, 3);  // setp P0, P1
    bench_cycle(&b);
    assert_string_equal(pred_verdict(&b, N, 2, 0), "wait");
    assert_string_equal(pred_verdict(&b, N, 0, 1), "wait");
    assert_string_equal(pred_verdict(&b, N, 4, 4), "ready");
    switches(&b, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 1);
    assert_string_equal(pred_verdict(&b, P, 1, 0), "wait");
    preds_written(&b, 3, 0, N, 3);
    bench_cycle(&b);
    assert_int_equal(b.out.pw_reach[3], 3);
    assert_string_equal(pred_verdict(&b, P, 3, 0), "ready");
    query(&b, 0, 0, P, r(0), 0, DS_ACT_LONG), preds(&b, 0, 0, 1);  // a setp of the load is skipped
    bench_cycle(&b);
    assert_string_equal(verdict(&b, 0), "skip");
    assert_string_equal(pred_verdict(&b, P, 1, 0), "skip");
    assert_string_equal(pred_verdict(&b, N, 1, 0), "ready");
    query(&b, 0, 0, P, 0, 0, DS_ACT_ISSUE), preds(&b, 0, 2, 3);  // another one is executed
    bench_cycle(&b);
    assert_string_equal(verdict(&b, 0), "ready");
    assert_string_equal(pred_verdict(&b, P, 1, 0), "wait");
    preds_written(&b, 0, 0, N, 1);  // (not one of N's that is outstanding)
    written(&b, 0, 0, N, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.back[0], 1);
    issue(&b, 0, N, 0, r(0), DS_ACT_LONG, "ready");
    switches(&b, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 0);  // P1 of the previous session is still in flight
    preds_written(&b, 1, 0, P, 3);
    bench_cycle(&b);
    assert_int_equal(b.out.pw_reach[1], 3);
    switches(&b, 0, 0);
    bench_cycle(&b);
    assert_int_equal(b.out.sw_ok[0], 1);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_5),
        cmocka_unit_test(n_mode),
        cmocka_unit_test(results_of_n_reach_p_where_it_waits_for_them),
        cmocka_unit_test(results_of_n_do_not_touch_what_p_renamed),
        cmocka_unit_test(back_keeps_renamed_writes_only),
        cmocka_unit_test(switches_that_nobody_would_end),
        cmocka_unit_test(an_instruction_that_waits_for_two_loads),
        cmocka_unit_test(clear_wins),
        cmocka_unit_test(predicates),
        cmocka_unit_test(observation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
