// SPDX-License-Identifier: Apache-2.0
// The fold of systems: which go together, canonical names, who brings the one register path, the
// computed list.
#include "sm_support.h"

#include "systems/baseline/banked_path.h"
#include "systems/systems.h"

#include <string.h>

static void expect(const char *text, const char *canonical) {
    Arch a;
    Diag d = {0};
    if (!arch_parse(text, &a, &d)) fail_msg("%s: %s", text, d.text);
    assert_string_equal(a.name, canonical);
}

static void refused(const char *text, const char *message) {
    Arch a;
    Diag d = {0};
    if (arch_parse(text, &a, &d)) fail_msg("%s was taken", text);
    assert_int_equal(d.status, EXIT_USAGE);
    if (!strstr(d.text, message)) fail_msg("%s: '%s', expected '%s'", text, d.text, message);
}

static void test_order_means_nothing(void **state) {
    (void)state;
    expect("rfv:packing", "packing:rfv");
    expect("packing:rfv", "packing:rfv");
    expect("rfv:corf++-map", "corf++-map:rfv");
    expect("baseline", "baseline");
}

static void test_refusals(void **state) {
    (void)state;
    refused("corf:packing", "at most one of packing, firstfit, corf, corf++, corf++-map");
    refused("rfv:packing:rfv", "'rfv' twice");
    refused("bow:bow-wb", "at most one of bow, bow-wb, bow-wr, bow-wr-half, bow-nofwd");
    refused("owf:bow", "'owf' combines with nothing: it maps every register itself, found 'bow'");
    refused("bow-wr:rfv",
            "its collectors identify values by register name and write them late, without a "
            "renaming table");
    refused("hw-bdi:ideal-bdi", "at most one of hw-bdi, hw-bdi-mem, ideal-bdi");
    refused(
        "hw-bdi:rfv",
        "'hw-bdi' combines with nothing: its lines are compressed by hardware beside the baseline");
    refused("packing:bow", "found 'packing' in 'packing:bow'");
    refused("rfc:bow", "'rfc' combines with rfv: ");  // not larf, which is of its group
    refused("rfv:baseline", "'baseline' combines with nothing: it is the default");
    refused("rfv:packng", "did you mean 'packing'");
    refused("", "no system ''");
    refused("rfv:", "no system ''");
    refused("rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv:rfv",
            "more than 20 systems");
}

// Systems with other sizes, and their refusals.
static void test_machines(void **state) {
    MachineConfig was, cfg;
    Arena arena = {0};
    Arch a;
    Diag d = {0};
    (void)state;
    assert_true(config_load(&was, &arena, TEST_SOURCE_DIR "/csrc/config", "fermi", &d));
    cfg = was;
    assert_true(arch_parse("pmode:2xbw", &a, &d) && arch_machine(&a, &cfg, &d));
    assert_int_equal(cfg.xbar_flit, 2 * was.xbar_flit);
    assert_int_equal(cfg.l2_bank_width, 2 * was.l2_bank_width);
    assert_int_equal(cfg.dram_bytes_per_kcycle, 2 * was.dram_bytes_per_kcycle);
    assert_int_equal(cfg.dram_clock_permille, 2 * was.dram_clock_permille);
    assert_int_equal(2 * cfg.dram_latency, was.dram_latency);
    assert_int_equal(2 * cfg.l2_latency, was.l2_latency);
    assert_int_equal(cfg.sm_warps, was.sm_warps);
    cfg = was;
    assert_true(arch_parse("2xtlp", &a, &d) && arch_machine(&a, &cfg, &d));
    assert_int_equal(cfg.sm_warps, 96);
    assert_int_equal(cfg.sm_threads, 3072);
    assert_int_equal(cfg.sm_ctas, 16);
    assert_int_equal(cfg.rf_entries, 512);
    assert_int_equal(cfg.shared_bytes, 98304);
    assert_int_equal(cfg.xbar_flit, was.xbar_flit);
    cfg = was;
    cfg.xbar_flit = 128;
    assert_true(arch_parse("2xbw", &a, &d));
    assert_false(arch_machine(&a, &cfg, &d));
    assert_int_equal(d.status, EXIT_USAGE);
    assert_non_null(strstr(d.text, "'2xbw' doubles xbar.flit of 128: "));
    refused("2xtlp:pmode", "found '2xtlp' in 'pmode:2xtlp'");
    refused(
        "2xbw:corf",
        "'2xbw' combines with pmode, direct-prefetch, 2xtlp: it was measured with P-mode and its "
        "comparators, found 'corf'");
    refused("2xbw:2xbw", "'2xbw' twice");
    arena_free(&arena);
}

static void test_fold(void **state) {
    Arch packing, rfv, both, none;
    Diag d = {0};
    (void)state;
    assert_true(arch_parse("packing", &packing, &d) && arch_parse("rfv", &rfv, &d));
    assert_true(arch_parse("rfv:packing", &both, &d));
    assert_ptr_equal(both.mode, packing.mode);  // rfv's path is used only alone
    assert_ptr_equal(both.path, rfv.path);
    assert_ptr_not_equal(rfv.mode, packing.mode);
    assert_true(both.compiler.packs && both.compiler.hints == 1u << ISA_HINT_RELEASE &&
                !rfv.compiler.packs);
    assert_string_equal(both.blocks[0], "rf_datapath");
    assert_null(both.blocks[1]);
    assert_true(arch_of(&none, NULL, 0, &d));
    assert_string_equal(none.name, "baseline");
}

// ---- systems that are not in the table ----

static const char *const toy_blocks[] = {"width_detect", "rf_datapath", NULL};
static const System toy = {
    .name = "toy", .what = "combines with all", .with = ~0u, .blocks = toy_blocks};
