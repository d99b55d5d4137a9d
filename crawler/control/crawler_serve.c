/* The requests of commands to the owner of the store. */
#include "crawler/control/crawler_serve.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/command.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/control/crawler.h"
#include "crawler/control/fetch_serve.h"
#include "crawler/control/served.h"
#include "crawler/control/status.h"
#include "crawler/control/watch_change.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/feed/feed_batch.h"
#include "crawler/frontier/frontier.h"
#include "store/alert.h"
#include "store/feed.h"

#define TEXT_MAX 1000
#define SHOWN 10 /* failed documents in the summary */
#define SUMMARY_TEXT_MAX 160
#define SAMPLE_MAX 74

/* What is known of one diagnostic code, and where it was seen first. */
struct code_place {
	char *url; /* owned; NULL: never seen */
	char *text;
	uint32_t line;
	uint64_t count;
	/* the worst severity, by the profiles of the sites */
	enum severity severity;
};

struct lost_document {
	char *url; /* owned */
	char *text; /* owned */
	enum diag_code code;
};

/* A crawl that a command asked for: a JSON object for each document, or a
 * summary at the end. */
struct served_crawl {
	struct served served; /* first */
	uint32_t crawl;
	bool has_bad; /* some targets were bad, and are missing */
	/* For the summary.  Indexed by diagnostic code. */
	struct code_place places[DIAG_COUNT];
	struct lost_document lost[SHOWN];
	size_t lost_shown;
	uint64_t lost_count;
};

static void
served_crawl_free(struct served_crawl *client)
{
	served_release(&client->served);
	for (int i = 0; i < DIAG_COUNT; i++) {
		free(client->places[i].url);
		free(client->places[i].text);
	}
	for (size_t i = 0; i < client->lost_shown; i++) {
		free(client->lost[i].url);
		free(client->lost[i].text);
	}
	free(client);
}

/* The closing summary, for people. */

/* first_text(findings, code): the text of the code's first sample, or "". */
static const char *
first_text(const struct findings *findings, enum diag_code code)
{
	const struct finding *finding = findings_get(findings, code);

	if (finding == NULL || finding->sample_count == 0 ||
	    finding->samples[0].text == NULL)
		return "";
	return finding->samples[0].text;
}

/* Count the document, and keep its findings, with the severities of the
 * profile. */
static void
summary_note(struct served_crawl *client, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	const struct findings *findings = &reading->content.findings;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		struct code_place *place = &client->places[finding->code];

		place->count += finding->count;
		if (profile_severity(profile, finding->code) > place->severity)
			place->severity = profile_severity(
			    profile, finding->code);
		if (place->url != NULL || finding->code == reading->failure)
			continue;
		place->url = slice_dup(url);
		place->text = mem_copy(first_text(findings, finding->code));
		place->line = finding->sample_count > 0
		    ? finding->samples[0].line
		    : 0;
	}
	if (reading->failure != DIAG_OK) {
		/* A document that could not be read; the first SHOWN are kept.
		 */
		struct lost_document *lost;

		client->lost_count++;
		if (client->lost_shown != SHOWN) {
			lost = &client->lost[client->lost_shown++];
			*lost = (struct lost_document){.url = slice_dup(url),
			    .text = mem_copy(first_text(
				&reading->content.findings, reading->failure)),
			    .code = reading->failure};
		}
	}
}

