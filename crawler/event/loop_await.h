/* What the loop waits for besides its own timers. */
#ifndef FRESHET_LOOP_AWAIT_H
#define FRESHET_LOOP_AWAIT_H

struct loop;

/*
 * loop_await(loop, more): so many more things (or fewer) are under way that
 * others do: transfers, readers.  The clock of a test does not move on
 * meanwhile (test_clock.h); without hooks for tests nobody counts.
 */
#ifdef FRESHET_TEST_HOOKS
void loop_await(struct loop *, int more);
#else
static inline void
loop_await(struct loop *loop, int more)
{
	(void)loop, (void)more;
}
#endif

#endif
