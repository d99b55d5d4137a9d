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
 * Bytes are read as UTF-8 or another superset of ASCII. The escaped states of
 * scripts are left out: a script with "</script" in a comment ends there.
 */
#ifndef FRESHET_HTML_H
#define FRESHET_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

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
	/* The beginning of the text in a script, style, title and other
	 * elements with raw text: called once before the end tag, if there is
	 * any text. */
	void (*raw)(void *arg, struct slice element, struct slice text);
	/* There is more than white space between tags: called once for each
	 * such run. */
	void (*text)(void *arg);
	/* The text between tags, white space included, in runs of any length;
	 * NULL: not wanted. References are not decoded. A '<' that began no tag
	 * is in no run; is_behind: it stands before this one. */
	void (*run)(void *arg, struct slice run, bool is_behind);
	void *arg;
};

enum html_state {
	STATE_DATA,
	STATE_OPEN, /* behind '<' */
	STATE_CLOSE, /* behind "</" */
	STATE_NAME,
	STATE_ATTRIBUTES, /* before the name of an attribute */
	STATE_ATTRIBUTE, /* in the name of an attribute */
	STATE_BEHIND, /* after the name of an attribute */
	STATE_VALUE, /* behind '=' */
	STATE_DOUBLE, /* in a value in double quotes */
	STATE_SINGLE, /* in a value in single quotes */
	STATE_BARE,
	STATE_MARKUP, /* behind "<!" */
	STATE_COMMENT,
	STATE_BOGUS,
	STATE_RAW
};

/* The position of a name or a value in html.bytes. */
struct span {
	size_t at, len;
};

/* A new one has its events, bytes with the ceiling HTML_MAX_TAG and raw_text
 * with HTML_MAX_RAW, which its owner releases; all else is zero. */
struct html {
	struct html_events events;
	bool has_names; /* in <meta> all references are decoded */
	enum html_state state;
	struct buf bytes; /* of the current tag */
	struct span name;
	struct span names[HTML_MAX_ATTRIBUTES];
	struct span values[HTML_MAX_ATTRIBUTES];
	size_t count; /* of attributes, the current one included */
	/* where the next byte belongs; NULL: to an attribute too many */
	struct span *to;
	bool is_end;
	bool has_text; /* the text event of this run was sent */
	bool is_link; /* the text is in <a> */
	uint64_t letters; /* of all text outside links, without white space */
	/* in MARKUP and COMMENT: the number of '-' just before */
	size_t dashes;
	bool has_bang; /* in COMMENT: "--!" came just before */
	bool is_first; /* in COMMENT: nothing but dashes so far */
	char raw[16]; /* the element of RAW; "": none */
	char end[18]; /* the matched part of its end tag, as written */
	struct buf raw_text;
	bool is_raw_sent;
	size_t raw_match; /* how much of "</" and the name has matched */
	unsigned marked; /* bytes of a byte order mark; 3: none can follow */
	bool is_cut; /* the current tag is too long */
};

/* html_feed(html, bytes): the events do not depend on how the bytes are cut. */
void html_feed(struct html *, struct slice bytes);

/* html_goes_raw(name): is the content of an element of that name read as text,
 * whatever it looks like? noscript and template count, because their content is
 * not in force. */
bool html_goes_raw(struct slice name);

/* html_reference(text, out, len): decode the reference whose '&' precedes text,
 * if it can matter in a URL or a word. Returns how many bytes of text it takes;
 * 0: there is none. out, which has room for 4, and *len receive the
 * characters. */
size_t html_reference(struct slice text, char *out, size_t *len);

#define HTML_BLOCK '\0' /* in the text of a page: a block ends here */

/* html_text_put(out, text, has_references, is_guess): append text as people see
 * it, in UTF-8, whatever its bytes are. White space becomes one space, or, with
 * a HTML_BLOCK in it, a newline; there is none at the ends. What is not seen,
 * such as control characters, is left out. What is no UTF-8 becomes U+FFFD;
 * is_guess: it is windows-1252, as the standard proposes where no encoding is
 * declared. The ceiling of out cuts the text between characters. */
void html_text_put(
    struct buf *out, struct slice text, bool has_references, bool is_guess);

/* html_attribute(tag, name, value): the value of the first attribute of that
 * name; false: there is none. */
bool html_attribute(
    const struct html_tag *, const char *name, struct slice *value);

#endif
