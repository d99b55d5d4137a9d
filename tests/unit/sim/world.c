/* Worlds are what their options say, and the same each time. */
#include "tests/sim/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/fixture.h"
#include "tests/sim/world_options.h"

/* preset(name, seed): a preset with fewer pages, for speed. */
static struct world_options
preset(const char *name, double seed)
{
	struct world_options options = *world_preset(name);

	options.seed = seed;
	options.pages = fmin(options.pages, 4000);
	options.sites = fmin(options.sites, 100);
	return options;
}

static bool
is_same(const struct history *a, const struct history *b)
{
	if (a->event_count != b->event_count || a->page_count != b->page_count)
		return false;
	for (size_t i = 0; i < a->event_count; i++) {
		if (a->events[i].t_s != b->events[i].t_s ||
		    a->events[i].text != b->events[i].text ||
		    a->events[i].subject != b->events[i].subject ||
		    a->events[i].kind != b->events[i].kind)
			return false;
	}
	return true;
}

/* leave(history, kind): remove all events of other kinds. */
static void
leave(struct history *history, enum history_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < history->event_count; i++) {
		if (history->events[i].kind == kind)
			history->events[count++] = history->events[i];
	}
	history->event_count = count;
}

static void
test_same(void **state)
{
	size_t count;
	const struct world_options *all = world_presets(&count);

	assert_true(count >= 10);
	for (size_t i = 0; i < count; i++) {
		struct world_options options = preset(all[i].name, 7);
		struct history a, b, c;
		world_make(&a, &options);
		world_make(&b, &options);
		options.seed = 8;
		world_make(&c, &options);
		assert_true(is_same(&a, &b));
		assert_false(is_same(&a, &c));
		assert_int_equal(a.page_count, (uint32_t)options.pages);
		assert_true(
		    a.end_s - a.begin_s == (int64_t)(options.days * 86400));
		for (size_t k = 1; k < a.event_count; k++)
			assert_true(a.events[k - 1].t_s <= a.events[k].t_s);
		assert_true(a.events[0].t_s == a.begin_s);
		history_release(&a);
		history_release(&b);
		history_release(&c);
	}
}

/* SCHEDULING section 4: how a site dates must not touch what changes. */
static void
test_changes_are_independent(void **state)
{
	static const char *const names[] = {"W2", "W3", "growing", "W6"};
	struct world_options options = preset("W1", 3);
	struct history first;

	world_make(&first, &options);
	leave(&first, HISTORY_CHANGES);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct history other;
		options = preset(names[i], 3);
		options.days = 120;
		options.born = options.gone = 0;
		world_make(&other, &options);
		leave(&other, HISTORY_CHANGES);
		assert_true(is_same(&first, &other));
		history_release(&other);
	}
	history_release(&first);
}

/* The mean number of changes is the rate, whatever the gaps. */
static void
test_rates(void **state)
{
	for (int changes = 0; changes <= WORLD_BURSTY; changes++) {
		struct world_options options = preset("W1", 5);
		struct history history;
		double wanted = 0, log_sum = 0, log_square = 0;
		options.changes = changes;
		world_make(&history, &options);
		for (size_t i = 0; i < history.page_count; i++) {
			double rate = history.pages[i].changes_per_day;
			assert_true(rate >= 0.00199 && rate <= 7);
			wanted += rate * options.days;
			log_sum += log(rate) / 4000;
			log_square += log(rate) * log(rate) / 4000;
		}
		leave(&history, HISTORY_CHANGES);
		assert_close((double)history.event_count / wanted, 1,
		    changes == 1 ? 0.01 : 0.03);
		/* 100 sites: the mean varies by 0.9 / 10. */
		assert_close(log_sum, log(1.0 / 30), 0.35);
		assert_close(sqrt(log_square - log_sum * log_sum), 1.45, 0.15);
		history_release(&history);
	}
}

/* Shocks come to a site at once and leave the rates as they are. */
static void
test_shocks(void **state)
{
	struct world_options options = preset("shared", 5);
	double wanted = 0, together = 0;
	struct history history;

	world_make(&history, &options);
	for (size_t i = 0; i < history.page_count; i++)
		wanted += (double)history.pages[i].changes_per_day * 120;
	leave(&history, HISTORY_CHANGES);
	for (size_t i = 1; i < history.event_count; i++)
		together += history.events[i].t_s == history.events[i - 1].t_s;
	/* One site's shocks are few: the sum varies with them. */
	assert_close((double)history.event_count / wanted, 1, 0.1);
	assert_in_range(together, 0.2 * wanted, 0.5 * wanted);
	history_release(&history);
	options.shared = 0;
	world_make(&history, &options);
	leave(&history, HISTORY_CHANGES);
	together = 0;
	for (size_t i = 1; i < history.event_count; i++)
		together += history.events[i].t_s == history.events[i - 1].t_s;
	assert_true(together < 0.01 * wanted);
	history_release(&history);
}

