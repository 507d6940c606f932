// SPDX-License-Identifier: Apache-2.0
// Golden model of rename_table against scenarios written by hand from its contract.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/rename/rename_table.h"

enum { WARPS = 4, REGS = 7, BANKS = 4, ENTRIES = 256, ALLOCS = 2, OPS = 3, WRITERS = 2 };

typedef struct Bench {
    void *model;
    RenameTableIn in;
    RenameTableOut out;
} Bench;

static void bench_open(Bench *b) {
    const int params[] = {WARPS, REGS, BANKS, ENTRIES, ALLOCS, OPS, WRITERS};
    memset(b, 0, sizeof *b);
    b->model = rename_table_model.open(params);
    assert_non_null(b->model);
    rename_table_model.reset(b->model);
    b->in.freed_ready[0] = 15;
}

static void bench_close(Bench *b) { rename_table_model.close(b->model); }

static void show(Bench *b) { rename_table_model.eval(b->model, &b->in, &b->out); }

// Ends the cycle, takes the inputs back, shows the outputs of the next cycle.
static void bench_tick(Bench *b) {
    rename_table_model.tick(b->model, &b->in);
    memset(&b->in, 0, sizeof b->in);
    b->in.freed_ready[0] = 15;
    show(b);
}

static void source(Bench *b, int l, uint32_t warp, uint32_t reg) {
    b->in.src_valid[0] |= 1u << l;
    b->in.src_warp[l / OPS] = warp;
    b->in.src_reg[l] = reg;
}

static void destination(Bench *b, int a, uint32_t warp, uint32_t reg) {
    b->in.dst_valid[0] |= 1u << a;
    b->in.dst_warp[a] = warp, b->in.dst_reg[a] = reg;
}

static void buddy(Bench *b, int w, uint32_t warp, uint32_t reg) {
    b->in.bd_valid[0] |= 1u << w;
    b->in.bd_warp[w] = warp, b->in.bd_reg[w] = reg;
}

static void release(Bench *b, uint32_t warp, uint32_t reg) {
    b->in.fr_valid[0] = 1, b->in.fr_warp[0] = warp, b->in.fr_reg[0] = reg;
}

static void update(Bench *b, int w, uint32_t warp, uint32_t reg, uint32_t bank, uint32_t entry,
                   uint32_t mask) {
    b->in.up_valid[0] |= 1u << w;
    b->in.up_warp[w] = warp, b->in.up_reg[w] = reg;
    b->in.up_bank[w] = bank, b->in.up_entry[w] = entry, b->in.up_mask[w] = mask;
}

static void set(Bench *b, uint32_t warp, uint32_t reg, uint32_t entry, uint32_t mask) {
    update(b, 0, warp, reg, reg % BANKS, entry, mask);
    bench_tick(b);
}

static void a_lookup_finds_what_was_set_in_its_cycle_or_before(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    source(&b, 0, 1, 2);
    bench_tick(&b);
    assert_int_equal(b.out.src_answer[0], 1);
    assert_int_equal(b.out.src_mapped[0], 0);
    assert_int_equal(b.out.src_mask[0], 0);
    update(&b, 0, 1, 2, 3, 200, 12);
    source(&b, 0, 1, 2);
    show(&b);
    assert_int_equal(b.out.up_ready[0], 1);
    assert_int_equal(b.out.src_ready[0], 1);
    bench_tick(&b);
    assert_int_equal(b.out.src_answer[0], 1);
    assert_int_equal(b.out.src_mapped[0], 1);
    assert_int_equal(b.out.src_bank[0], 3);
    assert_int_equal(b.out.src_entry[0], 200);
    assert_int_equal(b.out.src_mask[0], 12);
    destination(&b, 1, 1, 2), buddy(&b, 0, 1, 2);
    bench_tick(&b);
    assert_int_equal(b.out.src_answer[0], 0);  // for one cycle
    assert_int_equal(b.out.dst_answer[0], 2);
    assert_int_equal(b.out.dst_entry[1], 200);
    assert_int_equal(b.out.bd_mapped[0], 1);
    assert_int_equal(b.out.bd_bank[0], 3);
    bench_close(&b);
}

