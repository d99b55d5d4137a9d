/*
 * URLs, normalised to one key per page.
 *
 * Nearly every loc of a well-made sitemap is normal already: url_fast() proves
 * that in one pass and copies the loc. url_slow() reads all other URLs step by
 * step and reports each repair once.
 */
#include "base/url.h"

#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/host.h"

/* The longest name in DNS; url_slow() judges longer hosts. */
#define HOST_FAST_MAX 253

/* fast_target() reads this many bytes beyond any byte of a URL. */
#define AHEAD 4

void
url_release(struct url *url)
{
	buf_release(&url->text);
	url->known = 0;
}

/* What may be done with a byte in a URL that needs no change; 0: the byte needs
 * one. */
enum {
	URL_PLAIN = 1, /* stays in path and query */
	URL_NAME = 2, /* stays in a label of a host */
	URL_SIGN = 4, /* stays in path and query if what follows permits it */
};

#define P URL_PLAIN
#define N (URL_PLAIN | URL_NAME)
#define S URL_SIGN

/* clang-format off */
static const unsigned char marks[256] = {
	[' '] = 0, P, 0, 0, P, S, S, P, P, P, P, P, P, N, P, S, /* !"#$%&'()*+,-./ */
	['0'] = N, N, N, N, N, N, N, N, N, N, P, P, 0, P, 0, S, /* 0-9:;<=>? */
	['@'] = P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, /* @A-O */
	['P'] = P, P, P, P, P, P, P, P, P, P, P, P, 0, P, 0, P, /* P-Z[\]^_ */
	['`'] = 0, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, /* `a-o */
	['p'] = N, N, N, N, N, N, N, N, N, N, N, 0, 0, 0, P, 0, /* p-z{|}~ */
};
/* clang-format on */

#undef P
#undef N
#undef S

static unsigned
url_mark(const char *p)
{
	return marks[(unsigned char)*p];
}

/* A path and a query are plain if they have letters, digits and most signs, but
 * no dot behind a slash and no "&a". The first sixteen bytes may begin before
 * `at`: behind the scheme, a URL is of the same kind. */
bool
url_is_plain(struct slice url, size_t at, bool *has_signs)
{
	size_t n = (url.len - at + sizeof(bytes16) - 1) &
	    ~(sizeof(bytes16) - 1);
	bytes16 odd = {0};
	bytes16 signs = {0};

	if (n >= url.len)
		return false;
	for (at = url.len - n; at < url.len; at += sizeof(bytes16)) {
		bytes16 c = bytes16_load(url.p + at);
		bytes16 before = bytes16_load(url.p + at - 1);
		bytes16 letter = (bytes16)((c | 0x20) - 'a' <= 'z' - 'a');
		/* ()*+,-./ the digits, ':' and ';' */
		bytes16 usual = (bytes16)(c - '(' <= ';' - '(');
		bytes16 other = (bytes16)((c == '_') | (c == '='));
		bytes16 sign = (bytes16)((c == '?') | (c == '&'));
		bytes16 pairs = (bytes16)(((c == '.') & (before == '/')) |
		    /* it may begin "&amp;" */
		    ((c == 'a') & (before == '&')));

		odd |= pairs | ~(letter | usual | other | sign);
		signs |= sign;
	}
	if (has_signs != NULL)
		*has_signs = bytes16_mask(signs) != 0;
	return bytes16_mask(odd) == 0;
}

/* fast_target(p): the end of what needs no change in path and query. */
static const char *
fast_target(const char *p)
{
	for (;; p++) {
		/* Testing each byte would take as long as all else. */
		while ((url_mark(p) & url_mark(p + 1) & url_mark(p + 2) &
			   url_mark(p + 3) & URL_PLAIN) != 0)
			p += 4;
		while ((url_mark(p) & URL_PLAIN) != 0)
			p++;
		if ((url_mark(p) & URL_SIGN) == 0)
			break;
		if (*p == '/' && p[1] == '.')
			break;
		/* "%XX" in capitals, of a byte that must be escaped, stays. */
		if (*p == '%' &&
		    (slice_hex(p[1]) < 0 || p[1] > 'F' || slice_hex(p[2]) < 0 ||
			p[2] > 'F' ||
			url_is_unreserved((unsigned char)(slice_hex(p[1]) * 16 +
			    slice_hex(p[2])))))
			break;
		if (*p == '&' && strncmp(p, "&amp;", 5) == 0)
			break;
	}
	return p;
}

