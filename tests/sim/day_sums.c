/*
 * The sums of a class do not change between two events.  So the freshness of
 * that time is a product of a sum and the time, and the age is the area of a
 * trapezium.
 */
#include "tests/sim/day_sums.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void
day_sums_init(struct day_sums *sums, size_t class_count, double end)
{
	sums->class_count = class_count;
	sums->end = end;
	sums->day_count = (size_t)ceil(end);
	if (sums->day_count == 0)
		sums->day_count = 1;
	sums->classes = mem_zero(class_count * sizeof(*sums->classes));
	sums->days = mem_zero(
	    class_count * sums->day_count * sizeof(*sums->days));
}

void
day_sums_release(struct day_sums *sums)
{
	free(sums->classes);
	free(sums->days);
	*sums = (struct day_sums){0};
}

struct sim_day *
day_sums_day(struct day_sums *sums, size_t class, double now)
{
	size_t day = now > 0 ? (size_t)now : 0;

	if (day >= sums->day_count)
		day = sums->day_count - 1;
	return &sums->days[day * sums->class_count + class];
}

static void
write_until(struct day_sums *sums, size_t class, double now)
{
	struct day_sums_class *c = &sums->classes[class];

	if (now > sums->end)
		now = sums->end;
	while (c->done < now) {
		double next = fmin(floor(c->done) + 1, now);
		double length = next - c->done;
		struct sim_day *day = day_sums_day(sums, class, c->done);
		day->weight += c->weight * length;
		day->fresh += (c->weight - c->stale) * length;
		day->age += (c->stale * (c->done + next) / 2 - c->since) *
		    length;
		c->done = next;
	}
}

void
day_sums_list(struct day_sums *sums, size_t class, double now, double weight)
{
	write_until(sums, class, now);
	sums->classes[class].weight += weight;
}

void
day_sums_stale(struct day_sums *sums, size_t class, double now, double weight,
    double since)
{
	write_until(sums, class, now);
	sums->classes[class].stale += weight;
	sums->classes[class].since += weight * since;
}

void
day_sums_finish(struct day_sums *sums)
{
	for (size_t i = 0; i < sums->class_count; i++)
		write_until(sums, i, sums->end);
}
