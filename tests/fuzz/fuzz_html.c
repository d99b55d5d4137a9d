/*
 * Any bytes as a listed page: its tags are those that the plainest reader of
 * HTML finds, however the bytes are cut; what is told is never more than what
 * came; what is kept of it is bounded, and what a frame of it gives back; what
 * people read of it is clean UTF-8, in whatever encoding it comes.
 *
 *	byte 0: bytes given at once
 *	byte 1: the encoding that Content-Type names; 255: some short pages are
 *	        repeated until they come to the limits
 *	rest:   the page; and any frame of what a reader found on one
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/parse/charset.h"
#include "crawler/parse/html.h"
#include "crawler/parse/page.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/plain_html.h"

#define REPEATED_MAX 64 /* bytes of a page that is repeated */
#define REPEATED_ONE_IN 16
#define LIMITS_BYTES (HTML_MAX_TAG + HTML_MAX_RAW)

/* The events, as text. */

struct log {
	struct buf events; /* as plain_html_events() writes them */
	size_t bytes; /* of all names and values */
	bool is_told; /* bytes of raw text since the latest tag */
};

static void
log_slice(struct log *log, char kind, struct slice text)
{
	(void)buf_put_char(&log->events, kind);
	(void)buf_put_slice(&log->events, text);
	/* no value holds one */
	(void)buf_put_char(&log->events, '\0');
	log->bytes += text.len;
}

static void
on_tag(void *arg, const struct html_tag *tag)
{
	struct log *log = arg;
	size_t before = log->bytes;

	assert(tag->name.len > 0 && tag->count <= HTML_MAX_ATTRIBUTES);
	log_slice(log, tag->is_end ? '/' : '<', tag->name);
	for (size_t i = 0; i < tag->count; i++) {
		assert(tag->names[i].len > 0);
		log_slice(log, 'n', tag->names[i]);
		log_slice(log, 'v', tag->values[i]);
	}
	assert(log->bytes - before <= HTML_MAX_TAG);
	log->is_told = false;
}

static void
on_raw(void *arg, struct slice element, struct slice text)
{
	struct log *log = arg;

	assert(html_goes_raw(element) && !log->is_told);
	assert(text.len > 0 && text.len <= HTML_MAX_RAW);
	log->is_told = true;
	log_slice(log, 'r', text);
}

static void
on_text(void *arg)
{
	struct log *log = arg;

	(void)buf_put_char(&log->events, 't');
}

static void
run(struct log *log, struct slice page, size_t chunk)
{
	struct html html = {
	    .events = {
		.tag = on_tag, .raw = on_raw, .text = on_text, .arg = log}};

	buf_init(&html.bytes, HTML_MAX_TAG);
	buf_init(&html.raw_text, HTML_MAX_RAW);
	*log = (struct log){0};
	buf_init(&log->events, PLAIN_MAX);
	for (size_t at = 0; at < page.len; at += chunk)
		html_feed(&html,
		    slice_make(page.p + at,
			chunk < page.len - at ? chunk : page.len - at));
	buf_release(&html.bytes);
	buf_release(&html.raw_text);
	assert(log->bytes <= page.len);
}

/* What is kept of a page. */

static void
check_bounds(const struct page_facts *facts)
{
	assert(facts->noindex.len <= PAGE_MAX_VALUE);
	assert(facts->canonical.len <= PAGE_MAX_VALUE);
	assert(facts->other.len <= PAGE_MAX_VALUE);
	assert(facts->base.len <= PAGE_MAX_VALUE);
	assert(facts->wall == 0 || page_wall_name(facts->wall) != NULL);
}

static void
check_same(const struct page_facts *a, const struct page_facts *b)
{
	assert(a->is_cut == b->is_cut && a->wall == b->wall);
	assert(a->canonicals == b->canonicals);
	assert(slice_equal(a->noindex, b->noindex));
	assert(a->noindex_name == b->noindex_name);
	assert(slice_equal(a->canonical, b->canonical));
	assert(slice_equal(a->other, b->other));
	assert(slice_equal(a->base, b->base));
	assert(slice_equal(a->refresh, b->refresh));
	assert(slice_equal(a->gone, b->gone) && a->is_empty == b->is_empty);
}

