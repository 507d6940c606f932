// SPDX-License-Identifier: Apache-2.0
#include "device/device_runtime.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(DeviceQueueHead) == DEVICE_QUEUE_HEAD &&
                   sizeof(DeviceQueueSlot) == DEVICE_QUEUE_SLOT &&
                   offsetof(DeviceQueueSlot, grid) == 8 && offsetof(DeviceQueueSlot, block) == 20 &&
                   offsetof(DeviceQueueSlot, shared) == 32 &&
                   offsetof(DeviceQueueSlot, order) == 36 && offsetof(DeviceQueueSlot, to) == 40 &&
                   offsetof(DeviceQueueSlot, params) == DEVICE_QUEUE_HEAD,
               "the layout that the bodies below have");

// Each body is one line, so that the following lines keep their numbers.
// %1: the address of the queue, %2: of its first slot, %3: slots, %4: bytes of a slot, %N: the
// function's name.
#define TAKE_SLOT \
    ".reg .b32 %n, %v; .reg .b64 %at, %w; .reg .pred %full; " \
    "mov.b64 %at, %1; atom.global.add.u32 %n, [%at], 1; setp.ge.u32 %full, %n, %3; @%full bra " \
    "$none; " \
    "mov.b64 %w, %2; mad.wide.u32 %at, %n, %4, %w; "
#define GIVE_ORDER \
    "mov.b64 %w, %1; atom.global.add.u32 %n, [%w+4], 1; add.u32 %n, %n, 1; st.global.u32 " \
    "[%at+36], %n; "
#define COPY_WORD(param, from, to) \
    "ld.param.b32 %v, [%N_param_" param "+" from "]; st.global.b32 [%at+" to "], %v; "
#define COPY_LONG(param, to) \
    "ld.param.b64 %w, [%N_param_" param "]; st.global.b64 [%at+" to "], %w; "
#define RETURN(value) "st.param.b32 [func_retval0], " value "; ret; "

static const struct Body {
    const char *name, *text;
} bodies[] = {
    // A handle is the address of the value (csrc/cuda/graphs.c).
    {"cudaGraphSetConditional",
     ".reg .b64 %at; .reg .b32 %v; ld.param.b64 %at, [%N_param_0]; ld.param.b32 %v, [%N_param_1]; "
     "st.volatile.global.b32 [%at], %v; ret; "},
    {"__cudaCDP2GetParameterBufferV2",
     TAKE_SLOT COPY_LONG("0", "0") COPY_WORD("1", "0", "8") COPY_WORD("1", "4", "12")
         COPY_WORD("1", "8", "16") COPY_WORD("2", "0", "20") COPY_WORD("2", "4", "24")
             COPY_WORD("2", "8", "28")
                 COPY_WORD("3", "0", "32") "st.global.b32 [%at+36], 0; add.s64 %at, %at, 64; "
                                           "st.param.b64 [func_retval0], %at; ret; "
                                           "$none: st.param.b64 [func_retval0], 0; ret; "},
    {"__cudaCDP2LaunchDeviceV2",
     ".reg .b32 %n; .reg .b64 %at, %w; ld.param.b64 %at, [%N_param_0]; sub.s64 %at, %at, "
     "64; " GIVE_ORDER RETURN("0")},
    {"__cudaCDP2MemcpyAsync",
     TAKE_SLOT "st.global.b64 [%at], 0; " COPY_LONG("0", "40") COPY_LONG("1", "48")
         COPY_LONG("2", "56") GIVE_ORDER RETURN("0") "$none: " RETURN("2")},
    {"__cudaCDP2StreamCreateWithFlags",
     ".reg .b64 %at; ld.param.b64 %at, [%N_param_0]; st.b64 [%at], 1; " RETURN("0")},
    {"__cudaCDP2StreamDestroy", RETURN("0")},
    {"__cudaCDP2GetLastError", RETURN("0")},
    {"__cudaCDP2PeekAtLastError", RETURN("0")},
    {"__cudaCDP2GetErrorString", "st.param.b64 [func_retval0], 0; ret; "},
    {"__cudaCDP2Malloc",
     ".reg .b64 %at, %w; .reg .pred %none; ld.param.b64 %at, [%N_param_0]; ld.param.b64 %w, "
     "[%N_param_1]; "
     "{ .param .b64 size; .param .b64 got; st.param.b64 [size], %w; call.uni (got), malloc, "
     "(size); ld.param.b64 %w, [got]; } "
     "st.b64 [%at], %w; setp.eq.u64 %none, %w, 0; @%none bra $none; " RETURN("0") "$none: " RETURN(
         "2")},
    {"__cudaCDP2Free",
     ".reg .b64 %w; ld.param.b64 %w, [%N_param_0]; { .param .b64 at; st.param.b64 [at], %w; "
     "call.uni free, (at); } " RETURN("0")},
};

