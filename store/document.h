/* Documents: sitemaps, indexes, feeds and robots.txt.  All ids are positive. */
#ifndef FRESHET_DOCUMENT_H
#define FRESHET_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/generator.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/w3cdate.h"
#include "store/segment/reading.h"

struct sqlite3_stmt;
struct store;

/* What the driver must know of a document before it requests it. */
struct document {
	int64_t id;
	int64_t site_id;
	char *url; /* owned, normalised, as requested */
	enum document_kind kind; /* of the latest reading that found one */
	char *final_url; /* owned; of the stored validators; or NULL */
	char *etag; /* owned or NULL */
	char *last_modified; /* owned or NULL */
	bool has_digest;
	struct digest wire_digest;
	struct digest decoded_digest;
	uint64_t fingerprint; /* scope rules of the segment; 0: none */
	int64_t last_read_s; /* last READ or UNCHANGED, 0: never */
	int64_t last_full_s; /* last READ, 0: never */
	int64_t whole_s; /* last answer with all bytes, READ or UNCHANGED */
	int64_t last_try_s;
	/* until then, requests have no conditions, as one was spoilt by them;
	 * 0: there is no such time */
	int64_t plain_until_s;
	/* An index dated it newer than it was, so its dates count for nothing
	 * for this document. */
	bool index_is_wrong;
	struct date newest; /* usable lastmod of the segment, DATE_NONE: none */
	uint32_t failures; /* in a row */
	int64_t failing_since_s; /* 0: not failing */
	uint64_t entries; /* of the segment */
	uint64_t missed;
	uint64_t refused; /* of entries */
	enum verdict refused_by; /* most of these; VERDICT_ACCEPTED: none */
	/* The last full reading was made by a version that did not store
	 * refused entries. */
	bool lacks_refused;
	unsigned window; /* of its latest complete reading: see merge.h */
	bool is_complete; /* the latest reading that brought bytes was */
};

void document_release(struct document *);

/* document_is_given_up(document, now_s): has the document failed for longer
 * than SPEC R-77 allows? */
bool document_is_given_up(const struct document *, int64_t now_s);

/* store_document(store, site_id, url, *document): The document of a normalised
 * URL within a site; a new document is made, and becomes durable with the next
 * commit.  Its id is 0 if the store has failed. */
void store_document(
    struct store *, int64_t site_id, struct slice url, struct document *);

/* store_unlisted(store, site_id, url): The id of a document that nobody reads,
 * for pages that no document lists; a new one is made.  As soon as
 * store_document is called for its URL it is a document like any other. */
int64_t store_unlisted(struct store *, int64_t site_id, struct slice url);

/* store_document_get(store, id, *document): false if there is none. */
bool store_document_get(struct store *, int64_t id, struct document *);

/* store_document_id(store, site_id, url): 0 if there is no such document. */
int64_t store_document_id(struct store *, int64_t site_id, struct slice url);

/* store_last_failure(store, document_id): the failure of the latest attempt;
 * DIAG_OK if it did not fail, or if this version does not know the code. */
enum diag_code store_last_failure(struct store *, int64_t document_id);

/* store_moves_dates(store, document_id, redated, entries): Does the document
 * change the dates of its entries whatever happens?  True if this reading,
 * which re-dates `redated` of `entries`, and two earlier ones moved more than
 * half of the dates, and the mean of the last eight readings is more than half,
 * too. */
bool store_moves_dates(
    struct store *, int64_t document_id, uint64_t redated, uint64_t entries);

/* store_turns(store, reading): Two versions of a document may take turns, as
 * those of two caches do.  How often in a row, this reading included, did the
 * document change into what it was before its last change?  The reading is not
 * in the store yet. */
unsigned store_turns(struct store *, const struct reading *);
#define TURNS_LEAST 2 /* that is no rollback any more */

/* reading_text(reading, text): a number that tells one text of a document from
 * another; false: the reading does not have the text as a whole. */
bool reading_text(const struct reading *, int64_t *text);

/* store_number(store, number, of, other): a number that the store knows; 0:
 * there is none, or no. */
