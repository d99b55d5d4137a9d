/* A desk to look at. */
#include "crawler/watch_desk.h"

#include "crawler/crawl.h"

struct desk *
watch_desk(
    struct watch_rules *rules, const struct desk_only *only, int64_t now_s)
{
	struct desk_options options = {.store = watch_rules_store(rules),
	    .rules = watch_rules_of,
	    .rules_arg = rules,
	    .agent = "freshet",
	    .hash_key = crawl_key(),
	    .reads_documents = true,
	    .is_shown = true,
	    .only = only};

	return desk_new(&options, now_s);
}
