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

#include <assert.h>

#include "base/ascii.h"
#include "base/civil.h"
#include "base/mem.h"

#define VIDEO_TAGS 32 /* SPEC R-109 */
#define NEWS_AGE_S (48 * 3600) /* SPEC R-111 */
#define LINKS_MAX 4096 /* of one entry; further links are not judged */

struct extension_tag {
	enum vocabulary vocabulary;
	const char *name;
	enum extension_value kind;
	bool is_required;
	/* Google's documents do not name it any more (SPEC R-114) */
	bool is_removed;
};

static const struct extension_tag tags[] = {
    {VOCABULARY_IMAGE, "loc", VALUE_IMAGE_LOC, true, false},
    {VOCABULARY_IMAGE, "caption", VALUE_ANY, false, true},
    {VOCABULARY_IMAGE, "geo_location", VALUE_ANY, false, true},
    {VOCABULARY_IMAGE, "title", VALUE_ANY, false, true},
    {VOCABULARY_IMAGE, "license", VALUE_ANY, false, true},
    {VOCABULARY_VIDEO, "thumbnail_loc", VALUE_ANY, true, false},
    {VOCABULARY_VIDEO, "title", VALUE_ANY, true, false},
    {VOCABULARY_VIDEO, "description", VALUE_DESCRIPTION, true, false},
    {VOCABULARY_VIDEO, "content_loc", VALUE_LOCATION, false, false},
    {VOCABULARY_VIDEO, "player_loc", VALUE_LOCATION, false, false},
    {VOCABULARY_VIDEO, "duration", VALUE_DURATION, false, false},
    {VOCABULARY_VIDEO, "expiration_date", VALUE_VIDEO_DATE, false, false},
    {VOCABULARY_VIDEO, "rating", VALUE_RATING, false, false},
    {VOCABULARY_VIDEO, "view_count", VALUE_ANY, false, false},
    {VOCABULARY_VIDEO, "publication_date", VALUE_VIDEO_DATE, false, false},
    {VOCABULARY_VIDEO, "family_friendly", VALUE_YES_NO, false, false},
    {VOCABULARY_VIDEO, "restriction", VALUE_RESTRICTION, false, false},
    {VOCABULARY_VIDEO, "platform", VALUE_PLATFORM, false, false},
    {VOCABULARY_VIDEO, "requires_subscription", VALUE_YES_NO, false, false},
    {VOCABULARY_VIDEO, "uploader", VALUE_UPLOADER, false, false},
    {VOCABULARY_VIDEO, "live", VALUE_YES_NO, false, false},
    {VOCABULARY_VIDEO, "tag", VALUE_TAG, false, false},
    {VOCABULARY_VIDEO, "category", VALUE_ANY, false, true},
    {VOCABULARY_VIDEO, "gallery_loc", VALUE_ANY, false, true},
    {VOCABULARY_VIDEO, "price", VALUE_ANY, false, true},
    {VOCABULARY_VIDEO, "tvshow", VALUE_ANY, false, true},
    {VOCABULARY_NEWS, "publication", VALUE_PUBLICATION, true, false},
    {VOCABULARY_NEWS, "publication_date", VALUE_NEWS_DATE, true, false},
    {VOCABULARY_NEWS, "title", VALUE_ANY, true, false},
    {VOCABULARY_PUBLICATION, "name", VALUE_ANY, true, false},
    {VOCABULARY_PUBLICATION, "language", VALUE_LANGUAGE, true, false},
};

#define TAGS (LENGTH(tags))

static_assert(TAGS <= 64, "a set of them is a uint64_t");

/* The code for a required element that is missing, and the code for an element
 * that was removed. */
static const struct {
	enum diag_code missing, removed;
} tag_codes[VOCABULARIES] = {
    [VOCABULARY_IMAGE] = {DIAG_IMAGE_MISSING_LOC, DIAG_IMAGE_REMOVED_TAG},
    [VOCABULARY_VIDEO] = {DIAG_VIDEO_MISSING_TAG, DIAG_VIDEO_REMOVED_TAG},
    [VOCABULARY_NEWS] = {DIAG_NEWS_MISSING_TAG, DIAG_OK},
    [VOCABULARY_PUBLICATION] = {DIAG_NEWS_MISSING_TAG, DIAG_OK}};

