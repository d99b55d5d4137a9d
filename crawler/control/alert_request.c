/* Noting what alerts have told, which the owner of the store does. */
#include "crawler/control/alert_request.h"

#include <inttypes.h>

#include "base/out_json.h"
#include "crawler/cli/options.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"

int
alert_request_run(
    const struct options *options, const struct alert_request *request)
{
	const struct store_alert *alert = &request->alert;
	struct store_call call = {.makes_store = true};
	struct buf line;
	int status;

	buf_init(&line, SIZE_MAX);
	store_call_begin(&line, "alert");
	out_json_text(&line, "alert", request->name);
	(void)buf_print(&line,
	    ",\"sink\":%d,\"begun\":%" PRId64 ",\"until\":%" PRId64
	    ",\"tries\":%" PRId64 ",\"next\":%" PRId64,
	    request->sink, alert->begun_s, alert->until_s, alert->tries,
	    alert->next_s);
	out_json_string(&line, "why", alert->why);
	if (request->sites != NULL)
		(void)buf_print(&line, ",\"sites\":[");
	for (size_t i = 0; i < request->count; i++)
		(void)buf_print(&line, "%s\"%" PRId64 " %" PRId64 "\"",
		    i > 0 ? "," : "", request->sites[i].site_id,
		    request->sites[i].until_s);
	(void)buf_print(&line, "%s\n", request->sites != NULL ? "]}" : "}");
	call.request = buf_text(&line);
	status = store_call(options, &call);
	buf_release(&line);
	return status;
}

int
alert_request_claim(const struct options *options, bool is_mine)
{
	struct alert_request request = {.name = slice_of(""),
	    .alert = {.until_s = is_mine ? options->now_s + ALERT_CLAIM_S : 0}};
	int status = alert_request_run(options, &request);

	return status == EXIT_FINDINGS ? EXIT_LOCKED : status;
}
