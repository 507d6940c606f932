// SPDX-License-Identifier: Apache-2.0
// Damaged PTX never crashes or hangs the front end: every result is a module that prints and parses
// again, or one message with a position. Deterministic: the same damage each time.
#include "ptx_support.h"

typedef struct Stats {
    int parsed, refused;
} Stats;

static void try_text(const char *text, size_t len, Stats *s) {
    Arena arena = {0};
    Diag d = {0};
    // A buffer of exactly this size, so that a sanitizer sees a read behind its end.
    char *copy = malloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    const PtxModule *m = ptx_parse(&arena, "damaged.ptx", copy, len, &d);
    if (m) {
        s->parsed++;
        if (!diag_ok(&d)) fail_msg("accepted, but with the message %s", d.text);
        ptx_check_round_trip(m);
    } else {
        s->refused++;
        if (d.status != EXIT_USAGE || strncmp(d.text, "damaged.ptx:", 12) != 0 ||
            !strstr(d.text, ": error: "))
            fail_msg("a bad message: %s", d.text);
    }
    free(copy);
    arena_free(&arena);
}

static char *load(Arena *arena, const char *name, size_t *len) {
    Diag d = {0};
    char *text;
    if (!file_read(arena, arena_printf(arena, "%s/tests/ptx/%s", TEST_SOURCE_DIR, name), &text, len,
                   &d))
        fail_msg("%s", d.text);
    return text;
}

static const char *const files[] = {"inline_asm.sm_75.ptx", "limits.sm_100.ptx",
                                    "clang_language.ptx",   "stencil.debug.ptx",
                                    "indirect.sm_75.ptx",   "control.sm_100.ptx"};
enum { FILES = sizeof files / sizeof *files };

static void test_truncated(void **state) {
    (void)state;
    Stats s = {0};
    for (int i = 0; i < FILES; i++) {
        Arena arena = {0};
        size_t len;
        char *text = load(&arena, files[i], &len);
        for (size_t cut = 0; cut < len; cut += 13 + (size_t)i) try_text(text, cut, &s);
        arena_free(&arena);
    }
    // A text that ends between two functions is a module; nearly every other one is not.
    assert_true(s.parsed > 0 && s.refused > s.parsed);
}

static uint32_t next_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

// One change: a byte replaced, removed, doubled, or two stretches swapped.
static size_t damage(char *text, size_t len, uint32_t *seed) {
    static const char alphabet[] =
        "{}[]()<>,;:+-*/%&|^~!?=@.\"\\0123456789abfrpsux_$ \n\t\1\200\377";
    size_t at = next_random(seed) % len, other = next_random(seed) % len,
           n = 1 + next_random(seed) % 8;
    switch (next_random(seed) % 5) {
    case 0: text[at] = (char)(text[at] ^ (1 << next_random(seed) % 8)); return len;
    case 1: text[at] = alphabet[next_random(seed) % (sizeof alphabet - 1)]; return len;
    case 2: memmove(text + at, text + at + 1, len - at - 1); return len - 1;
    case 3: memmove(text + at + 1, text + at, len - at - 1); return len;
    default:
        for (size_t i = 0; i < n && at + i < len && other + i < len; i++) {
            char c = text[at + i];
            text[at + i] = text[other + i];
            text[other + i] = c;
        }
        return len;
    }
}

static void test_mutated(void **state) {
    (void)state;
    Stats s = {0};
    uint32_t seed = 20240229;
    for (int i = 0; i < FILES; i++) {
        Arena arena = {0};
        size_t len;
        char *text = load(&arena, files[i], &len);
        char *copy = ARENA_ARRAY(&arena, char, len + 1);
        for (int round = 0; round < 300; round++) {
            memcpy(copy, text, len);
            size_t now = len;
            for (uint32_t k = 0; k <= next_random(&seed) % 3; k++) now = damage(copy, now, &seed);
            try_text(copy, now, &s);
        }
        arena_free(&arena);
    }
    assert_true(s.parsed > 50 && s.refused > 500);
}

// Texts made to exhaust something.
static void test_hostile(void **state) {
    (void)state;
    enum { SIZE = 1 << 20 };
    static const struct {
        const char *before, *repeated, *what;
    } cases[] = {
        {".global .u32 x = ", "(", "nested too deeply"},
        {".global .u32 x = ", "-", "nested too deeply"},
        {".global .u32 x = 1", "?1:1", "nested too deeply"},
        {".entry k() {", "{", "nested too deeply"},
        {".global .u32 x[1] = ", "{", "dimensions"},
        {".global .u32 x", "[2]", "too many dimensions"},
        {".entry k() { .reg .b32 %r; mov", ".u32", "too many modifiers"},
        {".entry k() { .reg .b32 %r; mov.u32 ", "%r, ", "too many operands"},
        {"", "x", "longer than"},
        {"", "/* ", "no end"},
        {".global .u32 x[] = {", "1,", "end of the file"},
        {".entry k(", ".param .align 4 .b8 p[4000], ", "the parameters take more than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Arena arena = {0};
        Diag d = {0};
        char *text = malloc(SIZE + 200);
        int used = sprintf(text, ".version 7.8\n.target sm_80\n%s", cases[i].before);
        size_t n = strlen(cases[i].repeated);
        while (used + (int)n < SIZE) {
            memcpy(text + used, cases[i].repeated, n);
            used += (int)n;
        }
        text[used] = '\0';
        assert_null(ptx_parse(&arena, "hostile.ptx", text, (size_t)used, &d));
        if (!strstr(d.text, cases[i].what)) fail_msg("case %zu: %s", i, d.text);
        free(text);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_mutated),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
