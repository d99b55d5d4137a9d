/* Which events an alert tells, and in which words. */
#ifndef FRESHET_ALERT_MATCH_H
#define FRESHET_ALERT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/options_alert.h"
#include "crawler/events/site_event.h"

struct options;
struct store;

/* The line of a message has at most so many bytes. */
#define ALERT_LINE_BYTES 300

/* alert_put_line(out, event, host): append "HOST: SENTENCE", in one line of at
 * most ALERT_LINE_BYTES; "resolved: " precedes the end of what was wrong. */
void alert_put_line(struct buf *, const struct site_event *, struct slice host);

/* alert_complain_tags(store, rule): say on stderr which tags of the rule no
 * site of the watch list has: of these the rule tells nothing. */
void alert_complain_tags(struct store *, const struct alert_rule *);

/*
 * alert_each(store, options, rules, count, since_s, until_s, fn, arg): the
 * events that
 * became known in the span and that one of the rules tells, site by site, in
 * the order in which they became known.  A rule that tells that something is
 * wrong also tells that it is over.  since_s[i] is the beginning for rule
 * i; the options say what the sections of each site are.  The event and the
 * host are borrowed.
 */
typedef void alert_fn(void *arg, const struct alert_rule *,
    const struct site_event *, struct slice host);
void alert_each(struct store *, const struct options *,
    const struct alert_rule *rules, size_t count, const int64_t *since_s,
    int64_t until_s, alert_fn *, void *arg);

/* alert_each_waiting(store, options, rule, fn, arg): likewise the events that
 * the rule will tell if they are not taken back: they wait until it is known
 * whether their pages moved. */
void alert_each_waiting(struct store *, const struct options *,
    const struct alert_rule *, alert_fn *, void *arg);

#endif
