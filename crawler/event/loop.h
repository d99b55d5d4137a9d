/* The event loop, and the only clock besides main's (STYLE, Tree). */
#ifndef FRESHET_LOOP_H
#define FRESHET_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/event/loop_watch.h"

struct loop;
struct loop_timer;

typedef void loop_fn(void *arg);

/* loop_new(): NULL with errno when the kernel gives no descriptor for it.
 * loop_free: timers, watches and signals must be freed before. */
struct loop *loop_new(void);
void loop_free(struct loop *);

/* loop_run(loop): until loop_stop.  Callbacks come from in here only; each
 * of them may free anything but the loop, its own timer or watch included. */
void loop_run(struct loop *);
void loop_stop(struct loop *);

/* loop_now_s: wall clock, seconds since the Epoch.  loop_now_ms: monotonic,
 * for intervals only.  Both are read at each call, without a system call. */
int64_t loop_now_s(struct loop *);
int64_t loop_now_ms(struct loop *);

/*
 * loop_timer_new(loop, fn, arg): a timer that is not running; it fires once
 * for each loop_timer_set(timer, delay_ms), which moves it if it runs.  It
 * never fires before loop_now_ms has moved by delay_ms; 0 means in the next
 * round of the loop.
 */
struct loop_timer *loop_timer_new(struct loop *, loop_fn *, void *arg);
void loop_timer_set(struct loop_timer *, int64_t delay_ms);
void loop_timer_stop(struct loop_timer *);
void loop_timer_free(struct loop_timer *);

/* loop_signal_new(loop, signal, fn, arg): fn for each arrival. */
struct loop_signal;
struct loop_signal *loop_signal_new(
    struct loop *, int signal, loop_fn *, void *arg);
void loop_signal_free(struct loop_signal *);

#endif
