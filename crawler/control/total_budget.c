/* The total budget that holds now. */
#include "crawler/control/total_budget.h"

#include "crawler/cli/options.h"
#include "crawler/control/store_client.h"
#include "crawler/event/ndjson.h"

/* Somebody is waiting for what `explain` prints. */
#define PATIENCE_MS 1000

/* The answer of an owner that keeps a total budget. */
struct owner_budget {
	struct buf *room; /* its rate; empty: it has none */
	bool is_known;
};

static void
on_budget(void *arg, struct slice line, const struct ndjson *object)
{
	struct owner_budget *budget = arg;

	(void)line;
	if (object == NULL ||
	    !slice_is(ndjson_text(object, "type"), TOTAL_BUDGET_REQUEST))
		return;
	budget->is_known = true;
	(void)buf_put_slice(budget->room, ndjson_text(object, "rate"));
}

const char *
total_budget(const struct options *options, struct buf *room)
{
	struct owner_budget budget = {.room = room};
	struct store_call call = {.command = TOTAL_BUDGET_REQUEST,
	    .line = on_budget,
	    .arg = &budget,
	    .never_owns = true,
	    .patience_ms = PATIENCE_MS};

	buf_clear(room);
	if (!options->frontier.is_total_typed)
		(void)store_call(options, &call);
	if (!budget.is_known)
		return options->frontier.total_budget;
	return room->len > 0 ? buf_str(room) : NULL;
}
