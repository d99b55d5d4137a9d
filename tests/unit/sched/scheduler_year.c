/*
 * A year of the scheduler with all that happens in one: hosts that are dead
 * for weeks, answer 429 for hours and errors for days, answers that come late,
 * and a clock that leaps ahead.  No host, no tag and not all together
 * are asked above their rates in any window of time; no item waits longer than
 * its ceiling, and the time that all items need with the tenth of the budget
 * that ceilings may take; the whole budget is used; memory does not grow; the
 * same seed makes the same year.
 *
 *	unit-scheduler_year [FIRST LAST]	years of these seeds
 */
#include <malloc.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/scheduler.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "tests/fixtures/sanitized.h"
#include "tests/fixtures/scheduler_gate.h"
#include "tests/sim/random.h"

enum {
	HOSTS = 20,
	TAGS = 2,
	CHILDREN = 3, /* of a host's index */
	DOCUMENTS = HOSTS * (CHILDREN + 1),
	PAGES_OF_CHILD = 20,
	PAGES = HOSTS * CHILDREN * PAGES_OF_CHILD,
	PENDING = 64,
	HOUR = 3600,
	DAY = 86400,
	BEGIN_S = 1700000000,
	DAYS = IS_SANITIZED ? 120 : 365,
	TICK_S = 1200,
	PER_HOUR = 12,
	TAG_PER_HOUR = 9,
	CEILING_S = 30 * DAY, /* of a page */
	READING_CEILING_S = 7 * DAY,
	/* The time for all pages and documents, one after the other, with a
	 * tenth of the budget; and a day, after which a host that works again
	 * is tried. */
	STRETCH_S = (PAGES + DOCUMENTS) * 10 / PER_HOUR * HOUR + 2 * DAY,
};

enum mode { MODE_UP, MODE_DEAD, MODE_LIMITING, MODE_ERRORS };

struct year_host {
	struct gate gate;
	enum mode mode;
	int64_t until_s; /* true time */
	int64_t up_s; /* how long the host was up until counted_s */
	int64_t counted_s;
};

struct answer {
	struct scheduler_choice choice;
	int64_t asked_s; /* by the clock */
	int64_t comes_s; /* true time */
};

struct year {
	struct scheduler *s;
	struct random random;
	int64_t true_s;
	int64_t error_s; /* of the clock */
	/* the sum of its leaps ahead: the clock saw that much more time
	 * pass */
	int64_t leaps_s;
	int64_t jump_s; /* the next leap, in true time */
	struct gate all, tags[TAGS];
	struct year_host hosts[HOSTS];
	int64_t page_up_s[PAGES]; /* up_s of the host at its last fetch */
	int64_t read_up_s[DOCUMENTS];
	double changes[PAGES]; /* a day */
	int64_t page_s[PAGES];
	bool is_page_out[PAGES], is_read_out[DOCUMENTS];
	struct answer pending[PENDING];
	size_t pending_count;
	uint64_t digest, asked, ceilings, failed;
	int64_t longest_page_s, longest_reading_s;
};

static uint32_t
below(struct year *y, uint32_t n)
{
	return random_below(&y->random, n);
}

static int64_t
now(const struct year *y)
{
	return y->true_s + y->error_s;
}

static uint32_t
host_of(const struct scheduler_choice *choice)
{
	return choice->kind == SCHEDULER_PAGE
	    ? choice->number / (CHILDREN * PAGES_OF_CHILD)
	    : choice->number / (CHILDREN + 1);
}

/* --- the world ----------------------------------------------------------- */

static void
year_host_count(struct year *y, struct year_host *host)
{
	if (host->mode == MODE_UP)
		host->up_s += y->true_s - host->counted_s;
	host->counted_s = y->true_s;
}

