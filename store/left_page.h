/*
 * The pages that left a window, such as a feed, and that no document lists as
 * far as is known (SPEC R-120): they may well exist.
 *
 * A page is kept from the reading by which it left until a document of its site
 * begins to list it again, or one that is no window lacks it for the second
 * time, or nothing was known of it for as long as a page may be without a fetch
 * (SPEC R-118).
 */
#ifndef FRESHET_LEFT_PAGE_H
#define FRESHET_LEFT_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct content;
struct store;

/*
 * left_pages_note(store, site_id, at_s, pages, content):
 * Note the pages that left, are back or are gone by the changes of a reading
 * with these bits (entry.h), in the open transaction.  The ADDED changes
 * of pages that had left become BACK changes.
 *
 * left_pages_end(store, site_id, now_s): the pages of which nothing was known
 * for too long become unknown, and so do the oldest of too many.
 */
void left_pages_note(struct store *, int64_t site_id, int64_t at_s,
    unsigned pages, struct content *);
void left_pages_end(struct store *, int64_t site_id, int64_t now_s);

struct left_page {
	struct slice url; /* borrowed */
	uint8_t verdict; /* enum verdict, when it was listed last */
};

/* store_left_page(store, site_id, url, *page): false if the page did not leave
 * a window of the site.  The page may be listed all the same. */
bool store_left_page(
    struct store *, int64_t site_id, struct slice url, struct left_page *);

#endif
