// SPDX-License-Identifier: Apache-2.0
// All code about keys is generated from config.def. This file names keys only in config_check,
// which relates values to each other.
#include "config/config.h"

#include "base/hash.h"
#include "base/yaml.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct ConfigKey {
    const char *name, *unit, *meaning;
    const char *words;  // "a|b|c" for a choice or a set, else NULL
    bool flags;         // a set
    int least, most;
    size_t offset;  // of the int in MachineConfig
} ConfigKey;

static const ConfigKey KEYS[] = {
#define CFG(field, key, def, least, most, unit, meaning) \
    {key, unit, meaning, NULL, false, least, most, offsetof(MachineConfig, field)},
#define CFGENUM(field, key, def, words, meaning) \
    {key, "", meaning, words, false, 0, 0, offsetof(MachineConfig, field)},
#define CFGFLAGS(field, key, def, words, meaning) \
    {key, "", meaning, words, true, 0, 0, offsetof(MachineConfig, field)},
#include "config/config.def"
#undef CFG
#undef CFGENUM
};
enum { NKEYS = sizeof KEYS / sizeof *KEYS };

static const char *const DEFAULT_WORDS[] = {
#define CFG(field, key, def, least, most, unit, meaning) NULL,
#define CFGENUM(field, key, def, words, meaning) def,
#include "config/config.def"
#undef CFG
#undef CFGENUM
};

static int *value_at(MachineConfig *cfg, const ConfigKey *k) {
    return (int *)((char *)cfg + k->offset);
}

// Index of `word` among "a|b|c", -1 if it is not there.
static int word_index(const char *words, const char *word) {
    size_t n = strlen(word);
    int index = 0;
    for (const char *p = words; p; index++) {
        const char *end = strchr(p, '|');
        size_t len = end ? (size_t)(end - p) : strlen(p);
        if (len == n && !memcmp(p, word, n)) return index;
        p = end ? end + 1 : NULL;
    }
    return -1;
}

static int count_words(const char *words) {
    int n = 1;
    for (; (words = strchr(words, '|')); words++) n++;
    return n;
}

// Reads "none", "all" or words joined by +; -1: something else.
static int read_flags(const char *words, const char *text) {
    int flags = 0;
    if (!strcmp(text, "none")) return 0;
    if (!strcmp(text, "all")) return (1 << count_words(words)) - 1;
    for (const char *p = text; p;) {
        char word[64];
        const size_t n = strcspn(p, "+");
        snprintf(word, sizeof word, "%.*s", (int)n, p);
        const int index = n < sizeof word ? word_index(words, word) : -1;
        if (index < 0) return -1;
        flags |= 1 << index;
        p = p[n] ? p + n + 1 : NULL;
    }
    return flags;
}

void config_flags_text(char *buf, size_t size, const char *words, int flags) {
    size_t used = 0;
    if (!flags || flags == (1 << count_words(words)) - 1) {
        snprintf(buf, size, "%s", flags ? "all" : "none");
        return;
    }
    for (const char *p = words; flags; flags >>= 1, p = strchr(p, '|') + (flags != 0))
        if (flags & 1 && used < size)
            used += (size_t)snprintf(buf + used, size - used, "%s%.*s", used ? "+" : "",
                                     (int)strcspn(p, "|"), p);
}

static void set_defaults(MachineConfig *cfg) {
#define CFG(field, key, def, least, most, unit, meaning) cfg->field = def;
#define CFGENUM(field, key, def, words, meaning) cfg->field = 0;
#include "config/config.def"
#undef CFG
#undef CFGENUM
    for (int i = 0; i < NKEYS; i++)
        if (KEYS[i].flags) *value_at(cfg, &KEYS[i]) = read_flags(KEYS[i].words, DEFAULT_WORDS[i]);
        else if (KEYS[i].words)
            *value_at(cfg, &KEYS[i]) = word_index(KEYS[i].words, DEFAULT_WORDS[i]);
}

