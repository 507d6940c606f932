// SPDX-License-Identifier: Apache-2.0
// Contract of block bypass_collector: a pool of bypassing operand collectors (BOCs), one per warp,
// after BOW (thesis chapter 3). A BOC holds the registers that the last Window instructions of its
// warp named. It forwards them to later instructions and holds results. The register file (RF)
// serves only the remaining accesses.
//
// State of BOC c
//   `slots`: Window of them, one per instruction, used in turn. The next instruction reuses slot
//     `head`, the oldest. The slot before it is the newest. A slot holds:
//     `waiting`: its instruction has not been dispatched. Then also: unit, need, the row of each
//       needed operand. `follows`: older slots that must leave first.
//     `awaited`: up to 4 destination words, registers base, base + 1, .. A bit marks each word
//       whose result is outstanding.
//   `rows`: Values of them, 1024 bits each. A row is free if it is neither in the window nor marked
//     save. Otherwise it has a register (6 bits) and these flags:
//     `window`: it is in the window. Then `slot`: of the last instruction that named the register.
//     `ask`: its value must be read from the RF, and no read has been granted yet.
//     `dirty`: newer than the RF.
//     `only`: dirty, and the RF never gets it (bits 10).
//     `save`: dirty, not only, and it left the window at some time. It must be written to the RF.
//     `reserved`: for an outstanding 10 result.
//     `empty`: reserved, without a value so far.
//   `coming`: a row was granted in the previous cycle (at most one). Its value arrives in this
//     cycle.
//   `read`: pointer: the choice of the row to read starts here.
//   `next`: pointer: taking and saving start here, so that both are about first-in first-out.
//   `refused`: units that have refused the BOC since its last dispatch.
//   `held`: a save was held back in the previous cycle.
//   `pressed`: press[c] was 1 in the previous cycle.
// A row is pending if it must be read or is `coming`. A row is needed if it holds an operand of a
// waiting instruction. A row is in use if it is not free. "Behind row i" is row i + 1 modulo
// Values. "First from p" is the first of row p, p + 1, .. modulo Values. The same terms apply to
// BOCs.
//
// Register names: a warp's registers 0 .. 63. The BOC sees neither bank nor entry. The client that
// reads, writes or saves looks the place up. Two rows in use never have the same register, except
// in mode 3.
//
// Mode 0 write-through: results are kept and written at once. Mode 1 write-back: results are kept,
// dirty. Mode 2: compiler bits. Mode 3 no forwarding: nothing is kept, and each operand is read.
// The mode is constant while any BOC is not empty.
//
// A cycle. The following steps act in this order. Outputs, and every choice below, follow from the
// state at the start of the cycle and the inputs mode and res_*. Exceptions say "after".
//
// 1 Arrive: rd_data_valid[b] with rd_data_coll[b] == c: the row that is `coming` takes rd_data[b].
//   Other data is ignored.
// 2 Read: a BOC presents the first row with ask from `read` (rd_valid, rd_reg, otherwise 0).
//   `read` then moves behind it, granted or not. With rd_grant[c] the row is `coming` in the next
//   cycle and its ask ends.
//   `rd_first`: the BOC whose request the RF should prefer, then the others in cyclic order. In a
//   cycle with a request of any BOC, it moves to the next BOC. It stays if its own BOC requests and
//   is not granted.
// 3 Dispatch: an instruction is ready if none of its operands' rows is pending and all slots that
//   it follows have left. A BOC offers at most one instruction per cycle, the oldest ready one
//   whose unit is not in `refused`. If there is none, `refused` counts as empty, and the BOC offers
//   the oldest ready one. Step 4 says when the offer is withheld. Dispatch port d takes the first
//   BOC from its pointer that offers an instruction for unit d: disp_valid, disp_coll, disp_slot.
//   If bit d * NumOps + o of disp_need is set, its operand o is disp_data. With disp_ready[d] the
//   instruction leaves, `refused` of that BOC is emptied, and the pointer moves behind that BOC. If
//   an offer is not taken, for any reason, the BOC adds the unit to `refused`. If `refused` counted
//   as empty, it then has only that unit.
// 4 Save: the candidate of a BOC is the first row with save from `next`. Without one, under
//   pressure, it is the first from `next` that is dirty and not only. Pressure: more than Values -
//   NumOps rows are dirty, or `pressed`. `saving[c]`: there is a candidate.
//   The save shares the read port of operand NumOps - 1. If the instruction of step 3 needs that
//   operand and there is a candidate, only one is offered: the instruction, unless `held`. `held`
//   is then set if the instruction was offered, and cleared in all other cases.
//   BOC c saves through write port c mod NumWr. The port takes the first of its BOCs from its
//   pointer that offers a save. When the write is done (wr_save and wr_ready), the row is neither
//   dirty nor marked. It is free unless in the window. The pointer moves behind that BOC.
// 5 Kill: kill_valid[k]: the rows of BOC kill_coll[k] whose register is in kill_regs[k] (bit r of
//   64, low word first) become free. Their values are dead and are never written.
// 6 Result: res_valid[p]: register res_reg[p] of BOC res_coll[p], in lanes res_lane[p]. Of several
//   results for one BOC the lowest port is served. The others are not ready. A result is awaited if
//   a slot awaits its register. It "has a row" if a row in use holds its register.
//   `bits` {BOC, RF}: res_write in mode 2, 11 in modes 0 and 1. If the result is not awaited: 01,
//     unless 00. Without a lane: 00. In mode 3 the result is written at once, and otherwise only
//     its awaiting ends.
//   `full`: all lanes. Also a homeless result whose row, if any, is not dirty.
//   `merge`: not full, and it has a row that is dirty.
//   The served result has one of these effects:
//     (a) 00: done at once. If its row is reserved, the reservation ends. An empty row becomes
//       free.
//     (b) `merge`: the row takes the written lanes. It stays dirty. Save remains as it was at the
//         start of the cycle. Only remains if it was set and res_write is 10, awaited or not. The
//         result is not written at once.
//     (c) 11 or 10, full, with a row: the row takes all lanes. It is dirty (mode 0: clean), `only`
//         exactly if bits are 10, and its save is canceled.
//     (d) 11 or 10, not full, with a row that is clean and not empty: as (c), but only its lanes
//         change.
//     (e) 11 or 10, full, without a row: it takes a row (see Taking), then as (c). If it cannot
//         take one, it is written at once.
//     (f) Otherwise (01, or some lanes for no row or an empty one): written at once. Its row, if
//         any, becomes free.
//   Mode 0 writes (c), (d) and (e) at once as well.
//   A homeless result (res_homeless, only with bits 10) has no place. Where (f) or the last case of
//   (e) would write it, it is done and lost instead.
//   After the result the row is neither reserved nor empty. A row taken by (e) is in the window
//   with the slot that awaited it, as all rows of an awaited word are.
//   Written at once: through write port p, in competition with the save that port p took in step 4.
//   The result wins unless turn[p]. The loser is not offered. If the winner of a conflict was done
//   (wr_ready), the loser has the next turn. `turn[p]` is 1 for the save, 0 for the result.
//   `res_ready[p]`: result p is served, and either not written at once or offered at its port. It
//   is done at the clock edge with res_ready[p], if it is not written at once or wr_ready[p] is 1.
//   Only then all of the above happens, and the awaiting of the word ends.
//   Write port p: wr_valid, wr_save (a save, else result p), wr_coll, wr_reg, wr_lane (all ones for
//   a save), wr_data.
// 7 Enter: alloc_valid[a]: an instruction of BOC alloc_coll[a].
//   Its first or only part (not alloc_more) enters slot head. `alloc_ready[c]`: no instruction
//   waits in that slot. The window moves: the awaiting of the slot's words ends, and the rows in
//   the window with this slot leave it. Those that are dirty and not only are marked save, and are
//   no longer reserved. The others become free. `head` advances.
//   A continuation (alloc_more) is a further part of an instruction with more than NumOps sources.
//   It enters the newest slot, in which no instruction waits. The window does not move. It has no
//   destination words.
//   Then the operands o with alloc_need, in order. If the register has a row, or got one as a lower
//   operand, the operand shares that row, even one held only for its save. Else it takes a row,
//   which is in the window, with ask, clean. A continuation may read a register that its first part
//   reserved. If the row it shares is empty, that row becomes not empty, with ask, still reserved.
//   Then alloc_words destination words from register alloc_dst on, each awaited. With alloc_only
//   (mode 2 only) each reserves a row: the row of its register, else it takes one, which is empty.
//   All rows of registers that it names, operands and words, are in the window with this slot.
//   It waits, and follows each slot that waits after step 3 with an operand among its words (WAR).
//   If the scoreboard prevents WAR, as by default, no instruction ever follows.
//   `alloc_pass`: the instruction only names existing rows. It reads nothing, is not dispatched,
//   and takes, awaits and reserves nothing. Branches, and instructions without an active lane,
//   pass.
//   Mode 3: no register has a row, except by a lower operand of the same instruction. Words name
//   none.
//   `fwd[a]`, in the next cycle: operands that already had a row, not an empty one (0 for pass).
//   Taking: an entry takes, first from `next`, the rows that are free or that the window's move
//     frees. After these it takes, first from `next`, rows that are clean and not pending, not
//     reserved and not needed. These flags are those at the start of the cycle. It does not
//     take the rows of its operands or the rows that it reserves. It does not take the row that the
//     served result of the same BOC (done or not) has or takes. A result takes likewise, but it
//     ignores the window's move. After the cycle `next` is behind the last row taken by the entry
//     or by a result that is done.
//   Room: `alloc_room[c]`: min(7, rows that the first part of an instruction could take).
//     `more_room[c]`: a continuation could take these (no window move).
//     An entry requires rows for the different registers among its operands and reserved words. A
//     register with an only or reserved row (after the window's move) does not count. The entry
//     fits if these are no more than the room, less 1 if a result for the same BOC is valid in this
//     cycle. This rule is safe, because a row of another kind that it shares may be one of the
//     room. An issue stage that tracks BOC-only registers alone can apply it. Every entry fits in
//     the end if these registers of any part and all only and reserved rows are no more than
//     Values.
//     While alloc_ready is 0, the move counts as if no instruction waited: pending rows of slot
//     head are in alloc_room.
//   `press[c]`: the next instruction of the warp does not fit for lack of rows. In the next cycles
//     dirty rows are saved, so that it will fit.
// 8 Drop: drop[c]: the warp has ended. BOC c is as after reset, regardless of all other steps. A
//   row granted in this cycle is not `coming`. An instruction that enters is lost (fwd 0). A save
//   or a result that is done is done.
// `empty[c]`: all rows are free and no instruction waits.
// Forwarding over distance d: a register named d instructions ago has its row if d < Window. It
// also has its row while its value waits for its save, and until another register takes the row.
// Reset: no instruction waits, no word is awaited, all rows are free, no row is `coming`, sets are
//   empty. Pointers, head, turns, held, pressed, fwd are 0.
// Ignored: rd_grant without rd_valid, data for a BOC without a `coming` row. Wr_ready and
//   disp_ready without valid. Fields of ports that are not valid. Operands that are not needed.
//   Res_write and alloc_only outside mode 2. Press without dirty rows.
// Never driven:
//   Two entries, or two kills, for one BOC in a cycle.
//   An entry while an instruction waits in the slot.
//   An entry that does not find rows. Here a row that is not in the window, or leaves it now, does
//   not count, because it may be saved in this cycle.
//   A continuation without a first part.
//   Words beyond register 63 or more than 4.
//   An operand or word (also of a pass) with a result outstanding. Allowed: the result is done in
//   this cycle or is of the same instruction's first part.
//   A result of a register that a waiting instruction needs or must still write.
//   A kill of a register that is needed, outstanding or done in this cycle.
//   A grant without its data one cycle later. Two banks that deliver to one BOC.
//   A unit or BOC that does not exist.
//   Homeless outside mode 2 or with bits other than 10.
//   A change of mode while a BOC is not empty.
// Clock: 2.63 ns at 45 nm (typical corner, no wires, two BOCs, rows of 8 bits). The SM's clock is
//   1.43 ns (700 MHz), so a cycle of this text takes two of the SM. The path follows the events of
//   one cycle in this order:
//     A row that is `coming` makes its reader wait.
//     So another instruction is offered, or none, and the last read port is free or not.
//     So a save is offered (4).
//     So a result is not done at its port (6).
//     So its row is not freed.
//     So an entry finds its registers elsewhere and takes other rows (7). `next` moves behind the
//     last of them.
//   No single change of the contract gets below 1.43 ns. With the save's turn from a register 2.47
//   ns are left. If entries find rows as they are at the start of the cycle, 1.75 ns are left. The
//   reader of a result then enters a cycle later. Both together leave 1.74 ns, for an entry by
//   itself: from its port to its BOC, its lookup, the rows that it takes, `next`.
//   A cycle of 1.43 ns requires all of it: a stage each for results and entries, and rows picked in
//   the previous cycle. With blocks.registered=bypass_collector the SM has the timing of these
//   stages:
//   instructions and results reach the BOC a cycle later, still one per cycle.
// Left out: forwarding between warps. Forwarding a result in the cycle it arrives to a waiting
//   instruction (the scoreboard lets none wait). Flush at the end of a basic block (a BOC is right
//   for any mask). The choice of a warp's registers that have a place.
// Differs from the thesis: the thesis evicts the oldest value, dirty or not. Here dirty rows are
//   saved first and clean ones are taken. One pointer keeps the first-in first-out order, so a
//   freed row does not queue behind the others.
//
// Diagram  R2 = R1 + R1 of warp 0, write-back: R1 is read once. Its reader R3 = R2 + R1 gets both
//          from the BOC. Nothing is written. (NumColl=2 NumOps=2 NumAlloc=1 NumDisp=1 NumWr=1
//          Window=2 Values=4 Banks=1)
//   cycle            0   1   2   3        4   5   6   7
//   mode             1   1   1   1        1   1   1   1
//   alloc_valid      1   .   .   .        .   1   .   .
//   alloc_need       3   .   .   .        .   3   .   .
//   alloc_src[0]     1   .   .   .        .   2   .   .
//   alloc_src[1]     1   .   .   .        .   1   .   .
//   alloc_words      1   .   .   .        .   1   .   .
//   alloc_dst        2   .   .   .        .   3   .   .
//   rd_valid[0]      .   1   .   .        .   .   .   .
//   rd_reg[0]        .   1   .   .        .   .   .   .
//   rd_grant[0]      .   1   .   .        .   .   .   .
//   rd_data_valid    .   .   1   .        .   .   .   .
//   rd_data          .   .   a   .        .   .   .   .
//   disp_valid       .   .   .   1        .   .   1   .
//   disp_need        .   .   .   3        .   .   3   .
//   disp_data[0]     -   -   -   a        -   -   b   -
//   disp_data[1]     -   -   -   a        -   -   a   -
//   disp_ready       .   .   .   1        .   .   1   .
//   res_valid        .   .   .   .        1   .   .   .
//   res_reg          .   .   .   .        2   .   .   .
//   res_write        .   .   .   .        3   .   .   .
//   res_lane         .   .   .   . ffffffff   .   .   .
//   res_data         .   .   .   .        b   .   .   .
//   res_ready        .   .   .   .        1   .   .   .
//   wr_valid         .   .   .   .        .   .   .   .
//   fwd              .   .   .   .        .   .   3   .
//   empty[0]         1   .   .   .        .   .   .   .
#ifndef SMCOSIM_MODELS_BYPASS_COLLECTOR_H
#define SMCOSIM_MODELS_BYPASS_COLLECTOR_H

