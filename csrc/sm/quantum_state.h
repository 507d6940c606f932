// SPDX-License-Identifier: Apache-2.0
// An SM's state of the quantum in progress, for sm_quantum.c and quantum_access.c.
#ifndef SMCOSIM_SM_QUANTUM_STATE_H
#define SMCOSIM_SM_QUANTUM_STATE_H

#include "launch/writes.h"
#include "sm/state.h"

enum {
    QUANTUM_MOST_CALLS = 64,    // instructions of an SM in one quantum that execute at its end
    QUANTUM_MOST_WORDS = 8192,  // words that it stores in one quantum
};

// An SM at the end of a quantum, as the meeting sees it. The SM may already be in the next quantum.
typedef struct QuantumEnd {
    uint64_t progress, ctas_done;
    int room;            // for CTAs
    bool stored, calls;  // something for the meeting to do
    bool rests;          // nothing is in flight, as at the kernel's end
    bool failed, stopped;
} __attribute__((aligned(64))) QuantumEnd;

struct Quantum {
    QuantumEnd ends[2];  // ends of quanta of even and of odd number
    DeviceWrites *writes[2];
    uint64_t number;      // in progress
    bool met;             // this quantum began or continued after the meeting before it
    bool apart;           // the SM may begin without that meeting
    DeviceMemory memory;  // the same bytes for all; the place of the last look-up is the SM's own
    Flight *calls[QUANTUM_MOST_CALLS];
    int ncalls;
    Diag diag;  // of the run
    // State when the quantum began without that meeting.
    uint64_t cycle_before;
    Counters counted_before;
};

// Stores of the quantum in progress.
static inline DeviceWrites *quantum_writes(const Sm *sm) {
    return sm->quantum->writes[sm->quantum->number & 1];
}

#endif
