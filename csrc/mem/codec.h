// SPDX-License-Identifier: Apache-2.0
// Line codec: compresses whole global lines. DRAM, and with `links` also L2 and both links, hold a
// line raw or as an image of one to three bursts of 32 bytes. The codec decides the form of an
// image and the unit that makes it; csrc/mem/images.c tracks these lines. Local memory stays raw. A
// codec requires that the four sectors of a line are transferred together (l1.sector 0).
//
// `line` is a line number (address / l1.line), `sectors` a mask of its 32-byte sectors, `port` the
// SM.
#ifndef SMCOSIM_MEM_CODEC_H
#define SMCOSIM_MEM_CODEC_H

#include "mem/mem.h"

// Cost of a line's metadata: a read of 32 bytes, and a write of 32 bytes of an older metadata line.
typedef struct MemMetadata {
    bool miss, evicts;
    uint32_t line, victim;  // lines of metadata, from 0 on
} MemMetadata;

// An image at the SM, which must decompress it.
typedef struct MemArrival {
    int32_t id;  // number of the packet, until mem_codec_done or mem_codec_drop
    uint32_t line;
    int bursts;
    int warp;     // first warp that waits for the line; of a prefetch: warp that issued it
    bool wanted;  // false: a prefetch for which nothing waits
    bool trip;    // L2 requires the raw line as response
} MemArrival;

// Storage of images in caches. A cache with more tags still holds the same number of 32-byte
// pieces: an image takes a piece per burst, a raw line four. A line that grows in place may exceed
// the room until the next line arrives.
typedef struct MemCaches {
    int l1_tags, l2_tags;  // multiple of the ways; 1: a line of any form takes a way
    bool l1_images;        // L1 keeps the image, and decompresses it at each hit
    // L1 keeps the image, and a load of it takes this many more cycles; 0: L1 keeps no image
    int l1_cycles;
    bool l2_raw;  // a line that was decompressed for a load returns raw to L2
} MemCaches;

typedef enum MemFull {
    MEM_FULL_LATER,  // the memory system repeats the call in the next cycle
    MEM_FULL_TAKEN,  // the codec compresses the line; mem_store_done or mem_store_again follows
    MEM_FULL_RAW,    // the line is sent raw
} MemFull;

// image, kept and keep are required; any other function may be NULL.
typedef struct MemCodec {
    bool links;  // L2 and both links hold images too; otherwise only DRAM
    // use of images in the caches; NULL: all members 0 or 1
    void (*caches)(const void *self, MemCaches *c);
    // cycles to compress (write) or decompress a line; NULL: 0
    int (*cycles)(const void *self, bool write);
    // number of bursts of the line's current image; 0: raw
    int (*image)(void *self, int port, uint32_t line);
    int (*kept)(void *self, int port, uint32_t line);  // number of bursts of the copy in DRAM
    // Replaces the copy in DRAM by an image of `bursts` bursts, or by the raw line.
    void (*keep)(void *self, int port, uint32_t line, int bursts);
    // A channel's memory controller requests the number of bursts of a line, or changes it. The
    // line is number `nth` of the channel.
    MemMetadata (*metadata)(void *self, int port, int channel, uint32_t nth, bool change);

    // ---- images that the SM decompresses and makes itself, in a time not known in advance
    // L2 sends the current image of the line as packet `id`. Without `links` this requests the
    // image from DRAM, and id is -1.
    void (*leaves)(void *self, int port, int32_t id, uint32_t line);
    // The image has arrived. Until mem_codec_done the line is pending in L1, and requests for it
    // wait.
    void (*arrived)(void *self, int port, const MemArrival *a);
    // The load `token` receives a line that mem_codec_done marked wrong; called at the fill and at
    // each hit.
    void (*taken)(void *self, int port, uint32_t line, uint32_t token);
    // Entries of a buffer (csrc/mem/stores.c) in which stores of global memory wait for the rest of
    // their line; 0: none.
    int stores;
    // An entry has all bytes of its line: compress the line, for `warp`. again: after
    // mem_store_again.
    MemFull (*full)(void *self, int port, int entry, uint32_t line, int warp, bool again);
    // Asks whether the entry may be sent uncompressed. False: its compression has begun to change
    // the line, so mem_store_done follows.
    bool (*give_up)(void *self, int port, int entry);
    // L2 now holds the image that mem_store_done named.
    void (*stored_image)(void *self, int port, uint32_t line, int handle);
} MemCodec;

// Sets the codec of all ports; NULL: none. Kept by reference. Call it only while no request is in
// flight.
void mem_set_codec(MemSystem *m, const MemCodec *codec, void *self);

// The line of an arrived image is complete, and its transfer continues. `wrong`: codec.taken
// reports all loads that receive it from L1.
void mem_codec_done(MemSystem *m, int port, int32_t id, bool wrong);
// The SM drops an image for which no load waits: L1 does not receive the line.
void mem_codec_drop(MemSystem *m, int port, int32_t id);
// Does a load wait for this image now, and which warp issued the load?
bool mem_codec_wanted(const MemSystem *m, int port, int32_t id, int *warp);
// The line with number nth in its channel.
uint32_t mem_codec_line(const MemSystem *m, int channel, uint32_t nth);
// Upper bound of packet ids.
int mem_codec_packets(const MemSystem *m);
// The entry leaves as an image of `bursts` bursts, which stored_image calls `handle`; 0: raw.
void mem_store_done(MemSystem *m, int port, int entry, int bursts, int handle);
// The line is unchanged and the entry complete: the memory system calls the codec again.
void mem_store_again(MemSystem *m, int port, int entry);
// Sends the pending stores of the warp immediately.
void mem_stores_flush(MemSystem *m, int port, int warp);
// Delays the next access of L1 by a cycle, because another unit uses its lines.
void mem_take_l1(MemSystem *m, int port);

// A line that occupies a part of the memory system. Times are in 1/1000 cycles relative to now
// (mem_cycle); past times are negative.
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
    int port, warp;  // warp -1: unknown
    MemKind kind;    // kind of the access; in DRAM: load or store
    uint32_t line;
    int64_t from_m, to_m;
} MemWork;

// An observer of lines, which has no effect on them. Any function may be NULL.
typedef struct MemWatch {
    void (*worked)(void *ctx, const MemWork *w);  // called when the duration is known
    // a line of this load is not in L1, or the atomic is sent to L2
    void (*missed)(void *ctx, int port, uint32_t token);
    // mem_issue has accepted a request: the counted lines of global or local memory, and the
    // conflict cycles of shared memory
    void (*issued)(void *ctx, int port, uint32_t token, int lines, int conflicts);
} MemWatch;
void mem_set_watch(MemSystem *m, const MemWatch *watch, void *ctx);

#endif