#include "models/block.h"

enum {
    BOW_MAX_COLL = 64,
    BOW_MAX_OPS = 3,
    BOW_MAX_ALLOC = 4,
    BOW_MAX_DISP = 8,
    BOW_MAX_WR = 4,
    BOW_MAX_WINDOW = 7,
    BOW_MAX_VALUES = 28,
    BOW_MAX_BANKS = 32,
    BOW_WORDS = 4,
    BOW_MAX_ROOM = 7
};
enum { BOW_WRITE_THROUGH, BOW_WRITE_BACK, BOW_COMPILER, BOW_NO_FORWARD };  // mode

// clang-format off
#define BYPASS_COLLECTOR_PARAMS(P) \
    P(NumColl, 32, 2, 64, "oc.collectors", "bypassing collectors, one per warp") \
    P(NumOps, 3, 1, 3, "3", "operands per entry") \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions accepted per cycle") \
    P(NumDisp, 4, 1, 8, "oc.dispatch_ports", "execution units, one dispatch port each") \
    P(NumWr, 4, 1, 4, "rf.write_ports", "results per cycle, and writes to the register file") \
    P(Window, 3, 2, 7, "bow.window", "instructions of the window (IW)") \
    P(Values, 12, 4, 28, "bow.entries", "rows of one BOC: 4 per instruction, or half of that") \
    P(Banks, 32, 1, 32, "rf.banks", "register file banks")

