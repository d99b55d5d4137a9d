/* Can the longest intervals of a watched site be kept? */
#include "crawler/inspect/list_rounds.h"

#include "base/out_json.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/inspect/explain_limits.h"

void
list_rounds_text(
    struct buf *out, struct frontier *frontier, int64_t site_id, int64_t now_s)
{
	struct frontier_round pages, documents;

	if (frontier == NULL ||
	    !frontier_site_rounds(frontier, site_id, now_s, &pages, &documents))
		return;
	if (frontier_round_is_late(&pages)) {
		(void)buf_print(out, ", which cannot be kept: ");
		explain_round_text(out, &pages, true);
	}
	if (frontier_round_is_late(&documents)) {
		(void)buf_print(out, "; documents cannot be read every ");
		watch_put_seconds(out, documents.most_s);
		(void)buf_print(out, ": ");
		explain_round_text(out, &documents, false);
	}
}

/* put_kept(out, key, round): NULL: nobody asked. */
static void
put_kept(struct buf *out, const char *key, const struct frontier_round *round)
{
	if (round != NULL) {
		out_json_flag(out, key, !frontier_round_is_late(round));
		return;
	}
	out_json_key(out, key);
	(void)buf_print(out, "null");
}

void
list_rounds_json(
    struct buf *out, struct frontier *frontier, int64_t site_id, int64_t now_s)
{
	struct frontier_round pages, documents;
	bool is_known = frontier != NULL &&
	    frontier_site_rounds(frontier, site_id, now_s, &pages, &documents);

	put_kept(out, "every_kept", is_known ? &documents : NULL);
	put_kept(out, "pages_every_kept", is_known ? &pages : NULL);
}
