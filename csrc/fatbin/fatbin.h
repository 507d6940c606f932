// SPDX-License-Identifier: Apache-2.0
// Fat binaries, which nvcc embeds in a program. A container holds entries, each with a header and a
// payload. A payload is PTX text, machine code of NVIDIA's GPUs (SASS) or linker input (LTO). It is
// stored plain or compressed with LZ4 or zstd. Only PTX is used.
//
//   container   u32 magic, u16 version 1, u16 header bytes 16, u64 bytes of all entries; several
//               may follow one another
//   entry       u16 kind, u16 0x0101, u32 header bytes (64 to 128), u64 payload bytes, u32
//               compressed bytes (0: plain), u32 offset of the options (0: none), u16 minor, u16
//               major, u32 arch, u32 name offset, u32 name bytes, u64 flags, u64 -, u64 bytes when
//               expanded (0: plain)
#ifndef SMCOSIM_FATBIN_FATBIN_H
#define SMCOSIM_FATBIN_FATBIN_H

#include "base/arena.h"

#define FATBIN_MAGIC 0xba55ed50u  // of a container
#define FATBIN_WRAPPER_MAGIC \
    0x466243b1u  // magic number of the 24 bytes in a program that point to the container
enum { FATBIN_HEADER_BYTES = 16 };

typedef struct FatImage {
    int container;     // index of its container, from 0
    int arch;          // 75
    int major, minor;  // version of the PTX language
    const char *text;  // NUL-terminated; without leading line feeds and trailing NULs
    size_t len;
    const char *options;  // the assembler's command line, "" when none is stored
} FatImage;

typedef struct FatBinary {
    FatImage *images;  // PTX, in the order of the file
    int nimages, cap_images;
    int nsass, nlto;  // entries of other kinds
    int ncontainers;
} FatBinary;

// Reads `n` bytes at `bytes`: one container or several. `name` is for messages. False: EXIT_USAGE,
// with the offset at which the container is damaged. A container without entries has no images.
bool fatbin_read(FatBinary *f, Arena *arena, const char *name, const void *bytes, size_t n,
                 Diag *d);

// The PTX of a container (-1: of all) for the newest architecture up to sm_90, otherwise for the
// oldest architecture above it. NULL: none exists. The message lists the entries and the compiler
// option that adds PTX.
const FatImage *fatbin_ptx(const FatBinary *f, int container, const char *name, Diag *d);

#endif
