/* Structured fields of HTTP. */
#include "crawler/identity/structured.h"

#include "base/ascii.h"
#include "base/civil.h"

#define DIGITS_MAX 15 /* RFC 8941, 3.3.1 */

static void
structured_skip(struct slice *rest, bool has_tabs)
{
	while (rest->len > 0 &&
	    (rest->p[0] == ' ' || (has_tabs && rest->p[0] == '\t')))
		*rest = slice_from(*rest, 1);
}

static bool
structured_key(struct slice *rest, struct slice *key)
{
	size_t i = 0;

	while (i < rest->len &&
	    ((rest->p[i] >= 'a' && rest->p[i] <= 'z') || rest->p[i] == '*' ||
		(i > 0 &&
		    (ascii_is_digit(rest->p[i]) || rest->p[i] == '_' ||
			rest->p[i] == '-' || rest->p[i] == '.'))))
		i++;
	*key = slice_make(rest->p, i);
	*rest = slice_from(*rest, i);
	return i > 0;
}

/* An item without its parameters. */
static bool
structured_bare(struct slice *rest, struct structured *value)
{
	static const char stops[] = "\"(),:;<=>@[\\]{}";
	uint64_t number;
	char end = '\0';
	size_t i = 0;

	if (scan_char(rest, '"')) {
		end = '"';
		value->type = STRUCTURED_STRING;
		for (; i < rest->len && rest->p[i] != end; i++) {
			if (rest->p[i] < ' ' || rest->p[i] > '~')
				return false;
			if (rest->p[i] == '\\' && ++i < rest->len &&
			    rest->p[i] != end && rest->p[i] != '\\')
				return false;
		}
	} else if (scan_char(rest, ':')) {
		end = ':';
		value->type = STRUCTURED_BYTES;
		while (i < rest->len && rest->p[i] != end)
			i++;
	} else {
		value->type = STRUCTURED_OTHER;
		while (i < rest->len && rest->p[i] > ' ' && rest->p[i] <= '~' &&
		    strchr(stops, rest->p[i]) == NULL)
			i++;
	}
	if (i > rest->len || (i == 0 && end == '\0'))
		return false;
	value->text = slice_make(rest->p, i);
	*rest = slice_from(*rest, i);
	if (end != '\0')
		return scan_char(rest, end);
	if (slice_is(value->text, "?1"))
		value->type = STRUCTURED_TRUE;
	if (value->text.len <= DIGITS_MAX &&
	    slice_number(value->text, &number)) {
		value->type = STRUCTURED_NUMBER;
		value->number = (int64_t)number;
	}
	return true;
}

/* The parameters of a value that began at `from`, and so its end. */
static bool
structured_end(struct slice *rest, struct slice from, struct structured *value)
{
	struct slice begin = *rest, key;
	struct structured parameter;

	while (structured_next(rest, ';', &key, &parameter))
		;
	value->parameters = slice_make(begin.p, begin.len - rest->len);
	value->whole = slice_make(from.p, from.len - rest->len);
	return rest->len == 0 || rest->p[0] != ';';
}

bool
structured_item(struct slice *rest, struct structured *value)
{
	struct slice at, from;

	structured_skip(rest, false);
	from = at = *rest;
	if (at.len == 0 || at.p[0] == ')' || !structured_bare(&at, value) ||
	    !structured_end(&at, from, value) ||
	    (at.len > 0 && at.p[0] != ' ' && at.p[0] != ')'))
		return false;
	*rest = at;
	return true;
}

bool
structured_next(
    struct slice *rest, char mark, struct slice *key, struct structured *value)
{
	struct slice at = *rest, from;
	struct structured item;

	*value = (struct structured){.type = STRUCTURED_TRUE};
	if (mark == ';' && !scan_char(&at, ';'))
		return false;
	structured_skip(&at, mark == ',');
	if (!structured_key(&at, key))
		return false;
	from = at;
	if (scan_char(&at, '=')) {
		from = at;
		if (mark == ',' && scan_char(&at, '(')) {
			value->type = STRUCTURED_LIST;
			value->text = at;
			while (structured_item(&at, &item))
				;
			value->text.len -= at.len;
			if (!scan_char(&at, ')'))
				return false;
		} else if (!structured_bare(&at, value))
			return false;
	}
	if (mark == ',') {
		if (!structured_end(&at, from, value))
			return false;
		structured_skip(&at, true);
		/* a comma at the end is wrong */
		if (at.len > 0 &&
		    (!scan_char(&at, ',') || slice_trim(at).len == 0))
			return false;
	}
	*rest = at;
	return true;
}

bool
structured_find(
    struct slice text, char mark, struct slice key, struct structured *value)
{
	struct structured one;
	struct slice name;
	bool is_there = false;

	while (structured_next(&text, mark, &name, &one))
		if (slice_equal(name, key)) {
			*value = one;
			is_there = true;
		}
	return is_there && text.len == 0;
}
