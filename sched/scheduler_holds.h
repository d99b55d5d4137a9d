/* Hosts of the scheduler that are left alone for a while. */
#ifndef FRESHET_SCHEDULER_HOLDS_H
#define FRESHET_SCHEDULER_HOLDS_H

#include <stdint.h>

#include "sched/scheduler.h"

/* What is held; each has its own end.  With asks_apart alone pages are held
 * without documents. */
enum scheduler_hold_kind {
	SCHEDULER_HOLD_ALL, /* nothing of it is asked for */
	SCHEDULER_HOLD_PAGES, /* no page of it is: several have failed */
	SCHEDULER_HOLD_PAUSE, /* likewise, but its pages are to blame for
			       * nothing: whoever asks has had enough */
};

/*
 * scheduler_hold(scheduler, host, kind, now_s, hold_s): for so long, a year at
 * most; a hold of that kind that lasts longer stands.
 * scheduler_unhold(scheduler, host, kind): none of that kind stands any more.
 * scheduler_held_s(scheduler, host, kind): until when; INT64_MIN: it never was.
 */
void scheduler_hold(struct scheduler *, uint32_t host, enum scheduler_hold_kind,
    int64_t now_s, int64_t hold_s);
void scheduler_unhold(
    struct scheduler *, uint32_t host, enum scheduler_hold_kind);
int64_t scheduler_held_s(
    const struct scheduler *, uint32_t host, enum scheduler_hold_kind);

#endif
