// SPDX-License-Identifier: Apache-2.0
// Text from outside that is printed on a terminal or written into a tool's script.
#ifndef SMCOSIM_BASE_PLAIN_H
#define SMCOSIM_BASE_PLAIN_H

#include "base/arena.h"
#include "base/diag.h"

// Writes control characters, and bytes that are not UTF-8, as \xNN, except line feed and tab.
// Returns `s` itself if it has none of these.
const char *plain_text(Arena *arena, const char *s);
// As plain_text, for n bytes that may include NUL bytes.
const char *plain_bytes(Arena *arena, const char *s, size_t n);
// As plain_text, in place, as far as the buffer permits.
void plain_buffer(char *s, size_t size);
// Bytes of the character at s; 0 if its first byte must be escaped. s must not be "".
int plain_length(const char *s);

// Checks that shell, Tcl, Yosys, ABC and make all read the path as one plain word. If not, the Diag
// has this status and names `what` ("--rtl", "TMPDIR") and the character.
bool plain_path(const char *path, const char *what, ExitStatus status, Diag *d);

#endif
