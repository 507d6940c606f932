// SPDX-License-Identifier: Apache-2.0
// The harness: opens the blocks in their modes, steps cycles, ends the run.
#include "cosim/cosim_internal.h"

#include "cosim/blocks.h"
#include "cosim/follow.h"
#include "cosim/rtl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *const mode_words[] = {"model", "rtl", "lockstep"};

static Instance *find_instance(const Cosim *c, const char *name, size_t length) {
    for (int i = 0; i < c->nblocks; i++)
        if (strlen(c->blocks[i]->desc->name) == length &&
            !strncmp(c->blocks[i]->desc->name, name, length))
            return c->blocks[i];
    return NULL;
}

static bool unknown_block(Cosim *c, const char *option, const char *name, size_t length, Diag *d) {
    const char *names[COSIM_MAX_BLOCKS];
    for (int i = 0; i < c->nblocks; i++) names[i] = c->blocks[i]->desc->name;
    char *text = arena_strndup(c->arena, name, length);
    const char *near = name_suggest(text, names, c->nblocks);
    if (block_desc_find(text))
        return diag_fail(d, EXIT_USAGE, "%s: block '%s' is not used by this architecture", option,
                         text);
    return diag_fail(d, EXIT_USAGE, "%s: no block '%s'%s%s%s", option, text,
                     near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : " (smcosim list blocks)");
}

static bool parse_mode(Cosim *c, const char *word, size_t length, BlockMode *mode, Diag *d) {
    for (int i = 0; i < 3; i++) {
        if (strlen(mode_words[i]) != length || strncmp(mode_words[i], word, length)) continue;
        *mode = (BlockMode)i;
        return true;
    }
    char *text = arena_strndup(c->arena, word, length);
    return diag_fail(d, EXIT_USAGE, "--blocks: unknown mode '%s'; expected model, rtl or lockstep",
                     text);
}

// "lockstep", "rtl,banked_rf=model", ...: a word alone sets all blocks, a later item wins.
static bool parse_blocks(Cosim *c, const char *text, Diag *d) {
    for (const char *item = text ? text : "lockstep";;) {
        size_t length = strcspn(item, ",");
        const char *equals = memchr(item, '=', length);
        const char *word = equals ? equals + 1 : item;
        BlockMode mode = BLOCK_LOCKSTEP;
        if (!parse_mode(c, word, (size_t)(item + length - word), &mode, d)) return false;
        if (equals) {
            Instance *x = find_instance(c, item, (size_t)(equals - item));
            if (!x) return unknown_block(c, "--blocks", item, (size_t)(equals - item), d);
            x->mode = mode;
        } else {
            for (int i = 0; i < c->nblocks; i++) c->blocks[i]->mode = mode;
        }
        if (!item[length]) return true;
        item += length + 1;
    }
}

static bool parse_testbug(Cosim *c, const char *text, Diag *d) {
    if (!text) return true;
    const char *equals = strchr(text, '=');
    char *end = NULL;
    long number = equals ? strtol(equals + 1, &end, 10) : 0;
    if (!equals || end == equals + 1 || *end || number < 1 || number > 9999)
        return diag_fail(d, EXIT_USAGE, "--testbug %s: expected BLOCK=NUMBER with a number from 1",
                         text);
    Instance *x = find_instance(c, text, (size_t)(equals - text));
    if (!x) return unknown_block(c, "--testbug", text, (size_t)(equals - text), d);
    if (x->mode == BLOCK_MODEL)
        return diag_fail(d, EXIT_USAGE,
                         "--testbug %s: the fault is in the RTL, but %s runs as model", text,
                         x->desc->name);
    x->testbug = (int)number;
    return true;
}

