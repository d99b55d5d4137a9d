/* libxml2's push parser, with limits. */
#include "crawler/parse/xml.h"

#include <assert.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/parse/charset.h"

/* HOSTILE F13: how much the parser holds back can be tested between chunks
 * only. */
#define CHUNK 16384
/* In a CDATA section the parser reports 300 bytes a call and scans all that it
 * holds each time, so it gets small pieces there. */
#define CDATA_CHUNK 1024

struct xml {
	struct xml_events events;
	struct read_limits limits;
	xmlParserCtxtPtr parser; /* owned */
	enum diag_code failure;
	bool is_stopped;
	bool is_ending; /* the parser has the whole document */
	bool has_root;
	uint32_t first_line;
	uint32_t depth;
	const xmlChar *
	    *attributes; /* during a start event: 5 pointers for each */
	int attribute_count;
	struct buf value; /* the value that xml_attribute returned last */
	char chunk[CHUNK];
	size_t chunk_len;
	/* an LF that comes next belongs to the same line end */
	bool is_after_cr;
	uint64_t cdata_bytes; /* bytes reported of the open section */
	struct slice text; /* during a text event: its text */
	/* the text ends at the parser's position; else it begins there */
	bool is_behind;
};

static struct slice
span(const xmlChar *text)
{
	return slice_of((const char *)text);
}

static uint32_t
line_at(const struct xml *xml, int line)
{
	return xml->first_line + (line > 0 ? (uint32_t)line - 1 : 0);
}

static uint32_t
line_now(const struct xml *xml)
{
	return line_at(xml, xmlSAX2GetLineNumber(xml->parser));
}

uint32_t
xml_line(const struct xml *xml, const char *at)
{
	if (at == NULL)
		return line_now(xml);
	size_t before = (size_t)(at - xml->text.p);
	struct slice between = xml->is_behind ? slice_from(xml->text, before)
					      : slice_make(xml->text.p, before);
	uint32_t ends = (uint32_t)slice_count(between, '\n');
	return xml->is_behind ? line_now(xml) - ends : line_now(xml) + ends;
}

void
xml_stop(struct xml *xml)
{
	xml->is_stopped = true;
	xmlStopParser(xml->parser);
}

static void
fail_at(struct xml *xml, enum diag_code code, uint32_t line, struct slice text)
{
	if (xml->is_stopped)
		return;
	xml->failure = code;
	xml->events.finding(xml->events.arg, code, line, text);
	xml_stop(xml);
}

void
xml_fail(struct xml *xml, enum diag_code code, struct slice text)
{
	fail_at(xml, code, line_now(xml), text);
}

static void
undeclared(struct xml *xml, const xmlChar *prefix)
{
	xml->events.finding(xml->events.arg, DIAG_UNDECLARED_PREFIX,
	    line_now(xml), span(prefix));
}

static void
xml_on_start(void *arg, const xmlChar *local, const xmlChar *prefix,
    const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
    int attribute_count, int default_count, const xmlChar **attributes)
{
	struct xml *xml = arg;
	const xmlChar *end = xml->parser->input->cur;
	struct xml_element element = {.local = span(local),
	    .uri = (const char *)uri,
	    .is_undeclared = prefix != NULL && uri == NULL};

	(void)namespaces;
	(void)default_count;
	/* The parser reports a start tag before it notices that a cut document
	 * ends inside the tag, and perhaps inside its name. */
	if (xml->is_stopped ||
	    (end[0] != '>' && (end[0] != '/' || end[1] != '>')))
		return;
	element.line = line_now(xml);
	xml->has_root = true;
	if (++xml->depth > xml->limits.max_depth) {
		xml_fail(xml, DIAG_XML_LIMIT, slice_of("too deep"));
		return;
	}
	if ((uint32_t)namespace_count + (uint32_t)attribute_count >
	    xml->limits.max_attributes) {
		xml_fail(xml, DIAG_XML_LIMIT, slice_of("attributes"));
		return;
	}
	xml->attributes = attributes;
	xml->attribute_count = attribute_count;
	if (element.is_undeclared)
		undeclared(xml, prefix);
	for (int i = 0; i < attribute_count; i++)
		if (attributes[5 * i + 1] != NULL &&
		    attributes[5 * i + 2] == NULL)
			undeclared(xml, attributes[5 * i + 1]);
	xml->events.start(xml->events.arg, &element);
	xml->attribute_count = 0;
}

static void
xml_on_end(
    void *arg, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
	struct xml *xml = arg;

	(void)local;
	(void)prefix;
	(void)uri;
	if (xml->is_stopped)
		return;
	xml->depth--;
	xml->events.end(xml->events.arg);
}

static void
send_text(struct xml *xml, const xmlChar *text, int len, bool is_behind)
{
	if (xml->is_stopped)
		return;
	xml->text = slice_make((const char *)text, (size_t)len);
	xml->is_behind = is_behind;
	xml->events.text(xml->events.arg, xml->text);
}

static void
xml_on_text(void *arg, const xmlChar *text, int len)
{
	send_text(arg, text, len, true);
}

