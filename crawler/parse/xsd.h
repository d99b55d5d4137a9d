/* Rules that only the schemas of urlset and index contain (SPEC ). A
 * breach is reported, and never changes the reading. */
#ifndef FRESHET_XSD_H
#define FRESHET_XSD_H

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

struct xsd;

/* xsd_new(xml, events, scope): all are borrowed. */
struct xsd *xsd_new(
    struct xml *, const struct parser_events *, const struct scope *);
void xsd_free(struct xsd *);

/*
 * Called from start events, in the order of the document: xsd_root for the
 * root, xsd_entry for each sitemap or url, xsd_child for each child that is
 * read, xsd_foreign for elements beside the entries. Findings: ELEMENT_ORDER,
 * SCHEMA_VIOLATION.
 */
void xsd_root(struct xsd *, bool is_index);
void xsd_entry(struct xsd *);
void xsd_child(struct xsd *, const struct xml_element *, enum xsd_child);
void xsd_foreign(struct xsd *, const struct xml_element *);

/*
 * xsd_judge(child, text, loc_max): what the schema forbids in the value of a
 * child, as written and not blank, that other rules accept; NULL: nothing.
 * loc_max: the most characters of a loc in the profile.
 * xsd_value(xsd, child, text): such a value ends; SCHEMA_VIOLATION.
 */
const char *xsd_judge(enum xsd_child, struct slice text, size_t loc_max);
void xsd_value(struct xsd *, enum xsd_child, struct slice text);

#endif
