/* The table of the elements of the extensions, and checks of their values. */
#include "crawler/parse/extension_tags.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/url.h"
#include "base/w3cdate.h"

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

#define TAGS (sizeof(tags) / sizeof(tags[0]))

static_assert(TAGS <= TAGS_MAX, "a set of them has a bit for each");

int
tag_find(enum vocabulary vocabulary, struct slice local)
{
	for (size_t i = 0; i < TAGS; i++)
		if (tags[i].vocabulary == vocabulary &&
		    slice_is(local, tags[i].name))
			return (int)i;
	return -1;
}

const struct extension_tag *
tag_at(int number)
{
	return (size_t)number < TAGS ? &tags[number] : NULL;
}

void
vocabulary_codes(enum vocabulary vocabulary, enum diag_code *missing,
    enum diag_code *removed)
{
	static const enum diag_code codes[VOCABULARIES][2] = {
	    [VOCABULARY_IMAGE] = {DIAG_IMAGE_MISSING_LOC,
		DIAG_IMAGE_REMOVED_TAG},
	    [VOCABULARY_VIDEO] = {DIAG_VIDEO_MISSING_TAG,
		DIAG_VIDEO_REMOVED_TAG},
	    [VOCABULARY_NEWS] = {DIAG_NEWS_MISSING_TAG, DIAG_OK},
	    [VOCABULARY_PUBLICATION] = {DIAG_NEWS_MISSING_TAG, DIAG_OK}};

	*missing = codes[vocabulary][0];
	*removed = codes[vocabulary][1];
}

/* is_duration(text): whole seconds, 1 to 28,800, which is eight hours. */
static bool
is_duration(struct slice text)
{
	unsigned value = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (!ascii_is_digit(text.p[i]))
			return false;
		value = value * 10 + (unsigned)(text.p[i] - '0');
		if (value > 28800)
			return false;
	}
	return value >= 1;
}

/* is_rating(text): digits, a point, digits: 0.0 to 5.0, with any number of
 * places. */
static bool
is_rating(struct slice text)
{
	unsigned whole = 0; /* 6 stands for every larger number */
	size_t digits = 0;
	bool has_point = false;
	bool has_fraction = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (c == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (!ascii_is_digit(c))
			return false;
		digits++;
		if (has_point)
			has_fraction = has_fraction || c != '0';
		else if (whole < 6)
			whole = whole * 10 + (unsigned)(c - '0') > 5
			    ? 6
			    : whole * 10 + (unsigned)(c - '0');
	}
	return digits > 0 && (whole < 5 || (whole == 5 && !has_fraction));
}

/* is_short(text, max): does text have at most max characters? Continuation
 * bytes of UTF-8 are not counted. */
static bool
is_short(struct slice text, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += ((unsigned char)text.p[i] & 0xC0) != 0x80;
	return count <= max;
}

/* is_w3c_date(text, least): is text one of the six forms of W3C Datetime, with
 * at least that precision? All profiles use the same forms here. */
static bool
is_w3c_date(struct slice text, enum date_precision least)
{
	struct profile strict = profile_default(PROFILE_STRICT);
	struct diag_sink none = {0};
	struct date date;

	return date_parse(&date, text, &strict, none) == DIAG_OK &&
	    date.precision >= least;
}

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

/* is_news_language(text): two or three letters of ISO 639; only Chinese has
 * variants. */
static bool
is_news_language(struct slice text)
{
	if (slice_is(text, "zh-cn") || slice_is(text, "zh-tw"))
		return true;
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] < 'a' || text.p[i] > 'z')
			return false;
	return text.len == 2 || text.len == 3;
}

/* is_absolute(text, profile): is text an absolute URL? Its host may differ from
 * the page's, and its length is not limited, because that is a rule for loc. */
static bool
is_absolute(struct slice text, const struct profile *profile)
{
	struct diag_sink none = {0};
	struct url url;

	url_init(&url);
	enum diag_code code = url_parse(&url, text, NULL, profile, none);
	url_release(&url);
	return code == DIAG_OK || code == DIAG_URL_TOO_LONG;
}

enum diag_code
tag_judge(
    enum extension_value kind, struct slice text, const struct profile *profile)
{
	bool ok = true;

	switch (kind) {
	case VALUE_IMAGE_LOC:
		return is_absolute(text, profile) ? DIAG_OK
						  : DIAG_IMAGE_BAD_LOC;
	case VALUE_LANGUAGE:
		return is_news_language(text) ? DIAG_OK
					      : DIAG_NEWS_BAD_LANGUAGE;
	case VALUE_NEWS_DATE:
		return is_w3c_date(text, DATE_YEAR) ? DIAG_OK
						    : DIAG_NEWS_INVALID_DATE;
	case VALUE_DURATION:
		ok = is_duration(text);
		break;
	case VALUE_RATING:
		ok = is_rating(text);
		break;
	case VALUE_DESCRIPTION:
		ok = is_short(text, 2048);
		break;
	case VALUE_UPLOADER:
		ok = is_short(text, 255);
		break;
	case VALUE_YES_NO:
		ok = slice_is(text, "yes") || slice_is(text, "no");
		break;
	case VALUE_VIDEO_DATE:
		ok = is_w3c_date(text, DATE_DAY);
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
		if (slice_equal_nocase(text, slice_make(p, 2)))
			return true;
	return false;
}

/* is_region(text): two letters of ISO 3166, except UK, which never was a code,
 * or UN M.49. */
static bool
is_region(struct slice text)
{
	if (text.len == 3)
		return ascii_is_digit(text.p[0]) && ascii_is_digit(text.p[1]) &&
		    ascii_is_digit(text.p[2]);
	return text.len == 2 && ascii_is_letter(text.p[0]) &&
	    ascii_is_letter(text.p[1]) &&
	    !slice_equal_nocase(text, slice_of("uk"));
}

bool
hreflang_ok(struct slice text)
{
	struct slice parts[3];
	size_t count = 0;
	size_t n;

	if (slice_equal_nocase(text, slice_of("x-default")))
		return true;
	for (n = 0; text.len > 0; text = slice_from(text, n)) {
		n = 0;
		while (n < text.len && text.p[n] != '-')
			n++;
		if (count == 3 || n == 0)
			return false;
		parts[count++] = slice_make(text.p, n);
		n += n < text.len;
		if (n == text.len && text.p[n - 1] == '-')
			return false;
	}
	if (count == 0 || !is_language(parts[0]))
		return false;
	for (size_t i = 0; i < parts[0].len; i++)
		if (!ascii_is_letter(parts[0].p[i]))
			return false;
	size_t next = 1;
	if (count > next && parts[next].len == 4) {
		for (size_t i = 0; i < 4; i++)
			if (!ascii_is_letter(parts[next].p[i]))
				return false;
		next++;
	}
	if (count > next && is_region(parts[next]))
		next++;
	return next == count;
}