/* fast_origin(url): read scheme, host and port of the text, and the slash
 * behind them.  The host is a dotted quad, or lower-case labels of which none
 * is empty, none begins with "xn--", and the last does not begin with a digit.
 * False: it is not sure that all of that is normal. */
static bool
fast_origin(struct url *url)
{
	const char *start = url->text.p;
	const char *host, *label, *host_end, *p;
	unsigned port = 0, usual;

	url->is_https = start[4] == 's';
	host = label = start + 7 + url->is_https;
	for (p = host;; p++) {
		while ((url_mark(p) & URL_NAME) != 0)
			p++;
		if (p == label || memcmp(label, "xn--", 4) == 0)
			return false;
		if (*p != '.')
			break;
		label = p + 1;
	}
	host_end = p;
	url->host_kind = *label < '0' || *label > '9' ? HOST_NAME : HOST_IPV4;
	if (host_end - host > HOST_FAST_MAX)
		return false;
	if (url->host_kind == HOST_IPV4) {
		char quad[INET_ADDRSTRLEN] = "";
		struct in_addr address;

		/* only the shortest spelling of each number is read */
		if (host_end - host >= INET_ADDRSTRLEN)
			return false;
		memcpy(quad, host, (size_t)(host_end - host));
		if (inet_pton(AF_INET, quad, &address) != 1)
			return false;
	}
	/* The usual port is not written in a normal URL. */
	usual = url->is_https ? 443 : 80;
	url->port = (uint16_t)usual;
	if (*p == ':') {
		p++;
		if (*p < '1' || *p > '9')
			return false;
		while (*p >= '0' && *p <= '9' && port <= 65535)
			port = port * 10 + (unsigned)(*p++ - '0');
		if (port > 65535 || port == usual)
			return false;
		url->port = (uint16_t)port;
	}
	if (*p != '/')
		return false;
	url->host_at = (uint32_t)(host - start);
	url->host_len = (uint32_t)(host_end - host);
	url->path_at = (uint32_t)(p - start);
	url->known = url->path_at + 1;
	return true;
}

/* The function works on the copy: the NULs behind it, which have no mark, end
 * all loops. A reference that is not absolute is refused before the copy is
 * made, because base may be *url. */
bool
url_fast(struct url *url, struct slice raw, const struct profile *profile)
{
	size_t known = url->known;
	const char *path, *query;
	bool has_signs;

	if (raw.len < 8 || raw.len > (size_t)profile->max_loc_chars ||
	    (memcmp(raw.p, "http://", 7) != 0 &&
		memcmp(raw.p, "https://", 8) != 0))
		return false;
	if (known == 0 || raw.len < known ||
	    memcmp(raw.p, url->text.p, known) != 0)
		known = url->known = 0;
	/* The first `known` bytes are raw's already. */
	buf_clear(&url->text);
	url->text.max = URL_MAX_BYTES;
	if (!buf_reserve(&url->text, raw.len + AHEAD))
		return false;
	memcpy(url->text.p + known, raw.p + known, raw.len - known);
	memset(url->text.p + raw.len, 0, AHEAD);
	url->text.len = raw.len;
	if (known == 0 && !fast_origin(url))
		return false;
	url->path_len = (uint32_t)(raw.len - url->path_at);
	path = url->text.p + url->path_at;
	if (url_is_plain(raw, url->path_at, &has_signs)) {
		if (!has_signs)
			return true;
	} else if (fast_target(path) != url->text.p + raw.len)
		return false;
	query = memchr(path, '?', url->path_len);
	if (query != NULL)
		url->path_len = (uint32_t)(query - path);
	return true;
}

