// SPDX-License-Identifier: Apache-2.0
// The JSON report against its schema: every key that the schema requires is there with its type,
// and no other key. The validator is itself checked on documents with a missing, a wrong and an
// unknown key.
#include "report/report.h"
#include "schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

static json_t *load_schema(void) {
    json_t *schema = json_load_file(TEST_SOURCE_DIR "/csrc/report/run.schema.json", 0, NULL);
    assert_non_null(schema);
    return schema;
}

static json_t *make_document(void) {
    static MachineConfig cfg = {.machine = "fermi",
                                .rf_banks = 2,
                                .rf_entries = 1024,
                                .l1_line = 128,
                                .l1_mshrs = 32,
                                .l2_mshrs = 16,
                                .l2_latency = 200,
                                .dram_latency = 400,
                                .dram_bytes_per_kcycle = 16000,
                                .sm_count_gpu = 2};
    static KernelReport kernel = {.name = "k",
                                  .grid = {2, 1, 1},
                                  .block = {64, 1, 1},
                                  .launches = 1,
                                  .limited_by = "warps",
                                  .room = 4,
                                  .room_limited_by = "registers",
                                  .rows = 512,
                                  .all_rows = 2048};
    static CosimPortCount ports[] = {{"banked_rf", "rd_data", 7}};
    static ReportFinding findings[] = {
        {.kind = "race", .text = "k.ptx:3: a race", .count = 5, .in_message = true},
        {.kind = "unset register", .text = "k.ptx:4: a register", .count = 1}};
    static BlockReport blocks[] = {
        {.block = "banked_rf", .mode = BLOCK_LOCKSTEP, .worked = 6},
        {.block = "srp_allocator", .rtl = "mine.sv", .mode = BLOCK_LOCKSTEP, .idle = true}};
    static ReportWork work[] = {{.block = "srp_allocator", .rtl = "mine.sv", .idle = 1}};
    static LaunchReport launch = {.name = "n",
                                  .path = "p",
                                  .message = "",
                                  .kernels = &kernel,
                                  .nkernels = 1,
                                  .ports = ports,
                                  .nports = 1,
                                  .blocks = blocks,
                                  .nblocks = 2,
                                  .unclocked = 9,
                                  .retire_checked = true,
                                  .oracle_checked = true,
                                  .race_checked = true,
                                  .strict_checked = true,
                                  .race_compared = 30,
                                  .strict_examined = 40,
                                  .findings = findings,
                                  .nfindings = 2,
                                  .verdict = "race",
                                  .seconds = 0.5};
    launch.counters.v[CTR_CYCLES] = 100;
    launch.counters.v[CTR_WARP_INSTS] = 150;
    launch.counters.v[CTR_RF_READS] = 700, launch.counters.v[CTR_RF_WRITES] = 300;
    launch.counters.v[CTR_SCALAR_INSTS] = 1, launch.counters.v[CTR_SCALAR_RF_READS] = 60,
    launch.counters.v[CTR_SCALAR_RF_WRITES] = 40;
    launch.counters.bank_reads[1] = 8;
    launch.counters.bank_writes[0] = 5;
    launch.limit_binds = config_memory_limits(&cfg, launch.limits);
    RunReport run = {.version = "v",
                     .command = "c",
                     .arch = "baseline",
                     .cfg = &cfg,
                     .launches = &launch,
                     .nlaunches = 1,
                     .work = work,
                     .nwork = 1};
    char path[] = "/tmp/smcosim-report-XXXXXX";
    Diag d = {0};
    close(mkstemp(path));
    assert_true(report_json(path, &run, &d));
    json_t *document = json_load_file(path, 0, NULL);
    unlink(path);
    assert_non_null(document);
    return document;
}

static void test_document_fits_schema(void **state) {
    (void)state;
    json_t *schema = load_schema(), *document = make_document();
    assert_int_equal(validate(schema, document), 0);
    json_t *launch = json_array_get(json_object_get(document, "launches"), 0);
    assert_int_equal(json_integer_value(json_object_get(launch, "cycles")), 100);
    assert_true(json_real_value(json_object_get(launch, "ipc")) == 1.5);
    const json_t *kernel = json_array_get(json_object_get(launch, "kernels"), 0),
                 *limits = json_object_get(launch, "memory_limits");
    assert_true(json_real_value(json_object_get(kernel, "register_file_full")) == 0.25);
    assert_string_equal(json_string_value(json_object_get(kernel, "room_limited_by")), "registers");
    assert_true(json_real_value(json_object_get(limits, "l1_mshrs")) == 32 * 128 / 400.0);
    assert_true(json_real_value(json_object_get(limits, "l2_mshrs")) == 16 * 128 / 200.0);
    assert_string_equal(json_string_value(json_object_get(limits, "binds")), "DRAM share");
    assert_true(json_real_value(json_object_get(launch, "sim_cycles_per_second")) == 200.0);
    assert_string_equal(json_string_value(json_object_get(launch, "verdict")), "race");
    assert_int_equal(json_integer_value(json_object_get(launch, "cycles_not_clocked")), 9);
    json_t *banks = json_object_get(launch, "banks");
    assert_int_equal(json_array_size(banks), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(banks, 1), "reads")), 8);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(banks, 0), "writes")), 5);
    json_t *block = json_object_get(json_object_get(launch, "blocks"), "banked_rf");
    assert_int_equal(json_integer_value(json_object_get(block, "cycles_with_work")), 6);
    json_t *idle = json_object_get(launch, "idle"),
           *without = json_object_get(document, "without_work");
    assert_int_equal(json_array_size(idle), 1);
    assert_string_equal(json_string_value(json_array_get(idle, 0)), "srp_allocator");
    assert_string_equal(json_string_value(json_object_get(json_array_get(without, 0), "rtl")),
                        "mine.sv");
    // no check has compared anything
    assert_true(json_is_false(json_object_get(launch, "results_checked")));
    json_t *checks = json_object_get(launch, "checks"),
           *findings = json_object_get(launch, "findings");
    assert_int_equal(json_integer_value(json_object_get(checks, "race_accesses")), 30);
    assert_int_equal(json_integer_value(json_object_get(checks, "strict_instructions")), 40);
    assert_int_equal(json_array_size(findings), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(findings, 0), "count")), 5);
    json_decref(schema);
    json_decref(document);
}

