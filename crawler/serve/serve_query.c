/* The path and the parameters of a request. */
#include "crawler/serve/serve_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/slice.h"
#include "crawler/cli/out.h"

#define DIGITS 18 /* of a number, at most */

/* Decode percent-escapes and '+'.  Returns NULL if the text is not right. */
static char *
query_decode(struct slice text)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < text.len; i++) {
		int c = (unsigned char)text.p[i];

		if (c == '+') {
			c = ' ';
		} else if (c == '%') {
			if (text.len - i < 3 || slice_hex(text.p[i + 1]) < 0 ||
			    slice_hex(text.p[i + 2]) < 0)
				goto fail;
			c = slice_hex(text.p[i + 1]) * 16 +
			    slice_hex(text.p[i + 2]);
			i += 2;
		}
		if (c < ' ' || c == 0x7f)
			goto fail;
		(void)buf_put_char(&out, (char)c);
	}
	return buf_take(&out);

fail:
	buf_release(&out);
	return NULL;
}

static bool
query_add(struct serve_query *query, struct slice text)
{
	const char *equals = memchr(text.p, '=', text.len);
	size_t name_len = equals == NULL ? text.len : (size_t)(equals - text.p);
	struct slice value = slice_from(
	    text, name_len + (equals == NULL ? 0 : 1));
	struct serve_parameter item = {
	    query_decode(slice_make(text.p, name_len)), query_decode(value)};
	bool is_good = item.name != NULL && item.value != NULL &&
	    query->count < SERVE_PARAMETERS;

	for (size_t i = 0; is_good && i < query->count; i++)
		is_good = strcmp(query->items[i].name, item.name) != 0;
	if (!is_good) {
		free(item.name);
		free(item.value);
		return false;
	}
	query->items[query->count++] = item;
	return true;
}

bool
serve_query_parse(struct serve_query *query, const char *target)
{
	size_t len = strcspn(target, "?");
	struct slice rest = slice_of(target + len);

	*query = (struct serve_query){
	    .path = slice_dup(slice_make(target, len))};
	while (rest.len > 0) {
		size_t end;

		rest = slice_from(rest, 1); /* '?' or '&' */
		end = strcspn(rest.p, "&");
		if (end > 0 && !query_add(query, slice_make(rest.p, end)))
			return false;
		rest = slice_from(rest, end);
	}
	return true;
}

void
serve_query_release(struct serve_query *query)
{
	for (size_t i = 0; i < query->count; i++) {
		free(query->items[i].name);
		free(query->items[i].value);
	}
	free(query->path);
	*query = (struct serve_query){0};
}

const char *
serve_query_get(const struct serve_query *query, const char *name)
{
	for (size_t i = 0; i < query->count; i++)
		if (strcmp(query->items[i].name, name) == 0)
			return query->items[i].value[0] == '\0'
			    ? NULL
			    : query->items[i].value;
	return NULL;
}

bool
serve_query_needs(const struct serve_query *query, const char *name)
{
	if (serve_query_get(query, name) != NULL)
		return true;
	complain("the parameter '%s' is missing", name);
	return false;
}

bool
serve_query_number(const struct serve_query *query, const char *name,
    uint64_t least, uint64_t most, uint64_t *n)
{
	const char *text = serve_query_get(query, name);
	size_t len = text == NULL ? 0 : strlen(text);
	uint64_t value = 0;

	if (text == NULL)
		return true;
	if (len > DIGITS)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!ascii_is_digit(text[i]))
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	if (value < least || value > most)
		return false;
	*n = value;
	return true;
}

bool
serve_query_is_among(const struct serve_query *query, const char *names)
{
	for (size_t i = 0; i < query->count; i++) {
		const char *name = query->items[i].name;
		const char *at = names;
		bool is_known = false;

		while (*at != '\0' && !is_known) {
			size_t len = strcspn(at, "|");

			is_known = slice_equal(
			    slice_make(at, len), slice_of(name));
			at += len + (at[len] == '|');
		}
		if (!is_known)
			return false;
	}
	return true;
}
