/*
 * The driver: robots.txt of each origin, and the tasks and crawls that wait for
 * it (SPEC section 8).
 */
#ifndef FRESHET_RUN_ROBOTS_H
#define FRESHET_RUN_ROBOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/robots.h"
#include "base/slice.h"

struct content;
struct crawled_site;
struct document;
struct fetch_request;
struct fetch_result;
struct findings;
struct robots_fact;
struct run;

/* robots_parse_noting(body, agent, profile, findings): robots_parse(), whose
 * findings are added with their lines. */
struct robots *robots_parse_noting(struct slice body, struct slice agent,
    const struct profile *, struct findings *);

/* robots_is_known(run, origin, site): is robots.txt of the origin known well
 * enough for that site entry? A crawl needs an answer of its own time, not one
 * of an earlier crawl; a single document needs one that is fresh (SPEC
 * */
bool robots_is_known(struct run *, uint32_t origin, uint32_t site);

/*
 * robots_ask(run, origin, site): get robots.txt for that site, from the store
 * or from the server. If the store has a good copy, origin.state is KNOWN
 * afterwards.
 * robots_task(run, origin, site): ask the server, even if robots.txt is known.
 * robots_want(run, origin, site): the documents of the site's crawl wait until
 * robots.txt is known.
 */
void robots_ask(struct run *, uint32_t origin, uint32_t site);
void robots_task(struct run *, uint32_t origin, uint32_t site);
void robots_want(struct run *, uint32_t origin, uint32_t site);

/* page_purposes(run, task): the purposes for which an ordered page is wanted; 0
 * for other tasks.
 * robots_judge(run, task, origin, target): robots_page_verdict() by the rules
 * of the origin, for those purposes; the rule in it is borrowed until the next
 * call of this module.
 * robots_use(run, origin, site, fact): from now on the rules of the body of
 * this fact hold, which is in the store, for that entry of a site; without a
 * body all is allowed, and site and fact may be NULL. */
unsigned page_purposes(const struct run *, uint32_t task);
struct robots_verdict robots_judge(
    struct run *, uint32_t task, uint32_t origin, struct slice target);
void robots_use(struct run *, uint32_t origin, const struct crawled_site *,
    const struct robots_fact *);

/* robots_release_crawls(run, origin): the crawls that wait for this robots.txt
 * go on. */
void robots_release_crawls(struct run *, uint32_t origin);

/* robots_conditions(run, task, document, request): set the validators of the
 * stored copy, if the copy is good. */
void robots_conditions(struct run *, uint32_t task, const struct document *,
    struct fetch_request *);

/* robots_answered(run, task, result): the request for robots.txt has ended,
 * with or without an answer. */
void robots_answered(struct run *, uint32_t task, const struct fetch_result *);

/* robots_finished(run, task, result, content): a reader has read the body, see
 * readers_done_fn. Takes content over. */
void robots_finished(
    struct run *, uint32_t task, enum diag_code result, struct content *);

/* robots_admit(run, task): may the request of a task that comes out of the host
 * queue be sent? False: robots.txt is too old by now (SPEC R-104), or forbids
 * the task now, and the task is judged anew. */
bool robots_admit(struct run *, uint32_t task);

/* robots_forget(run, task): if only closed sites of its own crawl want this
 * robots.txt, do not ask for it and return true. */
bool robots_forget(struct run *, uint32_t task);

#endif
