/* The stages of a document, connected; each is created when it is needed. */
#include "crawler/parse/document.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/feed.h"
#include "crawler/parse/prolog.h"
#include "crawler/parse/sitemap.h"
#include "crawler/parse/textlist.h"
#include "crawler/parse/xml.h"

struct document_parser {
	const struct parser_events *events;
	const struct scope *scope;
	struct charset *charset;
	struct prolog *prolog; /* prolog and xml exist for markup only */
	struct xml *xml;
	struct sitemap *sitemap; /* at most one of these three exists */
	struct feed *feed;
	struct textlist *textlist;
	enum diag_code failure;
	bool is_stopped;
	bool is_finished;
};

static void
on_finding(void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	struct document_parser *document = arg;

	document->events->finding(document->events->arg, code, line, text);
}

static void
on_charset_finding(void *arg, enum diag_code code, struct slice text)
{
	struct document_parser *document = arg;

	on_finding(document, code,
	    document->xml == NULL ? 1 : xml_line(document->xml, NULL), text);
}

static void
on_start(void *arg, const struct xml_element *element)
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
on_end(void *arg)
{
	struct document_parser *document = arg;

	if (document->sitemap != NULL)
		sitemap_end(document->sitemap);
	else
		feed_end(document->feed);
}

static void
on_text(void *arg, struct slice text)
{
	struct document_parser *document = arg;

	if (document->sitemap != NULL)
		sitemap_text(document->sitemap, text);
	else
		feed_text(document->feed, text);
}

static bool
on_markup(void *arg, struct slice utf8)
{
	struct document_parser *document = arg;

	return xml_feed(document->xml, utf8);
}

static bool
on_begin(void *arg, enum charset_form form, uint32_t line)
{
	struct document_parser *document = arg;
	const struct read_limits *limits = &document->scope->limits;
	const struct profile *profile = &document->scope->location.profile;
	struct xml_events xml_events = {.start = on_start,
	    .end = on_end,
	    .text = on_text,
	    .finding = on_finding,
	    .arg = document};
	struct prolog_options prolog_options = {
	    .is_doctype_skipped = profile->doctype == DOCTYPE_SKIP,
	    .out = on_markup,
	    .finding = on_finding,
	    .arg = document};

	switch (form) {
	case CHARSET_BLANK:
		return true;
	case CHARSET_MARKUP:
		document->xml = xml_new(&xml_events, limits, line);
		document->prolog = prolog_new(&prolog_options, line);
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

	if (document->prolog != NULL)
		return prolog_feed(document->prolog, utf8);
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
	prolog_free(document->prolog);
	xml_free(document->xml);
	charset_free(document->charset);
	free(document);
}

static bool
finish_stages(struct document_parser *document, bool is_whole)
{
	if (document->textlist != NULL)
		return textlist_finish(document->textlist, is_whole);
	if (document->prolog != NULL)
		return prolog_finish(document->prolog) &&
		    xml_finish(document->xml, is_whole);
	return true;
}

/* stop(document): find out which stage refused more bytes. */
static bool
stop(struct document_parser *document)
{
	enum diag_code code = charset_failure(document->charset);

	document->is_stopped = true;
	/*
	 * The stages still hold complete entries from before the bad character.
	 */
	if (code == DIAG_PARSE_ERROR)
		(void)finish_stages(document, false);
	if (code == DIAG_OK && document->prolog != NULL)
		code = prolog_failure(document->prolog);
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
	return charset_feed(document->charset, bytes) || stop(document);
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
		return stop(document);
	if (!finish_stages(document, is_whole))
		return stop(document);
	document->is_finished = is_whole;
	if (is_whole && document->prolog == NULL &&
	    document->textlist == NULL) {
		document->failure = DIAG_EMPTY_FILE;
		on_finding(document, DIAG_EMPTY_FILE, 0, slice_of(NULL));
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
