// SPDX-License-Identifier: Apache-2.0
#include "base/plain.h"
#include "report/profile_report.h"
#include "sm/parts/summary.h"

#include <inttypes.h>
#include <string.h>

enum { WORST = 10 };

static double percent_of(double a, double b) { return b > 0 ? 100 * a / b : 0; }

static void print_rates(FILE *out, const Counters *c, const MachineConfig *cfg, int sms) {
    ProfileRate rates[PROFILE_RATES];
    profile_rates(c, cfg, sms, rates);
    for (int i = 0; i < PROFILE_RATES; i++)
        fprintf(out, "  %-16s %10.2f of %8.2f %-18s %5.1f %%\n", rates[i].name, rates[i].value,
                rates[i].peak, rates[i].unit, percent_of(rates[i].value, rates[i].peak));
}

static void print_roofs(FILE *out, const Counters *c, const MachineConfig *cfg, int sms) {
    ProfileRoof roofs[PROFILE_ROOFS];
    const int least = profile_roofs(c, cfg, roofs);
    const double ipc = profile_ipc(c, sms);
    fprintf(out, "roofs, instructions per cycle: %.3f reached, %.1f %% of the lowest\n", ipc,
            percent_of(ipc, roofs[least].roof));
    for (int i = 0; i < PROFILE_ROOFS; i++) {
        const ProfileRoof *r = &roofs[i];
        if (r->roof <= 0) {
            fprintf(out, "  %-16s          -   not used\n", r->name);
            continue;
        }
        fprintf(out, "  %-16s %10.3f", r->name, r->roof);
        if (i != ROOF_ISSUE)
            fprintf(out, "   %.1f bytes each, %.1f per cycle", r->per_inst, r->peak);
        fprintf(out, "%s\n", i == least ? "   lowest" : "");
    }
}

static void print_place(FILE *out, const ProfileKernel *k, const ProfileLine *l, Arena *arena) {
    if (!l->line) fprintf(out, "made by the compiler");
    else
        fprintf(out, "line %d  %s", l->line,
                plain_text(arena, profile_text(&k->ptx, l->line, arena)));
    fputc('\n', out);
    if (!l->cuda) return;
    fprintf(out, "          CUDA %d  %s\n", l->cuda,
            plain_text(arena, profile_text(&k->cuda, l->cuda, arena)));
}

static void print_worst(FILE *out, const ProfileKernel *k, const ProfileLine *lines, int n,
                        uint64_t total, Arena *arena) {
    const ProfileLine **worst;
    const int nworst = profile_worst(lines, n, WORST, arena, &worst);
    fprintf(out, "worst lines, of scheduler cycles\n");
    for (int i = 0; i < nworst; i++) {
        fprintf(out, "  %5.1f %%  ", percent_of((double)worst[i]->cost, (double)total));
        print_place(out, k, worst[i], arena);
        fprintf(out, "          %s\n", profile_words(k, worst[i], arena));
    }
}

static double count_each(uint64_t n, const LineCounts *c) { return summary_ratio(n, c->issued); }

// A blank where the number is zero.
static void print_number(FILE *out, int width, double value) {
    if (value > 0) fprintf(out, " %*.1f", width, value);
    else fprintf(out, " %*s", width, ".");
}

static void print_line(FILE *out, const ProfileKernel *k, const ProfileLine *l, uint64_t total,
                       Arena *arena) {
    const LineCounts *c = &l->of;
    const CounterId what = profile_reason(c);
    fprintf(out, "%6d %9" PRIu64 " %6.1f", l->line, c->issued,
            percent_of((double)l->cost, (double)total));
    print_number(out, 6, percent_of((double)c->classes[0], (double)l->cost));
    print_number(out, 6, count_each(c->waited, c));
    print_number(out, 5, count_each(c->lanes, c));
    print_number(out, 5, count_each(c->operands, c));
    print_number(out, 5, count_each(c->forwarded, c));
    print_number(out, 6, count_each(c->read_conflicts, c));
    print_number(out, 6, count_each(c->lines, c));
    print_number(out, 6, count_each(c->shared_conflicts, c));
    fprintf(out, "  %-24.24s %s\n", what == CTR_ISSUED ? "" : profile_class_name(what, arena),
            plain_text(arena, profile_text(&k->ptx, l->line, arena)));
}

