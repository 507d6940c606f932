// SPDX-License-Identifier: Apache-2.0
// Exchanges across threads - shuffles, votes, barriers - and control flow: branches, tables, calls.
#include "cases.h"

#include <stdlib.h>
#include <string.h>

static int first_of_warp(int i) { return i / 32 * 32; }

// ---- shuffles ----

static void ref_shfl(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int lane = i % 32, base = first_of_warp(i), b = (int)in[i][1] & 31, cv = (int)in[i][2];
    int seg = cv >> 8 & 31, clamp = cv & 31, last = (lane & seg) | (clamp & ~seg),
        first = lane & seg, j;
    bool p;
    switch ((PtxShfl)c->k) {
    case PTX_SHFL_UP:
        j = lane - b;
        p = j >= last;
        break;
    case PTX_SHFL_DOWN:
        j = lane + b;
        p = j <= last;
        break;
    case PTX_SHFL_BFLY:
        j = lane ^ b;
        p = j <= last;
        break;
    default:
        j = first | (b & ~seg);
        p = j <= last;
        break;
    }
    out[0] = in[base + (p ? j : lane)][0];
    out[1] = p;
}

static void shuffles(CaseList *l) {
    static const char *const modes[] = {"", "up", "down", "bfly", "idx"};
    static const uint32_t clamps[] = {0x1f, 0, 0x181f, 0x1c03, 0x1000, 0x0f, 0x1807, 0x1e1f};
    for (int m = PTX_SHFL_UP; m <= PTX_SHFL_IDX; m++)
        for (int k = 0; k < 8; k++)
            for (int sync = 0; sync < 2; sync++) {
                Case c = {.k = m,
                          .in = {PTX_B32, PTX_U32, PTX_U32},
                          .draw = {DRAW_BITS, DRAW_AMOUNT, 0},
                          .out = {PTX_B32, PTX_U32},
                          .ref = ref_shfl,
                          .no_immediate = true};
                c.body = case_text(l,
                                   ".reg .pred %%p; shfl%s.%s.b32 %%d|%%p, %%a, %%b, %%c%s; "
                                   "selp.u32 %%q, 1, 0, %%p;",
                                   sync ? ".sync" : "", modes[m], sync ? ", -1" : "");
                c.draw[2] = DRAW_CONSTANT;  // the same clamp in all threads
                c.constant[2] = clamps[k];
                case_add(l, &c, "shfl%s.%s.b32", sync ? ".sync" : "", modes[m]);
                if (k || !sync) continue;
                c.out[1] = PTX_NOTYPE;
                c.body = case_text(l, "shfl.sync.%s.b32 %%d, %%a, 3, 31, -1;", modes[m]);
                c.draw[1] = DRAW_CONSTANT;
                c.constant[1] = 3;
                case_add(l, &c, "shfl.sync.%s.b32 (one result)", modes[m]);
            }
}

// ---- votes ----

static void ref_vote(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int base = first_of_warp(i);
    uint32_t ballot = 0, members = 0xffffffff;
    for (int k = 0; k < 32; k++)
        if (((in[base + k][0] & 3) < (unsigned)c->sat + 1) != c->flag) ballot |= 1u << k;
    ballot &= members;
    switch ((PtxVote)c->k) {
    case PTX_VOTE_ALL: out[0] = ballot == members; break;
    case PTX_VOTE_ANY: out[0] = ballot != 0; break;
    case PTX_VOTE_UNI: out[0] = ballot == 0 || ballot == members; break;
    default: out[0] = ballot; break;
    }
}

