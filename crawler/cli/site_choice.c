/* Which sites of the watch list a command means. */
#include "crawler/cli/site_choice.h"

#include "base/target.h"
#include "crawler/event/exit.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
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

static int
add_tagged(
    const struct options *options, struct store *store, struct strings *hosts)
{
	struct tagged tagged = {&options->watch.tags, hosts};
	size_t before = hosts->count;

	store_each_watch(store, add, &tagged);
	if (hosts->count > before)
		return EXIT_DONE;
	complain_tag(slice_of(options->watch.tags.items[0]));
	return EXIT_NO_TARGET;
}

int
sites_tagged(const struct options *options, struct strings *hosts)
{
	struct store *store = NULL;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	return selection_close(store, add_tagged(options, store, hosts));
}

int
choose_selection(const struct options *options, struct store *store,
    struct selection *selection)
{
	bool has_tag = options->watch.tags.count > 0;

	*selection = (struct selection){0};
	if (has_tag && options->args.count > 0) {
		complain("give a SITE or --tag, one of them");
		return EXIT_USAGE;
	}
	if (has_tag)
		return add_tagged(options, store, &selection->sites);
	if (options->args.count == 0)
		return EXIT_DONE;
	return selection_init(selection, store, options->args.items[0]);
}
