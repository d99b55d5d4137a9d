/* crawler/fetch/fetch.c: requests against a server of raw bytes
 * (HOSTILE 4.1, 4.2, T5, T6, T10, T27, T31). */
#include "crawler/fetch/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/fixtures/fetch_fixture.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/url_fixture.h"

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
#define FILLER "<url><loc>http://a.example/page</loc></url>\n"
#define MAX_BODY FETCH_MAX_BODY
#define ANY UINT64_MAX

/* What the server does on a path, and the result that must follow. */
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

/* All at once, each on its own host; time-outs end them. */
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

	env_open(&env, &options, all);
	env_start(&env, &options);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct answer answer;
		uint64_t before = raw_server_sent(env.server);

		answer_get(
		    &answer, &env, "127.0.0.1", rows[i].script.path, NULL);
		check(&rows[i], &answer);
		/* F1, F2, F4: a refused answer is not received any further. */
		assert_in_range(raw_server_sent(env.server) - before, 0,
		    MAX_BODY + (16 << 20));
		assert_true(answer.result.has_peer);
		answer_release(&answer);
	}
	env_close(&env);
	free(all);
}

/* T4: all at once, each on its own host; time-outs end them. */
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

	buf_init(&url, 1000);
	env_open(&env, &options, all);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
		buf_init(&texts[i], 1000);
		(void)snprintf(host, sizeof(host), "h%zu.example", i);
		resolve[i] = env_resolve(&env, &texts[i], host, "127.0.0.1");
	}
	options.resolve = resolve;
	options.low_speed_time_s = 1;
	env_start(&env, &options);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
		(void)snprintf(host, sizeof(host), "h%zu.example", i);
		answer_start(&answers[i], &env,
		    env_url(&env, &url, host, slow_rows[i].script.path), NULL);
	}
	answer_wait(&env);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
		check(&slow_rows[i], &answers[i]);
		assert_true(answers[i].result.duration_ms >= 990);
		answer_release(&answers[i]);
		buf_release(&texts[i]);
	}
	buf_release(&url);
	env_close(&env);
	free(all);
}

/* Where requests go, and what goes with them: HOSTILE 4.2, T5, T6, T27. */

#define MANY 200

static const struct script reach_scripts[] = {
    {"/a",
	OK "Content-Length: 5\r\nETag: \"a\"\r\nSet-Cookie: a=b\r\n"
	   "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
	   "Content-Type: text/xml\r\nCache-Control: max-age=9\r\n"
	   "Alt-Svc: http/1.1=\":1\"\r\n\r\nhello",
	SCRIPT_KEEP, NULL, 0},
    {"/b", OK "Content-Length: 3\r\n\r\nbye", SCRIPT_KEEP, NULL, 0},
    {"/extra",
	OK "Content-Length: 5\r\n\r\nhello" OK "Content-Length: 4\r\n\r\nEVIL",
	SCRIPT_KEEP, NULL, 0},
    {"/silence", "", SCRIPT_HANG, NULL, 0}, {NULL, NULL, SCRIPT_KEEP, NULL, 0}};

static bool
has_field(struct env *env, unsigned request, const char *field)
{
	const char *text = raw_server_request(env->server, request);

	assert_non_null(text);
	return strstr(text, field) != NULL;
}

static void
test_result(void **state)
{
	struct fetcher_options options;
	struct answer answer;
	struct env env;
	struct addr addr;

	env_open(&env, &options, reach_scripts);
	env_start(&env, &options);
	answer_get(&answer, &env, "127.0.0.1", "/a", NULL);
	assert_int_equal(answer.result.code, DIAG_OK);
	assert_string_equal(answer.result.etag, "\"a\"");
	assert_string_equal(
	    answer.result.last_modified, "Tue, 14 Nov 2023 22:13:20 GMT");
	assert_string_equal(answer.result.content_type, "text/xml");
	assert_null(answer.result.location);
	assert_null(answer.result.content_encoding);
	assert_int_equal(answer.result.retry_after_s, -1);
	assert_int_equal(answer.result.max_age_s, 9);
	assert_int_equal(answer.result.wire_bytes, 5);
	assert_true(addr_parse(&addr, slice_of("127.0.0.1")));
	assert_memory_equal(&answer.result.peer, &addr, sizeof(addr));
	/* The time is rounded up to the next millisecond. */
	assert_in_range(
	    loop_now_ms(env.loop) + 1 - answer.result.answered_ms, 0, 9999);
	answer_release(&answer);
	env_close(&env);
}

