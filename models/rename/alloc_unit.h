// SPDX-License-Identifier: Apache-2.0
// Contract of block alloc_unit: the free register map and the allocation policies (thesis 2.4.3,
// 2.5.3, "Allocation Unit" and "Size changes" in 2.6).
//
// The map is one memory per bank with one read port and one write port. Requests allocate from a
// few open rows, which are registers. A scanner replaces open rows by rows of the map.
//   Row: a physical register, named by bank and entry. Place: a row and a mask of its slices.
//   Word: 8 rows, entries 8 i .. 8 i + 7 of a bank.
//
// ---- Guarantees
//   G1 A slice belongs to one register at a time. Only free slices are allocated.
//   G2 A register that keeps its size or shrinks needs no free slice. A register that grows uses
//      its own row when no other row has room. A request waits forever only if more architected
//      registers are live than rows exist and no slice is freed.
//   G3 Home bank: (register + warp) mod Banks. With policy 2: warp mod Banks. With cfg_order 1 and
//      another policy: 0. A request tries the banks cyclically from its home bank on. Policy 2
//      selects the first bank that may have a place. The request waits there until the scanner
//      finds a place or proves that the bank has none. The other policies select the first bank
//      with a place in an open row. They wait only if no bank has one.
//   G4 In a bank, partly used open rows precede wholly free ones. The scanner opens the lowest row
//      that fits the last request. Allocation is first fit, except for the rows already open (at
//      most five per bank).
//   G5 Policy 1: the first register of a pair gets a wholly free row while a bank has one. The
//      rest of that row is reserved for the buddy. The buddy is allocated there if it fits.
//      Policy 2: a register gets its hinted side while an open row of the bank has it free. A
//      wholly free row has both sides free.
//   G6 A first allocation without a buddy is served in its first cycle if an open row of its bank
//      fits. Two cases delay it: a port ahead contends for the same row, or a look or give of that
//      row executes. Growth in the own row is served in its first cycle if the bank selected a look
//      of the row (lk_*) in the previous cycle. Growth elsewhere is served in the cycle in which a
//      look shows that the own row has no room.
//
// ---- Configuration (changes while nothing is mapped)
//   `policy`: 0 first fit, 1 pair, 2 align. Presets packing and firstfit: 0; corf: 1; corf++: 2.
//   `cfg_grow`: rename.grow. Inplace = 0: a growing register stays in its row if its own slices and
//     the free ones suffice. Move = 1: it stays only when no other place exists.
//   `cfg_order`: rename.order. Rotate = 0, lowest = 1 (G3).
//   This block does not see rename.shrink. With hold, the writer sends rq_kind 0 (keep) instead of
//     1 and stores the value sign-extended over the old mask. With free, it sends 1.
//
// ---- State
//   Per bank:
//     `map`: 8 x {reserved 1, used 4} per word. The map's copy of an open row is stale.
//     `full`, `some`: flags of each word. The word may have a row, not open, that is wholly free /
//       partly used with room.
//     Open row k (0..4): valid, closing, entry, used, reserved.
//     Operation that executes: kind, entry, port, mask, stale, hits, word read. The hits are the
//       open rows that had its entry when it was selected. `moved`: see wish, below.
//     Write register: a row on its way to the map: valid, entry, contents.
//     Wish: valid, n (1..3), side (0, 1 left, 2 right), demand. `ptr`: a word, or Words.
//     `level` (1..4): a sweep found no partly used row with `level` or more free slices, except
//       open rows.
//     `victim` (0..4). `clear` (Words .. 0).
//   Per port:
//     Give registers: valid, bank, entry, mask. Free port f has indices f and NumFree + 2 NumWr +
//       f. Request port w has indices NumFree + w and NumFree + NumWr + w.
//     Request port w: `own_no`, `bd_no`: a look of the row found no room. `last`: only the own row
//       is left. `bd_in`: the port requested in the previous cycle and was not done. Bd place:
//       rq_bd_* of the previous cycle.
//   Global: `turn` (cycles with a request since reset, mod NumWr), `yield`, `yield_new`,
//     `any_full`, counts.
//   Below, `reserved` means: reserved and not yield. `whole`: an open row (valid) with no slice in
//     use.
//
// ---- Requests
//   rq_valid[w]: port w writes register rq_reg of warp rq_warp. `rq_size`: bytes needed (1..4).
//   `rq_old_*`: the present place of the register. Mask 0: unmapped. `rq_bd_*`: the place of its
//   buddy. Mask 0: unmapped. Hints: rq_align, rq_pair.
//   If a request is not done, the writer repeats it in the next cycle or drops it. A repeated
//   request may have other rq_bd_*. The answer (al_*) is valid in the same cycle and takes effect
//   at the clock edge.
//   `rq_kind` 0 keep:   al_mask is the old mask. Done. `al_how` 0.
//           1 shrink: al_mask is the highest rq_size ones of the old mask (policy 2 with rq_align
//                     left), else the lowest. Done if rq_ready[w]. `al_how` 0.
//           2 first, 3 grow: see below. They have a `side` with policy 2, rq_align 1 or 2, rq_size
//                     < 4.
//   `rq_ready[w]`: give register NumFree + w or NumFree + NumWr + w is empty (state).
//   Own row wanted: grow, and either last, or cfg_grow 0 and not own_no.
//   `paired`: policy 1, rq_pair, first or grow. Buddy `undecided`: paired, and either not bd_in, or
//     bd mask not 0 and not bd_no. Buddy's row wanted: undecided, bd_in, own row not wanted. That
//     row is in the bd place.
//   `known`: a row is wanted, and a look of port w with its entry executes in its bank (not stale).
//     Its free slices: of the open row if the look hits, else of the word read. Offer: the free
//     slices, and the old slices for a grow whose wanted row is its old row. Room: rq_size or more
//     slices in offer. A grow into the buddy's row also needs rq_ready[w]. `short`: fewer slices
//     than rq_size.
//     Own row, room: al_mask is the rq_size slices of the side if offer has them, else the lowest
//                    of offer. In the row, al_mask replaces the old slices. `al_how` 4. Done.
//     Buddy's row, room: al_mask is the lowest of offer. The row becomes unreserved. `al_how` 2.
//                    Done.
//     Short:         own_no (bd_no) is 1 from the next cycle on. A buddy's row becomes unreserved.
//                    The request uses the open rows in this cycle, unless the own row was wanted
//                    and the buddy is undecided.
//     Wanted, not known: the request waits.
//   `may_come`: first or grow. If the own row is wanted: buddy not undecided. Else: buddy not
//     undecided, or bd_in.
//   `comes`: may_come, and either no row is wanted or it is short.
//     Full wanted: paired, bd mask 0, rq_size < 4, any_full. Then only whole rows fit. Any_full
//       says that a bank might have had a wholly free row in the previous cycle.
//     `offered`: open row, not closing, not reserved, not hit by a look or give that executes
//       (stale or not).
//     `fits`: offered, and rq_size or more slices free (full wanted: whole).
//     `dry`: no flag full is 1, no fresh scan executes (stale or not), no row is closing, clear 0.
//     `may`: an offered row fits, or not dry, or (rq_size < 4, not full wanted) rq_size < level.
//     `any_full`: in some bank an offered row is whole, or the bank is not dry.
//     Bank: the first bank that may, with policy 2 or if no row of any bank fits. Else the first
//       bank where a row fits.
//     Row: of the rows that fit, those with the side's rq_size slices free, if any (the first
//       case). Partly used rows precede whole ones. Of equals, an even w takes the lowest k, an
//       odd w the highest.
//     `al_mask`: the side's slices in the first case, else the rq_size lowest free. Full wanted:
//       the row becomes reserved.
//     `al_how`: 3 if paired and bd mask not 0. Also 3 if paired, bd mask 0, rq_size < 4, not full
//       wanted. Also 3 if a side was not found. Else 1.
//     `contends`: may_come (known or not), a row of the bank fits, and first or rq_ready[w]. It
//       loses if a port that contends for the same row is ahead. Ahead: earlier in the cyclic
//       order turn, turn + 1, ..
//     Done: `comes`, contends, does not lose.
//   `al_none[w]`: `comes`, not full wanted, no bank may. Then last is 1 from the next cycle on,
//     until its own row is known. While an operation hits a row or the row is on its way to the
//     map, al_none can be 1 although that row has room.
//   `yield_new`: 1 in the cycle after al_none with policy 1, yield 0 and yield_new 0. `yield` is 1
//     from the following cycle on, until an open row of any bank is whole.
//   Old slices: a shrink and a grow release the old slices that al_mask does not keep. A grow by a
//     look in its old row releases none. The slices occupy give register NumFree + w if that is
//     empty, else NumFree + NumWr + w.
//   `own_no`, `bd_no`, `bd_in`, `last` of w are 0 after a cycle without a request of w or in which
//     it is done.
//
// Free: with fr_valid[f] and fr_ready[f], the slices of fr_mask occupy give register f if that is
//   empty, else NumFree + 2 NumWr + f. `fr_ready`: one of the two is empty (state).
// Look: lk_valid[w] with lk_bank, lk_entry names the row of the register that port w may request
//   in the next cycle.
//
// ---- Operations. A bank selects one per cycle and reads the word of its entry. The operation
// executes in the next cycle. Order:
//     `clear`  while clear > 0: nothing is selected. Word clear - 1 becomes 0. Clear decrements.
//     `replay` if the executing operation is stale: the same operation again.
//     `relook` the lowest w that wants a row here, while no look of w executes in any bank (stale
//              or not).
//     `close`  (If urgent) the entry of a row that is closing, while no close executes.
//     `scan`   (If urgent) see below.
//     `look`   the lowest w with lk_valid here. The others are lost.
//     `give`   the lowest give register of this bank. Selection empties it.
//     `close`, `scan`   if not urgent
//   Urgent: no open row is whole, or the wish is valid and a demand.
//   Scan: no scan executes (stale or not), and an open row is not valid. Fresh: fewer than two rows
//     are whole, and a flag full is 1. It reads the lowest such word. Else wish: the wish is valid.
//     It reads the lowest word at or after ptr with flag some. The entry is the word's first.
//   `stale`: in the cycle of selection one of three events changed the same word. A non-stale
//     operation with an entry of the word executed. Or the write register was valid with the word.
//     Or a row of the word left the open rows. A stale operation has no effect.
//   Execution:
//     `look`   If the row is `known` to a port, its contents become the request's result (unchanged
//              if the request waits). They update the open row that hits, else load the write
//              register.
//     `give`   Used becomes used - mask. If no slice remains in use, reserved becomes 0. It updates
//              the open row, else loads the write register.
//     `close`  The open row moves to the write register and becomes not valid.
//     `fresh`  It loads the lowest existing row of the word that is not open and unused, not
//              reserved. If the word has none, its flag full becomes 0.
//     `wish`   Candidates are the rows of the word that are not open, partly used (1 to 3 slices)
//              and not reserved. It loads the lowest candidate with n free slices (on the side, if
//              the wish has one), and the wish ends. If none fits, ptr becomes the next word,
//              unless `moved`. If the word has no candidate at all, its flag some becomes 0.
//              `moved`: a new wish, yield_new 1, or a flag some set by the write register. The
//              event counts from the first selection to the cycle before the execution.
//     A loaded row occupies the lowest k that is not valid.
//   Leave: an open row with all slices used moves to the write register and becomes not valid. It
//     must not be closing or a hit of the executing operation (stale or not). That operation must
//     not load the write register in the same cycle. Per cycle only the lowest such row leaves.
//   Write register: in its cycle the map is written. If no slice is in use, flag full of the word
//     becomes 1. If the row is partly used and not reserved: flag some becomes 1, level 4, and ptr
//     at most the word.
//   `yield_new`: all flags some become 1, level 4, ptr 0.
//   End of a sweep: the wish is valid, no scan executes, and no word at or after ptr has flag some.
//     Then the wish ends. Without a side, level becomes n if n is less. (A level 4 of the same
//     cycle wins.)
//   Wish: a bank derives its next wish from the requests of the previous cycle. Only those with
//     rq_size < 4 and not full wanted count. A port waited here (demand) if `comes` was 1 and no
//     row of this bank fitted. The bank was its choice, or its home bank and may. The lowest port
//     that waited precedes the lowest port that took slices of an open row here.
//     Demand: {rq_size, no side}, unless the wish is a valid demand with the same n. Otherwise
//     {rq_size, side}, unless the wish is valid. A new wish sets ptr to 0. It overrides the other
//     updates of the wish in the same cycle.
//   Closing: it starts if all rows are valid, none is closing, and a row is needed. A row is needed
//     for a fresh scan (fewer than two whole, a flag full) or for a valid wish. From the next cycle
//     on, the lowest reserved row is closing. If no row is reserved, the first partly used row from
//     victim on, cyclically, is closing, and victim becomes its successor. Whole and full rows
//     never close.
//
// Pairs: the reserved row is found by the buddy's place, which the rename table delivers. A
//   register latches the place, the next cycle reads its word, and the one after uses it. An
//   unmapped buddy therefore delays an allocation by one cycle, a mapped buddy by two.
// High fill: the flags of a bank show before any request that it has no wholly free row. If no open
//   row fits a request with rq_size < 4, its demand sweeps the words with flag some. The sweep
//   takes two cycles per word, at most 64 with 256 entries. Policy 2 waits for the sweep. Other
//   policies wait only when no bank has an open row that fits. After the sweep, level answers until
//   slices are freed in the bank.
// No deadlock: with at most Banks * Entries live registers, each other register occupies at most
//   one row. So a row is empty, or holds only the requesting register. An empty row is open, its
//   flag full is 1, or it is in a give or write register for a few cycles. While no open row is
//   whole, fresh scans precede looks and gives, and relooks end (one per wanted row). A scan
//   therefore finds the empty row, and requests wait for a bank that is not dry.
//   Otherwise al_none sets last. The own row is then looked up first and has room for four bytes.
//   Gives wait for looks, but only new results cause looks.
//   A stale rq_bd_* (the buddy has moved) costs a chance to coalesce, never correctness, because
//   the map alone decides.
//
// Hints: hl_valid loads a hint. `hl_op` 0 clears the hints of slot hl_kernel. Op 1: the buddy of
//   register hl_reg is hl_value. A pair is loaded as two of these. Op 2: the alignment of hl_reg is
//   the low 2 bits of hl_value (0 don't care, 1 left, 2 right, 3 don't care). Op 3: no effect.
//   `hq_valid[a]` (instruction port a) in cycle t reads the hints of a register. In t+1
//   ha_valid[a], ha_pair, ha_buddy (if bit a of ha_pair is 1) and ha_align answer with the hints of
//   cycle t.
// Counts: used_slices includes requests done and slices freed (fr) in cycle t from t+3 on.
//   `used_regs` counts rows with any slice in use. It includes requests served and gives executed
//   in t from t+2 on.
// Reset: no open row, flags full 1, some 0, level 4, no wish, ptr 0, victim 0, clear = Words.
//   No operation executes. Turn 0, yield 0, any_full 0, give and write registers empty, port state
//   0, counts 0, no hint answer, no hints. Buddies are not reset. The map is not reset: the write
//   register and the clear still write it in the cycle of the reset. The first place is allocated
//   Words + 3 cycles later.
// Ignored: inputs of a port without its valid bit. Outside policy 1: rq_bd_*, rq_pair. Outside
//   policy 2: rq_align.
// Never driven:
//   A size outside 1..4.
//   A rq_kind other than the old mask and rq_size imply, except 0 for 1.
//   A bank, entry, warp or kernel that does not exist, where it counts. It does not count in
//   rq_old_* and rq_bd_* with mask 0000.
//   An old place or a freed slice that is not in use. The same slice named twice at once, by two
//   frees, two old masks, or a free and an old mask.
//   `lk_*` of a row that does not exist.
// Left out: the walk over a warp's registers at its exit, which the owner of the rename table does.
//
// Clock: 1.58 ns at 45 nm. The path: a request's kind, the row that is looked up, the selected
// operation, the open row with its entry. At 700 MHz that is two cycles: looks and relooks are
// selected one cycle later. This model selects them in the cycle of their request.
// blocks.registered=rf_datapath is that timing in the SM. A result that needs a look (growth, or a
// buddy with a place) then reaches its writer one cycle later. bench/area/README.md has the
// measurement.
//
// Diagram  After reset the map is cleared. Then R0 gets one byte, grows to two in its row, and is
//          freed. (Banks=1 Entries=8 Warps=1 NumWr=1 NumFree=1 NumKernels=1 NumAlloc=1)
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

