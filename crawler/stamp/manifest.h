/*
 * The manifest: what a site published last, of each listed page the digest of
 * its main text and its date. It is one text file, sorted, so that git and
 * caches can keep it:
 *
 *	freshet manifest 1
 *	site https://a.org/ 2026-05-06T07:08:09Z
 *	https://a.org/a 0123456789abcdef0123456789abcdef 2026-05-01
 *	https://a.org/b 0f1e2d3c4b5a69788796a5b4c3d2e1f0 -2026-05-01T07:08:09Z
 *	end 2 00112233445566778899aabbccddeeff
 *
 * "-": the page has no date, and its text was there at that time. The last line
 * has the number of pages and the digest of all lines above it. The file is
 * read line by line beside the sorted pages of today, so that one of the two is
 * in memory.
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

/* There may be millions: 48 bytes. */
struct manifest_page {
	uint32_t at; /* of its URL in manifest.text */
	uint32_t ordinal; /* of its entry, from 0 */
	uint32_t document; /* that lists it: its id */
	uint16_t len; /* of its URL */
	bool has_digest : 1; /* the page has a file, with text */
	bool is_new : 1; /* nothing had its URL */
	/* the manifest knows it, and its file is missing now */
	bool is_kept : 1;
	struct digest digest;
	/* precision DATE_NONE: none; epoch_s is when its text was first seen,
	 * or 0: now */
	struct date lastmod;
};

/* The pages of today. Zeroed: empty. */
struct manifest {
	struct buf text; /* owned: their URLs */
	struct manifest_page *pages; /* owned; manifest_sort() sorts them */
	size_t count, cap;
	char *site; /* owned: the beginning of all URLs */
	int64_t at_s; /* now, or when the file was written if all is as then */
};

void manifest_init(struct manifest *);
void manifest_release(struct manifest *);

/* manifest_add(manifest, url): a new page, valid until the next one is added.
 * manifest_sort(manifest): sort by URL, and keep the first of several pages
 * with one URL. */
struct manifest_page *manifest_add(struct manifest *, struct slice url);
void manifest_sort(struct manifest *);

struct slice manifest_url(
    const struct manifest *, const struct manifest_page *);

/* manifest_find(manifest, url): NULL if there is no such page. */
struct manifest_page *manifest_find(const struct manifest *, struct slice url);

/* The file of the last published state. */
struct manifest_file {
	void *file; /* owned: a FILE; NULL: there is none */
	const char *path; /* borrowed */
	char *line; /* owned: the last one that was read */
	size_t cap, number; /* of the line: its room; it, from 1 */
	struct digester *digester; /* owned: of the lines so far */
	int64_t at_s; /* when it was written */
};

/* manifest_open(file, path, site, may_lack): open the file and read its first
 * two lines; file->file is NULL after EXIT_DONE if it does not exist and may
 * lack. Returns EXIT_DONE, or EXIT_USAGE after one line on stderr. */
int manifest_open(
    struct manifest_file *, const char *path, const char *site, bool may_lack);
void manifest_close(struct manifest_file *);

/* How a page differs from what was published last. */
enum manifest_change {
	PAGE_UNKNOWN, /* it has no digest */
	PAGE_NEW,
	PAGE_RENAMED, /* its text had another URL, which is gone */
	PAGE_SAME,
	PAGE_CHANGED, /* the text, and the date if there are two */
	PAGE_MOVED_ONLY, /* the date moved, and the text did not */
	PAGE_CHANGED_ONLY, /* the text changed, and the date did not */
	PAGE_CHANGES
};

/* manifest_compare(file, now, each, arg): read the rest of the file, and call
 * each for the sorted pages of now; *before is the date in the file, DATE_NONE
 * for new pages. A page that changed after the file was written, on the day of
 * its old date, may keep that date. Returns EXIT_DONE, or EXIT_USAGE after one
 * line on stderr, and nothing may be used: the file is damaged, or most pages
 * that it knows, and that are still listed, have no file. */
typedef void manifest_fn(void *arg, enum manifest_change,
    struct manifest_page *, const struct date *before);
int manifest_compare(
    struct manifest_file *, struct manifest *now, manifest_fn *each, void *arg);

/* manifest_write(manifest, path): replace the file, whole or not at all, with
 * the pages that have a digest, or had one. The manifest is sorted. Returns
 * EXIT_DONE, or EXIT_DISK after one line on stderr. */
int manifest_write(const struct manifest *, const char *path);

#endif