static const ConfigKey *key_find(const char *name) {
    for (int i = 0; i < NKEYS; i++)
        if (!strcmp(KEYS[i].name, name)) return &KEYS[i];
    return NULL;
}

static const char *key_near(const char *name) {
    const char *names[NKEYS];
    for (int i = 0; i < NKEYS; i++) names[i] = KEYS[i].name;
    return name_suggest(name, names, NKEYS);
}

enum { PROBLEM_BYTES = 400 };

// Sets one key; on failure `problem` says why.
static bool set_value(MachineConfig *cfg, const ConfigKey *k, const char *text,
                      char problem[PROBLEM_BYTES]) {
    if (k->words) {
        int index = k->flags ? read_flags(k->words, text) : word_index(k->words, text);
        if (index < 0 && k->flags) {
            snprintf(problem, PROBLEM_BYTES,
                     "%s is none, all, or some of %s joined by +, not `%.60s`", k->name, k->words,
                     text);
            return false;
        }
        if (index < 0) {
            snprintf(problem, PROBLEM_BYTES, "%s is one of %s, not `%.60s`", k->name, k->words,
                     text);
            return false;
        }
        *value_at(cfg, k) = index;
        return true;
    }
    int64_t v = 0;
    if (!yaml_integer(text, &v)) {
        snprintf(problem, PROBLEM_BYTES, "%s needs an integer (%d..%d %s), found `%.60s`", k->name,
                 k->least, k->most, k->unit, text);
        return false;
    }
    if (v < k->least || v > k->most) {
        snprintf(problem, PROBLEM_BYTES, "%s = %" PRId64 " is out of range: %d..%d %s", k->name, v,
                 k->least, k->most, k->unit);
        return false;
    }
    *value_at(cfg, k) = (int)v;
    return true;
}

static bool unknown_key(const char *name, char problem[PROBLEM_BYTES]) {
    const char *near = key_near(name);
    snprintf(problem, PROBLEM_BYTES,
             near ? "unknown key `%.60s`; did you mean `%s`?" : "unknown key `%.60s`", name, near);
    return false;
}

bool config_set(MachineConfig *cfg, const char *assignment, Diag *d) {
    return config_set_for(cfg, "--set", assignment, assignment, d);
}

bool config_set_for(MachineConfig *cfg, const char *option, const char *value,
                    const char *assignment, Diag *d) {
    char problem[PROBLEM_BYTES], name[64];
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof name)
        return diag_fail(d, EXIT_USAGE, "%s %s: expected KEY=VALUE", option, value);
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    const ConfigKey *k = key_find(name);
    if (k ? set_value(cfg, k, equals + 1, problem) : unknown_key(name, problem)) return true;
    return diag_fail(d, EXIT_USAGE, "%s %s: %s", option, value, problem);
}

// ---- presets ----

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int config_presets(Arena *arena, const char *data_dir, const char ***names) {
    int count = 0, cap = 0;
    *names = NULL;
    DIR *dir = opendir(arena_printf(arena, "%s/machines", data_dir));
    if (!dir) return 0;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n > 5 && !strcmp(e->d_name + n - 5, ".yaml"))
            *ARENA_PUSH(arena, *names, count, cap) = arena_strndup(arena, e->d_name, n - 5);
    }
    closedir(dir);
    if (count) qsort(*names, (size_t)count, sizeof **names, compare_names);
    return count;
}

