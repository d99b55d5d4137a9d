/*
 * XML as events, from documents that are well-formed, not deeply nested and
 * without a DTD (SPEC; HOSTILE F11 to F14, T14, T15).
 */
#ifndef FRESHET_XML_H
#define FRESHET_XML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/late.h"
#include "base/slice.h"
#include "crawler/parse/scope.h"

struct xml;

/* The namespace of attributes that concern a schema. */
#define XML_SCHEMA_INSTANCE "http://www.w3.org/2001/XMLSchema-instance"

struct xml_element {
	struct slice local;
	/* The namespace; NULL: none. In one parser, equal namespaces have equal
	 * pointers. */
	const char *uri;
	uint32_t line;
	/* the prefix is not declared, which is reported already (SPEC R-113) */
	bool is_undeclared;
};

/* The events are called from xml_feed and xml_finish, and never after xml_stop.
 */
struct xml_events {
	void (*start)(void *arg, const struct xml_element *);
	void (*end)(void *arg);
	/* Text comes in pieces; references and CDATA are decoded. Comments and
	 * processing instructions are dropped. */
	void (*text)(void *arg, struct slice);
	/* UNDECLARED_PREFIX, or the failure, which comes once. */
	void (*finding)(
	    void *arg, enum diag_code, uint32_t line, struct slice text);
	void *arg;
	enum diag_code *failure; /* borrowed; written when the document fails */
};

/* xml_new(events, limits, line): line is the number of the first line. */
struct xml *xml_new(
    const struct xml_events *, const struct read_limits *, uint32_t line);
void xml_free(struct xml *);

/*
 * xml_feed(xml, utf8): parse more of the document; the encoding that it
 * declares is ignored. False when no more bytes are wanted, because xml_stop
 * was called, or because of a failure: PARSE_ERROR, XML_LIMIT or
 * DOCTYPE_PRESENT. The events do not depend on how the bytes are cut into
 * feeds.
 *
 * xml_finish(xml, is_whole): the document ends. is_whole is false if an earlier
 * stage broke off: elements that are closed are still reported, and the missing
 * rest is no failure. Returns false as xml_feed does.
 */
bool xml_feed(struct xml *, struct slice utf8);
bool xml_finish(struct xml *, bool is_whole);

/* xml_stop(xml): called from an event: send no more events. */
void xml_stop(struct xml *);

/* xml_fail(xml, code, line, text): the same, and code is the failure; line 0:
 * the line at which the parser stands. */
void xml_fail(struct xml *, enum diag_code, uint32_t line, struct slice text);

/* xml_line(xml, at): the line at which the parser stands; in a text event, the
 * line of the byte `at` of its text, unless at is NULL. */
uint32_t xml_line(const struct xml *, const char *at);

/* xml_attribute(xml, name, value): called from a start event: the value of the
 * attribute of that name without a namespace; false: there is none. The value
 * is normalised as XML demands, and borrowed until the next call or the end of
 * the event. */
bool xml_attribute(struct xml *, const char *name, struct slice *value);

/* xml_stray_attribute(xml, name): called from a start event: the name of the
 * first attribute that does not concern a schema; false: there is none. */
bool xml_stray_attribute(struct xml *, struct slice *name);

/* xml_warm(): load what libxml2 would load at its first use, and forbid libxml2
 * to open files. */
void xml_warm(void);

/* xml_library(library): the version of libxml2. */
void xml_library(struct library *);

#endif
