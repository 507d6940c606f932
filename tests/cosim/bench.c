// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <string.h>

uint32_t bench_random(Bench *b) {
    b->random ^= b->random << 13;
    b->random ^= b->random >> 7;
    b->random ^= b->random << 17;
    return (uint32_t)(b->random >> 16);
}
uint32_t bench_below(Bench *b, int n) { return bench_random(b) % (uint32_t)n; }
bool bench_percent(Bench *b, int percent) { return (int)bench_below(b, 100) < percent; }

bool bench_open(Bench *b, const char *data_dir, const char *machine, const CosimOptions *options,
                uint64_t seed, Diag *d) {
    if (options) b->options = *options;
    static const char *const use[] = {"banked_rf", "operand_collector", NULL};
    b->options.use = use;
    b->options.data_dir = data_dir;
    b->random = seed * 0x9e3779b97f4a7c15u + 1;
    if (!b->busy) b->busy = 70;
    if (!b->cfg.machine && !config_load(&b->cfg, &b->arena, data_dir, machine, d)) return false;
    b->cosim = cosim_open(&b->arena, &b->options, &b->cfg, d);
    if (!b->cosim) return false;
    b->rf = cosim_block(b->cosim, "banked_rf");
    b->oc = cosim_block(b->cosim, "operand_collector");
    cosim_signal(b->cosim, "sm.test", "digest", 32, &b->signal);
    cosim_text(b->cosim, "sm.test", "parity", &b->parity);
    return true;
}

void bench_close(Bench *b) {
    cosim_close(b->cosim);
    arena_free(&b->arena);
}

static void mix(Bench *b, const uint32_t *words, int n) {
    for (int i = 0; i < n; i++) b->digest = (b->digest ^ words[i]) * 0x100000001b3u;
}

// Few entries, so that written values are read again soon; banks uneven, so that they conflict.
static uint32_t random_bank(Bench *b) {
    return bench_percent(b, 30) ? 0 : bench_below(b, b->cfg.rf_banks);
}
static uint32_t random_entry(Bench *b) {
    int span = bench_percent(b, 95) && b->cfg.rf_entries > 12 ? 12 : b->cfg.rf_entries;
    return bench_percent(b, 3) ? (uint32_t)b->cfg.rf_entries - 1 : bench_below(b, span);
}

static void random_writes(Bench *b, BankedRfIn *in) {
    in->wr_valid[0] = 0;
    for (int w = 0; w < b->cfg.rf_write_ports; w++) {
        in->wr_valid[0] |= (uint32_t)bench_percent(b, b->busy) << w;
        in->wr_bank[w] = random_bank(b);
        in->wr_entry[w] = random_entry(b);
        in->wr_slice[w] = bench_percent(b, 70) ? 15 : bench_below(b, 16);
        in->wr_lane[w] = bench_percent(b, 60) ? UINT32_MAX : bench_random(b);
        uint32_t base = bench_random(b);
        for (int i = 0; i < 32; i++) in->wr_data[w][i] = base += 0x9e3779b9u;
    }
}

static void random_older(Bench *b, BankedRfIn *in) {
    uint32_t age[32];
    for (int c = 0; c < b->cfg.oc_collectors; c++) age[c] = bench_random(b) << 5 | (uint32_t)c;
    for (int c = 0; c < b->cfg.oc_collectors; c++) {
        in->older[c] = 0;
        for (int o = 0; o < b->cfg.oc_collectors; o++)
            in->older[c] |= (uint32_t)(age[o] < age[c]) << o;
    }
}

static void rf_alone(Bench *b) {
    BankedRfIn *in = b->rf->in;
    const BankedRfOut *out = b->rf->out;
    in->rd_valid[0] = 0;
    for (int c = 0; c < b->cfg.oc_collectors; c++) {
        in->rd_valid[0] |= (uint32_t)bench_percent(b, b->busy / 2) << c;
        in->rd_bank[c] = random_bank(b);
        in->rd_entry[c] = random_entry(b);
        in->rd_entry2[c] = random_entry(b);
        in->rd_sel[c] = bench_percent(b, 60) ? 0 : bench_below(b, 16);
    }
    random_older(b, in);
    random_writes(b, in);
    block_eval(b->rf);
    mix(b, out->rd_grant, 1);
    for (int k = 0; k < b->cfg.rf_banks; k++)
        if (out->rd_data_valid[0] >> k & 1) mix(b, out->rd_data[k], 32);
    block_tick(b->rf);
}

