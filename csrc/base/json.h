// SPDX-License-Identifier: Apache-2.0
// A JSON document to where the user wants it.
#ifndef SMCOSIM_BASE_JSON_H
#define SMCOSIM_BASE_JSON_H

#include "base/arena.h"
#include "base/diag.h"

#include <jansson.h>

// path "-": standard output, with a newline after it. flags are jansson's. The document stays the
// caller's.
bool json_write(const char *path, const json_t *document, size_t flags, Diag *d);
// A copy of the text that an object has under a key; `otherwise` when it has none.
const char *json_text(Arena *arena, const json_t *o, const char *key, const char *otherwise);
// Null for NaN and infinities.
json_t *json_real_or_null(double v);

#endif
