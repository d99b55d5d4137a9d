/* Changing the watch list: here, or through whoever holds the store. */
#include "crawler/control/watch_ask.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/control/control_socket.h"
#include "crawler/control/store_access.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "store/store.h"

#define PIECE 500 /* items in one transaction: some milliseconds */
#define MAX_LINE_BYTES (64u << 20)

struct ask {
	const struct options *options;
	const struct watch_request *request;
	watch_changed_fn *told;
	void *arg;
	struct watch_asked *asked;
	size_t at; /* items before it are done */
};

static void
tell(struct ask *ask, int64_t site_id, struct slice host,
    enum watch_change change)
{
	ask->asked->counts[change]++;
	ask->at++;
	ask->told(ask->arg, site_id, host, change);
}

/* piece(ask): the next items, borrowed; of as many as one transaction takes. */
static struct watch_request
piece(const struct ask *ask)
{
	struct watch_request part = *ask->request;

	part.items.items += ask->at;
	part.items.count -= ask->at;
	part.items.cap = 0;
	if (part.items.count > PIECE)
		part.items.count = PIECE;
	return part;
}

/* Here. */

struct kept {
	struct strings hosts; /* owned */
	enum watch_change changes[PIECE];
	int64_t sites[PIECE];
};

static void
keep(void *arg, int64_t site_id, struct slice host, enum watch_change change)
{
	struct kept *kept = arg;

	kept->changes[kept->hosts.count] = change;
	kept->sites[kept->hosts.count] = site_id;
	strings_add(&kept->hosts, host);
}

/* make(ask, store): what is told has been committed. */
static int
make(struct ask *ask, struct store *store)
{
	enum diag_code code = DIAG_OK;

	while (code == DIAG_OK && ask->at < ask->request->items.count) {
		struct watch_request part = piece(ask);
		struct kept kept = {0};

		watch_change(store, &part, ask->options->now_s, keep, &kept);
		code = store_flush(store);
		for (size_t i = 0; code == DIAG_OK && i < kept.hosts.count; i++)
			tell(ask, kept.sites[i], slice_of(kept.hosts.items[i]),
			    kept.changes[i]);
		strings_release(&kept.hosts);
	}
	return code == DIAG_OK ? EXIT_DONE : complain_of_store(store, code);
}

static int
ask_here(void *arg, struct buf *why)
{
	struct ask *ask = arg;
	struct store_options how = {.path = ask->options->store,
	    .min_free_bytes = ask->options->limits.free_bytes};
	struct store *store = NULL;
	enum diag_code code;
	int status;

	if (ask->options->is_default_store &&
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
	status = make(ask, store);
	store_close(store);
	return status;
}

/* There. */

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
	static const char *const verbs[] = {"add", "rm", "set"};

	(void)buf_print(out,
	    "{\"v\":1,\"command\":\"watch\",\"version\":\"%s\",\"verb\":\"%s\"",
	    FRESHET_VERSION, verbs[request->verb]);
	put_list(out, "targets", &request->items);
	put_list(out, "settings", &request->settings);
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

/* hear(ask, line, *status): true: it was the last one. */
static bool
hear(struct ask *ask, struct slice line, int *status)
{
	struct ndjson *object = ndjson_parse(line);
	struct slice type;
	bool is_end;

	if (object == NULL)
		return false;
	type = ndjson_text(object, "type");
	is_end = slice_is(type, "end");
	if (is_end)
		*status = (int)ndjson_number(object, "exit", EXIT_BUG);
	else if (slice_is(type, "said")) {
		struct slice text = ndjson_text(object, "text");

		complain("%.*s", (int)text.len, text.p);
	} else if (slice_is(type, "site") &&
	    ask->at < ask->request->items.count) {
		tell(ask, 0, ndjson_text(object, "site"),
		    change_of(ndjson_text(object, "change")));
	}
	ndjson_free(object);
	return is_end;
}

/* hear_all(ask, fd): the exit status; EXIT_LOCKED: it went away, or is silent.
 */
static int
hear_all(struct ask *ask, int fd)
{
	int status = EXIT_LOCKED;
	bool is_end = false;
	struct buf in;
	char bytes[65536];

	buf_init(&in, MAX_LINE_BYTES);
	while (!is_end) {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
		size_t from = 0;
		const char *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || !buf_put(&in, bytes, (size_t)n))
			break;
		while (!is_end &&
		    (end = memchr(in.p + from, '\n', in.len - from)) != NULL) {
			size_t len = (size_t)(end - (in.p + from));

			is_end = hear(
			    ask, slice_make(in.p + from, len), &status);
			from += len + 1;
		}
		in.len -= from;
		memmove(in.p, in.p + from, in.len);
	}
	buf_release(&in);
	return status;
}

/* ask_piece(ask, patience_ms): of the holder; EXIT_LOCKED: it did not answer.
 */
static int
ask_piece(struct ask *ask, int64_t patience_ms)
{
	struct timeval patience = {
	    .tv_sec = patience_ms / 1000, .tv_usec = patience_ms % 1000 * 1000};
	struct watch_request part = piece(ask);
	int fd = control_connect(ask->options->store);
	int status = EXIT_LOCKED;
	struct buf line;

	if (fd < 0)
		return EXIT_LOCKED;
	buf_init(&line, SIZE_MAX);
	put_request(&line, &part);
	(void)setsockopt(
	    fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (control_put(fd, buf_text(&line), patience_ms))
		status = hear_all(ask, fd);
	buf_release(&line);
	(void)close(fd);
	return status;
}

static int
ask_there(void *arg, int64_t patience_ms, bool *has_heard)
{
	struct ask *ask = arg;
	int status = EXIT_DONE;

	while (status == EXIT_DONE && ask->at < ask->request->items.count) {
		size_t before = ask->at;

		status = ask_piece(ask, patience_ms);
		*has_heard = *has_heard || ask->at > before;
		/* An end without answers would be asked for ever. */
		if (status == EXIT_DONE && ask->at == before)
			status = EXIT_BUG;
	}
	ask->asked->was_held = true;
	return status;
}

int
watch_ask(const struct options *options, const struct watch_request *request,
    watch_changed_fn *told, void *arg, struct watch_asked *asked)
{
	struct ask ask = {options, request, told, arg, asked, 0};
	struct store_access way = {ask_here, ask_there, &ask};

	*asked = (struct watch_asked){0};
	return store_access_run(&way);
}
