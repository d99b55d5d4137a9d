/* crawler/serve/serve_query.c: what a request may say, and who may look. */
#include "crawler/serve/serve_query.h"

#include "tests/fixtures/fixture.h"

struct row {
	const char *target;
	bool is_right;
	const char *path;
	const char *name, *value; /* of a parameter; NULL: none has the name */
};

static const struct row rows[] = {
    {"/", true, "/", "a", NULL},
    {"/a?", true, "/a", "a", NULL},
    {"/a?site=b", true, "/a", "site", "b"},
    {"/a?&&site=b&", true, "/a", "site", "b"},
    {"/a?x=1&site=b%20c+d", true, "/a", "site", "b c d"},
    {"/a?url=http%3A%2f%2Fb%2F%3Fc%3Dd%26e", true, "/a", "url",
	"http://b/?c=d&e"},
    {"/a?url=c=d", true, "/a", "url", "c=d"},
    {"/a?s%69te=b", true, "/a", "site", "b"},
    {"/a?site", true, "/a", "site", NULL},
    {"/a?site=", true, "/a", "site", NULL},
    {"/%2e%2e/a", true, "/%2e%2e/a", "site", NULL},
    {"/a?site=%c3%bc", true, "/a", "site", "\xc3\xbc"},
    {"/a?site=b?c", true, "/a", "site", "b?c"},
    {"/a?site=%00", false, NULL, NULL, NULL},
    {"/a?site=a%00b", false, NULL, NULL, NULL},
    {"/a?%00=a", false, NULL, NULL, NULL},
    {"/a?site=%0a", false, NULL, NULL, NULL},
    {"/a?site=%7F", false, NULL, NULL, NULL},
    {"/a?site=%", false, NULL, NULL, NULL},
    {"/a?site=%4", false, NULL, NULL, NULL},
    {"/a?site=%4&b=c", false, NULL, NULL, NULL},
    {"/a?site=%zz", false, NULL, NULL, NULL},
    {"/a?site=b&site=c", false, NULL, NULL, NULL},
    {"/a?a&b&c&d&e&f&g&h&i&j&k&l", true, "/a", "l", NULL},
    {"/a?a&b&c&d&e&f&g&h&i&j&k&l&m", false, NULL, NULL, NULL},
};

static void
targets(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct serve_query query;
		const char *value;

		assert_int_equal(
		    serve_query_parse(&query, row->target), row->is_right);
		if (row->is_right) {
			assert_string_equal(query.path, row->path);
			value = serve_query_get(&query, row->name);
			if (row->value == NULL)
				assert_null(value);
			else
				assert_string_equal(value, row->value);
		}
		serve_query_release(&query);
	}
}

static void
numbers(void **state)
{
	static const struct {
		const char *target;
		bool is_right;
		uint64_t n;
	} cases[] = {
	    {"/?n=3", true, 3},
	    {"/?n=30", true, 30},
	    {"/?n=0030", true, 30},
	    {"/", true, 7},
	    {"/?n=", true, 7},
	    {"/?n=2", false, 7},
	    {"/?n=31", false, 7},
	    {"/?n=-3", false, 7},
	    {"/?n=+3", false, 7},
	    {"/?n=3x", false, 7},
	    {"/?n=18446744073709551619", false, 7},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct serve_query query;
		uint64_t n = 7;

		assert_true(serve_query_parse(&query, cases[i].target));
		assert_int_equal(serve_query_number(&query, "n", 3, 30, &n),
		    cases[i].is_right);
		assert_int_equal(n, cases[i].n);
		serve_query_release(&query);
	}
}

static void
names(void **state)
{
	struct serve_query query;

	assert_true(serve_query_parse(&query, "/?site=1&until=2"));
	assert_true(serve_query_is_among(&query, "site|since|until"));
	assert_false(serve_query_is_among(&query, "site|since"));
	assert_false(serve_query_is_among(&query, "sites|until"));
	assert_false(serve_query_is_among(&query, "sit|until"));
	assert_false(serve_query_is_among(&query, ""));
	serve_query_release(&query);
	assert_true(serve_query_parse(&query, "/"));
	assert_true(serve_query_is_among(&query, ""));
	serve_query_release(&query);
}

#define TOKEN "0123456789abcdef"

static const struct {
	const char *header; /* NULL: none */
	bool is_admitted;
} token_rows[] = {
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

	for (size_t i = 0; i < COUNT(token_rows); i++)
		assert_true(serve_token_admits(&token, token_rows[i].header));
	serve_token_set(&token, TOKEN);
	for (size_t i = 0; i < COUNT(token_rows); i++)
		assert_int_equal(
		    serve_token_admits(&token, token_rows[i].header),
		    token_rows[i].is_admitted);
	free(token.bearer);
	free(token.basic);
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
		free(token.bearer);
		free(token.basic);
	}
}

UNIT(serve_query)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(targets),
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(names),
	    cmocka_unit_test(headers),
	    cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