static const struct {
	const char *host;
	const char *detail;
} refused[] = {{"127.0.0.2", "127.0.0.2 port "}, {"0x7f.2", "127.0.0.2 port "},
    {"2130706434", "127.0.0.2 port "}, {"[::1]", "::1 port "},
    {"[::ffff:127.0.0.2]", "127.0.0.2 port "},
    {"only.example", "127.0.0.2 port "}, {"127.0.0.1:1", "port 1"}};

/* T6, R5, R14: refused, and no byte went to 127.0.0.2. */
static void
test_refused(void **state)
{
	const char *resolve[2] = {NULL};
	struct fetcher_options options;
	struct answer answer;
	struct buf text, url;
	struct env env;

	buf_init(&text, 1000);
	buf_init(&url, 1000);
	env_open(&env, &options, reach_scripts);
	resolve[0] = env_resolve(&env, &text, "only.example", "127.0.0.2");
	options.resolve = resolve;
	env_start(&env, &options);
	for (size_t i = 0; i < COUNT(refused); i++) {
		buf_clear(&url);
		if (strchr(refused[i].host, ':') != NULL &&
		    refused[i].host[0] != '[')
			(void)buf_print(&url, "http://%s/a", refused[i].host);
		else
			(void)env_url(&env, &url, refused[i].host, "/a");
		answer_start(&answer, &env, buf_str(&url), NULL);
		answer_wait(&env);
		if (answer.result.code != DIAG_PRIVATE_ADDRESS ||
		    strncmp(answer.result.detail, refused[i].detail,
			strlen(refused[i].detail)) != 0)
			fail_msg("%s: %s '%s'", refused[i].host,
			    diag_name(answer.result.code),
			    answer.result.detail);
		assert_false(answer.result.is_connect_failure);
		assert_false(answer.result.has_peer);
		answer_release(&answer);
	}
	assert_int_equal(raw_server_accepted(env.server), 0);
	env_close(&env);
	buf_release(&text);
	buf_release(&url);
}

/* R7: of two addresses only the allowed one is connected to. */
static void
test_mixed(void **state)
{
	const char *resolve[2] = {NULL};
	struct fetcher_options options;
	struct answer answer;
	struct buf text;
	struct env env;

	buf_init(&text, 1000);
	env_open(&env, &options, reach_scripts);
	resolve[0] = env_resolve(
	    &env, &text, "mixed.example", "127.0.0.2,127.0.0.1,127.0.0.2");
	options.resolve = resolve;
	env_start(&env, &options);
	answer_get(&answer, &env, "mixed.example", "/a", NULL);
	assert_int_equal(answer.result.code, DIAG_OK);
	assert_string_equal(answer.result.detail, "");
	answer_release(&answer);
	env_close(&env);
	buf_release(&text);
}

