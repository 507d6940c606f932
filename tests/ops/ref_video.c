// SPDX-License-Identifier: Apache-2.0
// One video instruction from its text, in the steps of the PTX manual: a small reader of its own,
// elements in arrays.
#include "ref.h"

#include <stdlib.h>
#include <string.h>

typedef struct Video {
    char word[12][12];  // of the mnemonic: opcode, then modifiers
    int nwords;
    struct {
        bool negated;
        char part;
        char digits[8];
    } o[4];
    char name[16];  // opcode without its width
    int lanes;
    bool is_signed[3];  // types as written
    int ntypes;
} Video;

static bool has(const Video *v, const char *word) {
    for (int i = 1; i < v->nwords; i++)
        if (!strcmp(v->word[i], word)) return true;
    return false;
}

static void read_operand(Video *v, int i, const char *s) {
    v->o[i].negated = *s == '-';
    const char *dot = strchr(s, '.');
    if (!dot) return;
    v->o[i].part = dot[1];
    memcpy(v->o[i].digits, dot + 2, strlen(dot + 2));
}

static Video read_text(const char *text, size_t n) {
    Video v = {.lanes = 1};
    char copy[160] = "", *at, *op;
    memcpy(copy, text, n);
    char *operands = strchr(copy, ' ');
    *operands++ = 0;
    for (op = strtok_r(copy, ".", &at); op; op = strtok_r(NULL, ".", &at))
        strcpy(v.word[v.nwords++], op);
    op = strtok_r(operands, ", ", &at);
    for (int i = 0; op; op = strtok_r(NULL, ", ", &at)) read_operand(&v, i++, op);
    size_t len = strlen(v.word[0]);
    memcpy(v.name, v.word[0], len);
    if (v.name[len - 1] == '2' || v.name[len - 1] == '4')
        v.lanes = v.name[len - 1] - '0', v.name[len - 1] = 0;
    for (int i = 1; i < v.nwords; i++) {
        const bool s = !strcmp(v.word[i], "s32");
        if (s || !strcmp(v.word[i], "u32")) v.is_signed[v.ntypes++] = s;
    }
    return v;
}

static int64_t limit(int64_t v, int bits, bool is_signed) {
    int64_t top = (int64_t)1 << (is_signed ? bits - 1 : bits), bottom = is_signed ? -top : 0;
    if (v >= top) return top - 1;
    return v < bottom ? bottom : v;
}

// partSelectSignExtend
static int64_t select_part(uint32_t r, char part, const char *digits, bool is_signed) {
    const int n = digits[0] - '0';
    if (part == 'b')
        return is_signed ? (int64_t)(int8_t)(r >> 8 * n) : (int64_t)(uint8_t)(r >> 8 * n);
    if (part == 'h')
        return is_signed ? (int64_t)(int16_t)(r >> 16 * n) : (int64_t)(uint16_t)(r >> 16 * n);
    return is_signed ? (int64_t)(int32_t)r : (int64_t)r;
}

static bool compared(const Video *v, int64_t x, int64_t y) {
    return (has(v, "eq") && x == y) || (has(v, "ne") && x != y) || (has(v, "lt") && x < y) ||
        (has(v, "le") && x <= y) || (has(v, "gt") && x > y) || (has(v, "ge") && x >= y);
}

static int64_t operate(const Video *v, int64_t x, int64_t y) {
    if (!strcmp(v->name, "vadd")) return x + y;
    if (!strcmp(v->name, "vsub")) return x - y;
    if (!strcmp(v->name, "vavrg")) return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    if (!strcmp(v->name, "vabsdiff")) return x - y < 0 ? y - x : x - y;
    if (!strcmp(v->name, "vmin")) return x < y ? x : y;
    if (!strcmp(v->name, "vmax")) return x > y ? x : y;
    return compared(v, x, y);
}

static uint32_t merge(uint32_t c, char part, const char *digits, uint32_t v) {
    const int bits = part == 'b' ? 8 : 16, at = bits * (digits[0] - '0');
    for (int i = 0; i < bits; i++) c = (c & ~(1u << (at + i))) | (v >> i & 1) << (at + i);
    return c;
}

