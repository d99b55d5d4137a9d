/*
 * Which documents of a site are reachable, and so list what they list (SPEC
 * 15.3).
 *
 * Roots lead to documents: the targets of the operator, the Sitemap lines of
 * robots.txt, the default places.  From there links of indexes do, and a
 * document that redirects to where another one is leads to that.  What nothing
 * leads to any more has ended: all that it listed is gone, in a reading of its
 * own, and it is read anew when something leads to it again.
 */
#ifndef FRESHET_REACH_H
#define FRESHET_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/proof.h"

struct store;

enum root_kind { ROOT_OF_TARGET, ROOT_OF_LINE, ROOT_OF_PLACE };

/* 404 or 410 for that long, and nothing else, ends a document. */
#define REACH_ABSENT_S (7 * INT64_C(86400))

/* reach_root(store, site_id, document_id, kind, origin): make a document a
 * root; `origin` is that of the robots.txt that names it, empty for a target.
 */
void reach_root(struct store *, int64_t site_id, int64_t document_id,
    enum root_kind, struct slice origin);

/*
 * reach_unroot(store, site_id, what):
 * Remove roots because the operator changed the targets: a target, and the
 * roots by the robots.txt and the default places of an origin.  Documents that
 * end by that did not leave their site, so no change of the site is reported.
 */
struct unrooting {
	int64_t document_id; /* 0: none */
	struct slice origin; /* empty: none */
	int64_t at_s;
};
void reach_unroot(struct store *, int64_t site_id, const struct unrooting *);

/*
 * reach_robots(store, origin_id, fact): its robots.txt was read whole, and what
 * it names are its proofs by now.  A line that it lacks for the second time in
 * a row, and a default place, end as roots once another that it names has been
 * read since.  When it names none nothing ends: answers how many lines it had.
 */
uint64_t reach_robots(
    struct store *, int64_t origin_id, const struct robots_fact *);

/* reach_each_root(store, site_id, origin, fn, arg): the URLs of roots by the
 * robots.txt and the default places of an origin; ended documents are left out.
 */
void reach_each_root(struct store *, int64_t site_id, struct slice origin,
    store_text_fn *, void *arg);

/* store_each_unled(store, site_id, fn, arg): the documents of a site that
 * nothing leads to, and each robots.txt that is read for none of the others; in
 * order of ids. store_is_led(store, document_id): does anything lead to the
 * document? */
typedef void store_unled_fn(void *arg, int64_t document_id);
void store_each_unled(
    struct store *, int64_t site_id, store_unled_fn *, void *arg);
bool store_is_led(struct store *, int64_t document_id);

/*
 * reach_settle(store, at_s, how): before COMMIT, find out what is reachable at
 * the sites in doubt (doubt.h).
 *
 * That costs some 20 microseconds for each document of a site, so a site with
 * more than SETTLE_MANY documents is settled again at most once in a time that
 * grows with their number: SETTLE_SOON keeps the work below 2 % of the time,
 * SETTLE_NEEDED (a reading of an ended document, or the end of a crawl, needs
 * the answer) below 10 %.  What is not settled when
 * the process ends is in doubt again after the next reading of the document
 * that led to the doubt.
 *
 * Sites that are known from before version 10 of the schema change silently.
 */
#define SETTLE_MANY 1000
enum settling { SETTLE_SOON, SETTLE_NEEDED };
void reach_settle(struct store *, int64_t at_s, enum settling);

/* store_settle(store, site_id, now_s): is the site in doubt?  Then it is
 * settled in the open transaction, or it is too soon for that: ask again after
 * the next COMMIT, or in a second. */
bool store_settle(struct store *, int64_t site_id, int64_t now_s);

#endif
