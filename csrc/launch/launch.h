// SPDX-License-Identifier: Apache-2.0
// launch.yaml: kernels, grids, arguments, buffers, expected results.
// csrc/launch/README.md describes the file for users.
#ifndef SMCOSIM_LAUNCH_LAUNCH_H
#define SMCOSIM_LAUNCH_LAUNCH_H

#include "launch/device_memory.h"

typedef struct LaunchArg {
    PtxType type;  // u8..u64, s8..s64, f32, f64; pointers: PTX_U64
    bool is_ptr;
    int buffer;           // is_ptr: index into Launch.buffers
    uint64_t offset;      // is_ptr: bytes added
    uint64_t bits;        // value, in the low bytes
    const uint8_t *blob;  // a structure by value; NULL for a scalar
    uint64_t blob_bytes;
    const char *file;  // file of the blob; NULL: the blob is in the launch file
    int line, col;
} LaunchArg;

// Addresses that are written into a buffer or variable after all of them are allocated.
typedef struct LaunchAddress {
    uint64_t offset;     // offset in its buffer or variable
    int buffer, symbol;  // target: one index, the other is -1
    int64_t plus;        // bytes after the start of the target
    int64_t count, stride, step;
    int line, col;
} LaunchAddress;
typedef struct LaunchAddresses {
    LaunchAddress *items;
    int n;
} LaunchAddresses;

typedef struct LaunchBytes {
    uint8_t *bytes;
    int count, cap;
    const char *file;  // file of the bytes
} LaunchBytes;

// A variable of the modules. One name may have a variable in several PTX files.
typedef struct LaunchSymbol {
    const char *name;
    LaunchBytes data;  // initial value, from `offset` on; other bytes as in the PTX
    uint64_t offset;
    const char *save;  // path, NULL: none
    LaunchAddresses addresses;
    struct LaunchPlace {  // set by launch_bind: the variable in each module
        ModuleLayout *layout;
        int var;
    } * places;
    int nplaces, cap_places;
    int line, col;
} LaunchSymbol;

typedef struct LaunchBuffer {
    const char *name;
    uint64_t bytes;
    const char *init;  // path resolved against the launch file; NULL: zero
    bool compress;     // compressed in DRAM, if the system compresses lines
    const char *save;  // path, NULL: none
    LaunchAddresses addresses;
    const uint8_t *record;  // a texture: its record, which the addresses complete; NULL: no texture
    uint32_t at;            // required address; 0: any
    uint32_t addr;          // after launch_place
    int line, col;          // position of the init file if present, otherwise of the name
} LaunchBuffer;

typedef struct LaunchExpect {
    int buffer, symbol;  // one index, the other is -1
    const char *file;    // path resolved against the launch file
    PtxType type;
    // Floats agree if their bits are equal, both are NaN, they are at most ulp representable values
    // apart, or |difference| <= atol + rtol x |expected|. Integers agree only if they are equal.
    double rtol, atol;
    uint64_t ulp;
    uint64_t offset, bytes;  // compared part; bytes 0: the length of the file
    int line, col;
} LaunchExpect;

// A step that repeats while its kernels set a 4-byte word of a buffer (bfs: until the frontier is
// empty). The word is cleared before each pass. The launch file has `repeat: {while: {buffer: b,
// offset: 0}, max: N}` over the following `steps` launches.
typedef struct LaunchStep {
    const char *kernel;
    const char *ptx;  // resolved path
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    const char *scalar;  // resolved path of the scalar threads' program, NULL: none
    LaunchArg *args;
    int nargs;
    int line, col;
} LaunchStep;

typedef struct LaunchGroup {  // one step or a repeated sequence of steps
    LaunchStep *steps;
    int nsteps, cap_steps;
    int repeat_buffer;  // -1: run once
    uint64_t repeat_offset;
    int repeat_max;  // passes after which EXIT_HANG is reported
} LaunchGroup;

// A file that a launch file names: its name there, and its path.
typedef struct LaunchFile {
    const char *name, *path;
} LaunchFile;
typedef struct LaunchFiles {
    const LaunchFile *files;
    int n;
} LaunchFiles;

typedef struct Launch {
    Arena *arena;
    SourceText src;
    const char *name;
    LaunchGroup *groups;
    int ngroups, cap_groups;
    LaunchBuffer *buffers;
    int nbuffers;
    LaunchSymbol *symbols;
    int nsymbols, cap_symbols;
    LaunchExpect *expects;
    int nexpects;
    LaunchFile *files;  // every file it names, each name once
    int nfiles, cap_files;
} Launch;

// Reads and checks launch.yaml (or JSON). NULL with file:line:column message on error.
Launch *launch_load(Arena *arena, const char *path, Diag *d);
// As launch_load, but with other paths for the files that it names; a name that is not listed is
// refused.
Launch *launch_load_from(Arena *arena, const char *path, const LaunchFiles *files, Diag *d);
// Allocates all buffers in m and fills them from their init files.
bool launch_place(Launch *l, DeviceMemory *m, Diag *d);
// Finds the variables that the launch file names; each must be in one of the modules.
bool launch_bind(Launch *l, ModuleLayout *const *modules, int nmodules, Diag *d);
// Writes initial values of variables and the addresses in buffers and variables, after launch_place
// and layout_module.
bool launch_fill(Launch *l, DeviceMemory *m, Diag *d);
// Does the launch file give variable `var` an initial value?
bool launch_sets(const Launch *l, const ModuleLayout *layout, int var);
// Writes the data that `save` selects.
bool launch_save(const Launch *l, DeviceMemory *m, Diag *d);
// Checks a step's arguments against the entry's parameters and packs the parameter block (bytes =
// entry->param_bytes, from arena). A wrong number or type is reported at the argument.
uint8_t *launch_pack_params(const Launch *l, const LaunchStep *s, const PtxFunc *entry,
                            Arena *arena, Diag *d);
// Host bytes of the compared data, and their name.
const uint8_t *launch_compared(const Launch *l, const LaunchExpect *e, const DeviceMemory *m,
                               const char **name);
// Compares buffers and variables with the expectations. Returns true if all agree; otherwise d
// holds EXIT_WRONG_RESULT and names buffer, first differing element, both values, number of
// differing elements. *compared counts elements.
bool launch_check(const Launch *l, DeviceMemory *m, uint64_t *compared, Diag *d);
// Sizes for a new launch file; [0] == 0: not given.
typedef struct LaunchInit {
    uint32_t grid[3], block[3];
} LaunchInit;
// Writes a launch file template for every entry of a PTX file (`smcosim init`). o may be NULL.
bool launch_init(FILE *out, const PtxModule *module, const char *ptx_path, const LaunchInit *o,
                 Diag *d);

#endif
