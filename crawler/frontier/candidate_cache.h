/*
 * The candidate cache: which entries of documents are promoted to pages next.
 * A search for them reads the whole document, so the cache remembers the best
 * ones of each order (promotion.h), for many documents, in limited memory.
 */
#ifndef FRESHET_CANDIDATE_CACHE_H
#define FRESHET_CANDIDATE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/slice.h"
#include "base/w3cdate.h"

/* Bytes of all candidates together. */
#define CANDIDATE_BYTES_MAX (32u << 20)
/* Documents that are remembered at once. */
#define CANDIDATE_DOCUMENTS_MAX 131072

enum { CANDIDATE_QUEUES = 2 }; /* one for each order */

struct candidate_page {
	struct candidate_page *next; /* owned: of the same queue */
	struct date lastmod;
	int64_t first_seen_s;
	uint32_t url_len;
	char url[];
};

struct candidate_queue {
	struct candidate_page *first; /* owned */
	uint32_t bytes; /* of memory */
};

/* The candidates of one document. */
struct candidate_row {
	/* its number, and above 32 bits that of a filter (passed_over.h), for
	 * which the document may have a row, too */
	uint64_t document;
	uint32_t room; /* candidate_cache_room() when the row was filled */
	/* the second queue is equal to the first, and not stored */
	bool is_one;
	bool is_empty; /* the search found nothing that the filter wants */
	struct candidate_queue queues[CANDIDATE_QUEUES];
};

/* Zeroed: empty. */
struct candidate_cache {
	struct candidate_row *items; /* owned */
	size_t count, cap;
	struct idmap of; /* document + 1 -> place in items */
	size_t bytes; /* of memory, of all queues */
	size_t next_cut; /* the row that is cut next when memory is short */
	uint64_t fills;
};

/* candidate_page_new(url, lastmod, first_seen_s): a page in no queue; freed
 * with free(). */
struct candidate_page *candidate_page_new(
    struct slice url, const struct date *lastmod, int64_t first_seen_s);

/*
 * candidate_cache_room(cache, document): how many bytes a row of that document
 * may have.  Half of the memory is shared evenly.  A document that has used up
 * its row gets twice as much as before from the other half.  So if consumers
 * want pages of a few documents only, these get most of the memory.
 *
 * candidate_cache_put(cache, row): replace the row of its document; the queues
 * are taken over, as far as there is room.  If memory is short, the last
 * candidates of other documents are forgotten.
 */
size_t candidate_cache_room(const struct candidate_cache *, uint64_t document);
void candidate_cache_put(
    struct candidate_cache *, const struct candidate_row *);

/* candidate_cache_take(cache, document, queue): take the next candidate of that
 * queue, which the caller frees.  NULL: none is remembered. */
struct candidate_page *candidate_cache_take(
    struct candidate_cache *, uint64_t document, int queue);

/* candidate_cache_is_empty(cache, document): the row is there, and is_empty. */
bool candidate_cache_is_empty(
    const struct candidate_cache *, uint64_t document);

/* candidate_cache_forget(cache, document): forget the row of a document. */
void candidate_cache_forget(struct candidate_cache *, uint64_t document);

void candidate_cache_release(struct candidate_cache *);

#endif
