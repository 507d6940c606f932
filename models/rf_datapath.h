// SPDX-License-Identifier: Apache-2.0
// Contract of block rf_datapath: the integrated register path of packing, CORF, CORF++ and register
// virtualisation (thesis chapter 2): rename_table, coalescer, packed collectors, banked_rf,
// unpacker, width_detect, packer and alloc_unit, wired to one pipeline. What each of them decides is
// in its own contract; here is what lies between them.
//
// A register is {warp, architected number}. It is mapped from its first write until it is freed; an
// unmapped register reads as 0 in all lanes, without access to a bank.
//
// Configuration (inputs; may change in any cycle, a kernel sets them once)
//   cfg_policy  0 first fit, 1 pairs (CORF), 2 left / right and one bank per warp (CORF++)
//   cfg_mode    what is read together: 0 nothing, 1 same entry (CORF), 2 disjoint slices (CORF++)
//   cfg_pack    1: a value takes the bytes it needs; 0: always four (virtualisation alone)
//   cfg_kernel  kernel slot whose hints (hl_*, see alloc_unit) writes use
//
// Issue      is_ready[a] and is_slot[a] depend on state alone: more than a collectors are free, and
//   port a has no refused lookup to repeat; is_slot[a] is the (a+1)-th lowest free collector. An
//   instruction with is_valid and is_ready in cycle t has that collector from t+1 on (port 0 older
//   than port 1). Its registers are looked up in t; a lookup that rename_table refuses (port
//   conflict) is repeated in t+1, t+2, .., and is_ready[a] is 0 while one is to be repeated.
//   In the cycle in which the last mapping is known (t+1 without a conflict) the coalescer (mode as
//   it is then) makes it up to NumOps reads; in the next cycle (t+2) the collector asks the banks
//   for the first of them. An instruction without register operands is complete in t+1.
// Collect    as operand_collector, but with reads in place of operands: a collector presents its
//   lowest outstanding read; after a refusal, in the next cycle, the next higher one (cyclically). A
//   read granted in cycle t is delivered, unpacked and stored in t+1: one or two values for one to
//   three operands.
// Dispatch   disp_valid[d] offers the oldest complete collector whose unit is d; with disp_ready[d]
//   it is free in the next cycle. Outputs depend on state alone. Operands are full width; an
//   operand of an unmapped register is 0.
//
// Write      each writer w is a pipeline of two stages.
//   accept   wr_ready[w] (0 where not valid): stage 1 is empty or leaves at this clock edge, and
//            rename_table does the lookup of the register's place. The lookup is asked for while
//            stage 1 is empty, asks for a place or has one (and is lost when it does not leave
//            then). The size (width_detect, written lanes only; 4 without cfg_pack) and lanes are
//            kept; bytes of unwritten lanes become 0. The hints of the register are asked for.
//   stage 1  first cycle: the old place and the hints are known. With all lanes written, or nothing
//            mapped, `need` is the size; else the larger of it and the size of the old mask (what
//            the other lanes hold is not known). Then, in this order, only what applies:
//       merge   some lanes are not written, a mapped register must grow: its old value is read from
//               its bank (before any collector; a write to the bank goes first; the lowest of
//               several writers), already in the first cycle; in the cycle after the grant it is
//               unpacked and fills the lanes not written.
//       buddy   policy 1, the register has a buddy and needs a new place: the buddy's place is
//               looked up, from the first cycle on, or from that in which the old value comes. Its
//               answer is used as it comes.
//       place   alloc_unit is asked (in the first cycle when neither of these applies, in the cycle
//               of the buddy's answer, or in that in which the old value comes) each cycle until
//               al_done. While it says none the write waits, and reads, frees and the other writers
//               go on.
//     Then the write goes to stage 2 at the clock edge, or waits in stage 1 while that is occupied.
//     A register that was unmapped, or was merged, is written in all lanes.
//   stage 2  the value is packed; the bank's write port and, when the mapping changes (all kinds but
//            keep), rename_table's update are asked for until each was ready once; then the write is
//            done and the stage empty. A write that keeps or shrinks its place does the same already
//            in its first cycle in stage 1 when stage 2 is empty; what is not ready then is repeated
//            in stage 2.
//   wr_done[w]  a write of w is done in this cycle (in the order they were accepted; at most two are
//            on the way): whatever is accepted from the next cycle on sees it. Soonest: accepted in
//            t, done in t+1 (place kept), t+2 (new place), t+3 (merge).
//
// Free       fr_ready, ex_ready: as fr and ex of rename_table. A freed register is unmapped from the
//   next cycle on; its slices are given to alloc_unit in that cycle.
// Hints      hl_*: straight to alloc_unit.
// Status     st_*: what happened in the cycle before, for counters. used_*: as alloc_unit's.
// Reset: no register mapped, all collectors and stages empty; the banks' contents stay.
//
// Never driven (the scoreboard of the SM sees to it). A write is outstanding from its first cycle
//   of wr_valid until its wr_done, a read from the cycle of is_ready until the instruction leaves.
//   - a read, a free or a second write of a register that has an outstanding write, from the same
//     cycle on; a write or a free of one that has an outstanding read; a read and a free of one
//     register in the same cycle
//   - an exit (ex_valid) of a warp that has anything outstanding; anything of a warp from its
//     accepted exit until ex_ready is 1 again
//   - with valid: a warp of Warps or more, a register of Regs or more (also as the buddy in a hint),
//     a unit of NumDisp or more, a kernel slot of NumKernels or more (cfg_kernel: ever)
// Ignored: is_valid without is_ready, registers of operands not needed, disp_ready without
//   disp_valid; data of lanes not written.
// No deadlock: a write waits only for a place, a port or its stage. Ports are given in turn; with at
//   most Banks * Entries registers mapped or being written (policy 2: at most Entries per bank, warp
//   w's being in bank w mod Banks, counts for finding the place its policy wants; it falls back to
//   other banks) a place is always found (alloc_unit). With more, a write waits for a free, which
//   nothing holds up: st_none tells it.
// Left out: reading ahead of the scoreboard; forwarding of results to collectors; more than one merge
//   at a time.
// What the structures cost in time, against baseline collectors: one cycle from issue to the first
//   request (the lookup), one or two from result to bank.
#ifndef SMCOSIM_MODELS_RF_DATAPATH_H
#define SMCOSIM_MODELS_RF_DATAPATH_H

