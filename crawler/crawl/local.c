/* Files instead of servers. */
#include "crawler/crawl/local.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/mem.h"

#define PIECE 65536

/* An answer that waits for the next round of the loop. */
struct file_answer {
	STAILQ_ENTRY(file_answer) link;
	struct fetch_result result;
	char last_modified[64]; /* may be that of result */
	fetch_done_fn *done;
	void *arg;
};

struct local {
	struct loop *loop;
	struct loop_timer *timer; /* owned; set while answers wait */
	struct url base; /* owned; empty: there is no base */
	bool has_base;
	bool has_robots;
	int root_fd; /* owned; -1: there is no such folder */
	char *root; /* owned, absolute; NULL: there is no such folder */
	/* of root, without a slash at its end: if the folder is "/", its name
	 * is the slash itself */
	size_t root_len;
	/* owned; what stands before the path of a file below the folder, as the
	 * caller wrote the folder; empty for "." */
	char *shown;
	STAILQ_HEAD(, file_answer) answers; /* owned */
};

static void
local_answer_all(void *arg)
{
	struct local *local = arg;
	STAILQ_HEAD(, file_answer) due = STAILQ_HEAD_INITIALIZER(due);
	struct file_answer *answer;

	STAILQ_CONCAT(&due, &local->answers);
	while ((answer = STAILQ_FIRST(&due)) != NULL) {
		STAILQ_REMOVE_HEAD(&due, link);
		answer->done(answer->arg, &answer->result);
		free(answer);
	}
}

struct local *
local_new(struct loop *loop, const struct local_options *options)
{
	struct local *local = mem_zero(sizeof(*local));
	size_t len = strlen(options->root);
	struct buf shown = BUF_UP_TO(SIZE_MAX);

	STAILQ_INIT(&local->answers);
	local->loop = loop;
	local->timer = loop_timer_new(loop, local_answer_all, local);
	local->has_base = options->base != NULL;
	local->has_robots = options->has_robots;
	if (local->has_base)
		url_copy(&local->base, options->base);
	local->root_fd = open(
	    options->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	local->root = realpath(options->root, NULL);
	local->root_len = local->root == NULL ? 0 : strlen(local->root);
	if (local->root_len == 1)
		local->root_len = 0;
	if (len > 0 && strcmp(options->root, ".") != 0)
		(void)buf_print(&shown, "%s%s", options->root,
		    options->root[len - 1] == '/' ? "" : "/");
	local->shown = buf_take(&shown);
	return local;
}

void
local_free(struct local *local)
{
	struct file_answer *answer;

	if (local == NULL)
		return;
	while ((answer = STAILQ_FIRST(&local->answers)) != NULL) {
		STAILQ_REMOVE_HEAD(&local->answers, link);
		free(answer);
	}
	loop_timer_free(local->timer);
	url_release(&local->base);
	if (local->root_fd >= 0)
		(void)close(local->root_fd);
	free(local->root);
	free(local->shown);
	free(local);
}

bool
local_has_base(const struct local *local)
{
	return local->has_base;
}

bool
local_takes(const struct local *local, const struct url *url)
{
	return local != NULL &&
	    (!local->has_base ||
		slice_equal(url_host(url), url_host(&local->base)));
}

/* Append the path without its escapes. Returns false if it would lead out of
 * the folder: a normalised URL has no dot segments, but escaped slashes may
 * hide some.  With is_file also if the path names no file. */
static bool
unescape(struct buf *out, struct slice text, bool is_file)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (c == '%' && text.len - i > 2 &&
		    slice_hex(text.p[i + 1]) >= 0 &&
		    slice_hex(text.p[i + 2]) >= 0) {
			c = (char)(slice_hex(text.p[i + 1]) * 16 +
			    slice_hex(text.p[i + 2]));
			i += 2;
			if (c == '/' || c == '\0')
				return false;
		}
		if (!buf_put_char(out, c))
			return false;
	}
	return !is_file || (out->len > 0 && out->p[out->len - 1] != '/');
}

/* The files may come from a stranger whose change is checked before it is
 * published. So neither links nor ".." lead out of the folder, and only regular
 * files are opened, because opening a FIFO or a device has effects. */

/* Write the path of what the descriptor names; returns its length, -1: none. */
static ssize_t
fd_path(int fd, char path[PATH_MAX])
{
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return readlink(name, path, PATH_MAX);
}

