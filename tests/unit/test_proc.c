// SPDX-License-Identifier: Apache-2.0
// Children: their end, output and limits, several at a time, and the effect of a stop.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "proc/children.h"
#include "proc/clock.h"
#include "proc/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SH(TEXT) ((const char *const[]){"sh", "-c", TEXT, NULL})

static ChildEnd end_of(const Child *c) {
    ChildEnd end;
    const pid_t pid = child_start(c);
    assert_true(pid > 0);
    assert_true(child_wait(pid, NULL, 0, &end));
    return end;
}

static void statuses(void **state) {
    (void)state;
    const char *const nothing[] = {"smcosim-no-such-program", NULL};
    assert_int_equal(end_of(&(Child){.argv = SH("exit 0")}).status, 0);
    assert_int_equal(end_of(&(Child){.argv = SH("exit 7")}).status, 7);
    assert_int_equal(end_of(&(Child){.argv = nothing}).status, CHILD_MISSING);
    assert_int_equal(end_of(&(Child){.argv = nothing, .missing = 7}).status, 7);
    assert_int_equal(end_of(&(Child){.argv = SH("exit 0"), .folder = "/no/such/folder"}).status,
                     CHILD_MISSING);
    assert_int_equal(end_of(&(Child){.argv = SH("exit 0"), .out = "/no/such/file"}).status,
                     CHILD_MISSING);
    const ChildEnd killed = end_of(&(Child){.argv = SH("kill -9 $$")});
    assert_int_equal(killed.status, 128 + SIGKILL);
    assert_int_equal(killed.signal, SIGKILL);
}

static void input(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "word\n", 5), 5);
    assert_int_equal(dup2(ends[0], 0), 0);
    close(ends[0]), close(ends[1]);
    assert_int_equal(end_of(&(Child){.argv = SH("read line"), .no_input = true}).status, 1);
    assert_int_equal(end_of(&(Child){.argv = SH("read line && test $line = word")}).status, 0);
}

// More than a pipe holds on one output must not keep the other from being read.
static void texts(void **state) {
    (void)state;
    char out[10], err[100];
    ChildEnd end;
    const Child c = {.argv = SH("head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero | "
                                "tr '\\0' y >&2; echo; exit 3")};
    assert_true(
        child_ask(&c, (ChildText){out, sizeof out}, &(ChildText){err, sizeof err}, NULL, &end));
    assert_int_equal(end.status, 3);
    assert_string_equal(out, "xxxxxxxxx");
    assert_int_equal(strspn(err, "y"), sizeof err - 1);
    assert_int_equal(child_answer(SH("echo one; echo two >&2; echo; exit 4"), err, sizeof err), 4);
    assert_string_equal(err, "one\ntwo");
    assert_int_equal(child_answer(SH("kill -9 $$"), err, sizeof err), -1);
}

static void files(void **state) {
    (void)state;
    char folder[] = "/tmp/test_proc-XXXXXX", text[100] = "", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
    assert_int_equal(end_of(&(Child){.argv = SH("echo a; echo b >&2; pwd"),
                                     .out = path,
                                     .err = path,
                                     .folder = "/usr"})
                         .status,
                     0);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fread(text, 1, sizeof text - 1, f), 9);
    fclose(f);
    assert_string_equal(text, "a\nb\n/usr\n");
    unlink(path), rmdir(folder);
}

static void limit(void **state) {
    (void)state;
    const ChildEnd end = end_of(&(Child){.argv = SH("while :; do :; done"), .seconds = 1});
    assert_int_equal(end.signal, SIGXCPU);
    assert_true(end.seconds > 0.5 && end.seconds < 3);
}

static void start_sleeper(void *ctx) {
    const int *ends = ctx;
    close(ends[0]);
    child_start(&(Child){.argv = SH("exec sleep 100"), .death = SIGKILL});
    if (write(ends[1], "", 1) == 1)
        for (;;) pause();
}

// The writing end of the pipe is closed when both are gone.
static void dies_with_parent(void **state) {
    (void)state;
    int ends[2];
    ChildEnd end;
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = child_start(&(Child){.inside = start_sleeper, .ctx = ends});
    close(ends[1]);
    char ready;
    assert_int_equal(read(ends[0], &ready, 1), 1);
    child_signal(pid, false, SIGKILL);
    child_wait(pid, NULL, 0, &end);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&p, 1, 20000), 1);
    close(ends[0]);
}

static void stopped_alone(void **state) {
    (void)state;
    volatile int stop = 1;
    ChildEnd end;
    const pid_t pid = child_start(&(Child){.argv = SH("sleep 100 & wait"), .group = true});
    assert_false(child_wait(pid, &stop, SIGKILL, &end));
    assert_int_equal(end.signal, SIGKILL);
    char text[10];
    const Child c = {.argv = SH("sleep 100"), .group = true};
    assert_true(child_ask(&c, (ChildText){text, sizeof text}, NULL, &stop, &end));
    assert_int_equal(end.signal, SIGTERM);
}

// ---- several ----------------------------------------------------------------------------------

typedef struct Seen {
    volatile bool ready, asked;
} Seen;

typedef struct Several {
    void (*inside)(void *ctx);
    bool group;
    int order[20], begun, ended, running, most, fails_at, stops_at;
    volatile int stop;
    Seen *seen;  // shared
} Several;

