// SPDX-License-Identifier: Apache-2.0
// Reports of a run of smcosim verify, for people (table), programs (JSON,
// csrc/verify/verify.schema.json) and regression servers (JUnit).
#ifndef SMCOSIM_VERIFY_REPORT_H
#define SMCOSIM_VERIFY_REPORT_H

#include "verify/verify.h"

typedef struct VerifyReport {
    const char *version, *command;
    const MachineConfig *cfg;
    VerifyResult *results;
    const char **reproduce;  // per result: the command without --seed and --transactions
    int nresults;            // one per block and shape
    int jobs;
    int shape_width;  // of the table
} VerifyReport;

// The machine from which a result's shape is derived.
const MachineConfig *verify_config(const VerifyReport *r, int block);
// "p_queue", "p_queue[Depth=5]".
char *verify_label(Arena *arena, const VerifyResult *r);

// The command that runs one failing chunk alone.
char *verify_reproduce(Arena *arena, const VerifyReport *r, int block, const VerifyFailure *f);
// The complete text of a block's failure: port, values, buckets, origin, reproduction. "" if it
// passed.
char *verify_failure_text(Arena *arena, const VerifyReport *r, int block);

void verify_table_head(FILE *out, const VerifyReport *r, bool code);
// Prints one line per result. groups: also the bins by group, otherwise only the missing bins.
void verify_table_row(FILE *out, const VerifyReport *r, int block, bool groups, bool color);

// path "-" is standard output; a file appears only when it is complete.
bool verify_json(const char *path, const VerifyReport *r, Diag *d);
bool verify_junit(const char *path, const VerifyReport *r, Diag *d);

// Writes a stimulus, or the bundle of a failing block: mismatch.txt, config.yaml, stimulus.txt (s
// may be NULL).
bool verify_dump(const char *path, const Stimulus *s, Diag *d);
bool verify_bundle(Arena *arena, const char *dir, const VerifyReport *r, int block,
                   const Stimulus *s, Diag *d);

// Verdict of the first result that is not a pass.
ExitStatus verify_verdict(const VerifyReport *r);
const char *verify_verdict_word(const VerifyReport *r);
// FNV-1a over the machine and the block's shape.
uint64_t verify_config_hash(const VerifyReport *r, int block);

#endif
