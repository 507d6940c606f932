// SPDX-License-Identifier: Apache-2.0
// Results by the hash of all their inputs: the RTL, the parameters, the library, the clock, the
// tools and this program's scripts. A result is a folder with the netlist. It is made under another
// name and renamed when complete, so that parallel runs see only complete results.
#include "synth/synth_internal.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/output.h"
#include "proc/clock.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYNTH_FORMAT = 14 };  // to be raised when scripts, estimates or this file's format change

// The first word that looks like a version in the output of `tool argument`.
static const char *version_of(Arena *arena, const char *tool, const char *argument,
                              const char *package, Diag *d) {
    char *folder = tool_folder(arena, d);
    if (!folder) return NULL;
    const char *log = arena_printf(arena, "%s/version", folder);
    const char *argv[] = {tool, argument, NULL};
    const int status = tool_run(argv, log, 30);
    char *text = tool_log(arena, log, 3);
    tool_remove(folder);
    if (status && !tool_ended(status, "(none)", tool, package, 30, d)) return NULL;
    if (status != 0) return tool_missing(tool, package, d), NULL;
    text += strcspn(text, "0123456789");
    return arena_strndup(arena, text, strspn(text, "0123456789.+"));
}

const char *synth_tools(Arena *arena, Diag *d) {
    const char *yosys = version_of(arena, "yosys", "-V", "yosys", d);
    const char *sta = yosys ? version_of(arena, "sta", "-version", "opensta", d) : NULL;
    return sta ? arena_printf(arena, "yosys %s, sta %s", yosys, sta) : NULL;
}

// ---- JSON of a result ---------------------------------------------------------------------------

static json_t *macros_json(const SynthResult *x) {
    json_t *list = json_array();
    for (int i = 0; i < x->nmacros; i++) {
        const SynthMacro *m = &x->macros[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:b, s:i, s:f, s:f, s:f}",
                                        "name", m->name, "memory", m->rtl, "width", m->width,
                                        "words", m->words, "reads", m->reads, "writes", m->writes,
                                        "clocked", m->clocked, "count", m->count, "area", m->area,
                                        "access_ns", m->access_ns, "energy_pj", m->energy_pj));
    }
    return list;
}

json_t *synth_result_json(const SynthResult *x) {
    json_t *params = json_object(), *groups = json_object();
    for (int i = 0; i < x->desc->nparams; i++)
        json_object_set_new(params, x->desc->params[i].name, json_integer(x->params[i]));
    for (int i = 0; i < SYNTH_MAX_GROUPS; i++) {
        const SynthPath *p = &x->groups[i];
        if (p->present)
            json_object_set_new(groups, synth_group_names[i],
                                json_pack("{s:f, s:f, s:i, s:s, s:s}", "slack_ns", p->slack,
                                          "delay_ns", p->delay, "cells", p->cells, "from", p->from,
                                          "to", p->to));
    }
    json_t *o =
        json_pack("{s:s, s:o, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:i, s:o, s:b, s:o, s:f}", "block",
                  x->desc->name, "parameters", params, "cells", (json_int_t)x->cells, "flip_flops",
                  (json_int_t)x->flops, "area", x->area, "area_macros", x->area_macros,
                  "area_total", x->area_total, "gate_equivalents", x->gates, "sram_bits",
                  (json_int_t)x->macro_bits, "depth", x->depth, "macros", macros_json(x), "timed",
                  x->timed, "paths", groups, "tool_seconds", x->seconds);
    json_object_set_new(o, "mapped_fast", json_boolean(x->fast));
    json_object_set_new(o, "bottom_up", json_boolean(x->bottom_up));
    if (x->area_hier >= 0) json_object_set_new(o, "area_hierarchy_kept", json_real(x->area_hier));
    if (!x->timed) return o;
    json_object_set_new(o, "worst_group", json_string(synth_group_names[x->worst]));
    json_object_set_new(o, "worst_slack_ns", json_real(x->groups[x->worst].slack));
    json_object_set_new(o, "fmax_mhz", json_real(x->fmax));
    if (x->fmax_reg > 0) json_object_set_new(o, "fmax_reg2reg_mhz", json_real(x->fmax_reg));
    json_object_set_new(o, "area_delay", json_real(x->area_delay));
    return o;
}

