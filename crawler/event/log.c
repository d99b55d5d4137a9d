/* What a daemon tells: its log, a line for each event, and messages to the
 * service manager. */
#include "crawler/event/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/vis.h"
#include "base/w3cdate.h"

#define LINE_BYTES 65536 /* of a line; more is cut */

void
log_init(struct log *log, enum log_mode mode, int fd)
{
	*log = (struct log){.fd = fd,
	    .is_json = mode == LOG_JSON ||
		(mode == LOG_AUTO && isatty(fd) == 0)};
	buf_init(&log->line, LINE_BYTES);
}

void
log_begin(struct log *log, int64_t now_s, const char *event)
{
	buf_clear(&log->line);
	if (log->is_json)
		(void)buf_print(
		    &log->line, "{\"v\":1,\"type\":\"log\",\"at\":\"");
	time_print(&log->line, now_s);
	(void)buf_print(
	    &log->line, log->is_json ? "\",\"event\":\"%s\"" : " %s", event);
	if (log->has_shard)
		log_number(log, "shard", log->shard);
}

void
log_text(struct log *log, const char *key, struct slice text)
{
	if (text.len == 0)
		return;
	if (text.len > LOG_TEXT_BYTES)
		text.len = LOG_TEXT_BYTES;
	(void)buf_print(&log->line, log->is_json ? ",\"%s\":" : " %s=", key);
	if (log->is_json)
		json_put(&log->line, text);
	else {
		/* Append one value. A backslash of the text is escaped
		 * like a quote, so that it cannot escape the quote that ends
		 * the value. The backslashes that vis_put() adds are not
		 * escaped again, because they begin escapes. */
		struct buf escaped = BUF_UP_TO(2 * LOG_TEXT_BYTES),
			   shown = BUF_UP_TO(LINE_BYTES);
		bool is_word;

		for (size_t i = 0; i < text.len; i++) {
			if (text.p[i] == '"' || text.p[i] == '\\')
				(void)buf_put_char(&escaped, '\\');
			(void)buf_put_char(&escaped, text.p[i]);
		}
		vis_put(&shown, buf_text(&escaped), LOG_TEXT_BYTES);
		/* Can the text stand without quotes? It must be ASCII, because
		 * some readers also split words at the blanks of Unicode. */
		is_word = slice_is_graphic(buf_text(&shown)) &&
		    strpbrk(buf_str(&shown), "\"\\") == NULL;
		(void)buf_print(
		    &log->line, is_word ? "%s" : "\"%s\"", buf_str(&shown));
		buf_release(&escaped);
		buf_release(&shown);
	}
}

void
log_number(struct log *log, const char *key, int64_t n)
{
	(void)buf_print(&log->line,
	    log->is_json ? ",\"%s\":%" PRId64 : " %s=%" PRId64, key, n);
}

void
log_time(struct log *log, const char *key, int64_t at_s)
{
	struct buf text = BUF_UP_TO(64);

	time_print(&text, at_s);
	log_text(log, key, buf_text(&text));
	buf_release(&text);
}

void
log_end(struct log *log)
{
	size_t at = 0;

	(void)buf_put_slice(&log->line, slice_of(log->is_json ? "}\n" : "\n"));
	while (at < log->line.len) {
		ssize_t n = write(
		    log->fd, log->line.p + at, log->line.len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		at += (size_t)n;
	}
}

/* Messages to the service manager. */

bool
notify_open(struct notify *notify, const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = path == NULL ? 0 : strlen(path);
	socklen_t size;
	int error;

	notify->fd = -1;
	if (len == 0)
		return true;
	errno = EINVAL;
	if ((path[0] != '/' && path[0] != '@') || len >= sizeof(to.sun_path))
		return false;
	memcpy(to.sun_path, path, len);
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	if (path[0] == '@')
		to.sun_path[0] = '\0'; /* size says where the name ends */
	else
		size++;
	notify->fd = socket(
	    AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (notify->fd < 0 ||
	    connect(notify->fd, (struct sockaddr *)&to, size) == 0)
		return notify->fd >= 0;
	/* The caller reports why connect() failed. */
	error = errno;
	(void)close(notify->fd);
	notify->fd = -1;
	errno = error;
	return false;
}

void
notify_say(const struct notify *notify, const char *state)
{
	if (notify->fd >= 0)
		(void)!send(notify->fd, state, strlen(state), MSG_NOSIGNAL);
}
