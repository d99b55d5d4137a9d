/* The rules engine at the ends of its buffers and frames, where no document
 * and no case leads. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/robots.h"
#include "base/url.h"
#include "base/w3cdate.h"
#include "store/location.h"

static enum diag_code
normalise(struct slice host, size_t room)
{
	struct buf out;
	uint8_t kind;
	bool was_idn;
	enum diag_code code;

	buf_init(&out, room);
	code = host_normalise(&out, host, &kind, &was_idn);
	buf_release(&out);
	return code;
}

static void
hosts_need_room(void **state)
{
	static const char *const hosts[] = {
	    "example.com", "1.2.3.4", "[2001:db8::1]", "[::ffff:1.2.3.4]"};

	(void)state;
	for (size_t i = 0; i < COUNT(hosts); i++) {
		assert_int_equal(normalise(slice_of(hosts[i]), 64), DIAG_OK);
		assert_int_equal(
		    normalise(slice_of(hosts[i]), 6), DIAG_INVALID_URL);
	}
	/* a NUL ends no address */
	assert_int_equal(
	    normalise(slice_make("[::1\0]", 6), 64), DIAG_INVALID_URL);
}

/* Nothing is read behind the last byte. */
static void
hosts_end(void **state)
{
	char full[1024];
	char *cut = slice_dup(slice_of("a%4"));

	(void)state;
	memset(full, 'A', sizeof(full));
	assert_int_equal(
	    normalise(slice_make(full, sizeof(full)), 4096), DIAG_INVALID_URL);
	assert_int_equal(
	    normalise(slice_make(full, HOST_NAME_BYTES), 4096), DIAG_OK);
	assert_int_equal(normalise(slice_make(full, HOST_NAME_BYTES + 1), 4096),
	    DIAG_INVALID_URL);
	assert_int_equal(normalise(slice_make(cut, 3), 64), DIAG_INVALID_URL);
	cut[2] = '%';
	assert_int_equal(normalise(slice_make(cut, 3), 64), DIAG_INVALID_URL);
	free(cut);
}

static void
no_domain_is_registrable(void **state)
{
	char text[1026];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text + 1021, ".com", 4);
	assert_int_equal(host_registrable(slice_make(text, 0)).len, 0);
	assert_int_equal(host_registrable(slice_make(text, 1025)).len, 0);
	assert_int_equal(
	    host_registrable(slice_make(text + 1, 1024)).len, 1024);
	assert_int_equal(host_registrable(slice_of("[::1]")).len, 0);
}

/* Bytes that continue a character count for none: only memory bounds them. */
static void
urls_need_room(void **state)
{
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct url base, url;
	struct buf raw;

	(void)state;
	url_init(&base);
	url_init(&url);
	buf_init(&raw, 1 << 20);
	assert_int_equal(url_parse(&base, slice_of("https://a.example/d/s.xml"),
			     NULL, &profile, (struct diag_sink){0}),
	    DIAG_OK);
	(void)buf_put_slice(&raw, slice_of("/\t"));
	for (int i = 0; i < 200000; i++)
		(void)buf_put_char(&raw, (char)0x80);
	assert_int_equal(url_parse(&url, buf_text(&raw), &base, &profile,
			     (struct diag_sink){0}),
	    DIAG_URL_TOO_LONG);
	raw.p[1] = 'x';
	assert_int_equal(url_parse(&url, buf_text(&raw), &base, &profile,
			     (struct diag_sink){0}),
	    DIAG_URL_TOO_LONG);
	/* nothing refers to the base itself (RFC 3986 4.4) */
	assert_int_equal(
	    url_resolve(&url, slice_of(""), &base, (struct diag_sink){0}),
	    DIAG_OK);
	assert_true(slice_equal(url_text(&url), url_text(&base)));
	buf_release(&raw);
	url_release(&base);
	url_release(&url);
}

/* A day of a zone that is half an hour off is no day of UTC. */
static void
days_keep_their_instant(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct date date;
	struct buf out;

	(void)state;
	buf_init(&out, 64);
	assert_int_equal(date_parse(&date, slice_of("2024-06-05-00:30"),
			     &profile, (struct diag_sink){0}),
	    DIAG_OK);
	date_print(&out, &date);
	assert_string_equal(buf_str(&out), "2024-06-05T00:30Z");
	buf_release(&out);
}

/* travels(frame): is it taken for a scope? */
static bool
travels(struct slice frame)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct wire wire = wire_open(frame);
	struct location_scope scope;
	bool is_good;

	location_scope_init(&scope, &profile);
	is_good = location_scope_get(&wire, &scope);
	location_scope_release(&scope);
	return is_good;
}

