/*
 * XML as events: what is well-formed, flat and without a DTD (SPEC R-02,
 * HOSTILE F11 to F14, T14, T15).
 */
#ifndef FRESHET_XML_H
#define FRESHET_XML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/library.h"
#include "base/slice.h"
#include "crawler/parse/scope.h"

struct xml;

struct xml_element {
	struct slice local;
	/* The namespace, NULL: none.  Within one parser equal namespaces are
	 * equal pointers. */
	const char *uri;
	uint32_t line;
	bool is_undeclared; /* its prefix is; reported already (SPEC R-113) */
};

/* Called from within xml_feed and xml_finish; never after xml_stop. */
struct xml_events {
	void (*start)(void *arg, const struct xml_element *);
	void (*end)(void *arg);
	/* Text in pieces, references and CDATA undone; comments and
	 * processing instructions leave no trace. */
	void (*text)(void *arg, struct slice);
	/* UNDECLARED_PREFIX, or the failure, once. */
	void (*finding)(
	    void *arg, enum diag_code, uint32_t line, struct slice text);
	void *arg;
};

/* xml_new(events, limits, line): line is the number of the first one. */
struct xml *xml_new(
    const struct xml_events *, const struct read_limits *, uint32_t line);
void xml_free(struct xml *);

/*
 * xml_feed(xml, utf8): more of the document, whatever encoding it declares.
 * False when nothing more is wanted: xml_stop was called, or xml_failure is
 * PARSE_ERROR, XML_LIMIT or DOCTYPE_PRESENT.  Events do not depend on how
 * the bytes are cut into feeds.
 *
 * xml_finish(xml, is_whole): the end.  When not is_whole, because what came
 * before the parser broke, elements closed so far are still told, and that
 * the rest is missing is no failure.  False as xml_feed.
 */
bool xml_feed(struct xml *, struct slice utf8);
bool xml_finish(struct xml *, bool is_whole);
enum diag_code xml_failure(const struct xml *);

/* xml_stop(xml): from an event: no more of them. */
void xml_stop(struct xml *);

/* xml_fail(xml, code, text): the same, and that is its failure. */
void xml_fail(struct xml *, enum diag_code, struct slice text);

/* xml_line(xml, at): where the parser stands; from a text event: the line of
 * its byte there, unless at is NULL. */
uint32_t xml_line(const struct xml *, const char *at);

/*
 * xml_attribute(xml, name, value): from a start event: the value of the
 * attribute without a namespace; false when there is none.  Normalised as
 * XML demands, borrowed until it is called again or the event returns.
 */
bool xml_attribute(struct xml *, const char *name, struct slice *value);

/* xml_stray_attribute(xml, name): from a start event: the name of the first
 * attribute that says nothing about a schema; false when there is none. */
bool xml_stray_attribute(struct xml *, struct slice *name);

/* xml_warm(): load what libxml2 loads lazily, and forbid it to open files. */
void xml_warm(void);

/* xml_library(library): libxml2. */
void xml_library(struct library *);

#endif
