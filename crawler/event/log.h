/*
 * The log of a daemon: a line for each event, on stderr.  Text:
 * "2026-11-21T20:10:02Z read url=http://… added=3"; JSON: one object,
 * {"v":1,"type":"log","at":…,"event":"read","url":…}.
 */
#ifndef FRESHET_LOG_H
#define FRESHET_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

enum log_mode { LOG_AUTO, LOG_TEXT, LOG_JSON };

/* A zeroed log writes nothing. */
struct log {
	struct buf line; /* between log_begin and log_end */
	int fd; /* borrowed */
	bool is_json;
	bool has_shard; /* each line has the number */
	unsigned shard;
};

/* log_init(log, mode, fd): LOG_AUTO is text on a terminal, JSON elsewhere. The
 * caller releases `line`. */
void log_init(struct log *, enum log_mode, int fd);

/*
 * log_begin(log, now_s, event): begin a line; event and keys are plain words of
 * the program.
 * log_text(log, key, text), log_number(log, key, n), log_time(log, key, at_s):
 * add a value.  Foreign text
 * is escaped, and cut after LOG_TEXT_BYTES; an empty text is left out.  In text
 * mode a value that is no plain word stands in quotes, with \" \\ and \xNN.
 * log_end(log): write the line.  A line that cannot be written is lost.
 */
#define LOG_TEXT_BYTES 2000
void log_begin(struct log *, int64_t now_s, const char *event);
void log_text(struct log *, const char *key, struct slice text);
void log_number(struct log *, const char *key, int64_t n);
void log_time(struct log *, const char *key, int64_t at_s);
void log_end(struct log *);

/* Messages to the service manager: sd_notify(3), without its library. */
struct notify {
	int fd; /* owned; -1: no service manager listens */
};

/* notify_open(notify, socket): socket is the value of NOTIFY_SOCKET: a path, or
 * '@' and an abstract name; NULL or empty when no service manager listens.
 * False, with errno and fd -1, when the named socket cannot be used. */
bool notify_open(struct notify *, const char *socket);

/* notify_say(notify, state): send lines such as "READY=1"; they are lost if the
 * service manager does not receive them. */
void notify_say(const struct notify *, const char *state);

#endif
