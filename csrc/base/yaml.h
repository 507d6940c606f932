// SPDX-License-Identifier: Apache-2.0
// YAML (and so JSON) files as a tree with the position of every value, so that messages can name
// its line and column. Duplicate keys, several documents and tags are refused.
#ifndef SMCOSIM_BASE_YAML_H
#define SMCOSIM_BASE_YAML_H

#include "base/arena.h"
#include "base/diag.h"

typedef enum YamlKind { YAML_SCALAR, YAML_LIST, YAML_MAP } YamlKind;

typedef struct YamlNode YamlNode;
struct YamlNode {
    YamlKind kind;
    int line, col;     // from 1
    const char *text;  // SCALAR
    YamlNode **items;  // LIST: elements; MAP: values
    YamlNode **keys;   // MAP: scalars
    int nitems, cap_items, cap_keys;
};

// Reads the file into *src (text on the arena) and parses it; an empty file is an empty map. NULL
// with a message that names the position.
YamlNode *yaml_load(Arena *arena, const char *path, SourceText *src, Diag *d);

// Value of a key of a map, NULL if absent.
const YamlNode *yaml_get(const YamlNode *map, const char *key);
// Refuses keys of `map` that are not among `known`, naming the nearest one.
bool yaml_only_keys(const YamlNode *map, const char *const *known, int nknown, const char *what,
                    const SourceText *src, Diag *d);
// "text `x`", "a list", "a map": describes a node in messages. buf must hold 100 bytes.
const char *yaml_found(const YamlNode *n, char *buf, size_t size);

// Integers: decimal, 0x.., with an optional K, M or G (powers of 1024) after decimals; the whole
// text.
bool yaml_integer(const char *text, int64_t *value);

#endif
