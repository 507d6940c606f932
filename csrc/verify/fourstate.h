// SPDX-License-Identifier: Apache-2.0
// Tests a block with tools that are independent of Verilator: the same stimuli in Icarus (4-state),
// on the RTL as synthesized or on the netlist that Yosys makes from it.
//   fourstate_tool.c   tools as child processes, temporary folders, the RTL files of a block
//   fourstate_bench.c  the test bench, generated from the port table
//   fourstate.c        one block compiled, stimuli replayed on it
//   netlist.c          the netlist
//   fourstate_run.c    chunks of random transactions (verify.h)
//
// Output ports are compared by their class with ===, so that an X is never equal. The RTL is
// compiled without SIM: it has no observation ports, and memories and registers start as X. After
// one clock of reset no compared output may be X. If a contract leaves unwritten entries undefined,
// the environment's `fill` (models/stim.h) writes every entry before the stimuli start. This is
// required because the golden models start from 0. The block is then reset again.
#ifndef SMCOSIM_VERIFY_FOURSTATE_H
#define SMCOSIM_VERIFY_FOURSTATE_H

#include "cosim/rtl.h"
#include "proc/child.h"
#include "verify/verify.h"

// ---- tools -------------------------------------------------------------------------------------

enum {
    TOOL_MISSING = CHILD_MISSING,
    TOOL_TIMEOUT = -1,
    TOOL_STOPPED = -2,
    TOOL_SIGNAL = 256 /* + its number */
};

// Runs a program (found in PATH) with stdout and stderr in the file `log` (NULL: dropped) and waits
// for it. Each of its processes may use `seconds` of processor time (0: no limit), independent of
// the host's load. SMCOSIM_TOOL_SECONDS in the environment overrides the limit. Returns the exit
// status, or one of the values above.
int tool_run(const char *const *argv, const char *log, int seconds);
// Tools end if *stop is not 0.
void tool_stop_on(volatile int *stop);
// Interprets a nonzero status of tool_run. False after a Diag: the tool is missing, was stopped, or
// exceeded its limit (EXIT_ENVIRONMENT with d->timeout). True: the tool exited, and the caller
// reports its failure.
bool tool_ended(int status, const char *block, const char *tool, const char *package, int seconds,
                Diag *d);
// The end of such a tool, and the last lines of its log: "status 1:\nERROR: ..".
char *tool_last_words(Arena *arena, int status, const char *log, int lines);
// The last `lines` lines of a log; "" without a log.
char *tool_log(Arena *arena, const char *log, int lines);
// A new folder in $TMPDIR, with a name that scripts need not quote. NULL after EXIT_ENVIRONMENT.
// tool_remove deletes it with all files in it.
char *tool_folder(Arena *arena, Diag *d);
// Creates a symbolic link with this name in such a folder to a file or folder with any name.
// Scripts name the link.
const char *tool_link(Arena *arena, const char *folder, const char *name, const char *path,
                      Diag *d);
void tool_remove(const char *folder);
// EXIT_ENVIRONMENT for a missing tool; the message says how to install it.
bool tool_missing(const char *tool, const char *package, Diag *d);

// ---- netlist -----------------------------------------------------------------------------------

typedef struct NetlistRequest {
    const BlockDesc *desc;
    const int *params;
    int testbug;      // seeded fault, made part of the netlist; 0: none
    const char *rtl;  // the user's files, NULL: ours
    const char *data_dir;
    const char *work_dir;  // folder of the script and the log
} NetlistRequest;

// Yosys' counts of the netlist.
typedef struct NetlistSize {
    long cells, flops, memories;
} NetlistSize;

// Synthesizes the block, flattened, with abc to simple gates. Memories of SRAM form (clocked reads,
// at most two read ports, more than NETLIST_SMALL words) remain arrays. Other memories become
// flip-flops. The module has the block's name and ports and no parameters. EXIT_USAGE if the user's
// RTL is rejected, EXIT_ENVIRONMENT if a tool is missing or fails.
enum { NETLIST_SMALL = 16 };
// Inserts seeded faults into the project's files among `files`, but not into a user's files. If
// `number` is not 0, inserts only this fault. If it is 0, inserts all faults, selected at run time
// by +testbug=N, and the port fault_i. Copies are written to a folder below `folder`.
// EXIT_ENVIRONMENT.
bool rtl_seed(Arena *arena, const char *data_dir, const char *block, const char *folder, int number,
              RtlFiles *files, Diag *d);
bool netlist_make(Arena *arena, const NetlistRequest *r, const char *path, NetlistSize *size,
                  Diag *d);

// ---- one block under Icarus ---------------------------------------------------------------------

typedef struct FourStateOptions {
    const BlockDesc *desc;
    const int *params;
    int testbug;
    const char *rtl;           // the user's files, NULL: ours
    bool netlist;              // the netlist instead of the RTL
    const char *netlist_file;  // path for a copy of the netlist, NULL: no copy
    // an existing netlist and models of its cells, NULL-terminated; NULL: made here
    const char *const *gates;
    const char *data_dir;
} FourStateOptions;

typedef struct FourState FourState;

// The first difference. Values are text: hexadecimal, or binary if single bits are X or Z.
typedef struct FourStateResult {
    bool differs;
    bool unknown;  // found has an X or Z bit
    const Port *port;
    int element;
    uint64_t cycle;  // index of the record
    char expected[1100], found[1100];
    uint64_t cycles;    // compared
    uint64_t compared;  // elements with valid data
    uint64_t worked;    // cycles with work (models/block.h); 0: vacuous
} FourStateResult;

// Compiles the block and its bench. NULL after a Diag.
FourState *fourstate_open(const FourStateOptions *o, Diag *d);
void fourstate_close(FourState *f);
// Replays the stimulus. Several processes may replay on one FourState, each with its own `lane`.
// False after EXIT_ENVIRONMENT or EXIT_INTERRUPTED.
bool fourstate_replay(FourState *f, const Stimulus *s, int lane, FourStateResult *r, Diag *d);
const NetlistSize *fourstate_netlist(const FourState *f);  // NULL if the RTL is simulated

// ---- runs --------------------------------------------------------------------------------------

enum {
    FOURSTATE_CHUNK = 250 /* transactions */,
    FOURSTATE_DEFAULT_TRANSACTIONS = 4000,
    NETLIST_DEFAULT_TRANSACTIONS = 2000
};

// As verify_block, but in Icarus. Chunk i has seed + i and is the beginning of verify_block's chunk
// with that seed. Bits that are X or Z count as 0 in a failure's mismatch and are listed in its
// `rule`.
bool verify_fourstate(Arena *arena, const VerifyOptions *o, const FourStateOptions *fo,
                      VerifyResult *r, Diag *d);

#endif
