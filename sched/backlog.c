/* The pages of a document that were never fetched: see backlog.h. */
#include "sched/backlog.h"

#include <assert.h>

/* If there is no room for one more part, the new pages join the last part, so
 * they become overdue too soon rather than too late. */
static void
backlog_add(struct backlog *backlog, uint32_t count, int64_t now_s)
{
	uint32_t last = backlog->parts;

	if (last > 0 &&
	    (last == BACKLOG_PARTS || backlog->since_s[last - 1] >= now_s)) {
		backlog->counts[last - 1] += count;
		return;
	}
	backlog->since_s[last] = now_s;
	backlog->counts[last] = count;
	backlog->parts++;
}

void
backlog_set(struct backlog *backlog, uint32_t count, int64_t now_s)
{
	uint32_t less;

	if (backlog->count == 0 && backlog->before_s != 0 &&
	    backlog->before_s < now_s)
		now_s = backlog->before_s;
	if (count > 0)
		backlog->before_s = 0;
	if (count > backlog->count) {
		backlog_add(backlog, count - backlog->count, now_s);
		backlog->count = count;
		return;
	}
	less = backlog->count - count;
	backlog->count = count;
	while (less > 0) {
		uint32_t *last = &backlog->counts[backlog->parts - 1];

		if (*last > less) {
			*last -= less;
			return;
		}
		less -= *last;
		backlog->parts--;
	}
}

void
backlog_take(struct backlog *backlog)
{
	assert(backlog->count > 0);
	backlog->count--;
	if (--backlog->counts[0] == 0) {
		backlog->parts--;
		for (uint32_t i = 0; i < backlog->parts; i++) {
			backlog->since_s[i] = backlog->since_s[i + 1];
			backlog->counts[i] = backlog->counts[i + 1];
		}
	}
}

int64_t
backlog_since_s(const struct backlog *backlog)
{
	return backlog->count > 0 ? backlog->since_s[0] : INT64_MAX;
}
