/*
 * What the queue of the scheduler costs (DESIGN 7), in virtual time:
 *
 *   sched queue ENTRIES OPERATIONS
 *	the calendar alone
 *   sched decisions PAGES DAYS
 *	what a request costs to choose and to learn from, of workload W1
 *   sched brute PAGES DAYS
 *	the freshness, as a share of what looking at each page in each tick
 *	gives
 *
 * Prints a line `NAME VALUE` for each thing measured; times are CPU.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "sched/queues.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/sim/history.h"
#include "tests/sim/policies.h"
#include "tests/sim/random.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_metrics.h"
#include "tests/sim/world.h"
#include "tests/sim/world_options.h"

enum {
	TICK_S = 60,
	BATCH = 64,
	BEGIN_S = 1700000000,
	/* On average a thing is looked at again after 30 days. */
	TICKS_MAX = 2 * 30 * 24 * 60,
};

struct queue {
	struct sched_queues queues;
	struct sched_clock clock;
	struct random random;
	uint32_t entries;
	uint64_t operations;
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
	return queue->clock.now_s +
	    TICK_S * (int64_t)(1 + random_below(&queue->random, TICKS_MAX));
}

static void
fill(struct queue *queue)
{
	queue->queues.clock = &queue->clock;
	queue->clock.first_s = BEGIN_S;
	for (uint32_t i = 0; i < queue->entries; i++)
		queues_evaluate_at(&queue->queues, i, some_time(queue));
}

/* batch(queue, signals): take the items that are due and give each of them a
 * new time; for each of them, `signals` other items get a new time, too. */
static size_t
batch(struct queue *queue, unsigned signals)
{
	uint32_t numbers[BATCH];
	double begin_s = cpu_s(), took_s;
	size_t n = queues_take_due(&queue->queues, numbers, BATCH);

	for (size_t i = 0; i < n; i++)
		queues_evaluate_at(
		    &queue->queues, numbers[i], some_time(queue));
	for (size_t i = 0; i < n * signals; i++)
		queues_evaluate_at(&queue->queues,
		    random_below(&queue->random, queue->entries),
		    some_time(queue));
	took_s = cpu_s() - begin_s;
	if (took_s > queue->longest_s)
		queue->longest_s = took_s;
	return n;
}

/* run(queue, signals): a batch in each tick; returns ns for each due item. */
static double
run(struct queue *queue, unsigned signals)
{
	uint64_t done = 0;
	double begin_s = cpu_s();

	while (done < queue->operations) {
		size_t n = batch(queue, signals);

		done += n;
		if (n < BATCH)
			queue->clock.now_s += TICK_S;
	}
	return (cpu_s() - begin_s) / (double)done * 1e9;
}

/* The memory of a calendar, with the words of its entries. */
static double
calendar_bytes(const struct sched_queues *queues)
{
	return (
	    double)(queues->positions.count * sizeof(*queues->positions.items) +
	    ((size_t)queues->calendar.near.cap + queues->calendar.far.cap) *
		sizeof(struct heap_item));
}

/* bytes(queue): an entry. */
static double
bytes(const struct queue *queue)
{
	return calendar_bytes(&queue->queues) / queue->entries;
}

static int
queue_costs(uint32_t entries, uint64_t operations)
{
	struct queue queue = {.entries = entries,
	    .operations = operations,
	    .clock = {.now_s = BEGIN_S}};
	double begin_s = cpu_s();

	random_init(&queue.random, 1, 0);
	fill(&queue);
	say("fill_ns", (cpu_s() - begin_s) / entries * 1e9);
	say("again_ns", run(&queue, 0));
	say("bytes", bytes(&queue));
	say("signal_ns", run(&queue, 1));
	say("signal_bytes", bytes(&queue));
	say("longest_ms", queue.longest_s * 1e3);
	say("count",
	    (double)queue.queues.calendar.near.count +
		(double)queue.queues.calendar.far.count);
	heap_release(&queue.queues.calendar.near);
	heap_release(&queue.queues.calendar.far);
	free(queue.queues.positions.items);
	return 0;
}

/* --- decisions ----------------------------------------------------------- */

struct request {
	int64_t now_s;
	struct sim_request is;
};

/* What a run asked for; the simulator's callbacks have no room for it. */
static struct record {
	struct request *requests;
	size_t count, cap, at;
	int64_t half_s; /* the first half is learning, and is not measured */
	double begin_s; /* CPU at the first request of the second */
	size_t begin_count;
	uint64_t begin_looks, evaluations;
	double page_bytes, queue_bytes; /* of a page */
	int64_t now_s; /* of the tick that brute_next was in */
} record;

static void
recorder_free(void *arg)
{
	const struct scheduler *s = policy_ours_scheduler(arg);

	record.evaluations = s->pages.evaluations;
	record.page_bytes = (double)sizeof(*s->pages.items);
	record.queue_bytes = calendar_bytes(&s->queues) /
	    (double)s->pages.count;
	policy_ours.free(arg);
}

static bool
recorder_next(void *arg, int64_t now_s, struct sim_request *request)
{
	if (now_s >= record.half_s && record.begin_count == 0) {
		record.begin_s = cpu_s();
		record.begin_count = record.count;
		record.begin_looks = policy_ours_scheduler(arg)
					 ->pages.evaluations;
	}
	if (!policy_ours.next(arg, now_s, request))
		return false;
	record.requests = mem_grow(record.requests, &record.cap,
	    record.count + 1, sizeof(*record.requests));
	record.requests[record.count++] = (struct request){now_s, *request};
	return true;
}

