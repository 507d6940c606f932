// SPDX-License-Identifier: Apache-2.0
// Contract of block alloc_unit: the free register map and the allocation policies (thesis 2.4.3,
// 2.5.3, "Allocation Unit" and "Size changes" in 2.6). The map is one memory per bank with one read
// and one write port; places are given from a few rows that are open (in registers), which a
// scanner renews. (Row: physical register, named by bank and entry. Word: 8 rows, entries 8 i .. 8
// i + 7 of a bank.)
//
// ---- What is guaranteed
//   G1 A slice belongs to one register at a time; what is given was free.
//   G2 A register that keeps or shrinks needs no room; one that grows finds room in its own row
//      when there is no other. A request waits for ever only if more architected registers live
//      than rows and nothing is freed.
//   G3 Home bank: (register + warp) mod Banks; policy 2: warp mod Banks; cfg_order 1 (not policy
//      2): 0. Banks are tried from the home bank on, cyclically. Policy 2: the first of which it is
//      not known that it has no place (the request waits until the scanner found one or knows);
//      others: the first that has a place in an open row, and only without any they wait.
//   G4 In a bank partly used open rows come before wholly free ones, and the scanner takes up the
//      lowest row that fits what was asked for last: first fit but for the rows already open (at
//      most five per bank).
//   G5 Policy 1: the first of a pair gets a wholly free row while a bank has one, what it leaves is
//      kept for the buddy; the buddy gets it if it is enough. Policy 2: the hinted side while an
//      open row of the bank has it free (a wholly free row has both).
//   G6 A first allocation without buddy is served in its first cycle if an open row of its bank
//      fits (and no other port is ahead for the same row, and the row is not just looked up or
//      given to). Growth in the own row is served in its first cycle if the row was looked up in
//      the cycle before (lk_*) and the look was selected. Growth elsewhere: as soon as the own row
//      is known to have no room, in that cycle.
//
// ---- Configuration (changes while nothing is mapped)
//   policy     0 first fit, 1 pair, 2 align (presets packing and firstfit: 0; corf: 1; corf++: 2)
//   cfg_grow   rename.grow: inplace = 0: a growing register stays in its row if own and free slices
//              there are enough; move = 1: only when there is no other place
//   cfg_order  rename.order: rotate = 0, lowest = 1 (G3)
//   rename.shrink is not seen here: who asks gives rq_kind 0 (keep) instead of 1 with hold, and
//              stores the value sign-extended over the old mask; with free, 1.
//
// ---- State
//   per bank   map: 8 x {reserved 1, used 4} per word; of each word flags full, some: it may have a
//              row, not open, that is wholly free / partly used with room
//              open row k (0..4): valid, closing, entry, used, reserved. What the map says of an
//              open row is old. operation that executes: kind, entry, port, mask, stale, hits (open
//              rows with this entry when it was selected), word read; moved
//              write register: a row on its way to the map: valid, entry, contents
//              wish: valid, n (1..3), side (0, 1 left, 2 right), demand; ptr (a word, or Words)
//              level (1..4): a sweep found no partly used row with `level` or more free slices
//              outside the open ones victim (0..4); clear (Words .. 0)
//   per port   give registers, valid, bank, entry, mask: indices f and NumFree + 2 NumWr + f of
//              free port f, NumFree + w and NumFree + NumWr + w of request port w.
//              Request port w: own_no, bd_no: looked up, no room; last: nothing else is left;
//              bd_in: asked in the cycle before and not done; bd place: rq_bd_* of the cycle
//              before.
//   global     turn: cycles with a request since reset mod NumWr; yield, yield_new; any_full;
//              counts
//   `reserved` below means: reserved and not yield. `whole`: open row (valid), nothing used.
//
// ---- Requests
//   rq_valid[w]: who writes (warp, register); rq_kind; rq_size (1..4) bytes needed; rq_old_* where
//   it lives (mask 0: nowhere); hints rq_align, rq_pair; rq_bd_* where the buddy lives (mask 0:
//   nowhere). A request that is not done is made again in the next cycle (rq_bd_* may change), or
//   dropped. The answer (al_*) comes in the same cycle and takes effect at the clock edge.
//   rq_kind 0 keep:   al_mask is the old mask. Done. al_how 0.
//           1 shrink: al_mask is the highest rq_size ones of the old mask (policy 2, rq_align
//                     left), else the lowest. Done if rq_ready[w]. al_how 0.
//           2 first, 3 grow: as follows; `side`: policy 2, rq_align 1 or 2, rq_size < 4.
//   rq_ready[w]: give register NumFree + w or NumFree + NumWr + w is empty (state).
//   own row wanted   grow, and (last, or cfg_grow 0 and not own_no).
//   paired           policy 1, rq_pair, first or grow. buddy undecided: paired, and not bd_in, or
//                    bd mask not 0 and not bd_no. buddy's row wanted: undecided, bd_in, own row not
//                    wanted (it is the bd place).
//   known            a row is wanted and a look of port w executes (not stale) in its bank with its
//                    entry. Free slices: of the open row if it hits, else of the word read. offer:
//                    these and, for grow, if it is the row of the old place, the old slices. Room:
//                    rq_size or more in offer (and rq_ready[w] if it grows and the buddy's row is
//                    wanted). Short: fewer than rq_size.
//     own, room      al_mask: the rq_size slices of the side, if offer has them; else the lowest of
//                    offer. In the row al_mask replaces the old slices. al_how 4. Done.
//     buddy, room    the lowest of offer. The row is not reserved any more. al_how 2. Done.
//     short          own_no (bd_no) is 1 from the next cycle on; a buddy's row is not reserved any
//                    more. The request goes to the open rows in this cycle, unless (own row) the
//                    buddy is undecided.
//     wanted, not known: the request waits.
//   may come         first or grow, and: own row wanted: buddy not undecided; else: buddy not
//                    undecided or bd_in.
//   comes            may come, and no row is wanted or it is short.
//     full wanted    paired, bd mask 0, rq_size < 4, any_full (a bank might have had a wholly free
//                    row in the cycle before: see `may`). Then only whole rows fit.
//     offered        open row, not closing, not reserved, not hit by a look or give that executes
//                    (stale or not).
//     fits           offered, rq_size or more slices free (full wanted: whole).
//     dry            no flag full is 1, no fresh scan in execution (stale or not), no row closing,
//                    clear 0.
//     may            an offered row fits, or not dry, or (rq_size < 4, not full wanted) rq_size <
//                    level. any_full: in some bank an offered row is whole, or it is not dry.
//     bank           policy 2, or no row of any bank fits: the first bank that may; else the first
//                    where a row fits.
//     row            side: if offered rows have the side's rq_size slices free, of these, else of
//                    those that fit. Partly used ones before whole ones; of equals, w even: the
//                    lowest k, w odd: the highest.
//     al_mask        the side's slices in the first case, else the rq_size lowest free. full
//                    wanted: the row becomes reserved. al_how 3: paired and bd mask not 0, or
//                    paired, bd mask 0, rq_size < 4 but not full wanted, or a side was not found;
//                    else 1.
//     contends       may come (known or not), a row of the bank fits, and first or rq_ready[w]. It
//                    loses if a port that contends for the same row is ahead: earlier in the order
//                    turn, turn + 1, .. (cyclically).
//                    Done: comes, contends, does not lose.
//   al_none[w]       comes, not full wanted, no bank may. Then last is 1 from the next cycle on,
//                    until its own row is known. With policy 1, yield 0 and yield_new 0: yield_new
//                    is 1 in the next cycle, yield from the one after it, until an open row of any
//                    bank is whole. (For a cycle or two it may be said while a row with room is hit
//                    by an operation or on its way to the map.)
//   leaves           shrink, grow (unless in the row of the old place by a look): the old slices
//                    that are not kept go to give register NumFree + w if that is empty, else to
//                    NumFree + NumWr + w.
//   own_no, bd_no, bd_in, last of w are 0 after a cycle in which w does not ask or is done.
//
// Free       fr_valid[f] and fr_ready[f]: slices of fr_mask go to give register f if that is empty,
//            else to
//   NumFree + 2 NumWr + f. fr_ready: one of them is empty (state).
// Look       lk_valid[w], lk_bank, lk_entry: the row in which the result lives that may ask in the
//            next cycle.
//
// ---- Operations. A bank selects one per cycle and reads the word of its entry; it executes in the
// next. Order:
//     clear  while clear > 0: nothing is selected; word clear - 1 becomes 0; clear counts down
//     replay what executes is stale: the same again
//     relook the lowest w that wants a row here and of which no look executes in any bank (stale or
//     not)
//     close  (if urgent) a row is closing and no close executes: its entry
//     scan   (if urgent), see below
//     look   the lowest w with lk_valid here; others are lost
//     give   the lowest give register of this bank; it is emptied
//     close, scan   not urgent
//   urgent: no open row is whole, or the wish is valid and a demand.
//   scan: no scan executes (stale or not), and an open row is not valid. Fresh: fewer than two rows
//     are whole, and a flag full is 1: the lowest such word. Else wish: it is valid: the lowest
//     word at or after ptr with flag some.
//     Entry: the word's first.
//   stale: when it was selected, an operation that was not stale executed with an entry of the same
//     word, or the write register was valid with that word, or a row of it left. A stale operation
//     does nothing.
//   Executing:
//     look   if a port knows the row: its contents become what the request says (the same if it
//            waits), in the open row that hits, else to the write register.
//     give   used becomes used - mask (nothing used: not reserved any more): in the open row, else
//            to the write register.
//     close  the open row goes to the write register and is not valid any more.
//     fresh  the lowest row of the word (that exists) that is not open and unused is loaded, not
//            reserved. None: flag full of the word is 0.
//     wish   of the rows of the word that are not open, partly used (1 to 3 slices), not reserved
//            the lowest with n free slices (at the side, if there is one) is loaded, the wish ends.
//            Else ptr is the word after, unless moved; and if there was none at all, flag some of
//            the word is 0. moved: in a cycle from the one in which it was selected first to the
//            one before this one the wish was new, yield_new was 1, or the write register set a
//            flag some.
//     Loaded: into the lowest k that is not valid.
//   Leave: an open row with all slices used, not closing, not among the hits of what executes
//     (stale or not), goes to the write register and is not valid any more, in a cycle in which
//     what executes does not load the write register; the lowest such row (and no other).
//   Write register: written to the map in its cycle; then flag full of the word is 1 if nothing is
//     used; if it is partly used and not reserved: flag some is 1, level 4, ptr at most the word.
//   yield_new: all flags some are 1, level 4, ptr 0.
//   End of a sweep: a valid wish, no scan executing, no word at or after ptr with flag some: the
//     wish ends; without a side level is n if that is less (level 4 of the same cycle wins).
//   Wish: in the cycle after: the lowest port that waited here (demand): a port that comes, chose
//     this bank, and no row of it fits; or for which this is the home bank and may, and no row of
//     it fits; else the lowest port that took of an open row here; all of them with rq_size < 4 and
//     not full wanted. Demand: {rq_size, no side}, unless the wish is valid, a demand and has this
//     n. Else {rq_size, side}, unless the wish is valid. A new wish: ptr 0. (After what the cycle
//     does to the wish otherwise.)
//   Closing: all rows are valid, none closing, and a fresh scan is wanted (fewer than two whole, a
//     flag full) or the wish is valid: from the next cycle on the lowest row that is reserved, else
//     the first partly used from victim on, cyclically (victim is then the one after it), is
//     closing. A whole row and a full one never are.
//
// Pairs: the row reserved for the buddy is found by the buddy's place, which the table gave. The
//   place goes to a register, its word is read in the next cycle and used in the one after: with a
//   buddy that is unmapped a place is given one cycle later than without, with one that is mapped
//   two cycles later.
// High fill: that a bank has no wholly free row is known from its flags before anyone asks. For
//   rq_size < 4, when no open row fits, the demand sweeps the words with flag some, two cycles each
//   (at most 64 with 256 entries; policy 2 waits for it, others only when no bank has an open row
//   that fits); after it, level answers until slices are given back in the bank.
// No deadlock: with at most Banks * Entries registers alive each of the others is in one row at
//   most, so a row is empty, or holds none but who asks. An empty row is open, or its flag full is
//   1 (or in a give or write register: a matter of cycles). While no open row is whole, fresh scans
//   go before looks and gives, relooks end (one per row wanted), so it is found; a bank that is not
//   dry is waited for. Else al_none sets last, and the own row is looked up before all else and has
//   room for four bytes. Gives wait for looks, which only new results bring.
//   A stale rq_bd_* (the buddy has moved) costs a chance to coalesce, never correctness: the map
//   alone decides.
//
// Hints    hl_valid: op 0 clears the hints of slot hl_kernel; op 1: the buddy of register hl_reg is
//   hl_value (a pair is loaded as two of these); op 2: alignment of hl_reg is hl_value's low 2 bits
//   (0 don't care, 1 left, 2 right, 3 don't care); op 3: nothing.
//   hq_valid[a] (instruction port a) in cycle t asks for the hints of a register; ha_valid[a],
//   ha_pair, ha_buddy (where bit a of ha_pair is 1), ha_align answer in t+1, from the hints as they
//   were in t.
// Counts   used_slices: of what was done or freed (fr) in cycle t, shown from t+3 on. used_regs:
//          rows with
//   any slice in use; what a request takes or a give executes in t is shown from t+2 on.
// Reset: no row open, flags full 1, some 0, level 4, no wish, ptr 0, victim 0, clear = Words,
//   nothing executes, turn 0, yield 0, any_full 0, give and write registers empty, port state 0,
//   counts 0, no hint answer; no hints (buddies are not reset). The map is not reset: in the cycle
//   of the reset it is still written. The first place is given Words + 3 cycles after.
// Ignored: inputs of a port without its valid bit; rq_bd_*, rq_pair outside policy 1; rq_align
// outside policy 2. Never driven: size outside 1..4; rq_kind other than old mask and rq_size say
//   (but 0 for 1); a bank, entry, warp, kernel that does not exist where it counts (rq_old_*,
//   rq_bd_* with mask 0000 do not count); an old place or a freed slice that is not in use, or
//   named twice at once (by two frees, two old masks, or a free and an old mask); lk_* of a row
//   that does not exist.
// Left out: the walk over a warp's registers at its exit (whoever owns the renaming table does it).
//
// Clock: 1.58 ns at 45 nm, from a request's kind over the row that is looked up and the operation
// that is selected to the open row with its entry. At 700 MHz that is two cycles: looks and relooks
// are selected a cycle later; ours in the cycle in which they are asked for.
// blocks.registered=rf_datapath is that timing in the SM: a result that needs a row looked up
// (growth, a buddy that has a place) comes to its writer a cycle later. bench/area/README.md has
// the measurement.
//
// Diagram  After reset the map is cleared; then R0 gets one byte, grows to two in its row, and is
//          freed (Banks=1 Entries=8 Warps=1 NumWr=1 NumFree=1 NumKernels=1 NumAlloc=1)
//   cycle             0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
//   rq_valid          .   .   .   .   .   .   1   .   1   .   .   .   .   .   .   .
//   rq_kind[0]        .   .   .   .   .   .   2   .   3   .   .   .   .   .   .   .
//   rq_size[0]        .   .   .   .   .   .   1   .   2   .   .   .   .   .   .   .
//   rq_old_mask[0]    .   .   .   .   .   .   .   .   1   .   .   .   .   .   .   .
//   lk_valid          .   .   .   .   .   .   .   1   .   .   .   .   .   .   .   .
//   al_done           .   .   .   .   .   .   1   .   1   .   .   .   .   .   .   .
//   al_entry[0]       -   -   -   -   -   -   .   -   .   -   -   -   -   -   -   -
//   al_mask[0]        -   -   -   -   -   -   1   -   3   -   -   -   -   -   -   -
//   fr_valid          .   .   .   .   .   .   .   .   .   .   .   1   .   .   .   .
//   fr_mask[0]        .   .   .   .   .   .   .   .   .   .   .   3   .   .   .   .
//   used_slices       .   .   .   .   .   .   .   .   .   1   1   2   2   2   .   .
#ifndef SMCOSIM_MODELS_ALLOC_UNIT_H
#define SMCOSIM_MODELS_ALLOC_UNIT_H

