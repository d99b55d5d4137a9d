/*
 * The stages of a document, connected: the form of its markup, text lists,
 * feeds and sitemaps (sitemap.c).  Each begins when it is needed.
 */
#include "crawler/parse/document.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/sitemap.h"

#define HELD_MAX 64 /* longer than "<!DOCTYPE" and any name that matters */

enum prolog_state {
	PROLOG_MISC,
	PROLOG_OPEN,
	PROLOG_COMMENT,
	PROLOG_PI,
	PROLOG_DTD,
	PROLOG_DTD_QUOTE,
	PROLOG_DTD_COMMENT,
	PROLOG_DTD_PI,
	PROLOG_DONE
};

struct prolog {
	enum prolog_state state;
	enum diag_code failure; /* HTML_NOT_SITEMAP or DOCTYPE_PRESENT */
	uint32_t line; /* of the next byte */
	uint32_t recent; /* the last four bytes in this state */
	char quote;
	bool is_in_subset;
	bool has_doctype;
	char held[HELD_MAX];
	size_t held_len;
};

struct textlist {
	const struct parser_events *events; /* NULL: the document is none */
	struct buf held; /* the front of a line whose end has not come */
	uint32_t line;
	/* an LF that comes next belongs to the same line end */
	bool is_after_cr;
	bool has_root;
	bool is_other; /* UNSUPPORTED_FORMAT */
	bool is_stopped;
};

enum feed_state {
	FEED_BEFORE,
	FEED_ROOT,
	FEED_CHANNEL,
	FEED_ITEM,
	FEED_VALUE,
	FEED_SKIP,
	FEED_AFTER
};

enum part { PART_LINK, PART_GUID, PART_DATE, PART_MODIFIED, PARTS };

struct feed {
	struct xml *xml; /* borrowed; NULL: the document is no feed */
	const struct parser_events *events;
	uint32_t max_text;
	enum feed_state state;
	/* the state around the element that is skipped */
	enum feed_state outside;
	enum feed_state around; /* the state around the item: ROOT or CHANNEL */
	uint32_t skip_depth;
	bool is_atom;
	bool has_uri;
	const char *uri; /* the namespace of items */
	enum part part;
	struct raw_value parts[PARTS];
	struct buf values; /* the values of one item, concatenated */
	uint32_t line;
};

struct document_parser {
	const struct parser_events *events;
	const struct scope *scope;
	struct charset charset;
	struct xml *xml; /* exists for markup only */
	struct prolog prolog; /* of markup */
	struct sitemap *sitemap; /* at most one of these three exists */
	struct feed feed;
	struct textlist textlist;
	enum diag_code xml_failure;
	enum diag_code *failure; /* borrowed */
	bool is_stopped;
};

/* Text lists: one absolute URL per line (SPEC R-19).  The first line that is
 * not blank decides: the root event, or the finding UNSUPPORTED_FORMAT.  Then
 * each line that is not blank is an entry, trimmed but otherwise unchanged,
 * whatever its encoding is; of a line longer than max_text only the front is
 * used.  A last line without a line end counts if the document is whole. */

static bool
textlist_end_line(struct textlist *list, struct slice line)
{
	static const char *const schemes[] = {"http://", "https://"};
	const struct parser_events *events = list->events;
	struct raw_entry entry = {.line = list->line, .has_loc = true};

	line = slice_trim(line);
	list->line++;
	if (line.len == 0)
		return true;
	/* SPEC R-05: the first line is a URL, or the document is any text. */
	if (!list->has_root) {
		list->has_root = list->is_other = true;
		for (size_t i = 0; i < 2; i++)
			if (slice_starts_nocase(line, slice_of(schemes[i])))
				list->is_other = false;
		if (list->is_other) {
			events->finding(events->arg, DIAG_UNSUPPORTED_FORMAT,
			    entry.line, line);
			return false;
		}
		if (!events->root(events->arg, ROOT_TEXT))
			return false;
	}
	entry.loc = line;
	return events->entry(events->arg, &entry);
}

