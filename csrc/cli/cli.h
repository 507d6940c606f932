// SPDX-License-Identifier: Apache-2.0
// The command line. Only this folder reads argv, prints a Diag and chooses the exit status.
#ifndef SMCOSIM_CLI_CLI_H
#define SMCOSIM_CLI_CLI_H

#include "base/arena.h"
#include "base/diag.h"

#include <stddef.h>
#include <stdio.h>

// Destination of an option's value: the member of the command's settings that a row names by one of
//     CLI_TEXT(Type, member)                       const char *
//     CLI_FLAG(Type, member)                       bool, true when the option is given
//     CLI_NUMBER(Type, member, least, most)        uint64_t within these limits, decimal or 0x
//     CLI_LIST(Type, member, number, most)         const char *[], the option may be repeated; int:
//                                                  their number
//     CLI_WORD(Type, member, first)                an enum: the words of the row's argument are
//                                                  first, first + 1, ..
//     CLI_CALL(function)                           the function stores the value; false after
//                                                  diag_fail
// A member of another type does not compile.
typedef struct CliTarget {
    enum {
        CLI_TO_NOTHING,
        CLI_TO_TEXT,
        CLI_TO_FLAG,
        CLI_TO_NUMBER,
        CLI_TO_LIST,
        CLI_TO_WORD,
        CLI_TO_CALL
    } kind;
    size_t at, count;  // offsets of the member, and of the list's number
    uint64_t least, most;
    bool (*call)(void *settings, const char *value, Diag *d);
} CliTarget;

// Offset of the member, whose address is of this type.
#define CLI_AT(Type, member, Pointer) \
    (offsetof(Type, member) * _Generic(&((Type *)0)->member, Pointer : 1))

#define CLI_TEXT(Type, member) \
    .to = {.kind = CLI_TO_TEXT, .at = CLI_AT(Type, member, const char **)}
#define CLI_FLAG(Type, member) .to = {.kind = CLI_TO_FLAG, .at = CLI_AT(Type, member, bool *)}
#define CLI_NUMBER(Type, member, from, to_) \
    .to = {.kind = CLI_TO_NUMBER, \
           .at = CLI_AT(Type, member, uint64_t *), \
           .least = (from), \
           .most = (to_)}
#define CLI_LIST(Type, member, number, most_) \
    .to = {.kind = CLI_TO_LIST, \
           .at = CLI_AT(Type, member[0], const char **), \
           .count = CLI_AT(Type, number, int *), \
           .most = (most_)}
#define CLI_WORD(Type, member, first) \
    .to = {.kind = CLI_TO_WORD, .at = CLI_AT(Type, member, unsigned *), .least = (first)}
#define CLI_CALL(function) .to = {.kind = CLI_TO_CALL, .call = (function)}

// An option of a command. Its name, argument, default, meaning and destination are written only
// here. Parsing, --help, the manual page and the completion of the shell are derived from it.
typedef struct CliOption {
    const char *name;  // long name; --help and -h are added by cli_parse
    // NULL: no argument. Words in lower case are literal, words in upper case are placeholders
    const char *argument;
    const char *help;
    const char *fallback;  // default, applied before the command line is read; NULL: no default
    // heading in --help that begins with this row; NULL: the row belongs to the previous heading
    const char *group;
    char letter;  // short option; 0: none
    CliTarget to;
} CliOption;

typedef struct CliExample {
    const char *command, *what;
} CliExample;

// One command. `run` receives argv with argv[0] = the command's name and returns the exit status.
typedef struct Command {
    const char *name;
    const char *synopsis;  // after "smcosim NAME "
    // text for an operand, in the form of CliOption.argument; NULL: no operand
    const char *operand;
    const char *summary;  // one line
    const char *about;    // paragraph of --help
    const CliOption *options;
    int noptions;
    const CliExample *examples;  // ends with .command == NULL
    int (*run)(int argc, char **argv);
} Command;

#define CLI_OPTIONS(table) .options = (table), .noptions = (int)(sizeof(table) / sizeof *(table))

extern const Command command_run, command_compare, command_compile, command_compress, command_exec,
    command_export, command_init, command_list, command_new_block, command_profile, command_regress,
    command_replay, command_repro, command_sweep, command_synth, command_verify;

// All commands, in the order of --help.
int cli_commands(const Command *const **commands);

// Parses GNU-style options: permuted, --name=value, --name value, -xvalue, -x value, -- ends them.
// Options are not abbreviated, because a script would break if one is added. Operands are moved to
// argv[*first..argc). Prints help and sets *done for --help. Unknown option: EXIT_USAGE with a
// suggestion. The rows name members of `settings`, which may be NULL if the table is empty.
bool cli_parse(const Command *command, int argc, char **argv, void *settings, int *first,
               bool *done, Diag *d);

// Prints --help of one command; of the program.
void cli_help(FILE *out, const Command *command);
void cli_help_all(FILE *out);
// smcosim help WORD: a key, a counter, a word of a verdict, a system or a block. Returns the exit
// status.
int cli_help_word(const char *word);
// smcosim internal reference [SOURCE PAGE]: a page of the reference, csrc/config/KEYS.md or
// another, from the tables of the program and from the source tree. Without arguments: the names of
// the pages.
int cli_reference(int argc, char **argv);
// smcosim internal man|completion: files that the build installs beside the program.
int cli_internal(int argc, char **argv);
// smcosim internal queues BYTES[,BLOCK] run ..: for tests of threads that follow the SM. BYTES:
// size of each block's queue, 0: default. BLOCK: a block that only the SM's thread evaluates.
int run_queues(const char *queues, int argc, char **argv);
// smcosim internal draw DIR: draws from a description on standard input.
int cli_draw(const char *dir);

// A decimal or 0x number within [least, most]; otherwise EXIT_USAGE that names the option.
bool cli_number(const char *option, const char *text, uint64_t least, uint64_t most,
                uint64_t *value, Diag *d);
// One to three numbers of a grid or a block, separated by commas. Missing numbers are 1.
bool cli_sizes(const char *option, const char *value, uint32_t *sizes, Diag *d);

// Prints "smcosim: text" to stderr and returns the status.
int cli_fail(const Diag *d);

// Folder with machines/, rtl/, cosim/: $SMCOSIM_DATA, otherwise of the build tree, otherwise of the
// installation.
const char *cli_program(Arena *arena, Diag *d);  // this program's file
const char *cli_data_dir(void);
// Folder for variants verilated on demand: $SMCOSIM_CACHE, otherwise $XDG_CACHE_HOME/smcosim,
// otherwise ~/.cache/smcosim.
const char *cli_cache_dir(Arena *arena);

// If stderr is a terminal, prints the work since time `since` and its duration: "6 runs in 3.2 s".
void cli_took(double since, int n, const char *what);

// Colors on standard output: on a terminal, unless NO_COLOR is set.
bool cli_color(void);

// The command line as one shell-quoted string, for reports.
char *cli_command_line(Arena *arena, int argc, char **argv);

// Set by SIGINT and SIGTERM after cli_catch_signals.
extern volatile int cli_stop;
void cli_catch_signals(void);
// While files are read and compiled, the signals end the program with status 130, because loading
// checks no flag and leaves no files.
void cli_loading(bool loading);
void cli_loaded(void);  // cli_loading(false)

#endif