/* The state while one URL is read. */
struct work {
	const struct profile *profile;
	struct diag_sink sink;
	bool seen[DIAG_COUNT];
	enum diag_code failure; /* of a repair that strict refuses */
};

/* url_repair(work, code, is_strict): report a repair, once; if is_strict, the
 * strict set refuses the URL for it (SPEC R-48, R-49). */
static void
url_repair(struct work *work, enum diag_code code, bool is_strict)
{
	if (is_strict && work->profile->name == PROFILE_STRICT) {
		work->failure = DIAG_INVALID_URL;
		return;
	}
	if (work->seen[code])
		return;
	work->seen[code] = true;
	diag_emit(work->sink, code, slice_make(NULL, 0));
}

/* White space and characters. */

/* foreign_space(p, len): the length of the white space at p if it is none of
 * XML's; 0: there is none. SPEC R-49. */
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
	for (size_t i = 0; i < LENGTH(spaces); i++)
		if (slice_starts(slice_make(p, len), slice_of(spaces[i])))
			return strlen(spaces[i]);
	return 0;
}

static struct slice
trim_foreign(struct work *work, struct slice raw)
{
	size_t before = raw.len;
	size_t n;

	while ((n = foreign_space(raw.p, raw.len)) > 0)
		raw = slice_trim(slice_from(raw, n));
	/* At the end a space may have one to three bytes. */
	for (n = 1; n <= 3 && n <= raw.len; n++)
		if (foreign_space(raw.p + raw.len - n, n) == n) {
			raw = slice_trim(slice_make(raw.p, raw.len - n));
			n = 0;
		}
	if (raw.len != before)
		url_repair(work, DIAG_URL_WHITESPACE, true);
	return raw;
}

/* clean(work, raw, out): copy without tabs and line ends; the lenient set turns
 * each backslash before the query into a slash. */
static bool
clean(struct work *work, struct slice raw, struct buf *out)
{
	bool in_query = false;

	for (size_t i = 0; i < raw.len; i++) {
		char c = raw.p[i];

		if (c == '\t' || c == '\r' || c == '\n') {
			url_repair(work, DIAG_URL_WHITESPACE, true);
			continue;
		}
		in_query |= c == '?' || c == '#';
		if (c == '\\' && !in_query &&
		    work->profile->name == PROFILE_LENIENT) {
			url_repair(work, DIAG_URL_NOT_ESCAPED, false);
			c = '/';
		}
		if (!buf_put_char(out, c))
			return false;
	}
	return true;
}

/* Schemes. */

/* find_scheme(raw): the length of the scheme before ':'; 0: there is none.
 * "host.tld:8080" and "localhost:8080" have no scheme (SPEC R-43). */
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
	struct slice scheme = slice_make(raw.p, n);

	if (slice_equal_nocase(scheme, slice_of("http")) ||
	    slice_equal_nocase(scheme, slice_of("https")))
		return n;
	digits = n + 1;
	while (digits < raw.len && raw.p[digits] >= '0' && raw.p[digits] <= '9')
		digits++;
	if (digits > n + 1 &&
	    (digits == raw.len || strchr("/?#", raw.p[digits]) != NULL))
		return 0;
	return n;
}

/* Authority. */

