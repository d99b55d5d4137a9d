/* crawler/feed/feed_batch.c: what a consumer is told, and when. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <string.h>

#include "base/profile.h"
#include "crawler/feed/feed_batch.h"
#include "store/feed.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/proof.h"
#include "store/prune.h"
#include "store/reach.h"
#include "store/watch.h"
#include "tests/fixtures/store_fixture.h"

/* A store with sites, and a consumer. */
struct tried {
	struct world world;
	int64_t now_s;
	uint32_t limit;
	const char *tags;
	const char *location; /* of redirects that are reported; NULL: none */
	struct buf out;
	struct buf cursor; /* behind the last batch */
	bool has_more;
};

static int
tried_setup(void **state)
{
	struct tried *tried = mem_zero(sizeof(*tried));

	*tried = (struct tried){.now_s = DAY_0, .limit = 1000, .tags = ""};
	world_open(&tried->world);
	buf_init(&tried->out, SIZE_MAX);
	buf_init(&tried->cursor, SIZE_MAX);
	*state = tried;
	return 0;
}

static int
tried_teardown(void **state)
{
	struct tried *tried = *state;

	buf_release(&tried->out);
	buf_release(&tried->cursor);
	world_close(&tried->world);
	free(tried);
	return 0;
}

/* An hour later, read a document of the site. */
static void
read_as(struct tried *tried, const char *host, const char *name, enum how how,
    const char *listed)
{
	struct store *store = tried->world.store;
	char url[64];

	(void)snprintf(url, sizeof(url), HOST_TEXT "%s.xml", name);
	tried->now_s += HOUR_S;
	(void)read_at(
	    store, document_make(store, host, url), tried->now_s, how, listed);
}

static void
read_of(struct tried *tried, const char *name, const char *listed)
{
	read_as(tried, "h.test", name, COMPLETE, listed);
}

/* A good answer with a robots.txt. */
static void
robots_of(struct tried *tried, const char *origin, const char *body)
{
	struct robots_fact fact = {.origin = slice_of(origin),
	    .fetched_s = tried->now_s += HOUR_S,
	    .expires_s = tried->now_s + DAY_S,
	    .status = 200,
	    .body = slice_of(body),
	    .has_body = true};

	(void)store_robots(tried->world.store, &fact);
	assert_int_equal(store_flush(tried->world.store), DIAG_OK);
}

static void
robots(struct tried *tried, const char *body)
{
	robots_of(tried, "http://h.test", body);
}

static void
report(struct tried *tried, const char *url, enum page_outcome kind,
    bool is_noindex)
{
	struct store *store = tried->world.store;
	struct outcome_row row = {
	    .page_id = store_page_add(store,
		document_make(store, "h.test", HOST_TEXT "a.xml"),
		slice_of(url)),
	    .at_s = tried->now_s += HOUR_S,
	    .kind = kind,
	    .location = slice_of(
		tried->location != NULL ? tried->location : ""),
	    .is_noindex = is_noindex};

	store_outcome(store, NULL, &row);
	assert_int_equal(store_flush(store), DIAG_OK);
}

static bool
on_page(void *arg, const struct feed_page *page)
{
	struct tried *tried = arg;

	(void)buf_print(&tried->out, "%s%s", tried->out.len > 0 ? " " : "",
	    page->is_delete ? "-" : "+");
	put_name(&tried->out, page->url);
	put_day(&tried->out, &page->lastmod);
	(void)buf_print(&tried->out, ":%s", page->why);
	if (!page->is_delete && page->believed < 1)
		(void)buf_print(&tried->out, "/%.2f", page->believed);
	if (page->is_outside)
		(void)buf_print(&tried->out, "?");
	return true;
}

static void
consumer_of(struct tried *tried, struct feed_consumer *consumer)
{
	struct store *store = tried->world.store;

	if (!store_feed_get(store, slice_of("x"), consumer)) {
		store_feed_make(
		    store, slice_of("x"), slice_of(tried->tags), tried->now_s);
		assert_int_equal(store_flush(store), DIAG_OK);
		assert_true(store_feed_get(store, slice_of("x"), consumer));
	}
}

