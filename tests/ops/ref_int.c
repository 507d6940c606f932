// SPDX-License-Identifier: Apache-2.0
// Integer reference: 128-bit arithmetic and loops over single bits, in the words of the PTX manual.
#include "ref.h"

#include <string.h>

uint64_t ref_low(PtxType t, uint64_t v) {
    int bits = 8 * ptx_type_bytes(t);
    return bits == 64 ? v : v % ((uint64_t)1 << bits);
}

uint64_t ref_ext(PtxType t, uint64_t v) {
    int bits = 8 * ptx_type_bytes(t);
    v = ref_low(t, v);
    if (ptx_type_is_signed(t) && bits < 64 && v >= (uint64_t)1 << (bits - 1))
        v -= (uint64_t)1 << bits;
    return v;
}

static RefS128 number(PtxType t, uint64_t v) {
    return ptx_type_is_signed(t) ? (RefS128)(int64_t)ref_ext(t, v) : (RefS128)ref_low(t, v);
}

uint64_t ref_mul(PtxType t, PtxMulPart part, uint64_t a, uint64_t b) {
    RefS128 p = number(t, a) * number(t, b);
    if (!ptx_type_is_signed(t)) p = (RefS128)((RefU128)ref_low(t, a) * (RefU128)ref_low(t, b));
    if (part == PTX_PART_HI) p = (RefS128)((RefU128)p >> (8 * ptx_type_bytes(t)));
    return part == PTX_PART_WIDE ? (uint64_t)p : ref_low(t, (uint64_t)p);
}

uint64_t ref_div(PtxType t, bool rem, uint64_t a, uint64_t b) {
    RefS128 x = number(t, a), y = number(t, b);
    if (y == 0) return ref_low(t, ~0ull);
    return ref_low(t, (uint64_t)(rem ? x % y : x / y));
}

static int bit(uint64_t v, int i) { return (int)(v >> i & 1); }

uint64_t ref_bfe(PtxType t, uint64_t a, uint32_t b, uint32_t c) {
    int msb = 8 * ptx_type_bytes(t) - 1, pos = (int)(b & 0xff), len = (int)(c & 0xff), sign;
    if (!ptx_type_is_signed(t) || len == 0) sign = 0;
    else sign = bit(a, pos + len - 1 < msb ? pos + len - 1 : msb);
    uint64_t d = 0;
    for (int i = 0; i <= msb; i++)
        d |= (uint64_t)(i < len && pos + i <= msb ? bit(a, pos + i) : sign) << i;
    return d;
}

uint64_t ref_bfi(int bits, uint64_t a, uint64_t b, uint32_t c, uint32_t d) {
    int msb = bits - 1, pos = (int)(c & 0xff), len = (int)(d & 0xff);
    uint64_t f = b;
    for (int i = 0; i < len && pos + i <= msb; i++)
        f = (f & ~(1ull << (pos + i))) | (uint64_t)bit(a, i) << (pos + i);
    return f;
}

uint64_t ref_bfind(PtxType t, bool shiftamt, uint64_t a) {
    int msb = 8 * ptx_type_bytes(t) - 1;
    if (ptx_type_is_signed(t) && bit(a, msb)) a = ~a;
    uint32_t d = 0xffffffff;
    for (int i = msb; i >= 0; i--)
        if (bit(a, i)) {
            d = (uint32_t)i;
            break;
        }
    if (shiftamt && d != 0xffffffff) d = (uint32_t)msb - d;
    return d;
}

uint64_t ref_shift(PtxType t, bool left, uint64_t a, uint32_t n) {
    int bits = 8 * ptx_type_bytes(t);
    if (n > (uint32_t)bits) n = (uint32_t)bits;
    uint64_t r = 0;
    for (int i = 0; i < bits; i++) {
        int from = left ? i - (int)n : i + (int)n, b;
        if (left) b = from >= 0 ? bit(a, from) : 0;
        else b = from < bits ? bit(a, from) : ptx_type_is_signed(t) ? bit(a, bits - 1) : 0;
        r |= (uint64_t)b << i;
    }
    return r;
}