static void
put_totals(struct buf *out, const struct run_totals *totals, int64_t spent_ms)
{
	(void)buf_print(out, "%s of %s, %s",
	    human_of(totals->done, "document").text,
	    human_of(totals->sites, "site").text,
	    human_of(totals->listed, "URL").text);
	/* " (12 refused by R-58)", if any URL is. */
	enum verdict most;
	uint64_t refused = totals_refused(totals, &most);

	if (refused != 0) {
		(void)buf_print(out, " (");
		verdict_put_refused(out, refused, most);
		(void)buf_put_char(out, ')');
	}

	(void)buf_print(out, "\n ");
	served_put_part(out, totals->read, "read");
	if (totals->partial > 0)
		(void)buf_print(out, " (%s not to the end)",
		    human_of(totals->partial, NULL).text);
	served_put_part(out, totals->unchanged, "unchanged");
	served_put_part(out, totals->already, "read before");
	served_put_part(out, totals->failed, "failed");
	served_put_part(out, totals->refused, "refused");
	(void)buf_print(out, "   in %s, %s, %s\n ",
	    human_time(spent_ms, false).text,
	    human_of(totals->requests, "request").text,
	    human_scaled(totals->wire_bytes, human_bytes).text);
	if (totals->first_sites > 0 && totals->first_sites == totals->sites)
		(void)buf_print(out, "   read for the first time");
	else if (totals->first_sites > 0)
		served_put_part(out, totals->first_sites,
		    "of the sites for the first time");
	served_put_part(out, totals->changes[DELTA_ADDED], "new");
	served_put_part(out, totals->changes[DELTA_RETURNED], "back again");
	served_put_part(out, totals->changes[DELTA_BACK], "back in the window");
	served_put_part(out, totals->changes[DELTA_REDATED], "re-dated");
	served_put_part(out, totals->changes[DELTA_REMOVED], "removed");
	served_put_part(out, totals->changes[DELTA_GONE], "gone");
	served_put_part(out, totals->changes[DELTA_LEFT], "left the window");
	served_put_part(out, totals->changes[DELTA_REFUSED], "now refused");
	served_put_part(out, totals->changes[DELTA_ACCEPTED], "now accepted");
	served_put_part(out, totals->refused_entries,
	    totals->refused_entries == 1 ? "entry refused" : "entries refused");
	if (out->p[out->len - 1] == ' ')
		(void)buf_print(out, "   nothing new");
	(void)buf_put_char(out, '\n');
	if (totals->waiting > 0)
		(void)buf_print(out, "waiting for a second reading: %s, %s\n",
		    human_of(totals->waiting, "sitemap").text,
		    human_of(totals->waiting_urls, "URL").text);
}

/* put_sample(out, code, text): the text of the sample, in 80 columns. */
static void
put_sample(struct buf *out, enum diag_code code, const char *text)
{
	if (text[0] == '\0')
		return;
	/* Is the sample's text a sentence of the program, and no text of the
	 * document? */
	if (code == DIAG_MASS_DROP || code == DIAG_VERDICT_CHANGED) {
		struct buf shown = BUF_UP_TO(SIZE_MAX);

		vis_put(&shown, slice_of(text), SIZE_MAX);
		out_wrapped(out, "      ", buf_str(&shown));
		buf_release(&shown);
		return;
	}
	(void)buf_print(out, "      ");
	vis_put(out, slice_of(text), SAMPLE_MAX);
	(void)buf_put_char(out, '\n');
}

/* put_codes(out, client, severity, title): the codes of one severity; are there
 * any? */
static bool
put_codes(struct buf *out, const struct served_crawl *client,
    enum severity severity, const char *title)
{
	bool has_title = false;

	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++) {
		enum diag_code code = (enum diag_code)i;

		if (client->places[i].url == NULL ||
		    client->places[i].severity != severity)
			continue;
		if (!has_title)
			(void)buf_print(out, "%s\n", title);
		has_title = true;
		(void)buf_print(out, "  %-24s %s  ", diag_name(code),
		    human_of(client->places[i].count, NULL).text);
		vis_put(out, slice_of(client->places[i].url), SUMMARY_TEXT_MAX);
		if (client->places[i].line > 0)
			(void)buf_print(
			    out, " line %u", client->places[i].line);
		(void)buf_put_char(out, '\n');
		put_sample(out, code, client->places[i].text);
	}
	return has_title;
}

static void
summary_put(struct buf *out, const struct served_crawl *client,
    const struct run_totals *totals, int64_t spent_ms)
{
	bool has = client->lost_count > 0; /* a code */

	put_totals(out, totals, spent_ms);
	if (client->lost_count != 0) {
		human_put(out, client->lost_count, "document");
		(void)buf_print(out, " could not be read:\n");
		for (size_t i = 0; i < client->lost_shown; i++) {
			const struct lost_document *lost = &client->lost[i];

			(void)buf_print(out, "  %s  ", diag_name(lost->code));
			vis_put(out, slice_of(lost->url), SUMMARY_TEXT_MAX);
			(void)buf_put_char(out, '\n');
			put_sample(out, lost->code, lost->text);
		}
		if (client->lost_count > client->lost_shown)
			(void)buf_print(out, "  ... and more\n");
	}

	has |= put_codes(
	    out, client, SEVERITY_ERROR, "errors: how often, and where first");
	has |= put_codes(out, client, SEVERITY_WARNING,
	    "warnings: how often, and where first");
	if (has)
		(void)buf_print(
		    out, "freshet help CODE says what each means\n");
}

