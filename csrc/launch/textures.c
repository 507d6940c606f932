// SPDX-License-Identifier: Apache-2.0
// Textures of a launch file: each is a buffer that holds the record of a texture object
// (isa/texture.h).
#include "isa/texture.h"
#include "launch/reader.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { MOST_TEXELS = 1 << 27, MOST_PITCH = 0x7fffffff };

// Sets *index to the position of the key's value in `words`. An absent key leaves *index unchanged.
static bool read_word(LaunchReader *r, const YamlNode *map, const char *key,
                      const char *const *words, int n, int *index) {
    const YamlNode *node = yaml_get(map, key);
    const char *text;
    char list[160] = "";
    if (!node) return true;
    if (!read_text(r, node, key, &text)) return false;
    for (int i = 0; i < n; i++)
        if (!strcmp(words[i], text)) return *index = i, true;
    for (int i = 0; i < n; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
    return READ_FAIL(r, node, "%s: expected one of %s, found `%.60s`", key, list, text);
}
#define READ_WORD(r, map, key, words, index) \
    read_word(r, map, key, words, sizeof(words) / sizeof *(words), index)

static bool read_format(LaunchReader *r, const YamlNode *map, TextureRecord *t) {
    static const char *const names[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
    static const uint8_t bits[] = {8, 8, 16, 16, 32, 32, 16, 32};
    int64_t channels = 1;
    int format = 0;
    const YamlNode *n = yaml_get(map, "channels");
    if (!read_need(r, map, "format", "a texture") || !READ_WORD(r, map, "format", names, &format) ||
        !read_int_key(r, map, "channels", 1, 4, &channels))
        return false;
    if (channels == 3) return READ_FAIL(r, n, "channels: expected 1, 2 or 4, found 3");
    t->kind = (uint8_t)(format >= 6      ? TEXTURE_FLOAT
                            : format % 2 ? TEXTURE_SIGNED
                                         : TEXTURE_UNSIGNED);
    t->bits = bits[format];
    t->channels = (uint8_t)channels;
    return true;
}

static bool read_size(LaunchReader *r, const YamlNode *map, TextureRecord *t) {
    int64_t width = 0, height = 0, depth = 0, layers = 0;
    if (!read_need(r, map, "width", "a texture") ||
        !read_int_key(r, map, "width", 1, MOST_TEXELS, &width) ||
        !read_int_key(r, map, "height", 1, MOST_TEXELS, &height) ||
        !read_int_key(r, map, "depth", 1, MOST_TEXELS, &depth) ||
        !read_int_key(r, map, "layers", 1, MOST_TEXELS, &layers))
        return false;
    if (depth && (layers || !height))
        return READ_FAIL(r, yaml_get(map, "depth"),
                         "a texture with `depth` requires `height` and excludes `layers`");
    int64_t pitch = width * texture_texel_bytes(t);
    const int64_t least = pitch;
    if (!read_int_key(r, map, "pitch", least, MOST_PITCH, &pitch)) return false;
    if (pitch % texture_texel_bytes(t))
        return READ_FAIL(r, yaml_get(map, "pitch"),
                         "pitch: expected a multiple of the %u bytes of a texel",
                         texture_texel_bytes(t));
    t->geometry = layers ? height ? TEXTURE_A2D : TEXTURE_A1D
        : depth          ? TEXTURE_3D
        : height         ? TEXTURE_2D
                         : TEXTURE_1D;
    t->width = (uint32_t)width;
    t->height = height ? (uint32_t)height : 1;
    t->depth = (uint32_t)(layers ? layers : depth ? depth : 1);
    t->pitch = (uint32_t)pitch;
    const uint64_t slice = (uint64_t)pitch * t->height;
    t->slice = (uint32_t)slice;
    if (slice >> 32)
        return READ_FAIL(r, map, "a texture of %" PRIu64 " bytes does not fit in memory", slice);
    return true;
}

static bool read_reading(LaunchReader *r, const YamlNode *map, TextureRecord *t) {
    static const char *const wraps[] = {"wrap", "clamp", "mirror", "border"},
                             *const filters[] = {"point", "linear"};
    int wrap = TEXTURE_CLAMP, filter = 0;
    bool coords = false, scaled = false, memory = false;
    if (!READ_WORD(r, map, "address", wraps, &wrap) ||
        !READ_WORD(r, map, "filter", filters, &filter) ||
        !read_yes_key(r, map, "normalized", &coords) || !read_yes_key(r, map, "scaled", &scaled) ||
        !read_yes_key(r, map, "memory", &memory))
        return false;
    if (memory && t->geometry != TEXTURE_1D)
        return READ_FAIL(r, map, "linear memory is a texture of one dimension");
    if (scaled && (t->kind == TEXTURE_FLOAT || t->bits == 32))
        return READ_FAIL(r, yaml_get(map, "scaled"),
                         "only integers of 8 and 16 bits can be read scaled");
    if (filter && t->kind != TEXTURE_FLOAT && !scaled)
        return READ_FAIL(r, yaml_get(map, "filter"),
                         "integers are filtered only when they are `scaled`");
    memset(t->wrap, wrap, sizeof t->wrap);
    t->linear = (uint8_t)filter;
    t->normalized = coords;
    t->scaled = scaled;
    t->memory = memory;
    return true;
}

static bool read_texture(LaunchReader *r, const YamlNode *key, const YamlNode *map,
                         LaunchBuffer *b) {
    TextureRecord t = {.magic = TEXTURE_MAGIC};
    LaunchAddress *a = ARENA_NEW(r->arena, LaunchAddress);
    int64_t offset = 0;
    *b = (LaunchBuffer){.name = key->text, .bytes = sizeof t, .line = key->line, .col = key->col};
    *a = (LaunchAddress){.offset = offsetof(TextureRecord, addr),
                         .symbol = -1,
                         .count = 1,
                         .stride = 8,
                         .line = key->line,
                         .col = key->col};
    if (!read_is(r, map, YAML_MAP, "a texture") ||
        !ONLY_KEYS(r, map, "a texture", "buffer", "offset", "format", "channels", "width", "height",
                   "depth", "layers", "pitch", "address", "filter", "normalized", "scaled",
                   "memory"))
        return false;
    const YamlNode *buffer = read_need(r, map, "buffer", "a texture");
    if (!buffer || !read_buffer_name(r, buffer, &a->buffer) || !read_format(r, map, &t) ||
        !read_size(r, map, &t) || !read_reading(r, map, &t) ||
        !read_int_key(r, map, "offset", 0, MOST_PITCH, &offset))
        return false;
    if (offset % texture_texel_bytes(&t))
        return READ_FAIL(r, yaml_get(map, "offset"),
                         "offset: expected a multiple of the %u bytes of a texel",
                         texture_texel_bytes(&t));
    const LaunchBuffer *from = &r->l->buffers[a->buffer];
    const uint64_t rows = (uint64_t)t.height * t.depth,
                   bytes = (uint64_t)offset + (rows - 1) * t.pitch +
        (uint64_t)t.width * texture_texel_bytes(&t);
    if (bytes > from->bytes)
        return READ_FAIL(r, key, "texture %s needs %" PRIu64 " bytes, buffer %s has %" PRIu64,
                         b->name, bytes, from->name, from->bytes);
    a->plus = offset;
    b->addresses = (LaunchAddresses){.items = a, .n = 1};
    b->record = memcpy(arena_alloc(r->arena, sizeof t), &t, sizeof t);
    return true;
}

bool read_textures(LaunchReader *r, const YamlNode *map) {
    Launch *l = r->l;
    if (!map) return true;
    if (!read_is(r, map, YAML_MAP, "textures")) return false;
    LaunchBuffer *all = ARENA_ARRAY(r->arena, LaunchBuffer, l->nbuffers + map->nitems);
    const int buffers = l->nbuffers;
    if (buffers) memcpy(all, l->buffers, sizeof *all * (size_t)buffers);
    l->buffers = all;
    // its texels are those of a buffer, not of another texture
    for (int i = 0; i < map->nitems; i++) {
        for (int k = 0; k < buffers; k++)
            if (!strcmp(all[k].name, map->keys[i]->text))
                return READ_FAIL(r, map->keys[i], "texture %s has the name of a buffer",
                                 all[k].name);
        if (!read_texture(r, map->keys[i], map->items[i], &all[buffers + i])) return false;
    }
    l->nbuffers = buffers + map->nitems;
    return true;
}
