/* One request to the owner of the store. */
#include "crawler/control/store_request.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buf.h"
#include "crawler/cli/out.h"
#include "crawler/control/control_socket.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

#define MAX_LINE_BYTES (64u << 20)

struct owner_answer {
	store_request_fn *fn;
	void *arg;
	int status;
};

/* Returns true when the line is the last one. */
static bool
take_line(struct owner_answer *answer, struct slice line)
{
	struct ndjson *object = ndjson_parse(line);
	struct slice type;
	bool is_end;

	if (object == NULL)
		return false;
	type = ndjson_text(object, "type");
	is_end = slice_is(type, "end");
	if (is_end) {
		answer->status = (int)ndjson_number(object, "exit", EXIT_BUG);
	} else if (slice_is(type, "said")) {
		struct slice text = ndjson_text(object, "text");

		complain("%.*s", (int)text.len, text.p);
	} else {
		answer->fn(answer->arg, object, line);
	}
	ndjson_free(object);
	return is_end;
}

static void
read_answer(struct owner_answer *answer, int fd)
{
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

			is_end = take_line(
			    answer, slice_make(in.p + from, len));
			from += len + 1;
		}
		in.len -= from;
		memmove(in.p, in.p + from, in.len);
	}
	buf_release(&in);
}

int
store_request_send(const char *store_path, struct slice line,
    int64_t patience_ms, store_request_fn *fn, void *arg)
{
	struct timeval patience = {
	    .tv_sec = patience_ms / 1000, .tv_usec = patience_ms % 1000 * 1000};
	struct owner_answer answer = {fn, arg, EXIT_LOCKED};
	int fd = control_connect(store_path);

	if (fd < 0)
		return EXIT_LOCKED;
	(void)setsockopt(
	    fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (control_put(fd, line, patience_ms))
		read_answer(&answer, fd);
	(void)close(fd);
	return answer.status;
}
