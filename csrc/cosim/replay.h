// SPDX-License-Identifier: Apache-2.0
// replay.yaml of a bundle: what has to be done to meet its mismatch again.
//
//   replay: 1
//   kind: run                          # or verify
//   command: "smcosim run k.yaml .."   # as it was given
//   launch: "/path/k.yaml"             # run: launch file, architecture, options
//   files: [{path: .., bytes: .., hash: ..}]      # run: what the launch reads; must be unchanged
//   block: banked_rf                   # verify: block, shape, stimulus beside this file
//   mismatch: {block: .., port: .., element: .., address: .., cycle: .., words: ..,
//              expected: "0x..", actual: "0x.."}
//
// config.yaml, the machine, lies beside it.
#ifndef SMCOSIM_COSIM_REPLAY_H
#define SMCOSIM_COSIM_REPLAY_H

#include "cosim/cosim.h"
#include "cosim/ports.h"

enum { REPLAY_MAX_LIST = 32 };
typedef enum ReplayKind { REPLAY_RUN, REPLAY_VERIFY } ReplayKind;

// A file that the run reads, or a digest of values that came from one.
typedef struct ReplayInput {
    const char *path;
    uint64_t bytes, hash;
} ReplayInput;

typedef struct ReplayFile {
    ReplayKind kind;
    const char *command;
    // run
    const char *launch, *arch, *blocks, *fault;
    uint64_t snapshot_interval, max_cycles;
    ReplayInput *inputs;
    int ninputs, cap_inputs;
    // verify
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    // both
    const char *testbug;                       // "banked_rf=3", NULL: none
    const char *rtl[REPLAY_MAX_LIST + 1];      // "banked_rf=a.sv,b.sv", NULL-terminated
    const char *plusargs[REPLAY_MAX_LIST + 1]; // "mutant=3"
    int nrtl, nplusargs;
    Mismatch mismatch; // block and port on the arena
} ReplayFile;

// FNV-1a of a file's bytes. False with EXIT_USAGE or EXIT_ENVIRONMENT.
bool replay_hash_file(Arena *arena, const char *path, ReplayInput *input, Diag *d);

// Absolute path, "" stays "". For files of the command line, which may be replayed from another
// folder.
const char *replay_path(Arena *arena, const char *path);

// Writes DIR/replay.yaml.
bool replay_write(const char *dir, const ReplayFile *r, Diag *d);
// Reads it; every complaint names line and column. The inputs are not looked at.
bool replay_load(ReplayFile *r, Arena *arena, const char *dir, Diag *d);
// Are the inputs what they were? EXIT_USAGE names the first that is not.
bool replay_inputs(const ReplayFile *r, Arena *arena, Diag *d);

#endif
