// SPDX-License-Identifier: Apache-2.0
// The leaves of a block: instances of a submodule that is Verilated once. In the block, the
// variables Wires replace the ports of each leaf. leaves.awk makes Kind, which names them.
// A leaf rests while its expression in <block>.leaves holds: nothing evaluates or clocks it.
#ifndef SMCOSIM_COSIM_LEAVES_H
#define SMCOSIM_COSIM_LEAVES_H

#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>

template <class T> inline bool leaf_differs(const T &a, const T &b) { return a != b; }
template <std::size_t N> inline bool leaf_differs(const VlWide<N> &a, const VlWide<N> &b) {
    return std::memcmp(a.data(), b.data(), sizeof(EData) * N) != 0;
}
template <class T> inline bool leaf_copy(T &to, const T &from) {
    const bool news = to != from;
    to = from;
    return news;
}
template <std::size_t N> inline bool leaf_copy(VlWide<N> &to, const VlWide<N> &from) {
    if (!leaf_differs(to, from)) return false;
    std::memcpy(to.data(), from.data(), sizeof(EData) * N);
    return true;
}

template <class Kind> class Leaves {
    // One edge of so many clocks a leaf that rests: a change then shows that the expression
    // promises too much.
    enum : unsigned { WAKE = 256 };

    struct Leaf {
        std::unique_ptr<typename Kind::Model> model;
        int calm = 0;         // edges at which the expression held, one after the other
        bool passed = false;  // it rests
    };
    Leaf leaves[Kind::count];
    typename Kind::Wires wires[Kind::count];
    unsigned edges = 0;
    bool restless = false;  // a seeded fault may break the promise
    bool traced = false;

    // Hands the outputs over; the block takes them when it is evaluated next.
    bool answer(int i) {
        const bool news = Kind::answer(wires[i], *leaves[i].model);
        *wires[i].take ^= news;
        return news;
    }

  public:
    template <class Root> void open(VerilatedContext *context, Root *root, const char *name) {
        const std::string bug = context->commandArgsPlusMatch("testbug=");  // "+testbug=12"
        restless = bug.size() > 9 && std::atoi(bug.c_str() + 9) != 0;
        Kind::connect(wires, root);
        for (int i = 0; i < Kind::count; i++) {
            const std::string at = std::string(name) + " " + Kind::path(i);
            leaves[i].model.reset(new typename Kind::Model(context, at.c_str()));
            Kind::clear(
                *leaves[i].model);  // the block may leave an input of a seeded fault undriven
            Kind::drive(wires[i], *leaves[i].model);
            leaves[i].model->eval();
            Kind::answer(wires[i], *leaves[i].model);
            *wires[i].take ^= 1;
        }
    }
    // Evaluates leaves whose inputs changed, with the block's clock. True: an output changed, so
    // the block evaluates again.
    bool settle(bool clock) {
        bool news = false;
        for (int i = 0; i < Kind::count; i++) {
            Leaf &leaf = leaves[i];
            if (*wires[i].rests && leaf.passed && !traced) continue;
            leaf.passed = false;
            if (!restless && !traced && !Kind::differs(wires[i], *leaf.model)) continue;
            const bool falls = leaf.model->clk_i && !clock;
            leaf.model->clk_i = leaf.model->clk_i && clock;
            if (Kind::drive(wires[i], *leaf.model) || falls) leaf.model->eval(), news |= answer(i);
        }
        return news;
    }
    // The rising edge, and the falling one, which a wave shows later. The block has settled.
    void rise() {
        const bool all = restless || traced || ++edges % WAKE == 0;
        for (int i = 0; i < Kind::count; i++) {
            Leaf &leaf = leaves[i];
            if (*wires[i].rests) {
                if (leaf.calm < Kind::edges) leaf.calm++;
                else leaf.passed = true;
            } else leaf.calm = 0;
            if (leaf.passed && !all) continue;
            const bool news = Kind::drive(wires[i], *leaf.model);
            leaf.model->clk_i = 1;
            if (news || traced) leaf.model->eval();
            else Kind::edge(*leaf.model);
            if (!traced) leaf.model->clk_i = 0, Kind::edge(*leaf.model);
            answer(i);
        }
    }
    void trace(VerilatedFstC *file) {
        for (Leaf &leaf : leaves) leaf.model->trace(file, 99);
        traced = true;
    }
};

#endif