/* The same as JSON lines, for a document, and for the whole crawl. */

static void
json_changes(struct buf *out, const uint64_t changes[DELTA_KINDS])
{
	out_json_number(out, "added", changes[DELTA_ADDED]);
	out_json_number(out, "removed", changes[DELTA_REMOVED]);
	out_json_number(out, "returned", changes[DELTA_RETURNED]);
	out_json_number(out, "redated", changes[DELTA_REDATED]);
	out_json_number(out, "gone", changes[DELTA_GONE]);
	out_json_number(out, "now_refused", changes[DELTA_REFUSED]);
	out_json_number(out, "now_accepted", changes[DELTA_ACCEPTED]);
	out_json_number(out, "left", changes[DELTA_LEFT]);
	out_json_number(out, "back", changes[DELTA_BACK]);
}

static void
summary_json_document(struct buf *out, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	const struct content *content = &reading->content;

	out_json_line(out, "document");
	out_json_text(out, "url", url);
	out_json_string(out, "kind", document_kind_name(content->kind));
	out_json_string(out, "outcome", outcome_name(reading->outcome));
	out_json_number(out, "status", (uint64_t)reading->http.status);
	out_json_code(out, "failure", reading->failure);
	out_json_flag(out, "complete", content->is_complete);
	out_json_number(out, "seen", content->seen);
	out_json_number(out, "accepted", content->accepted);
	out_json_number(out, "refused", content->refused);
	out_json_number(out, "entries", content->merge.entries);
	out_json_number(out, "listed_refused", content->merge.refused);
	out_json_number(out, "dated", content->merge.dated);
	json_changes(out, content->merge.changes);
	out_json_number(out, "wire_bytes", reading->http.wire_bytes);
	out_json_number(out, "decoded_bytes", content->decoded_bytes);
	out_json_string(out, "final_url", reading->http.final_url);
	out_json_begin(out, "findings", '[');
	for (size_t i = 0; i < content->findings.count; i++) {
		const struct finding *finding = &content->findings.items[i];
		bool has = finding->sample_count > 0;

		out_json_begin(out, NULL, '{');
		out_json_code(out, "code", finding->code);
		out_json_string(out, "severity",
		    severity_names[profile_severity(profile, finding->code)]);
		out_json_number(out, "count", finding->count);
		out_json_some(out, "line", has ? finding->samples[0].line : 0);
		out_json_string(
		    out, "text", has ? finding->samples[0].text : NULL);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
	out_json_line_end(out);
}

static void
summary_json_totals(struct buf *out, const struct run_totals *totals,
    const char *sandbox, int64_t spent_ms, int status)
{
	enum verdict most;

	out_json_line(out, "summary");
	out_json_number(out, "sites", totals->sites);
	out_json_begin(out, "documents", '{');
	out_json_number(out, "known", totals->known);
	out_json_number(out, "read", totals->read);
	out_json_number(out, "unchanged", totals->unchanged);
	out_json_number(out, "already", totals->already);
	out_json_number(out, "failed", totals->failed);
	out_json_number(out, "refused", totals->refused);
	out_json_end(out, '}');
	out_json_begin(out, "urls", '{');
	out_json_number(out, "listed", totals->listed);
	out_json_number(out, "refused", totals_refused(totals, &most));
	json_changes(out, totals->changes);
	out_json_end(out, '}');
	out_json_begin(out, "waiting", '{');
	out_json_number(out, "documents", totals->waiting);
	out_json_number(out, "urls", totals->waiting_urls);
	out_json_end(out, '}');
	out_json_number(out, "refused_entries", totals->refused_entries);
	out_json_begin(out, "findings", '{');
	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++)
		if (totals->codes[i] > 0)
			out_json_number(out, diag_name((enum diag_code)i),
			    totals->codes[i]);
	out_json_end(out, '}');
	out_json_begin(out, "parsers", '{');
	out_json_number(out, "scanned", totals->scanned);
	out_json_number(out, "scanned_bytes", totals->scanned_bytes);
	out_json_number(out, "parsed", totals->parsed);
	out_json_number(out, "parsed_bytes", totals->parsed_bytes);
	out_json_begin(out, "aside", '{');
	for (int i = ASIDE_NO + 1; i < ASIDE_COUNT; i++)
		if (totals->asides[i] > 0)
			out_json_number(out, aside_names[i], totals->asides[i]);
	out_json_end(out, '}');
	out_json_end(out, '}');
	out_json_number(out, "wire_bytes", totals->wire_bytes);
	out_json_number(out, "requests", totals->requests);
	out_json_number(out, "longest_gap_ms", totals->gap_ms);
	out_json_number(out, "longest_gap_cpu_ms", totals->gap_cpu_ms);
	out_json_number(out, "longest_commit_ms", totals->commit_ms);
	out_json_string(out, "sandbox", sandbox);
	(void)buf_print(out, ",\"seconds\":%.3f", (double)spent_ms / 1000.0);
	out_json_number(out, "exit", (uint64_t)status);
	out_json_line_end(out);
}

