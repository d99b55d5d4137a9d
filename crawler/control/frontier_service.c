/*
 * The frontier's service for clients: what a client is answered waits in `out`
 * until the COMMIT of what it says; a client that is over ends after that.
 *
 *	a line -> the frontier, an answer to `out` -> COMMIT -> written
 */
#include "crawler/control/frontier_service.h"

#include <stdlib.h>

#include "base/host.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/url.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/control/control.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/splitter.h"
#include "crawler/frontier/frontier_lines.h"
#include "crawler/frontier/import.h"
#include "sched/host_table.h"

#define COMMIT_MS 20 /* at most between a line and its COMMIT */
#define LEASE_MS 5 /* for the pages of one client, in one round of the loop */
/* An answer with fewer pages than were asked for ends here: of long URLs it
 * would be more than may wait for a client (control.c), which is dropped. */
#define ANSWER_BYTES ((size_t)4 << 20)
/* How soon a client that got no page is served again: its own per_host limit
 * ends without an event. */
#define WAIT_LEAST_MS 100
#define WAIT_MOST_MS 60000 /* the wall clock may be moved meanwhile */
/* Who asks right after a crawl of few hosts gets their pages when their usual
 * delay is over, and not the answer that nothing is due. */
#define PACED_MS 3000
#define BITE_MS 5 /* for imported lines, in one round of the loop */
/* A client that imports waits for answers before it sends more than this. */
#define IN_MAX_BYTES ((size_t)16 << 20)

/*
 * The lines of a client that imports what another crawler knows.  They are
 * imported in bites of a few milliseconds, so that a long list keeps no other
 * client waiting.
 *
 *	READS --batch full, or no more lines--> SEARCHES --all found--> TAKES
 *	  ^                                        ^  (the store changed)  |
 *	  |                                        +-----------------------+
 *	  +-----------------------------all rows taken---------------------+
 */
enum import_stage { READS, SEARCHES, TAKES };

struct client_import {
	struct importer importer;
	struct import_batch batch; /* owned */
	enum import_stage stage;
	bool is_json;
	struct splitter in; /* lines that are not read yet */
};

enum client_kind {
	CLIENT_DUE,
	CLIENT_DONE,
	CLIENT_IMPORT,
	CLIENT_ONCE /* hold, release: one request */
};

struct frontier_client {
	struct control_client served; /* first */
	struct frontier_service *service;
	struct frontier_client *next;
	struct control_peer *peer;
	enum client_kind kind;
	struct buf out; /* written after the COMMIT */
	size_t committed; /* so many bytes of it are committed */
	bool is_last; /* and these end the client */
	bool is_over; /* the client ends after that */
	int status; /* its exit status then */
	/* CLIENT_DUE */
	struct frontier_consumer consumer;
	struct strings sites, tags; /* owned: for consumer */
	enum sign_mode sign; /* with which pages it wants signatures */
	uint32_t wanted; /* pages that the client waits for; 0: none now */
	uint32_t leased; /* pages of these that it has got so far */
	int64_t until_ms; /* when it stops waiting */
	/* likewise, if there are pages whose hosts were asked a moment ago */
	int64_t paced_until_ms;
	/* CLIENT_IMPORT: the number of the next line to answer */
	uint64_t line;
	struct client_import import; /* owned: CLIENT_IMPORT */
};

struct frontier_service {
	struct frontier_service_options how;
	struct frontier_client *clients; /* owned */
	struct loop_timer *commit; /* owned */
	struct loop_timer *wait; /* owned: pages for clients that wait */
	struct loop_timer *bite; /* owned: some lines of those that import */
	bool is_marked; /* the timer `commit` is set */
	bool is_waiting; /* until the COMMIT `waits` is durable */
	uint64_t waits;
	int64_t committed_ms;
	struct frontier_counts counts;
};

/* service_mark(service): an answer waits for a COMMIT; commit it together with
 * those that follow soon. */
static void
service_mark(struct frontier_service *service)
{
	if (service->is_marked)
		return;
	service->is_marked = true;
	loop_timer_set(service->commit,
	    service->committed_ms + COMMIT_MS - loop_now_ms(service->how.loop));
}

