// SPDX-License-Identifier: Apache-2.0
// Contract of block bypass_collector: one bypassing operand collector (BOC) per warp, after BOW
// (thesis chapter 3): sources found in the window of the warp's last instructions are forwarded,
// results are kept for the instructions that follow, the register file sees the rest.
//
// A register is known by its place (bank, entry): one warp's registers have different places.
// State of a BOC
//   window     Window slots, one per instruction, used in turn: `head` is the next one. A slot holds
//              waiting (not yet dispatched), unit, need, the entry of each needed operand, the slots
//              it must follow; and the register it will write, until the result has come (awaited).
//   entries    Values rows of 1024 bits; each with the register it holds, the order of allocation,
//              and: the slot of the last instruction that named the register (in the window), or
//              none; to be read (to ask for, or granted in the cycle before); dirty (newer than the
//              register file); dead (dirty, and by the compiler's word not used after the window);
//              save (dirty, and to be written to the register file whatever comes).
//              An entry is free when it is neither in the window nor to be saved. It is needed while
//              an operand of a waiting instruction is in it. No register is in two entries.
//
// In a cycle happens the following, as if one after the other. Outputs are decided on the state at
// the start of the cycle and on the inputs mode and res_*, nothing else.
//
// Collect   rd_data_valid[b] with rd_data_coll[b] == c: stored in the entry that c was granted in
//           the cycle before. Each BOC presents one entry: of those to ask for the first at or
//           after its read pointer (by number, cyclically); the pointer then moves behind it,
//           granted or not. older[c]: the BOCs that were granted less recently than c. A granted BOC
//           moves behind all others; several in one cycle keep their order; after reset lower
//           numbers come first.
// Dispatch  an instruction is ready when its operands have arrived and those it must follow have
//           left. A BOC offers each unit the oldest instruction ready for it. Dispatch port d takes
//           the first BOC with an offer at or after its pointer (round-robin): disp_coll, disp_slot,
//           operand o of it where bit d * NumOps + o of disp_need is set. With disp_ready[d] the
//           instruction leaves and the pointer moves behind that BOC. One BOC may serve several units.
// Save      a BOC with entries to be saved offers the one allocated first; else, when more than
//           Values - NumOps entries are dirty, the dirty one allocated first, so that room comes
//           back. BOC c writes through port c mod NumWr: the first of the port's BOCs with an offer at
//           or after its pointer, which moves behind it when the write is taken (wr_ready). The entry
//           is then clean, and free unless in the window.
// Results   res_valid[p]: result of BOC res_coll[p] for a register, in lanes res_lane. It is done at
//           the clock edge when res_ready[p] and (not wr_res[p] or wr_ready[p]). Of several results
//           for one BOC the lowest port is served, the others are not ready. mode and, from mode 2
//           on, the instruction's bits res_write {BOC, register file} say what becomes of it:
//             mode 0       write-through    kept in the BOC, and written now
//             mode 1       write-back       kept, dirty
//             mode 2, 3    compiler bits    11 kept, dirty; 10 kept, dirty and dead; 01 written now;
//                                           00 dropped
//           and of a result no slot awaits (the window has passed, or it was not named): written now,
//           unless dropped. Dropped, or without a lane: done, nothing changes but the awaiting.
//           Else, when the register is in entry e,
//             all lanes, kept       e is overwritten; it is not to be saved any more
//             all lanes, not kept   e is free
//             some lanes, e dirty   merged into e and not written now; e stays dirty, to be saved if it
//                                   was, dead only if both are
//             some lanes, e clean   kept: merged into e, dirty unless written now. Not kept: e is free
//           and when it is in none: kept, if it has all lanes and an entry can be taken; else written
//           now. An awaited result that is kept or merged puts the entry in the window, with the slot
//           of its instruction. A new entry is allocated now.
//           Result p that is written now uses write port p (wr_res[p]), in competition with the saves
//           of that port: it wins unless turn[p] is set; the loser is not served. After a conflict
//           whose winner was taken the loser has the turn.
// Flush     flush[c]: end of window. Dirty entries are to be saved and not dead, entries that are not
//           needed (at the start of the cycle) leave the window, nothing is awaited. Waiting
//           instructions stay. drop[c] (wins over flush[c]): the warp is gone. No instruction waits,
//           nothing is awaited, all entries are free, data under way is ignored.
// Enter     alloc_valid[a] for BOC alloc_coll[a], with alloc_ready and no more needed operands than
//           alloc_room: an instruction enters slot head (alloc_slot), and head moves on. Else ignored;
//           of several ports for one BOC only the lowest valid one counts. alloc_pass: it has no
//           operands and is not dispatched, it only takes its place in the window (branches, ..).
//           First the window moves: entries whose last instruction is the one in slot head leave it, to
//           be saved when dirty and not dead, else free; what that instruction awaited is not awaited.
//           Then the needed operands whose register is in an entry share that one (forwarded, also when
//           it is only held to be saved); the others take an entry each, lowest operand first, to be
//           read; an operand named twice is one. The entries of all registers it names (operands,
//           alloc_dst) are in the window with slot head. It must follow the instructions waiting now that
//           need the entry of its alloc_dst (WAR). alloc_dst is awaited.
// Room      an entry can be taken when it is free, or clean and not needed: the lowest free one, else
//           the one allocated first (FIFO); what happens in a cycle makes room in the next. A result
//           takes before an instruction. An instruction does not take what its needed operands are in.
//           alloc_room[c] = min(NumOps, entries that can be taken, without the one which the result
//           served for c takes or is for). alloc_ready[c]: no instruction waits in slot head.
//
// So an operand is forwarded over 1..Window-1 instructions from the last one that named it, as in
// the paper's examples (window 3: from lines 5 to 7, but not 11 to 14, of its Figure 3.6), and
// further only while its value waits to be saved, since the register file is not to be read then.
// unsaved[c]: BOC c holds a dirty entry. An entry holds all lanes: wr_lane is all ones for saves, and
// res_lane for results.
// Reset: no instruction waits, all entries are free; heads, pointers and turns 0.
// Ignored: rd_grant without rd_valid, data that was not granted, wr_ready and disp_ready without
//          valid, res_write below mode 2, operands that are not needed.
// Never driven: an instruction that names a register with a result outstanding (the scoreboard keeps
//          RAW and WAW away; a result done in this cycle is not outstanding any more); a result for a
//          register that a waiting instruction needs (must follow sees to it for awaited ones); a grant
//          without its data one cycle later; two banks delivering to one BOC; a unit, BOC, bank or entry
//          that does not exist. A dead value read after its window, or a dropped one, gives what
//          the register file has.
// Left out: entries with some lanes only (such results go to the register file), forwarding between
//          warps, forwarding a result in the cycle it arrives to an instruction that waits (there is none).
#ifndef SMCOSIM_MODELS_BYPASS_COLLECTOR_H
#define SMCOSIM_MODELS_BYPASS_COLLECTOR_H

