// SPDX-License-Identifier: Apache-2.0
// Validates a JSON document against the part of JSON Schema that our schemas use.
#ifndef SMCOSIM_TESTS_SCHEMA_H
#define SMCOSIM_TESTS_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static bool type_is(const char *type, const json_t *v) {
    if (!strcmp(type, "object")) return json_is_object(v);
    if (!strcmp(type, "array")) return json_is_array(v);
    if (!strcmp(type, "string")) return json_is_string(v);
    if (!strcmp(type, "integer")) return json_is_integer(v);
    if (!strcmp(type, "number")) return json_is_number(v);
    if (!strcmp(type, "boolean")) return json_is_boolean(v);
    if (!strcmp(type, "null")) return json_is_null(v);
    return false;
}

static bool type_ok(const json_t *type, const json_t *v) {
    if (json_is_string(type)) return type_is(json_string_value(type), v);
    for (size_t i = 0; i < json_array_size(type); i++)
        if (type_is(json_string_value(json_array_get(type, i)), v)) return true;
    return false;
}

// Number of violations of the schema.
static inline int validate(json_t *schema, json_t *v) {
    int bad = 0;
    const char *key;
    json_t *item;
    size_t i;
    if (!type_ok(json_object_get(schema, "type"), v)) return 1;
    if (json_is_object(v))
        json_array_foreach(json_object_get(schema, "required"), i, item) bad +=
            !json_object_get(v, json_string_value(item));
    if (json_is_array(v))
        json_array_foreach(v, i, item) bad += validate(json_object_get(schema, "items"), item);
    json_object_foreach(v, key, item) {
        json_t *known = json_object_get(json_object_get(schema, "properties"), key);
        json_t *other = json_object_get(schema, "additionalProperties");
        if (known) bad += validate(known, item);
        else if (json_is_object(other)) bad += validate(other, item);
        else bad++;
    }
    return bad;
}

#endif
