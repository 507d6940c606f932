// SPDX-License-Identifier: Apache-2.0
// Results to the register file.
#ifndef SMCOSIM_SM_STAGES_WRITEBACK_H
#define SMCOSIM_SM_STAGES_WRITEBACK_H

#include "base/arena.h"
#include "sm/flight.h"

void writeback_open(Sm *sm, Arena *arena);
void writeback_launch(Sm *sm);
void wheel_put(Sm *sm, Flight *f, int latency);
// A result is available: writes predicates now, registers through the ports.
void result_put(Sm *sm, Flight *f);
void writeback_stage(Sm *sm);  // offers results to the register file
void writeback_taken(Sm *sm);  // call after eval: takes the results that the ports accepted
// the number of results that wait for write ports stalls the units
bool writeback_full(const Sm *sm);
// The instruction that offers its result at the port, or NULL.
const Flight *writeback_offered(const Sm *sm, int port);
int writeback_waiting(const Sm *sm);  // results that wait for write ports

#endif
