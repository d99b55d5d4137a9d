/* A fetcher that knows all answers in advance. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/fetch/fetch.h"
#include "tests/scenario/fake.h"

struct asked;

struct fetcher {
	struct loop *loop;
	struct asked *under_way; /* owned */
	unsigned active;
};

struct asked {
	struct fetcher *fetcher;
	struct loop_timer *timer;
	fetch_done_fn *done;
	void *arg;
	struct spool_file *spool;
	struct asked *next;
	bool is_deferred;
	bool takes_all, is_head;
	uint64_t max_bytes;
	char *url;
	char *etag, *last_modified; /* validators of the request; NULL: none */
};

static struct fake_answer *answers;
static size_t answer_count, answer_cap;
static struct buf log_text;

struct buf *
fake_log(void)
{
	if (log_text.max == 0)
		buf_init(&log_text, SIZE_MAX);
	return &log_text;
}

static void
answer_release(struct fake_answer *answer)
{
	free(answer->url);
	free(answer->location);
	free(answer->etag);
	free(answer->last_modified);
	free(answer->type);
	free(answer->encoding);
	free(answer->peer);
	buf_release(&answer->body);
}

static fake_answer_fn *others;

static struct fake_answer *
find(const char *url)
{
	for (size_t i = 0; i < answer_count; i++)
		if (strcmp(answers[i].url, url) == 0)
			return &answers[i];
	return others == NULL ? NULL : others(url);
}

void
fake_serve_by(fake_answer_fn *fn)
{
	others = fn;
}

void
fake_serve(const struct fake_answer *answer)
{
	for (size_t i = 0; i < answer_count; i++)
		if (strcmp(answers[i].url, answer->url) == 0) {
			answer_release(&answers[i]);
			answers[i] = *answer;
			return;
		}
	answers = mem_grow(
	    answers, &answer_cap, answer_count + 1, sizeof(*answers));
	answers[answer_count++] = *answer;
}

void
fake_forget(void)
{
	for (size_t i = 0; i < answer_count; i++)
		answer_release(&answers[i]);
	free(answers);
	answers = NULL;
	answer_count = answer_cap = 0;
	buf_release(&log_text);
}

const struct fetcher_options fetcher_defaults = {0};

struct fetcher *
fetcher_new(struct loop *loop, const struct fetcher_options *options)
{
	struct fetcher *fetcher = mem_zero(sizeof(*fetcher));

	(void)options;
	fetcher->loop = loop;
	return fetcher;
}

static void
asked_free(struct asked *asked)
{
	struct asked **at = &asked->fetcher->under_way;

	while (*at != asked)
		at = &(*at)->next;
	*at = asked->next;
	asked->fetcher->active--;
	loop_timer_free(asked->timer);
	free(asked->url);
	free(asked->etag);
	free(asked->last_modified);
	free(asked);
}

void
fetcher_free(struct fetcher *fetcher)
{
	while (fetcher->under_way != NULL)
		asked_free(fetcher->under_way);
	free(fetcher);
}

unsigned
fetch_active(const struct fetcher *fetcher)
{
	return fetcher->active;
}

/* Do the validators match the answer? */
static bool
is_same(const struct asked *asked, const struct fake_answer *answer)
{
	if (asked->etag != NULL && answer->etag != NULL)
		return strcmp(asked->etag, answer->etag) == 0;
	return asked->last_modified != NULL && answer->last_modified != NULL &&
	    strcmp(asked->last_modified, answer->last_modified) == 0;
}

/* Fill in the result that the driver gets. */
static void
fill(const struct asked *asked, struct fake_answer *answer,
    struct fetch_result *result)
{
	if (answer == NULL || answer->failures > 0) {
		if (answer != NULL)
			answer->failures--;
		result->code = DIAG_FETCH_NETWORK_ERROR;
		result->is_connect_failure = true;
		(void)snprintf(result->detail, sizeof(result->detail),
		    answer == NULL ? "could not resolve host"
				   : "connection refused");
		return;
	}
	result->status = answer->status;
	if (answer->status == 200 && is_same(asked, answer))
		result->status = 304;
	result->location = answer->location;
	result->etag = answer->etag;
	result->last_modified = answer->last_modified;
	result->content_type = answer->type;
	result->content_encoding = answer->encoding;
	result->retry_after_s = answer->retry_after_s;
	result->has_peer = addr_parse(&result->peer,
	    slice_of(answer->peer == NULL ? "93.184.216.34" : answer->peer));
	if ((result->status != 200 && !asked->takes_all) || asked->is_head ||
	    result->status == 304)
		return;
	struct slice body = buf_text(&answer->body);

