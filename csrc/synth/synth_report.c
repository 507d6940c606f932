// SPDX-License-Identifier: Apache-2.0
// Table, JSON and CSV of the synthesized blocks.
#include "synth/synth_internal.h"

#include "base/json.h"
#include "base/output.h"
#include "base/plain.h"

#include <string.h>

static const char *row_word(const SynthRow *row) {
    return row->word ? row->word : exit_word(row->status);
}

static void print_optional(FILE *f, int width, int digits, double value, bool known) {
    if (known) fprintf(f, " %*.*f", width, digits, value);
    else fprintf(f, " %*s", width, "-");
}

// Delay of the worst path in delays of an inverter that drives four; 0: not known.
static double fo4_of(const Liberty *l, const SynthResult *x) {
    return x->timed && l->fo4 > 0 ? x->groups[x->worst].delay / l->fo4 : 0;
}

// Outputs that show work, as their names: "rd_data_valid".
static void work_names(FILE *f, const SynthResult *x) {
    Port ports[BLOCK_MAX_PORTS];
    const int n = block_ports(x->desc, x->params, ports);
    const char *between = "";
    for (int i = 0; i < n; i++)
        if (ports[i].cls == PORT_WORK) fprintf(f, "%s%s_o", between, ports[i].name), between = ", ";
}

static double dynamic_mw(const SynthPower *p) { return p->registers + p->gates; }

// 1 mW over 1 ns is 1 pJ.
static double pj_per_cycle(const SynthReport *r, const SynthPower *p) {
    return dynamic_mw(p) * r->clock;
}
static double pj_per_work(const SynthReport *r, const SynthPower *p) {
    return pj_per_cycle(r, p) * (double)p->cycles / (double)p->work;
}

static void power_lines(FILE *f, const SynthReport *r, const SynthRow *row) {
    const SynthPower *p = &row->power;
    if (!p->bits) return;
    fprintf(f,
            "  power of cells: %.3f mW dynamic (registers %.3f, gates %.3f), %.3f mW leakage; %.3f "
            "pJ per cycle, %llu cycles\n",
            dynamic_mw(p), p->registers, p->gates, p->leakage, pj_per_cycle(r, p),
            (unsigned long long)p->cycles);
    if (p->work) {
        fprintf(f, "    %.3f pJ for each of %llu in ", pj_per_work(r, p),
                (unsigned long long)p->work);
        work_names(f, &row->result);
        fprintf(f, "\n");
    }
    fprintf(
        f, "    activity of %d of %d inputs, registers and reads from the wave; no clock tree%s\n",
        p->known, p->bits, row->result.nmacros ? ", no memories (their pJ per access below)" : "");
}

static void table_row(FILE *f, const SynthReport *report, const SynthRow *row) {
    const SynthResult *x = &row->result;
    if (report->rows[0].point) fprintf(f, "%-16s ", row->point);
    fprintf(f, "%-18s ", x->desc->name);
    if (row->status != EXIT_PASS) {
        fprintf(f, "%s\n", row_word(row));
        return;
    }
    fprintf(f, "%8ld %7ld %9ld %10.0f", x->cells, x->flops, x->macro_bits, x->gates);
    fprintf(f, " %11.0f", x->area);
    print_optional(f, 11, 0, x->area_hier, x->area_hier >= 0);
    print_optional(f, 11, 0, x->area_macros, x->nmacros > 0);
    const SynthPath *worst = x->timed ? &x->groups[x->worst] : NULL;
    print_optional(f, 6, 0, x->depth, x->timed);
    for (int i = 0; i < SYNTH_MAX_GROUPS; i++)
        print_optional(f, 8, 3, x->groups[i].slack, x->groups[i].present);
    print_optional(f, 8, 1, x->fmax_reg, x->timed && x->fmax_reg > 0);
    print_optional(f, 8, 1, x->fmax, x->timed);
    print_optional(f, 6, 1, fo4_of(report->liberty, x), fo4_of(report->liberty, x) > 0);
    print_optional(f, 10, 4, x->area_delay * 1e-6, x->timed);
    if (report->kernel) {
        if (row->kernel.present)
            fprintf(f, " %11llu %7.3f", (unsigned long long)row->kernel.cycles, row->kernel.ipc);
        else fprintf(f, " %11s %7s", "-", "-");
        print_optional(f, 11, 1, row->kernel.energy_nj,
                       row->kernel.present && row->kernel.energy_nj >= 0);
    }
    fprintf(f, "\n");
    if (worst && !report->rows[0].point)
        fprintf(f, "  worst: %s, %.3f ns, %d cells, %s -> %s\n", synth_group_names[x->worst],
                worst->delay, worst->cells, worst->from, worst->to);
    if (x->fast && !report->rows[0].point)
        fprintf(f, "  large: mapped without choices of structures\n");
    if (x->bottom_up && !report->rows[0].point)
        fprintf(f, "  bottom-up: each module mapped on its own\n");
    power_lines(f, report, row);
    if (row->gates) fprintf(f, "  gate-level run: %s\n", row->gates);
}

