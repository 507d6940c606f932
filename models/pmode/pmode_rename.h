// SPDX-License-Identifier: Apache-2.0
// Contract of block pmode_rename: two tables per warp, N and P. They map architected registers to
// the physical registers of pre-executed results (P-mode paper, sections 5.1 and 5.2).
//
// Ownership of a physical register (an id below NumPhy), in all of P-mode. An id has one owner at a
// time. Only the owner frees it or hands it on:
//   none                available in avail_vector.
//
//   P-queue entry       from the issue in P-mode, if the P-queue takes the instruction (push_ok).
//                       The P-table then only borrows the id: P-mode reads the value through it.
//
//   P-table entry       from the issue in P-mode, if the P-queue does not take it.
//
//   instruction buffer  from the pop at fetch in N-mode until the instruction issues.
//
//   N-table entry       from that issue (the reuse) on.
//
// The owner frees it in these cases:
//   the P-queue         when the warp enters P-mode again or ends with the entry still in the
//   queue.
//
//   the P-table         when P-mode writes the architected register again or skips a write to it,
//                       or the P-mode session or the warp ends.
//
//   the N-table         when N-mode writes the architected register again, all lanes of it, or
//                       another reuse replaces it, or the warp ends.
//
//   the SM              when it drops an instruction between pop and issue (a killed warp).
//
// A borrowed id cannot outlive its owner. The P-queue is popped in N-mode only, and P-mode's end
// removes all borrowed mappings from the P-table at once. If P-mode ends before a result arrives,
// its id is freed while its write is in flight. `avail_vector` holds such an id until the write is
// done.
//
// State per warp and architected register r: N {phy, renamed}, P {phy, renamed, own}. State per
// warp: close_p, close_n: the table is being taken down.
//
// Lookup: for each port i an instruction of warp lk_warp[i], lk_pmode[i]: the mode it runs in. Its
//   sources are lk_src[i*NumOps + o]. Its destination is lk_dst[i], with lk_pair[i] the pair
//   (lk_dst, lk_dst + 1), aligned: of an odd lk_dst only the first word counts. Answers in the same
//   cycle, from state alone: src_renamed / src_phy per source, dst_renamed[2i + k] / dst_phy[2i +
//   k] per word k of the destination. The dst answer is the present place of its value. An
//   instruction that writes some lanes only reads it there, regardless of the register that it
//   writes to.
//   P-mode reads the P-table, and without a mapping there the N-table. N-mode reads the N-table.
//   Without a mapping, or for a register of NumRegs or more, renamed is 0: the value is in the
//   architected register's own place. A table being taken down counts as empty.
// Set: set_valid[i]: at the clock edge the mappings of the words of lk_dst[i] of lk_warp[i] in the
//   table of lk_pmode[i] change. `set_kill[i]` = 0: to set_phy[2i + k], in P-mode with own :=
//   set_own[i] (0: the P-queue took the instruction). `set_kill[i]` = 1: to none.
//     `P, kill 0`: an instruction issues in P-mode. If it writes some lanes only, it reads the old
//       destination as one more source and writes all live lanes of the new register (merge).
//     `P, kill 1`: P-mode skips an instruction that writes the register (optional, because no
//       instruction reads its mapping).
//     `N, kill 0`: a reused instruction issues.
//     `N, kill 1`: an instruction issues in N-mode and writes all lanes of the register. One that
//       writes some lanes only must not kill. It writes to the place in dst_phy, so that the other
//       lanes keep their values.
//   The old mapping dies. `free_valid[2i + k]` with free_phy[2i + k] frees its id in the same
//   cycle, if it was renamed and, in the P-table, its own bit was set.
//   Ignored: a register of NumRegs or more, a table being taken down. Also a port when a lower one
//   with set_valid names the same warp (a warp issues one instruction per cycle).
//   Four words (a 128-bit load) are two sets of a pair, in two cycles, and the warp issues no
//   instruction in the second. So the mappings of all words end before a reader looks any of them
//   up.
// End: end_valid: the P-mode session of warp end_warp ends: borrowed mappings leave the P-table at
//   the clock edge, close_p := 1. `end_all`: the warp ends: close_n := 1 too. A set of the same
//   warp in the same cycle still acts (it precedes the end). The SM delays the end until the
//   operand reads of the session are done, because an id may be allocated again two cycles later.
// Take-down: each cycle, the lowest-numbered warp with close_p or close_n loses the mapping of its
//   lowest renamed register, its P-table first. Outputs: free_valid[2*NumIssue],
//   free_phy[2*NumIssue]. If that was the last one, or there was none (a cycle without free), the
//   close bit falls at the same edge. It frees one id per cycle, because one port reads the table
//   row by row. Decoding 63 ids at once would cost more gates than all else here.
// `busy[w]`: close_p or close_n of warp w. N-mode continues meanwhile (close_p only). The warp
// cannot enter P-mode again, and the slot cannot take a new warp.
// Outputs: src_*, dst_*, busy, free_*[2*NumIssue] from state and lk_*. The other free_* also from
// set_*.
// Reset: no register renamed, no table being taken down, own 0.
// Never driven with its valid bit (lookups always): a warp of NumWarps or more. The block passes
// ids on unchecked. The SM ensures that each has one owner.
// Left out: bank and entry of an id (models/pmode/avail_vector.h).
//
// Clock: 2.6 ns at 45 nm, the take-down. The path: the close bits, the choice of the warp, its
// lowest renamed register, that register's next state (2.5 ns to free_phy). At 700 MHz the choice
// of the warp is a cycle of its own, and an id is freed every second cycle. This model does all in
// one. Lookups (1.3 ns) and sets (1.43 ns) take one cycle. The page `bench/area/README.md` has the
// measurement.
//
// Bits per warp: 2 tables of NumRegs * (PhyBits + 1) = 2 * 63 * 8 = 1008, as in the paper (48
// warps: 6048 bytes). Added here: own 63 and two close bits.
//
// Diagram  P-mode writes R3 to id 2, which the table owns, and reads it. The session ends and the
//          id is freed. (NumWarps=2 NumRegs=8 NumPhy=4 NumIssue=1 NumOps=1)
//   cycle          0   1   2   3   4   5
//   lk_pmode       1   1   .   .   .   .
//   lk_src[0]      .   3   .   .   .   .
//   lk_dst[0]      3   .   .   .   .   .
//   set_valid      1   .   .   .   .   .
//   set_own        1   .   .   .   .   .
//   set_phy[0]     2   .   .   .   .   .
//   src_renamed    .   1   .   .   .   .
//   src_phy[0]     -   2   -   -   -   -
//   end_valid      .   .   1   .   .   .
//   free_valid     .   .   .   4   .   .
//   free_phy[2]    -   -   -   2   -   -
//   busy[0]        .   .   .   1   .   .
#ifndef SMCOSIM_MODELS_PMODE_RENAME_H
#define SMCOSIM_MODELS_PMODE_RENAME_H

