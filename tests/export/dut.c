// SPDX-License-Identifier: Apache-2.0
// A Verilated block of machine tiny for Python: ports by name and element, words of a 1024-bit
// element lowest first.
#include "cosim/ports.h"
#include "cosim/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Dut {
    Arena arena;
    const ShimApi *shim;
    void *rtl;
    Port ports[BLOCK_MAX_PORTS];
    int n;
    char *in, *out;
} Dut;

// NULL after a message; testbug 0: none.
void *dut_open(const char *data_dir, const char *block, int testbug) {
    Dut *dut = calloc(1, sizeof *dut);
    Diag d = {0};
    MachineConfig cfg;
    int params[BLOCK_MAX_PARAMS];
    const BlockDesc *desc = block_desc_find(block);
    if (!dut || !desc || !config_load(&cfg, &dut->arena, data_dir, "tiny", &d) ||
        !block_params_from_config(desc, &cfg, params, &d))
        return fprintf(stderr, "%s: %s\n", block, d.text), NULL;
    const VariantRequest r = {
        .desc = desc, .params = params, .testbug = true, .data_dir = data_dir};
    const RuntimeApi *runtime = runtime_open(&dut->arena, data_dir, NULL, &d);
    dut->shim = runtime ? variant_open(&dut->arena, &r, NULL, &d) : NULL;
    if (!dut->shim) return fprintf(stderr, "%s: %s\n", block, d.text), NULL;
    char plusarg[32];
    snprintf(plusarg, sizeof plusarg, "+testbug=%d", testbug);
    dut->rtl = dut->shim->open(runtime->context_open(1, (const char *[]){plusarg}), "dut");
    dut->n = block_ports(desc, params, dut->ports);
    dut->in = calloc(1, desc->in_size);
    dut->out = calloc(1, desc->out_size);
    return dut;
}

static uint32_t *element(Dut *dut, const char *name, PortDir dir, int e, int *words) {
    for (int i = 0; i < dut->n; i++) {
        const Port *p = &dut->ports[i];
        if (p->dir != dir || strcmp(p->name, name)) continue;
        *words = p->words;
        return (uint32_t *)port_element(p, dir == PORT_IN ? dut->in : dut->out, e);
    }
    panic("no port %s", name);
}

void dut_set(void *self, const char *name, int e, const uint32_t *value) {
    int words;
    uint32_t *to = element(self, name, PORT_IN, e, &words);
    memcpy(to, value, (size_t)words * sizeof *to);
}

void dut_get(void *self, const char *name, int e, uint32_t *value) {
    int words;
    const uint32_t *from = element(self, name, PORT_OUT, e, &words);
    memcpy(value, from, (size_t)words * sizeof *from);
}

void dut_reset(void *self) { ((Dut *)self)->shim->reset(((Dut *)self)->rtl); }
void dut_tick(void *self) { ((Dut *)self)->shim->tick(((Dut *)self)->rtl, ((Dut *)self)->in); }

void dut_eval(void *self) {
    Dut *dut = self;
    dut->shim->eval(dut->rtl, dut->in);
    dut->shim->read(dut->rtl, dut->out);
}
