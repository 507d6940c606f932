// SPDX-License-Identifier: Apache-2.0
// A system, and what --arch makes of several. A system names only the parts it has; each part's
// header says when it is called. csrc/systems holds those that there are: a folder per family, and
// a row of the table in systems.c.
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
    SYSTEM_FILE = 1u << 1,  // where values lie in the register file
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

// Part "compiler": what a kernel carries for the system.
typedef struct CompilerPart {
    unsigned hints;  // bit k: metadata of IsaHint k
    // results have bits that say where they go, for the window of the configuration ...
    bool write_bits;
    bool half;  // ... and collectors of half size
    // what never leaves the collectors needs no place in the register file
    bool homeless;
    bool packs;  // fewer bytes of a register are of use (compiler.widths)
    // registers are split, and ACQ and REL stand around what needs extended ones
    bool regions;
    bool shared;   // registers are split, and extended ones shared by two warps
    bool beside;   // a CTA may have a thread beside its warps
    bool scalars;  // what is the same in all lanes lies in a scalar file
    int reserve;   // registers per thread that are not the kernel's
    bool memo;     // computations that assist warps memoize are marked, and
    bool strides;  // ... loads for which they prefetch
    // .. but those of routines that make lines, which --check codec compares
    bool routines;
} CompilerPart;

typedef struct System {
    const char *name, *what;  // `list archs`
    // its group (0: any number of them, with all); groups that it goes with
    unsigned group, with;
    unsigned needs;      // group of a system that it cannot do without; 0: none
    const char *reason;  // why it goes with no other, for the refusal; may be NULL
    CompilerPart compiler;
    // that it opens in the harness besides the path's, NULL-terminated; may be NULL
    const char *const *blocks;
    // Can it run with these settings, when a block runs RTL or none does? Called before open. NULL:
    // always. EXIT_USAGE.
    bool (*settings)(const char *arch, const MachineConfig *cfg, bool runs_rtl, Diag *d);
    Summary *summary;  // its rows in the report of a run; NULL: none. Systems may share it
    // State that all its parts share: `self` of every function. NULL: none.
    void *(*open)(Sm *sm, Arena *arena);
    // after open: can it run like this? NULL: yes
    bool (*check)(const Sm *sm, const void *self, Diag *d);
    void (*launch)(Sm *sm, void *self);  // a kernel begins; NULL: nothing to do
    // other sizes than the machine's; NULL: the same. EXIT_USAGE: beyond what there can be
    bool (*machine)(MachineConfig *cfg, Diag *d);
    const void *mode;  // constants, read by its path
    bool yields;       // its path stands only where no other system brings one
    // stands for it where another system's path does; NULL: itself. Of the same name
    const struct System *beside;
    const OperandPath *path;
    const Places *places;  // one; its path asks_places
    const Hazards *hazards;
    const IssueGate *gate;
    const UnitRow *units;
    int nunits;
    const InstStreamPart *stream;
    const Admission *admission;
    const LoadPort *load;
    const AccessSource *source;
    const MemCodec *codec;     // one
    const SchedPolicy *sched;  // one; NULL: the machine's (sm.scheduler)
    const Listener *listener;
    const Clocked *clock;
    const BarrierPart *barrier;  // one
} System;

// Systems that work together (systems/systems.h makes it).
typedef struct Arch {
    // canonical: the order of the words means nothing, here it is that of the table
    char name[ARCH_MAX_NAME];
    const System *systems[ARCH_MAX_SYSTEMS];
    int n;
    CompilerPart compiler;  // of all of them
    const OperandPath *path;
    const void *mode;                         // of the system whose path it is
    const char *blocks[ARCH_MAX_BLOCKS + 1];  // of path and systems, NULL-terminated
} Arch;

// Opens what the architecture of the SM is made of, after everything else; a kernel begins, the SM
// is clear.
bool systems_open(Sm *sm, Arena *arena, Diag *d);
void systems_launch(Sm *sm);

#endif
