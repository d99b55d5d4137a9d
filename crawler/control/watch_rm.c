/* What 'rm' takes off the watch list: whole sites, or some of their targets. */
#include "crawler/control/watch_rm.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "crawler/cli/selection.h"
#include "crawler/control/network.h"
#include "crawler/control/watch_change.h"
#include "crawler/event/exit.h"
#include "store/watch.h"

/* What was typed of one site. */
struct typed {
	size_t targets; /* each once; not the bare host */
	size_t known; /* of these: targets of the site */
	bool has_host; /* or a URL that is no target */
	bool is_part; /* only these targets go */
};

struct choice {
	struct names hosts, targets;
	struct typed *typed; /* owned, by host */
	uint32_t *host_of; /* owned, by target */
	size_t count, cap, target_cap;
};

static void
take(struct choice *choice, struct slice host, struct slice target)
{
	uint32_t number = names_put(&choice->hosts, host);
	size_t before = choice->targets.count;

	if (number == choice->count) {
		choice->typed = mem_grow(choice->typed, &choice->cap,
		    ++choice->count, sizeof(*choice->typed));
		choice->typed[number] = (struct typed){0};
	}
	if (slice_equal(host, target)) {
		choice->typed[number].has_host = true;
		return;
	}
	if (names_put(&choice->targets, target) < before)
		return;
	choice->host_of = mem_grow(choice->host_of, &choice->target_cap,
	    before + 1, sizeof(*choice->host_of));
	choice->host_of[before] = number;
	choice->typed[number].targets++;
}

static void
on_watch(void *arg, const struct watch *watch)
{
	struct choice *choice = arg;
	uint32_t number = names_find(&choice->hosts, slice_of(watch->host));
	struct typed *typed;

	if (number == NAMES_NONE || !watch->is_watched)
		return;
	typed = &choice->typed[number];
	for (size_t i = 0; i < watch->targets.count; i++)
		typed->known += names_find(&choice->targets,
				    slice_of(watch->targets.items[i])) !=
		    NAMES_NONE;
	typed->is_part = !typed->has_host && typed->known == typed->targets &&
	    typed->known < watch->targets.count;
}

static int
look(const struct options *options, struct choice *choice)
{
	struct store *store = NULL;
	int status;

	/* Whoever typed no URL means sites. */
	if (choice->targets.count == 0)
		return EXIT_DONE;
	status = selection_open(options, &store);
	if (status != EXIT_DONE)
		return status;
	store_each_watch(store, on_watch, choice);
	return selection_close(store, EXIT_DONE);
}

/* say(choice, items): hosts in the order in which they were typed, each where
 * its first line was; targets at the end. */
static void
say(const struct choice *choice, struct strings *items)
{
	for (uint32_t i = 0; i < choice->hosts.count; i++)
		if (!choice->typed[i].is_part)
			strings_add(
			    items, slice_of(names_text(&choice->hosts, i)));
	for (uint32_t i = 0; i < choice->targets.count; i++) {
		const char *text = names_text(&choice->targets, i);

		if (choice->typed[choice->host_of[i]].is_part)
			strings_add(items, slice_of(text));
	}
}

int
watch_rm_items(const struct options *options, struct strings *items)
{
	struct choice choice = {0};
	int status;

	names_init(&choice.hosts, network_key());
	names_init(&choice.targets, network_key());
	for (size_t i = 0; i < options->args.count; i++) {
		struct strings forms = {0};

		/* all are right */
		(void)watch_item(options->args.items[i], WATCH_RM, &forms);
		(void)watch_item(options->args.items[i], WATCH_ADD, &forms);
		take(&choice, slice_of(forms.items[0]),
		    slice_of(forms.items[1]));
		strings_release(&forms);
	}
	status = look(options, &choice);
	if (status == EXIT_DONE)
		say(&choice, items);
	names_release(&choice.hosts);
	names_release(&choice.targets);
	free(choice.typed);
	free(choice.host_of);
	return status;
}
