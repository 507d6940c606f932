// SPDX-License-Identifier: Apache-2.0
// The assist warp store: its routines, assembled, with registers of their own for a kernel.
#include "systems/caba/caba.h"

#include "caba_texts.h"  // made of routines/*.isa
#include "sm/stages/decode_stage.h"

#include <string.h>

enum { MAX_LABELS = 32, LABEL = 15, MAX_LINE = 120 };

const CabaStore caba_store = {{[CABA_BDI_LOAD + 0] = ROUTINE_BDI_LOAD_ZEROS,
                               [CABA_BDI_LOAD + 1] = ROUTINE_BDI_LOAD_REPEATED,
                               [CABA_BDI_LOAD + 2] = ROUTINE_BDI_LOAD_8D1,
                               [CABA_BDI_LOAD + 3] = ROUTINE_BDI_LOAD_8D2,
                               [CABA_BDI_LOAD + 4] = ROUTINE_BDI_LOAD_8D4,
                               [CABA_BDI_LOAD + 5] = ROUTINE_BDI_LOAD_4D1,
                               [CABA_BDI_LOAD + 6] = ROUTINE_BDI_LOAD_4D2,
                               [CABA_BDI_LOAD + 7] = ROUTINE_BDI_LOAD_2D1,
                               [CABA_FPC_LOAD] = ROUTINE_FPC_LOAD,
                               [CABA_CPACK_LOAD] = ROUTINE_CPACK_LOAD,
                               [CABA_BDI_STORE] = ROUTINE_BDI_STORE,
                               [CABA_FPC_STORE] = ROUTINE_FPC_STORE,
                               [CABA_CPACK_STORE] = ROUTINE_CPACK_STORE,
                               [CABA_BDI_TRY + 0] = ROUTINE_BDI_TRY_ZEROS,
                               [CABA_BDI_TRY + 1] = ROUTINE_BDI_TRY_REPEATED,
                               [CABA_BDI_TRY + 2] = ROUTINE_BDI_TRY_8D1,
                               [CABA_BDI_TRY + 3] = ROUTINE_BDI_TRY_8D2,
                               [CABA_BDI_TRY + 4] = ROUTINE_BDI_TRY_8D4,
                               [CABA_BDI_TRY + 5] = ROUTINE_BDI_TRY_4D1,
                               [CABA_BDI_TRY + 6] = ROUTINE_BDI_TRY_4D2,
                               [CABA_BDI_TRY + 7] = ROUTINE_BDI_TRY_2D1}};

// ---- numbers of a kernel ----

static const CabaNumber *find_number(const char *at, const CabaNumber *numbers, int n) {
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(numbers[i].name);
        if (!strncmp(at + 1, numbers[i].name, length) && at[1 + length] == '@') return &numbers[i];
    }
    return NULL;
}

const char *caba_fill(Arena *arena, const char *text, const CabaNumber *numbers, int n) {
    // a number has at most ten digits, its name at least @X@
    const size_t size = strlen(text) * 4 + 64;
    char *out = ARENA_ARRAY(arena, char, size);
    size_t to = 0;
    while (*text) {
        const CabaNumber *number = *text == '@' ? find_number(text, numbers, n) : NULL;
        if (number) to += (size_t)snprintf(out + to, size - to, "%u", number->value);
        else out[to++] = *text;
        text += number ? strlen(number->name) + 2 : 1;
    }
    return out;
}

// ---- labels become numbers ----

typedef struct Label {
    char name[LABEL + 1];
    int at;
} Label;

typedef struct Lines {
    const char *from;
    char text[MAX_LINE];
} Lines;

static bool next_line(Lines *l) {
    while (*l->from) {
        const size_t n = strcspn(l->from, "\n");
        const size_t copy = n < sizeof l->text - 1 ? n : sizeof l->text - 1;
        memcpy(l->text, l->from, copy);
        l->text[copy] = 0;
        l->from += n + (l->from[n] != 0);
        if (copy) return true;
    }
    return false;
}

static int label_length(const char *line) {
    const size_t n = strlen(line);
    return n > 1 && n <= LABEL && line[n - 1] == ':' ? (int)n - 1 : 0;
}

static int find_labels(const char *text, Label labels[MAX_LABELS], int *ninsts) {
    Lines l = {.from = text};
    int n = 0, at = 0;
    while (next_line(&l)) {
        const int length = label_length(l.text);
        if (!length) {
            at++;
            continue;
        }
        panic_if(n == MAX_LABELS, "an assist warp's routine with more than %d labels", MAX_LABELS);
        snprintf(labels[n].name, sizeof labels[n].name, "%.*s", length, l.text);
        labels[n++].at = at;
    }
    *ninsts = at;
    return n;
}

