/* The service of the desk: what another crawler knows, in bites, so that who
 * else wants the loop does not wait for a long list. */
#include "crawler/desk_service_import.h"

#include <inttypes.h>
#include <string.h>

#include "base/vis.h"
#include "crawler/desk_import.h"
#include "crawler/desk_service_internal.h"
#include "crawler/exit.h"

/* A bite is over after so long, or so many lines: a URL that a large sitemap
 * lists takes a quarter of a millisecond. */
#define BITE_MS 5
#define BITE_LINES 512
/* Who asks waits for answers before it says more than that. */
#define IN_MAX_BYTES ((size_t)16 << 20)

void
service_import(struct desk_customer *customer, struct slice text)
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
next(struct desk_customer *customer, struct slice *line)
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
refuse(struct desk_customer *customer, const char *why)
{
	(void)buf_print(&customer->out,
	    "{\"v\":1,\"type\":\"bad\",\"line\":%" PRIu64 ",\"why\":",
	    customer->line);
	json_put(&customer->out, slice_of(why));
	(void)buf_put(&customer->out, "}\n", 2);
}

/* take(customer, text, totals): false: it is bad. */
static bool
take(struct desk_customer *customer, struct slice text,
    struct import_totals *totals)
{
	struct desk_service *service = customer->service;
	const char *why;

	if (text.len > IMPORT_LINE_MAX) {
		refuse(customer, "is longer than 65,536 bytes");
		return false;
	}
	text = slice_trim(text);
	if (text.len == 0)
		return true;
	why = import_line_read(
	    customer->known, text, customer->is_json, service_now_s(service));
	if (why != NULL) {
		refuse(customer, why);
		return false;
	}
	desk_import(service->options.desk, customer->known,
	    service_now_s(service), totals);
	return true;
}

static void
put_taken(struct desk_customer *customer, uint64_t lines, uint64_t bad,
    const struct import_totals *totals)
{
	(void)buf_print(&customer->out,
	    "{\"v\":1,\"type\":\"taken\",\"lines\":%" PRIu64 ",\"bad\":%" PRIu64
	    ",\"new\":%" PRIu64 ",\"known\":%" PRIu64 ",\"history\":%" PRIu64
	    ",\"unlisted\":%" PRIu64 "}\n",
	    lines, bad, totals->added, totals->known, totals->history,
	    totals->unlisted);
	service_mark(customer->service);
}

/* bite(customer): some of its lines; is there more? */
static bool
bite(struct desk_customer *customer)
{
	struct desk_service *service = customer->service;
	int64_t until_ms = service_now_ms(service) + BITE_MS;
	struct import_totals totals = {0};
	uint64_t lines = 0, bad = 0;
	struct slice text;

	while (lines < BITE_LINES && service_now_ms(service) < until_ms &&
	    next(customer, &text)) {
		bad += !take(customer, text, &totals);
		customer->line++;
		lines++;
	}
	if (lines > 0)
		put_taken(customer, lines, bad, &totals);
	/* what was taken goes when it is half of all */
	if (customer->at * 2 >= customer->in.len) {
		customer->in.len -= customer->at;
		if (customer->in.len > 0)
			memmove(customer->in.p, customer->in.p + customer->at,
			    customer->in.len);
		customer->at = 0;
	}
	return customer->in.len > customer->at;
}

void
service_bite(void *arg)
{
	struct desk_service *service = arg;
	bool is_more = false;

	for (struct desk_customer *c = service->customers; c != NULL;
	     c = c->next)
		if (c->kind == CUSTOMER_IMPORTS && !c->is_over)
			is_more |= bite(c);
	if (is_more)
		loop_timer_set(service->bite, 0);
}
