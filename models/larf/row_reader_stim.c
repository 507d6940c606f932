// SPDX-License-Identifier: Apache-2.0
// Stimuli of row_reader: merges in bursts against banks that grant and deliver late, questions
// between them, taken or given up at every moment.
#include "models/larf/row_reader.h"

#include "models/params.h"
#include "models/stim_bins.h"

#include <stdlib.h>

enum { ROW_READER_PARAMS(BLOCK_INDEX) };

enum { KNOB_MERGE, KNOB_QUESTION, KNOB_DROP, KNOB_GRANT, KNOB_BACK, KNOB_TAKE, KNOB_ALONE, KNOBS };
static const StimKnob KNOB_TABLE[KNOBS] = {
    {"merge", 0, 100, "percent of cycles with a merge"},
    {"question", 0, 100, "percent of cycles with a question"},
    {"drop", 0, 20, "percent of cycles in which the question is given up"},
    {"grant", 10, 100, "percent of cycles in which a bank takes a read"},
    {"back", 10, 100, "percent of cycles in which a row may come"},
    {"take", 10, 100, "percent of cycles in which rows are taken"},
    {"alone", 0, 80, "percent of merges of one row"},
};

enum {
    ONE_ROW,
    TWO_ROWS,
    SAME_ROW,
    FULL,
    REFUSED,
    READ_WAITS,
    BOTH_FLY,
    ALL_FLY,
    GIVES,
    GIVE_WAITS,
    QUESTION,
    QU_BUSY,
    QU_BEHIND,
    QU_TAKEN,
    QU_WAITS,
    DROP_IDLE,
    DROP_EARLY,
    DROP_GRANTED,
    DROP_FLYING,
    DROP_COMES,
    DROP_HERE,
    DROP_ASKS,
    VOID_COMES,
    RESET_IDLE,
    RESET_USED,
    GIVE_ENTER,
    EVENTS
};
static const char *const EVENT[EVENTS] = {"one-row",
                                          "two-rows",
                                          "both-rows-one-register",
                                          "full",
                                          "refused",
                                          "read-waits",
                                          "both-rows-under-way",
                                          "three-reads-under-way",
                                          "given",
                                          "given-late",
                                          "question",
                                          "question-refused",
                                          "question-behind-merge",
                                          "question-taken",
                                          "question-waits",
                                          "nothing-to-give-up",
                                          "given-up-before-read",
                                          "given-up-as-granted",
                                          "given-up-under-way",
                                          "given-up-as-it-comes",
                                          "given-up-with-row",
                                          "given-up-and-asked",
                                          "void-row-comes",
                                          "reset-idle",
                                          "reset-used",
                                          "given-and-entered"};

typedef struct Env {
    int queue, phys_bits;
    int merges, fly;                     // in the queue; reads in flight
    int who[RR_ROWS + 1];                // 0 a merge, 1 the question
    int rows[RR_MAX_QUEUE], asked_rows;  // rows of each merge; of the oldest, requested
    bool question, asked, come, given_up;
    uint32_t reset_met;
} Env;

// A queue of one is full until its merge has left: the last event does not happen there.
static int events_of(int queue) { return queue > 1 ? EVENTS : GIVE_ENTER; }

static int rr_bins(const int *params, CoverBin *bins) {
    BinList l = {bins, 0};
    bin_words(&l, "event", EVENT, events_of(params[P_Queue]));
    for (int i = 0; i <= params[P_Queue]; i++) bin_add(&l, "merges", "%d", i);
    return l.n;
}

static void rr_forget(void *self) {
    Env *e = self;
    e->reset_met = e->merges || e->question ? 2 : 1;
    e->merges = e->fly = e->asked_rows = 0;
    e->question = e->asked = e->come = e->given_up = false;
}

static void *rr_open(const int *params) {
    Env *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->queue = params[P_Queue];
    e->phys_bits = block_bits(params[P_Banks]) + block_bits(params[P_Entries]);
    return e;
}

static void rr_close(void *self) { free(self); }

static void rr_randomize(void *self, StimRandom *r, const int *knobs, void *inputs) {
    const Env *e = self;
    RowReaderIn *in = inputs;
    const uint32_t mask = (1u << e->phys_bits) - 1;
    in->mg_valid[0] = stim_percent(r, knobs[KNOB_MERGE]);
    in->mg_use[0] = stim_percent(r, knobs[KNOB_ALONE]) ? 1 : 3;
    in->mg_tag[0] = stim_random(r) & 0xffffff;
    for (int i = 0; i < RR_ROWS; i++) {
        in->mg_phys[i] = i && stim_below(r, 8) == 0 ? in->mg_phys[0] : stim_random(r) & mask;
        in->mg_shift[i] = stim_random(r) & 63;
        in->mg_mask[i] = stim_lanes(r);
    }
    in->qu_valid[0] = stim_percent(r, knobs[KNOB_QUESTION]);
    in->qu_phys[0] = stim_random(r) & mask;
    in->drop[0] = stim_percent(r, knobs[KNOB_DROP]);
    in->rd_grant[0] = stim_percent(r, knobs[KNOB_GRANT]);
    in->back_valid[0] = stim_percent(r, knobs[KNOB_BACK]);
    stim_row(r, in->back_row[0]);
    in->op_ready[0] = stim_percent(r, knobs[KNOB_TAKE]);
    in->an_ready[0] = stim_percent(r, knobs[KNOB_TAKE]);
}

