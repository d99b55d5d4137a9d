/* Where something came to wait lately: see limiter_news.h. */
#include "sched/limiter_news.h"

#include "sched/limiter.h"
#include "sched/limiter_internal.h"

/* Nodes below a host are the host's. */
static uint32_t
host_of(const struct limiter *limiter, uint32_t number)
{
	const struct node *node = limiter_get(limiter, number);

	while (node->parent != LIMITER_NONE &&
	    limiter->nodes[node->parent]->positions != NULL)
		node = limiter->nodes[node->parent];
	return node->number;
}

void
limiter_note(struct limiter *limiter, uint32_t node)
{
	node = host_of(limiter, node);
	limiter->news[limiter->news_count++ % LIMITER_NEWS] = node;
}

bool
limiter_next_news(
    const struct limiter *limiter, uint64_t *seen_news, uint32_t *node)
{
	if (*seen_news == limiter->news_count)
		return false;
	if (limiter->news_count - *seen_news > LIMITER_NEWS) {
		*seen_news = limiter->news_count;
		*node = LIMITER_ROOT;
		return true;
	}
	*node = limiter->news[(*seen_news)++ % LIMITER_NEWS];
	return true;
}
