// SPDX-License-Identifier: Apache-2.0
// The color of an architecture. Systems of one paper are neighbors; a combination is a darker
// mixture of its parts.
#include "base/hash.h"
#include "report/chart.h"

#include <string.h>

typedef struct Color {
    int r, g, b;
} Color;

static const struct {
    const char *system;
    unsigned rgb;
} table[] = {{"baseline", 0x7a7a7a},    {"packing", 0x3b6ea5},
             {"firstfit", 0x8cb4d9},    {"corf", 0xe8903a},
             {"corf++", 0xc0392b},      {"corf++-map", 0xe8a598},
             {"rfv", 0x4f9d69},         {"rfc", 0x8d6e63},
             {"regmutex", 0x2f4b7c},    {"regmutex-paired", 0x7f93c2},
             {"owf", 0xd4a017},         {"bow", 0x2a9d8f},
             {"bow-wb", 0x79c7bd},      {"bow-wr", 0xa05195},
             {"bow-wr-half", 0xcf9ac5}, {"bow-nofwd", 0xb5ad3c},
             {"larf", 0x5c9e1f},        {"las", 0x7a1f8a},
             {"pmode", 0xd81b60},       {"direct-prefetch", 0xf48fb1},
             {"2xtlp", 0x607d8b},       {"2xbw", 0x90a4ae},
             {"hw-bdi", 0x6a4c93},      {"hw-bdi-mem", 0xa98fc9},
             {"ideal-bdi", 0xc9b6e4},   {"scalar", 0x00796b},
             {"caba-bdi", 0xef6c00},    {"caba-fpc", 0xfb9a1e},
             {"caba-cpack", 0xffc070},  {"caba-best", 0x9c3a0a}};
enum { NSYSTEMS = sizeof table / sizeof *table };

static Color of_system(const char *name, size_t n) {
    for (int i = 0; i < NSYSTEMS; i++)
        if (strlen(table[i].system) == n && !strncmp(table[i].system, name, n))
            return (Color){(int)(table[i].rgb >> 16), (int)(table[i].rgb >> 8 & 255),
                           (int)(table[i].rgb & 255)};
    // A system that is not ours: of its name, neither too light nor too dark.
    const uint64_t h = hash_bytes(HASH_START, name, n);
    return (Color){60 + (int)(h % 120), 60 + (int)(h / 120 % 120), 60 + (int)(h / 14400 % 120)};
}

static Color mix_colors(Color a, Color b, int percent) {
    return (Color){(a.r * percent + b.r * (100 - percent)) / 100,
                   (a.g * percent + b.g * (100 - percent)) / 100,
                   (a.b * percent + b.b * (100 - percent)) / 100};
}

const char *chart_color(char text[COLOR_TEXT], const char *arch, int shade, int shades) {
    const size_t first = strcspn(arch, ":");
    Color c = of_system(arch, first);
    for (const char *part = arch + first; *part == ':';) {
        const size_t n = strcspn(++part, ":");
        c = mix_colors(mix_colors(c, of_system(part, n), 70), (Color){0}, 78);
        part += n;
    }
    if (shades > 1)
        c = mix_colors(c, (Color){255, 255, 255},
                       100 - (shades > 3 ? 72 : 27 * (shades - 1)) * shade / (shades - 1));
    snprintf(text, COLOR_TEXT, "#%02x%02x%02x", (unsigned)c.r & 255, (unsigned)c.g & 255,
             (unsigned)c.b & 255);
    return text;
}
