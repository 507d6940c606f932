// SPDX-License-Identifier: Apache-2.0
// Errors, hangs and mismatches in the words of the program: kernel, line, thread, register.
#include "sm/core.h"

#include <stdarg.h>
#include <string.h>

enum { HANG_WARPS = 10 };  // warps explained; Diag has room for about this many

// ---- text with a limit ----

typedef struct Text {
    char *buf;
    size_t size, used;
} Text;

static void add(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *t, const char *format, ...) {
    if (t->used >= t->size) return;
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(t->buf + t->used, t->size - t->used, format, ap);
    va_end(ap);
    if (n > 0) t->used += (size_t)n;
    if (t->used > t->size) t->used = t->size;
}

// ---- places ----

static const char *file_name(const PtxModule *m) {
    if (!m || !m->src.path) return NULL;
    const char *slash = strrchr(m->src.path, '/');
    return slash ? slash + 1 : m->src.path;
}

static int line_of(const Sm *sm, int pc) {
    return pc >= 0 && pc < sm->ninsts ? sm->launch->program->insts[pc].ptx_line : 0;
}

void explain_place(const Sm *sm, int pc, char *buf, size_t size) {
    const char *file = file_name(sm->launch->module);
    int line = line_of(sm, pc);
    const char *kernel = sm->launch->program->name;
    if (file && line > 0) snprintf(buf, size, "kernel %s (%s:%d)", kernel, file, line);
    else snprintf(buf, size, "kernel %s (instruction %d)", kernel, pc);
}

static void coordinates(const uint32_t block[3], uint32_t t, uint32_t at[3]) {
    at[0] = t % block[0];
    at[1] = t / block[0] % block[1];
    at[2] = t / block[0] / block[1];
}

void explain_thread(const Sm *sm, int warp, int lane, char *buf, size_t size) {
    const Warp *w = &sm->warps[warp];
    const uint32_t *cta = sm->ctas[w->cta].id;
    uint32_t at[3];
    coordinates(sm->launch->block, (uint32_t)(w->first_thread + lane), at);
    snprintf(buf, size, "thread (%u,%u,%u) of CTA (%u,%u,%u)", at[0], at[1], at[2], cta[0], cta[1], cta[2]);
}

// Without the comment that names the line: explanations give it themselves.
static void instruction_text(const IsaInst *isa, char *buf, size_t size) {
    isa_print_inst(buf, size, isa);
    char *comment = strstr(buf, " //");
    if (comment) *comment = '\0';
}

static void add_instruction(Text *t, const Sm *sm, int pc) {
    char text[160];
    if (pc < 0 || pc >= sm->ninsts) {
        add(t, "pc %d", pc);
        return;
    }
    instruction_text(sm->insts[pc].isa, text, sizeof text);
    add(t, "pc %d `%s`", pc, text);
    if (line_of(sm, pc) > 0) add(t, " (line %d)", line_of(sm, pc));
}

// ---- what a warp waits for ----

static const Flight *writer_of(const Sm *sm, int warp, uint64_t registers, unsigned preds) {
    for (int i = 0; i < SM_FLIGHTS; i++) {
        const Flight *f = &sm->flights[i];
        if (!f->inst || f->warp != warp) continue;
        if (f->inst->writes & registers || f->inst->pred_writes & preds) return f;
    }
    return NULL;
}

static void add_flight(Text *t, const Sm *sm, const Flight *f) {
    if (!f) return;
    char text[160];
    instruction_text(f->inst->isa, text, sizeof text);
    add(t, " of pc %d `%s`", f->pc, text);
    if (f->in_collector) {
        add(t, ", in an operand collector");
    } else if (f->inst->mem != SM_MEM_NOT && f->parts_left) {
        char memory[256] = "";
        mem_explain(sm->gpu->mem, sm->port, (uint32_t)(flight_index(sm, f) * SM_TOKEN_PARTS), memory, sizeof memory);
        add(t, ", %s", memory[0] ? memory : "in the address path");
    } else {
        add(t, ", executing or at a write port");
    }
}

