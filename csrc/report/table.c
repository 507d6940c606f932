// SPDX-License-Identifier: Apache-2.0
#include "base/plain.h"
#include "report/report.h"
#include "systems/systems.h"

#include <inttypes.h>
#include <string.h>

const char *report_mode_name(BlockMode mode) {
    static const char *const names[] = {"model", "rtl", "lockstep"};
    return names[mode];
}

const char *report_time_name(CosimTime t) {
    static const char *const names[] = {"sm", "mem", "model", "rtl", "compare", "trace"};
    return names[t];
}

BankUse report_bank_use(const Counters *c, int banks) {
    BankUse use = {.least_accesses = UINT64_MAX};
    uint64_t all = 0;
    for (int b = 0; b < banks; b++) {
        uint64_t n = c->bank_reads[b] + c->bank_writes[b];
        all += n;
        if (n > use.most_accesses) use.most_accesses = n;
        if (n < use.least_accesses) use.least_accesses = n;
    }
    use.mean = summary_ratio(all, c->v[CTR_CYCLES]) / banks;
    use.most = summary_ratio(use.most_accesses, c->v[CTR_CYCLES]);
    use.least = summary_ratio(use.least_accesses, c->v[CTR_CYCLES]);
    return use;
}

double report_file_full(const KernelReport *k) {
    return k->rows <= k->all_rows ? summary_ratio((unsigned)k->rows, (unsigned)k->all_rows) : 1;
}

static void print_kernels(FILE *out, const LaunchReport *l) {
    for (int i = 0; i < l->nkernels; i++) {
        const KernelReport *k = &l->kernels[i];
        if (!k->launches) {
            fprintf(out, "kernel %s  not reached\n", k->name);
            continue;
        }
        fprintf(out, "kernel %s  grid %ux%ux%u  block %ux%ux%u  launches %d\n", k->name, k->grid[0],
                k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->launches);
        fprintf(out,
                "  %d registers/thread, %d instructions, spill %lld B, local %lld B, shared %lld "
                "B/CTA\n",
                k->registers, k->insts, (long long)k->spill_bytes, (long long)k->local_bytes,
                (long long)k->shared_bytes);
        fprintf(out,
                "  occupancy %d CTAs, %d warps (limited by %s)  cycles %" PRIu64 "  IPC %.3f\n",
                k->ctas_per_sm, k->warps_per_sm, k->limited_by, k->cycles,
                summary_ratio(k->warp_insts, k->cycles));
        if (k->rows)
            fprintf(out, "  register file %.1f %% full  room for %d CTAs (limited by %s)\n",
                    100 * report_file_full(k), k->room, k->room_limited_by);
        if (k->scalar)
            fprintf(out, "  scalar %s: %s\n", strncmp(k->scalar, "GCN", 3) ? "thread" : "unit",
                    k->scalar);
    }
}

static void print_sm(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v;
    uint64_t cycles = v[CTR_CYCLES];
    summary_row(out, "cycles", cycles, NULL, 0, NULL);
    summary_row(out, "warp instructions", v[CTR_WARP_INSTS], "IPC %.3f",
                summary_ratio(v[CTR_WARP_INSTS], cycles), NULL);
    summary_row(out, "thread instructions", v[CTR_THREAD_INSTS], "%.1f active lanes of 32",
                summary_ratio(v[CTR_THREAD_INSTS], v[CTR_WARP_INSTS]), NULL);
    for (int i = 0; i < 4 && v[CTR_LANES_32] != v[CTR_WARP_INSTS]; i++) {
        char name[40];
        snprintf(name, sizeof name, "... of %d to %d lanes", 8 * i + 1, 8 * i + 8);
        summary_row(out, name, v[CTR_LANES_8 + i], "%.1f %% of warp instructions",
                    100 * summary_ratio(v[CTR_LANES_8 + i], v[CTR_WARP_INSTS]), NULL);
    }
    summary_row(out, "branches", v[CTR_BRANCHES], "%.1f %% divergent",
                100 * summary_ratio(v[CTR_DIVERGENT], v[CTR_BRANCHES]), NULL);
    summary_row(out, "resident warps", (uint64_t)summary_ratio(v[CTR_WARPS_RESIDENT], cycles),
                "mean %.1f", summary_ratio(v[CTR_WARPS_RESIDENT], cycles), NULL);
}

