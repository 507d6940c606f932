// SPDX-License-Identifier: Apache-2.0
// The Verilator runtime that every variant and the program share: contexts and wave files.
#include "cosim/shim/checked_io.h"
#include "cosim/shim/shim.h"

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
// F.hier is scratch too, beside the wave; nothing of it is to stay when the program is killed.
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

// $fatal, $error and $stop are remembered and reported by the harness; the process goes on.
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
    context->randReset(0);  // memories start from 0, as the golden models do
    context->fatalOnError(false);
    context->threads(1);
    context->traceEverOn(true);
    printed.clear();
    return context;
}
void context_close(void *context) {
    {
        const std::lock_guard<std::mutex> lock{errors_mutex};
        errors.erase(static_cast<VerilatedContext *>(context));
    }
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

struct Wave {
    VerilatedContext *context;
    std::vector<ShimSignal> signals;
    std::vector<uint32_t> codes;
    VerilatedFstC fst;
};

void declare_signals(void *self, VerilatedFst *fst, uint32_t code) {
    // By scope, so that each scope is opened once; "rtl" is still open from the models.
    Wave *w = static_cast<Wave *>(self);
    std::stable_sort(w->signals.begin(), w->signals.end(), [](const ShimSignal &a, const ShimSignal &b) {
        const bool rtl_a = !std::strncmp(a.scope, "rtl", 3), rtl_b = !std::strncmp(b.scope, "rtl", 3);
        return rtl_a != rtl_b ? rtl_a : std::strcmp(a.scope, b.scope) < 0;
    });
    w->codes.clear();
    for (const ShimSignal &s : w->signals) {
        w->codes.push_back(code);
        fst->pushNamePrefix(std::string(s.scope) + " ");
        if (s.bits == 1)
            fst->declBit(code, s.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1);
        else if (s.bits <= 32)
            fst->declBus(code, s.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, s.bits - 1, 0);
        else
            fst->declArray(code, s.name, -1, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, s.bits - 1, 0);
        fst->popNamePrefix();
        code += (uint32_t)((s.bits + 31) / 32);
    }
}

void full_signals(void *self, VerilatedFst::Buffer *buffer) {
    const Wave *w = static_cast<Wave *>(self);
    for (size_t i = 0; i < w->signals.size(); i++) {
        const ShimSignal &s = w->signals[i];
        uint32_t *const old = buffer->oldp(w->codes[i]);
        if (s.bits == 1) buffer->fullBit(old, *s.words & 1);
        else if (s.bits <= 32) buffer->fullIData(old, *s.words & (~0u >> (32 - s.bits)), s.bits);
        else buffer->fullWData(old, s.words, s.bits);
    }
}

void changed_signals(void *self, VerilatedFst::Buffer *buffer) {
    const Wave *w = static_cast<Wave *>(self);
    for (size_t i = 0; i < w->signals.size(); i++) {
        const ShimSignal &s = w->signals[i];
        uint32_t *const old = buffer->oldp(w->codes[i]);
        if (s.bits == 1) buffer->chgBit(old, *s.words & 1);
        else if (s.bits <= 32) buffer->chgIData(old, *s.words & (~0u >> (32 - s.bits)), s.bits);
        else buffer->chgWData(old, s.words, s.bits);
    }
}

void *wave_new(void *context) {
    Verilated::threadContextp(static_cast<VerilatedContext *>(context));
    return new Wave{static_cast<VerilatedContext *>(context), {}, {}, {}};
}
void *wave_trace_file(void *self) { return &static_cast<Wave *>(self)->fst; }

bool wave_open(void *self, const char *path, const ShimSignal *signals, int n) {
    Wave *w = static_cast<Wave *>(self);
    FILE *probe = std::fopen(path, "wb");  // the writer itself does not check
    if (!probe) return false;
    std::fclose(probe);
    w->signals.assign(signals, signals + n);
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

const RuntimeApi api = {SHIM_ABI,      VERILATOR_VERSION_TEXT, context_open, context_close, context_error, &error_count,
                        wave_new,      wave_trace_file,        wave_open,    wave_dump,     wave_close,
                        cover_clear,   cover_write};
}  // namespace

extern "C" const RuntimeApi *smcosim_runtime(void) { return &api; }