void
frontier_service_wake(struct frontier_service *service)
{
	const struct frontier_client *c = service->clients;

	while (c != NULL && c->wanted == 0)
		c = c->next;
	if (c != NULL)
		loop_timer_set(service->wait, 0);
}

bool
frontier_service_is_told(const struct frontier_service *service)
{
	const struct frontier_client *c = service == NULL ? NULL
							  : service->clients;

	while (c != NULL && c->kind != CLIENT_DONE)
		c = c->next;
	return c != NULL;
}

/* client_finish(client, status): the client is over after the next COMMIT. */
static void
client_finish(struct frontier_client *client, int status)
{
	client->is_over = true;
	client->status = status;
	service_mark(client->service);
}

/* Pages for clients that ask. */

/* end_answer(client, due_s, spent): the pages leased so far are the whole
 * answer. */
static void
end_answer(struct frontier_client *client, int64_t due_s,
    const struct frontier_spent *spent)
{
	client->service->counts.leased += client->leased;
	frontier_line_more(&client->out, client->leased, due_s, spent);
	client->wanted = client->leased = 0;
	/* Commit in the next round: the client that waits for the answer sends
	 * nothing before. */
	client->service->is_marked = true;
	loop_timer_set(client->service->commit, 0);
}

/* The line of a page, with the signature of a request for it if the client
 * wants that, and the rules of the site allow it. */
static void
client_put_page(struct frontier_client *client, struct frontier_page *page)
{
	const struct frontier_service_options *how = &client->service->how;
	const struct site_rules *rules = client->sign == SIGN_NEVER
	    ? NULL
	    : how->rules(how->rules_arg, page->site);
	struct signature signature = {0};
	struct url url = {0};

	page->signature = NULL;
	if (rules != NULL && rules->sign != SIGN_NEVER &&
	    url_resolve(&url, page->url, NULL) == DIAG_OK &&
	    signer_sign(&how->signer, client->sign, &url, NULL,
		loop_wall_s(how->loop), page->lease_until_s, &signature))
		page->signature = &signature;
	frontier_line_page(&client->out, page);
	signature_release(&signature);
	url_release(&url);
}

/* lease_pages(client): lease pages to the client for a few milliseconds; true
 * when there may be more at once. */
static bool
lease_pages(struct frontier_client *client)
{
	struct frontier_service *service = client->service;
	struct frontier *frontier = service->how.frontier;
	int64_t end_ms = loop_now_ms(service->how.loop) + LEASE_MS;
	int64_t at_s = loop_now_s(service->how.loop);
	struct frontier_page page;
	struct frontier_spent spent = {0};
	int64_t soon_ms;
	bool is_more = true;

	loop_doing(service->how.loop, "pages for a fetcher");
	while (client->leased < client->wanted && is_more &&
	    (client->leased == 0 || client->out.len < ANSWER_BYTES)) {
		is_more = frontier_lease(
		    frontier, &client->consumer, at_s, &page);
		if (is_more) {
			client_put_page(client, &page);
			client->leased++;
		}
		if ((is_more || client->consumer.is_later) &&
		    loop_now_ms(service->how.loop) >= end_ms)
			return true;
		is_more = is_more || client->consumer.is_later;
	}
	if (frontier_has_paced(frontier) &&
	    client->until_ms < client->paced_until_ms)
		client->until_ms = client->paced_until_ms;
	if (client->leased == 0 &&
	    loop_now_ms(service->how.loop) < client->until_ms)
		return false;
	/* Whoever does not wait for pages waits for hosts whose time is being
	 * reserved, for a moment: they may be free at once. */
	soon_ms = frontier_hosts(frontier)->soon_ms;
	if (frontier_has_paced(frontier) &&
	    loop_now_ms(service->how.loop) < soon_ms) {
		if (client->until_ms < soon_ms)
			client->until_ms = soon_ms;
		return false;
	}
	if (client->leased > 0)
		at_s = frontier_due_s(frontier, at_s);
	else
		at_s = frontier_next_s(
		    frontier, &client->consumer, at_s, &spent);
	end_answer(client, at_s, &spent);
	return false;
}

