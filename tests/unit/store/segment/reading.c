/* Findings, lists of blocks and names. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "store/segment/reading.h"

static void
test_findings(void **state)
{
	struct findings findings = {0};
	char text[FINDING_TEXT_MAX + 100];

	(void)state;
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

static void
test_block_list(void **state)
{
	struct block_list list = {0};
	char data[] = {1, 0, 2};

	(void)state;
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

	(void)state;
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

	(void)state;
	assert_int_equal(reading->document_id, 3);
	assert_int_equal(reading->at_s, 4);
	reading->http.etag = strdup("\"a\"");
	reading->http.final_url = strdup("http://a.test/");
	findings_add(
	    &reading->content.findings, DIAG_EMPTY_TAG, 1, slice_of("x"));
	reading_free(reading);
	reading_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_findings),
	    cmocka_unit_test(test_block_list),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_enders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