/* Check what is kept of a page: nothing, if the page has no tags. */
static void
check_facts(const struct page_facts *facts, bool has_tags)
{
	struct page_facts back;
	struct buf frame;

	check_bounds(facts);
	assert((facts->canonicals > 0) == (facts->canonical.len > 0));
	assert((facts->canonicals > 1) == (facts->other.len > 0));
	assert(facts->other.len == 0 ||
	    !slice_equal(facts->canonical, facts->other));
	assert(facts->noindex.len == 0 ||
	    (robots_noindex(facts->noindex) &&
		facts->noindex_name != ROBOTS_OTHER));
	assert(has_tags ||
	    (facts->noindex.len == 0 && facts->canonicals == 0 &&
		facts->base.len == 0 && facts->wall == 0));
	buf_init(&frame, PLAIN_MAX);
	page_put(&frame, facts);
	bool is_good = page_get(buf_text(&frame), &back);
	assert(is_good);
	check_same(facts, &back);
	/* part of a frame is no frame, and neither is more than one */
	is_good = page_get(slice_make(frame.p, frame.len - 1), &back);
	assert(!is_good);
	(void)buf_put_char(&frame, '\0');
	is_good = page_get(buf_text(&frame), &back);
	assert(!is_good);
	buf_release(&frame);
}

static struct page_scan *
scan(struct slice page, size_t chunk, const struct page_options *options)
{
	struct page_scan *scan = page_scan_new(options);

	for (size_t at = 0; at < page.len; at += chunk)
		(void)page_scan_feed(scan,
		    slice_make(page.p + at,
			chunk < page.len - at ? chunk : page.len - at));
	return scan;
}

/* Later bytes take back nothing that was found, except that a page with many
 * links is no challenge. */
static void
check_half(const struct page_facts *facts, struct slice page)
{
	struct page_scan *half = scan(
	    slice_make(page.p, page.len / 2), SIZE_MAX / 2, NULL);
	struct page_facts before = page_scan_facts(half);

	assert(before.noindex.len == 0 ||
	    slice_equal(before.noindex, facts->noindex));
	assert(before.canonical.len == 0 ||
	    slice_equal(before.canonical, facts->canonical));
	assert(before.base.len == 0 || slice_equal(before.base, facts->base));
	assert(before.canonicals <= facts->canonicals);
	page_scan_free(half);
}

/* May the page be repeated?  Only one short page in so many is: a repeated
 * page takes a hundred times as long, and the fuzzer prefers short ones. */
