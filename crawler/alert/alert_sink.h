/* The ways to tell: a program, a webhook, an Atom file. */
#ifndef FRESHET_ALERT_SINK_H
#define FRESHET_ALERT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_alert.h"

/* What is told at once. */
struct alert_note {
	const struct alert_rule *rule;
	uint64_t events;
	struct slice line; /* one line for people */
	struct slice text; /* the line, and then a line for each event */
	struct slice
	    ndjson; /* an object for the alert, and one for each event */
};

/*
 * alert_exec(note, why): start the program of the rule, with the name of the
 * alert as its argument and ndjson as its stdin.  False, with a reason appended
 * to why, unless it exits with 0 within a minute; then it is killed with all
 * that it started.
 *
 * alert_webhook(note, options, why): POST {"text": TEXT} to the URL that the
 * file or the variable of the rule holds.  False, with a reason, unless the
 * answer is a 2xx within 15 seconds.  Redirects are not followed, there is no
 * proxy, and an address that is not public needs --allow-address.  The URL,
 * which is a secret, is never printed.
 */
bool alert_exec(const struct alert_note *, struct buf *why);
bool alert_webhook(
    const struct alert_note *, const struct options_network *, struct buf *why);

/* alert_put_chat(out, text): append the text so that a chat shows it as it is
 * and does nothing. */
void alert_put_chat(struct buf *, struct slice text);

/*
 * An Atom feed (RFC 4287), entry by entry.  alert_atom_begin(out, rule, at_s):
 * at_s is when it last changed.  alert_atom_entry(out, rule, id, at_s, line,
 * event): one event.
 */
void alert_atom_begin(struct buf *, const struct alert_rule *, int64_t at_s);
void alert_atom_entry(struct buf *, const struct alert_rule *, int64_t id,
    int64_t at_s, struct slice line, struct slice event);
void alert_atom_end(struct buf *);

#endif
