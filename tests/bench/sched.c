/*
 * What the queue of the scheduler costs (DESIGN 7), in virtual time:
 *
 *   sched queue ENTRIES OPERATIONS
 *
 * Prints a line `NAME VALUE` for each thing measured; times are CPU.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sched/calendar.h"
#include "sched/places.h"
#include "sched/random.h"

enum {
	TICK_S = 60,
	BATCH = 64,
	BEGIN_S = 1700000000,
	/* On average a thing is looked at again after 30 days. */
	TICKS_MAX = 2 * 30 * 24 * 60,
};

struct queue {
	struct places places;
	struct calendar *calendar;
	struct random random;
	uint32_t entries;
	uint64_t operations;
	int64_t now_s;
	double longest_s; /* of a batch */
};

static double
cpu_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
say(const char *name, double value)
{
	(void)printf("%s %.6g\n", name, value);
}

static int64_t
some_time(struct queue *queue)
{
	return queue->now_s +
	    TICK_S * (int64_t)(1 + random_below(&queue->random, TICKS_MAX));
}

static void
fill(struct queue *queue)
{
	queue->calendar = calendar_new(&queue->places, TICK_S, BEGIN_S);
	for (uint32_t i = 0; i < queue->entries; i++)
		calendar_put(queue->calendar, i, some_time(queue));
}

/* batch(queue, signals): what is due is put again, and for each of these so
 * many others are put to another time before their own came. */
static size_t
batch(struct queue *queue, unsigned signals)
{
	uint32_t numbers[BATCH];
	double begin_s = cpu_s(), took_s;
	size_t n = calendar_take(queue->calendar, queue->now_s, numbers, BATCH);

	for (size_t i = 0; i < n; i++)
		calendar_put(queue->calendar, numbers[i], some_time(queue));
	for (size_t i = 0; i < n * signals; i++)
		calendar_put(queue->calendar,
		    random_below(&queue->random, queue->entries),
		    some_time(queue));
	took_s = cpu_s() - begin_s;
	if (took_s > queue->longest_s)
		queue->longest_s = took_s;
	return n;
}

/* run(queue, signals): tick by tick; ns for each that was due. */
static double
run(struct queue *queue, unsigned signals)
{
	uint64_t done = 0;
	double begin_s = cpu_s();

	while (done < queue->operations) {
		size_t n = batch(queue, signals);

		done += n;
		if (n < BATCH)
			queue->now_s += TICK_S;
	}
	return (cpu_s() - begin_s) / (double)done * 1e9;
}

/* bytes(queue): an entry, with all that is stale. */
static double
bytes(const struct queue *queue)
{
	return (double)(queue->places.count * sizeof(*queue->places.items) +
		   calendar_bytes(queue->calendar)) /
	    queue->entries;
}

static int
queue_costs(uint32_t entries, uint64_t operations)
{
	struct queue queue = {
	    .entries = entries, .operations = operations, .now_s = BEGIN_S};
	double begin_s = cpu_s();

	random_init(&queue.random, 1, 0);
	fill(&queue);
	say("fill_ns", (cpu_s() - begin_s) / entries * 1e9);
	say("again_ns", run(&queue, 0));
	say("bytes", bytes(&queue));
	say("signal_ns", run(&queue, 1));
	say("signal_bytes", bytes(&queue));
	say("longest_ms", queue.longest_s * 1e3);
	begin_s = cpu_s();
	calendar_rewind(queue.calendar, 0);
	say("rewind_ms", (cpu_s() - begin_s) * 1e3);
	say("count", (double)calendar_count(queue.calendar));
	calendar_free(queue.calendar);
	places_release(&queue.places);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "queue") == 0)
		return queue_costs((uint32_t)strtoul(argv[2], NULL, 10),
		    strtoull(argv[3], NULL, 10));
	(void)fprintf(stderr, "usage: sched queue ENTRIES OPERATIONS\n");
	return 2;
}
