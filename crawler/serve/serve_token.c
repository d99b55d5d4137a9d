/* The token that clients show. */
#include "crawler/serve/serve_token.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"

#define LEAST 16 /* characters; an attacker may try many a second */
#define MOST 256
#define FILE_MAX_BYTES 4096

/* Append in base64. */
static void
put_base64(struct buf *out, struct slice text)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < text.len; i += 3) {
		size_t left = text.len - i;
		uint32_t bits = (uint32_t)(unsigned char)text.p[i] << 16;

		if (left > 1)
			bits |= (uint32_t)(unsigned char)text.p[i + 1] << 8;
		if (left > 2)
			bits |= (unsigned char)text.p[i + 2];
		for (size_t k = 0; k < 4; k++)
			(void)buf_put_char(out,
			    k > left ? '=' : digits[bits >> (18 - 6 * k) & 63]);
	}
}

void
serve_token_set(struct serve_token *token, const char *text)
{
	struct buf bearer, basic, pair;

	buf_init(&bearer, SIZE_MAX);
	buf_init(&basic, SIZE_MAX);
	buf_init(&pair, SIZE_MAX);
	(void)buf_print(&bearer, "Bearer %s", text);
	(void)buf_print(&pair, "freshet:%s", text);
	(void)buf_print(&basic, "Basic ");
	put_base64(&basic, buf_text(&pair));
	token->bearer = buf_take(&bearer);
	token->basic = buf_take(&basic);
	buf_release(&pair);
}

bool
serve_token_read(struct serve_token *token, const char *path)
{
	struct buf text;
	struct slice rest, line;
	bool is_token;

	*token = (struct serve_token){0};
	buf_init(&text, FILE_MAX_BYTES);
	if (!textfile_read(path, &text)) {
		buf_release(&text);
		return false;
	}
	rest = buf_text(&text);
	line = slice_trim(textfile_line(&rest));
	is_token = line.len >= LEAST && line.len <= MOST &&
	    slice_is_graphic(line);
	if (is_token) {
		char *own = slice_dup(line);

		serve_token_set(token, own);
		free(own);
	} else {
		complain("'%s': the first line is no token: %d to %d printable "
			 "characters without spaces",
		    path, LEAST, MOST);
	}
	buf_release(&text);
	return is_token;
}

void
serve_token_release(struct serve_token *token)
{
	free(token->bearer);
	free(token->basic);
	*token = (struct serve_token){0};
}

/* Are both texts the same?  All of the header is looked at in any case. */
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
	is_bearer = token_is_same(token->bearer, header);
	is_basic = token_is_same(token->basic, header);
	return is_bearer || is_basic;
}
