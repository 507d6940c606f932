// SPDX-License-Identifier: Apache-2.0
#include "mem/line_compress.h"

const char *const compress_name[COMPRESS_CODECS] = {"bdi", "fpc", "cpack", "best"};

int compress_line(CompressCodec codec, const uint8_t line[COMPRESS_LINE],
                  uint8_t image[COMPRESS_IMAGE]) {
    switch (codec) {
    case COMPRESS_FPC: return fpc_compress(line, image);
    case COMPRESS_CPACK: return cpack_compress(line, image);
    case COMPRESS_BEST: break;
    default: return compress_bdi(line, -1, BDI_BASE_FIRST_MISFIT, image);
    }
    // bursts decide; of equals the codec that is cheaper to decompress
    static const CompressPrices bursts = {.burst = 1000,
                                          .decompress = {[COMPRESS_CPACK] = 1, [COMPRESS_FPC] = 2}};
    return compress_cheapest(&bursts, line, image);
}

int compress_cheapest(const CompressPrices *prices, const uint8_t line[COMPRESS_LINE],
                      uint8_t image[COMPRESS_IMAGE]) {
    CompressCodec best = COMPRESS_BEST;
    int64_t least = prices->burst * COMPRESS_RAW_BURSTS;
    for (CompressCodec codec = COMPRESS_BDI; codec < COMPRESS_BEST; codec++) {
        const int bytes = compress_line(codec, line, image);
        const int64_t price = prices->burst * compress_bursts(bytes) + prices->decompress[codec];
        if (!bytes || price >= least) continue;
        least = price;
        best = codec;
    }
    return best == COMPRESS_BEST ? 0 : compress_line(best, line, image);
}

bool decompress_line(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]) {
    switch (image[0] >> 4) {
    case COMPRESS_BDI: return bdi_decompress(image, line);
    case COMPRESS_FPC: return fpc_decompress(image, line);
    case COMPRESS_CPACK: return cpack_decompress(image, line);
    default: return false;
    }
}
