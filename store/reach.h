/*
 * Which documents of a site are reachable, and so list what they list (SPEC
 * 15.3).
 *
 * A document is reachable if it is a root (a target of the operator, a Sitemap
 * line of a robots.txt, a default location), if a reachable index links to it,
 * or if a reachable document redirects to it.  A document that is not reachable
 * any more ends: a reading of its own says that all its entries are gone.  When
 * something leads to the document again, it is read anew.
 */
#ifndef FRESHET_REACH_H
#define FRESHET_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/document.h"
#include "store/proof.h"

struct store;

enum reach_root_kind { ROOT_OF_TARGET, ROOT_OF_LINE, ROOT_OF_PLACE };

/* A document ends when it has answered 404 or 410, and nothing else, for so
 * long. */
#define REACH_ABSENT_S (7 * INT64_C(86400))

/* reach_root(store, site_id, document_id, kind, origin): make a document a
 * root; `origin` is that of the robots.txt that names it, or empty. */
void reach_root(struct store *, int64_t site_id, int64_t document_id,
    enum reach_root_kind, struct slice origin);

/* reach_root_kind(store, document_id, *kind): what makes the document a root, a
 * target first; false: it is none. */
bool reach_root_kind(
    struct store *, int64_t document_id, enum reach_root_kind *);

/* reach_unroot(store, site_id, what): Remove roots because the operator changed
 * the targets: a target, and the roots by the robots.txt and the default places
 * of an origin.  Documents that end by that did not leave their site, so no
 * change of the site is reported. */
struct unrooting {
	int64_t document_id; /* 0: none */
	struct slice origin; /* empty: none */
	int64_t at_s;
};
void reach_unroot(struct store *, int64_t site_id, const struct unrooting *);

/*
 * reach_robots(store, origin_id, fact):
 * Update the roots after the robots.txt of the origin was read whole and its
 * proofs were stored.  Two kinds of roots end as soon as another document that
 * robots.txt names has been read since: a Sitemap line that is missing for the
 * second time in a row, and a default location.
 *
 * If robots.txt names no document, no root ends.  Then the function returns how
 * many roots are Sitemap lines of it; else it returns 0.
 */
uint64_t reach_robots(
    struct store *, int64_t origin_id, const struct robots_fact *);

/*
 * reach_settle(store, at_s, how):
 * Before COMMIT, settle the sites in doubt: find out which of their
 * documents are reachable.
 *
 * That costs some 20 microseconds for each document of a site, so a site with
 * more than SETTLE_MANY documents is settled again at most once in a time that
 * grows with their number: SETTLE_SOON keeps the work below 2 % of the time,
 * SETTLE_NEEDED (a reading of an ended document, or the end of a crawl, needs
 * the answer) below 10 %.  If the process ends before a site is settled, the
 * next reading of the document that led to the doubt puts the site in doubt
 * again.
 *
 * A site from before version 10 of the schema is settled silently the first
 * time: no change is reported.
 */
#define SETTLE_MANY 1000
enum settling { SETTLE_SOON, SETTLE_NEEDED };
void reach_settle(struct store *, int64_t at_s, enum settling);

/* store_settle(store, site_id, now_s): is the site in doubt?  If so, it is
 * settled in the open transaction, unless it is too soon for that; in both
 * cases ask again after the next COMMIT, or in a second. */
bool store_settle(struct store *, int64_t site_id, int64_t now_s);

#endif
