/* What fetched pages become. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/out_json.h"
#include "crawler/archive/archive.h"
#include "crawler/crawl/crawl_options.h"
#include "crawler/page_fetch/page_object.h"
#include "crawler/parse/page.h"

#define A "http://a.example/"
#define TEXT "0123456789abcdef"
#define HEX "30313233343536373839616263646566"

/* A page as the driver tells it, and what the frontier hears of it. */
static const struct becoming {
	enum page_end end;
	int first, last; /* statuses */
	unsigned hops;
	enum diag_code failure;
	const char *wall, *text;
	int status;
	bool is_walled;
	const char *location, *hash;
} becomings[] = {
    {PAGE_ANSWERED, 200, 200, 0, DIAG_OK, NULL, TEXT, 200, false, "", HEX},
    {PAGE_ANSWERED, 200, 200, 0, DIAG_OK, NULL, "", 200, false, "", ""},
    {PAGE_ANSWERED, 304, 304, 0, DIAG_OK, NULL, "", 304, false, "", ""},
    /* a 304 that nobody asked for */
    {PAGE_LOST, 304, 304, 0, DIAG_FETCH_HTTP_ERROR, NULL, "", 304, true, "",
	""},
    /* an answer without a page */
    {PAGE_LOST, 204, 204, 0, DIAG_FETCH_HTTP_ERROR, NULL, "", 204, true, "",
	""},
    {PAGE_LOST, 302, 206, 1, DIAG_FETCH_HTTP_ERROR, NULL, TEXT, 206, true, "",
	""},
    {PAGE_LOST, 200, 200, 0, DIAG_COMPRESSION_ERROR, NULL, TEXT, 200, true, "",
	""},
    /* a permanent redirect counts, whatever it leads to */
    {PAGE_ANSWERED, 301, 200, 1, DIAG_OK, NULL, TEXT, 301, false, A "last", ""},
    {PAGE_LOST, 308, 404, 1, DIAG_FETCH_HTTP_ERROR, NULL, "", 308, false,
	A "first", ""},
    {PAGE_DISALLOWED, 301, 301, 1, DIAG_FETCH_BLOCKED_BY_ROBOTS, NULL, "", 301,
	false, A "first", ""},
    /* any other is what it leads to */
    {PAGE_ANSWERED, 302, 200, 1, DIAG_OK, NULL, TEXT, 200, false, "", HEX},
    {PAGE_LOST, 307, 404, 1, DIAG_FETCH_HTTP_ERROR, NULL, "", 404, false, "",
	""},
    {PAGE_DISALLOWED, 302, 302, 1, DIAG_FETCH_BLOCKED_BY_ROBOTS, NULL, "", 302,
	true, "", ""},
    /* logins */
    {PAGE_LOST, 302, 302, 1, DIAG_FETCH_UNAUTHORIZED, "login", "", 302, true,
	"", ""},
    {PAGE_LOST, 200, 200, 0, DIAG_FETCH_UNAUTHORIZED, "login", TEXT, 200, true,
	"", ""},
    /* robots.txt, and servers that do not answer */
    {PAGE_DISALLOWED, 0, 0, 0, DIAG_FETCH_BLOCKED_BY_ROBOTS, NULL, "", 0, true,
	"", ""},
    {PAGE_LOST, 0, 0, 0, DIAG_FETCH_NETWORK_ERROR, NULL, "", 0, false, "", ""},
    {PAGE_LOST, 200, 200, 0, DIAG_FETCH_NETWORK_ERROR, NULL, "", 0, false, "",
	""},
    {PAGE_LOST, 999, 999, 0, DIAG_FETCH_HTTP_ERROR, NULL, "", 0, false, "",
	""}};

static void
test_result(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(becomings) / sizeof(becomings[0]); i++) {
		const struct becoming *row = &becomings[i];
		struct page_facts facts = {.text = slice_of(row->text)};
		struct listed_page page = {.url = slice_of(A),
		    .end = row->end,
		    .status = row->first,
		    .final_status = row->last,
		    .hops = row->hops,
		    .failure = row->failure,
		    .wall = row->wall,
		    .facts = &facts,
		    .etag = slice_of("\"1\""),
		    .last_modified = slice_of("then"),
		    .final_url = slice_of(A "last"),
		    .first_location = slice_of(row->hops > 0 ? A "first" : ""),
		    .retry_after_s = -1};
		char hash[PAGE_HASH_BYTES];
		struct frontier_result result = page_result(
		    &page, 1000, NULL, hash);

		if (result.status != row->status ||
		    result.is_walled != row->is_walled ||
		    !slice_is(result.location, row->location) ||
		    !slice_is(result.content_hash, row->hash))
			fail_msg("row %zu: %d %d '%.*s' '%s'", i, result.status,
			    result.is_walled, (int)result.location.len,
			    result.location.p, hash);
		assert_int_equal(result.has_hash, row->hash[0] != '\0');
		/* what another URL has says nothing of this one */
		assert_true(
		    slice_is(result.etag, row->hops > 0 ? "" : "\"1\""));
		assert_true(slice_is(
		    result.last_modified, row->hops > 0 ? "" : "then"));
		assert_int_equal(result.at_s, 1000);
		assert_int_equal(result.retry_after_s, 0);
	}
}

/* What is no HTML has the digest of its body. */
static void
test_body(void **state)
{
	struct listed_page page = {.url = slice_of(A),
	    .status = 200,
	    .final_status = 200,
	    .retry_after_s = 7};
	char hash[PAGE_HASH_BYTES];
	struct frontier_result result = page_result(
	    &page, 1000, (const uint8_t *)TEXT, hash);

	(void)state;
	assert_string_equal(hash, HEX);
	assert_int_equal(result.retry_after_s, 7);
}

static void
test_object(void **state)
{
	struct page_facts facts = {
	    .title = slice_of("a \"b\""), .links = 3, .text = slice_of(TEXT)};
	struct listed_page page = {.url = slice_of(A),
	    .status = 200,
	    .final_status = 200,
	    .facts = &facts,
	    .content_type = slice_of("text/html"),
	    .bytes = 12,
	    .ms = 5};
	struct archive_place place = {.file = "f.warc.gz",
	    .offset = 1,
	    .length = 2,
	    .record_id = "urn:uuid:x"};
	char hash[PAGE_HASH_BYTES];
	struct frontier_result result = page_result(&page, 0, NULL, hash);
	struct buf out = BUF_UP_TO(SIZE_MAX);

	(void)state;
	result.at_s = 1767225600;
	page_object_begin(&out, &page, &result, PAGE_CHANGED);
	page_object_archive(&out, &place);
	out_json_end(&out, '}');
	assert_string_equal(buf_str(&out),
	    "{\"v\":1,\"type\":\"page\",\"url\":\"" A "\",\"status\":200,"
	    "\"outcome\":\"changed\",\"title\":\"a \\\"b\\\"\","
	    "\"description\":null,\"language\":null,\"canonical\":null,"
	    "\"robots\":null,\"links\":3,\"bytes\":12,\"content_hash\":\"" HEX
	    "\",\"changed\":true,\"ms\":5,\"content_type\":\"text/html\","
	    "\"noindex\":false,\"fetched\":\"2026-01-01T00:00:00Z\","
	    "\"archive\":{\"file\":\"f.warc.gz\",\"offset\":1,\"length\":2,"
	    "\"id\":\"urn:uuid:x\",\"revisit\":false}}");
	buf_release(&out);
}

UNIT(page_object)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_result),
	    cmocka_unit_test(test_body), cmocka_unit_test(test_object)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
