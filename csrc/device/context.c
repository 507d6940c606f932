// SPDX-License-Identifier: Apache-2.0
// Requests of a program's CUDA runtime library. Memory, modules and the SM live here, in a process of its own: what the
// program does to its own memory cannot touch them.
#include "device/context.h"

#include "base/console.h"
#include "base/plain.h"
#include "device/capture.h"
#include "device/device_runtime.h"
#include "proc/clock.h"
#include "session/findings.h"
#include "session/profile.h"
#include "session/session_parts.h"
#include "config/occupancy.h"
#include "fatbin/fatbin.h"
#include "fatbin/link.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 1024, MOST_Z = 64, MOST_GRID_YZ = 65535, MOST_STACK = 65536, WARNINGS_SHOWN = 30,
       CONST_WINDOW = 65536, LINK_ARCH = 90 };
enum { CLOCK_KHZ = 1000000 };    // machines have no clock of their own: a cycle counts as a nanosecond
#define PAYLOAD_MOST ((uint64_t)1 << 32)

typedef struct ContextModule {
    LoadedModule loaded;         // .module NULL: not parsed
    const char *text;            // PTX; NULL: there is none, or it cannot be read
    size_t len;
    int arch, error;             // error: of CUDA, when it cannot be used
    const char *why;             // .. in words
    bool told;
    bool gone;                   // unloaded
} ContextModule;

typedef struct ContextFunction {
    ContextModule *module;
    const char *name;
} ContextFunction;

typedef struct Owned {
    uint32_t addr;
    int owner;
} Owned;

struct Context {
    Session s;
    Launch nothing;              // the launch file that there is not
    const ExecOptions *o;
    Arena *arena;
    Diag verdict;
    int sticky;                  // error of CUDA that ended the context
    ContextModule **modules;
    int nmodules, cap_modules;
    ContextFunction *functions;
    int nfunctions, cap_functions;
    Owned *owned;
    int nowned, cap_owned;
    int nallocs, nwarnings, nlaunches, nof_kernel, nsimulated;
    const char *kernel;          // of the last launch
    uint32_t queue;              // of launches from the device; 0: no module has any
    const char **unsupported;
    int nunsupported, cap_unsupported;
    FILE *prints;                // of kernels
    char *printed;
    size_t nprinted;
};

// ---- words ----