static const System only_rfv = {
    .name = "only-rfv", .group = 1u << 30, .with = SYSTEM_RFV, .reason = "it needs a free port"};
static const System road = {.name = "road", .with = ~0u, .path = &path_banked};

static bool acts(Sm *sm, void *self, int warp, const SmInst *in) {
    (void)sm, (void)self, (void)warp, (void)in;
    return true;
}

static const IssueGate acting = {.act = acts}, looking = {.act = NULL};
static const System lock = {.name = "lock", .with = ~0u, .gate = &acting};
static const System other_lock = {.name = "lock2", .with = ~0u, .gate = &acting};
static const System turnstile = {.name = "turnstile", .with = ~0u, .gate = &looking};
static const InstStreamPart no_stream;
static const System helper = {.name = "helper", .with = ~0u, .stream = &no_stream};
static const Places no_places;
static const System mover = {.name = "mover", .with = ~0u, .places = &no_places};
static const System other_mover = {.name = "mover2", .with = ~0u, .places = &no_places};
static const System other_helper = {.name = "other", .with = ~0u, .stream = &no_stream};

static void test_toys(void **state) {
    Arch a;
    Diag d = {0};
    (void)state;
    assert_true(arch_of(&a, (const System *[]){&toy, &system_rfv, &system_corf}, 3, &d));
    assert_string_equal(a.name, "corf:rfv:toy");
    assert_string_equal(a.blocks[0], "rf_datapath");  // once
    assert_string_equal(a.blocks[1], "width_detect");
    assert_null(a.blocks[2]);
    assert_true(arch_of(&a, (const System *[]){&toy}, 1, &d));
    assert_ptr_equal(a.path, system_baseline.path);
    assert_true(arch_of(&a, (const System *[]){&road, &system_rfv}, 2, &d));
    assert_ptr_equal(a.path, &path_banked);  // rfv's gives way
    assert_false(arch_of(&a, (const System *[]){&road, &system_corf}, 2, &d));
    assert_non_null(strstr(d.text, "each supplies an operand path"));
    d = (Diag){0};
    assert_true(arch_of(&a, (const System *[]){&helper, &toy}, 2, &d));
    assert_false(arch_of(&a, (const System *[]){&helper, &toy, &other_helper}, 3, &d));
    assert_non_null(strstr(
        d.text, "'helper' and 'other' in 'helper:toy:other': each supplies a second stream"));
    const System *const gates[] = {&lock, &turnstile, &other_lock};
    assert_true(arch_of(&a, gates, 2, &d));
    d = (Diag){0};
    assert_false(arch_of(&a, gates, 3, &d));
    assert_non_null(strstr(
        d.text, "'lock' and 'lock2' in 'lock:turnstile:lock2': each supplies a gate that acts"));
    d = (Diag){0};
    assert_false(arch_of(&a, (const System *[]){&only_rfv, &system_corf}, 2, &d));
    assert_non_null(strstr(d.text, "combines with nothing"));  // rfv does not go with it
    d = (Diag){0};
    assert_false(arch_of(&a, (const System *[]){&only_rfv, &system_rfv}, 2, &d));
}

// The owner of the registers' places: one system, under a path that asks.
static void test_places(void **state) {
    Arch a;
    Diag d = {0};
    (void)state;
    assert_true(arch_of(&a, (const System *[]){&mover, &toy}, 2, &d));
    assert_false(arch_of(&a, (const System *[]){&mover, &other_mover}, 2, &d));
    assert_non_null(strstr(
        d.text, "'mover' and 'mover2' in 'mover:mover2': each supplies a mapping of registers"));
    d = (Diag){0};
    assert_false(arch_of(&a, (const System *[]){&mover, &system_corf}, 2, &d));
    assert_non_null(
        strstr(d.text,
               "'mover' in 'corf:mover' maps registers, but the operand path of 'corf' maps "
               "them itself"));
}

// The fold checks groups; a part's missing partner is found when the machine is opened.
static void test_no_free_port(void **state) {
    Bench b;
    Arch a;
    (void)state;
    bench_config(&b, "fermi", NULL);
    assert_true(arch_of(&a, (const System *[]){&road, &system_rfv}, 2, &b.d));
    CosimOptions co = {.use = a.blocks, .blocks = "model", .data_dir = "", .cache_dir = ""};
    assert_non_null(b.cosim = cosim_open(&b.arena, &co, &b.cfg, &b.d));
    assert_true(device_open(&b.memory, &b.arena, &b.d));
    const GpuOptions o = {.cfg = &b.cfg, .arch = &a, .cosim = b.cosim, .memory = &b.memory};
    assert_null(gpu_open(&b.arena, &o, &b.d));
    assert_string_equal(b.d.text, "--arch rfv:road: rfv requires an operand path that renames");
    bench_close(&b);
}

static void test_list(void **state) {
    const ArchInfo *list;
    Arena arena = {0};
    Diag d = {0};
    Arch a;
    const int n = arch_list(&arena, &list);
    int pairs = 0;
    (void)state;
    for (int i = 0; i < n; i++) {
        assert_true(arch_parse(list[i].name, &a, &d));
        assert_string_equal(a.name, list[i].name);
        for (int k = 0; k < i; k++) assert_string_not_equal(list[k].name, list[i].name);
        pairs += a.n == 2;
    }
    assert_int_equal(pairs, 72);
    assert_int_equal(n, 168);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order_means_nothing),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_fold),
                                       cmocka_unit_test(test_toys),
                                       cmocka_unit_test(test_machines),
                                       cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_no_free_port)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
