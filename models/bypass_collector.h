// SPDX-License-Identifier: Apache-2.0
// Contract of block bypass_collector: one bypassing operand collector (BOC) per warp, after BOW
// (thesis chapter 3): sources found in the window of the warp's last instructions are forwarded,
// results are kept for the instructions that follow, the register file sees the rest.
//
// A register is known by its place (bank, entry): one warp's registers have different places.
// State of a BOC
//   window     Window slots, one per instruction, used in turn: `head` is the next one. A slot holds
//              waiting (not yet dispatched), unit, need, the entry of each needed operand, the slots
//              it must follow, and, until its result has come, the register it will write (awaited).
//   entries    Values rows of 1024 bits, each with the register it holds, the order of allocation
//              and: in window, and the slot of the last instruction that named the register; read
//              pending (to ask for, or granted in the cycle before); dirty (newer than the register
//              file); dead (a dirty value of the compiler: no use after the window); save (dirty and
//              to be written to the register file whatever comes). Free: not in window, not save.
//              Needed: an operand of a waiting instruction. No register is in two entries.
//
// In a cycle, the following, in this order, as if one after the other; what outputs show is decided
// on the state at the start of the cycle and the res_ and mode inputs alone.
//
// Collect   rd_data_valid[b] with rd_data_coll[b] == c: stored in the entry that c was granted in the
//           cycle before (as operand_collector; ignored when there was none). Each BOC presents one
//           entry to be read: the first one to ask for at or after its read pointer (cyclically, by
//           entry number); the pointer then moves behind it, granted or not. older[c]: the BOCs that
//           were granted less recently than c: a granted BOC moves behind all others, several in one
//           cycle keep their order; after reset lower numbers come first.
// Dispatch  an instruction is ready when its needed entries have their values and no instruction it
//           must follow is waiting. A BOC offers each unit the oldest ready instruction for it.
//           Dispatch port d takes the first BOC with an offer at or after its pointer (round-robin):
//           disp_coll, disp_slot, operands. With disp_ready[d] the instruction leaves and the
//           pointer moves behind that BOC. A BOC may serve several units in one cycle.
// Save      a BOC that holds entries to save offers the one allocated first; else, when more than
//           Values - NumOps entries are dirty, the dirty one allocated first (so that room comes
//           back). BOC c writes through port c mod NumWr; among its BOCs the port takes the first one
//           with an offer at or after its pointer, which moves behind it when the write is taken.
//           wr_valid and wr_ready: dirty and save fall, the entry is free when out of the window.
// Results   res_valid[p]: a result of BOC res_coll[p] for the register, in the lanes res_lane.
//           Result p is done at the clock edge when res_ready[p] and (not wr_res[p] or wr_ready[p]).
//           Of several results for one BOC the lowest port is served, the others are not ready. What
//           is done with it follows from mode and, from mode 2 on, from the instruction's two bits
//           res_write {BOC, register file}:
//             mode 0  write-through    keep in the BOC, and write to the register file now
//             mode 1  write-back       keep dirty
//             mode 2  compiler bits    11 keep dirty, 10 keep dirty and dead, 01 register file now,
//               or 3                   00 nowhere (never read again)
//           A result that no slot awaits (its instruction has left the window, or did not name it):
//           register file now (but 00). Nowhere, or no lane: done, nothing changes but the awaiting.
//           Else, with the register in entry e:
//             all lanes, kept   overwrites e: what was to be saved is not saved any more
//             all lanes, not    e is freed
//             some lanes, e dirty   merged into e, not written now; e stays dirty, in or out of the
//                                   window as it was (in, when awaited), and dead only if both are
//             some lanes, e clean   kept: merged into e, dirty unless written now, else e is freed
//           and without such an entry: kept if it has all lanes and an entry can be taken (see
//           Room), else to the register file now.
//           A kept result is in the window with its instruction's slot.
//           Result p that goes to the register file uses write port p (wr_res[p]), in competition
//           with the saves of that port: the result first, unless turn[p] is set; the loser is not
//           served (res_ready[p] = 0). After a conflict whose winner was taken the loser has the turn.
// Flush     flush[c]: end of window. Dirty entries are to be saved and no longer dead, entries not
//           needed leave the window, nothing is awaited. Waiting instructions stay.
//           drop[c] (wins over flush[c]): the warp is gone. All slots and entries are free; data that
//           is still under way is ignored.
// Enter     alloc_valid[a] for BOC alloc_coll[a] with alloc_ready and no more needed operands than
//           alloc_room: enters slot head (alloc_slot), head moves on. Else ignored; of several ports
//           for one BOC the lowest valid one counts, whether it enters or not. alloc_pass: no
//           operands and no dispatch, it only takes its place in the window (branches, ..).
//           Needed operands whose register is in an entry get that one (forwarded: no read); the
//           others take an entry each, lowest operand first; an operand named twice is one.
//           All entries of registers it names (operands, alloc_dst) are then in the window, slot
//           head, whether in the window before or still to be saved. Entries that leave, those in
//           the window with that slot that it does not name: to be saved when dirty and not dead, else
//           dropped. It must follow the waiting instructions that need an entry of its alloc_dst (WAR);
//           from now on alloc_dst is awaited, and what the slot's last instruction awaited is not.
// Room      an entry can be taken when it is free, or clean, not needed and without pending read:
//           the lowest free one, else the one that was allocated first (FIFO). A result takes before
//           an instruction. alloc_room[c] = min(NumOps, entries that can be taken, but for the one
//           that a valid result for c takes or finds). alloc_ready[c]: slot head has no waiting
//           instruction. What is done in this cycle makes room in the next.
//
// So an operand is forwarded over a distance of 1..Window-1 instructions since the last one that
// named it, as the paper's examples have it (window 3: from the 1st to the 3rd), or further while
// its value waits to be saved: the register file must not be read then.
// unsaved[c]: BOC c holds a dirty entry. Partial results: an entry always holds all lanes, so wr_lane
// is all lanes but for a result (res_lane).
// Reset: all slots and entries free; pointers and turns 0; write-order as said.
// Ignored: alloc_ without room, res_write below mode 2, rd_grant without rd_valid, data that was not
//          granted, wr_ready and disp_ready without valid.
// Never driven: an instruction that names a register whose result is outstanding (the scoreboard:
//          RAW, WAW; a result done in this cycle is no longer outstanding), a result for a register
//          that a waiting instruction needs (kept by `must follow` for awaited ones), a grant without
//          data one cycle later (but after drop), two banks delivering to one BOC, a unit, BOC or bank that does
//          not exist. Reading a dead value after its window, or a value that went nowhere, gives what
//          the register file has.
// Left out: reading partly from the register file (a partial result without entry goes there), bypass
//          beyond the window, the interlock between warps.
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
    W(OUT, disp_valid, 1, 1, NumDisp, ALWAYS, -, "an instruction is ready for unit d")            \
    W(OUT, disp_coll, BOW_MAX_DISP, NumDisp, CollBits, WHEN, disp_valid, "its BOC")               \
    W(OUT, disp_slot, BOW_MAX_DISP, NumDisp, SlotBits, WHEN, disp_valid, "its slot")              \
    W(OUT, disp_need, 1, 1, NumDisp * NumOps, ALWAYS, -, "operands that carry a value")           \
    V(OUT, disp_data, BOW_MAX_DISP * BOW_MAX_OPS, NumDisp * NumOps, 1024, WHEN, disp_need, "operands, slice-major") \
    W(OUT, res_ready, 1, 1, NumWr, ALWAYS, -, "result p is done (if wr_res: with wr_ready)")      \
    W(OUT, wr_res, 1, 1, NumWr, ALWAYS, -, "write p is result p, else a save")                    \
    W(OUT, wr_valid, 1, 1, NumWr, ALWAYS, -, "a write to the register file")                      \
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
// address c             word 0       2:0 head; 12:8 read pointer
//                       word 1 + s   slot s: bit 0 waiting; 1 awaits; while waiting also 4:2 unit,
//                                    7:5 need, 14:8 slots to follow, and 16+5o +: 5 entry of operand
//                                    o where needed
//                       word 8 + s   bank << 16 | entry of the register slot s awaits, else 0
// address NumColl + c   word e       entry e of BOC c, 0 while free: bit 0 held; 1 in window; 2 to
//                                    ask for; 3 granted in the cycle before; 4 dirty; 5 dead; 6 save;
//                                    9:7 last slot (in the window); 25:16 entry, 30:26 bank of the
//                                    register. dead is shown of dirty entries only
// address 2 NumColl + c word e       held entries allocated before e (0 while free)
// address 3 NumColl + c * Values + e row of entry e (0 while free or without value)
// then one address      words 0..7   pointers of the dispatch ports; 8..11 pointers of the write ports;
//                                    12..15 turns
extern const BlockModel bypass_collector_model;

#endif
