// SPDX-License-Identifier: Apache-2.0
// Words for outcomes: the table status.def as data. The statuses themselves are in base/diag.h.
#ifndef SMCOSIM_BASE_STATUS_H
#define SMCOSIM_BASE_STATUS_H

#include "base/diag.h"

// Words that are not the word of an exit status (exit_word).
typedef enum StatusWord {
#define WORD(id, group, status, word, meaning, cure) WORD_##id,
#include "base/status.def"
    STATUS_WORDS
} StatusWord;

enum { STATUS_ANY = -1 };  // an outcome that decides no exit status

typedef struct StatusRow {
    int group;     // of status_group, or STATUS_ANY: the program has this exit status
    bool verdict;  // of a run, a block or a case
    int status;    // with which the program ends when this decides, or STATUS_ANY
    const char *word, *meaning, *cure;
} StatusRow;

const char *status_word(StatusWord word);
// Title of a group of status words.
const char *status_group(int group);
// Every row of the table in its order; the statuses are the first. Returns their number.
int status_rows(const StatusRow **rows);
// "0 pass, 1 mismatch, ..": the exit statuses in short, in lines of at most `width` columns. The
// first line begins in column `at`. Writes at most `size` bytes.
void status_text(char *buf, size_t size, int at, int width);

#endif
