// SPDX-License-Identifier: Apache-2.0
// Requests of a program's CUDA runtime library. Memory, modules and the SM are in this separate
// process, so that the program cannot damage them.
#include "device/context_parts.h"

#include "base/console.h"
#include "base/plain.h"
#include "device/capture.h"
#include "session/findings.h"
#include "session/profile.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STACK = 65536, WARNINGS_SHOWN = 30 };

// ---- words ----

void context_warn(Context *c, const char *format, ...) {
    if (c->nwarnings++ > WARNINGS_SHOWN) return;
    char text[1200];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    console_progress(NULL);
    fprintf(stderr, "smcosim: warning: %s\n",
            c->nwarnings > WARNINGS_SHOWN ? "further warnings are not shown"
                                          : plain_text(c->arena, text));
}

void context_judge(Context *c, const Diag *d) {
    if (diag_ok(&c->verdict)) c->verdict = *d;
    else if (strcmp(c->verdict.text, d->text)) context_warn(c, "%s", d->text);
}

void context_refuse(Context *c, const char *text) {
    Diag d = {0};
    diag_fail(&d, EXIT_ENVIRONMENT, "%s: %s", c->run.name, text);
    context_judge(c, &d);
}

void context_cut_off(Context *c, int process) {
    const char *text =
        arena_printf(c->arena,
                     "process %d has lost its connection to the simulator while it went on (did it "
                     "close all of its descriptors?): its calls of CUDA from then on had no effect",
                     process);
    context_refuse(c, text);
}

static void tell_unsupported(Context *c, const char *name) {
    for (int i = 0; i < c->nunsupported; i++)
        if (!strcmp(c->unsupported[i], name)) return;
    *ARENA_PUSH(c->arena, c->unsupported, c->nunsupported, c->cap_unsupported) =
        arena_strndup(c->arena, name, strlen(name));
    console_progress(NULL);
    fprintf(stderr,
            "smcosim: warning: the program calls %s, which is not supported: "
            "cudaErrorNotSupported\n",
            plain_text(c->arena, name));
}

// ---- opening ----

static bool check_exec(const ExecOptions *o, const MachineConfig *cfg, Diag *d) {
    return !profile_asked(&o->session, cfg) ||
        diag_fail(d, EXIT_USAGE,
                  "caba.profile: measured requires earlier runs of the baseline, which are "
                  "impossible for a program: expected none");
}

Context *context_open(Arena *arena, const ExecOptions *o, const MachineConfig *cfg,
                      LaunchReport *report, Diag *d) {
    if (!check_exec(o, cfg, d)) return NULL;
    Context *c = ARENA_NEW(arena, Context);
    Run *r = &c->run;
    c->arena = arena;
    c->o = o;
    c->prints = open_memstream(&c->printed, &c->nprinted);
    panic_if(!c->prints, "out of memory");
    run_begin(r, arena, &o->session, report);
    r->name = report->name;
    r->setup.cfg = setup_machine(arena, &o->session.arch, cfg);
    report->limit_binds = config_memory_limits(r->setup.cfg, report->limits);
    r->given = cfg;
    r->use = (MachineUse){.print_to = c->prints, .no_snapshots = true};
    r->found = (OracleFindings){.arena = arena, .races = o->session.check_race};
    if (device_open(&r->memory, arena, d) && run_open_machine(r, d) &&
        (!o->capture || capture_probe(o->capture, d)))
        return c;
    context_close(c);
    return NULL;
}

void context_close(Context *c) {
    run_end(&c->run);
    fclose(c->prints);
    free(c->printed);
}

int context_launches(const Context *c) { return c->nlaunches; }

// ---- requests ----

// A recursion gets the stack that the program requests, or compiler.stack if that is more.
static int set_stack(Context *c, uint64_t bytes) {
    if (bytes > MOST_STACK) return CUDA_InvalidValue;
    c->run.program.stack_bytes = (int)bytes;
    return CUDA_Success;
}

static int check_protocol(Context *c, uint64_t protocol) {
    if (protocol == CUDA_PROTOCOL) return CUDA_Success;
    context_warn(c, "the program's CUDA runtime library is from another version of smcosim");
    return CUDA_SystemNotReady;
}

static int copy_rows(Context *c, const CudaAsked *q) {
    CudaRows from = q->copy.to;
    from.at = q->copy.from;
    from.pitch = q->copy.from_pitch;
    from.slice = q->copy.from_slice;
    return rows_copy(c, &q->copy.to, &from);
}

// Answers requests that are independent of the context's error. False: not such a request.
static bool answer_always(Context *c, const CudaRequest *r, const uint8_t *payload, Answer *answer,
                          int *error) {
    const CudaAsked *q = &r->asked;
    const char *text = (const char *)payload;  // NUL-terminated by the caller
    *error = CUDA_Success;
    switch ((CudaOp)r->op) {
    case CUDA_OP_HELLO: *error = check_protocol(c, q->hello.protocol); return true;
    case CUDA_OP_MODULE:
        *error = registered_add(c, q->module.code, payload, r->bytes,
                                &answer->reply.answered.module.module);
        return true;
    case CUDA_OP_DEVICE: properties_answer(c, answer); return true;
    case CUDA_OP_WARN: context_warn(c, "%s", text); return true;
    case CUDA_OP_UNSUPPORTED: tell_unsupported(c, text); return true;
    case CUDA_OP_MEMORY: allocate_left(c, answer); return true;
    case CUDA_OP_LOST: context_cut_off(c, (int)q->lost.process); return true;
    default: return false;
    }
}

