// SPDX-License-Identifier: Apache-2.0
// Diagnostics: every failure is one Diag with one clear text and one exit status.
//
// A function that can fail returns bool (true = ok) and takes a Diag *; the first error wins, later
// ones are ignored. Only csrc/cli prints a Diag and turns it into the exit status of the process.
#ifndef SMCOSIM_BASE_DIAG_H
#define SMCOSIM_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdarg.h>

// Exit statuses of the program; the words of exit_word() appear in JSON too.
typedef enum ExitStatus {
    EXIT_PASS = 0,
    // a block's RTL differs from its golden model, or a retire check failed
    EXIT_MISMATCH = 1,
    EXIT_USAGE = 2,  // bad usage or bad input
    // an expected buffer differs, or the kernel accessed memory it may not
    EXIT_WRONG_RESULT = 3,
    EXIT_HANG = 4,              // no progress, barrier deadlock or cycle limit
    EXIT_VACUOUS = 5,           // nothing was compared
    EXIT_NONDETERMINISTIC = 6,  // a replay did not reproduce the mismatch
    EXIT_ENVIRONMENT = 7,       // a tool is missing, disk full, file unwritable
    EXIT_INTERRUPTED = 130,     // Ctrl-C: ended cleanly
} ExitStatus;

const char *exit_word(ExitStatus status);

// A text that diagnostics can point into. `path` is what the user wrote.
typedef struct SourceText {
    const char *path;
    const char *text;  // NUL-terminated at text[len]
    size_t len;
} SourceText;

typedef struct Diag {
    ExitStatus status;  // EXIT_PASS while nothing failed
    bool timeout;       // with EXIT_ENVIRONMENT: a tool was cut off at its limit of processor time
    char text[4096];    // complete message without trailing newline, "" while nothing failed
} Diag;

// Records an error. Returns false so that callers can `return diag_fail(...)`.
bool diag_fail(Diag *d, ExitStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Records "path:line:col: error: message", the source line and a caret. Status is EXIT_USAGE.
// line and col count from 1.
bool diag_fail_at(Diag *d, const SourceText *src, int line, int col, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static inline bool diag_ok(const Diag *d) { return d->status == EXIT_PASS; }

// A defect of smcosim itself: prints file, line, function and aborts.
#define panic(...) panic_at(__FILE__, __LINE__, __func__, __VA_ARGS__)
_Noreturn void panic_at(const char *file, int line, const char *func, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define panic_if(cond, ...) \
    do { \
        if (cond) panic(__VA_ARGS__); \
    } while (0)

// Told in a sentence what takes long, and how long it took.
typedef void Notice(const char *text);

#endif
