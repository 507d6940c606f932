// SPDX-License-Identifier: Apache-2.0
// PTX: parse, check, print, parse the printed text, compile every entry.
#include "compile/compile.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_and_parse(Arena *arena, const PtxModule *m) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    ptx_print(out, m);
    fclose(out);
    Diag d = {0};
    if (!ptx_parse(arena, "printed.ptx", text, len, &d)) {
        fprintf(stderr, "what was printed does not parse: %s\n%s\n", d.text, text);
        abort();
    }
    free(text);
}

static void compile_all(Arena *arena, const PtxModule *m, unsigned choice) {
    MachineConfig cfg;
    fuzz_machine(&cfg);
    cfg.compiler_addr_bits = choice & 1 ? 64 : 32;
    cfg.regmutex_es = (int)(choice >> 4 & 3) * 2;
    cfg.owf_threshold = choice & 128 ? 5 : -1;
    CompileOptions o = {.max_regs = choice & 2 ? 16 : 63,
                        .cfg = &cfg,
                        .hints = choice & 4 ? 7 : 0,
                        .regions = choice & 8,
                        .shared = choice & 64};
    DeviceMemory memory;
    Diag d = {0};
    if (!device_open(&memory, arena, &d)) return;
    ModuleLayout layout;
    if (layout_module(&layout, arena, m, &memory, &d))
        for (int i = 0; i < m->nfuncs; i++) {
            SharedLayout shared;
            Diag each = {0};
            if (m->funcs[i].is_entry && layout_shared(&shared, arena, m, &m->funcs[i], &each))
                compile_kernel(arena, m, &m->funcs[i], &layout, &shared, &o, &each);
            if (!strstr(each.text, "the split of the registers is wrong")) continue;
            fprintf(stderr, "%s\n", each.text);
            abort();
        }
    device_close(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    Arena arena = {0};
    Diag d = {0};
    char *text = arena_strndup(&arena, (const char *)data, size);
    const PtxModule *m = ptx_parse(&arena, "input.ptx", text, size, &d);
    if (m) {
        print_and_parse(&arena, m);
        compile_all(&arena, m, (unsigned)(size * 2654435761u >> 16));
    }
    arena_free(&arena);
    return 0;
}
