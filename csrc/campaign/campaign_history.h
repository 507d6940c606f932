// SPDX-License-Identifier: Apache-2.0
// The history of campaigns: one SQLite file; its schema is in campaign_history.c.
#ifndef SMCOSIM_CAMPAIGN_CAMPAIGN_HISTORY_H
#define SMCOSIM_CAMPAIGN_CAMPAIGN_HISTORY_H

#include "campaign/campaign.h"

#include <stdio.h>

typedef struct History History;

// Opens or makes the file. A file of another program or of a later version is refused (EXIT_USAGE).
History *history_open(Arena *arena, const char *path, Diag *d);
void history_close(History *h);
// Adds the campaign and its new results in one transaction.
bool history_add(History *h, const Campaign *c, Diag *d);
// The last campaigns of a suite, oldest first, at most `most`.
bool history_trend(History *h, Arena *arena, const char *suite, int most, RegressTrend **trend,
                   int *n, Diag *d);

// Prints tables on `out`: campaigns; verdicts of one case (a key, or a unique part of one) over
// campaigns.
bool history_list(History *h, FILE *out, const char *suite, Diag *d);
bool history_case(History *h, FILE *out, const char *key, Diag *d);
// Prints the changes from campaign a to b. Each is "last", "last~2", a number from history_list, or
// the beginning of an id. a NULL: the campaign before b of the same suite. Changes are new
// failures, fixed and flaky cases, and slower ones. A case is flaky if one seed and commit has two
// verdicts. It is slower if it takes over 1.5 times the processor time and a second more.
// *worse: new failures.
bool history_diff(History *h, FILE *out, const char *a, const char *b, bool *worse, Diag *d);
// Command line, folder and kind of a case's last run. False after EXIT_USAGE with the nearest key.
bool history_command(History *h, Arena *arena, const char *key, RegressCase *c, const char **dir,
                     Diag *d);

#endif
