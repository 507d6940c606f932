// SPDX-License-Identifier: Apache-2.0
// All systems, with their files; the rows are in systems.c. Architectures are combinations of
// systems.
#ifndef SMCOSIM_SYSTEMS_SYSTEMS_H
#define SMCOSIM_SYSTEMS_SYSTEMS_H

#include "sm/parts/summary.h"
#include "sm/parts/system.h"

#include <stdio.h>

extern const System system_baseline;                                 // baseline.c
extern const System system_packing, system_firstfit;                 // packing.c
extern const System system_corf, system_corf_plus, system_corf_map;  // corf.c
extern const System system_rfc;                                      // rfc.c
extern const System system_rfv;                                      // rfv.c
extern const System system_regmutex, system_regmutex_paired;         // regmutex.c
extern const System system_owf;                                      // owf.c
// bow.c
extern const System system_bow, system_bow_wb, system_bow_wr, system_bow_wr_half, system_bow_nofwd;
extern const System system_hw_bdi, system_hw_bdi_mem, system_ideal_bdi;  // hw_bdi.c
// caba.c
extern const System system_caba_bdi, system_caba_fpc, system_caba_cpack, system_caba_best,
    system_caba_off;
extern const System system_caba_memo;           // caba_memo.c
extern const System system_caba_prefetch;       // caba_prefetch.c
extern const System system_pmode;               // pmode.c
extern const System system_direct_prefetch;     // direct_prefetch.c
extern const System system_2xtlp, system_2xbw;  // comparators.c

extern const System system_larf, system_las;  // larf.c, larf_las.c

// scalar.c
extern const System system_scalar, system_scalar_prefetch, system_scalar_divergence,
    system_scalar_extract;
extern const System system_scalar_gcn;  // scalar_gcn.c

// Summaries, each in a file *_report.c.
extern Summary summary_packing, summary_cache, summary_regmutex, summary_shared, summary_scalar,
    summary_lines, summary_bypassing;
// Figures of the families, each in a file *_figures.c; an empty row ends a table.
extern const FigureRow figures_reuse[], figures_packing[], figures_bypassing[], figures_regmutex[],
    figures_larf[], figures_pmode[], figures_lines[], figures_scalar[];
// Is the table that of a system of the architecture?
bool arch_has_figures(const Arch *a, const FigureRow *figures);
// Prints the summaries with contents, in their order.
void systems_summaries(FILE *out, const SummaryRun *run);

// Combines the systems. EXIT_USAGE with the reason if one does not combine with another. They need
// not be in the table.
bool arch_of(Arch *a, const System *const *systems, int n, Diag *d);
// Names of systems joined by colons, in any order. EXIT_USAGE.
bool arch_parse(const char *text, Arch *a, Diag *d);
bool arch_has_routines(const Arch *a);
// The machine of the architecture, with sizes that a system changes or that follow from other
// sizes. Blocks, the compiler and the run use this machine. EXIT_USAGE: a size beyond its limit.
bool arch_machine(const Arch *a, MachineConfig *cfg, Diag *d);
// Can the architecture run with this machine's settings when a block runs RTL, or no block does?
// EXIT_USAGE: settings of golden models only (rename.ideal, tables without RTL), keys that a block
// as built cannot follow, too few collectors for one per warp.
bool arch_check(const Arch *a, const MachineConfig *cfg, bool runs_rtl, Diag *d);

// The systems, and every combination that can work, with their descriptions.
typedef struct ArchInfo {
    const char *name, *what;
} ArchInfo;
int arch_list(Arena *arena, const ArchInfo **list);
// A system of the table; NULL beyond the last row.
const System *systems_row(int row);
// The systems that combine with it, separated by commas; "": none.
const char *systems_partners(Arena *arena, int row);
// Its parts by name, separated by commas.
const char *systems_parts(Arena *arena, const System *system);
// Prints the systems in groups: systems of a group combine with the same others.
void arch_print_groups(FILE *out);

#endif
