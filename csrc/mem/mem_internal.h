// SPDX-License-Identifier: Apache-2.0
// The memory system's parts. One section per source file:
//   coalesce.c  one warp instruction becomes accesses (lines, bank conflicts, distinct constants)
//   lsu.c       instruction queue, shared memory, constant cache, L1 with MSHRs, miss queue
//   xbar.c      request and response links of a port
//   l2.c        banks of the L2 share, their MSHRs, atomics
//   dram.c      channels: FR-FCFS, banks, row timing
//   mem.c       open, the cycle, events, completions
//   codec.c     the line codec, images that the SM decompresses
//   images.c    lines that L2 and DRAM hold compressed: their transfer to the SM, metadata
//   stores.c    stores that wait for the rest of their line, so that the SM can compress it
//   mem_explain.c  names the event for which an instruction waits
//   apart.c        several SMs, each with LSU, L1 and links in a separate system
//
// Path of a load: LSU -> L1 miss -> miss queue -> request link -> L2 bank -> (DRAM) -> response
// link -> L1 fill -> slot done. Every action after a known delay is an event in the wheel. A
// request that waits for a resource occupies a queue that its stage checks each cycle. Pools are
// sized at mem_open.
//
// Times named _m are 1/1000 SM cycles, so that rates stay exact when they are no whole number of
// cycles.
#ifndef SMCOSIM_MEM_INTERNAL_H
#define SMCOSIM_MEM_INTERNAL_H

#include "mem/codec.h"

#include "base/arena.h"

enum {
    NONE = -1,
    SECTOR_BYTES = 32,
    MAX_ACCESSES = 32,
    MAX_BANKS = 64,
    MAX_SECTORS = 4,
    DRAM_GROUPS = 16
};

// ---- coalesce.c ----

typedef struct Access {
    uint32_t line;  // global: line number; constant: word number
    uint32_t lanes;
    uint8_t touched;    // accessed sectors of the line
    uint8_t full;       // store: completely written sectors
    uint16_t serial;    // atomics: maximum number of lanes on one address
    uint64_t bytes[2];  // accessed bytes of the line; only if stores wait (stores.c)
} Access;

// Global accesses of a request; half and quarter warps of 8- and 16-byte lanes are separate.
// Returns the count.
int coalesce_lines(const MemRequest *r, uint32_t line_bytes, Access out[MAX_ACCESSES]);
// Sets the accessed bytes, for lines of 128 bytes.
void coalesce_bytes(const MemRequest *r, Access *accesses, int n);
// Cycles that shared memory takes for the request, and the part of them due to conflicts.
int coalesce_shared(const MemRequest *r, uint32_t banks, int *conflicts);
// Distinct words of a constant load; returns the count.
int coalesce_const(const MemRequest *r, Access out[MAX_ACCESSES]);

// ---- events ----

typedef enum EventKind {
    EV_SLOT_PART,  // index: slot of port; one of its accesses is done
    EV_L2_ARRIVE,  // index: packet
    EV_L2_READY,   // index: packet with its response, for the response link
    EV_FILL,       // index: L2 MSHR whose line arrived from DRAM
    EV_RESPONSE,   // index: packet, at the SM
    EV_TRIP,       // index: packet on a trip, at the SM with the image of its line
    EV_ARRIVED,    // index: packet, at the SM with an image that the SM decompresses
    EV_DRAM_NEXT,  // index: request that follows another request (DramNext)
} EventKind;

typedef struct Event {
    int32_t next, index;
    uint16_t kind, port;
    int64_t left;  // remaining cycles when the wheel reaches the event
} Event;

// One bucket per cycle; events of one cycle are processed in the order of their creation.
typedef struct Bucket {
    int32_t head, tail;
} Bucket;

// ---- the instruction in flight ----

typedef struct Slot {
    uint32_t token;
    MemKind kind;
    int16_t left;  // accesses not yet done
    int16_t total;
    int16_t ahead;  // accesses that may not be done after the next cycle (mem_look_ahead)
    int32_t next;   // free list or completion list
    bool used;
    bool given;  // the SM received it ahead of time
    uint8_t warp;
} Slot;

typedef struct List {  // of slots or packets, linked by their `next`
    int32_t head, tail;
} List;

