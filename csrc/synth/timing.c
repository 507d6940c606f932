// SPDX-License-Identifier: Apache-2.0
// OpenSTA on the mapped netlist: the worst path of each path group, its ends as the RTL names them.
#include "synth/synth_internal.h"

#include <stdlib.h>
#include <string.h>

const char *const synth_group_names[SYNTH_MAX_GROUPS] = {"reg2reg", "in2reg", "reg2out", "in2out"};

static bool write_script(Arena *arena, const SynthResult *x, const SynthRequest *r, const char *dir,
                         Diag *d) {
    const char *path = arena_printf(arena, "%s/sta.tcl", dir);
    FILE *f = synth_create(path, d);
    if (!f) return false;
    fprintf(f, "read_liberty {%s}\n", r->liberty->link);
    if (x->nmacros) fprintf(f, "read_liberty {%s/macros.lib}\n", dir);
    fprintf(f,
            "read_verilog {%s/netlist.v}\nlink_design %s\nset_cmd_units -time ns -capacitance pF\n",
            dir, r->desc->name);
    fprintf(f, "create_clock -name clk -period %.4f [get_ports clk_i]\n", r->clock);
    fprintf(f,
            "set ins {}\nforeach p [all_inputs] { if {[get_property $p full_name] ne \"clk_i\"} { "
            "lappend ins $p } }\n"
            "set_input_delay 0 -clock clk $ins\nset_output_delay 0 -clock clk [all_outputs]\n"
            "set launch [all_registers -clock_pins]\nset capture [all_registers -data_pins]\n"
            "if {[llength $launch]} {\n"
            "  group_path -name reg2reg -from $launch -to $capture\n"
            "  group_path -name in2reg -from $ins -to $capture\n"
            "  group_path -name reg2out -from $launch -to [all_outputs]\n}\n"
            "group_path -name in2out -from $ins -to [all_outputs]\n"
            "foreach g {reg2reg in2reg reg2out in2out} {\n"
            "  if {![llength $launch] && $g ne \"in2out\"} { continue }\n"
            "  foreach path [find_timing_paths -path_group $g -group_count 1] {\n"
            "    puts \"SMCO path $g [get_property $path slack]\"\n"
            "    foreach point [get_property $path points] {\n"
            "      puts \"SMCO point [get_property [get_property $point pin] full_name]\"\n    }\n "
            " }\n}\n"
            "puts \"SMCO end\"\n");
    return synth_close(f, path, d);
}

// "\avail_q[3]_reg /D" as OpenSTA prints it, without its backslashes.
static char *strip_backslashes(Arena *arena, const char *text) {
    char *to = arena_strndup(arena, text, strlen(text)), *q = to;
    for (const char *p = to; *p; p++)
        if (*p != '\\') *q++ = *p;
    *q = '\0';
    return to;
}

// The instance of a pin; NULL: it is a port.
static char *instance_of(Arena *arena, const char *pin) {
    const char *slash = strrchr(pin, '/');
    return slash ? arena_strndup(arena, pin, (size_t)(slash - pin)) : NULL;
}

// A register's instance is called after the signal it drives; a macro's "u_x.ram_3"
// becomes "u_x." and the name of the memory in the RTL.
static const char *rtl_of(const SynthResult *x, Arena *arena, const char *pin) {
    char *instance = instance_of(arena, pin), *last;
    if (!instance) return arena_strndup(arena, pin, strlen(pin));
    const size_t n = strlen(instance);
    if (n > 4 && !strcmp(instance + n - 4, "_reg")) instance[n - 4] = '\0';
    last = strrchr(instance, '.');
    last = last ? last + 1 : instance;
    for (int i = 0; i < x->nmacros; i++)
        if (!strcmp(last, x->macros[i].name))
            return arena_printf(arena, "%.*s%s", (int)(last - instance), instance,
                                strchr(x->macros[i].rtl, '.') + 1);
    return instance;
}

static bool read_log(SynthResult *x, Arena *arena, const SynthRequest *r, const char *text,
                     Diag *d) {
    SynthPath *path = NULL;
    const char *last = NULL;
    bool ended = false;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char group[16];
        double slack;
        if (sscanf(line, "SMCO path %15s %lf", group, &slack) == 2) {
            path = NULL;
            for (int i = 0; i < SYNTH_MAX_GROUPS; i++)
                if (!strcmp(group, synth_group_names[i])) path = &x->groups[i];
            if (path)
                *path = (SynthPath){
                    .present = true, .slack = slack, .delay = r->clock - slack, .cells = -2};
            last = NULL;
        } else if (path && !strncmp(line, "SMCO point ", 11)) {
            char *pin =
                strip_backslashes(arena, arena_strndup(arena, line + 11, strcspn(line + 11, "\n")));
            char *instance = instance_of(arena, pin);
            if (!path->from) path->from = rtl_of(x, arena, pin);
            path->to = rtl_of(x, arena, pin);
            // Every instance but the two ends, which may be ports.
            if (!instance || !last || strcmp(instance, last)) path->cells++;
            last = instance ? instance : "";
        }
        ended |= !strncmp(line, "SMCO end", 8);
    }
    return ended ||
        diag_fail(d, EXIT_ENVIRONMENT, "block %s: sta ended without a result:\n%.1500s",
                  r->desc->name, text);
}

static double mhz_of(double ns) { return ns > 0 ? 1000 / ns : 0; }

bool synth_timing(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir, Diag *d) {
    char *text;
    size_t n;
    if (!macro_liberty(x, r, dir, d) || !write_script(arena, x, r, dir, d) ||
        !synth_tool(arena, "sta", "sta.tcl", dir, r->desc->name, false, d) ||
        !file_read(arena, arena_printf(arena, "%s/sta.tcl.log", dir), &text, &n, d) ||
        !read_log(x, arena, r, text, d))
        return false;
    x->timed = true;
    x->worst = -1;
    for (int i = 0; i < SYNTH_MAX_GROUPS; i++)
        if (x->groups[i].present &&
            (x->worst < 0 || x->groups[i].slack < x->groups[x->worst].slack))
            x->worst = i;
    if (x->worst < 0)
        return diag_fail(d, EXIT_ENVIRONMENT, "block %s: sta found no path at all", r->desc->name);
    x->fmax = mhz_of(x->groups[x->worst].delay);
    x->fmax_reg = x->groups[GROUP_REG2REG].present ? mhz_of(x->groups[GROUP_REG2REG].delay) : 0;
    x->area_delay = x->area_total * x->groups[x->worst].delay;
    return true;
}
