// SPDX-License-Identifier: Apache-2.0
// The table and the text of a failure.
#include "verify/verify_report.h"

#include "base/hash.h"
#include "verify/cover.h"

#include <stdlib.h>
#include <string.h>

const char *verify_word(const VerifyResult *r) { return r->word ? r->word : exit_word(r->status); }

// The status of the first result that did not pass. If all shapes are skipped, nothing was
// verified.
static const VerifyResult *deciding_result(const VerifyReport *r) {
    const VerifyResult *passed = NULL;
    for (int i = 0; i < r->nresults; i++) {
        if (r->results[i].status != EXIT_PASS) return &r->results[i];
        if (!r->results[i].word) passed = &r->results[i];
    }
    return passed;
}

ExitStatus verify_verdict(const VerifyReport *r) {
    const VerifyResult *b = deciding_result(r);
    return b ? b->status : r->nresults ? EXIT_VACUOUS : EXIT_PASS;
}

const char *verify_verdict_word(const VerifyReport *r) {
    const VerifyResult *b = deciding_result(r);
    return b ? verify_word(b) : exit_word(verify_verdict(r));
}

const MachineConfig *verify_config(const VerifyReport *r, int block) {
    return r->results[block].cfg ? r->results[block].cfg : r->cfg;
}

uint64_t verify_config_hash(const VerifyReport *r, int block) {
    const VerifyResult *b = &r->results[block];
    return hash_bytes(config_hash(verify_config(r, block)), b->params,
                      sizeof *b->params * (size_t)b->desc->nparams);
}

char *verify_label(Arena *arena, const VerifyResult *r) {
    if (!r->why || !*r->why) return arena_printf(arena, "%s", r->desc->name);
    return arena_printf(arena, "%s[%s]", r->desc->name, r->shape);
}

char *verify_reproduce(Arena *arena, const VerifyReport *r, int block, const VerifyFailure *f) {
    return arena_printf(arena, "%s --seed %llu --transactions %llu", r->reproduce[block],
                        (unsigned long long)f->seed, (unsigned long long)f->transactions);
}

static void print_buckets(FILE *f, const VerifyResult *b) {
    fprintf(f, "%d of %d chunks fail; by first divergent port:\n", b->nfailures, b->chunks_run);
    for (int i = 0; i < b->nbuckets; i++) {
        const VerifyBucket *k = &b->buckets[i];
        const Mismatch *m = &k->first->mismatch;
        fprintf(f, "  %-20s %4d   first: seed %llu, cycle %llu", k->port, k->count,
                (unsigned long long)k->first->seed, (unsigned long long)m->cycle);
        if (m->element >= 0) fprintf(f, ", element %d", m->element);
        else if (!strcmp(m->port, "state")) fprintf(f, ", address 0x%x", m->obs_addr);
        fputc('\n', f);
    }
}

static void print_failure(FILE *f, Arena *arena, const VerifyReport *r, int block) {
    const VerifyResult *b = &r->results[block];
    const VerifyFailure *first = &b->failures[0];
    verify_explain(f, b->desc, b->params, &first->mismatch, first->rule);
    fprintf(f, "  seed %llu, ", (unsigned long long)first->seed);
    if (first->long_cycles)
        fprintf(f, "long chunk of %llu cycles\n", (unsigned long long)first->long_cycles);
    else fprintf(f, "chunk of %llu transactions\n", (unsigned long long)first->transactions);
    if (first->start_seed)
        fprintf(f, "  start values: random, seed %llu\n", (unsigned long long)first->start_seed);
    if (b->nfailures > 1) print_buckets(f, b);
    fprintf(f, "parameters:");
    for (int p = 0; p < b->desc->nparams; p++)
        fprintf(f, " %s=%d", b->desc->params[p].name, b->params[p]);
    fprintf(f,
            "\nmachine: %s, configuration hash %016llx\nRTL: %s\ntools: smcosim %s; %s\nreproduce: "
            "%s\n",
            verify_config(r, block)->machine ? verify_config(r, block)->machine : "(none)",
            (unsigned long long)verify_config_hash(r, block), b->variant, r->version, b->toolchain,
            verify_reproduce(arena, r, block, first));
}

