// SPDX-License-Identifier: Apache-2.0
// Part "listener": observes events in the SM without any effect on it. A stage reports each event
// once, with notify_EVENT(sm, (EventStruct){..}) of state.h. An event without listeners costs one
// comparison.
//
// A listener names its events (the others are NULL) and subscribes with its own state (`self`).
// Listeners of an event are called in the order of their subscriptions. The call is immediate, in
// the middle of the stage's work, so a listener must not change the SM. A listener that finds an
// error calls sm_fail, or sm_stop if sm->diag already holds the error. The run then ends with this
// cycle.
#ifndef SMCOSIM_SM_PARTS_EVENTS_H
#define SMCOSIM_SM_PARTS_EVENTS_H

#include "counters/counters.h"
#include "mem/codec.h"
#include "sm/flight.h"

typedef struct KernelEvent {
    bool passed;
} KernelEvent;  // sent with kernel_end: no error, no mismatch
typedef struct CycleEvent {
    uint64_t cycle;
} CycleEvent;
typedef struct CtaEvent {
    int slot;
} CtaEvent;
typedef struct WarpEvent {
    int warp, slot, number;
    uint32_t lanes;
} WarpEvent;
typedef struct IssueEvent {
    int scheduler, warp;
    uint32_t pc, mask, active;  // active: lanes of the mask whose guard is true
    const SmInst *inst;
    // the warp's own program or a second stream (parts/inst_stream.h)
    const InstStream *stream;
} IssueEvent;
// warp: the one that issued, or that gave the reason; SM_NONE: there was none
typedef struct ClassEvent {
    int scheduler;
    CounterId what;
    int warp;
} ClassEvent;
typedef struct BranchEvent {
    int warp, paths;
} BranchEvent;
typedef struct FlightEvent {
    const Flight *flight;
} FlightEvent;
// uop: pass of the instruction through the collector; port: SM_NONE until it is known.
typedef struct CollectorEvent {
    const Flight *flight;
    int slot, port, uop;
} CollectorEvent;
// of flight->ops
typedef struct OperandsEvent {
    const Flight *flight;
    int first, n;
} OperandsEvent;
// register dst_reg[word]
typedef struct WordEvent {
    const Flight *flight;
    int port, word;
} WordEvent;
typedef struct LanesEvent {
    const Flight *flight;
    uint32_t lanes;
} LanesEvent;
typedef struct SyscallEvent {
    const Flight *flight;
    const uint32_t *address;
} SyscallEvent;
// flight NULL: release
typedef struct BarrierEvent {
    const Flight *flight;
    int slot, number;
} BarrierEvent;
typedef struct RegistersEvent {
    int warp;
    uint64_t regs;
} RegistersEvent;
typedef struct AheadEvent {
    int warp;
    bool ahead;
    int results, renamed;
} AheadEvent;
// addr, lanes_of: of a load, as in FlightAccess; otherwise NULL.
typedef struct GivenEvent {
    int warp;
    const SmInst *inst;
    const IsaExecOut *out;
    const uint32_t *addr, *lanes_of;
} GivenEvent;
// A thread that runs beside the warps of its CTA. Its instructions in flight are not in sm->flights
// and have numbers of their own. begin: slot, CTA, program. issued: pc, guard. The others: flight
// and its number.
typedef struct ThreadEvent {
    int thread, slot;
    const uint32_t *ctaid;
    const IsaProgram *program;
    uint32_t pc;
    bool active;
    int number;
    const Flight *flight;
} ThreadEvent;
// Instructions first..after-1 of the warp's program are skipped in these lanes. `value` is the
// result that they would write to register `out`.
typedef struct SkippedEvent {
    int warp, first, after, out;
    uint32_t lanes;
    const uint32_t *value;
} SkippedEvent;
typedef struct BankEvent {
    uint64_t cycle;
    int bank;
    bool write;
} BankEvent;
// A register bank refused a request in this cycle; flight NULL: of no instruction.
typedef struct RefusedEvent {
    const Flight *flight;
    bool write;
} RefusedEvent;
// flight NULL: of no instruction. lines: of global or local memory, as counted; conflicts: cycles
// in shared memory.
typedef struct RequestEvent {
    const Flight *flight;
    int lines, conflicts;
} RequestEvent;
typedef struct WorkEvent {
    const MemWork *work;
} WorkEvent;