static void warning(Context *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warning(Context *c, const char *format, ...) {
    if (c->nwarnings++ > WARNINGS_SHOWN) return;
    char text[1200];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    console_progress(NULL);
    fprintf(stderr, "smcosim: warning: %s\n", c->nwarnings > WARNINGS_SHOWN ? "further warnings are not shown"
                                                                            : plain_text(c->arena, text));
}

// The verdict is the first failure; it is said when the program has ended.
static void judge(Context *c, const Diag *d) {
    if (diag_ok(&c->verdict)) c->verdict = *d;
    else if (strcmp(c->verdict.text, d->text)) warning(c, "%s", d->text);
}

// ---- opening ----

Context *context_open(Arena *arena, const ExecOptions *o, const MachineConfig *cfg, LaunchReport *report, Diag *d) {
    if (o->session.arch.best_ctas) {
        diag_fail(d, EXIT_USAGE, "--arch %s: its limit is found by repeated runs, which a program does not allow",
                  o->session.arch.name);
        return NULL;
    }
    if (profile_asked(&o->session, cfg)) {
        diag_fail(d, EXIT_USAGE, "caba.profile: measured takes runs of the baseline before, which a program does not allow: expected none");
        return NULL;
    }
    Context *c = ARENA_NEW(arena, Context);
    c->arena = arena;
    c->o = o;
    c->prints = open_memstream(&c->printed, &c->nprinted);
    panic_if(!c->prints, "out of memory");
    c->nothing = (Launch){.arena = arena, .name = report->name, .src = {.path = report->name, .text = ""}};
    c->s = (Session){.arena = arena, .o = &o->session, .cfg = session_machine(arena, &o->session.arch, cfg), .given = cfg,
                     .report = report, .launch = &c->nothing, .print_to = c->prints, .no_snapshots = true,
                     .keep_refused = o->only};
    c->s.found = (OracleFindings){.arena = arena, .races = o->session.check_race};
    c->s.have_memory = device_open(&c->s.memory, arena, d);
    if (c->s.have_memory && session_open_machine(&c->s, d) && (!o->capture || capture_probe(o->capture, d))) return c;
    context_close(c);
    return NULL;
}

void context_close(Context *c) {
    session_close_machine(&c->s);
    fclose(c->prints);
    free(c->printed);
}

bool context_lost(const Context *c) { return c->sticky || c->verdict.status == EXIT_INTERRUPTED; }
int context_launches(const Context *c) { return c->nlaunches; }
const char *context_kernel(const Context *c) { return c->kernel; }

// ---- modules ----

static const char *module_name(Context *c, int arch) {
    return arena_printf(c->arena, "%s:sm_%d.%d.ptx", c->s.report->name, arch, c->nmodules + 1);
}

// nvcc -rdc=true: a unit in each container. Units for newer architectures only are left out beside others: they are
// libraries of CUDA's (cudadevrt), of which a program may use nothing.
static void link_module(Context *c, ContextModule *m, const FatBinary *f, Diag *d) {
    const FatImage **images = ARENA_ARRAY(c->arena, const FatImage *, f->ncontainers + 1);
    LinkUnit *units = ARENA_ARRAY(c->arena, LinkUnit, f->ncontainers + 1);
    int n = 0, nunits = 0;
    bool usual = false;
    for (int i = 0; i < f->ncontainers; i++) {
        const FatImage *image = fatbin_ptx(f, i, c->s.report->name, &(Diag){0});
        if (image) images[n++] = image, usual |= image->arch <= LINK_ARCH;
    }
    for (int i = 0; i < n; i++) {
        if (usual && images[i]->arch > LINK_ARCH) continue;
        units[nunits++] = (LinkUnit){images[i]->text, images[i]->len};
        if (images[i]->arch > m->arch) m->arch = images[i]->arch;
    }
    if (nunits) m->text = link_ptx(c->arena, c->s.report->name, units, nunits, &m->len, d);
    else fatbin_ptx(f, -1, c->s.report->name, d);
    if (!m->text) m->error = nunits ? CUDA_InvalidPtx : CUDA_NoKernelImageForDevice;
}

// Takes the PTX out of what the program registered. What is wrong with it matters once it is used.
static int add_module(Context *c, CudaCode kind, const uint8_t *bytes, size_t n, uint64_t *id) {
    ContextModule *m = ARENA_NEW(c->arena, ContextModule);
    Diag d = {0};
    FatBinary f = {0};
    m->arch = 0;
    if (kind == CUDA_CODE_PTX) {
        m->text = arena_strndup(c->arena, (const char *)bytes, n);
        m->len = strlen(m->text);
    } else if (!fatbin_read(&f, c->arena, c->s.report->name, bytes, n, &d)) {
        m->error = CUDA_InvalidKernelImage;
    } else if (kind == CUDA_CODE_LINK) {
        link_module(c, m, &f, &d);
    } else {
        const FatImage *image = fatbin_ptx(&f, -1, c->s.report->name, &d);
        if (image) m->text = image->text, m->len = image->len, m->arch = image->arch;
        else m->error = CUDA_NoKernelImageForDevice;
    }
    if (m->error) m->why = arena_strndup(c->arena, d.text, strlen(d.text));
    m->loaded.path = module_name(c, m->arch);
    *id = (uint64_t)c->nmodules;
    *ARENA_PUSH(c->arena, c->modules, c->nmodules, c->cap_modules) = m;
    return CUDA_Success;
}

// Special registers %envreg1 and %envreg2 hold the address of 8 bytes in which the CTAs of a cooperative launch wait
// for each other; here it is the same for all launches of a module, and stands in its text.
static bool grid_workspace(Context *c, ContextModule *m, Diag *d) {
    const char *at = strstr(m->text, "%envreg");
    if (!at) return true;
    const uint32_t addr = device_alloc(&c->s.memory, "grid", 8);
    if (!addr) return diag_fail(d, EXIT_USAGE, "%s: no device memory left for cooperative launches", m->loaded.path);
    char *text, *to;
    to = text = arena_alloc(c->arena, m->len * 2 + 1);
    const char *from = m->text;
    for (; at; from = at + strlen("%envreg2"), at = strstr(from, "%envreg")) {
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        to += sprintf(to, "%u", at[strlen("%envreg")] == '2' ? addr : 0);
    }
    strcpy(to, from);
    m->text = text;
    m->len = strlen(text);
    return true;
}

// Bodies for what the module calls of the device runtime.
static bool give_bodies(Context *c, ContextModule *m, Diag *d) {
    const char *text = device_runtime_bodies(c->arena, &c->s.memory, m->loaded.path, m->text, &c->queue, d);
    if (!text) return false;
    if (c->queue) c->s.unordered = c->queue;
    m->text = text;
    m->len = strlen(m->text);
    return true;
}

// Parsed, its variables placed. An error of CUDA.
static int ready_module(Context *c, uint64_t id, ContextModule **module) {
    if (id >= (uint64_t)c->nmodules || c->modules[id]->gone) return CUDA_InvalidResourceHandle;
    ContextModule *m = *module = c->modules[id];
    if (m->loaded.module && !m->error) return CUDA_Success;
    Diag d = {0};
    if (!m->error) {
        if (!give_bodies(c, m, &d) || !grid_workspace(c, m, &d)) return judge(c, &d), m->error = CUDA_MemoryAllocation;
        m->loaded.module = ptx_parse(c->arena, m->loaded.path, m->text, m->len, &d);
        if (!m->loaded.module) m->error = CUDA_InvalidPtx;
        else if (!layout_module(&m->loaded.layout, c->arena, m->loaded.module, &c->s.memory, &d))
            m->error = CUDA_InvalidPtx;
    } else {
        diag_fail(&d, EXIT_USAGE, "%s", m->why);
    }
    if (m->error && !m->told) judge(c, &d);
    m->told = true;
    return m->error;
}

static int function_of(Context *c, uint64_t id, ContextFunction **f) {
    if (id >= (uint64_t)c->nfunctions) return CUDA_InvalidResourceHandle;
    *f = &c->functions[id];
    return CUDA_Success;
}

// The shape of a launch as a launch file's step.
static LaunchStep step_of(const ContextFunction *f, const uint64_t a[7], uint64_t shared) {
    LaunchStep s = {.kernel = f->name, .ptx = f->module->loaded.path, .shared_bytes = (uint32_t)shared};
    for (int i = 0; i < 3; i++) s.grid[i] = (uint32_t)a[i], s.block[i] = (uint32_t)a[3 + i];
    return s;
}

static int kernel_of(Context *c, const ContextFunction *f, const LaunchStep *step, LoadedKernel **k) {
    Diag d = {0};
    *k = session_kernel(&c->s, &f->module->loaded, step, &d);
    if (!*k) return judge(c, &d), CUDA_InvalidPtx;
    if ((*k)->report) return CUDA_Success;
    KernelReport *r = (*k)->report = ARENA_NEW(c->arena, KernelReport);
    const IsaProgram *p = (*k)->program;
    if (!p) {
        *r = (KernelReport){.name = f->name, .registers = ISA_MAX_REGS, .limited_by = "-"};
        warning(c, "%s\n  kernel %s: only the oracle can execute it", (*k)->refused, f->name);
        return CUDA_Success;
    }
    *r = (KernelReport){.name = f->name, .registers = p->home_regs, .insts = p->ninsts, .spill_bytes = p->spill_bytes,
                        .local_bytes = p->local_bytes, .limited_by = "-", .scalar = p->scalar_note};
    return CUDA_Success;
}

static bool has_entry(const PtxModule *m, const char *name) {
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i].is_entry && !strcmp(m->funcs[i].name, name)) return true;
    return false;
}

