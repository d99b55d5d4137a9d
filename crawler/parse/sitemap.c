/*
 * The state machine of a urlset or an index.
 *
 *	BEFORE --root--> ROOT --url, sitemap--> ENTRY --loc, ...--> VALUE
 *	                  ^ '<----end------------' ^ '<----end-------'
 *	                  |                        |                 |
 *	any other start:  '---- SKIP, and back ----'-----------------'
 *	ROOT --end--> AFTER
 *
 *	ROOT   start_in_root   no entry is open
 *	ENTRY  start_in_entry  values has the values closed so far
 *	VALUE  sitemap_text    field says which one grows
 *	SKIP   sitemap_skip    skip_depth elements are open in it
 */
#include "crawler/parse/sitemap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/extension.h"
#include "crawler/parse/xsd.h"

enum sitemap_state {
	SITEMAP_BEFORE,
	SITEMAP_ROOT,
	SITEMAP_ENTRY,
	SITEMAP_VALUE,
	SITEMAP_SKIP,
	SITEMAP_AFTER
};

enum field {
	FIELD_LOC,
	FIELD_LASTMOD,
	FIELD_CHANGEFREQ,
	FIELD_PRIORITY,
	FIELDS
};

static const char *const field_names[FIELDS] = {
    "loc", "lastmod", "changefreq", "priority"};

struct value {
	size_t at; /* offset into sitemap.values */
	size_t len;
	bool is_seen; /* the element occurred */
	bool is_void; /* its value must not be used */
};

/* No date is as long. */
#define PUBLISHED_MAX 100

struct sitemap {
	struct xml *xml;
	const struct parser_events *events;
	const struct profile *profile;
	uint32_t max_text;
	enum sitemap_state state;
	enum sitemap_state outside; /* the state around what is skipped */
	uint32_t skip_depth;
	bool is_index;
	/* UNEXPECTED_TEXT was reported since the last tag */
	bool is_text_reported;
	const char *uri; /* of the root */
	enum field field;
	struct value fields[FIELDS];
	struct buf values; /* the values of one entry, concatenated */
	uint32_t line;
	uint16_t extensions;
	/* Each is NULL if the scope does not ask for its checks. */
	struct extension *extension; /* owned */
	struct xsd *xsd; /* owned */
	bool is_extension; /* the skipped element goes to extension */
	bool is_news; /* the skipped element is news data */
	bool is_in_date; /* the text is that of its publication_date */
	struct value published;
};

static_assert((int)FIELD_LOC == XSD_LOC && (int)FIELDS == XSD_FOREIGN,
    "the fields are in the order of the schema");

struct sitemap *
sitemap_new(struct xml *xml, const struct parser_events *events,
    const struct scope *scope)
{
	struct sitemap *sitemap = mem_zero(sizeof(*sitemap));

	sitemap->xml = xml;
	sitemap->events = events;
	sitemap->profile = &scope->location.profile;
	sitemap->max_text = scope->limits.max_text;
	buf_init(&sitemap->values,
	    (size_t)FIELDS * sitemap->max_text + PUBLISHED_MAX);
	if (scope->checks.has_extensions)
		sitemap->extension = extension_new(xml, events, scope);
	if (scope->checks.has_schema)
		sitemap->xsd = xsd_new(xml, events, scope);
	return sitemap;
}

void
sitemap_free(struct sitemap *sitemap)
{
	if (sitemap == NULL)
		return;
	buf_release(&sitemap->values);
	extension_free(sitemap->extension);
	xsd_free(sitemap->xsd);
	free(sitemap);
}

bool
sitemap_is_root(struct slice local)
{
	return slice_is(local, "urlset") || slice_is(local, "sitemapindex");
}

static void
sitemap_enter(struct sitemap *sitemap, enum sitemap_state state)
{
	sitemap->state = state;
}

static void
sitemap_finding(struct sitemap *sitemap, enum diag_code code, uint32_t line,
    struct slice text)
{
	sitemap->events->finding(sitemap->events->arg, code, line, text);
}

/* judge_namespace(uri): SPEC. */
static enum diag_code
judge_namespace(const char *uri)
{
	static const char *const legacy[] = {
	    "http://www.google.com/schemas/sitemap/0.84",
	    "http://www.google.com/schemas/sitemap/0.90",
	    "http://www.google.com/schemas/sitemap/0.9"};

	if (uri == NULL)
		return DIAG_MISSING_NAMESPACE;
	if (strcmp(uri, SITEMAP_NAMESPACE) == 0)
		return DIAG_OK;
	for (size_t i = 0; i < sizeof(legacy) / sizeof(legacy[0]); i++)
		if (strcmp(uri, legacy[i]) == 0)
			return DIAG_LEGACY_NAMESPACE;
	return DIAG_INCORRECT_NAMESPACE;
}

