// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include "base/json.h"
#include "counters/energy.h"

#include <string.h>

static json_t *dim3_json(const uint32_t v[3]) {
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *kernels_json(const LaunchReport *l) {
    json_t *list = json_array();
    for (int i = 0; i < l->nkernels; i++) {
        const KernelReport *k = &l->kernels[i];
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:I, s:I, s:I, s:i, s:i, s:s, s:i, s:s, s:f, "
                      "s:I, s:I, s:s*}",
                      "name", k->name, "grid", dim3_json(k->grid), "block", dim3_json(k->block),
                      "launches", k->launches, "registers", k->registers, "instructions", k->insts,
                      "spill_bytes", (json_int_t)k->spill_bytes, "local_bytes",
                      (json_int_t)k->local_bytes, "shared_bytes", (json_int_t)k->shared_bytes,
                      "ctas_per_sm", k->ctas_per_sm, "warps_per_sm", k->warps_per_sm, "limited_by",
                      k->limited_by, "room", k->room, "room_limited_by",
                      k->rows ? k->room_limited_by : "-", "register_file_full", report_file_full(k),
                      "cycles", (json_int_t)k->cycles, "warp_instructions",
                      (json_int_t)k->warp_insts, "scalar", k->scalar));
    }
    return list;
}

static json_t *counters_json(const Counters *c) {
    json_t *groups = json_object();
    for (int i = 0; i < CTR_COUNT; i++) {
        json_t *group = json_object_get(groups, counter_info[i].group);
        if (!group) {
            group = json_object();
            json_object_set_new(groups, counter_info[i].group, group);
        }
        json_object_set_new(group, counter_info[i].name, json_integer((json_int_t)c->v[i]));
    }
    return groups;
}

// Each of several SMs by itself.
static json_t *sms_json(const LaunchReport *l) {
    json_t *list = json_array();
    for (int i = 0; i < l->sms; i++)
        json_array_append_new(list, json_pack("{s:o}", "counters", counters_json(&l->of_sm[i])));
    return list;
}

json_t *report_banks_json(const Counters *c, int banks) {
    json_t *list = json_array();
    for (int b = 0; b < banks; b++)
        json_array_append_new(list,
                              json_pack("{s:I, s:I}", "reads", (json_int_t)c->bank_reads[b],
                                        "writes", (json_int_t)c->bank_writes[b]));
    return list;
}

json_t *report_blocks_json(const LaunchReport *l) {
    json_t *blocks = json_object();
    for (int b = 0; b < l->nblocks; b++) {
        json_t *ports = json_object();
        for (int p = 0; p < l->nports; p++)
            if (!strcmp(l->ports[p].block, l->blocks[b].block))
                json_object_set_new(ports, l->ports[p].port,
                                    json_integer((json_int_t)l->ports[p].compared));
        json_t *block =
            json_pack("{s:s, s:o}", "mode", report_mode_name(l->blocks[b].mode), "compared", ports);
        if (l->blocks[b].mode == BLOCK_LOCKSTEP)
            json_object_set_new(block, "states_compared",
                                json_integer((json_int_t)l->blocks[b].states));
        if (l->blocks[b].mode != BLOCK_MODEL)
            json_object_set_new(block, "cycles_with_work",
                                json_integer((json_int_t)l->blocks[b].worked));
        if (l->blocks[b].rtl) json_object_set_new(block, "rtl", json_string(l->blocks[b].rtl));
        json_object_set_new(blocks, l->blocks[b].block, block);
    }
    return blocks;
}

json_t *report_idle_json(const LaunchReport *l) {
    json_t *list = json_array();
    for (int i = 0; i < l->nblocks; i++)
        if (l->blocks[i].idle) json_array_append_new(list, json_string(l->blocks[i].block));
    return list;
}

// Blocks that no launch gave work.
json_t *report_without_work_json(const ReportWork *work, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        json_t *o = json_pack("{s:s, s:i}", "block", work[i].block, "idle", work[i].idle);
        if (work[i].rtl) json_object_set_new(o, "rtl", json_string(work[i].rtl));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *findings_json(const LaunchReport *l) {
    json_t *list = json_array();
    for (int i = 0; i < l->nfindings; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:s}", "kind", l->findings[i].kind, "count",
                                        (json_int_t)l->findings[i].count, "message",
                                        l->findings[i].text));
    return list;
}

static json_t *one_energy_json(Energy e) {
    return json_pack("{s:f, s:f, s:f, s:f}", "dynamic", e.dynamic, "dynamic_added", e.dynamic_added,
                     "leakage", e.leakage, "leakage_added", e.leakage_added);
}

// Register files, nJ, with the constants of each paper.
static json_t *energy_json(const LaunchReport *l, const MachineConfig *cfg, int bow_rows) {
    const int registers = cfg->rf_banks * cfg->rf_entries;
    Counters c = l->counters;
    if (l->sms > 1) c.v[CTR_CYCLES] *= (unsigned)l->sms;
    return json_pack("{s:o, s:o, s:o}", "corf", one_energy_json(energy_of(&c, registers)), "bow",
                     one_energy_json(bow_energy_of(&c, registers, cfg->oc_collectors, bow_rows)),
                     "scalar", one_energy_json(scalar_energy_of(&c, registers)));
}

static json_t *memory_limits_json(const LaunchReport *l) {
    return json_pack("{s:f, s:f, s:f, s:s}", "l1_mshrs", l->limits[LIMIT_L1].bytes, "l2_mshrs",
                     l->limits[LIMIT_L2].bytes, "dram_share", l->limits[LIMIT_DRAM].bytes, "binds",
                     l->limits[l->limit_binds].name);
}

