// SPDX-License-Identifier: Apache-2.0
// The command line. Only this folder reads argv, prints a Diag and chooses the exit status.
#ifndef SMCOSIM_CLI_CLI_H
#define SMCOSIM_CLI_CLI_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdio.h>

#define SMCOSIM_VERSION "0.1"

// One command. `run` gets argv with argv[0] = the command's name and returns the exit status.
typedef struct Command {
    const char *name;
    const char *synopsis;   // after "smcosim NAME "
    const char *summary;
    int (*run)(int argc, char **argv);
} Command;

int cmd_run(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_compile(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_synth(int argc, char **argv);
int cmd_verify(int argc, char **argv);

// An option of a command, for parsing and for --help.
typedef struct CliOption {
    const char *name;       // long name; 'h'/help is added by cli_parse
    const char *argument;   // NULL: none
    const char *help;
} CliOption;

// What cli_parse calls for each option in order, index into the table. Returns false after diag_fail.
typedef bool CliSet(void *ctx, int option, const char *value, Diag *d);

// Parses GNU-style options (permuted, --name=value, --name value, unique abbreviations). Operands are
// moved to argv[*first..argc). Prints help and sets *done for --help. Unknown option: EXIT_USAGE with
// a suggestion. `set` may be NULL when the table is empty.
bool cli_parse(int argc, char **argv, const char *synopsis, const char *summary,
               const CliOption *options, int noptions, CliSet *set, void *ctx, int *first, bool *done,
               Diag *d);

// A decimal or 0x number within [least, most]; else EXIT_USAGE naming the option.
bool cli_number(const char *option, const char *text, uint64_t least, uint64_t most, uint64_t *value,
                Diag *d);

// Prints "smcosim: text" to stderr and returns the status.
int cli_fail(const Diag *d);

// Folder with machines/, rtl/, cosim/: $SMCOSIM_DATA, else the build tree, else the installed place.
const char *cli_data_dir(void);
// Folder for variants verilated on demand: $SMCOSIM_CACHE, else $XDG_CACHE_HOME/smcosim, else ~/.cache/smcosim.
const char *cli_cache_dir(Arena *arena);

// The command line as one shell-quoted string, for reports.
char *cli_command_line(Arena *arena, int argc, char **argv);

// Set by SIGINT and SIGTERM after cli_catch_signals.
extern volatile int cli_stop;
void cli_catch_signals(void);

#endif