static void add_scoreboard(Text *t, const Sm *sm, int warp, const SmInst *in) {
    const Warp *w = &sm->warps[warp];
    uint64_t hit = (in->reads | in->writes) & w->pend_write;
    if (hit) {
        add(t, "waits for R%d, result", lowest(hit));
        add_flight(t, sm, writer_of(sm, warp, bit64(lowest(hit)), 0));
    } else if (in->writes & w->pend_read) {
        add(t, "waits until R%d has been read by an older instruction", lowest(in->writes & w->pend_read));
    } else {
        unsigned p = (unsigned)(in->pred_reads | in->pred_writes) & w->pend_pred;
        add(t, "waits for P%d, result", p ? __builtin_ctz(p) : 0);
        if (p) add_flight(t, sm, writer_of(sm, warp, 0, p & -p));
    }
}

static void add_barrier(Text *t, const Sm *sm, const Warp *w) {
    const Cta *cta = &sm->ctas[w->cta];
    const Barrier *b = &cta->barrier[w->barrier];
    add(t, "waits at barrier %d: %d of %d warps have arrived", w->barrier, b->arrived,
        b->expected ? b->expected : cta->live);
}

static void add_reason(Text *t, const Sm *sm, int warp) {
    const Warp *w = &sm->warps[warp];
    uint64_t me = bit64(warp);
    const SmInst *in = w->pc < (uint32_t)sm->ninsts ? &sm->insts[w->pc] : NULL;
    if (sm->ended & me) add(t, "its threads have ended, %u instructions are in flight", w->flights);
    else if (sm->at_barrier & me && w->barrier != SM_NONE) add_barrier(t, sm, w);
    else if (sm->asleep & me) add(t, "sleeps until cycle %llu", (unsigned long long)w->wake);
    else if (sm->control & me) add(t, "waits for the operands of its own instruction");
    else if (!(sm->has_inst & me) || !in) add(t, "waits for fetch");
    else if (w->why == WHY_MEMBAR) add(t, "waits for %u memory instructions of its own", w->mem_out);
    else if (w->why == WHY_ORDER) add(t, "waits for %u older memory instructions in collectors", w->ldst_in_oc);
    else if (w->why == WHY_LONG && w->atomics && !((in->reads | in->writes) & w->pend_write))
        add(t, "waits for %u atomics", w->atomics);
    else if (w->why == WHY_LONG || w->why == WHY_SHORT) add_scoreboard(t, sm, warp, in);
    else add(t, "can issue");
}

static void add_warp(Text *t, const Sm *sm, int warp) {
    const Warp *w = &sm->warps[warp];
    const Cta *cta = &sm->ctas[w->cta];
    add(t, "\n  warp %d (warp %d of CTA (%u,%u,%u), mask %08x) at ", warp, w->number, cta->id[0], cta->id[1],
        cta->id[2], w->mask);
    add_instruction(t, sm, (int)w->pc);
    add(t, ": ");
    add_reason(t, sm, warp);
}

static void explain(Sm *sm, uint64_t warps, const char *what) {
    char buf[sizeof sm->diag->text - 256];
    Text t = {buf, sizeof buf, 0};
    buf[0] = '\0';
    int n = 0, all = __builtin_popcountll(warps);
    for (uint64_t left = warps; left && n < HANG_WARPS; left &= left - 1, n++) add_warp(&t, sm, lowest(left));
    if (all > n) add(&t, "\n  and %d more warps", all - n);
    sm_fail(sm, EXIT_HANG, "kernel %s %s (cycle %llu, %llu of %llu CTAs done)%s", sm->launch->program->name, what,
            (unsigned long long)sm->cycle, (unsigned long long)sm->gpu->ctas_done,
            (unsigned long long)sm->gpu->ncta, buf);
}

void explain_hang(Sm *sm, const char *what) { explain(sm, sm->resident, what); }

