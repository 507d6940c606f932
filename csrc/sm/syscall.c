// SPDX-License-Identifier: Apache-2.0
// System calls of device code: vprintf, assertion failure, malloc, free.
#include "sm/core.h"

void syscall_execute(Sm *sm, Flight *f) {
    sm_fail(sm, EXIT_USAGE, "system calls are not connected");
    flight_end(sm, f);
}