#define BYPASS_COLLECTOR_PORTS(W, V) \
    W(IN, mode, 1, 1, 2, ALWAYS, -, "0 write-through, 1 write-back, 2 compiler bits, 3 no forwarding") \
    W(IN, alloc_valid, 1, 1, NumAlloc, ALWAYS, -, "an instruction enters") \
    W(IN, alloc_coll, BOW_MAX_ALLOC, NumAlloc, CollBits, ALWAYS, -, "its BOC") \
    W(IN, alloc_more, 1, 1, NumAlloc, ALWAYS, -, "continues the instruction before it") \
    W(IN, alloc_pass, 1, 1, NumAlloc, ALWAYS, -, "only names its registers") \
    W(IN, alloc_unit, BOW_MAX_ALLOC, NumAlloc, UnitBits, ALWAYS, -, "dispatch port it waits for") \
    W(IN, alloc_need, BOW_MAX_ALLOC, NumAlloc, NumOps, ALWAYS, -, "operands it has") \
    W(IN, alloc_src, BOW_MAX_ALLOC * BOW_MAX_OPS, NumAlloc * NumOps, 6, ALWAYS, -, "their registers") \
    W(IN, alloc_words, BOW_MAX_ALLOC, NumAlloc, 3, ALWAYS, -, "destination words, 0 to 4") \
    W(IN, alloc_dst, BOW_MAX_ALLOC, NumAlloc, 6, ALWAYS, -, "register of the first of them") \
    W(IN, alloc_only, 1, 1, NumAlloc, ALWAYS, -, "the words are for the BOC only (bits 10)") \
    W(IN, press, BOW_MAX_COLL, NumColl, 1, ALWAYS, -, "what comes next for BOC c lacks rows") \
    W(IN, rd_grant, BOW_MAX_COLL, NumColl, 1, ALWAYS, -, "the register file serves BOC c") \
    W(IN, rd_data_valid, 1, 1, Banks, ALWAYS, -, "bank b delivers") \
    W(IN, rd_data_coll, BOW_MAX_BANKS, Banks, CollBits, ALWAYS, -, "to this BOC") \
    V(IN, rd_data, BOW_MAX_BANKS, Banks, 1024, ALWAYS, -, "value, slice-major") \
    W(IN, res_valid, 1, 1, NumWr, ALWAYS, -, "a result arrives") \
    W(IN, res_coll, BOW_MAX_WR, NumWr, CollBits, ALWAYS, -, "BOC of its warp") \
    W(IN, res_reg, BOW_MAX_WR, NumWr, 6, ALWAYS, -, "its register") \
    W(IN, res_write, BOW_MAX_WR, NumWr, 2, ALWAYS, -, "compiler bits: 1 BOC, 0 register file") \
    W(IN, res_homeless, 1, 1, NumWr, ALWAYS, -, "the register has no place in the register file") \
    W(IN, res_lane, BOW_MAX_WR, NumWr, 32, ALWAYS, -, "lanes written") \
    V(IN, res_data, BOW_MAX_WR, NumWr, 1024, ALWAYS, -, "result, slice-major") \
    W(IN, wr_ready, 1, 1, NumWr, ALWAYS, -, "the register file takes the write") \
    W(IN, disp_ready, 1, 1, NumDisp, ALWAYS, -, "unit d takes an instruction") \
    W(IN, kill_valid, 1, 1, NumAlloc, ALWAYS, -, "registers are dead") \
    W(IN, kill_coll, BOW_MAX_ALLOC, NumAlloc, CollBits, ALWAYS, -, "BOC of their warp") \
    W(IN, kill_regs, BOW_MAX_ALLOC * 2, NumAlloc * 2, 32, ALWAYS, -, "set of them, low word first") \
    W(IN, drop, BOW_MAX_COLL, NumColl, 1, ALWAYS, -, "the warp is gone, forget everything") \
    W(OUT, alloc_ready, BOW_MAX_COLL, NumColl, 1, ALWAYS, -, "nothing waits in slot head") \
    W(OUT, alloc_slot, BOW_MAX_COLL, NumColl, SlotBits, ALWAYS, -, "slot head") \
    W(OUT, alloc_room, BOW_MAX_COLL, NumColl, 3, ALWAYS, -, "rows for the next instruction, up to 7") \
    W(OUT, more_room, BOW_MAX_COLL, NumColl, 3, ALWAYS, -, "rows for a continuation, up to 7") \
    W(OUT, fwd, BOW_MAX_ALLOC, NumAlloc, NumOps, WORK, -, "operands forwarded to what entered in the cycle before") \
    W(OUT, rd_valid, BOW_MAX_COLL, NumColl, 1, ALWAYS, -, "BOC c asks for one operand") \
    W(OUT, rd_reg, BOW_MAX_COLL, NumColl, 6, ALWAYS, -, "its register, else 0") \
    W(OUT, rd_first, 1, 1, CollBits, ALWAYS, -, "BOC that comes first where several ask") \
    W(OUT, disp_valid, 1, 1, NumDisp, ALWAYS, -, "an instruction is ready for unit d") \
    W(OUT, disp_coll, BOW_MAX_DISP, NumDisp, CollBits, WHEN, disp_valid, "its BOC") \
    W(OUT, disp_slot, BOW_MAX_DISP, NumDisp, SlotBits, WHEN, disp_valid, "its slot") \
    W(OUT, disp_need, 1, 1, NumDisp * NumOps, WORK, -, "operands that carry a value") \
    V(OUT, disp_data, BOW_MAX_DISP * BOW_MAX_OPS, NumDisp * NumOps, 1024, WHEN, disp_need, "operands, slice-major") \
    W(OUT, res_ready, 1, 1, NumWr, ALWAYS, -, "result p is done (if it is write p: with wr_ready)") \
    W(OUT, wr_valid, 1, 1, NumWr, ALWAYS, -, "a write to the register file") \
    W(OUT, wr_save, 1, 1, NumWr, WORK, -, "write p is a save, else result p") \
    W(OUT, wr_coll, BOW_MAX_WR, NumWr, CollBits, WHEN, wr_valid, "BOC") \
    W(OUT, wr_reg, BOW_MAX_WR, NumWr, 6, WHEN, wr_valid, "register") \
    W(OUT, wr_lane, BOW_MAX_WR, NumWr, 32, WHEN, wr_valid, "lanes written") \
    V(OUT, wr_data, BOW_MAX_WR, NumWr, 1024, WHEN, wr_valid, "value, slice-major") \
    W(OUT, saving, BOW_MAX_COLL, NumColl, 1, ALWAYS, -, "BOC c has a row to save") \
    W(OUT, empty, BOW_MAX_COLL, NumColl, 1, ALWAYS, -, "BOC c holds nothing")