static void rr_constrain(void *self, void *inputs, const void *outputs) {
    const Env *e = self;
    RowReaderIn *in = inputs;
    (void)outputs;
    if (in->mg_use[0] != 3) in->mg_use[0] = 1;
    if (!e->fly) in->back_valid[0] = 0;
}

static void see_drop(Env *e, const RowReaderIn *in, bool granted, bool comes, uint64_t *hits) {
    if (!in->drop[0]) return;
    if (!e->question) {
        hits[DROP_IDLE]++;
        hits[DROP_ASKS] += in->qu_valid[0];
        return;
    }
    if (e->given_up) return;
    hits[e->come        ? DROP_HERE
             : comes    ? DROP_COMES
             : e->asked ? DROP_FLYING
             : granted  ? DROP_GRANTED
                        : DROP_EARLY]++;
}

static void rr_observe(void *self, const void *inputs, const void *outputs, uint64_t *hits) {
    Env *e = self;
    const RowReaderIn *in = inputs;
    const RowReaderOut *out = outputs;
    if (e->reset_met) hits[e->reset_met > 1 ? RESET_USED : RESET_IDLE]++;
    e->reset_met = 0;
    hits[events_of(e->queue) + e->merges]++;
    int merge_reads = 0;
    for (int i = 0; i < e->fly; i++) merge_reads += e->who[i] == 0;
    hits[BOTH_FLY] += merge_reads == 2;
    hits[ALL_FLY] += e->fly == 3;
    hits[FULL] += !out->mg_ready[0];
    hits[REFUSED] += in->mg_valid[0] && !out->mg_ready[0];
    hits[READ_WAITS] += out->rd_valid[0] && !in->rd_grant[0];
    const bool gives = out->op_valid[0] && in->op_ready[0],
               enters = in->mg_valid[0] && out->mg_ready[0];
    hits[GIVES] += gives;
    hits[GIVE_WAITS] += out->op_valid[0] && !in->op_ready[0];
    if (e->queue > 1) hits[GIVE_ENTER] += gives && enters;
    if (enters) {
        hits[in->mg_use[0] == 3 ? TWO_ROWS : ONE_ROW]++;
        hits[SAME_ROW] += in->mg_use[0] == 3 && in->mg_phys[0] == in->mg_phys[1];
    }
    const bool row_left = e->merges && e->asked_rows < e->rows[0];
    hits[QU_BEHIND] += e->question && !e->asked && row_left && out->rd_valid[0];
    const bool comes = in->back_valid[0] && e->fly && e->who[0] == 1;
    if (in->back_valid[0] && e->fly) {
        hits[VOID_COMES] += comes && e->given_up;
        e->fly--;
        memmove(e->who, e->who + 1, (size_t)e->fly * sizeof e->who[0]);
    }
    const bool granted = out->rd_valid[0] && in->rd_grant[0];
    const bool for_question = granted && !row_left;
    e->asked_rows += granted && row_left;
    if (granted && e->fly <= RR_ROWS) e->who[e->fly++] = for_question;
    see_drop(e, in, for_question, comes, hits);
    const bool taken = out->an_valid[0] && in->an_ready[0], was = e->question;
    hits[QU_TAKEN] += taken;
    hits[QU_WAITS] += out->an_valid[0] && !in->an_ready[0];
    if (in->qu_valid[0]) hits[out->qu_ready[0] ? QUESTION : QU_BUSY]++;
    e->asked |= for_question;
    e->come |= comes;
    const bool ends =
        taken || (e->given_up && comes) || (in->drop[0] && was && !(e->asked && !e->come));
    if (ends) e->question = e->asked = e->come = e->given_up = false;
    else if (in->drop[0] && was) e->given_up = true;
    if (in->qu_valid[0] && !was && !in->drop[0]) e->question = true;
    if (gives) {
        e->merges--;
        e->asked_rows = 0;
        memmove(e->rows, e->rows + 1, (size_t)e->merges * sizeof e->rows[0]);
    }
    if (enters) e->rows[e->merges++] = in->mg_use[0] == 3 ? 2 : 1;
}

static const StimShape SHAPES[] = {
    {"Queue=3 Banks=3 Entries=5", "a queue, banks and entries that are no powers of two"},
    {0},
};

const BlockStim row_reader_stim = {.shapes = SHAPES,
                                   .knobs = KNOB_TABLE,
                                   .nknobs = KNOBS,
                                   .bins = rr_bins,
                                   .open = rr_open,
                                   .close = rr_close,
                                   .reset = rr_forget,
                                   .randomize = rr_randomize,
                                   .constrain = rr_constrain,
                                   .observe = rr_observe};
