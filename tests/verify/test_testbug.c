// SPDX-License-Identifier: Apache-2.0
// Every seeded fault of every module is found by verifying the block alone, at the port that its
// words name. The list is read from the files beside the RTL ("NN  words: ports, condition"), so
// that a fault added there is tested here. A fault of an inner module is looked for in the first
// block that holds the module.
#include "testing.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>

typedef struct Module {
    char name[64], path[512];
    char *text;
    const BlockDesc *block;  // whose seeded faults it has; NULL: no block holds it
} Module;

typedef struct Fault {
    const Module *module;
    int number;
    char text[512];
} Fault;

static Arena arena;
static Module modules[128];
static int nmodules;
static Fault faults[2048];
static int nfaults;

static void read_modules(void) {
    glob_t found;
    assert_int_equal(glob(TEST_SOURCE_DIR "/rtl/*/*.sv", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        Diag d = {0};
        size_t length;
        Module *m = &modules[nmodules++];
        assert_true(nmodules < 128);
        snprintf(m->path, sizeof m->path, "%s", found.gl_pathv[i]);
        const char *name = strrchr(m->path, '/') + 1;
        snprintf(m->name, sizeof m->name, "%.*s", (int)(strlen(name) - 3), name);
        assert_true(file_read(&arena, m->path, &m->text, &length, &d));
    }
    globfree(&found);
}

// Is `name` instantiated in the text: at the start of a line, followed by a blank and # or a name?
static bool instantiates(const char *text, const char *name) {
    const size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, name)); p += n) {
        const char *line = p;
        while (line > text && line[-1] != '\n') line--;
        if (line + strspn(line, " ") == p && p[n] == ' ' &&
            (p[n + 1] == '#' || !strncmp(p + n + 1, "u_", 2)))
            return true;
    }
    return false;
}

// Assigns the modules inside a module to the block, but for modules that are blocks themselves or
// assigned already.
static void give_inner(const Module *m, const BlockDesc *block) {
    for (int i = 0; i < nmodules; i++) {
        Module *inner = &modules[i];
        if (inner == m || inner->block || !instantiates(m->text, inner->name)) continue;
        inner->block = block;
        give_inner(inner, block);
    }
}

static void give_modules(void) {
    for (int i = 0; i < nmodules; i++) modules[i].block = block_desc_find(modules[i].name);
    for (int i = 0; i < nmodules; i++)
        if (modules[i].block && !strcmp(modules[i].block->name, modules[i].name))
            give_inner(&modules[i], modules[i].block);
}

// The words of a fault: the line of its number and those below it that are indented by five blanks.
static void read_faults(const Module *m) {
    Diag d = {0};
    size_t length;
    char path[520], *text;
    snprintf(path, sizeof path, "%.*s.faults", (int)strlen(m->path) - 3, m->path);
    assert_true(file_read(&arena, path, &text, &length, &d));
    Fault *last = NULL;
    for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        if (isdigit((unsigned char)*p)) {
            assert_true(nfaults < 2048);
            last = &faults[nfaults++];
            last->module = m;
            last->number = atoi(p);
        } else if (strncmp(p, "     ", 5) || p[5] == ' ') last = NULL;
        const size_t at = last ? strlen(last->text) : 0, n = strcspn(p, "\n");
        if (last && at + n + 2 < sizeof last->text)
            snprintf(last->text + at, sizeof last->text - at, "%.*s ", (int)n, p);
    }
}

// Does the text name one of the block's ports? Inner modules may name their own instead.
static bool names_any(const Fault *f, const Port *ports, int n) {
    char name[80];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s_o", ports[i].name);
        if (ports[i].dir == PORT_OUT && strstr(f->text, name)) return true;
    }
    return false;
}

static bool as_documented(const Fault *f, const Mismatch *m, const BlockDesc *desc,
                          const int *params) {
    char name[80];
    Port ports[BLOCK_MAX_PORTS];
    const int n = block_ports(desc, params, ports);
    snprintf(name, sizeof name, "%s_o", m->port);
    if (strstr(f->text, name)) return true;
    if (!strcmp(m->port, "state") && (strstr(f->text, "obs_data_o") || strstr(f->text, "state")))
        return true;
    return strcmp(f->module->name, desc->name) && !names_any(f, ports, n);
}

// Two chunks, then ten. A chunk depends on nothing but its seed, so the first failure is the same
// either way.
static bool found(Fixture *x, const Fault *f, const char *machine) {
    static const uint64_t transactions[] = {2 * VERIFY_CHUNK, 10 * VERIFY_CHUNK};
    for (int i = 0; i < 2; i++) {
        if (i) fixture_close(x);
        fixture_open(x, f->module->block->name, machine);
        x->o.harness.testbug = f->number;
        x->o.transactions = transactions[i];
        fixture_run(x);
        if (x->r.nfailures) return true;
    }
    return false;
}

// False, with a line that says why, when the fault is not found, or not where its module says.
static bool check_fault(const Fault *f) {
    Fixture x;
    const BlockDesc *desc = f->module->block;
    // A larger shape shows faults that a smaller one cannot show.
    static const char *const machines[] = {"tiny", "fermi", "pascal"};
    bool good = found(&x, f, machines[0]);
    for (int i = 1; i < 3 && !good; i++) {
        fixture_close(&x);
        good = found(&x, f, machines[i]);
    }
    if (!good) {
        print_message("%s fault %d was NOT FOUND in %llu cycles: %s\n", f->module->name, f->number,
                      (unsigned long long)x.r.cycles, f->text);
        fixture_close(&x);
        return false;
    }
    const Mismatch *m = &x.r.failures[0].mismatch;
    print_message("%-18s %3d: %2d of %2d chunks, %s%s, cycle %llu\n", f->module->name, f->number,
                  x.r.nfailures, x.r.chunks_run, m->port, m->element < 0 ? "" : "_o",
                  (unsigned long long)m->cycle);
    good = as_documented(f, m, desc, x.params);
    if (!good)
        print_message("%s fault %d: found at %s_o, DOCUMENTED: %s\n", f->module->name, f->number,
                      m->port, f->text);
    fixture_close(&x);
    return good;
}

static void each_fault_is_found(void **state) {
    (void)state;
    // FAULTS_OF: those of one module or folder alone ("/larf/").
    const char *family = getenv("FAULTS_OF");
    read_modules();
    give_modules();
    for (int i = 0; i < nmodules; i++) {
        const int before = nfaults;
        if (family && !strstr(modules[i].path, family)) continue;
        if (!modules[i].block) continue;  // registered in csrc/cosim/blocks.h when it is complete
        read_faults(&modules[i]);
        if (nfaults - before < 2)
            fail_msg("%s has %d seeded faults, at least 2 are expected", modules[i].path,
                     nfaults - before);
    }
    // A sample for every day: each so many faults, over all modules. `ci/full long` takes them all.
    const char *text = getenv("EACH_FAULT");
    const int each = text ? atoi(text) : 1;
    assert_true(each > 0);
    int wrong = 0;
    for (int i = 0; i < nfaults; i += each) wrong += !check_fault(&faults[i]);
    arena_free(&arena);
    assert_int_equal(wrong, 0);
}

// The variant with seeded faults compiled in, an unused number selected, agrees.
static void number_without_fault(void **state) {
    (void)state;
    Fixture x;
    fixture_open(&x, "banked_rf", "tiny");
    x.o.harness.testbug = 9999;
    fixture_run(&x);
    assert_int_equal(x.r.status, EXIT_PASS);
    fixture_close(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fault_is_found),
                                       cmocka_unit_test(number_without_fault)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