static uint8_t *params_of(const PtxFunc *entry, uint64_t *bytes) {
    *bytes = (uint64_t)entry->nparams * 8;
    uint32_t *list = malloc(*bytes + 1);
    panic_if(!list, "out of memory");
    for (int i = 0; i < entry->nparams; i++) {
        list[2 * i] = (uint32_t)entry->params[i].offset;
        list[2 * i + 1] = (uint32_t)entry->params[i].bytes;
    }
    return (uint8_t *)list;
}

static uint64_t static_shared(const LoadedKernel *k) {
    return k->program ? (uint64_t)k->program->shared_bytes : k->shared.static_bytes;
}

static int find_function(Context *c, const CudaRequest *r, const char *name, CudaReply *reply, uint8_t **answer) {
    ContextModule *m;
    const int error = ready_module(c, r->a[0], &m);
    if (error) return error;
    if (!has_entry(m->loaded.module, name)) return CUDA_InvalidDeviceFunction;
    const ContextFunction f = {m, arena_strndup(c->arena, name, strlen(name))};
    const LaunchStep step = step_of(&f, (uint64_t[7]){1, 1, 1, 32, 1, 1}, 0);
    LoadedKernel *k;
    const int bad = kernel_of(c, &f, &step, &k);
    if (bad) return bad;
    const int *most = k->entry->maxntid[0] ? k->entry->maxntid : k->entry->reqntid;
    int threads = MOST_THREADS;
    if (most[0]) threads = most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1);
    const char *target = m->loaded.module->target;
    const uint64_t v[] = {(uint64_t)c->nfunctions, (uint64_t)k->report->registers, static_shared(k),
                          k->program ? (uint64_t)k->program->local_bytes : 0, m->loaded.layout.const_bytes,
                          (uint64_t)(threads < MOST_THREADS ? threads : MOST_THREADS),
                          target && strlen(target) > 3 ? strtoul(target + 3, NULL, 10) : 0,
                          (uint64_t)k->entry->param_bytes};
    memcpy(reply->v, v, sizeof v);
    *answer = params_of(k->entry, &reply->bytes);
    *ARENA_PUSH(c->arena, c->functions, c->nfunctions, c->cap_functions) = f;
    return CUDA_Success;
}

static int find_variable(Context *c, const CudaRequest *r, const char *name, CudaReply *reply) {
    ContextModule *m;
    const int error = ready_module(c, r->a[0], &m);
    if (error) return error;
    const PtxModule *ptx = m->loaded.module;
    for (int i = 0; i < ptx->nvars; i++) {
        const PtxVar *v = &ptx->vars[i];
        if (strcmp(v->name, name) || (v->space != PTX_GLOBAL && v->space != PTX_CONST)) continue;
        reply->v[0] = m->loaded.layout.var_addr[i];
        if (v->space == PTX_CONST) reply->v[0] += CUDA_CONST_BASE + r->a[0] * CONST_WINDOW;
        reply->v[1] = (uint64_t)v->bytes;
        return CUDA_Success;
    }
    return CUDA_InvalidSymbol;
}

// ---- memory ----

// Variables that the program fills have an initial value from then on.
static void constants_written(const ModuleLayout *l, uint64_t at, uint64_t bytes) {
    for (int i = 0; i < l->module->nvars; i++) {
        PtxVar *v = &l->module->vars[i];
        const uint64_t begin = l->var_addr[i];
        if (v->space == PTX_CONST && !v->init && begin < at + bytes && at < begin + (uint64_t)v->bytes)
            v->init = l->const_image + begin;
    }
}

// Host pointer of device bytes, or of constants as the host sees them; NULL after a warning.
static uint8_t *bytes_at(Context *c, const char *what, uint64_t addr, uint64_t bytes, bool write) {
    if (addr >= CUDA_CONST_BASE && addr < CUDA_CONST_END) {
        const uint64_t id = (addr - CUDA_CONST_BASE) / CONST_WINDOW, at = addr % CONST_WINDOW;
        const ModuleLayout *l = id < (uint64_t)c->nmodules ? &c->modules[id]->loaded.layout : NULL;
        if (l && l->const_image && at + bytes <= l->const_bytes) {
            if (write) constants_written(l, at, bytes);
            return l->const_image + at;
        }
    } else if (bytes <= UINT32_MAX) {
        uint8_t *p = device_find(&c->s.memory, addr, (uint32_t)bytes);
        if (p) {
            if (write) device_allocation(&c->s.memory, addr)->blank = false;
            return p;
        }
    }
    char text[300];
    device_describe(&c->s.memory, addr, text, sizeof text);
    warning(c, "%s of %" PRIu64 " bytes at 0x%" PRIx64 ": %s", what, bytes, addr, text);
    return NULL;
}

