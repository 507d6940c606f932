// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics in every space, moves, special registers, parameters and constants.
#include "cases.h"

#include <string.h>

static const PtxType elements[] = {PTX_B8,  PTX_U8,  PTX_S8,  PTX_B16, PTX_U16, PTX_S16, PTX_B32,
                                   PTX_U32, PTX_S32, PTX_B64, PTX_U64, PTX_S64, PTX_F32, PTX_F64};
static const char *const result[] = {"%d", "%q", "%r", "%s"};
static const char *const source[] = {"%a", "%b", "%c", "%e"};

// Type of the register for an element, sometimes wider than it.
static PtxType carrier(PtxType t, int variant) {
    static const PtxType narrow[] = {PTX_B16, PTX_B32, PTX_B64};
    int bytes = ptx_type_bytes(t);
    if (t == PTX_F32 || t == PTX_F64) return t;
    if (bytes == 1) return narrow[variant % 3];
    if (bytes == 2) return narrow[variant % 3];
    if (bytes == 4) return narrow[1 + variant % 2];
    return PTX_B64;
}

static const char *list_of(CaseList *l, const char *const *names, int n) {
    if (n == 1) return names[0];
    const char *text = case_text(l, "{%s", names[0]);
    for (int i = 1; i < n; i++) text = case_text(l, "%s, %s", text, names[i]);
    return case_text(l, "%s}", text);
}

// How a test gets 16 bytes of its own in a space: declarations, statements that set %y, space for
// accesses.
typedef struct Room {
    const char *name, *module, *setup, *space;
    const char *plain;  // the space without the qualifier under test
} Room;