/* Asks for the same again, and has no thoughts of its own. */
static void *
parrot_new(const struct sim_setup *setup)
{
	(void)setup;
	return &record;
}

static void
parrot_free(void *arg)
{
	(void)arg;
}

static void
parrot_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	(void)arg, (void)now_s, (void)page, (void)is_fetched;
}

static void
parrot_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	(void)arg, (void)now_s, (void)reading;
}

static void
parrot_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	(void)arg, (void)now_s, (void)page, (void)outcome;
}

static bool
parrot_next(void *arg, int64_t now_s, struct sim_request *request)
{
	(void)arg;
	if (now_s >= record.half_s && !(record.begin_s > 0))
		record.begin_s = cpu_s();
	if (record.at == record.count ||
	    record.requests[record.at].now_s != now_s)
		return false;
	*request = record.requests[record.at++].is;
	return true;
}

static void
world(struct history *history, struct world_options *options, const char *pages,
    const char *days, unsigned long seed)
{
	*options = *world_preset("W1");
	options->seed = (double)seed;
	options->pages = strtod(pages, NULL);
	options->sites = options->pages / 100;
	options->days = strtod(days, NULL);
	world_make(history, options);
}

/* replay(history, options, policy): CPU, and the freshness of its second
 * half. */
static double
replay(const struct history *history, const struct world_options *options,
    const struct sim_policy *policy, double *freshness)
{
	struct sim_options sim = world_sim(options);
	struct sim_figures figures;
	struct sim_result result;
	double took_s;

	sim_run(&result, policy, history, &sim);
	took_s = cpu_s() - record.begin_s;
	sim_figures(&result, SIM_ALL, sim_second_half(&result),
	    sim_top_weight(history), &figures);
	*freshness = figures.freshness;
	sim_result_release(&result);
	return took_s;
}

static int
decisions(const char *pages, const char *days)
{
	struct sim_policy recorder = policy_ours;
	struct sim_policy parrot = {.name = "parrot",
	    .text = "",
	    .new = parrot_new,
	    .free = parrot_free,
	    .page = parrot_page,
	    .reading = parrot_reading,
	    .outcome = parrot_outcome,
	    .next = parrot_next};
	struct world_options options;
	struct history history;
	double ours_s, parrot_s, ours, same, count;

	recorder.free = recorder_free;
	recorder.next = recorder_next;
	world(&history, &options, pages, days, 1);
	record.half_s = (history.begin_s + history.end_s) / 2;
	ours_s = replay(&history, &options, &recorder, &ours);
	record.begin_s = 0;
	parrot_s = replay(&history, &options, &parrot, &same);
	count = (double)(record.count - record.begin_count);
	say("decisions", count);
	say("us", (ours_s - parrot_s) / count * 1e6);
	say("looks", (double)(record.evaluations - record.begin_looks) / count);
	say("page_bytes", record.page_bytes);
	say("queue_bytes", record.queue_bytes);
	/* nothing but the choices may differ */
	say("same", same == ours && record.at == record.count);
	free(record.requests);
	history_release(&history);
	return 0;
}

/* --- brute force --------------------------------------------------------- */

/* Each page is looked at in each tick, and the best of all goes out. */
static bool
brute_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct scheduler *scheduler = policy_ours_scheduler(arg);

	if (now_s != record.now_s) {
		record.now_s = now_s;
		clock_set(scheduler, now_s);
		for (uint32_t i = 0; i < scheduler->pages.count; i++)
			pages_reschedule(
			    &scheduler->pages, &(uint32_t){i}, 1, true);
	}
	return policy_ours.next(arg, now_s, request);
}

/* brute(pages, days, seeds): means, and two standard errors of the share: the
 * noise of a small world is larger than what is measured. */
static int
brute(const char *pages, const char *days, unsigned long seeds)
{
	struct sim_policy force = policy_ours;
	double sums[2] = {0}, share = 0, square = 0;
	struct world_options options;
	struct history history;

	force.next = brute_next;
	for (unsigned long seed = 1; seed <= seeds; seed++) {
		double ours, all;

		world(&history, &options, pages, days, seed);
		record.now_s = 0;
		(void)replay(&history, &options, &policy_ours, &ours);
		(void)replay(&history, &options, &force, &all);
		sums[0] += ours;
		sums[1] += all;
		share += ours / all;
		square += ours / all * ours / all;
		history_release(&history);
	}
	share /= (double)seeds;
	square = square / (double)seeds - share * share;
	say("ours", sums[0] / (double)seeds);
	say("brute", sums[1] / (double)seeds);
	say("share", share);
	say("share_error",
	    2 * sqrt(fmax(square, 0) / fmax((double)seeds - 1, 1)));
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "queue") == 0)
		return queue_costs((uint32_t)strtoul(argv[2], NULL, 10),
		    strtoull(argv[3], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "decisions") == 0)
		return decisions(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "brute") == 0)
		return brute(argv[2], argv[3], 1);
	if (argc == 5 && strcmp(argv[1], "brute") == 0)
		return brute(argv[2], argv[3], strtoul(argv[4], NULL, 10));
	(void)fprintf(stderr,
	    "usage: sched queue ENTRIES OPERATIONS\n"
	    "       sched decisions|brute PAGES DAYS\n");
	return 2;
}