static bool
textlist_feed(struct textlist *list, struct slice text)
{
	while (text.len > 0 && !list->is_stopped) {
		if (list->is_after_cr && text.p[0] == '\n')
			text = slice_from(text, 1);
		list->is_after_cr = false;
		if (text.len == 0)
			break;
		size_t n = 0;

		/* One pass, and not two calls of memchr: the one for the kind
		 * of line end that the list has not would scan everything
		 * again for each line. */
		while (n < text.len && text.p[n] != '\n' && text.p[n] != '\r')
			n++;
		struct slice line = slice_make(text.p, n);
		if (n == text.len || list->held.len > 0) {
			/* Keep the front of the line: of an endless one enough
			 * to show that it is too long. */
			size_t room = list->held.max - list->held.len;

			if (line.len > room)
				line.len = room;
			(void)buf_put_slice(&list->held, line);
			line = buf_text(&list->held);
		}
		if (n == text.len)
			break;
		list->is_after_cr = text.p[n] == '\r';
		text = slice_from(text, n + 1);
		list->is_stopped = !textlist_end_line(list, line);
		buf_clear(&list->held);
	}
	return !list->is_stopped;
}

/*
 * Feeds: RSS 2.0, RSS 1.0 in RDF, and Atom, from XML events (SPEC ).
 *
 *	BEFORE --root--> ROOT --item, entry--> ITEM --link, ...--> VALUE
 *	                 | ^ '<-----end--------' ^ '<----end------'
 *	          channel| |end                  |               |
 *	                 v |    any other start: '---- SKIP -----'
 *	                CHANNEL --item--> ITEM, and back
 *
 *	ROOT, CHANNEL  feed_start_outside  no item is open
 *	ITEM           feed_start_in_item  values has the values closed so far
 *	VALUE          feed_start          part says which one grows
 *	SKIP           feed_skip           skip_depth elements are open in it
 *
 * Findings: MISSING_TAG (an entry without a usable link), NESTED_MARKUP,
 * EMPTY_TAG (a date).
 */

static void
feed_skip(struct feed *feed)
{
	feed->outside = feed->state;
	feed->skip_depth = 1;
	feed->state = FEED_SKIP;
}

/* feed_is_ours(feed, element): is the element in the namespace of items? An
 * x:item of another namespace is no item. */
static bool
feed_is_ours(struct feed *feed, const struct xml_element *element)
{
	if (element->is_undeclared)
		return false;
	if (!feed->has_uri)
		feed->uri = element->uri;
	feed->has_uri = true;
	return feed->uri == element->uri;
}

/* feed_start_outside(feed, element): items are inside the channel in RSS 2.0,
 * and beside it in RSS 1.0. */
static void
feed_start_outside(struct feed *feed, const struct xml_element *element)
{
	bool is_channel = !feed->is_atom && feed->state == FEED_ROOT &&
	    slice_is(element->local, "channel");
	struct slice rel, href;

	/* atom:link, in RSS, too (SPEC R-147) */
	if (feed->events->hub != NULL && slice_is(element->local, "link") &&
	    xml_attribute(feed->xml, "rel", &rel) && slice_is(rel, "hub") &&
	    xml_attribute(feed->xml, "href", &href))
		feed->events->hub(feed->events->arg, href);

	if ((!is_channel &&
		!slice_is(element->local, feed->is_atom ? "entry" : "item")) ||
	    !feed_is_ours(feed, element)) {
		feed_skip(feed);
		return;
	}
	if (is_channel) {
		feed->state = FEED_CHANNEL;
		return;
	}
	feed->around = feed->state;
	feed->state = FEED_ITEM;
	if (feed->events->open != NULL)
		feed->events->open(feed->events->arg);
	memset(feed->parts, 0, sizeof(feed->parts));
	buf_clear(&feed->values);
	feed->line = element->line;
}

/* feed_grow(feed, text): add to the open value; hostile text has no end. */
static void
feed_grow(struct feed *feed, struct slice text)
{
	size_t len = feed->values.len - feed->parts[feed->part].at;

	if (len + text.len > feed->max_text)
		xml_fail(feed->xml, DIAG_XML_LIMIT, 0, slice_of("long value"));
	else
		(void)buf_put_slice(&feed->values, text);
}

