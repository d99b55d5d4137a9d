/* The last commits of the sources of pages. */
#include "crawler/stamp/git_dates.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/url.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/spawn.h"
#include "crawler/stamp/manifest.h"

#define LINE_BYTES 8192 /* longer names have no date */

/* A page that a file of the repository may be the source of. */
struct git_match {
	struct manifest_page *page;
	uint32_t root; /* number of the folder */
	int64_t at_s;
};

struct git_dates {
	struct manifest *manifest;
	struct names paths, roots;
	struct git_match *matches; /* owned */
	size_t count, cap;
};

/* Which pages may the file be the source of? The path is without its extension,
 * and without "/index" if it is one. */
static void
git_dates_look(
    struct git_dates *dates, struct slice path, bool is_index, int64_t at_s)
{
	static const char *const ends[] = {
	    "", "/", ".html", "/index.html", ".htm"};
	struct manifest *manifest = dates->manifest;
	struct buf text = BUF_UP_TO(SIZE_MAX), form = BUF_UP_TO(SIZE_MAX);
	struct url url = {0};

	/* each folder that could be ROOT */
	for (size_t at = 0; at <= path.len; at++) {
		struct slice root = slice_make(path.p, at);
		struct manifest_page *page = NULL;

		if (at == path.len && !is_index)
			break;
		if (at == path.len && at > 0)
			root.len++; /* with its slash */
		else if (at > 0 && path.p[at - 1] != '/')
			continue;
		buf_clear(&text);
		(void)buf_print(&text, "%s%.*s", manifest->site,
		    (int)(path.len - at), path.p + at);
		if (url_parse_raw(&url, buf_text(&text), NULL) != DIAG_OK)
			continue;
		for (size_t i = 0;
		     page == NULL && i < sizeof(ends) / sizeof(ends[0]); i++) {
			buf_clear(&form);
			(void)buf_put_slice(&form, url_text(&url));
			if (buf_text(&form).p[form.len - 1] == '/')
				form.len--;
			(void)buf_print(&form, "%s", ends[i]);
			page = manifest_find(manifest, buf_text(&form));
		}
		if (page == NULL)
			continue;
		*MEM_PUSH(dates->matches, dates->count,
		    dates->cap) = (struct git_match){
		    page, names_put(&dates->roots, root), at_s};
	}
	buf_release(&text);
	buf_release(&form);
	url_release(&url);
}

/* A file of a commit; the newest commit comes first. */
static void
git_dates_file(struct git_dates *dates, struct slice path, int64_t at_s)
{
	static const char *const sources[] = {"md", "mdx", "markdown", "rst",
	    "adoc", "asciidoc", "org", "ipynb", "html", "htm", "njk", "astro",
	    "txt"};
	static const char *const indexes[] = {"index", "_index", "README"};
	const char *folder, *dot = memrchr(path.p, '.', path.len);
	bool is_source = false, is_index = false;
	struct slice name, end;
	char *post;

	/* c#.md is no source of /c */
	if (dot == NULL || strpbrk(path.p, "#?%") != NULL ||
	    names_find(&dates->paths, path) != NAMES_NONE)
		return;
	end = slice_from(path, (size_t)(dot + 1 - path.p));
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		is_source |= slice_is(end, sources[i]);
	(void)names_put(&dates->paths, path);
	/* what is gone is the source of nothing */
	if (!is_source || access(path.p, F_OK) != 0)
		return;
	path.len = (size_t)(dot - path.p);
	name = path;
	for (size_t i = 0; i < path.len; i++)
		if (path.p[i] == '/')
			name = slice_from(path, i + 1);
	for (size_t i = 0; i < sizeof(indexes) / sizeof(indexes[0]); i++)
		is_index |= slice_is(name, indexes[i]);
	if (is_index)
		path.len -= name.len + (path.len > name.len);
	git_dates_look(dates, path, is_index, at_s);
	/* _posts/2026-05-06-b is 2026/05/06/b, and _posts/b is b, too */
	folder = memmem(path.p, path.len, "_posts/", 7);
	if (folder == NULL && (name.len <= 11 || name.p[10] != '-'))
		return;
	post = slice_dup(path);
	if (name.len > 11 && name.p[4] == '-' && name.p[7] == '-' &&
	    name.p[10] == '-')
		for (size_t i = 4; i <= 10; i += 3)
			post[(size_t)(name.p - path.p) + i] = '/';
	if (folder != NULL) {
		path.len -= 7;
		memmove(post + (folder - path.p), post + (folder - path.p) + 7,
		    path.len - (size_t)(folder - path.p));
	}
	git_dates_look(dates, slice_make(post, path.len), false, at_s);
	free(post);
}

int
git_dates(struct manifest *manifest, uint64_t key)
{
	struct git_dates dates = {
	    .manifest = manifest, .paths.key = key, .roots.key = key};
	bool is_shallow = false;
	char line[LINE_BYTES];
	int64_t at_s = 0;
	size_t *votes, dated = 0;
	uint8_t *is_dated; /* by number of the page */
	uint32_t best = 0;
	int status = -1, ends[2];
	FILE *from;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return EXIT_RESOURCES;
	/* of the words that git adds, only its own "grafted" */
	pid = spawn_shell(
	    "exec git -c core.quotePath=off log --no-renames --relative "
	    "--name-only --decorate-refs-exclude='*' --format='%x01%ct %D'",
	    -1, ends[1]);
	(void)close(ends[1]);
	from = fdopen(ends[0], "r");
	while (from != NULL && fgets(line, sizeof(line), from) != NULL) {
		size_t len = strcspn(line, "\n");
		bool is_whole = line[len] == '\n';

		line[len] = '\0';
		if (line[0] == '\x01') {
			at_s = strtoll(line + 1, NULL, 10);
			is_shallow |= strstr(line, " grafted") != NULL;
		} else if (len > 0 && is_whole) {
			git_dates_file(&dates, slice_of(line), at_s);
		}
	}
	if (from != NULL)
		(void)fclose(from);
	if (pid > 0)
		(void)spawn_ended(&pid, 0, &status);
	/* the folder with most sources */
	votes = mem_zero((dates.roots.count + 1) * sizeof(*votes));
	for (size_t i = 0; i < dates.count; i++)
		if (++votes[dates.matches[i].root] > votes[best])
			best = dates.matches[i].root;
	is_dated = mem_zero(manifest->count + 1);
	for (size_t i = dates.count; i-- > 0;)
		if (dates.matches[i].root == best) {
			is_dated[dates.matches[i].page - manifest->pages] = 1;
			dates.matches[i].page->lastmod = (struct date){
			    .epoch_s = dates.matches[i].at_s,
			    .precision = DATE_SECOND,
			    .zone = ZONE_EXPLICIT,
			    .offset = DATE_OFFSET_UTC};
		}
	for (size_t i = 0; i < manifest->count; i++)
		dated += is_dated[i];
	free(is_dated);
	free(votes);
	free(dates.matches);
	names_release(&dates.paths);
	names_release(&dates.roots);
	if (status == 0 && !is_shallow) {
		complain("git: %zu of %zu pages have a source", dated,
		    manifest->count);
		return EXIT_DONE;
	}
	complain("%s",
	    status != 0 ? "'git log' failed: --git needs git, and runs in the "
			  "repository of the sources"
			: "this clone has not the whole history: 'git fetch "
			  "--unshallow', or fetch-depth: 0 in CI");
	return EXIT_USAGE;
}
