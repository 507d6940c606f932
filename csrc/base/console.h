// SPDX-License-Identifier: Apache-2.0
// Progress output of a command on stderr.
#ifndef SMCOSIM_BASE_CONSOLE_H
#define SMCOSIM_BASE_CONSOLE_H

// "smcosim: text", in place of a progress line.
void console_notice(const char *text);

// A line that the next one replaces, when stderr is a terminal; NULL: it goes away.
void console_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