static int answer_one(Context *c, int owner, const CudaRequest *r, const uint8_t *payload,
                      Answer *answer) {
    const CudaAsked *q = &r->asked;
    const char *text = (const char *)payload;
    switch ((CudaOp)r->op) {
    case CUDA_OP_FUNCTION: return function_find(c, q->function.module, text, answer);
    case CUDA_OP_VARIABLE: return variable_find(c, q->variable.module, text, answer);
    case CUDA_OP_ALLOC:
        return allocate_memory(c, owner, q->alloc.bytes, q->alloc.kind, q->alloc.align, answer);
    case CUDA_OP_FREE: return allocate_free(c, q->free.address);
    case CUDA_OP_MAP: return allocate_map(c, q->map.address);
    case CUDA_OP_WRITE: return rows_write(c, &q->write, payload, r->bytes);
    case CUDA_OP_CHECK: return rows_check(c, &q->check);
    case CUDA_OP_READ: return rows_read(c, &q->read, answer);
    case CUDA_OP_COPY: return copy_rows(c, q);
    case CUDA_OP_FILL: return rows_fill(c, &q->fill.to, q->fill.value, q->fill.unit);
    case CUDA_OP_LAUNCH: return launches_answer(c, r, payload, answer);
    case CUDA_OP_OCCUPANCY:
        return launches_occupancy(c, q->occupancy.function, q->occupancy.threads,
                                  q->occupancy.shared, answer);
    case CUDA_OP_RANGE: return allocate_range(c, q->range.address, answer);
    case CUDA_OP_SYNC: return CUDA_Success;
    case CUDA_OP_STACK: return set_stack(c, q->stack.bytes);
    case CUDA_OP_RESET: return context_leave(c, owner), CUDA_Success;
    case CUDA_OP_UNLOAD: return registered_unload(c, q->unload.module), CUDA_Success;
    default: return CUDA_InvalidValue;
    }
}

void context_answer(Context *c, int owner, const CudaRequest *r, const uint8_t *payload,
                    CudaReply *reply, uint8_t **out) {
    Answer answer = {0};
    int error;
    if (!answer_always(c, r, payload, &answer, &error))
        error = c->sticky ? c->sticky : answer_one(c, owner, r, payload, &answer);
    *reply = answer.reply;
    *out = answer.payload;
    reply->error = (uint32_t)error;
    reply->sticky = c->sticky != 0;
    reply->cycle = gpu_cycle(c->run.machine.gpu);
}

// ---- the end ----

static void fill_report(Context *c) {
    LaunchReport *r = c->run.report;
    const Program *p = &c->run.program;
    collect_counters(&c->run.machine, r);
    r->kernels = ARENA_ARRAY(c->arena, KernelReport, p->nkernels + 1);
    for (int i = 0; i < p->nkernels; i++)
        if (p->kernels[i].report && p->kernels[i].report->launches)
            r->kernels[r->nkernels++] = *p->kernels[i].report;
    collect_blocks(&c->run.machine, r);
}

bool context_finish(Context *c, Diag *d) {
    Run *s = &c->run;
    LaunchReport *r = s->report;
    const SessionOptions *o = s->setup.o;
    fill_report(c);
    *d = c->verdict;
    if (diag_ok(d)) gpu_finish(s->machine.gpu, d);
    Diag blocks = {0};
    const bool agree = machine_finish(&s->machine, true, &blocks);
    if (!agree && (diag_ok(d) || (blocks.status == EXIT_MISMATCH && d->status != EXIT_MISMATCH)))
        *d = blocks;
    collect_compared(&s->machine, r);
    const CosimFault fault = collect_fault(&s->machine, r);
    if (diag_ok(d) && !c->nlaunches)
        diag_fail(d, EXIT_VACUOUS, "%s: vacuous: the program launched no kernel", r->name);
    if (setup_needs_oracle(o) && (diag_ok(d) || d->status == EXIT_WRONG_RESULT) && !r->nfindings)
        findings_judge(r, &s->found, o, c->arena, d);
    if (diag_ok(d) && !c->nsimulated)
        diag_fail(d, EXIT_VACUOUS,
                  "%s: vacuous: --only %s selects none of the program's %d launches", r->name,
                  c->o->only, c->nlaunches);
    if (diag_ok(d)) checks_compared(r, o, d);
    machine_end_trace(&s->machine, d);
    if (diag_ok(d)) checks_fault(s, fault, d);
    r->status = d->status;
    r->message = arena_strndup(c->arena, d->text, strlen(d->text));
    return diag_ok(d);
}
