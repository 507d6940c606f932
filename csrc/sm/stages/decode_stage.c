// SPDX-License-Identifier: Apache-2.0
// The program, prepared once per launch: register sets, micro-operations and constant operands. The
// cycle loop therefore never reads the assembler form.
#include "sm/stages/decode_stage.h"

#include "config/exec_time.h"
#include "sm/parts/units.h"
#include "sm/state.h"

#include <string.h>

static const uint32_t zeros[ISA_LANES] __attribute__((aligned(64)));

// 32 equal words. Equal values share one array.
static const uint32_t *broadcast_value(Sm *sm, uint32_t value) {
    if (value == 0) return zeros;
    uint32_t *words = ARENA_ARRAY(&sm->kernel_arena, uint32_t, ISA_LANES);
    for (int l = 0; l < ISA_LANES; l++) words[l] = value;
    return words;
}

static bool constant_word(const Sm *sm, const IsaSrc *s, int word, uint32_t *value) {
    const GpuLaunch *launch = sm->launch;
    const uint8_t *bank = s->cbank == 0 ? launch->params
        : launch->layout                ? launch->layout->const_image
                                        : NULL;
    uint64_t bytes = s->cbank == 0 ? (uint64_t)launch->program->param_bytes
        : launch->layout           ? launch->layout->const_bytes
                                   : 0;
    uint64_t offset = s->imm + 4 * (uint64_t)word;
    uint8_t raw[4] = {0};
    // The last parameter may be narrower than the word that reads it.
    if ((s->cbank != 0 && s->cbank != 3) || offset >= bytes || !bank) return false;
    memcpy(raw, bank + offset, bytes - offset < 4 ? (size_t)(bytes - offset) : 4);
    memcpy(value, raw, 4);
    return true;
}

static int op_index(const SmInst *in, int reg) {
    for (int i = 0; i < in->nops + in->broadcast; i++)
        if (in->op_reg[i] == reg) return i;
    panic("register R%d is not among the operands of %s", reg, isa_op_info[in->isa->op].name);
}

static bool decode_sources(Sm *sm, SmInst *in, int index, Diag *d) {
    for (int i = 0; i < 3; i++) {
        const IsaSrc *s = &in->isa->src[i];
        for (int w = 0; w < 4; w++) {
            in->src_op[i][w] = -1;
            in->src_fixed[i][w] = zeros;
            if (s->kind == ISA_SRC_NONE || w >= s->width) continue;
            if (s->kind == ISA_SRC_REG) {
                if (s->reg != ISA_RZ && (in->nops || in->broadcast))
                    in->src_op[i][w] = (int8_t)op_index(in, s->reg + w);
                continue;
            }
            uint32_t value = w < 2 ? (uint32_t)(s->imm >> (32 * w)) : 0;
            if (s->kind == ISA_SRC_CONST && !constant_word(sm, s, w, &value))
                return diag_fail(d, EXIT_USAGE,
                                 "kernel %s: instruction %d reads constant bank %d at offset %llu, "
                                 "beyond its end",
                                 sm->launch->program->name, index, s->cbank,
                                 (unsigned long long)s->imm + 4 * (unsigned long long)w);
            in->src_fixed[i][w] = broadcast_value(sm, value);
        }
        if (s->kind == ISA_SRC_CONST)
            in->consts[in->nconsts++] = (uint32_t)s->imm + (s->cbank == 0 ? SM_PARAM_OFFSET : 0);
    }
    return true;
}

static bool has_register_source(const IsaInst *isa) {
    for (int i = 0; i < 3; i++)
        if (isa->src[i].kind == ISA_SRC_REG && isa->src[i].reg != ISA_RZ) return true;
    return false;
}

static SmMemClass memory_class(const IsaInst *isa) {
    switch (isa->op) {
    // Volatile, relaxed and acquire loads keep their order with the warp's other accesses, like
    // stores.
    case ISA_LD: return isa->ordered ? SM_MEM_WRITE : SM_MEM_READ;
    case ISA_LDC:
    case ISA_PREFETCH:
    case ISA_TOUCH:
    case ISA_TEX: return SM_MEM_READ;
    case ISA_ST:
    case ISA_SYSCALL: return SM_MEM_WRITE;
    case ISA_ATOM: return SM_MEM_ATOMIC;
    default: return SM_MEM_NOT;
    }
}

// Some paths find the destination of a result (`known`), or may retain the result (`passes`), when
// the instruction is collected. In such a path an instruction that writes a register enters a
// collector even if it reads none (bar.red).
static bool is_collected(const Sm *sm, SmInst *in) {
    if (isa_op_info[in->isa->op].unit != ISA_UNIT_CTRL) return true;
    // bar.warp.sync only asserts that the warp is converged here. A warp on this SM always is, so
    // the member mask is not read.
    if (in->isa->op == ISA_WARPSYNC) return false;
    return has_register_source(in->isa) ||
        ((sm->path->known || sm->path->passes) && isa_writes(in->isa, in->dst_reg));
}

