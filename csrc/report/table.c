// SPDX-License-Identifier: Apache-2.0
#include "base/plain.h"
#include "report/energy.h"
#include "report/report.h"

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

static double ratio_of(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

BankUse report_bank_use(const Counters *c, int banks) {
    BankUse use = {.least_accesses = UINT64_MAX};
    uint64_t all = 0;
    for (int b = 0; b < banks; b++) {
        uint64_t n = c->bank_reads[b] + c->bank_writes[b];
        all += n;
        if (n > use.most_accesses) use.most_accesses = n;
        if (n < use.least_accesses) use.least_accesses = n;
    }
    use.mean = ratio_of(all, c->v[CTR_CYCLES]) / banks;
    use.most = ratio_of(use.most_accesses, c->v[CTR_CYCLES]);
    use.least = ratio_of(use.least_accesses, c->v[CTR_CYCLES]);
    return use;
}

static void print_row(FILE *out, const char *name, uint64_t value, const char *format, double extra,
                      const char *unit) {
    fprintf(out, "  %-28s %14" PRIu64, name, value);
    if (format) {
        fputs("   ", out);
        fprintf(out, format, extra);
    }
    fprintf(out, "%s%s\n", unit ? " " : "", unit ? unit : "");
}

// printf-style `format` above is always one of the literals of this file.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

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
                ratio_of(k->warp_insts, k->cycles));
        if (k->scalar)
            fprintf(out, "  scalar %s: %s\n", strncmp(k->scalar, "GCN", 3) ? "thread" : "unit",
                    k->scalar);
    }
}

static void print_sm(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v;
    uint64_t cycles = v[CTR_CYCLES];
    print_row(out, "cycles", cycles, NULL, 0, NULL);
    print_row(out, "warp instructions", v[CTR_WARP_INSTS], "IPC %.3f",
              ratio_of(v[CTR_WARP_INSTS], cycles), NULL);
    print_row(out, "thread instructions", v[CTR_THREAD_INSTS], "%.1f active lanes of 32",
              ratio_of(v[CTR_THREAD_INSTS], v[CTR_WARP_INSTS]), NULL);
    for (int i = 0; i < 4 && v[CTR_LANES_32] != v[CTR_WARP_INSTS]; i++) {
        char name[40];
        snprintf(name, sizeof name, "... of %d to %d lanes", 8 * i + 1, 8 * i + 8);
        print_row(out, name, v[CTR_LANES_8 + i], "%.1f %% of warp instructions",
                  100 * ratio_of(v[CTR_LANES_8 + i], v[CTR_WARP_INSTS]), NULL);
    }
    print_row(out, "branches", v[CTR_BRANCHES], "%.1f %% divergent",
              100 * ratio_of(v[CTR_DIVERGENT], v[CTR_BRANCHES]), NULL);
    print_row(out, "resident warps", (uint64_t)ratio_of(v[CTR_WARPS_RESIDENT], cycles), "mean %.1f",
              ratio_of(v[CTR_WARPS_RESIDENT], cycles), NULL);
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
                i, v[CTR_CTAS], v[CTR_WARP_INSTS], ratio_of(v[CTR_WARP_INSTS], v[CTR_CYCLES]),
                ratio_of(v[CTR_WARPS_RESIDENT], v[CTR_CYCLES]), 100 * ratio_of(v[CTR_L1_HITS], l1),
                v[CTR_L2_HITS] + v[CTR_L2_MISSES], v[CTR_DRAM_READS] + v[CTR_DRAM_WRITES]);
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
        print_row(out, name, v[i], "%5.1f %%", 100 * ratio_of(v[i], total), NULL);
    }
}

