/*
 * The state machine of a urlset, an index or a feed: RSS 2.0, RSS 1.0 in RDF,
 * and Atom (SPEC ).
 *
 *	BEFORE --root--> ROOT --url, item--> ENTRY --loc, link--> VALUE
 *	                 | ^ '<----end-------' ^ '<----end--------'
 *	          channel| |end                |                  |
 *	                 v | any other start:  '- SKIP, and back -'
 *	              CHANNEL --item--> ENTRY, and back
 *	ROOT --end--> AFTER
 *
 *	ROOT   sitemap_start_in_root   no entry is open (feed_start_outside)
 *	ENTRY  sitemap_start_in_entry  values has those closed so far
 *	                               (feed_start_in_item)
 *	VALUE  sitemap_text            field says which one grows
 *	SKIP   sitemap_skip            skip_depth elements are open in it
 */
#include "crawler/parse/sitemap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/w3cdate.h"
#include "crawler/parse/extension.h"

enum sitemap_state {
	SITEMAP_BEFORE,
	SITEMAP_ROOT,
	SITEMAP_CHANNEL,
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
	FIELDS, /* of a sitemap; the next ones are of feeds only */
	FIELD_GUID = FIELDS,
	FIELD_MODIFIED,
	FIELDS_ALL
};

static const char *const field_names[FIELDS] = {
    "loc", "lastmod", "changefreq", "priority"};

/* No date is as long. */
#define PUBLISHED_MAX 100

#define LOC_MIN 12 /* characters; http://a.b/ has 11 */
#define LOC_MAX 2048
#define SUBJECT_MAX 300 /* bytes of a value in a finding about the schema */

struct sitemap {
	struct xml *xml;
	const struct parser_events *events;
	const struct profile *profile;
	uint32_t max_text;
	enum sitemap_state state;
	enum sitemap_state outside; /* the state around what is skipped */
	uint32_t skip_depth;
	bool is_index;
	bool is_feed, is_atom;
	bool has_uri; /* a feed: the namespace of items is known */
	enum sitemap_state around; /* the state around an entry */
	/* UNEXPECTED_TEXT was reported since the last tag */
	bool is_text_reported;
	const char *uri; /* of the root; of a feed: of items */
	enum field field;
	struct raw_value fields[FIELDS_ALL];
	struct buf values; /* the values of one entry, concatenated */
	uint32_t line;
	uint16_t extensions;
	bool has_extensions; /* the scope asks for the checks of extension */
	struct extension extension;
	bool has_schema; /* the scope asks for the checks of the schema */
	bool has_entry; /* for these: there was an entry */
	enum xsd_child last; /* the last child of this entry */
	struct buf subject; /* the text of a finding about the schema */
	bool is_extension; /* the skipped element goes to extension */
	bool is_news; /* the skipped element is news data */
	bool is_in_date; /* the text is that of its publication_date */
	struct raw_value published;
	struct raw_value
	    bare; /* text of the entry itself, if it may be its loc */
};

static_assert((int)FIELD_LOC == XSD_LOC && (int)FIELDS == XSD_FOREIGN,
    "the fields are in the order of the schema");

struct sitemap *
sitemap_new(struct xml *xml, const struct parser_events *events,
    const struct scope *scope, const struct xml_element *root)
{
	bool is_atom = slice_is(root->local, "feed");
	bool is_feed = is_atom || slice_is(root->local, "rss") ||
	    slice_is(root->local, "RDF");
	struct sitemap *sitemap;

	if (root->is_undeclared ||
	    (!is_feed && !slice_is(root->local, "urlset") &&
		!slice_is(root->local, "sitemapindex")))
		return NULL;
	sitemap = mem_zero(sizeof(*sitemap));
	sitemap->is_feed = is_feed;
	sitemap->is_atom = is_atom;
	sitemap->xml = xml;
	sitemap->events = events;
	sitemap->profile = &scope->location.profile;
	sitemap->max_text = scope->limits.max_text;
	buf_init(&sitemap->values,
	    (size_t)FIELDS * sitemap->max_text + PUBLISHED_MAX);
	sitemap->has_extensions = scope->checks.has_extensions;
	sitemap->extension = (struct extension){
	    .xml = xml, .events = events, .scope = scope, .tag = -1};
	buf_init(&sitemap->extension.text, sitemap->max_text);
	buf_init(&sitemap->extension.urls, sitemap->max_text);
	sitemap->has_schema = scope->checks.has_schema;
	buf_init(&sitemap->subject, SUBJECT_MAX + 100);
	return sitemap;
}

