/* The service of the frontier: pages for those that ask. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vis.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/control/frontier_service_internal.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier_lines.h"
#include "crawler/frontier/frontier_pace.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/frontier/frontier_when.h"

#define GIVE_MS 5 /* to one of those that ask, in one round of the loop */
#define WAIT_LEAST_MS 100 /* a limit of its own may hold a consumer up */
#define WAIT_MOST_MS 60000 /* the wall clock may be moved meanwhile */

/* give(customer): for a few milliseconds; true: it may be given more at once.
 */
static bool
give(struct frontier_client *customer)
{
	struct frontier_service *service = customer->service;
	struct frontier *frontier = service->options.frontier;
	int64_t end_ms = service_now_ms(service) + GIVE_MS;
	int64_t at_s = service_now_s(service);
	struct frontier_page page;
	struct frontier_spent spent = {0};
	bool is_more = true;

	loop_doing(service->options.loop, "pages for a fetcher");
	while (customer->given < customer->wanted && is_more) {
		is_more = frontier_lease_some(
		    frontier, &customer->consumer, at_s, &page);
		if (is_more) {
			frontier_line_page(&customer->out, &page);
			customer->given++;
		}
		if ((is_more || customer->consumer.is_later) &&
		    service_now_ms(service) >= end_ms)
			return true;
		is_more = is_more || customer->consumer.is_later;
	}
	if (customer->given == 0 &&
	    service_now_ms(service) < customer->until_ms)
		return false;
	service->counts.leased += customer->given;
	if (customer->given > 0)
		at_s = frontier_due_s(frontier, at_s);
	else
		at_s = frontier_next_s(
		    frontier, &customer->consumer, at_s, &spent);
	frontier_line_more(&customer->out, customer->given, at_s, &spent);
	customer->wanted = customer->given = 0;
	service_mark_now(service);
	return false;
}

/* wait_ms(service, customer): until it may be given something, or has waited
 * long enough. */
static int64_t
wait_ms(const struct frontier_service *service,
    const struct frontier_client *customer, int64_t due_s)
{
	int64_t at_s = service_now_s(service);
	int64_t ms = due_s == FRONTIER_NEVER ||
		due_s - at_s > WAIT_MOST_MS / 1000
	    ? WAIT_MOST_MS
	    : (due_s - at_s) * 1000;

	if (ms < WAIT_LEAST_MS)
		ms = WAIT_LEAST_MS;
	if (service->options.poll_ms > 0 && ms > service->options.poll_ms)
		ms = service->options.poll_ms;
	if (customer->until_ms != FRONTIER_FOREVER &&
	    ms > customer->until_ms - service_now_ms(service))
		ms = customer->until_ms - service_now_ms(service);
	return ms;
}

/* serve(service): those that wait; and see when to look again. */
static void
serve(struct frontier_service *service)
{
	struct frontier *frontier = service->options.frontier;
	int64_t least_ms = FRONTIER_FOREVER;
	int64_t due_s, paced_ms;
	bool has_more = false;

	for (struct frontier_client *c = service->customers; c != NULL;
	     c = c->next)
		if (c->wanted > 0 && give(c))
			has_more = true;
	if (has_more) {
		loop_timer_set(service->wait, 0);
		return;
	}
	due_s = frontier_due_s(frontier, service_now_s(service));
	for (struct frontier_client *c = service->customers; c != NULL;
	     c = c->next)
		if (c->wanted > 0 && wait_ms(service, c, due_s) < least_ms)
			least_ms = wait_ms(service, c, due_s);
	paced_ms = frontier_paced_ms(frontier);
	if (paced_ms < least_ms && least_ms != FRONTIER_FOREVER)
		least_ms = paced_ms;
	if (least_ms == FRONTIER_FOREVER)
		loop_timer_stop(service->wait);
	else
		loop_timer_set(service->wait, least_ms);
}

void
service_wait(void *arg)
{
	struct frontier_service *service = arg;

	frontier_sync(service->options.frontier, service_now_s(service));
	serve(service);
}

typedef bool knows_fn(struct frontier *, struct slice);

/* unknown(customer, items, key, knows): say which are; how many. */
static size_t
unknown(struct frontier_client *customer, const struct strings *items,
    const char *key, knows_fn *knows)
{
	size_t count = 0;

	for (size_t i = 0; i < items->count; i++) {
		struct slice item = slice_of(items->items[i]);

		if (knows(customer->service->options.frontier, item))
			continue;
		(void)buf_print(&customer->out,
		    "{\"v\":1,\"type\":\"unknown\",\"%s\":", key);
		json_put(&customer->out, item);
		(void)buf_put(&customer->out, "}\n", 2);
		count++;
	}
	return count;
}

/* Which of its sites and tags are not known. */
static void
check_wanted(struct frontier_client *customer)
{
	size_t sites = unknown(
	    customer, &customer->sites, "site", frontier_knows_site);
	size_t tags = unknown(
	    customer, &customer->tags, "tag", frontier_knows_tag);

	if ((sites > 0 && sites == customer->sites.count) ||
	    (tags > 0 && tags == customer->tags.count))
		service_finish(customer, EXIT_NO_TARGET, DIAG_OK);
	else if (sites + tags > 0)
		service_mark(customer->service);
}

static void
note_total(void *arg, const char *of, struct slice tag, double per_hour)
{
	(void)tag;
	if (strcmp(of, "total") == 0)
		*(double *)arg = per_hour;
}

/* By another budget of all than it wishes? */
static void
tell_total(struct frontier_client *customer, const struct ndjson *request)
{
	struct slice typed = ndjson_text(request, "total");
	double wanted = 0, total = 0;
	char *text = slice_dup(typed);

	if (typed.len > 0 && watch_value_budget(text, &wanted)) {
		frontier_each_budget(
		    customer->service->options.frontier, 0, note_total, &total);
		if (fabs(wanted - total) > wanted * 1e-9) {
			frontier_line_total(&customer->out, total);
			service_mark(customer->service);
		}
	}
	free(text);
}

void
service_greet(struct frontier_client *customer, const struct ndjson *request)
{
	tell_total(customer, request);
	check_wanted(customer);
}

void
service_take(struct frontier_client *customer, const struct ndjson *object)
{
	struct frontier_service *service = customer->service;
	int64_t pages = ndjson_number(object, "take", 0);
	int64_t patience_ms = ndjson_number(object, "wait_ms", 0);

	if (pages < 1)
		return;
	frontier_sync(service->options.frontier, service_now_s(service));
	customer->wanted = pages > FRONTIER_TAKE_MAX ? FRONTIER_TAKE_MAX
						     : (uint32_t)pages;
	customer->until_ms = patience_ms < 0 ||
		patience_ms > FRONTIER_FOREVER - service_now_ms(service)
	    ? FRONTIER_FOREVER
	    : service_now_ms(service) + patience_ms;
	customer->given = 0;
	serve(service);
}
