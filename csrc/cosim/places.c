// SPDX-License-Identifier: Apache-2.0
// Names of state bits. A block has rows of fields, in the order in which their addresses are tried:
// a path of steps, each a word and, where the state has several, a number below a limit.
#include "cosim/places.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, NO_NUMBER = 0, DATA_LIMIT = -1 /* lane, bit: 1024 bits by lanes, slice-major */ };

// Address and bit of a field: base and sum of number times stride over its steps.
typedef struct Step {
    const char *word;
    int limit, addr, bit;
} Step;
// word: steps that name the whole word.
typedef struct Field {
    uint32_t addr;
    int bit, word;
    Step steps[STEPS];
} Field;

// ---- tables ------------------------------------------------------------------------------------

enum { MAX_FIELDS = 16 };

// Bits 256 s + 8 l + b hold bit 8 s + b of lane l.
#define LANE_STEP                                                                                  \
    { "lane", 32, 0, 8 }
#define DATA_STEP                                                                                  \
    { "bit", DATA_LIMIT, 0, 1 }

static int rf_fields(const int *params, Field *f) {
    int banks = params[0], entries = params[1], writers = params[3];
    f[0] = (Field){
        0, 0, 2, {{"bank", banks, entries, 0}, {"entry", entries, 1, 0}, LANE_STEP, DATA_STEP}};
    f[1] = (Field){
        (uint32_t)(banks * entries),
        0,
        2,
        {{"bank", banks, 1, 0}, {"first", NO_NUMBER, 0, 0}, {"bit", block_bits(writers), 0, 1}}};
    return 2;
}

static int oc_fields(const int *params, Field *f) {
    int coll = params[0], ops = params[1], units = params[3], banks = params[4],
        entries = params[5], n = 0;
    const Step c = {"coll", coll, 1, 0};
    f[n++] = (Field){0, 0, 1, {c, {"busy", NO_NUMBER, 0, 0}}};
    f[n++] = (Field){0, 1, 1, {c, {"need", ops, 0, 1}}};
    f[n++] = (Field){0, 4, 1, {c, {"granted", ops, 0, 1}}};
    f[n++] = (Field){0, 7, 1, {c, {"arrived", ops, 0, 1}}};
    f[n++] = (Field){0, 10, 1, {c, {"next", NO_NUMBER, 0, 0}, {"bit", 2, 0, 1}}};
    f[n++] = (Field){0, 12, 1, {c, {"unit", NO_NUMBER, 0, 0}, {"bit", block_bits(units), 0, 1}}};
    f[n++] = (Field){0, 32, 1, {c, {"older", coll, 0, 1}}};
    f[n++] = (Field){0, 64, 1, {c, {"entry", ops, 0, 32}, {"bit", block_bits(entries), 0, 1}}};
    f[n++] = (Field){0, 80, 1, {c, {"bank", ops, 0, 32}, {"bit", block_bits(banks), 0, 1}}};
    f[n++] = (Field){
        (uint32_t)coll, 0, 2, {{"coll", coll, ops, 0}, {"row", ops, 1, 0}, LANE_STEP, DATA_STEP}};
    return n;
}

static const struct {
    const char *block;
    int (*fields)(const int *params, Field *f);
} tables[] = {
    {"banked_rf", rf_fields},
    {"operand_collector", oc_fields},
};

static int fields_of(const BlockDesc *desc, const int *params, Field f[MAX_FIELDS]) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (!strcmp(tables[i].block, desc->name)) return tables[i].fields(params, f);
    return 0;
}

