/* What alerts have told, and what they could not tell yet. */
#ifndef FRESHET_STORE_ALERT_H
#define FRESHET_STORE_ALERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

/* An alert that tells in one way.  The store has no events: they are found
 * anew in what happened since until_s. */
struct store_alert {
	int64_t begun_s; /* it tells the events that are known from then on */
	int64_t until_s; /* those that were known before are told */
	int64_t tries; /* that failed, in a row */
	int64_t next_s; /* when the next one is made */
	char *why; /* owned: of the last one that failed, or NULL */
};

/* A site whose events are told up to an earlier time only. */
struct store_alert_site {
	int64_t site_id;
	int64_t until_s;
};

/* The sink of the rows of `freshet notify`, whose names are hosts.  They have
 * no time but next_s. */
#define ALERT_NOTICE 100

/*
 * store_alert_get(store, name, sink, alert): false if the alert is new; free
 * its `why`.  The empty name is for whoever tells at this moment.
 * store_alert_held(store, name, sink, site_id): the until_s of a site; 0: that
 * of the alert.
 * store_alert_put(store, name, sink, alert, sites, count): write the alert, and
 * all its sites; with NULL these stay as they are.
 */
bool store_alert_get(
    struct store *, struct slice name, int sink, struct store_alert *);
int64_t store_alert_held(
    struct store *, struct slice name, int sink, int64_t site_id);
void store_alert_put(struct store *, struct slice name, int sink,
    const struct store_alert *, const struct store_alert_site *, size_t count);

#endif
