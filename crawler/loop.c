/* The event loop on libevent. */
#include "crawler/loop.h"

#include <assert.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "base/mem.h"
#include "crawler/loop_event.h"

/* A timer further away than this is set again when it comes to that. */
#define MAX_WAIT_US (3600 * INT64_C(1000000))

struct loop {
	struct event_base *base; /* owned */
};

struct loop_timer {
	struct event *event; /* owned */
	int64_t due_us;
	loop_fn *fn;
	void *arg;
};

struct loop_watch {
	struct event *event; /* owned */
	struct event_base *base;
	int fd;
	int interest;
	loop_io_fn *fn;
	void *arg;
};

struct loop_signal {
	struct event *event; /* owned */
	loop_fn *fn;
	void *arg;
};

static int64_t
monotonic_us(void)
{
	struct timespec t;
	int answer = clock_gettime(CLOCK_MONOTONIC, &t);

	assert(answer == 0);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct loop *
loop_new(void)
{
	struct loop *loop;
	struct event_base *base;
	struct event_config *config;

	/* Without memory the process ends, in the library as everywhere. */
	event_set_mem_functions(mem_alloc, mem_resize, free);
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
loop_run(struct loop *loop)
{
	int answer = event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY);

	assert(answer == 0);
}

void
loop_stop(struct loop *loop)
{
	(void)event_base_loopbreak(loop->base);
}

int64_t
loop_now_s(struct loop *loop)
{
	struct timespec t;
	int answer = clock_gettime(CLOCK_REALTIME, &t);

	(void)loop;
	assert(answer == 0);
	return t.tv_sec;
}

int64_t
loop_now_ms(struct loop *loop)
{
	(void)loop;
	return monotonic_us() / 1000;
}

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
	int64_t left_us = timer->due_us - monotonic_us();

	(void)fd;
	(void)what;
	/* libevent counts from the start of the round on a coarse clock, and
	 * so wakes up to a few milliseconds early. */
	if (left_us > 0) {
		timer_wait(timer, left_us);
		return;
	}
	timer->fn(timer->arg);
}

struct loop_timer *
loop_timer_new(struct loop *loop, loop_fn *fn, void *arg)
{
	struct loop_timer *timer = mem_zero(sizeof(*timer));

	timer->fn = fn;
	timer->arg = arg;
	timer->event = event_new(loop->base, -1, 0, timer_ready, timer);
	assert(timer->event != NULL);
	return timer;
}

void
loop_timer_set(struct loop_timer *timer, int64_t delay_ms)
{
	if (delay_ms < 0)
		delay_ms = 0;
	if (delay_ms > INT64_MAX / 4000)
		delay_ms = INT64_MAX / 4000;
	timer->due_us = monotonic_us() + delay_ms * 1000;
	timer_wait(timer, delay_ms * 1000);
}

void
loop_timer_stop(struct loop_timer *timer)
{
	(void)event_del(timer->event);
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
	watch->fn(watch->arg, fd, ready);
}

static void
watch_arm(struct loop_watch *watch)
{
	short what = EV_PERSIST;
	int answer;

	if ((watch->interest & LOOP_READ) != 0)
		what |= EV_READ;
	if ((watch->interest & LOOP_WRITE) != 0)
		what |= EV_WRITE;
	answer = event_assign(
	    watch->event, watch->base, watch->fd, what, watch_ready, watch);
	assert(answer == 0);
	if (watch->interest != 0)
		(void)event_add(watch->event, NULL);
}

struct loop_watch *
loop_watch_new(
    struct loop *loop, int fd, int interest, loop_io_fn *fn, void *arg)
{
	struct loop_watch *watch = mem_zero(sizeof(*watch));

	watch->base = loop->base;
	watch->fd = fd;
	watch->interest = interest;
	watch->fn = fn;
	watch->arg = arg;
	watch->event = event_new(
	    loop->base, fd, EV_PERSIST, watch_ready, watch);
	assert(watch->event != NULL);
	watch_arm(watch);
	return watch;
}

void
loop_watch_set(struct loop_watch *watch, int interest)
{
	if (interest == watch->interest)
		return;
	(void)event_del(watch->event);
	watch->interest = interest;
	watch_arm(watch);
}

void
loop_watch_free(struct loop_watch *watch)
{
	if (watch == NULL)
		return;
	event_free(watch->event);
	free(watch);
}

static void
signal_ready(evutil_socket_t number, short what, void *arg)
{
	struct loop_signal *signal = arg;

	(void)number;
	(void)what;
	signal->fn(signal->arg);
}

struct loop_signal *
loop_signal_new(struct loop *loop, int number, loop_fn *fn, void *arg)
{
	struct loop_signal *signal = mem_zero(sizeof(*signal));
	int answer;

	signal->fn = fn;
	signal->arg = arg;
	signal->event = evsignal_new(loop->base, number, signal_ready, signal);
	assert(signal->event != NULL);
	answer = event_add(signal->event, NULL);
	assert(answer == 0);
	return signal;
}

void
loop_signal_free(struct loop_signal *signal)
{
	if (signal == NULL)
		return;
	event_free(signal->event);
	free(signal);
}

void
loop_library(struct library *library)
{
	*library = (struct library){.name = "libevent"};
	(void)snprintf(
	    library->built, sizeof(library->built), "%s", LIBEVENT_VERSION);
	(void)snprintf(library->running, sizeof(library->running), "%s",
	    event_get_version());
}
