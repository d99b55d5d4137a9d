/* Which pages and sitemaps are wanted.  The patterns become the rules of a
 * robots.txt, because users know that form and base/robots.h is hard against
 * long URLs and many stars. */
#include "base/page_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/mem.h"
#include "base/profile.h"
#include "base/purposes.h"
#include "base/robots.h"
#include "base/url.h"
#include "base/w3cdate.h"

#define AGENT "freshet"
#define DIGITS "0123456789"
#define DEPTH_DIGITS 3
#define SPAN_DIGITS 5

const char *const page_filter_keys[FILTER_KEYS] = {"below", "include",
    "exclude", "newer", "depth", "purpose", "sitemap-include",
    "sitemap-exclude", "sitemap-newer", "sitemap-depth"};

struct page_filter {
	struct page_filter_rule *rules; /* owned, and their values */
	size_t count, cap;
	/* owned: what they disallow is included, or excluded; NULL: no rule */
	struct robots *include, *exclude;
};

enum page_filter_key
page_filter_key(const char *text)
{
	struct slice name = slice_make(text, strcspn(text, "="));
	unsigned key = 0;

	while (key < FILTER_KEYS && !slice_is(name, page_filter_keys[key]))
		key++;
	return text[name.len] == '=' ? (enum page_filter_key)key : FILTER_KEYS;
}

/* The kind of rule, whatever it is about. */
static enum page_filter_key
filter_kind(enum page_filter_key key)
{
	return key < FILTER_SITEMAPS
	    ? key
	    : (enum page_filter_key)(key - FILTER_SITEMAPS + FILTER_INCLUDE);
}

static bool
filter_is_pattern(const char *text)
{
	const char *p = text + (text[0] == '/');
	size_t stars = strspn(p, "*");

	if ((text[0] != '/' && text[0] != '*') ||
	    !slice_is_graphic(slice_of(text)) || strchr(text, '#') != NULL)
		return false;
	/* the page "/" alone matches "/$" */
	return p[stars] != '\0' &&
	    (strcmp(p + stars, "$") != 0 || strcmp(text, "/$") == 0);
}

/* The time from which on something is new: a date, or a time back from now. */
static bool
filter_since(const char *text, int64_t now_s, int64_t *since_s)
{
	static const char units[] = "hdwy";
	static const int64_t sizes[] = {HOUR_S, DAY_S, WEEK_S, 365 * DAY_S};
	size_t digits = strspn(text, DIGITS);
	struct date date;

	if (digits > 0 && digits <= SPAN_DIGITS && text[digits] != '\0' &&
	    text[digits + 1] == '\0' && strchr(units, text[digits]) != NULL) {
		*since_s = now_s -
		    strtol(text, NULL, 10) *
			sizes[strchr(units, text[digits]) - units];
		return true;
	}
	if (!date_read(&date, slice_of(text)) || date.precision < DATE_DAY)
		return false;
	*since_s = date.epoch_s;
	return true;
}

bool
page_filter_check(const char *text)
{
	enum page_filter_key key = page_filter_key(text);
	const char *value = key == FILTER_KEYS ? "" : strchr(text, '=') + 1;
	size_t digits = strspn(value, DIGITS);
	int64_t since_s;

	if (key == FILTER_KEYS)
		return false;
	switch (filter_kind(key)) {
	case FILTER_BELOW:
		return value[0] == '/' && slice_is_graphic(slice_of(value));
	case FILTER_NEWER:
		return filter_since(value, 0, &since_s);
	case FILTER_DEPTH:
		return digits > 0 && digits <= DEPTH_DIGITS &&
		    value[digits] == '\0';
	case FILTER_PURPOSE:
		return purpose_find(slice_of(value)) != PURPOSES;
	default:
		return filter_is_pattern(value);
	}
}

/* Filters. */

/* Make the robots.txt whose Disallow lines are the patterns of that kind. */
static struct robots *
filter_robots(const struct page_filter *filter, bool of_include)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct buf text = BUF_UP_TO(ROBOTS_MAX_BYTES);
	struct robots *robots = NULL;

	(void)buf_print(&text, "User-agent: *\n");
	for (size_t i = 0; i < filter->count; i++) {
		const struct page_filter_rule *rule = &filter->rules[i];
		enum page_filter_key kind = filter_kind(rule->key);
		size_t len = strlen(rule->value);

		if (of_include ? kind != FILTER_INCLUDE && kind != FILTER_BELOW
			       : kind != FILTER_EXCLUDE)
			continue;
		/* a path ends where a folder or a file does */
		if (kind == FILTER_BELOW && rule->value[len - 1] == '/')
			len--;
		if (kind == FILTER_BELOW && len > 0)
			(void)buf_print(&text,
			    "Disallow: %.*s$\nDisallow: %.*s?\n", (int)len,
			    rule->value, (int)len, rule->value);
		(void)buf_print(&text, "Disallow: %.*s%s\n", (int)len,
		    rule->value, kind == FILTER_BELOW ? "/" : "");
	}
	if (text.len > strlen("User-agent: *\n"))
		robots = robots_parse(buf_text(&text), slice_of(AGENT),
		    &profile, (struct diag_sink){0});
	buf_release(&text);
	return robots;
}