uint32_t ref_shf(bool left, bool wrap, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t n = wrap ? c % 32 : c > 32 ? 32 : c;
    if (left) return (uint32_t)(n == 32 ? a : n == 0 ? b : (b << n) | (a >> (32 - n)));
    return (uint32_t)(n == 32 ? b : n == 0 ? a : (b << (32 - n)) | (a >> n));
}

uint32_t ref_prmt(PtxPrmt mode, uint32_t a, uint32_t b, uint32_t c) {
    // Rows of the manual's tables: bytes d.b3 d.b2 d.b1 d.b0 for control values 0 to 3.
    static const char *const rows[7][4] = {{0},
                                           {"3210", "4321", "5432", "6543"},
                                           {"5670", "6701", "7012", "0123"},
                                           {"0000", "1111", "2222", "3333"},
                                           {"3210", "3211", "3222", "3333"},
                                           {"0000", "1110", "2210", "3210"},
                                           {"1010", "3232", "1010", "3232"}};
    uint8_t source[8], d[4];
    memcpy(source, &a, 4);
    memcpy(source + 4, &b, 4);
    for (int i = 0; i < 4; i++) {
        if (mode != PTX_PRMT_NONE) {
            d[i] = source[rows[mode][c & 3][3 - i] - '0'];
            continue;
        }
        uint32_t s = c >> (4 * i) & 0xf;
        uint8_t byte = source[s & 7];
        d[i] = s & 8 ? (byte >> 7 ? 0xff : 0) : byte;
    }
    uint32_t r;
    memcpy(&r, d, 4);
    return r;
}

uint32_t ref_lop3(uint32_t a, uint32_t b, uint32_t c, uint8_t lut) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) {
        int index = bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i);
        r |= (uint32_t)(lut >> index & 1) << i;
    }
    return r;
}

uint32_t ref_fns(uint32_t mask, uint32_t base, int32_t offset) {
    if (base > 31) return 0xffffffff;
    if (offset == 0) return bit(mask, (int)base) ? base : 0xffffffff;
    int64_t count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    int inc = offset > 0 ? 1 : -1;
    for (int pos = (int)base; pos >= 0 && pos < 32; pos += inc) {
        if (!bit(mask, pos)) continue;
        if (count == 0) return (uint32_t)pos;
        count--;
    }
    return 0xffffffff;
}

uint32_t ref_bmsk(bool wrap, uint32_t a, uint32_t b) {
    uint32_t d = 0;
    uint64_t start = wrap ? a % 32 : a, len = wrap ? b % 32 : b;
    for (uint64_t i = 0; i < 32; i++)
        if (i >= start && i < start + len) d |= 1u << i;
    return d;
}

uint32_t ref_szext(bool is_signed, bool wrap, uint32_t a, uint32_t b) {
    uint32_t n = wrap ? b % 32 : b, d = 0;
    if (n >= 32) return a;
    if (n == 0) return 0;
    for (uint32_t i = 0; i < 32; i++) {
        int v = i < n ? bit(a, (int)i) : is_signed ? bit(a, (int)n - 1) : 0;
        d |= (uint32_t)v << i;
    }
    return d;
}

static int64_t element(uint32_t v, int bytes, int i, bool is_signed) {
    PtxType t = bytes == 1 ? (is_signed ? PTX_S8 : PTX_U8) : (is_signed ? PTX_S16 : PTX_U16);
    return (int64_t)ref_ext(t, v >> (8 * bytes * i));
}

uint32_t ref_dot(int bytes_a, bool as, bool bs, bool hi, uint32_t a, uint32_t b, uint32_t c) {
    int64_t sum = (int64_t)c;
    for (int i = 0; i < 4 / bytes_a; i++)
        sum += element(a, bytes_a, i, as) * element(b, 1, i + (hi ? 2 : 0), bs);
    return (uint32_t)sum;
}