#include "models/block.h"

enum { PR_MAX_WARPS = 64, PR_MAX_ISSUE = 4, PR_MAX_OPS = 3 };

// clang-format off
#define PMODE_RENAME_PARAMS(P) \
    P(NumWarps, 48, 1, 64, "sm.warps", "warps, two tables each") \
    P(NumRegs, 63, 2, 63, "sm.regs_per_thread", "architected registers") \
    P(NumPhy, 128, 1, 256, "pmode.registers", "physical registers of renaming") \
    P(NumIssue, 2, 1, 4, "oc.alloc_ports", "instructions renamed per cycle") \
    P(NumOps, 3, 1, 3, "3", "sources of an instruction")

#define PMODE_RENAME_PORTS(W, V) \
    W(IN, lk_warp, PR_MAX_ISSUE, NumIssue, WarpBits, ALWAYS, -, "instruction: its warp") \
    W(IN, lk_pmode, 1, 1, NumIssue, ALWAYS, -, "it runs in P-mode") \
    W(IN, lk_src, PR_MAX_ISSUE * PR_MAX_OPS, NumIssue * NumOps, RegBits, ALWAYS, -, "its sources") \
    W(IN, lk_dst, PR_MAX_ISSUE, NumIssue, RegBits, ALWAYS, -, "its destination") \
    W(IN, lk_pair, 1, 1, NumIssue, ALWAYS, -, "the destination has two words") \
    W(IN, set_valid, 1, 1, NumIssue, ALWAYS, -, "the mapping of the destination changes") \
    W(IN, set_kill, 1, 1, NumIssue, ALWAYS, -, "to none") \
    W(IN, set_own, 1, 1, NumIssue, ALWAYS, -, "P-mode: the table owns the register") \
    W(IN, set_phy, PR_MAX_ISSUE * 2, NumIssue * 2, PhyBits, ALWAYS, -, "new physical registers") \
    W(IN, end_valid, 1, 1, 1, ALWAYS, -, "a P-mode session ends") \
    W(IN, end_all, 1, 1, 1, ALWAYS, -, "the warp ends") \
    W(IN, end_warp, 1, 1, WarpBits, ALWAYS, -, "that warp") \
    W(OUT, src_renamed, 1, 1, NumIssue * NumOps, WORK, -, "the source is in a renamed register") \
    W(OUT, src_phy, PR_MAX_ISSUE * PR_MAX_OPS, NumIssue * NumOps, PhyBits, WHEN, src_renamed, "which") \
    W(OUT, dst_renamed, 1, 1, NumIssue * 2, WORK, -, "the word of the destination is in one") \
    W(OUT, dst_phy, PR_MAX_ISSUE * 2, NumIssue * 2, PhyBits, WHEN, dst_renamed, "which") \
    W(OUT, free_valid, 1, 1, NumIssue * 2 + 1, WORK, -, "a mapping died: by set, by take-down") \
    W(OUT, free_phy, PR_MAX_ISSUE * 2 + 1, NumIssue * 2 + 1, PhyBits, WHEN, free_valid, "its register") \
    W(OUT, busy, PR_MAX_WARPS, NumWarps, 1, ALWAYS, -, "tables of warp w are being taken down")
// clang-format on

#define PMODE_RENAME_WIDTHS \
    const int WarpBits = block_bits(NumWarps), RegBits = block_bits(NumRegs + 1), \
              PhyBits = block_bits(NumPhy)

typedef struct PmodeRenameIn {
    PMODE_RENAME_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} PmodeRenameIn;
typedef struct PmodeRenameOut {
    PMODE_RENAME_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} PmodeRenameOut;

// Observation, obs_words 1. By address:
//   `w * NumRegs + r`: bit 0 N renamed, 8:1 N phy, bit 9 P renamed, 17:10 P phy, bit 18 own. A phy
//     and own read 0 if not renamed.
//   `NumWarps*NumRegs + w`: bit 0 close_p, bit 1 close_n.
extern const BlockModel pmode_rename_model;

#endif
