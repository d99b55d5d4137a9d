/*
 * The manifest: what a site published last, of each listed page the digest of
 * its main text and its date. It is one text file, sorted, so that git and
 * caches can keep it:
 *
 *	freshet manifest 1
 *	site https://example.org/ 2026-05-06T07:08:09Z
 *	https://example.org/a 0123456789abcdef0123456789abcdef 2026-05-01
 *	https://example.org/b 0f1e2d3c4b5a69788796a5b4c3d2e1f0 -
 *	end 2 00112233445566778899aabbccddeeff
 *
 * "-": the page has no date. The last line has the number of pages and the
 * digest of all lines above it.
 */
#ifndef FRESHET_MANIFEST_H
#define FRESHET_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/w3cdate.h"

struct manifest_page {
	size_t at; /* of its URL in manifest.text */
	uint32_t len;
	uint32_t ordinal; /* of its entry, from 0; not in the file */
	int64_t document_id; /* that lists it; not in the file */
	struct digest digest;
	bool has_digest; /* the page has a file, with text */
	struct date lastmod; /* precision DATE_NONE: none */
};

/* Zeroed: empty. */
struct manifest {
	struct buf text; /* owned: the file, or the URLs that were added */
	/* owned; sorted by URL after manifest_read() and manifest_sort() */
	struct manifest_page *pages;
	size_t count, cap;
	char *site; /* owned: the beginning of all URLs; NULL: not known */
	int64_t at_s; /* when it was written */
};

void manifest_init(struct manifest *);
void manifest_release(struct manifest *);

/*
 * manifest_read(manifest, path, may_lack): read the file into an empty
 * manifest. Nothing of a file that is damaged is used. Returns EXIT_DONE, also
 * for a file that does not exist if it may lack: at_s is 0 then; or EXIT_USAGE
 * after one line on stderr.
 */
int manifest_read(struct manifest *, const char *path, bool may_lack);

/* manifest_write(manifest, path): replace the file, whole or not at all, with
 * the pages that have a digest, all of its site. The manifest is sorted.
 * Returns EXIT_DONE, or EXIT_DISK after one line on stderr. */
int manifest_write(const struct manifest *, const char *path);

/* manifest_add(manifest, url): a new page, valid until the next one is added.
 */
struct manifest_page *manifest_add(struct manifest *, struct slice url);

/* manifest_sort(manifest): sort by URL, and keep the first of several pages
 * with one URL. */
void manifest_sort(struct manifest *);

struct slice manifest_url(
    const struct manifest *, const struct manifest_page *);

/* manifest_find(manifest, url): NULL if there is no such page. */
const struct manifest_page *manifest_find(
    const struct manifest *, struct slice url);

/* How a page differs from what was published last. */
enum manifest_change {
	PAGE_UNKNOWN, /* one of the two has no digest */
	PAGE_NEW,
	PAGE_SAME,
	PAGE_CHANGED, /* the text, and the date if there are two */
	PAGE_MOVED_ONLY, /* the date moved, and the text did not */
	PAGE_CHANGED_ONLY, /* the text changed, and the date did not */
	PAGE_CHANGES
};

/* manifest_compare(before, page): a page that changed after `before` was
 * written, on the day of its old date, may keep that date. */
enum manifest_change manifest_compare(const struct manifest *before,
    struct slice url, const struct manifest_page *);

#endif
