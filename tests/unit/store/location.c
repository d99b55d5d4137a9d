/* Location rules, as far as the conformance cases of kind location do not
 * reach: ownership, frames, sets. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/location.h"

static void
set(struct location_scope *scope, const char *requested, const char *final)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink nowhere = {0};

	scope->has_location = true;
	assert_int_equal(url_parse(&scope->requested, slice_of(requested), NULL,
			     &profile, nowhere),
	    DIAG_OK);
	assert_int_equal(
	    url_parse(&scope->final, slice_of(final), NULL, &profile, nowhere),
	    DIAG_OK);
}

static struct location_verdict
judge(const struct location_scope *scope, const char *text,
    enum location_subject subject)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct location_verdict verdict;
	struct url url;

	url_init(&url);
	assert_int_equal(url_parse(&url, slice_of(text), NULL, &profile,
			     (struct diag_sink){0}),
	    DIAG_OK);
	verdict = location_judge(scope, &url, subject);
	url_release(&url);
	return verdict;
}

struct row {
	const char *rule;
	const char *document;
	const char *entry;
	enum diag_code code; /* DIAG_OK: a plain accept */
};

/* The first failing test names the code (SPEC R-71). */
static const struct row rows[] = {
    {"R-58", "http://a.example/c/s.xml", "http://a.example/c/x", DIAG_OK},
    {"R-58", "http://a.example/c/s.xml", "http://a.example/cat",
	DIAG_OUTSIDE_DIRECTORY},
    {"R-71", "http://a.example/c/s.xml", "https://b.example:8/x",
	DIAG_HOST_MISMATCH},
    {"R-71", "http://a.example/c/s.xml", "https://www.a.example:8/x",
	DIAG_WWW_MISSING},
    {"R-71", "http://a.example/c/s.xml", "https://a.example:8/x",
	DIAG_SCHEME_MISMATCH},
    {"R-71", "http://a.example/c/s.xml", "http://a.example:8/x",
	DIAG_PORT_MISMATCH},
    {"R-70", "http://a.example/s.xml", "http://10.1.2.3/x",
	DIAG_PRIVATE_ADDRESS},
    {"R-70", "http://a.example/s.xml", "http://x.localhost/x",
	DIAG_PRIVATE_ADDRESS},
    {"R-70", "http://10.1.2.3/s.xml", "http://10.1.2.3/x", DIAG_OK},
    {"R-62", "http://a.example/s.xml", "http://b.a.example/x",
	DIAG_HOST_MISMATCH},
    {"R-61", "http://www.a.example/s.xml", "http://a.example/x",
	DIAG_WWW_EXTRA},
};

static void
test_rows(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct location_scope scope;
		struct location_verdict verdict;

		location_scope_init(&scope, &profile);
		set(&scope, rows[i].document, rows[i].document);
		verdict = judge(&scope, rows[i].entry, SUBJECT_PAGE);
		assert_int_equal(verdict.code, rows[i].code);
		assert_int_equal(verdict.is_accepted, rows[i].code == DIAG_OK);
		location_scope_release(&scope);
	}
}

/* SPEC R-54: a redirect within a site is judged by both URLs, also if the host
 * is an address or has no domain above it. */
static void
test_redirected(void **state)
{
	static const char *const hosts[] = {
	    "http://a.example", "http://10.1.2.3", "http://localhost"};
	struct profile profile = profile_default(PROFILE_GOOGLE);

	profile.redirect_base = REDIRECT_EITHER;
	for (size_t i = 0; i < COUNT(hosts); i++) {
		char from[40], to[40], entry[40];
		struct location_scope scope;

		(void)snprintf(from, sizeof(from), "%s/s.xml", hosts[i]);
		(void)snprintf(to, sizeof(to), "%s/c/s.xml", hosts[i]);
		(void)snprintf(entry, sizeof(entry), "%s/x", hosts[i]);
		location_scope_init(&scope, &profile);
		set(&scope, from, to);
		assert_int_equal(
		    judge(&scope, entry, SUBJECT_PAGE).code, DIAG_OK);
		location_scope_release(&scope);
	}
}

