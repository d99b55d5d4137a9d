/* One request against a server of raw bytes: HOSTILE 4.1 and 4.2. */
#include "crawler/fetch/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fixtures/fetch_fixture.h"
#include "tests/fixtures/fixture.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
#define FILLER "<url><loc>http://a.example/page</loc></url>\n"
#define MAX_BODY FETCH_MAX_BODY
#define ANY UINT64_MAX

/* What the server does on a path, and what has to come of it. */
struct row {
	const char *rule;
	struct script script;
	enum diag_code code;
	const char *detail;
	int status;
	bool is_truncated;
	uint64_t bytes;
};

#define NET DIAG_FETCH_NETWORK_ERROR

static const struct row rows[] = {
    {"R-72",
	{"/plain", OK "Content-Length: 5\r\n\r\nhello", SCRIPT_KEEP, NULL, 0},
	DIAG_OK, "", 200, false, 5},
    {"R-72",
	{"/chunked", CHUNKED "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
	    SCRIPT_KEEP, NULL, 0},
	DIAG_OK, "", 200, false, 5},
    {"R-72", {"/close", OK "\r\nhello", SCRIPT_CLOSE, NULL, 0}, DIAG_OK, "",
	200, false, 5},
    {"R-72",
	{"/304", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
	    SCRIPT_KEEP, NULL, 0},
	DIAG_OK, "", 304, false, 0},
    {"N1", {"/endless", CHUNKED, SCRIPT_FLOOD, "2c\r\n" FILLER "\r\n", 0},
	DIAG_BODY_TOO_BIG, "more than 1048576 bytes", 200, false, MAX_BODY},
    {"N2", {"/stream", OK "\r\n", SCRIPT_FLOOD, FILLER, 0}, DIAG_BODY_TOO_BIG,
	"more than 1048576 bytes", 200, false, MAX_BODY},
    {"N3",
	{"/huge", OK "Content-Length: 999999999999\r\n\r\n", SCRIPT_FLOOD,
	    FILLER, 0},
	DIAG_BODY_TOO_BIG, "more than 1048576 bytes", 200, false, 0},
    {"N4", {"/cut", OK "Content-Length: 100\r\n\r\nabc", SCRIPT_CLOSE, NULL, 0},
	NET, "the body ends too early", 200, true, 3},
    {"N4",
	{"/cut-at-0", OK "Content-Length: 100\r\n\r\n", SCRIPT_CLOSE, NULL, 0},
	NET, "the body ends too early", 200, false, 0},
    {"N5", {"/cut-chunk", CHUNKED "3\r\nabc\r\n", SCRIPT_CLOSE, NULL, 0}, NET,
	"the body ends too early", 200, true, 3},
    {"N5", {"/bad-chunk", CHUNKED "3\r\nabc\r\nzz\r\n", SCRIPT_HANG, NULL, 0},
	NET, "the chunks of the body are broken", 200, true, 3},
    {"N6",
	{"/two-lengths",
	    OK "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
	    SCRIPT_KEEP, NULL, 0},
	NET, "two Content-Length headers that differ", 0, false, 0},
    {"N7",
	{"/length-and-chunks",
	    OK "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
	       "3\r\nabc\r\n0\r\n\r\n",
	    SCRIPT_KEEP, NULL, 0},
	NET, "both Content-Length and Transfer-Encoding", 0, false, 0},
    {"N8",
	{"/no-length", OK "Content-Length: x\r\n\r\nabc", SCRIPT_HANG, NULL, 0},
	NET, "unreadable answer", 0, false, 0},
    {"N8",
	{"/part-length", OK "Content-Length: 3x\r\n\r\nabc", SCRIPT_HANG, NULL,
	    0},
	NET, "Content-Length is no number", 0, false, 0},
    {"N10", {"/headers", OK, SCRIPT_FLOOD, "A: bcdefghijklmn\r\n", 0},
	DIAG_HEADERS_TOO_BIG, "headers without end", 0, false, 0},
    {"N11", {"/line", OK "A: ", SCRIPT_FLOOD, "bcdefghijklmnop", 0},
	DIAG_HEADERS_TOO_BIG, "a header line without end", 0, false, 0},
    {"N12", {"/hints", "", SCRIPT_FLOOD, "HTTP/1.1 103 Hints\r\n\r\n", 0},
	DIAG_HEADERS_TOO_BIG, "headers without end", 0, false, 0},
    {"N13",
	{"/trailers", CHUNKED "3\r\nabc\r\n0\r\n", SCRIPT_FLOOD,
	    "A: bcdefghijklmnop\r\n", 0},
	DIAG_HEADERS_TOO_BIG, "headers without end", 200, false, 3},
    {"N19",
	{"/reset", OK "Content-Length: 100\r\n\r\nabc", SCRIPT_RESET, NULL, 0},
	NET, "connection reset", 200, true, 3},
    {"N20", {"/nothing", "", SCRIPT_CLOSE, NULL, 0}, NET, "empty answer", 0,
	false, 0},
    {"N21", {"/status-only", OK, SCRIPT_CLOSE, NULL, 0}, NET, "", 0, false, 0},
    {"N22", {"/http09", "hello", SCRIPT_CLOSE, NULL, 0}, NET,
	"unreadable answer", 0, false, 0},
    {"N23",
	{"/101", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", SCRIPT_HANG,
	    NULL, 0},
	NET, "switches protocols unasked", 0, false, 0},
    {"N24", {"/204", "HTTP/1.1 204 None\r\n\r\n", SCRIPT_KEEP, NULL, 0},
	DIAG_OK, "", 204, false, 0},
    {"N24",
	{"/206", "HTTP/1.1 206 Part\r\nContent-Length: 3\r\n\r\nabc",
	    SCRIPT_KEEP, NULL, 0},
	DIAG_OK, "", 206, false, 3},
    {"N24",
	{"/999", "HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n", SCRIPT_KEEP,
	    NULL, 0},
	DIAG_OK, "", 999, false, 0},
    {"N24", {"/http3", "HTTP/3.7 200 OK\r\n\r\n", SCRIPT_CLOSE, NULL, 0}, NET,
	"", 0, false, 0},
    {"N25", {"/nul", OK "A: b\0c\r\n\r\n", SCRIPT_HANG, NULL, sizeof(OK) + 9},
	NET, "", 0, false, 0},
    {"N26", {"/folded", OK "A: b\r\n c\r\n\r\n", SCRIPT_HANG, NULL, 0}, NET,
	"a folded header", 0, false, 0},
    {"R4",
	{"/302", "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", SCRIPT_FLOOD,
	    FILLER, 0},
	DIAG_OK, "", 302, false, ANY},
    {"T2",
	{"/404", "HTTP/1.1 404 No\r\nContent-Length: 99999999\r\n\r\n",
	    SCRIPT_FLOOD, FILLER, 0},
	DIAG_OK, "", 404, false, ANY},
    {"T2",
	{"/503",
	    "HTTP/1.1 503 Busy\r\nRetry-After: 9\r\nContent-Length: 9\r\n\r\n",
	    SCRIPT_CLOSE, NULL, 0},
	DIAG_OK, "", 503, false, 0},
    {"T34",
	{"/gzip", OK "Content-Encoding: gzip\r\n\r\nnone", SCRIPT_CLOSE, NULL,
	    0},
	DIAG_OK, "", 200, false, 4},
    {"T34",
	{"/coded", OK "Transfer-Encoding: gzip, chunked\r\n\r\n", SCRIPT_HANG,
	    NULL, 0},
	NET, "a Transfer-Encoding other than chunked", 0, false, 0},
};

