/* One line of what another crawler knows of a URL. */
#include "crawler/frontier/import_line.h"

#include <math.h>

#include "crawler/event/ndjson.h"
#include "store/lookup.h"

#define FUTURE_S 300 /* the clocks of two machines differ by no more */
#define VALIDATOR_MAX 256 /* longer ones are not sent back */
#define HASH_MAX 1024

void
import_line_release(struct import_line *line)
{
	ndjson_free(line->object);
	url_release(&line->url);
	*line = (struct import_line){.status = 0};
}

static const char *
import_read_url(struct import_line *line, struct slice text)
{
	switch (raw_url_parse(&line->url, text, NULL)) {
	case DIAG_OK:
		return NULL;
	case DIAG_UNSUPPORTED_SCHEME:
		return "is neither http nor https";
	case DIAG_URL_TOO_LONG:
		return "is too long for a URL";
	case DIAG_URL_HAS_USERINFO:
		return "names a user";
	default:
		return "is no URL with a scheme and a host";
	}
}

/* Get a text; empty: the member is absent.  False: the member is no text. */
static bool
import_get_text(
    const struct ndjson *object, const char *key, struct slice *text)
{
	enum ndjson_type type = ndjson_type(object, key);

	*text = ndjson_text(object, key);
	return type == NDJSON_TEXT || type == NDJSON_NONE;
}

/* Get a number; *number stays if the member is absent.  False: it is no number.
 */
static bool
import_get_number(const struct ndjson *object, const char *key, double *number)
{
	enum ndjson_type type = ndjson_type(object, key);

	if (type == NDJSON_INTEGER || type == NDJSON_REAL)
		*number = ndjson_real(object, key);
	return type == NDJSON_INTEGER || type == NDJSON_REAL ||
	    type == NDJSON_NONE;
}

/* Get a time, from a date or seconds.  False: the member is neither. */
static bool
import_get_time(const struct ndjson *object, const char *key, int64_t *value)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct slice text;
	struct date date;
	double number = 0;

	*value = 0;
	if (import_get_number(object, key, &number)) {
		*value = number >= 0 && number < (double)DATE_BOUND_S
		    ? (int64_t)number
		    : -1;
		return *value >= 0;
	}
	if (!import_get_text(object, key, &text) ||
	    date_parse(&date, text, &profile, (struct diag_sink){0}) != DIAG_OK)
		return false;
	*value = date.epoch_s;
	return date.epoch_s >= 0;
}

/* May the text be sent in a header? */
static bool
is_sendable(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] < ' ' || text.p[i] > '~')
			return false;
	return text.len <= VALIDATOR_MAX;
}

static const char *
read_fetch(struct import_line *line, int64_t now_s)
{
	const struct ndjson *object = line->object;
	double status = 200;

	if (!import_get_time(object, "fetched", &line->fetched_s))
		return "has a 'fetched' that is no time";
	if (line->fetched_s > now_s + FUTURE_S)
		return "was fetched in the future";
	/* the other clock is ahead; time must not jump ahead here */
	if (line->fetched_s > now_s)
		line->fetched_s = now_s;
	if (!import_get_number(object, "status", &status) ||
	    !(status == 0 || (status >= 100 && status <= 599)) ||
	    status != floor(status))
		return "has a 'status' that is none";
	line->status = (int)status;
	if (!import_get_text(object, "content_hash", &line->content_hash) ||
	    line->content_hash.len > HASH_MAX)
		return "has a 'content_hash' that is no text, or too long";
	if (!import_get_text(object, "etag", &line->etag) ||
	    !import_get_text(object, "last_modified", &line->last_modified) ||
	    !is_sendable(line->etag) || !is_sendable(line->last_modified))
		return "has an 'etag' or a 'last_modified' that cannot be sent";
	if (line->fetched_s == 0 &&
	    line->content_hash.len + line->etag.len + line->last_modified.len >
		0)
		return "does not say when it was 'fetched'";
	return NULL;
}

const char *
import_line_read(
    struct import_line *line, struct slice text, bool is_json, int64_t now_s)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	const char *why;
	struct slice url;

	import_line_release(line);
	url_init(&line->url);
	if (!is_json)
		return import_read_url(line, text);
	line->object = ndjson_parse(text);
	if (line->object == NULL)
		return "is no JSON object";
	if (!import_get_text(line->object, "url", &url) || url.len == 0)
		return "has no 'url'";
	why = import_read_url(line, url);
	if (why != NULL)
		return why;
	line->weight = NAN;
	if (!import_get_number(line->object, "weight", &line->weight))
		return "has a 'weight' that is no number";
	line->has_weight = !isnan(line->weight);
	if (line->has_weight &&
	    !(line->weight > 0 && line->weight <= IMPORT_WEIGHT_MAX))
		return "has a 'weight' that is not above 0, or too large";
	why = read_fetch(line, now_s);
	if (why != NULL)
		return why;
	if (!import_get_text(line->object, "lastmod", &text) ||
	    (text.len > 0 &&
		date_parse(&line->lastmod, text, &profile,
		    (struct diag_sink){0}) != DIAG_OK))
		return "has a 'lastmod' that is no date";
	return NULL;
}
