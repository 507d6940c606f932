// SPDX-License-Identifier: Apache-2.0
// Linking at run time: PTX and fat binaries that a program adds one after the other. The result is
// a list of containers behind a header of our own, which cuModuleLoadData recognizes. The simulator
// links them when the module is loaded.
#include "cuda/driver/driver_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN };
enum { OPTION_INFO_LOG = 3, OPTION_ERROR_LOG = 5 };
enum { CONTAINER_BYTES = 16, ENTRY_BYTES = 64, ENTRY_PTX = 1, ENTRY_64_BIT = 1 };
#define CONTAINER_MAGIC 0xba55ed50u

typedef struct LinkState {
    char *bytes;  // header and containers
    size_t n;
} LinkState;

static CUresult append_bytes(LinkState *s, const void *from, size_t n) {
    char *more = realloc(s->bytes, s->n + n);
    if (!more) return CUDA_MemoryAllocation;
    if (from) memcpy(more + s->n, from, n);
    else memset(more + s->n, 0, n);
    s->bytes = more;
    s->n += n;
    return CUDA_Success;
}

// Logs stay empty, because faults of PTX are reported when the module is loaded.
static void clear_logs(unsigned n, const int *options, void **values) {
    for (unsigned i = 0; i < n; i++)
        if ((options[i] == OPTION_INFO_LOG || options[i] == OPTION_ERROR_LOG) && values[i])
            *(char *)values[i] = '\0';
}

API CUresult cuLinkCreate_v2(unsigned n, const int *options, void **values, LinkState **state) {
    if (!state || (n && (!options || !values))) return CUDA_InvalidValue;
    clear_logs(n, options, values);
    LinkState *s = calloc(1, sizeof *s);
    if (!s) return CUDA_MemoryAllocation;
    const CUresult error =
        append_bytes(s, &(LinkedHeader){.magic = LINKED_MAGIC}, sizeof(LinkedHeader));
    if (error) free(s);
    else *state = s;
    return error;
}
API CUresult cuLinkCreate(unsigned n, const int *options, void **values, LinkState **state) {
    return cuLinkCreate_v2(n, options, values, state);
}

// A container with one entry, not compressed. Text may end with NULs.
static CUresult add_ptx(LinkState *s, const char *text, size_t n) {
    const char *target = memmem(text, n, ".target", 7),
               *sm = target ? memmem(target, (size_t)(text + n - target), "sm_", 3) : NULL;
    const uint64_t payload = (n + 8) & ~7ull, size = ENTRY_BYTES + payload;
    const uint32_t arch = sm && sm + 5 < text + n ? (uint32_t)strtoul(sm + 3, NULL, 10) : 0;
    char head[CONTAINER_BYTES + ENTRY_BYTES] = {0}, *entry = head + CONTAINER_BYTES;
    memcpy(head, &(uint32_t){CONTAINER_MAGIC}, 4);
    memcpy(head + 4, (uint16_t[]){1, CONTAINER_BYTES}, 4);
    memcpy(head + 8, &size, 8);
    memcpy(entry, (uint16_t[]){ENTRY_PTX, 0x0101}, 4);
    memcpy(entry + 4, &(uint32_t){ENTRY_BYTES}, 4);
    memcpy(entry + 8, &payload, 8);
    memcpy(entry + 28, &arch, 4);
    memcpy(entry + 40, &(uint64_t){ENTRY_64_BIT}, 8);
    CUresult error = append_bytes(s, head, sizeof head);
    if (!error) error = append_bytes(s, text, n);
    return error ? error : append_bytes(s, NULL, payload - n);
}

API CUresult cuLinkAddData_v2(LinkState *s, int kind, const void *data, size_t n, const char *name,
                              unsigned noptions, const int *options, void **values) {
    uint32_t magic = 0;
    if (!s || !data || !n) return CUDA_InvalidValue;
    clear_logs(noptions, options, values);
    if (n >= sizeof magic) memcpy(&magic, data, sizeof magic);
    if (kind == INPUT_PTX) return add_ptx(s, data, n);
    if (kind == INPUT_FATBIN && magic == CONTAINER_MAGIC && !(n % 8))
        return append_bytes(s, data, n);
    runtime_warn("cuLinkAddData: %s is neither PTX nor a fat binary: machine code cannot run",
                 name ? name : "an input");
    return CUDA_NoKernelImageForDevice;
}
API CUresult cuLinkAddData(LinkState *s, int kind, const void *data, size_t n, const char *name,
                           unsigned noptions, const int *options, void **values) {
    return cuLinkAddData_v2(s, kind, data, n, name, noptions, options, values);
}

API CUresult cuLinkAddFile_v2(LinkState *s, int kind, const char *path, unsigned noptions,
                              const int *options, void **values) {
    char *text;
    size_t n;
    if (!s || !path) return CUDA_InvalidValue;
    CUresult error = driver_file(path, &text, &n);
    if (error) return error;
    error = cuLinkAddData_v2(s, kind, text, n, path, noptions, options, values);
    free(text);
    return error;
}
API CUresult cuLinkAddFile(LinkState *s, int kind, const char *path, unsigned noptions,
                           const int *options, void **values) {
    return cuLinkAddFile_v2(s, kind, path, noptions, options, values);
}

API CUresult cuLinkComplete(LinkState *s, void **code, size_t *n) {
    if (!s || !code || s->n == sizeof(LinkedHeader)) return CUDA_InvalidValue;
    memcpy(s->bytes, &(LinkedHeader){LINKED_MAGIC, s->n - sizeof(LinkedHeader)},
           sizeof(LinkedHeader));
    *code = s->bytes;
    if (n) *n = s->n;
    return CUDA_Success;
}
API CUresult cuLinkDestroy(LinkState *s) {
    if (!s) return CUDA_InvalidValue;
    free(s->bytes);
    free(s);
    return CUDA_Success;
}
