// SPDX-License-Identifier: Apache-2.0
// Names of state bits, from the blocks' tables of fields.
#include "cosim/state_bits.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_STEPS = STATE_STEPS + 3,
    BIT_OF_LANE = -1 /* per: bits 256 s + 8 l + b hold bit 8 s + b of lane l */
};

// A field with the steps that name one of its bits.
typedef struct Path {
    StateBit from;
    StateStep steps[MAX_STEPS];
    int n, named;  // named: steps of the field itself
    bool derived;
} Path;

static void add_step(Path *p, const char *word, int count, int bit, int per) {
    p->steps[p->n++] = (StateStep){word, count, 0, bit, per};
}

// slices: a row by slice, lane and bit instead of lane and bit.
static Path path_of(const StateField *f, bool slices) {
    Path p = {.from = {f->addr, f->bit}, .derived = f->derived};
    while (p.n < STATE_STEPS && f->steps[p.n].word) p.steps[p.n] = f->steps[p.n], p.n++;
    p.named = p.n;
    if (f->width > 0) add_step(&p, "bit", f->width, 1, 0);
    if (f->width != STATE_ROW) return p;
    if (slices) add_step(&p, "slice", 4, 256, 0);
    add_step(&p, "lane", 32, 8, 0);
    add_step(&p, "bit", slices ? 8 : 32, 1, slices ? 0 : BIT_OF_LANE);
    return p;
}

static int fields_of(const BlockDesc *desc, const int *params, StateField f[STATE_MAX_FIELDS]) {
    const int n = desc->state(params, f);
    panic_if(n > STATE_MAX_FIELDS, "%s: more than %d fields of state", desc->name,
             STATE_MAX_FIELDS);
    return n;
}

static StateBit move_bit(StateBit p, const StateStep *s, int number) {
    if (!s->count) return p;
    if (s->per == BIT_OF_LANE) return (StateBit){p.addr, p.bit + number / 8 * 256 + number % 8};
    const int high = s->per ? number / s->per : number, low = s->per ? number % s->per : number;
    return (StateBit){p.addr + (uint32_t)(high * s->addr), p.bit + low * s->bit};
}

// ---- reading -----------------------------------------------------------------------------------

// "word", "word7": false when it is another word; *number -1 without one.
static bool read_step(const char *text, size_t n, const char *word, int *number) {
    size_t length = strlen(word);
    if (n < length || strncmp(text, word, length)) return false;
    *number = -1;
    if (n == length) return true;
    int v = 0;
    for (size_t i = length; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || v > 99999) return false;
        v = v * 10 + text[i] - '0';
    }
    *number = v;
    return true;
}

typedef enum Match { MATCH_OTHER, MATCH_RANGE, MATCH_OK } Match;

// bad: the step whose number is too large.
static Match match_path(const Path *p, const char *text, size_t n, StateBit *at, StateStep *bad) {
    *at = p->from;
    Match result = MATCH_OK;
    for (int i = 0; i < p->n; i++) {
        const char *dot = memchr(text, '.', n);
        const size_t length = dot ? (size_t)(dot - text) : n;
        const StateStep *s = &p->steps[i];
        int number;
        if (!read_step(text, length, s->word, &number) || (number >= 0) != (s->count > 0))
            return MATCH_OTHER;
        if (s->count && number >= s->count && result == MATCH_OK) result = MATCH_RANGE, *bad = *s;
        *at = move_bit(*at, s, number);
        text += length, n -= length;
        if (n) text++, n--;
        else if (i + 1 < p->n) return MATCH_OTHER;
    }
    return n ? MATCH_OTHER : result;
}

static void print_forms(FILE *f, const StateField *fields, int nfields) {
    for (int i = 0; i < nfields; i++) {
        if (fields[i].derived) continue;
        const Path p = path_of(&fields[i], false);
        for (int s = 0; s < p.n; s++)
            fprintf(f, "%s%s%s", s ? "." : ", ", p.steps[s].word, p.steps[s].count ? "N" : "");
        if (fields[i].width == STATE_ROW) fputs(" or ..sliceN.laneN.bitN", f);
    }
}

static bool no_such_bit(const BlockDesc *desc, const StateField *fields, int nfields,
                        const char *text, size_t n, const char *option, Diag *d) {
    if (!nfields)
        return diag_fail(d, EXIT_USAGE, "%s: %s has no state that a fault could change", option,
                         desc->name);
    char *forms = NULL;
    size_t size;
    FILE *f = open_memstream(&forms, &size);
    if (!f) panic("out of memory");
    print_forms(f, fields, nfields);
    fclose(f);
    diag_fail(d, EXIT_USAGE, "%s: '%.*s' is no state of %s; expected ADDRESS.BIT%s", option, (int)n,
              text, desc->name, forms);
    free(forms);
    return false;
}

static bool parse_name(const StateField *fields, int nfields, const char *text, size_t n,
                       const char *option, StateBit *at, Diag *d) {
    for (int i = 0; i < 2 * nfields; i++) {
        if (i % 2 && fields[i / 2].width != STATE_ROW) continue;
        const Path p = path_of(&fields[i / 2], i % 2);
        StateStep bad;
        const Match m = match_path(&p, text, n, at, &bad);
        if (m == MATCH_OK) return true;
        if (m == MATCH_RANGE)
            return diag_fail(d, EXIT_USAGE, "%s: '%.*s': %s is out of range, expected 0 to %d",
                             option, (int)n, text, bad.word, bad.count - 1);
    }
    return false;
}

