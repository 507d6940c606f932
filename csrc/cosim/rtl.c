// SPDX-License-Identifier: Apache-2.0
// The RTL files of a block, and their seeded faults.
#include "cosim/rtl.h"

#include "base/plain.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Module {
    char *name;
    char *path;
    bool hidden, taken;
} Module;
typedef struct Library {
    Arena *arena;
    Module *modules;
    int n, cap;
} Library;

static void find_modules(Library *l, const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        char *path = arena_printf(l->arena, "%s/%s", folder, e->d_name);
        const size_t length = strlen(e->d_name);
        if (length > 3 && !strcmp(e->d_name + length - 3, ".sv"))
            *ARENA_PUSH(l->arena, l->modules, l->n, l->cap) =
                (Module){arena_strndup(l->arena, e->d_name, length - 3), path, false, false};
        else if (!strchr(e->d_name, '.')) find_modules(l, path);
    }
    closedir(dir);
}

static Module *find_module(Library *l, const char *name, size_t length) {
    for (int i = 0; i < l->n; i++)
        if (strlen(l->modules[i].name) == length && !memcmp(l->modules[i].name, name, length))
            return &l->modules[i];
    return NULL;
}

// Replaces comments by blanks, so that names of modules in comments do not count.
static void blank_comments(char *text) {
    for (char *p = text; *p; p++) {
        if (p[0] == '/' && p[1] == '/')
            while (*p && *p != '\n') *p++ = ' ';
        else if (p[0] == '/' && p[1] == '*') {
            for (; *p && !(p[0] == '*' && p[1] == '/'); p++)
                if (*p != '\n') *p = ' ';
            if (*p) p[0] = p[1] = ' ';
        }
        if (!*p) break;
    }
}

typedef struct Word {
    const char *at;
    size_t length;
} Word;
static bool next_word(const char **at, Word *word) {
    const char *p = *at;
    while (*p && !isalpha((unsigned char)*p) && *p != '_') p++;
    word->at = p;
    while (isalnum((unsigned char)*p) || *p == '_' || *p == '$') p++;
    word->length = (size_t)(p - word->at);
    *at = p;
    return word->length > 0;
}
static bool is_word(Word w, const char *text) {
    return strlen(text) == w.length && !memcmp(text, w.at, w.length);
}