void explain_deadlock(Sm *sm, int slot) {
    explain(sm, sm->ctas[slot].warps & sm->resident & ~sm->ended,
            "is in a barrier deadlock: every warp of a CTA waits at a barrier that no other warp can complete");
}

// ---- mismatches of the blocks ----

// The architected register that lives at an entry of a bank.
static void add_register(Text *t, const Sm *sm, int bank, int entry) {
    int banks = sm->cfg->rf_banks;
    if (!sm->launch || sm->rows == 0) {
        add(t, "bank %d entry %d", bank, entry);
        return;
    }
    int warp = entry / sm->rows, row = entry % sm->rows;
    int reg = row * banks + ((bank - warp) % banks + banks) % banks;
    if (warp < SM_MAX_WARPS && sm->resident & bit64(warp) && reg < sm->launch->program->nregs)
        add(t, "warp %d, R%d = bank %d entry %d", warp, reg, bank, entry);
    else
        add(t, "bank %d entry %d (owned by no resident warp)", bank, entry);
}

// First byte that differs, slice-major: which slice of which lane.
static void add_first_byte(Text *t, const Mismatch *m) {
    if (m->words != 32) return;
    const uint8_t *want = (const uint8_t *)m->expected, *got = (const uint8_t *)m->actual;
    uint32_t lanes = 0;
    int first = -1;
    for (int i = 0; i < 128; i++) {
        if (want[i] == got[i]) continue;
        if (first < 0) first = i;
        lanes |= 1u << i % 32;
    }
    if (first < 0) return;
    int lane = __builtin_ctz(lanes);
    uint32_t expected[32], actual[32];
    rf_lanes_from_slices(expected, m->expected);
    rf_lanes_from_slices(actual, m->actual);
    add(t, "; lanes %08x differ, first in byte slice %d (sub-bank %d); lane %d: expected 0x%08x, actual 0x%08x",
        lanes, first / 32, first / 32 * 2 + (first % 32 >= 16), lane, expected[lane], actual[lane]);
}

static void add_collector(Text *t, const Sm *sm, int slot) {
    int index = slot >= 0 && slot < OC_MAX_COLL ? sm->slot[slot].flight : SM_NONE;
    if (index == SM_NONE || !sm->flights[index].inst) {
        add(t, "collector %d (free)", slot);
        return;
    }
    const Flight *f = &sm->flights[index];
    add(t, "collector %d: warp %d, ", slot, f->warp);
    add_instruction(t, sm, f->pc);
}

// The operands that a collector has in that bank: one of them is being delivered.
static void add_operands_of_bank(Text *t, const Sm *sm, int slot, int bank) {
    int index = slot >= 0 && slot < OC_MAX_COLL ? sm->slot[slot].flight : SM_NONE;
    if (index == SM_NONE || !sm->flights[index].inst) return;
    const Flight *f = &sm->flights[index];
    int first = sm->slot[slot].uop * sm->cfg->oc_operands;
    const char *before = ", operand ";
    for (int i = first; i < f->inst->nops && i < first + sm->cfg->oc_operands; i++) {
        RegPlace p = sm_reg_place(sm->cfg->rf_banks, f->warp, f->warp * sm->rows, f->inst->op_reg[i]);
        if (p.bank != bank) continue;
        add(t, "%sR%d (bank %d entry %d)", before, f->inst->op_reg[i], p.bank, p.entry);
        before = " or ";
    }
}

