// SPDX-License-Identifier: Apache-2.0
#include "cosim/ports.h"

#include "cosim/blocks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// The tables' expressions use only some of the parameters and derived widths.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

#define PARAM_ROW(name, def, least, most, key, meaning) {#name, key, meaning, def, least, most},
#define PARAM_LOCAL(name, def, least, most, key, meaning) const int name = *params++;

#define PORT_ROW(dir, name, max, count, width, cls, valid, meaning, words) \
    ports[n++] = (Port){#name, #valid, meaning, PORT_DIR_##dir,          PORT_##cls, max, \
                        count, width,  words,   PORT_OFFSET_##dir(name), -1,         -1};
#define PORT_DIR_IN PORT_IN, false
#define PORT_DIR_OUT PORT_OUT, false
#define PORT_DIR_OBS PORT_OUT, true
#define PORT_OFFSET_IN(name) offsetof(In, name)
#define PORT_OFFSET_OUT(name) offsetof(Out, name)
#define PORT_OFFSET_OBS(name) offsetof(Out, name)
#define W_ROW(dir, name, max, count, width, cls, valid, meaning) \
    PORT_ROW(dir, name, max, count, width, cls, valid, meaning, 1)
#define V_ROW(dir, name, max, count, width, cls, valid, meaning) \
    PORT_ROW(dir, name, max, count, width, cls, valid, meaning, 32)

#define DEFINE_BLOCK(name, upper, camel, what) \
    static const BlockParam name##_params[] = {upper##_PARAMS(PARAM_ROW)}; \
    static int name##_ports(const int *params, Port *ports) { \
        typedef camel##In In; \
        typedef camel##Out Out; \
        upper##_PARAMS(PARAM_LOCAL) upper##_WIDTHS; \
        int n = 0; \
        upper##_PORTS(W_ROW, V_ROW) return n; \
    }
COSIM_BLOCKS(DEFINE_BLOCK)

#define DECLARE_STATE(name, upper, camel, what) BlockState name##_state;
COSIM_BLOCKS(DECLARE_STATE)

#define DESC_ROW(name, upper, camel, what) \
    {#name, \
     #upper, \
     #camel, \
     name##_FAMILY, \
     what, \
     &name##_model, \
     name##_params, \
     sizeof name##_params / sizeof *name##_params, \
     sizeof(camel##In), \
     sizeof(camel##Out), \
     name##_ports, \
     name##_state},
static const BlockDesc descs[] = {COSIM_BLOCKS(DESC_ROW)};
enum { NDESCS = sizeof descs / sizeof *descs };

int block_desc_count(void) { return NDESCS; }
const BlockDesc *block_desc(int i) { return &descs[i]; }

const BlockDesc *block_desc_find(const char *name) {
    for (int i = 0; i < NDESCS; i++)
        if (!strcmp(descs[i].name, name)) return &descs[i];
    return NULL;
}

static int find_port(const Port *ports, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(ports[i].name, name)) return i;
    return -1;
}

// The valid port that a port's name points to: "rd_bank" -> "rd_valid", the longest prefix wins
// ("rd_data_coll" -> "rd_data_valid"). Tables declare it for compared outputs only; for display it
// is useful on inputs too.
static int find_gate(const Port *ports, int n, int port) {
    char name[64];
    for (const char *end = ports[port].name + strlen(ports[port].name); end > ports[port].name;
         end--) {
        if (*end != '_' && *end != '\0') continue;
        snprintf(name, sizeof name, "%.*s_valid", (int)(end - ports[port].name), ports[port].name);
        int gate = find_port(ports, n, name);
        if (gate >= 0 && gate != port && ports[gate].count == 1 && ports[gate].words == 1 &&
            ports[port].count % ports[gate].width == 0)
            return gate;
    }
    return -1;
}

int block_ports(const BlockDesc *desc, const int *params, Port ports[BLOCK_MAX_PORTS]) {
    int n = desc->ports(params, ports);
    panic_if(n > BLOCK_MAX_PORTS, "%s: more than %d ports", desc->name, BLOCK_MAX_PORTS);
    for (int i = 0; i < n; i++) {
        Port *p = &ports[i];
        panic_if(p->count > p->max, "%s.%s: %d elements, struct has %d", desc->name, p->name,
                 p->count, p->max);
        panic_if(p->words == 1 ? p->width > 32 : p->width != 1024, "%s.%s: width %d", desc->name,
                 p->name, p->width);
        if (p->cls == PORT_WHEN) {
            p->valid = find_port(ports, n, p->valid_name);
            panic_if(p->valid < 0 || ports[p->valid].dir != PORT_OUT ||
                         ports[p->valid].count != 1 || ports[p->valid].width < p->count,
                     "%s.%s: '%s' is no output with a bit per element", desc->name, p->name,
                     p->valid_name);
        }
        panic_if(p->observed != !strncmp(p->name, "obs_", 4) ||
                     (i && ports[i - 1].observed > p->observed),
                 "%s.%s: the rows of OBS are the last, their names begin with obs_", desc->name,
                 p->name);
        panic_if(p->cls == PORT_WORK && (p->observed || p->dir != PORT_OUT || p->words != 1),
                 "%s.%s: only an output of at most 32 "
                 "bits can show work",
                 desc->name, p->name);
        p->gate = p->valid >= 0 ? p->valid : find_gate(ports, n, i);
    }
    return n;
}

int block_hardware_ports(const BlockDesc *desc, const int *params, Port ports[BLOCK_MAX_PORTS]) {
    int n = block_ports(desc, params, ports);
    while (n && ports[n - 1].observed) n--;
    return n;
}

// Offset of a configuration value by its key.
static const struct {
    const char *key;
    size_t offset;
} config_keys[] = {
#define CFG(field, key, def, least, most, unit, meaning) {key, offsetof(MachineConfig, field)},
#define CFGENUM(field, key, def, words, meaning) {key, offsetof(MachineConfig, field)},
#include "config/config.def"
#undef CFG
#undef CFGENUM
};

static int config_value(const MachineConfig *cfg, const char *key, size_t length) {
    for (size_t i = 0; i < sizeof config_keys / sizeof *config_keys; i++)
        if (strlen(config_keys[i].key) == length && !memcmp(config_keys[i].key, key, length))
            return *(const int *)((const char *)cfg + config_keys[i].offset);
    panic("a block's parameter names the configuration key %.*s, which does not exist", (int)length,
          key);
}

// Value of a key, of a sum of keys, or of a number.
static int param_value(const MachineConfig *cfg, const BlockParam *p) {
    int sum = 0;
    for (const char *at = p->key; *at; at += strspn(at, " +")) {
        const size_t length = strcspn(at, " +");
        sum += isdigit((unsigned char)*at) ? atoi(at) : config_value(cfg, at, length);
        at += length;
    }
    return sum;
}

bool block_params_from_config(const BlockDesc *desc, const MachineConfig *cfg, int *params,
                              Diag *d) {
    for (int i = 0; i < desc->nparams; i++) {
        const BlockParam *p = &desc->params[i];
        int value = param_value(cfg, p);
        if (!value && !strcmp(p->key, "bow.entries")) value = config_bow_rows(cfg, false);
        // no queue: the block has an entry, and no work
        if (!value && !strcmp(p->key, "pmode.queue")) value = 1;
        if (value < p->least || value > p->most)
            return diag_fail(d, EXIT_USAGE, "%s = %d: block %s takes %d to %d (%s)", p->key, value,
                             desc->name, p->least, p->most, p->meaning);
        params[i] = value;
    }
    return true;
}
