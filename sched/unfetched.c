/* What was never asked for: see unfetched.h. */
#include "sched/unfetched.h"

#include <assert.h>

static void
drop_first(struct unfetched *unfetched)
{
	unfetched->parts--;
	for (uint32_t i = 0; i < unfetched->parts; i++) {
		unfetched->since_s[i] = unfetched->since_s[i + 1];
		unfetched->counts[i] = unfetched->counts[i + 1];
	}
}

/* Where there is no room for one more part it counts as what came before: it is
 * late too soon rather than too late. */
static void
add(struct unfetched *unfetched, uint32_t count, int64_t now_s)
{
	uint32_t last = unfetched->parts;

	if (last > 0 &&
	    (last == UNFETCHED_PARTS ||
		unfetched->since_s[last - 1] >= now_s)) {
		unfetched->counts[last - 1] += count;
		return;
	}
	unfetched->since_s[last] = now_s;
	unfetched->counts[last] = count;
	unfetched->parts++;
}

void
unfetched_set(struct unfetched *unfetched, uint32_t count, int64_t now_s)
{
	uint32_t less;

	if (unfetched->count == 0 && unfetched->before_s != 0 &&
	    unfetched->before_s < now_s)
		now_s = unfetched->before_s;
	if (count > 0)
		unfetched->before_s = 0;
	if (count > unfetched->count) {
		add(unfetched, count - unfetched->count, now_s);
		unfetched->count = count;
		return;
	}
	less = unfetched->count - count;
	unfetched->count = count;
	while (less > 0) {
		uint32_t *last = &unfetched->counts[unfetched->parts - 1];

		if (*last > less) {
			*last -= less;
			return;
		}
		less -= *last;
		unfetched->parts--;
	}
}

void
unfetched_take(struct unfetched *unfetched)
{
	assert(unfetched->count > 0);
	unfetched->count--;
	if (--unfetched->counts[0] == 0)
		drop_first(unfetched);
}

int64_t
unfetched_since_s(const struct unfetched *unfetched)
{
	return unfetched->count > 0 ? unfetched->since_s[0] : INT64_MAX;
}

void
unfetched_not_after(struct unfetched *unfetched, int64_t now_s)
{
	for (uint32_t i = 0; i < unfetched->parts; i++)
		if (unfetched->since_s[i] > now_s)
			unfetched->since_s[i] = now_s;
}