static void decode_unit(const Sm *sm, SmInst *in) {
    const MachineConfig *cfg = sm->cfg;
    const IsaOpInfo *info = &isa_op_info[in->isa->op];
    const ExecTime time = config_exec_time(cfg, info->timing);
    in->is_float = info->timing == ISA_TIME_FP32 || info->timing == ISA_TIME_FDIV ||
        info->timing == ISA_TIME_FP64 || info->timing == ISA_TIME_DDIV ||
        info->timing == ISA_TIME_SFU || in->isa->op == ISA_FMNMX || in->isa->op == ISA_FSETP ||
        in->isa->op == ISA_HMNMX || in->isa->op == ISA_HSETP;
    in->latency = time.latency;
    in->interval = time.interval;
    const bool collected = is_collected(sm, in);
    in->scalar = in->isa->with_scalar && in->isa->op != ISA_BAR;
    in->at_issue = !collected || in->scalar;
    in->unit = (uint8_t)(in->scalar                                     ? UNIT_AT_ISSUE
                             : info->unit == ISA_UNIT_CTRL && collected ? ISA_UNIT_SP
                                                                        : info->unit);
    in->is_control = collected && (in->isa->op == ISA_BRX || info->unit == ISA_UNIT_CTRL);
}

// The scalar register or pair of a vector instruction follows the other operands and bypasses the
// collector.
static void split_broadcast(const IsaProgram *p, SmInst *in) {
    int n = 0, scalars = 0;
    uint8_t scalar[ISA_MAX_SRC_WORDS];
    for (int i = 0; i < in->nops; i++) {
        if (in->op_reg[i] >= p->nregs - p->scalar_regs) scalar[scalars++] = in->op_reg[i];
        else in->op_reg[n++] = in->op_reg[i];
    }
    in->broadcast = (uint8_t)scalars;
    in->nops = (uint8_t)n;
    memcpy(in->op_reg + n, scalar, (size_t)scalars);
}

static void decode_registers(const IsaProgram *p, SmInst *in) {
    const IsaInst *isa = in->isa;
    if (!in->at_issue || in->scalar) in->nops = (uint8_t)isa_distinct_reads(isa, in->op_reg);
    for (int i = 0; i < in->nops; i++) in->reads |= word_bit(in->op_reg[i]);
    if (p->scalar_regs && !in->scalar) split_broadcast(p, in);
    in->nwrites = (uint8_t)isa_writes(isa, in->dst_reg);
    for (int i = 0; i < in->nwrites; i++) {
        in->writes |= word_bit(in->dst_reg[i]);
        in->dst_word[i] = (uint8_t)(in->dst_reg[i] - isa->dst);
    }
    for (int i = 0; i < 3; i++)
        if (isa->last >> i & 1) in->last |= (word_bit(isa->src[i].width) - 1) << isa->src[i].reg;
    in->nuops = (uint8_t)(in->nops <= SM_OPERANDS ? 1 : (in->nops + SM_OPERANDS - 1) / SM_OPERANDS);
    in->pred_reads = isa_pred_reads(isa);
    in->pred_writes = isa_pred_writes(isa);
}

bool decode_program(Sm *sm, const IsaProgram *p, SmProgram *to, Diag *d) {
    to->ninsts = p->ninsts;
    to->insts = ARENA_ARRAY(&sm->kernel_arena, SmInst, p->ninsts);
    for (int i = 0; i < p->ninsts; i++) {
        SmInst *in = &to->insts[i];
        in->isa = &p->insts[i];
        in->guard = in->isa->guard;
        memcpy(in->psrc, in->isa->psrc, sizeof in->psrc);
        in->mem = memory_class(in->isa);
        bool shared = in->isa->space == ISA_SHARED || in->isa->space == ISA_LINE;
        in->global = in->isa->op == ISA_SYSCALL ||
            (in->mem != SM_MEM_NOT && in->isa->op != ISA_LDC &&
             (in->isa->space == ISA_GLOBAL || in->isa->space == ISA_GENERIC));
        in->keeps_order =
            in->mem != SM_MEM_NOT || in->isa->op == ISA_BAR || in->isa->op == ISA_MEMBAR;
        in->long_latency =
            (in->isa->op == ISA_LD || in->isa->op == ISA_ATOM || in->isa->op == ISA_TEX) && !shared;
        decode_unit(sm, in);
        decode_registers(p, in);
        if (!in->at_issue) units_assign(sm, in);
        if (!decode_sources(sm, in, i, d)) return false;
    }
    return true;
}