static const Room rooms[] = {
    {"global", ".global .align 16 .b8 room_%d[16384];\n",
     "mov.u64 %%y, room_%d; mul.wide.u32 %%z, %%n, 16; add.u64 %%y, %%y, %%z;", ".global",
     ".global"},
    {"shared", ".shared .align 16 .b8 room_%d[2048];\n",
     "mov.u64 %%y, room_%d; mul.wide.u32 %%z, %%l, 16; add.u64 %%y, %%y, %%z;", ".shared",
     ".shared"},
    {"local", "", ".local .align 16 .b8 room_%d[64]; mov.u64 %%y, room_%d; add.u64 %%y, %%y, 32;",
     ".local", ".local"},
    {"generic", ".global .align 16 .b8 room_%d[16384];\n",
     "mov.u64 %%y, room_%d; cvta.global.u64 %%y, %%y; mul.wide.u32 %%z, %%n, 16; add.u64 %%y, %%y, "
     "%%z;",
     "", ""},
    {"generic (shared)", ".shared .align 16 .b8 room_%d[2048];\n",
     "mov.u64 %%y, room_%d; cvta.shared.u64 %%y, %%y; mul.wide.u32 %%z, %%l, 16; add.u64 %%y, %%y, "
     "%%z;",
     "", ""},
    {"generic (local)", "",
     ".local .align 16 .b8 room_%d[64]; mov.u64 %%y, room_%d; cvta.local.u64 %%y, %%y;"
     "add.u64 %%y, %%y, 16;",
     "", ""},
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
static void open_room(CaseList *l, Case *c, const Room *r) {
    int id = case_number(l);
    c->decls = case_text(l, r->module, id);
    c->body = case_text(l, ".reg .b64 %%y, %%z;");
    const char *setup = case_text(l, r->setup, id, id);
    c->body = case_text(l, "%s %s", c->body, setup);
    c->no_immediate = true;
}
#pragma GCC diagnostic pop

// ---- load and store ----

// 16 bytes a, b are written, then read as c->k elements of c->t.
static void ref_load(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint8_t bytes[16];
    int size = ptx_type_bytes(c->t);
    memcpy(bytes, in[i], 16);
    for (int k = 0; k < c->k; k++) {
        uint64_t v = 0;
        memcpy(&v, bytes + k * size, (size_t)size);
        out[k] = ref_ext(c->t, v);
    }
}

static void load(CaseList *l, const Room *r, const char *quals, const char *cache, PtxType t,
                 int vec) {
    Case c = {.t = t,
              .k = vec,
              .in = {PTX_B64, PTX_B64},
              .draw = {DRAW_BITS, DRAW_BITS},
              .ref = ref_load};
    for (int k = 0; k < vec; k++) c.out[k] = carrier(t, case_number(l) + k);
    if (vec > 1)
        for (int k = 1; k < vec; k++) c.out[k] = c.out[0];
    open_room(l, &c, r);
    const char *v = vec == 1 ? "" : vec == 2 ? ".v2" : ".v4";
    c.body =
        case_text(l, "%s st%s.v2.b64 [%%y], {%%a, %%b}; ld%s%s%s%s.%s %s, [%%y];", c.body, r->plain,
                  quals, r->space, cache, v, ptx_type_name(t), list_of(l, result, vec));
    case_add(l, &c, "ld%s%s%s%s.%s", quals, r->space, cache, v, ptx_type_name(t));
}

// 16 bytes of zeros, then elements a, b, ... stored over the first of them; read back as two words.
static void ref_store(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint8_t bytes[16] = {0};
    int size = ptx_type_bytes(c->t);
    for (int k = 0; k < c->k; k++) memcpy(bytes + k * size, &in[i][k], (size_t)size);
    memcpy(out, bytes, 16);
}

static void store(CaseList *l, const Room *r, const char *quals, const char *cache, PtxType t,
                  int vec) {
    Case c = {.t = t, .k = vec, .out = {PTX_B64, PTX_B64}, .ref = ref_store};
    for (int k = 0; k < vec; k++) {
        c.in[k] = carrier(t, case_number(l));
        c.draw[k] = DRAW_BITS;
    }
    open_room(l, &c, r);
    const char *v = vec == 1 ? "" : vec == 2 ? ".v2" : ".v4";
    c.body = case_text(
        l, "%s st%s.v2.b64 [%%y], {0, 0}; st%s%s%s%s.%s [%%y], %s; ld%s.v2.b64 {%%d, %%q}, [%%y];",
        c.body, r->plain, quals, r->space, cache, v, ptx_type_name(t), list_of(l, source, vec),
        r->plain);
    case_add(l, &c, "st%s%s%s%s.%s", quals, r->space, cache, v, ptx_type_name(t));
}

static void accesses(CaseList *l) {
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++)
        for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
            for (int vec = 1; vec <= 4; vec *= 2) {
                if (vec * ptx_type_bytes(elements[e]) > 16) continue;
                load(l, &rooms[r], "", "", elements[e], vec);
                store(l, &rooms[r], "", "", elements[e], vec);
                bool one_generic = r > 3;  // the three kinds of generic rooms have the same names
                if (rooms[r].space[0] == '.' && rooms[r].space[1] == 'l') continue;
                if (one_generic) continue;
                load(l, &rooms[r], ".volatile", "", elements[e], vec);
                store(l, &rooms[r], ".volatile", "", elements[e], vec);
            }
    static const char *const loads[] = {".relaxed.gpu", ".acquire.sys", ".relaxed.cta",
                                        ".relaxed.sys"};
    static const char *const stores[] = {".relaxed.gpu", ".release.sys", ".relaxed.cta",
                                         ".relaxed.sys"};
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 4; r++)
            for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
                if (r == 2) continue;  // local memory has no order
                load(l, &rooms[r], loads[k], "", elements[e], 1);
                store(l, &rooms[r], stores[k], "", elements[e], 1);
            }
}