/* The next batch as text: "!new +a:snapshot -b:gone". */
static const char *
batch(struct tried *tried)
{
	struct feed_consumer consumer;
	struct feed_batch *batch;
	const char *reset;
	struct feed_options options;
	struct store *snapshot;

	consumer_of(tried, &consumer);
	snapshot = store_snapshot(tried->world.store);
	options = (struct feed_options){
	    .store = snapshot, .consumer = &consumer, .limit = tried->limit};
	buf_clear(&tried->out);
	buf_clear(&tried->cursor);
	assert_true(feed_batch_new(&options, &batch, &reset));
	if (reset != NULL)
		(void)buf_print(&tried->out, "!%s", reset);
	assert_true(feed_batch_run(
	    batch, on_page, tried, &tried->cursor, &tried->has_more));
	feed_batch_free(batch);
	store_close(snapshot);
	feed_consumer_release(&consumer);
	return buf_str(&tried->out);
}

static void
ack(struct tried *tried)
{
	struct feed_consumer consumer;

	consumer_of(tried, &consumer);
	assert_true(feed_ack(tried->world.store, &consumer,
	    buf_text(&tried->cursor), tried->now_s));
	assert_int_equal(store_flush(tried->world.store), DIAG_OK);
	feed_consumer_release(&consumer);
}

/* The next batch, without more behind it, is this, and is acknowledged. */
static void
assert_told(struct tried *tried, const char *expected)
{
	assert_string_equal(batch(tried), expected);
	assert_false(tried->has_more);
	ack(tried);
}

/* The next batch, with more behind it, is this, and is acknowledged. */
static void
assert_more(struct tried *tried, const char *expected)
{
	assert_string_equal(batch(tried), expected);
	assert_true(tried->has_more);
	ack(tried);
}

/* tried_test(test): a test of cmocka whose *state is a store with a consumer.
 */
#define tried_test(test) \
	cmocka_unit_test_setup_teardown(test, tried_setup, tried_teardown)

/* A snapshot, then what came, changed and went; what is not acknowledged comes
 * again. */
static void
test_changes(void **state)
{
	struct tried *tried = *state;

	read_of(tried, "a", "a:1 b c");
	assert_string_equal(
	    batch(tried), "!new +a:1:snapshot +b:snapshot +c:snapshot");
	assert_told(tried, "!new +a:1:snapshot +b:snapshot +c:snapshot");
	assert_told(tried, "");
	read_of(tried, "a", "a:2 b d");
	assert_string_equal(batch(tried), "+a:2:lastmod +d:new");
	/* c was missed once: it is not gone yet */
	assert_told(tried, "+a:2:lastmod +d:new");
	read_of(tried, "a", "a:2 b d");
	assert_told(tried, "-c:gone");
	read_of(tried, "a", "a:2 b c d");
	assert_told(tried, "+c:new");
	read_of(tried, "a", "b c d");
	read_of(tried, "a", "a:2 b c d");
	assert_told(tried, "+a:2:returned");
	/* a page that came and went between two batches */
	read_of(tried, "a", "a:2 b c d e");
	read_of(tried, "a", "a:2 b c d");
	read_of(tried, "a", "a:2 b c d");
	assert_told(tried, "-e:gone");
}

/* Nothing is deleted because of a reading that failed or is partial. */
static void
test_failures(void **state)
{
	static const enum how bad[] = {FAILED, UNREADABLE, REFUSED, ABSENT};
	struct tried *tried = *state;

	read_of(tried, "a", "a b c");
	assert_told(tried, "!new +a:snapshot +b:snapshot +c:snapshot");
	for (size_t i = 0; i < COUNT(bad); i++) {
		read_as(tried, "h.test", "a", bad[i], "");
		read_as(tried, "h.test", "a", bad[i], "");
		assert_told(tried, "");
	}
	read_as(tried, "h.test", "a", PARTIAL, "a");
	read_as(tried, "h.test", "a", PARTIAL, "a d");
	assert_told(tried, "+d:new");
	read_as(tried, "h.test", "a", HELD, "=a =b =c =d");
	assert_told(tried, "");
}

