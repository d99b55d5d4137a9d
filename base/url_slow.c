/* Any URL, normalised step by step, each repair reported once. */
#include <string.h>

#include "base/host.h"
#include "base/url_internal.h"

/* What is known while one URL is being read. */
struct work {
	const struct profile *profile;
	struct diag_sink sink;
	bool seen[DIAG_COUNT];
	enum diag_code failure; /* of a repair that strict refuses */
};

static void
repair(struct work *work, enum diag_code code)
{
	if (work->seen[code])
		return;
	work->seen[code] = true;
	diag_emit(work->sink, code, slice_make(NULL, 0));
}

/* refuse_or_repair(work, code): strict takes no such value (SPEC R-48, R-49).
 */
static void
refuse_or_repair(struct work *work, enum diag_code code)
{
	if (work->profile->name == PROFILE_STRICT)
		work->failure = DIAG_INVALID_URL;
	else
		repair(work, code);
}

/* Characters as written. */

/* foreign_space(p, len): bytes of a white space that XML does not know at p;
 * 0: none.  SPEC R-49. */
static size_t
foreign_space(const char *p, size_t len)
{
	static const char *const spaces[] = {"\xc2\xa0", "\xc2\x85",
	    "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
	    "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
	    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a",
	    "\xe2\x80\x8b", "\xe2\x80\x8c", "\xe2\x80\x8d", "\xe2\x80\xa8",
	    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe2\x81\xa0",
	    "\xe3\x80\x80", "\xef\xbb\xbf", "\v", "\f"};

	if (len == 0 || (*p > ' ' && *p <= '~'))
		return 0;
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (slice_starts(slice_make(p, len), slice_of(spaces[i])))
			return strlen(spaces[i]);
	return 0;
}

/* last_foreign_space(raw): the same at the end. */
static size_t
last_foreign_space(struct slice raw)
{
	for (size_t n = 1; n <= 3 && n <= raw.len; n++)
		if (foreign_space(raw.p + raw.len - n, n) == n)
			return n;
	return 0;
}

static struct slice
trim_foreign(struct work *work, struct slice raw)
{
	size_t before = raw.len;
	size_t n;

	for (;;) {
		n = foreign_space(raw.p, raw.len);
		if (n == 0)
			break;
		raw = slice_trim(slice_from(raw, n));
	}
	for (;;) {
		n = last_foreign_space(raw);
		if (n == 0)
			break;
		raw = slice_trim(slice_make(raw.p, raw.len - n));
	}
	if (raw.len != before)
		refuse_or_repair(work, DIAG_URL_WHITESPACE);
	return raw;
}

/* count_chars(raw): code points as written (SPEC R-24). */
static size_t
count_chars(struct slice raw)
{
	size_t count = 0;

	for (size_t i = 0; i < raw.len; i++)
		count += ((unsigned char)raw.p[i] & 0xc0) != 0x80;
	return count;
}

/* has_any(raw, bytes): does raw hold one of them? */
static bool
has_any(struct slice raw, const char *bytes)
{
	for (; *bytes != '\0'; bytes++)
		if (memchr(raw.p, *bytes, raw.len) != NULL)
			return true;
	return false;
}

/* clean(work, raw, out): tabs and line ends inside go; lenient turns each
 * backslash before the query into a slash. */
static bool
clean(struct work *work, struct slice raw, struct buf *out)
{
	bool in_query = false;

	for (size_t i = 0; i < raw.len; i++) {
		char c = raw.p[i];

		if (c == '\t' || c == '\r' || c == '\n') {
			refuse_or_repair(work, DIAG_URL_WHITESPACE);
			continue;
		}
		in_query |= c == '?' || c == '#';
		if (c == '\\' && !in_query &&
		    work->profile->name == PROFILE_LENIENT) {
			repair(work, DIAG_URL_NOT_ESCAPED);
			c = '/';
		}
		if (!buf_put_char(out, c))
			return false;
	}
	return true;
}