// Cache operators follow the space.
static void cached(CaseList *l) {
    static const char *const loads[] = {
        ".cg", ".cs", ".ca", ".lu", ".cv", ".L1::evict_last", ".L1::no_allocate"};
    static const char *const stores[] = {".cs", ".cg", ".wb", ".wt"};
    for (int k = 0; k < 7; k++)
        for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
            for (int vec = 1; vec <= 4; vec *= 2) {
                if (vec * ptx_type_bytes(elements[e]) > 16) continue;
                load(l, &rooms[0], "", loads[k], elements[e], vec);
                if (k < 4) store(l, &rooms[0], "", stores[k], elements[e], vec);
                if (k < 2 && vec == 1) load(l, &rooms[3], "", loads[k], elements[e], 1);
                if (k < 2 && vec == 1) store(l, &rooms[3], "", stores[k], elements[e], 1);
            }
}

// The operand buffer is never written by the kernel: fit for .nc.
static void read_only(CaseList *l) {
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        for (int vec = 1; vec <= 4; vec *= 2) {
            PtxType t = elements[e];
            if (vec * ptx_type_bytes(t) > 16) continue;
            Case c = {.t = t,
                      .k = vec,
                      .in = {PTX_B64, PTX_B64},
                      .draw = {DRAW_BITS, DRAW_BITS},
                      .ref = ref_load,
                      .no_immediate = true};
            for (int i = 0; i < vec; i++) c.out[i] = carrier(t, (int)e);
            const char *v = vec == 1 ? "" : vec == 2 ? ".v2" : ".v4", *n = ptx_type_name(t);
            c.body = case_text(l, "ld.global.nc%s.%s %s, [%%x];", v, n, list_of(l, result, vec));
            case_add(l, &c, "ld.global.nc%s.%s", v, n);
        }
}

// ---- constants and parameters ----

static void ref_blob(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int size = ptx_type_bytes(c->t), at = c->flag ? (int)(in[i][0] % 3) * 16 : 16;
    for (int k = 0; k < c->k; k++) {
        uint64_t v = 0;
        for (int b = 0; b < size; b++) v |= (uint64_t)case_blob(at + k * size + b) << (8 * b);
        out[k] = ref_ext(c->t, v);
    }
}

static void constants(CaseList *l) {
    const char *bytes = "11";
    for (int i = 1; i < CASE_BLOB; i++) bytes = case_text(l, "%s, %d", bytes, case_blob(i));
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        for (int vec = 1; vec <= 4; vec *= 2)
            for (int how = 0; how < 3; how++) {  // by symbol, by register, generic
                PtxType t = elements[e];
                if (vec * ptx_type_bytes(t) > 16) continue;
                Case c = {.t = t,
                          .k = vec,
                          .flag = how > 0,
                          .in = {PTX_U32},
                          .ref = ref_blob,
                          .no_immediate = true};
                for (int k = 0; k < vec; k++) c.out[k] = carrier(t, (int)e);
                int id = case_number(l);
                const char *v = vec == 1 ? ""
                    : vec == 2           ? ".v2"
                                         : ".v4",
                           *to = list_of(l, result, vec);
                c.decls = case_text(l, ".const .align 16 .b8 blob_%d[%d] = {%s};\n", id, CASE_BLOB,
                                    bytes);
                const char *addr =
                    case_text(l,
                              ".reg .b64 %%y, %%z; rem.u32 %%a, %%a, 3; mul.wide.u32 %%z, %%a, 16;"
                              "mov.u64 %%y, blob_%d; %sadd.u64 %%y, %%y, %%z;",
                              id, how == 2 ? "cvta.const.u64 %y, %y; " : "");
                if (how)
                    c.body = case_text(l, "%s ld%s%s.%s %s, [%%y];", addr, how == 2 ? "" : ".const",
                                       v, ptx_type_name(t), to);
                else
                    c.body = case_text(l, "ld.const%s.%s %s, [blob_%d+16];", v, ptx_type_name(t),
                                       to, id);
                case_add(l, &c, "ld%s%s.%s", how == 2 ? "" : ".const", v, ptx_type_name(t));
            }
}

