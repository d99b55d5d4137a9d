/* The scheduler: pages that go from one document to another. */
#include "tests/fixtures/scheduler_fixture.h"

#include "sched/scheduler_explain.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"

static double
precision_of(struct bench *bench, uint32_t page)
{
	struct scheduler_terms terms;

	scheduler_explain_page(bench->s, page, bench->now_s, &terms);
	return terms.precision;
}

/* A day later the first document dates its first page anew. */
static void
tell_move(struct bench *bench)
{
	bench->now_s += DAY;
	read_document(bench, 0, 10, 1);
	move(bench, 0, bench->now_s - HOUR);
}

/* How many pages a document has. */
static int
pages_of(struct bench *bench, uint32_t document)
{
	int count = 0;

	for (uint32_t page = source_first_page(&bench->s->pages, document);
	     page != 0; page = bench->s->pages.items[page - 1].next) {
		assert_int_equal(
		    bench->s->pages.items[page - 1].document, document);
		count++;
	}
	return count;
}

/* A page that another document lists now has what is believed of that one. */
static void
test_rehome(void **state)
{
	struct scheduler_page other = {.document = 1, .weight = 1};
	struct scheduler_options options = pages_only();
	struct bench b;
	uint32_t page;
	double lied;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < 10; i++)
		(void)add_page(&b, 1, 10 * DAY);
	read_document(&b, 0, 10, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/t.xml");
	other.lastmod_s = other.fetched_s = b.now_s - 10 * DAY;
	page = scheduler_add_page(b.s, &other, b.now_s);
	for (int i = 0; i < 20; i++) {
		tell_move(&b);
		answer(&b, 0, FETCH_SAME);
	}
	lied = precision_of(&b, 0);
	assert_true(lied < precision_of(&b, page) - 0.1);
	tell_move(&b);
	scheduler_set_document(b.s, 0, 1);
	assert_close(precision_of(&b, 0), precision_of(&b, page), 1e-12);
	assert_int_equal(b.s->pages.items[0].moves, 1);
	assert_int_equal(pages_of(&b, 0), 9);
	assert_int_equal(pages_of(&b, 1), 2);
	/* what a fetch teaches is learned of that one */
	answer(&b, 0, FETCH_SAME);
	assert_close(precision_of(&b, 1), lied, 0.05);
	scheduler_set_document(b.s, 0, 0);
	assert_int_equal(pages_of(&b, 0), 10);
	scheduler_free(b.s);
}

/* One that leaves while the pages of its document are looked at takes nobody
 * along. */
static void
test_sweep(void **state)
{
	enum { PAGES = 300 };
	struct scheduler_options options = pages_only();
	const struct sched_source *source;
	uint32_t left = 0;
	struct bench b;

	(void)state;
	bench_open(&b, &options);
	(void)add_site(&b, 0);
	(void)add_document(&b, SCHEDULER_NONE, "/s.xml");
	for (int i = 0; i < PAGES; i++)
		(void)add_page(&b, 1, 10 * DAY);
	(void)add_document(&b, SCHEDULER_NONE, "/t.xml");
	source_refresh(&b.s->pages, 0);
	(void)scheduler_next(b.s, b.now_s, &b.choice);
	source = &b.s->sources.items[0];
	assert_true(source->refresh != 0);
	scheduler_set_document(b.s, source->refresh - 1, 1);
	source_refresh(&b.s->pages, 1);
	for (uint32_t page = source->refresh; page != 0;
	     page = b.s->pages.items[page - 1].next) {
		assert_int_equal(b.s->pages.items[page - 1].document, 0);
		left++;
	}
	assert_in_range(left, PAGES / 2, PAGES);
	scheduler_free(b.s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rehome),
	    cmocka_unit_test(test_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
