// SPDX-License-Identifier: Apache-2.0
// Golden model of rf_datapath against scenarios written by hand from its contract. They cover the
// cycle in which an instruction advances, the cycle in which a result is written, and the contents
// of registers after growth, shrinking, moves and frees.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/rename/alloc_unit.h"
#include "models/collect/coalescer.h"
#include "models/rf/rf_datapath.h"

enum {
    WARPS = 4,
    REGS = 16,
    BANKS = 2,
    ENTRIES = 16,
    COLLS = 2,
    OPS = 3,
    ALLOCS = 2,
    UNITS = 1,
    WRITERS = 2
};
enum { ALL = -1, PATIENCE = 40 };

typedef struct Bench {
    void *model;
    RfDatapathIn in;
    RfDatapathOut out;
    uint32_t policy, mode, table, hold;
    // since counting began; kind: of the last place given
    int reads, writes, merges, grown, kind, bd;
} Bench;

static void bench_shape(Bench *b, uint32_t policy, uint32_t mode, int banks, int entries) {
    const int params[] = {WARPS, REGS, banks, entries, COLLS, OPS, ALLOCS, UNITS, WRITERS, 1};
    memset(b, 0, sizeof *b);
    b->model = rf_datapath_model.open(params);
    assert_non_null(b->model);
    rf_datapath_model.reset(b->model);
    for (int t = 0; t < 40; t++) rf_datapath_model.tick(b->model, &b->in);  // alloc_unit opens rows
    b->policy = policy, b->mode = mode;
}

static void bench_open(Bench *b, uint32_t policy, uint32_t mode) {
    bench_shape(b, policy, mode, BANKS, ENTRIES);
}

static void bench_close(Bench *b) { rf_datapath_model.close(b->model); }

static void show(Bench *b) {
    b->in.cfg_policy[0] = b->policy, b->in.cfg_mode[0] = b->mode, b->in.cfg_pack[0] = 1,
    b->in.cfg_table[0] = b->table;
    b->in.cfg_shrink[0] = b->hold;
    rf_datapath_model.eval(b->model, &b->in, &b->out);
}

// Ends the cycle, takes all requests back, shows the next one.
static void bench_tick(Bench *b) {
    show(b);
    rf_datapath_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
    show(b);
    b->reads += __builtin_popcount(b->out.obs_bank_read[0]);
    b->writes += __builtin_popcount(b->out.obs_bank_write[0]);
    b->merges += (int)b->out.obs_merge[0];
    b->bd += __builtin_popcount(b->out.obs_bd[0]);
    if (b->out.obs_alloc[0]) b->kind = (int)b->out.obs_kind[__builtin_ctz(b->out.obs_alloc[0])];
    b->grown += b->out.obs_alloc[0] && b->kind == AU_GROW;
}

// Runs until the model is idle; instructions that are complete leave.
static void settle(Bench *b) {
    for (int t = 0; t < 16; t++) {
        b->in.disp_ready[0] = 1;
        bench_tick(b);
    }
}

static void count_anew(Bench *b) { b->reads = b->writes = b->merges = b->grown = b->bd = 0; }

static void issue(Bench *b, int a, uint32_t warp, int n, const uint8_t *regs, int ndst,
                  const uint8_t *dst) {
    b->in.is_valid[0] |= 1u << a;
    b->in.is_warp[a] = warp, b->in.is_need[a] = (1u << n) - 1, b->in.is_dst_n[a] = (uint32_t)ndst;
    for (int i = 0; i < n; i++) b->in.is_reg[a * OPS + i] = regs[i];
    for (int i = 0; i < ndst; i++) b->in.is_dst_reg[a * DP_MAX_DST + i] = dst[i];
}

static void fill(uint32_t lanes[32], int32_t value) {
    for (int i = 0; i < 32; i++) lanes[i] = (uint32_t)value;
}

// The result of a destination shown at port a in this cycle.
static void result(Bench *b, int w, uint32_t warp, uint32_t reg, uint32_t active,
                   const uint32_t lanes[32], int a) {
    RfDatapathIn *in = &b->in;
    const RfDatapathOut *o = &b->out;
    in->wr_valid[0] |= 1u << w;
    in->wr_warp[w] = warp, in->wr_reg[w] = reg, in->wr_lane[w] = active;
    rf_slices_from_lanes(in->wr_data[w], lanes);
    in->wr_old_mask[w] = o->ds_mask[a], in->wr_old_bank[w] = o->ds_bank[a],
    in->wr_old_entry[w] = o->ds_entry[a];
    in->wr_pair[0] |= (o->ds_pair[0] >> a & 1) << w;
    in->wr_buddy[w] = o->ds_buddy[a], in->wr_align[w] = o->ds_align[a];
}

