// SPDX-License-Identifier: Apache-2.0
// Handles lines that DRAM, and with links also L2, stores as images of fewer bursts (mem/codec.h).
// The codec decides the number of bursts; this file applies it in the memory system.
//
// If L2 holds an image, it cannot perform an atomic or a store of some of the line's bytes. L2
// locks the line, and the packet takes the image to the SM. The SM decompresses the image, and the
// packet returns with the raw line. CABA does not describe this path. Section 5.2.3 (optimistic
// partial stores) does not specify it. The SM keeps one place for such an image, so it needs no
// MSHR. A returning packet waits for no credit, so it can always arrive, however full L2's queue
// is.
//
// A read of DRAM needs the number of bursts first. On a metadata miss, 32 bytes are read before the
// data, in the same queue. A victim changes the number.
#include "mem/mem_internal.h"

// ---- at the SM ----

void images_store(MemSystem *m, Packet *k) {
    if (k->full != m->all_sectors) return;
    uint64_t *count = m->ports[k->port].counters->v;
    k->image = (uint8_t)m->codec->image(m->codec_self, k->port, k->line);
    count[CTR_LINES_STORED]++;
    count[CTR_LINES_STORED_COMPRESSED] += k->image != 0;
    if (k->image) k->request_flits = (uint16_t)xbar_flits(m, k->image * SECTOR_BYTES);
}

void images_at_sm(MemSystem *m, int32_t packet) {
    mem_packet_push(m, &m->ports[m->packets[packet].port].returns, packet);
}

void images_send_copy(MemSystem *m, int port, uint32_t line) {
    const int32_t packet = mem_packet_new(m);
    if (packet == NONE) return;
    m->packets[packet] = (Packet){.kind = MEM_STORE,
                                  .port = (int16_t)port,
                                  .line = line,
                                  .used = true,
                                  .copy = true,
                                  .slot = NONE,
                                  .mshr = NONE};
    mem_packet_push(m, &m->ports[port].returns, packet);
}

bool images_return(MemSystem *m, int port) {
    Port *p = &m->ports[port];
    if (p->returns.head == NONE || p->request_free > m->now) return false;
    int32_t packet = mem_packet_pop(m, &p->returns);
    int flits = xbar_flits(m, 1u << m->line_shift);
    p->request_free = m->now + flits;
    mem_event(m, EV_L2_ARRIVE, port, packet, flits - 1 + m->cfg->xbar_latency);
    if (m->packets[packet].copy) return true;
    p->slot_taken = false;
    int32_t next = mem_packet_pop(m, &p->trips);
    if (next != NONE) images_trip(m, next);
    return true;
}

// ---- at L2 ----

int images_kept(const MemSystem *m, int port, uint32_t line) {
    return has_link_images(m, line) ? m->codec->kept(m->codec_self, port, line) : 0;
}

bool images_wants_raw(const MemSystem *m, const Packet *k) {
    return k->kind != MEM_LOAD && !(k->kind == MEM_STORE && k->full == m->all_sectors);
}

void images_trip(MemSystem *m, int32_t packet) {
    const Packet *k = &m->packets[packet];
    Port *p = &m->ports[k->port];
    if (p->slot_taken) {
        mem_packet_push(m, &p->trips, packet);
        return;
    }
    p->slot_taken = true;
    p->counters->v[CTR_LINES_RETRIEVED]++;
    mem_event(m, EV_L2_READY, k->port, packet, m->fixed.l2_pipe);
}

// ---- at the memory controller ----

// Cycles that a registered metadata cache adds to a look-up.
static int lookup_delay(const MemSystem *m) {
    return m->cfg->blocks_registered & REGISTERED_MD_CACHE ? 1 : 0;
}

static void metadata_request(MemSystem *m, int port, int channel, uint32_t line, bool is_write,
                             const DramNext *next) {
    // Metadata follow all data in the address space: 32-byte lines, four to a line of data.
    const uint32_t region = (uint32_t)(((uint64_t)1 << 32) >> m->line_shift);
    const uint32_t place = region + line / MAX_SECTORS * (uint32_t)m->nchannels + (uint32_t)channel;
    const DramNext r = {.line = place,
                        .bytes = SECTOR_BYTES,
                        .port = (int16_t)port,
                        .delay = lookup_delay(m),
                        .mshr = is_write ? DRAM_WRITE
                            : next       ? DRAM_READ_FIRST
                                         : DRAM_READ_ALONE};
    m->ports[port].counters->v[is_write ? CTR_MD_WRITES : CTR_MD_READS]++;
    dram_request(m, channel, &r, next);
}

