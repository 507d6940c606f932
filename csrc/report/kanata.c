// SPDX-License-Identifier: Apache-2.0
#include "report/kanata.h"

#include "base/output.h"
#include "report/trace_file.h"

#include <inttypes.h>
#include <string.h>

enum { WARPS = 128 };

typedef struct Shown {
    uint64_t id;  // 0: the record is not shown
    const char *stage;
} Shown;

struct Kanata {
    FILE *file;
    Output output;
    uint64_t from, to, cycle;  // cycle: of the last line
    uint64_t last, retired;
    Shown of[SM_STEP_RECORDS];
    uint64_t writer[WARPS][ISA_MAX_REGS];  // the last instruction that writes the register
};

bool kanata_asked(const char *spec) {
    static const char suffix[] = ".kanata";
    const size_t n = sizeof suffix - 1;
    const char *colon = strrchr(spec, ':');
    const size_t len = colon ? (size_t)(colon - spec) : strlen(spec);
    return len > n && !strncmp(spec + len - n, suffix, n);
}

Kanata *kanata_open(Arena *arena, const char *spec, Diag *d) {
    Kanata *k = ARENA_NEW(arena, Kanata);
    const char *path;
    if (!trace_spec(arena, "trace", spec, &path, &k->from, &k->to, d)) return NULL;
    k->file = output_open(&k->output, arena, path, d);
    if (!k->file) return NULL;
    k->cycle = k->from;
    fprintf(k->file, "Kanata\t0004\nC=\t%" PRIu64 "\n", k->from);
    return k;
}

static void move_to(Kanata *k, uint64_t cycle) {
    if (cycle > k->cycle) fprintf(k->file, "C\t%" PRIu64 "\n", cycle - k->cycle);
    k->cycle = cycle;
}

static void enter_stage(Kanata *k, Shown *v, const char *stage) {
    if (v->stage) fprintf(k->file, "E\t%" PRIu64 "\t0\t%s\n", v->id - 1, v->stage);
    if (stage) fprintf(k->file, "S\t%" PRIu64 "\t0\t%s\n", v->id - 1, stage);
    v->stage = stage;
}

// Konata draws an arrow from the instruction that wrote an operand.
static void link_operands(Kanata *k, const SmStep *s, uint64_t id) {
    uint8_t regs[ISA_MAX_SRC_WORDS > ISA_MAX_DST_WORDS ? ISA_MAX_SRC_WORDS : ISA_MAX_DST_WORDS];
    uint64_t *writer = k->writer[s->warp];
    for (int i = isa_distinct_reads(s->inst, regs) - 1; i >= 0; i--)
        if (writer[regs[i]])
            fprintf(k->file, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", id - 1, writer[regs[i]] - 1);
    for (int i = isa_writes(s->inst, regs) - 1; i >= 0; i--) writer[regs[i]] = id;
}

static void begin_row(Kanata *k, Shown *v, const SmStep *s) {
    char text[256];
    isa_print_inst(text, sizeof text, s->inst);
    text[strcspn(text, "/")] = '\0';
    v->id = ++k->last;
    v->stage = NULL;
    fprintf(k->file, "I\t%" PRIu64 "\t%d\t%d\n", v->id - 1, s->pc, s->warp);
    fprintf(k->file, "L\t%" PRIu64 "\t0\tw%d %d: %s\n", v->id - 1, s->warp, s->pc, text);
    fprintf(k->file, "L\t%" PRIu64 "\t1\tPTX line %d, lanes %08x\n", v->id - 1, s->inst->ptx_line,
            s->lanes);
    enter_stage(k, v, "Is");
    if (s->warp < WARPS) link_operands(k, s, v->id);
}

static void end_row(Kanata *k, Shown *v) {
    enter_stage(k, v, NULL);
    fprintf(k->file, "R\t%" PRIu64 "\t%" PRIu64 "\t0\n", v->id - 1, k->retired++);
    v->id = 0;
}

void kanata_step(Kanata *k, uint64_t cycle, const SmStep *s) {
    // issue, collector, unit, result waits for a port, write port
    static const char *const stages[] = {
        [SM_STEP_BEGUN] = "Is",   [SM_STEP_COLLECTING] = "Co", [SM_STEP_OPERANDS] = 0,
        [SM_STEP_DISPATCHED] = 0, [SM_STEP_EXECUTING] = "Ex",  [SM_STEP_RESULT] = "Rs",
        [SM_STEP_WRITING] = "Wr", [SM_STEP_WRITTEN] = 0,       [SM_STEP_ENDED] = 0};
    Shown *v = &k->of[s->record];
    if (s->kind == SM_STEP_BEGUN) {
        v->id = 0;
        if (cycle < k->from || cycle > k->to) return;
        move_to(k, cycle);
        begin_row(k, v, s);
        return;
    }
    if (!v->id) return;
    move_to(k, cycle);
    if (s->kind == SM_STEP_ENDED) end_row(k, v);
    else if (stages[s->kind] && stages[s->kind] != v->stage) enter_stage(k, v, stages[s->kind]);
}

bool kanata_close(Kanata *k, Diag *d) { return output_close(&k->output, k->file, true, d); }