static void votes(CaseList *l) {
    static const char *const modes[] = {"", "all", "any", "uni", "ballot"};
    for (int m = PTX_VOTE_ALL; m <= PTX_VOTE_BALLOT; m++)
        for (int v = 0; v < 8; v++) {
            bool sync = v & 1, negated = v & 2, often = v & 4, ballot = m == PTX_VOTE_BALLOT;
            Case c = {.k = m,
                      .flag = negated,
                      .sat = often,
                      .in = {PTX_B32},
                      .out = {PTX_B32},
                      .ref = ref_vote};
            // v & 4: the predicate holds in few or in most threads, so that all and uni see both
            // outcomes
            c.body = case_text(l,
                               ".reg .pred %%p, %%o; and.b32 %%a, %%a, 3; setp.lt.u32 %%p, %%a, "
                               "%d; vote%s.%s.%s %s, %s%%p%s;%s",
                               1 + often, sync ? ".sync" : "", modes[m], ballot ? "b32" : "pred",
                               ballot ? "%d" : "%o", negated ? "!" : "", sync ? ", 0xffffffff" : "",
                               ballot ? "" : " selp.u32 %d, 1, 0, %o;");
            case_add(l, &c, "vote%s.%s.%s", sync ? ".sync" : "", modes[m], ballot ? "b32" : "pred");
        }
    // Predicates that are the same in a whole warp.
    for (int m = PTX_VOTE_ALL; m <= PTX_VOTE_UNI; m++)
        for (int value = 0; value < 2; value++) {
            Case c = {.k = m,
                      .in = {PTX_B32},
                      .draw = {DRAW_CONSTANT},
                      .constant = {value ? 0 : 3},
                      .out = {PTX_B32},
                      .ref = ref_vote};
            c.body = case_text(l,
                               ".reg .pred %%p, %%o; mov.b32 %%a, %d; setp.lt.u32 %%p, %%a, 1; "
                               "vote.sync.%s.pred %%o, %%p, -1;"
                               "selp.u32 %%d, 1, 0, %%o;",
                               value ? 0 : 3, modes[m]);
            case_add(l, &c, "vote.sync.%s.pred", modes[m]);
        }
}

static void ref_match(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int base = first_of_warp(i);
    uint32_t same = 0;
    for (int k = 0; k < 32; k++)
        if (ref_low(c->t, in[base + k][0]) == ref_low(c->t, in[i][0])) same |= 1u << k;
    bool all = same == 0xffffffff;
    out[0] = c->flag && !all ? 0 : same;
    out[1] = all;
}

static void ref_redux(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int base = first_of_warp(i);
    uint64_t r = in[base][0];
    for (int k = 1; k < 32; k++) r = ref_atomic((PtxAtom)c->k, c->t, false, r, in[base + k][0], 0);
    out[0] = ref_low(c->t, r);
}

static void ref_mask(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int base = first_of_warp(i);
    uint32_t same = 0;
    (void)c;
    for (int k = 0; k < 32; k++)
        if ((in[base + k][0] & 1) == (in[i][0] & 1)) same |= 1u << k;
    out[0] = same;
}

static void matches(CaseList *l) {
    for (int k = 0; k < 8; k++) {
        PtxType t = k & 1 ? PTX_B64 : PTX_B32;
        bool all = k & 2, constant = k & 4;
        Case c = {.t = t,
                  .flag = all,
                  .in = {t},
                  .draw = {constant ? DRAW_CONSTANT : DRAW_FEW},
                  .constant = {77},
                  .out = {PTX_B32, PTX_U32},
                  .ref = ref_match};
        if (!all) c.out[1] = PTX_NOTYPE;
        c.body =
            case_text(l, ".reg .pred %%p; match.%s.sync.%s %%d%s, %%a, -1;%s", all ? "all" : "any",
                      ptx_type_name(t), all ? "|%p" : "", all ? " selp.u32 %q, 1, 0, %p;" : "");
        case_add(l, &c, "match.%s.sync.%s", all ? "all" : "any", ptx_type_name(t));
    }
    static const struct {
        PtxAtom op;
        PtxType t;
        const char *name;
    } redux[] = {{PTX_ATOM_ADD, PTX_U32, "add"}, {PTX_ATOM_ADD, PTX_S32, "add"},
                 {PTX_ATOM_MIN, PTX_U32, "min"}, {PTX_ATOM_MIN, PTX_S32, "min"},
                 {PTX_ATOM_MAX, PTX_U32, "max"}, {PTX_ATOM_MAX, PTX_S32, "max"},
                 {PTX_ATOM_AND, PTX_B32, "and"}, {PTX_ATOM_OR, PTX_B32, "or"},
                 {PTX_ATOM_XOR, PTX_B32, "xor"}};
    for (size_t k = 0; k < sizeof redux / sizeof *redux; k++) {
        Case c = {.k = redux[k].op,
                  .t = redux[k].t,
                  .in = {redux[k].t},
                  .draw = {DRAW_BITS},
                  .out = {redux[k].t},
                  .ref = ref_redux};
        c.body = case_text(l, "redux.sync.%s.%s %%d, %%a, -1;", redux[k].name,
                           ptx_type_name(redux[k].t));
        case_add(l, &c, "redux.sync.%s.%s", redux[k].name, ptx_type_name(redux[k].t));
    }
    Case c = {.in = {PTX_B32}, .out = {PTX_B32}, .ref = ref_mask};
    c.body = ".reg .pred %p; and.b32 %a, %a, 1; setp.eq.u32 %p, %a, 0; @%p bra EVEN; "
             "activemask.b32 %d; bra DONE;"
             "EVEN: activemask.b32 %d; DONE: mov.b32 %d, %d;";
    case_add(l, &c, "activemask.b32");
}

