// SPDX-License-Identifier: Apache-2.0
// A child process: a program, or a function of this one; its limits, its outputs and its end.
#ifndef SMCOSIM_PROC_CHILD_H
#define SMCOSIM_PROC_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_MISSING = 127 };  // exit status: no such program, or a file of it cannot be opened

typedef enum ChildSignals {
    CHILD_KEEPS,    // it treats signals as this process does
    CHILD_DEFAULT,  // SIGINT, SIGTERM, SIGPIPE and SIGXFSZ end it
    CHILD_SPARED,   // SIGTERM ends it. SIGINT is ignored: this process passes on a Ctrl-C
} ChildSignals;

// All zero: plain fork and exec.
typedef struct Child {
    const char *const *argv;    // argv[0] is looked up in PATH. NULL: `inside` is all that it does
    void (*inside)(void *ctx);  // called in the child before the program is executed
    void *ctx;
    int death;   // the signal that it gets when this process dies; 0: none
    bool group;  // it leads a process group of its own
    ChildSignals signals;
    bool no_input;          // standard input is empty
    const char *out, *err;  // files for its outputs, made anew; the same name: one file for both
    int out_fd, err_fd;     // or descriptors; 0: those of this process
    int seconds;            // processor time of each of its processes; 0: without limit
    const char *folder;     // where it runs; NULL: here
    int missing;            // exit status when it cannot be executed; 0: CHILD_MISSING
    bool says;              // and says so on its standard error
} Child;

typedef struct ChildEnd {
    int status;      // exit status, or 128 + signal
    int signal;      // that ended it; 0: it ended by itself
    double seconds;  // processor time of it and of those that it waited for
} ChildEnd;

// -1: no process (errno).
pid_t child_start(const Child *c);
// Waits for its end. When *stop is set its group gets the signal: false. stop NULL: nothing stops
// it.
bool child_wait(pid_t pid, volatile int *stop, int signal, ChildEnd *end);
// Has it ended? Does not wait.
bool child_ended(pid_t pid, ChildEnd *end);
void child_signal(pid_t pid, bool group, int signal);

// At most size - 1 bytes are kept, without the newlines at the end.
typedef struct ChildText {
    char *text;
    size_t size;
} ChildText;

// Runs it to its end and keeps its output; err NULL: both outputs in one text. When *stop is set,
// the child, or its group, gets SIGTERM. False: it could not be run (errno).
bool child_ask(const Child *c, ChildText out, const ChildText *err, volatile int *stop,
               ChildEnd *end);

// The short answer of another program, from both outputs. Its exit status; CHILD_MISSING: no such
// program; -1: a signal ended it.
int child_answer(const char *const *argv, char *text, size_t size);

// Memory that this process and its children share, all zero.
void *child_shared(size_t bytes);
void child_unshare(void *memory, size_t bytes);

#endif
