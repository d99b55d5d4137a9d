/* Files of a folder that nothing lists. */
#include "crawler/report/report_unlisted.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/profile.h"

void
report_unlisted_init(struct report_unlisted *unlisted, const struct url *base,
    const struct local *local, uint64_t key)
{
	*unlisted = (struct report_unlisted){.local = local,
	    .keys.key = key,
	    .no_pages.key = key,
	    .documents.key = key};
	url_copy(&unlisted->base, base);
}

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
	names_release(&unlisted->documents);
	buf_release(&unlisted->key);
	url_release(&unlisted->base);
}

static bool
cut(struct slice *text, const char *end)
{
	if (!slice_ends(*text, slice_of(end)))
		return false;
	text->len -= strlen(end);
	return true;
}

/* What the forms of a page's path have in common; borrowed until the next. */
static struct slice
unlisted_key_of(struct report_unlisted *unlisted, struct slice path)
{
	/* Sitemaps may list pages with a query; the file is the same. */
	const char *query = memchr(path.p, '?', path.len);
	struct buf *key = &unlisted->key;
	struct slice form;

	if (query != NULL)
		path.len = (size_t)(query - path.p);
	/* "%26" and "&" are one file. */
	buf_clear(key);
	const char *escape = memchr(path.p, '%', path.len);
	size_t plain = escape == NULL ? path.len : (size_t)(escape - path.p);

	(void)buf_put(key, path.p, plain);
	for (size_t i = plain; i < path.len; i++) {
		char c = path.p[i];

		if (c == '%' && path.len - i > 2 &&
		    slice_hex(path.p[i + 1]) >= 0 &&
		    slice_hex(path.p[i + 2]) >= 0) {
			c = (char)(slice_hex(path.p[i + 1]) * 16 +
			    slice_hex(path.p[i + 2]));
			i += 2;
		}
		(void)buf_put_char(key, c);
	}
	form = buf_text(key);
	if (!cut(&form, ".html"))
		(void)cut(&form, ".htm");
	(void)cut(&form, "/index");
	(void)cut(&form, "/");
	return form;
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
	*MEM_PUSH(
	    files->items, files->count, files->cap) = (struct unlisted_file){
	    .path = slice_dup(path), .url = slice_dup(text)};
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

struct unlisted_file *
report_unlisted_next(struct report_unlisted *unlisted)
{
	struct unlisted_files *files = &unlisted->feeds;
	bool has_index = false;
	struct unlisted_file *first = NULL;

	for (size_t i = 0; i < unlisted->sitemaps.count; i++) {
		has_index |= unlisted->sitemaps.items[i].is_index;
		if (!unlisted->sitemaps.items[i].is_unsure)
			files = &unlisted->sitemaps;
	}
	for (size_t i = 0; i < files->count; i++) {
		struct unlisted_file *file = &files->items[i];
		struct slice path = slice_from(
		    slice_of(file->url), url_origin(&unlisted->base).len);

		/* its plain copy is read */
		if (file->is_unsure ||
		    (cut(&path, ".gz") &&
			names_find(&unlisted->documents, path) != NAMES_NONE))
			continue;
		if (files == &unlisted->feeds) {
			/* Feeds repeat each other: one is read. */
			if (file->is_found)
				return NULL;
			if (first == NULL || file->rank < first->rank ||
			    (file->rank == first->rank &&
				strlen(file->url) < strlen(first->url)))
				first = file;
		} else if (!file->is_found && file->is_index == has_index &&
		    first == NULL) {
			first = file;
		}
	}
	if (first != NULL)
		first->is_found = true;
	return first;
}

bool
report_unlisted_is_sitemap(
    const struct report_unlisted *unlisted, struct slice url)
{
	struct slice path;

	return unlisted->no_pages.count > 0 &&
	    is_at_base(unlisted, url, &path) &&
	    names_find(&unlisted->no_pages, path) != NAMES_NONE;
}

bool
report_status_name(struct slice name)
{
	return slice_is(name, "_error") || slice_is(name, "_not-found") ||
	    (name.len == 3 && (name.p[0] == '4' || name.p[0] == '5') &&
		isdigit((unsigned char)name.p[1]) != 0 &&
		(isdigit((unsigned char)name.p[2]) != 0 || name.p[2] == 'x'));
}

/* Is a page with that name, without ".html", not meant for readers? */
static bool
unlisted_is_for_machines(struct slice name)
{

	/* files by which an owner proves to others who he is */
	static const char *const proofs[] = {"yandex_", "pinterest-", "naver",
	    "baidu_verify_", "mailru-verification", "wmail_", "zohoverify",
	    "verifyforzoho", "sogousiteverification", "seznam-wmt-", "ahrefs_",
	    "nortonsw_"};
	struct slice google = slice_of("google");
	size_t hex = google.len;

	if (slice_is(name, "200") || slice_is(name, "offline"))
		return true;
	/* a proof has a long token in its name, and no other word */
	for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++) {
		struct slice rest = slice_of(proofs[i]);
		size_t digits = 0;

		if (!slice_starts(name, rest))
			continue;
		rest = slice_from(name, rest.len);
		for (size_t k = 0; k < rest.len; k++)
			digits += isdigit((unsigned char)rest.p[k]) != 0;
		if (digits >= 2 || rest.len == 0 ||
		    strstr(proofs[i], "verif") != NULL)
			return true;
	}
	while (slice_starts(name, google) && hex < name.len &&
	    slice_hex(name.p[hex]) >= 0)
		hex++;
	return report_status_name(name) ||
	    (hex == name.len && hex >= google.len + 8);
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
	bool is_sitemap = slice_ends(path, slice_of(".xml.gz"));
	size_t root = 0, count = sizeof(roots) / sizeof(roots[0]);
	struct url url = {0};

	while (root < count &&
	    (head.len == 0 ||
		memmem(head.p, head.len, roots[root], strlen(roots[root])) ==
		    NULL))
		root++;
	is_sitemap |= root < 2;
	/* Pictures and scripts of a folder are listed nowhere, and need not
	 * be; what is no URL cannot be listed. */
	if ((!is_page && !is_sitemap && !slice_ends(path, slice_of(".xml")) &&
		root == count) ||
	    url_parse(&url, raw, NULL, &profile, (struct diag_sink){0}) !=
		DIAG_OK) {
		url_release(&url);
		return;
	}
	if (slice_ends(path, slice_of(".xml")))
		(void)names_put(&unlisted->documents, url_path(&url));
	if (!is_page && (is_sitemap || root < count)) {
		struct unlisted_files *files = is_sitemap ? &unlisted->sitemaps
							  : &unlisted->feeds;
		struct unlisted_file *file;

		unlisted_add(files, &url, path);
		file = &files->items[files->count - 1];
		file->is_index = root == 1;
		file->is_unsure = root == count &&
		    strstr(file->url, "sitemap") == NULL;
		/* That of the folder itself rather than that of a part, and
		 * Atom rather than RSS, which dates by the publication. */
		for (const char *p = file->url; *p != '\0'; p++)
			file->rank += *p == '/' ? 4 : 0;
		file->rank += strstr(file->url, "/all.") == NULL ? 2 : 0;
		file->rank += root != 3;
		if (!file->is_unsure)
			(void)names_put(&unlisted->no_pages, url_path(&url));
	} else if (is_page && unlisted->pages.count < unlisted->most) {
		struct slice key = unlisted_key_of(unlisted, url_path(&url));
		const char *slash = memrchr(key.p, '/', key.len);
		struct slice name = slash == NULL
		    ? key
		    : slice_from(key, (size_t)(slash + 1 - key.p));

		struct slice below = slice_from(url_path(&url),
		    url_directory(&unlisted->base).len -
			url_origin(&unlisted->base).len - 1);
		struct slice part = key;

		/* A list goes on in /page/2, /page2 or /page-2. */
		while (part.len > 0 &&
		    isdigit((unsigned char)part.p[part.len - 1]) != 0)
			part.len--;
		if (part.len < key.len && !cut(&part, "/"))
			(void)cut(&part, "-");
		/* Generators keep parts of pages in /_name/. */
		if ((part.len == key.len ||
			!slice_ends(part, slice_of("/page"))) &&
		    memmem(below.p, below.len, "/_", 2) == NULL &&
		    !unlisted_is_for_machines(name) &&
		    names_find(&unlisted->keys, key) == NAMES_NONE) {
			(void)names_put(&unlisted->keys, key);
			unlisted_add(&unlisted->pages, &url, path);
		}
	}
	url_release(&url);
}

struct unlisted_file *
report_unlisted_find(struct report_unlisted *unlisted, struct slice url)
{
	uint32_t number = NAMES_NONE;
	struct slice path;

	if (unlisted->pages.count > 0 && is_at_base(unlisted, url, &path))
		number = names_find(
		    &unlisted->keys, unlisted_key_of(unlisted, path));
	return number == NAMES_NONE ? NULL : &unlisted->pages.items[number];
}
