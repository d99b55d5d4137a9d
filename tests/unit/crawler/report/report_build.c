/* The report of a few readings: order, statuses, groups, sums. */
#include <stdio.h>

#include "crawler/report/report_build.h"
#include "crawler/report/report_part.h"
#include "crawler/report/report_phrases.h"
#include "tests/fixtures/fixture.h"

static struct profile profile;

/* tell_of(builder, id, url, file, kind, code): a reading with one finding, of
 * a file; NULL: of the URL. */
static void
tell_of(struct report_builder *builder, int64_t id, const char *url,
    const char *file, enum document_kind kind, enum diag_code code)
{
	struct reading *reading = reading_new(id, 1700000000);

	reading->http.status = 200;
	reading->content.kind = kind;
	reading->content.is_complete = true;
	reading->content.accepted = kind == KIND_URLSET ? 10 : 2;
	reading->content.merge.dated = 4;
	if (code != DIAG_OK)
		findings_add(&reading->content.findings, code, 7,
		    slice_of("what was there"));
	if (code != DIAG_OK && diag_info(code)->loss == LOSS_DOCUMENT) {
		reading->outcome = OUTCOME_FAILED;
		reading->failure = code;
	}
	report_builder_document(
	    builder, slice_of(url), slice_of(file), reading, &profile);
	reading_free(reading);
}

static void
tell(struct report_builder *builder, int64_t id, const char *url,
    enum document_kind kind, enum diag_code code)
{
	tell_of(builder, id, url, NULL, kind, code);
}

static struct report *
finish(struct report_builder *builder)
{
	static const char *const targets[] = {"example.org"};
	struct report_facts facts = {.targets = targets, .target_count = 1};

	return report_builder_finish(builder, NULL, &facts);
}

static void
test_report(void **state)
{
	struct report_builder *builder = report_builder_new(1, NULL, NULL);
	static const struct {
		const char *url;
		enum report_status status;
		enum diag_code failure;
	} documents[] = {
	    {"https://a.example/robots.txt", REPORT_SUCCESS, DIAG_OK},
	    {"https://a.example/index.xml", REPORT_SUCCESS, DIAG_OK},
	    {"https://a.example/a.xml", REPORT_NOT_FETCHED,
		DIAG_FETCH_NOT_FOUND},
	    {"https://a.example/b.xml", REPORT_SUCCESS, DIAG_OK},
	    {"https://a.example/c.xml", REPORT_SUCCESS, DIAG_OK},
	    {"https://a.example/d.xml", REPORT_HAS_ERRORS,
		DIAG_HTML_NOT_SITEMAP},
	    {"https://z.example", REPORT_NOT_FETCHED,
		DIAG_FETCH_NETWORK_ERROR}};
	struct report *report;

	tell(builder, 4, documents[3].url, KIND_URLSET, DIAG_URL_TOO_LONG);
	tell(builder, 3, documents[2].url, KIND_UNKNOWN, DIAG_FETCH_NOT_FOUND);
	tell(builder, 6, documents[5].url, KIND_UNKNOWN, DIAG_HTML_NOT_SITEMAP);
	tell(builder, 5, documents[4].url, KIND_URLSET, DIAG_INVALID_DATE);
	tell(builder, 2, documents[1].url, KIND_INDEX, DIAG_OK);
	tell(builder, 1, documents[0].url, KIND_ROBOTS, DIAG_ROBOTS_BOM);
	/* once more: the latest counts */
	tell(builder, 4, documents[3].url, KIND_URLSET, DIAG_INVALID_DATE);
	report_builder_problem(builder, DIAG_FETCH_NETWORK_ERROR,
	    slice_of(documents[6].url), slice_of("no answer"), &profile);
	report = finish(builder);
	assert_int_equal(report->document_count, COUNT(documents));
	for (size_t i = 0; i < COUNT(documents); i++) {
		assert_string_equal(report->documents[i].url, documents[i].url);
		assert_int_equal(
		    report->documents[i].status, documents[i].status);
		assert_int_equal(
		    report->documents[i].failure, documents[i].failure);
	}
	assert_int_equal(report->sitemaps, 6);
	assert_int_equal(report->success, 3);
	assert_int_equal(report->has_errors, 1);
	assert_int_equal(report->not_fetched, 2);
	assert_int_equal(report->errors, 3);
	assert_int_equal(report->warnings, 2);
	assert_int_equal(report->infos, 1);
	assert_int_equal(report->dated, 16); /* of four that are no index */
	report_builder_free(builder);
}

static void
test_tag_meant(void **state)
{
	static const struct {
		const char *tag, *meant;
	} rows[] = {
	    {"Loc", "loc"},
	    {"LOC", "loc"},
	    {"URL", "url"},
	    {"Sitemap", "sitemap"},
	    {"uri", "url"},
	    {"lastmodified", "lastmod"},
	    {"last-mod", "lastmod"},
	    {"changefrequency", "changefreq"},
	    {"prioirty", "priority"},
	    /* known, and in a wrong place */
	    {"loc", NULL},
	    {"sitemap", NULL},
	    /* other words */
	    {"foo", NULL},
	    {"mod", NULL},
	    {"title", NULL},
	    {"image", NULL},
	    {"news", NULL},
	    {"x", NULL},
	    {"", NULL},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *meant = report_tag_meant(slice_of(rows[i].tag));

		if (rows[i].meant == NULL
			? meant != NULL
			: meant == NULL || strcmp(meant, rows[i].meant) != 0)
			fail_msg("%s: %s", rows[i].tag, meant);
	}
}