typedef struct LsuEntry {
    int32_t slot;
    MemKind kind;
    bool bypass, may_drop;
    uint32_t bytes;   // per lane
    int32_t n, next;  // number of accesses, next access; shared: cycles
    int64_t ready;    // constant: latest completion so far
    Access access[MAX_ACCESSES];
} LsuEntry;

// ---- L1 ----

// Sets of sectors are masks. Without l1.sector they always contain whole lines. A way with no
// sector valid or pending is free.
typedef struct L1Line {
    uint32_t line;
    uint8_t valid, pending;
    bool wrong;                 // the SM made this line and it is wrong
    uint8_t image;              // number of bursts of the image in L1; 0: raw
    bool fetched;               // a prefetch brought the line, and no load has requested it since
    int32_t mshr[MAX_SECTORS];  // MSHRs of pending sectors
    uint64_t used;              // last use, for LRU
} L1Line;

typedef struct L1Mshr {
    uint32_t line;
    uint8_t sectors;  // requested
    int32_t way;      // index of the reserved line, NONE when L1 is bypassed
    int32_t targets;  // list of waiting slots
    int32_t last;
    int32_t count;
    int32_t next;   // free list
    uint8_t warp;   // warp that issued the request
    int64_t since;  // cycle of the request
    bool wrong;     // as in L1Line
    uint8_t image;  // as in L1Line
    bool used;
} L1Mshr;

typedef struct Target {
    int32_t slot, next;
} Target;

typedef struct ConstLine {
    uint32_t line;
    bool valid;
    int64_t ready;  // cycle from which it can be read
    uint64_t used;
} ConstLine;

// ---- packets ----

typedef struct Packet {
    uint8_t kind;           // MEM_LOAD, MEM_STORE, MEM_ATOMIC, MEM_RED
    uint8_t touched, full;  // sectors; touched by a load: the requested sectors
    uint16_t serial;
    int16_t port;
    uint16_t request_flits, response_flits;
    uint32_t line, lanes;
    int32_t slot;    // slot of a store, atomic or RED
    int32_t mshr;    // load: L1 MSHR
    bool trip;       // transfers the image of its line to the SM, and the raw line back
    bool copy;       // transfers a raw line back to L2, which held its image
    int32_t home;    // far: packet of the near side
    uint8_t image;   // number of bursts of the image in transfer; 0: raw
    int16_t handle;  // handle of a store's image
    int32_t merged;  // 1 + the first of the merged stores (Target); 0: a single store
    int32_t next;
    bool used;
} Packet;

// ---- stores that wait for the rest of their line ----

typedef enum PendingState {
    PENDING_FREE,
    PENDING_OPEN,   // bytes are missing
    PENDING_FULL,   // all bytes are present; not compressed yet
    PENDING_TAKEN,  // the codec compresses the line
    // goes to L2 when older entries of the same line are sent and the miss queue has room
    PENDING_LEAVES,
} PendingState;

typedef struct PendingStore {
    PendingState state;
    uint32_t line;
    uint64_t bytes[2];
    uint64_t warps;  // warps of these stores
    int warp;        // warp of the last store
    int32_t targets, last;
    uint64_t order;  // order of the entries, by age
    int64_t since;   // cycle in which the entry was allocated
    uint8_t image;   // LEAVES: number of bursts of its image; 0: raw
    int handle;
    bool hurried;  // to be sent early, but its running compression must end first
    bool again;    // FULL: the codec has tried the line and requests it again
} PendingStore;

typedef struct Pending {
    PendingStore *of;
    int n;
    Target *targets;
    int32_t free_target;
    uint64_t order;
} Pending;

// Ports of SMs in different threads share no cache line.
typedef struct __attribute__((aligned(64))) Port {
    Counters *counters;
    bool looks_ahead;
    // LSU
    LsuEntry *lsu;
    int lsu_head, lsu_count;
    Slot *slots;
    int nslots, slots_used;
    int32_t free_slot;
    List done_loads, done_stores;
    bool load_given;  // a load was completed in this cycle
    // L1
    L1Line *l1;
    L1Mshr *mshrs;
    int32_t free_mshr;
    Target *targets;
    int32_t free_target;
    ConstLine *constants;
    uint64_t clock;  // time for LRU
    // links
    int32_t *missq;  // ring of packets
    int missq_head, missq_count;
    int credits;                          // room for packets on the path to L2
    int64_t request_free, response_free;  // first cycle in which the link is free
    List responses;
    List trips, returns;  // images that wait for the SM's slot; images at the SM, on their way back
    bool slot_taken;      // the slot holds the image of a trip
    Pending pending;
    int l1_taken;  // cycles in which another unit uses L1
    int64_t dram_busy_m;
} Port;

