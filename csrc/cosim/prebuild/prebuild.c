// SPDX-License-Identifier: Apache-2.0
// Build step: makes the variant of one block that one machine uses.
//   cosim_prebuild DATA_DIR MACHINE BLOCK plain|testbug
#include "cosim/variant.h"

#include <string.h>

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: cosim_prebuild DATA_DIR MACHINE BLOCK plain|testbug\n");
        return EXIT_USAGE;
    }
    Arena arena = {0};
    Diag d = {0};
    MachineConfig cfg;
    int params[BLOCK_MAX_PARAMS];
    const BlockDesc *desc = block_desc_find(argv[3]);
    if (!desc) diag_fail(&d, EXIT_USAGE, "no block %s in csrc/cosim/blocks.h", argv[3]);
    if (desc && config_load(&cfg, &arena, argv[1], argv[2], &d) &&
        block_params_from_config(desc, &cfg, params, &d)) {
        VariantRequest r = {.desc = desc,
                            .params = params,
                            .testbug = !strcmp(argv[4], "testbug"),
                            .data_dir = argv[1]};
        variant_path(&arena, &r, &d);
    }
    if (!diag_ok(&d)) fprintf(stderr, "%s\n", d.text);
    arena_free(&arena);
    return d.status;
}
