/* Explain: what the frontier says of a URL. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/cli/selection.h"
#include "crawler/inspect/explain.h"
#include "crawler/inspect/explain_limits.h"
#include "store/lookup.h"
#include "store/since.h"

/* Whose changes are looked through for the date that a page had. */
#define MOST_READINGS 100

struct asking {
	struct frontier *frontier;
	struct explain_dues *to;
};

static void
add(struct explain_dues *to, const struct explain_due *due)
{
	to->items = mem_grow(
	    to->items, &to->cap, to->count + 1, sizeof(*to->items));
	to->items[to->count++] = *due;
}

static bool
on_document(void *arg, const struct document_row *row)
{
	struct asking *asking = arg;
	struct explain_due due = {.document_id = row->document.id,
	    .is_robots = selection_is_robots(row),
	    .has_dates = row->dated > 0};

	if (frontier_document_terms(asking->frontier, due.document_id,
		asking->to->now_s, &due.terms)) {
		frontier_each_budget(asking->frontier, due.terms.site_id,
		    explain_limits_budget, &due);
		explain_last_document(row, &due.last);
		add(asking->to, &due);
	}
	return true;
}

/* The dates of a page. */

struct finding_date {
	struct store *store;
	struct slice url;
	struct explain_due *due;
	unsigned looked; /* at so many readings */
};

static bool
on_change(void *arg, const struct change *change)
{
	struct finding_date *finding = arg;

	if (change->kind == DELTA_REDATED &&
	    slice_equal(change->url, finding->url))
		finding->due->before = change->before;
	return finding->due->before.precision == DATE_NONE;
}

static bool
on_reading(void *arg, const struct reading_row *reading)
{
	struct finding_date *finding = arg;

	if (reading->document_id != finding->due->terms.document_id ||
	    !reading->has_delta || reading->changes[DELTA_REDATED] == 0)
		return true;
	store_each_change(finding->store, reading->id, on_change, finding);
	return finding->due->before.precision == DATE_NONE &&
	    ++finding->looked < MOST_READINGS;
}

/* find_dates(store, explanation, due): which ones moved. */
static void
find_dates(struct store *store, const struct explanation *explanation,
    struct explain_due *due)
{
	const struct frontier_terms *terms = &due->terms;
	struct finding_date finding = {
	    .store = store, .url = url_text(&explanation->url), .due = due};

	if (terms->lastmod_s != SCHEDULER_NO_DATE)
		due->lastmod = (struct date){
		    .epoch_s = terms->lastmod_s, .precision = DATE_SECOND};
	for (size_t i = 0; i < explanation->count; i++) {
		const struct explain_place *place = &explanation->places[i];

		/* what is listed now, and as precisely as it is given */
		if (place->sort == PLACE_LISTED &&
		    place->document_id == terms->document_id)
			due->lastmod = place->entry.lastmod;
	}
	if (terms->terms.moves + terms->terms.mass > 0)
		store_each_site_reading(store, terms->site_id, terms->fetched_s,
		    on_reading, &finding);
}

void
explain_due_ask(struct frontier *frontier, struct store *store,
    struct explanation *explanation, int64_t now_s)
{
	struct asking asking = {frontier, &explanation->dues};
	struct explain_due due = {0};

	asking.to->now_s = now_s;
	if (explanation->unusable != DIAG_OK)
		return;
	if (explanation->documents > 0)
		store_each_document_at(
		    store, url_text(&explanation->url), on_document, &asking);
	if (frontier_page_terms(
		frontier, url_text(&explanation->url), now_s, &due.terms)) {
		find_dates(store, explanation, &due);
		explain_last_ask(store, url_text(&explanation->url), &due.last);
		frontier_each_budget(
		    frontier, due.terms.site_id, explain_limits_budget, &due);
		add(asking.to, &due);
	}
}