uint32_t ref_vabsdiff(int bytes, bool as, bool bs, bool ds, bool add, bool sat, uint32_t a,
                      uint32_t b, uint32_t c) {
    uint64_t sum = c;
    uint32_t packed = 0;
    int64_t most = ((int64_t)1 << (8 * bytes - ds)) - 1;
    for (int i = 0; i < 4 / bytes; i++) {
        int64_t d = element(a, bytes, i, as) - element(b, bytes, i, bs);
        if (d < 0) d = -d;
        if (sat && d > most) d = most;
        sum += (uint64_t)d;
        packed |= (uint32_t)((uint64_t)d % (1ull << (8 * bytes)) << (8 * bytes * i));
    }
    return add ? (uint32_t)sum : packed;
}

uint64_t ref_atomic(PtxAtom op, PtxType t, bool global, uint64_t old, uint64_t b, uint64_t c) {
    RefS128 x = number(t, old), y = number(t, b);
    switch (op) {
    case PTX_ATOM_ADD:
        if (ptx_type_is_float(t))
            return ref_fp(REF_ADD, t, PTX_RN, global && t == PTX_F32, false, old, b, 0);
        return ref_low(t, old + b);
    case PTX_ATOM_MIN: return ref_low(t, x < y ? old : b);
    case PTX_ATOM_MAX: return ref_low(t, x > y ? old : b);
    case PTX_ATOM_INC: return x >= y ? 0 : ref_low(t, old + 1);
    case PTX_ATOM_DEC: return x == 0 || x > y ? ref_low(t, b) : ref_low(t, old - 1);
    case PTX_ATOM_AND: return ref_low(t, old & b);
    case PTX_ATOM_OR: return ref_low(t, old | b);
    case PTX_ATOM_XOR: return ref_low(t, old ^ b);
    case PTX_ATOM_EXCH: return ref_low(t, b);
    default: return ref_low(t, x == y ? c : old);  // cas
    }
}

// ---- operand values ----

static const uint64_t edges_f16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01,
    0x3bff, 0x3800, 0xb800, 0x3e00, 0x4000, 0x4100, 0x4200, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
    0x7e00, 0x7d01, 0xfe55, 0x5800, 0x57f0, 0x6400, 0x6c01, 0x77ff, 0x7800, 0xf800};
static const uint64_t edges_f32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00000002, 0x007fffff, 0x807fffff, 0x00800000,
    0x80800000, 0x00800001, 0x01000000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0xbf7fffff,
    0x3f000000, 0xbf000000, 0x3f000001, 0x3effffff, 0x3fc00000, 0xbfc00000, 0x40000000, 0xc0000000,
    0x40200000, 0x40400000, 0xc0600000, 0x40490fdb, 0xc0490fdb, 0x3fc90fdb, 0x40c90fdb, 0x3eaaaaab,
    0x42fe0000, 0x43000000, 0xc3170000, 0xc2fc0000, 0x43160000, 0x47000000, 0x477fff00, 0x477ff000,
    0x47800000, 0x4affffff, 0x4b000000, 0x4b7fffff, 0x4b800000, 0xcb800001, 0x4effffff, 0x4f000000,
    0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001,
    0x5f7fffff, 0x5f800000, 0x7e800000, 0xfe800000, 0x7e800001, 0x7f000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fffffff, 0x7f800001, 0xffa12345, 0x33800000,
    0x33000000, 0x38d1b717, 0x42b17218};
static const uint64_t edges_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x0010000000000001, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
    0x3fefffffffffffff, 0x3fe0000000000000, 0xbfe0000000000000, 0x3fdfffffffffffff,
    0x3ff8000000000000, 0xbff8000000000000, 0x4000000000000000, 0xc004000000000000,
    0x400921fb54442d18, 0x3fd5555555555555, 0x4060000000000000, 0x40dfffc000000000,
    0x40efffe000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,
    0xc1e0000000200000, 0x41efffffffe00000, 0x41efffffffffffff, 0x41f0000000000000,
    0x4330000000000000, 0x4340000000000000, 0x43dfffffffffffff, 0x43e0000000000000,
    0xc3e0000000000000, 0xc3e0000000000001, 0x43efffffffffffff, 0x43f0000000000000,
    0x7fe0000000000000, 0xffe0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000,
    0x7ff0000000000001, 0xfff4000000012345, 0x36a0000000000000, 0x3690000000000000,
    0x3690000000000001, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
    0x380fffffffffffff, 0x3810000000000000, 0x380fffffc0000000, 0x3ca0000000000000,
    0x3c90000000000000};
