/* How many of what a document lists were never asked for, and since when they
 * are known: those that came together count as one part. */
#ifndef FRESHET_UNFETCHED_H
#define FRESHET_UNFETCHED_H

#include <stdint.h>

#define UNFETCHED_PARTS 4

/* Zeroed: none. */
struct unfetched {
	uint32_t count; /* of all parts together */
	int64_t before_s; /* 0, or the first to come are known since then */
	uint32_t parts; /* the oldest first; none is of 0 */
	int64_t since_s[UNFETCHED_PARTS];
	uint32_t counts[UNFETCHED_PARTS];
};

/* unfetched_set(unfetched, count, now_s): so many they are; those that are more
 * than before came now, those that are fewer are the latest that came. */
void unfetched_set(struct unfetched *, uint32_t count, int64_t now_s);

/* unfetched_take(unfetched): one of those known longest was asked for; there
 * is one. */
void unfetched_take(struct unfetched *);

/* unfetched_since_s(unfetched): since when one of them is known; INT64_MAX:
 * there is none. */
int64_t unfetched_since_s(const struct unfetched *);

/* unfetched_not_after(unfetched, now_s): the clock was put back. */
void unfetched_not_after(struct unfetched *, int64_t now_s);

#endif
