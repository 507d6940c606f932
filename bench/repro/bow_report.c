// SPDX-License-Identifier: Apache-2.0
// The document: tables from the runs, then the findings, which are written by hand.
#include "bow.h"

#include "draw.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// ---- cells of tables ----

static void number(FILE *out, double v, int digits) {
    if (isnan(v)) fputs(" - |", out);
    else fprintf(out, " %.*f |", digits, fabs(v) < 0.5 * pow(10, -digits) ? 0.0 : v);
}
static void percent(FILE *out, double v) { number(out, v, 1); }

static void rule(FILE *out, int text, int numbers) {
    fputc('|', out);
    for (int i = 0; i < text; i++) fputs("---|", out);
    for (int i = 0; i < numbers; i++) fputs("--:|", out);
    fputc('\n', out);
}

// One number of a kernel in a run.
typedef struct Column {
    const char *title;
    const BowRun *run;
    const char *arch;
    BowMeasure *measure;
    int digits;
} Column;

static double value(const BowResults *r, const Column *c, int kernel) {
    return c->measure(r, bow_cell(c->run, kernel, c->arch), bow_cell(c->run, kernel, "baseline"));
}

// A row per kernel and the mean over the paper's kinds; other kernels stand below it.
static void table(FILE *out, const BowResults *r, const Column *columns, int n) {
    fputs("\n| kernel |", out);
    for (int i = 0; i < n; i++) fprintf(out, " %s |", columns[i].title);
    fputc('\n', out);
    rule(out, 1, n);
    for (int k = 0; k < BOW_KERNELS; k++) {
        if (k == BOW_PAPER) {
            fputs("| mean of the fifteen |", out);
            for (int i = 0; i < n; i++) number(out, bow_mean(r, columns[i].run, columns[i].arch, columns[i].measure), columns[i].digits);
            fputc('\n', out);
        }
        fprintf(out, "| %s |", bow_kernels[k]);
        for (int i = 0; i < n; i++) number(out, value(r, &columns[i], k), columns[i].digits);
        fputc('\n', out);
    }
}
#define TABLE(out, r, columns) table(out, r, columns, sizeof columns / sizeof *columns)

// ---- means of what has a parameter of its own ----

static double mean_listened(const BowRun *run, int window, bool writes) {
    double v[BOW_PAPER];
    for (int k = 0; k < BOW_PAPER; k++) v[k] = bow_listened(bow_cell(run, k, "baseline"), window, writes);
    return bow_mean_of(v);
}
static double mean_bits(const BowRun *run, int bits) {
    double v[BOW_PAPER];
    for (int k = 0; k < BOW_PAPER; k++) v[k] = bow_bits(bow_cell(run, k, "bow-wr"), bits);
    return bow_mean_of(v);
}
static double mean_sources(const BowRun *run, int n) {
    double v[BOW_PAPER];
    for (int k = 0; k < BOW_PAPER; k++) v[k] = bow_sources(bow_cell(run, k, "baseline"), n);
    return bow_mean_of(v);
}
static double mean_most(const BowResults *r, const BowRun *run, const char *arch) {
    double most = 0;
    for (int k = 0; k < BOW_PAPER; k++) most = fmax(most, bow_rows_most(r, bow_cell(run, k, arch), NULL));
    return most;
}

static const BowRun *window_run(const BowResults *r, int window) { return window == r->window ? &r->main : &r->windows[window]; }

// ---- beside the paper ----

static void beside(FILE *out, const char *figure, const char *what, double paper, double ours, double source, double both) {
    const double ratio = ours / paper, near = both / paper;
    fprintf(out, "| %s | %s |", figure, what);
    percent(out, paper);
    percent(out, ours);
    percent(out, source);
    percent(out, both);
    if (isnan(ratio)) fputs(" - | - |\n", out);
    else fprintf(out, " %.2f%s | %.2f%s |\n", ratio, ratio < 0.5 || ratio > 2 ? " *" : "", near, near < 0.5 || near > 2 ? " *" : "");
}

// Rows that drawings are made of, as they were written.
static struct Row { const char *figure, *what, *arch; BowMeasure *measure; double paper; } drawn[64];
static int ndrawn;

static void beside_measure(FILE *out, const BowResults *r, const char *figure, const char *what, double paper, const char *arch, BowMeasure *m) {
    if (ndrawn == sizeof drawn / sizeof *drawn) repro_die(REPRO_FAILED, "too many rows");
    drawn[ndrawn] = (struct Row){*figure || !ndrawn ? figure : drawn[ndrawn - 1].figure, what, arch, m, paper};
    ndrawn++;
    beside(out, figure, what, paper, bow_mean(r, &r->main, arch, m), bow_mean(r, &r->source, arch, m),
           bow_mean(r, &r->both, arch, m));
}

