// SPDX-License-Identifier: Apache-2.0
// Every seeded fault of every module is reported: at its block, after cycle 0, at the port its
// words name. The list is read from the files beside the RTL ("NN  words: ports, condition"), so
// that a fault added there is tested here.
#include "testing.h"

#include <ctype.h>

typedef struct Fault {
    char block[64], module[64];
    int number;
    char text[512];
} Fault;

static Fault faults[128];
static int nfaults;

// Modules and the block they are part of.
static const struct {
    const char *file, *module, *block;
} modules[] = {
    {"rf/rf_subbank.faults", "rf_subbank", "banked_rf"},
    {"rf/rf_bank.faults", "rf_bank", "banked_rf"},
    {"rf/rf_arbiter.faults", "rf_arbiter", "banked_rf"},
    {"rf/banked_rf.faults", "banked_rf", "banked_rf"},
    {"collect/operand_collector.faults", "operand_collector", "operand_collector"},
};
enum { MODULES = sizeof modules / sizeof *modules };

static void read_faults(const char *file, const char *module, const char *block) {
    char path[512], line[512];
    snprintf(path, sizeof path, TEST_SOURCE_DIR "/rtl/%s", file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    Fault *last = NULL;
    while (fgets(line, sizeof line, f)) {
        const char *p = line + strspn(line, " ");
        if (p - line != 5) last = NULL;  // words go on in lines that are indented by five blanks
        if (isdigit((unsigned char)*line)) {
            assert_true(nfaults < 128);
            last = &faults[nfaults++];
            snprintf(last->block, sizeof last->block, "%s", block);
            snprintf(last->module, sizeof last->module, "%s", module);
            last->number = atoi(p);
        }
        if (last) strncat(last->text, p, sizeof last->text - strlen(last->text) - 1);
    }
    fclose(f);
}

// "rdata_o" of an inner module arrives at the block's port rd_data_o.
static bool names_port(const Fault *f, const char *port) {
    char name[80];
    snprintf(name, sizeof name, "%s_o", port);
    if (strstr(f->text, name)) return true;
    return !strcmp(port, "rd_data") && strstr(f->text, "rdata_o");
}

static void check_fault(const Fault *f) {
    char testbug[96];
    snprintf(testbug, sizeof testbug, "%s=%d", f->block, f->number);
    Bench b = {.kind = strcmp(f->block, "banked_rf") ? BENCH_OC : BENCH_RF};
    Diag d = {0};
    CosimOptions o = {.blocks = strcmp(f->block, "banked_rf") ? "model,operand_collector=lockstep"
                                                              : "model,banked_rf=lockstep",
                      .testbug = testbug,
                      .cache_dir = CACHE,
                      .run_on = 5};
    assert_true(bench_open(&b, DATA, "fermi", &o, 11, &d));
    b.busy = -1;
    bench_cycles(&b, 10);  // idle: no fault shows before the stimuli it needs
    b.busy = 70;
    bench_cycles(&b, 30000);
    const Mismatch *m = cosim_mismatch(b.cosim);
    if (!m)
        fail_msg("%s fault %d was not found in %llu cycles: %s", f->module, f->number,
                 (unsigned long long)b.cycle, f->text);
    print_message("%-18s %2d: cycle %llu, %s_o[%d]\n", f->module, f->number,
                  (unsigned long long)m->cycle, m->port, m->element);
    assert_string_equal(m->block, f->block);
    assert_true(m->cycle >= 10);
    if (!names_port(f, m->port))
        fail_msg("%s fault %d: found at %s_o, documented: %s", f->module, f->number, m->port,
                 f->text);
    assert_int_equal(b.cycle, m->cycle + 6);  // run_on cycles after the one of the mismatch
    assert_false(cosim_finish(b.cosim, &d));
    assert_int_equal(d.status, EXIT_MISMATCH);
    bench_close(&b);
}

static void each_fault_is_found(void **state) {
    (void)state;
    for (int i = 0; i < MODULES; i++) {
        int before = nfaults;
        read_faults(modules[i].file, modules[i].module, modules[i].block);
        if (nfaults - before < 2)
            fail_msg("%s has %d seeded faults, at least 2 are expected", modules[i].file,
                     nfaults - before);
    }
    for (int i = 0; i < nfaults; i++) check_fault(&faults[i]);
}

// The variant with seeded faults compiled in agrees while none acts: its fault port is not driven
// before cycle 100000.
static void none_selected(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF};
    Diag d = {0};
    CosimOptions o = {.blocks = "model,banked_rf=lockstep",
                      .fault = "banked_rf:bank0.entry1.lane0.bit0:flip@100000",
                      .cache_dir = CACHE};
    assert_true(bench_open(&b, DATA, "fermi", &o, 11, &d));
    bench_cycles(&b, 5000);
    assert_true(cosim_finish(b.cosim, &d));
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fault_is_found),
                                       cmocka_unit_test(none_selected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
