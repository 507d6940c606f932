// SPDX-License-Identifier: Apache-2.0
// Reads a stimulus file; every complaint names line and column.
#include "verify/verify.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STIMULUS_MAX_CYCLES = 10000000 };

typedef struct Reader {
    SourceText src;
    const char *at;  // next character
    const char *line_at;
    int line;
    Diag *d;
    Stimulus *s;
    void *in;                        // inputs of the cycle being read
    uint64_t *given;                 // bit per element of the port table: named on this line
    int first[BLOCK_MAX_PORTS + 1];  // number of the first element of each port, and the end
} Reader;

static bool refuse_at(Reader *r, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse_at(Reader *r, const char *at, const char *format, ...) {
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return diag_fail_at(r->d, &r->src, r->line, (int)(at - r->line_at) + 1, "%s", text);
}

static void skip_blanks(Reader *r) {
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') r->at++;
    if (*r->at == '#') r->at += strcspn(r->at, "\n");
}

static bool at_line_end(Reader *r) {
    skip_blanks(r);
    return *r->at == '\n' || *r->at == '\0';
}

// To the first word of the next line that holds one; false at the end of the file.
static bool next_line(Reader *r) {
    for (;;) {
        skip_blanks(r);
        if (*r->at == '\0') return false;
        if (*r->at != '\n') return true;
        r->at++;
        r->line++;
        r->line_at = r->at;
    }
}

static size_t word_length(const char *p) { return strcspn(p, " \t\r\n=[]#"); }

static bool take_word(Reader *r, const char *word) {
    skip_blanks(r);
    const size_t n = strlen(word);
    if (word_length(r->at) != n || strncmp(r->at, word, n))
        return refuse_at(r, r->at, "expected `%s`, found `%.*s`", word,
                         (int)(word_length(r->at) < 40 ? word_length(r->at) : 40), r->at);
    r->at += n;
    return true;
}

static bool take_char(Reader *r, char c) {
    if (*r->at != c) {
        if (*r->at == '\n' || *r->at == '\0')
            return refuse_at(r, r->at, "expected `%c`, found the end of the line", c);
        return refuse_at(r, r->at, "expected `%c`, found `%c`", c,
                         isprint((unsigned char)*r->at) ? *r->at : '?');
    }
    r->at++;
    return true;
}

static bool take_number(Reader *r, uint64_t most, uint64_t *value, const char *what) {
    skip_blanks(r);
    const char *from = r->at;
    if (!isdigit((unsigned char)*from)) return refuse_at(r, from, "expected %s", what);
    uint64_t v = 0;
    for (; isdigit((unsigned char)*r->at); r->at++) {
        const uint64_t digit = (uint64_t)(*r->at - '0');
        if (v > (UINT64_MAX - digit) / 10 || v * 10 + digit > most)
            return refuse_at(r, from, "%s: at most %llu", what, (unsigned long long)most);
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

static bool take_end_of_line(Reader *r) {
    return at_line_end(r) || refuse_at(r, r->at, "expected the end of the line");
}

// 0x.., at most `bits` bits into words.
static bool take_hex(Reader *r, int bits, uint32_t *words, int nwords) {
    const char *from = r->at;
    if (from[0] != '0' || (from[1] != 'x' && from[1] != 'X') || !isxdigit((unsigned char)from[2]))
        return refuse_at(r, from, "expected a hexadecimal value, 0x..");
    const char *digits = from + 2;
    size_t n = strspn(digits, "0123456789abcdefABCDEF");
    r->at = digits + n;
    while (n > 1 && *digits == '0') digits++, n--;
    memset(words, 0, sizeof *words * (size_t)nwords);
    for (size_t i = 0; i < n; i++) {
        const char c = digits[n - 1 - i];
        const uint32_t nibble =
            (uint32_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
        const bool fits = 4 * i < (size_t)bits &&
            (4 * i + 4 <= (size_t)bits || nibble >> (bits - 4 * (int)i) == 0);
        if (!fits && nibble)
            return refuse_at(r, from, "the value has more than %d bit%s", bits,
                             bits == 1 ? "" : "s");
        if (fits) words[i / 8] |= nibble << 4 * (i % 8);
    }
    return true;
}

// ---- header -------------------------------------------------------------------------------------

static bool read_block(Reader *r, const BlockDesc **desc) {
    if (!next_line(r) || !take_word(r, "block")) return refuse_at(r, r->at, "expected `block`");
    skip_blanks(r);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(word_length(r->at) < 60 ? word_length(r->at) : 60),
             r->at);
    *desc = block_desc_find(name);
    if (!*desc) return refuse_at(r, r->at, "no block `%s` (smcosim list blocks)", name);
    r->at += strlen(name);
    return take_end_of_line(r);
}

static bool read_parameter(Reader *r, const BlockParam *p, int *value) {
    uint64_t v;
    if (!take_word(r, p->name) || !take_char(r, '=')) return false;
    const char *from = r->at;
    if (!take_number(r, INT32_MAX, &v, "a number")) return false;
    if ((int)v < p->least || (int)v > p->most)
        return refuse_at(r, from, "%s is %d to %d", p->name, p->least, p->most);
    *value = (int)v;
    return true;
}

static bool read_header(Reader *r) {
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS] = {0};
    uint64_t version, seed;
    if (!next_line(r))
        return refuse_at(r, r->at, "the file is empty; expected `smcosim stimulus 1`");
    if (!take_word(r, "smcosim") || !take_word(r, "stimulus")) return false;
    if (!take_number(r, 1, &version, "version 1") || !take_end_of_line(r)) return false;
    if (!read_block(r, &desc)) return false;
    if (!next_line(r) || !take_word(r, "parameters"))
        return refuse_at(r, r->at, "expected `parameters`");
    for (int i = 0; i < desc->nparams; i++)
        if (!read_parameter(r, &desc->params[i], &params[i])) return false;
    if (!take_end_of_line(r)) return false;
    if (!next_line(r) || !take_word(r, "seed")) return refuse_at(r, r->at, "expected `seed`");
    if (!take_number(r, UINT64_MAX, &seed, "a number") || !take_end_of_line(r)) return false;
    r->s = stimulus_new(desc, params, seed);
    return true;
}

// ---- cycles -------------------------------------------------------------------------------------

static int find_input(Reader *r, const char *name) {
    const char *names[BLOCK_MAX_PORTS];
    int n = 0;
    for (int i = 0; i < r->s->nports; i++) {
        const Port *p = &r->s->ports[i];
        if (p->dir != PORT_IN) continue;
        if (!strcmp(p->name, name)) return i;
        names[n++] = p->name;
    }
    const char *near = name_suggest(name, names, n);
    refuse_at(r, r->at, "block %s has no input `%s`%s%s%s", r->s->desc->name, name,
              near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    return -1;
}

static bool read_element(Reader *r) {
    char name[64];
    const char *from = r->at;
    const int length = (int)word_length(from);
    if (!length) return refuse_at(r, from, "expected the name of an input");
    snprintf(name, sizeof name, "%.*s", length < 60 ? length : 60, from);
    const int port = find_input(r, name);
    if (port < 0) return false;
    r->at += length;
    const Port *p = &r->s->ports[port];
    uint64_t e = 0;
    if (*r->at == '[') {
        r->at++;
        if (!take_number(r, (uint64_t)p->count - 1, &e, "element") || !take_char(r, ']'))
            return false;
    } else if (p->count > 1) {
        return refuse_at(r, r->at, "%s has %d elements; expected `[`", p->name, p->count);
    }
    const int bit = r->first[port] + (int)e;
    if (r->given[bit / 64] >> bit % 64 & 1)
        return refuse_at(r, from, "%s[%d] is given twice", p->name, (int)e);
    r->given[bit / 64] |= 1ull << bit % 64;
    if (!take_char(r, '=')) return false;
    return take_hex(r, p->width, (uint32_t *)port_element(p, r->in, (int)e), p->words);
}

// Empty cycles up to, not including, `cycle`.
static void fill_to(Reader *r, uint64_t cycle) {
    memset(r->in, 0, r->s->desc->in_size);
    while (r->s->ncycles < cycle) stimulus_add(r->s, false, r->in);
}

static bool take_mark(Reader *r, const char *word) {
    const size_t n = strlen(word);
    const bool there =
        word_length(r->at) == n && !strncmp(r->at, word, n) && r->at[n] != '=' && r->at[n] != '[';
    if (!there) return false;
    r->at += n;
    skip_blanks(r);
    return true;
}

static bool read_cycle(Reader *r, bool *end) {
    uint64_t cycle;
    const char *from = r->at;
    if (!take_number(r, STIMULUS_MAX_CYCLES, &cycle, "a cycle number")) return false;
    if (cycle < r->s->ncycles)
        return refuse_at(r, from, "cycle %llu follows cycle %zu", (unsigned long long)cycle,
                         r->s->ncycles - 1);
    fill_to(r, cycle);
    skip_blanks(r);
    *end = word_length(r->at) == 3 && !strncmp(r->at, "end", 3);
    if (*end) {
        r->at += 3;
        return take_end_of_line(r);
    }
    const bool reset = take_mark(r, "reset");
    const char *mark = r->at;
    if (take_mark(r, "fault")) {
        if (r->s->fault != NO_FAULT) return refuse_at(r, mark, "a second fault; it begins once");
        r->s->fault = r->s->ncycles;
    }
    memset(r->given, 0, 8 * (size_t)(r->first[r->s->nports] / 64 + 1));
    while (!at_line_end(r))
        if (!read_element(r)) return false;
    stimulus_add(r->s, reset, r->in);
    return true;
}

// The line `start N` behind the header, if there is one; then the first line of the cycles.
static bool read_start(Reader *r) {
    if (!next_line(r)) return refuse_at(r, r->at, "the file ends without `CYCLES end`");
    if (!take_mark(r, "start")) return true;
    return take_number(r, START_OF_CHUNK - 1, &r->s->start_seed, "a number") &&
        take_end_of_line(r) &&
        (next_line(r) || refuse_at(r, r->at, "the file ends without `CYCLES end`"));
}

static bool read_cycles(Reader *r, Arena *arena) {
    int elements = 0;
    for (int i = 0; i < r->s->nports; i++) {
        r->first[i] = elements;
        elements += r->s->ports[i].count;
    }
    r->first[r->s->nports] = elements;
    r->given = arena_alloc(arena, 8 * (size_t)(elements / 64 + 1));
    r->in = arena_alloc(arena, r->s->desc->in_size);
    bool end = false;
    if (!read_start(r)) return false;
    while (read_cycle(r, &end) && !end)
        if (!next_line(r)) return refuse_at(r, r->at, "the file ends without `CYCLES end`");
    if (!end) return false;
    if (next_line(r)) return refuse_at(r, r->at, "nothing may follow `end`");
    return true;
}

Stimulus *stimulus_load(Arena *arena, const char *path, Diag *d) {
    char *text;
    size_t length;
    if (!file_read(arena, path, &text, &length, d)) return NULL;
    Reader *r = ARENA_NEW(arena, Reader);
    r->src = (SourceText){path, text, length};
    r->at = r->line_at = text;
    r->line = 1;
    r->d = d;
    if (strlen(text) != length) {
        refuse_at(r, text, "not a text file");
        return NULL;
    }
    if (read_header(r) && read_cycles(r, arena)) return r->s;
    stimulus_free(r->s);
    return NULL;
}