static bool
is_chosen(struct slice page)
{
	unsigned sum = 0;

	for (size_t i = 0; i < page.len; i++)
		sum += (unsigned char)page.p[i];
	return page.len > 0 && page.len <= REPEATED_MAX &&
	    sum % REPEATED_ONE_IN == 0;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

/* The events of a page that comes in chunks are those of the plain reader.
 * Returns whether there are any tags. */
static bool
check_events(struct slice page, size_t chunk)
{
	struct log log;
	struct buf plain;
	bool has_tags;

	buf_init(&plain, PLAIN_MAX);
	plain_html_events(page, &plain);
	run(&log, page, chunk);
	assert(slice_equal(buf_text(&log.events), buf_text(&plain)));
	has_tags = slice_count(buf_text(&plain), '<') > 0;
	buf_release(&log.events);
	buf_release(&plain);
	return has_tags;
}

static void
check_page(struct slice page, size_t chunk)
{
	struct page_scan *whole = scan(page, SIZE_MAX / 2, NULL);
	struct page_scan *cut = scan(page, chunk, NULL);
	struct page_facts facts = page_scan_facts(whole);
	struct page_facts same = page_scan_facts(cut);

	check_same(&facts, &same);
	check_facts(&facts, check_events(page, SIZE_MAX / 2));
	check_half(&facts, page);
	page_scan_free(whole);
	page_scan_free(cut);
}

/* Text is UTF-8, without control characters but newlines between blocks, and
 * with single spaces: put once more, it stays as it is. */
static void
check_text(struct slice text, size_t max)
{
	struct buf line = BUF_UP_TO(PLAIN_MAX), again = BUF_UP_TO(PLAIN_MAX);

	assert(text.len <= max && utf8_is_valid(text));
	for (size_t i = 0; i < text.len; i++)
		(void)buf_put_char(
		    &line, text.p[i] == '\n' ? HTML_BLOCK : text.p[i]);
	html_text_put(&again, buf_text(&line), false, false);
	assert(slice_equal(buf_text(&again), text));
	buf_release(&line);
	buf_release(&again);
}

/* May the tags of a page not look like tags? */
static bool
is_wide(struct slice page, const char *type)
{
	return strstr(type, "16") != NULL || strstr(type, "2022") != NULL ||
	    slice_starts(page, slice_of("\xff\xfe")) ||
	    slice_starts(page, slice_of("\xfe\xff")) ||
	    memmem(page.p, page.len, "2022", 4) != NULL;
}

/* What people read does not depend on how the bytes are cut, and what is
 * compared does not depend on whether people read it. */
static void
check_said(struct slice page, size_t chunk, uint8_t how)
{
	static const char *const types[] = {"", "text/html; charset=utf-8",
	    "text/html;charset=shift_jis", "text/html; charset=\"EUC-KR\"",
	    "charset=gb18030", "charset=big5", "charset=euc-jp",
	    "charset=iso-2022-jp", "charset=utf-16le", "charset=utf-16be",
	    "charset=windows-1251", "charset=iso-8859-7"};
	const char *type = types[how % (sizeof(types) / sizeof(types[0]))];
	struct page_options options = {.content_type = slice_of(type),
	    .agent = slice_of("x"),
	    .wants_text = true};
	struct page_scan *whole = scan(page, SIZE_MAX / 2, &options);
	struct page_scan *cut = scan(page, chunk, &options);
	struct page_scan *bare = scan(page, SIZE_MAX / 2, NULL);
	struct page_facts a = page_scan_facts(whole);
	struct page_facts b = page_scan_facts(cut);
	struct page_facts old = page_scan_facts(bare);
	struct buf frame = BUF_UP_TO(PLAIN_MAX);

	check_same(&a, &b);
	assert(slice_equal(a.title, b.title));
	assert(slice_equal(a.description, b.description));
	assert(slice_equal(a.language, b.language));
	assert(slice_equal(a.robots, b.robots) && a.links == b.links);
	assert(a.is_login == b.is_login && slice_equal(a.text, b.text));
	assert(slice_equal(page_scan_text(whole), page_scan_text(cut)));
	assert(a.text_bytes == page_scan_text(whole).len);
	check_text(a.title, PAGE_MAX_TITLE);
	check_text(a.description, PAGE_MAX_VALUE);
	check_text(a.language, PAGE_MAX_VALUE);
	check_text(a.robots, PAGE_MAX_VALUE);
	check_text(page_scan_text(whole), PAGE_MAX_TEXT);
	/* what is said to the crawler by its name counts only where it has one
	 */
	if (!is_wide(page, type) && a.noindex_name != ROBOTS_OWN) {
		check_same(&a, &old);
		assert(slice_equal(a.text, old.text));
	}
	page_put(&frame, &a);
	bool is_good = page_get(buf_text(&frame), &b);
	assert(is_good && slice_equal(a.title, b.title));
	assert(slice_equal(a.robots, b.robots) && a.links == b.links);
	buf_release(&frame);
	page_scan_free(whole);
	page_scan_free(cut);
	page_scan_free(bare);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_facts facts;
	struct buf page;

	if (size < 2)
		return 0;
	struct slice text = slice_make((const char *)data + 2, size - 2);
	size_t chunk = (size_t)data[0] + 1;
	bool is_repeated = data[1] == UINT8_MAX && is_chosen(text);
	if (page_get(text, &facts))
		check_bounds(&facts);
	buf_init(&page, PLAIN_MAX);
	do {
		(void)buf_put_slice(&page, text);
	} while (is_repeated && page.len < LIMITS_BYTES);
	(void)check_events(buf_text(&page), chunk);
	/* the limits are the tags' alone, and take long enough */
	if (!is_repeated) {
		check_page(text, chunk);
		check_said(text, chunk, data[1]);
	}
	buf_release(&page);
	return 0;
}
