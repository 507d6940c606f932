// SPDX-License-Identifier: Apache-2.0
// Shared by the files of fourstate: the layout of ports in the vectors of bench and replay file.
#ifndef SMCOSIM_VERIFY_FOURSTATE_INTERNAL_H
#define SMCOSIM_VERIFY_FOURSTATE_INTERNAL_H

#include "verify/fourstate.h"

// Ports are in the order of the table, starting with the lowest bit; element 0 of a port is its
// lowest. `element` is the number of a port's first element among those of its direction.
typedef struct Layout {
    Port ports[BLOCK_MAX_PORTS];
    int nports;
    int at[BLOCK_MAX_PORTS], element[BLOCK_MAX_PORTS];
    int in_bits, out_bits, out_elements;
} Layout;

void layout_init(Layout *l, const BlockDesc *desc, const int *params);

// The kinds of cycles of a replay file; a line is "kind inputs outputs elements-compared", in hex.
typedef enum ReplayKind { REPLAY_COMPARE, REPLAY_RESET, REPLAY_SILENT } ReplayKind;

// Writes the bench. with_params: the module has the block's parameters; fault_port: the module has
// fault_i. The bench reads +replay=FILE, ends with status 0 ("agree CYCLES") or 1 ("differs CYCLE
// PORT ELEMENT EXPECTED FOUND", in binary).
void bench_write(FILE *f, const BlockDesc *desc, const int *params, const Layout *l,
                 bool with_params, bool fault_port);

#endif
