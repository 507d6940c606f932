// SPDX-License-Identifier: Apache-2.0
// The pipeline of one scalar unit, in order (specification, rules 5 to 10). It fetches, decodes and
// issues one instruction per clock. Block scalar_collect delivers the operands, execution uses one
// lane, and scalar_rf stores the results. As in the SM, the last stage runs first, so each stage
// sees the resources that the next stage freed.
#include "systems/scalar/scalar.h"

#include "sm/stages/execute.h"

#include <string.h>

// ---- legality ----

static const char *illegal_reason(const IsaInst *in) {
    switch (in->op) {
    case ISA_SHFL:
    case ISA_VOTE:
    case ISA_MATCH:
    case ISA_REDUX:
    case ISA_MMA: return "operates on the lanes of a warp";
    case ISA_SYSCALL: return "is a system call";
    case ISA_NANOSLEEP: return "sleeps";
    case ISA_HINT:
    case ISA_ACQ:
    case ISA_REL: return "is of the register file of warps";
    case ISA_BAR: return in->with_scalar ? NULL : "does not expect the scalar thread";
    default: return in->space == ISA_LOCAL ? "needs local memory" : NULL;
    }
}

bool scalar_legal(const IsaProgram *p, Diag *d) {
    if (!isa_check(p, d)) return false;
    if (p->local_bytes)
        return diag_fail(d, EXIT_USAGE,
                         "scalar thread of kernel %s: it requires local memory, which scalar "
                         "threads do not have",
                         p->name);
    for (int i = 0; i < p->ninsts; i++) {
        char text[200];
        const char *why = illegal_reason(&p->insts[i]);
        if (!why) continue;
        isa_print_inst(text, sizeof text, &p->insts[i]);
        return diag_fail(d, EXIT_USAGE, "scalar thread of kernel %s: instruction %d `%s` %s",
                         p->name, i, text, why);
    }
    return true;
}

// ---- flights ----

static Flight *begin_flight(Sm *sm, Scalar *s, int thread, const SmInst *in) {
    ScalarThread *t = &s->thread[thread];
    Flight *f = flight_pop(&s->unused, FLIGHT_AT);
    ThreadFlight *x = thread_flight(f);
    x->thread = (int16_t)thread;
    x->left = (uint8_t)((1u << in->nwrites) - 1);
    x->to_memory = in->mem != SM_MEM_NOT;
    f->inst = in;
    f->pc = (int32_t)t->pc;
    f->stream = NULL;
    f->active = f->present = 1;
    f->access.unperformed = 0;
    for (int i = 0; i < 3; i++) {
        const IsaPred *p = &in->isa->psrc[i];
        f->psrc[i] = p->neg ? ~t->pred[p->reg] : t->pred[p->reg];
    }
    t->flights++;
    t->pending |= in->writes;
    t->pending_preds |= in->pred_writes;
    if (x->to_memory) {
        if (in->long_latency) t->pending_long |= in->writes;
        t->all++;
        t->accesses++;
        t->writes += in->mem >= SM_MEM_WRITE;
        t->atomics += in->mem == SM_MEM_ATOMIC;
    }
    notify_thread_begun(
        sm, (ThreadEvent){.thread = thread, .number = thread_number(s, f), .flight = f});
    return f;
}

void scalar_end_flight(Scalar *s, Flight *f) {
    ScalarThread *t = thread_of(s, f);
    t->flights--;
    if (thread_flight(f)->to_memory) t->all--;
    f->inst = NULL;
    flight_push(&s->unused, FLIGHT_AT, f);
}

// ---- results ----

static void write_predicates(ScalarThread *t, const Flight *f) {
    for (int i = 0; i < 2; i++)
        if (f->inst->isa->pdst[i] != ISA_PT) t->pred[f->inst->isa->pdst[i]] = f->out.pdst[i] & 1;
    t->pending_preds &= (uint8_t)~f->inst->pred_writes;
}

