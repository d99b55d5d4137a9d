/* crawler/sandbox/readers.c and the files below it, with real processes. */
#include "tests/fixtures/fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/wire.h"
#include "crawler/event/scratch.h"
#include "crawler/parse/page.h"
#include "crawler/sandbox/reader_protocol.h"
#include "crawler/sandbox/reader_validation.h"
#include "tests/fixtures/read_fixture.h"
#include "tests/fixtures/readers_fixture.h"

#define SET(loc)                                                            \
	"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>" \
	"<loc>" loc "</loc></url></urlset>"
#define ENCODED(name, loc) "<?xml version='1.0' encoding='" name "'?>" SET(loc)

/*
 * Bodies that make libraries ask the system for something: converters, tables.
 */
static const struct slice odd_bodies[] = {
#define BODY(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}
    BODY(""),
    BODY("<html><body>no</body></html>"),
    BODY("http://a.example/1\nhttp://b.example/\n"),
    BODY(ENCODED("ISO-8859-1", "http://a.example/\xe4")),
    BODY(ENCODED("windows-1252", "http://a.example/\x80")),
    BODY(ENCODED("GBK", "http://a.example/\xc4\xe3")),
    BODY(ENCODED("EUC-JP", "http://a.example/\xa4\xa2")),
    BODY(ENCODED("UTF-7", "http://a.example/")),
    BODY(ENCODED("x-none-such", "http://a.example/")),
    BODY("\xff\xfe<\0u\0/\0>\0"),
    BODY(SET("http://b\xc3\xbc"
	     "cher.example/")),
    BODY(SET("http://\xe6\x97\xa5\xe6\x9c\xac.example/")),
    BODY(SET("http://a.example/&#x65e5;")),
    BODY("<!DOCTYPE urlset SYSTEM 'file:///etc/passwd'>" SET("http://a/")),
    BODY("<rss version='2.0'><channel><item><link>http://a.example/r"
	 "</link><pubDate>Wed, 02 Oct 2024 08:00:00 EST</pubDate></item>"
	 "</channel></rss>"),
    /* gzip: one line of text, whole and cut */
    BODY("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x28\x29\x29"
	 "\xb0\xd2\xd7\x4f\xd4\x4b\xad\x48\xcc\x2d\xc8\x49\xd5\x2f"
	 "\x48\x4c\xce\x4e\x4d\xe1\x02\x00\xa8\x61\x1f\xec\x18\x00"
	 "\x00\x00"),
    BODY("\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x28\x29\x29"
	 "\xb0\xd2\xd7\x4f\xd4\x4b\xad\x48\xcc\x2d\xc8\x49\xd5\x2f"
	 "\x48\x4c\xce\x4e"),
};

#define LARGE 6
#define DOCUMENTS (LARGE + COUNT(odd_bodies))

static void
make_bodies(struct buf *bodies)
{

	make_document(&bodies[0], 0, 1, 1);
	make_document(&bodies[1], 0, 20000, 1);
	make_document(&bodies[2], 5000, 20000, 9); /* after 1 */
	make_document(&bodies[3], 0, 0, 1);
	make_document(&bodies[4], 0, 30000, 1);
	bodies[4].len /= 2; /* broken */
	make_document(&bodies[5], 0, 60000, 1); /* too many */
	for (unsigned i = 0; i < COUNT(odd_bodies); i++) {
		buf_init(&bodies[LARGE + i], 4096);
		(void)buf_put_slice(&bodies[LARGE + i], odd_bodies[i]);
	}
}

static void
submit_to_both(struct world *here, struct world *there, const struct buf *body,
    struct block_list *previous)
{
	(void)world_submit(here, buf_text(body), previous);
	(void)world_submit(there, buf_text(body), previous);
}

static void
run_both(struct world *here, struct world *there, unsigned first)
{
	world_run(here);
	world_run(there);
	for (; first < here->submitted; first++)
		expect_same(&here->answers[first], &there->answers[first]);
}

