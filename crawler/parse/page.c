/*
 * The facts that an HTML page states about itself.
 *
 * <link rel=canonical> and <base> count in the head only, which ends, as in the
 * HTML standard, with the first thing that cannot stand in it: a canonical link
 * further down may come from anybody who can write on the page. A directive
 * that keeps the page out of an index counts everywhere.
 */
#include "crawler/parse/page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/html.h"

/* Directives for indexers, in headers and elements. */

/* has_noindex(content): "none" stands for noindex and nofollow. */
static bool
has_noindex(struct slice content)
{
	struct slice word;

	while (slice_cut(&content, ',', &word))
		if (slice_equal_nocase(word, slice_of("noindex")) ||
		    slice_equal_nocase(word, slice_of("none")))
			return true;
	return false;
}

bool
robots_tag_noindex(struct slice value)
{
	struct slice rest = value;
	struct slice name;

	(void)slice_cut(&rest, ':', &name);
	if (rest.p == NULL || value.len == 0)
		return false;
	/* "noindex, unavailable_after: ..." begins with no crawler's name */
	/* Is name a directive that has a value behind a colon? */
	if (memchr(value.p, ':', value.len) == NULL ||
	    memchr(name.p, ',', name.len) != NULL ||
	    slice_equal_nocase(name, slice_of("unavailable_after")) ||
	    slice_equal_nocase(name, slice_of("max-snippet")) ||
	    slice_equal_nocase(name, slice_of("max-image-preview")) ||
	    slice_equal_nocase(name, slice_of("max-video-preview")))
		return has_noindex(value);
	/* Does the directive address every crawler, or Google, whose rules the
	 * default set follows? */
	return (slice_equal_nocase(name, slice_of("robots")) ||
		   slice_equal_nocase(name, slice_of("googlebot"))) &&
	    has_noindex(rest);
}

bool
robots_meta_noindex(struct slice name, struct slice content, bool *is_google)
{
	name = slice_trim(name);
	*is_google = slice_equal_nocase(name, slice_of("googlebot"));
	return (*is_google || slice_equal_nocase(name, slice_of("robots"))) &&
	    has_noindex(content);
}

/* link_rel_is(rel, word): is the word, in any case, one of the words of rel? */
static bool
link_rel_is(struct slice rel, const char *word)
{
	struct slice one;

	for (size_t i = 0; i < rel.len;) {
		size_t from = i;

		while (i < rel.len && slice_trim(slice_make(rel.p + i, 1)).len)
			i++;
		one = slice_make(rel.p + from, i - from);
		if (slice_equal_nocase(one, slice_of(word)))
			return true;
		i++;
	}
	return false;
}

/* part_end(text, mark): the offset of the first mark outside <targets> and
 * quotes. */
static size_t
part_end(struct slice text, char mark)
{
	bool is_quoted = false, is_target = false;
	size_t i;

	for (i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (is_quoted && c == '\\')
			i++;
		else if (c == '"' && !is_target)
			is_quoted = !is_quoted;
		else if (c == '<' && !is_quoted)
			is_target = true;
		else if (c == '>')
			is_target = false;
		else if (c == mark && !is_quoted && !is_target)
			break;
	}
	return i < text.len ? i : text.len;
}

/* has_rel(params, word): is the first rel parameter the word, or does it
 * contain it: rel="a canonical"? */
static bool
has_rel(struct slice params, const char *word)
{
	while (params.len > 0) {
		size_t len = part_end(params, ';');
		struct slice param = slice_make(params.p, len);
		struct slice name;

		params = slice_from(params, len < params.len ? len + 1 : len);
		if (!slice_cut(&param, '=', &name) ||
		    !slice_equal_nocase(name, slice_of("rel")))
			continue;
		param = slice_trim(param);
		if (param.len >= 2 && param.p[0] == '"')
			param = slice_make(param.p + 1, param.len - 2);
		return link_rel_is(param, word);
	}
	return false;
}

bool
link_target(struct slice value, const char *word, struct slice *target)
{
	while (value.len > 0) {
		size_t len = part_end(value, ',');
		struct slice link = slice_trim(slice_make(value.p, len));
		const char *end = link.len > 0 ? memchr(link.p, '>', link.len)
					       : NULL;

		value = slice_from(value, len < value.len ? len + 1 : len);
		if (end == NULL || link.p[0] != '<')
			continue;
		*target = slice_trim(
		    slice_make(link.p + 1, (size_t)(end - link.p) - 1));
		if (has_rel(slice_from(link, (size_t)(end - link.p) + 1), word))
			return true;
	}
	return false;
}