static RefS128 shifted(const Video *v, int64_t x, int64_t n) {
    RefS128 r = x;
    if (has(v, "clamp") && n > 32) n = 32;
    if (has(v, "wrap")) n &= 31;
    for (; n > 0; n--) r = !strcmp(v->name, "vshl") ? r * 2 : r >> 1;
    return r;
}

static uint32_t scalar(const Video *v, uint32_t a, uint32_t b, uint32_t c) {
    const bool set = !strcmp(v->name, "vset"),
               shift = !strcmp(v->name, "vshl") || !strcmp(v->name, "vshr");
    const bool result = !set && v->is_signed[0];
    const int64_t x = select_part(a, v->o[1].part, v->o[1].digits, v->is_signed[set ? 0 : 1]);
    const int64_t y = select_part(b, v->o[2].part, v->o[2].digits, v->is_signed[set ? 1 : 2]);
    RefS128 t = shift ? shifted(v, x, y) : operate(v, x, y);
    const int bits = v->o[0].part == 'b' ? 8 : v->o[0].part ? 16 : 32;
    const RefS128 far = (RefS128)1 << 62;
    if (has(v, "sat")) t = limit((int64_t)(t > far ? far : t < -far ? -far : t), bits, result);
    if (v->o[0].part) return merge(c, v->o[0].part, v->o[0].digits, (uint32_t)t);
    const RefS128 z = result ? (RefS128)(int32_t)c : (RefS128)c;
    if (has(v, "add")) t += z;
    if (has(v, "min") && z < t) t = z;
    if (has(v, "max") && z > t) t = z;
    return (uint32_t)t;
}

// vmad, with 128 bits.
static uint32_t mad(const Video *v, uint32_t a, uint32_t b, uint32_t c) {
    const bool final = v->is_signed[1] || v->is_signed[2] || (v->o[1].negated != v->o[2].negated) ||
        v->o[3].negated;
    RefS128 t = (RefS128)select_part(a, v->o[1].part, v->o[1].digits, v->is_signed[1]) *
        select_part(b, v->o[2].part, v->o[2].digits, v->is_signed[2]);
    int lsb = 0;
    if (has(v, "po")) lsb = 1;
    else if (v->o[1].negated != v->o[2].negated) t = ~t, lsb = 1;
    else if (v->o[3].negated) c = ~c, lsb = 1;
    t += (final ? (RefS128)(int32_t)c : (RefS128)c) + lsb;
    if (has(v, "shr7")) t >>= 7;
    if (has(v, "shr15")) t >>= 15;
    if (!has(v, "sat")) return (uint32_t)t;
    const RefS128 most = final ? INT32_MAX : UINT32_MAX, least = final ? INT32_MIN : 0;
    return (uint32_t)(t > most ? most : t < least ? least : t);
}

static uint32_t simd(const Video *v, uint32_t a, uint32_t b, uint32_t c) {
    const bool set = !strcmp(v->name, "vset");
    const int n = v->lanes, bits = 32 / n;
    int64_t t[4];
    const uint32_t word[2] = {a, b};
    for (int i = 0; i < n; i++) {
        int64_t x[2];
        for (int k = 0; k < 2; k++) {
            const char *digits = v->o[k + 1].digits;
            const int pick = v->o[k + 1].part ? digits[n - 1 - i] - '0' : i + k * n;
            const char one[2] = {(char)('0' + pick % n), 0};
            x[k] =
                select_part(word[pick / n], n == 4 ? 'b' : 'h', one, v->is_signed[set ? k : k + 1]);
        }
        t[i] = operate(v, x[0], x[1]);
        if (has(v, "sat")) t[i] = limit(t[i], bits, v->is_signed[0]);
    }
    uint32_t d = c;
    for (int i = 0; i < n; i++) {
        const char one[2] = {(char)('0' + i), 0};
        if (v->o[0].part && !strchr(v->o[0].digits, one[0])) continue;
        d = has(v, "add") ? d + (uint32_t)t[i] : merge(d, n == 4 ? 'b' : 'h', one, (uint32_t)t[i]);
    }
    return d;
}

uint32_t ref_video(const char *text, size_t n, uint32_t a, uint32_t b, uint32_t c) {
    const Video v = read_text(text, n);
    if (!strcmp(v.name, "vmad")) return mad(&v, a, b, c);
    return v.lanes == 1 ? scalar(&v, a, b, c) : simd(&v, a, b, c);
}