static double real_of(json_t *o, const char *key) {
    return json_number_value(json_object_get(o, key));
}
static long integer_of(json_t *o, const char *key) {
    return (long)json_integer_value(json_object_get(o, key));
}
static void read_macros(SynthResult *x, Arena *arena, json_t *list) {
    json_t *m;
    size_t i;
    json_array_foreach(list, i, m) {
        if (x->nmacros == SYNTH_MAX_MACROS) break;
        x->macros[x->nmacros++] =
            (SynthMacro){.name = json_text(arena, m, "name", ""),
                         .rtl = json_text(arena, m, "memory", ""),
                         .width = (int)integer_of(m, "width"),
                         .words = (int)integer_of(m, "words"),
                         .reads = (int)integer_of(m, "reads"),
                         .writes = (int)integer_of(m, "writes"),
                         .clocked = json_is_true(json_object_get(m, "clocked")),
                         .count = (int)integer_of(m, "count"),
                         .area = real_of(m, "area"),
                         .access_ns = real_of(m, "access_ns"),
                         .energy_pj = real_of(m, "energy_pj")};
    }
}

static bool read_result(SynthResult *x, Arena *arena, const char *path) {
    json_error_t error;
    json_t *o = json_load_file(path, 0, &error);
    if (!o) return false;
    x->cells = integer_of(o, "cells"), x->flops = integer_of(o, "flip_flops");
    x->area = real_of(o, "area"), x->area_macros = real_of(o, "area_macros"),
    x->area_total = real_of(o, "area_total");
    x->area_hier =
        json_object_get(o, "area_hierarchy_kept") ? real_of(o, "area_hierarchy_kept") : -1;
    x->gates = real_of(o, "gate_equivalents"), x->macro_bits = integer_of(o, "sram_bits"),
    x->depth = (int)integer_of(o, "depth");
    read_macros(x, arena, json_object_get(o, "macros"));
    x->timed = json_is_true(json_object_get(o, "timed"));
    x->worst = -1;
    const char *worst = json_text(arena, o, "worst_group", "");
    for (int i = 0; i < SYNTH_MAX_GROUPS; i++) {
        json_t *p = json_object_get(json_object_get(o, "paths"), synth_group_names[i]);
        if (!p) continue;
        x->groups[i] = (SynthPath){true,
                                   real_of(p, "slack_ns"),
                                   real_of(p, "delay_ns"),
                                   (int)integer_of(p, "cells"),
                                   json_text(arena, p, "from", ""),
                                   json_text(arena, p, "to", "")};
        if (!strcmp(worst, synth_group_names[i])) x->worst = i;
    }
    x->fmax = real_of(o, "fmax_mhz"), x->fmax_reg = real_of(o, "fmax_reg2reg_mhz"),
    x->area_delay = real_of(o, "area_delay");
    x->seconds = real_of(o, "tool_seconds"),
    x->fast = json_is_true(json_object_get(o, "mapped_fast"));
    json_decref(o);
    return !x->timed || x->worst >= 0;
}

// ---- folders ------------------------------------------------------------------------------------

bool make_folders(Arena *arena, const char *path, Diag *d) {
    char *text = arena_strndup(arena, path, strlen(path));
    for (char *p = text + 1;; p++) {
        if (*p && *p != '/') continue;
        const char keep = *p;
        *p = '\0';
        if (mkdir(text, 0777) && errno != EEXIST)
            return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", text, strerror(errno));
        if (!(*p = keep)) return true;
    }
}

static bool folder_name(Arena *arena, const SynthRequest *r, const char *tools, char **dir,
                        Diag *d) {
    RtlFiles files;
    const int format = SYNTH_FORMAT;
    uint64_t hash = hash_bytes(HASH_START, &format, sizeof format);
    if (!rtl_files(arena, r->data_dir, r->desc->name, r->rtl, &files, d)) return false;
    for (int i = 0; i < files.n + files.nincluded; i++) {
        char *text;
        size_t n;
        if (!file_read(arena, i < files.n ? files.paths[i] : files.included[i - files.n], &text, &n,
                       d))
            return false;
        hash = hash_bytes(hash, text, n + 1);
    }
    const char *rest = arena_printf(arena, "%s %s %016llx %d %.4f %d%s", tools, r->desc->name,
                                    (unsigned long long)r->liberty->copy_hash, r->liberty->nm,
                                    r->clock, r->flatten, r->bottom_up ? " bottom-up" : "");
    hash = hash_bytes(hash, rest, strlen(rest));
    hash = hash_bytes(hash, r->params, (size_t)r->desc->nparams * sizeof *r->params);
    *dir = arena_printf(arena, "%s/synth/%s-%016llx", r->cache_dir, r->desc->name,
                        (unsigned long long)hash);
    return true;
}

