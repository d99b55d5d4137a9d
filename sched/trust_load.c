/* Trust that was kept in a store: see trust.h. */
#include <math.h>
#include <string.h>

#include "sched/trust.h"

static bool
is_flag(const bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, 1);
	return byte <= 1;
}

static bool
is_probability(float x)
{
	return x >= 0 && x <= 1.001F;
}

static bool
is_sound(const struct trust *t)
{
	const float numbers[] = {t->moves, t->mass_right, t->mass_false,
	    t->event_right, t->event_false, t->readings, t->open,
	    t->publications};
	double sum = 0;

	for (int i = 0; i < TRUST_CELLS; i++) {
		if (!is_probability(t->cells[i]))
			return false;
		sum += (double)t->cells[i];
	}
	for (int i = 0; i < TRUST_MOVES; i++)
		if (!is_probability(t->all_false[i]))
			return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!(numbers[i] >= 0 && numbers[i] <= 1e6F))
			return false;
	/* Either nothing was weighed yet, or all is there. */
	return (sum < 1e-6 || fabs(sum - 1) < 0.01) &&
	    pace_is_sound(&t->pace) && follow_is_sound(&t->follow) &&
	    is_probability(t->recall) && is_probability(t->recall_spread) &&
	    is_probability(t->precision) && is_probability(t->share) &&
	    is_probability(t->silence) && is_flag(&t->has_dates) &&
	    is_flag(&t->is_gated);
}

bool
trust_load(struct trust *t, struct slice bytes)
{
	struct trust loaded;

	if (bytes.len != sizeof(loaded))
		return false;
	memcpy(&loaded, bytes.p, sizeof(loaded));
	if (!is_sound(&loaded))
		return false;
	*t = loaded;
	return true;
}
