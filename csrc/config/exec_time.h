// SPDX-License-Identifier: Apache-2.0
// Times of the execution units: the keys exec.*.latency and exec.*.interval by the ISA's timing
// classes.
#ifndef SMCOSIM_CONFIG_EXEC_TIME_H
#define SMCOSIM_CONFIG_EXEC_TIME_H

#include "config/config.h"
#include "isa/isa.h"

typedef struct ExecTime {
    int latency;   // cycles from entry into the unit to the result
    int interval;  // cycles between two instructions that enter the unit
} ExecTime;
ExecTime config_exec_time(const MachineConfig *cfg, IsaTiming timing);

#endif