// Path of the preset's file; NULL with a message when there is no such preset.
static const char *preset_path(Arena *arena, const char *data_dir, const char *preset, Diag *d) {
    size_t n = strlen(preset);
    bool is_path = strchr(preset, '/') || (n > 5 && !strcmp(preset + n - 5, ".yaml"));
    if (is_path) return preset;
    const char **names;
    int count = config_presets(arena, data_dir, &names);
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], preset))
            return arena_printf(arena, "%s/machines/%s.yaml", data_dir, preset);
    if (!count) {
        diag_fail(d, EXIT_ENVIRONMENT, "no machine presets in %s/machines", data_dir);
        return NULL;
    }
    const char *near = name_suggest(preset, names, count);
    if (near) {
        diag_fail(d, EXIT_USAGE, "unknown machine `%s`; did you mean `%s`?", preset, near);
        return NULL;
    }
    char list[512] = "";
    for (int i = 0; i < count && strlen(list) + strlen(names[i]) + 3 < sizeof list; i++) {
        if (i) strcat(list, ", ");
        strcat(list, names[i]);
    }
    diag_fail(d, EXIT_USAGE, "unknown machine `%s`; expected %s, or the path of a .yaml file",
              preset, list);
    return NULL;
}

static bool load_key(MachineConfig *cfg, const YamlNode *key, const YamlNode *value,
                     const SourceText *src, Diag *d) {
    char problem[PROBLEM_BYTES];
    if (!strcmp(key->text, "description") || !strcmp(key->text, "like")) return true;
    const ConfigKey *k = key_find(key->text);
    if (!k) {
        unknown_key(key->text, problem);
        return diag_fail_at(d, src, key->line, key->col, "%s", problem);
    }
    if (value->kind != YAML_SCALAR)
        return diag_fail_at(d, src, value->line, value->col, "%s needs one value", k->name);
    if (set_value(cfg, k, value->text, problem)) return true;
    return diag_fail_at(d, src, value->line, value->col, "%s", problem);
}

enum { LIKE_DEPTH = 4 };

static bool load_file(MachineConfig *cfg, Arena *arena, const char *data_dir, const char *preset,
                      int depth, Diag *d);

// The preset that a file builds on.
static bool load_like(MachineConfig *cfg, Arena *arena, const char *data_dir, const YamlNode *like,
                      const SourceText *src, int depth, Diag *d) {
    Diag why = {0};
    if (!like) return true;
    if (like->kind != YAML_SCALAR || strchr(like->text, '/') ||
        !preset_path(arena, data_dir, like->text, &why))
        return diag_fail_at(d, src, like->line, like->col, "like: %s",
                            why.text[0] ? why.text : "expected the name of a preset");
    if (depth == LIKE_DEPTH)
        return diag_fail_at(d, src, like->line, like->col,
                            "like: more than %d presets build on each other", LIKE_DEPTH);
    return load_file(cfg, arena, data_dir, like->text, depth + 1, d);
}

static bool load_file(MachineConfig *cfg, Arena *arena, const char *data_dir, const char *preset,
                      int depth, Diag *d) {
    const char *path = preset_path(arena, data_dir, preset, d);
    SourceText src;
    const YamlNode *root = path ? yaml_load(arena, path, &src, d) : NULL;
    if (!root) return false;
    if (root->kind != YAML_MAP)
        return diag_fail_at(d, &src, root->line, root->col, "a machine file is a map of keys");
    if (!load_like(cfg, arena, data_dir, yaml_get(root, "like"), &src, depth, d)) return false;
    for (int i = 0; i < root->nitems; i++)
        if (!load_key(cfg, root->keys[i], root->items[i], &src, d)) return false;
    return true;
}

bool config_load(MachineConfig *cfg, Arena *arena, const char *data_dir, const char *preset,
                 Diag *d) {
    memset(cfg, 0, sizeof *cfg);
    set_defaults(cfg);
    if (!load_file(cfg, arena, data_dir, preset, 0, d)) return false;
    cfg->machine = arena_strndup(arena, preset, strlen(preset));
    return true;
}

const char *config_description(Arena *arena, const char *data_dir, const char *preset) {
    Diag d = {0};
    SourceText src;
    const char *path = preset_path(arena, data_dir, preset, &d);
    const YamlNode *root = path ? yaml_load(arena, path, &src, &d) : NULL;
    const YamlNode *text = root ? yaml_get(root, "description") : NULL;
    return text && text->kind == YAML_SCALAR ? text->text : "";
}

