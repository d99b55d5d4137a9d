/* crawler/fetch/fetch.c: requests against a server of raw bytes
 * (HOSTILE 4.1, 4.2, T5, T6, T10, T27, T31). */
#include "crawler/fetch/fetch.h"

#include <poll.h>
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
#define HERE "127.0.0.1"

/* What the server does on a path, and the result that must follow: the code,
 * the status, whether the body was cut, its bytes, and the detail.  Any number
 * of bytes is right for "*", and any detail where none is given. */
struct row {
	const char *rule;
	const char *path, *text;
	enum script_end end;
	const char *again;
	const char *result;
};

static const struct row rows[] = {
    {"R-72", "/plain", OK "Content-Length: 5\r\n\r\nhello", SCRIPT_KEEP, NULL,
	"ok 200 5"},
    {"R-72", "/chunked", CHUNKED "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
	SCRIPT_KEEP, NULL, "ok 200 5"},
    {"R-72", "/close", OK "\r\nhello", SCRIPT_CLOSE, NULL, "ok 200 5"},
    {"R-72", "/304", "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n",
	SCRIPT_KEEP, NULL, "ok 304 0"},
    {"N1", "/endless", CHUNKED, SCRIPT_FLOOD, "2c\r\n" FILLER "\r\n",
	"body-too-big 200 1048576: more than 1048576 bytes"},
    {"N2", "/stream", OK "\r\n", SCRIPT_FLOOD, FILLER,
	"body-too-big 200 1048576: more than 1048576 bytes"},
    {"N3", "/huge", OK "Content-Length: 999999999999\r\n\r\n", SCRIPT_FLOOD,
	FILLER, "body-too-big 200 0: more than 1048576 bytes"},
    {"N4", "/cut", OK "Content-Length: 100\r\n\r\nabc", SCRIPT_CLOSE, NULL,
	"fetch-network-error 200 cut 3: the body ends too early"},
    {"N4", "/cut-at-0", OK "Content-Length: 100\r\n\r\n", SCRIPT_CLOSE, NULL,
	"fetch-network-error 200 0: the body ends too early"},
    {"N5", "/cut-chunk", CHUNKED "3\r\nabc\r\n", SCRIPT_CLOSE, NULL,
	"fetch-network-error 200 cut 3: the body ends too early"},
    {"N5", "/bad-chunk", CHUNKED "3\r\nabc\r\nzz\r\n", SCRIPT_HANG, NULL,
	"fetch-network-error 200 cut 3: the chunks of the body are broken"},
    {"N6", "/two-lengths",
	OK "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", SCRIPT_KEEP,
	NULL,
	"fetch-network-error 0 0: two Content-Length headers that differ"},
    {"N7", "/length-and-chunks",
	OK "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
	   "3\r\nabc\r\n0\r\n\r\n",
	SCRIPT_KEEP, NULL,
	"fetch-network-error 0 0: both Content-Length and Transfer-Encoding"},
    {"N8", "/no-length", OK "Content-Length: x\r\n\r\nabc", SCRIPT_HANG, NULL,
	"fetch-network-error 0 0: unreadable answer"},
    {"N8", "/part-length", OK "Content-Length: 3x\r\n\r\nabc", SCRIPT_HANG,
	NULL, "fetch-network-error 0 0: Content-Length is no number"},
    {"N10", "/headers", OK, SCRIPT_FLOOD, "A: bcdefghijklmn\r\n",
	"headers-too-big 0 0: headers without end"},
    {"N11", "/line", OK "A: ", SCRIPT_FLOOD, "bcdefghijklmnop",
	"headers-too-big 0 0: a header line without end"},
    {"N12", "/hints", "", SCRIPT_FLOOD, "HTTP/1.1 103 Hints\r\n\r\n",
	"headers-too-big 0 0: headers without end"},
    {"N13", "/trailers", CHUNKED "3\r\nabc\r\n0\r\n", SCRIPT_FLOOD,
	"A: bcdefghijklmnop\r\n", "headers-too-big 200 3: headers without end"},
    {"N19", "/reset", OK "Content-Length: 100\r\n\r\nabc", SCRIPT_RESET, NULL,
	"fetch-network-error 200 cut 3: connection reset"},
    {"N20", "/nothing", "", SCRIPT_CLOSE, NULL,
	"fetch-network-error 0 0: empty answer"},
    {"N21", "/status-only", OK, SCRIPT_CLOSE, NULL, "fetch-network-error 0 0"},
    {"N22", "/http09", "hello", SCRIPT_CLOSE, NULL,
	"fetch-network-error 0 0: unreadable answer"},
    {"N23", "/101", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", SCRIPT_HANG,
	NULL, "fetch-network-error 0 0: switches protocols unasked"},
    {"N24", "/204", "HTTP/1.1 204 None\r\n\r\n", SCRIPT_KEEP, NULL, "ok 204 0"},
    {"N24", "/206", "HTTP/1.1 206 Part\r\nContent-Length: 3\r\n\r\nabc",
	SCRIPT_KEEP, NULL, "ok 206 3"},
    {"N24", "/999", "HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n",
	SCRIPT_KEEP, NULL, "ok 999 0"},
    {"N24", "/http3", "HTTP/3.7 200 OK\r\n\r\n", SCRIPT_CLOSE, NULL,
	"fetch-network-error 0 0"},
    {"N25", "/nul", OK "A: b\0c\r\n\r\n", SCRIPT_HANG, NULL,
	"fetch-network-error 0 0"},
    {"N26", "/folded", OK "A: b\r\n c\r\n\r\n", SCRIPT_HANG, NULL,
	"fetch-network-error 0 0: a folded header"},
    {"R4", "/302", "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", SCRIPT_FLOOD,
	FILLER, "ok 302 *"},
    {"T2", "/404", "HTTP/1.1 404 No\r\nContent-Length: 99999999\r\n\r\n",
	SCRIPT_FLOOD, FILLER, "ok 404 *"},
    {"T2", "/503",
	"HTTP/1.1 503 Busy\r\nRetry-After: 9\r\nContent-Length: 9\r\n\r\n",
	SCRIPT_CLOSE, NULL, "ok 503 0"},
    {"T34", "/gzip", OK "Content-Encoding: gzip\r\n\r\nnone", SCRIPT_CLOSE,
	NULL, "ok 200 4"},
    {"T34", "/coded", OK "Transfer-Encoding: gzip, chunked\r\n\r\n",
	SCRIPT_HANG, NULL,
	"fetch-network-error 0 0: a Transfer-Encoding other than chunked"},
};