/* A descriptor that only names the file or folder (O_PATH); -1 with errno,
 * which is EXDEV if a link leads out of the folder. */
static int
find_below(int root_fd, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
	    .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	int error = errno;
	char root[PATH_MAX], found[PATH_MAX];
	ssize_t root_len, len;

	/* An absolute link may lead back. ENOSYS and EPERM come from kernels
	 * and containers without the call. */
	if (fd >= 0 || (error != EXDEV && error != ENOSYS && error != EPERM))
		return fd;
	fd = openat(root_fd, path, O_PATH | O_CLOEXEC);
	if (fd < 0) {
		/* Nobody is told what there is outside of the folder. */
		if (error == EXDEV)
			errno = EXDEV;
		return -1;
	}
	root_len = fd_path(root_fd, root);
	len = fd_path(fd, found);
	if (root_len == 1)
		root_len = 0; /* "/" */
	if (root_len >= 0 && len > root_len &&
	    memcmp(root, found, (size_t)root_len) == 0 &&
	    found[root_len] == '/')
		return fd;
	(void)close(fd);
	errno = EXDEV;
	return -1;
}

static int
open_regular(int root_fd, const char *path)
{
	int fd = find_below(root_fd, path);
	char name[64];
	struct stat st;
	int opened = -1, error;

	if (fd < 0)
		return -1;
	error = ENOENT;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		opened = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		error = errno;
	}
	(void)close(fd);
	errno = error;
	return opened;
}

