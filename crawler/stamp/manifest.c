/* The manifest: read, written, compared. */
#include "crawler/stamp/manifest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"

#define FIRST_LINE "freshet manifest "
#define VERSION "1"
#define FLUSH_BYTES 65536
#define DIGEST_HEX (2 * sizeof(struct digest))
#define DAMAGED                                                            \
	"the manifest '%s' is damaged at line %zu: take that of the last " \
	"published state, or delete it and begin anew with --init"

void
manifest_init(struct manifest *manifest)
{
	*manifest = (struct manifest){0};
}

void
manifest_release(struct manifest *manifest)
{
	buf_release(&manifest->text);
	free(manifest->pages);
	free(manifest->site);
	*manifest = (struct manifest){0};
}

struct slice
manifest_url(const struct manifest *manifest, const struct manifest_page *page)
{
	return slice_make(manifest->text.p + page->at, page->len);
}

struct manifest_page *
manifest_add(struct manifest *manifest, struct slice url)
{
	struct manifest_page *page = MEM_PUSH(
	    manifest->pages, manifest->count, manifest->cap);

	*page = (struct manifest_page){
	    .at = (uint32_t)manifest->text.len, .len = (uint16_t)url.len};
	(void)buf_put_slice(&manifest->text, url);
	return page;
}

