/* Queries: blocks of segments and deltas, rows of documents, findings. */
#ifndef FRESHET_QUERY_H
#define FRESHET_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/segment/block.h"
#include "store/segment/reading.h"
#include "store/store.h"

/* Where blocks come from: a segment, a delta, or one block of a segment;
 * zeroed: empty. */
struct block_source {
	struct store *store;
	int statement; /* that reads a block by its id */
	int64_t first_id;
	uint32_t count, at;
	struct buf data; /* owned: the current block */
	struct block_reader *reader; /* owned; NULL: nobody asked for it */
};

/*
 * The blocks of a segment or delta in order.
 *
 * block_source_new(store, owner, id): those of the segment of a document, or of
 * the delta of a reading.
 * block_source_reader(source): what reads them; it belongs to the source.
 * block_source_pull(source): a block_pull_fn, for readers that belong to
 * others.
 * block_source_close(source, what, id): free it, before its store is closed.
 * The store fails if one of the blocks that were read is damaged; `what` and id
 * name the document or the reading.  If `what` is NULL, damage does not matter.
 */
enum block_owner { BLOCKS_OF_SEGMENT, BLOCKS_OF_DELTA };
struct block_source *block_source_new(
    struct store *, enum block_owner, int64_t id);
struct block_reader *block_source_reader(struct block_source *);
struct slice block_source_pull(void *source);
void block_source_close(struct block_source *, const char *what, int64_t id);

/* One row of `ls --sitemaps` and of the closing summary. */
struct document_row {
	struct document document; /* borrowed: do not release */
	struct slice site; /* its host */
	int64_t reading_id; /* latest attempt, 0: none */
	/* the reading whose findings are those of the document now: the
	 * latest, or the latest READ if that was UNCHANGED */
	int64_t content_id;
	enum outcome outcome; /* of the latest attempt */
	struct slice failure; /* its diagnostic, empty: none */
	int status;
	int64_t at_s;
	/* readings of the site's latest crawl have greater ids */
	int64_t crawl_after;
	/* the latest attempt failed, and the site needs the document */
	bool is_failing;
	bool is_unlisted; /* that crawl is complete, without this document */
	uint64_t dated; /* of the segment */
	struct date newest; /* lastmod, or date of an article */
	uint64_t seen; /* of content_id */
	uint64_t refused;
	uint64_t errors; /* findings by severity in the default profile, */
	uint64_t warnings; /* occurrences */
	uint64_t changes[DELTA_KINDS]; /* of the latest reading */
	int64_t since_s; /* of the latest reading: see reading_row */
	int64_t first_parent_id; /* an index that lists it, 0: none */
};

/* store_each_document(store, by, text, fn, arg): the documents of a site, or of
 * all sites if the text is empty, in order of URLs; or the documents with a
 * URL, one for each site that reaches the URL.  False from fn stops. */
enum documents_by { DOCUMENTS_OF_SITE, DOCUMENTS_AT };
typedef bool store_row_fn(void *arg, const struct document_row *);
void store_each_document(struct store *, enum documents_by, struct slice text,
    store_row_fn *, void *arg);

/* store_not_tried_since(store, document, *tries): when the document was refused
 * first since it was read last (0: it was not), and how often. */
int64_t store_not_tried_since(
    struct store *, const struct document *, uint64_t *tries);

/* store_each_finding(store, reading_id, fn, arg): the findings of a reading. */
struct finding_row {
	struct slice code;
	uint64_t count;
	uint32_t line; /* of the first sample */
	struct slice text; /* of the first sample */
};
typedef void store_finding_fn(void *arg, const struct finding_row *);
void store_each_finding(
    struct store *, int64_t reading_id, store_finding_fn *, void *arg);

/* The numbers that `freshet db info` prints. */
struct store_info {
	int schema_version;
	int schema_before; /* what it was when the store was opened */
	uint64_t file_bytes; /* with the write-ahead log */
	uint64_t used_bytes; /* see store_bytes */
	uint64_t sites;
	uint64_t documents; /* without robots.txt */
	uint64_t robots;
	uint64_t readings;
	uint64_t findings;
	uint64_t proofs;
	uint64_t watched; /* sites of the watch list */
	uint64_t pages; /* that were promoted */
	uint64_t urls; /* entries of all segments, missed included */
	uint64_t segment_bytes;
	uint64_t delta_bytes;
	int64_t first_reading_s;
	int64_t last_reading_s;
};
void store_info(struct store *, struct store_info *);

/*
 * Decoding a single block of a segment, with the reader of the source.
 *
 * one_block_open(block, store, id): the block with that id comes next.
 * one_block_close(block): fails the store if there is no such block, or if it
 * is damaged.  Another block may be opened then, in the same memory.
 * one_block_release(block): free the memory of a block that is not open.
 */
void one_block_open(struct block_source *, struct store *, int64_t id);
void one_block_close(struct block_source *);
void one_block_release(struct block_source *);

#endif
