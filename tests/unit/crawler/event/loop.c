/* crawler/event/loop.c: the event loop. */
#include "tests/fixtures/fixture.h"

#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/civil.h"
#include "crawler/event/loop.h"
#include "crawler/event/loop_delay.h"

struct scene {
	struct loop *loop;
	struct loop_timer *timer;
	struct loop_watch *watch;
	struct loop_watch *signal;
	unsigned calls;
	unsigned rounds;
	int64_t set_ms;
	int64_t early_ms; /* the worst case */
	int fds[2];
};

static void
stop(void *arg)
{
	struct scene *scene = arg;

	loop_stop(scene->loop);
}

static int64_t
precise_ms(void)
{
	struct timespec t;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
on_delay(void *arg)
{
	struct scene *scene = arg;
	int64_t waited_ms = precise_ms() - scene->set_ms;
	int64_t delay_ms = scene->calls % 6;

	if (delay_ms - waited_ms > scene->early_ms)
		scene->early_ms = delay_ms - waited_ms;
	if (++scene->calls == 60) {
		loop_stop(scene->loop);
		return;
	}
	/* Late in a round, the time that libevent has cached is old. */
	while (precise_ms() - scene->set_ms < 3)
		continue;
	scene->set_ms = precise_ms();
	loop_timer_set(scene->timer, scene->calls % 6);
}

static void
test_never_early(void **state)
{
	struct scene scene = {.loop = loop_new(), .early_ms = -1};

	scene.timer = loop_timer_new(scene.loop, on_delay, &scene);
	scene.set_ms = precise_ms();
	loop_timer_set(scene.timer, 0);
	loop_run(scene.loop);
	assert_int_equal(scene.calls, 60);
	assert_true(scene.early_ms <= 0);
	loop_timer_free(scene.timer);
	loop_free(scene.loop);
}

static void
count_call(void *arg)
{
	struct scene *scene = arg;

	scene->calls++;
}

static void
on_round(void *arg)
{
	struct scene *scene = arg;

	if (++scene->rounds == 3)
		loop_stop(scene->loop);
	else
		loop_timer_set(scene->timer, 0);
}

/* Setting a running timer moves it; a stopped timer does not fire; a timer
 * fires once; a delay of 0 fires in the next round. */
static void
test_timers(void **state)
{
	struct scene scene = {.loop = loop_new()};
	struct loop_timer *stopped = loop_timer_new(
	    scene.loop, count_call, &scene);
	struct loop_timer *moved = loop_timer_new(
	    scene.loop, count_call, &scene);
	struct loop_timer *end = loop_timer_new(scene.loop, stop, &scene);

	loop_timer_set(stopped, 0);
	loop_timer_set(stopped, LOOP_NEVER);
	loop_timer_set(moved, 0);
	loop_timer_set(moved, INT64_MAX);
	loop_timer_set(end, 5);
	loop_run(scene.loop);
	assert_int_equal(scene.calls, 0);
	loop_timer_set(moved, -1);
	loop_timer_set(end, 5);
	loop_run(scene.loop);
	assert_int_equal(scene.calls, 1);
	scene.timer = loop_timer_new(scene.loop, on_round, &scene);
	loop_timer_set(scene.timer, 0);
	loop_run(scene.loop);
	assert_int_equal(scene.rounds, 3);
	assert_int_equal(scene.calls, 1);
	loop_timer_free(scene.timer);
	loop_timer_free(stopped);
	loop_timer_free(moved);
	loop_timer_free(end);
	loop_timer_free(NULL);
	loop_free(scene.loop);
	loop_free(NULL);
}

static void
free_timer(void *arg)
{
	struct scene *scene = arg;

	loop_timer_free(scene->timer);
	scene->timer = NULL;
}

static void
free_watch(void *arg, int fd, int ready)
{
	struct scene *scene = arg;

	assert_int_equal(fd, scene->fds[0]);
	assert_int_equal(ready, LOOP_READ);
	loop_watch_free(scene->watch);
	scene->watch = NULL;
	loop_stop(scene->loop);
}

static void
test_free_own(void **state)
{
	struct scene scene = {.loop = loop_new()};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, scene.fds), 0);
	scene.timer = loop_timer_new(scene.loop, free_timer, &scene);
	loop_timer_set(scene.timer, 0);
	scene.watch = loop_watch_new(
	    scene.loop, scene.fds[0], LOOP_READ, free_watch, &scene);
	assert_int_equal(write(scene.fds[1], "x", 1), 1);
	loop_run(scene.loop);
	assert_null(scene.watch);
	if (scene.timer != NULL) { /* The watch was called before the timer. */
		struct loop_timer *end = loop_timer_new(
		    scene.loop, stop, &scene);

		loop_timer_set(end, 1);
		loop_run(scene.loop);
		loop_timer_free(end);
	}
	assert_null(scene.timer);
	(void)close(scene.fds[0]);
	(void)close(scene.fds[1]);
	loop_free(scene.loop);
}

