/* One line of what another crawler knows of a URL. */
#ifndef FRESHET_IMPORT_LINE_H
#define FRESHET_IMPORT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/url.h"
#include "base/w3cdate.h"

struct ndjson;

/* A URL takes up to 32 kB, and the other members of a line need little. */
#define IMPORT_LINE_MAX (64 << 10)
#define IMPORT_WEIGHT_MAX 1000000.0

struct import_line {
	struct url url; /* owned: normalised */
	struct ndjson *object; /* owned, or NULL: the slices borrow from it */
	bool has_weight;
	double weight;
	int64_t fetched_s; /* 0: no fetch */
	int status; /* 200: also if absent */
	struct slice content_hash, etag, last_modified; /* empty: none */
	struct date lastmod;
};

/*
 * import_line_read(line, text, is_json, now_s): read a URL, or an object with
 * url and, if they are known, weight, fetched (a date, or seconds since the
 * Epoch), status, content_hash, etag, last_modified and lastmod.  A member that
 * is null is absent; other members are ignored.
 *
 * Returns NULL, or what is wrong with the line, static.  The line is zeroed
 * before it is first read, may be read into again, and must be released in any
 * case.
 */
const char *import_line_read(
    struct import_line *, struct slice text, bool is_json, int64_t now_s);
void import_line_release(struct import_line *);

#endif