// ---- barriers ----

// Each thread reads the value that its neighbor wrote before the barrier.
static void ref_neighbor(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int first = i / CASE_THREADS * CASE_THREADS;
    (void)c;
    out[0] = in[first + (i - first + 37) % CASE_THREADS][0];
}

static void ref_barrier_red(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    int first = i / CASE_THREADS * CASE_THREADS, count = 0;
    for (int k = 0; k < CASE_THREADS; k++) count += (in[first + k][0] & 1) != c->flag;
    out[0] = c->k == PTX_ATOM_AND ? count == CASE_THREADS
        : c->k == PTX_ATOM_OR     ? count != 0
                                  : (uint64_t)count;
}

static void barriers(CaseList *l) {
    static const char *const syncs[] = {"bar.sync 0",     "bar.sync 3, 128",
                                        "barrier.sync 0", "barrier.sync.aligned 1, 128",
                                        "bar.cta.sync 0", "barrier.cta.sync 2"};
    for (int k = 0; k < 6; k++) {
        Case c = {.in = {PTX_B32}, .out = {PTX_B32}, .ref = ref_neighbor};
        c.decls = case_text(l, ".shared .align 4 .b8 ex_%d[512];\n", case_number(l));
        c.body = case_text(
            l,
            ".reg .b32 %%t, %%u; shl.b32 %%t, %%l, 2; mov.u32 %%u, ex_%d; add.u32 %%t, %%t, %%u;"
            "st.shared.b32 [%%t], %%a; %s; add.u32 %%t, %%l, 37; and.b32 %%t, %%t, 127; shl.b32 "
            "%%t, %%t, 2;"
            "add.u32 %%t, %%t, %%u; ld.shared.b32 %%d, [%%t];",
            case_number(l), syncs[k]);
        case_add(l, &c, "%s", syncs[k]);
    }
    // Two warps hand data to the other two: arrive and sync.
    Case c = {.in = {PTX_B32}, .out = {PTX_B32}, .ref = ref_neighbor};
    c.decls = case_text(l, ".shared .align 4 .b8 ex_%d[512];\n", case_number(l));
    c.body = case_text(
        l,
        ".reg .b32 %%t, %%u; .reg .pred %%p; shl.b32 %%t, %%l, 2; mov.u32 %%u, ex_%d; add.u32 %%t, "
        "%%t, %%u;"
        "st.shared.b32 [%%t], %%a; setp.lt.u32 %%p, %%l, 64; @%%p bra LOW; bar.arrive 1, 128; "
        "bar.sync 2, 128; bra ON;"
        "LOW: bar.sync 1, 128; bar.arrive 2, 128; ON: add.u32 %%t, %%l, 37; and.b32 %%t, %%t, 127;"
        "shl.b32 %%t, %%t, 2; add.u32 %%t, %%t, %%u; ld.shared.b32 %%d, [%%t];",
        case_number(l));
    case_add(l, &c, "bar.arrive bar.sync");
    static const char *const reds[] = {"and.pred", "or.pred", "popc.u32"};
    static const int ops[] = {PTX_ATOM_AND, PTX_ATOM_OR, PTX_ATOM_ADD};
    for (int k = 0; k < 24; k++) {
        bool negated = k & 1, counted = k & 2, rare = k & 4;
        int op = k >> 3;
        Case r = {.k = ops[op],
                  .flag = negated,
                  .in = {PTX_B32},
                  .draw = {rare ? DRAW_RARE : DRAW_FEW},
                  .out = {PTX_U32},
                  .ref = ref_barrier_red};
        r.body = case_text(l,
                           ".reg .pred %%p, %%o; and.b32 %%a, %%a, 1; setp.ne.u32 %%p, %%a, 0; "
                           "%s.red.%s %s, 0%s, %s%%p;%s",
                           counted ? "barrier" : "bar", reds[op], op == 2 ? "%d" : "%o",
                           counted ? ", 128" : "", negated ? "!" : "",
                           op == 2 ? "" : " selp.u32 %d, 1, 0, %o;");
        case_add(l, &r, "%s.red.%s", counted ? "barrier" : "bar", reds[op]);
    }
    static const char *const fences[] = {"membar.cta",
                                         "membar.gl",
                                         "membar.sys",
                                         "fence.sc.cta",
                                         "fence.acq_rel.gpu",
                                         "fence.sc.sys",
                                         "bar.warp.sync -1",
                                         "nanosleep.u32 20",
                                         "prefetch.global.L1 [%x]",
                                         "prefetch.global.L2 [%x]",
                                         "prefetch.L1 [%x]",
                                         "prefetchu.L1 [%x]"};
    for (int k = 0; k < 12; k++) {
        Case f = {.in = {PTX_B32}, .out = {PTX_B32}, .ref = ref_neighbor};
        f.decls = case_text(l, ".shared .align 4 .b8 ex_%d[512];\n", case_number(l));
        f.body = case_text(
            l,
            ".reg .b32 %%t, %%u; shl.b32 %%t, %%l, 2; mov.u32 %%u, ex_%d; add.u32 %%t, %%t, %%u;"
            "st.shared.b32 [%%t], %%a; %s; bar.sync 0; add.u32 %%t, %%l, 37; and.b32 %%t, %%t, 127;"
            "shl.b32 %%t, %%t, 2; add.u32 %%t, %%t, %%u; ld.shared.b32 %%d, [%%t];",
            case_number(l), fences[k]);
        case_add(l, &f, "%s", fences[k]);
    }
}

