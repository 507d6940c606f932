// SPDX-License-Identifier: Apache-2.0
// Presets, overrides, ranges, relations, and the messages for bad files and keys.
#include "config/config.h"

#include "base/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_SOURCE_DIR "/csrc/config"

static const char *const KEYS[] = {
#define CFG(field, key, def, least, most, unit, meaning) key,
#define CFGENUM(field, key, def, words, meaning) key,
#include "config/config.def"
#undef CFG
#undef CFGENUM
};
enum { NKEYS = sizeof KEYS / sizeof *KEYS };

static bool contains(const char *text, const char *part) {
    if (strstr(text, part)) return true;
    print_error("`%s` is not in:\n%s\n", part, text);
    return false;
}

// No preset leaves a key to a default (except presets that name a preset that they are like), and
// all pass the checks.
static void test_presets_complete(void **state) {
    (void)state;
    Arena a = {0};
    Diag d = {0};
    const char **names;
    int n = config_presets(&a, DATA, &names);
    assert_int_equal(n, 12);
    for (int i = 0; i < n; i++) {
        SourceText src;
        MachineConfig cfg;
        const YamlNode *root =
            yaml_load(&a, arena_printf(&a, DATA "/machines/%s.yaml", names[i]), &src, &d);
        assert_non_null(root);
        for (int k = 0; k < NKEYS; k++)
            if (!yaml_get(root, KEYS[k]) && !yaml_get(root, "like") && strcmp(names[i], "cover"))
                fail_msg("%s does not set %s", names[i], KEYS[k]);
        if (!config_load(&cfg, &a, DATA, names[i], &d) || !config_check(&cfg, &d))
            fail_msg("%s", d.text);
        assert_string_equal(cfg.machine, names[i]);
        assert_true(*config_description(&a, DATA, names[i]) != '\0');
    }
    arena_free(&a);
}

// The defaults in config.def are the fermi machine; its values are those of the specification.
static void test_fermi(void **state) {
    (void)state;
    Arena a = {0};
    Diag d = {0};
    MachineConfig c, again;
    assert_true(config_load(&c, &a, DATA, "fermi", &d));
#define CFG(field, key, def, least, most, unit, meaning) \
    if (c.field != (def)) fail_msg("%s is %d in fermi, %d in config.def", key, c.field, def);
#define CFGENUM(field, key, def, words, meaning)
#include "config/config.def"
#undef CFG
#undef CFGENUM
    assert_int_equal(c.sm_scheduler, SCHED_GTO);
    assert_int_equal(c.sm_warps, 48);
    assert_int_equal(c.rf_banks * c.rf_entries, 1024);
    assert_int_equal(c.l1_sets * c.l1_ways * c.l1_line, 32768);
    // Printed and read back: equal.
    char path[] = "/tmp/smcosim-config-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    assert_true(config_set(&c, "sm.scheduler=lrr", &d) && config_set(&c, "l2.bytes=1M", &d));
    config_print(f, &c);
    fclose(f);
    char *yaml = arena_printf(&a, "%s.yaml", path);
    assert_int_equal(rename(path, yaml), 0);
    bool ok = config_load(&again, &a, DATA, yaml, &d);
    unlink(yaml);
    if (!ok) fail_msg("%s", d.text);
    again.machine = c.machine;
    assert_memory_equal(&again, &c, sizeof c);
    assert_int_equal(again.sm_scheduler, SCHED_LRR);
    assert_int_equal(again.l2_bytes, 1 << 20);
    arena_free(&a);
}

// The sources' figures of each GPU, and the values computed from the preset.
static void test_computed(void **state) {
    (void)state;
    static const struct {
        const char *machine;
        int rf_kb, l1_kb, mhz, dram_mhz, bits, per_clock;
    } GPUS[] = {
        {"fermi", 128, 32, 700, 924, 384, 4},       {"gtx480", 128, 16, 700, 924, 384, 4},
        {"fermi-corf", 128, 16, 700, 924, 384, 4},  {"fermi-regmutex", 128, 16, 700, 924, 384, 4},
        {"fermi-caba", 128, 16, 1400, 924, 384, 4}, {"kepler", 256, 48, 950, 1250, 128, 4},
        {"pascal", 256, 48, 1417, 1250, 384, 8},    {"pascal-larf", 128, 48, 1417, 1250, 384, 8}};
    Arena a = {0};
    for (size_t i = 0; i < sizeof GPUS / sizeof *GPUS; i++) {
        MachineConfig c;
        Diag d = {0};
        if (!config_load(&c, &a, DATA, GPUS[i].machine, &d)) fail_msg("%s", d.text);
        assert_int_equal(c.rf_banks * c.rf_entries * 128, GPUS[i].rf_kb * 1024);
        assert_int_equal(c.l1_sets * c.l1_ways * c.l1_line, GPUS[i].l1_kb * 1024);
        assert_int_equal(c.dram_clock_permille,
                         (GPUS[i].dram_mhz * 1000 + GPUS[i].mhz / 2) / GPUS[i].mhz);
        long long mbytes = (long long)GPUS[i].dram_mhz * GPUS[i].per_clock * GPUS[i].bits / 8;
        assert_in_range(c.dram_bytes_per_kcycle - mbytes * 1000 / GPUS[i].mhz, 0, 1);
    }
    arena_free(&a);
}

