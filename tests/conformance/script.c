/* A fetcher that answers from a script. */
#include "tests/conformance/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/fetch/fetch_call.h"
#include "tests/conformance/common.h"

#define ANSWER_MS 10
struct fetcher {
	struct loop *loop;
	struct fetcher_options options;
	unsigned active;
};

/* One request in progress. */
struct asked {
	struct fetcher *fetcher;
	struct loop_timer *timer; /* owned */
	struct fetch_call call;
	const json_t *answer; /* NULL: status 404 */
	fetch_done_fn *done;
	void *arg;
};

static struct {
	const json_t *answers;
	json_t *asked; /* owned; all requests */
	json_t *shown; /* owned; the requests that the case is about */
	json_t *sent; /* owned; header lines */
	int64_t retry_after_s;
} script;

void
script_begin(const json_t *requests)
{
	script.answers = requests;
	script.asked = json_array();
	script.shown = json_array();
	script.sent = json_array();
	script.retry_after_s = -1;
}

void
script_end(void)
{
	json_decref(script.asked);
	json_decref(script.shown);
	json_decref(script.sent);
}

/* count(list, url): how often the URL occurs in the list, as an element or, in
 * a list of answers, as a member. */
static size_t
count(const json_t *list, const char *url)
{
	const json_t *item;
	size_t i, n = 0;

	json_array_foreach(list, i, item)
	{
		const char *text = json_is_object(item)
		    ? case_text(item, "url")
		    : json_string_value(item);

		n += strcmp(text, url) == 0;
	}
	return n;
}

/* find(url, number): the answer to request number `number`, from 0, for the
 * URL. */
static const json_t *
find(const char *url, size_t number)
{
	const json_t *item, *found = NULL;
	size_t i;

	json_array_foreach(script.answers, i, item)
	{
		if (strcmp(case_text(item, "url"), url) != 0)
			continue;
		found = item;
		if (number-- == 0)
			break;
	}
	return found;
}

bool
script_goes_on(void)
{
	const json_t *item;
	size_t i;

	json_array_foreach(script.asked, i, item)
	{
		const char *url = json_string_value(item);

		if (count(script.answers, url) > count(script.asked, url))
			return true;
	}
	return false;
}

const json_t *
script_asked(void)
{
	return script.shown;
}

const char *
script_sent(const char *name)
{
	const json_t *item;
	size_t i, len = strlen(name);

	json_array_foreach(script.sent, i, item)
	{
		const char *line = json_string_value(item);

		if (strlen(line) > len && line[len] == ':' &&
		    slice_equal_nocase(slice_make(line, len), slice_of(name)))
			return line + len + 2;
	}
	return NULL;
}

int64_t
script_retry_after_s(void)
{
	return script.retry_after_s;
}

/* The fetcher. */

struct fetcher *
fetcher_new(struct loop *loop, const struct fetcher_options *options)
{
	struct fetcher *fetcher = mem_zero(sizeof(*fetcher));

	fetcher->loop = loop;
	fetcher->options = *options;
	return fetcher;
}

void
fetcher_free(struct fetcher *fetcher)
{
	free(fetcher);
}

unsigned
fetch_active(const struct fetcher *fetcher)
{
	return fetcher->active;
}

static void
note_request(struct asked *asked, const struct fetch_request *request)
{
	char *url = slice_dup(url_text(&asked->call.url));
	size_t number = count(script.asked, url);
	const char *line;

	asked->answer = find(url, number);
	(void)json_array_append_new(script.asked, json_string(url));
	if (asked->answer != NULL ||
	    !slice_is(url_path(&asked->call.url), "/robots.txt"))
		(void)json_array_append_new(script.shown, json_string(url));
	(void)json_array_clear(script.sent);
	for (unsigned i = 0;
	     (line = fetch_call_field(&asked->call, request, i)) != NULL; i++)
		(void)json_array_append_new(script.sent, json_string(line));
	free(url);
}

/* trouble(error): the code for the name that a case uses. */
static enum fetch_trouble
trouble(const char *error)
{
	static const struct {
		const char *name;
		enum fetch_trouble trouble;
	} names[] = {{"dns", TROUBLE_NAME}, {"connect", TROUBLE_CONNECT},
	    {"refused", TROUBLE_CONNECT}, {"tls", TROUBLE_TLS},
	    {"certificate", TROUBLE_CERTIFICATE}, {"timeout", TROUBLE_TIME},
	    {"empty", TROUBLE_NOTHING}, {"malformed", TROUBLE_UNREADABLE},
	    {"truncated", TROUBLE_CUT}, {"cut", TROUBLE_CUT},
	    {"reset", TROUBLE_RECEIVE}};

	if (error == NULL)
		return TROUBLE_NONE;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(error, names[i].name) == 0)
			return names[i].trouble;
	return TROUBLE_OTHER;
}