static void
served_crawl_progress(struct served *served, struct buf *line)
{
	const struct served_crawl *client = (struct served_crawl *)served;
	const struct run_totals *totals = run_totals(
	    served->crawler->run, client->crawl);

	out_json_number(line, "done", totals->done);
	out_json_number(line, "known", totals->known);
	out_json_number(line, "listed", totals->listed);
	out_json_number(line, "wire_bytes", totals->wire_bytes);
}

static void
served_crawl_document(void *arg, struct slice url,
    const struct reading *reading, const struct profile *profile)
{
	struct served_crawl *client = arg;

	if (client->served.is_json) {
		summary_json_document(
		    &client->served.line, url, reading, profile);
		served_say(&client->served, STREAM_OUT);
	} else {
		summary_note(client, url, reading, profile);
	}
	struct crawler *crawler = client->served.crawler;

	if (crawler->client_read != NULL)
		crawler->client_read(crawler->hooks_arg);
}

static void
served_crawl_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct served_crawl *client = arg;
	struct buf *line = &client->served.line;

	if (client->served.is_quiet)
		return;
	(void)buf_print(line, "freshet: ");
	if (url.len > 0) {
		vis_put(line, url, TEXT_MAX);
		(void)buf_print(line, ": ");
	}
	if (code != DIAG_OK)
		(void)buf_print(line, "%s: ", diag_name(code));
	if (text.len > 0 || code == DIAG_OK)
		vis_put(line, text, TEXT_MAX);
	else
		(void)buf_print(line, "%s", diag_info(code)->trigger);
	(void)buf_put_char(line, '\n');
	served_say(&client->served, STREAM_ERR);
}

/* served_crawl_end(client, status): report the crawl, which is over or dropped,
 * how to go on if a limit ended it, and what is wrong with the driver; the
 * client is freed. */
static void
served_crawl_end(struct served_crawl *client, int status)
{
	struct crawler *crawler = client->served.crawler;
	const struct run_totals *totals = run_totals(
	    crawler->run, client->crawl);
	int64_t spent_ms = loop_now_ms(crawler->loop) - client->served.began_ms;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	(void)crawler_trouble(crawler, &why);
	if (client->served.is_json)
		summary_json_totals(&client->served.line, totals,
		    crawler_sandbox(&crawler->options->readers), spent_ms,
		    status);
	else if (!client->served.is_quiet)
		summary_put(&client->served.line, client, totals, spent_ms);
	served_say(&client->served, STREAM_OUT);
	if (status == EXIT_BUDGET) {
		(void)buf_print(&client->served.line,
		    "freshet: stopped at a limit; run the same command to go "
		    "on\n");
		served_say(&client->served, STREAM_ERR);
	}
	control_end(client->served.peer, status, buf_text(&why));
	served_crawl_free(client);
	buf_release(&why);
}

static void
served_crawl_done(void *arg)
{
	struct served_crawl *client = arg;
	struct crawler *crawler = client->served.crawler;
	int status = crawler_status(
	    crawler, run_totals(crawler->run, client->crawl));

	if (status == EXIT_DONE && client->has_bad)
		status = EXIT_FINDINGS;
	served_crawl_end(client, status);
}

