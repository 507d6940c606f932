// SPDX-License-Identifier: Apache-2.0
// Memory instructions: texture fetches. Values are read from memory at dispatch; the request is for
// the first texel of each lane.
#include "isa/texture.h"
#include "sm/listeners/explain_state.h"
#include "sm/parts/explain_inst.h"
#include "sm/stages/ldst_parts.h"
#include "sm/state.h"
#include "sm/sm_quantum.h"

#include <string.h>

static const uint8_t *read_texels(void *memory, uint32_t addr, uint32_t bytes) {
    return device_at(memory, addr, bytes);
}

// The record that the lane's texture object names. NULL: this instruction does not accept the
// record, because of *why.
static const TextureRecord *find_texture(const Sm *sm, const Flight *f, int l, TextureRecord *t,
                                         const char **why) {
    const IsaInst *isa = f->inst->isa;
    const uint8_t *p = device_at(sm->memory, flight_source(f, 0, 0)[l], sizeof *t);
    *why = "is not a texture object";
    if (!p || (isa->src[0].width == 2 && flight_source(f, 0, 1)[l])) return NULL;
    memcpy(t, p, sizeof *t);
    *why = texture_fault(t, isa->mode);
    return *why ? NULL : t;
}

// Values, and the address of the first texel of each lane. False: lane *bad has no texture, because
// of *why, or no texel if *why is NULL.
bool ldst_texture_lanes(Sm *sm, Flight *f, int *bad, const char **why) {
    const IsaInst *isa = f->inst->isa;
    memset(f->access.lanes_of, 0, sizeof f->access.lanes_of);
    f->access.texel_bytes = 1;
    *bad = -1;
    quantum_await(sm);
    for (int l = 0; l < ISA_LANES; l++) {
        TextureRecord t;
        const char *fault;
        uint32_t coord[4] = {0}, result[4];
        bool inside, there;
        f->access.addr[l] = 0;
        if (!(f->active >> l & 1)) continue;
        if (!find_texture(sm, f, l, &t, &fault)) {
            if (*bad < 0) *bad = l, *why = fault;
            continue;
        }
        for (int w = 0; w < isa->src[1].width; w++) coord[w] = flight_source(f, 1, w)[l];
        there = texture_fetch(&t, isa->mode, coord, read_texels, sm->memory, result,
                              &f->access.addr[l], &inside);
        if (!there && *bad < 0) *bad = l, *why = NULL;
        for (int w = 0; w < 4; w++) f->out.dst[w][l] = result[w];
        if (inside && there) f->access.lanes_of[IN_GLOBAL] |= 1u << l;
        if (texture_texel_bytes(&t) > f->access.texel_bytes)
            f->access.texel_bytes = (uint8_t)texture_texel_bytes(&t);
    }
    return *bad < 0;
}

static void refuse_texture(Sm *sm, const Flight *f, int l, const char *why) {
    char place[256], thread[128], where[512];
    explain_place(sm, f->stream, f->pc, place, sizeof place);
    explain_thread(sm, f->warp, l, thread, sizeof thread);
    if (why) {
        sm_fail(sm, EXIT_WRONG_RESULT, "%s: texture fetch by %s: 0x%x %s", place, thread,
                flight_source(f, 0, 0)[l], why);
        return;
    }
    device_describe(sm->memory, f->access.addr[l], where, sizeof where);
    sm_fail(sm, EXIT_WRONG_RESULT, "%s: texture fetch by %s at 0x%x: %s", place, thread,
            f->access.addr[l], where);
}

bool ldst_texture(Sm *sm, Flight *f) {
    int bad;
    const char *why = NULL;
    if (ldst_texture_lanes(sm, f, &bad, &why)) return true;
    refuse_texture(sm, f, bad, why);
    return false;
}
