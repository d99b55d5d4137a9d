/* How the owner of the store changes the watch list for other commands. */
#include "crawler/control/watch_serve.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vis.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/control/control.h"
#include "crawler/control/watch_change.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

/* The answer, written after the commit. */
struct watch_answer {
	struct buf text;
	int64_t *sites; /* owned: the sites whose rows were written */
	size_t count;
	size_t cap;
	bool is_note; /* notes are in no row of a site */
};

static void
on_change(
    void *arg, int64_t site_id, struct slice host, enum watch_change change)
{
	struct watch_answer *answer = arg;

	(void)buf_print(&answer->text, "{\"v\":1,\"type\":\"site\",\"site\":");
	json_put(&answer->text, host);
	(void)buf_print(
	    &answer->text, ",\"change\":\"%s\"}\n", watch_change_name(change));
	/* Only these changes write the row of the site. */
	if (answer->is_note ||
	    (change > WATCH_CHANGED && change != WATCH_REMOVED))
		return;
	answer->sites = mem_grow(answer->sites, &answer->cap, answer->count + 1,
	    sizeof(*answer->sites));
	answer->sites[answer->count++] = site_id;
}

/* are_settings(settings): are the settings valid?  The command has checked
 * them, but the sender may be hostile. */
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

/* take(request, to): read the request; false when no command of this version
 * sends such a one. */
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
	else if (slice_is(verb, "note"))
		to->verb = WATCH_NOTE;
	else if (slice_is(verb, "unnote"))
		to->verb = WATCH_UNNOTE;
	else
		return false;
	to->note_s = ndjson_number(request, "at_s", 0);
	if (to->verb == WATCH_NOTE) {
		if (!watch_note_check(ndjson_text(request, "note")))
			return false;
		to->note = slice_dup(ndjson_text(request, "note"));
	}
	ndjson_strings(request, "targets", &to->items);
	ndjson_strings(request, "settings", &to->settings);
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

/* make(owner, peer, request): make the change and answer. */
static void
make(const struct watch_owner *owner, struct control_peer *peer,
    const struct watch_request *request)
{
	struct watch_answer answer = {.is_note = request->verb == WATCH_NOTE ||
		request->verb == WATCH_UNNOTE};

	buf_init(&answer.text, SIZE_MAX);
	watch_change(owner->store, request, owner->now_s, on_change, &answer);
	if (owner->commit(owner->arg)) {
		(void)buf_print(&answer.text,
		    "{\"v\":1,\"type\":\"end\",\"exit\":%d}\n", EXIT_DONE);
		control_send(peer, buf_text(&answer.text));
		for (size_t i = 0; owner->changed != NULL && i < answer.count;
		     i++)
			owner->changed(owner->arg, answer.sites[i]);
	}
	/* If the commit fails there is no answer, and the command sees the end
	 * of the connection. */
	control_end(peer);
	buf_release(&answer.text);
	free(answer.sites);
}

bool
watch_serve(const struct watch_owner *owner, struct control_peer *peer,
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
		make(owner, peer, &wanted);
	watch_request_release(&wanted);
	return true;
}