static void
host_turn(struct year *y, struct year_host *host)
{
	year_host_count(y, host);
	while (host->until_s <= y->true_s) {
		if (host->mode != MODE_UP) {
			host->mode = MODE_UP;
			host->until_s += (1 + below(y, 60)) * DAY;
			continue;
		}
		host->mode = (enum mode)(1 + below(y, 3));
		host->until_s += host->mode == MODE_DEAD
		    ? (1 + below(y, 40)) * DAY
		    : (1 + below(y, 40)) * HOUR;
	}
}

/* The clock leaps ahead; it never goes back. */
static void
jump(struct year *y)
{
	static const int64_t most_s[] = {30, HOUR, DAY, 400 * DAY};
	int64_t leap_s = (int64_t)below(
	    y, (uint32_t)most_s[below(y, COUNT(most_s))]);

	y->error_s += leap_s;
	y->leaps_s += leap_s;
	y->jump_s = y->true_s + below(y, 20 * DAY);
}

static bool
is_failing(struct year *y, const struct year_host *host)
{
	return host->mode == MODE_DEAD || host->mode == MODE_LIMITING ||
	    (host->mode == MODE_ERRORS && below(y, 2) == 0);
}

static void
answer_page(struct year *y, const struct answer *answer, struct year_host *host)
{
	uint32_t page = answer->choice.number;
	double days = (double)(y->true_s - y->page_s[page]) / DAY;
	struct scheduler_outcome outcome = {
	    .now_s = answer->asked_s, .kind = FETCH_SAME, .bytes = 20000};

	y->is_page_out[page] = false;
	if (is_failing(y, host)) {
		outcome.kind = FETCH_FAILED;
		outcome.hold_s = host->mode == MODE_LIMITING ? 900 : 0;
		y->failed++;
	} else {
		if (random_exponential(&y->random) < y->changes[page] * days)
			outcome.kind = FETCH_CHANGED;
		y->page_s[page] = y->true_s;
		y->page_up_s[page] = host->up_s;
	}
	scheduler_outcome(y->s, page, &outcome);
}

static void
answer_reading(
    struct year *y, const struct answer *answer, struct year_host *host)
{
	uint32_t document = answer->choice.number;
	bool is_index = document % (CHILDREN + 1) == 0;
	uint32_t first = (document - document / (CHILDREN + 1) - 1) *
	    PAGES_OF_CHILD;
	struct scheduler_reading reading = {.now_s = answer->asked_s,
	    .listed = is_index ? CHILDREN : PAGES_OF_CHILD,
	    .moved = below(y, 3),
	    .bytes = 4000};
	struct scheduler_signal signal = {
	    .kind = SIGNAL_MOVED, .lastmod_s = y->true_s};

	reading.dated = reading.listed;
	y->is_read_out[document] = false;
	reading.is_failed = is_failing(y, host);
	if (!reading.is_failed)
		y->read_up_s[document] = host->up_s;
	scheduler_reading(y->s, document, &reading);
	for (uint32_t i = 0; !reading.is_failed && i < reading.moved; i++)
		if (is_index)
			scheduler_child_signal(
			    y->s, document + 1 + below(y, CHILDREN), &signal);
		else
			scheduler_page_signal(
			    y->s, first + below(y, PAGES_OF_CHILD), &signal);
}

/* answers(year): give the scheduler the answers that have come by now. */
static void
answers(struct year *y)
{
	for (size_t i = 0; i < y->pending_count;) {
		struct answer answer = y->pending[i];
		struct year_host *host = &y->hosts[host_of(&answer.choice)];

		if (answer.comes_s > y->true_s) {
			i++;
			continue;
		}
		y->pending[i] = y->pending[--y->pending_count];
		host_turn(y, host);
		if (answer.choice.kind == SCHEDULER_PAGE)
			answer_page(y, &answer, host);
		else
			answer_reading(y, &answer, host);
	}
}

/* --- what must hold ------------------------------------------------------ */