int
local_open_below(const char *folder, const char *name)
{
	int root_fd = open(
	    folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd = root_fd < 0 ? -1 : open_regular(root_fd, name);
	int error = errno;

	if (root_fd >= 0)
		(void)close(root_fd);
	errno = error;
	return fd;
}

/* Open the file of the URL; -1 with errno. `path` becomes the path for
 * messages. `page`, which is NULL if the URL is that of a document, tells how
 * the file of a page was found. */
static int
open_url(const struct local *local, const struct url *url,
    enum local_page *page, struct buf *path)
{
	/* The path up to its last slash. */
	struct slice folder = local->has_base
	    ? slice_from(
		  url_directory(&local->base), url_origin(&local->base).len)
	    : slice_make("/", 1);
	struct slice rest;
	const char *end;
	int fd = -1;

	errno = ENOENT;
	if (!local->has_base && slice_is(url_path(url), "/robots.txt") &&
	    !(local->has_robots &&
		slice_starts(url_text(url), slice_of(LOCAL_NOWHERE))))
		return -1;
	if (!slice_starts(url_path(url), folder))
		return -1;
	rest = slice_from(url_path(url), folder.len);
	if (page != NULL)
		*page = LOCAL_ABSENT;
	if (!unescape(path, rest, page == NULL))
		return -1;
	/* A doubled slash would make the path absolute. */
	if (buf_str(path)[0] == '/')
		return -1;
	if (page != NULL) {
		/* As static servers find it: a folder is its index.html, and
		 * the end ".html" may be missing. */
		static const char *const ends[] = {
		    "", ".html", "/index.html", "/index.htm"};
		static const enum local_page found[] = {LOCAL_THERE,
		    LOCAL_WITH_HTML, LOCAL_WITH_SLASH, LOCAL_WITH_SLASH};
		bool is_folder = path->len == 0 ||
		    path->p[path->len - 1] == '/';
		struct buf name = BUF_UP_TO(SIZE_MAX);

		/* a file that may not be read, or not now, is there */
		for (size_t i = is_folder ? 2 : 0; fd < 0 && errno != EACCES &&
		     errno != EMFILE && errno != ENFILE && i < LENGTH(ends);
		     i++) {
			buf_clear(&name);
			(void)buf_print(
			    &name, "%s%s", buf_str(path), ends[i] + is_folder);
			fd = open_regular(local->root_fd, buf_str(&name));
			if (fd >= 0 || errno == EACCES)
				*page = is_folder ? LOCAL_THERE : found[i];
		}
		buf_release(&name);
		return fd;
	}
	/* Without a base, the longest end of the path that names a file. */
	end = buf_str(path);
	fd = open_regular(local->root_fd, end);
	while (!local->has_base && fd < 0 && (end = strchr(end, '/')) != NULL) {
		while (*end == '/')
			end++;
		fd = *end == '\0' ? -1 : open_regular(local->root_fd, end);
	}
	return fd;
}

void
local_start(struct local *local, const struct fetch_request *request,
    fetch_done_fn *done, void *arg)
{
	struct file_answer *answer = mem_zero(sizeof(*answer));
	struct slice name = url_path(request->url);
	enum local_page page = LOCAL_ELSEWHERE;
	struct buf path = BUF_UP_TO(PATH_MAX);
	int fd;

	answer->done = done;
	answer->arg = arg;
	answer->result.retry_after_s = answer->result.max_age_s = -1;
	answer->result.answered_ms = loop_now_ms(local->loop);
	/* Without a base, readers see no URL, so the Content-Type tells what
	 * the name of the file tells. */
	if (!local->has_base && name.len >= 3 &&
	    slice_is(slice_from(name, name.len - 3), ".gz"))
		answer->result.content_type = "application/gzip";
	fd = open_url(
	    local, request->url, request->is_page ? &page : NULL, &path);
	if (fd >= 0) {
		/* Copy the bytes of the file to the spool of the request. */
		char *piece = mem_alloc(PIECE);
		struct stat st;
		ssize_t n;

		answer->result.status = 200;
		/* A server says when the file was written. */
		if (fstat(fd, &st) == 0 && civil_is_writable(st.st_mtime)) {
			static const char days[] = "ThuFriSatSunMonTueWed";
			struct civil at = civil_of(st.st_mtime);
			int64_t day = st.st_mtime / DAY_S % 7;

			(void)snprintf(answer->last_modified,
			    sizeof(answer->last_modified),
			    "%.3s, %02d %s %04d %02d:%02d:%02d GMT",
			    days + 3 * (day < 0 ? 0 : day), at.day,
			    civil_months[at.month - 1], (int)at.year, at.hour,
			    at.minute, at.second);
			answer->result.last_modified = answer->last_modified;
		}
		while (answer->result.code == DIAG_OK &&
		    (n = read(fd, piece, PIECE)) != 0) {
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0) {
				answer->result.code = DIAG_FETCH_NETWORK_ERROR;
				(void)snprintf(answer->result.detail,
				    sizeof(answer->result.detail),
				    "the file cannot be read");
				break;
			}
			/* The bytes up to the limit are kept: a robots.txt that
			 * is too large is read up to its limit (SPEC R-99). */
			uint64_t room = request->max_bytes -
			    answer->result.wire_bytes;
			size_t fits = (uint64_t)n < room ? (size_t)n
							 : (size_t)room;

			answer->result.wire_bytes += (uint64_t)n;
			answer->result.code = spool_write(
			    request->spool, slice_make(piece, fits));
			if (answer->result.code == DIAG_OK && fits < (size_t)n)
				answer->result.code = DIAG_BODY_TOO_BIG;
		}
		free(piece);

		(void)close(fd);
	} else {
		const char *why = "the file cannot be opened";

		if (errno == ENOENT || errno == ENOTDIR)
			why = "no such file below the folder";
		else if (errno == EXDEV || errno == ELOOP)
			why = "a link that leads out of the folder";
		answer->result.status = 404;
		(void)snprintf(answer->result.detail,
		    sizeof(answer->result.detail), "%s", why);
	}
	buf_release(&path);
	STAILQ_INSERT_TAIL(&local->answers, answer, link);
	loop_timer_set(local->timer, 0);
}

enum local_page
local_page(const struct local *local, struct slice text)
{
	enum local_page page = LOCAL_ELSEWHERE;
	struct buf path = BUF_UP_TO(PATH_MAX);
	struct url url = {0};
	int fd = -1;

	if (local->has_base && url_parse_raw(&url, text, NULL) == DIAG_OK &&
	    local_takes(local, &url))
		fd = open_url(local, &url, &page, &path);
	if (fd >= 0)
		(void)close(fd);
	buf_release(&path);
	url_release(&url);
	return page;
}

int
local_open_page(
    const struct local *local, const struct url *url, uint64_t *size)
{
	enum local_page page = LOCAL_ELSEWHERE;
	struct buf path = BUF_UP_TO(PATH_MAX);
	struct stat st;
	int fd = -1;

	errno = ENOENT;
	if (local_takes(local, url))
		fd = open_url(local, url, &page, &path);
	if (fd >= 0 && fstat(fd, &st) == 0)
		*size = (uint64_t)st.st_size;
	if (fd >= 0 && page == LOCAL_THERE &&
	    strchr(basename(buf_str(&path)), '.') != NULL &&
	    !slice_ends(buf_text(&path), slice_of(".html")) &&
	    !slice_ends(buf_text(&path), slice_of(".xhtml")) &&
	    !slice_ends(buf_text(&path), slice_of(".htm"))) {
		(void)close(fd);
		fd = -1;
	}
	buf_release(&path);
	return fd;
}

