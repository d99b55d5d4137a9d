/*
 * What alerts have told and still have to tell, in a file of its own beside the
 * store, so that it can be written while a crawler owns the store.
 */
#ifndef FRESHET_ALERT_STATE_H
#define FRESHET_ALERT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct alert_state;

/* The ways to tell. */
enum alert_sink { ALERT_EXEC, ALERT_WEBHOOK, ALERT_ATOM, ALERT_SINKS };

/* alert_sink_name(sink): "exec", "webhook", "atom". */
const char *alert_sink_name(enum alert_sink);

/* What is to be told in one way, or was told. */
struct alert_message {
	int64_t id;
	int64_t known_s; /* when its event became known */
	int64_t made_s; /* when it was written down */
	int64_t tries, next_s; /* failed attempts; when the next one is made */
	struct slice line; /* borrowed */
	struct slice event; /* borrowed: the event as a JSON object */
	struct slice
	    why; /* borrowed: of the last attempt; empty: none failed */
};

/*
 * alert_state_open(store_path, state): open the file, or make it.  One process
 * at a time has it open.  Returns EXIT_DONE; or after one line on stderr
 * EXIT_LOCKED, EXIT_DISK or EXIT_DAMAGED.  alert_state_close(state, status):
 * NULL is allowed; returns status, or EXIT_DISK after one line on stderr if
 * something could not be written.
 */
int alert_state_open(const char *store_path, struct alert_state **);
int alert_state_close(struct alert_state *, int status);

/* alert_state_begin(state), alert_state_commit(state): what is between them is
 * written as a whole or not at all.  alert_state_rollback(state): not at
 * all. */
void alert_state_begin(struct alert_state *);
void alert_state_commit(struct alert_state *);
void alert_state_rollback(struct alert_state *);

/* alert_state_since(state, alert): up to when the alert's events were written
 * down; 0: it is new.  alert_state_until(state, alert, until_s): set that. */
int64_t alert_state_since(struct alert_state *, const char *alert);
void alert_state_until(
    struct alert_state *, const char *alert, int64_t until_s);

/* alert_state_held(state, alert, site_id): likewise of a site whose events were
 * written down up to an earlier time than those of the others; 0: of no such
 * site.  alert_state_hold(state, alert, site_id, until_s): set that, or, with
 * 0, end it. */
int64_t alert_state_held(
    struct alert_state *, const char *alert, int64_t site_id);
void alert_state_hold(
    struct alert_state *, const char *alert, int64_t site_id, int64_t until_s);

/* alert_state_add(state, alert, sink, message): write down a message; its id,
 * tries, next_s and why do not matter. */
void alert_state_add(struct alert_state *, const char *alert, enum alert_sink,
    const struct alert_message *);

/*
 * alert_state_each(state, alert, sink, is_told, fn, arg): the messages that are
 * to be told, oldest first, or those that were told, latest first.
 * alert_state_told(state, alert, sink, ids, count): these were told.  The
 * latest ALERT_KEPT are kept, but of one site no more than ALERT_KEPT_OF_SITE
 * while there are some of others. alert_state_failed(state, alert, sink,
 * last_id, next_s, why): one attempt more failed for those up to last_id.
 * alert_state_drop(state, alert, sink, before_s): forget what was written down
 * before; returns how many messages that were.
 */
#define ALERT_KEPT 100
#define ALERT_KEPT_OF_SITE 20
typedef void alert_message_fn(void *arg, const struct alert_message *);
void alert_state_each(struct alert_state *, const char *alert, enum alert_sink,
    bool is_told, alert_message_fn *, void *arg);
void alert_state_told(struct alert_state *, const char *alert, enum alert_sink,
    const int64_t *ids, size_t count);
void alert_state_failed(struct alert_state *, const char *alert,
    enum alert_sink, int64_t last_id, int64_t next_s, struct slice why);
uint64_t alert_state_drop(
    struct alert_state *, const char *alert, enum alert_sink, int64_t before_s);

#endif