static const uint64_t edges_int[] = {0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     5,
                                     7,
                                     8,
                                     15,
                                     16,
                                     17,
                                     24,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     127,
                                     128,
                                     129,
                                     255,
                                     256,
                                     257,
                                     0x7fff,
                                     0x8000,
                                     0x8001,
                                     0xfffe,
                                     0xffff,
                                     0x10000,
                                     0x10001,
                                     0x7ffffe,
                                     0x7fffff,
                                     0x800000,
                                     0xffffff,
                                     0x1000000,
                                     0x55555555,
                                     0xaaaaaaaa,
                                     0x12345678,
                                     0x7ffffffe,
                                     0x7fffffff,
                                     0x80000000,
                                     0x80000001,
                                     0xfffffff0,
                                     0xfffffffe,
                                     0xffffffff,
                                     0x100000000,
                                     0x100000001,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0x8000000000000001,
                                     0xfffffffffffffffe,
                                     0xffffffffffffffff,
                                     0xffffffff80000000,
                                     0xffffffff7fffffff,
                                     0x0123456789abcdef,
                                     0xfedcba9876543210,
                                     0xffffffff00000000,
                                     0xffffffffffff8000,
                                     0xffffffffffffff80};

static const uint64_t edges_bf16[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x807f, 0x80,
                                      0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3f00, 0x4000, 0xc000,
                                      0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81,
                                      0x3eaa, 0x4049, 0x4f00, 0x4b80, 0x0100, 0x7e80};

int ref_edges(PtxType t, const uint64_t **values) {
#define LIST(a) (*values = (a), (int)(sizeof(a) / sizeof *(a)))
    if (t == PTX_F16) return LIST(edges_f16);
    if (t == PTX_BF16) return LIST(edges_bf16);
    if (t == PTX_F16X2 || t == PTX_BF16X2) {  // every edge in either half
        static uint64_t pairs[2][64];
        const uint64_t *each;
        const int n = ref_edges(t == PTX_F16X2 ? PTX_F16 : PTX_BF16, &each);
        uint64_t *to = pairs[t == PTX_BF16X2];
        for (int i = 0; i < n; i++) to[i] = each[i] | each[(i * 7 + 3) % n] << 16;
        *values = to;
        return n;
    }
    if (t == PTX_F32) return LIST(edges_f32);
    if (t == PTX_F64) return LIST(edges_f64);
    return LIST(edges_int);
#undef LIST
}

uint64_t ref_random(uint64_t *s) {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s * 0x2545f4914f6cdd1dull;
}

uint64_t ref_value(PtxType t, uint64_t *state) {
    uint64_t r = ref_random(state), pick = ref_random(state);
    if (pick % 4 == 0) {
        const uint64_t *edges;
        int n = ref_edges(t, &edges);
        return ref_low(t, edges[r % (uint64_t)n]);
    }
    if (pick % 4 == 1) return ref_low(t, r);
    if (t == PTX_F32) return (r & 0x807fffff) | (uint64_t)(127 - 32 + (r >> 40) % 64) << 23;
    if (t == PTX_F64)
        return (r & 0x800fffffffffffff) | (uint64_t)(1023 - 40 + (pick >> 8) % 80) << 52;
    if (t == PTX_F16) return ref_low(t, r);
    if (t == PTX_BF16) return (r & 0x807f) | (uint64_t)(127 - 20 + (r >> 40) % 40) << 7;
    if (t == PTX_F16X2 || t == PTX_BF16X2) {
        const PtxType each = t == PTX_F16X2 ? PTX_F16 : PTX_BF16;
        const uint64_t low = ref_value(each, state);
        return low | ref_value(each, state) << 16;
    }
    return ref_low(
        t, pick % 4 == 2 ? r >> ((pick >> 8) % 64) : (uint64_t)((int64_t)r >> ((pick >> 8) % 64)));
}