// How instructions reached the warps' buffers; nothing where both caches always hit.
static void print_fetch(FILE *out, const LaunchReport *l, const MachineConfig *cfg) {
    const uint64_t *v = l->counters.v;
    const uint64_t warp_cycles = v[CTR_WARPS_RESIDENT];
    if (!cfg->icache_bytes && !cfg->const_operands) return;
    fprintf(out, "fetch\n");
    if (cfg->icache_bytes) {
        print_row(out, "instruction lines missed", v[CTR_ICACHE_MISSES], "%.2f %% of fetches",
                  100 * ratio_of(v[CTR_ICACHE_MISSES], v[CTR_ICACHE_HITS] + v[CTR_ICACHE_MISSES]),
                  NULL);
        print_row(out, "waits for instructions", v[CTR_ICACHE_WAITS], "%.1f %% of warp cycles",
                  100 * ratio_of(v[CTR_ICACHE_WAITS], warp_cycles), NULL);
    }
    if (!cfg->const_operands) return;
    print_row(out, "operand constants missed", v[CTR_CONST_OPERAND_MISSES], NULL, 0, "lines");
    print_row(out, "waits for constants", v[CTR_CONST_WAITS], "%.1f %% of warp cycles",
              100 * ratio_of(v[CTR_CONST_WAITS], warp_cycles), NULL);
}

static void print_registers(FILE *out, const LaunchReport *l, const MachineConfig *cfg) {
    const uint64_t *v = l->counters.v;
    const BankUse use = report_bank_use(&l->counters, cfg->rf_banks);
    fprintf(out, "register file\n");
    print_row(out, "bank reads", v[CTR_RF_READS], "%.2f per instruction",
              ratio_of(v[CTR_RF_READS], v[CTR_WARP_INSTS]), NULL);
    print_row(out, "bank writes", v[CTR_RF_WRITES], "%.2f per instruction",
              ratio_of(v[CTR_RF_WRITES], v[CTR_WARP_INSTS]), NULL);
    print_row(out, "bank accesses", v[CTR_RF_READS] + v[CTR_RF_WRITES], "%.3f per bank and cycle",
              use.mean, NULL);
    print_row(out, "busiest bank", use.most_accesses, "%.3f per cycle", use.most, NULL);
    print_row(out, "least busy bank", use.least_accesses, "%.3f per cycle", use.least, NULL);
    print_row(out, "read conflicts", v[CTR_RF_READ_CONFLICTS], "%.1f %% of request cycles",
              100 * ratio_of(v[CTR_RF_READ_CONFLICTS], v[CTR_RF_READS] + v[CTR_RF_READ_CONFLICTS]),
              NULL);
    print_row(out, "write conflicts", v[CTR_RF_WRITE_CONFLICTS], "%.1f %% of request cycles",
              100 *
                  ratio_of(v[CTR_RF_WRITE_CONFLICTS], v[CTR_RF_WRITES] + v[CTR_RF_WRITE_CONFLICTS]),
              NULL);
    print_row(out, "busy collectors", (uint64_t)ratio_of(v[CTR_OC_BUSY], v[CTR_CYCLES]),
              "mean %.2f", ratio_of(v[CTR_OC_BUSY], v[CTR_CYCLES]), NULL);
    print_row(out, "no collector free", v[CTR_OC_FULL], "%.1f %% of cycles",
              100 * ratio_of(v[CTR_OC_FULL], v[CTR_CYCLES]), NULL);
}

static void print_energy(FILE *out, Energy e) {
    const double dynamic = e.dynamic + e.dynamic_added, leakage = e.leakage + e.leakage_added;
    print_row(out, "RF energy, dynamic, nJ", (uint64_t)dynamic, "%.1f %% of it added structures",
              dynamic > 0 ? 100 * e.dynamic_added / dynamic : 0, NULL);
    print_row(out, "RF energy, leakage, nJ", (uint64_t)leakage, "%.1f %%",
              leakage > 0 ? 100 * e.leakage_added / leakage : 0, NULL);
}

