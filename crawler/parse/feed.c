/*
 * The state machine of a feed.
 *
 *	BEFORE --root--> ROOT --item, entry--> ITEM --link, ...--> VALUE
 *	                 | ^ '<-----end--------' ^ '<----end------'
 *	          channel| |end                  |               |
 *	                 v |    any other start: '---- SKIP -----'
 *	                CHANNEL --item--> ITEM, and back
 *
 *	ROOT, CHANNEL  start_outside  no item is open
 *	ITEM           start_in_item  values has the values closed so far
 *	VALUE          feed_start     part says which one grows
 *	SKIP           feed_skip      skip_depth elements are open in it
 */
#include "crawler/parse/feed.h"

#include <stdlib.h>

#include "base/mem.h"

enum feed_state {
	FEED_BEFORE,
	FEED_ROOT,
	FEED_CHANNEL,
	FEED_ITEM,
	FEED_VALUE,
	FEED_SKIP,
	FEED_AFTER
};

enum part { PART_LINK, PART_GUID, PART_DATE, PARTS };

struct part_value {
	size_t at; /* offset into feed.values */
	size_t len;
	bool is_seen;
	bool is_void;
};

struct feed {
	struct xml *xml;
	const struct parser_events *events;
	uint32_t max_text;
	enum feed_state state;
	/* the state around the element that is skipped */
	enum feed_state outside;
	enum feed_state around; /* the state around the item: ROOT or CHANNEL */
	uint32_t skip_depth;
	bool is_atom;
	bool has_uri;
	const char *uri; /* the namespace of items */
	enum part part;
	struct part_value parts[PARTS];
	struct buf values; /* the values of one item, concatenated */
	uint32_t line;
};

struct feed *
feed_new(struct xml *xml, const struct parser_events *events,
    const struct read_limits *limits)
{
	struct feed *feed = mem_zero(sizeof(*feed));

	feed->xml = xml;
	feed->events = events;
	feed->max_text = limits->max_text;
	buf_init(&feed->values, (size_t)PARTS * limits->max_text);
	return feed;
}

void
feed_free(struct feed *feed)
{
	if (feed == NULL)
		return;
	buf_release(&feed->values);
	free(feed);
}

bool
feed_is_root(struct slice local)
{
	return slice_is(local, "rss") || slice_is(local, "RDF") ||
	    slice_is(local, "feed");
}

static void
feed_enter(struct feed *feed, enum feed_state state)
{
	feed->state = state;
}

static void
feed_finding(
    struct feed *feed, enum diag_code code, uint32_t line, const char *text)
{
	feed->events->finding(feed->events->arg, code, line, slice_of(text));
}

static void
feed_skip(struct feed *feed)
{
	feed->outside = feed->state;
	feed->skip_depth = 1;
	feed_enter(feed, FEED_SKIP);
}

/* feed_is_ours(feed, element): is the element in the namespace of items? An
 * x:item of another namespace is no item. */
static bool
feed_is_ours(struct feed *feed, const struct xml_element *element)
{
	if (element->is_undeclared)
		return false;
	if (!feed->has_uri)
		feed->uri = element->uri;
	feed->has_uri = true;
	return feed->uri == element->uri;
}

/* start_outside(feed, element): items are inside the channel in RSS 2.0, and
 * beside it in RSS 1.0. */
static void
start_outside(struct feed *feed, const struct xml_element *element)
{
	bool is_channel = !feed->is_atom && feed->state == FEED_ROOT &&
	    slice_is(element->local, "channel");

	if ((!is_channel &&
		!slice_is(element->local, feed->is_atom ? "entry" : "item")) ||
	    !feed_is_ours(feed, element)) {
		feed_skip(feed);
		return;
	}
	if (is_channel) {
		feed_enter(feed, FEED_CHANNEL);
		return;
	}
	feed->around = feed->state;
	feed_enter(feed, FEED_ITEM);
	if (feed->events->open != NULL)
		feed->events->open(feed->events->arg);
	memset(feed->parts, 0, sizeof(feed->parts));
	buf_clear(&feed->values);
	feed->line = element->line;
}

static void
grow(struct feed *feed, struct slice text)
{
	size_t len = feed->values.len - feed->parts[feed->part].at;

	if (len + text.len > feed->max_text)
		xml_fail(feed->xml, DIAG_XML_LIMIT, slice_of("long value"));
	else
		(void)buf_put_slice(&feed->values, text);
}

static void
open_part(struct feed *feed, enum part part, uint32_t line)
{
	feed->part = part;
	feed->parts[part] = (struct part_value){
	    .at = feed->values.len, .is_seen = true};
	if (part != PART_DATE)
		feed->line = line;
}

/* close_part(feed): end the value; true: it is blank, and is not used. */
static bool
close_part(struct feed *feed)
{
	struct part_value *value = &feed->parts[feed->part];

	value->len = feed->values.len - value->at;
	if (value->len == 0 ||
	    slice_trim(slice_make(feed->values.p + value->at, value->len))
		    .len == 0)
		value->is_void = true;
	return value->is_void;
}

/*
 * is_permanent(feed): SPEC R-20: a guid is a link unless isPermaLink is false.
 */