static void print_sms(FILE *out, const LaunchReport *l) {
    if (!l->of_sm) return;
    fprintf(out, "each SM%15s %12s %8s %8s %8s %10s %10s\n", "CTAs", "instructions", "IPC", "warps",
            "L1 hit", "L2 access", "DRAM lines");
    for (int i = 0; i < l->sms; i++) {
        const uint64_t *v = l->of_sm[i].v;
        const uint64_t l1 = v[CTR_L1_HITS] + v[CTR_L1_MERGES] + v[CTR_L1_MISSES];
        fprintf(out,
                "  SM %2d %15" PRIu64 " %12" PRIu64 " %8.3f %8.1f %6.1f %% %10" PRIu64 " %10" PRIu64
                "\n",
                i, v[CTR_CTAS], v[CTR_WARP_INSTS], summary_ratio(v[CTR_WARP_INSTS], v[CTR_CYCLES]),
                summary_ratio(v[CTR_WARPS_RESIDENT], v[CTR_CYCLES]),
                100 * summary_ratio(v[CTR_L1_HITS], l1), v[CTR_L2_HITS] + v[CTR_L2_MISSES],
                v[CTR_DRAM_READS] + v[CTR_DRAM_WRITES]);
    }
    fprintf(out, "all %d SMs: sums, means per SM\n", l->sms);
}

// Classes that the baseline does not have.
static bool is_of_a_system(int i) { return i >= CTR_STALL_SECTION && i <= CTR_STALL_ASSIST; }

static void print_stalls(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v;
    uint64_t total = 0;
    for (int i = CTR_ISSUED; i <= CTR_STALL_NONE_LEFT; i++) total += v[i];
    fprintf(out, "scheduler cycles\n");
    for (int i = CTR_ISSUED; i <= CTR_STALL_NONE_LEFT; i++) {
        char name[40];
        if (is_of_a_system(i) && !v[i]) continue;
        snprintf(name, sizeof name, "%s", counter_info[i].name);
        for (char *p = name; *p; p++)
            if (*p == '_') *p = ' ';
        summary_row(out, name, v[i], "%5.1f %%", 100 * summary_ratio(v[i], total), NULL);
    }
}

// How instructions reached the warps' buffers; nothing where both caches always hit.
static void print_fetch(FILE *out, const LaunchReport *l, const MachineConfig *cfg) {
    const uint64_t *v = l->counters.v;
    const uint64_t warp_cycles = v[CTR_WARPS_RESIDENT];
    if (!cfg->icache_bytes && !cfg->const_operands) return;
    fprintf(out, "fetch\n");
    if (cfg->icache_bytes) {
        summary_row(
            out, "instruction lines missed", v[CTR_ICACHE_MISSES], "%.2f %% of fetches",
            100 * summary_ratio(v[CTR_ICACHE_MISSES], v[CTR_ICACHE_HITS] + v[CTR_ICACHE_MISSES]),
            NULL);
        summary_row(out, "waits for instructions", v[CTR_ICACHE_WAITS], "%.1f %% of warp cycles",
                    100 * summary_ratio(v[CTR_ICACHE_WAITS], warp_cycles), NULL);
    }
    if (!cfg->const_operands) return;
    summary_row(out, "operand constants missed", v[CTR_CONST_OPERAND_MISSES], NULL, 0, "lines");
    summary_row(out, "waits for constants", v[CTR_CONST_WAITS], "%.1f %% of warp cycles",
                100 * summary_ratio(v[CTR_CONST_WAITS], warp_cycles), NULL);
}

