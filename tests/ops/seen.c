// SPDX-License-Identifier: Apache-2.0
#include "seen.h"

#include "base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_THREADS = 192, KEPT_PER_LINE = 12 };

// ---- gathering ----

void seen_begin(Seen *s, const Case *c, int noutputs, const PtxType *types) {
    s->c = c;
    s->inputs = HASH_START;
    s->nforms = 0;
    s->noutputs = noutputs;
    s->fail = NULL;
    memcpy(s->types, types, sizeof *types * (size_t)noutputs);
}

void seen_inputs(Seen *s, const char *text, const uint64_t (*operands)[CASE_INPUTS]) {
    s->inputs = hash_bytes(s->inputs, text, strlen(text));
    for (int i = 0; i < SEEN_THREADS; i++)
        s->inputs = hash_bytes(s->inputs, operands[i], sizeof operands[i][0] * (size_t)s->c->nin);
    memcpy(s->operands[s->nforms], operands, sizeof s->operands[0]);
}

void seen_results(Seen *s, bool gpu, const uint8_t *slots) {
    uint64_t *to = (gpu ? s->gpu : s->ours) + s->nforms * SEEN_THREADS * s->noutputs;
    for (int i = 0; i < SEEN_THREADS; i++)
        for (int k = 0; k < s->noutputs; k++) {
            uint64_t v;
            memcpy(&v, slots + (i * CASE_OUTPUTS + k) * 8, sizeof v);
            *to++ = ref_low(s->types[k], v);
        }
}

void seen_form_done(Seen *s) { s->nforms++; }

static int words(const Seen *s) { return s->nforms * SEEN_THREADS * s->noutputs; }

// ---- what PTX leaves open ----

static bool is_nan(PtxType t, uint64_t v) {
    switch (t) {
    case PTX_F16: return (v & 0x7fff) > 0x7c00;
    case PTX_BF16: return (v & 0x7fff) > 0x7f80;
    case PTX_F32: return (v & 0x7fffffff) > 0x7f800000;
    case PTX_F64: return v << 1 > 0x7ffull << 53;
    default: return false;
    }
}

// The value with one bit pattern for all NaNs.
static uint64_t one_nan(PtxType t, uint64_t v) {
    if (t == PTX_F16X2 || t == PTX_BF16X2) {
        const PtxType half = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
        return one_nan(half, v & 0xffff) | one_nan(half, v >> 16 & 0xffff) << 16;
    }
    return is_nan(t, v) ? ref_low(t, ~0ull) >> 1 : v;
}

// The PTX manual leaves open which NaN these instructions give, and whether its sign changes. The
// table has names that begin so, with results of the type (PTX_NOTYPE: any).
static const struct {
    const char *name;
    PtxType type;
} open_nans[] = {{"add.", PTX_F64},    {"sub.", PTX_F64},   {"mul.", PTX_F64}, {"fma.", PTX_F64},
                 {"mad.", PTX_F64},    {"atom.", PTX_F64},  {"red.", PTX_F64}, {"neg.", PTX_NOTYPE},
                 {"abs.", PTX_NOTYPE}, {"cvt.", PTX_NOTYPE}};

static bool nans_are_open(const Seen *s) {
    for (size_t k = 0; k < sizeof open_nans / sizeof *open_nans; k++)
        if (!strncmp(s->c->name, open_nans[k].name, strlen(open_nans[k].name)) &&
            (!open_nans[k].type || open_nans[k].type == s->types[0]))
            return true;
    return false;
}

// Results of cvt to halves are bits: the type is in the name, before the source's.
static PtxType type_of(const Seen *s, int k) {
    if (s->types[k] != PTX_B16 || strncmp(s->c->name, "cvt.", 4)) return s->types[k];
    const char *end = strrchr(s->c->name, '.');
    if (end - s->c->name > 5 && !strncmp(end - 5, ".bf16", 5)) return PTX_BF16;
    return !strncmp(end - 4, ".f16", 4) ? PTX_F16 : PTX_B16;
}

static uint64_t plain(const Seen *s, const uint64_t *from, int i) {
    const uint64_t v = from[i];
    return nans_are_open(s) ? one_nan(type_of(s, i % s->noutputs), v) : v;
}

static uint64_t digest(const Seen *s, const uint64_t *from) {
    uint64_t h = HASH_START;
    for (int i = 0; i < words(s); i++) {
        const uint64_t v = plain(s, from, i);
        h = hash_bytes(h, &v, sizeof v);
    }
    return h & 0xffffffffffff;
}

