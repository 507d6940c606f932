// SPDX-License-Identifier: Apache-2.0
// Register virtualisation: a physical register is freed at the last use of what is in it. Alone, it renames registers
// of full width.
#include "isa/isa.h"
#include "models/collect/coalescer.h"
#include "models/rename/alloc_unit.h"
#include "sm/systems/renamed_path.h"
#include "sm/systems/systems.h"

const System system_rfv = {
    .name = "rfv", .what = "register virtualisation: physical registers are freed at the last use",
    .group = SYSTEM_RFV, .with = SYSTEM_FILE, .compiler = {.hints = 1u << ISA_HINT_RELEASE},
    .yields = true, .path = &path_packed,
    .mode = &(const RenamedMode){.policy = AU_FIRST_FIT, .coalesce = CO_NONE},
};