// A preset that is like another one differs in the keys that it sets.
static void test_like(void **state) {
    (void)state;
    Arena a = {0};
    Diag d = {0};
    MachineConfig base, c;
    assert_true(config_load(&base, &a, DATA, "gtx480", &d) &&
                config_load(&c, &a, DATA, "fermi-corf", &d));
    assert_string_equal(c.machine, "fermi-corf");
    assert_int_equal(c.rf_banks, 4);
    assert_int_equal(c.sm_scheduler, SCHED_TWO_LEVEL);
    assert_int_equal(base.rf_banks, 16);
    assert_int_equal(c.l1_sets, base.l1_sets);
    assert_int_equal(c.l2_latency, base.l2_latency);
    MachineConfig fermi;
    assert_true(config_load(&fermi, &a, DATA, "fermi", &d));
    assert_int_not_equal(c.l2_latency, fermi.l2_latency);  // a value that no default has
    arena_free(&a);
}

static void test_set(void **state) {
    (void)state;
    Arena a = {0};
    Diag load = {0};
    MachineConfig c;
    assert_true(config_load(&c, &a, DATA, "fermi", &load));
    static const struct {
        const char *set, *message;
    } BAD[] = {
        {"l2.ltency=3", "--set l2.ltency=3: unknown key `l2.ltency`; did you mean `l2.latency`?"},
        {"zzz=3", "unknown key `zzz`"},
        {"l2.latency=0", "l2.latency = 0 is out of range: 1..10000 cycles"},
        {"l2.latency=10001", "out of range: 1..10000"},
        {"l2.latency=-5", "out of range"},
        {"l2.latency=99999999999999999999", "needs an integer"},
        {"l2.latency=2x", "l2.latency needs an integer (1..10000 cycles), found `2x`"},
        {"l2.latency=", "needs an integer"},
        {"l2.latency", "expected KEY=VALUE"},
        {"=5", "expected KEY=VALUE"},
        {"", "expected KEY=VALUE"},
        {"sm.scheduler=fifo", "sm.scheduler is one of gto|lrr|two-level, not `fifo`"},
        {"sm.scheduler=gt", "not `gt`"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        Diag d = {0};
        MachineConfig before = c;
        assert_false(config_set(&c, BAD[i].set, &d));
        assert_int_equal(d.status, EXIT_USAGE);
        assert_true(contains(d.text, BAD[i].message));
        assert_memory_equal(&c, &before, sizeof c);
    }
    Diag d = {0};
    assert_true(config_set(&c, "l2.latency=0x100", &d) &&
                config_set(&c, "sm.scheduler=two-level", &d));
    assert_int_equal(c.l2_latency, 256);
    assert_int_equal(c.sm_scheduler, SCHED_TWO_LEVEL);
    arena_free(&a);
}

static void test_relations(void **state) {
    (void)state;
    static const struct {
        const char *set, *message;
    } BAD[] = {
        {"sm.threads=100", "sm.threads must be a multiple of 32"},
        {"sm.threads=512", "sm.warps x 32 must not exceed sm.threads"},
        {"rf.banks=1", "rf.write_ports must not exceed rf.banks"},
        {"l1.line=96", "l1.line must be a power of two"},
        {"shared.banks=3", "shared.banks must be a power of two"},
        {"l2.latency=27", "with this crossbar it is at least 28"},
        {"xbar.latency=100", "with this crossbar it is at least 204"},
        {"dram.trcd=1000", "dram.latency = 440 is less than its parts"},
        {"dram.latency=199", "dram.latency must not be less than l2.latency"},
        {"dram.tras=30", "dram.tras + dram.trp must not exceed dram.trc"},
        {"dram.row=192", "dram.row must be a multiple of l1.line"},
        {"const.line=48", "const.line must be a power of two"},
        {"l1.sector=16", "l1.sector must be 0 or 32"},
        {"icache.line=48", "icache.line must be a power of two"},
        {"icache.bytes=256", "icache.bytes must be 0 or hold one set"},
        {"dram.access=16", "dram.access must be 0, 32, 64 or 128"},
        {"dram.access=96", "dram.access must be 0, 32, 64 or 128"},
        {"dram.groups=3", "dram.groups must be a power of two"},
        {"dram.twl=13", "dram.twl must not exceed dram.tcl"},
    };
    Arena a = {0};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        MachineConfig c;
        Diag d = {0};
        assert_true(config_load(&c, &a, DATA, "fermi", &d));
        if (config_set(&c, BAD[i].set, &d) && config_check(&c, &d))
            fail_msg("%s is accepted", BAD[i].set);
        assert_int_equal(d.status, EXIT_USAGE);
        assert_true(contains(d.text, BAD[i].message));
    }
    arena_free(&a);
}

