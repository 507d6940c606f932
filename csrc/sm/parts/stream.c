// SPDX-License-Identifier: Apache-2.0
#include "sm/parts/stream.h"

#include "sm/state.h"

void stream_bind(Sm *sm, const StreamPart *part, void *self) {
    panic_if(sm->beside.part, "two parts bring second streams");
    sm->beside = (StreamBinding){part, self};
}

bool stream_is_own(const Sm *sm, int warp, const Stream *s) { return s == &sm->warps[warp].own; }
