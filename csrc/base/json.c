// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "base/output.h"

#include <math.h>
#include <string.h>

bool json_write(const char *path, const json_t *document, size_t flags, Diag *d) {
    if (!strcmp(path, "-"))
        return (!json_dumpf(document, stdout, flags) && putchar('\n') != EOF) ||
            diag_fail(d, EXIT_ENVIRONMENT, "standard output: JSON could not be written");
    Arena arena = {0};
    Output o;
    FILE *f = output_open(&o, &arena, path, d);
    const bool good = f && output_close(&o, f, !json_dumpf(document, f, flags), d);
    arena_free(&arena);
    return good;
}

json_t *json_real_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

const char *json_text(Arena *arena, const json_t *o, const char *key, const char *otherwise) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? arena_strndup(arena, s, strlen(s)) : otherwise;
}