// Cases in which the GPU's results differ and smcosim's stay: names that begin and that go on so,
// with the reason.
static const struct {
    const char *begin, *has, *why;
} known[] = {
    {"vabsdiff.", "", "width of the intermediate result, which sm_90 computes in steps"},
    {"bfe.", "64", "positions and lengths beyond 255, which PTX leaves open"},
    {"bfi.b64", "", "positions and lengths beyond 255, which PTX leaves open"},
    {"fns.b32", "", "offset -2147483648, whose amount is no 32-bit number"},
    {"cvt.", "ftz.f16.f32", "the GPU does not flush what is subnormal in f32"},
    {"cvt.", "ftz.sat.f16.f32", "the GPU does not flush what is subnormal in f32"},
    {"cvt.rna.tf32", "", "which NaN"},
    {"cvta.", "", "addresses: where the windows of the spaces lie is the machine's"},
    {"mov.u32 %reserved_smem", "", "what the system keeps of shared memory is the machine's"},
    {"mov.u32 %envreg", "", "what the driver puts there"},
    {"mma.", ".f64", "which NaN"},
    {"mma.", ".f16", "order and rounding of the sums of a product, which PTX leaves open"},
    {"mma.", ".f32", "order and rounding of the sums of a product, which PTX leaves open"},
    {"wmma.", "", "order and rounding of the sums of a product, which PTX leaves open"},
    {"tex.", "linear", "weights and precision of filters, which the guide gives to some bits only"},
    {"tex.1d.f32 f32 x 1 wrap normalized edges", "", "infinite coordinates"},
    {"tex.", "edges", "coordinates that are no numbers, or huge"},
    {"tex.", "scaled", "channels of a border"},
    {"tex.", "cube", "directions that two faces have in common, and none"}};

static const char *known_difference(const Seen *s) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strncmp(s->c->name, known[k].begin, strlen(known[k].begin)) &&
            strstr(s->c->name, known[k].has))
            return known[k].why;
    return NULL;
}

// ---- bounds of the PTX manual ----

static uint64_t flushed(uint64_t a) { return a & 0x7f800000 ? a : a & 0x80000000; }

// Is the result of an approximate instruction as near as the PTX manual promises? Where it promises
// nothing, yes.
static bool in_bound(const Case *c, const uint64_t in[CASE_INPUTS], uint64_t got) {
    const uint64_t out[CASE_OUTPUTS] = {got};
    if (c->check(c, in, out)) return true;
    // Only the upper half of the operand counts: a NaN without bits there is infinite.
    if (c->ftz && c->in[0] == PTX_F64 && (in[0] >> 32 & 0x7fffffff) == 0x7ff00000)
        return !(got << 1);
    if (c->op || c->nin != 1 || c->in[0] != PTX_F32) return false;
    const uint64_t a = c->ftz ? flushed(in[0]) : in[0];
    const RefFn f = (RefFn)c->k;
    uint32_t word = (uint32_t)a;
    float x;
    memcpy(&x, &word, sizeof x);
    const double size = fabs((double)x), pi = 3.14159265358979323846;
    const double relative = ref_error_relative(f, PTX_F32, a, got),
                 absolute = ref_error_absolute(f, PTX_F32, a, got);
    if (c->ftz && !(got & 0x7fffffff) && absolute < 0x1p-126) return true;
    switch (f) {
    case REF_F_SQRT: return relative <= 0x1p-23;
    case REF_F_RSQRT: return relative <= 0x1.129p-23;  // 2^-22.9
    case REF_F_SIN:
    case REF_F_COS:
        return size <= 2 * pi ? absolute <= 0x1.6a1p-21
                              : size > 100 * pi || absolute <= 0x1.3b3p-15;
    case REF_F_EX2: return ref_error_ulp(f, PTX_F32, a, got) <= 2;
    case REF_F_LG2: return size > 0.5 && size < 2 ? absolute <= 0x1p-22 : relative <= 0x1p-22;
    case REF_F_TANH: return relative <= 0x1p-11;
    default: return false;
    }
}

