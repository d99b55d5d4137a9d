/* Explain: when a URL is due, for programs. */
#include "base/out_json.h"
#include "base/w3cdate.h"
#include "crawler/inspect/explain_due.h"
#include "crawler/inspect/explain_limits.h"
#include "crawler/inspect/explain_print.h"
#include "crawler/inspect/ls_documents.h"

static void
json_time(struct buf *text, const char *key, int64_t at_s)
{
	out_json_key(text, key);
	if (at_s == 0 || at_s == SCHEDULER_NO_DATE || at_s == SCHEDULER_NEVER) {
		(void)buf_print(text, "null");
		return;
	}
	(void)buf_put_char(text, '"');
	time_print(text, at_s);
	(void)buf_put_char(text, '"');
}

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
json_terms(struct buf *text, const struct scheduler_terms *terms)
{
	json_time(text, "look_at", terms->due_s);
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
	json_time(text, "not_before", terms->again_s);
}

static void
json_due(struct buf *text, const struct explain_due *due, int64_t now_s)
{
	const struct frontier_terms *it = &due->terms;

	(void)buf_put_char(text, '{');
	out_json_word(
	    text, "of", slice_of(due->document_id == 0 ? "page" : "document"));
	out_json_word(text, "state", slice_of(explain_due_state(due, now_s)));
	out_json_flag(text, "promoted", it->is_page || due->document_id != 0);
	out_json_flag(text, "listed", it->is_listed || due->document_id != 0);
	out_json_flag(text, "watched", it->is_watched);
	json_time(text, "fetched", it->fetched_s);
	ls_json_date(text, "lastmod", &due->lastmod);
	ls_json_date(text, "lastmod_before", &due->before);
	json_time(text, "lease_until", it->is_leased ? it->lease_until_s : 0);
	json_time(text, "held_until", it->held_until_s);
	out_json_flag(text, "held_with_pages", it->is_pages_hold);
	explain_limits_json(text, due);
	out_json_real(text, "robots_line", it->robots_line);
	out_json_number(text, "unpromoted", it->unpromoted);
	out_json_number(text, "site_unpromoted", it->site_unpromoted);
	json_terms(text, &it->terms);
	explain_last_json(text, &due->last);
	(void)buf_put_char(text, '}');
}

void
explain_due_json(struct buf *text, const struct explanation *to)
{
	out_json_key(text, "due");
	(void)buf_put_char(text, '[');
	for (size_t i = 0; i < to->dues.count; i++) {
		if (i > 0)
			(void)buf_put_char(text, ',');
		json_due(text, &to->dues.items[i], to->dues.now_s);
	}
	(void)buf_put_char(text, ']');
}
