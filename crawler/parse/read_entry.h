/* The entries of one document: read.c feeds the parser, and the parser's events
 * come here. */
#ifndef FRESHET_READ_ENTRY_H
#define FRESHET_READ_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"
#include "base/w3cdate.h"
#include "crawler/parse/parser.h"
#include "crawler/parse/return_links.h"
#include "crawler/parse/scope.h"
#include "store/segment/finding.h"
#include "store/segment/reading.h"
#include "store/segment/sorter.h"

/* URLs of extensions, which are judged together with the loc of their entry
 * (SPEC ). */
struct links {
	const struct profile *profile;
	struct findings *findings;
	struct alternates alternates;
	struct alternate_list list; /* used only if they are wanted in full */
	struct url url;
};

#define UNIFORM_MOMENTS 16
#define UNIFORM_TIMES 3
#define UNIFORM_HOURS 48 /* 24 before the time and 24 after it */

/* Counters for the question whether the dates of a document only show when it
 * was made (SPEC R-117, 15.8). Dates are counted by the hour around the times
 * at which the document may have been made, so that the memory does not grow
 * with the document. */
struct uniform {
	uint64_t dated;
	int64_t times_s[UNIFORM_TIMES]; /* 0: unknown */
	int64_t times_day[UNIFORM_TIMES]; /* the days of these */
	uint32_t hours[UNIFORM_TIMES][UNIFORM_HOURS];
	/* dates of the day of a time, and of the days around it, UTC */
	uint64_t days[UNIFORM_TIMES][3];
	/* Milliseconds, but .000, that many dates have: by Misra and Gries, so
	 * that one that a sixteenth of the dates has is always there. */
	struct uniform_moment {
		int64_t ms;
		uint64_t count; /* 0: free */
	} moments[UNIFORM_MOMENTS];
	bool is_over; /* counts of moments are too small */
	struct date first;
	bool has_several; /* a date is not the first one */
	bool has_days; /* a date has no time, or midnight */
	/* of all entries: their hints, if they are the same; each loc ends in
	 * .html */
	uint8_t hints;
	bool has_hints, is_html;
};

struct entries {
	const struct scope *scope;
	const struct url *base; /* NULL: the URL of the document is unknown */
	struct content *content;
	struct sorter *sorter; /* owned */
	struct links links; /* used only if extensions are checked */
	struct url url;
	struct buf converted; /* a line of a text list, converted to UTF-8 */
	struct buf first_host;
	struct uniform uniform;
	enum root_kind root;
	/* READER_KILLED, or a code for which this profile refuses the document:
	 * NESTED_INDEX, INDEX_TOO_DEEP, TOO_MANY_*. */
	enum diag_code failure;
	/* the URL of the current entry is a link of Atom */
	bool is_resolvable;
	bool is_cut; /* a limit ended the reading: entries are missing */
	bool is_over; /* TOO_MANY_* is reported */
	bool is_mixed; /* MIXED_HOSTS is reported */
	bool is_foreign_text; /* ENCODING_NOT_UTF8 is reported */
	uint32_t line; /* of the current entry */
	uint32_t noted_line; /* the last line in content.lines */
	bool is_unnoted; /* content.lines is full */
	struct slice subject; /* the current value, for findings */
};

/* entries_init(entries, scope, content, scratch_fd): all are borrowed. */
void entries_init(
    struct entries *, const struct scope *, struct content *, int scratch_fd);
void entries_release(struct entries *);

/* entries_judge_dates(entries, head, tail): report what all dates together say
 * (SPEC R-117), LASTMOD_BUILD, LASTMOD_ONE_MOMENT or LASTMOD_UNIFORM; and find
 * the generator of the document from its first and last bytes. */
void entries_judge_dates(
    struct entries *, struct slice head, struct slice tail);

/* The parser_events of a reading; arg is the struct entries. */
bool entries_root(void *arg, enum root_kind);
void entries_open(void *arg);
bool entries_take(void *arg, const struct raw_entry *);
void entries_finding(
    void *arg, enum diag_code, uint32_t line, struct slice text);
void entries_hub(void *arg, struct slice url);

/* hint_changefreq(text), hint_priority(text): the value for entry.hints; 0:
 * text is invalid (SPEC ). */
uint8_t hint_changefreq(struct slice text);
uint8_t hint_priority(struct slice text);

#endif
