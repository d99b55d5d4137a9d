/*
 * The clock that a test sets; only in builds with FRESHET_TEST_HOOKS, and only
 * for loop.c and main.c.
 *
 * FRESHET_TEST_CLOCK names a Unix socket of the test.  The clocks of this
 * process run at their usual pace, with offsets that the test sets.  When the
 * process only waits for a timer it reports so, and the test moves the clocks
 * on.  Lines of the test:
 *
 *	SEEN WALL MONOTONIC STILL
 *				the offsets to CLOCK_MONOTONIC, in us; SEEN: the
 *				number of the latest report that the test read.
 *				When STILL is 1, WALL is the wall clock itself,
 *				which stands until the next line: what a process
 *				tells does not depend on how fast it works
 *
 * Reports of the process, numbered from 1:
 *
 *	N idle DUE WALL SET WORK
 *				nothing to do before the time DUE of the
 *				monotonic clock, in us (-1: no timer runs), when
 *				the wall clock was to be WALL, as it was when
 *				CLOCK_MONOTONIC was SET; WORK callbacks ran so
 *				far
 *	N busy			there is something to do after all; the process
 *				waits for an answer first, so that the clocks do
 *				not move while it works
 *	N moved			the clocks are set as the latest line says
 */
#ifndef FRESHET_TEST_CLOCK_H
#define FRESHET_TEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* test_clock_open(): connect to the test, if there is one.  False, with errno,
 * when the test does not answer within ten seconds. */
bool test_clock_open(void);

/* test_clock_fd(): a descriptor, readable when the test wrote a line; -1 when
 * no test sets the clock of this process. */
int test_clock_fd(void);

/* test_clock_us(clock): CLOCK_REALTIME (since the Epoch) or CLOCK_MONOTONIC. */
int64_t test_clock_us(clockid_t clock);

/* When a timer is due. */
struct test_due {
	int64_t due_us; /* of the monotonic clock; -1: never */
	int64_t wall_us; /* of the wall clock, unless that is stepped */
	int64_t set_us; /* CLOCK_MONOTONIC when that was reckoned */
};

/* test_clock_due(delay_ms): in so much time from now. */
struct test_due test_clock_due(int64_t delay_ms);

/* test_clock_idle(due, work): report that the process is idle. */
void test_clock_idle(const struct test_due *due, uint64_t work);

/* test_clock_moved(is_busy): read the lines of the test; true when they moved
 * the clocks.  With true, called before any callback: report first that the
 * process is busy, and wait until the test has read the report; does nothing
 * unless the last report was idle. */
bool test_clock_moved(bool is_busy);

#endif
