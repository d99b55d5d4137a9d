/* The total budget that holds now. */
#include "crawler/control/total_budget.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/out_json.h"
#include "crawler/cli/options.h"
#include "crawler/control/control.h"
#include "crawler/control/control_socket.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

#define REQUEST "total-budget"
/* Somebody is waiting for what `explain` prints. */
#define PATIENCE_MS 1000

static bool
keeps_one(const struct options *options)
{
	return strcmp(options->command, "run") == 0 ||
	    strcmp(options->command, "due") == 0;
}

bool
total_budget_serve(const struct options *options, struct control_peer *peer,
    const struct ndjson *request)
{
	struct buf text;

	if (request == NULL ||
	    !slice_is(ndjson_text(request, "command"), REQUEST))
		return false;
	buf_init(&text, TOTAL_BUDGET_MAX);
	if (keeps_one(options) &&
	    slice_is(ndjson_text(request, "version"), FRESHET_VERSION)) {
		(void)buf_print(&text, "{\"v\":1,\"type\":\"" REQUEST "\"");
		out_json_word(
		    &text, "rate", slice_of(options->frontier.total_budget));
		(void)buf_print(&text, "}\n");
	}
	(void)buf_print(
	    &text, "{\"v\":1,\"type\":\"end\",\"exit\":%d}\n", EXIT_DONE);
	control_send(peer, buf_text(&text));
	control_end(peer);
	buf_release(&text);
	return true;
}

/* take(line, room): copy the rate to room; false when the line is no answer. */
static bool
take(struct slice line, struct buf *room)
{
	struct ndjson *object = ndjson_parse(line);
	bool is_it;

	if (object == NULL)
		return false;
	is_it = slice_is(ndjson_text(object, "type"), REQUEST);
	if (is_it)
		(void)buf_put_slice(room, ndjson_text(object, "rate"));
	ndjson_free(object);
	return is_it;
}

/* read_answer(fd, room): the first line has the rate, or the owner keeps no
 * total budget. */
static bool
read_answer(int fd, struct buf *room)
{
	char bytes[TOTAL_BUDGET_MAX];
	size_t len = 0;
	const char *end = NULL;

	while (end == NULL && len < sizeof(bytes)) {
		ssize_t n = recv(fd, bytes + len, sizeof(bytes) - len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		len += (size_t)n;
		end = memchr(bytes, '\n', len);
	}
	return end != NULL &&
	    take(slice_make(bytes, (size_t)(end - bytes)), room);
}

static bool
ask(const char *store_path, struct buf *room)
{
	static const char line[] = "{\"v\":1,\"command\":\"" REQUEST
				   "\",\"version\":\"" FRESHET_VERSION "\"}\n";
	int fd = control_connect(store_path);
	bool has_answer;

	if (fd < 0)
		return false;
	control_be_patient(fd, PATIENCE_MS);
	has_answer = control_put(fd, slice_of(line), PATIENCE_MS) &&
	    read_answer(fd, room);
	(void)close(fd);
	return has_answer;
}

const char *
total_budget(const struct options *options, struct buf *room)
{
	buf_clear(room);
	if (options->frontier.is_total_typed || !ask(options->store.path, room))
		return options->frontier.total_budget;
	return room->len > 0 ? buf_str(room) : NULL;
}
