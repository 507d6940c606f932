// SPDX-License-Identifier: Apache-2.0
// Contract of block rf_datapath: the integrated register path of packing, CORF, CORF++ and register
// virtualization (thesis chapter 2): rename_table, coalescer, packed collectors, banked_rf,
// unpacker, width_detect, packer and alloc_unit, wired to one pipeline. What each of them decides
// is in its own contract; here is what lies between them.
//
// A register is {warp, architected number}. It is mapped from its first write until it is freed; an
// unmapped register reads as 0 in all lanes, without access to a bank.
//
// Configuration (inputs; may change in any cycle, a kernel sets them once; they are registered:
// what is at the inputs in cycle t counts from t+1 on; after reset all are 0)
//   cfg_policy  0 first fit, 1 pairs (CORF), 2 left / right and one bank per warp (CORF++)
//   cfg_mode    what is read together: 0 nothing, 1 same entry (CORF), 2 disjoint slices (CORF++)
//   cfg_pack    1: a value takes the bytes it needs; 0: always four (virtualization alone)
//   cfg_kernel  kernel slot whose hints (hl_*, see alloc_unit) go with destinations
//   cfg_table   banks of the renaming table, as rename_table's (changes only while nothing is
//               mapped)
//   cfg_grow, cfg_order  as alloc_unit's
//   cfg_shrink  0 free: a value that needs less than its register has gives slices back; 1 hold: it
//               keeps them all and is stored sign-extended over them
//
// Entry      each allocation port a has one entry register in front of the collectors, and beside
//            it one late
//   register for destinations of the instruction that moved from it last.
//   issue    is_ready[a] depends on state alone: entry a is empty, or its instruction moves on at
//            this clock edge (en_valid[a]). With is_valid and is_ready in cycle t the instruction
//            is in entry a from t+1 on.
//   lookups  asked for in t by what arrives (straight from is_*), in t+1, .. by what the entry
//            holds: all source registers that were not found yet, in one cycle (src), and one
//            destination of the port (dst): the next one of the late register while that is
//            occupied (dst_late), else the next one of the instruction in the entry while it has
//            one, else the first one of what arrives. Next: is_dst_reg of 0, then 1, .. up to
//            is_dst_n - 1, each from the cycle after the one before it was ready. A lookup that
//            rename_table refuses is repeated. Together with a destination its hints (cfg_kernel's,
//            as they are then) are asked for. What was ready in t is known in t+1.
//   late     at the clock edge at which an instruction moves, its destinations that are not served
//            by then (one may be in this cycle) go to the late register, which is occupied until
//            all are served.
//   ds_*     the answer about a destination, in the cycle after its lookup was ready: ds_index[a]
//            is its number (0 .. is_dst_n - 1), ds_late[a]: of the last instruction that moved from
//            the entry, in a cycle before this one, with destinations not shown by then (else of
//            the one that is in the entry; one without destinations may have moved in between);
//            ds_mask its place's slices (0: unmapped), bank and entry; ds_pair, ds_buddy, ds_align
//            its hints. It is shown once. Whoever issues keeps it and gives
//            it back with the result (wr_old_*, wr_pair, wr_buddy, wr_align).
//   move     the instruction is complete in the first cycle in which all its sources are known (no
//            source lookup is left to be served) and either all its destinations were served before
//            this cycle or the late register is not occupied (state): t+1 without a conflict; also
//            without any register. While it is complete it asks for a collector that is free in
//            this cycle (state). Of the complete entries, in the order en_first, en_first + 1, ..
//            (cyclically), the i-th gets the i-th lowest free collector: en_valid[a], en_slot[a],
//            from state alone. In that cycle the coalescer (mode as it is then) makes up to NumOps
//            reads of the sources' places; from the next cycle on (t+2) it is in the collector and
//            asks the banks for the first of them. Two that move at one edge: port 0 is the older.
//   en_first 0 after reset. While the entry that is first is complete and gets none it stays first;
//            else the next in cyclic order that is complete and gets none is first in the next
//            cycle; if there is none nothing changes. So an entry is overtaken at most NumAlloc - 1
//            times.
//   An instruction whose source lookup is refused, or that finds no collector, holds its entry and
//   is_ready of its port, nothing else.
// Collect    as operand_collector, but with reads in place of operands: a collector presents its
//   lowest outstanding read; after a refusal, in the next cycle, the next higher one (cyclically).
//   A read granted in cycle t is delivered, unpacked and stored in t+1: one or two values for one
//   to three operands.
// Dispatch   disp_valid[d] offers the oldest complete collector whose unit is d; with disp_ready[d]
//   it is free in the next cycle. Outputs depend on state alone. Operands are full width; an
//   operand of an unmapped register is 0.
//
// Write      each writer w is a pipeline of two stages. A result comes with the place its register
//            had
//   at issue and still has (wr_old_mask 0: unmapped) and its hints.
//   accept   wr_ready[w] (0 where not valid): stage 1 is empty or leaves at this clock edge. The
//            size (width_detect, written lanes only; 4 without cfg_pack) gives `need`: with all
//            lanes written, or nothing mapped, and cfg_shrink 0, the size; else the larger of it
//            and the ones of wr_old_mask (what the other lanes hold is not known). need, the old
//            place, hints, lanes are kept; bytes of unwritten lanes become 0.
//   buddy    with wr_valid, wr_pair and cfg_policy 1 the place of wr_buddy is looked up (bd) in the
//            same cycle, whether the result is accepted or not and whatever it will need; not while
//            stage 1 itself looks one up. When the result is accepted: with bd ready, the answer
//            comes in its first cycle in stage 1; with bd refused, stage 1 asks for it, from its
//            first cycle on, until it is ready, the answer comes in the cycle after; a result that
//            keeps or shrinks its place asks no more. Otherwise the buddy is taken as unmapped.
//   look     with cfg_grow 0 alloc_unit is told (lk_*) of the row in which growth may be asked for
//            in the next cycle: in a cycle in which stage 1 asks for the old value (merge): of its
//            place. Else of the place that comes with wr_valid, whether it is accepted or not, if
//            there is one, need is above its ones, all lanes are written, and stage 1 is empty or
//            in step 0 with no shrink that must wait.
//   stage 1  kind: first with nothing mapped, else keep, shrink, grow as need is to the ones of the
//            old mask. In its first cycle:
//       keep, shrink   alloc_unit is asked (and is done) in this cycle. But a shrink that finds its
//                      rq_ready 0 waits:
//               each cycle is its first until it is done.
//       merge   some lanes are not written, a mapped register must grow: its old value is read from
//               its bank (before any collector; a write to the bank goes first; the lowest of
//               several writers), from the first cycle on; in the cycle after the grant it is
//               unpacked and fills the lanes not written.
//       place   alloc_unit is asked each cycle until al_done, from the first cycle in which the old
//               value is not awaited any more (it may come in this one) and the buddy's lookup has
//               not still to be made (its answer may come in this one). While it says none the
//               write waits, and reads, frees and the other writers go on.
//     Then the write goes to stage 2 at the clock edge, or waits in stage 1 while that is occupied.
//     A register that was unmapped, or was merged, is written in all lanes.
//   stage 2  the value is packed; the bank's write port and, when the mapping changes (all kinds
//            but keep), rename_table's update are asked for until each was ready once; then the
//            write is done and the stage empty. A write that keeps or shrinks its place does the
//            same already in its first cycle in stage 1 (in which it is done) when stage 2 is
//            empty; what is not ready then is repeated in stage 2.
//   wr_done[w]  a write of w is done in this cycle (in the order they were accepted; at most two
//               are
//            on the way), from state alone: whatever is accepted in this cycle or later sees it (a
//            lookup of the same cycle answers the new place). Soonest: accepted in
//            t, done in t+1 (place kept or shrunk), t+2 (new place), t+3 (merge; first of a pair).
//            A unit's last stage gives a result one cycle before a baseline result would be
//            written, so that a place kept is written in the same cycle as there.
//   wr_ready, wr_done and fr_ready do not depend on is_* and disp_ready.
//
// Free       fr_ready, ex_ready: as fr and ex of rename_table. A freed register is unmapped from
//            the
//   next cycle on (a lookup of it as a destination in the same cycle answers unmapped); its slices
//   are given to alloc_unit from that cycle on, until that takes them (its fr_ready is freed_ready
//   of rename_table: while a lane waits the table frees nothing in the lane).
// Hints      hl_*: straight to alloc_unit.
// Status     obs_*: what happened in the cycle before, for counters (simulation only). used_*: as
//            alloc_unit's (they
//   are shown later than what they count).
// Reset: no register mapped, all entries, collectors and stages empty, en_first 0; the banks'
//   contents stay.
//
// Never driven (the scoreboard of the SM sees to it). A write is outstanding from the cycle of
//   is_ready of the instruction that names the register as a destination until the cycle before its
//   wr_done (or until the SM has dropped it: a destination need not be written), a read from the
//   cycle of is_ready until that in which the instruction is dispatched.
//   - a read or another destination of a register that has an outstanding write (of another
//     instruction; of two that arrive in one cycle port 0 is the earlier); a free of a register
//     with an outstanding write or read, from the cycle after is_ready on; a read and a free of one
//     register in the same cycle. (A destination and a free of one register in the same cycle may
//     be; an instruction may read what it writes, but names a destination once; a destination may
//     have outstanding reads.)
//   - a result (wr_valid) of a register that was not looked up as a destination and shown (ds_*) in
//     an earlier cycle (late or not), a second one for one lookup, or one with wr_old_* other than
//     shown; a result of a register with an outstanding read
//   - an exit (ex_valid) of a warp that has anything outstanding; anything of a warp from its
//     accepted exit until ex_ready is 1 again
//   - with valid: a warp of Warps or more, a register of Regs or more (also as a buddy, in wr_buddy
//     or a hint), a unit of NumDisp or more, is_dst_n above 4, a kernel slot of NumKernels or more
//     (cfg_kernel: ever)
//   - a change of cfg_table while a slice is in use, a write is outstanding or a walk is going on
// Ignored: is_valid without is_ready, registers of operands not needed and of destinations beyond
//   is_dst_n, disp_ready without disp_valid; wr_old_bank, wr_old_entry with mask 0, wr_buddy
//   without wr_pair; data of lanes not written. Hints given back that are not those shown cost
//   chances to coalesce, no more.
// No deadlock: a write waits only for a place, a port or its stage; an entry for a port of the
//   table and a collector, which wait for no entry. Ports are given in turn; with at
//   most Banks * Entries registers mapped or being written (policy 2: at most Entries per bank,
//   warp w's being in bank w mod Banks, counts for finding the place its policy wants; it falls
//   back to other banks) a place is always found (alloc_unit). With more, a write waits for a free,
//   which nothing holds up but updates: obs_none tells it.
// Left out: reading ahead of the scoreboard; forwarding of results to collectors; more than one
//   merge at a time; one lookup for a register that is both source and destination.
//
// Clock: 2.67 ns at 45 nm, over the collectors in use, the free ones, the entries that move and the
// destinations that are looked up late. At 700 MHz that is two cycles: which collectors are free is
// found a cycle before they are entered; ours does it in one. blocks.registered=rf_datapath is that
// timing in the SM: an instruction issues only for a collector that is free in that cycle and
// promised to no entry. bench/area/README.md has the measurement.
//
// Diagram  R1 = 5 of warp 0 takes one byte; then an instruction reads it
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