static void
feed_end(struct feed *feed)
{
	switch (feed->state) {
	case FEED_ROOT:
		feed->state = FEED_AFTER;
		break;
	case FEED_CHANNEL:
		feed->state = FEED_ROOT;
		break;
	case FEED_ITEM: {
		struct raw_entry entry = {
		    .loc = raw_value_text(
			&feed->parts[PART_LINK], &feed->values),
		    .lastmod = raw_value_text(
			&feed->parts[PART_DATE], &feed->values),
		    .modified = raw_value_text(
			&feed->parts[PART_MODIFIED], &feed->values),
		    .line = feed->line,
		    .is_feed_date = !feed->is_atom,
		    .is_resolvable = feed->is_atom,
		};

		if (entry.loc.p == NULL)
			entry.loc = raw_value_text(
			    &feed->parts[PART_GUID], &feed->values);
		entry.has_loc = entry.loc.p != NULL;
		feed->state = feed->around;
		if (!entry.has_loc)
			feed->events->finding(feed->events->arg,
			    DIAG_MISSING_TAG, feed->line, slice_of("link"));
		if (!feed->events->entry(feed->events->arg, &entry))
			xml_stop(feed->xml);
	} break;
	case FEED_VALUE: {
		struct raw_value *value = &feed->parts[feed->part];
		bool is_blank;

		feed->state = FEED_ITEM;
		value->len = feed->values.len - value->at;
		/* A blank value is not used. A guid may follow a blank link, so
		 * missing links are reported at the end of the item. */
		is_blank = slice_trim(raw_value_text(value, &feed->values))
			       .len == 0;
		if (is_blank && !value->is_void && feed->part == PART_DATE)
			feed->events->finding(feed->events->arg, DIAG_EMPTY_TAG,
			    xml_line(feed->xml, NULL), slice_of("date"));
		value->is_void = value->is_void || is_blank;
	} break;
	case FEED_SKIP:
		if (--feed->skip_depth == 0)
			feed->state = feed->outside;

		break;
	case FEED_BEFORE:
	case FEED_AFTER: /* cannot happen: an end has a start */
		break;
	}
}

/* feed_find_part(feed, local): the part of an item that this element is. */
static enum part
feed_find_part(const struct feed *feed, struct slice local)
{
	struct slice value;

	if (feed->is_atom)
		return slice_is(local, "updated") || slice_is(local, "modified")
		    ? PART_DATE
		    : PARTS;
	if (slice_is(local, "link"))
		return PART_LINK;
	if (slice_is(local, "pubDate"))
		return PART_DATE;
	if (!slice_is(local, "guid"))
		return PARTS;
	/* SPEC R-20: a guid is a link unless isPermaLink is false. */
	return !xml_attribute(feed->xml, "isPermaLink", &value) ||
		!slice_equal_nocase(slice_trim(value), slice_of("false"))
	    ? PART_GUID
	    : PARTS;
}

/* feed_start_in_item(feed, element): only elements in the namespace of the item
 * count: an atom:link in RSS is no link. */
static void
feed_start_in_item(struct feed *feed, const struct xml_element *element)
{
	enum part part = PARTS;
	bool has_href = false;
	struct slice rel;
	struct slice href;

	if (feed_is_ours(feed, element)) {
		part = feed_find_part(feed, element->local);
		/* SPEC R-21: use the first link whose rel is "alternate" or
		 * missing. */
		has_href = feed->is_atom && slice_is(element->local, "link") &&
		    (!xml_attribute(feed->xml, "rel", &rel) ||
			slice_is(rel, "alternate")) &&
		    xml_attribute(feed->xml, "href", &href);
		if (has_href)
			part = PART_LINK;
	} else if (!feed->is_atom && !element->is_undeclared &&
	    slice_is(slice_of(element->uri), "http://purl.org/dc/terms/") &&
	    slice_is(element->local, "modified")) {
		part = PART_MODIFIED;
	}
	if (part == PARTS || feed->parts[part].is_seen) {
		feed_skip(feed);
		return;
	}
	feed->part = part;
	feed->parts[part] = (struct raw_value){
	    .at = feed->values.len, .is_seen = true};
	if (part < PART_DATE)
		feed->line = element->line;
	feed->state = FEED_VALUE;
	if (has_href) {
		/* The value is whole: it ends here, and what stands in the
		 * element is skipped. */
		feed_grow(feed, href);
		feed_end(feed);
		feed_skip(feed);
	}
}

