/* The path, the parameters and the token of a request. */
#include "crawler/serve/serve_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"

/* Characters of a token; an attacker may try many tokens a second. */
#define LEAST 16
#define MOST 256
#define FILE_MAX_BYTES 4096

/* Decode percent-escapes and '+'.  Returns NULL if the text is not right. */
static char *
query_decode(struct slice text)
{
	struct buf out = BUF_UP_TO(SIZE_MAX);

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

bool
serve_query_parse(struct serve_query *query, const char *target)
{
	size_t len = strcspn(target, "?");
	struct slice rest = slice_of(target + len);
	bool is_good = true;

	*query = (struct serve_query){
	    .path = slice_dup(slice_make(target, len))};
	/* Each turn takes a '?' or '&' and the parameter behind it; "&&" has
	 * none between. */
	for (; is_good && rest.len > 0; rest = slice_from(rest, len)) {
		struct serve_parameter item;
		size_t name_len;

		rest = slice_from(rest, 1);
		len = strcspn(rest.p, "&");
		if (len == 0)
			continue;
		/* What follows a second '=' belongs to the value; without any
		 * the value is empty. */
		name_len = strcspn(rest.p, "=&");
		item.name = query_decode(slice_make(rest.p, name_len));
		item.value = query_decode(name_len == len
			? slice_of("")
			: slice_make(
			      rest.p + name_len + 1, len - name_len - 1));
		is_good = item.name != NULL && item.value != NULL &&
		    query->count < SERVE_PARAMETERS;
		/* Of two values of a name each reader would take another. */
		for (size_t i = 0; is_good && i < query->count; i++)
			is_good = strcmp(query->items[i].name, item.name) != 0;
		if (is_good) {
			query->items[query->count++] = item;
		} else {
			free(item.name);
			free(item.value);
		}
	}
	return is_good;
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
serve_query_needs(const struct serve_query *query, const char *names)
{
	struct slice next;
	char name[16];

	while (slice_next(&names, '|', &next)) {
		(void)snprintf(
		    name, sizeof(name), "%.*s", (int)next.len, next.p);
		if (serve_query_get(query, name) == NULL) {
			complain("the parameter '%s' is missing", name);
			return false;
		}
	}
	return true;
}

bool
serve_query_number(const struct serve_query *query, const char *name,
    uint64_t least, uint64_t most, uint64_t *n)
{
	const char *text = serve_query_get(query, name);
	uint64_t value;

	if (text == NULL)
		return true;
	if (!slice_number(slice_of(text), &value) || value < least ||
	    value > most)
		return false;
	*n = value;
	return true;
}

bool
serve_query_is_among(const struct serve_query *query, const char *names)
{
	/* A parameter that does nothing would be a wrong answer without a
	 * word: a mistyped "limit" gives another part of a list. */
	for (size_t i = 0; i < query->count; i++) {
		const char *name = query->items[i].name;
		const char *at = names;
		struct slice known;
		bool is_known = false;

		while (!is_known && slice_next(&at, '|', &known))
			is_known = slice_is(known, name);
		if (!is_known)
			return false;
	}
	return true;
}

void
serve_token_set(struct serve_token *token, const char *text)
{
	struct buf bearer = BUF_UP_TO(SIZE_MAX), basic = BUF_UP_TO(SIZE_MAX),
		   pair = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&bearer, "Bearer %s", text);
	/* RFC 7617: user and password in base64 */
	(void)buf_print(&pair, "freshet:%s", text);
	(void)buf_print(&basic, "Basic ");
	base64_put(&basic, (unsigned char *)pair.p, pair.len, false);
	token->bearer = buf_take(&bearer);
	token->basic = buf_take(&basic);
	buf_release(&pair);
}

bool
serve_token_read(struct serve_token *token, const char *path)
{
	struct buf text = BUF_UP_TO(FILE_MAX_BYTES);
	struct slice rest, line;
	bool is_token = false;

	*token = (struct serve_token){0};
	if (textfile_read(path, &text)) {
		rest = buf_text(&text);
		line = slice_trim(textfile_line(&rest));
		is_token = line.len >= LEAST && line.len <= MOST &&
		    slice_is_graphic(line);
		if (is_token) {
			char *own = slice_dup(line);

			serve_token_set(token, own);
			free(own);
		} else {
			complain("'%s': the first line is no token: %d to %d "
				 "printable characters without spaces",
			    path, LEAST, MOST);
		}
	}
	buf_release(&text);
	return is_token;
}

/* Are both texts the same?  All of the header is looked at in any case, so that
 * the time tells nobody how far a guess was right. */
static bool
token_is_same(const char *ours, const char *header)
{
	size_t len = strlen(ours);
	unsigned differs = strlen(header) != len;

	for (size_t i = 0; header[i] != '\0'; i++)
		differs |= (unsigned char)header[i] ^
		    (unsigned char)ours[i < len ? i : len];
	return differs == 0;
}

bool
serve_token_admits(const struct serve_token *token, const char *header)
{
	bool is_bearer, is_basic;

	if (token->bearer == NULL)
		return true;
	if (header == NULL)
		return false;
	/* Both are compared, whatever the first comparison says. */
	is_bearer = token_is_same(token->bearer, header);
	is_basic = token_is_same(token->basic, header);
	return is_bearer || is_basic;
}
