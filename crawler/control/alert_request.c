/* Noting what alerts have told. */
#include "crawler/control/alert_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "base/strings.h"
#include "base/vis.h"
#include "base/w3cdate.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/control/control.h"
#include "crawler/control/store_access.h"
#include "crawler/control/store_request.h"
#include "crawler/control/watch_serve.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "store/store.h"

/* Write the alert in the open transaction.  The row without a name says until
 * when somebody tells; its time is bounded, because a clock may go back. */
static int
alert_change(struct store *store, const struct alert_request *request,
    int64_t now_s, struct buf *why)
{
	struct store_alert claim;

	(void)store_alert_get(store, slice_of(""), 0, &claim);
	free(claim.why);
	if (request->name.len == 0 && request->alert.until_s > 0 &&
	    claim.until_s > now_s && claim.until_s <= now_s + ALERT_CLAIM_S) {
		(void)buf_print(why, "another 'freshet alert send' is at work");
		return EXIT_FINDINGS;
	}
	store_alert_put(store, request->name, request->sink, &request->alert,
	    request->sites, request->count);
	/* Who notes something is still at work. */
	if (request->name.len > 0) {
		claim.why = NULL;
		claim.until_s = now_s + ALERT_CLAIM_S;
		store_alert_put(store, slice_of(""), 0, &claim, NULL, 0);
	}
	return EXIT_DONE;
}

/* In this process, or through the owner. */

struct alert_asking {
	const struct options *options;
	const struct alert_request *request;
};

/* Write the store in this process.  The store is open for that moment only, so
 * that no program that is told, however slow, keeps a crawl waiting. */
static int
alert_ask_here(void *arg, struct buf *why)
{
	struct alert_asking *ask = arg;
	struct store_options how = {.path = ask->options->store.path,
	    .min_free_bytes = ask->options->limits.free_bytes};
	struct store *store = NULL;
	enum diag_code code = store_open(&how, &store, why);
	int status;

	if (code == DIAG_STORE_LOCKED)
		return EXIT_LOCKED;
	if (code != DIAG_OK) {
		complain("%s: %s", diag_name(code), buf_str(why));
		return exit_of_store(code);
	}
	status = alert_change(store, ask->request, ask->options->now_s, why);
	if (status != EXIT_DONE)
		complain("%s", buf_str(why));
	code = store_flush(store);
	if (code != DIAG_OK)
		status = complain_of_store(store, code);
	store_close(store);
	return status;
}

/* The owner answers with the end alone. */
static void
alert_on_object(void *arg, const struct ndjson *object, struct slice line)
{
	(void)arg;
	(void)object;
	(void)line;
}

/* Let the owner write, in the form that alert_request.h has. */
static int
alert_ask_there(void *arg, int64_t patience_ms, bool *has_answered)
{
	const struct alert_asking *ask = arg;
	const struct alert_request *request = ask->request;
	const struct store_alert *alert = &request->alert;
	struct buf line;
	int status;

	buf_init(&line, SIZE_MAX);
	(void)buf_print(&line,
	    "{\"v\":1,\"command\":\"alert\",\"version\":\"%s\",\"alert\":",
	    FRESHET_VERSION);
	json_put(&line, request->name);
	(void)buf_print(&line,
	    ",\"sink\":%d,\"begun\":%" PRId64 ",\"until\":%" PRId64
	    ",\"tries\":%" PRId64 ",\"next\":%" PRId64,
	    request->sink, alert->begun_s, alert->until_s, alert->tries,
	    alert->next_s);
	out_json_word(&line, "why", slice_of(alert->why));
	if (request->sites != NULL)
		(void)buf_print(&line, ",\"sites\":[");
	for (size_t i = 0; i < request->count; i++)
		(void)buf_print(&line, "%s\"%" PRId64 " %" PRId64 "\"",
		    i > 0 ? "," : "", request->sites[i].site_id,
		    request->sites[i].until_s);
	(void)buf_print(&line, "%s\n", request->sites != NULL ? "]}" : "}");
	status = store_request_send(ask->options->store.path, buf_text(&line),
	    patience_ms, alert_on_object, NULL);
	*has_answered = status != EXIT_LOCKED;
	buf_release(&line);
	return status;
}

int
alert_request_run(
    const struct options *options, const struct alert_request *request)
{
	struct alert_asking ask = {options, request};
	struct store_access access = {alert_ask_here, alert_ask_there, &ask};

	return store_access_run(&access);
}

int
alert_request_claim(const struct options *options, bool is_mine)
{
	struct alert_request request = {.name = slice_of(""),
	    .alert = {.until_s = is_mine ? options->now_s + ALERT_CLAIM_S : 0}};
	int status = alert_request_run(options, &request);

	/* From an owner EXIT_LOCKED would mean that another try makes sense. */
	return status == EXIT_FINDINGS ? EXIT_LOCKED : status;
}

/* In the owner. */

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

bool
alert_request_serve(const struct watch_owner *owner, struct control_peer *peer,
    const struct ndjson *object)
{
	struct alert_request request = {0};
	struct store_alert_site *sites = NULL;
	struct slice reason;
	struct buf why, line;
	int status = EXIT_USAGE;

	if (object == NULL ||
	    !slice_is(ndjson_text(object, "command"), "alert"))
		return false;
	buf_init(&why, SIZE_MAX);
	buf_init(&line, SIZE_MAX);
	/* The sender is this user or the owner of the store, but may be another
	 * version, or no freshet at all. */
	reason = ndjson_text(object, "why");
	request.name = ndjson_text(object, "alert");
	request.sink = (int)ndjson_number(object, "sink", -1);
	request.alert = (struct store_alert){
	    .begun_s = ndjson_number(object, "begun", -1),
	    .until_s = ndjson_number(object, "until", -1),
	    .tries = ndjson_number(object, "tries", -1),
	    .next_s = ndjson_number(object, "next", -1),
	    .why = reason.len > 0 ? slice_dup(reason) : NULL};
	if (!slice_is(ndjson_text(object, "version"), FRESHET_VERSION))
		(void)buf_print(
		    &why, "another version of freshet holds the store");
	else if (request.name.p == NULL || request.sink < 0 ||
	    !alert_is_time(request.alert.begun_s) ||
	    !alert_is_time(request.alert.until_s) ||
	    !alert_is_time(request.alert.next_s) || request.alert.tries < 0 ||
	    request.alert.tries > UINT32_MAX ||
	    !alert_take_sites(object, &sites, &request.count))
		(void)buf_print(&why,
		    "the process that holds the store does not know what is "
		    "asked of it");
	request.sites = sites;
	if (why.len == 0)
		status = alert_change(
		    owner->store, &request, owner->now_s, &why);
	if (why.len > 0) {
		(void)buf_print(&line, "{\"v\":1,\"type\":\"said\",\"text\":");
		json_put(&line, buf_text(&why));
		(void)buf_print(&line, "}\n");
	}
	(void)buf_print(
	    &line, "{\"v\":1,\"type\":\"end\",\"exit\":%d}\n", status);
	/* If the commit fails there is no answer, and the command sees the end
	 * of the connection. */
	if (owner->commit(owner->arg))
		control_send(peer, buf_text(&line));
	control_end(peer);
	buf_release(&line);
	buf_release(&why);
	free(sites);
	free(request.alert.why);
	return true;
}
