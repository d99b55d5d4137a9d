/*
 * The calendar queue: which of millions of numbered items are due for an
 * evaluation (scheduling-formulas.md, "The calendar").
 *
 * An item (a page or a document) is in it once, under its time.  It takes
 * eight bytes: a word of positions, and one in a bucket; up to an eighth more
 * when items are moved before their time.  Each call is O(1), amortised; a
 * step over years costs no more than one over a tick.  Times are seconds and
 * are rounded up to whole ticks.
 */
#ifndef FRESHET_CALENDAR_H
#define FRESHET_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calendar;
struct positions;

/* calendar_new(positions, tick_s, begin_s): an empty calendar at begin_s.
 * positions is borrowed; a queue may share it, if no item is in both.
 * tick_s is from 1 to a year. */
struct calendar *calendar_new(
    struct positions *, int64_t tick_s, int64_t begin_s);
void calendar_free(struct calendar *);

/*
 * calendar_put(calendar, number, due_s): put the item under due_s instead of
 * its old time.  An item whose time has passed is due at once; a time further
 * ahead than 2^30 ticks, INT64_MAX too, counts as that.  The item must not be
 * in a queue.
 */
void calendar_put(struct calendar *, uint32_t number, int64_t due_s);

/* calendar_remove(calendar, number): take the item out, if it is there. */
void calendar_remove(struct calendar *, uint32_t number);

/*
 * calendar_take(calendar, now_s, numbers, max): Take up to max due items;
 * returns how many.  Fewer than max: no others are due.  Earlier ticks come
 * first if time went on tick by tick, else roughly so.  A time before an
 * earlier call's changes nothing: due items stay due, the others wait for
 * their time.
 */
size_t calendar_take(
    struct calendar *, int64_t now_s, uint32_t *numbers, size_t max);

/* calendar_rewind(calendar, now_s): the clock was set far ahead to now_s, so
 * the times of items mean nothing and all items are due.  O(n). */
void calendar_rewind(struct calendar *, int64_t now_s);

/* calendar_is_far(calendar, now_s): is less than a quarter of the 2^30 ticks
 * left after now_s?  Then the caller calls calendar_rewind. */
bool calendar_is_far(const struct calendar *, int64_t now_s);

/* calendar_due_s(calendar, number, due_s): the time of the item; false: it
 * is not in the calendar. */
bool calendar_due_s(const struct calendar *, uint32_t number, int64_t *due_s);

/* calendar_next_s(calendar): no item is due before this time, which is exact
 * within a few hundred ticks; INT64_MAX: the calendar is empty. */
int64_t calendar_next_s(const struct calendar *);

/* calendar_bytes(calendar): its memory, without positions. */
size_t calendar_bytes(const struct calendar *);

#endif