/* Schemes. */

static bool
is_http(struct slice scheme)
{
	return slice_equal_nocase(scheme, slice_of("http")) ||
	    slice_equal_nocase(scheme, slice_of("https"));
}

/* find_scheme(raw): the length of "name" before ':'; 0: there is none.  What
 * looks like "host.tld:8080" or "localhost:8080" has none (SPEC R-43). */
static size_t
find_scheme(struct slice raw)
{
	size_t n = 0;
	size_t digits;

	while (n < raw.len && url_is_unreserved((unsigned char)raw.p[n]) &&
	    raw.p[n] != '_' && raw.p[n] != '~')
		n++;
	if (n == 0 || n == raw.len || raw.p[n] != ':' ||
	    memchr(raw.p, '.', n) != NULL ||
	    (raw.p[0] >= '0' && raw.p[0] <= '9') || raw.p[0] == '-')
		return 0;
	if (is_http(slice_make(raw.p, n)))
		return n;
	digits = n + 1;
	while (digits < raw.len && raw.p[digits] >= '0' && raw.p[digits] <= '9')
		digits++;
	if (digits > n + 1 &&
	    (digits == raw.len || strchr("/?#", raw.p[digits]) != NULL))
		return 0;
	return n;
}

/* resolve(raw, base, out): the absolute URL that raw means (RFC 3986 5.2),
 * not normalised. */
static bool
resolve(struct slice raw, const struct url *base, struct buf *out)
{
	struct slice text = url_text(base);
	size_t keep;

	if (raw.len >= 2 && raw.p[0] == '/' && raw.p[1] == '/')
		keep = base->is_https ? 6 : 5;
	else if (raw.len >= 1 && raw.p[0] == '/')
		keep = base->path_at;
	else if (raw.len >= 1 && raw.p[0] == '?')
		keep = base->path_at + base->path_len;
	else if (raw.len == 0 || raw.p[0] == '#')
		keep = text.len;
	else
		keep = url_directory(base).len;
	/* (void): out holds more than any base is long. */
	(void)buf_put(out, text.p, keep);
	return buf_put_slice(out, raw);
}

/* Authority. */

/* read_port(text, url): digits after ':'; leading zeros are dropped. */
static bool
read_port(struct slice text, struct url *url)
{
	unsigned port = 0;

	if (text.len == 0)
		return true;
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		port = port * 10 + (unsigned)(text.p[i] - '0');
		if (port > 65535)
			return false;
	}
	url->port = (uint16_t)port;
	return port > 0;
}

/* split_port(authority, *port): what is before the port, and the port. */
static struct slice
split_port(struct slice authority, struct slice *port)
{
	size_t at = authority.len;

	*port = slice_make(NULL, 0);
	while (
	    at > 0 && authority.p[at - 1] != ':' && authority.p[at - 1] != ']')
		at--;
	if (at == 0 || authority.p[at - 1] == ']')
		return authority;
	*port = slice_from(authority, at);
	return slice_make(authority.p, at - 1);
}

static enum diag_code
put_authority(struct work *work, struct slice authority, struct url *url)
{
	struct slice port, host;
	enum diag_code code;
	bool was_idn;

	if (memchr(authority.p, '@', authority.len) != NULL)
		return DIAG_URL_HAS_USERINFO;
	host = split_port(authority, &port);
	url->port = url->is_https ? 443 : 80;
	if (host.len == 0 || !read_port(port, url))
		return DIAG_INVALID_URL;
	url->host_at = (uint32_t)url->text.len;
	code = host_normalise(&url->text, host, &url->host_kind, &was_idn);
	if (code != DIAG_OK)
		return code;
	if (was_idn)
		repair(work, DIAG_URL_IDN);
	url->host_len = (uint32_t)url->text.len - url->host_at;
	/* (void): no host is so long that a port finds no room. */
	if (url->port != (url->is_https ? 443 : 80))
		(void)buf_print(&url->text, ":%u", url->port);
	url->path_at = (uint32_t)url->text.len;
	return DIAG_OK;
}

