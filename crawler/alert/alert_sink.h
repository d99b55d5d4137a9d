/* The ways to tell others: a program and a webhook. */
#ifndef FRESHET_ALERT_SINK_H
#define FRESHET_ALERT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/options_alert.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/policy.h"

/* What is told at once. */
struct alert_note {
	const struct alert_rule *rule;
	struct slice text; /* lines for people */
	struct slice
	    ndjson; /* an object for the alert, and one for each event */
};

/* What a webhook is asked with; borrowed. */
struct alert_network {
	struct loop *loop;
	struct fetcher *fetcher; /* without a proxy */
	struct policy *policy; /* of the fetcher */
};

/*
 * alert_exec(note, why): start the program of the rule, with the name of the
 * alert as its argument and ndjson as its stdin.  False, with a reason appended
 * to why, unless it exits with 0 within a minute; then it is killed with all
 * that it started.
 *
 * alert_webhook(note, network, why): POST {"text": TEXT} to the URL that the
 * file or the variable of the rule holds.  False, with a reason, unless the
 * answer is a 2xx.  Redirects are not followed, and an address that the policy
 * does not allow is not asked; any port is.  The URL, which is a secret, is
 * never printed.
 */
bool alert_exec(const struct alert_note *, struct buf *why);
bool alert_webhook(
    const struct alert_note *, const struct alert_network *, struct buf *why);

/* alert_is_to_end(): has somebody asked this process to end?  The signals are
 * blocked while alerts are told. */
bool alert_is_to_end(void);

/* alert_put_chat(out, text): append the text so that a chat shows it as it is
 * and does nothing. */
void alert_put_chat(struct buf *, struct slice text);

#endif