/* All at once, each on its own host; time-outs end them. */
static const struct row slow_rows[] = {
    {"N14", "/extension", CHUNKED "1;", SCRIPT_FLOOD, "aaaaaaaaaaaaaaa",
	"fetch-network-error 200 0: too slow: less than 1024 bytes a second "
	"for 1 s"},
    {"N15", "/drip-header", OK "A:", SCRIPT_DRIP, "x",
	"fetch-network-error 0 0: too slow: less than 1024 bytes a second for "
	"1 s"},
    {"N16", "/drip-body", OK "\r\n", SCRIPT_DRIP, "x",
	"fetch-network-error 200 cut *: too slow: less than 1024 bytes a "
	"second for 1 s"},
    {"N17", "/silence", "", SCRIPT_HANG, NULL,
	"fetch-network-error 0 0: too slow: less than 1024 bytes a second for "
	"1 s"},
    {"N23", "/silent-body", OK "Content-Length: 9\r\n\r\n", SCRIPT_HANG, NULL,
	"fetch-network-error 200 0: too slow: less than 1024 bytes a second "
	"for 1 s"},
};

/* What other tests ask for. */
static const struct script others[] = {
    {"/a",
	OK "Content-Length: 5\r\nETag: \"a\"\r\nSet-Cookie: a=b\r\n"
	   "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
	   "Content-Type: text/xml\r\nCache-Control: max-age=9\r\n"
	   "Alt-Svc: http/1.1=\":1\"\r\n\r\nhello",
	SCRIPT_KEEP, NULL, 0},
    {"/b", OK "Content-Length: 3\r\n\r\nbye", SCRIPT_KEEP, NULL, 0},
    {"/gone", "HTTP/1.1 410 Gone\r\nContent-Length: 4\r\n\r\ngone", SCRIPT_KEEP,
	NULL, 0},
    {"/trailed", CHUNKED "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n", SCRIPT_KEEP, NULL,
	0},
    {"/hinted",
	"HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" OK
	"Content-Length: 1\r\n\r\nx",
	SCRIPT_KEEP, NULL, 0},
    {"/extra",
	OK "Content-Length: 5\r\n\r\nhello" OK "Content-Length: 4\r\n\r\nEVIL",
	SCRIPT_KEEP, NULL, 0}};

