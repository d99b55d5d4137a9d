/* The driver: parties, and what they hear; see run_internal.h. */
#ifndef FRESHET_RUN_PARTY_H
#define FRESHET_RUN_PARTY_H

#include "crawler/crawl/run_tables.h"

void party_release(struct party *);

/* parties_step(run): what can go on goes on; parties that are over end. */
void parties_step(struct run *);

/* party_claim(run, visit, urls): it has read so many; its party and its site
 * may have reached their limits. */
void party_claim(struct run *, uint32_t visit, uint64_t urls);

/* party_room(run): how many documents at once the party that is nearest to its
 * limit has room for, by the size of those so far. */
uint64_t party_room(const struct run *);

/* party_waits(run, visit): do the readers have as many documents of its site
 * as the limit of the site may have room for? */
bool party_waits(struct run *, uint32_t visit);

/* party_heard_robots(run, party, origin): that robots.txt is known now, or
 * given up. */
void party_heard_robots(struct run *, uint32_t party, uint32_t origin);

void party_problem(
    struct party *, enum diag_code, struct slice url, struct slice text);
/* party_returns(run, party, document_id): nothing came of it. */
void party_returns(struct run *, uint32_t party, int64_t document_id);

/* party_starts_anew(run, party): nothing that was read before counts. */
bool party_starts_anew(const struct run *, uint32_t party);

/* party_heard(run, visit, reading): it is committed: counted and told. */
void party_heard(struct run *, uint32_t visit, const struct reading *);

/* party_tell_time(run, party): once, if the clock was set back. */
void party_tell_time(struct run *, uint32_t party);

/* party_is_closed(run, visit): it is not asked for, by a limit of its party or
 * site, or of the store. */
bool party_is_closed(struct run *, uint32_t visit);

/* party_skips(run, visit): true when its party asks for nothing more; the
 * visit is finished then. */
bool party_skips(struct run *, uint32_t visit);

#endif
