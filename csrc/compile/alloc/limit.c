// SPDX-License-Identifier: Apache-2.0
// The number of registers that a kernel may have. Scheduling, coloring and spilling all respect
// this limit. The limit is the least of these:
//   * The caller's limit (--max-regs, sm.regs_per_thread).
//   * `.maxnreg`.
//   * The maximum with which enough CTAs of .reqntid (otherwise .maxntid) threads and the kernel's
//     static shared memory are resident. Enough means .minnctapersm, or the maximum that the
//     machine could hold (sm.ctas, sm.warps, sm.threads, shared.bytes; rf.banks, rf.entries and
//     rf.granularity: csrc/config/occupancy.c).
// The limit is at least LEAST_REGS, which some single instructions require. Without .minnctapersm
// the launch is unknown, so occupancy is no limit. The coloring decides about further registers
// that cost no warp.
#include "compile/ir.h"

#include "config/occupancy.h"

enum { LEAST_REGS = 16 };

static int least_of(int a, int b) { return a < b ? a : b; }

RegLimit register_limit(const PtxFunc *f, int64_t shared_bytes, const CompileOptions *o) {
    const int *dim = f->reqntid[0] ? f->reqntid : f->maxntid;
    const int widths = o->cfg->compiler_widths;
    RegLimit l = {.most = o->max_regs,
                  .widths = widths == WIDTHS_ALWAYS || (widths == WIDTHS_PACKING && o->packs)};
    if (f->maxnreg > 0) l.most = least_of(l.most, f->maxnreg);
    if (dim[0]) {
        l.cta = (CtaNeed){.threads = 1, .regs = 1, .shared_bytes = (uint64_t)shared_bytes};
        for (int i = 0; i < 3; i++) l.cta.threads *= dim[i] > 0 ? dim[i] : 1;
    }
    const uint64_t possible = dim[0] ? occupancy_ctas(o->cfg, &l.cta, NULL) : 0;
    if (f->minnctapersm > 0 && possible) {
        const uint64_t ctas =
            (uint64_t)f->minnctapersm < possible ? (uint64_t)f->minnctapersm : possible;
        l.most = least_of(l.most, occupancy_regs_for(o->cfg, l.cta, ctas, l.most));
        l.warps = (int)ctas * ((l.cta.threads + ISA_LANES - 1) / ISA_LANES);
    }
    const int floor = least_of(o->max_regs, LEAST_REGS);
    if (l.most < floor) l.most = floor;
    return l;
}
