/* Events: what readings and fetches brought, for the scheduler to learn from.
 */
#ifndef FRESHET_SCHEDULER_EVENTS_H
#define FRESHET_SCHEDULER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/scheduler.h"
#include "sched/scheduler_next.h"

/* One reading of a document as a whole.  The signals of its pages, and of an
 * index its children's, follow right after it, in any order. */
struct scheduler_reading {
	int64_t now_s;
	/* entries; if is_unchanged, those of the reading before */
	uint32_t listed;
	uint32_t dated; /* entries with a date */
	uint32_t added, removed, moved; /* since the reading before */
	uint64_t bytes; /* received */
	double cost; /* in page fetches; 0: derive it from bytes */
	bool is_unchanged; /* 304, or the same bytes */
	bool is_bulk; /* no signals say which pages moved */
	bool is_partial; /* the reading removes nothing, and teaches nothing */
	bool is_failed; /* the document could not be read */
	bool is_gone; /* is_failed, and the status was 404 or 410 */
	/* is_failed, and the document has failed for long: R-77 */
	bool is_given_up;
};

enum scheduler_signal_kind {
	SIGNAL_NEW, /* listed for the first time */
	SIGNAL_MOVED, /* another date than before, or none any more */
	SIGNAL_REMOVED, /* no longer listed */
	SIGNAL_LEFT, /* no longer listed, but that says nothing of the page */
	SIGNAL_RETURNED, /* listed again */
};

struct scheduler_signal {
	enum scheduler_signal_kind kind;
	int64_t lastmod_s; /* or SCHEDULER_NO_DATE */
	bool is_day; /* the date has no time of day */
};

enum scheduler_outcome_kind {
	FETCH_CHANGED, /* the text is not that of the last fetch */
	FETCH_SAME,
	FETCH_NOT_MODIFIED, /* the server says that the page is unchanged */
	FETCH_GONE, /* 404, 410 */
	FETCH_FAILED, /* no answer, 5xx, 429: nothing is known */
	FETCH_MOVED_AWAY, /* a permanent redirect */
	FETCH_READ, /* the page exists; whether it changed is unknown */
};

/* After FETCH_FAILED a page is left alone for an hour, then for twice as long
 * each time, up to a week or its ceiling. */
struct scheduler_outcome {
	int64_t now_s; /* when the request was made */
	enum scheduler_outcome_kind kind;
	uint64_t bytes; /* received; 0: unknown */
	/* FETCH_FAILED: for so long the host wants no request; 0: the host
	 * named no time, and its pages are held after several have failed */
	int64_t hold_s;
	/* FETCH_FAILED by 429 or 503: the host is held for hold_s because it
	 * had too many requests, and no page of it has failed */
	bool is_limited;
	/* FETCH_READ: 401 or 403; the pages of the host are held when all
	 * answers are such */
	bool is_refused;
};

/* scheduler_reading(scheduler, document, reading): a document was read, or
 * could not be, no matter who asked for it. */
void scheduler_reading(
    struct scheduler *, uint32_t document, const struct scheduler_reading *);

/* scheduler_charge(scheduler, site, now_s): a request was made at the site that
 * is none of its pages and readings: it counts in the budgets of its host, its
 * tags and of everything. */
void scheduler_charge(struct scheduler *, uint32_t site, int64_t now_s);

/* scheduler_asked(scheduler, site, now_s): another request was made that the
 * site has to bear as one for a document. */
void scheduler_asked(struct scheduler *, uint32_t site, int64_t now_s);

/* scheduler_page_signal: what the latest reading of a page's document says of
 * the page.  scheduler_child_signal: what the latest reading of an index says
 * of a document that it lists. */
void scheduler_page_signal(
    struct scheduler *, uint32_t page, const struct scheduler_signal *);
void scheduler_child_signal(
    struct scheduler *, uint32_t document, const struct scheduler_signal *);

/* scheduler_hint(scheduler, kind, number, now_s): somebody says by himself that
 * the page changed (SCHEDULER_PAGE), or the document (SCHEDULER_DOCUMENT),
 * which is then due at its floor unless hints of its site proved to be wrong.
 * What the next fetch, or reading, finds is learned of the hints of the site.
 * (T17)
 */
void scheduler_hint(
    struct scheduler *, enum scheduler_kind, uint32_t number, int64_t now_s);

/* scheduler_drop(scheduler, document, is_dropped): no index lists the document
 * any more.  With is_dropped false: an index lists the document again, but not
 * the one that the scheduler knows. */
void scheduler_drop(struct scheduler *, uint32_t document, bool is_dropped);

/* scheduler_owe(scheduler, document, owed_s): the last reading left something
 * open, so the document is due at owed_s, a day from now at the latest, as if
 * it were past its ceiling; 0: nothing is open.  scheduler_save_document does
 * not keep this. */
void scheduler_owe(struct scheduler *, uint32_t document, int64_t owed_s);

/* scheduler_relearn(scheduler, document): forget what was learned of the
 * document, and what it lists; it is an index from now on if it was none, or
 * none if it was one.  Its children have no parent any more.  Its pages stay;
 * as long as it is an index, they teach nothing of its dates, and add nothing
 * to the value of its readings. */
void scheduler_relearn(struct scheduler *, uint32_t document);

/* scheduler_listed(scheduler, document, count): how many pages the document
 * lists that were never fetched and are no pages of the scheduler yet. */
void scheduler_listed(struct scheduler *, uint32_t document, uint32_t count);

/* scheduler_outcome(scheduler, page, outcome): a page was fetched, no matter
 * who asked for it. */
void scheduler_outcome(
    struct scheduler *, uint32_t page, const struct scheduler_outcome *);

/* scheduler_retire(scheduler, kind, number, is_retired): never choose that
 * page, or that document's reading, again; events may still come.  kind is
 * SCHEDULER_PAGE or SCHEDULER_DOCUMENT.  Not kept by scheduler_save_*.
 * With is_retired false: end that; all that was learned stands.  SIGNAL_NEW and
 * SIGNAL_RETURNED end it, too. */
void scheduler_retire(
    struct scheduler *, enum scheduler_kind, uint32_t number, bool is_retired);

/* scheduler_set_document(scheduler, page, document): another document lists the
 * page now.  The page gets the trust in the dates of that document and the
 * quota of its site, and keeps the moves seen since its last fetch.  O(1); the
 * documents' lists of pages are put in order later. */
void scheduler_set_document(
    struct scheduler *, uint32_t page, uint32_t document);

/* scheduler_weigh(scheduler, page, weight): change the weight of a page. */
void scheduler_weigh(struct scheduler *, uint32_t page, float weight);

#endif