// The result is available.
static void complete_flight(Sm *sm, Scalar *s, ScalarUnit *u, Flight *f, FlightList *to) {
    notify_thread_result(sm,
                         (ThreadEvent){.thread = thread_flight(f)->thread,
                                       .number = thread_number(s, f),
                                       .flight = f});
    write_predicates(thread_of(s, f), f);
    if (!f->inst->nwrites) {
        scalar_end_flight(s, f);
        return;
    }
    flight_push(to, FLIGHT_AT, f);
    u->nresults++;
}

static void finish_execution(Sm *sm, Scalar *s, ScalarUnit *u) {
    for (Flight *f = u->executing.first, *after; f; f = after) {
        after = flight_after(f, FLIGHT_AT);
        if (thread_flight(f)->ready > s->clock) continue;
        flight_remove(&u->executing, FLIGHT_AT, f);
        complete_flight(sm, s, u, f, &u->results);
    }
}

void scalar_write_words(Sm *sm, ScalarUnit *u, const Flight *f, int base, uint8_t *left) {
    for (uint32_t words = *left; words; words &= words - 1) {
        const int k = __builtin_ctz(words);
        const uint32_t word = (uint32_t)(base + f->inst->dst_reg[k]), bank = word % SRF_BANKS;
        if (u->rf_in->wr_valid[0] >> bank & 1) continue;
        u->rf_in->wr_valid[0] |= 1u << bank;
        u->rf_in->wr_addr[bank] = word / SRF_BANKS;
        u->rf_in->wr_data[bank] = f->out.dst[f->inst->dst_word[k]][0];
        *left &= (uint8_t) ~(1u << k);
        sm->count->v[CTR_SCALAR_RF_WRITES]++;
    }
}

static void write_list(Sm *sm, Scalar *s, ScalarUnit *u, FlightList *of) {
    for (Flight *f = of->first; f; f = flight_after(f, FLIGHT_AT))
        scalar_write_words(sm, u, f, thread_of(s, f)->base, &thread_flight(f)->left);
}

static void drop_written(Scalar *s, ScalarUnit *u, FlightList *of) {
    for (Flight *f = of->first, *after; f; f = after) {
        after = flight_after(f, FLIGHT_AT);
        if (thread_flight(f)->left) continue;
        ScalarThread *t = thread_of(s, f);
        t->pending &= ~f->inst->writes;
        t->pending_long &= ~f->inst->writes;
        flight_remove(of, FLIGHT_AT, f);
        u->nresults--;
        scalar_end_flight(s, f);
    }
}

// Results of memory first, then the oldest, one word per bank.
static void write_results(Sm *sm, Scalar *s, ScalarUnit *u) {
    finish_execution(sm, s, u);
    for (Flight *f; !sm->failed && (f = flight_pop(&u->loaded, FLIGHT_AT));)
        complete_flight(sm, s, u, f, &u->arrived);
    write_list(sm, s, u, &u->arrived);
    write_list(sm, s, u, &u->results);
    drop_written(s, u, &u->arrived);
    drop_written(s, u, &u->results);
}

// ---- execution ----

void scalar_where(const Sm *sm, const Scalar *s, const Flight *f, char *buf, size_t size) {
    const ScalarThread *t = &s->thread[((const ThreadFlight *)f)->thread];
    char text[160];
    isa_print_inst(text, sizeof text, f->inst->isa);
    char *comment = strstr(text, " //");
    if (comment) *comment = '\0';
    snprintf(buf, size, "kernel %s: scalar thread of CTA (%u,%u,%u), pc %d `%s`",
             sm->launch->program->name, t->ctaid[0], t->ctaid[1], t->ctaid[2], f->pc, text);
}

static uint32_t value_of_sreg(const Sm *sm, const ScalarThread *t, int sreg) {
    const Warp lane = {.cta = 0, .front = NULL};
    switch (sreg) {
    case ISA_SREG_CTA_LINEAR: return t->linear;
    case ISA_SREG_NCTA_RESIDENT: return (uint32_t)sm->cta_room;
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z: return t->ctaid[sreg - PTX_SREG_CTAID_X];
    default: return execute_sreg(sm, &lane, sreg, 0);
    }
}