// Looks the register up as an instruction's destination; its answer is shown when this returns.
static void look_up(Bench *b, uint32_t warp, uint8_t reg) {
    show(b);
    assert_int_equal(b->out.is_ready[0] & 1, 1);
    issue(b, 0, warp, 0, NULL, 1, &reg);
    b->in.disp_ready[0] = 1;
    bench_tick(b);
    assert_int_equal(b->out.ds_valid[0], 1);
    assert_int_equal(b->out.ds_index[0], 0);
}

// Writes a register; returns the cycles from its acceptance until it is done.
static int write_lanes(Bench *b, uint32_t warp, uint8_t reg, uint32_t active,
                       const uint32_t lanes[32]) {
    look_up(b, warp, reg);
    result(b, 0, warp, reg, active, lanes, 0);
    show(b);
    assert_int_equal(b->out.wr_ready[0], 1);
    for (int t = 0; t < PATIENCE; t++) {
        b->in.disp_ready[0] = 1;
        bench_tick(b);
        if (b->out.wr_done[0]) return t + 1;
    }
    fail_msg("the result is never written");
    return 0;
}

static int write_reg(Bench *b, uint32_t warp, uint8_t reg, uint32_t active, int32_t value) {
    uint32_t lanes[32];
    fill(lanes, value);
    const int cycles = write_lanes(b, warp, reg, active, lanes);
    settle(b);
    return cycles;
}

// Reads registers in one instruction; returns the accesses of banks that it took.
static int read_regs(Bench *b, uint32_t warp, int n, const uint8_t *regs, uint32_t lanes[OPS][32]) {
    settle(b);
    count_anew(b);
    issue(b, 0, warp, n, regs, 0, NULL);
    for (int t = 0; t < PATIENCE; t++) {
        bench_tick(b);
        if (!b->out.disp_valid[0]) continue;
        for (int i = 0; i < n; i++) rf_lanes_from_slices(lanes[i], b->out.disp_data[i]);
        b->in.disp_ready[0] = 1;
        settle(b);
        return b->reads;
    }
    fail_msg("the instruction is never complete");
    return 0;
}

static void assert_holds(Bench *b, uint32_t warp, uint8_t reg, uint32_t active, int32_t value,
                         int32_t rest) {
    uint32_t lanes[OPS][32];
    read_regs(b, warp, 1, &reg, lanes);
    for (int i = 0; i < 32; i++)
        assert_int_equal((int32_t)lanes[0][i], active >> i & 1 ? value : rest);
}

static void load_hint(Bench *b, uint32_t op, uint32_t reg, uint32_t value) {
    b->in.hl_valid[0] = 1, b->in.hl_op[0] = op, b->in.hl_reg[0] = reg, b->in.hl_value[0] = value;
    bench_tick(b);
}

static void pair_up(Bench *b, uint32_t r, uint32_t s) {
    load_hint(b, AU_HINT_PAIR, r, s);
    load_hint(b, AU_HINT_PAIR, s, r);
}

static void release(Bench *b, uint32_t warp, uint32_t reg) {
    b->in.fr_valid[0] = 1, b->in.fr_warp[0] = warp, b->in.fr_reg[0] = reg;
    show(b);
    assert_int_equal(b->out.fr_ready[0], 1);
    bench_tick(b);
    settle(b);
}

// ---- when ------------------------------------------------------------------------------------