static void a_destination_that_is_freed_in_its_cycle_is_unmapped(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 2, 5, 40, 6);
    release(&b, 2, 5), destination(&b, 0, 2, 5);
    show(&b);
    assert_int_equal(b.out.fr_ready[0], 1);
    assert_int_equal(b.out.dst_ready[0], 1);
    bench_tick(&b);
    assert_int_equal(b.out.dst_answer[0], 1);
    assert_int_equal(b.out.dst_mask[0], 0);
    assert_int_equal(b.out.dst_mapped[0], 0);
    // a free that is refused (its lane is taken) does not count
    set(&b, 2, 5, 41, 6);
    release(&b, 2, 5);
    bench_tick(&b);
    b.in.freed_ready[0] = 0;
    update(&b, 0, 2, 5, 1, 43, 9);
    bench_tick(&b);
    b.in.freed_ready[0] = 0;
    release(&b, 2, 5), destination(&b, 0, 2, 5);
    show(&b);
    assert_int_equal(b.out.freed_valid[0], 8);
    assert_int_equal(b.out.fr_ready[0], 0);
    bench_tick(&b);
    assert_int_equal(b.out.dst_mask[0], 9);
    assert_int_equal(b.out.dst_entry[0], 43);
    bench_close(&b);
}

static void two_sources_of_a_bank_are_found_at_once_and_a_third_is_delayed(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    // warp 0: registers 1 and 5 are in table bank 1; warp 1: register 0 is
    source(&b, 0, 0, 1), source(&b, 1, 0, 5), source(&b, 3, 1, 0);
    show(&b);
    assert_int_equal(b.out.src_ready[0], 3);
    bench_tick(&b);
    assert_int_equal(b.out.src_answer[0], 3);
    source(&b, 0, 0, 1), source(&b, 1, 0, 5), source(&b, 3, 1, 0);
    show(&b);
    assert_int_equal(b.out.src_ready[0], 8 | 1);  // the port that was refused is first now
    bench_close(&b);
}

// Everything on table bank 1: a skipped request makes room for the next in the order.
static void the_ports_of_a_bank_are_taken_in_order(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    source(&b, 0, 0, 1), source(&b, 1, 0, 5);
    update(&b, 0, 1, 0, 0, 0, 1);
    release(&b, 3, 2);
    buddy(&b, 0, 2, 3);
    destination(&b, 1, 0, 5);
    show(&b);
    assert_int_equal(b.out.up_ready[0], 1);  // port A
    assert_int_equal(b.out.fr_ready[0], 0);
    assert_int_equal(b.out.bd_ready[0], 1);  // port B
    assert_int_equal(b.out.dst_ready[0], 0);
    assert_int_equal(b.out.src_ready[0], 0);
    b.in.up_valid[0] = 0;
    show(&b);
    assert_int_equal(b.out.fr_ready[0], 1);  // port A
    assert_int_equal(b.out.bd_ready[0], 1);  // port B
    assert_int_equal(b.out.dst_ready[0], 0);
    b.in.fr_valid[0] = 0;
    show(&b);
    assert_int_equal(b.out.bd_ready[0], 1);  // port B
    assert_int_equal(b.out.dst_ready[0], 0);
    assert_int_equal(b.out.src_ready[0], 1);  // port A
    b.in.dst_late[0] = 2;
    show(&b);
    assert_int_equal(b.out.bd_ready[0], 1);   // port B
    assert_int_equal(b.out.dst_ready[0], 2);  // port A: it waited
    assert_int_equal(b.out.src_ready[0], 0);
    b.in.bd_valid[0] = 0;
    show(&b);
    assert_int_equal(b.out.dst_ready[0], 2);  // port B
    assert_int_equal(b.out.src_ready[0], 1);  // port A
    b.in.dst_late[0] = 0;
    show(&b);
    assert_int_equal(b.out.dst_ready[0], 0);
    assert_int_equal(b.out.src_ready[0], 3);
    b.in.dst_valid[0] = 0;
    release(&b, 3, 2);
    show(&b);
    assert_int_equal(b.out.fr_ready[0], 1);   // port A
    assert_int_equal(b.out.src_ready[0], 1);  // port B
    b.in.fr_valid[0] = 0;
    show(&b);
    assert_int_equal(b.out.src_ready[0], 3);
    bench_close(&b);
}

