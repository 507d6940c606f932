// SPDX-License-Identifier: Apache-2.0
// The delay of an inverter that drives four copies of itself, the unit for comparing technologies.
// OpenSTA times a chain of the library's smallest inverter. The delay is measured once per library
// and
// kept in the cache.
#include "synth/synth_internal.h"

#include "base/output.h"

#include <stdlib.h>
#include <string.h>

// The first stages bring the slope of the input to that of the chain; a rising and a falling output
// are averaged.
enum { STAGES = 8, FROM = 5, TO = 7 };

static bool write_chain(Arena *arena, const Liberty *l, const char *folder, Diag *d) {
    const char *path = arena_printf(arena, "%s/chain.v", folder);
    FILE *f = synth_create(path, d);
    if (!f) return false;
    fprintf(f, "module chain (n0, n%d);\ninput n0;\noutput n%d;\n", STAGES, STAGES);
    for (int i = 0; i < STAGES; i++) {
        if (i < STAGES - 1) fprintf(f, "wire n%d;\n", i + 1);
        fprintf(f, "%s s%d (.%s(n%d), .%s(n%d));\n", l->inverter, i, l->inverter_in, i,
                l->inverter_out, i + 1);
        for (int k = 0; k < 3; k++)
            fprintf(f, "wire x%d_%d;\n%s l%d_%d (.%s(n%d), .%s(x%d_%d));\n", i, k, l->inverter, i,
                    k, l->inverter_in, i + 1, l->inverter_out, i, k);
    }
    fprintf(f, "endmodule\n");
    return synth_close(f, path, d);
}

static bool write_script(Arena *arena, const char *folder, Diag *d) {
    const char *path = arena_printf(arena, "%s/chain.tcl", folder);
    FILE *f = synth_create(path, d);
    if (!f) return false;
    fprintf(f,
            "read_liberty {%s/library.lib}\nread_verilog {%s/chain.v}\nlink_design chain\n"
            "set_cmd_units -time ns -capacitance pF\ncreate_clock -name clk -period 1000\n"
            "set_input_delay 0 -clock clk [get_ports n0]\nset_output_delay 0 -clock clk [get_ports "
            "n%d]\n"
            "foreach path [find_timing_paths -group_count 1] {\n"
            "  foreach point [get_property $path points] {\n"
            "    puts \"SMCO [get_property [get_property $point pin] full_name] [get_property "
            "$point arrival]\"\n  }\n}\n",
            folder, folder, STAGES);
    return synth_close(f, path, d);
}

// When the output of stage `stage` has changed; < 0: the log does not say.
static double read_arrival(const Liberty *l, Arena *arena, const char *log, int stage) {
    const char *at = strstr(log, arena_printf(arena, "SMCO s%d/%s ", stage, l->inverter_out));
    return at ? strtod(strchr(at + strlen("SMCO "), ' '), NULL) : -1;
}

static bool measure_chain(Liberty *l, Arena *arena, const char *folder, Diag *d) {
    char *log;
    size_t n;
    if (!liberty_copy(l, arena, folder, d) || !write_chain(arena, l, folder, d) ||
        !write_script(arena, folder, d) ||
        !synth_tool(arena, "sta", "chain.tcl", folder, "(inverters)", false, d) ||
        !file_read(arena, arena_printf(arena, "%s/chain.tcl.log", folder), &log, &n, d))
        return false;
    const double from = read_arrival(l, arena, log, FROM), to = read_arrival(l, arena, log, TO);
    if (from < 0 || to <= from)
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: sta does not time a chain of %s:\n%.1500s",
                         l->path, l->inverter, log);
    l->fo4 = (to - from) / (TO - FROM);
    return true;
}

bool liberty_fo4(Liberty *l, Arena *arena, const char *cache_dir, Diag *d) {
    if (!l->inverter) return true;
    const char *kept =
        arena_printf(arena, "%s/synth/fo4-%016llx", cache_dir, (unsigned long long)l->copy_hash);
    FILE *f = fopen(kept, "r");
    const bool known = f && fscanf(f, "%lf", &l->fo4) == 1 && l->fo4 > 0;
    if (f) fclose(f);
    if (known) return true;
    l->fo4 = 0;
    char *folder = tool_folder(arena, d);
    const bool good = folder && measure_chain(l, arena, folder, d);
    if (folder) tool_remove(folder);
    if (!good || !make_folders(arena, arena_printf(arena, "%s/synth", cache_dir), d)) return false;
    const char *text = arena_printf(arena, "%.6f\n", l->fo4);
    return output_text(kept, text, strlen(text), d);
}