/* DESIGN section 3: a reading is a pure function, in every process. */
static void
test_same(void **state)
{
	struct buf bodies[DOCUMENTS];
	struct world *here = world_new(0, NULL, GUARD_MS);
	struct world *there = world_new(2, NULL, GUARD_MS);
	const struct content *content;

	/* With this limit sorting uses the scratch file. */
	here->sort_memory = there->sort_memory = 256 << 10;
	make_bodies(bodies);
	for (unsigned i = 0; i < DOCUMENTS; i++)
		submit_to_both(here, there, &bodies[i], NULL);
	run_both(here, there, 0);
	/* The same once more with a previous segment, whether it is needed or
	 * not. */
	for (unsigned i = 0; i < DOCUMENTS; i++)
		submit_to_both(here, there, &bodies[i],
		    &here->answers[i == 2 ? 1 : 4].content.segment);
	run_both(here, there, DOCUMENTS);
	content = &here->answers[DOCUMENTS + 2].content;
	assert_true(content->delta.count > 1);
	assert_int_equal(content->merge.changes[DELTA_REMOVED], 5000);
	for (unsigned i = 0; i < DOCUMENTS; i++)
		buf_release(&bodies[i]);
	world_free(here);
	world_free(there);
}

/* More links than a library function sorts without asking the system for
 * memory, and values of every kind. */
static void
make_checked(struct buf *out)
{
	buf_init(out, 8 << 20);
	(void)buf_print(out,
	    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' "
	    "xmlns:x='http://www.w3.org/1999/xhtml' "
	    "xmlns:v='http://www.google.com/schemas/sitemap-video/1.1' "
	    "xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'>");
	for (unsigned i = 0; i < 20000; i++)
		(void)buf_print(out,
		    "<url><loc>http://a.example/%u</loc><x:link "
		    "rel='alternate' hreflang='en' "
		    "href='http://a.example/%u'/></url>",
		    i, (i + 1) % 20000);
	(void)buf_print(out,
	    "<url><loc>http://a.example/v</loc><v:video><v:uploader "
	    "info='http://www.b\xc3\xbc"
	    "cher.example/'>u</v:uploader><v:duration>0</v:duration>"
	    "</v:video><n:news><n:publication_date>2024-01-01T00:00:00Z"
	    "</n:publication_date></n:news></url></urlset>");
}

/* Checks that only cause findings need no further system calls. */
static void
test_checks(void **state)
{
	struct world *here = world_new(0, NULL, GUARD_MS);
	struct world *there = world_new(1, NULL, GUARD_MS);
	const struct read_checks all = {
	    .has_extensions = true, .has_schema = true, .has_legacy = true};
	struct buf body;

	here->checks = there->checks = all;
	make_checked(&body);
	submit_to_both(here, there, &body, NULL);
	run_both(here, there, 0);
	const struct content *content = &there->answers[0].content;
	assert_int_equal(content->alternates.len, 20000 * 20);
	assert_int_equal(
	    findings_get(&content->findings, DIAG_HREFLANG_NO_RETURN)->count,
	    20000);
	assert_non_null(
	    findings_get(&content->findings, DIAG_VIDEO_INVALID_VALUE));
	assert_non_null(findings_get(&content->findings, DIAG_NEWS_STALE));
	buf_release(&body);
	world_free(here);
	world_free(there);
}

/* A job that is lost together with another is read again from the start of its
 * body and of its previous segment. */
static void
test_again(void **state)
{
	struct world *here = world_new(0, NULL, GUARD_MS);
	struct world *world = world_new(1, "exit", GUARD_MS);
	struct block_list *previous;
	struct buf body;

	make_document(&body, 0, 20000, 1);
	(void)world_submit(here, buf_text(&body), NULL);
	world_run(here);
	previous = &here->answers[0].content.segment;
	(void)world_submit(here, buf_text(&body), previous);
	world_run(here);
	(void)world_submit(world, slice_of(small_document), previous);
	(void)world_submit(world, buf_text(&body), previous);
	world_run(world);
	expect_failure(
	    &world->answers[0], DIAG_READER_CRASHED, "exit status 0");
	assert_int_equal(world->rewound, 1);
	expect_same(&world->answers[1], &here->answers[1]);
	buf_release(&body);
	world_free(world);
	world_free(here);
}

