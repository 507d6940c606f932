// SPDX-License-Identifier: Apache-2.0
// The state of one SM that its stages share: configuration, the kernel in progress, warps and sets
// of them, the parts of the architecture. The private state of a stage is behind a pointer to a
// type that only its file defines. Stages in pipeline order:
//   cta.c           occupancy, CTA dispatch
//   decode_stage.c  the program, once per launch
//   fetch.c         fetch, instruction buffers
//   icache.c        instruction cache
//   simt.c          SIMT stack
//   issue.c         scoreboard, issue
//   sched_stage.c   scheduling policies
//   execute.c       dispatch, SP and SFU, special registers
//   ldst.c          memory instructions (ldst_*.c)
//   syscall.c       printf, assert, malloc
//   barrier_stage.c barriers
//   writeback.c     results to the register file
//   stall.c         stall classes, warp states
#ifndef SMCOSIM_SM_STATE_H
#define SMCOSIM_SM_STATE_H

#include "isa/place.h"
#include "mem/mem.h"
#include "retire/retire.h"
#include "sm/flight.h"
#include "sm/listeners/statistics.h"
#include "sm/parts/admission.h"
#include "sm/parts/barrier.h"
#include "sm/parts/events.h"
#include "sm/parts/gate.h"
#include "sm/parts/hazards.h"
#include "sm/parts/load.h"
#include "sm/parts/operand_path.h"
#include "sm/parts/reg_places.h"
#include "sm/parts/sched.h"
#include "sm/parts/source.h"
#include "sm/parts/inst_stream.h"
#include "sm/parts/system.h"
#include "sm/parts/units.h"
#include "sm/sm.h"
#include "sm/warp.h"

enum {
    SM_MAX_CTAS = 32,
    SM_MAX_SCHED = 4,
    SM_MAX_PARTS = ARCH_MAX_SYSTEMS + 1,  // parts of one kind: one per system and the machine's own
};

// Kernel parameters in the address space of the constant cache: above the constants.
#define SM_PARAM_OFFSET 0x01000000u

typedef struct Cta {
    bool used;
    uint32_t id[3];
    int live;       // warps not ended
    int resident;   // warps whose slot is not free yet
    WarpSet warps;  // mask of slots
    uint64_t linear;
} Cta;

// Parts of the systems, each with its system's state. Their functions iterate over these
// (parts/*.c).
typedef struct BoundHazards {
    const Hazards *part;
    void *self;
} BoundHazards;
typedef struct HazardsSet {
    BoundHazards of[SM_MAX_PARTS];
    int n;
    // the machine's scoreboard, by warp, if it is the only board; otherwise NULL
    struct Board *alone;
    // registers for which issue keeps the order of reads and later writes: all, or none
    uint64_t war;
    bool exact;  // heads wait only for events reported to hazards_passed
} HazardsSet;
typedef struct BoundGate {
    const IssueGate *part;
    void *self;
} BoundGate;
typedef struct GateSet {
    BoundGate of[SM_MAX_PARTS];
    int n;
    uint8_t at[SM_MAX_WARPS];  // the gate that parked the warp
} GateSet;

typedef struct BoundClock {
    const Clocked *part;
    void *self;
} BoundClock;
typedef struct ClockSet {
    BoundClock of[SM_MAX_PARTS];
    int n;
} ClockSet;
typedef struct BoundAdmission {
    const Admission *part;
    void *self;
} BoundAdmission;
typedef struct AdmissionSet {
    BoundAdmission of[SM_MAX_PARTS];
    int n;
} AdmissionSet;
typedef struct BoundLoad {
    const LoadPort *part;
    void *self;
} BoundLoad;
typedef struct LoadSet {
    BoundLoad of[SM_MAX_PARTS];
    int n;
} LoadSet;
typedef struct BoundSource {
    const AccessSource *part;
    void *self;
} BoundSource;
typedef struct SourceSet {
    BoundSource of[SM_MAX_PARTS];
    int n, turn;
} SourceSet;