static void
served_crawl_gone(struct served *served)
{
	struct served_crawl *client = (struct served_crawl *)served;

	run_drop(served->crawler->run, client->crawl);
	served_crawl_free(client);
}

/* The driver tells the client, which is freed, nothing more. */
static void
served_crawl_fail(struct served *served, int status)
{
	struct served_crawl *client = (struct served_crawl *)served;
	struct run *run = served->crawler->run;
	uint32_t crawl = client->crawl;

	served_crawl_end(client, status);
	run_drop(run, crawl);
}

/* What was read is told and kept, for when the same command goes on. */
static void
served_crawl_stop(struct served *served, int status)
{
	if (run_commit(served->crawler->run))
		served_crawl_fail(served, status);
}

static const struct served_kind served_crawl_kind = {
    .progress = served_crawl_progress,
    .stop = served_crawl_stop,
    .end = served_crawl_fail,
    .gone = served_crawl_gone};

typedef struct control_client *serve_fn(
    struct crawler *, struct control_peer *, const struct ndjson *request);

static struct control_client *
serve_crawl(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct served_crawl *client;
	struct crawl_options crawl;
	struct slice target;

	client = mem_zero(sizeof(*client));
	if (!served_begin(&client->served, &served_crawl_kind, crawler,
		COMMAND_BIT(COMMAND_CRAWL), peer, request)) {
		free(client);
		return NULL;
	}
	client->has_bad = ndjson_flag(request, "bad");
	crawl = crawler_request(crawler);
	crawl.is_forced = ndjson_flag(request, "force");
	crawl.is_continued = ndjson_flag(request, "again");
	crawl.document = served_crawl_document;
	crawl.problem = served_crawl_problem;
	crawl.arg = client;
	crawl.done = served_crawl_done;
	crawl.done_arg = client;
	client->crawl = run_crawl(crawler->run, &crawl);
	/* The command has checked its targets. */
	for (size_t i = 0;
	     target = ndjson_item(request, "targets", i), target.p != NULL; i++)
		(void)run_target(crawler->run, client->crawl, target);
	run_start(crawler->run, client->crawl);
	return &client->served.client;
}

/* serve_owning: another process wants to be the owner.  One that crawls keeps
 * the store to its end, and two processes that run for ever exclude each other.
 */
static struct control_client *
serve_owning(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	char text[256];

	if (crawler->has_no_driver) {
		crawler->wanted(crawler->wanted_arg);
	} else if (strcmp(crawler->options->command, "run") == 0 &&
	    slice_is(ndjson_text(request, "command"), "run")) {
		(void)snprintf(text, sizeof(text),
		    "%s: another 'run' holds the store (%ld)",
		    diag_name(DIAG_STORE_LOCKED), (long)getpid());
		control_end(peer, EXIT_LOCKED, slice_of(text));
	} else {
		(void)snprintf(text, sizeof(text),
		    "{\"v\":1,\"type\":\"wait\",\"pid\":%ld}\n",
		    (long)getpid());
		control_send(peer, slice_of(text));
	}
	return NULL;
}

static struct control_client *
serve_frontier(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	int64_t delay_ms = ndjson_number(request, "delay_ms", -1);
	const char *budget = crawler->options->frontier.total_budget;
	char *typed = slice_dup(ndjson_text(request, "total"));
	double wanted = 0, total = 0;
	struct buf answer = BUF_UP_TO(SIZE_MAX);
	char why[256];

	/* one process keeps the delay of a host, so there is one delay */
	if (delay_ms >= 0 && delay_ms != crawler->options->network.delay_ms) {
		(void)snprintf(why, sizeof(why),
		    "the '%s' that holds this store has another '--delay'",
		    crawler->options->command);
		free(typed);
		control_end(peer, EXIT_USAGE, slice_of(why));
		return NULL;
	}
	/* Tell the client if another total budget holds than the one that its
	 * command was given. */
	(void)value_amount(typed, true, &wanted);
	if (budget != NULL)
		(void)value_amount(budget, true, &total);
	if (fabs(wanted - total) > wanted * 1e-9 && typed[0] != '\0') {
		out_json_line(&answer, "total");
		out_json_string(&answer, "rate", budget);
		out_json_line_end(&answer);
	}
	control_send(peer, buf_text(&answer));
	buf_release(&answer);
	free(typed);
	crawler_need_frontier(crawler);
	return frontier_service_client(crawler->service, request, peer);
}