// "banked_rf=my_rf.sv,sub.sv"; each block once.
static bool parse_rtl(Cosim *c, const char *text, Diag *d) {
    const char *equals = strchr(text, '=');
    if (!equals || !equals[1])
        return diag_fail(d, EXIT_USAGE, "--rtl %s: expected BLOCK=FILE.sv[,FILE.sv...]", text);
    Instance *x = find_instance(c, text, (size_t)(equals - text));
    if (!x) return unknown_block(c, "--rtl", text, (size_t)(equals - text), d);
    if (x->mode == BLOCK_MODEL)
        return diag_fail(d, EXIT_USAGE, "--rtl %s: %s runs as model, its RTL is not used", text,
                         x->desc->name);
    if (x->rtl_files)
        return diag_fail(d, EXIT_USAGE, "--rtl: given twice for block %s", x->desc->name);
    x->rtl_files = equals + 1;
    return true;
}

static bool known_testbug(Cosim *c, const Instance *x, Diag *d) {
    return !x->testbug || !c->options.data_dir ||
        rtl_has_testbug(c->arena, c->options.data_dir, x->desc->name, x->rtl_files, x->testbug, d);
}

static Instance *find_or_fail(Cosim *c, const char *name, size_t length, const char *option,
                              Diag *d) {
    Instance *x = find_instance(c, name, length);
    if (!x) unknown_block(c, option, name, length, d);
    return x;
}

static bool shape_instance(const Cosim *c, Instance *x, Diag *d) {
    if (c->options.params) {
        memcpy(x->params, c->options.params, sizeof *x->params * (size_t)x->desc->nparams);
        return true;
    }
    if (!block_params_from_config(x->desc, c->cfg, x->params, d)) return false;
    for (int i = 0; c->options.shape && i < x->desc->nparams; i++) {
        const BlockParam *p = &x->desc->params[i];
        const int value = x->params[i];
        x->params[i] = c->options.shape(c->cfg, x->desc->name, p->name, value);
        if (x->params[i] < p->least || x->params[i] > p->most)
            return diag_fail(
                d, EXIT_USAGE,
                "%s = %d: the architecture derives %d from it, but block %s accepts %d to %d (%s)",
                p->key, value, x->params[i], x->desc->name, p->least, p->most, p->meaning);
    }
    return true;
}

// Allocates inputs or outputs. Rows of 1024 bits begin at a cache line, so that each row occupies
// two lines.
static void *open_struct(Cosim *c, const Instance *x, PortDir dir, size_t bytes) {
    enum { LINE = 64 };
    int row = 0;
    while (row < x->nports && (x->ports[row].dir != dir || x->ports[row].words == 1)) row++;
    const size_t before = row < x->nports ? x->ports[row].offset % LINE : 0;
    return (char *)arena_alloc(c->arena, bytes + LINE) + (LINE - before) % LINE;
}

// In rtl mode counters are read from the module through its observation ports.
static bool check_counted(const Instance *x, Diag *d) {
    const Port *last = &x->ports[x->nports - 1];
    if (x->mode != BLOCK_RTL || !last->observed || x->shim->observe) return true;
    return diag_fail(d, EXIT_USAGE,
                     "--rtl %s: the module has no observation ports (%s_o, ..), which supply "
                     "counters in rtl mode; use lockstep, in which the golden model supplies them",
                     x->desc->name, last->name);
}

static bool open_instance(Cosim *c, Instance *x, Diag *d) {
    if (!shape_instance(c, x, d)) return false;
    x->recorded = c->options.recorded && !strcmp(c->options.recorded, x->desc->name);
    x->nports = block_ports(x->desc, x->params, x->ports);
    x->block.in = open_struct(c, x, PORT_IN, x->desc->in_size);
    x->block.out = open_struct(c, x, PORT_OUT, x->desc->out_size);
    if (x->mode != BLOCK_RTL) x->golden = x->desc->model->open(x->params);
    if (x->mode != BLOCK_MODEL && (!variant_load(c, x, d) || !check_counted(x, d))) return false;
    compare_init(x);
    if (x->mode == BLOCK_LOCKSTEP) {
        x->rtl_out = arena_alloc(c->arena, x->desc->out_size);
        history_init(x, c->arena, c->options.history > 0 ? c->options.history : 32);
    }
    static const BlockOps *const ops[] = {&cosim_model_ops, &cosim_rtl_ops, &cosim_lockstep_ops};
    x->block.ops = ops[x->mode];
    x->block.ops->reset(&x->block);
    return true;
}