static enum diag_code
put_authority(struct work *work, struct slice authority, struct url *url)
{
	struct slice host = authority;
	uint64_t port = url->is_https ? 443 : 80;
	enum diag_code code;
	size_t at = authority.len;
	bool was_idn;

	if (memchr(authority.p, '@', authority.len) != NULL)
		return DIAG_URL_HAS_USERINFO;
	/* A port stands behind the last ':' that is not within brackets; none
	 * need follow. */
	while (
	    at > 0 && authority.p[at - 1] != ':' && authority.p[at - 1] != ']')
		at--;
	if (at > 0 && authority.p[at - 1] == ':') {
		host.len = at - 1;
		if (at < authority.len &&
		    !slice_number(slice_from(authority, at), &port))
			return DIAG_INVALID_URL;
	}
	if (host.len == 0 || port == 0 || port > UINT16_MAX)
		return DIAG_INVALID_URL;
	url->port = (uint16_t)port;
	url->host_at = (uint32_t)url->text.len;
	code = host_normalise(&url->text, host, &url->host_kind, &was_idn);
	if (code != DIAG_OK)
		return code;
	if (was_idn)
		url_repair(work, DIAG_URL_IDN, false);
	url->host_len = (uint32_t)url->text.len - url->host_at;
	/* The result needs no test: every host leaves room for a port. */
	if (url->port != (url->is_https ? 443 : 80))
		(void)buf_print(&url->text, ":%u", url->port);
	url->path_at = (uint32_t)url->text.len;
	return DIAG_OK;
}

/* Path and query. */

/* url_put_part(work, text, out): append a path or a query; runs of bytes that
 * need no change are copied at once (SPEC R-48, R-49). */
static bool
url_put_part(struct work *work, struct slice text, struct buf *out)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.len;) {
		char escape[3] = {'%'};
		size_t n = i, len = 3;
		int value;

		while (n < text.len && text.p[n] != '%' &&
		    marks[(unsigned char)text.p[n]] != 0)
			n++;
		if (!buf_put(out, text.p + i, n - i))
			return false;
		if (n == text.len)
			break;
		value = slice_escape(text, n);
		if (value >= 0) {
			n += 2;
			/* An escape that is not needed goes. */
			if (url_is_unreserved((unsigned char)value))
				len = 1;
		} else {
			if (text.p[n] == '%')
				url_repair(work, DIAG_URL_BAD_PERCENT, true);
			else if ((unsigned char)text.p[n] >= 0x80)
				url_repair(work, DIAG_URL_NON_ASCII, false);
			else
				url_repair(work, DIAG_URL_NOT_ESCAPED, true);
			value = (unsigned char)text.p[n];
		}
		if (len == 1) {
			escape[0] = (char)value;
		} else {
			escape[1] = digits[value >> 4];
			escape[2] = digits[value & 15];
		}
		if (!buf_put(out, escape, len))
			return false;
		i = n + 1;
	}
	return true;
}

/* remove_dots(path, len): remove dot segments in place; returns the new length.
 * The path begins with a slash, before and after. */
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
url_put_target(struct work *work, struct slice rest, struct url *url)
{
	const char *hash = memchr(rest.p, '#', rest.len);
	const char *question;
	struct slice path;

	if (hash != NULL) {
		url_repair(work, DIAG_URL_HAS_FRAGMENT, false);
		rest.len = (size_t)(hash - rest.p);
	}
	question = memchr(rest.p, '?', rest.len);
	path = rest;
	if (question != NULL)
		path.len = (size_t)(question - rest.p);
	if (memchr(path.p, '\\', path.len) != NULL)
		return DIAG_INVALID_URL;
	if (!url_put_part(
		work, path.len == 0 ? slice_of("/") : path, &url->text))
		return DIAG_URL_TOO_LONG;
	url->path_len = (uint32_t)remove_dots(
	    url->text.p + url->path_at, url->text.len - url->path_at);
	url->text.len = url->path_at + url->path_len;
	if (question == NULL)
		return DIAG_OK;
	if (!buf_put_char(&url->text, '?') ||
	    !url_put_part(work, slice_from(rest, path.len + 1), &url->text))
		return DIAG_URL_TOO_LONG;
	return DIAG_OK;
}

/* The whole URL. */

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
	url->known = 0;
	buf_clear(&url->text);
	url->text.max = URL_MAX_BYTES;
	/* The result needs no test: the buf is empty and has room for a scheme,
	 * a host and a port. */
	(void)buf_put_slice(
	    &url->text, slice_of(url->is_https ? "https://" : "http://"));
	if (n == 0)
		return DIAG_INVALID_URL;
	code = put_authority(work, slice_make(rest.p, n), url);
	if (code != DIAG_OK)
		return code;
	return url_put_target(work, slice_from(rest, n), url);
}

