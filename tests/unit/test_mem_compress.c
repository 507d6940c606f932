// SPDX-License-Identifier: Apache-2.0
// The line codecs bit by bit: lines with known images, round trips of random and adversarial lines.
#include "mem/line_compress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RAW = -1 };

typedef union Line {
    uint8_t b[COMPRESS_LINE];
    uint16_t h[64];
    uint32_t w[32];
    uint64_t d[16];
    float f[32];
} Line;

static Line line_t14(void) {
    static const uint32_t four[] = {0x11111100, 0x22222200, 0x33333300, 0};
    Line t;
    for (int i = 0; i < 32; i++) t.w[i] = four[i % 4];
    return t;
}

static Line line_of(int number) {
    static const uint32_t five[] = {0x11111100, 0x22222200, 0x33333300, 0x44444400, 0};
    Line t = {{0}};
    if (number == 14 || number == 15) t = line_t14();
    for (int i = 0; i < 16; i++) {
        uint64_t i64 = (uint64_t)i;
        int pair = number == 4 ? i ^ 1 : i;
        switch (number) {
        case 2: t.d[i] = 0x1122334455667788; break;
        case 3:
        case 4: t.d[i] = pair % 2 ? 8 * (uint64_t)pair - 8 : 0x8001D000 + 4 * (uint64_t)pair; break;
        case 21: t.d[i] = 0xffffffff + i64; break;
        case 30: t.d[i] = 0x7f0012345600 + 256 * i64; break;
        default: break;
        }
    }
    for (int i = 0; i < 32; i++) {
        uint32_t u = (uint32_t)i;
        switch (number) {
        case 5: t.w[i] = u; break;
        case 6: t.w[i] = 0x40000000 + u; break;
        case 7: t.w[i] = 1000 * u; break;
        case 8: t.f[i] = (float)i; break;
        case 9: t.w[i] = i % 2 ? 0x80000000 + (i == 31) : 0x7fffffff; break;
        case 10:
        case 11: t.w[i] = i % 2 ? 127 : (uint32_t)-128; break;
        case 13: t.w[i] = u % 2 ? 5 : u % 4 ? 0 : 100000; break;
        case 15: t.w[i] += u / 4; break;
        case 16: t.w[i] = five[i % 5]; break;
        case 17:
            t.w[i] = i < 8 ? 0 : i < 16 ? 7 - u : i < 24 ? (0x4141 + u - 16) << 16 : 0x5a5a5a5a;
            break;
        case 29: t.w[i] = i < 8 ? 0 : (u - 7) * 0x9e3779b9; break;
        default: break;
        }
    }
    if (number == 10 || number == 11) t.w[30] = 300, t.w[31] = 417u + (uint32_t)number;
    for (int i = 0; number == 12 && i < 64; i++) t.h[i] = (uint16_t)(0x7000 + 37 * i % 100);
    return t;
}

// Bytes of the image; RAW: not compressed. bdi: encoding; patterns: of FPC, segment 3 first.
typedef struct Vector {
    int number, encoding, bdi, fpc, patterns, cpack;
} Vector;

static const Vector VECTORS[] = {
    {1, 0, 1, 4, 0, 20},         {2, 1, 16, RAW, 0, 28},        {3, 2, 32, RAW, 0, 56},
    {4, 2, 32, RAW, 0, 56},      {5, 5, 44, 36, 0x1111, 52},    {6, 5, 44, RAW, 0, 56},
    {7, 6, 76, 68, 0x2222, RAW}, {8, 0, RAW, 68, 0x3333, RAW},  {9, 5, 44, RAW, 0, 60},
    {10, 5, 44, 44, 0x2111, 60}, {11, 6, 76, 44, 0x2111, 60},   {12, 7, 76, RAW, 0, RAW},
    {13, 5, 44, RAW, 0, 56},     {14, 4, 80, RAW, 0, 32},       {15, 0, RAW, RAW, 0, 64},
    {16, 0, RAW, RAW, 0, RAW},   {17, 0, RAW, 36, 0x5310, RAW}, {21, 2, 32, 36, 0x1111, 56},
    {29, 0, RAW, RAW, 0, RAW},   {30, 3, 48, RAW, 0, RAW}};

static void check_image(CompressCodec codec, const Vector *v, int bytes) {
    Line line = line_of(v->number), again;
    uint8_t image[COMPRESS_IMAGE];
    int got = compress_line(codec, line.b, image);
    if (got != (bytes == RAW ? 0 : bytes))
        fail_msg("T%d, %s: %d bytes, expected %d", v->number, compress_name[codec], got, bytes);
    if (!got) return;
    assert_int_equal(image[0] >> 4, codec);
    if (codec == COMPRESS_BDI) assert_int_equal(image[0] & 15, v->encoding);
    if (codec == COMPRESS_FPC) assert_int_equal(image[2] | image[3] << 8, v->patterns);
    for (int i = got; i < COMPRESS_IMAGE; i++) assert_int_equal(image[i], 0);
    assert_true(decompress_line(image, again.b));
    assert_memory_equal(again.b, line.b, COMPRESS_LINE);
}