/* wait_ms(service, client, due_s): how long until the client may get pages, or
 * has waited long enough. */
static int64_t
wait_ms(const struct frontier_service *service,
    const struct frontier_client *client, int64_t due_s)
{
	int64_t at_s = loop_now_s(service->how.loop);
	int64_t ms = due_s == FRONTIER_NEVER ||
		due_s - at_s > WAIT_MOST_MS / 1000
	    ? WAIT_MOST_MS
	    : (due_s - at_s) * 1000;

	if (ms < WAIT_LEAST_MS)
		ms = WAIT_LEAST_MS;
	if (service->how.poll_ms > 0 && ms > service->how.poll_ms)
		ms = service->how.poll_ms;
	if (client->until_ms != LOOP_NEVER &&
	    ms > client->until_ms - loop_now_ms(service->how.loop))
		ms = client->until_ms - loop_now_ms(service->how.loop);
	return ms;
}

/* service_lease(service): lease pages to the clients that wait, and set the
 * timer for the next time. */
static void
service_lease(struct frontier_service *service)
{
	struct frontier *frontier = service->how.frontier;
	int64_t least_ms = LOOP_NEVER;
	int64_t due_s, paced_ms;
	bool has_more = false;

	for (struct frontier_client *c = service->clients; c != NULL;
	     c = c->next)
		if (c->wanted > 0 && lease_pages(c))
			has_more = true;
	if (has_more) {
		loop_timer_set(service->wait, 0);
		return;
	}
	due_s = frontier_due_s(frontier, loop_now_s(service->how.loop));
	for (struct frontier_client *c = service->clients; c != NULL;
	     c = c->next)
		if (c->wanted > 0 && wait_ms(service, c, due_s) < least_ms)
			least_ms = wait_ms(service, c, due_s);
	paced_ms = frontier_paced_ms(frontier);
	if (paced_ms < least_ms && least_ms != LOOP_NEVER)
		least_ms = paced_ms;
	loop_timer_set(service->wait, least_ms);
}

static void
on_wait(void *arg)
{
	struct frontier_service *service = arg;

	(void)frontier_sync(
	    service->how.frontier, loop_now_s(service->how.loop));
	service_lease(service);
}

/* release_leases(client, object, key, is_all): release all leases, or those in
 * the list under the key, and answer; returns how many could not be released.
 * The command `release` learns of each lease. */
static size_t
release_leases(struct frontier_client *client, const struct ndjson *object,
    const char *key, bool is_all)
{
	struct frontier_service *service = client->service;
	struct frontier *frontier = service->how.frontier;
	uint64_t count = 0;
	struct slice lease;
	size_t bad = 0;

	if (is_all)
		count = frontier_release_all(
		    frontier, loop_now_s(service->how.loop));
	for (size_t i = 0;
	     !is_all && (lease = ndjson_item(object, key, i), lease.p != NULL);
	     i++) {
		struct frontier_answer answer = {0};
		struct frontier_reply reply = {
		    .lease = lease, .next_due_s = FRONTIER_NEVER};

		reply.ack = frontier_release(
		    frontier, lease, loop_now_s(service->how.loop), &answer);
		reply.reason = answer.reason;
		count += reply.ack == FRONTIER_OK;
		bad += reply.ack != FRONTIER_OK;
		if (client->kind == CLIENT_ONCE)
			frontier_line_ack(&client->out, &reply);
	}
	service->counts.released += count;
	out_json_line(&client->out, "released");
	out_json_number(&client->out, "pages", count);
	out_json_line_end(&client->out);
	service_mark(service);
	return bad;
}

