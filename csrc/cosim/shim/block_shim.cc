// SPDX-License-Identifier: Apache-2.0
// One Verilated block behind ShimApi. Compiled once per variant with
//   SHIM_BLOCK  banked_rf          SHIM_UPPER  BANKED_RF      SHIM_CAMEL  BankedRf
//   SHIM_CLASS  name of the Verilated class                   SHIM_PARAM_<name>  value of each parameter
//   SHIM_PARAMS "Banks=4 .."       SHIM_OBS_WORDS  words of obs_data_o, 0: there are no observation ports
//   SHIM_FAULT  1: the module has the port fault_i
//   SHIM_COVER  1: code coverage is compiled in
//   SHIM_GROUPS groups of inputs, 0: none. The top module is then smcosim_top (inputs.awk). A
//               group's inputs reach the block when its signal groupN_i changes. The header made
//               with smcosim_top names the group of each input.
//   SHIM_EDGE   1: the model has a function for a clock edge without the logic behind the inputs
//               (edge.awk)
// Element counts and widths are constants here, so that every copy unrolls.
//   SHIM_LEAVES LEAF(rf_bank).. submodules that are Verilated apart, their kinds by leaves.awk
//   SHIM_ROOT_HEADER  with SHIM_LEAVES: the header of the class that holds their wires
#include <cstring>
#include <memory>
#include <vector>

#include "cosim/shim/shim.h"
#include "models/block.h"

#define SHIM_CAT_(a, b) a##b
#define SHIM_CAT(a, b) SHIM_CAT_(a, b)
#define SHIM_TEXT_(a) #a
#define SHIM_TEXT(a) SHIM_TEXT_(a)
#include SHIM_MODEL_HEADER
#include SHIM_CLASS_HEADER
#include "verilated_fst_c.h"

#ifdef SHIM_LEAVES
#include SHIM_ROOT_HEADER
#include "cosim/shim/leaves.h"
#include "leaf_models.h"
#endif

#if SHIM_EDGE
#define SHIM_ROOT SHIM_CAT(SHIM_CLASS, ___024root)
class SHIM_ROOT;
void SHIM_CAT(SHIM_ROOT, ___edge)(SHIM_ROOT *);
#endif

