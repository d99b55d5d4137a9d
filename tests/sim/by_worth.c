/* Pages that sleep are ordered by time, pages that are awake by value: see
 * by_worth.h. */
#include "tests/sim/by_worth.h"

#include <math.h>

#include "tests/sim/sim_policy.h"

#define DAY_S 86400.0
/* For each request of a tick AWAKE_EACH pages are to be awake, and AWAKE_MORE
 * more in all. */
#define AWAKE_EACH 1.5
#define AWAKE_MORE 12
/* The level from which pages are awake changes by this share in a tick. */
#define LEVEL_STEP 0.02
/* The price changes, so a page is evaluated again after this time at most. */
#define SLEEP_MOST_DAYS 20.0
#define SLEEP_SHARE 0.8
/* For each request of a tick so many awake pages are evaluated again. */
#define EVALUATIONS 8

void
by_worth_init(
    struct by_worth *queue, const struct sim_setup *setup, double price)
{
	*queue = (struct by_worth){.tick_s = setup->tick_s,
	    .now_s = INT64_MIN,
	    .per_tick = setup->requests_per_day * (double)setup->tick_s /
		DAY_S};
	price_init(&queue->price, price);
	queue->level = queue->price.value;
}

void
by_worth_release(struct by_worth *queue)
{
	ranking_release(&queue->asleep);
	ranking_release(&queue->awake);
}

void
by_worth_put(struct by_worth *queue, int64_t now_s, uint32_t page)
{
	double enough = queue->level;
	double worth = queue->calls->worth(queue->arg, now_s, page);
	double days;

	if (worth >= enough) {
		ranking_remove(&queue->asleep, page);
		ranking_put(&queue->awake, page, -worth);
		return;
	}
	days = queue->calls->days_until(queue->arg, now_s, page, enough);
	days = fmin(SLEEP_SHARE * days, SLEEP_MOST_DAYS);
	ranking_remove(&queue->awake, page);
	ranking_put(&queue->asleep, page,
	    fmax(
		(double)now_s + days * DAY_S, (double)(now_s + queue->tick_s)));
}

void
by_worth_remove(struct by_worth *queue, uint32_t page)
{
	ranking_remove(&queue->asleep, page);
	ranking_remove(&queue->awake, page);
}

bool
by_worth_has(const struct by_worth *queue, uint32_t page)
{
	return ranking_find(&queue->asleep, page) != NULL ||
	    ranking_find(&queue->awake, page) != NULL;
}

/* Evaluate awake pages again: all of them, or as many as the time allows, in
 * the order of their positions in the heap. */
static void
evaluate_awake(struct by_worth *queue, int64_t now_s)
{
	size_t count = (size_t)(EVALUATIONS * (queue->per_tick + 8));

	if (count > queue->awake.count)
		count = queue->awake.count;
	for (size_t i = 0; i < count && queue->awake.count > 0; i++) {
		queue->turn %= (uint32_t)queue->awake.count;
		by_worth_put(
		    queue, now_s, queue->awake.items[queue->turn].number);
		queue->turn++;
	}
}

/* At the end of a tick change the level, so that more or fewer pages are awake.
 * The level stays at the price or below: pages that are worth the price wait
 * awake, also when they are more than can be fetched. */
static void
set_level(struct by_worth *queue)
{
	double wanted = AWAKE_EACH * queue->per_tick + AWAKE_MORE;
	double count = (double)queue->awake.count;

	if (count < wanted)
		queue->level *= 1 - LEVEL_STEP;
	else if (count > 2 * wanted && queue->level < queue->price.value)
		queue->level *= 1 + LEVEL_STEP;
}

void
by_worth_begin(struct by_worth *queue, int64_t now_s)
{
	if (now_s <= queue->now_s)
		return;
	if (queue->now_s > INT64_MIN) {
		price_tick(&queue->price, &(struct price_tick){0});
		set_level(queue);
	}
	queue->now_s = now_s;
	evaluate_awake(queue, now_s);
	for (;;) {
		const struct ranking_item *first = ranking_first(
		    &queue->asleep);
		if (first == NULL || first->key > (double)now_s)
			break;
		by_worth_put(queue, now_s, first->number);
	}
}

bool
by_worth_next(struct by_worth *queue, uint32_t *page)
{
	const struct ranking_item *first = ranking_first(&queue->awake);
	double worth;

	if (first != NULL) {
		worth = -first->key;
	} else {
		first = ranking_first(&queue->asleep);
		if (first == NULL)
			return false;
		worth = queue->calls->worth(
		    queue->arg, queue->now_s, first->number);
	}
	*page = first->number;
	price_accept(&queue->price, worth);
	return true;
}