static void
allow_fork(void *arg)
{
	struct world *world = arg;
	struct rlimit limit = {64, 64};

	assert_int_equal(
	    prlimit(world->forkserver->pid, RLIMIT_NOFILE, &limit, NULL), 0);
}

/* P10: no reader can be forked, for a while or at all. */
static void
test_no_fork(void **state)
{
	struct world *world = world_new(1, "exit", GUARD_MS);
	struct rlimit limit = {3, 64};
	int error;

	/* The first reader is gone, and the server is alive. */
	(void)world_submit_small(world, 1);
	world_run(world);
	assert_int_equal(
	    prlimit(world->forkserver->pid, RLIMIT_NOFILE, &limit, NULL), 0);
	(void)world_submit_small(world, 1);
	world_run(world);
	expect_failure(&world->answers[1], DIAG_READER_CRASHED, "cannot fork");
	assert_true(readers_are_lost(world->readers, &error));
	assert_int_equal(error, EMFILE);
	(void)world_submit_small(world, 1);
	world_later(world, allow_fork, 20);
	world_run(world);
	expect_good(&world->answers[2]);
	assert_false(readers_are_lost(world->readers, &error));
	world_free(world);
}

/* A reader is replaced after 256 readings, and no descriptor stays open. */
static void
test_many(void **state)
{
	unsigned before = count_fds();
	struct world *world = world_new(2, NULL, GUARD_MS);

	(void)world_submit_small(world, 600);
	assert_int_equal(readers_backlog(world->readers), 600);
	world_run(world);
	expect_all_good(world);
	assert_int_equal(readers_backlog(world->readers), 0);
	assert_true(world_started(world) >= 3 && world_started(world) <= 4);
	/* Two sockets, two scratch files for each, the loop, the server. */
	assert_true(count_fds() <= before + 16);
	world_free(world);
	assert_int_equal(count_fds(), before);
}

/* Four documents are read by that number of readers. */
static const struct apart_case {
	enum isolation isolation;
	unsigned readers;
} aparts[] = {{ISOLATE_OFF, 1}, {ISOLATE_SITE, 4}, {ISOLATE_DOCUMENT, 4}};

/* DESIGN section 3: a subverted reader can make false statements about its own
 * document only. */
static void
test_apart(void **state)
{
	for (unsigned i = 0; i < COUNT(aparts); i++) {
		struct world *world = world_new(1, NULL, GUARD_MS);

		print_message("%d\n", (int)aparts[i].isolation);
		world_isolate(world, aparts[i].isolation);
		for (unsigned n = 0; n < 4; n++)
			(void)world_submit_small(world, 1);
		world_run(world);
		expect_all_good(world);
		assert_int_equal(world_started(world), aparts[i].readers);
		world_free(world);
	}
}

/* An honest reader may keep entries that were listed under other rules, or that
 * were first seen later than now, because they are in the previous segment. */
static void
test_kept(void **state)
{
	static const char *const urls[] = {"http://a.example/1",
	    "http://a.example/2", "http://other.example/x"};
	struct world *here = world_new(0, NULL, GUARD_MS);
	struct world *there = world_new(1, NULL, GUARD_MS);
	struct block_list previous = {0};
	struct buf whole, cut;

	make_segment(&previous, urls, COUNT(urls), INT64_C(9000000000));
	buf_init(&whole, 4096);
	buf_init(&cut, 4096);
	(void)buf_put_slice(&whole, slice_of(small_document));
	(void)buf_put_slice(&cut, slice_of(small_document));
	cut.len -= strlen("</urlset>");
	submit_to_both(here, there, &whole, &previous);
	submit_to_both(here, there, &cut, &previous);
	here->is_held = there->is_held = true;
	submit_to_both(here, there, &whole, &previous);
	run_both(here, there, 0);
	assert_int_equal(there->answers[2].code, DIAG_OK);
	assert_int_equal(there->answers[2].content.merge.entries, 3);
	assert_int_equal(there->answers[0].code, DIAG_OK);
	assert_int_equal(there->answers[0].content.merge.missed, 2);
	assert_int_equal(there->answers[1].code, DIAG_OK);
	assert_int_equal(there->answers[1].content.merge.entries, 3);
	assert_int_equal(world_started(there), 1);
	block_list_release(&previous);
	buf_release(&whole);
	buf_release(&cut);
	world_free(here);
	world_free(there);
}