// cfg_table 1: bank = warp mod Banks; a third source waits, another warp's bank is free.
static void the_table_can_be_banked_by_warps(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    b.in.cfg_table[0] = 1;
    source(&b, 0, 1, 0), source(&b, 1, 1, 1), source(&b, 2, 1, 2), source(&b, 3, 2, 0);
    show(&b);
    assert_int_equal(b.out.src_ready[0], 8 | 3);
    b.in.cfg_table[0] = 0;
    show(&b);
    // registers 0, 1, 2 of warp 1: banks 1, 2, 3; warp 2: bank 2
    assert_int_equal(b.out.src_ready[0], 8 | 7);
    bench_close(&b);
}

static void a_walk_in_one_bank_frees_one_register_per_cycle(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    for (uint32_t reg = 1; reg < 4; reg++) {
        b.in.cfg_table[0] = 1;
        set(&b, 3, reg, 10 + reg, 1);
    }
    b.in.cfg_table[0] = 1;
    b.in.ex_valid[0] = 1, b.in.ex_warp[0] = 3;
    bench_tick(&b);
    for (uint32_t reg = 1; reg < 4; reg++) {
        assert_int_equal(b.out.ex_ready[0], 0);
        b.in.cfg_table[0] = 1;
        bench_tick(&b);
        assert_int_equal(b.out.freed_valid[0], 8);  // lane of bank 3
        assert_int_equal(b.out.freed_entry[3], 10 + reg);
    }
    assert_int_equal(b.out.ex_ready[0], 1);
    bench_close(&b);
}

static void a_walk_gives_way_to_lookups(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 3, 1, 11, 1);  // bank 0
    b.in.ex_valid[0] = 1, b.in.ex_warp[0] = 3;
    bench_tick(&b);
    source(&b, 0, 1, 3), source(&b, 1, 1, 7);  // both ports of bank 0
    show(&b);
    assert_int_equal(b.out.src_ready[0], 3);
    bench_tick(&b);
    assert_int_equal(b.out.freed_valid[0], 0);
    assert_int_equal(b.out.ex_ready[0], 0);
    source(&b, 0, 1, 3);  // port B: port A is left
    bench_tick(&b);
    assert_int_equal(b.out.freed_valid[0], 1);
    assert_int_equal(b.out.freed_entry[0], 11);
    assert_int_equal(b.out.ex_ready[0], 1);
    bench_close(&b);
}

static void destinations_of_one_bank_take_turns(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    for (uint32_t t = 0; t < 4; t++) {
        update(&b, 0, 1, 0, 0, t, 1);  // port A of bank 1
        destination(&b, 0, 0, 1), destination(&b, 1, 0, 5);
        show(&b);
        assert_int_equal(b.out.dst_ready[0], t % 2 ? 2 : 1);
        bench_tick(&b);
    }
    bench_close(&b);
}

static void writers_of_one_bank_take_turns(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    for (uint32_t t = 0; t < 4; t++) {
        update(&b, 0, 0, 1, 0, t, 1), update(&b, 1, 0, 5, 0, t, 1);
        show(&b);
        assert_int_equal(b.out.up_ready[0], t % 2 ? 2 : 1);
        bench_tick(&b);
    }
    bench_close(&b);
}

