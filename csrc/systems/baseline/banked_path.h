// SPDX-License-Identifier: Apache-2.0
// The baseline's operand path, used when no system has one.
#ifndef SMCOSIM_SYSTEMS_BANKED_PATH_H
#define SMCOSIM_SYSTEMS_BANKED_PATH_H

#include "models/collect/operand_collector.h"
#include "models/rf/banked_rf.h"
#include "sm/parts/operand_path.h"

// System.mode of a system with a banked path; NULL: the baseline's.
typedef struct BankedMode {
    bool reader;
} BankedMode;

extern const OperandPath path_banked;
// path with a port that reads rows without an instruction: mode has a reader
extern const OperandPath path_banked_reader;

// A mismatch of one of these two blocks in words, also for other paths with both.
typedef struct BankedPorts {
    const BankedRfIn *rf_in;
    const BankedRfOut *rf_out;
    const OperandCollectorOut *oc_out;
} BankedPorts;
void banked_explain(Text *t, const Sm *sm, const BankedPorts *p, const Mismatch *m);
// The architected register at an entry of a bank.
void banked_add_register(Text *t, const Sm *sm, int bank, int entry);

#endif
