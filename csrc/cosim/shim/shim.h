// SPDX-License-Identifier: Apache-2.0
// The interface between C and C++: a table of functions per Verilated variant. The table of the
// runtime that all variants share is in runtime.h. No other part of the C++ side is visible.
#ifndef SMCOSIM_COSIM_SHIM_H
#define SMCOSIM_COSIM_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SHIM_ABI = 6 };

// The bits of nets that rose and fell since the instance was opened. A net is named once, at its
// highest level of hierarchy: "rtl.banked_rf.u_arbiter.first_q".
typedef struct ShimNet {
    const char *name;
    uint32_t word;  // its first word in rose and fell
    int bits;
} ShimNet;
typedef struct ShimToggles {
    const ShimNet *nets;
    int nnets;
    uint32_t nwords;
    const uint32_t *rose, *fell;
} ShimToggles;

// A block's Verilated RTL. `self` is one instance; in and out are the block's port structs.
typedef struct ShimApi {
    int abi;
    const char *block, *params;  // "banked_rf", "Banks=4 Entries=256 .."
    void *(*open)(void *context, const char *name);
    void (*close)(void *self);
    void (*reset)(void *self);  // one clock with rst_ni low
    // drive (NULL: unchanged inputs), settle with the clock low
    void (*eval)(void *self, const void *in);
    // outputs; rows of 1024 bits only where valid
    void (*read)(void *self, void *out);
    // do the outputs equal these, by comparison class?
    bool (*same)(void *self, const void *out);
    // drive (NULL: unchanged inputs), rising edge
    void (*tick)(void *self, const void *in);
    // Clock low, inputs as driven last. NULL: a user's module without observation ports.
    void (*observe)(void *self, uint32_t addr, uint32_t *words);
    // adds its hierarchy before the first dump
    void (*trace)(void *self, void *trace_file);
    // Drives the port fault_i with a value of shim_fault(), which takes effect at the next edges
    // until it is set again; 0: no fault. NULL: the module has no such port.
    void (*set_fault)(void *self, uint64_t fault);
    // Fills *t with the toggles, valid until the instance is closed. NULL: the variant was not made
    // with --cover. A variant made with --cover cannot write waves.
    void (*toggles)(void *self, ShimToggles *t);
} ShimApi;
typedef const ShimApi *ShimEntry(void);
#define SHIM_ENTRY "smcosim_shim"

// Value of fault_i. At each clock edge bit `bit` of the state word at an observation address is
// inverted, set to 0, or set to 1.
typedef enum ShimFault {
    SHIM_FAULT_NONE,
    SHIM_FAULT_FLIP,
    SHIM_FAULT_SA0,
    SHIM_FAULT_SA1
} ShimFault;
static inline uint64_t shim_fault(ShimFault what, uint32_t addr, int bit) {
    return (uint64_t)what << 42 | (uint64_t)(bit & 1023) << 32 | addr;
}

#ifdef __cplusplus
}
#endif
#endif