static void an_instruction_passes_the_entry_in_one_cycle(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    write_reg(&b, 1, 3, UINT32_MAX, 7);
    count_anew(&b);
    issue(&b, 0, 1, 1, (uint8_t[]){3}, 1, (uint8_t[]){4});
    show(&b);
    assert_int_equal(b.out.is_ready[0], 3);
    bench_tick(&b);  // t+1: in the entry, both lookups known
    assert_int_equal(b.out.en_valid[0], 1);
    assert_int_equal(b.out.en_slot[0], 0);
    assert_int_equal(b.out.ds_valid[0], 1);
    assert_int_equal(b.out.ds_mask[0], 0);
    assert_int_equal(b.out.is_ready[0], 3);  // it leaves: the entry takes the next one
    bench_tick(&b);                          // t+2: the collector asks the bank
    assert_int_equal(b.out.obs_place[0], 1);
    assert_int_equal(b.out.obs_op_size[0], 1);
    assert_int_equal(b.out.obs_bank_read[0], 0);
    bench_tick(&b);  // t+3: the row arrives
    assert_int_equal(__builtin_popcount(b.out.obs_bank_read[0]), 1);
    assert_int_equal(b.out.disp_valid[0], 0);
    bench_tick(&b);  // t+4
    assert_int_equal(b.out.disp_valid[0], 1);
    bench_close(&b);
}

// The instruction moves on after the first; those behind it wait only if they name destinations
// too.
static void four_destinations_are_looked_up_one_after_the_other(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    write_reg(&b, 0, 6, UINT32_MAX, 300);
    issue(&b, 1, 0, 0, NULL, 4, (uint8_t[]){4, 5, 6, 7});
    for (uint32_t i = 0; i < 4; i++) {
        bench_tick(&b);
        assert_int_equal(b.out.ds_valid[0], 2);
        assert_int_equal(b.out.ds_index[1], i);
        assert_int_equal(b.out.ds_late[0], i ? 2 : 0);
        assert_int_equal(__builtin_popcount(b.out.ds_mask[1]), i == 2 ? 2 : 0);
        assert_int_equal(b.out.en_valid[0], i == 0 || i == 3 ? 2 : 0);
        assert_int_equal(b.out.is_ready[0], i == 1 || i == 2 ? 1 : 3);
        if (i == 0) issue(&b, 1, 1, 0, NULL, 1, (uint8_t[]){9});
    }
    // the fifth was asked for in the cycle before, and it moved
    bench_tick(&b);
    assert_int_equal(b.out.ds_valid[0], 2);
    assert_int_equal(b.out.ds_late[0], 2);
    assert_int_equal(b.out.ds_index[1], 0);
    bench_tick(&b);
    assert_int_equal(b.out.ds_valid[0], 0);
    bench_close(&b);
}

// The three sources and the destination of one warp are in one table bank: two lookups in a cycle,
// sources first.
static void a_refused_lookup_blocks_its_port_alone(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    b.table = 1;
    bench_tick(&b);  // configuration counts a cycle later
    issue(&b, 0, 0, 3, (uint8_t[]){1, 2, 3}, 1, (uint8_t[]){4});
    bench_tick(&b);
    assert_int_equal(b.out.obs_src_refused[0], 4);
    assert_int_equal(b.out.obs_dst_refused[0], 1);
    assert_int_equal(b.out.ds_valid[0], 0);
    assert_int_equal(b.out.is_ready[0], 2);
    assert_int_equal(b.out.en_valid[0], 0);
    issue(&b, 1, 1, 1, (uint8_t[]){1}, 1, (uint8_t[]){2});
    bench_tick(&b);
    assert_int_equal(b.out.ds_valid[0], 3);
    assert_int_equal(b.out.en_valid[0], 3);  // both go on, each to a collector of its own
    assert_int_equal(b.out.en_slot[0], 0);
    assert_int_equal(b.out.en_slot[1], 1);
    bench_close(&b);
}

// Two collectors are taken; a collector that becomes free goes to the entries in turn.
static void entries_get_collectors_in_turn(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    for (int a = 0; a < 2; a++) issue(&b, a, 0, 0, NULL, 0, NULL);
    bench_tick(&b);
    for (int a = 0; a < 2; a++) issue(&b, a, 0, 0, NULL, 0, NULL);
    bench_tick(&b);
    assert_int_equal(b.out.is_ready[0], 0);
    assert_int_equal(b.out.en_valid[0], 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(b.out.disp_valid[0], 1);
        b.in.disp_ready[0] = 1;
        bench_tick(&b);
        assert_int_equal(b.out.en_valid[0], i % 2 ? 2 : 1);
        assert_int_equal(b.out.is_ready[0], i % 2 ? 2 : 1);
        issue(&b, i % 2, 0, 0, NULL, 0, NULL);
        bench_tick(&b);
        assert_int_equal(b.out.obs_entry_wait[0], i % 2 ? 1 : 2);
        assert_int_equal(b.out.en_valid[0], 0);
    }
    bench_close(&b);
}

