/*
 * The extensions of one entry.
 *
 *	OUT --image, video, news--> IN --known child--> VALUE
 *	 | ^ '<-------end---------' ^ '<----end-------'
 *	 | |                        |
 *	 | |  publication: IN, one frame deeper, and back
 *	 '-'  any other start: skip_depth elements, and back
 *
 *	OUT    frame_count is 0
 *	IN     frames[frame_count - 1] is open
 *	VALUE  tag is the number of the element; close_value
 */
#include "crawler/parse/extension.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/mem.h"
#include "base/w3cdate.h"
#include "crawler/parse/extension_tags.h"

#define FRAMES 2 /* news:news and news:publication */
#define VIDEO_TAGS 32 /* SPEC R-109 */
#define NEWS_AGE_S (48 * 3600) /* SPEC R-111 */
#define LINKS_MAX 4096 /* of one entry; further links are not judged */

struct frame {
	enum vocabulary vocabulary;
	uint32_t line;
	uint64_t seen; /* a bit for each tag that occurred */
	uint64_t filled; /* a bit for each tag with a value that is not blank */
	uint32_t repeats; /* how often video:tag occurred */
};

struct extension {
	struct xml *xml;
	const struct parser_events *events;
	const struct scope *scope;
	const char *uri; /* of the frame's elements */
	struct frame frames[FRAMES];
	unsigned frame_count;
	int tag; /* the open value; -1: none */
	uint32_t line; /* of the open value */
	uint32_t skip_depth;
	struct buf text; /* of the open value */
	uint32_t images; /* in the entry */
	uint32_t news; /* in the document */
	struct buf urls; /* URL and language of each link, concatenated */
	struct raw_link *links; /* owned; extension_links() sets the pointers */
	size_t link_count;
	size_t link_cap;
};

struct extension *
extension_new(struct xml *xml, const struct parser_events *events,
    const struct scope *scope)
{
	struct extension *extension = mem_zero(sizeof(*extension));

	extension->xml = xml;
	extension->events = events;
	extension->scope = scope;
	extension->tag = -1;
	buf_init(&extension->text, scope->limits.max_text);
	buf_init(&extension->urls, scope->limits.max_text);
	return extension;
}

void
extension_free(struct extension *extension)
{
	if (extension == NULL)
		return;
	buf_release(&extension->text);
	buf_release(&extension->urls);
	free(extension->links);
	free(extension);
}

static bool
extension_is_alternate(struct xml *xml)
{
	struct slice value;

	return xml_attribute(xml, "rel", &value) &&
	    slice_is(value, "alternate");
}