static struct script
    scripts[COUNT(rows) + COUNT(slow_rows) + COUNT(others) + 1];

static int
setup(void **state)
{
	struct env *env = mem_zero(sizeof(*env));

	for (size_t i = 0; i < COUNT(rows) + COUNT(slow_rows); i++) {
		const struct row *row = i < COUNT(rows)
		    ? &rows[i]
		    : &slow_rows[i - COUNT(rows)];

		scripts[i] = (struct script){
		    row->path, row->text, row->end, row->again, 0};
		/* its text has a NUL */
		if (strcmp(row->path, "/nul") == 0)
			scripts[i].len = sizeof(OK) + 9;
	}
	memcpy(
	    &scripts[COUNT(rows) + COUNT(slow_rows)], others, sizeof(others));
	env_open(env, scripts);
	*state = env;
	return 0;
}

static int
teardown(void **state)
{
	env_close(*state);
	free(*state);
	return 0;
}

static void
check(const struct row *row, const struct answer *answer)
{
	const struct fetch_result *result = &answer->result;
	char got[400], bytes[24] = "*";

	if (strchr(row->result, '*') == NULL)
		(void)snprintf(bytes, sizeof(bytes), "%llu",
		    (unsigned long long)result->wire_bytes);
	(void)snprintf(got, sizeof(got), "%s %d%s %s%s%s",
	    result->code == DIAG_OK ? "ok" : diag_name(result->code),
	    result->status, result->is_truncated ? " cut" : "", bytes,
	    strchr(row->result, ':') == NULL ? "" : ": ",
	    strchr(row->result, ':') == NULL ? "" : result->detail);
	if (strcmp(got, row->result) != 0)
		fail_msg("%s %s: %s", row->rule, row->path, got);
	assert_int_equal(answer->file->length,
	    result->status == 200 ? result->wire_bytes : 0);
	assert_false(result->is_connect_failure);
}

/* What the sockets of a connection may hold on this machine. */
static uint64_t
socket_bytes(void)
{
	static const char *const names[] = {
	    "/proc/sys/net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_wmem"};
	uint64_t bytes = 0;

	for (size_t i = 0; i < COUNT(names); i++) {
		unsigned long long most = 0;
		FILE *file = fopen(names[i], "r");

		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*u %*u %llu", &most), 1);
		(void)fclose(file);
		bytes += most;
	}
	return bytes;
}

static void
test_answers(void **state)
{
	struct env *env = *state;
	uint64_t held = socket_bytes();

	env_start(env);
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t before = raw_server_sent(env->server);

		(void)env_get(env, env_url(env, HERE, rows[i].path), NULL);
		check(&rows[i], &env->last);
		/* F1, F2, F4: a refused answer is not received any further. */
		assert_in_range(raw_server_sent(env->server) - before, 0,
		    FETCH_MAX_BODY + held + (8 << 20));
		assert_true(env->last.result.has_peer);
	}
}

static const char *
host_name(size_t i)
{
	static char host[16];

	(void)snprintf(host, sizeof(host), "h%zu.example", i);
	return host;
}

/* T4: all at once, each on its own host; time-outs end them. */
static void
test_slow(void **state)
{
	struct env *env = *state;
	struct answer answers[COUNT(slow_rows)];

	for (size_t i = 0; i < COUNT(slow_rows); i++)
		env_resolve(env, host_name(i), HERE);
	env->options.low_speed_time_s = 1;
	env_start(env);
	for (size_t i = 0; i < COUNT(slow_rows); i++)
		answer_start(&answers[i], env,
		    env_url(env, host_name(i), slow_rows[i].path), NULL);
	answer_wait(env);
	for (size_t i = 0; i < COUNT(slow_rows); i++) {
		check(&slow_rows[i], &answers[i]);
		assert_true(answers[i].result.duration_ms >= 990);
		answer_release(&answers[i]);
	}
}