// Observation, obs_words 32. One after the other, each as long as its block says:
//   rename_table     mappings, then its state
//   alloc_unit       map, open rows, banks, hints, state
//   banked_rf        rows, then write priorities
//   collectors       NumColl status words, all 0 while free:
//                      word 0  bit 0 busy; 3:1 need; 4 is 0; 7:5 reads not granted;
//                              10:8 read presented; 11 a read was granted in the cycle before;
//                              14:12 operands missing; 17:15 operands that are unmapped; 20:18 unit
//                      word 1  older collectors
//                      word 2 + 3 i .. for each read i not granted, else 0: bank << 16 | entry;
//                              entry2; sel | mask1 << 4 | mask2 << 8 | ops1 << 12 | ops2 << 16
//                    then NumColl * NumOps operand rows (0 where missing, unmapped or not needed)
//   entries          NumAlloc entry registers: word 0: bit 0 occupied; 3:1 source lookups to be
//                    repeated; 6:4 known before this cycle; 9:7 operands needed; 12:10 is_dst_n;
//                    15:13 destination lookups served so far; 23:16 warp; 26:24 unit (all 0 while
//                    it is empty); bit 27 late register occupied; words 1 + 2 o,
//                    2 + 2 o: register of operand o (0 where not needed), its place as rename_table
//                    shows it (0 where not known before this cycle); word 7: byte i: register of
//                    destination i (0 from is_dst_n on); all 0 while empty; word 8: late register:
//                    number of its destinations | << 3 lookups served so far | << 8 warp; word 9: byte i:
//                    register of destination i (0 from their number on); both 0 while not occupied
//                    then 1: word 0: en_first; word 1: configuration that counts: policy | mode <<
//                    2
//                    | pack << 4 | table << 5 | grow << 6 | order << 7 | kernel << 8 | shrink << 11
//   writers          NumWr times stage 1 and stage 2: status (0 while empty):
//                      word 0  bit 0 occupied; 3:1 step (stage 1; 0 first cycle, 1 merge asks, 2
//                              merge comes, 3 asks for buddy or place, 4 has place);
//                              stage 2: bit 1 bank is done, bit 2 update is done (or not wanted);
//                              15:8 register; 23:16 warp; 26:24 need (stage 1)
//                      word 1  its place as rename_table shows it (stage 1: the old one until step
//                              4)
//                      word 2  lanes written
//                      word 3  (stage 1) hints: bit 0 has a buddy; 2:1 alignment; 3 the buddy is to
//                              be looked up; 5:4 kind, in step 4, else 0; 13:8 the buddy (0 without
//                              bit 0); 14 the buddy's place comes in this cycle
//                      word 4  (stage 1) the buddy's place as it was found before this cycle, else
//                              0
//                    then as many rows of data (0 while empty)
extern const BlockModel rf_datapath_model;

// For bounds, not for hardware: what costs nothing in the golden model from now on (reset does not
// change it). Behavior without a bit is that of the contract.
enum {
    DP_IDEAL_LOOKUP =
        1,  // the table's ports are unlimited. Destinations are not looked up at issue (ds_valid is
            // 0): a result's place and hints are read when it is accepted; what comes
            // with it (wr_old_*, wr_pair, wr_buddy, wr_align) is ignored
    DP_IDEAL_BUDDY = 2,  // a buddy's place is read without a port
    DP_IDEAL_MERGE = 4,  // the old value is there at once, without a bank
    DP_IDEAL_WALK = 8,   // a warp that ended gives everything back at once
    // a place is found and written in the first cycle, what is freed is free in the next one
    DP_IDEAL_ALLOC = 16,
    // the width of lanes that are not written is known: a register gets what its 32 lanes need
    DP_IDEAL_WIDTH = 32,
};
void rf_datapath_ideal(void *self, unsigned mask);

// In the golden model alone: without valid inputs no clock edge changes anything, outputs included.
bool rf_datapath_resting(const void *self);

#endif