/* Periodic gaps are near their mean, bursty ones are not. */
static void
test_gaps(void **state)
{
	double variation[3];

	for (int changes = 0; changes <= WORLD_BURSTY; changes++) {
		struct world_options options = preset("W1", 5);
		struct history history;
		double last = 0, sum = 0, square = 0;
		options.changes = changes;
		options.pages = options.sites = 1;
		options.slowest = options.fastest = 1;
		options.days = 3000;
		world_make(&history, &options);
		leave(&history, HISTORY_CHANGES);
		for (size_t i = 0; i < history.event_count; i++) {
			double at = (double)(history.events[i].t_s -
					history.begin_s) /
			    86400;
			sum += at - last;
			square += (at - last) * (at - last);
			last = at;
		}
		sum /= (double)history.event_count;
		square /= (double)history.event_count;
		variation[changes] = sqrt(square - sum * sum) / sum;
		history_release(&history);
	}
	assert_close(variation[WORLD_POISSON], 1, 0.06);
	assert_close(variation[WORLD_PERIODIC], 0.2 / sqrt(3), 0.01);
	/* Second moment 0.8 x 2 / 25 + 0.2 x 2 x 4.2^2 = 7.12. */
	assert_close(variation[WORLD_BURSTY], sqrt(6.12), 0.25);
}

static void
test_shares(void **state)
{
	struct world_options options = preset("W1", 1);
	unsigned sites[WORLD_PARTS] = {0};
	struct history history;

	world_make(&history, &options);
	assert_int_equal(history.class_count, WORLD_PARTS);
	for (size_t i = 0; i < history.site_count; i++)
		sites[history.sites[i].class]++;
	assert_int_equal(sites[WORLD_NONE], 25);
	assert_int_equal(sites[WORLD_NOW], 15);
	assert_int_equal(sites[WORLD_DEPLOY], 12);
	assert_int_equal(sites[WORLD_FAIR], 0);
	history_release(&history);
	options = preset("W6", 1);
	options.sites = 400;
	memset(sites, 0, sizeof(sites));
	world_make(&history, &options);
	for (size_t i = 0; i < history.site_count; i++)
		sites[history.sites[i].class]++;
	/* Of 154 good ones 31 and 31, of 18 always-now 5. */
	assert_int_equal(sites[WORLD_TURNS_STALE], 31);
	assert_int_equal(sites[WORLD_TURNS_NOW], 31);
	assert_int_equal(sites[WORLD_TURNS_GOOD], 5);
	assert_int_equal(sites[WORLD_NOW], 13);
	history_release(&history);
}

/* What the dates of one document did, counted from its events. */
struct tally {
	unsigned changes, claims, claimed, days;
};

static struct tally *
tally(const struct history *history)
{
	struct tally *tallies = calloc(
	    history->document_count, sizeof(*tallies));
	int64_t *last = calloc(history->page_count, sizeof(*last));

	assert_true(tallies != NULL && last != NULL);
	for (size_t i = 0; i < history->event_count; i++) {
		const struct history_event *event = &history->events[i];
		struct tally *of;
		if (event->kind != HISTORY_CHANGES &&
		    event->kind != HISTORY_CLAIMS)
			continue;
		of = &tallies[history->pages[event->subject].document];
		if (event->kind == HISTORY_CHANGES) {
			of->changes++;
			last[event->subject] = event->t_s;
		} else if (event->t_s > history->begin_s) {
			of->claims++;
			of->days += event->is_day;
			of->claimed += last[event->subject] == event->t_s;
		}
	}
	free(last);
	return tallies;
}

