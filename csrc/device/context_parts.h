// SPDX-License-Identifier: Apache-2.0
// Inside the device. The parts of a Context:
//
//   context.c     opening, the verdict, dispatch of requests
//   properties.c  the machine as a CUDA device
//   registered.c  modules of the program
//   functions.c   .. their functions and variables
//   allocate.c    device memory: owners of address ranges
//   rows.c        .. its content: copies and fills
//   launches.c    launches by the program
//   queued.c      launches and copies by kernels
//   simulate.c    one launch on SM or oracle, with its checks and its capture
#ifndef SMCOSIM_DEVICE_CONTEXT_PARTS_H
#define SMCOSIM_DEVICE_CONTEXT_PARTS_H

#include "device/context.h"
#include "session/run_parts.h"

enum { CONST_WINDOW = 65536, MOST_THREADS = 1024 };

typedef struct ContextModule {
    LoadedModule loaded;  // .module NULL: not parsed
    const char *text;     // PTX; NULL: absent or unreadable
    size_t len;
    int arch, error;  // error: CUDA error if the module is unusable
    const char *why;  // .. its text
    bool told;
    bool gone;  // unloaded
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
    Run run;
    const ExecOptions *o;
    Arena *arena;
    Diag verdict;
    int sticky;  // CUDA error that ended the context
    ContextModule **modules;
    int nmodules, cap_modules;
    ContextFunction *functions;
    int nfunctions, cap_functions;
    Owned *owned;
    int nowned, cap_owned;
    int nallocs, nwarnings, nlaunches, nof_kernel, nsimulated;
    uint32_t queue;  // queue of launches from the device; 0: no module launches from the device
    const char **unsupported;
    int nunsupported, cap_unsupported;
    FILE *prints;  // of kernels
    char *printed;
    size_t nprinted;
};

// A reply and its payload, which is malloc'ed.
typedef struct Answer {
    CudaReply reply;
    uint8_t *payload;
} Answer;

void context_warn(Context *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The verdict is the first failure. It is reported when the program has ended.
void context_judge(Context *c, const Diag *d);

// All functions that return int return an error of CUDA.

// ---- properties.c ----

void properties_answer(const Context *c, Answer *answer);

// ---- registered.c ----

// Extracts the PTX from the program's registered binary. An error in the PTX is reported only when
// the module is used.
int registered_add(Context *c, uint64_t kind, const uint8_t *bytes, size_t n, uint64_t *id);
void registered_unload(Context *c, uint64_t id);
int registered_arch(const Context *c);  // the highest of all modules, 75 for sm_75; 0: not stated
// Parses the module and assigns addresses to its variables.
int registered_ready(Context *c, uint64_t id, ContextModule **module);

// ---- functions.c ----

int function_find(Context *c, uint64_t module, const char *name, Answer *answer);
int variable_find(Context *c, uint64_t module, const char *name, Answer *answer);
int function_of(Context *c, uint64_t id, ContextFunction **f);
// The kernel, compiled for the launch.
int function_kernel(Context *c, const ContextFunction *f, const KernelLaunch *l, LoadedKernel **k);
uint64_t function_shared(const LoadedKernel *k);  // static, bytes

// ---- allocate.c ----

int allocate_memory(Context *c, int owner, uint64_t bytes, uint64_t kind, uint64_t align,
                    Answer *answer);
int allocate_free(Context *c, uint64_t addr);
int allocate_map(Context *c, uint64_t addr);  // maps reserved memory
void allocate_left(const Context *c, Answer *answer);
int allocate_range(Context *c, uint64_t addr, Answer *answer);

// ---- rows.c ----

// Host pointer to device bytes, or to constants at the host's addresses; NULL after a warning.
uint8_t *rows_bytes(Context *c, const char *what, uint64_t addr, uint64_t bytes, bool write);
int rows_write(Context *c, const CudaRows *at, const uint8_t *payload, uint64_t bytes);
int rows_check(Context *c, const CudaRows *at);
int rows_read(Context *c, const CudaRows *at, Answer *answer);
int rows_copy(Context *c, const CudaRows *to, const CudaRows *from);
int rows_fill(Context *c, const CudaRows *at, uint64_t value, uint64_t unit);

// ---- launches.c ----

// Does the device accept a launch of these dimensions?
int launches_check(Context *c, const ContextFunction *f, const CudaDims *dims);
KernelLaunch launches_dims(const CudaDims *dims);
// If an argument is a pointer that code with 32-bit addresses does not reach, the kernel is
// recompiled.
int launches_reach(Context *c, LoadedKernel *k, const uint8_t *params);
int launches_one(Context *c, const ContextFunction *f, const KernelLaunch *l, LoadedKernel *k);
int launches_answer(Context *c, const CudaRequest *q, const uint8_t *payload, Answer *answer);
int launches_occupancy(Context *c, uint64_t function, uint64_t threads, uint64_t shared,
                       Answer *answer);

// ---- queued.c ----

// Performs the launches and copies that the ended grid queued, in the order of its calls, then
// those that the launched grids queued.
int queued_launch(Context *c, ContextModule *m);

// ---- simulate.c ----

// Simulates on the SM, with the checks of the options.
bool simulate_launch(Context *c, LoadedKernel *k, const KernelLaunch *l, Diag *d);
// Runs on the oracle, for its result only, unless checks for races or undefined behavior are
// requested.
void simulate_result(Context *c, LoadedKernel *k, const KernelLaunch *l, Diag *d);

#endif