#include "models/block.h"

enum { DP_MAX_COLL = 31, DP_MAX_ALLOC = 4, DP_MAX_DISP = 8, DP_MAX_OPS = 3, DP_MAX_WR = 4, DP_MAX_SRC = 12 };

#define RF_DATAPATH_PARAMS(P)                                                                     \
    P(Warps, 48, 1, 64, "sm.warps", "warps")                                                      \
    P(Regs, 63, 2, 64, "sm.regs_per_thread", "architected registers per warp")                    \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks")                                         \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")                             \
    P(NumColl, 16, 2, 31, "oc.collectors", "operand collectors")                                  \
    P(NumOps, 3, 1, 3, "oc.operands", "operands per collector")                                   \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions accepted per cycle")                     \
    P(NumDisp, 4, 1, 8, "oc.dispatch_ports", "execution units, one dispatch port each")           \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle")                              \
    P(NumKernels, 8, 1, 8, "rename.kernels", "kernels that have hints at once")

#define RF_DATAPATH_PORTS(W, V)                                                                   \
    W(IN, cfg_policy, 1, 1, 2, ALWAYS, -, "0 first fit, 1 pairs, 2 left / right")                 \
    W(IN, cfg_mode, 1, 1, 2, ALWAYS, -, "read together: 0 none, 1 same entry, 2 disjoint slices") \
    W(IN, cfg_pack, 1, 1, 1, ALWAYS, -, "values take the bytes they need")                        \
    W(IN, cfg_kernel, 1, 1, KernelBits, ALWAYS, -, "kernel slot of the hints")                    \
    W(IN, is_valid, 1, 1, NumAlloc, ALWAYS, -, "an instruction arrives")                          \
    W(IN, is_warp, DP_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "its warp")                       \
    W(IN, is_unit, DP_MAX_ALLOC, NumAlloc, UnitBits, ALWAYS, -, "dispatch port it waits for")     \
    W(IN, is_need, DP_MAX_ALLOC, NumAlloc, NumOps, ALWAYS, -, "operands to read")                 \
    W(IN, is_reg, DP_MAX_SRC, NumAlloc * NumOps, RegBits, ALWAYS, -, "their registers")           \
    W(IN, disp_ready, 1, 1, NumDisp, ALWAYS, -, "unit d takes an instruction")                    \
    W(IN, wr_valid, 1, 1, NumWr, ALWAYS, -, "writer w has a result")                              \
    W(IN, wr_warp, DP_MAX_WR, NumWr, WarpBits, ALWAYS, -, "warp")                                 \
    W(IN, wr_reg, DP_MAX_WR, NumWr, RegBits, ALWAYS, -, "register")                               \
    W(IN, wr_lane, DP_MAX_WR, NumWr, 32, ALWAYS, -, "lanes written")                              \
    V(IN, wr_data, DP_MAX_WR, NumWr, 1024, ALWAYS, -, "result, slice-major")                      \
    W(IN, fr_valid, 1, 1, 1, ALWAYS, -, "a register is freed")                                    \
    W(IN, fr_warp, 1, 1, WarpBits, ALWAYS, -, "warp")                                             \
    W(IN, fr_reg, 1, 1, RegBits, ALWAYS, -, "register")                                           \
    W(IN, ex_valid, 1, 1, 1, ALWAYS, -, "a warp ended")                                           \
    W(IN, ex_warp, 1, 1, WarpBits, ALWAYS, -, "warp")                                             \
    W(IN, hl_valid, 1, 1, 1, ALWAYS, -, "a hint is loaded")                                       \
    W(IN, hl_op, 1, 1, 2, ALWAYS, -, "0 clear the slot, 1 buddy, 2 alignment")                    \
    W(IN, hl_kernel, 1, 1, KernelBits, ALWAYS, -, "kernel slot")                                  \
    W(IN, hl_reg, 1, 1, 6, ALWAYS, -, "register")                                                 \
    W(IN, hl_value, 1, 1, 6, ALWAYS, -, "its buddy or alignment")                                 \
    W(OUT, is_ready, 1, 1, NumAlloc, ALWAYS, -, "port a takes an instruction")                    \
    W(OUT, is_slot, DP_MAX_ALLOC, NumAlloc, CollBits, WHEN, is_ready, "collector it gets")        \
    W(OUT, disp_valid, 1, 1, NumDisp, WORK, -, "an instruction is ready for unit d")              \
    W(OUT, disp_slot, DP_MAX_DISP, NumDisp, CollBits, WHEN, disp_valid, "its collector")          \
    W(OUT, disp_need, 1, 1, NumDisp * NumOps, ALWAYS, -, "operands that carry a value")           \
    V(OUT, disp_data, DP_MAX_DISP * DP_MAX_OPS, NumDisp * NumOps, 1024, WHEN, disp_need, "operands, slice-major") \
    W(OUT, wr_ready, 1, 1, NumWr, ALWAYS, -, "the result is taken (0 where not valid)")           \
    W(OUT, wr_done, 1, 1, NumWr, WORK, -, "a result taken before is written")                     \
    W(OUT, fr_ready, 1, 1, 1, ALWAYS, -, "the register is freed (0 where not valid)")             \
    W(OUT, ex_ready, 1, 1, 1, ALWAYS, -, "no walk over a warp's registers is going on")           \
    W(OUT, used_slices, 1, 1, SliceCountBits, ALWAYS, -, "slices in use")                         \
    W(OUT, used_regs, 1, 1, RegCountBits, ALWAYS, -, "physical registers in use, cycle before")   \
    W(OUT, st_place, 1, 1, NumAlloc, ALWAYS, -, "the places of port a's operands became known")   \
    W(OUT, st_multi, 1, 1, NumAlloc, ALWAYS, -, "of these: reads two or more registers")          \
    W(OUT, st_possible, 1, 1, NumAlloc, ALWAYS, -, "of these: two of them would fit one entry")   \
    W(OUT, st_coalesced, 1, 1, NumAlloc, ALWAYS, -, "of these: two of them are one read")         \
    W(OUT, st_merged, 1, 1, NumAlloc, ALWAYS, -, "of these: a register named twice is one read")  \
    W(OUT, st_op, 1, 1, NumAlloc * NumOps, ALWAYS, -, "operands of these")                        \
    W(OUT, st_op_size, DP_MAX_SRC, NumAlloc * NumOps, 3, WHEN, st_op, "bytes it takes, 0 unmapped") \
    W(OUT, st_src_refused, 1, 1, NumAlloc * NumOps, ALWAYS, -, "lookup of an operand refused")    \
    W(OUT, st_dst_refused, 1, 1, NumWr, ALWAYS, -, "lookup of a writer refused")                  \
    W(OUT, st_bank_read, 1, 1, Banks, ALWAYS, -, "bank b served a read")                          \
    W(OUT, st_bank_write, 1, 1, Banks, ALWAYS, -, "bank b served a write")                        \
    W(OUT, st_rd_refused, 1, 1, NumColl, ALWAYS, -, "collector c asked a bank and was refused")   \
    W(OUT, st_wr_refused, 1, 1, NumWr, ALWAYS, -, "writer w asked a bank and was refused")        \
    W(OUT, st_merge, 1, 1, 1, ALWAYS, -, "one of the reads was that of a merging writer")         \
    W(OUT, st_alloc, 1, 1, NumWr, ALWAYS, -, "writer w has its place")                            \
    W(OUT, st_kind, DP_MAX_WR, NumWr, 2, WHEN, st_alloc, "0 keep, 1 shrink, 2 first, 3 grow")     \
    W(OUT, st_how, DP_MAX_WR, NumWr, 3, WHEN, st_alloc, "as alloc_unit's al_how")                 \
    W(OUT, st_size, DP_MAX_WR, NumWr, 3, WHEN, st_alloc, "bytes it takes")                        \
    W(OUT, st_none, 1, 1, NumWr, ALWAYS, -, "nothing was free for writer w")                      \
    W(OUT, st_freed, 1, 1, NumFreed, ALWAYS, -, "mapped registers were freed, a bit each")