#include "models/block.h"

enum {
    BOW_MAX_COLL = 32, BOW_MAX_OPS = 3, BOW_MAX_ALLOC = 4, BOW_MAX_DISP = 8, BOW_MAX_WR = 4,
    BOW_MAX_WINDOW = 7, BOW_MAX_VALUES = 28, BOW_MAX_BANKS = 32
};
enum { BOW_WRITE_THROUGH, BOW_WRITE_BACK, BOW_COMPILER };  // mode

#define BYPASS_COLLECTOR_PARAMS(P)                                                                \
    P(NumColl, 32, 2, 32, "oc.collectors", "bypassing collectors, one per warp")                  \
    P(NumOps, 3, 1, 3, "oc.operands", "operands per instruction")                                 \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions accepted per cycle")                     \
    P(NumDisp, 4, 1, 8, "oc.dispatch_ports", "execution units, one dispatch port each")           \
    P(NumWr, 4, 1, 4, "rf.write_ports", "results per cycle, and writes to the register file")     \
    P(Window, 3, 2, 7, "bow.window", "instructions of the window (IW)")                           \
    P(Values, 12, 4, 28, "bow.entries", "values of one BOC: 4 per instruction, or half of that")  \
    P(Banks, 32, 1, 32, "rf.banks", "register file banks")                                        \
    P(Entries, 64, 2, 1024, "rf.entries", "warp registers per bank")

