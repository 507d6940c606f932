// SPDX-License-Identifier: Apache-2.0
// Register packing: narrow values share physical registers, first fit.
#include "models/collect/coalescer.h"
#include "models/rename/alloc_unit.h"
#include "systems/pack/renamed_path.h"
#include "systems/systems.h"

const System system_packing = {
    .name = "packing",
    .what = "register packing: narrow values share physical registers, first fit",
    .group = SYSTEM_FILE,
    .with = SYSTEM_RFV | SYSTEM_SCALAR,
    .compiler = {.packs = true},
    .summary = summary_packing,
    .figures = figures_packing,
    .path = &path_renamed,
    .mode = &(const RenamedMode){.policy = AU_FIRST_FIT, .coalesce = CO_NONE, .packs = true}};

const System system_firstfit = {
    .name = "firstfit",
    .what = "packing that reads two registers together if they happen to share a physical register",
    .group = SYSTEM_FILE,
    .with = SYSTEM_RFV | SYSTEM_SCALAR,
    .compiler = {.packs = true},
    .summary = summary_packing,
    .figures = figures_packing,
    .path = &path_renamed,
    .mode = &(const RenamedMode){
        .policy = AU_FIRST_FIT, .coalesce = CO_SAME_ENTRY, .lowest = true, .packs = true}};
