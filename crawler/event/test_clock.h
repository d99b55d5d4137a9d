/*
 * The clock that a test sets; only in builds with FRESHET_TEST_HOOKS, and only
 * for loop.c and main.c.
 *
 * FRESHET_TEST_CLOCK names a Unix socket of the test.  The clocks of this
 * process run at their usual pace, apart from the real ones by what the test
 * says; it hears when there is nothing left to do but wait for a timer, and
 * moves them on.  Lines of the test:
 *
 *	SEEN WALL MONOTONIC	offsets to CLOCK_MONOTONIC, in us; SEEN: the
 *				number of the latest report that it knew
 *
 * Reports of the process, numbered from 1:
 *
 *	N idle DUE WORK		nothing to do before that time of the monotonic
 *				clock, in us (-1: ever); WORK callbacks so far
 *	N busy			and now there is: answered before it is done,
 *				so that no time is moved meanwhile
 *	N moved			the clocks are as the latest line says
 */
#ifndef FRESHET_TEST_CLOCK_H
#define FRESHET_TEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* test_clock_open(): once for a process; false, with errno, when there should
 * be one and it does not answer within ten seconds. */
bool test_clock_open(void);

/* test_clock_fd(): readable when the test has something to say; -1: there is
 * no such clock for this process. */
int test_clock_fd(void);

int64_t test_clock_wall_us(void); /* since the Epoch */
int64_t test_clock_monotonic_us(void);

/* test_clock_idle(due_us, work): report it. */
void test_clock_idle(int64_t due_us, uint64_t work);

/* test_clock_busy(): after an idle report, before any callback.  True when the
 * clocks were moved before the test knew. */
bool test_clock_busy(void);

/* test_clock_take(): what the test said meanwhile; true when the clocks were
 * moved. */
bool test_clock_take(void);

#endif
