// SPDX-License-Identifier: Apache-2.0
// A block: a port table, parameters and its functions.
//
// The port table of a block (models/<family>/<name>.h, macro <NAME>_PORTS) is a single source. It
// determines the C input/output structs, the glue to the Verilated module, comparison,
// randomization, waves and coverage. A row is
//
//     W(dir, name, max, count, width, class, valid, meaning)   elements of at most 32 bits.
//     V(dir, name, max, count, width, class, valid, meaning)   elements of 1024 bits (width is
//     1024)
//
// `dir`: IN, OUT or OBS. OBS is an output for counters that no hardware has. The Verilog port is
//   name_i or name_o, [count*width-1:0], element 0 lowest. Rows of OBS are the last of a table, and
//   their names begin with obs_.
// `max`: C array bound. `count` and `width` are expressions over the block's parameters.
// `class`: the condition of the comparison. Inputs have ALWAYS and `-`.
//   ALWAYS: compared each cycle.
//   WHEN: element e is compared if bit e of output port `valid` is 1 (ports whose count is larger
//     than valid's: see the block).
//   WORK: compared each cycle, and 0 unless the block does its work (it delivers a value, answers a
//     look-up, places a register, ..). An offer of an idle block is no work. A run verifies a block
//     only if a port of this class was not 0. Every block has one.
// The C member is uint32_t name[max] (W) or uint32_t name[max][32] (V).
//
// Data in ports is slice-major, as the sub-banks store it. Bits [256*s + 8*l +: 8] of a 1024-bit
// warp register are byte s of lane l. `rf_slices_from_lanes` and `rf_lanes_from_slices` convert
// (wires in hardware).
//
// Every block has one clock, a synchronous reset, and the observation port obs_addr_i -> obs_data_o
// (combinational) through which state and parameters are compared. Ports that begin with obs_ exist
// in simulation only.
#ifndef SMCOSIM_MODELS_BLOCK_H
#define SMCOSIM_MODELS_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK_MAX_PARAMS = 12, BLOCK_OBS_PARAM = 0xffff0000 /* + parameter number: its value */ };

// Struct members from a port table.
#define BLOCK_W_IN(dir, name, max, count, width, cls, valid, meaning) \
    BLOCK_IF_##dir##_IN(uint32_t name[max];)
#define BLOCK_V_IN(dir, name, max, count, width, cls, valid, meaning) \
    BLOCK_IF_##dir##_IN(uint32_t name[max][32];)
#define BLOCK_W_OUT(dir, name, max, count, width, cls, valid, meaning) \
    BLOCK_IF_##dir##_OUT(uint32_t name[max];)
#define BLOCK_V_OUT(dir, name, max, count, width, cls, valid, meaning) \
    BLOCK_IF_##dir##_OUT(uint32_t name[max][32];)
#define BLOCK_IF_IN_IN(x) x
#define BLOCK_IF_OUT_IN(x)
#define BLOCK_IF_IN_OUT(x)
#define BLOCK_IF_OUT_OUT(x) x
#define BLOCK_IF_OBS_IN(x)
#define BLOCK_IF_OBS_OUT(x) x

// A golden model. `self` is made by open; in/out are the block's structs. Written from the block's
// contract (its header), by another method than the RTL.
typedef struct BlockModel {
    const char *name;  // "banked_rf"
    // values in the order of the parameter table
    void *(*open)(const int *params);
    void (*close)(void *self);
    void (*reset)(void *self);  // state after one clock with rst_ni low
    // outputs from inputs and state; no change
    void (*eval)(void *self, const void *in, void *out);
    void (*tick)(void *self, const void *in);  // state at the next clock edge
    // Observation: words addressed 0..count-1, each obs_words 32-bit words wide.
    uint32_t (*obs_count)(void *self);
    void (*observe)(void *self, uint32_t addr, uint32_t *words);
    int obs_words;
} BlockModel;

// ceil(log2(n)), at least 1: width of an index below n. A constant expression for the C++ glue.
#ifdef __cplusplus
constexpr
#endif
    static inline int
    block_bits(int n) {
    int bits = 1;
    while ((1 << bits) < n) bits++;
    return bits;
}

// Conversions between 32 lane words and the slice-major row of the ports.
void rf_slices_from_lanes(uint32_t slices[32], const uint32_t lanes[32]);
void rf_lanes_from_slices(uint32_t lanes[32], const uint32_t slices[32]);

#endif
