// SPDX-License-Identifier: Apache-2.0
// The program of `smcosim exec` and the socket between its CUDA runtime library and the context.
#ifndef SMCOSIM_DEVICE_SERVE_H
#define SMCOSIM_DEVICE_SERVE_H

#include "device/context.h"

typedef struct Served {
    int status;  // exit status of the program; -1: a signal ended it
    int signal;
    int connections;  // processes that have used the library
} Served;

// Runs argv with the library in its path and answers its requests until it ends. False: it could
// not be started (EXIT_USAGE), or EXIT_INTERRUPTED. stdout_to: file descriptor for its standard
// output, -1: ours.
bool serve_program(Context *c, Arena *arena, const ExecOptions *e, char **argv, int stdout_to,
                   Served *s, Diag *d);

#endif
