// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/output.h"
#include "report/profile_report.h"

#include <string.h>

static void set_count(json_t *o, const char *name, uint64_t v) {
    if (v) json_object_set_new(o, name, json_integer((json_int_t)v));
}

// Zeros are left out.
static json_t *counts_json(const LineCounts *c) {
    json_t *o = json_object(), *classes = json_object();
    for (int i = 0; i < LINE_CLASSES; i++)
        set_count(classes, counter_info[CTR_ISSUED + i].name, c->classes[i]);
    json_object_set_new(o, "scheduler_cycles", classes);
    for (int i = 0; i < line_nsums; i++)
        set_count(o, line_sums[i].name, *(const uint64_t *)((const char *)c + line_sums[i].at));
    set_count(o, "guarded_lanes", c->guarded);
    set_count(o, "requests", c->requests);
    set_count(o, "missed", c->missed);
    return o;
}

static json_t *instructions_json(const ProfileKernel *k) {
    json_t *list = json_array();
    for (int i = 0; i < k->program->ninsts; i++) {
        const IsaInst *in = &k->program->insts[i];
        char text[256];
        isa_print_inst(text, sizeof text, in);
        text[strcspn(text, "/")] = '\0';
        for (size_t n = strlen(text); n && text[n - 1] == ' '; n--) text[n - 1] = '\0';
        json_t *o = json_pack("{s:i, s:i, s:s, s:o}", "pc", i, "line", in->ptx_line, "text", text,
                              "counts", counts_json(&k->rows[i]));
        if (k->cuda_line && in->ptx_line > 0 && k->cuda_line[in->ptx_line])
            json_object_set_new(o, "cuda_line", json_integer(k->cuda_line[in->ptx_line]));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *worst_json(const ProfileKernel *k) {
    Arena arena = {0};
    ProfileLine *lines;
    const ProfileLine **worst;
    const int n = profile_lines(k, &arena, &lines);
    const int nworst = profile_worst(lines, n, 10, &arena, &worst);
    json_t *list = json_array();
    for (int i = 0; i < nworst; i++)
        json_array_append_new(list,
                              json_pack("{s:i, s:i, s:I, s:s}", "line", worst[i]->line, "cuda_line",
                                        worst[i]->cuda, "scheduler_cycles",
                                        (json_int_t)worst[i]->cost, "reason",
                                        profile_words(k, worst[i], &arena)));
    arena_free(&arena);
    return list;
}

static json_t *counters_json(const Counters *c) {
    json_t *o = json_object();
    for (int i = 0; i < CTR_COUNT; i++) set_count(o, counter_info[i].name, c->v[i]);
    return o;
}

static json_t *rates_json(const Counters *c, const MachineConfig *cfg, int sms) {
    ProfileRate rates[PROFILE_RATES];
    json_t *list = json_array();
    profile_rates(c, cfg, sms, rates);
    for (int i = 0; i < PROFILE_RATES; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:f, s:f, s:s}", "name", rates[i].name, "value",
                                        rates[i].value, "peak", rates[i].peak, "unit",
                                        rates[i].unit));
    return list;
}

static json_t *roofs_json(const Counters *c, const MachineConfig *cfg) {
    ProfileRoof roofs[PROFILE_ROOFS];
    const int least = profile_roofs(c, cfg, roofs);
    json_t *list = json_array();
    for (int i = 0; i < PROFILE_ROOFS; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:f, s:f, s:f, s:b}", "name", roofs[i].name,
                                        "per_instruction", roofs[i].per_inst, "per_cycle",
                                        roofs[i].peak, "instructions_per_cycle", roofs[i].roof,
                                        "lowest", i == least));
    return list;
}

static json_t *kernel_json(const RunReport *run, const Profile *p, const ProfileKernel *k) {
    const KernelReport *s = &k->shape;
    const Counters *c = &k->counters;
    return json_pack(
        "{s:s, s:s, s:s, s:s*, s:i, s:i, s:i, s:s, s:i, s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o}",
        "name", k->name, "entry", k->entry, "ptx", k->ptx.path, "cuda", k->cuda.path, "launches",
        s->launches, "registers", s->registers, "warps_per_sm", s->warps_per_sm, "limited_by",
        s->limited_by, "room", s->room, "room_limited_by", s->room_limited_by, "ipc",
        profile_ipc(c, p->sms), "counters", counters_json(c), "rates",
        rates_json(c, run->cfg, p->sms), "roofs", roofs_json(c, run->cfg), "worst", worst_json(k),
        "instructions", instructions_json(k), "no_instruction",
        counts_json(&k->rows[k->program->ninsts]));
}

static json_t *profile_launch_json(const RunReport *run, const LaunchReport *l) {
    const Profile *p = l->lines;
    json_t *kernels = json_array(), *launches = json_array();
    for (int i = 0; p && i < p->nkernels; i++)
        json_array_append_new(kernels, kernel_json(run, p, &p->kernels[i]));
    for (int i = 0; p && i < p->nlaunches; i++) {
        const ProfileLaunch *x = &p->launches[i];
        json_array_append_new(
            launches,
            json_pack("{s:i, s:[I,I,I], s:[I,I,I], s:o, s:o}", "kernel", x->kernel, "grid",
                      (json_int_t)x->grid[0], (json_int_t)x->grid[1], (json_int_t)x->grid[2],
                      "block", (json_int_t)x->block[0], (json_int_t)x->block[1],
                      (json_int_t)x->block[2], "rates", rates_json(&x->counters, run->cfg, p->sms),
                      "counters", counters_json(&x->counters)));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", l->name, "file", l->path, "verdict",
                     report_verdict(l), "kernels", kernels, "launches", launches);
}

bool profile_json(const char *path, const RunReport *run, Diag *d) {
    json_t *runs = json_array();
    for (int i = 0; i < run->nlaunches; i++)
        json_array_append_new(runs, profile_launch_json(run, &run->launches[i]));
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "schema", "smcosim.profile/1",
                             "version", run->version, "command", run->command, "arch", run->arch,
                             "machine", run->cfg->machine, "runs", runs);
    panic_if(!root, "JSON document could not be made");
    const bool ok = json_write(path, root, JSON_INDENT(1), d);
    json_decref(root);
    return ok;
}

static bool write_table(const char *path, const RunReport *run, Diag *d) {
    Arena arena = {0};
    Output o;
    FILE *out = output_open(&o, &arena, path, d);
    for (int i = 0; out && i < run->nlaunches; i++) profile_table(out, run, &run->launches[i]);
    const bool ok = out && output_close(&o, out, true, d);
    arena_free(&arena);
    return ok;
}

bool profile_file(const char *path, const RunReport *run, Diag *d) {
    if (output_has_ending(path, ".html")) return profile_html(path, run, d);
    if (output_has_ending(path, ".json")) return profile_json(path, run, d);
    return write_table(path, run, d);
}
