// SPDX-License-Identifier: Apache-2.0
// Functions that the files of the LD/ST unit share.
#ifndef SMCOSIM_SM_STAGES_LDST_PARTS_H
#define SMCOSIM_SM_STAGES_LDST_PARTS_H

#include "mem/mem.h"
#include "sm/flight.h"

enum { IN_GLOBAL, IN_SHARED, IN_LOCAL, IN_CONST };  // FlightAccess.lanes_of

// ---- ldst_address.c ----
void ldst_resolve(Flight *f);  // the lanes' addresses, and the space of each
// False: an address of an active lane is beyond 4 GiB, or is no multiple of the access; the SM or
// the stream fails.
bool ldst_in_reach(Sm *sm, const Flight *f);
bool ldst_aligned(Sm *sm, const Flight *f);
// Reports an illegal access. why NULL: there is no memory at the address.
void ldst_refuse(Sm *sm, const Flight *f, int lane, uint64_t addr, const char *why);
void ldst_refuse_window(Sm *sm, const Flight *f, int lane, const char *space, uint32_t addr,
                        uint32_t bytes);
// Removes lanes whose address does not exist, and those of shared and constant memory, which have
// no line in L1.
void ldst_drop_lanes(Sm *sm, Flight *f);
void ldst_touch(Sm *sm, Flight *f);  // drops lanes for op touch, and counts them
int ldst_count_requests(const Flight *f);
// Request number f->access.part of the instruction. Order: global, shared, constant, local words.
void ldst_build_request(const Sm *sm, const Flight *f, MemRequest *r);
Flight *ldst_flight(Sm *sm, uint32_t token);  // the instruction that a memory request belongs to

// ---- ldst_move.c ----
bool ldst_move(Sm *sm, Flight *f);  // false: an error
// Reads, modifies and writes one lane of an atomic at p.
void ldst_atomic_lane(Flight *f, int l, bool global, uint8_t *p);

// ---- ldst_texture.c ----
bool ldst_texture(Sm *sm, Flight *f);  // false: an error
// Values, and the address of the first texel of each lane. False: lane *bad has no texture, because
// of *why, or no texel if *why is NULL.
bool ldst_texture_lanes(Sm *sm, Flight *f, int *bad, const char **why);

#endif