static void
note_ready(void *arg, int fd, int ready)
{
	struct scene *scene = arg;

	scene->calls = (unsigned)ready;
	scene->rounds++;
	if (scene->rounds == 3)
		loop_stop(scene->loop);
}

static void
test_interest(void **state)
{
	struct scene scene = {.loop = loop_new()};
	struct loop_timer *end = loop_timer_new(scene.loop, stop, &scene);

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, scene.fds), 0);
	scene.watch = loop_watch_new(
	    scene.loop, scene.fds[0], 0, note_ready, &scene);
	assert_int_equal(write(scene.fds[1], "x", 1), 1);
	loop_timer_set(end, 2);
	loop_run(scene.loop);
	assert_int_equal(scene.rounds, 0);
	/* Bytes that were not read make the descriptor ready again. */
	loop_watch_set(scene.watch, LOOP_READ);
	loop_run(scene.loop);
	assert_int_equal(scene.rounds, 3);
	assert_int_equal(scene.calls, LOOP_READ);
	scene.rounds = 2;
	loop_watch_set(scene.watch, LOOP_READ | LOOP_WRITE);
	loop_run(scene.loop);
	assert_int_equal(scene.calls, LOOP_READ | LOOP_WRITE);
	loop_watch_free(scene.watch);
	loop_watch_free(NULL);
	loop_timer_free(end);
	(void)close(scene.fds[0]);
	(void)close(scene.fds[1]);
	loop_free(scene.loop);
}

static void
on_signal(void *arg, int number, int ready)
{
	struct scene *scene = arg;

	assert_int_equal(number, SIGUSR1);
	assert_int_equal(ready, LOOP_SIGNAL);
	scene->calls++;
	if (scene->calls == 2)
		loop_stop(scene->loop);
	else
		assert_int_equal(raise(SIGUSR1), 0);
}

static void
test_signal(void **state)
{
	struct scene scene = {.loop = loop_new()};

	scene.signal = loop_watch_new(
	    scene.loop, SIGUSR1, LOOP_SIGNAL, on_signal, &scene);
	assert_int_equal(raise(SIGUSR1), 0);
	loop_run(scene.loop);
	assert_int_equal(scene.calls, 2);
	loop_watch_free(scene.signal);
	loop_watch_free(NULL);
	loop_free(scene.loop);
}

static void
test_clocks(void **state)
{
	struct loop *loop = loop_new();
	int64_t s = time(NULL);

	assert_true(loop_now_s(loop) >= s && loop_now_s(loop) <= s + 5);
	assert_true(loop_now_ms(loop) <= precise_ms());
	loop_free(loop);
}

/* pass(ms): keep the processor busy for ms milliseconds. */
static void
pass(int64_t ms)
{
	int64_t end_ms = precise_ms() + ms;

	while (precise_ms() <= end_ms)
		continue;
}

static void
on_work(void *arg)
{
	struct scene *scene = arg;

	pass(20);
	if (scene->calls++ == 0) {
		loop_commit(scene->loop, true);
		pass(40);
		loop_commit(scene->loop, false);
		loop_commit(scene->loop, false);
		loop_timer_set(scene->timer, 5);
		return;
	}
	loop_stop(scene->loop);
}

/* Time in a COMMIT counts as commit time, all other time as a gap. */
static void
test_delays(void **state)
{
	struct scene scene = {.loop = loop_new()};
	struct loop_delays delays = loop_delays(scene.loop);

	assert_int_equal(delays.longest_gap_us, 0);
	scene.timer = loop_timer_new(scene.loop, on_work, &scene);
	loop_timer_set(scene.timer, 0);
	loop_run(scene.loop);
	delays = loop_delays(scene.loop);
	assert_true(delays.longest_gap_us >= 20000);
	assert_true(delays.longest_commit_us >= 40000);
	loop_timer_free(scene.timer);
	loop_free(scene.loop);
}

static void
on_opened(void *arg)
{
	struct loop *loop = arg;

	pass(20);
	loop_forget_delays(loop);
	loop_stop(loop);
}

/* What took long before anybody waited for the loop is no gap. */
static void
test_forget_delays(void **state)
{
	struct loop *loop = loop_new();
	struct loop_timer *timer = loop_timer_new(loop, on_opened, loop);

	loop_timer_set(timer, 0);
	loop_run(loop);
	assert_int_equal(loop_delays(loop).longest_gap_us, 0);
	loop_timer_free(timer);
	loop_free(loop);
}

