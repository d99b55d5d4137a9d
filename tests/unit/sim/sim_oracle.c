/*
 * The simulator beside a slow one: random histories, in which what is true at
 * a moment is found by walking through all events before it.  What readings
 * tell, what fetches give, and the sums of freshness and age must agree.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/fixtures/fixture.h"
#include "tests/fixtures/sanitized.h"
#include "tests/sim/history.h"
#include "tests/sim/random.h"
#include "tests/sim/sim.h"
#include "tests/sim/sim_policy.h"

enum {
	PAGES = 6,
	DOCUMENTS = 2,
	EVENTS = 150,
	FETCHES = 400,
	SEEDS = IS_SANITIZED ? 60 : 300,
	D = 86400
};

/* What a fetch or a reading would show of a page at some time. */
struct moment {
	bool is_listed, is_alive, is_day;
	int64_t lastmod_s;
	uint64_t text;
};

struct fetch {
	int64_t t_s;
	uint32_t page;
};

/* The history comes first: the policy finds the rest by it. */
struct world {
	struct history history;
	struct random random;
	struct moment seen[PAGES]; /* as told by readings */
	bool is_known[PAGES];
	struct moment held[PAGES];
	bool is_held[PAGES];
	struct fetch fetches[FETCHES];
	size_t fetch_count;
};

static bool
is_of(const struct history *history, uint32_t page, uint32_t document)
{
	return history->pages[page].document == document;
}

/* One event, as far as it matters to that page. */
static void
follow(const struct history *history, const struct history_event *event,
    uint32_t page, struct moment *said)
{
	switch ((enum history_kind)event->kind) {
	case HISTORY_EXISTS:
	case HISTORY_CHANGES:
		if (event->subject != page)
			return;
		said->is_alive = true;
		said->text = event->text;
		return;
	case HISTORY_ENDS:
		if (event->subject == page)
			said->is_alive = false;
		return;
	case HISTORY_ADDED:
	case HISTORY_REMOVED:
		if (event->subject != page)
			return;
		said->is_listed = event->kind == HISTORY_ADDED;
		said->lastmod_s = HISTORY_NO_DATE;
		return;
	case HISTORY_CLAIMS:
	case HISTORY_CLAIMS_ALL:
		if (said->is_listed &&
		    (event->kind == HISTORY_CLAIMS
			    ? event->subject == page
			    : is_of(history, page, event->subject)))
			said->lastmod_s = event->lastmod_s;
		return;
	case HISTORY_BYTES:
	case HISTORY_CHILD_CLAIMS:
	case HISTORY_PUBLISHED:
	case HISTORY_WITHDRAWN:
	case HISTORY_HINTS:
		return;
	}
}

/* moment_of(history, page, now_s): is_withdrawn: its document, or NULL. */
static struct moment
moment_of(const struct history *history, uint32_t page, int64_t now_s,
    bool *is_withdrawn)
{
	uint32_t owner = history->pages[page].document;
	struct moment said = {.lastmod_s = HISTORY_NO_DATE};
	struct moment shown = said;

	if (is_withdrawn != NULL)
		*is_withdrawn = false;
	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];
		bool is_publication = event->kind == HISTORY_PUBLISHED ||
		    event->kind == HISTORY_WITHDRAWN;
		if (event->t_s > now_s)
			break;
		follow(history, event, page, &said);
		shown.is_alive = said.is_alive;
		shown.text = said.text;
		if (is_publication && event->subject == owner &&
		    is_withdrawn != NULL)
			*is_withdrawn = event->kind == HISTORY_WITHDRAWN;
		if (history->documents[owner].shows_at_once ||
		    (event->kind == HISTORY_PUBLISHED &&
			event->subject == owner))
			shown = said;
	}
	return shown;
}

static void *
oracle_new(const struct sim_setup *setup)
{
	return (void *)(uintptr_t)setup->history;
}

static void
oracle_free(void *arg)
{
	(void)arg;
}

static void
oracle_page(void *arg, int64_t now_s, uint32_t page, bool is_fetched)
{
	struct world *world = arg;

	assert_false(world->is_known[page]);
	world->is_known[page] = true;
	if (is_fetched) {
		world->held[page] = moment_of(
		    &world->history, page, now_s, NULL);
		world->is_held[page] = true;
	}
}

static void
apply(struct world *world, const struct sim_move *move)
{
	struct moment *seen = &world->seen[move->number];

	assert_true(world->is_known[move->number]);
	assert_true(seen->is_listed == (move->kind != SIM_NEW));
	if (move->kind == SIM_MOVED)
		assert_true(seen->lastmod_s != move->lastmod_s);
	seen->is_listed = move->kind != SIM_GONE;
	seen->lastmod_s = seen->is_listed ? move->lastmod_s : HISTORY_NO_DATE;
}

