/* SIGINT and SIGTERM: told once a command ends in order, told twice at once. */
#ifndef FRESHET_STOP_SIGNALS_H
#define FRESHET_STOP_SIGNALS_H

struct loop;
struct stop_signals;

/*
 * stop_signals_new(loop, fn, arg): fn is called by the loop for the first one
 * that comes, with its number; the next one ends the process, with the exit
 * status 128 + its number (CLI section 3).
 */
typedef void stop_signal_fn(void *arg, int number);
struct stop_signals *stop_signals_new(
    struct loop *, stop_signal_fn *, void *arg);
void stop_signals_free(struct stop_signals *); /* NULL is fine */

#endif
