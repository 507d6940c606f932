// SPDX-License-Identifier: Apache-2.0
// Diagnostics: every failure is one Diag with one clear text and one exit status.
//
// A function that can fail returns bool (true = ok) and takes a Diag *; only the first error is
// kept. Only csrc/cli prints a Diag and sets the exit status of the process from it.
#ifndef SMCOSIM_BASE_DIAG_H
#define SMCOSIM_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdarg.h>

// Exit statuses of the program, EXIT_<ID> of base/status.def; the words of exit_word() appear in
// JSON too.
typedef enum ExitStatus {
#define STATUS(id, number, word, brief, meaning, cure) EXIT_##id = number,
#include "base/status.def"
} ExitStatus;

const char *exit_word(ExitStatus status);

// A text that diagnostics can point into. `path` is the path as the user wrote it.
typedef struct SourceText {
    const char *path;
    const char *text;  // NUL-terminated at text[len]
    size_t len;
} SourceText;

typedef struct Diag {
    ExitStatus status;  // EXIT_PASS while nothing failed
    bool timeout;       // with EXIT_ENVIRONMENT: a tool exceeded its limit of processor time
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

// Receives a sentence about a slow step and its duration.
typedef void Notice(const char *text);

#endif