#include "models/block.h"

enum {
    AU_MAX_BANKS = 32,
    AU_MAX_WR = 4,
    AU_MAX_ALLOC = 4,
    AU_MAX_FREE = 8,
    AU_MAX_KERNELS = 8,
    AU_REGS = 64
};
enum { AU_FIRST_FIT, AU_PAIR, AU_ALIGN };                        // policy
enum { AU_DONT_CARE, AU_LEFT, AU_RIGHT };                        // alignment
enum { AU_KEEP, AU_SHRINK, AU_FIRST, AU_GROW };                  // al_kind
enum { AU_IN_PLACE, AU_POLICY, AU_BUDDY, AU_FALLBACK, AU_OWN };  // al_how
enum { AU_HINT_CLEAR, AU_HINT_PAIR, AU_HINT_ALIGN };             // hl_op

// clang-format off
#define ALLOC_UNIT_PARAMS(P) \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank") \
    P(Warps, 48, 1, 64, "sm.warps", "resident warps") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle") \
    P(NumFree, 4, 1, 8, "rename.free_ports", "registers freed per cycle") \
    P(NumKernels, 8, 1, 8, "rename.kernels", "kernels that have hints at once") \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions whose hints are asked for per cycle")
// clang-format on

// al_how: 0 in place (keep, shrink); 1 where the policy wants it; 2 with its buddy; 3 any n
// although the policy wanted alignment, a full register or the buddy's; 4 its own register.
// clang-format off
#define ALLOC_UNIT_PORTS(W, V) \
    W(IN, policy, 1, 1, 2, ALWAYS, -, "0 first fit, 1 pair, 2 align") \
    W(IN, cfg_grow, 1, 1, 1, ALWAYS, -, "0 inplace: growth in its own row first, 1 move") \
    W(IN, cfg_order, 1, 1, 1, ALWAYS, -, "home bank: 0 rotate, 1 lowest") \
    W(IN, lk_valid, 1, 1, NumWr, ALWAYS, -, "port w may ask for growth in the next cycle") \
    W(IN, lk_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "of the register that lives in: bank") \
    W(IN, lk_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry") \
    W(IN, rq_valid, 1, 1, NumWr, ALWAYS, -, "port w writes a register") \
    W(IN, rq_warp, AU_MAX_WR, NumWr, WarpBits, ALWAYS, -, "warp") \
    W(IN, rq_reg, AU_MAX_WR, NumWr, 6, ALWAYS, -, "architected register") \
    W(IN, rq_kind, AU_MAX_WR, NumWr, 2, ALWAYS, -, "0 keep, 1 shrink, 2 first, 3 grow") \
    W(IN, rq_size, AU_MAX_WR, NumWr, 3, ALWAYS, -, "bytes needed, 1..4") \
    W(IN, rq_align, AU_MAX_WR, NumWr, 2, ALWAYS, -, "hint: 0 don't care, 1 left, 2 right") \
    W(IN, rq_pair, 1, 1, NumWr, ALWAYS, -, "hint: the register has a buddy") \
    W(IN, rq_old_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "where it lives: bank") \
    W(IN, rq_old_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry") \
    W(IN, rq_old_mask, AU_MAX_WR, NumWr, 4, ALWAYS, -, "slices, 0 nowhere") \
    W(IN, rq_bd_bank, AU_MAX_WR, NumWr, BankBits, ALWAYS, -, "where its buddy lives: bank") \
    W(IN, rq_bd_entry, AU_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry") \
    W(IN, rq_bd_mask, AU_MAX_WR, NumWr, 4, ALWAYS, -, "slices, 0 nowhere") \
    W(IN, fr_valid, 1, 1, NumFree, ALWAYS, -, "port f frees slices") \
    W(IN, fr_bank, AU_MAX_FREE, NumFree, BankBits, ALWAYS, -, "bank") \
    W(IN, fr_entry, AU_MAX_FREE, NumFree, EntryBits, ALWAYS, -, "entry") \
    W(IN, fr_mask, AU_MAX_FREE, NumFree, 4, ALWAYS, -, "slices") \
    W(IN, hl_valid, 1, 1, 1, ALWAYS, -, "a hint is loaded") \
    W(IN, hl_op, 1, 1, 2, ALWAYS, -, "0 clear the slot, 1 buddy, 2 alignment") \
    W(IN, hl_kernel, 1, 1, KernelBits, ALWAYS, -, "kernel slot") \
    W(IN, hl_reg, 1, 1, 6, ALWAYS, -, "register") \
    W(IN, hl_value, 1, 1, 6, ALWAYS, -, "its buddy or alignment") \
    W(IN, hq_valid, 1, 1, NumAlloc, ALWAYS, -, "hints of a register are asked for") \
    W(IN, hq_kernel, AU_MAX_ALLOC, NumAlloc, KernelBits, ALWAYS, -, "kernel slot") \
    W(IN, hq_reg, AU_MAX_ALLOC, NumAlloc, 6, ALWAYS, -, "register") \
    W(OUT, fr_ready, 1, 1, NumFree, ALWAYS, -, "port f takes slices") \
    W(OUT, rq_ready, 1, 1, NumWr, ALWAYS, -, "port w can give slices back") \
    W(OUT, al_done, 1, 1, NumWr, WORK, -, "the request is served") \
    W(OUT, al_none, 1, 1, NumWr, ALWAYS, -, "nothing is free for it") \
    W(OUT, al_kind, AU_MAX_WR, NumWr, 2, WHEN, al_done, "0 keep, 1 shrink, 2 first, 3 grow") \
    W(OUT, al_how, AU_MAX_WR, NumWr, 3, WHEN, al_done, "why there, see above") \
    W(OUT, al_bank, AU_MAX_WR, NumWr, BankBits, WHEN, al_done, "where it lives from now on: bank") \
    W(OUT, al_entry, AU_MAX_WR, NumWr, EntryBits, WHEN, al_done, "entry") \
    W(OUT, al_mask, AU_MAX_WR, NumWr, 4, WHEN, al_done, "slices") \
    W(OUT, ha_valid, 1, 1, NumAlloc, ALWAYS, -, "hints asked for in the cycle before") \
    W(OUT, ha_pair, 1, 1, NumAlloc, ALWAYS, -, "the register has a buddy (0 where not valid)") \
    W(OUT, ha_buddy, AU_MAX_ALLOC, NumAlloc, 6, WHEN, ha_pair, "that register") \
    W(OUT, ha_align, AU_MAX_ALLOC, NumAlloc, 2, WHEN, ha_valid, "its alignment") \
    W(OUT, used_slices, 1, 1, SliceCountBits, ALWAYS, -, "slices in use, see above") \
    W(OUT, used_regs, 1, 1, RegCountBits, ALWAYS, -, "physical registers in use, see above")
// clang-format on

#define ALLOC_UNIT_WIDTHS \
    const int BankBits = block_bits(Banks), EntryBits = block_bits(Entries), \
              WarpBits = block_bits(Warps), KernelBits = block_bits(NumKernels), \
              SliceCountBits = block_bits(4 * Banks * Entries + 1), \
              RegCountBits = block_bits(Banks * Entries + 1)

typedef struct AllocUnitIn {
    ALLOC_UNIT_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} AllocUnitIn;
typedef struct AllocUnitOut {
    ALLOC_UNIT_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} AllocUnitOut;

// Observation, obs_words 4. With G = ceil(Entries / 16), K = 5 open rows:
//   0 .. Banks*G-1           bank a / G, entries 16 * (a % G) ..: byte i of the words is entry i of
//                            the sixteen, as the map memory has it (rows that are open: old): bits
//                            3:0 slices in use, bit 4 reserved
//   then Banks * K           open row: word 0: bits 9:0 entry, 13:10 used, 14 reserved, 15 closing,
//                            16 valid (all 0 where not valid)
//   then Banks               word 0: level | wish valid << 4 | n << 5 | side << 8 | demand << 10 | victim << 12 |
//                            ptr << 16; n, side, demand are 0 where the wish is not valid;
//                            word 1, 2: flags full, some of the lowest 32 words; word 3: clear
//   then NumKernels * 64     hints of a register: word 0: 1:0 alignment, 2 paired, 8:3 buddy (0
//                            where not paired)
//   then 1                   word 0: turn | yield << 8; word 1: slices in use; word 2: registers in
//                            use; word 3: give registers occupied
extern const BlockModel alloc_unit_model;

// For bounds (rf_datapath_ideal), in the golden model alone. Every place is found at once, from now
// on: open rows, operations and give registers are not there (alloc_ideal.c).
void alloc_unit_ideal(void *self);
// Slices become free without a port.
void alloc_unit_give(void *self, uint32_t bank, uint32_t entry, uint32_t mask);

// In the golden model alone: without valid inputs no clock edge changes anything, outputs included.
bool alloc_unit_resting(const void *self);

#endif
