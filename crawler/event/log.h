/*
 * What a daemon tells whoever looks after it: a line for each event, on
 * stderr.  Text: "2026-11-21T20:10:02Z read url=http://… added=3"; JSON: one
 * object, {"v":1,"type":"log","at":…,"event":"read","url":…}.
 */
#ifndef FRESHET_LOG_H
#define FRESHET_LOG_H

#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

enum log_mode { LOG_AUTO, LOG_TEXT, LOG_JSON };

/* One line at a time; zeroed it is no log. */
struct log {
	struct buf line; /* under way */
	int fd; /* borrowed */
	bool is_json;
};

/* log_init(log, mode, fd): LOG_AUTO is text on a terminal, JSON elsewhere. */
void log_init(struct log *, enum log_mode, int fd);
void log_release(struct log *);

/*
 * log_begin(log, now_s, event): a line; event and keys are words of ours.
 * log_text, log_number: what belongs to it.  Foreign text is made harmless, and
 * cut after LOG_TEXT_BYTES in text; an empty one is left out.  In text a value
 * that is no plain word stands in quotes, with \" \\ and \xNN in it.
 * log_end: write it.  What cannot be written is lost: nobody waits for a
 * terminal that is stopped longer than it takes to fill.
 */
#define LOG_TEXT_BYTES 2000
void log_begin(struct log *, int64_t now_s, const char *event);
void log_text(struct log *, const char *key, struct slice text);
void log_number(struct log *, const char *key, int64_t n);
void log_end(struct log *);

#endif
