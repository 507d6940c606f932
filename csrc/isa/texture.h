// SPDX-License-Identifier: Apache-2.0
// Textures: the record in device memory that a texture object names, and the fetch of one lane.
//
// A texture object is the address of a TextureRecord (little endian, at a multiple of 64). Device
// memory holds texels row by row; a CUDA array has the same form. Coordinates, address modes and
// filter are those of the CUDA programming guide, appendix "Texture Fetching". The weight of a
// texel has 8 bits of fraction, here rounded to nearest. The sum of weighted texels is computed in
// double precision and rounded once.
#ifndef SMCOSIM_ISA_TEXTURE_H
#define SMCOSIM_ISA_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define TEXTURE_MAGIC 0x31584554u  // "TEX1"

// as in CUDA
typedef enum TextureKind { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT } TextureKind;
// as in CUDA
typedef enum TextureWrap {
    TEXTURE_WRAP,
    TEXTURE_CLAMP,
    TEXTURE_MIRROR,
    TEXTURE_BORDER
} TextureWrap;
typedef enum TextureGeometry {
    TEXTURE_1D,
    TEXTURE_2D,
    TEXTURE_3D,
    TEXTURE_A1D,
    TEXTURE_A2D
} TextureGeometry;
enum { TEXTURE_FLOAT_COORDS = 8 };  // beside the geometry, in the mode of a fetch

typedef struct TextureRecord {
    uint32_t magic, zero;
    uint64_t addr;  // address of texel (0, 0, 0): a multiple of the texel's bytes
    // in texels; 1 in absent directions; layers count as depth
    uint32_t width, height, depth;
    uint32_t pitch, slice;         // bytes between rows; bytes between planes or layers
    uint8_t kind, bits, channels;  // TextureKind; 8, 16, 32 bits; 1, 2, 4 channels
    uint8_t geometry;              // TextureGeometry
    uint8_t wrap[3];               // TextureWrap of x, y, z
    uint8_t linear;                // filter: 0 point, 1 linear
    uint8_t normalized;            // coordinates are in [0, 1)
    uint8_t scaled;                // integers are read as floats in [0, 1] or [-1, 1]
    uint8_t memory;                // 1-D linear memory: reads outside give 0
    uint8_t pad;
    float border[4];
} TextureRecord;
_Static_assert(sizeof(TextureRecord) == 64, "a texture record has 64 bytes");

// Memory access of a fetch: host address of `bytes` bytes at a device address, NULL if absent.
typedef const uint8_t *(*TextureBytes)(void *memory, uint32_t addr, uint32_t bytes);

static inline uint32_t texture_texel_bytes(const TextureRecord *t) {
    return (uint32_t)t->bits / 8u * t->channels;
}
// Returns NULL, or the fault of the record for a fetch of this mode (geometry |
// TEXTURE_FLOAT_COORDS).
const char *texture_fault(const TextureRecord *t, int mode);

// One lane's fetch. coord: as in the instruction (layered: the layer first; floats as bits).
// result: its four words. *addr: the lowest texel that is read; *inside: at least one texel is
// read. False: a texel has no memory, and *addr is its address.
bool texture_fetch(const TextureRecord *t, int mode, const uint32_t coord[4], TextureBytes bytes,
                   void *memory, uint32_t result[4], uint32_t *addr, bool *inside);

#endif
