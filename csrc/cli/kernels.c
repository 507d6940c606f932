// SPDX-License-Identifier: Apache-2.0
// The project's own kernels by name.
#include "cli/kernels.h"

#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const sizes[] = {"small", "paper"};
enum { NSIZES = sizeof sizes / sizeof *sizes, MAX_KERNELS = 200 };

static char *launch_of(Arena *arena, const char *name, const char *size) {
    return arena_printf(arena, "%s/kernels/%s/%s/launch.yaml", cli_data_dir(), name, size);
}

// Any path that can be opened. Its content is checked after opening.
static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

// Names of kernels that have data of some size, sorted.
static int kernel_names(Arena *arena, const char **names) {
    struct dirent **found;
    int n = 0;
    const int nfound =
        scandir(arena_printf(arena, "%s/kernels", cli_data_dir()), &found, NULL, alphasort);
    for (int i = 0; i < nfound; i++) {
        const char *name = found[i]->d_name;
        bool any = false;
        for (int s = 0; s < NSIZES && name[0] != '.'; s++)
            any |= is_file(launch_of(arena, name, sizes[s]));
        if (any && n < MAX_KERNELS) names[n++] = arena_strndup(arena, name, strlen(name));
        free(found[i]);
    }
    if (nfound >= 0) free(found);
    return n;
}

int kernels_list(FILE *out, Arena *arena) {
    const char *names[MAX_KERNELS];
    const int n = kernel_names(arena, names);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < NSIZES; s++) {
            const char *path = launch_of(arena, names[i], sizes[s]);
            if (is_file(path)) fprintf(out, "%-16s %-6s %s\n", names[i], sizes[s], path);
        }
    return n;
}

int kernels_print_names(FILE *out, Arena *arena) {
    const char *names[MAX_KERNELS];
    const int n = kernel_names(arena, names);
    for (int i = 0; i < n; i++) fprintf(out, "%s\n", names[i]);
    return n;
}

int kernels_small(Arena *arena, const char *const **list) {
    const char **names = ARENA_ARRAY(arena, const char *, MAX_KERNELS);
    const int n = kernel_names(arena, names);
    int small = 0;
    for (int i = 0; i < n; i++)
        if (is_file(launch_of(arena, names[i], sizes[0]))) names[small++] = names[i];
    *list = names;
    return small;
}

typedef struct Proofs {
    Arena *arena;
    const char **names;
    int n, cap;
} Proofs;

static void find_proofs(Proofs *p, const char *folder) {
    struct dirent **found;
    const int n = scandir(folder, &found, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = found[i]->d_name, *end = strstr(name, ".sv");
        const char *path = arena_printf(p->arena, "%s/%s", folder, name);
        Diag ignored = {0};
        char *text;
        size_t size;
        if (*name != '.' && !strchr(name, '.')) find_proofs(p, path);
        else if (end && !end[3] && file_read(p->arena, path, &text, &size, &ignored) &&
                 strstr(text, "\n// Proof:"))
            *ARENA_PUSH(p->arena, p->names, p->n, p->cap) =
                arena_strndup(p->arena, name, (size_t)(end - name));
        free(found[i]);
    }
    if (n >= 0) free(found);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int proofs_list(Arena *arena, const char *const **list) {
    Proofs p = {.arena = arena};
    find_proofs(&p, arena_printf(arena, "%s/rtl", cli_data_dir()));
    if (p.n) qsort(p.names, (size_t)p.n, sizeof *p.names, by_name);
    *list = p.names;
    return p.n;
}

// Suggests kernels for a name that is neither a file nor a kernel.
static bool refuse_operand(Arena *arena, const char *operand, const char *name, const char *size,
                           Diag *d) {
    const char *names[MAX_KERNELS];
    const int n = kernel_names(arena, names);
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return diag_fail(d, EXIT_USAGE, "%s: kernel %s has no data of size '%s'%s", operand,
                             name, size,
                             strcmp(size, "paper")
                                 ? "; expected small or paper"
                                 : "; build them: cmake --build BUILD --target bench-data-paper");
    const char *near = name_suggest(name, names, n);
    return diag_fail(d, EXIT_USAGE, "%s: no launch file and no kernel has this name%s%s%s", operand,
                     near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : " (smcosim list kernels)");
}

static bool names_kernel(const char *operand) {
    const size_t slash = strcspn(operand, "/");
    return slash && !strchr(operand, '.') && (!operand[slash] || !strchr(operand + slash + 1, '/'));
}

const char *kernels_launch(Arena *arena, const char *operand, Diag *d) {
    if (is_file(operand)) return operand;
    if (!names_kernel(operand)) {
        diag_fail(d, EXIT_USAGE, "%s: cannot be opened: %s", operand,
                  strerror(access(operand, F_OK) ? errno : EISDIR));
        return NULL;
    }
    const size_t slash = strcspn(operand, "/");
    const char *name = arena_strndup(arena, operand, slash),
               *size = operand[slash] ? operand + slash + 1 : sizes[0];
    const char *path = launch_of(arena, name, size);
    if (is_file(path)) return path;
    refuse_operand(arena, operand, name, size, d);
    return NULL;
}

bool kernels_launches(Arena *arena, char **operands, int n, Diag *d) {
    for (int i = 0; i < n; i++) {
        const char *path = kernels_launch(arena, operands[i], d);
        if (!path) return false;
        operands[i] = arena_strndup(arena, path, strlen(path));
    }
    return true;
}

bool kernels_distinct(char **launches, int n, Diag *d) {
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(launches[i], launches[k]))
                return diag_fail(d, EXIT_USAGE,
                                 "%s: given twice, so every mean would count it twice; expected "
                                 "each kernel once",
                                 launches[i]);
    return true;
}
