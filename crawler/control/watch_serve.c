/* Changes of the watch list that others ask for. */
#include "crawler/control/watch_serve.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vis.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/control/control.h"
#include "crawler/control/watch_change.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

/* Changes that are made, and what is said of them after the commit. */
struct answer {
	struct buf text;
	int64_t *sites; /* owned: whose rows were written */
	size_t count;
	size_t cap;
};

static void
on_change(
    void *arg, int64_t site_id, struct slice host, enum watch_change change)
{
	struct answer *answer = arg;

	(void)buf_print(&answer->text, "{\"v\":1,\"type\":\"site\",\"site\":");
	json_put(&answer->text, host);
	(void)buf_print(
	    &answer->text, ",\"change\":\"%s\"}\n", watch_change_name(change));
	if (change > WATCH_CHANGED && change != WATCH_REMOVED)
		return;
	answer->sites = mem_grow(answer->sites, &answer->cap, answer->count + 1,
	    sizeof(*answer->sites));
	answer->sites[answer->count++] = site_id;
}

static void
take_list(const struct ndjson *request, const char *key, struct strings *to)
{
	struct slice item;

	for (size_t i = 0; item = ndjson_item(request, key, i), item.p != NULL;
	     i++)
		strings_add(to, item);
}

/* are_settings(settings): whoever asks has looked at them, and may lie. */
static bool
are_settings(const struct strings *settings)
{
	struct buf why;
	bool are_good = true;

	buf_init(&why, 1 << 12);
	for (size_t i = 0; are_good && i < settings->count; i++)
		are_good = watch_setting_check(settings->items[i], &why);
	buf_release(&why);
	return are_good;
}

/* take(request, to): false: nobody of this version asks so. */
static bool
take(const struct ndjson *request, struct watch_request *to)
{
	struct slice verb = ndjson_text(request, "verb");

	if (slice_is(verb, "add"))
		to->verb = WATCH_ADD;
	else if (slice_is(verb, "rm"))
		to->verb = WATCH_RM;
	else if (slice_is(verb, "set"))
		to->verb = WATCH_SET;
	else
		return false;
	take_list(request, "targets", &to->items);
	take_list(request, "settings", &to->settings);
	for (size_t i = 0; i < to->items.count; i++)
		if (to->items.items[i][0] == '@' &&
		    !watch_is_tag(&to->settings))
			return false;
	return are_settings(&to->settings);
}

static void
refuse(struct control_peer *peer, const char *why)
{
	struct buf line;

	buf_init(&line, 1 << 12);
	(void)buf_print(&line,
	    "{\"v\":1,\"type\":\"said\",\"text\":\"%s\"}\n"
	    "{\"v\":1,\"type\":\"end\",\"exit\":%d}\n",
	    why, EXIT_USAGE);
	control_send(peer, buf_text(&line));
	control_end(peer);
	buf_release(&line);
}

static void
make(const struct watch_owner *host, struct control_peer *peer,
    const struct watch_request *request)
{
	struct answer answer = {0};

	buf_init(&answer.text, SIZE_MAX);
	watch_change(host->store, request, host->now_s, on_change, &answer);
	if (host->commit(host->arg)) {
		(void)buf_print(&answer.text,
		    "{\"v\":1,\"type\":\"end\",\"exit\":%d}\n", EXIT_DONE);
		control_send(peer, buf_text(&answer.text));
		for (size_t i = 0; host->changed != NULL && i < answer.count;
		     i++)
			host->changed(host->arg, answer.sites[i]);
	}
	/* Without a commit nothing is said: whoever asks finds out itself. */
	control_end(peer);
	buf_release(&answer.text);
	free(answer.sites);
}

bool
watch_serve(const struct watch_owner *host, struct control_peer *peer,
    const struct ndjson *request)
{
	struct watch_request wanted = {0};

	if (request == NULL ||
	    !slice_is(ndjson_text(request, "command"), "watch"))
		return false;
	if (!slice_is(ndjson_text(request, "version"), FRESHET_VERSION))
		refuse(peer, "another version of freshet holds the store");
	else if (!take(request, &wanted))
		refuse(peer,
		    "the process that holds the store does not know "
		    "what is asked of it");
	else
		make(host, peer, &wanted);
	watch_request_release(&wanted);
	return true;
}