static void
feed_start(struct feed *feed, const struct xml_element *element)
{
	switch (feed->state) {
	case FEED_BEFORE:
		feed->is_atom = slice_is(element->local, "feed");
		/* The root of RSS 1.0 is in the namespace of RDF: the first
		 * channel or item sets the namespace of RSS. RSS 2.0 may do the
		 * same. */
		feed->has_uri = feed->is_atom;
		feed->uri = element->uri;
		feed->state = FEED_ROOT;
		if (!feed->events->root(feed->events->arg,
			feed->is_atom ? ROOT_ATOM : ROOT_RSS))
			xml_stop(feed->xml);

		break;
	case FEED_ROOT:
	case FEED_CHANNEL:
		feed_start_outside(feed, element);
		break;
	case FEED_ITEM:
		feed_start_in_item(feed, element);
		break;
	case FEED_VALUE: {
		struct raw_value *value = &feed->parts[feed->part];

		if (!value->is_void)
			feed->events->finding(feed->events->arg,
			    DIAG_NESTED_MARKUP, element->line, element->local);
		value->is_void = true;
		feed_skip(feed);
	} break;
	case FEED_SKIP:
		feed->skip_depth++;
		break;
	case FEED_AFTER: /* cannot happen: a document has one root */
		break;
	}
}

/* The events of the XML parser go to one of the two that read markup. */

static void
document_on_finding(
    void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	struct document_parser *document = arg;

	document->events->finding(document->events->arg, code, line, text);
}

static void
on_charset_finding(void *arg, enum diag_code code, struct slice text)
{
	struct document_parser *document = arg;

	document_on_finding(document, code,
	    document->xml == NULL ? 1 : xml_line(document->xml, NULL), text);
}

static void
document_on_start(void *arg, const struct xml_element *element)
{
	struct document_parser *document = arg;
	struct feed *feed = &document->feed;

	if (document->sitemap == NULL && document->feed.xml == NULL) {
		bool is_known = !element->is_undeclared;

		if (is_known &&
		    (slice_is(element->local, "urlset") ||
			slice_is(element->local, "sitemapindex")))
			document->sitemap = sitemap_new(
			    document->xml, document->events, document->scope);
		else if (is_known &&
		    (slice_is(element->local, "rss") ||
			slice_is(element->local, "RDF") ||
			slice_is(element->local, "feed"))) {
			feed->xml = document->xml;
			feed->events = document->events;
			feed->max_text = document->scope->limits.max_text;
			buf_init(&feed->values, (size_t)PARTS * feed->max_text);
		} else
			xml_fail(document->xml, DIAG_UNSUPPORTED_FORMAT, 0,
			    element->local);
	}
	if (document->sitemap != NULL)
		sitemap_start(document->sitemap, element);
	else if (feed->xml != NULL)
		feed_start(feed, element);
}

static void
document_on_end(void *arg)
{
	struct document_parser *document = arg;

	if (document->sitemap != NULL)
		sitemap_end(document->sitemap);
	else
		feed_end(&document->feed);
}

static void
document_on_text(void *arg, struct slice text)
{
	struct document_parser *document = arg;

	if (document->sitemap != NULL)
		sitemap_text(document->sitemap, text);
	else if (document->feed.state == FEED_VALUE)
		feed_grow(&document->feed, text);
}

/*
 * The part of markup before the root element: a scanner that knows just enough
 * XML to find the first tag.  It tells web pages from XML (SPEC R-05) and finds
 * a document type before any parser does (SPEC R-04).
 *
 *	MISC -'<'-> OPEN --"<!--"--> COMMENT --"-->"--> MISC
 *	             | |----"<?"---> PI --"?>"--> MISC
 *	             | '--"<!DOCTYPE name"--> DTD --'>'--> MISC
 *	             '--name, or anything else--> DONE
 *	DTD: ' or " -> DTD_QUOTE -> DTD, "<!--" -> DTD_COMMENT -> DTD,
 *	     "<?" -> DTD_PI -> DTD
 *
 *	OPEN    prolog_open held has all bytes from '<' on, not yet passed on
 *	DTD*    prolog_dtd  only line ends are passed on
 *	DONE    document_on_utf8  everything is passed on
 */

