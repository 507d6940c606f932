// SPDX-License-Identifier: Apache-2.0
// Line codec: compresses whole global lines. DRAM, and with `links` also L2 and both links, hold a
// line raw or as an image of one to three bursts of 32 bytes. The memory system asks; the codec
// decides what an image looks like and who makes it. csrc/mem/images.c keeps track of these lines;
// local memory stays raw. A codec requires lines of four sectors that travel whole (l1.sector 0).
//
// `line` is a line number (address / l1.line), `sectors` a mask of its 32-byte sectors, `port` the
// SM.
#ifndef SMCOSIM_MEM_CODEC_H
#define SMCOSIM_MEM_CODEC_H

#include "mem/mem.h"

// What the metadata of a line cost: a read of 32 bytes, and a write of 32 bytes of an older line of
// metadata.
typedef struct MemMetadata {
    bool miss, evicts;
    uint32_t line, victim;  // lines of metadata, from 0 on
} MemMetadata;

// An image at the SM, whose line the SM has to make.
typedef struct MemArrival {
    int32_t id;  // of the packet, until mem_codec_done or mem_codec_drop
    uint32_t line;
    int bursts;
    int warp;     // that waits for it first; of a prefetch: the one that asked
    bool wanted;  // false: of a prefetch, nothing waits
    bool trip;    // L2 wants the line back raw
} MemArrival;

// Where caches hold images, and what for. A cache with more tags has room for as many pieces of 32
// bytes as before: an image takes one for each burst, a raw line four. When a line grows in its
// place, the room may be exceeded until the next line comes.
typedef struct MemCaches {
    int l1_tags, l2_tags;  // times the ways; 1: a line takes a way, whatever its form
    bool l1_images;        // L1 keeps the image; each hit is an arrival again
    // L1 keeps the image, and a load of it takes so many cycles more; 0: it does not
    int l1_cycles;
    bool l2_raw;  // the line that a load has had decompressed goes back to L2, raw
} MemCaches;

typedef enum MemFull {
    MEM_FULL_LATER,  // asked again in the next cycle
    MEM_FULL_TAKEN,  // mem_store_done or mem_store_again follows
    MEM_FULL_RAW,    // it leaves raw
} MemFull;

// image, kept and keep are required; any other function may be NULL.
typedef struct MemCodec {
    bool links;  // else only DRAM holds images
    // what caches hold; NULL: all members 0 or 1
    void (*caches)(const void *self, MemCaches *c);
    // to compress a line (write), to decompress one; NULL: 0
    int (*cycles)(const void *self, bool write);
    // bursts of the image of the line as it is now; 0: raw
    int (*image)(void *self, int port, uint32_t line);
    int (*kept)(void *self, int port, uint32_t line);  // .. of the copy in DRAM
    // the copy in DRAM becomes one of so many, or raw
    void (*keep)(void *self, int port, uint32_t line, int bursts);
    // The memory controller of a channel needs the number of bursts of a line, or changes it.
    // `nth`: which line of the channel it is.
    MemMetadata (*metadata)(void *self, int port, int channel, uint32_t nth, bool change);

    // ---- images that the SM decompresses and makes itself, in a time that nobody knows before; wi
    // L2 sends the image of the line as packet `id`: what it holds now is what arrives. Without
    // `links`: DRAM is asked for the image, and id is -1.
    void (*leaves)(void *self, int port, int32_t id, uint32_t line);
    // It is there. Until mem_codec_done L1 has the line only on its way, and what travels with it
    // waits.
    void (*arrived)(void *self, int port, const MemArrival *a);
    // The load `token` takes a line that mem_codec_done called wrong; at the fill and at each hit.
    void (*taken)(void *self, int port, uint32_t line, uint32_t token);
    // Stores of global memory wait in so many entries of a buffer (csrc/mem/stores.c) for the rest
    // of their line; 0: none.
    int stores;
    // All bytes of the line of an entry are there: compress it, for `warp`; again: after
    // mem_store_again.
    MemFull (*full)(void *self, int port, int entry, uint32_t line, int warp, bool again);
    // The entry is to leave as it is. True: it may; false: what works on it has begun to change it,
    // and mem_store_done follows.
    bool (*give_up)(void *self, int port, int entry);
    // The image that mem_store_done named is L2's from now on.
    void (*stored_image)(void *self, int port, uint32_t line, int handle);
} MemCodec;

// The codec of all ports from now on; NULL: none. Kept by reference. Not while anything is in
// flight.
void mem_set_codec(MemSystem *m, const MemCodec *codec, void *self);

// The line of an image that arrived is made: it goes on. `wrong`: codec.taken is told of all that
// take it from L1.
void mem_codec_done(MemSystem *m, int port, int32_t id, bool wrong);
// Nothing is made of an image that no load waits for: L1 does not get the line.
void mem_codec_drop(MemSystem *m, int port, int32_t id);
// Does a load wait for this image by now, and of which warp?
bool mem_codec_wanted(const MemSystem *m, int port, int32_t id, int *warp);
// The line that is the nth of its channel.
uint32_t mem_codec_line(const MemSystem *m, int channel, uint32_t nth);
// Packets there can be: ids are below.
int mem_codec_packets(const MemSystem *m);
// The entry leaves as an image of so many bursts, which stored_image calls `handle`; 0: raw.
void mem_store_done(MemSystem *m, int port, int entry, int bursts, int handle);
// Its line has not been changed: it is full, and the codec is asked again.
void mem_store_again(MemSystem *m, int port, int entry);
// Stores of the warp that wait leave at once.
void mem_stores_flush(MemSystem *m, int port, int warp);
// The next access of L1 waits for a cycle: something else reads or writes its lines.
void mem_take_l1(MemSystem *m, int port);

// A line at work in a part of the memory system. Times in 1/1000 cycles from now (mem_cycle),
// before it negative.
typedef enum MemPart {
    MEM_PART_L1,
    MEM_PART_L1_MISS,
    MEM_PART_L2,
    MEM_PART_DRAM,
    MEM_PARTS
} MemPart;
typedef struct MemWork {
    MemPart part;
    int number;      // L2: bank, DRAM: channel
    int port, warp;  // warp -1: not known
    MemKind kind;    // of the access; DRAM: load or store
    uint32_t line;
    int64_t from_m, to_m;
} MemWork;

// Who wants to know what happens to lines, without a say in it. Any function may be NULL.
typedef struct MemWatch {
    void (*worked)(void *ctx, const MemWork *w);  // told when it is known how long it takes
    // a line of that load is not in L1, or the atomic goes to L2
    void (*missed)(void *ctx, int port, uint32_t token);
    // mem_issue has taken a request: its lines of global or local memory, as counted, and the
    // cycles that shared memory adds for conflicts
    void (*issued)(void *ctx, int port, uint32_t token, int lines, int conflicts);
} MemWatch;
void mem_set_watch(MemSystem *m, const MemWatch *watch, void *ctx);

#endif