// Writes a machine file, loads it, removes it.
static bool load_text(MachineConfig *c, Arena *a, const char *text, Diag *d) {
    char path[] = "/tmp/smcosim-config-XXXXXX.yaml";
    FILE *f = fdopen(mkstemps(path, 5), "w");
    fputs(text, f);
    fclose(f);
    bool ok = config_load(c, a, DATA, path, d);
    unlink(path);
    return ok;
}

static void test_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } BAD[] = {
        {"sm.warps: 32\nl1.setz: 4\n",
         ":2:1: error: unknown key `l1.setz`; did you mean `l1.sets`?\n    l1.setz: 4\n    ^"},
        {"sm.warps: 999\n", ":1:11: error: sm.warps = 999 is out of range: 1..128 warps"},
        {"sm.warps: [3]\n", ":1:11: error: sm.warps needs one value"},
        {"sm.warps: 3\nsm.warps: 4\n", ":2:1: error: key `sm.warps` is written twice"},
        {"- 3\n", ":1:1: error: a machine file is a map of keys"},
        {"sm.warps: {\n", "error: not YAML"},
        {"sm.warps: *x\n", ":1:11: error: no earlier anchor has this name"},
        {"? [a]\n: 3\n", "a key must be a word"},
        {"--- {}\n--- {}\n", ":2:1: error: found a second document"},
        {"a\tb: \x01\n", "error: not"},
        {"sm.warps: 3\nlike: fremi\n",
         ":2:7: error: like: unknown machine `fremi`; did you mean `fermi`?"},
        {"like: ./fermi.yaml\n", ":1:7: error: like: expected the name of a preset"},
        {"like: [fermi]\n", ":1:7: error: like: expected the name of a preset"},
    };
    Arena a = {0};
    MachineConfig c;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        Diag d = {0};
        assert_false(load_text(&c, &a, BAD[i].text, &d));
        assert_int_equal(d.status, EXIT_USAGE);
        assert_true(contains(d.text, BAD[i].message));
    }
    Diag d = {0};
    assert_true(load_text(&c, &a, "{\"sm.warps\": 24, \"description\": \"JSON\"}", &d));
    assert_int_equal(c.sm_warps, 24);
    assert_true(load_text(&c, &a, "l2.queue: 7\nlike: fermi-corf\nrf.banks: 8\n", &d));
    assert_int_equal(c.rf_banks, 8);
    assert_int_equal(c.l2_queue, 7);
    assert_int_equal(c.sm_scheduler, SCHED_TWO_LEVEL);
    assert_true(load_text(&c, &a, "", &d));
    assert_int_equal(c.sm_warps, 48);
    arena_free(&a);
}

static void test_unknown_machine(void **state) {
    (void)state;
    static const struct {
        const char *name, *message;
        ExitStatus status;
    } BAD[] = {
        {"hopper",
         "unknown machine `hopper`; expected all-systems, cover, fermi, fermi-caba, fermi-corf, "
         "fermi-regmutex, "
         "gpgpusim, gtx480, kepler, pascal, pascal-larf, tiny",
         EXIT_USAGE},
        {"fremi", "unknown machine `fremi`; did you mean `fermi`?", EXIT_USAGE},
        {"ferm", "unknown machine `ferm`; did you mean `fermi`?", EXIT_USAGE},
        {"/nonexistent/x.yaml", "/nonexistent/x.yaml: cannot be opened", EXIT_USAGE},
        {"", "unknown machine ``", EXIT_USAGE},
    };
    Arena a = {0};
    MachineConfig c;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        Diag d = {0};
        assert_false(config_load(&c, &a, DATA, BAD[i].name, &d));
        assert_int_equal(d.status, BAD[i].status);
        assert_true(contains(d.text, BAD[i].message));
    }
    Diag d = {0};
    assert_false(config_load(&c, &a, "/nonexistent", "fermi", &d));
    assert_int_equal(d.status, EXIT_ENVIRONMENT);
    arena_free(&a);
}

static void test_integers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } CASES[] = {
        {"0", true, 0},
        {"-7", true, -7},
        {"+7", true, 7},
        {"0x10", true, 16},
        {"64K", true, 65536},
        {"2M", true, 2 << 20},
        {"1G", true, 1 << 30},
        {"010", true, 10},
        {"", false, 0},
        {"K", false, 0},
        {"1k", false, 0},
        {"1KB", false, 0},
        {"1.5", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"0x", false, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"9007199254740993K", false, 0},
        {"--1", false, 0},
        {"1e3", false, 0},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        int64_t v = 0;
        bool ok = yaml_integer(CASES[i].text, &v);
        if (ok != CASES[i].ok || (ok && v != CASES[i].value))
            fail_msg("`%s`: %d, %ld", CASES[i].text, ok, (long)v);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets_complete),
        cmocka_unit_test(test_fermi),
        cmocka_unit_test(test_computed),
        cmocka_unit_test(test_like),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_unknown_machine),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