static void
start_root(struct sitemap *sitemap, const struct xml_element *element)
{
	enum diag_code code = judge_namespace(element->uri);

	sitemap->is_index = slice_is(element->local, "sitemapindex");
	sitemap->uri = element->uri;
	sitemap_enter(sitemap, SITEMAP_ROOT);
	if (code != DIAG_OK &&
	    sitemap->profile->namespace_rule == NAMESPACE_EXACT) {
		xml_fail(sitemap->xml, code, slice_of(element->uri));
		return;
	}
	if (code != DIAG_OK)
		sitemap_finding(
		    sitemap, code, element->line, slice_of(element->uri));
	if (!sitemap->events->root(sitemap->events->arg,
		sitemap->is_index ? ROOT_INDEX : ROOT_URLSET))
		xml_stop(sitemap->xml);
	else if (sitemap->xsd != NULL)
		xsd_root(sitemap->xsd, sitemap->is_index);
}

static void
sitemap_skip(struct sitemap *sitemap)
{
	sitemap->outside = sitemap->state;
	sitemap->skip_depth = 1;
	sitemap->is_extension = false;
	sitemap->is_news = false;
	sitemap_enter(sitemap, SITEMAP_SKIP);
}

/* sitemap_is_ours(sitemap, element): SPEC R-07: the namespace of the root
 * counts as the sitemap's, whatever it is. */
static bool
sitemap_is_ours(
    const struct sitemap *sitemap, const struct xml_element *element)
{
	return element->uri == sitemap->uri && !element->is_undeclared;
}

static void
start_in_root(struct sitemap *sitemap, const struct xml_element *element)
{
	if (!sitemap_is_ours(sitemap, element)) {
		if (sitemap->xsd != NULL)
			xsd_foreign(sitemap->xsd, element);
		sitemap_skip(sitemap);
		return;
	}
	if (!slice_is(element->local, sitemap->is_index ? "sitemap" : "url")) {
		sitemap_finding(
		    sitemap, DIAG_UNKNOWN_TAG, element->line, element->local);
		sitemap_skip(sitemap);
		return;
	}
	sitemap_enter(sitemap, SITEMAP_ENTRY);
	if (sitemap->events->open != NULL)
		sitemap->events->open(sitemap->events->arg);
	memset(sitemap->fields, 0, sizeof(sitemap->fields));
	buf_clear(&sitemap->values);
	sitemap->line = element->line;
	sitemap->extensions = 0;
	sitemap->published = (struct value){0};
	if (sitemap->extension != NULL)
		extension_entry(sitemap->extension);
	if (sitemap->xsd != NULL)
		xsd_entry(sitemap->xsd);
}

/* sitemap_find_field(sitemap, local): SPEC R-10: an index has loc and lastmod
 * only. */
static enum field
sitemap_find_field(const struct sitemap *sitemap, struct slice local)
{
	enum field end = sitemap->is_index ? FIELD_CHANGEFREQ : FIELDS;

	for (enum field i = FIELD_LOC; i < end; i++)
		if (slice_is(local, field_names[i]))
			return i;
	return FIELDS;
}

static void
start_in_entry(struct sitemap *sitemap, const struct xml_element *element)
{
	if (!sitemap_is_ours(sitemap, element)) {
		uint16_t bit = extension_of(sitemap->xml, element);

		sitemap->extensions |= bit;
		if (sitemap->xsd != NULL)
			xsd_child(sitemap->xsd, element, XSD_FOREIGN);
		sitemap_skip(sitemap);
		sitemap->is_news = bit == RAW_NEWS;
		if (sitemap->extension != NULL && !sitemap->is_index) {
			sitemap->is_extension = true;
			extension_start(sitemap->extension, element);
		}

		return;
	}
	enum field field = sitemap_find_field(sitemap, element->local);
	if (field == FIELDS || sitemap->fields[field].is_seen) {
		sitemap_finding(sitemap,
		    field == FIELDS ? DIAG_UNKNOWN_TAG : DIAG_DUPLICATE_TAG,
		    element->line, element->local);
		sitemap_skip(sitemap);
		return;
	}
	if (sitemap->xsd != NULL)
		xsd_child(sitemap->xsd, element, (enum xsd_child)field);
	sitemap->field = field;
	sitemap->fields[field] = (struct value){
	    .at = sitemap->values.len, .is_seen = true};
	if (field == FIELD_LOC)
		sitemap->line = element->line;
	sitemap_enter(sitemap, SITEMAP_VALUE);
}

void
sitemap_start(struct sitemap *sitemap, const struct xml_element *element)
{
	sitemap->is_text_reported = false;
	switch (sitemap->state) {
	case SITEMAP_BEFORE:
		start_root(sitemap, element);
		break;
	case SITEMAP_ROOT:
		start_in_root(sitemap, element);
		break;
	case SITEMAP_ENTRY:
		start_in_entry(sitemap, element);
		break;
	case SITEMAP_VALUE: {
		/* SPEC R-14: a value with markup in it is void. */
		struct value *value = &sitemap->fields[sitemap->field];

		if (!value->is_void)
			sitemap_finding(sitemap, DIAG_NESTED_MARKUP,
			    element->line, element->local);
		value->is_void = true;
		sitemap_skip(sitemap);
	} break;
	case SITEMAP_SKIP:
		/* An element begins in one that is skipped. */
		sitemap->skip_depth++;
		if (sitemap->is_in_date)
			sitemap->published.is_void = true;
		sitemap->is_in_date = false;
		if (sitemap->is_news && sitemap->skip_depth == 2 &&
		    !sitemap->published.is_seen &&
		    (!element->is_undeclared && element->uri != NULL &&
			extension_bit(slice_of(element->uri)) == RAW_NEWS &&
			slice_is(element->local, "publication_date"))) {
			sitemap->is_in_date = true;
			sitemap->published = (struct value){
			    .at = sitemap->values.len, .is_seen = true};
		}

		if (sitemap->is_extension)
			extension_start(sitemap->extension, element);
		break;
	case SITEMAP_AFTER: /* cannot happen: a document has one root */
		break;
	}
}