/* Add the rules of texts whose keys are not taken. */
static void
filter_add(struct page_filter *filter, struct page_filter_texts texts,
    bool of_sitemaps, unsigned taken)
{
	for (size_t i = 0; i < texts.count; i++) {
		enum page_filter_key key = page_filter_key(texts.items[i]);

		if ((key >= FILTER_SITEMAPS) == of_sitemaps &&
		    (taken >> key & 1) == 0)
			*MEM_PUSH(filter->rules, filter->count,
			    filter->cap) = (struct page_filter_rule){.key = key,
			    .value = mem_copy(strchr(texts.items[i], '=') + 1),
			    .is_weak = taken > 0};
	}
}

struct page_filter *
page_filter_new(struct page_filter_texts strong, struct page_filter_texts weak,
    bool of_sitemaps)
{
	struct page_filter *filter = mem_zero(sizeof(*filter));
	unsigned taken = 1U << FILTER_KEYS;

	filter_add(filter, strong, of_sitemaps, 0);
	for (size_t i = 0; i < filter->count; i++)
		taken |= 1U << filter->rules[i].key;
	if ((taken & (1U << FILTER_BELOW | 1U << FILTER_INCLUDE)) != 0)
		taken |= 1U << FILTER_BELOW | 1U << FILTER_INCLUDE;
	filter_add(filter, weak, of_sitemaps, taken);
	if (filter->count == 0) {
		page_filter_free(filter);
		return NULL;
	}
	filter->include = filter_robots(filter, true);
	filter->exclude = filter_robots(filter, false);
	return filter;
}

void
page_filter_free(struct page_filter *filter)
{
	if (filter == NULL)
		return;
	for (size_t i = 0; i < filter->count; i++)
		free((char *)(uintptr_t)filter->rules[i].value);
	free(filter->rules);
	robots_free(filter->include);
	robots_free(filter->exclude);
	free(filter);
}

void
page_filter_put(const struct page_filter *filter, struct buf *out)
{
	for (size_t i = 0; i < filter->count; i++)
		(void)buf_print(out, "%s=%s\n",
		    page_filter_keys[filter->rules[i].key],
		    filter->rules[i].value);
}

/* Is something of that date older than the rule wants?  A date that is a day
 * counts up to the end of the day, and a month or a year counts as none. */
static bool
filter_is_old(const struct page_filter_rule *rule,
    const struct page_filter_subject *subject)
{
	const struct date *date = subject->lastmod;
	int64_t at_s = subject->first_seen_s, since_s = 0;

	if (date != NULL && date->precision >= DATE_DAY)
		at_s = date->epoch_s +
		    (date->precision == DATE_DAY ? DAY_S - 1 : 0);
	else if (at_s == 0)
		return false;
	return filter_since(rule->value, subject->now_s, &since_s) &&
	    at_s < since_s;
}

const struct page_filter_rule *
page_filter_refuses(
    const struct page_filter *filter, const struct page_filter_subject *subject)
{
	struct robots_verdict in = {0}, out = {.is_allowed = true};
	struct slice path;
	size_t folders = 0;

	if (filter == NULL)
		return NULL;
	path = url_path_of(subject->url);
	/* a URL without a path has "/" */
	if (path.len == 0)
		path = slice_of("/");
	for (size_t i = 1; i < path.len && path.p[i] != '?'; i++)
		folders += path.p[i] == '/';
	if (filter->include != NULL)
		in = robots_verdict(filter->include, path);
	if (filter->exclude != NULL)
		out = robots_verdict(filter->exclude, path);
	for (size_t i = 0; i < filter->count; i++) {
		const struct page_filter_rule *rule = &filter->rules[i];
		bool is_out = false;

		switch (filter_kind(rule->key)) {
		case FILTER_NEWER:
			is_out = filter_is_old(rule, subject);
			break;
		case FILTER_DEPTH:
			is_out = strtoul(rule->value, NULL, 10) <
			    (rule->key == FILTER_DEPTH ? folders
						       : subject->indexes);
			break;
		case FILTER_EXCLUDE:
			is_out = !out.is_allowed && !out.is_given_up &&
			    slice_is(out.rule, rule->value);
			break;
		case FILTER_PURPOSE:
			break;
		default:
			is_out = in.is_allowed;
		}
		if (is_out)
			return rule;
	}
	return NULL;
}

bool
page_filter_wants(const struct page_filter *filter, struct slice url,
    const struct date *lastmod, int64_t first_seen_s, int64_t now_s)
{
	return page_filter_refuses(filter,
		   &(struct page_filter_subject){.url = url,
		       .lastmod = lastmod,
		       .first_seen_s = first_seen_s,
		       .now_s = now_s}) == NULL;
}

unsigned
page_filter_purposes(const struct page_filter *filter)
{
	unsigned purposes = 0;

	for (size_t i = 0; filter != NULL && i < filter->count; i++)
		if (filter->rules[i].key == FILTER_PURPOSE)
			purposes |= 1U
			    << purpose_find(slice_of(filter->rules[i].value));
	return purposes;
}
