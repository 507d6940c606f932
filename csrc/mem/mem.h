// SPDX-License-Identifier: Apache-2.0
// Timing of the memory system: LSU with coalescer, shared memory, constant cache, L1, crossbar, L2
// slice, DRAM channel. This part models time and holds no data values. The SM moves data when it
// issues a request, and data of atomics when `perform` is called at L2.
//
// One MemSystem may serve several SMs (ports 0..nports-1), each with its own LSU, shared memory,
// L1.
#ifndef SMCOSIM_MEM_MEM_H
#define SMCOSIM_MEM_MEM_H

#include "config/config.h"
#include "counters/counters.h"

// Latencies are shared.latency, const.latency, l1.latency, l2.latency and dram.latency. In an
// unloaded system they count calls of mem_cycle from mem_issue until mem_done returns the token.
// For l2.latency and dram.latency the load transfers one line or, with l1.sector, one sector.
//
// This room counts all counters of group "mem". An event of a shared part (L2, DRAM) counts for the
// port that caused it.
//
// Ports are independent except in mem_cycle: mem_ready, mem_issue and mem_done of different ports
// may be called from different threads.

typedef struct MemSystem MemSystem;

typedef enum MemKind {
    MEM_LOAD,
    MEM_STORE,
    MEM_ATOMIC,
    MEM_RED,  // global and local memory (physical addresses)
    MEM_SHARED_LOAD,
    MEM_SHARED_STORE,
    MEM_SHARED_ATOMIC,
    MEM_CONST_LOAD,
    MEM_PREFETCH,
} MemKind;

typedef struct MemRequest {
    uint32_t addr[32] __attribute__((
        aligned(64)));  // per lane: device address; shared: offset in the SM's shared
                        //   memory; constant: offset in the bank; local: physical (see
                        //   mem_local_address)
    uint32_t token;     // number that the SM gives the instruction; returned when it is done
    MemKind kind;
    uint32_t active;  // lanes
    uint32_t bytes;   // per lane: 1, 2, 4, 8, 16
    bool bypass_l1;   // loads: volatile, .cg, ordered
    bool may_drop;    // prefetches: a line without a free L1 resource is dropped
    uint8_t warp;     // warp that issues the request
} MemRequest;

// Called when an atomic instruction's accesses on one line are performed at L2, in L2 order.
// `lanes` are the lanes of the instruction that access that line.
typedef void MemPerform(void *ctx, int port, uint32_t token, uint32_t lanes);

// cfg and the counters (one per port) are kept by reference.
MemSystem *mem_open(const MachineConfig *cfg, int nports, Counters *const *counters);
// Makes the same system in parts that different threads may simulate. `mem_near(m, port)` is the
// part between SM `port` and the crossbar; call all functions of that port with it. The part behind
// the crossbar is m itself.
// A quantum is mem_begin, mem_quantum times mem_cycle, mem_end, of each part. In quantum k a part
// receives the messages that other parts sent by the end of quantum k - 1. A part may begin quantum
// k when all others have ended quantum k - 1, so results do not depend on the order.
// `mem_perform` applies a quantum's atomics to memory (mem_on_perform of m) in L2's order, before
// m's next quantum begins. If mem_performs is true for a mem_near, its SM waits for mem_perform
// before its own next quantum.
// `counters` belong to the SMs' sides, `far` to L2 and DRAM, by port. Excludes a line codec.
MemSystem *mem_open_apart(const MachineConfig *cfg, int nports, Counters *const *counters,
                          Counters *const *far);
MemSystem *mem_near(const MemSystem *m, int port);
int mem_quantum(const MachineConfig *cfg);
void mem_begin(MemSystem *m);
void mem_end(MemSystem *m);
void mem_perform(MemSystem *m);
bool mem_performs(const MemSystem *near);  // call after m has ended the previous quantum
void mem_close(MemSystem *m);
void mem_on_perform(MemSystem *m, MemPerform *perform, void *ctx);

// Has the LSU's instruction queue of that port room? False is the stall class "LSU full".
bool mem_ready(const MemSystem *m, int port);
void mem_issue(MemSystem *m, int port, const MemRequest *r);
// Looks up an instruction's operand in the constant cache. addr is an address as for
// MEM_CONST_LOAD. Returns the cycles until the operand arrives.
int64_t mem_const_operand(MemSystem *m, int port, uint32_t addr);
// Simulates one SM clock cycle of everything behind the LSUs' inputs.
void mem_cycle(MemSystem *m);
// Returns a finished instruction (loads, atomics with result, shared accesses: data may be written
// back; stores, RED: performed, for membar and kernel end). At most one load-like completion per
// port and cycle.
bool mem_done(MemSystem *m, int port, uint32_t *token);
// From now on mem_done returns load-like completions of this port one call of mem_cycle earlier,
// but never in the call that decided them. It serves an SM that models the last stage of the LD/ST
// unit elsewhere.
void mem_look_ahead(MemSystem *m, int port);
bool mem_idle(const MemSystem *m);          // nothing is in flight
void mem_flush_l1(MemSystem *m, int port);  // call between kernels, because L1 does not keep lines
// Writes into buf, in words, the event that the token waits for. The explanation of a hang prints
// it.
void mem_explain(const MemSystem *m, int port, uint32_t token, char *buf, size_t size);

// Device address (for timing) of a local memory word. Consecutive lanes are consecutive words, so
// that a warp's access to one local variable is coalesced. `byte` is the offset in the thread's
// frame of frame_words 4-byte words.
#define MEM_LOCAL_PHYS 0x80000000u
static inline uint32_t mem_local_address(int warp_slot, uint32_t frame_words, uint32_t byte,
                                         int lane) {
    return MEM_LOCAL_PHYS +
        (((uint32_t)warp_slot * frame_words + byte / 4) * 32 + (uint32_t)lane) * 4 + byte % 4;
}

#endif
