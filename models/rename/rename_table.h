// SPDX-License-Identifier: Apache-2.0
// Contract of block rename_table: the place of each architected register of each warp (thesis 2.6,
// "Renaming Table").
//
// State: Warps x Regs mappings of {bank, entry, 4-bit allocation mask}: 10 + 4 = 14 bits in the
//   default shape. A register is unmapped until its first update and after a free. An unmapped
//   register reads as mask 0.
// Banking: one table bank per register file bank. With cfg_table 0, register r of warp w is in
//   table bank (r + w) mod Banks, row w * ceil(Regs / Banks) + r / Banks. With cfg_table 1, it is
//   in table bank w mod Banks, row (w / Banks) * Regs + r. A table bank has rows enough for both.
//   It is a dual-ported memory: per cycle port B does one read, port A one read or one write.
//   `port A`: writes (an update, a free, a free of the walk), and a read that finds port B taken.
//   `port B`: reads.
//   `order`: a table bank serves requests in this order:
//
//     1. Update (up).
//     2. Free (fr).
//     3. Lookup of a buddy (bd).
//     4. Lookup of a destination that waits (dst with dst_late).
//     5. Lookup of a source (src).
//     6. Lookup of another destination (dst without dst_late).
//     7. Walk of a warp exit.
//
//     A write takes port A. A read takes port B if it is free, else port A. A request without a
//     usable port is refused. So fr_ready depends on up, fr and state alone, and no write causes a
//     refusal of the first bd of a bank. The walk delays no request. It waits while lookups take
//     both ports of its banks, at most until the warps with these lookups end.
//
// Requests: ready answers in the same cycle (combinational). Ready = 0 is a port conflict: the
//   client repeats the request or withdraws it. A request that is ready in t takes effect at the
//   clock edge. A lookup returns its answer in t+1, for one cycle. The answer includes all updates
//   and frees (fr, walk) of t and of earlier cycles (write first).
//   `src`: lookup a * NumOps + o is operand o of the instruction at port a. Each lookup is granted
//     by itself, so that an instruction may get its operands in several cycles. Order: the
//     instruction port that is first, then cyclically. Within a port: the lower operand number.
//   `dst`: the instruction at port a looks up a register that it will write. `dst_late`: the
//     instruction already waits for this lookup. Both orders share one `first`.
//   `bd`: writer w looks up the buddy of its register.
//   `up`: writer w sets the mapping of its register. Of several on one table bank, the first is
//     ready. `up_mask` = 0 is never driven.
//   `first`: a number each for src and dst (an instruction port), bd and up (a writer). It is 0
//     after reset. The others follow cyclically. While any request of the first is refused, it
//     stays first. Otherwise the next refused one in cyclic order is first in the next cycle. If
//     none was refused, `first` does not change. Therefore no request starves behind its equals.
//   `freed`: NumFreed = min(Banks, 8) lanes. Table bank b sends its freed mappings to lane b mod
//     NumFreed. `freed_valid[l]` holds a mapping for the free map until freed_ready[l]. While it
//     holds, no bank of the lane frees anything.
//   `fr`: frees one register. If ready, the register is unmapped from the next cycle on. If it was
//     mapped, its mapping appears at its lane in the next cycle.
//   `ex`: a warp ended. A walk frees all its registers in groups of Banks registers with the same
//     r / Banks, always the first group with a mapped register. In each cycle every lane frees the
//     first mapped register of the group, in the order of its table banks. In one table bank the
//     lower register precedes. The lane frees only if port A of that bank is left and `fr` does not
//     take the lane in this cycle. The walk ends with the cycle that frees the last mapped register
//     (or if there was none). `ex_ready`: no walk is in progress. With cfg_table 1 all registers of
//     a warp are in one bank, so the walk frees one per cycle.
// Reset: all unmapped, no answer, no walk, nothing freed, all `first` 0.
// Never driven: a valid request with a warp of Warps or more, or a register of Regs or more. A
//   cfg_table that changes while a register is mapped or a walk is in progress.
// Cost: besides the 14-bit memories, one mapped bit per register in flip-flops. Because of these
//   bits reset and a free need no write port and the walk skips unmapped registers. Write first
//   costs a row comparator per bank.
// Left out: a check for two mappings of one place. Block alloc_unit never allocates a place twice.
//
// Diagram  R3 of warp 0 is mapped, looked up one cycle later, and freed. Then its place appears at
//          its lane. (Warps=2 Regs=8 Banks=2 Entries=16 NumAlloc=1 NumOps=1 NumWr=1)
//   cycle             0   1   2   3   4   5
//   up_valid          1   .   .   .   .   .
//   up_reg[0]         3   .   .   .   .   .
//   up_bank[0]        1   .   .   .   .   .
//   up_entry[0]       9   .   .   .   .   .
//   up_mask[0]        3   .   .   .   .   .
//   up_ready          1   .   .   .   .   .
//   src_valid         .   1   .   .   1   .
//   src_reg[0]        .   3   .   .   3   .
//   src_ready         .   1   .   .   1   .
//   src_answer        .   .   1   .   .   1
//   src_mapped        .   .   1   .   .   .
//   src_mask[0]       -   -   3   -   -   .
//   src_entry[0]      -   -   9   -   -   -
//   fr_valid          .   .   .   1   .   .
//   fr_reg            .   .   .   3   .   .
//   fr_ready          .   .   .   1   .   .
//   freed_valid       .   .   .   .   2   .
//   freed_entry[1]    -   -   -   -   9   -
//   freed_ready       .   .   .   .   3   .
#ifndef SMCOSIM_MODELS_RENAME_TABLE_H
#define SMCOSIM_MODELS_RENAME_TABLE_H

