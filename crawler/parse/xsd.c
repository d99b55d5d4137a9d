/* sitemap.xsd of 2008-03-26 and siteindex.xsd of 2009-04-08, checked by
 * hand-written code. */
#include "crawler/parse/xsd.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

#define LOC_MIN 12 /* characters; http://a.b/ has 11 */
#define LOC_MAX 2048
#define SUBJECT_MAX 300 /* bytes of a value in a finding */

struct xsd {
	struct xml *xml;
	const struct parser_events *events;
	size_t loc_max; /* characters; a longer text is no URL at all */
	bool is_index;
	bool has_entry;
	enum xsd_child last; /* the last child of this entry */
	struct buf text; /* the text of a finding */
};

struct xsd *
xsd_new(struct xml *xml, const struct parser_events *events,
    const struct scope *scope)
{
	struct xsd *xsd = mem_zero(sizeof(*xsd));

	xsd->xml = xml;
	xsd->events = events;
	xsd->loc_max = (size_t)scope->location.profile.max_loc_chars;
	buf_init(&xsd->text, SUBJECT_MAX + 100);
	return xsd;
}

void
xsd_free(struct xsd *xsd)
{
	if (xsd == NULL)
		return;
	buf_release(&xsd->text);
	free(xsd);
}

/* xsd_finding(): one code stands for many faults, so the text names the value
 * and the fault. */
static void
xsd_finding(
    struct xsd *xsd, enum diag_code code, struct slice text, const char *reason)
{
	if (text.len > SUBJECT_MAX)
		text.len = SUBJECT_MAX;
	buf_clear(&xsd->text);
	(void)buf_put_slice(&xsd->text, text);
	(void)buf_print(&xsd->text, ": %s", reason);
	xsd->events->finding(xsd->events->arg, code, xml_line(xsd->xml, NULL),
	    buf_text(&xsd->text));
}

/* check_attributes(xsd): the schema permits no attributes. */
static void
check_attributes(struct xsd *xsd)
{
	struct slice name;

	if (xml_stray_attribute(xsd->xml, &name))
		xsd_finding(xsd, DIAG_SCHEMA_VIOLATION, name,
		    "an attribute, of which there are none");
}

/* check_foreign(xsd, element): "##other" permits other namespaces, but not
 * elements without one. An undeclared prefix is reported elsewhere. */
static void
check_foreign(struct xsd *xsd, const struct xml_element *element)
{
	if (element->uri == NULL && !element->is_undeclared)
		xsd_finding(xsd, DIAG_SCHEMA_VIOLATION, element->local,
		    "an element in no namespace");
}

void
xsd_root(struct xsd *xsd, bool is_index)
{
	xsd->is_index = is_index;
	check_attributes(xsd);
}

void
xsd_entry(struct xsd *xsd)
{
	xsd->has_entry = true;
	xsd->last = XSD_LOC;
	check_attributes(xsd);
}

void
xsd_foreign(struct xsd *xsd, const struct xml_element *element)
{
	if (xsd->has_entry)
		xsd_finding(xsd, DIAG_ELEMENT_ORDER, element->local,
		    "stands after an entry");
	check_foreign(xsd, element);
}

void
xsd_child(
    struct xsd *xsd, const struct xml_element *element, enum xsd_child child)
{
	if (child < xsd->last)
		xsd_finding(xsd, DIAG_ELEMENT_ORDER, element->local,
		    "stands after what has to follow it");
	else
		xsd->last = child;
	if (child != XSD_FOREIGN)
		check_attributes(xsd);
	else if (xsd->is_index && element->uri != NULL)
		xsd_finding(xsd, DIAG_SCHEMA_VIOLATION, element->local,
		    "of another namespace, in an index");
	else
		check_foreign(xsd, element);
}

static size_t
count_characters(struct slice text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += ((unsigned char)text.p[i] & 0xC0) != 0x80;
	return count;
}

/* form_take(text, form): move past form, in which 0 stands for any digit. */
static bool
form_take(struct slice *text, const char *form)
{
	size_t n = strlen(form);

	if (text->len < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = text->p[i];

		if (form[i] == '0' ? c < '0' || c > '9' : c != form[i])
			return false;
	}
	*text = slice_from(*text, n);
	return true;
}

/* is_schema_date(text): does text look like xsd:date or xsd:dateTime? The year
 * has four digits, because the date was parsed before. */
static bool
is_schema_date(struct slice text)
{
	if (!form_take(&text, "0000-00-00"))
		return false;
	if (form_take(&text, "T00:00:00") && form_take(&text, ".0"))
		while (form_take(&text, "0"))
			continue;
	if (text.len == 0 || slice_is(text, "Z"))
		return true;
	return (form_take(&text, "+00:00") || form_take(&text, "-00:00")) &&
	    text.len == 0;
}

/*
 * is_coarse_date(text): is text a date that W3C Datetime permits and the schema
 * does not: a year, a month, or a time without seconds? Any other date that the
 * schema refuses is reported by other rules.
 */
static bool
is_coarse_date(struct slice text)
{
	struct slice rest = text;

	if (!form_take(&rest, "0000"))
		return false;
	if (rest.len == 0 || (form_take(&rest, "-00") && rest.len == 0))
		return true;
	return form_take(&rest, "-00T00:00") && !is_schema_date(text);
}

const char *
xsd_judge(enum xsd_child child, struct slice text, size_t loc_max)
{
	struct slice trimmed = slice_trim(text);
	size_t length = 0;

	switch (child) {
	case XSD_LOC:
		length = count_characters(trimmed);
		if (length < LOC_MIN || (length > LOC_MAX && length <= loc_max))
			return "a loc has 12 to 2,048 characters";
		break;
	case XSD_LASTMOD:
		if (is_coarse_date(trimmed))
			return "a lastmod has a day, and seconds if it has a "
			       "time";
		break;
	case XSD_CHANGEFREQ: /* white space counts in xsd:string */
		if (trimmed.len != text.len)
			return "white space around a changefreq";
		break;
	case XSD_PRIORITY:
	case XSD_FOREIGN:
		break;
	}
	return NULL;
}

void
xsd_value(struct xsd *xsd, enum xsd_child child, struct slice text)
{
	const char *reason = xsd_judge(child, text, xsd->loc_max);

	if (reason != NULL)
		xsd_finding(
		    xsd, DIAG_SCHEMA_VIOLATION, slice_trim(text), reason);
}