/* is_rating(text): digits, a point, digits: 0.0 to 5.0, with any number of
 * places. */
static bool
is_rating(struct slice text)
{
	unsigned whole = 0; /* above 5 for every larger number */
	bool has_digit = false, has_point = false, has_fraction = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (c == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (!ascii_is_digit(c))
			return false;
		has_digit = true;
		has_fraction |= has_point && c != '0';
		if (!has_point && whole <= 5)
			whole = whole * 10 + (unsigned)(c - '0');
	}
	return has_digit && (whole < 5 || (whole == 5 && !has_fraction));
}

/* is_platforms(text): SPEC R-109: the words of a list, between white space. */
static bool
is_platforms(struct slice text)
{
	while (text.len > 0) {
		size_t n = 0;

		while (n < text.len && !ascii_is_space(text.p[n]))
			n++;
		struct slice word = slice_make(text.p, n);
		if (!slice_is(word, "web") && !slice_is(word, "mobile") &&
		    !slice_is(word, "tv"))
			return false;
		text = slice_trim(slice_from(text, n));
	}
	return true;
}

enum diag_code
tag_judge(
    enum extension_value kind, struct slice text, const struct profile *profile)
{
	struct diag_sink none = {0};
	struct profile strict;
	enum diag_code code;
	struct date date;
	struct url url = {0};
	bool ok = true;
	uint64_t number;
	size_t n = 0;

	switch (kind) {
	case VALUE_IMAGE_LOC:
		/* An absolute URL: its host may differ from the page's, and its
		 * length is not limited, because that is a rule for loc. */
		code = url_parse(&url, text, NULL, profile, none);
		url_release(&url);
		return code == DIAG_OK || code == DIAG_URL_TOO_LONG
		    ? DIAG_OK
		    : DIAG_IMAGE_BAD_LOC;
	case VALUE_LANGUAGE:
		/* Two or three letters of ISO 639; only Chinese has variants.
		 */
		while (n < text.len && text.p[n] >= 'a' && text.p[n] <= 'z')
			n++;
		ok = slice_is(text, "zh-cn") || slice_is(text, "zh-tw") ||
		    (n == text.len && (n == 2 || n == 3));
		return ok ? DIAG_OK : DIAG_NEWS_BAD_LANGUAGE;
	case VALUE_DURATION:
		/* whole seconds, at most eight hours */
		ok = slice_number(text, &number) && number >= 1 &&
		    number <= 28800;
		break;
	case VALUE_RATING:
		ok = is_rating(text);
		break;
	case VALUE_DESCRIPTION:
		ok = slice_chars(text) <= 2048;
		break;
	case VALUE_UPLOADER:
		ok = slice_chars(text) <= 255;
		break;
	case VALUE_YES_NO:
		ok = slice_is(text, "yes") || slice_is(text, "no");
		break;
	case VALUE_NEWS_DATE:
	case VALUE_VIDEO_DATE:
		/* One of the six forms of W3C Datetime, of a video with its
		 * day. All profiles use the same forms here. */
		strict = profile_default(PROFILE_STRICT);
		ok = date_parse(&date, text, &strict, none) == DIAG_OK &&
		    date.precision >=
			(kind == VALUE_NEWS_DATE ? DATE_YEAR : DATE_DAY);
		if (kind == VALUE_NEWS_DATE)
			return ok ? DIAG_OK : DIAG_NEWS_INVALID_DATE;
		break;
	case VALUE_PLATFORM:
		ok = is_platforms(text);
		break;
	case VALUE_ANY:
	case VALUE_LOCATION:
	case VALUE_RESTRICTION:
	case VALUE_TAG:
	case VALUE_PUBLICATION:
		break;
	}
	return ok ? DIAG_OK : DIAG_VIDEO_INVALID_VALUE;
}

/* is_language(text): two letters of ISO 639-1, withdrawn codes included. */
static bool
is_language(struct slice text)
{
	static const char codes[] =
	    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs "
	    "ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff "
	    "fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id "
	    "ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn "
	    "ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn "
	    "mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa "
	    "pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so "
	    "sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug "
	    "uk ur uz ve vi vo wa wo xh yi yo za zh zu ";

	if (text.len == 3)
		return true;
	for (const char *p = codes; text.len == 2 && *p != '\0'; p += 3)
		if (p[0] == ascii_lower(text.p[0]) &&
		    p[1] == ascii_lower(text.p[1]))
			return true;
	return false;
}