static void test_vectors(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++) {
        check_image(COMPRESS_BDI, &VECTORS[i], VECTORS[i].bdi);
        check_image(COMPRESS_FPC, &VECTORS[i], VECTORS[i].fpc);
        check_image(COMPRESS_CPACK, &VECTORS[i], VECTORS[i].cpack);
    }
}

static void check_bytes(CompressCodec codec, int number, const char *hex) {
    Line line = line_of(number);
    uint8_t image[COMPRESS_IMAGE];
    int bytes = compress_line(codec, line.b, image);
    assert_int_equal(bytes, strlen(hex) / 2);
    for (int i = 0; i < bytes; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        if (image[i] != byte)
            fail_msg("T%d: byte %d is %02x, expected %02x", number, i, image[i], byte);
    }
}

static void test_bytes(void **state) {
    (void)state;
    check_bytes(COMPRESS_BDI, 3,
                "02005555"
                "00000000"
                "00d00180"
                "00000000"
                "00000810"
                "10201830"
                "20402850"
                "30603870");
    check_bytes(COMPRESS_BDI, 4,
                "0200aaaa"
                "00000000"
                "00d00180"
                "00000000"
                "00001008"
                "20103018"
                "40205028"
                "60307038");
    check_bytes(COMPRESS_CPACK, 14,
                "20030000"
                "21032103"
                "21032103"
                "21032103"
                "21032103"
                "00111111"
                "00222222"
                "00333333");
    check_bytes(COMPRESS_FPC, 17,
                "10001053"
                "fffefdfc"
                "fbfaf9f8"
                "41414241"
                "43414441"
                "45414641"
                "47414841"
                "5a5a5a5a"
                "5a5a5a5a");
}

// With the first value as base fewer lines fit (T4, T10). T13: the order of trial is by image, not
// by base.
static void test_base_and_trial(void **state) {
    (void)state;
    static const struct {
        int number, first_bytes;
    } lines[] = {{3, 32}, {4, 0}, {9, 44}, {10, 76}, {11, 76}, {5, 44}};
    uint8_t image[COMPRESS_IMAGE];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        Line line = line_of(lines[i].number);
        assert_int_equal(compress_bdi(line.b, -1, BDI_BASE_FIRST_BYTES, image),
                         lines[i].first_bytes);
    }
    Line t13 = line_of(13);
    assert_int_equal(compress_bdi(t13.b, 4, BDI_BASE_FIRST_MISFIT, image), 80);
}

static void test_best(void **state) {
    (void)state;
    static const struct {
        int number, bytes, codec;
    } lines[] = {{1, 1, COMPRESS_BDI},
                 {5, 44, COMPRESS_BDI},
                 {8, 68, COMPRESS_FPC},
                 {14, 32, COMPRESS_CPACK},
                 {16, 0, 0},
                 {15, 64, COMPRESS_CPACK},
                 {17, 36, COMPRESS_FPC},
                 {11, 60, COMPRESS_CPACK}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        Line line = line_of(lines[i].number);
        uint8_t image[COMPRESS_IMAGE];
        assert_int_equal(compress_line(COMPRESS_BEST, line.b, image), lines[i].bytes);
        if (lines[i].bytes) assert_int_equal(image[0] >> 4, lines[i].codec);
    }
}

