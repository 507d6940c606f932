// SPDX-License-Identifier: Apache-2.0
// Faults seeded into the machine code of routines that memoize and that prefetch. The retire check
// reports the result of a skipped computation, the oracle its effects. A wrong prefetch changes no
// value, unless the routine writes a register of its warp. Without a fault all pass. Usage:
// assist_faults SOURCE BENCH_DATA
#include "sm/state.h"
#include "systems/caba/caba.h"
#include "systems/systems.h"
#include "tests/sm/seeded_run.h"

#include <stdio.h>
#include <string.h>

typedef enum Which { LOOKUP, INSERT, STRIDE } Which;
typedef enum Seen { BY_RETIRE, BY_ORACLE } Seen;

// In the routine's text, `from` becomes `to`. kernel NULL: zero.yaml of this folder.
typedef struct Case {
    Which text;
    const char *kernel, *from, *to, *set;
    Seen seen;
    ExitStatus status;
} Case;

#define FIRST_INPUT "isetp.eq.and.u32 _|P0, R0, R4\n"
#define NUMBER "isetp.eq.and.u32 _|P0, R2, @NUMBER@, {P0}\n"
#define VOTE "vote.all"

static const Case cases[] = {
    {LOOKUP, "redshift", "", "", "memo.entries=16", BY_RETIRE, EXIT_PASS},
    {LOOKUP, "redshift", "", "", "memo.entries=16", BY_ORACLE, EXIT_PASS},
    {LOOKUP, NULL, "", "", "memo.entries=256", BY_RETIRE, EXIT_PASS},
    // the input is not compared: another one with the same hash
    {LOOKUP, "redshift", FIRST_INPUT, "isetp.eq.and.u32 _|P0, RZ, RZ\n", "memo.entries=16",
     BY_RETIRE, EXIT_MISMATCH},
    {LOOKUP, "redshift", FIRST_INPUT, "isetp.eq.and.u32 _|P0, RZ, RZ\n", "memo.entries=16",
     BY_ORACLE, EXIT_WRONG_RESULT},
    // one lane that hits speaks for all
    {LOOKUP, "redshift", VOTE, "vote.any", "memo.entries=256", BY_RETIRE, EXIT_MISMATCH},
    // an entry that was never written is taken for one of input 0
    {LOOKUP, NULL, NUMBER, "", "memo.entries=256", BY_RETIRE, EXIT_MISMATCH},
    // the second input is not compared: it is the same throughout; the first is not known
    {LOOKUP, NULL, "isetp.eq.and.u32 _|P0, R1, R5, {P0}\n", "mov R5, R5\n", "memo.entries=256",
     BY_RETIRE, EXIT_PASS},
    {LOOKUP, NULL, "mov R4, R40\n", "mov R4, RZ\n", "memo.entries=256", BY_RETIRE, EXIT_MISMATCH},
    // beyond the table
    {LOOKUP, "redshift", "R0.128, [R8]", "R0.128, [R8+4096]", "memo.entries=256", BY_RETIRE,
     EXIT_WRONG_RESULT},
    // another value is entered
    {INSERT, "redshift", "mov R7, R42", "iadd R7, R42, 0x1", "memo.entries=256", BY_RETIRE,
     EXIT_MISMATCH},
    {INSERT, "redshift", "mov R7, R42", "iadd R7, R42, 0x1", "memo.entries=256", BY_ORACLE,
     EXIT_WRONG_RESULT},
    // under another input
    {INSERT, "redshift", "st.shared", "mov R4, RZ\nst.shared", "memo.entries=256", BY_RETIRE,
     EXIT_PASS},
    // the warp's register is written in passing
    {INSERT, "redshift", "mov R7, R42\n", "mov R7, R42\niadd R42, R42, 0x1\n", "memo.entries=256",
     BY_RETIRE, EXIT_MISMATCH},

    {STRIDE, "digest", "", "", "prefetch.loads=4", BY_RETIRE, EXIT_PASS},
    // wrong addresses, also none: nothing but time
    {STRIDE, "digest", "R0, R1, R0", "R0, R1, R1", "prefetch.loads=4", BY_RETIRE, EXIT_PASS},
    {STRIDE, "digest", "@P0 prefetch.global.b8 _, [R0]", "prefetch.global.b8 _, [_+4095]",
     "prefetch.loads=4", BY_ORACLE, EXIT_PASS},
    // the warp's address register is written
    {STRIDE, "scalarprod", "mov R@LAST@, R0\n", "mov R@LAST@, R0\niadd R40, R40, 0x4\n",
     "prefetch.loads=4", BY_RETIRE, EXIT_MISMATCH},
    {STRIDE, "scalarprod", "mov R@LAST@, R0\n", "mov R@LAST@, R0\niadd R40, R40, 0x4\n",
     "prefetch.loads=4", BY_ORACLE, EXIT_WRONG_RESULT},
};
enum { CASES = sizeof cases / sizeof *cases };

// Of the run in progress: a system's `open` gets no state of the test's.
static CabaMemoText memo;
static const char *stride;

static void *open_memo(Sm *sm, Arena *arena) { return caba_memo_open(sm, arena, &memo); }
static void *open_prefetch(Sm *sm, Arena *arena) { return caba_prefetch_open(sm, arena, stride); }

// True: the text has `from`.
static bool seed_text(const Case *c, const char **text, Arena *arena) {
    const char *was = *text, *at = strstr(was, c->from);
    if (!at) return false;
    *text = arena_printf(arena, "%.*s%s%s", (int)(at - was), was, c->to, at + strlen(c->from));
    return true;
}

static bool seed(const Case *c, Arena *arena) {
    memo = caba_memo;
    stride = caba_stride;
    if (c->text == STRIDE) return seed_text(c, &stride, arena);
    const char **texts = c->text == LOOKUP ? memo.lookup : memo.insert;  // of one input, and of two
    const bool one = seed_text(c, &texts[0], arena), two = seed_text(c, &texts[1], arena);
    return one || two;
}

static bool run(const Case *c, const char *source, const char *data) {
    Arena arena = {0};
    System system = c->text == STRIDE ? system_caba_prefetch : system_caba_memo;
    Diag d = {0};
    system.open = c->text == STRIDE ? open_prefetch : open_memo;
    const SeededRun run = {.system = &system,
                           .machine = "fermi-caba",
                           .retire = c->seen == BY_RETIRE,
                           .oracle = c->seen == BY_ORACLE,
                           .launch = c->kernel
                               ? arena_printf(&arena, "%s/%s/small/launch.yaml", data, c->kernel)
                               : arena_printf(&arena, "%s/tests/assist/zero.yaml", source),
                           .sets = {c->set}};
    const bool seeded_it = seed(c, &arena);
    const ExitStatus found = seeded_it ? seeded_run(&run, source, &arena, &d) : EXIT_USAGE;
    const bool right = seeded_it && found == c->status;
    if (!right)
        printf("FAILED: '%s' for '%s', seen %d: expected exit status %d, found %d: %.300s\n", c->to,
               c->from, c->seen, c->status, found, seeded_it ? d.text : "no such text");
    arena_free(&arena);
    return right;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc != 3) return 2;
    for (int i = 0; i < CASES; i++) failed += !run(&cases[i], argv[1], argv[2]);
    printf("assist: %d cases, %d failed\n", CASES, failed);
    return failed != 0;
}