// What packing, renaming and coalescing did (thesis chapter 2).
static void print_packing(FILE *out, const RunReport *run, const LaunchReport *l) {
    const uint64_t *v = l->counters.v;
    if (!v[CTR_PHYS_USED]) return;
    const uint64_t operands =
        v[CTR_OPERANDS_1B] + v[CTR_OPERANDS_2B] + v[CTR_OPERANDS_3B] + v[CTR_OPERANDS_4B];
    const uint64_t pairs = v[CTR_PAIR_FIT] + v[CTR_PAIR_MISSED];
    const Energy e = energy_of(&l->counters, run->cfg->rf_banks * run->cfg->rf_entries);
    fprintf(out, "packing\n");
    print_row(out, "physical registers in use", (uint64_t)ratio_of(v[CTR_PHYS_USED], v[CTR_CYCLES]),
              "%.1f %% of the architected ones", 100 * ratio_of(v[CTR_PHYS_USED], v[CTR_ARCH_USED]),
              NULL);
    print_row(out, "operands of 1 byte", v[CTR_OPERANDS_1B], "%.1f %% of operands",
              100 * ratio_of(v[CTR_OPERANDS_1B], operands), NULL);
    print_row(out, "operands of 2 or 3 bytes", v[CTR_OPERANDS_2B] + v[CTR_OPERANDS_3B], "%.1f %%",
              100 * ratio_of(v[CTR_OPERANDS_2B] + v[CTR_OPERANDS_3B], operands), NULL);
    print_row(out, "coalesced reads", v[CTR_COALESCED], "%.1f %% of multi-operand passes",
              100 * ratio_of(v[CTR_COALESCED], v[CTR_MULTI_OPERAND]), NULL);
    print_row(out, "could be coalesced", v[CTR_MULTI_FIT], "%.1f %%",
              100 * ratio_of(v[CTR_MULTI_FIT], v[CTR_MULTI_OPERAND]), NULL);
    print_row(out, "pairs that fit", v[CTR_PAIR_FIT], "%.1f %%",
              100 * ratio_of(v[CTR_PAIR_FIT], pairs), NULL);
    print_row(out, "first allocations", v[CTR_ALLOC_FIRST], NULL, 0, NULL);
    print_row(out, "values that grew", v[CTR_ALLOC_GROW], "%.1f %% of writes",
              100 * ratio_of(v[CTR_ALLOC_GROW], v[CTR_RF_WRITES]), NULL);
    print_row(out, "values that shrank", v[CTR_ALLOC_SHRINK], "%.1f %%",
              100 * ratio_of(v[CTR_ALLOC_SHRINK], v[CTR_RF_WRITES]), NULL);
    print_row(out, "kept wider than needed", v[CTR_WIDTH_BOUND], "%.2f %%",
              100 * ratio_of(v[CTR_WIDTH_BOUND], v[CTR_RF_WRITES]), NULL);
    print_row(out, "freed at their last use", v[CTR_REGS_FREED], NULL, 0, NULL);
    print_row(out, "renaming table lookups", v[CTR_RT_LOOKUPS], "%.1f %% refused",
              100 * ratio_of(v[CTR_RT_CONFLICTS], v[CTR_RT_LOOKUPS] + v[CTR_RT_CONFLICTS]), NULL);
    print_row(out, "hint instructions", v[CTR_HINT_INSTS], NULL, 0, NULL);
    print_energy(out, e);
}