static void
prolog_enter(struct document_parser *document, enum prolog_state state)
{
	struct prolog *prolog = &document->prolog;

	prolog->state = state;
	prolog->recent = 0;
}

/* prolog_let_go(document, next): pass on the held bytes, which need no special
 * care. */
static bool
prolog_let_go(struct document_parser *document, enum prolog_state next)
{
	struct prolog *prolog = &document->prolog;
	struct slice held = {prolog->held, prolog->held_len};

	prolog->held_len = 0;
	prolog_enter(document, next);
	return xml_feed(document->xml, held);
}

static bool
prolog_fail(
    struct document_parser *document, enum diag_code code, struct slice text)
{
	struct prolog *prolog = &document->prolog;

	prolog->failure = code;
	document_on_finding(document, code, prolog->line, text);
	return false;
}

/* prolog_doctype(document): held has all of "<!DOCTYPE", and at its end a
 * character at which a name can end. */
static bool
prolog_doctype(struct document_parser *document)
{
	struct prolog *prolog = &document->prolog;
	size_t at = 9;

	while (at < prolog->held_len && ascii_is_space(prolog->held[at]))
		at++;
	if (at == prolog->held_len)
		return true;
	/* "<!DOCTYPE name" is complete, with the character that follows the
	 * name. */
	struct slice name = slice_make(
	    prolog->held + at, prolog->held_len - 1 - at);
	char last = prolog->held[prolog->held_len - 1];
	bool is_exact = memcmp(prolog->held, "<!DOCTYPE", 9) == 0;

	if (slice_equal_nocase(name, slice_of("html")))
		return prolog_fail(document, DIAG_HTML_NOT_SITEMAP, name);
	/* A doctype in lower case and a second one are no XML: leave the
	 * report to the XML parser. */
	if (!is_exact || prolog->has_doctype)
		return prolog_let_go(document, PROLOG_DONE);
	if (document->scope->location.profile.doctype != DOCTYPE_SKIP)
		return prolog_fail(document, DIAG_DOCTYPE_PRESENT, name);
	prolog->has_doctype = true;
	document_on_finding(document, DIAG_DOCTYPE_PRESENT, prolog->line, name);
	prolog->held_len = 0;
	prolog_enter(document, last == '>' ? PROLOG_MISC : PROLOG_DTD);
	prolog->is_in_subset = last == '[';
	return true;
}

/* prolog_open(document): one more byte is in held. */
static bool
prolog_open(struct document_parser *document)
{
	struct prolog *prolog = &document->prolog;
	struct slice held = {prolog->held, prolog->held_len};
	char c = held.p[held.len - 1];
	/* can a name in a tag or a doctype end before c? */
	bool is_end = ascii_is_space(c) || c == '>' || c == '/' || c == '[';

	if (held.len == HELD_MAX)
		return prolog_let_go(document, PROLOG_DONE);
	if (held.len == 1)
		return true;
	if (held.p[1] == '?')
		return prolog_let_go(document, PROLOG_PI);
	if (held.p[1] != '!' && !is_end)
		return true;
	if (held.p[1] != '!') {
		/* the name of the root element is complete */
		struct slice name = {held.p + 1, held.len - 2};
		const char *colon = name.len == 0
		    ? NULL
		    : memchr(name.p, ':', name.len);

		if (colon != NULL)
			name = slice_from(name, (size_t)(colon - name.p) + 1);
		if (slice_equal_nocase(name, slice_of("html")))
			return prolog_fail(
			    document, DIAG_HTML_NOT_SITEMAP, name);
		return prolog_let_go(document, PROLOG_DONE);
	}
	if (held.len <= 4 && memcmp(held.p, "<!--", held.len) == 0)
		return held.len < 4 ? true
				    : prolog_let_go(document, PROLOG_COMMENT);
	size_t n = held.len < 9 ? held.len : 9;
	if (!slice_equal_nocase(
		slice_make(held.p, n), slice_make("<!DOCTYPE", n)))
		return prolog_let_go(document, PROLOG_DONE);
	return held.len <= 9 || !is_end ? true : prolog_doctype(document);
}

