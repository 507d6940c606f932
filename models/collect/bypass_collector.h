// SPDX-License-Identifier: Apache-2.0
// Contract of block bypass_collector: a pool of bypassing operand collectors (BOCs), one per warp,
// after BOW (thesis chapter 3). A BOC keeps the registers that the last Window instructions of its
// warp named, forwards them to the instructions that follow, and keeps results, so that the
// register file (RF) sees only the rest.
//
// State of BOC c
//   slots   Window of them, one per instruction, used in turn. `head` is the slot that the next
//           instruction reuses, which is the oldest; the one before it is the newest. A slot holds
//             waiting    its instruction has not been dispatched, and then: unit; need; the row of
//                        each needed operand;
//                        follows: older slots that must leave first
//             awaited    up to 4 destination words, registers base, base + 1, ..: a bit for each
//                        whose result is to come
//   rows    Values of them, 1024 bits each. A row is free when it is neither in the window nor
//           marked save. Else it has the register (6 bits) that it holds, and
//             window     it is in the window; then slot: that of the last instruction that named
//                        the register
//             ask        its value is to be read from the RF and no read has been granted yet
//             dirty      newer than the RF
//             only       dirty, and the RF never gets it (bits 10)
//             save       dirty, not only, and it has left the window (or had): to be written to the
//                        RF
//             reserved   for a 10 result to come
//             empty      reserved, and no value is in it yet
//   coming  a row was granted in the cycle before (at most one); its value arrives in this cycle
//   read    pointer: where the choice of the row to be read starts
//   next    pointer: where taking and saving start, so that rows are taken and saved about first-in
//           first-out
//   refused units that have refused the BOC since they last took something from it
//   held    a save was held back in the cycle before
//   pressed press[c] was driven in the cycle before
// A row is pending when it is to be read or coming. It is needed when an operand of a waiting
// instruction is in it. A row is in use when it is not free. "Behind row i" is row i + 1 modulo
// Values, "first from p" is the first of row p, p + 1, .. modulo Values; likewise for BOCs.
//
// Register names: a warp's registers 0 .. 63. The BOC knows neither bank nor entry; who reads,
// writes or saves looks the place up. No two rows in use have the same register, except in mode 3.
//
// mode      0 write-through: results are kept and written now; 1 write-back: kept, dirty; 2
//           compiler bits; 3 no forwarding: nothing is kept, each operand is read. Constant while
//           any BOC is not empty.
//
// A cycle. The following happens as if in this order. Outputs, and every choice below, follow from
// the state at the start of the cycle and the inputs mode and res_*, except where the text says
// "after".
//
// 1 Arrive   rd_data_valid[b] with rd_data_coll[b] == c: the row that is coming takes rd_data[b].
//            Other data is ignored.
// 2 Read     A BOC presents the first row with ask from `read` (rd_valid, rd_reg, which is 0
//            otherwise); `read` then moves behind it, granted or not. With rd_grant[c] the row is
//            coming in the next cycle and asks no more.
//            rd_first: the BOC whose request the RF should prefer, then the others in cyclic order.
//            In a cycle in which any BOC asks it moves to the next BOC, unless the BOC where it is
//            asks and is not granted.
// 3 Dispatch An instruction is ready when none of its operands' rows is pending and all slots it
//            follows have left. A BOC offers at most one instruction per cycle: the oldest ready
//            one whose unit is not in `refused`; if there is none, `refused` counts as empty and it
//            is the oldest ready one (see 4 for when it is withheld). Dispatch port d takes the
//            first BOC from its pointer that offers an instruction for unit d: disp_valid,
//            disp_coll, disp_slot; operand o of it is disp_data where bit d * NumOps + o of
//            disp_need is set. With disp_ready[d] the instruction has left, `refused` of that BOC
//            is empty and the pointer is behind that BOC. A BOC whose offer is not taken, by
//            whatever cause, adds the unit to `refused` (to the empty set if that is how it chose).
// 4 Save     Candidate of a BOC: the first row with save from `next`; else, under pressure, the
//            first from `next` that is dirty and not only. Pressure: more than Values - NumOps rows
//            are dirty, or `pressed`. saving[c]: there is a candidate. The save shares the read
//            port of operand NumOps - 1: when the instruction of 3 needs that operand and there is
//            a candidate, only one of both is offered: the instruction unless `held`. `held` is
//            then set if the instruction was offered, and cleared in all other cases. BOC c saves
//            through write port c mod NumWr: the port takes the first of its BOCs from its pointer
//            that offers one. When the write is done (wr_save and wr_ready) the row is neither
//            dirty nor marked, it is free unless in the window, and the pointer is behind that BOC.
// 5 Kill     kill_valid[k]: the rows of BOC kill_coll[k] whose register is in kill_regs[k] (bit r
//            of 64, low word first) are free: dead values, of which nothing is to be written any
//            more.
// 6 Result   res_valid[p]: register res_reg[p] of BOC res_coll[p], in lanes res_lane[p]. Of several
//            results for one BOC the lowest port is served, the others are not ready. A result is
//            awaited when a slot awaits its register. It "has a row" when a row in use holds its
//            register. What becomes of the served one:
//              bits   01 {BOC, RF} as res_write in mode 2; 11 with `now` in mode 0, 11 in mode 1.
//                     Not awaited: 01, unless 00. Mode 3: written now, and nothing else happens but
//                     the end of awaiting. No lane: 00.
//              full   all lanes; or homeless and its row, if it has one, is not dirty
//              merge  not full, and it has a row that is dirty
//            (a) 00: done at once. If its row is reserved: not any more; an empty one is free.
//            (b) merge: the lanes go into the row. It stays dirty, is to be saved if it was at the
//                start of the cycle, is only if it was and res_write is 10, awaited or not. Not
//                written now.
//            (c) 11 or 10, full, with a row: the row takes all lanes; dirty (mode 0: clean), only
//                where bits are 10, save canceled.
//            (d) 11 or 10, not full, with a row that is clean and not empty: as (c), but only its
//            lanes change. (e) 11 or 10, full, without a row: takes a row (below), then as (c). If
//            none can be taken: written now. (f) else, which is 01, or some lanes for no row or an
//                empty one: written now, the row is free if it has one.
//            Mode 0 writes (c), (d) and (e) now as well. Homeless (res_homeless, only with bits
//            10): where (f) or the last case of (e) would write it, it is done and lost instead:
//            there is no place. The row is not reserved and not empty afterwards; a row taken by
//            (e) is in the window with the slot that awaited it, as all rows of an awaited word
//            are. Written now: through write port p, in competition with the save that port p took
//            in 4. The result wins unless turn[p]; the loser is not offered. After a conflict whose
//            winner was done (wr_ready) the loser has the turn: turn[p] is 1 when that is the save,
//            0 when it is the result. res_ready[p]: result p is served and (not written now, or
//            offered at its port). It is done at the clock edge when res_ready[p] and (not written
//            now, or wr_ready[p]); only then all of the above happens, and the word is not awaited
//            any more. Write port p: wr_valid, wr_save (it is a save, else result p), wr_coll,
//            wr_reg, wr_lane (all ones for a save), wr_data.
// 7 Enter    alloc_valid[a]: an instruction of BOC alloc_coll[a].
//            Its first or only part (not alloc_more) enters slot head; alloc_ready[c] says that
//            nothing waits there. The window moves: what this slot awaits is not awaited any more;
//            of the rows in the window with this slot those that are dirty and not only are marked
//            save and leave the window, the others are free. `head` moves on. A continuation
//            (alloc_more: an instruction with more than NumOps sources) enters the newest slot, in
//            which nothing waits; the window does not move. It has no destination words. Operands o
//            with alloc_need, in order: a register that has a row, or got one as a lower operand,
//            shares that row, even if it is only held for its save; else it takes a row, which is
//            in the window, with ask, clean. (A continuation may read a register that its first
//            part reserved: where the row that it shares is empty, it is not empty any more, with
//            ask, and still reserved.) Then alloc_words destination words from register alloc_dst
//            on, each awaited; with alloc_only (counts in mode 2 only) each has its row reserved:
//            the one it has, else it takes one, which is empty. All rows of registers that it
//            names, operands and words, are in the window with this slot. It waits, and follows
//            each slot that waits after step 3 with an operand whose register is one of its words
//            (WAR; where the scoreboard keeps WAR away, as by default, nothing ever follows).
//            alloc_pass: the same, but it reads nothing, is not dispatched, takes, awaits and
//            reserves nothing: it only names the rows that there are (branches; an instruction that
//            is switched off in all lanes). Mode 3: no register has a row, except by a lower
//            operand of the same instruction; words name none. fwd[a], in the cycle after: operands
//            that had a row before, not an empty one (0 for pass).
//   Taking   An entry takes, in this order: first from `next` the rows that are free or that the
//            window's move frees; then, first from `next`, rows that are clean and not pending, not
//            reserved and not needed. "Clean" etc. at the start of the cycle. It takes no row that
//            its operands are in or that it reserves, and not the row which the served result of
//            the same BOC (done or not) has or takes. A result takes likewise, but rows that the
//            window's move frees count as what they are without it. After the cycle `next` is
//            behind the row that was taken last: by the entry, or by a result that is done.
//   Room     alloc_room[c]: min(7, rows that the first part of an instruction could take),
//            more_room[c]: that a continuation could take (no window move). An entry fits when the
//            different registers among its operands and words to reserve that have no row of kind
//            only or reserved (after the window's move) are no more than the room, less 1 when a
//            result for the same BOC is valid in this cycle. That is safe, since a row of another
//            kind that it shares may be one of the room, and it is what an issue stage can know
//            that remembers BOC-only registers alone. It always fits in the end if these registers
//            of any part and all only and reserved rows are no more than Values. While alloc_ready
//            is 0, the move counts as if nothing waited: pending rows of slot head are in
//            alloc_room.
//   press[c] The next instruction of the warp does not fit for want of rows: dirty rows are saved
//            in the cycles after, so that it will.
// 8 Drop     drop[c]: the warp is gone. BOC c is as after reset, whatever else happens to it in
//            this cycle; a row granted in this cycle is not coming, an instruction that enters is
//            lost (fwd 0). A save or a result that is done is done.
// empty[c]: all rows are free and nothing waits.
// Forwarded over distance d: a register named d instructions ago has its row iff d < Window, or
// while its value waits to be saved, or until the row was taken for another register.
// Reset: nothing waits or is awaited, all rows are free, nothing is coming, sets are empty,
//        pointers, head, turns, held, pressed, fwd 0.
// Ignored: rd_grant without rd_valid, data for a BOC without a coming row, wr_ready and disp_ready
//        without valid; fields of ports that are not valid; operands that are not needed; res_write
//        and alloc_only outside mode 2; press without dirty rows.
// Never driven: two entries, or two kills, for one BOC in a cycle; an entry where the slot waits,
//        that does not find rows (where one that is not in the window, or leaves it now, counts as
//        gone, since it may be saved in this cycle), or a continuation without anything before it;
//        words beyond register 63 or more than 4; an operand or word (also of a pass) with a result
//        outstanding, unless that is done in this cycle or is of the same instruction's first part;
//        a result of a register that a waiting instruction needs or is yet to write; a kill of a
//        register that is needed, outstanding or done in this cycle; a grant without its data one
//        cycle later; two banks delivering to one BOC; a unit or BOC that does not exist; homeless
//        outside mode 2 or with bits other than 10; a change of mode while a BOC is not empty.
// Clock: 2.63 ns at 45 nm (typical corner, no wires; two BOCs, rows of 8 bits), where the SM's is
//        1.43 ns (700 MHz): a cycle of this text takes two of the SM. The path is what may happen
//        within one, in this order: a row that is coming makes its reader wait; so another
//        instruction is offered, or none, and the last read is free or not; so a save is offered
//        (4); so a result is not done at its port (6); so its row is not freed; so an entry finds
//        its registers elsewhere and takes other rows (7), the last of which is where `next` goes.
//        No single change of the contract gets below 1.43 ns: with the save's turn from a register
//        2.47 ns are left; with entries that find rows as they are at the start of the cycle 1.75
//        ns, and the reader of a result then enters a cycle later; with both 1.74 ns, an entry by
//        itself: from its port to its BOC, its lookup, the rows that it takes, `next`. One cycle
//        asks for all of it: results and entries a stage each, and rows picked in the cycle before.
//        With blocks.registered=bypass_collector the SM has the timing of these stages:
//        instructions and results reach the BOC a cycle later, one per cycle as before.
// Left out: forwarding between warps; forwarding a result in the cycle it arrives to a waiting
//        instruction (the scoreboard lets none wait); flush at the end of a basic block (a BOC is
//        right for any mask); which of a warp's registers have a place.
// Differs from the thesis: it evicts the oldest value, dirty or not; here dirty rows are saved
//        first and clean ones are taken. Its first-in first-out order is kept by one pointer: a
//        freed row does not queue behind the others.
//
// Diagram  R2 = R1 + R1 of warp 0, write-back: R1 is read once; its reader R3 = R2 + R1 gets both
//          from the BOC; nothing is written (NumColl=2 NumOps=2 NumAlloc=1 NumDisp=1 NumWr=1
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

// Observation, obs_words 32. What the text calls "while" reads 0 otherwise.
// address c             word 0       2:0 head; 7:3 read; 12:8 next; 13 coming, 18:14 its row; 19 held; 27:20 refused;
//                                    28 pressed
//                       word 1 + s   slot s: 0 waiting; while waiting 3:1 unit; 6:4 need; 13:7
//                                    follows; 16 + 5 o +: 5 row of operand o where needed
//                       word 8 + s   3:0 awaited words (bit 0: register base); while any: 9:4 base
// address NumColl + c   word i       row i, 0 while free: 0 window; 1 ask; 2 dirty; 3 only; 4 save; 5 reserved; 6
//                                    empty; 10:8 slot while in the window; 21:16 register
// address 2 NumColl + c * Values + i row i (0 while free, empty or pending)
// then one address      words 0..7   pointers of the dispatch ports; 8..11 pointers of the write ports; 12..15 turns;
//                                    16 rd_first; 17..20 fwd
extern const BlockModel bypass_collector_model;

#endif