/* Where requests go, and what goes with them: HOSTILE 4.2, T5, T6, T27. */

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
	struct env *env = *state;
	const struct fetch_result *got;
	struct addr addr;

	env_start(env);
	got = env_get(env, env_url(env, HERE, "/a"), NULL);
	assert_int_equal(got->code, DIAG_OK);
	assert_string_equal(got->etag, "\"a\"");
	assert_string_equal(
	    got->last_modified, "Tue, 14 Nov 2023 22:13:20 GMT");
	assert_string_equal(got->content_type, "text/xml");
	assert_null(got->location);
	assert_null(got->content_encoding);
	assert_int_equal(got->retry_after_s, -1);
	assert_int_equal(got->max_age_s, 9);
	assert_int_equal(got->wire_bytes, 5);
	assert_true(addr_parse(&addr, slice_of(HERE)));
	assert_memory_equal(&got->peer, &addr, sizeof(addr));
	/* The time is rounded up to the next millisecond. */
	assert_in_range(loop_now_ms(env->loop) + 1 - got->answered_ms, 0, 9999);
}

/* T6, R5, R14: refused, and no byte went to 127.0.0.2. */
static void
test_refused(void **state)
{
	static const struct {
		const char *host; /* with a port: not that of the server */
		const char *detail;
	} refused[] = {{"127.0.0.2", "127.0.0.2 port "},
	    {"0x7f.2", "127.0.0.2 port "}, {"2130706434", "127.0.0.2 port "},
	    {"[::1]", "::1 port "}, {"[::ffff:127.0.0.2]", "127.0.0.2 port "},
	    {"only.example", "127.0.0.2 port "}};
	struct env *env = *state;
	const struct fetch_result *got;

	env_resolve(env, "only.example", "127.0.0.2");
	env_start(env);
	for (size_t i = 0; i <= COUNT(refused); i++) {
		/* the last one is another port */
		bool is_port = i == COUNT(refused);
		const char *detail = is_port ? "port 1" : refused[i].detail;

		got = env_get(env,
		    is_port ? "http://127.0.0.1:1/a"
			    : env_url(env, refused[i].host, "/a"),
		    NULL);
		if (got->code != DIAG_PRIVATE_ADDRESS ||
		    strncmp(got->detail, detail, strlen(detail)) != 0)
			fail_msg("%zu, %s: %s '%s'", i, detail,
			    diag_name(got->code), got->detail);
		assert_false(got->is_connect_failure);
		assert_false(got->has_peer);
	}
	assert_int_equal(raw_server_accepted(env->server), 0);
}

/* R7: of two addresses only the allowed one is connected to. */
static void
test_mixed(void **state)
{
	struct env *env = *state;
	const struct fetch_result *got;

	env_resolve(env, "mixed.example", "127.0.0.2,127.0.0.1,127.0.0.2");
	env_start(env);
	got = env_get(env, env_url(env, "mixed.example", "/a"), NULL);
	assert_int_equal(got->code, DIAG_OK);
	assert_string_equal(got->detail, "");
}

/* No process listens at a port that was just closed. */
static void
test_shut(void **state)
{
	struct env *env = *state;
	struct raw_server *server = raw_server_new(HERE, 0, scripts);
	const struct fetch_result *got;
	char text[64];

	(void)snprintf(text, sizeof(text), "127.0.0.1:%u:127.0.0.1",
	    raw_server_port(server));
	assert_true(policy_resolve(env->policy, slice_of(text)));
	(void)snprintf(text, sizeof(text), "http://127.0.0.1:%u/a",
	    raw_server_port(server));
	raw_server_free(server);
	env_start(env);
	got = env_get(env, text, NULL);
	assert_int_equal(got->code, DIAG_FETCH_NETWORK_ERROR);
	assert_string_equal(got->detail, "connection refused");
	assert_true(got->is_connect_failure);
}

/* T27, R9, N35: a request repeats nothing of the request before, and sends
 * nothing of the environment. */
