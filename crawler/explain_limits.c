/* Explain: what limits how often it is asked for. */
#include "crawler/explain_limits.h"

#include "crawler/human.h"
#include "crawler/out_json.h"
#include "crawler/watch_value.h"

void
explain_round_text(
    struct buf *text, const struct desk_round *round, bool of_pages)
{
	human_plural(text, round->requests, of_pages ? "page" : "document");
	(void)buf_print(text, " at %.3g s a request take ", round->each_s);
	human_span(text, desk_round_s(round));
	(void)buf_print(text, ", and take turns");
}

static void
put_host(struct buf *text, const struct desk_terms *it)
{
	if (it->delay_ms > 0)
		(void)buf_print(text, "; its host is asked every %.4g s",
		    (double)it->delay_ms / 1000);
	else
		(void)buf_print(text, "; its host wants no delay");
	if (it->host_leases > 0) {
		(void)buf_print(text, ", ");
		human_plural(text, it->host_leases, "page");
		(void)buf_print(text, " of it out");
	}
}

/* put_bounds(text, terms, is_page): how often it is asked for, and by which
 * key of the watch list. */
static void
put_bounds(struct buf *text, const struct desk_terms *it, bool is_page)
{
	if (it->least_s <= 0 && it->most_s <= 0)
		return;
	(void)buf_print(text, "; %s every ", is_page ? "fetched" : "read");
	watch_put_bounds(text, it->least_s, it->most_s);
	(void)buf_print(text, " (%s)", is_page ? "pages-every" : "every");
	if (desk_round_is_late(&it->round)) {
		(void)buf_print(text, ", which cannot be kept: ");
		explain_round_text(text, &it->round, is_page);
	}
	if (it->readings_per_day > 0)
		(void)buf_print(text,
		    "; all documents of its site together %.4g times a day at "
		    "most, and five times for each change",
		    it->readings_per_day);
}

void
explain_limits_text(
    struct buf *text, const struct desk_terms *it, bool is_page)
{
	put_host(text, it);
	put_bounds(text, it, is_page);
}

void
explain_limits_json(struct buf *text, const struct desk_terms *it)
{
	out_json_real(text, "delay_ms", (double)it->delay_ms);
	out_json_flag(text, "budgeted", it->is_budgeted);
	out_json_real(text, "least_s", (double)it->least_s);
	out_json_real(text, "most_s", (double)it->most_s);
	out_json_real(text, "round_s", desk_round_s(&it->round));
	out_json_flag(text, "most_kept", !desk_round_is_late(&it->round));
	out_json_real(text, "host_leases", it->host_leases);
}