/* May the store have that time?  Whoever reads it counts others as damage. */
static bool
alert_is_time(int64_t at_s)
{
	return at_s >= 0 && at_s <= DATE_BOUND_S;
}

/* Read the sites of a request, NULL if it has none; the caller frees them. */
static bool
alert_take_sites(
    const struct ndjson *object, struct store_alert_site **sites, size_t *count)
{
	struct strings texts = {0};
	bool is_good = true;

	if (ndjson_type(object, "sites") == NDJSON_NONE)
		return true;
	ndjson_strings(object, "sites", &texts);
	*count = texts.count;
	*sites = mem_zero((texts.count + 1) * sizeof(**sites));
	for (size_t i = 0; is_good && i < texts.count; i++)
		is_good = sscanf(texts.items[i], "%" SCNd64 " %" SCNd64,
			      &(*sites)[i].site_id,
			      &(*sites)[i].until_s) == 2 &&
		    alert_is_time((*sites)[i].until_s);
	strings_release(&texts);
	return is_good;
}

/* Note what alerts have told; the row without a name says until when somebody
 * tells. */
static struct control_client *
serve_alert(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *object)
{
	struct store_alert alert;
	struct slice name = ndjson_text(object, "alert");
	int64_t sink = ndjson_number(object, "sink", -1);
	size_t count = 0;
	struct store_alert_site *sites = NULL;
	struct slice reason = ndjson_text(object, "why");
	struct buf why = BUF_UP_TO(SIZE_MAX);
	int status = EXIT_USAGE;

	/* The sender is this user or the owner of the store, but may be no
	 * freshet at all. */
	alert = (struct store_alert){
	    .begun_s = ndjson_number(object, "begun", -1),
	    .until_s = ndjson_number(object, "until", -1),
	    .tries = ndjson_number(object, "tries", -1),
	    .next_s = ndjson_number(object, "next", -1),
	    .why = reason.len > 0 ? slice_dup(reason) : NULL};
	if (name.p == NULL || sink < 0 || sink > INT_MAX ||
	    !alert_is_time(alert.begun_s) || !alert_is_time(alert.until_s) ||
	    !alert_is_time(alert.next_s) || alert.tries < 0 ||
	    alert.tries > UINT32_MAX ||
	    !alert_take_sites(object, &sites, &count)) {
		(void)buf_print(&why, "%s", CONTROL_UNKNOWN);
	} else {
		int64_t now_s = loop_now_s(crawler->loop);
		struct store_alert claim;

		/* The row without a name says until when somebody tells; its
		 * time is bounded, because a clock may go back. */
		(void)store_alert_get(crawler->store, slice_of(""), 0, &claim);
		free(claim.why);
		if (name.len == 0 && alert.until_s > 0 &&
		    claim.until_s > now_s &&
		    claim.until_s <= now_s + ALERT_CLAIM_S) {
			(void)buf_print(
			    &why, "another 'freshet alert send' is at work");
			status = EXIT_FINDINGS;
		} else {
			store_alert_put(crawler->store, name, (int)sink, &alert,
			    sites, count);
			status = EXIT_DONE;
		}
		/* Who notes something is still at work. */
		if (name.len > 0 && sink != ALERT_NOTICE) {
			claim.why = NULL;
			claim.until_s = now_s + ALERT_CLAIM_S;
			store_alert_put(
			    crawler->store, slice_of(""), 0, &claim, NULL, 0);
		}
	}
	(void)crawler_commit(
	    crawler, peer, slice_of(""), status, buf_text(&why));
	buf_release(&why);
	free(sites);
	free(alert.why);
	return NULL;
}

/* Change a consumer of the feed; that is made in the open transaction, and
 * acknowledged after its COMMIT. */
