/* The manifest: read, written, compared. */
#include "crawler/stamp/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/profile.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/exit.h"

/* 1,000,000 pages with URLs of 500 bytes */
#define MANIFEST_MAX_BYTES (UINT32_C(600) << 20)
#define FIRST_LINE "freshet manifest "
#define VERSION "1"
#define FLUSH_BYTES 65536
#define DIGEST_HEX (2 * sizeof(struct digest))

void
manifest_init(struct manifest *manifest)
{
	*manifest = (struct manifest){0};
	buf_init(&manifest->text, MANIFEST_MAX_BYTES);
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

static struct manifest_page *
manifest_next(struct manifest *manifest)
{
	manifest->pages = mem_grow(manifest->pages, &manifest->cap,
	    manifest->count + 1, sizeof(*manifest->pages));
	manifest->pages[manifest->count] = (struct manifest_page){0};
	return &manifest->pages[manifest->count++];
}

struct manifest_page *
manifest_add(struct manifest *manifest, struct slice url)
{
	size_t at = manifest->text.len;
	struct manifest_page *page;

	if (!buf_put_slice(&manifest->text, url))
		return NULL;
	page = manifest_next(manifest);
	page->at = at;
	page->len = (uint32_t)url.len;
	return page;
}

static int
manifest_page_order(const void *a, const void *b, void *arg)
{
	const struct manifest_page *x = a;
	const struct manifest_page *y = b;
	int order = slice_order(manifest_url(arg, x), manifest_url(arg, y));

	if (order == 0)
		order = (x->at > y->at) - (x->at < y->at);
	return order;
}

void
manifest_sort(struct manifest *manifest)
{
	size_t kept = 0;

	if (manifest->count == 0)
		return;
	qsort_r(manifest->pages, manifest->count, sizeof(*manifest->pages),
	    manifest_page_order, manifest);
	for (size_t i = 0; i < manifest->count; i++)
		if (kept == 0 ||
		    !slice_equal(
			manifest_url(manifest, &manifest->pages[kept - 1]),
			manifest_url(manifest, &manifest->pages[i])))
			manifest->pages[kept++] = manifest->pages[i];
	manifest->count = kept;
}

const struct manifest_page *
manifest_find(const struct manifest *manifest, struct slice url)
{
	size_t from = 0, to = manifest->count;

	while (from < to) {
		size_t at = from + (to - from) / 2;
		const struct manifest_page *page = &manifest->pages[at];
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

static bool
read_date(struct date *date, struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	return date_parse(date, text, &profile, (struct diag_sink){0}) ==
	    DIAG_OK;
}

/* manifest_take_line(manifest, line): a line of a page, whose URL comes after
 * that of the line above. */
static bool
manifest_take_line(struct manifest *manifest, struct slice line)
{
	struct manifest_page page = {.has_digest = true};
	struct slice url, digest, rest = line;

	if (!slice_cut(&rest, ' ', &url) || !slice_cut(&rest, ' ', &digest) ||
	    !read_digest(&page.digest, digest) ||
	    !slice_starts(url, slice_of(manifest->site)) ||
	    (!slice_is(rest, "-") && !read_date(&page.lastmod, rest)))
		return false;
	page.at = (size_t)(url.p - manifest->text.p);
	page.len = (uint32_t)url.len;
	if (manifest->count > 0 &&
	    slice_order(
		manifest_url(manifest, &manifest->pages[manifest->count - 1]),
		url) >= 0)
		return false;
	*manifest_next(manifest) = page;
	return true;
}

/* manifest_take_end(manifest, line): do the number and the digest of the last
 * line fit the lines above? */
static bool
manifest_take_end(const struct manifest *manifest, struct slice line)
{
	struct digester *digester = digester_new();
	struct digest made;
	struct buf wanted;
	bool is_right;

	digester_feed(digester,
	    slice_make(manifest->text.p, (size_t)(line.p - manifest->text.p)));
	made = digester_value(digester);
	digester_free(digester);
	buf_init(&wanted, SIZE_MAX);
	(void)buf_print(&wanted, "end %zu ", manifest->count);
	put_digest(&wanted, &made);
	is_right = slice_equal(line, buf_text(&wanted));
	buf_release(&wanted);
	return is_right;
}

int
manifest_read(struct manifest *manifest, const char *path, bool may_lack)
{
	struct slice rest, line, word;
	struct date at;
	size_t number = 1;
	bool is_good, has_end = false;

	if (access(path, F_OK) != 0 && errno == ENOENT) {
		if (may_lack)
			return EXIT_DONE;
		complain("there is no manifest '%s'; --init says that this is "
			 "the first run, and makes it",
		    path);
		return EXIT_USAGE;
	}
	if (!textfile_read(path, &manifest->text))
		return EXIT_USAGE;
	rest = buf_text(&manifest->text);
	line = textfile_line(&rest);
	if (!slice_starts(line, slice_of(FIRST_LINE))) {
		complain("'%s' is no manifest of freshet", path);
		return EXIT_USAGE;
	}
	if (!slice_is(line, FIRST_LINE VERSION)) {
		complain("'%s' is from a newer version of freshet", path);
		return EXIT_USAGE;
	}
	/* site URL TIME */
	number++;
	line = textfile_line(&rest);
	is_good = slice_cut(&line, ' ', &word) && slice_is(word, "site") &&
	    slice_cut(&line, ' ', &word) && word.len > 0 &&
	    read_date(&at, line);
	if (is_good) {
		manifest->site = slice_dup(word);
		manifest->at_s = at.epoch_s;
	}
	while (is_good && !has_end && rest.len > 0) {
		number++;
		line = textfile_line(&rest);
		has_end = slice_starts(line, slice_of("end "));
		is_good = has_end ? manifest_take_end(manifest, line)
				  : manifest_take_line(manifest, line);
	}
	if (is_good && has_end && rest.len == 0)
		return EXIT_DONE;
	complain("the manifest '%s' is damaged at line %zu: take that of the "
		 "last published state, or delete it and begin anew with "
		 "--init",
	    path, number);
	return EXIT_USAGE;
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

		if (!page->has_digest)
			continue;
		count++;
		(void)buf_put_slice(&out.text, manifest_url(manifest, page));
		(void)buf_put_char(&out.text, ' ');
		put_digest(&out.text, &page->digest);
		(void)buf_put_char(&out.text, ' ');
		if (page->lastmod.precision == DATE_NONE)
			(void)buf_put_char(&out.text, '-');
		date_print(&out.text, &page->lastmod);
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

/* date_end(date): the first instant after the period of a date. */
static int64_t
date_end(const struct date *date)
{
	static const int64_t lengths[] = {[DATE_YEAR] = 366 * DAY_S,
	    [DATE_MONTH] = 31 * DAY_S,
	    [DATE_DAY] = DAY_S,
	    [DATE_MINUTE] = MINUTE_S,
	    [DATE_SECOND] = 1,
	    [DATE_FRACTION] = 1};

	return date->epoch_s + lengths[date->precision];
}

enum manifest_change
manifest_compare(const struct manifest *before, struct slice url,
    const struct manifest_page *page)
{
	const struct manifest_page *old = manifest_find(before, url);
	bool is_moved;

	if (!page->has_digest)
		return PAGE_UNKNOWN;
	if (old == NULL)
		return PAGE_NEW;
	is_moved = date_differs(&old->lastmod, &page->lastmod);
	if (memcmp(&old->digest, &page->digest, sizeof(old->digest)) == 0)
		return is_moved && old->lastmod.precision != DATE_NONE &&
			page->lastmod.precision != DATE_NONE
		    ? PAGE_MOVED_ONLY
		    : PAGE_SAME;
	/* Without a date nothing is claimed. A date of this day is right for
	 * all changes of the day. */
	if (is_moved || page->lastmod.precision == DATE_NONE ||
	    date_end(&page->lastmod) > before->at_s)
		return PAGE_CHANGED;
	return PAGE_CHANGED_ONLY;
}
