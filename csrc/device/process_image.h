// SPDX-License-Identifier: Apache-2.0
// Processes that the CUDA library connects from, as the kernel shows them.
#ifndef SMCOSIM_DEVICE_PROCESS_IMAGE_H
#define SMCOSIM_DEVICE_PROCESS_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Sets *image to the address of the random bytes that the kernel gives a process at each exec. It
// identifies the program that the process executes. 0: the process is ending, its memory is gone.
// False: the kernel does not show it.
bool process_read_image(pid_t pid, uint64_t *image);

// Does the process exist, and has it not ended? An ended one whose status nobody has read counts as
// ended.
bool process_is_running(pid_t pid);

#endif