static void print_registers(FILE *out, const LaunchReport *l, const MachineConfig *cfg) {
    const uint64_t *v = l->counters.v;
    const BankUse use = report_bank_use(&l->counters, cfg->rf_banks);
    fprintf(out, "register file\n");
    summary_row(out, "bank reads", v[CTR_RF_READS], "%.2f per instruction",
                summary_ratio(v[CTR_RF_READS], v[CTR_WARP_INSTS]), NULL);
    summary_row(out, "bank writes", v[CTR_RF_WRITES], "%.2f per instruction",
                summary_ratio(v[CTR_RF_WRITES], v[CTR_WARP_INSTS]), NULL);
    summary_row(out, "bank accesses", v[CTR_RF_READS] + v[CTR_RF_WRITES], "%.3f per bank and cycle",
                use.mean, NULL);
    summary_row(out, "busiest bank", use.most_accesses, "%.3f per cycle", use.most, NULL);
    summary_row(out, "least busy bank", use.least_accesses, "%.3f per cycle", use.least, NULL);
    summary_row(
        out, "read conflicts", v[CTR_RF_READ_CONFLICTS], "%.1f %% of request cycles",
        100 * summary_ratio(v[CTR_RF_READ_CONFLICTS], v[CTR_RF_READS] + v[CTR_RF_READ_CONFLICTS]),
        NULL);
    summary_row(
        out, "write conflicts", v[CTR_RF_WRITE_CONFLICTS], "%.1f %% of request cycles",
        100 *
            summary_ratio(v[CTR_RF_WRITE_CONFLICTS], v[CTR_RF_WRITES] + v[CTR_RF_WRITE_CONFLICTS]),
        NULL);
    summary_row(out, "busy collectors", (uint64_t)summary_ratio(v[CTR_OC_BUSY], v[CTR_CYCLES]),
                "mean %.2f", summary_ratio(v[CTR_OC_BUSY], v[CTR_CYCLES]), NULL);
    summary_row(out, "no collector free", v[CTR_OC_FULL], "%.1f %% of cycles",
                100 * summary_ratio(v[CTR_OC_FULL], v[CTR_CYCLES]), NULL);
}

// Reuse within windows of a warp's last instructions (thesis chapter 3).
static void print_reuse(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v, results = v[CTR_REUSE_RESULTS];
    uint64_t insts = 0, classes = 0;
    for (int i = 0; i < 4; i++)
        insts += v[CTR_REUSE_WITH_0 + i], classes += v[CTR_REUSE_CLASS_0 + i];
    if (!insts) return;
    fprintf(out, "operand reuse\n");
    for (int i = 0; i < 12; i++) {
        const uint64_t n = v[(i < 6 ? CTR_REUSE_HITS_2 : CTR_REUSE_BYPASSED_2 - 6) + i];
        char name[40];
        snprintf(name, sizeof name, "%s in a window of %d", i < 6 ? "sources" : "results",
                 i % 6 + 2);
        summary_row(out, name, n, "%4.1f %%",
                    100 * summary_ratio(n, i < 6 ? v[CTR_REUSE_SOURCES] : results), NULL);
    }
    static const char *const sources[] = {"no source", "one source", "two sources",
                                          "three sources or more"};
    for (int i = 0; i < 4; i++)
        summary_row(out, sources[i], v[CTR_REUSE_WITH_0 + i], "%4.1f %% of instructions",
                    100 * summary_ratio(v[CTR_REUSE_WITH_0 + i], insts), NULL);
    static const char *const class[] = {"results unread", "... register file only",
                                        "... collector only", "... both"};
    for (int i = 0; classes && i < 4; i++)
        summary_row(out, class[i], v[CTR_REUSE_CLASS_0 + i], "%4.1f %%",
                    100 * summary_ratio(v[CTR_REUSE_CLASS_0 + i], classes), NULL);
}

