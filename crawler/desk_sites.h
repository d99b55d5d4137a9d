/* Sites and documents of the desk. */
#ifndef FRESHET_DESK_SITES_H
#define FRESHET_DESK_SITES_H

#include "crawler/desk_internal.h"
#include "store/reading.h"

struct roster_row;
struct watch;

/* site_put(desk, site_id, host, watch): one that is not known yet; watch is
 * NULL when it never was on the watch list. */
uint32_t site_put(
    struct desk *, int64_t site_id, struct slice host, const struct watch *);

/* site_find(desk, site_id): made from the store when new; NONE: it has none. */
uint32_t site_find(struct desk *, int64_t site_id);

/* site_wants(site, url): is it in one of its sections, and the site on? */
bool site_wants(const struct site_at *, struct slice url);

/* site_taken(desk, site): a page of it is handed out. */
void site_taken(struct desk *, uint32_t site);

/* document_put(desk, row): the number of that document, made when it is new or
 * turned out to be an index, or none; those above it first. */
uint32_t document_put(struct desk *, const struct roster_row *);

/* document_find(desk, id): the same, by its id; NONE: there is none.
 * document_seen: it was seen to be of that kind. */
uint32_t document_find(struct desk *, int64_t id);
uint32_t document_seen(struct desk *, int64_t id, enum document_kind);

/* document_wanted(desk, document): it is to be read, or not, as its site is
 * watched.  To be called when the scheduler was told of it by an index. */
void document_wanted(struct desk *, uint32_t document);

/* document_left(desk, document): tell the scheduler how many of its entries are
 * no pages yet, as far as is known.  document_listed: other ones than before,
 * perhaps. */
void document_left(struct desk *, uint32_t document);
void document_listed(struct desk *, uint32_t document);

/* document_learned(desk, document, row): believe what was saved of it; where
 * nothing is, that it was read. */
void document_learned(
    struct desk *, uint32_t document, const struct roster_row *);

void sites_release(struct desk *);

#endif