/*
 * Challenge pages of bot walls, recognised by their markup, as their makers
 * serve them.
 *
 * Only tags and the beginnings of scripts and titles are looked at, so that a
 * page whose text is about bot walls is no challenge. What normal pages behind
 * a wall contain as well, such as widgets of forms, is only a hint, and one
 * hint is not enough.
 */

/* What was seen in one page so far; zeroed at the beginning. */
struct page_wall {
	/* number of the wall whose own sign was seen; 0: none */
	unsigned owner;
	/* number of the wall of which a hint was seen; 0: none */
	unsigned hinted;
	bool has_title; /* the title is that of a challenge */
	unsigned links; /* number of <a href>; a challenge has few */
	bool is_script; /* the current script runs, and is not data */
};

#define MAX_LINKS 5 /* the most links that a challenge page has */

enum wall_owner {
	OWNER_NONE,
	OWNER_CLOUDFLARE,
	OWNER_AWS,
	OWNER_DATADOME,
	OWNER_IMPERVA,
	OWNER_AKAMAI,
	OWNER_HUMAN,
	OWNER_SUCURI,
	OWNER_VERCEL,
	OWNER_DDOS_GUARD,
	OWNER_SITEGROUND,
	OWNER_ANUBIS,
	OWNER_KASADA,
	OWNER_QRATOR,
	OWNER_RECAPTCHA,
	OWNER_HCAPTCHA,
	OWNERS
};

enum place {
	/* the beginning of an inline script, without white space */
	PLACE_SCRIPT,
	PLACE_SCRIPT_SRC,
	PLACE_FRAME_SRC,
	PLACE_ID, /* the whole id of any element */
	PLACE_REFRESH /* anywhere in <meta http-equiv=refresh content> */
};

/* begin: the text that the value begins with; has: a text that the value
 * contains as well, or NULL. */
static const struct sign {
	enum wall_owner owner;
	enum place place;
	bool is_hint;
	const char *begin;
	const char *has;
} signs[] = {
    {OWNER_CLOUDFLARE, PLACE_SCRIPT, false, "window._cf_chl_opt", NULL},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT, false, "(function(){window._cf_chl_opt",
	NULL},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT_SRC, false,
	"/cdn-cgi/challenge-platform/h/", "/orchestrate/"},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT_SRC, true, "/cdn-cgi/challenge-platform/",
	NULL},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT_SRC, true,
	"https://challenges.cloudflare.com/", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "challenge-form", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "challenge-running", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "challenge-error-text", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "cf-wrapper", NULL},
    {OWNER_AWS, PLACE_SCRIPT, false, "window.gokuProps=", NULL},
    {OWNER_AWS, PLACE_SCRIPT, false,
	"window.awsWafCookieDomainList=", "window.gokuProps="},
    {OWNER_DATADOME, PLACE_SCRIPT_SRC, false,
	"https://ct.captcha-delivery.com/", NULL},
    {OWNER_DATADOME, PLACE_FRAME_SRC, false,
	"https://geo.captcha-delivery.com/", NULL},
    {OWNER_IMPERVA, PLACE_FRAME_SRC, false, "/_Incapsula_Resource?", NULL},
    {OWNER_AKAMAI, PLACE_REFRESH, false, "bm-verify=", NULL},
    {OWNER_AKAMAI, PLACE_SCRIPT_SRC, false, "/_sec/cp_challenge/", NULL},
    {OWNER_AKAMAI, PLACE_ID, false, "sec-if-cpt-container", NULL},
    {OWNER_HUMAN, PLACE_SCRIPT, false, "window._pxAppId=", "_pxBlockedUrl"},
    {OWNER_HUMAN, PLACE_ID, true, "px-captcha", NULL},
    {OWNER_SUCURI, PLACE_SCRIPT, false, "vars={},u,c,U,r,i,l=0",
	"sucuri_cloudproxy_js="},
    {OWNER_VERCEL, PLACE_SCRIPT_SRC, false,
	"/.well-known/vercel/security/static/challenge", NULL},
    {OWNER_DDOS_GUARD, PLACE_SCRIPT_SRC, false,
	"/.well-known/ddos-guard/js-challenge/", NULL},
    {OWNER_DDOS_GUARD, PLACE_SCRIPT_SRC, false, "https://check.ddos-guard.net/",
	NULL},
    {OWNER_SITEGROUND, PLACE_REFRESH, false, "/.well-known/sgcaptcha/", NULL},
    {OWNER_ANUBIS, PLACE_ID, false, "anubis_challenge", NULL},
    {OWNER_KASADA, PLACE_SCRIPT, false, "window.KPSDK={};KPSDK.now=", NULL},
    {OWNER_QRATOR, PLACE_SCRIPT_SRC, false, "/__qrator/qauth", NULL},
    {OWNER_RECAPTCHA, PLACE_SCRIPT_SRC, true,
	"https://www.google.com/recaptcha/", NULL},
    {OWNER_RECAPTCHA, PLACE_SCRIPT_SRC, true,
	"https://www.recaptcha.net/recaptcha/", NULL},
    {OWNER_HCAPTCHA, PLACE_SCRIPT_SRC, true, "https://js.hcaptcha.com/", NULL},
    {OWNER_HCAPTCHA, PLACE_SCRIPT_SRC, true, "https://hcaptcha.com/", NULL},
};

