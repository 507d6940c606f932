// SPDX-License-Identifier: Apache-2.0
// One instruction as the stages use it, prepared once per launch (stages/decode_stage.c).
#ifndef SMCOSIM_SM_INST_H
#define SMCOSIM_SM_INST_H

#include "isa/isa.h"

#include <stddef.h>

enum { SM_OPERANDS = 3 };  // source registers of a micro-operation

// Ordering class of an LDST instruction.
typedef enum SmMemClass { SM_MEM_NOT, SM_MEM_READ, SM_MEM_WRITE, SM_MEM_ATOMIC } SmMemClass;

typedef struct SmInst {
    // Fields that issue and the operand path read: the first cache line.
    const IsaInst *isa;
    uint64_t reads, writes;  // registers
    uint64_t last;           // registers that are dead once it has read its operands
    uint8_t pred_reads, pred_writes;
    IsaPred guard, psrc[3];  // those of isa
    uint8_t unit;            // IsaUnit; control with register sources: ISA_UNIT_SP
    uint8_t mem;             // SmMemClass
    bool at_issue;           // executed at issue: no operands to collect
    // executed at issue, or on the scalar unit with scalar registers (GCN mode)
    bool scalar;
    bool is_control;    // the warp issues nothing until it is executed
    bool is_float;      // executed by a floating-point unit
    bool long_latency;  // its result is from global or local memory or an atomic
    bool global;        // may touch global memory
    // it waits for memory instructions of its warp: parts/order.c is queried
    bool keeps_order;
    // Words of scalar registers that it reads, op_reg[nops] and the next. All lanes read them,
    // behind the other operands.
    uint8_t broadcast;
    uint8_t nuops;  // micro-operations, of up to SM_OPERANDS source registers each
    uint8_t nwrites;
    uint8_t nops;  // distinct registers read
    uint8_t op_reg[ISA_MAX_SRC_WORDS];
    // Fields that execution and the write ports read.
    uint8_t dst_reg[ISA_MAX_DST_WORDS], dst_word[ISA_MAX_DST_WORDS];
    int8_t src_op[3][4];  // index into op_reg, -1: src_fixed
    int latency, interval;
    uint8_t nconsts;  // constant operands, by address in the constant cache
    uint32_t consts[3];
    const uint32_t *src_fixed[3][4];  // 32 equal words: immediate, constant, zero
} __attribute__((aligned(64))) SmInst;
_Static_assert(offsetof(SmInst, dst_reg) <= 64, "the first cache line");

// A program as the stages see it.
typedef struct SmProgram {
    SmInst *insts;
    int ninsts;
    int first_line;  // first line of its code in the instruction cache
} SmProgram;

#endif
