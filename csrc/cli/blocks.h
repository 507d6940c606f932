// SPDX-License-Identifier: Apache-2.0
// Blocks and their parameters as the command line names them.
#ifndef SMCOSIM_CLI_BLOCKS_H
#define SMCOSIM_CLI_BLOCKS_H

#include "cosim/ports.h"

// The block of this name. NULL after EXIT_USAGE with a suggestion; `option` is what asks.
const BlockDesc *cli_block(const char *option, const char *name, size_t length, Diag *d);
// Applies a --param NAME=VALUE. EXIT_USAGE: no such parameter, or out of its range.
bool cli_block_param(const BlockDesc *desc, const char *assignment, int *params, Diag *d);

#endif
