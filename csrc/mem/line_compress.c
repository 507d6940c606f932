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
    // cheapest to decompress first
    static const CompressCodec order[] = {COMPRESS_BDI, COMPRESS_CPACK, COMPRESS_FPC};
    CompressCodec best = COMPRESS_BDI;
    int least = COMPRESS_RAW_BURSTS;
    for (int i = 0; i < 3; i++) {
        int bursts = compress_bursts(compress_line(order[i], line, image));
        if (bursts >= least) continue;
        least = bursts;
        best = order[i];
    }
    return least == COMPRESS_RAW_BURSTS ? 0 : compress_line(best, line, image);
}

bool decompress_line(const uint8_t image[COMPRESS_IMAGE], uint8_t line[COMPRESS_LINE]) {
    switch (image[0] >> 4) {
    case COMPRESS_BDI: return bdi_decompress(image, line);
    case COMPRESS_FPC: return fpc_decompress(image, line);
    case COMPRESS_CPACK: return cpack_decompress(image, line);
    default: return false;
    }
}
