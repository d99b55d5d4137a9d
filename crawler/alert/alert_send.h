/* Writing down what is to be told, and telling it. */
#ifndef FRESHET_ALERT_SEND_H
#define FRESHET_ALERT_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/alert/alert_sink.h"
#include "crawler/alert/alert_state.h"

struct store;

/* What could not be told for so long is dropped. */
#define ALERT_KEEP_S (14 * INT64_C(86400))

/* alert_has_sink(rule, sink): does the rule tell in this way? */
bool alert_has_sink(const struct alert_rule *, enum alert_sink);

/* alert_gather(state, store, options): write down the events that the alerts of
 * the options tell and that became known since the last call.  A new rule
 * begins now. */
void alert_gather(struct alert_state *, struct store *, const struct options *);

/* What became of the messages of one rule in one way. */
struct alert_told {
	const struct alert_rule *rule;
	enum alert_sink sink;
	uint64_t events; /* that were told, or not */
	struct slice why; /* why they were not told; empty: they were */
	uint64_t dropped; /* events that are given up */
};
typedef void alert_told_fn(void *arg, const struct alert_told *);

/*
 * alert_deliver(state, rules, options, now_s, fn, arg): tell what is to be told
 * now, all events of a rule at once, and call fn for each attempt.  What fails
 * is tried again after a minute, then after two, and so on, up to six hours.
 *
 * alert_try(rule, sink, options, now_s, why): tell that this is a test, or look
 * whether the folder of an Atom file can be written; false, with a reason, if
 * that fails.
 */
void alert_deliver(struct alert_state *, const struct alert_rules *,
    const struct options *, int64_t now_s, alert_told_fn *, void *arg);
bool alert_try(const struct alert_rule *, enum alert_sink,
    const struct options *, int64_t now_s, struct buf *why);

#endif
