/* Children of an index: its dates are evidence, not commands, and what they do
 * not tell is found out by reading now and then. */
#include "tests/fixtures/scheduler_fixture.h"

#include "base/buf.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "sched/scheduler_state.h"

enum { INDEX, TOLD, UNTOLD, STILL, CHILDREN, PAGES = 8, DAYS = 240, WARM = 60 };

/* A page of each child that changes does so once in so many days. */
static const int every_days[CHILDREN] = {0, 1, 2, 0};

struct play {
	struct bench b;
	int64_t changed_s[CHILDREN]; /* of a page of it: the latest */
	int64_t read_s[CHILDREN];
	int64_t stale_s[CHILDREN * PAGES]; /* its change; 0: it is fetched */
	int turn[CHILDREN]; /* the page that changes next */
	int by_value[CHILDREN]; /* readings after the warm days */
	bool knows[CHILDREN]; /* the index has told of its latest change */
};

static uint32_t
page_of(uint32_t child, int place)
{
	return (child - 1) * PAGES + (uint32_t)place;
}

static void
open_play(struct play *play)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_site site = scheduler_site_default();

	*play = (struct play){0};
	options.requests_per_hour = 1;
	bench_open(&play->b, &options);
	site.reading_ceiling_s = 0;
	site.page_ceiling_s = 0;
	(void)scheduler_add_site(play->b.s, &site);
	(void)add_document(&play->b, SCHEDULER_NONE, "/index.xml");
	(void)add_document(&play->b, INDEX, "/told.xml");
	(void)add_document(&play->b, INDEX, "/untold.xml");
	(void)add_document(&play->b, INDEX, "/still.xml");
	for (uint32_t child = TOLD; child < CHILDREN; child++)
		for (int i = 0; i < PAGES; i++)
			(void)scheduler_add_page(play->b.s,
			    &(struct scheduler_page){.document = child,
				.weight = 1,
				.lastmod_s = T0 - DAY,
				.fetched_s = T0},
			    T0);
}

static void
change(struct play *play, int64_t day)
{
	for (uint32_t child = TOLD; child < CHILDREN; child++) {
		if (every_days[child] == 0 || day % every_days[child] != 0)
			continue;
		int place = play->turn[child]++ % PAGES;
		play->stale_s[page_of(child, place)] = play->b.now_s;
		play->changed_s[child] = play->b.now_s;
		play->knows[child] = false;
	}
}

static void
read_index(struct play *play)
{
	bool is_new = !play->knows[TOLD] && play->changed_s[TOLD] > 0;

	read_document(&play->b, INDEX, CHILDREN - 1, is_new);
	if (is_new)
		scheduler_child_signal(play->b.s, TOLD,
		    &(struct scheduler_signal){.kind = SIGNAL_MOVED,
			.lastmod_s = play->changed_s[TOLD]});
	play->knows[TOLD] = true;
}

/* Pages that changed since the reading before have moved; dates are right. */
static void
read_child(struct play *play, uint32_t child)
{
	uint32_t moved = 0;

	for (int i = 0; i < PAGES; i++)
		moved += play->stale_s[page_of(child, i)] > play->read_s[child];
	read_document(&play->b, child, PAGES, moved);
	for (int i = 0; i < PAGES; i++) {
		uint32_t page = page_of(child, i);
		if (play->stale_s[page] > play->read_s[child])
			move(&play->b, page, play->stale_s[page]);
	}
	play->read_s[child] = play->b.now_s;
}

static void
ask(struct play *play, int64_t day)
{
	struct scheduler_choice *choice = &play->b.choice;

	while (scheduler_next(play->b.s, play->b.now_s, choice)) {
		if (choice->kind == SCHEDULER_PAGE) {
			int64_t *stale_s = &play->stale_s[choice->number];
			answer(&play->b, choice->number,
			    *stale_s > 0 ? FETCH_CHANGED : FETCH_SAME);
			*stale_s = 0;
			continue;
		}
		play->by_value[choice->number] += day >= WARM &&
		    choice->reason == REASON_VALUE;
		if (choice->number == INDEX)
			read_index(play);
		else
			read_child(play, choice->number);
	}
}

static void
run_play(struct play *play, int days)
{
	open_play(play);
	for (int64_t hour = 0; hour < days * 24; hour++) {
		play->b.now_s = T0 + hour * HOUR;
		if (hour % 24 == 0)
			change(play, hour / 24);
		ask(play, hour / 24);
	}
}