static void explain_rf(Text *t, const Sm *sm, const Mismatch *m) {
    if (m->element < 0) {
        int entries = sm->cfg->rf_entries;
        if (m->obs_addr < (uint32_t)(sm->cfg->rf_banks * entries))
            add_register(t, sm, (int)(m->obs_addr / (unsigned)entries), (int)(m->obs_addr % (unsigned)entries));
        else
            add(t, "write priority bits of bank %u", m->obs_addr - (unsigned)(sm->cfg->rf_banks * entries));
        add_first_byte(t, m);
        return;
    }
    if (!strcmp(m->port, "rd_data") || !strcmp(m->port, "rd_data_coll")) {
        add(t, "bank %d delivers to ", m->element);
        int slot = (int)sm->rf_out->rd_data_coll[m->element];
        add_collector(t, sm, slot);
        add_operands_of_bank(t, sm, slot, m->element);
    } else if (!strcmp(m->port, "rd_grant")) {
        uint32_t differ = m->expected[0] ^ m->actual[0];
        int slot = differ ? __builtin_ctz(differ) : 0;
        add_collector(t, sm, slot);
        add(t, ", asks for ");
        add_register(t, sm, (int)sm->rf_in->rd_bank[slot], (int)sm->rf_in->rd_entry[slot]);
    } else if (!strcmp(m->port, "wr_ready")) {
        uint32_t differ = m->expected[0] ^ m->actual[0];
        int port = differ ? __builtin_ctz(differ) : 0;
        add(t, "write port %d: ", port);
        if (port < RF_MAX_WR) add_register(t, sm, (int)sm->rf_in->wr_bank[port], (int)sm->rf_in->wr_entry[port]);
    }
    add_first_byte(t, m);
}

static void explain_oc(Text *t, const Sm *sm, const Mismatch *m) {
    int coll = sm->cfg->oc_collectors, ops = sm->cfg->oc_operands;
    if (m->element < 0) {
        bool status = m->obs_addr < (uint32_t)coll;
        int slot = status ? (int)m->obs_addr : ((int)m->obs_addr - coll) / ops;
        add_collector(t, sm, slot);
        if (status) add(t, ", status word");
        else add(t, ", operand %d", ((int)m->obs_addr - coll) % ops);
    } else if (!strcmp(m->port, "rd_bank") || !strcmp(m->port, "rd_entry") || !strcmp(m->port, "older")) {
        add_collector(t, sm, m->element);
    } else if (!strcmp(m->port, "rd_valid")) {
        uint32_t differ = m->expected[0] ^ m->actual[0];
        add_collector(t, sm, differ ? __builtin_ctz(differ) : 0);
    } else if (!strcmp(m->port, "disp_slot") || !strcmp(m->port, "disp_data")) {
        bool data = !strcmp(m->port, "disp_data");
        int port = data ? m->element / ops : m->element;
        add(t, "dispatch port %d, ", port);
        int slot = (int)sm->oc_out->disp_slot[port];
        add_collector(t, sm, slot);
        int index = slot < OC_MAX_COLL ? sm->slot[slot].flight : SM_NONE;
        int op = data && index != SM_NONE ? sm->slot[slot].uop * ops + m->element % ops : -1;
        if (op >= 0 && sm->flights[index].inst && op < sm->flights[index].inst->nops)
            add(t, ", operand R%d", sm->flights[index].inst->op_reg[op]);
    } else if (!strcmp(m->port, "alloc_slot")) {
        add(t, "allocation port %d", m->element);
    }
    add_first_byte(t, m);
}

static void explain_to(const Sm *sm, const Mismatch *m, char *buf, size_t size) {
    Text t = {buf, size, 0};
    if (size) buf[0] = '\0';
    if (!strcmp(m->block, "banked_rf")) explain_rf(&t, sm, m);
    else if (!strcmp(m->block, "operand_collector")) explain_oc(&t, sm, m);
}

// In the cycle of the mismatch, while the collectors' contents are still known.
void explain_remember(Sm *sm, const Mismatch *m) {
    sm->explained = true;
    explain_to(sm, m, sm->explanation, sizeof sm->explanation);
}

void explain_mismatch(void *ctx, const Mismatch *m, char *buf, size_t size) {
    const Sm *sm = ctx;
    if (sm->explained && m->element >= 0) snprintf(buf, size, "%s", sm->explanation);
    else explain_to(sm, m, buf, size);
}
