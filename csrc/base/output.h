// SPDX-License-Identifier: Apache-2.0
// Files that the user asked for: complete or absent.
//
// A regular file is written under another name beside it and renamed when it is complete; a
// symbolic link stays and its target is replaced. A device or a pipe is written directly. Temporary
// files of processes that were killed are removed when the same file is written again.
#ifndef SMCOSIM_BASE_OUTPUT_H
#define SMCOSIM_BASE_OUTPUT_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdio.h>

typedef struct Output {
    const char *path;   // as the user wrote it, for messages
    const char *write;  // where to write
    // destination: renamed to (regular file), or copied into (a copy for a device)
    const char *target;
    bool direct;  // `write` is the device itself
    bool copied;  // `write` is copied into the device `target`
} Output;

// Finds out how `path` is written. whole: the writer seeks, so a device gets a copy at the end.
bool output_prepare(Output *o, Arena *arena, const char *path, bool whole, Diag *d);
// After `write` was written and closed: makes it the file that was asked for.
bool output_commit(const Output *o, Diag *d);
// Instead of output_commit: nothing stays.
void output_drop(const Output *o);

// The same with a stream. NULL after EXIT_ENVIRONMENT.
FILE *output_open(Output *o, Arena *arena, const char *path, Diag *d);
// Closes f; with good = false, or when something could not be written, nothing stays.
bool output_close(const Output *o, FILE *f, bool good, Diag *d);
// Is `entry` of a folder what a process that is gone left of `name`: "name.tmp<PID>"?
bool output_is_stale(const char *entry, const char *name);
// Says at once that a place cannot be written.
bool output_probe(const char *path, Diag *d);
// A name for mkstemp or mkdtemp in TMPDIR or /tmp. First removes scratch files and folders of dead
// processes.
char *output_scratch(Arena *arena);
// A file, or a folder with all that is in it.
void output_remove(const char *path);
// A whole text.
bool output_text(const char *path, const void *text, size_t n, Diag *d);
// A copy of a whole file.
bool output_copy(const char *from, const char *to, Diag *d);
// A folder, if it is not there yet. EXIT_ENVIRONMENT.
bool output_folder(const char *path, Diag *d);
// With the folders that it is in. False: errno says why.
bool output_folders(const char *path);

#endif
