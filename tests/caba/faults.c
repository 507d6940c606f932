// SPDX-License-Identifier: Apache-2.0
// Assist warps with a fault seeded into a routine's machine code: the codec's check reports what the routine has made;
// without that check (caba.check none) the retire check and the oracle find the values that loads and memory get.
// Without a fault all pass. Usage: caba_faults SOURCE BENCH_DATA
#include "cli/session.h"
#include "sm/state.h"
#include "sm/systems/caba.h"
#include "sm/systems/systems.h"

#include <stdio.h>
#include <string.h>

typedef enum Seen { BY_CODEC, BY_RETIRE, BY_ORACLE } Seen;

// `from` in the routine's text becomes `to`.
typedef struct Case { int routine; const char *from, *to; Seen seen; ExitStatus status; } Case;

enum { D81 = CABA_BDI_LOAD + 2, NONE = -1 };

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
    // an image with another base: the codec sees another image, the oracle what it stands for
    {CABA_BDI_STORE, "HEAD:\n", "HEAD:\niadd R6, R6, 0x1\n", BY_CODEC, EXIT_MISMATCH},
    {CABA_BDI_STORE, "HEAD:\n", "HEAD:\niadd R6, R6, 0x1\n", BY_ORACLE, EXIT_WRONG_RESULT},
    // lanes that need no base take one off: an encoding that fits seems not to
    {CABA_BDI_STORE, "@P2 iadd R8|P4, R8, -R6\n", "iadd R8|P4, R8, -R6\n", BY_CODEC, EXIT_MISMATCH},
    // a line that fits is left raw
    {CABA_BDI_STORE, "bra S8D1", "bra END", BY_CODEC, EXIT_MISMATCH},
};
enum { CASES = sizeof cases / sizeof *cases };

// Of the run in progress: a system's `open` gets no state of the test's.
static CabaStore seeded;

static void *open_seeded(Sm *sm, Arena *arena) { return caba_open(sm, arena, &seeded, COMPRESS_BDI); }

static bool seed(const Case *c, Arena *arena) {
    seeded = caba_store;
    if (c->routine == NONE) return true;
    const char *text = c->routine == CABA_BDI_STORE ? caba_bdi_store : caba_bdi_load[c->routine - CABA_BDI_LOAD];
    const char *at = strstr(text, c->from);
    if (!at) return false;
    seeded.of[c->routine].text = arena_printf(arena, "%.*s%s%s", (int)(at - text), text, c->to, at + strlen(c->from));
    return true;
}

static bool run(const Case *c, const char *source, const char *data) {
    Arena arena = {0};
    System system = system_caba_bdi;
    const System *list[1] = {&system};
    Arch arch;
    Diag d = {0};
    MachineConfig cfg;
    LaunchReport report;
    system.open = open_seeded;
    bool ok = seed(c, &arena) && arch_of(&arch, list, 1, &d);
    SessionOptions o = {.arch = arch, .machine = "fermi-caba", .blocks = "model", .check_retire = c->seen == BY_RETIRE,
                        .check_oracle = c->seen == BY_ORACLE, .data_dir = arena_printf(&arena, "%s/csrc/config", source),
                        .cache_dir = "", .command_line = "",
                        .sets = {c->seen == BY_CODEC ? "caba.check=codec" : "caba.check=none"}, .nsets = 1};
    const char *path = arena_printf(&arena, "%s/logscan/small/launch.yaml", data);
    ok = ok && session_config(&cfg, &arena, &o, &d) && session_check(&arena, &cfg, &o, &d) &&
         session_run(&report, &arena, path, &cfg, &o, &d);
    const ExitStatus found = ok ? report.status : d.status;
    if (found != c->status)
        printf("FAILED: routine %d, '%s', seen %d: expected exit status %d, found %d: %.200s\n", c->routine, c->to, c->seen,
               c->status, found, d.text);
    arena_free(&arena);
    return found == c->status;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc != 3) return 2;
    for (int i = 0; i < CASES; i++) failed += !run(&cases[i], argv[1], argv[2]);
    printf("caba: %d cases, %d failed\n", CASES, failed);
    return failed != 0;
}
