/* Sections of sites. */
#include "base/section.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/page_filter.h"
#include "base/url.h"

#define SPACES " \t"

struct named_path {
	char *name, *path; /* owned; the path does not end in a slash */
};

struct section_rules {
	unsigned depth;
	struct named_path *paths; /* owned; the longest paths first */
	size_t count, cap;
	struct page_filter *counted; /* owned; NULL: no page is ignored */
};

/* Forms. */

bool
section_is_name(struct slice text)
{
	static const char allowed[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	if (text.len == 0 || text.len > SECTION_MOST_NAME)
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] == '\0' || strchr(allowed, text.p[i]) == NULL)
			return false;
	return true;
}

bool
section_is_paths(const char *text)
{
	size_t len = strcspn(text, ":"), count = 0;
	struct slice word;

	/* "NAME: /PATH..." */
	if (!section_is_name(slice_trim(slice_make(text, len))))
		return false;
	text += len + (text[len] == ':');
	for (text += strspn(text, SPACES); *text != '\0';
	     text += strspn(text, SPACES)) {
		word = slice_make(text, strcspn(text, SPACES));
		text += word.len;
		/* a path that has a query or stars would never be met */
		if (word.p[0] != '/' || word.len == 1 || word.p[1] == '/' ||
		    !slice_is_graphic(word) || slice_count(word, '?') > 0 ||
		    slice_count(word, '*') > 0)
			return false;
		count++;
	}
	return count > 0;
}

/* Rules. */

static int
longest_first(const void *a, const void *b)
{
	size_t one = strlen(((const struct named_path *)a)->path);
	size_t other = strlen(((const struct named_path *)b)->path);

	if (one != other)
		return one > other ? -1 : 1;
	return strcmp(((const struct named_path *)a)->name,
	    ((const struct named_path *)b)->name);
}

struct section_rules *
section_rules_new(unsigned depth, const char *const *paths, size_t path_count,
    struct page_filter *counted)
{
	struct section_rules *rules = mem_zero(sizeof(*rules));

	rules->depth = depth;
	rules->counted = counted;
	for (size_t i = 0; i < path_count; i++) {
		const char *text = paths[i];
		size_t len = strcspn(text, ":");
		struct slice name = slice_trim(slice_make(text, len)), word;

		text += len + (text[len] == ':');
		for (text += strspn(text, SPACES); *text != '\0';
		     text += strspn(text, SPACES)) {
			word = slice_make(text, strcspn(text, SPACES));
			text += word.len;
			if (word.p[word.len - 1] == '/')
				word.len--;
			*MEM_PUSH(rules->paths, rules->count,
			    rules->cap) = (struct named_path){
			    slice_dup(name), slice_dup(word)};
		}
	}
	if (rules->count > 0)
		qsort(rules->paths, rules->count, sizeof(*rules->paths),
		    longest_first);
	return rules;
}

void
section_rules_free(struct section_rules *rules)
{
	if (rules == NULL)
		return;
	for (size_t i = 0; i < rules->count; i++) {
		free(rules->paths[i].name);
		free(rules->paths[i].path);
	}
	free(rules->paths);
	page_filter_free(rules->counted);
	free(rules);
}

void
section_rules_put(const struct section_rules *rules, struct buf *out)
{
	(void)buf_print(out, "%u", rules == NULL ? 1 : rules->depth);
	for (size_t i = 0; rules != NULL && i < rules->count; i++)
		(void)buf_print(
		    out, " %s:%s", rules->paths[i].name, rules->paths[i].path);
	(void)buf_print(out, "\n");
	if (section_ignores(rules))
		page_filter_put(rules->counted, out);
}

/* Pages. */

struct slice
section_of(const struct section_rules *rules, struct slice url)
{
	struct slice section = url_section(url);
	struct slice target = url;

	if (rules == NULL)
		return section;
	if (rules->count > 0)
		target = url_path_of(url);
	/* the longest paths come first */
	for (size_t i = 0; i < rules->count; i++) {
		struct slice path = slice_of(rules->paths[i].path);

		/* a path ends where a folder or a file does */
		if (slice_starts(target, path) &&
		    (target.len == path.len || target.p[path.len] == '/' ||
			target.p[path.len] == '?'))
			return slice_of(rules->paths[i].name);
	}
	if (section.len < 2)
		return section;
	/* add the folders below the first one, which a slash follows */
	for (unsigned depth = 1; depth < rules->depth; depth++) {
		const char *begin = section.p + section.len + 1;
		const char *next = begin;

		while (next < url.p + url.len && *next != '/' && *next != '?')
			next++;
		if (next == url.p + url.len || *next != '/' || next == begin)
			break;
		section.len = (size_t)(next - section.p);
	}
	return section;
}

struct slice
section_above(struct slice section)
{
	size_t len = section.len;

	if (len < 2 || section.p[0] != '/')
		return slice_make(section.p, 0);
	while (section.p[len - 1] != '/')
		len--;
	return slice_make(section.p, len > 1 ? len - 1 : 1);
}

bool
section_ignores(const struct section_rules *rules)
{
	return rules != NULL && rules->counted != NULL;
}

bool
section_is_ignored(const struct section_rules *rules, struct slice url)
{
	return section_ignores(rules) &&
	    !page_filter_wants(rules->counted, url, NULL, 0, 0);
}

bool
section_may_be(const struct section_rules *rules, struct slice name)
{
	if (name.len > 0 && name.p[0] == '/')
		return slice_count(name, '/') <=
		    (rules == NULL ? 1 : rules->depth);
	for (size_t i = 0; rules != NULL && i < rules->count; i++)
		if (slice_is(name, rules->paths[i].name))
			return true;
	return false;
}