// Rows in device memory: address, width, height, depth, pitch, slice.
typedef struct DeviceRows {
    uint8_t *at;
    uint64_t width, height, depth, pitch, slice;
} DeviceRows;

static bool rows_at(Context *c, const char *what, const uint64_t a[6], bool write, DeviceRows *r) {
    *r = (DeviceRows){.width = a[1], .height = a[2], .depth = a[3], .pitch = a[4], .slice = a[5]};
    uint64_t last, span, bytes;
    if (!r->width || !r->height || !r->depth || __builtin_mul_overflow(r->depth - 1, r->slice, &span) ||
        __builtin_mul_overflow(r->height - 1, r->pitch, &last) || __builtin_add_overflow(span, last, &span) ||
        __builtin_add_overflow(span, r->width, &span) || __builtin_mul_overflow(r->width, r->height, &bytes) ||
        __builtin_mul_overflow(bytes, r->depth, &bytes) || bytes > PAYLOAD_MOST)
        return false;
    r->at = bytes_at(c, what, a[0], span, write);
    return r->at;
}

#define FOR_ROWS(r, row)                                                              \
    for (uint64_t z_ = 0; z_ < (r).depth; z_++)                                       \
        for (uint64_t y_ = 0; y_ < (r).height; y_++)                                  \
            for (uint8_t *row = (r).at + z_ * (r).slice + y_ * (r).pitch; row; row = NULL)

static int write_rows(Context *c, const CudaRequest *q, const uint8_t *payload) {
    DeviceRows r;
    if (!rows_at(c, "a copy to the device", q->a, true, &r) || q->bytes != r.width * r.height * r.depth)
        return CUDA_InvalidValue;
    FOR_ROWS(r, row) {
        memcpy(row, payload, r.width);
        payload += r.width;
    }
    return CUDA_Success;
}

static int check_rows(Context *c, const CudaRequest *q) {
    DeviceRows r;
    return rows_at(c, "a copy to the device", q->a, false, &r) ? CUDA_Success : CUDA_InvalidValue;
}

static int read_rows(Context *c, const CudaRequest *q, CudaReply *reply, uint8_t **answer) {
    DeviceRows r;
    if (!rows_at(c, "a copy from the device", q->a, false, &r)) return CUDA_InvalidValue;
    uint8_t *to = *answer = malloc(r.width * r.height * r.depth);
    if (!to) return CUDA_MemoryAllocation;
    reply->bytes = r.width * r.height * r.depth;
    FOR_ROWS(r, row) {
        memcpy(to, row, r.width);
        to += r.width;
    }
    return CUDA_Success;
}

static int copy_rows(Context *c, const CudaRequest *q) {
    DeviceRows to, from;
    const uint64_t other[] = {q->a[6], q->a[1], q->a[2], q->a[3], q->a[7], q->a[8]};
    if (!rows_at(c, "a copy on the device, to", q->a, true, &to) ||
        !rows_at(c, "a copy on the device, from", other, false, &from))
        return CUDA_InvalidValue;
    for (uint64_t z = 0; z < to.depth; z++)
        for (uint64_t y = 0; y < to.height; y++)
            memmove(to.at + z * to.slice + y * to.pitch, from.at + z * from.slice + y * from.pitch, to.width);
    return CUDA_Success;
}

static int fill_rows(Context *c, const CudaRequest *q) {
    DeviceRows r;
    const uint64_t unit = q->a[7];
    const uint32_t value = (uint32_t)q->a[6];
    if ((unit != 1 && unit != 2 && unit != 4) || !rows_at(c, "a fill", q->a, true, &r)) return CUDA_InvalidValue;
    FOR_ROWS(r, row) {
        if (unit == 1) memset(row, (int)value, r.width);
        else for (uint64_t x = 0; x + unit <= r.width; x += unit) memcpy(row + x, &value, unit);
    }
    return CUDA_Success;
}

static int allocate(Context *c, int owner, const CudaRequest *q, CudaReply *reply) {
    const uint64_t bytes = q->a[0], align = q->a[2];
    if (!bytes) return CUDA_Success;
    const char *name = arena_printf(c->arena, "#%d", c->nallocs + 1);
    const uint32_t addr = align <= 65536 && !(align & (align - 1)) ?
        device_alloc_aligned(&c->s.memory, name, bytes, (uint32_t)align) : 0;
    if (!addr) {
        warning(c, "%" PRIu64 " bytes of device memory were asked for, which are not left", bytes);
        return CUDA_MemoryAllocation;
    }
    c->nallocs++;
    DeviceAlloc *a = device_allocation(&c->s.memory, addr);
    if (q->a[1] == CUDA_ALLOC_RESERVE) a->reserved = a->bytes, a->bytes = 0;
    *ARENA_PUSH(c->arena, c->owned, c->nowned, c->cap_owned) = (Owned){addr, owner};
    reply->v[0] = addr;
    return CUDA_Success;
}

static int release(Context *c, uint64_t addr) {
    for (int i = 0; i < c->nowned; i++)
        if (c->owned[i].addr == addr) {
            device_release(&c->s.memory, addr);
            c->owned[i] = c->owned[--c->nowned];
            return CUDA_Success;
        }
    char text[300];
    device_describe(&c->s.memory, addr, text, sizeof text);
    warning(c, "0x%" PRIx64 " is freed, where no allocation begins (freed before?): %s", addr, text);
    return CUDA_InvalidValue;
}

