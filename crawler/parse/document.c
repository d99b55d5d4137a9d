/* The stages of a document, connected; each is created when it is needed. */
#include "crawler/parse/document.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/feed.h"
#include "crawler/parse/sitemap.h"
#include "crawler/parse/textlist.h"
#include "crawler/parse/xml.h"

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

struct document_parser {
	const struct parser_events *events;
	const struct scope *scope;
	struct charset *charset;
	struct xml *xml; /* exists for markup only */
	struct prolog prolog; /* of markup */
	struct sitemap *sitemap; /* at most one of these three exists */
	struct feed *feed;
	struct textlist *textlist;
	enum diag_code failure;
	bool is_stopped;
	bool is_finished;
};

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

	if (document->sitemap == NULL && document->feed == NULL) {
		if (element->is_undeclared)
			xml_fail(document->xml, DIAG_UNSUPPORTED_FORMAT,
			    element->local);
		else if (sitemap_is_root(element->local))
			document->sitemap = sitemap_new(
			    document->xml, document->events, document->scope);
		else if (feed_is_root(element->local))
			document->feed = feed_new(document->xml,
			    document->events, &document->scope->limits);
		else
			xml_fail(document->xml, DIAG_UNSUPPORTED_FORMAT,
			    element->local);
	}
	if (document->sitemap != NULL)
		sitemap_start(document->sitemap, element);
	else if (document->feed != NULL)
		feed_start(document->feed, element);
}

static void
document_on_end(void *arg)
{
	struct document_parser *document = arg;

	if (document->sitemap != NULL)
		sitemap_end(document->sitemap);
	else
		feed_end(document->feed);
}

static void
document_on_text(void *arg, struct slice text)
{
	struct document_parser *document = arg;

	if (document->sitemap != NULL)
		sitemap_text(document->sitemap, text);
	else
		feed_text(document->feed, text);
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
 *	DONE    prolog_feed  everything is passed on
 */

static void
prolog_enter(struct document_parser *document, enum prolog_state state)
{
	struct prolog *prolog = &document->prolog;

	prolog->state = state;
	prolog->recent = 0;
}

static bool
prolog_pass(struct document_parser *document, struct slice bytes)
{
	return bytes.len == 0 || xml_feed(document->xml, bytes);
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
	return prolog_pass(document, held);
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

static bool
prolog_is_name_end(char c)
{
	return ascii_is_space(c) || c == '>' || c == '/' || c == '[';
}

static bool
prolog_doctype(struct document_parser *document)
{
	struct prolog *prolog = &document->prolog;
	size_t at = 9;

	while (at < prolog->held_len && ascii_is_space(prolog->held[at]))
		at++;
	char c = prolog->held[prolog->held_len - 1];
	if (at == prolog->held_len || !prolog_is_name_end(c))
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

	if (held.len == HELD_MAX)
		return prolog_let_go(document, PROLOG_DONE);
	if (held.len == 1)
		return true;
	if (held.p[1] == '?')
		return prolog_let_go(document, PROLOG_PI);
	if (held.p[1] != '!' && !prolog_is_name_end(c))
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
	return held.len <= 9 ? true : prolog_doctype(document);
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

/* Pass the markup on; of a skipped document type only its line ends are passed
 * on.  False when no more bytes are wanted, because the parser said so, or
 * because the failure is HTML_NOT_SITEMAP or DOCTYPE_PRESENT. */
static bool
prolog_feed(struct document_parser *document, struct slice utf8)
{
	struct prolog *prolog = &document->prolog;
	size_t run = 0; /* bytes at the front that are to be passed on */
	bool is_passed;

	while (run < utf8.len && prolog->state != PROLOG_DONE) {
		char c = utf8.p[run];

		/* prolog_step() is about to hold this '<', and the run stands
		 * before it: pass on the run first. */
		if (c == '<' && prolog->state == PROLOG_MISC && run > 0) {
			if (!prolog_pass(document, slice_make(utf8.p, run)))
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
		if (!prolog_pass(document, slice_make(utf8.p, run)))
			return false;
		utf8 = slice_from(utf8, run + 1);
		run = 0;
	}
	return prolog_pass(document, utf8);
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
	    .arg = document};

	switch (form) {
	case CHARSET_BLANK:
		return true;
	case CHARSET_MARKUP:
		document->xml = xml_new(&xml_events, limits, line);
		document->prolog.line = line;
		return true;
	case CHARSET_TEXT:
		document->textlist = textlist_new(
		    document->events, limits, line);
		return true;
	}
	return false;
}

static bool
on_text_out(void *arg, struct slice utf8)
{
	struct document_parser *document = arg;

	if (document->xml != NULL)
		return prolog_feed(document, utf8);
	return textlist_feed(document->textlist, utf8);
}

struct document_parser *
document_new(const struct parser_events *events, const struct scope *scope)
{
	struct document_parser *document = mem_zero(sizeof(*document));
	struct charset_options options = {
	    .is_strict = scope->location.profile.name == PROFILE_STRICT,
	    .begin = on_begin,
	    .out = on_text_out,
	    .arg = document,
	    .sink = {on_charset_finding, document}};

	document->events = events;
	document->scope = scope;
	document->charset = charset_new(&options);
	return document;
}

void
document_free(struct document_parser *document)
{
	if (document == NULL)
		return;
	textlist_free(document->textlist);
	feed_free(document->feed);
	sitemap_free(document->sitemap);
	xml_free(document->xml);
	charset_free(document->charset);
	free(document);
}

static bool
finish_stages(struct document_parser *document, bool is_whole)
{
	if (document->textlist != NULL)
		return textlist_finish(document->textlist, is_whole);
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
	enum diag_code code = charset_failure(document->charset);

	document->is_stopped = true;
	/*
	 * The stages still hold complete entries from before the bad character.
	 */
	if (code == DIAG_PARSE_ERROR)
		(void)finish_stages(document, false);
	if (code == DIAG_OK)
		code = document->prolog.failure;
	if (code == DIAG_OK && document->xml != NULL)
		code = xml_failure(document->xml);
	if (code == DIAG_OK && document->textlist != NULL &&
	    !textlist_is_list(document->textlist))
		code = DIAG_UNSUPPORTED_FORMAT;
	document->failure = code;
	return false;
}

bool
document_feed(struct document_parser *document, struct slice bytes)
{
	if (document->is_stopped)
		return false;
	return charset_feed(document->charset, bytes) ||
	    document_stop(document);
}

/*
 * A document that ends inside a character is wrong only if it is whole, so
 * charset_finish is not called for a cut document. The bytes that charset holds
 * then are no complete entry anyway.
 */
bool
document_finish(struct document_parser *document, bool is_whole)
{
	if (document->is_stopped)
		return false;
	if (is_whole && !charset_finish(document->charset))
		return document_stop(document);
	if (!finish_stages(document, is_whole))
		return document_stop(document);
	document->is_finished = is_whole;
	if (is_whole && document->xml == NULL && document->textlist == NULL) {
		document->failure = DIAG_EMPTY_FILE;
		document_on_finding(
		    document, DIAG_EMPTY_FILE, 0, slice_of(NULL));
	}
	return document->failure == DIAG_OK;
}

enum diag_code
document_failure(const struct document_parser *document)
{
	return document->failure;
}

bool
document_is_complete(const struct document_parser *document)
{
	return document->is_finished;
}
