// SPDX-License-Identifier: Apache-2.0
// Run-time form of the port tables: the X-macros of models/*/*.h as data.
#ifndef SMCOSIM_COSIM_PORTS_H
#define SMCOSIM_COSIM_PORTS_H

#include "base/diag.h"
#include "config/config.h"
#include "models/block.h"
#include "models/state.h"

enum { BLOCK_MAX_PORTS = 96 };

typedef enum PortDir { PORT_IN, PORT_OUT } PortDir;
typedef enum PortClass { PORT_ALWAYS, PORT_WHEN, PORT_WORK } PortClass;  // models/block.h

typedef struct Port {
    const char *name, *valid_name, *meaning;
    PortDir dir;
    bool observed;  // an output for counters, which exists only in simulation
    PortClass cls;
    int max, count, width;  // C array bound; elements and bits of one element in this shape
    int words;              // 32-bit words of one element in the struct: 1 or 32
    size_t offset;          // offset in <Block>In or <Block>Out
    int valid;              // port number of the valid port, -1: always compared
    int gate;               // valid port for display ("rd_bank" with "rd_valid"), -1: none
} Port;

typedef struct BlockParam {
    // key: of the configuration, or a sum: "oc.alloc_ports + rf.write_ports"; "3": always 3
    const char *name, *key, *meaning;
    int def, least, most;
} BlockParam;

typedef struct BlockDesc {
    const char *name, *upper, *camel, *family, *what;
    const BlockModel *model;
    const BlockParam *params;
    int nparams;
    size_t in_size, out_size;
    int (*ports)(const int *params, Port *ports);  // fills the rows, returns their number
    BlockState *state;                             // names of the observed state
} BlockDesc;

int block_desc_count(void);
const BlockDesc *block_desc(int i);
const BlockDesc *block_desc_find(const char *name);  // NULL when there is none

// Port rows of one shape, with valid and gate resolved.
int block_ports(const BlockDesc *desc, const int *params, Port ports[BLOCK_MAX_PORTS]);

// As block_ports, without the observed ports, which are last.
int block_hardware_ports(const BlockDesc *desc, const int *params, Port ports[BLOCK_MAX_PORTS]);

// The parameter values of a block for a configuration. EXIT_USAGE if one is out of range.
bool block_params_from_config(const BlockDesc *desc, const MachineConfig *cfg, int *params,
                              Diag *d);

static inline const uint32_t *port_element(const Port *p, const void *base, int element) {
    return (const uint32_t *)((const char *)base + p->offset) + (size_t)element * (size_t)p->words;
}

// Bit `element` of a valid port.
static inline bool port_bit(const Port *valid, const void *base, int element) {
    return *port_element(valid, base, 0) >> element & 1;
}

#endif
