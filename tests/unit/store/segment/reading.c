/* Findings, lists of blocks and names. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "store/segment/reading.h"

static void
test_findings(void **state)
{
	struct findings findings = {0};
	char text[FINDING_TEXT_MAX + 100];

	memset(text, 'x', sizeof(text));
	assert_null(findings_get(&findings, DIAG_INVALID_URL));
	for (uint32_t i = 1; i <= 50000; i++) {
		findings_add(&findings, DIAG_INVALID_URL, i,
		    slice_make(text, sizeof(text)));
		if (i == 3)
			findings_add(
			    &findings, DIAG_EMPTY_TAG, 7, slice_make(NULL, 0));
	}

	/* counted in full, sampled, in order of appearance */
	const struct finding *url = findings_get(&findings, DIAG_INVALID_URL);
	assert_int_equal(findings.count, 2);
	assert_int_equal(url - findings.items, 0);
	assert_int_equal(url->count, 50000);
	assert_int_equal(url->sample_count, FINDING_SAMPLES);
	for (unsigned i = 0; i < FINDING_SAMPLES; i++) {
		assert_int_equal(url->samples[i].line, i + 1);
		assert_int_equal(
		    strlen(url->samples[i].text), FINDING_TEXT_MAX);
	}
	const struct finding *tag = findings_get(&findings, DIAG_EMPTY_TAG);
	assert_int_equal(tag->count, 1);
	assert_string_equal(tag->samples[0].text, "");
	findings_release(&findings);
	findings_release(&findings);
}

/* Samples of an entry get its loc, also those from before the loc was read. */
static void
test_entries(void **state)
{
	struct findings findings = {0};
	const struct finding *tag;

	findings_add(&findings, DIAG_UNKNOWN_TAG, 1, slice_of("root"));
	findings.entry = 1;
	findings_add(&findings, DIAG_UNKNOWN_TAG, 2, slice_of("a"));
	findings_close(&findings, slice_of("http://a/"));
	findings.entry = 2;
	findings_add(&findings, DIAG_UNKNOWN_TAG, 3, slice_of("b"));
	findings_close(&findings, slice_of(""));
	findings_add(&findings, DIAG_UNKNOWN_TAG, 4, slice_of("end"));
	findings_close(&findings, slice_of("http://b/"));

	tag = findings_get(&findings, DIAG_UNKNOWN_TAG);
	assert_int_equal(tag->sample_count, 4);
	assert_null(tag->samples[0].loc);
	assert_int_equal(tag->samples[0].entry, 0);
	assert_string_equal(tag->samples[1].loc, "http://a/");
	assert_int_equal(tag->samples[1].entry, 1);
	assert_null(tag->samples[2].loc);
	assert_int_equal(tag->samples[2].entry, 2);
	assert_null(tag->samples[3].loc);
	assert_int_equal(tag->samples[3].entry, 0);
	findings_release(&findings);
}

static void
test_passwords(void **state)
{
	static const struct {
		const char *text, *kept;
	} rows[] = {
	    {"http://me:secret@a.example/x:y@z",
		"http://me:******@a.example/x:y@z"},
	    {"see http://u:a@b@c/", "see http://u:***@c/"},
	    {"http://me@a.example/", "http://me@a.example/"},
	    {"http://a.example:80/a@b", "http://a.example:80/a@b"},
	    {"a:b@c", "a:b@c"},
	    {"http://:@", "http://:@"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct findings findings = {0};

		findings.entry = 1;
		findings_add(&findings, DIAG_URL_HAS_USERINFO, 1,
		    slice_of(rows[i].text));
		findings_close(&findings, slice_of(rows[i].text));
		assert_string_equal(
		    findings.items[0].samples[0].text, rows[i].kept);
		assert_string_equal(
		    findings.items[0].samples[0].loc, rows[i].kept);
		findings_release(&findings);
	}
}

/* Lines as differences; whatever the bytes are, there is an answer. */
static void
test_lines(void **state)
{
	const char bytes[] = {3, 1, 0, (char)0x80, 2};
	struct slice lines = slice_make(bytes, sizeof(bytes));

	assert_int_equal(content_line(lines, 0), 3);
	assert_int_equal(content_line(lines, 1), 4);
	assert_int_equal(content_line(lines, 2), 4);
	assert_int_equal(content_line(lines, 3), 4 + 256);
	assert_int_equal(content_line(lines, 4), 0);
	assert_int_equal(content_line(lines, UINT32_MAX), 0);
	assert_int_equal(content_line(slice_make(NULL, 0), 0), 0);
	lines.len--;
	assert_int_equal(content_line(lines, 3), 0);
}

static void
test_block_list(void **state)
{
	struct block_list list = {0};
	char data[] = {1, 0, 2};

	for (uint32_t i = 0; i < 20; i++)
		block_list_add(&list,
		    &(struct block){
			.data = slice_make(data, sizeof(data)),
			.first_url = slice_of("a"),
			.last_url = slice_of("b"),
			.count = i,
		    });
	data[0] = 9;
	assert_int_equal(list.count, 20);
	assert_int_equal(list.items[19].count, 19);
	assert_int_equal(list.items[19].len, 3);
	assert_memory_equal(list.items[19].data, "\1\0\2", 3);
	assert_string_equal(list.items[19].last_url, "b");
	block_list_release(&list);
	block_list_release(&list);
}

static void
test_names(void **state)
{
	static const char *const kinds[KIND_COUNT] = {
	    "unknown", "robots", "index", "urlset", "text", "rss", "atom"};

	for (int i = 0; i < KIND_COUNT; i++)
		assert_string_equal(
		    document_kind_name((enum document_kind)i), kinds[i]);
	assert_string_equal(outcome_name(OUTCOME_READ), "read");
	assert_string_equal(outcome_name(OUTCOME_UNCHANGED), "unchanged");
	assert_string_equal(outcome_name(OUTCOME_FAILED), "failed");
	assert_string_equal(outcome_name(OUTCOME_REFUSED), "refused");
}

static void
test_enders(void **state)
{
	struct reading *reading = reading_new(3, 4);

	assert_int_equal(reading->document_id, 3);
	assert_int_equal(reading->at_s, 4);
	reading->http.etag = strdup("\"a\"");
	reading->http.final_url = strdup("http://a.test/");
	findings_add(
	    &reading->content.findings, DIAG_EMPTY_TAG, 1, slice_of("x"));
	reading_free(reading);
	reading_free(NULL);
}

UNIT_TESTS(reading, cmocka_unit_test(test_findings),
    cmocka_unit_test(test_entries), cmocka_unit_test(test_passwords),
    cmocka_unit_test(test_lines), cmocka_unit_test(test_block_list),
    cmocka_unit_test(test_names), cmocka_unit_test(test_enders));