// What the register file cache kept from the register file (thesis section 3.6).
static void print_cache(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v;
    const uint64_t stored = v[CTR_RFC_ALLOCATED] + v[CTR_RFC_OVERWRITTEN] + v[CTR_RFC_MERGED];
    const uint64_t results = stored + v[CTR_RFC_THROUGH];
    if (!results) return;
    fprintf(out, "register file cache\n");
    print_row(out, "operands from the cache", v[CTR_RFC_READS], "%.1f %% of operands",
              100 * ratio_of(v[CTR_RFC_READS], v[CTR_RFC_READS] + v[CTR_RF_READS]), NULL);
    print_row(out, "read waits", v[CTR_RFC_READ_WAITS], "%.1f %% of request cycles",
              100 * ratio_of(v[CTR_RFC_READ_WAITS], v[CTR_RFC_READS] + v[CTR_RFC_READ_WAITS]),
              NULL);
    print_row(out, "results stored", stored, "%.1f %% of results", 100 * ratio_of(stored, results),
              NULL);
    print_row(out, "... overwritten", v[CTR_RFC_OVERWRITTEN], "%.1f %%",
              100 * ratio_of(v[CTR_RFC_OVERWRITTEN], stored), NULL);
    print_row(out, "... merged", v[CTR_RFC_MERGED], "%.1f %%",
              100 * ratio_of(v[CTR_RFC_MERGED], stored), NULL);
    print_row(out, "... written back", v[CTR_RFC_WRITTEN_BACK], "%.1f %%",
              100 * ratio_of(v[CTR_RFC_WRITTEN_BACK], stored), NULL);
    print_row(out, "... dead", v[CTR_RFC_DEAD], "%.1f %%", 100 * ratio_of(v[CTR_RFC_DEAD], stored),
              NULL);
    print_row(out, "... dropped at the warp's end", v[CTR_RFC_DROPPED], "%.1f %%",
              100 * ratio_of(v[CTR_RFC_DROPPED], stored), NULL);
    print_row(out, "results that went past it", v[CTR_RFC_THROUGH], "%.1f %% of results",
              100 * ratio_of(v[CTR_RFC_THROUGH], results), NULL);
    print_row(out, "result waits", v[CTR_RFC_RESULT_WAITS], NULL, 0, "port cycles");
    print_row(out, "rows in use", (uint64_t)ratio_of(v[CTR_RFC_ROWS], v[CTR_CYCLES]), "mean %.1f",
              ratio_of(v[CTR_RFC_ROWS], v[CTR_CYCLES]), NULL);
}

// Extended registers taken and given back (thesis chapter 4).
static void print_sections(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v, granted = v[CTR_ACQ_GRANTED],
                   attempts = granted + v[CTR_ACQ_REFUSED];
    if (!attempts) return;
    fprintf(out, "register sections\n");
    print_row(out, "acquires", granted, "%.1f %% granted at once",
              100 * ratio_of(v[CTR_ACQ_FIRST], granted), NULL);
    print_row(out, "attempts refused", v[CTR_ACQ_REFUSED], "%.1f %% of attempts",
              100 * ratio_of(v[CTR_ACQ_REFUSED], attempts), NULL);
    print_row(out, "compaction moves", v[CTR_COMPACT_MOVES], "%.2f %% of instructions",
              100 * ratio_of(v[CTR_COMPACT_MOVES], v[CTR_WARP_INSTS]), NULL);
    print_row(out, "nested acquires", v[CTR_ACQ_NESTED], NULL, 0, NULL);
    print_row(out, "released", v[CTR_REL_RELEASED], NULL, 0, NULL);
    print_row(out, "given back at exit", v[CTR_SECTIONS_BY_EXIT], NULL, 0, NULL);
    print_row(out, "sections held", (uint64_t)ratio_of(v[CTR_SECTION_CYCLES], v[CTR_CYCLES]),
              "mean %.2f", ratio_of(v[CTR_SECTION_CYCLES], v[CTR_CYCLES]), NULL);
}

// Registers that two warps share (OWF).
static void print_shared(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v, taken = v[CTR_SHARED_TAKEN];
    if (!taken) return;
    fprintf(out, "shared registers\n");
    print_row(out, "warps that took them", taken, NULL, 0, NULL);
    print_row(out, "after their partner's end", v[CTR_SHARED_TAKEN_BEHIND], "%.1f %%",
              100 * ratio_of(v[CTR_SHARED_TAKEN_BEHIND], taken), NULL);
    print_row(out, "attempts refused", v[CTR_SHARED_REFUSED], NULL, 0, NULL);
    print_row(out, "warps that have them", (uint64_t)ratio_of(v[CTR_SHARED_CYCLES], v[CTR_CYCLES]),
              "mean %.2f", ratio_of(v[CTR_SHARED_CYCLES], v[CTR_CYCLES]), NULL);
}