static bool parse_options(Cosim *c, Diag *d) {
    if (!parse_blocks(c, c->options.blocks, d) || !parse_testbug(c, c->options.testbug, d))
        return false;
    for (const char *const *p = c->options.rtl; p && *p; p++)
        if (!parse_rtl(c, *p, d)) return false;
    for (int i = 0; i < c->nblocks; i++)
        if (!known_testbug(c, c->blocks[i], d)) return false;
    return fault_parse(c, c->options.fault, find_or_fail, d);
}

// RTL cannot follow with waves, faults and records, because these belong to a cycle of the SM. In
// mode rtl the SM waits for the RTL, so that no work remains for another thread.
static bool can_follow(const Cosim *c) {
    bool compared = false;
    if (c->options.threads < 2 || c->options.wave || c->options.fault || c->options.recorded ||
        c->options.snapshots)
        return false;
    for (int i = 0; i < c->nblocks; i++) {
        if (c->blocks[i]->mode == BLOCK_RTL) return false;
        compared |= c->blocks[i]->mode == BLOCK_LOCKSTEP;
    }
    return compared;
}

bool cosim_follows(const Cosim *c) { return c->follow != NULL; }

uint64_t cosim_helped(const Cosim *c, const char *block) {
    Instance *x = find_instance(c, block, strlen(block));
    panic_if(!x, "block %s is not open", block);
    return follow_helped(c, x);
}

static bool open_all(Cosim *c, Diag *d) {
    if (!parse_options(c, d)) return false;
    bool verilated = c->options.wave != NULL;
    for (int i = 0; i < c->nblocks; i++) verilated |= c->blocks[i]->mode != BLOCK_MODEL;
    if (verilated && !runtime_load(c, d)) return false;
    for (int i = 0; i < c->nblocks; i++)
        if (!open_instance(c, c->blocks[i], d)) return false;
    // Without a comparison no snapshot is required.
    bool compared = false;
    for (int i = 0; i < c->nblocks; i++) compared |= c->blocks[i]->mode == BLOCK_LOCKSTEP;
    if (compared && c->options.snapshot_interval) c->next_snapshot = c->options.snapshot_interval;
    if (!fault_open(c, d) || !wave_init(c, d)) return false;
    if (!can_follow(c)) return true;
    const char *kept = c->options.kept;
    return (!kept ||
            find_or_fail(c, kept, strlen(kept), "the block that the SM's thread keeps", d)) &&
        follow_open(c, c->options.threads - 1, d);
}

static bool is_used(const char *const *names, const char *name) {
    if (!names) return true;
    while (*names && strcmp(*names, name)) names++;
    return *names != NULL;
}

static Cosim *choose_blocks(Arena *arena, const CosimOptions *o, const MachineConfig *cfg) {
    Cosim *c = ARENA_NEW(arena, Cosim);
    c->arena = arena;
    c->options = *o;
    if (c->options.run_on < 0) c->options.run_on = 0;
    c->cfg = cfg;
    c->replay_fd = -1;
    c->next_snapshot = UINT64_MAX;
    times_init(c);
    for (int i = 0; i < block_desc_count(); i++) {
        if (!is_used(o->use, block_desc(i)->name)) continue;
        Instance *x = ARENA_NEW(arena, Instance);
        x->desc = block_desc(i);
        x->c = c;
        x->number = c->nblocks;
        x->mode = BLOCK_LOCKSTEP;
        x->block.name = x->desc->name;
        x->block.impl = x;
        c->blocks[c->nblocks++] = x;
    }
    return c;
}

