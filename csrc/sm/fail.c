// SPDX-License-Identifier: Apache-2.0
// Early ends of a run: the first error of an SM, or no progress for too long.
#include "sm/state.h"

void fail_launch(Sm *sm) {
    sm->failed = false;
    sm_progress(sm);
}

void sm_fail(Sm *sm, ExitStatus status, const char *format, ...) {
    char text[sizeof sm->diag->text];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    diag_fail(sm->diag, status, "%s", text);
    sm_stop(sm);
}

void sm_stop(Sm *sm) { sm->failed = true; }

void sm_progress(Sm *sm) { sm->progress = sm->cycle; }
