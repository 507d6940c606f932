// SPDX-License-Identifier: Apache-2.0
// A mismatch in words.
#include "verify/verify.h"

#include "cosim/state_compare.h"
#include "cosim/state_bits.h"

#include <string.h>

bool mismatch_same_place(const Mismatch *a, const Mismatch *b) {
    return !strcmp(a->block, b->block) && !strcmp(a->port, b->port) &&
        (a->element < 0) == (b->element < 0);
}

void verify_explain(FILE *f, const BlockDesc *desc, const int *params, const Mismatch *m,
                    const char *rule) {
    fprintf(f, "mismatch: block %s, cycle %llu, ", m->block, (unsigned long long)m->cycle);
    if (!strcmp(m->port, "rule")) {
        fprintf(f, "the RTL stops itself\n  %s\n", rule);
        return;
    }
    if (!strcmp(m->port, "crash") || !strcmp(m->port, "hang")) {
        fprintf(f, "%s\n  %s\n", m->port, rule);
        return;
    }
    if (m->element < 0) {
        char name[256] = "";
        fprintf(f, "%s at observation address 0x%x\n", m->port, m->obs_addr);
        state_bit_name(desc, params, (StateBit){m->obs_addr, -1}, name, sizeof name);
        if (name[0]) fprintf(f, "  that is: %s\n", name);
    }
    if (m->element >= 0) fprintf(f, "port %s_o[%d]\n", m->port, m->element);
    Port ports[BLOCK_MAX_PORTS];
    const int n = block_ports(desc, params, ports);
    for (int i = 0; i < n && m->element >= 0; i++)
        if (ports[i].dir == PORT_OUT && !strcmp(ports[i].name, m->port))
            fprintf(f, "  meaning: %s\n", ports[i].meaning);
    mismatch_print_value(f, m);
    if (rule && rule[0]) fprintf(f, "  %s\n", rule);
}
