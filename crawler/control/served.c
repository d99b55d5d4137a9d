/* What the driver of an owner does for clients: see served.h. */
#include "crawler/control/served.h"

#include <stdio.h>
#include <string.h>

#include "base/out_json.h"
#include "base/strings.h"
#include "base/vis.h"
#include "crawler/cli/options_same.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

void
served_add(
    struct served *served, struct served **list, struct control_peer *peer)
{
	served->list = list;
	served->peer = peer;
	served->next = *list;
	*list = served;
}

void
served_remove(struct served *served)
{
	struct served **at = served->list;

	while (*at != served)
		at = &(*at)->next;
	*at = served->next;
}

void
served_settle(struct served *list)
{
	for (; list != NULL; list = list->next)
		if (list->settle != NULL)
			list->settle(list);
}

bool
served_has_options(const struct options *options, uint64_t command,
    const struct ndjson *request, struct control_peer *peer)
{
	struct strings values = {0};
	size_t equal = 0;
	char why[256];
	bool has;

	/* the request lists its options in the order in which ours are */
	options_values(options, command, &values);
	while (equal < values.count &&
	    slice_is(
		ndjson_item(request, "options", equal), values.items[equal]))
		equal++;
	has = equal == values.count;
	if (has && ndjson_flag(request, "archived") &&
	    !options->fetch.archives_documents) {
		has = false;
		(void)snprintf(why, sizeof(why),
		    "the '%s' that holds this store has no '--warc-sitemaps'",
		    options->command);
		control_end(peer, EXIT_USAGE, slice_of(why));
	} else if (!has) {
		(void)snprintf(why, sizeof(why),
		    "the '%s' that holds this store has another '--%.*s'; it "
		    "takes further targets only with the options that it has",
		    options->command, (int)strcspn(values.items[equal], "="),
		    values.items[equal]);
		control_end(peer, EXIT_USAGE, slice_of(why));
	}
	strings_release(&values);
	return has;
}

void
served_say(struct served *served, struct buf *text, enum stream stream)
{
	struct vis_lines lines = {.is_inside = false};
	struct buf tame = BUF_UP_TO(SIZE_MAX), line = BUF_UP_TO(SIZE_MAX);

	if (text->len == 0)
		return;
	vis_put_lines(&tame, buf_text(text), &lines);
	out_json_line(&line, "said");
	out_json_number(&line, "stream", stream);
	out_json_text(&line, "text", buf_text(&tame));
	out_json_line_end(&line);
	control_send(served->peer, buf_text(&line));
	buf_release(&line);
	buf_release(&tame);
	buf_clear(text);
}