/* Each on a host of its own, all at once: they end by the clock. */
static const struct row slow_rows[] = {
    {"N14", {"/extension", CHUNKED "1;", SCRIPT_FLOOD, "aaaaaaaaaaaaaaa", 0},
	NET, "too slow: less than 1024 bytes a second for 1 s", 200, false, 0},
    {"N15", {"/drip-header", OK "A:", SCRIPT_DRIP, "x", 0}, NET,
	"too slow: less than 1024 bytes a second for 1 s", 0, false, 0},
    {"N16", {"/drip-body", OK "\r\n", SCRIPT_DRIP, "x", 0}, NET,
	"too slow: less than 1024 bytes a second for 1 s", 200, true, ANY},
    {"N17", {"/silence", "", SCRIPT_HANG, NULL, 0}, NET,
	"too slow: less than 1024 bytes a second for 1 s", 0, false, 0},
    {"N23",
	{"/silent-body", OK "Content-Length: 9\r\n\r\n", SCRIPT_HANG, NULL, 0},
	NET, "too slow: less than 1024 bytes a second for 1 s", 200, false, 0},
};

static void
check(const struct row *row, const struct answer *answer)
{
	const struct fetch_result *result = &answer->result;

	if (result->code != row->code || result->status != row->status ||
	    (row->detail[0] != '\0' &&
		strcmp(result->detail, row->detail) != 0) ||
	    result->is_truncated != row->is_truncated ||
	    (row->bytes != ANY && result->wire_bytes != row->bytes))
		fail_msg("%s %s: %s '%s', status %d, %struncated, %llu bytes",
		    row->rule, row->script.path, diag_name(result->code),
		    result->detail, result->status,
		    result->is_truncated ? "" : "not ",
		    (unsigned long long)result->wire_bytes);
	if (result->status == 200)
		assert_int_equal(
		    spool_length(answer->file), result->wire_bytes);
	else
		assert_int_equal(spool_length(answer->file), 0);
	assert_false(result->is_connect_failure);
}