/* No process listens at a port that was just closed. */
static void
test_shut(void **state)
{
	struct fetcher_options options;
	struct raw_server *server;
	struct answer answer;
	struct buf text;
	struct env env;

	buf_init(&text, 1000);
	env_open(&env, &options, reach_scripts);
	server = raw_server_new("127.0.0.1", 0, reach_scripts);
	(void)buf_print(
	    &text, "127.0.0.1:%u:127.0.0.1", raw_server_port(server));
	assert_true(policy_resolve(env.policy, buf_text(&text)));
	buf_clear(&text);
	(void)buf_print(
	    &text, "http://127.0.0.1:%u/a", raw_server_port(server));
	raw_server_free(server);
	env_start(&env, &options);
	answer_start(&answer, &env, buf_str(&text), NULL);
	answer_wait(&env);
	assert_int_equal(answer.result.code, DIAG_FETCH_NETWORK_ERROR);
	assert_string_equal(answer.result.detail, "connection refused");
	assert_true(answer.result.is_connect_failure);
	assert_true(answer.result.is_connect_to_refused);
	answer_release(&answer);
	env_close(&env);
	buf_release(&text);
}

/* T27, R9, N35: a request repeats nothing of the request before, and sends
 * nothing of the environment. */
static void
test_nothing_leaks(void **state)
{
	static const char *const headers[] = {"X-Api-Key: k", NULL};
	static const char *const fields[] = {"If-None-Match", "X-Api-Key",
	    "Authorization", "Cookie", "If-Modified-Since", "Referer"};
	struct fetch_request all = {.etag = "W/\"a\"",
	    .last_modified = "never sent",
	    .credentials = "user:pass",
	    .headers = headers};
	struct fetch_request dated = {
	    .last_modified = "Tue", .is_identity = true};
	struct fetcher_options options;
	struct answer answer;
	struct env env;

	env_open(&env, &options, reach_scripts);
	env_start(&env, &options);
	answer_get(&answer, &env, "127.0.0.1", "/a", &all);
	answer_release(&answer);
	answer_get(&answer, &env, "127.0.0.1", "/b", NULL);
	answer_release(&answer);
	answer_get(&answer, &env, "127.0.0.1", "/b", &dated);
	answer_release(&answer);
	assert_int_equal(raw_server_accepted(env.server), 1);
	assert_true(has_field(&env, 0, "GET /a HTTP/1.1\r\n"));
	assert_true(has_field(&env, 0, "\r\nIf-None-Match: W/\"a\"\r\n"));
	assert_true(has_field(&env, 0, "\r\nX-Api-Key: k\r\n"));
	assert_true(
	    has_field(&env, 0, "\r\nAuthorization: Basic dXNlcjpwYXNz\r\n"));
	assert_true(has_field(&env, 0, "\r\nUser-Agent: freshet\r\n"));
	assert_true(has_field(&env, 0, "\r\nAccept-Encoding: gzip\r\n"));
	assert_false(has_field(&env, 0, "If-Modified-Since"));
	assert_true(has_field(&env, 1, "GET /b HTTP/1.1\r\n"));
	for (size_t i = 0; i < COUNT(fields); i++)
		assert_false(has_field(&env, 1, fields[i]));
	assert_true(has_field(&env, 2, "\r\nIf-Modified-Since: Tue\r\n"));
	assert_true(has_field(&env, 2, "\r\nAccept-Encoding: identity\r\n"));
	env_close(&env);
}

/* F7, R9: proxies of the environment are not used. */
static void
test_environment(void **state)
{
	static const char *const names[] = {
	    "http_proxy", "all_proxy", "ALL_PROXY"};
	struct fetcher_options options;
	struct answer answer;
	struct buf text;
	struct env env;

	buf_init(&text, 1000);
	env_open(&env, &options, reach_scripts);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(
		    setenv(names[i], env_url(&env, &text, "127.0.0.2", ""), 1),
		    0);
	env_start(&env, &options);
	answer_get(&answer, &env, "127.0.0.1", "/a", NULL);
	assert_int_equal(answer.result.code, DIAG_OK);
	answer_release(&answer);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(unsetenv(names[i]), 0);
	env_close(&env);
	buf_release(&text);
}