/* A page in two sitemaps is deleted when the last one has lost it. */
static void
test_two_sitemaps(void **state)
{
	struct tried *tried = *state;

	read_of(tried, "a", "a b");
	assert_told(tried, "!new +a:snapshot +b:snapshot");
	/* the sitemap is split: its page is not new in the other one */
	read_of(tried, "b", "b:3");
	assert_told(tried, "");
	read_of(tried, "a", "a");
	read_of(tried, "a", "a");
	assert_told(tried, "");
	read_of(tried, "b", "b:4 c");
	assert_told(tried, "+b:4:lastmod +c:new");
	read_of(tried, "b", "c");
	read_of(tried, "b", "c");
	assert_told(tried, "-b:gone");
	/* two sites list one page */
	read_as(tried, "i.test", "c", COMPLETE, "a d");
	assert_more(tried, "");
	assert_told(tried, "+a:snapshot +d:snapshot");
	read_of(tried, "a", "e");
	read_of(tried, "a", "e");
	assert_told(tried, "+e:new");
}

/* How far a date is believed: the share of the dates that stood. */
static void
test_believed(void **state)
{
	struct tried *tried = *state;

	read_of(tried, "a", "a:1 b:1 c:1 d:1");
	(void)batch(tried);
	ack(tried);
	read_of(tried, "a", "a:2 b:2 c:2 d:2");
	assert_told(tried,
	    "+a:2:lastmod/0.25 +b:2:lastmod/0.25 +c:2:lastmod/0.25 "
	    "+d:2:lastmod/0.25");
	read_of(tried, "a", "a:3 b:2 c:2 d:2");
	assert_told(tried, "+a:3:lastmod");
}

/* The location rules: the site may not speak for pages of another host, but
 * for all of its own. */
static void
test_refused(void **state)
{
	struct tried *tried = *state;

	/* the fixture refuses by the directory rule */
	read_of(tried, "a", "a ?b");
	assert_told(tried, "!new +a:snapshot +b:snapshot?");
	read_of(tried, "a", "?a b");
	assert_told(tried, "+b:accepted");
	read_of(tried, "a", "?a");
	read_of(tried, "a", "?a");
	assert_told(tried, "-b:gone");
}

static void
test_robots(void **state)
{
	struct tried *tried = *state;

	robots(tried, "User-agent: *\nDisallow: /b\n");
	read_of(tried, "a", "a b");
	assert_told(tried, "!new +a:snapshot");
	robots(tried, "User-agent: *\nDisallow: /a\n");
	assert_told(tried, "-a:disallowed +b:allowed");
	/* two changes, of which nothing is left */
	robots(tried, "User-agent: *\nDisallow: /\n");
	robots(tried, "User-agent: *\nDisallow: /a\n");
	assert_told(tried, "+b:allowed");
	read_of(tried, "a", "a c");
	robots(tried, "User-agent: *\nDisallow: /c\n");
	assert_told(tried, "-c:disallowed +a:allowed");
}

/* A sitemap on another host, which robots.txt of the pages' host names. */
static void
test_robots_of_others(void **state)
{
	const struct slice sitemap = slice_of("http://o.test/s.xml");
	struct robots_fact fact = {.origin = slice_of("http://h.test"),
	    .fetched_s = DAY_0,
	    .status = 200,
	    .body = slice_of("User-agent: *\nDisallow: /x\n"),
	    .has_body = true,
	    .sitemaps = &sitemap,
	    .lines = (const uint32_t[]){3},
	    .sitemap_count = 1};
	struct tried *tried = *state;
	struct store *store = tried->world.store;

	(void)store_robots(store, &fact);
	(void)submit(store,
	    reading_make(store, document_make(store, "o.test", sitemap.p),
		DAY_0 + HOUR_S, COMPLETE, "a b"));
	assert_told(tried, "!new +a:snapshot +b:snapshot");
	fact.fetched_s += DAY_S;
	fact.body = slice_of("User-agent: *\nDisallow: /a\n");
	(void)store_robots(store, &fact);
	assert_int_equal(store_flush(store), DIAG_OK);
	assert_told(tried, "-a:disallowed");
}

/* A sitemap that is redirected to the pages' host. */
static void
test_robots_of_redirect(void **state)
{
	struct reading *reading;
	struct tried *tried = *state;
	struct store *store = tried->world.store;

	robots_of(tried, "http://h.test", "User-agent: *\nDisallow: /x\n");
	reading = reading_make(store,
	    document_make(store, "o.test", "http://o.test/s.xml"), tried->now_s,
	    COMPLETE, "a b");
	reading->http.final_url = slice_dup(slice_of(HOST_TEXT "s.xml"));
	(void)submit(store, reading);
	assert_told(tried, "!new +a:snapshot +b:snapshot");
	robots_of(
	    tried, "http://h.test.other", "User-agent: *\nDisallow: /a\n");
	assert_told(tried, "");
	robots_of(tried, "http://h.test", "User-agent: *\nDisallow: /a\n");
	assert_told(tried, "-a:disallowed");
}

