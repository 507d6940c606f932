// SPDX-License-Identifier: Apache-2.0
// Counts by instruction from the SMs to the report.
#include "session/run_parts.h"

#include "report/profile_report.h"

#include <string.h>

static ProfileText text_of(Arena *arena, const char *path, const char *text, size_t len) {
    ProfileText t = {.path = path};
    const char **lines = NULL;
    int cap = 0;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        const size_t n = end ? (size_t)(end - text) - at : len - at;
        *ARENA_PUSH(arena, lines, t.n, cap) = arena_strndup(arena, text + at, n);
        at += n + 1;
    }
    t.lines = lines;
    return t;
}

// The CUDA source where the PTX says it is, else beside the PTX.
static ProfileText read_source(Arena *arena, const LoadedModule *m) {
    const char *source = m->module->source, *slash = source ? strrchr(source, '/') : NULL,
               *folder = strrchr(m->path, '/');
    char *text;
    size_t n;
    if (!source) return (ProfileText){0};
    if (file_read(arena, source, &text, &n, &(Diag){0})) return text_of(arena, source, text, n);
    const char *beside = arena_printf(arena, "%.*s%s", folder ? (int)(folder + 1 - m->path) : 0,
                                      m->path, slash ? slash + 1 : source);
    if (file_read(arena, beside, &text, &n, &(Diag){0})) return text_of(arena, beside, text, n);
    return (ProfileText){.path = source};
}

// NULL: no line of the PTX has a line of CUDA.
static const int *map_lines(Arena *arena, const PtxModule *m, int nlines) {
    int *cuda = ARENA_ARRAY(arena, int, nlines + 2);
    bool any = false;
    for (int f = 0; f < m->nfuncs; f++)
        for (int i = 0; i < m->funcs[f].ninsts; i++) {
            const PtxInst *in = &m->funcs[f].insts[i];
            if (in->line < 1 || in->line > nlines || !in->src_line) continue;
            cuda[in->line] = in->src_line;
            any = true;
        }
    return any ? cuda : NULL;
}

static ProfileKernel kernel_of(Run *r, const LoadedKernel *k) {
    Arena *arena = r->setup.arena;
    const SourceText *src = &k->module->module->src;
    char name[1024];
    ptx_plain_name(k->entry->name, name, sizeof name);
    ProfileKernel p = {.name = arena_printf(arena, "%s", name),
                       .entry = k->entry->name,
                       .program = k->program,
                       .ptx = text_of(arena, k->module->path, src->text, src->len),
                       .rows = ARENA_ARRAY(arena, LineCounts, k->program->ninsts + 1)};
    p.cuda_line = map_lines(arena, k->module->module, p.ptx.n);
    if (p.cuda_line) p.cuda = read_source(arena, k->module);
    return p;
}

static int find_kernel(Run *r, const LoadedKernel *k) {
    Profile *p = r->report->lines;
    for (int i = 0; i < p->nkernels; i++)
        if (p->kernels[i].program == k->program) return i;
    *ARENA_PUSH(r->setup.arena, p->kernels, p->nkernels, p->cap_kernels) = kernel_of(r, k);
    return p->nkernels - 1;
}

static void add_counters(Counters *to, const Counters *after, const Counters *before) {
    for (int i = 0; i < CTR_COUNT; i++) to->v[i] += after->v[i] - before->v[i];
    for (int i = 0; i < COUNTER_BANKS; i++) {
        to->bank_reads[i] += after->bank_reads[i] - before->bank_reads[i];
        to->bank_writes[i] += after->bank_writes[i] - before->bank_writes[i];
    }
}

bool gather_launch(Run *r, const LoadedKernel *k, const KernelLaunch *l, const Counters *before,
                   Diag *d) {
    const Gpu *gpu = r->machine.gpu;
    const Counters *after = gpu_counters(gpu);
    if (!r->setup.o->by_line) return true;
    if (!r->report->lines) r->report->lines = ARENA_NEW(r->setup.arena, Profile);
    Profile *p = r->report->lines;
    p->sms = r->machine.nsms;
    const int at = find_kernel(r, k);
    ProfileLaunch *launch = ARENA_PUSH(r->setup.arena, p->launches, p->nlaunches, p->cap_launches);
    *launch = (ProfileLaunch){.kernel = at};
    memcpy(launch->grid, l->grid, sizeof launch->grid);
    memcpy(launch->block, l->block, sizeof launch->block);
    add_counters(&launch->counters, after, before);
    ProfileKernel *kernel = &p->kernels[at];
    add_counters(&kernel->counters, after, before);
    kernel->shape = *k->report;
    gpu_lines(gpu, kernel->rows, k->program->ninsts + 1);
    return profile_check(kernel, d);
}
