/* How `due` prints a page. */
#include "crawler/inspect/due_format.h"

#include <string.h>

#include "base/vis.h"
#include "crawler/event/ndjson.h"

#define CURL_TIME_S 120 /* time for one page; shorter than its lease */

static void
put_option(struct buf *out, const char *name, struct slice value)
{
	(void)buf_print(out, "%s = \"", name);
	/* Append the text, escaped for the quotes of a curl configuration. */
	for (size_t i = 0; i < value.len; i++) {
		char c = value.p[i];

		if (c == '"' || c == '\\')
			(void)buf_put_char(out, '\\');
		/* a line feed would end the entry, so control characters are
		 * dropped */
		if ((unsigned char)c >= ' ')
			(void)buf_put_char(out, c);
	}
	(void)buf_put(out, "\"\n", 2);
}

/* Append a header of the request, unless its value is empty. */
static void
put_header(struct buf *out, const char *name, struct slice value)
{
	struct buf header;

	if (value.len == 0)
		return;
	buf_init(&header, SIZE_MAX);
	(void)buf_print(&header, "%s: ", name);
	(void)buf_put_slice(&header, value);
	put_option(out, "header", buf_text(&header));
	buf_release(&header);
}

static void
put_curl(struct buf *out, const struct options_network *network,
    const struct ndjson *page)
{
	(void)buf_print(out, "next\n");
	put_option(out, "url", ndjson_text(page, "url"));
	put_option(out, "output", ndjson_text(page, "lease"));
	struct buf agent;

	buf_init(&agent, SIZE_MAX);
	if (network->user_agent != NULL)
		(void)buf_print(&agent, "%s", network->user_agent);
	else
		(void)buf_print(&agent, "freshet/%s", FRESHET_VERSION);
	if (network->user_agent == NULL && network->contact != NULL)
		(void)buf_print(&agent, " (+%s)", network->contact);
	put_option(out, "user-agent", buf_text(&agent));
	buf_release(&agent);
	put_header(out, "If-None-Match", ndjson_text(page, "etag"));
	put_header(
	    out, "If-Modified-Since", ndjson_text(page, "last_modified"));
	(void)buf_print(out,
	    "silent\ncompressed\ngloboff\nproto = \"=http,https\"\n"
	    "max-time = %d\n",
	    CURL_TIME_S);
	/* Make curl print a result. In curl's template % is special, and so is
	 * a backslash before r, n and t; a URL has neither. curl escapes
	 * nothing that a server sends: so the object has only numbers that curl
	 * made, and the one header stands behind it. */
	struct buf url;
	struct buf line;

	buf_init(&url, SIZE_MAX);
	buf_init(&line, SIZE_MAX);
	json_put(&url, ndjson_text(page, "url"));
	(void)buf_print(&line,
	    "{\"lease\":\"%.*s\",\"url\":", (int)ndjson_text(page, "lease").len,
	    ndjson_text(page, "lease").p);
	for (size_t i = 0; i < url.len; i++) {
		if (url.p[i] == '%')
			(void)buf_put_char(&line, '%');
		(void)buf_put_char(&line, url.p[i]);
	}
	(void)buf_print(&line,
	    ",\"status\":\"%%{http_code}\",\"bytes\":%%{size_download},"
	    "\"seconds\":%%{time_total},\"rest\":\"last_modified\"}"
	    " %%header{last-modified}\\n");
	put_option(out, "write-out", buf_text(&line));
	buf_release(&url);
	buf_release(&line);
}

void
due_format_page(struct buf *out, enum due_format format,
    const struct options_network *network, struct slice line,
    const struct ndjson *page)
{
	switch (format) {
	case DUE_NDJSON:
		(void)buf_put_slice(out, line);
		(void)buf_put_char(out, '\n');
		break;
	case DUE_URLS:
		(void)buf_put_slice(out, ndjson_text(page, "url"));
		(void)buf_put_char(out, '\n');
		break;
	case DUE_CURL:
		put_curl(out, network, page);
		break;
	}
}

/* Append the text but for the member of that key, which stands there with a
 * quoted value. A quotation mark within a string is escaped, so that no URL
 * looks like a member. */
static void
put_without(struct buf *out, struct slice text, const char *key)
{
	const char *found = memmem(text.p, text.len, key, strlen(key));
	const char *rest;
	size_t len = found == NULL ? text.len : (size_t)(found - text.p);

	(void)buf_put(out, text.p, len);
	if (found == NULL)
		return;
	len += strlen(key);
	rest = memchr(text.p + len, '"', text.len - len);
	if (rest != NULL)
		(void)buf_put_slice(out,
		    slice_make(
			rest + 1, text.len - (size_t)(rest + 1 - text.p)));
}

struct slice
due_format_unleased(struct buf *room, struct slice line)
{
	struct buf half;

	buf_init(&half, SIZE_MAX);
	put_without(&half, line, ",\"lease\":\"");
	buf_clear(room);
	put_without(room, buf_text(&half), ",\"lease_until\":\"");
	buf_release(&half);
	return buf_text(room);
}