static enum diag_code
read_any(struct work *work, struct slice raw, const struct url *base,
    struct url *url)
{
	size_t scheme_len = find_scheme(raw);
	struct buf absolute = BUF_UP_TO(2 * URL_MAX_BYTES);
	enum diag_code code = DIAG_URL_TOO_LONG;
	size_t keep;

	if (scheme_len > 0)
		return read_absolute(work, raw, scheme_len, url);
	if (base == NULL)
		return DIAG_RELATIVE_URL;
	url_repair(work, DIAG_RELATIVE_URL, false);
	/* How much of base precedes a reference (RFC 3986 5.2): its scheme, its
	 * origin, its path, all of it, or its folder. */
	if (raw.len >= 2 && raw.p[0] == '/' && raw.p[1] == '/')
		keep = base->is_https ? 6 : 5;
	else if (raw.len >= 1 && raw.p[0] == '/')
		keep = base->path_at;
	else if (raw.len >= 1 && raw.p[0] == '?')
		keep = base->path_at + base->path_len;
	else if (raw.len == 0 || raw.p[0] == '#')
		keep = base->text.len;
	else
		keep = url_directory(base).len;
	/* The first result needs no test: there is room for any base. */
	(void)buf_put(&absolute, base->text.p, keep);
	if (buf_put_slice(&absolute, raw))
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
	struct buf cleaned = BUF_UP_TO(4 * URL_MAX_BYTES);
	enum diag_code code;
	size_t clean_len = 0;

	trimmed = trim_foreign(&work, raw);
	/* An empty text refers to base; white space alone is an empty value. */
	if (trimmed.len == 0 && raw.len > 0)
		return DIAG_EMPTY_TAG;
	raw = trimmed;
	if (slice_chars(raw) > (size_t)profile->max_loc_chars)
		return DIAG_URL_TOO_LONG;
	/* SPEC R-15 */
	if (raw.len >= 5 && memmem(raw.p, raw.len, "&amp;", 5) != NULL)
		url_repair(&work, DIAG_URL_DOUBLE_ESCAPED, false);
	/* Most need no cleaning, and no copy. */
	while (clean_len < raw.len &&
	    (raw.p[clean_len] == '\0' ||
		strchr("\t\r\n\\", raw.p[clean_len]) == NULL))
		clean_len++;
	if (clean_len == raw.len) {
		code = read_any(&work, raw, base, url);
	} else {
		code = DIAG_URL_TOO_LONG;
		if (clean(&work, raw, &cleaned))
			code = read_any(&work, buf_text(&cleaned), base, url);
		buf_release(&cleaned);
	}
	if (code == DIAG_OK && work.failure != DIAG_OK)
		return work.failure;
	return code;
}

enum diag_code
url_parse(struct url *url, struct slice raw, const struct url *base,
    const struct profile *profile, struct diag_sink sink)
{
	raw = slice_trim(raw);
	if (raw.len == 0)
		return DIAG_EMPTY_TAG;
	if (url_fast(url, raw, profile))
		return DIAG_OK;
	if (profile->relative_loc != RELATIVE_RESOLVE)
		base = NULL;
	return url_slow(url, raw, base, profile, sink);
}

enum diag_code
url_resolve(struct url *url, struct slice raw, const struct url *base)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	size_t n = 0;

	profile.max_loc_chars = URL_MAX_BYTES;
	raw = slice_trim(raw);
	/* By RFC 3986 3.1, "host:8080" has the scheme "host".  SPEC R-43, by
	 * which a loc "host:8080" has no scheme, is for locs only. */
	while (n < raw.len &&
	    (ascii_is_letter(raw.p[n]) ||
		(n > 0 &&
		    (ascii_is_digit(raw.p[n]) || raw.p[n] == '+' ||
			raw.p[n] == '-' || raw.p[n] == '.'))))
		n++;
	if (n > 0 && n < raw.len && raw.p[n] == ':' &&
	    !slice_equal_nocase(slice_make(raw.p, n), slice_of("http")) &&
	    !slice_equal_nocase(slice_make(raw.p, n), slice_of("https")))
		return DIAG_UNSUPPORTED_SCHEME;
	if (url_fast(url, raw, &profile))
		return DIAG_OK;
	return url_slow(url, raw, base, &profile, (struct diag_sink){0});
}

