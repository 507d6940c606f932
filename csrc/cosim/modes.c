// SPDX-License-Identifier: Apache-2.0
// The three modes of a block, as three tables of functions. The SM is independent of the mode.
#include "cosim/cosim_internal.h"

#include <string.h>

static void model_eval(Block *b) {
    Instance *x = b->impl;
    times_lap(x->c, TIME_SM);
    x->desc->model->eval(x->golden, b->in, b->out);
    times_lap(x->c, TIME_MODEL);
}

// With a wave, everything is sampled after the inputs are complete and before the first clock edge.
static void sample_edge(Cosim *c) {
    if (__builtin_expect(c->edge_pending, 0)) wave_edge(c);
}

static void model_tick(Block *b) {
    Instance *x = b->impl;
    times_lap(x->c, TIME_SM);
    sample_edge(x->c);
    x->desc->model->tick(x->golden, b->in);
    times_lap(x->c, TIME_MODEL);
}

static void model_reset(Block *b) {
    Instance *x = b->impl;
    memset(b->in, 0, x->desc->in_size);
    memset(b->out, 0, x->desc->out_size);
    x->desc->model->reset(x->golden);
}

static void rtl_eval(Block *b) {
    Instance *x = b->impl;
    times_lap(x->c, TIME_SM);
    x->shim->eval(x->rtl, b->in);
    x->shim->read(x->rtl, b->out);
    x->evals++;
    compare_work(x);
    times_lap(x->c, TIME_RTL);
}

static void rtl_tick(Block *b) {
    Instance *x = b->impl;
    times_lap(x->c, TIME_SM);
    sample_edge(x->c);
    if (__builtin_expect(x->c->fault.block == x, 0)) fault_edge(x);
    x->shim->tick(x->rtl, b->in);
    x->clocked++;
    times_lap(x->c, TIME_RTL);
}

static void rtl_reset(Block *b) {
    Instance *x = b->impl;
    memset(b->in, 0, x->desc->in_size);
    memset(b->out, 0, x->desc->out_size);
    x->shim->reset(x->rtl);
}

// The SM reads the golden model's outputs, so that a faulty RTL cannot steer the run.
static void lockstep_eval(Block *b) {
    Instance *x = b->impl;
    times_lap(x->c, TIME_SM);
    x->desc->model->eval(x->golden, b->in, b->out);
    times_lap(x->c, TIME_MODEL);
    x->shim->eval(x->rtl, b->in);
    times_lap(x->c, TIME_RTL);
    x->evals++;
    compare_count(x);
    compare_work(x);
    if (__builtin_expect(!x->shim->same(x->rtl, b->out), 0) && !x->c->mismatched) {
        Mismatch m = {0};
        x->shim->read(x->rtl, x->rtl_out);
        compare_locate(x, &m);
        cosim_record(x->c, x, &m);
    }
    times_lap(x->c, TIME_COMPARE);
}

static void lockstep_tick(Block *b) {
    Instance *x = b->impl;
    times_lap(x->c, TIME_SM);
    sample_edge(x->c);
    history_push(x);
    times_lap(x->c, TIME_COMPARE);
    x->desc->model->tick(x->golden, b->in);
    times_lap(x->c, TIME_MODEL);
    if (__builtin_expect(x->c->fault.block == x, 0)) fault_edge(x);
    if (__builtin_expect(x->recorded, 0))
        x->c->options.record(x->c->options.record_ctx, b->in,
                             x->c->fault.block == x && x->c->fault.driven);
    x->shim->tick(x->rtl, b->in);
    x->clocked++;
    times_lap(x->c, TIME_RTL);
}

static void lockstep_reset(Block *b) {
    Instance *x = b->impl;
    model_reset(b);
    memset(x->rtl_out, 0, x->desc->out_size);
    x->shim->reset(x->rtl);
}

const BlockOps cosim_model_ops = {model_eval, model_tick, model_reset};
const BlockOps cosim_rtl_ops = {rtl_eval, rtl_tick, rtl_reset};
const BlockOps cosim_lockstep_ops = {lockstep_eval, lockstep_tick, lockstep_reset};