static void
test_nothing_leaks(void **state)
{
	static const char *const headers[] = {"X-Api-Key: k", NULL};
	static const struct {
		unsigned request;
		bool has;
		const char *field;
	} fields[] = {
	    {0, true, "GET /a HTTP/1.1\r\n"},
	    {0, true, "\r\nIf-None-Match: W/\"a\"\r\n"},
	    {0, true, "\r\nX-Api-Key: k\r\n"},
	    {0, true, "\r\nAuthorization: Basic dXNlcjpwYXNz\r\n"},
	    {0, true, "\r\nUser-Agent: freshet\r\n"},
	    {0, true, "\r\nAccept-Encoding: gzip\r\n"},
	    {0, false, "If-Modified-Since"},
	    {1, true, "GET /b HTTP/1.1\r\n"},
	    {1, false, "If-None-Match"},
	    {1, false, "X-Api-Key"},
	    {1, false, "Authorization"},
	    {1, false, "Cookie"},
	    {1, false, "If-Modified-Since"},
	    {1, false, "Referer"},
	    {2, true, "\r\nIf-Modified-Since: Tue\r\n"},
	    {2, true, "\r\nAccept-Encoding: identity\r\n"},
	};
	struct fetch_request all = {.etag = "W/\"a\"",
	    .last_modified = "never sent",
	    .credentials = "user:pass",
	    .headers = headers};
	struct fetch_request dated = {
	    .last_modified = "Tue", .is_identity = true};
	struct env *env = *state;

	env_start(env);
	(void)env_get(env, env_url(env, HERE, "/a"), &all);
	(void)env_get(env, env_url(env, HERE, "/b"), NULL);
	(void)env_get(env, env_url(env, HERE, "/b"), &dated);
	assert_int_equal(raw_server_accepted(env->server), 1);
	for (size_t i = 0; i < COUNT(fields); i++)
		if (has_field(env, fields[i].request, fields[i].field) !=
		    fields[i].has)
			fail_msg("request %u: %s", fields[i].request,
			    fields[i].field);
}

/* F7, R9: proxies of the environment are not used. */
static void
test_environment(void **state)
{
	static const char *const names[] = {
	    "http_proxy", "all_proxy", "ALL_PROXY"};
	struct env *env = *state;

	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(
		    setenv(names[i], env_url(env, "127.0.0.2", ""), 1), 0);
	env_start(env);
	assert_int_equal(
	    env_get(env, env_url(env, HERE, "/a"), NULL)->code, DIAG_OK);
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(unsetenv(names[i]), 0);
}

/* N9: bytes behind an answer do not count for the next answer. */
static void
test_extra(void **state)
{
	struct env *env = *state;
	const struct fetch_result *got;

	env_start(env);
	got = env_get(env, env_url(env, HERE, "/extra"), NULL);
	assert_int_equal(got->code, DIAG_OK);
	assert_int_equal(got->wire_bytes, 5);
	got = env_get(env, env_url(env, HERE, "/b"), NULL);
	assert_int_equal(got->wire_bytes, 3);
	assert_int_equal(raw_server_accepted(env->server), 2);
}

/* --connect-to: the request names the site, the connection goes elsewhere. */
static void
test_connect_to(void **state)
{
	struct env *env = *state;
	char text[64];
	const char *connect_to[] = {text, NULL};

	(void)snprintf(text, sizeof(text), "a.example:80:127.0.0.1:%u",
	    raw_server_port(env->server));
	env->options.connect_to = connect_to;
	assert_true(policy_connect_to(env->policy, slice_of(text)));
	env_start(env);
	assert_int_equal(
	    env_get(env, "http://a.example/a", NULL)->code, DIAG_OK);
	assert_true(has_field(env, 0, "\r\nHost: a.example\r\n"));
}

/* T5, N40: many hosts at once, of which sixteen may look up their names. */
static void
test_many(void **state)
{
	static struct answer answers[ENV_HOSTS];
	struct env *env = *state;

	for (size_t i = 0; i < ENV_HOSTS; i++)
		env_resolve(env, host_name(i), HERE);
	env_start(env);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < ENV_HOSTS; i++)
			answer_start(&answers[i], env,
			    env_url(env, host_name(i), "/a"), NULL);
		assert_int_equal(fetch_active(env->fetcher), ENV_HOSTS);
		answer_wait(env);
		for (size_t i = 0; i < ENV_HOSTS; i++) {
			assert_int_equal(answers[i].result.code, DIAG_OK);
			assert_int_equal(answers[i].times, 1);
			answer_release(&answers[i]);
		}
	}
	assert_int_equal(raw_server_accepted(env->server), ENV_HOSTS);
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
	struct env *env = *state;
	struct answer answers[2];
	struct ender ender = {.env = env};
	struct fetch_request request = {.max_bytes = 1};
	struct url url;

	env_start(env);
	answer_start(&answers[0], env, env_url(env, HERE, "/silence"), NULL);
	answer_start(&answers[1], env, env_url(env, "[::1]", "/a"), NULL);
	must_parse_url(&url, "http://a.example:1/");
	request.url = &url;
	fetch_start(env->fetcher, &request, end_all, &ender);
	loop_run(env->loop);
	assert_int_equal(ender.times, 1);
	assert_int_equal(answers[0].times, 0);
	answer_release(&answers[0]);
	answer_release(&answers[1]);
	url_release(&url);
}