void
sitemap_free(struct sitemap *sitemap)
{
	if (sitemap == NULL)
		return;
	buf_release(&sitemap->values);
	buf_release(&sitemap->extension.text);
	buf_release(&sitemap->extension.urls);
	free(sitemap->extension.links);
	buf_release(&sitemap->subject);
	free(sitemap);
}

/* Rules that only the schemas of urlset and index contain (SPEC ):
 * sitemap.xsd of 2008-03-26 and siteindex.xsd of 2009-04-08, checked by
 * hand-written code.  A breach is reported, and never changes the reading. */

/* schema_finding(): one code stands for many faults, so the text names the
 * value and the fault. */
static void
schema_finding(struct sitemap *sitemap, enum diag_code code, struct slice text,
    const char *reason)
{
	struct buf *subject = &sitemap->subject;

	if (text.len > SUBJECT_MAX)
		text.len = SUBJECT_MAX;
	buf_clear(subject);
	(void)buf_put_slice(subject, text);
	(void)buf_print(subject, ": %s", reason);
	sitemap->events->finding(sitemap->events->arg, code,
	    xml_line(sitemap->xml, NULL), buf_text(subject));
}

/* schema_attributes(sitemap): the schema permits no attributes. */
static void
schema_attributes(struct sitemap *sitemap)
{
	struct slice name;

	if (sitemap->has_schema && xml_stray_attribute(sitemap->xml, &name))
		schema_finding(sitemap, DIAG_SCHEMA_VIOLATION, name,
		    "an attribute, of which there are none");
}

/* "##other" permits other namespaces, but not elements without one. An
 * undeclared prefix is reported elsewhere. */
static const char no_namespace[] = "an element in no namespace";

/* schema_child(sitemap, element, child): a child of an entry begins. */
static void
schema_child(struct sitemap *sitemap, const struct xml_element *element,
    enum xsd_child child)
{
	if (!sitemap->has_schema)
		return;
	/* xsd:sequence: the children have an order. */
	if (child < sitemap->last)
		schema_finding(sitemap, DIAG_ELEMENT_ORDER, element->local,
		    "stands after what has to follow it");
	else
		sitemap->last = child;
	if (child != XSD_FOREIGN)
		schema_attributes(sitemap);
	else if (sitemap->is_index && element->uri != NULL)
		schema_finding(sitemap, DIAG_SCHEMA_VIOLATION, element->local,
		    "of another namespace, in an index");
	else if (element->uri == NULL && !element->is_undeclared)
		schema_finding(sitemap, DIAG_SCHEMA_VIOLATION, element->local,
		    no_namespace);
}

/* is_coarse_date(text): is text a date that W3C Datetime permits and the schema
 * does not: a year, a month, or a time without seconds? Any other date that the
 * schema refuses is reported by other rules. */
static bool
is_coarse_date(struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct date date;

	return date_parse(&date, text, &profile, (struct diag_sink){0}) ==
	    DIAG_OK &&
	    (date.precision < DATE_DAY || date.precision == DATE_MINUTE);
}