uint16_t
extension_bit(struct slice uri)
{
	static const struct {
		const char *uri;
		uint16_t bit;
	} known[] = {
	    {"http://www.google.com/schemas/sitemap-image/1.1", RAW_IMAGE},
	    {"http://www.google.com/schemas/sitemap-video/1.1", RAW_VIDEO},
	    {"http://www.google.com/schemas/sitemap-news/0.9", RAW_NEWS},
	    {"http://www.w3.org/1999/xhtml", RAW_HREFLANG},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (slice_is(uri, known[i].uri))
			return known[i].bit;
	return RAW_OTHER;
}

static bool
is_link(const struct xml_element *element)
{
	return extension_bit(slice_of(element->uri)) == RAW_HREFLANG &&
	    slice_is(element->local, "link");
}

uint16_t
extension_of(struct xml *xml, const struct xml_element *element)
{
	struct slice value;
	uint16_t bit;

	/* An element with an undeclared prefix extends nothing (SPEC R-113). */
	if (element->is_undeclared)
		return 0;
	if (element->uri == NULL)
		return RAW_OTHER;
	bit = extension_bit(slice_of(element->uri));
	if (bit == RAW_HREFLANG &&
	    !(is_link(element) && extension_is_alternate(xml) &&
		xml_attribute(xml, "hreflang", &value)))
		bit = RAW_OTHER;
	return bit;
}

static void
extension_finding(struct extension *extension, enum diag_code code,
    uint32_t line, struct slice text)
{
	extension->events->finding(extension->events->arg, code, line, text);
}

static void
add_link(struct extension *extension, enum raw_link_kind kind, uint32_t line,
    struct slice url)
{
	if (extension->link_count == LINKS_MAX ||
	    !buf_put_slice(&extension->urls, url))
		return;
	extension->links = mem_grow(extension->links, &extension->link_cap,
	    extension->link_count + 1, sizeof(*extension->links));
	extension->links[extension->link_count++] = (struct raw_link){
	    .kind = kind, .line = line, .url = {NULL, url.len}};
}

void
extension_entry(struct extension *extension)
{
	extension->images = 0;
	extension->link_count = 0;
	buf_clear(&extension->urls);
}

const struct raw_link *
extension_links(struct extension *extension, size_t *count)
{
	struct slice rest = buf_text(&extension->urls);

	/* All attributes may be empty. */
	if (rest.len == 0)
		rest = slice_of("");
	for (size_t i = 0; i < extension->link_count; i++) {
		struct raw_link *link = &extension->links[i];

		link->url.p = rest.p;
		rest = slice_from(rest, link->url.len);
		link->language.p = rest.p;
		rest = slice_from(rest, link->language.len);
	}
	*count = extension->link_count;
	return extension->links;
}

/*
 * judge_rel(extension, element): a link with hreflang is meant to be an
 * alternate, so its rel must say so (SPEC R-132). Links without hreflang are
 * not judged.
 */
static void
judge_rel(struct extension *extension, const struct xml_element *element)
{
	struct slice value;

	if (!xml_attribute(extension->xml, "hreflang", &value))
		return;
	if (xml_attribute(extension->xml, "rel", &value))
		extension_finding(extension, DIAG_INVALID_ATTRIBUTE_VALUE,
		    element->line, value);
	else
		extension_finding(extension, DIAG_MISSING_ATTRIBUTE,
		    element->line, slice_of("rel of link"));
}

/* extension_take_alternate(extension, element): keep the link for SPEC R-112.
 * Google defines links with a media query for mobile pages: they are no
 * alternates. */
static void
extension_take_alternate(
    struct extension *extension, const struct xml_element *element)
{
	struct slice value;
	bool has_code = xml_attribute(extension->xml, "hreflang", &value);

	if (!extension_is_alternate(extension->xml)) {
		judge_rel(extension, element);
		return;
	}
	if (!has_code && xml_attribute(extension->xml, "media", &value))
		return;
	if (has_code) {
		(void)xml_attribute(extension->xml, "hreflang", &value);
		if (!hreflang_ok(slice_trim(value)))
			extension_finding(extension, DIAG_HREFLANG_BAD_CODE,
			    element->line, value);
	}
	bool has_href = xml_attribute(extension->xml, "href", &value);
	if (!has_code || !has_href)
		extension_finding(extension, DIAG_HREFLANG_MISSING_ATTRIBUTE,
		    element->line, slice_of(has_href ? "hreflang" : "href"));
	size_t before = extension->link_count;
	if (has_href)
		add_link(extension, RAW_ALTERNATE, element->line, value);
	if (has_code && extension->link_count > before &&
	    xml_attribute(extension->xml, "hreflang", &value)) {
		/* Set the language of the link that was added last. */
		struct slice language = slice_trim(value);
		if (buf_put_slice(&extension->urls, language))
			extension->links[extension->link_count - 1]
			    .language.len = language.len;
	}
}

static void
open_frame(
    struct extension *extension, enum vocabulary vocabulary, uint32_t line)
{
	extension->frames[extension->frame_count++] = (struct frame){
	    .vocabulary = vocabulary, .line = line};
}

/* extension_count(): count one more, and report once that there are too many.
 */
static void
extension_count(struct extension *extension, enum vocabulary vocabulary,
    const struct xml_element *element)
{
	const struct read_limits *limits = &extension->scope->limits;

	if (vocabulary == VOCABULARY_IMAGE &&
	    extension->images++ == limits->max_images)
		extension_finding(extension, DIAG_TOO_MANY_IMAGES,
		    element->line, slice_of(NULL));
	if (vocabulary == VOCABULARY_NEWS &&
	    extension->news++ == limits->max_news)
		extension_finding(extension, DIAG_TOO_MANY_NEWS, element->line,
		    slice_of(NULL));
}

/* invalid_value(extension, name, line, value): report a value of a video, which
 * does not tell by itself what it is the value of. */
static void
invalid_value(struct extension *extension, const char *name, uint32_t line,
    struct slice value)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "%s: ", name);
	(void)buf_put_slice(&text, value);
	extension_finding(
	    extension, DIAG_VIDEO_INVALID_VALUE, line, buf_text(&text));
	buf_release(&text);
}