static int map_reserved(Context *c, uint64_t addr) {
    DeviceAlloc *a = device_allocation(&c->s.memory, addr);
    if (!a || a->addr != addr) return CUDA_InvalidValue;
    if (a->reserved) a->bytes = a->reserved, a->reserved = 0;
    return CUDA_Success;
}

void context_leave(Context *c, int owner) {
    for (int i = c->nowned; i-- > 0;)
        if (c->owned[i].owner == owner) release(c, c->owned[i].addr);
}

static void memory_left(const Context *c, CudaReply *reply) {
    uint64_t used = 0;
    for (int i = 0; i < c->s.memory.nallocs; i++) used += c->s.memory.allocs[i].bytes + c->s.memory.allocs[i].reserved;
    reply->v[1] = DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE;
    reply->v[0] = reply->v[1] - used;
}

static int range_of(Context *c, uint64_t addr, CudaReply *reply) {
    const DeviceAlloc *a = device_allocation(&c->s.memory, addr);
    if (!a) return CUDA_InvalidValue;
    reply->v[0] = a->addr;
    reply->v[1] = a->bytes + a->reserved;
    return CUDA_Success;
}

// ---- the device ----

static void describe_device(Context *c, CudaReply *reply, uint8_t **answer) {
    const MachineConfig *cfg = c->s.cfg;
    CudaDevice *d = calloc(1, sizeof *d);
    panic_if(!d, "out of memory");
    int arch = 0;
    for (int i = 0; i < c->nmodules; i++)
        if (c->modules[i]->arch > arch) arch = c->modules[i]->arch;
    if (!arch) arch = 75;
    snprintf(d->name, sizeof d->name, "smcosim %s", c->o->session.machine);
    d->memory = DEVICE_GLOBAL_END - DEVICE_GLOBAL_BASE;
    d->l2_bytes = (uint64_t)cfg->l2_bytes;
    d->shared_per_block = d->shared_per_sm = (uint64_t)cfg->shared_bytes;
    d->registers_per_sm = (uint64_t)cfg->rf_banks * (uint64_t)cfg->rf_entries * ISA_LANES;
    d->major = arch / 10, d->minor = arch % 10;
    d->sms = c->s.nsms;
    d->warps_per_sm = cfg->sm_warps, d->threads_per_sm = cfg->sm_threads, d->ctas_per_sm = cfg->sm_ctas;
    d->clock_khz = CLOCK_KHZ;
    d->memory_clock_khz = CLOCK_KHZ / 1000 * cfg->dram_clock_permille;
    d->bus_bits = cfg->dram_channels * 64;
    reply->bytes = sizeof *d;
    *answer = (uint8_t *)d;
}

static uint64_t resident_ctas(const Context *c, const LoadedKernel *k, uint64_t threads, uint64_t shared) {
    const CtaNeed need = {(int)threads, k->report->registers, static_shared(k) + shared};
    return threads && threads <= MOST_THREADS ? occupancy_ctas(c->s.cfg, &need, NULL) : 0;
}

static int occupancy(Context *c, const CudaRequest *q, CudaReply *reply) {
    ContextFunction *f;
    LoadedKernel *k;
    int error = function_of(c, q->a[0], &f);
    if (error) return error;
    const LaunchStep step = step_of(f, (uint64_t[7]){1, 1, 1, q->a[1], 1, 1}, q->a[2]);
    error = kernel_of(c, f, &step, &k);
    if (!error) reply->v[0] = resident_ctas(c, k, q->a[1], q->a[2]);
    return error;
}

// ---- launches ----

