/*
 * The calendar queue: which of millions of numbered things is to be looked at
 * again by now (SCHEDULING F.5).
 *
 * A thing (a page, a document) is in it once, under the time when it is to be
 * looked at.  Eight bytes each: a word in places and one in a bucket; up to an
 * eighth more while things are put elsewhere before their time.  Each call is
 * O(1), amortised; a step over years costs no more than one over a tick.
 * Times are seconds, virtual; they are rounded up to whole ticks.
 */
#ifndef FRESHET_CALENDAR_H
#define FRESHET_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calendar;
struct positions;

/* calendar_new(places, tick_s, begin_s): empty, at begin_s.  places is
 * borrowed; a queue may share it, and a number is in one of them at most.
 * tick_s: 1 to a year. */
struct calendar *calendar_new(
    struct positions *, int64_t tick_s, int64_t begin_s);
void calendar_free(struct calendar *);

/*
 * calendar_put(calendar, number, due_s): look at it at due_s, and not at the
 * time put before.  At once when that is past; what lies further ahead than
 * 2^30 ticks comes then, INT64_MAX too.  It must not be in a queue.
 */
void calendar_put(struct calendar *, uint32_t number, int64_t due_s);

/* calendar_remove(calendar, number): nothing happens when it is not in it. */
void calendar_remove(struct calendar *, uint32_t number);

/*
 * calendar_take(calendar, now_s, numbers, max): up to max that are due come
 * out, those of an earlier tick first if the time went on tick by tick, else
 * roughly so; returns how many.  Fewer than max: no
 * more are due.  A time before one given earlier takes nothing back: what was
 * due is due, the rest waits until its time comes again; see calendar_rewind.
 */
size_t calendar_take(
    struct calendar *, int64_t now_s, uint32_t *numbers, size_t max);

/*
 * calendar_take_ahead(calendar, numbers, max): like it, but not only what is
 * due: some of those that are or will be due first, before their time.  Those
 * of the next few hundred ticks come in order, beyond that roughly so.
 */
size_t calendar_take_ahead(struct calendar *, uint32_t *numbers, size_t max);

/* calendar_rewind(calendar, now_s): the clock was put to now_s, forth or back,
 * and the times put so far mean nothing: everything is due.  O(n). */
void calendar_rewind(struct calendar *, int64_t now_s);

/* calendar_is_far(calendar, now_s): is that so late that less than a quarter of
 * its 2^30 ticks is left?  Then it is to begin anew, with calendar_rewind. */
bool calendar_is_far(const struct calendar *, int64_t now_s);

/* calendar_due_s(calendar, number, *due_s): when; false: it is not in it. */
bool calendar_due_s(const struct calendar *, uint32_t number, int64_t *due_s);

/* calendar_next_s(calendar): nothing is due before that, and the time itself
 * when it is within a few hundred ticks; INT64_MAX: the calendar is empty. */
int64_t calendar_next_s(const struct calendar *);

/* calendar_count(calendar): how many are in it; calendar_bytes(calendar): its
 * memory, that of places not counted. */
size_t calendar_count(const struct calendar *);
size_t calendar_bytes(const struct calendar *);

#endif
