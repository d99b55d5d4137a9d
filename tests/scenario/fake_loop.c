/* A loop in virtual time: it jumps from timer to timer. */
#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "crawler/event/loop.h"
#include "tests/scenario/fake.h"

struct loop_timer {
	struct loop *loop;
	loop_fn *fn;
	void *arg;
	int64_t at_ms; /* -1: not running */
	uint64_t order;
	struct loop_timer *next;
};

struct loop {
	struct loop_timer *timers; /* borrowed; who made a timer frees it */
	uint64_t orders;
	bool is_stopped;
};

/* Virtual time goes on from one loop to the next. */
static int64_t now_ms;
static int64_t wrong_s; /* difference between the wall clock and virtual time */
static int64_t slept_s; /* time for which the machine was suspended */
static struct steady steady; /* the time of the process */

void
fake_reset(void)
{
	now_ms = wrong_s = slept_s = 0;
	steady = (struct steady){0};
}

int64_t
fake_restart(void)
{
	int64_t before_s = loop_now_s(NULL);

	steady = (struct steady){0};
	return before_s - loop_now_s(NULL);
}

void
fake_jump(int64_t seconds)
{
	wrong_s += seconds;
}

void
fake_suspend(int64_t seconds)
{
	slept_s += seconds;
}

void
fake_sleep(int64_t seconds)
{
	now_ms += seconds * 1000;
}

void
fake_time(struct buf *out)
{
	(void)buf_print(out, "%lld.%03d", (long long)fake_elapsed_s(),
	    (int)(now_ms % 1000));
}

int64_t
fake_elapsed_s(void)
{
	return now_ms / 1000 + slept_s;
}

struct loop *
loop_new(void)
{
	return mem_zero(sizeof(struct loop));
}

void
loop_free(struct loop *loop)
{
	free(loop);
}

static struct loop_timer *
first_timer(const struct loop *loop)
{
	struct loop_timer *best = NULL;

	for (struct loop_timer *t = loop->timers; t != NULL; t = t->next) {
		if (t->at_ms < 0)
			continue;
		if (best == NULL || t->at_ms < best->at_ms ||
		    (t->at_ms == best->at_ms && t->order < best->order))
			best = t;
	}
	return best;
}

void
loop_run(struct loop *loop)
{
	struct loop_timer *timer;

	loop->is_stopped = false;
	while (!loop->is_stopped && (timer = first_timer(loop)) != NULL) {
		if (timer->at_ms > now_ms)
			now_ms = timer->at_ms;
		timer->at_ms = -1;
		timer->fn(timer->arg);
	}
}

void
loop_stop(struct loop *loop)
{
	loop->is_stopped = true;
}

int64_t
loop_now_s(struct loop *loop)
{
	return steady_now_s(&steady, loop_wall_s(loop), now_ms);
}

int64_t
loop_wall_us(struct loop *loop)
{
	return loop_wall_s(loop) * 1000000;
}

int64_t
loop_wall_s(struct loop *loop)
{
	(void)loop;
	return BEGIN_S + fake_elapsed_s() + wrong_s;
}

int64_t
loop_now_ms(struct loop *loop)
{
	(void)loop;
	return now_ms;
}

/* Nothing takes any time. */

struct loop_delays
loop_delays(const struct loop *loop)
{
	(void)loop;
	return (struct loop_delays){0};
}

void
loop_doing(struct loop *loop, const char *what)
{
	(void)loop;
	(void)what;
}

void
loop_commit(struct loop *loop, bool begins)
{
	(void)loop;
	(void)begins;
}

struct loop_timer *
loop_timer_new(struct loop *loop, loop_fn *fn, void *arg)
{
	struct loop_timer *timer = mem_alloc(sizeof(*timer));

	*timer = (struct loop_timer){.loop = loop,
	    .fn = fn,
	    .arg = arg,
	    .at_ms = -1,
	    .next = loop->timers};
	loop->timers = timer;
	return timer;
}

void
loop_timer_set(struct loop_timer *timer, int64_t delay_ms)
{
	timer->at_ms = delay_ms == LOOP_NEVER ? -1 : now_ms + delay_ms;
	timer->order = timer->loop->orders++;
}

void
loop_timer_keep(struct loop_timer *timer)
{
	(void)timer;
}

void
loop_timer_free(struct loop_timer *timer)
{
	struct loop_timer **at;

	if (timer == NULL)
		return;
	for (at = &timer->loop->timers; *at != timer; at = &(*at)->next)
		continue;
	*at = timer->next;
	free(timer);
}

#ifdef FRESHET_TEST_HOOKS
void
loop_await(struct loop *loop, int more)
{
	(void)loop, (void)more;
}
#endif

/* There are no descriptors and no signals here: nothing ever happens. */

struct loop_watch {
	int fd;
};

struct loop_watch *
loop_watch_new(
    struct loop *loop, int fd, int interest, loop_io_fn *fn, void *arg)
{
	struct loop_watch *watch = mem_alloc(sizeof(*watch));

	(void)loop;
	(void)interest;
	(void)fn;
	(void)arg;
	watch->fd = fd;
	return watch;
}

void
loop_watch_set(struct loop_watch *watch, int interest)
{
	(void)watch;
	(void)interest;
}

void
loop_watch_free(struct loop_watch *watch)
{
	free(watch);
}
