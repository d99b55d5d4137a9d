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
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/html.h"
#include "crawler/parse/page_text.h"

/* Directives for indexers, in headers and elements. */

bool
robots_noindex(struct slice content)
{
	struct slice word;

	/* "none" stands for noindex and nofollow */
	while (slice_cut(&content, ',', &word))
		if (slice_equal_nocase(word, slice_of("noindex")) ||
		    slice_equal_nocase(word, slice_of("none")))
			return true;
	return false;
}

enum robots_name
robots_name(struct slice name, struct slice agent)
{
	name = slice_trim(name);
	if (slice_equal_nocase(name, slice_of("robots")))
		return ROBOTS_ALL;
	if (agent.len > 0 && slice_equal_nocase(name, agent))
		return ROBOTS_OWN;
	return slice_equal_nocase(name, slice_of("googlebot"))
	    ? ROBOTS_GOOGLEBOT
	    : ROBOTS_OTHER;
}

struct slice
robots_tag_list(struct slice value, struct slice agent, enum robots_name *whose)
{
	struct slice rest = value;
	struct slice name;

	*whose = ROBOTS_ALL;
	if (!slice_cut(&rest, ':', &name))
		return value;
	/* "noindex, unavailable_after: ..." begins with no crawler's name */
	/* Is name a directive that has a value behind a colon? */
	if (memchr(value.p, ':', value.len) == NULL ||
	    memchr(name.p, ',', name.len) != NULL ||
	    slice_equal_nocase(name, slice_of("unavailable_after")) ||
	    slice_equal_nocase(name, slice_of("max-snippet")) ||
	    slice_equal_nocase(name, slice_of("max-image-preview")) ||
	    slice_equal_nocase(name, slice_of("max-video-preview")))
		return value;
	*whose = robots_name(name, agent);
	return slice_trim(rest);
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

size_t
header_part_end(struct slice text, char mark)
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
		size_t len = header_part_end(params, ';');
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
		size_t len = header_part_end(value, ',');
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

/* Challenge pages of bot walls, recognised by their markup, as their makers
 * serve them.  Only tags and the beginnings of scripts and titles are looked
 * at, so that a page whose text is about bot walls is no challenge.  What
 * normal pages behind a wall contain as well, such as widgets of forms, is only
 * a hint, and one hint is not enough. */

#define MAX_LINKS 5 /* the most links that a challenge page has */

/* The makers of walls, by their numbers; 0 is none. */
static const char *const wall_owners[] = {NULL, "Cloudflare", "AWS WAF",
    "DataDome", "Imperva", "Akamai", "HUMAN", "Sucuri", "Vercel", "DDoS-Guard",
    "SiteGround", "Anubis", "Kasada", "Qrator", "reCAPTCHA", "hCaptcha"};

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
	const char *owner; /* one of wall_owners */
	enum place place;
	bool is_hint;
	const char *begin;
	const char *has;
} signs[] = {
    {"Cloudflare", PLACE_SCRIPT, false, "window._cf_chl_opt", NULL},
    {"Cloudflare", PLACE_SCRIPT, false, "(function(){window._cf_chl_opt", NULL},
    {"Cloudflare", PLACE_SCRIPT_SRC, false, "/cdn-cgi/challenge-platform/h/",
	"/orchestrate/"},
    {"Cloudflare", PLACE_SCRIPT_SRC, true, "/cdn-cgi/challenge-platform/",
	NULL},
    {"Cloudflare", PLACE_SCRIPT_SRC, true, "https://challenges.cloudflare.com/",
	NULL},
    {"Cloudflare", PLACE_ID, true, "challenge-form", NULL},
    {"Cloudflare", PLACE_ID, true, "challenge-running", NULL},
    {"Cloudflare", PLACE_ID, true, "challenge-error-text", NULL},
    {"Cloudflare", PLACE_ID, true, "cf-wrapper", NULL},
    {"AWS WAF", PLACE_SCRIPT, false, "window.gokuProps=", NULL},
    {"AWS WAF", PLACE_SCRIPT, false,
	"window.awsWafCookieDomainList=", "window.gokuProps="},
    {"DataDome", PLACE_SCRIPT_SRC, false, "https://ct.captcha-delivery.com/",
	NULL},
    {"DataDome", PLACE_FRAME_SRC, false, "https://geo.captcha-delivery.com/",
	NULL},
    {"Imperva", PLACE_FRAME_SRC, false, "/_Incapsula_Resource?", NULL},
    {"Akamai", PLACE_REFRESH, false, "bm-verify=", NULL},
    {"Akamai", PLACE_SCRIPT_SRC, false, "/_sec/cp_challenge/", NULL},
    {"Akamai", PLACE_ID, false, "sec-if-cpt-container", NULL},
    {"HUMAN", PLACE_SCRIPT, false, "window._pxAppId=", "_pxBlockedUrl"},
    {"HUMAN", PLACE_ID, true, "px-captcha", NULL},
    {"Sucuri", PLACE_SCRIPT, false, "vars={},u,c,U,r,i,l=0",
	"sucuri_cloudproxy_js="},
    {"Vercel", PLACE_SCRIPT_SRC, false,
	"/.well-known/vercel/security/static/challenge", NULL},
    {"DDoS-Guard", PLACE_SCRIPT_SRC, false,
	"/.well-known/ddos-guard/js-challenge/", NULL},
    {"DDoS-Guard", PLACE_SCRIPT_SRC, false, "https://check.ddos-guard.net/",
	NULL},
    {"SiteGround", PLACE_REFRESH, false, "/.well-known/sgcaptcha/", NULL},
    {"Anubis", PLACE_ID, false, "anubis_challenge", NULL},
    {"Kasada", PLACE_SCRIPT, false, "window.KPSDK={};KPSDK.now=", NULL},
    {"Qrator", PLACE_SCRIPT_SRC, false, "/__qrator/qauth", NULL},
    {"reCAPTCHA", PLACE_SCRIPT_SRC, true, "https://www.google.com/recaptcha/",
	NULL},
    {"reCAPTCHA", PLACE_SCRIPT_SRC, true,
	"https://www.recaptcha.net/recaptcha/", NULL},
    {"hCaptcha", PLACE_SCRIPT_SRC, true, "https://js.hcaptcha.com/", NULL},
    {"hCaptcha", PLACE_SCRIPT_SRC, true, "https://hcaptcha.com/", NULL},
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
	return number < LENGTH(wall_owners) ? wall_owners[number] : NULL;
}