#include "models/block.h"

enum {
    RT_MAX_ALLOC = 4,
    RT_MAX_OPS = 3,
    RT_MAX_SRC = 12,
    RT_MAX_WR = 4,
    RT_MAX_BANKS = 32,
    RT_MAX_FREED = 8
};

// clang-format off
#define RENAME_TABLE_PARAMS(P) \
    P(Warps, 48, 1, 64, "sm.warps", "warps") \
    P(Regs, 63, 2, 64,  "sm.regs_per_thread", "architected registers per warp") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks, and banks of the table") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per register file bank") \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions looked up per cycle") \
    P(NumOps, 3, 1, 3, "3", "source operands per instruction") \
    P(NumWr, 2, 1, 4, "rf.write_ports", "writers")

#define RENAME_TABLE_PORTS(W, V) \
    W(IN, cfg_table, 1, 1, 1, ALWAYS, -, "table bank: 0 (register + warp), 1 warp mod Banks") \
    W(IN, src_valid, 1, 1, NumAlloc * NumOps, ALWAYS, -, "lookup of source a * NumOps + o") \
    W(IN, src_warp, RT_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "warp of instruction a") \
    W(IN, src_reg, RT_MAX_SRC, NumAlloc * NumOps, RegBits, ALWAYS, -, "register") \
    W(IN, dst_valid, 1, 1, NumAlloc, ALWAYS, -, "instruction a looks up a destination") \
    W(IN, dst_late, 1, 1, NumAlloc, ALWAYS, -, "it waits: before walk and sources") \
    W(IN, dst_warp, RT_MAX_ALLOC, NumAlloc, WarpBits, ALWAYS, -, "warp") \
    W(IN, dst_reg, RT_MAX_ALLOC, NumAlloc, RegBits, ALWAYS, -, "register") \
    W(IN, bd_valid, 1, 1, NumWr, ALWAYS, -, "writer w looks up a buddy") \
    W(IN, bd_warp, RT_MAX_WR, NumWr, WarpBits, ALWAYS, -, "warp") \
    W(IN, bd_reg, RT_MAX_WR, NumWr, RegBits, ALWAYS, -, "register") \
    W(IN, up_valid, 1, 1, NumWr, ALWAYS, -, "writer w sets a mapping") \
    W(IN, up_warp, RT_MAX_WR, NumWr, WarpBits, ALWAYS, -, "warp") \
    W(IN, up_reg, RT_MAX_WR, NumWr, RegBits, ALWAYS, -, "register") \
    W(IN, up_bank, RT_MAX_WR, NumWr, BankBits, ALWAYS, -, "bank it lives in from now on") \
    W(IN, up_entry, RT_MAX_WR, NumWr, EntryBits, ALWAYS, -, "entry") \
    W(IN, up_mask, RT_MAX_WR, NumWr, 4, ALWAYS, -, "byte slices") \
    W(IN, fr_valid, 1, 1, 1, ALWAYS, -, "a register is freed") \
    W(IN, fr_warp, 1, 1, WarpBits, ALWAYS, -, "warp") \
    W(IN, fr_reg, 1, 1, RegBits, ALWAYS, -, "register") \
    W(IN, ex_valid, 1, 1, 1, ALWAYS, -, "a warp ended") \
    W(IN, ex_warp, 1, 1, WarpBits, ALWAYS, -, "warp") \
    W(IN, freed_ready, 1, 1, NumFreed, ALWAYS, -, "the freed mapping of lane l is taken") \
    W(OUT, src_ready, 1, 1, NumAlloc * NumOps, ALWAYS, -, "the lookup is done") \
    W(OUT, dst_ready, 1, 1, NumAlloc, ALWAYS, -, "the lookup is done") \
    W(OUT, bd_ready, 1, 1, NumWr, ALWAYS, -, "the lookup is done") \
    W(OUT, up_ready, 1, 1, NumWr, ALWAYS, -, "the update is done") \
    W(OUT, fr_ready, 1, 1, 1, ALWAYS, -, "the free is done (0 where not valid)") \
    W(OUT, ex_ready, 1, 1, 1, ALWAYS, -, "no walk is going on") \
    W(OUT, src_answer, 1, 1, NumAlloc * NumOps, ALWAYS, -, "answer to a lookup of the last cycle") \
    W(OUT, src_mapped, 1, 1, NumAlloc * NumOps, WORK, -, "the register is mapped") \
    W(OUT, src_mask, RT_MAX_SRC, NumAlloc * NumOps, 4, WHEN, src_answer, "byte slices, 0: unmapped") \
    W(OUT, src_bank, RT_MAX_SRC, NumAlloc * NumOps, BankBits, WHEN, src_mapped, "bank") \
    W(OUT, src_entry, RT_MAX_SRC, NumAlloc * NumOps, EntryBits, WHEN, src_mapped, "entry") \
    W(OUT, dst_answer, 1, 1, NumAlloc, ALWAYS, -, "answer to a lookup of the last cycle") \
    W(OUT, dst_mapped, 1, 1, NumAlloc, WORK, -, "the register is mapped") \
    W(OUT, dst_mask, RT_MAX_ALLOC, NumAlloc, 4, WHEN, dst_answer, "byte slices, 0: unmapped") \
    W(OUT, dst_bank, RT_MAX_ALLOC, NumAlloc, BankBits, WHEN, dst_mapped, "bank") \
    W(OUT, dst_entry, RT_MAX_ALLOC, NumAlloc, EntryBits, WHEN, dst_mapped, "entry") \
    W(OUT, bd_answer, 1, 1, NumWr, ALWAYS, -, "answer to a lookup of the last cycle") \
    W(OUT, bd_mapped, 1, 1, NumWr, WORK, -, "the register is mapped") \
    W(OUT, bd_mask, RT_MAX_WR, NumWr, 4, WHEN, bd_answer, "byte slices, 0: unmapped") \
    W(OUT, bd_bank, RT_MAX_WR, NumWr, BankBits, WHEN, bd_mapped, "bank") \
    W(OUT, bd_entry, RT_MAX_WR, NumWr, EntryBits, WHEN, bd_mapped, "entry") \
    W(OUT, freed_valid, 1, 1, NumFreed, WORK, -, "a mapping to give back") \
    W(OUT, freed_bank, RT_MAX_FREED, NumFreed, BankBits, WHEN, freed_valid, "bank") \
    W(OUT, freed_entry, RT_MAX_FREED, NumFreed, EntryBits, WHEN, freed_valid, "entry") \
    W(OUT, freed_mask, RT_MAX_FREED, NumFreed, 4, WHEN, freed_valid, "byte slices")
