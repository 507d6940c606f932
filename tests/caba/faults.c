// SPDX-License-Identifier: Apache-2.0
// Assist warps with a fault seeded into a routine's machine code: the codec's check reports the
// routine's output. Without that check (caba.check none) the retire check and the oracle find the
// values that loads and memory get. Without a fault all pass. Usage: caba_faults SOURCE BENCH_DATA
#include "sm/state.h"
#include "systems/caba/caba.h"
#include "systems/systems.h"
#include "tests/sm/seeded_run.h"

#include <stdio.h>
#include <string.h>

typedef enum Seen { BY_CODEC, BY_RETIRE, BY_ORACLE } Seen;

// `from` in the routine's text becomes `to`.
typedef struct Case {
    int routine;
    const char *from, *to;
    Seen seen;
    ExitStatus status;
} Case;

enum { D81 = CABA_BDI_LOAD + 2, TRY_D81 = CABA_BDI_TRY + 2, NONE = -1 };

static const Case cases[] = {
    {NONE, "", "", BY_CODEC, EXIT_PASS},
    {NONE, "", "", BY_RETIRE, EXIT_PASS},
    // the mask of another encoding
    {D81, "R1, R4, R0", "R1, R5, R0", BY_CODEC, EXIT_MISMATCH},
    {D81, "R1, R4, R0", "R1, R5, R0", BY_RETIRE, EXIT_MISMATCH},
    {D81, "R1, R4, R0", "R1, R5, R0", BY_ORACLE, EXIT_WRONG_RESULT},
    // the upper word of the base is left out
    {D81, "R3, R1, R7, R3", "R3, R1, RZ, R3", BY_CODEC, EXIT_MISMATCH},
    // one instruction short: nothing is written
    {D81, "st.line.b64 _, [R0-128], R2.64\n", "", BY_CODEC, EXIT_MISMATCH},
    // beyond the line
    {D81, "R4.128, [_]", "R4.128, [_+128]", BY_CODEC, EXIT_MISMATCH},
    // an image with another base: the codec sees another image, the oracle the values that it
    // encodes
    {CABA_BDI_STORE, "HEAD:\n", "HEAD:\niadd R6, R6, 0x1\n", BY_CODEC, EXIT_MISMATCH},
    {CABA_BDI_STORE, "HEAD:\n", "HEAD:\niadd R6, R6, 0x1\n", BY_ORACLE, EXIT_WRONG_RESULT},
    // lanes that need no base take one off: an encoding that fits seems not to
    {CABA_BDI_STORE, "@P2 iadd R8|P4, R8, -R6\n", "iadd R8|P4, R8, -R6\n", BY_CODEC, EXIT_MISMATCH},
    // a line that fits is left raw
    {CABA_BDI_STORE, "bra S8D1", "bra END", BY_CODEC, EXIT_MISMATCH},
    // the routine of one encoding (bdi.trial last-first): another mask; a line that fits is left to
    // the routine of all
    {TRY_D81, "R10, 0x10000", "R10, 0x8000", BY_CODEC, EXIT_MISMATCH},
    {TRY_D81, "R10, 0x10000", "R10, 0x8000", BY_ORACLE, EXIT_WRONG_RESULT},
    {TRY_D81, "@!P1 bra END", "bra END", BY_CODEC, EXIT_MISMATCH},
    {TRY_D81, "@!P1 bra END", "bra END", BY_ORACLE, EXIT_PASS},
};
enum { CASES = sizeof cases / sizeof *cases };

// Of the run in progress: a system's `open` gets no state of the test's.
static CabaStore seeded;

static void *open_seeded(Sm *sm, Arena *arena) {
    return caba_open(sm, arena, &seeded, COMPRESS_BDI);
}

static bool seed(const Case *c, Arena *arena) {
    seeded = caba_store;
    if (c->routine == NONE) return true;
    const char *text = caba_store.of[c->routine].text;
    const char *at = strstr(text, c->from);
    if (!at) return false;
    seeded.of[c->routine].text =
        arena_printf(arena, "%.*s%s%s", (int)(at - text), text, c->to, at + strlen(c->from));
    return true;
}

static bool run(const Case *c, const char *source, const char *data) {
    Arena arena = {0};
    System system = system_caba_bdi;
    Diag d = {0};
    system.open = open_seeded;
    const SeededRun run = {.system = &system,
                           .machine = "fermi-caba",
                           .retire = c->seen == BY_RETIRE,
                           .oracle = c->seen == BY_ORACLE,
                           .launch = arena_printf(&arena, "%s/logscan/small/launch.yaml", data),
                           .sets = {c->seen == BY_CODEC ? "caba.check=codec" : "caba.check=none",
                                    c->routine >= CABA_BDI_TRY ? "bdi.trial=last-first" : NULL}};
    const bool seeded_it = seed(c, &arena);
    const ExitStatus found = seeded_it ? seeded_run(&run, source, &arena, &d) : EXIT_USAGE;
    const bool right = seeded_it && found == c->status;
    if (!right)
        printf("FAILED: routine %d, '%s' for '%s', seen %d: expected exit status %d, found %d: "
               "%.200s\n",
               c->routine, c->to, c->from, c->seen, c->status, found,
               seeded_it ? d.text : "no such text");
    arena_free(&arena);
    return right;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc != 3) return 2;
    for (int i = 0; i < CASES; i++) failed += !run(&cases[i], argv[1], argv[2]);
    printf("caba: %d cases, %d failed\n", CASES, failed);
    return failed != 0;
}
