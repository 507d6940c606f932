// SPDX-License-Identifier: Apache-2.0
// Plug point "register path": how operands get from the register file to dispatch, and results back.
//
// The stages know instructions, collectors by number, and the ports below; where a register lives, how
// many accesses it takes and which blocks do it is the path's business. A path is one file in systems/;
// the cycle (cycle.c) calls it in this order:
//
//     writeback_stage   fills wr_valid, wr_lane, wr_data; path->result says which register it is
//     path->eval        outputs of its blocks
//     writeback_taken   wr_ready, wr_done
//     path->wires       what blocks tell each other for the clock edge; counters
//     dispatch_stage    disp_*, sets disp_ready
//     collect_stage     alloc_ready, alloc_slot; path->operands fills what moves from an entry register into a
//                       collector. Entry registers of the block: enter_valid, enter_slot
//     issue_stage       into entry registers; where they are the block's, or missing, path->operands fills what
//                       enters
//     path->tick        clock edge
#ifndef SMCOSIM_SM_PARTS_PATH_H
#define SMCOSIM_SM_PARTS_PATH_H

#include "sm/sm.h"

typedef struct Sm Sm;
typedef struct Flight Flight;
typedef struct Text Text;

// Pointers into the port structs of the path's blocks.
typedef struct PathPorts {
    // an instruction (micro-operation) enters a collector
    uint32_t *alloc_valid, *alloc_unit;
    const uint32_t *alloc_ready, *alloc_slot;
    // what stands in the block's entry register of a port moves into that collector; NULL: the block has none
    const uint32_t *enter_valid, *enter_slot;
    // an instruction with its operands leaves; operand o of dispatch port d is disp_data[d * operands + o]
    uint32_t *disp_ready;
    const uint32_t *disp_valid, *disp_slot;
    const uint32_t (*disp_data)[32];
    // a result is written
    uint32_t *wr_valid, *wr_lane;
    uint32_t (*wr_data)[32];
    const uint32_t *wr_ready;
    const uint32_t *wr_done;      // port p has written the oldest result it took; NULL: at once
    int most_slots, most_writes;  // collectors and write ports that the block can have
} PathPorts;

typedef struct RegPath {
    const char *const *blocks;                   // that it needs from the harness, NULL-terminated
    bool renames;                                // a register has a place only once it was written
    bool entry;                                  // entry registers stand in front of its block (collect.c)
    bool early;                                  // takes results a cycle sooner than the baseline (writeback.c)
    void *(*open)(Sm *sm, Arena *arena, PathPorts *ports);
    bool (*check)(const Sm *sm, Diag *d);        // after open: can it run like this? NULL: yes
    void (*launch)(Sm *sm);                      // a kernel begins; NULL: nothing to do
    bool (*busy)(const Sm *sm);                  // work of its own, besides collectors and results; NULL: never
    void (*eval)(Sm *sm);
    void (*wires)(Sm *sm);
    void (*tick)(Sm *sm);
    // Registers regs[0..n-1] are the operands of what enters at allocation port `port`: the instruction, or a part
    // of it; `last`: its last part.
    void (*operands)(Sm *sm, int port, const Flight *f, const uint8_t *regs, int n, bool last);
    // Does the path know what it must know of the registers that the result is written to? NULL: always.
    bool (*known)(const Sm *sm, const Flight *f);
    // The result at write port `port` is register `word` of those the instruction writes.
    void (*result)(Sm *sm, int port, const Flight *f, int word);
    // Frees a register before its warp ends. Offered before eval (parts/clock.h: drive), at most one per cycle, that
    // nothing in flight reads or writes; asked after wires (settle): was it taken? NULL: registers have fixed places.
    void (*free)(Sm *sm, int warp, int reg);
    bool (*freed)(Sm *sm);
    void (*hint)(Sm *sm, int warp, const IsaInst *in);  // a metadata instruction issues; NULL: ignored
    unsigned (*used)(const Sm *sm);              // physical registers in use; NULL: not tracked
    // The warp's slot is empty. NULL: nothing to do.
    void (*warp_ended)(Sm *sm, int warp);
    // The slot of a warp that ended may be used again. NULL: at once.
    bool (*warp_free)(const Sm *sm, int warp);
    // After the last kernel the path is evaluated and clocked until this holds; what it finds wrong then fails the run
    // (sm_fail). NULL: nothing to wait for.
    bool (*at_rest)(const Sm *sm);
    // A mismatch of one of its blocks, in words.
    void (*explain)(Text *t, const Sm *sm, const Mismatch *m);
} RegPath;

extern const RegPath path_baseline, path_packed;

#endif