static void summary(FILE *out, const BowResults *r) {
    static const double bits[4] = {NAN, 21, 52, 27};
    static const double windows[2][BOW_MOST + 1] = {{NAN, NAN, 45, 59, NAN, NAN, NAN, 70}, {NAN, NAN, 35, 52, NAN, NAN, NAN, NAN}};
    static const char *const names[4] = {"nowhere (00)", "register file alone (01)", "collector alone (10)", "both (11)"};
    fprintf(out, "\n## Beside the paper\n\nMeans of the fifteen kernels of the paper's kinds, per cent, window %d unless said. Text order: "
                 "`compiler.schedule=source`,\nbaseline too; both: `compiler.addr_bits=32`, too. Ratios of ours and of both to the paper's; *: outside of 0.5 to 2.\n\n| figure | what "
                 "| paper | ours | text order | both | ratio | of both |\n", r->window);
    rule(out, 2, 6);
    for (int w = 0; w < 2; w++)
        for (int n = BOW_LEAST; n <= BOW_MOST; n++)
            beside(out, w ? "3.3 writes" : "3.3 reads", repro_text("%s, IW %d", w ? "results that need no place outside the window" : "sources that the window holds", n),
                   windows[w][n], mean_listened(&r->main, n, w), mean_listened(&r->source, n, w), mean_listened(&r->both, n, w));
    beside_measure(out, r, "3.3 reads", "reads of the register file fewer, bow", 59, "bow", bow_reads_saved);
    beside_measure(out, r, "", "bow-wr", 59, "bow-wr", bow_reads_saved);
    beside_measure(out, r, "3.3 writes", "writes fewer, bow-wb", NAN, "bow-wb", bow_writes_saved);
    beside_measure(out, r, "", "bow-wr", 52, "bow-wr", bow_writes_saved);
    beside_measure(out, r, "", "bow-wr-half", NAN, "bow-wr-half", bow_writes_saved);
    for (int n = 0; n < 4; n++) beside(out, "3.7", repro_text("results by bits: %s", names[n]), bits[n], mean_bits(&r->main, n), mean_bits(&r->source, n), mean_bits(&r->both, n));
    for (int n = 0; n < 4; n++)
        beside(out, "3.8", repro_text("instructions with %d%s source registers", n, n == 3 ? " or more" : ""), n == 3 ? 2 : NAN,
               mean_sources(&r->main, n), mean_sources(&r->source, n), mean_sources(&r->both, n));
    beside_measure(out, r, "", "results that bow keeps", NAN, "bow", bow_kept);
    beside_measure(out, r, "3.9", "cycles of a collector with more than half of its rows in use, bow-wb", 3, "bow-wb", bow_fuller);
    beside_measure(out, r, "", "bow-wr", 3, "bow-wr", bow_fuller);
    beside(out, "", "most registers in a window, bow-wb, beside 12 rows (number)", NAN, mean_most(r, &r->main, "bow-wb"), mean_most(r, &r->source, "bow-wb"),
           mean_most(r, &r->both, "bow-wb"));
    beside_measure(out, r, "3.10", "IPC, bow-nofwd", NAN, "bow-nofwd", bow_ipc_gain);
    beside_measure(out, r, "", "bow", 11, "bow", bow_ipc_gain);
    beside_measure(out, r, "", "bow-wb", NAN, "bow-wb", bow_ipc_gain);
    beside_measure(out, r, "", "bow-wr", 13, "bow-wr", bow_ipc_gain);
    beside_measure(out, r, "3.11", "bow-wr-half", 11, "bow-wr-half", bow_ipc_gain);
    beside_measure(out, r, "3.4", "collection, of the time from issue to the last write, arithmetic", 25, "baseline", bow_alu_share);
    beside_measure(out, r, "", "memory instructions", NAN, "baseline", bow_ldst_share);
    beside_measure(out, r, "", "arithmetic, bow-wr", NAN, "bow-wr", bow_alu_share);
    beside_measure(out, r, "3.12", "time in collection less, arithmetic, bow", 60, "bow", bow_alu_fall);
    beside_measure(out, r, "", "bow-wr", 60, "bow-wr", bow_alu_fall);
    beside_measure(out, r, "", "memory instructions, bow", NAN, "bow", bow_ldst_fall);
    beside_measure(out, r, "", "bow-wr", NAN, "bow-wr", bow_ldst_fall);
    beside(out, "", "arithmetic, bow against bow-nofwd", NAN, bow_mean_to(r, &r->main, "bow", "bow-nofwd", bow_alu_fall),
           bow_mean_to(r, &r->source, "bow", "bow-nofwd", bow_alu_fall),
           bow_mean_to(r, &r->both, "bow", "bow-nofwd", bow_alu_fall));
    beside(out, "", "bow-wr against bow-nofwd", NAN, bow_mean_to(r, &r->main, "bow-wr", "bow-nofwd", bow_alu_fall),
           bow_mean_to(r, &r->source, "bow-wr", "bow-nofwd", bow_alu_fall),
           bow_mean_to(r, &r->both, "bow-wr", "bow-nofwd", bow_alu_fall));
    beside_measure(out, r, "3.13", "dynamic energy less, bow", 36, "bow", bow_dynamic_fall);
    beside_measure(out, r, "", "bow-wr", 55, "bow-wr", bow_dynamic_fall);
    beside_measure(out, r, "", "bow-wr-half", NAN, "bow-wr-half", bow_dynamic_fall);
    beside_measure(out, r, "", "of the baseline's, added by bow", 3, "bow", bow_dynamic_added);
    beside_measure(out, r, "", "added by bow-wr", 1.8, "bow-wr", bow_dynamic_added);
    beside_measure(out, r, "", "leakage power added (paper: by its constants)", 7.9, "bow", bow_leakage_added);
    beside_measure(out, r, "", "half size, in proportion to the rows", NAN, "bow-wr-half", bow_half_leakage_added);
    beside_measure(out, r, "text", "IPC, rfc (paper: less than)", 2, "rfc", bow_ipc_gain);
}

