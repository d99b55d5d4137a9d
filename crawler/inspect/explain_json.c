/* What is known of a URL as a JSON object. */
#include "crawler/inspect/explain_json.h"

#include "base/out_json.h"
#include "base/vis.h"
#include "base/w3cdate.h"
#include "crawler/inspect/explain_due.h"
#include "crawler/inspect/explain_limits.h"
#include "crawler/inspect/ls_documents.h"
#include "store/lookup.h"

/* The member "due". */

void
explain_trust_json(struct buf *text, const struct scheduler_terms *terms)
{
	out_json_real(text, "precision", terms->precision);
	out_json_real(text, "recall", terms->recall);
	out_json_real(text, "mass_precision", terms->mass_precision);
	out_json_real(text, "checks", terms->checks);
	out_json_flag(text, "gated", terms->is_gated);
	out_json_flag(text, "believed", terms->is_believed);
	out_json_flag(text, "distrusted", terms->is_distrusted);
}

static void
json_due(struct buf *text, const struct explain_due *due, int64_t now_s)
{
	const struct frontier_terms *it = &due->terms;

	out_json_begin(text, NULL);
	out_json_string(
	    text, "of", due->document_id == 0 ? "page" : "document");
	out_json_string(text, "state", explain_due_state(due, now_s));
	out_json_flag(text, "promoted", it->is_page || due->document_id != 0);
	out_json_flag(text, "listed", it->is_listed || due->document_id != 0);
	out_json_flag(text, "watched", it->is_watched);
	out_json_time(text, "fetched", it->fetched_s);
	out_json_date(text, "lastmod", &due->lastmod);
	out_json_date(text, "lastmod_before", &due->before);
	out_json_time(
	    text, "lease_until", it->is_leased ? it->lease_until_s : 0);
	out_json_time(text, "held_until", it->held_until_s);
	out_json_flag(text, "held_with_pages", it->is_pages_hold);
	explain_limits_json(text, due);
	out_json_real(text, "robots_line", it->robots_line);
	out_json_number(text, "unpromoted", it->unpromoted);
	out_json_number(text, "site_unpromoted", it->site_unpromoted);
	const struct scheduler_terms *terms = &it->terms;
	out_json_time(text, "look_at", terms->due_s);
	out_json_real(text, "value", terms->value);
	out_json_real(text, "price", terms->price);
	out_json_real(text, "weight", terms->weight);
	out_json_real(text, "days", terms->days);
	out_json_real(text, "changes_per_day", terms->changes_per_day);
	out_json_real(text, "hazard", terms->hazard);
	out_json_real(text, "fresh", terms->fresh);
	out_json_real(text, "moves", terms->moves);
	out_json_real(text, "mass_moves", terms->mass);
	explain_trust_json(text, terms);
	out_json_flag(text, "overdue", terms->is_overdue);
	out_json_real(text, "failures", terms->failures);
	out_json_time(text, "not_before", terms->again_s);
	explain_last_json(text, &due->last);
	out_json_end(text);
}

#define WORD_MAX 65536

/* By enum explain_root. */
static const char *const root_names[] = {
    "nothing", "target", "robots-before", "place"};

static void
json_step(struct buf *out, const struct explain_step *step)
{
	out_json_begin(out, NULL);
	if (step->url == NULL) {
		out_json_flag(out, "named", true);
		out_json_string(out, "by", root_names[step->root]);
	} else if (step->line > 0) {
		out_json_string(out, "robots", step->url);
		out_json_number(out, "line", step->line);
	} else {
		out_json_string(out, "document", step->url);
		out_json_number(out, "reading", (uint64_t)step->reading_id);
	}
	out_json_end(out);
}

