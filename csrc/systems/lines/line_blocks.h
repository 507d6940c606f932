// SPDX-License-Identifier: Apache-2.0
// Blocks of family lines beside the memory system. The pair bdi_compress and bdi_decompress
// receives each line that is compressed or decompressed. Block md_cache receives each access of a
// metadata cache. All receive their inputs in order and as fast as they accept them. The decisions
// are those of csrc/mem, with codecs and tables in C. If an answer of a block differs, the run ends
// (EXIT_MISMATCH).
#ifndef SMCOSIM_SYSTEMS_LINE_BLOCKS_H
#define SMCOSIM_SYSTEMS_LINE_BLOCKS_H

#include "mem/codec.h"
#include "mem/line_compress.h"
#include "models/lines/md_cache.h"
#include "sm/state.h"

typedef struct LineBlocks LineBlocks;

// An access of the metadata cache, with the answer of the table in C.
typedef struct MdAccess {
    uint32_t line;         // of metadata
    uint8_t field, value;  // new value of its field
    // the field is written; the fields in the cache are known (otherwise they are not compared)
    bool change, known;
    bool victim_known;
    MemMetadata md;
    // fields of the line in DRAM, for a miss; fields of the victim
    uint32_t fields[MD_WORDS], victim[MD_WORDS];
} MdAccess;

// bdi: also the pair of BDI blocks, otherwise only md_cache.
LineBlocks *line_blocks_open(Sm *sm, Arena *arena, bool bdi);
// At most one call for each line that moves.
void line_blocks_compress(LineBlocks *b, const uint8_t line[COMPRESS_LINE]);
void line_blocks_decompress(LineBlocks *b, const uint8_t image[COMPRESS_IMAGE],
                            const uint8_t line[COMPRESS_LINE]);
void line_blocks_metadata(LineBlocks *b, const MdAccess *a);
void line_blocks_cycle(Sm *sm, LineBlocks *b);  // once in a cycle

#endif