static void
test_outcomes(void **state)
{
	struct tried *tried = *state;

	read_of(tried, "a", "a b");
	assert_told(tried, "!new +a:snapshot +b:snapshot");
	report(tried, HOST_TEXT "a", PAGE_FETCHED, false);
	report(tried, HOST_TEXT "b", PAGE_SAME, false);
	assert_told(tried, "");
	report(tried, HOST_TEXT "a", PAGE_CHANGED, false);
	report(tried, HOST_TEXT "b", PAGE_CHANGED, true);
	assert_told(tried, "+a:content -b:noindex");
	report(tried, HOST_TEXT "b", PAGE_NOT_MODIFIED, false);
	report(tried, HOST_TEXT "a", PAGE_GONE, false);
	report(tried, HOST_TEXT "a", PAGE_FAILED, false);
	assert_told(tried, "-a:not-found");
	report(tried, HOST_TEXT "a", PAGE_FETCHED, false);
	report(tried, HOST_TEXT "b", PAGE_SAME, false);
	assert_told(tried, "+a:fit +b:fit");
	/* a date that moves brings no unfit page back */
	report(tried, HOST_TEXT "a", PAGE_GONE, false);
	assert_told(tried, "-a:not-found");
	read_of(tried, "a", "a:5 b");
	assert_told(tried, "");
}

/* Redirects for good, in the order in which page "a" answers with them. */
static const struct {
	const char *location, *told;
} moves[] = {
    /* another spelling of the page, or it is not known where to */
    {"", ""},
    {"/a/", ""},
    {"https://www.h.test/A", ""},
    {"a/index.html", ""},
    {"ftp://h.test/b", ""},
    {"/c", "-a:moved"},
    {"/a/", "+a:fit"},
    {"/", "-a:moved"},
    {"https://other.test/a", ""},
    {"/a?page=2", ""},
    {"", "+a:fit"},
};

static void
test_moved(void **state)
{
	struct tried *tried = *state;

	read_of(tried, "a", "a b");
	assert_told(tried, "!new +a:snapshot +b:snapshot");
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		tried->location = moves[i].location;
		report(tried, HOST_TEXT "a", PAGE_MOVED, false);
		assert_told(tried, moves[i].told);
	}
	/* what moves says nothing of its own robots directives */
	tried->location = "/c";
	report(tried, HOST_TEXT "a", PAGE_MOVED, true);
	assert_told(tried, "-a:moved");
	report(tried, HOST_TEXT "a", PAGE_FAILED, false);
	assert_told(tried, "");
	report(tried, HOST_TEXT "a", PAGE_NOT_MODIFIED, false);
	assert_told(tried, "+a:fit");
}

/* Batches of two pages, however much changes between them. */
static void
test_limit(void **state)
{
	struct tried *tried = *state;

	tried->limit = 2;
	read_of(tried, "a", "a c e");
	read_as(tried, "i.test", "b", COMPLETE, "b d");
	assert_more(tried, "!new +a:snapshot +c:snapshot");
	/* in the middle of a snapshot: changes come first */
	read_of(tried, "a", "a:1 e f");
	read_of(tried, "a", "a:1 e f");
	assert_more(tried, "+a:1:lastmod +f:new");
	assert_more(tried, "-c:gone +e:snapshot");
	assert_more(tried, "+f:snapshot +b:snapshot");
	assert_told(tried, "+d:snapshot");
	/* in the middle of a reading, and of a first one */
	read_of(tried, "a", "a:2 e:2 f:2 g:2");
	read_of(tried, "c", "k l m");
	tried->limit = 3;
	(void)batch(tried);
	ack(tried);
	assert_more(tried, "+g:2:new +k:new +l:new");
	assert_told(tried, "+m:new");
}