/* SPEC R-61: the label "www" has a switch of its own, whatever site_match
 * says. */
static void
test_www(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	const char *entry = "http://www.a.example/x";

	for (int www = WWW_EXACT; www <= WWW_FOLD; www++) {
		for (int site = SITE_ORIGIN; site <= SITE_REGISTRABLE; site++) {
			struct location_scope scope;

			location_scope_init(&scope, &profile);
			set(&scope, "http://a.example/s.xml",
			    "http://a.example/s.xml");
			scope.profile.www_rule = www;
			scope.profile.site_match = site;
			assert_int_equal(
			    judge(&scope, entry, SUBJECT_PAGE).code,
			    www == WWW_FOLD ? DIAG_CROSS_HOST_ACCEPTED
					    : DIAG_WWW_MISSING);
			location_scope_release(&scope);
		}
	}
}

/* SPEC R-69: an index may list neither of its URLs; a page list may. */
static void
test_self(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct location_scope scope;

	location_scope_init(&scope, &profile);
	set(&scope, "https://a.example/i.xml", "https://a.example/j.xml");
	assert_int_equal(
	    judge(&scope, "https://a.example/i.xml", SUBJECT_CHILD).code,
	    DIAG_INDEX_SELF_REFERENCE);
	assert_int_equal(
	    judge(&scope, "https://a.example/j.xml", SUBJECT_CHILD).code,
	    DIAG_INDEX_SELF_REFERENCE);
	assert_true(
	    judge(&scope, "https://a.example/i.xml", SUBJECT_PAGE).is_accepted);
	location_scope_release(&scope);
}

/* SPEC R-67: the forms of --own. */
static void
test_own(void **state)
{
	struct string_set own = {0};

	assert_true(location_own_parse(&own, slice_of("domain:Example.COM")));
	assert_true(string_set_has(&own, slice_of("domain:example.com")));
	assert_true(
	    location_own_parse(&own, slice_of("https://Example.com/Shop")));
	assert_true(string_set_has(&own, slice_of("https://example.com/Shop")));
	assert_true(
	    location_own_parse(&own, slice_of("https://b.example/c d")));
	assert_true(string_set_has(&own, slice_of("https://b.example/c%20d")));
	assert_false(location_own_parse(&own, slice_of("domain:")));
	assert_false(location_own_parse(&own, slice_of("domain:com")));
	assert_false(location_own_parse(&own, slice_of("domain:co.uk")));
	assert_false(location_own_parse(&own, slice_of("domain:1.2.3.4")));
	assert_false(location_own_parse(&own, slice_of("example.com")));
	assert_false(location_own_parse(&own, slice_of("ftp://example.com/")));
	assert_int_equal(own.count, 3);
	string_set_release(&own);
}

/* A local file has no URL, so no entry can be outside its directory (SPEC
 * 15.7). */
static void
test_local(void **state)
{
	struct profile profile = profile_default(PROFILE_STRICT);
	struct location_scope scope;

	location_scope_init(&scope, &profile);
	assert_true(
	    judge(&scope, "https://a.example/", SUBJECT_PAGE).is_accepted);
	location_scope_release(&scope);
}

/* Every cut frame is refused, and none is read beyond its end. */
static void
test_cut_frames(void **state)
{
	struct profile profile = profile_default(PROFILE_LENIENT);
	struct location_scope scope;
	struct buf frame;

	location_scope_init(&scope, &profile);
	set(&scope, "https://a.example/i.xml", "https://a.example/j.xml");
	string_set_add(&scope.proof_origins, slice_of("https://b.example"));
	string_set_add(&scope.own, slice_of("domain:a.example"));
	buf_init(&frame, 65536);
	location_scope_put(&frame, &scope);
	for (size_t n = 0; n < frame.len; n++) {
		struct location_scope copy;
		struct wire wire = wire_open(slice_make(frame.p, n));

		location_scope_init(&copy, &profile);
		assert_false(location_scope_get(&wire, &copy));
		location_scope_release(&copy);
	}
	buf_release(&frame);
	location_scope_release(&scope);
}