static void a_free_gives_the_mapping_back_once(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 2, 6, 77, 3);
    b.in.fr_valid[0] = 1, b.in.fr_warp[0] = 2, b.in.fr_reg[0] = 6;
    show(&b);
    assert_int_equal(b.out.fr_ready[0], 1);
    bench_tick(&b);
    b.in.freed_ready[0] = 0;
    source(&b, 0, 2, 6);
    b.in.fr_valid[0] = 1, b.in.fr_warp[0] = 2, b.in.fr_reg[0] = 6;
    show(&b);
    assert_int_equal(b.out.freed_valid[0], 1);
    assert_int_equal(b.out.freed_entry[0], 77);
    assert_int_equal(b.out.freed_mask[0], 3);
    assert_int_equal(b.out.fr_ready[0], 0);  // one at a time
    bench_tick(&b);
    assert_int_equal(b.out.src_mapped[0], 0);
    assert_int_equal(b.out.freed_valid[0], 1);
    b.in.fr_valid[0] = 1, b.in.fr_warp[0] = 2, b.in.fr_reg[0] = 6;
    show(&b);
    assert_int_equal(b.out.fr_ready[0], 1);
    bench_tick(&b);
    assert_int_equal(b.out.freed_valid[0], 0);  // it was unmapped
    bench_close(&b);
}

static void an_exit_frees_the_registers_of_its_warp(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 1, 0, 10, 1), set(&b, 1, 3, 13, 2), set(&b, 1, 6, 16, 4), set(&b, 2, 0, 20, 8);
    b.in.ex_valid[0] = 1, b.in.ex_warp[0] = 1;
    show(&b);
    assert_int_equal(b.out.ex_ready[0], 1);
    bench_tick(&b);
    // row 0: register 3 is in table bank 0, register 0 in bank 1; row 1: register 6 in bank 3
    assert_int_equal(b.out.ex_ready[0], 0);
    bench_tick(&b);
    assert_int_equal(b.out.freed_valid[0], 3);
    assert_int_equal(b.out.freed_entry[0], 13);
    assert_int_equal(b.out.freed_entry[1], 10);
    assert_int_equal(b.out.ex_ready[0], 0);
    bench_tick(&b);
    assert_int_equal(b.out.freed_valid[0], 8);
    assert_int_equal(b.out.freed_entry[3], 16);
    assert_int_equal(b.out.ex_ready[0], 1);
    source(&b, 0, 1, 3), source(&b, 1, 1, 6), source(&b, 3, 2, 0);
    bench_tick(&b);
    assert_int_equal(b.out.freed_valid[0], 0);
    assert_int_equal(b.out.src_mapped[0], 8);  // another warp's
    bench_close(&b);
}

static void reset_unmaps_everything(void **state) {
    (void)state;
    Bench b;
    bench_open(&b);
    set(&b, 3, 5, 9, 15);
    rename_table_model.reset(b.model);
    source(&b, 0, 3, 5);
    bench_tick(&b);
    assert_int_equal(b.out.src_answer[0], 1);
    assert_int_equal(b.out.src_mapped[0], 0);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lookup_finds_what_was_set_in_its_cycle_or_before),
        cmocka_unit_test(a_destination_that_is_freed_in_its_cycle_is_unmapped),
        cmocka_unit_test(two_sources_of_a_bank_are_found_at_once_and_a_third_is_delayed),
        cmocka_unit_test(the_ports_of_a_bank_are_taken_in_order),
        cmocka_unit_test(the_table_can_be_banked_by_warps),
        cmocka_unit_test(a_walk_in_one_bank_frees_one_register_per_cycle),
        cmocka_unit_test(a_walk_gives_way_to_lookups),
        cmocka_unit_test(destinations_of_one_bank_take_turns),
        cmocka_unit_test(writers_of_one_bank_take_turns),
        cmocka_unit_test(a_free_gives_the_mapping_back_once),
        cmocka_unit_test(an_exit_frees_the_registers_of_its_warp),
        cmocka_unit_test(reset_unmaps_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