static void a_kept_place_is_written_at_once_a_new_one_a_cycle_later(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    assert_int_equal(write_reg(&b, 0, 1, UINT32_MAX, 1000), 2);  // first
    assert_int_equal(b.kind, AU_FIRST);
    assert_int_equal(write_reg(&b, 0, 1, UINT32_MAX, 1001), 1);  // keep
    assert_int_equal(b.kind, AU_KEEP);
    assert_int_equal(write_reg(&b, 0, 1, 1, 3), 1);  // one lane: never smaller
    assert_int_equal(b.kind, AU_KEEP);
    assert_int_equal(write_reg(&b, 0, 1, UINT32_MAX, 3), 1);  // shrink
    assert_int_equal(b.kind, AU_SHRINK);
    assert_int_equal(write_reg(&b, 0, 1, UINT32_MAX, 1 << 20), 2);  // grow
    assert_int_equal(b.kind, AU_GROW);
    assert_int_equal(write_reg(&b, 0, 1, 0xf, 1 << 30), 3);  // grow, the other lanes are merged
    assert_int_equal(b.kind, AU_GROW);
    bench_close(&b);
}

// An instruction that is accepted in the cycle of wr_done finds the register at its new place.
static void a_result_is_seen_in_the_cycle_in_which_it_is_done(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        static const int32_t before[] = {0, 7, 1000}, after[] = {5, 300, 9};  // first, grow, shrink
        uint32_t lanes[32];
        Bench b;
        bench_open(&b, AU_FIRST_FIT, CO_NONE);
        if (kind) write_reg(&b, 2, 5, UINT32_MAX, before[kind]);
        fill(lanes, after[kind]);
        write_lanes(&b, 2, 5, UINT32_MAX, lanes);
        assert_int_equal(b.out.wr_done[0], 1);
        issue(&b, 0, 2, 1, (uint8_t[]){5}, 0, NULL);
        for (int t = 0; t < 4; t++) {
            // the instruction that named the destination leaves
            b.in.disp_ready[0] = t < 3;
            bench_tick(&b);
        }
        assert_int_equal(b.out.disp_valid[0], 1);
        rf_lanes_from_slices(lanes, b.out.disp_data[0]);
        for (int i = 0; i < 32; i++) assert_int_equal((int32_t)lanes[i], after[kind]);
        bench_close(&b);
    }
}

static void a_free_in_the_cycle_of_a_destination_leaves_it_unmapped(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    write_reg(&b, 1, 2, UINT32_MAX, 77);
    assert_int_equal(b.out.used_slices[0], 1);
    b.in.fr_valid[0] = 1, b.in.fr_warp[0] = 1, b.in.fr_reg[0] = 2;
    look_up(&b, 1, 2);
    assert_int_equal(b.out.ds_mask[0], 0);
    assert_int_equal(b.out.ds_mapped[0], 0);
    settle(&b);
    assert_int_equal(b.out.used_slices[0], 0);
    bench_close(&b);
}

// ---- what registers hold -----------------------------------------------------------------------

// A narrow register grows because of one lane: the others keep their value, for any neighbor.
static void lanes_not_written_keep_their_value_when_a_register_grows(void **state) {
    (void)state;
    for (int neighbors = 0; neighbors < 2; neighbors++)
        for (int sign = -1; sign < 2; sign += 2) {
            Bench b;
            bench_open(&b, AU_FIRST_FIT, CO_NONE);
            write_reg(&b, 0, 0, UINT32_MAX, 5 * sign);
            for (uint8_t r = 2; neighbors && r < 8; r += 2) write_reg(&b, 0, r, UINT32_MAX, 33);
            count_anew(&b);
            assert_int_equal(write_reg(&b, 0, 0, 8, 70000), 3);
            assert_int_equal(b.merges, 1);
            assert_int_equal(b.writes, 1);
            assert_holds(&b, 0, 0, 8, 70000, 5 * sign);
            for (uint8_t r = 2; neighbors && r < 8; r += 2) assert_holds(&b, 0, r, ALL, 33, 0);
            bench_close(&b);
        }
}

