// SPDX-License-Identifier: Apache-2.0
// Launches by the program.
#include "device/context_parts.h"

#include "base/console.h"
#include "config/occupancy.h"
#include "proc/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_Z = 64, MOST_GRID_YZ = 65535 };

// ---- dimensions of a launch ----

KernelLaunch launches_dims(const CudaDims *s) {
    KernelLaunch l = {.shared_bytes = (uint32_t)s->shared};
    for (int i = 0; i < 3; i++)
        l.grid[i] = (uint32_t)s->grid[i], l.block[i] = (uint32_t)s->block[i];
    return l;
}

static uint64_t count_threads(const CudaDims *s) { return s->block[0] * s->block[1] * s->block[2]; }

int launches_check(Context *c, const ContextFunction *f, const CudaDims *s) {
    static const uint64_t most_ctas[] = {0x7fffffff, MOST_GRID_YZ, MOST_GRID_YZ};
    static const uint64_t most_threads[] = {MOST_THREADS, MOST_THREADS, MOST_Z};
    const int shared = c->run.setup.cfg->shared_bytes;
    bool ok = count_threads(s) <= MOST_THREADS;
    for (int i = 0; i < 3; i++)
        ok &= s->grid[i] && s->grid[i] <= most_ctas[i] && s->block[i] &&
            s->block[i] <= most_threads[i];
    if (!ok) {
        context_warn(c,
                     "kernel %s: a grid of %" PRIu64 "x%" PRIu64 "x%" PRIu64
                     " with blocks of %" PRIu64 "x%" PRIu64 "x%" PRIu64 " cannot be launched",
                     f->name, s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1],
                     s->block[2]);
        return CUDA_InvalidConfiguration;
    }
    if (s->shared <= (uint64_t)shared) return CUDA_Success;
    context_warn(c, "kernel %s: %" PRIu64 " bytes of dynamic shared memory, and an SM has %d",
                 f->name, s->shared, shared);
    return CUDA_InvalidValue;
}

static uint64_t count_resident(const Context *c, const LoadedKernel *k, uint64_t threads,
                               uint64_t shared) {
    const CtaNeed need = {(int)threads, k->report->registers, function_shared(k) + shared};
    return threads && threads <= MOST_THREADS ? occupancy_ctas(c->run.setup.cfg, &need, NULL) : 0;
}

int launches_occupancy(Context *c, uint64_t function, uint64_t threads, uint64_t shared,
                       Answer *answer) {
    const CudaDims dims = {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .shared = shared};
    const KernelLaunch l = launches_dims(&dims);
    ContextFunction *f;
    LoadedKernel *k;
    int error = function_of(c, function, &f);
    if (!error) error = function_kernel(c, f, &l, &k);
    if (!error) answer->reply.answered.occupancy.ctas = count_resident(c, k, threads, shared);
    return error;
}

static int check_cooperative(const Context *c, const LoadedKernel *k, const CudaDims *s,
                             uint64_t flags) {
    if (!(flags & CUDA_LAUNCH_COOPERATIVE)) return CUDA_Success;
    const uint64_t fits =
        count_resident(c, k, count_threads(s), s->shared) * (unsigned)c->run.machine.nsms;
    return s->grid[0] * s->grid[1] * s->grid[2] <= fits ? CUDA_Success
                                                        : CUDA_CooperativeLaunchTooLarge;
}

// ---- one launch ----

int launches_reach(Context *c, LoadedKernel *k, const uint8_t *params) {
    for (int w = 0; k->program && w < k->program->nzero_params; w++) {
        Diag d = {0};
        uint32_t word;
        memcpy(&word, params + k->program->zero_params[w], sizeof word);
        if (!word) continue;
        if (program_compile(&c->run.program, k, 64, &d)) return CUDA_Success;
        return context_judge(c, &d), CUDA_InvalidPtx;
    }
    return CUDA_Success;
}

// --only KERNEL[:N] or N.
static bool is_wanted(Context *c, const ContextFunction *f) {
    const char *only = c->o->only;
    if (!only) return true;
    const size_t digits = strspn(only, "0123456789");
    if (!only[digits]) return strtoul(only, NULL, 10) == (unsigned long)c->nlaunches;
    const char *last = strrchr(only, ':');
    const bool nth = last && last[1] && !last[1 + strspn(last + 1, "0123456789")];
    const char *name = nth ? arena_strndup(c->arena, only, (size_t)(last - only)) : only;
    if (!ptx_name_is(f->name, name)) return false;
    c->nof_kernel++;
    return !nth || strtoul(last + 1, NULL, 10) == (unsigned long)c->nof_kernel;
}

static int error_of(const Diag *d) {
    switch (d->status) {
    case EXIT_PASS: return CUDA_Success;
    case EXIT_HANG: return CUDA_LaunchTimeout;
    case EXIT_WRONG_RESULT:
        if (strstr(d->text, "assertion `")) return CUDA_Assert;
        if (strstr(d->text, ": trap by ")) return CUDA_LaunchFailure;
        return strstr(d->text, "misaligned") ? CUDA_MisalignedAddress : CUDA_IllegalAddress;
    default: return CUDA_LaunchFailure;
    }
}

int launches_one(Context *c, const ContextFunction *f, const KernelLaunch *l, LoadedKernel *k) {
    Diag d = {0};
    c->nlaunches++;
    const bool detail = is_wanted(c, f);
    if (detail && k->refused) {
        diag_fail(&d, EXIT_USAGE, "%s", k->refused);
        return context_judge(c, &d), CUDA_InvalidPtx;
    }
    console_progress("launch %d: %s%s", c->nlaunches, f->name, detail ? "" : " (oracle)");
    const double since = clock_seconds();
    if (detail) c->nsimulated++, simulate_launch(c, k, l, &d);
    else simulate_result(c, k, l, &d);
    c->run.report->seconds += clock_seconds() - since;
    if (d.status == EXIT_USAGE) {  // the machine has no room for it
        context_warn(c, "%s", d.text);
        return CUDA_LaunchOutOfResources;
    }
    if (diag_ok(&d)) return CUDA_Success;
    context_judge(c, &d);
    return c->sticky = error_of(&d);
}

// ---- the request ----

static void take_prints(Context *c, Answer *answer) {
    fflush(c->prints);
    if (c->nprinted) {
        answer->payload = malloc(c->nprinted);
        panic_if(!answer->payload, "out of memory");
        memcpy(answer->payload, c->printed, c->nprinted);
        answer->reply.bytes = c->nprinted;
    }
    fseeko(c->prints, 0, SEEK_SET);
    fflush(c->prints);
}

int launches_answer(Context *c, const CudaRequest *q, const uint8_t *payload, Answer *answer) {
    const CudaDims *dims = &q->asked.launch.dims;
    ContextFunction *f;
    LoadedKernel *k;
    int error = function_of(c, q->asked.launch.function, &f);
    if (!error) error = launches_check(c, f, dims);
    if (error) return error;
    KernelLaunch l = launches_dims(dims);
    if ((error = function_kernel(c, f, &l, &k))) return error;
    if (q->bytes != (uint64_t)k->entry->param_bytes) return CUDA_InvalidValue;
    if ((error = launches_reach(c, k, payload))) return error;
    if ((error = check_cooperative(c, k, dims, q->asked.launch.flags))) return error;
    l.params = payload;
    error = launches_one(c, f, &l, k);
    if (!error && c->queue) error = queued_launch(c, f->module);
    take_prints(c, answer);
    return error;
}
