// SPDX-License-Identifier: Apache-2.0
// Golden models as a shared library (libsmcosim_golden), for test benches that are not smcosim:
// SystemVerilog over DPI-C, Python over ctypes, C and C++ directly. `smcosim export` writes the
// bindings of a block.
//
// Inputs and outputs are one vector each. A vector holds the ports of its direction in the order of
// the block's port table (models/<family>/<name>.h). The first port and element 0 of a port have
// the lowest bits. A word has 32 bits; unused bits of the last word are 0. This layout equals
// svBitVecVal[] of a packed struct, and a little-endian integer.
//
// A handle is used by one thread at a time. A cycle is: eval (any number of times), then tick or
// reset.
#ifndef SMCOSIM_EXPORT_GOLDEN_H
#define SMCOSIM_EXPORT_GOLDEN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SMCOSIM_GOLDEN_ABI = 1 };

// A model in the state after reset. block: "banked_rf"; params: "Banks=4 Entries=256 ..", where
// missing parameters have their defaults. The result is never NULL. A handle whose error is not ""
// does nothing.
void *smcosim_golden_open(const char *block, const char *params);
const char *smcosim_golden_error(void *handle);
void smcosim_golden_close(void *handle);
int smcosim_golden_abi(void);

// Bits of the vector of inputs (output = 0) or outputs (1).
int smcosim_golden_bits(void *handle, int output);
// The state after a clock edge with rst_ni low; then after an edge with these inputs.
void smcosim_golden_reset(void *handle);
void smcosim_golden_tick(void *handle, const uint32_t *in);
// Outputs from inputs and state. The state is unchanged.
void smcosim_golden_eval(void *handle, const uint32_t *in, uint32_t *out);

// Constrained-random inputs of the next cycle, legal in the present state, from the block's own
// stimuli. After each draw the caller ticks the handle with the drawn inputs. `seed` restarts the
// sequence (0 counts as 1).
void smcosim_golden_seed(void *handle, uint64_t seed);
void smcosim_golden_draw(void *handle, uint32_t *in);
// Inputs of cycle 0, 1, .. after reset that write memory entries whose value is undefined until
// they are written; 0: no more. The caller then resets again. Required if memories do not start
// from 0.
int smcosim_golden_fill(void *handle, uint32_t cycle, uint32_t *in);
// Functional bins of the stimuli that were hit since open, and how many are declared.
int smcosim_golden_bins_hit(void *handle);
int smcosim_golden_bins(void *handle);

// The same functions with a name per block, because one C function has one width in SystemVerilog:
//     void smcosim_<block>_eval(void *handle, const uint32_t *in, uint32_t *out)
//     void smcosim_<block>_tick(void *handle, const uint32_t *in)
//     void smcosim_<block>_draw(void *handle, uint32_t *in)
//     int smcosim_<block>_fill(void *handle, uint32_t cycle, uint32_t *in)

#ifdef __cplusplus
}
#endif
#endif