static const char declares[] = ".extern .func";
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The address after the white space at `at` and a list in parentheses.
static const char *skip_space(const char *at, bool list) {
    while (is_space(*at)) at++;
    if (list && *at == '(') {
        const char *end = strchr(at, ')');
        if (end) return skip_space(end + 1, false);
    }
    return at;
}

// The declaration of a function; *word: from its results on. NULL: there is none.
static const char *find_declaration(const char *text, const char *name, const char **word) {
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, declares)); at += strlen(declares)) {
        *word = skip_space(at + strlen(declares), false);
        const char *is = skip_space(*word, true);
        if (!strncmp(is, name, n) && (is_space(is[n]) || is[n] == '(' || is[n] == ';')) return at;
    }
    return NULL;
}

// Does the module launch from the device?
static bool has_launches(const char *text) {
    const char *word;
    return find_declaration(text, "__cudaCDP2GetParameterBufferV2", &word) ||
        find_declaration(text, "__cudaCDP2MemcpyAsync", &word);
}

static const char *fill_body(Arena *arena, const struct Body *b, uint32_t queue) {
    const char *text = "";
    for (const char *at = b->text; *at;) {
        const size_t plain = at[0] == '%' && strchr("1234N", at[1]) ? 0 : strcspn(at + 1, "%") + 1;
        if (plain) text = arena_printf(arena, "%s%.*s", text, (int)plain, at), at += plain;
        else if (at[1] == 'N') text = arena_printf(arena, "%s%s", text, b->name), at += 2;
        else {
            const uint32_t value[] = {queue, queue + DEVICE_QUEUE_HEAD, DEVICE_QUEUE_SLOTS,
                                      DEVICE_QUEUE_SLOT};
            text = arena_printf(arena, "%s%u", text, value[at[1] - '1']);
            at += 2;
        }
    }
    return text;
}

// Declares malloc and free of the device heap before all functions, unless the module declares
// them.
static const char *with_heap(Arena *arena, const char *text) {
    const char *word, *size = strstr(text, ".address_size"), *at = size ? strchr(size, '\n') : NULL;
    if (!at) return text;
    const char *get = find_declaration(text, "malloc", &word)
        ? ""
        : ".extern .func (.param .b64 got) malloc (.param .b64 size); ";
    const char *put =
        find_declaration(text, "free", &word) ? "" : ".extern .func free (.param .b64 at); ";
    return arena_printf(arena, "%.*s\n%s%s%s", (int)(at - text), text, get, put, at + 1);
}

const char *device_runtime_bodies(Arena *arena, DeviceMemory *memory, const char *path,
                                  const char *text, uint32_t *queue, Diag *d) {
    if (!*queue && has_launches(text) &&
        !(*queue = device_alloc(memory, "device launches", DEVICE_QUEUE_BYTES)))
        return diag_fail(d, EXIT_USAGE, "%s: no device memory left for launches from the device",
                         path),
               NULL;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const char *word, *at = find_declaration(text, bodies[i].name, &word);
        if (at && strstr(bodies[i].text, "call.uni")) {
            text = with_heap(arena, text);
            at = find_declaration(text, bodies[i].name, &word);
        }
        const char *end = at ? strchr(at, ';') : NULL;
        if (!end) continue;
        text = arena_printf(arena, "%.*s.func %.*s {%s}%s", (int)(at - text), text,
                            (int)(end - word), word, fill_body(arena, &bodies[i], *queue), end + 1);
    }
    return text;
}