// clang-format on

#define BYPASS_COLLECTOR_WIDTHS \
    const int CollBits = block_bits(NumColl), UnitBits = block_bits(NumDisp), \
              SlotBits = block_bits(Window)

typedef struct BypassCollectorIn {
    BYPASS_COLLECTOR_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} BypassCollectorIn;
typedef struct BypassCollectorOut {
    BYPASS_COLLECTOR_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} BypassCollectorOut;

// Observation, obs_words 32. A field with "while" reads 0 otherwise.
// Address c:
//   Word 0: 2:0 head, 7:3 read, 12:8 next, 13 `coming`, 18:14 its row. 19 held, 27:20 refused, 28
//     pressed.
//   Word 1 + s: slot s: 0 waiting. While waiting: 3:1 unit, 6:4 need, 13:7 follows, 16 + 5 o +: 5
//     row of operand o if needed.
//   Word 8 + s: 3:0 awaited words (bit 0: register base). While any: 9:4 base.
// Address NumColl + c:
//   Word i: row i, 0 while free: 0 window, 1 ask, 2 dirty, 3 only, 4 save, 5 reserved, 6 empty.
//     10:8 slot while in the window, 21:16 register.
// Address 2 NumColl + c * Values + i: row i (0 while free, empty or pending).
// Then one address:
//   Words 0..7: pointers of the dispatch ports. Words 8..11: pointers of the write ports. Words
//     12..15: turns. Word 16: rd_first. Words 17..20: fwd.
extern const BlockModel bypass_collector_model;

#endif
