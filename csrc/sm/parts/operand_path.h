// SPDX-License-Identifier: Apache-2.0
// Part "operand path": how operands get from the register file to dispatch, and results back.
//
// The stages know instructions, dispatch ports and result ports; where a register lives, where an
// instruction waits for its operands, how many accesses it takes and which blocks do it is the
// path's business. A path is one file in csrc/systems, with the help of parts/slots.h (what waits
// where) and, when all warps share its collectors, collector_pool.h. `self` is the state that
// `open` made. The cycle (cycle.c) calls it in this order:
//
//     begin             nothing has entered in this cycle
//     writeback_stage   fills wr_valid, wr_lane, wr_data; result says which register it is
//     eval              outputs of its blocks
//     writeback_taken   wr_ready, wr_done
//     wires             what blocks tell each other for the clock edge; counters
//     dispatch_stage    disp_*, sets disp_ready
//     collect           from entry registers into collectors; now it is known what finds room
//     issue_stage       room, fits; accept or passes
//     tick              clock edge
//
// An instruction that needs a unit enters as one or several micro-operations (SmInst.nuops), each
// with up to SM_OPERANDS source registers (path_sources). The first comes when fits or room has
// said so, the others, one by one, in later cycles, when fits says so. Never NULL: begin, eval,
// wires, collect, tick, fits, room, accept, result, explain.
#ifndef SMCOSIM_SM_PARTS_PATH_H
#define SMCOSIM_SM_PARTS_PATH_H

#include "isa/place.h"
#include "sm/parts/slots.h"
#include "sm/sm.h"

typedef struct Text Text;
typedef struct Listener Listener;

// What `open` reports: pointers into the port structs of the path's blocks, or to words of its own.
typedef struct PathPorts {
    Slots *slots;  // what waits in it
    // A micro-operation with its operands leaves: what waits in slot disp_slot[d]; operand o of
    // dispatch port d is disp_data[d * SM_OPERANDS + o].
    uint32_t *disp_ready;
    const uint32_t *disp_valid, *disp_slot;
    // bit d * SM_OPERANDS + o: operand o carries a value, else it is 0. NULL: all do
    const uint32_t *disp_need;
    const uint32_t (*disp_data)[32];
    // A result comes to one of `results` ports, which need not be the write ports of the register
    // file. wr_ready: the path takes it, wr_done: port p is done with the oldest result that it
    // took, written or kept: what issues from now on reads it. NULL: at once.
    int results;
    // a register in front of these ports: every result comes to them a cycle later
    bool staged;
    uint32_t *wr_valid, *wr_lane;
    uint32_t (*wr_data)[32];
    const uint32_t *wr_ready, *wr_done;
} PathPorts;

