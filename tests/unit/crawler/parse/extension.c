/* crawler/parse/extension.c and read_entry.c: findings about extensions. */
#include "crawler/parse/extension.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/read_fixture.h"

#define HEAD                                                           \
	"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' " \
	"xmlns:i='http://www.google.com/schemas/sitemap-image/1.1' "   \
	"xmlns:v='http://www.google.com/schemas/sitemap-video/1.1' "   \
	"xmlns:n='http://www.google.com/schemas/sitemap-news/0.9' "    \
	"xmlns:p='http://www.google.com/schemas/sitemap-pagemap/1.0' " \
	"xmlns:x='http://www.w3.org/1999/xhtml'>\n"
#define PAGE "http://a.example/p"
#define VIDEO                                                   \
	"<v:thumbnail_loc>http://a.example/t</v:thumbnail_loc>" \
	"<v:title>T</v:title><v:description>D</v:description>"
#define CONTENT "<v:content_loc>http://c.example/v</v:content_loc>"
#define PAPER                                                          \
	"<n:publication><n:name>N</n:name><n:language>en</n:language>" \
	"</n:publication>"
#define SELF "<x:link rel='alternate' hreflang='en' href='" PAGE "'/>"

/* The elements of one url besides its loc, which is PAGE, and the findings. */
static const struct {
	const char *rule;
	const char *inside;
	const char *findings;
} cases[] = {
    {"R-107 none", "\n<i:image/>", "image-missing-loc 3:'loc'\n"},
    {"R-107 blank", "<i:image><i:loc> </i:loc></i:image>",
	"image-missing-loc 2:'loc'\n"},
    {"R-107 markup",
	"<i:image><i:loc>http://b.example/<b>x</b>1</i:loc>"
	"</i:image>",
	""},
    {"R-107 foreign child",
	"<i:image><loc>x</loc><n:loc>x</n:loc><z/><i:z/>"
	"<i:loc>http://b.example/1</i:loc></i:image>",
	""},
    {"R-114 image",
	"<i:image><i:loc>http://b.example/1</i:loc><i:caption>c</i:caption>"
	"<i:geo_location/><i:title/><i:license/></i:image>",
	"image-removed-tag 2:'caption' 2:'geo_location' 2:'title' "
	"2:'license'\n"},
    {"R-108 nothing", "<v:video/>",
	"video-missing-tag 2:'thumbnail_loc' 2:'title' 2:'description'\n"
	"video-missing-location 2:'content_loc or player_loc'\n"},
    {"R-109 date without zone",
	"<v:video>" VIDEO CONTENT "<v:expiration_date>2026-01-01T00:00:00"
	"</v:expiration_date><v:publication_date>2026</v:publication_date>"
	"</v:video>",
	"video-invalid-value 2:'expiration_date: 2026-01-01T00:00:00' "
	"2:'publication_date: 2026'\n"},
    {"R-109 platform",
	"<v:video>" VIDEO CONTENT "<v:platform relationship='allow'>web tv"
	" mobile</v:platform><v:restriction relationship='deny'>CA"
	"</v:restriction></v:video>",
	""},
    {"R-109 relationship",
	"<v:video>" VIDEO CONTENT "<v:platform>web</v:platform>"
	"<v:restriction relationship='maybe'>CA</v:restriction></v:video>",
	"video-missing-attribute 2:'relationship'\n"
	"video-invalid-value 2:'relationship: maybe'\n"},
    {"R-109 uploader elsewhere",
	"<v:video>" VIDEO CONTENT "<v:uploader info='http://b.example/u'>U"
	"</v:uploader></v:video>",
	"video-invalid-value 2:'info of uploader: http://b.example/u'\n"},
    {"R-109 once",
	"<v:video>" VIDEO CONTENT "<v:title>again</v:title></v:video>"
	"<v:video>" VIDEO CONTENT "</v:video>",
	"video-duplicate-tag 2:'title'\n"},
    {"R-114 video",
	"<v:video>" VIDEO "<v:player_loc autoplay='a=1'>http://c.example/v"
	"</v:player_loc><v:category>c</v:category><v:price>1</v:price>"
	"<v:gallery_loc/><v:tvshow><v:title/></v:tvshow></v:video>",
	"video-removed-tag 2:'a=1' 2:'category' 2:'price' 2:'gallery_loc' "
	"2:'tvshow'\n"},
    {"R-110 nothing", "<n:news/>",
	"news-missing-tag 2:'publication' 2:'publication_date' 2:'title'\n"},
    {"R-110 publication",
	"<n:news><n:publication/><n:publication_date>2026-01-01"
	"</n:publication_date><n:title>T</n:title></n:news>",
	"news-missing-tag 2:'name' 2:'language'\n"},
    {"R-111 count", "<n:news/><n:news/><n:news/>",
	"news-missing-tag 2:'publication' 2:'publication_date' 2:'title' "
	"2:'publication' 2:'publication_date' 2:'title' 2:'publication' "
	"2:'publication_date'\ntoo-many-news 2:''\n"},
    {"R-132 not an alternate",
	"<x:link rel='canonical' hreflang='de' href='/p'/><x:p/>",
	"invalid-attribute-value 2:'canonical'\n"},
    {"R-132 not meant to be one",
	"<x:link rel='canonical' href='/p'/><x:link href='/p'/>", ""},
    {"R-132 no rel", "<x:link hreflang='de' href='/p'/>",
	"missing-attribute 2:'rel of link'\n"},
    {"R-132 page map",
	"<p:PageMap><p:DataObject type='t'><p:Attribute name='n'/>"
	"</p:DataObject><DataObject/></p:PageMap>",
	""},
    {"R-132 page map without type or name",
	"<p:PageMap><p:DataObject>\n<p:Attribute/></p:DataObject></p:PageMap>",
	"missing-attribute 2:'type of DataObject' 3:'name of Attribute'\n"},
    {"R-112 conflict",
	SELF
	"<x:link rel='alternate' hreflang='de' href='http://b.example/1'/>"
	"<x:link rel='alternate' hreflang='DE' href='http://b.example/2'/>",
	"hreflang-conflict 2:'http://b.example/2'\n"},
    {"R-112 the same URL, spelled otherwise",
	SELF "<x:link rel='alternate' hreflang='de' href='http://b.example/1'/>"
	     "<x:link rel='alternate' hreflang='de' "
	     "href='HTTP://B.example:80/1'/>",
	""},
    {"R-112 attributes",
	SELF "<x:link rel='alternate' hreflang='de'/><x:link rel='alternate' "
	     "href='http://b.example/'/>",
	"hreflang-missing-attribute 2:'href' 2:'hreflang'\n"},
    {"R-113",
	"<q:image/><i:image><q:loc/><i:loc>http://b.example/1</i:loc>"
	"</i:image>",
	"undeclared-prefix 2:'q' 2:'q'\n"},
};

