/* What holds while a robots.txt cannot be read (SPEC R-102). */
#ifndef FRESHET_ROBOTS_FALLBACK_H
#define FRESHET_ROBOTS_FALLBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/profile.h"
#include "store/proof.h"

struct store;

/* A robots.txt is not requested again within that time, whatever lifetime its
 * answer has, and even if it cannot be read: else each document would request
 * it. */
#define ROBOTS_LEAST_S 3600

/*
 * robots_is_closed(store, site_id, profile, fact, now_s):
 * Is fetching anything of the origin forbidden, because its robots.txt cannot
 * be read?
 *
 * robots_has_given_up(profile, fact, now_s): does the old copy not hold any
 * more?  Only the google profile gives it up.
 */
bool robots_is_closed(struct store *, int64_t site_id, const struct profile *,
    const struct robots_fact *, int64_t now_s);
bool robots_has_given_up(
    const struct profile *, const struct robots_fact *, int64_t now_s);

/* robots_is_old(fact, now_s): is the last good copy of a robots.txt that cannot
 * be read 30 days old? */
bool robots_is_old(const struct robots_fact *, int64_t now_s);

/*
 * robots_is_spare(store, origin): an https origin that never answered, while
 * the same host answers by http.  Nobody needs the origin, so its robots.txt is
 * requested once a week only, and nothing counts it as failing.
 *
 * ROBOTS_IS_SPARE: the same in SQL, of the row o of main.origin.
 * DOCUMENT_FAILS: in SQL, did the latest attempt to read a document fail, or
 * was it not made, because robots.txt or another rule forbids it?
 * DOCUMENT_IS_FAILING: the same of the row d of main.document, if the site
 * needs that document.
 */
#define ROBOTS_IS_SPARE                                        \
	"(o.origin GLOB 'https://*' AND o.failing_since_s > 0" \
	" AND o.status = 0 AND o.body IS NULL"                 \
	" AND EXISTS (SELECT 1 FROM main.origin h"             \
	" WHERE h.origin = 'http' || substr(o.origin, 6)"      \
	" AND h.status <> 0 AND h.failing_since_s = 0))"
#define DOCUMENT_FAILS "(failures > 0 OR last_try_s > last_read_s)"
#define DOCUMENT_IS_FAILING                                                   \
	"((d.failures > 0 OR d.last_try_s > d.last_read_s)"                   \
	" AND d.is_led AND d.ended_s = 0"                                     \
	" AND NOT (d.url GLOB '*/robots.txt' AND EXISTS (SELECT 1"            \
	" FROM main.origin o WHERE o.origin = substr(d.url, 1, length(d.url)" \
	" - 11) AND " ROBOTS_IS_SPARE ")))"
bool robots_is_spare(struct store *, struct slice origin);

/* robots_is_left(store, origin, now_s): is the origin spare, and was it asked
 * within the last week? */
bool robots_is_left(struct store *, struct slice origin, int64_t now_s);

#endif
