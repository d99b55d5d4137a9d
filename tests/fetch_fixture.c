/* A fetcher on loopback with a scripted server. */
#include "tests/fetch_fixture.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

const char *
env_url(struct env *env, struct buf *out, const char *host, const char *path)
{
	buf_clear(out);
	(void)buf_print(
	    out, "http://%s:%u%s", host, http_server_port(env->server), path);
	return buf_str(out);
}

const char *
env_resolve(
    struct env *env, struct buf *out, const char *host, const char *addresses)
{
	buf_clear(out);
	(void)buf_print(
	    out, "%s:%u:%s", host, http_server_port(env->server), addresses);
	return buf_str(out);
}

static void
parse(struct url *url, const char *text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	enum diag_code code;

	url_init(url);
	code = url_parse(
	    url, slice_of(text), NULL, &profile, (struct diag_sink){0});
	assert(code == DIAG_OK);
}

/* The same port of both addresses, which others on this machine may use. */
static void
open_servers(struct env *env, const struct script *scripts)
{
	for (int tries = 0; tries < 100 && env->forbidden == NULL; tries++) {
		if (env->server != NULL)
			http_server_free(env->server);
		env->server = http_server_new("127.0.0.1", 0, scripts);
		assert(env->server != NULL);
		env->forbidden = http_server_new(
		    "127.0.0.2", http_server_port(env->server), scripts);
	}
	assert(env->forbidden != NULL);
}

void
env_open(struct env *env, struct fetcher_options *options,
    const struct script *scripts)
{
	struct buf text;
	struct url url;
	bool is_cidr;

	*env = (struct env){0};
	open_servers(env, scripts);
	env->loop = loop_new();
	env->spool = spool_new(NULL);
	env->policy = policy_new();
	is_cidr = policy_allow(env->policy, slice_of("127.0.0.1/32"));
	assert(is_cidr);
	buf_init(&text, 1000);
	parse(&url, env_url(env, &text, "port.example", "/"));
	policy_allow_target(env->policy, &url);
	url_release(&url);
	buf_release(&text);
	fetcher_options_default(options);
	options->policy = env->policy;
	options->low_speed_time_s = 1;
	options->connect_timeout_ms = 5000;
}

void
env_start(struct env *env, const struct fetcher_options *options)
{
	env->fetcher = fetcher_new(env->loop, options);
	assert(env->fetcher != NULL);
}

void
env_close(struct env *env)
{
	fetcher_free(env->fetcher);
	http_server_free(env->server);
	assert(http_server_accepted(env->forbidden) == 0);
	http_server_free(env->forbidden);
	spool_free(env->spool);
	policy_free(env->policy);
	loop_free(env->loop);
}

static const char *
copy(const char *text)
{
	return text == NULL ? NULL : mem_copy(text);
}

static void
take(void *arg, const struct fetch_result *result)
{
	struct answer *answer = arg;

	answer->times++;
	answer->result = *result;
	answer->result.location = copy(result->location);
	answer->result.etag = copy(result->etag);
	answer->result.last_modified = copy(result->last_modified);
	answer->result.content_type = copy(result->content_type);
	answer->result.content_encoding = copy(result->content_encoding);
	if (--answer->env->pending == 0)
		loop_stop(answer->env->loop);
}

/* The copies are ours, whatever the result's type says. */
static void
drop(const char *text)
{
	free((void *)(uintptr_t)text);
}

void
answer_release(struct answer *answer)
{
	drop(answer->result.location);
	drop(answer->result.etag);
	drop(answer->result.last_modified);
	drop(answer->result.content_type);
	drop(answer->result.content_encoding);
	spool_put(answer->file);
}

void
answer_start(struct answer *answer, struct env *env, const char *text,
    const struct fetch_request *like)
{
	struct fetch_request request = {0};
	struct url url;

	if (like != NULL)
		request = *like;
	parse(&url, text);
	*answer = (struct answer){.env = env, .file = spool_get(env->spool)};
	assert(answer->file != NULL);
	request.url = &url;
	request.spool = answer->file;
	if (request.max_bytes == 0)
		request.max_bytes = FETCH_MAX_BODY;
	env->pending++;
	fetch_start(env->fetcher, &request, take, answer);
	assert(answer->times == 0);
	url_release(&url);
}

void
answer_wait(struct env *env)
{
	loop_run(env->loop);
	assert(env->pending == 0 && fetch_active(env->fetcher) == 0);
}

void
answer_get(struct answer *answer, struct env *env, const char *host,
    const char *path, const struct fetch_request *like)
{
	struct buf text;

	buf_init(&text, 1000);
	answer_start(answer, env, env_url(env, &text, host, path), like);
	buf_release(&text);
	answer_wait(env);
	assert(answer->times == 1);
}
