// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/explain_inst.h"

#include "sm/state.h"

#include <string.h>

static const char *file_name(const PtxModule *m) {
    if (!m || !m->src.path) return NULL;
    const char *slash = strrchr(m->src.path, '/');
    return slash ? slash + 1 : m->src.path;
}

static int line_of(const InstStream *s, int pc) {
    return pc >= 0 && pc < s->ninsts ? s->insts[pc].isa->ptx_line : 0;
}

void explain_place(const Sm *sm, const InstStream *s, int pc, char *buf, size_t size) {
    const char *file = file_name(sm->launch->module);
    int line = line_of(s, pc);
    const char *kernel = sm->launch->program->name;
    if (file && line > 0) snprintf(buf, size, "kernel %s (%s:%d)", kernel, file, line);
    else snprintf(buf, size, "kernel %s (instruction %d)", kernel, pc);
}

// Without the comment that names the line, because explanations print the line themselves.
static void instruction_text(const IsaInst *isa, char *buf, size_t size) {
    isa_print_inst(buf, size, isa);
    char *comment = strstr(buf, " //");
    if (comment) *comment = '\0';
}

void text_instruction(Text *t, const InstStream *s, int pc) {
    char text[160];
    if (pc < 0 || pc >= s->ninsts) {
        text_add(t, "pc %d", pc);
        return;
    }
    instruction_text(s->insts[pc].isa, text, sizeof text);
    text_add(t, "pc %d `%s`", pc, text);
    if (line_of(s, pc) > 0) text_add(t, " (line %d)", line_of(s, pc));
}

void text_wave(Text *t, const Sm *sm, int warp, int pc) {
    const InstStream *s = &sm->warps[warp].own;
    char text[160];
    instruction_text(s->insts[pc].isa, text, sizeof text);
    text_add(t, "w%d pc %d %s", warp, pc, text);
    if (line_of(s, pc) > 0) text_add(t, "  (line %d)", line_of(s, pc));
}

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
    text_add(t, " of pc %d `%s`", f->pc, text);
    if (slots_entry_of(sm->ports.slots, f) != SM_NONE) {
        text_add(t, ", in an entry register");
    } else if (f->in_collector) {
        text_add(t, ", in an operand collector");
    } else if (f->inst->mem != SM_MEM_NOT && f->access.left) {
        char memory[256] = "";
        mem_explain(sm->mem, sm->port, (uint32_t)(flight_index(sm, f) * SM_TOKEN_PARTS), memory,
                    sizeof memory);
        text_add(t, ", %s", memory[0] ? memory : "in the address path");
    } else {
        text_add(t, ", executing or at a write port");
    }
}

void text_writer(Text *t, const Sm *sm, int warp, uint64_t registers, unsigned preds) {
    add_flight(t, sm, writer_of(sm, warp, registers, preds));
}