bool
hreflang_ok(struct slice text)
{
	struct slice parts[3];
	bool are_letters[3] = {false}; /* nothing but letters */
	uint64_t number;
	size_t count = 0;
	size_t n;

	if (slice_equal_nocase(text, slice_of("x-default")))
		return true;
	for (n = 0; text.len > 0; text = slice_from(text, n)) {
		bool is_word = true;

		for (n = 0; n < text.len && text.p[n] != '-'; n++)
			is_word = is_word && ascii_is_letter(text.p[n]);
		if (count == 3 || n == 0)
			return false;
		are_letters[count] = is_word;
		parts[count++] = slice_make(text.p, n);
		n += n < text.len;
		if (n == text.len && text.p[n - 1] == '-')
			return false;
	}
	if (count == 0 || !is_language(parts[0]) || !are_letters[0])
		return false;
	size_t next = 1;
	/* a script of ISO 15924 */
	if (count > next && parts[next].len == 4) {
		if (!are_letters[next])
			return false;
		next++;
	}
	/* a region: two letters of ISO 3166, except UK, which never was a code,
	 * or three digits of UN M.49 */
	if (count > next &&
	    ((parts[next].len == 2 && are_letters[next] &&
		 !slice_equal_nocase(parts[next], slice_of("uk"))) ||
		(parts[next].len == 3 && slice_number(parts[next], &number))))
		next++;
	return next == count;
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

	for (size_t i = 0; i < LENGTH(known); i++)
		if (slice_is(uri, known[i].uri))
			return known[i].bit;
	return RAW_OTHER;
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
	/* xml keeps one decoded value at a time. */
	if (bit == RAW_HREFLANG &&
	    !(slice_is(element->local, "link") &&
		xml_attribute(xml, "rel", &value) &&
		slice_is(value, "alternate") &&
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

/* add_link(extension, kind, line, url): keep a URL.  Where it lies is found out
 * by extension_links(), because the buf may move while it grows. */
static void
add_link(struct extension *extension, enum raw_link_kind kind, uint32_t line,
    struct slice url)
{
	if (extension->link_count == LINKS_MAX ||
	    !buf_put_slice(&extension->urls, url))
		return;
	*MEM_PUSH(extension->links, extension->link_count,
	    extension->link_cap) = (struct raw_link){
	    .kind = kind, .line = line, .url = {NULL, url.len}};
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

/* extension_take_alternate(extension, element): keep the link for SPEC R-112.
 * Google defines links with a media query for mobile pages: they are no
 * alternates. */
static void
extension_take_alternate(
    struct extension *extension, const struct xml_element *element)
{
	struct slice value;
	bool has_code = xml_attribute(extension->xml, "hreflang", &value);

	bool has_rel = xml_attribute(extension->xml, "rel", &value);
	if (!has_rel || !slice_is(value, "alternate")) {
		/* A link with hreflang is meant to be an alternate, so its rel
		 * must say so (SPEC R-132). Links without hreflang are not
		 * judged. */
		if (has_code && has_rel)
			extension_finding(extension,
			    DIAG_INVALID_ATTRIBUTE_VALUE, element->line, value);
		else if (has_code)
			extension_finding(extension, DIAG_MISSING_ATTRIBUTE,
			    element->line, slice_of("rel of link"));
		return;
	}
	if (!has_code && xml_attribute(extension->xml, "media", &value))
		return;
	if (has_code) {
		/* The value of rel has taken its place. */
		(void)xml_attribute(extension->xml, "hreflang", &value);
		if (!hreflang_ok(slice_trim(value)))
			extension_finding(extension, DIAG_HREFLANG_BAD_CODE,
			    element->line, value);
	}
	/* A link that lacks one of the two is no alternate for anybody, but its
	 * URL can still be judged. */
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

/* invalid_value(extension, name, line, value): report a value of a video, which
 * does not tell by itself what it is the value of. */
static void
invalid_value(struct extension *extension, const char *name, uint32_t line,
    struct slice value)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&text, "%s: ", name);
	(void)buf_put_slice(&text, value);
	extension_finding(
	    extension, DIAG_VIDEO_INVALID_VALUE, line, buf_text(&text));
	buf_release(&text);
}

/* may_repeat(): may one more element of this kind follow (SPEC R-109)? */
static bool
may_repeat(struct extension *extension, struct extension_frame *frame,
    int number, const struct xml_element *element)
{
	bool is_seen = (frame->seen >> number & 1) != 0;

	frame->seen |= (uint64_t)1 << number;
	if (tags[number].kind == VALUE_TAG) {
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
	for (size_t i = 0; i < LENGTH(required); i++)
		if (slice_is(element->local, required[i].local) &&
		    !xml_attribute(
			extension->xml, required[i].attribute, &value))
			extension_finding(extension, DIAG_MISSING_ATTRIBUTE,
			    element->line, slice_of(required[i].message));
}

void
extension_start(struct extension *extension, const struct xml_element *element)
{
	enum vocabulary opened = VOCABULARIES; /* none */

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
		const struct read_limits *limits = &extension->scope->limits;
		uint16_t bit = extension_of(extension->xml, element);

		for (enum vocabulary i = VOCABULARY_IMAGE; i <= VOCABULARY_NEWS;
		     i++)
			if (bit == parents[i].bit &&
			    slice_is(element->local, parents[i].name)) {
				/* Report once that there are too many. */
				if (i == VOCABULARY_IMAGE &&
				    extension->images++ == limits->max_images)
					extension_finding(extension,
					    DIAG_TOO_MANY_IMAGES, element->line,
					    slice_of(NULL));
				if (i == VOCABULARY_NEWS &&
				    extension->news++ == limits->max_news)
					extension_finding(extension,
					    DIAG_TOO_MANY_NEWS, element->line,
					    slice_of(NULL));
				extension->uri = element->uri;
				opened = i;
			}
		/* A link of XHTML, whatever its attributes say. */
		if (bit != 0 && element->uri != NULL &&
		    extension_bit(slice_of(element->uri)) == RAW_HREFLANG &&
		    slice_is(element->local, "link"))
			extension_take_alternate(extension, element);
		if (opened == VOCABULARIES)
			extension->skip_depth = 1;
	} else {
		struct extension_frame
		    *frame = &extension->frames[extension->frame_count - 1];
		int number = -1;

		for (size_t i = 0; i < TAGS && number < 0 &&
		     element->uri == extension->uri && !element->is_undeclared;
		     i++)
			if (tags[i].vocabulary == frame->vocabulary &&
			    slice_is(element->local, tags[i].name))
				number = (int)i;
		if (number < 0) {
			extension->skip_depth = 1;
			return;
		}
		const struct extension_tag *tag = &tags[number];
		if (tag->is_removed)
			extension_finding(extension,
			    tag_codes[frame->vocabulary].removed, element->line,
			    element->local);
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
			opened = VOCABULARY_PUBLICATION;
		} else {
			extension->tag = number;
			extension->line = element->line;
			buf_clear(&extension->text);
		}
	}
	if (opened != VOCABULARIES)
		extension->frames[extension->frame_count++] =
		    (struct extension_frame){
			.vocabulary = opened, .line = element->line};
}

void
extension_text(struct extension *extension, struct slice text)
{
	size_t room = extension->text.max - extension->text.len;

	/* Of a longer value the front is enough to judge it. */
	if (extension->tag < 0 || extension->skip_depth > 0)
		return;
	if (text.len > room)
		text.len = room;
	(void)buf_put_slice(&extension->text, text);
}

/* close_value(extension): the element whose text was collected ends.  A blank
 * value is as good as none, which extension_end() reports. */
static void
close_value(struct extension *extension)
{
	struct extension_frame
	    *frame = &extension->frames[extension->frame_count - 1];
	struct slice text = slice_trim(buf_text(&extension->text));
	int number = extension->tag;
	const struct extension_tag *tag = &tags[number];

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
		struct extension_frame
		    *frame = &extension->frames[--extension->frame_count];
		bool has_location = frame->vocabulary != VOCABULARY_VIDEO;

		for (size_t i = 0; i < TAGS; i++) {
			const struct extension_tag *tag = &tags[i];
			bool is_filled = (frame->filled >> i & 1) != 0;

			if (tag->vocabulary != frame->vocabulary)
				continue;
			if (tag->is_required && !is_filled)
				extension_finding(extension,
				    tag_codes[frame->vocabulary].missing,
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
