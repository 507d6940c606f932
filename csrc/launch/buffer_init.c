// SPDX-License-Identifier: Apache-2.0
// The launch file to start from: every entry with all its parameters, loadable as it is written.
#include "launch/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { INIT_BUFFER_BYTES = 65536 };

// A parameter of 64 bits is nearly always a pointer; PTX does not say.
static bool looks_like_pointer(const PtxVar *p) {
    return !p->is_array && (p->type == PTX_U64 || p->type == PTX_B64);
}

// "kernel_param_2" and "kernel__p" say nothing: name buffers after entry and place.
static void buffer_name(char *buf, size_t size, const PtxFunc *entry, int param, bool several) {
    if (several) snprintf(buf, size, "%.80s_%d", entry->name, param);
    else snprintf(buf, size, "buffer%d", param);
    for (char *c = buf; *c; c++)
        if (*c == '$' || *c == '%') *c = '_';
    if (*buf == '.') *buf = '_';
}

static const char *scalar_type(const PtxVar *p) {
    if (p->type == PTX_F32) return "f32";
    if (p->type == PTX_F64) return "f64";
    static const char *const UNSIGNED[] = {"u8", "u16", "u32", "u64"},
                             *const SIGNED[] = {"s8", "s16", "s32", "s64"};
    int log = p->bytes == 1 ? 0 : p->bytes == 2 ? 1 : p->bytes == 4 ? 2 : 3;
    return ptx_type_is_signed(p->type) ? SIGNED[log] : UNSIGNED[log];
}

static void write_arg(FILE *out, const char *indent, const PtxFunc *entry, int i, bool several) {
    const PtxVar *p = &entry->params[i];
    char name[120];
    if (looks_like_pointer(p)) {
        buffer_name(name, sizeof name, entry, i, several);
        fprintf(
            out,
            "%s  - {type: ptr, buffer: %s}     # %s; if it is a number: {type: u64, value: 0}\n",
            indent, name, p->name);
    } else if (p->is_array) {
        fprintf(out, "%s  - {type: bytes, hex: \"", indent);
        for (int64_t k = 0; k < p->bytes; k++) fputs("00", out);
        fprintf(out,
                "\"}  # %s: structure of %" PRId64
                " bytes; or `values: [{type: u32, value: 0}, ..]`\n",
                p->name, p->bytes);
    } else {
        fprintf(out, "%s  - {type: %s, value: 0}     # %s\n", indent, scalar_type(p), p->name);
    }
}

static void write_sizes(FILE *out, const char *indent, const PtxFunc *e, const LaunchInit *o) {
    const int *dim = e->reqntid[0] ? e->reqntid : e->maxntid;
    uint32_t grid[3] = {1, 1, 1},
             block[3] = {dim[0] ? (uint32_t)dim[0] : 32, dim[1] ? (uint32_t)dim[1] : 1,
                         dim[2] ? (uint32_t)dim[2] : 1};
    if (o && o->grid[0]) memcpy(grid, o->grid, sizeof grid);
    if (o && o->block[0]) memcpy(block, o->block, sizeof block);
    fprintf(out, "%sgrid: [%u, %u, %u]            # CTAs\n", indent, grid[0], grid[1], grid[2]);
    fprintf(out, "%sblock: [%u, %u, %u]          # threads of a CTA\n", indent, block[0], block[1],
            block[2]);
}

static void write_step(FILE *out, const char *first, const char *indent, const PtxFunc *e,
                       bool several, const LaunchInit *o) {
    fprintf(out, "%skernel: %s\n", first, e->name);
    write_sizes(out, indent, e, o);
    fprintf(out, "%sshared_bytes: 0            # dynamic shared memory\n", indent);
    fprintf(out, "%sargs:%s\n", indent, e->nparams ? "                      # in order" : " []");
    for (int i = 0; i < e->nparams; i++) write_arg(out, indent, e, i, several);
}

static void write_buffers(FILE *out, const PtxModule *m, bool several) {
    bool any = false;
    char name[120], sample[120] = "buffer0";
    for (int f = 0; f < m->nfuncs; f++) {
        const PtxFunc *e = &m->funcs[f];
        for (int i = 0; e->is_entry && i < e->nparams; i++) {
            if (!looks_like_pointer(&e->params[i])) continue;
            buffer_name(name, sizeof name, e, i, several);
            if (!any)
                fprintf(out, "buffers:                     # init: zero or a file of raw bytes\n");
            if (!any) snprintf(sample, sizeof sample, "%s", name);
            any = true;
            fprintf(out, "  %s: {bytes: %d, init: zero}\n", name, INIT_BUFFER_BYTES);
        }
    }
    fprintf(out,
            "# expect:                    # compared when all launches are done; integers exactly\n"
            "#   - {buffer: %s, file: expected.bin, type: f32, rtol: 1e-6, atol: 0}\n",
            sample);
}

// Reports call the launch so: the entry when there is one, else the file.
static void write_name(FILE *out, const PtxModule *m, const char *ptx_path, bool several) {
    const char *slash = strrchr(ptx_path, '/'), *base = slash ? slash + 1 : ptx_path;
    int length = (int)strcspn(base, ".");
    for (int f = 0; !several && f < m->nfuncs; f++)
        if (m->funcs[f].is_entry) base = m->funcs[f].name, length = (int)strlen(base);
    fprintf(out, "name: \"");
    for (int i = 0; i < length; i++) fputc(base[i] == '"' || base[i] == '\\' ? '_' : base[i], out);
    fprintf(out, "\"\n");
}

bool launch_init(FILE *out, const PtxModule *module, const char *ptx_path, const LaunchInit *o,
                 Diag *d) {
    int entries = 0;
    for (int f = 0; f < module->nfuncs; f++) entries += module->funcs[f].is_entry;
    if (!entries) return diag_fail(d, EXIT_USAGE, "%s: no .entry to launch", ptx_path);
    fprintf(
        out,
        "# Launch file for smcosim. Set sizes, files and values, then: smcosim run THIS_FILE\n");
    write_name(out, module, ptx_path, entries > 1);
    fprintf(out, "ptx: %s     # relative to this file\n", ptx_path);
    if (entries > 1)
        fprintf(out, "launches:                    # in order, over the same buffers\n");
    for (int f = 0; f < module->nfuncs; f++)
        if (module->funcs[f].is_entry)
            write_step(out, entries > 1 ? "  - " : "", entries > 1 ? "    " : "", &module->funcs[f],
                       entries > 1, o);
    write_buffers(out, module, entries > 1);
    if (fflush(out) != 0 || ferror(out))
        return diag_fail(d, EXIT_ENVIRONMENT, "the launch file cannot be written: %s",
                         strerror(errno));
    return true;
}