static void
frames_are_not_believed(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct location_scope scope;
	struct buf frame;

	(void)state;
	buf_init(&frame, 1 << 16);
	location_scope_init(&scope, &profile);
	/* a local file has no place */
	location_scope_put(&frame, &scope);
	assert_true(travels(buf_text(&frame)));
	/* the three sets are empty: a count, each; now the first is endless */
	frame.len -= 3;
	wire_put_varint(&frame, 100001);
	assert_false(travels(buf_text(&frame)));
	buf_clear(&frame);
	profile_put(&frame, &profile);
	wire_put_u8(&frame, 1);
	wire_put_slice(&frame, slice_of("no URL"));
	assert_false(travels(buf_text(&frame)));
	/* two names, cut within the first */
	string_set_add(&scope.proof_origins, slice_of("https://a.example"));
	string_set_add(&scope.proof_origins, slice_of("https://b.example"));
	string_set_add(&scope.proof_origins, slice_of("https://a.example"));
	assert_int_equal(scope.proof_origins.count, 2);
	buf_clear(&frame);
	location_scope_put(&frame, &scope);
	assert_true(travels(buf_text(&frame)));
	assert_false(travels(slice_make(frame.p, frame.len - 30)));
	assert_int_not_equal(location_fingerprint(&scope, 1), 0);
	location_scope_release(&scope);
	buf_release(&frame);
}

/* A finding without a detail has none: nothing is behind its pointer. */
static void
no_detail(void *arg, enum diag_code code, struct slice detail)
{
	unsigned *count = arg;

	(void)code;
	assert_int_equal(detail.len, 0);
	(*count)++;
}

static void
findings_have_no_detail(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	unsigned count = 0;
	struct robots *robots;
	struct robots_verdict verdict;
	struct url url;

	(void)state;
	url_init(&url);
	(void)url_parse(&url, slice_of("https://a.example/ #"), NULL, &profile,
	    (struct diag_sink){no_detail, &count});
	assert_int_equal(count, 2);
	url_release(&url);
	robots = robots_parse(
	    slice_of("\xef\xbb\xbf<User-agent: *\nUser-agent: *\n"
		     "Crawl-delay: 1\nDisallow: /first\nDisallow: /second\n"),
	    slice_of("freshet"), &profile,
	    (struct diag_sink){no_detail, &count});
	assert_int_equal(count, 5);
	/* the rule is named as it stands in the file */
	verdict = robots_verdict(robots, slice_of("/second/x"));
	assert_false(verdict.is_allowed);
	assert_int_equal(verdict.line, 5);
	assert_true(slice_is(verdict.rule, "/second"));
	robots_free(robots);
}

static struct self_listed *
listing(const char *url)
{
	struct self_listed *listed = self_listed_new();

	assert_true(self_listed_add(listed, slice_of(url)));
	self_listed_seal(listed);
	return listed;
}

/* A copy is the same scope, whatever it was before. */
static void
scopes_are_copied(void **state)
{
	struct profile profile = profile_default(PROFILE_STRICT);
	struct location_scope from, to;

	(void)state;
	location_scope_init(&from, &profile);
	profile = profile_default(PROFILE_LENIENT);
	location_scope_init(&to, &profile);
	from.has_location = true;
	assert_int_equal(
	    url_parse(&from.requested, slice_of("https://a.example/i.xml"),
		NULL, &profile, (struct diag_sink){0}),
	    DIAG_OK);
	assert_int_equal(
	    url_parse(&from.final, slice_of("https://a.example/j.xml"), NULL,
		&profile, (struct diag_sink){0}),
	    DIAG_OK);
	string_set_add(&from.proof_origins, slice_of("https://a.example"));
	from.listed = listing("https://a.example/d/s.xml");
	string_set_add(&from.own, slice_of("domain:a.example"));
	string_set_add(&to.proof_origins, slice_of("https://b.example"));
	to.listed = listing("https://b.example/s.xml");
	string_set_add(&to.own, slice_of("domain:b.example"));
	location_scope_copy(&to, &from);
	assert_int_equal(
	    location_fingerprint(&to, 1), location_fingerprint(&from, 1));
	assert_true(
	    slice_is(url_text(&to.requested), "https://a.example/i.xml"));
	location_scope_release(&from);
	location_scope_release(&to);
}

static void
assertions_name_hosts(void **state)
{
	struct string_set own = {0};

	(void)state;
	assert_false(location_own_parse(&own, slice_of("domain:a b")));
	assert_int_equal(own.count, 0);
	string_set_release(&own);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hosts_need_room),
	    cmocka_unit_test(hosts_end),
	    cmocka_unit_test(no_domain_is_registrable),
	    cmocka_unit_test(scopes_are_copied),
	    cmocka_unit_test(findings_have_no_detail),
	    cmocka_unit_test(urls_need_room),
	    cmocka_unit_test(days_keep_their_instant),
	    cmocka_unit_test(frames_are_not_believed),
	    cmocka_unit_test(assertions_name_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
