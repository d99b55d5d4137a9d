/* What a TARGET on the command line means. */
#include "base/target.h"

#include <string.h>

#include "base/buf.h"
#include "base/profile.h"

const char *const target_places[TARGET_PLACES] = {"/sitemap_index.xml",
    "/sitemap.xml", "/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.txt",
    "/sitemap.xml.gz", "/?sitemap=index", "/doku.php?do=sitemap"};

/* Bits, by the order of the places. */
enum target_place {
	PLACE_INDEX = 1 << 2,
	PLACE_WORDPRESS = 1 << 3,
	PLACE_LIST = 1 << 4,
	PLACE_GZIP = 1 << 5,
	PLACE_QUERY = 1 << 6,
	PLACE_DOKUWIKI = 1 << 7
};

unsigned
target_places_for(struct slice generator)
{
	/* What each writes by default, as it was seen. */
	static const struct {
		const char *begin; /* of the content of <meta name=generator> */
		unsigned places;
	} rows[] = {{"WordPress", PLACE_WORDPRESS | PLACE_QUERY},
	    {"DokuWiki", PLACE_DOKUWIKI}, {"Astro", PLACE_INDEX},
	    {"Starlight", PLACE_INDEX}, {"Gatsby", PLACE_INDEX},
	    {"mkdocs", PLACE_GZIP}, {"Hexo", PLACE_LIST}};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		if (slice_starts_nocase(generator, slice_of(rows[i].begin)))
			return rows[i].places;
	}
	return PLACE_INDEX | PLACE_WORDPRESS | PLACE_LIST;
}

enum diag_code
target_parse(struct target *target, struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink nowhere = {0};
	struct buf made = BUF_UP_TO(URL_MAX_BYTES);
	enum diag_code code;

	*target = (struct target){.kind = TARGET_DOCUMENT};
	code = url_parse(&target->url, text, NULL, &profile, nowhere);
	text = slice_trim(text);
	if (code == DIAG_RELATIVE_URL && text.len > 0 && text.p[0] != '/') {
		if (!buf_put_slice(&made, slice_of("https://")) ||
		    !buf_put_slice(&made, text)) {
			buf_release(&made);
			return DIAG_URL_TOO_LONG;
		}
		code = url_parse(
		    &target->url, buf_text(&made), NULL, &profile, nowhere);
		target->has_no_scheme = true;
		buf_release(&made);
	}
	if (code != DIAG_OK)
		return code;
	if (slice_is(url_target(&target->url), "/"))
		target->kind = TARGET_SITE;
	else if (slice_is(url_target(&target->url), "/robots.txt"))
		target->kind = TARGET_ROBOTS;
	return DIAG_OK;
}

bool
target_is_path(struct slice text)
{
	static const char *const endings[] = {
	    ".xml", ".gz", ".txt", ".rss", ".atom"};
	const char *slash;
	struct slice first;
	bool is_file = false;

	text = slice_trim(text);
	/* some compilers cannot tell that only an empty text is at NULL */
	if (text.p == NULL || text.len == 0 ||
	    memmem(text.p, text.len, "://", 3) != NULL)
		return false;
	slash = memchr(text.p, '/', text.len);
	first = slice_make(
	    text.p, slash == NULL ? text.len : (size_t)(slash - text.p));
	/* no name of a host ends like this */
	for (size_t i = 0; i < LENGTH(endings); i++)
		is_file |= slice_ends_nocase(first, slice_of(endings[i]));
	if (is_file || first.len == 0 || slice_is(first, ".") ||
	    slice_is(first, "..") || first.p[0] == '~')
		return true;
	/* a host has a dot, a port or brackets, or is localhost */
	return slash != NULL && memchr(first.p, '.', first.len) == NULL &&
	    memchr(first.p, ':', first.len) == NULL &&
	    !slice_equal_nocase(first, slice_of("localhost"));
}

struct slice
target_text(const struct target *target)
{
	const struct url *url = &target->url;

	return target->has_no_scheme ? slice_make(url->text.p + url->host_at,
					   url->path_at - url->host_at)
				     : url_text(url);
}