// clang-format on

#define RENAME_TABLE_WIDTHS \
    const int WarpBits = block_bits(Warps), RegBits = block_bits(Regs), \
              BankBits = block_bits(Banks), EntryBits = block_bits(Entries), \
              NumFreed = Banks < RT_MAX_FREED ? Banks : RT_MAX_FREED

typedef struct RenameTableIn {
    RENAME_TABLE_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} RenameTableIn;
typedef struct RenameTableOut {
    RENAME_TABLE_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} RenameTableOut;

// Observation, obs_words 4. Address warp * Regs + register: word 0 = 1 << 31 | mask << 24 |
// bank << 16 | entry, 0 while unmapped. Address Warps * Regs:
//   Word 0: bits 3:0 src port that is first, 11:8 dst port, 19:16 up writer, 27:24 bd writer.
//   Word 1: walk: 1 << 31 | warp, 0 without a walk.
// Address Warps * Regs + 1 + l: word 0 = the freed mapping of lane l as above, 0 if none.
extern const BlockModel rename_table_model;

// For bounds (rf_datapath_ideal), in the golden model alone. The first makes the ports unlimited.
// The second removes a mapping from the table at once and returns its mask (0: unmapped).
void rename_table_ideal(void *self, bool unlimited);
uint32_t rename_table_take(void *self, uint32_t warp, uint32_t reg, uint32_t *bank,
                           uint32_t *entry);

#endif
