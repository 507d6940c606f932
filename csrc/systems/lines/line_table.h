// SPDX-License-Identifier: Apache-2.0
// Functions for systems that compress lines (CABA section 5.2.2). They provide the form of each
// line in DRAM, the image of a line's present contents, and the metadata caches of the memory
// controllers.
#ifndef SMCOSIM_SYSTEMS_LINE_TABLE_H
#define SMCOSIM_SYSTEMS_LINE_TABLE_H

#include "mem/line_compress.h"
#include "sm/state.h"

typedef struct LineTable LineTable;
typedef struct LineBlocks LineBlocks;  // line_blocks.h

// Raw lines only, until line_table_launch. The blocks also receive accesses of the first channel's
// metadata (NULL: no blocks).
LineTable *line_table_open(Sm *sm, Arena *arena, CompressCodec codec, LineBlocks *blocks);
// Prices by which COMPRESS_BEST selects a codec from here on. They outlive the table.
void line_table_price(LineTable *t, const CompressPrices *prices);
// The image of a line of 128 bytes by the table's codec: its length in bytes, 0: raw.
int line_table_compress(const LineTable *t, const uint8_t *text, uint8_t *image);
// Sets md.bytes to the share of one of the SM's controllers: the nearest power of two of sets.
void line_table_machine(MachineConfig *cfg);
// Requires lines of 128 bytes that are moved whole, and DRAM bursts of 32 bytes. EXIT_USAGE.
bool line_table_check(const Sm *sm, const void *self, Diag *d);
// Lines of new allocations are in DRAM compressed or raw, as their launch file specifies.
void line_table_launch(Sm *sm, void *self);

// The functions of MemCodec; `self` is the table. An image that does not decode to its line ends
// the run (EXIT_MISMATCH).
int line_table_image(void *self, int port, uint32_t line);
int line_table_kept(void *self, int port, uint32_t line);
void line_table_keep(void *self, int port, uint32_t line, int bursts);

// Metadata cache of a channel: md.bytes, md.ways, 32 bytes a line for 128 lines of data, least
// recently used, allocates on changes too.
MemMetadata line_table_metadata(void *self, int channel, uint32_t nth, bool change);

#endif