// Values of al_how:
// 0 in place (keep, shrink).
// 1 the place that the policy prefers.
// 2 the buddy's row.
// 3 any n slices, although the policy wanted alignment, a full register or the buddy's row.
// 4 its own register.
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
//   0 .. Banks*G-1           bank a / G, entries 16 * (a % G) .. Byte i of the words is entry i of
//                            the sixteen in the map memory (stale for open rows). It is 0 while
//                            its word is still to be cleared.
//                            Bits 3:0 slices in use, bit 4 reserved.
//
//   then Banks * K           open row (all 0 if not valid).
//                            Word 0: bits 9:0 entry, 13:10 used, 14 reserved, 15 closing, 16 valid.
//
//   then Banks               word 0: level | wish valid << 4 | n << 5 | side << 8 | demand << 10 | victim << 12 |
//                            ptr << 16. N, side, demand are 0 if the wish is not valid.
//                            Word 1, 2: flags full, some of the lowest 32 words. Word 3: clear.
//
//   then NumKernels * 64     hints of a register.
//                            Word 0: 1:0 alignment, 2 paired, 8:3 buddy (0 if not paired).
//
//   then 1                   word 0: turn | yield << 8. Word 1: slices in use. Word 2: registers in
//                            use. Word 3: occupied give registers.
extern const BlockModel alloc_unit_model;

// For bounds (rf_datapath_ideal), in the golden model alone. From this call on every place is found
// at once, without open rows, operations and give registers (alloc_ideal.c).
void alloc_unit_ideal(void *self);
// Frees slices without a port.
void alloc_unit_give(void *self, uint32_t bank, uint32_t entry, uint32_t mask);

// In the golden model alone: without valid inputs no clock edge changes anything, outputs included.
bool alloc_unit_resting(const void *self);

#endif
