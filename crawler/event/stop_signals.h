/* SIGINT and SIGTERM: after the first, a command ends in order; the second ends
 * it at once. */
#ifndef FRESHET_STOP_SIGNALS_H
#define FRESHET_STOP_SIGNALS_H

struct loop;
struct stop_signals;

/*
 * stop_signals_new(loop, fn, arg): the loop calls fn with the number of the
 * first signal; the next signal ends the process with the exit status 128 +
 * number.
 */
typedef void stop_signal_fn(void *arg, int number);
struct stop_signals *stop_signals_new(
    struct loop *, stop_signal_fn *, void *arg);
void stop_signals_free(struct stop_signals *); /* NULL is ignored */

#endif