enum store_number {
	STORE_LATEST_S, /* when the latest reading was made */
	STORE_LAST_READING, /* its id */
	STORE_AFTER_S, /* when the first reading after the reading `of` was */
	STORE_SITE_KNOWN_S, /* the first reading of a document of the site */
	/* would store_each_id() pass the site with IDS_FOUND? */
	STORE_IS_FOUND,
	/* Does an index other than `other` list the child `of` now?  Missed
	 * links do not count. */
	STORE_OTHER_PARENT,
	/* Were the entries of the document `of` pages at the time `other`, and
	 * not the children of an index?  Without a reading by then: now? */
	STORE_LISTED_PAGES,
	STORE_UNFIT, /* enum page_unfit (feed.h) of the page */
	STORE_HAS_UNFIT, /* is any page unfit for an index (feed.h)? */
	/* when a page of any host was leased or reported last */
	STORE_PAGES_ASKED_S,
	/* Does anything lead to the document (reach.h)? */
	STORE_IS_LED,
	/* Does the document belong to the baseline of its site (site.h), and
	 * was it not read yet? */
	STORE_IS_BASELINE,
	/* how many documents the indexes of the site list, without those of
	 * the index `other` */
	STORE_CHILDREN_WITHOUT,
	/* The next site after the site `of` whose stored numbers are out of
	 * date.  One whose first crawl is not over is left out. */
	STORE_UNTALLIED,
	/* when the first of the site's readings was made whose changes are not
	 * counted yet */
	STORE_UNTALLIED_S,
	STORE_IS_READ, /* was the site `of` read as a whole (site.h)? */
	STORE_HAS_TITLES /* has any page said what it is (page_says.h)? */
};
int64_t store_number(
    struct store *, enum store_number, int64_t of, int64_t other);

/* For store/ only: rows of documents. */

/* store_index_lastmod(store, document_id): the newest date that an index gives
 * the document now. */
struct date store_index_lastmod(struct store *, int64_t document_id);

/* How many columns document_row reads; others may follow them. */
#define DOCUMENT_COLUMN_COUNT 28

/* document_row(store, stmt, *document): Copy the current row.  Returns false if
 * it is none that this program writes: the store has failed, nothing is to be
 * released. */
bool document_row(struct store *, struct sqlite3_stmt *, struct document *);

/* document_put_counts(store, document_id, counts, blocks): store the counts of
 * the document's segment, which has so many blocks. */
void document_put_counts(struct store *, int64_t document_id,
    const struct merge_counts *, size_t blocks);

/* Inside the store: rows of origins, that is of scheme, host and port. */

/* store_origin(store, origin, is_made): the id of an origin, 0: there is none.
 * is_made: a new origin is made then; 0 if the store has failed. */
int64_t store_origin(struct store *, struct slice origin, bool is_made);

/* Lists of sites and documents in a few columns each, for modules that keep all
 * of them in memory. */

struct document_list_row {
	int64_t id, site_id;
	int64_t parent_id; /* an index that lists it; 0: none */
	struct slice url;
	enum document_kind kind; /* of the latest reading that found one */
	int64_t last_read_s; /* 0: never */
	uint64_t entries, dated, refused; /* of its segment */
	/* when a second reading must confirm what the last one found absent
	 * (SPEC R-120); 0: nothing is open */
	int64_t owed_s;
	const struct generator *generator; /* that writes it; NULL: not known */
};

/*
 * store_each_site(store, after_id, fn, arg): sites, in order of ids: those of
 * which readings with greater ids were made; 0: all.
 * store_each_document_list(store, list, site_id, fn, arg): documents, in order
 * of ids.
 * store_each_id(store, list, of, fn, arg): ids of sites or documents.
 *
 * All that is passed is borrowed; fn may use the store.
 */
typedef void store_site_fn(void *arg, int64_t site_id, struct slice host);
void store_each_site(
    struct store *, int64_t after_id, store_site_fn *, void *arg);
enum document_list {
	LIST_OF_ALL,
	LIST_OF_SITE,
	LIST_OF_UNTRIED /* those of the site that were never requested */
};
typedef void store_document_list_fn(
    void *arg, const struct document_list_row *);
void store_each_document_list(struct store *, enum document_list,
    int64_t site_id, store_document_list_fn *, void *arg);
enum id_list {
	/* The sites of which a document other than robots.txt was read; a site
	 * may come more than once. */
	IDS_FOUND,
	/* The documents of the site `of` that nothing leads to, and each
	 * robots.txt that is needed for none of the other documents; in the
	 * order of ids. */
	IDS_UNLED,
	/* In the order of ids: the members of a feed's consumer `of`, that is
	 * the sites whose pages it was told. */
	IDS_OF_FEED,
	/* In the order of ids: the sites that may list pages of the origin
	 * `of`: they have documents of the origin, or documents that were
	 * redirected to it, or its robots.txt names a document of theirs. */
	IDS_OF_ORIGIN
};
typedef void store_id_fn(void *arg, int64_t id);
void store_each_id(
    struct store *, enum id_list, int64_t of, store_id_fn *, void *arg);

/* store_document_list(store, id, row): one document; row->url is valid until
 * the next call.  False: there is none. */
bool store_document_list(
    struct store *, int64_t id, struct document_list_row *);

/* store_site_host(store, site_id, host): append the host of a site; false if
 * there is no such site. */
bool store_site_host(struct store *, int64_t site_id, struct buf *host);

#endif