/* N9: bytes behind an answer do not count for the next answer. */
static void
test_extra(void **state)
{
	struct fetcher_options options;
	struct answer answer;
	struct env env;

	env_open(&env, &options, reach_scripts);
	env_start(&env, &options);
	answer_get(&answer, &env, "127.0.0.1", "/extra", NULL);
	assert_int_equal(answer.result.code, DIAG_OK);
	assert_int_equal(answer.result.wire_bytes, 5);
	answer_release(&answer);
	answer_get(&answer, &env, "127.0.0.1", "/b", NULL);
	assert_int_equal(answer.result.wire_bytes, 3);
	answer_release(&answer);
	assert_int_equal(raw_server_accepted(env.server), 2);
	env_close(&env);
}

/* --connect-to: the request names the site, the connection goes elsewhere. */
static void
test_connect_to(void **state)
{
	const char *connect_to[2] = {NULL};
	struct fetcher_options options;
	struct answer answer;
	struct buf text;
	struct env env;

	buf_init(&text, 1000);
	env_open(&env, &options, reach_scripts);
	(void)buf_print(
	    &text, "a.example:80:127.0.0.1:%u", raw_server_port(env.server));
	connect_to[0] = buf_str(&text);
	options.connect_to = connect_to;
	assert_true(policy_connect_to(env.policy, buf_text(&text)));
	env_start(&env, &options);
	answer_start(&answer, &env, "http://a.example/a", NULL);
	answer_wait(&env);
	assert_int_equal(answer.result.code, DIAG_OK);
	assert_true(has_field(&env, 0, "\r\nHost: a.example\r\n"));
	answer_release(&answer);
	env_close(&env);
	buf_release(&text);
}

/* T5, N40: many hosts at once, of which sixteen may look up their names. */
static void
test_many(void **state)
{
	static struct answer answers[MANY];
	static struct buf texts[MANY];
	const char *resolve[MANY + 1] = {NULL};
	struct fetcher_options options;
	struct buf url;
	struct env env;
	char host[16];

	buf_init(&url, 1000);
	env_open(&env, &options, reach_scripts);
	for (size_t i = 0; i < MANY; i++) {
		buf_init(&texts[i], 1000);
		(void)snprintf(host, sizeof(host), "h%zu.example", i);
		resolve[i] = env_resolve(&env, &texts[i], host, "127.0.0.1");
	}
	options.resolve = resolve;
	env_start(&env, &options);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < MANY; i++) {
			(void)snprintf(host, sizeof(host), "h%zu.example", i);
			answer_start(&answers[i], &env,
			    env_url(&env, &url, host, "/a"), NULL);
		}
		assert_int_equal(fetch_active(env.fetcher), MANY);
		answer_wait(&env);
		for (size_t i = 0; i < MANY; i++) {
			assert_int_equal(answers[i].result.code, DIAG_OK);
			assert_int_equal(answers[i].times, 1);
			answer_release(&answers[i]);
		}
	}
	assert_int_equal(raw_server_accepted(env.server), MANY);
	for (size_t i = 0; i < MANY; i++)
		buf_release(&texts[i]);
	buf_release(&url);
	env_close(&env);
}

struct ender {
	struct env *env;
	unsigned times;
};

static void
end_all(void *arg, const struct fetch_result *result)
{
	struct ender *ender = arg;

	assert_int_equal(result->code, DIAG_PRIVATE_ADDRESS);
	ender->times++;
	fetcher_free(ender->env->fetcher);
	ender->env->fetcher = NULL;
	loop_stop(ender->env->loop);
}

/* done may free the fetcher; the requests under way never call theirs. */
static void
test_freed(void **state)
{
	struct fetcher_options options;
	struct answer answers[2];
	struct ender ender = {.times = 0};
	struct fetch_request request = {.max_bytes = 1};
	struct buf text;
	struct env env;
	struct url url;

	buf_init(&text, 1000);
	env_open(&env, &options, reach_scripts);
	env_start(&env, &options);
	ender.env = &env;
	answer_start(&answers[0], &env,
	    env_url(&env, &text, "127.0.0.1", "/silence"), NULL);
	answer_start(
	    &answers[1], &env, env_url(&env, &text, "[::1]", "/a"), NULL);
	must_parse_url(&url, "http://a.example:1/");
	request.url = &url;
	fetch_start(env.fetcher, &request, end_all, &ender);
	loop_run(env.loop);
	assert_int_equal(ender.times, 1);
	assert_int_equal(answers[0].times, 0);
	answer_release(&answers[0]);
	answer_release(&answers[1]);
	url_release(&url);
	buf_release(&text);
	env_close(&env);
}

