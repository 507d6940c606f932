// SPDX-License-Identifier: Apache-2.0
// A system, and the architecture that --arch combines from several systems. A system names only the
// parts that it has; each part's header defines when the part is called. The systems are in
// csrc/systems: a folder per family and a row per system of the table in systems.c.
#ifndef SMCOSIM_SM_PARTS_SYSTEM_H
#define SMCOSIM_SM_PARTS_SYSTEM_H

#include "base/arena.h"
#include "base/diag.h"
#include "config/config.h"
#include "mem/codec.h"
#include "sm/parts/admission.h"
#include "sm/parts/barrier.h"
#include "sm/parts/clocked.h"
#include "sm/parts/events.h"
#include "sm/parts/figure.h"
#include "sm/parts/gate.h"
#include "sm/parts/hazards.h"
#include "sm/parts/load.h"
#include "sm/parts/operand_path.h"
#include "sm/parts/reg_places.h"
#include "sm/parts/sched.h"
#include "sm/parts/source.h"
#include "sm/parts/summary.h"
#include "sm/parts/inst_stream.h"
#include "sm/parts/units.h"

typedef struct Sm Sm;

enum { ARCH_MAX_SYSTEMS = 20, ARCH_MAX_BLOCKS = 24, ARCH_MAX_NAME = 240 };

// A combination has at most one system of a group.
enum {
    SYSTEM_BASELINE = 1u << 0,
    SYSTEM_FILE = 1u << 1,  // decides the places of values in the register file
    SYSTEM_RFV = 1u << 2,
    SYSTEM_REGMUTEX = 1u << 3,
    SYSTEM_BOW = 1u << 4,
    SYSTEM_PMODE = 1u << 5,
    SYSTEM_LARF = 1u << 6,  // loads are served from registers
    SYSTEM_LAS = 1u << 7,
    SYSTEM_LINES = 1u << 8,  // lines are compressed
    SYSTEM_PREFETCH = 1u << 9,
    SYSTEM_SCALAR = 1u << 10,
    SYSTEM_TLP = 1u << 21,  // sizes of the machine
    SYSTEM_BANDWIDTH = 1u << 22,
};

// Part "compiler": the compiler's output for the system.
typedef struct CompilerPart {
    unsigned hints;  // bit k: metadata of IsaHint k
    // results have bits that name their destination, for the window of the configuration ...
    bool write_bits;
    bool half;  // collectors of half size
    // a value that never leaves the collectors needs no place in the register file
    bool homeless;
    bool packs;  // a register may use fewer bytes (compiler.widths)
    // registers are split, and ACQ and REL enclose the code that uses extended registers
    bool regions;
    bool shared;   // registers are split, and two warps share the extended registers
    bool beside;   // a CTA may have a thread beside its warps
    bool scalars;  // values that are equal in all lanes are in a scalar file
    int reserve;   // registers per thread that the kernel does not use
    bool memo;     // marks: computations that assist warps memoize ...
    bool strides;  // marks loads for which assist warps prefetch
    // its routines build compressed lines, which --check codec compares
    bool routines;
} CompilerPart;

typedef struct System {
    const char *name, *what;  // `list archs`
    // its group (0: any number of them, with all); groups that it combines with
    unsigned group, with;
    unsigned needs;      // group of a system that it requires; 0: none
    const char *reason;  // why it combines with no other system, for the refusal; may be NULL
    CompilerPart compiler;
    // blocks that it opens in the harness besides the path's, NULL-terminated; may be NULL
    const char *const *blocks;
    // Can the system run with these settings, when a block runs RTL or no block does? Called before
    // open. NULL: always. EXIT_USAGE.
    bool (*settings)(const char *arch, const MachineConfig *cfg, bool runs_rtl, Diag *d);
    const FigureRow *figures;  // of a comparison; NULL: none. Systems of a family share a table
    Summary *summary;  // its rows in the report of a run; NULL: none. Systems may share a summary
    // State that all its parts share: `self` of every function. NULL: none.
    void *(*open)(Sm *sm, Arena *arena);
    // Called after open: can the system run with these parts? NULL: yes
    bool (*check)(const Sm *sm, const void *self, Diag *d);
    void (*launch)(Sm *sm, void *self);  // a kernel begins; NULL: no action
    // sizes that differ from the machine's; NULL: the same. EXIT_USAGE: beyond the limits
    bool (*machine)(MachineConfig *cfg, Diag *d);
    const void *mode;  // constants, read by its path
    bool yields;       // its path is used only if no other system has one
    // replaces this system if another system's path is used; NULL: itself. Of the same name
    const struct System *beside;
    const OperandPath *path;
    const Places *places;  // at most one; its path asks_places
    const Hazards *hazards;
    const IssueGate *gate;
    const UnitRow *units;
    int nunits;
    const InstStreamPart *stream;
    const Admission *admission;
    const LoadPort *load;
    const AccessSource *source;
    const MemCodec *codec;     // at most one
    const SchedPolicy *sched;  // at most one; NULL: the machine's (sm.scheduler)
    const Listener *listener;
    const Clocked *clock;
    const BarrierPart *barrier;  // at most one
} System;

// Systems that work together (built by systems/systems.h).
typedef struct Arch {
    // canonical: in the order of the table, because the order of the words has no meaning
    char name[ARCH_MAX_NAME];
    const System *systems[ARCH_MAX_SYSTEMS];
    int n;
    CompilerPart compiler;  // union of all systems' parts
    const OperandPath *path;
    const void *mode;                         // mode of the system with the path
    const char *blocks[ARCH_MAX_BLOCKS + 1];  // blocks of path and systems, NULL-terminated
} Arch;

// Opens the systems of the SM's architecture, after everything else. systems_launch: a kernel
// begins and the SM is clear.
bool systems_open(Sm *sm, Arena *arena, Diag *d);
void systems_launch(Sm *sm);

#endif
