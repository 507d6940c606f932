// SPDX-License-Identifier: Apache-2.0
// The device behind `smcosim exec`. It serves the requests of a program's CUDA runtime library
// (csrc/cuda).
#ifndef SMCOSIM_DEVICE_CONTEXT_H
#define SMCOSIM_DEVICE_CONTEXT_H

#include "session/session.h"
#include "cuda/protocol.h"

typedef struct ExecOptions {
    SessionOptions session;  // first: the rows of run's options name its members
    const char *capture;     // folder for launch files of simulated launches; NULL: none
    const char *only;        // KERNEL[:N] or N; NULL: every launch is simulated in detail
    const char *profile;     // file of the profile; NULL: none
    uint64_t wait_left;      // seconds to wait for remaining processes of the program
} ExecOptions;

typedef struct Context Context;

// Opens SM and blocks. NULL: EXIT_USAGE or EXIT_ENVIRONMENT. Memory of the context and of the
// report is the arena's.
Context *context_open(Arena *arena, const ExecOptions *o, const MachineConfig *cfg,
                      LaunchReport *report, Diag *d);

// Answers one request of a connection; owner: number of the connection. The payload is malloc'ed
// and belongs to the caller.
void context_answer(Context *c, int owner, const CudaRequest *r, const uint8_t *payload,
                    CudaReply *reply, uint8_t **answer);
// A connection has ended: frees its allocations.
void context_leave(Context *c, int owner);
// Fails the run for a reason other than a request.
// context_cut_off: a process continues after it lost its connection.
void context_refuse(Context *c, const char *text);
void context_cut_off(Context *c, int process);

// After the program's end: last checks of the blocks; the report has the verdict. *d has the same
// verdict.
bool context_finish(Context *c, Diag *d);
void context_close(Context *c);

int context_launches(const Context *c);  // so far, simulated or not

#endif
