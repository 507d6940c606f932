// SPDX-License-Identifier: Apache-2.0
// Waves, read back with fst2vcd: both sides and the SM in one file, the window, the save file.
// Also: the reaction to a file that cannot be written.
#include "testing.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char root[256];

typedef struct Var {
    char name[1024], id[64];
    int bits;
} Var;
typedef struct Vcd {
    Var vars[40000];
    int nvars;
    uint64_t first, last, times;
    char value[1200];  // of the watched variable at the watched time
} Vcd;

static Vcd vcd;

static const Var *find(const char *name) {
    for (int i = 0; i < vcd.nvars; i++)
        if (!strcmp(vcd.vars[i].name, name)) return &vcd.vars[i];
    return NULL;
}

static void parse_declarations(FILE *f) {
    char line[70000], scope[512] = "";
    vcd.nvars = 0;
    while (fgets(line, sizeof line, f) && strncmp(line, "$enddefinitions", 15)) {
        char a[256], id[64], range[64] = "";
        int bits;
        if (sscanf(line, "$scope %*s %255s", a) == 1) {
            if (scope[0]) strcat(scope, ".");
            strcat(scope, a);
        } else if (!strncmp(line, "$upscope", 8)) {
            char *dot = strrchr(scope, '.');
            *(dot ? dot : scope) = '\0';
        } else if (sscanf(line, "$var %*s %d %63s %255s %63s", &bits, id, a, range) >= 3) {
            assert_true(vcd.nvars < 40000);
            Var *v = &vcd.vars[vcd.nvars++];
            snprintf(v->name, sizeof v->name, "%s.%s%s", scope, a, range[0] == '[' ? range : "");
            snprintf(v->id, sizeof v->id, "%s", id);
            v->bits = bits;
        }
    }
}

// Reads a wave; keeps the value of `name` as it is at `time`.
static void read_wave(const char *path, const char *name, uint64_t time) {
    char command[600], line[70000];
    snprintf(command, sizeof command, "fst2vcd %s 2>/dev/null", path);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    vcd.first = UINT64_MAX, vcd.last = vcd.times = 0, vcd.value[0] = '\0';
    parse_declarations(f);
    const Var *watched = name ? find(name) : NULL;
    if (name && !watched) fail_msg("%s has no signal %s", path, name);
    uint64_t now = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') {
            now = strtoull(line + 1, NULL, 10);
            if (vcd.first == UINT64_MAX) vcd.first = now;
            vcd.last = now;
            vcd.times++;
        } else if (watched && now <= time) {
            char *space = strchr(line, ' ');
            if (line[0] == 'b' && space && !strcmp(space + 1, watched->id))
                snprintf(vcd.value, sizeof vcd.value, "%.*s", (int)(space - line - 1), line + 1);
            else if (line[0] == 's' && space && !strcmp(space + 1, watched->id))
                snprintf(vcd.value, sizeof vcd.value, "%.*s", (int)(space - line - 1), line + 1);
            else if (strchr("01x", line[0]) && !strcmp(line + 1, watched->id))
                snprintf(vcd.value, sizeof vcd.value, "%c", line[0]);
        }
    }
    assert_int_equal(pclose(f), 0);
}

static int wave_run(Bench *b, const char *blocks, const char *testbug, const char *wave,
                    uint64_t cycles, Diag *d) {
    CosimOptions o = {
        .blocks = blocks, .testbug = testbug, .wave = wave, .cache_dir = CACHE, .run_on = 20};
    if (!bench_open(b, DATA, "fermi", &o, 3, d)) return d->status;
    bench_cycles(b, cycles);
    cosim_finish(b->cosim, d);
    return d->status;
}

