// SPDX-License-Identifier: Apache-2.0
// CORF and CORF++: register packing in places that the compiler's hints choose, so that operands
// are read together.
#include "isa/isa.h"
#include "models/collect/coalescer.h"
#include "models/rename/alloc_unit.h"
#include "systems/pack/renamed_path.h"
#include "systems/systems.h"

const System system_corf = {
    .name = "corf",
    .what = "CORF: pairs chosen by the compiler share a physical register and are read together",
    .group = SYSTEM_FILE,
    .with = SYSTEM_RFV | SYSTEM_SCALAR,
    .compiler = {.hints = 1u << ISA_HINT_PAIRS, .packs = true},
    .summary = summary_packing,
    .figures = figures_packing,
    .path = &path_renamed,
    .mode = &(const RenamedMode){.policy = AU_PAIR, .coalesce = CO_SAME_ENTRY, .packs = true}};

const System system_corf_plus = {
    .name = "corf++",
    .what = "CORF++: left- and right-aligned registers of one bank are read together",
    .group = SYSTEM_FILE,
    .with = SYSTEM_RFV | SYSTEM_SCALAR,
    .compiler = {.hints = 1u << ISA_HINT_ALIGN, .packs = true},
    .summary = summary_packing,
    .figures = figures_packing,
    .path = &path_renamed,
    .mode = &(const RenamedMode){.policy = AU_ALIGN, .coalesce = CO_DISJOINT, .packs = true}};

const System system_corf_map = {
    .name = "corf++-map",
    .what = "the places of CORF++, each register read by itself: the cost of its mapping alone",
    .group = SYSTEM_FILE,
    .with = SYSTEM_RFV | SYSTEM_SCALAR,
    .compiler = {.hints = 1u << ISA_HINT_ALIGN, .packs = true},
    .summary = summary_packing,
    .figures = figures_packing,
    .path = &path_renamed,
    .mode = &(const RenamedMode){.policy = AU_ALIGN, .coalesce = CO_NONE, .packs = true}};
