// SPDX-License-Identifier: Apache-2.0
// A child process: a program or a function of this process, with its limits, outputs and end.
#ifndef SMCOSIM_PROC_CHILD_H
#define SMCOSIM_PROC_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_MISSING = 127 };  // exit status: no such program, or it cannot be opened

typedef enum ChildSignals {
    CHILD_KEEPS,    // the child handles signals as this process does
    CHILD_DEFAULT,  // SIGINT, SIGTERM, SIGPIPE and SIGXFSZ end the child
    CHILD_SPARED,   // SIGTERM ends the child. It ignores SIGINT: this process forwards Ctrl-C
} ChildSignals;

// All members zero: plain fork and exec.
typedef struct Child {
    const char *const *argv;    // argv[0] is looked up in PATH. NULL: the child only calls `inside`
    void (*inside)(void *ctx);  // called in the child before the program is executed
    void *ctx;
    int death;   // signal that the child receives when this process dies; 0: none
    bool group;  // the child leads its own process group
    ChildSignals signals;
    bool no_input;          // standard input is empty
    const char *out, *err;  // new files for its outputs; equal names: one file for both
    int out_fd, err_fd;     // or descriptors; 0: those of this process
    int seconds;            // limit of processor time per process; 0: no limit
    const char *folder;     // working folder; NULL: that of this process
    int missing;            // exit status if it cannot be executed; 0: CHILD_MISSING
    bool says;              // report that case on standard error
} Child;

typedef struct ChildEnd {
    int status;      // exit status, or 128 + signal
    int signal;      // signal that ended the child; 0: it exited
    double seconds;  // processor time of the child and of the processes for which it waited
} ChildEnd;

// Returns -1 if no process could be started (errno).
pid_t child_start(const Child *c);
// Waits for the end of the child. If *stop is set, the child's group receives the signal, and the
// result is false. stop may be NULL.
bool child_wait(pid_t pid, volatile int *stop, int signal, ChildEnd *end);
// Has the child ended? Does not wait.
bool child_ended(pid_t pid, ChildEnd *end);
void child_signal(pid_t pid, bool group, int signal);

// Keeps at most size - 1 bytes, without trailing newlines.
typedef struct ChildText {
    char *text;
    size_t size;
} ChildText;

// Runs the child to its end and keeps its output; err NULL: both outputs in one text. When *stop is
// set, the child or its group receives SIGTERM. False: the child could not be run (errno).
bool child_ask(const Child *c, ChildText out, const ChildText *err, volatile int *stop,
               ChildEnd *end);

// The short output of another program, from both streams. Returns its exit status; CHILD_MISSING:
// no such program; -1: a signal ended it.
int child_answer(const char *const *argv, char *text, size_t size);

// Zeroed memory that this process and its children share.
void *child_shared(size_t bytes);
void child_unshare(void *memory, size_t bytes);

#endif