// a: grid, block, dynamic shared memory.
static int shape_error(Context *c, const ContextFunction *f, const uint64_t *a) {
    const uint64_t most[] = {0x7fffffff, MOST_GRID_YZ, MOST_GRID_YZ, MOST_THREADS, MOST_THREADS, MOST_Z};
    bool ok = a[3] * a[4] * a[5] <= MOST_THREADS;
    for (int i = 0; i < 6; i++) ok &= a[i] && a[i] <= most[i];
    if (!ok)
        warning(c, "kernel %s: a grid of %" PRIu64 "x%" PRIu64 "x%" PRIu64 " with blocks of %" PRIu64 "x%" PRIu64 "x%"
                PRIu64 " cannot be launched", f->name, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (!ok || a[6] <= (uint64_t)c->s.cfg->shared_bytes) return ok ? CUDA_Success : CUDA_InvalidConfiguration;
    warning(c, "kernel %s: %" PRIu64 " bytes of dynamic shared memory, and an SM has %d", f->name, a[6], c->s.cfg->shared_bytes);
    return CUDA_InvalidValue;
}

// Does the launch file's kernel keep addresses in 32 bits where the program's arguments need more?
static bool reach(Context *c, LoadedKernel *k, const uint8_t *params, Diag *d) {
    for (int w = 0; k->program && w < k->program->nzero_params; w++) {
        uint32_t word;
        memcpy(&word, params + k->program->zero_params[w], sizeof word);
        if (word) return session_compile(&c->s, k, 64, d);
    }
    return true;
}

// --only KERNEL[:N] or N.
static bool wanted(Context *c, const ContextFunction *f) {
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

typedef struct Images {            // of memory before a launch
    DeviceMemory before;           // as it was
    bool have;
} Images;

// The oracle's result of the launch, compared with the SM's. A difference is looked at for races.
static bool check_launch(Context *c, const LaunchStep *step, LoadedKernel *k, const uint8_t *params, Images *im, Arena *arena,
                         Diag *d) {
    Session *s = &c->s;
    if (!device_clone(&s->pristine, &im->before, arena, d)) return false;
    bool ok = session_oracle_step(s, step, k, params, &s->pristine, d);
    if (ok && s->o->check_oracle && !session_compare_memory(s, d)) {
        ok = false;
        Diag again = {0};
        device_close(&s->pristine);
        if (!s->found.races && device_clone(&s->pristine, &im->before, arena, &again)) {
            s->found.races = true;
            session_oracle_step(s, step, k, params, &s->pristine, &again);
            if (findings_race(&s->found)) findings_judge(s->report, &s->found, s->o, c->arena, d);
        }
    }
    if (s->pristine.base && (!ok || !c->o->capture)) device_close(&s->pristine);
    return ok;
}

static void blocks_verdict(Context *c, Diag *d) {
    const Mismatch *m = session_find_mismatch(&c->s);
    if (!m || d->status == EXIT_MISMATCH) return;
    *d = (Diag){0};
    cosim_finish(c->s.cosim, d);
    if (diag_ok(d)) diag_fail(d, EXIT_MISMATCH, "block %s differs from its golden model", m->block);
}

static CaptureLaunch capture_of(Context *c, const char *dir, const LaunchStep *step, const LoadedKernel *k,
                                const uint8_t *params, Images *im, bool ok) {
    return (CaptureLaunch){.dir = dir, .number = c->nlaunches, .step = step, .module = k->module, .entry = k->entry,
                           .params = params, .before = &im->before, .after = ok ? &c->s.pristine : NULL,
                           .name = c->s.report->name};
}

// A mismatch cannot be met again without the program; its launch can, with a wave and a bundle to replay.
static void into_bundle(Context *c, const LaunchStep *step, const LoadedKernel *k, const uint8_t *params, Images *im) {
    const char *dir = c->s.o->bundle_dir;
    const CaptureLaunch l = capture_of(c, dir, step, k, params, im, false);
    Diag d = {0};
    if (capture_write(&l, &d))
        c->s.report->replay = arena_printf(c->arena, "launch %d alone, for its wave: smcosim run %s with the same options",
            c->nlaunches, arena_shell_word(c->arena, arena_printf(c->arena, "%s/launch.yaml", capture_folder(c->arena, &l))));
    else c->s.report->replay = arena_printf(c->arena, "the launch could not be written: %s", d.text);
}

static bool simulate(Context *c, const LaunchStep *step, LoadedKernel *k, const uint8_t *params, Diag *d) {
    Session *s = &c->s;
    Arena arena = {0};
    Images im = {0};
    const bool capture = c->o->capture, check = session_needs_oracle(s->o);
    const bool bundle = s->o->bundle_dir && cosim_runs_rtl(s->cosim);
    if (capture || check || bundle) im.have = device_clone(&im.before, &s->memory, &arena, d);
    bool ok = diag_ok(d) && session_sm_step(s, step, k, params, &s->memory, d);
    blocks_verdict(c, d);
    ok = ok && diag_ok(d);
    if (ok && (check || capture)) ok = check_launch(c, step, k, params, &im, &arena, d);
    if (capture && im.have) {
        const CaptureLaunch l = capture_of(c, c->o->capture, step, k, params, &im, ok);
        Diag file = {0};
        if (!capture_write(&l, &file)) judge(c, &file);
    }
    if (d->status == EXIT_MISMATCH && bundle && im.have) into_bundle(c, step, k, params, &im);
    if (s->pristine.base) device_close(&s->pristine);
    if (im.have) device_close(&im.before);
    arena_free(&arena);
    return ok;
}

// What --only leaves out: by the oracle, for its result only unless races or undefined behavior were asked for.
static void execute(Context *c, const LaunchStep *step, LoadedKernel *k, const uint8_t *params, Diag *d) {
    Session *s = &c->s;
    s->oracle_prints = c->prints;
    s->oracle_quiet = !s->o->check_race && !s->o->check_strict;
    session_oracle_step(s, step, k, params, &s->memory, d);
    s->oracle_prints = NULL;
    s->oracle_quiet = false;
}

static void take_prints(Context *c, CudaReply *reply, uint8_t **answer) {
    fflush(c->prints);
    if (c->nprinted) {
        *answer = malloc(c->nprinted);
        panic_if(!*answer, "out of memory");
        memcpy(*answer, c->printed, c->nprinted);
        reply->bytes = c->nprinted;
    }
    fseeko(c->prints, 0, SEEK_SET);
    fflush(c->prints);
}

static int cooperative_error(const Context *c, const LoadedKernel *k, const uint64_t *a, uint64_t flags) {
    if (!(flags & CUDA_LAUNCH_COOPERATIVE)) return CUDA_Success;
    const uint64_t fits = resident_ctas(c, k, a[3] * a[4] * a[5], a[6]) * (unsigned)c->s.nsms;
    return a[0] * a[1] * a[2] <= fits ? CUDA_Success : CUDA_CooperativeLaunchTooLarge;
}

static int launch_one(Context *c, const ContextFunction *f, const LaunchStep *step, LoadedKernel *k, const uint8_t *params) {
    Diag d = {0};
    c->nlaunches++;
    c->kernel = f->name;
    const bool detail = wanted(c, f);
    if (detail && k->refused) {
        diag_fail(&d, EXIT_USAGE, "%s", k->refused);
        return judge(c, &d), CUDA_InvalidPtx;
    }
    console_progress("launch %d: %s%s", c->nlaunches, f->name, detail ? "" : " (oracle)");
    const double since = clock_seconds();
    if (detail) c->nsimulated++, simulate(c, step, k, params, &d);
    else execute(c, step, k, params, &d);
    c->s.report->seconds += clock_seconds() - since;
    if (d.status == EXIT_USAGE) {  // the machine has no room for it
        warning(c, "%s", d.text);
        return CUDA_LaunchOutOfResources;
    }
    if (diag_ok(&d)) return CUDA_Success;
    judge(c, &d);
    return c->sticky = error_of(&d);
}

// ---- launches from the device ----

static int by_order(const void *a, const void *b) {
    const DeviceQueueSlot *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int copy_queued(Context *c, const DeviceQueueSlot *s) {
    uint8_t *from = bytes_at(c, "a copy by a kernel, from", s->from, s->bytes, false);
    uint8_t *to = from ? bytes_at(c, "a copy by a kernel, to", s->to, s->bytes, true) : NULL;
    if (!to) return CUDA_InvalidValue;
    memmove(to, from, s->bytes);
    return CUDA_Success;
}

// An entry of the module that the launching kernel belongs to.
static int launch_slot(Context *c, ContextModule *m, const DeviceQueueSlot *s) {
    const PtxModule *ptx = m->loaded.module;
    int i = 0;
    while (i < ptx->nfuncs && ptx_function_address(i) != s->function) i++;
    if (i == ptx->nfuncs || !ptx->funcs[i].is_entry) {
        warning(c, "a launch from the device of 0x%" PRIx64 ", which is no kernel", s->function);
        return CUDA_InvalidDeviceFunction;
    }
    const ContextFunction f = {m, ptx->funcs[i].name};
    const uint64_t a[] = {s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2], s->shared};
    LoadedKernel *k;
    int error = shape_error(c, &f, a);
    if (error) return error;
    const LaunchStep step = step_of(&f, a, s->shared);
    if ((error = kernel_of(c, &f, &step, &k))) return error;
    if (k->entry->param_bytes > DEVICE_QUEUE_PARAMS) {
        warning(c, "kernel %s, launched from the device, has %d bytes of parameters: at most %d are supported", f.name,
                (int)k->entry->param_bytes, DEVICE_QUEUE_PARAMS);
        return CUDA_NotSupported;
    }
    Diag d = {0};
    if (!reach(c, k, s->params, &d)) return judge(c, &d), CUDA_InvalidPtx;
    return launch_one(c, &f, &step, k, s->params);
}

// What the grid that has ended left in the queue, in the order of its calls; then what those left.
static int launch_queued(Context *c, ContextModule *m) {
    DeviceQueueHead *head = (void *)device_find(&c->s.memory, c->queue, DEVICE_QUEUE_BYTES);
    int error = CUDA_Success;
    while (head->taken && !error) {
        if (head->taken > DEVICE_QUEUE_SLOTS)
            warning(c, "%u launches from the device at once: %d fit, the others have failed", head->taken, DEVICE_QUEUE_SLOTS);
        const size_t n = head->taken < DEVICE_QUEUE_SLOTS ? head->taken : DEVICE_QUEUE_SLOTS;
        DeviceQueueSlot *slots = malloc(n * sizeof *slots);
        panic_if(!slots, "out of memory");
        memcpy(slots, head + 1, n * sizeof *slots);
        *head = (DeviceQueueHead){0};
        qsort(slots, n, sizeof *slots, by_order);
        for (size_t i = 0; i < n && !error; i++) {
            if (!slots[i].order) continue;
            error = slots[i].function ? launch_slot(c, m, &slots[i]) : copy_queued(c, &slots[i]);
        }
        free(slots);
    }
    *head = (DeviceQueueHead){0};
    return error;
}

static int launch(Context *c, const CudaRequest *q, const uint8_t *payload, CudaReply *reply, uint8_t **answer) {
    ContextFunction *f;
    LoadedKernel *k;
    const uint64_t *a = q->a + 1;
    int error = function_of(c, q->a[0], &f);
    if (!error) error = shape_error(c, f, a);
    if (error) return error;
    const LaunchStep step = step_of(f, a, a[6]);
    Diag d = {0};
    if ((error = kernel_of(c, f, &step, &k))) return error;
    if (q->bytes != (uint64_t)k->entry->param_bytes) return CUDA_InvalidValue;
    if (!reach(c, k, payload, &d)) return judge(c, &d), CUDA_InvalidPtx;
    if ((error = cooperative_error(c, k, a, q->a[8]))) return error;
    if (!(error = launch_one(c, f, &step, k, payload)) && c->queue) error = launch_queued(c, f->module);
    take_prints(c, reply, answer);
    return error;
}

// ---- requests ----

static void not_supported(Context *c, const char *name) {
    for (int i = 0; i < c->nunsupported; i++)
        if (!strcmp(c->unsupported[i], name)) return;
    *ARENA_PUSH(c->arena, c->unsupported, c->nunsupported, c->cap_unsupported) = arena_strndup(c->arena, name, strlen(name));
    console_progress(NULL);
    fprintf(stderr, "smcosim: warning: the program calls %s, which is not supported: cudaErrorNotSupported\n",
            plain_text(c->arena, name));
}

void context_refuse(Context *c, const char *text) {
    Diag d = {0};
    diag_fail(&d, EXIT_ENVIRONMENT, "%s: %s", c->s.report->name, text);
    judge(c, &d);
}

void context_cut_off(Context *c, int process) {
    context_refuse(c, arena_printf(c->arena, "process %d has lost its connection to the simulator while it went on (did it close all of "
                                   "its descriptors?): its calls of CUDA from then on had no effect", process));
}

static int hello(Context *c, const CudaRequest *q) {
    if (q->a[0] == CUDA_PROTOCOL) return CUDA_Success;
    warning(c, "the program's CUDA runtime library is of another version of smcosim");
    return CUDA_SystemNotReady;
}

// A recursion gets what the program asks for, or compiler.stack if that is more.
static int set_stack(Context *c, uint64_t bytes) {
    if (bytes > MOST_STACK) return CUDA_InvalidValue;
    c->s.stack_bytes = (int)bytes;
    return CUDA_Success;
}

static int answer_one(Context *c, int owner, const CudaRequest *q, const uint8_t *payload, CudaReply *reply,
                      uint8_t **answer) {
    const char *text = (const char *)payload;  // NUL-terminated by the caller
    switch ((CudaOp)q->op) {
    case CUDA_OP_HELLO: return hello(c, q);
    case CUDA_OP_MODULE: return add_module(c, (CudaCode)q->a[0], payload, q->bytes, &reply->v[0]);
    case CUDA_OP_DEVICE: return describe_device(c, reply, answer), CUDA_Success;
    case CUDA_OP_WARN: return warning(c, "%s", text), CUDA_Success;
    case CUDA_OP_UNSUPPORTED: return not_supported(c, text), CUDA_Success;
    case CUDA_OP_MEMORY: return memory_left(c, reply), CUDA_Success;
    case CUDA_OP_LOST: return context_cut_off(c, (int)q->a[0]), CUDA_Success;
    default: break;
    }
    if (c->sticky) return c->sticky;
    switch ((CudaOp)q->op) {
    case CUDA_OP_FUNCTION: return find_function(c, q, text, reply, answer);
    case CUDA_OP_VARIABLE: return find_variable(c, q, text, reply);
    case CUDA_OP_ALLOC: return allocate(c, owner, q, reply);
    case CUDA_OP_FREE: return release(c, q->a[0]);
    case CUDA_OP_MAP: return map_reserved(c, q->a[0]);
    case CUDA_OP_WRITE: return write_rows(c, q, payload);
    case CUDA_OP_CHECK: return check_rows(c, q);
    case CUDA_OP_READ: return read_rows(c, q, reply, answer);
    case CUDA_OP_COPY: return copy_rows(c, q);
    case CUDA_OP_FILL: return fill_rows(c, q);
    case CUDA_OP_LAUNCH: return launch(c, q, payload, reply, answer);
    case CUDA_OP_OCCUPANCY: return occupancy(c, q, reply);
    case CUDA_OP_RANGE: return range_of(c, q->a[0], reply);
    case CUDA_OP_SYNC: return CUDA_Success;
    case CUDA_OP_STACK: return set_stack(c, q->a[0]);
    case CUDA_OP_RESET: return context_leave(c, owner), CUDA_Success;
    case CUDA_OP_UNLOAD:
        if (q->a[0] < (uint64_t)c->nmodules) c->modules[q->a[0]]->gone = true;
        return CUDA_Success;
    default: return CUDA_InvalidValue;
    }
}

void context_answer(Context *c, int owner, const CudaRequest *r, const uint8_t *payload, CudaReply *reply,
                    uint8_t **answer) {
    *reply = (CudaReply){0};
    *answer = NULL;
    reply->error = (uint32_t)answer_one(c, owner, r, payload, reply, answer);
    reply->sticky = c->sticky != 0;
    reply->cycle = gpu_cycle(c->s.gpu);
}

// ---- the end ----

static void fill_report(Context *c) {
    LaunchReport *r = c->s.report;
    session_collect_counters(&c->s);
    r->retire_compared = gpu_retire_compared(c->s.gpu);
    r->kernels = ARENA_ARRAY(c->arena, KernelReport, c->s.nkernels + 1);
    for (int i = 0; i < c->s.nkernels; i++)
        if (c->s.kernels[i].report && c->s.kernels[i].report->launches)
            r->kernels[r->nkernels++] = *c->s.kernels[i].report;
    session_collect_blocks(&c->s);
}

bool context_finish(Context *c, Diag *d) {
    Session *s = &c->s;
    LaunchReport *r = s->report;
    fill_report(c);
    *d = c->verdict;
    if (diag_ok(d)) gpu_finish(s->gpu, d);
    Diag blocks = {0};
    if (!session_finish_blocks(s, true, &blocks) && (diag_ok(d) || (blocks.status == EXIT_MISMATCH && d->status != EXIT_MISMATCH)))
        *d = blocks;
    session_count_blocks(s);
    const CosimFault fault = session_injected_fault(s);
    if (diag_ok(d) && !c->nlaunches)
        diag_fail(d, EXIT_VACUOUS, "%s: vacuous: the program launched no kernel", r->name);
    if (session_needs_oracle(s->o) && (diag_ok(d) || d->status == EXIT_WRONG_RESULT) && !r->nfindings)
        findings_judge(r, &s->found, s->o, c->arena, d);
    if (diag_ok(d) && !c->nsimulated)
        diag_fail(d, EXIT_VACUOUS, "%s: vacuous: --only %s met none of the program's %d launches", r->name, c->o->only,
                  c->nlaunches);
    if (diag_ok(d)) session_checks_compared(r, s->o, d);
    if (s->trace && !hooks_close(s->trace, gpu_cycle(s->gpu), diag_ok(d) ? d : &(Diag){0})) {}
    if (diag_ok(d)) session_fault_judge(s, fault, d);
    r->status = d->status;
    r->message = arena_strndup(c->arena, d->text, strlen(d->text));
    return diag_ok(d);
}