static bool
give_header(struct fetch_call *call, struct slice line)
{
	return fetch_headers_line(&call->head, line) ||
	    fetch_call_fail(call, call->head.code, call->head.why);
}

static bool
give_line(struct fetch_call *call, const char *name, const char *value)
{
	struct buf line;
	bool goes_on;

	buf_init(&line, BODY_MAX);
	(void)buf_print(&line, "%s: %s\r\n", name, value);
	goes_on = give_header(call, buf_text(&line));
	buf_release(&line);
	return goes_on;
}

static bool
give_head(struct fetch_call *call, const json_t *answer)
{
	const json_t *told = json_object_get(answer, "status");
	int status = told == NULL ? 200 : (int)json_integer_value(told);
	json_t *headers = json_object_get(answer, "headers");
	struct buf line;
	const char *name;
	json_t *value;
	bool goes_on;

	buf_init(&line, BODY_MAX);
	(void)buf_print(
	    &line, "HTTP/1.1 %03d x\r\n", answer == NULL ? 404 : status);
	goes_on = give_header(call, buf_text(&line));
	buf_release(&line);
	json_object_foreach(headers, name, value)
	{
		const json_t *one;
		size_t i;

		if (json_is_string(value))
			goes_on = goes_on &&
			    give_line(call, name, json_string_value(value));
		json_array_foreach(value, i, one) goes_on = goes_on &&
		    give_line(call, name, json_string_value(one));
	}
	return goes_on && give_header(call, slice_of("\r\n"));
}

/* give(asked, end): deliver the answer, or the part of it that comes. */
static void
give(struct asked *asked, struct fetch_end *end)
{
	struct fetch_call *call = &asked->call;
	const char *peer = case_text(asked->answer, "peer");
	struct addr addr;
	struct buf body;

	if (!addr_parse(&addr, url_host(&call->url)))
		(void)addr_parse(
		    &addr, slice_of(peer == NULL ? "93.184.216.34" : peer));
	if (end->trouble == TROUBLE_NAME || !fetch_call_may_start(call, 0) ||
	    !fetch_call_may_connect(call, &addr, call->url.port, 0) ||
	    end->trouble == TROUBLE_CONNECT || end->trouble == TROUBLE_TLS ||
	    end->trouble == TROUBLE_CERTIFICATE)
		return;
	call->was_sent = true;
	call->result.peer = addr;
	call->result.has_peer = call->options->proxy == NULL;
	if (end->trouble != TROUBLE_NONE && end->trouble != TROUBLE_CUT)
		return;
	buf_init(&body, BODY_MAX);
	case_body(asked->answer, &body);
	if (give_head(call, asked->answer))
		(void)fetch_call_body(call, buf_text(&body));
	buf_release(&body);
}

static void
answer_now(void *arg)
{
	struct asked *asked = arg;
	struct fetch_end end = {
	    .trouble = trouble(case_text(asked->answer, "error"))};

	if (end.trouble == TROUBLE_CONNECT)
		end.os_error = ECONNREFUSED;
	give(asked, &end);
	fetch_call_end(&asked->call, &end);
	script.retry_after_s = asked->call.result.retry_after_s;
	asked->fetcher->active--;
	loop_timer_free(asked->timer);
	asked->done(asked->arg, &asked->call.result);
	url_release(&asked->call.url);
	fetch_headers_release(&asked->call.head);
	buf_release(&asked->call.field);
	free(asked);
}

void
fetch_start(struct fetcher *fetcher, const struct fetch_request *request,
    fetch_done_fn *done, void *arg)
{
	struct asked *asked = mem_alloc(sizeof(*asked));

	*asked = (struct asked){.fetcher = fetcher, .done = done, .arg = arg};
	fetch_call_init(&asked->call, &fetcher->options);
	fetch_call_begin(&asked->call, request, loop_now_s(fetcher->loop),
	    loop_now_ms(fetcher->loop));
	note_request(asked, request);
	fetcher->active++;
	asked->timer = loop_timer_new(fetcher->loop, answer_now, asked);
	loop_timer_set(asked->timer, ANSWER_MS);
}
