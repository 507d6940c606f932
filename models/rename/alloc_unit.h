// SPDX-License-Identifier: Apache-2.0
// Contract of block alloc_unit: the free register map and the allocation policies (thesis 2.4.3,
// 2.5.3, "Allocation Unit" and "Size changes" in 2.6). The map is one memory per bank with one read and one
// write port; places are given from a few rows that are open (in registers), which a scanner renews.
// (Row: physical register, named by bank and entry. Word: 8 rows, entries 8 i .. 8 i + 7 of a bank.)
//
// ---- What is guaranteed
//   G1 A slice is given to one register at a time; what is given was free.
//   G2 keep and shrink are never refused for want of room; a growing register finds room in its own row when
//      there is no other: a request waits for ever only if more architected registers live than rows, and
//      nothing is freed.
//   G3 Home bank: (register + warp) mod Banks, policy 2: warp mod Banks, with cfg_order 1: 0. A place is in
//      the first bank, from the home bank on, cyclically, that has one (a reserved row counts when nothing
//      else does), or of which at least it is not known that it has none: then the request waits until it is
//      known (`What a bank knows`).
//   G4 In a bank partly used rows come before wholly free ones. The scanner takes up the lowest row that
//      fits, so that allocation is first fit but for the rows already open (five per bank).
//   G5 Policy 1: the first of a pair gets a wholly free row while any bank has one, and what it leaves is
//      kept for the buddy; the second gets it if it is as many slices. Policy 2: the hinted side while an
//      open row of the bank has it free (a wholly free one has both).
//   G6 A write that needs a new place and has no buddy is served in its first cycle if an open row of
//      the first bank has room (and it stands its ground, see Conflict). A register that grows in its own row
//      is served in its first cycle if that row was looked up in the cycle before (lk_*) and not refused.
//
// ---- Configuration (registered by who uses the block; changes while nothing is mapped)
//   policy     0 first fit, 1 pair, 2 align (spec: packing and firstfit, corf, corf++)
//   cfg_shrink rename.shrink: free = 0: the slices that are not needed any more are given back; hold = 1: place and
//              mask stay, al_kind is keep (the writer stores the value sign-extended over the old mask)
//   cfg_grow   rename.grow: inplace = 0: a growing register stays in its row if own and free slices there are
//              enough; move = 1: only when there is no other place
//   cfg_order  rename.order: rotate = 0, lowest = 1: home bank 0 (not with policy 2: ignored)
//
// ---- State
//   per bank   map: 8 x {reserved 1, used 4} per word; word flags full, some: a row of it may be wholly
//              free / may be partly used, with room (never 0 when there is such a row outside the open ones)
//              open row k (0..4): valid, closing, entry, used, reserved; what the map says of it does not count
//              executing operation: kind, entry or word, port, mask, stale; and the word that was read for it
//              wish: valid, n (1..3), side (0 none, 1 left, 2 right); ptr (word, may be one past the end)
//              level (1..4): no partly used row outside the open ones has `level` or more free slices
//              victim (0..4); clear: words still to be cleared after reset, Words .. 0
//   per port   give register of request port w (index NumFree + w) and of free port f (index f): valid, bank, entry, mask
//              of request port w: own_no, bd_no: that row was looked up, without room; bd_in, bd place: rq_bd_*
//              of the cycle before
//   global     turn: counts cycles mod NumWr; yield; counts
//
// ---- Requests
//   rq_valid[w]: as the rest of rq_*: who writes (warp, register), rq_size (1..4) bytes needed, rq_old_* where
//   it lives (mask 0: nowhere), hints rq_align, rq_pair, rq_bd_*: where the buddy lives (mask 0: nowhere). A request
//   that is not done is made again in the next cycle with the same inputs, but rq_bd_* may change, or is
//   dropped (rq_valid 0 for a cycle at least). The answer comes in the same cycle, takes effect at the clock edge.
//   al_kind 0 keep: rq_size is the number of ones of the old mask (or fewer, with cfg_shrink 1). Done.
//           1 shrink: fewer. Place stays, al_mask is the highest rq_size ones of the old mask (policy 2,
//             left), else the lowest. Done if rq_ready[w].
//           2 first: no old mask. 3 grow: more. Done as follows; grow only if rq_ready[w].
//   rq_ready[w] (does not depend on sizes): the give register of port w is empty, or is emptied in this cycle.
//   own row wanted: grow, not own_no, and (cfg_grow 0, or `none` below).
//   buddy wanted:   policy 1, rq_pair, first or grow, not own row wanted. Then, while not bd_in: the request
//                   waits. With bd_in, if the bd mask is not 0 and not bd_no: the buddy's row is wanted, that
//                   of the registered bd place.
//   known:          the row wanted is the entry of an executing, not stale look of port w in its bank. offer =
//                   its free slices (of the open row if it is open, else of the word read), and the old
//                   slices if it is the row of the old place. Room: at least rq_size.
//     own, room     al_mask: policy 2 with a side: the rq_size slices at that end if offer has them, else the lowest
//                   rq_size of offer. The row's used becomes used - old + al_mask; reserved stays. al_how 4.
//     buddy, room   lowest rq_size of offer; the row is not reserved any more. al_how 2.
//     no room       own_no (bd_no) from the next cycle on; of a buddy's row: not reserved any more. If then no other
//                   row is wanted, the request goes on in this cycle to the open rows.
//   not known:      waits. (Looks for it: see Operations.)
//   open rows:      when no row is wanted (or the last one had no room).
//     class: want_full (policy 1, rq_pair, bd mask 0 or the register is mapped nowhere near: bd mask 0 only), rq_size < 4,
//       and some bank may have a wholly free row: n = 4. Else n = rq_size.
//     row k is offered: valid, not closing, not (reserved and not yield), not hit by an executing look.
//     fits: offered and at least n free slices. A bank may have one: an offered row fits, or
//       not dry: n = 4: no word flag full is 1, no fresh scan is executing (dry4); n < 4: dry4 and n >= level.
//     bank: the first that may have one, from the home bank on. Waits if no offered row of it fits.
//     row: with a side (policy 2, rq_size < 4), if an offered row has the rq_size slices at that end free: of these; else
//       of those that fit. Partly used before wholly free, then port w even: lowest k, odd: highest k.
//     mask: with such a side: these slices; else the rq_size lowest free. Reserved becomes want_full.
//     al_how 1; 3 if the buddy's row was looked up in vain, want_full without n = 4, or a side was not found.
//   Conflict: of two ports that come to one open row the one earlier in the order turn, turn + 1, .. has it, the other
//     waits (ports that wait for another reason do not take part).
//   al_none[w]: open rows are asked for, and no bank may have a row (own row not wanted, or just found
//     without room). Then own_no is 0 in the next cycle. With policy 1 and yield 0: yield is 1 from the next cycle on,
//     word flags some are all 1 and levels 4. yield is 0 again when a bank has an offered wholly free row.
//   grow elsewhere, shrink: the slices of the old mask that are not kept go to the give register of w.
//   Port state own_no, bd_no, bd_in is 0 after a cycle with rq_valid 0 or al_done.
//
// Free       fr_valid[f] with fr_ready[f] (state and looks alone): slices of fr_mask go to the give register of
//   f. fr_ready: it is empty, or is emptied in this cycle.
// Look       lk_valid[w], lk_bank, lk_entry: the row in which the result lives that may be asked for in the next cycle.
//
// ---- Operations. Each bank selects one per cycle (it reads the map's word of its entry); it executes in
//   the next. In this order:
//     clear  while clear > 0: the word clear - 1 becomes 0 (nothing else is selected)
//     replay the executing operation is stale: the same again
//     relook the lowest w with rq_valid whose own or buddy's row is wanted, here, and not known in this cycle (all
//            from state, rq_* and the executing operation; own row because of `none`: own_no 0 and in the cycle
//            before al_none[w])
//     close  a row is closing, and urgent      urgent: no offered wholly free row, or the wish is a demand
//     scan   there is one (below), and urgent
//     give   the lowest index g whose give register is valid, here; it is emptied
//     look   the lowest w with lk_valid here (others are refused: lost)
//     close, scan   not urgent
//   scan: not while a scan executes; needs an open row that is not valid. fresh: fewer than two offered wholly free rows
//     and a word flag full: the lowest such word. Else with the wish: the lowest word at or after ptr with
//     flag some.
//   stale: in the cycle in which it was selected a look, give or close was executing (and not stale) on the same word.
//   Executing (nothing if stale):
//     look   the request port decides (own, buddy); the row is written in the open row if open, else in the map.
//     give   used - mask; a row without used slices is not reserved. Written as above.
//     close  the row is written to the map and not open any more.
//     scan   fresh: the lowest row of the word that is not open and unused: the lowest k that is not valid gets it, not
//            reserved. None: flag full of the word is 0. Wish: the lowest row that is not open, partly used, not (reserved
//            and not yield), with n free slices, at the side's end if there is one: likewise; wish 0. None: ptr is
//            the word after; flag some of the word is 0 if it has no row not open, partly used, with room.
//   A write to the map sets flags of its word: full if unused; some if partly used, with room. In the second
//     case, or when a slice is given back in an open row, level is 4, and ptr not above the word.
//   Wish: demand: a port waits here because no offered row fits, n < 4: wish becomes {n, no side} and a demand (lowest w),
//     and ptr 0 unless it is so already; else without a wish: a port took a wholly free row with rq_size < 4, not
//     want_full: {rq_size, side}, ptr 0 (lowest w). Both after what the scan did to it in this cycle.
//   End of a sweep: a wish, no scan executing, no word at or after ptr with flag some: wish 0; without a side: level is
//     n if that is less. (Comes before a demand of the same cycle.)
//   Closing: no row invalid, none closing, and (fewer than two offered wholly free rows and a flag full, or a wish): from
//     the next cycle on the lowest row that is wholly used or reserved (yield 0), else the first partly used
//     from victim on, cyclically, is closing; victim is the one after it. A wholly free row never is.
//
// Pairs: the row reserved for the buddy is found by its place, which the table gave; its word is
//   read in the cycle after, as any look (a first or growing register with a buddy is done one cycle later than others
//   if the buddy is unmapped, two if it is mapped, from rq_valid on).
// High fill: a bank without a wholly free row knows it from its flags (32 bits), before anyone asks. A request of n < 4 for
//   which no row is open waits for at most a sweep: 2 cycles per word with flag some (64 with 256 entries);
//   after it the level says so until slices are given back in the bank.
//
// Hints    hl_valid: op 0 clears the hints of slot hl_kernel; op 1: the buddy of register hl_reg is
//   hl_value (a pair is loaded as two of these); op 2: alignment of hl_reg is hl_value's low 2 bits (0
//   don't care, 1 left, 2 right, 3 don't care); op 3: nothing.
//   hq_valid[a] (instruction port a) in cycle t asks for the hints of a register; ha_valid[a], ha_pair,
//   ha_buddy (where bit a of ha_pair is 1), ha_align answer in t+1, from the hints as they were in t.
// Counts   used_slices: slices that registers have (given registers not counted), one cycle late. used_regs: rows with any slice in
//   use, counted when they are taken from or a give executes, one cycle late.
//
// No deadlock: with at most Banks * Entries architected registers alive, each of the others is in one row, so a row
//   is empty, or holds none but the requester. In the first case its word has flag full (or the row is open): no
//   bank is dry before it was found; scans go before gives and looks while there is no open one, and an executing look
//   is followed by none of the same request until it is done or none. In the second al_none makes the port look
//   at its own row again and again, before all else; its give registers empty because a give waits only for relooks
//   (at most NumWr) and urgent scans (at most one per word until a flag is set again by a give).
//   A stale rq_bd_* (the buddy has moved) costs a chance to coalesce, never correctness: the map alone decides.
// Reset: no row open, flags full 1, some 0, level 4, no wish, ptr 0, victim 0, clear = Words, turn 0, yield 0, no give, counts 0,
//   no hint answer; no hints (buddies are not reset). The first place is given after Words + 3 cycles.
// Ignored: inputs of a port without its valid bit; rq_bd_*, rq_pair outside policy 1; rq_align outside policy 2.
// Never driven: size outside 1..4; a bank, entry, warp, kernel that does not exist where it counts
//   (rq_old_*, rq_bd_* with mask 0000 do not count); an old place or a freed slice that is not in use,
//   or named twice at once (by two frees, two old masks, or a free and an old mask); lk_* of a row that does not exist.
// Left out: the walk over a warp's registers at its exit (whoever owns the renaming table does it).
#ifndef SMCOSIM_MODELS_ALLOC_UNIT_H
#define SMCOSIM_MODELS_ALLOC_UNIT_H

