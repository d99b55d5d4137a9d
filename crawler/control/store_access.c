/* Access to a store. */
#include "crawler/control/store_access.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "store/aside.h"

/* wait_a_little(): sleep; while a command waits for a store, no loop runs. */
static void
wait_a_little(void)
{
	struct timespec step = {.tv_nsec = LOCK_STEP_MS * 1000000L};

	(void)nanosleep(&step, NULL);
}

/* go(access, clock, why): try to get at the store, until LOCK_WAIT_MS have
 * passed without an answer. */
static int
go(const struct store_access *access, struct loop *clock, struct buf *why)
{
	int64_t alive_ms = loop_now_ms(clock); /* the last sign of an owner */

	for (;;) {
		bool has_answered = false;
		int64_t left_ms;
		int status;

		buf_clear(why);
		status = access->here(access->arg, why);
		if (status != EXIT_LOCKED)
			return status;
		left_ms = LOCK_WAIT_MS - (loop_now_ms(clock) - alive_ms);
		if (left_ms <= 0)
			break;
		status = access->there(access->arg, left_ms, &has_answered);
		if (status != EXIT_LOCKED)
			return status;
		if (has_answered)
			alive_ms = loop_now_ms(clock);
		wait_a_little();
	}
	complain("%s: %s", diag_name(DIAG_STORE_LOCKED), buf_str(why));
	return EXIT_LOCKED;
}

int
store_access_run(const struct store_access *access)
{
	struct loop *clock = loop_new();
	struct buf why;
	int status;

	buf_init(&why, SIZE_MAX);
	status = go(access, clock, &why);
	buf_release(&why);
	loop_free(clock);
	return status;
}

bool
store_access_exists(const char *path)
{
	if (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR))
		return true;
	complain("there is no store '%s'; 'freshet crawl' makes one", path);
	return false;
}

void
store_access_opened(struct store *store, const struct options *options)
{
	struct buf why;

	buf_init(&why, SIZE_MAX);
	aside_begin(store, options->store.path, options->now_s, &why);
	if (why.len > 0)
		complain("warning: %s", buf_str(&why));
	buf_release(&why);
}