const char *
xsd_judge(enum xsd_child child, struct slice text, size_t loc_max)
{
	struct slice trimmed = slice_trim(text);
	size_t length = 0;

	switch (child) {
	case XSD_LOC:
		length = slice_chars(trimmed);
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

/* sitemap_start_root(sitemap, element): its namespace is judged by SPEC R-06 to
 * */
static void
sitemap_start_root(struct sitemap *sitemap, const struct xml_element *element)
{
	static const char *const legacy[] = {
	    "http://www.google.com/schemas/sitemap/0.84",
	    "http://www.google.com/schemas/sitemap/0.90",
	    "http://www.google.com/schemas/sitemap/0.9"};
	const char *uri = element->uri;
	enum diag_code code = uri == NULL ? DIAG_MISSING_NAMESPACE
					  : DIAG_INCORRECT_NAMESPACE;

	for (size_t i = 0; uri != NULL && i < LENGTH(legacy); i++)
		if (strcmp(uri, legacy[i]) == 0)
			code = DIAG_LEGACY_NAMESPACE;
	if (uri != NULL && strcmp(uri, SITEMAP_NAMESPACE) == 0)
		code = DIAG_OK;
	sitemap->is_index = slice_is(element->local, "sitemapindex");
	sitemap->uri = uri;
	sitemap->has_uri = sitemap->is_atom;
	sitemap->state = SITEMAP_ROOT;
	if (sitemap->is_feed)
		code = DIAG_OK;
	if (code != DIAG_OK &&
	    sitemap->profile->namespace_rule == NAMESPACE_EXACT) {
		xml_fail(sitemap->xml, code, 0, slice_of(uri));
		return;
	}
	if (code != DIAG_OK)
		sitemap->events->finding(
		    sitemap->events->arg, code, element->line, slice_of(uri));
	if (!sitemap->events->root(sitemap->events->arg,
		sitemap->is_index      ? ROOT_INDEX
		    : sitemap->is_atom ? ROOT_ATOM
		    : sitemap->is_feed ? ROOT_RSS
				       : ROOT_URLSET))
		xml_stop(sitemap->xml);
	else if (!sitemap->is_feed)
		schema_attributes(sitemap);
}

/* sitemap_skip(sitemap): nothing in the element that begins belongs to an
 * entry. */
static void
sitemap_skip(struct sitemap *sitemap)
{
	sitemap->outside = sitemap->state;
	sitemap->skip_depth = 1;
	sitemap->is_extension = false;
	sitemap->is_news = false;
	sitemap->state = SITEMAP_SKIP;
}

/* sitemap_open(sitemap, element): an entry begins. */
static void
sitemap_open(struct sitemap *sitemap, const struct xml_element *element)
{
	sitemap->around = sitemap->state;
	sitemap->state = SITEMAP_ENTRY;
	if (sitemap->events->open != NULL)
		sitemap->events->open(sitemap->events->arg);
	/* The values of the entry before were borrowed by its event only. */
	memset(sitemap->fields, 0, sizeof(sitemap->fields));
	buf_clear(&sitemap->values);
	sitemap->line = element->line;
	sitemap->extensions = 0;
	sitemap->published = sitemap->bare = (struct raw_value){0};
}

/* sitemap_open_value(sitemap, element, field): the value of an entry begins. */
static void
sitemap_open_value(struct sitemap *sitemap, const struct xml_element *element,
    enum field field)
{
	sitemap->field = field;
	sitemap->fields[field] = (struct raw_value){
	    .at = sitemap->values.len, .is_seen = true};
	if (field == FIELD_LOC || field == FIELD_GUID)
		sitemap->line = element->line;
	sitemap->state = SITEMAP_VALUE;
}

static void
sitemap_start_in_root(
    struct sitemap *sitemap, const struct xml_element *element)
{
	/* SPEC R-07: the namespace of the root counts as the sitemap's,
	 * whatever it is. */
	if (element->uri != sitemap->uri || element->is_undeclared) {
		if (sitemap->has_schema && sitemap->has_entry)
			schema_finding(sitemap, DIAG_ELEMENT_ORDER,
			    element->local, "stands after an entry");
		if (sitemap->has_schema && element->uri == NULL &&
		    !element->is_undeclared)
			schema_finding(sitemap, DIAG_SCHEMA_VIOLATION,
			    element->local, no_namespace);
		sitemap_skip(sitemap);
		return;
	}
	if (!slice_is(element->local, sitemap->is_index ? "sitemap" : "url")) {
		/* an entry of the other kind: not it is wrong, but the root */
		if (slice_is(
			element->local, sitemap->is_index ? "url" : "sitemap"))
			sitemap->events->finding(sitemap->events->arg,
			    DIAG_WRONG_ROOT, element->line,
			    slice_of(sitemap->is_index
				    ? "an index holds <sitemap>, not <url>"
				    : "a urlset holds <url>, not <sitemap>"));
		else
			sitemap->events->finding(sitemap->events->arg,
			    DIAG_UNKNOWN_TAG, element->line, element->local);
		sitemap_skip(sitemap);
		return;
	}
	sitemap_open(sitemap, element);
	sitemap->extension.images = 0;
	sitemap->extension.link_count = 0;
	buf_clear(&sitemap->extension.urls);
	sitemap->has_entry = true;
	sitemap->last = XSD_LOC;
	schema_attributes(sitemap);
}

/* sitemap_start_in_entry(sitemap, element): elements of other namespaces extend
 * the entry; of the sitemap's own, each may stand there once. */
static void
sitemap_start_in_entry(
    struct sitemap *sitemap, const struct xml_element *element)
{
	if (element->uri != sitemap->uri || element->is_undeclared) {
		uint16_t bit = extension_of(sitemap->xml, element);

		sitemap->extensions |= bit;
		schema_child(sitemap, element, XSD_FOREIGN);
		sitemap_skip(sitemap);
		sitemap->is_news = bit == RAW_NEWS;
		if (sitemap->has_extensions && !sitemap->is_index) {
			sitemap->is_extension = true;
			extension_start(&sitemap->extension, element);
		}

		return;
	}
	/* SPEC R-10: an index has loc and lastmod only. */
	enum field end = sitemap->is_index ? FIELD_CHANGEFREQ : FIELDS;
	enum field field = FIELD_LOC;

	while (field < end && !slice_is(element->local, field_names[field]))
		field++;
	if (field == end)
		field = FIELDS;
	if (field == FIELDS || sitemap->fields[field].is_seen) {
		sitemap->events->finding(sitemap->events->arg,
		    field == FIELDS ? DIAG_UNKNOWN_TAG : DIAG_DUPLICATE_TAG,
		    element->line, element->local);
		sitemap_skip(sitemap);
		return;
	}
	schema_child(sitemap, element, (enum xsd_child)field);
	sitemap_open_value(sitemap, element, field);
}

/* Feeds. */

/* feed_is_ours(sitemap, element): is the element in the namespace of items? An
 * x:item of another namespace is no item. The root of RSS 1.0 is in the
 * namespace of RDF: the first channel or item sets the namespace of RSS. RSS
 * 2.0 may do the same. */
static bool
feed_is_ours(struct sitemap *sitemap, const struct xml_element *element)
{
	if (element->is_undeclared)
		return false;
	if (!sitemap->has_uri)
		sitemap->uri = element->uri;
	sitemap->has_uri = true;
	return sitemap->uri == element->uri;
}

/* feed_start_outside(sitemap, element): items are inside the channel in RSS
 * 2.0, and beside it in RSS 1.0. */
static void
feed_start_outside(struct sitemap *sitemap, const struct xml_element *element)
{
	bool is_channel = !sitemap->is_atom && sitemap->state == SITEMAP_ROOT &&
	    slice_is(element->local, "channel");
	struct slice rel, href;

	/* atom:link, in RSS, too (SPEC R-147) */
	if (sitemap->events->hub != NULL && slice_is(element->local, "link") &&
	    xml_attribute(sitemap->xml, "rel", &rel) && slice_is(rel, "hub") &&
	    xml_attribute(sitemap->xml, "href", &href))
		sitemap->events->hub(sitemap->events->arg, href);
	if ((!is_channel &&
		!slice_is(
		    element->local, sitemap->is_atom ? "entry" : "item")) ||
	    !feed_is_ours(sitemap, element))
		sitemap_skip(sitemap);
	else if (is_channel)
		sitemap->state = SITEMAP_CHANNEL;
	else
		sitemap_open(sitemap, element);
}

/* feed_find_field(sitemap, local): the field of an item that this element is;
 * FIELDS_ALL: none. */
static enum field
feed_find_field(const struct sitemap *sitemap, struct slice local)
{
	struct slice value;

	if (sitemap->is_atom)
		return slice_is(local, "updated") || slice_is(local, "modified")
		    ? FIELD_LASTMOD
		    : FIELDS_ALL;
	if (slice_is(local, "link"))
		return FIELD_LOC;
	if (slice_is(local, "pubDate"))
		return FIELD_LASTMOD;
	if (!slice_is(local, "guid"))
		return FIELDS_ALL;
	/* SPEC R-20: a guid is a link unless isPermaLink is false. */
	return !xml_attribute(sitemap->xml, "isPermaLink", &value) ||
		!slice_equal_nocase(slice_trim(value), slice_of("false"))
	    ? FIELD_GUID
	    : FIELDS_ALL;
}

/* feed_start_in_item(sitemap, element): only elements in the namespace of the
 * item count: an atom:link in RSS is no link. */
static void
feed_start_in_item(struct sitemap *sitemap, const struct xml_element *element)
{
	enum field field = FIELDS_ALL;
	bool has_href = false;
	struct slice rel;
	struct slice href;

	if (feed_is_ours(sitemap, element)) {
		field = feed_find_field(sitemap, element->local);
		/* SPEC R-21: use the first link whose rel is "alternate" or
		 * missing. */
		has_href = sitemap->is_atom &&
		    slice_is(element->local, "link") &&
		    (!xml_attribute(sitemap->xml, "rel", &rel) ||
			slice_is(rel, "alternate")) &&
		    xml_attribute(sitemap->xml, "href", &href);
		if (has_href)
			field = FIELD_LOC;
	} else if (!sitemap->is_atom && !element->is_undeclared &&
	    slice_is(slice_of(element->uri), "http://purl.org/dc/terms/") &&
	    slice_is(element->local, "modified")) {
		field = FIELD_MODIFIED;
	}
	if (field == FIELDS_ALL || sitemap->fields[field].is_seen) {
		sitemap_skip(sitemap);
		return;
	}
	sitemap_open_value(sitemap, element, field);
	if (has_href) {
		/* The value is whole: it ends here, and what stands in the
		 * element is skipped. */
		sitemap_text(sitemap, href);
		sitemap_end(sitemap);
		sitemap_skip(sitemap);
	}
}

void
sitemap_start(struct sitemap *sitemap, const struct xml_element *element)
{
	sitemap->is_text_reported = false;
	switch (sitemap->state) {
	case SITEMAP_BEFORE:
		sitemap_start_root(sitemap, element);
		break;
	case SITEMAP_ROOT:
	case SITEMAP_CHANNEL:
		if (sitemap->is_feed)
			feed_start_outside(sitemap, element);
		else
			sitemap_start_in_root(sitemap, element);
		break;
	case SITEMAP_ENTRY:
		if (sitemap->is_feed)
			feed_start_in_item(sitemap, element);
		else
			sitemap_start_in_entry(sitemap, element);
		break;
	case SITEMAP_VALUE: {
		/* SPEC R-14: a value with markup in it is void. */
		struct raw_value *value = &sitemap->fields[sitemap->field];

		if (!value->is_void)
			sitemap->events->finding(sitemap->events->arg,
			    DIAG_NESTED_MARKUP, element->line, element->local);
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
			sitemap->published = (struct raw_value){
			    .at = sitemap->values.len, .is_seen = true};
		}

		if (sitemap->is_extension)
			extension_start(&sitemap->extension, element);
		break;
	case SITEMAP_AFTER: /* cannot happen: a document has one root */
		break;
	}
}

void
sitemap_end(struct sitemap *sitemap)
{
	sitemap->is_text_reported = false;
	switch (sitemap->state) {
	case SITEMAP_ROOT:
		sitemap->state = SITEMAP_AFTER;
		break;
	case SITEMAP_CHANNEL:
		sitemap->state = SITEMAP_ROOT;
		break;
	case SITEMAP_ENTRY: {
		struct raw_entry entry = {
		    .loc = raw_value_text(
			&sitemap->fields[FIELD_LOC], &sitemap->values),
		    .lastmod = raw_value_text(
			&sitemap->fields[FIELD_LASTMOD], &sitemap->values),
		    .changefreq = raw_value_text(
			&sitemap->fields[FIELD_CHANGEFREQ], &sitemap->values),
		    .priority = raw_value_text(
			&sitemap->fields[FIELD_PRIORITY], &sitemap->values),
		    .published = raw_value_text(
			&sitemap->published, &sitemap->values),
		    .modified = raw_value_text(
			&sitemap->fields[FIELD_MODIFIED], &sitemap->values),
		    .line = sitemap->line,
		    .extensions = sitemap->extensions,
		    .is_feed_date = sitemap->is_feed && !sitemap->is_atom,
		    .is_resolvable = sitemap->is_atom,
		};

		struct slice bare = slice_trim(
		    raw_value_text(&sitemap->bare, &sitemap->values));

		/* SPEC R-14: a URL that stands there without its element */
		if (!sitemap->fields[FIELD_LOC].is_seen &&
		    (slice_starts(bare, slice_of("https://")) ||
			slice_starts(bare, slice_of("http://"))))
			entry.loc = bare;
		if (entry.loc.p == NULL)
			entry.loc = raw_value_text(
			    &sitemap->fields[FIELD_GUID], &sitemap->values);
		entry.has_loc = entry.loc.p != NULL;
		if (sitemap->has_extensions)
			entry.links = extension_links(
			    &sitemap->extension, &entry.link_count);
		sitemap->state = sitemap->around;
		/* The link of an item may be blank, and its guid follow. */
		if (!entry.has_loc &&
		    (sitemap->is_feed || !sitemap->fields[FIELD_LOC].is_seen))
			sitemap->events->finding(sitemap->events->arg,
			    DIAG_MISSING_TAG, sitemap->line,
			    slice_of(sitemap->is_feed ? "link" : "loc"));
		if (!sitemap->events->entry(sitemap->events->arg, &entry))
			xml_stop(sitemap->xml);
	} break;
	case SITEMAP_VALUE: {
		struct raw_value *value = &sitemap->fields[sitemap->field];

		struct slice text;

		value->len = sitemap->values.len - value->at;
		sitemap->state = SITEMAP_ENTRY;
		text = raw_value_text(value, &sitemap->values);
		if (!value->is_void) {
			if (slice_trim(text).len == 0) {
				value->is_void = true;
				/* of feeds that of dates only */
				if (!sitemap->is_feed ||
				    sitemap->field == FIELD_LASTMOD)
					sitemap->events->finding(
					    sitemap->events->arg,
					    DIAG_EMPTY_TAG,
					    xml_line(sitemap->xml, NULL),
					    slice_of(sitemap->is_feed
						    ? "date"
						    : field_names
							  [sitemap->field]));
			} else if (sitemap->has_schema && !sitemap->is_feed) {
				const char *reason = xsd_judge(
				    (enum xsd_child)sitemap->field, text,
				    (size_t)sitemap->profile->max_loc_chars);

				if (reason != NULL)
					schema_finding(sitemap,
					    DIAG_SCHEMA_VIOLATION,
					    slice_trim(text), reason);
			}
		}
	} break;
	case SITEMAP_SKIP:
		if (sitemap->is_extension)
			extension_end(&sitemap->extension);
		sitemap->is_in_date = false;
		if (--sitemap->skip_depth == 0)
			sitemap->state = sitemap->outside;

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
			xml_fail(sitemap->xml, DIAG_XML_LIMIT, 0,
			    slice_of("long value"));
		else
			(void)buf_put_slice(&sitemap->values, text);

		return;
	}
	if (sitemap->state == SITEMAP_SKIP && sitemap->is_in_date) {
		/* A date that is too long is none. */
		struct raw_value *value = &sitemap->published;

		if (value->len + text.len > PUBLISHED_MAX)
			value->is_void = true;
		if (!value->is_void) {
			(void)buf_put_slice(&sitemap->values, text);
			value->len += text.len;
		}
	}
	if (sitemap->state == SITEMAP_SKIP && sitemap->is_extension)
		extension_text(&sitemap->extension, text);
	if (sitemap->is_feed ||
	    (sitemap->state != SITEMAP_ROOT && sitemap->state != SITEMAP_ENTRY))
		return;
	struct raw_value *bare = &sitemap->bare;

	if (sitemap->state == SITEMAP_ENTRY &&
	    sitemap->profile->name == PROFILE_LENIENT &&
	    (bare->is_seen || slice_trim(text).len > 0)) {
		/* The text may come in pieces; one behind an element is another
		 * text, and one that is too long no URL. */
		if (!bare->is_seen)
			*bare = (struct raw_value){
			    .at = sitemap->values.len, .is_seen = true};
		if (bare->len + text.len > sitemap->max_text)
			bare->is_void = true;
		else if (bare->at + bare->len == sitemap->values.len) {
			(void)buf_put_slice(&sitemap->values, text);
			bare->len += text.len;
		}
	}
	text = slice_trim(text);
	if (text.len == 0 || sitemap->is_text_reported)
		return;
	sitemap->is_text_reported = true;
	sitemap->events->finding(sitemap->events->arg, DIAG_UNEXPECTED_TEXT,
	    xml_line(sitemap->xml, text.p), text);
}