static int steps_of(const Field *f) {
    int n = 0;
    while (n < STEPS && f->steps[n].word) n++;
    return n;
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

static void apply(Place *p, const Step *s, int number) {
    if (s->limit == DATA_LIMIT) {
        p->bit += number / 8 * 256 + number % 8;
        return;
    }
    p->addr += (uint32_t)(s->addr * (s->limit ? number : 0));
    p->bit += s->bit * (s->limit ? number : 0);
}

typedef enum Match { MATCH_OTHER, MATCH_RANGE, MATCH_OK } Match;

static Match match(const Field *f, const char *text, size_t n, Place *place, const Step **bad) {
    int steps = steps_of(f);
    *place = (Place){f->addr, f->bit};
    Match result = MATCH_OK;
    for (int i = 0; i < steps; i++) {
        size_t length =
            memchr(text, '.', n) ? (size_t)((const char *)memchr(text, '.', n) - text) : n;
        const Step *s = &f->steps[i];
        int number, limit = s->limit == DATA_LIMIT ? 32 : s->limit;
        if (!read_step(text, length, s->word, &number) || (number >= 0) != (limit > 0))
            return MATCH_OTHER;
        if (limit > 0 && number >= limit && result == MATCH_OK) result = MATCH_RANGE, *bad = s;
        apply(place, s, number);
        text += length, n -= length;
        if (n)
            text++, n--;
        else if (i + 1 < steps)
            return MATCH_OTHER;
    }
    return n ? MATCH_OTHER : result;
}

static void print_form(FILE *f, const Field *field) {
    for (int i = 0; i < steps_of(field); i++)
        fprintf(f, "%s%s%s", i ? "." : "", field->steps[i].word, field->steps[i].limit ? "N" : "");
}

static bool no_such_place(const BlockDesc *desc, const Field *fields, int nfields, const char *text,
                          size_t n, const char *option, Diag *d) {
    char *forms = NULL;
    size_t size;
    FILE *f = open_memstream(&forms, &size);
    if (!f) panic("out of memory");
    for (int i = 0; i < nfields; i++) fputs(", ", f), print_form(f, &fields[i]);
    fclose(f);
    diag_fail(d, EXIT_USAGE, "%s: '%.*s' is no state of %s; expected ADDRESS.BIT%s", option, (int)n,
              text, desc->name, forms);
    free(forms);
    return false;
}

bool place_parse(const BlockDesc *desc, const int *params, uint32_t obs_count, const char *text,
                 size_t n, const char *option, Place *place, Diag *d) {
    Field fields[MAX_FIELDS];
    int nfields = fields_of(desc, params, fields);
    const Step *bad = NULL;
    for (int i = 0; i < nfields; i++) {
        Match m = match(&fields[i], text, n, place, &bad);
        if (m == MATCH_OK) return true;
        if (m == MATCH_RANGE)
            return diag_fail(d, EXIT_USAGE, "%s: '%.*s': %s is out of range, expected 0 to %d",
                             option, (int)n, text, bad->word,
                             (bad->limit == DATA_LIMIT ? 32 : bad->limit) - 1);
    }
    char copy[64], *end;
    snprintf(copy, sizeof copy, "%.*s", (int)n, text);
    unsigned long long addr = strtoull(copy, &end, 0), bit = 0;
    bool number = copy[0] >= '0' && copy[0] <= '9' && *end == '.' && end[1] >= '0' && end[1] <= '9';
    if (number) bit = strtoull(end + 1, &end, 0);
    if (!number || *end || n >= sizeof copy)
        return no_such_place(desc, fields, nfields, text, n, option, d);
    if (addr >= obs_count || bit >= 32u * (unsigned)desc->model->obs_words)
        return diag_fail(d, EXIT_USAGE, "%s: '%s': %s has addresses 0 to %u with bits 0 to %d",
                         option, copy, desc->name, obs_count - 1, 32 * desc->model->obs_words - 1);
    *place = (Place){(uint32_t)addr, (int)bit};
    return true;
}

// ---- printing ----------------------------------------------------------------------------------

// Tries the numbers of a field's steps, outermost first; addresses and bits are disjoint between
// fields.
static bool find(const Field *f, int step, Place at, Place want, int numbers[STEPS]) {
    if (step == steps_of(f)) return at.addr == want.addr && (want.bit < 0 || at.bit == want.bit);
    const Step *s = &f->steps[step];
    int limit = s->limit == DATA_LIMIT ? 32 : s->limit;
    for (int i = 0; i < (limit ? limit : 1); i++) {
        Place next = at;
        apply(&next, s, i);
        if (next.addr > want.addr || (s->addr > 1 && want.addr - next.addr >= (uint32_t)s->addr))
            continue;
        numbers[step] = i;
        if (find(f, step + 1, next, want, numbers)) return true;
    }
    return false;
}

void place_name(const BlockDesc *desc, const int *params, Place place, char *buf, size_t size) {
    Field fields[MAX_FIELDS];
    int nfields = fields_of(desc, params, fields), numbers[STEPS];
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < nfields; i++) {
        if (!find(&fields[i], 0, (Place){fields[i].addr, fields[i].bit}, place, numbers)) continue;
        int steps = place.bit < 0 ? fields[i].word : steps_of(&fields[i]);
        for (int s = 0; s < steps && used < size; s++) {
            const Step *step = &fields[i].steps[s];
            int n = snprintf(buf + used, size - used, step->limit ? "%s%s %d" : "%s%s",
                             s ? " " : "", step->word, numbers[s]);
            used += n > 0 ? (size_t)n : 0;
        }
        return;
    }
}