#include "models/block.h"

enum { AU_MAX_BANKS = 32, AU_MAX_WR = 4, AU_MAX_ALLOC = 4, AU_MAX_FREE = 8, AU_MAX_KERNELS = 8, AU_REGS = 64 };
enum { AU_FIRST_FIT, AU_PAIR, AU_ALIGN };                       // policy
enum { AU_DONT_CARE, AU_LEFT, AU_RIGHT };                       // alignment
enum { AU_KEEP, AU_SHRINK, AU_FIRST, AU_GROW };                 // al_kind
enum { AU_IN_PLACE, AU_POLICY, AU_BUDDY, AU_FALLBACK, AU_OWN }; // al_how
enum { AU_HINT_CLEAR, AU_HINT_PAIR, AU_HINT_ALIGN };            // hl_op

#define ALLOC_UNIT_PARAMS(P)                                                                       \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks")                                          \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")                              \
    P(Warps, 48, 1, 64, "sm.warps", "resident warps")                                              \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle")                               \
    P(NumFree, 4, 1, 8, "rename.free_ports", "registers freed per cycle")                          \
    P(NumKernels, 8, 1, 8, "rename.kernels", "kernels that have hints at once")         \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions whose hints are asked for per cycle")

// al_how: 0 in place (keep, shrink); 1 where the policy wants it; 2 with its buddy; 3 any n although
// the policy wanted alignment, a full register or the buddy's; 4 its own register.
#define ALLOC_UNIT_PORTS(W, V)                                                                     \
    W(IN, policy, 1, 1, 2, ALWAYS, -, "0 first fit, 1 pair, 2 align")                              \
    W(IN, cfg_shrink, 1, 1, 1, ALWAYS, -, "0 free: a smaller value gives slices back, 1 hold")      \
    W(IN, cfg_grow, 1, 1, 1, ALWAYS, -, "0 inplace: growth in its own row first, 1 move")          \
    W(IN, cfg_order, 1, 1, 1, ALWAYS, -, "home bank: 0 rotate, 1 lowest")                          \
    W(IN, lk_valid, 1, 1, NumWr, ALWAYS, -, "port w may ask for growth in the next cycle")         \
    W(IN, lk_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "of the register that lives in: bank")   \
    W(IN, lk_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry")                               \
    W(IN, rq_valid, 1, 1, NumWr, ALWAYS, -, "port w writes a register")                            \
    W(IN, rq_warp, AU_MAX_WR, NumWr, WarpBits, ALWAYS, -, "warp")                                  \
    W(IN, rq_reg, AU_MAX_WR, NumWr, 6, ALWAYS, -, "architected register")                          \
    W(IN, rq_size, AU_MAX_WR, NumWr, 3, ALWAYS, -, "bytes needed, 1..4")                           \
    W(IN, rq_align, AU_MAX_WR, NumWr, 2, ALWAYS, -, "hint: 0 don't care, 1 left, 2 right")         \
    W(IN, rq_pair, 1, 1, NumWr, ALWAYS, -, "hint: the register has a buddy")                       \
    W(IN, rq_old_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "where it lives: bank")              \
    W(IN, rq_old_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry")                           \
    W(IN, rq_old_mask, AU_MAX_WR, NumWr, 4, ALWAYS, -, "slices, 0 nowhere")                        \
    W(IN, rq_bd_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "where its buddy lives: bank")        \
    W(IN, rq_bd_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry")                            \
    W(IN, rq_bd_mask, AU_MAX_WR, NumWr, 4, ALWAYS, -, "slices, 0 nowhere")                         \
    W(IN, fr_valid, 1, 1, NumFree, ALWAYS, -, "port f frees slices")                               \
    W(IN, fr_bank, AU_MAX_FREE, NumFree, BankBits, ALWAYS, -, "bank")                              \
    W(IN, fr_entry, AU_MAX_FREE, NumFree, EntryBits, ALWAYS, -, "entry")                           \
    W(IN, fr_mask, AU_MAX_FREE, NumFree, 4, ALWAYS, -, "slices")                                   \
    W(IN, hl_valid, 1, 1, 1, ALWAYS, -, "a hint is loaded")                                        \
    W(IN, hl_op, 1, 1, 2, ALWAYS, -, "0 clear the slot, 1 buddy, 2 alignment")                     \
    W(IN, hl_kernel, 1, 1, KernelBits, ALWAYS, -, "kernel slot")                                   \
    W(IN, hl_reg, 1, 1, 6, ALWAYS, -, "register")                                                  \
    W(IN, hl_value, 1, 1, 6, ALWAYS, -, "its buddy or alignment")                                  \
    W(IN, hq_valid, 1, 1, NumAlloc, ALWAYS, -, "hints of a register are asked for")                \
    W(IN, hq_kernel, AU_MAX_ALLOC, NumAlloc, KernelBits, ALWAYS, -, "kernel slot")                 \
    W(IN, hq_reg, AU_MAX_ALLOC, NumAlloc, 6, ALWAYS, -, "register")                                \
    W(OUT, fr_ready, 1, 1, NumFree, ALWAYS, -, "port f takes slices")                              \
    W(OUT, rq_ready, 1, 1, NumWr, ALWAYS, -, "port w can give slices back")                        \
    W(OUT, al_done, 1, 1, NumWr, WORK, -, "the request is served")                                 \
    W(OUT, al_none, 1, 1, NumWr, ALWAYS, -, "nothing is free for it")                              \
    W(OUT, al_kind, AU_MAX_WR, NumWr, 2, WHEN, al_done, "0 keep, 1 shrink, 2 first, 3 grow")       \
    W(OUT, al_how, AU_MAX_WR, NumWr, 3, WHEN, al_done, "why there, see above")                     \
    W(OUT, al_bank, AU_MAX_WR, NumWr, BankBits, WHEN, al_done, "where it lives from now on: bank") \
    W(OUT, al_entry, AU_MAX_WR, NumWr, EntryBits, WHEN, al_done, "entry")                          \
    W(OUT, al_mask, AU_MAX_WR, NumWr, 4, WHEN, al_done, "slices")                                  \
    W(OUT, ha_valid, 1, 1, NumAlloc, ALWAYS, -, "hints asked for in the cycle before")             \
    W(OUT, ha_pair, 1, 1, NumAlloc, ALWAYS, -, "the register has a buddy (0 where not valid)")     \
    W(OUT, ha_buddy, AU_MAX_ALLOC, NumAlloc, 6, WHEN, ha_pair, "that register")                    \
    W(OUT, ha_align, AU_MAX_ALLOC, NumAlloc, 2, WHEN, ha_valid, "its alignment")                   \
    W(OUT, used_slices, 1, 1, SliceCountBits, ALWAYS, -, "slices in use, one cycle late")                          \
    W(OUT, used_regs, 1, 1, RegCountBits, ALWAYS, -, "physical registers in use, one cycle late")

#define ALLOC_UNIT_WIDTHS                                                                          \
    const int BankBits = block_bits(Banks), EntryBits = block_bits(Entries),                       \
              WarpBits = block_bits(Warps), KernelBits = block_bits(NumKernels),                   \
              SliceCountBits = block_bits(4 * Banks * Entries + 1),                                \
              RegCountBits = block_bits(Banks * Entries + 1)

typedef struct AllocUnitIn { ALLOC_UNIT_PORTS(BLOCK_W_IN, BLOCK_V_IN) } AllocUnitIn;
typedef struct AllocUnitOut { ALLOC_UNIT_PORTS(BLOCK_W_OUT, BLOCK_V_OUT) } AllocUnitOut;

// Observation, obs_words 4. With G = ceil(Entries / 16), K = 5 open rows:
//   0 .. Banks*G-1           bank a / G, entries 16 * (a % G) ..: byte i of the words is entry i of the
//                            sixteen, as the map memory has it (rows that are open: old): bits 3:0 slices in
//                            use, bit 4 reserved
//   then Banks * K           open row: word 0: bits 9:0 entry, 13:10 used, 14 reserved, 15 closing, 16 valid (all 0
//                            where not valid)
//   then Banks               word 0: level | wish valid << 4 | n << 5 | side << 8 | demand << 10 | victim << 12 | ptr << 16;
//                            word 1, 2: flags full, some of the lowest 32 words; word 3: clear
//   then NumKernels * 64     hints of a register: word 0: 1:0 alignment, 2 paired, 8:3 buddy (0 where
//                            not paired)
//   then 1                   word 0: turn | yield << 8; word 1: slices in use; word 2: registers in use; word 3:
//                            give registers occupied
extern const BlockModel alloc_unit_model;

// For bounds (rf_datapath_ideal), in the golden model alone: slices become free without a port.
void alloc_unit_give(void *self, uint32_t bank, uint32_t entry, uint32_t mask);

#endif