/* hold_command(client, request): the command `hold`. */
static void
hold_command(struct frontier_client *client, const struct ndjson *request)
{
	struct frontier *frontier = client->service->how.frontier;
	int64_t for_s = ndjson_number(request, "for_s", 0);
	int64_t at_s = loop_now_s(client->service->how.loop);
	struct buf host;
	uint8_t kind;
	bool was_idn;
	int status = EXIT_USAGE;

	/* The client has checked the host, but may be hostile. */
	buf_init(&host, URL_MAX_BYTES);
	if (host_normalise(&host, ndjson_text(request, "host"), &kind,
		&was_idn) == DIAG_OK &&
	    for_s >= 0 && for_s <= DATE_BOUND_S &&
	    frontier_hold(
		frontier, buf_text(&host), at_s + for_s, at_s, "order")) {
		/* A longer hold than the one asked for stays. */
		struct hold_times held = frontier_held(
		    frontier, buf_text(&host));
		int64_t all_s = held.all_s > at_s ? held.all_s : at_s;

		out_json_line(&client->out, "held");
		out_json_text(&client->out, "host", buf_text(&host));
		out_json_time(&client->out, "until", all_s);
		out_json_time(&client->out, "pages_until",
		    held.pages_s > all_s ? held.pages_s : all_s);
		if (for_s > 0 && held.all_s > at_s + for_s)
			out_json_flag(&client->out, "stood", true);
		if (!frontier_knows_site(frontier, buf_text(&host)))
			out_json_flag(&client->out, "unknown", true);
		out_json_line_end(&client->out);
		status = EXIT_DONE;
	}
	client_finish(client, status);
	buf_release(&host);
}

/* take_result(client, text): a line of `done`, behind its number; lines that
 * are no result get an answer, too. */
static void
take_result(struct frontier_client *client, struct slice text)
{
	struct frontier_service *service = client->service;
	int64_t at_s = loop_now_s(service->how.loop);
	struct frontier_answer answer = {.next_due_s = FRONTIER_NEVER};
	struct frontier_reply reply = {.line = 0};
	struct result_line line;
	struct slice number;

	(void)slice_cut(&text, ' ', &number);
	(void)slice_number(number, &reply.line);
	reply.ack = FRONTIER_FAIL;
	reply.reason = result_line_parse(&line, text, at_s);
	reply.lease = line.result.token;
	reply.url = line.result.url;
	if (reply.reason == NULL) {
		reply.ack = frontier_done(
		    service->how.frontier, &line.result, at_s, &answer);
		reply.reason = answer.reason;
		reply.next_due_s = answer.next_due_s;
	}
	service->counts.ok += reply.ack == FRONTIER_OK;
	service->counts.skipped += reply.ack == FRONTIER_SKIPPED;
	service->counts.failed += reply.ack == FRONTIER_FAIL;
	if (reply.url.len == 0)
		reply.url = answer.url;
	if (reply.url.len == 0)
		(void)frontier_token_url(
		    service->how.frontier, reply.lease, &reply.url);
	frontier_line_ack(&client->out, &reply);
	if (client->out.len > ANSWER_BYTES)
		control_rest(client->peer);
	ndjson_free(line.object);
	service_mark(service);
	/* The next page of the same host may be handed out now. */
	if (reply.ack == FRONTIER_OK)
		frontier_service_wake(service);
}

/* Import the rows of the batch, and answer: which of the lines were bad, and
 * how many are done. */
static void
import_take_some(struct frontier_client *client, int64_t end_ms)
{
	struct frontier_service *service = client->service;
	struct client_import *import = &client->import;
	struct import_totals *totals = &import->importer.totals;
	const struct import_row *row = NULL;
	struct buf *out = &client->out;
	uint64_t lines = 0, bad = 0;

	if (import_batch_is_stale(&import->batch)) {
		import->stage = SEARCHES;
		return;
	}
	while (loop_now_ms(service->how.loop) < end_ms) {
		row = import_batch_next(&import->batch);
		if (row == NULL)
			break;
		if (row->why != NULL) {
			out_json_line(out, "bad");
			out_json_number(out, "line", client->line);
			out_json_text(out, "why", slice_of(row->why));
			out_json_line_end(out);
		} else if (!row->is_blank)
			frontier_import(service->how.frontier,
			    &import->importer, row,
			    loop_now_s(service->how.loop));
		bad += row->why != NULL;
		client->line++;
		lines++;
	}
	if (row == NULL)
		import->stage = READS;
	if (lines == 0)
		return;
	out_json_line(out, "taken");
	out_json_number(out, "lines", lines);
	out_json_number(out, "bad", bad);
	out_json_number(out, "new", totals->added);
	out_json_number(out, "known", totals->known);
	out_json_number(out, "history", totals->history);
	out_json_number(out, "unlisted", totals->unlisted);
	out_json_line_end(out);
	*totals = (struct import_totals){0};
	service_mark(service);
}