// Scalar threads, or instructions of warps on scalar units (GCN mode).
static void print_scalar(FILE *out, const RunReport *run, const LaunchReport *l) {
    const uint64_t *v = l->counters.v, instructions = v[CTR_SCALAR_INSTS];
    if (!instructions) return;
    fprintf(out, "scalar units\n");
    print_row(out, "threads", v[CTR_SCALAR_THREADS], "mean %.1f",
              ratio_of(v[CTR_SCALAR_RESIDENT], v[CTR_CYCLES]), "resident");
    print_row(out, "instructions", instructions, "%.2f %% of warp instructions",
              100 * ratio_of(instructions, v[CTR_WARP_INSTS]), NULL);
    print_row(out, "... beside the threads'", instructions, "%.3f %% of thread instructions",
              100 * ratio_of(instructions, v[CTR_THREAD_INSTS]), NULL);
    print_row(out, "words read and written", v[CTR_SCALAR_RF_READS] + v[CTR_SCALAR_RF_WRITES],
              "%.2f per instruction",
              ratio_of(v[CTR_SCALAR_RF_READS] + v[CTR_SCALAR_RF_WRITES], instructions), NULL);
    print_row(out, "operations", v[CTR_SCALAR_ALU] + v[CTR_SCALAR_SFU], "%.3f %% of those of lanes",
              100 * ratio_of(v[CTR_SCALAR_ALU] + v[CTR_SCALAR_SFU], v[CTR_ALU_LANES]), NULL);
    print_row(out, "requests to memory", v[CTR_SCALAR_REQUESTS], NULL, 0, NULL);
    print_row(out, "touches", v[CTR_TOUCHES], "%.1f %% outside of allocations",
              100 * ratio_of(v[CTR_TOUCHES_DROPPED], v[CTR_TOUCHES]), NULL);
    print_row(out, "barriers with the thread", v[CTR_SCALAR_BARRIERS],
              "%.1f %% after the end of one side",
              100 * ratio_of(v[CTR_SCALAR_BARRIERS_ALONE], v[CTR_SCALAR_BARRIERS]), NULL);
    print_row(out, "waits for the thread", v[CTR_SCALAR_WAIT], "%.1f %% of warp cycles",
              100 * ratio_of(v[CTR_SCALAR_WAIT], v[CTR_WARPS_RESIDENT]), NULL);
    print_energy(out, scalar_energy_of(&l->counters, run->cfg->rf_banks * run->cfg->rf_entries));
}

// Compressed lines (CABA).
static void print_lines(FILE *out, const LaunchReport *l) {
    const uint64_t *v = l->counters.v, moved = v[CTR_MOVED_BURSTS];
    if (!moved) return;
    fprintf(out, "compressed lines\n");
    print_row(out, "DRAM bursts, lines", moved, "ratio %.2f", ratio_of(v[CTR_RAW_BURSTS], moved),
              NULL);
    print_row(out, "DRAM bursts, metadata", v[CTR_MD_READS] + v[CTR_MD_WRITES],
              "%.1f %% of lookups missed", 100 * ratio_of(v[CTR_MD_READS], v[CTR_MD_LOOKUPS]),
              NULL);
    print_row(out, "lines stored whole", v[CTR_LINES_STORED], "%.1f %% compressed",
              100 * ratio_of(v[CTR_LINES_STORED_COMPRESSED], v[CTR_LINES_STORED]), NULL);
    print_row(out, "lines retrieved", v[CTR_LINES_RETRIEVED], NULL, 0, NULL);
}