// ---- L2 ----

typedef struct L2Line {
    uint32_t line;
    bool there;                     // the tag is valid
    uint8_t valid, dirty, pending;  // sectors
    uint8_t image;                  // number of bursts of the image; 0: raw
    // the SM decompresses the line; packets that request it are in `waiting`
    bool locked;
    List waiting;
    int32_t mshr[MAX_SECTORS];  // MSHRs of pending sectors
    uint64_t used;
} L2Line;

typedef struct L2Mshr {
    int32_t way;  // index of the L2 line in its bank
    int16_t bank;
    uint32_t line;
    uint8_t sectors;  // sectors that will become valid
    uint8_t image;    // the line arrives as an image
    List waiting;     // packets
    int32_t next;     // free list
    bool used;
} L2Mshr;

typedef struct L2Bank {
    L2Line *lines;
    uint64_t clock;
    int32_t *queue;  // ring of packets
    int head, count;
    int64_t free_m;  // time at which the next access may start
    bool evicting;   // the buffer for one dirty victim is in use
    uint32_t evict_line;
    uint8_t evict_sectors, evict_valid, evict_image;
    int16_t evict_port;
} L2Bank;

// ---- DRAM ----

// Targets of a read other than an L2 MSHR.
enum { DRAM_WRITE = NONE, DRAM_READ_ALONE = -2, DRAM_READ_FIRST = -3 };

// The request that follows a request with DRAM_READ_FIRST when its data has arrived.
typedef struct DramNext {
    bool used;
    uint32_t line;
    int32_t mshr;
    uint16_t bytes;
    int16_t port, channel;
    int64_t delay;  // time before it may begin
} DramNext;

typedef struct DramRequest {
    uint32_t line;
    int32_t bank, row;
    int64_t arrival_m;
    int32_t mshr;    // read: L2 MSHR, or DRAM_READ_*; write: DRAM_WRITE
    int32_t next;    // DRAM_READ_FIRST: index of the next step
    uint16_t bytes;  // bytes to be transferred
    int16_t port;
    bool opened;  // its row was activated for this request
} DramRequest;

typedef struct DramBank {
    int32_t open_row;             // NONE: precharged
    int64_t act_m, col_m, pre_m;  // earliest activate, column command, precharge
    int queued, hits;             // requests in the queue; the subset that hits the open row
} DramBank;

typedef struct DramChannel {
    DramRequest *queue;  // oldest first
    int count;
    int reserved;  // room for requests that follow others
    // banks with a request in the queue; banks with a request for their open row
    uint64_t queued, hit;
    int passed;  // column commands issued for younger requests while the oldest waits
    DramBank *banks;
    int64_t act_m, col_m;          // earliest times of the channel
    int64_t group_m[DRAM_GROUPS];  // earliest column command of a bank group
    int64_t bus_m;                 // time at which the data bus is free
    bool wrote;                    // the last data on the bus was write data
    int64_t wake_m;                // no command is possible before this time
} DramChannel;

typedef struct DramTimes {
    int64_t cl, rp, rc, ras, rcd, rrd, ccd, ccdl, wr, wl, rtp;
    int64_t burst;  // burst of one line
    // bus idle between write and read data, between read and write data
    int64_t to_read, to_write;
} DramTimes;

// ---- apart.c: one system per SM (near) and one behind the crossbar (far) ----

typedef enum MemPlace { PLACE_WHOLE, PLACE_NEAR, PLACE_FAR } MemPlace;

// A message to the other side, which processes it as an event at `at`. `home`: packet of the near
// side, which is kept until its response arrives.
typedef struct Request {
    int64_t at;
    Packet packet;
    int32_t home;
    int16_t port;
} Request;
typedef struct Answer {
    int64_t at;
    int32_t home, slot;
    EventKind kind;
} Answer;

// Messages of a quantum, in the order in which they were sent.
typedef struct Requests {
    Request *of;
    int n, most;
} __attribute__((aligned(64))) Requests;
typedef struct Answers {
    Answer *of;
    int n, most, credits;
    bool performed;
} __attribute__((aligned(64))) Answers;

