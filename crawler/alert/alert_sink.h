/* The ways to tell others: a program and a webhook; and the process beside a
 * daemon that tells. */
#ifndef FRESHET_ALERT_SINK_H
#define FRESHET_ALERT_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_alert.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch.h"
#include "crawler/fetch/policy.h"

/* What a webhook is asked with; borrowed. */
struct alert_network {
	struct loop *loop;
	struct fetcher *fetcher; /* without a proxy */
	struct policy *policy; /* of the fetcher */
};

/*
 * alert_exec(rule, ndjson, why): start the program of the rule, with the name
 * of the alert as its argument and ndjson as its stdin: an object for the
 * alert, and one for each event.  False, with a reason appended to why, unless
 * it exits with 0 within a minute; then it is killed with all that it started.
 *
 * alert_webhook(rule, text, network, why): POST {"text": TEXT} to the URL that
 * the file or the variable of the rule holds; the text is lines for people.
 * False, with a reason, unless the answer is a 2xx.  Redirects are not
 * followed, and an address that the policy does not allow is not asked; any
 * port is.  The URL, which is a secret, is never printed.
 */
bool alert_exec(
    const struct alert_rule *, struct slice ndjson, struct buf *why);
bool alert_webhook(const struct alert_rule *, struct slice text,
    const struct alert_network *, struct buf *why);

/* alert_is_to_end(): has somebody asked this process to end?  The signals are
 * blocked while alerts are told. */
bool alert_is_to_end(void);

/* alert_put_chat(out, text): append the text so that a chat shows it as it is
 * and does nothing. */
void alert_put_chat(struct buf *, struct slice text);

/* `freshet alert send` beside a daemon, so that nobody who is told holds up the
 * crawl.  Zeroed before its first use. */
struct alert_runner {
	pid_t pid; /* of the process; 0: none runs */
	int64_t next_ms;
};

/* alert_runner_ended(runner, why): has the process ended since the last call?
 * If it died, or ended before it had told what it could, `why` gets the reason.
 */
enum alert_end { ALERT_NOT_ENDED, ALERT_ENDED_WELL, ALERT_DIED };
enum alert_end alert_runner_ended(struct alert_runner *, struct buf *why);

/* alert_runner_tick(runner, options, now_ms): start the process if its time has
 * come, none runs and the configuration has an alert.  Its stdout and stderr
 * are the stderr of this process.  Returns 0 or errno.
 * alert_runner_end(runner): end the process, if it runs; it finishes what it is
 * telling, for ten seconds at most. */
int alert_runner_tick(
    struct alert_runner *, const struct options *, int64_t now_ms);
void alert_runner_end(struct alert_runner *);

#endif
