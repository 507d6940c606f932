// SPDX-License-Identifier: Apache-2.0
// Contract of block assist_ctrl: the assist warp table and its controller (CABA 4.2, 4.3). An entry
// holds the routine that a warp runs at one priority (0 low, 1 high). It has the routine's number
// in the assist warp store, the next instruction to deploy, the end behind the last one, and the
// lanes. In each cycle the controller deploys one instruction of one entry.
//
// Sets of entries are four words: warp w at priority p is bit w % 32 of word 2p + w / 32. Bits of
// warps that do not exist are ignored, and 0 in outputs.
//
// Trigger: trig_valid[p]: the entry of trig_warp[p] at priority p is busy from t + 1 on, with
//   instruction 0 next. Never driven: an entry that is busy (busy, this cycle), trig_end 0.
// Issue: iss_valid[r]: an instruction of the entry has issued. With iss_jump (a taken branch)
//   iss_target is deployed next, already in this cycle. An issue pins the entry, at high priority
//   always, at low priority if it is a store (iss_store). A pinned entry of low priority is
//   deployed as one of high priority, already in this cycle. Never driven: an entry that is not
//   busy or was killed, one entry at two ports, a target above its end.
// Kill: kill: an entry that is busy and not pinned, with this cycle's issues, deploys nothing from
//   this cycle on. Other entries ignore it.
// Done: done: the entry is free from t + 1 on, and deploys nothing in t. An entry that is not busy
//   ignores it.
// Deploy: a candidate is a busy entry, not killed, not done, with an instruction left, and in ok.
//   Ok:
//   its buffer has room and, if the SM requires that, no hazard. At low priority and not pinned it
//   also needs low_room. Candidates of the first class, high or pinned, precede those of the
//   second. In a class the first warp from the class's pointer on, in a ring, wins. In a warp high
//   priority precedes low. `dep_valid`: this entry's routine, instruction and lanes (0 without).
//   From t + 1 on its following instruction is next, and its class's pointer is behind its warp.
//   `dep_two`: the following instruction is deployed too: the entry is in ok2, and the first
//   is not the last. The one behind both is next. (The paper deploys a few instructions of the
//   selected assist warp, at most as many as decode and issue handle in a cycle.)
//
// Cycles: 1: all of this. 2: a deployment sees only issues, kills and ends of earlier cycles. So
//   the rings are searched before a jump's target or a store's class is available. Never driven
//   then: an entry in ok that jumps, is killed or is done in the same cycle.
// From state alone:
//   `busy`.
//   `hold[w / 32]`, bit w % 32: the parent issues nothing, because its entry of high priority is
//     busy.
//   `over`: busy entries that deploy nothing more, killed or at their end.
// Order of a cycle: issue, kill, done, deploy, then trigger. Reset: no entry is busy, pointers 0.
// Left out: live-in and live-out registers, and the place of the line, because nothing here depends
// on them.
// Clock: 1.73 ns at 45 nm with Cycles 1, 1.49 with 2 (caba.ctrl_cycles). At 700 MHz it is 2, and 4
// % beyond the goal.
//
// Diagram  A routine of three instructions at high priority in warp 1, done in cycle 5. (NumWarps=4
//          NumIssue=1)
//   cycle                0   1   2   3   4   5   6
//   trig_valid           2   .   .   .   .   .   .
//   trig_warp[1]         1   .   .   .   .   .   .
//   trig_sr[1]           3   .   .   .   .   .   .
//   trig_end[1]          3   .   .   .   .   .   .
//   trig_mask[1]  ffffffff   .   .   .   .   .   .
//   ok[2]                .   2   2   2   2   2   .
//   iss_valid            .   .   1   1   1   .   .
//   iss_high             .   .   1   1   1   .   .
//   iss_warp[0]          .   .   1   1   1   .   .
//   done[2]              .   .   .   .   .   2   .
//   dep_valid            .   1   1   1   .   .   .
//   dep_sr               .   3   3   3   .   .   .
//   dep_inst             .   .   1   2   .   .   .
//   busy[2]              .   2   2   2   2   2   .
//   over[2]              .   .   .   .   2   2   .
//   hold[0]              .   2   2   2   2   2   .
#ifndef SMCOSIM_MODELS_ASSIST_CTRL_H
#define SMCOSIM_MODELS_ASSIST_CTRL_H