static const char *value_text(Arena *arena, const ConfigKey *k, const MachineConfig *cfg) {
    int value = *value_at((MachineConfig *)cfg, k);
    char flags[256];
    if (!k->words) return arena_printf(arena, "%d", value);
    if (k->flags) {
        config_flags_text(flags, sizeof flags, k->words, value);
        return arena_strndup(arena, flags, strlen(flags));
    }
    const char *p = k->words;
    while (value-- > 0) p = strchr(p, '|') + 1;
    return arena_strndup(arena, p, strcspn(p, "|"));
}

void config_print(FILE *out, const MachineConfig *cfg) {
    Arena arena = {0};
    for (int i = 0; i < NKEYS; i++)
        fprintf(out, "%s: %s\n", KEYS[i].name, value_text(&arena, &KEYS[i], cfg));
    arena_free(&arena);
}

// ---- the table as data ----

int config_key_count(void) { return NKEYS; }

ConfigInfo config_key_info(Arena *arena, int key) {
    const ConfigKey *k = &KEYS[key];
    MachineConfig defaults = {0};
    set_defaults(&defaults);
    const char *range = k->flags ? arena_printf(arena, "none|all|some of %s", k->words)
        : k->words
        ? k->words
        : arena_printf(arena, "%d..%d%s%s", k->least, k->most, *k->unit ? " " : "", k->unit);
    return (ConfigInfo){k->name, value_text(arena, k, &defaults), range, k->meaning};
}

const char *config_key_value(Arena *arena, int key, const MachineConfig *cfg) {
    return value_text(arena, &KEYS[key], cfg);
}

int config_key_index(const char *name) {
    const ConfigKey *k = key_find(name);
    return k ? (int)(k - KEYS) : -1;
}

const char *config_key_near(const char *name) { return key_near(name); }

// The comment of the line that begins with `key:`; NULL: there is no such line.
static const char *find_comment(Arena *arena, const char *text, const char *key) {
    const size_t n = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, key, n) != 0 || line[n] != ':') continue;
        const char *from = memchr(line, '#', strcspn(line, "\n"));
        if (!from) return "";
        from += 1 + strspn(from + 1, " ");
        return arena_strndup(arena, from, strcspn(from, "\n"));
    }
    return NULL;
}

const char *config_key_source(Arena *arena, const char *data_dir, const char *preset, int key) {
    Diag d = {0};
    for (int depth = 0; depth <= LIKE_DEPTH; depth++) {
        SourceText src;
        const char *path = preset_path(arena, data_dir, preset, &d);
        const YamlNode *root = path ? yaml_load(arena, path, &src, &d) : NULL;
        if (!root) return "";
        const char *source = find_comment(arena, src.text, KEYS[key].name);
        const YamlNode *like = yaml_get(root, "like");
        if (source || !like) return source ? source : "";
        preset = like->text;
    }
    return "";
}

// ---- relations ----

int64_t config_dram_time(const MachineConfig *cfg, int dram_cycles) {
    return ((int64_t)dram_cycles * 1000 * 1000 + cfg->dram_clock_permille - 1) /
        cfg->dram_clock_permille;
}

static int64_t cycles_up(int64_t thousandths) { return (thousandths + 999) / 1000; }

// The share of n units of the whole GPU that nports SMs are modeled with, in whole units.
static int share_units(int units, int nports, int sms) {
    if (nports > sms) nports = sms;
    int n = (units * nports + sms / 2) / sms;
    return n < 1 ? 1 : n;
}

// Bytes fetched by a load of one word: a line, or a sector of it.
static int load_bytes(const MachineConfig *cfg) {
    return cfg->l1_sector ? cfg->l1_sector : cfg->l1_line;
}