static pid_t begin_one(void *ctx, Task t) {
    Several *s = ctx;
    s->order[s->begun++] = t.item;
    if (++s->running > s->most) s->most = s->running;
    return child_start(
        &(Child){.inside = s->inside, .ctx = s, .group = s->group, .death = SIGKILL});
}

static bool end_one(void *ctx, Task t, const ChildEnd *end) {
    Several *s = ctx;
    assert_int_equal(end->status, 0);
    s->running--, s->ended++;
    if (s->stops_at && s->ended == s->stops_at) s->stop = 1;
    return t.item != s->fails_at;
}

static void stop_when_ready(void *ctx) {
    Several *s = ctx;
    if (s->seen->ready) s->stop = 1;
}

static Children children_of(Several *s, int n) {
    return (Children){.jobs = 3,
                      .look_ms = 5,
                      .stop = &s->stop,
                      .ctx = s,
                      .n = n,
                      .start = begin_one,
                      .ended = end_one};
}

static void nap(void *ctx) {
    (void)ctx;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void all_in_order(void **state) {
    (void)state;
    Several s = {.inside = nap, .fails_at = -1};
    const Children c = children_of(&s, 10);
    assert_int_equal(children_run(&c), CHILDREN_DONE);
    assert_int_equal(s.ended, 10);
    assert_int_equal(s.most, 3);
    for (int i = 0; i < 10; i++) assert_int_equal(s.order[i], i);
}

static void end_early(void **state) {
    (void)state;
    Several fails = {.inside = nap, .fails_at = 2},
            stops = {.inside = nap, .fails_at = -1, .stops_at = 2};
    const Children one = children_of(&fails, 20), other = children_of(&stops, 20);
    assert_int_equal(children_run(&one), CHILDREN_FAILED);
    assert_true(fails.begun < 20);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);  // none is left
    assert_int_equal(children_run(&other), CHILDREN_STOPPED);
    assert_int_equal(stops.ended, 2);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static Seen *asked;  // of the child

static void on_term(int number) {
    (void)number;
    asked->asked = true;
    _exit(0);
}

static void wait_politely(void *ctx) {
    asked = ((Several *)ctx)->seen;
    signal(SIGTERM, on_term);
    asked->ready = true;
    for (;;) pause();
}

static void wait_stubbornly(void *ctx) {
    signal(SIGTERM, SIG_IGN);
    ((Several *)ctx)->seen->ready = true;
    for (;;) pause();
}

static void patience(void **state) {
    (void)state;
    static const struct {
        void (*inside)(void *ctx);
        int patience_ms;
        bool asked;
        double least;
    } cases[] = {
        {wait_politely, PATIENCE_ENDLESS, true, 0},
        {wait_politely, 60000, true, 0},
        {wait_politely, 0, false, 0},
        {wait_stubbornly, 300, false, 0.3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Several s = {
            .inside = cases[i].inside, .fails_at = -1, .seen = child_shared(sizeof *s.seen)};
        Children c = children_of(&s, 1);
        c.patience_ms = cases[i].patience_ms, c.look = stop_when_ready;
        const double since = clock_seconds();
        assert_int_equal(children_run(&c), CHILDREN_STOPPED);
        assert_true(clock_seconds() - since >= cases[i].least);
        assert_int_equal(s.seen->asked, cases[i].asked);
        assert_int_equal(s.ended, 0);
        child_unshare(s.seen, sizeof *s.seen);
    }
}

static void leave_another(void *ctx) {
    (void)ctx;
    child_start(&(Child){.argv = SH("sleep 100")});
}

// A process that a child leaves in its group has the writing end of the pipe.
static void groups(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const int kept = dup(ends[1]);  // without O_CLOEXEC
    Several s = {.inside = leave_another, .group = true, .fails_at = -1};
    Children c = children_of(&s, 1);
    c.groups = true;
    assert_int_equal(children_run(&c), CHILDREN_DONE);
    close(ends[1]), close(kept);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&p, 1, 20000), 1);
    close(ends[0]);
}

// ---- watch ------------------------------------------------------------------------------------

static void get_on(void *ctx) {
    Watch *w = ctx;
    watch_start(w, 1);
    while (clock_processor() < 1.3) w->alive++;
}

static void get_stuck(void *ctx) {
    watch_start(ctx, 1);
    for (volatile int forever = 1; forever;) {}
}

static void watched(void **state) {
    (void)state;
    Watch *w = child_shared(sizeof *w);
    assert_int_equal(end_of(&(Child){.inside = get_on, .ctx = w}).status, 0);
    assert_false(w->stuck);
    w->seen = w->alive;
    assert_int_equal(end_of(&(Child){.inside = get_stuck, .ctx = w}).status, 1);
    assert_true(w->stuck);
    child_unshare(w, sizeof *w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses),      cmocka_unit_test(input),
        cmocka_unit_test(texts),         cmocka_unit_test(files),
        cmocka_unit_test(limit),         cmocka_unit_test(dies_with_parent),
        cmocka_unit_test(stopped_alone), cmocka_unit_test(all_in_order),
        cmocka_unit_test(end_early),     cmocka_unit_test(patience),
        cmocka_unit_test(groups),        cmocka_unit_test(watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