// All of the GPU's: the forms of a case without a body have their result in every output, where it
// is not the pattern that a predicate kept.
static bool all_in_bound(const Seen *s, const uint64_t *from) {
    for (int f = 0; f < s->nforms; f++)
        for (int i = 0; i < SEEN_THREADS; i++)
            for (int k = 0; k < s->noutputs; k++) {
                const int at = (f * SEEN_THREADS + i) * s->noutputs + k;
                if (from[at] == s->ours[at] || (!s->c->body && k == 1 && i % 2 == 0)) continue;
                if (s->c->body || !in_bound(s->c, s->operands[f][i], from[at])) {
                    printf("    out of bound: 0x%" PRIx64 " -> 0x%" PRIx64 "\n",
                           s->operands[f][i][0], from[at]);
                    return false;
                }
            }
    return true;
}

static bool all_checked(const Seen *s) {
    for (int i = 0; i < SEEN_THREADS; i++)
        if (!s->c->check(s->c, s->operands[0][i], s->gpu + i * s->noutputs)) return false;
    return true;
}

// ---- comparing ----

static void show_first(const Seen *s) {
    int differing = 0, first = -1;
    for (int i = 0; i < words(s); i++)
        if (plain(s, s->gpu, i) != plain(s, s->ours, i) && !differing++) first = i;
    if (first < 0) return;
    const int at = first / s->noutputs, f = at / SEEN_THREADS, thread = at % SEEN_THREADS;
    printf("    %d of %d words; form %d, thread %d, output %d:", differing, words(s), f, thread,
           first % s->noutputs);
    for (int k = 0; k < s->c->nin; k++)
        printf(" 0x%" PRIx64, ref_low(s->c->in[k], s->operands[f][thread][k]));
    printf(" -> 0x%" PRIx64 ", ours 0x%" PRIx64 "\n", s->gpu[first], s->ours[first]);
}

static void keep_words(const Seen *s, FILE *keep) {
    const int digits = 2 * ptx_type_bytes(s->types[0]);
    for (int i = 0; i < KEPT_THREADS; i++)
        fprintf(keep, "%s%0*" PRIx64 "%s", i % KEPT_PER_LINE ? "" : " ", digits,
                s->gpu[i * s->noutputs],
                i % KEPT_PER_LINE == KEPT_PER_LINE - 1 || i == KEPT_THREADS - 1 ? "\n" : " ");
}

bool seen_compare(const Seen *s, SeenCounts *n, FILE *keep) {
    const uint64_t inputs = s->inputs & 0xffffff;
    if (s->fail) {
        n->missing++;
        printf("not run    %s: %s\n", s->c->name, s->fail);
        const char *why = strstr(s->fail, "error   : ");
        if (keep)
            fprintf(keep, "! %06" PRIx64 " - %s\n %.40s\n", inputs, s->c->name,
                    why ? why + 10 : s->fail);
        return true;
    }
    const bool same = !memcmp(s->gpu, s->ours, sizeof *s->gpu * (size_t)words(s));
    const uint64_t theirs = digest(s, s->gpu), ours = digest(s, s->ours);
    if (s->c->check && s->c->body) {  // a clock
        const bool ok = all_checked(s);
        n->bound += ok, n->different += !ok;
        printf("%s %s\n", ok ? "as it may " : "DIFFERENT ", s->c->name);
        if (keep)
            fprintf(keep, "! %06" PRIx64 " - %s\n each run has other results\n", inputs,
                    s->c->name);
        return ok;
    }
    if (s->c->check) {
        const bool ok = all_in_bound(s, s->gpu);
        n->equal += same, n->bound += ok && !same, n->different += !ok;
        printf("%s %s\n", same ? "equal     " : ok ? "in bound  " : "DIFFERENT ", s->c->name);
        if (!same) show_first(s);
        if (keep) {
            fprintf(keep, "~ %06" PRIx64 " %d %s\n", inputs, KEPT_THREADS, s->c->name);
            keep_words(s, keep);
        }
        return ok;
    }
    const char *why = theirs == ours ? NULL : known_difference(s);
    const bool equal = theirs == ours;
    n->equal += same, n->nan += equal && !same, n->known += why != NULL,
        n->different += !equal && !why;
    if (!same) {
        printf("%s %s%s%s\n",
               equal     ? "NaN       "
                   : why ? "known     "
                         : "DIFFERENT ",
               s->c->name, why ? ": " : "", why ? why : "");
        if (!equal) show_first(s);
    }
    if (keep) {
        fprintf(keep, "%c %06" PRIx64 " %012" PRIx64 " %s\n", equal ? '=' : 'x', inputs, theirs,
                s->c->name);
        if (why) fprintf(keep, " %s\n", why);
    }
    return equal || why;
}

