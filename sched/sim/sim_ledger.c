/*
 * Between two events of a class its sums stand still, so that a day's part
 * of freshness is a product, and of age a trapezium.
 */
#include "sched/sim/sim_ledger.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void
ledger_init(struct ledger *ledger, size_t class_count, double end)
{
	ledger->class_count = class_count;
	ledger->end = end;
	ledger->day_count = (size_t)ceil(end);
	if (ledger->day_count == 0)
		ledger->day_count = 1;
	ledger->classes = mem_zero(class_count * sizeof(*ledger->classes));
	ledger->days = mem_zero(
	    class_count * ledger->day_count * sizeof(*ledger->days));
}

void
ledger_release(struct ledger *ledger)
{
	free(ledger->classes);
	free(ledger->days);
	*ledger = (struct ledger){0};
}

struct sim_day *
ledger_day(struct ledger *ledger, size_t class, double now)
{
	size_t day = now > 0 ? (size_t)now : 0;

	if (day >= ledger->day_count)
		day = ledger->day_count - 1;
	return &ledger->days[day * ledger->class_count + class];
}

static void
write_until(struct ledger *ledger, size_t class, double now)
{
	struct ledger_class *c = &ledger->classes[class];

	if (now > ledger->end)
		now = ledger->end;
	while (c->done < now) {
		double next = fmin(floor(c->done) + 1, now);
		double length = next - c->done;
		struct sim_day *day = ledger_day(ledger, class, c->done);
		day->weight += c->weight * length;
		day->fresh += (c->weight - c->stale) * length;
		day->age += (c->stale * (c->done + next) / 2 - c->since) *
		    length;
		c->done = next;
	}
}

void
ledger_list(struct ledger *ledger, size_t class, double now, double weight)
{
	write_until(ledger, class, now);
	ledger->classes[class].weight += weight;
}

void
ledger_stale(struct ledger *ledger, size_t class, double now, double weight,
    double since)
{
	write_until(ledger, class, now);
	ledger->classes[class].stale += weight;
	ledger->classes[class].since += weight * since;
}

void
ledger_finish(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->class_count; i++)
		write_until(ledger, i, ledger->end);
}
