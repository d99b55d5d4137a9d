/* A fetcher on loopback with a scripted server: what asks it, and an answer
 * that can be looked at. */
#ifndef FRESHET_FETCH_FIXTURE_H
#define FRESHET_FETCH_FIXTURE_H

#include "crawler/fetch/fetch.h"
#include "tests/http_fixture.h"

#define FETCH_MAX_BODY 1048576

struct env {
	struct http_server *server; /* on 127.0.0.1, which is allowed */
	struct http_server *forbidden; /* the same port on 127.0.0.2 */
	struct loop *loop;
	struct policy *policy;
	struct spool *spool;
	struct fetcher *fetcher;
	unsigned pending;
};

struct answer {
	struct env *env;
	struct fetch_result result; /* its strings are copies, owned */
	struct spool_file *file;
	unsigned times; /* done was called */
};

/* env_open(env, options, scripts): everything but the fetcher; options are
 * filled in and may be changed before env_start. */
void env_open(struct env *, struct fetcher_options *, const struct script *);
void env_start(struct env *, const struct fetcher_options *);

/* env_close(env): asserts that nobody came to 127.0.0.2. */
void env_close(struct env *);

/* env_url(env, out, host, path): with the server's port. */
const char *env_url(
    struct env *, struct buf *out, const char *host, const char *path);

/* env_resolve(env, out, host, addresses): a value for --resolve. */
const char *env_resolve(
    struct env *, struct buf *out, const char *host, const char *addresses);

/* answer_start(answer, env, url, like): ask for url, otherwise as in like,
 * which may be NULL.  answer_wait(env): until all have come. */
void answer_start(struct answer *, struct env *, const char *url,
    const struct fetch_request *like);
void answer_wait(struct env *);

/* answer_get(answer, env, host, path, like): both, for one. */
void answer_get(struct answer *, struct env *, const char *host,
    const char *path, const struct fetch_request *like);
void answer_release(struct answer *);

#endif
