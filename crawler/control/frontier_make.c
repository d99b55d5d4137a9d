/* Making a frontier that only shows what it believes. */
#include "crawler/control/frontier_make.h"

#include "crawler/cli/network.h"
#include "crawler/cli/options_value.h"
#include "crawler/control/status.h"
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

struct frontier *
frontier_to_show(struct watch_rules *rules, const struct frontier_only *only,
    const struct options *asking, int64_t now_s)
{
	struct frontier_options options = {.store = rules->store,
	    .rules = watch_rules_of,
	    .rules_arg = rules,
	    .hash_key = network_key(),
	    .reads_documents = true,
	    .is_shown = true,
	    .only = only};
	struct buf room = {0};
	struct owner_budget budget = {.room = &room};
	struct store_call call = {.command = TOTAL_BUDGET_REQUEST,
	    .line = on_budget,
	    .arg = &budget,
	    .never_owns = true,
	    .patience_ms = PATIENCE_MS};
	const char *rate = NULL;
	struct frontier *frontier;

	/* The budget of the command line, else the one that the owner of the
	 * store answers, which may have it from its own command line only, else
	 * the configured one. */
	if (asking != NULL && !asking->frontier.is_total_typed)
		(void)store_call(asking, &call);
	if (budget.is_known)
		rate = room.len > 0 ? buf_str(&room) : NULL;
	else if (asking != NULL)
		rate = asking->frontier.total_budget;
	if (rate != NULL)
		(void)value_amount(rate, true, &options.requests_per_hour);
	frontier = frontier_new(&options, now_s);
	buf_release(&room);
	return frontier;
}
