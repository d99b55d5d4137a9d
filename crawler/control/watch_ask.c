/* How a command changes the watch list. */
#include "crawler/control/watch_ask.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/control/network.h"
#include "crawler/control/store_access.h"
#include "crawler/control/store_request.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "store/store.h"
#include "store/watch.h"

#define PIECE 500 /* items in one transaction, which takes milliseconds */

struct watch_asking {
	const struct options *options;
	const struct watch_request *request;
	watch_changed_fn *changed;
	void *arg;
	struct watch_asked *asked;
	size_t at; /* the items before this one are done */
};

static void
report(struct watch_asking *ask, int64_t site_id, struct slice host,
    enum watch_change change)
{
	ask->asked->counts[change]++;
	ask->at++;
	ask->changed(ask->arg, site_id, host, change);
}

/* piece(ask): the next items, as many as one transaction takes; borrowed. */
static struct watch_request
piece(const struct watch_asking *ask)
{
	struct watch_request part = *ask->request;

	part.items.items += ask->at;
	part.items.count -= ask->at;
	part.items.cap = 0;
	if (part.items.count > PIECE)
		part.items.count = PIECE;
	return part;
}

/* In this process. */

struct kept_changes {
	struct strings hosts; /* owned */
	enum watch_change changes[PIECE];
	int64_t sites[PIECE];
};

static void
keep(void *arg, int64_t site_id, struct slice host, enum watch_change change)
{
	struct kept_changes *kept = arg;

	kept->changes[kept->hosts.count] = change;
	kept->sites[kept->hosts.count] = site_id;
	strings_add(&kept->hosts, host);
}

/* make_changes(ask, store): each piece is reported after its commit. */
static int
make_changes(struct watch_asking *ask, struct store *store)
{
	enum diag_code code = DIAG_OK;

	while (code == DIAG_OK && ask->at < ask->request->items.count) {
		struct watch_request part = piece(ask);
		struct kept_changes kept = {0};

		watch_change(store, &part, ask->options->now_s, keep, &kept);
		code = store_flush(store);
		for (size_t i = 0; code == DIAG_OK && i < kept.hosts.count; i++)
			report(ask, kept.sites[i],
			    slice_of(kept.hosts.items[i]), kept.changes[i]);
		strings_release(&kept.hosts);
	}
	return code == DIAG_OK ? EXIT_DONE : complain_of_store(store, code);
}

static int
ask_here(void *arg, struct buf *why)
{
	struct watch_asking *ask = arg;
	struct store_options how = {.path = ask->options->store.path,
	    .min_free_bytes = ask->options->limits.free_bytes};
	struct store *store = NULL;
	enum diag_code code;
	int status;

	if (ask->options->store.is_default &&
	    !options_make_folder(ask->options))
		return EXIT_USAGE;
	code = store_open(&how, &store, why);
	if (code == DIAG_STORE_LOCKED)
		return EXIT_LOCKED;
	if (code != DIAG_OK) {
		complain("%s: %s", diag_name(code), buf_str(why));
		return exit_of_store(code);
	}
	ask->asked->was_held = false;
	status = make_changes(ask, store);
	store_close(store);
	return status;
}

/* Through the owner of the store. */

static void
put_list(struct buf *out, const char *key, const struct strings *list)
{
	(void)buf_print(out, ",\"%s\":[", key);
	for (size_t i = 0; i < list->count; i++) {
		(void)buf_print(out, "%s", i == 0 ? "" : ",");
		json_put(out, slice_of(list->items[i]));
	}
	(void)buf_put_char(out, ']');
}

static void
put_request(struct buf *out, const struct watch_request *request)
{
	static const char *const verbs[] = {
	    "add", "rm", "set", "note", "unnote"};

	(void)buf_print(out,
	    "{\"v\":1,\"command\":\"watch\",\"version\":\"%s\",\"verb\":\"%s\"",
	    FRESHET_VERSION, verbs[request->verb]);
	put_list(out, "targets", &request->items);
	put_list(out, "settings", &request->settings);
	if (request->note_s != 0)
		(void)buf_print(out, ",\"at_s\":%" PRId64, request->note_s);
	if (request->note != NULL) {
		(void)buf_print(out, ",\"note\":");
		json_put(out, slice_of(request->note));
	}
	(void)buf_print(out, "}\n");
}

