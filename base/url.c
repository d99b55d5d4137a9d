/*
 * URLs, normalised to one key per page.
 *
 * Nearly every loc of a sound sitemap is normal already: url_fast() proves
 * that in one pass and copies it.  All else goes through url_slow.c.
 */
#include "base/url.h"

#include <assert.h>
#include <string.h>

#include "base/url_internal.h"

/* The longest name that DNS knows; what is longer, host.c judges. */
#define HOST_FAST_MAX 253

/* How many bytes from any byte of a URL on are looked at together. */
#define AHEAD 4

void
url_init(struct url *url)
{
	*url = (struct url){0};
	buf_init(&url->text, URL_MAX_BYTES);
}

void
url_release(struct url *url)
{
	buf_release(&url->text);
}

#define P URL_PLAIN
#define N (URL_PLAIN | URL_NAME)
#define S URL_SIGN

/* clang-format off */
const unsigned char url_marks[256] = {
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
mark(const char *p)
{
	return url_marks[(unsigned char)*p];
}

static bool
is_upper_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

/* is_settled_escape(p): "%XX" in upper case of a byte that has to be
 * escaped, so that it stays. */
static bool
is_settled_escape(const char *p)
{
	unsigned value;

	if (!is_upper_hex(p[1]) || !is_upper_hex(p[2]))
		return false;
	value = (unsigned)(p[1] <= '9' ? p[1] - '0' : p[1] - 'A' + 10) * 16 +
	    (unsigned)(p[2] <= '9' ? p[2] - '0' : p[2] - 'A' + 10);
	return !url_is_unreserved((unsigned char)value);
}

/* is_quad(p, end): "127.0.0.1", each number in its shortest spelling. */
static bool
is_quad(const char *p, const char *end)
{
	for (int i = 0; i < 4; i++) {
		const char *start = p;
		int value = 0;

		while (*p >= '0' && *p <= '9' && p - start < 3)
			value = value * 10 + (*p++ - '0');
		if (p == start || value > 255 ||
		    (*start == '0' && p - start > 1))
			return false;
		if (i < 3 && *p++ != '.')
			return false;
	}
	return p == end;
}

/*
 * fast_host(host, kind): the end of a host that is normal already: lower-case
 * labels, none empty, none "xn--", the last one no number, or a dotted quad;
 * NULL: not sure.
 */
static const char *
fast_host(const char *host, uint8_t *kind)
{
	const char *label = host;
	const char *p = host;

	for (;; p++) {
		while ((mark(p) & URL_NAME) != 0)
			p++;
		if (p == label || memcmp(label, "xn--", 4) == 0)
			return NULL;
		if (*p != '.')
			break;
		label = p + 1;
	}
	*kind = HOST_NAME;
	if (p - host > HOST_FAST_MAX)
		return NULL;
	if (*label < '0' || *label > '9')
		return p;
	*kind = HOST_IPV4;
	return is_quad(host, p) ? p : NULL;
}

/* fast_port(p, url): the end of ":port" or of nothing at p; NULL: one that
 * would be written otherwise. */
static const char *
fast_port(const char *p, struct url *url)
{
	const unsigned usual = url->is_https ? 443 : 80;
	unsigned port = 0;

	url->port = (uint16_t)usual;
	if (*p != ':')
		return p;
	p++;
	if (*p < '1' || *p > '9')
		return NULL;
	while (*p >= '0' && *p <= '9' && port <= 65535)
		port = port * 10 + (unsigned)(*p++ - '0');
	url->port = (uint16_t)port;
	return port > 65535 || port == usual ? NULL : p;
}

/* fast_target(p, *query): the end of what needs no change in path and query,
 * and the place of the first '?' or that end. */
static const char *
fast_target(const char *p, const char **query)
{
	*query = NULL;
	for (;; p++) {
		/* A test for each byte would cost as much as all the rest. */
		while ((mark(p) & mark(p + 1) & mark(p + 2) & mark(p + 3) &
			   URL_PLAIN) != 0)
			p += 4;
		while ((mark(p) & URL_PLAIN) != 0)
			p++;
		if ((mark(p) & URL_SIGN) == 0)
			break;
		if (*p == '/' && p[1] == '.')
			break;
		if (*p == '%' && !is_settled_escape(p))
			break;
		if (*p == '&' && strncmp(p, "&amp;", 5) == 0)
			break;
		if (*p == '?' && *query == NULL)
			*query = p;
	}
	if (*query == NULL)
		*query = p;
	return p;
}

/*
 * The copy is what is read: the NULs behind it, which have no mark, end all
 * loops.  What is not absolute is refused before: base may be *url.
 */
bool
url_fast(struct url *url, struct slice raw, const struct profile *profile)
{
	const char *start, *host, *host_end, *path, *end, *query;

	if (raw.len < 8 || raw.len > (size_t)profile->max_loc_chars ||
	    memcmp(raw.p, "http", 4) != 0)
		return false;
	url->is_https = raw.p[4] == 's';
	if (memcmp(raw.p + 4 + url->is_https, "://", 3) != 0)
		return false;
	buf_clear(&url->text);
	if (!buf_reserve(&url->text, raw.len + AHEAD))
		return false;
	memcpy(url->text.p, raw.p, raw.len);
	memset(url->text.p + raw.len, 0, AHEAD);
	url->text.len = raw.len;
	start = url->text.p;
	host = start + 7 + url->is_https;
	host_end = fast_host(host, &url->host_kind);
	if (host_end == NULL)
		return false;
	path = fast_port(host_end, url);
	if (path == NULL || *path != '/')
		return false;
	end = fast_target(path, &query);
	if (end != start + raw.len)
		return false;
	url->host_at = (uint32_t)(host - start);
	url->host_len = (uint32_t)(host_end - host);
	url->path_at = (uint32_t)(path - start);
	url->path_len = (uint32_t)(query - path);
	return true;
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

static bool
is_scheme(char c, bool is_first)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return true;
	return !is_first && c != '\0' && strchr("0123456789+-.", c) != NULL;
}

/* has_other_scheme(raw): RFC 3986 3.1, to the letter: that a loc "host:8080"
 * has none (SPEC R-43) is for those who forget theirs. */
static bool
has_other_scheme(struct slice raw)
{
	size_t n = 0;

	while (n < raw.len && is_scheme(raw.p[n], n == 0))
		n++;
	if (n == 0 || n == raw.len || raw.p[n] != ':')
		return false;
	raw.len = n;
	return !slice_equal_nocase(raw, slice_of("http")) &&
	    !slice_equal_nocase(raw, slice_of("https"));
}

enum diag_code
url_resolve(struct url *url, struct slice raw, const struct url *base,
    struct diag_sink sink)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	profile.max_loc_chars = URL_MAX_BYTES;
	raw = slice_trim(raw);
	if (has_other_scheme(raw))
		return DIAG_UNSUPPORTED_SCHEME;
	if (url_fast(url, raw, &profile))
		return DIAG_OK;
	return url_slow(url, raw, base, &profile, sink);
}

void
url_copy(struct url *to, const struct url *from)
{
	struct buf text = to->text;
	bool fits;

	*to = *from;
	to->text = text;
	buf_clear(&to->text);
	fits = buf_put_slice(&to->text, buf_text(&from->text));
	assert(fits); /* both have the same ceiling */
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
	size_t len = url->path_at + url->path_len;

	while (url->text.p[len - 1] != '/')
		len--;
	return slice_make(url->text.p, len);
}