static json_t *launch_json(const LaunchReport *l, const RunReport *run) {
    const MachineConfig *cfg = run->cfg;
    uint64_t cycles = l->counters.v[CTR_CYCLES];
    json_t *time = json_object();
    for (int t = 0; t < TIME_COUNT; t++)
        json_object_set_new(time, report_time_name((CosimTime)t), json_real(l->times[t]));
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:i, s:s, s:o, s:I, s:f, s:f, s:f, s:o, s:o, s:o}", "name", l->name,
        "file", l->path, "verdict", report_verdict(l), "exit_status", (int)l->status, "message",
        l->message, "kernels", kernels_json(l), "cycles", (json_int_t)cycles, "ipc",
        cycles ? (double)l->counters.v[CTR_WARP_INSTS] / (double)cycles : 0.0, "seconds",
        l->seconds, "sim_cycles_per_second", l->seconds > 0 ? (double)cycles / l->seconds : 0.0,
        "time", time, "blocks", report_blocks_json(l), "counters", counters_json(&l->counters));
    if (l->limits[0].name) json_object_set_new(o, "memory_limits", memory_limits_json(l));
    json_object_set_new(o, "banks", report_banks_json(&l->counters, cfg->rf_banks));
    json_object_set_new(o, "energy", energy_json(l, cfg, run->bow_rows));
    json_t *checks = json_object();
    if (l->retire_checked)
        json_object_set_new(checks, "retire_compared",
                            json_integer((json_int_t)l->retire_compared));
    if (l->oracle_checked)
        json_object_set_new(checks, "oracle_bytes", json_integer((json_int_t)l->oracle_compared));
    if (l->race_checked)
        json_object_set_new(checks, "race_accesses", json_integer((json_int_t)l->race_compared));
    if (l->strict_checked)
        json_object_set_new(checks, "strict_instructions",
                            json_integer((json_int_t)l->strict_examined));
    if (l->codec_checked)
        json_object_set_new(checks, "codec_lines",
                            json_integer((json_int_t)l->counters.v[CTR_ASSIST_CHECKED]));
    json_object_set_new(checks, "expect_elements", json_integer((json_int_t)l->result_compared));
    json_object_set_new(o, "checks", checks);
    json_object_set_new(o, "results_checked", json_boolean(report_results_checked(l)));
    json_object_set_new(o, "idle", report_idle_json(l));
    if (l->of_sm) json_object_set_new(o, "sms", sms_json(l));
    if (l->nspread) json_object_set_new(o, "spread", report_spread_json(l, cfg));
    if (l->nfindings) json_object_set_new(o, "findings", findings_json(l));
    if (l->profile.measured) {
        json_t *profile =
            json_pack("{s:b, s:f}", "on", l->profile.on, "dram_busy", l->profile.busy);
        if (l->profile.ratio > 0)
            json_object_set_new(profile, "ratio", json_real(l->profile.ratio));
        json_object_set_new(o, "caba_profile", profile);
    }
    if (l->unclocked >= 0)
        json_object_set_new(o, "cycles_not_clocked", json_integer((json_int_t)l->unclocked));
    if (l->unclocked >= 0 && l->start_seed)
        json_object_set_new(o, "start_seed", json_integer((json_int_t)l->start_seed));
    if (l->program) json_object_set_new(o, "program", json_string(l->program));
    if (l->fault) json_object_set_new(o, "fault", json_string(l->fault));
    if (l->replay) json_object_set_new(o, "replay", json_string(l->replay));
    return o;
}

// Word number n of "a|b|c".
static json_t *enum_word(const char *words, int n) {
    while (n-- > 0) words = strchr(words, '|') + 1;
    return json_stringn(words, strcspn(words, "|"));
}

static json_t *flags_text(const char *words, int flags) {
    char text[256];
    config_flags_text(text, sizeof text, words, flags);
    return json_string(text);
}

static json_t *machine_json(const MachineConfig *cfg) {
    json_t *o = json_object();
#define CFG(field, key, def, least, most, unit, meaning) \
    json_object_set_new(o, key, json_integer(cfg->field));
#define CFGENUM(field, key, def, words, meaning) \
    json_object_set_new(o, key, enum_word(words, cfg->field));
#define CFGFLAGS(field, key, def, words, meaning) \
    json_object_set_new(o, key, flags_text(words, cfg->field));
#include "config/config.def"
#undef CFG
#undef CFGENUM
    return o;
}

bool report_json(const char *path, const RunReport *run, Diag *d) {
    json_t *list = json_array();
    ExitStatus worst = EXIT_PASS;
    const char *verdict = exit_word(worst);
    for (int i = 0; i < run->nlaunches; i++) {
        json_array_append_new(list, launch_json(&run->launches[i], run));
    }
    const LaunchReport *failed = report_first_failure(run);
    if (failed) worst = failed->status, verdict = report_verdict(failed);
    if (worst == EXIT_PASS && run->nwork) verdict = exit_word(worst = EXIT_VACUOUS);
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:o, s:o}", "schema", "smcosim.run/1",
                  "version", run->version, "command", run->command, "verdict", verdict,
                  "exit_status", (int)worst, "arch", run->arch, "machine", run->cfg->machine,
                  "config", machine_json(run->cfg), "launches", list);
    panic_if(!root, "JSON document could not be made");
    if (run->nwork)
        json_object_set_new(root, "without_work", report_without_work_json(run->work, run->nwork));
    bool ok = json_write(path, root, JSON_INDENT(2), d);
    json_decref(root);
    return ok;
}
