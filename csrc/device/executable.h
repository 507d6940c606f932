// SPDX-License-Identifier: Apache-2.0
// The file of a CUDA program: how it is linked, and its start as a child process.
#ifndef SMCOSIM_DEVICE_EXECUTABLE_H
#define SMCOSIM_DEVICE_EXECUTABLE_H

#include "base/arena.h"
#include "base/diag.h"

#include <sys/types.h>

typedef struct Executable {
    char **argv;            // NULL-terminated; argv[0] is looked up in PATH when it has no '/'
    const char *libraries;  // folder of the CUDA runtime libraries, first in LD_LIBRARY_PATH
    const char *socket;     // socket of the device, in CUDA_SOCKET_VARIABLE
    int stdout_to;          // file descriptor for standard output; -1: the caller's
} Executable;

// Refuses a program whose file contains CUDA's runtime, because no other library can replace it
// then: EXIT_USAGE, with the command that links it otherwise. Files that are no ELF programs pass.
bool executable_check(Arena *arena, const char *program, Diag *d);

// Starts the program; it is killed when this process ends. False: *child is -1, and d has
// EXIT_USAGE (it cannot be executed) or EXIT_ENVIRONMENT.
bool executable_start(const Executable *e, Arena *arena, pid_t *child, Diag *d);

#endif