// ---- control flow ----

static void ref_control(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    uint32_t a = (uint32_t)in[i][0], b = (uint32_t)in[i][1], r = 0;
    switch (c->k) {
    case 0: r = a & 1 ? a + 100 : b * 3; break;
    case 1:
        for (uint32_t n = a % 13; n > 0; n--) r = r * 5 + b;
        break;
    case 2: {
        static const uint32_t adds[] = {7, 1000, 31, 5};
        r = b + adds[a % 4];
        break;
    }
    case 3:
        for (uint32_t n = 0; n < 20; n++) {
            if (((a >> (n % 32)) & 1) == 0) continue;
            if (n > b % 16) break;
            r += n * n + 1;
        }
        break;
    case 4: r = (a + b) * 2 + 1; break;
    case 5: r = a % 3 == 0 ? b : a % 3 == 1 ? b + 1 : a; break;
    case 6: r = a & 1 ? b : 0x77; break;
    default: break;
    }
    out[0] = r;
}

static uint32_t pointed(uint32_t k, uint32_t v) { return k == 0 ? v + 7 : v > 99 ? v : v * 3; }

// OPS_CALL_FAULT=callee: the first function is called where the second one is meant.
static void ref_pointer(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    const uint32_t a = (uint32_t)in[i][0];
    const char *fault = getenv("OPS_CALL_FAULT");
    const int which = fault && !strcmp(fault, "callee") && a % 3 == 1 ? 0 : (int)(a % 3);
    (void)c;
    out[0] = pointed(which, (uint32_t)in[i][1]);
    out[1] = a & 1 ? pointed(which, (uint32_t)out[0]) : out[0];
}

