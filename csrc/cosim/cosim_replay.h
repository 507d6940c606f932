// SPDX-License-Identifier: Apache-2.0
// replay.yaml of a bundle: what has to be done to meet its mismatch again.
//
//   replay: 2
//   kind: run                          # or verify
//   command: "smcosim run k.yaml .."   # as it was given
//   launch: "files/k.yaml"             # run: launch file, architecture, options
//   files:                             # copies of what is read, inside the bundle; must be
//                                      unchanged
//     - {path: "files/03-a.bin", name: "../a.bin", bytes: .., hash: ..}   # name: in the launch
//       file
//   rtl: ["banked_rf=files/rtl/banked_rf/a.sv,.."]                        # RTL that the bundle
//                                                                         brings
//   block: banked_rf                   # verify: block, shape, stimulus beside this file
//   mismatch: {block: .., port: .., element: .., address: .., cycle: .., words: ..,
//              expected: "0x..", actual: "0x.."}
//
// config.yaml, the machine, lies beside it. Nothing outside the bundle is named: it may be moved
// and mailed.
#ifndef SMCOSIM_COSIM_REPLAY_H
#define SMCOSIM_COSIM_REPLAY_H

#include "cosim/cosim.h"
#include "cosim/ports.h"

enum { REPLAY_MAX_LIST = 32, REPLAY_MAX_SMS = 64 };
typedef enum ReplayKind { REPLAY_RUN, REPLAY_VERIFY } ReplayKind;

// A copy of a file. path: in the bundle, "files/.."; name: how the launch file names it, NULL: not
// by name.
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
    // of several SMs, and 1 + the one that met the mismatch; 0: one
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

// Absolute path of a file; as it is when there is none.
const char *replay_path(Arena *arena, const char *path);

// Copies go to a folder beside DIR/files until they are committed. EXIT_USAGE, EXIT_ENVIRONMENT.
bool replay_copy(ReplayFile *r, Arena *arena, const char *dir, const char *from, const char *to,
                 const char *name, Diag *d);
// The files of "block=a.sv,b.sv" and what they include; adds to r->rtl.
bool replay_copy_rtl(ReplayFile *r, Arena *arena, const char *dir, const char *rtl, Diag *d);
// They become DIR/files, instead of an earlier bundle's; or nothing of them stays.
bool replay_commit_copies(const ReplayFile *r, Arena *arena, const char *dir, Diag *d);
void replay_drop_copies(Arena *arena, const char *dir);

// Writes DIR/replay.yaml.
bool replay_write(const char *dir, const ReplayFile *r, Diag *d);
// Reads it; every complaint names line and column. Paths stay relative to the bundle, and none
// leads out of it. The copies are not looked at.
bool replay_load(ReplayFile *r, Arena *arena, const char *dir, Diag *d);
// Are the copies what they were? EXIT_USAGE names the first that is not.
bool replay_inputs(const ReplayFile *r, Arena *arena, const char *dir, Diag *d);

#endif
