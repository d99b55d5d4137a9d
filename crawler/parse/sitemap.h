/* Sitemaps, sitemap indexes and feeds, from XML events (SPEC,
 * */
#ifndef FRESHET_SITEMAP_H
#define FRESHET_SITEMAP_H

#include <stdbool.h>

#include "crawler/parse/parser.h"
#include "crawler/parse/scope.h"
#include "crawler/parse/xml.h"

/* The children of an entry in the order of the schema. */
enum xsd_child {
	XSD_LOC,
	XSD_LASTMOD,
	XSD_CHANGEFREQ,
	XSD_PRIORITY,
	XSD_FOREIGN /* an element of another namespace */
};

/* xsd_judge(child, text, loc_max): what the schema forbids in the value of a
 * child, as written and not blank, that other rules accept; NULL: nothing.
 * loc_max: the most characters of a loc in the profile. */
const char *xsd_judge(enum xsd_child, struct slice text, size_t loc_max);

struct sitemap;

/* The namespace of the protocol; of all that are accepted, the only one that
 * causes no finding (SPEC R-06). */
#define SITEMAP_NAMESPACE "http://www.sitemaps.org/schemas/sitemap/0.9"

/* sitemap_new(xml, events, scope, root): for a document with that root element;
 * the others are borrowed. NULL: it is neither a sitemap nor a feed. */
struct sitemap *sitemap_new(struct xml *, const struct parser_events *,
    const struct scope *, const struct xml_element *root);
void sitemap_free(struct sitemap *);

/* sitemap_start, sitemap_end, sitemap_text: the xml_events of the document,
 * from its root on. They stop xml when an event returns false; they fail it
 * with MISSING_NAMESPACE, LEGACY_NAMESPACE or INCORRECT_NAMESPACE (under the
 * namespace rule "exact"), and with XML_LIMIT when a value is longer than
 * max_text. Findings: those three, MISSING_TAG, DUPLICATE_TAG, UNKNOWN_TAG,
 * NESTED_MARKUP, UNEXPECTED_TEXT, EMPTY_TAG; with the checks of the scope those
 * of extension.h, ELEMENT_ORDER and SCHEMA_VIOLATION. */
void sitemap_start(struct sitemap *, const struct xml_element *);
void sitemap_end(struct sitemap *);
void sitemap_text(struct sitemap *, struct slice);

#endif