typedef struct Performed {
    int32_t slot;
    uint32_t lanes;
    int16_t port;
} Performed;

typedef struct Apart {
    MemPlace place;
    MemSystem **near;      // far: by port
    const MemSystem *far;  // near
    // parity of the quantum in progress, which selects the boxes
    int turn;
    Requests requests[2];   // near
    Answers (*answers)[2];  // far: by port; the near side empties them
    Performed *performed;   // far: atomics, in L2's order
    int nperformed;
} Apart;

struct MemSystem {
    Arena arena;
    const MachineConfig *cfg;
    MemPerform *perform;
    void *perform_ctx;
    MemCaches caches;       // settings of the codec
    int l1_ways, l2_ways;   // tags per set
    const MemCodec *codec;  // NULL: none
    void *codec_self;
    const MemWatch *watch;  // NULL: none
    void *watch_ctx;
    int64_t now;
    int nports, nbanks, nchannels;
    int first_port, end_port;  // ports whose LSUs and links are in this part
    uint32_t line_shift;
    uint8_t all_sectors;  // all sectors of a line
    uint32_t hash_bits;   // l1.hash
    MemFixed fixed;
    Port *ports;
    // events
    Event *events;
    int32_t free_event;
    int events_used;
    Bucket *wheel;
    int64_t wheel_mask;
    // packets
    Packet *packets;
    int32_t free_packet;
    int packets_used;
    // L2
    L2Bank *banks;
    int l2_sets;     // sets of one bank
    int bank_queue;  // size of a bank's ring
    int64_t bank_bytes_per_kcycle;
    L2Mshr *l2_mshrs;
    int32_t free_l2_mshr;
    // DRAM
    DramChannel *channels;
    DramTimes dram;
    DramNext *nexts;
    int nnexts;
    int dram_waiting;  // requests in all channels
    int evicts;        // victim buffers in use
    Apart apart;
};

// Reports a part's work to a watcher.
static inline void mem_worked(const MemSystem *m, const MemWork *w) {
    if (m->watch && m->watch->worked) m->watch->worked(m->watch_ctx, w);
}

// Position `at` in a ring of n, where at is less than 2 n.
static inline int ring_at(int at, int n) { return at < n ? at : at - n; }

static inline uint32_t sector_bytes(uint8_t sectors) {
    return (uint32_t)__builtin_popcount(sectors) * SECTOR_BYTES;
}
// Sectors that an access to these sectors transfers.
static inline uint8_t sectors_moved(const MemSystem *m, uint8_t touched) {
    return m->cfg->l1_sector ? touched : m->all_sectors;
}

// ---- mem.c ----
void mem_event(MemSystem *m, EventKind kind, int port, int32_t index, int64_t delay);
void mem_slot_part_done(MemSystem *m, int port, int32_t slot);
int mem_packets(const MachineConfig *c);  // size of one port's part of the packet pool
// Parts of mem_open, for the system as described so far.
void mem_open_common(MemSystem *m, const MachineConfig *cfg, int nports);
void mem_open_port(MemSystem *m, Port *p, Counters *counters);
void mem_open_far(MemSystem *m);
void mem_open_pools(MemSystem *m, int nports);
// NONE if all are in use.
int32_t mem_packet_new(MemSystem *m);
void mem_packet_free(MemSystem *m, int32_t packet);

static inline void list_push(List *l, int32_t item, int32_t *next_of_tail, int32_t *next_of_item) {
    *next_of_item = NONE;
    if (l->head == NONE) l->head = item;
    else *next_of_tail = item;
    l->tail = item;
}
void mem_packet_push(MemSystem *m, List *l, int32_t packet);
int32_t mem_packet_pop(MemSystem *m, List *l);

// ---- lsu.c ----
void lsu_cycle(MemSystem *m, int port);
void lsu_fill(MemSystem *m, int port, int32_t mshr);
// whom it will serve
void lsu_fill_ahead(MemSystem *m, int port, int32_t mshr, void (*part)(Port *p, int32_t slot));

void lsu_drop(MemSystem *m, int port, int32_t mshr);           // the line will not arrive
bool lsu_send_store(MemSystem *m, int port, const Packet *k);  // sends it to L2; false: no room