/* Path and query. */

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool
put_escape(struct buf *out, unsigned char c)
{
	static const char digits[] = "0123456789ABCDEF";
	const char text[3] = {'%', digits[c >> 4], digits[c & 15]};

	return buf_put(out, text, 3);
}

/* put_percent(work, text, i, out): what begins with the '%' at i; *i moves to
 * its last byte. */
static bool
put_percent(struct work *work, struct slice text, size_t *i, struct buf *out)
{
	int high = text.len - *i > 2 ? hex_value(text.p[*i + 1]) : -1;
	int low = text.len - *i > 2 ? hex_value(text.p[*i + 2]) : -1;
	unsigned char value;

	if (high < 0 || low < 0) {
		refuse_or_repair(work, DIAG_URL_BAD_PERCENT);
		return put_escape(out, '%');
	}
	*i += 2;
	value = (unsigned char)(high * 16 + low);
	if (url_is_unreserved(value))
		return buf_put_char(out, (char)value);
	return put_escape(out, value);
}

/* put_byte(work, c, out): one that is no part of a normalised URL. */
static bool
put_byte(struct work *work, unsigned char c, struct buf *out)
{
	if (c >= 0x80)
		repair(work, DIAG_URL_NON_ASCII);
	else
		refuse_or_repair(work, DIAG_URL_NOT_ESCAPED);
	return put_escape(out, c);
}

/* put_part(work, text, out): a path or a query, run by run (SPEC R-48,
 * R-49). */
static bool
put_part(struct work *work, struct slice text, struct buf *out)
{
	for (size_t i = 0; i < text.len;) {
		size_t n = i;
		bool fits;

		while (n < text.len && text.p[n] != '%' &&
		    url_marks[(unsigned char)text.p[n]] != 0)
			n++;
		if (!buf_put(out, text.p + i, n - i))
			return false;
		if (n == text.len)
			break;
		if (text.p[n] == '%')
			fits = put_percent(work, text, &n, out);
		else
			fits = put_byte(work, (unsigned char)text.p[n], out);
		if (!fits)
			return false;
		i = n + 1;
	}
	return true;
}

/* remove_dots(path, len): dot segments go, in place; the new length.  The
 * path begins with a slash, before and after. */
static size_t
remove_dots(char *path, size_t len)
{
	size_t in = 0;
	size_t out = 0;

	while (in < len) {
		size_t end = in + 1; /* path[in] is the '/' */
		size_t n;

		while (end < len && path[end] != '/')
			end++;
		n = end - in - 1;
		if (n == 1 && path[in + 1] == '.') {
			if (end == len)
				path[out++] = '/';
		} else if (n == 2 && path[in + 1] == '.' &&
		    path[in + 2] == '.') {
			while (out > 0 && path[--out] != '/')
				continue;
			if (end == len)
				path[out++] = '/';
		} else {
			memmove(path + out, path + in, end - in);
			out += end - in;
		}
		in = end;
	}
	return out;
}

static enum diag_code
put_target(struct work *work, struct slice rest, struct url *url)
{
	const char *hash = memchr(rest.p, '#', rest.len);
	const char *mark;
	struct slice path;

	if (hash != NULL) {
		repair(work, DIAG_URL_HAS_FRAGMENT);
		rest.len = (size_t)(hash - rest.p);
	}
	mark = memchr(rest.p, '?', rest.len);
	path = rest;
	if (mark != NULL)
		path.len = (size_t)(mark - rest.p);
	if (memchr(path.p, '\\', path.len) != NULL)
		return DIAG_INVALID_URL;
	if (!put_part(work, path.len == 0 ? slice_of("/") : path, &url->text))
		return DIAG_URL_TOO_LONG;
	url->path_len = (uint32_t)remove_dots(
	    url->text.p + url->path_at, url->text.len - url->path_at);
	url->text.len = url->path_at + url->path_len;
	if (mark == NULL)
		return DIAG_OK;
	if (!buf_put_char(&url->text, '?') ||
	    !put_part(work, slice_from(rest, path.len + 1), &url->text))
		return DIAG_URL_TOO_LONG;
	return DIAG_OK;
}

