/* What fails at a site, since when and why. */
#include "crawler/cli/failing.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/human.h"
#include "base/vis.h"
#include "base/wall.h"
#include "base/zone.h"
#include "store/lookup.h"
#include "store/site.h"

#define TEXT_SHOWN 120

/* Append the reason.  A status says more than its code, and so does the text of
 * a request without answer; the other codes are words. */
static void
put_reason(struct buf *out, const struct failing *failing)
{
	static const char before[] = "robots.txt line ";
	static const char fetch[] = "fetch-";
	enum diag_code code = diag_find(failing->code);
	struct slice words = failing->code;

	if (failing->status >= 400) {
		(void)buf_print(out, "status %d", failing->status);
		return;
	}
	if (code == DIAG_FETCH_BLOCKED_BY_ROBOTS) {
		struct slice text = failing->text;
		const char *colon = NULL;

		/* the text is "robots.txt line 2: /private/", or says that the
		 * rules are too many */
		(void)buf_print(out, "robots.txt forbids it");
		if (slice_starts(text, slice_of(before))) {
			text = slice_from(text, sizeof(before) - 1);
			colon = memchr(text.p, ':', text.len);
		}
		if (colon == NULL)
			return;
		(void)buf_print(out, " (line %.*s: Disallow",
		    (int)(colon - text.p), text.p);
		(void)vis_put(out, slice_from(text, (size_t)(colon - text.p)),
		    TEXT_SHOWN);
		(void)buf_put_char(out, ')');
		return;
	}
	if (failing->text.len > 0 &&
	    (code == DIAG_FETCH_NETWORK_ERROR ||
		code == DIAG_ROBOTS_UNREACHABLE)) {
		(void)vis_put(out, failing->text, TEXT_SHOWN);
		return;
	}
	/* the code is a word for programs, and says of what it is made */
	if (code == DIAG_HTML_NOT_SITEMAP)
		words = slice_of("HTML and no sitemap");
	if (slice_starts(words, slice_of(fetch)))
		words = slice_from(words, sizeof(fetch) - 1);
	for (size_t i = 0; i < words.len; i++)
		(void)buf_put_char(out, words.p[i] == '-' ? ' ' : words.p[i]);
	if (words.len == 0)
		(void)buf_print(out, "it fails");
}

void
failing_text(struct buf *out, const struct failing *failing)
{
	put_reason(out, failing);
	if (failing->since_s > 0)
		(void)buf_print(out, " since %s",
		    zone_text(failing->since_s, ZONE_MOMENT).text);
	if (failing->tries > 0)
		(void)buf_print(out, " (%" PRIu64 " %s)", failing->tries,
		    failing->tries == 1 ? "try" : "tries");
}

struct reading_of {
	struct failing failing;
	struct buf text; /* of its finding */
};

/* The robots.txt that stands in the way of a document. */
struct robots_of {
	struct store *store;
	struct buf *out;
	const struct wall *wall;
	bool is_found;
};

/* An origin may have a robots.txt over http and over https: the first one that
 * fails is the reason. */
static bool
failing_on_robots(void *arg, const struct document_row *row)
{
	struct robots_of *of = arg;

	if (row->failure.len > 0) {
		(void)buf_print(of->out, "its robots.txt: ");
		of->wall = failing_row_text(of->out, of->store, row);
		of->is_found = true;
	}
	return !of->is_found;
}

/* Append why the robots.txt cannot be read without which the document may not
 * be, and set *wall.  False: nothing is known of that. */
static bool
put_robots_of(struct buf *out, struct store *store, const char *url,
    const struct wall **wall)
{
	const char *host = strstr(url, "://");
	const char *path = host == NULL ? NULL : strchr(host + 3, '/');
	struct robots_of of = {.store = store, .out = out};
	struct buf robots = {0};

	if (path == NULL || strcmp(path, "/robots.txt") == 0)
		return false;
	(void)buf_print(&robots, "%.*s/robots.txt", (int)(path - url), url);
	store_each_document(
	    store, DOCUMENTS_AT, buf_text(&robots), failing_on_robots, &of);
	buf_release(&robots);
	*wall = of.wall;
	return of.is_found;
}

/* The finding of the code that failed the document says in words what went
 * wrong, such as the answer of a name server. */
static void
failing_on_finding(void *arg, const struct finding_row *finding)
{
	struct reading_of *of = arg;

	if (slice_equal(finding->code, of->failing.code) && of->text.len == 0)
		(void)buf_put_slice(&of->text, finding->text);
}

const struct wall *
failing_row_text(
    struct buf *out, struct store *store, const struct document_row *row)
{
	const struct wall *wall;
	struct reading_of of = {.failing = {.code = row->failure,
				    .status = row->status,
				    .since_s = row->document.failing_since_s,
				    .tries = row->document.failures}};

	if (slice_is(row->failure, diag_name(DIAG_ROBOTS_UNREACHABLE)) &&
	    put_robots_of(out, store, row->document.url, &wall))
		return wall;
	if (of.failing.tries == 0)
		of.failing.since_s = store_not_tried_since(
		    store, &row->document, &of.failing.tries);
	store_each_finding(store, row->reading_id, failing_on_finding, &of);
	of.failing.text = buf_text(&of.text);
	failing_text(out, &of.failing);
	wall = wall_of(diag_find(row->failure), of.failing.text);
	buf_release(&of.text);
	return wall;
}

/* Append "1 of 3 sitemaps fails", behind a comma if something stands before. */
static void
failing_put_share(struct buf *out, size_t from, uint64_t failing, uint64_t all,
    const char *one, const char *many)
{
	if (failing == 0)
		return;
	(void)buf_print(out, "%s", out->len > from ? ", " : "");
	if (all == 1) {
		(void)buf_print(out, "its %s fails", one);
		return;
	}
	(void)buf_print(out, "%s of %s %s fail%s", human_of(failing, NULL).text,
	    human_of(all, NULL).text, many, failing == 1 ? "s" : "");
}

void
failing_site_text(struct buf *out, const struct site_totals *totals)
{
	size_t from = out->len;

	failing_put_share(out, from, totals->failing - totals->failing_indexes,
	    totals->documents - totals->indexes, "sitemap", "sitemaps");
	failing_put_share(out, from, totals->failing_indexes, totals->indexes,
	    "index", "indexes");
	if (totals->failing_robots == 0)
		return;
	(void)buf_print(out, "%s", out->len > from ? ", " : "");
	if (totals->failing_robots == 1)
		(void)buf_print(out, "its robots.txt fails");
	else
		(void)buf_print(
		    out, "%" PRIu64 " robots.txt fail", totals->failing_robots);
}
