// SPDX-License-Identifier: Apache-2.0
// The Python binding: export/binding.py with the block's table in front.
#include "export/export.h"

#include "base/output.h"
#include "base/plain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void put_string(FILE *f, const char *text) {
    fputc('"', f);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

static void put_table(FILE *f, const ExportBlock *b) {
    static const char *const classes[] = {
        [PORT_ALWAYS] = "always", [PORT_WHEN] = "when", [PORT_WORK] = "work"};
    Port ports[BLOCK_MAX_PORTS];
    const int n = block_ports(b->desc, b->params, ports);
    fprintf(f, "# Made by: %s\n# Golden model of block %s: %s.\n\nBLOCK = \"%s\"\nPARAMETERS = {",
            b->command, b->desc->name, b->desc->what, b->desc->name);
    for (int i = 0; i < b->desc->nparams; i++)
        fprintf(f, "%s\"%s\": %d", i ? ", " : "", b->desc->params[i].name, b->params[i]);
    fprintf(f,
            "}\n\n# name, direction, elements, bits of an element, class, valid port, meaning; the "
            "first in the lowest bits\nPORTS = (\n");
    for (int i = 0; i < n; i++) {
        const Port *p = &ports[i];
        fprintf(f, "    (\"%s\", \"%s\", %d, %d, \"%s\", ", p->name,
                p->dir == PORT_IN ? "in" : "out", p->count, p->width, classes[p->cls]);
        if (p->valid >= 0) fprintf(f, "\"%s\", ", ports[p->valid].name);
        else fprintf(f, "None, ");
        put_string(f, p->meaning);
        fprintf(f, "),\n");
    }
    fprintf(f, ")\n\n");
}

bool export_python(Arena *arena, const ExportBlock *b, const char *dir, const char **files,
                   Diag *d) {
    char *text;
    size_t n;
    Output o;
    if (!file_read(arena, arena_printf(arena, "%s/export/binding.py", b->data_dir), &text, &n, d))
        return false;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", dir, strerror(errno));
    files[0] = arena_printf(arena, "%s/%s_golden.py", dir, b->desc->name);
    files[1] = NULL;
    FILE *f = output_open(&o, arena, files[0], d);
    if (!f) return false;
    put_table(f, b);
    fwrite(text, 1, n, f);
    return output_close(&o, f, true, d);
}
