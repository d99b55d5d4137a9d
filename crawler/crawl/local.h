/*
 * Files instead of servers: what `check` reads before it is published.
 *
 * With a base, every URL of the host of the base is answered from files,
 * whatever its scheme and port, and no other URL is. Without a base, every URL
 * is answered from files, and no request goes to a server.
 */
#ifndef FRESHET_LOCAL_H
#define FRESHET_LOCAL_H

#include <stdbool.h>

#include "base/url.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch.h"

/* Files without a URL get one below this URL; no server has that name (RFC
 * 2606). */
#define LOCAL_NOWHERE "http://local.invalid/"

struct local;

struct local_options {
	const struct url *base; /* copied; NULL: files have no URLs */
	const char *root; /* the folder of the files below the base */
	bool has_robots; /* without a base: a robots.txt in the folder counts */
};

struct local *local_new(struct loop *, const struct local_options *);

/* local_free(local): drop pending answers; `done` is not called for them. */
void local_free(struct local *);

/* local_has_base(local): do files have URLs, so that location rules apply? */
bool local_has_base(const struct local *);

/* local_takes(local, url): is the URL answered from files? False if local is
 * NULL. */
bool local_takes(const struct local *, const struct url *);

/* local_start(local, request, done, arg): as fetch_start(). The answer has
 * status 200, the bytes of the file and its time as Last-Modified, or status
 * 404 and the reason in `detail`. With a base, the file is found in the folder
 * by the path below the base; without one, the longest end of the path that
 * names a file below the folder counts. For a page with a base, index.html and
 * the end ".html" may be missing in the URL. Links are followed as long as they
 * stay below the folder. */
void local_start(
    struct local *, const struct fetch_request *, fetch_done_fn *, void *arg);

/* How a plain server finds the file of a page. */
enum local_page {
	LOCAL_ELSEWHERE, /* the URL is not below the base */
	LOCAL_ABSENT, /* there is no such file */
	LOCAL_THERE,
	LOCAL_WITH_HTML, /* only if it adds the end ".html" */
	LOCAL_WITH_SLASH /* only if it redirects to the folder of that name */
};

/* local_page(local, url): is the page of that normalised URL among the files?
 * LOCAL_ELSEWHERE without a base. */
enum local_page local_page(const struct local *, struct slice url);

/* local_open_page(local, url, size): open the file of a page, as local_start()
 * finds it; -1 with errno, also if its name has the end of another kind. */
int local_open_page(const struct local *, const struct url *, uint64_t *size);

/* local_path(local, url, out): append the name, as the user wrote it, of the
 * file of a URL below LOCAL_NOWHERE; false for other URLs. */
bool local_path(const struct local *, struct slice url, struct buf *out);

/* local_file(local, url, out): append the name, as the user wrote it, of the
 * file of a URL below the base, under any scheme; false for other URLs, and
 * without a base. */
bool local_file(const struct local *, struct slice url, struct buf *out);

/* local_open_below(folder, name): open a regular file for reading, unless a
 * link leads to it out of the folder, or the folder is a link; -1 with errno.
 */
int local_open_below(const char *folder, const char *name);

/* local_walk(local, each, arg): call each for the regular files below the
 * folder, in the order of their names, LOCAL_WALK_MAX at most. Names that begin
 * with a dot, and what is below such folders, are passed over, and no link is
 * followed. `url` is not normalised; `path` is the name as the user would write
 * it. For a name that ends in ".xml", ".rss" or ".atom", `head` is the
 * beginning of the file. The texts are borrowed until each returns. `denied`
 * becomes the name of a folder or of such a file that may not be read. */
typedef void local_file_fn(
    void *arg, struct slice url, struct slice path, struct slice head);
void local_walk(
    const struct local *, local_file_fn *each, void *arg, struct buf *denied);

#define LOCAL_WALK_MAX 1000000

/* local_url(local, path, out): append the URL of a file; false: the file is
 * not below the folder. */
bool local_url(const struct local *, const char *path, struct buf *out);

#endif
