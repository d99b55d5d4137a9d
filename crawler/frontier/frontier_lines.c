/* Lines of JSON. */
#include "crawler/frontier/frontier_lines.h"

#include <assert.h>
#include <stdbool.h>

#include "base/out_json.h"
#include "base/url.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier.h"
#include "crawler/identity/identity.h"

void
frontier_line_page(struct buf *out, const struct frontier_page *page)
{
	out_json_line(out, NULL);
	out_json_word(out, "lease", slice_of(page->token));
	out_json_word(out, "url", page->url);
	out_json_word(out, "host", page->host);
	out_json_time(out, "due", page->due_s);
	out_json_key(out, "value");
	(void)buf_print(out, "%.4g", page->value);
	out_json_word(out, "why", slice_of(page->why));
	out_json_word(out, "site", page->site);
	out_json_strings(out, "tags", page->tags);
	out_json_word(out, "sitemap", page->sitemap);
	out_json_date(out, "lastmod", &page->lastmod);
	out_json_time(out, "first_seen", page->first_seen_s);
	out_json_number(out, "failures", page->failures);
	out_json_word(out, "etag", page->etag);
	out_json_word(out, "last_modified", page->last_modified);
	out_json_number(out, "delay_ms", (uint64_t)page->delay_ms);
	if (page->signature != NULL) {
		out_json_string(out, "signature_agent", page->signature->agent);
		out_json_string(out, "signature_input", page->signature->input);
		out_json_string(out, "signature", page->signature->value);
	}
	out_json_time(out, "lease_until", page->lease_until_s);
	purposes_json(out, page->purposes);
	out_json_line_end(out);
}