/* read_all(out, inside, is_checked): the findings about a url with these
 * elements. */
static void
read_all(struct buf *out, const char *inside, bool is_checked)
{
	struct fixture fixture;
	struct buf body;

	buf_init(&body, 1 << 16);
	(void)buf_print(
	    &body, HEAD "<url><loc>" PAGE "</loc>%s</url></urlset>", inside);
	fixture_open(&fixture, PROFILE_GOOGLE, "http://a.example/s.xml",
	    buf_text(&body));
	fixture.scope.checks.has_extensions = is_checked;
	fixture.scope.limits.max_images = 3;
	fixture.scope.limits.max_news = 2;
	fixture_run(&fixture);
	assert_int_equal(fixture.code, DIAG_OK);
	fixture_findings(&fixture, out);
	fixture_release(&fixture);
	buf_release(&body);
}

static void
test_findings(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		read_all(out, cases[i].inside, true);
		assert_row(cases[i].rule, out, cases[i].findings);
		/* Without the checks there are no findings. */
		read_all(out, cases[i].inside, false);
		assert_true(out->len == 0 ||
		    strncmp(buf_str(out), "undeclared-prefix", 17) == 0);
		buf_clear(out);
	}
}

/* SPEC R-109: 32 tags pass, the next one is too many. */
static void
test_boundaries(void **state)
{
	struct buf *inside = *state;
	struct buf out;

	buf_init(&out, 1 << 16);
	for (int tags = 32; tags <= 33; tags++) {
		buf_clear(inside);
		(void)buf_print(inside, "<v:video>" VIDEO CONTENT);
		for (int i = 0; i < tags; i++)
			(void)buf_print(inside, "<v:tag>t</v:tag>");
		(void)buf_print(inside, "</v:video>");
		read_all(&out, buf_str(inside), true);
		assert_row("tags", &out,
		    tags == 32 ? "" : "video-too-many-tags 2:''\n");
	}
	buf_release(&out);
}

#define ZEROS                                \
	"0000000000000000000000000000000000" \
	"0000000000000000000000000000000000"

