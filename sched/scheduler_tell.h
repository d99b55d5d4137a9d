/* What the scheduler is told: readings, signals, outcomes. */
#ifndef FRESHET_SCHEDULER_TELL_H
#define FRESHET_SCHEDULER_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/scheduler.h"

/*
 * One reading of a document as a whole.  The signals of its pages, and for an
 * index of its children, are told right after it, in any order.
 */
struct scheduler_reading {
	int64_t now_s;
	uint32_t listed; /* entries; is_unchanged: as before */
	uint32_t dated; /* of them with a date */
	uint32_t added, removed, moved; /* since the reading before */
	double added_weight; /* of the added pages; 0: one each */
	uint64_t bytes; /* that came */
	double cost; /* in page fetches; 0: by bytes */
	bool is_unchanged; /* 304, or the same bytes */
	bool is_bulk; /* which pages moved is not told one by one */
	bool is_partial; /* it removes nothing, and teaches nothing */
	bool is_failed; /* no reading came of it */
	bool is_gone; /* is_failed by 404 or 410 */
	bool is_given_up; /* is_failed, and so for long: R-77 */
	int64_t hold_s; /* is_failed: the host wants no request before */
};

enum scheduler_signal_kind {
	SIGNAL_NEW, /* listed for the first time */
	SIGNAL_MOVED, /* another date than before, or none any more */
	SIGNAL_REMOVED, /* no longer listed */
	SIGNAL_RETURNED, /* listed again */
};

struct scheduler_signal {
	enum scheduler_signal_kind kind;
	int64_t lastmod_s; /* SCHEDULER_NO_DATE: none */
	bool is_day; /* the date has no time */
};

enum scheduler_outcome_kind {
	FETCH_CHANGED, /* other text than at its last fetch */
	FETCH_SAME,
	FETCH_NOT_MODIFIED, /* says its server */
	FETCH_GONE, /* 404, 410 */
	FETCH_FAILED, /* no answer, 5xx, 429: nothing is known */
	FETCH_MOVED_AWAY, /* it redirects for good */
	FETCH_READ, /* it is there, and whether it changed is not known */
};

struct scheduler_outcome {
	int64_t now_s; /* when it was asked */
	enum scheduler_outcome_kind kind;
	uint64_t bytes; /* that came; 0: unknown */
	/* Of FAILED, which a page is left alone after for an hour, then for
	 * twice as long each time, up to a week, or its ceiling: */
	int64_t hold_s; /* the host wants no request before; 0: it did not say
			 * so, and its pages are held when several failed */
	bool is_limited; /* 429, 503: it was asked too much, and is held */
	bool is_refused; /* of READ: 401, 403; where all are its pages are held
			  */
};

/* scheduler_reading(scheduler, document, reading): whoever asked for it. */
void scheduler_reading(
    struct scheduler *, uint32_t document, const struct scheduler_reading *);

/* Said by the latest reading of the page's document, or of the child's
 * index. */
void scheduler_page_signal(
    struct scheduler *, uint32_t page, const struct scheduler_signal *);
void scheduler_child_signal(
    struct scheduler *, uint32_t document, const struct scheduler_signal *);

/* scheduler_drop(scheduler, document, is_dropped): no index lists it any more;
 * or one does, while the scheduler knows of none that did. */
void scheduler_drop(struct scheduler *, uint32_t document, bool is_dropped);

/* scheduler_owe(scheduler, document, owed_s): its last reading left something
 * open: it is to be read then, a day from now at the latest, as if it were past
 * its ceiling; 0: it did not.  Not kept by scheduler_save. */
void scheduler_owe(struct scheduler *, uint32_t document, int64_t owed_s);

/* scheduler_listed(scheduler, document, count): so many pages that it lists
 * were never fetched and are no pages of the scheduler yet. */
void scheduler_listed(struct scheduler *, uint32_t document, uint32_t count);

/* scheduler_outcome(scheduler, page, outcome): whoever asked for it. */
void scheduler_outcome(
    struct scheduler *, uint32_t page, const struct scheduler_outcome *);

/*
 * scheduler_retire(scheduler, kind, number): a page, or the reading of a
 * document (SCHEDULER_PAGE, _DOCUMENT), that is not to be chosen any more; one
 * that is out may still be told of.  Not kept by scheduler_save.
 * scheduler_return(scheduler, kind, number): it may be chosen again, and all
 * that is known of it stands; SIGNAL_NEW and SIGNAL_RETURNED do that, too.
 */
void scheduler_retire(struct scheduler *, enum scheduler_kind, uint32_t number);
void scheduler_return(struct scheduler *, enum scheduler_kind, uint32_t number);

/* scheduler_set_document(scheduler, page, document): that one lists it now:
 * what its dates are worth holds from now on, and what its site is asked, and
 * what it moved since its last fetch stands.  O(1); pages of a document are put
 * in order later. */
void scheduler_set_document(
    struct scheduler *, uint32_t page, uint32_t document);

/* scheduler_weigh(scheduler, page, weight): it is that important now. */
void scheduler_weigh(struct scheduler *, uint32_t page, float weight);

#endif
