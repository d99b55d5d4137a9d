/* Making a frontier with the options of a command. */
#include "crawler/control/frontier_make.h"

#include "crawler/cli/watch_settings.h"
#include "crawler/control/network.h"

#define BURST_MS 300000 /* half of the lease that `due` asks for */

struct frontier *
frontier_to_lease(struct watch_rules *rules, const char *budget, int64_t now_s)
{
	struct frontier_options how = {.store = watch_rules_store(rules),
	    .rules = watch_rules_of,
	    .rules_arg = rules,
	    .hash_key = network_key(),
	    .burst_ms = BURST_MS};

	if (budget != NULL)
		(void)watch_value_budget(budget, &how.requests_per_hour);
	return frontier_new(&how, now_s);
}

struct frontier *
frontier_to_show(struct watch_rules *rules, const struct frontier_only *only,
    const char *budget, int64_t now_s)
{
	struct frontier_options options = {.store = watch_rules_store(rules),
	    .rules = watch_rules_of,
	    .rules_arg = rules,
	    .hash_key = network_key(),
	    .reads_documents = true,
	    .is_shown = true,
	    .only = only};

	if (budget != NULL)
		(void)watch_value_budget(budget, &options.requests_per_hour);
	return frontier_new(&options, now_s);
}