/* Import lines for a few milliseconds; are there more? */
static bool
import_bite(struct frontier_client *client)
{
	struct frontier_service *service = client->service;
	struct client_import *import = &client->import;
	int64_t end_ms = loop_now_ms(service->how.loop) + BITE_MS;
	bool is_more = true;

	while (is_more && loop_now_ms(service->how.loop) < end_ms) {
		if (import->stage == READS) {
			struct slice text;
			bool has_line = true, has_room = true;

			while (has_line && has_room &&
			    loop_now_ms(service->how.loop) < end_ms) {
				has_line = splitter_next(&import->in, &text);
				if (has_line)
					has_room = import_batch_put(
					    &import->batch, text,
					    import->is_json,
					    loop_now_s(service->how.loop));
			}
			if (!has_line || !has_room)
				import->stage = SEARCHES;
		} else if (import->stage == TAKES)
			import_take_some(client, end_ms);
		else if (!import_batch_search(&import->batch))
			import->stage = TAKES;
		is_more = import->stage != READS || import->batch.count > 0 ||
		    splitter_rest(&import->in).len > 0;
	}
	return is_more;
}

static void
on_bite(void *arg)
{
	struct frontier_service *service = arg;
	bool is_more = false;

	for (struct frontier_client *c = service->clients; c != NULL;
	     c = c->next)
		if (c->kind == CLIENT_IMPORT && !c->is_over)
			is_more |= import_bite(c);
	if (is_more)
		loop_timer_set(service->bite, 0);
}

/* client_begin(client, request): read the first line.  The lease time is
 * checked again, since the peer may be hostile. */
static void
client_begin(struct frontier_client *client, const struct ndjson *request)
{
	struct slice command = ndjson_text(request, "command");
	int64_t line = ndjson_number(request, "line", 1);
	struct strings filter = {0};

	client->kind = slice_is(command, "due") ? CLIENT_DUE
	    : slice_is(command, "done")         ? CLIENT_DONE
	    : slice_is(command, "import")       ? CLIENT_IMPORT
						: CLIENT_ONCE;
	client->line = line < 1 ? 1 : (uint64_t)line;
	if (client->kind == CLIENT_IMPORT) {
		struct store *store = client->service->how.store;

		client->import.is_json = ndjson_flag(request, "json");
		importer_init(&client->import.importer, store);
		client->import.batch.store = store;
		/* the last line may exceed the limit */
		splitter_init(&client->import.in, 3 * IN_MAX_BYTES);
	}
	ndjson_strings(request, "sites", &client->sites);
	ndjson_strings(request, "tags", &client->tags);
	ndjson_strings(request, "filter", &filter);
	client->consumer = (struct frontier_consumer){
	    .per_host = (uint32_t)ndjson_number(request, "per_host", 0),
	    .hosts = (uint32_t)ndjson_number(request, "hosts", 0),
	    .lease_s = ndjson_number(request, "lease_s", 0),
	    .is_spaced = ndjson_flag(request, "spaced"),
	    .sites = &client->sites,
	    .tags = &client->tags};
	client->sign = SIGN_NEVER;
	(void)value_sign(ndjson_text(request, "sign"), &client->sign);
	if (client->kind == CLIENT_DUE &&
	    (client->consumer.lease_s < 1 ||
		client->consumer.lease_s > FRONTIER_LEASE_MAX_S ||
		!frontier_consumer_filter(&client->consumer, &filter)))
		client_finish(client, EXIT_USAGE);
	else if (client->kind == CLIENT_DUE) {
		size_t before = client->out.len;

		if (client->sign != SIGN_NEVER &&
		    client->service->how.signer.identity == NULL) {
			out_json_line(&client->out, "unsigned");
			out_json_line_end(&client->out);
		}
		if (!frontier_line_unknown(&client->out,
			client->service->how.frontier, &client->sites,
			&client->tags))
			client_finish(client, EXIT_NO_TARGET);
		else if (client->out.len > before)
			service_mark(client->service);
	} else if (slice_is(command, "hold"))
		hold_command(client, request);
	else if (slice_is(command, "release"))
		client_finish(client,
		    release_leases(client, request, "leases",
			ndjson_flag(request, "all")) > 0
			? EXIT_FINDINGS
			: EXIT_DONE);
	strings_release(&filter);
}

