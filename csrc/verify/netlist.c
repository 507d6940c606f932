// SPDX-License-Identifier: Apache-2.0
// The netlist of a block, made by Yosys from the RTL without any simulation macro.
#include "verify/fourstate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { YOSYS_SECONDS = 1800, FAULTS_SECONDS = 60 };

static void write_script(FILE *f, const NetlistRequest *r, const RtlFiles *files,
                         const char *path) {
    const BlockDesc *desc = r->desc;
    rtl_read_verilog(f, files, "");
    for (int i = 0; i < desc->nparams; i++)
        fprintf(f, "%s -set %s %d", i ? "" : "\nchparam", desc->params[i].name, r->params[i]);
    fprintf(f, "%s%s\n", desc->nparams ? " " : "", desc->nparams ? desc->name : "");
    fprintf(f, "hierarchy -check -top %s\n", desc->name);
    fprintf(f, "synth -flatten -noshare -top %s -run begin:fine\n", desc->name);
    // Memories that no SRAM would be made for become flip-flops.
    fprintf(f,
            "select -set sram t:$mem_v2 r:SIZE>%d %%i r:RD_PORTS<=2 %%i r:WR_PORTS<=2 %%i "
            "r:RD_CLK_ENABLE=0 %%d\n",
            NETLIST_SMALL);
    fprintf(f,
            "opt -fast -full\nmemory_map t:$mem_v2 @sram %%d\nopt -undriven -fine\ntechmap\nopt "
            "-fast\n");
    fprintf(f, "abc -fast -g simple\nopt -fast\nclean\ncheck -assert\nrename -top %s\n",
            desc->name);
    fprintf(f, "tee -q -o %s/stat stat\nwrite_verilog -noattr %s\n", r->work_dir, path);
}

// Sums up the output of `stat`. Gates are cells named $_.._.
static bool read_size(Arena *arena, const char *path, NetlistSize *size, Diag *d) {
    char *text;
    size_t n;
    if (!file_read(arena, path, &text, &n, d)) return false;
    for (char *line = text; *line;) {
        char name[64];
        long count;
        if (sscanf(line, " $_%60s %ld", name, &count) == 2) {
            size->cells += count;
            if (strstr(name, "DFF")) size->flops += count;
        } else if (sscanf(line, " $mem_v%60s %ld", name, &count) == 2) size->memories += count;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return true;
}

// The copies with faults are made by faults.sh, which names them.
bool rtl_seed(Arena *arena, const char *data_dir, const char *block, const char *folder, int number,
              RtlFiles *files, Diag *d) {
    const char **argv = ARENA_ARRAY(arena, const char *, files->n + 5), *words;
    const char *out = arena_printf(arena, "%s/rtl", folder),
               *log = arena_printf(arena, "%s/faults.log", folder);
    int n = 0;
    argv[n++] = "sh";
    argv[n++] = arena_printf(arena, "%s/cosim/faults.sh", data_dir);
    argv[n++] = out;
    argv[n++] = number ? arena_printf(arena, "%d", number) : "select";
    for (int i = files->users; i < files->n; i++) argv[n++] = files->paths[i];
    const int status = tool_run(argv, log, FAULTS_SECONDS);
    if (status && !tool_ended(status, block, "sh", "dash", FAULTS_SECONDS, d)) return false;
    if (status)
        return diag_fail(d, EXIT_ENVIRONMENT, "block %s: the seeded faults do not fit, %s", block,
                         tool_last_words(arena, status, log, 10));
    char *text;
    size_t length;
    if (!file_read(arena, log, &text, &length, d)) return false;
    for (int i = files->users; i < files->n; i++) {
        words = text;
        text += strcspn(text, "\n");
        if (*text) *text++ = '\0';
        files->paths[i] = words;
    }
    return true;
}

bool netlist_make(Arena *arena, const NetlistRequest *r, const char *path, NetlistSize *size,
                  Diag *d) {
    RtlFiles files;
    if (!rtl_files(arena, r->data_dir, r->desc->name, r->rtl, &files, d)) return false;
    if (r->testbug &&
        !rtl_seed(arena, r->data_dir, r->desc->name, r->work_dir, r->testbug, &files, d))
        return false;
    const char *script = arena_printf(arena, "%s/netlist.ys", r->work_dir);
    const char *log = arena_printf(arena, "%s/netlist.log", r->work_dir);
    FILE *f = fopen(script, "w");
    if (!f) return diag_fail(d, EXIT_ENVIRONMENT, "%s: %s", script, strerror(errno));
    write_script(f, r, &files, path);
    if (fclose(f)) return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written", script);
    const char *argv[] = {"yosys", "-q", "-s", script, NULL};
    const int status = tool_run(argv, log, YOSYS_SECONDS);
    if (status && !tool_ended(status, r->desc->name, "yosys", "yosys", YOSYS_SECONDS, d))
        return false;
    if (status != 0)
        return diag_fail(d, r->rtl ? EXIT_USAGE : EXIT_ENVIRONMENT,
                         "block %s: yosys does not accept it, %s", r->desc->name,
                         tool_last_words(arena, status, log, 20));
    *size = (NetlistSize){0};
    return read_size(arena, arena_printf(arena, "%s/stat", r->work_dir), size, d);
}
