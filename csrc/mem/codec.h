// SPDX-License-Identifier: Apache-2.0
// Line codec: what travels and is stored in another form than 32 bytes per sector (compression of lines
// between L2, DRAM and the SM). The memory system asks; how a line looks, and who compresses it, is the codec's
// business. Any function may be NULL: then the memory system does what it does without a codec.
//
// `line` is a line number (address / l1.line), `sectors` a mask of its 32-byte sectors, `port` the SM.
//
// A codec with `image` compresses whole global lines: then DRAM, and with `links` also L2 and both links, hold a line
// raw or as an image of one to three bursts of 32 bytes. Of these lines csrc/mem/images.c keeps track; local memory
// stays raw. It wants lines of four sectors that travel whole (l1.sector 0).
#ifndef SMCOSIM_MEM_CODEC_H
#define SMCOSIM_MEM_CODEC_H

#include "mem/mem.h"

enum { MEM_CODEC_HOLD = -1 };

typedef enum MemCodecWay {
    MEM_CODEC_LINK,          // L2's answer to a load, on the response link
    MEM_CODEC_DRAM_READ,     // DRAM to L2
    MEM_CODEC_DRAM_WRITE,    // a dirty victim, L2 to DRAM
} MemCodecWay;

// What the metadata of a line cost: a read of 32 bytes, and a write of 32 bytes of an older line of metadata.
typedef struct MemMetadata {
    bool miss, evicts;
    uint32_t line, victim;   // lines of metadata, from 0 on
} MemMetadata;

typedef struct MemCodec {
    // Bytes that carry these sectors of the line; without a codec 32 per sector (DRAM: of the column commands that
    // bring them). A multiple of 32, at least 32.
    uint32_t (*bytes)(void *self, int port, uint32_t line, uint8_t sectors, MemCodecWay way);
    // L2's answer to a load enters the response link. Returns the cycles that the line needs behind the link before
    // L1 may serve it (0: none), or MEM_CODEC_HOLD: until mem_codec_release of that line.
    int64_t (*fill)(void *self, int port, uint32_t line, uint8_t sectors);
    // A store leaves L1 for L2; of the sectors touched, `full` are written in all bytes.
    void (*stored)(void *self, int port, uint32_t line, uint8_t touched, uint8_t full);
    // A store that writes some sector in part, an atomic or a RED reaches L2. Returns the cycles until L2 has the line
    // in a form in which it can be changed (0: it has). Asked once for each.
    int64_t (*retrieve)(void *self, int port, uint32_t line, uint8_t sectors);
    // L2 gives up a line; `sectors` are dirty and go to DRAM.
    void (*evicted)(void *self, int port, uint32_t line, uint8_t sectors);

    // ---- images; all or none of the functions ----
    bool links;                                            // else only DRAM holds images
    int (*cycles)(const void *self, bool write);           // to compress a line (write), to decompress one; NULL: 0
    int (*image)(void *self, int port, uint32_t line);     // bursts of the image of the line as it is now; 0: raw
    int (*kept)(void *self, int port, uint32_t line);      // .. of the copy in DRAM
    void (*keep)(void *self, int port, uint32_t line, int bursts);  // the copy in DRAM becomes one of so many, or raw
    // The memory controller of a channel needs the number of bursts of a line, or changes it. `nth`: which line of
    // the channel it is.
    MemMetadata (*metadata)(void *self, int port, int channel, uint32_t nth, bool change);
} MemCodec;

// The codec of all ports from now on; NULL: none. Kept by reference. Not while anything is in flight.
void mem_set_codec(MemSystem *m, const MemCodec *codec, void *self);
// Answers for this line that MEM_CODEC_HOLD keeps reach L1 in the next cycle; those still on the link, when they come.
void mem_codec_release(MemSystem *m, int port, uint32_t line);

// Who wants to know what happens to lines, without a say in it. Any function may be NULL.
typedef struct MemWatch {
    void (*filled)(void *ctx, int port, uint32_t line, uint8_t sectors);    // L1 has these sectors, or passes them on
    void (*evicted)(void *ctx, int port, uint32_t line, uint8_t sectors);   // L2 writes these sectors to DRAM
} MemWatch;
void mem_set_watch(MemSystem *m, const MemWatch *watch, void *ctx);

#endif
