/* What fails at a site, since when and why. */
#include "crawler/cli/failing.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/human.h"
#include "base/vis.h"
#include "base/zone.h"
#include "store/query.h"
#include "store/site.h"

#define TEXT_SHOWN 120

/* Append the reason.  A status says more than its code, and so does the text of
 * a request without answer; the other codes are words. */
static void
put_reason(struct buf *out, const struct failing *failing)
{
	static const char fetch[] = "fetch-";
	enum diag_code code = diag_find(failing->code);
	struct slice words = failing->code;

	if (failing->status >= 400) {
		(void)buf_print(out, "status %d", failing->status);
		return;
	}
	if (failing->text.len > 0 &&
	    (code == DIAG_FETCH_NETWORK_ERROR ||
		code == DIAG_ROBOTS_UNREACHABLE)) {
		(void)vis_put(out, failing->text, TEXT_SHOWN);
		return;
	}
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
	if (failing->since_s > 0) {
		(void)buf_print(out, " since ");
		zone_moment(out, failing->since_s);
	}
	if (failing->tries > 0)
		(void)buf_print(out, " (%" PRIu64 " %s)", failing->tries,
		    failing->tries == 1 ? "try" : "tries");
}

struct reading_of {
	struct failing failing;
	struct buf text; /* of its finding */
};

static void
on_finding(void *arg, const struct finding_row *finding)
{
	struct reading_of *of = arg;

	if (slice_equal(finding->code, of->failing.code) && of->text.len == 0)
		(void)buf_put_slice(&of->text, finding->text);
}

void
failing_row_text(
    struct buf *out, struct store *store, const struct document_row *row)
{
	struct reading_of of = {.failing = {.code = row->failure,
				    .status = row->status,
				    .since_s = row->document.failing_since_s,
				    .tries = row->document.failures}};

	buf_init(&of.text, SIZE_MAX);
	store_each_finding(store, row->reading_id, on_finding, &of);
	of.failing.text = buf_text(&of.text);
	failing_text(out, &of.failing);
	buf_release(&of.text);
}

/* Append "1 of 3 sitemaps fails", behind a comma if something stands before. */
static void
put_share(struct buf *out, size_t from, uint64_t failing, uint64_t all,
    const char *one, const char *many)
{
	if (failing == 0)
		return;
	(void)buf_print(out, "%s", out->len > from ? ", " : "");
	if (all == 1) {
		(void)buf_print(out, "its %s fails", one);
		return;
	}
	human_count(out, failing);
	(void)buf_print(out, " of ");
	human_count(out, all);
	(void)buf_print(out, " %s fail%s", many, failing == 1 ? "s" : "");
}

void
failing_site_text(struct buf *out, const struct site_totals *totals)
{
	size_t from = out->len;

	put_share(out, from, totals->failing - totals->failing_indexes,
	    totals->documents - totals->indexes, "sitemap", "sitemaps");
	put_share(out, from, totals->failing_indexes, totals->indexes, "index",
	    "indexes");
	if (totals->failing_robots == 0)
		return;
	(void)buf_print(out, "%s", out->len > from ? ", " : "");
	if (totals->failing_robots == 1)
		(void)buf_print(out, "its robots.txt fails");
	else
		(void)buf_print(
		    out, "%" PRIu64 " robots.txt fail", totals->failing_robots);
}