// "ADDRESS.BIT"
static bool parse_numbers(const char *text, unsigned long long *addr, unsigned long long *bit) {
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    *addr = strtoull(text, &end, 0);
    if (*end != '.' || end[1] < '0' || end[1] > '9') return false;
    *bit = strtoull(end + 1, &end, 0);
    return !*end;
}

bool state_bit_parse(const BlockDesc *desc, const int *params, uint32_t obs_count, const char *text,
                     size_t n, const char *option, StateBit *at, Diag *d) {
    StateField fields[STATE_MAX_FIELDS];
    const int nfields = fields_of(desc, params, fields);
    char copy[128] = "";
    unsigned long long addr, bit;
    if (n < sizeof copy) memcpy(copy, text, n);
    if (!parse_name(fields, nfields, text, n, option, at, d)) {
        if (!diag_ok(d)) return false;
        if (!nfields || !parse_numbers(copy, &addr, &bit))
            return no_such_bit(desc, fields, nfields, text, n, option, d);
        if (addr >= obs_count || bit >= 32u * (unsigned)desc->model->obs_words)
            return diag_fail(d, EXIT_USAGE, "%s: '%s': %s has addresses 0 to %u with bits 0 to %d",
                             option, copy, desc->name, obs_count - 1,
                             32 * desc->model->obs_words - 1);
        *at = (StateBit){(uint32_t)addr, (int)bit};
    }
    const StateBitKind kind = state_bit_kind(desc, params, *at);
    if (kind == STATE_BIT_STATE) return true;
    return diag_fail(d, EXIT_USAGE, "%s: '%.*s': %s", option, (int)n, text,
                     kind == STATE_BIT_NONE ? "no register is shown there"
                                            : "is shown, but the RTL has no way to change it");
}

// ---- printing ----------------------------------------------------------------------------------

// Tries the numbers of a path's steps, outermost first. The later steps together add less to the
// address than one increment of an earlier number does. want.bit -1: any bit of the word.
static bool find_numbers(const Path *p, int step, StateBit at, StateBit want,
                         int numbers[MAX_STEPS]) {
    if (step == p->n) return at.addr == want.addr && (want.bit < 0 || at.bit == want.bit);
    const StateStep *s = &p->steps[step];
    for (int i = 0; i < (s->count ? s->count : 1); i++) {
        const StateBit next = move_bit(at, s, i);
        if (next.addr > want.addr) return false;
        if (s->addr && want.addr - next.addr >= (uint32_t)s->addr) continue;
        if (s->bit && want.bit >= 0 && next.bit > want.bit) return false;
        numbers[step] = i;
        if (find_numbers(p, step + 1, next, want, numbers)) return true;
    }
    return false;
}

static size_t print_step(char *buf, size_t size, const StateStep *s, const char *before,
                         int number) {
    const int n = s->count ? snprintf(buf, size, "%s%s %d", before, s->word, number)
                           : snprintf(buf, size, "%s%s", before, s->word);
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

static const StateField *field_at(const StateField *fields, int nfields, StateBit at, Path *path,
                                  int numbers[MAX_STEPS]) {
    for (int i = 0; i < nfields; i++) {
        *path = path_of(&fields[i], false);
        if (find_numbers(path, 0, path->from, at, numbers)) return &fields[i];
    }
    return NULL;
}

static void print_bit(const BlockDesc *desc, const int *params, StateBit at, char *buf,
                      size_t size) {
    StateField fields[STATE_MAX_FIELDS];
    Path p;
    int numbers[MAX_STEPS];
    size_t used = 0;
    buf[0] = '\0';
    if (!field_at(fields, fields_of(desc, params, fields), at, &p, numbers)) return;
    for (int s = 0; s < p.n; s++)
        used += print_step(buf + used, size - used, &p.steps[s], s ? " " : "", numbers[s]);
}

// Prints the common prefix of a word's fields: their first steps, up to a step that selects a bit.
static void print_word(const BlockDesc *desc, const int *params, uint32_t addr, char *buf,
                       size_t size) {
    StateField fields[STATE_MAX_FIELDS];
    const int nfields = fields_of(desc, params, fields);
    char shared[MAX_STEPS][64];
    int n = -1;
    for (int i = 0; i < nfields; i++) {
        const Path p = path_of(&fields[i], false);
        int numbers[MAX_STEPS], same = 0;
        if (!find_numbers(&p, 0, p.from, (StateBit){addr, -1}, numbers)) continue;
        for (; same < p.named && !p.steps[same].bit && (n < 0 || same < n); same++) {
            char word[64];
            print_step(word, sizeof word, &p.steps[same], "", numbers[same]);
            if (n >= 0 && strcmp(word, shared[same])) break;
            memcpy(shared[same], word, sizeof word);
        }
        n = same;
    }
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? " " : "", shared[i]);
}

void state_bit_name(const BlockDesc *desc, const int *params, StateBit at, char *buf, size_t size) {
    if (at.bit < 0) print_word(desc, params, at.addr, buf, size);
    else print_bit(desc, params, at, buf, size);
}

StateBitKind state_bit_kind(const BlockDesc *desc, const int *params, StateBit at) {
    StateField fields[STATE_MAX_FIELDS];
    Path p;
    int numbers[MAX_STEPS];
    if (!field_at(fields, fields_of(desc, params, fields), at, &p, numbers)) return STATE_BIT_NONE;
    return p.derived ? STATE_BIT_DERIVED : STATE_BIT_STATE;
}
