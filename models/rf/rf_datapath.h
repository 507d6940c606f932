// SPDX-License-Identifier: Apache-2.0
// Contract of block rf_datapath: the integrated register path of packing, CORF, CORF++ and register
// virtualization (thesis chapter 2). Its parts are rename_table, coalescer, packed collectors,
// banked_rf, unpacker, width_detect, packer and alloc_unit, wired to one pipeline. Each part has
// its own contract. This contract covers the logic between the parts.
//
// A register is {warp, architected number}. It is mapped from its first write until it is freed. An
// unmapped register reads as 0 in all lanes, without access to a bank.
//
// Configuration: inputs that may change in any cycle; a kernel sets them once. They are registered:
// a value at the inputs in cycle t is in effect from t+1 on. After reset all are 0.
//   `cfg_policy`: 0 first fit, 1 pairs (CORF), 2 left / right and one bank per warp (CORF++).
//   `cfg_mode`: reads that share an access: 0 none, 1 same entry (CORF), 2 disjoint slices
//     (CORF++).
//   `cfg_pack`: 1: a value occupies the bytes it needs. 0: always four (virtualization alone).
//   `cfg_kernel`: kernel slot whose hints (hl_*, see alloc_unit) go with destinations.
//   `cfg_table`: banks of the rename table, as rename_table's. It changes only while nothing is
//     mapped.
//   `cfg_grow`, `cfg_order`: as alloc_unit's.
//   `cfg_shrink`: 0 free: a value that needs fewer slices than its register releases the rest. 1
//     hold: it keeps all slices and is stored sign-extended over them.
//
// Entry: each allocation port a has one entry register in front of the collectors. Beside it, one
//   late register holds destinations of the last instruction that moved from the entry.
//   `issue`: is_ready[a] depends on state alone: entry a is empty, or its instruction moves at this
//     clock edge (en_valid[a]). With is_valid and is_ready in cycle t the instruction is in entry a
//     from t+1 on.
//   `lookups`: in t for the arriving instruction (straight from is_*), in t+1, .. for the
//     instruction in the entry. In one cycle it looks up all source registers not found yet (src)
//     and one destination of the port (dst). The destination is the next one of the late register
//     while that is occupied (dst_late). Else it is the next one of the instruction in the entry.
//     If none is left, it is the first one of the arriving instruction.
//     Next: is_dst_reg of 0, then 1, .. up to is_dst_n - 1. Each follows in the cycle after the
//     previous one was ready. A lookup that rename_table refuses is repeated. A destination lookup
//     also reads its hints, with the cfg_kernel of that cycle. The answer to a lookup that is ready
//     in t is known in t+1.
//   `late`: at the clock edge at which an instruction moves, its unserved destinations go to the
//     late register (one may be served in this cycle). The late register is occupied until all are
//     served.
//   `ds_*`: the answer about a destination, in the cycle after its lookup was ready. `ds_index[a]`
//     is its number (0 .. is_dst_n - 1). Its place is ds_mask (slices, 0: unmapped), bank and
//     entry. Its hints are ds_pair, ds_buddy, ds_align. If ds_late[a] is 0, the instruction is in
//     the entry. If ds_late[a] is 1, it is the last one that moved from the entry in an earlier
//     cycle with destinations not yet shown. An instruction without destinations may have moved
//     since. An answer is shown once. The client keeps it and returns it with the result (wr_old_*,
//     wr_pair, wr_buddy, wr_align).
//   `move`: an instruction is complete from the first cycle in which two conditions hold. All its
//     sources are known (no source lookup is left). And either all its destinations were served in
//     earlier cycles, or the late register is not occupied (state). Without a conflict, and also
//     without any register, that cycle is t+1. While it is complete it requests a collector that is
//     free in this cycle (state).
//     The cyclic order is en_first, en_first + 1, .. In it the i-th complete entry gets the i-th
//     lowest free collector: en_valid[a], en_slot[a], from state alone. In that cycle the
//     coalescer (in its mode of that cycle) makes up to NumOps reads of the sources' places. From
//     the next cycle (t+2) on the instruction is in the collector and requests the first read from
//     the banks. If two move at one edge, port 0 is the older.
//   `en_first`: 0 after reset. While the first entry is complete and gets no collector, it stays
//     first. Otherwise the next in cyclic order that is complete and gets none is first in the next
//     cycle. If no entry waits, en_first does not change. Therefore an entry is overtaken at most
//     NumAlloc - 1 times.
//   An instruction whose source lookup is refused, or that finds no collector, holds its entry and
//   is_ready of its port. It holds nothing else.
// Collect: as operand_collector, but with reads in place of operands. A collector presents its
//   lowest outstanding read. In the cycle after a refusal it presents the next higher one
//   (cyclically). A read granted in cycle t is delivered, unpacked and stored in t+1. It delivers
//   one or two values for one to three operands.
// Dispatch: disp_valid[d] offers the oldest complete collector whose unit is d. With disp_ready[d]
//   the collector is free in the next cycle. Outputs depend on state alone. Operands are full
//   width. An operand of an unmapped register is 0.
//
// Write: each writer w is a pipeline of two stages. A result carries its hints and the place that
//   its register had at issue and still has (wr_old_mask 0: unmapped).
//   `accept`: wr_ready[w] (0 if not valid): stage 1 is empty or leaves at this clock edge. The size
//     (width_detect, written lanes only; 4 without cfg_pack) determines `need`. Need is the size if
//     nothing is mapped, or if all lanes are written and cfg_shrink is 0. Otherwise need is the
//     larger of the size and the ones of wr_old_mask, because the contents of unwritten lanes are
//     unknown. Stage 1 latches need, the old place, hints and lanes. Bytes of unwritten lanes
//     become 0.
//   `buddy`: with wr_valid, wr_pair and cfg_policy 1 the place of wr_buddy is looked up (bd) in the
//     same cycle. Acceptance and need of the result are irrelevant. There is no lookup while stage
//     1 itself makes one. If bd is ready when the result is accepted, the answer arrives in its
//     first cycle in stage 1. If bd is refused, stage 1 repeats the lookup from its first cycle on
//     until it is ready. The answer arrives in the next cycle. A result that keeps or shrinks its
//     place stops the lookup. In all other cases the buddy counts as unmapped.
//   `look`: with cfg_grow 0, lk_* names the row in which growth may be requested in the next cycle.
//     In a cycle in which stage 1 reads the old value (merge), it is the row of its place. Else it
//     is the row of the place that arrives with wr_valid, accepted or not. That place must exist,
//     need must be above its ones, and all lanes must be written. Stage 1 must be empty or in step
//     0 without a shrink that must wait.
//   `stage 1`: kind first if nothing is mapped. Else keep, shrink or grow, as need compares with
//     the ones of the old mask. In its first cycle:
//     `keep`, `shrink`: alloc_unit serves the request in this cycle. But a shrink whose rq_ready is
//       0 waits, and each cycle is its first until it is done.
//     `merge`: some lanes are not written and a mapped register must grow. Its old value is read
//       from its bank from the first cycle on. This read precedes any collector, a write to the
//       bank precedes the read, and the lowest of several writers wins. In the cycle after the
//       grant the value is unpacked and fills the lanes not written.
//     `place`: alloc_unit receives the request each cycle until al_done. The first request waits
//       until the old value and the buddy's answer are not outstanding; both may arrive in the same
//       cycle. While al_none is 1 the write waits. Reads, frees and the other writers proceed.
//     Then the write moves to stage 2 at the clock edge, or waits in stage 1 while stage 2 is
//     occupied. A register that was unmapped, or was merged, is written in all lanes.
//   `stage 2`: the value is packed. The write requests the bank's write port and, if the mapping
//     changes (all kinds but keep), rename_table's update. Each request repeats until it was ready
//     once. Then the write is done and the stage is empty. A write that keeps or shrinks its place
//     makes these requests already in its first cycle in stage 1, if stage 2 is empty. It is done
//     in that cycle. Stage 2 repeats the refused requests.
//   `wr_done[w]`: a write of w is done in this cycle. Writes of w finish in the order of
//     acceptance, and at most two are in flight. It depends on state alone. An instruction accepted
//     in this cycle or later sees the write (a lookup of the same cycle answers the new place).
//     Soonest: accepted in t, done in t+1 (place kept or shrunk), t+2 (new place), t+3 (merge, or
//     first of a pair). A unit's last stage delivers a result one cycle before a baseline result
//     would be written. A result that keeps its place is thus written in the same cycle as there.
//   Wr_ready, wr_done and fr_ready do not depend on is_* and disp_ready.
//
// Free: fr_ready, ex_ready: as fr and ex of rename_table. A freed register is unmapped from the
//   next cycle on (a destination lookup of it in the same cycle answers unmapped). From that cycle
//   on its slices are sent to alloc_unit until that accepts them. Its fr_ready is freed_ready of
//   rename_table: while a lane waits, the table frees nothing in the lane.
// Hints: hl_*: straight to alloc_unit.
// Status: obs_*: events of the previous cycle, for counters (simulation only). `used_*`: as
//   alloc_unit's, which lag the events that they count.
// Reset: no register mapped, all entries, collectors and stages empty, en_first 0. The contents of
//   the banks stay.
//
// Never driven (the scoreboard of the SM prevents it). Two definitions:
//   A write is outstanding from is_ready of the instruction that names the register as a
//     destination until the cycle before its wr_done. It also ends when the SM drops it, because a
//     destination need not be written.
//   A read is outstanding from the cycle of is_ready until the cycle of dispatch.
//
//   - A read or another destination of a register with an outstanding write of another instruction.
//     Of two instructions that arrive in one cycle, port 0 is the earlier.
//
//   - A free of a register with an outstanding write or read, from the cycle after is_ready on.
//
//   - A read and a free of one register in the same cycle. A destination and a free may coincide.
//     An instruction may read a register that it writes, but names a destination once. A
//     destination may have outstanding reads.
//
//   - A result (wr_valid) of a register without a destination lookup shown (ds_*) in an earlier
//     cycle (late or not). A second result for one lookup. A result with wr_old_* other than shown.
//     A result of a register with an outstanding read.
//
//   - An exit (ex_valid) of a warp with an outstanding access. Any request of a warp from its
//     accepted exit until ex_ready is 1 again.
//
//   - With valid: a warp of Warps or more, a unit of NumDisp or more, is_dst_n above 4. A register
//     of Regs or more, also in wr_buddy or a hint. A kernel slot of NumKernels or more, in
//     cfg_kernel at any time.
//
//   - A change of cfg_table while a slice is in use, a write is outstanding or a walk is in
//     progress.
// Ignored: is_valid without is_ready, disp_ready without disp_valid. Registers of operands not
//   needed and of destinations beyond is_dst_n. `wr_old_bank`, wr_old_entry with mask 0, wr_buddy
//   without wr_pair. Data of lanes not written. Hints of a result that differ from the shown ones
//   only cost chances to coalesce.
// No deadlock: a write waits only for a place, a port or its stage. An entry waits for a port of
//   the table and a collector, which wait for no entry. Ports are granted in turn. With at most
//   Banks * Entries registers mapped or being written, alloc_unit always finds a place. For the
//   preferred place of policy 2 the limit is Entries per bank, where warp w uses bank w mod Banks.
//   Beyond it policy 2 falls back to other banks. With more registers a write waits for a free,
//   which only updates delay. `obs_none` reports it.
// Left out: reading ahead of the scoreboard. Forwarding of results to collectors. More than one
//   merge at a time. One lookup for a register that is both source and destination.
//
// Clock: 2.67 ns at 45 nm, over the occupied collectors, the free ones, the moving entries and the
// late lookups of destinations. At 700 MHz that is two cycles, because the free collectors are
// found one cycle before instructions enter them. This model does it in one.
// `blocks.registered=rf_datapath` is that timing in the SM. An instruction then issues only for a
// collector that is free in that cycle and promised to no entry. The page `bench/area/README.md`
// has the measurement.
//
// Diagram  R1 = 5 of warp 0 takes one byte. Then an instruction reads it.
//          (Warps=1 Regs=8 Banks=1 Entries=8 NumColl=2 NumOps=1 NumAlloc=1 NumDisp=1 NumWr=1
//          NumKernels=1)
//   cycle            0   1   2   3   4   5   6        7   8   9  10  11  12  13  14  15
//   cfg_pack         1   1   1   1   1   1   1        1   1   1   1   1   1   1   1   1
//   is_valid         .   .   .   .   .   1   .        .   .   1   .   .   .   .   .   .
//   is_need          .   .   .   .   .   .   .        .   .   1   .   .   .   .   .   .
//   is_reg           .   .   .   .   .   .   .        .   .   1   .   .   .   .   .   .
//   is_dst_n         .   .   .   .   .   1   .        .   .   .   .   .   .   .   .   .
//   is_dst_reg[0]    .   .   .   .   .   1   .        .   .   .   .   .   .   .   .   .
//   is_ready         1   1   1   1   1   1   1        1   1   1   1   1   1   1   1   1
//   en_valid         .   .   .   .   .   .   1        .   .   .   1   .   .   .   .   .
//   ds_valid         .   .   .   .   .   .   1        .   .   .   .   .   .   .   .   .
//   ds_mask          -   -   -   -   -   -   .        -   -   -   -   -   -   -   -   -
//   disp_ready       .   .   .   .   .   .   .        1   .   .   .   .   .   1   .   .
//   wr_valid         .   .   .   .   .   .   .        1   .   .   .   .   .   .   .   .
//   wr_reg           .   .   .   .   .   .   .        1   .   .   .   .   .   .   .   .
//   wr_lane          .   .   .   .   .   .   . ffffffff   .   .   .   .   .   .   .   .
//   wr_data          .   .   .   .   .   .   .        5   .   .   .   .   .   .   .   .
//   wr_ready         .   .   .   .   .   .   .        1   .   .   .   .   .   .   .   .
//   wr_done          .   .   .   .   .   .   .        .   .   1   .   .   .   .   .   .
//   disp_valid       .   .   .   .   .   .   .        1   .   .   .   .   .   1   .   .
//   disp_need        .   .   .   .   .   .   .        .   .   .   .   .   .   1   .   .
//   disp_data[0]     -   -   -   -   -   -   -        -   -   -   -   -   -   5   -   -
//   obs_bank_write   .   .   .   .   .   .   .        .   .   .   1   .   .   .   .   .
//   obs_bank_read    .   .   .   .   .   .   .        .   .   .   .   .   1   .   .   .
//   used_slices      .   .   .   .   .   .   .        .   .   .   .   1   1   1   1   1
#ifndef SMCOSIM_MODELS_RF_DATAPATH_H
#define SMCOSIM_MODELS_RF_DATAPATH_H

