/* Files of a folder that nothing lists. */
#include "crawler/report/report_unlisted.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/profile.h"

void
report_unlisted_release(struct report_unlisted *unlisted)
{
	struct unlisted_files *lists[] = {
	    &unlisted->pages, &unlisted->sitemaps, &unlisted->feeds};

	for (size_t n = 0; n < sizeof(lists) / sizeof(lists[0]); n++) {
		for (size_t i = 0; i < lists[n]->count; i++) {
			free(lists[n]->items[i].path);
			free(lists[n]->items[i].url);
		}
		free(lists[n]->items);
	}
	names_release(&unlisted->keys);
	names_release(&unlisted->no_pages);
	url_release(&unlisted->base);
}

/* Cut the end off, if it is there. */
static bool
cut(struct slice *text, const char *end)
{
	if (!slice_ends(*text, slice_of(end)))
		return false;
	text->len -= strlen(end);
	return true;
}

/* What the forms of a page's path have in common. */
static struct slice
unlisted_key_of(struct slice path)
{
	/* Sitemaps may list pages with a query; the file is the same. */
	const char *query = memchr(path.p, '?', path.len);

	if (query != NULL)
		path.len = (size_t)(query - path.p);
	if (!cut(&path, ".html"))
		(void)cut(&path, ".htm");
	(void)cut(&path, "/index");
	(void)cut(&path, "/");
	return path;
}

/* The URL of a page is the one that people link to. */
static void
unlisted_add(
    struct unlisted_files *files, const struct url *url, struct slice path)
{
	struct slice text = url_text(url);

	/* sitemaps list the folder more often than its file */
	if (slice_ends(text, slice_of("/index.html")) ||
	    slice_ends(text, slice_of("/index.htm")))
		text.len = (size_t)((const char *)memrchr(
					text.p, '/', text.len) +
		    1 - text.p);
	files->items = mem_grow(
	    files->items, &files->cap, files->count + 1, sizeof(*files->items));
	files->items[files->count++] = (struct unlisted_file){
	    .path = slice_dup(path), .url = slice_dup(text)};
}

void
report_unlisted_file(
    void *arg, struct slice raw, struct slice path, struct slice head)
{
	struct report_unlisted *unlisted = arg;
	struct profile profile = profile_default(PROFILE_GOOGLE);
	bool is_page = slice_ends(path, slice_of(".html")) ||
	    slice_ends(path, slice_of(".htm"));
	/* the first two are those of sitemaps, the others those of feeds */
	static const char *const roots[] = {
	    "<urlset", "<sitemapindex", "<rss", "<feed", "<rdf:RDF"};
	/* A gzipped file has no beginning that can be read here, so that its
	 * name has to say it. */
	bool is_sitemap = slice_ends(path, slice_of(".xml.gz")) &&
	    memmem(path.p, path.len, "sitemap", strlen("sitemap")) != NULL;
	size_t root = 0, count = sizeof(roots) / sizeof(roots[0]);
	struct url url;

	while (root < count &&
	    (head.len == 0 ||
		memmem(head.p, head.len, roots[root], strlen(roots[root])) ==
		    NULL))
		root++;
	is_sitemap |= root < 2;
	/* Pictures and scripts of a folder are listed nowhere, and need not
	 * be. */
	if (!is_page && !is_sitemap && root == count)
		return;
	url_init(&url);
	/* what is no URL cannot be listed */
	if (url_parse(&url, raw, NULL, &profile, (struct diag_sink){0}) !=
	    DIAG_OK) {
		url_release(&url);
		return;
	}
	if (!is_page) {
		struct unlisted_files *files = is_sitemap ? &unlisted->sitemaps
							  : &unlisted->feeds;

		unlisted_add(files, &url, path);
		files->items[files->count - 1].is_index = root == 1;
		(void)names_put(&unlisted->no_pages, url_path(&url));
	} else {
		struct slice key = unlisted_key_of(url_path(&url));

		/* Whether a server sends the page with an error: its name is a
		 * status such as 404, or 50x. */
		const char *slash = memrchr(key.p, '/', key.len);
		struct slice name = slash == NULL
		    ? key
		    : slice_from(key, (size_t)(slash + 1 - key.p));
		if (!(name.len == 3 && (name.p[0] == '4' || name.p[0] == '5') &&
			isdigit((unsigned char)name.p[1]) != 0 &&
			(isdigit((unsigned char)name.p[2]) != 0 ||
			    name.p[2] == 'x')) &&
		    names_find(&unlisted->keys, key) == NAMES_NONE) {
			(void)names_put(&unlisted->keys, key);
			unlisted_add(&unlisted->pages, &url, path);
		}
	}
	url_release(&url);
}

/* Is the URL one of the host of the base? `path` becomes its path. */
static bool
is_at_base(const struct report_unlisted *unlisted, struct slice url,
    struct slice *path)
{
	struct slice host = url_host(&unlisted->base);
	/* A folder is published under both schemes, more often than not. */
	size_t at = slice_starts(url, slice_of("https://")) ? 8 : 7;
	const char *slash;

	if (url.len < at + host.len ||
	    !slice_equal(slice_make(url.p + at, host.len), host))
		return false;
	slash = memchr(url.p + at, '/', url.len - at);
	if (slash == NULL)
		return false;
	*path = slice_from(url, (size_t)(slash - url.p));
	at += host.len;
	return url.p[at] == '/' || url.p[at] == ':';
}

bool
report_unlisted_is_sitemap(
    const struct report_unlisted *unlisted, struct slice url)
{
	struct slice path;

	return is_at_base(unlisted, url, &path) &&
	    names_find(&unlisted->no_pages, path) != NAMES_NONE;
}

struct unlisted_file *
report_unlisted_find(const struct report_unlisted *unlisted, struct slice url)
{
	uint32_t number = NAMES_NONE;
	struct slice path;

	if (is_at_base(unlisted, url, &path))
		number = names_find(&unlisted->keys, unlisted_key_of(path));
	return number == NAMES_NONE ? NULL : &unlisted->pages.items[number];
}