// ---- kept results ----

typedef struct KeptLine {
    char kind;
    uint64_t inputs, outputs;
    const char *name;
    uint64_t *words;
    int nwords;
} KeptLine;

struct SeenKept {
    KeptLine *lines;
    int nlines, cap_lines, next;
};

static bool read_words(KeptLine *k, Arena *arena, char **at) {
    k->nwords = (int)k->outputs;
    if (k->nwords < 1 || k->nwords > SEEN_THREADS) return false;
    k->words = ARENA_ARRAY(arena, uint64_t, k->nwords);
    for (int i = 0; i < k->nwords; i++) {
        char *end;
        k->words[i] = strtoull(*at, &end, 16);
        if (end == *at) return false;
        *at = end;
    }
    *at += strspn(*at, " \n");
    return true;
}

SeenKept *seen_load(Arena *arena, const char *path, Diag *d) {
    SeenKept *k = ARENA_NEW(arena, SeenKept);
    char *text;
    size_t n;
    if (!file_read(arena, path, &text, &n, d)) return NULL;
    for (char *at = text; *at;) {
        char *stop = strchr(at, '\n'), name[160], outputs[16];
        if (!stop) break;
        if (*at == '#' || *at == ' ') {
            at = stop + 1;
            continue;
        }
        KeptLine *line = ARENA_PUSH(arena, k->lines, k->nlines, k->cap_lines);
        *stop = 0;
        *line = (KeptLine){.kind = *at};
        const bool read =
            sscanf(at + 1, "%" SCNx64 " %15s %159[^\n]", &line->inputs, outputs, name) == 3;
        line->name = read ? arena_strndup(arena, name, strlen(name)) : "";
        line->outputs = read ? strtoull(outputs, NULL, line->kind == '~' ? 10 : 16) : 0;
        char *next = stop + 1;
        if (!read || !strchr("=~x!", line->kind) ||
            (line->kind == '~' && !read_words(line, arena, &next))) {
            diag_fail(d, EXIT_USAGE, "%s: `%.60s` is not a kept result", path, at);
            return NULL;
        }
        at = next;
    }
    return k->nlines ? k : (diag_fail(d, EXIT_USAGE, "%s holds no results", path), NULL);
}

// The case's line: lines and cases have the same order, so it is among the next ones with this
// name.
static const KeptLine *find(SeenKept *k, const char *name) {
    for (int i = 0; i < k->nlines; i++) {
        const int at = (k->next + i) % k->nlines;
        if (strcmp(k->lines[at].name, name)) continue;
        k->next = at + 1;
        return &k->lines[at];
    }
    return NULL;
}

static bool words_in_bound(const Seen *s, const KeptLine *line) {
    for (int i = 0; i < line->nwords; i++)
        if (line->words[i] != s->ours[i * s->noutputs] &&
            !in_bound(s->c, s->operands[0][i], line->words[i])) {
            printf("%s, thread %d: the GPU's 0x%" PRIx64 " is out of bound, ours is 0x%" PRIx64
                   "\n",
                   s->c->name, i, line->words[i], s->ours[i * s->noutputs]);
            return false;
        }
    return true;
}

bool seen_check(const Seen *s, SeenKept *k, SeenCounts *n) {
    const KeptLine *line = find(k, s->c->name);
    if (line && line->kind == '!') return n->missing++, true;
    if (!line || line->inputs != (s->inputs & 0xffffff)) {
        n->changed++;
        return true;
    }
    if (line->kind == '~') {
        bool ok = words_in_bound(s, line);
        for (int i = 0; ok && i < line->nwords; i++) {
            ok = in_bound(s->c, s->operands[0][i], s->ours[i * s->noutputs]);
            if (!ok)
                printf("%s, thread %d: 0x%" PRIx64 " is out of bound\n", s->c->name, i,
                       s->ours[i * s->noutputs]);
        }
        n->bound += ok, n->different += !ok;
        return ok;
    }
    const bool equal = digest(s, s->ours) == line->outputs;
    if (line->kind == 'x') {
        n->known += !equal, n->different += equal;
        if (equal) printf("%s: equal to the GPU's results, but kept as different\n", s->c->name);
        return !equal;
    }
    n->equal += equal, n->different += !equal;
    if (!equal) printf("%s: not what the GPU gave\n", s->c->name);
    return equal;
}