static void
tag(struct tried *tried, const char *host, const char *name)
{
	struct watch watch;

	watch = (struct watch)WATCH_DEFAULTS;
	watch.site_id = store_site(tried->world.store, slice_of(host));
	if (name[0] != '\0')
		strings_add(&watch.tags, slice_of(name));
	store_watch_put(tried->world.store, &watch);
	assert_int_equal(store_flush(tried->world.store), DIAG_OK);
	watch_release(&watch);
}

/* Sites get a tag and lose it. */
static void
test_members(void **state)
{
	struct tried *tried = *state;

	tried->tags = "blue red";
	tried->limit = 2;
	read_of(tried, "a", "a b");
	read_as(tried, "i.test", "b", COMPLETE, "b c d");
	tag(tried, "h.test", "green");
	tag(tried, "i.test", "red");
	assert_more(tried, "!new +b:snapshot +c:snapshot");
	assert_told(tried, "+d:snapshot");
	read_of(tried, "a", "a b x");
	assert_told(tried, "");
	tag(tried, "h.test", "blue");
	assert_more(tried, "");
	assert_more(tried, "+a:snapshot +b:snapshot");
	/* while one site joins, the other leaves: b is a page of both */
	tag(tried, "i.test", "");
	assert_more(tried, "");
	assert_more(tried, "-c:site-left");
	read_as(tried, "i.test", "b", COMPLETE, "b c d e");
	assert_more(tried, "-e:site-left -d:site-left");
	assert_told(tried, "+x:snapshot");
	assert_told(tried, "");
	tag(tried, "i.test", "red");
	tried->limit = 10;
	assert_more(tried, "");
	assert_told(tried, "+b:snapshot +c:snapshot +d:snapshot +e:snapshot");
}

/* A consumer applies a batch and dies before it acknowledges: what it was told
 * there is put right, whatever has changed since. */
static void
test_not_acknowledged(void **state)
{
	struct tried *tried = *state;

	tried->tags = "red";
	robots(tried, "User-agent: *\nDisallow: /x\n");
	read_of(tried, "a", "a b");
	tag(tried, "h.test", "red");
	assert_told(tried, "!new +a:snapshot +b:snapshot");
	/* a site joins, and a page of it is disallowed, and another gone */
	read_as(tried, "i.test", "b", COMPLETE, "c d e");
	tag(tried, "i.test", "red");
	assert_more(tried, "");
	assert_string_equal(
	    batch(tried), "+c:snapshot +d:snapshot +e:snapshot");
	robots(tried, "User-agent: *\nDisallow: /c\n");
	read_as(tried, "i.test", "b", COMPLETE, "c e");
	read_as(tried, "i.test", "b", COMPLETE, "c e");
	assert_told(tried, "-d:gone -c:disallowed +e:snapshot");
	/* a site that is about to join does not, after all */
	tag(tried, "i.test", "");
	assert_more(tried, "");
	assert_told(tried, "-c:site-left -e:site-left");
	tag(tried, "i.test", "red");
	assert_string_equal(batch(tried), "");
	tag(tried, "i.test", "");
	assert_told(tried, "");
	/* a site that leaves comes back */
	tag(tried, "h.test", "");
	assert_more(tried, "");
	assert_string_equal(batch(tried), "-a:site-left -b:site-left");
	tag(tried, "h.test", "red");
	assert_more(tried, "-a:site-left -b:site-left");
	assert_more(tried, "");
	assert_told(tried, "+a:snapshot +b:snapshot");
}

/* A site leaves whose pages have not all been told. */
static void
test_half_joined(void **state)
{
	struct tried *tried = *state;

	tried->tags = "red";
	tried->limit = 2;
	read_of(tried, "a", "a b c");
	read_as(tried, "i.test", "b", COMPLETE, "d");
	tag(tried, "h.test", "red");
	tag(tried, "i.test", "red");
	assert_more(tried, "!new +a:snapshot +b:snapshot");
	tag(tried, "h.test", "");
	assert_more(tried, "");
	assert_more(tried, "-a:site-left -b:site-left");
	assert_told(tried, "-c:site-left +d:snapshot");
	assert_told(tried, "");
	/* another site lists a page that was about to be told */
	tag(tried, "h.test", "red");
	assert_more(tried, "");
	tried->limit = 1;
	read_as(tried, "i.test", "b", COMPLETE, "c d");
	assert_more(tried, "+c:new");
	tag(tried, "h.test", "");
	assert_more(tried, "");
	assert_more(tried, "-a:site-left");
	assert_more(tried, "-b:site-left");
	assert_told(tried, "");
}

