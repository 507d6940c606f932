// SPDX-License-Identifier: Apache-2.0
// Writes a JSON document to the file that the user chose.
#ifndef SMCOSIM_BASE_JSON_H
#define SMCOSIM_BASE_JSON_H

#include "base/arena.h"
#include "base/diag.h"

#include <jansson.h>

// If path is "-", writes to standard output with a newline at the end. flags are jansson's. The
// caller keeps ownership of the document.
bool json_write(const char *path, const json_t *document, size_t flags, Diag *d);
// A copy of the text under a key of an object, or `otherwise` if the key is absent.
const char *json_text(Arena *arena, const json_t *o, const char *key, const char *otherwise);
// Null for NaN and infinities.
json_t *json_real_or_null(double v);

#endif