static void print_memory(FILE *out, const LaunchReport *l, const MachineConfig *cfg) {
    const uint64_t *v = l->counters.v;
    uint64_t l1 = v[CTR_L1_HITS] + v[CTR_L1_MERGES] + v[CTR_L1_MISSES];
    uint64_t l2 = v[CTR_L2_HITS] + v[CTR_L2_MISSES];
    uint64_t accesses = v[CTR_GLOBAL_LOADS] + v[CTR_GLOBAL_STORES] + v[CTR_ATOMICS];
    const int sms = l->sms > 1 ? l->sms : 1;
    const uint64_t bus_cycles =
        v[CTR_CYCLES] / (unsigned)sms * (unsigned)config_mem_fixed(cfg, sms).channels;
    fprintf(out, "memory\n");
    summary_row(out, "global accesses", accesses, "%.2f lines each",
                summary_ratio(v[CTR_TRANSACTIONS], accesses), NULL);
    summary_row(out, "shared accesses", v[CTR_SHARED_ACCESSES], "%.2f conflict cycles each",
                summary_ratio(v[CTR_SHARED_CONFLICTS], v[CTR_SHARED_ACCESSES]), NULL);
    summary_row(out, "constant loads", v[CTR_CONST_ACCESSES], "%.1f %% missed",
                100 * summary_ratio(v[CTR_CONST_MISSES], v[CTR_CONST_ACCESSES]), NULL);
    summary_row(out, "L1 load lines", l1, "%.1f %% hit", 100 * summary_ratio(v[CTR_L1_HITS], l1),
                NULL);
    summary_row(out, "L1 merged", v[CTR_L1_MERGES], "%.1f %%",
                100 * summary_ratio(v[CTR_L1_MERGES], l1), NULL);
    summary_row(out, "L2 accesses", l2, "%.1f %% hit", 100 * summary_ratio(v[CTR_L2_HITS], l2),
                NULL);
    summary_row(out, "DRAM reads", v[CTR_DRAM_READS], NULL, 0, NULL);
    summary_row(out, "DRAM writes", v[CTR_DRAM_WRITES], "%.1f %% row hits",
                100 * summary_ratio(v[CTR_DRAM_ROW_HITS], v[CTR_DRAM_READS] + v[CTR_DRAM_WRITES]),
                NULL);
    summary_row(out, "DRAM busy", v[CTR_DRAM_BUSY], "%.1f %% of cycles",
                100 * summary_ratio(v[CTR_DRAM_BUSY], bus_cycles), NULL);
}

// The machine's limits of traffic for one SM, independent of the kernel.
static void print_memory_limits(FILE *out, const LaunchReport *l, const MachineConfig *cfg) {
    if (!l->limits[0].name) return;
    fprintf(out, "memory limits, bytes per cycle and SM\n");
    for (int i = 0; i < MEMORY_LIMITS; i++) {
        const MemoryLimit *m = &l->limits[i];
        fprintf(out, "  %-28s %14.1f", m->name, m->bytes);
        if (m->lines)
            fprintf(out, "   %d x %d bytes in %d cycles", m->lines, cfg->l1_line, m->cycles);
        fprintf(out, "%s\n", i == l->limit_binds ? "   binds" : "");
    }
}

static void print_checks(FILE *out, const LaunchReport *l) {
    fprintf(out, "checks\n");
    for (int b = 0; b < l->nblocks; b++) {
        uint64_t compared = 0;
        for (int p = 0; p < l->nports; p++)
            if (!strcmp(l->ports[p].block, l->blocks[b].block)) compared += l->ports[p].compared;
        fprintf(out, "  %-18s %-9s %14" PRIu64 " port comparisons with valid data\n",
                l->blocks[b].block, report_mode_name(l->blocks[b].mode), compared);
        if (l->blocks[b].idle) fprintf(out, "  %-18s idle: the run had no work for it\n", "");
        if (l->blocks[b].rtl) fprintf(out, "  %-18s RTL from %s\n", "", l->blocks[b].rtl);
        if (l->blocks[b].states < 0)
            fprintf(out,
                    "  %-18s its state was not compared: the module has no observation ports\n",
                    "");
    }
    if (l->unclocked >= 0)
        summary_row(out, "RTL not clocked", (uint64_t)l->unclocked, NULL, 0, "cycles");
    if (l->unclocked >= 0 && l->start_seed)
        fprintf(out, "  start values       random, seed %" PRIu64 " (--start)\n", l->start_seed);
    if (l->fault) fprintf(out, "  fault in %s\n", l->fault);
    if (l->retire_checked)
        summary_row(out, "retire check", l->retire_compared, NULL, 0,
                    "events compared (issue, access, result)");
    if (l->oracle_checked)
        summary_row(out, "oracle, buffer bytes", l->oracle_compared, NULL, 0, "compared");
    if (l->race_checked)
        summary_row(out, "race check", l->race_compared, NULL, 0, "accesses compared");
    if (l->strict_checked)
        summary_row(out, "strict check", l->strict_examined, NULL, 0,
                    "thread instructions examined");
    if (l->codec_checked)
        summary_row(out, "codec check", l->counters.v[CTR_ASSIST_CHECKED], NULL, 0,
                    "lines of assist warps compared");
    if (l->nexpects) summary_row(out, "expected elements", l->result_compared, NULL, 0, "compared");
    else if (l->program) fprintf(out, "  the program itself ended with %s\n", l->program);
    else fprintf(out, "  no `expect` entry in the launch file: results were not checked\n");
}