static struct slice
field_text(const struct sitemap *sitemap, enum field field)
{
	const struct value *value = &sitemap->fields[field];

	if (!value->is_seen || value->is_void)
		return slice_make(NULL, 0);
	return slice_make(sitemap->values.p + value->at, value->len);
}

void
sitemap_end(struct sitemap *sitemap)
{
	sitemap->is_text_reported = false;
	switch (sitemap->state) {
	case SITEMAP_ROOT:
		sitemap_enter(sitemap, SITEMAP_AFTER);
		break;
	case SITEMAP_ENTRY: {
		struct raw_entry entry = {
		    .loc = field_text(sitemap, FIELD_LOC),
		    .lastmod = field_text(sitemap, FIELD_LASTMOD),
		    .changefreq = field_text(sitemap, FIELD_CHANGEFREQ),
		    .priority = field_text(sitemap, FIELD_PRIORITY),
		    .line = sitemap->line,
		    .extensions = sitemap->extensions,
		};

		if (sitemap->published.is_seen && !sitemap->published.is_void)
			entry.published = slice_make(
			    sitemap->values.p + sitemap->published.at,
			    sitemap->published.len);
		entry.has_loc = entry.loc.p != NULL;
		if (sitemap->extension != NULL)
			entry.links = extension_links(
			    sitemap->extension, &entry.link_count);
		sitemap_enter(sitemap, SITEMAP_ROOT);
		if (!sitemap->fields[FIELD_LOC].is_seen)
			sitemap_finding(sitemap, DIAG_MISSING_TAG,
			    sitemap->line, slice_of("loc"));
		if (!sitemap->events->entry(sitemap->events->arg, &entry))
			xml_stop(sitemap->xml);
	} break;
	case SITEMAP_VALUE: {
		struct value *value = &sitemap->fields[sitemap->field];

		struct slice text = slice_of(NULL);

		value->len = sitemap->values.len - value->at;
		sitemap_enter(sitemap, SITEMAP_ENTRY);
		if (!value->is_void) {
			if (value->len > 0)
				text = slice_make(
				    sitemap->values.p + value->at, value->len);
			if (slice_trim(text).len == 0) {
				value->is_void = true;
				sitemap_finding(sitemap, DIAG_EMPTY_TAG,
				    xml_line(sitemap->xml, NULL),
				    slice_of(field_names[sitemap->field]));
			} else if (sitemap->xsd != NULL) {
				xsd_value(sitemap->xsd,
				    (enum xsd_child)sitemap->field, text);
			}
		}
	} break;
	case SITEMAP_SKIP:
		if (sitemap->is_extension)
			extension_end(sitemap->extension);
		sitemap->is_in_date = false;
		if (--sitemap->skip_depth == 0)
			sitemap_enter(sitemap, sitemap->outside);

		break;
	case SITEMAP_BEFORE:
	case SITEMAP_AFTER: /* cannot happen: an end has a start */
		break;
	}
}

void
sitemap_text(struct sitemap *sitemap, struct slice text)
{
	if (sitemap->state == SITEMAP_VALUE) {
		size_t len = sitemap->values.len -
		    sitemap->fields[sitemap->field].at;

		if (len + text.len > sitemap->max_text)
			xml_fail(sitemap->xml, DIAG_XML_LIMIT,
			    slice_of("long value"));
		else
			(void)buf_put_slice(&sitemap->values, text);

		return;
	}
	if (sitemap->state == SITEMAP_SKIP && sitemap->is_in_date) {
		/* A date that is too long is none. */
		struct value *value = &sitemap->published;

		if (value->len + text.len > PUBLISHED_MAX)
			value->is_void = true;
		if (!value->is_void) {
			(void)buf_put_slice(&sitemap->values, text);
			value->len += text.len;
		}
	}
	if (sitemap->state == SITEMAP_SKIP && sitemap->is_extension)
		extension_text(sitemap->extension, text);
	if (sitemap->state != SITEMAP_ROOT && sitemap->state != SITEMAP_ENTRY)
		return;
	text = slice_trim(text);
	if (text.len == 0 || sitemap->is_text_reported)
		return;
	sitemap->is_text_reported = true;
	sitemap_finding(sitemap, DIAG_UNEXPECTED_TEXT,
	    xml_line(sitemap->xml, text.p), text);
}