static int cmp_path(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_file(Arena *arena, RtlFiles *files, int *cap, const char *path) {
    *ARENA_PUSH(arena, files->paths, files->n, *cap) = path;
}

static bool users_files(Library *l, const char *user, RtlFiles *files, int *cap, Diag *d) {
    for (const char *p = user; p && *p; p += strcspn(p, ","), p += *p == ',') {
        char *path = arena_strndup(l->arena, p, strcspn(p, ",")), *text;
        size_t n;
        if (!plain_path(path, "--rtl", EXIT_USAGE, d) || !file_read(l->arena, path, &text, &n, d))
            return false;
        blank_comments(text);
        add_file(l->arena, files, cap, path);
        Word word, last = {"", 0};
        for (const char *at = text; next_word(&at, &word); last = word) {
            Module *m = is_word(last, "module") ? find_module(l, word.at, word.length) : NULL;
            if (m) m->hidden = true;
        }
    }
    return true;
}

// Reads the file of faults beside a module. Its text is NULL if the file does not exist. False
// after a Diag.
static bool read_faults(Arena *arena, const char *path, char **text, Diag *d) {
    const size_t length = strlen(path);
    *text = NULL;
    if (length < 3 || strcmp(path + length - 3, ".sv")) return true;
    const char *beside = arena_printf(arena, "%.*s.faults", (int)length - 3, path);
    size_t n;
    return access(beside, F_OK) || file_read(arena, beside, text, &n, d);
}

// Adds each file that a text includes once, if it is in one of the folders (NULL: no folder).
static void add_included(Arena *arena, RtlFiles *files, int *cap, const char *text,
                         const char *beside) {
    const char *const folders[] = {beside, files->folder};
    for (const char *p = text; (p = strstr(p, "`include"));) {
        p += strlen("`include");
        p += strspn(p, " \t");
        if (*p++ != '"') continue;
        const int length = (int)strcspn(p, "\"\n");
        const char *found = NULL;
        for (int i = 0; i < 2 && !found; i++) {
            if (folders[i]) found = arena_printf(arena, "%s/%.*s", folders[i], length, p);
            if (found && access(found, R_OK)) found = NULL;
        }
        for (int i = 0; i < files->nincluded && found; i++)
            if (!strcmp(files->included[i], found)) found = NULL;
        if (found) *ARENA_PUSH(arena, files->included, files->nincluded, *cap) = found;
    }
}

static const char *folder_of(Arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(arena, path, (size_t)(slash - path)) : ".";
}

void rtl_read_verilog(FILE *f, const RtlFiles *files, const char *options) {
    fprintf(f, "read_verilog -sv -I %s%s", files->folder, options);
    for (int i = 0; i < files->n; i++) fprintf(f, " %s", files->paths[i]);
}

bool rtl_files(Arena *arena, const char *data_dir, const char *block, const char *user,
               RtlFiles *files, Diag *d) {
    Library l = {.arena = arena};
    int cap = 0, cap_included = 0;
    *files = (RtlFiles){.folder = arena_printf(arena, "%s/rtl", data_dir)};
    if (!plain_path(data_dir, "the data folder", EXIT_ENVIRONMENT, d)) return false;
    find_modules(&l, files->folder);
    if (!users_files(&l, user, files, &cap, d)) return false;
    const int users = files->users = files->n;
    Module *top = find_module(&l, block, strlen(block));
    if (!users) {
        if (!top)
            return diag_fail(d, EXIT_ENVIRONMENT, "%s/rtl: %s.sv does not exist", data_dir, block);
        top->taken = true;
        add_file(arena, files, &cap, top->path);
    }
    for (int i = 0; i < files->n; i++) {  // grows while it is walked
        char *text;
        size_t n;
        if (!file_read(arena, files->paths[i], &text, &n, d)) return false;
        blank_comments(text);
        add_included(arena, files, &cap_included, text,
                     i < users ? folder_of(arena, files->paths[i]) : NULL);
        Word word;
        for (const char *at = text; next_word(&at, &word);) {
            if (i < (users ? users : 1)) files->fault_port |= is_word(word, "fault_i");
            Module *m = find_module(&l, word.at, word.length);
            if (!m || m->taken || m->hidden) continue;
            m->taken = true;
            add_file(arena, files, &cap, m->path);
        }
    }
    for (int i = 0; i < files->nincluded; i++) {  // grows, too
        char *text;
        size_t n;
        if (!file_read(arena, files->included[i], &text, &n, d)) return false;
        blank_comments(text);
        add_included(arena, files, &cap_included, text, folder_of(arena, files->included[i]));
    }
    char *faults;
    if (!users && !read_faults(arena, files->paths[0], &faults, d)) return false;
    if (!users && faults) files->fault_port |= strstr(faults, "fault_i") != NULL;
    qsort(files->paths + users, (size_t)(files->n - users), sizeof *files->paths, cmp_path);
    return true;
}

// ---- seeded faults ------------------------------------------------------------------------------

// Numbers of the list below "// Seeded faults": "// NN  text: port_o, condition". False: no list.
static bool add_testbugs(const char *text, bool has[RTL_MAX_TESTBUG + 1]) {
    bool any = false;
    const char *p = strstr(text, "// Seeded faults");
    for (p = p ? strchr(p, '\n') : NULL; p; p = strchr(p, '\n')) {
        p += 1 + strspn(p + 1, " ");
        if (strncmp(p, "//", 2)) break;
        p += 2 + strspn(p + 2, " ");
        const long number = isdigit((unsigned char)*p) ? strtol(p, NULL, 10) : 0;
        if (number > 0 && number <= RTL_MAX_TESTBUG) has[number] = any = true;
    }
    return any;
}

// The words of a fault: the rest of its line and the lines that are indented by five blanks.
static const char *fault_words(Arena *arena, const char *at) {
    int length = (int)strcspn(at, "\n");
    const char *words = arena_printf(arena, "%.*s", length, at);
    for (at += length; *at && !strncmp(at + 1, "     ", 5); at += 1 + length) {
        length = (int)strcspn(at + 1, "\n");
        words = arena_printf(arena, "%s %.*s", words, length - 5, at + 6);
    }
    return words;
}

typedef struct FaultRows {
    RtlFault *rows;
    int n, cap;
} FaultRows;

// The rows of a file of faults: "NN text: port_o, condition" at the left margin. text NULL: no
// rows.
static void add_faults(Arena *arena, FaultRows *f, const char *module, const char *text) {
    for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
        if (!isdigit((unsigned char)*p)) continue;
        char *end;
        const long number = strtol(p, &end, 10);
        *ARENA_PUSH(arena, f->rows, f->n, f->cap) =
            (RtlFault){.number = (int)number,
                       .module = module,
                       .words = fault_words(arena, end + strspn(end, " "))};
    }
}

