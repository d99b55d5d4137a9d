/*
 * The tags of an HTML page, as they come: no tree, no scripts, no library.
 *
 * What a page says of itself stands in three kinds of elements, and what is
 * wanted of them are their attributes: the states of the HTML standard's
 * tokenizer (WHATWG 13.2.5) that tags, comments and raw text need are few,
 * take linear time and hold one tag at a time.  libxml2's HTML parser makes a
 * tree's worth of implied elements of any bytes, has limits for none of it and
 * is one more parser that strangers feed.
 *
 * Bytes are taken for UTF-8 or what has ASCII in the same places; after a byte
 * order mark of UTF-16 what is not ASCII becomes '?'.  The escaped states of
 * scripts are left out: a script that holds "</script" in a comment ends there.
 */
#ifndef FRESHET_HTML_H
#define FRESHET_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

struct html;

#define HTML_MAX_TAG 16384 /* bytes of names and values; the rest is lost */
#define HTML_MAX_ATTRIBUTES 64 /* of one tag; further ones are lost */
#define HTML_MAX_RAW 4096 /* bytes of raw text that are told */

struct html_tag {
	struct slice name; /* in lower case */
	bool is_end;
	size_t count;
	/* names in lower case; values with their references undone */
	struct slice names[HTML_MAX_ATTRIBUTES];
	struct slice values[HTML_MAX_ATTRIBUTES];
};

/* Everything in them is borrowed until they return. */
struct html_events {
	void (*tag)(void *arg, const struct html_tag *);
	/* the beginning of what stands in a script, style, title, …: once
	 * before the end tag, if there is any */
	void (*raw)(void *arg, struct slice element, struct slice text);
	/* something that is no white space stands between tags: once for each
	 * run of it */
	void (*text)(void *arg);
	void *arg;
};

struct html *html_new(const struct html_events *);
void html_free(struct html *);

/* html_feed(html, bytes): the events are the same however they are cut. */
void html_feed(struct html *, struct slice bytes);

/* html_goes_raw(name): is what stands in an element of that name text, whatever
 * it looks like?  The content of noscript and template is not in force. */
bool html_goes_raw(struct slice name);

/* html_attribute(tag, name, *value): the first of that name; false: none. */
bool html_attribute(
    const struct html_tag *, const char *name, struct slice *value);

#endif
