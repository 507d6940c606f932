// SPDX-License-Identifier: Apache-2.0
// C++ names as PTX contains them (Itanium mangling), parsed only for the short name:
// _ZN3app4scanIfLi4EEEvPT_ is app::scan, or scan.
#include "ptx/ptx.h"

#include <ctype.h>
#include <string.h>

// Returns the end of an identifier with its length as prefix; NULL: the name is truncated.
static const char *skip_identifier(const char *p) {
    size_t n = 0;
    while (isdigit((unsigned char)*p) && n < 4096) n = n * 10 + (size_t)(*p++ - '0');
    return strnlen(p, n) == n ? p + n : NULL;
}

// Behind template arguments that begin at p, which is behind their I. NULL: they do not end.
static const char *skip_arguments(const char *p) {
    for (int depth = 1; depth;) {
        if (!*p) return NULL;
        if (isdigit((unsigned char)*p)) {
            if (!(p = skip_identifier(p))) return NULL;
        } else if (*p == 'L') {  // a literal: its type, its value
            p++;
            if (isdigit((unsigned char)*p) && !(p = skip_identifier(p))) return NULL;
            while (*p && *p != 'E') p++;
            if (*p) p++;
        } else if (*p == 'S') {  // a substitution
            p++;
            if (islower((unsigned char)*p)) p++;
            else if (!*(p += strcspn(p, "_"))) return NULL;
            else p++;
        } else {
            depth += *p == 'I' || *p == 'N' || *p == 'X' || *p == 'J' || *p == 'F';
            depth -= *p++ == 'E';
        }
    }
    return p;
}

// The name without template arguments and parameters, its parts joined by "::"; "" for a name that
// is not C++.
static void demangle_name(const char *mangled, char *buf, size_t size) {
    const char *p = mangled;
    size_t used = 0;
    *buf = '\0';
    if (strncmp(p, "_Z", 2)) return;
    p += 2;
    const bool nested = *p == 'N';
    if (nested) p += 1 + strspn(p + 1, "rVKRO");
    while (p && *p) {
        if (*p == 'L') p++;
        if (*p == 'I' && nested) p = skip_arguments(p + 1);
        else if (isdigit((unsigned char)*p)) {
            const char *end = skip_identifier(p), *begin = p + strspn(p, "0123456789");
            if (!end || used + (size_t)(end - begin) + 3 > size) return;
            used += (size_t)snprintf(buf + used, size - used, "%s%.*s", used ? "::" : "",
                                     (int)(end - begin), begin);
            p = end;
            if (!nested) return;
        } else return;
    }
}

void ptx_plain_name(const char *mangled, char *buf, size_t size) {
    demangle_name(mangled, buf, size);
    if (!*buf) snprintf(buf, size, "%s", mangled);
}

bool ptx_name_is(const char *mangled, const char *name) {
    char full[1024];
    if (!strcmp(mangled, name)) return true;
    demangle_name(mangled, full, sizeof full);
    const size_t n = strlen(full), m = strlen(name);
    if (!m || m > n || strcmp(full + n - m, name)) return false;
    return m == n || (n - m >= 2 && !strncmp(full + n - m - 2, "::", 2));
}