namespace {

#if SHIM_GROUPS
#include "groups.h"
#define GROUP_OF(name) GROUP_##name
#else
#define GROUP_OF(name) 1u
#endif

using Verilated_t = SHIM_CLASS;
using In = SHIM_CAT(SHIM_CAMEL, In);
using Out = SHIM_CAT(SHIM_CAMEL, Out);

#define P_CONSTANT(name, def, least, most, key, meaning) constexpr int name = SHIM_PARAM_##name;
SHIM_CAT(SHIM_UPPER, _PARAMS)(P_CONSTANT)
[[maybe_unused]] SHIM_CAT(SHIM_UPPER, _WIDTHS);

// N elements of W bits at src into a vector of N * W bits, and back. pack returns 0 when it changed nothing.
template <int W, int N, class T> inline uint32_t pack(T &dst, const uint32_t *src) {
    uint64_t v = 0;
    for (int i = 0; i < N; i++) v |= (uint64_t)(src[i] & (~0u >> (32 - W))) << (W * i);
    const bool changed = static_cast<T>(v) != dst;
    dst = static_cast<T>(v);
    return changed;
}
template <int W, int N, std::size_t M> inline uint32_t pack(VlWide<M> &dst, const uint32_t *src) {
    uint64_t v = 0;
    int fill = 0, word = 0;
    uint32_t changed = 0;
#pragma GCC unroll 128
    for (int i = 0; i < N; i++) {
        v |= (uint64_t)(src[i] & (~0u >> (32 - W))) << fill;
        fill += W;
        if (fill >= 32) changed |= dst[word] ^ (uint32_t)v, dst[word++] = (uint32_t)v, v >>= 32, fill -= 32;
    }
    if (fill > 0) changed |= dst[word] ^ (uint32_t)v, dst[word] = (uint32_t)v;
    return changed;
}
inline uint32_t copy(EData *dst, const void *src, std::size_t bytes) {
    if (!std::memcmp(dst, src, bytes)) return 0;
    std::memcpy(dst, src, bytes);
    return 1;
}
template <int W, int N, class T> inline void unpack(uint32_t *dst, const T &src) {
    for (int i = 0; i < N; i++) dst[i] = (uint32_t)((uint64_t)src >> (W * i)) & (~0u >> (32 - W));
}
template <int W, int N, std::size_t M> inline void unpack(uint32_t *dst, const VlWide<M> &src) {
    uint64_t v = 0;
    int left = 0, word = 0;
#pragma GCC unroll 128
    for (int i = 0; i < N; i++) {
        if (left < W) v |= (uint64_t)src[word++] << left, left += 32;
        dst[i] = (uint32_t)v & (~0u >> (32 - W));
        v >>= W, left -= W;
    }
}

// Compares a vector with the N elements at src: 0 when equal. `valid`: only elements whose bit is
// set.
template <int W, int N, class T> inline uint32_t differ(const uint32_t *src, const T &v) {
    uint64_t packed = 0;
    for (int i = 0; i < N; i++) packed |= (uint64_t)src[i] << (W * i);
    return packed != (uint64_t)v;
}
template <int W, int N, std::size_t M> inline uint32_t differ(const uint32_t *src, const VlWide<M> &v) {
    uint32_t elements[N], d = 0;
    unpack<W, N>(elements, v);
    for (int i = 0; i < N; i++) d |= elements[i] ^ src[i];
    return d;
}
template <int W, int N, class T> inline uint32_t differ(uint32_t valid, const uint32_t *src, const T &v) {
    uint32_t d = 0;
    for (valid &= ~0u >> (32 - N); valid; valid &= valid - 1) {
        const int e = __builtin_ctz(valid);
        d |= src[e] ^ ((uint32_t)((uint64_t)v >> (W * e)) & (~0u >> (32 - W)));
    }
    return d;
}
template <int W, int N, std::size_t M>
inline uint32_t differ(uint32_t valid, const uint32_t *src, const VlWide<M> &v) {
    uint32_t d = 0;
    for (valid &= ~0u >> (32 - N); valid; valid &= valid - 1) {
        const int e = __builtin_ctz(valid), word = W * e / 32, shift = W * e % 32;
        const uint64_t two = v[word] | (word + 1 < (int)M ? (uint64_t)v[word + 1] << 32 : 0);
        d |= src[e] ^ ((uint32_t)(two >> shift) & (~0u >> (32 - W)));
    }
    return d;
}
template <int N> inline uint32_t rows_differ(uint32_t valid, const uint32_t (*src)[32], const EData *v) {
    uint32_t d = 0;
    for (valid &= ~0u >> (32 - N); valid; valid &= valid - 1) {
        const int e = __builtin_ctz(valid);
        for (int i = 0; i < 32; i++) d |= src[e][i] ^ v[32 * e + i];
    }
    return d;
}

#define IF_IN_IN(...) __VA_ARGS__
#define IF_OUT_IN(...)
#define IF_IN_OUT(...)
#define IF_OUT_OUT(...) __VA_ARGS__
#define IF_OBS_IN(...)
#if SHIM_OBS_WORDS
#define IF_OBS_OUT(...) __VA_ARGS__
#else
#define IF_OBS_OUT(...)
#endif
#define SKIP(dir, name, max, count, width, cls, valid, meaning)
#define W_DRIVE(dir, name, max, count, width, cls, valid, meaning)                                 \
    IF_##dir##_IN(if (pack<width, count>(v.name##_i, in.name)) changed |= GROUP_OF(name);)
#define V_DRIVE(dir, name, max, count, width, cls, valid, meaning)                                 \
    IF_##dir##_IN(if (copy(v.name##_i.data(), in.name, (count) * 128)) changed |= GROUP_OF(name);)
#define W_READ(dir, name, max, count, width, cls, valid, meaning)                                  \
    IF_##dir##_OUT(unpack<width, count>(out.name, v.name##_o);)
#define V_READ(dir, name, max, count, width, cls, valid, meaning)                                  \
    IF_##dir##_OUT(for (int e = 0; e < (count); e++) if (READ_##cls(valid)) std::memcpy(           \
                       out.name[e], v.name##_o.data() + 32 * e, 128);)
#define W_DIFFER(dir, name, max, count, width, cls, valid, meaning)                                \
    IF_##dir##_OUT(d |= differ<width, count>(BITS_##cls(valid) out.name, v.name##_o);)
#define V_DIFFER(dir, name, max, count, width, cls, valid, meaning)                                \
    IF_##dir##_OUT(d |= rows_differ<count>(ROWS_##cls(valid), out.name, v.name##_o.data());)
#define BITS_ALWAYS(valid)
#define BITS_WORK(valid)
#define BITS_WHEN(valid) out.valid[0],
#define ROWS_ALWAYS(valid) ~0u
#define ROWS_WHEN(valid) out.valid[0]
#define READ_ALWAYS(valid) true
#define READ_WHEN(valid) (out.valid[0] >> e & 1)

#if SHIM_COVER
// Bits that rose and fell, sampled when a cycle's inputs have settled.
struct Toggles {
    VerilatedFstC trace;
    std::vector<ShimNet> nets;
    void start(Verilated_t &v) {
        v.trace(&trace, 99);
        trace.spTrace()->start();
        for (const auto &n : trace.spTrace()->nets()) nets.push_back({n.name.c_str(), n.code, n.bits});
    }
    void sample() { trace.spTrace()->sample(); }
};
#else
struct Toggles {
    void start(Verilated_t &) {}
    void sample() {}
};
#endif

// Rounds in which leaves and block evaluate each other in one cycle, as many as Verilator's own.
enum { LEAVES_MOST_ROUNDS = 100 };

#ifdef SHIM_LEAVES
#include "leaf_kinds.h"
#define LEAF(name) Leaves<Leaf_##name> name;
struct AllLeaves {
    SHIM_LEAVES
#undef LEAF
#define LEAF(name) name.open(context, root, at);
    template <class Root> void open(VerilatedContext *context, Root *root, const char *at) { SHIM_LEAVES }
#undef LEAF
#define LEAF(name) news |= name.settle(clock);
    bool settle(bool clock) {
        bool news = false;
        SHIM_LEAVES
        return news;
    }
#undef LEAF
#define LEAF(name) name.rise();
    void rise() { SHIM_LEAVES }
#undef LEAF
#define LEAF(name) name.trace(file);
    void trace(VerilatedFstC *file) { SHIM_LEAVES }
};
#else
struct AllLeaves {
    template <class Root> void open(VerilatedContext *, Root *, const char *) {}
    bool settle(bool) { return false; }
    void rise() {}
    void trace(VerilatedFstC *) {}
};
#endif

// An observation address that shows neither state nor a parameter, so that no memory is read
// without need.
constexpr uint32_t NOTHING = ~0u;

struct Instance {
    VerilatedContext *context;
    Verilated_t v;
    Toggles toggles;
    AllLeaves leaves;
    uint32_t news = ~0u;   // groups of inputs of which one changed since the logic behind them was evaluated
    bool due = false;      // SHIM_GROUPS: the rising edge is still to be evaluated, together with the inputs that follow
    bool traced = false;   // a wave is open: only eval() marks an evaluation for the trace
    Instance(VerilatedContext *c, const char *name) : context{c}, v{c, name} {}

