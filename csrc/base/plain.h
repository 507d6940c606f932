// SPDX-License-Identifier: Apache-2.0
// Names from outside, on their way to a terminal or into a tool's script.
#ifndef SMCOSIM_BASE_PLAIN_H
#define SMCOSIM_BASE_PLAIN_H

#include "base/arena.h"
#include "base/diag.h"

// Control characters, and bytes that are not UTF-8, as \xNN; line feed and tab stay. `s` itself
// when it has none.
const char *plain_text(Arena *arena, const char *s);
// The same of n bytes, NUL bytes among them.
const char *plain_bytes(Arena *arena, const char *s, size_t n);
// The same in place, as far as it fits.
void plain_buffer(char *s, size_t size);
// Bytes that the character at s occupies; 0: it is escaped (its first byte). Not for "".
int plain_length(const char *s);

// A path that a shell, Tcl, Yosys, ABC and make all read as one word and as nothing else. Otherwise
// a Diag of this status that names `what` ("--rtl", "TMPDIR") and the character.
bool plain_path(const char *path, const char *what, ExitStatus status, Diag *d);

#endif
