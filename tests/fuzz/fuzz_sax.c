/*
 * Any bytes as XML: the events are the same wherever the parser's chunks are
 * cut, no limit is passed, and what is taken for well-formed is so for another
 * parser, with the same elements, values and text.
 *
 *	byte 0: bytes given at once
 *	byte 1: where in the document a chunk of the parser ends
 *	rest:   the document, UTF-8 or not
 */
#include <assert.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/parse/charset.h"
#include "crawler/parse/xml.h"
#include "tests/fuzz/fuzz.h"

#define CHUNK 16384 /* of the parser */
#define MAX_DEPTH 16
#define MAX_ATTRIBUTES 8
#define EVENTS_MAX (1 << 22)

/* The events; text counts only if a tag follows it. */
struct log {
	struct buf events;
	struct buf names; /* namespaces and names of the elements */
	struct buf text;
	struct xml *xml;
	uint32_t depth;
	enum diag_code failure;
	bool is_undeclared;
	bool is_doctype;
};

static void
log_init(struct log *log)
{
	*log = (struct log){0};
	buf_init(&log->events, EVENTS_MAX);
	buf_init(&log->names, EVENTS_MAX);
	buf_init(&log->text, EVENTS_MAX);
}

static void
log_release(struct log *log)
{
	buf_release(&log->events);
	buf_release(&log->names);
	buf_release(&log->text);
}

/* Line ends are not compared: when input comes in pieces, libxml2 leaves
 * those of CDATA as they are, and no value that freshet reads depends on
 * them. */
static void
log_tag(struct log *log, char kind)
{
	struct slice text = buf_text(&log->text);

	for (size_t i = 0; i < text.len; i++) {
		if (i == 0)
			(void)buf_put_char(&log->events, 'T');
		if (text.p[i] != '\r' && text.p[i] != '\n')
			(void)buf_put_char(&log->events, text.p[i]);
	}
	buf_clear(&log->text);
	(void)buf_put_char(&log->events, kind);
}

static void
log_value(struct buf *out, struct slice value)
{
	(void)buf_put_char(out, '=');
	(void)buf_put_slice(out, value);
	(void)buf_put_char(out, '\0');
}

/* Ours. */

static void
on_start(void *arg, const struct xml_element *element)
{
	struct log *log = arg;
	struct slice value;

	assert(++log->depth <= MAX_DEPTH);
	assert(element->line > 0 && element->local.len > 0);
	log->is_undeclared |= element->is_undeclared;
	log_tag(log, 'S');
	log_value(&log->names, slice_of(element->uri));
	log_value(&log->names, element->local);
	if (xml_attribute(log->xml, "a", &value))
		log_value(&log->events, value);
	(void)xml_stray_attribute(log->xml, &value);
}

static void
on_end(void *arg)
{
	struct log *log = arg;

	assert(log->depth-- > 0);
	log_tag(log, 'E');
}

static void
on_text(void *arg, struct slice text)
{
	struct log *log = arg;

	assert(log->depth > 0);
	(void)buf_put_slice(&log->text, text);
}

static void
on_finding(void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	struct log *log = arg;

	(void)line;
	(void)text;
	if (code == DIAG_UNDECLARED_PREFIX) {
		log->is_undeclared = true;
		return;
	}
	assert(code == DIAG_PARSE_ERROR || code == DIAG_XML_LIMIT ||
	    code == DIAG_DOCTYPE_PRESENT);
	assert(log->failure == DIAG_OK);
	log->failure = code;
}

static void
run(struct log *log, struct slice text, size_t chunk)
{
	enum diag_code failure = DIAG_OK;
	struct xml_events events = {
	    on_start, on_end, on_text, on_finding, log, &failure};
	struct read_limits limits = read_limits_default();
	bool is_wanted = true;

	limits.max_depth = MAX_DEPTH;
	limits.max_attributes = MAX_ATTRIBUTES;
	log->xml = xml_new(&events, &limits, 1);
	while (text.len > 0 && is_wanted) {
		size_t n = chunk < text.len ? chunk : text.len;

		is_wanted = xml_feed(log->xml, slice_make(text.p, n));
		text = slice_from(text, n);
	}
	bool is_good = xml_finish(log->xml, true);
	assert(is_good == (log->failure == DIAG_OK));
	assert(failure == log->failure);
	assert(!is_good || log->depth == 0);
	xml_free(log->xml);
}

/* pad(out, text, at): text with so much white space in front of its elements
 * that a chunk of the parser ends at `at`. */