/* may_repeat(): may one more element of this kind follow (SPEC R-109)? */
static bool
may_repeat(struct extension *extension, struct frame *frame, int number,
    const struct xml_element *element)
{
	bool is_seen = (frame->seen >> number & 1) != 0;

	frame->seen |= (uint64_t)1 << number;
	if (tag_at(number)->kind == VALUE_TAG) {
		if (frame->repeats++ == VIDEO_TAGS)
			extension_finding(extension, DIAG_VIDEO_TOO_MANY_TAGS,
			    element->line, slice_of(NULL));
		return true;
	}
	if (is_seen && frame->vocabulary == VOCABULARY_VIDEO)
		extension_finding(extension, DIAG_VIDEO_DUPLICATE_TAG,
		    element->line, element->local);
	return !is_seen;
}

/* judge_attributes(extension, element): judge the elements of extensions that
 * have no codes of their own, at any depth: Google's page maps (SPEC R-132). */
static void
judge_attributes(struct extension *extension, const struct xml_element *element)
{
	static const char uri[] =
	    "http://www.google.com/schemas/sitemap-pagemap/1.0";
	static const struct {
		const char *local, *attribute, *message;
	} required[] = {{"DataObject", "type", "type of DataObject"},
	    {"Attribute", "name", "name of Attribute"}};
	struct slice value;

	if (element->is_undeclared || element->uri == NULL ||
	    strcmp(element->uri, uri) != 0)
		return;
	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (slice_is(element->local, required[i].local) &&
		    !xml_attribute(
			extension->xml, required[i].attribute, &value))
			extension_finding(extension, DIAG_MISSING_ATTRIBUTE,
			    element->line, slice_of(required[i].message));
}

void
extension_start(struct extension *extension, const struct xml_element *element)
{
	judge_attributes(extension, element);
	if (extension->skip_depth > 0)
		extension->skip_depth++;
	else if (extension->tag >= 0)
		extension->skip_depth = 1;
	else if (extension->frame_count == 0) {
		static const struct {
			uint16_t bit;
			const char *name;
		} parents[] = {[VOCABULARY_IMAGE] = {RAW_IMAGE, "image"},
		    [VOCABULARY_VIDEO] = {RAW_VIDEO, "video"},
		    [VOCABULARY_NEWS] = {RAW_NEWS, "news"}};
		uint16_t bit = extension_of(extension->xml, element);

		for (enum vocabulary i = VOCABULARY_IMAGE; i <= VOCABULARY_NEWS;
		     i++)
			if (bit == parents[i].bit &&
			    slice_is(element->local, parents[i].name)) {
				extension_count(extension, i, element);
				extension->uri = element->uri;
				open_frame(extension, i, element->line);
				return;
			}
		if (bit != 0 && element->uri != NULL && is_link(element))
			extension_take_alternate(extension, element);
		extension->skip_depth = 1;
	} else {
		struct frame *frame = &extension
					   ->frames[extension->frame_count - 1];
		enum diag_code missing;
		enum diag_code removed;
		int number = -1;

		if (element->uri == extension->uri && !element->is_undeclared)
			number = tag_find(frame->vocabulary, element->local);
		if (number < 0) {
			extension->skip_depth = 1;
			return;
		}
		vocabulary_codes(frame->vocabulary, &missing, &removed);
		const struct extension_tag *tag = tag_at(number);
		if (tag->is_removed)
			extension_finding(
			    extension, removed, element->line, element->local);
		if (tag->is_removed ||
		    !may_repeat(extension, frame, number, element)) {
			extension->skip_depth = 1;
			return;
		}
		/* Judge the attributes of an element (SPEC ). */
		struct slice value;

		if (tag->kind == VALUE_LOCATION &&
		    (xml_attribute(extension->xml, "autoplay", &value) ||
			xml_attribute(extension->xml, "allow_embed", &value)))
			extension_finding(extension, DIAG_VIDEO_REMOVED_TAG,
			    element->line, value);
		if (tag->kind == VALUE_UPLOADER &&
		    xml_attribute(extension->xml, "info", &value))
			add_link(extension, RAW_UPLOADER, element->line, value);
		if (tag->kind == VALUE_RESTRICTION ||
		    tag->kind == VALUE_PLATFORM) {
			if (!xml_attribute(
				extension->xml, "relationship", &value))
				extension_finding(extension,
				    DIAG_VIDEO_MISSING_ATTRIBUTE, element->line,
				    slice_of("relationship"));
			else if (!slice_is(value, "allow") &&
			    !slice_is(value, "deny"))
				invalid_value(extension, "relationship",
				    element->line, value);
		}

		if (tag->kind == VALUE_PUBLICATION) {
			frame->filled |= (uint64_t)1 << number;
			open_frame(
			    extension, VOCABULARY_PUBLICATION, element->line);
			return;
		}
		extension->tag = number;
		extension->line = element->line;
		buf_clear(&extension->text);
	}
}