/* What every format but JSON prints of a place. */
static void
test_seen(void **state)
{
	static const struct {
		enum diag_code code;
		const char *text, *loc, *seen;
	} rows[] = {
	    {DIAG_UNKNOWN_TAG, "Loc", "", "Loc (did you mean <loc>?)"},
	    {DIAG_UNKNOWN_TAG, "Loc", "https://a.example/",
		"Loc (did you mean <loc>?), in https://a.example/"},
	    {DIAG_INVALID_DATE, "Loc", "https://a.example/",
		"Loc, in https://a.example/"},
	    {DIAG_INVALID_DATE, "", "https://a.example/", "https://a.example/"},
	    {DIAG_URL_REDIRECTS, "https://a.example/ leads away",
		"https://a.example/", "https://a.example/ leads away"},
	    {DIAG_INVALID_DATE, "", "", ""},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct report_builder *builder = report_builder_new(
		    1, NULL, NULL);
		struct report_finding finding = {.code = rows[i].code};

		report_part_sample(builder, &finding, 0,
		    &(struct report_place){.loc = slice_of(rows[i].loc)},
		    slice_of(rows[i].text));
		assert_int_equal(finding.sample_count, 1);
		assert_string_equal(finding.samples[0].seen, rows[i].seen);
		report_builder_free(builder);
	}
}

static void
test_groups(void **state)
{
	struct report_builder *builder = report_builder_new(1, NULL, NULL);
	const struct report_finding *group;
	struct report *report;

	tell(builder, 1, "https://a.example/a", KIND_URLSET, DIAG_INVALID_DATE);
	tell(builder, 2, "https://a.example/b", KIND_URLSET, DIAG_INVALID_DATE);
	tell(builder, 3, "https://a.example/c", KIND_URLSET,
	    DIAG_URL_HAS_USERINFO);
	report = finish(builder);
	assert_int_equal(report->group_count, 2);
	group = &report->groups[0];
	assert_int_equal(group->code, DIAG_URL_HAS_USERINFO);
	assert_int_equal(group->severity, SEVERITY_ERROR);
	group = &report->groups[1];
	assert_int_equal(group->code, DIAG_INVALID_DATE);
	assert_int_equal(group->count, 2);
	assert_int_equal(group->sample_count, 2);
	assert_int_equal(group->samples[1].document, 1);
	assert_int_equal(group->samples[1].line, 7);
	assert_string_equal(group->samples[1].text, "what was there");
	report_builder_free(builder);
}

/* SPEC R-40: 500 indexes are allowed, and the next one is reported. */
static void
test_indexes(void **state)
{
	static const int counts[] = {500, 501, 503};

	for (size_t i = 0; i < 3; i++) {
		struct report_builder *builder = report_builder_new(
		    1, NULL, NULL);
		const struct report *report;
		char url[64];

		for (int k = 0; k < counts[i]; k++) {
			(void)snprintf(url, sizeof(url),
			    "https://a.example/%03d", counts[i] - 1 - k);
			tell(builder, k + 1, url, KIND_INDEX, DIAG_OK);
		}
		report = finish(builder);
		assert_int_equal(report->group_count, i > 0 ? 1 : 0);
		if (i > 0) {
			const struct report_finding *group = report->groups;

			assert_int_equal(group->code, DIAG_TOO_MANY_INDEXES);
			assert_int_equal(group->count, 1);
			assert_int_equal(group->samples[0].document, 500);
			assert_string_equal(group->samples[0].text,
			    i == 1 ? "501 indexes" : "503 indexes");
		}
		report_builder_free(builder);
	}
}

/* A file that is read for a document; another document has none. */
static void
test_file(void **state)
{
	struct report_builder *builder = report_builder_new(1, NULL, NULL);
	struct report *report;

	tell(builder, 1, "https://a.example/robots.txt", KIND_ROBOTS, DIAG_OK);
	tell_of(builder, 2, "https://a.example/a.xml", "public/a.xml",
	    KIND_URLSET, DIAG_OK);
	report = finish(builder);
	assert_null(report->documents[0].file);
	assert_string_equal(report->documents[1].file, "public/a.xml");
	report_builder_free(builder);
}

static void
test_nothing(void **state)
{
	struct report_builder *builder = report_builder_new(1, NULL, NULL);
	struct report *report = finish(builder);

	assert_int_equal(report->document_count, 0);
	assert_int_equal(report->group_count, 0);
	report_builder_free(builder);
}

UNIT(report_build)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_report),
	    cmocka_unit_test(test_tag_meant),
	    cmocka_unit_test(test_seen),
	    cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_indexes),
	    cmocka_unit_test(test_file),
	    cmocka_unit_test(test_nothing),
	};

	profile = profile_default(PROFILE_GOOGLE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
