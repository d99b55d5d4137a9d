/*
 * Any bytes as a loc: what is accepted is a normal form that stays one, that
 * libcurl reads in the same way, and that the location rules judge by nothing
 * but its bytes.
 *
 *	byte 0: profile, is there a base, is it a Location header
 *	rest:   the value
 */
#include <assert.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "store/location.h"
#include "tests/fuzz/fuzz.h"

#define DOCUMENT "https://a.example/d/s.xml"
#define DIRECTORY "https://a.example/d/"
#define ORIGIN "https://a.example/"

/* Each code comes at most once. */
struct seen {
	bool codes[DIAG_COUNT];
	unsigned count;
};

static void
on_finding(void *arg, enum diag_code code, struct slice text)
{
	struct seen *seen = arg;

	(void)text;
	assert(!seen->codes[code]);
	seen->codes[code] = true;
	seen->count++;
}

static void
check_parts(const struct url *url)
{
	struct slice text = url_text(url);
	struct slice target = url_target(url);
	struct slice host = url_host(url);

	assert(text.len > 0 && text.len <= URL_MAX_BYTES);
	for (size_t i = 0; i < text.len; i++)
		assert(text.p[i] >= 0x21 && text.p[i] <= 0x7e);
	assert(slice_starts(
	    text, slice_of(url->is_https ? "https://" : "http://")));
	assert(host.len > 0 && host.p + host.len <= target.p);
	for (size_t i = 0; i < host.len; i++)
		assert(strchr("/?#@\\%", host.p[i]) == NULL);
	assert(target.len > 0 && target.p[0] == '/');
	assert(url_path(url).len <= target.len);
	assert(memchr(text.p, '#', text.len) == NULL);
	assert(memchr(url_path(url).p, '?', url_path(url).len) == NULL);
	assert(memmem(url_path(url).p, url_path(url).len, "/../", 4) == NULL);
	assert(memmem(url_path(url).p, url_path(url).len, "/./", 3) == NULL);
	assert(slice_starts(text, url_origin(url)));
	assert(slice_starts(text, url_directory(url)));
	assert(url->port != 0);
}

static void
check_same(const struct url *a, const struct url *b)
{
	assert(slice_equal(url_text(a), url_text(b)));
	assert(slice_equal(url_host(a), url_host(b)));
	assert(slice_equal(url_path(a), url_path(b)));
	assert(a->port == b->port && a->is_https == b->is_https);
	assert(a->host_kind == b->host_kind);
}

/* The normal form of a normal form is itself, and nothing is reported, except
 * for "&amp;", which is reported each time. */
static void
check_again(const struct url *url)
{
	struct profile strict = profile_default(PROFILE_STRICT);
	struct seen seen = {0};
	struct url again = {0};
	enum diag_code code;

	strict.max_loc_chars = URL_MAX_BYTES;
	code = url_parse(&again, url_text(url), NULL, &strict,
	    (struct diag_sink){on_finding, &seen});
	assert(code == DIAG_OK);
	assert(seen.count == seen.codes[DIAG_URL_DOUBLE_ESCAPED]);
	check_same(url, &again);
	code = url_slow(
	    &again, url_text(url), NULL, &strict, (struct diag_sink){0});
	assert(code == DIAG_OK);
	check_same(url, &again);
	url_release(&again);
}

/* The fast way may pass a URL on to the slow way, but it may never give
 * another result. */
static void
check_short(struct slice raw, const struct profile *profile)
{
	struct seen seen = {0};
	struct url fast = {0}, slow = {0};
	enum diag_code code;
	bool is_fast;

	is_fast = url_fast(&fast, raw, profile);
	/* Now `fast` knows the origin, or a part of another URL. */
	assert(url_fast(&fast, raw, profile) == is_fast);
	if (is_fast) {
		code = url_slow(&slow, raw, NULL, profile,
		    (struct diag_sink){on_finding, &seen});
		assert(code == DIAG_OK && seen.count == 0);
		assert(slice_equal(raw, url_text(&fast)));
		check_same(&fast, &slow);
	}
	url_release(&fast);
	url_release(&slow);
}

