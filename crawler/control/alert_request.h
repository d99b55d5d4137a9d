/* Noting what alerts have told, which the owner of the store does. */
#ifndef FRESHET_ALERT_REQUEST_H
#define FRESHET_ALERT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "store/alert.h"

struct options;

struct alert_request {
	struct slice name;
	int sink;
	struct store_alert alert; /* begun_s, until_s, tries, next_s, why */
	const struct store_alert_site *sites; /* NULL: as they are */
	size_t count;
};

/* alert_request_run(options, request): EXIT_DONE after the commit, or the exit
 * status after one line on stderr. */
int alert_request_run(const struct options *, const struct alert_request *);

/*
 * alert_request_claim(options, is_mine): with true, no other process tells
 * anything for ALERT_CLAIM_S, or until this one calls it with false: EXIT_DONE,
 * or EXIT_LOCKED after one line on stderr if another process did that.  Each
 * alert_request_run() makes the time anew.
 */
#define ALERT_CLAIM_S 600
int alert_request_claim(const struct options *, bool is_mine);

#endif
