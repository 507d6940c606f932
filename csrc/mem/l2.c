// SPDX-License-Identifier: Apache-2.0
// The modeled SMs' share of L2: lines interleaved over banks. Each bank serves one access at a
// time, as long as its bytes take at the share's bandwidth. Write-back, write-allocate. A store
// does not fetch: fully written sectors (32 bytes) are valid, others only dirty. Reading a line
// that is not valid in all sectors is a miss and fetches the whole line. With l1.sector only the
// requested sectors determine a miss. The fetch reads all sectors of their column commands. Atomics
// are performed here, in the order in which they reach the valid line (sector). Atomics on one
// address take atom.interval cycles each.
#include "mem/mem_internal.h"

static L2Bank *bank_of(MemSystem *m, uint32_t line) {
    return &m->banks[line % (uint32_t)m->nbanks];
}

static L2Line *l2_set(const MemSystem *m, L2Bank *b, uint32_t line) {
    uint32_t set = line / (uint32_t)m->nbanks % (uint32_t)m->l2_sets;
    return &b->lines[set * (uint32_t)m->l2_ways];
}

// ---- answers ----

static void answer_after(MemSystem *m, int32_t packet, int64_t delay) {
    Packet *k = &m->packets[packet];
    if (delay > 0) mem_event(m, EV_L2_READY, k->port, packet, delay);
    else mem_packet_push(m, &m->ports[k->port].responses, packet);
}

// Stores and RED: the SM learns after the way back; acknowledgements have wires of their own.
static void acknowledge_after(MemSystem *m, int32_t packet, int64_t delay) {
    Packet *k = &m->packets[packet];
    if (m->apart.place == PLACE_FAR) {
        apart_acknowledge(m, packet, delay + m->cfg->xbar_latency);
        return;
    }
    if (k->merged) pending_acknowledge(m, k, delay + m->cfg->xbar_latency);
    else mem_event(m, EV_SLOT_PART, k->port, k->slot, delay + m->cfg->xbar_latency);
    mem_packet_free(m, packet);
}

static bool is_atomic(const Packet *k) { return k->kind == MEM_ATOMIC || k->kind == MEM_RED; }

static int64_t atomic_cycles(const MemSystem *m, const Packet *k) {
    return (int64_t)k->serial * m->cfg->atom_interval;
}

// L2 cannot change an image. Therefore the packet takes the image to the SM, and the line is locked
// until the image returns.
static void send_image(MemSystem *m, L2Line *line, int32_t packet) {
    Packet *k = &m->packets[packet];
    line->locked = true;
    line->waiting = (List){NONE, NONE};
    k->trip = true;
    k->image = line->image;
    codec_leaves(m, packet);
    images_trip(m, packet);
}

static void take_store(MemSystem *m, L2Bank *b, L2Line *line, int32_t packet) {
    const Packet *k = &m->packets[packet];
    line->valid |= k->full;
    line->dirty |= k->touched;
    // a store of all bytes brings its image; a store of some bytes finds the line raw
    line->image = k->image;
    if (k->image && m->codec->stored_image)
        m->codec->stored_image(m->codec_self, k->port, k->line, k->handle);
    line->used = ++b->clock;
    acknowledge_after(m, packet, 0);
}

// Serves a packet on a valid line; its answer leaves after `delay`.
static void serve_packet(MemSystem *m, L2Bank *b, L2Line *line, int32_t packet, int64_t delay) {
    Packet *k = &m->packets[packet];
    if (line->image && images_wants_raw(m, k)) {
        send_image(m, line, packet);
        return;
    }
    if (k->kind == MEM_LOAD) {
        k->image = line->image;
        if (k->image) codec_leaves(m, packet);
        answer_after(m, packet, delay);
        return;
    }
    if (k->kind == MEM_STORE) {
        take_store(m, b, line, packet);
        return;
    }
    line->dirty |= k->touched;
    if (m->apart.place == PLACE_FAR) apart_performed(m, k);
    else if (m->perform)
        m->perform(m->perform_ctx, k->port, m->ports[k->port].slots[k->slot].token, k->lanes);
    if (k->kind == MEM_ATOMIC) answer_after(m, packet, delay);
    else acknowledge_after(m, packet, delay);
}