// Scripts access the working folder through a link whose name requires no quoting, because the
// user's name may require it. The library is a copy beside the link.
static bool run_tools(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir,
                      Diag *d) {
    char *folder = tool_folder(arena, d);
    Liberty library = *r->liberty;
    SynthRequest inner = *r;
    inner.liberty = &library;
    const char *work = folder ? tool_link(arena, folder, "work", dir, d) : NULL;
    library.link = work ? liberty_copy(&library, arena, folder, d) : NULL;
    const bool good = library.link && synth_netlist(x, arena, &inner, work, d) &&
        (!(r->flatten & FLATTEN_ON) || synth_timing(x, arena, &inner, work, d));
    tool_remove(folder);
    return good;
}

static bool make_result(SynthResult *x, Arena *arena, const SynthRequest *r, const char *dir,
                        Diag *d) {
    const double begin = clock_seconds();
    if (!run_tools(x, arena, r, dir, d)) return false;
    x->seconds = clock_seconds() - begin;
    static const char *const scraps[] = {"front.il", "flat.il", "hier.il", "memories.json"};
    for (size_t i = 0; i < sizeof scraps / sizeof *scraps; i++)
        remove(arena_printf(arena, "%s/%s", dir, scraps[i]));
    const char *path = arena_printf(arena, "%s/result.json", dir);
    json_t *o = synth_result_json(x);
    const int failed = json_dump_file(o, path, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    json_decref(o);
    return !failed || diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be written", path);
}

// Working folders of killed processes.
static void remove_stale(Arena *arena, const char *dir) {
    const char *slash = strrchr(dir, '/'),
               *folder = arena_strndup(arena, dir, (size_t)(slash - dir));
    const char *part = arena_printf(arena, "%s.tmp-", slash + 1);
    DIR *list = opendir(folder);
    if (!list) return;
    for (const struct dirent *e; (e = readdir(list));) {
        const int pid = strncmp(e->d_name, part, strlen(part)) ? 0 : atoi(e->d_name + strlen(part));
        if (pid > 0 && (pid == getpid() || (kill(pid, 0) && errno == ESRCH)))
            tool_remove(arena_printf(arena, "%s/%s", folder, e->d_name));
    }
    closedir(list);
}

bool synth_block(SynthResult *x, Arena *arena, const SynthRequest *r, Diag *d) {
    char *dir;
    *x = (SynthResult){.desc = r->desc, .area_hier = -1, .worst = -1, .bottom_up = r->bottom_up};
    memcpy(x->params, r->params, sizeof *r->params * (size_t)r->desc->nparams);
    const char *tools = synth_tools(arena, d);
    if (!tools || !folder_name(arena, r, tools, &dir, d)) return false;
    x->dir = dir;
    if (read_result(x, arena, arena_printf(arena, "%s/result.json", dir))) return x->cached = true;
    if (!make_folders(arena, arena_printf(arena, "%s/synth", r->cache_dir), d)) return false;
    char *work = arena_printf(arena, "%s.tmp-%d", dir, (int)getpid());
    remove_stale(arena, dir);
    if (mkdir(work, 0777))
        return diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", work, strerror(errno));
    const bool good = make_result(x, arena, r, work, d);
    // Another run may have been faster; its result is the same.
    if (good && rename(work, dir) && access(arena_printf(arena, "%s/result.json", dir), R_OK))
        diag_fail(d, EXIT_ENVIRONMENT, "%s: cannot be made: %s", dir, strerror(errno));
    tool_remove(work);
    return good && diag_ok(d);
}

const char *synth_cell_models(Arena *arena, const SynthRequest *r, Diag *d) {
    const Liberty *l = r->liberty;
    const char *path = arena_printf(arena, "%s/synth/cells-%016llx.v", r->cache_dir,
                                    (unsigned long long)l->copy_hash);
    if (!access(path, R_OK)) return path;
    char *folder = tool_folder(arena, d);
    if (!folder || !make_folders(arena, arena_printf(arena, "%s/synth", r->cache_dir), d))
        return NULL;
    const char *script = arena_printf(arena, "%s/cells.ys", folder),
               *models = arena_printf(arena, "%s/cells.v", folder);
    const char *library = liberty_copy(l, arena, folder, d);
    FILE *f = library ? synth_create(script, d) : NULL;
    bool good = f != NULL;
    if (f) {
        fprintf(f, "read_liberty -ignore_miss_func %s\nwrite_verilog -noattr %s\n", library,
                models);
        good = synth_close(f, script, d);
    }
    good = good && synth_tool(arena, "yosys", "cells.ys", folder, "(cell models)", false, d);
    good = good && output_copy(models, path, d);
    tool_remove(folder);
    return good ? path : NULL;
}
