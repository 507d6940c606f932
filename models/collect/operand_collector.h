// SPDX-License-Identifier: Apache-2.0
// Contract of block operand_collector: the pool of single-port, three-operand collectors.
//
// State per collector: busy, unit, need (operands to read), granted, arrived. Bank and entry per
// operand, the next operand to request, NumOps rows of 1024 bits. Also the age order of busy
// collectors.
//
// Allocate: alloc_ready[0]: at least one collector is free. `alloc_ready[1]`: at least two are
//   (port a: a+1). `alloc_slot[a]` is the (a+1)-th lowest free collector. A port with alloc_valid
//   and alloc_ready allocates at the clock edge. If both ports allocate, port 0 is older. need = 0
//   is legal: ready in the next cycle. `alloc_valid` without ready is ignored.
// Request: each busy collector with needed operands not yet granted presents one of them:
//   rd_valid[c], rd_bank[c], rd_entry[c]. It starts with its lowest. In the cycle after a refused
//   request it presents the next higher outstanding operand (cyclically), so that one busy bank
//   does not block the others. Outputs depend on state alone.
// Collect: rd_grant[c] in cycle t marks the presented operand granted. In t+1 the bank b with
//   rd_data_valid[b] and rd_data_coll[b] == c delivers it. It is stored at that clock edge. So a
//   collector receives one operand per cycle (port serialization).
// Dispatch: a collector is ready when all needed operands have arrived. Dispatch port d offers the
//   oldest ready collector whose unit is d: disp_valid[d], disp_slot[d]. If bit d * NumOps + o of
//   disp_need is set, operand o is disp_data[d * NumOps + o]. With disp_ready[d] the collector is
//   freed at the clock edge and may be allocated in the next cycle.
// `older[c]`: collectors that hold an older instruction than busy collector c (0 when c is free).
// Reset: all collectors free.
// Ignored: rd_grant[c] without rd_valid[c]. Data for a collector without a grant in the previous
//   cycle.
// Never driven: a grant without its data one cycle later. Two banks that deliver to one collector.
//   A unit of NumDisp or more. A bank of Banks or more.
// Left out: coalescing and bypassing (blocks coalescer, bypass_collector).
//
// Diagram  An instruction with operands in banks 0 and 1. Bank 1 is busy in cycle 2.
//          (NumColl=2 NumAlloc=1 NumDisp=1 Banks=2 Entries=4)
//   cycle             0   1   2   3   4   5   6
//   alloc_valid       1   .   .   .   .   .   .
//   alloc_need        3   .   .   .   .   .   .
//   alloc_bank[1]     1   .   .   .   .   .   .
//   alloc_entry[0]    2   .   .   .   .   .   .
//   alloc_entry[1]    3   .   .   .   .   .   .
//   rd_valid          .   1   1   1   .   .   .
//   rd_bank[0]        -   .   1   1   -   -   -
//   rd_entry[0]       -   2   3   3   -   -   -
//   rd_grant          .   1   .   1   .   .   .
//   rd_data_valid     .   .   1   .   2   .   .
//   rd_data[0]        .   .   a   .   .   .   .
//   rd_data[1]        .   .   .   .   b   .   .
//   disp_valid        .   .   .   .   .   1   .
//   disp_data[0]      -   -   -   -   -   a   -
//   disp_data[1]      -   -   -   -   -   b   -
//   disp_ready        .   .   .   .   .   1   .
#ifndef SMCOSIM_MODELS_OPERAND_COLLECTOR_H
#define SMCOSIM_MODELS_OPERAND_COLLECTOR_H

#include "models/block.h"

enum { OC_MAX_COLL = 32, OC_MAX_ALLOC = 4, OC_MAX_DISP = 8, OC_MAX_OPS = 3, OC_MAX_BANKS = 32 };

// clang-format off
#define OPERAND_COLLECTOR_PARAMS(P) \
    P(NumColl, 16, 2, 32, "oc.collectors", "operand collectors") \
    P(NumOps, 3, 1, 3, "3", "operands per collector") \
    P(NumAlloc, 2, 1, 4, "oc.alloc_ports", "instructions accepted per cycle") \
    P(NumDisp, 4, 1, 8, "oc.dispatch_ports", "execution units, one dispatch port each") \
    P(Banks, 4, 1, 32, "rf.banks", "register file banks") \
    P(Entries, 256, 2, 1024, "rf.entries", "warp registers per bank")