static struct self_listed *
listing(const char *url)
{
	struct self_listed *listed = self_listed_new();

	assert_true(self_listed_add(listed, slice_of(url)));
	self_listed_seal(listed);
	return listed;
}

/* SPEC 15.1: with other proofs, owners, URLs or readers the scope is another
 * one. */
static void
test_fingerprint(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct location_scope scope;
	uint64_t before, after;

	location_scope_init(&scope, &profile);
	set(&scope, "https://a.example/i.xml", "https://a.example/i.xml");
	before = location_fingerprint(&scope, 1);
	assert_int_equal(location_fingerprint(&scope, 1), before);
	assert_int_not_equal(location_fingerprint(&scope, 2), before);
	string_set_add(&scope.proof_origins, slice_of("https://b.example"));
	after = location_fingerprint(&scope, 1);
	assert_int_not_equal(after, before);
	before = after;
	scope.listed = listing("https://b.example/s.xml");
	after = location_fingerprint(&scope, 1);
	assert_int_not_equal(after, before);
	scope.profile.dir_rule = DIR_WARN;
	assert_int_not_equal(location_fingerprint(&scope, 1), after);
	location_scope_release(&scope);
}

/* Is the frame accepted as a scope? */
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

	buf_init(&frame, 1 << 20);
	location_scope_init(&scope, &profile);
	/* a local file has no URL */
	location_scope_put(&frame, &scope);
	assert_true(travels(buf_text(&frame)));
	/* the three sets are empty, a count each; now the first count is too
	 * large */
	frame.len -= 3;
	wire_put_varint(&frame, 100001);
	assert_false(travels(buf_text(&frame)));
	buf_clear(&frame);
	profile_put(&frame, &profile);
	wire_put_u8(&frame, 1);
	wire_put_slice(&frame, slice_of("no URL"));
	assert_false(travels(buf_text(&frame)));
	/* as many items as a set may have */
	buf_clear(&frame);
	location_scope_put(&frame, &scope);
	frame.len -= 3;
	wire_put_varint(&frame, 100000);
	for (unsigned i = 0; i < 100000; i++) {
		char text[8];

		(void)snprintf(text, sizeof(text), "%06u", i);
		wire_put_slice(&frame, slice_of(text));
	}
	self_listed_put(&frame, NULL);
	wire_put_varint(&frame, 0);
	assert_true(travels(buf_text(&frame)));
	/* two origins, and a frame that is cut within the first */
	string_set_add(&scope.proof_origins, slice_of("https://b.example"));
	string_set_add(&scope.proof_origins, slice_of("https://a.example"));
	string_set_add(&scope.proof_origins, slice_of("https://b.example"));
	assert_int_equal(scope.proof_origins.count, 2);
	buf_clear(&frame);
	location_scope_put(&frame, &scope);
	assert_true(travels(buf_text(&frame)));
	assert_false(travels(slice_make(frame.p, frame.len - 30)));
	assert_int_not_equal(location_fingerprint(&scope, 1), 0);
	location_scope_release(&scope);
	buf_release(&frame);
}

/* A copy has the same scope, whatever the struct held before. */
static void
scopes_are_copied(void **state)
{
	struct profile profile = profile_default(PROFILE_STRICT);
	struct location_scope from, to;

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

	assert_false(location_own_parse(&own, slice_of("domain:a b")));
	assert_int_equal(own.count, 0);
	string_set_release(&own);
}

UNIT_TESTS(location, cmocka_unit_test(test_rows),
    cmocka_unit_test(test_redirected), cmocka_unit_test(test_www),
    cmocka_unit_test(test_self), cmocka_unit_test(test_own),
    cmocka_unit_test(test_local), cmocka_unit_test(test_cut_frames),
    cmocka_unit_test(test_fingerprint),
    cmocka_unit_test(frames_are_not_believed),
    cmocka_unit_test(scopes_are_copied),
    cmocka_unit_test(assertions_name_hosts));
