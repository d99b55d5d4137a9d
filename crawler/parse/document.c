/*
 * The stages of a document, connected: the form of its markup, text lists, and
 * sitemaps and feeds (sitemap.c).  Each begins when it is needed.
 */
#include "crawler/parse/document.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/sitemap.h"

struct prolog {
	enum diag_code failure; /* HTML_NOT_SITEMAP or DOCTYPE_PRESENT */
	struct buf held; /* what is not whole, and not passed on yet */
	uint32_t line; /* of its first byte */
	bool has_doctype;
	bool is_done;
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

struct document_parser {
	const struct parser_events *events;
	const struct scope *scope;
	struct charset charset;
	struct xml *xml; /* exists for markup only */
	struct prolog prolog; /* of markup */
	struct sitemap *sitemap; /* one of these two exists at most */
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

	if (document->sitemap == NULL)
		document->sitemap = sitemap_new(
		    document->xml, document->events, document->scope, element);
	if (document->sitemap != NULL)
		sitemap_start(document->sitemap, element);
	else
		xml_fail(
		    document->xml, DIAG_UNSUPPORTED_FORMAT, 0, element->local);
}

static void
document_on_end(void *arg)
{
	struct document_parser *document = arg;

	sitemap_end(document->sitemap);
}

static void
document_on_text(void *arg, struct slice text)
{
	struct document_parser *document = arg;

	sitemap_text(document->sitemap, text);
}

/*
 * The part of markup before the root element: comments, instructions and a
 * document type, each of which is held until it is whole, and the name of the
 * first tag.  It tells web pages from XML (SPEC R-05), and a document type is
 * found before any parser sees it (SPEC R-04).  What is longer than max_pending
 * is left to the XML parser, with all that follows.
 */

/* prolog_behind(text, at, mark): the offset behind the next mark from `at` on;
 * 0: there is none. */
static size_t
prolog_behind(struct slice text, size_t at, const char *mark)
{
	size_t n = strlen(mark);
	const char *found = memmem(text.p + at, text.len - at, mark, n);

	return found == NULL ? 0 : (size_t)(found - text.p) + n;
}

/* prolog_misc(text): the length of the comment or instruction at the beginning
 * of text; 0: it is not whole; 1: there is something else. */
static size_t
prolog_misc(struct slice text)
{
	if (slice_starts(text, slice_of("<!--")))
		return prolog_behind(text, 4, "-->");
	return slice_starts(text, slice_of("<?")) ? prolog_behind(text, 2, "?>")
						  : 1;
}

/* prolog_dtd(text, at): the offset behind a document type, of which `at` is
 * behind the name; 0: it is not whole. */
static size_t
prolog_dtd(struct slice text, size_t at)
{
	bool is_in_subset = false;

	for (size_t n = 1; at < text.len && n > 0; at += n) {
		struct slice rest = slice_from(text, at);
		const char mark[] = {rest.p[0], '\0'};

		n = prolog_misc(rest);
		if (mark[0] == '"' || mark[0] == '\'')
			n = prolog_behind(rest, 1, mark);
		else if (mark[0] == '[' || mark[0] == ']')
			is_in_subset = mark[0] == '[';
		else if (mark[0] == '>' && !is_in_subset)
			return at + 1;
	}
	return 0;
}

/* prolog_token(document, text): the length of what stands at the beginning of
 * text, which is not empty; 0: it is not whole, or the prolog is done, or has
 * failed. */
static size_t
prolog_token(struct document_parser *document, struct slice text)
{
	const struct slice word = slice_of("<!DOCTYPE");
	struct prolog *prolog = &document->prolog;
	const char *open = memchr(text.p, '<', text.len);
	bool is_tag = text.len > 1 && text.p[1] != '!';
	size_t n = text.len < word.len ? text.len : word.len;
	size_t at = is_tag ? 1 : word.len, end, misc = prolog_misc(text);
	const char *colon;
	struct slice name;
	uint32_t line;

	if (open != text.p)
		return open == NULL ? text.len : (size_t)(open - text.p);
	if (misc != 1)
		return misc;
	if (!is_tag && !slice_starts(slice_of("<!--"), text) &&
	    !slice_equal_nocase(slice_make(text.p, n), slice_make(word.p, n))) {
		prolog->is_done = true;
		return 0;
	}
	while (!is_tag && at < text.len && ascii_is_space(text.p[at]))
		at++;
	for (end = at; end < text.len && !ascii_is_space(text.p[end]) &&
	     strchr(">/[", text.p[end]) == NULL;)
		end++;
	if (end >= text.len)
		return 0;
	name = slice_make(text.p + at, end - at);
	colon = is_tag ? memchr(name.p, ':', name.len) : NULL;
	if (colon != NULL)
		name = slice_from(name, (size_t)(colon - name.p) + 1);
	line = prolog->line +
	    (uint32_t)slice_count(slice_make(text.p, end + 1), '\n');
	if (slice_equal_nocase(name, slice_of("html")))
		prolog->failure = DIAG_HTML_NOT_SITEMAP;
	else if (is_tag || prolog->has_doctype || !slice_starts(text, word))
		/* A doctype in lower case and a second one are no XML: the XML
		 * parser reports them. */
		prolog->is_done = true;
	else if (document->scope->location.profile.doctype != DOCTYPE_SKIP)
		prolog->failure = DIAG_DOCTYPE_PRESENT;
	if (prolog->failure != DIAG_OK)
		document_on_finding(document, prolog->failure, line, name);
	if (prolog->failure != DIAG_OK || prolog->is_done)
		return 0;
	n = prolog_dtd(text, end);
	if (n == 0)
		return 0;
	prolog->has_doctype = true;
	document_on_finding(document, DIAG_DOCTYPE_PRESENT, line, name);
	return n;
}

/* prolog_pass(document): pass on what is whole of what is held, and all of it
 * behind the prolog. */
static bool
prolog_pass(struct document_parser *document)
{
	struct prolog *prolog = &document->prolog;
	struct buf *held = &prolog->held;
	size_t at = 0, n = 1;
	bool is_dtd;

	while (at < held->len && n > 0) {
		struct slice rest = slice_from(buf_text(held), at);

		n = prolog_token(document, rest);
		prolog->is_done |= n == 0 && rest.len == held->max;
		if (prolog->failure != DIAG_OK)
			return false;
		rest.len = prolog->is_done ? rest.len : n;
		/* A document type that is skipped becomes white space. */
		is_dtd = !prolog->is_done &&
		    slice_starts(rest, slice_of("<!D"));
		for (size_t i = at; is_dtd && i < at + n; i++)
			if (held->p[i] != '\n')
				held->p[i] = ' ';
		prolog->line += (uint32_t)slice_count(rest, '\n');
		if (!xml_feed(document->xml, rest))
			return false;
		at += rest.len;
	}
	held->len -= at;
	memmove(held->p, held->p + at, held->len);
	return true;
}

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
		buf_init(&document->prolog.held, limits->max_pending);
		return true;
	case CHARSET_TEXT:
		document->textlist = (struct textlist){
		    .events = document->events, .line = line};
		buf_init(&document->textlist.held, limits->max_text);
		return true;
	}
	return false;
}

/* Pass text on.  False when no more bytes are wanted, because an event or the
 * parser said so, or because of the failure of the prolog. */
static bool
document_on_utf8(void *arg, struct slice utf8)
{
	struct document_parser *document = arg;
	struct buf *held = &document->prolog.held;

	if (document->xml == NULL)
		return textlist_feed(&document->textlist, utf8);
	while (utf8.len > 0 && !document->prolog.is_done) {
		size_t n = held->max - held->len;

		n = n < utf8.len ? n : utf8.len;
		(void)buf_put(held, utf8.p, n);
		utf8 = slice_from(utf8, n);
		if (!prolog_pass(document))
			return false;
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
	buf_release(&document->prolog.held);
	buf_release(&document->textlist.held);
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
		return xml_feed(
			   document->xml, buf_text(&document->prolog.held)) &&
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