static enum watch_change
change_of(struct slice name)
{
	int change = 0;

	while (change < WATCH_BAD &&
	    !slice_is(name, watch_change_name((enum watch_change)change)))
		change++;
	return (enum watch_change)change;
}

static void
on_object(void *arg, const struct ndjson *object, struct slice line)
{
	struct watch_asking *ask = arg;

	(void)line;
	if (slice_is(ndjson_text(object, "type"), "site") &&
	    ask->at < ask->request->items.count)
		report(ask, 0, ndjson_text(object, "site"),
		    change_of(ndjson_text(object, "change")));
}

/* ask_piece(ask, patience_ms): send the next items to the owner; EXIT_LOCKED
 * when it did not answer. */
static int
ask_piece(struct watch_asking *ask, int64_t patience_ms)
{
	struct watch_request part = piece(ask);
	struct buf line;
	int status;

	buf_init(&line, SIZE_MAX);
	put_request(&line, &part);
	status = store_request_send(ask->options->store.path, buf_text(&line),
	    patience_ms, on_object, ask);
	buf_release(&line);
	return status;
}

static int
ask_there(void *arg, int64_t patience_ms, bool *has_answered)
{
	struct watch_asking *ask = arg;
	int status = EXIT_DONE;

	while (status == EXIT_DONE && ask->at < ask->request->items.count) {
		size_t before = ask->at;

		status = ask_piece(ask, patience_ms);
		*has_answered = *has_answered || ask->at > before;
		/* An owner that answers no item is not asked for ever. */
		if (status == EXIT_DONE && ask->at == before)
			status = EXIT_BUG;
	}
	ask->asked->was_held = true;
	return status;
}

int
watch_ask(const struct options *options, const struct watch_request *request,
    watch_changed_fn *changed, void *arg, struct watch_asked *asked)
{
	struct watch_asking ask = {options, request, changed, arg, asked, 0};
	struct store_access access = {ask_here, ask_there, &ask};

	*asked = (struct watch_asked){0};
	return store_access_run(&access);
}

/* What `rm` removes. */

/* The arguments that belong to one site. */
struct typed_site {
	size_t targets; /* different URLs, without the bare host */
	size_t known; /* URLs of these that are targets of the site */
	bool has_host; /* the bare host was typed */
	bool is_part; /* only these targets are removed */
};

struct rm_choice {
	struct names hosts, targets;
	struct typed_site *typed; /* owned, by host */
	uint32_t *host_of; /* owned, by target */
	size_t count, cap, target_cap;
};

static void
note_typed(struct rm_choice *choice, struct slice host, struct slice target)
{
	uint32_t number = names_put(&choice->hosts, host);
	size_t before = choice->targets.count;

	if (number == choice->count) {
		choice->typed = mem_grow(choice->typed, &choice->cap,
		    ++choice->count, sizeof(*choice->typed));
		choice->typed[number] = (struct typed_site){0};
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
	struct rm_choice *choice = arg;
	uint32_t number = names_find(&choice->hosts, slice_of(watch->host));
	struct typed_site *typed;

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
look_up(const struct options *options, struct rm_choice *choice)
{
	struct store *store = NULL;
	int status;

	/* Without a URL all arguments mean sites. */
	if (choice->targets.count == 0)
		return EXIT_DONE;
	status = selection_open(&options->store, &store);
	if (status != EXIT_DONE)
		return status;
	store_each_watch(store, on_watch, choice);
	return selection_close(store, EXIT_DONE);
}

/* put_items(choice, items): the hosts in the order in which they were first
 * typed, then the targets. */
static void
put_items(const struct rm_choice *choice, struct strings *items)
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
	struct rm_choice choice = {0};
	int status;

	names_init(&choice.hosts, network_key());
	names_init(&choice.targets, network_key());
	for (size_t i = 0; i < options->targets.args.count; i++) {
		struct strings forms = {0};

		/* The arguments were checked before. */
		(void)watch_item(
		    options->targets.args.items[i], WATCH_RM, &forms);
		(void)watch_item(
		    options->targets.args.items[i], WATCH_ADD, &forms);
		note_typed(&choice, slice_of(forms.items[0]),
		    slice_of(forms.items[1]));
		strings_release(&forms);
	}
	status = look_up(options, &choice);
	if (status == EXIT_DONE)
		put_items(&choice, items);
	names_release(&choice.hosts);
	names_release(&choice.targets);
	free(choice.typed);
	free(choice.host_of);
	return status;
}
