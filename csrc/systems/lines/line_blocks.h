// SPDX-License-Identifier: Apache-2.0
// Blocks of family lines beside the memory system: bdi_compress and bdi_decompress get each line
// that is compressed or decompressed, md_cache each access of a metadata cache, in order and as
// fast as a block takes them. csrc/mem decides with codecs and tables in C; what a block answers
// must be the same, else the run ends (EXIT_MISMATCH).
#ifndef SMCOSIM_SYSTEMS_LINE_BLOCKS_H
#define SMCOSIM_SYSTEMS_LINE_BLOCKS_H

#include "mem/codec.h"
#include "mem/line_compress.h"
#include "models/lines/md_cache.h"
#include "sm/state.h"

typedef struct LineBlocks LineBlocks;

// An access of the metadata cache, and what the table in C says of it.
typedef struct MdAccess {
    uint32_t line;         // of metadata
    uint8_t field, value;  // its field is to be this
    // it is written; the fields that the cache holds are known (else: not looked at)
    bool change, known;
    bool victim_known;
    MemMetadata md;
    // of the line as DRAM has it, with a miss; of the victim
    uint32_t fields[MD_WORDS], victim[MD_WORDS];
} MdAccess;

// bdi: the pair too, else only md_cache.
LineBlocks *line_blocks_open(Sm *sm, Arena *arena, bool bdi);
// At most one call for each line that moves.
void line_blocks_compress(LineBlocks *b, const uint8_t line[COMPRESS_LINE]);
void line_blocks_decompress(LineBlocks *b, const uint8_t image[COMPRESS_IMAGE],
                            const uint8_t line[COMPRESS_LINE]);
void line_blocks_metadata(LineBlocks *b, const MdAccess *a);
void line_blocks_cycle(Sm *sm, LineBlocks *b);  // once in a cycle

#endif
