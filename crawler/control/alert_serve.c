/* How the owner of the store notes what alerts have told. */
#include "crawler/control/alert_serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/strings.h"
#include "base/w3cdate.h"
#include "crawler/control/alert_request.h"
#include "crawler/control/control.h"
#include "crawler/control/crawler.h"
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

struct control_client *
alert_serve(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *object)
{
	struct alert_request request = {0};
	struct store_alert_site *sites = NULL;
	struct slice reason = ndjson_text(object, "why");
	struct buf why;
	int status = EXIT_USAGE;

	buf_init(&why, SIZE_MAX);
	/* The sender is this user or the owner of the store, but may be no
	 * freshet at all. */
	request.name = ndjson_text(object, "alert");
	request.sink = (int)ndjson_number(object, "sink", -1);
	request.alert = (struct store_alert){
	    .begun_s = ndjson_number(object, "begun", -1),
	    .until_s = ndjson_number(object, "until", -1),
	    .tries = ndjson_number(object, "tries", -1),
	    .next_s = ndjson_number(object, "next", -1),
	    .why = reason.len > 0 ? slice_dup(reason) : NULL};
	if (request.name.p == NULL || request.sink < 0 ||
	    !alert_is_time(request.alert.begun_s) ||
	    !alert_is_time(request.alert.until_s) ||
	    !alert_is_time(request.alert.next_s) || request.alert.tries < 0 ||
	    request.alert.tries > UINT32_MAX ||
	    !alert_take_sites(object, &sites, &request.count)) {
		(void)buf_print(&why,
		    "the process that holds the store does not know what is "
		    "asked of it");
	} else {
		request.sites = sites;
		status = alert_change(
		    crawler->store, &request, loop_now_s(crawler->loop), &why);
	}
	(void)crawler_commit(
	    crawler, peer, slice_of(""), status, buf_text(&why));
	buf_release(&why);
	free(sites);
	free(request.alert.why);
	return NULL;
}