/* Whole titles of challenge pages, which no page of a site has. */
static const char *const titles[] = {"Just a moment...",
    "Attention Required! | Cloudflare", "Please Wait... | Cloudflare",
    "Access to this page has been denied", "Pardon Our Interruption",
    "Human Verification", "Robot Check", "Bot Verification",
    "One moment, please...", "Vercel Security Checkpoint", "DDOS-GUARD",
    "DDoS-Guard"};

const char *
page_wall_name(unsigned number)
{
	static const char *const names[OWNERS] = {NULL, "Cloudflare", "AWS WAF",
	    "DataDome", "Imperva", "Akamai", "HUMAN", "Sucuri", "Vercel",
	    "DDoS-Guard", "SiteGround", "Anubis", "Kasada", "Qrator",
	    "reCAPTCHA", "hCaptcha"};

	return number < OWNERS ? names[number] : NULL;
}

/* page_wall_look(wall, place, value): which wall's sign is this value? */
static void
page_wall_look(struct page_wall *wall, enum place place, struct slice value)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const struct sign *sign = &signs[i];
		struct slice begin = slice_of(sign->begin);
		bool fits = false;

		switch (place) {
		case PLACE_ID:
			fits = slice_equal(value, begin);
			break;
		case PLACE_REFRESH:
			fits = memmem(value.p, value.len, begin.p, begin.len) !=
			    NULL;
			break;
		case PLACE_SCRIPT:
		case PLACE_SCRIPT_SRC:
		case PLACE_FRAME_SRC:
			fits = slice_starts(value, begin) &&
			    (sign->has == NULL ||
				memmem(value.p, value.len, sign->has,
				    strlen(sign->has)) != NULL);
			break;
		}
		/* The first sign counts, and a hint never replaces one. */
		if (sign->place != place || !fits)
			continue;
		if (!sign->is_hint && wall->owner == 0)
			wall->owner = sign->owner;
		if (sign->is_hint && wall->hinted == 0)
			wall->hinted = sign->owner;
	}
}

/* page_wall_tag(wall, tag): look at a tag and its attributes. */
static void
page_wall_tag(struct page_wall *wall, const struct html_tag *tag)
{
	struct slice value;

	if (tag->is_end)
		return;
	if (html_attribute(tag, "id", &value))
		page_wall_look(wall, PLACE_ID, value);
	if (slice_is(tag->name, "a") && html_attribute(tag, "href", &value)) {
		wall->links++;
	} else if (slice_is(tag->name, "script")) {
		/* Is this a script that runs, and not data? */
		struct slice type;
		wall->is_script = !html_attribute(tag, "type", &type) ||
		    type.len == 0 ||
		    slice_equal_nocase(type, slice_of("module")) ||
		    slice_equal_nocase(type, slice_of("text/javascript")) ||
		    slice_equal_nocase(
			type, slice_of("application/javascript"));
		if (html_attribute(tag, "src", &value))
			page_wall_look(
			    wall, PLACE_SCRIPT_SRC, slice_trim(value));
	} else if (slice_is(tag->name, "iframe")) {
		if (html_attribute(tag, "src", &value))
			page_wall_look(
			    wall, PLACE_FRAME_SRC, slice_trim(value));
	} else if (slice_is(tag->name, "meta")) {
		if (html_attribute(tag, "http-equiv", &value) &&
		    slice_equal_nocase(value, slice_of("refresh")) &&
		    html_attribute(tag, "content", &value))
			page_wall_look(wall, PLACE_REFRESH, value);
	}
}

/*
 * The main text of a page, as a digest that changes when an author changed the
 * page, and stays when only its frame or its build did.
 *
 * Text in <main>, in an <article> or below role="main" is the main text; of a
 * page without these that in <div id="content">, or else all text that is not
 * navigation. White space and tags do not count, so that a build that packs
 * pages more tightly changes nothing. Words that a build writes are left out:
 * numbers of versions, hashes, moments, and a date behind "Last updated".
 */