static void
check_part(CURLU *handle, CURLUPart part, struct slice expected, unsigned flags)
{
	char *text = NULL;
	CURLUcode code = curl_url_get(handle, part, &text, flags);

	assert(code == CURLUE_OK || (text == NULL && expected.len == 0));
	assert(slice_equal(slice_of(text), expected));
	curl_free(text);
}

/* The URL that libcurl requests is the URL that the rules judged. */
static void
check_curl(const struct url *url)
{
	CURLU *handle = curl_url();
	struct slice path = url_path(url);
	struct slice query = slice_from(url_target(url), path.len);
	char *text = slice_dup(url_text(url));
	char port[8];
	CURLUcode code;

	assert(handle != NULL);
	code = curl_url_set(handle, CURLUPART_URL, text, CURLU_DISALLOW_USER);
	assert(code == CURLUE_OK);
	check_part(handle, CURLUPART_SCHEME,
	    slice_of(url->is_https ? "https" : "http"), 0);
	check_part(handle, CURLUPART_HOST, url_host(url), 0);
	check_part(handle, CURLUPART_PATH, path, 0);
	/* libcurl takes an empty part for none */
	check_part(handle, CURLUPART_QUERY,
	    query.len > 0 ? slice_from(query, 1) : query, 0);
	(void)snprintf(port, sizeof(port), "%u", url->port);
	check_part(handle, CURLUPART_PORT, slice_of(port), CURLU_DEFAULT_PORT);
	check_part(handle, CURLUPART_USER, slice_of(""), 0);
	check_part(handle, CURLUPART_FRAGMENT, slice_of(""), 0);
	curl_url_cleanup(handle);
	free(text);
}

/* The rules of SPEC section 6 in one line each. */
static void
check_location(const struct url *url, enum profile_name name)
{
	struct profile profile = profile_default(name);
	struct diag_sink none = {0};
	struct location_scope scope;
	struct location_verdict verdict;

	location_scope_init(&scope, &profile);
	enum diag_code code = url_parse(
	    &scope.requested, slice_of(DOCUMENT), NULL, &profile, none);
	assert(code == DIAG_OK);
	url_copy(&scope.final, &scope.requested);
	scope.has_location = true;
	verdict = location_judge(&scope, url, SUBJECT_PAGE);
	bool is_inside = slice_starts(url_text(url), slice_of(DIRECTORY));
	assert(verdict.is_accepted || !is_inside);
	if (name != PROFILE_LENIENT)
		assert(verdict.is_accepted == is_inside);
	verdict = location_judge(&scope, url, SUBJECT_CHILD);
	if (verdict.is_accepted && name == PROFILE_STRICT)
		assert(is_inside);
	if (verdict.is_accepted && name == PROFILE_GOOGLE)
		assert(slice_starts(url_text(url), slice_of(ORIGIN)));
	location_scope_release(&scope);
}

static enum diag_code
parse(struct url *url, struct slice raw, uint8_t how,
    const struct profile *profile)
{
	struct profile google = profile_default(PROFILE_GOOGLE);
	struct diag_sink none = {0};
	struct seen seen = {0};
	struct diag_sink sink = {on_finding, &seen};
	struct url base = {0};
	enum diag_code code;

	if ((how & 12) == 0)
		return url_parse(url, raw, NULL, profile, sink);
	code = url_parse(&base, slice_of("https://a.example/d/e/s.xml?q"), NULL,
	    &google, none);
	assert(code == DIAG_OK);
	if ((how & 8) != 0)
		code = url_resolve(url, raw, &base);
	else
		code = url_parse(url, raw, &base, profile, sink);
	url_release(&base);
	return code;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum profile_name names[] = {
	    PROFILE_STRICT, PROFILE_GOOGLE, PROFILE_LENIENT, PROFILE_GOOGLE};
	struct profile profile;
	struct slice raw;
	struct url url = {0};

	if (size < 1)
		return 0;
	raw = slice_make((const char *)data + 1, size - 1);
	profile = profile_default(names[data[0] & 3]);
	check_short(raw, &profile);
	if (parse(&url, raw, data[0], &profile) == DIAG_OK) {
		check_parts(&url);
		check_again(&url);
		check_curl(&url);
		check_location(&url, names[data[0] & 3]);
	}
	url_release(&url);
	return 0;
}