static struct control_client *
serve_feed(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct store *store = crawler->store;
	struct slice verb = ndjson_text(request, "verb");
	struct slice name = ndjson_text(request, "consumer");
	int64_t now_s = loop_now_s(crawler->loop);
	bool opens = slice_is(verb, "open");
	bool acks = slice_is(verb, "ack");
	bool is_there = false;
	struct feed_consumer consumer;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	int status = EXIT_USAGE;

	if (name.len > 0)
		is_there = store_feed_get(store, name, &consumer);
	/* The sender may be no freshet at all. */
	if (name.len == 0 || (!opens && !acks && !slice_is(verb, "forget")))
		(void)buf_print(&why, "%s", CONTROL_UNKNOWN);
	else if (!is_there && !opens)
		(void)buf_print(&why, "the feed has no consumer '%.*s'",
		    (int)name.len, name.p);
	else if (acks &&
	    !feed_ack(store, &consumer, ndjson_text(request, "cursor"), now_s))
		(void)buf_print(&why,
		    "this is no cursor that consumer '%s' was given",
		    consumer.name);
	else
		status = EXIT_DONE;
	if (status == EXIT_DONE && !is_there)
		store_feed_make(
		    store, name, ndjson_text(request, "tags"), now_s);
	if (status == EXIT_DONE && !opens && !acks)
		store_feed_forget(store, consumer.id);
	if (is_there)
		feed_consumer_release(&consumer);
	(void)crawler_commit(
	    crawler, peer, slice_of(""), status, buf_text(&why));
	buf_release(&why);
	return NULL;
}

static const struct {
	const char *command;
	serve_fn *serve;
} requests[] = {
    {"crawl", serve_crawl},
    {"fetch", fetch_serve},
    {"run", serve_owning},
    {"db", serve_owning},
    {"due", serve_frontier},
    {"done", serve_frontier},
    {"import", serve_frontier},
    {"hold", serve_frontier},
    {"release", serve_frontier},
    {"add", watch_serve},
    {"rm", watch_serve},
    {"set", watch_serve},
    {"note", watch_serve},
    {"unnote", watch_serve},
    {"feed", serve_feed},
    {"alert", serve_alert},
    {"status", status_serve},
    {"total-budget", total_budget_serve},
};

/* serve_request: the one place where it is decided what a request is. */
static struct control_client *
serve_request(void *arg, struct control_peer *peer, struct slice line)
{
	struct crawler *crawler = arg;
	struct ndjson *request = ndjson_parse(line, NULL);
	struct control_client *client = NULL;
	struct slice command = slice_of(NULL), version = command;
	serve_fn *serve = NULL;
	char why[256];

	control_send(peer, slice_of("{\"v\":1,\"type\":\"hello\"}\n"));
	if (request != NULL) {
		command = ndjson_text(request, "command");
		version = ndjson_text(request, "version");
	}
	for (size_t i = 0; i < LENGTH(requests); i++)
		if (slice_is(command, requests[i].command))
			serve = requests[i].serve;
	/* another version may have written what comes as mail */
	if (crawler->takes_mail ? serve != watch_serve && serve != serve_feed &&
		    (serve != serve_frontier || slice_is(command, "due"))
				: !slice_is(version, FRESHET_VERSION))
		serve = NULL;
	if (serve == NULL) {
		(void)snprintf(why, sizeof(why),
		    "another version of freshet holds the store: %s, process "
		    "%ld",
		    FRESHET_VERSION, (long)getpid());
		control_end(peer, EXIT_USAGE,
		    slice_of(crawler->takes_mail ? CONTROL_UNKNOWN : why));
	} else {
		client = serve(crawler, peer, request);
	}
	ndjson_free(request);
	return client;
}

void
crawler_serve(struct crawler *crawler)
{
	int error;

	crawler->control = control_new(crawler->loop,
	    crawler->options->store.path, serve_request, crawler, &error);
	/* a process without driver is through soon, or leaves the store */
	if (error != 0 && !crawler->has_no_driver &&
	    !crawler->options->output.is_quiet)
		complain("no socket beside the store (%s): other commands "
			 "that write must wait",
		    strerrordesc_np(error));
}

void
crawler_serve_failed(struct crawler *crawler)
{
	struct run_totals none = {0};
	int status;

	/* what was read is told and kept, if the store can be written */
	run_stop(crawler->run);
	status = crawler_status(crawler, &none);
	while (crawler->served != NULL)
		crawler->served->kind->end(crawler->served, status);
}
