// SPDX-License-Identifier: Apache-2.0
// replay.yaml of a bundle: the run that reproduces its mismatch.
//
//   replay: 2
//   kind: run                          # or verify
//   command: "smcosim run k.yaml .."   # the user's command line
//   launch: "files/k.yaml"             # run: launch file, architecture, options
//   files:                             # copies of all files read, inside the bundle; must be
//                                      unchanged
//     - {path: "files/03-a.bin", name: "../a.bin", bytes: .., hash: ..}   # name: in the launch
//       file
//   rtl: ["banked_rf=files/rtl/banked_rf/a.sv,.."]                        # RTL in the bundle
//   block: banked_rf                   # verify: block, shape, stimulus beside this file
//   mismatch: {block: .., port: .., element: .., address: .., cycle: .., words: ..,
//              expected: "0x..", actual: "0x.."}
//
// config.yaml beside it is the machine. The file names no file outside the bundle, so the bundle
// may be moved and mailed.
#ifndef SMCOSIM_COSIM_REPLAY_H
#define SMCOSIM_COSIM_REPLAY_H

#include "cosim/cosim.h"
#include "cosim/ports.h"

enum { REPLAY_MAX_LIST = 32, REPLAY_MAX_SMS = 64 };
typedef enum ReplayKind { REPLAY_RUN, REPLAY_VERIFY } ReplayKind;

// A copy of a file. path: in the bundle, "files/.."; name: its name in the launch file, or NULL.
typedef struct ReplayInput {
    const char *path, *name;
    uint64_t bytes, hash;
} ReplayInput;

typedef struct ReplayFile {
    ReplayKind kind;
    const char *command;
    // run
    const char *launch, *arch, *blocks, *fault;
    uint64_t snapshot_interval, max_cycles;
    bool skip_idle;
    uint64_t start_seed;  // of start values, 0: all are 0
    // number of SMs, and 1 + the SM with the mismatch; 0: one SM
    int sms, lockstep_sm;
    ReplayInput *inputs;
    int ninputs, cap_inputs;
    // verify
    const BlockDesc *desc;
    int params[BLOCK_MAX_PARAMS];
    // both
    const char *testbug;                        // "banked_rf=3", NULL: none
    const char *rtl[REPLAY_MAX_LIST + 1];       // "banked_rf=a.sv,b.sv", NULL-terminated
    const char *plusargs[REPLAY_MAX_LIST + 1];  // "mutant=3"
    int nrtl, nplusargs;
    Mismatch mismatch;  // block and port on the arena
} ReplayFile;

// Absolute path of a file; unchanged if the file does not exist.
const char *replay_path(Arena *arena, const char *path);

// Copies are in a folder beside DIR/files until they are committed. EXIT_USAGE, EXIT_ENVIRONMENT.
bool replay_copy(ReplayFile *r, Arena *arena, const char *dir, const char *from, const char *to,
                 const char *name, Diag *d);
// Copies the files of "block=a.sv,b.sv" and their included files; adds to r->rtl.
bool replay_copy_rtl(ReplayFile *r, Arena *arena, const char *dir, const char *rtl, Diag *d);
// Renames the folder of copies to DIR/files, replacing an earlier bundle's. On failure no copies
// remain.
bool replay_commit_copies(const ReplayFile *r, Arena *arena, const char *dir, Diag *d);
void replay_drop_copies(Arena *arena, const char *dir);

// Writes DIR/replay.yaml.
bool replay_write(const char *dir, const ReplayFile *r, Diag *d);
// Reads DIR/replay.yaml; every error names line and column. Paths are relative to the bundle, and
// all are inside it. The copies are not checked.
bool replay_load(ReplayFile *r, Arena *arena, const char *dir, Diag *d);
// Checks that the copies are unchanged. EXIT_USAGE names the first changed copy.
bool replay_inputs(const ReplayFile *r, Arena *arena, const char *dir, Diag *d);

#endif
