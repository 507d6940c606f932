// SPDX-License-Identifier: Apache-2.0
#include "cli/block_list.h"

#include "cli/cli.h"

#include <string.h>

enum { MAX_BLOCKS = 64 };

const BlockDesc *cli_block(const char *option, const char *name, size_t length, Diag *d) {
    char text[64];
    const char *names[MAX_BLOCKS];
    int n = 0;
    snprintf(text, sizeof text, "%.*s", (int)(length < 60 ? length : 60), name);
    const BlockDesc *desc = block_desc_find(text);
    if (desc) return desc;
    for (; n < block_desc_count() && n < MAX_BLOCKS; n++) names[n] = block_desc(n)->name;
    const char *near = name_suggest(text, names, n);
    diag_fail(d, EXIT_USAGE, "%s: no block '%s'%s%s%s", option, text,
              near ? "; did you mean '" : "", near ? near : "",
              near ? "'?" : " (smcosim list blocks)");
    return NULL;
}

bool cli_block_param(const BlockDesc *desc, const char *assignment, int *params, Diag *d) {
    const char *equals = strchr(assignment, '=');
    const char *names[BLOCK_MAX_PARAMS];
    if (!equals) return diag_fail(d, EXIT_USAGE, "--param %s: expected NAME=VALUE", assignment);
    for (int i = 0; i < desc->nparams; i++) {
        const BlockParam *p = &desc->params[i];
        uint64_t value;
        names[i] = p->name;
        if (strlen(p->name) != (size_t)(equals - assignment) ||
            strncmp(assignment, p->name, strlen(p->name)))
            continue;
        char option[32 + sizeof "param "];
        snprintf(option, sizeof option, "param %.32s", p->name);
        if (!cli_number(option, equals + 1, (uint64_t)p->least, (uint64_t)p->most, &value, d))
            return false;
        params[i] = (int)value;
        return true;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment < 60 ? equals - assignment : 60),
             assignment);
    const char *near = name_suggest(name, names, desc->nparams);
    return diag_fail(d, EXIT_USAGE, "--param: block %s has no parameter '%s'%s%s%s", desc->name,
                     name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

bool cli_push(const char *option, const char **list, int *n, int most, const char *value, Diag *d) {
    if (*n == most) return diag_fail(d, EXIT_USAGE, "--%s: more than %d of them", option, most);
    list[(*n)++] = value;
    return true;
}

bool cli_choose_blocks(const char *command, char **names, int n, const BlockDesc **blocks,
                       int *nblocks, int most, Diag *d) {
    for (int i = 0; i < n; i++) {
        const BlockDesc *desc = cli_block(command, names[i], strlen(names[i]), d);
        if (!desc) return false;
        for (int k = 0; k < *nblocks; k++)
            if (blocks[k] == desc)
                return diag_fail(d, EXIT_USAGE, "%s: block '%s' is named twice", command, names[i]);
        if (*nblocks == most) return diag_fail(d, EXIT_USAGE, "%s: too many blocks", command);
        blocks[(*nblocks)++] = desc;
    }
    for (int i = 0; !n && i < block_desc_count() && i < most; i++)
        blocks[(*nblocks)++] = block_desc(i);
    return true;
}

const char *cli_value_for(const char *const *list, int n, const char *block) {
    const size_t length = strlen(block);
    for (int i = n - 1; i >= 0; i--)
        if (!strncmp(list[i], block, length) && list[i][length] == '=') return list[i] + length + 1;
    return NULL;
}