/* A frame that does not fit is removed: the frame before it stays, and the next
 * one is unaffected. */
static void
test_large_frames(void **state)
{
	static const size_t ceilings[] = {FRAME_HEAD + 5, 2 * FRAME_HEAD + 5,
	    2 * FRAME_HEAD + 5 + FRAME_MAX_BYTES, SIZE_MAX};
	struct buf vast, out;

	buf_init(&vast, SIZE_MAX);
	assert_true(buf_reserve(&vast, FRAME_MAX_BYTES + 1));
	memset(vast.p, 'x', FRAME_MAX_BYTES + 1);
	vast.len = FRAME_MAX_BYTES + 1;
	for (size_t i = 0; i < COUNT(ceilings); i++) {
		size_t mark;

		buf_init(&out, ceilings[i]);
		mark = frame_begin(&out, FRAME_END);
		(void)buf_print(&out, "first");
		assert_true(frame_end(&out, mark));
		mark = frame_begin(&out, FRAME_DELTA);
		wire_put_slice(&out, buf_text(&vast));
		wire_put_fixed(&out, 1, 1);
		assert_false(frame_end(&out, mark));
		assert_int_equal(out.len, FRAME_HEAD + 5);
		assert_false(out.is_cut);
		mark = frame_begin(&out, FRAME_DELTA);
		assert_int_equal(frame_end(&out, mark), i > 0);
		buf_release(&out);
	}
	buf_release(&vast);
}

/* HOSTILE E60: foreign data may be larger than a frame. Then this document
 * fails, and neither another document nor main does. */
static void
test_too_large(void **state)
{
	static const char *const urls[] = {"http://a.example/"};
	struct world *world = world_new(1, NULL, GUARD_MS);
	struct block_list vast = {0}, after = {0};
	struct slice small = slice_of(small_document);
	struct block_copy *block;

	make_segment(&vast, urls, 1, 1);
	make_segment(&after, urls, 1, 1);
	block = &vast.items[0];
	block->data = mem_resize(block->data, FRAME_MAX_BYTES);
	memset(block->data + block->len, 0, FRAME_MAX_BYTES - block->len);
	block->len = FRAME_MAX_BYTES;
	(void)world_submit(world, small, NULL);
	world->is_vast = true;
	(void)world_submit(world, small, NULL);
	(void)world_submit(world, small, &after);
	world->is_vast = false;
	(void)world_submit(world, small, NULL);
	(void)world_submit(world, small, &vast);
	(void)world_submit(world, small, &after);
	world_run(world);
	expect_good(&world->answers[0]);
	expect_failure(&world->answers[1], DIAG_READER_KILLED, "job too large");
	expect_failure(&world->answers[2], DIAG_READER_KILLED, "job too large");
	expect_good(&world->answers[3]);
	expect_failure(&world->answers[4], DIAG_READER_KILLED, "job too large");
	assert_int_equal(world->answers[5].code, DIAG_OK);
	block_list_release(&vast);
	block_list_release(&after);
	world_free(world);
}

static void
test_free_in_done(void **state)
{
	unsigned before = count_fds();
	unsigned count;

	for (count = 0; count <= 2; count += 2) {
		struct world *world = world_new(count, NULL, GUARD_MS);

		world->frees_in_done = true;
		(void)world_submit_small(world, 20);
		world_run(world);
		assert_int_equal(world->done, 1);
		world_free(world);
	}
	assert_int_equal(count_fds(), before);
}

