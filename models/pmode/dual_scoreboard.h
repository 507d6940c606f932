// SPDX-License-Identifier: Apache-2.0
// Contract of block dual_scoreboard: the N- and the P-scoreboard of every warp, and its mode
// (P-mode paper, section 5, Figure 8).
//
// State per warp: N {pend, long} and P {pend, long} per architected register and, in seven more
// columns, per predicate. In N a predicate is never long, because no load writes one. Also: mode (0
// N, 1 P), trigger (a register). "Register" below includes predicates, unless the text says
// otherwise. A register in a board:
//
//   pend long
//    0    0    ready
//    1    0    a result of short latency is outstanding
//    1    1    a result of long latency is outstanding (N: a load was issued; P: so it was when
//              P-mode began)
//    0    1    P only: unknown in P-mode, because the instruction that writes it was skipped or is
//              a pre-load. No write of it will arrive. (Never in N.)
//
// Query: one port per scheduler: q_warp[s], q_board[s] (0 N, 1 P: as a rule the warp's mode),
//   q_src: registers read, q_dst: registers written. They are 64-bit masks, words 2s (registers
//   0..31) and 2s+1. Bits of NumRegs and above are ignored. `q_psrc`, q_pdst: predicates read (the
//   guard among them) and written.
//   An instruction that P-mode executes in some lanes only reads its old destination too: it is in
//   q_src and q_dst. If P-mode skips an instruction for another reason than a source (a store, a
//   barrier, out of reach), the query has no sources. Ready then means that no destination blocks
//   it.
//   The answer, for both modes, is valid in the same cycle. It includes this cycle's writebacks
//   (below):
//
//   N  ready   no register in q_src | q_dst is pend
//      long    a register in q_src | q_dst is long: the warp waits for memory, so switch to P-mode
//      skip    0
//   P  skip    a source is long, and no destination is pend without long
//      ready   no source is pend or long, and no destination is pend without long
//      long    a source is long
//
//   Neither ready nor skip: wait. A destination that is long does not block P-mode, because it is
//   renamed. One that is pend without long does, also for a skip, because a short result is in
//   flight to it. Two writes to one register are never outstanding, so that a writeback needs no
//   tag.
// Act: q_act[s], at the clock edge, for each register in q_dst[s] of that board:
//
//   N  1  issued, short latency:   N := {1,0}
//      2  issued, long latency:    N := {1,1}; predicates {1,0}
//   P  1  issued, renamed:         P := {1,0}
//      2  skipped, or a pre-load:  P := {0,1}   (long latency propagates along the chain)
//
//   0 or 3: no effect. A reused instruction (N-mode) passes the query and is done: act 0. The
//   boards do not check whether the verdict allows the act.
// Writeback: wb_valid[j]: register wb_reg[j] of warp wb_warp[j] is written. `wb_pmode[j]`: by an
//   instruction issued in P-mode. `pw_valid[j]`: predicates pw_mask[j] of warp pw_warp[j] are
//   written.
//   `pw_pmode[j]`: as wb_pmode. `pw_reach[j]` in the same cycle: the predicates whose value P-mode
//   reads from now on (by N: see below; by P: all of pw_mask). The SM holds P-mode's predicates.
//   By N: N := {0,0}. In mode P, if P is pend with the same long bit as N had: P := {0,0}. The
//     value that P-mode would read has arrived. Otherwise P-mode has since renamed or skipped the
//     register, and P stays. `{1,0}` beside N {1,1} is a renamed write, {0,1} a skip.
//     While the mode is N, P stays.
//   By P: P := {0,0}, and N stays.
//   An act that sets the same register and board in the same cycle wins.
// Switch: sw_valid, sw_warp, sw_reg. `sw_ok` in the same cycle, under these conditions:
//   N of sw_reg is long, and no writeback by N in this cycle ends that. Otherwise no writeback
//   would end P-mode. No clear names the warp.
//   Mode N: no P.pend of the warp is left from the previous session (all its renamed writes have
//     arrived). Then mode := 1, trigger := sw_reg, P := N. P includes the effects of act and
//     writeback on N at this clock edge. They do not act on P.
//   Mode P: always. Then trigger := sw_reg, no other change. This serves an instruction that waits
//     for two loads: when the first one arrives, the SM names the other.
//   If sw_ok is 0, the switch has no effect, and the SM retries. There is one switch per cycle. If
//   the triggers of two warps are written in one cycle while both wait for another load, one warp
//   returns to N-mode and switches anew.
// Back: back[j]: writeback j is by N, of the trigger register of a warp in P-mode (state). No sw_ok
//   or clear names that warp in this cycle. At the clock edge mode := 0, and P keeps of each
//   register only P-mode's outstanding writes. P.long := 0. P.pend := P.pend without P.long, and
//   without N's own short results (N {1,0}). All of this follows this cycle's act and writeback.
//   P-mode never changes the N-scoreboard, so that the return copies nothing.
// Clear: clr_valid: clr_warp: both boards {0,0}, mode 0, trigger 0. It overrides all else, for a
//   warp that begins or ends (with no result outstanding).
// Order of one cycle on one board: writebacks by N, writebacks by P, acts of ports 0, 1, .. Then
// the copy of a switch, the sweep of a switch back, clear.
// In mode P the trigger register is outstanding in N, so P-mode always ends.
// `mode[w]`: the mode bits (the paper's 48-bit vector).
// Reset: all boards {0,0}, mode 0, trigger 0.
// Never driven with its valid bit (q_act other than 0): a warp of NumWarps or more, a register of
// NumRegs or more.
// Left out: values of predicates, write-after-read (the SM tracks the outstanding reads), the SIMT
// stacks.
//
// Clock: 1.7 ns at 45 nm, from sw_warp to the P-boards. The N-board of one of all warps is copied
// to its P-board after the writes of the cycle. At 700 MHz a register holds the warp to switch one
// cycle earlier, and a switch takes two cycles. This model takes one. From state to state it is 1.5
// ns, queries answer in 1.4. The page `bench/area/README.md` has the measurement.
//
// Bits per warp: 2 boards of 2 * NumRegs = 126. The paper counts one of them, 126, as overhead (48
// warps: 756 bytes). It counts neither the long bits of the other, 63, nor the mode, 1. Added here
// are the trigger, 6, and the predicates, 3 * 7.
//
// Diagram  A load to R1 is outstanding. Its reader waits, so the warp enters P-mode and skips it.
//          It returns when R1 is written. (NumWarps=2 NumRegs=8 NumQuery=1 NumWr=1)
//   cycle        0   1   2   3   4   5
//   q_board      .   .   .   1   .   .
//   q_src[0]     .   2   .   2   .   .
//   q_dst[0]     2   4   .   4   .   .
//   q_act        2   .   .   2   .   .
//   q_ready      1   .   1   .   1   1
//   q_long       .   1   .   1   .   .
//   q_skip       .   .   .   1   .   .
//   sw_valid     .   .   1   .   .   .
//   sw_reg       .   .   1   .   .   .
//   sw_ok        .   .   1   .   .   .
//   wb_valid     .   .   .   .   1   .
//   wb_reg[0]    .   .   .   .   1   .
//   back         .   .   .   .   1   .
//   mode[0]      .   .   .   1   1   .
#ifndef SMCOSIM_MODELS_DUAL_SCOREBOARD_H
#define SMCOSIM_MODELS_DUAL_SCOREBOARD_H