// ---- stores.c ----
static inline bool has_pending(const MemSystem *m, const Port *p, uint32_t line) {
    return p->pending.n && line < MEM_LOCAL_PHYS >> m->line_shift;
}
void pending_open(MemSystem *m, Port *p, int n);
// A store; a load that misses L1 (*hit: all its bytes wait here); an atomic. False: not possible in
// this cycle. `direct`: the store has no entry and is sent separately.
bool pending_store(MemSystem *m, int port, const LsuEntry *e, const Access *a, bool *direct);
bool pending_load(MemSystem *m, int port, const Access *a, bool *hit);
bool pending_atomic(MemSystem *m, int port, const LsuEntry *e, const Access *a);
void pending_cycle(MemSystem *m, int port);
// Acknowledges all stores that the packet contains, after `delay`.
void pending_acknowledge(MemSystem *m, const Packet *k, int64_t delay);

// ---- apart.c ----
// Sends the event to the other side and frees the packet on this side.
void apart_request(MemSystem *m, int port, int32_t packet, int64_t delay);
void apart_response(MemSystem *m, int32_t packet, int64_t delay);
void apart_acknowledge(MemSystem *m, int32_t packet, int64_t delay);
void apart_performed(MemSystem *m, const Packet *k);
bool apart_idle(const MemSystem *m);  // all boxes that it fills are empty

// ---- xbar.c ----
void xbar_requests(MemSystem *m, int port);
void xbar_responses(MemSystem *m, int port);
int xbar_flits(const MemSystem *m, uint32_t bytes);

// ---- codec.c ----
void codec_leaves(const MemSystem *m, int32_t packet);  // L2 sends the image of the packet's line
void codec_arrived(MemSystem *m, int32_t packet);       // the packet's image is at the SM

// ---- l2.c ----
void l2_arrive(MemSystem *m, int32_t packet);
void l2_cycle(MemSystem *m, int bank);
void l2_fill(MemSystem *m, int32_t mshr);

// ---- dram.c ----
bool dram_room(const MemSystem *m, uint32_t line);
// Sectors of all column commands that transfer these sectors.
uint8_t dram_sectors(const MemSystem *m, uint8_t sectors);
// Requests a read of sectors for an L2 MSHR or, with mshr DRAM_WRITE, a write of sectors.
void dram_push(MemSystem *m, int port, uint32_t line, int32_t mshr, uint8_t sectors);
void dram_cycle(MemSystem *m, DramChannel *c);
int dram_channel(const MemSystem *m, uint32_t line);
uint32_t dram_nth(const MemSystem *m, uint32_t line);  // index of the line in its channel
// Enters a request in a channel; with mshr DRAM_READ_FIRST, `next` follows.
void dram_request(MemSystem *m, int channel, const DramNext *r, const DramNext *next);
void dram_next(MemSystem *m, int32_t next);

// ---- images.c ----
static inline bool has_images(const MemSystem *m, uint32_t line) {
    return m->codec && line < MEM_LOCAL_PHYS >> m->line_shift;
}
static inline bool has_link_images(const MemSystem *m, uint32_t line) {
    return has_images(m, line) && m->codec->links;
}
static inline int image_cycles(const MemSystem *m, bool write) {
    return m->codec->cycles ? m->codec->cycles(m->codec_self, write) : 0;
}
// Sets the image for the transfer of a store that writes all bytes of its line.
void images_store(MemSystem *m, Packet *k);
// Bursts of the copy in DRAM, for a line that L2 will hold (0: raw).
int images_kept(const MemSystem *m, int port, uint32_t line);
// Must the line be raw for this packet?
bool images_wants_raw(const MemSystem *m, const Packet *k);
// The steps of a trip: the packet sends the image to the SM; is at the SM; is back at L2 with the
// raw line.
void images_trip(MemSystem *m, int32_t packet);
// Sends a copy of a line that L2 may hold as an image from the SM, if a packet is free.
void images_send_copy(MemSystem *m, int port, uint32_t line);
void images_at_sm(MemSystem *m, int32_t packet);
// Sends on the request link, with priority; true: the link is in use.
bool images_return(MemSystem *m, int port);
// Reads a line for L2; writes a victim.
void images_read(MemSystem *m, int port, uint32_t line, int32_t mshr);
void images_write(MemSystem *m, const L2Bank *b);

#endif
