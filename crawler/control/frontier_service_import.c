/* The service of the frontier: what another crawler knows, in bites, so that
 * who else wants the loop does not wait for a long list. */
#include "crawler/control/frontier_service_import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vis.h"
#include "crawler/control/frontier_service_internal.h"
#include "crawler/event/exit.h"
#include "crawler/frontier/frontier_import.h"

/* A bite is over after so long. */
#define BITE_MS 5
/* Who asks waits for answers before it says more than that. */
#define IN_MAX_BYTES ((size_t)16 << 20)

enum stage { READS, SEARCHES, TAKES };

struct customer_import {
	struct importer importer;
	struct import_batch *batch; /* owned */
	enum stage stage;
	bool is_json;
};

struct customer_import *
service_import_new(struct frontier_service *service, bool is_json)
{
	struct customer_import *import = mem_zero(sizeof(*import));
	struct store *store = service->options.store;

	import->is_json = is_json;
	importer_init(&import->importer, store);
	import->batch = import_batch_new(store);
	return import;
}

void
service_import_free(struct customer_import *import)
{
	if (import == NULL)
		return;
	import_batch_free(import->batch);
	importer_release(&import->importer);
	free(import);
}

void
service_import(struct frontier_client *customer, struct slice text)
{
	if (customer->in.len - customer->at > IN_MAX_BYTES) {
		service_finish(customer, EXIT_USAGE, DIAG_OK);
		return;
	}
	(void)buf_put_slice(&customer->in, text);
	(void)buf_put_char(&customer->in, '\n');
	loop_timer_set(customer->service->bite, 0);
}

/* next(customer, line): the next one, without its line feed; false: there is
 * none. */
static bool
next(struct frontier_client *customer, struct slice *line)
{
	struct slice rest = slice_from(buf_text(&customer->in), customer->at);
	const char *end = rest.len == 0 ? NULL : memchr(rest.p, '\n', rest.len);

	if (end == NULL)
		return false;
	*line = slice_make(rest.p, (size_t)(end - rest.p));
	customer->at += line->len + 1;
	return true;
}

static void
refuse(struct frontier_client *customer, const char *why)
{
	(void)buf_print(&customer->out,
	    "{\"v\":1,\"type\":\"bad\",\"line\":%" PRIu64 ",\"why\":",
	    customer->line);
	json_put(&customer->out, slice_of(why));
	(void)buf_put(&customer->out, "}\n", 2);
}

/* Of what was taken, for who said it. */
static void
put_taken(struct frontier_client *customer, uint64_t lines, uint64_t bad)
{
	struct import_totals *totals = &customer->import->importer.totals;

	(void)buf_print(&customer->out,
	    "{\"v\":1,\"type\":\"taken\",\"lines\":%" PRIu64 ",\"bad\":%" PRIu64
	    ",\"new\":%" PRIu64 ",\"known\":%" PRIu64 ",\"history\":%" PRIu64
	    ",\"unlisted\":%" PRIu64 "}\n",
	    lines, bad, totals->added, totals->known, totals->history,
	    totals->unlisted);
	*totals = (struct import_totals){0};
	service_mark(customer->service);
}

static bool
is_over(const struct frontier_service *service, int64_t until_ms)
{
	return service_now_ms(service) >= until_ms;
}

static void
read_some(struct frontier_client *customer, int64_t until_ms)
{
	struct frontier_service *service = customer->service;
	struct customer_import *import = customer->import;
	struct slice text;

	while (!import_batch_is_full(import->batch)) {
		if (!next(customer, &text)) {
			import->stage = SEARCHES;
			return;
		}
		import_batch_put(import->batch, text, import->is_json,
		    service_now_s(service));
		if (is_over(service, until_ms))
			return;
	}
	import->stage = SEARCHES;
}

static void
take_some(struct frontier_client *customer, int64_t until_ms)
{
	struct frontier_service *service = customer->service;
	struct customer_import *import = customer->import;
	const struct import_row *row = NULL;
	uint64_t lines = 0, bad = 0;

	if (import_batch_is_stale(import->batch)) {
		import->stage = SEARCHES;
		return;
	}
	while (!is_over(service, until_ms)) {
		row = import_batch_next(import->batch);
		if (row == NULL)
			break;
		if (row->why != NULL)
			refuse(customer, row->why);
		else if (!row->is_blank)
			frontier_import(service->options.frontier,
			    &import->importer, row, service_now_s(service));
		bad += row->why != NULL;
		customer->line++;
		lines++;
	}
	if (row == NULL)
		import->stage = READS;
	if (lines > 0)
		put_taken(customer, lines, bad);
}

/* What was read goes when it is half of all. */
static void
drop_read(struct frontier_client *customer)
{
	if (customer->at * 2 < customer->in.len)
		return;
	customer->in.len -= customer->at;
	if (customer->in.len > 0)
		memmove(customer->in.p, customer->in.p + customer->at,
		    customer->in.len);
	customer->at = 0;
}

/* bite(customer): some of its lines; is there more? */
static bool
bite(struct frontier_client *customer)
{
	struct frontier_service *service = customer->service;
	struct customer_import *import = customer->import;
	int64_t until_ms = service_now_ms(service) + BITE_MS;
	bool is_more = true;

	while (is_more && !is_over(service, until_ms)) {
		if (import->stage == READS)
			read_some(customer, until_ms);
		else if (import->stage == TAKES)
			take_some(customer, until_ms);
		else if (!import_batch_search(import->batch))
			import->stage = TAKES;
		is_more = import->stage != READS ||
		    import_batch_count(import->batch) > 0 ||
		    customer->in.len > customer->at;
	}
	drop_read(customer);
	return is_more;
}

void
service_bite(void *arg)
{
	struct frontier_service *service = arg;
	bool is_more = false;

	for (struct frontier_client *c = service->customers; c != NULL;
	     c = c->next)
		if (c->kind == CUSTOMER_IMPORTS && !c->is_over)
			is_more |= bite(c);
	if (is_more)
		loop_timer_set(service->bite, 0);
}
