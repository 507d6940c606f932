// SPDX-License-Identifier: Apache-2.0
// Processes that connect through the CUDA library, as the kernel of the host reports them.
#ifndef SMCOSIM_DEVICE_PROCESS_IMAGE_H
#define SMCOSIM_DEVICE_PROCESS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Sets *image to the address of the random bytes that the kernel gives a process at each exec. It
// identifies the program that the process executes. 0: the process is ending and has no memory.
// False: the kernel does not provide it.
bool process_read_image(pid_t pid, uint64_t *image);

// Does the process exist, and has it not ended? A process has also ended if its status has not been
// read yet.
bool process_is_running(pid_t pid);

#endif
