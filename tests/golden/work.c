// SPDX-License-Identifier: Apache-2.0
// Evaluates and clocks golden models, idle and busy, so that work.py can count their instructions.
//
//     golden_work < SHAPES       a line per block: NAME [PARAMETER=VALUE ..]; a missing one
//                                has its default
//
// A busy cycle has inputs of the block's own stimuli. An idle cycle has no inputs, in the state
// which the busy cycles left. Tool callgrind counts the code below `measured` and ends a part where
// `end_part` is entered: two parts per line.
#include "cosim/blocks.h"
#include "models/stim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 2000, CYCLES = 2000, EPISODE = 200, LINE = 400 };

typedef struct Subject {
    const char *name;
    const BlockModel *model;
    const BlockStim *stim;
    const char *const *names;  // of parameters
    const int *defaults;
    int nparams;
    size_t in_size, out_size;
} Subject;

#define NAME_OF(name, def, least, most, key, meaning) #name,
#define DEFAULT_OF(name, def, least, most, key, meaning) def,
#define TABLES(name, upper, camel, what) \
    extern const BlockStim name##_stim; \
    static const char *const name##_names[] = {upper##_PARAMS(NAME_OF)}; \
    static const int name##_defaults[] = {upper##_PARAMS(DEFAULT_OF)};
COSIM_BLOCKS(TABLES)

#define SUBJECT(name, upper, camel, what) \
    {#name, \
     &name##_model, \
     &name##_stim, \
     name##_names, \
     name##_defaults, \
     sizeof name##_defaults / sizeof(int), \
     sizeof(camel##In), \
     sizeof(camel##Out)},
static const Subject subjects[] = {COSIM_BLOCKS(SUBJECT)};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

__attribute__((noinline)) static void end_part(void) { __asm__ volatile("" ::: "memory"); }

__attribute__((noinline)) static void measured(const BlockModel *model, void *self, const void *in,
                                               void *out) {
    model->eval(self, in, out);
    model->tick(self, in);
    __asm__ volatile("" ::: "memory");
}

static void refuse(const char *text, const char *line) {
    fprintf(stderr, "golden_work: %s: %s\n", text, line);
    exit(2);
}

static const Subject *find_subject(const char *line) {
    const size_t length = strcspn(line, " \n");
    for (int i = 0; i < SUBJECTS; i++)
        if (strlen(subjects[i].name) == length && !memcmp(subjects[i].name, line, length))
            return &subjects[i];
    refuse("no such block", line);
    return NULL;
}

static void set_param(const Subject *s, const char *word, int *params, const char *line) {
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < s->nparams; i++)
        if (word[length] && strlen(s->names[i]) == length && !memcmp(s->names[i], word, length)) {
            params[i] = atoi(word + length + 1);
            return;
        }
    refuse("no parameter of the block", line);
}

typedef struct Bench {
    const Subject *s;
    void *self, *environment, *in, *out;
    StimRandom random;
    int knobs[STIM_MAX_KNOBS];
    uint64_t *hits;
} Bench;

static void draw_knobs(Bench *b) {
    for (int i = 0; i < b->s->stim->nknobs; i++) {
        const StimKnob *k = &b->s->stim->knobs[i];
        b->knobs[i] = k->least + (int)stim_below(&b->random, (uint32_t)(k->most - k->least + 1));
    }
}

static void draw_inputs(Bench *b) {
    const BlockStim *stim = b->s->stim;
    stim->randomize(b->environment, &b->random, b->knobs, b->in);
    if (stim->needs_out) b->s->model->eval(b->self, b->in, b->out);
    stim->constrain(b->environment, b->in, b->out);
    b->s->model->eval(b->self, b->in, b->out);
    stim->observe(b->environment, b->in, b->out, b->hits);
}

static void measure_block(const Subject *s, const int *params) {
    Bench b = {.s = s,
               .self = s->model->open(params),
               .environment = s->stim->open(params),
               .in = calloc(1, s->in_size),
               .out = calloc(1, s->out_size),
               .random = {0x9e3779b97f4a7c15ull},
               .hits = calloc(COVER_MAX_BINS, sizeof *b.hits)};
    if (!b.self || !b.environment || !b.in || !b.out || !b.hits) refuse("out of memory", s->name);
    s->model->reset(b.self);
    s->stim->reset(b.environment);
    for (int c = 0; c < WARM + CYCLES; c++) {
        if (c % EPISODE == 0) draw_knobs(&b);
        draw_inputs(&b);
        if (c < WARM) s->model->tick(b.self, b.in);
        else measured(s->model, b.self, b.in, b.out);
    }
    end_part();
    memset(b.in, 0, s->in_size);
    for (int c = 0; c < CYCLES; c++) measured(s->model, b.self, b.in, b.out);
    end_part();
    s->model->close(b.self);
    s->stim->close(b.environment);
    free(b.in), free(b.out), free(b.hits);
}

int main(void) {
    char line[LINE], words[LINE];
    while (fgets(line, sizeof line, stdin)) {
        const Subject *s = find_subject(line);
        int params[BLOCK_MAX_PARAMS];
        memcpy(params, s->defaults, (size_t)s->nparams * sizeof *params);
        strcpy(words, line);
        strtok(words, " \n");
        for (const char *word; (word = strtok(NULL, " \n"));) set_param(s, word, params, line);
        printf("%s %d\n", s->name, CYCLES);
        measure_block(s, params);
    }
    return 0;
}
