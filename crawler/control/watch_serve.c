/* How the owner of the store changes the watch list for other commands. */
#include "crawler/control/watch_serve.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/out.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/control/control.h"
#include "crawler/control/crawler.h"
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
watch_served_one(
    void *arg, int64_t site_id, struct slice host, enum watch_change change)
{
	struct watch_answer *answer = arg;

	out_json_line(&answer->text, "site");
	out_json_text(&answer->text, "site", host);
	out_json_string(&answer->text, "change", watch_change_name(change));
	out_json_line_end(&answer->text);
	/* Only these changes write the row of the site. */
	if (answer->is_note ||
	    (change > WATCH_CHANGED && change != WATCH_REMOVED))
		return;
	answer->sites = mem_grow(answer->sites, &answer->cap, answer->count + 1,
	    sizeof(*answer->sites));
	answer->sites[answer->count++] = site_id;
}

/* watch_take(request, to): read the request; false when no command of this
 * version sends such a one. */
static bool
watch_take(const struct ndjson *request, struct watch_request *to)
{
	struct slice command = ndjson_text(request, "command");

	while (!slice_is(command, watch_verb_name(to->verb)))
		to->verb++;
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
	/* Are the settings valid?  The command has checked them, but the sender
	 * may be hostile. */
	struct buf why;
	bool are_good = true;

	buf_init(&why, 1 << 12);
	for (size_t i = 0; are_good && i < to->settings.count; i++)
		are_good = watch_setting_check(to->settings.items[i], &why);
	buf_release(&why);
	return are_good;
}

struct control_client *
watch_serve(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct watch_answer answer = {0};
	struct watch_request wanted = {0};
	bool is_good;

	buf_init(&answer.text, SIZE_MAX);
	if (!watch_take(request, &wanted)) {
		control_end(peer, EXIT_USAGE,
		    slice_of("the process that holds the store does not know "
			     "what is asked of it"));
	} else {
		answer.is_note = wanted.verb == WATCH_NOTE ||
		    wanted.verb == WATCH_UNNOTE;
		watch_change(crawler->store, &wanted, loop_now_s(crawler->loop),
		    watch_served_one, &answer);
		is_good = crawler_commit(crawler, peer, buf_text(&answer.text),
		    EXIT_DONE, slice_of(""));
		for (size_t i = 0; is_good && i < answer.count; i++)
			crawler_watch_changed(crawler, answer.sites[i]);
	}
	buf_release(&answer.text);
	free(answer.sites);
	watch_request_release(&wanted);
	return NULL;
}