// ---- tables of kernels ----

static void reads_and_writes(FILE *out, const BowResults *r) {
    const Column columns[] = {
        {"results that bow keeps", &r->main, "bow", bow_kept, 1},
        {"reads fewer: bow", &r->main, "bow", bow_reads_saved, 1},          {"bow-wb", &r->main, "bow-wb", bow_reads_saved, 1},
        {"bow-wr", &r->main, "bow-wr", bow_reads_saved, 1},                 {"bow-wr-half", &r->main, "bow-wr-half", bow_reads_saved, 1},
        {"of sources, from rows held for a save", &r->main, "bow-wr", bow_held, 1},
        {"half size: read again", &r->main, "bow-wr-half", bow_again, 1},   {"writes fewer: bow-wb", &r->main, "bow-wb", bow_writes_saved, 1},
        {"bow-wr", &r->main, "bow-wr", bow_writes_saved, 1},                {"bow-wr-half", &r->main, "bow-wr-half", bow_writes_saved, 1},
        {"text order, bow-wr: reads", &r->source, "bow-wr", bow_reads_saved, 1},
        {"writes", &r->source, "bow-wr", bow_writes_saved, 1}};
    fprintf(out, "\n## Eliminated reads and writes (Figure 3.3)\n\nWhat the register file no longer sees, %% of the baseline's accesses, window %d. Of `bow` also the share of results that it keeps: "
                 "those of some\nlanes of a register that it does not hold, and those that come when their window has passed, go past it.\n", r->window);
    TABLE(out, r, columns);
    fputs("\nWindows, means: what the listener finds in the baseline's instructions (an upper bound for writes) and what runs save.\n\n"
          "| IW | sources in the window | text order | results in the window | text order | reads fewer, bow | bow-wr | writes fewer, bow-wr |\n", out);
    rule(out, 1, 7);
    for (int n = BOW_LEAST; n <= BOW_MOST; n++) {
        fprintf(out, "| %d |", n);
        for (int w = 0; w < 2; w++) {
            percent(out, mean_listened(&r->main, n, w));
            percent(out, mean_listened(&r->source, n, w));
        }
        percent(out, bow_mean(r, window_run(r, n), "bow", bow_reads_saved));
        percent(out, bow_mean(r, window_run(r, n), "bow-wr", bow_reads_saved));
        percent(out, bow_mean(r, window_run(r, n), "bow-wr", bow_writes_saved));
        fputc('\n', out);
    }
}

static void classes(FILE *out, const BowResults *r) {
    fputs("\n## Destinations and operands (Figures 3.7, 3.8)\n\nResults by the compiler's bits, and instructions by their different source "
          "registers, % of those executed.\n\n| kernel | 00 | 01 | 10 | 11 | text order: 00 | 01 | 10 | 11 | no source | one | two | three or more |\n", out);
    rule(out, 1, 12);
    for (int k = 0; k < BOW_KERNELS; k++) {
        fprintf(out, "| %s |", bow_kernels[k]);
        for (int s = 0; s < 2; s++)
            for (int n = 0; n < 4; n++) percent(out, bow_bits(bow_cell(s ? &r->source : &r->main, k, "bow-wr"), n));
        for (int n = 0; n < 4; n++) percent(out, bow_sources(bow_cell(&r->main, k, "baseline"), n));
        fputc('\n', out);
    }
}