static void control(CaseList *l) {
    Case c = {.in = {PTX_B32, PTX_B32}, .out = {PTX_B32}, .ref = ref_control, .no_immediate = true};
    const char *pre = ".reg .pred %p, %o; .reg .b32 %t, %u, %v;";
    c.k = 0;
    c.body = case_text(l,
                       "%s and.b32 %%t, %%a, 1; setp.ne.u32 %%p, %%t, 0; @!%%p bra ELSE; add.u32 "
                       "%%d, %%a, 100; bra.uni END;"
                       "ELSE: mul.lo.u32 %%d, %%b, 3; END: mov.b32 %%d, %%d;",
                       pre);
    case_add(l, &c, "bra bra.uni (if else)");
    c.k = 1;
    c.body = case_text(
        l,
        "%s mov.u32 %%d, 0; rem.u32 %%t, %%a, 13; setp.eq.u32 %%p, %%t, 0; @%%p bra END; LOOP: "
        "mad.lo.u32 %%d, %%d, 5, %%b;"
        "sub.u32 %%t, %%t, 1; setp.ne.u32 %%p, %%t, 0; @%%p bra LOOP; END: mov.b32 %%d, %%d;",
        pre);
    case_add(l, &c, "bra (loop)");
    c.k = 2;
    c.body = case_text(l,
                       "%s and.b32 %%t, %%a, 3; TAB: .branchtargets L0, L1, L2, L3; brx.idx %%t, "
                       "TAB; L0: add.u32 %%d, %%b, 7; bra END;"
                       "L1: add.u32 %%d, %%b, 1000; bra END; L2: add.u32 %%d, %%b, 31; bra END; "
                       "L3: add.u32 %%d, %%b, 5;"
                       "END: mov.b32 %%d, %%d;",
                       pre);
    case_add(l, &c, "brx.idx");
    c.k = 3;
    c.body = case_text(l,
                       "%s mov.u32 %%d, 0; mov.u32 %%t, 0; and.b32 %%v, %%b, 15; LOOP: shr.u32 "
                       "%%u, %%a, %%t; and.b32 %%u, %%u, 1;"
                       "setp.eq.u32 %%p, %%u, 0; @%%p bra NEXT; setp.gt.u32 %%o, %%t, %%v; @%%o "
                       "bra END; mad.lo.u32 %%d, %%t, %%t, %%d;"
                       "add.u32 %%d, %%d, 1; NEXT: add.u32 %%t, %%t, 1; setp.lt.u32 %%p, %%t, 20; "
                       "@%%p bra LOOP; END: mov.b32 %%d, %%d;",
                       pre);
    case_add(l, &c, "bra (break, continue)");
    c.k = 4;
    int id = case_number(l);
    c.decls = case_text(l,
                        ".func (.param .b32 r) twice_%d(.param .b32 x, .param .b32 y)\n{ .reg .b32 "
                        "%%a, %%b; ld.param.b32 %%a, [x];"
                        "ld.param.b32 %%b, [y]; add.u32 %%a, %%a, %%b; shl.b32 %%a, %%a, 1; "
                        "st.param.b32 [r], %%a; ret; }\n",
                        id);
    c.body = case_text(
        l,
        "%s { .param .b32 p0; .param .b32 p1; .param .b32 rv; st.param.b32 [p0], %%a; st.param.b32 "
        "[p1], %%b;"
        "call.uni (rv), twice_%d, (p0, p1); ld.param.b32 %%d, [rv]; } add.u32 %%d, %%d, 1;",
        pre, id);
    case_add(l, &c, "call.uni");
    c.decls = case_text(l,
                        ".func (.reg .b32 r) sum_%d(.reg .b32 x, .reg .b32 y)\n{ add.u32 r, x, y; "
                        "shl.b32 r, r, 1; ret; }\n",
                        id + 1);
    c.body = case_text(l, "%s call (%%d), sum_%d, (%%a, %%b); add.u32 %%d, %%d, 1;", pre, id + 1);
    case_add(l, &c, "call");
    // Through a table of pointers, one of them by mov; the third function does not fit.
    Case t = {.in = {PTX_U32, PTX_U32},
              .out = {PTX_U32, PTX_U32},
              .ref = ref_pointer,
              .no_immediate = true,
              .draw = {DRAW_BITS, DRAW_BITS}};
    t.decls =
        ".func (.param .b32 r) first(.param .b32 x) { .reg .b32 v; ld.param.b32 v, [x]; add.u32 v, "
        "v, 7; "
        "st.param.b32 [r], v; ret; }\n"
        ".func (.param .b32 r) second(.param .b32 x) { .reg .b32 v; .reg .pred p; ld.param.b32 v, "
        "[x]; "
        "setp.gt.u32 p, v, 99; @p bra MANY; mul.lo.u32 v, v, 3; MANY: st.param.b32 [r], v; ret; }\n"
        ".func (.param .b64 r) other(.param .b64 x) { .reg .b64 v; ld.param.b64 v, [x]; "
        "st.param.b64 [r], v; ret; }\n"
        ".global .align 8 .u64 pointers[3] = {first, second, other};\n";
    t.body =
        "{ .reg .b64 f, g; .reg .b32 k; .reg .pred q, odd; rem.u32 k, %a, 3; setp.eq.u32 q, k, 2; "
        "and.b32 %d, %a, 1; setp.ne.u32 odd, %d, 0; mov.u64 f, pointers; mad.wide.u32 f, k, 8, f; "
        "@!q ld.global.u64 g, [f]; @q mov.u64 g, second; .param .b32 x; .param .b32 r; "
        "st.param.b32 [x], %b; "
        "like: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), g, (x), like; "
        "ld.param.b32 %d, [r]; "
        "mov.u32 %q, %d; st.param.b32 [x], %q; @odd call (r), g, (x), like; ld.param.b32 k, [r]; "
        "selp.b32 %q, k, %q, odd; }";
    case_add(l, &t, "call (pointer)");
    // A function with two ways out, called by some threads only.
    c.k = 5;
    c.decls = case_text(l,
                        ".func (.param .b32 r) pick_%d(.param .b32 x, .param .b32 y)\n{ .reg .pred "
                        "%%p; .reg .b32 %%a, %%b;"
                        "ld.param.b32 %%a, [x]; ld.param.b32 %%b, [y]; setp.eq.u32 %%p, %%a, 0; "
                        "@%%p bra ZERO; add.u32 %%b, %%b, 1;"
                        "st.param.b32 [r], %%b; ret; ZERO: st.param.b32 [r], %%b; ret; }\n",
                        id + 2);
    c.body = case_text(l,
                       "%s rem.u32 %%t, %%a, 3; setp.eq.u32 %%p, %%t, 2; mov.b32 %%d, %%a; @%%p "
                       "bra END; { .param .b32 p0; .param .b32 p1;"
                       ".param .b32 rv; st.param.b32 [p0], %%t; st.param.b32 [p1], %%b; call (rv), "
                       "pick_%d, (p0, p1);"
                       "ld.param.b32 %%d, [rv]; } END: mov.b32 %%d, %%d;",
                       pre, id + 2);
    case_add(l, &c, "call (diverged)");
    c.decls = NULL;
    c.k = 6;
    c.body = case_text(l,
                       "%s mov.b32 %%d, 0x77; and.b32 %%t, %%a, 1; setp.eq.u32 %%p, %%t, 0; @%%p "
                       "bra SKIP; mov.b32 %%d, %%b; SKIP:"
                       "mov.b32 %%d, %%d;",
                       pre);
    case_add(l, &c, "bra (skip)");
}

