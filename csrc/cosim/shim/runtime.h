// SPDX-License-Identifier: Apache-2.0
// The functions of the Verilator runtime that all variants share: contexts, waves, code coverage.
// They are not in shim.h, because a variant does not depend on them.
#ifndef SMCOSIM_COSIM_RUNTIME_H
#define SMCOSIM_COSIM_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RUNTIME_ABI = 7 };

// A C signal in a wave file. scope: names separated by spaces.
typedef struct ShimSignal {
    const char *scope, *name;
    int bits;                 // 0: a text
    const uint32_t *words;    // the value
    const char *const *text;  // the text, when bits is 0
    // NULL, or the value has a meaning only while one of the bits valid_mask is set
    const uint32_t *valid;
    uint32_t valid_mask;  // here; otherwise it is drawn as x
} ShimSignal;

typedef struct RuntimeApi {
    int abi;
    const char *verilator;  // version compiled in
    void *(*context_open)(int nargs, const char *const *plusargs);
    void (*context_close)(void *context);
    // Start values of the registers and memories of instances that are opened next: 0 for seed 0,
    // otherwise random. They depend only on seed, block and shape. Memories that the RTL clears
    // (rtl/macros.svh) are 0 in both cases.
    void (*context_start)(void *context, uint64_t seed);
    // First $fatal, $error or $stop of any instance of the context, NULL while none.
    const char *(*context_error)(void *context);
    const uint64_t *error_count;  // of all contexts, never decreases
    // Waves. open returns NULL when the file cannot be made; close returns false after any write
    // error.
    void *(*wave_new)(void *context);
    void *(*wave_trace_file)(void *wave);  // for ShimApi.trace
    bool (*wave_open)(void *wave, const char *path, const ShimSignal *signals, int nsignals);
    void (*wave_dump)(void *wave, uint64_t time);
    bool (*wave_close)(void *wave);  // errno says why it failed
    // Code coverage of all instances of a context (variants made with --cover). clear: counts from
    // 0 again;
    // write: Verilator's coverage file, false with errno.
    void (*cover_clear)(void *context);
    bool (*cover_write)(void *context, const char *path);
} RuntimeApi;
typedef const RuntimeApi *RuntimeEntry(void);
#define RUNTIME_ENTRY "smcosim_runtime"

#ifdef __cplusplus
}
#endif
#endif
