/*
 * The log of a daemon: a line for each event, on stderr.  Text:
 * "2026-11-21T20:10:02Z read url=http://… added=3"; JSON: one object,
 * {"v":1,"type":"log","at":…,"event":"read","url":…}.
 */
#ifndef FRESHET_LOG_H
#define FRESHET_LOG_H

#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

enum log_mode { LOG_AUTO, LOG_TEXT, LOG_JSON };

/* A zeroed log writes nothing. */
struct log {
	struct buf line; /* between log_begin and log_end */
	int fd; /* borrowed */
	bool is_json;
};

/* log_init(log, mode, fd): LOG_AUTO is text on a terminal, JSON elsewhere. */
void log_init(struct log *, enum log_mode, int fd);
void log_release(struct log *);

/*
 * log_begin(log, now_s, event): begin a line; event and keys are plain words of
 * the program.
 * log_text(log, key, text), log_number(log, key, n): add a value.  Foreign text
 * is escaped, and cut after LOG_TEXT_BYTES; an empty text is left out.  In text
 * mode a value that is no plain word stands in quotes, with \" \\ and \xNN.
 * log_end(log): write the line.  A line that cannot be written is lost.
 */
#define LOG_TEXT_BYTES 2000
void log_begin(struct log *, int64_t now_s, const char *event);
void log_text(struct log *, const char *key, struct slice text);
void log_number(struct log *, const char *key, int64_t n);
void log_end(struct log *);

#endif
