/* Explain: what the desk says of a URL. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/explain.h"
#include "crawler/selection.h"
#include "store/lookup.h"

struct asking {
	struct desk *desk;
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

	if (desk_document_terms(
		asking->desk, due.document_id, asking->to->now_s, &due.terms))
		add(asking->to, &due);
	return true;
}

void
explain_due_ask(struct desk *desk, struct store *store,
    struct explanation *explanation, int64_t now_s)
{
	struct asking asking = {desk, &explanation->dues};
	struct explain_due due = {0};

	asking.to->now_s = now_s;
	if (explanation->unusable != DIAG_OK)
		return;
	if (explanation->documents > 0)
		store_each_document_at(
		    store, url_text(&explanation->url), on_document, &asking);
	if (desk_page_terms(
		desk, url_text(&explanation->url), now_s, &due.terms))
		add(asking.to, &due);
}
