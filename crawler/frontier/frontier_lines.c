/* Lines of JSON. */
#include "crawler/frontier/frontier_lines.h"

#include <assert.h>
#include <inttypes.h>

#include "base/civil.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_lease.h"

static void
frontier_line_begin(struct buf *out, struct slice lease)
{
	out_json_line(out, NULL);
	out_json_word(out, "lease", lease);
}

void
frontier_line_time(struct buf *out, const char *key, int64_t at_s)
{
	out_json_key(out, key);
	if (at_s == FRONTIER_NEVER || !civil_is_writable(at_s)) {
		(void)buf_put(out, "null", 4);
		return;
	}
	(void)buf_put_char(out, '"');
	time_print(out, at_s);
	(void)buf_put_char(out, '"');
}

void
frontier_line_page(struct buf *out, const struct frontier_page *page)
{
	const struct strings *tags = page->tags;

	frontier_line_begin(out, slice_of(page->token));
	out_json_word(out, "url", page->url);
	out_json_word(out, "host", page->host);
	frontier_line_time(out, "due", page->due_s);
	out_json_key(out, "value");
	(void)buf_print(out, "%.4g", page->value);
	out_json_word(out, "why", slice_of(page->why));
	out_json_word(out, "site", page->site);
	out_json_list(out, "tags");
	for (size_t i = 0; i < tags->count; i++)
		out_json_text(out, NULL, slice_of(tags->items[i]));
	out_json_list_end(out);
	out_json_word(out, "sitemap", page->sitemap);
	out_json_date(out, "lastmod", &page->lastmod);
	frontier_line_time(out, "first_seen",
	    page->first_seen_s > 0 ? page->first_seen_s : FRONTIER_NEVER);
	out_json_number(out, "failures", page->failures);
	out_json_word(out, "etag", page->etag);
	out_json_word(out, "last_modified", page->last_modified);
	out_json_number(out, "delay_ms", (uint64_t)page->delay_ms);
	frontier_line_time(out, "lease_until", page->lease_until_s);
	out_json_line_end(out);
}

void
frontier_line_ack(struct buf *out, const struct frontier_reply *reply)
{
	static const char *const names[] = {"OK", "SKIPPED", "FAIL"};

	frontier_line_begin(out, reply->lease);
	if (reply->url.len > 0)
		out_json_word(out, "url", reply->url);
	if (reply->line > 0)
		out_json_number(out, "line", reply->line);
	assert((size_t)reply->ack < sizeof(names) / sizeof(names[0]));
	out_json_word(out, "ack", slice_of(names[reply->ack]));
	if (reply->ack == FRONTIER_OK && reply->line > 0)
		frontier_line_time(out, "next_due", reply->next_due_s);
	else if (reply->ack != FRONTIER_OK)
		out_json_word(out, "reason", slice_of(reply->reason));
	out_json_line_end(out);
}

void
frontier_line_more(struct buf *out, uint32_t pages, int64_t due_s,
    const struct frontier_spent *spent)
{
	out_json_line(out, "more");
	out_json_number(out, "pages", pages);
	frontier_line_time(out, "due", due_s);
	if (spent->of != NULL) {
		out_json_word(out, "spent", slice_of(spent->of));
		out_json_word(out, "name", spent->name);
		out_json_key(out, "rate");
		(void)buf_print(out, "\"%.10g/h\"", spent->per_hour);
	}
	if (spent->leases > 0)
		out_json_number(out, "leases", (int64_t)spent->leases);
	out_json_line_end(out);
}

void
frontier_line_total(struct buf *out, double per_hour)
{
	out_json_line(out, "total");
	if (per_hour > 0) {
		out_json_key(out, "rate");
		(void)buf_print(out, "\"%.10g/h\"", per_hour);
	}
	out_json_line_end(out);
}
