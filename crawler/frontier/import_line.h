/* One line of what another crawler knows of URLs. */
#ifndef FRESHET_IMPORT_LINE_H
#define FRESHET_IMPORT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/url.h"
#include "base/w3cdate.h"

struct ndjson;

/* A URL takes 32 kB, what is said about it little. */
#define IMPORT_LINE_MAX (64 << 10)
/* What a weight may be at most. */
#define IMPORT_WEIGHT_MAX 1000000.0

struct import_line {
	struct url url; /* owned: normalised */
	struct ndjson *object; /* owned, or NULL: what the slices are of */
	bool has_weight;
	double weight;
	int64_t fetched_s; /* 0: it says nothing of a fetch */
	int status; /* 200 when it does not say */
	struct slice content_hash, etag, last_modified; /* empty: none */
	struct date lastmod;
};

/*
 * import_line_read(line, text, is_json, now_s): a URL, or an object with url
 * and, if they are known, weight, fetched (a date, or seconds since the
 * Epoch), status, content_hash, etag, last_modified and lastmod; null is as
 * good as nothing.  Other keys are left alone.
 *
 * NULL, or what is wrong with it, static: then it tells nothing.  Release the
 * line, which was zeroed before it was read first, in any case; it can be read
 * into again.
 */
const char *import_line_read(
    struct import_line *, struct slice text, bool is_json, int64_t now_s);
void import_line_release(struct import_line *);

#endif