static void
pad(struct buf *out, struct slice text, size_t at)
{
	const char *declared = NULL;
	size_t front = 0;

	if (slice_starts(text, slice_of("<?xml")))
		declared = memmem(text.p, text.len, "?>", 2);
	if (declared != NULL)
		front = (size_t)(declared + 2 - text.p);
	(void)buf_put(out, text.p, front);
	if (at < front)
		at = front;
	if (at < CHUNK && buf_reserve(out, CHUNK)) {
		memset(out->p + out->len, ' ', CHUNK - at);
		out->len += CHUNK - at;
	}
	(void)buf_put_slice(out, slice_from(text, front));
}

/* The other parser. */

#define BETWEEN '\f' /* a character that XML forbids */

static void
other_start(void *arg, const XML_Char *name, const XML_Char **attributes)
{
	struct log *log = arg;
	const char *between = strrchr(name, BETWEEN);

	log_tag(log, 'S');
	log_value(&log->names,
	    slice_make(name, between == NULL ? 0 : (size_t)(between - name)));
	log_value(&log->names, slice_of(between == NULL ? name : between + 1));
	for (; attributes[0] != NULL; attributes += 2)
		if (strcmp(attributes[0], "a") == 0)
			log_value(&log->events, slice_of(attributes[1]));
}

static void
other_end(void *arg, const XML_Char *name)
{
	(void)name;
	log_tag(arg, 'E');
}

static void
other_text(void *arg, const XML_Char *text, int len)
{
	struct log *log = arg;

	(void)buf_put(&log->text, text, (size_t)len);
}

static void
other_doctype(void *arg, const XML_Char *name, const XML_Char *system,
    const XML_Char *public_id, int has_subset)
{
	struct log *log = arg;

	(void)name;
	(void)system;
	(void)public_id;
	(void)has_subset;
	log->is_doctype = true;
}

/* Parse the text with the other parser; returns whether it is well-formed. */
static bool
run_other(struct log *log, struct slice text, XML_Parser parser)
{
	assert(parser != NULL);
	log_init(log);
	XML_SetUserData(parser, log);
	XML_SetElementHandler(parser, other_start, other_end);
	XML_SetCharacterDataHandler(parser, other_text);
	XML_SetStartDoctypeDeclHandler(parser, other_doctype);
	bool is_good = XML_Parse(parser, text.p, (int)text.len, 1) ==
	    XML_STATUS_OK;
	XML_ParserFree(parser);
	return is_good;
}

/* Must the two parsers agree on whether the text is well-formed?  The other
 * parser detects UTF-16 and takes any version. */
static bool
is_plain(struct slice text)
{
	return utf8_is_valid(text) && memchr(text.p, '\0', text.len) == NULL &&
	    (!slice_starts(text, slice_of("<?xml")) ||
		slice_starts(text, slice_of("<?xml version=\"1.0\"")));
}

/* The other parser stops at wrong namespaces, freshet does not; so the other
 * parser reads the text twice, with and without namespaces.  For libxml2, a
 * text with two colons is no name. */
static void
check_other(const struct log *ours, struct slice text)
{
	struct log log;
	bool is_good = run_other(&log, text, XML_ParserCreate("UTF-8"));

	if (ours->failure == DIAG_OK) {
		assert(is_good && !log.is_doctype);
		assert(slice_equal(
		    buf_text(&ours->events), buf_text(&log.events)));
	}
	log_release(&log);
	is_good = run_other(&log, text, XML_ParserCreateNS("UTF-8", BETWEEN));
	if (ours->failure != DIAG_OK && is_good && !log.is_doctype &&
	    is_plain(text))
		assert(ours->failure == DIAG_XML_LIMIT);
	/* libxml2 leaves an ampersand in a namespace as a reference; no known
	 * namespace has one. */
	struct slice names = buf_text(&ours->names);
	if (is_good && ours->failure == DIAG_OK && !ours->is_undeclared &&
	    memmem(names.p, names.len, "&#38;", 5) == NULL)
		assert(
		    slice_equal(buf_text(&ours->names), buf_text(&log.names)));
	log_release(&log);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	xml_warm();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log whole, cut;
	struct buf padded;

	if (size < 2)
		return 0;
	struct slice text = slice_make((const char *)data + 2, size - 2);
	log_init(&whole);
	log_init(&cut);
	buf_init(&padded, EVENTS_MAX);
	pad(&padded, text, (size_t)data[1] * text.len / 255);
	run(&whole, text, SIZE_MAX);
	run(&cut, buf_text(&padded), (size_t)data[0] + 1);
	assert(whole.failure == cut.failure);
	assert(slice_equal(buf_text(&whole.events), buf_text(&cut.events)));
	check_other(&whole, text);
	log_release(&whole);
	log_release(&cut);
	buf_release(&padded);
	return 0;
}
