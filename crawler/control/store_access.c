/* The way to a store. */
#include "crawler/control/store_access.h"

#include <time.h>

#include "base/diag.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "store/aside.h"

#define LOCK_WAIT_MS 5000 /* CLI section 2 */
#define LOCK_STEP_MS 50

static void
wait_a_little(void)
{
	struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000L};

	(void)nanosleep(&step, NULL);
}

/* go(way, clock, why): who waits for an answer waits 5 s. */
static int
go(const struct store_access *way, struct loop *clock, struct buf *why)
{
	int64_t heard_ms = loop_now_ms(clock); /* there was hope last */

	for (;;) {
		bool has_heard = false;
		int64_t left_ms;
		int status;

		buf_clear(why);
		status = way->here(way->arg, why);
		if (status != EXIT_LOCKED)
			return status;
		left_ms = LOCK_WAIT_MS - (loop_now_ms(clock) - heard_ms);
		if (left_ms <= 0)
			break;
		status = way->there(way->arg, left_ms, &has_heard);
		if (status != EXIT_LOCKED)
			return status;
		if (has_heard)
			heard_ms = loop_now_ms(clock);
		wait_a_little();
	}
	complain("%s: %s", diag_name(DIAG_STORE_LOCKED), buf_str(why));
	return EXIT_LOCKED;
}

int
store_access_run(const struct store_access *way)
{
	struct loop *clock = loop_new();
	struct buf why;
	int status;

	buf_init(&why, SIZE_MAX);
	status = go(way, clock, &why);
	buf_release(&why);
	loop_free(clock);
	return status;
}

void
store_access_opened(struct store *store, const struct options *options)
{
	struct buf why;

	buf_init(&why, SIZE_MAX);
	aside_begin(store, options->store, options->now_s, &why);
	if (why.len > 0)
		complain("warning: %s", buf_str(&why));
	buf_release(&why);
}