void
extension_text(struct extension *extension, struct slice text)
{
	size_t room = extension->text.max - extension->text.len;

	if (extension->tag < 0 || extension->skip_depth > 0)
		return;
	if (text.len > room)
		text.len = room;
	(void)buf_put_slice(&extension->text, text);
}

static void
close_value(struct extension *extension)
{
	struct frame *frame = &extension->frames[extension->frame_count - 1];
	struct slice text = slice_trim(buf_text(&extension->text));
	int number = extension->tag;
	const struct extension_tag *tag = tag_at(number);

	extension->tag = -1;
	if (text.len == 0)
		return;
	frame->filled |= (uint64_t)1 << number;
	enum diag_code code = tag_judge(
	    tag->kind, text, &extension->scope->location.profile);
	if (code == DIAG_VIDEO_INVALID_VALUE)
		invalid_value(extension, tag->name, extension->line, text);
	else if (code != DIAG_OK)
		extension_finding(extension, code, extension->line, text);
	else if (tag->kind == VALUE_NEWS_DATE) {
		/* SPEC R-111. A date that is less exact counts until the end of
		 * its period. */
		static const int64_t lasts_s[] = {[DATE_YEAR] = 366 * DAY_S,
		    [DATE_MONTH] = 31 * DAY_S,
		    [DATE_DAY] = DAY_S,
		    [DATE_FRACTION] = 0};
		struct diag_sink none = {0};
		struct date date;

		if (date_parse(&date, text, &extension->scope->location.profile,
			none) != DIAG_OK)
			return;
		if (extension->scope->now_s - date.epoch_s -
			lasts_s[date.precision] >
		    NEWS_AGE_S)
			extension_finding(
			    extension, DIAG_NEWS_STALE, extension->line, text);
	} else if (tag->kind == VALUE_LOCATION)
		add_link(extension, RAW_VIDEO_LOCATION, extension->line, text);
}

void
extension_end(struct extension *extension)
{
	if (extension->skip_depth > 0)
		extension->skip_depth--;
	else if (extension->tag >= 0)
		close_value(extension);
	else if (extension->frame_count > 0) {
		struct frame *frame = &extension
					   ->frames[--extension->frame_count];
		enum diag_code missing;
		enum diag_code removed;
		bool has_location = frame->vocabulary != VOCABULARY_VIDEO;

		vocabulary_codes(frame->vocabulary, &missing, &removed);
		for (int i = 0; tag_at(i) != NULL; i++) {
			const struct extension_tag *tag = tag_at(i);
			bool is_filled = (frame->filled >> i & 1) != 0;

			if (tag->vocabulary != frame->vocabulary)
				continue;
			if (tag->is_required && !is_filled)
				extension_finding(extension, missing,
				    frame->line, slice_of(tag->name));
			if (tag->kind == VALUE_LOCATION && is_filled)
				has_location = true;
		}
		if (!has_location)
			extension_finding(extension,
			    DIAG_VIDEO_MISSING_LOCATION, frame->line,
			    slice_of("content_loc or player_loc"));
	}
}