/* A wall clock that is set back: time goes on by the monotonic clock until the
 * wall clock has caught up. */
static void
test_steady(void **state)
{
	static const struct {
		int64_t wall_s, ms, now_s;
	} rows[] = {{1000, 5000, 1000}, {1001, 6000, 1001}, {400, 6000, 1001},
	    {401, 7999, 1002}, {500, 106000, 1101}, {1102, 107000, 1102},
	    {9000, 107000, 9000}, {1103, 108000, 9001}};
	struct steady steady = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
		    steady_now_s(&steady, rows[i].wall_s, rows[i].ms),
		    rows[i].now_s);
}

/* The same without a clock: the time of commits does not count for the gap. */
static void
test_clocking(void **state)
{
	struct loop_clocking clocking = {0};

	clocking_wake(&clocking, 1000);
	clocking_commit(&clocking, 2000, true);
	clocking_commit(&clocking, 9000, false);
	clocking_wake(&clocking, 9500);
	clocking_rest(&clocking, 10000, 1500);
	assert_int_equal(clocking.delays.longest_gap_us, 2000);
	assert_int_equal(clocking.delays.longest_cpu_us, 1500);
	assert_int_equal(clocking.delays.longest_commit_us, 7000);
	clocking_rest(&clocking, 90000, 80000);
	assert_int_equal(clocking.delays.longest_cpu_us, 1500);
	clocking_commit(&clocking, 90000, false);
	clocking_wake(&clocking, 100000);
	clocking_rest(&clocking, 100500, 400);
	assert_int_equal(clocking.delays.longest_gap_us, 2000);
	assert_int_equal(clocking.delays.longest_cpu_us, 1500);
	assert_int_equal(clocking.delays.longest_commit_us, 7000);
	clocking_wake(&clocking, 110000);
	clocking_commit(&clocking, 111000, true);
	clocking_commit(&clocking, 119000, false);
	clocking_rest(&clocking, 119800, 5000);
	assert_int_equal(clocking.delays.longest_cpu_us, 1800);
}

/* A stall names what took the longest part of the round. */
static void
test_stalls(void **state)
{
	struct loop_clocking clocking = {0};
	struct loop_stall stall;

	clocking_wake(&clocking, 1000);
	clocking_doing(&clocking, 2000, "one");
	clocking_doing(&clocking, 12000, "two");
	clocking_commit(&clocking, 15000, true);
	clocking_commit(&clocking, 20000, false);
	clocking_wake(&clocking, 21000);
	stall = clocking_rest(&clocking, 22000, 9000);
	assert_int_equal(stall.us, 21000);
	assert_int_equal(stall.commit_us, 5000);
	assert_int_equal(stall.cpu_us, 9000);
	assert_string_equal(stall.what, "one");
	assert_int_equal(clocking_rest(&clocking, 50000, 1).us, 0);
	clocking_wake(&clocking, 60000);
	stall = clocking_rest(&clocking, 61000, 1);
	assert_string_equal(stall.what, "an event");
}

static void
count_stall(void *arg, const struct loop_stall *stall)
{
	int *count = arg;

	assert_true(stall->us >= LOOP_STALL_US && stall->cpu_us >= 0);
	assert_string_equal(stall->what, "nothing");
	++*count;
}

static void
on_nothing(void *arg)
{
	struct loop *loop = arg;
	int64_t end_ms = loop_now_ms(loop) + LOOP_STALL_US / 1000 + 1;

	loop_doing(loop, "nothing");
	while (loop_now_ms(loop) < end_ms)
		continue;
	loop_stop(loop);
}

static void
test_stall_is_told(void **state)
{
	struct loop *loop = loop_new();
	struct loop_timer *timer = loop_timer_new(loop, on_nothing, loop);
	int count = 0;

	loop_on_stall(loop, count_stall, &count);
	loop_timer_set(timer, 0);
	loop_run(loop);
	assert_int_equal(count, 1);
	loop_timer_free(timer);
	loop_free(loop);
}

UNIT_TESTS(loop, cmocka_unit_test(test_never_early),
    cmocka_unit_test(test_timers), cmocka_unit_test(test_free_own),
    cmocka_unit_test(test_interest), cmocka_unit_test(test_signal),
    cmocka_unit_test(test_clocks), cmocka_unit_test(test_steady),
    cmocka_unit_test(test_delays), cmocka_unit_test(test_forget_delays),
    cmocka_unit_test(test_clocking), cmocka_unit_test(test_stalls),
    cmocka_unit_test(test_stall_is_told));
