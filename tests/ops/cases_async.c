// SPDX-License-Identifier: Apache-2.0
// cp.async of each size, with fewer bytes read than written, and guarded; mbarriers of one thread
// and of a CTA.
#include "cases.h"

#define ROOM ".shared .align 16 .b8 room[4096];\n"
#define PLACE \
    "{ .reg .b32 o, k; .reg .b64 z; .reg .pred p; mov.u32 o, room; mad.lo.u32 o, %l, 32, o; " \
    "mov.u64 z, 0; "

static uint64_t bytes_of(uint64_t v, int n) {
    return n <= 0 ? 0 : n >= 8 ? v : v & ((1ull << (8 * n)) - 1);
}

// k: bytes of the copy; flag: the third operand gives the number of bytes that are read; sat: odd
// threads only.
static void ref_copy(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const int size = (int)((uint32_t)in[i][2] % 17), n = c->flag && size < c->k ? size : c->k;
    const bool done = !c->sat || i % 2;
    out[0] = done ? bytes_of(in[i][0], n) : 0;
    out[1] = done ? bytes_of(in[i][1], n - 8) : 0;
}

static void copies(CaseList *l) {
    static const struct {
        int bytes;
        const char *op;
    } forms[] = {{4, "ca.shared.global"},
                 {8, "ca.shared.global"},
                 {16, "ca.shared::cta.global.L2::128B"},
                 {16, "cg.shared.global"}};
    for (int f = 0; f < 4; f++)
        for (int flags = 0; flags < 4; flags++) {
            Case c = {.k = forms[f].bytes,
                      .flag = flags & 1,
                      .sat = flags & 2,
                      .in = {PTX_B64, PTX_B64, PTX_B32},
                      .out = {PTX_B64, PTX_B64},
                      .ref = ref_copy,
                      .decls = ROOM,
                      .no_immediate = true,
                      .draw = {DRAW_BITS, DRAW_BITS, DRAW_BITS}};
            c.body = case_text(
                l,
                "%s st.shared.v2.b64 [o], {z, z}; rem.u32 k, %%c, 17; min.u32 k, k, %d; and.b32 "
                "%%k0, %%l, 1; "
                "setp.ne.u32 p, %%k0, 0; %scp.async.%s [o], [%%x], %d%s; cp.async.commit_group; "
                "cp.async.wait_group 0; cp.async.wait_all; ld.shared.v2.b64 {%%d, %%q}, [o]; }",
                PLACE, c.k, c.sat ? "@p " : "", forms[f].op, c.k, c.flag ? ", k" : "");
            case_add(l, &c, "cp.async.%s %d%s%s", forms[f].op, c.k, c.flag ? ", size" : "",
                     c.sat ? " guarded" : "");
        }
}

// Of count arrivals in a phase: the phase that the last one is in, and whether it, phase 0 and
// phase 1 are over.
static void ref_barrier(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint64_t count = (uint32_t)in[i][0] % 5 + 1, first = (uint32_t)in[i][1] % 7 + 1,
                   now = (first + 1) / count;
    (void)c;
    out[0] = first / count;
    out[1] = now > first / count;
    out[2] = now % 2;
    out[3] = !(now % 2);
}

static void ref_cta(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    (void)c;
    out[0] = in[i ^ 33][0];
}

void cases_async(CaseList *l) {
    copies(l);
    Case c = {.in = {PTX_B32, PTX_B32},
              .out = {PTX_B64, PTX_B32, PTX_B32, PTX_B32},
              .ref = ref_barrier,
              .decls = ROOM,
              .no_immediate = true,
              .draw = {DRAW_BITS, DRAW_BITS}};
    c.body = PLACE
        ".reg .b32 n; rem.u32 k, %a, 5; add.u32 k, k, 1; rem.u32 n, %b, 7; add.u32 n, n, 1; "
        "mbarrier.init.shared.b64 [o], k; mbarrier.arrive.shared::cta.b64 _, [o], n; "
        "mbarrier.arrive.shared.b64 "
        "%d, [o]; "
        "mbarrier.test_wait.shared.b64 p, [o], %d; selp.u32 %q, 1, 0, p; "
        "mbarrier.test_wait.parity.shared.b64 p, [o], 0; selp.u32 %r, 1, 0, p; "
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [o], 1; selp.u32 %s, 1, 0, p; "
        "mbarrier.inval.shared.b64 [o]; }";
    case_add(l, &c, "mbarrier of a thread");
    Case w = {.in = {PTX_B32},
              .out = {PTX_B32},
              .ref = ref_cta,
              .decls = ROOM ".shared .align 8 .b64 gate;\n"};
    w.body = PLACE
        ".reg .pred q; setp.ne.u32 q, %l, 0; @!q mbarrier.init.shared.b64 [gate], 128; bar.sync 0; "
        "st.shared.b32 [o], %a; mbarrier.arrive.release.cta.shared.b64 z, [gate];\n"
        "AGAIN: mbarrier.try_wait.acquire.cta.shared.b64 p, [gate], z; @!p bra AGAIN;\n"
        "xor.b32 k, %l, 33; mov.u32 o, room; mad.lo.u32 o, k, 32, o; ld.shared.b32 %d, [o]; }";
    case_add(l, &w, "mbarrier of a CTA");
}