static void print_lines(FILE *out, const ProfileKernel *k, const ProfileLine *lines, int n,
                        uint64_t total, Arena *arena) {
    const LineCounts *other = &k->rows[k->program->ninsts];
    fprintf(out, "lines of %s\n", plain_text(arena, k->ptx.path));
    fprintf(out, "%6s %9s %6s %6s %6s %5s %5s %5s %6s %6s %6s  %s\n", "line", "issued", "% of",
            "% is", "cycles", "lanes", "reads", "forw.", "bank", "lines", "shared",
            "waits most for");
    fprintf(out, "%6s %9s %6s %6s %6s %5s %5s %5s %6s %6s %6s\n", "", "", "all", "issue", "apart",
            "", "", "", "confl.", "", "confl.");
    for (int i = 0; i < n; i++)
        if (lines[i].line >= 0) print_line(out, k, &lines[i], total, arena);
    uint64_t rest = 0;
    for (int i = 0; i < LINE_CLASSES; i++) rest += other->classes[i];
    const uint64_t none = other->classes[CTR_STALL_NONE_LEFT - CTR_ISSUED];
    fprintf(out, "  none: no warp has an instruction left %.1f %%, other %.1f %%\n",
            percent_of((double)none, (double)total),
            percent_of((double)(rest - none), (double)total));
}

static void print_kernel(FILE *out, const RunReport *run, const Profile *p, const ProfileKernel *k,
                         Arena *arena) {
    const KernelReport *s = &k->shape;
    ProfileLine *lines;
    const int n = profile_lines(k, arena, &lines);
    uint64_t total = 0;
    for (int i = 0; i < LINE_CLASSES; i++) total += k->counters.v[CTR_ISSUED + i];
    fprintf(out, "kernel %s  launches %d  cycles %" PRIu64 "  IPC %.3f\n",
            plain_text(arena, k->name), s->launches, k->counters.v[CTR_CYCLES],
            profile_ipc(&k->counters, p->sms));
    fprintf(out,
            "  at most %d CTAs, %d warps (limited by %s); room for %d CTAs (limited by %s), "
            "%d registers/thread\n",
            s->ctas_per_sm, s->warps_per_sm, s->limited_by, s->room, s->room_limited_by,
            s->registers);
    print_rates(out, &k->counters, run->cfg, p->sms);
    print_roofs(out, &k->counters, run->cfg, p->sms);
    print_worst(out, k, lines, n, total, arena);
    print_lines(out, k, lines, n, total, arena);
}

static void print_launches(FILE *out, const Profile *p, Arena *arena) {
    fprintf(out, "launches\n  %4s %10s %8s %8s %10s %10s  %s\n", "", "cycles", "IPC", "warps",
            "conflicts", "DRAM lines", "kernel");
    for (int i = 0; i < p->nlaunches; i++) {
        const ProfileLaunch *l = &p->launches[i];
        const uint64_t *v = l->counters.v, cycles = v[CTR_CYCLES] * (unsigned)p->sms;
        fprintf(out,
                "  %4d %10" PRIu64 " %8.3f %8.1f %10" PRIu64 " %10" PRIu64
                "  %s <<<%ux%ux%u, %ux%ux%u>>>\n",
                i + 1, v[CTR_CYCLES], profile_ipc(&l->counters, p->sms),
                summary_ratio(v[CTR_WARPS_RESIDENT], cycles), v[CTR_RF_READ_CONFLICTS],
                v[CTR_DRAM_READS] + v[CTR_DRAM_WRITES],
                plain_text(arena, p->kernels[l->kernel].name), l->grid[0], l->grid[1], l->grid[2],
                l->block[0], l->block[1], l->block[2]);
    }
}

void profile_table(FILE *out, const RunReport *run, const LaunchReport *l) {
    Arena arena = {0};
    fprintf(out, "profile of %s  (%s, machine %s, arch %s)\n", l->name, plain_text(&arena, l->path),
            plain_text(&arena, run->cfg->machine), run->arch);
    for (int i = 0; l->lines && i < l->lines->nkernels; i++)
        print_kernel(out, run, l->lines, &l->lines->kernels[i], &arena);
    if (l->lines) print_launches(out, l->lines, &arena);
    arena_free(&arena);
}
