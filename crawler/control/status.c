/* What the owner of the store says of itself. */
#include "crawler/control/status.h"

#include <string.h>
#include <unistd.h>

#include "base/out_json.h"
#include "crawler/control/crawler.h"
#include "crawler/crawl/run_status.h"
#include "crawler/event/exit.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_show.h"

/* Begin a row of a list with its first member. */
static void
status_row(struct buf *out, const char *key, struct slice text)
{
	out_json_begin(out, NULL, '{');
	out_json_text(out, key, text);
}

static void
put_waiting(struct buf *out, struct frontier *frontier, int64_t now_s)
{
	struct frontier_waiting waiting;

	frontier_waiting(frontier, now_s, &waiting);
	out_json_number(out, "ready", waiting.ready);
	out_json_number(out, "leased", waiting.leased);
	/* How long it takes until that time; null: it does not come by
	 * itself. */
	const struct {
		const char *key;
		int64_t due_s;
	} next[] = {{"next_page_s", waiting.page_s},
	    {"next_document_s", waiting.document_s}};

	for (size_t i = 0; i < LENGTH(next); i++)
		out_json_number_if(out, next[i].key,
		    next[i].due_s != FRONTIER_NEVER,
		    next[i].due_s > now_s ? (uint64_t)(next[i].due_s - now_s)
					  : 0);
	out_json_number(out, "held", waiting.held);
	out_json_begin(out, "holds", '[');
	for (size_t i = 0; i < waiting.hold_count; i++) {
		status_row(out, "host", waiting.holds[i].host);
		out_json_time(out, "until", waiting.holds[i].until_s);
		out_json_flag(out, "pages_only", waiting.holds[i].is_pages);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
}

static void
status_put(struct buf *out, struct crawler *crawler)
{
	int64_t now_s = loop_now_s(crawler->loop);
	struct run_status status;

	/* All of it is in memory: the answer must not delay the crawl that it
	 * describes. */
	run_status(crawler->run, &status);
	out_json_line(out, STATUS_REQUEST);
	out_json_time(out, "at", now_s);
	out_json_string(out, "command", crawler->options->command);
	out_json_number(out, "pid", (uint64_t)getpid());
	out_json_begin(out, "rates", '[');
	for (size_t i = 0; i < 2; i++) {
		const struct run_rate *rate = &status.rates[i];

		out_json_begin(out, NULL, '{');
		out_json_number(out, "seconds", rate->span_s);
		out_json_number(out, "requests", rate->requests);
		out_json_number(out, "bytes", rate->bytes);
		out_json_number(out, "readings", rate->readings);
		out_json_number(out, "failed", rate->failed);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');

	out_json_number(out, "in_flight", status.in_flight);
	out_json_begin(out, "asked", '[');
	for (size_t i = 0; i < status.asked_count; i++) {
		status_row(out, "url", status.asked[i].url);
		out_json_number(out, "ms", (uint64_t)status.asked[i].ms);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');

	out_json_number(out, "readers", readers_backlog(crawler->readers));
	out_json_number(out, "open", status.open);
	out_json_number(out, "open_hosts", status.hosts_open);
	out_json_begin(out, "hosts", '[');
	for (size_t i = 0; i < status.slow_count; i++) {
		const struct run_slow *slow = &status.slow[i];

		status_row(out, "host", slow->host);
		out_json_string(out, "why", slow->why);
		out_json_number(out, "answer_ms", (uint64_t)slow->answer_ms);
		out_json_number(out, "delay_ms", (uint64_t)slow->delay_ms);
		out_json_number(out, "wait_ms", (uint64_t)slow->wait_ms);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');

	out_json_begin(out, "failures", '[');
	for (size_t i = 0; i < status.failed_count; i++) {
		status_row(out, "url", status.failed[i].url);
		out_json_code(out, "code", status.failed[i].code);
		out_json_time(out, "at", status.failed[i].at_s);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
	/* `crawl` has no frontier until somebody asks it for pages. */
	if (crawler->frontier != NULL)
		put_waiting(out, crawler->frontier, now_s);
	out_json_line_end(out);
}

struct control_client *
status_serve(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct buf text = BUF_UP_TO(STATUS_MAX_BYTES);

	(void)request;
	if (crawler->has_no_driver) {
		control_end(peer, EXIT_NO_TARGET,
		    slice_of("the process that holds the store reads no sites; "
			     "'run' and 'crawl' do"));
		return NULL;
	}
	status_put(&text, crawler);
	control_send(peer, buf_text(&text));
	control_end(peer, EXIT_DONE, slice_of(""));
	buf_release(&text);
	return NULL;
}

struct control_client *
total_budget_serve(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	const char *command = crawler->options->command;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	(void)request;
	if (strcmp(command, "run") == 0 || strcmp(command, "due") == 0) {
		out_json_line(&text, TOTAL_BUDGET_REQUEST);
		out_json_string(
		    &text, "rate", crawler->options->frontier.total_budget);
		out_json_line_end(&text);
		control_send(peer, buf_text(&text));
		buf_release(&text);
	}
	control_end(peer, EXIT_DONE, slice_of(""));
	return NULL;
}