    void drive(const In &in) {
        uint32_t changed = 0;
        SHIM_CAT(SHIM_UPPER, _PORTS)(W_DRIVE, V_DRIVE)
        news |= changed;
    }
    void read(Out &out) {
        SHIM_CAT(SHIM_UPPER, _PORTS)(W_READ, SKIP)   // valid ports before their data
        SHIM_CAT(SHIM_UPPER, _PORTS)(SKIP, V_READ)
    }
    bool same(const Out &out) {
        uint32_t d = 0;
        SHIM_CAT(SHIM_UPPER, _PORTS)(W_DIFFER, V_DIFFER)
        return d == 0;
    }
#if SHIM_GROUPS
    // Evaluates a pending edge and the changed inputs. The edge samples the previous inputs.
    void settle() {
        v.clk_i = due, due = false;
        shim_toggle(v, news), news = 0;
        v.eval();
        for (int rounds = 0; leaves.settle(v.clk_i); rounds++) {
            if (rounds == LEAVES_MOST_ROUNDS) {
                vl_fatal(__FILE__, __LINE__, v.name(), "leaves and the block around them do not settle");
                return;
            }
            v.eval();
        }
    }
    void answer() { settle(); }
    void rise() {
        if (due || news || v.clk_i) settle();
        if (v.clk_i) settle();
        due = true;
        leaves.rise();
        if (traced) settle();
    }
#else
    // Both edges of the clock. While the inputs are unchanged, neither edge evaluates the logic
    // behind the inputs again. The logic behind the state is evaluated with the rising edge.
    void settle() { v.clk_i = 0, step(SHIM_COVER || traced); }
    void answer() { settle(); }
    void rise() { v.clk_i = 1, step(traced); }
    void step([[maybe_unused]] bool full) {
#if SHIM_EDGE
        if (!news && !full) return SHIM_CAT(SHIM_ROOT, ___edge)(v.rootp);
#endif
        v.eval();
        news = 0;
    }
#endif
    // Completes a pending edge before the state is observed.
    void finish() {
        if (due) settle();
    }
};

Instance *at(void *self) { return static_cast<Instance *>(self); }

void *shim_open(void *context, const char *name) {
    Verilated::threadContextp(static_cast<VerilatedContext *>(context));  // where $fatal is recorded
    Instance *x = new Instance(static_cast<VerilatedContext *>(context), name);
    x->drive(In{});
    x->v.clk_i = 0, x->v.rst_ni = 1;  // start values are random (RuntimeApi.context_start)
#if SHIM_FAULT
    x->v.fault_i = 0;
#endif
#if SHIM_OBS_WORDS
    x->v.obs_addr_i = NOTHING;
#endif
    x->v.eval();
    x->leaves.open(x->context, x->v.rootp, name);
    x->settle();
    x->toggles.start(x->v);
    return x;
}
void shim_close(void *self) { at(self)->v.final(), delete at(self); }
void shim_reset(void *self) {
    at(self)->finish();
    at(self)->v.rst_ni = 0;  // inputs are unchanged: reset must win over all of them
    at(self)->news |= GROUP_OF(rst_ni);
    at(self)->settle();
    at(self)->toggles.sample();
    at(self)->rise();
    at(self)->v.rst_ni = 1;
    at(self)->news |= GROUP_OF(rst_ni);
}
void shim_eval(void *self, const void *in) {
    if (in) at(self)->drive(*static_cast<const In *>(in));
    at(self)->answer();
    at(self)->toggles.sample();
}
void shim_read(void *self, void *out) { at(self)->read(*static_cast<Out *>(out)); }
bool shim_same(void *self, const void *out) { return at(self)->same(*static_cast<const Out *>(out)); }
void shim_tick(void *self, const void *in) {
    if (in) at(self)->drive(*static_cast<const In *>(in));
    at(self)->rise();
}
#if SHIM_OBS_WORDS
void shim_observe(void *self, uint32_t addr, uint32_t *words) {
    at(self)->v.obs_addr_i = addr;
    at(self)->news |= GROUP_OF(obs_addr);
    at(self)->settle();
    unpack<32, SHIM_OBS_WORDS>(words, at(self)->v.obs_data_o);
    at(self)->v.obs_addr_i = NOTHING;
    at(self)->news |= GROUP_OF(obs_addr);
}
#else
constexpr void (*shim_observe)(void *, uint32_t, uint32_t *) = nullptr;
#endif
#if SHIM_FAULT
void shim_set_fault(void *self, uint64_t fault) { at(self)->v.fault_i = fault, at(self)->news |= GROUP_OF(fault); }
#else
constexpr void (*shim_set_fault)(void *, uint64_t) = nullptr;
#endif
#if SHIM_COVER
void shim_toggles(void *self, ShimToggles *t) {
    Toggles &x = at(self)->toggles;
    const auto &buffer = x.trace.spTrace()->buffer();
    *t = {x.nets.data(), (int)x.nets.size(), (uint32_t)buffer.rose().size(), buffer.rose().data(), buffer.fell().data()};
}
#else
constexpr void (*shim_toggles)(void *, ShimToggles *) = nullptr;
#endif
void shim_trace(void *self, void *file) {
    at(self)->finish();
    at(self)->v.trace(static_cast<VerilatedFstC *>(file), 99);
    at(self)->leaves.trace(static_cast<VerilatedFstC *>(file));
    at(self)->traced = true;
}

const ShimApi api = {SHIM_ABI,  SHIM_TEXT(SHIM_BLOCK), SHIM_PARAMS, shim_open, shim_close,   shim_reset,
                     shim_eval, shim_read,             shim_same,   shim_tick, shim_observe, shim_trace,
                     shim_set_fault, shim_toggles};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ShimApi *smcosim_shim(void) { return &api; }
