// SPDX-License-Identifier: Apache-2.0
// The Verilator runtime that every variant and the program share: contexts and wave files.
#include "cosim/shim/checked_io.h"
#include "cosim/shim/runtime.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "verilated.h"
#include "verilated_cov.h"
#include "verilated_fst_c.h"

// --- errors -------------------------------------------------------------------------------------

namespace {
thread_local int io_error;
thread_local std::string printed;  // last lines the RTL or the runtime printed
std::mutex errors_mutex;
uint64_t error_count;  // of all contexts: a cheap test for "anything new?"
std::map<const VerilatedContext *, std::string> errors;

void record_error(const char *file, int line, const char *text) {
    const std::lock_guard<std::mutex> lock{errors_mutex};
    error_count++;
    std::string &error = errors[Verilated::threadContextp()];
    if (!error.empty()) return;
    error = printed.empty() ? text : printed;
    while (!error.empty() && error.back() == '\n') error.pop_back();
    if (file && *file) error += std::string(" (") + file + ":" + std::to_string(line) + ")";
}
}  // namespace

int smcosim_io_error(bool clear) {
    const int error = io_error;
    if (clear) io_error = 0;
    return error;
}
static void failed() {
    if (!io_error) io_error = errno ? errno : EIO;
}
size_t smcosim_fwrite(const void *data, size_t size, size_t n, FILE *f) {
    const size_t done = std::fwrite(data, size, n, f);
    if (done != n) failed();
    return done;
}
int smcosim_fflush(FILE *f) {
    const int r = std::fflush(f);
    if (r) failed();
    return r;
}
int smcosim_fclose(FILE *f) {
    const bool lost = std::ferror(f);  // of a byte that was put
    const int r = std::fclose(f);
    if (r || lost) failed();
    return r;
}

FILE *smcosim_tmpfile() {
    const int fd = memfd_create("wave", MFD_CLOEXEC);
    FILE *f = fd < 0 ? nullptr : fdopen(fd, "w+b");
    if (fd >= 0 && !f) close(fd);
    return f;
}
// F.hier beside the wave is scratch too. It must not remain when the program is killed.
FILE *smcosim_fopen(const char *path, const char *mode) {
    const size_t n = std::strlen(path);
    if (*mode == 'w' && n > 5 && !std::strcmp(path + n - 5, ".hier")) return smcosim_tmpfile();
    return std::fopen(path, mode);
}
// A file that is shorter than the mapping could not be written whole. The wave is lost; the run goes on in memory.
void *smcosim_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
    struct stat st;
    if (fd < 0 || (fstat(fd, &st) == 0 && st.st_size >= offset + (off_t)n)) return mmap(at, n, protection, flags, fd, offset);
    if (!io_error) io_error = EFBIG;
    return mmap(at, n, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int smcosim_print(const char *format, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, format);
    const int n = std::vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (printed.size() < 4096) printed += text;
    return n;
}

// $fatal, $error and $stop are stored and reported by the harness. The process continues.
void vl_fatal(const char *file, int line, const char *, const char *text) { record_error(file, line, text); }
void vl_stop(const char *file, int line, const char *) { record_error(file, line, "$stop"); }
void vl_finish(const char *file, int line, const char *) { record_error(file, line, "$finish"); }

// --- contexts -----------------------------------------------------------------------------------