static void
check(struct year *y, const struct scheduler_choice *choice)
{
	uint32_t host = host_of(choice);
	int64_t passed_s = y->true_s + y->leaps_s;
	bool *is_out = choice->kind == SCHEDULER_PAGE
	    ? &y->is_page_out[choice->number]
	    : &y->is_read_out[choice->number];

	assert_false(*is_out);
	*is_out = true;
	gate_pass(&y->all, passed_s);
	gate_pass(&y->tags[host % TAGS], passed_s);
	gate_pass(&y->hosts[host].gate, passed_s);
	y->asked++;
	y->ceilings += choice->reason == REASON_CEILING;
	y->digest = (y->digest ^ choice->number ^ (uint64_t)y->true_s << 16) *
	    0x9e3779b97f4a7c15U;
}

/* Check that no time since the last answer is beyond the ceiling; times in
 * which the host was down do not count. */
static void
check_ceilings(struct year *y)
{
	for (uint32_t i = 0; i < HOSTS; i++)
		host_turn(y, &y->hosts[i]);
	for (uint32_t i = 0; i < PAGES; i++) {
		int64_t up_s = y->hosts[i / (CHILDREN * PAGES_OF_CHILD)].up_s;

		if (up_s - y->page_up_s[i] > y->longest_page_s)
			y->longest_page_s = up_s - y->page_up_s[i];
	}
	for (uint32_t i = 0; i < DOCUMENTS; i++) {
		int64_t up_s = y->hosts[i / (CHILDREN + 1)].up_s;

		if (up_s - y->read_up_s[i] > y->longest_reading_s)
			y->longest_reading_s = up_s - y->read_up_s[i];
	}
	assert_true(y->longest_page_s < CEILING_S + STRETCH_S);
	/* three times as long for documents whose dates deceive */
	assert_true(y->longest_reading_s < 3 * READING_CEILING_S + STRETCH_S);
}

/* --- a year -------------------------------------------------------------- */

static void
add_host(struct year *y, uint32_t i)
{
	struct year_host *host = &y->hosts[i];
	struct scheduler_site site = scheduler_site_default;
	struct scheduler_host is = {.delay_ms = 1000 * below(y, 30),
	    .requests_per_hour = below(y, 2) == 0 ? 0 : 6};

	*host = (struct year_host){
	    .counted_s = BEGIN_S, .until_s = BEGIN_S + below(y, 30 * DAY)};
	host->gate.delay_ms = is.delay_ms;
	host->gate.per_hour = is.requests_per_hour;
	host->gate.tick_s = TICK_S;
	site.host = scheduler_add_host(y->s, &is);
	site.tag = i % TAGS;
	site.page_ceiling_s = CEILING_S;
	site.reading_ceiling_s = READING_CEILING_S;
	(void)scheduler_add_site(y->s, &site);
	for (uint32_t d = 0; d <= CHILDREN; d++) {
		struct scheduler_document document = {.site = i,
		    .parent = d == 0 ? SCHEDULER_NONE : i * (CHILDREN + 1),
		    .is_index = d == 0};

		(void)scheduler_add_document(y->s, &document, BEGIN_S);
	}
}

static void
begin(struct year *y, uint64_t seed)
{
	struct scheduler_options options = scheduler_options_default;

	random_init(&y->random, seed, 0);
	y->true_s = BEGIN_S;
	y->jump_s = BEGIN_S + below(y, 20 * DAY);
	options.requests_per_hour = y->all.per_hour = PER_HOUR;
	options.tick_s = y->all.tick_s = TICK_S;
	y->s = scheduler_new(&options);
	for (int i = 0; i < TAGS; i++) {
		y->tags[i].per_hour = TAG_PER_HOUR;
		y->tags[i].tick_s = TICK_S;
		scheduler_limit_tag(y->s,
		    scheduler_add_tag(y->s, SCHEDULER_NONE, SCHEDULER_NONE),
		    &(struct scheduler_host){
			.requests_per_hour = TAG_PER_HOUR, .is_budget = true});
	}
	for (uint32_t i = 0; i < HOSTS; i++)
		add_host(y, i);
	for (uint32_t i = 0; i < PAGES; i++) {
		uint32_t child = i / PAGES_OF_CHILD;
		struct scheduler_page page = {
		    .document = child / CHILDREN * (CHILDREN + 1) + 1 +
			child % CHILDREN,
		    .weight = (float)random_exponential(&y->random),
		    .lastmod_s = SCHEDULER_NO_DATE,
		    .fetched_s = BEGIN_S};

		y->changes[i] = random_exponential(&y->random) / 10;
		y->page_s[i] = BEGIN_S;
		(void)scheduler_add_page(y->s, &page, BEGIN_S);
	}
}

