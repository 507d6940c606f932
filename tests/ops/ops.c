// SPDX-License-Identifier: Apache-2.0
// ops oracle|sm|pack FILE|gpu FILE|kept FILE [--list] [--only TEXT] [--fault] [--keep FILE]: runs
// every case of the opcode table as a kernel. It runs on the PTX oracle or compiled on the SM with
// the register file blocks as golden models, and is compared with the reference.
// pack: writes them as jobs for a GPU (tests/gpu). gpu: compares the GPU's results with the
// oracle's; --keep writes the file that kept compares the oracle's with.
// --fault: one bit of one result per case is flipped first; every case must then be reported.
#include "bench.h"
#include "cases.h"
#include "seen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { THREADS = 512, SLOT = 32, MAX_FAILURES = 200 };

// A case in one of its forms.
typedef enum Form { FORM_PLAIN, FORM_IMMEDIATE } Form;

typedef struct Ops {
    Bench bench;
    bool fault;
    int number;  // of the case
    uint64_t operands[THREADS][CASE_INPUTS];
    int checked, failed;
    Seen *seen;  // of the case, where results are compared with a GPU's
    SeenKept *kept;
} Ops;

Case *case_add(CaseList *l, const Case *c, const char *format, ...) {
    char name[160];
    va_list ap;
    va_start(ap, format);
    vsnprintf(name, sizeof name, format, ap);
    va_end(ap);
    Case *n = ARENA_PUSH(&l->arena, l->cases, l->ncases, l->cap_cases);
    *n = *c;
    n->name = arena_strndup(&l->arena, name, strlen(name));
    n->nin = n->nout = 0;
    while (n->nin < CASE_INPUTS && n->in[n->nin]) n->nin++;
    while (n->nout < CASE_OUTPUTS && n->out[n->nout]) n->nout++;
    return n;
}

const char *case_text(CaseList *l, const char *format, ...) {
    char text[16384];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    panic_if(n < 0 || (size_t)n >= sizeof text, "the text of a case is too long");
    return arena_strndup(&l->arena, text, (size_t)n);
}

// ---- operands ----

static uint64_t hash(const char *s) {
    uint64_t h = 1469598103934665603ull;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 1099511628211ull;
    return h;
}

static uint64_t draw(const Case *c, int k, int i, uint64_t *state) {
    PtxType t = c->in[k];
    const uint64_t *edges;
    int n = ref_edges(t, &edges);
    uint64_t r = ref_random(state);
    switch (c->draw[k]) {
    case DRAW_AMOUNT: return ref_low(t, r % 8 ? (r >> 8) % 73 : edges[(r >> 8) % (uint64_t)n]);
    case DRAW_FEW: {
        static const uint64_t few[] = {
            0, 1, 2, 0x80000000, 0xffffffffffffffff, 0x100000001, 0x8000000000000000};
        return ref_low(t, r % 5 ? few[(r >> 8) % 7] : r);
    }
    case DRAW_BITS: return ref_low(t, r);
    case DRAW_CONSTANT: return c->constant[k];
    case DRAW_RARE: return r % 150 != 0;
    case DRAW_VALUE: break;
    }
    // The first operand walks over all edge values, the others meet it at random; half are random
    // values.
    if (k == 0 && i < n) return ref_low(t, edges[i]);
    return i % 2 ? ref_value(t, state) : ref_low(t, edges[r % (uint64_t)n]);
}

static void draw_operands(Ops *b, const Case *c) {
    uint64_t state = hash(c->name) | 1;
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < CASE_INPUTS; k++)
            b->operands[i][k] = k < c->nin ? draw(c, k, i, &state) : ref_random(&state);
}

// ---- kernel text ----

typedef struct Text {
    char buf[16384];
    size_t used;
} Text;

static void put(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->buf + t->used, sizeof t->buf - t->used, format, ap);
    va_end(ap);
    panic_if(n < 0 || t->used + (size_t)n >= sizeof t->buf, "the text of a kernel is too long");
    t->used += (size_t)n;
}

