/*
 * The event loop: timers, descriptors and signals on libevent, and the only
 * clock of the program besides the one that main.c reads.
 */
#ifndef FRESHET_LOOP_H
#define FRESHET_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/late.h"

struct loop;
struct loop_timer;
struct loop_watch;
struct event_base;

typedef void loop_fn(void *arg);

/* loop_new(): a loop; NULL with errno when the kernel gives no descriptor for
 * it. If libevent later lacks a descriptor, the process ends with
 * EXIT_RESOURCES and one line on stderr.
 * loop_free(loop): the caller has freed all timers and watches
 * before. */
struct loop *loop_new(void);
void loop_free(struct loop *);

/* loop_run(loop): serve timers, descriptors and signals until loop_stop is
 * called.  Callbacks come from within loop_run only; a callback may free
 * anything but the loop, its own timer or watch included. */
void loop_run(struct loop *);
void loop_stop(struct loop *);

/*
 * loop_now_s(loop): the time, in seconds since the Epoch.  It is the time of
 * the wall clock, but never goes back (base/civil.h). loop_wall_s(loop): the
 * wall clock, for times that others name and to see that the clock was set.
 * loop_wall_us(loop): the same in microseconds.
 * loop_now_ms(loop): the monotonic clock, for intervals only.  Each call reads
 * the clock; that costs no system call.
 */
int64_t loop_now_s(struct loop *);
int64_t loop_wall_s(struct loop *);
int64_t loop_wall_us(struct loop *);
int64_t loop_now_ms(struct loop *);

/*
 * loop_timer_new(loop, fn, arg): a timer that does not run yet.
 * loop_timer_set(timer, delay_ms): start the timer, or move it if it runs; it
 * fires once, and never before loop_now_ms has grown by delay_ms.  With 0 the
 * timer fires in the next round of the loop; with LOOP_NEVER it stops.
 */
#define LOOP_NEVER INT64_MAX
struct loop_timer *loop_timer_new(struct loop *, loop_fn *, void *arg);
void loop_timer_set(struct loop_timer *, int64_t delay_ms);
void loop_timer_free(struct loop_timer *);

/* loop_watch_new(loop, fd, interest, fn, arg): call fn whenever fd is ready for
 * one of the bits of interest (0: for none), until the watch is freed.  The
 * descriptor stays the caller's, who closes it after loop_watch_free.  With
 * LOOP_SIGNAL alone, fd is the number of a signal: fn is called whenever that
 * signal comes. */
enum loop_interest { LOOP_READ = 1, LOOP_WRITE = 2, LOOP_SIGNAL = 4 };
typedef void loop_io_fn(void *arg, int fd, int ready);
struct loop_watch *loop_watch_new(
    struct loop *, int fd, int interest, loop_io_fn *, void *arg);
void loop_watch_set(struct loop_watch *, int interest);
void loop_watch_free(struct loop_watch *);

/* loop_await(loop, more): `more` further transfers or jobs of readers are under
 * way outside of the loop; a negative number: this many have ended. While any
 * are under way, the clock of a test does not move on (test_clock.h). A build
 * without hooks for tests does not count them. loop_timer_keep(timer): no test
 * moves the clock of this timer: it waits for something outside. */
#ifdef FRESHET_TEST_HOOKS
void loop_await(struct loop *, int more);
void loop_timer_keep(struct loop_timer *);
#else
static inline void
loop_timer_keep(struct loop_timer *timer)
{
	(void)timer;
}

static inline void
loop_await(struct loop *loop, int more)
{
	(void)loop, (void)more;
}
#endif

/* The longest delays that the loop caused so far, in microseconds. A gap is the
 * time from the first callback of a round to the end of the round: other
 * callbacks wait meanwhile. Commits do not count as part of a gap, because
 * hostile bytes cannot make the disk slower. */
struct loop_delays {
	int64_t longest_gap_us;
	/* the most processor time of a gap; in the rest of a gap, the machine
	 * may have run other processes */
	int64_t longest_cpu_us;
	int64_t longest_commit_us;
};
struct loop_delays loop_delays(const struct loop *);

/* loop_forget_delays(loop): the delays so far, and that of the round that is
 * under way, do not count: nobody waited for the loop yet. */
void loop_forget_delays(struct loop *);

/* loop_commit(loop, begins): called with true before a wait for the disk, and
 * with false behind it, within one callback.  An end without a beginning is
 * ignored. */
void loop_commit(struct loop *, bool begins);

/* loop_doing(loop, what): from now on the callback does `what`, a static text
 * that the report of a stall contains. */
void loop_doing(struct loop *, const char *what);

/* A stall is a round that lasts LOOP_STALL_US or longer, commits included. */
#define LOOP_STALL_US 200000
struct loop_stall {
	int64_t us; /* the whole round */
	int64_t commit_us; /* the part of it in commits */
	int64_t cpu_us; /* the part of it on the processor */
	const char *what; /* the longest part of the round */
};
typedef void loop_stall_fn(void *arg, const struct loop_stall *);

/* loop_on_stall(loop, fn, arg): call fn after each stall; fn NULL: call
 * nothing. */
void loop_on_stall(struct loop *, loop_stall_fn *, void *arg);

/* loop_event_base(loop): libevent's own object, for http_server.c alone;
 * borrowed, as long as the loop lives. */
struct event_base *loop_event_base(struct loop *);

/* loop_library(library): the versions of libevent, built with and running. */
void loop_library(struct library *);

#endif