// Collector cycles with more than `rows` registers of the window in the collector; the most that
// there were.
static uint64_t count_fuller(const uint64_t *v, int rows, int *most) {
    uint64_t n = 0;
    *most = 0;
    for (int i = 0; CTR_BOW_ROWS_0 + i <= CTR_BOW_ROWS_28; i++) {
        if (i > rows) n += v[CTR_BOW_ROWS_0 + i];
        if (v[CTR_BOW_ROWS_0 + i]) *most = i;
    }
    return n;
}

// Rows of the bypassing collectors: how many are occupied, reserved and held.
static void print_window_rows(FILE *out, const RunReport *run, const uint64_t *v) {
    const uint64_t cycles = v[CTR_BOW_WINDOW_CYCLES];
    const int half = 2 * run->cfg->bow_window;
    uint64_t rows = 0;
    int most;
    for (int i = 0; CTR_BOW_ROWS_0 + i <= CTR_BOW_ROWS_28; i++)
        rows += v[CTR_BOW_ROWS_0 + i] * (unsigned)i;
    const uint64_t more = count_fuller(v, half, &most);
    print_row(out, "rows in the window", (uint64_t)ratio_of(rows, cycles), "mean %.2f",
              ratio_of(rows, cycles), NULL);
    print_row(out, "... the most", (uint64_t)most, NULL, 0, NULL);
    print_row(out, "... more than half", more, "%5.1f %% of cycles", 100 * ratio_of(more, cycles),
              NULL);
    print_row(out, "rows reserved", (uint64_t)ratio_of(v[CTR_BOW_RESERVED_CYCLES], cycles),
              "mean %.2f", ratio_of(v[CTR_BOW_RESERVED_CYCLES], cycles), NULL);
    print_row(out, "rows held for a save", (uint64_t)ratio_of(v[CTR_BOW_HELD_CYCLES], cycles),
              "mean %.2f", ratio_of(v[CTR_BOW_HELD_CYCLES], cycles), NULL);
}

// What bypassing collectors kept and forwarded (thesis chapter 3).
static void print_bypassing(FILE *out, const RunReport *run, const LaunchReport *l) {
    const uint64_t *v = l->counters.v, sources = v[CTR_BOW_SOURCES], results = v[CTR_BOW_RESULTS];
    const uint64_t cycles = v[CTR_BOW_WINDOW_CYCLES], stored = v[CTR_BOW_STORED];
    uint64_t bits = 0;
    if (!cycles) return;
    fprintf(out, "bypassing\n");
    print_row(out, "sources", sources, NULL, 0, NULL);
    print_row(out, "... forwarded", v[CTR_BOW_FORWARDS], "%5.1f %%",
              100 * ratio_of(v[CTR_BOW_FORWARDS], sources), NULL);
    print_row(out, "... held for a save", v[CTR_BOW_FORWARDS_HELD], "%5.1f %%",
              100 * ratio_of(v[CTR_BOW_FORWARDS_HELD], sources), NULL);
    print_row(out, "... read again", v[CTR_BOW_READ_AGAIN], "%5.1f %%",
              100 * ratio_of(v[CTR_BOW_READ_AGAIN], sources), NULL);
    print_row(out, "arithmetic, in collection", v[CTR_COLLECT_ALU], "%.2f cycles each",
              ratio_of(v[CTR_COLLECT_ALU], v[CTR_EXEC_SP] + v[CTR_EXEC_SFU]), NULL);
    print_row(out, "... issue to last write", v[CTR_FLIGHT_ALU], "%.1f %% of it in collection",
              100 * ratio_of(v[CTR_COLLECT_ALU], v[CTR_FLIGHT_ALU]), NULL);
    print_row(out, "results", results, NULL, 0, NULL);
    static const struct {
        const char *name;
        CounterId id;
    } fates[] = {{"... kept and written", CTR_BOW_THROUGH},
                 {"... kept, not written", CTR_BOW_STORED},
                 {"... written at once", CTR_BOW_DIRECT},
                 {"... of these beside window", CTR_BOW_DIRECT_LATE},
                 {"... neither", CTR_BOW_NOWHERE}};
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++)
        print_row(out, fates[i].name, v[fates[i].id], "%5.1f %%",
                  100 * ratio_of(v[fates[i].id], results), NULL);
    static const char *const class[] = {"bits 00, nowhere", "bits 01, register file",
                                        "bits 10, collector", "bits 11, both"};
    for (int i = 0; i < 4; i++) bits += v[CTR_BOW_BITS_00 + i];
    for (int i = 0; bits && i < 4; i++)
        print_row(out, class[i], v[CTR_BOW_BITS_00 + i], "%5.1f %% of results",
                  100 * ratio_of(v[CTR_BOW_BITS_00 + i], bits), NULL);
    static const struct {
        const char *name;
        CounterId id;
    } ends[] = {{"saved", CTR_BOW_SAVES},
                {"saved, rows were short", CTR_BOW_PRESSURE_SAVES},
                {"overwritten", CTR_BOW_OVERWRITTEN},
                {"merged", CTR_BOW_MERGED},
                {"dead", CTR_BOW_DEAD},
                {"dropped at exit", CTR_BOW_DROPPED}};
    for (size_t i = 0; stored && i < sizeof ends / sizeof *ends; i++)
        print_row(out, ends[i].name, v[ends[i].id], "%5.1f %% of those kept",
                  100 * ratio_of(v[ends[i].id], stored), NULL);
    print_window_rows(out, run, v);
    const Energy e = bow_energy_of(&l->counters, run->cfg->rf_banks * run->cfg->rf_entries,
                                   run->cfg->oc_collectors, run->bow_rows);
    print_energy(out, e);
}