/* Requests that end at once because they may not be sent now. */

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

	assert_true(addr_reach(addr) == ADDR_LOOPBACK);
	asked->times++;
	return asked->may;
}

static bool
may_never_send(void *arg)
{
	(void)arg;
	return false;
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
static void
test_deferred(void **state)
{
	static const struct {
		bool may;
		rlim_t descriptors; /* the limit; 0: unchanged */
		enum fetch_deferral deferral;
		unsigned asked, accepted;
		bool is_late; /* may_send says no */
	} deferrals[] = {
	    {false, 0, DEFERRED_ADDRESS, 1, 0, false},
	    {true, 1, DEFERRED_DESCRIPTORS, 1, 0, false},
	    {true, 0, DEFERRED_NOT, 1, 1, false},
	    {false, 0, DEFERRED_NOT, 0, 1, false},
	    {false, 0, DEFERRED_RIGHT, 0, 1, true},
	    {true, 0, DEFERRED_RIGHT, 1, 2, true},
	};
	struct env *env = *state;
	struct url url;

	env_start(env);
	must_parse_url(&url, env_url(env, HERE, "/a"));
	for (size_t i = 0; i < COUNT(deferrals); i++) {
		struct asked asked = {
		    .may = deferrals[i].may, .loop = env->loop};
		struct fetch_request request = {.url = &url,
		    .admit = admit,
		    .may_send = may_never_send,
		    .spool = spool_get(env->spool),
		    .max_bytes = 1000};
		struct rlimit was, limit;

		if (!deferrals[i].is_late)
			request.may_send = NULL;
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
		limit = was;
		if (deferrals[i].descriptors > 0)
			limit.rlim_cur = deferrals[i].descriptors;
		fetch_start(env->fetcher, &request, note_answer, &asked);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		loop_run(env->loop);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
		/* the thread of the server may see a connection late */
		for (int n = 0; n < 1000 &&
		     raw_server_accepted(env->server) < deferrals[i].accepted;
		     n++)
			(void)poll(NULL, 0, 10);
		if (asked.result.deferral != deferrals[i].deferral ||
		    (asked.result.code == DIAG_OK) !=
			(deferrals[i].deferral == DEFERRED_NOT) ||
		    asked.times != deferrals[i].asked ||
		    raw_server_accepted(env->server) != deferrals[i].accepted)
			fail_msg("row %zu: %d, %s, asked %u times", i,
			    asked.result.deferral, diag_name(asked.result.code),
			    asked.times);
		spool_put(request.spool);
	}
	url_release(&url);
}

/* What an archive keeps: the heads as they were sent and came, and the bodies
 * of all answers, up to the limits. */
static void
test_exchange(void **state)
{
	static const struct {
		const char *path;
		const char *answer; /* its head; NULL: that of the script */
		const char *result; /* code, status, bytes kept, truncated */
		bool is_head, is_conditional;
	} exchanges[] = {
	    {"/a", NULL, "ok 200 5 -", false, false},
	    {"/a", NULL, "ok 200 0 -", true, false},
	    {"/chunked", NULL, "ok 200 5 -", false, false},
	    {"/trailed", CHUNKED, "ok 200 3 -", false, false},
	    {"/hinted", OK "Content-Length: 1\r\n\r\n", "ok 200 1 -", false,
		false},
	    {"/204", NULL, "ok 204 0 -", false, false},
	    {"/206", NULL, "ok 206 3 -", false, false},
	    {"/gone", NULL, "ok 410 4 -", false, false},
	    {"/304", NULL, "ok 304 0 -", false, true},
	    {"/304", NULL, "fetch-network-error 304 0 -", false, false},
	    {"/404", NULL, "ok 404 65536 length", false, false},
	    {"/302", NULL, "ok 302 65536 length", false, false},
	    {"/503", NULL, "ok 503 0 disconnect", false, false},
	    {"/huge", NULL, "body-too-big 200 1048576 length", false, false},
	    {"/stream", NULL, "body-too-big 200 1048576 length", false, false},
	    {"/cut", NULL, "fetch-network-error 200 3 disconnect", false,
		false},
	    {"/bad-chunk", CHUNKED, "fetch-network-error 200 3 disconnect",
		false, false},
	    {"/drip-body", NULL, "fetch-network-error 200 * time", false,
		false},
	    {"/nothing", "", "fetch-network-error 0 0 -", false, false},
	    {"/folded", "", "fetch-network-error 0 0 -", false, false},
	};
	static const char *const fields[] = {"X-Api-Key: k", "Authorization: z",
	    "Cookie: a=b", "X-Trace: 1", "x-session-id: 5", NULL};
	struct env *env = *state;

	env->options.low_speed_time_s = 1;
	env_start(env);
	for (size_t i = 0; i < COUNT(exchanges); i++) {
		const char *path = exchanges[i].path, *head, *end, *bytes;
		const struct script *script = scripts;
		struct fetch_request like = {.takes_all = true,
		    .wants_heads = true,
		    .is_head = exchanges[i].is_head,
		    .etag = exchanges[i].is_conditional ? "\"a\"" : NULL,
		    .headers = fields,
		    .credentials = "user:password"};
		const struct fetch_result *got;
		char text[400];

		(void)env_get(env, env_url(env, HERE, path), &like);
		got = &env->last.result;
		bytes = strchr(exchanges[i].result, '*') != NULL ? "*" : NULL;
		(void)snprintf(text, sizeof(text), "%llu",
		    (unsigned long long)env->last.file->length);
		bytes = bytes == NULL ? text : bytes;
		char result[500];
		(void)snprintf(result, sizeof(result), "%s %d %s %s",
		    got->code == DIAG_OK ? "ok" : diag_name(got->code),
		    got->status, bytes,
		    got->truncated == NULL ? "-" : got->truncated);
		if (strcmp(result, exchanges[i].result) != 0)
			fail_msg("%s: %s", path, result);
		while (strcmp(script->path, path) != 0)
			script++;
		head = exchanges[i].answer;
		if (head == NULL) {
			head = script->text;
			end = strstr(head, "\r\n\r\n");
			assert_non_null(end);
			end += 4;
		} else {
			end = head + strlen(head);
		}
		if (!slice_equal(got->answer_head,
			slice_make(head, (size_t)(end - head))))
			fail_msg("%s: %s", path, got->answer_head.p);
		if (got->status == 0) {
			assert_int_equal(got->request_head.len, 0);
			continue;
		}
		(void)snprintf(text, sizeof(text),
		    "%s %s HTTP/1.1\r\nHost: " HERE ":%u\r\n"
		    "User-Agent: freshet\r\nAccept: */*\r\n"
		    "Accept-Encoding: gzip\r\n%sX-Trace: 1\r\n\r\n",
		    exchanges[i].is_head ? "HEAD" : "GET", path,
		    raw_server_port(env->server),
		    exchanges[i].is_conditional ? "If-None-Match: \"a\"\r\n"
						: "");
		assert_string_equal(got->request_head.p, text);
		assert_true(has_field(env, (unsigned)i, "X-Api-Key: k"));
	}
	/* Without wants_heads nothing is kept, and a 304 is the caller's. */
	(void)env_get(env, env_url(env, HERE, "/304"), NULL);
	assert_int_equal(env->last.result.code, DIAG_OK);
	assert_int_equal(env->last.result.answer_head.len, 0);
	assert_int_equal(env->last.result.request_head.len, 0);
}

#define env_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(fetch, env_test(test_answers), env_test(test_slow),
    env_test(test_result), env_test(test_exchange), env_test(test_refused),
    env_test(test_mixed), env_test(test_shut), env_test(test_nothing_leaks),
    env_test(test_environment), env_test(test_extra), env_test(test_connect_to),
    env_test(test_many), env_test(test_freed), env_test(test_deferred));
