// SPDX-License-Identifier: Apache-2.0
// In variants made with --cover this header replaces Verilator's wave writer of the same name. The
// trace code for changed signals then records the bits that rose and fell. Verilator's own toggle
// coverage generates one statement per bit and instance, 26 MB of C++ for a register file of 2 x 4
// entries. The trace code visits whole words of the nets that may have changed. This header has
// only the part of the writer's interface that generated code uses.
#ifndef SMCOSIM_COSIM_TOGGLE_FST_H
#define SMCOSIM_COSIM_TOGGLE_FST_H

#include <cstdint>
#include <string>
#include <vector>

#include "gtkwave/fstapi.h"
#include "verilated.h"
#include "verilated_trace.h"

class VerilatedFst;

class VerilatedFstBuffer final {
    std::vector<uint32_t> m_old, m_rose, m_fell;

    void see(uint32_t *oldp, uint32_t value) {
        const std::size_t i = (std::size_t)(oldp - m_old.data());
        m_rose[i] |= value & ~*oldp;
        m_fell[i] |= *oldp & ~value;
        *oldp = value;
    }

  public:
    void resize(std::size_t words) {
        m_old.resize(words), m_rose.resize(words), m_fell.resize(words);
    }
    const std::vector<uint32_t> &rose() const { return m_rose; }
    const std::vector<uint32_t> &fell() const { return m_fell; }
    uint32_t *oldp(uint32_t code) { return m_old.data() + code; }

    void fullBit(uint32_t *oldp, CData v) { *oldp = v; }
    void fullEvent(uint32_t *, CData) {}
    void fullCData(uint32_t *oldp, CData v, int) { *oldp = v; }
    void fullSData(uint32_t *oldp, SData v, int) { *oldp = v; }
    void fullIData(uint32_t *oldp, IData v, int) { *oldp = v; }
    void fullQData(uint32_t *oldp, QData v, int) {
        oldp[0] = (uint32_t)v, oldp[1] = (uint32_t)(v >> 32);
    }
    void fullWData(uint32_t *oldp, const WData *v, int bits) {
        for (int i = 0; i < (bits + 31) / 32; i++) oldp[i] = v[i];
    }
    void fullDouble(uint32_t *, double) {}

    void chgBit(uint32_t *oldp, CData v) { see(oldp, v); }
    void chgEvent(uint32_t *, CData) {}
    void chgCData(uint32_t *oldp, CData v, int) { see(oldp, v); }
    void chgSData(uint32_t *oldp, SData v, int) { see(oldp, v); }
    void chgIData(uint32_t *oldp, IData v, int) { see(oldp, v); }
    void chgQData(uint32_t *oldp, QData v, int) {
        see(oldp, (uint32_t)v), see(oldp + 1, (uint32_t)(v >> 32));
    }
    void chgWData(uint32_t *oldp, const WData *v, int bits) {
        for (int i = 0; i < (bits + 31) / 32; i++) see(oldp + i, v[i]);
    }
    void chgDouble(uint32_t *, double) {}
};

class VerilatedFst final {
  public:
    using Buffer = VerilatedFstBuffer;
    using initCb_t = void (*)(void *, VerilatedFst *, uint32_t);
    using dumpCb_t = void (*)(void *, Buffer *);
    using cleanupCb_t = void (*)(void *, VerilatedFst *);
    struct Net {
        std::string name;
        uint32_t code;
        int bits;
    };

  private:
    template <class T> struct Callback {
        T function;
        void *self;
    };
    std::vector<Callback<initCb_t>> m_inits;
    std::vector<Callback<dumpCb_t>> m_fulls, m_changes;
    std::vector<Callback<cleanupCb_t>> m_cleanups;
    std::vector<std::string> m_prefixes{std::string{}};
    std::vector<Net> m_nets;
    std::vector<bool> m_known;  // code: a net has it already under another name
    uint32_t m_words = 0;
    Buffer m_buffer;

    // Nets of hardware: no parameters, no variables of the simulation.
    void declare(uint32_t code, const char *name, fstVarType type, bool array, int index,
                 int bits) {
        const uint32_t end = code + (uint32_t)((bits + 31) / 32);
        if (end > m_words) m_words = end, m_known.resize(end);
        if (type == FST_VT_VCD_PARAMETER || type == FST_VT_VCD_INTEGER || type == FST_VT_SV_INT ||
            type == FST_VT_VCD_REAL || m_known[code])
            return;
        m_known[code] = true;
        std::string full = m_prefixes.back() + name;
        if (array) full += '[' + std::to_string(index) + ']';
        for (char &c : full)
            if (c == ' ') c = '.';
        m_nets.push_back({full, code, bits});
    }

  public:
    void addModel(VerilatedModel *) {}
    void addInitCb(initCb_t f, void *self) { m_inits.push_back({f, self}); }
    void addFullCb(dumpCb_t f, void *self) { m_fulls.push_back({f, self}); }
    void addChgCb(dumpCb_t f, void *self) { m_changes.push_back({f, self}); }
    void addCleanupCb(cleanupCb_t f, void *self) { m_cleanups.push_back({f, self}); }
    void scopeEscape(char) {}
    void pushNamePrefix(const std::string &prefix) {
        m_prefixes.push_back(m_prefixes.back() + prefix);
    }
    void popNamePrefix(unsigned count = 1) {
        while (count--) m_prefixes.pop_back();
    }
    void declEvent(uint32_t code, const char *name, int, fstVarDir, fstVarType, bool array,
                   int index) {
        declare(code, name, FST_VT_VCD_REAL, array, index, 1);
    }
    void declBit(uint32_t code, const char *name, int, fstVarDir, fstVarType type, bool array,
                 int index) {
        declare(code, name, type, array, index, 1);
    }
    void declBus(uint32_t code, const char *name, int, fstVarDir, fstVarType type, bool array,
                 int index, int msb, int lsb) {
        declare(code, name, type, array, index, msb - lsb + 1);
    }
    void declQuad(uint32_t code, const char *name, int, fstVarDir, fstVarType type, bool array,
                  int index, int msb, int lsb) {
        declare(code, name, type, array, index, msb - lsb + 1);
    }
    void declArray(uint32_t code, const char *name, int, fstVarDir, fstVarType type, bool array,
                   int index, int msb, int lsb) {
        declare(code, name, type, array, index, msb - lsb + 1);
    }
    void declDouble(uint32_t code, const char *name, int, fstVarDir, fstVarType, bool array,
                    int index) {
        declare(code, name, FST_VT_VCD_REAL, array, index, 64);
    }
    void declDTypeEnum(int, const char *, uint32_t, unsigned, const char **, const char **) {}

    // The first changes are counted from the present values.
    void start() {
        for (const auto &c : m_inits) c.function(c.self, this, 0);
        m_buffer.resize(m_words + 1);
        for (const auto &c : m_fulls) c.function(c.self, &m_buffer);
    }
    void sample() {
        for (const auto &c : m_changes) c.function(c.self, &m_buffer);
        for (const auto &c : m_cleanups) c.function(c.self, this);
    }
    const std::vector<Net> &nets() const { return m_nets; }
    const Buffer &buffer() const { return m_buffer; }
};

class VerilatedFstC final {
    VerilatedFst m_toggles;

  public:
    VerilatedFst *spTrace() { return &m_toggles; }
    bool isOpen() const { return false; }
};

#endif
