/*
 * The siblings of a document: those that may list what it lacks, because pages
 * move from one to another.  They are its indexes, which may name a new child,
 * their other children, the children of indexes beside them, the documents that
 * the same robots.txt names, and the children of an index itself.
 *
 * The second reading of a document confirms that an entry is absent only when
 * all siblings were read since the first reading that lacked it (SPEC R-120).
 */
#ifndef FRESHET_SIBLINGS_H
#define FRESHET_SIBLINGS_H

#include <stdbool.h>
#include <stdint.h>

struct store;

/* siblings_open_s(store, document_id, now_s): What is absent from the document
 * since that time or later may be in a sibling that was not read since; 0: all
 * siblings were read.  A sibling that cannot be read completely counts as not
 * read, but for no longer than two days; one that robots.txt forbids, that was
 * never there, or that has failed for two days, does not count, and neither do
 * any if they are more than 1,000.  One that answers 404 or 410 was read. */
int64_t siblings_open_s(struct store *, int64_t document_id, int64_t now_s);

/* siblings_ask(store, document_id, since_s, due_s): The document lacks entries
 * since since_s, so that its siblings are to be read at due_s, if they were not
 * read since.  Of more than 20 siblings some are asked, those that an index
 * lists next to the document, it seems; the others have their ordinary
 * readings.  Returns whether all have been asked, or need not be. */
bool siblings_ask(
    struct store *, int64_t document_id, int64_t since_s, int64_t due_s);

/* siblings_each_asked(store, document_id, fn, arg): the siblings that are to be
 * read, and when.  fn may not use the store. */
typedef void siblings_asked_fn(void *arg, int64_t document_id, int64_t due_s);
void siblings_each_asked(
    struct store *, int64_t document_id, siblings_asked_fn *, void *arg);

/* Session parts in URLs: a sitemap lists the same pages, with another `?sid=`
 * or `;jsessionid=` at each reading. */

struct buf;

/* A document whose URLs changed so often in a row, by such a part alone, has
 * listed three versions of each: its changes are none of the site from then on,
 * until a reading brings pages otherwise. */
#define SESSION_READINGS 2

/* session_part_find(store, reading_id, part): did most pages that came by the
 * reading's delta take the places of pages that left, so that their URLs differ
 * in one parameter alone?  It is appended to part: "?sid=", ";jsessionid=". */
bool session_part_find(struct store *, int64_t reading_id, struct buf *part);

/* session_readings(store, document_id, before_id): how often in a row the URLs
 * of the document had changed so before that reading. */
uint64_t session_readings(
    struct store *, int64_t document_id, int64_t before_id);

#endif
