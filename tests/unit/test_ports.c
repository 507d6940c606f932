// SPDX-License-Identifier: Apache-2.0
// Port tables: every block says which of its outputs show work, and none of them does so while
// nothing is asked of it.
#include "cosim/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { IDLE_CYCLES = 300 };

static int works(const Port *ports, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += ports[i].cls == PORT_WORK;
    return count;
}

static void defaults(const BlockDesc *desc, int *params) {
    for (int i = 0; i < desc->nparams; i++) params[i] = desc->params[i].def;
}

static void test_every_block_shows_work(void **state) {
    (void)state;
    Port ports[BLOCK_MAX_PORTS];
    int params[BLOCK_MAX_PARAMS];
    assert_true(block_desc_count() >= 33);
    for (int b = 0; b < block_desc_count(); b++) {
        const BlockDesc *desc = block_desc(b);
        defaults(desc, params);
        const int n = block_ports(desc, params, ports);
        if (!works(ports, n)) print_message("%s has no output of class WORK\n", desc->name);
        assert_true(works(ports, n) > 0);
        for (int i = 0; i < n; i++)
            if (ports[i].cls == PORT_WORK) assert_int_equal(ports[i].dir, PORT_OUT);
    }
}

// Name of a port of class WORK that is not 0, NULL: none.
static const char *working(const Port *ports, int n, const void *out) {
    for (int i = 0; i < n; i++)
        for (int e = 0; ports[i].cls == PORT_WORK && e < ports[i].count; e++)
            if (*port_element(&ports[i], out, e)) return ports[i].name;
    return NULL;
}

static void test_idle_is_no_work(void **state) {
    (void)state;
    Port ports[BLOCK_MAX_PORTS];
    int params[BLOCK_MAX_PARAMS];
    for (int b = 0; b < block_desc_count(); b++) {
        const BlockDesc *desc = block_desc(b);
        defaults(desc, params);
        const int n = block_ports(desc, params, ports);
        void *in = calloc(1, desc->in_size), *out = calloc(1, desc->out_size),
             *self = desc->model->open(params);
        assert_true(in && out && self);
        desc->model->reset(self);
        for (int t = 0; t < IDLE_CYCLES; t++) {
            desc->model->eval(self, in, out);
            if (working(ports, n, out))
                print_message("%s.%s while idle\n", desc->name, working(ports, n, out));
            assert_null(working(ports, n, out));
            desc->model->tick(self, in);
        }
        desc->model->close(self);
        free(in);
        free(out);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_block_shows_work),
        cmocka_unit_test(test_idle_is_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