char *verify_failure_text(Arena *arena, const VerifyReport *r, int block) {
    const VerifyResult *b = &r->results[block];
    if (b->status == EXIT_PASS) return arena_printf(arena, "%s", "");
    if (!b->nfailures) return arena_printf(arena, "%s", b->message);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    panic_if(!f, "out of memory");
    print_failure(f, arena, r, block);
    fclose(f);
    while (size && text[size - 1] == '\n') text[--size] = '\0';
    char *copy = arena_strndup(arena, text, size);
    free(text);
    return copy;
}

// ---- table --------------------------------------------------------------------------------------

void verify_table_head(FILE *out, const VerifyReport *r, bool code) {
    fprintf(out, "%-18s %-*s %10s %12s %12s %9s %9s", "block", r->shape_width, "shape", "cycles",
            "transactions", "compared", "kcycle/s", "bins");
    if (code) fprintf(out, " %7s %8s %7s", "lines", "branches", "toggles");
    fprintf(out, "  verdict\n");
}

static void print_percent(FILE *out, int width, int hit, int all) {
    // Rounded down: 100.0 means all.
    if (all) fprintf(out, " %*.1f%%", width - 1, (double)(1000ll * hit / all) / 10);
    else fprintf(out, " %*s", width, "-");
}

// Prints each group once, even if its bins are not adjacent in the list.
static void print_groups(FILE *out, const VerifyResult *b, bool all) {
    for (int i = 0; i < b->nbins; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++)
            first = strcmp(b->bins[k].group, b->bins[i].group) != 0;
        if (!first) continue;
        int n = 0, hit = 0;
        for (int k = i; k < b->nbins; k++)
            if (!strcmp(b->bins[k].group, b->bins[i].group)) n++, hit += b->hits[k] > 0;
        if (all)
            fprintf(out, "    %-24s %4d of %4d  %5.1f %%\n", b->bins[i].group, hit, n,
                    100.0 * hit / n);
    }
    int printed = 0;
    for (int i = 0; i < b->nbins; i++) {
        if (b->hits[i] || (b->waivers && b->waivers[i])) continue;
        if (printed++ == 50) {
            fprintf(out, "    (and %d more)\n", b->missing - 50);
            break;
        }
        fprintf(out, "    missing: %s, %s\n", b->bins[i].group, b->bins[i].name);
    }
    if (all && b->long_chunks)
        fprintf(out, "    %d of %d chunks %s a long one: %llu cycles without a reset\n",
                b->long_chunks, b->chunks_run, b->long_chunks == 1 ? "is" : "are each",
                (unsigned long long)b->long_cycles);
    if (b->missing && !b->bins_percent)
        fprintf(out, "    (not enforced: %llu transactions are less than the default)\n",
                (unsigned long long)b->transactions);
}

static void print_code(FILE *out, const VerifyCode *code) {
    static const char *const kinds[] = {"line", "branch", "toggle"};
    int printed = 0;
    for (int i = 0; i < code->npoints; i++) {
        const CodePoint *p = &code->points[i];
        if (code_hit(p) || p->waived) continue;
        if (printed++ == 40) {
            fprintf(out, "    (more: --json, or the files in the folder of --cover)\n");
            break;
        }
        if (p->kind == CODE_TOGGLE)
            fprintf(out, "    no %s: %s[%d]\n", kinds[p->kind], p->what, p->bit);
        else fprintf(out, "    no %s: %s:%d %s\n", kinds[p->kind], p->file, p->line, p->what);
    }
}

void verify_table_row(FILE *out, const VerifyReport *r, int block, bool groups, bool color) {
    const VerifyResult *b = &r->results[block];
    const char *paint = !color ? "" : b->status == EXIT_PASS ? "\033[32m" : "\033[31m";
    const int wanted = b->nbins - b->waived;
    fprintf(out, "%-18s %-*s %10llu %12llu %12llu %9.0f %4d/%-4d", b->desc->name, r->shape_width,
            b->shape ? b->shape : "", (unsigned long long)b->cycles, (unsigned long long)b->driven,
            (unsigned long long)b->compared,
            b->seconds > 0 ? (double)b->cycles / b->seconds / 1000 : 0, wanted - b->missing,
            wanted);
    static const int widths[CODE_KINDS] = {7, 8, 7};
    for (int k = 0; b->code && k < CODE_KINDS; k++)
        print_percent(out, widths[k], b->code->kinds[k].hit, b->code->kinds[k].all);
    fprintf(out, "  %s%s%s\n", paint, verify_word(b), color ? "\033[0m" : "");
    if (b->chunks_run && !b->nfailures) print_groups(out, b, groups);
    if (b->code) print_code(out, b->code);
}
