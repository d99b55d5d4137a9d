/* Which sites of the watch list a command means. */
#include "crawler/site_choice.h"

#include "crawler/exit.h"
#include "crawler/out.h"
#include "crawler/selection.h"
#include "crawler/target.h"
#include "store/watch.h"

bool
sites_of(const struct words *args, struct strings *hosts)
{
	for (size_t i = 0; i < args->count; i++) {
		struct target target;
		bool is_good = target_parse(&target,
				   slice_of(args->items[i])) == DIAG_OK;

		if (is_good)
			strings_add(hosts, url_host(&target.url));
		else
			complain(
			    "'%s' is neither a host nor a URL", args->items[i]);
		target_release(&target);
		if (!is_good)
			return false;
	}
	return true;
}

bool
watch_is_tagged(const struct watch *watch, const struct words *tags)
{
	for (size_t i = 0; i < tags->count; i++)
		if (strings_has(&watch->tags, slice_of(tags->items[i])))
			return true;
	return tags->count == 0;
}

struct tagged {
	const struct words *tags;
	struct strings *hosts;
};

static void
add(void *arg, const struct watch *watch)
{
	struct tagged *tagged = arg;

	if (watch->is_watched && watch_is_tagged(watch, tagged->tags))
		strings_add(tagged->hosts, slice_of(watch->host));
}

void
complain_tag(struct slice tag)
{
	complain("no site of the watch list has the tag '%.*s'", (int)tag.len,
	    tag.p);
}

int
sites_tagged(const struct options *options, struct strings *hosts)
{
	struct tagged tagged = {&options->watch.tags, hosts};
	struct store *store = NULL;
	size_t before = hosts->count;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	store_each_watch(store, add, &tagged);
	if (hosts->count > before)
		return selection_close(store, EXIT_DONE);
	complain_tag(slice_of(options->watch.tags.items[0]));
	return selection_close(store, EXIT_NO_TARGET);
}