#include "models/block.h"

enum { ASSIST_MAX_WARPS = 64, ASSIST_MAX_ISSUE = 4, ASSIST_SR_BITS = 5, ASSIST_INST_BITS = 8 };

// P(name, default, least, most, config key, meaning); the Verilog parameter has the same name.
// clang-format off
#define ASSIST_CTRL_PARAMS(P) \
    P(NumWarps, 48, 1, 64, "sm.warps", "warps, two entries each") \
    P(NumIssue, 2, 1, 4, "sm.schedulers", "instructions issued per cycle") \
    P(Cycles, 1, 1, 2, "caba.ctrl_cycles", "from an issue, a kill or an end to a deployment behind it")

#define ASSIST_CTRL_PORTS(W, V) \
    W(IN, trig_valid, 1, 1, 2, ALWAYS, -, "a routine begins at priority p") \
    W(IN, trig_warp, 2, 2, WarpBits, ALWAYS, -, "in the slot of this warp") \
    W(IN, trig_sr, 2, 2, 5, ALWAYS, -, "its number in the store") \
    W(IN, trig_end, 2, 2, 8, ALWAYS, -, "its instructions") \
    W(IN, trig_mask, 2, 2, 32, ALWAYS, -, "its lanes") \
    W(IN, iss_valid, 1, 1, NumIssue, ALWAYS, -, "scheduler r has issued an instruction of an assist warp") \
    W(IN, iss_high, 1, 1, NumIssue, ALWAYS, -, "of high priority") \
    W(IN, iss_warp, ASSIST_MAX_ISSUE, NumIssue, WarpBits, ALWAYS, -, "of this warp") \
    W(IN, iss_store, 1, 1, NumIssue, ALWAYS, -, "it is a store") \
    W(IN, iss_jump, 1, 1, NumIssue, ALWAYS, -, "it is a branch that is taken") \
    W(IN, iss_target, ASSIST_MAX_ISSUE, NumIssue, 8, ALWAYS, -, "to this instruction") \
    W(IN, kill, 4, 4, 32, ALWAYS, -, "set: deploy no more") \
    W(IN, done, 4, 4, 32, ALWAYS, -, "set: the last instruction has been performed") \
    W(IN, ok, 4, 4, 32, ALWAYS, -, "set: the next instruction may be staged") \
    W(IN, ok2, 4, 4, 32, ALWAYS, -, "set: the next two may be staged") \
    W(IN, low_room, 1, 1, 1, ALWAYS, -, "the buffer of low priority has room") \
    W(OUT, dep_valid, 1, 1, 1, WORK, -, "an instruction is deployed") \
    W(OUT, dep_high, 1, 1, 1, ALWAYS, -, "of high priority") \
    W(OUT, dep_warp, 1, 1, WarpBits, ALWAYS, -, "of this warp") \
    W(OUT, dep_sr, 1, 1, 5, ALWAYS, -, "of this routine") \
    W(OUT, dep_inst, 1, 1, 8, ALWAYS, -, "this one") \
    W(OUT, dep_two, 1, 1, 1, ALWAYS, -, "and the one behind it") \
    W(OUT, dep_mask, 1, 1, 32, ALWAYS, -, "in these lanes") \
    W(OUT, busy, 4, 4, 32, ALWAYS, -, "set: entries in use") \
    W(OUT, over, 4, 4, 32, ALWAYS, -, "set: in use, nothing left to deploy") \
    W(OUT, hold, 2, 2, 32, ALWAYS, -, "parents that issue nothing")
// clang-format on

#define ASSIST_CTRL_WIDTHS const int WarpBits = block_bits(NumWarps)

typedef struct AssistCtrlIn {
    ASSIST_CTRL_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} AssistCtrlIn;
typedef struct AssistCtrlOut {
    ASSIST_CTRL_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} AssistCtrlOut;

// Observation, obs_words 2. Address p * NumWarps + w, 0 if it is not busy. Word 0: bit 0 busy, 1
// killed, 2 pinned, bits 4.. routine, 12.. next instruction, 20.. end. Word 1: lanes. Address 2 *
// NumWarps, word 0: pointer of the first class, bits 8.. of the second.
extern const BlockModel assist_ctrl_model;

#endif