// Arguments and results of every type, through .param memory.
static void ref_argument(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    out[0] = ref_ext(c->t, in[i][1]);
    out[1] = in[i][0];
}

static void arguments(CaseList *l) {
    static const PtxType types[] = {PTX_B8,  PTX_U8,  PTX_S8,  PTX_B16, PTX_U16, PTX_S16, PTX_B32,
                                    PTX_U32, PTX_S32, PTX_B64, PTX_U64, PTX_S64, PTX_F32, PTX_F64};
    for (int k = 0; k < 14; k++) {
        PtxType t = types[k], r = ptx_type_bytes(t) == 1 ? PTX_B16 : t;
        const char *n = ptx_type_name(t), *reg = ptx_type_name(r);
        int id = case_number(l);
        Case c = {.t = t,
                  .in = {PTX_B32, r},
                  .draw = {0, DRAW_BITS},
                  .out = {r, PTX_B32},
                  .ref = ref_argument,
                  .no_immediate = true};
        c.decls = case_text(l,
                            ".func (.param .%s r) id_%d(.param .b8 x, .param .%s y)\n"
                            "{ .reg .%s %%a; ld.param.%s %%a, [y]; st.param.%s [r], %%a; ret; }\n",
                            n, id, n, reg, n, n);
        c.body = case_text(
            l,
            "mov.b32 %%q, %%a; { .param .b8 p0; .param .%s p1; .param .%s rv; .reg .b16 %%h;"
            "cvt.u16.u32 %%h, %%a; st.param.b8 [p0], %%h; st.param.%s [p1], %%b;"
            "call.uni (rv), id_%d, (p0, p1); ld.param.%s %%d, [rv]; }",
            n, n, n, id, n);
        case_add(l, &c, "st.param.%s", n);
    }
    // A structure by value, stored in parts, and a result of two words.
    int id = case_number(l);
    Case c = {.k = 4,
              .in = {PTX_B32, PTX_B32},
              .out = {PTX_B32},
              .ref = ref_control,
              .no_immediate = true};
    c.decls = case_text(
        l,
        ".func (.param .align 8 .b8 r[8]) sum_%d(.param .align 8 .b8 x[12])\n"
        "{ .reg .b32 %%a<4>; ld.param.v2.b32 {%%a0, %%a1}, [x]; ld.param.b32 %%a2, [x+8];"
        "add.u32 %%a0, %%a0, %%a2; st.param.b32 [r], %%a0; st.param.b32 [r+4], %%a1; ret; }\n",
        id);
    c.body = case_text(
        l,
        ".reg .b32 %%t, %%u; { .param .align 8 .b8 p[12]; .param .align 8 .b8 rv[8];"
        "st.param.v2.b32 [p], {%%a, 1}; st.param.b32 [p+8], %%b; call.uni (rv), sum_%d, (p);"
        "ld.param.v2.b32 {%%t, %%u}, [rv]; } mad.lo.u32 %%d, %%t, 2, %%u;",
        id);
    case_add(l, &c, "st.param.v2.b32");
}