// From a row's first column command to the end of its data.
static int64_t data_time(const MachineConfig *cfg, int64_t burst) {
    int64_t last = config_dram_time(cfg, cfg->dram_tcl);
    if (!cfg->dram_access) return last + burst * load_bytes(cfg) / cfg->l1_line;
    int64_t apart = config_dram_time(cfg, cfg->dram_groups > 1 ? cfg->dram_tccdl : cfg->dram_tccd);
    int64_t one = burst * cfg->dram_access / cfg->l1_line;
    int commands = (load_bytes(cfg) + cfg->dram_access - 1) / cfg->dram_access;
    return last + (commands - 1) * (apart > one ? apart : one) + one;
}

MemFixed config_mem_fixed(const MachineConfig *cfg, int nports) {
    MemFixed f;
    int sms = cfg->sm_count_gpu, used = nports < sms ? nports : sms;
    f.channels = share_units(cfg->dram_channels, nports, sms);
    f.banks = share_units(cfg->l2_banks, nports, sms);
    int64_t bytes_per_kcycle = (int64_t)cfg->dram_bytes_per_kcycle * used / sms / f.channels;
    if (bytes_per_kcycle < 1) bytes_per_kcycle = 1;
    f.burst = (int64_t)cfg->l1_line * 1000 * 1000 / bytes_per_kcycle;
    f.stretch = (int64_t)1000 * sms * f.channels / ((int64_t)cfg->dram_channels * used);
    int data_flits = (load_bytes(cfg) + cfg->xbar_flit - 1) / cfg->xbar_flit;
    int path = 1 + 2 * cfg->xbar_latency + data_flits;  // L1 lookup, request of one flit, data back
    f.l2_pipe = cfg->l2_latency - path;
    // The request enters the DRAM queue with the L2 lookup and is seen one cycle later.
    int64_t access = config_dram_time(cfg, cfg->dram_trcd) + data_time(cfg, f.burst);
    f.dram_pipe = (int)(cfg->dram_latency - (path + 1 + cycles_up(access)));
    return f;
}

typedef struct Relation {
    bool holds;
    const char *text;
} Relation;

static bool check_relations(const MachineConfig *c, const Relation *relations, size_t n, Diag *d) {
    for (size_t i = 0; i < n; i++)
        if (!relations[i].holds)
            return diag_fail(d, EXIT_USAGE, "machine %s: %s", c->machine ? c->machine : "",
                             relations[i].text);
    return true;
}

static bool is_power_of_two(int v) { return (v & (v - 1)) == 0; }

static bool check_memory(const MachineConfig *c, Diag *d) {
    const Relation relations[] = {
        {c->l1_sector == 0 || c->l1_sector == 32, "l1.sector must be 0 or 32"},
        {c->l1_sector <= c->l1_line, "l1.sector must not exceed l1.line"},
        {is_power_of_two(c->icache_line), "icache.line must be a power of two"},
        {c->icache_bytes == 0 || c->icache_bytes >= c->icache_line * c->icache_ways,
         "icache.bytes must be 0 or hold one set: icache.line x icache.ways"},
        {c->dram_access == 0 || (c->dram_access >= 32 && is_power_of_two(c->dram_access)),
         "dram.access must be 0, 32, 64 or 128"},
        {c->dram_access <= c->l1_line, "dram.access must not exceed l1.line"},
        {is_power_of_two(c->dram_groups), "dram.groups must be a power of two"},
        {c->dram_banks % c->dram_groups == 0, "dram.banks must be a multiple of dram.groups"},
        {c->dram_groups == 1 || c->dram_tccdl >= c->dram_tccd,
         "dram.tccdl must not be less than dram.tccd when there are bank groups"},
        {c->dram_twl <= c->dram_tcl, "dram.twl must not exceed dram.tcl"},
    };
    return check_relations(c, relations, sizeof relations / sizeof *relations, d);
}

