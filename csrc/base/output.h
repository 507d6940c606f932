// SPDX-License-Identifier: Apache-2.0
// Files that the user requested are complete or absent.
//
// A regular file is written under another name beside it and renamed when it is complete. A
// symbolic link is preserved and its target is replaced. A device or a pipe is written directly.
// Temporary files of killed processes are removed when the same file is written again.
#ifndef SMCOSIM_BASE_OUTPUT_H
#define SMCOSIM_BASE_OUTPUT_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdio.h>

typedef struct Output {
    const char *path;   // as the user wrote it, for messages
    const char *write;  // path to be written
    // destination: renamed to (regular file), or copied into (a copy for a device)
    const char *target;
    bool direct;  // `write` is the device itself
    bool copied;  // `write` is copied into the device `target`
} Output;

// Determines how `path` is written. whole: the writer seeks, so the data are copied into a device
// at the end.
bool output_prepare(Output *o, Arena *arena, const char *path, bool whole, Diag *d);
// Call this after `write` was written and closed: it turns `write` into the requested file.
bool output_commit(const Output *o, Diag *d);
// Call this instead of output_commit: it removes all that was written.
void output_drop(const Output *o);

// As output_prepare, but opens a stream. NULL after EXIT_ENVIRONMENT.
FILE *output_open(Output *o, Arena *arena, const char *path, Diag *d);
// Closes f. Nothing remains if good is false or a write failed.
bool output_close(const Output *o, FILE *f, bool good, Diag *d);
// Is `entry` of a folder a file "name.tmp<PID>" of a process that has ended?
bool output_is_stale(const char *entry, const char *name);
// Reports early that a path cannot be written.
bool output_probe(const char *path, Diag *d);
// Returns a name for mkstemp or mkdtemp in TMPDIR or /tmp. First removes scratch files and folders
// of dead processes.
char *output_scratch(Arena *arena);
// Removes a file, or a folder with its content.
void output_remove(const char *path);
// Writes a whole text.
bool output_text(const char *path, const void *text, size_t n, Diag *d);
// Copies a whole file.
bool output_copy(const char *from, const char *to, Diag *d);
// Creates a folder if it does not exist. EXIT_ENVIRONMENT on failure.
bool output_folder(const char *path, Diag *d);
// Creates a folder and its parent folders. False: errno has the reason.
bool output_folders(const char *path);

// Does the path end with these characters, such as ".json"?
bool output_has_ending(const char *path, const char *ending);

#endif