// ret and exit in the middle: threads that end early have stored before.
static void ref_early(const Case *c, const uint64_t (*in)[4], int i, uint64_t out[4]) {
    (void)c;
    out[0] = in[i][0] & 1 ? in[i][0] + 1 : in[i][1];
}

static void ends(CaseList *l) {
    static const char *const how[] = {"ret", "exit"};
    for (int k = 0; k < 4; k++) {
        bool guarded = k & 2;
        Case c = {
            .in = {PTX_B32, PTX_B32}, .out = {PTX_B32}, .ref = ref_early, .no_immediate = true};
        c.body = case_text(l,
                           ".reg .pred %%p; .reg .b32 %%t; and.b32 %%t, %%a, 1; setp.eq.u32 %%p, "
                           "%%t, 0; add.u32 %%d, %%a, 1;"
                           "st.global.b32 [%%w], %%d; %s",
                           guarded ? "mov.b32 %d, %b; @!%p " : "@%p bra GO; ");
        c.body = case_text(l, "%s%s; GO: mov.b32 %%d, %%b;", c.body, how[k & 1]);
        case_add(l, &c, "%s%s", guarded ? "@p " : "", how[k & 1]);
    }
}

void cases_warp(CaseList *l) {
    shuffles(l);
    votes(l);
    matches(l);
    barriers(l);
    control(l);
    arguments(l);
    ends(l);
}