// ---- replacement ----

// The victim buffer has it; false: that is in use.
static bool evict_victim(MemSystem *m, L2Bank *b, const L2Line *victim, int port) {
    if (b->evicting) return false;
    b->evicting = true;
    m->evicts++;
    b->evict_line = victim->line;
    b->evict_sectors = victim->dirty;
    b->evict_valid = victim->valid;
    b->evict_image = victim->image;
    b->evict_port = (int16_t)port;
    return true;
}

// In pieces of 32 bytes.
static int size_of(const MemSystem *m, const L2Line *line) {
    const int image =
        line->pending ? m->l2_mshrs[line->mshr[__builtin_ctz(line->pending)]].image : line->image;
    return !line->there ? 0 : image ? image : MAX_SECTORS;
}

// If there are more tags than ways: returns a free tag once there is room. The least recently used
// lines are evicted for it.
static L2Line *take_room(MemSystem *m, L2Bank *b, const Packet *k) {
    const int image = k->kind == MEM_STORE && k->full == m->all_sectors
        ? k->image
        : images_kept(m, k->port, k->line);
    L2Line *set = l2_set(m, b, k->line);
    for (;;) {
        L2Line *room = NULL, *victim = NULL;
        int pieces = image ? image : MAX_SECTORS;
        for (int w = 0; w < m->l2_ways; w++) {
            pieces += size_of(m, &set[w]);
            if (!set[w].there) room = &set[w];
            else if (!set[w].pending && !set[w].locked && (!victim || set[w].used < victim->used))
                victim = &set[w];
        }
        if (room && pieces <= m->cfg->l2_ways * MAX_SECTORS) return room;
        if (!victim || (victim->dirty && !evict_victim(m, b, victim, k->port))) return NULL;
        *victim = (L2Line){0};
    }
}

// A line for a new tag; NULL when all are on their way or the victim buffer is in use.
static L2Line *take_victim(MemSystem *m, L2Bank *b, const Packet *k) {
    if (m->caches.l2_tags > 1) return take_room(m, b, k);
    L2Line *set = l2_set(m, b, k->line), *victim = NULL;
    for (int w = 0; w < m->l2_ways; w++) {
        if (set[w].pending || set[w].locked) continue;
        if (!set[w].there) return &set[w];
        if (!victim || set[w].used < victim->used) victim = &set[w];
    }
    if (!victim || !victim->dirty) return victim;
    return evict_victim(m, b, victim, k->port) ? victim : NULL;
}

static void drain_victim(MemSystem *m, L2Bank *b) {
    if (!b->evicting || !dram_room(m, b->evict_line)) return;
    if (has_images(m, b->evict_line)) images_write(m, b);
    else dram_push(m, b->evict_port, b->evict_line, DRAM_WRITE, b->evict_sectors);
    b->evicting = false;
    m->evicts--;
}

// ---- accesses: false when the packet must wait at the head of the queue ----

static bool store_access(MemSystem *m, L2Bank *b, L2Line *line, int32_t packet) {
    Packet *k = &m->packets[packet];
    Counters *counters = m->ports[k->port].counters;
    if (!line) {
        line = take_victim(m, b, k);
        if (!line) return false;
        *line = (L2Line){.line = k->line, .there = true};
        counters->v[CTR_L2_MISSES]++;
    } else {
        counters->v[CTR_L2_HITS]++;
    }
    take_store(m, b, line, packet);
    return true;
}

static uint8_t sectors_to_fetch(const MemSystem *m, const L2Line *line, uint8_t missing) {
    if (!m->cfg->l1_sector) return m->all_sectors;
    return dram_sectors(m, missing) & (uint8_t) ~(line->valid | line->pending);
}