// Events that the counters count. Statistics receive them first and without a subscription
// (listeners/statistics.h). clang-format off
#define SM_COUNTED_EVENTS(E) \
    E(kernel_begin, KernelEvent)   /* the SM is clear; sm->launch is set */ \
    E(cycle_end, CycleEvent)       /* after stages, blocks and memory system */ \
    E(cta_end, CtaEvent)           /* after its warps */ \
    E(issued, IssueEvent)          /* before it is executed, or begins to be in flight */ \
    E(scheduler_class, ClassEvent) /* every scheduler, every cycle: CTR_ISSUED or a stall class */ \
    E(branched, BranchEvent)       /* a branch was executed: over how many paths its lanes go */ \
    E(begun, FlightEvent)          /* an instruction is in flight */ \
    E(ended, FlightEvent)          /* ... and no more */ \
    E(entered, CollectorEvent)     /* a micro-operation is in a collector */ \
    E(operands_read, OperandsEvent) /* a micro-operation has its operands */ \
    E(executed, FlightEvent)        /* the whole instruction is taken by its unit */ \
    E(result, FlightEvent)          /* the values are there; nothing of them is written */ \
    E(offered, WordEvent)           /* a register stands at a write port */

#define SM_OTHER_EVENTS(E) \
    E(kernel_end, KernelEvent) \
    E(cycle_begin, CycleEvent) /* before the stages */ \
    E(driven, CycleEvent)  /* all inputs of the blocks are what they will be at the clock edge */ \
    E(cta_begin, CtaEvent) /* before its warps */ \
    E(warp_begin, WarpEvent) \
    E(warp_end, WarpEvent)  /* all lanes ended, nothing in flight */ \
    E(dead, RegistersEvent) /* nothing reads them again once what is in flight has read them */ \
    E(dispatched, CollectorEvent) /* it leaves the collector */ \
    E(access, FlightEvent)        /* addresses of a memory instruction; its data has not moved */ \
    E(performed, LanesEvent)      /* lanes of a global atomic were performed at L2 */ \
    E(syscall, SyscallEvent) /* was served; address: of the argument blocks in local memory */ \
    E(given, \
      GivenEvent) /* values of an instruction that need not be executed: it was just issued */ \
    E(skipped, SkippedEvent) /* before the warp goes on behind them */ \
    E(written, WordEvent)    /* a register is written: what issues from now on reads it */ \
    E(thread_begin, ThreadEvent) \
    E(thread_issued, ThreadEvent) \
    E(thread_begun, ThreadEvent) /* as begun, access, performed and result of warps */ \
    E(thread_access, ThreadEvent) \
    E(thread_performed, ThreadEvent) \
    E(thread_result, ThreadEvent) \
    E(freed, RegistersEvent) /* dead, they have lost their rows */ \
    E(held, RegistersEvent) /* of those it shares, the warp has these from now on; regs 0: none */ \
    E(ahead, AheadEvent) /* the warp runs ahead of its program, or no more; results it keeps; */ \
                         /* registers that lie in others' places: one of them has changed */ \
    E(arrived, BarrierEvent)    /* a warp at a barrier */ \
    E(released, BarrierEvent)   /* a barrier is complete */ \
    E(bank_access, BankEvent)   /* a register bank was read or written in that cycle */ \
    E(refused, RefusedEvent)    /* ... or was asked in vain */ \
    E(forwarded, OperandsEvent) /* n operands come without an access to a bank */ \
    E(requested, RequestEvent)  /* a request goes to the memory system */ \
    E(worked, WorkEvent)   /* a part of the memory system is, was or will be at work on a line */ \
    E(missed, FlightEvent) /* a load, or atomic with a result, waits for L2: once for each line */
// clang-format on

#define SM_EVENTS(E) SM_COUNTED_EVENTS(E) SM_OTHER_EVENTS(E)

typedef struct Listener {
#define E(name, Type) void (*name)(Sm * sm, void *self, const Type *e);
    SM_EVENTS(E)
#undef E
} Listener;

enum { SM_MAX_LISTENERS = 12 };

#define E(name, Type) \
    typedef struct name##_Listeners { \
        int n; \
        struct { \
            void (*tell)(Sm * sm, void *self, const Type *e); \
            void *self; \
        } of[SM_MAX_LISTENERS]; \
    } name##_Listeners;
SM_EVENTS(E)
#undef E

typedef struct Events {
#define E(name, Type) name##_Listeners name;
    SM_EVENTS(E)
#undef E
} Events;

// Not during an event of the same name. `listener` and `self` are kept by reference.
void events_subscribe(Sm *sm, const Listener *listener, void *self);
// Ends every subscription with this state.
void events_unsubscribe(Sm *sm, const void *self);

#endif
