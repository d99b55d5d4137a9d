/* crawler/parse/read.c: each switch of the profile that a reading depends on is
 * set alone (SPEC section 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/fixtures/read_fixture.h"

#define NS "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define HERE "https://a.example/d/s.xml"
#define HOST "https://a.example/d/"
#define URL(loc) "<url><loc>" loc "</loc></url>"
#define SET(inside) "<urlset " NS ">" inside "</urlset>"
#define OLD "<urlset xmlns='http://www.google.com/schemas/sitemap/0.84'>"
#define ODD "<urlset xmlns='urn:x'>"
#define DATED(text) \
	SET("<url><loc>" HOST "a</loc><lastmod>" text "</lastmod></url>")
#define THREE SET(URL(HOST "a") URL(HOST "b") URL(HOST "c"))
#define CUT "<urlset " NS ">" URL(HOST "a") "<url>"
#define DTD "<!DOCTYPE urlset SYSTEM 'x'>" SET(URL(HOST "a"))
#define INDEX                                                          \
	"<sitemapindex " NS "><sitemap><loc>" HOST "a</loc></sitemap>" \
	"</sitemapindex>"

/* All other switches are as in google. The limit is two entries, the hard limit
 * three; an index is the child of an index. */
static const struct {
	const char *key;
	const char *value;
	const char *document;
	const char *codes;
	const char *locs; /* with their dates */
} cases[] = {
    {"namespace", "exact", SET(URL(HOST "a")), "", HOST "a"},
    {"namespace", "exact", OLD URL(HOST "a") "</urlset>", "legacy-namespace",
	""},
    {"namespace", "exact", ODD URL(HOST "a") "</urlset>", "incorrect-namespace",
	""},
    {"namespace", "exact", "<urlset>" URL(HOST "a") "</urlset>",
	"missing-namespace", ""},
    {"namespace", "known", OLD URL(HOST "a") "</urlset>", "legacy-namespace",
	HOST "a"},
    {"namespace", "any", ODD URL(HOST "a") "</urlset>", "incorrect-namespace",
	HOST "a"},
    {"namespace", "any", "<urlset>" URL(HOST "a") "</urlset>",
	"missing-namespace", HOST "a"},
    {"relative_loc", "reject", SET(URL("a")), "relative-url", ""},
    {"relative_loc", "resolve", SET(URL("a")), "relative-url", HOST "a"},
    {"max_loc_chars", "21", SET(URL(HOST "a")), "", HOST "a"},
    {"max_loc_chars", "20", SET(URL(HOST "a")), "url-too-long", ""},
    {"lastmod_forms", "note", DATED("2025-01-01T10:00:00"), "invalid-date",
	HOST "a"},
    {"lastmod_forms", "note", DATED("2025-01-01+01:00"), "invalid-date",
	HOST "a"},
    {"lastmod_forms", "zones", DATED("2025-01-01T10:00:00"),
	"lastmod-no-timezone", HOST "a 2025-01-01T10:00:00Z"},
    {"lastmod_forms", "zones", DATED("2025-01-01 10:00:00Z"), "invalid-date",
	HOST "a"},
    {"lastmod_forms", "repair", DATED("2025-01-01 10:00:00Z"),
	"lastmod-nonstandard", HOST "a 2025-01-01T10:00:00Z"},
    {"on_partial", "drop", CUT, "parse-error", ""},
    {"on_partial", "keep", CUT, "parse-error partial-document", HOST "a"},
    {"limit_overrun", "drop", THREE, "too-many-urls", ""},
    {"limit_overrun", "first", THREE, "too-many-urls partial-document",
	HOST "a " HOST "b"},
    {"limit_overrun", "all", THREE, "too-many-urls",
	HOST "a " HOST "b " HOST "c"},
    {"doctype", "reject", DTD, "doctype-present", ""},
    {"doctype", "skip", DTD, "doctype-present", HOST "a"},
    {"nested_index", "reject", INDEX, "nested-index", ""},
    {"nested_index", "follow", INDEX, "nested-index", HOST "a"},
};

static void
print_reading(
    const struct fixture *fixture, struct buf *codes, struct buf *locs)
{
	buf_clear(codes);
	for (size_t j = 0; j < fixture->content.findings.count; j++)
		(void)buf_print(codes, "%s%s", j > 0 ? " " : "",
		    diag_name(fixture->content.findings.items[j].code));
	buf_clear(locs);
	for (size_t j = 0; j < fixture->count; j++) {
		const struct date *date = &fixture->entries[j].entry.lastmod;

		(void)buf_print(
		    locs, "%s%s", j > 0 ? " " : "", fixture->entries[j].url);
		(void)buf_print(
		    locs, "%s", date->precision == DATE_NONE ? "" : " ");
		date_print(locs, date);
	}
}

static void
test_switches(void **state)
{
	struct buf codes;
	struct buf locs;

	(void)state;
	buf_init(&codes, 1 << 16);
	buf_init(&locs, 1 << 16);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		struct scope scope;

		fixture_init(&fixture, slice_of(cases[i].document));
		fixture_scope(&scope, PROFILE_GOOGLE, HERE);
		assert_true(profile_set(&scope.location.profile,
		    slice_of(cases[i].key), slice_of(cases[i].value)));
		scope.limits.max_entries = 2;
		scope.limits.hard_entries = 3;
		scope.is_child = true;
		scope.depth = 1;
		fixture_read(&fixture, &scope);
		print_reading(&fixture, &codes, &locs);
		if (!slice_is(buf_text(&codes), cases[i].codes) ||
		    !slice_is(buf_text(&locs), cases[i].locs))
			fail_msg("%s=%s: '%s', '%s'", cases[i].key,
			    cases[i].value, buf_str(&codes), buf_str(&locs));
		fixture_release(&fixture);
		scope_release(&scope);
	}
	buf_release(&codes);
	buf_release(&locs);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_switches)};

	read_warm();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
