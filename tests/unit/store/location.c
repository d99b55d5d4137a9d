/* Location rules, as far as the conformance cases of kind location do not
 * reach: ownership, frames, sets. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/location.h"
#include "tests/fixtures/url_fixture.h"

/* The scope of a document that was requested at one URL and found at another;
 * NULL: of a local file.  The caller releases it. */
static struct location_scope
scope_of(enum profile_name name, const char *requested, const char *final_url)
{
	struct profile profile = profile_default(name);
	struct location_scope scope;

	location_scope_init(&scope, &profile);
	if (requested == NULL)
		return scope;
	scope.has_location = true;
	url_release(&scope.requested);
	url_release(&scope.final);
	must_parse_url(&scope.requested, requested);
	must_parse_url(&scope.final, final_url);
	return scope;
}

static struct location_verdict
judge(const struct location_scope *scope, const char *text)
{
	struct location_verdict verdict;
	struct url url;

	must_parse_url(&url, text);
	verdict = location_judge(scope, &url, SUBJECT_PAGE);
	url_release(&url);
	return verdict;
}

/* SPEC R-54: a redirect within a site is judged by both URLs, also if the host
 * is an address or has no domain above it. */
static void
test_redirected(void **state)
{
	static const char *const hosts[] = {
	    "http://a.example", "http://10.1.2.3", "http://localhost"};

	for (size_t i = 0; i < COUNT(hosts); i++) {
		char from[40], to[40], entry[40];
		struct location_scope scope;

		(void)snprintf(from, sizeof(from), "%s/s.xml", hosts[i]);
		(void)snprintf(to, sizeof(to), "%s/c/s.xml", hosts[i]);
		(void)snprintf(entry, sizeof(entry), "%s/x", hosts[i]);
		scope = scope_of(PROFILE_GOOGLE, from, to);
		scope.profile.redirect_base = REDIRECT_EITHER;
		if (judge(&scope, entry).code != DIAG_OK)
			fail_msg("%s", entry);
		location_scope_release(&scope);
	}
}

/* SPEC R-67: the forms of --own, and what is kept of them. */
static void
test_own(void **state)
{
	static const struct {
		const char *text;
		const char *kept; /* NULL: refused */
	} rows[] = {
	    {"domain:Example.COM", "domain:example.com"},
	    {"https://Example.com/Shop", "https://example.com/Shop"},
	    {"https://b.example/c d", "https://b.example/c%20d"},
	    {"domain:", NULL},
	    {"domain:com", NULL},
	    {"domain:co.uk", NULL},
	    {"domain:1.2.3.4", NULL},
	    {"domain:a b", NULL},
	    {"example.com", NULL},
	    {"ftp://example.com/", NULL},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct string_set own = {0};
		bool is_own = location_own_parse(&own, slice_of(rows[i].text));

		if (is_own != (rows[i].kept != NULL) || own.count != is_own ||
		    (is_own && strcmp(own.items[0], rows[i].kept) != 0))
			fail_msg("--own '%s'", rows[i].text);
		string_set_release(&own);
	}
}

/* A local file has no URL, so no entry can be outside its directory (SPEC
 * 15.7). */
static void
test_local(void **state)
{
	struct location_scope scope = scope_of(PROFILE_STRICT, NULL, NULL);

	assert_true(judge(&scope, "https://a.example/").is_accepted);
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
	struct location_scope scope = scope_of(PROFILE_GOOGLE, NULL, NULL);
	uint64_t before, after;

	/* a local file */
	before = location_fingerprint(&scope, 1);
	assert_int_not_equal(location_fingerprint(&scope, 2), before);
	location_scope_release(&scope);
	scope = scope_of(PROFILE_GOOGLE, "https://a.example/i.xml",
	    "https://a.example/i.xml");
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
	struct wire wire = {frame, true};
	struct location_scope scope = scope_of(PROFILE_GOOGLE, NULL, NULL);
	bool is_good = location_scope_get(&wire, &scope);

	location_scope_release(&scope);
	return is_good;
}

/* Every cut frame is refused, and none is read beyond its end. */
static void
test_cut_frames(void **state)
{
	struct location_scope scope = scope_of(PROFILE_LENIENT,
	    "https://a.example/i.xml", "https://a.example/j.xml");
	struct buf frame;

	/* that an origin is added twice makes no difference */
	for (int i = 0; i < 2; i++)
		string_set_add(
		    &scope.proof_origins, slice_of("https://b.example"));
	assert_int_equal(scope.proof_origins.count, 1);
	string_set_add(&scope.own, slice_of("domain:a.example"));
	string_set_add(&scope.own, slice_of("domain:b.example"));
	buf_init(&frame, 65536);
	location_scope_put(&frame, &scope, false);
	assert_true(travels(buf_text(&frame)));
	for (size_t n = 0; n < frame.len; n++)
		assert_false(travels(slice_make(frame.p, n)));
	buf_release(&frame);
	location_scope_release(&scope);
}

static void
frames_are_not_believed(void **state)
{
	struct location_scope scope = scope_of(PROFILE_GOOGLE, NULL, NULL);
	struct buf frame;

	buf_init(&frame, 1 << 20);
	/* a local file has no URL */
	location_scope_put(&frame, &scope, false);
	assert_true(travels(buf_text(&frame)));
	/* the three sets are empty, a count each; now the first count is too
	 * large */
	frame.len -= 3;
	wire_put_varint(&frame, 100001);
	assert_false(travels(buf_text(&frame)));
	buf_clear(&frame);
	profile_put(&frame, &scope.profile);
	wire_put_fixed(&frame, 1, 1);
	wire_put_slice(&frame, slice_of("no URL"));
	wire_put_slice(&frame, slice_of("https://a.example/"));
	assert_false(travels(buf_text(&frame)));
	frame.len = 0;
	profile_put(&frame, &scope.profile);
	wire_put_fixed(&frame, 1, 1);
	wire_put_slice(&frame, slice_of("https://a.example/"));
	wire_put_slice(&frame, slice_of("no URL"));
	assert_false(travels(buf_text(&frame)));
	/* as many items as a set may have */
	buf_clear(&frame);
	location_scope_put(&frame, &scope, false);
	frame.len -= 3;
	wire_put_varint(&frame, 100000);
	for (unsigned i = 0; i < 100000; i++) {
		char text[8];

		(void)snprintf(text, sizeof(text), "%06u", i);
		wire_put_slice(&frame, slice_of(text));
	}
	wire_put_varint(&frame, 0);
	wire_put_varint(&frame, 0);
	assert_true(travels(buf_text(&frame)));
	location_scope_release(&scope);
	buf_release(&frame);
}

/* A copy has the same scope, whatever the struct held before. */
static void
scopes_are_copied(void **state)
{
	struct location_scope from = scope_of(PROFILE_STRICT,
	    "https://a.example/i.xml", "https://a.example/j.xml");
	struct location_scope to = scope_of(PROFILE_LENIENT, NULL, NULL);

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

UNIT_TESTS(location, cmocka_unit_test(test_redirected),
    cmocka_unit_test(test_own), cmocka_unit_test(test_local),
    cmocka_unit_test(test_cut_frames), cmocka_unit_test(test_fingerprint),
    cmocka_unit_test(frames_are_not_believed),
    cmocka_unit_test(scopes_are_copied));