void synth_table(FILE *f, const SynthReport *r) {
    const char *wires = r->liberty->wire_load;
    fprintf(f, "library %s%s, clock %.3f ns, %s; %s%s, inputs at the edge\n", r->liberty->name,
            r->liberty->nm ? "" : " (node not known)", r->clock, r->tools,
            wires ? "wires by " : "no wires", wires ? wires : "");
    fprintf(f,
            "areas in um2; gates: area of cells / %s; slacks in ns, Fmax in MHz; area x delay in "
            "mm2 x ns\n",
            r->liberty->nand2);
    if (r->liberty->fo4 > 0)
        fprintf(f, "FO4: worst path / %.4f ns, the delay of %s that drives four others\n",
                r->liberty->fo4, r->liberty->inverter);
    if (r->rows[0].point) fprintf(f, "%-16s ", "point");
    fprintf(f, "%-18s %8s %7s %9s %10s %11s %11s %11s %6s %8s %8s %8s %8s %8s %8s %6s %10s",
            "block", "cells", "flops", "SRAM bits", "gates", "area", "hier. kept", "macros",
            "depth", "reg2reg", "in2reg", "reg2out", "in2out", "Fmax r2r", "Fmax", "FO4",
            "area*delay");
    if (r->kernel) fprintf(f, " %11s %7s %11s", "cycles", "IPC", "RF energy nJ");
    fprintf(f, "\n");
    for (int i = 0; i < r->nrows; i++) table_row(f, r, &r->rows[i]);
    for (int i = 0; i < r->nnotes; i++) fprintf(f, "note: %s\n", r->notes[i]);
}

void synth_macro_table(FILE *f, const SynthReport *r) {
    bool any = false;
    for (int i = 0; i < r->nrows; i++) {
        const SynthResult *x = &r->rows[i].result;
        for (int k = 0; k < x->nmacros && r->rows[i].status == EXIT_PASS; k++) {
            const SynthMacro *m = &x->macros[k];
            // Modules with the same shape of memory: counted together.
            int count = m->count;
            bool before = false;
            for (int j = 0; j < x->nmacros; j++) {
                const SynthMacro *o = &x->macros[j];
                if (j == k || strcmp(o->rtl, m->rtl) || o->width != m->width ||
                    o->words != m->words)
                    continue;
                before |= j < k;
                count += o->count;
            }
            if (before) continue;
            if (!any)
                fprintf(f,
                        "\nmemory macros (estimates, smcosim synth --constants)\n%-18s %-34s %6s x "
                        "%-6s %6s %5s %12s %9s %9s\n",
                        "block", "memory", "words", "bits", "ports", "count", "um2 each",
                        "access ns", "pJ/access");
            any = true;
            char ports[24];
            snprintf(ports, sizeof ports, "%dr%dw", m->reads, m->writes);
            fprintf(f, "%-18s %-34s %6d x %-6d %6s %5d %12.0f %9.3f %9.2f%s\n", x->desc->name,
                    m->rtl, m->words, m->width, ports, count, m->area, m->access_ns, m->energy_pj,
                    m->clocked ? "" : "  read within the cycle");
        }
    }
}

static json_t *row_json(const SynthReport *r, const SynthRow *row) {
    json_t *o = row->status == EXIT_PASS ? synth_result_json(&row->result)
                                         : json_pack("{s:s}", "block", row->result.desc->name);
    json_object_set_new(o, "verdict", json_string(row_word(row)));
    if (row->status != EXIT_PASS) json_object_set_new(o, "message", json_string(row->message));
    if (row->point) json_object_set_new(o, "point", json_string(row->point));
    if (row->gates) json_object_set_new(o, "gate_level", json_string(row->gates));
    const SynthPower *p = &row->power;
    if (p->bits) {
        json_t *q = json_pack("{s:f, s:f, s:f, s:f, s:I, s:I, s:i, s:i}", "registers_mw",
                              p->registers, "gates_mw", p->gates, "leakage_mw", p->leakage,
                              "pj_per_cycle", pj_per_cycle(r, p), "cycles", (json_int_t)p->cycles,
                              "work", (json_int_t)p->work, "bits_known", p->known, "bits", p->bits);
        if (p->work) json_object_set_new(q, "pj_per_work", json_real(pj_per_work(r, p)));
        json_object_set_new(o, "power", q);
    }
    const double fo4 = row->status == EXIT_PASS ? fo4_of(r->liberty, &row->result) : 0;
    if (fo4 > 0) json_object_set_new(o, "worst_fo4", json_real(fo4));
    if (r->kernel && row->kernel.present) {
        json_t *k = json_pack("{s:I, s:f}", "cycles", (json_int_t)row->kernel.cycles, "ipc",
                              row->kernel.ipc);
        if (row->kernel.energy_nj >= 0)
            json_object_set_new(k, "rf_energy_nj", json_real(row->kernel.energy_nj));
        json_object_set_new(o, "kernel", k);
    }
    return o;
}