static void parameters(CaseList *l) {
    for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
        for (int vec = 1; vec <= 4; vec *= 2)
            for (int how = 0; how < 2;
                 how++) {  // by symbol; by register that holds the parameter's address
                PtxType t = elements[e];
                if (vec * ptx_type_bytes(t) > 16) continue;
                Case c = {.t = t,
                          .k = vec,
                          .flag = how,
                          .in = {PTX_U32},
                          .ref = ref_blob,
                          .no_immediate = true};
                for (int k = 0; k < vec; k++) c.out[k] = carrier(t, (int)e);
                const char *v = vec == 1 ? ""
                    : vec == 2           ? ".v2"
                                         : ".v4",
                           *to = list_of(l, result, vec);
                if (how)
                    c.body = case_text(l,
                                       ".reg .b64 %%y, %%z; rem.u32 %%a, %%a, 3; mul.wide.u32 %%z, "
                                       "%%a, 16; mov.b64 %%y, blob;"
                                       "add.u64 %%y, %%y, %%z; ld.param%s.%s %s, [%%y];",
                                       v, ptx_type_name(t), to);
                else c.body = case_text(l, "ld.param%s.%s %s, [blob+16];", v, ptx_type_name(t), to);
                case_add(l, &c, "ld.param%s.%s", v, ptx_type_name(t));
            }
}

// ---- atomics ----

static void ref_atom(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint64_t now = ref_atomic((PtxAtom)c->k, c->t, c->ftz, in[i][0], in[i][1], in[i][2]);
    out[0] = c->flag ? now : in[i][0];
    out[1] = now;
}

static void atomic(CaseList *l, const Room *r, const char *quals, PtxAtom op, PtxType t) {
    static const char *const names[] = {"",    "add", "min", "max",  "inc", "dec",
                                        "and", "or",  "xor", "exch", "cas"};
    PtxType reg = t == PTX_S32 || t == PTX_U32 ? PTX_B32
        : t == PTX_S64 || t == PTX_U64         ? PTX_B64
                                               : t;
    Case c = {.t = t,
              .k = op,
              .in = {reg, reg, reg},
              .out = {reg, reg},
              .ref = ref_atom,
              .ftz = !strncmp(r->module, ".global", 7)};  // sums of f32 there flush
    if (op == PTX_ATOM_CAS || op == PTX_ATOM_INC || op == PTX_ATOM_DEC)
        c.draw[0] = c.draw[1] = DRAW_FEW;
    int bits = 8 * ptx_type_bytes(t);
    const char *n = ptx_type_name(t);
    open_room(l, &c, r);
    const char *setup = c.body;
    c.body = case_text(
        l, "%s st%s.b%d [%%y], %%a; atom%s%s.%s.%s %%d, [%%y], %%b%s; ld%s.b%d %%q, [%%y];", setup,
        r->plain, bits, quals, r->space, names[op], n, op == PTX_ATOM_CAS ? ", %c" : "", r->plain,
        bits);
    case_add(l, &c, "atom%s%s.%s.%s", quals, r->space, names[op], n);
    if (op == PTX_ATOM_CAS || op == PTX_ATOM_EXCH) return;
    c.flag = true;
    c.body = case_text(
        l,
        "%s st%s.b%d [%%y], %%a; red%s%s.%s.%s [%%y], %%b; ld%s.b%d %%d, [%%y]; mov.b%d %%q, %%d;",
        setup, r->plain, bits, quals, r->space, names[op], n, r->plain, bits, bits);
    case_add(l, &c, "red%s%s.%s.%s", quals, r->space, names[op], n);
}

