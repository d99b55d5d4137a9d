/* The request `fetch`: the owner of the store fetches pages for a client. */
#include "crawler/control/fetch_serve.h"

#include <stdlib.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/cli/command.h"
#include "crawler/control/crawler.h"
#include "crawler/control/served.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier_lines.h"
#include "crawler/page_fetch/page_fetch.h"

#define TEXT_MAX 1000
#define TITLE_SHOWN 80
#define WAITING_BYTES ((size_t)4 << 20) /* for a client that reads slowly */
#define GRACE_MS 2000 /* for what is under way when the user stops it */

struct served_fetch {
	struct served served; /* first */
	struct strings sites, tags; /* owned, for the fetcher */
	struct page_fetch *fetch; /* owned */
	struct loop_timer *end; /* owned */
	bool lacks_some; /* some of the sites or tags are not known */
	int status; /* that the user asked for; 0: none */
	char *warc, *texts; /* owned: where it archives; NULL: nowhere */
};

static void
served_fetch_free(struct served *served)
{
	struct served_fetch *client = (struct served_fetch *)served;

	page_fetch_free(client->fetch);
	served_release(served);
	strings_release(&client->sites);
	strings_release(&client->tags);
	loop_timer_free(client->end);
	free(client->warc);
	free(client->texts);
	free(client);
}

static void
served_fetch_progress(struct served *served, struct buf *line)
{
	struct page_fetch_counts counts = page_fetch_counts(
	    ((struct served_fetch *)served)->fetch);

	out_json_number(line, "pages", counts.leased - counts.returned);
	out_json_number(line, "pages_done", counts.told);
	out_json_number(line, "wire_bytes", counts.bytes);
}

/* "changed 200 http://a.example/b  A title", for people. */
static void
served_fetch_page(void *arg, const struct page_fetched *page)
{
	struct served_fetch *client = arg;
	struct buf *line = &client->served.line;

	if (client->served.is_json) {
		(void)buf_put_slice(line, page->json);
		(void)buf_put_char(line, '\n');
		served_say(&client->served, STREAM_OUT);
		return;
	}
	if (client->served.is_quiet)
		return;
	(void)buf_print(line, "%-12s %3d  ",
	    page->wall != NULL ? page->wall : page_outcome_name(page->outcome),
	    page->status);
	vis_put(line, page->url, TEXT_MAX);
	if (page->location.len > 0) {
		(void)buf_print(line, " -> ");
		vis_put(line, page->location, TEXT_MAX);
	}
	if (page->error.len > 0 || page->title.len > 0) {
		(void)buf_print(line, "  ");
		vis_put(line, page->error.len > 0 ? page->error : page->title,
		    TITLE_SHOWN);
	}
	(void)buf_put_char(line, '\n');
	served_say(&client->served, STREAM_OUT);
}

static bool
served_fetch_has_room(void *arg)
{
	const struct served_fetch *client = arg;

	return control_waiting(client->served.peer) < WAITING_BYTES;
}

static void
served_fetch_warn(void *arg, struct slice text)
{
	struct served_fetch *client = arg;

	(void)buf_print(
	    &client->served.line, "freshet: %.*s\n", (int)text.len, text.p);
	served_say(&client->served, STREAM_ERR);
}

/* The closing summary. */
static void
served_fetch_summary(struct served_fetch *client, int status)
{
	struct page_fetch_counts counts = page_fetch_counts(client->fetch);
	int64_t spent_ms = loop_now_ms(client->served.crawler->loop) -
	    client->served.began_ms;
	struct buf *out = &client->served.line;

	if (client->served.is_json) {
		out_json_line(out, "summary");
		out_json_number(out, "pages", counts.told);
		out_json_begin(out, "outcomes", '{');
		for (int i = 0; i < PAGE_OUTCOMES; i++)
			out_json_number(out,
			    page_outcome_name((enum page_outcome)i),
			    counts.outcomes[i]);
		out_json_end(out, '}');
		out_json_number(out, "walls", counts.walls);
		out_json_number(out, "returned", counts.returned);
		out_json_number(out, "wire_bytes", counts.bytes);
		(void)buf_print(
		    out, ",\"seconds\":%.3f", (double)spent_ms / 1000.0);
		out_json_number(out, "exit", (uint64_t)status);
		out_json_line_end(out);
	} else if (!client->served.is_quiet && counts.told > 0) {
		(void)buf_print(out, "%s in %s, %s\n ",
		    human_of(counts.told, "page").text,
		    human_time(spent_ms, false).text,
		    human_scaled(counts.bytes, human_bytes).text);
		for (int i = 0; i < PAGE_OUTCOMES; i++)
			served_put_part(out, counts.outcomes[i],
			    page_outcome_name((enum page_outcome)i));
		if (counts.walls > 0)
			(void)buf_print(out, " (%s behind a wall)",
			    human_of(counts.walls, NULL).text);
		(void)buf_put_char(out, '\n');
		if (client->warc != NULL)
			(void)buf_print(out, "archive: %s\n", client->warc);
		if (client->texts != NULL)
			(void)buf_print(out, "texts: %s\n", client->texts);
	}
	served_say(&client->served, STREAM_OUT);
}

static void
served_fetch_end(struct served *served, int status)
{
	struct served_fetch *client = (struct served_fetch *)served;
	struct control_peer *peer = served->peer;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	(void)crawler_trouble(served->crawler, &why);
	served_progress(served);
	served_fetch_summary(client, status);
	/* the files of the archives have their last names before the command
	 * ends */
	served_fetch_free(served);
	control_end(peer, status, buf_text(&why));
	buf_release(&why);
}