/* The whole. */

static enum diag_code
read_absolute(
    struct work *work, struct slice raw, size_t scheme_len, struct url *url)
{
	struct slice scheme = slice_make(raw.p, scheme_len);
	struct slice rest = slice_from(raw, scheme_len + 1);
	size_t n = 0;
	enum diag_code code;

	if (slice_equal_nocase(scheme, slice_of("https")))
		url->is_https = true;
	else if (slice_equal_nocase(scheme, slice_of("http")))
		url->is_https = false;
	else
		return DIAG_UNSUPPORTED_SCHEME;
	if (!slice_starts(rest, slice_of("//")))
		return DIAG_INVALID_URL;
	rest = slice_from(rest, 2);
	while (n < rest.len && strchr("/?#", rest.p[n]) == NULL)
		n++;
	if (n < rest.len && rest.p[n] == '\0')
		return DIAG_INVALID_URL;
	buf_clear(&url->text);
	/* (void): it is empty and holds a host, a port and more. */
	(void)buf_put_slice(
	    &url->text, slice_of(url->is_https ? "https://" : "http://"));
	if (n == 0)
		return DIAG_INVALID_URL;
	code = put_authority(work, slice_make(rest.p, n), url);
	if (code != DIAG_OK)
		return code;
	return put_target(work, slice_from(rest, n), url);
}

/* has_double_escape(raw): SPEC R-15. */
static bool
has_double_escape(struct slice raw)
{
	return raw.len >= 5 && memmem(raw.p, raw.len, "&amp;", 5) != NULL;
}

static enum diag_code
read_any(struct work *work, struct slice raw, const struct url *base,
    struct url *url)
{
	size_t scheme_len = find_scheme(raw);
	struct buf absolute;
	enum diag_code code = DIAG_URL_TOO_LONG;

	if (scheme_len > 0)
		return read_absolute(work, raw, scheme_len, url);
	if (base == NULL)
		return DIAG_RELATIVE_URL;
	repair(work, DIAG_RELATIVE_URL);
	buf_init(&absolute, 2 * URL_MAX_BYTES);
	if (resolve(raw, base, &absolute))
		code = read_absolute(
		    work, buf_text(&absolute), base->is_https ? 5 : 4, url);
	buf_release(&absolute);
	return code;
}

enum diag_code
url_slow(struct url *url, struct slice raw, const struct url *base,
    const struct profile *profile, struct diag_sink sink)
{
	struct work work = {.profile = profile, .sink = sink};
	struct slice trimmed;
	struct buf cleaned;
	enum diag_code code;

	trimmed = trim_foreign(&work, raw);
	/* Empty as written is a reference to base, blank is nothing. */
	if (trimmed.len == 0 && raw.len > 0)
		return DIAG_EMPTY_TAG;
	raw = trimmed;
	if (count_chars(raw) > (size_t)profile->max_loc_chars)
		return DIAG_URL_TOO_LONG;
	if (has_double_escape(raw))
		repair(&work, DIAG_URL_DOUBLE_ESCAPED);
	if (!has_any(raw, "\t\r\n\\")) {
		code = read_any(&work, raw, base, url);
	} else {
		buf_init(&cleaned, 4 * URL_MAX_BYTES);
		code = DIAG_URL_TOO_LONG;
		if (clean(&work, raw, &cleaned))
			code = read_any(&work, buf_text(&cleaned), base, url);
		buf_release(&cleaned);
	}
	if (code == DIAG_OK && work.failure != DIAG_OK)
		return work.failure;
	return code;
}
