/* Other dates in the bytes of a sitemap. */
#include "crawler/parse/redate.h"

#include <string.h>

#include "base/ascii.h"

#define HELD_BYTES (16u << 20) /* no entry is longer */

void
redate_init(struct redate *redate, struct slice dates)
{
	*redate = (struct redate){.dates = dates};
	buf_init(&redate->held, HELD_BYTES);
	buf_init(&redate->out, SIZE_MAX);
}

void
redate_release(struct redate *redate)
{
	buf_release(&redate->held);
	buf_release(&redate->out);
}

/* redate_token(text): the bytes of the tag, comment, CDATA section or
 * instruction at the beginning, or of the text up to the next; 0: it goes
 * on. */
static size_t
redate_token(struct slice text)
{
	static const struct {
		const char *begin, *end;
	} marks[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
	char quote = '\0';
	const char *end;

	if (text.p[0] != '<') {
		end = memchr(text.p, '<', text.len);
		return end == NULL ? 0 : (size_t)(end - text.p);
	}
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		struct slice begin = slice_of(marks[i].begin);

		if (!slice_starts(text, begin)) {
			if (slice_starts(begin, text))
				return 0;
			continue;
		}
		end = memmem(text.p + begin.len, text.len - begin.len,
		    marks[i].end, strlen(marks[i].end));
		return end == NULL
		    ? 0
		    : (size_t)(end - text.p) + strlen(marks[i].end);
	}
	for (size_t i = 1; i < text.len; i++) {
		char c = text.p[i];

		if (c == quote)
			quote = '\0';
		else if (quote == '\0' && (c == '"' || c == '\''))
			quote = c;
		else if (quote == '\0' && c == '>')
			return i + 1;
	}
	return 0;
}

/* redate_entry(redate): pass on the entry that ends before redate->next, with
 * its date. */
static bool
redate_entry(struct redate *redate)
{
	struct slice all = slice_make(
	    redate->held.p + redate->from, redate->next - redate->from);
	struct slice prefix = slice_make(all.p + 1, redate->prefix);
	const struct redate_element *loc = &redate->loc;
	const struct redate_element *lastmod = &redate->lastmod;
	struct buf *out = &redate->out;
	struct slice date;
	size_t from, to, space;

	if (!slice_cut(&redate->dates, '\n', &date))
		return false;
	redate->seen++;
	if (date.len == 0 || (slice_is(date, "-") && lastmod->end == 0))
		return buf_put_slice(out, all);
	redate->changed++;
	if (loc->end == 0)
		return false;
	/* the white space before the element */
	space = slice_is(date, "-") ? lastmod->at : loc->at;
	to = space;
	while (space > 0 && ascii_is_space(all.p[space - 1]))
		space--;
	if (slice_is(date, "-")) {
		from = space;
		to = lastmod->end;
		date.len = 0;
	} else if (lastmod->value_end > 0) {
		from = lastmod->value;
		to = lastmod->value_end;
	} else {
		/* a new one, or one for <lastmod/> */
		from = lastmod->end == 0 ? loc->end : lastmod->at;
		(void)buf_put_slice(out, slice_make(all.p, from));
		if (lastmod->end == 0)
			(void)buf_put_slice(
			    out, slice_make(all.p + space, to - space));
		(void)buf_print(out, "<%.*slastmod>%.*s</%.*slastmod>",
		    (int)prefix.len, prefix.p, (int)date.len, date.p,
		    (int)prefix.len, prefix.p);
		return buf_put_slice(out,
		    slice_from(all, lastmod->end == 0 ? from : lastmod->end));
	}
	return buf_put_slice(out, slice_make(all.p, from)) &&
	    buf_put_slice(out, date) && buf_put_slice(out, slice_from(all, to));
}

/* redate_tag(redate, tag): a start tag or end tag at redate->next. */
static bool
redate_tag(struct redate *redate, struct slice tag)
{
	bool is_end = tag.len > 2 && tag.p[1] == '/';
	bool is_empty = tag.len > 3 && tag.p[tag.len - 2] == '/';
	struct redate_element *element = NULL;
	struct slice name = slice_from(tag, is_end ? 2 : 1);
	size_t at = redate->next - redate->from, colon;

	name.len = strcspn(name.p, " \t\r\n/>");
	if (is_end && redate->depth == 0)
		return false;
	redate->depth -= is_end;
	if (redate->depth == 1 && !is_end) {
		for (colon = name.len; colon > 0 && name.p[colon - 1] != ':';)
			colon--;
		redate->is_entry = slice_is(slice_from(name, colon), "url") ||
		    slice_is(slice_from(name, colon), "sitemap");
		if (redate->is_entry) {
			(void)buf_put_slice(&redate->out,
			    slice_make(redate->held.p + redate->from, at));
			redate->from = redate->next;
			at = 0;
			redate->prefix = colon;
			redate->loc = redate->lastmod = (struct redate_element){
			    0};
		}
	} else if (redate->depth == 2 && redate->is_entry &&
	    name.len > redate->prefix) {
		struct slice local = slice_from(name, redate->prefix);

		if (slice_is(local, "loc"))
			element = &redate->loc;
		else if (slice_is(local, "lastmod"))
			element = &redate->lastmod;
	}
	/* of two that are there, the first */
	if (element != NULL && element->end == 0) {
		if (!is_end) {
			element->at = at;
			element->value = at + tag.len;
		} else {
			element->value_end = at;
		}
		if (is_end || is_empty)
			element->end = at + tag.len;
	}
	redate->depth += !is_end && !is_empty;
	redate->next += tag.len;
	if (redate->depth != 1 || !redate->is_entry)
		return true;
	redate->is_entry = false;
	if (!redate_entry(redate))
		return false;
	redate->from = redate->next;
	return true;
}

bool
redate_feed(struct redate *redate, struct slice bytes)
{
	struct buf *held = &redate->held;

	if (!buf_put_slice(held, bytes))
		return false;
	(void)buf_str(held); /* ends with a NUL */
	while (redate->next < held->len) {
		struct slice rest = slice_from(buf_text(held), redate->next);
		size_t len = redate_token(rest);

		if (len == 0)
			break;
		if (rest.p[0] != '<' || rest.p[1] == '!' || rest.p[1] == '?')
			redate->next += len;
		else if (!redate_tag(redate, slice_make(rest.p, len)))
			return false;
	}
	if (!redate->is_entry) {
		(void)buf_put_slice(&redate->out,
		    slice_make(
			held->p + redate->from, redate->next - redate->from));
		redate->from = redate->next;
	}
	held->len -= redate->from;
	memmove(held->p, held->p + redate->from, held->len);
	redate->next -= redate->from;
	redate->from = 0;
	return true;
}

bool
redate_finish(struct redate *redate)
{
	(void)buf_put_slice(&redate->out, buf_text(&redate->held));
	buf_clear(&redate->held);
	return !redate->is_entry && redate->depth == 0 &&
	    redate->dates.len == 0;
}