/* prolog_dtd(document, c): skip a document type (SPEC R-04, lenient). */
static void
prolog_dtd(struct document_parser *document, char c)
{
	struct prolog *prolog = &document->prolog;

	if (prolog->state == PROLOG_DTD_QUOTE) {
		if (c == prolog->quote)
			prolog_enter(document, PROLOG_DTD);
		return;
	}
	prolog->recent = prolog->recent << 8 | (unsigned char)c;
	uint32_t two = prolog->recent & 0xFFFF;
	uint32_t three = prolog->recent & 0xFFFFFF;
	if (prolog->state == PROLOG_DTD_COMMENT) {
		if (three == 0x2D2D3E) /* "-->" */
			prolog_enter(document, PROLOG_DTD);
	} else if (prolog->state == PROLOG_DTD_PI) {
		if (two == 0x3F3E) /* "?>" */
			prolog_enter(document, PROLOG_DTD);
	} else if (c == '"' || c == '\'') {
		prolog->quote = c;
		prolog_enter(document, PROLOG_DTD_QUOTE);
	} else if (prolog->recent == 0x3C212D2D) { /* "<!--" */
		prolog_enter(document, PROLOG_DTD_COMMENT);
	} else if (two == 0x3C3F) { /* "<?" */
		prolog_enter(document, PROLOG_DTD_PI);
	} else if (c == '[') {
		prolog->is_in_subset = true;
	} else if (c == ']') {
		prolog->is_in_subset = false;
	} else if (c == '>' && !prolog->is_in_subset) {
		prolog_enter(document, PROLOG_MISC);
	}
}

/* prolog_step(document, c, is_passed): take one byte; *is_passed: the byte is
 * to be passed on. */
static bool
prolog_step(struct document_parser *document, char c, bool *is_passed)
{
	struct prolog *prolog = &document->prolog;

	*is_passed = false;
	if (c == '\n')
		prolog->line++;
	if (prolog->state == PROLOG_OPEN ||
	    (prolog->state == PROLOG_MISC && c == '<')) {
		if (prolog->held_len == 0)
			prolog_enter(document, PROLOG_OPEN);
		prolog->held[prolog->held_len++] = c;
		return prolog_open(document);
	}
	if (prolog->state >= PROLOG_DTD && prolog->state <= PROLOG_DTD_PI) {
		prolog_dtd(document, c);
		*is_passed = c == '\n';
		return true;
	}
	/* Find the end of a comment or a processing instruction. */
	prolog->recent = prolog->recent << 8 | (unsigned char)c;
	if (prolog->state == PROLOG_COMMENT &&
	    (prolog->recent & 0xFFFFFF) == 0x2D2D3E)
		prolog_enter(document, PROLOG_MISC);
	else if (prolog->state == PROLOG_PI &&
	    (prolog->recent & 0xFFFF) == 0x3F3E)
		prolog_enter(document, PROLOG_MISC);

	*is_passed = true;
	return true;
}

/* The stages. */

static bool
on_begin(void *arg, enum charset_form form, uint32_t line)
{
	struct document_parser *document = arg;
	const struct read_limits *limits = &document->scope->limits;
	struct xml_events xml_events = {.start = document_on_start,
	    .end = document_on_end,
	    .text = document_on_text,
	    .finding = document_on_finding,
	    .arg = document,
	    .failure = &document->xml_failure};

	switch (form) {
	case CHARSET_BLANK:
		return true;
	case CHARSET_MARKUP:
		document->xml = xml_new(&xml_events, limits, line);
		document->prolog.line = line;
		return true;
	case CHARSET_TEXT:
		document->textlist = (struct textlist){
		    .events = document->events, .line = line};
		buf_init(&document->textlist.held, limits->max_text);
		return true;
	}
	return false;
}

/* Pass text on; of a document type that is skipped, its line ends only.  False
 * when no more bytes are wanted, because an event or the parser said so, or
 * because the failure of the prolog is HTML_NOT_SITEMAP or DOCTYPE_PRESENT. */