bool cosim_check(Arena *arena, const CosimOptions *o, const MachineConfig *cfg, bool *runs_rtl,
                 Diag *d) {
    Cosim *c = choose_blocks(arena, o, cfg);
    if (!parse_options(c, d)) return false;
    *runs_rtl = cosim_runs_rtl(c);
    return true;
}

// Does the RTL take more time than moving its inputs and outputs to another core? The size of
// Verilator's code decides: the baseline's blocks (0.5 MiB) do not, rf_datapath (1.4 MiB) does
// (bench/threads.md).
static bool is_costly(Cosim *c) {
    enum { LEAST = 1 << 20 };  // bytes of shared objects
    size_t bytes = 0;
    for (int i = 0; i < c->nblocks; i++) {
        Instance *x = c->blocks[i];
        if (x->mode != BLOCK_LOCKSTEP) continue;
        if (!shape_instance(c, x, &(Diag){0})) return false;
        bytes += variant_bytes(c, x);
    }
    return bytes >= LEAST;
}

bool cosim_would_follow(Arena *arena, const CosimOptions *o, const MachineConfig *cfg) {
    Cosim *c = choose_blocks(arena, o, cfg);
    return parse_options(c, &(Diag){0}) && can_follow(c) && (!o->if_costly || is_costly(c));
}

Cosim *cosim_open(Arena *arena, const CosimOptions *o, const MachineConfig *cfg, Diag *d) {
    Cosim *c = choose_blocks(arena, o, cfg);
    if (open_all(c, d)) return c;
    cosim_close(c);
    return NULL;
}

Block *cosim_block(Cosim *c, const char *name) {
    Instance *x = find_instance(c, name, strlen(name));
    panic_if(!x, "block %s is not open", name);
    return &x->block;
}

void cosim_expect_work(Cosim *c, const char *name, bool expected) {
    Instance *x = find_instance(c, name, strlen(name));
    panic_if(!x, "block %s is not open", name);
    x->workless = !expected;
}

void *cosim_golden(Cosim *c, const char *name) {
    Instance *x = find_instance(c, name, strlen(name));
    panic_if(!x, "block %s is not open", name);
    return x->golden;
}

int cosim_open_blocks(const Cosim *c, const char *names[]) {
    for (int i = 0; i < c->nblocks; i++) names[i] = c->blocks[i]->desc->name;
    return c->nblocks;
}

BlockMode cosim_mode(const Cosim *c, const char *block) {
    Instance *x = find_instance(c, block, strlen(block));
    panic_if(!x, "block %s is not open", block);
    return x->mode;
}

const char *cosim_rtl(const Cosim *c, const char *block) {
    Instance *x = find_instance(c, block, strlen(block));
    panic_if(!x, "block %s is not open", block);
    return x->rtl_files;
}

int64_t cosim_states(const Cosim *c, const char *block) {
    Instance *x = find_instance(c, block, strlen(block));
    panic_if(!x, "block %s is not open", block);
    return x->shim && !x->shim->observe ? -1 : (int64_t)x->states;
}

uint64_t cosim_worked(const Cosim *c, const char *block) {
    Instance *x = find_instance(c, block, strlen(block));
    panic_if(!x, "block %s is not open", block);
    return x->worked;
}

int64_t cosim_unclocked(const Cosim *c) {
    int64_t most = -1;
    for (int i = 0; i < c->nblocks; i++) {
        const Instance *x = c->blocks[i];
        int64_t unclocked = (int64_t)(c->cycles - x->clocked);
        if (x->mode != BLOCK_MODEL && unclocked > most) most = unclocked;
    }
    return most;
}

uint64_t cosim_start_seed(const Cosim *c) { return c->options.start_seed; }

bool cosim_runs_rtl(const Cosim *c) {
    for (int i = 0; i < c->nblocks; i++)
        if (c->blocks[i]->mode != BLOCK_MODEL) return true;
    return false;
}

const char *cosim_notes(const Cosim *c) { return c->notes ? c->notes : ""; }

