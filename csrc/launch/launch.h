// SPDX-License-Identifier: Apache-2.0
// launch.yaml: kernels, grids, arguments, buffers, expected results.
//
//   name: bfs                          # optional, default: name of the file's folder or file
//   ptx: bfs.ptx                       # paths are relative to the launch file
//   kernel: k                          # one step: kernel, grid, block, shared_bytes, args; or
//   scalar: k.sasm                     # of a step: program of a thread beside the warps of each
//                                      CTA, in the
//                                       # assembler syntax of csrc/isa/isa.h; for architectures
//                                       with scalar units
//   launches:                          # several, in order; each may name its own ptx
//     - {kernel: a, grid: [64], block: [256], args: [..]}        # absent dimensions are 1
//     - repeat: {while: {buffer: again, offset: 0}, max: 100}    # passes over `steps`: before each
//       steps: [{kernel: b, ..}, {kernel: c, ..}]    # the 4-byte word is cleared; ends when a pass
//                                                     # leaves it zero
//   args:                              # in order of the entry's parameters
//     - {type: ptr, buffer: a, offset: 16}
//     - {type: u32, value: 7}          # u8..u64, s8..s64, f32, f64 (also inf, nan, 0x1p-3)
//     - {type: bytes, hex: "00 ff"}    # a structure by value; or `file: s.bin`; or typed members,
//                                       # each naturally aligned:
//     - {type: bytes, values: [{type: u8, value: 1}, {type: f32, value: 2}]}
//   buffers:
//     a: {bytes: 64K, init: a.bin}     # init: zero or a file (the rest is zero); with a file
//                                       # bytes may be absent: its length. K, M, G: powers of 1024.
//                                       # Quotes change nothing: a file named zero is `./zero`
//                                       # compress: yes|no: how a system that compresses lines
//                                       finds it # in DRAM (default: yes with an init file)
//                                       # at: 0x10000400: its device address, for data that holds
//                                       addresses; buffers # with it come in the order of their
//                                       addresses # save: a.out: written after the run
//                                       # addresses: of buffers and variables, written into it:
//                                       #   [{offset: 0, buffer: b, plus: 16}, {offset: 8, symbol:
//                                           v}]; with
//                                       #   count: 64, stride: 8, step: 256: so many, each `stride`
//                                           bytes further,
//                                       #   to places `step` bytes apart
//   symbols:                           # module variables: `init: FILE`, `hex`, or `values` as in
//                                      arguments
//     coeff: {init: coeff.bin, offset: 0, save: coeff.out, addresses: [..]}
//   textures:                          # texture objects; an argument {type: ptr, buffer: t} is its
//                                      handle
//     t: {buffer: a, offset: 0, format: f32, channels: 1, width: 64, height: 8, pitch: 256}
//                                       # format: u8 s8 u16 s16 u32 s32 f16 f32; depth: 3-D;
//                                       layers: layered; pitch: # bytes from row to row (default:
//                                       no gap) # address: clamp (default), wrap, mirror, border;
//                                       filter: point (default), # linear; normalized: yes:
//                                       coordinates in [0, 1); scaled: yes: integers are # read as
//                                       floats; memory: yes: linear memory, for tex1Dfetch
//   let: {n: 64, tiles: (n + 15) / 16} # every integer may be an expression of these and of loops'
//                                       indices: # launches: - for: {index: k, from: 0, to: n - 2,
//                                       step: 1}
//                                       #             steps: [{kernel: a, grid: [(n - k + 255) /
//                                                     256], ..}]
//   expect:
//     - {buffer: a, file: a.out, type: f32, rtol: 1e-6, atol: 0, ulp: 2, offset: 0, bytes: 64}  #
//       or symbol: v
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
    const char *file;  // where the blob came from; NULL: from the launch file itself
    int line, col;
} LaunchArg;