static bool
is_permanent(const struct feed *feed)
{
	struct slice value;

	return !xml_attribute(feed->xml, "isPermaLink", &value) ||
	    !slice_equal_nocase(slice_trim(value), slice_of("false"));
}

static enum part
find_part(const struct feed *feed, struct slice local)
{
	if (feed->is_atom)
		return slice_is(local, "updated") || slice_is(local, "modified")
		    ? PART_DATE
		    : PARTS;
	if (slice_is(local, "link"))
		return PART_LINK;
	if (slice_is(local, "guid"))
		return is_permanent(feed) ? PART_GUID : PARTS;
	return slice_is(local, "pubDate") ? PART_DATE : PARTS;
}

/* start_in_item(feed, element): only elements in the namespace of the item
 * count: an atom:link in RSS is no link. */
static void
start_in_item(struct feed *feed, const struct xml_element *element)
{
	enum part part = PARTS;

	if (feed_is_ours(feed, element)) {
		if (feed->is_atom && slice_is(element->local, "link")) {
			/* SPEC R-21: use the first link whose rel is
			 * "alternate" or missing. */
			struct slice rel;
			struct slice href;

			if (!feed->parts[PART_LINK].is_seen &&
			    (!xml_attribute(feed->xml, "rel", &rel) ||
				slice_is(rel, "alternate")) &&
			    xml_attribute(feed->xml, "href", &href)) {
				open_part(feed, PART_LINK, element->line);
				grow(feed, href);
				(void)close_part(feed);
			}
		}
		part = find_part(feed, element->local);
	}
	if (part == PARTS || feed->parts[part].is_seen) {
		feed_skip(feed);
		return;
	}
	open_part(feed, part, element->line);
	feed_enter(feed, FEED_VALUE);
}

void
feed_start(struct feed *feed, const struct xml_element *element)
{
	switch (feed->state) {
	case FEED_BEFORE:
		feed->is_atom = slice_is(element->local, "feed");
		/* The root of RSS 1.0 is in the namespace of RDF: the first
		 * channel or item sets the namespace of RSS. RSS 2.0 may do the
		 * same. */
		feed->has_uri = feed->is_atom;
		feed->uri = element->uri;
		feed_enter(feed, FEED_ROOT);
		if (!feed->events->root(feed->events->arg,
			feed->is_atom ? ROOT_ATOM : ROOT_RSS))
			xml_stop(feed->xml);

		break;
	case FEED_ROOT:
	case FEED_CHANNEL:
		start_outside(feed, element);
		break;
	case FEED_ITEM:
		start_in_item(feed, element);
		break;
	case FEED_VALUE: {
		struct part_value *value = &feed->parts[feed->part];

		if (!value->is_void)
			feed->events->finding(feed->events->arg,
			    DIAG_NESTED_MARKUP, element->line, element->local);
		value->is_void = true;
		feed_skip(feed);
	} break;
	case FEED_SKIP:
		feed->skip_depth++;
		break;
	case FEED_AFTER: /* cannot happen: a document has one root */
		break;
	}
}

static struct slice
part_text(const struct feed *feed, enum part part)
{
	const struct part_value *value = &feed->parts[part];

	if (!value->is_seen || value->is_void)
		return slice_make(NULL, 0);
	return slice_make(feed->values.p + value->at, value->len);
}

void
feed_end(struct feed *feed)
{
	switch (feed->state) {
	case FEED_ROOT:
		feed_enter(feed, FEED_AFTER);
		break;
	case FEED_CHANNEL:
		feed_enter(feed, FEED_ROOT);
		break;
	case FEED_ITEM: {
		struct raw_entry entry = {
		    .loc = part_text(feed, PART_LINK),
		    .lastmod = part_text(feed, PART_DATE),
		    .line = feed->line,
		    .is_feed_date = !feed->is_atom,
		    .is_resolvable = feed->is_atom,
		};

		if (entry.loc.p == NULL)
			entry.loc = part_text(feed, PART_GUID);
		entry.has_loc = entry.loc.p != NULL;
		feed_enter(feed, feed->around);
		if (!entry.has_loc)
			feed_finding(
			    feed, DIAG_MISSING_TAG, feed->line, "link");
		if (!feed->events->entry(feed->events->arg, &entry))
			xml_stop(feed->xml);
	} break;
	case FEED_VALUE: {
		bool was_void = feed->parts[feed->part].is_void;

		feed_enter(feed, FEED_ITEM);
		/* A guid may follow a blank link, so missing links are reported
		 * at the end of the item. */
		if (close_part(feed) && !was_void && feed->part == PART_DATE)
			feed_finding(feed, DIAG_EMPTY_TAG,
			    xml_line(feed->xml, NULL), "date");
	} break;
	case FEED_SKIP:
		if (--feed->skip_depth == 0)
			feed_enter(feed, feed->outside);

		break;
	case FEED_BEFORE:
	case FEED_AFTER: /* cannot happen: an end has a start */
		break;
	}
}

void
feed_text(struct feed *feed, struct slice text)
{
	if (feed->state == FEED_VALUE)
		grow(feed, text);
}