static void collection(FILE *out, const BowResults *r) {
    const BowRun *m = &r->main;
    const Column columns[] = {
        {"arithmetic: baseline", m, "baseline", bow_alu, 2}, {"bow-nofwd", m, "bow-nofwd", bow_alu, 2}, {"bow", m, "bow", bow_alu, 2},
        {"bow-wr", m, "bow-wr", bow_alu, 2},                 {"bow-wr-half", m, "bow-wr-half", bow_alu, 2},
        {"memory: baseline", m, "baseline", bow_ldst, 2},    {"bow-nofwd", m, "bow-nofwd", bow_ldst, 2}, {"bow", m, "bow", bow_ldst, 2},
        {"bow-wr", m, "bow-wr", bow_ldst, 2},                {"arithmetic, bow-wr: less, %", m, "bow-wr", bow_alu_fall, 1},
        {"text order, %", &r->source, "bow-wr", bow_alu_fall, 1},
        {"of issue to last write, %: baseline", m, "baseline", bow_alu_share, 1}, {"bow-wr", m, "bow-wr", bow_alu_share, 1},
        {"memory, baseline", m, "baseline", bow_ldst_share, 1}};
    fputs("\n## Time in operand collection (Figures 3.4, 3.12)\n\nCycles from entering a collector to dispatch, each; waiting for a unit is in it, for "
          "memory instructions also for the address\npipe. Figure 3.4 has the share of these cycles in those from issue to the last write.\n", out);
    TABLE(out, r, columns);
}

static void ipc(FILE *out, const BowResults *r) {
    static const char *const archs[] = {"bow-nofwd", "bow", "bow-wb", "bow-wr", "bow-wr-half", "rfc", "rfc:rfv"};
    enum { N = sizeof archs / sizeof *archs };
    Column columns[N + 3];
    columns[0] = (Column){"baseline, IPC", &r->main, "baseline", bow_ipc, 3};
    for (int i = 0; i < N; i++) columns[1 + i] = (Column){archs[i], &r->main, archs[i], bow_ipc_gain, 1};
    columns[N + 1] = (Column){"text order: bow", &r->source, "bow", bow_ipc_gain, 1};
    columns[N + 2] = (Column){"bow-wr", &r->source, "bow-wr", bow_ipc_gain, 1};
    fprintf(out, "\n## IPC (Figures 3.10, 3.11)\n\nGain over the baseline, %%, window %d; the mean is harmonic. Of size %s.\n", r->window, r->options->size);
    TABLE(out, r, columns);
    fputs("\nWindows, means: IPC and cycles in collection (Figure 3.12).\n\n| IW | IPC, bow-nofwd | bow | bow-wr | arithmetic in collection less, bow-nofwd | bow | bow-wr |\n",
          out);
    rule(out, 1, 6);
    for (int n = BOW_LEAST; n <= BOW_MOST; n++) {
        fprintf(out, "| %d |", n);
        for (int w = 0; w < 2; w++) {
            BowMeasure *m = w ? bow_alu_fall : bow_ipc_gain;
            percent(out, bow_mean(r, window_run(r, n), "bow-nofwd", m));
            percent(out, bow_mean(r, window_run(r, n), "bow", m));
            percent(out, bow_mean(r, window_run(r, n), "bow-wr", m));
        }
        fputc('\n', out);
    }
}

// What the schedulers' cycles of the baseline are spent on.
static void schedulers(FILE *out, const BowResults *r) {
    static const CounterId ids[] = {CTR_ISSUED, CTR_STALL_RAW_LONG, CTR_STALL_RAW_SHORT, CTR_STALL_MEMORY, CTR_STALL_LDST, CTR_STALL_SFU,
                                    CTR_STALL_SP, CTR_STALL_IBUFFER, CTR_STALL_BARRIER, CTR_STALL_NONE_LEFT};
    enum { N = sizeof ids / sizeof *ids };
    fputs("\n### Where the schedulers' cycles go\n\nOf the baseline, %; bank use: accesses per bank and cycle, %.\n\n| kernel |", out);
    for (int i = 0; i < N; i++) fprintf(out, " %s |", counter_info[ids[i]].name);
    fputs(" bank use |\n", out);
    rule(out, 1, N + 1);
    for (int k = 0; k < BOW_KERNELS; k++) {
        const Counters *c = bow_cell(&r->main, k, "baseline");
        fprintf(out, "| %s |", bow_kernels[k]);
        for (int i = 0; i < N; i++) percent(out, bow_scheduler(r, c, ids[i]));
        percent(out, bow_bank_use(r, c, c));
        fputc('\n', out);
    }
}

