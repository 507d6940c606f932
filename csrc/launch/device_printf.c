// SPDX-License-Identifier: Apache-2.0
// printf of kernels. Each conversion is rebuilt for the host's printf with the length that the
// value has here.
#include "launch/device_printf.h"

#include <string.h>

enum { STRING_LIMIT = 1 << 16, SPEC_CHARS = 32, FIELD_LIMIT = 4096 };

typedef struct Printer {
    FILE *out;
    DeviceRead read;
    void *ctx;
    uint64_t list;
    int count;
} Printer;

bool device_string(DeviceRead read, void *ctx, uint64_t addr, char *buf, size_t size) {
    for (size_t i = 0; i + 1 < size; i++) {
        if (!read(ctx, addr + i, &buf[i], 1)) {
            snprintf(buf, size, "(unreadable)");
            return false;
        }
        if (!buf[i]) return true;
    }
    buf[size - 1] = '\0';
    return true;
}

static bool next_argument(Printer *p, uint32_t bytes, uint64_t *value) {
    uint64_t at = (p->list + bytes - 1) / bytes * bytes;
    *value = 0;
    p->list = at + bytes;
    return p->read(p->ctx, at, value, bytes);
}

static bool next_int(Printer *p, int *value) {
    uint64_t v;
    if (!next_argument(p, 4, &v)) return false;
    *value = (int)(uint32_t)v;
    if (*value > FIELD_LIMIT) *value = FIELD_LIMIT;
    if (*value < -FIELD_LIMIT) *value = -FIELD_LIMIT;
    return true;
}

typedef struct Spec {
    char flags[8];
    int width, precision;  // -1: absent
    char length[3];
    char conversion;
} Spec;

static bool is_flag(char c) { return c && strchr("-+ #0", c); }

static const char *parse_number(Printer *p, const char *s, int *value, bool *ok) {
    if (*s == '*') {
        *ok &= next_int(p, value);
        return s + 1;
    }
    *value = 0;
    while (*s >= '0' && *s <= '9') {
        if (*value < FIELD_LIMIT) *value = *value * 10 + (*s - '0');
        s++;
    }
    if (*value > FIELD_LIMIT) *value = FIELD_LIMIT;
    return s;
}

// Parses behind '%'; returns the character after the conversion, NULL if there is none.
static const char *parse_spec(Printer *p, const char *s, Spec *spec, bool *ok) {
    size_t n = 0;
    *spec = (Spec){.width = -1, .precision = -1};
    for (; is_flag(*s); s++)
        if (n < sizeof spec->flags - 2 && !strchr(spec->flags, *s)) spec->flags[n++] = *s;
    if (*s == '*' || (*s >= '1' && *s <= '9')) s = parse_number(p, s, &spec->width, ok);
    if (spec->width < -1) {  // a negative * is the flag - and the width
        if (!strchr(spec->flags, '-')) spec->flags[n++] = '-';
        spec->width = -spec->width;
    }
    if (*s == '.') s = parse_number(p, s + 1, &spec->precision, ok);
    for (n = 0; *s && strchr("hlzjtL", *s); s++)
        if (n < sizeof spec->length - 1) spec->length[n++] = *s;
    spec->conversion = *s;
    return *s ? s + 1 : NULL;
}

// "%-08.3" without length and conversion.
static void rebuild_spec(const Spec *spec, const char *length, char *buf, size_t size) {
    int n = snprintf(buf, size, "%%%s", spec->flags);
    if (spec->width >= 0) n += snprintf(buf + n, size - (size_t)n, "%d", spec->width);
    if (spec->precision >= 0) n += snprintf(buf + n, size - (size_t)n, ".%d", spec->precision);
    snprintf(buf + n, size - (size_t)n, "%s%c", length, spec->conversion);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static bool print_integer(Printer *p, const Spec *spec) {
    char f[SPEC_CHARS + 8];
    uint64_t v;
    bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
    bool wide = spec->length[0] && spec->length[0] != 'h';
    if (!next_argument(p, wide ? 8 : 4, &v)) return false;
    if (!strcmp(spec->length, "h")) v = is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
    else if (!strcmp(spec->length, "hh")) v = is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
    else if (!wide && is_signed) v = (uint64_t)(int64_t)(int32_t)v;
    rebuild_spec(spec, "ll", f, sizeof f);
    if (p->out) fprintf(p->out, f, (unsigned long long)v);
    return true;
}

static bool print_float(Printer *p, const Spec *spec) {
    char f[SPEC_CHARS + 8];
    uint64_t v;
    double x;
    if (!next_argument(p, 8, &v)) return false;
    memcpy(&x, &v, 8);
    rebuild_spec(spec, "", f, sizeof f);
    if (p->out) fprintf(p->out, f, x);
    return true;
}

static bool print_text(Printer *p, const Spec *spec) {
    char f[SPEC_CHARS + 8], text[STRING_LIMIT];
    uint64_t v;
    rebuild_spec(spec, "", f, sizeof f);
    if (spec->conversion == 'c') {
        if (!next_argument(p, 4, &v)) return false;
        if (p->out) fprintf(p->out, f, (int)(uint32_t)v);
        return true;
    }
    if (!next_argument(p, 8, &v)) return false;
    if (spec->conversion == 'p') {
        if (p->out) fprintf(p->out, f, (void *)(uintptr_t)v);
        return true;
    }
    if (!v) snprintf(text, sizeof text, "(null)");
    else if (!device_string(p->read, p->ctx, v, text, sizeof text)) return false;
    if (p->out) fprintf(p->out, f, text);
    return true;
}
#pragma GCC diagnostic pop

static bool print_one(Printer *p, const Spec *spec) {
    p->count++;
    if (spec->conversion && strchr("diuoxX", spec->conversion)) return print_integer(p, spec);
    if (spec->conversion && strchr("fFeEgGaA", spec->conversion)) return print_float(p, spec);
    if (spec->conversion && strchr("csp", spec->conversion)) return print_text(p, spec);
    return false;
}

int device_printf(FILE *out, DeviceRead read, void *ctx, uint64_t format, uint64_t list) {
    char text[STRING_LIMIT];
    Printer p = {out, read, ctx, list, 0};
    if (!format || !device_string(read, ctx, format, text, sizeof text)) return -1;
    for (const char *s = text; *s;) {
        const char *percent = strchr(s, '%');
        size_t plain = percent ? (size_t)(percent - s) : strlen(s);
        if (out && plain) fwrite(s, 1, plain, out);
        if (!percent) break;
        s = percent + 1;
        if (*s == '%') {
            if (out) fputc('%', out);
            s++;
            continue;
        }
        Spec spec;
        bool ok = true;
        s = parse_spec(&p, s, &spec, &ok);
        if (!s || !ok || !print_one(&p, &spec)) return -2;
    }
    return p.count;
}
