/*
 * The events that the three kinds of parsers (sitemap, feed, text list) report.
 */
#ifndef FRESHET_PARSER_H
#define FRESHET_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "crawler/parse/scope.h"

enum root_kind {
	ROOT_NONE,
	ROOT_INDEX,
	ROOT_URLSET,
	ROOT_TEXT,
	ROOT_RSS,
	ROOT_ATOM
};

/* Bits of raw_entry.extensions. They equal those of store/segment/entry.h,
 * which no parser includes. */
enum raw_extension {
	RAW_IMAGE = 1,
	RAW_VIDEO = 2,
	RAW_NEWS = 4,
	RAW_HREFLANG = 8,
	RAW_OTHER = 16
};

/* The relation of a raw_link to the page of its entry. */
enum raw_link_kind { RAW_ALTERNATE, RAW_VIDEO_LOCATION, RAW_UPLOADER };

/* A URL of an extension that can be judged only together with the loc of its
 * entry. */
struct raw_link {
	enum raw_link_kind kind;
	uint32_t line;
	struct slice url; /* references decoded, otherwise as written */
	struct slice
	    /* of RAW_ALTERNATE: hreflang, in the same form as url; or empty */
	    language;
};

/* One entry as written: references in values are decoded, nothing else is
 * changed. */
struct raw_entry {
	struct slice loc; /* empty: it was reported, the entry is lost */
	struct slice lastmod; /* p is NULL: there is none */
	struct slice changefreq; /* p is NULL: there is none */
	struct slice priority; /* p is NULL: there is none */
	/* the first publication_date of its news data; p is NULL: there is
	 * none, or it has markup in it */
	struct slice published;
	/* dcterms:modified of an item of RSS; p is NULL: there is none */
	struct slice modified;
	/* the line of its loc, or of the entry if there is none */
	uint32_t line;
	uint16_t extensions; /* enum raw_extension */
	bool is_feed_date; /* try RFC 822 first for lastmod */
	bool has_loc;
	/* filled only if extensions are checked */
	const struct raw_link *links;
	size_t link_count;
	/* a link of Atom: resolve it against the document */
	bool is_resolvable;
};

/* A value of an entry that is still read: its bytes stand in one buf with those
 * of the others. */
struct raw_value {
	size_t at; /* offset into the buf */
	size_t len;
	bool is_seen; /* the element occurred */
	bool is_void; /* its value must not be used */
};

/* raw_value_text(value, values): p is NULL where it may not be used, as
 * raw_entry has it. */
static inline struct slice
raw_value_text(const struct raw_value *value, const struct buf *values)
{
	if (!value->is_seen || value->is_void || value->len == 0)
		return slice_make(NULL, 0);
	return slice_make(values->p + value->at, value->len);
}

struct parser_events {
	/* Called once, before any entry: the kind of the document. */
	bool (*root)(void *arg, enum root_kind);
	/* An entry begins: the findings up to its entry event are about it.
	 * NULL: the event is not wanted. */
	void (*open)(void *arg);
	/* Called for each complete entry; false stops the parser. */
	bool (*entry)(void *arg, const struct raw_entry *);
	/* line: where the finding is; 0: unknown. */
	void (*finding)(
	    void *arg, enum diag_code, uint32_t line, struct slice text);
	/* A feed names a hub, as written.  NULL: the event is not wanted. */
	void (*hub)(void *arg, struct slice url);
	void *arg;
};

#endif