static const char *in_root(const char *name) {
    static char path[4][600];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, 600, "%s/%s", root, name);
    return p;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static int files_in_root(void) {
    char command[600];
    int n = -1;
    snprintf(command, sizeof command, "ls -A %s | wc -l", root);
    FILE *f = popen(command, "r");
    assert_int_equal(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

static void both_sides(void **state) {
    (void)state;
    Bench b = {0};
    Diag d = {0};
    char spec[700];
    snprintf(spec, sizeof spec, "%s:100-120", in_root("a.fst"));
    assert_int_equal(wave_run(&b, "lockstep", NULL, spec, 1000, &d), EXIT_PASS);
    bench_close(&b);
    assert_int_equal(files_in_root(), 2);  // a.fst, a.gtkw, nothing temporary
    read_wave(in_root("a.fst"), "cosim.cycle[31:0]", 1104);
    assert_string_equal(vcd.value, "00000000000000000000000001101110");  // 110
    assert_int_equal(vcd.first, 1000);
    assert_int_equal(vcd.last, 1205);
    assert_int_equal(vcd.times, 42);  // two per cycle
    static const char *const wanted[] = {"rtl.banked_rf.clk_i",
                                         "rtl.banked_rf.rd_data_o[4095:0]",
                                         "rtl.operand_collector.disp_data_o[12287:0]",
                                         "rtl.port.banked_rf.rd_data[3][1023:0]",
                                         "golden.banked_rf.rd_data[3][1023:0]",
                                         "golden.banked_rf.rd_bank[15][1:0]",
                                         "golden.operand_collector.disp_data[11][1023:0]",
                                         "cosim.differs.operand_collector.disp_slot[3:0]",
                                         "sm.test.digest[31:0]",
                                         "cosim.mismatch"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!find(wanted[i])) fail_msg("no signal %s", wanted[i]);
    // The clock is low while inputs settle, and has risen in the middle of the cycle.
    for (uint64_t t = 1000; t < 1020; t += 5) {
        read_wave(in_root("a.fst"), "rtl.banked_rf.clk_i", t);
        assert_string_equal(vcd.value, t % 10 ? "1" : "0");
    }
    read_wave(in_root("a.fst"), "cosim.cycle[31:0]", 1104);
    // Operand rows inside the collector, by collector.
    int rows = 0;
    for (int i = 0; i < vcd.nvars; i++)
        rows += vcd.vars[i].bits == 1024 && strstr(vcd.vars[i].name, "row_q[") != NULL;
    assert_int_equal(rows, 48);
}

// Value of a signal of a.fst in a cycle of its window.
static const char *value_in(const char *name, uint64_t cycle) {
    read_wave(in_root("a.fst"), name, cycle * 10);
    return vcd.value;
}

// A row without its valid bit is drawn as x on both sides, one with it never.
static void no_meaning_is_x(void **state) {
    (void)state;
    static const char *const sides[] = {"golden.banked_rf.rd_data[0][1023:0]",
                                        "rtl.port.banked_rf.rd_data[0][1023:0]"};
    bool seen[2] = {false, false};
    for (uint64_t cycle = 100; cycle <= 120 && !(seen[0] && seen[1]); cycle++) {
        const char *valid = value_in("golden.banked_rf.rd_data_valid[3:0]", cycle);
        bool means = valid[strlen(valid) - 1] == '1';
        if (seen[means]) continue;
        seen[means] = true;
        for (int i = 0; i < 2; i++) {
            const char *value = value_in(sides[i], cycle);
            if (means) assert_null(strchr(value, 'x'));
            else assert_int_equal(strspn(value, "x"), 1024);
        }
    }
    assert_true(seen[0] && seen[1]);
}

// A text changes with its cycle: the test bench shows "odd" and "even".
static void texts(void **state) {
    (void)state;
    assert_string_equal(value_in("sm.test.parity", 110), "even");
    assert_string_equal(value_in("sm.test.parity", 111), "odd");
}

// The SM's signal at the end of the window is the one of that cycle, not of the run's end.
static void sm_signal_in_time(void **state) {
    (void)state;
    Bench b = {0};
    Diag d = {0};
    char spec[700], bits[40];
    snprintf(spec, sizeof spec, "%s:0-49", in_root("s.fst"));
    assert_int_equal(wave_run(&b, "model", NULL, spec, 50, &d), EXIT_PASS);
    uint32_t expected = b.signal;
    bench_close(&b);
    read_wave(in_root("s.fst"), "sm.test.digest[31:0]", 495);
    for (int i = 0; i < 32; i++) bits[i] = expected >> (31 - i) & 1 ? '1' : '0';
    bits[32] = '\0';
    assert_string_equal(vcd.value, bits);
    assert_null(find("rtl.banked_rf.clk_i"));  // no RTL ran
}

// Cursor and marker are at the mismatch. The port that differs precedes all others, and each of its
// lanes that differ, up to four, is a row of its own on both sides.
static void check_save_file(const Mismatch *m, uint64_t at) {
    static char line[70000];
    char first[160];
    uint32_t expected[32], actual[32];
    int lanes = 0, rows = 0, golden_at = -1, other_at = -1, n = 0;
    bool marked = false;
    rf_lanes_from_slices(expected, m->expected);
    rf_lanes_from_slices(actual, m->actual);
    for (int l = 0; l < 32; l++) lanes += expected[l] != actual[l];
    snprintf(first, sizeof first, " golden.banked_rf.%s[%d][1023:0]", m->port, m->element);
    FILE *f = fopen(in_root("m.gtkw"), "r");
    assert_non_null(f);
    for (; fgets(line, sizeof line, f); n++) {
        unsigned long long cursor, marker;
        marked |=
            sscanf(line, "*%*f %llu %llu", &cursor, &marker) == 2 && cursor == at && marker == at;
        rows += !strncmp(line, "#{lane ", 7);
        if (golden_at < 0 && line[0] == '+' && strstr(line, first)) golden_at = n;
        if (other_at < 0 && (strstr(line, "banked_rf.rd_bank") || strstr(line, "sm.")))
            other_at = n;
    }
    fclose(f);
    assert_true(marked);
    assert_true(golden_at >= 0 && golden_at < other_at);
    assert_int_equal(rows, 2 * (lanes < 4 ? lanes : 4));
}

// Golden and RTL differ in the wave exactly at the mismatch, the marker and the save file point
// there.
static void mismatch_marked(void **state) {
    (void)state;
    Bench b = {.kind = BENCH_RF, .busy = 30};
    Diag d = {0};
    assert_int_equal(
        wave_run(&b, "model,banked_rf=lockstep", "banked_rf=34", in_root("m.fst"), 5000, &d),
        EXIT_MISMATCH);
    Mismatch m = *cosim_mismatch(b.cosim);
    bench_close(&b);
    assert_true(m.cycle > 1);
    assert_string_equal(m.port, "rd_data");
    char golden[100], rtl[100], value[1200];
    uint64_t at = m.cycle * 10;
    read_wave(in_root("m.fst"), "cosim.mismatch", at - 1);
    assert_string_equal(vcd.value, "0");
    read_wave(in_root("m.fst"), "cosim.mismatch", at);
    assert_string_equal(vcd.value, "1");
    read_wave(in_root("m.fst"), "cosim.mismatch", at + 10);
    assert_string_equal(vcd.value, "0");
    assert_true(vcd.last == (m.cycle + 20) * 10 + 5);  // run_on cycles after it
    snprintf(golden, sizeof golden, "golden.banked_rf.rd_data[%d][1023:0]", m.element);
    snprintf(rtl, sizeof rtl, "rtl.port.banked_rf.rd_data[%d][1023:0]", m.element);
    read_wave(in_root("m.fst"), golden, at);
    strcpy(value, vcd.value);
    read_wave(in_root("m.fst"), rtl, at);
    assert_int_equal(strlen(value), 1024);
    for (int w = 0; w < 32; w++) {
        uint32_t g = 0, r = 0;
        for (int i = 0; i < 32; i++) {
            g |= (uint32_t)(value[1023 - 32 * w - i] == '1') << i;
            r |= (uint32_t)(vcd.value[1023 - 32 * w - i] == '1') << i;
        }
        assert_int_equal(g, m.expected[w]);
        assert_int_equal(r, m.actual[w]);
    }
    read_wave(in_root("m.fst"), "cosim.mismatch_is", at);
    assert_non_null(strstr(vcd.value, "rd_data_o"));
    check_save_file(&m, at);
}

// Every signal that the save file names is in the wave, under that name.
static void save_file_names(void **state) {
    (void)state;
    read_wave(in_root("a.fst"), NULL, 0);
    FILE *f = fopen(in_root("a.gtkw"), "r");
    assert_non_null(f);
    char line[512];
    int signals = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (!line[0] || strchr("[*@-", line[0])) continue;
        // after an alias
        const char *name = line[0] == '+' && strchr(line, '}') ? strchr(line, '}') + 2 : line;
        if (!find(name)) fail_msg("the save file names %s, which is not in the wave", name);
        signals++;
    }
    fclose(f);
    assert_true(signals > 200);
}

static void window_never_reached(void **state) {
    (void)state;
    Bench b = {0};
    Diag d = {0};
    char spec[700];
    snprintf(spec, sizeof spec, "%s:5000-5010", in_root("never.fst"));
    assert_int_equal(wave_run(&b, "model", NULL, spec, 100, &d), EXIT_USAGE);
    print_message("%s\n", d.text);
    bench_close(&b);
    assert_false(exists(in_root("never.fst")));
}

// An interrupted run calls cosim_close alone: the wave is complete up to there, nothing temporary
// is left.
static void interrupted(void **state) {
    (void)state;
    Bench b = {0};
    Diag d = {0};
    CosimOptions o = {.blocks = "lockstep", .wave = in_root("i.fst"), .cache_dir = CACHE};
    int before = files_in_root();
    assert_true(bench_open(&b, DATA, "fermi", &o, 3, &d));
    bench_cycles(&b, 37);
    bench_close(&b);
    assert_int_equal(files_in_root(), before + 2);
    read_wave(in_root("i.fst"), "cosim.cycle[31:0]", 365);
    assert_int_equal(vcd.last, 365);
}

// A file that may not grow represents a full disk: the same failing writes.
static void full_disk(void **state) {
    (void)state;
    struct rlimit old, small = {40000, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    Bench b = {0};
    Diag d = {0};
    CosimOptions o = {.blocks = "model", .wave = in_root("full.fst"), .cache_dir = CACHE};
    int before = files_in_root();
    assert_true(bench_open(&b, DATA, "fermi", &o, 3, &d));
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    bench_cycles(&b, 3000);
    bool ok = cosim_finish(b.cosim, &d);
    setrlimit(RLIMIT_FSIZE, &old);
    bench_close(&b);
    assert_false(ok);
    print_message("%s\n", d.text);
    assert_int_equal(d.status, EXIT_ENVIRONMENT);
    assert_non_null(strstr(d.text, "full.fst"));
    assert_non_null(strstr(d.text, strerror(EFBIG)));
    assert_int_equal(files_in_root(), before);
}

// Observation does not change the run.
static void wave_changes_nothing(void **state) {
    (void)state;
    uint64_t digest[2];
    for (int i = 0; i < 2; i++) {
        Bench b = {0};
        Diag d = {0};
        assert_int_equal(wave_run(&b, "lockstep", NULL, i ? in_root("n.fst") : NULL, 300, &d),
                         EXIT_PASS);
        digest[i] = b.digest;
        bench_close(&b);
    }
    assert_true(digest[0] == digest[1]);
}

int main(void) {
    snprintf(root, sizeof root, "%s/test-wave.%d", TEST_BINARY_DIR, (int)getpid());
    mkdir(root, 0777);
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_sides),
                                       cmocka_unit_test(save_file_names),
                                       cmocka_unit_test(no_meaning_is_x),
                                       cmocka_unit_test(texts),
                                       cmocka_unit_test(sm_signal_in_time),
                                       cmocka_unit_test(mismatch_marked),
                                       cmocka_unit_test(window_never_reached),
                                       cmocka_unit_test(interrupted),
                                       cmocka_unit_test(full_disk),
                                       cmocka_unit_test(wave_changes_nothing)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[600];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command) ? 1 : failed;
}
