// SPDX-License-Identifier: Apache-2.0
// Progress output of a command on stderr.
#ifndef SMCOSIM_BASE_CONSOLE_H
#define SMCOSIM_BASE_CONSOLE_H

// Prints "smcosim: text" in place of a progress line.
void console_notice(const char *text);

// Prints a line that the next line replaces, if stderr is a terminal. NULL clears the line.
void console_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
