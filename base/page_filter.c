/* Which pages and sitemaps are wanted.  The patterns become the rules of a
 * robots.txt, because users know that form and base/robots.h is hard against
 * long URLs and many stars. */
#include "base/page_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/civil.h"
#include "base/mem.h"
#include "base/profile.h"
#include "base/robots.h"
#include "base/url.h"
#include "base/w3cdate.h"

#define AGENT "freshet"
#define DEPTH_MOST 999
#define SPAN_MOST 99999 /* of the unit of a span */

const char *const page_filter_keys[FILTER_KEYS] = {"below", "include",
    "exclude", "newer", "depth", "sitemap-include", "sitemap-exclude",
    "sitemap-newer", "sitemap-depth"};

struct page_filter {
	struct page_filter_rule *rules; /* owned, and their values */
	size_t count;
	/* owned: what they disallow is included, or excluded; NULL: no rule */
	struct robots *include, *exclude;
};

enum page_filter_key
page_filter_key(struct slice name)
{
	unsigned key = 0;

	while (key < FILTER_KEYS && !slice_is(name, page_filter_keys[key]))
		key++;
	return (enum page_filter_key)key;
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

/* Read digits; *text is moved behind them. */
static bool
filter_number(const char **text, uint64_t most, uint64_t *n)
{
	const char *p = *text;

	for (*n = 0; ascii_is_digit(*p) && *n <= most; p++)
		*n = *n * 10 + (uint64_t)(*p - '0');
	if (p == *text || *n > most)
		return false;
	*text = p;
	return true;
}

/* The time from which on something is new: a date, or a time back from now.
 * is_day: dates that are days count up to their end. */
static bool
filter_since(const char *text, int64_t now_s, int64_t *since_s)
{
	static const char units[] = "hdwy";
	static const int64_t sizes[] = {HOUR_S, DAY_S, 7 * DAY_S, 365 * DAY_S};
	const char *end = text;
	struct date date;
	uint64_t n;

	if (filter_number(&end, SPAN_MOST, &n) && *end != '\0' &&
	    end[1] == '\0' && strchr(units, *end) != NULL) {
		*since_s = now_s -
		    (int64_t)n * sizes[strchr(units, *end) - units];
		return true;
	}
	if (!date_read(&date, slice_of(text)) || date.precision < DATE_DAY)
		return false;
	*since_s = date.epoch_s;
	return true;
}

bool
page_filter_check(enum page_filter_key key, const char *value)
{
	int64_t since_s;
	uint64_t n;

	switch (filter_kind(key)) {
	case FILTER_BELOW:
		return value[0] == '/' && slice_is_graphic(slice_of(value));
	case FILTER_NEWER:
		return filter_since(value, 0, &since_s);
	case FILTER_DEPTH:
		return filter_number(&value, DEPTH_MOST, &n) && *value == '\0';
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

struct page_filter *
page_filter_new(
    const struct page_filter_rule *rules, size_t count, bool of_sitemaps)
{
	struct page_filter *filter = mem_zero(sizeof(*filter));

	filter->rules = mem_alloc((count + 1) * sizeof(*rules));
	for (size_t i = 0; i < count; i++) {
		struct page_filter_rule *rule = &filter->rules[filter->count];

		if ((rules[i].key >= FILTER_SITEMAPS) != of_sitemaps)
			continue;
		*rule = rules[i];
		rule->value = mem_copy(rules[i].value);
		filter->count++;
	}
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

/* More folders, or indexes above it, than the rule wants? */
static bool
filter_is_deep(const struct page_filter_rule *rule, struct slice path,
    const struct page_filter_subject *subject)
{
	const char *value = rule->value;
	uint64_t most = 0, depth = subject->indexes;

	(void)filter_number(&value, DEPTH_MOST, &most);
	if (rule->key == FILTER_DEPTH) {
		const char *query = memchr(path.p, '?', path.len);

		if (query != NULL)
			path.len = (size_t)(query - path.p);
		depth = slice_count(path, '/') - 1;
	}
	return depth > most;
}

const struct page_filter_rule *
page_filter_refuses(
    const struct page_filter *filter, const struct page_filter_subject *subject)
{
	struct robots_verdict in = {0}, out = {.is_allowed = true};
	struct slice path;

	if (filter == NULL)
		return NULL;
	path = url_path_of(subject->url);
	/* a URL without a path has "/" */
	if (path.len == 0)
		path = slice_of("/");
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
			is_out = filter_is_deep(rule, path, subject);
			break;
		case FILTER_EXCLUDE:
			is_out = !out.is_allowed && !out.is_given_up &&
			    slice_is(out.rule, rule->value);
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
page_filter_passes(const struct page_filter *filter, struct slice url)
{
	return page_filter_refuses(
		   filter, &(struct page_filter_subject){.url = url}) == NULL;
}
