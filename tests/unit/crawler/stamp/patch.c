/* crawler/stamp/patch.c: dates in the bytes of a sitemap. */
#include "tests/fixtures/fixture.h"

#include "base/wire.h"
#include "crawler/stamp/patch.h"
#include "tests/fixtures/read_fixture.h"

#define HEAD "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
#define LOC "<loc>https://a.example/a</loc>"
#define DAY "<lastmod>2024-01-01</lastmod>"
#define SET "<lastmod>2026-01-01T00:00:00Z</lastmod>"

/* What becomes of a document of two entries, of which the second one stays. */
static const struct {
	const char *why, *entry;
	enum patch_action action;
	const char *made;
} cases[] = {
    {"stays", " " LOC "\n " DAY "\n", PATCH_STAYS, " " LOC "\n " DAY "\n"},
    {"set", " " LOC "\n " DAY "\n", PATCH_SETS, " " LOC "\n " SET "\n"},
    {"set before the loc", "\n\t" DAY LOC, PATCH_SETS, "\n\t" SET LOC},
    {"new", "\n\t" LOC "\n", PATCH_SETS, "\n\t" LOC "\n\t" SET "\n"},
    {"new in one line", LOC, PATCH_SETS, LOC SET},
    {"removed", "\n " LOC "\n " DAY "\n", PATCH_REMOVES, "\n " LOC "\n"},
    {"removed before the loc", "\n " DAY "\n " LOC "\n", PATCH_REMOVES,
	"\n " LOC "\n"},
    {"nothing to remove", "\n " LOC "\n", PATCH_REMOVES, "\n " LOC "\n"},
    {"white space in it", LOC "<lastmod> 2024-01-01\n</lastmod>", PATCH_SETS,
	LOC SET},
    {"others stay",
	LOC "<changefreq>daily</changefreq> " DAY "<priority>0.5</priority>",
	PATCH_SETS,
	LOC "<changefreq>daily</changefreq> " SET "<priority>0.5</priority>"},
    {"references", "<loc>https://a.example/a?b&amp;c</loc>" DAY, PATCH_SETS,
	"<loc>https://a.example/a?b&amp;c</loc>" SET},
};

static void
put(struct buf *out, const char *entry)
{
	(void)buf_print(out,
	    HEAD "<url>%s</url>\n<!-- c --><url>" LOC DAY "</url></urlset>\n",
	    entry);
}

static void
test_patch(void **state)
{
	const struct patch patches[2] = {
	    {PATCH_STAYS, {0}}, {PATCH_STAYS, {0}}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct patch these[2] = {patches[0], patches[1]};
		struct fixture fixture;
		struct buf text, wanted, made;
		struct slice places;

		buf_init(&text, SIZE_MAX);
		buf_init(&wanted, SIZE_MAX);
		buf_init(&made, SIZE_MAX);
		put(&text, cases[i].entry);
		put(&wanted, cases[i].made);
		fixture_open(&fixture, PROFILE_GOOGLE,
		    "https://a.example/s.xml", buf_text(&text));
		fixture.scope.checks.has_places = true;
		fixture_run(&fixture);
		assert_true(fixture.content.is_scanned);
		places = buf_text(&fixture.content.lines);
		these[0].action = cases[i].action;
		these[0].date = (struct date){.epoch_s = 1767225600,
		    .precision = DATE_SECOND,
		    .zone = ZONE_EXPLICIT,
		    .offset = DATE_OFFSET_UTC};
		assert_true(
		    patch_dates(&made, buf_text(&text), places, these, 2));
		assert_row(cases[i].why, &made, buf_str(&wanted));
		/* places of other entries, or of another text */
		assert_false(
		    patch_dates(&made, buf_text(&text), places, these, 1));
		assert_false(patch_dates(&made, buf_text(&text),
		    slice_make(places.p, places.len - 1), these, 2));
		assert_false(patch_dates(
		    &made, slice_from(buf_text(&text), 1), places, these, 2));
		assert_false(patch_dates(&made,
		    slice_make(text.p, sizeof(HEAD) + 20), places, these, 2));
		fixture_release(&fixture);
		buf_release(&text);
		buf_release(&wanted);
		buf_release(&made);
	}
}

UNIT(patch)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_patch)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