static void
served_fetch_settle(struct served *served)
{
	struct served_fetch *client = (struct served_fetch *)served;

	page_fetch_settle(client->fetch);
	served_progress(served);
}

/* Nothing more comes. */
static void
served_fetch_on_end(void *arg)
{
	struct served_fetch *client = arg;
	struct page_fetch_counts counts = page_fetch_counts(client->fetch);
	uint64_t failed = counts.outcomes[PAGE_FAILED];
	int status = client->status != 0
	    ? client->status
	    : page_fetch_program_status(client->fetch);
	struct buf line = BUF_UP_TO(SIZE_MAX);

	if (counts.told == 0 && client->status == 0) {
		page_fetch_next(client->fetch, &line);
		control_send(client->served.peer, buf_text(&line));
	}
	if (status == 0 && counts.told > 0 && failed == counts.told)
		status = EXIT_NO_TARGET;
	else if (status == 0 && (failed > 0 || client->lacks_some))
		status = EXIT_FINDINGS;
	buf_release(&line);
	served_fetch_end(&client->served, status);
}

static void
served_fetch_over(void *arg)
{
	struct served_fetch *client = arg;

	/* the fetcher, which calls this, is freed then */
	loop_timer_set(client->end, 0);
}

static void
served_fetch_stop(struct served *served, int status)
{
	struct served_fetch *client = (struct served_fetch *)served;

	client->status = status;
	page_fetch_stop(client->fetch, GRACE_MS);
}

static const struct served_kind served_fetch_kind = {
    .progress = served_fetch_progress,
    .stop = served_fetch_stop,
    .end = served_fetch_end,
    .gone = served_fetch_free,
    .settle = served_fetch_settle};

struct page_fetch_options
fetch_options(const struct crawler *crawler)
{
	const struct options_fetch *options = &crawler->options->fetch;

	return (struct page_fetch_options){.loop = crawler->loop,
	    .store = crawler->store,
	    .run = crawler->run,
	    .policy = crawler->network.policy,
	    .frontier = crawler->frontier,
	    .at_once = options->at_once,
	    .max_bytes = options->page_bytes,
	    .about = crawler_about(crawler)};
}

/* A text of the request; NULL: it is not there.  The caller frees it. */
static char *
request_text(const struct ndjson *request, const char *key)
{
	struct slice text = ndjson_text(request, key);

	return text.len > 0 ? slice_dup(text) : NULL;
}

struct control_client *
fetch_serve(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	int64_t at_once = ndjson_number(request, "at_once", 0);
	int64_t max_bytes = ndjson_number(request, "max_bytes", 0);
	int64_t count = ndjson_number(request, "count", 0);
	struct strings filter = {0};
	struct served_fetch *client;
	struct page_fetch_options how;
	struct buf unknown = BUF_UP_TO(SIZE_MAX);
	char *program = NULL;
	char why[256] = "";
	int status = EXIT_DONE;

	/* the sender may be no freshet at all */
	if (at_once < 1 || at_once > UINT32_MAX || max_bytes < 1 || count < 0) {
		control_end(peer, EXIT_USAGE, slice_of(CONTROL_UNKNOWN));
		return NULL;
	}
	client = mem_zero(sizeof(*client));
	if (!served_begin(&client->served, &served_fetch_kind, crawler,
		COMMAND_BIT(COMMAND_FETCH), peer, request)) {
		free(client);
		return NULL;
	}
	crawler_allow_watched(crawler);
	crawler_need_frontier(crawler);
	client->warc = request_text(request, "warc");
	client->texts = request_text(request, "texts");
	program = request_text(request, "exec");
	ndjson_strings(request, "sites", &client->sites);
	ndjson_strings(request, "tags", &client->tags);
	ndjson_strings(request, "filter", &filter);
	if (!frontier_line_unknown(
		&unknown, crawler->frontier, &client->sites, &client->tags))
		status = EXIT_NO_TARGET;
	client->lacks_some = unknown.len > 0;
	control_send(peer, buf_text(&unknown));
	buf_release(&unknown);
	how = fetch_options(crawler);
	how.sites = &client->sites;
	how.tags = &client->tags;
	how.filter = &filter;
	how.at_once = (unsigned)at_once;
	how.max_bytes = (uint64_t)max_bytes;
	how.count = (uint64_t)count;
	how.is_endless = ndjson_flag(request, "follow");
	how.wants_text = ndjson_flag(request, "text");
	how.warc = client->warc;
	how.texts = client->texts;
	how.program = program;
	how.page = served_fetch_page;
	how.has_room = served_fetch_has_room;
	how.warn = served_fetch_warn;
	how.over = served_fetch_over;
	how.arg = client;
	client->end = loop_timer_new(
	    crawler->loop, served_fetch_on_end, client);
	if (status == EXIT_DONE)
		client->fetch = page_fetch_new(&how, why);
	strings_release(&filter);
	free(program);
	if (client->fetch == NULL) {
		served_fetch_free(&client->served);
		if (status == EXIT_DONE)
			status = why[0] == '\0' ? EXIT_USAGE : EXIT_DISK;
		control_end(peer, status,
		    slice_of(status == EXIT_USAGE ? CONTROL_UNKNOWN : why));
		return NULL;
	}
	return &client->served.client;
}