static void varied(FILE *out, const BowResults *r) {
    fputs("\n### One thing changed\n\nMeans against the baseline of the same machine, %.\n\n| what | IPC, bow-nofwd | bow | bow-wr | reads fewer, bow "
          "| writes fewer, bow-wr | arithmetic in collection less, bow-nofwd | bow | bow-wr | baseline: cycles in collection |\n", out);
    rule(out, 1, 9);
    const BowRun *const first[4] = {&r->main, &r->source, &r->narrow, &r->both};
    for (int i = -4; i < BOW_VARIED; i++) {
        const BowRun *run = i < 0 ? first[i + 4] : &r->varied[i];
        fprintf(out, "| %s%s%s%s |", run->label, i < 0 ? "" : " (`", i < 0 ? "" : run->sets, i < 0 ? "" : "`)");
        percent(out, bow_mean(r, run, "bow-nofwd", bow_ipc_gain));
        percent(out, bow_mean(r, run, "bow", bow_ipc_gain));
        percent(out, bow_mean(r, run, "bow-wr", bow_ipc_gain));
        percent(out, bow_mean(r, run, "bow", bow_reads_saved));
        percent(out, bow_mean(r, run, "bow-wr", bow_writes_saved));
        percent(out, bow_mean(r, run, "bow-nofwd", bow_alu_fall));
        percent(out, bow_mean(r, run, "bow", bow_alu_fall));
        percent(out, bow_mean(r, run, "bow-wr", bow_alu_fall));
        number(out, bow_mean(r, run, "baseline", bow_alu), 2);
        fputc('\n', out);
    }
    double less[BOW_PAPER];
    for (int k = 0; k < BOW_PAPER; k++) less[k] = bow_ipc_gain(r, bow_cell(&r->collectors, k, "baseline"), bow_cell(&r->main, k, "baseline"));
    fprintf(out, "\nThe baseline with `%s` instead of %d: IPC %+.1f %%.\n", r->collectors.sets, r->warps, bow_gain_mean(less));
}

static void occupancy(FILE *out, const BowResults *r) {
    const BowRun *m = &r->main;
    const Column columns[] = {
        {"bow-wb: mean", m, "bow-wb", bow_rows_mean, 2},   {"most", m, "bow-wb", bow_rows_most, 0},   {"more than half, %", m, "bow-wb", bow_fuller, 1},
        {"held for a save", m, "bow-wb", bow_held_rows, 2}, {"bow-wr: mean", m, "bow-wr", bow_rows_mean, 2}, {"most", m, "bow-wr", bow_rows_most, 0},
        {"more than half, %", m, "bow-wr", bow_fuller, 1}, {"reserved", m, "bow-wr", bow_reserved, 2}, {"held for a save", m, "bow-wr", bow_held_rows, 2},
        {"text order: bow-wb, more than half, %", &r->source, "bow-wb", bow_fuller, 1}, {"bow-wr", &r->source, "bow-wr", bow_fuller, 1}};
    fprintf(out, "\n## Rows of the windows (Figure 3.9)\n\nRegisters of the window that have a row or had one until another took it, per collector and cycle of a warp that is "
                 "resident and has\nissued; there are %d rows. Reserved rows,\nwhich wait for a result, and rows that have left the window and wait to be saved come on top.\n", 4 * r->window);
    TABLE(out, r, columns);
}

static void energy(FILE *out, const BowResults *r) {
    const BowRun *m = &r->main;
    const Column columns[] = {
        {"dynamic less: bow", m, "bow", bow_dynamic_fall, 1}, {"bow-wb", m, "bow-wb", bow_dynamic_fall, 1}, {"bow-wr", m, "bow-wr", bow_dynamic_fall, 1},
        {"bow-wr-half", m, "bow-wr-half", bow_dynamic_fall, 1}, {"added: bow", m, "bow", bow_dynamic_added, 2}, {"bow-wr", m, "bow-wr", bow_dynamic_added, 2},
        {"text order: bow", &r->source, "bow", bow_dynamic_fall, 1}, {"bow-wr", &r->source, "bow-wr", bow_dynamic_fall, 1}};
    fputs("\n## Energy of the register file (Figure 3.13)\n\nPer cent of the baseline's, with the paper's constants (`csrc/report/energy.def`): 185.26 pJ per "
          "bank access, 2.72 pJ per row access,\n2.5 pJ of network per access of the baseline. Added is in what is less.\n", out);
    TABLE(out, r, columns);
    fprintf(out, "\nLeakage: %d collectors x 1.11 mW on 1.7475 mW per KB, %+.1f %% of the register file's power in every architecture with bypassing "
                 "collectors; the\nhalf-size ones are charged as whole ones, since the paper gives one constant. The paper gives no leakage energy.\n",
            r->warps, bow_mean(r, m, "bow", bow_leakage_added));
}

