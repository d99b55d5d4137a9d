/* The listed pages of a folder: their dates, and the digests of their files. */
#ifndef FRESHET_LISTED_H
#define FRESHET_LISTED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/profile.h"

struct local;
struct loop;
struct manifest;
struct readers;
struct run_totals;
struct store;

/* What listed_read() needs; all is borrowed. */
struct listed_with {
	struct loop *loop;
	struct readers *readers;
	const struct local *local;
	struct store *store;
	const struct profile *profile;
	struct run_totals *totals; /* pages and pages_done are counted there */
};

/*
 * listed_read(listed, manifest, is_whole): add the pages that the sitemaps in
 * the store list, with their dates, sort them, and let the readers digest the
 * file of each page of manifest->site, within the loop. Text lists and feeds
 * are passed over. *is_whole false: a signal stopped the loop before the end;
 * the loop must not run again. Returns EXIT_DONE, or the exit status after one
 * line on stderr: files could not be read, or there is no page with a file.
 */
int listed_read(const struct listed_with *, struct manifest *, bool *is_whole);

#endif