namespace {
void *context_open(int nargs, const char *const *plusargs) {
    auto *context = new VerilatedContext;
    Verilated::threadContextp(context);
    std::vector<const char *> argv{"smcosim"};
    argv.insert(argv.end(), plusargs, plusargs + nargs);
    context->commandArgs((int)argv.size(), argv.data());
    context->randReset(0);  // until context_start
    context->fatalOnError(false);
    context->threads(1);
    context->traceEverOn(true);
    printed.clear();
    return context;
}
// Verilator's generator begins with the seed's bits, so neighboring seeds are scrambled.
void context_start(void *self, uint64_t seed) {
    auto *context = static_cast<VerilatedContext *>(self);
    context->randReset(seed ? 2 : 0);
    seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15ull;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ull;
    context->randSeed(1 + static_cast<int>((seed >> 33) % 0x7ffffffe));
}
void context_close(void *context) {
    {
        const std::lock_guard<std::mutex> lock{errors_mutex};
        errors.erase(static_cast<VerilatedContext *>(context));
    }
    // A model of another context that is closed later looks here: its scopes are taken out of the thread's context.
    if (Verilated::threadContextp() == context) Verilated::threadContextp(nullptr);
    delete static_cast<VerilatedContext *>(context);
}
const char *context_error(void *context) {
    const std::lock_guard<std::mutex> lock{errors_mutex};
    const auto it = errors.find(static_cast<VerilatedContext *>(context));
    return it == errors.end() ? nullptr : it->second.c_str();
}

// --- code coverage ------------------------------------------------------------------------------

void cover_clear(void *context) { static_cast<VerilatedContext *>(context)->coveragep()->zero(); }
bool cover_write(void *context, const char *path) {
    FILE *probe = std::fopen(path, "wb");  // the writer itself would stop the program
    if (!probe) return false;
    std::fclose(probe);
    static_cast<VerilatedContext *>(context)->coveragep()->write(path);
    return true;
}

// --- waves --------------------------------------------------------------------------------------

struct Signal {
    ShimSignal is;
    uint32_t code;
    bool unknown;      // drawn as x since the last dump
    std::string text;  // as dumped last
};

struct Wave {
    VerilatedContext *context;
    std::vector<Signal> signals;
    VerilatedFstC fst;
};

// Verilator's trace writer supports neither x nor text, but the FST writer below it does. An
// explicit instantiation may name private members, and so exposes pointers to the two required
// ones.
template <typename Tag, typename Tag::Member member>
struct Expose {
    friend typename Tag::Member expose(Tag) { return member; }
};
struct FstFile {
    using Member = void *VerilatedFst::*;
    friend Member expose(FstFile);
};
struct FstHandles {
    using Member = fstHandle *VerilatedFst::*;
    friend Member expose(FstHandles);
};
template struct Expose<FstFile, &VerilatedFst::m_fst>;
template struct Expose<FstHandles, &VerilatedFst::m_symbolp>;

void emit_unknown(Wave *w, const Signal &s) {
    VerilatedFst *const fst = w->fst.spTrace();
    const std::string x(s.is.bits, 'x');
    fstWriterEmitValueChange(fst->*expose(FstFile{}), (fst->*expose(FstHandles{}))[s.code], x.c_str());
}

void emit_text(Wave *w, const Signal &s) {
    VerilatedFst *const fst = w->fst.spTrace();
    fstWriterEmitVariableLengthValueChange(fst->*expose(FstFile{}), (fst->*expose(FstHandles{}))[s.code],
                                           s.text.data(), (uint32_t)s.text.size());
}

void declare_signals(void *self, VerilatedFst *fst, uint32_t code) {
    // By scope, so that each scope is opened once; "rtl" is still open from the models.
    Wave *w = static_cast<Wave *>(self);
    std::stable_sort(w->signals.begin(), w->signals.end(), [](const Signal &a, const Signal &b) {
        const bool rtl_a = !std::strncmp(a.is.scope, "rtl", 3), rtl_b = !std::strncmp(b.is.scope, "rtl", 3);
        return rtl_a != rtl_b ? rtl_a : std::strcmp(a.is.scope, b.is.scope) < 0;
    });
    for (Signal &signal : w->signals) {
        const ShimSignal &s = signal.is;
        signal.code = code;
        fst->pushNamePrefix(std::string(s.scope) + " ");
        if (s.bits == 0)
            fst->declBit(code, s.name, -1, FST_VD_IMPLICIT, FST_VT_GEN_STRING, false, -1);
        else if (s.bits == 1)
            fst->declBit(code, s.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1);
        else if (s.bits <= 32)
            fst->declBus(code, s.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, s.bits - 1, 0);
        else
            fst->declArray(code, s.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, s.bits - 1, 0);
        fst->popNamePrefix();
        code += s.bits ? (uint32_t)((s.bits + 31) / 32) : 1;
    }
}

void full_value(const Signal &signal, VerilatedFst::Buffer *buffer) {
    const ShimSignal &s = signal.is;
    uint32_t *const old = buffer->oldp(signal.code);
    if (s.bits == 1) buffer->fullBit(old, *s.words & 1);
    else if (s.bits <= 32) buffer->fullIData(old, *s.words & (~0u >> (32 - s.bits)), s.bits);
    else buffer->fullWData(old, s.words, s.bits);
}

void changed_value(const Signal &signal, VerilatedFst::Buffer *buffer) {
    const ShimSignal &s = signal.is;
    uint32_t *const old = buffer->oldp(signal.code);
    if (s.bits == 1) buffer->chgBit(old, *s.words & 1);
    else if (s.bits <= 32) buffer->chgIData(old, *s.words & (~0u >> (32 - s.bits)), s.bits);
    else buffer->chgWData(old, s.words, s.bits);
}

// full: the first dump, in which everything is written.
void dump_signals(Wave *w, VerilatedFst::Buffer *buffer, bool full) {
    for (Signal &signal : w->signals) {
        const ShimSignal &s = signal.is;
        if (s.bits == 0) {
            const char *const text = *s.text ? *s.text : "";
            if (!full && signal.text == text) continue;
            signal.text = text;
            emit_text(w, signal);
            continue;
        }
        const bool was = signal.unknown;
        signal.unknown = s.valid && !(*s.valid & s.valid_mask);
        if (signal.unknown) {
            if (full || !was) emit_unknown(w, signal);
        } else if (full || was) {
            full_value(signal, buffer);
        } else {
            changed_value(signal, buffer);
        }
    }
}
void full_signals(void *self, VerilatedFst::Buffer *buffer) { dump_signals(static_cast<Wave *>(self), buffer, true); }
void changed_signals(void *self, VerilatedFst::Buffer *buffer) {
    dump_signals(static_cast<Wave *>(self), buffer, false);
}

void *wave_new(void *context) {
    Verilated::threadContextp(static_cast<VerilatedContext *>(context));
    return new Wave{static_cast<VerilatedContext *>(context), {}, {}};
}
void *wave_trace_file(void *self) { return &static_cast<Wave *>(self)->fst; }

bool wave_open(void *self, const char *path, const ShimSignal *signals, int n) {
    Wave *w = static_cast<Wave *>(self);
    FILE *probe = std::fopen(path, "wb");  // the writer itself does not check
    if (!probe) return false;
    std::fclose(probe);
    for (int i = 0; i < n; i++) w->signals.push_back({signals[i], 0, false, {}});
    w->fst.spTrace()->addInitCb(declare_signals, w);
    w->fst.spTrace()->addFullCb(full_signals, w);
    w->fst.spTrace()->addChgCb(changed_signals, w);
    w->fst.set_time_unit("1ns");
    w->fst.set_time_resolution("1ns");
    smcosim_io_error(true);
    w->fst.open(path);
    return w->fst.isOpen();
}
void wave_dump(void *self, uint64_t time) { static_cast<Wave *>(self)->fst.dump(time); }
bool wave_close(void *self) {
    Wave *w = static_cast<Wave *>(self);
    if (w->fst.isOpen()) w->fst.close();
    delete w;
    const int error = smcosim_io_error(true);
    errno = error;
    return error == 0;
}

const RuntimeApi api = {RUNTIME_ABI,   VERILATOR_VERSION_TEXT, context_open,    context_close, context_start,
                        context_error, &error_count,           wave_new,        wave_trace_file, wave_open,
                        wave_dump,     wave_close,             cover_clear,     cover_write};
}  // namespace

extern "C" const RuntimeApi *smcosim_runtime(void) { return &api; }