static void a_result_for_no_lane_changes_nothing(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    write_reg(&b, 0, 0, UINT32_MAX, 5);
    assert_int_equal(write_reg(&b, 0, 0, 0, 70000), 1);
    assert_int_equal(b.kind, AU_KEEP);
    assert_int_equal(b.out.used_slices[0], 1);
    assert_holds(&b, 0, 0, ALL, 5, 0);
    bench_close(&b);
}

static void halves_of_a_warp_write_one_and_four_bytes_in_both_orders(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const int32_t low = wide ? 1 << 30 : -9, high = wide ? -9 : 1 << 30;
        Bench b;
        bench_open(&b, AU_FIRST_FIT, CO_NONE);
        write_reg(&b, 3, 9, 0x0000ffff, low);
        write_reg(&b, 3, 9, 0xffff0000, high);
        assert_holds(&b, 3, 9, 0x0000ffff, low, high);
        assert_int_equal(b.out.used_slices[0], 4);
        bench_close(&b);
    }
}

// Slices that a register has released go to another one when no other row has room.
static void what_shrinks_gives_its_slices_to_others(void **state) {
    (void)state;
    Bench b;
    bench_shape(&b, AU_FIRST_FIT, CO_NONE, 1, 2);
    write_reg(&b, 0, 0, UINT32_MAX, 1 << 30);
    write_reg(&b, 0, 0, UINT32_MAX, 4);
    settle(&b);
    assert_int_equal(b.out.used_slices[0], 1);
    write_reg(&b, 0, 1, UINT32_MAX, 70000);
    write_reg(&b, 0, 2, UINT32_MAX, 300);
    settle(&b);
    assert_int_equal(b.out.used_slices[0], 6);
    assert_int_equal(b.out.used_regs[0], 2);
    write_reg(&b, 0, 0, UINT32_MAX, -300);  // grows where it is
    assert_int_equal(b.kind, AU_GROW);
    settle(&b);
    assert_int_equal(b.out.used_regs[0], 2);
    assert_holds(&b, 0, 0, ALL, -300, 0);
    assert_holds(&b, 0, 1, ALL, 70000, 0);
    assert_holds(&b, 0, 2, ALL, 300, 0);
    bench_close(&b);
}

// With `hold` a smaller value keeps all slices, and grows in them again without a new place.
static void what_holds_its_slices_keeps_them(void **state) {
    (void)state;
    Bench b;
    bench_shape(&b, AU_FIRST_FIT, CO_NONE, 1, 2);
    b.hold = 1;
    show(&b);
    bench_tick(&b);
    write_reg(&b, 0, 0, UINT32_MAX, 1 << 30);
    assert_int_equal(write_reg(&b, 0, 0, UINT32_MAX, -4), 1);
    assert_int_equal(b.kind, AU_KEEP);
    assert_holds(&b, 0, 0, ALL, -4, 0);
    assert_int_equal(write_reg(&b, 0, 0, UINT32_MAX, 1 << 29), 1);
    assert_int_equal(b.kind, AU_KEEP);
    assert_holds(&b, 0, 0, ALL, 1 << 29, 0);
    settle(&b);
    assert_int_equal(b.out.used_slices[0], 4);
    bench_close(&b);
}

// A model that rests does not change; one that does not rest reaches rest.
static void it_comes_to_rest(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    write_reg(&b, 0, 0, UINT32_MAX, 5);
    look_up(&b, 0, 1);
    assert_false(rf_datapath_resting(b.model));
    int t = 0;
    for (; t < 200 && !rf_datapath_resting(b.model); t++) b.in.disp_ready[0] = 1, bench_tick(&b);
    assert_true(t < 200);
    uint32_t before[32], after[32];
    for (uint32_t at = 0; at < rf_datapath_model.obs_count(b.model); at++) {
        rf_datapath_model.observe(b.model, at, before);
        if (at % 64 == 0) bench_tick(&b);
        rf_datapath_model.observe(b.model, at, after);
        assert_memory_equal(before, after, sizeof before);
    }
    bench_close(&b);
}