static void print_speed(FILE *out, const LaunchReport *l) {
    double total = 0;
    for (int t = 0; t < TIME_COUNT; t++) total += l->times[t];
    fprintf(out, "speed\n  %-28s %14.1f k cycles/s   (", "simulated",
            l->seconds > 0 ? (double)l->counters.v[CTR_CYCLES] / l->seconds / 1e3 : 0);
    for (int t = 0; t < TIME_COUNT; t++)
        fprintf(out, "%s%s %.0f %%", t ? ", " : "", report_time_name((CosimTime)t),
                total > 0 ? 100 * l->times[t] / total : 0);
    fprintf(out, ")\n");
}

const char *report_verdict(const LaunchReport *l) {
    return l->verdict ? l->verdict : exit_word(l->status);
}

uint64_t report_rf_bytes(const MachineConfig *cfg) {
    return 128ull * (uint64_t)cfg->rf_banks * (uint64_t)cfg->rf_entries;
}

void report_table(FILE *out, const RunReport *run, const LaunchReport *l, bool color) {
    Arena arena = {0};
    fprintf(out, "%s  (%s, machine %s, arch %s)\n", l->name, plain_text(&arena, l->path),
            plain_text(&arena, run->cfg->machine), run->arch);
    if (run->cfg->larf_ideal && strstr(run->arch, "larf"))
        fprintf(out, "  ideal: larf.ideal 1, a bound that no hardware reaches\n");
    if (run->cfg->caba_ideal != CABA_AS_BUILT && strstr(run->arch, "caba"))
        fprintf(out, "  ideal: caba.ideal %s, a bound that no hardware reaches\n",
                (const char *[]){"none", "window", "load", "store", "both"}[run->cfg->caba_ideal]);
    if (run->cfg->rename_ideal)
        fprintf(out, "  ideal: rename.ideal %d, a bound that no hardware reaches\n",
                run->cfg->rename_ideal);
    // Banks and entries scale the register file, and with it the occupancy, which is easily
    // overlooked.
    const uint64_t rf_bytes = report_rf_bytes(run->cfg);
    if (rf_bytes != run->preset_rf_bytes)
        fprintf(out, "  register file %.4g KB, preset %.4g KB\n", (double)rf_bytes / 1024,
                (double)run->preset_rf_bytes / 1024);
    if (l->profile.measured) {
        fprintf(out, "  profile: DRAM bus busy %.0f %% on the baseline", 100 * l->profile.busy);
        if (l->profile.ratio > 0) fprintf(out, ", ratio %.2f", l->profile.ratio);
        fprintf(out, l->profile.on ? ": with assist warps\n" : ": runs as the baseline\n");
    }
    // Means over cycles below use the cycles of all SMs.
    const LaunchReport *all = l;
    LaunchReport each = *l;
    if (l->sms > 1) each.counters.v[CTR_CYCLES] *= (unsigned)l->sms;
    if (l->nkernels) {
        print_kernels(out, l);
        fprintf(out, "sm\n");
        print_sm(out, l);
        print_sms(out, l);
        l = &each;
        print_stalls(out, l);
        print_fetch(out, l, run->cfg);
        print_registers(out, l, run->cfg);
        systems_summaries(
            out,
            &(SummaryRun){.counters = &l->counters, .cfg = run->cfg, .bow_rows = run->bow_rows});
        print_reuse(out, l);
        print_memory(out, l, run->cfg);
        print_memory_limits(out, l, run->cfg);
        print_checks(out, l);
        print_speed(out, all);
    }
    const char *on = !color ? "" : l->status == EXIT_PASS ? "\033[32m" : "\033[31m";
    fprintf(out, "verdict %s: %s%s%s\n\n", l->name, on, report_verdict_text(l),
            color ? "\033[0m" : "");
    arena_free(&arena);
}
