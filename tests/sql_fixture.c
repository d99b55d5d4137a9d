/* Queries, and a small store to ask. */
#include "tests/sql_fixture.h"

#include "store/learned.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/request_log.h"
#include "store/sql/sql.h"
#include "store/watch.h"
#include "tests/unit/fixture.h"

/* ask(path, query, out): "a|b\n" for each row, NULL as "-"; "wrong: why". */
const char *
ask(const char *path, const char *query, struct buf *out)
{
	struct store *store = open_at(path, true);
	struct sql *sql;
	struct buf why;

	buf_clear(out);
	buf_init(&why, SIZE_MAX);
	enum sql_result result = sql_begin(store, slice_of(query), &sql, &why);
	if (result == SQL_IS_DONE)
		result = sql_step(sql, &why);
	for (; result == SQL_IS_ROW; result = sql_step(sql, &why)) {
		for (int i = 0; i < sql_columns(sql); i++) {
			struct sql_value value = sql_value(sql, i);

			if (i > 0)
				(void)buf_put_char(out, '|');
			(void)buf_put_slice(out,
			    value.type == SQL_IS_NULL ? slice_of("-")
						      : value.text);
		}
		(void)buf_put_char(out, '\n');
	}
	if (result == SQL_IS_WRONG)
		(void)buf_print(out, "wrong: %s\n", buf_str(&why));
	if (result == SQL_IS_FAILED)
		(void)buf_print(out, "%s: %s\n", diag_name(sql_failure(sql)),
		    buf_str(&why));
	sql_end(sql);
	store_close(store);
	buf_release(&why);
	return buf_str(out);
}

void
assert_answers(const char *path, const struct answer *answers, size_t count)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < count; i++) {
		const char *rows = ask(path, answers[i].query, &out);

		if (strcmp(rows, answers[i].rows) != 0)
			fail_msg("%s\n%s", answers[i].query, rows);
	}
	buf_release(&out);
}

/* numbered(from, to): "p00001 p00002 ..."; owned. */
char *
numbered(unsigned from, unsigned to)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (unsigned i = from; i < to; i++)
		(void)buf_print(&out, "p%05u ", i);
	return buf_take(&out);
}

/* A watched site with two pages: one is handed out, one was answered. */
static void
fill_pages(struct store *s, int64_t document_id)
{
	struct watch watch;
	int64_t a = store_page_add(s, document_id, slice_of(HOST_TEXT "a"));
	int64_t b = store_page_add(s, document_id, slice_of(HOST_TEXT "b"));

	watch_init(&watch);
	watch.site_id = store_site(s, slice_of("h.test"));
	watch.added_s = AT;
	watch.every_least_s = 60;
	strings_add(&watch.tags, slice_of("mine"));
	store_watch_put(s, &watch);
	store_tag_budget_put(s, "mine", 2.5);
	watch_release(&watch);
	store_page_told(s, a,
	    &(struct page_told){.has_lastmod = true,
		.is_day = true,
		.is_listed = true,
		.lastmod_s = DAY_0});
	store_outcome(s,
	    &(struct outcome_row){.page_id = a,
		.number = store_lease(s, a, AT, AT + 60),
		.at_s = AT + 5,
		.kind = PAGE_CHANGED,
		.status = 200,
		.has_hash = true,
		.hash = 0xab});
	(void)store_lease(s, b, AT, AT + 60);
	store_hold(
	    s, slice_of("i.test"), (struct hold_times){.all_s = AT + 600});
}

/* A small store: an index with two children, of which one changes, and is
 * re-dated. */
void
fill(struct store *s)
{
	struct date date = date_of_day(9);
	int64_t index = document_make(s, "h.test", HOST_TEXT "index.xml");
	int64_t a = document_make(s, "h.test", HOST_TEXT "a.xml");
	int64_t b = document_make(s, "i.test", "http://i.test/b.xml");

	store_link(s, index, a, &date);
	struct reading *reading = reading_make(
	    s, index, AT + 100, COMPLETE, "a.xml:9");
	reading->content.kind = KIND_INDEX;
	(void)submit(s, reading);
	(void)submit(s, reading_make(s, a, AT + 200, COMPLETE, "A a:1 b:2 c"));
	(void)submit(s, reading_make(s, b, AT + 300, COMPLETE, "x y:5"));
	reading = reading_make(s, a, AT + 400, COMPLETE, "a:3 b:2 d:4");
	findings_add(
	    &reading->content.findings, DIAG_INVALID_URL, 5, slice_of("::"));
	findings_add(
	    &reading->content.findings, DIAG_INVALID_URL, 6, slice_of("//"));
	(void)submit(s, reading);
	(void)submit(s, reading_make(s, b, AT + 500, UNCHANGED, ""));
	date = date_of_day(10);
	store_links_begin(s, index);
	store_link(s, index, a, &date);
	reading = reading_make(s, index, AT + 600, COMPLETE, "a.xml:10");
	reading->content.kind = KIND_INDEX;
	(void)submit(s, reading);
	struct slice named = slice_of(HOST_TEXT "index.xml");
	uint32_t line = 3;
	store_request_log_add(s, slice_of("h.test"),
	    &(struct request_log_note){.minute_s = 60,
		.last_s = 62,
		.requests = 2,
		.least_gap_ms = 1500,
		.delay_ms = 1000});
	store_robots(s,
	    &(struct robots_fact){.origin = slice_of("http://h.test"),
		.fetched_s = AT + 90,
		.expires_s = AT + 190,
		.status = 200,
		.sitemaps = &named,
		.lines = &line,
		.sitemap_count = 1});
	fill_pages(s, a);
	assert_int_equal(store_flush(s), DIAG_OK);
}