/* Requests that end at once because they may not be sent now. */

static const struct script deferred_scripts[] = {
    {"/a", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", SCRIPT_KEEP,
	NULL, 0},
    {NULL, NULL, SCRIPT_KEEP, NULL, 0},
};

struct asked {
	bool may;
	unsigned times;
	struct fetch_result result;
	struct loop *loop;
};

static bool
admit(void *arg, const struct addr *addr)
{
	struct asked *asked = arg;

	assert_true(addr_is_loopback(addr));
	asked->times++;
	return asked->may;
}

static void
note_answer(void *arg, const struct fetch_result *result)
{
	struct asked *asked = arg;

	asked->result = *result;
	loop_stop(asked->loop);
}

/* HOSTILE T10, T31: a request that may not be sent now ends with a deferral,
 * and nothing was sent; admit is not called for a connection that exists
 * already. */
static const struct deferral_row {
	bool may;
	rlim_t descriptors; /* the limit; 0: unchanged */
	enum fetch_deferral deferral;
	unsigned asked, accepted;
} deferral_rows[] = {
    {false, 0, DEFERRED_ADDRESS, 1, 0},
    {true, 1, DEFERRED_DESCRIPTORS, 1, 0},
    {true, 0, DEFERRED_NOT, 1, 1},
    {false, 0, DEFERRED_NOT, 0, 1},
};

static void
ask(struct env *env, const struct url *url, const struct deferral_row *row)
{
	struct asked asked = {.may = row->may, .loop = env->loop};
	struct fetch_request request = {.url = url,
	    .admit = admit,
	    .spool = spool_get(env->spool),
	    .max_bytes = 1000};
	struct rlimit was, limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	limit = was;
	if (row->descriptors > 0)
		limit.rlim_cur = row->descriptors;
	fetch_start(env->fetcher, &request, note_answer, &asked);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	loop_run(env->loop);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_int_equal(asked.result.deferral, row->deferral);
	assert_int_equal(asked.result.code,
	    row->deferral == DEFERRED_NOT ? DIAG_OK : DIAG_FETCH_NETWORK_ERROR);
	assert_int_equal(asked.times, row->asked);
	assert_int_equal(raw_server_accepted(env->server), row->accepted);
	spool_put(request.spool);
}

static void
test_deferred(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct fetcher_options options;
	struct buf text;
	struct env env;
	struct url url;

	buf_init(&text, 1000);
	url_init(&url);
	env_open(&env, &options, deferred_scripts);
	env_start(&env, &options);
	(void)env_url(&env, &text, "127.0.0.1", "/a");
	assert_int_equal(url_parse(&url, buf_text(&text), NULL, &profile,
			     (struct diag_sink){0}),
	    DIAG_OK);
	for (size_t i = 0; i < COUNT(deferral_rows); i++)
		ask(&env, &url, &deferral_rows[i]);
	url_release(&url);
	buf_release(&text);
	env_close(&env);
}

UNIT(fetch)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_answers),
	    cmocka_unit_test(test_slow),
	    cmocka_unit_test(test_result),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_mixed),
	    cmocka_unit_test(test_shut),
	    cmocka_unit_test(test_nothing_leaks),
	    cmocka_unit_test(test_environment),
	    cmocka_unit_test(test_extra),
	    cmocka_unit_test(test_connect_to),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_freed),
	    cmocka_unit_test(test_deferred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
