// SPDX-License-Identifier: Apache-2.0
// Launch files: read, place buffers, pack the parameters of every step, compare results.
#include "fuzz.h"
#include "launch/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char KERNELS[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".const .align 4 .b8 c[64];\n.global .align 8 .b8 g[32];\n.global .u32 _ZN1n1gE;\n"
    ".visible .entry a(.param .u64 p, .param .u32 n) { ret; }\n"
    ".visible .entry vecadd(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n) { ret; }\n"
    ".visible .entry s(.param .align 8 .b8 box[24], .param .f64 f) { ret; }\n";

static void use(Launch *l, Arena *arena, PtxModule *module) {
    DeviceMemory memory;
    Diag d = {0};
    uint64_t compared = 0;
    if (!device_open(&memory, arena, &d)) return;
    ModuleLayout layout;
    ModuleLayout *const layouts[] = {&layout};
    if (launch_place(l, &memory, &d) && layout_module(&layout, arena, module, &memory, &d) &&
        launch_bind(l, layouts, 1, &d) && launch_fill(l, &memory, &d)) {
        for (int g = 0; g < l->ngroups; g++)
            for (int i = 0; i < l->groups[g].nsteps; i++) {
                Diag each = {0};
                const PtxFunc *entry = ptx_entry(module, l->groups[g].steps[i].kernel, &each);
                if (entry) launch_pack_params(l, &l->groups[g].steps[i], entry, arena, &each);
            }
        launch_check(l, &memory, &compared, &d);
    }
    device_close(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    static const uint8_t bytes[256] = {1, 2, 3};
    Arena arena = {0};
    Diag d = {0};
    fuzz_file("k.ptx", (const uint8_t *)KERNELS, sizeof KERNELS - 1);
    fuzz_file("a.bin", bytes, sizeof bytes);
    const char *path = fuzz_file("launch.yaml", data, size);
    PtxModule *module = ptx_parse(&arena, "k.ptx", KERNELS, sizeof KERNELS - 1, &d);
    panic_if(!module, "%s", d.text);
    Launch *l = launch_load(&arena, path, &d);
    if (l) use(l, &arena, module);
    arena_free(&arena);
    return 0;
}