/* The first of which a page has text is its main text. The region of TEXT_ALL
 * is that of what belongs to none of the others. */
enum text_kind {
	TEXT_MAIN,
	TEXT_CONTENT,
	TEXT_BODY, /* has no region */
	TEXT_ALL,
	TEXT_KINDS
};

#define WORD_BYTES 128 /* no word that a build writes is longer */
#define STAMP_WORDS 3 /* so far behind "updated" a date may begin, or go on */

/* An element whose end is waited for; depth: open elements of that name. */
struct page_region {
	char name[16];
	unsigned depth; /* 0: there is no such element */
};

/* Zeroed at the beginning. */
struct page_text {
	struct digester *digesters[TEXT_KINDS]; /* owned; NULL: no text yet */
	struct page_region regions[TEXT_KINDS];
	char word[WORD_BYTES];
	size_t len;
	bool is_long; /* the beginning of this word was taken already */
	unsigned stamp; /* so many words may belong to a stamp */
	struct digest digest;
};

/* page_word_is_build(word): is it the number of a version, a hash or a moment,
 * such as v2, 1.2.3, 0f3c2a1, 2026-05-06T07:08:09Z? */
static bool
page_word_is_build(struct slice word)
{
	size_t digits = 0, letters = 0, hex = 0, dots = 0, clock = 0;
	bool has_v = word.len > 1 && ascii_lower(word.p[0]) == 'v';

	for (size_t i = has_v ? 1 : 0; i < word.len; i++) {
		char c = ascii_lower(word.p[i]);

		digits += ascii_is_digit(c);
		letters += ascii_is_letter(c);
		hex += ascii_is_digit(c) || (c >= 'a' && c <= 'f');
		dots += c == '.';
		clock += c == ':';
	}
	if (digits == 0)
		return false;
	return (hex == word.len && hex >= 7 && letters > 0) ||
	    (clock > 0 && digits >= 10 && letters <= 2) ||
	    (letters == 0 && digits + dots + has_v == word.len &&
		(has_v || (dots >= 2 && digits <= 7)));
}

/* page_word_is_time(word): may the word belong to a date in words? Names of
 * months and days are known by their first three letters. */
static bool
page_word_is_time(struct slice word)
{
	static const char names[] =
	    "jan feb mar apr may jun jul aug sep oct nov dec "
	    "mon tue wed thu fri sat sun";

	for (size_t i = 0; i < word.len; i++)
		if (ascii_is_digit(word.p[i]))
			return true;
	for (const char *name = names; word.len >= 3; name += 4) {
		if (strncasecmp(word.p, name, 3) == 0)
			return true;
		if (name[3] == '\0')
			break;
	}
	return false;
}

static void
page_text_put(struct page_text *text, struct slice bytes)
{
	for (size_t i = 0; i < TEXT_KINDS; i++) {
		if ((i < TEXT_BODY && text->regions[i].depth == 0) ||
		    (i != TEXT_ALL && text->regions[TEXT_ALL].depth > 0))
			continue;
		if (text->digesters[i] == NULL)
			text->digesters[i] = digester_new();
		digester_feed(text->digesters[i], bytes);
	}
}

/* page_text_end_word(text): a word has ended: take it, unless a build writes
 * it. */
static void
page_text_end_word(struct page_text *text)
{
	static const char *const stamps[] = {"updated", "modified", "edited",
	    "generated", "built", "build", "compiled", "rendered", "revision",
	    "aktualisiert", "actualizado", "mise"};
	struct slice whole = slice_make(text->word, text->len);
	struct slice word = whole;

	text->len = 0;
	if (text->is_long) {
		text->is_long = false;
		page_text_put(text, whole);
		return;
	}
	/* without the marks around it */
	while (word.len > 0 && strchr("()[],.;:#\"'", word.p[0]) != NULL)
		word = slice_from(word, 1);
	while (
	    word.len > 0 && strchr("()[],.;:\"'", word.p[word.len - 1]) != NULL)
		word.len--;
	if (whole.len == 0)
		return;
	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++)
		/* the first letter decides for nearly all words */
		if (word.len > 0 && ascii_lower(word.p[0]) == stamps[i][0] &&
		    slice_equal_nocase(word, slice_of(stamps[i])))
			text->stamp = STAMP_WORDS + 1;
	text->stamp -= text->stamp > 0;
	if (text->stamp > 0 && page_word_is_time(word))
		text->stamp = STAMP_WORDS + 1;
	else if (!page_word_is_build(word))
		page_text_put(text, whole);
}

