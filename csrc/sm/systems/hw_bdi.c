// SPDX-License-Identifier: Apache-2.0
// Lines compressed by hardware, CABA's comparators (sections 6 and 7). hw-bdi-mem has BDI at the memory controller, and
// lines are compressed in DRAM only. hw-bdi has it at the SM: they are compressed in L2 and on the crossbar too.
// ideal-bdi is hw-bdi without latencies and with metadata at hand. None takes registers, issue slots or L1 sets.
//
// csrc/mem/images.c keeps where a line is compressed, and in how many bursts; here is the codec, the table of what DRAM
// holds, and the metadata cache. Values move when an instruction is dispatched, so an image is made of what the line
// holds when it leaves the SM or L2; that each image decodes to the line is checked.
//
// Before the first kernel lines of buffers that come with data are compressed, as if they had been on the way to the
// GPU; others are raw (launch file: `compress`).
#include "sm/systems/line_table.h"
#include "sm/systems/systems.h"

static void *open(Sm *sm, Arena *arena) { return line_table_open(sm, arena, COMPRESS_BDI); }

static MemMetadata metadata(void *self, int port, int channel, uint32_t nth, bool change) {
    (void)port;
    return md_cache_access(line_table_metadata(self, channel), nth, change);
}

enum { COMPRESS_CYCLES = 5 };

static int cycles(const void *self, bool write) { return write ? COMPRESS_CYCLES : line_table_sm(self)->cfg->bdi_read_cycles; }

#define IMAGES .image = line_table_image, .kept = line_table_kept, .keep = line_table_keep

static const MemCodec at_sm = {IMAGES, .links = true, .cycles = cycles, .metadata = metadata};
static const MemCodec at_memory = {IMAGES, .cycles = cycles, .metadata = metadata};
static const MemCodec ideal = {IMAGES, .links = true};

#define HW_BDI .group = SYSTEM_LINES, .with = 0, .reason = "its lines are compressed by hardware beside the baseline", \
               .open = open, .check = line_table_check, .launch = line_table_launch

const System system_hw_bdi = {
    .name = "hw-bdi", .what = "lines compressed (BDI) in L2, DRAM and on the crossbar, by hardware at the SM", HW_BDI,
    .codec = &at_sm,
};
const System system_hw_bdi_mem = {
    .name = "hw-bdi-mem", .what = "lines compressed (BDI) in DRAM, by hardware at the memory controllers", HW_BDI,
    .codec = &at_memory,
};
const System system_ideal_bdi = {
    .name = "ideal-bdi", .what = "hw-bdi without latencies, metadata always at hand", HW_BDI, .codec = &ideal,
};