// Registers one byte wide fill every row; then all grow to four: the last of each row grows where
// it is.
static void a_full_file_lets_registers_grow_without_deadlock(void **state) {
    (void)state;
    Bench b;
    bench_shape(&b, AU_FIRST_FIT, CO_NONE, 2, 8);
    for (uint8_t i = 0; i < 16; i++) write_reg(&b, i / 8, i % 8, UINT32_MAX, i);
    assert_int_equal(b.out.used_slices[0], 16);
    for (uint8_t i = 0; i < 16; i++) write_reg(&b, i / 8, i % 8, UINT32_MAX, i + (1 << 24));
    assert_int_equal(b.out.used_slices[0], 64);
    assert_int_equal(b.out.used_regs[0], 16);
    for (uint8_t i = 0; i < 16; i++) assert_holds(&b, i / 8, i % 8, ALL, i + (1 << 24), 0);
    bench_close(&b);
}

static void a_register_never_written_is_zero_without_an_access(void **state) {
    (void)state;
    uint32_t lanes[OPS][32];
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    assert_int_equal(read_regs(&b, 0, 2, (uint8_t[]){3, 4}, lanes), 0);
    for (int i = 0; i < 32; i++) assert_int_equal(lanes[0][i] | lanes[1][i], 0);
    bench_close(&b);
}

static void an_exit_gives_everything_back(void **state) {
    (void)state;
    for (uint32_t table = 0; table < 2; table++) {
        Bench b;
        bench_open(&b, AU_FIRST_FIT, CO_NONE);
        b.table = table;
        for (uint8_t r = 0; r < 9; r++) write_reg(&b, 2, r, UINT32_MAX, 1000);
        write_reg(&b, 1, 3, UINT32_MAX, 1);
        b.in.ex_valid[0] = 1, b.in.ex_warp[0] = 2;
        int walk = 0;
        for (bench_tick(&b); !b.out.ex_ready[0] && walk < PATIENCE; walk++) bench_tick(&b);
        // one per cycle and bank: registers 0-1, 2-3, 4-5, 6-7, 8
        assert_int_equal(walk, table ? 9 : 5);
        settle(&b);
        assert_int_equal(b.out.used_slices[0], 1);
        assert_holds(&b, 2, 0, ALL, 0, 0);
        assert_holds(&b, 1, 3, ALL, 1, 0);
        bench_close(&b);
    }
}

// ---- what is read together ----------------------------------------------------------------------

static void buddies_share_a_row_when_both_fit(void **state) {
    (void)state;
    uint32_t lanes[OPS][32];
    for (int fits = 0; fits < 2; fits++) {
        Bench b;
        bench_open(&b, AU_PAIR, CO_SAME_ENTRY);
        pair_up(&b, 4, 5);
        write_reg(&b, 0, 4, UINT32_MAX, 70000);  // three bytes
        write_reg(&b, 0, 5, UINT32_MAX, fits ? -2 : -300);
        assert_int_equal(b.out.used_regs[0], fits ? 1 : 2);
        assert_int_equal(read_regs(&b, 0, 2, (uint8_t[]){4, 5}, lanes), fits ? 1 : 2);
        assert_int_equal((int32_t)lanes[0][31], 70000);
        assert_int_equal((int32_t)lanes[1][0], fits ? -2 : -300);
        bench_close(&b);
    }
}

// A buddy's place that has died is not used: the row was given to a register of another warp.
static void a_buddy_that_was_freed_is_not_looked_for(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_PAIR, CO_SAME_ENTRY);
    pair_up(&b, 4, 5);
    write_reg(&b, 0, 4, UINT32_MAX, 70000);
    release(&b, 0, 4);
    assert_int_equal(b.out.used_regs[0], 0);
    write_reg(&b, 0, 5, UINT32_MAX, 1);
    assert_int_equal(b.kind, AU_FIRST);
    assert_int_equal(b.out.used_slices[0], 1);
    write_reg(&b, 0, 4, UINT32_MAX, 2);  // returns, to its buddy
    assert_int_equal(b.out.used_regs[0], 1);
    assert_holds(&b, 0, 5, ALL, 1, 0);
    assert_holds(&b, 0, 4, ALL, 2, 0);
    bench_close(&b);
}

static void a_register_grows_beside_its_buddy(void **state) {
    (void)state;
    uint32_t lanes[OPS][32];
    Bench b;
    bench_open(&b, AU_PAIR, CO_SAME_ENTRY);
    pair_up(&b, 4, 5);
    write_reg(&b, 0, 4, UINT32_MAX, 3);
    write_reg(&b, 0, 5, UINT32_MAX, 4);
    write_reg(&b, 0, 4, UINT32_MAX, 70000);  // one own slice and two free ones
    assert_int_equal(b.kind, AU_GROW);
    assert_int_equal(b.out.used_regs[0], 1);
    assert_int_equal(read_regs(&b, 0, 2, (uint8_t[]){4, 5}, lanes), 1);
    assert_int_equal((int32_t)lanes[0][9], 70000);
    assert_int_equal((int32_t)lanes[1][9], 4);
    bench_close(&b);
}