/* Apply the moves to what was seen before: the result must be the present
 * state. */
static void
oracle_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct world *world = arg;
	uint32_t listed = 0, dated = 0;
	bool is_now = history_dates(
			  &world->history.documents[reading->document], now_s)
			  ->dating == DATING_NOW;

	for (size_t i = 0; i < reading->move_count; i++)
		apply(world, &reading->moves[i]);
	for (uint32_t i = 0; i < PAGES; i++) {
		bool is_withdrawn;
		struct moment wanted;
		if (!is_of(&world->history, i, reading->document))
			continue;
		wanted = moment_of(&world->history, i, now_s, &is_withdrawn);
		assert_true(is_withdrawn == reading->is_failed);
		if (is_withdrawn)
			continue;
		if (is_now && wanted.is_listed)
			wanted.lastmod_s = now_s;
		assert_true(world->seen[i].is_listed == wanted.is_listed);
		if (wanted.is_listed)
			assert_true(
			    world->seen[i].lastmod_s == wanted.lastmod_s);
		listed += wanted.is_listed;
		dated += wanted.is_listed &&
		    wanted.lastmod_s != HISTORY_NO_DATE;
	}
	assert_int_equal(reading->listed, listed);
	assert_int_equal(reading->dated, dated);
}

static bool
oracle_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct world *world = arg;
	uint32_t page = random_below(&world->random, PAGES);

	if (random_unit(&world->random) < 0.5 || !world->is_known[page] ||
	    world->fetch_count == FETCHES)
		return false;
	*request = (struct sim_request){.number = page};
	world->fetches[world->fetch_count++] = (struct fetch){now_s, page};
	return true;
}

static bool
is_same(const struct moment *a, const struct moment *b)
{
	return a->is_alive == b->is_alive &&
	    (!a->is_alive || a->text == b->text);
}

static void
oracle_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct world *world = arg;
	struct moment now = moment_of(&world->history, page, now_s, NULL);
	enum sim_outcome wanted = SIM_CHANGED;

	if (!now.is_alive)
		wanted = SIM_DEAD;
	else if (world->is_held[page] && is_same(&world->held[page], &now))
		wanted = SIM_SAME;
	assert_int_equal(outcome, wanted);
	world->held[page] = now;
	world->is_held[page] = true;
}

static const struct sim_policy oracle = {.name = "oracle",
    .new = oracle_new,
    .free = oracle_free,
    .page = oracle_page,
    .reading = oracle_reading,
    .outcome = oracle_outcome,
    .next = oracle_next};

/* Add random events, at different times that are no ticks; ends of pages are
 * rare. */
static void
add_events(struct world *world)
{
	static const enum history_kind kinds[] = {HISTORY_EXISTS,
	    HISTORY_CHANGES, HISTORY_CHANGES, HISTORY_CHANGES, HISTORY_BYTES,
	    HISTORY_ENDS, HISTORY_ADDED, HISTORY_ADDED, HISTORY_REMOVED,
	    HISTORY_CLAIMS, HISTORY_CLAIMS, HISTORY_CLAIMS_ALL,
	    HISTORY_PUBLISHED, HISTORY_PUBLISHED, HISTORY_PUBLISHED,
	    HISTORY_PUBLISHED, HISTORY_WITHDRAWN};

	for (uint32_t i = 0; i < EVENTS; i++) {
		enum history_kind kind =
		    kinds[random_below(&world->random, COUNT(kinds))];
		struct history_event event = {.kind = (uint8_t)kind,
		    .t_s = (int64_t)random_below(
			       &world->random, 7 * D / EVENTS) *
			    EVENTS +
			i - D,
		    .text = random_below(&world->random, 3),
		    .subject = random_below(&world->random,
			kind >= HISTORY_CLAIMS_ALL ? DOCUMENTS : PAGES)};
		if (event.t_s % 3600 != 0)
			history_add(&world->history, &event);
	}
}

