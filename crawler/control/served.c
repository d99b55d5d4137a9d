/* What the driver of an owner does for clients: see served.h. */
#include "crawler/control/served.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/strings.h"
#include "base/vis.h"
#include "crawler/cli/options_same.h"
#include "crawler/control/crawler.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

static void
served_on_line(struct control_client *client, struct slice line)
{
	struct served *served = (struct served *)client;
	struct ndjson *object = ndjson_parse(line, NULL);
	int64_t status = 0;

	if (object != NULL)
		status = ndjson_number(object, "stop", 0);
	ndjson_free(object);
	if (status > 0 && status < 256)
		served->kind->stop(served, (int)status);
}

static void
served_on_gone(struct control_client *client)
{
	struct served *served = (struct served *)client;

	served->kind->gone(served);
}

void
served_progress(struct served *served)
{
	struct buf line = BUF_UP_TO(SIZE_MAX);

	out_json_line(&line, "progress");
	served->kind->progress(served, &line);
	out_json_line_end(&line);
	control_send(served->peer, buf_text(&line));
	buf_release(&line);
}

static void
served_on_progress(void *arg)
{
	struct served *served = arg;

	served_progress(served);
	if (served->progress_ms > 0)
		loop_timer_set(served->progress, served->progress_ms);
}

/* Do the options of the request equal those of the owner, as far as that
 * command takes them?  If not, the peer is ended. */
static bool
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

bool
served_begin(struct served *served, const struct served_kind *kind,
    struct crawler *crawler, uint64_t command, struct control_peer *peer,
    const struct ndjson *request)
{
	if (crawler->has_no_driver)
		crawler->wanted(crawler->wanted_arg);
	if (crawler->has_no_driver ||
	    !served_has_options(crawler->options, command, request, peer))
		return false;
	*served = (struct served){
	    .client = {.line = served_on_line, .gone = served_on_gone},
	    .kind = kind,
	    .crawler = crawler,
	    .next = crawler->served,
	    .peer = peer,
	    .progress = loop_timer_new(
		crawler->loop, served_on_progress, served),
	    .progress_ms = ndjson_number(request, "progress_ms", 0),
	    .began_ms = loop_now_ms(crawler->loop),
	    .is_json = ndjson_flag(request, "json"),
	    .is_quiet = ndjson_flag(request, "quiet"),
	    .line = BUF_UP_TO(SIZE_MAX)};
	crawler->served = served;
	loop_timer_set(served->progress, 0);
	return true;
}

void
served_release(struct served *served)
{
	struct served **at = &served->crawler->served;

	while (*at != served)
		at = &(*at)->next;
	*at = served->next;
	loop_timer_free(served->progress);
	buf_release(&served->line);
}

void
served_settle(struct served *list)
{
	for (; list != NULL; list = list->next)
		if (list->kind->settle != NULL)
			list->kind->settle(list);
}

void
served_say(struct served *served, enum stream stream)
{
	struct vis_lines lines = {.is_inside = false};
	struct buf tame = BUF_UP_TO(SIZE_MAX), line = BUF_UP_TO(SIZE_MAX);

	if (served->line.len == 0)
		return;
	vis_put_lines(&tame, buf_text(&served->line), &lines);
	out_json_line(&line, "said");
	out_json_number(&line, "stream", stream);
	out_json_text(&line, "text", buf_text(&tame));
	out_json_line_end(&line);
	control_send(served->peer, buf_text(&line));
	buf_release(&line);
	buf_release(&tame);
	buf_clear(&served->line);
}

void
served_put_part(struct buf *out, uint64_t n, const char *what)
{
	if (n > 0)
		(void)buf_print(out, "   %s %s", human_of(n, NULL).text, what);
}