// The buddy is looked up with the result, whether or not it is needed; then its row is.
static void a_buddy_is_looked_up_with_the_result(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_PAIR, CO_SAME_ENTRY);
    pair_up(&b, 4, 5);
    count_anew(&b);
    // it is known that the buddy is nowhere
    assert_int_equal(write_reg(&b, 0, 4, UINT32_MAX, 3), 3);
    assert_int_equal(write_reg(&b, 0, 5, UINT32_MAX, 4), 4);  // the buddy's row was read
    assert_int_equal(write_reg(&b, 0, 5, UINT32_MAX, 5), 1);
    settle(&b);
    assert_int_equal(b.bd, 3);
    assert_int_equal(b.out.used_regs[0], 1);
    bench_close(&b);
}

// Disjoint slices of one bank are one read, in any rows; slices that overlap are two.
static void registers_of_a_warp_are_read_together_when_their_slices_are_disjoint(void **state) {
    (void)state;
    uint32_t lanes[OPS][32];
    Bench b;
    bench_open(&b, AU_ALIGN, CO_DISJOINT);
    b.table = 1;
    load_hint(&b, AU_HINT_ALIGN, 1, AU_LEFT);
    load_hint(&b, AU_HINT_ALIGN, 2, AU_LEFT);
    load_hint(&b, AU_HINT_ALIGN, 3, AU_RIGHT);
    for (uint8_t r = 1; r < 4; r++) write_reg(&b, 1, r, UINT32_MAX, -200 * r);  // two bytes each
    assert_int_equal(read_regs(&b, 1, 2, (uint8_t[]){1, 2}, lanes), 2);
    for (uint8_t r = 1; r < 3; r++) {
        assert_int_equal(read_regs(&b, 1, 2, (uint8_t[]){r, 3}, lanes), 1);
        assert_int_equal((int32_t)lanes[0][17], -200 * r);
        assert_int_equal((int32_t)lanes[1][17], -600);
    }
    bench_close(&b);
}

static void a_register_named_twice_is_one_read_and_three_narrow_ones_are_two(void **state) {
    (void)state;
    uint32_t lanes[OPS][32];
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_SAME_ENTRY);
    for (uint8_t r = 2; r < 7; r += 2) write_reg(&b, 0, r, UINT32_MAX, r);  // one row
    assert_int_equal(b.out.used_regs[0], 1);
    assert_int_equal(read_regs(&b, 0, 3, (uint8_t[]){4, 4, 4}, lanes), 1);
    assert_int_equal(lanes[0][1] + lanes[1][1] + lanes[2][1], 12);
    assert_int_equal(read_regs(&b, 0, 3, (uint8_t[]){2, 4, 6}, lanes), 2);
    assert_int_equal(lanes[0][1] + lanes[1][1] + lanes[2][1], 12);
    bench_close(&b);
}

// ---- what costs nothing -------------------------------------------------------------------------

static void what_costs_nothing_takes_no_time(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_PAIR, CO_SAME_ENTRY);
    pair_up(&b, 4, 5);
    rf_datapath_ideal(b.model, DP_IDEAL_ALLOC | DP_IDEAL_MERGE | DP_IDEAL_BUDDY | DP_IDEAL_WALK);
    count_anew(&b);
    assert_int_equal(write_reg(&b, 0, 4, UINT32_MAX, 5), 1);  // first
    assert_int_equal(write_reg(&b, 0, 5, UINT32_MAX, 6), 1);  // .. in its buddy's row
    assert_int_equal(write_reg(&b, 0, 4, 3, 70000), 1);       // grow with a merge
    assert_int_equal(b.bd, 0);
    assert_int_equal(b.merges, 0);
    assert_int_equal(b.out.used_regs[0], 1);
    assert_holds(&b, 0, 4, 3, 70000, 5);
    assert_holds(&b, 0, 5, ALL, 6, 0);
    b.in.ex_valid[0] = 1, b.in.ex_warp[0] = 0;
    bench_tick(&b);
    assert_int_equal(b.out.ex_ready[0], 1);
    settle(&b);
    assert_int_equal(b.out.used_slices[0], 0);
    assert_holds(&b, 0, 4, ALL, 0, 0);
    bench_close(&b);
}

