/* The backlog of a document: how many of the pages that it lists were never
 * fetched, and since when they are known.  Pages that became known together
 * are one part. */
#ifndef FRESHET_BACKLOG_H
#define FRESHET_BACKLOG_H

#include <stdint.h>

#define BACKLOG_PARTS 4

/* Zeroed: empty. */
struct backlog {
	uint32_t count; /* of pages in all parts */
	/* While the backlog is empty: since when the pages are known that the
	 * next backlog_set() adds; 0: since that call. */
	int64_t before_s;
	uint32_t parts; /* the oldest first; no part is empty */
	int64_t since_s[BACKLOG_PARTS];
	uint32_t counts[BACKLOG_PARTS];
};

/* backlog_set(backlog, count, now_s): change the number of pages.  Pages
 * above the old number became known now; when there are fewer, the newest
 * ones leave. */
void backlog_set(struct backlog *, uint32_t count, int64_t now_s);

/* backlog_take(backlog): take one of the oldest pages out; the backlog must
 * not be empty. */
void backlog_take(struct backlog *);

/* backlog_since_s(backlog): since when the oldest page is known; INT64_MAX:
 * the backlog is empty. */
int64_t backlog_since_s(const struct backlog *);

#endif