void
frontier_line_ack(struct buf *out, const struct frontier_reply *reply)
{
	static const char *const names[] = {"OK", "SKIPPED", "FAIL"};

	out_json_line(out, NULL);
	out_json_word(out, "lease", reply->lease);
	if (reply->url.len > 0)
		out_json_word(out, "url", reply->url);
	if (reply->line > 0)
		out_json_number(out, "line", reply->line);
	assert((size_t)reply->ack < LENGTH(names));
	out_json_word(out, "ack", slice_of(names[reply->ack]));
	if (reply->ack == FRONTIER_OK && reply->line > 0)
		out_json_time(out, "next_due", reply->next_due_s);
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
	out_json_time(out, "due", due_s);
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

bool
frontier_line_unknown(struct buf *out, struct frontier *f,
    const struct strings *sites, const struct strings *tags)
{
	static const char *const keys[] = {"site", "tag"};
	const struct strings *lists[] = {sites, tags};
	bool has_some = true;

	for (size_t k = 0; k < 2; k++) {
		size_t count = 0;

		for (size_t i = 0; i < lists[k]->count; i++) {
			struct slice item = slice_of(lists[k]->items[i]);

			if (k == 0 ? frontier_knows_site(f, item)
				   : frontier_knows_tag(f, item))
				continue;
			out_json_line(out, "unknown");
			out_json_text(out, keys[k], item);
			out_json_line_end(out);
			count++;
		}
		has_some = has_some && (count == 0 || count < lists[k]->count);
	}
	return has_some;
}

/* The result of one fetch, as a line of JSON. */

#define STATUS_MAX 999
#define VALIDATOR_MAX_BYTES 256 /* HOSTILE.md T35 */
#define RETRY_MAX_S (365 * 86400) /* the frontier believes less */

/* A line that is being read. */
struct reading_line {
	const struct ndjson *object;
	struct slice rest; /* of the line, behind the object */
	const char *wrong; /* the first thing that is wrong; NULL: none yet */
};

static void
line_refuse(struct reading_line *line, const char *reason)
{
	if (line->wrong == NULL)
		line->wrong = reason;
}

/* Read a number of at most nine digits; false: the text is anything else. */
static bool
digits(struct slice text, int64_t *n)
{
	uint64_t number;

	if (text.len >= 10 || !slice_number(text, &number))
		return false;
	*n = (int64_t)number;
	return true;
}

static struct slice
line_get_text(struct reading_line *line, const char *key, const char *reason)
{
	struct slice text = slice_make(NULL, 0);

	/* Most members are absent in most lines. */
	if (ndjson_type(line->object, key) == NDJSON_NONE)
		return text;
	text = ndjson_text(line->object, key);
	if (text.p == NULL)
		line_refuse(line, reason);
	return text;
}

/* Get a count; 0 if the member is absent, and at most max. */
static uint64_t
line_get_count(struct reading_line *line, const char *key, uint64_t max,
    const char *reason)
{
	double value;

	switch (ndjson_type(line->object, key)) {
	case NDJSON_NONE:
		return 0;
	case NDJSON_INTEGER:
	case NDJSON_REAL:
		break;
	case NDJSON_TEXT:
	case NDJSON_OTHER:
		line_refuse(line, reason);
		return 0;
	}
	value = ndjson_real(line->object, key);
	if (value < 0)
		line_refuse(line, reason);
	if (value < 0)
		return 0;
	return value >= (double)max ? max : (uint64_t)value;
}

static int64_t
get_at(struct reading_line *line)
{
	struct date date = {0};
	struct slice text;
	int64_t at_s;

	if (ndjson_type(line->object, "at") == NDJSON_NONE)
		return 0;
	text = ndjson_text(line->object, "at");
	at_s = ndjson_number(line->object, "at", 0);
	if (text.p != NULL && date_read(&date, text) &&
	    date.precision >= DATE_MINUTE)
		at_s = date.epoch_s;
	if (at_s <= 0 || at_s > DATE_BOUND_S)
		line_refuse(line, "bad-at");
	return at_s;
}

/* Get a Retry-After: seconds, or an HTTP-date (RFC 9110 10.2.3).  Another form
 * is the server's fault, not the fetcher's, and is ignored. */
static int64_t
get_retry(struct reading_line *line, int64_t now_s)
{
	struct slice text;
	int64_t retry_s;

	if (ndjson_type(line->object, "retry_after") == NDJSON_NONE)
		return 0;
	if (ndjson_type(line->object, "retry_after") == NDJSON_INTEGER)
		return (int64_t)line_get_count(
		    line, "retry_after", RETRY_MAX_S, "bad-retry_after");
	text = slice_trim(
	    line_get_text(line, "retry_after", "bad-retry_after"));
	if (!digits(text, &retry_s) && date_parse_http(&retry_s, text))
		retry_s -= now_s;
	else if (!digits(text, &retry_s))
		retry_s = 0;
	if (retry_s < 0)
		return 0;
	return retry_s > RETRY_MAX_S ? RETRY_MAX_S : retry_s;
}

static uint32_t
get_ms(struct reading_line *line)
{
	double seconds;

	if (ndjson_type(line->object, "ms") != NDJSON_NONE)
		return (uint32_t)line_get_count(
		    line, "ms", UINT32_MAX, "bad-ms");
	if (ndjson_type(line->object, "seconds") == NDJSON_NONE)
		return 0;
	(void)line_get_count(line, "seconds", UINT32_MAX, "bad-seconds");
	seconds = ndjson_real(line->object, "seconds");
	return seconds >= UINT32_MAX / 1000
	    ? UINT32_MAX
	    : (uint32_t)(seconds < 0 ? 0 : seconds * 1000);
}

/* Return the text if it is no longer than that and has no control characters,
 * and no character behind `last`. */
static struct slice
text_if_fit(struct slice text, size_t most, unsigned char last)
{
	bool is_fit = text.len <= most;

	for (size_t i = 0; i < text.len && is_fit; i++) {
		unsigned char c = (unsigned char)text.p[i];

		is_fit = c >= ' ' && c <= last && c != 0x7f;
	}
	return is_fit ? text : slice_make(NULL, 0);
}

const char *
result_line_parse(struct result_line *line, struct slice text, int64_t now_s)
{
	struct reading_line reading = {0};

	*line = (struct result_line){0};
	if (text.len > RESULT_MAX_BYTES)
		return "too-long";
	line->object = ndjson_parse(text, &reading.rest);
	if (line->object == NULL)
		return "not-json";
	reading.object = line->object;
	struct frontier_result *result = &line->result;

	result->token = line_get_text(&reading, "lease", "bad-lease");
	result->url = line_get_text(&reading, "url", "bad-url");
	if (ndjson_type(line->object, "status") == NDJSON_NONE)
		line_refuse(&reading,
		    result->token.len + result->url.len == 0 ? "nothing-named"
							     : "no-status");
	int64_t status = ndjson_number(line->object, "status", -1);

	if (ndjson_type(line->object, "status") == NDJSON_TEXT &&
	    !digits(ndjson_text(line->object, "status"), &status))
		status = -1;
	if (status < 0 || status > STATUS_MAX) {
		line_refuse(&reading, "bad-status");
		status = 0;
	}
	result->status = (int)status;
	result->content_hash = line_get_text(
	    &reading, "content_hash", "bad-content_hash");
	result->has_hash = result->content_hash.len > 0;
	/* A validator is sent back in a header; but a server may say anything,
	 * and a fetcher may report it. */
	result->etag = text_if_fit(line_get_text(&reading, "etag", "bad-etag"),
	    VALIDATOR_MAX_BYTES, '~');
	/* The Last-Modified is a member of the object, or the rest of the line
	 * behind the object. A fetcher that only fills in a template cannot
	 * escape the text of a server; behind the object that text cannot add a
	 * member. */
	struct slice modified = line_get_text(
	    &reading, "last_modified", "bad-last_modified");

	if (slice_is(ndjson_text(line->object, "rest"), "last_modified"))
		modified = slice_trim(reading.rest);
	else if (slice_trim(reading.rest).len > 0)
		line_refuse(&reading, "not-json");
	result->last_modified = text_if_fit(modified, VALIDATOR_MAX_BYTES, '~');
	result->location = text_if_fit(
	    line_get_text(&reading, "location", "bad-location"), URL_MAX_BYTES,
	    UINT8_MAX);
	result->bytes = line_get_count(
	    &reading, "bytes", INT64_MAX, "bad-bytes");
	result->ms = get_ms(&reading);
	enum ndjson_type type = ndjson_type(reading.object, "noindex");

	if (type != NDJSON_NONE && type != NDJSON_OTHER)
		line_refuse(&reading, "bad-noindex");
	result->is_noindex = type == NDJSON_OTHER &&
	    ndjson_flag(reading.object, "noindex");
	result->at_s = get_at(&reading);
	result->retry_after_s = get_retry(&reading, now_s);
	return reading.wrong;
}
