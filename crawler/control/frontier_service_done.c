/* The service of the frontier: results, and leases that come back. */
#include <inttypes.h>

#include "base/host.h"
#include "base/out_json.h"
#include "base/url.h"
#include "base/w3cdate.h"
#include "crawler/control/frontier_service_internal.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier_held.h"
#include "crawler/frontier/frontier_lines.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/frontier/result_line.h"

static bool
give_back(struct frontier_client *customer, struct slice lease, bool is_told)
{
	struct frontier_service *service = customer->service;
	struct frontier_answer answer = {0};
	struct frontier_said said = {
	    .lease = lease, .next_due_s = FRONTIER_NEVER};

	said.ack = frontier_release(
	    service->options.frontier, lease, service_now_s(service), &answer);
	said.reason = answer.reason;
	service->counts.released += said.ack == FRONTIER_OK;
	if (is_told)
		frontier_line_ack(&customer->out, &said);
	return said.ack == FRONTIER_OK;
}

static void
put_released(struct frontier_client *customer, uint64_t count)
{
	(void)buf_print(&customer->out,
	    "{\"v\":1,\"type\":\"released\",\"pages\":%" PRIu64 "}\n", count);
	service_mark(customer->service);
}

/* give_back_all(customer, object, key): the leases in that list; how many were
 * not taken. */
static size_t
give_back_all(struct frontier_client *customer, const struct ndjson *object,
    const char *key, uint64_t *count)
{
	struct slice lease;
	size_t bad = 0;

	for (size_t i = 0; lease = ndjson_item(object, key, i), lease.p != NULL;
	     i++)
		if (give_back(
			customer, lease, customer->kind == CUSTOMER_CALLS))
			(*count)++;
		else
			bad++;
	return bad;
}

void
service_give_back(struct frontier_client *customer, const struct ndjson *object)
{
	uint64_t count = 0;

	customer->wanted = 0;
	(void)give_back_all(customer, object, "release", &count);
	put_released(customer, count);
}

void
service_release(struct frontier_client *customer, const struct ndjson *request)
{
	struct frontier_service *service = customer->service;
	uint64_t count = 0;
	size_t bad = 0;

	if (ndjson_flag(request, "all")) {
		count = frontier_release_all(
		    service->options.frontier, service_now_s(service));
		service->counts.released += count;
	} else {
		bad = give_back_all(customer, request, "leases", &count);
	}
	put_released(customer, count);
	service_finish(customer, bad > 0 ? EXIT_FINDINGS : EXIT_DONE, DIAG_OK);
}

static void
put_held(struct frontier_client *customer, int64_t at_s, struct hold_times held)
{
	int64_t all_s = held.all_s > at_s ? held.all_s : at_s;

	frontier_line_time(&customer->out, "until", all_s);
	frontier_line_time(&customer->out, "pages_until",
	    held.pages_s > all_s ? held.pages_s : all_s);
}

/* hold(customer, host, for_s): host is normalised; false: not for so long. */
static bool
hold(struct frontier_client *customer, struct slice host, int64_t for_s)
{
	struct frontier_service *service = customer->service;
	int64_t at_s = service_now_s(service);
	struct hold_times held;
	bool is_held = for_s >= 0 && for_s <= DATE_BOUND_S &&
	    frontier_hold(
		service->options.frontier, host, at_s + for_s, at_s, "order");

	if (is_held) {
		(void)buf_put_slice(&customer->out,
		    slice_of("{\"v\":1,\"type\":\"held\",\"host\":"));
		out_json_text(&customer->out, host);
		/* a longer one stands */
		held = frontier_held(service->options.frontier, host);
		put_held(customer, at_s, held);
		if (for_s > 0 && held.all_s > at_s + for_s)
			(void)buf_put_slice(
			    &customer->out, slice_of(",\"stood\":true"));
		if (!frontier_knows(service->options.frontier, host))
			(void)buf_put_slice(
			    &customer->out, slice_of(",\"unknown\":true"));
		(void)buf_put(&customer->out, "}\n", 2);
	}
	return is_held;
}

void
service_hold(struct frontier_client *customer, const struct ndjson *request)
{
	enum diag_code code;
	struct buf host;
	uint8_t kind;
	bool was_idn;
	bool is_held = false;

	/* whoever asks has looked at it, and may lie */
	buf_init(&host, URL_MAX_BYTES);
	code = host_normalise(
	    &host, ndjson_text(request, "host"), &kind, &was_idn);
	if (code == DIAG_OK)
		is_held = hold(customer, buf_text(&host),
		    ndjson_number(request, "for_s", 0));
	service_finish(customer, is_held ? EXIT_DONE : EXIT_USAGE, code);
	buf_release(&host);
}

/* Results. */

static void
count(struct frontier_service *service, enum frontier_ack ack)
{
	switch (ack) {
	case FRONTIER_OK:
		service->counts.ok++;
		break;
	case FRONTIER_SKIPPED:
		service->counts.skipped++;
		break;
	case FRONTIER_FAIL:
		service->counts.failed++;
		break;
	}
}

void
service_result(struct frontier_client *customer, struct slice text)
{
	struct frontier_service *service = customer->service;
	int64_t at_s = service_now_s(service);
	struct frontier_answer answer = {.next_due_s = FRONTIER_NEVER};
	struct frontier_said said = {.line = customer->line++};
	struct result_line line;

	if (slice_trim(text).len == 0)
		return;
	said.ack = FRONTIER_FAIL;
	said.reason = result_line_parse(&line, text, at_s);
	said.lease = line.result.token;
	said.url = line.result.url;
	if (said.reason == NULL) {
		said.ack = frontier_done(
		    service->options.frontier, &line.result, at_s, &answer);
		said.reason = answer.reason;
		said.next_due_s = answer.next_due_s;
	}
	count(service, said.ack);
	if (said.url.len == 0)
		(void)frontier_token_url(
		    service->options.frontier, said.lease, &said.url);
	frontier_line_ack(&customer->out, &said);
	result_line_release(&line);
	service_mark(service);
	/* its host may be asked for the next one */
	if (said.ack == FRONTIER_OK)
		frontier_service_wake(service);
}