// A register that grows in some lanes moves with the others' values, which arrive a cycle after its
// place is found.
static void places_at_once_wait_for_merged_lanes(void **state) {
    (void)state;
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    rf_datapath_ideal(b.model, DP_IDEAL_ALLOC);
    // rows without room for growth
    for (uint8_t reg = 1; reg < 6; reg++) write_reg(&b, 0, reg, ALL, -5);
    count_anew(&b);
    for (uint8_t reg = 1; reg < 6; reg++) write_reg(&b, 0, reg, 3, 70000 + reg);
    assert_int_equal(b.merges, 5);
    for (uint8_t reg = 1; reg < 6; reg++) assert_holds(&b, 0, reg, 3, 70000 + reg, -5);
    bench_close(&b);
}

static void free_lookups_are_never_refused(void **state) {
    (void)state;
    uint32_t lanes[32];
    Bench b;
    bench_open(&b, AU_FIRST_FIT, CO_NONE);
    b.table = 1;
    bench_tick(&b);
    rf_datapath_ideal(b.model, DP_IDEAL_LOOKUP);
    for (int twice = 0; twice < 2; twice++) {
        issue(&b, 0, 0, 3, (uint8_t[]){1, 2, 3}, 4, (uint8_t[]){4, 5, 6, 7});
        b.in.disp_ready[0] = 1;
        bench_tick(&b);
        assert_int_equal(b.out.en_valid[0], 1);
        assert_int_equal(b.out.obs_src_refused[0], 0);
        assert_int_equal(b.out.ds_valid[0], 0);
        fill(lanes, 7 + twice);
        result(&b, 0, 0, 4, UINT32_MAX, lanes, 0);  // without a place: the model finds it
        b.in.wr_old_mask[0] = 0;
        b.in.disp_ready[0] = 1;
        bench_tick(&b);
        settle(&b);
        assert_int_equal(b.kind, twice ? AU_KEEP : AU_FIRST);
    }
    assert_holds(&b, 0, 4, ALL, 8, 0);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_passes_the_entry_in_one_cycle),
        cmocka_unit_test(four_destinations_are_looked_up_one_after_the_other),
        cmocka_unit_test(a_refused_lookup_blocks_its_port_alone),
        cmocka_unit_test(entries_get_collectors_in_turn),
        cmocka_unit_test(a_kept_place_is_written_at_once_a_new_one_a_cycle_later),
        cmocka_unit_test(a_result_is_seen_in_the_cycle_in_which_it_is_done),
        cmocka_unit_test(a_free_in_the_cycle_of_a_destination_leaves_it_unmapped),
        cmocka_unit_test(lanes_not_written_keep_their_value_when_a_register_grows),
        cmocka_unit_test(a_result_for_no_lane_changes_nothing),
        cmocka_unit_test(halves_of_a_warp_write_one_and_four_bytes_in_both_orders),
        cmocka_unit_test(what_shrinks_gives_its_slices_to_others),
        cmocka_unit_test(what_holds_its_slices_keeps_them),
        cmocka_unit_test(it_comes_to_rest),
        cmocka_unit_test(a_full_file_lets_registers_grow_without_deadlock),
        cmocka_unit_test(a_register_never_written_is_zero_without_an_access),
        cmocka_unit_test(an_exit_gives_everything_back),
        cmocka_unit_test(buddies_share_a_row_when_both_fit),
        cmocka_unit_test(a_buddy_that_was_freed_is_not_looked_for),
        cmocka_unit_test(a_register_grows_beside_its_buddy),
        cmocka_unit_test(a_buddy_is_looked_up_with_the_result),
        cmocka_unit_test(registers_of_a_warp_are_read_together_when_their_slices_are_disjoint),
        cmocka_unit_test(a_register_named_twice_is_one_read_and_three_narrow_ones_are_two),
        cmocka_unit_test(what_costs_nothing_takes_no_time),
        cmocka_unit_test(places_at_once_wait_for_merged_lanes),
        cmocka_unit_test(free_lookups_are_never_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
