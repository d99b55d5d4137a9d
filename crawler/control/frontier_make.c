/* Making a frontier with the options of a command. */
#include "crawler/control/frontier_make.h"

#include "crawler/cli/watch_settings.h"
#include "crawler/control/network.h"

#define BURST_MS 300000 /* half of the lease that `due` asks for */

/* Make the frontier of the options, which lack what all have. */
static struct frontier *
frontier_make(struct frontier_options *options, struct watch_rules *rules,
    const char *budget, int64_t now_s)
{
	options->store = watch_rules_store(rules);
	options->rules = watch_rules_of;
	options->rules_arg = rules;
	options->hash_key = network_key();
	if (budget != NULL)
		(void)watch_value_budget(budget, &options->requests_per_hour);
	return frontier_new(options, now_s);
}

struct frontier *
frontier_to_lease(struct watch_rules *rules, const char *budget, int64_t now_s)
{
	struct frontier_options options = {.burst_ms = BURST_MS};

	return frontier_make(&options, rules, budget, now_s);
}

struct frontier *
frontier_to_show(struct watch_rules *rules, const struct frontier_only *only,
    const char *budget, int64_t now_s)
{
	struct frontier_options options = {
	    .reads_documents = true, .is_shown = true, .only = only};

	return frontier_make(&options, rules, budget, now_s);
}
