/* Where something came to wait lately: see spacing_news.h. */
#include "sched/spacing_news.h"

#include "sched/spacing.h"
#include "sched/spacing_internal.h"

/* Nodes below a host are the host's. */
static uint32_t
host_of(const struct spacing *spacing, uint32_t number)
{
	const struct node *node = spacing_get(spacing, number);

	while (node->parent != SPACING_NONE &&
	    spacing->nodes[node->parent]->places != NULL)
		node = spacing->nodes[node->parent];
	return node->number;
}

void
spacing_note(struct spacing *spacing, uint32_t node)
{
	node = host_of(spacing, node);
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
