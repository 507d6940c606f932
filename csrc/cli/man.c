// SPDX-License-Identifier: Apache-2.0
// smcosim internal man|completion: manual page and bash completion, from the tables of the
// commands.
#include "base/status.h"
#include "cli/cli.h"

#include <string.h>

// ---- manual page -------------------------------------------------------------------------------

static void print_roff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (const char *p = text; *p; p++) {
        if (*p == '-') fputs("\\-", out);
        else if (*p == '\\') fputs("\\e", out);
        else fputc(*p, out);
    }
}

static void man_option(FILE *out, const CliOption *o) {
    fputs(".TP\n\\fB", out);
    if (o->letter) fprintf(out, "\\-%c\\fR, \\fB", o->letter);
    fputs("\\-\\-", out);
    print_roff(out, o->name);
    fputs("\\fR", out);
    if (o->argument) {
        fputs(" \\fI", out);
        print_roff(out, o->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    print_roff(out, o->help);
    if (o->fallback) {
        fputs(" (default: ", out);
        print_roff(out, o->fallback);
        fputc(')', out);
    }
    fputc('\n', out);
}

static void man_command(FILE *out, const Command *c) {
    fprintf(out, ".SS smcosim %s ", c->name);
    print_roff(out, c->synopsis);
    fputc('\n', out);
    print_roff(out, c->about);
    fputc('\n', out);
    for (int i = 0; i < c->noptions; i++) {
        if (c->options[i].group) {
            fputs(".PP\n", out);
            print_roff(out, c->options[i].group);
            fputs(":\n", out);
        }
        man_option(out, &c->options[i]);
    }
    if (c->examples) fputs(".PP\nExamples:\n", out);
    for (const CliExample *e = c->examples; e && e->command; e++) {
        fputs(".TP\n", out);
        print_roff(out, e->command);
        fputc('\n', out);
        print_roff(out, e->what);
        fputc('\n', out);
    }
}

static void print_man(FILE *out) {
    const Command *const *commands;
    const int n = cli_commands(&commands);
    fputs(
        ".TH SMCOSIM 1 \"\" \"smcosim " SMCOSIM_VERSION "\" \"User Commands\"\n.SH NAME\n"
        "smcosim \\- run PTX kernels on one SM whose register\\-file blocks are Verilog\n.SH "
        "SYNOPSIS\n"
        ".B smcosim\n.I COMMAND\n[options]\n.SH DESCRIPTION\n"
        "Runs PTX kernels on one streaming multiprocessor whose register\\-file blocks are "
        "Verilog, checked cycle by "
        "cycle against C golden models.\nEvery command describes itself with \\fB\\-\\-help\\fR.\n"
        "Options are not abbreviated; \\fB\\-\\-\\fR ends them.\n.SH COMMANDS\n",
        out);
    for (int i = 0; i < n; i++) man_command(out, commands[i]);
    char statuses[400];
    status_text(statuses, sizeof statuses, 0, (int)sizeof statuses);
    fprintf(out, ".SH EXIT STATUS\n%s.\n", statuses);
    fputs(
        ".SH ENVIRONMENT\n"
        ".TP\n.B SMCOSIM_CACHE\nfolder for generated files (default: \\(ti/.cache/smcosim)\n"
        ".TP\n.B SMCOSIM_DATA\nfolder with machines, Verilog and kernels, instead of the program's "
        "own\n"
        ".TP\n.B NO_COLOR\nif set, no colors\n",
        out);
}

// ---- completion --------------------------------------------------------------------------------

static bool begins_with(const char *token, size_t n, const char *word) {
    return n >= strlen(word) && !strncmp(token, word, strlen(word));
}

static bool is_literal(const char *token, size_t n) {
    return n > 1 && strspn(token, "abcdefghijklmnopqrstuvwxyz0123456789") >= n;
}

// Completions of an argument: literal words, lists that the program prints, files or folders. Sets
// `words` and `kind`.
static void complete_argument(FILE *out, const char *argument) {
    fputs(" words=\"", out);
    const char *kind = "";
    for (const char *p = argument; *p;) {
        const size_t n = strcspn(p, "|,");
        if (is_literal(p, n)) fprintf(out, " %.*s", (int)n, p);
        if (begins_with(p, n, "MACHINE")) fputs(" $(_smcosim_list machines)", out);
        if (begins_with(p, n, "KEY")) fputs(" $(_smcosim_list config)", out);
        if (begins_with(p, n, "ARCH")) fputs(" $(_smcosim_list archs --all)", out);
        if (begins_with(p, n, "BLOCK")) fputs(" $(_smcosim_list blocks)", out);
        if (begins_with(p, n, "KERNEL")) fputs(" $(_smcosim_list kernels)", out);
        if (begins_with(p, n, "FILE") || begins_with(p, n, "LAUNCH")) kind = "-f";
        if (begins_with(p, n, "DIR")) kind = "-d";
        p += n + (p[n] != '\0');
    }
    fprintf(out, "\" kind=%s ;;\n", kind);
}

static void complete_command(FILE *out, const Command *c) {
    for (int i = 0; i < c->noptions; i++) {
        if (!c->options[i].argument) continue;
        fprintf(out, "    '%s --%s'", c->name, c->options[i].name);
        if (c->options[i].letter) fprintf(out, "|'%s -%c'", c->name, c->options[i].letter);
        fputc(')', out);
        complete_argument(out, c->options[i].argument);
    }
    fprintf(out, "    '%s '*)\n        case $cur in\n        -*) words=\"--help", c->name);
    for (int i = 0; i < c->noptions; i++) fprintf(out, " --%s", c->options[i].name);
    fputs("\" kind= ;;\n        *)", out);
    complete_argument(out, c->operand ? c->operand : "");
    fputs("        esac ;;\n", out);
}

static void print_completion(FILE *out) {
    const Command *const *commands;
    const int n = cli_commands(&commands);
    fputs("# bash completion of smcosim " SMCOSIM_VERSION "; made by smcosim internal completion\n"
          "_smcosim_list() {\n"
          "    \"${COMP_WORDS[0]}\" list \"$@\" 2>/dev/null | awk '/^[^ ]/ { print $2 == \"paper\" "
          "? $1 \"/paper\" : $1 }'\n"
          "}\n"
          "_smcosim() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words='' "
          "kind='' head=''\n"
          "    if [[ $cur == '=' ]]; then cur=''\n"
          "    elif [[ $prev == '=' && $COMP_CWORD -gt 2 ]]; then "
          "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -le 1 ]; then\n"
          "        COMPREPLY=($(compgen -W 'help version --help --version",
          out);
    for (int i = 0; i < n; i++) fprintf(out, " %s", commands[i]->name);
    fputs("' -- \"$cur\"))\n        return\n    fi\n    case \"${COMP_WORDS[1]} $prev\" in\n", out);
    for (int i = 0; i < n; i++) complete_command(out, commands[i]);
    fputs("    esac\n"
          "    case $cur in *,*) head=${cur%,*}, ;; esac\n"
          "    [ -z \"$words\" ] || COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- "
          "\"${cur##*,}\"))\n"
          "    [ -z \"$kind\" ] || COMPREPLY+=($(compgen $kind -- \"$cur\"))\n"
          "}\n"
          "complete -o filenames -F _smcosim smcosim\n",
          out);
}

int cli_internal(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "man")) return print_man(stdout), EXIT_PASS;
    if (argc == 2 && !strcmp(argv[1], "completion")) return print_completion(stdout), EXIT_PASS;
    if (argc == 3 && !strcmp(argv[1], "draw")) return cli_draw(argv[2]);
    if (argc > 1 && !strcmp(argv[1], "reference")) return cli_reference(argc - 1, argv + 1);
    if (argc > 3 && !strcmp(argv[1], "queues") && !strcmp(argv[3], "run"))
        return run_queues(argv[2], argc - 3, argv + 3);
    fprintf(stderr,
            "smcosim: internal: expected man, completion, draw DIR, reference [SOURCE PAGE] or "
            "queues BYTES[,BLOCK] run ..\n");
    return EXIT_USAGE;
}