static void atomics(CaseList *l) {
    static const struct {
        PtxAtom op;
        PtxType types[6];
    } forms[] = {{PTX_ATOM_ADD, {PTX_U32, PTX_S32, PTX_U64, PTX_F32, PTX_F64}},
                 {PTX_ATOM_MIN, {PTX_U32, PTX_S32, PTX_U64, PTX_S64}},
                 {PTX_ATOM_MAX, {PTX_U32, PTX_S32, PTX_U64, PTX_S64}},
                 {PTX_ATOM_INC, {PTX_U32}},
                 {PTX_ATOM_DEC, {PTX_U32}},
                 {PTX_ATOM_AND, {PTX_B32, PTX_B64}},
                 {PTX_ATOM_OR, {PTX_B32, PTX_B64}},
                 {PTX_ATOM_XOR, {PTX_B32, PTX_B64}},
                 {PTX_ATOM_EXCH, {PTX_B32, PTX_B64}},
                 {PTX_ATOM_CAS, {PTX_B16, PTX_B32, PTX_B64}}};
    static const int places[] = {0, 1, 3, 4};
    for (int r = 0; r < 4; r++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            for (int k = 0; forms[f].types[k]; k++)
                atomic(l, &rooms[places[r]], "", forms[f].op, forms[f].types[k]);
    atomic(l, &rooms[0], ".relaxed.gpu", PTX_ATOM_ADD, PTX_U32);
    atomic(l, &rooms[0], ".relaxed.sys", PTX_ATOM_ADD, PTX_U64);
    atomic(l, &rooms[1], ".relaxed.cta", PTX_ATOM_MAX, PTX_S32);
}

// ---- moves ----

static void ref_copy(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    (void)c;
    out[0] = in[i][0];
}
static void ref_pack(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = 0;
    for (int k = 0; k < c->k; k++)
        out[0] |= ref_low(c->t, in[i][k]) << (8 * ptx_type_bytes(c->t) * k);
}
static void ref_unpack(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    for (int k = 0; k < c->k; k++)
        out[k] = ref_low(c->t, in[i][0] >> (8 * ptx_type_bytes(c->t) * k));
}

static void moves(CaseList *l) {
    static const PtxType types[] = {PTX_B16, PTX_B32, PTX_B64, PTX_U16, PTX_U32, PTX_U64,
                                    PTX_S16, PTX_S32, PTX_S64, PTX_F32, PTX_F64};
    for (int k = 0; k < 11; k++)
        case_add(l, &(Case){.t = types[k], .in = {types[k]}, .out = {types[k]}, .ref = ref_copy},
                 "mov.%s", ptx_type_name(types[k]));
    static const struct {
        PtxType whole, part;
        int n;
    } packs[] = {{PTX_B32, PTX_B16, 2}, {PTX_B64, PTX_B32, 2}, {PTX_B64, PTX_B16, 4}};
    for (int k = 0; k < 3; k++) {
        Case c = {.t = packs[k].part,
                  .k = packs[k].n,
                  .ref = ref_pack,
                  .no_immediate = true,
                  .out = {packs[k].whole}};
        for (int i = 0; i < c.k; i++) c.in[i] = packs[k].part;
        c.body =
            case_text(l, "mov.%s %%d, %s;", ptx_type_name(packs[k].whole), list_of(l, source, c.k));
        case_add(l, &c, "mov.%s (pack %d)", ptx_type_name(packs[k].whole), c.k);
        c = (Case){.t = packs[k].part, .k = packs[k].n, .ref = ref_unpack, .in = {packs[k].whole}};
        for (int i = 0; i < c.k; i++) c.out[i] = packs[k].part;
        c.body =
            case_text(l, "mov.%s %s, %%a;", ptx_type_name(packs[k].whole), list_of(l, result, c.k));
        case_add(l, &c, "mov.%s (unpack %d)", ptx_type_name(packs[k].whole), c.k);
    }
    // One part goes nowhere.
    Case c = {.t = PTX_B32, .k = 1, .ref = ref_unpack, .in = {PTX_B64}, .out = {PTX_B32}};
    c.body = "mov.b64 {%d, _}, %a;";
    case_add(l, &c, "mov.b64 (unpack, sink)");
}

// ---- special registers ----

static void ref_sreg(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint32_t t = (uint32_t)i % CASE_THREADS, lane = t % 32;
    (void)in;
    switch ((PtxSreg)c->k) {
    case PTX_SREG_TID_X: out[0] = t; break;
    case PTX_SREG_NTID_X: out[0] = CASE_THREADS; break;
    case PTX_SREG_CTAID_X: out[0] = (uint64_t)(i / CASE_THREADS); break;
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z: out[0] = 1; break;
    case PTX_SREG_LANEID: out[0] = lane; break;
    case PTX_SREG_LANEMASK_EQ: out[0] = 1u << lane; break;
    case PTX_SREG_LANEMASK_LT:
        for (uint32_t k = 0; k < lane; k++) out[0] |= 1u << k;
        break;
    case PTX_SREG_LANEMASK_LE:
        for (uint32_t k = 0; k <= lane; k++) out[0] |= 1u << k;
        break;
    case PTX_SREG_LANEMASK_GT:
        for (uint32_t k = lane + 1; k < 32; k++) out[0] |= 1u << k;
        break;
    case PTX_SREG_LANEMASK_GE:
        for (uint32_t k = lane; k < 32; k++) out[0] |= 1u << k;
        break;
    default: out[0] = 0; break;  // tid.y, tid.z, ctaid.y, ctaid.z, dynamic shared memory
    }
}

static bool check_clock(const Case *c, const uint64_t in[4], const uint64_t out[4]) {
    (void)c, (void)in;
    return out[1] == 1;  // did not run backwards
}

static void specials(CaseList *l) {
    static const PtxSreg fixed[] = {
        PTX_SREG_TID_X,       PTX_SREG_TID_Y,       PTX_SREG_TID_Z,
        PTX_SREG_NTID_X,      PTX_SREG_NTID_Y,      PTX_SREG_NTID_Z,
        PTX_SREG_CTAID_X,     PTX_SREG_CTAID_Y,     PTX_SREG_CTAID_Z,
        PTX_SREG_NCTAID_Y,    PTX_SREG_NCTAID_Z,    PTX_SREG_LANEID,
        PTX_SREG_LANEMASK_EQ, PTX_SREG_LANEMASK_LT, PTX_SREG_LANEMASK_LE,
        PTX_SREG_LANEMASK_GT, PTX_SREG_LANEMASK_GE, PTX_SREG_DYNAMIC_SMEM_SIZE};
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
        Case c = {.k = fixed[k], .in = {PTX_U32}, .out = {PTX_U32}, .ref = ref_sreg};
        c.body = case_text(l, "mov.u32 %%d, %s;", ptx_sreg_name(fixed[k]));
        case_add(l, &c, "mov.u32 %s", ptx_sreg_name(fixed[k]));
    }
    static const PtxSreg clocks[] = {PTX_SREG_CLOCK, PTX_SREG_CLOCK64, PTX_SREG_GLOBALTIMER};
    for (int k = 0; k < 3; k++) {
        int bits = k ? 64 : 32;
        Case c = {.in = {PTX_U32}, .out = {k ? PTX_U64 : PTX_U32, PTX_U32}, .check = check_clock};
        c.body = case_text(
            l,
            ".reg .u%d %%y; .reg .pred %%p; mov.u%d %%y, %s; add.u32 %%a, %%a, 1; bar.warp.sync -1;"
            "mov.u%d %%d, %s; setp.ge.u%d %%p, %%d, %%y; selp.u32 %%q, 1, 0, %%p;",
            bits, bits, ptx_sreg_name(clocks[k]), bits, ptx_sreg_name(clocks[k]), bits);
        case_add(l, &c, "mov.u%d %s", bits, ptx_sreg_name(clocks[k]));
    }
}

void cases_memory(CaseList *l) {
    accesses(l);
    cached(l);
    read_only(l);
    constants(l);
    parameters(l);
    atomics(l);
    moves(l);
    specials(l);
}