void cosim_set_decode(Cosim *c, CosimDecode *decode, void *ctx) {
    c->decode = decode;
    c->decode_ctx = ctx;
}

void cosim_reset(Cosim *c) {
    for (int i = 0; i < c->nblocks; i++) {
        Instance *x = c->blocks[i];
        x->block.ops->reset(&x->block);
    }
    if (c->follow) follow_drain(c);
    for (int i = 0; i < c->nblocks; i++)
        if (c->blocks[i]->mode != BLOCK_MODEL) variant_check_params(c->blocks[i]);
}

void cosim_reset_driven(Cosim *c) {
    if (c->wave && c->edge_pending) wave_edge(c);
    for (int i = 0; i < c->nblocks; i++) {
        Instance *x = c->blocks[i];
        if (x->golden) x->desc->model->reset(x->golden);
        if (!x->rtl) continue;
        if (c->follow) {
            follow_reset_driven(x);
            continue;
        }
        x->shim->eval(x->rtl, x->block.in);
        x->shim->reset(x->rtl);
    }
}

// The RTL's message names its place: "... in rtl <block>.<module>.<instance>..: <text>".
static bool names_instance(const Instance *x, const char *text) {
    const char *path = strstr(text, "in rtl ");
    const size_t n = strlen(x->desc->name);
    return path && !strncmp(path + strlen("in rtl "), x->desc->name, n) &&
        path[strlen("in rtl ") + n] == '.';
}

// $error, $fatal or $stop in the RTL: reported like a difference, against the RTL's own rule.
static void check_rules(Cosim *c) {
    c->errors_seen = *c->runtime->error_count;
    if (c->follow) follow_drain(c);
    const char *text = c->runtime->context_error(c->context);
    if (!text && c->follow) text = "";  // the message is in a follower
    if (!text || c->mismatched) return;
    Instance *x = NULL;  // for a message without a place: one instance whose RTL runs
    for (int i = 0; i < c->nblocks; i++)
        if (c->blocks[i]->rtl && (!x || names_instance(c->blocks[i], text))) x = c->blocks[i];
    if (!x) return;
    c->rule = arena_printf(c->arena, "%s", text);
    cosim_record(c, x,
                 &(Mismatch){.block = x->desc->name, .port = "rule", .element = -1, .words = 1});
}

static void compare_all_state(Cosim *c) {
    if (c->follow) {
        follow_drain(c);
        follow_look(c);
    }
    for (int i = 0; i < c->nblocks && !c->mismatched; i++) {
        Instance *x = c->blocks[i];
        Mismatch m;
        if (x->mode != BLOCK_LOCKSTEP || !x->shim->observe) continue;
        x->states++;
        if (!compare_state(x, &m)) cosim_record(c, x, &m);
    }
}

static void make_checkpoint(Cosim *c) {
    times_lap(c, TIME_TRACE);
    c->next_snapshot += c->options.snapshot_interval;
    compare_all_state(c);
    times_lap(c, TIME_COMPARE);
    if (!c->mismatched && c->options.snapshots) snapshot_take(c);
}

void cosim_cycle(Cosim *c, uint64_t cycle) {
    if (c->follow) follow_look(c);
    if (c->context && *c->runtime->error_count != c->errors_seen) check_rules(c);
    // The number of a cycle is certain only at its end, because the caller may have skipped cycles.
    if (c->mismatched && c->mismatch_cycles == c->cycles) c->mismatch.cycle = cycle;
    times_lap(c, TIME_SM);
    c->now = cycle;
    if (c->wave) wave_cycle(c);
    c->now = cycle + 1;
    c->cycles++;
    if (__builtin_expect(c->cycles == c->next_snapshot, 0)) make_checkpoint(c);
    times_cycle(c);
}

const Mismatch *cosim_mismatch(const Cosim *c) { return c->mismatched ? &c->mismatch : NULL; }

