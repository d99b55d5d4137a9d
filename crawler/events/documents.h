/*
 * Events that follow from the readings of single documents: mass drops, dates
 * that all move or go backwards, verdicts, lost Sitemap lines, and documents
 * that cannot be read; and what changed in the robots.txt files of a site.
 *
 * Readings come in the order of commits.  Readings of one kind within a day of
 * the first become one event, of mass drops one for each document.
 */
#ifndef FRESHET_EVENT_DOCUMENTS_H
#define FRESHET_EVENT_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/events/events.h"
#include "crawler/events/site_event.h"
#include "store/changes.h"

/* A document that fails for so long is an event. */
#define FAILING_S INT64_C(86400)
#define REDATED_LEAST 20 /* pages, and half of those with dates */
#define REDATED_QUIET 10 /* times the pages that came or went with them */
#define BACKWARDS_LEAST 5 /* pages, and a tenth of those with dates */
#define BACKWARDS_SHARE 10
#define OTHER_SITEMAP_LEAST 5 /* pages */
/* A document that was not read for so long is unseen. */
#define UNSEEN_S (2 * INT64_C(86400))

/* A reading, and what else must be known of it. */
struct document_facts {
	const struct reading_row *row;
	/* Changes of the site without pages that moved. */
	uint64_t new_pages, gone_pages;
	/* The mass-drop finding of the reading: so many of so many are held; 0:
	 * there is none.  is_still_held: since an earlier reading. */
	uint64_t held, held_of;
	bool is_still_held;
	bool has_lost_line; /* the finding sitemap-line-lost */
	struct slice text; /* the finding about its failure or its verdicts */
	struct slice part; /* of its URLs, if that changes at every reading */
};

/*
 * From when on it is known whether pages that came or went have moved.
 *
 * A page that moves comes under its new URL first; that it is gone from its old
 * one is known only when a second reading lacks it (SPEC R-120), or when a
 * second reading of an index or a robots.txt has ended its document.  So what
 * came or went at a time is settled two days later, or, if a document was open
 * a day and a half later (its latest reading lacks entries for the first time,
 * or a mass drop is held), when that document has been read again; at most two
 * weeks later, because pairs of a move are no further apart
 * (store/site_changes.h).
 */
#define SETTLED_LEAST_S (2 * INT64_C(86400))

struct open_interval {
	int64_t from_s, to_s; /* to_s 0: still open */
};

/* Times in which documents were open; zeroed: none was. */
struct open_documents {
	struct open_interval *items; /* owned */
	size_t count, cap;
	int64_t now_s; /* set by the caller */
	/* the first time after now_s when something is settled; the caller sets
	 * it to INT64_MAX */
	int64_t until_s;
};

/* open_documents_add(open, from_s, to_s): a document was open; to_s 0: it is
 * open now.  An interval that is too short to matter is not kept. */
void open_documents_add(struct open_documents *, int64_t from_s, int64_t to_s);

/* open_documents_settled(open, at_s): when what came or went at at_s was
 * settled; 0: it is not settled before now_s. open_documents_is_none(open): is
 * no document open now? */
int64_t open_documents_settled(struct open_documents *, int64_t at_s);
bool open_documents_is_none(const struct open_documents *);

struct documents;

/* documents_new(lag_s): what is read lag_s after an event became known, or
 * later, does not change the event; DOCUMENTS_AS_KNOWN: all readings do. */
#define DOCUMENTS_AS_KNOWN INT64_MAX
struct documents *documents_new(int64_t lag_s);
void documents_free(struct documents *);

/* documents_moved(documents, at_s, known_s): a page that came by a reading of
 * at_s had moved, as was known at known_s.  Call this function before
 * documents_reading(), in the order of known_s. */
void documents_moved(struct documents *, int64_t at_s, int64_t known_s);

/*
 * documents_reading(documents, facts, list): add the events of a reading.
 * documents_unseen(documents, row): for UNSEEN_S before this reading, was the
 * document not read, or no sitemap of the site at all?  Call this function
 * before documents_reading().
 * documents_are_seen(documents, since_s, at_s): was each document that brought
 * new pages since since_s read at most UNSEEN_S before at_s?
 * documents_end(documents, open, list): call this function after the last
 * reading.  It fills in when documents were open, and drops events that are
 * too small.
 */
void documents_reading(struct documents *, const struct document_facts *,
    struct site_event_list *);
bool documents_unseen(struct documents *, const struct reading_row *);
bool documents_are_seen(
    const struct documents *, int64_t since_s, int64_t at_s);
void documents_end(
    struct documents *, struct open_documents *, struct site_event_list *);

/* robots_events(store, site_id, window, list): Add an event for each text of a
 * robots.txt of the site's origins that was read since the window began and
 * differs, by robots_compare(), from the text before it.  No event is added if
 * only Sitemap lines changed, and the list has an event of the same reading
 * that says that they were lost or came back. */
void robots_events(struct store *, int64_t site_id, const struct events_span *,
    struct site_event_list *);

#endif