// T14 is C-Pack's in one burst and BDI's in three; T17 is FPC's in two, and of no other codec.
static void test_cheapest(void **state) {
    (void)state;
    static const struct {
        int number, cpack, fpc, codec;  // prices of decompression; a burst is 10, BDI's 0
    } cases[] = {{14, 19, 0, COMPRESS_CPACK}, {14, 20, 0, COMPRESS_BDI}, {14, 21, 0, COMPRESS_BDI},
                 {17, 0, 19, COMPRESS_FPC},   {17, 0, 20, -1},           {16, 0, 0, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const CompressPrices prices = {
            .burst = 10,
            .decompress = {[COMPRESS_CPACK] = cases[i].cpack, [COMPRESS_FPC] = cases[i].fpc}};
        Line line = line_of(cases[i].number);
        uint8_t image[COMPRESS_IMAGE];
        const int bytes = compress_cheapest(&prices, line.b, image);
        assert_int_equal(bytes ? image[0] >> 4 : -1, cases[i].codec);
    }
}

// ---- random and adversarial lines ----

static uint64_t random_state = 88172645463325252u;
static uint64_t rnd(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

// Values of 1 to 8 bytes around a base or zero, at the edges of a delta's range.
static Line edges(void) {
    Line t;
    int n = 2 << rnd() % 3, k = 1 << rnd() % 3;
    uint64_t base = rnd() % 4 ? rnd() : (uint64_t)1 << rnd() % 64,
             edge = (uint64_t)1 << (8 * k - 1);
    int near = (int)(rnd() % 8);
    for (int at = 0; at < COMPRESS_LINE; at += n) {
        uint64_t v = rnd() % 3 ? base : 0;
        switch (rnd() % 8 + (uint64_t)near) {
        case 0: v -= edge + 1; break;
        case 1: v += edge; break;
        case 2:
        case 3: v -= edge; break;
        case 4:
        case 5: v += edge - 1; break;
        default: v += rnd() % edge; break;
        }
        memcpy(t.b + at, &v, (size_t)n);
    }
    return t;
}

static Line words(void) {
    Line t;
    uint32_t entry[5];
    int entries = 1 + (int)(rnd() % 5), kinds = (int)(rnd() % 8);
    for (int i = 0; i < 5; i++) entry[i] = (uint32_t)rnd();
    for (int i = 0; i < 32; i++) {
        switch (kinds < 4 ? kinds : (int)(rnd() % 8)) {
        case 0: t.w[i] = entry[rnd() % (unsigned)entries]; break;
        case 1: t.w[i] = (entry[rnd() % (unsigned)entries] & ~0xffu) | (rnd() & 255); break;
        case 2: t.w[i] = (uint32_t)(int8_t)rnd() & (rnd() & 1 ? 0xff00ffff : UINT32_MAX); break;
        case 3: t.w[i] = (uint32_t)rnd() << 16; break;
        case 4: t.w[i] = (uint32_t)(rnd() & 255) * 0x01010101u; break;
        case 5: t.w[i] = (uint32_t)(int16_t)rnd(); break;
        default: t.w[i] = 0; break;
        }
    }
    return t;
}

static void round_trip(const Line *line) {
    uint8_t image[COMPRESS_IMAGE];
    Line again;
    int least = COMPRESS_RAW_BURSTS;
    for (int c = 0; c < COMPRESS_CODECS; c++) {
        int bytes = compress_line((CompressCodec)c, line->b, image),
            bursts = compress_bursts(bytes);
        assert_in_range(bytes, 0, COMPRESS_IMAGE);
        if (c == COMPRESS_BEST) assert_int_equal(bursts, least);
        if (bursts < least) least = bursts;
        if (!bytes) continue;
        assert_true(decompress_line(image, again.b));
        assert_memory_equal(again.b, line->b, COMPRESS_LINE);
    }
    for (int e = -1; e < 8; e++) {
        int text = compress_bdi(line->b, e, BDI_BASE_FIRST_BYTES, image);
        if (text)
            assert_true(bdi_decompress(image, again.b) && !memcmp(again.b, line->b, COMPRESS_LINE));
        int ours = compress_bdi(line->b, e, BDI_BASE_FIRST_MISFIT, image);
        // a line that the text's base compresses takes no more bytes with ours
        if (text) assert_in_range(ours, 1, text);
        if (ours)
            assert_true(bdi_decompress(image, again.b) && !memcmp(again.b, line->b, COMPRESS_LINE));
    }
}

static void test_round_trip(void **state) {
    (void)state;
    int compressed = 0;
    for (int i = 0; i < 200000; i++) {
        uint8_t image[COMPRESS_IMAGE];
        Line line;
        if (i % 3 == 0) line = edges();
        else if (i % 3 == 1) line = words();
        else
            for (int k = 0; k < 16; k++) line.d[k] = rnd() >> (i / 3 % 64);
        round_trip(&line);
        compressed += compress_line(COMPRESS_BEST, line.b, image) > 0;
    }
    assert_in_range(compressed, 50000, 190000);
}

// A head that no codec writes is no image. For any other contents of an image, nothing outside it
// is read or written.
static void test_bad_images(void **state) {
    (void)state;
    uint8_t image[COMPRESS_IMAGE];
    Line line;
    for (int head = 0; head < 256; head++) {
        memset(image, 0, sizeof image);
        image[0] = (uint8_t)head;
        assert_int_equal(decompress_line(image, line.b), head < 8 || head == 0x10 || head == 0x20);
    }
    for (int i = 0; i < 100000; i++) {
        for (int k = 0; k < COMPRESS_IMAGE; k++) image[k] = (uint8_t)rnd();
        image[0] = (uint8_t)(i % 3 << 4);
        if (i % 2) image[1] &= 3, image[2] &= 1;
        decompress_line(image, line.b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_base_and_trial), cmocka_unit_test(test_best),
        cmocka_unit_test(test_cheapest),       cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bad_images)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
