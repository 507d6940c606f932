// SPDX-License-Identifier: Apache-2.0
// Blocks and their parameters on the command line.
#ifndef SMCOSIM_CLI_BLOCKS_H
#define SMCOSIM_CLI_BLOCKS_H

#include "cosim/ports.h"

// The block with this name. NULL after EXIT_USAGE with a suggestion; `option` is the option with
// the name.
const BlockDesc *cli_block(const char *option, const char *name, size_t length, Diag *d);
// Applies a --param NAME=VALUE. EXIT_USAGE: the parameter does not exist, or the value is out of
// its range.
bool cli_block_param(const BlockDesc *desc, const char *assignment, int *params, Diag *d);

// Appends to a list of at most `most` values of a repeated option; EXIT_USAGE: the list is full.
bool cli_push(const char *option, const char **list, int *n, int most, const char *value, Diag *d);
// The blocks named by the operands, or all blocks without operands. EXIT_USAGE: an unknown block,
// or a block named twice.
bool cli_choose_blocks(const char *command, char **names, int n, const BlockDesc **blocks,
                       int *nblocks, int most, Diag *d);
// The text after "BLOCK=" in the last such value of the list; NULL: no such value.
const char *cli_value_for(const char *const *list, int n, const char *block);

#endif