/* History that the consumer needs was removed: it begins anew. */
static void
test_pruned(void **state)
{
	struct prune_totals totals = {0};
	struct tried *tried = *state;

	read_of(tried, "a", "a b c");
	assert_told(tried, "!new +a:snapshot +b:snapshot +c:snapshot");
	/* readings without changes are not missed */
	read_as(tried, "h.test", "a", UNCHANGED, "");
	read_as(tried, "h.test", "a", UNCHANGED, "");
	assert_int_equal(
	    store_prune(tried->world.store, tried->now_s, &totals), DIAG_OK);
	assert_told(tried, "");
	read_of(tried, "a", "b c");
	read_of(tried, "a", "b c");
	read_of(tried, "a", "b c d");
	assert_int_equal(
	    store_prune(tried->world.store, tried->now_s, &totals), DIAG_OK);
	assert_string_equal(batch(tried),
	    "!history-pruned +b:snapshot +c:snapshot +d:snapshot");
	assert_told(
	    tried, "!history-pruned +b:snapshot +c:snapshot +d:snapshot");
	assert_told(tried, "");
	/* texts of robots.txt; the last one stays, of whatever age */
	robots(tried, "User-agent: *\nDisallow: /a\n");
	robots(tried, "User-agent: *\nDisallow: /b\n");
	robots(tried, "User-agent: *\nDisallow: /c\n");
	tried->now_s += DAY_S;
	assert_int_equal(
	    store_prune(tried->world.store, tried->now_s, &totals), DIAG_OK);
	assert_told(tried, "!history-pruned +b:snapshot +d:snapshot");
	robots(tried, "User-agent: *\nDisallow: /b\n");
	assert_told(tried, "-b:disallowed +c:allowed");
}

/* The operator takes the only target off a site: its documents end, which is
 * reported as no change, but their pages are gone. */
static void
test_silent_end(void **state)
{
	struct unrooting what = {.at_s = DAY_0 + DAY_S};
	struct tried *tried = *state;
	struct store *store = tried->world.store;

	read_of(tried, "a", "a b");
	assert_told(tried, "!new +a:snapshot +b:snapshot");
	what.document_id = document_make(store, "h.test", HOST_TEXT "a.xml");
	reach_unroot(store, store_site(store, slice_of("h.test")), &what);
	assert_int_equal(store_flush(store), DIAG_OK);
	assert_told(tried, "-a:gone -b:gone");
}

/* Cursors of others, and of a consumer that was forgotten. */
static void
test_ack(void **state)
{
	static const char *const others[] = {
	    "f1.nonsense", "f1.1.0.1.0.0.0.0.0.....0.0.0.0~"};
	struct tried *tried = *state;
	struct feed_consumer consumer;

	read_of(tried, "a", "a b");
	(void)batch(tried);
	ack(tried);
	ack(tried); /* twice does no harm */
	consumer_of(tried, &consumer);
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(feed_ack(
		    tried->world.store, &consumer, slice_of(others[i]), 1));
	store_feed_forget(tried->world.store, consumer.id);
	feed_consumer_release(&consumer);
	consumer_of(tried, &consumer);
	assert_false(feed_ack(tried->world.store, &consumer,
	    buf_text(&tried->cursor), tried->now_s));
	feed_consumer_release(&consumer);
	assert_told(tried, "!new +a:snapshot +b:snapshot");
}

UNIT(feed_batch)
{
	static const struct CMUnitTest tests[] = {
	    tried_test(test_changes),
	    tried_test(test_failures),
	    tried_test(test_two_sitemaps),
	    tried_test(test_believed),
	    tried_test(test_refused),
	    tried_test(test_robots),
	    tried_test(test_robots_of_others),
	    tried_test(test_robots_of_redirect),
	    tried_test(test_outcomes),
	    tried_test(test_moved),
	    tried_test(test_limit),
	    tried_test(test_members),
	    tried_test(test_not_acknowledged),
	    tried_test(test_half_joined),
	    tried_test(test_pruned),
	    tried_test(test_silent_end),
	    tried_test(test_ack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