static void
make(struct world *world, uint64_t seed)
{
	struct history *history = &world->history;

	*world = (struct world){.fetch_count = 0};
	random_init(&world->random, seed, 0);
	history_init(history);
	history->begin_s = 0;
	history->end_s = 6 * D + random_below(&world->random, D);
	history->starts_known = seed % 2 == 0;
	(void)history_add_site(history, "a.example", 0);
	for (uint32_t i = 0; i < DOCUMENTS; i++) {
		struct history_document document = {.parent = HISTORY_NONE,
		    .cost = 1,
		    .shows_at_once = random_below(&world->random, 2) == 0,
		    .turn_s = random_below(&world->random, 8 * D)};
		if (random_below(&world->random, 3) == 0)
			document.dates[i].dating = DATING_NOW;
		(void)history_add_document(history, &document);
	}
	for (uint32_t i = 0; i < PAGES; i++)
		(void)history_add_page(history,
		    &(struct history_page){
			.document = i % DOCUMENTS, .weight = (float)(1 + i)});
	for (uint32_t i = 0; i < PAGES; i++) {
		struct history_event event = {.t_s = -D, .subject = i};
		event.kind = HISTORY_EXISTS;
		history_add(history, &event);
		event.kind = HISTORY_ADDED;
		history_add(history, &event);
	}
	add_events(world);
	history_sort(history);
	for (uint32_t i = 0; i < PAGES; i++)
		world->seen[i].lastmod_s = HISTORY_NO_DATE;
}

/* Of one page: its sums until `to`, between two moments at which something
 * happened. */
struct sums {
	double weight, fresh, age, since;
	bool is_stale;
};

static void
add_span(const struct world *world, uint32_t page, double from, double to,
    struct sums *sums)
{
	int64_t at_s = (int64_t)floor(from * D + 0.5);
	struct moment now = moment_of(&world->history, page, at_s, NULL);
	struct moment held = {0};
	bool is_held = false;
	bool is_stale;
	double weight = (double)world->history.pages[page].weight;

	if (world->history.starts_known) {
		held = moment_of(&world->history, page, 0, NULL);
		is_held = held.is_listed;
	}
	for (size_t i = 0; i < world->fetch_count; i++) {
		const struct fetch *fetch = &world->fetches[i];
		if (fetch->page != page || fetch->t_s > at_s)
			continue;
		held = moment_of(&world->history, page, fetch->t_s, NULL);
		is_held = true;
	}
	is_stale = now.is_listed && !(is_held && is_same(&held, &now));
	if (is_stale && !sums->is_stale)
		sums->since = from;
	sums->is_stale = is_stale;
	if (!now.is_listed)
		return;
	sums->weight += weight * (to - from);
	if (is_stale)
		sums->age += weight * (to - from) *
		    ((from + to) / 2 - sums->since);
	else
		sums->fresh += weight * (to - from);
}

static int
order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* All times at which something may change, in days, sorted; ends with the
 * end. */
static size_t
times_of(const struct world *world, double *times)
{
	double end = (double)world->history.end_s / D;
	size_t count = 0;

	times[count++] = 0;
	times[count++] = end;
	for (size_t i = 0; i < world->history.event_count; i++) {
		double at = (double)world->history.events[i].t_s / D;
		if (at > 0 && at < end)
			times[count++] = at;
	}
	for (size_t i = 0; i < world->fetch_count; i++)
		times[count++] = (double)world->fetches[i].t_s / D;
	qsort(times, count, sizeof(*times), order);
	return count;
}

static void
check_sums(const struct world *world, const struct sim_result *result)
{
	double times[EVENTS + 2 * PAGES + FETCHES + 2];
	size_t count = times_of(world, times);
	struct sums total = {0};
	double weight = 0, fresh = 0, age = 0;

	for (uint32_t page = 0; page < PAGES; page++) {
		struct sums sums = {0};
		for (size_t i = 0; i + 1 < count; i++) {
			if (times[i] < times[i + 1])
				add_span(
				    world, page, times[i], times[i + 1], &sums);
		}
		total.weight += sums.weight;
		total.fresh += sums.fresh;
		total.age += sums.age;
	}
	for (size_t i = 0; i < result->day_count; i++) {
		weight += result->days[i].weight;
		fresh += result->days[i].fresh;
		age += result->days[i].age;
	}
	assert_close(weight, total.weight, 1e-6);
	assert_close(fresh, total.fresh, 1e-6);
	assert_close(age, total.age, 1e-6);
}

static void
test_oracle(void **state)
{
	struct sim_options options = sim_options_default();

	options.requests_per_day = 40;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct world world;
		struct sim_result result;
		make(&world, seed);
		options.read_every_s = seed % 3 == 0 ? 3600 : 6 * 3600;
		sim_run(&result, &oracle, &world.history, &options);
		check_sums(&world, &result);
		for (size_t i = 0; i < result.delay_count; i++)
			assert_true(result.delays[i].delay_days >= 0);
		sim_result_release(&result);
		history_release(&world.history);
	}
}

UNIT_TESTS(sim_oracle, cmocka_unit_test(test_oracle));
