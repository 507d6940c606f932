// SPDX-License-Identifier: Apache-2.0
// Words for outcomes: the table status.def as data. The statuses themselves are in base/diag.h.
#ifndef SMCOSIM_BASE_STATUS_H
#define SMCOSIM_BASE_STATUS_H

#include "base/diag.h"

// Words other than those of exit statuses (exit_word).
typedef enum StatusWord {
#define WORD(id, group, status, word, meaning, cure) WORD_##id,
#include "base/status.def"
    STATUS_WORDS
} StatusWord;

enum { STATUS_ANY = -1 };  // an outcome that decides no exit status

typedef struct StatusRow {
    int group;     // group of status_group, or STATUS_ANY for an exit status of the program
    bool verdict;  // a word for the outcome of a run, a block or a case
    int status;    // exit status of the program if this outcome decides, or STATUS_ANY
    const char *word, *meaning, *cure;
} StatusRow;

const char *status_word(StatusWord word);
// Title of a group of status words.
const char *status_group(int group);
// Every row of the table in its order; exit statuses are first. Returns their number.
int status_rows(const StatusRow **rows);
// Lists the exit statuses in short, "0 pass, 1 mismatch, ..", in lines of at most `width` columns.
// The first line starts in column `at`. Writes at most `size` bytes.
void status_text(char *buf, size_t size, int at, int width);

#endif