static void
frontier_client_free(struct control_client *served)
{
	struct frontier_client *client = (struct frontier_client *)served;
	struct frontier_client **at;

	for (at = &client->service->clients; *at != client;)
		at = &(*at)->next;
	*at = client->next;
	if (client->kind == CLIENT_DUE)
		frontier_consumer_release(
		    client->service->how.frontier, &client->consumer);
	import_batch_release(&client->import.batch);
	importer_release(&client->import.importer);
	buf_release(&client->import.in.text);
	buf_release(&client->out);
	strings_release(&client->sites);
	strings_release(&client->tags);
	free(client);
}

static void
frontier_client_line(struct control_client *served, struct slice line)
{
	struct frontier_client *client = (struct frontier_client *)served;
	struct ndjson *object;

	if (client->is_over)
		return;
	if (client->kind == CLIENT_DONE) {
		take_result(client, line);
		return;
	}
	if (client->kind == CLIENT_IMPORT) {
		struct splitter *in = &client->import.in;

		if (splitter_rest(in).len <= IN_MAX_BYTES &&
		    splitter_put(in, line) && splitter_put(in, slice_of("\n")))
			loop_timer_set(client->service->bite, 0);
		else
			client_finish(client, EXIT_USAGE);
		return;
	}
	object = ndjson_parse(line, NULL);
	if (object == NULL)
		return;
	if (ndjson_type(object, "release") != NDJSON_NONE) {
		/* `due` ends, and releases leases that it did not pass on. */
		client->wanted = 0;
		(void)release_leases(client, object, "release", false);
	} else {
		/* The client asks for pages. */
		struct frontier_service *service = client->service;
		int64_t pages = ndjson_number(object, "take", 0);
		int64_t patience_ms = ndjson_number(object, "wait_ms", 0);

		if (pages >= 1) {
			(void)frontier_sync(service->how.frontier,
			    loop_now_s(service->how.loop));
			client->wanted = pages > FRONTIER_ANSWER_PAGES
			    ? FRONTIER_ANSWER_PAGES
			    : (uint32_t)pages;
			client->until_ms = patience_ms < 0 ||
				patience_ms >
				    LOOP_NEVER - loop_now_ms(service->how.loop)
			    ? LOOP_NEVER
			    : loop_now_ms(service->how.loop) + patience_ms;
			client->paced_until_ms = loop_now_ms(
						     service->how.loop) +
			    (ndjson_flag(object, "at_once") ? 0 : PACED_MS);
			client->leased = 0;
			service_lease(service);
		}
	}
	ndjson_free(object);
}

struct control_client *
frontier_service_client(struct frontier_service *service,
    const struct ndjson *request, struct control_peer *peer)
{
	struct frontier_client *client = mem_zero(sizeof(*client));

	client->served = (struct control_client){
	    .line = frontier_client_line, .gone = frontier_client_free};
	client->service = service;
	client->peer = peer;
	client->next = service->clients;
	service->clients = client;
	client_begin(client, request);
	return &client->served;
}

/* answer(client, code): after a COMMIT, write what waited for it. */
static void
answer(struct frontier_client *client, enum diag_code code)
{
	struct slice text = buf_text(&client->out);
	struct buf why = BUF_UP_TO(SIZE_MAX), rest = BUF_UP_TO(SIZE_MAX);

	if (code != DIAG_OK) {
		text.len = 0;
		client->is_over = client->is_last = true;
		client->status = exit_of_store(code);
		store_complaint(&why, client->service->how.store, code);
	} else {
		/* what came since waits for the next COMMIT */
		(void)buf_put_slice(&rest, slice_from(text, client->committed));
		text.len = client->committed;
	}
	control_send(client->peer, text);
	buf_clear(&client->out);
	(void)buf_put_slice(&client->out, buf_text(&rest));
	client->committed = 0;
	if (client->is_last) {
		control_end(client->peer, client->status, buf_text(&why));
		frontier_client_free(&client->served);
	}
	buf_release(&rest);
	buf_release(&why);
}

