/*
 * A tokenizer for the tags of HTML pages: no tree, no scripts, no library.
 *
 * Three kinds of elements describe a page to indexers, and only their
 * attributes matter. Tags, comments and raw text need only a few states of the
 * HTML standard's tokenizer (WHATWG 13.2.5), which take linear time and hold
 * one tag at a time. libxml2's HTML push parser was tried (2.9.14, of Debian 12
 * and 13), and misreads what matters. A comment "<!-->", and "<!--" in a title,
 * textarea or template, hide the rest of the page, with its noindex. Behind
 * </html> nothing is told. "<![if !IE]>", "</ x>" and, before <head>, a
 * noscript become text or a body, so that the head ends and its canonical link
 * does not count. 90,000 attributes of one tag take 4 s, and no event comes
 * before they are read.
 *
 * Bytes are read as UTF-8 or another superset of ASCII; after a byte order mark
 * of UTF-16, characters outside ASCII become '?'. The escaped states of scripts
 * are left out: a script with "</script" in a comment ends there.
 */
#ifndef FRESHET_HTML_H
#define FRESHET_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

struct html;

/* Bytes of names and values; the rest is dropped. */
#define HTML_MAX_TAG 16384
/* attributes of one tag; further ones are dropped */
#define HTML_MAX_ATTRIBUTES 64
#define HTML_MAX_RAW 4096 /* bytes of raw text that are reported */

struct html_tag {
	struct slice name; /* in lower case */
	bool is_end;
	size_t count;
	/* names are in lower case; references in values are decoded */
	struct slice names[HTML_MAX_ATTRIBUTES];
	struct slice values[HTML_MAX_ATTRIBUTES];
};

/* Arguments are borrowed until the event returns. */
struct html_events {
	void (*tag)(void *arg, const struct html_tag *);
	/*
	 * The beginning of the text in a script, style, title and other
	 * elements with raw text: called once before the end tag, if there is
	 * any text.
	 */
	void (*raw)(void *arg, struct slice element, struct slice text);
	/* There is more than white space between tags: called once for each
	 * such run. */
	void (*text)(void *arg);
	void *arg;
};

struct html *html_new(const struct html_events *);
void html_free(struct html *);

/* html_feed(html, bytes): the events do not depend on how the bytes are cut. */
void html_feed(struct html *, struct slice bytes);

/*
 * html_goes_raw(name): is the content of an element of that name read as text,
 * whatever it looks like? noscript and template count, because their content is
 * not in force.
 */
bool html_goes_raw(struct slice name);

/* html_attribute(tag, name, value): the value of the first attribute of that
 * name; false: there is none. */
bool html_attribute(
    const struct html_tag *, const char *name, struct slice *value);

#endif
