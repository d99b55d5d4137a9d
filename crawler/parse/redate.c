/* Other dates in the bytes of a sitemap. */
#include "crawler/parse/redate.h"

#include <string.h>

#include "base/ascii.h"

/* An element of an entry; offsets into the document. */
struct redate_element {
	size_t at, value, value_end, end; /* end 0: there is none */
};

struct redating {
	struct slice text, dates; /* what is left of the dates */
	struct buf *out;
	size_t done; /* bytes of the text that out has */
	unsigned depth; /* open elements */
	bool is_entry;
	size_t prefix; /* bytes of the entry's namespace prefix */
	struct redate_element loc, lastmod;
	uint64_t *changed;
};

/* redate_token(text): the bytes of the tag, comment, CDATA section or
 * instruction at the beginning; 0: it has no end. */
static size_t
redate_token(struct slice text)
{
	static const char *const marks[][2] = {
	    {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
	char quote = '\0';
	size_t i;

	for (i = 0; i < LENGTH(marks); i++) {
		struct slice end = slice_of(marks[i][1]);
		const char *found;

		if (!slice_starts(text, slice_of(marks[i][0])))
			continue;
		found = memmem(text.p, text.len, end.p, end.len);
		return found == NULL ? 0 : (size_t)(found - text.p) + end.len;
	}
	for (i = 1; i < text.len && (quote != '\0' || text.p[i] != '>'); i++) {
		if (text.p[i] == quote)
			quote = '\0';
		else if (quote == '\0' && strchr("\"'", text.p[i]) != NULL)
			quote = text.p[i];
	}
	return i < text.len ? i + 1 : 0;
}

/* redate_upto(redating, to, next): copy what lies between, and go on there. */
static void
redate_upto(struct redating *redating, size_t to, size_t next)
{
	(void)buf_put_slice(redating->out,
	    slice_make(redating->text.p + redating->done, to - redating->done));
	redating->done = next;
}

/* redate_entry(redating): an entry has ended: give it its date. */
static bool
redate_entry(struct redating *redating)
{
	const struct redate_element *loc = &redating->loc;
	const struct redate_element *lastmod = &redating->lastmod;
	const char *text = redating->text.p;
	size_t space = lastmod->end > 0 ? lastmod->at : loc->at;
	struct slice date, prefix, before;

	if (!slice_cut(&redating->dates, '\n', &date))
		return false;
	if (date.len == 0 || (slice_is(date, "-") && lastmod->end == 0))
		return true;
	if (loc->end == 0)
		return false;
	++*redating->changed;
	prefix = slice_make(text + loc->at + 1, redating->prefix);
	/* the white space before the element */
	while (ascii_is_space(text[space - 1]))
		space--;
	if (slice_is(date, "-")) {
		redate_upto(redating, space, lastmod->end);
	} else if (lastmod->value_end > 0) {
		redate_upto(redating, lastmod->value, lastmod->value_end);
		(void)buf_put_slice(redating->out, date);
	} else {
		/* a new one, or one for <lastmod/> */
		before = slice_make(text + space, loc->at - space);
		if (lastmod->end > 0) {
			redate_upto(redating, lastmod->at, lastmod->end);
			before.len = 0;
		} else {
			redate_upto(redating, loc->end, loc->end);
		}
		(void)buf_print(redating->out,
		    "%.*s<%.*slastmod>%.*s</%.*slastmod>", (int)before.len,
		    before.p, (int)prefix.len, prefix.p, (int)date.len, date.p,
		    (int)prefix.len, prefix.p);
	}
	return true;
}

/* redate_tag(redating, at, end): a start tag or end tag. */
static bool
redate_tag(struct redating *redating, size_t at, size_t end)
{
	const char *tag = redating->text.p + at;
	bool is_end = tag[1] == '/';
	bool is_empty = !is_end && redating->text.p[end - 2] == '/';
	struct slice name = slice_make(tag + 1 + is_end, end - at - 1 - is_end);
	struct redate_element *element = NULL;
	size_t colon;

	for (size_t i = 0; i < name.len; i++)
		if (strchr(" \t\r\n/>", name.p[i]) != NULL)
			name.len = i;
	if (is_end && redating->depth == 0)
		return false;
	redating->depth -= is_end;
	if (redating->depth == 1 && !is_end) {
		for (colon = name.len; colon > 0 && name.p[colon - 1] != ':';)
			colon--;
		redating->prefix = colon;
		redating->loc = redating->lastmod = (struct redate_element){0};
		redating->is_entry = slice_is(slice_from(name, colon), "url") ||
		    slice_is(slice_from(name, colon), "sitemap");
	} else if (redating->depth == 2 && redating->is_entry &&
	    name.len > redating->prefix) {
		struct slice local = slice_from(name, redating->prefix);

		if (slice_is(local, "loc"))
			element = &redating->loc;
		else if (slice_is(local, "lastmod"))
			element = &redating->lastmod;
	}
	/* of two that are there, the first */
	if (element != NULL && element->end == 0) {
		if (!is_end) {
			element->at = at;
			element->value = end;
		} else if (element->at == 0) {
			return false;
		} else {
			element->value_end = at;
		}
		if (is_end || is_empty)
			element->end = end;
	}
	redating->depth += !is_end && !is_empty;
	if (redating->depth != 1 || !redating->is_entry)
		return true;
	redating->is_entry = false;
	return redate_entry(redating);
}

bool
redate(
    struct slice text, struct slice dates, struct buf *out, uint64_t *changed)
{
	struct redating redating = {
	    .text = text, .dates = dates, .out = out, .changed = changed};
	const char *open;

	*changed = 0;
	for (size_t at = 0, len; at < text.len; at += len) {
		open = memchr(text.p + at, '<', text.len - at);
		if (open == NULL)
			break;
		at = (size_t)(open - text.p);
		len = redate_token(slice_from(text, at));
		if (len < 3)
			return false;
		if (open[1] != '!' && open[1] != '?' &&
		    !redate_tag(&redating, at, at + len))
			return false;
	}
	redate_upto(&redating, text.len, text.len);
	return redating.depth == 0 && redating.dates.len == 0;
}