typedef struct OperandPath {
    const char *const *blocks;  // that it needs from the harness, NULL-terminated
    bool asks_places;           // of another system, if there is one (parts/reg_places.h)
    bool early;                 // takes results a cycle sooner than the baseline (writeback.c)
    // all warps share the slots: units have their shares of them (UnitRow.share)
    bool shared;
    const Listener *listener;  // events that it wants, with its `self`
    // parameters of its blocks that are not those of the configuration; NULL: none
    CosimShape *shape;
    // mode: constants of the system
    void *(*open)(Sm *sm, Arena *arena, const void *mode, PathPorts *ports);
    bool (*check)(const Sm *sm, const void *self, Diag *d);  // after open: can it run like this?
    // Does an instruction wait in it until older ones have read what it writes (WAR)? NULL: no,
    // issue sees to that.
    bool (*orders)(const Sm *sm);
    void (*launch)(Sm *sm, void *self);  // a kernel begins
    // work of its own, besides what waits in it and results
    bool (*busy)(const Sm *sm, const void *self);
    void (*begin)(Sm *sm, void *self);
    void (*eval)(Sm *sm, void *self);
    void (*wires)(Sm *sm, void *self);
    void (*collect)(Sm *sm, void *self);
    void (*tick)(Sm *sm, void *self);

    // Does micro-operation `uop` of the instruction find room in this cycle? uop 0: nothing of it
    // has entered. Without effect. A path with `passes` is asked about instructions that execute at
    // issue, too.
    bool (*fits)(const Sm *sm, const void *self, int warp, const Stream *stream, const SmInst *in,
                 int uop);
    // The same for many: of these warps those whose next instruction fits. path_each_fits asks for
    // each.
    WarpSet (*room)(const Sm *sm, const void *self, WarpSet warps);
    // The micro-operation, which fits, enters. It is the first (uop 0) or the last (uop + 1 ==
    // nuops) of its instruction; f->inst has the instruction's destination words (dst_reg[0 ..
    // nwrites - 1]), and f->inst->isa what the compiler says of them. In which slot it waits the
    // path says by slots_take, now or in a later cycle.
    void (*accept)(Sm *sm, void *self, Flight *f, int uop);
    // An instruction that is executed at issue, or is switched off in all lanes (active 0), takes
    // its place in the order of its warp. Not called for metadata (HINT).
    void (*passes)(Sm *sm, void *self, int warp, const Stream *stream, const SmInst *in,
                   uint32_t active);

    // Does the path know what it must know of the registers that the result is written to? NULL:
    // always.
    bool (*known)(const Sm *sm, const void *self, const Flight *f);
    // The result at port `port` is register dst_reg[word] of those that the instruction writes.
    void (*result)(Sm *sm, void *self, int port, const Flight *f, int word);

    // The values of these registers are dead: what the path holds of them is not to be written any
    // more. For systems that give the registers' places to others afterwards. NULL: it holds
    // nothing.
    void (*kill)(Sm *sm, void *self, int warp, uint64_t regs);
    // Registers of the warp whose results enter at the end of this cycle: a kill precedes them and
    // would miss them.
    uint64_t (*arriving)(const Sm *sm, const void *self, int warp);
    // Frees a register before its warp ends. Offered before eval (parts/clock.h: drive), at most
    // one per cycle, that nothing in flight reads or writes; asked after wires (settle): was it
    // taken? NULL: registers have fixed places.
    void (*free)(Sm *sm, void *self, int warp, int reg);
    bool (*freed)(Sm *sm, void *self);
    // physical registers in use; NULL: not tracked
    unsigned (*used)(const Sm *sm, const void *self);
    void (*warp_ended)(Sm *sm, void *self, int warp);  // nothing of the warp is in flight
    // its slot may be used again; NULL: at once
    bool (*warp_free)(const Sm *sm, const void *self, int warp);
    // After the last kernel the path is evaluated and clocked until this holds; what it finds wrong
    // then fails the run (sm_fail). NULL: nothing to wait for.
    bool (*at_rest)(const Sm *sm, const void *self);
    // Reads a row without an instruction, after all that instructions read: offered before eval
    // (drive), at most one per cycle; after wires (settle): was it granted? Its row (slice-major)
    // is there in the cycle after the grant, for that cycle. NULL: the path has no port for it.
    void (*read)(Sm *sm, void *self, RegPlace place);
    bool (*read_granted)(const Sm *sm, const void *self);
    const uint32_t *(*row_read)(const Sm *sm, const void *self);  // NULL: none comes in this cycle
    // What lies there, without any hardware: for checks. False: not known (no golden model).
    bool (*peek)(const Sm *sm, const void *self, RegPlace place, uint32_t row[32]);
    // A mismatch of one of its blocks, in words.
    void (*explain)(Text *t, const Sm *sm, const void *self, const Mismatch *m);
} OperandPath;

void path_open(Sm *sm, Arena *arena);  // that of the architecture
bool path_check(const Sm *sm, Diag *d);
void path_launch(Sm *sm);

WarpSet path_each_fits(const Sm *sm, const void *self, WarpSet warps);
bool path_fits(const Sm *sm, int warp, const Stream *stream, const SmInst *in, int uop);
void path_accept(Sm *sm, Flight *f, int uop);
// Where the path has `passes`: of these warps, whose next instruction executes at issue, those for
// which that finds room; it does.
WarpSet path_room_to_pass(const Sm *sm, WarpSet warps);
void path_passes(Sm *sm, int warp, const Stream *stream, const SmInst *in, uint32_t active);
// Requests that the banks refused in this cycle: reads of slots, by slot; results at write ports.
// The latter are taken by the next cycle's writeback at the soonest.
void path_tell_refused(Sm *sm, uint32_t reads, uint32_t writes);
void path_kill(Sm *sm, int warp, uint64_t regs);  // none of them in path_arriving
uint64_t path_arriving(const Sm *sm, int warp);

// The source registers of a micro-operation, *n of them, where each has up to `per` (SM_OPERANDS).
static inline const uint8_t *path_sources(const SmInst *in, int uop, int per, int *n) {
    const int left = in->nops - uop * per;
    *n = left < 0 ? 0 : left < per ? left : per;
    return in->op_reg + (*n ? uop * per : 0);
}

#endif