#include "models/block.h"

enum {
    DP_MAX_COLL = 31,
    DP_MAX_ALLOC = 4,
    DP_MAX_DISP = 8,
    DP_MAX_OPS = 3,
    DP_MAX_WR = 4,
    DP_MAX_SRC = 12,
    DP_MAX_DST = 4,
    DP_MAX_DSTS = 16
};

// clang-format off
#define RF_DATAPATH_PARAMS(P) \
    P(Warps, 48, 1, 64, "sm.warps", "warps") \
    P(Regs, 63, 2, 64, "sm.regs_per_thread", "architected registers per warp") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(NumColl, 16, 2, 31, "oc.collectors", "operand collectors") \
    P(NumOps, 3, 1, 3, "3", "operands per collector") \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions accepted per cycle") \
    P(NumDisp, 4, 1, 8, "oc.dispatch_ports", "execution units, one dispatch port each") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle") \
    P(NumKernels, 8, 1, 8, "rename.kernels", "kernels that have hints at once")

#define RF_DATAPATH_PORTS(W, V) \
    W(IN, cfg_policy, 1, 1, 2, ALWAYS, -, "0 first fit, 1 pairs, 2 left / right") \
    W(IN, cfg_mode, 1, 1, 2, ALWAYS, -, "read together: 0 none, 1 same entry, 2 disjoint slices") \
    W(IN, cfg_pack, 1, 1, 1, ALWAYS, -, "values take the bytes they need") \
    W(IN, cfg_kernel, 1, 1, KernelBits, ALWAYS, -, "kernel slot of the hints") \
    W(IN, cfg_table, 1, 1, 1, ALWAYS, -, "table bank: 0 (register + warp), 1 warp mod Banks") \
    W(IN, cfg_grow, 1, 1, 1, ALWAYS, -, "0 inplace: growth in its own row first, 1 move") \
    W(IN, cfg_order, 1, 1, 1, ALWAYS, -, "home bank: 0 rotate, 1 lowest") \
    W(IN, cfg_shrink, 1, 1, 1, ALWAYS, -, "0 free: smaller values give slices back, 1 hold") \
    W(IN, is_valid, 1, 1, NumAlloc, ALWAYS, -, "an instruction arrives") \
    W(IN, is_warp, DP_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "its warp") \
    W(IN, is_unit, DP_MAX_ALLOC, NumAlloc, UnitBits, ALWAYS, -, "dispatch port it waits for") \
    W(IN, is_need, DP_MAX_ALLOC, NumAlloc, NumOps, ALWAYS, -, "operands to read") \
    W(IN, is_reg, DP_MAX_SRC, NumAlloc * NumOps, RegBits, ALWAYS, -, "their registers") \
    W(IN, is_dst_n, DP_MAX_ALLOC, NumAlloc, 3, ALWAYS, -, "registers it will write, 0..4") \
    W(IN, is_dst_reg, DP_MAX_DSTS, NumAlloc * 4, RegBits, ALWAYS, -, "they, destination i at 4 a + i")\
    W(IN, disp_ready, 1, 1, NumDisp, ALWAYS, -, "unit d takes an instruction") \
    W(IN, wr_valid, 1, 1, NumWr, ALWAYS, -, "writer w has a result") \
    W(IN, wr_warp, DP_MAX_WR, NumWr, WarpBits, ALWAYS, -, "warp") \
    W(IN, wr_reg, DP_MAX_WR, NumWr, RegBits, ALWAYS, -, "register") \
    W(IN, wr_lane, DP_MAX_WR, NumWr, 32, ALWAYS, -, "lanes written") \
    V(IN, wr_data, DP_MAX_WR, NumWr, 1024, ALWAYS, -, "result, slice-major") \
    W(IN, wr_old_mask, DP_MAX_WR, NumWr, 4, ALWAYS, -, "where it lives, as ds_*: slices, 0 nowhere")\
    W(IN, wr_old_bank, DP_MAX_WR, NumWr, BankBits, ALWAYS, -, "bank") \
    W(IN, wr_old_entry, DP_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry") \
    W(IN, wr_pair, 1, 1, NumWr, ALWAYS, -, "its hints: it has a buddy") \
    W(IN, wr_buddy, DP_MAX_WR, NumWr, RegBits, ALWAYS, -, "that register") \
    W(IN, wr_align, DP_MAX_WR, NumWr, 2, ALWAYS, -, "its alignment") \
    W(IN, fr_valid, 1, 1, 1, ALWAYS, -, "a register is freed") \
    W(IN, fr_warp, 1, 1, WarpBits, ALWAYS, -, "warp") \
    W(IN, fr_reg, 1, 1, RegBits, ALWAYS, -, "register") \
    W(IN, ex_valid, 1, 1, 1, ALWAYS, -, "a warp ended") \
    W(IN, ex_warp, 1, 1, WarpBits, ALWAYS, -, "warp") \
    W(IN, hl_valid, 1, 1, 1, ALWAYS, -, "a hint is loaded") \
    W(IN, hl_op, 1, 1, 2, ALWAYS, -, "0 clear the slot, 1 buddy, 2 alignment") \
    W(IN, hl_kernel, 1, 1, KernelBits, ALWAYS, -, "kernel slot") \
    W(IN, hl_reg, 1, 1, 6, ALWAYS, -, "register") \
    W(IN, hl_value, 1, 1, 6, ALWAYS, -, "its buddy or alignment") \
    W(OUT, is_ready, 1, 1, NumAlloc, ALWAYS, -, "port a takes an instruction") \
    W(OUT, en_valid, 1, 1, NumAlloc, ALWAYS, -, "the instruction in entry a moves at this clock edge")\
    W(OUT, en_slot, DP_MAX_ALLOC, NumAlloc, CollBits, WHEN, en_valid, "collector it gets") \
    W(OUT, ds_valid, 1, 1, NumAlloc, ALWAYS, -, "a destination of entry a was looked up") \
    W(OUT, ds_late, 1, 1, NumAlloc, ALWAYS, -, "of what moved from the entry (0 where not valid)")\
    W(OUT, ds_index, DP_MAX_ALLOC, NumAlloc, 2, WHEN, ds_valid, "its number") \
    W(OUT, ds_mapped, 1, 1, NumAlloc, ALWAYS, -, "it is mapped (0 where not valid)") \
    W(OUT, ds_mask, DP_MAX_ALLOC, NumAlloc, 4, WHEN, ds_valid, "byte slices, 0: unmapped") \
    W(OUT, ds_bank, DP_MAX_ALLOC, NumAlloc, BankBits, WHEN, ds_mapped, "bank") \
    W(OUT, ds_entry, DP_MAX_ALLOC, NumAlloc, EntryBits, WHEN, ds_mapped, "entry") \
    W(OUT, ds_pair, 1, 1, NumAlloc, ALWAYS, -, "it has a buddy (0 where not valid)") \
    W(OUT, ds_buddy, DP_MAX_ALLOC, NumAlloc, RegBits, WHEN, ds_pair, "that register") \
    W(OUT, ds_align, DP_MAX_ALLOC, NumAlloc, 2, WHEN, ds_valid, "its alignment") \
    W(OUT, disp_valid, 1, 1, NumDisp, WORK, -, "an instruction is ready for unit d") \
    W(OUT, disp_slot, DP_MAX_DISP, NumDisp, CollBits, WHEN, disp_valid, "its collector") \
    W(OUT, disp_need, 1, 1, NumDisp * NumOps, ALWAYS, -, "operands that carry a value") \
    V(OUT, disp_data, DP_MAX_DISP * DP_MAX_OPS, NumDisp * NumOps, 1024, WHEN, disp_need, "operands, slice-major") \
    W(OUT, wr_ready, 1, 1, NumWr, ALWAYS, -, "the result is taken (0 where not valid)") \
    W(OUT, wr_done, 1, 1, NumWr, WORK, -, "a result taken before is written") \
    W(OUT, fr_ready, 1, 1, 1, ALWAYS, -, "the register is freed (0 where not valid)") \
    W(OUT, ex_ready, 1, 1, 1, ALWAYS, -, "no walk over a warp's registers is going on") \
    W(OUT, used_slices, 1, 1, SliceCountBits, ALWAYS, -, "slices in use") \
    W(OUT, used_regs, 1, 1, RegCountBits, ALWAYS, -, "physical registers in use") \
    W(OBS, obs_place, 1, 1, NumAlloc, ALWAYS, -, "entry a moved an instruction with operands") \
    W(OBS, obs_multi, 1, 1, NumAlloc, ALWAYS, -, "of these: reads two or more registers") \
    W(OBS, obs_possible, 1, 1, NumAlloc, ALWAYS, -, "of these: two of them would fit one entry") \
    W(OBS, obs_coalesced, 1, 1, NumAlloc, ALWAYS, -, "of these: two of them are one read") \
    W(OBS, obs_merged, 1, 1, NumAlloc, ALWAYS, -, "of these: a register named twice is one read") \
    W(OBS, obs_op, 1, 1, NumAlloc * NumOps, ALWAYS, -, "operands of these") \
    W(OBS, obs_op_size, DP_MAX_SRC, NumAlloc * NumOps, 3, WHEN, obs_op, "bytes it takes, 0 unmapped") \
    W(OBS, obs_src_refused, 1, 1, NumAlloc * NumOps, ALWAYS, -, "lookup of an operand refused") \
    W(OBS, obs_dst_refused, 1, 1, NumAlloc, ALWAYS, -, "lookup of a destination refused") \
    W(OBS, obs_entry_wait, 1, 1, NumAlloc, ALWAYS, -, "entry a was complete and got no collector") \
    W(OBS, obs_bd, 1, 1, NumWr, ALWAYS, -, "writer w looked up a buddy") \
    W(OBS, obs_bd_refused, 1, 1, NumWr, ALWAYS, -, "lookup of a buddy refused") \
    W(OBS, obs_bank_read, 1, 1, Banks, ALWAYS, -, "bank b served a read") \
    W(OBS, obs_bank_write, 1, 1, Banks, ALWAYS, -, "bank b served a write") \
    W(OBS, obs_rd_refused, 1, 1, NumColl, ALWAYS, -, "collector c asked a bank and was refused") \
    W(OBS, obs_wr_refused, 1, 1, NumWr, ALWAYS, -, "writer w asked a bank and was refused") \
    W(OBS, obs_merge, 1, 1, 1, ALWAYS, -, "one of the reads was that of a merging writer") \
    W(OBS, obs_alloc, 1, 1, NumWr, ALWAYS, -, "writer w has its place") \
    W(OBS, obs_kind, DP_MAX_WR, NumWr, 2, WHEN, obs_alloc, "0 keep, 1 shrink, 2 first, 3 grow") \
    W(OBS, obs_how, DP_MAX_WR, NumWr, 3, WHEN, obs_alloc, "as alloc_unit's al_how") \
    W(OBS, obs_size, DP_MAX_WR, NumWr, 3, WHEN, obs_alloc, "bytes it takes") \
    W(OBS, obs_none, 1, 1, NumWr, ALWAYS, -, "nothing was free for writer w") \
    W(OBS, obs_freed, 1, 1, NumFreed, ALWAYS, -, "slices of a freed register were given back")
// clang-format on

#define RF_DATAPATH_WIDTHS \
    const int WarpBits = block_bits(Warps), RegBits = block_bits(Regs), \
              BankBits = block_bits(Banks), EntryBits = block_bits(Entries), \
              CollBits = block_bits(NumColl), UnitBits = block_bits(NumDisp), \
              KernelBits = block_bits(NumKernels), \
              SliceCountBits = block_bits(4 * Banks * Entries + 1), \
              RegCountBits = block_bits(Banks * Entries + 1), NumFreed = Banks < 8 ? Banks : 8

typedef struct RfDatapathIn {
    RF_DATAPATH_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} RfDatapathIn;
typedef struct RfDatapathOut {
    RF_DATAPATH_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} RfDatapathOut;

// Observation, obs_words 32. The regions follow each other, each as long as its block says:
//   rename_table     mappings, then its state.
//
//   alloc_unit       map, open rows, banks, hints, state.
//
//   banked_rf        rows, then write priorities.
//
//   collectors       NumColl status words, all 0 while free:
//                      Word 0: bit 0 busy, 3:1 need, 4 is 0, 7:5 reads not granted.
//                              10:8 read presented, 11 a read was granted in the previous cycle.
//                              14:12 operands missing, 17:15 unmapped operands, 20:18 unit.
//                      Word 1: older collectors.
//                      Word 2 + 3 i .. for each read i not granted, else 0: bank << 16 | entry,
//                              entry2, sel | mask1 << 4 | mask2 << 8 | ops1 << 12 | ops2 << 16.
//                    Then NumColl * NumOps operand rows (0 where missing, unmapped or not needed).
//
//   entries          NumAlloc entry registers. Words 0 to 7 are 0 while empty, except bit 27.
//                      Word 0: bit 0 occupied, 3:1 source lookups to be repeated.
//                              6:4 known before this cycle, 9:7 operands needed, 12:10 is_dst_n.
//                              15:13 destination lookups served so far, 23:16 warp, 26:24 unit.
//                              Bit 27 late register occupied.
//                      Word 1 + 2 o: register of operand o (0 if not needed).
//                      Word 2 + 2 o: its place in the format of rename_table (0 if not known before
//                              this cycle).
//                      Word 7: byte i: register of destination i (0 from is_dst_n on).
//                      Words 8 and 9 are 0 while the late register is not occupied.
//                      Word 8: late register: number of its destinations |
//                              lookups served so far << 3 | warp << 8.
//                      Word 9: byte i: register of destination i (0 from their number on).
//                    Then 1 address. Word 0: en_first. Word 1: configuration in effect: policy |
//                    mode << 2 | pack << 4 | table << 5 | grow << 6 | order << 7 | kernel << 8 |
//                    shrink << 11.
//
//   writers          NumWr times stage 1 and stage 2: status (0 while empty).
//                      Word 0: bit 0 occupied, 15:8 register, 23:16 warp, 26:24 need (stage 1).
//                              Stage 1: 3:1 step (0 first cycle, 1 merge requests, 2 merge value
//                              arrives, 3 requests buddy or place, 4 has place).
//                              Stage 2: bit 1 bank is done, bit 2 update is done (or not wanted).
//                      Word 1: its place in the format of rename_table (stage 1: the old place
//                              until step 4).
//                      Word 2: lanes written.
//                      Word 3: (stage 1) hints: bit 0 has a buddy, 2:1 alignment, 3 the buddy
//                              lookup is pending. 5:4 kind, in step 4, else 0. 13:8 the buddy (0
//                              without bit 0). 14 the buddy's place arrives in this cycle.
//                      Word 4: (stage 1) the buddy's place if found before this cycle, else 0.
//                    Then as many rows of data (0 while empty).
extern const BlockModel rf_datapath_model;

// For bounds, not for hardware: parts of the golden model that cost nothing after this call, also
// after a reset. Behavior without a bit is that of the contract.
enum {
    DP_IDEAL_LOOKUP =
        1,  // The table's ports are unlimited. Destinations are not looked up at issue (ds_valid is
            // 0). A result's place and hints are read when it is accepted. The fields of the
            // result (wr_old_*, wr_pair, wr_buddy, wr_align) are ignored.
    DP_IDEAL_BUDDY = 2,  // a buddy's place is read without a port
    DP_IDEAL_MERGE = 4,  // the old value is read at once, without a bank
    DP_IDEAL_WALK = 8,   // a warp that ended releases all its registers at once
    // a place is found and written in the first cycle; freed slices are free in the next one
    DP_IDEAL_ALLOC = 16,
    // the width of unwritten lanes is visible: a register gets the slices that its 32 lanes need
    DP_IDEAL_WIDTH = 32,
};
void rf_datapath_ideal(void *self, unsigned mask);

// In the golden model alone: without valid inputs no clock edge changes anything, outputs included.
bool rf_datapath_resting(const void *self);

#endif