#define BYPASS_COLLECTOR_PORTS(W, V)                                                              \
    W(IN, mode, 1, 1, 2, ALWAYS, -, "0 write-through, 1 write-back, 2 compiler bits")             \
    W(IN, alloc_valid, 1, 1, NumAlloc, ALWAYS, -, "an instruction arrives")                       \
    W(IN, alloc_coll, BOW_MAX_ALLOC, NumAlloc, CollBits, ALWAYS, -, "its BOC")                    \
    W(IN, alloc_pass, 1, 1, NumAlloc, ALWAYS, -, "only takes its place in the window")            \
    W(IN, alloc_unit, BOW_MAX_ALLOC, NumAlloc, UnitBits, ALWAYS, -, "dispatch port it waits for") \
    W(IN, alloc_need, BOW_MAX_ALLOC, NumAlloc, NumOps, ALWAYS, -, "operands to read")             \
    W(IN, alloc_bank, BOW_MAX_ALLOC * BOW_MAX_OPS, NumAlloc * NumOps, BankBits, ALWAYS, -, "bank") \
    W(IN, alloc_entry, BOW_MAX_ALLOC * BOW_MAX_OPS, NumAlloc * NumOps, EntryBits, ALWAYS, -, "entry") \
    W(IN, alloc_dst, 1, 1, NumAlloc, ALWAYS, -, "it will write a register")                       \
    W(IN, alloc_dst_bank, BOW_MAX_ALLOC, NumAlloc, BankBits, ALWAYS, -, "bank of that")           \
    W(IN, alloc_dst_entry, BOW_MAX_ALLOC, NumAlloc, EntryBits, ALWAYS, -, "entry of that")        \
    W(IN, rd_grant, 1, 1, NumColl, ALWAYS, -, "the register file serves BOC c")                   \
    W(IN, rd_data_valid, 1, 1, Banks, ALWAYS, -, "bank b delivers")                               \
    W(IN, rd_data_coll, BOW_MAX_BANKS, Banks, CollBits, ALWAYS, -, "to this BOC")                 \
    V(IN, rd_data, BOW_MAX_BANKS, Banks, 1024, ALWAYS, -, "value, slice-major")                   \
    W(IN, res_valid, 1, 1, NumWr, ALWAYS, -, "a result arrives")                                  \
    W(IN, res_coll, BOW_MAX_WR, NumWr, CollBits, ALWAYS, -, "BOC of its warp")                    \
    W(IN, res_bank, BOW_MAX_WR, NumWr, BankBits, ALWAYS, -, "bank of its register")               \
    W(IN, res_entry, BOW_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry of its register")            \
    W(IN, res_write, BOW_MAX_WR, NumWr, 2, ALWAYS, -, "compiler bits: 1 BOC, 0 register file")    \
    W(IN, res_lane, BOW_MAX_WR, NumWr, 32, ALWAYS, -, "lanes written")                            \
    V(IN, res_data, BOW_MAX_WR, NumWr, 1024, ALWAYS, -, "result, slice-major")                    \
    W(IN, wr_ready, 1, 1, NumWr, ALWAYS, -, "the register file takes the write")                  \
    W(IN, disp_ready, 1, 1, NumDisp, ALWAYS, -, "unit d takes an instruction")                    \
    W(IN, flush, 1, 1, NumColl, ALWAYS, -, "end of window, save what is dirty")                   \
    W(IN, drop, 1, 1, NumColl, ALWAYS, -, "the warp is gone, forget everything")                  \
    W(OUT, alloc_ready, 1, 1, NumColl, ALWAYS, -, "BOC c has a slot")                             \
    W(OUT, alloc_room, BOW_MAX_COLL, NumColl, 2, ALWAYS, -, "operands it can take")               \
    W(OUT, alloc_slot, BOW_MAX_COLL, NumColl, SlotBits, WHEN, alloc_ready, "that slot")           \
    W(OUT, rd_valid, 1, 1, NumColl, ALWAYS, -, "BOC c asks for one operand")                      \
    W(OUT, rd_bank, BOW_MAX_COLL, NumColl, BankBits, WHEN, rd_valid, "bank of the operand")       \
    W(OUT, rd_entry, BOW_MAX_COLL, NumColl, EntryBits, WHEN, rd_valid, "entry of the operand")    \
    W(OUT, older, BOW_MAX_COLL, NumColl, NumColl, ALWAYS, -, "BOCs that come before c")           \
    W(OUT, disp_valid, 1, 1, NumDisp, WORK, -, "an instruction is ready for unit d")              \
    W(OUT, disp_coll, BOW_MAX_DISP, NumDisp, CollBits, WHEN, disp_valid, "its BOC")               \
    W(OUT, disp_slot, BOW_MAX_DISP, NumDisp, SlotBits, WHEN, disp_valid, "its slot")              \
    W(OUT, disp_need, 1, 1, NumDisp * NumOps, ALWAYS, -, "operands that carry a value")           \
    V(OUT, disp_data, BOW_MAX_DISP * BOW_MAX_OPS, NumDisp * NumOps, 1024, WHEN, disp_need, "operands, slice-major") \
    W(OUT, res_ready, 1, 1, NumWr, ALWAYS, -, "result p is done (if wr_res: with wr_ready)")      \
    W(OUT, wr_res, 1, 1, NumWr, ALWAYS, -, "write p is result p, else a save")                    \
    W(OUT, wr_valid, 1, 1, NumWr, WORK, -, "a write to the register file")                        \
    W(OUT, wr_bank, BOW_MAX_WR, NumWr, BankBits, WHEN, wr_valid, "bank")                          \
    W(OUT, wr_entry, BOW_MAX_WR, NumWr, EntryBits, WHEN, wr_valid, "entry")                       \
    W(OUT, wr_lane, BOW_MAX_WR, NumWr, 32, WHEN, wr_valid, "lanes written")                       \
    V(OUT, wr_data, BOW_MAX_WR, NumWr, 1024, WHEN, wr_valid, "value, slice-major")                \
    W(OUT, unsaved, 1, 1, NumColl, ALWAYS, -, "BOC c holds values the register file lacks")

#define BYPASS_COLLECTOR_WIDTHS                                                                   \
    const int BankBits = block_bits(Banks), EntryBits = block_bits(Entries),                      \
              CollBits = block_bits(NumColl), UnitBits = block_bits(NumDisp),                     \
              SlotBits = block_bits(Window)

typedef struct BypassCollectorIn { BYPASS_COLLECTOR_PORTS(BLOCK_W_IN, BLOCK_V_IN) } BypassCollectorIn;
typedef struct BypassCollectorOut { BYPASS_COLLECTOR_PORTS(BLOCK_W_OUT, BLOCK_V_OUT) } BypassCollectorOut;

// Observation, obs_words 32:
// address c             word 0       2:0 head; 12:8 read pointer; 16 an entry was granted in the cycle
//                                    before, 21:17 which (else 0)
//                       word 1 + s   slot s: bit 0 waiting; 1 awaits; while waiting 4:2 unit; 7:5 need;
//                                    14:8 slots to follow; 16 + 5 o +: 5 entry of operand o where needed
//                       word 8 + s   bank << 16 | entry of the register slot s awaits, 0: none
//                       word 16 + s  entries in the window whose last instruction is in slot s
// address NumColl + c   word e       entry e of BOC c, 0 while free: bit 0 in the window; 1 to ask for;
//                                    2 dirty; 3 dead (0 unless dirty); 4 save; 25:16
//                                    entry, 30:26 bank of its register
// address 2 NumColl + c word e       entries allocated before e (0 while free)
// address 3 NumColl + c * Values + e row of entry e (0 while free or without value)
// then one address      words 0..7   pointers of the dispatch ports; 8..11 pointers of the write ports;
//                                    12..15 turns
extern const BlockModel bypass_collector_model;

#endif
