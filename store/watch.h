/* What people say about sites: the watch list, that is the sites that are kept
 * fresh with the settings of each, and notes. */
#ifndef FRESHET_WATCH_H
#define FRESHET_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/strings.h"

struct store;

struct watch {
	int64_t site_id;
	char *host; /* owned; of the site; not written */
	bool is_watched; /* false: the site was removed from the list */
	int64_t added_s;
	double weight;
	/* between readings of a document, and between fetches of a page: at
	 * least, at most; 0: no bound */
	int64_t every_least_s, every_most_s;
	int64_t page_least_s, page_most_s;
	double requests_per_hour; /* 0: no budget of its own */
	char *profile; /* owned; NULL: that of the configuration */
	struct strings targets; /* as they were given */
	struct strings tags;
	struct strings filters; /* texts of base/page_filter.h; none: all */
	/* at most one each: how many new pages are asked for their titles,
	 * "20/d", and how many pages of an event are asked whether they are
	 * there, "5" */
	struct strings titles, verify;
	struct strings sign; /* when requests are signed, at most one */
};

/* The defaults: watched, weight 1, no bounds, no site. */
#define WATCH_DEFAULTS                          \
	{                                       \
		.is_watched = true, .weight = 1 \
	}

/* watch_release(watch): also for a zeroed struct. */
void watch_release(struct watch *);

/* store_watch_get(store, site_id, watch): the caller releases it.  Returns
 * false, and sets nothing, if the site never was on the list. */
bool store_watch_get(struct store *, int64_t site_id, struct watch *);

/* store_watch_rules(store, host, name, sign, filters): make name that of the
 * profile of a watched site, if there is one, and append its filters, and when
 * its requests are signed.  Each start asks for each site, so this is not
 * store_watch_get(). */
void store_watch_rules(struct store *, struct slice host, struct buf *name,
    struct buf *sign, struct strings *filters);

/* store_watch_put(store, watch): replace all settings of the site; durable with
 * the next store_flush. */
void store_watch_put(struct store *, const struct watch *);

/* store_each_watch(store, fn, arg): each site that is or was on the list, in
 * order of hosts; borrowed.  fn may use the store. */
typedef void store_watch_fn(void *arg, const struct watch *);
void store_each_watch(struct store *, store_watch_fn *, void *arg);

/* store_tag_budget_put(store, tag, per_hour): set the budget of requests to all
 * sites with a tag together; 0: no budget.  Durable by store_flush(). */
void store_tag_budget_put(struct store *, const char *tag, double per_hour);

/* store_each_tag_budget(store, fn, arg): all budgets, in order of tags;
 * borrowed. fn may not use the store. */
typedef void store_tag_budget_fn(void *arg, struct slice tag, double per_hour);
void store_each_tag_budget(struct store *, store_tag_budget_fn *, void *arg);

/* Notes that people keep about days of a site. */

#define NOTE_MOST 1000 /* of a site */
#define NOTE_BYTES 500 /* of a text */

enum note_change { NOTE_ADDED, NOTE_SAME, NOTE_FULL, NOTE_REMOVED, NOTE_NONE };

/*
 * store_note_set(store, site_id, at_s, text): keep a note; the same text at the
 * same time is one note.  If the text is NULL, all notes of that time are
 * removed: REMOVED, or NONE if there were none.  Durable with the next commit.
 * store_each_note(store, site_id, fn, arg): the notes of a site in order of
 * time; borrowed.  fn may not use the store.
 */
enum note_change store_note_set(
    struct store *, int64_t site_id, int64_t at_s, const char *text);
typedef void store_note_fn(void *arg, int64_t at_s, struct slice text);
void store_each_note(
    struct store *, int64_t site_id, store_note_fn *, void *arg);

#endif
