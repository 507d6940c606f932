// SPDX-License-Identifier: Apache-2.0
// Part "operand path": the way of operands from the register file to dispatch, and of results back.
//
// The stages see only instructions, dispatch ports and result ports. The path decides where a
// register resides and where an instruction waits for its operands. It also decides how many
// accesses the instruction takes and which blocks perform them. A path is one file in csrc/systems.
// It uses parts/slots.h (the table of waiting micro-operations) and, when all warps share its
// collectors, collector_pool.h. `self` is the state that `open` made. The cycle (cycle.c) calls the
// path in this order:
//
//     begin             no micro-operation has entered in this cycle
//     writeback_stage   drives wr_valid, wr_lane, wr_data; `result` names the register
//     eval              outputs of the path's blocks
//     writeback_taken   reads wr_ready, wr_done
//     wires             signals between blocks for the clock edge; counters
//     dispatch_stage    reads disp_*, sets disp_ready
//     collect           from entry registers into collectors; room is final afterwards
//     issue_stage       room, fits; accept or passes
//     tick              clock edge
//
// An instruction that needs a unit enters as one or several micro-operations (SmInst.nuops), each
// with up to SM_OPERANDS source registers (path_sources). The first enters when fits or room
// permits it. The others enter in later cycles, one at a time, when fits permits it. Never NULL:
// begin, eval, wires, collect, tick, fits, room, accept, result, explain.
#ifndef SMCOSIM_SM_PARTS_PATH_H
#define SMCOSIM_SM_PARTS_PATH_H

#include "isa/place.h"
#include "sm/parts/slots.h"
#include "sm/sm.h"

typedef struct Text Text;
typedef struct Listener Listener;

// Output of `open`: pointers into the port structs of the path's blocks, or to words of its own.
typedef struct PathPorts {
    Slots *slots;  // micro-operations that wait in the path
    // A micro-operation leaves with its operands: the one that waits in slot disp_slot[d]. Operand
    // o of dispatch port d is disp_data[d * SM_OPERANDS + o].
    uint32_t *disp_ready;
    const uint32_t *disp_valid, *disp_slot;
    // bit d * SM_OPERANDS + o: operand o carries a value, otherwise it is 0. NULL: all carry one
    const uint32_t *disp_need;
    const uint32_t (*disp_data)[32];
    // A result arrives at one of `results` ports, which need not be the write ports of the register
    // file. If wr_ready is set, the path accepts the result. If wr_done is set, port p has written
    // or kept the oldest result that it accepted. Instructions that issue from then on read this
    // result. NULL: at once.
    int results;
    // a register in front of these ports delays every result by one cycle
    bool staged;
    uint32_t *wr_valid, *wr_lane;
    uint32_t (*wr_data)[32];
    const uint32_t *wr_ready, *wr_done;
} PathPorts;