/* What was seen in one page so far; zeroed at the beginning. */
struct page_wall {
	/* of the wall whose own sign, and of which a hint, was seen; NULL:
	 * none */
	const char *owner, *hinted;
	bool has_title; /* the title is that of a challenge */
	unsigned links; /* number of <a href>; a challenge has few */
	bool is_script; /* the current script runs, and is not data */
};

/* page_wall_look(wall, place, value): which wall's sign is this value? */
static void
page_wall_look(struct page_wall *wall, enum place place, struct slice value)
{
	for (size_t i = 0; i < LENGTH(signs); i++) {
		const struct sign *sign = &signs[i];
		struct slice begin = slice_of(sign->begin);
		bool fits = false;

		if (sign->place != place)
			continue;
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
		if (!fits)
			continue;
		if (!sign->is_hint && wall->owner == NULL)
			wall->owner = sign->owner;
		if (sign->is_hint && wall->hinted == NULL)
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

/* page_wall_raw(wall, element, text): look at the beginning of a script, or of
 * a title; text has at most HTML_MAX_RAW bytes. */
static void
page_wall_raw(struct page_wall *wall, struct slice element, struct slice text)
{
	char room[HTML_MAX_RAW];
	size_t len = 0;

	if (slice_is(element, "script") && wall->is_script &&
	    text.len <= sizeof(room)) {
		/* White space differs from page to page. */
		for (size_t i = 0; i < text.len; i++)
			if (strchr(" \t\r\n\f", text.p[i]) == NULL ||
			    text.p[i] == '\0')
				room[len++] = text.p[i];
		page_wall_look(wall, PLACE_SCRIPT, slice_make(room, len));
	}
	for (size_t i = 0; i < LENGTH(titles); i++)
		if (slice_is(element, "title") &&
		    slice_is(slice_trim(text), titles[i]))
			wall->has_title = true;
}

/* page_wall_whose(wall): the number of the wall whose challenge this page is;
 * 0: it is none. */
static unsigned
page_wall_whose(const struct page_wall *wall)
{
	const char *owner = wall->owner;
	unsigned number = 1;

	/* A hint needs the title of a challenge, and a page without links. */
	if (owner == NULL && wall->has_title && wall->links <= MAX_LINKS)
		owner = wall->hinted;
	if (owner == NULL)
		return 0;
	while (strcmp(owner, wall_owners[number]) != 0)
		number++;
	return number;
}

/* The facts of a page. */

/* letters of the longest page that its title makes an error page */
#define GONE_LETTERS_MAX 1500

/* bytes of the longest main text beside which a password makes a login page */
#define LOGIN_TEXT_MAX 1000

/* The encoding of a page is decided with so many bytes: browsers look for
 * <meta charset> in 1,024, and some pages have it later. */
#define HELD_BYTES 8192

/* What a page says to people, and to crawlers. */
enum said {
	SAID_TITLE,
	SAID_OG_TITLE,
	SAID_HEADING,
	SAID_DESCRIPTION,
	SAID_OG_DESCRIPTION,
	SAID_LANGUAGE,
	SAID_ROBOTS,
	SAID
};

/*
 * A page in UTF-8 is scanned once. One in another encoding is scanned twice, as
 * it came and in UTF-8: its digest and what else is compared are of the bytes,
 * the texts for people are of the characters.
 */
struct page_scan {
	struct page_options options;
	struct url link; /* the latest */
	struct html html;
	struct page_wall wall;
	struct page_text text;
	struct digest digest;
	uint64_t seen;
	bool is_body;
	bool has_base;
	bool has_bytes; /* other than white space */

	struct buf held; /* the first bytes, until is_decided */
	bool is_decided; /* the encoding is known */
	enum encoding declared; /* by a <meta>; UNKNOWN: not yet */
	bool is_guess; /* no encoding is declared, and it may be UTF-8 */
	struct charset charset; /* converts for decoded */
	struct page_scan *decoded; /* owned; NULL: the page is UTF-8 */

	struct buf said[SAID]; /* as it stands in the page */
	bool is_svg; /* a title in a drawing is not that of the page */
	bool is_heading; /* in the first <h1> that has text */
	/* what is the text where a password is asked for; TEXT_KINDS: it is
	 * not */
	enum text_kind password;
	struct buf made; /* the main text */
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

#define PAGE_TEXTS (LENGTH(page_texts))

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
	for (size_t i = 0; i < LENGTH(names); i++)
		if (slice_is(tag->name, names[i]))
			return true;
	return false;
}

/* page_hold(scan, said, value): the first value that is not empty stays. */
static void
page_hold(struct page_scan *scan, enum said said, struct slice value)
{
	if (scan->said[said].len == 0)
		(void)buf_put_slice(&scan->said[said], slice_trim(value));
}

/* page_on_meta(scan, tag): of <meta>: what is for people, for indexers, and the
 * encoding. */
static void
page_on_meta(struct page_scan *scan, const struct html_tag *tag)
{
	struct page_facts *facts = &scan->facts;
	struct buf *robots = &scan->said[SAID_ROBOTS];
	struct slice name, content;
	enum robots_name whose;

	bool is_open = !scan->is_decided && scan->declared == ENCODING_UNKNOWN;

	if (is_open && html_attribute(tag, "charset", &name))
		scan->declared = encoding_find(name);
	if (!html_attribute(tag, "content", &content))
		return;
	if (html_attribute(tag, "http-equiv", &name)) {
		name = slice_trim(name);
		if (slice_equal_nocase(name, slice_of("refresh")) &&
		    page_refresh_target(content).len > 0)
			page_keep(&facts->refresh, slice_trim(content));
		if (is_open &&
		    slice_equal_nocase(name, slice_of("content-type")))
			scan->declared = encoding_declared(content);
	}
	if (html_attribute(tag, "property", &name)) {
		name = slice_trim(name);
		if (slice_equal_nocase(name, slice_of("og:title")))
			page_hold(scan, SAID_OG_TITLE, content);
		if (slice_equal_nocase(name, slice_of("og:description")))
			page_hold(scan, SAID_OG_DESCRIPTION, content);
	}
	if (!html_attribute(tag, "name", &name))
		return;
	whose = robots_name(name, scan->options.agent);
	name = slice_trim(name);
	content = slice_trim(content);
	if (facts->noindex.p == NULL && whose != ROBOTS_OTHER &&
	    robots_noindex(content)) {
		page_keep(&facts->noindex, content);
		facts->noindex_name = whose;
	}
	if (slice_equal_nocase(name, slice_of("generator")))
		page_keep(&facts->generator, content);
	else if (slice_equal_nocase(name, slice_of("description")))
		page_hold(scan, SAID_DESCRIPTION, content);
	if ((whose == ROBOTS_ALL || whose == ROBOTS_OWN) && content.len > 0 &&
	    buf_reserve(robots, content.len + 2)) {
		(void)buf_put_slice(
		    robots, slice_of(robots->len > 0 ? ", " : ""));
		(void)buf_put_slice(robots, content);
	}
}

/* page_on_link(scan, tag): of <link> in the head. */
static void
page_on_link(struct page_scan *scan, const struct html_tag *tag)
{
	struct page_facts *facts = &scan->facts;
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
}

/* page_links_out(scan, href): does it lead to another page? */
static bool
page_links_out(struct page_scan *scan, struct slice href)
{
	const struct url *url = scan->options.url;

	return url != NULL && url_resolve(&scan->link, href, url) == DIAG_OK &&
	    !slice_equal(url_text(&scan->link), url_text(url));
}

static void
on_tag(void *arg, const struct html_tag *tag)
{
	struct page_scan *scan = arg;
	struct page_facts *facts = &scan->facts;
	struct slice value;

	page_wall_tag(&scan->wall, tag);
	page_text_tag(&scan->text, tag);
	if (!scan->is_body && !may_be_in_head(tag))
		scan->is_body = true;
	if (slice_is(tag->name, "svg"))
		scan->is_svg = !tag->is_end;
	if (slice_is(tag->name, "h1"))
		scan->is_heading = !tag->is_end &&
		    scan->said[SAID_HEADING].len == 0;
	else if (scan->is_heading && slice_is(tag->name, "br"))
		(void)buf_put_char(&scan->said[SAID_HEADING], ' ');
	if (tag->is_end)
		return;
	if (slice_is(tag->name, "meta")) {
		page_on_meta(scan, tag);
	} else if (slice_is(tag->name, "link")) {
		page_on_link(scan, tag);
	} else if (slice_is(tag->name, "base")) {
		if (scan->is_body || scan->has_base ||
		    !html_attribute(tag, "href", &value))
			return;
		scan->has_base = true;
		page_keep(&facts->base, slice_trim(value));
	} else if (slice_is(tag->name, "html")) {
		if (html_attribute(tag, "lang", &value) ||
		    html_attribute(tag, "xml:lang", &value))
			page_hold(scan, SAID_LANGUAGE, value);
	} else if (slice_is(tag->name, "a")) {
		if (html_attribute(tag, "href", &value))
			facts->links += page_links_out(scan, value);
	} else if (slice_is(tag->name, "input")) {
		if (html_attribute(tag, "type", &value) &&
		    slice_equal_nocase(value, slice_of("password")) &&
		    scan->text.raw_kind < scan->password)
			scan->password = scan->text.raw_kind;
	}
}

static void
on_raw(void *arg, struct slice element, struct slice text)
{
	static const char *const errors[] = {
	    "page not found", "404 not found", "error 404"};
	struct page_scan *scan = arg;
	struct slice title = slice_trim(text);
	bool is_gone;

	page_wall_raw(&scan->wall, element, text);
	if (!slice_is(element, "title"))
		return;
	if (!scan->is_svg)
		page_hold(scan, SAID_TITLE, text);
	/* Is it the title of an error page? A title that only speaks of errors,
	 * somewhere in it, is not meant. */
	is_gone = (slice_starts(title, slice_of("404")) &&
		      (title.len == 3 ||
			  !isalnum((unsigned char)title.p[3]))) ||
	    slice_ends_nocase(title, slice_of("not found")) ||
	    (title.len > 9 && strncasecmp(title.p, "not found", 9) == 0);
	for (size_t i = 0; i < LENGTH(errors); i++)
		for (size_t at = 0; at < title.len; at++)
			is_gone |= slice_starts_nocase(
			    slice_from(title, at), slice_of(errors[i]));
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
page_on_run(void *arg, struct slice run, bool is_behind)
{
	struct page_scan *scan = arg;
	struct buf *heading = &scan->said[SAID_HEADING];

	page_text_run(&scan->text, run, is_behind);
	if (!scan->is_heading)
		return;
	if (is_behind)
		(void)buf_put_char(heading, '<');
	if (run.len > heading->max - heading->len)
		run.len = heading->max - heading->len;
	(void)buf_put_slice(heading, run);
}

struct page_scan *
page_scan_new(const struct page_options *options)
{
	struct page_scan *scan = mem_zero(sizeof(*scan));

	if (options != NULL)
		scan->options = *options;
	if (scan->options.max_bytes == 0)
		scan->options.max_bytes = PAGE_MAX_BYTES;
	/* Of the page of a wall nothing else is wanted. */
	scan->is_decided = options == NULL;
	scan->declared = ENCODING_UNKNOWN;
	scan->password = TEXT_KINDS;
	scan->html.events = (struct html_events){.tag = on_tag,
	    .raw = on_raw,
	    .text = page_on_text,
	    .run = page_on_run,
	    .arg = scan};
	scan->html.has_names = true;
	buf_init(&scan->html.bytes, HTML_MAX_TAG);
	buf_init(&scan->html.raw_text, HTML_MAX_RAW);
	page_text_init(
	    &scan->text, scan->options.wants_text ? PAGE_MAX_TEXT : 0);
	buf_init(&scan->held, HELD_BYTES);
	buf_init(&scan->made, PAGE_MAX_TEXT);
	for (size_t i = 0; i < SAID; i++)
		buf_init(&scan->said[i], PAGE_MAX_VALUE);
	return scan;
}

void
page_scan_free(struct page_scan *scan)
{
	if (scan == NULL)
		return;
	page_scan_free(scan->decoded);
	url_release(&scan->link);
	buf_release(&scan->html.bytes);
	buf_release(&scan->html.raw_text);
	buf_release(&scan->held);
	buf_release(&scan->made);
	for (size_t i = 0; i < SAID; i++)
		buf_release(&scan->said[i]);
	page_text_release(&scan->text);
	for (size_t i = 0; i < PAGE_TEXTS - 1; i++)
		free((char *)(uintptr_t)page_text_at(&scan->facts, i)->p);
	free(scan);
}

/* page_decide(scan): decide the encoding, by the order of the HTML standard
 * (13.2.3.2): the mark, Content-Type, what the page says. */
static void
page_decide(struct page_scan *scan)
{
	static const struct {
		const char *mark;
		enum encoding encoding;
	} marks[] = {{"\xef\xbb\xbf", ENCODING_UTF8},
	    {"\xff\xfe", ENCODING_UTF16LE}, {"\xfe\xff", ENCODING_UTF16BE}};
	struct slice held = buf_text(&scan->held);
	enum encoding encoding = ENCODING_UNKNOWN;

	scan->is_decided = true;
	for (size_t i = 0; i < LENGTH(marks); i++)
		if (slice_starts(held, slice_of(marks[i].mark)))
			encoding = marks[i].encoding;
	if (encoding == ENCODING_UNKNOWN)
		encoding = encoding_declared(scan->options.content_type);
	/* The tags were read, so they are not of UTF-16. */
	if (encoding == ENCODING_UNKNOWN)
		encoding = encoding_is_utf16(scan->declared) ? ENCODING_UTF8
							     : scan->declared;
	scan->is_guess = encoding == ENCODING_UNKNOWN;
	if (encoding != ENCODING_UNKNOWN && encoding != ENCODING_UTF8) {
		struct page_options options = scan->options;

		options.max_bytes = UINT64_MAX;
		scan->decoded = page_scan_new(&options);
		scan->decoded->is_decided = true;
		scan->text.wants_raw = false;
		charset_of_page(
		    &scan->charset, encoding, page_scan_feed, scan->decoded);
		(void)charset_feed(&scan->charset, held);
	}
	buf_release(&scan->held);
}

bool
page_scan_feed(void *arg, struct slice bytes)
{
	struct page_scan *scan = arg;
	uint64_t left = scan->options.max_bytes - scan->seen;

	if (bytes.len > left) {
		scan->facts.is_cut = true;
		bytes.len = (size_t)left;
	}
	scan->seen += bytes.len;
	if (!scan->has_bytes)
		scan->has_bytes = slice_trim(bytes).len > 0;
	if (!scan->is_decided) {
		struct slice part = bytes;

		if (part.len > HELD_BYTES - scan->held.len)
			part.len = HELD_BYTES - scan->held.len;
		(void)buf_put_slice(&scan->held, part);
		html_feed(&scan->html, part);
		bytes = slice_from(bytes, part.len);
		if (scan->held.len == HELD_BYTES)
			page_decide(scan);
	}
	html_feed(&scan->html, bytes);
	if (scan->decoded != NULL)
		(void)charset_feed(&scan->charset, bytes);
	return !scan->facts.is_cut;
}

/* page_say(scan, place, said): what was said, as people read it, unless there
 * is a text already. */
static void
page_say(struct page_scan *scan, struct slice *place, enum said said)
{
	struct buf text = BUF_UP_TO(
	    place == &scan->facts.title ? PAGE_MAX_TITLE : PAGE_MAX_VALUE);

	/* In values of attributes references are decoded. */
	html_text_put(&text, buf_text(&scan->said[said]),
	    said == SAID_TITLE || said == SAID_HEADING, scan->is_guess);
	page_keep(place, buf_text(&text));
	buf_release(&text);
}

/* page_say_decoded(scan, facts): what people read comes from the scan in UTF-8.
 */
static void
page_say_decoded(struct page_scan *scan, struct page_facts *facts)
{
	struct page_facts own = *facts;
	enum encoding encoding = scan->charset.encoding;

	*facts = page_scan_facts(scan->decoded);
	if (!encoding_is_utf16(encoding) && encoding != ENCODING_ISO2022JP) {
		own.title = facts->title;
		own.description = facts->description;
		own.language = facts->language;
		own.robots = facts->robots;
		own.links = facts->links;
		own.is_login = facts->is_login;
		own.text_bytes = facts->text_bytes;
		*facts = own;
	}
	/* Where not even tags are ASCII, only the characters say anything. */
	facts->is_cut = own.is_cut;
	facts->is_empty = own.is_empty;
}

struct page_facts
page_scan_facts(struct page_scan *scan)
{
	struct page_facts *own = &scan->facts;
	struct page_text *text = &scan->text;
	struct page_facts facts;

	if (!scan->is_decided)
		page_decide(scan);
	page_say(scan, &own->title, SAID_TITLE);
	page_say(scan, &own->title, SAID_OG_TITLE);
	page_say(scan, &own->title, SAID_HEADING);
	page_say(scan, &own->description, SAID_DESCRIPTION);
	page_say(scan, &own->description, SAID_OG_DESCRIPTION);
	page_say(scan, &own->language, SAID_LANGUAGE);
	page_say(scan, &own->robots, SAID_ROBOTS);
	buf_clear(&scan->made);
	html_text_put(&scan->made, buf_text(&text->raw), true, scan->is_guess);
	facts = *own;
	if (page_text_digest(text, &scan->digest))
		facts.text = slice_make((const char *)scan->digest.bytes,
		    sizeof(scan->digest.bytes));
	facts.text_bytes = scan->made.len;
	facts.is_login = scan->password < TEXT_KINDS &&
	    scan->password <= text->best && text->bytes <= LOGIN_TEXT_MAX;
	facts.wall = page_wall_whose(&scan->wall);
	/* An article about errors is long, and the menus of an error page are
	 * links. */
	if (scan->html.letters >= GONE_LETTERS_MAX)
		facts.gone = slice_of(NULL);
	facts.is_empty = !scan->has_bytes && !facts.is_cut;
	if (scan->decoded != NULL)
		page_say_decoded(scan, &facts);
	return facts;
}

struct slice
page_scan_text(const struct page_scan *scan)
{
	return buf_text(
	    scan->decoded != NULL ? &scan->decoded->made : &scan->made);
}

static const struct wire_member page_members[] = {
    WIRE_MEMBER(struct page_facts, is_cut, 1),
    WIRE_MEMBER(struct page_facts, noindex_name, ROBOTS_GOOGLEBOT),
    WIRE_MEMBER(struct page_facts, canonicals, UINT32_MAX),
    WIRE_MEMBER(struct page_facts, is_empty, 1),
    WIRE_MEMBER(struct page_facts, wall, UINT8_MAX),
    WIRE_MEMBER(struct page_facts, links, UINT32_MAX),
    WIRE_MEMBER(struct page_facts, is_login, 1),
    WIRE_MEMBER(struct page_facts, text_bytes, PAGE_MAX_TEXT),
};

#define PAGE_MEMBERS (LENGTH(page_members))

void
page_put(struct buf *out, const struct page_facts *facts)
{
	wire_put_members(out, page_members, PAGE_MEMBERS, facts);
	for (size_t i = 0; i < PAGE_TEXTS; i++)
		wire_put_slice(out, *page_text_at(facts, i));
}

/* page_is_clean(text, but): is it UTF-8 without control characters of ASCII but
 * that one? */
static bool
page_is_clean(struct slice text, char but)
{
	for (size_t i = 0; i < text.len; i++)
		if (((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7F) &&
		    text.p[i] != but)
			return false;
	return utf8_is_valid(text);
}

bool
page_get(struct slice text, struct page_facts *facts)
{
	struct wire wire = {text, true};
	const struct slice *said[] = {&facts->title, &facts->description,
	    &facts->language, &facts->robots};

	*facts = (struct page_facts){0};
	wire_get_members(&wire, page_members, PAGE_MEMBERS, facts);
	/* No value is longer than what page_keep() keeps. */
	for (size_t i = 0; i < PAGE_TEXTS; i++) {
		struct slice value = wire_get_slice(&wire);

		if (value.len > PAGE_MAX_VALUE)
			return false;
		memcpy((char *)facts + page_texts[i], &value, sizeof(value));
	}
	for (size_t i = 0; i < LENGTH(said); i++)
		if (!page_is_clean(*said[i], ' '))
			return false;
	return wire.ok && wire.in.len == 0 &&
	    facts->title.len <= PAGE_MAX_TITLE &&
	    (facts->wall == 0 || page_wall_name(facts->wall) != NULL);
}

bool
page_text_load(int fd, const struct page_facts *facts, struct buf *text)
{
	size_t mark = text->len, n = (size_t)facts->text_bytes;

	if (!buf_reserve(text, n) ||
	    pread(fd, text->p + mark, n, 0) != (ssize_t)n ||
	    !page_is_clean(slice_make(text->p + mark, n), '\n'))
		return false;
	text->len += n;
	return true;
}
