// SPDX-License-Identifier: Apache-2.0
// Shared by the files that read launch.yaml: typed access to YAML nodes, with messages that name
// their position.
#ifndef SMCOSIM_LAUNCH_READER_H
#define SMCOSIM_LAUNCH_READER_H

#include "base/yaml.h"
#include "launch/launch.h"

// A named integer: of `let`, or the index of a loop.
typedef struct LaunchName {
    const char *name;
    int64_t value;
} LaunchName;

typedef struct LaunchReader {
    Launch *l;
    Arena *arena;
    const char *dir;           // folder of the launch file, with trailing '/', or ""
    const char *ptx;           // PTX file of the top level, NULL if absent
    const LaunchFiles *files;  // paths of the files that it names; NULL: beside the launch file
    LaunchName *names;         // names in scope; of equal names the later one counts
    int nnames, cap_names;
    int nsteps;  // launches read so far
    Diag *d;
} LaunchReader;

// ---- reader.c ----

// Records an error at the node.
#define READ_FAIL(r, n, ...) diag_fail_at((r)->d, &(r)->l->src, (n)->line, (n)->col, __VA_ARGS__)

// Each returns false after recording the found and the expected node.
bool read_is(LaunchReader *r, const YamlNode *n, YamlKind kind, const char *what);
// The value of a required key.
const YamlNode *read_need(LaunchReader *r, const YamlNode *map, const char *key, const char *what);
bool read_int(LaunchReader *r, const YamlNode *n, const char *what, int64_t least, int64_t most,
              int64_t *v);
// As read_int for an optional key; *v is unchanged if the key is absent.
bool read_int_key(LaunchReader *r, const YamlNode *map, const char *key, int64_t least,
                  int64_t most, int64_t *v);
// yes or no.
bool read_yes_key(LaunchReader *r, const YamlNode *map, const char *key, bool *v);
bool read_double_key(LaunchReader *r, const YamlNode *map, const char *key, double *v);
bool read_text(LaunchReader *r, const YamlNode *n, const char *what, const char **text);
// Path of a file that is written after the run.
bool read_save_key(LaunchReader *r, const YamlNode *map, const char **path);
// A path of an existing regular file, resolved against the launch file; its size.
bool read_file_path(LaunchReader *r, const YamlNode *n, const char *what, const char **path,
                    uint64_t *bytes);
bool read_buffer_name(LaunchReader *r, const YamlNode *n, int *index);
#define ONLY_KEYS(r, map, what, ...) \
    yaml_only_keys(map, (const char *const[]){__VA_ARGS__}, \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), what, \
                   &(r)->l->src, (r)->d)
// A numeric type name; NOTYPE is never returned on success.
bool read_type(LaunchReader *r, const YamlNode *n, PtxType *type);

// ---- args.c ----
bool read_args(LaunchReader *r, const YamlNode *list, LaunchStep *step);
// Bytes from `hex`, `file` or `values` of a map; file: the key of a file's name.
bool read_bytes(LaunchReader *r, const YamlNode *map, const char *what, const char *file,
                uint64_t most, LaunchBytes *b);

// ---- expr.c ----
// An integer or an expression of integers. False: `why` describes the error, `at` is its character
// in the text.
bool expr_integer(const LaunchReader *r, const char *text, int64_t *v, int *at, char *why,
                  size_t size);
bool expr_is_name(const char *text);

// ---- symbols.c ----
bool read_symbols(LaunchReader *r, const YamlNode *map);
// A module variable by name, which need not be under `symbols`.
bool read_symbol_name(LaunchReader *r, const YamlNode *n, int *index);
bool read_addresses(LaunchReader *r, const YamlNode *list, LaunchAddresses *a);

// ---- textures.c ----
// Textures are further buffers, after those that they name.
bool read_textures(LaunchReader *r, const YamlNode *map);

#endif
