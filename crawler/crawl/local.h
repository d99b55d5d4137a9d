/*
 * Files instead of servers: what `check` reads before it is published.
 *
 * With a base, every URL of its host is answered from files, whatever its
 * scheme and port, and nothing else is; without one everything is, and nothing
 * is ever asked for.
 */
#ifndef FRESHET_LOCAL_H
#define FRESHET_LOCAL_H

#include <stdbool.h>

#include "base/url.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch.h"

/* Where a file lies that has no URL; never asked for, RFC 2606. */
#define LOCAL_NOWHERE "http://local.invalid/"

struct local;

struct local_options {
	const struct url *base; /* copied; NULL: files have no URLs */
	const char *root; /* the folder of what is below the base */
	bool has_robots; /* without a base: robots.txt there counts */
};

struct local *local_new(struct loop *, const struct local_options *);

/* local_free(local): answers under way are dropped without done. */
void local_free(struct local *);

/* local_has_base(local): do files have URLs, so that location rules apply? */
bool local_has_base(const struct local *);

/* local_takes(local, url): is it answered from files? */
bool local_takes(const struct local *, const struct url *);

/*
 * local_start(local, request, done, arg): as fetch_start: status 200 and the
 * bytes of the file, or 404 and in detail why there are none.  A file is the
 * base's folder's, by the path below it; without a base, the longest end of
 * the path that names a file below the root.  Links are followed as far as they
 * stay below it.
 */
void local_start(
    struct local *, const struct fetch_request *, fetch_done_fn *, void *arg);

/* local_path(local, url, out): the file of a URL that says nothing because
 * there is no base, as people know it; false for all other URLs. */
bool local_path(const struct local *, struct slice url, struct buf *out);

/* local_file(local, url, out): the file of a URL below the base, as people
 * know it; false for all other URLs, and without a base. */
bool local_file(const struct local *, struct slice url, struct buf *out);

/* local_url(local, path, out): the URL of a file by its path; false: it is not
 * below the root. */
bool local_url(const struct local *, const char *path, struct buf *out);

#endif
