// SPDX-License-Identifier: Apache-2.0
// Code coverage as files: an lcov tracefile and a list of toggles per block, one HTML for all.
#include "verify/cover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool unwritable(const char *path, Diag *d) {
    return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
}

// genhtml reads the sources: full paths.
static const char *source_path(Arena *arena, const char *data_dir, const char *file) {
    char *path = file[0] == '/' ? arena_printf(arena, "%s", file) : arena_printf(arena, "%s/%s", data_dir, file);
    char *real = realpath(path, NULL);
    if (!real) return path;
    path = arena_printf(arena, "%s", real);
    free(real);
    return path;
}

static void write_source(FILE *f, Arena *arena, const char *data_dir, const VerifyCode *code, const char *file) {
    int lines = 0, lines_hit = 0, branches = 0, branches_hit = 0;
    fprintf(f, "SF:%s\n", source_path(arena, data_dir, file));
    for (int i = 0; i < code->npoints && code->points[i].kind != CODE_TOGGLE; i++) {
        const CodePoint *p = &code->points[i];
        if (strcmp(p->file, file) || p->waived) continue;
        if (p->kind == CODE_LINE) {
            fprintf(f, "DA:%d,%llu\n", p->line, (unsigned long long)p->hits);
            lines++, lines_hit += p->hits > 0;
        } else {
            fprintf(f, "BRDA:%d,0,%d,%llu\n", p->line, branches, (unsigned long long)p->hits);
            branches++, branches_hit += p->hits > 0;
        }
    }
    fprintf(f, "BRF:%d\nBRH:%d\nLF:%d\nLH:%d\nend_of_record\n", branches, branches_hit, lines, lines_hit);
}

static bool write_info(Arena *arena, const char *path, const char *data_dir, const char *name, const VerifyCode *code,
                       Diag *d) {
    FILE *f = fopen(path, "w");
    if (!f) return unwritable(path, d);
    fprintf(f, "TN:%s\n", name);
    for (int i = 0; i < code->npoints && code->points[i].kind != CODE_TOGGLE; i++) {
        bool first = true;
        for (int k = 0; k < i && first; k++) first = strcmp(code->points[k].file, code->points[i].file) != 0;
        if (first) write_source(f, arena, data_dir, code, code->points[i].file);
    }
    const bool ok = !ferror(f);
    return (fclose(f) == 0 && ok) || unwritable(path, d);
}

// One line per net: bits that toggled, then those that did not.
static bool write_toggles(const char *path, const VerifyCode *code, Diag *d) {
    FILE *f = fopen(path, "w");
    if (!f) return unwritable(path, d);
    for (int i = 0, end; i < code->npoints; i = end) {
        const CodePoint *p = &code->points[i];
        end = i + 1;
        if (p->kind != CODE_TOGGLE) continue;
        int hit = code_hit(p);
        for (; end < code->npoints && code->points[end].what == p->what; end++) hit += code_hit(&code->points[end]);
        fprintf(f, "%d/%d %s", hit, end - i, p->what);
        for (int k = i; k < end; k++)
            if (!code_hit(&code->points[k]))
                fprintf(f, " [%d]%s%s", code->points[k].bit,
                        code->points[k].hits == 1 ? " never fell" : code->points[k].hits == 2 ? " never rose" : "",
                        code->points[k].waived ? " waived" : "");
        fputc('\n', f);
    }
    const bool ok = !ferror(f);
    return (fclose(f) == 0 && ok) || unwritable(path, d);
}

bool code_write(Arena *arena, const char *dir, const char *data_dir, const char *name, const VerifyCode *code, Diag *d) {
    return write_info(arena, arena_printf(arena, "%s/%s.info", dir, name), data_dir, name, code, d) &&
           write_toggles(arena_printf(arena, "%s/%s.toggles.txt", dir, name), code, d);
}

bool code_html(Arena *arena, const char *dir, const char *const *blocks, int nblocks, Diag *d) {
    const char **argv = ARENA_ARRAY(arena, const char *, nblocks + 16);
    int n = 0;
    argv[n++] = "genhtml";
    argv[n++] = "--quiet", argv[n++] = "--branch-coverage", argv[n++] = "--no-function-coverage";
    argv[n++] = "--title", argv[n++] = "smcosim verify";
    argv[n++] = "--output-directory", argv[n++] = arena_printf(arena, "%s/html", dir);
    for (int i = 0; i < nblocks; i++) argv[n++] = arena_printf(arena, "%s/%s.info", dir, blocks[i]);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen(arena_printf(arena, "%s/genhtml.log", dir), "w", stderr)) _exit(126);
        dup2(2, 1);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return diag_fail(d, EXIT_ENVIRONMENT, "genhtml is not installed (apt install lcov): no HTML in %s", dir);
    return diag_fail(d, EXIT_ENVIRONMENT, "genhtml failed, see %s/genhtml.log", dir);
}
