// SPDX-License-Identifier: Apache-2.0
// The command line against a table of options.
#include "cli/block_list.h"
#include "cli/cli.h"

#include <string.h>

enum { CLI_MAX_OPTIONS = 64 };

typedef struct Parser {
    const Command *command;
    int argc;
    char **argv;
    int at;  // the argument that is looked at
    void *settings;
    bool help;
    Diag *d;
} Parser;

static int find_name(const Command *c, const char *name, size_t length) {
    for (int i = 0; i < c->noptions; i++)
        if (strlen(c->options[i].name) == length && !strncmp(c->options[i].name, name, length))
            return i;
    return -1;
}

static int find_letter(const Command *c, char letter) {
    for (int i = 0; i < c->noptions; i++)
        if (c->options[i].letter == letter) return i;
    return -1;
}

// The option that `name` begins, when it is the only one, else the one that is spelled alike.
static const char *find_likely(const Command *c, const char *name) {
    const char *names[CLI_MAX_OPTIONS + 1], *begins = NULL;
    int n = 0, nbegin = 0;
    panic_if(c->noptions > CLI_MAX_OPTIONS, "too many options");
    for (; n < c->noptions; n++) names[n] = c->options[n].name;
    names[n++] = "help";
    for (int i = 0; i < n; i++)
        if (*name && !strncmp(names[i], name, strlen(name))) begins = names[i], nbegin++;
    return nbegin == 1 ? begins : name_suggest(name, names, n);
}

static bool refuse_option(const Parser *p, const char *given) {
    char name[64];
    snprintf(name, sizeof name, "%s", given + strspn(given, "-"));
    name[strcspn(name, "=")] = '\0';
    const char *near = given[1] == '-' || strlen(given) > 2 ? find_likely(p->command, name) : NULL;
    return diag_fail(p->d, EXIT_USAGE, "%s: unknown option '%s'%s%s%s", p->command->name, given,
                     near ? "; did you mean '--" : "; see smcosim ", near ? near : p->command->name,
                     near ? "'?" : " --help");
}

// The word of the option's argument ("a|b|c") that the value is.
static bool set_word(const CliOption *o, const char *value, unsigned *to, Diag *d) {
    char expected[120];
    size_t at = 0;
    unsigned i = 0;
    for (const char *word = o->argument;; i++) {
        const size_t n = strcspn(word, "|");
        if (strlen(value) == n && !strncmp(value, word, n))
            return *to = (unsigned)o->to.least + i, true;
        const bool last = !word[n], next_is_last = !last && !strchr(word + n + 1, '|');
        at += (size_t)snprintf(expected + at, sizeof expected - at, "%.*s%s", (int)n, word,
                               last               ? ""
                                   : next_is_last ? " or "
                                                  : ", ");
        panic_if(at >= sizeof expected, "--%s has too many words", o->name);
        if (last) break;
        word += n + 1;
    }
    return diag_fail(d, EXIT_USAGE, "--%s: '%s': expected %s", o->name, value, expected);
}

static bool set_target(Parser *p, const CliOption *o, const char *value) {
    const CliTarget *to = &o->to;
    char *member = (char *)p->settings + to->at;
    switch (to->kind) {
    case CLI_TO_TEXT: *(const char **)member = value; return true;
    case CLI_TO_FLAG: return *(bool *)member = true;
    case CLI_TO_NUMBER:
        return cli_number(o->name, value, to->least, to->most, (uint64_t *)member, p->d);
    case CLI_TO_LIST:
        return cli_push(o->name, (const char **)member, (int *)((char *)p->settings + to->count),
                        (int)to->most, value, p->d);
    case CLI_TO_WORD: return set_word(o, value, (unsigned *)member, p->d);
    case CLI_TO_CALL: return to->call(p->settings, value, p->d);
    case CLI_TO_NOTHING: break;
    }
    panic("option --%s goes nowhere", o->name);
}

static bool take_option(Parser *p, int option, const char *shown, const char *value) {
    const CliOption *o = &p->command->options[option];
    if (!o->argument && value)
        return diag_fail(p->d, EXIT_USAGE, "%s: option '%s' takes no value", p->command->name,
                         shown);
    if (o->argument && !value) {
        if (p->at + 1 >= p->argc)
            return diag_fail(p->d, EXIT_USAGE, "%s: option '%s' needs a value: %s",
                             p->command->name, shown, o->argument);
        value = p->argv[++p->at];
    }
    return set_target(p, o, value);
}

static bool long_option(Parser *p) {
    const char *text = p->argv[p->at], *name = text + 2;
    const size_t length = strcspn(name, "=");
    if (length == 4 && !strncmp(name, "help", 4) && !name[4]) return p->help = true;
    const int option = find_name(p->command, name, length);
    if (option < 0) return refuse_option(p, text);
    char shown[64];
    snprintf(shown, sizeof shown, "--%.*s", (int)length, name);
    return take_option(p, option, shown, name[length] ? name + length + 1 : NULL);
}

// "-j4", "-j 4". Every letter has a value or is -h.
static bool short_option(Parser *p) {
    const char *text = p->argv[p->at];
    if (!strcmp(text, "-h")) return p->help = true;
    const int option = find_letter(p->command, text[1]);
    if (option < 0) return refuse_option(p, text);
    const char shown[] = {'-', text[1], '\0'};
    return take_option(p, option, shown, text[2] ? text + 2 : NULL);
}

static bool set_fallbacks(Parser *p) {
    for (int i = 0; i < p->command->noptions; i++) {
        const CliOption *o = &p->command->options[i];
        if (o->fallback && !set_target(p, o, o->fallback)) return false;
    }
    return true;
}

bool cli_parse(const Command *command, int argc, char **argv, void *settings, int *first,
               bool *done, Diag *d) {
    Parser p = {.command = command, .argc = argc, .argv = argv, .settings = settings, .d = d};
    int operands = 0;
    bool ended = false;
    *done = false;
    if (!set_fallbacks(&p)) return false;
    for (p.at = 1; p.at < argc && !p.help; p.at++) {
        char *text = argv[p.at];
        if (!ended && !strcmp(text, "--")) ended = true;
        else if (ended || text[0] != '-' || !text[1]) argv[1 + operands++] = text;
        else if (!(text[1] == '-' ? long_option(&p) : short_option(&p))) return false;
    }
    *first = argc - operands;
    memmove(argv + *first, argv + 1, (size_t)operands * sizeof *argv);
    *done = p.help;
    if (p.help) cli_help(stdout, command);
    return true;
}