static int cmp_fault(const void *a, const void *b) {
    return ((const RtlFault *)a)->number - ((const RtlFault *)b)->number;
}

bool rtl_fault_list(Arena *arena, const char *data_dir, const char *block, const RtlFault **faults,
                    int *n, Diag *d) {
    RtlFiles files;
    FaultRows f = {0};
    if (!rtl_files(arena, data_dir, block, NULL, &files, d)) return false;
    for (int i = 0; i < files.n; i++) {
        char *text;
        const char *name = files.paths[i] + strlen(folder_of(arena, files.paths[i])) + 1;
        if (!read_faults(arena, files.paths[i], &text, d)) return false;
        add_faults(arena, &f, arena_strndup(arena, name, strcspn(name, ".")), text);
    }
    if (f.n) qsort(f.rows, (size_t)f.n, sizeof *f.rows, cmp_fault);
    *faults = f.rows;
    *n = f.n;
    return true;
}

// "1..3, 11, 31..35"
static const char *testbug_list(Arena *arena, const bool has[RTL_MAX_TESTBUG + 1]) {
    const char *list = "";
    for (int from = 1, to; from <= RTL_MAX_TESTBUG; from = to + 1) {
        to = from;
        if (!has[from]) continue;
        while (to < RTL_MAX_TESTBUG && has[to + 1]) to++;
        list = arena_printf(arena, to > from ? "%s%s%d..%d" : "%s%s%d", list, *list ? ", " : "",
                            from, to);
    }
    return list;
}

bool rtl_has_testbug(Arena *arena, const char *data_dir, const char *block, const char *user,
                     int number, Diag *d) {
    bool has[RTL_MAX_TESTBUG + 1] = {false};
    FaultRows ours = {0};
    RtlFiles files;
    if (!rtl_files(arena, data_dir, block, user, &files, d)) return false;
    for (int i = 0; i < files.n; i++) {
        char *text, *faults = NULL;
        size_t n;
        if (!file_read(arena, files.paths[i], &text, &n, d)) return false;
        if (i >= files.users && !read_faults(arena, files.paths[i], &faults, d)) return false;
        add_faults(arena, &ours, NULL, faults);
        if (!add_testbugs(text, has) && i < files.users && strstr(text, "testbug")) return true;
    }
    for (int i = 0; i < ours.n; i++)
        if (ours.rows[i].number > 0 && ours.rows[i].number <= RTL_MAX_TESTBUG)
            has[ours.rows[i].number] = true;
    if (number > 0 && number <= RTL_MAX_TESTBUG && has[number]) return true;
    const char *list = testbug_list(arena, has);
    return diag_fail(d, EXIT_USAGE,
                     "--testbug %s=%d: the RTL has no seeded fault of this number; it has %s",
                     block, number, *list ? list : "none");
}