// Looks up the metadata of a line. On a miss it reads them and then executes `next`, if any; true:
// `next` is postponed.
static bool lookup_metadata(MemSystem *m, int port, uint32_t line, bool change,
                            const DramNext *next) {
    if (!m->codec->metadata) return false;
    int channel = dram_channel(m, line);
    const MemMetadata md =
        m->codec->metadata(m->codec_self, port, channel, dram_nth(m, line), change);
    m->ports[port].counters->v[CTR_MD_LOOKUPS]++;
    if (md.evicts) metadata_request(m, port, channel, md.victim, true, NULL);
    if (md.miss) metadata_request(m, port, channel, md.line, false, next);
    return md.miss && next;
}

static void count_bursts(MemSystem *m, int port, bool is_write, int bursts, int raw) {
    uint64_t *count = m->ports[port].counters->v;
    count[is_write ? CTR_DRAM_WRITES : CTR_DRAM_READS]++;
    count[is_write ? CTR_DRAM_WRITE_SECTORS : CTR_DRAM_READ_SECTORS] += (uint64_t)bursts;
    count[CTR_RAW_BURSTS] += (uint64_t)raw;
    count[CTR_MOVED_BURSTS] += (uint64_t)bursts;
}

void images_read(MemSystem *m, int port, uint32_t line, int32_t mshr) {
    int kept = m->codec->kept(m->codec_self, port, line), bursts = kept ? kept : MAX_SECTORS;
    DramNext data = {.line = line,
                     .mshr = mshr,
                     .port = (int16_t)port,
                     .bytes = (uint16_t)(bursts * SECTOR_BYTES),
                     .delay = kept && !m->codec->links ? image_cycles(m, false) : 0};
    count_bursts(m, port, false, bursts, MAX_SECTORS);
    if (kept && !m->codec->links && m->codec->leaves)
        m->codec->leaves(m->codec_self, port, NONE, line);
    if (lookup_metadata(m, port, line, false, &data)) return;
    if (m->codec->metadata) data.delay += lookup_delay(m);
    dram_request(m, dram_channel(m, line), &data, NULL);
}

// Writes the victim to DRAM. With links the victim already has L2's form. Without links the memory
// controller compresses a whole line. For a partial line it first reads the copy in DRAM, if that
// copy is an image.
void images_write(MemSystem *m, const L2Bank *b) {
    const int port = b->evict_port;
    const uint32_t line = b->evict_line;
    const int kept = m->codec->kept(m->codec_self, port, line),
              dirty = __builtin_popcount(b->evict_sectors);
    const bool links = m->codec->links,
               rewrites = !links && (kept || b->evict_sectors == m->all_sectors);
    const bool reads = rewrites && b->evict_valid != m->all_sectors;
    const int image = links ? b->evict_image
        : rewrites          ? m->codec->image(m->codec_self, port, line)
                            : 0;
    // raw sectors written over an image would destroy both
    const bool whole = rewrites || (links && kept && !image);
    const int bursts = image ? image : whole ? MAX_SECTORS : dirty;
    panic_if(links && whole && b->evict_valid != m->all_sectors,
             "raw sectors over an image of line 0x%x", line);
    const DramNext write = {.line = line,
                            .mshr = DRAM_WRITE,
                            .port = (int16_t)port,
                            .bytes = (uint16_t)(bursts * SECTOR_BYTES),
                            .delay = rewrites ? image_cycles(m, true) : 0};
    m->codec->keep(m->codec_self, port, line, image);
    count_bursts(m, port, true, bursts, whole || image ? MAX_SECTORS : dirty);
    lookup_metadata(m, port, line, true, NULL);
    if (!reads) {
        dram_request(m, dram_channel(m, line), &write, NULL);
        return;
    }
    const DramNext copy = {.line = line,
                           .mshr = DRAM_READ_FIRST,
                           .bytes = (uint16_t)(kept * SECTOR_BYTES),
                           .port = (int16_t)port};
    count_bursts(m, port, false, kept, MAX_SECTORS);
    dram_request(m, dram_channel(m, line), &copy, &write);
}