static int place_of(const char *name, const Label *labels, int n, int end) {
    for (int i = 0; i < n; i++)
        if (!strcmp(labels[i].name, name)) return labels[i].at;
    return strcmp(name, "END") ? -1 : end;
}

// Replaces `bra NAME` by `bra L5, L5`, and appends an exit at the end of the text.
static const char *number_labels(Arena *arena, const CabaRoutine *r, Diag *d) {
    Label labels[MAX_LABELS];
    int end;
    const int n = find_labels(r->text, labels, &end);
    const size_t size = strlen(r->text) * 2 + 64;
    char *out = ARENA_ARRAY(arena, char, size);
    size_t at = (size_t)snprintf(out, size, ".kernel %s\n.regs %d\n.preds 7\n", r->name,
                                 CABA_LIVE + CABA_LIVES);
    for (Lines l = {.from = r->text}; next_line(&l);) {
        if (label_length(l.text)) continue;
        char *bra = strstr(l.text, "bra ");
        if (!bra) {
            at += (size_t)snprintf(out + at, size - at, "%s\n", l.text);
            continue;
        }
        const int to = place_of(bra + 4, labels, n, end);
        if (to < 0)
            return diag_fail(d, EXIT_USAGE, "assist warp routine %s: no label %s", r->name,
                             bra + 4),
                   NULL;
        at += (size_t)snprintf(out + at, size - at, "%.*sbra _, L%d, L%d\n", (int)(bra - l.text),
                               l.text, to, to);
    }
    snprintf(out + at, size - at, "exit _\n");
    return out;
}

// ---- a routine ----

static int registers_of(const IsaProgram *p) {
    int most = 0;
    for (int i = 0; i < p->ninsts; i++) {
        uint8_t regs[ISA_MAX_SRC_WORDS + ISA_MAX_DST_WORDS];
        const int reads = isa_reads(&p->insts[i], regs),
                  n = reads + isa_writes(&p->insts[i], regs + reads);
        for (int k = 0; k < n; k++)
            if (regs[k] >= most && regs[k] < CABA_LIVE) most = regs[k] + 1;
    }
    return most;
}

bool caba_assemble_one(Arena *arena, const CabaRoutine *r, CabaProgram *to, Diag *d) {
    const char *text = number_labels(arena, r, d);
    if (!text) return false;
    to->text = isa_parse(arena, r->name, text, strlen(text), d);
    if (!to->text || !isa_check(to->text, d)) return false;
    to->name = r->name;
    to->mask = r->mask;
    to->ninsts = to->text->ninsts - 1;
    to->nregs = registers_of(to->text);
    return true;
}

static bool has_routine(CompressCodec codec, int id) {
    const CompressCodec of = id == CABA_FPC_LOAD || id == CABA_FPC_STORE ? COMPRESS_FPC
        : id == CABA_CPACK_LOAD || id == CABA_CPACK_STORE                ? COMPRESS_CPACK
                                                                         : COMPRESS_BDI;
    return codec == COMPRESS_BEST || codec == of;
}

bool caba_assemble(Arena *arena, const CabaStore *store, CompressCodec codec, bool tries,
                   CabaProgram programs[CABA_ROUTINES], Diag *d) {
    int words = 0;
    for (int i = 0; i < (tries ? CABA_ROUTINES : CABA_BDI_TRY); i++) {
        if (!has_routine(codec, i)) continue;
        if (!caba_assemble_one(arena, &store->of[i], &programs[i], d)) return false;
        words += programs[i].ninsts;
    }
    return words <= CABA_STORE_WORDS ||
        diag_fail(d, EXIT_USAGE,
                  "the assist warp store holds %d instructions, the routines have %d",
                  CABA_STORE_WORDS, words);
}

static void relocate_register(uint8_t *reg, int by, const uint8_t *live) {
    if (*reg == ISA_RZ) return;
    *reg = *reg >= CABA_LIVE ? live[*reg - CABA_LIVE] : (uint8_t)(*reg + by);
}

bool caba_relocate(Sm *sm, CabaProgram *program, int first, const uint8_t *live, Diag *d) {
    IsaProgram *p = ARENA_NEW(&sm->kernel_arena, IsaProgram);
    *p = *program->text;
    p->insts = ARENA_ARRAY(&sm->kernel_arena, IsaInst, p->ninsts);
    memcpy(p->insts, program->text->insts, sizeof *p->insts * (size_t)p->ninsts);
    for (int i = 0; i < p->ninsts; i++) {
        relocate_register(&p->insts[i].dst, first, live);
        for (int k = 0; k < 3; k++)
            if (p->insts[i].src[k].kind == ISA_SRC_REG)
                relocate_register(&p->insts[i].src[k].reg, first, live);
    }
    return decode_program(sm, p, &program->of_kernel, d);
}