static void read_special(const Sm *sm, const ScalarThread *t, Flight *f) {
    f->out.dst[0][0] = value_of_sreg(sm, t, f->inst->isa->sreg);
    f->out.dst[1][0] = (uint32_t)(sm->cycle >> 32);
}

static void compute_value(Flight *f) {
    IsaExecIn x = {.active = 1, .present = 1};
    for (int i = 0; i < 3; i++) {
        for (int w = 0; w < f->inst->isa->src[i].width; w++) x.src[i][w] = flight_source(f, i, w);
        x.psrc[i] = f->psrc[i];
    }
    isa_exec(f->inst->isa, &x, &f->out);
}

static void go_to(ScalarUnit *u, ScalarThread *t, int thread, uint32_t pc) {
    t->pc = pc;
    t->fetch_pc = (int)pc;
    t->buffered = 0;
    if (u->fetching == thread) u->fetching = SM_NONE;
}

// Instructions whose operand decides the thread's next instruction, or its barrier.
static void control_operand(Sm *sm, Scalar *s, ScalarUnit *u, Flight *f) {
    const int thread = thread_flight(f)->thread;
    ScalarThread *t = &s->thread[thread];
    const IsaInst *isa = f->inst->isa;
    const uint32_t value = flight_source(f, 0, 0)[0];
    t->control = false;
    if (isa->op == ISA_BRX) {
        char place[256];
        scalar_where(sm, s, f, place, sizeof place);
        if (value >= (uint32_t)s->isa->table_len[isa->target])
            sm_fail(sm, EXIT_WRONG_RESULT, "%s: branch index %u is beyond its table of %d targets",
                    place, value, s->isa->table_len[isa->target]);
        else go_to(u, t, thread, (uint32_t)s->isa->tables[isa->target][value]);
    } else {
        go_to(u, t, thread, t->pc + 1);
        scalar_arrive(sm, s, thread, value, isa->mode == ISA_BAR_SYNC, f);
    }
    scalar_end_flight(s, f);
}

static bool can_execute(const Scalar *s, const ScalarUnit *u, const Flight *f) {
    if (u->nresults >= SCALAR_RESULTS || u->free[f->inst->unit & 3] > s->clock) return false;
    return f->inst->mem == SM_MEM_NOT || u->nqueue < SCALAR_QUEUE;
}

static void execute_flight(Sm *sm, Scalar *s, ScalarUnit *u, Flight *f) {
    u->free[f->inst->unit & 3] = s->clock + (unsigned)f->inst->interval;
    sm->count->v[f->inst->mem != SM_MEM_NOT          ? CTR_SCALAR_LDST
                     : f->inst->unit == ISA_UNIT_SFU ? CTR_SCALAR_SFU
                                                     : CTR_SCALAR_ALU]++;
    if (f->inst->mem != SM_MEM_NOT) {
        scalar_access(sm, s, u, f);
        return;
    }
    if (f->inst->is_control) {
        control_operand(sm, s, u, f);
        return;
    }
    if (f->inst->isa->op == ISA_S2R) read_special(sm, thread_of(s, f), f);
    else compute_value(f);
    thread_flight(f)->ready = s->clock + (unsigned)f->inst->latency;
    flight_push(&u->executing, FLIGHT_AT, f);
}

static void dispatch_flight(Sm *sm, Scalar *s, ScalarUnit *u) {
    const ScalarCollectOut *out = u->collect_out;
    if (!out->disp_valid[0]) return;
    Flight *f = u->collecting.first;
    panic_if(!f || (int)out->disp_ctx[0] != thread_flight(f)->thread,
             "scalar_collect offers an operation that it did not receive");
    if (!can_execute(s, u, f)) {
        sm->count->v[CTR_SCALAR_PIPE_WAITS]++;
        return;
    }
    flight_pop(&u->collecting, FLIGHT_AT);
    u->collect_in->disp_ready[0] = 1;
    for (int k = 0; k < f->inst->nops; k++) f->ops[k][0] = out->disp_data[k];
    sm->count->v[CTR_SCALAR_RF_READS] += f->inst->nops;
    execute_flight(sm, s, u, f);
}

