/* A frontier to look at. */
#include "crawler/control/frontier_make.h"

#include "crawler/cli/watch_settings.h"
#include "crawler/control/network.h"

struct frontier *
frontier_to_show(struct watch_rules *rules, const struct frontier_only *only,
    const char *total_budget, int64_t now_s)
{
	struct frontier_options options = {.store = watch_rules_store(rules),
	    .rules = watch_rules_of,
	    .rules_arg = rules,
	    .agent = "freshet",
	    .hash_key = network_key(),
	    .reads_documents = true,
	    .is_shown = true,
	    .only = only};

	if (total_budget != NULL)
		(void)watch_value_budget(
		    total_budget, &options.requests_per_hour);
	return frontier_new(&options, now_s);
}
