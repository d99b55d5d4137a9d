/* The price of a request: see price.h. */
#include "sched/price.h"

#include <math.h>

#include "sched/fast_math.h"

/* The price falls quickly and rises slowly, so that it follows a low
 * quantile. */
#define FALL 0.3
#define RISE 0.005
#define DRY 0.93
#define CROWDED 1.004
/* One page of an absurd weight must not price out all others. */
#define RISE_MAX 2

void
price_init(struct price *price, double value)
{
	*price = (struct price){
	    .value = isnan(value) ? 1 : within(value, PRICE_MIN, PRICE_MAX)};
}

void
price_accept(struct price *price, double value)
{
	if (isnan(value) || value <= 0)
		return;
	if (!price->has_lowest || value < price->lowest)
		price->lowest = value;
	price->has_lowest = true;
}

void
price_tick(struct price *price, const struct price_tick *tick)
{
	double value = price->value;
	bool is_crowded = tick->waiting > tick->too_many;

	if (price->has_lowest) {
		double lowest = within(price->lowest, PRICE_MIN, PRICE_MAX);

		/* Items whose host may not be asked do not influence the
		 * price. */
		is_crowded = is_crowded && lowest >= value;

		if (lowest < value)
			value += FALL * (lowest - value);
		else if (!tick->is_dry)
			value += RISE * (lowest - value);
		if (price->is_tried)
			value = fmin(value, price->value * RISE_MAX);
	}
	if (tick->is_dry)
		value *= DRY;
	else if (is_crowded && price->has_lowest)
		value *= CROWDED;
	*price = (struct price){.value = within(value, PRICE_MIN, PRICE_MAX),
	    .is_tried = price->is_tried || price->has_lowest};
}