/* next_s(year): the true time at which something may happen. */
static int64_t
next_s(struct year *y)
{
	int64_t due_s = scheduler_due_of_s(y->s, now(y), SCHEDULER_KINDS_ALL);
	int64_t next = y->true_s + HOUR;

	assert_true(due_s > now(y));
	if (due_s - y->error_s < next)
		next = due_s - y->error_s;
	if (y->jump_s < next)
		next = y->jump_s;
	for (size_t i = 0; i < y->pending_count; i++)
		if (y->pending[i].comes_s < next)
			next = y->pending[i].comes_s;
	return next > y->true_s ? next : y->true_s + 1;
}

static void
step(struct year *y)
{
	struct scheduler_choice choice;

	if (y->true_s >= y->jump_s)
		jump(y);
	answers(y);
	while (y->pending_count < PENDING &&
	    scheduler_next_of(
		y->s, now(y), SCHEDULER_KINDS_ALL, NULL, &choice)) {
		check(y, &choice);
		y->pending[y->pending_count++] = (struct answer){
		    choice, now(y), y->true_s + below(y, 120)};
	}
	y->true_s = next_s(y);
}

/* The memory in use, including large blocks. */
static size_t
memory_used(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static uint64_t
run(uint64_t seed)
{
	struct year *y = mem_zero(sizeof(*y));
	size_t memory = 0;
	uint64_t digest;

	begin(y, seed);
	for (int day = 1; day <= DAYS; day++) {
		while (y->true_s < BEGIN_S + (int64_t)day * DAY)
			step(y);
		check_ceilings(y);
		if (day == DAYS / 2)
			memory = memory_used();
	}
	/* the allocator of a sanitizer says 0 both times */
	assert_true(memory_used() <= memory + memory / 4);
	digest = y->digest;
	print_message("%lu requests, %lu for ceilings, %lu failed; longest "
		      "without: page %.1f d, document %.1f d\n",
	    (unsigned long)y->asked, (unsigned long)y->ceilings,
	    (unsigned long)y->failed, (double)y->longest_page_s / DAY,
	    (double)y->longest_reading_s / DAY);
	/* Leaps of the clock and holds cost a part of the requests. */
	assert_true(y->asked > (uint64_t)PER_HOUR * 24 * DAYS * 9 / 10);
	assert_true(y->ceilings > 0 && y->failed > 1000 * DAYS / 365);
	scheduler_free(y->s);
	free(y);
	return digest;
}

static void
test_year(void **state)
{
	uint64_t digest = run(1);

	assert_true(run(1) == digest);
}

struct seeds {
	uint64_t first, last;
};

static void
test_seeds(void **state)
{
	const struct seeds *seeds = *state;

	for (uint64_t seed = seeds->first; seed <= seeds->last; seed++)
		(void)run(seed);
}

/* FRESHET_SEEDS="FIRST LAST" plays that many years in place of one. */
UNIT(scheduler_year)
{
	const char *text = getenv("FRESHET_SEEDS");
	char *end = NULL;
	struct seeds seeds = {
	    .first = text == NULL ? 0 : strtoull(text, &end, 10),
	    .last = text == NULL ? 0 : strtoull(end, NULL, 10)};
	const struct CMUnitTest one[] = {cmocka_unit_test(test_year)};
	const struct CMUnitTest many[] = {
	    cmocka_unit_test_prestate(test_seeds, &seeds)};

	if (text != NULL)
		return cmocka_run_group_tests(many, NULL, NULL);
	return cmocka_run_group_tests(one, NULL, NULL);
}
