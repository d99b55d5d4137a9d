/* crawler/serve/serve_token.c: who may look. */
#include "crawler/serve/serve_token.h"

#include "tests/fixtures/fixture.h"

#define TOKEN "0123456789abcdef"

static const struct {
	const char *header; /* NULL: none */
	bool is_admitted;
} rows[] = {
    {"Bearer " TOKEN, true},
    /* "freshet:0123456789abcdef" in base64 */
    {"Basic ZnJlc2hldDowMTIzNDU2Nzg5YWJjZGVm", true},
    {NULL, false},
    {"", false},
    {TOKEN, false},
    {"Bearer", false},
    {"Bearer ", false},
    {"Bearer 0123456789abcde", false},
    {"Bearer 0123456789abcdeg", false},
    {"Bearer " TOKEN "0", false},
    {"Bearer " TOKEN "\x01", false},
    {"Bearer  " TOKEN, false},
    {"bearer " TOKEN, false},
    {"Basic " TOKEN, false},
    {"Basic ZnJlc2hldDowMTIzNDU2Nzg5YWJjZGV", false},
    {"Basic ZnJlc2hldDowMTIzNDU2Nzg5YWJjZGVm=", false},
};

static void
headers(void **state)
{
	struct serve_token token = {0};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_true(serve_token_admits(&token, rows[i].header));
	serve_token_set(&token, TOKEN);
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(serve_token_admits(&token, rows[i].header),
		    rows[i].is_admitted);
	serve_token_release(&token);
}

/* The ends of base64: one, two and three bytes in the last group. */
static void
lengths(void **state)
{
	static const char *const tokens[][2] = {
	    {"0123456789abcdef", "Basic ZnJlc2hldDowMTIzNDU2Nzg5YWJjZGVm"},
	    {"0123456789abcdef0", "Basic ZnJlc2hldDowMTIzNDU2Nzg5YWJjZGVmMA=="},
	    {"0123456789abcdef0~",
		"Basic ZnJlc2hldDowMTIzNDU2Nzg5YWJjZGVmMH4="},
	};

	for (size_t i = 0; i < COUNT(tokens); i++) {
		struct serve_token token = {0};

		serve_token_set(&token, tokens[i][0]);
		assert_true(serve_token_admits(&token, tokens[i][1]));
		serve_token_release(&token);
	}
}

UNIT(serve_token)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(headers),
	    cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