/* Pages in encodings whose converters a reader cannot load any more. */
static void
test_pages(void **state)
{
	static const struct {
		const char *type, *page, *title, *text;
	} pages[] = {
	    {"text/html; charset=utf-8", "<title>\xc3\xa9</title><p>a<p>b",
		"\xc3\xa9", "a\nb"},
	    {"text/html; charset=windows-1251", "<title>\xcf</title>\xf0",
		"\xd0\x9f", "\xd1\x80"},
	    {"text/html; charset=windows-1252", "<title>\x80</title>\x96",
		"\xe2\x82\xac", "\xe2\x80\x93"},
	    {"text/html; charset=shift_jis", "<title>\x93\xfa</title>\xb1",
		"\xe6\x97\xa5", "\xef\xbd\xb1"},
	    {"text/html; charset=euc-jp", "<title>\xc6\xfc</title>\xcb\xdc",
		"\xe6\x97\xa5", "\xe6\x9c\xac"},
	    {"text/html; charset=iso-2022-jp",
		"<title>\x1b$BF|\x1b(B</title>\x1b$BK\\", "\xe6\x97\xa5",
		"\xe6\x9c\xac"},
	    {"text/html; charset=euc-kr", "<title>\xc7\xd1</title>\xb1\xdb",
		"\xed\x95\x9c", "\xea\xb8\x80"},
	    {"text/html; charset=gbk", "<title>\xd6\xd0</title>\xce\xc4",
		"\xe4\xb8\xad", "\xe6\x96\x87"},
	    {"text/html; charset=big5", "<title>\xa4\xa4</title>\xa4\xe5",
		"\xe4\xb8\xad", "\xe6\x96\x87"},
	    {"text/html", "<title>\xe9</title>", "\xc3\xa9", ""},
	};
	struct buf *text = *state;
	struct world *world = world_new(1, NULL, 60000);
	struct page_facts facts;

	world->text_fd = scratch_fd(NULL);
	for (size_t i = 0; i < COUNT(pages); i++) {
		const struct answer *answer;

		world->page_type = pages[i].type;
		answer = &world->answers[world_submit(
		    world, slice_of(pages[i].page), NULL)];
		world_run(world);
		assert_int_equal(answer->code, DIAG_OK);
		assert_true(page_get(buf_text(&answer->content.page), &facts));
		(void)buf_put_slice(text, facts.title);
		assert_row(pages[i].type, text, pages[i].title);
		assert_true(page_text_load(world->text_fd, &facts, text));
		assert_row(pages[i].type, text, pages[i].text);
	}
	(void)close(world->text_fd);
	world_free(world);
}

/* A page has text if text was wanted. */
static void
test_page_text(void **state)
{
	struct validation *validation = validation_new();
	struct page_facts facts = {.text_bytes = 1};
	struct content content;
	struct scope scope;
	bool has_doubts;

	(void)state;
	fixture_scope(&scope, PROFILE_GOOGLE, NULL);
	scope.is_page = true;
	content_init(&content);
	page_put(&content.page, &facts);
	for (int wants_text = 0; wants_text < 2; wants_text++) {
		scope.wants_text = wants_text == 1;
		validation_begin(validation, &scope);
		assert_int_equal(validation_content(
				     validation, &content, &has_doubts) == NULL,
		    wants_text == 1);
	}
	content_release(&content);
	scope_release(&scope);
	validation_free(validation);
}

SANDBOX_TESTS(readers, NULL, cmocka_unit_test(test_same),
    cmocka_unit_test(test_checks), text_test(test_pages),
    cmocka_unit_test(test_page_text), cmocka_unit_test(test_again),
    cmocka_unit_test(test_no_fork), cmocka_unit_test(test_many),
    cmocka_unit_test(test_kept), cmocka_unit_test(test_apart),
    cmocka_unit_test(test_large_frames), cmocka_unit_test(test_too_large),
    cmocka_unit_test(test_free_in_done));
