// SPDX-License-Identifier: Apache-2.0
// --help of the program and of its commands, from the tables.
#include "base/status.h"
#include "cli/cli.h"

#include <string.h>

enum { LEFT = 30, WIDTH = 110 };

// `text` in the right column, broken at blanks; the cursor is at column `at`.
static void print_right(FILE *out, const char *text, int at) {
    while (*text) {
        size_t n = strlen(text), room = WIDTH - LEFT;
        if (n > room)
            for (n = room; n && text[n] != ' '; n--) {}
        if (!n) n = strcspn(text, " ");
        fprintf(out, "%*s%.*s\n", at < LEFT ? LEFT - at : 0, "", (int)n, text);
        text += n + strspn(text + n, " ");
        at = 0;
    }
}

static void print_option(FILE *out, const CliOption *o) {
    char left[80], help[400], letter[] = {'-', o->letter, ',', ' ', '\0'};
    int at = snprintf(left, sizeof left, "  %s--%s%s%s", o->letter ? letter : "", o->name,
                      o->argument ? " " : "", o->argument ? o->argument : "");
    snprintf(help, sizeof help, "%s%s%s%s", o->help, o->fallback ? " (default: " : "",
             o->fallback ? o->fallback : "", o->fallback ? ")" : "");
    fputs(left, out);
    if (at >= LEFT - 1) fputc('\n', out), at = 0;
    print_right(out, help, at);
}

void cli_help(FILE *out, const Command *c) {
    fprintf(out, "Usage: smcosim %s %s\n\n%s\n", c->name, c->synopsis, c->about);
    for (int i = 0; i < c->noptions; i++) {
        if (c->options[i].group) fprintf(out, "\n%s:\n", c->options[i].group);
        else if (!i) fprintf(out, "\nOptions:\n");
        print_option(out, &c->options[i]);
    }
    static const CliOption help = {"help", NULL, "print this text", .letter = 'h'};
    fputc('\n', out);
    print_option(out, &help);
    if (c->examples) fprintf(out, "\nExamples:\n");
    for (const CliExample *e = c->examples; e && e->command; e++)
        fprintf(out, "  %s\n      %s\n", e->command, e->what);
}

void cli_help_all(FILE *out) {
    const Command *const *commands;
    const int n = cli_commands(&commands);
    fprintf(
        out,
        "Usage: smcosim COMMAND [options]\n\n"
        "Runs PTX kernels on one streaming multiprocessor whose register-file blocks are Verilog,\n"
        "checked cycle by cycle against C golden models.\n\nCommands:\n");
    for (int i = 0; i < n; i++)
        fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    char statuses[400];
    status_text(statuses, sizeof statuses, (int)strlen("Exit status: "), 90);
    fprintf(out,
            "\nsmcosim COMMAND --help describes a command, smcosim --version names the version.\n"
            "smcosim help WORD explains a key, a counter, a verdict, a system or a block.\n\n"
            "Exit status: %s.\n",
            statuses);
}
