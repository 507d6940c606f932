// SPDX-License-Identifier: Apache-2.0
// The baseline's operand path: what stands where no system brings one.
#ifndef SMCOSIM_SYSTEMS_BANKED_PATH_H
#define SMCOSIM_SYSTEMS_BANKED_PATH_H

#include "models/collect/operand_collector.h"
#include "models/rf/banked_rf.h"
#include "sm/parts/operand_path.h"

// System.mode of one that brings a banked path; NULL: the baseline's.
typedef struct BankedMode {
    bool reader;
} BankedMode;

extern const OperandPath path_banked;
// with a port that reads rows without an instruction: mode has a reader
extern const OperandPath path_banked_reader;

// For a path that has these two blocks, too: a mismatch of one of them, in words.
typedef struct BankedPorts {
    const BankedRfIn *rf_in;
    const BankedRfOut *rf_out;
    const OperandCollectorOut *oc_out;
} BankedPorts;
void banked_explain(Text *t, const Sm *sm, const BankedPorts *p, const Mismatch *m);
// The architected register that lives at an entry of a bank.
void banked_add_register(Text *t, const Sm *sm, int bank, int entry);

#endif