// What windows of a warp's last instructions would catch (thesis chapter 3).
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
        print_row(out, name, n, "%4.1f %%",
                  100 * ratio_of(n, i < 6 ? v[CTR_REUSE_SOURCES] : results), NULL);
    }
    static const char *const sources[] = {"no source", "one source", "two sources",
                                          "three sources or more"};
    for (int i = 0; i < 4; i++)
        print_row(out, sources[i], v[CTR_REUSE_WITH_0 + i], "%4.1f %% of instructions",
                  100 * ratio_of(v[CTR_REUSE_WITH_0 + i], insts), NULL);
    static const char *const class[] = {"results unread", "... register file only",
                                        "... collector only", "... both"};
    for (int i = 0; classes && i < 4; i++)
        print_row(out, class[i], v[CTR_REUSE_CLASS_0 + i], "%4.1f %%",
                  100 * ratio_of(v[CTR_REUSE_CLASS_0 + i], classes), NULL);
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
    print_row(out, "global accesses", accesses, "%.2f lines each",
              ratio_of(v[CTR_TRANSACTIONS], accesses), NULL);
    print_row(out, "shared accesses", v[CTR_SHARED_ACCESSES], "%.2f conflict cycles each",
              ratio_of(v[CTR_SHARED_CONFLICTS], v[CTR_SHARED_ACCESSES]), NULL);
    print_row(out, "constant loads", v[CTR_CONST_ACCESSES], "%.1f %% missed",
              100 * ratio_of(v[CTR_CONST_MISSES], v[CTR_CONST_ACCESSES]), NULL);
    print_row(out, "L1 load lines", l1, "%.1f %% hit", 100 * ratio_of(v[CTR_L1_HITS], l1), NULL);
    print_row(out, "L1 merged", v[CTR_L1_MERGES], "%.1f %%", 100 * ratio_of(v[CTR_L1_MERGES], l1),
              NULL);
    print_row(out, "L2 accesses", l2, "%.1f %% hit", 100 * ratio_of(v[CTR_L2_HITS], l2), NULL);
    print_row(out, "DRAM reads", v[CTR_DRAM_READS], NULL, 0, NULL);
    print_row(out, "DRAM writes", v[CTR_DRAM_WRITES], "%.1f %% row hits",
              100 * ratio_of(v[CTR_DRAM_ROW_HITS], v[CTR_DRAM_READS] + v[CTR_DRAM_WRITES]), NULL);
    print_row(out, "DRAM busy", v[CTR_DRAM_BUSY], "%.1f %% of cycles",
              100 * ratio_of(v[CTR_DRAM_BUSY], bus_cycles), NULL);
}

