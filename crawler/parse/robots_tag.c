/* Directives for indexers in the headers and elements of a page. */
#include "crawler/parse/robots_tag.h"

static bool
robots_tag_is_word(struct slice text, const char *word)
{
	return slice_equal_nocase(text, slice_of(word));
}

static bool
has_noindex(struct slice content)
{
	struct slice word;

	while (slice_cut(&content, ',', &word))
		if (robots_tag_is_word(word, "noindex") ||
		    robots_tag_is_word(word, "none"))
			return true;
	return false;
}

/* is_addressed(name): does the directive address every crawler, or Google,
 * whose rules the default set follows? */
static bool
is_addressed(struct slice name)
{
	return robots_tag_is_word(name, "robots") ||
	    robots_tag_is_word(name, "googlebot");
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
	    robots_tag_is_word(name, "unavailable_after") ||
	    robots_tag_is_word(name, "max-snippet") ||
	    robots_tag_is_word(name, "max-image-preview") ||
	    robots_tag_is_word(name, "max-video-preview"))
		return has_noindex(value);
	return is_addressed(name) && has_noindex(rest);
}

bool
robots_meta_noindex(struct slice name, struct slice content, bool *is_google)
{
	*is_google = robots_tag_is_word(slice_trim(name), "googlebot");
	return is_addressed(slice_trim(name)) && has_noindex(content);
}

bool
link_rel_is(struct slice rel, const char *word)
{
	struct slice one;

	for (size_t i = 0; i < rel.len;) {
		size_t from = i;

		while (i < rel.len && slice_trim(slice_make(rel.p + i, 1)).len)
			i++;
		one = slice_make(rel.p + from, i - from);
		if (robots_tag_is_word(one, word))
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

/* has_rel(params): is the first rel parameter rel=canonical, or does it contain
 * that word: rel="a canonical"? */
static bool
has_rel(struct slice params)
{
	while (params.len > 0) {
		size_t len = part_end(params, ';');
		struct slice param = slice_make(params.p, len);
		struct slice name;

		params = slice_from(params, len < params.len ? len + 1 : len);
		if (!slice_cut(&param, '=', &name) ||
		    !robots_tag_is_word(name, "rel"))
			continue;
		param = slice_trim(param);
		if (param.len >= 2 && param.p[0] == '"')
			param = slice_make(param.p + 1, param.len - 2);
		return link_rel_is(param, "canonical");
	}
	return false;
}

bool
link_canonical(struct slice value, struct slice *target)
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
		if (has_rel(slice_from(link, (size_t)(end - link.p) + 1)))
			return true;
	}
	return false;
}
