// SPDX-License-Identifier: Apache-2.0
// The profiles of a comparison of two architectures, side by side for each line of the PTX.
#ifndef SMCOSIM_REPORT_PROFILE_PAIR_H
#define SMCOSIM_REPORT_PROFILE_PAIR_H

#include "report/compare_report.h"

// Of launches with profiles (SessionOptions.by_line) on two architectures. By the name's end:
// .html, .json, or text.
bool profile_pair(const char *path, const Compare *c, Diag *d);

#endif