/* on_cdata: SPEC R-41: a section counts as a value, even if the value is not
 * used. Only in CDATA does libxml2 accept overlong sequences as characters. */
static void
on_cdata(void *arg, const xmlChar *text, int len)
{
	struct xml *xml = arg;

	xml->cdata_bytes += (uint64_t)len;
	if (xml->cdata_bytes > (uint64_t)xml->limits.max_text + CHUNK)
		xml_fail(xml, DIAG_XML_LIMIT, slice_of("long CDATA section"));
	else if (!utf8_is_valid(slice_make((const char *)text, (size_t)len)))
		xml_fail(xml, DIAG_PARSE_ERROR, slice_of("not UTF-8"));
	else
		send_text(xml, text, len, false);
}

/* on_doctype: HOSTILE F11: fail before an entity can be declared; wellFormed of
 * libxml2 stays 1. */
static void
on_doctype(void *arg, const xmlChar *name, const xmlChar *external_id,
    const xmlChar *system_id)
{
	(void)external_id;
	(void)system_id;
	xml_fail(arg, DIAG_DOCTYPE_PRESENT, span(name));
}

static const char bare_ampersand[] = "an & that is not written &amp;";

static size_t
pending(const struct xml *xml)
{
	const xmlParserInput *in = xml->parser->input;

	return (size_t)(in->end - in->cur);
}

/* on_error: the parser goes on after a warning and after a namespace error,
 * which on_start detects itself.  The most frequent errors are described in
 * words, for people who must correct the document. */
static void
on_error(void *arg, xmlErrorPtr error)
{
	struct xml *xml = arg;
	struct slice message = slice_trim(slice_of(error->message));

	if (error->level != XML_ERR_FATAL)
		return;
	if (xml->is_ending && (xml->depth > 0 || !xml->has_root) &&
	    (pending(xml) == 0 || error->code == XML_ERR_DOCUMENT_END))
		message = slice_of("the document ends early");
	else if (error->code == XML_ERR_DOCUMENT_END)
		message = slice_of("more follows the end of the root element");
	else if (error->code == XML_ERR_ENTITYREF_SEMICOL_MISSING ||
	    (error->code == XML_ERR_NAME_REQUIRED &&
		slice_starts(message, slice_of("xmlParseEntityRef"))))
		message = slice_of(bare_ampersand);
	else if (error->code == XML_ERR_INTERNAL_ERROR ||
	    slice_starts(message, slice_of("Input is not proper UTF-8")))
		message = slice_of("bytes that are not UTF-8");
	fail_at(xml, DIAG_PARSE_ERROR, line_at(xml, error->line), message);
}

/* refuse: the parser may open nothing. */
static xmlParserInputPtr
xml_refuse(const char *url, const char *id, xmlParserCtxtPtr parser)
{
	(void)url;
	(void)id;
	(void)parser;
	return NULL;
}

static void
no_message(void *arg, const char *format, ...)
{
	(void)arg;
	(void)format;
}

void
xml_warm(void)
{
	xmlInitParser();
	xmlSetExternalEntityLoader(xml_refuse);
	xmlSetGenericErrorFunc(NULL, no_message);
}

struct xml *
xml_new(const struct xml_events *events, const struct read_limits *limits,
    uint32_t line)
{
	struct xml *xml = mem_zero(sizeof(*xml));
	xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
	    .startElementNs = xml_on_start,
	    .endElementNs = xml_on_end,
	    .characters = xml_on_text,
	    .ignorableWhitespace = xml_on_text,
	    .cdataBlock = on_cdata,
	    .internalSubset = on_doctype,
	    .serror = on_error};

	xml_warm();
	xml->events = *events;
	xml->limits = *limits;
	xml->first_line = line;
	buf_init(&xml->value, limits->max_pending + CHUNK);
	xml->parser = xmlCreatePushParserCtxt(&sax, xml, NULL, 0, NULL);
	if (xml->parser == NULL)
		abort();
	/* charset.c has converted the document: all input is UTF-8. */
	int rc = xmlCtxtUseOptions(
	    xml->parser, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
	assert(rc == 0);
	/*
	 * Without this call the parser would guess from the first four bytes.
	 */
	rc = xmlSwitchEncoding(xml->parser, XML_CHAR_ENCODING_UTF8);
	assert(rc == 0);
	return xml;
}

void
xml_free(struct xml *xml)
{
	if (xml == NULL)
		return;
	xmlFreeParserCtxt(xml->parser);
	buf_release(&xml->value);
	free(xml);
}

static bool
is_in_cdata(const struct xml *xml)
{
	return !xml->is_stopped &&
	    xml->parser->instate == XML_PARSER_CDATA_SECTION;
}

/* xml_parse(xml, bytes): give bytes to the parser. The parser would take an
 * incomplete character for an invalid one, so it gets an incomplete character
 * only at the very end. */
