/* SIGINT and SIGTERM: after the first, a command ends in order; the second ends
 * it at once. */
#include "crawler/event/stop_signals.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/event/loop.h"

struct stop_signals {
	stop_signal_fn *fn;
	void *arg;
	struct loop_watch *interrupt, *terminate; /* owned */
	bool has_come;
};

/* on_signal: the second signal ends the process at once: a user who presses
 * Ctrl-C again does not want to wait. */
static void
on_signal(void *arg, int number, int ready)
{
	struct stop_signals *signals = arg;

	(void)ready;
	if (signals->has_come)
		_exit(128 + number);
	signals->has_come = true;
	signals->fn(signals->arg, number);
}

struct stop_signals *
stop_signals_new(struct loop *loop, stop_signal_fn *fn, void *arg)
{
	struct stop_signals *signals = mem_zero(sizeof(*signals));

	signals->fn = fn;
	signals->arg = arg;
	signals->interrupt = loop_watch_new(
	    loop, SIGINT, LOOP_SIGNAL, on_signal, signals);
	signals->terminate = loop_watch_new(
	    loop, SIGTERM, LOOP_SIGNAL, on_signal, signals);
	return signals;
}

void
stop_signals_free(struct stop_signals *signals)
{
	if (signals == NULL)
		return;
	loop_watch_free(signals->interrupt);
	loop_watch_free(signals->terminate);
	free(signals);
}

void
stop_signals_at_once(struct stop_signals_was *was, bool is_at_once)
{
	const struct sigaction end = {.sa_handler = SIG_DFL};

	/* The handlers of the loop run only between two callbacks. */
	if (is_at_once) {
		(void)sigaction(SIGINT, &end, &was->interrupt);
		(void)sigaction(SIGTERM, &end, &was->terminate);
	} else {
		(void)sigaction(SIGINT, &was->interrupt, NULL);
		(void)sigaction(SIGTERM, &was->terminate, NULL);
	}
}
