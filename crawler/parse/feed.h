/* RSS 2.0, RSS 1.0 in RDF, and Atom, from XML events (SPEC ). */
#ifndef FRESHET_FEED_H
#define FRESHET_FEED_H

#include <stdbool.h>

#include "crawler/parse/parser.h"
#include "crawler/parse/xml.h"

struct feed;

/* feed_new(xml, events, limits): xml and events are borrowed. */
struct feed *feed_new(
    struct xml *, const struct parser_events *, const struct read_limits *);
void feed_free(struct feed *);

/* feed_is_root(local): is local "rss", "RDF" or "feed"? */
bool feed_is_root(struct slice local);

/*
 * feed_start, feed_end, feed_text: the xml_events of the document, from its
 * root on. They stop xml when an event returns false, and fail it with
 * XML_LIMIT when a value is longer than max_text. Findings: MISSING_TAG (an
 * entry without a usable link), NESTED_MARKUP, EMPTY_TAG (a date).
 */
void feed_start(struct feed *, const struct xml_element *);
void feed_end(struct feed *);
void feed_text(struct feed *, struct slice);

#endif
