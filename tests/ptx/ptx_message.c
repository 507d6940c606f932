// SPDX-License-Identifier: Apache-2.0
// Prints the front end's verdict on a PTX file: the error, or for each entry its refusal or
// "accepted".
#include "ptx/ptx.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: ptx_message FILE.ptx\n");
        return EXIT_USAGE;
    }
    Arena arena = {0};
    Diag d = {0};
    const PtxModule *m = ptx_load(&arena, argv[1], &d);
    if (!m) puts(d.text);
    for (int i = 0; m && i < m->nfuncs; i++) {
        Diag entry = {0};
        if (!m->funcs[i].is_entry) continue;
        puts(ptx_entry(m, m->funcs[i].name, &entry) ? "accepted" : entry.text);
    }
    arena_free(&arena);
    return 0;
}