// ---- issue ----

enum { READY = -1 };

// Counter of the thread's stall cause; READY: none.
static int waits_for(const Scalar *s, const ScalarUnit *u, const ScalarThread *t) {
    if (t->at_barrier) return CTR_SCALAR_STALL_BARRIER;
    if (!t->buffered || t->control) return CTR_SCALAR_STALL_FETCH;
    const SmInst *in = &s->program.insts[t->pc];
    const uint64_t regs = (in->reads | in->writes) & t->pending;
    if (regs) return regs & t->pending_long ? CTR_SCALAR_STALL_LONG : CTR_SCALAR_STALL_SHORT;
    if ((in->pred_reads | in->pred_writes) & t->pending_preds) return CTR_SCALAR_STALL_SHORT;
    if (in->isa->op == ISA_MEMBAR && t->all) return CTR_SCALAR_STALL_MEMBAR;
    if (in->isa->op == ISA_BAR && (t->accesses || t->atomics)) return CTR_SCALAR_STALL_MEMBAR;
    if ((in->mem == SM_MEM_READ && t->writes) || (in->mem >= SM_MEM_WRITE && t->accesses))
        return CTR_SCALAR_STALL_ORDER;
    if (in->global && in->mem != SM_MEM_ATOMIC && t->atomics) return CTR_SCALAR_STALL_ORDER;
    if (!in->at_issue && (!u->collect_out->alloc_ready[0] || !s->unused.first))
        return CTR_SCALAR_STALL_COLLECT;
    return READY;
}

static void to_collector(Sm *sm, Scalar *s, ScalarUnit *u, int thread, const SmInst *in) {
    ScalarCollectIn *c = u->collect_in;
    Flight *f = begin_flight(sm, s, thread, in);
    c->alloc_valid[0] = 1;
    c->alloc_ctx[0] = (uint32_t)thread;
    c->alloc_need[0] = (1u << in->nops) - 1;
    for (int k = 0; k < SC_NEED; k++) c->alloc_reg[k] = k < in->nops ? in->op_reg[k] : 0;
    flight_push(&u->collecting, FLIGHT_AT, f);
}

static void step_thread(ScalarThread *t) {
    t->pc++;
    t->buffered--;
}

static void trap_thread(Sm *sm, Scalar *s, int thread, const SmInst *in) {
    char place[256];
    ThreadFlight x = {
        .flight.inst = in, .flight.pc = (int32_t)s->thread[thread].pc, .thread = (int16_t)thread};
    scalar_where(sm, s, &x.flight, place, sizeof place);
    sm_fail(sm, EXIT_WRONG_RESULT, "%s: trap", place);
}

static void at_issue(Sm *sm, Scalar *s, ScalarUnit *u, int thread, const SmInst *in) {
    ScalarThread *t = &s->thread[thread];
    switch (in->isa->op) {
    case ISA_BRA: go_to(u, t, thread, (uint32_t)in->isa->target); break;
    case ISA_EXIT:
        t->leaving = true;
        go_to(u, t, thread, t->pc);
        break;
    case ISA_BAR: {
        ThreadFlight x = {
            .flight.inst = in, .flight.pc = (int32_t)t->pc, .thread = (int16_t)thread};
        step_thread(t);
        scalar_arrive(sm, s, thread, in->src_fixed[0][0][0], in->isa->mode == ISA_BAR_SYNC,
                      &x.flight);
        break;
    }
    case ISA_TRAP: trap_thread(sm, s, thread, in); break;
    default: step_thread(t);
    }
}

static void issue_instruction(Sm *sm, Scalar *s, ScalarUnit *u, int thread) {
    ScalarThread *t = &s->thread[thread];
    const SmInst *in = &s->program.insts[t->pc];
    const IsaPred *g = &in->isa->guard;
    const bool active = (g->neg ? ~t->pred[g->reg] : t->pred[g->reg]) & 1;
    u->last_issued = thread;
    sm_progress(sm);
    sm->count->v[CTR_SCALAR_INSTS]++;
    notify_thread_issued(sm, (ThreadEvent){.thread = thread, .pc = t->pc, .active = active});
    if (!active) {
        step_thread(t);
    } else if (in->at_issue) {
        at_issue(sm, s, u, thread, in);
    } else {
        to_collector(sm, s, u, thread, in);
        if (in->is_control) t->control = true;  // control stays set until the operand is available
        else step_thread(t);
    }
}

