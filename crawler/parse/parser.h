/* What the three kinds of parsers tell their caller. */
#ifndef FRESHET_PARSER_H
#define FRESHET_PARSER_H

#include <stdbool.h>
#include <stdint.h>

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

/* Bits of raw_entry.extensions: those of store/segment/entry.h, which no parser
 * sees.
 */
enum raw_extension {
	RAW_IMAGE = 1,
	RAW_VIDEO = 2,
	RAW_NEWS = 4,
	RAW_HREFLANG = 8,
	RAW_OTHER = 16
};

/* What a raw_link is to the page of its entry. */
enum raw_link_kind { RAW_ALTERNATE, RAW_VIDEO_LOCATION, RAW_UPLOADER };

/* A URL of an extension that can be judged only beside the entry's own. */
struct raw_link {
	enum raw_link_kind kind;
	uint32_t line;
	struct slice url; /* unescaped, otherwise untouched */
};

/* One entry as written: values unescaped, otherwise untouched. */
struct raw_entry {
	struct slice loc; /* empty: reported already, the entry is lost */
	struct slice lastmod; /* empty p: none */
	struct slice changefreq; /* empty p: none */
	struct slice priority; /* empty p: none */
	uint32_t line; /* on which its loc, else the entry, begins */
	uint16_t extensions; /* enum raw_extension */
	bool is_feed_date; /* lastmod is RFC 822 first */
	bool has_loc;
	const struct raw_link *links; /* only if extensions are checked */
	size_t link_count;
	bool is_resolvable; /* an Atom link: resolve against the document */
};

struct parser_events {
	/* Once, before any entry: what the document is. */
	bool (*root)(void *arg, enum root_kind);
	/* Each completed entry; false stops the parser. */
	bool (*entry)(void *arg, const struct raw_entry *);
	/* line: where it was seen, 0 unknown. */
	void (*finding)(
	    void *arg, enum diag_code, uint32_t line, struct slice text);
	void *arg;
};

#endif