typedef struct Order Order;                    // parts/order.c
typedef struct Barriers Barriers;              // stages/barrier_stage.c
typedef struct Fetch Fetch;                    // stages/fetch.c
typedef struct Icache Icache;                  // stages/icache.c
typedef struct Issue Issue;                    // stages/issue.c
typedef struct Ldst Ldst;                      // stages/ldst.c
typedef struct Dispatch Dispatch;              // stages/execute.c
typedef struct Writeback Writeback;            // stages/writeback.c
typedef struct RetireListener RetireListener;  // listeners/retire_listener.c
typedef struct TraceListener TraceListener;    // listeners/trace_listener.c
typedef struct LineListener LineListener;      // listeners/line_listener.c
typedef struct View View;                      // listeners/view.c
typedef struct Explain Explain;                // listeners/explain_state.c
typedef struct Quantum Quantum;                // sm_quantum.c
typedef struct Quanta Quanta;

// Aligned, so that no cache line also holds the counters of another thread.
typedef struct CountersApart {
    Counters of;
} __attribute__((aligned(64))) CountersApart;

struct Sm {
    Gpu *gpu;
    const MachineConfig *cfg;
    int port;              // port of the memory system: the SM's number
    Cosim *cosim;          // its blocks
    MemSystem *mem;        // its side of the crossbar; with one SM: all
    DeviceMemory *memory;  // global memory, with a separate note of the last look-up
    // NULL: it is the only SM, and its effects on memory are immediate
    Quantum *quantum;
    uint64_t cycle;
    Counters *count;
    const OperandPath *path;
    void *path_self;
    PathPorts ports;
    const Places *places;  // places of a system; NULL: registers have fixed places
    void *places_self;
    const SchedPolicy *policy;
    void *policy_self;  // state of the system that supplies the policy
    HazardsSet hazards;
    GateSet gates;
    InstStreamBinding beside;        // second streams; part NULL: none
    void *selves[ARCH_MAX_SYSTEMS];  // state of the architecture's systems
    ClockSet clocks;
    AdmissionSet admissions;
    LoadSet loads;
    SourceSet sources;
    BarrierBinding barrier;  // part NULL: the stage decides
    Diag *diag;              // error of the run in progress
    Events events;           // listeners of each event
    Statistics statistics;
    bool few;  // the machine has at most 64 warps, so sets need no upper half
    // the blocks are evaluated and clocked in cycles without work too
    bool every_cycle;
    // the blocks are evaluated after issue: requests of this cycle are driven in the next
    bool late;
    int awake;          // cycles for which the blocks are still evaluated
    uint64_t progress;  // cycle of the last issue or memory event: sm_progress
    bool failed;        // diag holds an error, the run ends: sm_fail, sm_stop

    // kernel in progress
    const GpuLaunch *launch;
    SmProgram program;
    RegLayout layout;  // location of the warps' registers
    int cta_room;      // CTAs that fit, however small the grid is
    int warps_per_cta, cta_limit;
    uint32_t threads_per_cta, shared_per_cta, frame_words;
    uint32_t local_bytes;
    uint8_t *shared;  // shared memory of the SM; a CTA slot owns shared_per_cta bytes
    uint32_t *local;  // [warp][word][lane]
    size_t local_words;
    Arena kernel_arena;

    // sets of warps
    WarpSet resident;  // slot in use
    WarpSet ended;     // all threads ended, draining
    WarpSet has_inst;  // instruction buffer not empty
    WarpSet ready;     // head passes scoreboard and ordering
    WarpSet dirty;     // ready must be recomputed (hazards_recheck)
    WarpSet at_barrier, control, asleep;
    WarpSet parked;              // an issue gate refused its head
    WarpSet away;                // a second stream is in front of the program (parts/inst_stream.h)
    WarpSet halted;              // ... and is halted
    WarpSet held;                // a second stream holds the program
    WarpSet head[SM_MAX_UNITS];  // ready, by the unit of the head
    WarpSet long_wait;           // head waits for memory

    Warp warps[SM_MAX_WARPS];  // the state that every cycle reads; the stacks are elsewhere
    Cta ctas[SM_MAX_CTAS];
    int ctas_used;                 // ... of these
    uint64_t ctas_done;            // completed CTAs of the kernel on this SM
    uint64_t handed[SM_MAX_CTAS];  // CTAs assigned to this SM that have not started (sm_quantum.c)
    int nhanded;
    uint64_t start_at;  // cycle in which the next CTA starts, if its delay is drawn (perturb.start)
    bool start_drawn;
    Scheduler sched[SM_MAX_SCHED];
    int nwarps_resident;

    // instructions in flight (stages/flight_life.c)
    Flight *flights;
    FlightList unused;
    int nflights;