// Addresses that are written into a buffer or variable when all of them have their places.
typedef struct LaunchAddress {
    uint64_t offset;     // bytes into what holds it
    int buffer, symbol;  // what it points to: one of them, the other is -1
    int64_t plus;        // bytes behind its beginning
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
    const char *file;  // that they came from
} LaunchBytes;

// A variable of modules. It is the same name in each PTX file that has it.
typedef struct LaunchSymbol {
    const char *name;
    LaunchBytes data;  // what it begins with, from `offset` on; the rest as in the PTX
    uint64_t offset;
    const char *save;  // path, NULL: none
    LaunchAddresses addresses;
    struct LaunchPlace {  // after launch_bind: where it is
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
    bool compress;     // a system that compresses lines finds it compressed in DRAM
    const char *save;  // path, NULL: none
    LaunchAddresses addresses;
    const uint8_t *record;  // a texture: its bytes, which the addresses complete; NULL: none
    uint32_t at;            // where it has to lie; 0: anywhere
    uint32_t addr;          // after launch_place
    int line, col;          // of the init file where there is one, else of the name
} LaunchBuffer;

typedef struct LaunchExpect {
    int buffer, symbol;  // one of them, the other is -1
    const char *file;    // path resolved against the launch file
    PtxType type;
    // Floats agree when their bits are equal, both are NaN, they are at most ulp representable
    // values apart, or |difference| <= atol + rtol x |expected|. Integers only when equal.
    double rtol, atol;
    uint64_t ulp;
    uint64_t offset, bytes;  // part of the buffer; bytes 0: the file's length
    int line, col;
} LaunchExpect;

// A step that is repeated while a 4-byte word of a buffer, cleared before each pass, is set by the
// kernels (bfs: until the frontier is empty). Written as `repeat: {while: {buffer: b, offset: 0},
// max: N}` over the following `steps` launches.
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

// A file that a launch file names: the name as it is written there, and where the file is.
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
// The same with the files that it names at other places; a name that is not listed is refused.
Launch *launch_load_from(Arena *arena, const char *path, const LaunchFiles *files, Diag *d);
// Allocates all buffers in m and fills them from their init files.
bool launch_place(Launch *l, DeviceMemory *m, Diag *d);
// Finds each variable that the launch file names in the modules; each must be in one of them.
bool launch_bind(Launch *l, ModuleLayout *const *modules, int nmodules, Diag *d);
// Writes initial values of variables and the addresses in buffers and variables, after launch_place
// and layout_module.
bool launch_fill(Launch *l, DeviceMemory *m, Diag *d);
// Does the launch file say what variable `var` begins with?
bool launch_sets(const Launch *l, const ModuleLayout *layout, int var);
// Writes what `save` asks for.
bool launch_save(const Launch *l, DeviceMemory *m, Diag *d);
// Checks a step's arguments against the entry's parameters and packs the parameter block (bytes =
// entry->param_bytes, from arena). Wrong number or type: message at the argument.
uint8_t *launch_pack_params(const Launch *l, const LaunchStep *s, const PtxFunc *entry,
                            Arena *arena, Diag *d);
// Host bytes of what is compared, and its name.
const uint8_t *launch_compared(const Launch *l, const LaunchExpect *e, const DeviceMemory *m,
                               const char **name);
// Compares buffers and variables with the expectations. Returns true when all agree; else d holds
// EXIT_WRONG_RESULT and names buffer, first differing element, both values, number of differing
// elements. *compared counts elements.
bool launch_check(const Launch *l, DeviceMemory *m, uint64_t *compared, Diag *d);
// Sizes of a launch file to start from; [0] == 0: not given.
typedef struct LaunchInit {
    uint32_t grid[3], block[3];
} LaunchInit;
// Writes a launch file to start from for every entry of a PTX file (`smcosim init`). o may be NULL.
bool launch_init(FILE *out, const PtxModule *module, const char *ptx_path, const LaunchInit *o,
                 Diag *d);

#endif
