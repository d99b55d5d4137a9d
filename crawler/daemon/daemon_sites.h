/* The daemon: sites of the watch list, see daemon_internal.h. */
#ifndef FRESHET_DAEMON_SITES_H
#define FRESHET_DAEMON_SITES_H

#include "crawler/daemon/daemon_internal.h"

/* daemon_sites_load(daemon, now_s): the watch list; daemon_sites_release. */
void daemon_sites_load(struct daemon *, int64_t now_s);
void daemon_sites_release(struct daemon *);

/* site_of(daemon, id): its place, made when it is new to us; NO_SITE: it never
 * was on the list. */
uint32_t site_of(struct daemon *, int64_t site_id, int64_t now_s);

/* site_next_whole(daemon, now_s): one that is to be crawled whole now, and not
 * then any more; NO_SITE: none. */
uint32_t site_next_whole(struct daemon *, int64_t now_s);

/* site_is_aside(daemon, site): is it set aside?  Then it is not crawled whole,
 * and looked at again a while later. */
bool site_is_aside(struct daemon *, uint32_t site);

/* site_whole_s(daemon): when the first is; NEVER_S: there is none. */
int64_t site_whole_s(const struct daemon *);

/* site_crawled(daemon, site, is_found, now_s): kept, and tried again if nothing
 * was found: the time of that, 0: it is not. */
int64_t site_crawled(
    struct daemon *, uint32_t site, bool is_found, int64_t now_s);

/* site_failed(daemon, site, now_s): a document of it could not be read; where
 * none could for a day it is looked for as at first. */
void site_failed(struct daemon *, uint32_t site, int64_t now_s);

/* site_plan(daemon, site): when it is crawled whole, if it is to be and nothing
 * of it is under way: to be called when any of that has changed. */
void site_plan(struct daemon *, uint32_t site);

/* site_shift(daemon, by_s): the clock was put back by that: so are plans. */
void site_shift(struct daemon *, int64_t by_s);

#endif