static const char *const inputs[] = {"%a", "%b", "%c", "%e"};
static const char *const outputs[] = {"%d", "%q", "%r", "%s"};

static PtxType bit_type(PtxType t) {
    static const PtxType by_bytes[9] = {[1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    return by_bytes[ptx_type_bytes(t)];
}

static const char *register_type(PtxType t) {
    return t == PTX_F32 || t == PTX_F64 ? ptx_type_name(t) : ptx_type_name(bit_type(t));
}

static void put_literal(Text *t, PtxType type, uint64_t v) {
    if (type == PTX_F32) put(t, "0f%08" PRIX32, (uint32_t)v);
    else if (type == PTX_F64) put(t, "0d%016" PRIX64, v);
    else if (ptx_type_is_signed(type)) put(t, "%" PRId64, (int64_t)ref_ext(type, v));
    else put(t, "%" PRIu64, ref_low(type, v));
}

// `text` with every %b replaced by the literal (NULL: as it is).
static void put_body(Text *t, const char *text, const Case *c, const uint64_t *literal) {
    for (const char *s = text; *s; s++) {
        bool is_b =
            s[0] == '%' && s[1] == 'b' && !strchr("abcdefghijklmnopqrstuvwxyz0123456789_", s[2]);
        if (literal && is_b) {
            put_literal(t, c->in[1], *literal);
            s++;
        } else {
            put(t, "%c", *s);
        }
    }
}

// A case without a body is also run for odd threads only (%q keeps a pattern elsewhere) and with
// its destination in the place of operand a (%r).
static bool in_place(const Case *c) {
    return !c->body && bit_type(c->in[0]) == bit_type(c->out[0]) &&
        !strcmp(register_type(c->in[0]), register_type(c->out[0]));
}
#define PATTERN 0x5aa5a55a69960ff0ull

static void put_instruction(Text *t, const Case *c, const char *guard, const char *dst,
                            const char *first, const uint64_t *literal) {
    put(t, "%s%s %s, %s", guard, c->name, dst, first);
    for (int k = 1; k < c->nin; k++) {
        put(t, ", ");
        if (literal && k == 1) put_literal(t, c->in[1], *literal);
        else put(t, "%s", inputs[k]);
    }
    put(t, ";\n");
}

static int output_count(const Case *c) { return c->body ? c->nout : in_place(c) ? 3 : 2; }
static PtxType output_type(const Case *c, int k) { return c->body ? c->out[k] : c->out[0]; }

static void write_kernel(Text *t, const Case *c, const uint64_t *literal) {
    t->used = 0;
    put(t, ".version 8.0\n.target sm_90\n.address_size 64\n%s", c->decls ? c->decls : "");
    put(t,
        ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 blob[%d])\n{\n",
        CASE_BLOB);
    put(t, ".reg .b32 %%n, %%l, %%k0, %%k1;\n.reg .b64 %%x, %%w, %%k2;\n.reg .pred %%g;\n");
    for (int k = 0; k < c->nin; k++) put(t, ".reg .%s %s;\n", register_type(c->in[k]), inputs[k]);
    for (int k = 0; k < output_count(c); k++)
        put(t, ".reg .%s %s;\n", register_type(output_type(c, k)), outputs[k]);
    put(t,
        "ld.param.u64 %%x, [pin];\nld.param.u64 %%w, [pout];\nmov.u32 %%l, %%tid.x;\nmov.u32 %%k0, "
        "%%ctaid.x;\n"
        "mov.u32 %%k1, %%ntid.x;\nmad.lo.u32 %%n, %%k0, %%k1, %%l;\nmul.wide.u32 %%k2, %%n, %d;\n"
        "add.u64 %%x, %%x, %%k2;\nadd.u64 %%w, %%w, %%k2;\n",
        SLOT);
    for (int k = 0; k < c->nin; k++)
        put(t, "ld.global.%s %s, [%%x+%d];\n", register_type(c->in[k]), inputs[k], 8 * k);
    if (c->body) {
        put_body(t, c->body, c, literal);
        put(t, "\n");
    } else {
        const char *reg = register_type(c->out[0]);
        PtxType bits = bit_type(c->out[0]);
        put(t, "and.b32 %%k1, %%n, 1;\nsetp.ne.u32 %%g, %%k1, 0;\n");
        put_instruction(t, c, "", "%d", "%a", literal);
        put(t, "mov.%s %%q, ", reg);
        put_literal(t, reg[0] == 'f' ? c->out[0] : bits, PATTERN);
        put(t, ";\n");
        put_instruction(t, c, "@%g ", "%q", "%a", literal);
        if (in_place(c)) {
            put(t, "mov.%s %%r, %%a;\n", reg);
            put_instruction(t, c, "", "%r", "%r", literal);
        }
    }
    for (int k = 0; k < output_count(c); k++)
        put(t, "st.global.%s [%%w+%d], %s;\n", register_type(output_type(c, k)), 8 * k, outputs[k]);
    put(t, "ret;\n}\n");
}

// ---- comparing ----

static bool right(const Case *c, const uint64_t (*in)[CASE_INPUTS], int i,
                  const uint64_t got[CASE_OUTPUTS], uint64_t want[CASE_OUTPUTS]) {
    memset(want, 0, sizeof(uint64_t) * CASE_OUTPUTS);
    uint64_t low[CASE_OUTPUTS];
    for (int k = 0; k < c->nout; k++) low[k] = ref_low(c->out[k], got[k]);
    if (c->check) return c->check(c, in[i], low);
    c->ref(c, in, i, want);
    for (int k = 0; k < c->nout; k++) {
        want[k] = ref_low(c->out[k], want[k]);
        if (want[k] != low[k]) return false;
    }
    return true;
}

static void report(Ops *b, const Case *c, const char *form, int i, const uint64_t in[CASE_INPUTS],
                   const uint64_t got[CASE_OUTPUTS], const uint64_t want[CASE_OUTPUTS]) {
    if (b->failed++ > MAX_FAILURES || b->fault) return;
    printf("%s (%s), thread %d:", c->name, form, i);
    for (int k = 0; k < c->nin; k++) printf(" %s=0x%" PRIx64, inputs[k], ref_low(c->in[k], in[k]));
    for (int k = 0; k < c->nout; k++) printf(" -> 0x%" PRIx64, ref_low(c->out[k], got[k]));
    if (!c->check)
        for (int k = 0; k < c->nout; k++) printf("%s0x%" PRIx64, k ? ", " : ", expected ", want[k]);
    printf("\n");
}

// --fault: in one output of a thread.
static void flip_a_bit(const Case *c, uint64_t slot[CASE_OUTPUTS]) {
    const bool approximate = c->check && !c->body;
    slot[c->body ? c->nout - 1 : 0] ^=
        approximate ? 1ull << (8 * ptx_type_bytes(c->out[0]) - 2) : 1;
}

// Compares the values that the threads stored; true when all is right.
static bool compare(Ops *b, const Case *c, const uint64_t (*in)[CASE_INPUTS],
                    const uint8_t *results) {
    static const char *const forms[] = {"plain", "predicated", "in place"};
    for (int i = 0; i < THREADS; i++) {
        uint64_t slot[CASE_OUTPUTS], want[CASE_OUTPUTS];
        memcpy(slot, results + i * SLOT, sizeof slot);
        if (b->fault && i == THREADS - 1) flip_a_bit(c, slot);
        if (c->body) {
            if (!right(c, in, i, slot, want)) {
                report(b, c, "plain", i, in[i], slot, want);
                return false;
            }
            continue;
        }
        for (int f = 0; f < output_count(c); f++) {
            bool kept = f == 1 && i % 2 == 0;
            bool ok = kept ? ref_low(c->out[0], slot[1]) == ref_low(c->out[0], PATTERN)
                           : right(c, in, i, &slot[f], want);
            if (ok) continue;
            if (kept) want[0] = ref_low(c->out[0], PATTERN);
            report(b, c, forms[f], i, in[i], &slot[f], want);
            return false;
        }
    }
    return true;
}

// The results of one form for b->seen: ours, and before them those of the GPU.
static bool see_form(Ops *b, const char *text, const uint8_t *results) {
    const PackResults *gpu = b->bench.results;
    Diag d = {0};
    seen_inputs(b->seen, strchr(text, '\n') + 1, (const uint64_t(*)[CASE_INPUTS])b->operands);
    if (gpu) {
        seen_results(b->seen, true, results);
        b->bench.results = NULL;
        const bool ok = bench_run(&b->bench, text, b->operands, sizeof b->operands,
                                  THREADS / CASE_THREADS, &results, &d);
        b->bench.results = gpu;
        if (!ok) return printf("%s: %s\n", b->seen->c->name, d.text), false;
    }
    static uint64_t slots[THREADS][CASE_OUTPUTS];
    memcpy(slots, results, sizeof slots);
    if (b->fault) flip_a_bit(b->seen->c, slots[0]);
    seen_results(b->seen, false, (const uint8_t *)slots);
    seen_form_done(b->seen);
    return true;
}

static bool see_failure(Ops *b, const Diag *d) {
    b->seen->fail = arena_strndup(&b->bench.memory, d->text, strlen(d->text));
    return b->bench.results != NULL;
}

static bool run_form(Ops *b, const Case *c, Form form) {
    static Text text;
    Diag d = {0};
    uint64_t literal = 0;
    draw_operands(b, c);
    if (form == FORM_IMMEDIATE) {
        uint64_t state = hash(c->name) * 3 | 1;
        literal = draw(c, 1, CASE_THREADS * 8 + (int)(state >> 60) * 2, &state);
        for (int i = 0; i < THREADS; i++) b->operands[i][1] = literal;
    }
    write_kernel(&text, c, form == FORM_IMMEDIATE ? &literal : NULL);
    const uint8_t *results;
    char job[256];
    snprintf(job, sizeof job, "%d%s %s", b->number, form == FORM_IMMEDIATE ? "i" : "", c->name);
    b->bench.job = job;
    if (b->bench.pack)
        for (int i = 0; i < THREADS; i++)
            memset(b->operands[i] + c->nin, 0, sizeof b->operands[i] - 8 * (size_t)c->nin);
    bool ok = bench_run(&b->bench, text.buf, b->operands, sizeof b->operands,
                        THREADS / CASE_THREADS, &results, &d);
    b->checked++;
    if (b->bench.pack) return true;
    if (b->seen) return ok ? see_form(b, text.buf, results) : see_failure(b, &d);
    if (!ok && b->failed++ <= MAX_FAILURES) printf("%s: %s\n", c->name, d.text);
    return ok && compare(b, c, (const uint64_t(*)[CASE_INPUTS])b->operands, results);
}

static int count_names(const CaseList *l) {
    int n = 0;
    for (int i = 0; i < l->ncases; i++) {
        bool seen = false;
        for (int k = i - 1; k >= 0 && !seen; k--)
            seen = !strcmp(l->cases[i].name, l->cases[k].name);
        n += !seen;
    }
    return n;
}

static bool run_forms(Ops *b, const Case *c, bool plain_only) {
    const bool takes_literal = c->nin >= 2 && !c->no_immediate && !plain_only;
    return run_form(b, c, FORM_PLAIN) && (!takes_literal || run_form(b, c, FORM_IMMEDIATE));
}

// Beside a GPU's results.
static bool see_case(Ops *b, const Case *c, SeenCounts *n, FILE *keep) {
    PtxType types[CASE_OUTPUTS];
    for (int k = 0; k < output_count(c); k++) types[k] = output_type(c, k);
    seen_begin(b->seen, c, output_count(c), types);
    if (!run_forms(b, c, false)) return false;
    return b->kept ? seen_check(b->seen, b->kept, n) : seen_compare(b->seen, n, keep);
}

static void all_cases(CaseList *l) {
    static void (*const files[])(CaseList *) = {
        cases_int,     cases_bits,   cases_float,   cases_half,    cases_async,
        cases_texture, cases_matrix, cases_surface, cases_compare, cases_cvt,
        cases_memory,  cases_warp,   cases_carry,   cases_small,   cases_video};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) files[i](l);
}

static bool open_files(Ops *b, const char *mode, const char *file, const char *keep_path,
                       FILE **keep, Diag *d) {
    static Seen seen;
    if (!bench_open(&b->bench, !strcmp(mode, "sm"), d)) return false;
    if (!strcmp(mode, "kept")) {
        b->seen = &seen;
        b->kept = seen_load(&b->bench.memory, file, d);
        return b->kept;
    }
    if (!file) return true;
    if (!bench_files(&b->bench, mode, file, d)) return false;
    if (!b->bench.results) return true;
    b->seen = &seen;
    *keep = keep_path ? fopen(keep_path, "w") : NULL;
    if (*keep)
        fprintf(*keep,
                "# What %s gave for the kernels of tests/ops; written by ops gpu --keep, read by "
                "ops kept "
                "(seen.h).\n",
                b->bench.results->device);
    return !keep_path || *keep || diag_fail(d, EXIT_ENVIRONMENT, "cannot write %s", keep_path);
}

// Of so many cases, most must have been compared.
static int end_seen(const Ops *b, const SeenCounts *n, int cases, int wrong) {
    const int compared = n->equal + n->nan + n->bound + n->known + n->different;
    printf("%d cases: %d equal, %d but for NaNs, %d within bound, %d differ as known, %d differ; "
           "%d have not run on the "
           "GPU, %d are not kept\n",
           cases, n->equal, n->nan, n->bound, n->known, n->different, n->missing, n->changed);
    if (!compared || compared < cases - cases / 8) return printf("too few were compared\n"), 1;
    // With a fault: a few approximate results have no bound that the wrong bit would leave.
    return b->fault ? n->equal || n->bound > 8 || !wrong : wrong != 0;
}

int main(int argc, char **argv) {
    static const char *const modes[] = {"oracle", "sm", "pack", "gpu", "kept"};
    CaseList list = {0};
    static Ops b;
    const char *only = NULL, *keep_path = NULL, *mode = argc > 1 ? argv[1] : "", *file = NULL;
    FILE *keep = NULL;
    bool show = false, good = false;
    Diag d = {0};
    int at = 2;
    for (int k = 0; k < 5; k++) {
        if (strcmp(mode, modes[k])) continue;
        good = k < 2 || argc > 2;
        if (k >= 2 && good) file = argv[at++];
    }
    for (int i = at; i < argc; i++) {
        if (!strcmp(argv[i], "--list")) show = true;
        else if (!strcmp(argv[i], "--fault")) b.fault = true;
        else if (!strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
        else if (!strcmp(argv[i], "--keep") && i + 1 < argc) keep_path = argv[++i];
        else good = false;
    }
    if (!good) {
        fprintf(
            stderr,
            "usage: ops oracle|sm|pack FILE|gpu FILE|kept FILE [--list] [--only TEXT] [--fault] "
            "[--keep FILE]\n");
        return 2;
    }
    all_cases(&list);
    if (!open_files(&b, mode, file, keep_path, &keep, &d)) {
        fprintf(stderr, "%s\n", d.text);
        return 1;
    }
    int cases = 0, wrong = 0;
    SeenCounts seen = {0};
    for (int i = 0; i < list.ncases; i++) {
        const Case *c = &list.cases[i];
        b.number = i;
        if (only && !strstr(c->name, only)) continue;
        if (show) printf("%s\n", c->name);
        cases++;
        const bool ok = b.seen ? see_case(&b, c, &seen, keep) : run_forms(&b, c, b.fault);
        wrong += !ok;
        if (!ok && !b.fault && !bench_reopen(&b.bench, &d)) return 1;
    }
    printf("%s: %d cases (%d opcodes with types and modifiers), %d kernels of %d threads, %d cases "
           "wrong\n",
           mode, cases, count_names(&list), b.checked, THREADS, wrong);
    if (keep && fclose(keep)) return 1;
    const int status = b.seen ? end_seen(&b, &seen, cases, wrong)
        : b.fault             ? wrong != cases
                              : wrong != 0;
    bench_close(&b.bench);
    arena_free(&list.arena);
    mpfr_free_cache();
    return status;
}