enum diag_code
url_parse_raw(struct url *url, struct slice text, const struct url *base)
{
	struct profile profile = profile_default(PROFILE_LENIENT);

	profile.max_loc_chars = URL_MAX_BYTES;
	if (base == NULL)
		profile.relative_loc = RELATIVE_REJECT;
	return url_parse(url, text, base, &profile, (struct diag_sink){0});
}

bool
url_is_normal(struct url *url, struct slice text)
{
	return url_parse_raw(url, text, NULL) == DIAG_OK &&
	    slice_equal(url_text(url), text);
}

void
url_copy(struct url *to, const struct url *from)
{
	struct buf text = to->text;
	bool fits;

	*to = *from;
	to->text = text;
	buf_clear(&to->text);
	to->text.max = URL_MAX_BYTES;
	fits = buf_put_slice(&to->text, buf_text(&from->text));
	assert(fits);
	(void)fits;
}

struct slice
url_text(const struct url *url)
{
	return buf_text(&url->text);
}

struct slice
url_origin(const struct url *url)
{
	return slice_make(url->text.p, url->path_at);
}

struct slice
url_host(const struct url *url)
{
	return slice_make(url->text.p + url->host_at, url->host_len);
}

struct slice
url_path(const struct url *url)
{
	return slice_make(url->text.p + url->path_at, url->path_len);
}

struct slice
url_target(const struct url *url)
{
	return slice_from(buf_text(&url->text), url->path_at);
}

struct slice
url_directory(const struct url *url)
{
	const char *path = url->text.p + url->path_at;
	const char *slash = memrchr(path, '/', url->path_len);

	/* The path begins with a slash. */
	return slice_make(url->text.p, (size_t)(slash - url->text.p) + 1);
}

struct slice
url_path_of(struct slice url)
{
	const char *at = memmem(url.p, url.len, "://", 3);
	struct slice rest = at == NULL
	    ? url
	    : slice_from(url, (size_t)(at + 3 - url.p));
	const char *slash = rest.len == 0 ? NULL
					  : memchr(rest.p, '/', rest.len);

	return slash == NULL ? slice_from(url, url.len)
			     : slice_from(rest, (size_t)(slash - rest.p));
}

struct slice
url_section(struct slice url)
{
	struct slice path = url_path_of(url);
	size_t n = 1;

	if (path.len == 0)
		return slice_of("/");
	while (n < path.len && path.p[n] != '/' && path.p[n] != '?')
		n++;
	return slice_make(path.p, n < path.len && path.p[n] == '/' ? n : 1);
}

struct url_parts
url_parts(struct slice url)
{
	size_t at = 0, end, stop;

	while (at < url.len && url.p[at] != '/')
		at++;
	at = at + 2 < url.len ? at + 2 : url.len;
	for (end = at; end < url.len && url.p[end] != '/';)
		end++;
	stop = at;
	/* an IPv6 address has colons inside its brackets */
	if (stop < end && url.p[stop] == '[')
		while (stop < end && url.p[stop] != ']')
			stop++;
	while (stop < end && url.p[stop] != ':')
		stop++;
	return (struct url_parts){.origin = slice_make(url.p, end),
	    .host = slice_make(url.p + at, stop - at),
	    .target = slice_from(url, end)};
}

struct slice
url_short(struct slice text, struct slice host)
{
	struct url_parts parts = url_parts(text);

	return memmem(text.p, text.len, "://", 3) != NULL &&
		slice_equal(parts.host, host) && parts.target.len > 0
	    ? parts.target
	    : text;
}