static void
page_text_letter(struct page_text *text, char c)
{
	if (ascii_is_space(c) || c == '\f') {
		page_text_end_word(text);
		return;
	}
	if (text->len == sizeof(text->word)) {
		page_text_put(text, slice_make(text->word, text->len));
		text->len = 0;
		text->is_long = true;
	}
	text->word[text->len++] = c;
}

/* page_text_is(value, word, is_whole): is one of the words of the attribute's
 * value that word, or does it begin with it, as in navbar-default? */
static bool
page_text_is(struct slice value, const char *word, bool is_whole)
{
	size_t len = strlen(word);
	struct slice one;

	while (slice_cut(&value, ' ', &one))
		if (one.len >= len && strncasecmp(one.p, word, len) == 0 &&
		    (one.len == len ||
			(!is_whole && strchr("-_", one.p[len]) != NULL)))
			return true;
	return false;
}

/* page_text_tag(text, tag): does what is main text begin or end here? */
static void
page_text_tag(struct page_text *text, const struct html_tag *tag)
{
	/* Names of elements; roles; classes; and, in templates without <main>,
	 * ids and classes. TEXT_ALL: none of the three others. */
	enum { OF_NAME, OF_ROLE, OF_CLASS, OF_ID };
	static const struct {
		const char *word;
		enum text_kind kind;
		unsigned of;
	} starts[] = {{"main", TEXT_MAIN, OF_NAME},
	    {"article", TEXT_MAIN, OF_NAME}, {"nav", TEXT_ALL, OF_NAME},
	    {"header", TEXT_ALL, OF_NAME}, {"footer", TEXT_ALL, OF_NAME},
	    {"aside", TEXT_ALL, OF_NAME}, {"time", TEXT_ALL, OF_NAME},
	    {"button", TEXT_ALL, OF_NAME}, {"main", TEXT_MAIN, OF_ROLE},
	    {"navigation", TEXT_ALL, OF_ROLE}, {"banner", TEXT_ALL, OF_ROLE},
	    {"contentinfo", TEXT_ALL, OF_ROLE},
	    {"complementary", TEXT_ALL, OF_ROLE}, {"search", TEXT_ALL, OF_ROLE},
	    {"related", TEXT_ALL, OF_CLASS}, {"sidebar", TEXT_ALL, OF_CLASS},
	    {"pagination", TEXT_ALL, OF_CLASS}, {"pager", TEXT_ALL, OF_CLASS},
	    {"breadcrumb", TEXT_ALL, OF_CLASS},
	    {"breadcrumbs", TEXT_ALL, OF_CLASS}, {"main", TEXT_CONTENT, OF_ID},
	    {"content", TEXT_CONTENT, OF_ID}, {"header", TEXT_ALL, OF_ID},
	    {"site-header", TEXT_ALL, OF_ID}, {"footer", TEXT_ALL, OF_ID},
	    {"site-footer", TEXT_ALL, OF_ID}, {"nav", TEXT_ALL, OF_ID},
	    {"navbar", TEXT_ALL, OF_ID}, {"menu", TEXT_ALL, OF_ID},
	    {"sidebar", TEXT_ALL, OF_ID}};
	struct slice role = {0}, id = {0}, class = {0};
	bool is_block = slice_is(tag->name, "div") ||
	    slice_is(tag->name, "td") || slice_is(tag->name, "ul");
	bool is_list = is_block || slice_is(tag->name, "ol") ||
	    slice_is(tag->name, "section") || slice_is(tag->name, "aside");

	page_text_end_word(text);
	for (size_t i = 0; i < TEXT_KINDS; i++)
		if (text->regions[i].depth > 0 &&
		    slice_is(tag->name, text->regions[i].name))
			text->regions[i].depth += tag->is_end ? -1U : 1U;
	if (tag->is_end || tag->name.len >= sizeof(text->regions[0].name))
		return;
	(void)html_attribute(tag, "role", &role);
	(void)html_attribute(tag, "id", &id);
	(void)html_attribute(tag, "class", &class);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct page_region *region = &text->regions[starts[i].kind];
		const char *word = starts[i].word;
		bool is_within = text->regions[TEXT_MAIN].depth > 0 ||
		    text->regions[TEXT_CONTENT].depth > 0;
		bool begins = false;

		if (region->depth > 0)
			continue;
		/* The header of an article has its title, and an aside in it
		 * is a note. */
		if (starts[i].of == OF_NAME)
			begins = slice_is(tag->name, word) &&
			    !(is_within &&
				(strcmp(word, "header") == 0 ||
				    strcmp(word, "aside") == 0));
		else if (starts[i].of == OF_ROLE)
			begins = page_text_is(role, word, true);
		else if (starts[i].of == OF_CLASS)
			/* an id may be that of a heading of the text */
			begins = is_list && page_text_is(class, word, false);
		else if (is_block && !is_within)
			begins = page_text_is(id, word,
				     starts[i].kind == TEXT_CONTENT) ||
			    (strcmp(word, "main") != 0 &&
				page_text_is(class, word,
				    starts[i].kind == TEXT_CONTENT));
		if (!begins)
			continue;
		memcpy(region->name, tag->name.p, tag->name.len);
		region->name[tag->name.len] = '\0';
		region->depth = 1;
	}
}