static void cache(FILE *out, const BowResults *r) {
    const BowRun *m = &r->main;
    const Column columns[] = {
        {"operands from the cache", m, "rfc", bow_cached, 1}, {"reads of the banks fewer", m, "rfc", bow_reads_saved, 1}, {"writes fewer", m, "rfc", bow_writes_saved, 1},
        {"of values stored, written back", m, "rfc", bow_written_back, 1}, {"rfc:rfv: reads fewer", m, "rfc:rfv", bow_reads_saved, 1},
        {"writes fewer", m, "rfc:rfv", bow_writes_saved, 1}, {"of values stored, dead", m, "rfc:rfv", bow_cache_dead, 1},
        {"beside it: bow-wr, reads fewer", m, "bow-wr", bow_reads_saved, 1}, {"writes fewer", m, "bow-wr", bow_writes_saved, 1}};
    fputs("\n## Register file cache\n\n6 registers per warp, per cent. `rfc:rfv` knows what is dead. No energy: the paper has no constant for the cache.\n", out);
    TABLE(out, r, columns);
}

// ---- storage and area ----

static void storage(FILE *out, const BowResults *r) {
    const int kb = r->banks * r->entries / 8;
    const double base = 3 * 128.0 * r->warps / 1024;
    fprintf(out, "\n## Storage and area\n\nRows of 128 bytes for %d warps, beside collectors of 3 operands (%.0f KB), of a register file of %d KB. The paper: +36 KB, 14 %%; half size "
                 "+12 KB, 4 %%.\n\n| IW | rows | full size, KB | added | %% | half size, KB | added | %% |\n", r->warps, base, kb);
    rule(out, 1, 7);
    for (int n = BOW_LEAST; n <= BOW_MOST; n++) {
        fprintf(out, "| %d | %d |", n, 4 * n);
        for (int half = 0; half < 2; half++) {
            const double all = (half ? 2 : 4) * n * 128.0 * r->warps / 1024;
            number(out, all, 0);
            number(out, all - base, 0);
            percent(out, 100 * (all - base) / kb);
        }
        fputc('\n', out);
    }
    fprintf(out, "\nRegister file cache: 6 x 128 bytes x %d = %.0f KB on top of the collectors.\n", r->warps, 6 * 128.0 * r->warps / 1024);
}

// Rows of the table that `smcosim synth --overheads` prints.
static void counted(FILE *out, const char *path) {
    char line[512], what[64], paper[24], ours[24];
    FILE *in = fopen(path, "r");
    int rows = 0, why;
    if (!in) repro_die(REPRO_USAGE, "%s: %s", path, strerror(errno));
    fputs("\nRegisters and memories of our RTL, bits (`smcosim synth --overheads`):\n\n| structure | paper | ours | why |\n|---|--:|--:|---|\n", out);
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "BOW %36c %23s %23s %*s %n", what, paper, ours, &why) != 3) continue;
        size_t end = 36;
        while (end && what[end - 1] == ' ') end--;
        line[strcspn(line, "\n")] = '\0';
        fprintf(out, "| %.*s | %s | %s | %s |\n", (int)end, what, strcmp(paper, "0") ? paper : "-", ours, line + why);
        rows++;
    }
    fclose(in);
    if (!rows) repro_die(REPRO_USAGE, "%s: no rows of BOW", path);
}

static json_t *load(const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root) repro_die(REPRO_USAGE, "%s:%d: %s", path, error.line, error.text);
    return root;
}