static bool
xml_parse(struct xml *xml, struct slice bytes)
{
	while (bytes.len > 0 && !xml->is_stopped) {
		struct slice piece = bytes;

		if (is_in_cdata(xml) && piece.len > CDATA_CHUNK) {
			piece.len = CDATA_CHUNK;
			piece.len -= utf8_cut(piece);
		}
		bytes = slice_from(bytes, piece.len);
		(void)xmlParseChunk(xml->parser, piece.p, (int)piece.len, 0);
		/* Make the parser report the bytes that it holds of a CDATA
		 * section that goes on. */
		size_t before = SIZE_MAX;

		while (is_in_cdata(xml) && pending(xml) < before) {
			before = pending(xml);
			(void)xmlParseChunk(xml->parser, NULL, 0, 0);
		}
		if (!is_in_cdata(xml))
			xml->cdata_bytes = 0;

		/* A token without an end takes quadratic time; a reference
		 * without ';' is such a token. */
		if (!xml->is_stopped &&
		    pending(xml) > xml->limits.max_pending) {
			if (xml->parser->input->cur[0] == '&')
				xml_fail(xml, DIAG_PARSE_ERROR,
				    slice_of(bare_ampersand));
			else
				xml_fail(xml, DIAG_XML_LIMIT,
				    slice_of("long token"));
		}
	}
	return !xml->is_stopped;
}

bool
xml_feed(struct xml *xml, struct slice utf8)
{
	while (utf8.len > 0 && !xml->is_stopped) {
		size_t n = CHUNK - xml->chunk_len;

		if (n > utf8.len)
			n = utf8.len;
		/* The parser does not count a CR as a line, and keeps it in
		 * CDATA. */
		xml->chunk_len += line_ends(xml->chunk + xml->chunk_len,
		    slice_make(utf8.p, n), &xml->is_after_cr);
		utf8 = slice_from(utf8, n);
		if (xml->chunk_len < CHUNK)
			continue;
		/* The beginning of a character waits for its end. */
		n = utf8_cut(slice_make(xml->chunk, CHUNK));
		if (!xml_parse(xml, slice_make(xml->chunk, CHUNK - n)))
			return false;
		memmove(xml->chunk, xml->chunk + CHUNK - n, n);
		xml->chunk_len = n;
	}
	return !xml->is_stopped;
}

bool
xml_finish(struct xml *xml, bool is_whole)
{
	size_t len = xml->chunk_len;

	if (!is_whole)
		len -= utf8_cut(slice_make(xml->chunk, len));
	xml->chunk_len = 0;
	if (!xml_parse(xml, slice_make(xml->chunk, len)) || !is_whole)
		return !xml->is_stopped;
	xml->is_ending = true;
	(void)xmlParseChunk(xml->parser, NULL, 0, 1);
	if (xml->is_stopped)
		return false;
	/*
	 * A failure that libxml2 did not report is better than a wrong result.
	 */
	if (!xml->parser->wellFormed)
		xml_fail(xml, DIAG_PARSE_ERROR, slice_of("not well-formed"));
	return !xml->is_stopped;
}

enum diag_code
xml_failure(const struct xml *xml)
{
	return xml->failure;
}

bool
xml_attribute(struct xml *xml, const char *name, struct slice *value)
{
	static const char reference[] = "&#38;";

	for (int i = 0; i < xml->attribute_count; i++) {
		const xmlChar **attribute = xml->attributes + 5 * i;
		const xmlChar *begin = attribute[3];
		const xmlChar *end = attribute[4];

		if (attribute[1] != NULL ||
		    strcmp((const char *)attribute[0], name) != 0)
			continue;
		*value = slice_make((const char *)begin, (size_t)(end - begin));
		if (value->len == 0 || !memchr(value->p, '&', value->len))
			return true;
		/* Without XML_PARSE_NOENT, which is never set (HOSTILE F11),
		 * libxml2 decodes all references in a value, but leaves each
		 * '&' as "&#38;". */
		buf_clear(&xml->value);
		while (value->len > 0) {
			bool is_reference = slice_starts(
			    *value, slice_of(reference));

			(void)buf_put_char(&xml->value, value->p[0]);
			*value = slice_from(
			    *value, is_reference ? sizeof(reference) - 1 : 1);
		}
		*value = buf_text(&xml->value);
		return true;
	}
	return false;
}

bool
xml_stray_attribute(struct xml *xml, struct slice *name)
{
	for (int i = 0; i < xml->attribute_count; i++) {
		const xmlChar **attribute = xml->attributes + 5 * i;
		bool is_undeclared = attribute[1] != NULL &&
		    attribute[2] == NULL;

		if (is_undeclared ||
		    (attribute[2] != NULL &&
			strcmp((const char *)attribute[2],
			    XML_SCHEMA_INSTANCE) == 0))
			continue;
		*name = span(attribute[0]);
		return true;
	}
	return false;
}

void
xml_library(struct library *library)
{
	/* "20914", perhaps with a suffix, means 2.9.14 */
	long running = strtol(xmlParserVersion, NULL, 10);

	*library = (struct library){.name = "libxml2"};
	(void)snprintf(library->built, sizeof(library->built), "%s",
	    LIBXML_DOTTED_VERSION);
	(void)snprintf(library->running, sizeof(library->running),
	    "%ld.%ld.%ld", running / 10000, running / 100 % 100, running % 100);
}