/* The facts of a page. */

/* letters of the longest page that its title makes an error page */
#define GONE_LETTERS_MAX 1500

struct page_scan {
	struct html html;
	struct page_wall wall;
	struct page_text text;
	uint64_t seen;
	bool is_body;
	bool has_base;
	bool has_bytes; /* other than white space */
	struct page_facts facts; /* so far; the texts are owned */
};

/* The offsets of the texts in struct page_facts; that of the digest, which is
 * not owned, comes last. */
static const size_t page_texts[] = {offsetof(struct page_facts, noindex),
    offsetof(struct page_facts, canonical), offsetof(struct page_facts, other),
    offsetof(struct page_facts, sitemap), offsetof(struct page_facts, base),
    offsetof(struct page_facts, refresh), offsetof(struct page_facts, gone),
    offsetof(struct page_facts, generator), offsetof(struct page_facts, title),
    offsetof(struct page_facts, description),
    offsetof(struct page_facts, language), offsetof(struct page_facts, robots),
    offsetof(struct page_facts, text)};

#define PAGE_TEXTS (sizeof(page_texts) / sizeof(page_texts[0]))

/* page_text_at(facts, i): the i-th of these texts. */
static const struct slice *
page_text_at(const struct page_facts *facts, size_t i)
{
	return (const struct slice *)(const void *)((const char *)facts +
	    page_texts[i]);
}

/* page_keep(place, value): store the value unless there is one already. */
static void
page_keep(struct slice *place, struct slice value)
{
	if (place->p == NULL && value.len > 0 && value.len <= PAGE_MAX_VALUE)
		*place = slice_make(slice_dup(value), value.len);
}

struct slice
page_refresh_target(struct slice content)
{
	struct slice rest;
	size_t at = 0;
	char quote;

	content = slice_trim(content);
	while (at < content.len &&
	    (ascii_is_digit(content.p[at]) || content.p[at] == '.'))
		at++;
	rest = slice_trim(slice_from(content, at));
	if (at == 0 || rest.len == 0 ||
	    (rest.len == content.len - at && rest.p[0] != ';' &&
		rest.p[0] != ','))
		return slice_of(NULL);
	if (rest.p[0] == ';' || rest.p[0] == ',')
		rest = slice_trim(slice_from(rest, 1));
	/* without `url=`, all of it is the URL */
	content = slice_trim(slice_from(rest, rest.len < 3 ? rest.len : 3));
	if (content.len > 0 && content.p[0] == '=' &&
	    strncasecmp(rest.p, "url", 3) == 0)
		rest = slice_trim(slice_from(content, 1));
	if (rest.len == 0 || (rest.p[0] != '"' && rest.p[0] != '\''))
		return rest;
	quote = rest.p[0];
	rest = slice_from(rest, 1);
	for (at = 0; at < rest.len && rest.p[at] != quote; at++)
		;
	return slice_trim(slice_make(rest.p, at));
}

/* may_be_in_head(tag): does the head continue after this tag? */
static bool
may_be_in_head(const struct html_tag *tag)
{
	static const char *const names[] = {"html", "head", "meta", "link",
	    "base", "basefont", "bgsound", "title", "style", "script",
	    "noscript", "noframes", "template"};

	/* what stands between </head> and <body> belongs to the head */
	if (tag->is_end)
		return !slice_is(tag->name, "html") &&
		    !slice_is(tag->name, "body");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_is(tag->name, names[i]))
			return true;
	return false;
}

