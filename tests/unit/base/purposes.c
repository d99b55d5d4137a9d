/* base/purposes.h: SPEC. */
#include "tests/fixtures/fixture.h"

#include "base/purposes.h"

/* What "search=yes, ai-train=no" and the like say, in that spelling. */
static const struct {
	const char *value, *said;
	bool is_usage, is_good;
} statements[] = {
    {"ai-train=no", "ai-train=no", false, true},
    {"search=yes,ai-train=no", "search=yes, ai-train=no", false, true},
    {"ai-input = YES , Search=No", "search=no, ai-input=yes", false, true},
    {"search=yes, ai-train=no, use=reference", "search=yes, ai-train=no", false,
	true},
    /* what is said twice is refused if one of both refuses it */
    {"search=no, search=yes", "search=no", false, true},
    {"", "", false, false},
    {"ai-train", "", false, false},
    {"ai-train=n", "", false, false},
    {"ai-train=maybe, search=yes", "search=yes", false, false},
    {"ai_train=no", "", false, false},
    {"train-ai=no", "", false, false},
    {"yes=no", "", false, false},
    {"search=yes,,ai-train=no", "search=yes, ai-train=no", false, false},

    {"train-ai=n", "ai-train=no", true, true},
    {"train-ai=n, search=y,\tai-use=n", "search=yes, ai-input=no, ai-train=no",
	true, true},
    {"", "", true, true},
    /* other labels and parameters are for others (vocab 6.4) */
    {"bots=n, train-ai=n;x=1;y", "ai-train=no", true, true},
    {"*a.b-c_1=?0, search=y", "search=yes", true, true},
    /* the last of equal keys counts (RFC 9651 4.2.2) */
    {"train-ai=n, train-ai=y", "ai-train=yes", true, true},
    {"train-ai=y, train-ai=n", "ai-train=no", true, true},
    /* no answer */
    {"train-ai", "", true, false},
    {"train-ai=no, search=y", "search=yes", true, false},
    {"train-ai=?0", "", true, false},
    {"train-ai=\"n\"", "", true, false},
    {"ai-train=n", "", true, false},
    /* no Dictionary: nothing is said */
    {"Train-AI=n, search=y", "", true, false},
    {"train-ai =n", "", true, false},
    {"train-ai=n, search y", "", true, false},
    {"train-ai=n,, search=y", "", true, false},
    {"train-ai=n, =y", "", true, false},
    {"x=\"a, B\", train-ai=n", "", true, false},
};

static void
test_statements(void **state)
{
	struct buf *text = *state;

	for (size_t i = 0; i < COUNT(statements); i++) {
		struct purposes said = {0};
		char *copy = exact_copy(slice_of(statements[i].value));
		bool is_good = purposes_add_statement(&said,
		    slice_make(copy, strlen(statements[i].value)),
		    statements[i].is_usage);

		free(copy);
		buf_clear(text);
		purposes_print(text, "", said);
		if (is_good != statements[i].is_good ||
		    !slice_is(buf_text(text), statements[i].said))
			fail_msg("'%s': %s, %d", statements[i].value,
			    buf_str(text), is_good);
	}
}

static const struct {
	const char *list, *said;
} directives[] = {
    {"noindex", "search=no"},
    {"NONE", "search=no"},
    {"nofollow, noai , max-snippet:20", "ai-input=no, ai-train=no"},
    {"noimageai", ""},
    {"index, all, max-snippet:0", ""},
    {"", ""},
};

static void
test_directives(void **state)
{
	struct buf *text = *state;

	for (size_t i = 0; i < COUNT(directives); i++) {
		struct purposes said = {0};

		purposes_add_directives(&said, slice_of(directives[i].list));
		buf_clear(text);
		purposes_print(text, "", said);
		if (!slice_is(buf_text(text), directives[i].said))
			fail_msg("'%s': %s", directives[i].list, buf_str(text));
	}
}

static void
test_output(void **state)
{
	struct buf *text = *state;

	purposes_json(text, (struct purposes){0});
	purposes_print(text, "says ", (struct purposes){0});
	assert_int_equal(text->len, 0);
	/* what one statement allows and another one refuses is refused */
	purposes_json(text, (struct purposes){.yes = 5, .no = 4});
	assert_string_equal(
	    buf_str(text), "\"purposes\":{\"search\":true,\"ai-train\":false}");
	buf_clear(text);
	purposes_print(text, "says ", (struct purposes){.yes = 5, .no = 4});
	assert_string_equal(buf_str(text), "says search=yes, ai-train=no");
	assert_int_equal(purpose_find(slice_of("ai-input")), PURPOSE_AI_INPUT);
	assert_int_equal(purpose_find(slice_of("yes")), PURPOSES);
}

UNIT(purposes)
{
	const struct CMUnitTest tests[] = {text_test(test_statements),
	    text_test(test_directives), text_test(test_output)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
