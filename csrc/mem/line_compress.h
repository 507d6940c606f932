// SPDX-License-Identifier: Apache-2.0
// Compression of one line of 128 bytes: BDI, FPC, C-Pack and the best of them. The images equal,
// bit by bit, those that CABA's assist warps write to memory (paper: sections 5.1 and 5.1.3,
// algorithms 1 to 6). The codecs' files describe our choices if the paper does not specify a
// detail.
//
// An image begins with a head byte, codec << 4 | encoding. Zeros pad it to a multiple of a burst. A
// line whose image would take more than three bursts is not compressed: it is transferred raw,
// without a head, in four bursts. Words are 32-bit little-endian.
#ifndef SMCOSIM_MEM_COMPRESS_H
#define SMCOSIM_MEM_COMPRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { COMPRESS_LINE = 128, COMPRESS_BURST = 32, COMPRESS_RAW_BURSTS = 4, COMPRESS_IMAGE = 96 };

typedef enum CompressCodec {
    COMPRESS_BDI,
    COMPRESS_FPC,
    COMPRESS_CPACK,
    COMPRESS_BEST,
    COMPRESS_CODECS
} CompressCodec;
extern const char *const compress_name[COMPRESS_CODECS];  // bdi, fpc, cpack, best

// BDI's base: the first value that does not fit a delta from zero, or always the first value (the
// paper's text).
typedef enum BdiBase { BDI_BASE_FIRST_MISFIT, BDI_BASE_FIRST_BYTES } BdiBase;

// Prices by which COMPRESS_BEST selects a codec: of a burst, and of the decompression of an image.
// All have the same unit.
typedef struct CompressPrices {
    int64_t burst, decompress[COMPRESS_BEST];
} CompressPrices;

// Writes the image, padded with zeros, and returns its length in bytes: 1 .. 96; 0: the line
// stays raw (image then holds nothing of use). COMPRESS_BEST selects the fewest bursts (paper:
// section 6.3), of equals BDI, then C-Pack, then FPC.
int compress_line(CompressCodec codec, const uint8_t line[COMPRESS_LINE],
                  uint8_t image[COMPRESS_IMAGE]);
// The same by the codec whose image has the lowest price, with its bursts. A line stays raw if the
// price of its raw bursts is as low.
int compress_cheapest(const CompressPrices *prices, const uint8_t line[COMPRESS_LINE],
                      uint8_t image[COMPRESS_IMAGE]);
// BDI with one encoding only (0 .. 7), or the first in the order of trial that fits (-1).
int compress_bdi(const uint8_t line[COMPRESS_LINE], int encoding, BdiBase base,
                 uint8_t image[COMPRESS_IMAGE]);
// Decompresses an image by the codec in its head. False: unsupported codec or encoding.
bool decompress_line(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]);

// Bursts of an image of `bytes` bytes; 0: of a raw line.
static inline int compress_bursts(int bytes) {
    return bytes ? (bytes + COMPRESS_BURST - 1) / COMPRESS_BURST : COMPRESS_RAW_BURSTS;
}

// ---- one file per codec; what they decode, the head says ----
int fpc_compress(const uint8_t line[COMPRESS_LINE], uint8_t image[COMPRESS_IMAGE]);
bool fpc_decompress(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]);
int cpack_compress(const uint8_t line[COMPRESS_LINE], uint8_t image[COMPRESS_IMAGE]);
bool cpack_decompress(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]);
bool bdi_decompress(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]);

#endif