#include "models/block.h"

enum { DS_MAX_WARPS = 64, DS_MAX_QUERY = 4, DS_MAX_WR = 4 };
enum { DS_PREDS = 7, DS_MAX_PW = 2 * DS_MAX_WR };
enum { DS_ACT_NONE = 0, DS_ACT_ISSUE = 1, DS_ACT_LONG = 2 };  // N: long issue; P: skip or pre-load

// clang-format off
#define DUAL_SCOREBOARD_PARAMS(P) \
    P(NumWarps, 48, 1, 64, "sm.warps", "warps, two boards each") \
    P(NumRegs, 63, 2, 63, "sm.regs_per_thread", "architected registers") \
    P(NumQuery, 2, 1, 4, "sm.schedulers", "instructions asked about and issued per cycle") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "results written per cycle")

#define DUAL_SCOREBOARD_PORTS(W, V) \
    W(IN, q_warp, DS_MAX_QUERY, NumQuery, WarpBits, ALWAYS, -, "scheduler s asks for this warp") \
    W(IN, q_board, 1, 1, NumQuery, ALWAYS, -, "in the P-scoreboard") \
    W(IN, q_src, DS_MAX_QUERY * 2, NumQuery * 2, 32, ALWAYS, -, "registers read, two words") \
    W(IN, q_dst, DS_MAX_QUERY * 2, NumQuery * 2, 32, ALWAYS, -, "registers written, two words") \
    W(IN, q_psrc, DS_MAX_QUERY, NumQuery, DS_PREDS, ALWAYS, -, "predicates read") \
    W(IN, q_pdst, DS_MAX_QUERY, NumQuery, DS_PREDS, ALWAYS, -, "predicates written") \
    W(IN, q_act, DS_MAX_QUERY, NumQuery, 2, ALWAYS, -, "1 issued; 2 issued long (N), skipped (P)") \
    W(IN, wb_valid, 1, 1, NumWr, ALWAYS, -, "a result is written") \
    W(IN, wb_pmode, 1, 1, NumWr, ALWAYS, -, "of an instruction issued in P-mode") \
    W(IN, wb_warp, DS_MAX_WR, NumWr, WarpBits, ALWAYS, -, "its warp") \
    W(IN, wb_reg, DS_MAX_WR, NumWr, RegBits, ALWAYS, -, "its register") \
    W(IN, pw_valid, 1, 1, NumPw, ALWAYS, -, "predicate results are written") \
    W(IN, pw_pmode, 1, 1, NumPw, ALWAYS, -, "of an instruction issued in P-mode") \
    W(IN, pw_warp, DS_MAX_PW, NumPw, WarpBits, ALWAYS, -, "its warp") \
    W(IN, pw_mask, DS_MAX_PW, NumPw, DS_PREDS, ALWAYS, -, "its predicates") \
    W(IN, sw_valid, 1, 1, 1, ALWAYS, -, "a warp enters P-mode, or waits for another load") \
    W(IN, sw_warp, 1, 1, WarpBits, ALWAYS, -, "that warp") \
    W(IN, sw_reg, 1, 1, RegBits, ALWAYS, -, "the register it waits for") \
    W(IN, clr_valid, 1, 1, 1, ALWAYS, -, "a warp begins or ends") \
    W(IN, clr_warp, 1, 1, WarpBits, ALWAYS, -, "that warp") \
    W(OUT, q_ready, 1, 1, NumQuery, ALWAYS, -, "it may issue") \
    W(OUT, q_long, 1, 1, NumQuery, WORK, -, "it depends on a result of long latency") \
    W(OUT, q_skip, 1, 1, NumQuery, ALWAYS, -, "P-mode skips it") \
    W(OUT, sw_ok, 1, 1, 1, WORK, -, "the switch takes place") \
    W(OUT, back, 1, 1, NumWr, WORK, -, "writeback j ends P-mode of its warp") \
    W(OUT, pw_reach, DS_MAX_PW, NumPw, DS_PREDS, ALWAYS, -, "predicates that P-mode reads from now on") \
    W(OUT, mode, DS_MAX_WARPS, NumWarps, 1, ALWAYS, -, "mode of warp w: 1 P")
// clang-format on

#define DUAL_SCOREBOARD_WIDTHS \
    const int WarpBits = block_bits(NumWarps), RegBits = block_bits(NumRegs), NumPw = 2 * NumWr

typedef struct DualScoreboardIn {
    DUAL_SCOREBOARD_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} DualScoreboardIn;
typedef struct DualScoreboardOut {
    DUAL_SCOREBOARD_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} DualScoreboardOut;

// Observation, obs_words 10, address w. Register r is bit r % 32 of word r / 32:
//   Words 0,1 N.pend. Words 2,3 N.long. Words 4,5 P.pend. Words 6,7 P.long.
//   Word 8: bit 0 mode, 8:1 trigger.
//   Word 9: predicates, 6:0 N.pend, 14:8 P.pend, 22:16 P.long.
extern const BlockModel dual_scoreboard_model;

#endif
