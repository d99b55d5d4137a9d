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

/* What a byte may do in a URL that needs no change. */
enum { NAME = 1, TARGET = 2 };

static const unsigned char marks[256] = {['!'] = TARGET,
    ['$'] = TARGET,
    ['%'] = TARGET,
    ['&'] = TARGET,
    ['\''] = TARGET,
    ['('] = TARGET,
    [')'] = TARGET,
    ['*'] = TARGET,
    ['+'] = TARGET,
    [','] = TARGET,
    ['-'] = NAME | TARGET,
    ['.'] = NAME | TARGET,
    ['/'] = TARGET,
    ['0'] = NAME | TARGET,
    ['1'] = NAME | TARGET,
    ['2'] = NAME | TARGET,
    ['3'] = NAME | TARGET,
    ['4'] = NAME | TARGET,
    ['5'] = NAME | TARGET,
    ['6'] = NAME | TARGET,
    ['7'] = NAME | TARGET,
    ['8'] = NAME | TARGET,
    ['9'] = NAME | TARGET,
    [':'] = TARGET,
    [';'] = TARGET,
    ['='] = TARGET,
    ['?'] = TARGET,
    ['@'] = TARGET,
    ['A'] = TARGET,
    ['B'] = TARGET,
    ['C'] = TARGET,
    ['D'] = TARGET,
    ['E'] = TARGET,
    ['F'] = TARGET,
    ['G'] = TARGET,
    ['H'] = TARGET,
    ['I'] = TARGET,
    ['J'] = TARGET,
    ['K'] = TARGET,
    ['L'] = TARGET,
    ['M'] = TARGET,
    ['N'] = TARGET,
    ['O'] = TARGET,
    ['P'] = TARGET,
    ['Q'] = TARGET,
    ['R'] = TARGET,
    ['S'] = TARGET,
    ['T'] = TARGET,
    ['U'] = TARGET,
    ['V'] = TARGET,
    ['W'] = TARGET,
    ['X'] = TARGET,
    ['Y'] = TARGET,
    ['Z'] = TARGET,
    ['['] = TARGET,
    [']'] = TARGET,
    ['_'] = TARGET,
    ['a'] = NAME | TARGET,
    ['b'] = NAME | TARGET,
    ['c'] = NAME | TARGET,
    ['d'] = NAME | TARGET,
    ['e'] = NAME | TARGET,
    ['f'] = NAME | TARGET,
    ['g'] = NAME | TARGET,
    ['h'] = NAME | TARGET,
    ['i'] = NAME | TARGET,
    ['j'] = NAME | TARGET,
    ['k'] = NAME | TARGET,
    ['l'] = NAME | TARGET,
    ['m'] = NAME | TARGET,
    ['n'] = NAME | TARGET,
    ['o'] = NAME | TARGET,
    ['p'] = NAME | TARGET,
    ['q'] = NAME | TARGET,
    ['r'] = NAME | TARGET,
    ['s'] = NAME | TARGET,
    ['t'] = NAME | TARGET,
    ['u'] = NAME | TARGET,
    ['v'] = NAME | TARGET,
    ['w'] = NAME | TARGET,
    ['x'] = NAME | TARGET,
    ['y'] = NAME | TARGET,
    ['z'] = NAME | TARGET,
    ['~'] = TARGET};

static bool
is_upper_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

/* is_settled_escape(p, end): "%XX" in upper case of a byte that has to be
 * escaped, so that it stays. */
static bool
is_settled_escape(const char *p, const char *end)
{
	unsigned value;

	if (end - p < 3 || !is_upper_hex(p[1]) || !is_upper_hex(p[2]))
		return false;
	value = (unsigned)(p[1] <= '9' ? p[1] - '0' : p[1] - 'A' + 10) * 16 +
	    (unsigned)(p[2] <= '9' ? p[2] - '0' : p[2] - 'A' + 10);
	return !url_is_unreserved((unsigned char)value);
}

/*
 * fast_host(p, end): the end of a host that is normal already: lower-case
 * labels, none empty, none "xn--", the last one no number; NULL: not sure.
 */
static const char *
fast_host(const char *p, const char *end)
{
	const char *label = p;

	for (;; p++) {
		if (p < end && (marks[(unsigned char)*p] & NAME) != 0 &&
		    *p != '.')
			continue;
		if (p == label ||
		    (p - label >= 4 && memcmp(label, "xn--", 4) == 0))
			return NULL;
		if (p == end || *p != '.')
			break;
		label = p + 1;
	}
	return *label >= '0' && *label <= '9' ? NULL : p;
}

/* is_normal_target(p, end, *query): path and query that need no change. */
static bool
is_normal_target(const char *p, const char *end, const char **query)
{
	*query = end;
	for (; p < end; p++) {
		if ((marks[(unsigned char)*p] & TARGET) == 0)
			return false;
		switch (*p) {
		case '/':
			if (end - p > 1 && p[1] == '.')
				return false;
			break;
		case '%':
			if (!is_settled_escape(p, end))
				return false;
			break;
		case '&':
			if (end - p >= 5 && memcmp(p, "&amp;", 5) == 0)
				return false;
			break;
		case '?':
			if (*query == end)
				*query = p;
			break;
		}
	}
	return true;
}

bool
url_fast(struct url *url, struct slice raw, const struct profile *profile)
{
	const char *end = raw.p + raw.len;
	const char *host, *path, *query;
	bool is_https;

	if (raw.len < 8 || raw.len > (size_t)profile->max_loc_chars ||
	    memcmp(raw.p, "http", 4) != 0)
		return false;
	is_https = raw.p[4] == 's';
	host = raw.p + 4 + is_https;
	if (memcmp(host, "://", 3) != 0)
		return false;
	host += 3;
	path = fast_host(host, end);
	if (path == NULL || path == end || *path != '/' ||
	    !is_normal_target(path, end, &query))
		return false;
	buf_clear(&url->text);
	if (!buf_put_slice(&url->text, raw))
		return false;
	url->is_https = is_https;
	url->host_kind = HOST_NAME;
	url->host_at = (uint32_t)(host - raw.p);
	url->host_len = (uint32_t)(path - host);
	url->path_at = (uint32_t)(path - raw.p);
	url->path_len = (uint32_t)(query - path);
	url->port = is_https ? 443 : 80;
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

enum diag_code
url_resolve(struct url *url, struct slice raw, const struct url *base,
    struct diag_sink sink)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	profile.max_loc_chars = URL_MAX_BYTES;
	raw = slice_trim(raw);
	if (url_fast(url, raw, &profile))
		return DIAG_OK;
	return url_slow(url, raw, base, &profile, sink);
}

void
url_copy(struct url *to, const struct url *from)
{
	struct buf text = to->text;

	*to = *from;
	to->text = text;
	buf_clear(&to->text);
	if (!buf_put_slice(&to->text, buf_text(&from->text)))
		assert(!"both have the same ceiling");
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