    Unit units[SM_MAX_UNITS];  // parts/units.h
    int nunits;
    uint32_t units_full;  // bit set of units whose share of the collectors is in use
    int ndisp;            // dispatch ports

    // private state of one file each
    Order *order;
    Barriers *barriers;
    Fetch *fetch;
    Icache *icache;
    Issue *issue;
    Ldst *ldst;
    Dispatch *dispatch;
    Writeback *wb;
    RetireListener *retire;  // NULL: no check
    TraceListener *trace;    // NULL: no hooks
    LineListener *lines;     // NULL: nothing is counted by instruction
    View *view;
    Explain *explain;

    SimtEntry stacks[SM_MAX_WARPS][SM_MAX_SIMT];
};

struct Gpu {
    GpuOptions options;
    Arch arch;
    MemSystem *mem;
    Counters counters;  // of all SMs
    // by SM: its own counters, and the counters of L2 and DRAM for it; with one SM NULL
    CountersApart *near, *far;
    Sm *sms;
    int nsms;
    GpuLaunch launch;
    GpuKernelInfo info;
    uint64_t next_cta, ncta;  // dispatch
    uint64_t ctas_done;       // with several SMs: at the end of the last quantum
    struct Crew *crew;        // threads that simulate several SMs; NULL: one SM
    Quanta *quanta;
    int next_sm;  // the SM for the next CTA
};

// CTAs of the kernel that have ended, as far as the SM can see.
static inline uint64_t sm_ctas_done(const Sm *sm) {
    return sm->quantum ? sm->gpu->ctas_done : sm->ctas_done;
}

static inline int flight_index(const Sm *sm, const Flight *f) { return (int)(f - sm->flights); }

// After a change to the warp: its head is examined before the next issue.
static inline void hazards_recheck(Sm *sm, int warp) { warp_add(&sm->dirty, warp); }

// An event has passed that can end only the hazards in `of` (bits by Hazard). The head is examined
// again if its hazard is one of these. If systems beside the scoreboard make other changes
// possible, the head is always examined again.
static inline void hazards_passed(Sm *sm, int warp, unsigned of) {
    if (!sm->hazards.exact || of >> sm->warps[warp].hazard & 1) hazards_recheck(sm, warp);
}

// A micro-operation for the unit enters the operand path; unit_leaves: it leaves.
static inline void unit_enters(Sm *sm, int unit) {
    Unit *u = &sm->units[unit];
    if (++u->waiting == u->most) sm->units_full |= 1u << unit;
}

static inline void unit_leaves(Sm *sm, int unit) {
    Unit *u = &sm->units[unit];
    if (u->waiting-- == u->most) sm->units_full &= ~(1u << unit);
}

// notify_EVENT(sm, event): calls all listeners of the event. One comparison if there are none.
#define TELL(name) \
    for (int i = 0; i < sm->events.name.n; i++) \
    sm->events.name.of[i].tell(sm, sm->events.name.of[i].self, &e)
#define E(name, Type) \
    static inline void notify_##name(Sm *sm, Type e) { \
        statistics_##name(sm, &e); \
        TELL(name); \
    }
SM_COUNTED_EVENTS(E)
#undef E
#define E(name, Type) \
    static inline void notify_##name(Sm *sm, Type e) { TELL(name); }
SM_OTHER_EVENTS(E)
#undef E
#undef TELL
// Does the event have a listener? For events that are costly to find.
#define events_wanted(sm, event) ((sm)->events.event.n != 0)
// Does a listener observe requests to the banks of the register file?
#define banks_watched(sm) \
    (((sm)->events.bank_access.n | (sm)->events.refused.n | (sm)->events.forwarded.n) != 0)

// Local memory of a lane, word address `word` (in 4-byte words of the frame).
static inline uint32_t *sm_local_word(Sm *sm, int warp, uint32_t word, int lane) {
    return &sm->local[((size_t)warp * sm->frame_words + word) * ISA_LANES + (size_t)lane];
}

// ---- fail.c ----
void fail_launch(Sm *sm);  // a kernel begins: no error
// Records the first error of the run; the cycle loop ends.
void sm_fail(Sm *sm, ExitStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sm_stop(Sm *sm);  // ends the run if diag already holds the error
// an instruction has issued, or the memory system has answered
void sm_progress(Sm *sm);

#endif