static void
test_values(void **state)
{
	static const struct {
		enum extension_value kind;
		const char *text;
		enum diag_code code;
	} values[] = {
	    {VALUE_DURATION, "28800", DIAG_OK},
	    {VALUE_DURATION, "99999999999999999999", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_DURATION, "-1", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_DURATION, "1.5", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, "5", DIAG_OK},
	    {VALUE_RATING, "5.000", DIAG_OK},
	    {VALUE_RATING, "5.001", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, "6", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, "60", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, ".", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, "4.", DIAG_OK},
	    {VALUE_RATING, "-0", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, "4,5", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, ZEROS "5." ZEROS, DIAG_OK},
	    {VALUE_RATING, "5." ZEROS "1", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_RATING, "4." ZEROS "x", DIAG_VIDEO_INVALID_VALUE},
	    {VALUE_LANGUAGE, "fil", DIAG_OK},
	    {VALUE_LANGUAGE, "zh-tw", DIAG_OK},
	    {VALUE_LANGUAGE, "zh-hk", DIAG_NEWS_BAD_LANGUAGE},
	    {VALUE_LANGUAGE, "e", DIAG_NEWS_BAD_LANGUAGE},
	    {VALUE_LANGUAGE, "engl", DIAG_NEWS_BAD_LANGUAGE},
	};
	struct profile profile = profile_default(PROFILE_GOOGLE);

	for (size_t i = 0; i < COUNT(values); i++)
		assert_int_equal(tag_judge(values[i].kind,
				     slice_of(values[i].text), &profile),
		    values[i].code);
}

static void
test_lengths(void **state)
{
	static const struct {
		enum extension_value kind;
		const char *unit; /* the repeated text */
		size_t max; /* this many pass, and one more does not */
	} lengths[] = {
	    {VALUE_DESCRIPTION, "\xc3\xa9", 2048},
	    {VALUE_UPLOADER, "x", 255},
	};
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct buf *text = *state;

	for (size_t i = 0; i < COUNT(lengths); i++) {
		buf_clear(text);
		for (size_t n = 0; n < lengths[i].max; n++)
			(void)buf_print(text, "%s", lengths[i].unit);
		assert_int_equal(
		    tag_judge(lengths[i].kind, buf_text(text), &profile),
		    DIAG_OK);
		(void)buf_print(text, "%s", lengths[i].unit);
		assert_int_equal(
		    tag_judge(lengths[i].kind, buf_text(text), &profile),
		    DIAG_VIDEO_INVALID_VALUE);
	}
}

static void
test_hreflang(void **state)
{
	static const char *const good[] = {"x-default", "X-DEFAULT", "en", "EN",
	    "en-GB", "en-gb", "zh-Hant", "zh-Hant-TW", "es-419", "fil-PH"};
	static const char *const bad[] = {"", "-", "e", "en-", "-en", "en--GB",
	    "en_GB", "jp", "english", "en-UK", "en-G1", "en-G", "en-GB-x",
	    "zh-Han1", "zh-TW-Hant", "zh-Hant-TW-x", "es-41a", "e1", "f1l"};

	for (size_t i = 0; i < COUNT(good); i++)
		if (!hreflang_ok(slice_of(good[i])))
			fail_msg("%s is a code", good[i]);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (hreflang_ok(slice_of(bad[i])))
			fail_msg("%s is no code", bad[i]);
}

/* Every profile reads the same W3C dates here (SPEC R-110), and the limit for
 * the length of URLs is for loc only (SPEC R-24). */
static void
test_profiles(void **state)
{
	char url[3000];

	memset(url, 'x', sizeof(url));
	memcpy(url, "https://a.example/", 18);
	for (int i = PROFILE_STRICT; i <= PROFILE_LENIENT; i++) {
		struct profile profile = profile_default((enum profile_name)i);

		assert_int_equal(tag_judge(VALUE_NEWS_DATE,
				     slice_of("2026-01-01T00:00"), &profile),
		    DIAG_NEWS_INVALID_DATE);
		assert_int_equal(tag_judge(VALUE_NEWS_DATE,
				     slice_of("2026-01-01T00:00Z"), &profile),
		    DIAG_OK);
		assert_int_equal(tag_judge(VALUE_IMAGE_LOC,
				     slice_make(url, sizeof(url)), &profile),
		    DIAG_OK);
	}
}

UNIT(extension)
{
	const struct CMUnitTest tests[] = {
	    text_test(test_findings),
	    text_test(test_boundaries),
	    cmocka_unit_test(test_values),
	    text_test(test_lengths),
	    cmocka_unit_test(test_hreflang),
	    cmocka_unit_test(test_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
