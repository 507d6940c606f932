// SPDX-License-Identifier: Apache-2.0
#include "sm/arch.h"

#include "base/arena.h"
#include "isa/isa.h"
#include "models/rename/alloc_unit.h"
#include "models/collect/coalescer.h"

#include <string.h>

static const ArchInfo infos[] = {
    {"baseline", "banked register file, single-port operand collectors"},
    {"packing", "register packing: narrow values share physical registers, first fit"},
    {"firstfit", "packing that reads together what happens to share a physical register"},
    {"corf", "CORF: pairs chosen by the compiler share a physical register and are read together"},
    {"corf++", "CORF++: left- and right-aligned registers of one bank are read together"},
    {"corf++-map", "the places of CORF++, each register read by itself: what its mapping alone costs"},
    {"rfv", "register virtualisation: physical registers are freed at the last use"},
    {"packing:rfv", "both"},
    {"firstfit:rfv", "both"},
    {"corf:rfv", "both"},
    {"corf++:rfv", "both"},
};
enum { NINFOS = sizeof infos / sizeof *infos };

int arch_list(const ArchInfo **list) {
    *list = infos;
    return NINFOS;
}

bool arch_check(const Arch *a, const MachineConfig *cfg, const char *blocks, Diag *d) {
    if (!cfg->rename_ideal || a->path != &path_packed) return true;
    if (blocks && (!strcmp(blocks, "model") || !strcmp(blocks, "rf_datapath=model"))) return true;
    return diag_fail(d, EXIT_USAGE, "rename.ideal is %d: only golden models know what costs no time, expected "
                     "--blocks model, found --blocks %s", cfg->rename_ideal, blocks ? blocks : "lockstep");
}

// One system of a combination. Register files: at most one; rfv goes with any of them but the baseline.
static bool add_system(Arch *a, const char *word, size_t n, bool *file, Diag *d) {
    static const struct { const char *name; int policy, coalesce; unsigned hints; } files[] = {
        {"packing", AU_FIRST_FIT, CO_NONE, 0},
        {"firstfit", AU_FIRST_FIT, CO_SAME_ENTRY, 0},
        {"corf", AU_PAIR, CO_SAME_ENTRY, 1u << ISA_HINT_PAIRS},
        {"corf++", AU_ALIGN, CO_DISJOINT, 1u << ISA_HINT_ALIGN},
        {"corf++-map", AU_ALIGN, CO_NONE, 1u << ISA_HINT_ALIGN},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strlen(files[i].name) != n || strncmp(files[i].name, word, n)) continue;
        if (*file) return diag_fail(d, EXIT_USAGE, "--arch: two register files in '%s'", a->name);
        *file = true;
        a->path = &path_packed;
        a->packs = true;
        a->policy = files[i].policy;
        a->coalesce = files[i].coalesce;
        a->hints |= files[i].hints;
        return true;
    }
    if (n == 3 && !strncmp(word, "rfv", 3)) {
        if (a->frees) return diag_fail(d, EXIT_USAGE, "--arch: 'rfv' twice in '%s'", a->name);
        a->path = &path_packed;
        a->frees = true;
        a->hints |= 1u << ISA_HINT_RELEASE;
        return true;
    }
    if (n == 8 && !strncmp(word, "baseline", 8)) {
        if (strcmp(a->name, "baseline"))
            return diag_fail(d, EXIT_USAGE, "--arch: 'baseline' combines with nothing, found '%s'", a->name);
        return *file = true;
    }
    const char *names[NINFOS];
    for (int i = 0; i < NINFOS; i++) names[i] = infos[i].name;
    char given[64];
    snprintf(given, sizeof given, "%.*s", (int)n, word);
    const char *near = suggest(given, names, NINFOS);
    return diag_fail(d, EXIT_USAGE, "--arch: no system '%s'%s%s%s", given, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : " (smcosim list archs)");
}

bool arch_parse(const char *text, Arch *a, Diag *d) {
    bool file = false;
    memset(a, 0, sizeof *a);
    a->path = &path_baseline;
    if (strlen(text) >= sizeof a->name) return diag_fail(d, EXIT_USAGE, "--arch: name longer than %zu characters", sizeof a->name - 1);
    strcpy(a->name, text);
    for (const char *word = text;;) {
        size_t n = strcspn(word, ":");
        if (!add_system(a, word, n, &file, d)) return false;
        if (!word[n]) return true;
        word += n + 1;
    }
}