// Requests sectors from DRAM. `line` is their way if the tag is already present with other sectors.
static bool fetch_sectors(MemSystem *m, L2Bank *b, L2Line *line, int32_t packet, uint8_t missing) {
    Packet *k = &m->packets[packet];
    int32_t id = m->free_l2_mshr;
    if (id == NONE || !dram_room(m, k->line)) return false;
    if (!line) {
        line = take_victim(m, b, k);
        if (!line) return false;
        *line = (L2Line){.line = k->line, .there = true};
    }
    uint8_t sectors = sectors_to_fetch(m, line, missing);
    m->free_l2_mshr = m->l2_mshrs[id].next;
    m->l2_mshrs[id] = (L2Mshr){.way = (int32_t)(line - b->lines),
                               .bank = (int16_t)(b - m->banks),
                               .line = k->line,
                               .sectors = sectors,
                               .waiting = {NONE, NONE},
                               .used = true};
    line->pending |= sectors;
    for (int s = 0; s < MAX_SECTORS; s++)
        if (sectors >> s & 1) line->mshr[s] = id;
    mem_packet_push(m, &m->l2_mshrs[id].waiting, packet);
    m->l2_mshrs[id].image = (uint8_t)images_kept(m, k->port, k->line);
    if (has_images(m, k->line)) images_read(m, k->port, k->line, id);
    else dram_push(m, k->port, k->line, id, m->cfg->l1_sector ? missing : sectors);
    m->ports[k->port].counters->v[CTR_L2_MISSES]++;
    return true;
}

// The packet waits for one of its pending sectors. It is looked up again when that sector arrives.
static void wait_in_mshr(MemSystem *m, const L2Line *line, int32_t packet, uint8_t coming) {
    mem_packet_push(m, &m->l2_mshrs[line->mshr[__builtin_ctz(coming)]].waiting, packet);
}

static L2Line *find_line(const MemSystem *m, L2Bank *b, uint32_t line) {
    L2Line *set = l2_set(m, b, line);
    for (int w = 0; w < m->l2_ways; w++)
        if (set[w].there && set[w].line == line) return &set[w];
    return NULL;
}

// Does a store write some bytes of a line that L2 holds, or will fetch, as an image?
static bool stores_into_image(const MemSystem *m, const L2Line *line, const Packet *k) {
    if (!images_wants_raw(m, k) || !has_link_images(m, k->line)) return false;
    if (!line) return images_kept(m, k->port, k->line) != 0;
    if (!line->pending || line->valid == m->all_sectors) return line->image != 0;
    return m->l2_mshrs[line->mshr[__builtin_ctz(line->pending)]].image != 0;
}

static bool access_line(MemSystem *m, L2Bank *b, int32_t packet) {
    Packet *k = &m->packets[packet];
    L2Line *line = find_line(m, b, k->line);
    if (line && line->locked) {
        m->ports[k->port].counters->v[CTR_L2_HITS]++;
        mem_packet_push(m, &line->waiting, packet);
        return true;
    }
    if (k->kind == MEM_STORE && !stores_into_image(m, line, k))
        return store_access(m, b, line, packet);
    uint8_t wanted = sectors_moved(m, k->touched);
    uint8_t missing = line ? wanted & (uint8_t) ~(line->valid | line->pending) : wanted;
    if (missing) return fetch_sectors(m, b, line, packet, missing);
    m->ports[k->port].counters->v[CTR_L2_HITS]++;  // also when the line is on its way
    if (wanted & line->pending) {
        wait_in_mshr(m, line, packet, wanted & line->pending);
        return true;
    }
    line->used = ++b->clock;
    serve_packet(m, b, line, packet,
                 m->fixed.l2_pipe + (is_atomic(k) ? atomic_cycles(m, k) - 1 : 0));
    return true;
}

// The raw line returned from the SM. L2 serves the packet that carried it, then the waiting
// packets. It stops when a packet needs the line raw after a store has replaced it with an image.
static void take_returned(MemSystem *m, int32_t packet) {
    Packet *k = &m->packets[packet];
    L2Bank *b = bank_of(m, k->line);
    L2Line *line = find_line(m, b, k->line);
    panic_if(!line || !line->locked, "line 0x%x returned, and L2 does not wait for it", k->line);
    List waiting = line->waiting;
    line->locked = k->trip = false;
    line->image = k->image = 0;
    line->valid = line->dirty = m->all_sectors;
    line->used = ++b->clock;
    int64_t delay = 0;
    for (; packet != NONE; packet = mem_packet_pop(m, &waiting)) {
        k = &m->packets[packet];
        if (line->locked) {
            mem_packet_push(m, &line->waiting, packet);
            continue;
        }
        if (is_atomic(k)) delay += atomic_cycles(m, k);
        serve_packet(m, b, line, packet, delay);
    }
}