// A block is without work when it was idle in one launch and worked in none; own RTL is another
// block.
static void test_evidence_adds_up(void **state) {
    (void)state;
    Arena arena = {0};
    ReportWork *work;
    BlockReport first[] = {{.block = "a", .mode = BLOCK_LOCKSTEP, .idle = true},
                           {.block = "b", .mode = BLOCK_LOCKSTEP, .idle = true}};
    BlockReport second[] = {{.block = "a", .mode = BLOCK_LOCKSTEP, .worked = 3},
                            {.block = "b", .mode = BLOCK_LOCKSTEP, .idle = true},
                            {.block = "c", .mode = BLOCK_LOCKSTEP}};
    LaunchReport launches[] = {{.blocks = first, .nblocks = 2}, {.blocks = second, .nblocks = 3}};
    assert_int_equal(report_without_work(launches, 2, 1, &arena, &work), 1);
    assert_string_equal(work[0].block, "b");
    assert_int_equal(work[0].idle, 2);
    assert_int_equal(report_without_work(launches, 1, 1, &arena, &work), 2);
    second[0].rtl = "mine.sv";
    assert_int_equal(report_without_work(launches, 2, 1, &arena, &work), 2);
    // One that failed for a reason of its own decides before one that only did not show a fault.
    LaunchReport failed[] = {{.status = EXIT_VACUOUS, .verdict = "not observed"},
                             {.status = EXIT_MISMATCH}};
    RunReport run = {.launches = failed, .nlaunches = 2};
    assert_ptr_equal(report_first_failure(&run), &failed[1]);
    run.nlaunches = 1;
    assert_ptr_equal(report_first_failure(&run), &failed[0]);
    arena_free(&arena);
}

static double energy_of_run(const json_t *launch, const char *paper, const char *what) {
    return json_real_value(
        json_object_get(json_object_get(json_object_get(launch, "energy"), paper), what));
}

// 1000 accesses of banks, 100 of scalar words, 100 cycles of 2048 registers: worked out by hand
// from energy.def.
static void test_energy(void **state) {
    (void)state;
    json_t *document = make_document(),
           *launch = json_array_get(json_object_get(document, "launches"), 0);
    assert_float_equal(energy_of_run(launch, "corf", "dynamic"), 149.76, 1e-9);
    assert_float_equal(energy_of_run(launch, "bow", "dynamic"), 185.26, 1e-9);
    assert_float_equal(energy_of_run(launch, "scalar", "dynamic"), 149.76, 1e-9);
    assert_float_equal(energy_of_run(launch, "scalar", "dynamic_added"), 0.468, 1e-9);
    assert_float_equal(energy_of_run(launch, "scalar", "leakage"), 2 * 89.6 * 100 / 950.0, 1e-6);
    assert_float_equal(energy_of_run(launch, "scalar", "leakage_added"),
                       0.03 * 2 * 89.6 * 100 / 950.0, 1e-6);
    json_decref(document);
}

static void test_validator_fails(void **state) {
    (void)state;
    json_t *schema = load_schema(), *document = make_document();
    json_t *launch = json_array_get(json_object_get(document, "launches"), 0);
    json_object_set_new(launch, "surprise", json_integer(1));
    assert_int_equal(validate(schema, document), 1);
    json_object_del(launch, "surprise");
    json_object_set_new(launch, "cycles", json_string("many"));
    assert_int_equal(validate(schema, document), 1);
    json_object_del(launch, "cycles");
    assert_int_equal(validate(schema, document), 1);
    json_decref(schema);
    json_decref(document);
}

static void test_unwritable_place(void **state) {
    (void)state;
    MachineConfig cfg = {.machine = "fermi"};
    RunReport run = {.version = "v", .command = "c", .arch = "baseline", .cfg = &cfg};
    Diag d = {0};
    assert_false(report_json("/no/such/folder/x.json", &run, &d));
    assert_int_equal(d.status, EXIT_ENVIRONMENT);
    assert_non_null(strstr(d.text, "/no/such/folder/x.json"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document_fits_schema),
        cmocka_unit_test(test_evidence_adds_up),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_validator_fails),
        cmocka_unit_test(test_unwritable_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