typedef struct OperandPath {
    const char *const *blocks;  // required from the harness, NULL-terminated
    // asks for places of another system, if that system has places (parts/reg_places.h)
    bool asks_places;
    bool early;  // accepts results a cycle earlier than the baseline (writeback.c)
    // all warps share the slots: units have their shares of them (UnitRow.share)
    bool shared;
    const Listener *listener;  // events that the path observes, with its `self`
    // parameters of its blocks that differ from the configuration; NULL: none
    CosimShape *shape;
    // mode: constants of the system
    void *(*open)(Sm *sm, Arena *arena, const void *mode, PathPorts *ports);
    // Can the path run with these settings, when a block runs RTL or no block does? Called before
    // open. NULL: always. EXIT_USAGE.
    bool (*settings)(const char *arch, const MachineConfig *cfg, bool runs_rtl, Diag *d);
    bool (*check)(const Sm *sm, const void *self, Diag *d);  // after open: can the path run like
                                                             // this?
    // Does the path hold an instruction until older instructions have read its destinations (WAR)?
    // NULL: no, issue keeps this order.
    bool (*orders)(const Sm *sm);
    void (*launch)(Sm *sm, void *self);  // a kernel begins
    // work besides waiting micro-operations and results
    bool (*busy)(const Sm *sm, const void *self);
    void (*begin)(Sm *sm, void *self);
    void (*eval)(Sm *sm, void *self);
    void (*wires)(Sm *sm, void *self);
    void (*collect)(Sm *sm, void *self);
    void (*tick)(Sm *sm, void *self);

    // Does micro-operation `uop` of the instruction find room in this cycle? If uop is 0, no part
    // of the instruction has entered. Without effect. If the path has `passes`, the call also
    // covers instructions that execute at issue.
    bool (*fits)(const Sm *sm, const void *self, int warp, const InstStream *stream,
                 const SmInst *in, int uop);
    // The same for many warps: the subset whose next instruction fits. path_each_fits calls fits
    // for each warp.
    WarpSet (*room)(const Sm *sm, const void *self, WarpSet warps);
    // The micro-operation, which fits, enters. It may be the first (uop 0) or the last (uop + 1 ==
    // nuops) of its instruction. The instruction's destination words are in f->inst (dst_reg[0 ..
    // nwrites - 1]), the compiler's hints about them in f->inst->isa. The path reports the slot by
    // slots_take, now or in a later cycle.
    void (*accept)(Sm *sm, void *self, Flight *f, int uop);
    // An instruction that executes at issue, or that is switched off in all lanes (active 0), keeps
    // its position in the order of its warp. Not called for metadata (HINT).
    void (*passes)(Sm *sm, void *self, int warp, const InstStream *stream, const SmInst *in,
                   uint32_t active);

    // Has the path determined the destination registers of the result? NULL: always.
    bool (*known)(const Sm *sm, const void *self, const Flight *f);
    // The result at port `port` is register dst_reg[word] of the instruction.
    void (*result)(Sm *sm, void *self, int port, const Flight *f, int word);

    // The values of these registers are dead: the path must not write its copies. Called by systems
    // that assign the registers' places to others afterwards. NULL: the path holds no copies.
    void (*kill)(Sm *sm, void *self, int warp, uint64_t regs);
    // Registers of the warp whose results enter at the end of this cycle. A kill in this cycle is
    // too early for these results.
    uint64_t (*arriving)(const Sm *sm, const void *self, int warp);
    // Frees a register before its warp ends, when nothing in flight reads or writes it. The request
    // is offered before eval (parts/clocked.h: drive), at most one per cycle. After wires (settle),
    // `freed` returns whether the path accepted it. NULL: registers have fixed places.
    void (*free)(Sm *sm, void *self, int warp, int reg);
    bool (*freed)(Sm *sm, void *self);
    // physical registers in use; NULL: not tracked
    unsigned (*used)(const Sm *sm, const void *self);
    void (*warp_ended)(Sm *sm, void *self, int warp);  // the warp has nothing in flight
    // Can the warp's slot be reused? NULL: at once.
    bool (*warp_free)(const Sm *sm, const void *self, int warp);
    // After the last kernel the path is evaluated and clocked until this holds. An error that it
    // finds then fails the run (sm_fail). NULL: no such wait.
    bool (*at_rest)(const Sm *sm, const void *self);
    // Reads a row without an instruction, after all reads of instructions. The request is offered
    // before eval (drive), at most one per cycle. After wires (settle), `read_granted` returns the
    // grant. The row (slice-major) is available only in the cycle after the grant. NULL: the path
    // has no port for it.
    void (*read)(Sm *sm, void *self, RegPlace place);
    bool (*read_granted)(const Sm *sm, const void *self);
    const uint32_t *(*row_read)(const Sm *sm, const void *self);  // NULL: no row in this cycle
    // The contents of this place, without any hardware: for checks. False: unknown (no golden
    // model).
    bool (*peek)(const Sm *sm, const void *self, RegPlace place, uint32_t row[32]);
    // A mismatch of one of its blocks, in words.
    void (*explain)(Text *t, const Sm *sm, const void *self, const Mismatch *m);
} OperandPath;

void path_open(Sm *sm, Arena *arena);  // the path of the architecture
bool path_check(const Sm *sm, Diag *d);
void path_launch(Sm *sm);

WarpSet path_each_fits(const Sm *sm, const void *self, WarpSet warps);
bool path_fits(const Sm *sm, int warp, const InstStream *stream, const SmInst *in, int uop);
void path_accept(Sm *sm, Flight *f, int uop);
// For a path with `passes`: of these warps, whose next instruction executes at issue, the subset
// for which the path has room.
WarpSet path_room_to_pass(const Sm *sm, WarpSet warps);
void path_passes(Sm *sm, int warp, const InstStream *stream, const SmInst *in, uint32_t active);
// Requests that the banks refused in this cycle: reads of slots, by slot; results at write ports.
// The next cycle's writeback takes these results at the soonest.
void path_tell_refused(Sm *sm, uint32_t reads, uint32_t writes);
void path_kill(Sm *sm, int warp, uint64_t regs);  // no register is in path_arriving
uint64_t path_arriving(const Sm *sm, int warp);

// The source registers of a micro-operation, *n of them, where each has up to `per` (SM_OPERANDS).
static inline const uint8_t *path_sources(const SmInst *in, int uop, int per, int *n) {
    const int left = in->nops - uop * per;
    *n = left < 0 ? 0 : left < per ? left : per;
    return in->op_reg + (*n ? uop * per : 0);
}

#endif
