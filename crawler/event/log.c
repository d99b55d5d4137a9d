/* The log of a daemon, a line for each event. */
#include "crawler/event/log.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
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
log_release(struct log *log)
{
	buf_release(&log->line);
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
}

static void
put_key(struct log *log, const char *key)
{
	(void)buf_print(&log->line, log->is_json ? ",\"%s\":" : " %s=", key);
}

/* is_word(text): can the text stand without quotes? It must be ASCII, because
 * some readers also split words at the blanks of Unicode. */
static bool
is_word(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] <= ' ' || text.p[i] > '~' || text.p[i] == '"' ||
		    text.p[i] == '\\')
			return false;
	return true;
}

void
log_text(struct log *log, const char *key, struct slice text)
{
	if (text.len == 0)
		return;
	if (text.len > LOG_TEXT_BYTES)
		text.len = LOG_TEXT_BYTES;
	put_key(log, key);
	if (log->is_json)
		json_put(&log->line, text);
	else {
		/* Append one value. A backslash of the text is escaped
		 * like a quote, so that it cannot escape the quote that ends
		 * the value. The backslashes that vis_put() adds are not
		 * escaped again, because they begin escapes. */
		struct buf *out = &log->line;
		struct buf escaped, shown;

		buf_init(&escaped, 2 * LOG_TEXT_BYTES);
		for (size_t i = 0; i < text.len; i++) {
			if (text.p[i] == '"' || text.p[i] == '\\')
				(void)buf_put_char(&escaped, '\\');
			(void)buf_put_char(&escaped, text.p[i]);
		}
		buf_init(&shown, LINE_BYTES);
		vis_put(&shown, buf_text(&escaped), LOG_TEXT_BYTES);
		if (is_word(buf_text(&shown))) {
			(void)buf_put_slice(out, buf_text(&shown));
		} else {
			(void)buf_put_char(out, '"');
			(void)buf_put_slice(out, buf_text(&shown));
			(void)buf_put_char(out, '"');
		}
		buf_release(&escaped);
		buf_release(&shown);
	}
}

void
log_number(struct log *log, const char *key, int64_t n)
{
	put_key(log, key);
	(void)buf_print(&log->line, "%" PRId64, n);
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