	if (asked->takes_all && body.len > asked->max_bytes) {
		body.len = asked->max_bytes;
		result->code = DIAG_BODY_TOO_BIG;
	}
	result->wire_bytes = body.len;
	if (asked->spool != NULL && spool_write(asked->spool, body) != DIAG_OK)
		result->code = DIAG_DISK_FULL;
	if (answer->is_truncated) {
		result->code = DIAG_FETCH_NETWORK_ERROR;
		result->is_truncated = true;
		(void)snprintf(result->detail, sizeof(result->detail),
		    "the body ended early");
	}
}

/* Is the request not sent, for want of a descriptor? */
static bool
defers(struct fake_answer *answer)
{
	if (answer == NULL || !answer->is_short)
		return false;
	answer->is_shorted = !answer->is_shorted;
	return answer->is_shorted;
}

static void
log_request(const struct fetch_request *request)
{
	struct buf *log = fake_log();
	struct slice url = url_text(request->url);

	(void)buf_print(log, request->is_head ? "HEAD " : "GET ");
	fake_time(log);
	(void)buf_print(log, " %.*s", (int)url.len, url.p);
	if (request->etag != NULL)
		(void)buf_print(log, " if-none-match %s", request->etag);
	else if (request->last_modified != NULL)
		(void)buf_print(
		    log, " if-modified-since %s", request->last_modified);
	if (request->credentials != NULL)
		(void)buf_print(log, " with credentials");
	(void)buf_put_char(log, '\n');
}

static unsigned overlaps;

unsigned
fake_overlaps(void)
{
	return overlaps;
}

/* Is another request of that host under way? */
static bool
overlaps_other(const struct fetcher *fetcher, const struct url *url)
{
	struct slice origin = url_origin(url);

	for (const struct asked *it = fetcher->under_way; it != NULL;
	     it = it->next)
		if (slice_starts(slice_of(it->url), origin) &&
		    it->url[origin.len] == '/')
			return true;
	return false;
}

static void
answer_now(void *arg)
{
	struct asked *asked = arg;
	struct fetch_result result = {.retry_after_s = -1,
	    .max_age_s = -1,
	    .answered_ms = loop_now_ms(asked->fetcher->loop)};
	fetch_done_fn *done = asked->done;
	void *done_arg = asked->arg;

	if (asked->is_deferred)
		result.deferral = DEFERRED_DESCRIPTORS;
	else
		fill(asked, find(asked->url), &result);
	asked_free(asked);
	done(done_arg, &result);
}

void
fetch_start(struct fetcher *fetcher, const struct fetch_request *request,
    fetch_done_fn *done, void *arg)
{
	struct asked *asked = mem_alloc(sizeof(*asked));
	struct fake_answer *answer;

	*asked = (struct asked){.fetcher = fetcher,
	    .done = done,
	    .arg = arg,
	    .spool = request->spool,
	    .takes_all = request->takes_all,
	    .is_head = request->is_head,
	    .max_bytes = request->max_bytes,
	    .url = slice_dup(url_text(request->url))};
	answer = find(asked->url);
	asked->is_deferred = defers(answer);
	if (!asked->is_deferred)
		log_request(request);
	if (request->etag != NULL)
		asked->etag = mem_copy(request->etag);
	if (request->last_modified != NULL)
		asked->last_modified = mem_copy(request->last_modified);
	overlaps += overlaps_other(fetcher, request->url);
	asked->next = fetcher->under_way;
	fetcher->under_way = asked;
	fetcher->active++;
	asked->timer = loop_timer_new(fetcher->loop, answer_now, asked);
	loop_timer_set(asked->timer, answer == NULL ? 10 : answer->ms);
}