static int
manifest_page_order(const void *a, const void *b, void *arg)
{
	const struct manifest *manifest = arg;
	const struct manifest_page *x = a;
	const struct manifest_page *y = b;
	int order = slice_order(
	    manifest_url(manifest, x), manifest_url(manifest, y));

	/* of equal ones, the one that was added first */
	return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

void
manifest_sort(struct manifest *manifest)
{
	struct manifest_page *pages = manifest->pages;
	size_t kept = 0;

	if (manifest->count > 0)
		qsort_r(pages, manifest->count, sizeof(*pages),
		    manifest_page_order, manifest);
	for (size_t i = 0; i < manifest->count; i++)
		if (kept == 0 ||
		    !slice_equal(manifest_url(manifest, &pages[kept - 1]),
			manifest_url(manifest, &pages[i])))
			pages[kept++] = pages[i];
	manifest->count = kept;
}

struct manifest_page *
manifest_find(const struct manifest *manifest, struct slice url)
{
	size_t from = 0, to = manifest->count;

	while (from < to) {
		size_t at = from + (to - from) / 2;
		struct manifest_page *page = &manifest->pages[at];
		int order = slice_order(url, manifest_url(manifest, page));

		if (order == 0)
			return page;
		if (order < 0)
			to = at;
		else
			from = at + 1;
	}
	return NULL;
}

/* The file. */

static void
put_digest(struct buf *out, const struct digest *digest)
{
	for (size_t i = 0; i < sizeof(digest->bytes); i++)
		(void)buf_print(out, "%02x", digest->bytes[i]);
}

static bool
read_digest(struct digest *digest, struct slice text)
{
	if (text.len != DIGEST_HEX)
		return false;
	for (size_t i = 0; i < text.len; i += 2) {
		int high = slice_hex(text.p[i]);
		int low = slice_hex(text.p[i + 1]);

		if (high < 0 || low < 0)
			return false;
		digest->bytes[i / 2] = (uint8_t)(high * 16 + low);
	}
	return true;
}

/* manifest_line(file, line): the next line, without its end. */
static bool
manifest_line(struct manifest_file *file, struct slice *line)
{
	ssize_t len = getline(&file->line, &file->cap, file->file);

	file->number++;
	if (len <= 0 || file->line[len - 1] != '\n')
		return false;
	/* git may have given the file the line ends of Windows */
	*line = slice_make(file->line, (size_t)len - 1);
	if (slice_ends(*line, slice_of("\r")))
		line->len--;
	if (!slice_starts(*line, slice_of("end "))) {
		digester_feed(file->digester, *line);
		digester_feed(file->digester, slice_of("\n"));
	}
	return true;
}

int
manifest_open(struct manifest_file *file, const char *path, const char *site,
    bool may_lack)
{
	struct slice line, word;
	struct date at;

	*file = (struct manifest_file){.path = path};
	file->file = fopen(path, "re");
	if (file->file == NULL && errno == ENOENT && may_lack)
		return EXIT_DONE;
	if (file->file == NULL) {
		complain("cannot read the manifest '%s': %s%s", path,
		    strerrordesc_np(errno),
		    errno == ENOENT ? "; a run needs that of the run before "
				      "it, and --init makes the first one"
				    : "");
		return EXIT_USAGE;
	}
	file->digester = digester_new();
	if (!manifest_line(file, &line) ||
	    !slice_starts(line, slice_of(FIRST_LINE)))
		complain("'%s' is no manifest of freshet", path);
	else if (!slice_is(line, FIRST_LINE VERSION))
		complain("'%s' is from a newer version of freshet", path);
	/* site URL TIME */
	else if (!manifest_line(file, &line) || !slice_cut(&line, ' ', &word) ||
	    !slice_is(word, "site") || !slice_cut(&line, ' ', &word) ||
	    !date_read(&at, line))
		complain(DAMAGED, path, file->number);
	else if (!slice_is(word, site))
		complain("'%s' is the manifest of %.*s, and not of %s", path,
		    (int)word.len, word.p, site);
	else {
		file->at_s = at.epoch_s;
		return EXIT_DONE;
	}
	return EXIT_USAGE;
}

void
manifest_close(struct manifest_file *file)
{
	if (file->file != NULL)
		(void)fclose(file->file);
	digester_free(file->digester);
	free(file->line);
}

int
manifest_write(const struct manifest *manifest, const char *path)
{
	static const struct options_output plain;
	struct digester *digester;
	struct digest digest;
	size_t count = 0;
	struct out out;

	if (!out_init_file(&out, &plain, path))
		return EXIT_DISK;
	out.is_raw = true; /* normalised URLs are plain ASCII */
	digester = digester_new();
	(void)buf_print(
	    &out.text, FIRST_LINE VERSION "\nsite %s ", manifest->site);
	time_print(&out.text, manifest->at_s);
	(void)buf_put_char(&out.text, '\n');
	for (size_t i = 0; i < manifest->count; i++) {
		const struct manifest_page *page = &manifest->pages[i];

		if (!page->has_digest && !page->is_kept)
			continue;
		count++;
		(void)buf_put_slice(&out.text, manifest_url(manifest, page));
		(void)buf_put_char(&out.text, ' ');
		put_digest(&out.text, &page->digest);
		(void)buf_put_char(&out.text, ' ');
		date_print(&out.text, &page->lastmod);
		if (page->lastmod.precision == DATE_NONE) {
			(void)buf_put_char(&out.text, '-');
			time_print(&out.text,
			    page->lastmod.epoch_s != 0 ? page->lastmod.epoch_s
						       : manifest->at_s);
		}
		(void)buf_put_char(&out.text, '\n');
		if (out.text.len < FLUSH_BYTES)
			continue;
		digester_feed(digester, buf_text(&out.text));
		if (!out_flush(&out))
			break;
	}
	digester_feed(digester, buf_text(&out.text));
	digest = digester_value(digester);
	digester_free(digester);
	(void)buf_print(&out.text, "end %zu ", count);
	put_digest(&out.text, &digest);
	(void)buf_put_char(&out.text, '\n');
	return out_finish(&out);
}

/* Two states. */

/* A page that is gone. */
struct manifest_gone {
	struct digest digest;
	struct date lastmod;
};

static int
manifest_gone_order(const void *a, const void *b)
{
	const struct manifest_gone *x = a;
	const struct manifest_gone *y = b;

	return memcmp(&x->digest, &y->digest, sizeof(x->digest));
}

/* A page whose URL is known: how does it differ? */
static enum manifest_change
manifest_judge(const struct manifest_page *page,
    const struct manifest_gone *old, int64_t at_s)
{
	static const int64_t lengths[] = {[DATE_YEAR] = 366 * DAY_S,
	    [DATE_MONTH] = 31 * DAY_S,
	    [DATE_DAY] = DAY_S,
	    [DATE_MINUTE] = MINUTE_S,
	    [DATE_SECOND] = 1,
	    [DATE_FRACTION] = 1};
	const struct date *date = &page->lastmod;
	bool is_moved = date_differs(&old->lastmod, date);

	if (memcmp(&old->digest, &page->digest, sizeof(old->digest)) == 0)
		return is_moved && old->lastmod.precision != DATE_NONE &&
			date->precision != DATE_NONE
		    ? PAGE_MOVED_ONLY
		    : PAGE_SAME;
	/* Without a date nothing is claimed. A date of this day is right for
	 * all changes of the day. */
	if (is_moved || date->precision == DATE_NONE ||
	    date->epoch_s + lengths[date->precision] > at_s)
		return PAGE_CHANGED;
	return PAGE_CHANGED_ONLY;
}

int
manifest_compare(struct manifest_file *file, struct manifest *now,
    manifest_fn *each, void *arg)
{
	struct manifest_gone *gone = NULL, old, *found;
	size_t gone_count = 0, gone_cap = 0, at = 0, lines = 0, same = 0,
	       known = 0, kept = 0;
	struct slice line, url, digest;
	struct buf last = BUF_UP_TO(SIZE_MAX);
	struct digest made;
	bool is_good = true, has_end = false;

	while (is_good && !has_end) {
		int order = 1;

		is_good = manifest_line(file, &line);
		has_end = is_good && slice_starts(line, slice_of("end "));
		if (!is_good || has_end)
			break;
		/* a line of a page, whose URL comes after that above */
		is_good = slice_cut(&line, ' ', &url) &&
		    slice_cut(&line, ' ', &digest) &&
		    read_digest(&old.digest, digest) &&
		    slice_starts(url, slice_of(now->site)) &&
		    slice_order(buf_text(&last), url) < 0;
		bool has_none = is_good && slice_starts(line, slice_of("-"));

		is_good = is_good &&
		    date_read(&old.lastmod, slice_from(line, has_none));
		if (!is_good)
			break;
		if (has_none)
			old.lastmod.precision = DATE_NONE;
		lines++;
		buf_clear(&last);
		(void)buf_put_slice(&last, url);
		for (; at < now->count && order > 0; at += order >= 0) {
			struct manifest_page *page = &now->pages[at];

			order = slice_order(url, manifest_url(now, page));
			page->is_new = order > 0;
			known += order == 0;
			if (order == 0 && !page->has_digest) {
				/* it keeps its line until it has a file */
				page->digest = old.digest;
				page->lastmod = old.lastmod;
				page->is_kept = true;
				kept++;
			}
			if (order != 0 || page->is_kept)
				continue;
			enum manifest_change change = manifest_judge(
			    page, &old, file->at_s);

			same += memcmp(&old.digest, &page->digest,
				    sizeof(old.digest)) == 0;
			each(arg, change, page, &old.lastmod);
		}
		if (order == 0)
			continue;
		*MEM_PUSH(gone, gone_count, gone_cap) = old;
	}
	if (is_good && has_end) {
		/* the number and the digest of the lines above, and no more */
		made = digester_value(file->digester);
		buf_clear(&last);
		(void)buf_print(&last, "end %zu ", lines);
		put_digest(&last, &made);
		is_good = slice_equal(line, buf_text(&last)) &&
		    !manifest_line(file, &line) && feof((FILE *)file->file);
	}
	buf_release(&last);
	if (!is_good) {
		free(gone);
		complain(DAMAGED, file->path, file->number);
		return EXIT_USAGE;
	}
	if (2 * kept > known) {
		free(gone);
		complain("%zu of %zu listed pages that '%s' knows have no file "
			 "in the folder: is the build finished?",
		    kept, known, file->path);
		return EXIT_USAGE;
	}
	/* A page that has the text of one that is gone was moved. */
	if (gone_count > 0)
		qsort(gone, gone_count, sizeof(*gone), manifest_gone_order);
	for (size_t i = 0; i < now->count; i++) {
		struct manifest_page *page = &now->pages[i];

		page->is_new |= i >= at;
		if (!page->has_digest) {
			each(arg, PAGE_UNKNOWN, page, &(struct date){0});
			continue;
		}
		if (!page->is_new)
			continue;
		old.digest = page->digest;
		found = gone_count == 0
		    ? NULL
		    : bsearch(&old, gone, gone_count, sizeof(*gone),
			  manifest_gone_order);
		each(arg, found != NULL ? PAGE_RENAMED : PAGE_NEW, page,
		    found != NULL ? &found->lastmod : &(struct date){0});
		lines = SIZE_MAX;
	}
	/* where nothing happened, the file stays to the byte */
	if (same + kept == lines)
		now->at_s = file->at_s;
	free(gone);
	return EXIT_DONE;
}
