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

#include "base/ascii.h"
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/parse/html.h"
#include "crawler/parse/page_wall.h"
#include "crawler/parse/robots_tag.h"

struct page_scan {
	struct html *html; /* owned */
	struct page_wall wall;
	uint64_t seen;
	bool is_body;
	bool is_cut;
	bool has_base;
	bool is_google; /* of noindex: its name is googlebot */
	char *noindex; /* owned, as are the next two; NULL: none yet */
	char *canonical;
	char *other; /* the latest canonical that differs from the first */
	char *base;
	char *refresh;
	char *gone;
	bool has_bytes; /* other than white space */
	uint32_t canonicals;
};

/* page_keep(place, value): store the value unless there is one already. */
static void
page_keep(char **place, struct slice value)
{
	if (*place == NULL && value.len > 0 && value.len <= PAGE_MAX_VALUE)
		*place = slice_dup(value);
}

/* has_words(text, words): is the ASCII text in there, in any case? */
static bool
has_words(struct slice text, const char *words)
{
	size_t len = strlen(words);

	for (size_t i = 0; i + len <= text.len; i++)
		if (strncasecmp(text.p + i, words, len) == 0)
			return true;
	return false;
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

	page_wall_tag(&scan->wall, tag);
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
			page_keep(&scan->refresh, slice_trim(content));
		if (scan->noindex != NULL ||
		    !html_attribute(tag, "name", &name) ||
		    !html_attribute(tag, "content", &content) ||
		    !robots_meta_noindex(name, content, &is_google))
			return;
		page_keep(&scan->noindex, slice_trim(content));
		scan->is_google = is_google;
	} else if (slice_is(tag->name, "link")) {
		struct slice rel, href;

		if (scan->is_body || !html_attribute(tag, "rel", &rel) ||
		    !link_rel_is(rel, "canonical") ||
		    !html_attribute(tag, "href", &href))
			return;
		href = slice_trim(href);
		if (href.len == 0 || href.len > PAGE_MAX_VALUE)
			return;
		if (scan->canonical == NULL) {
			scan->canonicals = 1;
			scan->canonical = slice_dup(href);
		} else if (!slice_is(href, scan->canonical) &&
		    (scan->other == NULL || !slice_is(href, scan->other))) {
			scan->canonicals++;
			free(scan->other);
			scan->other = slice_dup(href);
		}
	} else if (slice_is(tag->name, "base")) {
		struct slice href;

		if (scan->is_body || scan->has_base ||
		    !html_attribute(tag, "href", &href))
			return;
		scan->has_base = true;
		page_keep(&scan->base, slice_trim(href));
	}
}

/* says_gone(title): is it the title of an error page? A title that only speaks
 * of errors, somewhere in it, is not meant. */
static bool
says_gone(struct slice title)
{
	return (slice_starts(title, slice_of("404")) &&
		   (title.len == 3 || !isalnum((unsigned char)title.p[3]))) ||
	    has_words(title, "page not found") ||
	    has_words(title, "404 not found") || has_words(title, "error 404");
}

static void
on_raw(void *arg, struct slice element, struct slice text)
{
	struct page_scan *scan = arg;

	page_wall_raw(&scan->wall, element, text);
	if (slice_is(element, "title") && says_gone(slice_trim(text)))
		page_keep(&scan->gone, slice_trim(text));
}

static void
page_on_text(void *arg)
{
	struct page_scan *scan = arg;

	scan->is_body = true;
}

struct page_scan *
page_scan_new(void)
{
	struct page_scan *scan = mem_zero(sizeof(*scan));
	struct html_events events = {
	    .tag = on_tag, .raw = on_raw, .text = page_on_text, .arg = scan};

	scan->html = html_new(&events);
	return scan;
}

void
page_scan_free(struct page_scan *scan)
{
	if (scan == NULL)
		return;
	html_free(scan->html);
	free(scan->noindex);
	free(scan->canonical);
	free(scan->other);
	free(scan->base);
	free(scan->refresh);
	free(scan->gone);
	free(scan);
}

bool
page_scan_feed(struct page_scan *scan, struct slice bytes)
{
	uint64_t left = PAGE_MAX_BYTES - scan->seen;

	if (bytes.len > left) {
		scan->is_cut = true;
		bytes.len = (size_t)left;
	}
	scan->seen += bytes.len;
	if (!scan->has_bytes)
		scan->has_bytes = slice_trim(bytes).len > 0;
	html_feed(scan->html, bytes);
	return !scan->is_cut;
}

struct page_facts
page_scan_facts(const struct page_scan *scan)
{
	return (struct page_facts){.is_cut = scan->is_cut,
	    .noindex = slice_of(scan->noindex),
	    .is_google = scan->is_google,
	    .canonical = slice_of(scan->canonical),
	    .other = slice_of(scan->other),
	    .canonicals = scan->canonicals,
	    .base = slice_of(scan->base),
	    .refresh = slice_of(scan->refresh),
	    .gone = slice_of(scan->gone),
	    .is_empty = !scan->has_bytes && !scan->is_cut,
	    .wall = page_wall_found(&scan->wall)};
}

void
page_put(struct buf *out, const struct page_facts *facts)
{
	wire_put_u8(out, facts->is_cut);
	wire_put_slice(out, facts->noindex);
	wire_put_u8(out, facts->is_google);
	wire_put_slice(out, facts->canonical);
	wire_put_slice(out, facts->other);
	wire_put_u32(out, facts->canonicals);
	wire_put_slice(out, facts->base);
	wire_put_slice(out, facts->refresh);
	wire_put_slice(out, facts->gone);
	wire_put_u8(out, facts->is_empty);
	wire_put_u32(out, facts->wall);
}

bool
page_get(struct slice text, struct page_facts *facts)
{
	struct wire wire = wire_open(text);

	facts->is_cut = wire_get_u8(&wire) != 0;
	facts->noindex = wire_get_slice(&wire);
	facts->is_google = wire_get_u8(&wire) != 0;
	facts->canonical = wire_get_slice(&wire);
	facts->other = wire_get_slice(&wire);
	facts->canonicals = wire_get_u32(&wire);
	facts->base = wire_get_slice(&wire);
	facts->refresh = wire_get_slice(&wire);
	facts->gone = wire_get_slice(&wire);
	facts->is_empty = wire_get_u8(&wire) != 0;
	facts->wall = wire_get_u32(&wire);
	return wire.ok && wire.in.len == 0 &&
	    facts->noindex.len <= PAGE_MAX_VALUE &&
	    facts->canonical.len <= PAGE_MAX_VALUE &&
	    facts->other.len <= PAGE_MAX_VALUE &&
	    facts->base.len <= PAGE_MAX_VALUE &&
	    facts->refresh.len <= PAGE_MAX_VALUE &&
	    facts->gone.len <= PAGE_MAX_VALUE &&
	    (facts->wall == 0 || page_wall_name(facts->wall) != NULL);
}