#define RF_DATAPATH_WIDTHS                                                                        \
    const int WarpBits = block_bits(Warps), RegBits = block_bits(Regs),                           \
              CollBits = block_bits(NumColl), UnitBits = block_bits(NumDisp),                     \
              KernelBits = block_bits(NumKernels),                                                \
              SliceCountBits = block_bits(4 * Banks * Entries + 1),                               \
              RegCountBits = block_bits(Banks * Entries + 1),                                     \
              NumFreed = Banks < 8 ? Banks : 8

typedef struct RfDatapathIn { RF_DATAPATH_PORTS(BLOCK_W_IN, BLOCK_V_IN) } RfDatapathIn;
typedef struct RfDatapathOut { RF_DATAPATH_PORTS(BLOCK_W_OUT, BLOCK_V_OUT) } RfDatapathOut;

// Observation, obs_words 32. One after the other, each as long as its block says:
//   rename_table     mappings, then its state
//   alloc_unit       free map, candidates, hints, state
//   banked_rf        rows, then write priorities
//   collectors       NumColl status words, all 0 while free:
//                      word 0  bit 0 busy; 3:1 need; 4 waits for places; 7:5 reads not granted;
//                              10:8 read presented; 11 a read was granted in the cycle before;
//                              14:12 operands missing; 17:15 operands that are unmapped; 20:18 unit
//                      word 1  older collectors
//                      word 2 + 3 i .. for each read i not granted, else 0: bank << 16 | entry;
//                              entry2; sel | mask1 << 4 | mask2 << 8 | ops1 << 12 | ops2 << 16
//                    then NumColl * NumOps operand rows (0 where missing, unmapped or not needed)
//   lookups          NumAlloc stages: word 0: bit 0 occupied; 3:1 lookups to be repeated; 6:4 known;
//                    15:8 collector; 23:16 warp; words 1 + 2 o, 2 + 2 o: register of operand o (0
//                    where not needed), its place as rename_table shows it (0 where not known before
//                    this cycle); all 0 while empty
//   writers          NumWr times stage 1 and stage 2: status (0 while empty):
//                      word 0  bit 0 occupied; 3:1 step (stage 1; 0 first cycle, 1 merge asks, 2
//                              merge comes, 3 buddy asks, 4 buddy comes, 5 place asks, 6 has place);
//                              stage 2: bit 1 bank is done, bit 2 update is done (or not wanted);
//                              15:8 register; 23:16 warp; 26:24 size detected (stage 1)
//                      word 1  its place as rename_table shows it (stage 1: after its first cycle)
//                      word 2  lanes written
//                      word 3  (stage 1, after its first cycle) hints: bit 0 has a buddy; 2:1
//                              alignment; 5:4 kind, when it has its place; 13:8 the buddy
//                      word 4  (stage 1) the buddy's place as it was found, 0 before
//                    then as many rows of data (0 while empty)
extern const BlockModel rf_datapath_model;

#endif