static bool check_caches(const MachineConfig *c, Diag *d) {
    MemFixed f = config_mem_fixed(c, 1);
    if (f.l2_pipe < 1)
        return diag_fail(
            d, EXIT_USAGE,
            "l2.latency = %d is less than its parts: with this crossbar it is at least %d",
            c->l2_latency, c->l2_latency - f.l2_pipe + 1);
    if (f.dram_pipe < 0)
        return diag_fail(
            d, EXIT_USAGE,
            "dram.latency = %d is less than its parts: with this crossbar, tRCD, tCL and "
            "bandwidth it is at least %d",
            c->dram_latency, c->dram_latency - f.dram_pipe);
    return true;
}

int config_scalar_regs(const MachineConfig *cfg) {
    const int warps = (cfg->sm_warps + cfg->scalar_units - 1) / cfg->scalar_units;
    const int each = cfg->scalar_words / warps / 2 * 2;
    return each < 16 ? each : 16;
}

int config_bow_rows(const MachineConfig *cfg, bool half) {
    return cfg->bow_entries ? cfg->bow_entries : (half ? 2 : 4) * cfg->bow_window;
}

bool config_check(const MachineConfig *c, Diag *d) {
    const Relation relations[] = {
        {c->sm_threads % 32 == 0, "sm.threads must be a multiple of 32"},
        {c->sm_warps * 32 <= c->sm_threads, "sm.warps x 32 must not exceed sm.threads"},
        {c->sm_schedulers <= c->sm_warps, "sm.schedulers must not exceed sm.warps"},
        {(c->scalar_clock & (c->scalar_clock - 1)) == 0, "scalar.clock must be 1, 2, 4 or 8"},
        {c->rf_banks * c->rf_entries >= c->sm_regs_per_thread,
         "rf.banks x rf.entries must hold one warp of sm.regs_per_thread registers"},
        {c->rf_banks * c->rf_entries <= 16384, "rf.banks x rf.entries must not exceed 16384"},
        {c->rf_write_ports <= c->rf_banks, "rf.write_ports must not exceed rf.banks"},
        {(c->l1_line & (c->l1_line - 1)) == 0, "l1.line must be a power of two"},
        {(c->const_line & (c->const_line - 1)) == 0, "const.line must be a power of two"},
        {c->const_bytes >= c->const_line * c->const_ways,
         "const.bytes must hold one set: const.line x const.ways"},
        {(c->shared_banks & (c->shared_banks - 1)) == 0, "shared.banks must be a power of two"},
        {c->const_miss_latency >= c->const_latency,
         "const.miss_latency must not be less than const.latency"},
        {c->dram_row >= c->l1_line && c->dram_row % c->l1_line == 0,
         "dram.row must be a multiple of l1.line"},
        {c->dram_tras + c->dram_trp <= c->dram_trc,
         "dram.tras + dram.trp must not exceed dram.trc"},
        {c->dram_latency >= c->l2_latency, "dram.latency must not be less than l2.latency"},
        {c->bow_entries == 0 || c->bow_entries >= 4, "bow.entries must be 0 or at least 4"},
        {c->compiler_addr_bits == 32 || c->compiler_addr_bits == 64,
         "compiler.addr_bits must be 32 or 64"},
    };
    return check_relations(c, relations, sizeof relations / sizeof *relations, d) &&
        check_memory(c, d) && check_caches(c, d);
}

uint64_t config_hash(const MachineConfig *cfg) {
    uint64_t hash = HASH_START;
#define CFG(field, key, def, least, most, unit, meaning) \
    hash = hash_bytes(hash, &cfg->field, sizeof cfg->field);
#define CFGENUM(field, key, def, words, meaning) \
    hash = hash_bytes(hash, &cfg->field, sizeof cfg->field);
#include "config/config.def"
#undef CFG
#undef CFGENUM
    return hash;
}
