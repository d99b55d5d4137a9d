/* libxml2's push parser, with limits. */
#include "crawler/parse/xml.h"

#include <assert.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/charset.h"

/* HOSTILE F13: how much the parser holds back can be tested between chunks
 * only. */
#define CHUNK 16384
/* In a CDATA section the parser reports 300 bytes a call and scans all that it
 * holds each time, so it gets small pieces there. */
#define CDATA_CHUNK 1024

/* The functions of libxml2, which needs ICU: xml_warm() loads it, because the
 * scanner reads most sitemaps without it.  A libxml2 from 2.14 on has another
 * ABI, and is linked. */
/* clang-format off */
#if LIBXML_VERSION < 21400
#define LINKED(name) NULL,
#define VERSION(F) F(__xmlParserVersion)
#define RUNNING_VERSION (*libxml2.__xmlParserVersion())
#else
#define LINKED(name) name,
#define VERSION(F)
#define RUNNING_VERSION xmlParserVersion
#endif
#define FUNCTIONS(F) \
	F(xmlInitParser) F(xmlSetExternalEntityLoader) \
	F(xmlSetGenericErrorFunc) F(xmlCreatePushParserCtxt) \
	F(xmlCtxtUseOptions) F(xmlSwitchEncoding) F(xmlParseChunk) \
	F(xmlStopParser) F(xmlSAX2GetLineNumber) F(xmlFreeParserCtxt) VERSION(F)
/* clang-format on */

static struct {
	FUNCTIONS(LATE_POINTER)
} libxml2 = {FUNCTIONS(LINKED)};

struct xml {
	struct xml_events events;
	struct read_limits limits;
	xmlParserCtxtPtr parser; /* owned */
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
	/* the text begins at the parser's position; else it ends there */
	bool is_cdata;
};

uint32_t
xml_line(const struct xml *xml, const char *at)
{
	int number = libxml2.xmlSAX2GetLineNumber(xml->parser);
	uint32_t line = xml->first_line +
	    (number > 0 ? (uint32_t)number - 1 : 0);

	if (at == NULL)
		return line;
	size_t before = (size_t)(at - xml->text.p);
	struct slice between = xml->is_cdata ? slice_make(xml->text.p, before)
					     : slice_from(xml->text, before);
	uint32_t ends = (uint32_t)slice_count(between, '\n');
	return xml->is_cdata ? line + ends : line - ends;
}

void
xml_stop(struct xml *xml)
{
	xml->is_stopped = true;
	libxml2.xmlStopParser(xml->parser);
}

void
xml_fail(struct xml *xml, enum diag_code code, uint32_t line, struct slice text)
{
	if (xml->is_stopped)
		return;
	*xml->events.failure = code;
	xml->events.finding(
	    xml->events.arg, code, line > 0 ? line : xml_line(xml, NULL), text);
	xml_stop(xml);
}

static void
xml_on_start(void *arg, const xmlChar *local, const xmlChar *prefix,
    const xmlChar *uri, int namespace_count, const xmlChar **namespaces,
    int attribute_count, int default_count, const xmlChar **attributes)
{
	struct xml *xml = arg;
	const xmlChar *end = xml->parser->input->cur;
	struct xml_element element = {.local = slice_of((const char *)local),
	    .uri = (const char *)uri,
	    .is_undeclared = prefix != NULL && uri == NULL};

	(void)namespaces;
	(void)default_count;
	/* The parser reports a start tag before it notices that a cut document
	 * ends inside the tag, and perhaps inside its name. */
	if (xml->is_stopped ||
	    (end[0] != '>' && (end[0] != '/' || end[1] != '>')))
		return;
	element.line = xml_line(xml, NULL);
	xml->has_root = true;
	if (++xml->depth > xml->limits.max_depth) {
		xml_fail(xml, DIAG_XML_LIMIT, 0, slice_of("too deep"));
		return;
	}
	if ((uint32_t)namespace_count + (uint32_t)attribute_count >
	    xml->limits.max_attributes) {
		xml_fail(xml, DIAG_XML_LIMIT, 0, slice_of("attributes"));
		return;
	}
	xml->attributes = attributes;
	xml->attribute_count = attribute_count;
	/* Report prefixes that are not declared: first that of the element,
	 * then those of its attributes. */
	for (int i = -1; i < attribute_count; i++) {
		const xmlChar *used = i < 0 ? prefix : attributes[5 * i + 1];
		const xmlChar *space = i < 0 ? uri : attributes[5 * i + 2];

		if (used != NULL && space == NULL)
			xml->events.finding(xml->events.arg,
			    DIAG_UNDECLARED_PREFIX, element.line,
			    slice_of((const char *)used));
	}
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
xml_on_text(void *arg, const xmlChar *text, int len)
{
	struct xml *xml = arg;

	if (xml->is_stopped)
		return;
	xml->text = slice_make((const char *)text, (size_t)len);
	xml->events.text(xml->events.arg, xml->text);
}

/* on_cdata: SPEC R-41: a section counts as a value, even if the value is not
 * used. Only in CDATA does libxml2 accept overlong sequences as characters. */
static void
on_cdata(void *arg, const xmlChar *text, int len)
{
	struct xml *xml = arg;

	xml->cdata_bytes += (uint64_t)len;
	if (xml->cdata_bytes > (uint64_t)xml->limits.max_text + CHUNK)
		xml_fail(
		    xml, DIAG_XML_LIMIT, 0, slice_of("long CDATA section"));
	else if (!utf8_is_valid(slice_make((const char *)text, (size_t)len)))
		xml_fail(xml, DIAG_PARSE_ERROR, 0, slice_of("not UTF-8"));
	else {
		xml->is_cdata = true;
		xml_on_text(xml, text, len);
		xml->is_cdata = false;
	}
}

/* on_doctype: HOSTILE F11: fail before an entity can be declared; wellFormed of
 * libxml2 stays 1. */
static void
on_doctype(void *arg, const xmlChar *name, const xmlChar *external_id,
    const xmlChar *system_id)
{
	(void)external_id;
	(void)system_id;
	xml_fail(arg, DIAG_DOCTYPE_PRESENT, 0, slice_of((const char *)name));
}

static const char bare_ampersand[] = "an & that is not written &amp;";

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
	    (xml->parser->input->cur == xml->parser->input->end ||
		error->code == XML_ERR_DOCUMENT_END))
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
	xml_fail(xml, DIAG_PARSE_ERROR,
	    xml->first_line + (error->line > 0 ? (uint32_t)error->line - 1 : 0),
	    message);
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
	late_load("libxml2.so.2", LATE_NAMES(FUNCTIONS), &libxml2);
	libxml2.xmlInitParser();
	libxml2.xmlSetExternalEntityLoader(xml_refuse);
	libxml2.xmlSetGenericErrorFunc(NULL, no_message);
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
	xml->parser = libxml2.xmlCreatePushParserCtxt(&sax, xml, NULL, 0, NULL);
	if (xml->parser == NULL)
		abort();
	/* charset.c has converted the document: all input is UTF-8. */
	int rc = libxml2.xmlCtxtUseOptions(
	    xml->parser, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
	assert(rc == 0);
	/* Without this call the parser would guess from the first four bytes.
	 */
	rc = libxml2.xmlSwitchEncoding(xml->parser, XML_CHAR_ENCODING_UTF8);
	assert(rc == 0);
	return xml;
}

