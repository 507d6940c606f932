// SPDX-License-Identifier: Apache-2.0
// Layout of a surface's record in device memory. It is a TextureRecord (isa/texture.h) with another
// magic number, whose second word holds the bytes of a row. A surface object is the address of such
// a record.
#ifndef SMCOSIM_BASE_SURFACE_H
#define SMCOSIM_BASE_SURFACE_H

#define SURFACE_MAGIC 0x31525553u  // "SUR1"

enum {
    SURFACE_AT_MAGIC = 0,
    SURFACE_RECORD_BYTES = 64,  // of a texture, too
    SURFACE_AT_ROW_BYTES = 4,
    SURFACE_AT_ADDR = 8,  // 8 bytes; the others have 4
    SURFACE_AT_HEIGHT = 20,
    SURFACE_AT_DEPTH = 24,
    SURFACE_AT_PITCH = 28,
    SURFACE_AT_SLICE = 32,
    SURFACE_AT_FORMAT = 36,  // geometry in the last byte
};

#endif
