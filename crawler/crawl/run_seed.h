/* The driver: documents that a site begins with, and default locations. */
#ifndef FRESHET_RUN_SEED_H
#define FRESHET_RUN_SEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "sched/host_queue.h"

struct run;
struct task;
struct url;

/*
 * seed_document(run, site, url, document_id, class): the task of this site
 * entry for the document, added if there is none; document_id 0: the document
 * is looked up by its URL, or made.
 */
uint32_t seed_document(struct run *, uint32_t site, struct slice url,
    int64_t document_id, enum host_queue_class);

/* seed_leads_inward(run, origin, url): SPEC R-70: does a host with a name, or a
 * public address, name a URL with a private address? */
bool seed_leads_inward(struct run *, uint32_t origin, struct slice url);

/*
 * seed_probe(run, origin, site): try the next default location of the origin
 * for that site entry.
 * seed_probe_below(run, like, folder, place): try the default location of that
 * number below a target; after the last one, the target is a document itself,
 * unless it is a folder of files. `like` has the site and the origin.
 * seed_next(run, task): nothing is at the default location of the task: try the
 * next one. False: no location is left.
 */
bool seed_probe(struct run *, uint32_t origin, uint32_t site);
bool seed_probe_below(
    struct run *, const struct task *like, struct slice folder, size_t place);
bool seed_next(struct run *, uint32_t task);

/* seed_end_probe(run, task, code): nothing is at this default location; the
 * next one is tried if the host answers at all. */
void seed_end_probe(struct run *, uint32_t task, enum diag_code);

/* seed_is_left(run, task): called before the request of the task is sent:
 * should its connection be closed afterwards, because it will probably not be
 * used again? */
bool seed_is_left(struct run *, uint32_t task);

/* seed_http_of(run, origin, url): set url to the root URL of the same host with
 * http. */
void seed_http_of(const struct run *, uint32_t origin, struct url *);

#endif