static double real(json_t *object, const char *name) {
    json_t *v = json_object_get(object, name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static void swept(FILE *out, const char *path) {
    json_t *root = load(path), *row, *library = repro_member(root, "library");
    size_t i;
    fprintf(out, "\nWindows, synthesised (`%s`, library %s) and run:\n\n| point | cells | flip-flops | cell area, um2 | rows, bits | rows, um2 | Fmax, MHz "
                 "| cycles | IPC |\n", json_string_value(repro_member(root, "command")), json_string_value(repro_member(library, "name")));
    rule(out, 1, 8);
    json_array_foreach(repro_member(root, "results"), i, row) {
        json_t *kernel = json_object_get(row, "kernel");
        fprintf(out, "| %s |", json_string_value(repro_member(row, "point")));
        number(out, real(row, "cells"), 0);
        number(out, real(row, "flip_flops"), 0);
        number(out, real(row, "area"), 0);
        number(out, real(row, "sram_bits"), 0);
        number(out, real(row, "area_macros"), 0);
        number(out, real(row, "fmax_mhz"), 1);
        number(out, real(kernel, "cycles"), 0);
        number(out, real(kernel, "ipc"), 3);
        fputc('\n', out);
    }
    json_decref(root);
}

// ---- registers without a home ----

static void fit_cells(FILE *out, const BowFit *f, const BowFit *whole, int kbytes) {
    fprintf(out, " %d | %d | %d, %s |", f->regs, kbytes * 8 / f->regs, f->warps, f->limit);
    percent(out, 100 * ((double)whole->counters.v[CTR_CYCLES] / (double)f->counters.v[CTR_CYCLES] - 1));
}

static void homes(FILE *out, const BowResults *r) {
    fprintf(out, "\n## Registers without a home\n\nWith write bits a value that never leaves its collector needs no register in the file. Registers: those with a home; the compiler knows the "
                 "size of\nthe file. Size %s; of several kernels of a launch file the one that takes most cycles. Allow: warps for which the file has\nregisters. Warps: resident, and by what limited. Time: the\nbaseline's with the whole file to it, "
                 "less 1, %%; `bow` has the baseline's registers, so what `bow-wr` gains over it is due to writes and\nhomes.\n\n| kernel | file, KB | registers, baseline | allow | warps | time | bow | allow | warps | time "
                 "| bow-wr | allow | warps | time |\n", r->options->fit_size);
    rule(out, 1, 13);
    for (int k = 0; k < BOW_FITS; k++)
        for (int i = 0; i < BOW_SIZES; i++) {
            const BowSize *s = &r->sizes[i];
            fprintf(out, "| %s | %d |", i ? "" : bow_fits[k], s->kbytes);
            fit_cells(out, &s->baseline[k], &r->sizes[0].baseline[k], s->kbytes);
            fit_cells(out, &s->bow[k], &r->sizes[0].baseline[k], s->kbytes);
            fit_cells(out, &s->bow_wr[k], &r->sizes[0].baseline[k], s->kbytes);
            fputc('\n', out);
        }
    fputs("\n| file, KB | registers, baseline: mean | bow-wr | warps, baseline: mean | bow | bow-wr | time, baseline: mean | bow | bow-wr |\n", out);
    rule(out, 1, 8);
    for (int i = 0; i < BOW_SIZES; i++) {
        const BowSize *s = &r->sizes[i];
        const BowFit *const fits[3] = {s->baseline, s->bow, s->bow_wr};
        double regs[3] = {0}, warps[3] = {0}, slow[3] = {0};
        for (int a = 0; a < 3; a++)
            for (int k = 0; k < BOW_FITS; k++) {
                regs[a] += (double)fits[a][k].regs / BOW_FITS;
                warps[a] += (double)fits[a][k].warps / BOW_FITS;
                slow[a] += (double)fits[a][k].counters.v[CTR_CYCLES] / (double)r->sizes[0].baseline[k].counters.v[CTR_CYCLES] / BOW_FITS;
            }
        fprintf(out, "| %d |", s->kbytes);
        percent(out, regs[0]);
        percent(out, regs[2]);
        for (int a = 0; a < 3; a++) percent(out, warps[a]);
        for (int a = 0; a < 3; a++) percent(out, 100 * (1 / slow[a] - 1));
        fputc('\n', out);
    }
}

// ---- kernels of another size ----

// Of one kernel or, for BOW_FITS, the mean of all.
static void large_cells(FILE *out, const BowResults *r, const BowFit *const fits[3], int kernel) {
    static const struct { int arch; BowMeasure *measure; } columns[] = {
        {1, bow_ipc_gain},     {2, bow_ipc_gain}, {1, bow_reads_saved}, {2, bow_reads_saved},
        {2, bow_writes_saved}, {1, bow_alu_fall}, {2, bow_alu_fall}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double values[BOW_FITS], sum = 0;
        for (int k = 0; k < BOW_FITS; k++) {
            values[k] = columns[i].measure(r, &fits[columns[i].arch][k].counters, &fits[0][k].counters);
            sum += columns[i].measure == bow_ipc_gain ? 1 / (1 + values[k] / 100) : values[k];
        }
        const double mean = columns[i].measure == bow_ipc_gain ? 100 * (BOW_FITS / sum - 1) : sum / BOW_FITS;
        percent(out, kernel < BOW_FITS ? values[kernel] : mean);
    }
}

// The same kernels of the document's size.
static void pick(const BowRun *run, BowFit fits[3][BOW_FITS]) {
    static const char *const archs[] = {"baseline", "bow", "bow-wr"};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < BOW_FITS; k++) {
            int at = 0;
            while (strcmp(bow_kernels[at], bow_fits[k]) != 0) at++;
            fits[a][k].counters = *bow_cell(run, at, archs[a]);
        }
}

static void large(FILE *out, const BowResults *r) {
    static BowFit small[2][3][BOW_FITS];
    const BowSize *const sizes[2] = {&r->large[0], &r->large[1]};
    pick(&r->main, small[0]);
    pick(&r->source, small[1]);
    fprintf(out,
            "\n## Kernels of size %s\n\nEight kernels with the whole register file, per cent against the baseline. The last row has the same "
            "kernels of size\n%s. Means of IPC are harmonic. Less: time of arithmetic instructions in collection.\n\n"
            "| kernel | cycles, baseline | IPC, baseline |",
            r->options->large_size, r->options->size);
    for (int i = 0; i < 2; i++)
        fprintf(out, " %sIPC: bow | bow-wr | reads fewer: bow | bow-wr | writes fewer: bow-wr | in collection less: bow | bow-wr |",
                i ? "text order: " : "");
    fputc('\n', out);
    rule(out, 1, 16);
    for (int k = 0; k <= BOW_FITS + 1; k++) {
        if (k < BOW_FITS) {
            const Counters *c = &sizes[0]->baseline[k].counters;
            fprintf(out, "| %s | %llu |", bow_fits[k], (unsigned long long)c->v[CTR_CYCLES]);
            number(out, bow_ipc(r, c, c), 3);
        } else if (k == BOW_FITS) fputs("| mean of the eight | - | - |", out);
        else fprintf(out, "| the same, size %s | - | - |", r->options->size);
        for (int i = 0; i < 2; i++)
            large_cells(out, r, k <= BOW_FITS ? (const BowFit *const[]){sizes[i]->baseline, sizes[i]->bow, sizes[i]->bow_wr}
                                              : (const BowFit *const[]){small[i][0], small[i][1], small[i][2]}, k);
        fputc('\n', out);
    }
}

// ---- the document ----

void bow_write(FILE *out, const BowResults *r) {
    const BowOptions *o = r->options;
    fprintf(out,
            "# BOW and the register file cache: our figures beside the thesis'\n\n"
            "Written by `smcosim repro bow`; the findings at the end are written by hand (`bow.findings.md`). Source of the paper's\n"
            "figures: H. Asghari Esfeden, thesis, chapter 3. Ours: kernels of `bench/kernels` as nvcc compiled them, size %s, machine\n"
            "`%s` (register file %d KB in %d banks, %d warps, %d schedulers), golden models, every run with its results checked. Means are "
            "arithmetic over the\nfifteen kernels of the paper's kinds, of IPC harmonic; kernels below the mean are not in it.\n",
            o->size, o->machine, r->banks * r->entries / 8, r->banks, r->warps, r->schedulers);
    summary(out, r);
    reads_and_writes(out, r);
    classes(out, r);
    collection(out, r);
    ipc(out, r);
    schedulers(out, r);
    varied(out, r);
    occupancy(out, r);
    energy(out, r);
    cache(out, r);
    storage(out, r);
    if (o->storage) counted(out, o->storage);
    if (o->sweep) swept(out, o->sweep);
    large(out, r);
    homes(out, r);
    repro_include(out, o->findings);
}

// ---- drawings ----

// A drawing for each figure and measure; a series for each architecture.
void bow_draw(const BowResults *r) {
    for (int i = 0; i < ndrawn; i++) {
        ReproDrawing d;
        int part = 0;
        for (int k = 0; k < i; k++) {
            if (drawn[k].measure == drawn[i].measure) part = -1; // drawn with the first of its measure
            if (part >= 0 && !strcmp(drawn[k].figure, drawn[i].figure)) part++;
        }
        if (part < 0) continue;
        repro_drawing(&d, repro_text(part ? "%s %d" : "%s", drawn[i].figure, part + 1), drawn[i].what, "the fifteen kernels of the paper's kinds", BOW_PAPER,
                      bow_kernels);
        for (int k = i; k < ndrawn; k++) {
            const struct Row *row = &drawn[k];
            if (row->measure != drawn[i].measure) continue;
            double *values = repro_series(&d, row->arch, row->arch);
            for (int n = 0; n < BOW_PAPER; n++) values[n] = row->measure(r, bow_cell(&r->main, n, row->arch), bow_cell(&r->main, n, "baseline"));
            repro_mean(&d, 0, bow_mean(r, &r->main, row->arch, row->measure), row->paper);
        }
        repro_draw(&d, r->options->figures);
    }
}