bool cosim_should_stop(const Cosim *c) {
    return c->mismatched && c->cycles - c->mismatch_cycles > (uint64_t)c->options.run_on;
}

// The ports that would have shown it: "disp_valid, wr_done".
static const char *work_ports(Cosim *c, const Instance *x) {
    const char *text = "";
    for (int i = 0; i < x->nports; i++)
        if (x->ports[i].cls == PORT_WORK)
            text = arena_printf(c->arena, "%s%s%s", text, *text ? ", " : "", x->ports[i].name);
    return text;
}

// A block whose RTL ran is vacuous when none of its outputs ever showed work.
static bool is_idle(const Instance *x) {
    return x->mode != BLOCK_MODEL && !x->worked && !x->workless;
}

bool cosim_idle(const Cosim *c, const char *block) {
    const Instance *x = find_instance(c, block, strlen(block));
    panic_if(!x, "block %s is not open", block);
    return is_idle(x);
}

// Names all vacuous blocks.
static bool not_vacuous(Cosim *c, Diag *d) {
    const char *text = "";
    for (int i = 0; i < c->nblocks && !c->options.allow_idle; i++) {
        const Instance *x = c->blocks[i];
        if (!is_idle(x)) continue;
        text = arena_printf(c->arena, "%s%s%s (%s, %s: 0 in all %llu cycles)", text,
                            *text ? ", " : "", x->desc->name, mode_words[x->mode], work_ports(c, x),
                            (unsigned long long)x->evals);
    }
    return !*text || diag_fail(d, EXIT_VACUOUS, "vacuous: the run gave no work to %s", text);
}

bool cosim_finish(Cosim *c, Diag *d) {
    if (c->finished) return c->mismatched ? diag_fail(d, EXIT_MISMATCH, "mismatch") : true;
    c->finished = true;
    compare_all_state(c);
    if (c->mismatched && c->wave) wave_end(c);
    if (c->replay_fd >= 0) snapshot_answer(c);
    Diag wave = {0};
    bool ok = wave_finish(c, &wave);
    if (c->mismatched) return mismatch_report(c, wave.text, d);  // weighs more than a missing wave
    return ok ? not_vacuous(c, d) : diag_fail(d, wave.status, "%s", wave.text);
}

// Safe on a half-opened harness and after an interrupted run.
void cosim_close(Cosim *c) {
    if (!c) return;
    if (c->replay_fd >= 0) snapshot_answer(c);  // a copy ends here at the latest
    snapshots_close(c);
    follow_close(c);
    wave_close(c);
    for (int i = 0; i < c->nblocks; i++) {
        Instance *x = c->blocks[i];
        if (x->golden) x->desc->model->close(x->golden);
        if (x->rtl) x->shim->close(x->rtl);
        x->golden = x->rtl = NULL;
    }
    if (c->context) c->runtime->context_close(c->context);
    c->context = NULL;
    // Libraries stay loaded, because they hold no state and another harness may use them.
}

int cosim_counts(const Cosim *c, Arena *arena, CosimPortCount **counts) {
    int n = 0, cap = 0;
    *counts = NULL;
    for (int i = 0; i < c->nblocks; i++) {
        const Instance *x = c->blocks[i];
        if (x->mode != BLOCK_LOCKSTEP) continue;
        for (int p = 0; p < x->nports; p++) {
            if (x->ports[p].dir != PORT_OUT) continue;
            uint64_t compared = x->when_of[p] >= 0 ? x->whens[x->when_of[p]].compared : x->evals;
            *ARENA_PUSH(arena, *counts, n, cap) =
                (CosimPortCount){x->desc->name, x->ports[p].name, compared};
        }
    }
    return n;
}

#define INFO_ROW(name, upper, camel, what) {#name, name##_FAMILY, what},
static const BlockInfo infos[] = {COSIM_BLOCKS(INFO_ROW)};

int cosim_block_list(const BlockInfo **list) {
    *list = infos;
    return (int)(sizeof infos / sizeof *infos);
}