/* The truth that a document is said to have is what its events show. */
static void
test_honesty(void **state)
{
	struct world_options options = preset("W1", 2);
	struct history history;
	struct tally *tallies;
	unsigned checked = 0;

	options.days = 1000;
	options.shares[WORLD_FAIR] = 0.1;
	world_make(&history, &options);
	tallies = tally(&history);
	for (size_t i = 0; i < history.document_count; i++) {
		const struct history_dates *dates = &history.documents[i]
							 .dates[0];
		const struct tally *of = &tallies[i];
		if (dates->recall <= 0)
			assert_int_equal(of->claims, 0);
		if (dates->recall <= 0 || of->changes < 2000)
			continue;
		checked++;
		assert_close(
		    of->claimed / (double)of->changes, dates->recall, 0.05);
		assert_close(
		    of->claimed / (double)of->claims, dates->precision, 0.05);
		assert_int_equal(
		    of->days, dates->dating == DATING_DAY ? of->claims : 0);
	}
	assert_true(checked >= 10);
	free(tallies);
	history_release(&history);
}

/* Deploys come every seven days and touch all. */
static void
test_deploys(void **state)
{
	struct world_options options = preset("W1", 2);
	struct history history;
	unsigned count[100] = {0};

	world_make(&history, &options);
	leave(&history, HISTORY_CLAIMS_ALL);
	for (size_t i = 0; i < history.event_count; i++)
		count[history.events[i].subject]++;
	for (size_t i = 0; i < 100; i++) {
		if (history.sites[i].class == WORLD_DEPLOY)
			assert_in_range(count[i], 17, 18);
		else
			assert_int_equal(count[i], 0);
	}
	history_release(&history);
}

/* Dates that jump are no sooner than 1,000 days ago, and often ahead. */
static void
test_random_dates(void **state)
{
	struct world_options options = preset("liars", 2);
	struct history history;
	unsigned claims = 0, ahead = 0;

	world_make(&history, &options);
	for (size_t i = 0; i < history.event_count; i++) {
		const struct history_event *event = &history.events[i];
		if (event->kind != HISTORY_CLAIMS ||
		    event->t_s == history.begin_s)
			continue;
		claims++;
		ahead += event->lastmod_s > event->t_s;
		assert_in_range(event->t_s - event->lastmod_s + 30 * 86400, 0,
		    1030 * 86400);
	}
	assert_true(claims > 10000);
	assert_close((double)ahead / claims, 30.0 / 1030, 0.005);
	assert_close(world_sim(&options).failure_share, 0.02, 0);
	history_release(&history);
}

static void
test_lives(void **state)
{
	struct world_options options = preset("growing", 2);
	unsigned late = 0, ends = 0;
	struct history history;

	world_make(&history, &options);
	for (size_t i = 0; i < history.event_count; i++) {
		const struct history_event *event = &history.events[i];
		late += event->kind == HISTORY_ADDED &&
		    event->t_s > history.begin_s;
		ends += event->kind == HISTORY_ENDS;
	}
	assert_in_range(late, 1100, 1300);
	assert_in_range(ends, 330, 470);
	history_release(&history);
}

/* The dates of an index have the precision and recall that its document
 * gives. */
static void
test_index(void **state)
{
	struct world_options options = *world_preset("index");
	struct history history;
	unsigned claims = 0, indexes = 0;

	options.shares[WORLD_CORRECT] = 1;
	for (int i = 0; i < WORLD_TURNS_STALE; i++)
		options.shares[i] = i == WORLD_CORRECT;
	world_make(&history, &options);
	assert_int_equal(history.document_count, 10 * 41);
	for (size_t i = 0; i < history.document_count; i++)
		indexes += history.documents[i].parent == HISTORY_NONE;
	assert_int_equal(indexes, 10);
	for (size_t i = 0; i < history.event_count; i++)
		claims += history.events[i].kind == HISTORY_CLAIMS &&
		    history.events[i].t_s > history.begin_s;
	leave(&history, HISTORY_CHILD_CLAIMS);
	/* Recall 0.9 at precision 0.5: two moves for each of 0.9. */
	assert_close(((double)history.event_count - 400) / claims, 1.8, 0.05);
	history_release(&history);
}

UNIT_TESTS(world, cmocka_unit_test(test_same),
    cmocka_unit_test(test_changes_are_independent),
    cmocka_unit_test(test_rates), cmocka_unit_test(test_shocks),
    cmocka_unit_test(test_gaps), cmocka_unit_test(test_shares),
    cmocka_unit_test(test_honesty), cmocka_unit_test(test_deploys),
    cmocka_unit_test(test_random_dates), cmocka_unit_test(test_lives),
    cmocka_unit_test(test_index));