#define OPERAND_COLLECTOR_PORTS(W, V) \
    W(IN, alloc_valid, 1, 1, NumAlloc, ALWAYS, -, "an instruction arrives") \
    W(IN, alloc_unit, OC_MAX_ALLOC, NumAlloc, UnitBits, ALWAYS, -, "dispatch port it waits for") \
    W(IN, alloc_need, OC_MAX_ALLOC, NumAlloc, NumOps, ALWAYS, -, "operands to read") \
    W(IN, alloc_bank, OC_MAX_ALLOC * OC_MAX_OPS, NumAlloc * NumOps, BankBits, ALWAYS, -, "bank") \
    W(IN, alloc_entry, OC_MAX_ALLOC * OC_MAX_OPS, NumAlloc * NumOps, EntryBits, ALWAYS, -, "entry") \
    W(IN, rd_grant, 1, 1, NumColl, ALWAYS, -, "the register file serves collector c") \
    W(IN, rd_data_valid, 1, 1, Banks, ALWAYS, -, "bank b delivers") \
    W(IN, rd_data_coll, OC_MAX_BANKS, Banks, CollBits, ALWAYS, -, "to this collector") \
    V(IN, rd_data, OC_MAX_BANKS, Banks, 1024, ALWAYS, -, "value, slice-major") \
    W(IN, disp_ready, 1, 1, NumDisp, ALWAYS, -, "unit d takes an instruction") \
    W(OUT, alloc_ready, 1, 1, NumAlloc, ALWAYS, -, "a collector is free for port a") \
    W(OUT, alloc_slot, OC_MAX_ALLOC, NumAlloc, CollBits, WHEN, alloc_ready, "that collector") \
    W(OUT, rd_valid, 1, 1, NumColl, ALWAYS, -, "collector c asks for one operand") \
    W(OUT, rd_bank, OC_MAX_COLL, NumColl, BankBits, WHEN, rd_valid, "bank of the operand") \
    W(OUT, rd_entry, OC_MAX_COLL, NumColl, EntryBits, WHEN, rd_valid, "entry of the operand") \
    W(OUT, older, OC_MAX_COLL, NumColl, NumColl, ALWAYS, -, "collectors older than c") \
    W(OUT, disp_valid, 1, 1, NumDisp, WORK, -, "an instruction is ready for unit d") \
    W(OUT, disp_slot, OC_MAX_DISP, NumDisp, CollBits, WHEN, disp_valid, "its collector") \
    W(OUT, disp_need, 1, 1, NumDisp * NumOps, ALWAYS, -, "operands that carry a value") \
    V(OUT, disp_data, OC_MAX_DISP * OC_MAX_OPS, NumDisp * NumOps, 1024, WHEN, disp_need, "operands, slice-major")
// clang-format on

#define OPERAND_COLLECTOR_WIDTHS \
    const int BankBits = block_bits(Banks), EntryBits = block_bits(Entries), \
              CollBits = block_bits(NumColl), UnitBits = block_bits(NumDisp)

typedef struct OperandCollectorIn {
    OPERAND_COLLECTOR_PORTS(BLOCK_W_IN, BLOCK_V_IN)
} OperandCollectorIn;
typedef struct OperandCollectorOut {
    OPERAND_COLLECTOR_PORTS(BLOCK_W_OUT, BLOCK_V_OUT)
} OperandCollectorOut;

// Observation, obs_words 32. Address c: status of collector c, all 0 while it is free.
//   Word 0: bit 0 busy, 3:1 need, 6:4 granted, 9:7 arrived, 14:12 unit. 11:10 next: the operand
//     presented (0 if none).
//   Word 1: older collectors.
//   Word 2 + o: bank << 16 | entry of operand o (0 if not needed).
// Address NumColl + c * NumOps + o: operand row (0 while not arrived).
extern const BlockModel operand_collector_model;

#endif
