/* What limits how often a page or a document is asked for. */
#include "crawler/inspect/explain_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/inspect/explain_due.h"

#define TAG_SHOWN 64

void
explain_round_text(
    struct buf *text, const struct frontier_round *round, bool of_pages)
{
	human_plural(text, round->requests, of_pages ? "page" : "document");
	(void)buf_print(text, " at %.3g s a request take ", round->each_s);
	human_span(text, frontier_round_s(round));
	(void)buf_print(text, ", and take turns");
}

/* The longest and shortest interval, and the key of the watch list that sets
 * them. */
static void
put_bounds(struct buf *text, const struct frontier_terms *it, bool is_page)
{
	if (it->least_s <= 0 && it->most_s <= 0)
		return;
	(void)buf_print(text, "; %s every ", is_page ? "fetched" : "read");
	watch_put_bounds(text, it->least_s, it->most_s);
	(void)buf_print(text, " (%s)", is_page ? "pages-every" : "every");
	if (frontier_round_is_late(&it->round)) {
		(void)buf_print(text, ", which cannot be kept: ");
		explain_round_text(text, &it->round, is_page);
	}
	if (it->readings_per_day > 0)
		(void)buf_print(text,
		    "; all documents of its site and robots.txt together "
		    "%.4g times a day at most, or five times for each change",
		    it->readings_per_day);
	/* the limit does not apply to first fetches */
	if (it->pages_per_day > 0 && it->is_page && isfinite(it->terms.days))
		(void)buf_print(text,
		    "; a site gets a request a day for each of its pages, "
		    "%.4g at most, and five more for each page that changed",
		    it->pages_per_day);
}

void
explain_limits_text(struct buf *text, const struct explain_due *due)
{
	const struct frontier_terms *it = &due->terms;
	if (it->delay_ms > 0)
		(void)buf_print(text, "; its host is asked every %.4g s",
		    (double)it->delay_ms / 1000);
	else
		(void)buf_print(text, "; its host wants no delay");
	if (it->host_leases > 0)
		(void)buf_print(text, ", %s of it out",
		    human_of(it->host_leases, "page").text);
	/* The budgets; the scarcest one makes the price. */
	for (size_t i = 0; i < due->budget_count; i++) {
		const struct explain_budget *budget = &due->budgets[i];

		(void)buf_print(text, "%s%.10g/h of ",
		    i > 0                       ? ", "
			: due->budget_count > 1 ? "; budgets "
						: "; budget ",
		    budget->per_hour);
		if (budget->tag != NULL) {
			(void)buf_print(text, "tag ");
			vis_put(text, slice_of(budget->tag), TAG_SHOWN);
		} else {
			(void)buf_print(text, "%s",
			    strcmp(budget->of, "total") == 0
				? "all (total-budget)"
				: "its site");
		}
	}

	put_bounds(text, &due->terms, due->document_id == 0);
}

void
explain_limits_json(struct buf *text, const struct explain_due *due)
{
	const struct frontier_terms *it = &due->terms;

	out_json_real(text, "delay_ms", (double)it->delay_ms);
	out_json_flag(text, "budgeted", it->is_budgeted);
	out_json_list(text, "budgets");
	for (size_t i = 0; i < due->budget_count; i++) {
		const struct explain_budget *budget = &due->budgets[i];

		out_json_begin(text, NULL);
		out_json_string(text, "of", budget->of);
		out_json_string(text, "tag", budget->tag);
		out_json_real(text, "requests_per_hour", budget->per_hour);
		out_json_end(text);
	}
	out_json_list_end(text);
	out_json_real(text, "least_s", (double)it->least_s);
	out_json_real(text, "most_s", (double)it->most_s);
	out_json_real(text, "round_s", frontier_round_s(&it->round));
	out_json_flag(text, "most_kept", !frontier_round_is_late(&it->round));
	out_json_real(text, "host_leases", it->host_leases);
}

void
explain_limits_budget(
    void *arg, const char *of, struct slice tag, double per_hour)
{
	struct explain_due *due = arg;

	due->budgets = mem_grow(due->budgets, &due->budget_cap,
	    due->budget_count + 1, sizeof(*due->budgets));
	due->budgets[due->budget_count++] = (struct explain_budget){.of = of,
	    .tag = tag.len > 0 ? slice_dup(tag) : NULL,
	    .per_hour = per_hour};
}

void
explain_limits_release(struct explain_due *due)
{
	for (size_t i = 0; i < due->budget_count; i++)
		free(due->budgets[i].tag);
	free(due->budgets);
	due->budgets = NULL;
	due->budget_count = due->budget_cap = 0;
}