static void random_allocations(Bench *b, OperandCollectorIn *in) {
    const int ops = OC_MAX_OPS;
    in->alloc_valid[0] = 0;
    for (int a = 0; a < b->cfg.oc_alloc_ports; a++) {
        in->alloc_valid[0] |= (uint32_t)bench_percent(b, b->busy) << a;
        in->alloc_unit[a] = bench_percent(b, 40) ? 0 : bench_below(b, b->cfg.oc_dispatch_ports);
        in->alloc_need[a] = bench_percent(b, 10) ? 0 : bench_below(b, 1 << ops);
        for (int o = 0; o < ops; o++) {
            in->alloc_bank[a * ops + o] = random_bank(b);
            in->alloc_entry[a * ops + o] = random_entry(b);
        }
    }
    in->disp_ready[0] = bench_random(b) & bench_random(b) & ((1u << b->cfg.oc_dispatch_ports) - 1);
    if (bench_percent(b, 30)) in->disp_ready[0] = (1u << b->cfg.oc_dispatch_ports) - 1;
}

static void mix_dispatch(Bench *b) {
    const OperandCollectorIn *in = b->oc->in;
    const OperandCollectorOut *out = b->oc->out;
    uint32_t going = out->disp_valid[0] & in->disp_ready[0];
    mix(b, &going, 1);
    b->dispatched += (uint64_t)__builtin_popcount(going);
    for (int e = 0; e < b->cfg.oc_dispatch_ports * OC_MAX_OPS; e++)
        if (out->disp_need[0] >> e & 1 && going >> e / OC_MAX_OPS & 1)
            mix(b, out->disp_data[e], 32);
}

// A register file with random contents that grants at most one read per bank.
static void oc_alone(Bench *b) {
    OperandCollectorIn *in = b->oc->in;
    const OperandCollectorOut *out = b->oc->out;
    block_eval(b->oc);
    in->rd_data_valid[0] = b->granted;
    for (int k = 0; k < b->cfg.rf_banks; k++) {
        in->rd_data_coll[k] = b->granted_bank[k];
        uint32_t base = bench_random(b);
        for (int i = 0; i < 32; i++) in->rd_data[k][i] = base += 0x7f4a7c15u;
    }
    b->granted = 0;
    in->rd_grant[0] = 0;
    int first = (int)bench_below(b, b->cfg.oc_collectors);
    for (int i = 0; i < b->cfg.oc_collectors; i++) {
        int c = (first + i) % b->cfg.oc_collectors;
        if (!(out->rd_valid[0] >> c & 1) || b->granted >> out->rd_bank[c] & 1 ||
            !bench_percent(b, 60))
            continue;
        in->rd_grant[0] |= 1u << c;
        b->granted |= 1u << out->rd_bank[c];
        b->granted_bank[out->rd_bank[c]] = (uint32_t)c;
    }
    random_allocations(b, in);
    mix_dispatch(b);
    block_tick(b->oc);
}

// As the SM does it: the collectors' requests depend on state alone, so they are evaluated first.
static void connected(Bench *b) {
    BankedRfIn *rf = b->rf->in;
    const BankedRfOut *from_rf = b->rf->out;
    OperandCollectorIn *oc = b->oc->in;
    const OperandCollectorOut *from_oc = b->oc->out;
    block_eval(b->oc);
    rf->rd_valid[0] = from_oc->rd_valid[0];
    memcpy(rf->rd_bank, from_oc->rd_bank, sizeof rf->rd_bank);
    memcpy(rf->rd_entry, from_oc->rd_entry, sizeof rf->rd_entry);
    memcpy(rf->older, from_oc->older, sizeof rf->older);
    random_writes(b, rf);
    block_eval(b->rf);
    oc->rd_grant[0] = from_rf->rd_grant[0];
    oc->rd_data_valid[0] = from_rf->rd_data_valid[0];
    memcpy(oc->rd_data_coll, from_rf->rd_data_coll, sizeof oc->rd_data_coll);
    for (int k = 0; k < b->cfg.rf_banks; k++)
        if (from_rf->rd_data_valid[0] >> k & 1) memcpy(oc->rd_data[k], from_rf->rd_data[k], 128);
    random_allocations(b, oc);
    mix_dispatch(b);
    block_tick(b->reversed ? b->rf : b->oc);
    block_tick(b->reversed ? b->oc : b->rf);
}

void bench_cycles(Bench *b, uint64_t n) {
    for (uint64_t i = 0; i < n && !cosim_should_stop(b->cosim); i++) {
        b->parity = b->cycle % 2 ? "odd" : "even";
        if (b->kind == BENCH_RF) rf_alone(b);
        else if (b->kind == BENCH_OC) oc_alone(b);
        else connected(b);
        b->signal = (uint32_t)b->digest;
        cosim_cycle(b->cosim, b->cycle++);
        if (b->cycle % 5000 == 0) {
            cosim_reset(b->cosim);
            b->granted = 0;
        }
    }
}