static bool
document_on_utf8(void *arg, struct slice utf8)
{
	struct document_parser *document = arg;
	struct prolog *prolog = &document->prolog;
	size_t run = 0; /* bytes at the front that are to be passed on */
	bool is_passed;

	if (document->xml == NULL)
		return textlist_feed(&document->textlist, utf8);
	while (run < utf8.len && prolog->state != PROLOG_DONE) {
		char c = utf8.p[run];

		/* prolog_step() is about to hold this '<', and the run stands
		 * before it: pass on the run first. */
		if (c == '<' && prolog->state == PROLOG_MISC && run > 0) {
			if (!xml_feed(document->xml, slice_make(utf8.p, run)))
				return false;
			utf8 = slice_from(utf8, run);
			run = 0;
		}
		if (!prolog_step(document, c, &is_passed))
			return false;
		if (is_passed) {
			run++;
			continue;
		}
		if (!xml_feed(document->xml, slice_make(utf8.p, run)))
			return false;
		utf8 = slice_from(utf8, run + 1);
		run = 0;
	}
	return xml_feed(document->xml, utf8);
}

struct document_parser *
document_new(const struct parser_events *events, const struct scope *scope,
    enum diag_code *failure)
{
	struct document_parser *document = mem_zero(sizeof(*document));

	document->events = events;
	document->scope = scope;
	document->failure = failure;
	*failure = DIAG_OK;
	document->charset.options = (struct charset_options){
	    .is_strict = scope->location.profile.name == PROFILE_STRICT,
	    .begin = on_begin,
	    .out = document_on_utf8,
	    .arg = document,
	    .sink = {on_charset_finding, document}};
	document->charset.line = 1;
	buf_init(&document->charset.declaration, CHARSET_DECLARATION_MAX);
	return document;
}

void
document_free(struct document_parser *document)
{
	if (document == NULL)
		return;
	buf_release(&document->textlist.held);
	buf_release(&document->feed.values);
	sitemap_free(document->sitemap);
	xml_free(document->xml);
	buf_release(&document->charset.declaration);
	free(document);
}

static bool
finish_stages(struct document_parser *document, bool is_whole)
{
	struct textlist *list = &document->textlist;

	if (list->events != NULL) {
		if (!list->is_stopped && is_whole && list->held.len > 0)
			list->is_stopped = !textlist_end_line(
			    list, buf_text(&list->held));
		return !list->is_stopped;
	}
	if (document->xml != NULL)
		return (document->prolog.held_len == 0 ||
			   prolog_let_go(document, PROLOG_DONE)) &&
		    xml_finish(document->xml, is_whole);
	return true;
}

/* document_stop(document): find out which stage refused more bytes. */
static bool
document_stop(struct document_parser *document)
{
	enum diag_code code = document->charset.failure;

	document->is_stopped = true;
	/* The stages still hold complete entries from before the bad character.
	 */
	if (code == DIAG_PARSE_ERROR)
		(void)finish_stages(document, false);
	if (code == DIAG_OK)
		code = document->prolog.failure;
	if (code == DIAG_OK)
		code = document->xml_failure;
	if (code == DIAG_OK && document->textlist.is_other)
		code = DIAG_UNSUPPORTED_FORMAT;
	*document->failure = code;
	return false;
}

bool
document_feed(struct document_parser *document, struct slice bytes)
{
	if (document->is_stopped)
		return false;
	return charset_feed(&document->charset, bytes) ||
	    document_stop(document);
}

/* A document that ends inside a character is wrong only if it is whole, so
 * charset_finish is not called for a cut document. The bytes that charset holds
 * then are no complete entry anyway. */
bool
document_finish(struct document_parser *document, bool is_whole)
{
	if (document->is_stopped)
		return false;
	if (is_whole && !charset_finish(&document->charset))
		return document_stop(document);
	if (!finish_stages(document, is_whole))
		return document_stop(document);
	if (is_whole && document->xml == NULL &&
	    document->textlist.events == NULL) {
		*document->failure = DIAG_EMPTY_FILE;
		document_on_finding(
		    document, DIAG_EMPTY_FILE, 0, slice_of(NULL));
	}
	return is_whole;
}