static void
on_tag(void *arg, const struct html_tag *tag)
{
	struct page_scan *scan = arg;
	struct page_facts *facts = &scan->facts;

	page_wall_tag(&scan->wall, tag);
	page_text_tag(&scan->text, tag);
	if (!may_be_in_head(tag))
		scan->is_body = true;
	if (tag->is_end)
		return;
	if (slice_is(tag->name, "meta")) {
		struct slice name, content;
		bool is_google;

		if (html_attribute(tag, "http-equiv", &name) &&
		    slice_equal_nocase(slice_trim(name), slice_of("refresh")) &&
		    html_attribute(tag, "content", &content) &&
		    page_refresh_target(content).len > 0)
			page_keep(&facts->refresh, slice_trim(content));
		if (html_attribute(tag, "name", &name) &&
		    slice_equal_nocase(
			slice_trim(name), slice_of("generator")) &&
		    html_attribute(tag, "content", &content))
			page_keep(&facts->generator, slice_trim(content));
		if (facts->noindex.p == NULL &&
		    html_attribute(tag, "name", &name) &&
		    html_attribute(tag, "content", &content) &&
		    robots_meta_noindex(name, content, &is_google)) {
			page_keep(&facts->noindex, slice_trim(content));
			facts->is_google = is_google;
		}
	} else if (slice_is(tag->name, "link")) {
		struct slice rel, href;

		if (scan->is_body || !html_attribute(tag, "rel", &rel) ||
		    !html_attribute(tag, "href", &href))
			return;
		href = slice_trim(href);
		/* a map of the site for people is no sitemap */
		if (link_rel_is(rel, "sitemap") &&
		    !slice_ends_nocase(href, slice_of(".html")) &&
		    !slice_ends_nocase(href, slice_of(".htm")))
			page_keep(&facts->sitemap, href);
		if (!link_rel_is(rel, "canonical") || href.len == 0 ||
		    href.len > PAGE_MAX_VALUE)
			return;
		if (facts->canonical.p == NULL) {
			facts->canonicals = 1;
			page_keep(&facts->canonical, href);
		} else if (!slice_equal(href, facts->canonical) &&
		    !slice_equal(href, facts->other)) {
			facts->canonicals++;
			free((char *)(uintptr_t)facts->other.p);
			facts->other.p = NULL;
			page_keep(&facts->other, href);
		}
	} else if (slice_is(tag->name, "base")) {
		struct slice href;

		if (scan->is_body || scan->has_base ||
		    !html_attribute(tag, "href", &href))
			return;
		scan->has_base = true;
		page_keep(&facts->base, slice_trim(href));
	}
}

static void
on_raw(void *arg, struct slice element, struct slice text)
{
	static const char *const errors[] = {
	    "page not found", "404 not found", "error 404"};
	struct page_scan *scan = arg;
	struct page_wall *wall = &scan->wall;
	struct slice title = slice_trim(text);
	char room[HTML_MAX_RAW];
	size_t len = 0;
	bool is_gone;

	if (slice_is(element, "script") && wall->is_script &&
	    text.len <= sizeof(room)) {
		/* White space differs from page to page. */
		for (size_t i = 0; i < text.len; i++)
			if (strchr(" \t\r\n\f", text.p[i]) == NULL ||
			    text.p[i] == '\0')
				room[len++] = text.p[i];
		page_wall_look(wall, PLACE_SCRIPT, slice_make(room, len));
	}
	if (!slice_is(element, "title"))
		return;
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (slice_is(title, titles[i]))
			wall->has_title = true;
	/* Is it the title of an error page? A title that only speaks of errors,
	 * somewhere in it, is not meant. */
	is_gone = (slice_starts(title, slice_of("404")) &&
		      (title.len == 3 ||
			  !isalnum((unsigned char)title.p[3]))) ||
	    slice_ends_nocase(title, slice_of("not found")) ||
	    (title.len > 9 && strncasecmp(title.p, "not found", 9) == 0);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		for (size_t at = 0; at + strlen(errors[i]) <= title.len; at++)
			is_gone |= strncasecmp(title.p + at, errors[i],
				       strlen(errors[i])) == 0;
	if (is_gone)
		page_keep(&scan->facts.gone, title);
}

/* page_on_text: text cannot stand in a head, so the body has begun. */
static void
page_on_text(void *arg)
{
	struct page_scan *scan = arg;

	scan->is_body = true;
}

static void
page_on_letter(void *arg, char c)
{
	struct page_scan *scan = arg;

	page_text_letter(&scan->text, c);
}

struct page_scan *
page_scan_new(void)
{
	struct page_scan *scan = mem_zero(sizeof(*scan));

	scan->html.events = (struct html_events){.tag = on_tag,
	    .raw = on_raw,
	    .text = page_on_text,
	    .letter = page_on_letter,
	    .arg = scan};
	buf_init(&scan->html.bytes, HTML_MAX_TAG);
	buf_init(&scan->html.raw_text, HTML_MAX_RAW);
	return scan;
}

