/* crawler/parse/document.c: the events of a text list. */
#include "crawler/parse/document.h"
#include "tests/fixtures/events_fixture.h"
#include "tests/fixtures/read_fixture.h"

static const struct {
	const char *rule;
	const char *document;
	const char *events;
} cases[] = {
    {"R-19 line ends", "http://a/\r\nhttp://b/\rhttp://c/\n\rhttp://d/",
	"root text\n1 loc='http://a/'\n2 loc='http://b/'\n"
	"3 loc='http://c/'\n5 loc='http://d/'\n"},
    {"R-19 blanks", "\xEF\xBB\xBF\n \r\n\thttp://a/ \n\n  \nx y\n",
	"root text\n3 loc='http://a/'\n6 loc='x y'\n"},
    {"R-05 first line", "# x\nhttp://a/",
	"1 unsupported-format\nincomplete unsupported-format\n"},
    {"R-05 empty", "", "0 empty-file\n"},
};

static void
test_events(void **state)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_events(cases[i].rule, PROFILE_GOOGLE, cases[i].document,
		    cases[i].events);
}

struct tally {
	size_t entries;
	size_t longest;
};

static bool
on_root(void *arg, enum root_kind kind)
{
	(void)arg;
	return kind == ROOT_TEXT;
}

static bool
on_entry(void *arg, const struct raw_entry *entry)
{
	struct tally *tally = arg;

	tally->entries++;
	if (entry->loc.len > tally->longest)
		tally->longest = entry->loc.len;
	return tally->entries < 3;
}

static void
on_finding(void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	(void)arg;
	(void)code;
	(void)line;
	(void)text;
	fail();
}

/* of an endless line only enough is kept to show that it is too long. */
static void
test_limits(void **state)
{
	struct tally tally = {0};
	struct parser_events events = {.root = on_root,
	    .entry = on_entry,
	    .finding = on_finding,
	    .arg = &tally};
	struct document_parser *document;
	enum diag_code failure;
	struct scope scope;

	fixture_scope(&scope, PROFILE_GOOGLE, NULL);
	scope.limits.max_text = 100;
	document = document_new(&events, &scope, &failure);
	assert_true(document_feed(document, slice_of("http://a/")));
	for (int i = 0; i < 1000; i++)
		assert_true(document_feed(document, slice_of("aaaaaaaaaa")));
	assert_true(document_feed(document, slice_of("\nhttp://b/\n")));
	assert_int_equal(tally.entries, 2);
	assert_int_equal(tally.longest, 100);
	/* The entry event stops the parser, which stays stopped. */
	assert_false(document_feed(document, slice_of("c\nd\n")));
	assert_false(document_feed(document, slice_of("e\n")));
	assert_int_equal(tally.entries, 3);
	document_free(document);
	document_free(NULL);
	scope_release(&scope);
}

/* a last line that was cut is no entry. */
static void
test_cut(void **state)
{
	struct tally tally = {0};
	struct parser_events events = {.root = on_root,
	    .entry = on_entry,
	    .finding = on_finding,
	    .arg = &tally};
	struct document_parser *document;
	enum diag_code failure;
	struct scope scope;

	fixture_scope(&scope, PROFILE_GOOGLE, NULL);
	document = document_new(&events, &scope, &failure);
	assert_true(document_feed(document, slice_of("http://a/\nhttp://b/c")));
	assert_false(document_finish(document, false));
	assert_int_equal(failure, DIAG_OK);
	assert_int_equal(tally.entries, 1);
	document_free(document);
	scope_release(&scope);
}

UNIT(textlist)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_events),
	    cmocka_unit_test(test_limits), cmocka_unit_test(test_cut)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