static void print_checks(FILE *out, const LaunchReport *l) {
    fprintf(out, "checks\n");
    for (int b = 0; b < l->nblocks; b++) {
        uint64_t compared = 0;
        for (int p = 0; p < l->nports; p++)
            if (!strcmp(l->ports[p].block, l->blocks[b].block)) compared += l->ports[p].compared;
        fprintf(out, "  %-18s %-9s %14" PRIu64 " port comparisons with valid data\n",
                l->blocks[b].block, report_mode_name(l->blocks[b].mode), compared);
        if (l->blocks[b].idle) fprintf(out, "  %-18s idle: the run gave it no work\n", "");
        if (l->blocks[b].rtl) fprintf(out, "  %-18s RTL from %s\n", "", l->blocks[b].rtl);
        if (l->blocks[b].states < 0)
            fprintf(out,
                    "  %-18s its state was not compared: the module has no observation ports\n",
                    "");
    }
    if (l->unclocked >= 0)
        print_row(out, "RTL not clocked", (uint64_t)l->unclocked, NULL, 0, "cycles");
    if (l->fault) fprintf(out, "  fault in %s\n", l->fault);
    if (l->retire_checked)
        print_row(out, "retire check", l->retire_compared, NULL, 0,
                  "events compared (issue, access, result)");
    if (l->oracle_checked)
        print_row(out, "oracle, buffer bytes", l->oracle_compared, NULL, 0, "compared");
    if (l->race_checked)
        print_row(out, "race check", l->race_compared, NULL, 0, "accesses compared");
    if (l->strict_checked)
        print_row(out, "strict check", l->strict_examined, NULL, 0, "thread instructions examined");
    if (l->codec_checked)
        print_row(out, "codec check", l->counters.v[CTR_ASSIST_CHECKED], NULL, 0,
                  "lines of assist warps compared");
    if (l->nexpects) print_row(out, "expected elements", l->result_compared, NULL, 0, "compared");
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
        fprintf(out, "  ideal: larf.ideal 1, what no hardware does (bounds)\n");
    if (run->cfg->caba_ideal != CABA_AS_BUILT && strstr(run->arch, "caba"))
        fprintf(out, "  ideal: caba.ideal %s, what no hardware does (bounds)\n",
                (const char *[]){"none", "window", "load", "store", "both"}[run->cfg->caba_ideal]);
    if (run->cfg->rename_ideal)
        fprintf(out, "  ideal: rename.ideal %d, what no hardware does (bounds)\n",
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
        fprintf(out,
                l->profile.on ? ": with assist warps\n" : ": left out, runs as the baseline\n");
    }
    // What is a mean over cycles below is one over those of all SMs.
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
        print_packing(out, run, l);
        print_cache(out, l);
        print_sections(out, l);
        print_shared(out, l);
        print_scalar(out, run, l);
        print_lines(out, l);
        print_bypassing(out, run, l);
        print_reuse(out, l);
        print_memory(out, l, run->cfg);
        print_checks(out, l);
        print_speed(out, all);
    }
    const char *on = !color ? "" : l->status == EXIT_PASS ? "\033[32m" : "\033[31m";
    fprintf(out, "verdict %s: %s%s%s\n\n", l->name, on, report_verdict_text(l),
            color ? "\033[0m" : "");
    arena_free(&arena);
}