static struct script *
script_all(void)
{
	struct script *all = calloc(
	    COUNT(rows) + COUNT(slow_rows) + 1, sizeof(*all));

	assert_non_null(all);
	for (size_t i = 0; i < COUNT(rows); i++)
		all[i] = rows[i].script;
	for (size_t i = 0; i < COUNT(slow_rows); i++)
		all[COUNT(rows) + i] = slow_rows[i].script;
	return all;
}

static void
test_answers(void **state)
{
	struct script *all = script_all();
	struct fetcher_options options;
	struct env env;

	(void)state;
	env_open(&env, &options, all);
	env_start(&env, &options);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct answer answer;
		uint64_t before = http_server_sent(env.server);

		answer_get(
		    &answer, &env, "127.0.0.1", rows[i].script.path, NULL);
		check(&rows[i], &answer);
		/* F1, F2, F4: what is cut does not go on behind our back */
		assert_in_range(http_server_sent(env.server) - before, 0,
		    MAX_BODY + (16 << 20));
		assert_true(answer.result.has_peer);
		answer_release(&answer);
	}
	env_close(&env);
	free(all);
}

/* T4: all at once, each on a host of its own; they end by the clock. */
static void
test_slow(void **state)
{
	struct script *all = script_all();
	struct answer answers[COUNT(slow_rows)];
	struct buf texts[COUNT(slow_rows)], url;
	const char *resolve[COUNT(slow_rows) + 1] = {NULL};
	struct fetcher_options options;
	struct env env;
	char host[16];

	(void)state;
	buf_init(&url, 1000);
	env_open(&env, &options, all);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
		buf_init(&texts[i], 1000);
		(void)snprintf(host, sizeof(host), "h%zu.example", i);
		resolve[i] = env_resolve(&env, &texts[i], host, "127.0.0.1");
	}
	options.resolve = resolve;
	env_start(&env, &options);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
		(void)snprintf(host, sizeof(host), "h%zu.example", i);
		answer_start(&answers[i], &env,
		    env_url(&env, &url, host, slow_rows[i].script.path), NULL);
	}
	answer_wait(&env);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
		check(&slow_rows[i], &answers[i]);
		assert_in_range(answers[i].result.duration_ms, 990, 4000);
		answer_release(&answers[i]);
		buf_release(&texts[i]);
	}
	buf_release(&url);
	env_close(&env);
	free(all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_answers),
	    cmocka_unit_test(test_slow),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