/* From files to URLs. */

/* Append the URL of a file whose path below the folder is given. */
static void
local_put_url(const struct local *local, const char *below, struct buf *out)
{
	if (local->has_base) {
		(void)buf_put_slice(out, url_directory(&local->base));
	} else {
		(void)buf_print(out, "%s", LOCAL_NOWHERE);
	}
	/* Append a path as a URL has it. */
	const char *path = below;

	for (; *path != '\0'; path++)
		if (strchr("%?#\\", *path) != NULL)
			(void)buf_print(out, "%%%02X", (unsigned char)*path);
		else
			(void)buf_put_char(out, *path);
}

bool
local_url(const struct local *local, const char *path, struct buf *out)
{
	char *real = realpath(path, NULL);
	size_t len = local->root_len;
	bool is_below = real != NULL && local->root != NULL &&
	    strncmp(real, local->root, len) == 0 && real[len] == '/';

	if (is_below)
		local_put_url(local, real + len + 1, out);
	free(real);
	return is_below;
}

bool
local_path(const struct local *local, struct slice url, struct buf *out)
{
	struct slice nowhere = slice_of(LOCAL_NOWHERE);

	if (local == NULL || local->has_base || !slice_starts(url, nowhere))
		return false;
	(void)buf_print(out, "%s", local->shown);
	return unescape(out, slice_from(url, nowhere.len), true);
}

bool
local_file(const struct local *local, struct slice url, struct buf *out)
{
	struct slice folder, scheme;

	if (local == NULL || !local->has_base)
		return false;
	/* the files are published under both schemes (local_takes()) */
	folder = url_directory(&local->base);
	if (!slice_cut(&folder, ':', &scheme) ||
	    !slice_cut(&url, ':', &scheme) || !slice_starts(url, folder))
		return false;
	url = slice_from(url, folder.len);
	for (size_t i = 0; i < url.len; i++)
		if (url.p[i] == '?')
			url.len = i;
	(void)buf_print(out, "%s", local->shown);
	return unescape(out, url, true);
}

#define HEAD_BYTES 4096

static int
by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

void
local_walk(const struct local *local, local_file_fn *each, void *arg,
    struct buf *denied)
{
	char *const roots[] = {local->root, NULL};
	struct buf url = BUF_UP_TO(SIZE_MAX), path = BUF_UP_TO(SIZE_MAX);
	char bytes[HEAD_BYTES];
	size_t count = 0;
	FTSENT *entry;
	FTS *tree;

	if (local->root == NULL)
		return;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	while (tree != NULL && count < LOCAL_WALK_MAX &&
	    (entry = fts_read(tree)) != NULL) {
		if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
			(void)fts_set(tree, entry, FTS_SKIP);
		} else if (entry->fts_info == FTS_DNR) {
			buf_clear(denied);
			(void)buf_print(denied, "%s", entry->fts_path);
		} else if (entry->fts_info == FTS_F) {
			count++;
			const char *below = entry->fts_path + local->root_len +
			    1;
			ssize_t head = 0;
			int fd = -1;

			errno = 0;
			/* The beginning of the file shows what it is. */
			if (slice_ends(slice_of(below), slice_of(".xml")) ||
			    slice_ends(slice_of(below), slice_of(".rss")) ||
			    slice_ends(slice_of(below), slice_of(".atom")))
				fd = open_regular(local->root_fd, below);
			if (errno == EACCES) {
				buf_clear(denied);
				(void)buf_print(denied, "%s", entry->fts_path);
			}
			do {
				if (fd >= 0)
					head = read(fd, bytes, sizeof(bytes));
			} while (head < 0 && errno == EINTR);
			if (fd >= 0)
				(void)close(fd);
			buf_clear(&url);
			buf_clear(&path);
			local_put_url(local, below, &url);
			(void)buf_print(&path, "%s%s", local->shown, below);
			each(arg, buf_text(&url), buf_text(&path),
			    slice_make(bytes, head > 0 ? (size_t)head : 0));
		}
	}
	if (tree != NULL)
		(void)fts_close(tree);
	buf_release(&url);
	buf_release(&path);
}