static void
test_sampled(void **state)
{
	struct play play;

	(void)state;
	run_play(&play, DAYS);
	/* The one whose date moves is read for it; the one that changes and
	 * is never told of is found out, and read by its own pace; the one
	 * that does not change is sampled, and no ceiling asks for that. */
	assert_true(play.by_value[TOLD] > 2 * play.by_value[UNTOLD]);
	assert_true(play.by_value[UNTOLD] > 4 * play.by_value[STILL]);
	assert_true(play.by_value[UNTOLD] > (DAYS - WARM) / 8);
	assert_true(play.by_value[STILL] >= 2 && play.by_value[STILL] < 20);
	scheduler_free(play.b.s);
}

/* Every record, in an order in which it can be believed. */
static void
save_all(const struct scheduler *s, struct buf *records)
{
	scheduler_save_all(s, &records[0]);
	scheduler_save_site(s, 0, &records[1]);
	for (uint32_t i = 0; i < CHILDREN; i++)
		scheduler_save_document(s, i, &records[2 + i]);
	for (uint32_t i = 0; i < (CHILDREN - 1) * PAGES; i++)
		scheduler_save_page(s, i, &records[2 + CHILDREN + i]);
}

/* What was learned in months, one index deep, is kept to the last bit. */
static void
test_kept(void **state)
{
	enum { RECORDS = 2 + CHILDREN + (CHILDREN - 1) * PAGES };
	struct buf records[2][RECORDS];
	struct play learned, fresh;

	(void)state;
	run_play(&learned, WARM);
	open_play(&fresh);
	for (int i = 0; i < RECORDS; i++) {
		buf_init(&records[0][i], 100000);
		buf_init(&records[1][i], 100000);
	}
	/* what is owed is as of now */
	(void)scheduler_due_s(fresh.b.s, learned.b.now_s);
	save_all(learned.b.s, records[0]);
	assert_true(scheduler_load_all(fresh.b.s, buf_text(&records[0][0])));
	assert_true(
	    scheduler_load_site(fresh.b.s, 0, buf_text(&records[0][1])));
	for (uint32_t i = 0; i < CHILDREN; i++)
		assert_true(scheduler_load_document(
		    fresh.b.s, i, buf_text(&records[0][2 + i])));
	for (uint32_t i = 0; i < (CHILDREN - 1) * PAGES; i++)
		assert_true(scheduler_load_page(
		    fresh.b.s, i, buf_text(&records[0][2 + CHILDREN + i])));
	save_all(fresh.b.s, records[1]);
	for (int i = 0; i < RECORDS; i++) {
		assert_true(slice_equal(
		    buf_text(&records[0][i]), buf_text(&records[1][i])));
		buf_release(&records[0][i]);
		buf_release(&records[1][i]);
	}
	scheduler_free(learned.b.s);
	scheduler_free(fresh.b.s);
}

/* When a document whose dates deceive is read because it is late, in minutes
 * after its last reading; its dates are believed again then. */
static int64_t
late_at(int64_t believed_s)
{
	struct scheduler_options options = scheduler_options_default();
	struct scheduler_site is = scheduler_site_default();
	struct bench b;

	options.is_scarce = true;
	bench_open(&b, &options);
	is.reading_ceiling_s = DAY;
	(void)scheduler_add_site(b.s, &is);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	b.s->sources.items[0].readings = 10;
	read_document(&b, 0, 10, 0);
	b.s->sources.items[0].trust.is_gated = true;
	do {
		b.now_s += 60;
		set_level(&b, 1e9);
		if (b.now_s - T0 >= believed_s)
			b.s->sources.items[0].trust.is_gated = false;
	} while (!scheduler_next(b.s, b.now_s, &b.choice));
	assert_int_equal(b.choice.reason, REASON_CEILING);
	scheduler_free(b.s);
	return (b.now_s - T0) / 60;
}

/* Three times as late as another, and not a day more; and within the hour if
 * they are believed again meanwhile. */
static void
test_late_and_deceiving(void **state)
{
	(void)state;
	assert_in_range(late_at(9 * DAY), 3 * DAY / 60, 3 * DAY / 60 + 2);
	assert_in_range(
	    late_at(2 * DAY - 60), 2 * DAY / 60 - 1, 2 * DAY / 60 + 61);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_late_and_deceiving),
	    cmocka_unit_test(test_sampled),
	    cmocka_unit_test(test_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
