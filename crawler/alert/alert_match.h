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
 * alert_each(store, options, rules, count, span, fn, arg): the events that
 * became known in the span of their site and that one of the rules tells, site
 * by site, in the order in which they became known.  A rule that tells that
 * something is wrong also tells that it is over.  The options say what the
 * sections of each site are.  fn gets the number of the rule; the event and the
 * host are borrowed.
 *
 * span(arg, site_id, since_s): called once for each site before its events;
 * sets since_s[i] to the beginning for rule i, and returns the end for all
 * rules.  Without span: the events that the rules will tell if they are not
 * taken back; they wait until it is known whether their pages moved.
 */
typedef void alert_fn(void *arg, size_t rule, int64_t site_id,
    const struct site_event *, struct slice host);
typedef int64_t alert_span_fn(void *arg, int64_t site_id, int64_t *since_s);
void alert_each(struct store *, const struct options *,
    const struct alert_rule *const *rules, size_t count, alert_span_fn *,
    alert_fn *, void *arg);

#endif
