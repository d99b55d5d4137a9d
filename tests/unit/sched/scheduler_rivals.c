/* Pages and documents that are asked for apart, and share what their host, or
 * the operator, allows. */
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/fixtures/scheduler_fixture.h"

enum {
	PAGES = 2000,
	DAYS = 20,
	PER_HOUR = 12,
	BUDGET = DAYS * 24 * PER_HOUR,
	MINUTES = DAYS * 24 * 60
};

struct counts {
	int pages, documents, asked;
	int64_t latest_s; /* of a document, after it was due */
};

/* As a daemon and a follower do: each asks when it was told to, and then for
 * all there is.  They come in this order, or not at all. */
struct play {
	unsigned order[2]; /* SCHEDULER_WANTS_; 0: nobody */
	int documents;
	int64_t every_s; /* between readings of one */
	double cost; /* of a reading, in page fetches */
	bool is_host_limited; /* else all together are */
};

static void
tell(struct bench *b, struct counts *counts, const struct play *play)
{
	int64_t late_s;

	if (b->choice.kind == SCHEDULER_PAGE) {
		counts->pages++;
		answer(b, b->choice.number,
		    b->choice.number % 3 == 0 ? FETCH_CHANGED : FETCH_SAME);
		return;
	}
	late_s = b->now_s - b->s->sources.items[b->choice.number].read_s -
	    play->every_s;
	if (b->choice.reason != REASON_NEW && late_s > counts->latest_s)
		counts->latest_s = late_s;
	counts->documents++;
	scheduler_reading(b->s, b->choice.number,
	    &(struct scheduler_reading){.now_s = b->now_s,
		.listed = PAGES,
		.dated = PAGES,
		.is_unchanged = true,
		.cost = play->cost});
}

static void
open_play(struct bench *b, const struct play *play)
{
	struct scheduler_site is = scheduler_site_default();
	struct scheduler_options options = scheduler_options_default();

	options.asks_apart = true;
	if (!play->is_host_limited)
		options.requests_per_hour = PER_HOUR;
	bench_open(b, &options);
	if (play->is_host_limited)
		scheduler_set_host(b->s, 0,
		    &(struct scheduler_host){
			.requests_per_hour = PER_HOUR, .burst_ms = 1});
	is.reading_floor_s = is.reading_ceiling_s = play->every_s;
	(void)scheduler_add_site(b->s, &is);
	for (int i = 0; i < play->documents; i++)
		(void)add_document(b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < PAGES; i++)
		(void)add_page(b, 1, i % 2 == 0 ? 0 : 30 * DAY);
}

static struct counts
live(const struct play *play)
{
	struct counts counts = {0};
	int64_t next_s[2] = {T0, T0}, next;
	struct bench b;

	open_play(&b, play);
	while (b.now_s < T0 + DAYS * DAY) {
		for (int i = 0; i < 2; i++) {
			if (play->order[i] == 0 || next_s[i] > b.now_s)
				continue;
			counts.asked++;
			while (scheduler_next_of(
			    b.s, b.now_s, play->order[i], &b.choice))
				tell(&b, &counts, play);
		}
		for (int i = 0; i < 2; i++)
			next_s[i] = play->order[i] == 0
			    ? INT64_MAX
			    : scheduler_due_of_s(b.s, b.now_s, play->order[i]);
		next = next_s[0] < next_s[1] ? next_s[0] : next_s[1];
		b.now_s = next > b.now_s ? next : b.now_s + 1;
	}
	scheduler_free(b.s);
	return counts;
}

#define P SCHEDULER_KINDS_PAGES
#define D SCHEDULER_KINDS_DOCUMENTS

/* A document whose time has come goes before pages, whoever comes first, and
 * the pages have the rest. */
static void
test_due_first(void **state)
{
	static const unsigned orders[][2] = {{P, D}, {D, P}};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct play play = {
		    .order = {orders[i % 2][0], orders[i % 2][1]},
		    .documents = 1,
		    .every_s = 6 * HOUR,
		    /* a host counts requests */
		    .cost = i < 2 ? 10 : 1,
		    .is_host_limited = i < 2};
		struct counts counts = live(&play);

		assert_in_range(counts.documents, DAYS * 4 - 1, DAYS * 4 + 1);
		assert_in_range(counts.latest_s, 0, 600);
		assert_in_range(counts.pages + counts.documents,
		    BUDGET * 97 / 100, BUDGET * 101 / 100);
		assert_in_range(counts.asked, 0, MINUTES + 2 * BUDGET);
	}
}

/* More documents than there is budget for leave half of it to the pages. */
static void
test_half(void **state)
{
	static const unsigned orders[][2] = {{P, D}, {D, P}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct play play = {.order = {orders[i][0], orders[i][1]},
		    .documents = 60,
		    .every_s = 600,
		    .is_host_limited = true};
		struct counts counts = live(&play);

		assert_in_range(
		    counts.pages, BUDGET * 49 / 100, BUDGET * 51 / 100);
		assert_in_range(
		    counts.documents, BUDGET * 49 / 100, BUDGET * 51 / 100);
		assert_in_range(counts.asked, 0, MINUTES + 2 * BUDGET);
	}
}

/* Who is alone has all of it. */
static void
test_alone(void **state)
{
	struct play play = {
	    .documents = 60, .every_s = 600, .is_host_limited = true};
	struct counts counts;

	(void)state;
	play.order[0] = P;
	counts = live(&play);
	assert_in_range(counts.pages, BUDGET * 98 / 100, BUDGET * 101 / 100);
	play.order[0] = D;
	counts = live(&play);
	assert_in_range(
	    counts.documents, BUDGET * 98 / 100, BUDGET * 101 / 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_due_first),
	    cmocka_unit_test(test_half),
	    cmocka_unit_test(test_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
