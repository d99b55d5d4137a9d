/* SIGINT and SIGTERM: after the first, a command ends in order; the second ends
 * it at once. */
#ifndef FRESHET_STOP_SIGNALS_H
#define FRESHET_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct loop;
struct stop_signals;

/* stop_signals_new(loop, fn, arg): the loop calls fn with the number of the
 * first signal; the next signal ends the process with the exit status 128 +
 * number. */
typedef void stop_signal_fn(void *arg, int number);
struct stop_signals *stop_signals_new(
    struct loop *, stop_signal_fn *, void *arg);
void stop_signals_free(struct stop_signals *); /* NULL is ignored */

/* stop_signals_at_once(was, is_at_once): with true, the next signal ends the
 * process at once, until a call with false, which sets *was again: for work of
 * the loop that may take minutes, and that nothing is lost with. */
struct stop_signals_was {
	struct sigaction interrupt, terminate;
};
void stop_signals_at_once(struct stop_signals_was *, bool is_at_once);

#endif
