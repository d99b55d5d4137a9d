/* Where something came to wait lately: see spacing_news.h. */
#include "sched/spacing_news.h"

#include "sched/spacing.h"
#include "sched/spacing_internal.h"

void
spacing_note(struct spacing *spacing, uint32_t node)
{
	spacing->news[spacing->told++ % SPACING_NEWS] = node;
}

bool
spacing_next_news(
    const struct spacing *spacing, uint64_t *heard, uint32_t *node)
{
	if (*heard == spacing->told)
		return false;
	if (spacing->told - *heard > SPACING_NEWS) {
		*heard = spacing->told;
		*node = SPACING_ROOT;
		return true;
	}
	*node = spacing->news[(*heard)++ % SPACING_NEWS];
	return true;
}
