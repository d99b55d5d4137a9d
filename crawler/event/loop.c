/*
 * The event loop on libevent.  A round is: libevent waits, then calls every
 * callback that is ready, each through loop_wake(); loop_rest() ends the round
 * and measures it. With the clock of a test, test_loop_run() runs the rounds
 * and tells the test when there is nothing to do.
 */
#include "crawler/event/loop.h"

#include <assert.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/civil.h"
#include "base/mem.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop_delay.h"
#ifdef FRESHET_TEST_HOOKS
#include "tests/fixtures/test_loop.h"
#endif

/* The longest wait of one call of libevent; timer_ready() waits for the
 * rest. */
#define MAX_WAIT_US (3600 * INT64_C(1000000))

struct loop {
	struct event_base *base; /* owned */
	struct steady steady;
	struct loop_clocking clocking;
	loop_stall_fn *stall; /* or NULL */
	void *stall_arg;
	int64_t cpu_us; /* processor time used when the last round ended */
#ifdef FRESHET_TEST_HOOKS
	struct test_loop test;
#endif
};

struct loop_timer {
#ifdef FRESHET_TEST_HOOKS
	struct test_timer test; /* the first member */
#endif
	struct loop *loop;
	struct event *event; /* owned */
	int64_t due_us;
	loop_fn *fn;
	void *arg;
};

struct loop_watch {
	struct loop *loop;
	struct event *event; /* owned */
	int fd;
	int interest;
	loop_io_fn *fn;
	void *arg;
};

/* A clock of the system in microseconds; a test sets the clocks of time, but
 * not that of the processor. */
static int64_t
loop_clock_us(clockid_t clock)
{
#ifdef FRESHET_TEST_HOOKS
	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return test_clock_us(clock);
#endif
	struct timespec t;
	int answer = clock_gettime(clock, &t);

	assert(answer == 0);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* libevent's messages: an error means that no descriptor is left, for which
 * libevent itself would end the process with status 1.  All others are dropped.
 */
static void
on_message(int severity, const char *message)
{
	static const char text[] =
	    "freshet: no descriptor is left for the event loop\n";

	(void)message;
	if (severity != EVENT_LOG_ERR)
		return;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_RESOURCES);
}

struct loop *
loop_new(void)
{
	struct loop *loop;
	struct event_base *base;
	struct event_config *config;

	/* A lack of memory ends the process inside libevent, too. */
	event_set_mem_functions(mem_alloc, mem_resize, free);
	event_set_log_callback(on_message);
	config = event_config_new();
	assert(config != NULL);
	(void)event_config_set_flag(
	    config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV);
	base = event_base_new_with_config(config);
	event_config_free(config);
	if (base == NULL)
		return NULL;
	loop = mem_zero(sizeof(*loop));
	loop->base = base;
	return loop;
}

void
loop_free(struct loop *loop)
{
	if (loop == NULL)
		return;
	event_base_free(loop->base);
	free(loop);
}

struct event_base *
loop_event_base(struct loop *loop)
{
	return loop->base;
}

void
loop_stop(struct loop *loop)
{
	(void)event_base_loopbreak(loop->base);
}

int64_t
loop_now_s(struct loop *loop)
{
	return steady_now_s(&loop->steady, loop_wall_s(loop),
	    loop_clock_us(CLOCK_MONOTONIC) / 1000);
}

int64_t
loop_wall_us(struct loop *loop)
{
	(void)loop;
	return loop_clock_us(CLOCK_REALTIME);
}

int64_t
loop_wall_s(struct loop *loop)
{
	return loop_wall_us(loop) / 1000000;
}

int64_t
loop_now_ms(struct loop *loop)
{
	(void)loop;
	return loop_clock_us(CLOCK_MONOTONIC) / 1000;
}

static void loop_wake(struct loop *);

static void
timer_wait(struct loop_timer *timer, int64_t us)
{
	struct timeval tv;

	if (us < 0)
		us = 0;
	if (us > MAX_WAIT_US)
		us = MAX_WAIT_US;
	tv.tv_sec = us / 1000000;
	tv.tv_usec = us % 1000000;
	(void)event_add(timer->event, &tv);
}

static void
timer_ready(evutil_socket_t fd, short what, void *arg)
{
	struct loop_timer *timer = arg;
	int64_t left_us = timer->due_us - loop_clock_us(CLOCK_MONOTONIC);

	(void)fd;
	(void)what;
#ifdef FRESHET_TEST_HOOKS
	if (timer->test.is_kept)
		left_us = 0;
#endif
	/* libevent counts from the start of the round, by a coarse clock, so it
	 * may wake a few milliseconds too early. */
	if (left_us > 0) {
		timer_wait(timer, left_us);
		return;
	}
	loop_wake(timer->loop);
	timer->fn(timer->arg);
}

struct loop_timer *
loop_timer_new(struct loop *loop, loop_fn *fn, void *arg)
{
	struct loop_timer *timer = mem_zero(sizeof(*timer));

	timer->loop = loop;
	timer->fn = fn;
	timer->arg = arg;
	timer->event = event_new(loop->base, -1, 0, timer_ready, timer);
	assert(timer->event != NULL);
	return timer;
}

