// SPDX-License-Identifier: Apache-2.0
// BOW: each warp has its own collector, which retains the registers of the warp's last instructions
// and forwards them (thesis chapter 3). The systems differ in the destination of a result.
#include "systems/bow/bypass_path.h"
#include "systems/systems.h"

#define BOW(rule) \
    .group = SYSTEM_BOW, .with = SYSTEM_REGMUTEX | SYSTEM_SCALAR, .path = &path_bypass, \
    .summary = summary_bypassing, .figures = figures_bypassing, .mode = &(const BypassMode){rule}, \
    .reason = "its collectors identify values by register name and write them late, without a " \
              "renaming table"

const System system_bow = {
    .name = "bow",
    .what = "a collector per warp keeps and forwards the registers of its last instructions",
    BOW(BYPASS_THROUGH),
};

const System system_bow_wb = {
    .name = "bow-wb",
    .what = "bow with write-back: results are written when they leave the window",
    BOW(BYPASS_BACK)};

const System system_bow_wr = {
    .name = "bow-wr",
    .what = "bow in which the compiler selects register file, collector or both for each result",
    BOW(BYPASS_BITS),
    .compiler = {.write_bits = true, .homeless = true}};

const System system_bow_wr_half = {
    .name = "bow-wr-half",
    .what = "bow-wr with half the rows in each collector",
    BOW(BYPASS_BITS),
    .compiler = {.write_bits = true, .half = true, .homeless = true}};

const System system_bow_nofwd = {
    .name = "bow-nofwd",
    .what = "the collectors of bow without forwarding: the effect of a collector per warp alone",
    BOW(BYPASS_OFF),
};
