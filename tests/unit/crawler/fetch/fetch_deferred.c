/* Requests that come back because they may not be sent now. */
#include "crawler/fetch/fetch.h"

#include <sys/resource.h>
#include <unistd.h>

#include "tests/fixtures/fetch_fixture.h"
#include "tests/fixtures/fixture.h"

static const struct script scripts[] = {
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

/* HOSTILE T10, T31: what may not be sent now comes back, and nothing was
 * sent; a connection that is there already is nobody's question. */
static const struct row {
	bool may;
	rlim_t descriptors; /* 0: as they are */
	enum fetch_deferral deferral;
	unsigned asked, accepted;
} rows[] = {
    {false, 0, DEFERRED_ADDRESS, 1, 0},
    {true, 1, DEFERRED_DESCRIPTORS, 1, 0},
    {true, 0, DEFERRED_NOT, 1, 1},
    {false, 0, DEFERRED_NOT, 0, 1},
};

static void
ask(struct env *env, const struct url *url, const struct row *row)
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
	assert_int_equal(http_server_accepted(env->server), row->accepted);
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

	(void)state;
	buf_init(&text, 1000);
	url_init(&url);
	env_open(&env, &options, scripts);
	env_start(&env, &options);
	(void)env_url(&env, &text, "127.0.0.1", "/a");
	assert_int_equal(url_parse(&url, buf_text(&text), NULL, &profile,
			     (struct diag_sink){0}),
	    DIAG_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ask(&env, &url, &rows[i]);
	url_release(&url);
	buf_release(&text);
	env_close(&env);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_deferred)};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