void
page_scan_free(struct page_scan *scan)
{
	if (scan == NULL)
		return;
	buf_release(&scan->html.bytes);
	buf_release(&scan->html.raw_text);
	for (size_t i = 0; i < TEXT_KINDS; i++)
		digester_free(scan->text.digesters[i]);
	for (size_t i = 0; i < PAGE_TEXTS - 1; i++)
		free((char *)(uintptr_t)page_text_at(&scan->facts, i)->p);
	free(scan);
}

bool
page_scan_feed(struct page_scan *scan, struct slice bytes)
{
	uint64_t left = PAGE_MAX_BYTES - scan->seen;

	if (bytes.len > left) {
		scan->facts.is_cut = true;
		bytes.len = (size_t)left;
	}
	scan->seen += bytes.len;
	if (!scan->has_bytes)
		scan->has_bytes = slice_trim(bytes).len > 0;
	html_feed(&scan->html, bytes);
	return !scan->facts.is_cut;
}

struct page_facts
page_scan_facts(struct page_scan *scan)
{
	struct page_facts facts = scan->facts;
	struct page_text *text = &scan->text;
	unsigned kind = 0;

	page_text_end_word(text);
	while (kind < TEXT_KINDS && text->digesters[kind] == NULL)
		kind++;
	if (kind < TEXT_KINDS) {
		text->digest = digester_value(text->digesters[kind]);
		facts.text = slice_make((const char *)text->digest.bytes,
		    sizeof(text->digest.bytes));
	}
	/* A hint needs the title of a challenge, and a page without links. */
	facts.wall = scan->wall.owner;
	if (facts.wall == 0 && scan->wall.has_title &&
	    scan->wall.links <= MAX_LINKS)
		facts.wall = scan->wall.hinted;
	/* An article about errors is long, and the menus of an error page are
	 * links. */
	if (scan->html.letters >= GONE_LETTERS_MAX)
		facts.gone = slice_of(NULL);
	facts.is_empty = !scan->has_bytes && !facts.is_cut;
	return facts;
}

static const struct wire_member page_members[] = {
    WIRE_MEMBER(struct page_facts, is_cut, 1),
    WIRE_MEMBER(struct page_facts, is_google, 1),
    WIRE_MEMBER(struct page_facts, canonicals, UINT32_MAX),
    WIRE_MEMBER(struct page_facts, is_empty, 1),
    WIRE_MEMBER(struct page_facts, wall, OWNERS - 1),
    WIRE_MEMBER(struct page_facts, links, UINT32_MAX),
    WIRE_MEMBER(struct page_facts, is_login, 1),
    WIRE_MEMBER(struct page_facts, text_bytes, PAGE_MAX_TEXT),
};

#define PAGE_MEMBERS (sizeof(page_members) / sizeof(page_members[0]))

void
page_put(struct buf *out, const struct page_facts *facts)
{
	wire_put_members(out, page_members, PAGE_MEMBERS, facts);
	for (size_t i = 0; i < PAGE_TEXTS; i++)
		wire_put_slice(out, *page_text_at(facts, i));
}

bool
page_get(struct slice text, struct page_facts *facts)
{
	struct wire wire = {text, true};

	*facts = (struct page_facts){0};
	wire_get_members(&wire, page_members, PAGE_MEMBERS, facts);
	/* No value is longer than what page_keep() keeps. */
	for (size_t i = 0; i < PAGE_TEXTS; i++) {
		struct slice value = wire_get_slice(&wire);

		if (value.len > PAGE_MAX_VALUE)
			return false;
		memcpy((char *)facts + page_texts[i], &value, sizeof(value));
	}
	return wire.ok && wire.in.len == 0;
}

/* page_is_clean(text): is it UTF-8 without control characters but those of
 * `but`? */
static bool
page_is_clean(struct slice text, const char *but)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.p[i] < ' ' &&
		    (text.p[i] == '\0' || strchr(but, text.p[i]) == NULL))
			return false;
	return utf8_is_valid(text);
}

bool
page_text_load(int fd, const struct page_facts *facts, struct buf *text)
{
	size_t mark = text->len;
	size_t left = (size_t)facts->text_bytes;

	if (!buf_reserve(text, left))
		return false;
	while (left > 0) {
		ssize_t n = pread(fd, text->p + text->len, left,
		    (off_t)(facts->text_bytes - left));

		if (n <= 0)
			break;
		text->len += (size_t)n;
		left -= (size_t)n;
	}
	if (left == 0 && page_is_clean(slice_from(buf_text(text), mark), "\n"))
		return true;
	text->len = mark;
	return false;
}