void
loop_timer_set(struct loop_timer *timer, int64_t delay_ms)
{
	if (delay_ms == LOOP_NEVER) {
		(void)event_del(timer->event);
		return;
	}
	if (delay_ms < 0)
		delay_ms = 0;
	if (delay_ms > INT64_MAX / 4000)
		delay_ms = INT64_MAX / 4000;
	timer->due_us = loop_clock_us(CLOCK_MONOTONIC) + delay_ms * 1000;
#ifdef FRESHET_TEST_HOOKS
	timer->test.due = test_clock_due(delay_ms);
#endif
	timer_wait(timer, delay_ms * 1000);
}

void
loop_timer_free(struct loop_timer *timer)
{
	if (timer == NULL)
		return;
	event_free(timer->event);
	free(timer);
}

static void
watch_ready(evutil_socket_t fd, short what, void *arg)
{
	struct loop_watch *watch = arg;
	int ready = 0;

	if ((what & EV_READ) != 0)
		ready |= LOOP_READ;
	if ((what & EV_WRITE) != 0)
		ready |= LOOP_WRITE;
	if ((what & EV_SIGNAL) != 0)
		ready |= LOOP_SIGNAL;
	loop_wake(watch->loop);
	watch->fn(watch->arg, fd, ready);
}

struct loop_watch *
loop_watch_new(
    struct loop *loop, int fd, int interest, loop_io_fn *fn, void *arg)
{
	struct loop_watch *watch = mem_zero(sizeof(*watch));

	watch->loop = loop;
	watch->fd = fd;
	watch->fn = fn;
	watch->arg = arg;
	watch->event = event_new(
	    loop->base, fd, EV_PERSIST, watch_ready, watch);
	assert(watch->event != NULL);
	loop_watch_set(watch, interest);
	return watch;
}

void
loop_watch_set(struct loop_watch *watch, int interest)
{
	short what = EV_PERSIST;
	int answer;

	if (interest == watch->interest)
		return;
	(void)event_del(watch->event);
	watch->interest = interest;
	if ((interest & LOOP_READ) != 0)
		what |= EV_READ;
	if ((interest & LOOP_WRITE) != 0)
		what |= EV_WRITE;
	if ((interest & LOOP_SIGNAL) != 0)
		what |= EV_SIGNAL;
	answer = event_assign(watch->event, watch->loop->base, watch->fd, what,
	    watch_ready, watch);
	assert(answer == 0);
	if (interest != 0)
		answer = event_add(watch->event, NULL);
	assert(answer == 0 || (interest & LOOP_SIGNAL) == 0);
}

void
loop_watch_free(struct loop_watch *watch)
{
	if (watch == NULL)
		return;
	event_free(watch->event);
	free(watch);
}

/* Rounds. */

/* The round is over.  The processor time since the last round ended counts: in
 * between the process waits, and each question costs half a microsecond. */
static void
loop_rest(struct loop *loop)
{
	int64_t before_us = loop->cpu_us;
	struct loop_stall stall;

	if (loop->clocking.round_us == 0)
		return;
	loop->cpu_us = loop_clock_us(CLOCK_THREAD_CPUTIME_ID);
	stall = clocking_rest(&loop->clocking, loop_clock_us(CLOCK_MONOTONIC),
	    loop->cpu_us - before_us);
	if (stall.us >= LOOP_STALL_US && loop->stall != NULL)
		loop->stall(loop->stall_arg, &stall);
}

#ifdef FRESHET_TEST_HOOKS

void
loop_await(struct loop *loop, int more)
{
	loop->test.awaited += more;
	assert(loop->test.awaited >= 0);
}

void
loop_timer_keep(struct loop_timer *timer)
{
	timer->test.is_kept = true;
}

#endif

/* A callback begins; at_work names no site yet. */
static void
loop_wake(struct loop *loop)
{
#ifdef FRESHET_TEST_HOOKS
	test_loop_wake(&loop->test);
#endif
	at_work_site(0);
	clocking_wake(&loop->clocking, loop_clock_us(CLOCK_MONOTONIC));
}

void
loop_run(struct loop *loop)
{
	int answer;

#ifdef FRESHET_TEST_HOOKS
	if (test_loop_run(
		&loop->test, loop->base, timer_ready, loop_rest, loop))
		return;
#endif
	do {
		answer = event_base_loop(
		    loop->base, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY);
		assert(answer == 0);
		loop_rest(loop);
	} while (!event_base_got_break(loop->base));
}

struct loop_delays
loop_delays(const struct loop *loop)
{
	return loop->clocking.delays;
}

void
loop_forget_delays(struct loop *loop)
{
	loop->clocking = (struct loop_clocking){0};
	loop->cpu_us = loop_clock_us(CLOCK_THREAD_CPUTIME_ID);
}

void
loop_commit(struct loop *loop, bool begins)
{
	clocking_commit(
	    &loop->clocking, loop_clock_us(CLOCK_MONOTONIC), begins);
}

void
loop_doing(struct loop *loop, const char *what)
{
	clocking_doing(&loop->clocking, loop_clock_us(CLOCK_MONOTONIC), what);
}

void
loop_on_stall(struct loop *loop, loop_stall_fn *fn, void *arg)
{
	loop->stall = fn;
	loop->stall_arg = arg;
}

void
loop_library(struct library *library)
{
	*library = library_make(
	    "libevent", LIBEVENT_VERSION, event_get_version());
}