// A raw copy of a line from the SM: L2's line becomes raw, and the image stays in DRAM.
static void take_copied(MemSystem *m, int32_t packet) {
    L2Bank *b = bank_of(m, m->packets[packet].line);
    L2Line *line = find_line(m, b, m->packets[packet].line);
    if (line && line->image && !line->pending && !line->locked && !line->dirty) line->image = 0;
    mem_packet_free(m, packet);
}

void l2_arrive(MemSystem *m, int32_t packet) {
    Packet *k = &m->packets[packet];
    if (k->trip || k->copy) {
        if (k->trip) take_returned(m, packet);
        else take_copied(m, packet);
        return;
    }
    L2Bank *b = bank_of(m, k->line);
    panic_if(b->count == m->bank_queue, "L2 queue overflow");
    b->queue[ring_at(b->head + b->count++, m->bank_queue)] = packet;
}

// How long an access that moves so many bytes occupies the bank, or its atomics do.
static int64_t occupancy_m(const MemSystem *m, int64_t moved, int64_t atomics) {
    const int64_t data = moved * 1000 * 1000 / m->bank_bytes_per_kcycle;
    return data > atomics * 1000 ? data : atomics * 1000;
}

void l2_cycle(MemSystem *m, int bank) {
    L2Bank *b = &m->banks[bank];
    drain_victim(m, b);
    int64_t start = m->now * 1000;
    if (b->free_m < start) b->free_m = start;
    while (b->count && b->free_m < start + 1000) {
        int32_t packet = b->queue[b->head];
        const int port = m->packets[packet].port;
        const L2Line *line = m->codec ? find_line(m, b, m->packets[packet].line) : NULL;
        if (line && m->packets[packet].kind == MEM_LOAD) m->packets[packet].image = line->image;
        const Packet k = m->packets[packet];  // a copy, because the packet may be freed below
        if (!access_line(m, b, packet)) return;
        const int64_t moved = k.image ? k.image * SECTOR_BYTES : sector_bytes(k.touched);
        const int64_t busy = occupancy_m(m, moved, is_atomic(&k) ? atomic_cycles(m, &k) : 0);
        const MemWork work = {.part = MEM_PART_L2,
                              .number = bank,
                              .port = port,
                              .warp = -1,
                              .kind = k.kind,
                              .line = k.line,
                              .from_m = b->free_m - start,
                              .to_m = b->free_m - start + busy};
        mem_worked(m, &work);
        b->free_m += busy > 0 ? busy : 1;
        b->head = ring_at(b->head + 1, m->bank_queue);
        b->count--;
        m->ports[port].credits++;
    }
}

// Sectors arrived from DRAM. All packets that wait for these sectors are served in order, unless
// they also need other sectors.
void l2_fill(MemSystem *m, int32_t id) {
    L2Mshr *mshr = &m->l2_mshrs[id];
    L2Bank *b = &m->banks[mshr->bank];
    L2Line *line = &b->lines[mshr->way];
    // If a store has written the whole line since the request, the store's form remains.
    if (line->valid != m->all_sectors) line->image = mshr->image;
    line->pending &= (uint8_t)~mshr->sectors;
    line->valid |= mshr->sectors;
    line->used = ++b->clock;
    int64_t atomics = 0;  // cycles of atomics done before
    for (int32_t packet; (packet = mem_packet_pop(m, &mshr->waiting)) != NONE;) {
        Packet *k = &m->packets[packet];
        uint8_t coming = line->pending & sectors_moved(m, k->touched);
        if (coming) {
            wait_in_mshr(m, line, packet, coming);
            continue;
        }
        if (line->locked) {
            mem_packet_push(m, &line->waiting, packet);
            continue;
        }
        const bool atomic = is_atomic(k);
        if (atomic) atomics += atomic_cycles(m, k);
        serve_packet(m, b, line, packet, !atomic || !atomics ? atomics : atomics - 1);
    }
    int64_t start = m->now * 1000;
    if (b->free_m < start) b->free_m = start;
    b->free_m += atomics * 1000;
    mshr->used = false;
    mshr->next = m->free_l2_mshr;
    m->free_l2_mshr = id;
}
