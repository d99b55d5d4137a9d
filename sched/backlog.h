/* How many of what a document lists were never asked for, and since when they
 * are known: those that came together count as one part. */
#ifndef FRESHET_BACKLOG_H
#define FRESHET_BACKLOG_H

#include <stdint.h>

#define BACKLOG_PARTS 4

/* Zeroed: none. */
struct backlog {
	uint32_t count; /* of all parts together */
	int64_t before_s; /* 0, or the first to come are known since then */
	uint32_t parts; /* the oldest first; none is of 0 */
	int64_t since_s[BACKLOG_PARTS];
	uint32_t counts[BACKLOG_PARTS];
};

/* backlog_set(unfetched, count, now_s): so many they are; those that are more
 * than before came now, those that are fewer are the latest that came. */
void backlog_set(struct backlog *, uint32_t count, int64_t now_s);

/* backlog_take(unfetched): one of those known longest was asked for; there
 * is one. */
void backlog_take(struct backlog *);

/* backlog_since_s(unfetched): since when one of them is known; INT64_MAX:
 * there is none. */
int64_t backlog_since_s(const struct backlog *);

/* backlog_not_after(unfetched, now_s): the clock was put back. */
void backlog_not_after(struct backlog *, int64_t now_s);

#endif