void
frontier_service_acked(struct frontier_service *service)
{
	struct frontier_client *client;
	struct frontier_client *next;
	enum diag_code code;

	if (service == NULL || !service->is_waiting)
		return;
	code = store_failed(service->how.store);
	/* A process that was stopped may not hand out pages of hosts that
	 * another one asks by now, although they were leased before. */
	if (code == DIAG_OK &&
	    (!store_is_durable(service->how.store, service->waits) ||
		!host_may_ask(frontier_hosts(service->how.frontier))))
		return;
	service->is_waiting = false;
	for (client = service->clients; client != NULL; client = next) {
		next = client->next;
		answer(client, code);
	}
	if (code != DIAG_OK && service->how.failed != NULL)
		service->how.failed(service->how.failed_arg);
	/* answers that came meanwhile */
	if (service->is_marked)
		loop_timer_set(service->commit, 0);
	frontier_service_wake(service);
}

/*
 * on_commit: one COMMIT for the answers of all clients, which are written when
 * it is durable; the next one follows then.  If the COMMIT fails, each client
 * gets the error as its last line instead of its answers, which are not true
 * then.
 */
static void
on_commit(void *arg)
{
	struct frontier_service *service = arg;
	struct loop *loop = service->how.loop;
	struct store *store = service->how.store;

	if (service->is_waiting)
		return;
	frontier_save(service->how.frontier);
	loop_commit(loop, true);
	(void)store_flush(store);
	loop_commit(loop, false);
	service->committed_ms = loop_now_ms(service->how.loop);
	service->is_marked = false;
	for (struct frontier_client *c = service->clients; c != NULL;
	     c = c->next) {
		c->committed = c->out.len;
		c->is_last = c->is_over;
	}
	/* without a COMMIT of its own, what others have committed counts */
	service->waits = store_commits(store);
	service->is_waiting = true;
	frontier_service_acked(service);
}

void
frontier_service_settle(struct frontier_service *service)
{
	struct frontier_spent none = {0};

	if (service == NULL)
		return;
	/* Pages that were leased must not be lost with the rest of the
	 * answer. */
	for (struct frontier_client *c = service->clients; c != NULL;
	     c = c->next)
		if (c->wanted > 0 && c->leased > 0)
			end_answer(c, loop_now_s(service->how.loop), &none);
		else if (c->kind == CLIENT_IMPORT && !c->is_over)
			while (import_bite(c))
				;
	/* first those of the COMMIT that is under way, then the others */
	for (int i = 0; i < 2; i++) {
		(void)store_await(service->how.store);
		frontier_service_acked(service);
		if (i == 0 && service->is_marked)
			on_commit(service);
	}
}

static int64_t
loop_clock(void *loop)
{
	return loop_now_ms(loop);
}

struct frontier_service *
frontier_service_new(const struct frontier_service_options *options)
{
	struct frontier_service *service = mem_zero(sizeof(*service));

	service->how = *options;
	/* a driver has set its clock, which is the same */
	if (frontier_hosts(options->frontier)->clock_ms == NULL)
		host_table_set_clock(frontier_hosts(options->frontier),
		    loop_clock, options->loop);
	/* This owner may ask no host, and the one after it must know that the
	 * one before it was killed. */
	(void)store_killed_s(options->store, loop_now_s(service->how.loop));
	service->commit = loop_timer_new(options->loop, on_commit, service);
	service->wait = loop_timer_new(options->loop, on_wait, service);
	service->bite = loop_timer_new(options->loop, on_bite, service);
	service->committed_ms = loop_now_ms(options->loop) - COMMIT_MS;
	return service;
}

void
frontier_service_free(struct frontier_service *service)
{
	if (service == NULL)
		return;
	while (service->clients != NULL)
		frontier_client_free(&service->clients->served);
	loop_timer_free(service->commit);
	loop_timer_free(service->wait);
	loop_timer_free(service->bite);
	free(service);
}

struct frontier_counts
frontier_service_counts(const struct frontier_service *service)
{
	return service->counts;
}
