// SPDX-License-Identifier: Apache-2.0
// Contract of block coalescer, between the rename table and the operand collectors. It decides
// which source operands of an instruction share a read (thesis 2.4.3 and 2.5.3).
//
// Combinational, no state. Per cycle up to NumAlloc instructions, each with up to NumOps renamed
// operands. Instructions do not affect each other. Operand o of port a has index i = a * NumOps + o
// in every vector. `co_valid[i]`: the operand is read. Inputs are its architected register and its
// place: bank, entry, allocation mask (0000: the register was never written).
// Mode: 0 none, 1 same entry, 2 disjoint slices, 3 as 0.
//   Never written: an operand with mask 0000 needs no read in any mode: bit o of co_unread[a].
//   Same register: in modes 1 and 2, operands of one instruction with the same architected register
//     are one read, led by the lowest of them. In mode 0 each is read.
//   Pairs: two different registers share a read under these conditions.
//     Mode 1: they are in the same physical register (bank and entry equal).
//     Mode 2: they are in the same bank, and the AND of their masks is 0000, in any entries.
//     At most one pair per instruction, because a collector has two unpackers. It is the first
//     possible one of operands 0-1, 0-2, 1-2. Each operand represents its register: an operand that
//     repeats the register of a lower one pairs through that one.
// Each read is led by its lowest operand and appears at that operand's index.
//   `rd_valid[i]`: operand i leads a read (the need bit for the collector).
//   `rd_bank`, `rd_entry`, `rd_entry2`, `rd_sel`: for banked_rf. In a pair of mode 2, entry is the
//     leader's, entry2 the partner's, sel the partner's mask. Otherwise entry2 = entry and sel = 0.
//   `rd_mask1`, `rd_mask2`: for the unpacker: masks of leader and partner (0000: no partner).
//   `rd_ops1`, `rd_ops2`: operands of the instruction (bit per operand) that take the first and the
//     second value. Every needed operand is in exactly one of these or in co_unread.
// Per instruction, for counters:
//   `multi`: operands name two or more different registers.
//   `possible`: two of them, both written, would fit one entry (sizes sum to at most 4), regardless
//     of their places.
//   `coalesced`: two different registers are one read.
//   `merged`: one register named twice is one read.
// Never driven: operands of one instruction with the same register but different places. Different
//   registers whose masks overlap in one entry. A bank of Banks or more, an entry of Entries or
//   more.
// Left out: coalescing across instructions, more than two registers in one read.
//
// Diagram  R3 and R5 in disjoint slices of bank 1 are one read. R3 named twice is read once.
//          (NumAlloc=1 Banks=4 Entries=16)
//   cycle           0
//   co_mode         2
//   co_valid        7
//   co_reg[0]       3
//   co_reg[1]       5
//   co_reg[2]       3
//   co_bank[0]      1
//   co_bank[1]      1
//   co_bank[2]      1
//   co_entry[0]     4
//   co_entry[1]     9
//   co_entry[2]     4
//   co_mask[0]      3
//   co_mask[1]      c
//   co_mask[2]      3
//   rd_valid        1
//   rd_entry[0]     4
//   rd_entry2[0]    9
//   rd_sel[0]       c
//   rd_mask1[0]     3
//   rd_mask2[0]     c
//   rd_ops1[0]      5
//   rd_ops2[0]      2
//   co_coalesced    1
//   co_merged       1
#ifndef SMCOSIM_MODELS_COALESCER_H
#define SMCOSIM_MODELS_COALESCER_H

#include "models/block.h"

enum { CO_MAX_ALLOC = 4, CO_MAX_OPS = 3, CO_MAX = CO_MAX_ALLOC * CO_MAX_OPS };
enum { CO_NONE, CO_SAME_ENTRY, CO_DISJOINT };

// clang-format off
#define COALESCER_PARAMS(P) \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions per cycle") \
    P(NumOps, 3, 1, 3, "3", "operands per instruction") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")

#define COALESCER_PORTS(W, V) \
    W(IN, co_mode, 1, 1, 2, ALWAYS, -, "0 none, 1 same entry, 2 disjoint slices") \
    W(IN, co_valid, 1, 1, NumAlloc * NumOps, ALWAYS, -, "the operand is read") \
    W(IN, co_reg, CO_MAX, NumAlloc * NumOps, 6, ALWAYS, -, "architected register") \
    W(IN, co_bank, CO_MAX, NumAlloc * NumOps, BankBits, ALWAYS, -, "bank it lives in") \
    W(IN, co_entry, CO_MAX, NumAlloc * NumOps, EntryBits, ALWAYS, -, "entry it lives in") \
    W(IN, co_mask, CO_MAX, NumAlloc * NumOps, 4, ALWAYS, -, "allocation mask, 0 never written") \
    W(OUT, rd_valid, 1, 1, NumAlloc * NumOps, WORK, -, "the operand leads a read") \
    W(OUT, rd_bank, CO_MAX, NumAlloc * NumOps, BankBits, WHEN, rd_valid, "bank") \
    W(OUT, rd_entry, CO_MAX, NumAlloc * NumOps, EntryBits, WHEN, rd_valid, "entry, Address1") \
    W(OUT, rd_entry2, CO_MAX, NumAlloc * NumOps, EntryBits, WHEN, rd_valid, "entry, Address2") \
    W(OUT, rd_sel, CO_MAX, NumAlloc * NumOps, 4, WHEN, rd_valid, "slices that use Address2") \
    W(OUT, rd_mask1, CO_MAX, NumAlloc * NumOps, 4, WHEN, rd_valid, "mask of the leader") \
    W(OUT, rd_mask2, CO_MAX, NumAlloc * NumOps, 4, WHEN, rd_valid, "mask of the partner, 0 none") \
    W(OUT, rd_ops1, CO_MAX, NumAlloc * NumOps, NumOps, WHEN, rd_valid, "operands that take the first value") \
    W(OUT, rd_ops2, CO_MAX, NumAlloc * NumOps, NumOps, WHEN, rd_valid, "operands that take the second value") \
    W(OUT, co_unread, CO_MAX_ALLOC, NumAlloc, NumOps, ALWAYS, -, "operands never written: no read") \
    W(OUT, co_multi, 1, 1, NumAlloc, ALWAYS, -, "reads two or more registers") \
    W(OUT, co_possible, 1, 1, NumAlloc, ALWAYS, -, "two of them would fit one entry") \
    W(OUT, co_coalesced, 1, 1, NumAlloc, ALWAYS, -, "two of them are one read") \
    W(OUT, co_merged, 1, 1, NumAlloc, ALWAYS, -, "a register named twice is one read")
// clang-format on

#define COALESCER_WIDTHS const int BankBits = block_bits(Banks), EntryBits = block_bits(Entries)

typedef struct CoalescerIn {
    COALESCER_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} CoalescerIn;
typedef struct CoalescerOut {
    COALESCER_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} CoalescerOut;

// Observation: no state (count 0); obs_words 1.
extern const BlockModel coalescer_model;

#endif
