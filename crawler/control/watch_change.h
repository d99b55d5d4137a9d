/* Changes of the watch list, whoever holds the store. */
#ifndef FRESHET_WATCH_CHANGE_H
#define FRESHET_WATCH_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strings.h"

struct store;

enum watch_verb { WATCH_ADD, WATCH_RM, WATCH_SET };

struct watch_request {
	enum watch_verb verb;
	struct strings items; /* owned: targets (ADD), hosts, targets that go
				 (RM); see watch_item */
	struct strings settings; /* owned: checked, KEY=VALUE */
};

void watch_request_release(struct watch_request *);

/* watch_item(text, verb, out): how a request writes the target, or the site,
 * that was typed; false when it is neither a host nor a URL.  SET: "@TAG", too:
 * its budget.  watch_is_tag(settings): may a tag have these? */
bool watch_item(const char *text, enum watch_verb, struct strings *out);
bool watch_is_tag(const struct strings *settings);

enum watch_change {
	WATCH_ADDED,
	WATCH_CHANGED,
	WATCH_SAME, /* it was so before */
	WATCH_REMOVED,
	WATCH_UNKNOWN, /* RM, SET: it is not on the list */
	WATCH_FULL, /* it has WATCH_MAX_TARGETS already */
	WATCH_BAD /* no target; nobody who asks sends it */
};
#define WATCH_CHANGES (WATCH_BAD + 1)
#define WATCH_MAX_TARGETS 1000 /* each is asked for at the site's pace */

const char *watch_change_name(enum watch_change);

/*
 * watch_change(store, request, now_s, told, arg): make it in the open
 * transaction; told once for each item, in their order; of a tag site_id is 0.
 * Nothing may be acknowledged before the next store_flush.
 */
typedef void watch_changed_fn(
    void *arg, int64_t site_id, struct slice host, enum watch_change);
void watch_change(struct store *, const struct watch_request *, int64_t now_s,
    watch_changed_fn *, void *arg);

#endif