// Cells that nothing is mapped to, and why.
static json_t *left_out_json(const Liberty *l) {
    Arena arena = {0};
    json_t *list = json_array();
    for (int i = 0; i < l->nleft_out; i++) {
        const LibertyNote *n = &l->left_out[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:i, s:i, s:s}", "cell", n->cell, "file",
                                        plain_text(&arena, n->path), "line", n->line, "column",
                                        n->col, "why", n->why));
    }
    arena_free(&arena);
    return list;
}

bool synth_json(const char *path, const SynthReport *r, Diag *d) {
    json_t *rows = json_array(), *notes = json_array();
    for (int i = 0; i < r->nrows; i++) json_array_append_new(rows, row_json(r, &r->rows[i]));
    for (int i = 0; i < r->nnotes; i++) json_array_append_new(notes, json_string(r->notes[i]));
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:{s:s, s:s, s:i, s:f}, s:f, s:o, s:o}", "version", r->version,
                  "command", r->command, "tools", r->tools, "library", "name", r->liberty->name,
                  "nand2", r->liberty->nand2, "nm", r->liberty->nm, "nand2_area",
                  r->liberty->nand2_area, "clock_ns", r->clock, "results", rows, "notes", notes);
    if (r->kernel) json_object_set_new(o, "kernel", json_string(r->kernel));
    if (r->power) json_object_set_new(o, "power", json_string(r->power));
    if (r->liberty->wire_load)
        json_object_set_new(json_object_get(o, "library"), "wire_load",
                            json_string(r->liberty->wire_load));
    if (r->liberty->fo4 > 0)
        json_object_update_new(
            json_object_get(o, "library"),
            json_pack("{s:f, s:s}", "fo4_ns", r->liberty->fo4, "inverter", r->liberty->inverter));
    if (r->liberty->nleft_out)
        json_object_set_new(json_object_get(o, "library"), "cells_left_out",
                            left_out_json(r->liberty));
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(10);
    const bool good = json_write(path, o, flags, d);
    json_decref(o);
    return good;
}

bool synth_csv(const char *path, const SynthReport *r, Diag *d) {
    Arena arena = {0};
    Output out;
    FILE *f = output_open(&out, &arena, path, d);
    if (!f) return arena_free(&arena), false;
    fprintf(f,
            "point,block,cells,flip_flops,sram_bits,gate_equivalents,area,area_hierarchy_kept,area_"
            "macros,area_total,depth,"
            "slack_reg2reg,slack_in2reg,slack_reg2out,slack_in2out,fmax_reg2reg_mhz,fmax_mhz,area_"
            "delay,worst_group,worst_from,"
            "worst_to,worst_fo4,cycles,ipc,rf_energy_nj,verdict\n");
    for (int i = 0; i < r->nrows; i++) {
        const SynthRow *row = &r->rows[i];
        const SynthResult *x = &row->result;
        fprintf(f, "%s,%s", row->point ? row->point : "", x->desc->name);
        if (row->status != EXIT_PASS) {
            fprintf(f, ",,,,,,,,,,,,,,,,,,,,,,,,%s\n", row_word(row));
            continue;
        }
        fprintf(f, ",%ld,%ld,%ld,%.1f,%.1f,", x->cells, x->flops, x->macro_bits, x->gates, x->area);
        if (x->area_hier >= 0) fprintf(f, "%.1f", x->area_hier);
        fprintf(f, ",%.1f,%.1f,%d", x->area_macros, x->area_total, x->depth);
        for (int g = 0; g < SYNTH_MAX_GROUPS; g++)
            if (x->groups[g].present) fprintf(f, ",%.4f", x->groups[g].slack);
            else fprintf(f, ",");
        if (x->fmax_reg > 0) fprintf(f, ",%.2f", x->fmax_reg);
        else fprintf(f, ",");
        if (x->timed)
            fprintf(f, ",%.2f,%.1f,%s,%s,%s", x->fmax, x->area_delay, synth_group_names[x->worst],
                    x->groups[x->worst].from, x->groups[x->worst].to);
        else fprintf(f, ",,,,,");
        if (fo4_of(r->liberty, x) > 0) fprintf(f, ",%.2f", fo4_of(r->liberty, x));
        else fprintf(f, ",");
        if (row->kernel.present)
            fprintf(f, ",%llu,%.4f,", (unsigned long long)row->kernel.cycles, row->kernel.ipc);
        else fprintf(f, ",,,");
        if (row->kernel.present && row->kernel.energy_nj >= 0)
            fprintf(f, "%.2f", row->kernel.energy_nj);
        fprintf(f, ",%s\n", row_word(row));
    }
    const bool good = output_close(&out, f, true, d);
    arena_free(&arena);
    return good;
}
