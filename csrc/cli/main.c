// SPDX-License-Identifier: Apache-2.0
// smcosim: command table and dispatch.
#include "base/plain.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const Command *const commands[] = {
    &command_run,     &command_profile, &command_exec,      &command_compare,
    &command_sweep,   &command_repro,   &command_replay,    &command_compile,
    &command_verify,  &command_synth,   &command_init,      &command_list,
    &command_regress, &command_export,  &command_new_block, &command_compress};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

int cli_commands(const Command *const **list) {
    *list = commands;
    return NCOMMANDS;
}

// Output that could not be written (full disk, closed pipe) is a failure even when the run passed.
static int close_output(int status) {
    bool lost = ferror(stdout) != 0;
    if (fclose(stdout) != 0) lost = true;
    if (lost && status == EXIT_PASS) {
        fprintf(stderr, "smcosim: standard output could not be written\n");
        return EXIT_ENVIRONMENT;
    }
    return status;
}

static bool is_one_of(const char *name, const char *a, const char *b, const char *c) {
    return !strcmp(name, a) || !strcmp(name, b) || !strcmp(name, c);
}

static int refuse_command(const char *name) {
    const char *names[NCOMMANDS + 4];
    int n = 0;
    for (; n < NCOMMANDS; n++) names[n] = commands[n]->name;
    names[n++] = "help", names[n++] = "version", names[n++] = "--help", names[n++] = "--version";
    const char *near = name_suggest(name, names, n);
    Arena arena = {0};
    fprintf(stderr, "smcosim: unknown %s '%s'%s%s%s\n", *name == '-' ? "option" : "command",
            plain_text(&arena, name), near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "; see smcosim --help");
    arena_free(&arena);
    return EXIT_USAGE;
}

static int dispatch_command(int argc, char **argv) {
    for (int i = 0; i < NCOMMANDS; i++)
        if (!strcmp(argv[0], commands[i]->name)) return commands[i]->run(argc, argv);
    return strcmp(argv[0], "internal") ? refuse_command(argv[0]) : cli_internal(argc, argv);
}

static int print_help(char *word) {
    for (int i = 0; i < NCOMMANDS; i++)
        if (!strcmp(word, commands[i]->name))
            return dispatch_command(2, (char *[]){word, "--help", NULL});
    return cli_help_word(word);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        cli_help_all(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (is_one_of(name, "help", "--help", "-h")) {
        if (argc > 2) return close_output(print_help(argv[2]));
        cli_help_all(stdout);
        return close_output(EXIT_PASS);
    }
    if (is_one_of(name, "version", "--version", "-V")) {
        printf("smcosim %s\n", SMCOSIM_VERSION);
        return close_output(EXIT_PASS);
    }
    return close_output(dispatch_command(argc - 1, argv + 1));
}