static void
json_place(struct buf *out, const struct explanation *to,
    const struct explain_place *place)
{
	static const char *const sorts[] = {
	    "accepted", "refused", "able", "unable"};
	struct buf why;

	buf_init(&why, WORD_MAX);
	explain_why(&why, place, &to->url);
	out_json_begin(out, NULL);
	out_json_string(out, "verdict", sorts[place->sort]);
	out_json_string(out, "document", place->document);
	out_json_string(out, "final_url", place->final);
	out_json_flag(out, "index", place->is_index);
	out_json_number(out, "reading", (uint64_t)place->reading_id);
	if (place->has_entry) {
		const struct entry *entry = &place->entry;
		out_json_number(out, "entry", (uint64_t)entry->ordinal + 1);
		out_json_date(out, "lastmod", &entry->lastmod);
		out_json_time(out, "first_seen", entry->first_seen_s);
		out_json_time(out, "redated", entry->redated_s);
		out_json_string(
		    out, "state", entry->missed > 0 ? "removed" : "listed");
	}
	if (place->sort != PLACE_LISTED)
		out_json_number(out, "line", place->line);
	if (place->sort == PLACE_REFUSED)
		out_json_time(out, "refused_since", place->since_s);
	out_json_code(out, "code",
	    place->sort == PLACE_REFUSED ? place->found : place->verdict.code);
	out_json_word(out, "why", buf_text(&why));
	out_json_string(out, "profile", place->profile);
	out_json_flag(out, "rules_known", place->is_known);
	out_json_flag(out, "accepted_now", place->today.is_accepted);
	out_json_code(out, "code_now", place->today.code);
	out_json_number(out, "refused_so", place->refused);
	out_json_list(out, "chains");
	for (size_t i = 0; i < place->chain_count; i++) {
		out_json_list(out, NULL);
		for (size_t k = 0; k < place->chains[i].count; k++) {
			json_step(out, &place->chains[i].steps[k]);
		}
		out_json_list_end(out);
	}
	out_json_list_end(out);
	out_json_end(out);
	buf_release(&why);
}

static void
json_robots(struct buf *out, const struct explain_robots *robots)
{
	struct slice text = slice_make(NULL, 0);

	if (!robots->is_known) {
		out_json_null(out, "robots");
		return;
	}
	if (robots->has_rules)
		text = slice_trim(
		    robots_line(buf_text(&robots->body), robots->verdict.line));
	out_json_begin(out, "robots");
	out_json_flag(out, "rules", robots->has_rules);
	out_json_number(out, "status", (uint64_t)robots->status);
	out_json_flag(out, "allowed",
	    !robots->is_closed &&
		(!robots->has_rules || robots->verdict.is_allowed));
	out_json_number(out, "line", robots->verdict.line);
	out_json_word(out, "text", text);
	out_json_end(out);
}

struct lines {
	struct store *store;
	struct out *out;
};

static bool
document_line(void *arg, const struct document_row *row)
{
	const struct lines *lines = arg;
	struct document parent = {0};

	if (row->first_parent_id != 0)
		(void)store_document_get(
		    lines->store, row->first_parent_id, &parent);
	ls_document_json(row, slice_of(parent.url), lines->out);
	document_release(&parent);
	return out_line(lines->out);
}

static void
json_gone(struct buf *text, const struct explanation *to)
{
	if (!to->is_gone) {
		out_json_null(text, "gone");
		return;
	}
	out_json_begin(text, "gone");
	out_json_string(text, "document", to->gone.document);
	out_json_time(text, "at", to->gone.at_s);
	out_json_number(text, "reading", (uint64_t)to->gone.reading_id);
	out_json_flag(text, "left", to->gone.is_left);
	out_json_end(text);
}

void
explain_json(const struct explanation *to, struct store *store, struct out *out)
{
	struct lines lines = {store, out};
	struct buf *text = &out->text;
	bool is_url = to->unusable == DIAG_OK;

	if (to->documents > 0)
		store_each_document_at(
		    store, url_text(&to->url), document_line, &lines);
	out_json_line(text, "explain");
	out_json_string(text, "asked", to->asked);
	out_json_word(
	    text, "url", is_url ? url_text(&to->url) : slice_make(NULL, 0));
	out_json_string(text, "verdict",
	    explanation_is_accepted(to)      ? "accepted"
		: explanation_is_refused(to) ? "refused"
					     : "unknown");
	out_json_code(text, "code", to->unusable);
	out_json_number(text, "documents", to->documents);
	out_json_number(text, "listed", to->totals[PLACE_LISTED]);
	out_json_number(text, "refused", to->totals[PLACE_REFUSED]);
	out_json_number(text, "able", to->totals[PLACE_ABLE]);
	out_json_number(text, "unable", to->totals[PLACE_UNABLE]);
	json_gone(text, to);
	out_json_list(text, "places");
	for (size_t i = 0; i < to->count; i++) {
		json_place(text, to, &to->places[i]);
	}
	out_json_list_end(text);
	json_robots(text, &to->robots);
	out_json_list(text, "due");
	for (size_t i = 0; i < to->dues.count; i++) {
		json_due(text, &to->dues.items[i], to->dues.now_s);
	}
	out_json_list_end(text);
	out_json_line_end(text);
	(void)out_line(out);
}