static bool goes_before(const Sm *sm, const Scalar *s, const ScalarUnit *u, int a, int b) {
    if (sm->cfg->scalar_scheduler == SCALAR_OLDEST) return s->thread[a].born < s->thread[b].born;
    const int n = s->nthreads;
    return (a - u->last_issued - 1 + n) % n < (b - u->last_issued - 1 + n) % n;
}

// A unit without threads counts as idle whether or not its blocks are clocked (scalar.c).
static void issue_stage(Sm *sm, Scalar *s, ScalarUnit *u) {
    if (!u->threads) return;
    u->has_counted = true;
    int chosen = SM_NONE, stall = CTR_SCALAR_IDLE;
    for (uint64_t left = u->threads; left; left &= left - 1) {
        const int thread = lowest(left);
        if (s->thread[thread].leaving) continue;
        const int what = waits_for(s, u, &s->thread[thread]);
        if (what == READY) {
            if (chosen == SM_NONE || goes_before(sm, s, u, thread, chosen)) chosen = thread;
        } else if (stall == CTR_SCALAR_IDLE || stall == CTR_SCALAR_STALL_BARRIER) {
            stall = what;
        }
    }
    if (chosen == SM_NONE) sm->count->v[stall]++;
    else issue_instruction(sm, s, u, chosen);
}

// ---- fetch ----

static void decode_stage(Scalar *s, ScalarUnit *u) {
    if (u->fetching != SM_NONE) s->thread[u->fetching].buffered += u->nfetching;
    u->fetching = SM_NONE;
}

// Fetches 16 bytes for the emptiest buffer, round-robin among equals.
static void fetch_stage(Scalar *s, ScalarUnit *u) {
    int chosen = SM_NONE;
    for (int k = 1; k <= s->nthreads; k++) {
        const int thread = (u->last_fetched + k) % s->nthreads;
        const ScalarThread *t = &s->thread[thread];
        if (!(u->threads >> thread & 1) || t->leaving || t->control || t->buffered >= SCALAR_BUFFER)
            continue;
        if (t->fetch_pc >= s->program.ninsts) continue;
        if (chosen == SM_NONE || t->buffered < s->thread[chosen].buffered) chosen = thread;
    }
    if (chosen == SM_NONE) return;
    ScalarThread *t = &s->thread[chosen];
    int n = SCALAR_BUFFER - t->buffered;
    if (n > s->program.ninsts - t->fetch_pc) n = s->program.ninsts - t->fetch_pc;
    u->fetching = u->last_fetched = chosen;
    u->nfetching = n;
    t->fetch_pc += n;
}

// ---- a clock ----

void scalar_clock(Sm *sm, Scalar *s, ScalarUnit *u) {
    u->rf_in->en[0] = u->collect_in->en[0] = 1;
    write_results(sm, s, u);
    if (sm->failed) return;
    dispatch_flight(sm, s, u);
    u->collect_in->rd_data_valid[0] = u->rf_out->rd_data_valid[0];
    memcpy(u->collect_in->rd_data, u->rf_out->rd_data, sizeof u->collect_in->rd_data);
    u->rf_in->rd_valid[0] = u->collect_out->rd_valid[0];
    memcpy(u->rf_in->rd_addr, u->collect_out->rd_addr, sizeof u->rf_in->rd_addr);
    if (!sm->failed) issue_stage(sm, s, u);
    decode_stage(s, u);
    fetch_stage(s, u);
    for (uint64_t left = u->threads; left; left &= left - 1) {
        const ScalarThread *t = &s->thread[lowest(left)];
        if (t->leaving && !t->flights) scalar_thread_ends(sm, s, lowest(left));
    }
}