void
xml_free(struct xml *xml)
{
	if (xml == NULL)
		return;
	libxml2.xmlFreeParserCtxt(xml->parser);
	buf_release(&xml->value);
	free(xml);
}

/* xml_parse(xml, bytes): give bytes to the parser. The parser would take an
 * incomplete character for an invalid one, so it gets an incomplete character
 * only at the very end. */
static bool
xml_parse(struct xml *xml, struct slice bytes)
{
	xmlParserCtxtPtr parser = xml->parser;

	while (bytes.len > 0 && !xml->is_stopped) {
		bool is_cdata = parser->instate == XML_PARSER_CDATA_SECTION;
		size_t held = SIZE_MAX, before;
		struct slice piece = bytes;

		if (is_cdata && piece.len > CDATA_CHUNK) {
			piece.len = CDATA_CHUNK;
			piece.len -= utf8_cut(piece);
		}
		bytes = slice_from(bytes, piece.len);
		(void)libxml2.xmlParseChunk(parser, piece.p, (int)piece.len, 0);
		/* Make the parser report the bytes that it holds of a CDATA
		 * section that goes on. */
		for (;;) {
			if (xml->is_stopped)
				return false;
			before = held;
			held = (size_t)(parser->input->end -
			    parser->input->cur);
			is_cdata = parser->instate == XML_PARSER_CDATA_SECTION;
			if (!is_cdata || held >= before)
				break;
			(void)libxml2.xmlParseChunk(parser, NULL, 0, 0);
		}
		if (!is_cdata)
			xml->cdata_bytes = 0;

		/* A token without an end takes quadratic time; a reference
		 * without ';' is such a token. */
		if (held > xml->limits.max_pending) {
			if (parser->input->cur[0] == '&')
				xml_fail(xml, DIAG_PARSE_ERROR, 0,
				    slice_of(bare_ampersand));
			else
				xml_fail(xml, DIAG_XML_LIMIT, 0,
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
	(void)libxml2.xmlParseChunk(xml->parser, NULL, 0, 1);
	if (xml->is_stopped)
		return false;
	/* A failure that libxml2 did not report is better than a wrong result.
	 */
	if (!xml->parser->wellFormed)
		xml_fail(xml, DIAG_PARSE_ERROR, 0, slice_of("not well-formed"));
	return !xml->is_stopped;
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
		*name = slice_of((const char *)attribute[0]);
		return true;
	}
	return false;
}

void
xml_library(struct library *library)
{
	char text[48];
	long running;

	xml_warm();
	/* "20914", perhaps with a suffix, means 2.9.14 */
	running = strtol(RUNNING_VERSION, NULL, 10);
	(void)snprintf(text, sizeof(text), "%ld.%ld.%ld", running / 10000,
	    running / 100 % 100, running % 100);
	*library = library_make("libxml2", LIBXML_DOTTED_VERSION, text);
}
